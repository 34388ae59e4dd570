"""All mutants of a sample in one copy of the tree, each behind a switch that is read at run time, built once."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

import cpp_sites
import rtl_sites
import sites
from sites import GROUPS, ROOT

sys.path.insert(0, str(ROOT / "tests/bites"))
from copy_of_tree import CopyOfTree  # noqa: E402

TREE = CopyOfTree("mutation")
# What the copy has besides the mutants: the variable that says which is on, no end at a warning of
# Verilator's, and lit hands the choice on.
SWITCH = '''package tenon_pkg;
  int unsigned mutant = $c32("(std::getenv(\\"TENON_MUTANT\\") ? std::atoi(std::getenv(\\"TENON_MUTANT\\")) : 0)");
'''
EDITS = {
    "isa/verilog.cpp": ('"package tenon_pkg;\\n', f'R"sv({SWITCH})sv" "'),
    "tests/lit/lit.cfg.py": ("config.name = ", 'config.environment.update({k: v for k, v in os.environ.items() if "TENON_MUTANT" in k})\n'
                             'config.name = '),
    "tests/rtl_memory/CMakeLists.txt": ("--build -Wall", "--build -Wno-fatal"),
    "tests/bridge/CMakeLists.txt": ("--build -Wall", "--build -Wno-fatal"),
}
# Tells the file TENON_MUTANT_REACH.rtl which modules a test simulates.
REACH = ('  initial $c("if (const char *f = std::getenv(\\"TENON_MUTANT_RTL_REACH\\")) if (FILE *o = std::fopen(f, \\"a\\"))'
         ' {{ std::fputs(\\"{}\\\\n\\", o); std::fclose(o); }}");\n')
LINTS = [(config, flags) for config in ("tiny", "pynq") for flags in ([], ["-DSYNTHESIS"])]


def all_sites(group, log):
    """The sites of a group; those of a file are kept until it changes."""
    cache = TREE.folder / "sites.json"
    kept = json.loads(cache.read_text()) if cache.exists() else {}
    finder = hashlib.sha256(b"".join((pathlib.Path(__file__).parent / f).read_bytes() for f in ("cpp_sites.py", "rtl_sites.py")))

    def key(file):
        return hashlib.sha256(finder.digest() + (ROOT / file).read_bytes()).hexdigest()
    names = sites.files(group)
    new = [file for file in names if key(file) not in kept]
    if new:
        log(f"{group}: looking for places in {len(new)} files")
        found = [s for file in new for s in rtl_sites.find(file)] if group == "rtl" else cpp_sites.find(new, ROOT / "build/release")
        for file in new:
            kept[key(file)] = [vars(s) for s in found if s.file == file]
        cache.write_text(json.dumps(kept))
    return [sites.Site(**fields) for file in names for fields in kept[key(file)]]


class Sample:
    """`mutants`: number -> (group, key, site)."""

    def __init__(self, seed, count):
        self.seed, self.count, self.numbers, self.refused = seed, count, {}, []
        self.file = TREE.folder / f"sample-{seed}-{count}.json"
        if self.file.exists():
            state = json.loads(self.file.read_text())
            self.numbers, self.refused = state["numbers"], state["refused"]

    def save(self):
        self.file.write_text(json.dumps({"numbers": self.numbers, "refused": self.refused}))

    def draw(self, log):
        self.mutants, self.places = {}, {}
        for group, (share, _) in GROUPS.items():
            drawn = sites.draw(all_sites(group, log), self.seed, round(share * self.count), set(self.refused))
            for place, (key, site) in enumerate(drawn):
                number = self.numbers.setdefault(key, len(self.numbers) + 1)
                self.mutants[number] = (group, key, site)
                self.places[number] = (place + 0.5) / len(drawn)

    def in_order(self):
        """As they are judged: so that at any time those judged are a sample of the sample, of all groups."""
        return sorted(self.mutants.items(), key=lambda item: self.places[item[0]])

    def of_file(self, file):
        return sorted(((n, s) for n, (_, _, s) in self.mutants.items() if s.file == file), key=lambda pair: pair[1].start)


def switched(number, site):
    rtl = site.file.endswith(".sv")
    on = f"tenon_pkg::mutant == {number}" if rtl else f"tenon_mutant::is({number})"
    if rtl and not site.to:
        return f"begin if (!({on})) {site.text} end"
    if not site.to:
        return f"({on} ? (void)0 : (void)({site.text}))"
    return f"({on} ? ({site.to}) : ({site.text}))"


def rewrite(file, mutants):
    """The file with its mutants, and the lines that each takes."""
    source, out, lines, at = (ROOT / file).read_bytes(), b"", {}, 0
    if file.endswith((".h", ".cpp")):
        out = b'#include "tests/mutation/switch.h"\n'
    for number, site in mutants:
        out += source[at:site.start]
        first = out.count(b"\n") + 1
        out += switched(number, site).encode()
        lines[number] = range(first, out.count(b"\n") + 2)
        at = site.end
    out += source[at:]
    if file.endswith(".sv"):
        module = pathlib.Path(file).stem
        out = out.replace(b"endmodule\n", REACH.format(module).encode() + b"endmodule\n")
    return out, lines


def culprits(output, lines):
    """Mutants on a line that an error of a compiler names: the first such line of each error."""
    found, open_error = set(), False
    for line in output.splitlines():
        if re.search(r"\berror: |%Error", line):
            open_error = True
        for name, number in re.findall(r"([\w./-]+\.(?:cpp|h|sv)):(\d+)", line) if open_error else []:
            file = next((f for f in lines if name.endswith(f)), None)
            hit = [n for n, taken in lines.get(file, {}).items() if int(number) in taken]
            found.update(hit)
            open_error = open_error and not hit
    return found


def lint():
    """What Verilator says of the mutated RTL."""
    package, output, code = TREE.folder / "package.sv", "", 0
    for config, flags in LINTS:
        write = TREE.build_path / "bin/write_package"
        package.write_text(subprocess.run([write, config], check=True, capture_output=True, text=True).stdout)
        rtl = sorted((TREE.path / "hw/rtl").glob("*.sv"))
        result = subprocess.run(["verilator", "--lint-only", "-Wno-fatal", "-Wno-lint", "--top-module", "tenon_machine",
                                 "--unroll-count", "100000", "--unroll-stmts", "10000000", *flags, package, *rtl],
                                capture_output=True, text=True)
        output, code = output + result.stderr + result.stdout, code | result.returncode
    return code, output


def products():
    """What the copy is linked to but the programs of its tests: those, and the RTL that they simulate, are built when they are
    first asked (`suite.Baseline.build`)."""
    listed = subprocess.run(["ninja", "-C", TREE.build_path, "-t", "targets", "all"], check=True, capture_output=True, text=True).stdout
    linked = re.findall(r"^(\S+): \S+_LINKER", listed, re.M)
    return [name for name in linked if not re.match(r"bin/\w+_test", name)]


def prepare(sample, log):
    """Writes the copy and builds what is not a test; a mutant that does not compile is drawn again."""
    while True:
        sample.draw(log)
        changed, lines = {}, {}
        for file in sorted({f for group in GROUPS for f in sites.files(group)}):
            mutants = sample.of_file(file)
            if mutants or file.endswith(".sv"):
                changed[file], lines[file] = rewrite(file, mutants)
        for file, (text, replacement) in EDITS.items():
            source = (ROOT / file).read_text()
            if text not in source:
                raise RuntimeError(f"{file} has no {text}")
            changed[file] = source.replace(text, replacement).encode()
        TREE.write(changed)
        log(f"building {len(sample.mutants)} mutants in {sum(map(bool, lines.values()))} files")
        code, output = lint() if TREE.build("--target", "write_package").returncode == 0 else (0, "")
        if not code:
            built = TREE.build("--target", *products(), "--", "-k0")
            code, output = built.returncode, built.stdout + built.stderr
        if not code:
            break
        bad = culprits(output, lines)
        if not bad:
            raise RuntimeError("the copy does not build:\n" + output[-4000:])
        sample.refused += [sample.mutants[n][1] for n in bad]
        sample.save()
        log(f"{len(bad)} mutants do not compile and are drawn again")
    sample.save()
