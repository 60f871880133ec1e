"""Where a ROC meets the diagonal, and the word for the whole curve."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.special import bracketed_root
from betaroc.core.thresholds import BELOW_ONE, Thresholds
from betaroc.distributions.pairs import Pair
from betaroc.model.ends import ends, shape_of_ends

_SIDES = {"above": 1.0, "on": 0.0, "below": -1.0}
#: No crossing is sought beyond.
_FARTHEST = 1e300


def _excess(pair: Pair, t: Thresholds) -> FloatArray:
    """A quantity of the sign of TPR - FAR, from the smaller tails."""
    use_lower = pair.frr(t) + pair.tnr(t) <= 1.0
    return np.where(use_lower, pair.log_excess(t, lower=True), pair.log_excess(t, lower=False))


class Crossing(NamedTuple):
    """A place where the ROC meets the diagonal and changes side."""

    threshold: Thresholds
    #: FAR = TPR and FRR = TNR on a straight segment, nan where the threshold attains the point.
    accepted: float
    rejected: float


def diagonal_crossings(pair: Pair) -> list[Crossing]:
    """Sign changes of TPR - FAR, ascending in the threshold.

    Between neighbouring extremes (level 0 of the log-likelihood ratio, jumps)
    TPR - FAR is monotone, so each sign change is bracketed.
    """
    known_roots = pair.diagonal_roots()
    if known_roots is not None:
        return [Crossing(known_roots[k], math.nan, math.nan) for k in range(known_roots.size)]
    t, signs = _signed_extremes(pair)
    known = np.nonzero(signs)[0]
    result = []
    for k, m in itertools.pairwise(known):
        if signs[k] != signs[m]:
            touch = Crossing(t[k + 1], math.nan, math.nan) if m > k + 1 else None
            result.append(touch or _crossing(pair, t[k], t[m]))
    return result


def _signed_extremes(pair: Pair) -> tuple[Thresholds, FloatArray]:
    t = Thresholds.concatenate([pair.candidates, pair.ratio_roots(0.0)])
    t = t[t.order()]
    # Just below 1 the logs of vanishing tails say nothing: only atoms are left there.
    limit = pair.tpr(t) - pair.far(t)
    signs = np.sign(np.where(t.logit == BELOW_ONE, limit, _excess(pair, t)))
    both = ends(pair)
    for k, end in ((0, both.at_zero), (-1, both.at_one)):
        signs[k] = signs[k] or _SIDES[end.side]
    return t, signs


def _crossing(pair: Pair, low: Thresholds, high: Thresholds) -> Crossing:
    unit = pair.unit and float(low.theta) >= 0.0 and float(high.theta) <= 1.0
    ends_of = (low.logit, high.logit) if unit else (low.theta, high.theta)
    place = Thresholds.from_logit if unit else Thresholds.from_theta
    inside = _jump_between(pair, low, high)
    if inside is not None:
        return inside

    # Just below a jump and on it are one number in the logit: the ends speak for themselves.
    known = {float(u): t for u, t in zip(ends_of, (low, high), strict=True)}

    def excess(u: float) -> float:
        return float(_excess(pair, known[u] if u in known else place(np.array(u))))

    grid = pair.grid(float(ends_of[0]), float(ends_of[1]), unit=unit)
    a, b = _bracket(excess, float(ends_of[0]), float(ends_of[1]), grid)
    if a == b:
        return Crossing(place(np.array(a)), math.nan, math.nan)
    a, b = _narrowed(_excess(pair, place(grid)), grid, a, b)
    root = place(np.array(bracketed_root(excess, a, b, what="crossing")))
    return Crossing(root, math.nan, math.nan)


def _bracket(
    excess: Callable[[float], float], a: float, b: float, grid: FloatArray
) -> tuple[float, float]:
    """Finite ends around the sign change, which may lie beyond all quantiles looked at.

    One place where it lies beyond all doubles, towards an end where both tails are alike.
    """
    inner = grid if grid.size else np.array([x for x in (a, b) if abs(x) < BELOW_ONE] or [0.0])
    low = a if math.isfinite(a) else float(inner[0])
    high = b if b < BELOW_ONE else float(inner[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        while not np.sign(excess(low)) * np.sign(excess(high)) < 0.0:
            if max(-low, high) > _FARTHEST:
                return (high, high) if math.isfinite(a) else (low, low)
            if not math.isfinite(a):
                low = 2.0 * min(low, -1.0)
            if not b < BELOW_ONE:
                high = 2.0 * max(high, 1.0)
    return low, high


def _narrowed(values: FloatArray, grid: FloatArray, a: float, b: float) -> tuple[float, float]:
    """The part of a bracket between neighbours of a grid: heavy tails reach very far."""
    inside = np.flatnonzero((grid > a) & (grid < b) & (values != 0.0) & ~np.isnan(values))
    signs = np.sign(values[inside])
    turns = np.flatnonzero(signs[1:] != signs[:-1])
    if turns.size != 1:
        return a, b
    return float(grid[inside[turns[0]]]), float(grid[inside[turns[0] + 1]])


def _jump_between(pair: Pair, low: Thresholds, high: Thresholds) -> Crossing | None:
    """The crossing on the straight segment of a jump at `high`, or None in a smooth stretch."""
    below = pair.just_below_any(high)
    sign_below, sign_low = np.sign(_excess(pair, below)), np.sign(_excess(pair, low))
    if not pair.discrete and sign_below != sign_low:
        return None
    far_0, tpr_0 = (float(v) for v in (pair.far(high), pair.tpr(high)))
    left = low if pair.discrete else below
    far_1, tpr_1 = (float(v) for v in (pair.far(left), pair.tpr(left)))
    d_0, d_1 = tpr_0 - far_0, tpr_1 - far_1
    share = d_0 / (d_0 - d_1) if d_0 != d_1 else 0.0
    frr_0, frr_1 = float(pair.frr(high)), float(pair.frr(left))
    return Crossing(high, far_0 + share * (far_1 - far_0), frr_0 + share * (frr_1 - frr_0))


def global_shape(pair: Pair) -> str:
    """The statement on the whole curve; see :meth:`ScoreModel.global_shape`."""
    if pair.client == pair.impostor:
        return "chance"
    sides = pair.decisive_sides()
    if sides is not None:
        return shape_of_ends(*sides)
    _, signs = _signed_extremes(pair)
    known = signs[signs != 0.0]
    if np.count_nonzero(np.diff(known)) > 1:
        return "several-crossings"
    return shape_of_ends(known[0], known[-1]) if known.size else "chance"
