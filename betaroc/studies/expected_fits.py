"""The fit that so many scores of known distributions give on average, and those around it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from betaroc.core.errors import InputError
from betaroc.distributions.base import Distribution
from betaroc.estimation.families import named, planned_family
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.inference.parameter_errors import free_coordinates, laws_at
from betaroc.inference.small_samples import small_sample
from betaroc.model.model import ScoreModel

#: Client and impostor scores.
Sizes = tuple[int, int]


def expected_fit(model: ScoreModel, sizes: Sizes) -> Fit:
    """A fit whose estimates are the distributions themselves, with the errors of so many scores.

    The covariance is the inverse Fisher information of each class over its scores, the prior that
    of the model.
    """
    laws = {"client": model.client, "impostor": model.impostor}
    for who, law in laws.items():
        if planned_family(law) is None:
            raise InputError(
                "the distributions must have a Fisher information (beta, normal, logit-normal,"
                " with point"
                f" masses or without) to plan a fit; the {who} distribution is a"
                f" {type(law).__name__}."
                ' Give the model of such a fit; for "auc" take method="delong", for "epc-gap"'
                ' thresholds="empirical", which need none.'
            )
    parts = [_expected(law, n) for law, n in zip(laws.values(), sizes, strict=True)]
    nothing: Any = None
    return Fit(model, nothing, parts[0], parts[1], named((parts[0].family, parts[1].family)))


def _expected(law: Distribution, n: int) -> DistributionFit:
    parameters = {p.name: p.value for p in law._parameters()}
    names, values = tuple(parameters), tuple(parameters.values())
    family, cov = str(planned_family(law)), law._unit_covariance() / n
    return DistributionFit(family, law, names, values, cov, math.nan, n, float(n))


def scattered(fit: Fit) -> list[Fit]:
    """Fits of other score sets of that size: their mean is that over all, to second order.

    With d parameters the 2 d fits that are sqrt(d) errors away along the roots of the
    covariance, about the estimates with their first-order bias: the cubature of degree 3 of a
    normal distribution.

    References
    ----------
    Stroud, A. H. (1971), Approximate calculation of multiple integrals.
    """
    errors = free_coordinates(fit, groups=False)
    centre = errors.place + small_sample(fit, errors, groups=False).bias
    laws = fit.client.distribution, fit.impostor.distribution
    sizes = fit.client.n, fit.impostor.n
    away = math.sqrt(len(errors.roots))
    found = []
    for root in errors.roots:
        for side in (away, -away):
            moved = laws_at(laws, errors.names, centre + side * root)
            found.append(expected_fit(ScoreModel(*moved, prior=fit.model.prior), sizes))
    return found


def mean_over_fits(of: Callable[[Fit], float], fit: Fit) -> tuple[float, float]:
    """Mean and standard deviation over fits of that size, to second order.

    Where a fit nearby has no such number, the number of the expected one, and nan.
    """
    try:
        values = np.array([of(one) for one in scattered(fit)])
    except (InputError, OverflowError):
        return of(fit), math.nan
    if not np.all(np.isfinite(values)):
        return of(fit), math.nan
    return float(np.mean(values)), float(np.std(values))
