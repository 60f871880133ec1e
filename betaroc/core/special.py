"""Special functions of the distributions: both tails, logs, in logit coordinates.

The incomplete beta ratio is scipy's where it does not underflow, else a continued fraction in log
space; the density has the deviance of Loader (2000), so that nothing large cancels.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core import errors, polygamma
from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds, softplus

HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
#: Below this the incomplete beta ratio is formed in log space.
_TINY = 1e-270
#: Closer to an end than this, theta or 1 - theta is denormal or gone; the logit is not.
_LOST = 1e-290
#: From here on eight terms of Stirling's series are exact to rounding.
_FAR = 10.0
#: Steps smaller than this are squared into rounding.
_SQUARED = 1e-12
#: Shapes of which scipy's quantile is fast and right.
_TAME = 1e-2, 1e5
#: Beyond this exp overflows.
_OVERFLOW = 700.0
#: A share below this is small beside the rounding of the other one.
_SMALL_SHARE = 1e-4
#: Trials from which on scipy's beta quantiles take long, and of the smaller class from which
#: on the expansion holds.
_MANY, _ENOUGH = 1e11, 1e6
#: From so many trials on scipy's may be wrong for shapes that are so small a share of them.
_SEVERAL, _RARE = 1e8, 1e-4
_LEGENDRE = np.polynomial.legendre.leggauss(16)
# Coefficients of Stirling's series for log Gamma, B_2k / (2k (2k - 1)).
_STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
)  # fmt: skip


@lru_cache(maxsize=4096)
def stirling_remainder(x: float) -> float:
    """log Gamma(x) - [(x - 1/2) log x - x + log(2 pi)/2], relatively accurate for x > 0."""
    total = 0.0
    while x < 12.0:
        step = math.log1p(1.0 / x) if x > 1e-8 else math.log1p(x) - math.log(x)
        total += (x + 0.5) * step - 1.0
        x += 1.0
    series = 0.0
    for coefficient in reversed(_STIRLING):
        series = series / (x * x) + coefficient
    return total + series / x


def stirling_remainders(x: FloatArray) -> FloatArray:
    """`stirling_remainder` of arrays, relatively to 1e-12."""
    from scipy.special import gammaln

    far = np.maximum(x, _FAR)
    series = np.polynomial.polynomial.polyval(far**-2.0, _STIRLING) / far
    near = gammaln(x) - ((x - 0.5) * np.log(x) - x + HALF_LOG_TWO_PI)
    return np.where(x < _FAR, near, series)


@lru_cache(maxsize=4096)
def log_beta(a: float, b: float) -> float:
    """log of the beta function, without large terms that cancel."""
    return math.fsum((-_density_constant(a, b), -a * _log_share(a, b), -b * _log_share(b, a)))


def _log_share(a: float, b: float) -> float:
    """log (a + b)/a, where no double holds the ratio too."""
    ratio = b / a
    return math.log1p(ratio) if ratio < math.inf else math.log(b) - math.log(a)


def log_beta_ratio(a_2: float, b_2: float, a_1: float, b_1: float) -> float:
    """log B(a_2, b_2) - log B(a_1, b_1), accurate for neighbours too."""
    step_a, step_b = a_2 - a_1, b_2 - b_1
    if abs(step_a) > 0.2 * min(a_1, a_2) or abs(step_b) > 0.2 * min(b_1, b_2):
        return log_beta(a_2, b_2) - log_beta(a_1, b_1)
    share = 0.5 * (_LEGENDRE[0] + 1.0)
    a, b = a_1 + share * step_a, b_1 + share * step_b
    # digamma(a) - digamma(a + b) without their logarithms, which cancel.
    of_a, of_b, total = (polygamma.phi_tau(shape)[0] for shape in (a, b, a + b))
    rate = step_a * (of_a - total - np.log1p(b / a)) + step_b * (of_b - total - np.log1p(a / b))
    return math.fsum(0.5 * _LEGENDRE[1] * rate)


def exponential(x: float) -> float:
    """e^x; inf and 0 where no double holds it."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.exp(x))


def log_ratio(x: float, y: float) -> float:
    """log x / y of positive numbers, relatively accurate for neighbours too."""
    near = 0.5 * y < x < 2.0 * y
    return math.log1p((x - y) / y) if near else math.log(x) - math.log(y)


