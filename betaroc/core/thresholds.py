"""Thresholds that keep their precision at both ends of [0, 1]: theta, 1 - theta and logit theta.

Outside [0, 1] the logit is infinite and ``theta`` alone speaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.value import Value

#: Largest finite logit: "just below 1", where every continuous distribution has its limit.
BELOW_ONE = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False, repr=False)
class Thresholds(Value, notices=False):
    """An array of thresholds; the three arrays have one shape."""

    theta: FloatArray
    complement: FloatArray
    logit: FloatArray

    @classmethod
    def from_theta(cls, theta: npt.ArrayLike) -> Thresholds:
        value = np.asarray(theta, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            inside = np.minimum(np.maximum(value, 0.0), 1.0)
            return cls(value, 1.0 - value, np.log(inside) - np.log1p(-inside))

    @classmethod
    def from_logit(cls, logit: npt.ArrayLike) -> Thresholds:
        y = np.asarray(logit, dtype=np.float64)
        with np.errstate(under="ignore"):
            small = np.exp(-np.abs(y))
            near, far = small / (1.0 + small), 1.0 / (1.0 + small)
        up = y >= 0.0
        return cls(np.where(up, far, near), np.where(up, near, far), y)

    @classmethod
    def from_both(cls, theta: FloatArray, logit: FloatArray) -> Thresholds:
        """Thresholds on both scales; the logit is nan off [0, 1]."""
        inside = cls.from_logit(logit).complement
        return cls(theta, np.where(np.isnan(logit), 1.0 - theta, inside), logit)

    @classmethod
    def concatenate(cls, parts: list[Thresholds]) -> Thresholds:
        """One flat array of all thresholds, in the order given."""
        scales = zip(*(part._scales for part in parts), strict=True)
        return cls(*(np.concatenate([np.ravel(scale) for scale in of_all]) for of_all in scales))

    @property
    def _scales(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.theta, self.complement, self.logit

    def __getitem__(self, index: Any) -> Thresholds:
        return Thresholds(*[np.asarray(scale[index]) for scale in self._scales])

    def reshape(self, shape: tuple[int, ...]) -> Thresholds:
        return Thresholds(*[scale.reshape(shape) for scale in self._scales])

    @property
    def shape(self) -> tuple[int, ...]:
        return self.theta.shape

    @property
    def size(self) -> int:
        return self.theta.size

    def order(self) -> IntArray:
        """Indices that sort the thresholds upwards."""
        return np.lexsort((self.logit, self.theta))

    @property
    def log_jacobian(self) -> FloatArray:
        """log(theta (1 - theta))."""
        return -softplus(self.logit) - softplus(-self.logit)


class Coordinate(NamedTuple):
    """A scale on which scores are unbounded: the logit between bounds, log(s - low), or the score.

    `on_unit` the logit on [0, 1]; (low, inf) bounds have the logarithm.
    """

    bounds: tuple[float, float] | None
    on_unit: bool = False

    def of(self, t: Thresholds) -> FloatArray:
        if self.on_unit:
            return t.logit
        if self.bounds is None:
            return t.theta
        low, high = self.bounds
        with np.errstate(divide="ignore", invalid="ignore"):
            below = np.log(np.maximum(t.theta - low, 0.0))
            above = np.log(np.maximum(high - t.theta, 0.0)) if high < np.inf else 0.0
        # A logit knows scores that are too near to 0 or 1 for doubles.
        known = np.isfinite(t.logit)
        below = np.where(known, -softplus(-t.logit), below) if low == 0.0 else below
        above = np.where(known, -softplus(t.logit), above) if high == 1.0 else above
        return np.asarray(below - above)

    def place(self, y: Any) -> Thresholds:
        if self.on_unit:
            return Thresholds.from_logit(y)
        if self.bounds is None:
            return Thresholds.from_theta(y)
        low, high = self.bounds
        if high == np.inf:
            with np.errstate(over="ignore", under="ignore"):
                return Thresholds.from_theta(low + np.exp(y))
        inner = Thresholds.from_logit(y)
        near_high = high - (high - low) * inner.complement
        return Thresholds.from_theta(
            np.where(inner.logit > 0.0, near_high, low + (high - low) * inner.theta)
        )

    def log_rise(self, t: Thresholds) -> FloatArray:
        if self.on_unit or self.bounds is None:
            return np.zeros(t.shape)
        low, high = self.bounds
        if high == np.inf:
            return -self.of(t)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(high - low) - np.log(high - t.theta) - np.log(t.theta - low))

    def native_slope(self, t: Thresholds, slope: FloatArray) -> FloatArray:
        if self.on_unit:
            return np.asarray(slope - (t.complement - t.theta))
        if self.bounds is None:
            return slope
        low, high = self.bounds
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = 1.0 / (high - t.theta) - 1.0 / (t.theta - low)
            return np.asarray(slope * np.exp(self.log_rise(t)) + bend)


def choose(condition: BoolArray, first: Thresholds, second: Thresholds) -> Thresholds:
    """The first where the condition holds, the second elsewhere."""
    pairs = zip(first._scales, second._scales, strict=True)
    return Thresholds(*(np.where(condition, *pair) for pair in pairs))


def mirror(value: Any, lower_is_client: bool) -> Any:
    """-s of scores of which clients have the lower ones, as all inside is of higher ones; back too.

    Nothing is rounded, and 0 has no sign.
    """
    return 0.0 - value if lower_is_client else value


def softplus(y: npt.ArrayLike) -> FloatArray:
    """log(1 + exp(y)) without overflow; 0 at -inf, inf at inf."""
    value = np.asarray(y, dtype=np.float64)
    with np.errstate(under="ignore"):
        return np.asarray(np.maximum(value, 0.0) + np.log1p(np.exp(-np.abs(value))))
