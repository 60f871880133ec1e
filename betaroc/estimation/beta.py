"""Maximum likelihood of beta distributions: of one sample, of thousands, of concave pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.checks import choice, real_array
from betaroc.core.errors import DegenerateDataError, FitError, InputError
from betaroc.core.notices import collect_warnings
from betaroc.core.polygamma import (
    beta_inverse_information,
    information_terms,
    log1p_excess,
    phi_tau,
    phi_tau_of,
    shifted_phi_tau,
)
from betaroc.core.special import (
    HALF_LOG_TWO_PI,
    bracketed_root,
    log_beta,
    log_beta_ratio,
    stirling_remainder,
    stirling_remainders,
)
from betaroc.core.vocabulary import worded
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta, beta_auc
from betaroc.estimation.batch import ClassColumns, ClassEstimates, reasons_of, with_masses
from betaroc.estimation.contract import (
    LARGEST_SUMMED,
    Centred,
    ClassMaximum,
    Data,
    Family,
    JointMle,
    MleResult,
    Parameters,
    Sample,
    as_rows,
    check_unfitted,
    means_of_drawn,
    too_few_distinct,
)

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
    """Where Newton's method stopped; ``gradient_norm`` in (log a, log b).

    ``covariance`` of one unit of weight is (aa, ab, bb); ``amplification`` how much larger the
    relative error of a or b is than that of the two mean logarithms.
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
    """Newton steps on rough digammas, in (1/a, 1/b) where those of small shapes are straight."""
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

    With eta the distance of the law's mean from the sample's, the first score equation reads phi(a)
    - phi(a+b) + eta/m + e(delta/m) - mean e((x-m)/m) = 0, e(v) = log(1+v) - v: nothing cancels.
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
@collect_warnings
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
    Two doubles cannot hold what a concentrated sample says: the relative error of a and b is about
    1e-16 (a + b) where both are large. `fit_distribution` keeps 10 digits up to a + b = 1e12.

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
    result = solve_one(g1, g2) if possible else None
    if result is None or not result.converged or result.a + result.b > LARGEST_CONCENTRATION:
        return math.nan, math.nan, False
    return result.a, result.b, True


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
    result, left = _plain_newton(statistics, start)
    a_all[where], b_all[where] = result
    for k in left:
        solution = solve_one(*statistics[:, k].tolist())
        if solution is not None and solution.converged:
            a_all[where[k]], b_all[where[k]] = solution[:2]


def _plain_newton(g: FloatArray, start: FloatArray) -> tuple[FloatArray, IntArray]:
    """Shapes by Newton steps that are capped, not checked; which entries did not get there."""
    result = np.full(start.shape, np.nan)
    where = np.arange(start.shape[1])
    shapes = np.stack([start[0], start[1], start[0] + start[1]])
    for _ in range(_ROUGH_ROWS):
        step = np.where(shapes[2] < _ROUGH_UP_TO, _rough_step(g, shapes), 0.0)
        _move(shapes, step)
    keep, rest = np.full(start.shape, np.nan), np.ones(where.size, dtype=np.bool_)
    for _ in range(min(_PLAIN_STEPS, MAX_ITERATIONS - 1)):
        step = _newton_step(g, shapes)
        done = rest & (np.maximum(np.abs(step[0]), np.abs(step[1])) <= _LAST_STEP)
        _move(shapes, step)
        # Kept as it is now: what an entry becomes depends on no other entry.
        np.copyto(keep, shapes[:2], where=done)
        rest ^= done
        if 4 * np.count_nonzero(rest) < 3 * rest.size:
            result[:, where] = keep
            where, g, shapes, keep = where[rest], g[:, rest], shapes[:, rest], keep[:, rest]
            rest = np.ones(where.size, dtype=np.bool_)
            if not where.size:
                break
    result[:, where] = keep
    return result, where[rest]


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


