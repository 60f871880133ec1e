"""What an estimator gets and gives, and what the table of families says about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc._thresholds import FloatArray
from betaroc.distributions.base import Distribution
from betaroc.errors import DegenerateDataError

BoolArray = npt.NDArray[np.bool_]
Matrix = tuple[tuple[float, ...], ...]
#: Up to so many terms are summed without rounding.
EXACT_SUM = 100_000


class Sample(NamedTuple):
    """Scores of positive weight; ``name`` is what messages call them."""

    name: str
    values: FloatArray
    weights: FloatArray | None
    total: float
    low: float
    high: float
    places: npt.NDArray[np.intp] | None = None

    @classmethod
    def of(
        cls,
        name: str,
        values: FloatArray,
        weights: FloatArray | None,
        extremes: tuple[float, float] | None = None,
    ) -> Sample:
        """A sample with its extremes, if not known; scores of weight 0 are left out."""
        places = None
        if weights is None:
            total = float(values.size)
        else:
            positive = weights > 0.0
            if not positive.all():
                places = np.flatnonzero(positive)
                values, weights = values[places], weights[places]
            total = math.fsum(weights.tolist())
        if extremes is None or places is not None:
            extremes = float(values.min()), float(values.max())
        low, high = extremes
        return cls(name, values, weights, total, low, high, places)

    def place(self, index: int) -> int:
        """Where the score stood before those of weight 0 were left out."""
        return index if self.places is None else int(self.places[index])

    def keep(self, mask: BoolArray) -> Sample:
        """The scores where ``mask`` is true."""
        weights = None if self.weights is None else self.weights[mask]
        return Sample.of(self.name, self.values[mask], weights)

    def replace(self, values: FloatArray) -> Sample:
        """The same weights on other values."""
        return Sample.of(self.name, values, self.weights)

    def weight_of(self, mask: BoolArray) -> float:
        """Total weight where ``mask`` is true."""
        if self.weights is None:
            return float(np.count_nonzero(mask))
        return math.fsum(self.weights[mask].tolist())

    def mean(self, values: FloatArray) -> float:
        """Weighted mean of ``values``, exact up to rounding for 100 000 of them."""
        parts = values if self.weights is None else self.weights * values
        if parts.size <= EXACT_SUM:
            return math.fsum(parts.tolist()) / self.total
        return float(parts.sum()) / self.total


class Influence(NamedTuple):
    """How far the most influential score moves a parameter, as a share of its value."""

    share: float
    parameter: str
    score: float


class Estimate(NamedTuple):
    """What an estimator returns; ``covariance`` is that of one unit of weight."""

    distribution: Distribution
    names: tuple[str, ...]
    values: tuple[float, ...]
    covariance: Matrix
    log_likelihood: float
    converged: bool = True
    iterations: int = 0
    gradient_norm: float = 0.0
    influence: Influence | None = None
    #: Parameters that the family holds fixed.
    fixed: tuple[str, ...] = ()


class ClassEstimate(NamedTuple):
    """An estimate, the weight that its continuous part was fitted to, and that of its precision."""

    estimate: Estimate
    weight: float
    total: float


class Coordinates(NamedTuple):
    """Free coordinates of a two-parameter law on [0, 1], for likelihoods without closed form.

    ``law`` builds the law, ``of`` finds its coordinates, ``rates`` are the
    derivatives of the parameters, and ``scale`` is a Cholesky factor of the
    inverse information in these coordinates.
    """

    law: Callable[[float, float], Distribution]
    of: Callable[[Distribution], tuple[float, float]]
    rates: Callable[[Distribution], tuple[float, float]]
    scale: Callable[[Distribution], FloatArray]
    log_likelihood: Callable[[Sample], Callable[[Distribution], float]]


class Joined(NamedTuple):
    """Two estimates that share parameters."""

    client: Estimate
    impostor: Estimate
    #: Covariance of the clients' parameters (rows) with the impostors'.
    shared_cov: Matrix
    #: Parameters of one value in both.
    tied: tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """A row of the table of families.

    Laws on [0, 1] obey a boundary rule; those with ``coordinates`` also have a likelihood of
    cells. ``impostor`` is the estimator of that class where it has another law, ``join`` makes
    one pair of two estimates, ``sized`` takes a number of components.
    """

    estimate: Callable[[Sample], Estimate]
    coordinates: Coordinates | None = None
    on_unit: bool = False
    impostor: Callable[[Sample], Estimate] | None = None
    join: Callable[[ClassEstimate, ClassEstimate], Joined | None] | None = None
    sized: Callable[[Sample, int], Estimate] | None = None

    @property
    def of_pairs(self) -> bool:
        """Whether the family says something only of both classes together."""
        return self.impostor is not None or self.join is not None


def too_few_distinct(sample: Sample, family: str) -> DegenerateDataError:
    """The error for a sample of equal scores."""
    return DegenerateDataError(
        f"{sample.name}: a {family} law needs at least 2 distinct scores; got"
        f" {sample.values.size}, all equal to {sample.low!r}. The likelihood is unbounded."
        ' Give more scores, or use family="empirical".'
    )
