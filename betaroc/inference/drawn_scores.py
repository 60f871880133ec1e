"""Scores drawn again, by rows or by groups as wholes, and the ends that replicates give."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.errors import SmallSampleWarning, refusal
from betaroc.core.notices import warn
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import draw_multinomial, streams
from betaroc.data.groups import (
    Groups,
    ScoredTrials,
    check_few,
    check_one_group,
    groups_of,
    weights_of,
)
from betaroc.data.scores import Scores
from betaroc.distributions.empirical import Drawn
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
    groups: Groups | None = None

    @classmethod
    def of(cls, trials: ScoredTrials, groups: Groups | None) -> BootstrapRows:
        """The rows of scores, or of what stands for them."""
        client, impostor = (
            np.rint(weights_of(trials, who)).astype(np.int64) for who in CLASSES
        )  # fmt: skip
        return cls((client, impostor), groups)

    @property
    def size(self) -> int:
        """Rows of both classes."""
        return self.copies[0].size + self.copies[1].size

    @property
    def units(self) -> tuple[int, int]:
        """Trials, or groups of them, of each class."""
        result = [int(np.sum(copies)) for copies in self.copies]
        if self.groups is not None:
            sizes = zip(self.groups.sizes, result, strict=True)
            result = [own if grouped is None else grouped for grouped, own in sizes]
        return result[0], result[1]

    def draw(self, rng: np.random.Generator, size: int, share: float = 1.0) -> Counts:
        """How often each row is drawn, a row per replicate, of clients and of impostors.

        A share of the trials of each class is drawn, or of the groups.
        """
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
    """How often each of some rows is drawn if a share of their copies is, a row per replicate."""
    total, n = int(np.sum(copies)), copies.size
    drawn = max(1, round(share * total))
    if total > _COPIES_A_ROW * n:
        return draw_multinomial(rng, np.full(size, drawn), copies)
    rows: AnyArray = rng.integers(total, size=(size, drawn), dtype=np.int32)
    if total != n or np.any(copies != 1):
        rows = np.repeat(np.arange(n), copies)[rows]
    flat = (rows + n * np.arange(size)[:, None]).ravel()
    return np.bincount(flat, minlength=size * n).reshape(size, n)


class GroupedCounts(NamedTuple):
    """Error counts and class sizes of replicates, a row each; sizes are 1 where one was empty."""

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
    def of(cls, trials: ScoredTrials) -> SortedRows:
        """The rows of scores, or of what stands for them."""
        orders, scores = [], []
        for who in CLASSES:
            values = np.asarray(getattr(trials, who))
            order = np.argsort(values, kind="stable")
            order = order[weights_of(trials, who)[order] > 0.0]
            orders.append(order)
            scores.append(values[order])
        return cls((orders[0], orders[1]), (scores[0], scores[1]))

    def sorted_counts(self, drawn: Counts) -> Counts:
        """What was drawn, in the order of the scores."""
        client, impostor = (
            np.take(part, order, axis=1) for part, order in zip(drawn, self.order, strict=True)
        )
        return client, impostor

    def errors(self, drawn: Counts, theta: FloatArray) -> GroupedCounts:
        """Clients rejected and impostors accepted at thresholds of each replicate, class sizes."""
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

    @cached_property
    def _rows(self) -> BootstrapRows:
        first = self.systems[0]
        groups = groups_of(first) if self.options.groups else None
        return BootstrapRows.of(first, groups if groups is not None and groups.dependent else None)

    def models(self) -> Iterator[tuple[ScoreModel | None, ...]]:
        """The systems of each replicate; None where a class came out empty."""
        result = [_Smoothed(s) if self.smoothed else _Plain(s) for s in self.systems]
        for rows, stream in streams(self.options.replicates, self.options.rng):
            step = max(1, _AT_ONCE // self._rows.size)
            for start in range(rows.start, rows.stop, step):
                client, impostor = self._rows.draw(stream, min(step, rows.stop - start))
                for c, i in zip(client, impostor, strict=True):
                    empty = not (np.any(c) and np.any(i))
                    yield tuple(None if empty else item.model((c, i), stream) for item in result)


class _Plain:
    """The scores themselves, in order."""

    def __init__(self, scores: Scores) -> None:
        self.prior = scores.prior
        self.order = [np.argsort(getattr(scores, who), kind="stable") for who in CLASSES]
        self.values = [
            getattr(scores, who)[order] for who, order in zip(CLASSES, self.order, strict=True)
        ]

    def model(self, counts: tuple[IntArray, IntArray], _: np.random.Generator) -> ScoreModel:
        """The pair of a replicate."""
        laws = []
        for values, order, drawn in zip(self.values, self.order, counts, strict=True):
            copies = drawn[order]
            keep = copies > 0
            laws.append(_law(values[keep], copies[keep]))
        return ScoreModel(laws[0], laws[1], prior=self.prior)


class _Smoothed:
    """The scores on a scale that suits both classes, with noise, and the way back.

    The scale is the sum of the normal deviates of the ranks in either class: of binormal
    scores per line, and as wide where the classes are apart as within them.
    """

    def __init__(self, scores: Scores) -> None:
        from scipy.special import ndtri

        self.prior = scores.prior
        parts = [getattr(scores, who) for who in CLASSES]
        self.weights = [np.ones(p.size) if w is None else w for p, w in zip(
            parts, (scores.client_weights, scores.impostor_weights), strict=True)]  # fmt: skip
        keep = [p[w > 0.0] for p, w in zip(parts, self.weights, strict=True)]
        self.places = np.unique(np.concatenate(keep))
        # A trial without weight, which is never drawn, has any place.
        last = self.places.size - 1
        where = [np.minimum(np.searchsorted(self.places, p), last) for p in parts]
        self.deviates = np.zeros(self.places.size)
        for own, weight in zip(where, self.weights, strict=True):
            masses = np.bincount(own, weight, minlength=self.places.size)
            upto = np.cumsum(masses)
            self.deviates += ndtri((upto - 0.5 * masses + 0.5) / (upto[-1] + 1.0))
        absent = int(self.places[0] == -np.inf)  # a trial without a score stays one
        self.deviates[:absent] = -np.inf
        self.values = [self.deviates[own] for own in where]
        self.places, self.deviates = self.places[absent:], self.deviates[absent:]
        self.noise = [_bandwidth(v, w) for v, w in zip(self.values, self.weights, strict=True)]

    def model(self, counts: tuple[IntArray, IntArray], rng: np.random.Generator) -> ScoreModel:
        """The pair of a replicate, on the scale of the scores."""
        laws = []
        for values, noise, drawn in zip(self.values, self.noise, counts, strict=True):
            z = np.repeat(values, drawn)
            z = np.sort(z + noise * rng.standard_normal(z.size))
            laws.append(_law(self._back(z), np.ones(z.size)))
        return ScoreModel(laws[0], laws[1], prior=self.prior)

    def _back(self, z: FloatArray) -> FloatArray:
        """Between the scores along straight lines; what leaves them lies on the outermost."""
        return np.where(z == -np.inf, -np.inf, np.interp(z, self.deviates, self.places))


def _law(values: FloatArray, copies: FloatArray | IntArray) -> Drawn:
    """The distribution of ascending values."""
    new = np.concatenate([[True], values[1:] != values[:-1]])
    starts = np.flatnonzero(new)
    return Drawn(values[starts], np.add.reduceat(copies, starts).astype(np.float64))


def _bandwidth(values: FloatArray, weights: FloatArray) -> float:
    values, weights = values[values > -np.inf], weights[values > -np.inf]
    order = np.argsort(values)
    upto = np.cumsum(weights[order])
    n = float(upto[-1])
    quartiles = values[order][np.searchsorted(upto, [0.25 * n, 0.75 * n])]
    mean = np.sum(weights * values) / n
    sd = math.sqrt(float(np.sum(weights * (values - mean) ** 2)) / n)
    spread = min([s for s in (sd, float(quartiles[1] - quartiles[0]) / _NORMAL_IQR) if s > 0.0],
                 default=0.0)  # fmt: skip
    return float(_FACTOR * spread * n**-0.2)


def check_still(scores: Scores, name: str, *, groups: bool = True) -> None:
    """A class whose one trial, or group, is all that can be drawn does not vary."""
    check_few(scores, name, "to be drawn again")
    if groups:
        check_one_group(scores, name)


# ------------------------------------------------------------------ the TPR at each FAR
def drawn_tpr(model: ScoreModel, far: FloatArray, options: IntervalOptions) -> FloatArray:
    """The TPR at each FAR in each replicate of independent trials, a row each.

    Of m impostors drawn at most floor(far m) are accepted above the next largest one. The largest
    of m uniform shares are sums of exponential ones over their whole sum, and tell which impostors
    those are; the clients drawn between two of these are binomial given those above.
    """
    client, impostor = (law._steps for law in (model.client, model.impostor))  # type: ignore[attr-defined]
    n, m = (round(float(np.sum(masses))) for _, masses in (client, impostor))
    accepted = np.floor(far * m)
    accepted += ((accepted + 1.0) / m <= far).astype(float) - (accepted / m > far)
    order = np.argsort(far, kind="stable")
    ranks = accepted[order].astype(np.int64) + 1
    inside = ranks <= m  # else all impostors may be accepted
    # Of shares from the top: which impostor, and how many clients score above it.
    above = np.cumsum(impostor[1][::-1])
    clients = np.concatenate([np.cumsum(client[1][::-1])[::-1], [0.0]])
    beyond = clients[np.searchsorted(client[0], impostor[0][::-1], side="right")]
    steps = np.diff(ranks[inside], prepend=0)

    def draw(rng: np.random.Generator, size: int) -> FloatArray:
        sums = np.cumsum(rng.gamma(steps, size=(size, steps.size)), axis=1)
        rest = m + 1 - (int(ranks[inside][-1]) if steps.size else 0)
        shares = sums / (sums[:, -1:] + rng.gamma(rest, size=(size, 1)))
        which = np.searchsorted(above, shares * m, side="right")
        odds = beyond[np.minimum(which, above.size - 1)] / n
        result = np.ones((size, far.size))
        result[:, order[inside]] = _cumulated(rng, n, odds) / n
        return result

    return options.replicated(draw, far.size)


def _cumulated(rng: np.random.Generator, n: int, shares: FloatArray) -> IntArray:
    """How many of n lie above each of some places that fall, by the share that does."""
    counts = np.zeros(shares.shape, dtype=np.int64)
    so_far, before = np.zeros(shares.shape[0], dtype=np.int64), np.zeros(shares.shape[0])
    for k in range(shares.shape[1]):
        rest = 1.0 - before
        part = np.divide(shares[:, k] - before, rest, out=np.zeros(rest.size), where=rest > 0.0)
        so_far = so_far + rng.binomial(n - so_far, np.clip(part, 0.0, 1.0))
        counts[:, k], before = so_far, shares[:, k]
    return counts


# ----------------------------------------------------------------------
#: Quotients of counts that agree to this are one.
_SAME = 1e-9


def percentile_band(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Percentiles of each column, so far out that `level` of the rows lie between all of them.

    One and the same number of replicates, or share of those that are defined, is cut off at
    both ends of every column: as many as possible.
    """
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
        warn(
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
    return Interval(
        estimate, *ends, options.level, str(options.method), n_beyond=n_beyond, failed=failed
    )


def pointwise(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions
) -> tuple[FloatArray, FloatArray]:
    """Percentiles of the replicates at each point, those that are nan left out."""
    low, high = (np.array(estimate, dtype=np.float64) for _ in range(2))
    shares = [options.tail, 1.0 - options.tail]
    for k in range(estimate.size):
        keep = values[~np.isnan(values[:, k]), k]
        defined = keep.size > 0 and not np.isnan(estimate[k])
        low[k], high[k] = np.quantile(keep, shares) if defined else (np.nan, np.nan)
    return low, high


def band_of_replicates(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions, bounds: Limits, *,
    simultaneous: bool,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Percentiles at each point, or estimate -+ c sd for all at once; within the range.

    c is the quantile of the largest standardised deviation of a replicate.
    """
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
