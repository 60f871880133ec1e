"""How a summary's bins lie on the score scale: one monotone map, the same on every engine.

The map is made of correctly rounded operations (+, -, *, /, square root) only, each
monotone, so that a score falls into the same bin wherever it is computed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc._thresholds import FloatArray

__all__ = ["bin_edges", "bin_expression", "bin_of"]

Layout = tuple[float, float] | None


def bin_expression(s: Any, bins: int, layout: Layout, maximum: Any, sqrt: Any) -> Any:
    """The bin of scores `s`, a float of whole value; `maximum(x, y)` clips from below.

    Without a layout the mean of four maps of the real line into [0, 1]: uniform on [0, 1],
    fine near 0 and near 1, and of the scales 1 and 100 on the whole line. Each has a quarter
    of the bins.
    """
    if layout is not None:
        low, high = layout
        return ((s - low) / (high - low)) * bins
    inside = -maximum(-maximum(s, 0.0), -1.0)
    near_zero = sqrt(sqrt(sqrt(sqrt(inside))))
    near_one = 1.0 - sqrt(sqrt(sqrt(sqrt(1.0 - inside))))
    up, down = maximum(s, 0.0), maximum(-s, 0.0)
    real = [1.0 / (1.0 + down / c) - 1.0 / (1.0 + up / c) for c in (1.0, 100.0)]
    ends = 0.5 * inside + 0.25 * near_zero + 0.25 * near_one
    return (0.5 * ends + 0.25 * (0.5 * real[0] + 0.5) + 0.25 * (0.5 * real[1] + 0.5)) * bins


def bin_of(s: FloatArray, bins: int, layout: Layout) -> npt.NDArray[np.int64]:
    """The bin of each score, 0 to bins - 1; what lies beyond goes to the outermost."""
    with np.errstate(over="ignore"):  # far beyond a layout is infinitely far
        place = np.floor(bin_expression(s, bins, layout, np.maximum, np.sqrt))
    return np.asarray(np.clip(place, 0, bins - 1), dtype=np.int64)


@lru_cache(maxsize=8)
def bin_edges(bins: int, layout: Layout) -> FloatArray:
    """The largest number of each bin but the last, whose edge is infinite; ascending."""
    low = np.full(bins - 1, _ordered(np.array([-np.inf]))[0])
    high = np.full(bins - 1, _ordered(np.array([np.inf]))[0])
    wanted = np.arange(1, bins)
    # The last number below each border, by bisection over all doubles.
    for _ in range(65):
        middle = low + ((high - low) >> np.uint64(1))
        below = bin_of(_double(middle), bins, layout) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    edges = np.append(_double(low), np.inf)
    edges.flags.writeable = False
    return edges


def _ordered(x: FloatArray) -> npt.NDArray[np.uint64]:
    """Doubles as integers in the same order."""
    bits = x.view(np.uint64)
    top = np.uint64(1 << 63)
    return np.where(bits & top, ~bits, bits | top)


def _double(order: npt.NDArray[np.uint64]) -> FloatArray:
    top = np.uint64(1 << 63)
    return np.where(order & top, order & ~top, ~order).view(np.float64)
