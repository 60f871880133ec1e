"""Distributions of one class's scores, and pairs of them."""

from __future__ import annotations

from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta, Shape, beta_auc
from betaroc.distributions.binned import Binned
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.inflated import Inflated
from betaroc.distributions.logit_normal import LogitNormal
from betaroc.distributions.mixture import BetaMixture
from betaroc.distributions.normal import Normal
from betaroc.distributions.shifted import Shifted

__all__ = [
    "Beta",
    "BetaMixture",
    "Binned",
    "Distribution",
    "Empirical",
    "Inflated",
    "LogitNormal",
    "Normal",
    "Shape",
    "Shifted",
    "beta_auc",
]
