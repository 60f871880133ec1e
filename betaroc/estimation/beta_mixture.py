"""Maximum likelihood of a mixture of beta distributions."""

from __future__ import annotations

from functools import partial

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.special import log_beta
from betaroc.distributions.beta import Beta
from betaroc.distributions.mixture import BetaMixture
from betaroc.estimation.beta import estimate_beta
from betaroc.estimation.contract import Family, Maximum
from betaroc.estimation.mixture import Curvature, Kind, estimate_mixture, estimate_near
from betaroc.estimation.newton import solve_one

__all__ = ["BETA_MIXTURE"]

#: A component may be so much more concentrated than one distribution of all scores.
_CONCENTRATION = 1e4


def _columns(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.log(x), np.log1p(-x)


def _log_density(one: FloatArray, two: FloatArray, a: float, b: float) -> FloatArray:
    return np.asarray((a - 1.0) * one + (b - 1.0) * two - log_beta(a, b))


def _from_means(one: float, two: float) -> tuple[float, float] | None:
    found = solve_one(one, two) if max(one, two) < 0.0 else None
    return (found.a, found.b) if found is not None and found.converged else None


def _cap(single: Maximum) -> float:
    return _CONCENTRATION * (1.0 + sum(single.values))


def _parameters(coordinates: FloatArray) -> tuple[FloatArray, FloatArray]:
    shapes = np.exp(coordinates)
    return shapes[:, 0], shapes[:, 1]


def _shapes(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.column_stack([a, b])


def _curvature(
    one: FloatArray, two: FloatArray, weights: FloatArray, a: float, b: float
) -> Curvature:
    """By log a and log b: what is known of both logs is the same for all scores."""
    from scipy.special import polygamma, psi

    common, mass = float(polygamma(1, a + b)), float(weights.sum())
    score = a * (one - psi(a) + psi(a + b)), b * (two - psi(b) + psi(a + b))
    first = float(weights @ score[0]) - mass * a * a * (float(polygamma(1, a)) - common)
    second = float(weights @ score[1]) - mass * b * b * (float(polygamma(1, b)) - common)
    return Curvature(score, first, second, mass * a * b * common)


_KIND = Kind(
    "beta-mixture", "beta", BetaMixture, Beta, estimate_beta, _columns, _log_density, _from_means,
    lambda a, b: a / (a + b), lambda a, b: a + b, _cap, lambda a, b: np.log(_shapes(a, b)),
    _parameters, _shapes, _curvature,
)  # fmt: skip
BETA_MIXTURE = Family(
    partial(estimate_mixture, count=2, kind=_KIND), on_unit=True,
    sized=partial(estimate_mixture, kind=_KIND), near=partial(estimate_near, kind=_KIND),
    contains=("beta", "dual-beta", "proper-beta"), alone="beta",
)  # fmt: skip
