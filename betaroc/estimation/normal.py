"""Maximum likelihood of normal distributions of a coordinate, and of other skewed ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from betaroc.core.arrays import INSIDE, AnyArray, FloatArray, IntArray
from betaroc.core.errors import FitError
from betaroc.core.polygamma import log1p_excess_array
from betaroc.core.special import HALF_LOG_TWO_PI
from betaroc.core.vocabulary import worded
from betaroc.distributions.base import Distribution
from betaroc.distributions.gamma import Gamma, gamma_mle
from betaroc.distributions.normal import (
    LogitNormal,
    LogitSinhArcsinh,
    LogNormal,
    Normal,
    NormalCoordinate,
    SinhArcsinh,
    normal_inverse_information,
    sinh_arcsinh_mle,
)
from betaroc.estimation.batch import ClassColumns, ClassEstimates, reasons_of, with_masses
from betaroc.estimation.contract import (
    CANCELLED,
    LEAST_SQUARE,
    ClassMaximum,
    Data,
    Family,
    JointMle,
    Matrix,
    MleResult,
    Parameters,
    Sample,
    check_unfitted,
    means_of_drawn,
    too_few_distinct,
)


def estimate_normal(
    sample: Data, family: str = "normal", law: type[NormalCoordinate] = Normal
) -> MleResult:
    """Mean and standard deviation (divisor n) of the score, its logit or its logarithm.

    At the maximum every standardised square averages 1; the mean log Jacobian joins.
    """
    if sample.low == sample.high:
        raise too_few_distinct(sample, family)
    if law is LogitNormal:
        mu, sigma, jacobian = sample.logit_moments()
    elif law is LogNormal:
        mu, sigma = sample.rows().replace(np.log(sample.rows().values)).moments()
        jacobian = mu
    else:
        (mu, sigma), jacobian = sample.moments(), 0.0
    if not sigma > 0.0:
        raise too_few_distinct(sample, family)
    mean_log = HALF_LOG_TWO_PI + 0.5 + math.log(sigma)
    likelihood = -sample.total * mean_log + -sample.total * jacobian
    covariance = np.array(normal_inverse_information(sigma))
    return MleResult(law(mu, sigma), ("mu", "sigma"), (mu, sigma), covariance, likelihood)


# ------------------------------------------------------------------- many samples at once
def fit_rows(_: Distribution, x: FloatArray) -> Parameters:
    """Moments, in units of the largest score, so that squares are doubles whatever the scale."""
    _, power = np.frexp(np.max(np.abs(x), axis=1, keepdims=True))
    inside = np.ldexp(x, -power)
    mean, width = np.mean(inside, axis=1, keepdims=True), np.std(inside, axis=1, keepdims=True)
    check_unfitted(int(np.sum(width == 0.0)), x.shape[0], "normal")
    return np.ldexp(mean, power), np.ldexp(width, power)


def moments_of_rows(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Skewness and excess kurtosis: what the gradients' covariance can be wrong in."""
    z = (x - p[0]) / p[1]
    return np.stack([z**3 @ shares, z**4 @ shares - 3.0], axis=1)


def drawn_moments(x: FloatArray, counts: IntArray) -> Parameters:
    """Mean and standard deviation; nan of equal scores."""
    centre = float(np.mean(x))
    means = means_of_drawn(np.stack([x - centre, (x - centre) ** 2], axis=1), counts)
    present = counts > 0
    most, least = (
        of(np.where(present, x, outside), axis=1)
        for of, outside in ((np.max, -np.inf), (np.min, np.inf))
    )
    spread = np.sqrt(np.maximum(means[:, 1] - means[:, 0] ** 2, 0.0))
    known = (most > least) & (spread > 0.0)
    result = centre + means[:, 0], spread
    return tuple(np.where(known, q, np.nan)[:, None] for q in result)


def _of_systems(side: ClassColumns, who: str, boundary: str | None) -> ClassEstimates:
    reason = reasons_of(side, who, boundary, unit=False)
    return from_moments(who, reason, side.n, side.mean, side.square, side.kept)


