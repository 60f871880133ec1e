"""Thresholds of two samples for many alphas at once: one sort, exact ties.

Every criterion is either linear, alpha x + (1 - alpha) y over the attainable
points, so that only vertices of their convex hull can win, or the distance of
a rate from a target, so that only neighbours in that rate can.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from betaroc import decisions
from betaroc._thresholds import FloatArray, Thresholds
from betaroc.distributions._gaps import Gaps
from betaroc.distributions.empirical import EmpiricalPair

__all__ = ["choose_linear", "choose_nearest", "choose_weighted_error"]

Index = npt.NDArray[np.intp]

#: Criteria that agree to this are tied.
_CLOSE = 1e-12
#: Weighted errors and distances that agree to this are compared again on counts.
_NEAR = 1e-9
#: Rates that agree to this are one: quotients of counts, quotients of sums of weights.
_SAME_COUNTS, _SAME_WEIGHTS = 1e-14, 1e-12


# ------------------------------------------------------------------------ linear criteria
def choose_linear(
    pair: EmpiricalPair,
    alpha: FloatArray,
    losses: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
) -> Thresholds:
    """For each alpha the threshold of least alpha x + (1 - alpha) y.

    `losses` makes x and y of TPR and FAR; x falls where FAR alone falls, y where
    TPR alone rises, so that the best gaps are corners.
    """
    gaps, corners = pair.gaps, pair.gaps.corners
    x, y = losses(gaps.tpr[corners], gaps.far[corners])
    defined = np.isfinite(x) & np.isfinite(y)
    corners, x, y = corners[defined], x[defined], y[defined]
    total = gaps.far[corners] + gaps.frr[corners]
    vertices = hull_vertices(x, y)
    criterion = _criterion(alpha, x[vertices], y[vertices])
    chosen = [vertices[_least(row, total[vertices])] for row in criterion]
    # Where x alone counts, equal x of a larger y may have the lower HTER.
    chosen = [_least(x, total) if a == 1.0 else k for a, k in zip(alpha, chosen, strict=True)]
    return gaps.thresholds(corners[chosen])


def choose_weighted_error(pair: EmpiricalPair, alpha: FloatArray) -> Thresholds:
    """For each alpha the threshold of least alpha FAR + (1 - alpha) FRR, ties on counts."""
    gaps, corners = pair.gaps, pair.gaps.corners
    corners = corners[hull_vertices(gaps.far[corners], gaps.frr[corners])]
    criterion = _criterion(alpha, gaps.far[corners], gaps.frr[corners])
    t = gaps.thresholds(corners)
    least = np.min(criterion, axis=1, keepdims=True)
    close = criterion <= least + _NEAR * least
    chosen = np.argmin(criterion, axis=1)
    for k in np.nonzero(np.sum(close, axis=1) > 1)[0]:
        weight = decisions.exact_weight(alpha[k])
        chosen[k] = decisions.least_error(pair, t, criterion[k], weight, 1 - weight)
    return t[chosen]


def _criterion(alpha: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    for_x, for_y = np.array([_weights(a) for a in alpha.tolist()]).T
    return np.asarray(for_x[:, None] * x + for_y[:, None] * y)


@lru_cache(maxsize=4096)
def _weights(alpha: float) -> tuple[float, float]:
    """alpha and 1 - alpha, each the double nearest to the decimal that was meant."""
    exact = decisions.exact_weight(alpha)
    return float(exact), float(1 - exact)


def hull_vertices(x: FloatArray, y: FloatArray) -> Index:
    """Indices of the lower left hull of points with ascending y, collinear ones kept.

    A point above the segment between its neighbours is no vertex whatever else
    is dropped, so all of them go at once, until none is left.
    """
    lowest = np.minimum.accumulate(x)
    kept = np.concatenate([[True], x[1:] < lowest[:-1]])
    # Of equal y the last one kept has the smallest x.
    order: Index = np.flatnonzero(kept)
    order = order[np.concatenate([y[order[1:]] > y[order[:-1]], [True]])]
    while order.size > 2:
        dx, dy = np.diff(x[order]), np.diff(y[order])
        one, other = dx[:-1] * dy[1:], dx[1:] * dy[:-1]
        keep = one - other <= _CLOSE * (np.abs(one) + np.abs(other))
        if np.all(keep):
            break
        order = order[np.concatenate([[True], keep, [True]])]
    return order


def _least(criterion: FloatArray, total: FloatArray) -> int:
    """Least criterion, then least FAR + FRR, then lowest threshold (the order of the arrays)."""
    near = np.nonzero(_tied(criterion))[0]
    near = near[_tied(total[near])]
    return int(near[0])


def _tied(values: FloatArray) -> npt.NDArray[np.bool_]:
    least = np.min(values)
    return np.asarray(values <= least + _CLOSE * abs(least))


# ------------------------------------------------------------------------- rate targets
def choose_nearest(
    pair: EmpiricalPair, alpha: FloatArray, rate: Callable[[Gaps], FloatArray]
) -> Thresholds:
    """For each alpha the threshold whose rate is nearest to it."""
    gaps = pair.gaps
    values = rate(gaps)
    order = np.argsort(values, kind="stable")  # nan last
    levels = values[order]
    levels = levels[: np.searchsorted(levels, np.inf)]
    same = _SAME_COUNTS if gaps.whole else _SAME_WEIGHTS
    places = np.searchsorted(levels, alpha)
    chosen = []
    for a, k in zip(alpha.tolist(), places.tolist(), strict=True):
        around = [levels[m] for m in (k - 1, k) if 0 <= m < levels.size]
        near = [_members(levels, v, same) for v in _nearest(a, around)]
        index = np.sort(np.concatenate([order[first:last] for first, last in near]))
        total = gaps.far[index] + gaps.frr[index]
        chosen.append(index[np.argmax(_tied(total))])
    return gaps.thresholds(np.array(chosen, dtype=np.intp))


def _nearest(target: float, levels: list[float]) -> list[float]:
    """The level nearest to a target, both where they are equally near."""
    if len(levels) == 1:
        return levels
    low, high = levels
    excess = abs(high - target) - abs(low - target)
    if abs(excess) <= _NEAR:
        exact = decisions.exact_weight(target)
        exactly = abs(_short(high) - exact) - abs(_short(low) - exact)
        if exactly == 0:
            return levels
        excess = float(exactly)
    return [low] if excess > 0.0 else [high]


def _members(levels: FloatArray, value: float, same: float) -> tuple[int, int]:
    """The run of levels that agree with a value to rounding."""
    first = np.searchsorted(levels, value - same, side="left")
    return int(first), int(np.searchsorted(levels, value + same, side="right"))


def _short(value: float) -> Fraction:
    """The ratio of counts behind a rate."""
    return Fraction(float(value)).limit_denominator(10**9)
