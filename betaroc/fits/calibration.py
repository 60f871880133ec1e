"""Whether a score already is the probability of a client."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.polygamma import phi_tau_of
from betaroc.core.special import log_beta_ratio
from betaroc.data.groups import groups_of
from betaroc.distributions.beta import Beta, has_shape
from betaroc.estimation.record import PairEstimate
from betaroc.inference.sandwich import joint_cov

__all__ = ["CalibrationTest", "calibration_test"]


class CalibrationTest(NamedTuple):
    """Whether the posterior of the fitted pair is the score itself."""

    #: Wald's chi-squared with three degrees of freedom.
    statistic: float
    p_value: float
    #: a_c - a_i and b_i - b_c: both 1 for a calibrated score.
    slope_at_zero: float
    slope_at_one: float
    #: Log-odds of the posterior at a score of 1/2: 0 for a calibrated score.
    intercept: float


def calibration_test(f: PairEstimate) -> CalibrationTest:
    """Wald's test of a fit; `Fit.calibration_test` documents it."""
    c, i = f.client.distribution, f.impostor.distribution
    if not (has_shape(c) and has_shape(i)):
        raise InputError(
            "the test of calibration is of beta distributions without point masses; got"
            f" {c!r:.50} and {i!r:.50}. Look at model.posterior(scores)."
        )
    prior = f.model.prior
    if not 0.0 < prior < 1.0:
        raise InputError(f"the fit must have a prior inside (0, 1); got {prior!r}.")
    at_zero, at_one = c.a - i.a, i.b - c.b
    level = log_beta_ratio(i.a, i.b, c.a, c.b) + math.log(prior) - math.log1p(-prior)
    # At a score of 1/2 both logarithms are -log 2.
    intercept = level - (at_zero - at_one) * math.log(2.0)
    away = np.array([at_zero - 1.0, at_one - 1.0, level])
    own, other = _gradient(c), _gradient(i)
    rates = np.array(
        [[1.0, 0.0, -1.0, 0.0], [0.0, -1.0, 0.0, 1.0], [-own[0], -own[1], other[0], other[1]]]
    )
    covariance = rates @ _covariance(f) @ rates.T
    # The share of clients was observed: its log-odds have an error of their own.
    covariance[2, 2] += 1.0 / f.client.total_weight + 1.0 / f.impostor.total_weight
    statistic = float(away @ np.linalg.solve(covariance, away))
    from scipy.special import chdtrc

    return CalibrationTest(
        statistic, float(chdtrc(3.0, statistic)), float(at_zero), float(at_one), float(intercept)
    )


def _gradient(law: Beta) -> tuple[float, float]:
    """Derivatives of log B(a, b): psi(a) - psi(a + b) and psi(b) - psi(a + b)."""
    a, b = law.a, law.b
    phi = [phi_tau_of(x)[0] for x in (a, b, a + b)]
    return phi[0] - phi[2] - math.log1p(b / a), phi[1] - phi[2] - math.log1p(a / b)


def _covariance(f: PairEstimate) -> FloatArray:
    """Of (a_c, b_c, a_i, b_i), with groups where the scores carry them."""
    if groups_of(f.scores) is not None:
        return np.asarray(joint_cov(f))
    cov = np.zeros((4, 4))
    cov[:2, :2], cov[2:, 2:] = f.client.cov, f.impostor.cov
    return cov
