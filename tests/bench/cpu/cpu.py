#!/usr/bin/env python3
"""Networks and matrix products on this machine's CPU, beside the runtimes that people use.

    ./dev bench --cpu [--threads 1,2] [--json FILE] [--accept] [NAME...]

Tenon, onnxruntime, OpenVINO at f32, IREE and, of products of floats, OpenBLAS run one after the other, each in a process of
its own: first its outputs are held against the stored ones of all data sets, then it is timed. A time is the median over
single runs behind some to warm up, the least of --rounds such medians.

of best   Tenon's time as a share of the fastest peer's that computes right: within 0.01 of the largest output,
          quantised 0.1, and the right class first where the outputs are classes; products of bytes exactly
value     of a goal: a geometric mean, or the worst network's, which `where` names
"""
import argparse
import datetime
import json
import pathlib
import sys
import tempfile

import networks
import page
import runs
from goals import OURS, Rows, geomean, goals_of

sys.path.insert(0, str(networks.ROOT / "tests"))
from commits import commit  # noqa: E402

PEERS = ("onnxruntime", "OpenVINO", "IREE", "OpenBLAS")
COLUMN = 13


def chosen(arguments, work):
    """The networks whose names have one of `arguments` in them; all without any."""
    if not networks.MODELS.is_dir():
        print(f"{networks.MODELS} is not there: matrix products only", file=sys.stderr)
    every = [*networks.stored(work=work), *(networks.product(name, work) for name in networks.PRODUCTS)]
    found = [each for each in every if not arguments or any(name in each.name for name in arguments)]
    if not found:
        sys.exit(f"bench: no network {' '.join(arguments)}; there are {', '.join(each.name for each in every)}")
    return found


def peers_of(network):
    return [peer for peer in PEERS if peer != "OpenBLAS" or network.operations and network.kind == "float"]


def line(cells, width):
    return f"{cells[0]:<{width}}{cells[1]:>8}" + "".join(f"{cell:>{COLUMN}}" for cell in cells[2:])


def measured(found, options):
    """The rows, each network's printed as soon as they are there."""
    rows, width = [], max(len(each.name) for each in found) + 2
    print(line(page.header(PEERS), width))
    for network in found:
        for threads in options.threads:
            for who in (OURS, *peers_of(network)):
                if sys.stderr.isatty():
                    print(f"\r{network.name}: {who}\033[K", end="\r", file=sys.stderr, flush=True)
                rows.append(runs.row(who, network, threads, options.seconds, options.rounds))
            if sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr)
            print(line(page.cells(Rows(rows), network.name, threads, PEERS), width), flush=True)
    return rows


def summary(rows):
    """The keys of --json."""
    of = Rows(rows)

    def over(*kinds):
        return [ratio for threads in of.threads for ratio in of.ratios(threads, *kinds).values()]
    best = [{"model": network, "threads": threads, "median_ms": of.ours(network, threads)["median_ms"],
             "best_peer": of.best(network, threads)["who"], "peer_ms": of.best(network, threads)["median_ms"],
             "ratio": of.ratio(network, threads)} for network, threads in of.of if of.ratio(network, threads)]
    return {"geomean_ratio_float": geomean(over("float")), "geomean_ratio_int8": geomean(over("int8")),
            "worst_ratio": max(over("float", "half", "int8"), default=None), "rows": best,
            "goals": [{"name": goal.name, "value": goal.value, "limit": f"{goal.sign} {goal.limit:g}", "met": goal.met, "where": goal.where}
                      for goal in goals_of(rows)]}


def said(figures):
    """Goals, and what failed."""
    goals = [page.goal_cells(goal) for goal in goals_of(figures["rows"])]
    text = "\n" + page.aligned(goals) if goals else ""
    for row in figures["rows"]:
        why = row["failed"][:160] if "failed" in row else "" if row["right"] else f"wrong, by {row['error']:.3g} of the largest output"
        if why:
            text += f"\n{row['who']}, {row['network']}, --threads {row['threads']}: {why}"
    return text


def threads(text):
    return [int(each) for each in text.split(",")]


def main():
    parser = argparse.ArgumentParser(prog="dev bench --cpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="networks with NAME in theirs (default: all)")
    parser.add_argument("--threads", type=threads, default=[1, 2], metavar="N,N", help="of each (default: 1,2)")
    parser.add_argument("--seconds", type=float, default=1, help="that runs are timed at least (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="of which the fastest counts (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the ratios and the goals to FILE")
    parser.add_argument("--accept", action="store_true", help="of all networks: keep the figures and make them those of docs/cpu.md")
    options = parser.parse_args()
    if options.accept and options.names:
        parser.error("--accept is of all networks")
    with tempfile.TemporaryDirectory(prefix="tenon-bench-") as folder:
        rows = measured(chosen(options.names, pathlib.Path(folder)), options)
    figures = {"date": datetime.date.today().isoformat(), "commit": commit(), "machine": runs.machine(), "rows": rows}
    print(said(figures))
    if options.accept:
        page.accept(figures)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(summary(rows), indent=1) + "\n")


if __name__ == "__main__":
    main()
