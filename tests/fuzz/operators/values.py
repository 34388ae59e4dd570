# Part of Tenon, under the Apache License v2.0.
"""Tensors of a random graph: what they hold, and how far another implementation may be off."""
import dataclasses

import ml_dtypes
import numpy as np
from onnx import TensorProto as T, helper

FLOATS = [np.dtype(t) for t in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)]
SIGNED = [np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64)]
UNSIGNED = [np.dtype(t) for t in (np.uint8, np.uint16, np.uint32, np.uint64)]
INTEGERS = SIGNED + UNSIGNED
BOOL = np.dtype(bool)
SMALL = [np.dtype(t) for t in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)]
ANY = FLOATS + INTEGERS + [BOOL]

LARGEST = {np.dtype(np.float16): 1e2, np.dtype(ml_dtypes.bfloat16): 1e3}
MOST_ELEMENTS = 2048
# How far inputs are moved to see what depends on their last bits, and how far at least an element may be off: in units of its type.
NUDGE = 16


class Unmet(Exception):
    """A constraint that the graph's values do not meet."""


def type_text(dtype):
    """As the schemas have it: tensor(float)."""
    return f"tensor({T.DataType.Name(helper.np_dtype_to_tensor_dtype(dtype)).lower()})"


def is_float(dtype):
    return dtype in FLOATS


def unit(dtype):
    return float(ml_dtypes.finfo(dtype).eps)


def around(array, by, random):
    """`array` and one on each side of it, as far away as `by` says in units of its type."""
    if not is_float(array.dtype):
        return [array] * 3
    step = random.choice([-1, 1], array.shape) * by * unit(array.dtype)
    wide = array.astype(np.float64)
    return [array] + [(wide * (1 + side * step)).astype(array.dtype) for side in (1, -1)]


@dataclasses.dataclass
class Value:
    """A tensor of the graph: `arrays` is what it holds, then what it holds for the two sets of inputs beside."""
    name: str
    arrays: list
    constant: bool = False
    open: bool = False  # an input whose extents may be open in the model
    exact: bool = True  # whoever computes it has these bits: it is given, or was moved, or is no float
    own: float = 0  # what the arithmetic of its node moved the sets beside, at most

    @property
    def array(self):
        return self.arrays[0]

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def shape(self):
        return self.array.shape

    @property
    def rank(self):
        return self.array.ndim

    def most(self):
        return float(np.abs(self.array.astype(np.float64)).max(initial=0))

    def moved(self):
        """How far the sets of inputs beside move an element at most."""
        wide = [a.astype(np.float64) for a in self.arrays]
        return max(float(np.abs(a - wide[0]).max(initial=0)) for a in wide[1:])

    def nearly(self):
        """How far another order of additions, or another last bit of a function, may be off."""
        return 4 * self.moved() + NUDGE * unit(self.dtype) * self.most()

    def bound(self):
        """How far another implementation may be off; None: not at all."""
        return None if self.exact else self.nearly()

    def shaken(self, random, all_values):
        """What another implementation may have here; of exact values only where all are asked for."""
        if not is_float(self.dtype) or (self.exact and not all_values):
            return self.array
        by = self.nearly() * random.uniform(-1, 1, self.shape)
        return (self.array.astype(np.float64) + by).astype(self.dtype)


    def merged(self, all_values, offset):
        """Values that another implementation may have as one are one: all on a grid as wide as they are uncertain, `offset` of its steps
        beside zero."""
        if not is_float(self.dtype) or (self.exact and not all_values) or not self.nearly():
            return self.array
        step = self.nearly()
        return ((np.round(self.array.astype(np.float64) / step + offset) - offset) * step).astype(self.dtype)


def check(value):
    """Whether the standard says what this is."""
    array = value.array
    if array.size > MOST_ELEMENTS:
        raise Unmet("too many elements")
    if any(a.shape != array.shape for a in value.arrays):
        raise Unmet("the shape depends on rounding")
    if not is_float(array.dtype):
        if any((a != array).any() for a in value.arrays):
            raise Unmet("an integer depends on rounding")
        return
    if not all(np.isfinite(a.astype(np.float64)).all() for a in value.arrays):
        raise Unmet("not a number")
    most = value.most()
    if most > LARGEST.get(array.dtype, 1e5) or 0 < most < 1e-3:
        raise Unmet("far from 1")
