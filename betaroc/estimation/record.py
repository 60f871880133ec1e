"""What was estimated, as data: one distribution with its precision, and a pair of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.tables import Library, Tabular
from betaroc.core.value import Result
from betaroc.data.scores import ScoreData
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import MASSES
from betaroc.estimation.boundary import BoundaryRule
from betaroc.estimation.contract import Matrix
from betaroc.estimation.tails import Tails
from betaroc.model.model import ScoreModel

__all__ = ["Estimate", "PairEstimate"]


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Tabular):
    """A distribution estimated from one sample: the fields of :class:`betaroc.DistributionFit`."""

    family: str
    distribution: Distribution
    names: tuple[str, ...]
    values: tuple[float, ...]
    covariance: Matrix
    log_likelihood: float
    n: int
    total_weight: float
    converged: bool = True
    iterations: int = 0
    gradient_norm: float = 0.0
    boundary: BoundaryRule | None = None
    fixed: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    tails: tuple[Tails, ...] = ()

    @property
    def params(self) -> Mapping[str, float]:
        """The parameters, in order, read-only."""
        return MappingProxyType(dict(zip(self.names, self.values, strict=True)))

    @cached_property
    def cov(self) -> FloatArray:
        """Covariance matrix in the order of `params`: inverse information over the weight."""
        size = len(self.names)
        matrix = np.array(self.covariance, dtype=np.float64).reshape(size, size)
        matrix.flags.writeable = False
        return matrix

    @property
    def std_errors(self) -> Mapping[str, float]:
        """Square roots of the diagonal of `cov`, by name, read-only."""
        errors = (math.sqrt(self.covariance[i][i]) for i in range(len(self.names)))
        return MappingProxyType(dict(zip(self.names, errors, strict=True)))

    @property
    def n_free(self) -> int:
        """Parameters that were estimated: a mass nobody had is none."""
        absent = [n for n in MASSES if self.params.get(n) == 0.0]
        return len(self.names) - len(absent) - len(self.fixed)

    @property
    def aic(self) -> float:
        """2 k - 2 log-likelihood, k parameters."""
        return 2.0 * self.n_free - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """k log(total weight) - 2 log-likelihood."""
        return self.n_free * math.log(self.total_weight) - 2.0 * self.log_likelihood


@dataclass(frozen=True, eq=False, repr=False)
class PairEstimate(Result):
    """Both classes estimated, with their scores: the fields of :class:`betaroc.Fit`."""

    model: ScoreModel
    scores: ScoreData
    client: Estimate
    impostor: Estimate
    family: str | tuple[str, str]
    reason: str = field(default="", compare=False)
    shared_cov: Matrix | None = None
    tied: tuple[str, ...] = ()

    @cached_property
    def _kept(self) -> dict[tuple[str, bool], Any]:
        """What was computed of this estimate and is needed again, by its name and its option."""
        return {}

    @property
    def library(self) -> Library | None:
        """That of the frame or the columns of the scores, for tables; None where there was none."""
        return self.scores.library

    @property
    def log_likelihood(self) -> float:
        """Sum over the classes, which are independent samples."""
        return self.client.log_likelihood + self.impostor.log_likelihood

    @property
    def n_free(self) -> int:
        """Parameters that were estimated: a shared one counts once."""
        return self.client.n_free + self.impostor.n_free - len(self.tied)

    @property
    def aic(self) -> float:
        """Sum over the classes: 2 k - 2 log-likelihood; a shared parameter counts once."""
        return self.client.aic + self.impostor.aic - 2.0 * len(self.tied)

    @property
    def bic(self) -> float:
        """Sum over the classes, each parameter charged the log of its own class's weight.

        A shared one is charged the log of both together.
        """
        weights = self.client.total_weight, self.impostor.total_weight
        charged = math.log(sum(weights)) - sum(map(math.log, weights))
        return self.client.bic + self.impostor.bic + len(self.tied) * charged

    @property
    def converged(self) -> bool:
        """Whether both are at their maximum; always true in a result that was returned."""
        return self.client.converged and self.impostor.converged
