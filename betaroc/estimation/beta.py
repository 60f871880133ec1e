"""Maximum likelihood of the beta distribution, to ten digits and more, and of a dual beta pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import DegenerateDataError, FitError
from betaroc.core.polygamma import phi_tau, phi_tau_of
from betaroc.core.sentences import worded
from betaroc.core.special import HALF_LOG_TWO_PI, log_beta, stirling_remainder, stirling_remainders
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta, beta_auc
from betaroc.estimation.batch import ClassColumns, ClassEstimates, reasons_of, with_masses
from betaroc.estimation.contract import (
    Data,
    Family,
    Maximum,
    Parameters,
    Sample,
    SampleRows,
    SystemSums,
    as_rows,
    refuse_unfitted,
    too_few_distinct,
)
from betaroc.estimation.newton import (
    ILL_CONDITIONED,
    LARGEST_CONCENTRATION,
    MAX_ITERATIONS,
    BetaSolution,
    beta_mle,
    errors_of_rows,
    solve_centred,
    solve_one,
)
from betaroc.estimation.summed import LARGEST_SUMMED
from betaroc.estimation.sums import means_of_drawn

#: Spread, relative to the distance from 0 and from 1, below which moments start the solver.
_CONCENTRATED = 0.1
#: Above this 1 - x keeps all but three digits of x.
_RESOLVED = 1e-3
#: Up to here the terms of the log-likelihood are too small to cancel badly.
_SMALL_SHAPES = 30.0


def estimate_beta(sample: Data) -> Maximum:
    """The maximum-likelihood beta distribution of scores strictly inside (0, 1)."""
    if sample.low == sample.high:
        raise too_few_distinct(sample, "beta")
    g1, g2 = sample.mean_logs()
    found = _solve(sample, g1, g2)
    if not found.a + found.b <= LARGEST_CONCENTRATION:
        raise _too_concentrated(sample)
    estimate = _at_maximum(sample, g1, g2, found)
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
        found = solve_one(g1, g2)
        if found is not None and not found.amplification > ILL_CONDITIONED:
            return found
    else:
        found = None
    seen = sample.centred()
    mean = seen.m + seen.shift
    concentration = math.inf
    if seen.variance > 0.0:
        concentration = mean * (seen.u - seen.shift) / seen.variance - 1.0
    if found is not None and found.converged:
        concentration, mean = found.a + found.b, found.a / (found.a + found.b)
    if concentration > 2.0 * LARGEST_CONCENTRATION:
        raise _too_concentrated(sample)
    return solve_centred(seen, concentration, mean)


def _too_concentrated(sample: Data) -> DegenerateDataError:
    return DegenerateDataError(
        f"{sample.name}: a beta distribution is fitted while a + b <= 1e12; the {sample.n} scores,"
        f" between {sample.low!r} and {sample.high!r}, ask for more: beyond, it is not told from a"
        " single point."
        + worded(' Use `family="logit-normal"` or "empirical", or scores on another scale.')
    )


def _at_maximum(sample: Data, g1: float, g2: float, found: BetaSolution) -> Maximum:
    a, b = found.a, found.b
    aa, ab, bb = found.covariance
    return Maximum(
        Beta(a, b), ("a", "b"), (a, b), ((aa, ab), (ab, bb)),
        sample.total * _largest_mean_log_likelihood(a, b, g1, g2),
        found.converged, found.iterations, found.gradient_norm,
    )  # fmt: skip


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
    refuse_unfitted(int(np.sum(~np.asarray(converged))), x.shape[0], "beta")
    return np.atleast_1d(a)[:, None], np.atleast_1d(b)[:, None]


def beta_tails(p: Parameters, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both tails; the larger one from the smaller, which costs half."""
    from scipy.special import betainc, betaincc

    a, b, x = np.broadcast_arrays(*p, x)
    below, above = np.empty(a.shape), np.empty(a.shape)
    left = x * (a + b) < a
    below[left] = betainc(a[left], b[left], x[left])
    # scipy's complement costs ten times the ratio: it serves where 1 - x would lose digits of x.
    far = ~left & (x > _RESOLVED)
    above[far] = betainc(b[far], a[far], 1.0 - x[far])
    near = ~left & ~far
    above[near] = betaincc(a[near], b[near], x[near])
    below[~left], above[left] = 1.0 - above[~left], 1.0 - below[left]
    return below, above


