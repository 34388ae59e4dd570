#!/usr/bin/env python3
# Part of Tenon, under the Apache License v2.0.
"""Says which atom of a reaction's products was which of its reactants', by the command line, which has the simulated RTL that the library
has not: a `tenon run` a reaction. Exit codes: those of `tenon`; 1 also where the network, its vocabulary or a reaction is bad, 2 the command
line."""
import argparse
import json
import pathlib
import sys
import tempfile

import numpy

from drawing import draw
from mapping import confidence, map_atoms
from smiles import NotAReaction, parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "command"))
from command import Failure, run, tenon  # noqa: E402


class Network:
    """Of token numbers and a mask, 1xN both; one of its outputs is the attention of a layer, 1xHEADSxNxN."""

    def __init__(self, file, vocabulary, target, head, folder):
        self.file, self.target, self.folder = file, target, folder
        facts = json.loads(tenon("inspect", file, "--json=-"))
        inputs, outputs = ({each["name"]: [int(extent) if extent.isdigit() else 0 for extent in each["shape"]] for each in facts[side]}
                           for side in ("inputs", "outputs"))
        self.inputs, shapes = list(inputs), list(inputs.values())
        self.length = shapes[0][-1]
        found = [i for i, shape in enumerate(outputs.values()) if len(shape) == 4 and shape[2:] == [self.length] * 2]
        if shapes != [[1, self.length]] * 2 or not self.length or len(found) != 1:
            raise Failure(f"'{file}' does not take tokens and a mask, 1xN, and give attention, 1xHEADSxNxN")
        [self.output], heads = found, list(outputs.values())[found[0]][1]
        if not 0 <= head < heads:
            raise Failure(f"'{file}' has heads 0 to {heads - 1}, not {head}")
        self.head = head
        self.numbers = {token: i for i, token in enumerate(vocabulary.read_text(encoding="utf-8").splitlines())}

    def compile(self):
        tenon("compile", self.file, "-o", self.folder / "network.tenon")

    def encode(self, tokens):
        """Their numbers, of them what there is to look at; filled up to the network's length."""
        text = ["[CLS]", *tokens, "[SEP]"]
        unknown = [token for token in [*text, "[PAD]"] if token not in self.numbers]
        if unknown:
            raise Failure(f"'{unknown[0]}' is not in the vocabulary")
        if len(text) > self.length:
            raise Failure(f"the reaction has {len(tokens)} tokens; the network has room for {self.length - 2}")
        fill = self.length - len(text)
        return [self.numbers[token] for token in text] + [self.numbers["[PAD]"]] * fill, [1] * len(text) + [0] * fill

    def attention(self, encoded):
        """What each token of the reaction looks at, its beginning and end left out."""
        options = []
        for name, value in zip(self.inputs, encoded):
            numpy.save(self.folder / f"{name}.npy", numpy.array([value], numpy.int64))
            options.append(f"--input={name}={self.folder / name}.npy")
        tenon("run", self.folder / "network.tenon", f"--target={self.target}", "--check=none", f"--output-dir={self.folder}", "--json=-",
              *options)
        inside = slice(1, sum(encoded[1]) - 1)
        return numpy.load(self.folder / f"output_{self.output}.npy")[0, self.head, inside, inside]


def table(reaction, pairs):
    """A line an atom of the products; atoms are numbered from 1 on either side."""
    of = {pair.product: pair for pair in pairs}
    for i, atom in enumerate(reaction.products.atoms):
        text = reaction.tokens[atom.token]
        if i in of:
            origin = reaction.reactants.atoms[of[i].reactant]
            print(f"{i + 1:4} {text:8} from {of[i].reactant + 1:3} {reaction.tokens[origin.token]:8} {of[i].confidence:4.2f}  "
                  f"{reaction.reactants.molecules[origin.molecule]}")
        else:
            print(f"{i + 1:4} {text:8} from nowhere")
    print(f"confidence {confidence(pairs):.3f}")


def main():
    parser = argparse.ArgumentParser(prog="map_atoms", description="Maps the atoms of reactions, a `tenon run` each.")
    parser.add_argument("network", type=pathlib.Path, help="ONNX file of rxnmapper's encoder: tokens, mask; attention")
    parser.add_argument("vocabulary", type=pathlib.Path, help="its tokens, one a line")
    parser.add_argument("reactions", nargs="+", metavar="REACTION", help="in SMILES, as RDKit writes it: REACTANT.REACTANT>>PRODUCT")
    parser.add_argument("--target", default="functional", help="as of `tenon run` (default: functional)")
    parser.add_argument("--head", type=int, default=5, help="whose attention maps atoms (default: 5, of rxnmapper)")
    parser.add_argument("--svg", type=pathlib.Path, metavar="FILE.svg", help="a picture of the reactions")
    arguments = parser.parse_args()
    try:
        reactions = [parse(text) for text in arguments.reactions]
    except NotAReaction as error:
        raise Failure(str(error))
    with tempfile.TemporaryDirectory(prefix="reaction") as folder:
        network = Network(arguments.network, arguments.vocabulary, arguments.target, arguments.head, pathlib.Path(folder))
        encoded, mapped = [network.encode(reaction.tokens) for reaction in reactions], []
        network.compile()
        for text, reaction, given in zip(arguments.reactions, reactions, encoded):
            mapped.append((reaction, map_atoms(reaction, network.attention(given))))
            print(text)
            table(*mapped[-1])
    if arguments.svg:
        draw(arguments.svg, mapped)


if __name__ == "__main__":
    run("map_atoms", main)
