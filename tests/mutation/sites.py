"""Where a mutant may stand, and the seeded sample of them."""
import dataclasses
import hashlib
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

# group: (its share of the sample, where its sources are). Not drawn from: what only prints or parses text, and
# isa/generator, which runs before the switch could.
SOURCES = ("h", "cpp")
GROUPS = {
    "rtl": (0.30, ["hw/rtl/*.sv"]),
    "simulator": (0.12, ["sim/functional/*.h", "sim/functional/*.cpp",
                         *(f"isa/{n}.cpp" for n in ("access_loops", "accesses", "codec", "dram_image", "layout"))]),
    "codegen": (0.18, [f"compiler/lib/{folder}/*.{kind}" for folder in ("Scheduling", "Target/Accelerator", "Transforms")
                       for kind in SOURCES]),
    "verifier": (0.10, [f"isa/verifier/*.{kind}" for kind in SOURCES]),
    "importer": (0.12, [f"compiler/lib/Frontend/ONNX/{folder}*.{kind}" for folder in ("", "Definitions/", "Lower/") for kind in SOURCES]),
    "runtime": (0.10, [f"runtime/{folder}*.{kind}" for folder in ("", "fpga/") for kind in SOURCES]),
    "tlm": (0.08, [f"sim/tlm/*.{kind}" for kind in SOURCES]),
}


@dataclasses.dataclass(frozen=True)
class Site:
    file: str
    start: int  # bytes
    end: int
    text: str  # what stands there
    to: str  # what the mutant has instead; "" where it drops a statement
    kind: str
    line: str  # the whole line where it starts, for people and for the list of survivors

    @property
    def name(self):
        return f"{self.file}: `{one_line(self.text)}` -> `{one_line(self.to)}`"

    def overlaps(self, other):
        return self.file == other.file and self.start < other.end and other.start < self.end


def one_line(text):
    return " ".join(text.split())


def line_at(source, offset):
    """The line of a byte of a file."""
    end = source.find(b"\n", offset)
    return source[source.rfind(b"\n", 0, offset) + 1:end if end >= 0 else None].decode().strip()


def files(group):
    return sorted(str(path.relative_to(ROOT)) for pattern in GROUPS[group][1] for path in ROOT.glob(pattern))


def draw(sites, seed, count, refused=frozenset()):
    """`count` sites by the order of a hash of what they say, not of where they stand: an edit elsewhere leaves the
    sample as it is. None overlaps another: one that does, or is `refused`, is drawn again."""
    seen, ordered = {}, []
    for site in sorted(sites, key=lambda s: (s.file, s.start, s.end, s.to)):
        said = (site.file, site.line, site.text, site.to)
        seen[said] = seen.get(said, 0) + 1
        ordered.append((hashlib.sha256(repr((seed, seen[said], *said)).encode()).hexdigest(), site))
    chosen = []
    for key, site in sorted(ordered, key=lambda pair: pair[0]):
        if len(chosen) == count:
            break
        if key not in refused and not any(site.overlaps(other) for _, other in chosen):
            chosen.append((key, site))
    return chosen
