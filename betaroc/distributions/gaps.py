"""The decisions that two samples allow, in counts: one for each gap between their scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.thresholds import Thresholds


@dataclass(frozen=True)
class Gaps:
    """Accept all, the gap above each distinct score of either class, reject all.

    Gap k lies above k of the places; no search is needed for its rates.

    Parameters
    ----------
    places : ndarray, shape (k,)
        Distinct scores of both classes, ascending.
    client, impostor : ndarray, shape (k,)
        Weight of each class on them.
    whole : bool
        Whether all weights are whole numbers, whose sums are exact.
    at_edges : bool
        Whether thresholds lie on the places: what is between is not known.
    rejected : (float, float)
        Weight of the clients and impostors below every gap: trials without a score.
    """

    places: FloatArray
    client: FloatArray
    impostor: FloatArray
    whole: bool
    at_edges: bool = False
    rejected: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def frr(self) -> FloatArray:
        return np.asarray(self._clients / self._clients[-1])

    @cached_property
    def tnr(self) -> FloatArray:
        return np.asarray(self._impostors / self._impostors[-1])

    @cached_property
    def tpr(self) -> FloatArray:
        return self._share_above(self.client, self._clients)

    @cached_property
    def far(self) -> FloatArray:
        return self._share_above(self.impostor, self._impostors)

    def _share_above(self, masses: FloatArray, below: FloatArray) -> FloatArray:
        if self.whole:
            return np.asarray((below[-1] - below) / below[-1])
        own = sums_below(masses, whole=False)
        return np.asarray(sums_above(masses, own, whole=False) / below[-1])

    @cached_property
    def _clients(self) -> FloatArray:
        return self.rejected[0] + sums_below(self.client, whole=self.whole)

    @cached_property
    def _impostors(self) -> FloatArray:
        return self.rejected[1] + sums_below(self.impostor, whole=self.whole)

    @property
    def turns(self) -> IntArray:
        """Gaps at which the ROC turns, and both ends: not those between places of one class."""
        alone = np.stack([self.impostor == 0.0, self.client == 0.0])
        straight = np.any(alone[:, 1:] & alone[:, :-1], axis=0)
        return np.flatnonzero(np.concatenate([[True], ~straight, [True]]))

    def thresholds(self, index: IntArray | slice = slice(None)) -> Thresholds:
        """-inf, a threshold in each gap, the largest score."""
        low = np.concatenate([[-np.inf], self.places])[index]
        high = np.concatenate([self.places, [np.inf]])[index]
        return gap_thresholds(low, high, at_edges=self.at_edges)


def sums_below(masses: FloatArray, *, whole: bool) -> FloatArray:
    """0, then the running sums of masses, the last of them the total to the last digit."""
    below: FloatArray = np.concatenate([[0.0], np.cumsum(masses)])
    if not whole:
        total = math.fsum(masses)
        below = np.minimum(below, total)
        below[-1] = total
    return below


def sums_above(masses: FloatArray, below: FloatArray, *, whole: bool) -> FloatArray:
    """What is left above each sum, never as a difference that rounds; first the total."""
    total = below[-1]
    if whole:
        return np.asarray(total - below)
    above: FloatArray = np.concatenate([np.cumsum(masses[::-1])[::-1], [0.0]])
    above = np.minimum(above, total)
    above[0] = total
    return above


def gap_thresholds(low: FloatArray, high: FloatArray, *, at_edges: bool) -> Thresholds:
    """The thresholds of gaps, see `gap_places`."""
    return Thresholds.from_theta(gap_places(low, high, at_edges=at_edges))


def gap_places(low: FloatArray, high: FloatArray, *, at_edges: bool) -> FloatArray:
    """The middle of each gap, or its lower end: where that rounds, is infinite or is an edge."""
    if at_edges:
        return low
    with np.errstate(invalid="ignore", over="ignore"):
        middle = 0.5 * low + 0.5 * high
    return np.where((middle > low) & (middle < high), middle, low)


def merged(
    client: tuple[FloatArray, FloatArray],
    impostor: tuple[FloatArray, FloatArray],
    *,
    whole: bool,
    at_edges: bool,
) -> Gaps:
    """Gaps of two samples given as (distinct ascending places, masses)."""
    (client, no_client), (impostor, no_impostor) = _scored(*client), _scored(*impostor)
    both = np.concatenate([client[0], impostor[0]])
    order = np.argsort(both, kind="stable")  # two ascending runs: a merge
    places = both[order]
    mass = np.concatenate([client[1], impostor[1]])[order]
    of_client = order < client[0].size
    c, i = np.where(of_client, mass, 0.0), np.where(of_client, 0.0, mass)
    shared = np.flatnonzero(places[1:] == places[:-1])  # the client comes first
    if shared.size:
        i[shared] = i[shared + 1]
        kept = np.ones(places.size, dtype=np.bool_)
        kept[shared + 1] = False
        places, c, i = places[kept], c[kept], i[kept]
    return Gaps(places, c, i, whole, at_edges, (no_client, no_impostor))


def _scored(places: FloatArray, masses: FloatArray) -> tuple[tuple[FloatArray, FloatArray], float]:
    """What has a score, and the weight of what has none."""
    absent = int(places.size > 0 and places[0] == -np.inf)
    return (places[absent:], masses[absent:]), float(np.sum(masses[:absent]))
