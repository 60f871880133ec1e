"""Maximum likelihood of skewed distributions: log-normal, gamma and sinh-arcsinh normal."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from betaroc.core.errors import FitError
from betaroc.core.polygamma import log1p_excess_array
from betaroc.core.sentences import worded
from betaroc.distributions.base import Distribution
from betaroc.distributions.gamma import Gamma, gamma_mle
from betaroc.distributions.logit_normal import LogNormal
from betaroc.distributions.normal import normal_inverse_information
from betaroc.distributions.sinh_arcsinh import LogitSinhArcsinh, SinhArcsinh, sinh_arcsinh_mle
from betaroc.estimation.contract import Data, Family, Maximum, as_rows, too_few_distinct
from betaroc.estimation.normal import BY_SPREAD, estimate_normal

#: Scores of a smaller relative variance differ by rounding alone.
_LEAST_GAP = 1e-12


def estimate_log_normal(given: Data) -> Maximum:
    """Moments of log x; the Jacobian -log x joins the likelihood."""
    sample = given.rows()
    found = estimate_normal(sample.replace(np.log(sample.values)), "log-normal")
    mu, sigma = found.values
    return found._replace(
        distribution=LogNormal(mu, sigma), covariance=normal_inverse_information(sigma),
        log_likelihood=found.log_likelihood - sample.total * mu,
    )  # fmt: skip


def estimate_gamma(given: Data) -> Maximum:
    """From the mean and log(mean) - mean log, of z = x/mean - 1 the mean of z - log(1 + z)."""
    sample = given.rows()
    mean, _ = sample.moments()
    away = sample.values / mean - 1.0
    excess = log1p_excess_array(away, np.log(sample.values) - math.log(mean))
    gap = -sample.mean(excess + away)
    if sample.low == sample.high or not gap > _LEAST_GAP:
        raise too_few_distinct(sample, "gamma")
    law = gamma_mle(mean, gap)
    a, scale = law.shape, law.scale
    each = (a - 1.0) * (math.log(mean) - gap) - a - math.lgamma(a) - a * math.log(scale)
    covariance = as_rows(law._unit_covariance())
    return Maximum(law, ("shape", "scale"), (a, scale), covariance, sample.total * each)


def estimate_sinh_arcsinh(
    given: Data, near: Distribution | None = None, *, kind: type[SinhArcsinh] = SinhArcsinh
) -> Maximum:
    """The maximum of scores, or of their logits; `near` that of nearly the same scores."""
    sample = given.rows()
    name = "sinh-arcsinh" if kind is SinhArcsinh else "logit-sinh-arcsinh"
    if sample.low == sample.high:
        raise too_few_distinct(sample, name)
    y, jacobian = sample.values, 0.0
    if kind is LogitSinhArcsinh:
        log, log1m = np.log(y), np.log1p(-y)
        y, jacobian = log - log1m, -sample.total * sample.mean(log + log1m)
    start = near if isinstance(near, SinhArcsinh) else None
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        found = sinh_arcsinh_mle(y, sample.weights, start)
    if found is None:
        raise FitError(
            f"{sample.name}: no {name} distribution of largest likelihood was found: it is flat, or"
            " grows towards a point mass, as of few or tied scores."
            + worded(' Use `family="normal"` or "empirical", or give more scores.')
        )
    values, covariance, likelihood, iterations, slope = found
    law = kind(*values)
    names = tuple(p.name for p in law._parameters())
    likelihood += jacobian
    return Maximum(law, names, values, as_rows(covariance), likelihood, True, iterations, slope)


LOG_NORMAL = Family(estimate_log_normal, positive=True, decides=BY_SPREAD, law=LogNormal)
GAMMA = Family(estimate_gamma, positive=True, law=Gamma)
SINH_ARCSINH = Family(
    estimate_sinh_arcsinh, near=estimate_sinh_arcsinh, law=SinhArcsinh,
    contains=("normal", "equal-variance-normal"),
)  # fmt: skip
_of_logits = partial(estimate_sinh_arcsinh, kind=LogitSinhArcsinh)
LOGIT_SINH_ARCSINH = Family(
    _of_logits, near=_of_logits, law=LogitSinhArcsinh, on_unit=True, contains=("logit-normal",)
)
