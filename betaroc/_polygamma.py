"""Digamma and trigamma as what they add to log(x) and 1/x, and the information of the beta law.

    phi(x) = digamma(x) - log(x)        tau(x) = trigamma(x) - 1/x

Both stay relatively accurate (about 1e-14) for every x > 0, so differences such
as digamma(a) - digamma(a + b) = phi(a) - phi(a + b) - log1p(b / a) do not lose
digits when a + b is large. Below 8 the argument is shifted by 8, with the eight
terms paired: x (x + 7), (x + 1)(x + 6), ... are y, y + 6, y + 10, y + 12.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from betaroc._thresholds import FloatArray

Number = TypeVar("Number", float, FloatArray)

_SHIFT = 8.0
# The Bernoulli numbers B_2, B_4, ...; the first one left out is below 4e-16 of tau(8).
_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510,
    43867 / 798, -174611 / 330, 854513 / 138,
)  # fmt: skip
#: Up to here log(1 + x) - x is summed as a series.
_NEAR = 0.1
_PHI_TERMS = tuple(-b / (2 * k) for k, b in enumerate(_BERNOULLI, 1))
_SERIES = tuple(zip(_PHI_TERMS[::-1], _BERNOULLI[::-1], strict=True))


def phi_tau(x: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """digamma(x) - log(x) and trigamma(x) - 1/x of positive ``x``, elementwise."""
    value = np.asarray(x, dtype=np.float64)
    small = value < _SHIFT
    at = np.where(small, value + _SHIFT, value)
    inverse = 1.0 / at
    square = inverse * inverse
    phi_sum, tau_sum = np.zeros_like(at), np.zeros_like(at)
    for phi_term, tau_term in _SERIES:
        phi_sum = phi_sum * square + phi_term
        tau_sum = tau_sum * square + tau_term
    phi = phi_sum * square - 0.5 * inverse
    tau = (tau_sum * inverse + 0.5) * square
    if np.any(small):
        low = np.where(small, value, 1.0)
        y, twice = low * (low + 7.0), 2.0 * low + 7.0
        first, second = np.zeros_like(y), np.zeros_like(y)
        for offset in (12.0, 10.0, 6.0, 0.0):
            reciprocal = 1.0 / (y + offset)
            first += reciprocal
            second += reciprocal * reciprocal
        phi_shift = np.log1p(_SHIFT / low) - twice * first
        tau_shift = twice * twice * second - 2.0 * first - _SHIFT / (low * (low + _SHIFT))
        phi = np.where(small, phi + phi_shift, phi)
        tau = np.where(small, tau + tau_shift, tau)
    return phi, tau


def phi_tau_of(x: float) -> tuple[float, float]:
    """`phi_tau` of one number, without arrays: many times faster."""
    phi_shift = tau_shift = 0.0
    if x < _SHIFT:
        y, twice = x * (x + 7.0), 2.0 * x + 7.0
        r0, r1, r2, r3 = 1.0 / y, 1.0 / (y + 6.0), 1.0 / (y + 10.0), 1.0 / (y + 12.0)
        first = r3 + r2 + r1 + r0
        second = r3 * r3 + r2 * r2 + r1 * r1 + r0 * r0
        shifted = x + _SHIFT
        phi_shift = math.log1p(_SHIFT / x) - twice * first
        tau_shift = twice * twice * second - 2.0 * first - _SHIFT / (x * shifted)
        x = shifted
    inverse = 1.0 / x
    z = inverse * inverse
    c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 = _PHI_TERMS
    phi = c9 + z * (c10 + z * c11)
    phi = c3 + z * (c4 + z * (c5 + z * (c6 + z * (c7 + z * (c8 + z * phi)))))
    phi = z * (c1 + z * (c2 + z * phi)) - 0.5 * inverse
    c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 = _BERNOULLI
    tau = c9 + z * (c10 + z * c11)
    tau = c3 + z * (c4 + z * (c5 + z * (c6 + z * (c7 + z * (c8 + z * tau)))))
    tau = z * (0.5 + inverse * (c1 + z * (c2 + z * tau)))
    return phi + phi_shift, tau + tau_shift


def digamma(x: npt.ArrayLike) -> FloatArray:
    """The logarithmic derivative of Gamma, for x > 0 (absolute accuracy near its root 1.46)."""
    value = np.asarray(x, dtype=np.float64)
    return np.asarray(phi_tau(value)[0] + np.log(value))


def information_terms(
    a: Number, b: Number, tau_a: Number, tau_b: Number, tau_s: Number
) -> tuple[Number, Number, Number, Number]:
    """Entries (aa, bb, -ab) and determinant of the information matrix; floats or arrays.

    With the leading parts of the trigammas cancelled by hand, nothing is lost
    when a + b is large.
    """
    s = a + b
    information_a = b / (a * s) + (tau_a - tau_s)
    information_b = a / (b * s) + (tau_b - tau_s)
    coupling = 1.0 / s + tau_s
    determinant = (
        tau_a * (a / (b * s))
        + tau_b * (b / (a * s))
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


def log1p_excess_array(x: FloatArray, log1p_x: FloatArray) -> FloatArray:
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


def beta_information(a: float, b: float) -> FloatArray:
    """Fisher information of one score in (a, b): [[psi'(a) - T, -T], [-T, psi'(b) - T]].

    Here T = psi'(a + b); observed and expected information are the same.
    """
    taus = [phi_tau_of(v)[1] for v in (a, b, a + b)]
    of_a, of_b, coupling, _ = information_terms(a, b, *taus)
    return np.array([[of_a, -coupling], [-coupling, of_b]])


def beta_inverse_information(a: float, b: float) -> FloatArray:
    """The inverse of `beta_information`: the covariance of the estimates times the weight."""
    taus = [phi_tau_of(v)[1] for v in (a, b, a + b)]
    of_a, of_b, coupling, determinant = information_terms(a, b, *taus)
    return np.array([[of_b, coupling], [coupling, of_a]]) / determinant
