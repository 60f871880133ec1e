"""Where to look for the balance of the two errors of a beta pair."""

from __future__ import annotations

import math

__all__ = ["balance_guess"]

#: Tails of scipy that have all their digits.
_LEAST = 1e-290
#: Logits within which 1 - theta keeps the digits that a guess needs.
_FARTHEST = 30.0


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
