"""AUC of beta pairs by one product with a constant matrix: no incomplete beta function, no gamma.

Orientation. Swapped classes give 1 - AUC and the mirror s -> 1 - s gives the swapped pair, so
only P(C > I) with E C <= E I and x <= 1/2 is worked out, where x = (a_c + a_i) / (sum of all
four shapes) is the mode of f_c f_i in y = logit s. With d = y - logit x the densities in y are

    g(y) = g(logit x) exp(a d - (a + b) log(1 + x (e^d - 1))),

both decreasing into what P(C > I) is made of, so that nothing large cancels; g(logit x) is
written with Stirling remainders.

Rule. On a uniform grid in t, d = offset + scale sinh t, the weights p_j = g_c y'(t_j) h and
q_k = g_i y'(t_k) h of two smooth functions give

    P(C > I) = sum_jk p_j q_k w(j - k),    w(m) = integral of sinc(u) exp(-u^2 / 2 r^2), u <= m,

a step smoothed over a few nodes that is exact for all frequencies well below that of the grid.
Unlike the sine integral (r infinite) its lower end falls as exp(-m^2 / 2 r^2), so that large
p_j q_k on the wrong side (j far below k) do not enter: the error is relative, however small
P(C > I) is. Every second node gives the same sum with half the resolution; what both agree on
to 1e-8 the finer has to about 1e-13, since its error falls exponentially with the resolution.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.special import stirling_remainder, stirling_remainders

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
#: Shapes for which no intermediate result leaves the doubles.
_RANGE = (1e-6, 1e8)
#: Multiply-adds up to which a matrix product stays on one thread.
_SLICE = 1 << 18
#: Rows are multiplied by whole numbers of so many: the last digit of a product depends on what
#: is left over.
_ALIKE = 16
#: Numbers in an array: what the allocator hands out again without new pages.
_BLOCK = 1 << 14


class _Functions(NamedTuple):
    """Elementary functions of floats, or of arrays: the formulas are written once."""

    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]
    log1p: Callable[[Any], Any]
    log_from: Callable[[Any, Any], Any]
    sqrt: Callable[[Any], Any]
    asinh: Callable[[Any], Any]
    smaller: Callable[[Any, Any], Any]
    larger: Callable[[Any, Any], Any]
    #: What Stirling's formula leaves of log Gamma(n) - log Gamma(a) - log Gamma(b).
    remainder: Callable[[Any, Any, Any], Any]


#: Shapes of which the area can be had by quadrature.
_SMALLEST, _LARGEST = 1e-100, 1e15


def _log_from(value: float, excess: float) -> float:
    """log(value) where value - 1 is `excess`, by whichever of the two has rounded less."""
    return math.log(value) if excess < -0.5 else math.log1p(excess)


def _logs_from(value: FloatArray, excess: FloatArray) -> FloatArray:
    return np.where(excess < -0.5, np.log(value), np.log1p(excess))


def _remainder(n: float, a: float, b: float) -> float:
    return stirling_remainder(n) - stirling_remainder(a) - stirling_remainder(b)


def _remainders(n: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    of_n, of_a, of_b = stirling_remainders(np.stack([n, a, b]))
    return np.asarray(of_n - of_a - of_b)


_OF_FLOATS = _Functions(
    math.exp, math.log, math.log1p, _log_from, math.sqrt, math.asinh, min, max, _remainder
)
_OF_ARRAYS = _Functions(
    np.exp, np.log, np.log1p, _logs_from, np.sqrt, np.arcsinh, np.minimum, np.maximum,
    _remainders,
)  # fmt: skip


class _Plan(NamedTuple):
    """Where the densities are evaluated; floats, or columns with a row for each pair."""

    x: Any
    offset: Any
    scale: Any
    low: Any
    high: Any
    #: g_c g_i at logit x, and its log.
    peak: Any
    log_peak: Any
    #: Whether e^d may overflow.
    far: Any


def auc_of_pair(a_c: float, b_c: float, a_i: float, b_i: float) -> float | None:
    """AUC of Beta(a_c, b_c) against Beta(a_i, b_i); None if the rule has not settled."""
    if a_c == a_i and b_c == b_i:
        return 0.5
    if min(a_c, b_c, a_i, b_i) < _RANGE[0] or max(a_c, b_c, a_i, b_i) > _RANGE[1]:
        return None
    swapped = a_c * b_i > a_i * b_c
    if swapped:
        a_c, b_c, a_i, b_i = a_i, b_i, a_c, b_c
    if a_c + a_i > b_c + b_i:
        a_c, b_c, a_i, b_i = b_i, a_i, b_c, a_c
    plan = _plan(a_c, b_c, a_i, b_i, _OF_FLOATS)
    if plan.log_peak < _LOWEST:
        return 1.0 if swapped else 0.0 if plan.log_peak < _NOTHING else None
    a, n = np.array(((a_c,), (a_i,))), np.array(((a_c + b_c,), (a_i + b_i,)))
    for size in _SIZES:
        fine, coarse = _sums(plan, a, n, size, far=plan.far)
        area = 1.0 - fine if swapped else fine
        if abs(fine - coarse) <= _AGREES * area and (area > _SMALL or not swapped):
            return min(float(area), 1.0)
    return None


def auc_of_pairs(a_c: FloatArray, b_c: FloatArray, a_i: FloatArray, b_i: FloatArray) -> FloatArray:
    """AUC of pairs in four flat arrays; NaN where the rule has not settled."""
    value = np.where((a_c == a_i) & (b_c == b_i), 0.5, np.nan)
    shapes = np.stack([a_c, b_c, a_i, b_i])
    inside = (shapes >= _RANGE[0]) & (shapes <= _RANGE[1])
    todo = np.flatnonzero(np.isnan(value) & np.all(inside, axis=0))
    for size in _SIZES:
        left = []
        for start in range(0, todo.size, _BLOCK // size):
            block = todo[start : start + _BLOCK // size]
            value[block] = _block(shapes[:, block], size)
            left.append(block[np.isnan(value[block])])
        todo = np.concatenate(left) if left else todo
    return value


def _block(shapes: FloatArray, size: int) -> FloatArray:
    """A few hundred pairs on grids of one size; NaN where that does not settle."""
    swapped = shapes[0] * shapes[3] > shapes[2] * shapes[1]
    shapes = np.where(swapped, shapes[[2, 3, 0, 1]], shapes)
    mirrored = shapes[0] + shapes[2] > shapes[1] + shapes[3]
    columns = np.where(mirrored, shapes[[3, 2, 1, 0]], shapes)[:, :, None]
    plan = _plan(columns[0], columns[1], columns[2], columns[3], _OF_ARRAYS)
    log_peak = plan.log_peak[:, 0]
    area = np.where(swapped, 1.0, np.where(log_peak < _NOTHING, 0.0, np.nan))
    shallow = log_peak >= _LOWEST
    laws, swapped = columns[:, shallow], swapped[shallow]
    plan = _Plan(*(part[shallow] for part in plan))
    fine, coarse = _sums(plan, laws[::2], laws[::2] + laws[1::2], size, far=True)
    value = np.where(swapped, 1.0 - fine, fine)
    settled = (np.abs(fine - coarse) <= _AGREES * value) & ((value > _SMALL) | ~swapped)
    area[shallow] = np.where(settled, np.minimum(value, 1.0), np.nan)
    return area


# --------------------------------------------------------------------------------- the plan
def _plan(a_c: Any, b_c: Any, a_i: Any, b_i: Any, f: _Functions) -> _Plan:
    """Densities at the mode of their product, and the ends and the scale of the grid."""
    n_c, n_i = a_c + b_c, a_i + b_i
    a, b = a_c + a_i, b_c + b_i
    n = a + b
    x, z = a / n, b / n
    tilt = (a_i * b_c - a_c * b_i) / n
    # Terms of the sum need g_c or g_c g_i on the right, g_i or g_c g_i on the left.
    both = 0.0 * tilt
    right = f.larger(_reach(tilt, n_c, x, z, b_c, f), _reach(both, n, x, z, b, f))
    left = f.larger(_reach(tilt, n_i, z, x, a_i, f), _reach(both, n, z, x, a, f))
    larger = f.larger(n_c, n_i)
    # Where the densities bend: at the mode, or on the plateau's right for shapes below 1.
    offset = f.larger(f.smaller(-f.log(larger * x), f.log(z / x)), both)
    # The nearest singularities of the densities are i pi away.
    scale = f.smaller(2.5 / f.sqrt(larger * x * z), both + math.pi)
    log_peak = _log_density(a_c, b_c, n_c, -tilt, x, z, f)
    log_peak += _log_density(a_i, b_i, n_i, tilt, x, z, f)
    low, high = -f.asinh((left + offset) / scale), f.asinh((right - offset) / scale)
    return _Plan(x, offset, scale, low, high, f.exp(log_peak), log_peak, right > _OVERFLOW)


def _reach(tilt: Any, n: Any, near: Any, far: Any, rate: Any, f: _Functions) -> Any:
    """A distance at which a log density that starts with slope -tilt has fallen by _DROP.

    It is concave: -tilt d - n near far (d - 1 + e^-d) and -rate d - n log(near) lie above it,
    and so does the tangent of the last step. d^2 / (2 + d) is below d - 1 + e^-d.
    """
    bend = tilt + n * near * far
    linear = _DROP - 2.0 * tilt
    d = (linear + f.sqrt(linear * linear + 8.0 * _DROP * bend)) / (2.0 * bend)
    d = f.smaller(d, (_DROP - n * f.log(near)) / rate)
    rest = far * f.exp(-d)
    total = near + rest
    fallen = rate * d + n * f.log(total)
    return d + (_DROP - fallen) / (rate - n * rest / total)


def _log_density(a: Any, b: Any, n: Any, step: Any, x: Any, z: Any, f: _Functions) -> Any:
    """log g(logit x) of Beta(a, b), where x = a / n - step / n; z = 1 - x."""
    spread = 0.5 * f.log(a / n * b / (2.0 * math.pi))
    of_a, of_b = n * x, n * z
    divergence = a * f.log_from(a / of_a, step / of_a) + b * f.log_from(b / of_b, -step / of_b)
    return spread - divergence + f.remainder(n, a, b)


# --------------------------------------------------------------------------------- the rule
def _sums(plan: _Plan, a: FloatArray, n: FloatArray, size: int, *, far: bool) -> tuple[Any, Any]:
    """P(C > I) on the grid and on its every second node; a and n = a + b of both distributions."""
    h = (plan.high - plan.low) / (size - 1)
    t = _steps(size) * h + plan.low
    d = np.sinh(t) * plan.scale + plan.offset
    near = np.minimum(d, _OVERFLOW) if far else d
    bend = np.log1p(plan.x * np.expm1(near))
    if far:
        bend += d - near
    laws = np.exp(np.maximum(a * d - n * bend, _LOWEST)) * np.cosh(t)
    factor = plan.peak * (plan.scale * h) ** 2
    if t.ndim > 1:
        factor = factor[:, 0]
    return _ordered(laws) * factor, _ordered(laws[..., ::2]) * (4.0 * factor)


def _ordered(laws: FloatArray) -> Any:
    """The sum of first_j second_k w(j - k), for one pair or for every row."""
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


def _kept(array: Any) -> FloatArray:
    """An array that many calls share: nobody writes to it."""
    array.flags.writeable = False
    return np.asarray(array)


@lru_cache(maxsize=8)
def _steps(size: int) -> FloatArray:
    return _kept(np.arange(size, dtype=np.float64))


@lru_cache(maxsize=8)
def _kernel(size: int) -> FloatArray:
    """w(j - k) at row j, column k."""
    lower = np.zeros(size)
    tail = _lower_end()[:size]
    lower[: tail.size] = tail
    step = np.concatenate([lower[:0:-1], 1.0 - lower])
    index = np.arange(size)
    return _kept(step[index[:, None] - index + size - 1])


@lru_cache(maxsize=1)
def _lower_end() -> FloatArray:
    """w(0), w(-1), ..., summed from the far end so that each is relatively accurate."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    u = np.arange(int(10.0 * _SMOOTHING))[:, None] + 0.5 * (nodes + 1.0)
    steps = (np.sinc(u) * np.exp(-0.5 * (u / _SMOOTHING) ** 2)) @ (0.5 * weights)
    tail = np.cumsum(steps[::-1])[::-1]
    return _kept(tail / (2.0 * tail[0]))


def refuse_unresolved(*shapes: float) -> None:
    """Quadrature needs shapes whose distributions doubles resolve."""
    if not _SMALLEST <= min(shapes) <= max(shapes) <= _LARGEST:
        raise InputError(
            f"the area of two beta distributions must be of shapes from {_SMALLEST:g} to"
            f" {_LARGEST:g}, where doubles resolve them; got a, b of the clients and of the"
            f" impostors {shapes!r}. Take normal distributions of logits, br.LogitNormal."
        )
