"""Numbers of many beta pairs at once, in logit coordinates, for studies by simulation.

Every function takes the shapes a_c, b_c, a_i, b_i as one array of shape (4, ...). Quadrature and
roots are the plainest that will do (trapezoidal rule on the line, exponential-sinh rule on half of
it, bisection); the tests compare them with the library's own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import betainc, betaincinv, betaln, expit, log_expit, ndtri, polygamma

from betaroc.core.arrays import FloatArray

Array = FloatArray

#: Nodes and weights of the exponential-sinh rule for an integral from 0 to infinity.
_T = np.linspace(-3.2, 2.2, 181)
_NODES = np.exp(0.5 * np.pi * np.sinh(_T))
_WEIGHTS = (_T[1] - _T[0]) * 0.5 * np.pi * np.cosh(_T) * _NODES
#: Points of the trapezoidal rule.
_POINTS = 320
_BISECTIONS = 60
#: Logits between which roots are sought.
_FAR_AWAY = 700.0


# --------------------------------------------------------------------------------- distributions
def lower(y: Array, a: Array, b: Array) -> Array:
    """P(logit S <= y)."""
    return np.where(y < 0.0, betainc(a, b, expit(y)), 1.0 - betainc(b, a, expit(-y)))


def upper(y: Array, a: Array, b: Array) -> Array:
    """P(logit S > y), from its own tail."""
    return np.where(y < 0.0, 1.0 - betainc(a, b, expit(y)), betainc(b, a, expit(-y)))


def density(y: Array, a: Array, b: Array) -> Array:
    """Density of logit S."""
    return np.exp(a * log_expit(y) + b * log_expit(-y) - betaln(a, b))


def upper_place(p: Array, a: Array, b: Array) -> Array:
    """Logit of the place with P(S > place) = p."""
    return np.log(betaincinv(a, b, 1.0 - p)) - np.log(betaincinv(b, a, p))


def log_ratio(y: Array, s: Array) -> Array:
    """log f_c/f_i."""
    constant = betaln(s[2], s[3]) - betaln(s[0], s[1])
    return (s[0] - s[2]) * log_expit(y) + (s[1] - s[3]) * log_expit(-y) + constant


def draw(a: float, b: float, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Logits of scores, which may be nearer to 0 and 1 than doubles are."""

    def log_gamma(k: float) -> Array:
        return np.log(rng.standard_gamma(k + 1.0, shape)) + np.log(rng.random(shape)) / k

    return log_gamma(a) - log_gamma(b)


# ---------------------------------------------------------------------------- quadrature
def _line(s: Array) -> tuple[Array, Array]:
    """Points on a last axis that hold f_i F_c, and their distance."""
    modes = np.log(s[0::2] / s[1::2])
    sds = np.sqrt(polygamma(1, s[0::2]) + polygamma(1, s[1::2]))
    reach = np.minimum(9.0 * np.max(sds, axis=0), 9.0)
    low = np.min(modes, axis=0) - 36.0 / (s[0] + s[2]) - reach
    high = np.max(modes, axis=0) + 36.0 / s[3] + reach
    step = (high - low) / (_POINTS - 1)
    return low[..., None] + step[..., None] * np.arange(_POINTS), step


