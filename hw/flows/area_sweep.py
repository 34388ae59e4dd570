#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Synthesises configurations for the area model and keeps the cells of every part.

    hw/flows/area_sweep.py [--family F ...] [--configuration NAME ...] [--what KIND ...] [--jobs N] [--minutes M]

What is done is kept after every run (the file is written beside and renamed), what is there is not done again: a part
whose text and parameters have not changed keeps its cells, whatever else did.

Shipped configurations and the first of those that are drawn (from a seed) are fitted, the others held out. Fitted ones
are synthesised by parts, two of them as a whole as well, to see what a flat netlist saves; held-out ones as a whole only.
On xc7 both are the same, because the hierarchy is kept there.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import sys
import threading
import time

import synthesis

DATA = synthesis.ROOT / "hw/flows/area_data.json"
WORK = synthesis.ROOT / "build/area"
WRITE_PACKAGE = synthesis.ROOT / "build/release/bin/write_package"
SEED = 7
# Of the drawn ones: the first are fitted, the others held out.
FITTED, HELD_OUT = 6, 3


# What a configuration is drawn from. The blocks are dealt like cards, so that each size comes in both sets.
BLOCKS = ((4, 4), (4, 8), (8, 4), (8, 8), (16, 4), (8, 16))
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


# Nothing legal is smaller: sixteen products, every depth and queue at its least, no counter.
SMALLEST = {"name": "smallest", "batch": 1, "block_in": 4, "block_out": 4, "bus_bits": 32, "burst_beats": 16,
            "outstanding_bursts": 1, "uop_entries": 2, "inp_entries": 2, "wgt_entries": 2, "dwt_entries": 2,
            "acc_entries": 2, "prm_entries": 2, "out_entries": 2, "acc_banks": 1, "alu_lanes": 1,
            "alu_multiply_cycles": 32, "queue_depth": 1, "channel_depth": 1, "instruction_bits": 128,
            "counters": "NONE", "clock_mhz": 25}


def held_out():
    """Names of the configurations that no fit may see."""
    return {fields["name"] for fields in drawn()[FITTED:]}


def configuration_argument(name, folder):
    """What `write_package` and `tenon` take: the name of a shipped configuration, or a file in `folder`."""
    if text := drawn_text(name):
        path = folder / f"{name}.textproto"
        path.write_text(text)
        return path
    return name


def drawn_text(name):
    """A drawn configuration, or the smallest, as a file has it; of a shipped one nothing."""
    return "".join(synthesis.as_textproto(fields) for fields in (*drawn(), SMALLEST) if fields["name"] == name)


def text_of(name, names):
    """The file of a configuration; a shipped one may change after it was synthesised."""
    fields = {field: names[field] for field in SMALLEST if field in names}
    return synthesis.as_textproto({**fields, "name": name, "counters": ("NONE", "TOTALS", "FULL")[names["counters"]]})


def plan():
    """(family, configuration, what): `parts` or the name of one, `whole`, or `bridge` (bridge_top without the machine)."""
    fitted = [fields["name"] for fields in drawn()[:FITTED]]
    unseen = sorted(held_out())
    work = []
    for family in ("ecp5", "gowin"):
        work += [(family, name, what) for name in ("tiny", "small") for what in ("whole", "parts", "bridge")]
        work += [(family, name, "parts") for name in fitted] + [(family, name, "whole") for name in unseen]
    work += [("ice40", name, what) for name in ("tiny", "smallest") for what in ("whole", "parts")]
    work += [("ice40", fitted[0], "parts"), ("ice40", unseen[0], "whole"), ("ice40", "tiny", "bridge")]
    # The GEMM of many products is another than that of few.
    work += [(family, name, "gemm") for family in ("ecp5", "gowin", "xc7") for name in (fitted[3], "pynq")]
    work += [("xc7", name, "parts") for name in ("tiny", "small", *fitted[:4], *unseen, "pynq")]
    return work


