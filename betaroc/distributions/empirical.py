"""The empirical distribution of a sample, weighted, with exact ties, and pairs of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeGuard, cast

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.checks import kept_scores, score_array, weights_array
from betaroc.core.resampling import Cells, draw_counts
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Atoms, Distribution, Tail
from betaroc.distributions.bins import Bins
from betaroc.distributions.gaps import (
    Gaps,
    gap_places,
    gap_thresholds,
    merged,
    sums_above,
    sums_below,
)
from betaroc.distributions.pairs import Pair, closed_forms
from betaroc.distributions.staircase import Staircase, balance, staircase

#: From so many scores on, a few questions are answered from counts in bins, without a sort.
_MANY = 2**15
#: So many thresholds or quantiles are a few.
_FEW = 1024


@dataclass(frozen=True, eq=False, repr=False)
class Empirical(Distribution):
    """The distribution that puts mass 1/n, or w/sum(w), on each score.

        P(S <= x) = sum of the weights of scores <= x / sum of all weights

    Parameters
    ----------
    values : array_like, shape (n,)
        Finite scores; ties are legal, also when all are equal. -inf is a trial without a score,
        which no threshold accepts; not all may be.
    weights : array_like, shape (n,), optional
        Frequencies; weight k counts as k copies.

    Raises
    ------
    InputError
        If there is no score, a score is nan or inf, or a weight negative.
    InputTypeError
        If scores or weights are not real numbers.

    Notes
    -----
    Exact: with integer weights both tails are ratios of integers. There is no
    density (``pdf`` is 0). A pair of samples decides at the middle of the gap
    between neighbouring distinct scores of both. With values of -inf their share is missing
    from ``sf`` at every threshold, -inf included, and the mean is -inf.

    Examples
    --------
    >>> from betaroc import Empirical
    >>> distribution = Empirical([0.1, 0.4, 0.4, 0.9])
    >>> distribution.cdf(0.4), distribution.sf(0.4), distribution.ppf(0.5)
    (0.75, 0.25, 0.4)
    """

    values: Any
    weights: Any = field(default=None)

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        return {"values": FloatArray, "weights": FloatArray | None}

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Self:
        """Without a copy, so that what shares its values still does."""
        values = kept_scores(content["values"], "values", absent=True)
        weights = content.get("weights")
        checked = None if weights is None else weights_array(weights, values.size, "weights")
        return cast(Self, cls._of_checked(values, checked))

    def _columns(self) -> dict[str, Any]:
        weights = np.ones(self.values.size) if self.weights is None else self.weights
        return {"value": self.values, "weight": weights}

    def __post_init__(self) -> None:
        values = score_array(self.values, "values", absent=True)
        object.__setattr__(self, "values", values)
        if self.weights is not None:
            object.__setattr__(self, "weights", weights_array(self.weights, values.size, "weights"))

    @classmethod
    def _of_checked(cls, values: FloatArray, weights: FloatArray | None) -> Empirical:
        """The distribution of scores that were checked before, as those of `Scores` are."""
        law = object.__new__(cls)
        object.__setattr__(law, "values", values)
        object.__setattr__(law, "weights", weights)
        return law

    @cached_property
    def _sorted(self) -> FloatArray:
        """All values, ascending, those of no weight too."""
        self.__dict__.pop("_counted", None)  # of no more use
        return np.sort(self.values)

    @cached_property
    def _counted(self) -> Bins | None:
        """Counts in bins, of many scores without weights."""
        many = self.weights is None and self.values.size >= _MANY and not self.rejected
        return Bins.of(self.values) if many else None

    @property
    def unsorted(self) -> Bins | None:
        """Counts in bins, as long as nothing needed all scores in order."""
        bins = None if "_sorted" in self.__dict__ else self._counted
        return None if bins is None or bins.worn else bins

    @cached_property
    def rejected(self) -> float:
        """Weight of the trials without a score, at -inf."""
        if np.min(self.values) > -np.inf:
            return 0.0
        absent = self.values == -np.inf
        return float(np.sum(absent) if self.weights is None else np.sum(self.weights[absent]))

    @property
    def _scored(self) -> Empirical:
        """The same without the trials that have no score."""
        if not self.rejected:
            return self
        own = self.values > -np.inf
        return Empirical(self.values[own], None if self.weights is None else self.weights[own])

    def _few(self, size: int) -> Bins | None:
        return self.unsorted if size <= _FEW else None

    @cached_property
    def _steps(self) -> tuple[FloatArray, FloatArray]:
        """Distinct values, ascending, and the weight on each (values of no weight left out)."""
        values: FloatArray = self.values
        if self.weights is None:
            ordered = self._sorted
            new = ordered[1:] != ordered[:-1]
            if np.all(new):
                return ordered, np.ones(ordered.size)
            starts = np.flatnonzero(np.concatenate([[True], new]))
            return ordered[starts], np.diff(starts, append=ordered.size).astype(np.float64)
        places, inverse = np.unique(values, return_inverse=True)
        masses = np.asarray(np.bincount(inverse, self.weights, places.size), dtype=np.float64)
        return places[masses > 0.0], masses[masses > 0.0]

    @cached_property
    def whole(self) -> bool:
        """Whether all weights are whole numbers of scores."""
        return self.weights is None or bool(np.all(self._steps[1] == np.floor(self._steps[1])))

    @cached_property
    def _below(self) -> FloatArray:
        if self.weights is None and self._steps[0].size == self.values.size:
            return np.arange(self.values.size + 1.0)
        return sums_below(self._steps[1], whole=self.whole)

    @cached_property
    def _above(self) -> FloatArray:
        return sums_above(self._steps[1], self._below, whole=self.whole)

    @property
    def total(self) -> float:
        """Sum of the weights, the number of scores without."""
        return float(self.values.size if self.weights is None else self._below[-1])

    def _counts_at_most(self, t: Thresholds) -> FloatArray:
        """Weight of the scores <= theta, an integer where the weights are."""
        if self.weights is None:
            return self._number_at_most(t).astype(np.float64)
        return self._below[self._index(t)]

    def _counts_above(self, t: Thresholds) -> FloatArray:
        """Weight of the scores > theta."""
        if self.weights is None:
            return np.asarray(self.total - self._number_at_most(t), dtype=np.float64)
        return self._above[self._index(t)]

    def _number_at_most(self, t: Thresholds) -> IntArray:
        theta, bins = _decisive(t), self._few(t.size)
        if bins is not None:
            return bins.at_most(theta)
        return np.asarray(np.searchsorted(self._sorted, theta, side="right"))

    def _index(self, t: Thresholds) -> IntArray:
        return np.asarray(np.searchsorted(self._steps[0], _decisive(t), side="right"))

    def _share_of(self, counts: FloatArray, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        share = np.where(np.isnan(t.theta), np.nan, counts / self.total)
        with np.errstate(divide="ignore"):
            return share, np.log(share)

    @property
    def support(self) -> tuple[float, float]:
        """Smallest and largest score."""
        bins = self.unsorted  # read once: another thread may sort meanwhile
        if bins is not None:
            return bins.low, bins.high
        return float(self._steps[0][0]), float(self._steps[0][-1])

    @property
    def atoms(self) -> Atoms:
        """All of it."""
        return Atoms(self._steps[0], self._steps[1] / self.total)

    @property
    def continuous(self) -> None:
        """None: there is no continuous part."""
        return None

    @property
    def mean(self) -> float:
        """Weighted mean; -inf where a trial has no score."""
        return self._moments[0]

    @property
    def var(self) -> float:
        """Weighted variance, divisor sum of weights; nan where a trial has no score."""
        _, square, power = self._moments
        with np.errstate(over="ignore"):
            return float(np.ldexp(square, 2 * power))

    @property
    def _sd(self) -> float:
        _, square, power = self._moments
        return math.ldexp(math.sqrt(square), power)

    @cached_property
    def _moments(self) -> tuple[float, float, int]:
        """Mean, and the variance in squares of a power of two, which no sum or square passes."""
        if self.rejected:
            return -math.inf, math.nan, 0
        (places, weights), total = self._steps, self.total
        _, power = math.frexp(float(np.max(np.abs(self.support))))
        scaled = np.ldexp(places, -power)
        # Rounded, it may lie a last digit beyond the scores.
        mean = min(max(math.fsum(scaled * weights) / total, float(scaled[0])), float(scaled[-1]))
        away = scaled - mean
        _, width = math.frexp(float(np.max(np.abs(away))))
        square = math.fsum(np.ldexp(away, -width) ** 2 * weights) / total
        return math.ldexp(mean, power), square, power + width

    def _lower(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        return self._share_of(self._counts_at_most(t), t)

    def _upper(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        return self._share_of(self._counts_above(t), t)

    def _log_density(self, t: Thresholds) -> FloatArray:
        return np.where(np.isnan(t.theta), np.nan, -np.inf)

    def _lower_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        bins = self._few(p.size)
        if bins is not None:
            places = bins.of_rank(_rank_reaching(p, self.values.size))
            return Thresholds.from_theta(np.where(np.isnan(p), np.nan, places))
        shares = self._below[1:] / self.total
        index = np.minimum(np.searchsorted(shares, p, side="left"), shares.size - 1)
        return self._at(index, p)

    def _upper_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        shares = (self._above[1:] / self.total)[::-1]
        index = shares.size - np.searchsorted(shares, p, side="right")
        accept_all = np.isnan(p) | (p >= 1.0)
        t = self._at(np.minimum(index, shares.size - 1), p)
        theta = np.where(accept_all & ~np.isnan(p), self.support[0], t.theta)
        return Thresholds.from_theta(theta)

    def _at(self, index: IntArray, p: FloatArray) -> Thresholds:
        return Thresholds.from_theta(np.where(np.isnan(p), np.nan, self._steps[0][index]))

    def _tails(self) -> tuple[Tail, Tail]:
        masses = self.atoms.masses
        low, high = self.support
        return (
            Tail(low, 0, mass=float(masses[0])),
            Tail(high, 0, mass=float(masses[-1])),
        )

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        return np.asarray(rng.choice(self._steps[0], size=size, p=self._steps[1] / self.total))


class Drawn(Empirical):
    """A replicate of a sample whose distinct scores are sorted already."""

    def __init__(self, places: FloatArray, masses: FloatArray) -> None:
        object.__setattr__(self, "values", places)
        object.__setattr__(self, "weights", masses)

    @cached_property
    def _steps(self) -> tuple[FloatArray, FloatArray]:
        return self.values, self.weights


def draw_law(rng: np.random.Generator, law: Empirical, size: int) -> Drawn:
    """The empirical distribution of `size` scores drawn with replacement."""
    drawn = draw_counts(rng, law._below, size)
    kept = np.flatnonzero(drawn)
    return Drawn(law._steps[0][kept], drawn[kept].astype(np.float64))


def cells_of(law: Empirical, t: Thresholds) -> Cells:
    """The cells that flat thresholds cut a sample into."""
    distinct, place = np.unique(law._index(t), return_inverse=True)
    at_most = np.concatenate([[0.0], law._below[distinct], [law.total]])
    return Cells(np.diff(np.rint(at_most).astype(np.int64)), place)


def _decisive(t: Thresholds) -> FloatArray:
    """What decides about scores: the last double below 1 where theta only rounds to 1."""
    short_of_one = (t.theta == 1.0) & (t.logit < np.inf)
    return np.where(short_of_one, np.nextafter(1.0, 0.0), t.theta)


def _rank_reaching(p: FloatArray, n: int) -> IntArray:
    """The smallest k in 1, ..., n with k / n >= p as they round; n where none is."""
    k = np.fmin(np.fmax(np.ceil(p * n), 1.0), n)
    k -= (k > 1.0) & ((k - 1.0) / n >= p)
    k += (k < n) & (k / n < p)
    return k.astype(np.int64)


class Corners(NamedTuple):
    """Where the ROC of two samples turns: thresholds, ascending, and the rates there."""

    theta: FloatArray
    far: FloatArray
    frr: FloatArray
    tpr: FloatArray
    tnr: FloatArray


class EmpiricalPair(Pair):
    """Two samples: every decision point is the gap between neighbouring distinct scores."""

    discrete = True
    #: Whether thresholds lie on scores and not between them.
    at_edges = False
    client: Empirical
    impostor: Empirical

    @property
    def whole(self) -> bool:
        """Whether all weights are whole numbers of scores."""
        return self.client.whole and self.impostor.whole

    @cached_property
    def gaps(self) -> Gaps:
        """Every decision the two samples allow, in counts."""
        return merged(
            self.client._steps, self.impostor._steps, whole=self.whole, at_edges=self.at_edges
        )

    @cached_property
    def candidates(self) -> Thresholds:
        """Accept all (-inf), the middle of each gap, reject all (the largest score)."""
        return self.gaps.thresholds()

    @cached_property
    def joints(self) -> Thresholds:
        return Thresholds.from_theta(self.gaps.places)

    @property
    def candidate_rates(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """TPR, FAR and FRR at the candidates."""
        return self.gaps.tpr, self.gaps.far, self.gaps.frr

    def turning_points(self) -> Thresholds:
        return Thresholds.from_theta(np.empty(0))

    def ratio_roots(self, level: float) -> Thresholds:
        return Thresholds.from_theta(np.empty(0))

    @cached_property
    def staircase(self) -> Staircase | None:
        """Of two samples without weights: where the smaller one's scores stand in the larger."""
        weighted = self.client.weights is not None or self.impostor.weights is not None
        if weighted or self.client.rejected or self.impostor.rejected:
            return None
        samples = self.client._sorted, self.impostor._sorted
        return staircase(*(samples if self._fewer_clients else samples[::-1]))

    @property
    def _fewer_clients(self) -> bool:
        return bool(self.client.values.size <= self.impostor.values.size)

    @property
    def corners(self) -> Corners:
        """Where the ROC turns, ascending."""
        if self.staircase is None:
            gaps, kept = self.gaps, self.gaps.turns
            rates = (gaps.far, gaps.frr, gaps.tpr, gaps.tnr)
            return Corners(gaps.thresholds(kept).theta, *(rate[kept] for rate in rates))
        low, high, *below = self.staircase.corners()
        rejected, true = below if self._fewer_clients else below[::-1]
        n, m = self.client.values.size, self.impostor.values.size
        theta = gap_places(low, high, at_edges=self.at_edges)
        return Corners(theta, (m - true) / m, rejected / n, (n - rejected) / n, true / m)

    def balance(self) -> Thresholds | None:
        """The gap where FAR is nearest to FRR under the tie rule; None where weights need all."""
        if self.client.weights is not None or self.impostor.weights is not None:
            return None
        low, high = balance(self.client._sorted, self.impostor._sorted)
        return gap_thresholds(np.array(low), np.array(high), at_edges=self.at_edges)

    def auc(self) -> float:
        if self.staircase is not None:
            pairs = int(self.client.values.size) * int(self.impostor.values.size)
            wins = self.staircase.doubled_wins
            return (wins if self._fewer_clients else 2 * pairs - wins) / (2.0 * pairs)
        places, weights = self.client._steps
        at = Thresholds.from_theta(places)
        upto = self.impostor._counts_at_most(at)
        strictly = self.impostor._below[np.searchsorted(self.impostor._steps[0], places)]
        doubled = math.fsum(weights * (strictly + upto))
        return doubled / (2.0 * self.client.total * self.impostor.total)


def is_counted(law: Distribution) -> TypeGuard[Empirical]:
    """Whether a distribution is its scores, with counts instead of a density."""
    return isinstance(law, Empirical)


def decides_by_counts(pair: Pair) -> TypeGuard[EmpiricalPair]:
    """Whether both classes are scores on closed forms, so that every decision can be enumerated."""
    return isinstance(pair, EmpiricalPair)


closed_forms(Empirical, Empirical, EmpiricalPair)
closed_forms(Drawn, Drawn, EmpiricalPair)
