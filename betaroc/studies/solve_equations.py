"""What a beta pair is asked for as smooth equations in the logs of its four shapes.

The unknowns are log (a_c, b_c, a_i, b_i); an equation gives its value, 0 where it is met,
and its derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from betaroc.core import special
from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.beta import Beta, auc_of_pairs

Equation = Callable[[FloatArray], tuple[float, FloatArray]]

#: Step of central differences in a log shape.
_STEP = 1e-5
_NO_AREA, _UNDERFLOW = 1e-80, 1e-250


def area_equation(target: float) -> Equation:
    """logit AUC, from the smaller of the area and what is above it."""
    swapped = target > 0.5
    goal = math.log(target) - math.log1p(-target)

    def equation(logs: FloatArray) -> tuple[float, FloatArray]:
        steps = np.concatenate([np.zeros((1, 4)), _STEP * np.eye(4), -_STEP * np.eye(4)])
        a_c, b_c, a_i, b_i = np.exp(logs + steps).T
        laws = (a_i, b_i, a_c, b_c) if swapped else (a_c, b_c, a_i, b_i)
        # Where the rule has not settled the area is too small to matter for a search; bounds keep
        # the odds finite on the way, and what the search ends with is checked by `solve_pair`.
        area = np.clip(np.nan_to_num(auc_of_pairs(*laws), nan=_NO_AREA), _NO_AREA, 1.0 - 1e-16)
        odds = np.log(area) - np.log1p(-area)
        odds = -odds if swapped else odds
        return float(odds[0] - goal), (odds[1:5] - odds[5:]) / (2.0 * _STEP)

    return equation


def point_equation(far: float, tpr: float, frr: float) -> Equation:
    """logit FAR where the client distribution has the TPR: the ROC passes through a point."""
    goal = math.log(far) - math.log1p(-far)

    def equation(logs: FloatArray) -> tuple[float, FloatArray]:
        a_c, b_c, a_i, b_i = np.exp(logs).tolist()
        at = _quantile(a_c, b_c, frr, tpr)
        value = _odds(a_i, b_i, at)
        slopes = _by_shapes(a_c, b_c, a_i, b_i, at)
        # The threshold follows the client law: d log odds / dy of either distribution is minus
        # density / (tail x tail).
        steep = [
            float((special.beta_log_density(a, b, at) - sum(_logs(a, b, at)))[0])
            for a, b in ((a_c, b_c), (a_i, b_i))
        ]
        slopes[:2] *= -math.exp(min(steep[1] - steep[0], 600.0))
        return value - goal, slopes

    return equation


def _quantile(a: float, b: float, lower: float, upper: float) -> Thresholds:
    """Where a distribution has these two tails: scipy's inverse where neither end is near."""
    from scipy.special import betaincinv

    theta, rest = float(betaincinv(a, b, lower)), float(betaincinv(b, a, upper))
    if min(theta, rest) > _UNDERFLOW:
        logit = math.log(theta) - math.log(rest)
        theta, rest = (theta, 1.0 - theta) if theta < rest else (1.0 - rest, rest)
        return Thresholds(np.array([theta]), np.array([rest]), np.array([logit]))
    law = Beta(a, b)
    if lower <= 0.5:
        return law._lower_quantile(np.array([lower]), np.array([math.log(lower)]))
    return law._upper_quantile(np.array([upper]), np.array([math.log(upper)]))


def _logs(a: float, b: float, t: Thresholds) -> tuple[FloatArray, FloatArray]:
    from scipy.special import betainc

    lower, upper = betainc(a, b, t.theta), betainc(b, a, t.complement)
    if min(lower[0], upper[0]) > _UNDERFLOW:
        return np.log(lower), np.log(upper)
    return special.beta_lower(a, b, t)[1], special.beta_upper(a, b, t)[1]


def _odds(a: float, b: float, at: Thresholds) -> float:
    lower, upper = _logs(a, b, at)
    return float((upper - lower)[0])


def _by_shapes(a_c: float, b_c: float, a_i: float, b_i: float, at: Thresholds) -> FloatArray:
    """Derivatives of both log odds by the logs of the shapes of their distribution."""
    from scipy.special import betainc

    up, down = math.exp(_STEP), math.exp(-_STEP)
    a = np.array([[a * up, a * down, a, a] for a in (a_c, a_i)])
    b = np.array([[b, b, b * up, b * down] for b in (b_c, b_i)])
    lower, upper = betainc(a, b, at.theta[0]), betainc(b, a, at.complement[0])
    if np.min(lower) > _UNDERFLOW and np.min(upper) > _UNDERFLOW:
        odds = np.log(upper) - np.log(lower)
    else:
        pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        odds = np.array([_odds(x, y, at) for x, y in pairs]).reshape(2, 4)
    return np.asarray((odds[:, ::2] - odds[:, 1::2]).ravel() / (2.0 * _STEP))


def slope_equation(goal: float) -> Equation:
    """log B_c / B_i, the semi-derivative at an end where the shapes tie."""

    def equation(logs: FloatArray) -> tuple[float, FloatArray]:
        from scipy.special import digamma

        shapes = np.exp(logs)
        a_c, b_c, a_i, b_i = shapes.tolist()
        value = special.log_beta_ratio(a_c, b_c, a_i, b_i)
        sums = np.repeat([a_c + b_c, a_i + b_i], 2)
        sign = np.array([1.0, 1.0, -1.0, -1.0])
        return value - goal, sign * shapes * (digamma(shapes) - digamma(sums))

    return equation
