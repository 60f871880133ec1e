"""Distributions that a map makes standard normal: normal and sinh-arcsinh ones, their pairs."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, TypeGuard, cast

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import FitError
from betaroc.core.quadrature import integrate_panels
from betaroc.core.special import HALF_LOG_TWO_PI, exponential, log_ratio
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.distributions.base import Distribution, Expansion, Summit, Tail, TwoArrays, climb
from betaroc.distributions.pairs import ArrayFunction, Pair, closed_forms

#: Squares of sigmas beyond these lose digits, then themselves.
_LEAST, _MOST = 1e-145, 1e145
_LARGEST = float(np.finfo(np.float64).max)
#: Standard scores between which moments are integrated.
_PANELS = np.linspace(-38.0, 38.0, 77)


def normal_inverse_information(sigma: float) -> FloatArray:
    """Covariance of (mu, sigma) for one unit of weight."""
    square = sigma * sigma if _LEAST < sigma < _MOST else math.nan
    return np.array(((square, 0.0), (0.0, 0.5 * square)))


class NormalScore(Distribution):
    """A distribution of which an increasing map z of the score, its logit or log is normal."""

    coordinate: ClassVar[Coordinate] = Coordinate(None)

    @staticmethod
    @abstractmethod
    def _standard(y: FloatArray, *parameters: Any) -> FloatArray:
        """The standard scores z(y)."""

    @abstractmethod
    def _place(self, z: FloatArray) -> FloatArray:
        """The coordinates of standard scores."""

    @abstractmethod
    def _log_rate(self, y: FloatArray) -> FloatArray:
        """Log of the derivative of z(y)."""

    @abstractmethod
    def _slope(self, y: FloatArray) -> FloatArray:
        """Derivative of the log density of the coordinate."""

    @property
    def support(self) -> tuple[float, float]:
        return self.coordinate.bounds or (-math.inf, math.inf)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        def expected(function: ArrayFunction) -> float:
            def integrand(z: FloatArray) -> FloatArray:
                x = np.clip(self.coordinate.place(self._place(z)).theta, -_LARGEST, _LARGEST)
                return function(x) * np.exp(-0.5 * z * z - HALF_LOG_TWO_PI)

            try:
                with np.errstate(under="ignore"):
                    return integrate_panels(integrand, _PANELS)
            except FitError:  # a spread that doubles cannot hold
                return math.nan

        mean = expected(lambda x: x)
        width = expected(lambda x: np.abs(x - mean)) or 1.0
        return mean, width * math.sqrt(expected(lambda x: ((x - mean) / width) ** 2))

    def _z(self, t: Thresholds) -> FloatArray:
        return self._standard(
            self.coordinate.of(t), *(getattr(self, name) for name, _ in self._scales)
        )

    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        from scipy.special import log_ndtr, ndtr

        z = self._z(t) if lower else -self._z(t)
        return ndtr(z), log_ndtr(z)

    def _log_density(self, t: Thresholds) -> FloatArray:
        z = self._z(t)
        with np.errstate(over="ignore", invalid="ignore"):
            of_z = -0.5 * z * z + self._log_rate(self.coordinate.of(t)) - HALF_LOG_TWO_PI
            return np.where(np.isinf(z), -np.inf, of_z + self.coordinate.log_rise(t))

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            return self.coordinate.native_slope(t, self._slope(self.coordinate.of(t)))

    def _tail_quantile(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        from scipy.special import ndtri_exp

        z = np.asarray(ndtri_exp(log_p))
        return self.coordinate.place(self._place(z if lower else -z))

    def _tail_rows(self, values: Mapping[str, FloatArray], t: Thresholds) -> TwoArrays:
        from scipy.special import ndtr

        columns = (values.get(name, getattr(self, name)) for name, _ in self._scales)
        z = self._standard(self.coordinate.of(t), *columns)
        return ndtr(z), ndtr(-z)

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        return self.coordinate.place(self._place(rng.standard_normal(size))).theta


@dataclass(frozen=True, eq=False, repr=False)
class NormalCoordinate(NormalScore):
    """A distribution of which the score, its logit or logarithm is normal."""

    mu: float
    sigma: float

    _scales = (("mu", "plain"), ("sigma", "log"))
    #: Whether the moments of a sample are its fit.
    _of_moments: ClassVar[bool] = True

    @staticmethod
    def _standard(y: FloatArray, *parameters: Any) -> FloatArray:
        mu, sigma = parameters
        with np.errstate(over="ignore"):
            return np.asarray((y - mu) / sigma)

    def _place(self, z: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(self.mu + self.sigma * z)

    def _log_rate(self, y: FloatArray) -> FloatArray:
        return np.asarray(-math.log(self.sigma))

    def _slope(self, y: FloatArray) -> FloatArray:
        return np.asarray(-self._standard(y, self.mu, self.sigma) / self.sigma)

    def _tails(self) -> tuple[Tail, Tail]:
        lower, upper = (Tail(x, 2, centre=self.mu, width=self.sigma) for x in self.support)
        return lower, upper

    def _score(self, t: Thresholds) -> FloatArray:
        z = self._z(t)
        return np.asarray(np.stack([z, z * z - 1.0]) / self.sigma)

    def _unit_covariance(self) -> FloatArray:
        return normal_inverse_information(self.sigma)


def has_spread(law: Distribution) -> TypeGuard[NormalCoordinate]:
    """Whether the score, its logit or logarithm is normal."""
    return isinstance(law, NormalCoordinate) and law._of_moments


@dataclass(frozen=True, eq=False, repr=False)
class Normal(NormalCoordinate):
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
    InputError, InputTypeError
        If `mu` is not finite, `sigma` not finite and positive, or one of them not a number.

    Notes
    -----
    A pair has AUC = Phi((mu_c - mu_i) / sqrt(sigma_c^2 + sigma_i^2)) and, of unequal sigmas, one
    diagonal crossing.

    Examples
    --------
    >>> from betaroc import Normal
    >>> round(Normal(0.0, 1.0).sf(1.959963984540054), 6)
    0.025
    """

    @property
    def mean(self) -> float:
        """mu."""
        return self.mu

    @property
    def _sd(self) -> float:
        return self.sigma