def beta_log_density(a: float, b: float, t: Thresholds) -> FloatArray:
    """log of theta^a (1 - theta)^b / B(a, b), the density of logit theta."""
    n, centre = a + b, math.log(a) - math.log(b)
    log_beta_value = log_beta(a, b)
    with np.errstate(invalid="ignore", under="ignore", over="ignore", divide="ignore"):
        shift = t.logit - centre
        # On both sides of the mean by the share that is small: it rounds less.
        first = shift < _OVERFLOW * ((a < _SMALL_SHARE * b) - float(b < _SMALL_SHARE * a))
        deviance = n * np.where(
            first, _deviance(a / n, b / n, shift), _deviance(b / n, a / n, -shift)
        )
        # Both logs from one: they differ by the logit.
        rest = np.log1p(np.exp(-np.abs(t.logit)))
        log_x = -a * (np.maximum(-t.logit, 0.0) + rest)
        log_q = -b * (np.maximum(t.logit, 0.0) + rest)
        plain = log_x + log_q - log_beta_value
        plain_rounds = np.abs(log_x) + np.abs(log_q) + abs(log_beta_value)
        # Next to 1 the distance from the mean is in the complement alone.
        away = np.maximum(np.abs(t.theta - a / n), np.abs(t.complement - b / n))
        deviance_rounds = n * away * (np.abs(t.logit) + abs(centre))
    value = np.where(plain_rounds < deviance_rounds, plain, _density_constant(a, b) - deviance)
    return np.where(np.isinf(t.logit), -np.inf, value)


@lru_cache(maxsize=4096)
def _density_constant(a: float, b: float) -> float:
    n = a + b
    middle = 0.5 * (math.log(b) - (math.log(n / a) if n / a < math.inf else _log_share(a, b)))
    remainders = stirling_remainder(n), -stirling_remainder(a), -stirling_remainder(b)
    return math.fsum((-HALF_LOG_TWO_PI, middle, *remainders))


def _deviance(p: float, q: float, shift: FloatArray) -> FloatArray:
    """log(q + p e^shift) - p shift, exact near 0 and far from it."""
    d = np.minimum(shift, _OVERFLOW)
    # p or q may round to 1.
    small = (p <= 0.5) | (d > -1.0)
    return np.where(small, np.log1p(p * np.expm1(d)), np.log(q + p * np.exp(d))) - p * shift


