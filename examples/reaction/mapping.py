# Part of Tenon, under the Apache License v2.0.
"""Which atom of the reactants each atom of the products was, by where a network looks that learned to fill gaps in reactions (Schwaller,
Hoover, Reymond, Strobelt, Laino: Extraction of organic chemistry grammar from unsupervised learning of chemical reactions, Sci. Adv. 2021,
7, eabe4166)."""
import dataclasses

import numpy

NEIGHBOURS = 90  # the paper's factor for neighbours of atoms that are mapped


@dataclasses.dataclass
class Pair:
    product: int
    reactant: int  # numbers of atoms of their sides
    confidence: float  # the product atom's share of attention that the reactant atom has


def adjacency(side):
    matrix = numpy.zeros((len(side.atoms), len(side.atoms)), bool)
    for a, b in side.bonds:
        matrix[a, b] = matrix[b, a] = True
    return matrix


def map_atoms(reaction, attention):
    """Pairs in the order of the products' atoms, none for an atom that no atom of its element is left for. `attention` is of one head, a
    row what each of the text's tokens looks at. The surest pair is taken first; then neighbours of its atoms are likelier to be pairs."""
    products, reactants = reaction.products, reaction.reactants
    rows, columns = ([atom.token for atom in side.atoms] for side in (products, reactants))
    weights = attention[numpy.ix_(rows, columns)] + attention[numpy.ix_(columns, rows)].T
    elements = [numpy.array([atom.element for atom in side.atoms]) for side in (products, reactants)]
    weights = numpy.where(elements[0][:, None] == elements[1], weights, 0).astype(float)
    beside = adjacency(products), adjacency(reactants)
    pairs = []
    for _ in products.atoms:
        sums = weights.sum(1, keepdims=True)
        shares = numpy.divide(weights, sums, out=numpy.zeros_like(weights), where=sums > 0)
        product, reactant = numpy.unravel_index(shares.argmax(), shares.shape)
        if shares[product, reactant] == 0:
            break
        pairs.append(Pair(int(product), int(reactant), float(shares[product, reactant])))
        weights[numpy.ix_(beside[0][product], beside[1][reactant])] *= NEIGHBOURS
        weights[product], weights[:, reactant] = 0, 0
    return sorted(pairs, key=lambda pair: pair.product)


def confidence(pairs):
    return float(numpy.prod([pair.confidence for pair in pairs]))
