"""Maximum likelihood of the logit-normal law: the normal distribution of the scores' logits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from betaroc.core.arrays import INSIDE, FloatArray
from betaroc.core.special import HALF_LOG_TWO_PI
from betaroc.distributions.logit_normal import LogitNormal
from betaroc.estimation.batch import ClassColumns, ClassEstimates, reasons_of, with_masses
from betaroc.estimation.contract import Data, Family, Maximum, Sample, SampleRows, SystemSums
from betaroc.estimation.normal import (
    BY_SPREAD,
    areas_of_rows,
    drawn_moments,
    fit_rows,
    from_moments,
    maximum_of_moments,
    moments_of_rows,
    tails_of_rows,
)


def estimate_logit_normal(sample: Data) -> Maximum:
    """Moments of log x - log(1 - x); the Jacobian -log x - log(1 - x) joins the likelihood."""
    return maximum_of_moments(sample, "logit-normal", LogitNormal, sample.logit_moments)


def _log_likelihood(sample: Sample) -> Callable[[Any], float]:
    """The log-likelihood of any logit-normal distribution, from three sums."""
    log, log1m = np.log(sample.values), np.log1p(-sample.values)
    logit = log - log1m
    centre = sample.mean(logit)
    square = sample.mean((logit - centre) ** 2)
    jacobian = -sample.mean(log + log1m)

    def at(law: Any) -> float:
        deviance = (square + (centre - law.mu) ** 2) / (2.0 * law.sigma**2)
        return float(sample.total * (jacobian - deviance - math.log(law.sigma) - HALF_LOG_TWO_PI))

    return at


def _of(law: Any) -> tuple[float, float]:
    return law.mu, math.log(law.sigma)


def _logit(x: FloatArray) -> FloatArray:
    inside = np.clip(x, *INSIDE)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def _of_systems(side: ClassColumns, who: str, boundary: str | None) -> ClassEstimates:
    reason, n = reasons_of(side, who, boundary, unit=True), side.inner
    mu = (side.log - side.log1m) / np.where(n > 0.0, n, np.nan)
    found = from_moments(who, reason, n, mu, side.logit_square, side.logit_kept)
    jacobian = -(side.log + side.log1m)
    found = replace(found, log_likelihood=found.log_likelihood + jacobian)
    return with_masses(found, side, boundary)


LOGIT_NORMAL_ROWS = SampleRows(
    LogitNormal,
    lambda law, x: fit_rows(law, _logit(x)),
    lambda p, x: tails_of_rows(p, _logit(x)),
    lambda p, x, shares: moments_of_rows(p, _logit(x), shares),
    drawn=lambda values, counts: drawn_moments(np.log(values) - np.log1p(-values), counts),
    systems=SystemSums(LogitNormal, _of_systems, areas_of_rows, squares=True),
)
LOGIT_NORMAL = Family(
    estimate_logit_normal,
    likelihood=_log_likelihood,
    on_unit=True,
    summed=True,
    decides=BY_SPREAD,
    law=LogitNormal,
    rows=LOGIT_NORMAL_ROWS,
)
