"""Digamma and trigamma as what they add to log(x) and 1/x, and the information of a beta fit.

    phi(x) = digamma(x) - log(x)        tau(x) = trigamma(x) - 1/x

Both keep about 14 digits for every x > 0, and so do differences of large arguments. Below 8 the
argument is shifted by 8, with the eight terms in pairs.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np

from betaroc.core import arrays, errors

Number = TypeVar("Number", float, arrays.FloatArray)

_SHIFT = 8.0
# Polynomials P, T of degree 6 in z = 1/x^2, from x = 8 on, with phi(x) = z P(z) - 1/(2x) and
# tau(x) = z/2 + z T(z)/x to 3e-17 relative: the asymptotic series economised
# (tests/reference/make_polygamma.py).
_P0, _P1, _P2, _P3, _P4, _P5, _P6 = _PHI_TERMS = (
    -0.08333333333333333, 0.008333333333278636, -0.0039682539119537084, 0.0041666448230497,
    -0.007571689620283902, 0.020697987372370493, -0.06362150587634356,
)  # fmt: skip
_T0, _T1, _T2, _T3, _T4, _T5, _T6 = _TAU_TERMS = (
    0.16666666666666655, -0.03333333333249287, 0.023809522943893217, -0.03333299706371194,
    0.07569481310235808, -0.24699740954161503, 0.8586880107331692,
)  # fmt: skip
#: Up to here log(1 + x) - x is summed as a series.
_NEAR = 0.1


def phi_tau(x: Number) -> tuple[Number, Number]:
    """digamma(x) - log(x) and trigamma(x) - 1/x of positive ``x``."""
    # Where nothing is shifted, infinity makes each of the eight terms an exact 0.
    whole = 0.0, math.inf, 0.0
    parts: Any = _SHIFT, x, 2.0 * x + 7.0
    log1p: Any = math.log1p
    if not isinstance(x, float):
        parts = map(np.where, [x < _SHIFT] * 3, parts, whole)
        log1p = np.log1p
    elif x >= _SHIFT:
        parts = whole
    shift, low, twice = parts
    y, shifted = low * (low + 7.0), x + shift
    with np.errstate(over="ignore"):  # of next to 0 it is infinite
        r0, r1, r2, r3 = 1.0 / y, 1.0 / (y + 6.0), 1.0 / (y + 10.0), 1.0 / (y + 12.0)
        first = r3 + r2 + r1 + r0
        second = r3 * r3 + r2 * r2 + r1 * r1 + r0 * r0
    inverse = 1.0 / shifted
    z = inverse * inverse
    phi = z * (_P0 + z * (_P1 + z * (_P2 + z * (_P3 + z * (_P4 + z * (_P5 + z * _P6))))))
    tau = _T0 + z * (_T1 + z * (_T2 + z * (_T3 + z * (_T4 + z * (_T5 + z * _T6)))))
    phi_shift = log1p(shift / x) - twice * first
    tau_shift = twice * twice * second - 2.0 * first - shift / (x * shifted)
    return phi - 0.5 * inverse + phi_shift, z * (0.5 + inverse * tau) + tau_shift


def information_terms(
    a: Number, b: Number, tau_a: Number, tau_b: Number, tau_s: Number
) -> tuple[Number, Number, Number, Number]:
    """Entries (aa, bb, -ab) and determinant of the information."""
    s = a + b
    of_a, of_b = b / a / s, a / b / s  # no product of two shapes, which may round to 0
    information_a, information_b = of_a + (tau_a - tau_s), of_b + (tau_b - tau_s)
    coupling = 1.0 / s + tau_s
    determinant = (
        tau_a * of_b
        + tau_b * of_a
        - tau_s * (s / a / b)
        + (tau_a * tau_b - tau_s * (tau_a + tau_b))
    )
    return information_a, information_b, coupling, determinant


def beta_information(a: float, b: float) -> tuple[float, float, float, float]:
    """`information_terms` of two shapes."""
    return information_terms(a, b, *(phi_tau(shape)[1] for shape in (a, b, a + b)))


def log1p_excess(x: Number, log1p_x: Any = None) -> Number:
    """log(1 + x) - x without cancellation, for x > -1."""
    # Near 0 by log(1 + x) = 2 artanh(x / (2 + x)).
    half = x / (2.0 + x)
    square, series = half * half, 0.0 * x
    for odd in (13, 11, 9, 7, 5, 3):
        series = series * square + 2.0 / odd
    near: Any = half * (series * square - x)
    if isinstance(x, float):
        return near if abs(x) <= _NEAR else math.log1p(x) - x
    return np.asarray(np.where(np.abs(x) > _NEAR, log1p_x - x, near))


def beta_inverse_information(a: float, b: float) -> arrays.FloatArray:
    """Covariance of the estimates of a beta distribution from one score."""
    of_a, of_b, coupling, determinant = beta_information(a, b)
    parts = of_a, of_b, coupling
    if not (determinant > 0.0 and all(math.isfinite(part / determinant) for part in parts)):
        raise errors.InputError(
            "the shapes a and b must be such that doubles hold the errors of a fit of them; got"
            f" a={a!r}, b={b!r}. Give shapes nearer to 1."
        )
    return np.array([[of_b, coupling], [coupling, of_a]]) / determinant
