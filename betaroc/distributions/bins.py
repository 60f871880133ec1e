"""Scores counted in bins of equal width: exact ranks and counts without a sort of all of them.

A bin is the whole part of a score times a power of two. That never falls from a
lower score to a higher one, so what lies in a lower bin is the lower score, also
where the product rounds; only the scores of the bins that are asked about are sorted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray, IntArray

#: At most 2**15 bins, whose numbers need two bytes.
_BITS = 15
#: Scales are powers of two between these, where a product with a score is meaningful.
_LARGEST = 900
#: Up to here the whole part of a float64 is an integer without doubt.
_EXACT = 2.0**52
#: Where more than this part of all pairs of scores share a bin, sort them.
_CROWDED = 1.0 / 400.0
#: Two samples of so many scores are counted in 32 bits.
_MOST = 2**30
#: Scores that are worked on at once, in the processor's cache.
_BLOCK = 2**13
#: So few places or bins are compared with all scores one by one.
_ONE_BY_ONE = 6
#: Two samples with more common bins than this hardly overlap.
_WIDEST = 2**17
#: A sort of all scores pays after as many passes over them.
_PASSES = 24


@dataclass(frozen=True, eq=False)
class SortedBins:
    """The scores of some bins, sorted.

    Parameters
    ----------
    bins : ndarray of int, shape (k,)
        Which bins, ascending.
    scores : ndarray
        All scores in them, ascending.
    skipped : ndarray of int, shape (k,)
        For each the number of scores in lower bins that are left out.
    """

    bins: IntArray
    scores: FloatArray
    skipped: IntArray

    def left_out(self, bins: IntArray) -> IntArray:
        """Number of scores left out below some of its bins."""
        return self.skipped[np.searchsorted(self.bins, bins)]

    def holds(self, bins: IntArray) -> bool:
        """Whether it has the scores of all these bins."""
        at = np.minimum(np.searchsorted(self.bins, bins), self.bins.size - 1)
        return self.bins.size > 0 and bool(np.all(self.bins[at] == bins))


class Bins:
    """Counts of a sample in bins, and its scores in any of them.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Finite scores.
    low, high : float
        The least and the largest of them.
    scale : float
        Bins to the unit, a power of two.
    """

    def __init__(self, values: FloatArray, low: float, high: float, scale: float) -> None:
        self.values, self.low, self.high, self.scale = values, low, high, scale
        #: The number of the first bin on the axis.
        self.first = math.trunc(low * scale)
        size = math.trunc(high * scale) - self.first + 1
        self._bin = np.empty(values.size, dtype=np.uint16)
        below = np.zeros(size + 1, dtype=np.int32)
        block = np.empty(_BLOCK)
        with np.errstate(under="ignore"):
            for start in range(0, values.size, _BLOCK):
                some = values[start : start + _BLOCK]
                place = np.multiply(some, scale, out=block[: some.size]).astype(np.int64)
                place -= self.first
                self._bin[start : start + _BLOCK] = place
                below[1:] += np.bincount(place, minlength=size).astype(np.int32)
        #: Number of scores in lower bins, and of all.
        self.below: IntArray = np.cumsum(below, out=below)
        nothing = np.empty(0, dtype=np.int64)
        self._part = SortedBins(nothing, np.empty(0), nothing)
        self._passes = 0

    @classmethod
    def of(cls, values: FloatArray) -> Bins | None:
        """Bins across the range of the scores; None where they would not tell scores apart."""
        low, high = float(np.min(values)), float(np.max(values))
        exponent = min(_BITS, values.size.bit_length() - 1) - math.frexp(high - low)[1]
        if not 0.0 < high - low < math.inf or abs(exponent) > _LARGEST:
            return None
        scale = math.ldexp(1.0, exponent)
        if values.size > _MOST or not max(abs(low), abs(high)) * scale < _EXACT:
            return None
        bins = cls(values, low, high, scale)
        held = np.diff(bins.below).astype(np.int64)  # a product of integers takes no threads
        return None if np.dot(held, held) > _CROWDED * values.size**2 else bins

    def coarser(self, scale: float) -> Bins:
        """The same scores in bins that are as wide or wider."""
        return self if scale == self.scale else Bins(self.values, self.low, self.high, scale)

    @property
    def worn(self) -> bool:
        """Whether so many passes were made that the next ones cost more than a sort."""
        return self._passes >= _PASSES

    @property
    def size(self) -> int:
        """Number of bins."""
        return self.below.size - 1

    def bin_of(self, x: FloatArray) -> IntArray:
        """The bins of places; the first or the last of what lies beyond, nan in the last."""
        with np.errstate(over="ignore", under="ignore"):
            place = np.trunc(x * self.scale) - self.first
        return np.asarray(np.fmax(np.fmin(place, self.size - 1), 0.0), dtype=np.int64)

    def part(self, bins: IntArray) -> SortedBins:
        """The scores of at least these bins."""
        part = self._part
        if not part.holds(bins):
            part = self._part = self.cut(np.unique(bins))
        return part

    def cut(self, bins: IntArray) -> SortedBins:
        """The scores of these bins, distinct and ascending, and no others."""
        self._passes += 1
        scores = np.sort(self.values[self._within(bins)])
        held = self.below[bins + 1] - self.below[bins]
        return SortedBins(bins, scores, self.below[bins] - (np.cumsum(held) - held))

    def _within(self, bins: IntArray) -> BoolArray:
        """Which scores lie in these bins."""
        if bins.size > _ONE_BY_ONE:
            wanted = np.zeros(self.size, dtype=np.bool_)
            wanted[bins] = True
            return wanted.take(self._bin)
        found = np.zeros(self.values.size, dtype=np.bool_)
        for k in bins.astype(np.uint16):
            found |= self._bin == k
        return found

    def at_most(self, x: FloatArray) -> IntArray:
        """Number of scores <= x, all of them where x is nan."""
        if x.size <= _ONE_BY_ONE:
            self._passes += 1
            above = [np.count_nonzero(self.values > place) for place in x.flat]
            return np.asarray(self.values.size - np.array(above, dtype=np.int64).reshape(x.shape))
        bins = self.bin_of(x)
        part = self.part(bins)
        return np.asarray(part.left_out(bins) + np.searchsorted(part.scores, x, side="right"))

    def of_rank(self, rank: IntArray) -> FloatArray:
        """The scores of ranks 1, ..., n in ascending order."""
        bins = np.searchsorted(self.below, rank, side="left") - 1
        part = self.part(bins)
        return np.asarray(part.scores[rank - 1 - part.left_out(bins)])


class CommonBins:
    """Two samples in the same bins.

    Parameters
    ----------
    samples : (Bins, Bins)
        With one scale.
    """

    def __init__(self, samples: tuple[Bins, Bins]) -> None:
        self.samples = samples
        self._first = min(bins.first for bins in samples)
        end = max(bins.first + bins.size for bins in samples)
        self.size = end - self._first
        one, other = (self._aligned(bins) for bins in samples)
        #: Of each sample the number of scores in lower bins, and of all.
        self.below: tuple[IntArray, IntArray] = one, other

    @classmethod
    def of(cls, one: Bins | None, other: Bins | None) -> CommonBins | None:
        """The wider of both scales; None if a sample has no bins or hardly any in common."""
        if one is None or other is None:
            return None
        scale = min(one.scale, other.scale)
        low, high = min(one.low, other.low), max(one.high, other.high)
        if not max(abs(low), abs(high)) * scale < _EXACT or (high - low) * scale > _WIDEST:
            return None
        return cls((one.coarser(scale), other.coarser(scale)))

    def bin_of(self, x: FloatArray) -> IntArray:
        """The bins of some of the scores."""
        with np.errstate(under="ignore"):
            return (x * self.samples[0].scale).astype(np.int64) - self._first

    def cut(self, bins: IntArray) -> tuple[SortedBins, SortedBins]:
        """The scores of both samples in these bins, distinct and ascending."""
        one, other = (self._cut(sample, bins) for sample in self.samples)
        return one, other

    def _cut(self, sample: Bins, bins: IntArray) -> SortedBins:
        own = bins - (sample.first - self._first)
        inside = (own >= 0) & (own < sample.size)
        part = sample.cut(own[inside])
        skipped = np.where(own < 0, 0, sample.values.size - part.scores.size)
        skipped[inside] = part.skipped
        return SortedBins(bins, part.scores, skipped)

    def _aligned(self, sample: Bins) -> IntArray:
        """Scores of a sample in lower bins, on the common axis."""
        result = np.full(self.size + 1, sample.values.size, dtype=np.int32)
        start = sample.first - self._first
        result[:start] = 0
        result[start : start + sample.size] = sample.below[:-1]
        return result
