"""Thresholds of two samples for many alphas at once: one sort, exact ties.

Every criterion is either linear, alpha x + (1 - alpha) y over the attainable
points, so that only vertices of their convex hull can win, or the distance of
a rate from a target, so that only neighbours in that rate can.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from betaroc import decisions
from betaroc._thresholds import FloatArray, Thresholds
from betaroc.distributions.empirical import EmpiricalPair

__all__ = ["choose_linear", "choose_nearest", "choose_weighted_error"]

#: Criteria that agree to this are compared again, on fractions or under the tie rule.
_CLOSE = 1e-12


def choose_linear(
    pair: EmpiricalPair,
    alpha: FloatArray,
    losses: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
) -> Thresholds:
    """For each alpha the threshold of least alpha x + (1 - alpha) y."""
    t = pair.candidates
    far, frr = pair.far(t), pair.frr(t)
    x, y = losses(far, frr)
    kept = np.nonzero(np.isfinite(x) & np.isfinite(y))[0]
    kept = kept[hull_vertices(x[kept], y[kept], far[kept] + frr[kept])]
    kept = np.sort(kept)
    x, y, total = x[kept], y[kept], (far + frr)[kept]
    weights = [decisions.exact_weight(a) for a in alpha]
    rows = np.array([float(w) for w in weights])
    criterion = rows[:, None] * x + (1.0 - rows)[:, None] * y
    chosen = [kept[_least(row, total)] for row in criterion]
    return t[np.array(chosen, dtype=np.intp)]


def choose_weighted_error(pair: EmpiricalPair, alpha: FloatArray) -> Thresholds:
    """For each alpha the threshold of least alpha FAR + (1 - alpha) FRR, compared on counts."""
    t = pair.candidates
    far, frr = pair.far(t), pair.frr(t)
    kept = np.sort(hull_vertices(far, frr, far + frr))
    far, frr = far[kept], frr[kept]
    chosen = []
    for a in alpha:
        weight = decisions.exact_weight(a)
        criterion = float(weight) * far + float(1 - weight) * frr
        k = decisions.least_error(pair, t[kept], criterion, weight, 1 - weight)
        chosen.append(kept[k])
    return t[np.array(chosen, dtype=np.intp)]


def hull_vertices(x: FloatArray, y: FloatArray, total: FloatArray) -> npt.NDArray[np.intp]:
    """Indices of the lower left hull, points collinear to rounding kept.

    A point above the segment between its neighbours is no vertex whatever else
    is dropped, so all of them go at once, until none is left.
    """
    order = np.lexsort((total, y, x))
    # Of equal x only the lowest y can win; equal points differ by the tie rule alone.
    order = order[y[order] <= np.minimum.accumulate(y[order])]
    while order.size > 2:
        px, py = x[order], y[order]
        dx_1, dy_1 = px[1:-1] - px[:-2], py[1:-1] - py[:-2]
        dx_2, dy_2 = px[2:] - px[1:-1], py[2:] - py[1:-1]
        turn, size = dx_1 * dy_2 - dx_2 * dy_1, np.abs(dx_1 * dy_2) + np.abs(dx_2 * dy_1)
        keep = np.concatenate([[True], turn >= -_CLOSE * size, [True]])
        if np.all(keep):
            break
        order = order[keep]
    return order


def _least(criterion: FloatArray, total: FloatArray) -> int:
    """Least criterion, then least FAR + FRR, then lowest threshold (the order of the arrays)."""
    near = np.nonzero(_tied(criterion))[0]
    near = near[_tied(total[near])]
    return int(near[0])


def _tied(values: FloatArray) -> npt.NDArray[np.bool_]:
    least = np.min(values)
    return np.asarray(values <= least + _CLOSE * abs(least))


def choose_nearest(
    pair: EmpiricalPair, alpha: FloatArray, rate: Callable[[Thresholds], FloatArray]
) -> Thresholds:
    """For each alpha the threshold whose rate is nearest to it."""
    t = pair.candidates
    values, total = rate(t), pair.far(t) + pair.frr(t)
    kept = np.nonzero(~np.isnan(values))[0]
    # Ascending in the rate; of equal rates first the least HTER, then the lowest threshold.
    kept = kept[np.lexsort((kept, total[kept], values[kept]))]
    first = np.concatenate([[True], np.diff(values[kept]) > 0.0])
    kept = kept[first]
    levels = values[kept]
    place = np.searchsorted(levels, alpha)
    chosen = []
    for a, k in zip(alpha, place, strict=True):
        around = kept[max(k - 1, 0) : k + 1]
        target = decisions.exact_weight(a)
        gaps = [abs(_short(values[m]) - target) for m in around]
        chosen.append(min(range(around.size), key=lambda m: (gaps[m], total[around[m]], around[m])))
        chosen[-1] = int(around[chosen[-1]])
    return t[np.array(chosen, dtype=np.intp)]


def _short(value: float) -> Fraction:
    """The ratio of counts behind a rate."""
    return Fraction(float(value)).limit_denominator(10**9)