class NormalPair(Pair):
    """Two normal distributions of one coordinate.

    With w the standard score of the narrower one, that of the wider is q w + delta.
    """

    def _parameters(self) -> tuple[float, float, float, float]:
        c: Any = self._base("client")
        i: Any = self._base("impostor")
        return c.mu, c.sigma, i.mu, i.sigma

    def _compared(self) -> tuple[float, float, float]:
        """q, 1 - q and delta."""
        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        narrow, wide = (mu_c, sigma_c), (mu_i, sigma_i)
        if not sigma_c < sigma_i:
            narrow, wide = wide, narrow
        delta = (0.5 * narrow[0] - 0.5 * wide[0]) / (0.5 * wide[1])
        return narrow[1] / wide[1], (wide[1] - narrow[1]) / wide[1], delta

    def _at(self, scores: list[float]) -> Thresholds:
        """Thresholds at standard scores of the narrower one."""
        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        mu, sigma = (mu_c, sigma_c) if sigma_c < sigma_i else (mu_i, sigma_i)
        places = []
        for w in scores:
            x = mu + sigma * w
            lost = x == mu and w != 0.0
            places.append(math.nextafter(x, math.copysign(math.inf, w)) if lost else x)
        known = np.array(sorted(x for x in places if math.isfinite(x)))
        return cast(NormalScore, self._base("client")).coordinate.place(known)

    def ratio_roots(self, level: float) -> Thresholds:
        """Where (1 - q^2) w^2 - 2 q delta w = delta^2 + 2 gap."""
        _, sigma_c, _, sigma_i = self._parameters()
        gap = log_ratio(sigma_c, sigma_i) + level - self._log_share()
        gap = -gap if sigma_c < sigma_i else gap
        q, short, delta = self._compared()
        rest, reach = short * (1.0 + q), math.sqrt(2.0 * abs(gap))
        width = reach * math.sqrt(rest)
        if gap >= 0.0:
            root = math.hypot(delta, width)
        elif abs(delta) > width:
            root = math.sqrt(abs(delta) - width) * math.sqrt(abs(delta) + width)
        else:
            return self._at([])
        big = q * delta + math.copysign(root, delta)
        if big == 0.0:
            return self._at([])
        if gap >= 0.0:
            other = -(delta * (delta / big) + reach * (reach / big))
        else:
            other = -((delta - reach) * ((delta + reach) / big))
        return self._at([other] if rest == 0.0 else [big / rest, other])

    def turning_points(self) -> Thresholds:
        """Where (x - mu) / sigma^2 agree."""
        q, short, delta = self._compared()
        return self._at([q * delta / (short * (1.0 + q))] if short else [])

    def diagonal_roots(self) -> Thresholds | None:
        """Where the standard scores agree."""
        if self.atom_places.size:
            return None
        _, short, delta = self._compared()
        return self._at([delta / short] if short else [])

    def balance_root(self, weight_far: float = 1.0, weight_frr: float = 1.0) -> Thresholds | None:
        """Where the standard scores are opposite, if the weights are equal."""
        if self.atom_places.size or weight_far != weight_frr:
            return super().balance_root(weight_far, weight_frr)
        q, _, delta = self._compared()
        return self._at([-delta / (1.0 + q)])[0]

    def decisive_sides(self) -> tuple[float, float] | None:
        """Unequal sigmas always give an improper region."""
        if self.atom_places.size:
            return None
        mu_c, sigma_c, mu_i, sigma_i = self._parameters()
        if sigma_c != sigma_i:
            return (-1.0, 1.0) if sigma_c > sigma_i else (1.0, -1.0)
        side = float(np.sign(mu_c - mu_i))
        return side, side

    def auc_continuous(self) -> float:
        from scipy.special import ndtr

        # In halves, of which difference and spread are doubles.
        mu_c, sigma_c, mu_i, sigma_i = (0.5 * value for value in self._parameters())
        return float(ndtr((mu_c - mu_i) / math.hypot(sigma_c, sigma_i)))


