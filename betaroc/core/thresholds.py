"""Thresholds that keep their precision at both ends of [0, 1].

A threshold near 1 is lost in ``theta`` and one near 0 underflows, so a
threshold travels as the triple (theta, 1 - theta, logit theta), each computed
directly. Outside [0, 1] the logit is infinite and ``theta`` alone speaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.value import Value

#: Largest finite logit: "just below 1", where every continuous distribution has its limit.
BELOW_ONE = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False, repr=False)
class Thresholds(Value):
    """An array of thresholds; the three arrays have one shape."""

    theta: FloatArray
    complement: FloatArray
    logit: FloatArray

    @classmethod
    def from_theta(cls, theta: npt.ArrayLike) -> Thresholds:
        """Thresholds given on the score scale."""
        value = np.asarray(theta, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            complement = 1.0 - value
            inside = np.log(value) - np.log1p(-value)
            logit = np.where(value <= 0.0, -np.inf, np.where(value >= 1.0, np.inf, inside))
        return cls(value, complement, logit)

    @classmethod
    def from_logit(cls, logit: npt.ArrayLike) -> Thresholds:
        """Thresholds given as log(theta / (1 - theta))."""
        y = np.asarray(logit, dtype=np.float64)
        with np.errstate(under="ignore"):
            small = np.exp(-np.abs(y))
            near, far = small / (1.0 + small), 1.0 / (1.0 + small)
        up = y >= 0.0
        return cls(np.where(up, far, near), np.where(up, near, far), y)

    @classmethod
    def from_both(cls, theta: FloatArray, logit: FloatArray) -> Thresholds:
        """Thresholds given on both scales; the logit is nan off the scale [0, 1]."""
        inside = cls.from_logit(logit).complement
        return cls(theta, np.where(np.isnan(logit), 1.0 - theta, inside), logit)

    @classmethod
    def concatenate(cls, parts: list[Thresholds]) -> Thresholds:
        """One flat array of all thresholds, in the order given."""
        return cls(
            np.concatenate([np.ravel(p.theta) for p in parts]),
            np.concatenate([np.ravel(p.complement) for p in parts]),
            np.concatenate([np.ravel(p.logit) for p in parts]),
        )

    def __getitem__(self, index: Any) -> Thresholds:
        return Thresholds(
            np.asarray(self.theta[index]),
            np.asarray(self.complement[index]),
            np.asarray(self.logit[index]),
        )

    def reshape(self, shape: tuple[int, ...]) -> Thresholds:
        """The same thresholds in another shape."""
        return Thresholds(*(v.reshape(shape) for v in (self.theta, self.complement, self.logit)))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.theta.shape

    @property
    def size(self) -> int:
        return self.theta.size

    def order(self) -> IntArray:
        """Indices that sort the thresholds upwards, theta first and logit where it rounds."""
        return np.lexsort((self.logit, self.theta))

    @property
    def log_jacobian(self) -> FloatArray:
        """log(theta (1 - theta)): from a density in theta to one in logit theta."""
        return -softplus(self.logit) - softplus(-self.logit)


def choose(condition: BoolArray, first: Thresholds, second: Thresholds) -> Thresholds:
    """The first thresholds where the condition holds, the second elsewhere."""
    return Thresholds(
        np.where(condition, first.theta, second.theta),
        np.where(condition, first.complement, second.complement),
        np.where(condition, first.logit, second.logit),
    )


def softplus(y: npt.ArrayLike) -> FloatArray:
    """log(1 + exp(y)) without overflow; 0 at -inf, inf at inf."""
    value = np.asarray(y, dtype=np.float64)
    with np.errstate(under="ignore"):
        return np.asarray(np.maximum(value, 0.0) + np.log1p(np.exp(-np.abs(value))))
