"""Maximum likelihood of the beta distribution, for one sample and for thousands at once.

The log-likelihood is concave and has one stationary point wherever it has any:

    digamma(a) - digamma(a + b) = mean log x
    digamma(b) - digamma(a + b) = mean log(1 - x)

It is found by Newton's method in (log a, log b) with capped, halved steps, from a start
that a few steps with rough digammas have made good to six digits or so. A
sample so concentrated that these two equations nearly coincide is solved in
(log(a + b), mean), from statistics centred at its mean.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.checks import real_array
from betaroc.core.errors import InputError
from betaroc.core.notices import public
from betaroc.core.polygamma import (
    information_terms,
    log1p_excess,
    phi_tau,
    phi_tau_of,
    shifted_phi_tau,
)
from betaroc.estimation.sums import Centred

#: Distributions more concentrated than this are not told apart from a single point.
LARGEST_CONCENTRATION = 1e12
MAX_ITERATIONS = 100
#: Beyond this, products of shapes overflow; it is far from any distribution that is accepted.
_HUGE = 1e90
#: No mean of logs of doubles lies lower: log of the smallest double is -744.4.
_LEAST_LOG = -745.2
_STEP_CAP = 2.0
#: The second start is taken below this a + b of it, or this rough digamma of one shape.
_BOTH_SMALL, _ONE_SMALL = 0.9, -6.0
#: Above this a + b the first start is as close as rough digammas can tell.
_ROUGH_UP_TO = 1e4
#: digamma(y + 1/2) - log(y) as a polynomial in 1/y^2 from y = 3/2 on, and its derivative's.
_R1, _R2, _R3, _R4 = 0.0416661096, -0.0072505407, 0.0033173115, -0.0014920118
_D1, _D2, _D3, _D4 = 2.0 * _R1, 4.0 * _R2, 6.0 * _R3, 8.0 * _R4
_ROUGH_STEPS = 6
#: Steps beyond this come from digammas too rough for the distribution.
_FAR = 50.0
#: Largest step towards larger shapes in (1/a, 1/b).
_RISE = 0.6
#: After a rough step this small the next would only repeat the error of rough digammas.
_ROUGH_LAST = 5e-4
#: Of arrays: so many rough steps for all, then so many exact ones without a guard.
_ROUGH_ROWS, _PLAIN_STEPS = 3, 8
#: Entries that are solved together: their arrays stay in the cache.
_LANES = 8192
#: Newton converges quadratically: after a step this small nothing is left to gain.
_LAST_STEP = 1e-8
#: After one this small the covariance is right too, and nothing is evaluated again.
_SETTLED = 1e-12
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
    """One of two starts, digamma(x) ~ log(x - 1/2) or, for a small shape, digamma(x) ~ -1/x."""
    below, above = -math.expm1(g1), -math.expm1(g2)
    gap = below - math.exp(g2) if g1 > g2 else above - math.exp(g1)
    if not gap > 0.0:
        return None
    a, b = 0.5 * above / gap, 0.5 * below / gap
    ratio = math.sqrt(g1 / g2)
    small = ratio / ((1.0 + ratio) * -g1)
    # digamma of the smaller shape is about min(g1, g2) + log(a + b).
    if small + small * ratio < _BOTH_SMALL or min(g1, g2) + math.log(a + b) < _ONE_SMALL:
        a, b = small, small * ratio
    return _nearer(a, b, g1, g2) if a + b < _ROUGH_UP_TO else (a, b)


def _nearer(a: float, b: float, g1: float, g2: float) -> tuple[float, float]:
    """Newton steps in (1/a, 1/b) on rough digammas, each at a third of the price of an exact one.

    Where shapes are small, digammas are nearly straight lines in these coordinates.
    """
    for _ in range(_ROUGH_STEPS):
        psi_a, rate_a = _rough(a)
        psi_b, rate_b = _rough(b)
        psi_s, rate_s = _rough(a + b)
        r1, r2 = psi_a - psi_s - g1, psi_b - psi_s - g2
        det = rate_s * (rate_a + rate_b) - rate_a * rate_b
        step_a = ((rate_b - rate_s) * r1 + rate_s * r2) / (det * a)
        step_b = (rate_s * r1 + (rate_a - rate_s) * r2) / (det * b)
        size = abs(step_a) + abs(step_b)
        if not size < _FAR:
            break
        a, b = a / (1.0 - min(step_a, _RISE)), b / (1.0 - min(step_b, _RISE))
        if size < _ROUGH_LAST:
            break
    return a, b


def _rough(x: float) -> tuple[float, float]:
    """digamma to 2e-7 and its derivative to 1e-5, shifted by two."""
    both, inverse = 1.0 / (x * (x + 1.0)), 1.0 / (x + 1.5)
    first, z = (2.0 * x + 1.0) * both, inverse * inverse
    return (
        z * (_R1 + z * (_R2 + z * (_R3 + z * _R4))) - math.log(inverse) - first,
        inverse * (1.0 - z * (_D1 + z * (_D2 + z * (_D3 + z * _D4)))) + first * first - 2.0 * both,
    )


def solve_one(g1: float, g2: float) -> BetaSolution | None:
    """The maximum from the two mean logarithms; None if they belong to no beta distribution."""
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
        norm_a, norm_b = a * r1, b * r2
        if not (last or slope > norm_a * step_a + norm_b * step_b):
            step_a, step_b = 0.5 * step_a, 0.5 * step_b
            a, b, slope = old_a * math.exp(step_a), old_b * math.exp(step_b), 0.5 * slope
            continue
        of_a, of_b, coupling, det = information_terms(a, b, tau_a, tau_b, tau_s)
        step_a = -(of_b * r1 + coupling * r2) / (det * a)
        step_b = -(coupling * r1 + of_a * r2) / (det * b)
        size = max(step_a, -step_a, step_b, -step_b)
        settled = last or size <= _SETTLED
        if not settled:
            noise_a, noise_b = _NOISE * (abs(phi_a) - g1), _NOISE * (abs(phi_b) - g2)
            settled = last = abs(r1) <= noise_a and abs(r2) <= noise_b
        if settled:
            covariance = aa, ab, bb = of_b / det, coupling / det, of_a / det
            amplification = max(-(aa * g1 + ab * g2) / a, -(ab * g1 + bb * g2) / b)
            norm = max(abs(norm_a), abs(norm_b))
            if not last:
                a, b = a + a * step_a, b + b * step_b
            return BetaSolution(a, b, True, iteration, norm, covariance, amplification)
        last = size <= _LAST_STEP
        if size > _STEP_CAP:
            step_a, step_b = step_a * _STEP_CAP / size, step_b * _STEP_CAP / size
        slope = -(norm_a * step_a + norm_b * step_b)
        old_a, old_b = a, b
        a, b = a * math.exp(step_a), b * math.exp(step_b)
        norm = max(abs(norm_a), abs(norm_b))
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
@public
def beta_mle(mean_log: npt.ArrayLike, mean_log1m: npt.ArrayLike) -> tuple[Any, Any, Any]:
    """Maximum-likelihood shapes of beta distributions from their sufficient statistics.

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
        False where the statistics belong to no beta distribution with a + b <= 1e12: nan,
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
    The uniform distribution has mean log -1 on both sides:

    >>> a, b, converged = beta_mle(-1.0, -1.0)
    >>> round(a, 12), round(b, 12), converged
    (1.0, 1.0, True)
    """
    g1, g2 = real_array(mean_log, "mean_log"), real_array(mean_log1m, "mean_log1m")
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


def errors_of_rows(
    a: FloatArray, b: FloatArray, g1: FloatArray, g2: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Variances of a and b of one unit of weight, and `BetaSolution.amplification`."""
    of_a, of_b, coupling, det = information_terms(a, b, *(phi_tau(v)[1] for v in (a, b, a + b)))
    aa, ab, bb = of_b / det, coupling / det, of_a / det
    return aa, bb, np.maximum(-(aa * g1 + ab * g2) / a, -(ab * g1 + bb * g2) / b)