closed_forms(Normal, Normal, NormalPair)


# ----------------------------------------------------------------------
# Normal on another scale: the logit-normal and the log-normal distribution.
@dataclass(frozen=True, eq=False, repr=False)
class LogitNormal(NormalCoordinate):
    """Scores on (0, 1) whose logit is normal.

        f(x) = exp(-(logit x - mu)^2 / (2 sigma^2)) / (sigma sqrt(2 pi) x (1 - x))

    Parameters
    ----------
    mu, sigma : float
        Mean and standard deviation of the logit.

    Raises
    ------
    InputError, InputTypeError
        As :class:`Normal`.

    Notes
    -----
    The ROC of a pair is that of the binormal pair of the logits. Mean and variance are quadratures
    (relative error 1e-12). The density vanishes at 0 and 1 faster than any power.

    Examples
    --------
    >>> from betaroc import LogitNormal
    >>> round(LogitNormal(0.0, 1.0).ppf(0.975), 6)  # 1 / (1 + exp(-1.959964))
    0.876529
    """

    on_unit = True
    coordinate = Coordinate((0.0, 1.0), on_unit=True)


@dataclass(frozen=True, eq=False, repr=False)
class LogNormal(NormalCoordinate):
    """Positive scores whose logarithm is normal.

        f(x) = exp(-(log x - mu)^2 / (2 sigma^2)) / (sigma sqrt(2 pi) x),   x > 0

    Parameters
    ----------
    mu, sigma : float
        Mean and standard deviation of the logarithm.

    Raises
    ------
    InputError, InputTypeError
        As :class:`Normal`.

    Notes
    -----
    The ROC of a pair is that of the binormal pair of the logarithms.

    Examples
    --------
    >>> from betaroc import LogNormal
    >>> round(LogNormal(0.0, 1.0).mean, 6)  # exp(1/2)
    1.648721
    """

    coordinate = Coordinate((0.0, math.inf))

    @property
    def mean(self) -> float:
        """exp(mu + sigma^2 / 2)."""
        return exponential(self.mu + 0.5 * self.sigma**2)

    @property
    def _sd(self) -> float:
        spread = self.sigma**2
        return exponential(self.mu + spread + 0.5 * math.log(-math.expm1(-spread)))

    def _tails(self) -> tuple[Tail, Tail]:
        lower, upper = super()._tails()
        return lower, replace(upper, order=-1)