def _moments_of_rows(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Sample covariance of (log s, log(1 - s)) less that of the distribution."""
    from scipy.special import polygamma

    logs, logs1m = np.log(x), np.log1p(-x)
    u, v = (part - (part @ shares)[:, None] for part in (logs, logs1m))
    a, b = (q[:, 0] for q in p)
    common = polygamma(1, a + b)
    wanted = (polygamma(1, a) - common, -common, polygamma(1, b) - common)
    found = (u * u @ shares, u * v @ shares, v * v @ shares)
    scale = (wanted[0], np.sqrt(wanted[0] * wanted[2]), wanted[2])
    return np.stack([(f - w) / s for f, w, s in zip(found, wanted, scale, strict=True)], axis=1)


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
    likelihood = n * _largest_mean_log_likelihoods(a, b, g1, g2)
    return with_masses(
        ClassEstimates(who, params, errors, likelihood, reason, doubtful), side, boundary
    )


def _largest_mean_log_likelihoods(
    a: FloatArray, b: FloatArray, g1: FloatArray, g2: FloatArray
) -> FloatArray:
    """At the maximum, where the score equations turn the large terms into small ones."""
    s = a + b
    squares = a * phi_tau(a)[0] + b * phi_tau(b)[0] - s * phi_tau(s)[0]
    rest = stirling_remainders(a) + stirling_remainders(b) - stirling_remainders(s)
    return np.asarray(squares - g1 - g2 - HALF_LOG_TWO_PI - 0.5 * np.log(s / a / b) - rest)


def _areas(client: Parameters, impostor: Parameters) -> FloatArray:
    shapes = [q[:, 0] for q in (*client, *impostor)]
    known = np.all(np.isfinite(shapes), axis=0)
    found = np.full(known.size, np.nan)
    found[known] = beta_auc(*(q[known] for q in shapes))
    return found


BETA_ROWS = SampleRows(
    Beta, _fit_rows, beta_tails, _moments_of_rows, drawn=_of_drawn,
    systems=SystemSums(Beta, _of_systems, _areas),
)  # fmt: skip
BETA = Family(
    estimate_beta,
    likelihood=_log_likelihood,
    on_unit=True,
    summed=True,
    shapes=True,
    law=Beta,
    contains=("dual-beta", "proper-beta"),
    rows=BETA_ROWS,
    decides={"at_zero": ("a", 1.0), "at_one": ("b", -1.0)},
)


# ------------------------------------------------------- clients Beta(p, 1), impostors Beta(1, q)
def _estimate_dual(sample: Data, free: int = 0) -> Maximum:
    """p = -1 / mean log s, of the power law s^p, whose -log s is exponential; or q, of 1 - s.

    The largest log-likelihood is W (log p - 1 + 1/p).
    """
    if sample.low == sample.high:
        raise DegenerateDataError(
            f"{sample.name}: a dual-beta fit needs at least 2 distinct scores, since equal ones are"
            f" of no continuous distribution; got {sample.n}, all equal to {sample.low!r}. Give"
            + worded(' more scores, or use `family="empirical"`.')
        )
    p = -1.0 / sample.mean_logs()[free]
    a, b = shapes = (1.0, p) if free else (p, 1.0)
    covariance, log_likelihood = np.zeros((2, 2)), sample.total * (math.log(p) - 1.0 + 1.0 / p)
    covariance[free, free] = p * p
    return Maximum(
        Beta(a, b), ("a", "b"), shapes, as_rows(covariance), log_likelihood, fixed=("ba"[free],)
    )


def _dual_rows(law: Beta, x: FloatArray) -> Parameters:
    """The shape that is not 1: of a client distribution a, of an impostor distribution b."""
    one = np.ones((x.shape[0], 1))
    if law.b == 1.0:
        return -1.0 / np.mean(np.log(x), axis=1, keepdims=True), one
    return one, -1.0 / np.mean(np.log1p(-x), axis=1, keepdims=True)


def _dual_moments(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Mean square of an exponential variable, by its 2 times squared mean."""
    free, logs = (p[0], np.log(x)) if np.all(p[1] == 1.0) else (p[1], np.log1p(-x))
    return ((free * logs) ** 2 @ shares / 2.0 - 1.0)[:, None]


DUAL_BETA = Family(
    _estimate_dual, on_unit=True, impostor=partial(_estimate_dual, free=1), summed=True,
    rows=SampleRows(Beta, _dual_rows, beta_tails, _dual_moments),
)  # fmt: skip