def _scalar_mle(g1: float, g2: float) -> tuple[float, float, bool]:
    possible = all(_LEAST_LOG < g < 0.0 for g in (g1, g2))
    found = solve_one(g1, g2) if possible else None
    if found is None or not found.converged or found.a + found.b > LARGEST_CONCENTRATION:
        return math.nan, math.nan, False
    return found.a, found.b, True


def _starts(g1: FloatArray, g2: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """`_start` of arrays, and the gap 1 - exp(g1) - exp(g2), positive where there is a maximum."""
    below, above = -np.expm1(g1), -np.expm1(g2)
    gap = np.where(g1 > g2, below - np.exp(g2), above - np.exp(g1))
    a, b = 0.5 * above / gap, 0.5 * below / gap
    ratio = np.sqrt(g1 / g2)
    a_small = ratio / ((1.0 + ratio) * -g1)
    b_small = a_small * ratio
    small = a_small + b_small < _BOTH_SMALL
    small |= np.minimum(g1, g2) + np.log(a + b) < _ONE_SMALL
    return np.where(small, a_small, a), np.where(small, b_small, b), gap


def _solve_many(g1: FloatArray, g2: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """The shapes of every entry, in blocks that stay in the processor's cache."""
    a_all, b_all = np.full(g1.shape, np.nan), np.full(g1.shape, np.nan)
    with np.errstate(all="ignore"):
        for start in range(0, g1.size, _LANES):
            part = slice(start, start + _LANES)
            _solve_block(g1[part], g2[part], a_all[part], b_all[part])
        converged = a_all + b_all <= LARGEST_CONCENTRATION
    a_all[~converged], b_all[~converged] = np.nan, np.nan
    return a_all, b_all, converged


def _solve_block(g1: FloatArray, g2: FloatArray, a_all: FloatArray, b_all: FloatArray) -> None:
    """Fill in what converges: by plain Newton steps, and by guarded ones where those do not."""
    possible = (g1 > _LEAST_LOG) & (g1 < 0.0) & (g2 > _LEAST_LOG) & (g2 < 0.0)
    where = np.flatnonzero(possible)
    a, b, gap = _starts(g1[where], g2[where])
    usable = (gap > 0.0) & (a + b < _HUGE)
    where, a, b = where[usable], a[usable], b[usable]
    statistics, start = np.stack([g1[where], g2[where]]), np.stack([a, b])
    found, left = _plain_newton(statistics, start)
    a_all[where], b_all[where] = found
    if left.size:
        where = where[left]
        a_all[where], b_all[where] = _guarded_newton(statistics[:, left], start[:, left])


def _plain_newton(g: FloatArray, start: FloatArray) -> tuple[FloatArray, IntArray]:
    """Shapes by Newton steps that are capped, not checked; which entries did not get there."""
    found = np.full(start.shape, np.nan)
    where = np.arange(start.shape[1])
    shapes = np.stack([start[0], start[1], start[0] + start[1]])
    for _ in range(_ROUGH_ROWS):
        step = np.where(shapes[2] < _ROUGH_UP_TO, _rough_step(g, shapes), 0.0)
        _move(shapes, step)
    kept, rest = np.full(start.shape, np.nan), np.ones(where.size, dtype=np.bool_)
    for _ in range(min(_PLAIN_STEPS, MAX_ITERATIONS - 1)):
        step = _newton_step(g, shapes)
        done = rest & (np.maximum(np.abs(step[0]), np.abs(step[1])) <= _LAST_STEP)
        _move(shapes, step)
        # Kept as it is now: what an entry becomes depends on no other entry.
        np.copyto(kept, shapes[:2], where=done)
        rest ^= done
        if 4 * np.count_nonzero(rest) < 3 * rest.size:
            found[:, where] = kept
            where, g, shapes, kept = where[rest], g[:, rest], shapes[:, rest], kept[:, rest]
            rest = np.ones(where.size, dtype=np.bool_)
            if not where.size:
                break
    found[:, where] = kept
    return found, where[rest]


def _move(shapes: FloatArray, step: FloatArray) -> None:
    shapes[:2] /= 1.0 - np.minimum(step, _RISE)
    np.add(shapes[0], shapes[1], out=shapes[2])


def _newton_step(g: FloatArray, shapes: FloatArray) -> FloatArray:
    """The Newton step of log a and log b; rows of ``shapes`` are a, b and a + b."""
    shift, at, phi, tau = shifted_phi_tau(shapes)
    # What log(a + b + its shift) exceeds log(a + its shift) by, without taking their difference.
    apart = np.log1p((shapes[1::-1] + (shift[2] - shift[:2])) / at[:2])
    rest = phi[:2] - phi[2] - apart - g
    of_a, of_b, coupling, det = information_terms(*shapes[:2], *tau)
    return _solved(of_a, of_b, coupling, det, rest, shapes)


def _rough_step(g: FloatArray, shapes: FloatArray) -> FloatArray:
    """`_newton_step` from the digammas and trigammas of `_rough`."""
    both = 1.0 / (shapes * (shapes + 1.0))
    first = (2.0 * shapes + 1.0) * both
    inverse = 1.0 / (shapes + 1.5)
    z = inverse * inverse
    psi = z * (_R1 + z * (_R2 + z * (_R3 + z * _R4))) - first
    rate = first * first - 2.0 * both
    rate += inverse * (1.0 - z * (_D1 + z * (_D2 + z * (_D3 + z * _D4))))
    rest = psi[:2] - psi[2] - np.log1p(shapes[1::-1] * inverse[:2]) - g
    of_a, of_b = rate[0] - rate[2], rate[1] - rate[2]
    det = rate[0] * rate[1] - rate[2] * (rate[0] + rate[1])
    return _solved(of_a, of_b, rate[2], det, rest, shapes)


def _solved(
    of_a: FloatArray, of_b: FloatArray, coupling: FloatArray, det: FloatArray, rest: FloatArray,
    shapes: FloatArray,
) -> FloatArray:  # fmt: skip
    """Minus the inverse of ((of_a, -coupling), (-coupling, of_b)) times ``rest``, over shapes."""
    step = np.empty_like(rest)
    step[0] = of_b * rest[0] + coupling * rest[1]
    step[1] = coupling * rest[0] + of_a * rest[1]
    step /= -det * shapes[:2]
    return step


def _guarded_newton(g: FloatArray, start: FloatArray) -> FloatArray:
    """`solve_one` of arrays, entries leaving as they converge."""
    found = np.full(g.shape, np.nan)
    where = np.arange(start.shape[1])
    state = _State(g, start)
    for _ in range(MAX_ITERATIONS):
        done = state.advance()
        if np.any(done):
            found[:, where[done]] = state.shapes[:, done]
            where = where[~done]
            state.keep(~done)
        if not where.size:
            break
    return found


class _State:
    """Many Newton iterations side by side; `advance` says which are at their maximum.

    Rows are those of a and of b.
    """

    def __init__(self, g: FloatArray, shapes: FloatArray) -> None:
        self.g, self.shapes, self.old = g, shapes, shapes
        self.step, self.slope = np.zeros_like(shapes), np.full_like(shapes[0], np.inf)
        self.last = np.zeros(shapes[0].shape, dtype=bool)

    def keep(self, mask: BoolArray) -> None:
        for name, values in vars(self).items():
            setattr(self, name, values[..., mask])

    def advance(self) -> BoolArray:
        shapes = self.shapes
        phi, tau = phi_tau(np.stack([*shapes, shapes[0] + shapes[1]]))
        rest = phi[:2] - phi[2] - np.log1p(shapes[::-1] / shapes) - self.g
        gradient = shapes * rest
        accept = self.last | (-np.sum(gradient * self.step, axis=0) > -self.slope)
        quiet = np.all(np.abs(rest) <= _NOISE * (np.abs(phi[:2]) - self.g), axis=0)
        done = np.asarray(accept & (self.last | quiet))
        step = _solved(*information_terms(*shapes, *tau), rest, shapes)
        size = np.max(np.abs(step), axis=0)
        cut = _STEP_CAP / np.maximum(size, _STEP_CAP)
        self.last = np.where(accept, size <= _LAST_STEP, self.last)
        self.step = np.where(accept, step * cut, 0.5 * self.step)
        slope = -np.sum(gradient * self.step, axis=0)
        self.slope = np.where(accept, slope, 0.5 * self.slope)
        self.old = np.where(accept, shapes, self.old)
        self.shapes = np.where(done, shapes, self.old * np.exp(self.step))
        return done
