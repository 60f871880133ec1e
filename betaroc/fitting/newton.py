"""Maximum likelihood of the beta law, for one sample and for thousands at once.

The log-likelihood is concave and has one stationary point wherever it has any:

    digamma(a) - digamma(a + b) = mean log x
    digamma(b) - digamma(a + b) = mean log(1 - x)

It is found by Newton's method in (log a, log b) with capped, halved steps. A
sample so concentrated that these two equations nearly coincide is solved in
(log(a + b), mean), from statistics centred at its mean.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc._polygamma import information_terms, log1p_excess, phi_tau, phi_tau_of
from betaroc._special import HALF_LOG_TWO_PI
from betaroc._thresholds import FloatArray
from betaroc.errors import InputError, InputTypeError
from betaroc.fitting.sufficient import Centred

__all__ = ["beta_mle"]

#: Laws more concentrated than this are not told apart from a single point.
LARGEST_CONCENTRATION = 1e12
MAX_ITERATIONS = 100
#: Beyond this, products of shapes overflow; it is far from any law that is accepted.
_HUGE = 1e90
#: No mean of logs of doubles lies lower: log of the smallest double is -744.4.
_LEAST_LOG = -745.2
_STEP_CAP = 2.0
#: Above this a + b the first start is closer than rough digammas can tell.
_ROUGH_UP_TO = 20.0
#: Newton converges quadratically: after a step this small nothing is left to gain.
_LAST_STEP = 1e-8
_NOISE = 8.0 * float(np.finfo(np.float64).eps)
_TINY_GRADIENT = 1e-9
#: Amplification of the statistics' rounding from which the centred equations are used.
ILL_CONDITIONED = 1e3


class BetaSolution(NamedTuple):
    """Where Newton's method stopped.

    ``gradient_norm`` is of the mean log-likelihood in (log a, log b); ``covariance``
    is that of one unit of weight, (aa, ab, bb); ``amplification`` is how much larger
    the relative error of a or b is than that of the two mean logarithms.
    """

    a: float
    b: float
    converged: bool
    iterations: int
    gradient_norm: float
    covariance: tuple[float, float, float]
    amplification: float = 1.0


def _start(g1: float, g2: float) -> tuple[float, float] | None:
    """The likelier of two starts: digamma(x) ~ log(x - 1/2), and digamma(x) ~ -1/x."""
    below, above = -math.expm1(g1), -math.expm1(g2)
    gap = below - math.exp(g2) if g1 > g2 else above - math.exp(g1)
    if not gap > 0.0:
        return None
    ratio = math.sqrt(g1 / g2)
    small = ratio / ((1.0 + ratio) * -g1)
    starts = ((0.5 * above / gap, 0.5 * below / gap), (small, small * ratio))
    a, b = max(starts, key=lambda s: s[0] * g1 + s[1] * g2 - _log_beta(*s))
    return _nearer(*_nearer(a, b, g1, g2), g1, g2) if a + b < _ROUGH_UP_TO else (a, b)


def _nearer(a: float, b: float, g1: float, g2: float) -> tuple[float, float]:
    """One Newton step on rough digammas, at a fifth of the price of an exact one."""
    (psi_a, rate_a), (psi_b, rate_b), (psi_s, rate_s) = _rough(a), _rough(b), _rough(a + b)
    r1, r2 = psi_a - psi_s - g1, psi_b - psi_s - g2
    det = rate_a * rate_b - rate_s * (rate_a + rate_b)
    step_a = -((rate_b - rate_s) * r1 + rate_s * r2) / (det * a)
    step_b = -(rate_s * r1 + (rate_a - rate_s) * r2) / (det * b)
    if not abs(step_a) + abs(step_b) < 1.0:
        return a, b
    return a * math.exp(step_a), b * math.exp(step_b)


def _rough(x: float) -> tuple[float, float]:
    """digamma to 1e-3 and its derivative to 0.3 %, shifted by two."""
    y, first, second = x + 1.5, 1.0 / x, 1.0 / (x + 1.0)
    return math.log(
        y + 1.0 / (24.0 * y)
    ) - first - second, 1.0 / y + first * first + second * second


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def solve_one(g1: float, g2: float) -> BetaSolution | None:
    """The maximum from the two mean logarithms; None if they belong to no beta law."""
    start = _start(g1, g2)
    if start is None:
        return None
    a, b = start
    old_a, old_b, step_a, step_b, slope, last = a, b, 0.0, 0.0, math.inf, False
    norm, covariance = math.inf, (math.nan, math.nan, math.nan)
    for iteration in range(1, MAX_ITERATIONS + 1):
        if not a + b < _HUGE:
            return None
        phi_a, tau_a = phi_tau_of(a)
        phi_b, tau_b = phi_tau_of(b)
        phi_s, tau_s = phi_tau_of(a + b)
        r1 = phi_a - phi_s - math.log1p(b / a) - g1
        r2 = phi_b - phi_s - math.log1p(a / b) - g2
        along = -(a * r1 * step_a + b * r2 * step_b)
        if not (last or along > -slope):
            step_a, step_b = 0.5 * step_a, 0.5 * step_b
            a, b, slope = old_a * math.exp(step_a), old_b * math.exp(step_b), 0.5 * slope
            continue
        norm = max(abs(a * r1), abs(b * r2))
        of_a, of_b, coupling, det = information_terms(a, b, tau_a, tau_b, tau_s)
        quiet = abs(r1) <= _NOISE * (abs(phi_a) - g1) and abs(r2) <= _NOISE * (abs(phi_b) - g2)
        if last or quiet:
            covariance = aa, ab, bb = of_b / det, coupling / det, of_a / det
            amplification = max(-(aa * g1 + ab * g2) / a, -(ab * g1 + bb * g2) / b)
            return BetaSolution(a, b, True, iteration, norm, covariance, amplification)
        step_a = -(of_b * r1 + coupling * r2) / (det * a)
        step_b = -(coupling * r1 + of_a * r2) / (det * b)
        size = max(abs(step_a), abs(step_b))
        last = size <= _LAST_STEP
        if size > _STEP_CAP:
            step_a, step_b = step_a * _STEP_CAP / size, step_b * _STEP_CAP / size
        slope = -(a * r1 * step_a + b * r2 * step_b)
        old_a, old_b = a, b
        a, b = a * math.exp(step_a), b * math.exp(step_b)
    return BetaSolution(a, b, False, MAX_ITERATIONS, norm, covariance)


def solve_centred(c: Centred, concentration: float, mean: float) -> BetaSolution:
    """The maximum of a concentrated sample by Newton's method in (log(a + b), mean).

    With eta the distance of the law's mean from the sample's, the first score
    equation reads phi(a) - phi(a+b) + eta/m + e(delta/m) - mean e((x-m)/m) = 0,
    e(v) = log(1+v) - v: every term is of the size of 1/(a+b) and none cancels.
    """
    s, eta, last, norm = concentration, (mean - c.m) - c.shift, False, math.inf
    a = b = math.nan
    covariance = (math.nan, math.nan, math.nan)
    for iteration in range(1, MAX_ITERATIONS + 1):
        delta = c.shift + eta
        p, q = c.m + delta, c.u - delta
        a, b = s * p, s * q
        phi_a, tau_a = phi_tau_of(a)
        phi_b, tau_b = phi_tau_of(b)
        phi_s, tau_s = phi_tau_of(s)
        r1 = phi_a - phi_s + eta / c.m + log1p_excess(delta / c.m) - c.excess
        r2 = phi_b - phi_s - eta / c.u + log1p_excess(-delta / c.u) - c.excess1m
        norm = max(abs(a * r1), abs(b * r2))
        if last:
            of_a, of_b, coupling, det = information_terms(a, b, tau_a, tau_b, tau_s)
            covariance = of_b / det, coupling / det, of_a / det
            return BetaSolution(a, b, norm <= _TINY_GRADIENT, iteration, norm, covariance)
        r1_s, r2_s = a * tau_a - s * tau_s, b * tau_b - s * tau_s
        r1_eta, r2_eta = s * tau_a + 1.0 / p, -s * tau_b - 1.0 / q
        det = r1_s * r2_eta - r1_eta * r2_s
        step_s = (r1_eta * r2 - r2_eta * r1) / det
        step_eta = (r2_s * r1 - r1_s * r2) / det
        room = 0.5 * min(p, q)
        last = abs(step_s) <= _LAST_STEP and abs(step_eta) <= _LAST_STEP * math.sqrt(p * q / s)
        s *= math.exp(max(-1.0, min(1.0, step_s)))
        eta += max(-room, min(room, step_eta))
    return BetaSolution(a, b, False, MAX_ITERATIONS, norm, covariance)


# ------------------------------------------------------------------- thousands at once
def beta_mle(mean_log: Any, mean_log1m: Any) -> Any:
    """Maximum-likelihood shapes of beta laws from their sufficient statistics.

        digamma(a) - digamma(a + b) = mean_log,   digamma(b) - digamma(a + b) = mean_log1m

    Parameters
    ----------
    mean_log : float or array_like
        Mean of log(x) of each sample; negative.
    mean_log1m : float or array_like
        Mean of log(1 - x), taken as ``log1p(-x)``; negative. Broadcast with `mean_log`.

    Returns
    -------
    a, b : float or ndarray
        The shapes; nan where there is no estimate.
    converged : bool or ndarray of bool
        False where the statistics belong to no beta law with a + b <= 1e12: nan,
        not negative, or exp(mean_log) + exp(mean_log1m) >= 1 (a sample of equal scores).

    Raises
    ------
    InputTypeError
        If an argument is not numeric.
    InputError
        If the two shapes cannot be broadcast.

    Notes
    -----
    Safeguarded Newton on a concave function: the maximum is the only stationary
    point. Two doubles cannot hold what a concentrated sample says: the relative
    error of a and b is about 1e-16 (a + b) where both are large. `fit_distribution`
    sees the scores and keeps 10 digits up to a + b = 1e12.

    References
    ----------
    Omar, L. and Ivrissimtzis, I., Using theoretical ROC curves for analysing
    machine learning binary classifiers, section 3 (the model).

    Examples
    --------
    The uniform law has mean log -1 on both sides:

    >>> a, b, converged = beta_mle(-1.0, -1.0)
    >>> round(a, 12), round(b, 12), converged
    (1.0, 1.0, True)
    """
    g1, g2 = _statistic(mean_log, "mean_log"), _statistic(mean_log1m, "mean_log1m")
    try:
        g1, g2 = np.broadcast_arrays(g1, g2)
    except ValueError as error:
        raise InputError(
            f"mean_log and mean_log1m must have one shape; got {np.shape(mean_log)} and"
            f" {np.shape(mean_log1m)}. Pass one pair of statistics for each sample."
        ) from error
    if g1.ndim == 0:
        return _scalar_mle(float(g1), float(g2))
    a, b, converged = _solve_many(g1.ravel(), g2.ravel())
    return a.reshape(g1.shape), b.reshape(g1.shape), converged.reshape(g1.shape)


def _statistic(values: Any, name: str) -> FloatArray:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iufO":
            raise TypeError(array.dtype)
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"{name} must be a number or an array of numbers; got {type(values).__name__}."
            " Pass the mean of log(x), or of log1p(-x), of each sample."
        ) from error


def _possible(g1: float, g2: float) -> bool:
    return _LEAST_LOG < g1 < 0.0 and _LEAST_LOG < g2 < 0.0


def _scalar_mle(g1: float, g2: float) -> tuple[float, float, bool]:
    found = solve_one(g1, g2) if _possible(g1, g2) else None
    if found is None or not found.converged or found.a + found.b > LARGEST_CONCENTRATION:
        return math.nan, math.nan, False
    return found.a, found.b, True


def _starts(g1: FloatArray, g2: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """`_start` of arrays, and the gap 1 - exp(g1) - exp(g2), positive where a law exists."""
    below, above = -np.expm1(g1), -np.expm1(g2)
    gap = np.where(g1 > g2, below - np.exp(g2), above - np.exp(g1))
    room = np.where(gap > 0.0, gap, 1.0)
    ratio = np.sqrt(g1 / g2)
    a_small = ratio / ((1.0 + ratio) * -g1)
    a_large, b_large, b_small = 0.5 * above / room, 0.5 * below / room, a_small * ratio
    better = a_large * g1 + b_large * g2 - _rough_log_beta(a_large, b_large) > (
        a_small * g1 + b_small * g2 - _rough_log_beta(a_small, b_small)
    )
    return np.where(better, a_large, a_small), np.where(better, b_large, b_small), gap


def _rough_log_beta(a: FloatArray, b: FloatArray) -> FloatArray:
    """log B to about 1e-3: enough to choose a start."""
    return np.asarray(_rough_log_gamma(a) + _rough_log_gamma(b) - _rough_log_gamma(a + b))


def _rough_log_gamma(x: FloatArray) -> FloatArray:
    y = x + 1.0
    return np.asarray((y - 0.5) * np.log(y) - y + HALF_LOG_TWO_PI + 1 / (12.0 * y) - np.log(x))


def _solve_many(
    g1: FloatArray, g2: FloatArray
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """`solve_one` of arrays, entries leaving as they converge."""
    a_all, b_all = np.full(g1.shape, np.nan), np.full(g1.shape, np.nan)
    converged = np.zeros(g1.shape, dtype=bool)
    possible = (g1 > _LEAST_LOG) & (g1 < 0.0) & (g2 > _LEAST_LOG) & (g2 < 0.0)
    where = np.flatnonzero(possible)
    with np.errstate(under="ignore"):
        a, b, gap = _starts(g1[where], g2[where])
        usable = (gap > 0.0) & (a + b < _HUGE)
        where, a, b = where[usable], a[usable], b[usable]
        state = _State(g1[where], g2[where], a, b)
        for _ in range(MAX_ITERATIONS):
            done = state.advance()
            if np.any(done):
                at = where[done]
                a_all[at], b_all[at], converged[at] = state.a[done], state.b[done], True
                where = where[~done]
                state.keep(~done)
            if not where.size:
                break
    beyond = converged & (a_all + b_all > LARGEST_CONCENTRATION)
    a_all[beyond], b_all[beyond], converged[beyond] = np.nan, np.nan, False
    return a_all, b_all, converged


class _State:
    """Many Newton iterations side by side; `advance` says which are at their maximum."""

    def __init__(self, g1: FloatArray, g2: FloatArray, a: FloatArray, b: FloatArray) -> None:
        self.g1, self.g2, self.a, self.b = g1, g2, a, b
        self.old_a, self.old_b = a, b
        self.step_a, self.step_b = np.zeros_like(a), np.zeros_like(a)
        self.slope = np.full_like(a, np.inf)
        self.last = np.zeros(a.shape, dtype=bool)

    def keep(self, mask: npt.NDArray[np.bool_]) -> None:
        for name, values in vars(self).items():
            setattr(self, name, values[mask])

    def advance(self) -> npt.NDArray[np.bool_]:
        a, b = self.a, self.b
        (phi_a, tau_a), (phi_b, tau_b), (phi_s, tau_s) = phi_tau(a), phi_tau(b), phi_tau(a + b)
        r1 = phi_a - phi_s - np.log1p(b / a) - self.g1
        r2 = phi_b - phi_s - np.log1p(a / b) - self.g2
        along = -(a * r1 * self.step_a + b * r2 * self.step_b)
        accept = self.last | (along > -self.slope)
        quiet = np.abs(r1) <= _NOISE * (np.abs(phi_a) - self.g1)
        quiet &= np.abs(r2) <= _NOISE * (np.abs(phi_b) - self.g2)
        done = np.asarray(accept & (self.last | quiet))
        of_a, of_b, coupling, det = information_terms(a, b, tau_a, tau_b, tau_s)
        step_a = -(of_b * r1 + coupling * r2) / (det * a)
        step_b = -(coupling * r1 + of_a * r2) / (det * b)
        size = np.maximum(np.abs(step_a), np.abs(step_b))
        cut = _STEP_CAP / np.maximum(size, _STEP_CAP)
        self.last = np.where(accept, size <= _LAST_STEP, self.last)
        self.step_a = np.where(accept, step_a * cut, 0.5 * self.step_a)
        self.step_b = np.where(accept, step_b * cut, 0.5 * self.step_b)
        slope = -(a * r1 * self.step_a + b * r2 * self.step_b)
        self.slope = np.where(accept, slope, 0.5 * self.slope)
        self.old_a, self.old_b = np.where(accept, a, self.old_a), np.where(accept, b, self.old_b)
        self.a = np.where(done, a, self.old_a * np.exp(self.step_a))
        self.b = np.where(done, b, self.old_b * np.exp(self.step_b))
        return done
