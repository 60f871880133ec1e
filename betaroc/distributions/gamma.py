"""The gamma distribution of positive scores, with both tails and their quantiles in logarithms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.polygamma import phi_tau
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.distributions.base import Distribution, Tail, TwoArrays

#: Below this scipy's tails are formed in log space.
_TINY = 1e-290
_TERMS, _STEPS = 400, 100
_LOGARITHM = Coordinate((0.0, math.inf))


@dataclass(frozen=True, eq=False, repr=False)
class Gamma(Distribution):
    """Gamma distribution of positive scores, such as distances.

        f(x) = x^(shape - 1) exp(-x / scale) / (Gamma(shape) scale^shape),   x > 0

    Parameters
    ----------
    shape : float
        Positive: below 1 the density has a pole at 0, above 1 a mode inside.
    scale : float
        Positive, in units of the score.

    Raises
    ------
    InputError, InputTypeError
        If a parameter is not finite and positive, or no number.

    Notes
    -----
    The mass below x vanishes like x^shape, the upper tail like x^(shape - 1) exp(-x / scale); far
    out both are taken in logarithms (NIST DLMF 8.7 and 8.9).

    Examples
    --------
    >>> from betaroc import Gamma
    >>> round(Gamma(1.0, 2.0).sf(6.0), 6)  # exp(-3)
    0.049787
    """

    shape: float
    scale: float

    _scales = (("shape", "log"), ("scale", "log"))

    @property
    def support(self) -> tuple[float, float]:
        """(0, inf)."""
        return 0.0, math.inf

    @property
    def mean(self) -> float:
        """shape scale."""
        return self.shape * self.scale

    @property
    def _sd(self) -> float:
        return math.sqrt(self.shape) * self.scale

    def _x(self, t: Thresholds) -> TwoArrays:
        """Scores in units of the scale, and logs."""
        with np.errstate(over="ignore", under="ignore"):
            x = np.maximum(t.theta, 0.0) / self.scale
        return x, _LOGARITHM.of(t) - math.log(self.scale)

    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        return self._tail(*self._x(t), lower=lower)

    def _tail(self, x: FloatArray, log_x: FloatArray, *, lower: bool) -> TwoArrays:
        from scipy.special import gammainc, gammaincc

        with np.errstate(under="ignore"):
            value, rest = (gammainc, gammaincc)[:: 1 if lower else -1]
            value, rest = value(self.shape, x), rest(self.shape, x)
        with np.errstate(divide="ignore"):
            log = np.where(value > 0.5, np.log1p(-rest), np.log(value))
        deep = (value < _TINY) & np.isfinite(log_x) & np.isfinite(x)
        if np.any(deep):
            log = np.array(log)
            of = self._log_lower if lower else self._log_upper
            log[deep] = of(np.asarray(x)[deep], np.asarray(log_x)[deep])
        return np.asarray(value), np.asarray(log)

    def _log_lower(self, x: FloatArray, log_x: FloatArray) -> FloatArray:
        from scipy.special import hyp1f1

        a, series = self.shape, np.log(hyp1f1(1.0, self.shape + 1.0, x))
        return np.asarray(a * log_x - x - math.lgamma(a + 1.0) + series)

    def _log_upper(self, x: FloatArray, log_x: FloatArray) -> FloatArray:
        a, fraction = self.shape, np.zeros(x.shape)
        for k in range(_TERMS, 0, -1):
            fraction = k * (k - a) / (x + 2.0 * k + 1.0 - a - fraction)
        return np.asarray(a * log_x - x - math.lgamma(a) - np.log(x + 1.0 - a - fraction))

    def _log_density(self, t: Thresholds) -> FloatArray:
        x, log_x = self._x(t)
        with np.errstate(invalid="ignore"):
            power = (self.shape - 1.0) * log_x if self.shape != 1.0 else 0.0
            inside = power - x - math.lgamma(self.shape) - math.log(self.scale)
        return np.where((t.theta < 0.0) | (x == np.inf), -np.inf, inside)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray((self.shape - 1.0) / t.theta - 1.0 / self.scale)

    def _inverse(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        from scipy.special import gammainccinv, gammaincinv

        with np.errstate(under="ignore", over="ignore"):
            x = np.array((gammaincinv if lower else gammainccinv)(self.shape, p))
        deep = (p < _TINY) & np.isfinite(log_p)
        a, goal = self.shape, log_p[deep]
        y = (goal + math.lgamma(a + 1.0)) / a if lower else np.log(np.maximum(a, 1.0) - goal)
        for _ in range(_STEPS if np.any(deep) else 0):
            with np.errstate(all="ignore"):
                log = self._tail(np.exp(y), y, lower=lower)[1]
                step = (goal - log) / np.exp(a * y - np.exp(y) - math.lgamma(a) - log)
            y = y + np.clip(step if lower else -step, -2.0, 2.0)
            if np.all(np.abs(step) <= 1e-15 * np.maximum(np.abs(y), 1.0)):
                break
        with np.errstate(under="ignore"):
            x[deep] = np.exp(y)
        return Thresholds.from_theta(self.scale * x)

    def _tails(self) -> tuple[Tail, Tail]:
        log_c = -math.lgamma(self.shape + 1.0) - self.shape * math.log(self.scale)
        upper = Tail(math.inf, 1, 1.0 / self.scale, power=self.shape - 1.0)
        return Tail(0.0, 1, self.shape, log_coefficient=log_c), upper

    def _unit_covariance(self) -> FloatArray:
        # psi'(a) a - 1 = a tau(a), of which no digits cancel.
        a, b, tau = self.shape, self.scale, phi_tau(self.shape)[1]
        trigamma = tau + 1.0 / a
        return np.array([[a, -b], [-b, trigamma * b * b]]) / (a * tau)

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        return np.asarray(rng.gamma(self.shape, self.scale, size), dtype=np.float64)


def gamma_mle(mean: float, gap: float) -> Gamma:
    """The likeliest distribution of a mean, and of log(mean) less the mean logarithm."""
    shape = (3.0 - gap + math.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    for _ in range(_STEPS):
        phi, tau = phi_tau(shape)
        step = (gap + phi) / (shape * tau)
        shape *= math.exp(-step)
        if abs(step) <= 1e-13:
            break
    return Gamma(shape, mean / shape)
