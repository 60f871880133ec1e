"""A generalised Pareto tail beyond a joint: what few extreme scores tell of rarer ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import finite
from betaroc.core.errors import InputError
from betaroc.core.thresholds import Thresholds
from betaroc.rendering.nouns import Noun


def snapped(place: Thresholds, scores: FloatArray, share: float) -> Thresholds:
    """A place that is one of these scores but for rounding by that share of it."""
    if scores.size == 0:
        return place
    nearest = scores[np.argmin(np.abs(scores - place.theta))]
    near = abs(nearest - place.theta) <= share * abs(nearest)
    return Thresholds.from_theta(np.array(nearest)) if near else place


#: Below this |z| three terms of the series of log1p(z)/z and expm1(z)/z are exact.
_STRAIGHT = 1e-5


@dataclass(frozen=True, eq=False, repr=False)
class ParetoTail(Noun):
    """The mass of one class beyond a joint, and how it thins out.

        P(beyond the joint by more than x) = mass G(x),   x >= 0
        G(x) = (1 + shape x / scale)^(-1/shape),          exp(-x / scale) of shape 0

    Of a shape below 0 nothing lies beyond x = -scale/shape.

    Parameters
    ----------
    mass : float
        P(beyond the joint), in (0, 1]; 1 where there is no body.
    shape : float
        Any number: 0 exponential, above 0 heavier, below 0 with an end.
    scale : float
        Positive, in units of the coordinate.
    joint : float, optional
        Where the tail begins, on the coordinate: the logit of a score in its range, else the score
        itself. Left out: where the body itself has so much mass beyond.

    Raises
    ------
    InputError
        If a number is not finite, `mass` outside (0, 1] or `scale` not positive.

    Notes
    -----
    Both tails of a class are such values: distances are counted away from the body. All is in
    logarithms, so that rates far below 1e-300 keep their digits. Formula: docs/theory.md, (13).

    Examples
    --------
    >>> from betaroc import ParetoTail
    >>> tail = ParetoTail(0.1, -0.5, 2.0)
    >>> tail.end
    4.0
    """

    mass: float
    shape: float
    scale: float
    joint: float | None = None

    def __post_init__(self) -> None:
        for name in ("mass", "shape", "scale"):
            object.__setattr__(self, name, finite(getattr(self, name), name))
        if self.joint is not None:
            object.__setattr__(self, "joint", finite(self.joint, "joint"))
        if not 0.0 < self.mass <= 1.0:
            raise InputError(f"mass must lie in (0, 1], a share of the class; got {self.mass!r}.")
        if not self.scale > 0.0:
            raise InputError(
                f"scale must be positive, a length on the coordinate; got {self.scale!r}."
            )

    @property
    def end(self) -> float:
        """Distance from the joint beyond which there is nothing; inf of shapes from 0 on."""
        return -self.scale / self.shape if self.shape < 0.0 else math.inf

    def _log_rate(self, x: npt.ArrayLike) -> FloatArray:
        """Log of P(beyond the joint by more than `x`); the log of `mass` at 0 and before."""
        return math.log(self.mass) - self._depth(np.asarray(x, dtype=np.float64))

    def _log_density(self, x: npt.ArrayLike) -> FloatArray:
        """Log density in the distance; -inf before the joint and beyond the end."""
        x = np.asarray(x, dtype=np.float64)
        depth = self._depth(x)
        with np.errstate(invalid="ignore"):
            inside = math.log(self.mass) - math.log(self.scale) - (1.0 + self.shape) * depth
        outside = (x < 0.0) | np.isposinf(depth)
        return np.where(outside & ~np.isnan(x), -np.inf, inside)

    def _distance(self, log_rate: npt.ArrayLike) -> FloatArray:
        """How far beyond the joint the rate has this log; 0 for rates of `mass` and more."""
        depth = np.maximum(math.log(self.mass) - np.asarray(log_rate, dtype=np.float64), 0.0)
        if self.shape == 0.0:
            return np.asarray(self.scale * depth)
        with np.errstate(all="ignore"):
            z = self.shape * depth
            bent = np.expm1(z) / np.float64(self.shape)
            straight = depth * (1.0 + z / 2.0 + z * z / 6.0)
            return np.asarray(self.scale * np.where(np.abs(z) < _STRAIGHT, straight, bent))

    def _depth(self, x: FloatArray) -> FloatArray:
        """-log G: log(1 + shape u) / shape, inf beyond the end."""
        with np.errstate(all="ignore"):
            u = np.maximum(x, 0.0) / self.scale
            if self.shape == 0.0:
                return np.asarray(u)
            z = self.shape * u
            bent = np.log1p(np.maximum(z, -1.0)) / np.float64(self.shape)
            straight = u * (1.0 - z / 2.0 + z * z / 3.0)
        depth = np.where(np.abs(z) < _STRAIGHT, straight, bent)
        return np.where(z <= -1.0, np.inf, depth)
