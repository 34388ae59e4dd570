"""`tenon config list` names the suites that run a configuration, and no other."""
import suites


def test_the_file_says_what_the_tests_run():
    assert suites.FILE.read_text() == suites.lines(), "run tests/repository/suites.py --write and say why in the commit"


def test_every_shipped_configuration_has_suites():
    without = [name for name, run in suites.suites().items() if not run]
    assert suites.SHIPPED and not without, without
