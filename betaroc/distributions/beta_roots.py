"""Where log ratios of two beta distributions pass a level: of densities, and of tails."""

from __future__ import annotations

import math

from betaroc.core.thresholds import Thresholds, softplus

#: Tails of scipy that have all their digits.
_LEAST = 1e-290
#: Logits within which 1 - theta keeps the digits that a guess needs.
_FARTHEST = 30.0


def concave_roots(a: float, b: float, level: float) -> list[float]:
    """Roots y of -a softplus(-y) - b softplus(y) = level."""
    if a + b < 0.0:
        a, b, level = -a, -b, -level
    if a == 0.0 or b == 0.0:
        return _one_sided_roots(a, b, level)
    if a + b == 0.0:
        return [level / a]
    if a > 0.0 and b > 0.0:
        top = math.log(a / b)
        if not _ratio(a, b, top) > level:
            return []
        return [_newton(a, b, level, level / a), _newton(a, b, level, -level / b)]
    # One sign of slope throughout: the curve lies below both its asymptotes.
    start = max(level / a, -level / b) if a > 0.0 else min(level / a, -level / b)
    return [_newton(a, b, level, start)]


def _one_sided_roots(a: float, b: float, level: float) -> list[float]:
    rate = a if b == 0.0 else b
    if rate == 0.0 or not level / rate < 0.0:
        return []
    scaled = -level / rate
    y = -(scaled + math.log(-math.expm1(-scaled)))
    return [y if b == 0.0 else -y]


def _ratio(a: float, b: float, y: float) -> float:
    return -a * float(softplus(-y)) - b * float(softplus(y))


def _newton(a: float, b: float, level: float, y: float) -> float:
    for _ in range(200):
        x = float(Thresholds.from_logit(y).theta)
        slope = a - (a + b) * x
        if slope == 0.0:
            break
        step = (level - _ratio(a, b, y)) / slope
        y += step
        if abs(step) <= 2e-16 * max(1.0, abs(y)):
            break
    return y


def balance_guess(
    client: tuple[float, float], impostor: tuple[float, float], constant: float
) -> float | None:
    """The logit where log FAR - log FRR = -constant, to nearly all digits; None if not found.

    One scalar at a time: a root of two arrays of one threshold each costs some thirty times that.
    """
    from scipy.optimize import brentq
    from scipy.special import betainc

    (a_c, b_c), (a_i, b_i) = client, impostor

    def gap(y: float) -> float:
        theta, complement = 1.0 / (1.0 + math.exp(-y)), 1.0 / (1.0 + math.exp(y))
        far, frr = float(betainc(b_i, a_i, complement)), float(betainc(a_c, b_c, theta))
        if far < _LEAST or frr < _LEAST:
            raise ArithmeticError
        return math.log(far) - math.log(frr) + constant

    middles = math.log(a_c) - math.log(b_c), math.log(a_i) - math.log(b_i)
    low, high, step = min(middles) - 0.1, max(middles) + 0.1, 0.5
    try:
        while not gap(low) > 0.0:
            low, high, step = low - step, low, 2.0 * step
            if low < -_FARTHEST:
                return None
        while not gap(high) < 0.0:
            low, high, step = high, high + step, 2.0 * step
            if high > _FARTHEST:
                return None
        return float(brentq(gap, low, high, xtol=1e-13, rtol=1e-14))
    except (ArithmeticError, ValueError, RuntimeError):
        return None
