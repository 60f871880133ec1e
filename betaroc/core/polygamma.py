"""Digamma and trigamma as what they add to log(x) and 1/x, and the information of a beta fit.

    phi(x) = digamma(x) - log(x)        tau(x) = trigamma(x) - 1/x

Both keep about 14 digits for every x > 0, and so do differences of large arguments. Below 8 the
argument is shifted by 8, with the eight terms in pairs.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from betaroc.core import arrays, errors

Number = TypeVar("Number", float, arrays.FloatArray)

_SHIFT = 8.0
# Polynomials P, T of degree 6 in z = 1/x^2, from x = 8 on, with phi(x) = z P(z) - 1/(2x) and
# tau(x) = z/2 + z T(z)/x to 3e-17 relative: the asymptotic series economised
# (tests/reference/make_polygamma.py).
_PHI_TERMS = (
    -0.08333333333333333, 0.008333333333278636, -0.0039682539119537084, 0.0041666448230497,
    -0.007571689620283902, 0.020697987372370493, -0.06362150587634356,
)  # fmt: skip
_TAU_TERMS = (
    0.16666666666666655, -0.03333333333249287, 0.023809522943893217, -0.03333299706371194,
    0.07569481310235808, -0.24699740954161503, 0.8586880107331692,
)  # fmt: skip
_P0, _P1, _P2, _P3, _P4, _P5, _P6 = _PHI_TERMS
_T0, _T1, _T2, _T3, _T4, _T5, _T6 = _TAU_TERMS
#: Up to here log(1 + x) - x is summed as a series.
_NEAR = 0.1


def phi_tau(x: npt.ArrayLike) -> tuple[arrays.FloatArray, arrays.FloatArray]:
    """digamma(x) - log(x) and trigamma(x) - 1/x of positive ``x``, elementwise."""
    value = np.asarray(x, dtype=np.float64)
    shift = np.where(value < _SHIFT, _SHIFT, 0.0)
    inverse = 1.0 / (value + shift)
    square = inverse * inverse
    polyval = np.polynomial.polynomial.polyval
    phi = square * polyval(square, _PHI_TERMS, tensor=False) - 0.5 * inverse
    tau = square * (0.5 + inverse * polyval(square, _TAU_TERMS, tensor=False))
    tau -= shift * inverse / value
    # Where nothing is shifted, infinity makes each of the eight terms an exact 0.
    low = np.where(value < _SHIFT, value, np.inf)
    twice = np.where(value < _SHIFT, 2.0 * value + 7.0, 0.0)
    y = low * (low + 7.0)
    with np.errstate(over="ignore"):  # of next to 0 it is infinite
        pairs = [1.0 / (y + rise) for rise in (0.0, 6.0, 10.0, 12.0)]
        first, second = sum(pairs), sum(pair * pair for pair in pairs)
    phi = phi - twice * first + np.log1p(shift / value)
    return np.asarray(phi), np.asarray(tau + (twice * twice * second - 2.0 * first))


def phi_tau_of(x: float) -> tuple[float, float]:
    """`phi_tau` of one number, without arrays: many times faster."""
    phi_shift = tau_shift = 0.0
    if x < _SHIFT:
        y, twice, shifted = x * (x + 7.0), 2.0 * x + 7.0, x + _SHIFT
        r0, r1, r2, r3 = 1.0 / y, 1.0 / (y + 6.0), 1.0 / (y + 10.0), 1.0 / (y + 12.0)
        first = r3 + r2 + r1 + r0
        second = r3 * r3 + r2 * r2 + r1 * r1 + r0 * r0
        phi_shift = math.log1p(_SHIFT / x) - twice * first
        tau_shift = twice * twice * second - 2.0 * first - _SHIFT / (x * shifted)
        x = shifted
    inverse = 1.0 / x
    z = inverse * inverse
    phi = z * (_P0 + z * (_P1 + z * (_P2 + z * (_P3 + z * (_P4 + z * (_P5 + z * _P6))))))
    tau = _T0 + z * (_T1 + z * (_T2 + z * (_T3 + z * (_T4 + z * (_T5 + z * _T6)))))
    return phi - 0.5 * inverse + phi_shift, z * (0.5 + inverse * tau) + tau_shift


def information_terms(
    a: Number, b: Number, tau_a: Number, tau_b: Number, tau_s: Number
) -> tuple[Number, Number, Number, Number]:
    """Entries (aa, bb, -ab) and determinant of the information matrix."""
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


def log1p_excess(x: float) -> float:
    """log(1 + x) - x without cancellation, for x > -1."""
    if abs(x) > _NEAR:
        return math.log1p(x) - x
    half = x / (2.0 + x)
    return half * (_excess_series(half * half) * half * half - x)


def log1p_excess_array(x: arrays.FloatArray, log1p_x: arrays.FloatArray) -> arrays.FloatArray:
    """`log1p_excess` where log(1 + x) is known better than from x (near x = -1)."""
    half = x / (2.0 + x)
    series = half * (_excess_series(half * half) * half * half - x)
    return np.where(np.abs(x) > _NEAR, log1p_x - x, series)


def _excess_series(square: Number) -> Number:
    """2 (1/3 + s/5 + s^2/7 + ...), from log(1 + x) = 2 artanh(x / (2 + x))."""
    total = 0.0 * square
    for odd in (13, 11, 9, 7, 5, 3):
        total = total * square + 2.0 / odd
    return total


def beta_inverse_information(a: float, b: float) -> arrays.FloatArray:
    """The covariance of the estimates of a beta distribution from one score."""
    taus = [phi_tau_of(v)[1] for v in (a, b, a + b)]
    of_a, of_b, coupling, determinant = information_terms(a, b, *taus)
    parts = of_a, of_b, coupling
    if not (determinant > 0.0 and all(math.isfinite(part / determinant) for part in parts)):
        raise errors.InputError(
            "the shapes a and b must be such that doubles hold the errors of a fit of them; got"
            f" a={a!r}, b={b!r}. Give shapes nearer to 1."
        )
    return np.array([[of_b, coupling], [coupling, of_a]]) / determinant
