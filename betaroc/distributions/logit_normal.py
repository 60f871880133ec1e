"""The logit-normal law: normal on the log-odds scale, for scores on (0, 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import finite, positive
from betaroc.core.quadrature import integrate_panels
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Distribution, Parameter, Tail
from betaroc.distributions.normal import (
    Normal,
    NormalPair,
    normal_inverse_information,
    normal_log_density,
    normal_quantile_of,
    normal_score,
    normal_tail,
    place_of,
    standard_score,
)
from betaroc.distributions.pairs import closed_forms


@dataclass(frozen=True, eq=False, repr=False)
class LogitNormal(Distribution):
    """Scores on (0, 1) whose logit is normal.

        f(x) = exp(-(logit x - mu)^2 / (2 sigma^2)) / (sigma sqrt(2 pi) x (1 - x))

    Parameters
    ----------
    mu : float
        Mean of the logit.
    sigma : float
        Standard deviation of the logit, positive.

    Raises
    ------
    InputError
        If `mu` is not finite or `sigma` not finite and positive.
    InputTypeError
        If a parameter is not a number.

    Notes
    -----
    Every statement on the ROC of a pair equals that of the binormal pair on the
    logit scale. Mean and variance are quadratures (relative error 1e-12). The
    density vanishes at 0 and 1 faster than any power.

    Examples
    --------
    >>> from betaroc import LogitNormal
    >>> distribution = LogitNormal(0.0, 1.0)
    >>> distribution.cdf(0.5), round(distribution.ppf(0.975), 6)  # 1 / (1 + exp(-1.959964))
    (0.5, 0.876529)
    """

    mu: float
    sigma: float

    on_unit = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", finite(self.mu, "mu"))
        object.__setattr__(self, "sigma", positive(self.sigma, "sigma"))

    @property
    def support(self) -> tuple[float, float]:
        """(0, 1)."""
        return 0.0, 1.0

    @cached_property
    def _moments(self) -> tuple[float, float]:
        breaks = self.mu + self.sigma * np.linspace(-10.0, 10.0, 41)

        def weighted(power: int, centre: float) -> float:
            def integrand(y: FloatArray) -> FloatArray:
                t = Thresholds.from_logit(y)
                return (t.theta - centre) ** power * np.exp(self._log_density(t))

            return integrate_panels(integrand, breaks)

        mean = weighted(1, 0.0)
        return mean, weighted(2, mean)

    @property
    def mean(self) -> float:
        """Expected score, by quadrature."""
        return self._moments[0]

    @property
    def var(self) -> float:
        """Variance of the score, by quadrature."""
        return self._moments[1]

    def _z(self, t: Thresholds) -> FloatArray:
        return standard_score(t.logit, self.mu, self.sigma)

    def _lower(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        return normal_tail(self._z(t))

    def _upper(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        return normal_tail(-self._z(t))

    def _log_density(self, t: Thresholds) -> FloatArray:
        return normal_log_density(self._z(t), self.sigma)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(-self._z(t) / self.sigma - (t.complement - t.theta))

    def _lower_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return Thresholds.from_logit(self._place(normal_quantile_of(p, log_p)))

    def _upper_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return Thresholds.from_logit(self._place(-normal_quantile_of(p, log_p)))

    def _place(self, z: FloatArray) -> FloatArray:
        return place_of(z, self.mu, self.sigma)

    def _tails(self) -> tuple[Tail, Tail]:
        lower, upper = (Tail(x, 2, centre=self.mu, width=self.sigma) for x in self.support)
        return lower, upper

    def _parameters(self) -> tuple[Parameter, ...]:
        return Parameter("mu", self.mu, "plain"), Parameter("sigma", self.sigma, "log")

    def _score(self, t: Thresholds) -> FloatArray:
        return normal_score(self._z(t), self.sigma)

    def _unit_covariance(self) -> FloatArray:
        return np.array(normal_inverse_information(self.sigma))

    def _tail_rows(
        self, values: Mapping[str, FloatArray], t: Thresholds
    ) -> tuple[FloatArray, FloatArray]:
        from scipy.special import ndtr

        z = (t.logit - values.get("mu", self.mu)) / values.get("sigma", self.sigma)
        return ndtr(z), ndtr(-z)

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        return Thresholds.from_logit(rng.normal(self.mu, self.sigma, size)).theta


def has_spread(law: Distribution) -> TypeGuard[Normal | LogitNormal]:
    """Whether a distribution is normal, of the score or of its logit."""
    return isinstance(law, Normal | LogitNormal)


closed_forms(LogitNormal, LogitNormal, NormalPair)
