"""Maximum likelihood of the normal law (divisor n)."""

from __future__ import annotations

import math

from betaroc.core.special import HALF_LOG_TWO_PI
from betaroc.distributions.normal import Normal, normal_inverse_information
from betaroc.estimation.contract import Data, Family, Maximum, too_few_distinct


def estimate_normal(sample: Data) -> Maximum:
    """mu = mean, sigma^2 = mean (x - mu)^2: closed form, no iteration."""
    if sample.low == sample.high:
        raise too_few_distinct(sample, "normal")
    mu, sigma = proper_moments(sample, "normal", *sample.moments())
    log_likelihood = normal_log_likelihood(sigma, sample.total)
    return Maximum(
        Normal(mu, sigma),
        ("mu", "sigma"),
        (mu, sigma),
        normal_inverse_information(sigma),
        log_likelihood,
    )


def proper_moments(sample: Data, family: str, mu: float, sigma: float) -> tuple[float, float]:
    """Moments of a law that is no point."""
    if not sigma > 0.0:
        raise too_few_distinct(sample, family)
    return mu, sigma


def normal_log_likelihood(sigma: float, total: float) -> float:
    """At the maximum: every standardised square averages 1."""
    return -total * (HALF_LOG_TWO_PI + 0.5 + math.log(sigma))


#: The wider distribution has more at either end.
BY_SPREAD = {"at_zero": ("sigma", -1.0), "at_one": ("sigma", 1.0)}
NORMAL = Family(
    estimate_normal, summed=True, decides=BY_SPREAD, law=Normal, contains=("equal-variance-normal",)
)
