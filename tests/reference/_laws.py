"""Beta and normal laws on the axis y = logit(theta), quantiles and density-ratio roots (mpmath)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
from mpmath import mp, mpf

DIGITS = 60
mp.dps = DIGITS
TINY = mpf(10) ** -45


def text(x: Any, digits: int = 22) -> str:
    return str(mpmath.nstr(x, digits, strip_zeros=True))


# ---------------------------------------------------------------- laws


class Beta:
    """Beta(a, b) with its density and both tails on the axis y = logit(theta)."""

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = mpf(a), mpf(b)
        self._log_beta: dict[int, Any] = {}

    def log_beta(self) -> Any:
        if mp.prec not in self._log_beta:
            with mp.extraprec(64):
                a, b = self.a, self.b
                value = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
            self._log_beta[mp.prec] = value
        return self._log_beta[mp.prec]

    def logf(self, y: Any) -> Any:
        log_x, log_w = log_sigmoids(y)
        return self.a * log_x + self.b * log_w - self.log_beta()

    def slope(self, y: Any) -> Any:
        return self.a - (self.a + self.b) / (1 + mp.exp(-y))

    def tails(self, y: Any) -> tuple[Any, Any]:
        """F and S, each with small relative error: the one on its side of the mean by a
        series of positive terms, the other as its complement."""
        if y <= mp.log(self.a) - mp.log(self.b):
            low = self._lower(self.a, self.b, y)
            return low, 1 - low
        high = self._lower(self.b, self.a, -y)
        return 1 - high, high

    def _lower(self, a: Any, b: Any, y: Any) -> Any:
        x = float(1 / (1 + mp.exp(-y))) if y > -700 else 0.0
        w = float(1 / (1 + mp.exp(y))) if y < 700 else 0.0
        ratio = max(x, (float(a) + float(b)) / (float(a) + 1) * x)
        direct = 150 / max(1 - ratio, 1e-300)
        if b > 1:
            direct = min(direct, 25 * math.sqrt(float(a + b) / max(1e-300, w)) + 300)
        if 200 + 3.5 * float(a) * w < direct and x > 0.5:
            extra = 80 + int(1.6 * float(a) * w)
            while True:
                with mp.extraprec(extra):
                    high = mp.exp(self.logf_of(a, b, y)) / b * series(b, a, -y)
                    low = 1 - high
                    lost = -mp.log(low, 2) if low > 0 else mpf(extra)
                if lost < extra - 40:
                    return +low
                extra *= 2
        return mp.exp(self.logf_of(a, b, y)) / a * series(a, b, y)

    def logf_of(self, a: Any, b: Any, y: Any) -> Any:
        log_x, log_w = log_sigmoids(y)
        return a * log_x + b * log_w - self.log_beta()

    def mean_y(self) -> Any:
        return mp.digamma(self.a) - mp.digamma(self.b)

    def sd_y(self) -> Any:
        return mp.sqrt(mp.psi(1, self.a) + mp.psi(1, self.b))

    def mode(self) -> Any:
        return mp.log(self.a) - mp.log(self.b)


class Normal:
    """Normal law on its own axis: of raw scores, or (as logit-normal) of y = logit(theta)."""

    def __init__(self, mu: float, sigma: float) -> None:
        self.mu, self.sigma = mpf(mu), mpf(sigma)

    def logf(self, y: Any) -> Any:
        z = (y - self.mu) / self.sigma
        return -z * z / 2 - mp.log(2 * mp.pi) / 2 - mp.log(self.sigma)

    def slope(self, y: Any) -> Any:
        return -(y - self.mu) / self.sigma**2

    def tails(self, y: Any) -> tuple[Any, Any]:
        z = (y - self.mu) / self.sigma / mp.sqrt(2)
        return mp.erfc(-z) / 2, mp.erfc(z) / 2

    def mean_y(self) -> Any:
        return self.mu

    def sd_y(self) -> Any:
        return self.sigma

    mode = mean_y


class RawNormal(Normal):
    """Normal law of raw scores seen on the axis y = logit(theta): its mass outside (0, 1) is
    beyond the two ends of that axis."""

    def logf(self, y: Any) -> Any:
        log_x, log_w = log_sigmoids(y)
        return super().logf(mp.exp(log_x)) + log_x + log_w

    def slope(self, y: Any) -> Any:
        x = 1 / (1 + mp.exp(-y))
        return super().slope(x) * x * (1 - x) + 1 - 2 * x

    def tails(self, y: Any) -> tuple[Any, Any]:
        return super().tails(1 / (1 + mp.exp(-y)))


class Inflated:
    """Point masses at 0 and 1 beside a beta law; beyond the two ends of the axis y they count."""

    def __init__(self, a: float, b: float, at_zero: float, at_one: float) -> None:
        self.base, self.at_zero, self.at_one = Beta(a, b), mpf(at_zero), mpf(at_one)
        self.rest = 1 - self.at_zero - self.at_one
        self.slope, self.mode = self.base.slope, self.base.mode

    def logf(self, y: Any) -> Any:
        return mp.log(self.rest) + self.base.logf(y)

    def tails(self, y: Any) -> tuple[Any, Any]:
        low, high = self.base.tails(y)
        return self.at_zero + self.rest * low, self.at_one + self.rest * high


def log_sigmoids(y: Any) -> tuple[Any, Any]:
    """log theta and log(1 - theta)."""
    tail = mp.log1p(mp.exp(-abs(y)))
    return (-tail, -y - tail) if y > 0 else (y - tail, -tail)


def series(a: Any, b: Any, y: Any) -> Any:
    """2F1(1, a+b; a+1; x) at x = sigma(y): positive terms, in fixed point."""
    prec = mp.prec + 40
    x = 1 / (1 + mp.exp(-y))
    z = int(mp.floor(mp.ldexp(x, prec)))
    one = 1 << 90
    top, bottom = int(mp.ldexp(a + b, 90)), int(mp.ldexp(a + 1, 90))
    term = total = 1 << prec
    while term > 4:
        term = (term * top // bottom) * z >> prec
        total += term
        top += one
        bottom += one
    return mp.ldexp(mpf(total), -prec)


# ---------------------------------------------------------------- roots


def root(fun: Callable[[Any], tuple[Any, Any]], low: Any, high: Any) -> Any:
    """Safeguarded Newton for fun(y) -> (value, slope) with a change of sign on [low, high]."""
    low, high = mpf(low), mpf(high)
    sign = mp.sign(fun(low)[0])
    y, last = (low + high) / 2, high - low
    for _ in range(2000):
        value, slope = fun(y)
        if value == 0:
            return y
        if mp.sign(value) == sign:
            low = y
        else:
            high = y
        step = -value / slope if slope else mp.inf
        new = y + step
        if not low < new < high or abs(step) > last * 0.7:
            new = (low + high) / 2
        last, y = abs(new - y), new
        if last <= TINY * max(1, abs(y)):
            return y
    raise ArithmeticError("no convergence")


def bracketed(fun: Callable[[Any], tuple[Any, Any]], start: Any, step: Any = 1) -> Any:
    """Root of a monotone function on the line, bracketed by doubling steps from start."""
    left, right, width = mpf(start), mpf(start), mpf(step)
    while mp.sign(fun(left)[0]) == mp.sign(fun(right)[0]):
        left, right, width = left - width, right + width, 2 * width
    return root(fun, left, right)


def quantile(law: Any, p: float, lower: bool) -> Any:
    """y with F(y) = p or S(y) = p: Newton on the concave log tail, monotone from its far side."""
    target = mp.log(mpf(p))
    y = law.mode()
    for _ in range(400):
        tail = law.tails(y)[0 if lower else 1]
        hazard = mp.exp(law.logf(y)) / tail
        step = (target - mp.log(tail)) / hazard
        y = y + step if lower else y - step
        if abs(step) <= TINY * max(1, abs(y)):
            return y
    raise ArithmeticError("no convergence")


def log_ratio(c: Any, i: Any) -> Callable[[Any], tuple[Any, Any]]:
    return lambda y: (c.logf(y) - i.logf(y), c.slope(y) - i.slope(y))


def level_points(c: Any, i: Any, t: Any) -> list[Any]:
    """All y with log f_c/f_i = t, ascending."""
    if isinstance(c, Beta) and isinstance(i, Beta):
        return beta_level_points(c, i, t)
    if type(c) is Normal and type(i) is Normal:
        return normal_level_points(c, i, t)
    ell = log_ratio(c, i)
    grid = [mpf(k) / 16 for k in range(-1600, 1601)]
    values = [ell(y)[0] - t for y in grid]
    fun = lambda y: (ell(y)[0] - t, ell(y)[1])  # noqa: E731
    return [
        root(fun, grid[k], grid[k + 1])
        for k in range(len(grid) - 1)
        if (values[k] > 0) != (values[k + 1] > 0)
    ]


def beta_level_points(c: Beta, i: Beta, t: Any) -> list[Any]:
    a, b = c.a - i.a, c.b - i.b
    log_c = i.log_beta() - c.log_beta()

    def fun(y: Any) -> tuple[Any, Any]:
        log_x, log_w = log_sigmoids(y)
        return a * log_x + b * log_w + log_c - t, a - (a + b) / (1 + mp.exp(-y))

    if a == 0 and b == 0:
        return []
    if a == 0 or b == 0:
        exists = (log_c - t) * (a if b == 0 else b) > 0
        return [bracketed(fun, 0)] if exists else []
    if (a > 0) != (b > 0):
        return [bracketed(fun, (t - log_c) / (a - b))]
    top = mp.log(a) - mp.log(b) if a > 0 else mp.log(-a) - mp.log(-b)
    side = mp.sign(a)
    if side * fun(top)[0] <= 0:
        return []
    width = mpf(1)
    while side * fun(top - width)[0] > 0:
        width *= 2
    left = root(fun, top - width, top)
    width = mpf(1)
    while side * fun(top + width)[0] > 0:
        width *= 2
    return [left, root(fun, top, top + width)]


def normal_level_points(c: Normal, i: Normal, t: Any) -> list[Any]:
    half = (1 / i.sigma**2 - 1 / c.sigma**2) / 2
    linear = c.mu / c.sigma**2 - i.mu / i.sigma**2
    rest = (i.mu / i.sigma) ** 2 / 2 - (c.mu / c.sigma) ** 2 / 2 + mp.log(i.sigma / c.sigma) - t
    if half == 0:
        return [-rest / linear] if linear else []
    disc = linear**2 - 4 * half * rest
    if disc <= 0:
        return []
    return sorted((-linear + s * mp.sqrt(disc)) / (2 * half) for s in (1, -1))
