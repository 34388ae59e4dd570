#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Tells a story by the command line, which has the simulated RTL that the library has not: a `tenon run` a token, its keys and values out
of one run and into the next. Exit codes: those of `tenon`; 1 also where the network or its pieces are bad, 2 the command line."""
import argparse
import json
import os
import pathlib
import re
import sys
import tempfile
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "command"))
from command import Failure, run, tenon  # noqa: E402


class Decoder:
    """Of one token at a time, at a position, with what it keeps of those before."""

    def __init__(self, network, target, folder):
        self.target, self.folder, self.program = target, folder, folder / "network.tenon"
        facts = json.loads(tenon("inspect", network, "--json=-"))
        shapes = {each["name"]: each["shape"] for each in facts["inputs"]}
        results = [each["shape"] for each in facts["outputs"]]
        caches = list(shapes.values())[2:]
        if not caches or caches != results[1:] or not all(extent.isdigit() for shape in [*caches, results[0]] for extent in shape):
            raise Failure(f"'{network}' does not take a token, its position and caches, and give scores and caches, all of fixed shape")
        self.shapes = {name: [int(extent) for extent in shape] for name, shape in shapes.items()}
        self.choices = int(results[0][-1])
        self.caches = [numpy.zeros(shape, numpy.float32) for shape in list(self.shapes.values())[2:]]
        self.positions = self.caches[0].shape[1]
        self.given, self.reports = [], []
        self.macs = None if facts["macs_unknown"] else facts["macs"]
        tenon("compile", network, "-o", self.program)

    def next(self, token, position):
        """The token that is likeliest to follow."""
        given = dict(zip(self.shapes, [numpy.array([[token]]), numpy.array([position]), *self.caches]))
        options = []
        for i, (name, value) in enumerate(given.items()):
            file = self.folder / f"input_{i}.npy"
            numpy.save(file, value)
            options.append(f"--input={name}={file}")
        said = tenon("run", self.program, f"--target={self.target}", "--check=none", *options, f"--output-dir={self.folder}", "--json=-")
        self.given.append(given)
        self.reports.append(json.loads(said))
        scores, *self.caches = (numpy.load(self.folder / f"output_{i}.npy") for i in range(len(given) - 1))
        return int(scores.argmax())

    def save(self, file):
        """What it was given at each step, as `tenon quantize --calibration` and `tenon run --inputs` take it."""
        beside = self.folder / "given.npz"
        numpy.savez(beside, **{name: numpy.stack([step[name] for step in self.given]) for name in self.shapes})
        os.replace(beside, file)


def read_pieces(file):
    """Of words, one a line; bytes are written as <0x0A>."""
    lines = file.read_text(encoding="utf-8").split("\n")
    if not lines[-1]:
        lines.pop()
    escapes = [re.fullmatch("<0x([0-9A-Fa-f]{2})>", line) for line in lines]
    return [bytes.fromhex(escape[1]) if escape else line.encode() for line, escape in zip(lines, escapes)]


def tell(decoder, pieces, tokens):
    story, position = [1], 0  # the token before a text
    while len(story) <= tokens:
        # Where no position is left, half of them hear the end of the story again.
        again = story[-1:]
        if position == decoder.positions:
            again, position = story[-position // 2:], 0
        for token in again:
            following = decoder.next(token, position)
            position += 1
        story.append(following)
        sys.stdout.buffer.write(pieces[following])
        sys.stdout.flush()
    print()


def figures(tokens, reports, each, seconds):
    """`each`: multiply-accumulates of the network in a run, where they are known."""
    cycles, launches, there = (sum(report[key] for report in reports) for key in ("cycles", "launches", "macs"))
    simulated = sum(report["host"]["simulate_ms"] for report in reports) / 1000
    if each and launches:
        macs = each * len(reports)
        print(f"{launches / tokens:g} launches a token; {there:,} of {macs:,} multiply-accumulates ({there / macs:.2%}) on the accelerator")
    if cycles:
        print(f"{tokens} tokens in {cycles:,} cycles: {1e6 * tokens / cycles:.2f} tokens per million cycles")
    print(f"{len(reports)} runs in {seconds:.1f} s, {simulated:.1f} s of it simulation")


def main():
    parser = argparse.ArgumentParser(prog="on_rtl", description="Tells a story, a `tenon run` a token.")
    parser.add_argument("network", type=pathlib.Path, help="ONNX file of a decoder: token, position, caches; scores, caches")
    parser.add_argument("pieces", type=pathlib.Path, help="its pieces of words, one a line")
    parser.add_argument("--target", default="rtl", help="as of `tenon run` (default: rtl)")
    parser.add_argument("--tokens", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--save", type=pathlib.Path, metavar="FILE.npz", help="what the network was given at each step")
    arguments = parser.parse_args()
    if arguments.tokens < 1:
        parser.error("--tokens must be 1 or more")
    pieces = read_pieces(arguments.pieces)
    beside = arguments.save.parent if arguments.save else None
    with tempfile.TemporaryDirectory(prefix=".story", dir=beside) as folder:
        decoder = Decoder(arguments.network, arguments.target, pathlib.Path(folder))
        if len(pieces) < decoder.choices:
            raise Failure(f"'{arguments.pieces}' has {len(pieces)} lines; the network chooses among {decoder.choices} pieces")
        start = time.monotonic()
        tell(decoder, pieces, arguments.tokens)
        figures(arguments.tokens, decoder.reports, decoder.macs, time.monotonic() - start)
        if arguments.save:
            decoder.save(arguments.save)


if __name__ == "__main__":
    run("on_rtl", main)