closed_forms(LogitNormal, LogitNormal, NormalPair)
closed_forms(LogNormal, LogNormal, NormalPair)


# ----------------------------------------------------------------------
# The sinh-arcsinh normal distribution of a score or its logit: skewed, with tails of choice.
@dataclass(frozen=True, eq=False, repr=False)
class SinhArcsinh(NormalScore):
    """Sinh-arcsinh normal distribution of unbounded scores.

        F(x) = Phi(S(u)),   S(u) = sinh(tail_weight arcsinh(u) - skewness),
        u = (x - location) / scale

    Parameters
    ----------
    location : float
        Of skewness 0 the median.
    scale : float
        Positive, in units of the score.
    skewness : float
        Above 0 the upper tail is the longer.
    tail_weight : float
        Positive; below 1 tails are heavier than normal ones.

    Raises
    ------
    InputError, InputTypeError
        If a parameter is not finite or no number, or `scale` or `tail_weight` not positive.

    Notes
    -----
    Skewness 0 and tail weight 1 is the normal distribution. Log P falls like
    -abs(u)^(2 tail_weight). Mean and variance are quadratures.

    References
    ----------
    Jones, M. C. and Pewsey, A. (2009), Sinh-arcsinh distributions.

    Examples
    --------
    >>> from betaroc import SinhArcsinh
    >>> round(SinhArcsinh(0.0, 1.0, 0.5, 0.8).ppf(0.5), 6)  # sinh(0.5 / 0.8)
    0.666492
    """

    location: float
    scale: float
    skewness: float = 0.0
    tail_weight: float = 1.0

    _scales = (
        ("location", "plain"), ("scale", "log"), ("skewness", "plain"), ("tail_weight", "log"),
    )  # fmt: skip

    @staticmethod
    def _standard(y: FloatArray, *parameters: Any) -> FloatArray:
        location, scale, skewness, tail_weight = parameters
        with np.errstate(over="ignore"):
            w = tail_weight * np.arcsinh((y - location) / scale) - skewness
            return np.asarray(np.sinh(w))

    def _place(self, z: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            u = np.sinh((np.arcsinh(z) + self.skewness) / self.tail_weight)
            return np.asarray(self.location + self.scale * u)

    def _inner(self, y: FloatArray) -> TwoArrays:
        """u and w = arcsinh(S(u))."""
        u = (y - self.location) / self.scale
        return u, self.tail_weight * np.arcsinh(u) - self.skewness

    def _log_rate(self, y: FloatArray) -> FloatArray:
        u, w = self._inner(y)
        rise = np.logaddexp(w, -w) - math.log(2.0) - np.log(np.hypot(1.0, u))
        return np.asarray(rise + math.log(self.tail_weight) - math.log(self.scale))

    def _by_w(self, w: FloatArray) -> FloatArray:
        """Derivative of log cosh(w) - sinh(w)^2 / 2."""
        return np.asarray(np.tanh(w) - 0.5 * np.sinh(2.0 * w))

    def _slope(self, y: FloatArray) -> FloatArray:
        u, w = self._inner(y)
        root = np.hypot(1.0, u)
        return np.asarray((self._by_w(w) * self.tail_weight - u / root) / root / self.scale)

    def _tails(self) -> tuple[Tail, Tail]:
        tails = []
        for place, sign in zip(self.support, (-1.0, 1.0), strict=True):
            reach = (math.log(2.0) + sign * self.skewness) / self.tail_weight - math.log(2.0)
            width = self.scale * float(np.exp(min(reach, 700.0)))
            order = 2.0 * self.tail_weight
            tails.append(Tail(place, order, 0.5 / width, centre=self.location, width=width))
        return tails[0], tails[1]

    def _score(self, t: Thresholds) -> FloatArray:
        y = self.coordinate.of(t)
        (u, w), slope = self._inner(y), self._slope(y)
        by_w = self._by_w(w)
        weight = by_w * np.arcsinh(u) + 1.0 / self.tail_weight
        return np.stack([-slope, -u * slope - 1.0 / self.scale, -by_w, weight])


@dataclass(frozen=True, eq=False, repr=False)
class LogitSinhArcsinh(SinhArcsinh):
    """Scores on (0, 1) whose logit has a sinh-arcsinh normal distribution.

        F(x) = Phi(S(u)),   S(u) = sinh(tail_weight arcsinh(u) - skewness),
        u = (logit x - location) / scale

    Parameters
    ----------
    location, scale, skewness, tail_weight : float
        As of `SinhArcsinh`, of the logit.

    Raises
    ------
    InputError, InputTypeError
        As `SinhArcsinh`.

    Notes
    -----
    Of tail weight 1/2 the mass at an end falls like a power of the distance to it, of larger ones
    faster.

    Examples
    --------
    >>> from betaroc import LogitSinhArcsinh
    >>> round(LogitSinhArcsinh(0.0, 1.0, 0.5, 0.8).ppf(0.5), 6)  # logit sinh(0.5 / 0.8)
    0.660717
    """

    on_unit = True
    coordinate = Coordinate((0.0, 1.0), on_unit=True)


# ------------------------------------------------------------------------- maximum likelihood
#: Curvatures of the penalty in (location, log scale, skewness, log tail_weight).
_PENALTY = np.array([0.0, 0.0, 0.04, 0.25])
_STARTS = ((0.0, 1.0), (0.7, 0.7), (-0.7, 0.7))
#: Standard score of the upper quartile.
_QUARTILE = 0.6744897501960817
#: Starts are compared on so many quantiles at most.
_THIN = 2000
_STEPS, _TINY_GRADIENT = 400, 1e-10
#: A scale below this share of the quartiles' distance is a point mass.
_NARROWEST = 1e-3


def sinh_arcsinh_mle(
    y: FloatArray, weights: FloatArray | None = None, start: SinhArcsinh | None = None
) -> tuple[tuple[float, ...], FloatArray, float, int, float] | None:
    """Maximum likelihood with a weak penalty of the shape; None where there is no maximum.

        sum of log f - skewness^2 / 50 - (log tail_weight)^2 / 8

    From three starts, or uphill from `start`: parameters, their covariance times the weight,
    log-likelihood, iterations, largest slope.
    """
    copies = np.ones(y.size) if weights is None else weights
    total, order = float(np.sum(copies)), np.argsort(y, kind="stable")
    shares = copies / total
    upto = np.cumsum(shares[order]) - 0.5 * shares[order]
    low, centre, high = np.interp([0.25, 0.5, 0.75], upto, y[order]).tolist()
    spread = 2.0 * math.sqrt(float(shares @ (y / 2.0 - centre / 2.0) ** 2))
    unit = (high - low) / (2.0 * _QUARTILE) or spread
    x = (y - centre) / unit
    if start is not None:
        place = [(start.location - centre) / unit, math.log(start.scale / unit), start.skewness]
        place.append(math.log(start.tail_weight))
        result = _climbed(x, shares, total, np.array(place))
    else:
        few = x.size <= _THIN
        thin = x if few else np.interp((np.arange(_THIN) + 0.5) / _THIN, upto, x[order])
        thin_shares = shares if few else np.full(_THIN, 1.0 / _THIN)
        climbs = [_climbed(thin, thin_shares, total, _start(*shape)) for shape in _STARTS]
        result = max(climbs, key=lambda item: (item.norm <= _TINY_GRADIENT, item.value))
        result = result if few else _climbed(x, shares, total, result.place)
    scale, tail_weight = np.exp(result.place[[1, 3]]).tolist()
    known = np.all(np.isfinite(result.hessian)) and result.norm <= _TINY_GRADIENT
    if not known or scale < _NARROWEST or not np.all(np.linalg.eigvalsh(-result.hessian) > 0.0):
        return None
    rates = np.array([unit, unit * scale, 1.0, tail_weight])
    location, _, skewness, _ = result.place.tolist()
    values = centre + unit * location, unit * scale, skewness, tail_weight
    covariance = np.linalg.inv(-result.hessian) * rates[:, None] * rates
    likelihood = total * (result.value - math.log(unit)) + 0.5 * float(_PENALTY @ result.place**2)
    return values, covariance, likelihood, result.iterations, result.norm


def _start(skewness: float, tail_weight: float) -> FloatArray:
    """Where median and quartiles are those of the scores."""
    bent = np.arcsinh(np.array([-_QUARTILE, 0.0, _QUARTILE]))
    low, middle, high = np.sinh((bent + skewness) / tail_weight).tolist()
    scale = 2.0 * _QUARTILE / (high - low)
    return np.array([-scale * middle, math.log(scale), skewness, math.log(tail_weight)])


def _climbed(x: FloatArray, shares: FloatArray, total: float, place: FloatArray) -> Summit:
    return climb(partial(_height, x, shares, total), place, tiny=_TINY_GRADIENT / 100, steps=_STEPS)


def _height(x: FloatArray, shares: FloatArray, total: float, place: FloatArray) -> Expansion:
    """log cosh(w) - sinh(w)^2/2 - log(1 + u^2)/2, and its slopes."""
    scale, weight = math.exp(place[1]), math.exp(place[3])
    with np.errstate(all="ignore"):
        u = (x - place[0]) / scale
        r = 1.0 / np.hypot(1.0, u)
        bent, rise = weight * np.arcsinh(u), weight * r
        power = np.exp(bent - place[2])
        sinh, cosh = 0.5 * (power - 1.0 / power), 0.5 * (power + 1.0 / power)
        h1, h2 = sinh / cosh - sinh * cosh, 1.0 / cosh**2 - cosh**2 - sinh**2
        k1, k2 = -u * r * r, (u * u - 1.0) * (r * r) ** 2
        value = float(shares @ (np.log(cosh * r) - 0.5 * sinh**2))
        none = np.zeros(u.size)
        by_u = np.stack([np.full(u.size, -1.0 / scale), -u, none, none])
        by_w = rise * by_u + np.stack([none, none, none - 1.0, bent])
        gradient = by_w @ (shares * h1) + by_u @ (shares * k1)
        hessian = (shares * h2 * by_w) @ by_w.T
        hessian += (shares * (k2 - h1 * rise * u * r * r) * by_u) @ by_u.T
        turn, cross = shares * (k1 + h1 * rise), by_u @ (shares * h1 * rise)
    hessian[:2, :2] += [[0.0, turn.sum() / scale], [turn.sum() / scale, turn @ u]]
    hessian[3] += cross
    hessian[:, 3] += cross
    hessian[3, 3] += shares @ (h1 * bent)
    pull = _PENALTY / total
    value += float(place[3] - place[1]) - HALF_LOG_TWO_PI - 0.5 * float(pull @ place**2)
    gradient += np.array([0.0, -1.0, 0.0, 1.0]) - pull * place
    return value, gradient, hessian - np.diag(pull)
