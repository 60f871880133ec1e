"""Mean and standard deviation of a sample, the sums of normal laws."""

from __future__ import annotations

import math

import numpy as np

from betaroc.core.thresholds import FloatArray
from betaroc.estimation.sums import EXACT_SUM

__all__ = ["mean_of", "moments"]


def mean_of(values: FloatArray, weights: FloatArray | None, total: float) -> float:
    """Weighted mean, exact up to rounding for 100 000 values."""
    parts = values if weights is None else weights * values
    if parts.size <= EXACT_SUM:
        return math.fsum(parts.tolist()) / total
    return float(parts.sum()) / total


def moments(
    values: FloatArray, weights: FloatArray | None, total: float, low: float, high: float
) -> tuple[float, float]:
    """Mean and standard deviation (divisor n), without overflow and without cancellation."""
    _, exponent = math.frexp(max(abs(low), abs(high)))
    scaled = np.ldexp(values, -exponent)
    centre = mean_of(scaled, weights, total)
    away = scaled - centre
    width = float(np.abs(away).max())
    if width == 0.0:
        return math.ldexp(centre, exponent), 0.0
    residual = mean_of(away, weights, total)
    spread = mean_of((away / width) ** 2, weights, total) - (residual / width) ** 2
    return math.ldexp(centre, exponent), math.ldexp(width * math.sqrt(spread), exponent)
