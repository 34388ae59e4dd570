"""Every diagnostic has a test, or stands in untested_diagnostics.txt with the reason.

An exception that a test has come to expect, or whose diagnostic is gone, fails as well: `diagnostics.py --prune`.
"""
import diagnostics as d

EXPECTED = d.expectations()
EVERYTHING = d.diagnostics()


def test_every_diagnostic_has_a_test_or_a_reason():
    known = d.exceptions()
    missing = [found.line for found in EVERYTHING if found.line not in known and not EXPECTED.has(found)]
    assert len(EVERYTHING) > 500, "the sources were not found"
    assert not missing, "no test expects these; write one, or give a reason in untested_diagnostics.txt:\n" + \
        "\n".join(missing)


def test_every_exception_is_needed():
    needed = {found.line for found in EVERYTHING if not EXPECTED.has(found)}
    over = [line for line in d.exceptions() if line not in needed]
    assert not over, "these have a test now or are gone; run tests/repository/diagnostics.py --prune:\n" + "\n".join(over)


def test_every_exception_has_a_reason():
    assert all(d.exceptions().values())


def names(source):
    return [found.name for found in d.diagnostics_of("x.cpp", source)]


def test_what_is_a_diagnostic():
    assert names('return absl::InvalidArgumentError(absl::StrCat("the size is ", n, " but not so large"));') == ["but not so large"]
    assert names('emitError() << "expected " << n << " elements of it, found " << m; f("not a diagnostic");') == ["elements of it, found"]
    assert names('add("width {} is not one of "\n    "these; {}", a, b);') == ["is not one of these"]
    assert names('Why = {"no intrinsic computes it", "another"};') == ["no intrinsic computes it"]
    assert names('// error("in a comment it is none")\nput("nor is this one");') == []
    assert names('error("{}: {}", a, b); error("short");') == []


def test_what_expects_it():
    found = d.diagnostics_of("x.cpp", 'error("{} elements do not fit the {} of it: give it fewer", n, m);')[0]
    assert found.name == "elements do not fit the"
    assert d.Expectations(["7 elements do not fit the 4 of it"]).has(found)
    assert d.Expectations(["{{[0-9]+}} elements do not fit"]).has(found)
    assert d.Expectations(["CHECK: fit the 4 of it: give it fewer"]).has(found)
    assert not d.Expectations(["elements", "the 4 of it", "another text that does not name it"]).has(found)