def _bisect(f: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Where f, which rises, is 0."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        up = f(middle) > 0.0
        low, high = np.where(up, low, middle), np.where(up, middle, high)
    return 0.5 * (low + high)


# ------------------------------------------------------------------------------- numbers
def missed_area(s: Array) -> Array:
    """1 - AUC."""
    y, step = _line(s)
    w = s[..., None]
    return step * np.sum(density(y, w[2], w[3]) * lower(y, w[0], w[1]), axis=-1)


def missed_partial_area(s: Array, far: float) -> Array:
    """1 - standardized partial area over [0, far]: (far - area)/(2 (far - far^2/2))."""
    w = s[..., None]
    y = upper_place(np.asarray(far), s[2], s[3])[..., None] + _NODES
    missed = np.sum(_WEIGHTS * density(y, w[2], w[3]) * lower(y, w[0], w[1]), axis=-1)
    return missed / (2.0 * far - far * far)


def equal_error(s: Array) -> tuple[Array, Array]:
    """Logit threshold and rate where FAR = FRR."""
    away = np.full(s.shape[1:], _FAR_AWAY)
    y = _bisect(lambda t: lower(t, s[0], s[1]) - upper(t, s[2], s[3]), -away, away)
    return y, lower(y, s[0], s[1])


def best_gaps(s: Array) -> tuple[Array, Array]:
    """Largest TPR - FAR and largest FAR - TPR over all thresholds, each 0 at least."""
    a, b = s[0] - s[2], s[1] - s[3]
    turn = np.where(a * b > 0.0, np.log(np.where(a * b > 0.0, a / np.where(b, b, 1.0), 1.0)), 0.0)
    left, right = np.full(turn.shape, -_FAR_AWAY), np.full(turn.shape, _FAR_AWAY)
    inner = a * b > 0.0
    found = []
    for sign in (1.0, -1.0):
        # The root of the log ratio where it rises (sign 1) or falls (sign -1).
        before = sign * a > 0.0
        low = np.where(inner & ~before, turn, left)
        high = np.where(inner & before, turn, right)
        y = _bisect(lambda t, sign=sign: sign * log_ratio(t, s), low, high)
        exists = np.where(inner, True, before)
        gap = sign * (
            np.where(y < 0.0, lower(y, s[2], s[3]) - lower(y, s[0], s[1]),
                     upper(y, s[0], s[1]) - upper(y, s[2], s[3]))
        )  # fmt: skip
        found.append(np.where(exists, np.maximum(gap, 0.0), 0.0))
    return found[0], found[1]


def tpr_at(far: Array, s: Array) -> Array:
    """TPR where the FAR is this."""
    return upper(upper_place(far, s[2], s[3]), s[0], s[1])


def tpr_probit(far: Array, s: Array) -> Array:
    """Probit of that TPR, from its own tail."""
    place = upper_place(far, s[2], s[3])
    tpr, frr = upper(place, s[0], s[1]), lower(place, s[0], s[1])
    return np.where(tpr < 0.5, ndtri(tpr), -ndtri(frr))


def end_exponents(s: Array) -> tuple[Array, Array]:
    """a_i/a_c and b_i/b_c."""
    return s[2] / s[0], s[3] / s[1]


def log_coefficients(s: Array) -> tuple[Array, Array]:
    """Logarithms of (a_c B_c)^rho/(a_i B_i), and the same of b."""
    own, other = betaln(s[0], s[1]), betaln(s[2], s[3])
    at_zero, at_one = end_exponents(s)
    return (
        at_zero * (np.log(s[0]) + own) - np.log(s[2]) - other,
        at_one * (np.log(s[1]) + own) - np.log(s[3]) - other,
    )


# ----------------------------------------------------------------------------- H-measure
def h_measure(s: Array, prior: float) -> Array:
    """H-measure with costs of Beta(2, 2), as `betaroc.model.h_measure`, by other quadratures."""
    flat = s.reshape(4, -1)
    a, b = flat[0] - flat[2], flat[1] - flat[3]
    odds = np.log(prior) - np.log1p(-prior)
    loss = np.empty(flat.shape[1])
    proper = (a >= 0.0) & (b <= 0.0)
    worst = (a <= 0.0) & (b >= 0.0)
    top = _whole_loss(np.asarray(prior), prior)
    loss[worst] = top
    if np.any(proper):
        loss[proper] = _proper_loss(flat[:, proper], odds, prior)
    for sign, hooked in ((1.0, (a < 0.0) & (b < 0.0)), (-1.0, (a > 0.0) & (b > 0.0))):
        if np.any(hooked):
            loss[hooked] = _hooked_loss(flat[:, hooked], odds, prior, sign)
    return np.maximum(0.0, 1.0 - loss / top).reshape(s.shape[1:])


def _up(c: Array) -> Array:
    """Integral of t 6 t (1 - t) from 0 to c."""
    return c**3 * (2.0 - 1.5 * c)


def _whole_loss(c: Array, prior: float) -> Array:
    return (1.0 - prior) * _up(c) + prior * _up(1.0 - c)


def _loss_density(y: Array, s: Array, odds: float, prior: float) -> Array:
    c = odds + log_ratio(y, s)
    own = prior * density(y, s[0], s[1]) * _up(expit(-c))
    return own + (1.0 - prior) * density(y, s[2], s[3]) * _up(expit(c))


def _proper_loss(s: Array, odds: float, prior: float) -> Array:
    w = s[..., None]
    modes = np.log(s[0::2] / s[1::2])
    start = np.mean(modes, axis=0)[..., None]
    right = np.sum(_WEIGHTS * _loss_density(start + _NODES, w, odds, prior), axis=-1)
    left = np.sum(_WEIGHTS * _loss_density(start - _NODES, w, odds, prior), axis=-1)
    return left + right


def _hooked_loss(s: Array, odds: float, prior: float, sign: float) -> Array:
    """A chord to accept all (sign 1) or to reject all, then the curve."""
    a, b = s[0] - s[2], s[1] - s[3]
    turn = np.log(a / b)
    mass = lower if sign > 0.0 else upper

    def excess(t: Array) -> Array:
        """Slope of the curve against that of its chord, as logarithms: rises with t."""
        with np.errstate(divide="ignore", invalid="ignore"):
            chord = np.log(mass(t, s[0], s[1])) - np.log(mass(t, s[2], s[3]))
        return np.asarray(log_ratio(t, s) - chord)

    far = np.full(turn.shape, 40.0)
    low, high = (turn, turn + far) if sign > 0.0 else (turn - far, turn)
    y = _bisect(excess, low, high)
    w = s[..., None]
    z = y[..., None] + sign * _NODES
    curve = np.sum(_WEIGHTS * _loss_density(z, w, odds, prior), axis=-1)
    own, other = prior * mass(y, s[0], s[1]), (1.0 - prior) * mass(y, s[2], s[3])
    c = own / (own + other)
    return curve + other * _up(c) + own * _up(1.0 - c)
