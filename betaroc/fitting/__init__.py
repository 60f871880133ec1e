"""Maximum likelihood: one module an estimator, one table of families (`estimate.FAMILIES`)."""

from __future__ import annotations

from betaroc.fitting.boundary import BoundaryRule
from betaroc.fitting.estimate import fit, fit_distribution
from betaroc.fitting.newton import beta_mle
from betaroc.fitting.result import DistributionFit, Fit

__all__ = ["BoundaryRule", "DistributionFit", "Fit", "beta_mle", "fit", "fit_distribution"]
