# Part of Tenon, under the Apache License v2.0.
"""Rules of signals: windows, Fourier transforms."""
import numpy as np

from values import Unmet


def window(g):
    operator = g.choose(["HannWindow", "HammingWindow", "BlackmanWindow"])
    g.schema(operator)
    g.emit(operator, [g.add_constant(np.int64(g.number(2, 12)))], periodic=g.number(0, 1))


def fourier(g):
    dtype = g.dtype(g.admitted("DFT"))
    batch, length, parts = g.number(1, 3), g.number(1, 8), g.number(1, 2)
    value = g.fresh(dtype, [batch, length, parts])
    which = {"inverse": 1} if g.chance(0.4) else {}
    if not which and parts == 1 and g.chance(0.4):
        which["onesided"] = 1
    count = g.integers(g.number(1, 9)) if g.chance(0.3) else None
    if g.opset < 20:
        g.emit("DFT", [value, *([count] if count else [])], axis=1, **which)
    else:
        g.emit("DFT", [value, count, *([g.integers(g.choose([1, -2]))] if g.chance(0.5) else [])], **which)


def short_fourier(g):
    if g.opset < 17:
        raise Unmet("no STFT")
    dtype = g.dtype(g.admitted("STFT"))
    frame = g.number(2, 5)
    signal = g.fresh(dtype, [g.number(1, 2), frame + g.number(0, 12), 1])
    window = g.fresh(dtype, [frame], 0.1, 1) if g.chance(0.5) else None
    step = g.integers(g.number(1, 4))
    given = [signal, step, window] + ([g.integers(frame)] if not window or g.chance(0.5) else [])
    g.emit("STFT", given, onesided=g.number(0, 1))


RULES = [(window, 0.5), (fourier, 1), (short_fourier, 0.5)]
