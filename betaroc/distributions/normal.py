"""The normal law and the closed forms of the binormal pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc._checks import finite, positive
from betaroc._special import HALF_LOG_TWO_PI
from betaroc._thresholds import FloatArray, Thresholds
from betaroc.distributions.base import Distribution, Parameter, Tail
from betaroc.distributions.pairs import Pair, closed_forms

__all__ = ["Normal"]


def normal_tail(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Phi(z) and its log."""
    from scipy.special import log_ndtr, ndtr

    return ndtr(z), log_ndtr(z)


def normal_log_density(z: FloatArray, sigma: float) -> FloatArray:
    """log of the density at standard scores z of a law of that sigma."""
    with np.errstate(over="ignore"):
        return np.asarray(-0.5 * z * z - math.log(sigma) - HALF_LOG_TWO_PI)


def normal_quantile(log_p: FloatArray) -> FloatArray:
    """z with log Phi(z) = log_p."""
    from scipy.special import ndtri_exp

    return np.asarray(ndtri_exp(log_p))


def normal_quantile_of(p: FloatArray, log_p: FloatArray) -> FloatArray:
    """z with Phi(z) = p, beyond the median through 1 - p, which is exact there."""
    with np.errstate(divide="ignore"):
        upper = -normal_quantile(np.log(1.0 - np.where(p > 0.5, p, 0.5)))
    return np.where(p > 0.5, upper, normal_quantile(np.where(p > 0.5, -1.0, log_p)))


@dataclass(frozen=True, eq=False, repr=False)
class Normal(Distribution):
    """Normal distribution of unbounded scores, such as log-likelihood ratios.

        f(x) = exp(-(x - mu)^2 / (2 sigma^2)) / (sigma sqrt(2 pi))

    Parameters
    ----------
    mu : float
        Mean.
    sigma : float
        Standard deviation, positive.

    Raises
    ------
    InputError
        If `mu` is not finite or `sigma` not finite and positive.
    InputTypeError
        If a parameter is not a number.

    Notes
    -----
    The ROC of a pair has AUC = Phi((mu_c - mu_i) / sqrt(sigma_c^2 + sigma_i^2)) and
    is straight on normal deviates. Unequal sigmas always give one diagonal crossing:
    a hook at one end. Tails and inverses have relative error below 1e-12.

    Examples
    --------
    >>> from betaroc import Normal
    >>> round(Normal(0.0, 1.0).sf(1.959963984540054), 6)
    0.025
    """

    mu: float
    sigma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", finite(self.mu, "mu"))
        object.__setattr__(self, "sigma", positive(self.sigma, "sigma"))

    @property
    def support(self) -> tuple[float, float]:
        """(-inf, inf)."""
        return -math.inf, math.inf

    @property
    def mean(self) -> float:
        """mu."""
        return self.mu

    @property
    def var(self) -> float:
        """sigma^2."""
        return self.sigma**2

    def _z(self, t: Thresholds) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray((t.theta - self.mu) / self.sigma)

    def _lower(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        return normal_tail(self._z(t))

    def _upper(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        return normal_tail(-self._z(t))

    def _log_density(self, t: Thresholds) -> FloatArray:
        return normal_log_density(self._z(t), self.sigma)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        return np.asarray(-self._z(t) / self.sigma)

    def _lower_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return Thresholds.from_theta(self.mu + self.sigma * normal_quantile_of(p, log_p))

    def _upper_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return Thresholds.from_theta(self.mu - self.sigma * normal_quantile_of(p, log_p))

    def _tails(self) -> tuple[Tail, Tail]:
        rate = 0.5 / self.sigma**2
        return (
            Tail(-math.inf, 2, rate, centre=self.mu),
            Tail(math.inf, 2, rate, centre=self.mu),
        )

    def _parameters(self) -> tuple[Parameter, ...]:
        return Parameter("mu", self.mu, "plain"), Parameter("sigma", self.sigma, "log")

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        return np.asarray(rng.normal(self.mu, self.sigma, size), dtype=np.float64)


class NormalPair(Pair):
    """Two normal laws, on the score or on its logit: level sets are roots of a quadratic."""

    def _parameters(self) -> tuple[float, float, float, float]:
        c: Any = self._base("client")
        i: Any = self._base("impostor")
        return c.mu, c.sigma, i.mu, i.sigma

    def ratio_roots(self, level: float) -> Thresholds:
        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        # z is the impostor's standard score, g and r the client's place and width in it.
        g, r = (mu_c - mu_i) / sigma_i, sigma_c / sigma_i
        # log f_c/f_i = z^2/2 - (z - g)^2/(2 r^2) - log r
        two_a = (r - 1.0) * (r + 1.0)
        constant = g * g + 2.0 * r * r * (math.log(r) + level - self._log_share())
        roots = quadratic_roots(two_a, 2.0 * g, -constant)
        return self.place(mu_i + sigma_i * np.array(sorted(roots)))

    def turning_points(self) -> Thresholds:
        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        if sigma_c == sigma_i:
            return self.place(np.empty(0))
        r = sigma_c / sigma_i
        z = -(mu_c - mu_i) / sigma_i / ((r - 1.0) * (r + 1.0))
        return self.place(np.array([mu_i + sigma_i * z]))

    def shape_by_theorem(self) -> str | None:
        """Equal sigmas give a concave or convex curve, unequal ones always a hook."""
        if self.client.atoms.places.size or self.impostor.atoms.places.size:
            return None
        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        if sigma_c != sigma_i:
            return "hook-at-zero" if sigma_c > sigma_i else "hook-at-one"
        if mu_c == mu_i:
            return "chance"
        return "proper" if mu_c > mu_i else "below"

    def auc_continuous(self) -> float:
        from scipy.special import ndtr

        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        return float(ndtr((mu_c - mu_i) / math.hypot(sigma_c, sigma_i)))


def quadratic_roots(a: float, b: float, c: float) -> list[float]:
    """Real roots of a x^2 + b x + c, without cancellation; a double root is no sign change."""
    if a == 0.0:
        return [-c / b] if b != 0.0 else []
    inside = b * b - 4.0 * a * c
    if not inside > 0.0:
        return []
    q = -0.5 * (b + math.copysign(math.sqrt(inside), b))
    return [q / a, c / q] if q != 0.0 else [0.0]


closed_forms(Normal, Normal, NormalPair)
