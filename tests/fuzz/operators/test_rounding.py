# Part of Tenon, under the Apache License v2.0.
"""How many terms an element is the sum of."""
import numpy as np
import pytest

import rounding


@pytest.mark.parametrize("equation, shapes, terms", [
    ("ij->", [(2, 3)], 6),
    ("ij,jk->ik", [(2, 3), (3, 5)], 3),
    ("ij,jk", [(2, 3), (3, 5)], 3),
    ("ij -> ji", [(2, 3)], 1),
    ("ii->i", [(4, 4)], 1),
    ("ii", [(4, 4)], 4),
    ("...ij,...jk->...ik", [(7, 2, 3), (7, 3, 5)], 3),
    ("b...i,bi->b", [(2, 7, 3), (2, 3)], 3),
    ("ij,j->i", [(2, 1), (5,)], 5),
])
def test_terms_of_an_einsum(equation, shapes, terms):
    assert rounding.by_summed_labels([np.zeros(shape) for shape in shapes], {"equation": equation.encode()}, None) == terms