# ----------------------------------------------------------------------
# Maximum likelihood of the beta distribution, to ten digits and more, and of a dual beta pair.
#: Spread, relative to the distance from 0 and from 1, below which moments start the solver.
_CONCENTRATED = 0.1
#: Up to here the terms of the log-likelihood are too small to cancel badly.
_SMALL_SHAPES = 30.0


def estimate_beta(sample: Data) -> MleResult:
    """The maximum-likelihood beta distribution of scores strictly inside (0, 1)."""
    if sample.low == sample.high:
        raise too_few_distinct(sample, "beta")
    g1, g2 = sample.mean_logs()
    found = _solve(sample, g1, g2)
    if not found.a + found.b <= LARGEST_CONCENTRATION:
        raise _too_concentrated(sample)
    a, b = found.a, found.b
    aa, ab, bb = found.covariance
    estimate = MleResult(
        Beta(a, b), ("a", "b"), (a, b), np.array(((aa, ab), (ab, bb))),
        sample.total * _largest_mean_log_likelihood(a, b, g1, g2),
        found.converged, found.iterations, found.gradient_norm,
    )  # fmt: skip
    if not found.converged:
        raise FitError(
            f"{sample.name}: the beta fit did not converge within {MAX_ITERATIONS} steps;"
            f" gradient {found.gradient_norm:.3g} at a = {found.a!r}, b = {found.b!r}. The partial"
            " result is the error's .result. Please report these scores.",
            estimate,
        )
    return estimate


def _solve(sample: Data, g1: float, g2: float) -> BetaSolution:
    spread = sample.high - sample.low
    if spread > _CONCENTRATED * min(sample.low, 1.0 - sample.high):
        result = solve_one(g1, g2)
        if result is not None and not result.amplification > ILL_CONDITIONED:
            return result
    else:
        result = None
    seen = sample.centred()
    mean = seen.m + seen.shift
    concentration = math.inf
    if seen.variance > 0.0:
        concentration = mean * (seen.u - seen.shift) / seen.variance - 1.0
    if result is not None and result.converged:
        concentration, mean = result.a + result.b, result.a / (result.a + result.b)
    if concentration > 2.0 * LARGEST_CONCENTRATION:
        raise _too_concentrated(sample)
    return solve_centred(seen, concentration, mean)


def _too_concentrated(sample: Data) -> DegenerateDataError:
    return DegenerateDataError(
        f"{sample.name}: a beta distribution is fitted while a + b <= 1e12; the {sample.n} scores,"
        f" between {sample.low!r} and {sample.high!r}, ask for more."
        + worded(' Use `family="logit-normal"` or "empirical".')
    )


def _largest_mean_log_likelihood(a: float, b: float, g1: float, g2: float) -> float:
    s = a + b
    if s < _SMALL_SHAPES:
        log_beta_ab = math.lgamma(a) + math.lgamma(b) - math.lgamma(s)
        return (a - 1.0) * g1 + (b - 1.0) * g2 - log_beta_ab
    # The score equations turn the large terms into small ones at the maximum.
    phi_a, phi_b, phi_s = phi_tau_of(a)[0], phi_tau_of(b)[0], phi_tau_of(s)[0]
    remainders = stirling_remainder(a) + stirling_remainder(b) - stirling_remainder(s)
    squares = a * phi_a + b * phi_b - s * phi_s
    return squares - g1 - g2 - HALF_LOG_TWO_PI - 0.5 * math.log(s / a / b) - remainders


def _log_likelihood(sample: Sample) -> Callable[[Any], float]:
    """The log-likelihood of any beta distribution, from the two mean logarithms."""
    if not sample.values.size:
        return lambda law: 0.0
    g1, g2 = sample.mean_logs()

    def at(law: Any) -> float:
        terms = ((law.a - 1.0) * g1, (law.b - 1.0) * g2, -log_beta(law.a, law.b))
        return sample.total * math.fsum(terms)

    return at


# ------------------------------------------------------------------- many samples at once
def _fit_rows(_: Distribution, x: FloatArray) -> Parameters:
    a, b, converged = beta_mle(np.mean(np.log(x), axis=1), np.mean(np.log1p(-x), axis=1))
    check_unfitted(int(np.sum(~np.asarray(converged))), x.shape[0], "beta")
    return np.atleast_1d(a)[:, None], np.atleast_1d(b)[:, None]


