"""Boards with a processor from the command line: projects for Vivado, the UIO
target. What is in a project is tested in tests/fpga/vivado, the driver in
tests/fpga/uio."""
import pytest

from conftest import EXAMPLE


@pytest.mark.parametrize("board, configuration", [("pynq-z1", "pynq"), ("pynq-z2", "pynq"), ("zcu104", "wide"),
                                                  ("kv260", "pynq")])
def test_a_project_is_written(tenon, tmp_path, board, configuration):
    project = tmp_path / "project"
    said = tenon("fpga", "build", "--board", board, "-o", project).stdout
    assert f"{board} · {configuration}" in said and f"{project}/README.md" in said
    assert (project / "build.tcl").is_file() and (project / "rtl/tenon_pkg.sv").is_file()
    settings = (project / "settings.tcl").read_text()
    assert f'dict set tenon configuration "{configuration}"' in settings


def test_configuration_and_clock_are_a_choice(tenon, tmp_path):
    project = tmp_path / "project"
    tenon("fpga", "build", "--board", "kv260", "--config", "tiny", "--clock", "80", "-o", project)
    settings = (project / "settings.tcl").read_text()
    assert 'dict set tenon configuration "tiny"' in settings and "dict set tenon clock_mhz 80\n" in settings
    assert "-period 12.500 " in (project / "constraints/accelerator.xdc").read_text()


def test_a_directory_with_other_things_is_left_alone(tenon, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    said = tenon("fpga", "build", "--board", "pynq-z1", "-o", tmp_path, expect=1).stderr
    assert "holds no Vivado project" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.txt"]


def test_a_project_is_written_again(tenon, tmp_path):
    project = tmp_path / "project"
    tenon("fpga", "build", "--board", "pynq-z1", "-o", project)
    first = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    (project / "build.tcl").write_text("changed")
    tenon("fpga", "build", "--board", "pynq-z1", "-o", project)
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == first


@pytest.mark.parametrize("target, code, reason", [
    ("fpga:uio:/dev/uio-that-is-not-there", 4, "/dev/uio-that-is-not-there: cannot open the device"),
    ("fpga:uio:", 2, "expected a device"),
    ("fpga:uio:/dev/uio0,colour=red", 2, "unknown key 'colour'"),
    ("fpga:uio:/dev/null", 4, "/class/uio/null/maps/map0/size"),
])
def test_a_target_that_is_not_there_is_named(tenon, target, code, reason):
    said = tenon("run", EXAMPLE / "resnet8.onnx", "--config", "pynq", "--target", target, expect=code).stderr
    assert reason in said