def _log_lower(a: float, b: float, t: Thresholds) -> FloatArray:
    """log of the lower tail well left of the mean (DLMF 8.17.22)."""
    if b == 1.0:
        with np.errstate(over="ignore"):
            return np.asarray(-a * softplus(-t.logit))
    # The first convergent, by the complement, where theta rounds for shapes beyond 1e13, or squares
    # of shapes overflow.
    slope = np.maximum(1.0 + a * t.complement - b * t.theta, 1.0)
    x = np.where(1e-13 * a < slope, t.theta, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        h = _lower_fraction(a, b, x)
    h = np.where((h > 0.0) & (x > 0.0), h, (a + 1.0) / slope)
    return np.asarray(beta_log_density(a, b, t) - math.log(a) + np.log(h))


def _lower_fraction(a: float, b: float, x: FloatArray) -> FloatArray:
    """The fraction, of which converged places stay."""
    c, going = np.ones_like(x), np.ones(x.shape, dtype=bool)
    d = 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1.0))
    h = d.copy()
    for m in range(1, 2000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d = 1.0 / _not_zero(1.0 + even * d)
        c = _not_zero(1.0 + even / c)
        h = np.where(going, h * d * c, h)
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d = 1.0 / _not_zero(1.0 + odd * d)
        c = _not_zero(1.0 + odd / c)
        h = np.where(going, h * (d * c), h)
        going &= np.abs(d * c - 1.0) > 2e-16
        if not np.any(going):
            break
    return h


def _not_zero(value: FloatArray) -> FloatArray:
    return np.where(value == 0.0, 1e-300, value)


def _mirror(t: Thresholds) -> Thresholds:
    return Thresholds(t.complement, t.theta, -t.logit)


def _near_and_rest(a: FloatArray, b: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The tail on the threshold's side of 1/2, and the other."""
    from scipy.special import betainc, betaincc

    near = np.asarray(betainc(a, b, x))
    rest = np.asarray(1.0 - near)
    return near, np.asarray(betaincc(a, b, x, out=rest, where=near > 0.5))


def beta_lower(a: float, b: float, t: Thresholds) -> tuple[FloatArray, FloatArray]:
    """P(S <= theta) of theta in [0, 1] and its log."""
    left = t.logit <= 0.0
    with np.errstate(under="ignore", divide="ignore"):
        sides = np.where(left, a, b), np.where(left, b, a)
        near, rest = _near_and_rest(*sides, np.where(left, t.theta, t.complement))
        value, other = np.where(left, near, rest), np.where(left, rest, near)
        log = np.where(value < 0.5, np.log(value), np.log1p(-other))
        smallest = np.fmin(np.fmin(value, t.theta), t.complement)
        if np.fmin.reduce(smallest, axis=None, initial=1.0) < _TINY:
            deep = ((value < _TINY) | (t.theta < _LOST)) & (t.logit > -np.inf)
            if deep.any():
                log[deep] = np.minimum(_log_lower(a, b, t[deep]), 0.0)
                value[deep] = np.exp(log[deep])
            # The scale's upper end is not resolved in 1 - theta, and mass is left there.
            lost = (t.complement < _LOST) & (t.logit < np.inf)
            if lost.any():
                log_other = np.minimum(_log_lower(b, a, _mirror(t[lost])), 0.0)
                value[lost] = -np.expm1(log_other)
                log[lost] = np.log1p(-np.exp(log_other))
    return value, log


def beta_upper(a: float, b: float, t: Thresholds) -> tuple[FloatArray, FloatArray]:
    """The upper tail P(S > theta) and its log."""
    return beta_lower(b, a, _mirror(t))


def beta_lower_quantile(a: float, b: float, log_p: npt.ArrayLike) -> FloatArray:
    """logit of the theta with log P(S <= theta) = log_p."""
    # The log tail is concave in logit theta: Newton's iterates increase to the root.
    target = np.asarray(log_p, dtype=np.float64)
    flat = np.ravel(target)
    y = np.where(np.isnan(flat), np.nan, np.where(flat >= 0.0, np.inf, -np.inf))
    todo = np.isfinite(flat) & (flat < 0.0)
    y[todo] = _near_quantile(a, b, flat[todo])
    active = (y > -1500.0) & (y < np.inf)  # far out on the left the bound is the quantile
    last = np.full(y.shape, np.inf)
    for _ in range(2000):  # of about 1 each on the way to a far place
        if not np.any(active):
            break
        at = Thresholds.from_logit(y[active])
        _, log = beta_lower(a, b, at)
        # P / f is at least 1 / a and, left of the mode, at most 1 / (log f)', nearly so far out,
        # where two long logs say nothing of it.
        most = -np.log(np.maximum(a * at.complement - b * at.theta, _TINY))
        least = np.where(log < -1e12, most, -math.log(max(a, 1e-307)))
        inverse = np.clip(log - beta_log_density(a, b, at), least, np.maximum(least, most))
        step = (flat[active] - log) * np.exp(inverse)
        with np.errstate(over="ignore"):
            y[active] += step
        size = np.abs(step) / np.clip(np.abs(y[active]), 1.0, sys.float_info.max)
        # Newton squares a small step; one that does not shrink is rounding.
        rounding = (size <= 1e-9) & (size > 0.1 * last[active])
        last[active] = size
        # No double lies farther out than 1500 logits.
        active[active] = ~((size <= _SQUARED) | rounding | (y[active] > 1500.0))
    return y.reshape(target.shape)


def _near_quantile(a: float, b: float, log_p: FloatArray) -> FloatArray:
    """scipy's quantile where doubles hold it, else a bound on its left."""
    from scipy.special import betaincinv

    # P <= e^(a y) / (a B) in y = logit theta or, if b >= 1, theta^a / (a B).
    with np.errstate(over="ignore"):
        y = np.asarray((log_p + math.log(a) + log_beta(a, b)) / a)
    if b >= 1.0:
        log_theta = np.minimum(y, -sys.float_info.min)
        y = np.where(y < 0.0, log_theta - np.log(-np.expm1(log_theta)), y)
    if not _TAME[0] < min(a, b) <= max(a, b) < _TAME[1]:
        return y
    with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
        x = np.asarray(betaincinv(a, b, np.exp(log_p)))
        return np.where((x > _LOST) & (x < 0.9), np.maximum(np.log(x) - np.log1p(-x), y), y)


def least_whole(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least whole number for which something holds, above `low`."""
    return low + 1 + bisect_left(range(low + 1, high), True, key=holds)


def bracketed_root(
    function: Callable[[float], float], low: float, high: float, *, what: str
) -> float:
    """The sign change of ``function`` in [low, high], to the last digits (Chandrupatla 1997)."""
    x, y, share, least = low, high, 0.5, max(1e-18 * (high - low), 5e-324)
    at_x, at_y = float(function(x)), float(function(y))
    steps = 500 if min(at_x, at_y) <= 0.0 <= max(at_x, at_y) else 0
    for _ in range(steps):
        best, at_best = (x, at_x) if abs(at_x) < abs(at_y) else (y, at_y)
        room = (1e-15 * abs(best) + least) / abs(y - x)
        if at_best == 0.0 or room > 0.5:
            return float(best)
        new = x + min(max(share, room), 1.0 - room) * (y - x)
        last, at_last, at_new = x, at_x, float(function(new))
        if (at_new < 0.0) != (at_x < 0.0):
            last, at_last, y, at_y = y, at_y, x, at_x
        x, at_x, share = new, at_new, 0.5
        inner, level = (x - y) / (last - y), (at_x - at_y) / (at_last - at_y)
        if level * level < inner and (1.0 - level) ** 2 < 1.0 - inner:  # three values say where
            slope = at_x / (at_last - at_x) * at_y / (at_last - at_y)
            share = at_x / (at_y - at_x) * at_last / (at_y - at_last)
            share += (last - x) / (y - x) * slope
    raise errors.FitError(
        f"{what}: no root in [{low!r}, {high!r}]. This is a defect of betaroc: please report it."
    )


def interval_end(
    excess: Callable[[float], float], inside: float, outer: float, *, what: str
) -> float:
    """Where an excess comes to 0 outwards; else `outer`, or `inside` of a point."""
    if excess(outer) <= 0.0:
        return outer
    if excess(inside) >= 0.0:
        return inside
    return bracketed_root(excess, *sorted((inside, outer)), what=what)


def rate_of_none(n: float, level: float) -> float:
    """The largest rate at which none of n trials is no surprise."""
    return -math.expm1(math.log1p(-level) / n)


def share_ends(hits: Any, n: Any, tail: float) -> tuple[FloatArray, FloatArray]:
    """Clopper and Pearson's ends of a share."""
    hits, missing = np.asarray(hits), np.asarray(n - hits)
    some, few = np.where(hits > 0, hits, 1), np.where(missing > 0, missing, 1)
    low = np.where(hits > 0, beta_quantile(some, n - some + 1, tail), 0.0)
    return low, np.where(missing > 0, beta_quantile(n - few + 1, few, 1.0 - tail), 1.0)


def beta_quantile(a: Any, b: Any, p: Any) -> FloatArray:
    """Quantiles of beta distributions of any size."""
    # Of rare shares of 1e8 trials those of a gamma distribution (to 1e-8), of 1e11 those of
    # Abramowitz and Stegun 26.5.22 (to 1e-6 standard deviations): scipy's take long or are wrong.
    from scipy.special import betaincinv, gammainccinv, gammaincinv, ndtri

    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    least, most = np.minimum(a, b), np.maximum(a, b)
    many = (most > _MANY) & (least > _ENOUGH)
    rare = (most > _SEVERAL) & (least <= _RARE * most) & ~many
    second = many | rare
    share = np.asarray(betaincinv(np.where(second, 1.0, a), np.where(second, 1.0, b), p))
    if np.any(rare):
        gamma = np.where(a < b, gammaincinv(least, p), gammainccinv(least, p))
        small = gamma / (most + 0.5 * (least - 1.0 + gamma))
        share = np.where(rare, np.where(a < b, small, 1.0 - small), share)
    if not np.any(many):
        return share
    first, second = (0.5 / (np.maximum(shape, _ENOUGH) - 0.5) for shape in (a, b))
    size, z = 2.0 / (first + second), -ndtri(p)
    bend = (z * z - 3.0) / 6.0
    w = z * np.sqrt(size + bend) / size
    w -= (second - first) * (bend + 5.0 / 6.0 - 2.0 / (3.0 * size))
    return np.where(many, 1.0 / (1.0 + b / a * np.exp(2.0 * w)), share)
