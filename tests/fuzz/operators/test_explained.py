# Part of Tenon, under the Apache License v2.0.
"""What excuses a difference to onnxruntime holds for such nodes alone."""
import types

import numpy as np
import pytest
from onnx import helper

import explained


def resized(shape, to, scales=None, **attributes):
    """A network of one Resize."""
    arrays = {"x": np.zeros(shape, np.float32), "scales": np.float32([] if scales is None else scales), "y": np.zeros(to, np.float32)}
    node = helper.make_node("Resize", ["x", "", "scales" if scales else "", "" if scales else "sizes"], ["y"], **attributes)
    return types.SimpleNamespace(nodes=[node], values={name: types.SimpleNamespace(array=a, shape=a.shape) for name, a in arrays.items()})


@pytest.mark.parametrize("network, holds", [
    (resized([7], [1], nearest_mode="floor"), True),   # at 3: onnxruntime is at 2.9999998
    (resized([7], [1], nearest_mode="ceil"), True),
    (resized([7], [1]), False),                        # the nearest of 3 is 3
    (resized([6], [4], nearest_mode="floor"), False),  # at 0.25, 1.75, 3.25, 4.75
    (resized([6], [3]), True),                         # at 0.5
    (resized([6], [4], coordinate_transformation_mode="asymmetric"), True),                     # at 1.5
    (resized([5], [4], coordinate_transformation_mode="align_corners"), False),                 # at 0, 4/3, 8/3, 4
    (resized([5], [3], coordinate_transformation_mode="align_corners", nearest_mode="floor"), True),
    (resized([5], [1], scales=[0.3], nearest_mode="floor"), False),                             # at 1.16
    (resized([7], [1], mode="linear"), False),
    (resized([7], [7], nearest_mode="floor"), False),  # nothing moves
])
def test_nearest_elements_that_a_rounded_coordinate_misses(network, holds):
    assert explained.lies_where_nearest_changes(network) == holds
