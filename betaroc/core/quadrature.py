"""Adaptive Gauss-Legendre quadrature on given panels, all panels at once."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import FitError

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
#: A panel is settled when halving it moves the integral by less than this share.
_SETTLED = 1e-15
_LEVELS = 48
#: Smooth integrands need some hundreds. More that do not settle are rounding: that of a
#: difference of two distributions that are nearly one is about 1e-16 of their mass, however small
#: the rest.
_PANELS = 1 << 12


def integrate_panels(integrand: Callable[[FloatArray], FloatArray], breaks: FloatArray) -> float:
    """Integral between the outer finite breaks, which must miss no feature."""
    finite = breaks[np.isfinite(breaks)]
    if finite.size < 2:
        return 0.0
    low, high = finite[:-1], finite[1:]
    value = _rule(integrand, low, high)
    settled: list[FloatArray] = []
    for _ in range(_LEVELS):
        middle = 0.5 * (low + high)
        left, right = _rule(integrand, low, middle), _rule(integrand, middle, high)
        if not np.all(np.isfinite(left + right)):
            raise FitError(
                "the densities must be numbers that doubles hold, to be integrated; they are not."
                " Take distributions that are less narrow, or less far out."
            )
        total = math.fsum(np.abs(np.concatenate([*settled, left, right])))
        rough = np.abs(left + right - value) > _SETTLED * total
        settled.append((left + right)[~rough])
        if not np.any(rough):
            break
        if np.count_nonzero(rough) > _PANELS:
            settled.append((left + right)[rough])
            break
        value = np.concatenate([left[rough], right[rough]])
        ends = (low, middle), (middle, high)
        low, high = (np.concatenate([first[rough], last[rough]]) for first, last in ends)
    else:
        settled.append(value)
    return math.fsum(np.concatenate(settled))


def _rule(
    integrand: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    half = 0.5 * (high - low)
    points = (low + half)[:, None] + half[:, None] * _NODES
    with np.errstate(over="ignore", invalid="ignore"):
        values = integrand(points.ravel()).reshape(points.shape)
        return np.asarray((values @ _WEIGHTS) * half)
