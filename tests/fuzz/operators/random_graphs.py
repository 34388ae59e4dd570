#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Random ONNX graphs through Tenon on the CPU, against onnxruntime and the reference interpreter of the onnx package.

Prints the figures; ends with 3 where a difference is not explained. Each is made small and kept below --keep, from where `--replay FOLDER`
repeats it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from seeds import of_commit

import network
from values import Unmet
from judge import explanation, judge
from reduce import describe, reduced


def examine(net):
    """(what is wrong, made small; whether onnxruntime took part)"""
    said, compared = judge(net)
    if not said:
        return None, compared
    kinds = {kind for kind, _ in said}

    def still(smaller):
        return bool(kinds & {kind for kind, _ in judge(smaller)[0]})
    small = reduced(net, still)
    said, _ = judge(small)
    return {"network": small, "said": said, "why": explanation(small, said)}, compared


def trial(seed):
    try:
        net = network.grow(seed)
    except Unmet:
        return seed, None, None, False
    defect, compared = examine(net)
    return seed, net, defect, compared


def seed(text):
    return of_commit() if text == "commit" else int(text)


class Campaign:
    """The figures of many graphs."""

    def __init__(self, keep):
        self.keep = keep
        self.graphs = self.compared = self.nodes = 0
        self.operators, self.excused, self.defects = collections.Counter(), collections.Counter(), []

    def add(self, seed, net, defect, compared):
        if net is None:
            return
        self.graphs += 1
        self.compared += compared
        self.nodes += len(net.nodes)
        self.operators.update(node.op_type for node in net.nodes)
        if defect and defect["why"]:
            self.excused[defect["why"]] += 1
            print(f"seed {seed}: explained: {defect['why']}: {describe(defect['network'])}", flush=True)
        elif defect:
            small = defect["network"]
            line = f"seed {seed}: {describe(small)}: " + "; ".join(f"{kind}: {text}" for kind, text in defect["said"][:2])
            self.defects.append(line)
            print(line, flush=True)
            if self.keep:
                small.save(self.keep / f"seed_{seed}")

    def figures(self):
        return {"operator_graphs": self.graphs, "nodes": self.nodes, "operators": len(self.operators),
                "compared_with_onnxruntime": self.compared, "explained": dict(self.excused), "defects": self.defects}


def run(seeds, jobs, seconds, campaign):
    """Judges the networks of the seeds; none is begun behind the time."""
    end = time.monotonic() + seconds if seconds else None
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        def one(seed):
            return trial(seed) if end is None or time.monotonic() < end else (seed, None, None, False)
        for outcome in pool.map(one, seeds):
            campaign.add(*outcome)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=1000, help="number of graphs (default: %(default)s)")
    parser.add_argument("--seed", type=seed, default="commit" if "CI" in os.environ else "1",
                        help="of the first graph, or 'commit': from the commit's name (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=0, help="no graph is begun after these; 0: no limit")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="graphs at a time (default: one a processor)")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for small graphs that show a difference")
    parser.add_argument("--json", help="file for the figures")
    parser.add_argument("--replay", nargs="+", type=pathlib.Path, help="folders of kept graphs, instead of new ones")
    options = parser.parse_args()
    campaign = Campaign(options.keep)
    if options.replay:
        for folder in options.replay:
            net = network.load(folder)
            campaign.add(folder.name, net, *examine(net))
    else:
        run(range(options.seed, options.seed + options.graphs), options.jobs, options.seconds, campaign)
    figures = campaign.figures()
    print(f"{figures['operator_graphs']} graphs of {figures['nodes']} nodes, {figures['operators']} operators; "
          f"{figures['compared_with_onnxruntime']} ran on onnxruntime, too; {len(campaign.defects)} differences without an explanation")
    for why, count in campaign.excused.most_common():
        print(f"  {count:5} explained: {why}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 3 if campaign.defects else 0


if __name__ == "__main__":
    sys.exit(main())
