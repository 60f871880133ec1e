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
    skewness) / tail_weight). Log P falls like -abs(u)^(2 tail_weight). Mean and variance are
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
#: Curvatures of the penalty in (location, log scale, skewness, log tail_weight).
_PENALTY = np.array([0.0, 0.0, 0.04, 0.25])
_STARTS = ((0.0, 1.0), (0.7, 0.7), (-0.7, 0.7))
#: Standard score of the upper quartile.
_QUARTILE = 0.6744897501960817
#: Starts are compared on so many quantiles at most.
_THIN = 2000
_STEPS, _HALVINGS, _TINY_GRADIENT, _NOISE = 400, 30, 1e-10, 1e-14
#: A scale below this share of the quartiles' distance is a point mass.
_NARROWEST = 1e-3


class _Climb(NamedTuple):
    """A place in the coordinates of the penalty, and the mean penalised log-likelihood there."""

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
) -> tuple[tuple[float, ...], FloatArray, float, int, float] | None:
    """Maximum likelihood with a weak penalty of the shape; None where there is no maximum.

        sum of log f - skewness^2 / 50 - (log tail_weight)^2 / 8

    The penalty weighs as much as one score and keeps small sets finite. There may be several
    maxima, and no bound where the scale shrinks to a point: this is the largest that Newton's
    method reaches from three starts, or the one that is uphill from `start`. Parameters, their
    covariance times the weight, log-likelihood, iterations and largest slope.
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
        found = _climbed(x, shares, total, np.array([*place, math.log(start.tail_weight)]))
    else:
        few = x.size <= _THIN
        thin = x if few else np.interp((np.arange(_THIN) + 0.5) / _THIN, upto, x[order])
        own = shares if few else np.full(_THIN, 1.0 / _THIN)
        climbs = [_climbed(thin, own, total, _start(*shape)) for shape in _STARTS]
        found = max(climbs, key=lambda one: (one.norm <= _TINY_GRADIENT, one.value))
        found = found if few else _climbed(x, shares, total, found.place)
    scale, tail_weight = np.exp(found.place[[1, 3]]).tolist()
    known = np.all(np.isfinite(found.hessian)) and found.norm <= _TINY_GRADIENT
    if not known or scale < _NARROWEST or not np.all(np.linalg.eigvalsh(-found.hessian) > 0.0):
        return None
    rates = np.array([unit, unit * scale, 1.0, tail_weight])
    values = centre + unit * float(found.place[0]), unit * scale, float(found.place[2]), tail_weight
    covariance = np.linalg.inv(-found.hessian) * rates[:, None] * rates
    likelihood = total * (found.value - math.log(unit)) + 0.5 * float(_PENALTY @ found.place**2)
    return values, covariance, likelihood, found.iterations, found.norm


def _start(skewness: float, tail_weight: float) -> FloatArray:
    """Where the median and the quartiles are those of the scores, in their units."""
    bent = np.arcsinh(np.array([-_QUARTILE, 0.0, _QUARTILE]))
    low, middle, high = np.sinh((bent + skewness) / tail_weight).tolist()
    scale = 2.0 * _QUARTILE / (high - low)
    return np.array([-scale * middle, math.log(scale), skewness, math.log(tail_weight)])


def _climbed(x: FloatArray, shares: FloatArray, total: float, place: FloatArray) -> _Climb:
    """Newton's method upwards; where the hill is not concave by the sizes of its curvatures."""
    at = _climb(x, shares, total, place)
    for iterations in range(1, _STEPS + 1):
        if not np.all(np.isfinite(at.hessian)):
            break
        curvature, directions = np.linalg.eigh(-at.hessian)
        step = directions @ ((directions.T @ at.gradient) / np.maximum(np.abs(curvature), 1e-9))
        step *= min(1.0, 1.0 / float(np.max(np.abs(step))))
        tries = (_climb(x, shares, total, at.place + step / 2.0**k) for k in range(_HALVINGS))
        least = at.value - _NOISE * max(1.0, abs(at.value))
        higher = next((tried for tried in tries if tried.value >= least), None)
        last = at.norm <= 0.01 * _TINY_GRADIENT  # one more step has the last digits
        at = at if higher is None else higher._replace(iterations=iterations)
        if higher is None or last:
            break
    return at


def _climb(x: FloatArray, shares: FloatArray, total: float, place: FloatArray) -> _Climb:
    """With w = bent - skewness: log cosh(w) - sinh(w)^2/2 and -log(1 + u^2)/2, and their slopes."""
    scale, weight = math.exp(place[1]), math.exp(place[3])
    with np.errstate(all="ignore"):
        u = (x - place[0]) / scale
        r = 1.0 / np.hypot(1.0, u)
        bent, rise = weight * np.arcsinh(u), weight * r
        power = np.exp(bent - place[2])
        sinh, cosh = 0.5 * (power - 1.0 / power), 0.5 * (power + 1.0 / power)
        h1, h2 = sinh / cosh - sinh * cosh, 1.0 / cosh**2 - cosh**2 - sinh**2
        k1, k2 = -u * r * r, (u * u - 1.0) * r**4
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
    return _Climb(place, value, gradient, hessian - np.diag(pull))
