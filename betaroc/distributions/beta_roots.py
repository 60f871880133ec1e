"""Where the log-likelihood ratio of two beta distributions passes a level, in logits."""

from __future__ import annotations

import math

from betaroc.core.thresholds import Thresholds, softplus

__all__ = ["concave_roots"]


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
