#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Synthesises configurations for the area model and keeps the cells of every part.

    hw/flows/area_sweep.py [--family F ...] [--jobs N] [--minutes M] [--data FILE]

What is done is kept after every run (the file is written beside and renamed), what is there is not done again: a part
whose text and parameters have not changed keeps its cells, whatever else did. `--list` says what is still to do.

The shipped configurations and those drawn by `draw` (from a seed) are either fitted or held out (`SETS`). Fitted ones
are synthesised by parts, and a few as a whole, to see what a flat netlist saves; held-out ones as a whole only. On xc7
both are the same, because Yosys keeps the hierarchy there.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import sys
import tempfile
import time

import synthesis

DATA = synthesis.ROOT / "hw/flows/area_data.json"
WORK = synthesis.ROOT / "build/area"
WRITE_PACKAGE = synthesis.ROOT / "build/release/bin/write_package"
SEED = 5
# Of the drawn ones: the first are fitted, the others held out.
FITTED, HELD_OUT = 8, 4


# What a configuration is drawn from. The blocks are dealt like cards, so that each size comes in both sets.
BLOCKS = ((4, 4), (4, 8), (8, 4), (8, 8), (4, 16), (16, 4), (8, 16), (16, 8))
LANES, CYCLES, COUNTERS = (1, 2, 4, 8), (1, 2, 1, 4, 1, 32), ("FULL", "NONE", "FULL", "TOTALS")


def dealt(source, cards, number):
    """`number` cards, each as often as the others but for one."""
    hand = []
    while len(hand) < number:
        hand += source.sample(cards, len(cards))
    return hand[:number]


