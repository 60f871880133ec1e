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
#: Weighted errors that agree to this are compared again on counts.
_NEAR = 1e-9


def choose_linear(
    pair: EmpiricalPair,
    alpha: FloatArray,
    losses: Callable[[Thresholds], tuple[FloatArray, FloatArray]],
) -> Thresholds:
    """For each alpha the threshold of least alpha x + (1 - alpha) y."""
    t = pair.candidates
    x, y = losses(t)
    kept = np.nonzero(np.isfinite(x) & np.isfinite(y))[0]
    total = pair.far(t) + pair.frr(t)
    kept = np.sort(kept[hull_vertices(x[kept], y[kept], total[kept])])
    criterion = _criterion(alpha, x[kept], y[kept])
    chosen = [kept[_least(row, total[kept])] for row in criterion]
    return t[np.array(chosen, dtype=np.intp)]


def choose_weighted_error(pair: EmpiricalPair, alpha: FloatArray) -> Thresholds:
    """For each alpha the threshold of least alpha FAR + (1 - alpha) FRR, ties on counts."""
    t = corners(pair)
    far, frr = pair.far(t), pair.frr(t)
    t = t[np.sort(hull_vertices(far, frr, far + frr))]
    far, frr = pair.far(t), pair.frr(t)
    criterion = _criterion(alpha, far, frr)
    least = np.min(criterion, axis=1, keepdims=True)
    close = criterion <= least + _NEAR * least
    chosen = np.argmin(criterion, axis=1)
    for k in np.nonzero(np.sum(close, axis=1) > 1)[0]:
        weight = decisions.exact_weight(alpha[k])
        chosen[k] = decisions.least_error(pair, t, criterion[k], weight, 1 - weight)
    return t[chosen]


def corners(pair: EmpiricalPair) -> Thresholds:
    """The thresholds that no neighbour beats for any weight, ascending.

    Just below the scores of clients, or just above those of impostors,
    whichever class has fewer distinct scores; and the trivial end.
    """
    clients, impostors = pair.client._steps[0], pair.impostor._steps[0]
    if clients.size <= impostors.size:
        above = clients
        below = _neighbour(impostors, above, -1)
        below[1:] = np.maximum(below[1:], clients[:-1])
        end, first = pair.joints.theta[-1], False
    else:
        below = impostors
        above = _neighbour(clients, below, 1)
        above[:-1] = np.minimum(above[:-1], impostors[1:])
        end, first = -np.inf, True
    with np.errstate(invalid="ignore", over="ignore"):
        middle = 0.5 * below + 0.5 * above
    middle = np.where((middle > below) & (middle < above), middle, below)
    theta = np.concatenate([[end], middle] if first else [middle, [end]])
    return Thresholds.from_theta(theta)


def _neighbour(places: FloatArray, of: FloatArray, side: int) -> FloatArray:
    """The nearest place strictly below (-1) or above (1) each value; -inf or itself if none."""
    if side < 0:
        padded = np.concatenate([[-np.inf], places])
        return np.asarray(padded[np.searchsorted(places, of, side="left")])
    padded = np.concatenate([places, [np.inf]])
    return np.asarray(padded[np.searchsorted(places, of, side="right")])


def _criterion(alpha: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    weights = [decisions.exact_weight(a) for a in alpha]
    for_x = np.array([float(w) for w in weights])
    for_y = np.array([float(1 - w) for w in weights])
    return for_x[:, None] * x + for_y[:, None] * y


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
    kept = kept[np.argsort(values[kept], kind="stable")]
    # Rates that agree to rounding are one level: least HTER, then lowest threshold.
    level = np.cumsum(np.concatenate([[0], np.diff(values[kept]) > _CLOSE]))
    kept = kept[np.lexsort((kept, _rounded(total[kept]), level))]
    kept = kept[np.concatenate([[True], np.diff(level) > 0])]
    levels = values[kept]
    place = np.searchsorted(levels, alpha)
    chosen = []
    for a, k in zip(alpha, place, strict=True):
        around = kept[max(k - 1, 0) : k + 1]
        target = decisions.exact_weight(a)
        gaps = [abs(_short(values[m]) - target) for m in around]
        ranked = zip(gaps, _rounded(total[around]).tolist(), around.tolist(), strict=True)
        chosen.append(min(ranked)[-1])
    return t[np.array(chosen, dtype=np.intp)]


def _rounded(total: FloatArray) -> FloatArray:
    """HTERs that agree to rounding made equal."""
    return np.asarray(np.round(total, 12))


def _short(value: float) -> Fraction:
    """The ratio of counts behind a rate."""
    return Fraction(float(value)).limit_denominator(10**9)
