"""What every folder and file of the tree must have."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tracked(root):
    """The files of a repository, whatever letters their names have."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True)
    return [root / name for name in listed.stdout.split("\0") if name]


FILES = tracked(ROOT)
TEXT = {".cpp", ".h", ".td", ".sv", ".py", ".md", ".proto", ".cmake", ".sh", ".mlir", ".tasm"}


def test_files_with_any_letters_are_looked_at(tmp_path):
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b/größe 1.md").write_text("x")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    assert tracked(tmp_path) == [tmp_path / "a b/größe 1.md"]


def test_top_folders_have_a_readme():
    for folder in ["isa", "hw", "hw/rtl", "sim", "sim/functional", "sim/memory", "sim/rtl", "compiler", "runtime",
                   "tools", "tests", "examples", "docs"]:
        assert (ROOT / folder / "README.md").is_file(), f"{folder} has no README.md"


def test_no_machine_paths():
    pattern = re.compile(r"(^|[^A-Za-z0-9_.-])/(work|root|home|farm)/")
    found = [f"{p.relative_to(ROOT)}:{n}" for p in FILES if p.suffix in TEXT and p.is_file()
             for n, line in enumerate(p.read_text(errors="replace").splitlines(), 1) if pattern.search(line)]
    found = [f for f in found if not f.startswith("tests/repository/test_tree.py")]
    assert not found, found


def test_sources_name_the_licence():
    missing = [str(p.relative_to(ROOT)) for p in FILES if p.suffix in {".cpp", ".h"} and p.is_file()
               and "Apache License" not in "\n".join(p.read_text().splitlines()[:8])]
    assert not missing, missing


def test_temporary_files_of_tests_have_a_folder_of_their_own():
    """Tests of one program run at the same time: what has a fixed name in a shared folder belongs to several."""
    pattern = re.compile(r"TempDir\(\)|temp_directory_path|\bmkdtemp\b|\btmpnam\b")
    found = [f"{p.relative_to(ROOT)}:{n}" for p in FILES
             if p.suffix in {".cpp", ".h"} and p.is_relative_to(ROOT / "tests") and p != ROOT / "tests/scratch_folder.h"
             for n, line in enumerate(p.read_text().splitlines(), 1) if pattern.search(line)]
    assert not found, f"tests/scratch_folder.h has one: {found}"


def test_no_unfinished_marks():
    pattern = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    found = [f"{p.relative_to(ROOT)}:{n}" for p in FILES if p.suffix in TEXT and p.is_file()
             for n, line in enumerate(p.read_text(errors="replace").splitlines(), 1) if pattern.search(line)]
    found = [f for f in found if not f.startswith("tests/repository/test_tree.py")]
    assert not found, found


def test_links_of_the_readme_exist():
    text = (ROOT / "README.md").read_text()
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in link:
            assert (ROOT / link).exists(), f"README.md links to {link}, which does not exist"
