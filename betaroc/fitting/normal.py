"""Maximum likelihood of the normal law (divisor n)."""

from __future__ import annotations

import math

import numpy as np

from betaroc._special import HALF_LOG_TWO_PI
from betaroc.distributions import Normal
from betaroc.fitting.contract import Estimate, Family, Matrix, Sample, too_few_distinct


def estimate_normal(sample: Sample) -> Estimate:
    """mu = mean, sigma^2 = mean (x - mu)^2: closed form, no iteration."""
    mu, sigma = moments(sample, "normal")
    log_likelihood = normal_log_likelihood(sigma, sample.total)
    return Estimate(
        Normal(mu, sigma), ("mu", "sigma"), (mu, sigma), inverse_information(sigma), log_likelihood
    )


def moments(sample: Sample, family: str) -> tuple[float, float]:
    """Mean and standard deviation, without overflow and without cancellation."""
    if sample.low == sample.high:
        raise too_few_distinct(sample, family)
    _, exponent = math.frexp(max(abs(sample.low), abs(sample.high)))
    scaled = np.ldexp(sample.values, -exponent)
    centre = sample.mean(scaled)
    away = scaled - centre
    width = float(np.abs(away).max())
    residual = sample.mean(away)
    spread = sample.mean((away / width) ** 2) - (residual / width) ** 2
    sigma = math.ldexp(width * math.sqrt(spread), exponent)
    if not sigma > 0.0:
        raise too_few_distinct(sample, family)
    return math.ldexp(centre, exponent), sigma


def normal_log_likelihood(sigma: float, total: float) -> float:
    """At the maximum: every standardised square averages 1."""
    return -total * (HALF_LOG_TWO_PI + 0.5 + math.log(sigma))


def inverse_information(sigma: float) -> Matrix:
    """Covariance of (mu, sigma) for one unit of weight."""
    return ((sigma * sigma, 0.0), (0.0, 0.5 * sigma * sigma))


NORMAL = Family(estimate_normal)
