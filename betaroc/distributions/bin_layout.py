"""How a summary's bins lie on the score scale: one monotone map, the same on every engine.

The map is made of correctly rounded operations (+, -, *, /, square root) only, each
monotone, so that a score falls into the same bin wherever it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import FloatArray, IntArray

Layout = tuple[float, float] | None
#: The largest number of bins.
MOST_BINS = 1 << 20
#: Scores at a time, for the processor's cache.
_BLOCK = 1 << 14
#: From a column by its name to new columns.
Step = Callable[[Callable[[str], Any]], dict[str, Any]]


def bin_steps(bins: int, layout: Layout, clip: Any, sqrt: Any) -> Iterator[Step]:
    """The bin of scores `s`, before its floor, in columns made one after another; last is `bin`.

    `clip(x, low, high)` may have no high. Without a layout the mean of four maps of the real line
    into [0, 1]: uniform on [0, 1], fine near 0 and near 1, and of the scales 1 and 100 on the
    whole line. Each has a quarter of the bins. Steps are short, since some engines write an
    operand out twice.
    """
    if layout is None:
        yield lambda c: {
            "inside": clip(c("s"), 0.0, 1.0),
            "up": clip(c("s"), 0.0, None), "down": clip(0.0 - c("s"), 0.0, None),
        }  # fmt: skip
        yield lambda c: {
            "near_zero": sqrt(c("inside")), "near_one": sqrt(1.0 - c("inside")),
            "up100": c("up") / 100.0, "down100": c("down") / 100.0,
        }  # fmt: skip
        for _ in range(3):
            yield lambda c: {k: sqrt(c(k)) for k in ("near_zero", "near_one")}
        yield lambda c: {
            "real1": 1.0 / (1.0 + c("down")) - 1.0 / (1.0 + c("up")),
            "real100": 1.0 / (1.0 + c("down100")) - 1.0 / (1.0 + c("up100")),
            "ends": 0.5 * c("inside") + 0.25 * c("near_zero") + 0.25 * (1.0 - c("near_one")),
        }
        yield lambda c: {
            "bin": (
                0.5 * c("ends")
                + 0.25 * (0.5 * c("real1") + 0.5)
                + 0.25 * (0.5 * c("real100") + 0.5)
            )
            * bins
        }
    else:
        low, high = layout
        yield lambda c: {"bin": ((c("s") - low) / (high - low)) * bins}
    yield lambda c: {"bin": clip(c("bin"), 0.0, bins - 1.0)}


def _clip(x: FloatArray, low: float, high: float | None) -> FloatArray:
    above = np.maximum(x, low)
    return above if high is None else np.minimum(above, high, out=above)


def bin_of(s: FloatArray, bins: int, layout: Layout) -> IntArray:
    """The bin of each score, 0 to bins - 1; what lies beyond goes to the outermost."""
    found = np.empty(s.shape, dtype=np.int64)
    with np.errstate(over="ignore"):  # far beyond a layout is infinitely far
        for start in range(0, s.size, _BLOCK):
            columns: dict[str, Any] = {"s": s[start : start + _BLOCK]}
            for step in bin_steps(bins, layout, _clip, np.sqrt):
                columns |= step(columns.__getitem__)
            found[start : start + _BLOCK] = columns["bin"]
    return found


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
