"""The empirical distribution of a sample, exact with ties and weights; its gaps and pairs."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Self, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.checks import kept_scores, score_array, weights_array
from betaroc.core.errors import refusal
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Atoms, Distribution, Tail, TwoArrays
from betaroc.distributions.pairs import Pair, closed_forms

Layout = tuple[float, float] | None
#: The largest number of bins.
MOST_BINS = 1 << 20
#: Scores at a time, for the processor's cache.
_BINNED_AT_ONCE = 1 << 14
#: From a column by its name to new columns.
Step = Callable[[Callable[[str], Any]], dict[str, Any]]


def bin_steps(bins: int, layout: Layout, clip: Any, sqrt: Any) -> Iterator[Step]:
    """The bin of scores `s`, before its floor, in columns made one after another; last is `bin`.

    Without a layout it is the mean of four maps into [0, 1], fine near 0 and 1.
    """
    if layout is None:
        yield lambda c: {
            "inside": clip(c("s"), 0.0, 1.0),
            "up": clip(c("s"), 0.0, None), "down": clip(0.0 - c("s"), 0.0, None),
        }  # fmt: skip
        yield lambda c: {
            "near_zero": sqrt(c("inside")), "near_one": sqrt(1.0 - c("inside")),
            "up100": c("up") / 100.0, "down100": c("down") / 100.0,
        }  # fmt: skip
        for _ in range(3):
            yield lambda c: {k: sqrt(c(k)) for k in ("near_zero", "near_one")}
        yield lambda c: {
            "real1": 1.0 / (1.0 + c("down")) - 1.0 / (1.0 + c("up")),
            "real100": 1.0 / (1.0 + c("down100")) - 1.0 / (1.0 + c("up100")),
            "ends": 0.5 * c("inside") + 0.25 * c("near_zero") + 0.25 * (1.0 - c("near_one")),
        }
        yield lambda c: {
            "bin": (
                0.5 * c("ends")
                + 0.25 * (0.5 * c("real1") + 0.5)
                + 0.25 * (0.5 * c("real100") + 0.5)
            )
            * bins
        }
    else:
        low, high = layout
        yield lambda c: {"bin": ((c("s") - low) / (high - low)) * bins}
    yield lambda c: {"bin": clip(c("bin"), 0.0, bins - 1.0)}


def _clip(x: FloatArray, low: float, high: float | None) -> FloatArray:
    above = np.maximum(x, low)
    return above if high is None else np.minimum(above, high, out=above)


def bin_of(s: FloatArray, bins: int, layout: Layout) -> IntArray:
    """The bin of each score."""
    result = np.empty(s.shape, dtype=np.int64)
    with np.errstate(over="ignore"):  # far beyond a layout is infinitely far
        for start in range(0, s.size, _BINNED_AT_ONCE):
            columns: dict[str, Any] = {"s": s[start : start + _BINNED_AT_ONCE]}
            for step in bin_steps(bins, layout, _clip, np.sqrt):
                columns |= step(columns.__getitem__)
            result[start : start + _BINNED_AT_ONCE] = columns["bin"]
    return result


@lru_cache(maxsize=8)
def bin_edges(bins: int, layout: Layout) -> FloatArray:
    """The largest number of each bin; the last is infinite."""
    low = np.full(bins - 1, _ordered(np.array([-np.inf]))[0])
    high = np.full(bins - 1, _ordered(np.array([np.inf]))[0])
    wanted = np.arange(1, bins)
    # The last number below each border, by bisection over all doubles.
    for _ in range(65):
        middle = low + ((high - low) >> np.uint64(1))
        below = bin_of(_double(middle), bins, layout) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    edges = np.append(_double(low), np.inf)
    edges.flags.writeable = False
    return edges


def _ordered(x: FloatArray) -> npt.NDArray[np.uint64]:
    """Doubles as integers in the same order."""
    bits = x.view(np.uint64)
    top = np.uint64(1 << 63)
    return np.where(bits & top, ~bits, bits | top)


def _double(order: npt.NDArray[np.uint64]) -> FloatArray:
    top = np.uint64(1 << 63)
    return np.where(order & top, order & ~top, ~order).view(np.float64)


# ----------------------------------------------------------------------
# The decisions that two samples allow, in counts: one for each gap between their scores.
@dataclass(frozen=True)
class Gaps:
    """Accept all, the gap above each distinct score of either class, reject all.

    `client` and `impostor` are weights on the places, `rejected` those of trials without a score;
    `at_edges` thresholds lie on places.
    """

    places: FloatArray
    client: FloatArray
    impostor: FloatArray
    whole: bool
    at_edges: bool = False
    rejected: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def frr(self) -> FloatArray:
        return np.asarray(self._clients / self._clients[-1])

    @cached_property
    def tnr(self) -> FloatArray:
        return np.asarray(self._impostors / self._impostors[-1])

    @cached_property
    def tpr(self) -> FloatArray:
        return self._share_above(self.client, self._clients)

    @cached_property
    def far(self) -> FloatArray:
        return self._share_above(self.impostor, self._impostors)

    def _share_above(self, masses: FloatArray, below: FloatArray) -> FloatArray:
        if self.whole:
            return np.asarray((below[-1] - below) / below[-1])
        upto = sums_below(masses, whole=False)
        return np.asarray(sums_above(masses, upto, whole=False) / below[-1])

    @cached_property
    def _clients(self) -> FloatArray:
        return self.rejected[0] + sums_below(self.client, whole=self.whole)

    @cached_property
    def _impostors(self) -> FloatArray:
        return self.rejected[1] + sums_below(self.impostor, whole=self.whole)

    @property
    def turns(self) -> IntArray:
        """Gaps at which the ROC turns, and both ends."""
        alone = np.stack([self.impostor == 0.0, self.client == 0.0])
        straight = np.any(alone[:, 1:] & alone[:, :-1], axis=0)
        return np.flatnonzero(np.concatenate([[True], ~straight, [True]]))

    def thresholds(self, index: IntArray | slice = slice(None)) -> Thresholds:
        """-inf, a threshold in each gap, the largest score."""
        low = np.concatenate([[-np.inf], self.places])[index]
        high = np.concatenate([self.places, [np.inf]])[index]
        return Thresholds.from_theta(gap_places(low, high, at_edges=self.at_edges))


def sums_below(masses: FloatArray, *, whole: bool) -> FloatArray:
    """0, then the running sums."""
    below: FloatArray = np.concatenate([[0.0], np.cumsum(masses)])
    if not whole:
        total = math.fsum(masses)
        below = np.minimum(below, total)
        below[-1] = total
    return below


def sums_above(masses: FloatArray, below: FloatArray, *, whole: bool) -> FloatArray:
    """What is left above each sum."""
    total = below[-1]
    if whole:
        return np.asarray(total - below)
    above: FloatArray = np.concatenate([np.cumsum(masses[::-1])[::-1], [0.0]])
    above = np.minimum(above, total)
    above[0] = total
    return above


def gap_places(low: FloatArray, high: FloatArray, *, at_edges: bool) -> FloatArray:
    """The middle of each gap, or its lower end."""
    if at_edges:
        return low
    with np.errstate(invalid="ignore", over="ignore"):
        middle = 0.5 * low + 0.5 * high
    return np.where((middle > low) & (middle < high), middle, low)


def merged(
    client: tuple[FloatArray, FloatArray], impostor: tuple[FloatArray, FloatArray], *,
    whole: bool, at_edges: bool,
) -> Gaps:  # fmt: skip
    """Gaps of two samples of (distinct ascending places, masses)."""
    (client, no_client), (impostor, no_impostor) = _scored(*client), _scored(*impostor)
    both = np.concatenate([client[0], impostor[0]])
    order = np.argsort(both, kind="stable")  # two ascending runs: a merge
    places = both[order]
    mass = np.concatenate([client[1], impostor[1]])[order]
    of_client = order < client[0].size
    c, i = np.where(of_client, mass, 0.0), np.where(of_client, 0.0, mass)
    shared = np.flatnonzero(places[1:] == places[:-1])  # the client comes first
    if shared.size:
        i[shared] = i[shared + 1]
        keep = np.ones(places.size, dtype=np.bool_)
        keep[shared + 1] = False
        places, c, i = places[keep], c[keep], i[keep]
    return Gaps(places, c, i, whole, at_edges, (no_client, no_impostor))


def _scored(places: FloatArray, masses: FloatArray) -> tuple[tuple[FloatArray, FloatArray], float]:
    absent = int(places.size > 0 and places[0] == -np.inf)
    return (places[absent:], masses[absent:]), float(np.sum(masses[:absent]))


def doubled_wins(smaller: FloatArray, larger: FloatArray) -> int:
    """2 P(smaller > larger) + P(smaller = larger), times the pairs of ascending samples."""
    start = np.flatnonzero(np.append(True, smaller[1:] != smaller[:-1]))
    places = smaller[start]
    below = np.searchsorted(larger, places, side="left")
    tied = np.flatnonzero(larger[np.minimum(below, larger.size - 1)] == places)
    upto = below.copy()
    upto[tied] = np.searchsorted(larger, places[tied], side="right")
    return int(np.dot(np.diff(start, append=smaller.size), below + upto))


def balance(client: FloatArray, impostor: FloatArray) -> tuple[float, float]:
    """Neighbours of the gap of least abs(FAR - FRR), by the tie rule."""
    n, m = client.size, impostor.size

    def errors(x: float) -> tuple[int, int]:
        accepted = m - int(np.searchsorted(impostor, x, side="right"))
        return accepted * n, int(np.searchsorted(client, x, side="right")) * m

    def crossed(x: float) -> bool:
        accepted, rejected = errors(x)
        return accepted <= rejected

    places = []
    for values in (client, impostor):
        k = bisect_left(values, True, key=crossed)
        places.extend(values[k : k + 1].tolist())
    at = min(places)  # at the largest score everybody is rejected
    before, after = -math.inf, math.inf
    for values in (client, impostor):
        first, last = (int(np.searchsorted(values, at, side)) for side in ("left", "right"))
        before = max([before, *values[:first][-1:].tolist()])
        after = min([after, *values[last:][:1].tolist()])

    def order(gap: tuple[float, float]) -> tuple[int, int]:
        accepted, rejected = errors(gap[0])
        return abs(accepted - rejected), accepted + rejected

    return min(((before, at), (at, after)), key=order)


# ----------------------------------------------------------------------
# The empirical distribution of a sample, weighted, with exact ties, and pairs of them.
#: Up to so many terms are summed without rounding.
_EXACT_SUM = 100_000


def mean_of(values: FloatArray, weights: FloatArray | None, total: float) -> float:
    """Weighted mean, exact up to rounding for 100 000 values."""
    parts = values if weights is None else weights * values
    whole = math.fsum(parts.tolist()) if parts.size <= _EXACT_SUM else float(parts.sum())
    return whole / total


def scaled_moments(
    values: FloatArray, weights: FloatArray | None, total: float
) -> tuple[float, float, int]:
    """Mean, and the variance in squares of a power of two."""
    low, high = float(values.min()), float(values.max())
    _, power = math.frexp(max(abs(low), abs(high)))
    scaled = np.ldexp(values, -power)
    centre = mean_of(scaled, weights, total)
    mean = min(max(math.ldexp(centre, power), low), high)  # rounded, it may lie beyond them
    if low == high:
        return mean, 0.0, 0
    away = scaled - centre
    _, width = math.frexp(float(np.abs(away).max()))
    away = np.ldexp(away, -width)
    square = mean_of(away**2, weights, total) - mean_of(away, weights, total) ** 2
    return mean, square, power + width


@dataclass(frozen=True, eq=False, repr=False)
class Empirical(Distribution):
    """The distribution that puts mass 1/n, or w/sum(w), on each score.

        P(S <= x) = sum of the weights of scores <= x / sum of all weights

    Parameters
    ----------
    values : array_like, shape (n,)
        Finite scores, with ties; -inf is a trial without a score, which no threshold accepts; not
        all may be.
    weights : array_like, shape (n,), optional
        Frequencies; weight k counts as k copies.

    Raises
    ------
    InputError, InputTypeError
        If there is no score, a score is nan or inf, or a weight negative.

    Notes
    -----
    ``pdf`` is 0. A pair of samples decides at the middle of the gap between neighbouring distinct
    scores. With values of -inf the mean is -inf.

    Examples
    --------
    >>> from betaroc import Empirical
    >>> Empirical([0.1, 0.4, 0.4, 0.9]).cdf(0.4)
    0.75
    """

    values: Any
    weights: Any = field(default=None)

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        return {"values": FloatArray, "weights": FloatArray | None}

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Self:
        values = kept_scores(content["values"], "values", absent=True)
        weights = content.get("weights")
        checked = None if weights is None else weights_array(weights, values.size, "weights")
        return cast(Self, cls._of_checked(values, checked))

    def _columns(self) -> dict[str, Any]:
        weights = np.ones(self.values.size) if self.weights is None else self.weights
        return {"value": self.values, "weight": weights}

    def __post_init__(self) -> None:
        values, weights = score_array(self.values, "values", absent=True), self.weights
        if weights is not None:
            weights = weights_array(weights, values.size, "weights")
        vars(self).update(values=values, weights=weights)

    @classmethod
    def _of_checked(cls, values: FloatArray, weights: FloatArray | None) -> Empirical:
        law = object.__new__(cls)
        vars(law).update(values=values, weights=weights)
        return law

    @classmethod
    def _of_steps(cls, places: FloatArray, masses: FloatArray) -> Empirical:
        law = cls._of_checked(places, masses)
        vars(law)["_steps"] = places, masses
        return law

    @cached_property
    def _sorted(self) -> FloatArray:
        return np.sort(self.values)

    @cached_property
    def rejected(self) -> float:
        """Weight of the trials without a score, at -inf."""
        if np.min(self.values) > -np.inf:
            return 0.0
        absent = self.values == -np.inf
        return float(np.sum(absent) if self.weights is None else np.sum(self.weights[absent]))

    @property
    def _scored(self) -> Empirical:
        if not self.rejected:
            return self
        valid = self.values > -np.inf
        return Empirical(self.values[valid], None if self.weights is None else self.weights[valid])

    @cached_property
    def _steps(self) -> TwoArrays:
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
        """Sum of the weights, or number of scores."""
        return float(self.values.size if self.weights is None else self._below[-1])

    def _counts_at_most(self, t: Thresholds) -> FloatArray:
        return self._below[self._index(t)]

    def _counts_above(self, t: Thresholds) -> FloatArray:
        return self._above[self._index(t)]

    def _index(self, t: Thresholds) -> IntArray:
        return np.asarray(np.searchsorted(self._steps[0], decisive(t), "right"))

    @property
    def support(self) -> tuple[float, float]:
        return float(self._steps[0][0]), float(self._steps[0][-1])

    @property
    def atoms(self) -> Atoms:
        return Atoms(self._steps[0], self._steps[1] / self.total)

    @property
    def continuous(self) -> None:
        return None

    @cached_property
    def _scaled_moments(self) -> tuple[float, float, int]:
        """Those of the scores; -inf and nan where a trial has none."""
        if self.rejected:
            return -math.inf, math.nan, 0
        return scaled_moments(*self._steps, self.total)

    @property
    def _moments(self) -> tuple[float, float]:
        mean, square, power = self._scaled_moments
        return mean, math.ldexp(math.sqrt(square), power)

    @property
    def var(self) -> float:
        """Weighted variance; nan where a trial has no score."""
        _, square, power = self._scaled_moments
        with np.errstate(over="ignore"):
            return float(np.ldexp(square, 2 * power))

    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        counts = self._counts_at_most(t) if lower else self._counts_above(t)
        share = np.where(np.isnan(t.theta), np.nan, counts / self.total)
        with np.errstate(divide="ignore"):
            return share, np.log(share)

    def _log_density(self, t: Thresholds) -> FloatArray:
        return np.where(np.isnan(t.theta), np.nan, -np.inf)

    def _inverse(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        places = self._steps[0]
        if lower:
            index = np.searchsorted(self._below[1:] / self.total, p, side="left")
        else:
            shares = (self._above[1:] / self.total)[::-1]
            index = shares.size - np.searchsorted(shares, p, side="right")
            index = np.where(p >= 1.0, 0, index)  # at the lower end all is accepted
        theta = places[np.minimum(index, places.size - 1)]
        return Thresholds.from_theta(np.where(np.isnan(p), np.nan, theta))

    def _tails(self) -> tuple[Tail, Tail]:
        masses = self.atoms.masses
        low, high = self.support
        return (Tail(low, 0, mass=float(masses[0])), Tail(high, 0, mass=float(masses[-1])))

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        return np.asarray(rng.choice(self._steps[0], size=size, p=self._steps[1] / self.total))


def decisive(t: Thresholds) -> FloatArray:
    """The last double below 1 where theta only rounds to 1."""
    short_of_one = (t.theta == 1.0) & (t.logit < np.inf)
    return np.where(short_of_one, np.nextafter(1.0, 0.0), t.theta)


class Corners(NamedTuple):
    """Where the ROC of two samples turns."""

    theta: FloatArray
    far: FloatArray
    frr: FloatArray
    tpr: FloatArray
    tnr: FloatArray


class EmpiricalPair(Pair):
    """Two samples: every decision is a gap between scores."""

    discrete = True
    #: Whether thresholds lie on scores and not between them.
    at_edges = False
    client: Empirical
    impostor: Empirical

    @property
    def whole(self) -> bool:
        return self.client.whole and self.impostor.whole

    @cached_property
    def gaps(self) -> Gaps:
        """Every decision the two samples allow, in counts."""
        return merged(
            self.client._steps, self.impostor._steps, whole=self.whole, at_edges=self.at_edges
        )

    @cached_property
    def candidates(self) -> Thresholds:
        """Accept all, the middle of each gap, reject all."""
        return self.gaps.thresholds()

    @cached_property
    def joints(self) -> Thresholds:
        return Thresholds.from_theta(self.gaps.places)

    @property
    def candidate_rates(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.gaps.tpr, self.gaps.far, self.gaps.frr

    def turning_points(self) -> Thresholds:
        return Thresholds.from_theta(np.empty(0))

    def ratio_roots(self, level: float) -> Thresholds:
        return Thresholds.from_theta(np.empty(0))

    @property
    def corners(self) -> Corners:
        """Where the ROC turns, ascending."""
        gaps, keep = self.gaps, self.gaps.turns
        rates = (gaps.far, gaps.frr, gaps.tpr, gaps.tnr)
        return Corners(gaps.thresholds(keep).theta, *(rate[keep] for rate in rates))

    @cached_property
    def balanced(self) -> Thresholds | None:
        """The gap of least abs(FAR - FRR); None where weights need all."""
        if self.client.weights is not None or self.impostor.weights is not None:
            return None
        low, high = balance(self.client._sorted, self.impostor._sorted)
        place = gap_places(np.array(low), np.array(high), at_edges=self.at_edges)
        return Thresholds.from_theta(place)

    def auc(self) -> float:
        weighted = self.client.weights is not None or self.impostor.weights is not None
        if not (weighted or self.client.rejected or self.impostor.rejected):
            ours, theirs = self.client._sorted, self.impostor._sorted
            pairs = int(ours.size) * int(theirs.size)
            if ours.size <= theirs.size:
                return doubled_wins(ours, theirs) / (2.0 * pairs)
            return (2 * pairs - doubled_wins(theirs, ours)) / (2.0 * pairs)
        places, weights = self.client._steps
        at = Thresholds.from_theta(places)
        upto = self.impostor._counts_at_most(at)
        strictly = self.impostor._below[np.searchsorted(self.impostor._steps[0], places)]
        doubled = math.fsum(weights * (strictly + upto))
        return doubled / (2.0 * self.client.total * self.impostor.total)


def is_counted(law: Distribution) -> TypeGuard[Empirical]:
    """Whether a distribution is its scores."""
    return isinstance(law, Empirical)


def decides_by_counts(pair: Pair) -> TypeGuard[EmpiricalPair]:
    """Whether the decisions of a pair can be enumerated."""
    return isinstance(pair, EmpiricalPair)


closed_forms(Empirical, Empirical, EmpiricalPair)


# ----------------------------------------------------------------------
# The distribution of scores known only as counts in bins, exact at the bins' borders.
@dataclass(frozen=True, eq=False, repr=False, init=False)
class Binned(Empirical):
    """Scores of which only the number in each bin (edge, next edge] is known.

        P(S <= edges[k]) = (counts[0] + ... + counts[k - 1]) / sum(counts)

    Parameters
    ----------
    edges : array_like, shape (k + 1,)
        Finite, ascending.
    counts : array_like, shape (k,)
        Scores in each bin, not negative; not all 0.

    Raises
    ------
    InputError, InputTypeError
        If the edges do not ascend or are not one more than the counts, or a count is negative.

    Notes
    -----
    Both tails are exact at the edges, where a pair decides; between them a rate is off by at most
    the bin's share. The mass of a bin lies on its upper edge.

    Examples
    --------
    >>> from betaroc import Binned
    >>> Binned([0.0, 0.5, 1.0], [3, 1]).cdf([0.5, 0.7])
    array([0.75, 0.75])
    """

    edges: Any = None
    counts: Any = None
    values: Any = field(init=False, repr=False, compare=False)
    weights: Any = field(init=False, repr=False, compare=False)

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        return {"edges": FloatArray, "counts": FloatArray}

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Binned:
        return cls(**content)

    def _columns(self) -> dict[str, Any]:
        return {"above": self.edges[:-1], "up_to": self.edges[1:], "count": self.counts}

    def __init__(self, edges: npt.ArrayLike, counts: npt.ArrayLike) -> None:
        places = score_array(edges, "edges")
        if places.size < 2 or np.any(np.diff(places) <= 0.0):
            below = int(np.sum(np.diff(places) <= 0.0))
            actual = f"{places.size}, of which {below} do not exceed the one before"
            raise refusal("edges", "be two or more ascending numbers", actual, "Sort them.")
        masses = weights_array(counts, places.size - 1, "counts")
        vars(self).update(edges=places, counts=masses, values=places[1:], weights=masses)

    @cached_property
    def _steps(self) -> TwoArrays:
        occupied = self.counts > 0.0
        return self.edges[1:][occupied], np.asarray(self.counts[occupied], dtype=np.float64)


class BinnedPair(EmpiricalPair):
    """Counts in bins on either side: it decides at edges."""

    at_edges = True


def is_binned(law: Distribution) -> TypeGuard[Binned]:
    """Whether only counts of bins are known."""
    return isinstance(law, Binned)


closed_forms(Binned, Binned, BinnedPair)
closed_forms(Binned, Empirical, BinnedPair)
closed_forms(Empirical, Binned, BinnedPair)
