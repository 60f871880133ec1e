"""Maximum likelihood of a mixture of normal distributions, on scores in standard units."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.special import HALF_LOG_TWO_PI
from betaroc.distributions.base import Distribution
from betaroc.distributions.mixture import NormalMixture
from betaroc.distributions.normal import Normal
from betaroc.estimation.contract import Data, Family, Maximum, Sample, as_rows
from betaroc.estimation.mixture import Curvature, Kind, estimate_mixture, estimate_near
from betaroc.estimation.normal import estimate_normal

#: A component may have this share of the standard deviation of all scores.
_NARROWEST = 0.01


def estimate_normal_mixture(given: Data, count: int = 2) -> Maximum:
    """The mixture of `count` normal distributions of the scores."""
    sample = given.rows()
    if sample.low == sample.high:
        return estimate_mixture(sample, count, _KIND)  # which says what is wrong
    mu, sigma = sample.moments()
    standard = sample.replace((sample.values - mu) / sigma)
    return _back(estimate_mixture(standard, count, _KIND), mu, sigma, sample)


def estimate_normal_near(given: Data, law: Distribution) -> Maximum:
    """The maximum that is uphill from the mixture of nearly the same scores."""
    sample = given.rows()
    mu, sigma = sample.moments()
    near = _moved(cast(NormalMixture, law), -mu / sigma, 1.0 / sigma)
    standard = sample.replace((sample.values - mu) / sigma)
    return _back(estimate_near(standard, near, _KIND), mu, sigma, sample)


def _moved(law: NormalMixture, shift: float, scale: float) -> NormalMixture:
    components = tuple(Normal(shift + scale * c.mu, scale * c.sigma) for c in law.components)
    return NormalMixture(law.weights, components)


def _back(found: Maximum, mu: float, sigma: float, sample: Sample) -> Maximum:
    """The estimate in the units of the scores."""
    law = _moved(cast(NormalMixture, found.distribution), mu, sigma)
    parameters = law._parameters()
    scale = np.array([1.0 if p.scale == "weights" else sigma for p in parameters])
    with np.errstate(over="ignore", under="ignore"):
        covariance = np.array(found.covariance) * np.outer(scale, scale)
    return found._replace(
        distribution=law,
        values=tuple(p.value for p in parameters),
        covariance=as_rows(covariance),
        log_likelihood=found.log_likelihood - sample.total * math.log(sigma),
    )


def _log_density(one: FloatArray, _: FloatArray, mu: float, sigma: float) -> FloatArray:
    return np.asarray(-0.5 * ((one - mu) / sigma) ** 2 - math.log(sigma) - HALF_LOG_TWO_PI)


def _from_means(one: float, two: float) -> tuple[float, float] | None:
    square = two - one * one
    return (one, math.sqrt(square)) if square > 0.0 else None


def _scores(
    one: FloatArray, _: FloatArray, mu: float, sigma: float
) -> tuple[FloatArray, FloatArray]:
    """By mu and log sigma: z/sigma and z^2 - 1."""
    z = (one - mu) / sigma
    return z / sigma, z * z - 1.0


def _curvature(mass: float, of_mu: float, of_sigma: float, _: float, sigma: float) -> Curvature:
    """By mu and log sigma: of each score -1/sigma^2, -2 z^2, -2 z/sigma."""
    return Curvature(-mass / sigma**2, -2.0 * (of_sigma + mass), -2.0 * of_mu)


_KIND = Kind(
    "normal-mixture", "normal", NormalMixture, Normal, estimate_normal,
    lambda x: (x, x * x), _log_density, _from_means,
    lambda mu, _: mu, lambda _, sigma: 1.0 / sigma,
    lambda _: 1.0 / _NARROWEST, slice(1, 2), _scores, _curvature,
)  # fmt: skip
NORMAL_MIXTURE = Family(
    estimate_normal_mixture, sized=estimate_normal_mixture, near=estimate_normal_near,
    contains=("normal", "equal-variance-normal"), alone="normal",
)  # fmt: skip
