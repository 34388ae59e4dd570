# Part of Tenon, under the Apache License v2.0.
"""Every case of Debian's libonnx-testdata does what missing/libonnx-testdata.txt says."""
import pytest

import data_cases
from conformance import surprises


@pytest.mark.skipif(not data_cases.FOLDER.is_dir(), reason="libonnx-testdata is not installed: ./dev setup test")
def test_every_case():
    assert not surprises(data_cases)
