"""The coordinate on which tails are generalised Pareto."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds

__all__ = ["Coordinate", "snapped"]


class Coordinate(NamedTuple):
    """Where tails are straight: the logit of a score in its bounds, else the score itself."""

    bounds: tuple[float, float] | None
    on_unit: bool = False

    def of(self, t: Thresholds) -> FloatArray:
        """The coordinate of thresholds."""
        if self.on_unit:
            return t.logit
        if self.bounds is None:
            return t.theta
        low, high = self.bounds
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = np.log(t.theta - low) - np.log(high - t.theta)
        return np.where(t.theta <= low, -np.inf, np.where(t.theta >= high, np.inf, inside))

    def place(self, y: Any) -> Thresholds:
        """Thresholds at coordinates."""
        if self.on_unit:
            return Thresholds.from_logit(y)
        if self.bounds is None:
            return Thresholds.from_theta(y)
        low, high = self.bounds
        inner = Thresholds.from_logit(y)
        near_high = high - (high - low) * inner.complement
        return Thresholds.from_theta(
            np.where(inner.logit > 0.0, near_high, low + (high - low) * inner.theta)
        )

    def log_rise(self, t: Thresholds) -> FloatArray:
        """Log of the coordinate's derivative in the native one: logit on [0, 1], else the score."""
        if self.on_unit or self.bounds is None:
            return np.zeros(t.shape)
        low, high = self.bounds
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(math.log(high - low) - np.log(t.theta - low) - np.log(high - t.theta))

    def native_slope(self, t: Thresholds, slope: FloatArray) -> FloatArray:
        """Of a log density in the score by the native coordinate, from that of one in this."""
        if self.on_unit:
            return np.asarray(slope - (t.complement - t.theta))
        if self.bounds is None:
            return slope
        low, high = self.bounds
        bend = 1.0 / (high - t.theta) - 1.0 / (t.theta - low)
        return np.asarray(slope * np.exp(self.log_rise(t)) + bend)


def snapped(place: Thresholds, scores: FloatArray, share: float) -> Thresholds:
    """A place that is one of these scores but for rounding by that share of it."""
    if scores.size == 0:
        return place
    nearest = scores[np.argmin(np.abs(scores - place.theta))]
    near = abs(nearest - place.theta) <= share * abs(nearest)
    return Thresholds.from_theta(np.array(nearest)) if near else place