class Data:
    """area_data.json: `parts` family -> key -> cells; `whole`, `bridge` family -> configuration -> cells; `synthesised`
    is their sums, for comparisons."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.all = {"tools": {}, "configurations": {}, "parts": {}, "whole": {}, "bridge": {}}
        if path.exists():
            self.all.update(json.loads(path.read_text()))

    def save(self):
        """Without parts that no configuration has any more."""
        with self.lock:
            self.drop_unused()
            self.all["synthesised"] = {family: synthesised(self.all, family) for family in synthesis.FAMILIES}
            text = pretty(self.all)
        beside = self.path.with_suffix(".new")
        beside.write_text(text)
        beside.replace(self.path)

    def drop_unused(self):
        used = {key for entry in self.all["configurations"].values() for keys in entry.get("keys", {}).values()
                for key in keys.values()}
        for parts in self.all["parts"].values():
            for key in set(parts) - used:
                del parts[key]


def synthesised(data, family):
    """What each configuration took: of the flat netlist where there is to be one, else of all parts."""
    parts = data["parts"].get(family, {})
    found = {name: synthesis.area(family, entry["cells"]) for name, entry in data["whole"].get(family, {}).items()}
    for name, entry in data["configurations"].items():
        keys = entry.get("keys", {}).get(family, {}).values()
        if not synthesis.FAMILIES[family].flat and keys and all(key in parts for key in keys):
            figures = [synthesis.area(family, parts[key]["cells"]) for key in keys]
            found[name] = {key: sum(figure[key] for figure in figures) for key in synthesis.KEYS}
    return found


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


def run(data, family, name, what):
    """Does what is not there yet; says how long it took."""
    package, folder, names = prepare(name)
    folder = folder / f"{family}-{what}"
    with data.lock:
        entry = data.all["configurations"].setdefault(name, {})
        entry.update(names=names, text=text_of(name, names), held_out=name in held_out())
    if what == "bridge":
        return run_bridge(data, family, name, names, package, folder)
    keys, modules_of = synthesis.key_of_parts(family, package, folder)
    identity = [keys[part] for part in (*synthesis.PARTS, synthesis.TOP)]
    with data.lock:
        known = data.all["parts"].setdefault(family, {})
        whole = data.all["whole"].setdefault(family, {})
        wanted = (*synthesis.PARTS, synthesis.TOP) if what == "parts" else () if what == "whole" else (what,)
        left_out = [part for part in synthesis.PARTS if keys[part] in known or part not in wanted] if wanted else []
        if wanted:
            entry.setdefault("keys", {})[family] = keys
            if all(keys[part] in known for part in wanted):
                return "there"
        elif whole.get(name, {}).get("keys") == identity:
            return "there"
    start = time.monotonic()
    modules = synthesis.synthesise(family, package, folder, parts=[modules_of[part] for part in synthesis.PARTS]
                                   if wanted else [], known=[modules_of[part] for part in left_out])
    seconds = round(time.monotonic() - start, 1)
    with data.lock:
        if what == "whole":
            whole[name] = {"keys": identity, "cells": synthesis.with_children(modules, synthesis.TOP)}
        for part in wanted:
            if part not in left_out:
                known[keys[part]] = {"part": part, "cells": synthesis.with_children(
                    modules, modules_of[part], modules_of.values())}
    return f"{seconds} s" + (f", without {' '.join(left_out)}" if left_out else "")


def run_bridge(data, family, name, names, package, folder):
    with data.lock:
        known = data.all["bridge"].setdefault(family, {})
    identity = synthesis.text_hash(synthesis.BRIDGE.glob("*.sv"))
    if known.get(name, {}).get("text") == identity:
        return "there"
    start = time.monotonic()
    modules = synthesis.synthesise(family, package, folder, top="bridge_top", known=[synthesis.TOP])
    with data.lock:
        known[name] = {"text": identity, "bus_bits": names["bus_bits"], "cells": synthesis.with_children(modules, "bridge_top")}
    return f"{time.monotonic() - start:.1f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", action="append", choices=synthesis.FAMILIES)
    parser.add_argument("--what", action="append", choices=("parts", "whole", "bridge", "gemm"))
    parser.add_argument("--configuration", action="append", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no synthesis after this many")
    parser.add_argument("--rtl", type=pathlib.Path, default=synthesis.RTL, metavar="FOLDER", help="where the modules are")
    parser.add_argument("--data", type=pathlib.Path, default=DATA, metavar="FILE")
    options = parser.parse_args()
    synthesis.RTL = options.rtl
    data, end, failed = Data(options.data), time.monotonic() + 60 * options.minutes, []

    def one(family, name, what):
        if time.monotonic() > end:
            return "left"
        result = run(data, family, name, what)
        if result != "there":
            data.all["rtl"] = synthesis.rtl_hash()
            data.all["tools"][family] = synthesis.version(synthesis.FAMILIES[family].program)
        return result

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = {pool.submit(one, *item): item for item in plan()
                if (not options.family or item[0] in options.family)
                and (not options.configuration or item[1] in options.configuration)
                and (not options.what or item[2] in options.what)}
        for future in concurrent.futures.as_completed(work):
            family, name, what = work[future]
            try:
                result = future.result()
            except synthesis.Failed as error:
                failed.append(f"{family} {name}: {error}")
                result = "failed"
            if result not in ("there", "left"):
                data.save()
            print(f"{time.strftime('%H:%M:%S')} {family:6} {name:10} {what}: {result}", flush=True)
    data.save()
    if failed:
        sys.exit("area_sweep: " + "\n".join(failed))


if __name__ == "__main__":
    main()
