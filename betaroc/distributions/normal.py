"""The normal distribution and the closed forms of the binormal pair."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import finite, positive
from betaroc.core.special import HALF_LOG_TWO_PI, exactly_scaled, log_ratio
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Distribution, Parameter, Tail
from betaroc.distributions.pairs import Pair, closed_forms

#: Squares of sigmas beyond these lose digits, then themselves.
_LEAST, _MOST = 1e-145, 1e145


def normal_tail(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Phi(z) and its log."""
    from scipy.special import log_ndtr, ndtr

    return ndtr(z), log_ndtr(z)


def normal_log_density(z: FloatArray, sigma: float) -> FloatArray:
    """log of the density at standard scores z of a distribution of that sigma."""
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


def standard_score(x: FloatArray, mu: float, sigma: float) -> FloatArray:
    """(x - mu) / sigma, infinite where no double holds it."""
    with np.errstate(over="ignore"):
        return np.asarray((x - mu) / sigma)


def place_of(z: FloatArray, mu: float, sigma: float) -> FloatArray:
    """mu + sigma z, infinite where no double holds it."""
    with np.errstate(over="ignore"):
        return np.asarray(mu + sigma * z)


def normal_score(z: FloatArray, sigma: float) -> FloatArray:
    """Derivatives of the log density in mu and in sigma at standard scores z."""
    return np.asarray(np.stack([z, z * z - 1.0]) / sigma)


