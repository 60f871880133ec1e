"""Maximum likelihood of the beta law from one sample, to ten digits and more."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import DegenerateDataError, FitError
from betaroc.core.polygamma import beta_inverse_information, phi_tau_of
from betaroc.core.sentences import worded
from betaroc.core.special import HALF_LOG_TWO_PI, log_beta, stirling_remainder
from betaroc.distributions.beta import Beta
from betaroc.estimation.contract import (
    Coordinates,
    Data,
    Family,
    Influence,
    Matrix,
    Maximum,
    Sample,
    too_few_distinct,
)
from betaroc.estimation.newton import (
    ILL_CONDITIONED,
    LARGEST_CONCENTRATION,
    MAX_ITERATIONS,
    BetaSolution,
    solve_centred,
    solve_one,
)

#: Spread, relative to the distance from 0 and from 1, below which moments start the solver.
_CONCENTRATED = 0.1
#: Up to here the terms of the log-likelihood are too small to cancel badly.
_SMALL_SHAPES = 30.0


def estimate_beta(sample: Data) -> Maximum:
    """The maximum-likelihood beta law of scores strictly inside (0, 1)."""
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
    covariance = ((aa, ab), (ab, bb))
    return Maximum(
        Beta(a, b),
        ("a", "b"),
        (a, b),
        covariance,
        sample.total * _largest_mean_log_likelihood(a, b, g1, g2),
        found.converged,
        found.iterations,
        found.gradient_norm,
        _influence(sample, g1, g2, a, b, covariance),
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


def _influence(
    sample: Data, g1: float, g2: float, a: float, b: float, covariance: Matrix
) -> Influence:
    """One Newton step without the extreme scores: covariance times their score, over the weight."""
    (of_aa, of_ab), (_, of_bb) = covariance
    largest = 0.0, "a", sample.low
    for score in (sample.low, sample.high):
        s1, s2 = math.log(score) - g1, math.log1p(-score) - g2
        move_a = abs(of_aa * s1 + of_ab * s2) / (a * sample.total)
        move_b = abs(of_ab * s1 + of_bb * s2) / (b * sample.total)
        largest = max(largest, (move_a, "a", score), (move_b, "b", score))
    return Influence(*largest)


def _log_likelihood(sample: Sample) -> Callable[[Any], float]:
    """The log-likelihood of any beta law, from the two mean logarithms."""
    if not sample.values.size:
        return lambda law: 0.0
    g1, g2 = sample.mean_logs()

    def at(law: Any) -> float:
        terms = ((law.a - 1.0) * g1, (law.b - 1.0) * g2, -log_beta(law.a, law.b))
        return sample.total * math.fsum(terms)

    return at


def _law(log_a: float, log_b: float) -> Beta:
    return Beta(math.exp(log_a), math.exp(log_b))


def _of(law: Any) -> tuple[float, float]:
    return math.log(law.a), math.log(law.b)


def _rates(law: Any) -> tuple[float, float]:
    return law.a, law.b


def _scale(law: Any) -> FloatArray:
    shapes = np.array([law.a, law.b])
    covariance = beta_inverse_information(law.a, law.b) / np.outer(shapes, shapes)
    return np.asarray(np.linalg.cholesky(covariance))


BETA = Family(
    estimate_beta,
    Coordinates(_law, _of, _rates, _scale, _log_likelihood),
    on_unit=True,
    summed=True,
    shapes=True,
    law=Beta,
    contains=("dual-beta", "proper-beta"),
    decides={"at_zero": ("a", 1.0), "at_one": ("b", -1.0)},
)
