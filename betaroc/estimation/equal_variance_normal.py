"""Maximum likelihood of two normal distributions of one standard deviation."""

from __future__ import annotations

import math

import numpy as np

from betaroc.core.special import HALF_LOG_TWO_PI
from betaroc.distributions.normal import Normal, normal_inverse_information
from betaroc.estimation.contract import ClassMaximum, Family, Joined, Matrix, Maximum
from betaroc.estimation.normal import estimate_normal

__all__ = ["EQUAL_VARIANCE_NORMAL"]


def join_spreads(client: ClassMaximum, impostor: ClassMaximum) -> Joined:
    """sigma^2 = (n_c s_c^2 + n_i s_i^2)/(n_c + n_i), of which the means know nothing."""
    own = [one.estimate.values[1] for one in (client, impostor)]
    weights = [one.weight for one in (client, impostor)]
    total = sum(weights)
    sigma = math.hypot(*(math.sqrt(w / total) * s for w, s in zip(weights, own, strict=True)))
    spread = normal_inverse_information(sigma)[1][1] / total
    estimates = [
        _shared(one, sigma, s, spread) for one, s in zip((client, impostor), own, strict=True)
    ]
    shared: Matrix = ((0.0, 0.0), (0.0, spread))
    return Joined(estimates[0], estimates[1], shared, ("sigma",))


def _shared(one: ClassMaximum, sigma: float, own: float, spread: float) -> Maximum:
    """One class with the standard deviation of both."""
    mu = one.estimate.values[0]
    square = normal_inverse_information(sigma)[0][0]
    covariance = np.diag([square / one.weight, spread]) * one.total
    mean_square = (own / sigma) ** 2
    return one.estimate._replace(
        distribution=Normal(mu, sigma),
        values=(mu, sigma),
        covariance=tuple(tuple(row) for row in covariance.tolist()),
        log_likelihood=-one.weight * (HALF_LOG_TWO_PI + math.log(sigma) + 0.5 * mean_square),
        influence=None,
    )


EQUAL_VARIANCE_NORMAL = Family(estimate_normal, join=join_spreads, summed=True, concave=True)