def drawn():
    """Configurations of sizes that fit mid-size FPGAs; legal by construction."""
    source, number = random.Random(SEED), FITTED + HELD_OUT

    def power(least, most):
        return 2 ** source.randint(least, most)

    result = []
    hands = [dealt(source, cards, number) for cards in (BLOCKS, LANES, CYCLES, COUNTERS, (1, 2, 4), (4, 8, 16, 32))]
    for i, ((block_in, block_out), lanes, cycles, counters, banks, queue) in enumerate(zip(*hands)):
        batch = 2 if block_in * block_out <= 32 and source.random() < 0.3 else 1
        bus = source.choice([bits for bits in (32, 64, 128) if bits // 8 <= min(batch * block_in, block_out)])
        result.append({
            "name": f"drawn{i}", "batch": batch, "block_in": block_in, "block_out": block_out, "bus_bits": bus,
            "burst_beats": 256, "outstanding_bursts": power(3, 6), "uop_entries": power(7, 10),
            "inp_entries": power(7, 10), "wgt_entries": power(7, 9), "dwt_entries": power(6, 9),
            "acc_entries": power(7, 10), "prm_entries": power(5, 8), "out_entries": power(7, 10), "acc_banks": banks,
            "alu_lanes": min(lanes, batch * block_out), "alu_multiply_cycles": cycles, "queue_depth": queue,
            "channel_depth": power(1, 3), "instruction_bits": 128, "counters": counters, "clock_mhz": 100})
    return result


def held_out():
    """Names of the configurations that no fit may see."""
    return {fields["name"] for fields in drawn()[FITTED:]}


def configuration_argument(name, folder):
    """What `write_package` and `tenon` take: the name of a shipped configuration, or a file in `folder`."""
    for fields in drawn():
        if fields["name"] == name:
            path = folder / f"{name}.textproto"
            path.write_text(synthesis.as_textproto(fields))
            return path
    return name


def plan():
    """(family, configuration, whole?): in the order of use, cheap and shipped ones first."""
    fitted = [fields["name"] for fields in drawn()[:FITTED]]
    unseen = sorted(held_out())
    work = []
    for family in ("ecp5", "gowin"):
        work += [(family, name, whole) for name in ("tiny", "small") for whole in (True, False)]
        work += [(family, name, False) for name in fitted]
        work += [(family, name, True) for name in unseen]
    work += [("ice40", name, whole) for name in ("nano", "tiny") for whole in (True, False)]
    work += [("ice40", name, False) for name in fitted[:4]] + [("ice40", name, True) for name in unseen[:2]]
    work += [("xc7", name, True) for name in ("tiny", "small", *fitted[:5], *unseen[:3], "pynq")]
    return work


class Data:
    """area_data.json: `parts` family -> key -> cells, `whole` family -> configuration -> cells of modules."""

    def __init__(self, path):
        self.path = path
        self.all = json.loads(path.read_text()) if path.exists() else {
            "tools": {}, "configurations": {}, "parts": {}, "whole": {}}

    def save(self):
        with tempfile.NamedTemporaryFile("w", dir=self.path.parent, delete=False) as file:
            json.dump(self.all, file, indent=None, sort_keys=True)
            file.write("\n")
        text = pathlib.Path(file.name)
        text.write_text(pretty(self.all))
        text.chmod(0o644)
        text.replace(self.path)


def pretty(data):
    """JSON with one synthesis a line."""
    def level(value, depth):
        if depth == 0 or not isinstance(value, dict):
            return json.dumps(value, sort_keys=True)
        pad = " " * (4 - depth)
        return "{\n" + ",\n".join(f"{pad}{json.dumps(key)}: {level(value[key], depth - 1)}" for key in sorted(value)) + \
            f"\n{pad[:-1]}}}"
    return level(data, 3) + "\n"


def prepare(name):
    """Package and names of a configuration, in a folder of its own."""
    folder = WORK / name
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / "tenon_pkg.sv"
    names = synthesis.write_package(WRITE_PACKAGE, configuration_argument(name, folder), package, any_hash=True)
    return package, folder, names


def run(data, family, name, whole):
    package, folder, names = prepare(name)
    folder = folder / f"{family}-{'whole' if whole else 'parts'}"
    keys = synthesis.key_of_parts(family, package, folder)
    identity = [keys[part] for part in (*synthesis.PARTS, synthesis.TOP)]
    entry = data.all["configurations"].setdefault(name, {})
    known = data.all["parts"].setdefault(family, {})
    done = data.all["whole"].setdefault(family, {})
    flat = synthesis.FAMILIES[family].flat
    if whole and flat:
        if done.get(name, {}).get("keys") == identity:
            return "there"
    elif all(key in known for key in identity):
        entry.setdefault("keys", {})[family] = keys
        entry["names"] = names
        return "there"
    left_out = [] if whole and flat else [part for part in synthesis.PARTS if keys[part] in known]
    start = time.monotonic()
    modules, memories = synthesis.synthesise(family, package, folder, parts=not whole, known=left_out)
    seconds = round(time.monotonic() - start, 1)
    entry["names"] = names
    if whole and flat:
        done[name] = {"keys": identity, "rtl": synthesis.rtl_hash(), "seconds": seconds, "names": names,
                      "cells": synthesis.with_children(modules, synthesis.TOP),
                      "memories": synthesis.memory_cells(memories)}
    else:
        entry.setdefault("keys", {})[family] = keys
        for part in (*synthesis.PARTS, synthesis.TOP):
            if part not in left_out:
                known[keys[part]] = {"part": part, "cells": synthesis.with_children(modules, part, synthesis.PARTS)}
        data.all["memories"] = data.all.get("memories", {})
        data.all["memories"].setdefault(family, {})[name] = synthesis.memory_cells(memories)
    data.all["rtl"] = synthesis.rtl_hash()
    data.all["tools"][family] = synthesis.version(synthesis.FAMILIES[family].program)
    return f"{seconds} s" + (f", without {' '.join(left_out)}" if left_out else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", action="append", choices=synthesis.FAMILIES)
    parser.add_argument("--configuration", action="append", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no synthesis after this many")
    parser.add_argument("--rtl", type=pathlib.Path, default=synthesis.RTL, metavar="FOLDER", help="where the modules are")
    parser.add_argument("--data", type=pathlib.Path, default=DATA, metavar="FILE")
    options = parser.parse_args()
    synthesis.RTL = options.rtl
    data, end, failed = Data(options.data), time.monotonic() + 60 * options.minutes, []

    def one(family, name, whole):
        if time.monotonic() > end:
            return "left"
        return run(data, family, name, whole)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = {pool.submit(one, *item): item for item in plan()
                if (not options.family or item[0] in options.family)
                and (not options.configuration or item[1] in options.configuration)}
        for future in concurrent.futures.as_completed(work):
            family, name, whole = work[future]
            try:
                result = future.result()
            except synthesis.Failed as error:
                failed.append(f"{family} {name}: {error}")
                result = "failed"
            if result not in ("there", "left"):
                data.save()
            print(f"{time.strftime('%H:%M:%S')} {family:6} {name:10} {'whole' if whole else 'parts'}: {result}", flush=True)
    data.save()
    if failed:
        sys.exit("area_sweep: " + "\n".join(failed))


if __name__ == "__main__":
    main()
