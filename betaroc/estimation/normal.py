"""Maximum likelihood of the normal law (divisor n)."""

from __future__ import annotations

import math

from betaroc.core.special import HALF_LOG_TWO_PI
from betaroc.distributions.normal import Normal
from betaroc.estimation.contract import Data, Family, Matrix, Maximum, too_few_distinct

#: Squares of sigmas beyond these lose digits, then themselves.
_LEAST, _MOST = 1e-145, 1e145


def estimate_normal(sample: Data) -> Maximum:
    """mu = mean, sigma^2 = mean (x - mu)^2: closed form, no iteration."""
    if sample.low == sample.high:
        raise too_few_distinct(sample, "normal")
    mu, sigma = proper_moments(sample, "normal", *sample.moments())
    log_likelihood = normal_log_likelihood(sigma, sample.total)
    return Maximum(
        Normal(mu, sigma), ("mu", "sigma"), (mu, sigma), inverse_information(sigma), log_likelihood
    )


def proper_moments(sample: Data, family: str, mu: float, sigma: float) -> tuple[float, float]:
    """Moments of a law that is no point."""
    if not sigma > 0.0:
        raise too_few_distinct(sample, family)
    return mu, sigma


def normal_log_likelihood(sigma: float, total: float) -> float:
    """At the maximum: every standardised square averages 1."""
    return -total * (HALF_LOG_TWO_PI + 0.5 + math.log(sigma))


def inverse_information(sigma: float) -> Matrix:
    """Covariance of (mu, sigma) for one unit of weight; nan where its square is no double."""
    if not _LEAST < sigma < _MOST:
        return ((math.nan, 0.0), (0.0, math.nan))
    return ((sigma * sigma, 0.0), (0.0, 0.5 * sigma * sigma))


NORMAL = Family(estimate_normal, summed=True)