def normal_inverse_information(sigma: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Covariance of (mu, sigma) for one unit of weight; nan where its square is no double."""
    if not _LEAST < sigma < _MOST:
        return ((math.nan, 0.0), (0.0, math.nan))
    return ((sigma * sigma, 0.0), (0.0, 0.5 * sigma * sigma))


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
    an improper region at one end. Tails and inverses have relative error below 1e-12.

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
        return self.sigma * self.sigma

    def _z(self, t: Thresholds) -> FloatArray:
        return standard_score(t.theta, self.mu, self.sigma)

    def _lower(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        return normal_tail(self._z(t))

    def _upper(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        return normal_tail(-self._z(t))

    def _log_density(self, t: Thresholds) -> FloatArray:
        return normal_log_density(self._z(t), self.sigma)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(-self._z(t) / self.sigma)

    def _lower_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return Thresholds.from_theta(self._place(normal_quantile_of(p, log_p)))

    def _upper_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return Thresholds.from_theta(self._place(-normal_quantile_of(p, log_p)))

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

        z = (t.theta - values.get("mu", self.mu)) / values.get("sigma", self.sigma)
        return ndtr(z), ndtr(-z)

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        return np.asarray(rng.normal(self.mu, self.sigma, size), dtype=np.float64)


class NormalPair(Pair):
    """Two normal distributions, on the score or on its logit: level sets are roots of a quadratic.

    Places are distances from the centre of the narrower distribution in scores, and no square of
    one is taken: sigmas and scores may be anything from 1e-300 to 1e300.
    """

    def _parameters(self) -> tuple[float, float, float, float]:
        c: Any = self._base("client")
        i: Any = self._base("impostor")
        return c.mu, c.sigma, i.mu, i.sigma

    def _narrow_and_wide(self) -> tuple[_Bell, _Bell]:
        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        client, impostor = _Bell(mu_c, sigma_c), _Bell(mu_i, sigma_i)
        return (client, impostor) if sigma_c < sigma_i else (impostor, client)

    def _has_atoms(self) -> bool:
        return bool(self.client.atoms.places.size or self.impostor.atoms.places.size)

    def ratio_roots(self, level: float) -> Thresholds:
        _, sigma_c, _, sigma_i = self._parameters()
        gap = log_ratio(sigma_c, sigma_i) + level - self._log_share()
        narrow, wide = self._narrow_and_wide()
        roots = _level_offsets(narrow, wide, -gap if sigma_c < sigma_i else gap)
        return self.place(_beside(narrow, roots))

    def turning_points(self) -> Thresholds:
        """Where (x - mu) / sigma^2 of both classes is one number."""
        narrow, wide = self._narrow_and_wide()
        if narrow.sigma == wide.sigma:
            return self.place(np.empty(0))
        q, rest = narrow.sigma / wide.sigma, _rest(narrow, wide)
        return self.place(_beside(narrow, [q * _scaled_distance(narrow, wide) / rest]))

    def diagonal_roots(self) -> Thresholds | None:
        """Where the standard scores of both classes are one number."""
        if self._has_atoms():
            return None
        narrow, wide = self._narrow_and_wide()
        if narrow.sigma == wide.sigma:
            return self.place(np.empty(0))
        share = (wide.sigma - narrow.sigma) / wide.sigma
        return self.place(_beside(narrow, [_scaled_distance(narrow, wide) / share]))

    def balance_root(self, weight_far: float = 1.0, weight_frr: float = 1.0) -> Thresholds | None:
        """Where the standard scores of both classes are opposite, if the weights are equal."""
        if self._has_atoms() or weight_far != weight_frr:
            return super().balance_root(weight_far, weight_frr)
        narrow, wide = self._narrow_and_wide()
        share = 1.0 + narrow.sigma / wide.sigma
        return self.place(_beside(narrow, [-_scaled_distance(narrow, wide) / share]))[0]

    def decisive_sides(self) -> tuple[float, float] | None:
        """Unequal sigmas give an improper region always, equal ones a concave or convex curve."""
        if self._has_atoms():
            return None
        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        if sigma_c != sigma_i:
            return (-1.0, 1.0) if sigma_c > sigma_i else (1.0, -1.0)
        side = float(np.sign(mu_c - mu_i))
        return side, side

    def auc_continuous(self) -> float:
        from scipy.special import ndtr

        # In larger units, in which the difference is a double; a power of 2 rounds nothing.
        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        far = max(abs(mu_c), abs(mu_i), sigma_c, sigma_i) > _FAR
        unit = _SMALLER if far else 1.0
        spread = math.hypot(unit * sigma_c, unit * sigma_i)
        return float(ndtr((unit * mu_c - unit * mu_i) / spread))


class _Bell(NamedTuple):
    mu: float
    sigma: float


#: Beyond this a sum of a few scores may overflow: it is taken in units that are larger.
_FAR, _SMALLER = 1e300, 2.0**-10


def _rest(narrow: _Bell, wide: _Bell) -> float:
    """1 - q^2 of the ratio q of the sigmas."""
    return (wide.sigma - narrow.sigma) / wide.sigma * (1.0 + narrow.sigma / wide.sigma)


def _scaled_distance(narrow: _Bell, wide: _Bell) -> float:
    """q (mu_n - mu_w): what the wider law's standard scores make of the distance."""
    far = max(abs(narrow.mu), abs(wide.mu)) > _FAR
    unit = _SMALLER if far else 1.0
    parts = [math.frexp(v) for v in (unit * narrow.mu - unit * wide.mu, *narrow[1:], *wide[1:])]
    (d, d_power), (n, n_power), (w, w_power) = parts
    power = d_power + n_power - w_power
    return exactly_scaled(d * n / w, power) / unit


def _level_offsets(narrow: _Bell, wide: _Bell, gap: float) -> list[float]:
    """x - mu_n at which log f_n / f_w is a level, of which `gap` = log sigma_w / sigma_n - level.

    With w = x - mu_n and a = q (mu_n - mu_w): (1 - q^2) w^2 - 2 q a w = a^2 + 2 sigma_n^2 gap. A
    double root is no sign change.
    """
    a, rest = _scaled_distance(narrow, wide), _rest(narrow, wide)
    reach = narrow.sigma * math.sqrt(2.0 * abs(gap))
    width = reach * math.sqrt(rest)
    if gap >= 0.0:
        root = math.hypot(a, width)
    elif abs(a) > width:
        root = math.sqrt(abs(a) - width) * math.sqrt(abs(a) + width)
    else:
        return []
    big = narrow.sigma / wide.sigma * a + math.copysign(root, a)
    if big == 0.0:
        return []
    if gap >= 0.0:
        other = -(a * (a / big) + reach * (reach / big))
    else:
        other = -((a - reach) * ((a + reach) / big))
    return [other] if rest == 0.0 else [big / rest, other]


def _beside(law: _Bell, offsets: list[float]) -> FloatArray:
    """Places beside the centre, ascending; the next double where that is lost in it."""
    places = []
    for offset in offsets:
        x = law.mu + offset
        lost = x == law.mu and offset != 0.0
        places.append(math.nextafter(x, math.copysign(math.inf, offset)) if lost else x)
    return np.array(sorted(x for x in places if math.isfinite(x)))


closed_forms(Normal, Normal, NormalPair)
