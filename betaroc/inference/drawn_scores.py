"""Resampled scores, by rows or by groups, and percentiles of replicates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betaroc.core import notices, resampling
from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.errors import SmallSampleWarning, refusal
from betaroc.core.options import IntervalOptions
from betaroc.data import groups as trial_groups
from betaroc.data.scores import Scores
from betaroc.distributions.empirical import Empirical
from betaroc.inference.interval import Interval, Limits
from betaroc.model.model import ScoreModel

#: Replicates drawn at once, times rows.
_AT_ONCE = 2_000_000
#: Silverman's rule.
_FACTOR, _NORMAL_IQR = 0.9, 1.349
#: Copies are drawn one by one up to this many a row, as counts of the rows beyond.
_COPIES_A_ROW = 4
Counts = tuple[IntArray, IntArray]


# ------------------------------------------------------------------------------- rows
@dataclass(frozen=True, eq=False)
class BootstrapRows:
    """The rows of a side, drawn with replacement in each class or by groups as wholes."""

    copies: Counts
    groups: trial_groups.Groups | None = None

    @classmethod
    def of(
        cls, trials: trial_groups.ScoredTrials, groups: trial_groups.Groups | None
    ) -> BootstrapRows:
        """The rows of scores, or of what stands for them."""
        weights = (np.rint(trial_groups.weights_of(trials, who)) for who in CLASSES)
        client, impostor = (part.astype(np.int64) for part in weights)
        return cls((client, impostor), groups)

    @property
    def size(self) -> int:
        return self.copies[0].size + self.copies[1].size

    @property
    def units(self) -> tuple[int, int]:
        """Trials, or groups of them, of each class."""
        client, impostor = (int(np.sum(copies)) for copies in self.copies)
        sizes = (None, None) if self.groups is None else self.groups.sizes
        return sizes[0] or client, sizes[1] or impostor

    def draw(self, rng: np.random.Generator, size: int, share: float = 1.0) -> Counts:
        """How often each row is drawn, a row per replicate, of a share of the trials or groups."""
        cut = self.copies[0].size
        if self.groups is None:
            client, impostor = (_copies(rng, size, copies, share) for copies in self.copies)
            return client, impostor
        of, alike = self.groups, np.rint(self.groups.multiplicity).astype(np.int64)
        stratum = of.stratum()
        units = np.ones((size, alike.size + 1), dtype=np.int64)  # the last: no second unit
        for number in range(int(stratum.max()) + 1):
            places = np.flatnonzero(stratum == number)
            units[:, places] = _copies(rng, size, alike[places], share)
        drawn = units[:, of.first] * units[:, of.second] * np.rint(of.copies).astype(np.int64)
        result = np.zeros((size, self.size), dtype=np.int64)
        result[:, np.concatenate([of.rows[0], cut + of.rows[1]])] = drawn
        return result[:, :cut], result[:, cut:]


def _copies(rng: np.random.Generator, size: int, copies: IntArray, share: float) -> IntArray:
    """How often each row is drawn if a share of the copies is."""
    total, n = int(np.sum(copies)), copies.size
    drawn = max(1, round(share * total))
    if total > _COPIES_A_ROW * n:
        return resampling.draw_multinomial(rng, np.full(size, drawn), copies)
    rows: AnyArray = rng.integers(total, size=(size, drawn), dtype=np.int32)
    if total != n or np.any(copies != 1):
        rows = np.repeat(np.arange(n), copies)[rows]
    flat = (rows + n * np.arange(size)[:, None]).ravel()
    return np.bincount(flat, minlength=size * n).reshape(size, n)


class GroupedCounts(NamedTuple):
    """Error counts and class sizes (at least 1) of replicates."""

    rejected: IntArray
    accepted: IntArray
    clients: IntArray
    impostors: IntArray
    #: Replicates with an empty class, or without a threshold.
    lost: BoolArray


@dataclass(frozen=True, eq=False)
class SortedRows:
    """The rows of both classes, those of positive weight, by ascending scores."""

    order: tuple[IntArray, IntArray]
    scores: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, trials: trial_groups.ScoredTrials) -> SortedRows:
        orders, scores = [], []
        for who in CLASSES:
            values = np.asarray(getattr(trials, who))
            order = np.argsort(values, kind="stable")
            order = order[trial_groups.weights_of(trials, who)[order] > 0.0]
            orders.append(order)
            scores.append(values[order])
        return cls((orders[0], orders[1]), (scores[0], scores[1]))

    def sorted_counts(self, drawn: Counts) -> Counts:
        """What was drawn, in the order of the scores."""
        pairs = zip(drawn, self.order, strict=True)
        client, impostor = (np.take(part, order, axis=1) for part, order in pairs)
        return client, impostor

    def errors(self, drawn: Counts, theta: FloatArray) -> GroupedCounts:
        """Errors at thresholds of each replicate, and class sizes."""
        first = np.ones(theta.shape, dtype=np.bool_)
        first[..., 1:] = theta[..., 1:] != theta[..., :-1]  # neighbours often share a threshold
        distinct, place = theta[first], np.cumsum(first).reshape(theta.shape) - 1
        row = slice(None) if theta.ndim == 1 else np.nonzero(first)[0]
        result, sizes = [], []
        for scores, part in zip(self.scores, self.sorted_counts(drawn), strict=True):
            below = counts_below(part)
            at = np.searchsorted(scores, distinct, side="right")
            result.append(below[row, at][..., place])
            sizes.append(below[:, -1])
        lost = (sizes[0] == 0) | (sizes[1] == 0) | np.any(np.isnan(theta), axis=-1)
        clients, impostors = (np.maximum(n, 1) for n in sizes)
        return GroupedCounts(result[0], sizes[1][:, None] - result[1], clients, impostors, lost)


def counts_below(drawn: IntArray) -> IntArray:
    """0, then the running sums of each row."""
    below = np.zeros((drawn.shape[0], drawn.shape[1] + 1), dtype=np.int64)
    np.cumsum(drawn, axis=1, out=below[:, 1:])
    return below


# ------------------------------------------------------------------------------- models


@dataclass(frozen=True, eq=False)
class DrawnScores:
    """Replicates of one or two systems that judge the same trials."""

    systems: tuple[Scores, ...]
    options: IntervalOptions
    smoothed: bool = False

    def models(self) -> Iterator[tuple[ScoreModel | None, ...]]:
        makers = [_smoothed(s) if self.smoothed else _plain(s) for s in self.systems]
        for stream, drawn in self._blocks():
            for counts in zip(*drawn, strict=True):
                empty = not all(np.any(part) for part in counts)
                yield tuple(None if empty else maker(counts, stream) for maker in makers)

    def tpr(self, far: FloatArray) -> FloatArray:
        """The TPR at each FAR, a row per replicate with both classes."""
        rows, result = SortedRows.of(self.systems[0]), []
        thresholds = np.unique(np.append(-np.inf, rows.scores[1]))
        at = [np.searchsorted(scores, thresholds, side="right") for scores in rows.scores]
        for _, drawn in self._blocks():
            below = [counts_below(part) for part in rows.sorted_counts(drawn)]
            for client, impostor in zip(*below, strict=True):
                if client[-1] and impostor[-1]:
                    # The lowest threshold with a FAR of at most so much.
                    fars = (impostor[-1] - impostor[at[1]]) / impostor[-1]
                    chosen = np.searchsorted(-fars, -far)
                    result.append((client[-1] - client[at[0][chosen]]) / client[-1])
        return np.array(result).reshape(-1, far.size)

    def _blocks(self) -> Iterator[tuple[np.random.Generator, Counts]]:
        trials, options = self.systems[0], self.options
        groups = trial_groups.groups_of(trials) if options.groups else None
        rows = BootstrapRows.of(trials, groups if groups and groups.dependent else None)
        for block, stream in resampling.streams(options.replicates, options.rng):
            step = max(1, _AT_ONCE // rows.size)
            for start in range(block.start, block.stop, step):
                yield stream, rows.draw(stream, min(step, block.stop - start))


#: Makes the pair of a replicate from how often each row was drawn.
_Maker = Callable[[Counts, np.random.Generator], ScoreModel]


def _plain(scores: Scores) -> _Maker:
    rows = SortedRows.of(scores)

    def model(counts: Counts, _: np.random.Generator) -> ScoreModel:
        copies = [drawn[order] for drawn, order in zip(counts, rows.order, strict=True)]
        laws = [drawn_law(x[c > 0], c[c > 0]) for x, c in zip(rows.scores, copies, strict=True)]
        return ScoreModel(*laws, prior=scores.prior)

    return model


def _smoothed(scores: Scores) -> _Maker:
    # The scale is the sum of the normal deviates of the ranks in either class: of binormal scores
    # per line, and as wide where the classes are apart as within them.
    from scipy.special import ndtri

    parts = [getattr(scores, who) for who in CLASSES]
    weights = [trial_groups.weights_of(scores, who) for who in CLASSES]
    places = np.unique(np.concatenate([x[w > 0.0] for x, w in zip(parts, weights, strict=True)]))
    # A trial without weight, which is never drawn, has any place.
    where = [np.minimum(np.searchsorted(places, x), places.size - 1) for x in parts]
    deviates = np.zeros(places.size)
    for at, weight in zip(where, weights, strict=True):
        masses = np.bincount(at, weight, minlength=places.size)
        upto = np.cumsum(masses)
        deviates += ndtri((upto - 0.5 * masses + 0.5) / (upto[-1] + 1.0))
    absent = int(places[0] == -np.inf)  # a trial without a score stays one
    deviates[:absent] = -np.inf
    values = [deviates[at] for at in where]
    noises = [_bandwidth(v, w) for v, w in zip(values, weights, strict=True)]
    places, deviates = places[absent:], deviates[absent:]

    def model(counts: Counts, rng: np.random.Generator) -> ScoreModel:
        laws = []
        for value, noise, drawn in zip(values, noises, counts, strict=True):
            z = np.repeat(value, drawn)
            z = np.sort(z + noise * rng.standard_normal(z.size))
            # Between the scores along straight lines; what leaves them lies on the outermost.
            back = np.where(z == -np.inf, -np.inf, np.interp(z, deviates, places))
            laws.append(drawn_law(back, np.ones(z.size)))
        return ScoreModel(laws[0], laws[1], prior=scores.prior)

    return model


def drawn_law(values: FloatArray, copies: FloatArray | IntArray) -> Empirical:
    """The distribution of ascending values."""
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return Empirical._of_steps(values[starts], np.add.reduceat(copies, starts).astype(np.float64))


def _bandwidth(values: FloatArray, weights: FloatArray) -> float:
    """By Silverman's rule."""
    values, weights = values[values > -np.inf], weights[values > -np.inf]
    order = np.argsort(values)
    upto = np.cumsum(weights[order])
    n = float(upto[-1])
    low, high = values[order][np.searchsorted(upto, [0.25 * n, 0.75 * n])].tolist()
    mean = np.sum(weights * values) / n
    sd = math.sqrt(float(np.sum(weights * (values - mean) ** 2)) / n)
    spreads = [s for s in (sd, (high - low) / _NORMAL_IQR) if s > 0.0]
    return float(_FACTOR * min(spreads, default=0.0) * n**-0.2)