def from_moments(
    who: str, reason: AnyArray, n: FloatArray, mu: FloatArray, square: FloatArray, keep: FloatArray
) -> ClassEstimates:
    """Of the sum of squares about a mean, and the share of it that cancellation left."""
    good = (reason == "") & (keep > CANCELLED) & np.isfinite(square)
    good &= square > LEAST_SQUARE * n
    n, mu = np.where(good, n, np.nan), np.where(good, mu, np.nan)
    sigma = np.sqrt(np.where(good, square, np.nan) / n)
    errors = {"mu": sigma / np.sqrt(n), "sigma": sigma / np.sqrt(2.0 * n)}
    likelihood = -n * (HALF_LOG_TWO_PI + 0.5 + np.log(sigma))
    return ClassEstimates(who, {"mu": mu, "sigma": sigma}, errors, likelihood, reason, ~good)


def areas_of_rows(client: Parameters, impostor: Parameters) -> FloatArray:
    """Phi of the difference of means over the root of the sum of variances."""
    from scipy.special import ndtr

    (mu_c, sigma_c), (mu_i, sigma_i) = ([q[:, 0] for q in side] for side in (client, impostor))
    return np.asarray(ndtr((mu_c - mu_i) / np.hypot(sigma_c, sigma_i)))


#: The wider distribution has more at either end.
BY_SPREAD = {"at_zero": ("sigma", -1.0), "at_one": ("sigma", 1.0)}
NORMAL = Family(
    estimate_normal, summed=True, decides=BY_SPREAD, law=Normal,
    fit_rows=fit_rows, moments=moments_of_rows, drawn=drawn_moments,
    contains=("equal-variance-normal",), everywhere=True, systems=_of_systems, areas=areas_of_rows,
)  # fmt: skip


# ------------------------------------------------------------ of one standard deviation


def join_spreads(client: ClassMaximum, impostor: ClassMaximum) -> JointMle:
    """sigma^2 = (n_c s_c^2 + n_i s_i^2)/(n_c + n_i), of which the means know nothing."""
    spreads = [item.estimate.values[1] for item in (client, impostor)]
    weights = [item.weight for item in (client, impostor)]
    total = sum(weights)
    sigma = math.hypot(*(math.sqrt(w / total) * s for w, s in zip(weights, spreads, strict=True)))
    spread = normal_inverse_information(sigma)[1][1] / total
    estimates = [
        _shared(item, sigma, s, spread) for item, s in zip((client, impostor), spreads, strict=True)
    ]
    shared: Matrix = ((0.0, 0.0), (0.0, spread))
    return JointMle(estimates[0], estimates[1], shared, ("sigma",))


def _shared(item: ClassMaximum, sigma: float, alone: float, spread: float) -> MleResult:
    """One class with the standard deviation of both."""
    mu = item.estimate.values[0]
    square = normal_inverse_information(sigma)[0][0]
    mean_square = (alone / sigma) ** 2
    return item.estimate._replace(
        distribution=Normal(mu, sigma),
        values=(mu, sigma),
        covariance=np.diag([square / item.weight, spread]) * item.total,
        log_likelihood=-item.weight * (HALF_LOG_TWO_PI + math.log(sigma) + 0.5 * mean_square),
    )


EQUAL_VARIANCE_NORMAL = Family(estimate_normal, join=join_spreads, summed=True, concave=True)


# ----------------------------------------------------------------------
# Maximum likelihood of the logit-normal law: the normal distribution of the scores' logits.
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


def _logit(x: FloatArray) -> FloatArray:
    inside = np.clip(x, *INSIDE)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def _logits_of_systems(side: ClassColumns, who: str, boundary: str | None) -> ClassEstimates:
    reason, n = reasons_of(side, who, boundary, unit=True), side.inner
    mu = (side.log - side.log1m) / np.where(n > 0.0, n, np.nan)
    result = from_moments(who, reason, n, mu, side.logit_square, side.logit_kept)
    jacobian = -(side.log + side.log1m)
    result = replace(result, log_likelihood=result.log_likelihood + jacobian)
    return with_masses(result, side, boundary)


