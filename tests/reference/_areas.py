"""AUC, partial area and average precision of two laws, in mpmath."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import mpmath
from _laws import quantile
from mpmath import mp, mpf


class TooCoarseError(ArithmeticError):
    """The halved steps do not agree yet."""


def trapezoid(g: Callable[[Any], Any], low: Any, high: Any, digits: int, step: float = 0.25) -> Any:
    """Sum of g over a grid that is halved until two sums agree to `digits` digits."""
    h = mpf(step)
    first, last = int(mp.floor(low / h)), int(mp.ceil(high / h))
    total = mp.fsum(g(k * h) for k in range(first, last + 1))
    for _ in range(9):
        old = total * h
        first, last, h = 2 * first, 2 * last, h / 2
        total += mp.fsum(g(k * h) for k in range(first + 1, last, 2))
        if abs(total * h - old) <= abs(old) * mpf(10) ** -digits:
            return total * h
    raise TooCoarseError(f"trapezoid: {mpmath.nstr(abs(total * h / old - 1), 3)} after 9 halvings")


def reach(fun: Callable[[Any], Any], start: Any, side: int, drop: float) -> Any:
    """Distance from start at which the log-concave exp(fun) has fallen by exp(-drop)."""
    top, width = fun(start), mpf(1)
    while fun(start + side * width) < top - drop:
        width /= 2
    while fun(start + side * width) > top - drop:
        width *= 2
    near, far = width / 2, width
    for _ in range(5):
        middle = (near + far) / 2
        near, far = (middle, far) if fun(start + side * middle) > top - drop else (near, middle)
    return far


def whole_line(
    log_g: Callable[[Any], Any], peak: Any, scale: Any, left: Any, right: Any, digits: int
) -> Any:
    """Integral of exp(log_g) over [left, right] through y = peak + scale sinh t."""

    def g(t: Any) -> Any:
        return mp.exp(log_g(peak + scale * mp.sinh(t))) * scale * mp.cosh(t)

    return trapezoid(g, mp.asinh((left - peak) / scale), mp.asinh((right - peak) / scale), digits)


def segment(log_g: Callable[[Any], Any], left: Any, right: Any, digits: int) -> Any:
    """Integral of exp(log_g) over a finite interval through y = middle + half tanh(pi/2 sinh t)."""
    middle, half = (left + right) / 2, (right - left) / 2

    def g(t: Any) -> Any:
        u = mp.pi / 2 * mp.sinh(t)
        jacobian = half * mp.pi / 2 * mp.cosh(t) / mp.cosh(u) ** 2
        return mp.exp(log_g(middle + half * mp.tanh(u))) * jacobian

    return trapezoid(g, mpf(-4), mpf(4), digits)


def in_pieces(
    log_g: Callable[[Any], Any], cuts: list[Any], left: Any, right: Any, digits: int
) -> Any:
    """Integral over [left, right] cut at the knees of the two laws."""
    inner = sorted(y for y in {mpf(y) for y in cuts} if left < y < right)
    points = [left, *inner, right]
    return mp.fsum(segment(log_g, p, q, digits) for p, q in pairwise(points))


def product_area(law: Any, other: Any, lower: bool) -> Any:
    """Integral of f_law times a tail of other (its F if lower, else S)."""
    which = 0 if lower else 1

    def log_g(y: Any) -> Any:
        return law.logf(y) + mp.log(other.tails(y)[which])

    def score(y: Any) -> tuple[Any, Any]:
        hazard = mp.exp(other.logf(y)) / other.tails(y)[which]
        return law.slope(y) + (hazard if lower else -hazard), None

    with mp.workdps(30):
        low, high, width = law.mode() - 1, law.mode() + 1, mpf(1)
        while score(low)[0] < 0:
            low, width = low - width, 2 * width
        width = mpf(1)
        while score(high)[0] > 0:
            high, width = high + width, 2 * width
        scale0 = min(law.sd_y(), other.sd_y()) / 20
        while high - low > scale0:
            middle = (low + high) / 2
            low, high = (middle, high) if score(middle)[0] > 0 else (low, middle)
        peak = (low + high) / 2
        scale = min(reach(log_g, peak, -1, 1), reach(log_g, peak, 1, 1))
        left, right = peak - reach(log_g, peak, -1, 90), peak + reach(log_g, peak, 1, 90)
    try:
        return whole_line(log_g, peak, scale, left, right, 28)
    except TooCoarseError:
        return in_pieces(log_g, [peak, law.mode(), other.mode()], left, right, 28)


def areas(c: Any, i: Any) -> tuple[Any, Any]:
    """AUC and 1 - AUC, each a positive integral over the narrower law's density."""
    if c.sd_y() <= i.sd_y():
        return product_area(c, i, True), product_area(c, i, False)
    return product_area(i, c, False), product_area(i, c, True)


def average_precision(c: Any, i: Any, prior: float) -> Any:
    """Integral of precision over recall."""
    kappa = (1 - mpf(prior)) / mpf(prior)

    def log_g(y: Any) -> Any:
        accept = c.tails(y)[1]
        return c.logf(y) - mp.log1p(kappa * i.tails(y)[1] / accept)

    with mp.workdps(20):
        narrow = c if c.sd_y() <= i.sd_y() else i
        peak = narrow.mode()
        scale = min(reach(narrow.logf, peak, -1, 1), reach(narrow.logf, peak, 1, 1))
        left = c.mode() - reach(c.logf, c.mode(), -1, 80)
        right = c.mode() + reach(c.logf, c.mode(), 1, 80)
    try:
        return whole_line(log_g, peak, scale, left, right, 17)
    except TooCoarseError:
        return in_pieces(log_g, [c.mode(), i.mode()], left, right, 17)


def partial_area(c: Any, i: Any, low: float, high: float) -> Any:
    """Area under TPR(FAR) for FAR in [low, high]."""
    left = quantile(i, high, False)

    def log_g(y: Any) -> Any:
        return i.logf(y) + mp.log(c.tails(y)[1])

    right = quantile(i, low, False) if low > 0 else left + falls_by(log_g, left, 85)
    return in_pieces(log_g, [c.mode(), i.mode()], left, right, 26)


def falls_by(log_g: Callable[[Any], Any], start: Any, drop: float) -> Any:
    """Distance right of start at which the log-concave log_g is `drop` below its largest value."""
    best, width = log_g(start), mpf(2) ** -30
    while True:
        value = log_g(start + width)
        best = max(best, value)
        if value < best - drop:
            return width
        width *= mpf("1.5")
