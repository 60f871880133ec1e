"""What likelihoods need of a sample: mean logarithms, their centred form, two moments."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.polygamma import log1p_excess_array

#: Up to so many terms are summed without rounding.
EXACT_SUM = 100_000
#: Scores in memory at once, with their complements.
_BLOCK = 1 << 16
#: Up to here the calls cost more than the logarithms.
_SMALL = 1 << 14
#: Factors of a product at most, and products in a row at least.
_FACTORS, _COLUMNS = 64, 64
#: A product below this may have lost digits to underflow.
SAFE_PRODUCT = 1e-280
#: A product of twice as many factors is still safe.
_ROOMY = 1e-140
#: Above this mean logarithm, the 2**-52 a score that rounding of 1 - x and of products can cost
#: would show in the 15th digit.
_LOSSY = -0.3
_BITS_OF_ONE = np.float64(1.0).view(np.uint64)


def sample_mean_logs(
    x: FloatArray, weights: FloatArray | None, total: float
) -> tuple[float, float]:
    """Mean of log(x) and of log(1 - x), to about 1e-15 relative.

    All terms have one sign, so pairwise summation is as good as exact. Large
    samples take one logarithm for up to 64 scores, where that loses nothing.
    """
    if weights is None and x.size > _SMALL:
        sums = row_sums(x[np.newaxis])
        return float(sums[0][0]) / total, float(sums[1][0]) / total
    log, log1m = _plain_sums(x, weights)
    return log / total, log1m / total


def _plain_sums(x: FloatArray, weights: FloatArray | None) -> tuple[float, float]:
    if x.size > _BLOCK:
        starts = range(0, x.size, _BLOCK)
        cut = [slice(i, i + _BLOCK) for i in starts]
        parts = [_plain_sums(x[s], None if weights is None else weights[s]) for s in cut]
        return math.fsum(p for p, _ in parts), math.fsum(q for _, q in parts)
    logs = np.empty((2, x.size))
    np.log(x, logs[0])
    log1m(x, logs[1])
    if weights is not None:
        logs *= weights
    sums = np.add.reduce(logs, 1).tolist()
    return sums[0], sums[1]


def row_sums(x: FloatArray, known: bool = True) -> tuple[FloatArray, FloatArray]:
    """Sums of log(x) and of log(1 - x) of every row, in one pass and in bounded memory.

    If the scores are not ``known`` to be inside (0, 1), both sums of a row that are finite say
    that its scores are: a product shows a 0, and the bits of a double all that is not below 1.
    """
    rows, n = x.shape
    sums = np.empty((2, rows))
    step = max(1, _BLOCK // n)
    room = np.empty(min(step * n, _BLOCK))
    both = _Products(), _Complements()

    def of_block(block: FloatArray) -> list[FloatArray]:
        # Whether all are in [0, 1): the bits of nan and of what has a sign are larger than those.
        if not known and np.maximum.reduce(block.view(np.uint64), axis=None) >= _BITS_OF_ONE:
            return [np.full(block.shape[0], np.nan)] * 2
        here = room[: block.size].reshape(block.shape)
        return [one.sums(block, here) for one in both]

    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        for first in range(0, rows, step):
            some = x[first : first + step]
            if n <= _BLOCK:
                sums[:, first : first + step] = of_block(some)
            else:
                sums[:, first] = _total(
                    of_block(some[:, i : i + _BLOCK]) for i in range(0, n, _BLOCK)
                )
    return sums[0], sums[1]


def _total(parts: Iterable[list[FloatArray]]) -> list[float]:
    """Sums of pairs of one-row parts, their rounding errors added at the end."""
    sums, lost = [0.0, 0.0], [0.0, 0.0]
    for part in parts:
        for k in (0, 1):
            term, old = float(part[k][0]), sums[k]
            sums[k] = new = old + term
            seen = new - old
            lost[k] += (old - (new - seen)) + (term - seen)
    return [s + e for s, e in zip(sums, lost, strict=True)]


def log1m(x: FloatArray, out: FloatArray) -> FloatArray:
    """log(1 - x), which is accurate where x is tiny."""
    np.negative(x, out)
    return np.log1p(out, out)


class _Products:
    """Row sums of log(x), from logarithms of products of scores where that is safe.

    A product that underflows halves the number of its factors, and roomy ones double it again;
    factors near 1 are not multiplied at all.
    """

    def __init__(self) -> None:
        self._count = _FACTORS

    def _factors(self, x: FloatArray, room: FloatArray) -> FloatArray:
        return x

    def _plain(self, x: FloatArray, room: FloatArray) -> FloatArray:
        return np.log(x, out=room)

    def sums(self, x: FloatArray, room: FloatArray) -> FloatArray:
        """The sums of a block; ``room`` is of its shape."""
        n, total, least = x.shape[1], None, 0.0
        most = max(1, n // _COLUMNS)
        count = min(self._count, most)
        factors = self._factors(x, room) if count > 1 else x
        while count > 1:
            product = product_of(factors, count)
            least = float(np.minimum.reduce(product, axis=None))
            if least >= SAFE_PRODUCT:
                total = np.add.reduce(np.log(product, out=product), axis=1)
                break
            count //= 2
        dense = total is not None and float(np.maximum.reduce(total)) <= _LOSSY * n
        if total is None or not dense:
            count, total = 1, np.add.reduce(self._plain(x, room), axis=1)
            dense = most > 1 and float(np.maximum.reduce(total)) <= _LOSSY * n
            least = float(np.minimum.reduce(self._factors(x, room), axis=None)) if dense else 0.0
        self._count = min(2 * count, _FACTORS) if dense and least > _ROOMY else count
        return np.asarray(total)


class _Complements(_Products):
    """Row sums of log(1 - x)."""

    def _factors(self, x: FloatArray, room: FloatArray) -> FloatArray:
        return np.subtract(1.0, x, out=room)

    def _plain(self, x: FloatArray, room: FloatArray) -> FloatArray:
        return log1m(x, room)


def product_of(factors: FloatArray, count: int) -> FloatArray:
    """``factors`` in ``count`` equal parts, multiplied; what is left over is multiplied in."""
    rows, n = factors.shape
    columns = n // count
    whole = count * columns
    product = np.multiply.reduce(factors[:, :whole].reshape(rows, count, columns), axis=1)
    if whole < n:
        product[:, : n - whole] *= factors[:, whole:]
    return np.asarray(product)


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


def mean_of(values: FloatArray, weights: FloatArray | None, total: float) -> float:
    """Weighted mean, exact up to rounding for 100 000 values."""
    parts = values if weights is None else weights * values
    if parts.size <= EXACT_SUM:
        return math.fsum(parts.tolist()) / total
    return float(parts.sum()) / total


def moments(
    values: FloatArray, weights: FloatArray | None, total: float, low: float, high: float
) -> tuple[float, float]:
    """Mean and standard deviation (divisor n), without overflow and without cancellation."""
    _, exponent = math.frexp(max(abs(low), abs(high)))
    scaled = np.ldexp(values, -exponent)
    centre = mean_of(scaled, weights, total)
    away = scaled - centre
    width = float(np.abs(away).max())
    if width == 0.0:
        return math.ldexp(centre, exponent), 0.0
    residual = mean_of(away, weights, total)
    spread = mean_of((away / width) ** 2, weights, total) - (residual / width) ** 2
    return math.ldexp(centre, exponent), math.ldexp(width * math.sqrt(spread), exponent)


def means_of_drawn(x: FloatArray, counts: IntArray) -> FloatArray:
    """Means of the columns of `x`, its rows drawn so many times; 0 of none."""
    total = np.maximum(np.sum(counts, axis=1, keepdims=True), 1)
    return np.asarray(counts.astype(np.float64) @ x / total)
