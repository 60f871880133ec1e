"""The beta distribution: tails, closed forms of a pair, the area under its ROC, its maxima."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard, cast, overload

import numpy as np
import numpy.typing as npt

from betaroc.core import polygamma, special
from betaroc.core.arrays import FloatArray, ScalarOrArray, as_output
from betaroc.core.checks import check_entries, choice, real_array
from betaroc.core.errors import FitError, InputError, refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.special import HALF_LOG_TWO_PI, stirling_remainder, stirling_remainders
from betaroc.core.thresholds import Thresholds, softplus
from betaroc.distributions.base import Distribution, Tail, TwoArrays
from betaroc.distributions.pairs import Pair, closed_forms

#: Above this 1 - x keeps all but three digits of x.
_UNRESOLVED = 1e-3
#: Logits of scores whose distance from an end is no normal double.
_LOST = 700.0
#: Tails whose logs differ by less have lost digits in their difference.
_CANCELS = 1e-3
#: Tails below this are formed in logarithms; scipy's quantiles are right for these shapes.
_LEAST_TAIL, _USUAL, _SMALL_STEP = 1e-270, (1e-2, 1e5), 1e-8
#: Logits beyond which the balance of two errors is looked for as that of any pair.
_FARTHEST = 30.0


class Shape(StrEnum):
    """Shape of a beta density.

    ========================  ==================  =======================
    value                     condition           density
    ========================  ==================  =======================
    ``"U"``                   a < 1, b < 1        poles at 0 and 1
    ``"bell"``                a > 1, b > 1        one mode inside
    ``"J"``                   b < 1 < a           pole at 1
    ``"reverse-J"``           a < 1 < b           pole at 0
    ``"uniform"``             a = b = 1           flat
    ``"increasing"``          b = 1 < a           finite, rising
    ``"decreasing"``          a = 1 < b           finite, falling
    ``"J-border"``            b < 1 = a           pole at 1 alone
    ``"reverse-J-border"``    a < 1 = b           pole at 0 alone
    ========================  ==================  =======================

    References
    ----------
    Omar and Ivrissimtzis, section 3.1; "respectively" there has J and reverse-J swapped.

    Examples
    --------
    >>> from betaroc import Beta, Shape
    >>> Beta(3.27, 0.67).shape is Shape.J, Shape.J == "J"
    (True, True)
    """

    U = "U"
    BELL = "bell"
    J = "J"
    REVERSE_J = "reverse-J"
    UNIFORM = "uniform"
    INCREASING = "increasing"
    DECREASING = "decreasing"
    J_BORDER = "J-border"
    REVERSE_J_BORDER = "reverse-J-border"


# Keyed by the signs of a - 1 and b - 1.
_SHAPES = {
    (-1, -1): Shape.U, (1, 1): Shape.BELL, (1, -1): Shape.J, (-1, 1): Shape.REVERSE_J,
    (0, 0): Shape.UNIFORM, (1, 0): Shape.INCREASING, (0, 1): Shape.DECREASING,
    (0, -1): Shape.J_BORDER, (-1, 0): Shape.REVERSE_J_BORDER,
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Beta(Distribution):
    """Beta distribution of scores on [0, 1].

        f(x) = x^(a-1) (1-x)^(b-1) / B(a, b),   0 < x < 1

    Parameters
    ----------
    a : float
        Exponent at 0, positive: P(S <= x) ~ x^a / (a B) near 0.
    b : float
        Exponent at 1, positive.

    Raises
    ------
    InputError, InputTypeError
        If a parameter is not finite and positive, or not a number.

    Notes
    -----
    Tails and inverses have a relative error below 1e-12 for shapes in [0.05, 1e3] and 1e-9 in
    [1e-3, 1e6], through 1e-300 and, in logs, beyond.

    Examples
    --------
    >>> from betaroc import Beta
    >>> distribution = Beta(0.47, 0.36)
    >>> distribution.shape, round(distribution.cdf(0.5), 6)
    (<Shape.U: 'U'>, 0.425355)
    """

    a: float
    b: float

    on_unit = True
    _scales = (("a", "log"), ("b", "log"))

    @property
    def shape(self) -> Shape:
        """The shape of the density; see :class:`Shape`."""
        return _SHAPES[int(np.sign(self.a - 1.0)), int(np.sign(self.b - 1.0))]

    @property
    def support(self) -> tuple[float, float]:
        """(0, 1)."""
        return 0.0, 1.0

    @property
    def mean(self) -> float:
        """a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def var(self) -> float:
        """ab / ((a + b)^2 (a + b + 1))."""
        n = self.a + self.b
        return (self.a / n) * (self.b / n) / (n + 1.0)

    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        of = special.beta_lower if lower else special.beta_upper
        single = _tail(*self._turned(lower), t, lower=lower) if t.size == 1 else None
        return single or of(self.a, self.b, _clipped(t))

    def _turned(self, lower: bool) -> tuple[float, float]:
        return (self.a, self.b) if lower else (self.b, self.a)

    def _log_density(self, t: Thresholds) -> FloatArray:
        return special.beta_log_density(self.a, self.b, t)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        inside = _clipped(t)
        return np.asarray((self.a - 1.0) * inside.complement - (self.b - 1.0) * inside.theta)

    def _log_pdf(self, t: Thresholds) -> FloatArray:
        value = super()._log_pdf(t)
        for place, end, near, far in (
            (0.0, -math.inf, self.a, self.b), (1.0, math.inf, self.b, self.a),
        ):  # fmt: skip
            limit = math.log(far) if near == 1.0 else math.copysign(math.inf, 1.0 - near)
            value = np.where((t.theta == place) & (t.logit == end), limit, value)
        return value

    def _tail_quantile(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        a, b = self._turned(lower)
        y = _usual_quantiles(a, b, p)
        far = np.isnan(y)
        if far.any():
            y[far] = special.beta_lower_quantile(a, b, log_p[far])
        return Thresholds.from_logit(y if lower else -y)

    def _tails(self) -> tuple[Tail, Tail]:
        log_b = special.log_beta(self.a, self.b)
        return (
            Tail(0.0, 1, self.a, log_coefficient=-math.log(self.a) - log_b),
            Tail(1.0, 1, self.b, log_coefficient=-math.log(self.b) - log_b),
        )

    def _score(self, t: Thresholds) -> FloatArray:
        *_, shift_a, shift_b = _polygammas(self.a, self.b, 0.0, 0.0)
        log_share, log_rest = -np.logaddexp(0.0, [-t.logit, t.logit])
        return np.array([log_share - shift_a, log_rest - shift_b])

    def _scores_of(self, places: Sequence[float]) -> list[list[float]]:
        *_, shift_a, shift_b = _polygammas(self.a, self.b, 0.0, 0.0)
        return [[math.log(x) - shift_a for x in places], [math.log1p(-x) - shift_b for x in places]]

    def _unit_covariance(self) -> FloatArray:
        return polygamma.beta_inverse_information(self.a, self.b)

    def _tail_rows(self, values: Mapping[str, FloatArray], t: Thresholds) -> TwoArrays:
        """The smaller tail, far out by its power law, and the rest."""
        from scipy.special import betainc, betaincc, betaln

        a, b, theta, complement, logit = np.broadcast_arrays(
            values.get("a", self.a), values.get("b", self.b), t.theta, t.complement, t.logit
        )
        left = (theta < _UNRESOLVED) | ((complement > _UNRESOLVED) & (theta * (a + b) < a))
        near, far = np.where(left, a, b), np.where(left, b, a)
        x = np.clip(np.where(left, theta, complement), 0.0, 1.0)
        with np.errstate(under="ignore", over="ignore"):
            mass = betainc(near, far, x)
            deep = np.where(left, logit, -logit) < -_LOST
            if np.any(deep):
                n, f, y = near[deep], far[deep], -np.abs(logit[deep])
                mass[deep] = np.exp(n * y - np.log(n) - betaln(n, f))
            rest, small = 1.0 - mass, mass > 0.9
            # scipy's complement costs ten times as much.
            rest[small] = betaincc(near[small], far[small], x[small])
        return np.where(left, mass, rest), np.where(left, rest, mass)

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        return np.asarray(rng.beta(self.a, self.b, size), dtype=np.float64)


def _tail(a: float, b: float, t: Thresholds, *, lower: bool) -> tuple[Any, Any] | None:
    from scipy.special import betainc, betaincc

    x, rest = (t.theta, t.complement) if lower else (t.complement, t.theta)
    if not (x > _LEAST_TAIL and rest > _LEAST_TAIL):
        return None
    left = t.logit <= 0.0 if lower else t.logit >= 0.0
    turned = (a, b, x) if left else (b, a, rest)
    near = betainc(*turned)
    other = 1.0 - near if near <= 0.5 else betaincc(*turned)
    value, other = (near, other) if left else (other, near)
    if not value > _LEAST_TAIL:
        return None
    return np.asarray(value), np.asarray(np.log(value) if value < 0.5 else np.log1p(-other))


def _usual_quantiles(a: float, b: float, p: FloatArray) -> FloatArray:
    """Logits of quantiles by scipy and a Newton step; nan far out."""
    from scipy.special import betainc, betaincinv

    if not _USUAL[0] < min(a, b) <= max(a, b) < _USUAL[1]:
        return np.full(p.shape, np.nan)
    with np.errstate(all="ignore"):
        x = betaincinv(a, b, p)
        log_x, log_rest = np.log(x), np.log1p(-x)
        density = np.exp(a * log_x + b * log_rest - special.log_beta(a, b))
        step = (p - betainc(a, b, x)) / density
        usual = (p > _LEAST_TAIL) & (x > _LEAST_TAIL) & (x < 0.9) & (np.abs(step) <= _SMALL_STEP)
        return np.where(usual, log_x - log_rest + step, np.nan)


def has_shape(law: Distribution) -> TypeGuard[Beta]:
    """Whether it has the shapes of a beta distribution."""
    return isinstance(law, Beta)


def _clipped(t: Thresholds) -> Thresholds:
    if ((t.theta < 0.0) | (t.theta > 1.0)).any():
        return Thresholds(np.clip(t.theta, 0.0, 1.0), np.clip(t.complement, 0.0, 1.0), t.logit)
    return t


# ----------------------------------------------------------------------
# Where log ratios of two beta distributions pass a level: of densities, and of tails.
def concave_roots(a: float, b: float, level: float) -> list[float]:
    """Roots y of -a softplus(-y) - b softplus(y) = level."""
    if a + b < 0.0:
        a, b, level = -a, -b, -level
    if a == 0.0 or b == 0.0:
        rate = a if b == 0.0 else b
        if rate == 0.0 or not level / rate < 0.0:
            return []
        scaled = -level / rate
        y = -(scaled + math.log(-math.expm1(-scaled)))
        return [y if b == 0.0 else -y]
    if a + b == 0.0:
        return [level / a]
    if a > 0.0 and b > 0.0:
        top = math.log(a / b)
        if not _ratio(a, b, top) > level:
            return []
        return [_level_root(a, b, level, level / a), _level_root(a, b, level, -level / b)]
    # One sign of slope throughout: the curve lies below both its asymptotes.
    start = max(level / a, -level / b) if a > 0.0 else min(level / a, -level / b)
    return [_level_root(a, b, level, start)]


def _ratio(a: float, b: float, y: float) -> float:
    return -a * float(softplus(-y)) - b * float(softplus(y))


def _level_root(a: float, b: float, level: float, y: float) -> float:
    for _ in range(200):
        x = float(Thresholds.from_logit(y).theta)
        slope = a - (a + b) * x
        if slope == 0.0:
            break
        step = (level - _ratio(a, b, y)) / slope
        y += step
        if abs(step) <= 2e-16 * max(1.0, abs(y)):
            break
    return y


class BetaPair(Pair):
    """Two beta distributions, with y = logit theta and a, b the differences of the shapes.

    log f_c/f_i = log C - a softplus(-y) - b softplus(y)
    """

    def _laws(self) -> tuple[Beta, Beta]:
        return cast(Beta, self._base("client")), cast(Beta, self._base("impostor"))

    def _differences(self) -> tuple[float, float, float]:
        c, i = self._laws()
        return c.a - i.a, c.b - i.b, special.log_beta_ratio(i.a, i.b, c.a, c.b)

    def log_ratio(self, t: Thresholds) -> FloatArray:
        a, b, log_c = self._differences()
        with np.errstate(invalid="ignore", over="ignore"):
            terms = -a * softplus(-t.logit) - b * softplus(t.logit)
        return np.asarray(terms + log_c + self._log_share())

    def log_excess(self, t: Thresholds, *, lower: bool) -> FloatArray:
        """Far out the difference of two power laws."""
        general = super().log_excess(t, lower=lower)
        if self.atom_places.size:
            return general
        c, i = self._laws()
        if lower:
            near, far, other, y = c.a, i.a, max(c.b, i.b), t.logit
        else:
            near, far, other, y = c.b, i.b, max(c.a, i.a), -t.logit
        log_b = special.log_beta_ratio(c.a, c.b, i.a, i.b)
        with np.errstate(invalid="ignore", over="ignore"):
            power = (far - near) * y + special.log_ratio(near, far) + log_b
        deep = (y < -45.0 - math.log1p(other)) & np.isfinite(y)
        return np.where(deep, power if lower else -power, general)

    def ratio_roots(self, level: float) -> Thresholds:
        a, b, log_c = self._differences()
        roots = concave_roots(a, b, level - self._log_share() - log_c)
        return Thresholds.from_logit(np.array(sorted(roots)))

    def turning_points(self) -> Thresholds:
        a, b, _ = self._differences()
        return Thresholds.from_logit([math.log(a / b)] if a * b > 0.0 else [])

    def end_log_ratio(self, *, lower: bool) -> float | None:
        a, b, log_c = self._differences()
        return log_c + self._log_share() if (a if lower else b) == 0.0 else None

    def decisive_sides(self) -> tuple[float, float] | None:
        """The differences of the shapes, of a pair without atoms."""
        if self.atom_places.size:
            return None
        a, b, _ = self._differences()
        return a, -b

    def diagonal_roots(self) -> Thresholds | None:
        """One, if the sides at the ends differ."""
        sides = self.decisive_sides()
        if sides is not None and not sides[0] * sides[1] < 0.0:
            return Thresholds.from_theta(np.empty(0))
        places = self.ratio_roots(0.0)
        if sides is None or places.size < 2:
            return None
        sign = math.copysign(1.0, sides[0])
        known = {float(places.logit[0]): sign, float(places.logit[1]): -sign}
        sizes = [abs(self._excess(float(y), subtract=True)) for y in places.logit]
        subtract = min(sizes) > _CANCELS

        def excess(y: float) -> float:
            return known[y] if y in known else self._excess(y, subtract=subtract)

        root = special.bracketed_root(excess, *known, what="crossing")
        return Thresholds.from_logit(np.array([root]))

    def _excess(self, y: float, *, subtract: bool) -> float:
        """TPR - FAR from the smaller tails; an integral where they cancel."""
        t = Thresholds.from_logit(np.array(y))
        lower = float(self.frr(t) + self.tnr(t)) <= 1.0
        if subtract:
            return float(self.log_excess(t, lower=lower))
        return self.excess_by_ratio(y, lower=lower)

    def balance_root(self, weight_far: float = 1.0, weight_frr: float = 1.0) -> Thresholds | None:
        """From between the medians outwards."""
        laws = self.client, self.impostor
        if not all(type(law) is Beta for law in laws):
            return super().balance_root(weight_far, weight_frr)
        constant = math.log(weight_far) - math.log(weight_frr)

        def excess(y: float) -> float:
            at = Thresholds.from_logit(np.array(y))
            return float(laws[1]._upper(at)[1] - laws[0]._lower(at)[1]) + constant

        middles = [math.log(law.a) - math.log(law.b) for law in self._laws()]
        low, high, step = min(middles), max(middles), 0.5
        while not excess(low) > 0.0 and low >= -_FARTHEST:
            low, high, step = low - step, low, 2.0 * step
        while not excess(high) < 0.0 and high <= _FARTHEST:
            low, high, step = high, high + step, 2.0 * step
        if low < -_FARTHEST or high > _FARTHEST:
            return super().balance_root(weight_far, weight_frr)
        root = special.bracketed_root(excess, low, high, what="balance of the two errors")
        return Thresholds.from_logit(np.array(root))

    def auc(self) -> float:
        c, i = self.client, self.impostor
        return _auc(c, i) if type(c) is Beta and type(i) is Beta else super().auc()

    def auc_continuous(self) -> float:
        return _auc(*self._laws())


# ----------------------------------------------------------------------
# The area under the ROC of two beta distributions: floats, or arrays of many pairs.
#: Sizes of the grid, tried in turn.
_SIZES = (128, 256, 512)
#: Agreement of the grid with its every second node, relative to the area.
_AGREES = 1e-8
#: The grid ends where the terms have fallen by exp(-this).
_DROP = 46.0
#: r, in nodes.
_SMOOTHING = 4.0
#: Exponents below this are taken as this: products of three stay normal numbers.
_LOWEST = -200.0
#: P(C > I) underflows: it is at most the peak over those of the two distributions whose modes are
#: moved there (Chernoff's bound), and these are above 1e-41 for the shapes below.
_NOTHING = -900.0
#: e^d is written as e^(d - _OVERFLOW) e^_OVERFLOW beyond.
_OVERFLOW = 700.0
#: 1 - P(C > I) as the area would have lost digits below this.
_SMALL = 0.05
#: Shapes for which no intermediate result leaves the doubles, and those of which the area can be
#: had by quadrature.
_RANGE, _RESOLVED = (1e-6, 1e8), (1e-100, 1e12)
#: Multiply-adds up to which a matrix product stays on one thread.
_SLICE = 1 << 18
#: Rows are multiplied by whole numbers of so many: the last digit of a product depends on what
#: is left over.
_ALIKE = 16
#: Numbers in an array: what the allocator hands out again without new pages.
_BLOCK = 1 << 14


def _functions(x: Any) -> tuple[Any, Any, Any]:
    """Elementary functions of floats or arrays."""
    return (math, max, min) if isinstance(x, float) else (np, np.maximum, np.minimum)


def _remainder(n: Any, a: Any, b: Any) -> Any:
    """What Stirling's formula leaves of log Gamma(n) - log Gamma(a) - log Gamma(b)."""
    if isinstance(n, float):
        return stirling_remainder(n) - stirling_remainder(a) - stirling_remainder(b)
    of_n, of_a, of_b = stirling_remainders(np.stack([n, a, b]))
    return of_n - of_a - of_b


class _Plan(NamedTuple):
    """The grid of a pair; floats, or columns with a row per pair."""

    x: Any
    offset: Any
    scale: Any
    low: Any
    high: Any
    #: Of g_c g_i at logit x.
    log_peak: Any


def auc_of_pair(a_c: float, b_c: float, a_i: float, b_i: float) -> float | None:
    """AUC of one pair; None where the rule has not settled."""
    if a_c == a_i and b_c == b_i:
        return 0.5
    if min(a_c, b_c, a_i, b_i) < _RANGE[0] or max(a_c, b_c, a_i, b_i) > _RANGE[1]:
        return None
    swapped = a_c * b_i > a_i * b_c
    if swapped:
        a_c, b_c, a_i, b_i = a_i, b_i, a_c, b_c
    if a_c + a_i > b_c + b_i:
        a_c, b_c, a_i, b_i = b_i, a_i, b_c, a_c
    plan = _plan(a_c, b_c, a_i, b_i)
    if plan.log_peak < _LOWEST:
        return 1.0 if swapped else 0.0 if plan.log_peak < _NOTHING else None
    a, n = np.array(((a_c,), (a_i,))), np.array(((a_c + b_c,), (a_i + b_i,)))
    for size in _SIZES:
        fine, coarse = _sums(plan, a, n, size)
        area = 1.0 - fine if swapped else fine
        if abs(fine - coarse) <= _AGREES * area and (area > _SMALL or not swapped):
            return min(float(area), 1.0)
    return None


def auc_of_pairs(a_c: FloatArray, b_c: FloatArray, a_i: FloatArray, b_i: FloatArray) -> FloatArray:
    """AUC of pairs; NaN where the rule has not settled."""
    value = np.where((a_c == a_i) & (b_c == b_i), 0.5, np.nan)
    shapes = np.stack([a_c, b_c, a_i, b_i])
    inside = (shapes >= _RANGE[0]) & (shapes <= _RANGE[1])
    todo = np.flatnonzero(np.isnan(value) & np.all(inside, axis=0))
    for size in _SIZES:
        for start in range(0, todo.size, _BLOCK // size):
            block = todo[start : start + _BLOCK // size]
            value[block] = _areas(shapes[:, block], size)
        todo = todo[np.isnan(value[todo])]
    return value


def _areas(shapes: FloatArray, size: int) -> FloatArray:
    swapped = shapes[0] * shapes[3] > shapes[2] * shapes[1]
    shapes = np.where(swapped, shapes[[2, 3, 0, 1]], shapes)
    mirrored = shapes[0] + shapes[2] > shapes[1] + shapes[3]
    columns = np.where(mirrored, shapes[[3, 2, 1, 0]], shapes)[:, :, None]
    plan = _plan(*columns)
    log_peak = plan.log_peak[:, 0]
    area = np.where(swapped, 1.0, np.where(log_peak < _NOTHING, 0.0, np.nan))
    shallow = log_peak >= _LOWEST
    laws, swapped = columns[:, shallow], swapped[shallow]
    plan = _Plan(*(part[shallow] for part in plan))
    fine, coarse = _sums(plan, laws[::2], laws[::2] + laws[1::2], size)
    value = np.where(swapped, 1.0 - fine, fine)
    settled = (np.abs(fine - coarse) <= _AGREES * value) & ((value > _SMALL) | ~swapped)
    area[shallow] = np.where(settled, np.minimum(value, 1.0), np.nan)
    return area


def _plan(a_c: Any, b_c: Any, a_i: Any, b_i: Any) -> _Plan:
    """Densities at the mode of their product, and the grid."""
    f, larger_of, smaller_of = _functions(a_c)
    asinh = math.asinh if f is math else np.arcsinh
    n_c, n_i = a_c + b_c, a_i + b_i
    a, b = a_c + a_i, b_c + b_i
    n = a + b
    x, z = a / n, b / n
    tilt = (a_i * b_c - a_c * b_i) / n
    # Terms of the sum need g_c or g_c g_i on the right, g_i or g_c g_i on the left.
    both = 0.0 * tilt
    right = larger_of(_reach(tilt, n_c, x, z, b_c), _reach(both, n, x, z, b))
    left = larger_of(_reach(tilt, n_i, z, x, a_i), _reach(both, n, z, x, a))
    larger = larger_of(n_c, n_i)
    # Where the densities bend: at the mode, or on the plateau's right for shapes below 1.
    offset = larger_of(smaller_of(-f.log(larger * x), f.log(z / x)), both)
    # The nearest singularities of the densities are i pi away.
    scale = smaller_of(2.5 / f.sqrt(larger * x * z), both + math.pi)
    log_peak = _log_density(a_c, b_c, n_c, -tilt, x, z) + _log_density(a_i, b_i, n_i, tilt, x, z)
    low, high = -asinh((left + offset) / scale), asinh((right - offset) / scale)
    return _Plan(x, offset, scale, low, high, log_peak)


def _reach(tilt: Any, n: Any, near: Any, far: Any, rate: Any) -> Any:
    """Where a log density of slope -tilt has fallen by _DROP."""
    (f, _, smaller), bend = _functions(tilt), tilt + n * near * far
    linear = _DROP - 2.0 * tilt
    d = (linear + f.sqrt(linear * linear + 8.0 * _DROP * bend)) / (2.0 * bend)
    d = smaller(d, (_DROP - n * f.log(near)) / rate)
    rest = far * f.exp(-d)
    total = near + rest
    fallen = rate * d + n * f.log(total)
    return d + (_DROP - fallen) / (rate - n * rest / total)


def _log_density(a: Any, b: Any, n: Any, step: Any, x: Any, z: Any) -> Any:
    """log g(logit x) of Beta(a, b), x = (a - step) / n, z = 1 - x."""
    of_a, of_b = n * x, n * z
    divergence = a * _log_from(a / of_a, step / of_a) + b * _log_from(b / of_b, -step / of_b)
    spread = 0.5 * _functions(a)[0].log(a / n * b / (2.0 * math.pi))
    return spread - divergence + _remainder(n, a, b)


def _log_from(value: Any, excess: Any) -> Any:
    if isinstance(value, float):
        return math.log(value) if excess < -0.5 else math.log1p(excess)
    return np.where(excess < -0.5, np.log(value), np.log1p(excess))


def _sums(plan: _Plan, a: FloatArray, n: FloatArray, size: int) -> tuple[Any, Any]:
    """P(C > I) on the grid and on every second node."""
    h = (plan.high - plan.low) / (size - 1)
    t = np.arange(size, dtype=np.float64) * h + plan.low
    d = np.sinh(t) * plan.scale + plan.offset
    near = np.minimum(d, _OVERFLOW)
    bend = np.log1p(plan.x * np.expm1(near)) + (d - near)
    laws = np.exp(np.maximum(a * d - n * bend, _LOWEST)) * np.cosh(t)
    factor = np.exp(plan.log_peak) * (plan.scale * h) ** 2
    if t.ndim > 1:
        factor = factor[:, 0]
    return _ordered(laws) * factor, _ordered(laws[..., ::2]) * (4.0 * factor)


def _ordered(laws: FloatArray) -> Any:
    """The sum of first_j second_k w(j - k), per pair."""
    first, second = laws
    size = first.shape[-1]
    kernel = _kernel(size)
    if first.ndim == 1:
        return first.dot(kernel).dot(second)
    padded = np.concatenate([first, np.zeros((-len(first) % _ALIKE, size))])
    rows = max(_SLICE // (size * size) // _ALIKE, 1) * _ALIKE
    whole = len(padded) // rows * rows
    stack = padded[:whole].reshape(-1, rows, size) @ kernel
    products = np.concatenate([stack.reshape(whole, size), padded[whole:] @ kernel])
    return np.einsum("ij,ij->i", products[: len(first)], second)


@lru_cache(maxsize=8)
def _kernel(size: int) -> FloatArray:
    nodes, weights = np.polynomial.legendre.leggauss(20)
    u = np.arange(int(10.0 * _SMOOTHING))[:, None] + 0.5 * (nodes + 1.0)
    steps = (np.sinc(u) * np.exp(-0.5 * (u / _SMOOTHING) ** 2)) @ (0.5 * weights)
    tail, lower = np.cumsum(steps[::-1])[::-1], np.zeros(size)
    lower[: tail.size] = tail[:size] / (2.0 * tail[0])
    step, index = np.concatenate([lower[:0:-1], 1.0 - lower]), np.arange(size)
    kernel: FloatArray = step[index[:, None] - index + size - 1]
    kernel.flags.writeable = False  # many calls share it
    return kernel


def _auc(client: Beta, impostor: Beta) -> float:
    area = auc_of_pair(client.a, client.b, impostor.a, impostor.b)
    if area is not None:
        return area
    shapes = client.a, client.b, impostor.a, impostor.b
    if not _RESOLVED[0] <= min(shapes) <= max(shapes) <= _RESOLVED[1]:
        raise InputError(
            f"the area of two beta distributions must be of shapes from {_RESOLVED[0]:g} to"
            f" {_RESOLVED[1]:g}, where doubles resolve them; got {shapes!r}. Take br.LogitNormal."
        )
    return min(1.0, Pair(client, impostor).auc_continuous())


@overload
def beta_auc(a_c: float, b_c: float, a_i: float, b_i: float) -> float: ...
@overload
def beta_auc(
    a_c: npt.ArrayLike, b_c: npt.ArrayLike, a_i: npt.ArrayLike, b_i: npt.ArrayLike
) -> ScalarOrArray: ...
@collect_warnings
def beta_auc(
    a_c: npt.ArrayLike, b_c: npt.ArrayLike, a_i: npt.ArrayLike, b_i: npt.ArrayLike
) -> ScalarOrArray:
    """Area under the ROC of beta pairs, P(client > impostor), thousands at once.

        AUC = integral of f_c(s) F_i(s) ds

    Parameters
    ----------
    a_c, b_c, a_i, b_i : array_like
        Shapes of the client and the impostor distributions, broadcast together.

    Returns
    -------
    float or ndarray
        Fraction in [0, 1], of the broadcast shape.

    Raises
    ------
    InputError, InputTypeError
        If a shape is not finite and positive, or outside [1e-100, 1e12] where quadrature is needed,
        or the arrays do not broadcast.

    Notes
    -----
    Both densities stand on one grid of logits; areas below 1e-80 and shapes beyond [1e-6, 1e8]
    take quadrature, thousands of times slower. The relative error is below 1e-12 for shapes in
    [0.05, 1e3] and 1e-9 in [1e-3, 1e6].

    Examples
    --------
    >>> from betaroc import beta_auc
    >>> beta_auc([2, 3, 4], 1, 1, 1)  # a_c / (a_c + a_i) where b_c = b_i = 1
    array([0.66666667, 0.75      , 0.8       ])
    """
    shapes = _of_one_shape(a_c=a_c, b_c=b_c, a_i=a_i, b_i=b_i)
    for name, array in shapes.items():
        check_entries(array, ~(np.isfinite(array) & (array > 0.0)), name, "be finite and > 0")
    flat = [np.ravel(shape) for shape in shapes.values()]
    with np.errstate(under="ignore"):
        area = np.full(1, np.nan) if flat[0].size == 1 else auc_of_pairs(*flat)
        for k in np.flatnonzero(np.isnan(area)):
            a, b, c, d = (float(shape[k]) for shape in flat)
            area[k] = _auc(Beta(a, b), Beta(c, d))
    return as_output(area.reshape(shapes["a_c"].shape))


def _of_one_shape(**arguments: npt.ArrayLike) -> dict[str, FloatArray]:
    arrays = [real_array(value, name) for name, value in arguments.items()]
    try:
        return dict(zip(arguments, np.broadcast_arrays(*arrays), strict=True))
    except ValueError:
        actual, remedy = ", ".join(str(a.shape) for a in arrays), "Give arrays of one shape."
        rule = "broadcast to one shape"
        raise refusal(", ".join(arguments), rule, actual, remedy) from None


closed_forms(Beta, Beta, BetaPair)


# ----------------------------------------------------------------------
# Maximum likelihood from the two mean logarithms: floats of one sample, or arrays of thousands.
Shapes = tuple[float, float]

#: Distributions more concentrated than this are not told apart from a single point.
LARGEST_CONCENTRATION = 1e12
MAX_ITERATIONS = 100
#: Beyond this, products of shapes overflow; it is far from any distribution that is accepted.
_HUGE = 1e90
#: No mean of logs of doubles lies lower: log of the smallest double is -744.4.
_LEAST_LOG = -745.2
#: Largest step of the logarithm of a shape.
_STEP_CAP = 2.0
#: The second start is taken below this a + b of it, or this rough digamma of one shape.
_BOTH_SMALL, _ONE_SMALL = 0.9, -6.0
#: Largest step towards larger shapes in (1/a, 1/b).
_RISE = 0.6
#: Entries that are solved together: their arrays stay in the cache.
_LANES = 8192
#: Newton converges quadratically: after a step this small, or within what rounding of the mean
#: logarithms by this share of them makes of the shapes, nothing is left to gain.
_LAST_STEP, _NOISE = 1e-7, 2e-15
_TINY_GRADIENT = 1e-9
#: Logarithms of shapes that doubles hold, and their sums.
_LOG_SHAPES = (-700.0, 700.0)
#: Amplification of the statistics' rounding from which the centred equations are used.
ILL_CONDITIONED = 1e3


class Centred(NamedTuple):
    """A sample seen from m, a double near its mean, and u = 1 - m.

    ``shift``, ``excess`` and ``excess1m`` are means of x - m, log(x/m) - (x-m)/m and
    log((1-x)/u) + (x-m)/u.
    """

    m: float
    u: float
    shift: float
    excess: float
    excess1m: float
    variance: float


class BetaSolution(NamedTuple):
    """Where Newton's method stopped."""

    a: float
    b: float
    converged: bool
    iterations: int
    norm: float = 0.0


class BetaPeak(NamedTuple):
    """The likelihood of one unit of weight at its maximum."""

    #: Variance of a, covariance, variance of b.
    aa: Any
    ab: Any
    bb: Any
    #: So much larger is the relative error of a or b than that of the two mean logarithms.
    amplification: Any
    log_likelihood: Any
    #: Largest slope in (log a, log b).
    norm: Any


def _polygammas(a: Any, b: Any, g1: Any, g2: Any) -> tuple[Any, ...]:
    """`phi_tau` of a, b and a + b, and what is left of both score equations."""
    f: Any = math if isinstance(a, float) else np
    at_a, at_b, at_s = map(polygamma.phi_tau, (a, b, a + b))
    r1, r2 = at_a[0] - at_s[0] - f.log1p(b / a) - g1, at_b[0] - at_s[0] - f.log1p(a / b) - g2
    return at_a, at_b, at_s, r1, r2


def _score_equations(a: Any, b: Any, g1: Any, g2: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    """What is left of both, and the information."""
    at_a, at_b, at_s, r1, r2 = _polygammas(a, b, g1, g2)
    return r1, r2, polygamma.information_terms(a, b, at_a[1], at_b[1], at_s[1])


def _newton(a: Any, b: Any, g1: Any, g2: Any) -> tuple[Any, Any, Any]:
    """Shapes after a step in (1/a, 1/b), and whether it is the last."""
    larger, smaller = (max, min) if isinstance(a, float) else (np.maximum, np.minimum)
    r1, r2, (of_a, of_b, coupling, det) = _score_equations(a, b, g1, g2)
    step_a = -(of_b * r1 + coupling * r2) / (det * a)
    step_b = -(coupling * r1 + of_a * r2) / (det * b)
    noise_a = -(of_b * g1 + coupling * g2) / (det * a)
    noise_b = -(coupling * g1 + of_a * g2) / (det * b)
    noise = _NOISE * larger(noise_a, noise_b)
    last = larger(abs(step_a), abs(step_b)) <= _LAST_STEP + noise
    return a / (1.0 - smaller(step_a, _RISE)), b / (1.0 - smaller(step_b, _RISE)), last


def _start(g1: Any, g2: Any, low: Any, gap: Any) -> tuple[Any, Any]:
    """Shapes by digamma(x) ~ log(x - 1/2), or -1/x where those are small."""
    f = _functions(g1)[0]
    a, b = -0.5 * f.expm1(g2) / gap, -0.5 * f.expm1(g1) / gap
    ratio = f.sqrt(g1 / g2)
    a_small = ratio / ((1.0 + ratio) * -g1)
    b_small = a_small * ratio
    # digamma of the smaller shape is about min(g1, g2) + log(a + b).
    small = (a_small + b_small < _BOTH_SMALL) | (low + f.log(a + b) < _ONE_SMALL)
    if f is math:
        return (a_small, b_small) if small else (a, b)
    return np.where(small, a_small, a), np.where(small, b_small, b)


def solve_one(g1: float, g2: float) -> BetaSolution | None:
    """The maximum from both mean logarithms, or None."""
    low, high = min(g1, g2), max(g1, g2)
    gap = -math.expm1(high) - math.exp(low)
    if not (high < 0.0 and gap > 0.0):
        return None
    a, b = _start(g1, g2, low, gap)
    for iteration in range(1, MAX_ITERATIONS + 1):
        if not a + b < _HUGE:
            return None
        a, b, last = _newton(a, b, g1, g2)
        if last:
            return BetaSolution(a, b, True, iteration)
    return BetaSolution(a, b, False, MAX_ITERATIONS)


def peak(a: Any, b: Any, g1: Any, g2: Any) -> BetaPeak:
    """Precision and likelihood at a maximum."""
    f, larger, _ = _functions(a)
    s, ((phi_a, tau_a), (phi_b, tau_b), (phi_s, tau_s), r1, r2) = a + b, _polygammas(a, b, g1, g2)
    of_a, of_b, coupling, det = polygamma.information_terms(a, b, tau_a, tau_b, tau_s)
    aa, ab, bb = of_b / det, coupling / det, of_a / det
    amplification = larger(-(aa * g1 + ab * g2) / a, -(ab * g1 + bb * g2) / b)
    squares = a * phi_a + b * phi_b - s * phi_s
    rest = _remainder(s, a, b) - 0.5 * f.log(s / a / b)
    return BetaPeak(aa, ab, bb, amplification, squares - g1 - g2 - HALF_LOG_TWO_PI + rest,
                    larger(abs(a * r1), abs(b * r2)))  # fmt: skip


def solve_centred(c: Centred, start: BetaSolution | None) -> BetaSolution | None:
    """The maximum of a concentrated sample by Newton's method in (log(a + b), mean).

    None where a + b is too large. With eta the distance of both means, phi(a) - phi(a+b) +
    eta/m + e(delta/m) - mean e((x-m)/m) = 0, e(v) = log(1+v) - v.
    """
    mean, s = c.m + c.shift, math.inf
    if start is not None and start.converged:
        s = start.a + start.b
        mean = start.a / s
    elif c.variance > 0.0:
        s = mean * (c.u - c.shift) / c.variance - 1.0
    if not s <= 2.0 * LARGEST_CONCENTRATION:
        return None
    eta, last, norm = (mean - c.m) - c.shift, False, math.inf
    a = b = math.nan
    for iteration in range(1, MAX_ITERATIONS + 1):
        delta = c.shift + eta
        p, q = c.m + delta, c.u - delta
        a, b = s * p, s * q
        phi_a, tau_a = polygamma.phi_tau(a)
        phi_b, tau_b = polygamma.phi_tau(b)
        phi_s, tau_s = polygamma.phi_tau(s)
        r1 = phi_a - phi_s + eta / c.m + polygamma.log1p_excess(delta / c.m) - c.excess
        r2 = phi_b - phi_s - eta / c.u + polygamma.log1p_excess(-delta / c.u) - c.excess1m
        norm = max(abs(a * r1), abs(b * r2))
        if last:
            return BetaSolution(a, b, norm <= _TINY_GRADIENT, iteration, norm)
        r1_s, r2_s = a * tau_a - s * tau_s, b * tau_b - s * tau_s
        r1_eta, r2_eta = s * tau_a + 1.0 / p, -s * tau_b - 1.0 / q
        det = r1_s * r2_eta - r1_eta * r2_s
        step_s = (r1_eta * r2 - r2_eta * r1) / det
        step_eta = (r2_s * r1 - r1_s * r2) / det
        room = 0.5 * min(p, q)
        last = abs(step_s) <= _LAST_STEP and abs(step_eta) <= _LAST_STEP * math.sqrt(p * q / s)
        s *= math.exp(max(-1.0, min(1.0, step_s)))
        eta += max(-room, min(room, step_eta))
    return BetaSolution(a, b, False, MAX_ITERATIONS, norm)


@collect_warnings
def beta_mle(mean_log: npt.ArrayLike, mean_log1m: npt.ArrayLike) -> tuple[Any, Any, Any]:
    """Maximum-likelihood shapes of beta distributions from their sufficient statistics.

        digamma(a) - digamma(a + b) = mean_log,   digamma(b) - digamma(a + b) = mean_log1m

    Parameters
    ----------
    mean_log, mean_log1m : float or array_like
        Means of log(x) and of log(1 - x) of each sample, broadcast together; negative.

    Returns
    -------
    a, b : float or ndarray
        The shapes; nan where there is no estimate.
    converged : bool or ndarray of bool
        False where no beta distribution with a + b <= 1e12 has these statistics.

    Raises
    ------
    InputError, InputTypeError
        If the arguments cannot be broadcast, or one is not numeric.

    Notes
    -----
    The relative error of a and b is about 1e-16 (a + b) where both are large; `fit_distribution`
    keeps 10 digits up to a + b = 1e12.

    Examples
    --------
    >>> a, b, converged = beta_mle(-1.0, -1.0)  # of the uniform distribution
    >>> round(a, 12), round(b, 12), converged
    (1.0, 1.0, True)
    """
    g1, g2 = _of_one_shape(mean_log=mean_log, mean_log1m=mean_log1m).values()
    if g1.ndim == 0:
        result = _shapes_of(float(g1), float(g2)) if min(g1, g2) > _LEAST_LOG else None
        return (math.nan, math.nan, False) if result is None else (*result, True)
    g = np.stack([g1.ravel(), g2.ravel()])
    with np.errstate(all="ignore"):
        blocks = [_solve_block(g[:, k : k + _LANES]) for k in range(0, max(g1.size, 1), _LANES)]
        a, b = np.concatenate(blocks, axis=1).reshape(2, *g1.shape)
        converged = a + b <= LARGEST_CONCENTRATION
    return np.where(converged, a, np.nan), np.where(converged, b, np.nan), converged


def _shapes_of(g1: float, g2: float) -> Shapes | None:
    result = solve_one(g1, g2) if max(g1, g2) < 0.0 else None
    if result is None or not result.converged or result.a + result.b > LARGEST_CONCENTRATION:
        return None
    return result.a, result.b


def _solve_block(g: FloatArray) -> FloatArray:
    result = np.full(g.shape, np.nan)
    low, high = np.minimum(*g), np.maximum(*g)
    gap = -np.expm1(high) - np.exp(low)
    a, b = _start(g[0], g[1], low, gap)
    where = np.flatnonzero((low > _LEAST_LOG) & (high < 0.0) & (gap > 0.0) & (a + b < _HUGE))
    a, b, g = a[where], b[where], g[:, where]
    for _ in range(MAX_ITERATIONS):
        a, b, last = _newton(a, b, *g)
        result[:, where[last]] = a[last], b[last]
        left = ~last & (a + b < _HUGE)
        where, a, b, g = where[left], a[left], b[left], g[:, left]
        if not where.size:
            break
    return result


# ----------------------------------------------------------------------
# Maximum likelihood of two distributions with a shape in common.
class ClassSums(NamedTuple):
    """What the likelihood of one class needs."""

    #: Number of trials.
    weight: float
    #: Means of log s and of log(1 - s); negative.
    mean_log: float
    mean_log1m: float

    @classmethod
    def at(cls, a: float, b: float, weight: float = 1.0) -> ClassSums:
        """The sums whose estimate is Beta(a, b)."""
        return cls(weight, *_score_equations(float(a), float(b), 0.0, 0.0)[:2])


class TiedSolution(NamedTuple):
    """The most likely pair with a shape in common."""

    client: Shapes
    impostor: Shapes
    iterations: int
    #: Largest derivative of the mean log-likelihood by the logarithm of a shape: of the shared
    #: one over all trials, of the others over those of their class.
    gradient_norm: float
    log_likelihood: float = math.nan


def tied_mle(client: ClassSums, impostor: ClassSums, shared: str = "a") -> TiedSolution:
    """The most likely pair of beta distributions with a shape, "a" or "b", in common.

        sum_k W_k [g1_k - psi(a) + psi(a + b_k)] = 0,   g2_k = psi(b_k) - psi(a + b_k)

    Unique where each class has a maximum; the relative error of a shape is about 1e-16 (a + b).
    """
    turn = 1 if choice(shared, ("a", "b"), "shared") == "a" else -1
    weights, *means = np.array([client, impostor]).T
    g1, g2 = means[::turn]
    starts = [_shapes_of(*pair) for pair in zip(g1.tolist(), g2.tolist(), strict=True)]
    if not np.all(weights > 0.0) or None in starts:
        raise InputError(
            "both classes must have a positive weight and the mean logarithms of a beta"
            f" distribution with a + b <= 1e12; got {(client, impostor)!r}."
        )
    share, last = weights / weights.sum(), False
    own_a, b = np.array(starts, dtype=np.float64).T
    a = math.exp(share @ np.log(own_a))
    for k in range(1, MAX_ITERATIONS + 1):
        r1, r2, (_, of_b, coupling, det) = _score_equations(np.full(2, a), b, g1, g2)
        norm, iterations = float(max(a * abs(share @ r1), *np.abs(b * r2))), k
        if last:
            break
        # The two free shapes are eliminated from the arrow matrix.
        move = -(share @ (r1 + coupling / of_b * r2)) / (share @ (det / of_b))
        steps = np.append(move / a, (coupling * move - r2) / of_b / b)
        size = float(np.max(np.abs(steps)))
        last = size <= max(_LAST_STEP, _NOISE * float(a + np.max(b)))
        factors = np.exp(steps * (_STEP_CAP / max(size, _STEP_CAP)))
        a, b = a * float(factors[0]), b * factors[1:]
    else:
        raise FitError(
            "the likelihood of a shape in common has no maximum within reach of"
            f" {(client, impostor)!r}. Please report these scores."
        )
    pairs: list[Shapes] = [(a, x) if turn > 0 else (x, a) for x in b.tolist()]
    likelihood = 0.0
    for s, (x, y) in zip((client, impostor), pairs, strict=True):
        terms = (x - 1.0) * s.mean_log, (y - 1.0) * s.mean_log1m, -special.log_beta(x, y)
        likelihood += s.weight * math.fsum(terms)
    return TiedSolution(pairs[0], pairs[1], iterations, norm, likelihood)


def best_partner(a: float, mean_log1m: float) -> float:
    """The b with psi(b) - psi(a + b) = mean log(1 - s)."""

    def excess(log_b: float) -> float:
        return float(_score_equations(a, math.exp(log_b), 0.0, mean_log1m)[1])

    return math.exp(special.bracketed_root(excess, *_LOG_SHAPES, what="best partner of a shape"))
