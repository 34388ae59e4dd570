# Part of Tenon, under the Apache License v2.0.
"""Reactions as text: REACTANT.REACTANT>>PRODUCT, each molecule in SMILES (Weininger, J. Chem. Inf. Comput. Sci. 1988, 28, 31)."""
import dataclasses
import re

# Atoms in brackets, those that need none, bonds, branches, rings; '~' holds parts of a salt together.
TOKEN = re.compile(r"\[[^]]+]|Br|Cl|[BCNOSPFIbcnops]|>>|%\d\d|[0-9().=#:/\\~+-]")
ELEMENT = re.compile(r"\[?\d*(se|as|[bcnops](?![a-z])|[A-Z][a-z]?)")


class NotAReaction(ValueError):
    pass


@dataclasses.dataclass
class Atom:
    token: int  # which one of the text it is
    element: str
    molecule: int  # counted from 0 on each side


@dataclasses.dataclass
class Side:
    """The atoms in front of or behind >>, and the pairs of them that a bond joins."""
    atoms: list
    bonds: set
    molecules: list  # texts


@dataclasses.dataclass
class Reaction:
    tokens: list
    reactants: Side
    products: Side


def tokenize(text):
    tokens, at = [], 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if not token:
            raise NotAReaction(f"'{text}' is no SMILES: '{text[at]}' at character {at + 1}")
        tokens.append(token[0])
        at = token.end()
    return tokens


def parse_side(tokens, first):
    """Of tokens that begin with the text's number `first`."""
    atoms, bonds, branches, rings, last, molecule = [], set(), [], {}, None, 0
    for i, token in enumerate(tokens):
        element = ELEMENT.match(token)
        if token in ".~":
            last, molecule = None, molecule + (token == ".")
        elif token == "(":
            branches.append(last)
        elif token == ")":
            if not branches:
                raise NotAReaction("a branch ends that none began")
            last = branches.pop()
        elif token[0] == "%" or token.isdigit():
            if token not in rings:
                rings[token] = last
            else:
                bonds.add((rings.pop(token), last))
        elif element:
            atoms.append(Atom(first + i, element[1].capitalize(), molecule))
            if last is not None:
                bonds.add((last, len(atoms) - 1))
            last = len(atoms) - 1
    if rings or branches:
        raise NotAReaction("a ring or a branch does not end")
    if any(atom is None for bond in bonds for atom in bond) or not atoms:
        raise NotAReaction("a molecule has no atom where it needs one")
    return Side(atoms, bonds, "".join(tokens).split("."))


def parse(text):
    tokens = tokenize(text)
    if tokens.count(">>") != 1:
        raise NotAReaction(f"'{text}' is not REACTANTS>>PRODUCTS")
    middle = tokens.index(">>")
    try:
        return Reaction(tokens, parse_side(tokens[:middle], 0), parse_side(tokens[middle + 1:], middle + 1))
    except NotAReaction as error:
        raise NotAReaction(f"'{text}' is no SMILES: {error}") from None