def _moments_of_rows(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Sample covariance of (log s, log(1 - s)) less that of the distribution."""
    from scipy.special import polygamma

    logs, logs1m = np.log(x), np.log1p(-x)
    u, v = (part - (part @ shares)[:, None] for part in (logs, logs1m))
    a, b = (q[:, 0] for q in p)
    common = polygamma(1, a + b)
    wanted = (polygamma(1, a) - common, -common, polygamma(1, b) - common)
    result = (u * u @ shares, u * v @ shares, v * v @ shares)
    scale = (wanted[0], np.sqrt(wanted[0] * wanted[2]), wanted[2])
    return np.stack([(f - w) / s for f, w, s in zip(result, wanted, scale, strict=True)], axis=1)


def _of_drawn(values: FloatArray, counts: IntArray) -> Parameters:
    means = means_of_drawn(np.stack([np.log(values), np.log1p(-values)], axis=1), counts)
    a, b, converged = beta_mle(means[:, 0], means[:, 1])
    return tuple(np.where(converged, q, np.nan)[:, None] for q in (a, b))


def _of_systems(side: ClassColumns, who: str, boundary: str | None) -> ClassEstimates:
    reason = reasons_of(side, who, boundary, unit=True)
    n = np.where(reason == "", side.inner, np.nan)
    g1, g2 = side.log / n, side.log1m / n
    a, b, converged = beta_mle(g1, g2)
    aa, bb, amplification = errors_of_rows(a, b, g1, g2)
    limit = amplification > ILL_CONDITIONED
    if not side.from_rows:
        limit &= a + b > LARGEST_SUMMED
    doubtful = (reason != "") | ~converged | limit
    params, errors = {"a": a, "b": b}, {"a": np.sqrt(aa / n), "b": np.sqrt(bb / n)}
    # At the maximum, where the score equations turn the large terms into small ones.
    s = a + b
    squares = a * phi_tau(a)[0] + b * phi_tau(b)[0] - s * phi_tau(s)[0]
    rest = stirling_remainders(a) + stirling_remainders(b) - stirling_remainders(s)
    likelihood = n * (squares - g1 - g2 - HALF_LOG_TWO_PI - 0.5 * np.log(s / a / b) - rest)
    return with_masses(
        ClassEstimates(who, params, errors, likelihood, reason, doubtful), side, boundary
    )


def _areas(client: Parameters, impostor: Parameters) -> FloatArray:
    shapes = [q[:, 0] for q in (*client, *impostor)]
    known = np.all(np.isfinite(shapes), axis=0)
    result = np.full(known.size, np.nan)
    result[known] = beta_auc(*(q[known] for q in shapes))
    return result


BETA = Family(
    estimate_beta,
    likelihood=_log_likelihood,
    on_unit=True,
    summed=True,
    shapes=True,
    law=Beta,
    contains=("dual-beta", "proper-beta"),
    fit_rows=_fit_rows,
    moments=_moments_of_rows,
    drawn=_of_drawn,
    systems=_of_systems,
    areas=_areas,
    decides={"at_zero": ("a", 1.0), "at_one": ("b", -1.0)},
)


# ------------------------------------------------------- clients Beta(p, 1), impostors Beta(1, q)
def _estimate_dual(sample: Data, free: int = 0) -> MleResult:
    """p = -1 / mean log s, of the power law s^p; or q, of 1 - s."""
    if sample.low == sample.high:
        raise DegenerateDataError(
            f"{sample.name}: a dual-beta fit needs at least 2 distinct scores; got {sample.n}, all"
            f" equal to {sample.low!r}." + worded(' Give more, or use `family="empirical"`.')
        )
    p = -1.0 / sample.mean_logs()[free]
    a, b = shapes = (1.0, p) if free else (p, 1.0)
    covariance, log_likelihood = np.zeros((2, 2)), sample.total * (math.log(p) - 1.0 + 1.0 / p)
    covariance[free, free] = p * p
    return MleResult(
        Beta(a, b), ("a", "b"), shapes, covariance, log_likelihood, fixed=("ba"[free],)
    )


def _dual_moments(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Mean square of an exponential variable, by its 2 times squared mean."""
    free, logs = (p[0], np.log(x)) if np.all(p[1] == 1.0) else (p[1], np.log1p(-x))
    return ((free * logs) ** 2 @ shares / 2.0 - 1.0)[:, None]


DUAL_BETA = Family(
    _estimate_dual, on_unit=True, impostor=partial(_estimate_dual, free=1), summed=True,
    moments=_dual_moments,
)  # fmt: skip


# ----------------------------------------------------------------------
# Maximum likelihood of two beta distributions whose ROC is concave: a_c >= a_i and b_c <= b_i.
Shapes = tuple[float, float]


class ClassSums(NamedTuple):
    """What the likelihood of one class needs."""

    #: Number of trials.
    weight: float
    #: Means of log s and of log(1 - s); negative.
    mean_log: float
    mean_log1m: float

    @classmethod
    def at(cls, a: float, b: float, weight: float = 1.0) -> ClassSums:
        """The sums whose estimate is Beta(a, b): psi(a) - psi(a + b), psi(b) - psi(a + b)."""
        phi_a, phi_b, phi_s = (phi_tau_of(x)[0] for x in (a, b, a + b))
        return cls(
            weight, phi_a - phi_s - math.log1p(b / a), phi_b - phi_s - math.log1p(a / b)
        )  # fmt: skip


class TiedSolution(NamedTuple):
    """The most likely pair with one shape in common."""

    #: (a, b) of both distributions; one of the two is the same number.
    client: tuple[float, float]
    impostor: tuple[float, float]
    iterations: int
    #: Largest derivative of the mean log-likelihood by the logarithm of a shape: of the shared
    #: one over all trials, of the others over those of their class.
    gradient_norm: float
    #: Of all trials of both classes.
    log_likelihood: float


class _Terms(NamedTuple):
    """One class at a point: minus its mean score, and its information."""

    r1: float
    r2: float
    of_a: float
    of_b: float
    coupling: float
    det: float
    #: Scores below these are rounding.
    quiet1: float
    quiet2: float


def tied_mle(client: ClassSums, impostor: ClassSums, shared: str = "a") -> TiedSolution:
    """The most likely pair of beta distributions with one shape, "a" or "b", in common.

        sum_k W_k [g1_k - psi(a) + psi(a + b_k)] = 0,   g2_k = psi(b_k) - psi(a + b_k)

    Unique where each class alone has a maximum; the relative error of a shape is about 1e-16 (a +
    b).
    """
    choice(shared, ("a", "b"), "shared")
    classes = [client, impostor]
    if shared == "b":
        classes = [ClassSums(s.weight, s.mean_log1m, s.mean_log) for s in classes]
    alone = [_own(who, s) for who, s in zip(CLASSES, classes, strict=True)]
    a, others, iterations, norm = _solve_tied(classes, alone)
    value = math.fsum(
        s.weight * math.fsum(((a - 1.0) * s.mean_log, (b - 1.0) * s.mean_log1m, -log_beta(a, b)))
        for s, b in zip(classes, others, strict=True)
    )
    pairs = [(a, b) if shared == "a" else (b, a) for b in others]
    return TiedSolution(pairs[0], pairs[1], iterations, norm, value)


def _own(who: str, sums: ClassSums) -> tuple[float, float]:
    """The most likely distribution of one class."""
    weight, g1, g2 = sums
    if not 0.0 < weight < math.inf:
        raise InputError(f"the weight of the {who} class must be positive; got {weight!r}.")
    result = solve_one(g1, g2) if g1 < 0.0 and g2 < 0.0 else None
    if result is None or not result.converged or result.a + result.b > LARGEST_CONCENTRATION:
        raise InputError(
            f"the mean logarithms of the {who} class must be those of a beta distribution with"
            f" a + b <= 1e12; got {g1!r} and {g2!r}."
        )
    return result.a, result.b


def _solve_tied(
    classes: list[ClassSums], alone: list[tuple[float, float]]
) -> tuple[float, list[float], int, float]:
    """By capped steps of Newton's method in the logarithms of the three shapes."""
    total, last = sum(s.weight for s in classes), False
    share = [s.weight / total for s in classes]
    centre = sum(w * math.log(a) for w, (a, _) in zip(share, alone, strict=True))
    place = [math.exp(centre), *(b for _, b in alone)]
    for iteration in range(1, MAX_ITERATIONS + 1):
        terms = [_terms(place[0], b, s) for b, s in zip(place[1:], classes, strict=True)]
        score = abs(sum(w * t.r1 for w, t in zip(share, terms, strict=True)))
        noise = sum(w * t.quiet1 for w, t in zip(share, terms, strict=True))
        if last or (score <= noise and all(abs(t.r2) <= t.quiet2 for t in terms)):
            others = (abs(b * t.r2) for b, t in zip(place[1:], terms, strict=True))
            return place[0], place[1:], iteration, max(place[0] * score, *others)
        steps = _tied_step(place, terms, share)
        size = max(abs(step) for step in steps)
        last, cut = size <= _LAST_STEP, _STEP_CAP / max(size, _STEP_CAP)
        place = [x * math.exp(cut * step) for x, step in zip(place, steps, strict=True)]
    raise FitError(
        f"the likelihood of a shape in common has no maximum within reach of {classes!r}. Please"
        " report these scores."
    )


def _terms(a: float, b: float, s: ClassSums) -> _Terms:
    (phi_a, tau_a), (phi_b, tau_b), (phi_s, tau_s) = (phi_tau_of(x) for x in (a, b, a + b))
    r1 = phi_a - phi_s - math.log1p(b / a) - s.mean_log
    r2 = phi_b - phi_s - math.log1p(a / b) - s.mean_log1m
    quiet = _NOISE * (abs(phi_a) - s.mean_log), _NOISE * (abs(phi_b) - s.mean_log1m)
    return _Terms(r1, r2, *information_terms(a, b, tau_a, tau_b, tau_s), *quiet)


def _tied_step(place: list[float], terms: list[_Terms], share: list[float]) -> list[float]:
    """The step in the logarithms: the two free shapes eliminated from the arrow matrix."""
    pairs = list(zip(share, terms, strict=True))
    curvature = sum(w * t.det / t.of_b for w, t in pairs)
    move = -sum(w * (t.r1 + t.coupling / t.of_b * t.r2) for w, t in pairs) / curvature
    others = [(t.coupling * move - t.r2) / t.of_b for t in terms]
    return [d / x for d, x in zip((move, *others), place, strict=True)]


def best_partner(a: float, mean_log1m: float, start: float) -> float:
    """The b with psi(b) - psi(a + b) = mean log(1 - s); the left side rises with b."""

    def excess(log_b: float) -> float:
        b = math.exp(log_b)
        return phi_tau_of(b)[0] - phi_tau_of(a + b)[0] - math.log1p(a / b) - mean_log1m

    here = math.log(start)
    low, high, step = here, here, 0.5
    while excess(low) > 0.0:
        low, step = low - step, 2.0 * step
    step = 0.5
    while excess(high) < 0.0:
        high, step = high + step, 2.0 * step
    return math.exp(bracketed_root(excess, low, high, what="best partner of a shape"))


def join_proper(client: ClassMaximum, impostor: ClassMaximum) -> JointMle | None:
    """The constrained maximum; None where the free one is proper already."""
    free = _shapes(client.estimate), _shapes(impostor.estimate)
    if _proper(*free):
        return None
    sums = ClassSums.at(*free[0], client.weight), ClassSums.at(*free[1], impostor.weight)
    candidates = _candidates(*sums)
    proper = [pair for pair in candidates if _proper(*pair[1][:2])]

    def gain(pair: tuple[Any, TiedSolution]) -> float:
        """Log-likelihood less that of the free maximum."""
        return math.fsum(
            s.weight * _change(new, old)
            for new, old, s in zip(pair[1][:2], free, sums, strict=True)
        )

    ties, best = max(proper, key=gain)
    return _joined(best, ties, (client, impostor), free)


def _shapes(estimate: MleResult) -> Shapes:
    return estimate.values[0], estimate.values[1]


def _proper(client: Shapes, impostor: Shapes) -> bool:
    return client[0] >= impostor[0] and client[1] <= impostor[1]


def _candidates(
    client: ClassSums, impostor: ClassSums
) -> list[tuple[tuple[str, ...], TiedSolution]]:
    result: list[tuple[tuple[str, ...], TiedSolution]] = [
        ((name,), tied_mle(client, impostor, name)) for name in ("a", "b")
    ]
    total = client.weight + impostor.weight
    share = client.weight / total
    pooled = solve_one(
        share * client.mean_log + (1.0 - share) * impostor.mean_log,
        share * client.mean_log1m + (1.0 - share) * impostor.mean_log1m,
    )
    if pooled is None or not pooled.converged:
        raise FitError(
            f"the mean logarithms of both classes belong to no beta distribution: {client!r},"
            f" {impostor!r}. Please report these scores."
        )
    both = TiedSolution(pooled[:2], pooled[:2], pooled.iterations, pooled.gradient_norm, math.nan)
    return [*result, (("a", "b"), both)]


def _change(new: Shapes, free: Shapes) -> float:
    """Change of a class's mean log-likelihood from its free maximum: minus a divergence."""
    sums = ClassSums.at(*free)
    gain = (new[0] - free[0]) * sums.mean_log + (new[1] - free[1]) * sums.mean_log1m
    return gain - log_beta_ratio(*new, *free)


def _joined(
    c: TiedSolution, ties: tuple[str, ...], classes: tuple[ClassMaximum, ...],
    free: tuple[Shapes, Shapes],
) -> JointMle:  # fmt: skip
    covariance = _covariance(c, ties, (classes[0].weight, classes[1].weight))
    estimates = []
    for k, (item, old) in enumerate(zip(classes, free, strict=True)):
        e, new = item.estimate, (c.client, c.impostor)[k]
        matrix = e.covariance.copy()
        matrix[:2, :2] = covariance[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] * item.total
        law, values = e.distribution._replaced({"a": new[0], "b": new[1]}), (*new, *e.values[2:])
        likelihood = e.log_likelihood + item.weight * _change(new, old)
        estimates.append(e._replace(
            distribution=law, values=values, covariance=matrix, log_likelihood=likelihood,
            iterations=c.iterations, gradient_norm=c.gradient_norm,
        ))  # fmt: skip
    sizes = [len(e.names) for e in estimates]
    shared = np.zeros(sizes)
    shared[:2, :2] = covariance[:2, 2:]
    return JointMle(estimates[0], estimates[1], as_rows(shared), ties)


def _covariance(c: TiedSolution, tied: tuple[str, ...], weights: Shapes) -> FloatArray:
    """Of (a_c, b_c, a_i, b_i) with the ties: C - C R' (R C R')^-1 R C, C that without them."""
    whole = np.zeros((4, 4))
    whole[:2, :2] = beta_inverse_information(*c.client) / weights[0]
    whole[2:, 2:] = beta_inverse_information(*c.impostor) / weights[1]
    rows = {"a": [1.0, 0.0, -1.0, 0.0], "b": [0.0, 1.0, 0.0, -1.0]}
    ties = np.array([rows[name] for name in tied])
    gone = ties @ whole
    return np.asarray(whole - gone.T @ np.linalg.solve(ties @ gone.T, gone))


PROPER_BETA = Family(
    estimate_beta, on_unit=True, join=join_proper, summed=True, concave=True,
    moments=_moments_of_rows,
)  # fmt: skip
