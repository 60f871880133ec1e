"""The sinh-arcsinh normal distribution of a score or its logit: skewed, with tails of choice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import finite, positive
from betaroc.core.special import HALF_LOG_TWO_PI
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.distributions.base import Parameter, Tail
from betaroc.distributions.normal import NormalScore


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
        Any number; above 0 the upper tail is the longer, 0 symmetric.
    tail_weight : float
        Positive; below 1 tails are heavier than normal ones, above 1 lighter.

    Raises
    ------
    InputError
        If a parameter is not finite, or `scale` or `tail_weight` not positive.
    InputTypeError
        If a parameter is not a number.

    Notes
    -----
    Jones and Pewsey write xi, eta, epsilon and delta. Skewness 0 and tail weight 1 is the normal
    distribution. Both tails are normal ones of S, and quantiles are closed: u = sinh((arcsinh(z) +
    skewness) / tail_weight). Log P falls like -|u|^(2 tail_weight). Mean and variance are
    quadratures.

    References
    ----------
    Jones, M. C. and Pewsey, A. (2009), Sinh-arcsinh distributions.

    Examples
    --------
    >>> from betaroc import SinhArcsinh
    >>> distribution = SinhArcsinh(0.0, 1.0, 0.5, 0.8)
    >>> round(distribution.ppf(0.5), 6)  # sinh(0.5 / 0.8)
    0.666492
    """

    location: float
    scale: float
    skewness: float = 0.0
    tail_weight: float = 1.0

    def __post_init__(self) -> None:
        for name in ("location", "skewness"):
            object.__setattr__(self, name, finite(getattr(self, name), name))
        for name in ("scale", "tail_weight"):
            object.__setattr__(self, name, positive(getattr(self, name), name))

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

    def _inner(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """u and w = arcsinh(S(u))."""
        u = (y - self.location) / self.scale
        return u, self.tail_weight * np.arcsinh(u) - self.skewness

    def _log_rate(self, y: FloatArray) -> FloatArray:
        u, w = self._inner(y)
        rise = np.logaddexp(w, -w) - math.log(2.0) - np.log(np.hypot(1.0, u))
        return np.asarray(rise + math.log(self.tail_weight) - math.log(self.scale))

    def _by_w(self, w: FloatArray) -> FloatArray:
        """Derivative of log density by w: that of log cosh(w) - sinh(w)^2 / 2."""
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

    def _parameters(self) -> tuple[Parameter, ...]:
        return (
            Parameter("location", self.location, "plain"), Parameter("scale", self.scale, "log"),
            Parameter("skewness", self.skewness, "plain"),
            Parameter("tail_weight", self.tail_weight, "log"),
        )  # fmt: skip

    def _score(self, t: Thresholds) -> FloatArray:
        y = self._y(t)
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
    Of tail weight 1/2 the mass at an end falls like a power of the distance to it, as that of a
    beta distribution does; of larger ones faster than any power.

    Examples
    --------
    >>> from betaroc import LogitSinhArcsinh
    >>> round(LogitSinhArcsinh(0.0, 1.0, 0.5, 0.8).ppf(0.5), 6)  # logit sinh(0.5 / 0.8)
    0.660717
    """

    on_unit = True
    coordinate = Coordinate((0.0, 1.0), on_unit=True)


# ------------------------------------------------------------------------- maximum likelihood
#: Curvatures of the penalty in the skewness and in log tail_weight.
_PENALTY = np.array([0.0, 0.0, 0.04, 0.25])
_STARTS = ((0.0, 1.0), (0.7, 0.7), (-0.7, 0.7))
#: Standard score of the upper quartile.
_QUARTILE = 0.6744897501960817
#: Starts are compared on so many quantiles at most.
_THIN = 2000
_STEPS, _HALVINGS = 100, 30
_TINY_GRADIENT = 1e-10
_NOISE = 1e-14
#: A scale below this share of the quartiles' distance is a point mass.
_NARROWEST = 1e-3


class SinhArcsinhMle(NamedTuple):
    """Parameters in order, their covariance times the weight, and the log-likelihood."""

    values: tuple[float, ...]
    covariance: FloatArray
    log_likelihood: float
    iterations: int
    gradient_norm: float


class _Climb(NamedTuple):
    """A place (location, log scale, skewness, log tail_weight), and the mean likelihood there."""

    place: FloatArray
    value: float
    gradient: FloatArray
    hessian: FloatArray
    iterations: int = 0

    @property
    def norm(self) -> float:
        return float(np.max(np.abs(self.gradient)))


def sinh_arcsinh_mle(
    y: FloatArray, weights: FloatArray | None = None, start: SinhArcsinh | None = None
) -> SinhArcsinhMle | None:
    """Maximum likelihood with a weak penalty of the shape; None where there is no maximum.

        sum of log f - skewness^2 / 50 - (log tail_weight)^2 / 8

    The penalty weighs as much as one score and keeps small sets finite. There may be several
    maxima, and no bound where the scale shrinks to a point: this is the largest that Newton's
    method reaches from three starts, or the one that is uphill from `start`.
    """
    copies = np.ones(y.size) if weights is None else weights
    total, order = float(np.sum(copies)), np.argsort(y, kind="stable")
    shares = copies / total
    upto = np.cumsum(shares[order]) - 0.5 * shares[order]
    low, centre, high = np.interp([0.25, 0.5, 0.75], upto, y[order]).tolist()
    spread = math.sqrt(float(shares @ (y / 2.0 - centre / 2.0) ** 2)) * 2.0
    unit = (high - low) / (2.0 * _QUARTILE) or spread
    x = (y - centre) / unit
    if start is not None:
        place = [(start.location - centre) / unit, math.log(start.scale / unit), start.skewness]
        found = _climbed(x, shares, total, np.array([*place, math.log(start.tail_weight)]))
    else:
        few = x.size <= _THIN
        levels = (np.arange(_THIN) + 0.5) / _THIN
        thin = x if few else np.interp(levels, upto, x[order])
        own = shares if few else np.full(_THIN, 1.0 / _THIN)
        climbs = [_climbed(thin, own, total, _start(*shape)) for shape in _STARTS]
        found = max(climbs, key=lambda one: (one.norm <= _TINY_GRADIENT, one.value))
        found = found if few else _climbed(x, shares, total, found.place)
    if not (np.all(np.isfinite(found.hessian)) and found.norm <= _TINY_GRADIENT):
        return None
    scale, tail_weight = np.exp(found.place[[1, 3]]).tolist()
    if scale < _NARROWEST or not np.all(np.linalg.eigvalsh(-found.hessian) > 0.0):
        return None
    rates = np.array([unit, unit * scale, 1.0, tail_weight])
    values = (centre + unit * float(found.place[0]), unit * scale, float(found.place[2]))
    return SinhArcsinhMle(
        (*values, tail_weight),
        np.linalg.inv(-found.hessian) * rates[:, None] * rates,
        total * (found.value - math.log(unit)) + 0.5 * float(_PENALTY @ found.place**2),
        found.iterations,
        found.norm,
    )


def _start(skewness: float, tail_weight: float) -> FloatArray:
    """Where the median and the quartiles are those of the scores, in their units."""
    bent = np.arcsinh(np.array([-_QUARTILE, 0.0, _QUARTILE]))
    low, middle, high = np.sinh((bent + skewness) / tail_weight).tolist()
    scale = 2.0 * _QUARTILE / (high - low)
    return np.array([-scale * middle, math.log(scale), skewness, math.log(tail_weight)])


def _climbed(x: FloatArray, shares: FloatArray, total: float, place: FloatArray) -> _Climb:
    """Newton's method upwards; where the hill is not concave by the sizes of its curvatures."""
    at, iterations = _derivatives(x, shares, total, place), 0
    while np.all(np.isfinite(at.hessian)) and at.norm > 0.01 * _TINY_GRADIENT:
        iterations += 1
        curvature, directions = np.linalg.eigh(-at.hessian)
        step = directions @ ((directions.T @ at.gradient) / np.maximum(np.abs(curvature), 1e-9))
        step *= min(1.0, 1.0 / float(np.max(np.abs(step))))
        for _ in range(_HALVINGS):
            tried = _derivatives(x, shares, total, at.place + step)
            if tried.value >= at.value - _NOISE * max(1.0, abs(at.value)):
                break
            step = 0.5 * step
        else:
            break
        at = tried
        if iterations == _STEPS or np.max(np.abs(step)) <= 1e-13:
            break
    return at._replace(iterations=iterations)


def _derivatives(x: FloatArray, shares: FloatArray, total: float, place: FloatArray) -> _Climb:
    """Of u and bent = tail_weight arcsinh(u): h1, h2 of w, f_u, f_uw ... of log f."""
    scale, weight = math.exp(place[1]), math.exp(place[3])
    with np.errstate(all="ignore"):
        u = (x - place[0]) / scale
        r = 1.0 / np.hypot(1.0, u)
        bent, slope = weight * np.arcsinh(u), weight * r
        power = np.exp(bent - place[2])
        sinh, cosh = 0.5 * (power - 1.0 / power), 0.5 * (power + 1.0 / power)
        h1, h2 = sinh / cosh - sinh * cosh, 1.0 / cosh**2 - cosh**2 - sinh**2
        f_u = h1 * slope - u * r * r
        f_uu = h2 * slope**2 - h1 * slope * u * r * r + (u * u - 1.0) * r**4
        f_uw, f_ul = h2 * slope, slope * (h2 * bent + h1)
        value = float(shares @ (np.log(cosh * r) - 0.5 * sinh**2))
        sums = shares @ np.stack([
            f_u, u * f_u, h1, h1 * bent, f_uu, u * f_uu, u * u * f_uu, f_uw, u * f_uw, f_ul,
            u * f_ul, h2, h2 * bent, h2 * bent**2,
        ]).T  # fmt: skip
    u1, uu1, w1, wb1, u2, uu2, uuu2, uw, uuw, ul, uul, w2, wb2, wbb2 = sums.tolist()
    pull = _PENALTY / total
    value += float(place[3] - place[1]) - HALF_LOG_TWO_PI - 0.5 * float(pull @ place**2)
    gradient = np.array([-u1 / scale, -uu1 - 1.0, -w1, wb1 + 1.0]) - pull * place
    hessian = np.array([
        [u2 / scale**2, (uu2 + u1) / scale, uw / scale, -ul / scale],
        [(uu2 + u1) / scale, uuu2 + uu1, uuw, -uul],
        [uw / scale, uuw, w2, -wb2],
        [-ul / scale, -uul, -wb2, wbb2 + wb1],
    ])  # fmt: skip
    return _Climb(place, value, gradient, hessian - np.diag(pull))