def check_still(scores: Scores, name: str, *, groups: bool = True) -> None:
    """Refuse a class of one trial or group, which does not vary."""
    trial_groups.check_few(scores, name, "to be drawn again")
    if groups:
        trial_groups.check_one_group(scores, name)


# --------------------------------------------------------------------- ends of replicates
#: Quotients of counts that agree to this are one.
_SAME = 1e-9


def percentile_band(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Percentiles of each column between all of which `level` of the rows lie."""
    # One and the same number of replicates, or share of those that are defined, is cut off at both
    # ends of every column: as many as possible.
    ordered = np.sort(values, axis=0)  # nan last
    known = np.sum(~np.isnan(values), axis=0)
    depth = np.full(values.shape[0], np.inf)
    for k, n in enumerate(known.tolist()):
        column, value = ordered[:n, k], ~np.isnan(values[:, k])
        own = values[value, k]
        upto = np.searchsorted(column, own, side="right")
        beyond = n - np.searchsorted(column, own, side="left")
        depth[value] = np.minimum(depth[value], (np.minimum(upto, beyond) - 1) / n)
    # The largest cut that still keeps enough rows.
    keep = max(1, int(np.ceil(level * depth.size - _SAME)))
    cut = np.sort(depth)[depth.size - keep]
    low, high = np.full(known.size, np.nan), np.full(known.size, np.nan)
    for k, n in enumerate(known.tolist()):
        if n:
            off = min(int(min(cut, 1.0) * n + _SAME), (n - 1) // 2)
            low[k], high[k] = ordered[off, k], ordered[n - 1 - off, k]
    return low, high


def percentiles(values: FloatArray, options: IntervalOptions, name: str) -> tuple[Limits, int]:
    """Quantiles of the replicates that have a value, and how many have none."""
    keep = values[~np.isnan(values)]
    failed = int(values.size - keep.size)
    if not keep.size:
        actual = f"none in {values.size}"
        raise refusal(repr(name), "have a value in the replicates", actual, "Give more scores.")
    if failed:
        notices.warn(
            f"{name!r} has no value in {failed} of {values.size} replicates, which are left out of"
            " its interval. Give more scores.",
            SmallSampleWarning,
        )
    # Replicates are steps, thresholds among them infinite: no value between two.
    low, high = np.quantile(keep, [options.tail, 1.0 - options.tail], method="inverted_cdf")
    return (float(low), float(high)), failed


def interval_of_replicates(
    estimate: float, values: FloatArray, options: IntervalOptions, name: str,
    n_beyond: float | None = None,
) -> Interval:  # fmt: skip
    """The percentile interval of a number."""
    ends, failed = percentiles(values, options, name)
    return Interval(estimate, *ends, options.level, str(options.method), n_beyond, failed=failed)


def pointwise(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions
) -> tuple[FloatArray, FloatArray]:
    """Percentiles of the replicates at each point, without those that are nan."""
    low, high = np.full((2, estimate.size), np.nan)
    known = ~(np.all(np.isnan(values), axis=0) | np.isnan(estimate))
    shares = [options.tail, 1.0 - options.tail]
    if np.any(known):
        low[known], high[known] = np.nanquantile(values[:, known], shares, axis=0)
    return low, high


def band_of_replicates(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions, bounds: Limits, *,
    simultaneous: bool,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Percentiles at each point, or estimate -+ c sd for all at once; within the range."""
    if simultaneous:
        gone = np.isnan(values)
        deviation = np.where(gone, estimate, values) - estimate
        sd = np.sqrt(np.nansum(deviation**2, axis=0) / np.maximum(np.sum(~gone, axis=0), 1))
        moving, reach = sd > 0.0, 0.0
        if np.any(moving):
            largest = np.nanmax(np.abs(deviation[:, moving]) / sd[moving], axis=1)
            reach = float(np.quantile(largest, options.level))
        ends = estimate - reach * sd, estimate + reach * sd
    else:
        ends = pointwise(values, estimate, options)
    return np.maximum(ends[0], bounds[0]), np.minimum(ends[1], bounds[1])
