"""What the beta likelihood needs of a sample: two mean logarithms, or their centred form."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betaroc._polygamma import log1p_excess_array
from betaroc._thresholds import FloatArray
from betaroc.fitting.contract import EXACT_SUM

_ROWS, _COLUMNS = 16, 2048
_BLOCK = _ROWS * _COLUMNS
#: A product of 16 scores below this may have lost digits to underflow.
_SAFE_PRODUCT = 1e-280
#: Above this mean logarithm, log(product) would lose relative accuracy.
_SAFE_MEAN = -0.01


def mean_logs(x: FloatArray, weights: FloatArray | None, total: float) -> tuple[float, float]:
    """Mean of log(x) and of log(1 - x), to about 1e-15 relative.

    All terms have one sign, so pairwise summation is as good as exact. Large
    samples take one logarithm for sixteen scores, where that loses nothing.
    """
    if weights is not None:
        sums = _plain_sums(x, weights)
    elif x.size < 2 * _BLOCK:
        sums = _plain_sums(x, None)
    else:
        sums = _product_sums(x)
        if max(sums) > _SAFE_MEAN * total:
            sums = _plain_sums(x, None)
    return sums[0] / total, sums[1] / total


def _plain_sums(x: FloatArray, weights: FloatArray | None) -> tuple[float, float]:
    if x.size > _BLOCK:
        starts = range(0, x.size, _BLOCK)
        cut = [slice(i, i + _BLOCK) for i in starts]
        parts = [_plain_sums(x[s], None if weights is None else weights[s]) for s in cut]
        return math.fsum(p for p, _ in parts), math.fsum(q for _, q in parts)
    logs, logs1m = np.log(x), np.log1p(-x)
    if weights is not None:
        logs, logs1m = weights * logs, weights * logs1m
    return float(np.add.reduce(logs)), float(np.add.reduce(logs1m))


def _product_sums(x: FloatArray) -> tuple[float, float]:
    whole = x.size - x.size % _BLOCK
    parts = [_plain_sums(x[whole:], None)] if whole < x.size else []
    for start in range(0, whole, _BLOCK):
        block = x[start : start + _BLOCK].reshape(_ROWS, _COLUMNS)
        below = np.multiply.reduce(block, axis=0)
        above = np.multiply.reduce(1.0 - block, axis=0)
        if min(below.min(), above.min()) < _SAFE_PRODUCT:
            parts.append(_plain_sums(x[start : start + _BLOCK], None))
        else:
            parts.append((float(np.log(below).sum()), float(np.log(above).sum())))
    return math.fsum(p for p, _ in parts), math.fsum(q for _, q in parts)


class Centred(NamedTuple):
    """A sample seen from m, a double near its mean, and u = 1 - m.

    ``shift`` is the mean of x - m; ``excess`` and ``excess1m`` are the means of
    log(x/m) - (x-m)/m and log((1-x)/u) + (x-m)/u: the second-order parts, in
    which all that a concentrated sample says about a + b is kept.
    """

    m: float
    u: float
    shift: float
    excess: float
    excess1m: float
    variance: float


def centre(x: FloatArray, weights: FloatArray | None, total: float) -> Centred:
    """The centred statistics of scores strictly inside (0, 1)."""
    m = float(np.average(x, weights=weights))
    u = 1.0 - m
    away = x - m
    share = 1.0 if weights is None else weights
    first = share * away
    shift = (math.fsum(first) if x.size <= EXACT_SUM else float(first.sum())) / total
    log_ratio, log_ratio1m = np.log(x) - math.log(m), np.log1p(-x) - math.log(u)
    excess = share * log1p_excess_array(away / m, log_ratio)
    excess1m = share * log1p_excess_array(-away / u, log_ratio1m)
    variance = float(np.sum(share * away * away)) / total
    return Centred(
        m, u, shift, float(excess.sum()) / total, float(excess1m.sum()) / total, variance
    )
