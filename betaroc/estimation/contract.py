"""What an estimator gets and gives, and what the table of families says about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.errors import DegenerateDataError, FitError
from betaroc.core.sentences import worded
from betaroc.core.text import listed
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import Empirical
from betaroc.estimation.sums import Centred, centre, mean_of, moments, sample_mean_logs

if TYPE_CHECKING:
    from betaroc.estimation.batch import ClassColumns, ClassEstimates

#: A column vector, or a matrix with a column a component, of each parameter of many fits.
Parameters = tuple[FloatArray, ...]
Matrix = tuple[tuple[float, ...], ...]


def as_rows(matrix: FloatArray) -> Matrix:
    """The rows of a matrix as tuples."""
    return tuple(tuple(row) for row in matrix.tolist())


class AtEnds(NamedTuple):
    """Scores of exactly 0 and of exactly 1, and their weight."""

    n_zero: int
    n_one: int
    zero: float
    one: float


class Data(Protocol):
    """One class as an estimator sees it: its scores, or the sums of a summary."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def n(self) -> int:
        """Scores."""

    @property
    def total(self) -> float:
        """Sum of their weights."""

    @property
    def low(self) -> float:
        """The least score."""

    @property
    def high(self) -> float:
        """The largest score."""

    def rows(self) -> Sample:
        """The scores themselves; an InputError if there are only sums."""

    def ends(self) -> AtEnds:
        """How many are exactly 0 and 1."""

    def inside(self) -> Data:
        """Those strictly inside (0, 1)."""

    def mean_logs(self) -> tuple[float, float]:
        """Mean of log(s) and of log(1 - s)."""

    def centred(self) -> Centred:
        """The sums of a concentrated beta distribution."""

    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation."""

    def logit_moments(self) -> tuple[float, float, float]:
        """Mean and standard deviation of logits, and the mean of log(s (1 - s))."""

    def law(self) -> Distribution:
        """The empirical distribution."""

    def outside_words(self) -> str:
        """Which scores are outside [0, 1], after their count and extremes."""

    def n_outside(self) -> int:
        """Scores outside [0, 1]."""

    def first_end_words(self) -> str:
        """Where the first score of exactly 0 or 1 stands, if that is known."""


class Sample(NamedTuple):
    """Scores of positive weight; ``name`` is what messages call them."""

    name: str
    values: FloatArray
    weights: FloatArray | None
    total: float
    low: float
    high: float
    places: IntArray | None = None

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
        return mean_of(values, self.weights, self.total)

    @property
    def n(self) -> int:
        return self.values.size

    def rows(self) -> Sample:
        return self

    def ends(self) -> AtEnds:
        zero, one = self.values == 0.0, self.values == 1.0
        counts = int(np.count_nonzero(zero)), int(np.count_nonzero(one))
        return AtEnds(*counts, self.weight_of(zero), self.weight_of(one))

    def inside(self) -> Sample:
        mask = (self.values != 0.0) & (self.values != 1.0)
        if not mask.any():
            return self._replace(values=self.values[mask], weights=None, total=0.0)
        return self.keep(mask)

    def mean_logs(self) -> tuple[float, float]:
        return sample_mean_logs(self.values, self.weights, self.total)

    def centred(self) -> Centred:
        return centre(self.values, self.weights, self.total)

    def moments(self) -> tuple[float, float]:
        return moments(self.values, self.weights, self.total, self.low, self.high)

    def logit_moments(self) -> tuple[float, float, float]:
        log, log1m = np.log(self.values), np.log1p(-self.values)
        mu, sigma = self.replace(log - log1m).moments()
        return mu, sigma, self.mean(log + log1m)

    def law(self) -> Distribution:
        return Empirical._of_checked(self.values, self.weights)

    def _outside(self) -> IntArray:
        return np.flatnonzero((self.values < 0.0) | (self.values > 1.0))

    def n_outside(self) -> int:
        return self._outside().size

    def outside_words(self) -> str:
        wrong = self._outside()
        places = listed(map(self.place, wrong.tolist()))
        return f", first {float(self.values[wrong[0]])!r}; indices {places}"

    def first_end_words(self) -> str:
        first = int(np.argmax((self.values == 0.0) | (self.values == 1.0)))
        return f"first at index {self.place(first)}"


class Maximum(NamedTuple):
    """What an estimator returns; ``covariance`` is that of one unit of weight."""

    distribution: Distribution
    names: tuple[str, ...]
    values: tuple[float, ...]
    covariance: Matrix
    log_likelihood: float
    converged: bool = True
    iterations: int = 0
    gradient_norm: float = 0.0
    #: Parameters that the family holds fixed.
    fixed: tuple[str, ...] = ()


class ClassMaximum(NamedTuple):
    """An estimate, the weight that its continuous part was fitted to, and that of its precision."""

    estimate: Maximum
    weight: float
    total: float


class Joined(NamedTuple):
    """Two estimates that share parameters."""

    client: Maximum
    impostor: Maximum
    #: Covariance of the clients' parameters (rows) with the impostors'.
    shared_cov: Matrix
    #: Parameters of one value in both.
    tied: tuple[str, ...]


class SystemSums(NamedTuple):
    """A family fitted to the sums of many systems."""

    #: Of a row of parameters.
    law: Callable[..., Distribution]
    #: One class of every system, its name, and the rule for scores of 0 and 1.
    fit: Callable[[ClassColumns, str, str | None], ClassEstimates]
    #: AUC of each row, by the parameters of clients and of impostors.
    areas: Callable[[Parameters, Parameters], FloatArray]
    #: Whether the sums must have the squares of logits.
    squares: bool = False


@dataclass(frozen=True)
class SampleRows:
    """A family fitted to many samples at once: what simulation and tables of fits are made of.

    Without it a family is fitted one sample after another.
    """

    #: Of a row of parameters.
    law: Callable[..., Distribution]
    #: Of the distribution that the rows of a matrix are drawn from, and the rows.
    fit: Callable[[Any, FloatArray], Parameters]
    tails: Callable[[Parameters, FloatArray], tuple[FloatArray, FloatArray]]
    #: Products of the likelihood's gradient less what they should be, a column each; the last
    #: argument is the share of each score of a row.
    moments: Callable[[Parameters, FloatArray, FloatArray], FloatArray]
    #: Of the same scores, drawn so many times in each row: parameters, nan where there is no fit.
    drawn: Callable[[FloatArray, IntArray], Parameters] | None = None
    #: Of one distribution, as a row; those it names where left out.
    of: Callable[[Any], Parameters] | None = None
    systems: SystemSums | None = None


@dataclass(frozen=True)
class Family:
    """A row of the table of families.

    Distributions on [0, 1] obey a boundary rule; those with ``coordinates`` also have a likelihood
    of cells; ``positive`` ones need scores above 0. ``impostor`` is the estimator of that class
    where it has another distribution, ``join`` makes one pair of two estimates, ``sized`` takes a
    number of components, ``near`` looks for the maximum from the distribution of nearly the same
    sample. ``summed`` says that its estimators ask `Data` for sums and counts alone, never for
    ``rows()``: a summary can be fitted.
    ``alone`` is the family of one component, where there may be several; ``everywhere`` is compared
    with distributions on [0, 1] too, although its own are not. ``counted`` is the sample itself,
    without parameters; ``law`` is the distribution that the family is first of all for, by which a
    model is planned; with ``shapes`` the parameters are the free shapes of a beta distribution;
    ``concave`` pairs have a proper ROC; ``contains`` names families that are special cases of this
    one; ``decides`` names the parameter that decides each end, and the sign with which the clients'
    lifts the curve there.
    """

    estimate: Callable[[Data], Maximum]
    likelihood: Callable[[Sample], Callable[[Distribution], float]] | None = None
    on_unit: bool = False
    positive: bool = False
    impostor: Callable[[Data], Maximum] | None = None
    join: Callable[[ClassMaximum, ClassMaximum], Joined | None] | None = None
    sized: Callable[[Data, int], Maximum] | None = None
    near: Callable[[Data, Distribution], Maximum] | None = None
    summed: bool = False
    law: type[Distribution] | None = None
    alone: str = ""
    everywhere: bool = False
    counted: bool = False
    shapes: bool = False
    concave: bool = False
    contains: tuple[str, ...] = ()
    decides: Mapping[str, tuple[str, float]] | None = None
    rows: SampleRows | None = None

    @property
    def of_density(self) -> bool:
        """Whether one density of each class, of as many parameters whatever the scores, is all."""
        return self.law is not None and not (self.of_pairs or self.sized)

    @property
    def of_pairs(self) -> bool:
        """Whether the family says something only of both classes together."""
        return self.impostor is not None or self.join is not None


def refuse_unfitted(lost: int, rows: int, family: str) -> None:
    """An error where samples of many have no fit, such as those that round to one score."""
    if lost:
        raise FitError(
            f"every simulated score set must have a {family} fit; {lost} of {rows} have none, as of"
            " too few distinct scores. Give more scores."
        )


def too_few_distinct(sample: Data, family: str) -> DegenerateDataError:
    """The error for a sample of equal scores."""
    return DegenerateDataError(
        f"{sample.name}: a {family} distribution needs at least 2 distinct scores; got"
        f" {sample.n}, all equal to {sample.low!r}. The likelihood is unbounded."
        + worded(' Give more scores, or use `family="empirical"`.')
    )
