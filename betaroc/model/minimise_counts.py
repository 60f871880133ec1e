"""Thresholds of two samples for many alphas at once: one sort, exact ties.

Every criterion is either linear, alpha x + (1 - alpha) y over the attainable
points, so that only vertices of their convex hull can win, or the distance of
a rate from a target, so that only neighbours in that rate can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.errors import InputError
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.empirical import EmpiricalPair, Gaps, gap_thresholds
from betaroc.model import operating_points

#: Criteria that agree to this are tied.
_CLOSE = 1e-12
#: Weighted errors and distances that agree to this are compared again on counts.
_NEAR = 1e-9
#: Passes over all points at once before a scan.
_PASSES = 8
#: More points than this are first compared with the hull of a part of them.
_SOME = 500
#: Rates that agree to this are one: quotients of counts, quotients of sums of weights.
_SAME_COUNTS, _SAME_WEIGHTS = 1e-14, 1e-12


# ---------------------------------------------------------------------------- candidates
@dataclass(frozen=True, eq=False)
class Decisions:
    """Some of the gaps that two samples decide in, ascending, and their errors.

    All errors are weights of scores: counts, where there are no weights.
    """

    low: FloatArray
    high: FloatArray
    clients_above: FloatArray
    impostors_above: FloatArray
    clients_below: FloatArray
    clients: float
    impostors: float
    at_edges: bool

    @property
    def tpr(self) -> FloatArray:
        return self.clients_above / self.clients

    @property
    def far(self) -> FloatArray:
        return self.impostors_above / self.impostors

    @property
    def frr(self) -> FloatArray:
        return self.clients_below / self.clients

    @property
    def tnr(self) -> FloatArray:
        return (self.impostors - self.impostors_above) / self.impostors

    def thresholds(self, index: IntArray) -> Thresholds:
        """The thresholds of some of them."""
        return gap_thresholds(self.low[index], self.high[index], at_edges=self.at_edges)


def candidates_of(pair: EmpiricalPair) -> Decisions:
    """Gaps where no small move lowers one error and leaves the other, and both ends.

    A candidate lies above a place of impostors and below the next place of clients: one search
    of these among those, without a merge.
    """
    client, impostor = pair.client, pair.impostor
    own, other = client._steps[0], impostor._steps[0]
    below = np.searchsorted(other, own, side="left")
    j = np.flatnonzero(np.diff(below, prepend=0) > 0)
    k = below[j]
    low = np.where(j > 0, np.maximum(other[k - 1], own[j - 1]), other[k - 1])
    top, n = max(own[-1], other[-1]), client.total
    return Decisions(
        low=np.concatenate([[-np.inf], low, [top]]),
        high=np.concatenate([[-np.inf], own[j], [top]]),
        clients_above=np.concatenate([[n - client.rejected], client._above[j], [0.0]]),
        impostors_above=np.concatenate(
            [[impostor.total - impostor.rejected], impostor._above[k], [0.0]]
        ),
        clients_below=np.concatenate([[client.rejected], client._below[j], [n]]),
        clients=n,
        impostors=impostor.total,
        at_edges=pair.at_edges,
    )


# ------------------------------------------------------------------------ linear criteria
def choose_linear(
    pair: EmpiricalPair,
    alpha: FloatArray,
    losses: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
) -> Thresholds:
    """For each alpha the threshold of least alpha x + (1 - alpha) y.

    `losses` makes x and y of TPR and FAR; x falls where FAR alone falls, y where
    TPR alone rises, so that the best gaps are among `candidates_of`.
    """
    candidates = candidates_of(pair)
    x, y = losses(candidates.tpr, candidates.far)
    kept = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if kept.size == 0:
        raise InputError(
            "the criterion must be defined at some threshold of dev; it is 0/0 or infinite at all"
            " of them, as F is with a prior of 0. Give a prior above 0."
        )
    x, y, total = x[kept], y[kept], candidates.far[kept] + candidates.frr[kept]
    vertices = hull_vertices(x, y)
    criterion = _criterion(alpha, x[vertices], y[vertices])
    chosen = vertices[_least(criterion, total[vertices])]
    # Where x alone counts, equal x of a larger y may have the lower HTER.
    chosen = np.where(alpha == 1.0, _least(x[None, :], total), chosen)
    return candidates.thresholds(kept[chosen])


def choose_weighted_error(pair: EmpiricalPair, alpha: FloatArray) -> Thresholds:
    """For each alpha the threshold of least alpha FAR + (1 - alpha) FRR, ties on counts."""
    candidates = candidates_of(pair)
    x, y = candidates.impostors_above, candidates.clients_below
    vertices = hull_vertices(x, y)
    far, frr = candidates.far[vertices], candidates.frr[vertices]
    criterion = _criterion(alpha, far, frr)
    least = np.min(criterion, axis=1, keepdims=True)
    close = criterion <= least + _NEAR * least
    chosen = np.argmin(criterion, axis=1)
    t = candidates.thresholds(vertices)
    for k in np.nonzero(np.sum(close, axis=1) > 1)[0]:
        if not pair.whole:
            chosen[k] = operating_points.best(t, criterion[k], far + frr)
            continue
        weight, near = operating_points.exact_weight(alpha[k]), vertices[close[k]]
        best = operating_points.least_on_counts(
            candidates.impostors_above[near],
            candidates.clients_below[near],
            (int(candidates.clients), int(candidates.impostors)),
            (weight, 1 - weight),
        )
        chosen[k] = np.flatnonzero(close[k])[best]
    return t[chosen]


def _criterion(alpha: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    for_x, for_y = np.array([_weights(a) for a in alpha.tolist()]).T
    return np.asarray(for_x[:, None] * x + for_y[:, None] * y)


@lru_cache(maxsize=4096)
def _weights(alpha: float) -> tuple[float, float]:
    """alpha and 1 - alpha, each the double nearest to the decimal that was meant."""
    exact = operating_points.exact_weight(alpha)
    return float(exact), float(1 - exact)


def hull_vertices(x: FloatArray, y: FloatArray) -> IntArray:
    """Indices of the lower left hull of points with ascending y, collinear ones kept.

    A point above the segment between its neighbours is no vertex whatever else
    is dropped, so all of them go at once, until none is left.
    """
    lowest = np.minimum.accumulate(x)
    kept = np.concatenate([[True], x[1:] < lowest[:-1]])
    # Of equal y the last one kept has the smallest x.
    order: IntArray = np.flatnonzero(kept)
    order = order[np.concatenate([y[order[1:]] > y[order[:-1]], [True]])]
    if order.size > _SOME:
        # What lies above the hull of some points lies above that of all.
        rough = order[np.append(np.arange(0, order.size - 1, 16), -1)]
        rough = rough[hull_vertices(x[rough], y[rough])]
        limit = np.interp(y[order], y[rough], x[rough])
        order = order[x[order] <= limit + _CLOSE * np.max(np.abs(x[rough]))]
    for _ in range(_PASSES):
        if order.size <= 2:
            return order
        dx, dy = np.diff(x[order]), np.diff(y[order])
        one, other = dx[:-1] * dy[1:], dx[1:] * dy[:-1]
        keep = one - other <= _CLOSE * (np.abs(one) + np.abs(other))
        if np.all(keep):
            return order
        order = order[np.concatenate([[True], keep, [True]])]
    return _scanned(x, y, order)


def _scanned(x: FloatArray, y: FloatArray, order: IntArray) -> IntArray:
    """The same by one scan: passes may drop but one point each."""
    px, py = x[order].tolist(), y[order].tolist()
    chain: list[int] = []
    for k in range(len(px)):
        while len(chain) > 1:
            i, j = chain[-2], chain[-1]
            one = (px[j] - px[i]) * (py[k] - py[j])
            other = (px[k] - px[j]) * (py[j] - py[i])
            if one - other <= _CLOSE * (abs(one) + abs(other)):
                break
            chain.pop()
        chain.append(k)
    return np.asarray(order[chain])


def _least(criterion: FloatArray, total: FloatArray) -> IntArray:
    """In each row least criterion, then least FAR + FRR, then lowest threshold (their order)."""
    totals = np.where(_tied(criterion), total, np.inf)
    return np.asarray(np.argmax(_tied(totals), axis=1), dtype=np.intp)


def _tied(values: FloatArray) -> BoolArray:
    least = np.min(values, axis=-1, keepdims=True)
    return np.asarray(values <= least + _CLOSE * np.abs(least))


# ------------------------------------------------------------------------- rate targets
def choose_nearest(
    pair: EmpiricalPair,
    alpha: FloatArray,
    rate: Callable[[Gaps], FloatArray],
) -> Thresholds:
    """For each alpha the threshold whose rate is nearest to it."""
    gaps = pair.gaps
    values = rate(gaps)
    order = np.argsort(values, kind="stable")  # nan last
    levels = values[order]
    levels = levels[: np.searchsorted(levels, np.inf)]
    above = np.searchsorted(levels, alpha)
    low = levels[np.maximum(above - 1, 0)]
    high = levels[np.minimum(above, levels.size - 1)]
    excess = np.abs(high - alpha) - np.abs(low - alpha)
    for k in np.flatnonzero((np.abs(excess) <= _NEAR) & (low < high)):
        exact = operating_points.exact_weight(float(alpha[k]))
        excess[k] = float(abs(_short(high[k]) - exact) - abs(_short(low[k]) - exact))
    same = _SAME_COUNTS if pair.whole else _SAME_WEIGHTS
    first = np.searchsorted(levels, np.where(excess < 0.0, high, low) - same, side="left")
    last = np.searchsorted(levels, np.where(excess > 0.0, low, high) + same, side="right")
    chosen = order[first]
    for k in np.flatnonzero(last - first > 1):
        index = np.sort(order[first[k] : last[k]])
        chosen[k] = index[np.argmax(_tied(gaps.far[index] + gaps.frr[index]))]
    return gaps.thresholds(chosen)


def _short(value: float) -> Fraction:
    """The ratio of counts behind a rate."""
    return Fraction(float(value)).limit_denominator(10**9)