LOGIT_NORMAL = Family(
    partial(estimate_normal, family="logit-normal", law=LogitNormal),
    likelihood=_log_likelihood,
    on_unit=True,
    summed=True,
    decides=BY_SPREAD,
    law=LogitNormal,
    fit_rows=lambda law, x: fit_rows(law, _logit(x)),
    moments=lambda p, x, shares: moments_of_rows(p, _logit(x), shares),
    drawn=lambda values, counts: drawn_moments(np.log(values) - np.log1p(-values), counts),
    systems=_logits_of_systems,
    areas=areas_of_rows,
    squares=True,
)


# ----------------------------------------------------------------------
# Maximum likelihood of skewed distributions: log-normal, gamma and sinh-arcsinh normal.
#: Scores of a smaller relative variance differ by rounding alone.
_LEAST_GAP = 1e-12


def estimate_gamma(value: Data) -> MleResult:
    """From the mean and log(mean) - mean log, of z = x/mean - 1 the mean of z - log(1 + z)."""
    sample = value.rows()
    mean, _ = sample.moments()
    away = sample.values / mean - 1.0
    excess = log1p_excess_array(away, np.log(sample.values) - math.log(mean))
    gap = -sample.mean(excess + away)
    if sample.low == sample.high or not gap > _LEAST_GAP:
        raise too_few_distinct(sample, "gamma")
    law = gamma_mle(mean, gap)
    a, scale = law.shape, law.scale
    each = (a - 1.0) * (math.log(mean) - gap) - a - math.lgamma(a) - a * math.log(scale)
    covariance = law._unit_covariance()
    return MleResult(law, ("shape", "scale"), (a, scale), covariance, sample.total * each)


def estimate_sinh_arcsinh(
    value: Data, near: Distribution | None = None, *, kind: type[SinhArcsinh] = SinhArcsinh
) -> MleResult:
    """The maximum of scores, or of their logits; `near` that of nearly the same scores."""
    sample = value.rows()
    name = "sinh-arcsinh" if kind is SinhArcsinh else "logit-sinh-arcsinh"
    if sample.low == sample.high:
        raise too_few_distinct(sample, name)
    y, jacobian = sample.values, 0.0
    if kind is LogitSinhArcsinh:
        log, log1m = np.log(y), np.log1p(-y)
        y, jacobian = log - log1m, -sample.total * sample.mean(log + log1m)
    start = near if isinstance(near, SinhArcsinh) else None
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        result = sinh_arcsinh_mle(y, sample.weights, start)
    if result is None:
        raise FitError(
            f"{sample.name}: no {name} distribution of largest likelihood was found: it is flat, or"
            " grows towards a point mass, as of few or tied scores."
            + worded(' Use `family="normal"` or "empirical", or give more scores.')
        )
    values, covariance, likelihood, iterations, slope = result
    law = kind(*values)
    names = tuple(p.name for p in law._parameters())
    likelihood += jacobian
    return MleResult(law, names, values, covariance, likelihood, True, iterations, slope)


LOG_NORMAL = Family(
    partial(estimate_normal, family="log-normal", law=LogNormal), positive=True, decides=BY_SPREAD,
    law=LogNormal,
)  # fmt: skip
GAMMA = Family(estimate_gamma, positive=True, law=Gamma)
SINH_ARCSINH = Family(
    estimate_sinh_arcsinh, near=estimate_sinh_arcsinh, law=SinhArcsinh,
    contains=("normal", "equal-variance-normal"),
)  # fmt: skip
_of_logits = partial(estimate_sinh_arcsinh, kind=LogitSinhArcsinh)
LOGIT_SINH_ARCSINH = Family(
    _of_logits, near=_of_logits, law=LogitSinhArcsinh, on_unit=True, contains=("logit-normal",)
)
