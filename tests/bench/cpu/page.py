"""The tables of `./dev bench --cpu`, for a terminal and for docs/cpu.md."""
import json
import pathlib

from goals import OURS, PRODUCT, Rows, counts, goals_of
from networks import ROOT, SIZE

FIGURES = pathlib.Path(__file__).with_name("figures.json")
PAGE = ROOT / "docs/cpu.md"
BEGIN, END = "<!-- ./dev bench --cpu --accept -->\n", "<!-- end -->\n"


def milliseconds(row):
    if not row:
        return "–"
    if "failed" in row:
        return "fails"
    return f"{row['median_ms']:.3f}" + " wrong" * (not row["right"])


def header(peers):
    return ["network", "threads", OURS, *peers, "of best"]


def cells(rows, network, threads, peers):
    of, ratio = rows.of.get((network, threads), {}), rows.ratio(network, threads)
    return [network, str(threads), milliseconds(of.get(OURS)), *(milliseconds(of.get(peer)) for peer in peers),
            "–" if ratio is None else f"{ratio:.2f}"]


def peers_of(rows):
    return list(dict.fromkeys(row["who"] for row in rows.rows if row["who"] != OURS))


def markdown(head, lines):
    return "\n".join(["| " + " | ".join(line) + " |" for line in (head, ["---"] + ["---:"] * (len(head) - 1), *lines)]) + "\n"


def goal_cells(goal):
    return [goal.name, f"{goal.value:.3f}", f"{goal.sign} {goal.limit:g}", "met" if goal.met else "NOT MET", goal.where]


def aligned(lines):
    """Columns of text; the first one and the last one begin where their column does."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i in (0, len(widths) - 1) else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def document(figures):
    """docs/cpu.md's generated part."""
    rows, machine = Rows(figures["rows"]), figures["machine"]
    peers = peers_of(rows)
    versions = sorted({f"{row['who']} {row['version']}" for row in rows.rows if row.get("version")})
    hosts = sorted({row["host"] for row in rows.rows if row.get("host")})
    text = (f"Measured on {figures['date']} at commit {figures['commit']}, {machine['processor']} ({', '.join(machine['features'])}), "
            f"{machine['processors']} processors; {', '.join(versions)}; compiled for {', '.join(hosts)}.\n\n")
    text += markdown(["goal", "value", "limit", "", "where"], map(goal_cells, goals_of(figures["rows"])))
    for title, kinds in (("Float networks", ("float", "half")), ("Quantised networks", ("int8",))):
        text += f"\n{title}, milliseconds:\n\n" + markdown(header(peers), [
            cells(rows, n, t, peers) for n in rows.networks(*kinds) for t in rows.threads])
    products = [n for n in rows.kind if n.startswith(PRODUCT)]
    return text + (f"\nProducts of {SIZE} x {SIZE} matrices, milliseconds:\n\n" + markdown(header(peers), [
        cells(rows, n, t, peers) for n in products for t in rows.threads]) if products else "")


def page(figures):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    return before + BEGIN + document(figures) + END + rest.split(END, 1)[1]


def read():
    return json.loads(FIGURES.read_text())


def accept(figures):
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    PAGE.write_text(page(figures))
