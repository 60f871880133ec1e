"""The ROC of two samples without weights, from one search of the smaller in the larger."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Staircase:
    """Where the distinct scores of one sample stand among all scores of another.

    Parameters
    ----------
    places : ndarray, shape (k,)
        Distinct scores of the smaller sample, ascending.
    own : ndarray of int, shape (k + 1,)
        Scores of the smaller sample below each place; all of them.
    below, upto : ndarray of int, shape (k,)
        Scores of the larger sample < and <= each place.
    other : ndarray, shape (n,)
        All scores of the larger sample, ascending.
    """

    places: FloatArray
    own: IntArray
    below: IntArray
    upto: IntArray
    other: FloatArray

    @property
    def doubled_wins(self) -> int:
        """2 P(smaller > larger) + P(smaller = larger), times the number of pairs: an integer."""
        return int(np.dot(np.diff(self.own), self.below + self.upto))

    def corners(self) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
        """The gaps at which the curve turns, and both ends, ascending.

        Returns
        -------
        low, high : ndarray
            The neighbouring scores; -inf and inf beyond the ends.
        own, other : ndarray of int
            Scores of the smaller and of the larger sample below the gap.
        """
        # Whether scores of the other sample come right below a place, right above it, on it.
        under = np.append(self.below[:1] > 0, self.below[1:] > self.upto[:-1])
        over = np.append(under[1:], self.upto[-1:] < self.other.size)
        tied = self.upto > self.below
        turning = np.append(tied[:-1] | over[:-1] | tied[1:], True)
        # The gaps right below and right above each place, in turn.
        kept = np.flatnonzero(np.stack([under, turning], axis=1))
        place, above = kept >> 1, kept & 1
        low, high = self.places[place], np.append(self.places, np.inf)[place + above]
        first, last = np.flatnonzero(above == 0), np.flatnonzero(over[place] & (above == 1))
        low[first] = self.other[self.below[place[first]] - 1]
        high[last] = self.other[self.upto[place[last]]]
        own = self.own[place + above]
        other = np.where(above, self.upto[place], self.below[place])
        end = self.other[-1:] if over[-1] else self.other[:0]
        return (
            np.concatenate([[-np.inf], low, end]),
            np.concatenate([[-np.inf], high, np.full(end.size, np.inf)]),
            np.concatenate([[0], own, np.full(end.size, self.own[-1])]),
            np.concatenate([[0], other, np.full(end.size, self.other.size)]),
        )


def staircase(smaller: FloatArray, larger: FloatArray) -> Staircase:
    """Of two ascending samples."""
    start = np.flatnonzero(np.append(True, smaller[1:] != smaller[:-1]))
    places = smaller[start]
    below = np.searchsorted(larger, places, side="left")
    tied = np.flatnonzero(larger[np.minimum(below, larger.size - 1)] == places)
    upto = below.copy()
    upto[tied] = np.searchsorted(larger, places[tied], side="right")
    return Staircase(places, np.append(start, smaller.size), below, upto, larger)


def balance(client: FloatArray, impostor: FloatArray) -> tuple[float, float]:
    """The neighbours of the gap of least abs(FAR - FRR), of two ascending samples.

    Ties go to the smaller HTER, then to the lower gap. FAR falls and FRR rises from each gap to
    the next, so that only the two gaps around the place where they cross can be nearest.
    """
    n, m = client.size, impostor.size

    def errors(x: float) -> tuple[int, int]:
        accepted = m - int(np.searchsorted(impostor, x, side="right"))
        return accepted * n, int(np.searchsorted(client, x, side="right")) * m

    def crossed(x: float) -> bool:
        accepted, rejected = errors(x)
        return accepted <= rejected

    places = []
    for values in (client, impostor):
        k = bisect_left(values, True, key=crossed)
        places.extend(values[k : k + 1].tolist())
    at = min(places)  # at the largest score everybody is rejected
    gaps = (_last_below(client, impostor, at), at), (at, _first_above(client, impostor, at))

    def order(gap: tuple[float, float]) -> tuple[int, int]:
        accepted, rejected = errors(gap[0])
        return abs(accepted - rejected), accepted + rejected

    return min(gaps, key=order)


def _last_below(one: FloatArray, other: FloatArray, x: float) -> float:
    """The largest score below x; -inf where there is none."""
    ends = (values[: np.searchsorted(values, x, side="left")][-1:] for values in (one, other))
    return max((float(v) for end in ends for v in end), default=-np.inf)


def _first_above(one: FloatArray, other: FloatArray, x: float) -> float:
    """The smallest score above x; inf where there is none."""
    starts = (values[np.searchsorted(values, x, side="right") :][:1] for values in (one, other))
    return min((float(v) for start in starts for v in start), default=np.inf)
