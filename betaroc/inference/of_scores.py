"""Intervals of statistics of scores: by counts, shares and draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import ScaleWarning, SmallSampleWarning, refusal
from betaroc.core.notices import warn
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import check_fractional_weights
from betaroc.core.special import interval_end, least_whole, share_ends
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import worded
from betaroc.data.groups import check_few, check_one_group, correlation_of, units_of
from betaroc.data.scores import ScoreData, Scores
from betaroc.data.summary import ScoreSummary
from betaroc.distributions.empirical import Empirical, EmpiricalPair
from betaroc.inference import drawn_scores
from betaroc.inference.auc import AUC_METHODS, auc_interval, covariance_of_means, welch
from betaroc.inference.delta import supported
from betaroc.inference.interval import Interval, Limits, from_log, root_of_squares
from betaroc.inference.scores_beyond import SampleSupport, effective_size, may_be_equal
from betaroc.model.areas import bits, cost_losses, log_losses
from betaroc.model.calibration import PavBlocks, class_probabilities, pav
from betaroc.model.dataset_checks import warn_of_reversed
from betaroc.model.measures import MEASURES, OperatingPoint, precision_of
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import (
    STATISTICS,
    EvaluationPoint,
    Optimum,
    Statistic,
    StatisticSpec,
    parse_statistic,
    point_at,
)

#: Standard errors of a step that ties make, from which on it counts.
_COARSE = 0.5
#: For the log of 0, of which there are no counts or no likelihood.
_NEVER = 1e280
#: Places between the ends of an error at which a measure of it is looked at; FARs at which one of
#: classes that do not differ is, whose best is at an end.
_BETWEEN = 65


def whole_weights(scores: ScoreData) -> bool:
    """Whether the weights are numbers of copies."""
    weights = [getattr(scores, f"{who}_weights", None) for who in CLASSES]
    return all(w is None or bool(np.all(w == np.floor(w))) for w in weights)


def number_of_scores(spec: StatisticSpec, model: ScoreModel) -> float:
    """A statistic of scores; refuses nan and infinite moments."""
    estimate = spec.number(model)
    moment = spec.row.is_parameter or spec.name in ("d-prime", "cllr", "calibration-loss")
    absent = moment and any(law._scored is not law for law in (model.client, model.impostor))
    if math.isnan(estimate) or (absent and math.isinf(estimate)):
        do = "Take another point."
        if absent:
            do = (
                "Trials without a score have no mean and no variance, and no likelihood ratio:"
                + worded(" leave them out (`missing='drop'`), or take another statistic.")
            )
        raise refusal(repr(str(spec)), "be a number of the scores", repr(estimate), do)
    return estimate


# ------------------------------------------------------------------- points of equal rates
class RateLine(NamedTuple):
    """The points with ``rejected`` FRR = ``accepted`` FAR + ``rest``, told apart by a number e."""

    accepted: float
    rejected: float
    rest: float = 0.0

    @property
    def balances(self) -> bool:
        """Whether both rates vary along it."""
        return bool(self.accepted and self.rejected)

    @property
    def most(self) -> float:
        """The largest number that a point has."""
        return min(1.0, 1.0 / self.rejected) if self.balances else 1.0

    def rates(self, e: FloatArray) -> tuple[FloatArray, FloatArray]:
        if not self.rejected:
            return np.full_like(e, -self.rest), e
        if not self.accepted:
            return e, np.full_like(e, self.rest)
        return np.minimum(self.rejected * e, 1.0), e

    def off(self, far: FloatArray, frr: FloatArray) -> FloatArray:
        """How far points lie beside the line, rising with the threshold."""
        return self.rejected * frr - self.accepted * far - self.rest

    def likeliest(self, far: FloatArray, frr: FloatArray, sizes: Limits) -> FloatArray:
        """The number of the likeliest point given counts."""
        # Of r of n clients and a of m impostors, if FAR = k e:
        # r/e - (n - r)/(1 - e) + a/e - k (m - a)/(1 - k e) = 0.
        if not self.balances:
            return far if self.rejected else frr
        k, (n, m), r, a = self.rejected, sizes, frr * sizes[0], far * sizes[1]
        both, square = r + a, k * (sizes[0] + sizes[1])
        linear = both * (1.0 + k) + (n - r) + k * (m - a)
        root = np.sqrt(np.maximum(linear**2 - 4.0 * square * both, 0.0))
        result = 2.0 * both / np.where(linear + root > 0.0, linear + root, 1.0)
        return np.where(both > 0.0, np.clip(result, 0.0, self.most), 0.0)


def line_of(where: EvaluationPoint, prior: float) -> RateLine:
    """The rates at which a point may truly lie."""
    point, value, *_ = where
    if point == "far":
        return RateLine(1.0, 0.0, -value)
    if point in ("frr", "tpr"):
        return RateLine(0.0, 1.0, where.frr)
    if value == "eer":
        return RateLine(1.0, 1.0)
    # Where precision equals recall.
    return RateLine(1.0, prior / (1.0 - prior) if 0.0 < prior < 1.0 else math.nan)


@dataclass(frozen=True, eq=False)
class CountedScores:
    """The counts of both classes, and how many trials they are worth."""

    data: ScoreData
    groups: bool = True
    #: P(client) where it is not that of the scores.
    prior: float | None = None
    #: Of losses what takes draws, by the name of the statistic.
    losses: dict[str, LossError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for who in CLASSES:
            weights = getattr(self.data, f"{who}_weights", None)  # none of a summary
            check_fractional_weights(weights, who, "to be counted")
        if self.groups and isinstance(self.data, Scores):
            check_one_group(self.data, "scores")

    @cached_property
    def evidence(self) -> SampleSupport:
        return SampleSupport(self.data, grouped=self.groups)

    @cached_property
    def model(self) -> ScoreModel:
        return EvaluationPoint(prior=self.prior).of(empirical_model(self.data))

    @property
    def pair(self) -> EmpiricalPair:
        return self.model._pair  # type: ignore[return-value]

    def worth(self, t: Thresholds, tail: float) -> Limits:
        """Independent trials that the counts at a threshold are worth."""
        t = t.reshape((-1,))
        client, impostor = (
            float(self.evidence.effective(k, t, tail, above=bool(k))[0]) for k in (0, 1)
        )
        return client, impostor

    def rates_at(self, t: Thresholds, tail: float) -> tuple[Limits, Limits]:
        """Clopper and Pearson's ends of FAR and FRR at a threshold."""
        rates, ends = (self.pair.frr, self.pair.far), []
        for rate, n in zip(rates, self.worth(t, tail), strict=True):
            low, high = share_ends(float(np.ravel(rate(t))[0]) * n, n, tail)
            ends.append((float(low), float(high)))
        return ends[1], ends[0]

    def threshold_of(self, who: int, rate: float, tail: float) -> Limits:
        # Of n scores Binomial(n, rate) lie beyond it, so that it is between two of them. Beyond is
        # above for impostors, at or below for clients.
        values, masses = self.evidence.counts[who]._steps
        if who:
            values, masses = values[::-1], masses[::-1]
        t = point_at(self.model, EvaluationPoint("far" if who else "frr", rate))
        n = max(math.floor(self.worth(t.thresholds, tail)[who]), 1)
        beyond = np.cumsum(masses)
        fewest, most = (_binomial_quantile(p, n, rate) / n * beyond[-1] for p in (tail, 1.0 - tail))
        # The first scores, from the end, up to which there are so many.
        inner = int(np.searchsorted(beyond, math.floor(fewest))) if fewest >= 1.0 else values.size
        outer = int(np.searchsorted(beyond, math.ceil(most), side="right"))
        open_end = math.inf if who else -math.inf
        near = float(values[inner]) if inner < values.size else open_end
        last = float(values[outer]) if outer < values.size else -open_end
        # All thresholds between two scores decide alike.
        low, high = self.gap_of(float(t.thresholds.theta))
        return min(low, near, last), max(high, near, last)

    def gap_of(self, t: float) -> Limits:
        """The scores between which a threshold lies."""
        places = self.pair.gaps.places
        k = int(np.searchsorted(places, t, side="right"))
        low = -math.inf if k == 0 else float(places[k - 1])
        return low, math.inf if k == places.size else float(places[k])


def _binomial_quantile(p: float, n: int, rate: float) -> int:
    """The fewest k with P(Binomial(n, rate) <= k) >= p."""
    from scipy.special import betainc  # where n is beyond 32 bits too

    return least_whole(lambda k: bool(betainc(n - k, k + 1, 1.0 - rate) >= p), -1, n)


# ------------------------------------------------------------------------------ likelihood
class PointLikelihood:
    """The gaps at which a point's true rates are likely to lie on its line."""

    # Pinsker's inequality: 2 n K(p, q) >= 4 n (p - q)^2, of both classes at least
    # 4 (FAR - k FRR)^2/(1/n_i + k^2/n_c) beside a line through the origin.

    def __init__(self, counted: CountedScores, where: EvaluationPoint, level: float) -> None:
        from scipy.special import rel_entr

        self.counted, gaps = counted, counted.pair.gaps
        self.line = line = line_of(where, counted.model.prior)
        self.at = point_at(counted.model, where)
        self.sizes = sizes = counted.worth(self.at.thresholds, 0.5 * (1.0 - level))
        #: The quantile of deviances that are likely enough.
        self.most = IntervalOptions(level).deviate ** 2
        rising = line.off(gaps.far, gaps.frr)
        # As far from what is nearest to the line, where ties leave nothing on it.
        crossing = int(np.searchsorted(rising, 0.0))
        away = float(np.min(np.abs(rising[max(crossing - 1, 0) : crossing + 1])))
        variance = line.accepted**2 / sizes[1] + line.rejected**2 / sizes[0]
        away += math.sqrt(0.25 * self.most * variance)
        # A step reaches to the next gap.
        self.first = max(int(np.searchsorted(rising, -away)) - 2, 0)
        window = slice(self.first, int(np.searchsorted(rising, away, "right")) + 2)
        self.far, self.frr = far, frr = gaps.far[window], gaps.frr[window]
        #: FAR one gap below each, FRR one gap above.
        self.below = np.append(gaps.far[self.first - 1] if self.first else 1.0, far[:-1])
        self.above = np.append(frr[1:], [*gaps.frr[window.stop :][:1], 1.0][0])
        if not line.rejected:  # of a rate that is fixed the nearest in the step to the next gap
            far = np.clip(-line.rest, far, self.below)
        elif not line.accepted:
            frr = np.clip(line.rest, frr, self.above)
        self.rates, self.numbers = (far, frr), line.likeliest(far, frr, sizes)
        self.deviances = np.zeros(far.shape)
        true = line.rates(self.numbers)[::-1]
        for n, rate, likely in zip(sizes, (frr, far), true, strict=True):
            both = rel_entr(rate, likely) + rel_entr(1.0 - rate, 1.0 - likely)
            self.deviances += 2.0 * n * both

    def number_ends(self) -> Limits:
        """Ends of the number along the line; see :func:`interval`."""
        # Where a rate is fixed and scores tie, the true one may be anywhere in the step between two
        # thresholds.
        from scipy.special import xlogy

        best, line = int(np.argmin(self.deviances)), self.line
        inside = min(max(float(self.numbers[best]), 0.0), line.most)
        if self.deviances[best] > self.most:  # a level so low that no point is likely enough
            return inside, inside
        far, frr = (rate[self.deviances <= self.most] for rate in self.rates)
        # Impostors accepted and rejected, clients rejected and accepted: one row each.
        shares = np.array([far, 1.0 - far, frr, 1.0 - frr])
        counts = np.repeat(self.sizes[::-1], 2)[:, None] * shares
        largest = np.sum(xlogy(counts, shares), axis=0)

        def excess(e: float) -> float:
            true_far, true_frr = map(float, line.rates(np.array(e)))
            rates = (true_far, 1.0 - true_far, true_frr, 1.0 - true_frr)
            # No count forbids a rate of 0, only counts above 0.
            logs = [math.log(rate) if rate > 0.0 else -_NEVER for rate in rates]
            return 2.0 * max(float(np.min(largest - np.array(logs) @ counts)), 0.0) - self.most

        what = "end of a likelihood interval"
        low, high = (interval_end(excess, inside, end, what=what) for end in (0.0, line.most))
        return low, high

    def threshold_ends(self) -> Limits:
        """Ends of the threshold whose true rates lie on the line."""
        keep = self.first + np.flatnonzero(self.deviances <= self.most)
        keep, places = np.union1d(keep, self.tied()), self.counted.pair.gaps.places
        low, high = self.counted.gap_of(float(self.at.thresholds.theta))
        if keep.size:
            low = min(low, -math.inf if keep[0] == 0 else float(places[keep[0] - 1]))
            high = max(high, math.inf if keep[-1] == places.size else float(places[keep[-1]]))
        return low, high

    def tied(self) -> IntArray:
        """The gaps that may be the point's, where ties make large steps."""
        # None where scores are dense, or lie in the bins of a summary: a point of the line is true.
        none = np.empty(0, dtype=np.intp)
        if not isinstance(self.counted.data, Scores):
            return none
        line, sizes = self.line, self.sizes
        off = np.abs(line.off(self.far, self.frr))
        nearest = int(np.argmin(off if line.balances else self.deviances))
        far, frr = map(float, line.rates(self.numbers[nearest]))
        variance = line.accepted**2 * far * (1.0 - far) / sizes[1]
        error = math.sqrt(variance + line.rejected**2 * frr * (1.0 - frr) / sizes[0])
        possible = self.deviances <= self.most
        if line.balances:
            possible |= off <= off[nearest] + math.sqrt(self.most) * error
        possible[nearest] = True
        jump = line.accepted * (self.below - self.far) + line.rejected * (self.above - self.frr)
        clients, impostors = self.counted.evidence.sizes
        step = max(_COARSE * error, 1.5 * (line.accepted / impostors + line.rejected / clients))
        if float(np.max(jump[possible])) <= step:
            return none
        return np.asarray(self.first + np.flatnonzero(possible))

    def ends_of(self, name: str, options: IntervalOptions) -> Limits:
        """Ends of a measure, over few tied thresholds or the line."""
        gaps = self.counted.pair.gaps
        places = [gaps.thresholds(np.array([k])) for k in self.tied()]
        result = [interval_at(self.counted, name, t, options) for t in places]
        if result:
            return min(i.low for i in result), max(i.high for i in result)
        e = np.linspace(*self.number_ends(), _BETWEEN)
        rates, prior = self.line.rates(e), self.counted.model.prior
        values = MEASURES[name].value(OperatingPoint(np.full(e.shape, np.nan), *rates, prior))
        return float(np.nanmin(values)), float(np.nanmax(values))


# ---------------------------------------------------------------------- shares of scores
#: The hull of few scores is too good by this part of what leaving each of them out costs.
_OPTIMISM = 0.75
#: How likely scores have more or fewer rare impostors than are reckoned with.
_UNSEEN = 0.1


class Influence(NamedTuple):
    """A share of scores, and what each distinct score adds to it, up to a constant."""

    share: float
    client: FloatArray
    impostor: FloatArray
    #: What the share is too large by.
    optimism: float = 0.0


def of_trials(counted: CountedScores, influence: Influence) -> tuple[FloatArray, FloatArray]:
    """What each trial adds, less the mean of its class."""
    result = []
    for who, law, part in zip(CLASSES, counted.evidence.counts, influence[1:3], strict=True):
        places, masses = law._steps
        # A trial without weight has any place.
        at = np.minimum(np.searchsorted(places, getattr(counted.data, who)), part.size - 1)
        result.append((part - part @ masses / law.total)[at])
    return result[0], result[1]


def _effective_ends(share: float, *worth: float) -> Limits:
    """Clopper and Pearson's ends of a share of as many scores as it is worth."""
    n = float(effective_size(share, *worth))
    low, high = share_ends(share * n, n, worth[-1])
    return float(low), float(high)


def _variance_of(
    counted: CountedScores, influence: Influence, *, heavy: bool = False
) -> tuple[float, float]:
    evidence, laws, variances, freedoms = counted.evidence, counted.evidence.counts, [], []
    if evidence.groups is None:
        for part, law in zip(influence[1:3], laws, strict=True):
            masses, n = law._steps[1], law.total
            squares = (part - part @ masses / n) ** 2
            total, fourth = float(squares @ masses), float(squares**2 @ masses)
            variances.append(total / n / (n - 1.0))
            few = total**2 / fourth if heavy and fourth else n
            freedoms.append(min(n - 1.0, few))
        return welch(variances, freedoms)
    client, impostor = of_trials(counted, influence)
    columns = client[:, None] / laws[0].total, impostor[:, None] / laws[1].total
    units, variance = evidence.groups, float(np.sum(evidence.groups.covariance(*columns)))
    freedom = min(size for size in units.sizes if size is not None) - 1.0
    if heavy:
        every = np.concatenate([x[rows, 0] for x, rows in zip(columns, units.rows, strict=True)])
        squares = np.square(np.bincount(units.first, units.copies * every).astype(np.float64))
        total, fourth = float(np.sum(squares)), float(np.sum(squares**2))
        freedom = min(freedom, total**2 / fourth) if fourth else freedom
    return variance, freedom


def ends_of_rare(counted: CountedScores, spec: StatisticSpec) -> Limits:
    """The number with the most and fewest rare impostors that one sample in ten hides."""
    # A rare kind of impostor that the scores do not show, or show too often, adds no variance.
    client, impostor = counted.evidence.counts
    (clients, _), (places, masses), n = client._steps, impostor._steps, counted.evidence.sizes[1]
    keep = places <= clients[-1]
    rest, top = masses[keep].sum(), np.nextafter(max(clients[-1], places[-1]), np.inf)
    if not rest:
        return (number_of_scores(spec, counted.model),) * 2
    result = []
    for share in share_ends((1.0 - rest / impostor.total) * n, n, _UNSEEN):
        weights = np.append(masses[keep], share / (1.0 - share) * rest)
        law = Empirical._of_checked(np.append(places[keep], top), weights)
        result.append(number_of_scores(spec, replace(counted.model, impostor=law)))
    return result[1], result[0]


def _shares_beyond(law: Empirical, places: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of a class, the share above each place, and that at it or above."""
    above, at = (law._above[np.searchsorted(law._steps[0], places, s)] for s in ("right", "left"))
    return above / law.total, at / law.total


def _partial_area(counted: CountedScores, spec: StatisticSpec) -> Influence:
    """The mean TPR over a range of FARs."""
    # A client adds the part of the range at which it is above, an impostor the TPR just at it
    # within those of the range.
    (low, high), laws = spec.where.value, counted.evidence.counts
    (clients, masses), (impostors, _) = (law._steps for law in laws)
    far, tpr = _shares_beyond(laws[1], impostors), _shares_beyond(laws[0], impostors)
    x, y = (np.transpose(rate)[::-1].ravel() for rate in (far, tpr))
    width, ends = high - low, np.interp([low, high], x, y)
    client = (high - _mean_within(*_shares_beyond(laws[1], clients), low, high)) / width
    share = min(float(client @ masses / laws[0].total), 1.0)
    return Influence(share, client, _mean_within(*tpr, *ends) / width)


def _mean_within(first: FloatArray, last: FloatArray, low: float, high: float) -> FloatArray:

    def integral(x: FloatArray) -> FloatArray:
        inner = np.clip(x - low, 0.0, high - low)
        return low * x + 0.5 * inner**2 + (high - low) * np.maximum(x - high, 0.0)

    run = last - first
    some = run > 0.0
    mean = (integral(last) - integral(first)) / np.where(some, run, 1.0)
    return np.where(some, mean, np.clip(first, low, high))


def _average_precision(counted: CountedScores, spec: StatisticSpec) -> Influence:
    """What the mean would lose without each score, times n - 1: the jackknife."""
    # Without a score there is a precision at every place up to it and another one above it, which
    # do not depend on the score: sums of both along the places give all means at once.
    laws, prior = counted.evidence.counts, counted.model.prior
    (clients, masses), (impostors, _) = (law._steps for law in laws)
    (n, m), share = (law.total for law in laws), number_of_scores(spec, counted.model)
    tpr, far = (_shares_beyond(law, clients)[1] for law in laws)

    def without(tprs: Any, fars: Any) -> tuple[FloatArray, FloatArray]:
        pairs = zip(tprs, fars, strict=True)
        upto, above = (np.nan_to_num(precision_of(prior, *rates)) for rates in pairs)
        rest = np.cumsum((masses * above)[::-1])[::-1]
        sums = np.cumsum(np.append(0.0, masses * upto)) + np.append(rest, 0.0)
        return sums, upto

    sums, left_out = without(((n * tpr - 1.0) / (n - 1.0), n * tpr / (n - 1.0)), (far, far))
    client = (n - 1.0) * share - (sums[1:] - left_out)
    sums = without((tpr, tpr), ((m * far - 1.0) / (m - 1.0), m * far / (m - 1.0)))[0]
    impostor = (m - 1.0) * (share - sums[np.searchsorted(clients, impostors, "right")] / n)
    return Influence(share, client, impostor)


def _h_measure(counted: CountedScores, spec: StatisticSpec) -> Influence:
    """Minus the least expected cost of each score at its chord."""
    # Along the hull costs are least, so that a score moves them by its own cost alone. Its chord
    # without it, where costs are larger, tells by how much the hull suits these very scores.
    laws, prior, losses = counted.evidence.counts, counted.model.prior, cost_losses(2.0, 2.0)
    units = [share / law.total for share, law in zip((prior, 1.0 - prior), laws, strict=True)]
    blocks = pav(*laws)
    chords = np.array([units[0] * blocks.client, units[1] * blocks.impostor])
    # Losses are an impostor's first.
    costs = losses(*chords / np.sum(chords, axis=0))[::-1]
    total = float(np.dot((1.0 - prior, prior), losses(prior, 1.0 - prior)))
    optimism, parts = 0.0, []
    for k, law in enumerate(laws):
        left = chords.copy()
        left[k] = np.maximum(left[k] - units[k], 0.0)
        without = np.sum(left, axis=0)
        moved = np.divide(left[0], without, out=np.full(without.size, float(k)), where=without > 0)
        optimism += chords[k] @ (losses(moved, 1.0 - moved)[1 - k] - costs[k])
        parts.append(-law.total * units[k] / total * costs[k][blocks.block_of(law._steps[0])])
    off = _OPTIMISM * float(optimism / total)
    return Influence(number_of_scores(spec, counted.model), parts[0], parts[1], off)


#: What has an interval by the number of scores that it is worth.
INFLUENCES = {
    "partial-auc": _partial_area, "average-precision": _average_precision,
    "h-measure": _h_measure,
}  # fmt: skip


# ------------------------------------------------------------------- costs of the scores
#: Pairs of halves of the scores, fewer of many scores.
_HALVES, _FEWEST_HALVES, _SCORES_OF_HALVES = 10, 2, 40_000
#: A minimum over scores is too low in proportion to n^(-2/3): that of half of them by so much more.
_HALF_EXCESS = 2.0 ** (2.0 / 3.0) - 1.0
#: What is least on the same scores, and of what is less or more by it.
_LEAST_OF = {"min-cllr": 1.0, "calibration-loss": -1.0}
LOSSES, _LEAST_ERROR = ("cllr", *_LEAST_OF), "min-bayes-error"


class LossError(NamedTuple):
    """A mean loss, corrected where it is a minimum, and its error."""

    estimate: float
    error: float
    freedom: float


def losses_of(counted: CountedScores, spec: StatisticSpec) -> Influence:
    """What each distinct score costs by itself, in its block of least cost, or the one more."""
    laws, sign = counted.evidence.counts, _LEAST_OF.get(spec.name, 0.0)
    blocks = pav(*laws)
    parts = []
    for law, turn, least in zip(laws, (-1.0, 1.0), _block_losses(blocks, spec), strict=True):
        places = law._steps[0]
        part = sign * least[blocks.block_of(places)]
        parts.append(part if sign > 0.0 else part + 0.5 * bits(places, turn))
    return Influence(number_of_scores(spec, counted.model), parts[0], parts[1])


def _block_losses(blocks: PavBlocks, spec: StatisticSpec) -> tuple[FloatArray, FloatArray]:
    client, impostor = blocks.shares
    if spec.name == _LEAST_ERROR:
        weights = class_probabilities(np.array(spec.where.value))
        rejected = weights[0] * client < weights[1] * impostor
        return weights[0] * rejected, weights[1] * ~rejected
    up, down = log_losses(client / (client + impostor), impostor / (client + impostor))
    return 0.5 * down, 0.5 * up


def _minimum(blocks: PavBlocks, spec: StatisticSpec) -> float:
    pairs = zip(blocks.shares, _block_losses(blocks, spec), strict=True)
    return float(sum(share @ loss for share, loss in pairs))


def _loss_error(counted: CountedScores, spec: StatisticSpec, options: IntervalOptions) -> LossError:
    key = str(spec)
    if key not in counted.losses:
        check_few(rows_of(counted.data, spec), "scores", "for a variance")
        influence = losses_of(counted, spec)
        heavy, sign, more = spec.name != "min-cllr", _LEAST_OF.get(spec.name), 0.0
        variance, freedom = _variance_of(counted, influence, heavy=heavy)
        if sign is not None:
            more = sign * _too_low(counted, spec, options)
        error = math.sqrt(variance + 0.5 * more**2)
        counted.losses[key] = LossError(influence.share + more, error, freedom)
    return counted.losses[key]


def _too_low(counted: CountedScores, spec: StatisticSpec, options: IntervalOptions) -> float:
    """What a minimum is too low by on the scores that chose it."""
    # By its mean over random halves of each class, of groups where there are some.
    rng = np.random.default_rng(0) if options.rng is None else checks.generator(options.rng)
    laws, units = (
        counted.evidence.counts,
        units_of(rows_of(counted.data, spec), groups=counted.groups),
    )
    few = int(_SCORES_OF_HALVES / sum(law.total for law in laws))
    number, values = min(max(few, _FEWEST_HALVES), _HALVES), []
    alike, stratum = np.rint(units.multiplicity).astype(np.int64), units.stratum()
    parts = [np.flatnonzero(stratum == k) for k in range(int(np.max(stratum)) + 1)]
    halves = np.zeros((number, alike.size), dtype=np.int64)
    for part in parts:
        n, size = alike[part], int(np.sum(alike[part])) // 2
        halves[:, part] = rng.multivariate_hypergeometric(n, size, number, method="marginals")
    places = [np.searchsorted(law._steps[0], getattr(counted.data, who)[rows])
              for who, law, rows in zip(CLASSES, laws, units.rows, strict=True)]  # fmt: skip
    for drawn in (*halves, *(alike - halves)):
        # Of two labels of a trial the first one counts.
        weights = np.split(drawn[units.first] * units.copies, [places[0].size])
        masses = [np.bincount(*part) for part in zip(places, weights, strict=True)]
        if all(np.any(mass > 0.0) for mass in masses):
            pair = [drawn_scores.drawn_law(law._steps[0][: mass.size][mass > 0.0], mass[mass > 0.0])
                    for law, mass in zip(laws, masses, strict=True)]  # fmt: skip
            values.append(_minimum(pav(*pair), spec))
    mean = float(np.mean(values)) if values else math.nan
    return max(_minimum(pav(*laws), spec) - mean, 0.0) / _HALF_EXCESS


def _loss_interval(
    counted: CountedScores, spec: StatisticSpec, options: IntervalOptions
) -> Interval:
    from scipy.special import stdtrit

    (estimate, error, freedom), row = _loss_error(counted, spec, options), spec.row
    reach = -float(stdtrit(freedom, options.tail)) * error
    if not error:
        warn(
            f"{str(spec)!r}: all scores of a class cost the same, which says little of scores to"
            " come. Give more scores.",
            SmallSampleWarning,
        )
    if row.high == math.inf:
        places = [law._steps[0][k] for law in counted.evidence.counts for k in (0, -1)]
        if min(places) >= 0.0 and max(places) <= 1.0:
            warn(
                f"{str(spec)!r}: scores in [0, 1], read as natural log likelihood ratios, look like"
                " probabilities. Take their log odds less those of the prior, or"
                " br.fit(dev).log_likelihood_ratio.",
                ScaleWarning,
            )
    if spec.name == "cllr":
        if estimate > 1.0:
            warn(
                f"'cllr' is {estimate:.4g}: as natural log likelihood ratios these scores cost"
                " more than none at all, which cost 1. 'min-cllr' is what the best increasing map"
                " of them would cost: calibrate them on other scores.",
                ScaleWarning,
            )
        factor = from_log(reach / estimate) if estimate > 0.0 else 1.0
        low, high = estimate / factor, estimate * factor
        return Interval(estimate, low, high, options.level, "log-t", n_beyond=freedom)
    low, high = estimate - reach, estimate + reach
    if error and 0.0 < estimate < row.high < math.inf:  # a share, which few errors skew
        sizes = sum(counted.evidence.totals), min(counted.evidence.sizes)
        low, high = _effective_ends(estimate, error**2, *sizes, freedom, options.tail)
    elif not error and row.high < math.inf:  # classes apart: as few errors as were seen
        high = max(high, _most_apart(counted, spec, options))
    estimate, low, high = np.clip([estimate, low, high], row.low, row.high).tolist()
    beyond = freedom if row.high == math.inf else None
    return Interval(estimate, low, high, options.level, str(options.method), n_beyond=beyond)


def _most_apart(counted: CountedScores, spec: StatisticSpec, options: IntervalOptions) -> float:
    """A minimum at the largest error rates of the best threshold."""
    point = counted.model.min_weighted_error(0.5)
    far, frr = (ends[1] for ends in counted.rates_at(point.thresholds, options.tail))
    laws = Empirical([0.0, 1.0], [frr, 1.0 - frr]), Empirical([0.0, 1.0], [1.0 - far, far])
    return spec.number(ScoreModel(*laws))


# --------------------------------------------------------------------- the interval's method
#: Measures of one class: which, and whether of its complement.
_SINGLE = {
    "far": (1, False), "tnr": (1, True), "specificity": (1, True), "frr": (0, False),
    "tpr": (0, True), "recall": (0, True), "sensitivity": (0, True),
}  # fmt: skip
#: The class whose rate is given at a point.
_GIVEN = {"far": 1, "frr": 0, "tpr": 0}
#: Named points that lie on a line of the square of rates, whatever the scores.
_BALANCED = {"eer": "hter", "break-even": "mean-precision-recall"}
#: What the prevalence of the scores varies too, where no prior is given.
PREVALENT = ("precision", "npv", "net-benefit")
#: Quotients of rates, whose logarithms are sums.
QUOTIENTS = ("lr+", "lr-")
#: Moments have no kink where they are largest or least, and need no smoothing.
_MOMENTS = ("d-prime", "client-mean", "client-var", "impostor-mean", "impostor-var")
#: The ends of the TPR at the ends of a range of FARs have this weight over the impostors expected
#: within, as far as it is more than a little.
_BOUND, _LITTLE = 0.5, 0.05


def methods_of(spec: StatisticSpec) -> tuple[str, ...]:
    """The ways to an interval of a statistic, the best first."""
    name, where, best = spec.name, spec.where, "smoothed"
    if name == "auc":
        return (*AUC_METHODS, "bootstrap")
    if name in _MOMENTS:
        return ("bootstrap", "smoothed")
    on_line = where.point in _GIVEN or where.value in _BALANCED
    if name in (*LOSSES, _LEAST_ERROR):
        best = "log-t" if name == "cllr" else "half-sample"
    elif name in INFLUENCES:
        best = "effective-size"
    elif (spec.fixed and name in _SINGLE) or (name == "threshold" and where.point in _GIVEN):
        best = "exact"
    elif spec.fixed or spec.optimum:
        best = "square-and-add"
    elif name in _BALANCED or (on_line and (name in MEASURES or name == "threshold")):
        best = "likelihood"
    return (best, "bootstrap")


def interval_of_scores(data: ScoreData, spec: StatisticSpec, options: IntervalOptions) -> Interval:
    """The interval of a statistic of scores, with its support."""
    data = data._trials
    result = bare_interval_of_scores(data, spec, options)
    warn_of_reversed(data._distributions, "scores")
    if not spec.is_named:
        return result
    evidence = SampleSupport(data, grouped=options.groups)
    return supported(result, spec, (evidence, empirical_model(data)))


def bare_interval_of_scores(
    data: ScoreData, spec: StatisticSpec, options: IntervalOptions
) -> Interval:
    """The interval of a statistic of scores."""
    check_unanswered(spec)
    drawn = isinstance(options.method, str) and options.method == "bootstrap"
    if spec.name == "auc" and not drawn:
        result = auc_interval(data._as_scores(), options.level, options.method,
                             groups=options.groups)  # fmt: skip
        off = data.auc_error if isinstance(data, ScoreSummary) else 0.0
        return replace(result, low=max(result.low - off, 0.0), high=min(result.high + off, 1.0))
    options = options.by(methods_of(spec))
    if options.method in ("smoothed", "bootstrap"):
        return _drawn(rows_of(data, spec), spec, options)
    return interval_of_counts(CountedScores(data, options.groups, spec.where.prior), spec, options)


def interval_of_counts(
    counted: CountedScores, spec: StatisticSpec, options: IntervalOptions
) -> Interval:
    """The interval of a statistic that needs no draws."""
    if spec.name in LOSSES:
        return _loss_interval(counted, spec, options)
    result = _interval_of_rates(counted, spec, options)
    if spec.name not in PREVALENT:
        return result
    if spec.where.prior is not None:
        more = f", at prevalence {spec.where.prior:g}"
        return replace(result, method=result.method + more)
    # The share of clients is independent of the rates.
    ends = _prevalence_ends(counted, options.tail)
    moved = [spec.number(replace(counted.model, prior=prior)) - result.estimate for prior in ends]
    down = math.hypot(result.estimate - result.low, min(moved))
    up = math.hypot(result.high - result.estimate, max(moved))
    low, high = max(result.estimate - down, spec.row.low), min(result.estimate + up, spec.row.high)
    return replace(result, low=low, high=high, method=f"{result.method}, sampled prevalence")


def _prevalence_ends(counted: CountedScores, tail: float) -> Limits:
    """Clopper and Pearson's ends of the share of clients."""
    evidence, (clients, impostors) = counted.evidence, counted.evidence.totals
    n, units = clients + impostors, evidence.groups
    variance, labels = 0.0, n
    if units is not None:
        masses = [np.full((getattr(counted.data, who).size, 1), share / n**2)
                  for who, share in zip(CLASSES, (impostors, -clients), strict=True)]  # fmt: skip
        variance, labels = float(np.sum(units.covariance(masses[0], masses[1]))), units.labels
    return _effective_ends(clients / n, variance, n, labels, labels - 1.0, tail)


def _interval_of_rates(
    counted: CountedScores, spec: StatisticSpec, options: IntervalOptions
) -> Interval:
    data, where, model = counted.data, spec.where, counted.model
    estimate = number_of_scores(spec, model)
    if fixed := spec.fixed:
        t = fixed.point(model, where).thresholds.reshape((1,))
        return interval_at(counted, spec.name, t, options, fixed.at(where), spec.row)
    if optimum := spec.optimum:
        low, high = _ends_at_best(counted, spec, optimum, options)
        if spec.name == _LEAST_ERROR:
            most = float(np.min(class_probabilities(np.array(where.value))))
            more = _too_low(counted, spec, options)
            estimate, high = min(estimate + more, most), min(high + more, most)
    elif options.method == "effective-size":
        low, high = _ends_of_share(counted, spec, options)
    else:
        if options.method == "exact":  # of the threshold of a rate, between two scores
            rate = where.value if where.point == "far" else where.frr
            low, high = counted.threshold_of(_GIVEN[where.point], rate, options.tail)
        else:
            low, high = _likelihood(counted, spec, options)
        if isinstance(data, ScoreSummary):
            off = max(data.rate_error)  # what the bins can be off
            if spec.name != "threshold":
                low, high = max(low - off, spec.row.low), min(high + off, spec.row.high)
            elif math.isfinite(low):
                low = data.border_below(low)
        # The scores' own point may lie beside the line on which the true one is.
        low, high = min(low, estimate), max(high, estimate)
    return Interval(estimate, low, high, options.level, str(options.method))


# -------------------------------------------------------------------- at a fixed threshold
def interval_at(
    counted: CountedScores, name: str, t: Thresholds, options: IntervalOptions,
    value: Callable[[OperatingPoint], Any] | None = None, row: Statistic | None = None,
) -> Interval:  # fmt: skip
    """Of a statistic of a point at a threshold with all its digits."""
    row, value = row or STATISTICS[name], value or MEASURES[name].value
    point, method = counted.model._point(t)[0], "exact"
    far, frr = counted.rates_at(t, options.tail)
    if name in _SINGLE:
        who, other = _SINGLE[name]
        low, high = far if who else frr
        ends = (1.0 - high, 1.0 - low) if other else (low, high)
    elif name in QUOTIENTS:
        ends, method = quotient_ends(counted, value, point, (far, frr)), "log square-and-add"
    else:
        ends, method = square_and_add(counted, value, point, (far, frr)), "square-and-add"
    if isinstance(counted.data, ScoreSummary):  # whose bin can hide so much of either class
        errors = (float(e[0]) for e in counted.data.rate_error_at(t.theta))
        off = _off(value, point, *errors)
        ends = ends[0] - off, ends[1] + off
    low, high = max(ends[0], row.low), min(ends[1], row.high)
    return Interval(float(value(point)), low, high, options.level, method)


def quotient_ends(
    counted: CountedScores, value: Callable[[OperatingPoint], Any], point: OperatingPoint,
    ends: tuple[Limits, Limits],
) -> Limits:  # fmt: skip
    """Of a quotient of rates on the log scale; at 0 and infinity by both rates."""
    if 0.0 < float(value(point)) < math.inf:
        logs = square_and_add(counted, lambda at: np.log(value(at)), point, ends)
        return math.exp(logs[0]), from_log(logs[1])
    corners = [float(value(rates_moved(point, far, frr))) for far in ends[0] for frr in ends[1]]
    return min(corners), max(corners)


def _ends_at_best(
    counted: CountedScores, spec: StatisticSpec, optimum: Optimum, options: IntervalOptions
) -> Limits:
    row, where = spec.row, spec.where
    point = optimum.point(counted.model, where)

    value = optimum.at(where)
    ends = counted.rates_at(point.thresholds, options.tail)
    low, high = square_and_add(counted, value, point, ends)
    if isinstance(counted.data, ScoreSummary):
        off = _off(value, point, *counted.data.rate_error)
        low, high = low - off, high + off
    if may_be_equal(counted.evidence, counted.model):
        far = np.linspace(0.0, 1.0, _BETWEEN)  # where both classes are one
        values = value(rates_moved(point, far, 1.0 - far))
        chance = float((np.nanmin if row.better == "lower" else np.nanmax)(values))
        low, high = min(low, chance), max(high, chance)
    without = [float(value(rates_moved(point, x, 1.0 - x))) for x in (0.0, 1.0)]
    if row.better == "lower":  # no worse than to accept all, or none
        high = min(high, *without)
    return max(low, row.low), min(high, row.high)


def rates_moved(point: OperatingPoint, far: Any, frr: Any) -> OperatingPoint:
    """A point with other rates."""
    return OperatingPoint(math.nan, far, frr, point.prior)


def _off(
    value: Callable[[OperatingPoint], Any], point: OperatingPoint, far: float, frr: float
) -> float:
    rates = (float(point.far), far), (float(point.frr), frr)
    fars, frrs = (np.clip([rate - off, rate + off], 0.0, 1.0) for rate, off in rates)
    moved = [float(value(rates_moved(point, x, y))) for x in fars for y in frrs]
    return max(abs(v - float(value(point))) for v in moved)


def square_and_add(
    counted: CountedScores, measure: Callable[[OperatingPoint], Any], point: OperatingPoint,
    ends: tuple[Limits, Limits],
) -> Limits:  # fmt: skip
    """Of a measure of both rates: the squared distances to the ends of each add up."""
    far, frr = float(point.far), float(point.frr)

    def value(far: float, frr: float) -> float:
        return float(measure(rates_moved(point, far, frr)))

    centre = value(far, frr)
    parts = [[value(x, frr) - centre for x in ends[0]], [value(far, x) - centre for x in ends[1]]]
    # What both rates share moves a measure of both in one direction more, in the other less.
    r, data, units = 0.0, counted.data, counted.evidence.groups
    if units is not None and isinstance(data, Scores):
        at: Any = point.thresholds.theta
        rejected, accepted = data.client <= at, data.impostor > at
        none = np.zeros(rejected.size), np.zeros(accepted.size)
        errors = [(none[0], 1.0 * accepted), (1.0 * rejected, none[1])]
        r = correlation_of(covariance_of_means(units, errors))
    r *= math.copysign(1.0, parts[0][1] * parts[1][1])
    sides = [[max(0.0, *(sign * x for x in part)) for part in parts] for sign in (-1.0, 1.0)]
    down, up = (root_of_squares(first, second, -r) for first, second in sides)
    return centre - down, centre + up


# ------------------------------------------------------------------------ of a whole curve
def _ends_of_share(counted: CountedScores, spec: StatisticSpec, options: IntervalOptions) -> Limits:
    # Few impostors within a range of FARs do not tell how far the threshold of its end is from
    # theirs: there the ends move towards those of the TPR at the ends of the range.
    check_few(rows_of(counted.data, spec), "scores", "for a variance")
    influence, evidence = INFLUENCES[spec.name](counted, spec), counted.evidence
    variance, freedom = _variance_of(counted, influence)
    share = min(max(influence.share - influence.optimism, 0.0), 1.0)
    sizes = sum(evidence.totals), min(evidence.sizes)
    low, high = _effective_ends(share, variance, *sizes, freedom, options.tail)
    low, high = min(low, influence.share), max(high, influence.share)  # which is possible too
    if spec.name == "h-measure":
        return low, high
    if spec.name == "partial-auc":
        first, last = spec.where.value
        weight = min(_BOUND / (evidence.sizes[1] * (last - first)), 1.0)
        if weight > _LITTLE:
            lows, highs = zip(*(
                _likelihood(counted, parse_statistic("tpr", (), far=far), options)
                if 0.0 < far < 1.0 else (far, far) for far in (first, last)
            ), strict=True)  # fmt: skip
            low -= weight * max(low - lows[0], 0.0)
            high += weight * max(highs[1] - high, 0.0)
        chance = 0.5 * (first + last)
        low, high = (0.5 * (1.0 + (end - chance) / (1.0 - chance)) for end in (low, high))
    rare = ends_of_rare(counted, spec)
    return min(low, rare[0]), max(high, rare[1])


# -------------------------------------------------------------- at a point that varies too
def _likelihood(counted: CountedScores, spec: StatisticSpec, options: IntervalOptions) -> Limits:
    name, near = spec.name, PointLikelihood(counted, _balanced_point(spec), options.level)
    if name == "threshold":
        return near.threshold_ends()
    if name in _SINGLE and _GIVEN.get(spec.where.point) == _SINGLE[name][0]:
        rule = "have an error: it is what was asked for"
        raise refusal(repr(str(spec)), rule, "none", "Take another statistic there.")
    return near.ends_of(_BALANCED.get(name, name), options)


def _balanced_point(spec: StatisticSpec) -> EvaluationPoint:
    return EvaluationPoint("at", spec.name) if spec.name in _BALANCED else spec.where


# ------------------------------------------------------------------------------- drawn
def replicates_of(
    systems: Sequence[Scores], spec: StatisticSpec, options: IntervalOptions
) -> FloatArray:
    """The statistic of each system in each replicate."""
    names = ("scores",) if len(systems) == 1 else "abcdefghijklmnopqrstuvwxyz"
    for name, scores in zip(names, systems, strict=False):
        drawn_scores.check_still(scores, name, groups=options.groups)
        CountedScores(scores, options.groups)
    drawn = drawn_scores.DrawnScores(tuple(systems), options, options.method == "smoothed")
    result = np.full((options.replicates, len(systems)), np.nan)
    for k, models in enumerate(drawn.models()):
        result[k] = [math.nan if m is None else spec.number(m) for m in models]
    # Only a threshold may truly be infinite; a quotient by no spread is no value.
    return result if spec.name == "threshold" else np.where(np.isinf(result), math.nan, result)


def _drawn(scores: Scores, spec: StatisticSpec, options: IntervalOptions) -> Interval:
    estimate = number_of_scores(spec, empirical_model(scores))
    values = replicates_of([scores], spec, options)[:, 0]
    result = drawn_scores.interval_of_replicates(estimate, values, options, str(spec))
    warn_of_no_width(values, str(spec))
    if spec.name != "threshold":
        return replace(result, low=min(result.low, estimate), high=max(result.high, estimate))
    # All thresholds between two scores decide alike.
    low, high = CountedScores(scores, options.groups).gap_of(estimate)
    return replace(result, low=min(result.low, low), high=max(result.high, high))


def warn_of_no_width(values: FloatArray, name: str) -> None:
    """Warn of replicates that are all one number."""
    keep = values[~np.isnan(values)]
    if keep.size > 1 and np.all(keep == keep[0]):
        warn(
            f"{name!r} is {keep[0]:.6g} in all of {keep.size} replicates, as where no scores of the"
            " two classes overlap: its interval has no width, which says nothing of scores to"
            ' come. Give more scores, or take a number that is counted, such as "eer" or "auc".',
            SmallSampleWarning,
        )


# -------------------------------------------------------------------------------- checks
def check_unanswered(spec: StatisticSpec) -> None:
    """Parameters and end exponents are not those of scores."""
    if not spec.row.of_scores:
        remedy = f"Fit them: br.fit(scores).interval({spec.name!r})."
        raise refusal(repr(spec.name), "be of fitted distributions", "scores", remedy)


def rows_of(data: ScoreData, spec: StatisticSpec) -> Scores:
    """The scores themselves; refuses a summary."""
    if isinstance(data, Scores):
        return data
    remedy = f"Give the scores, or br.fit(summary).interval({spec.name!r}): it needs the scores"
    raise refusal(
        repr(str(spec)), "be of scores", "a summary, which keeps counts", f"{remedy} themselves."
    )


# ------------------------------------------------------------------------------ influence
def rate_slopes(
    value: Callable[[OperatingPoint], Any], point: OperatingPoint
) -> tuple[float, float]:
    """What small errors of both rates do to a measure."""
    step, half = 1e-6, 5e-7  # a quotient has no value at a rate of 0
    far, frr = (min(max(float(rate), step), 1.0 - step) for rate in (point.far, point.frr))
    ends = ((far + half, far - half), (frr, frr)), ((far, far), (frr + half, frr - half))
    moved = [value(rates_moved(point, *map(np.array, x))) for x in ends]
    return tuple(-float(np.diff(values)[0]) / step for values in moved)  # type: ignore[return-value]


def rate_weights(
    scores: Scores, model: ScoreModel, spec: StatisticSpec
) -> tuple[float, float, float]:
    """A threshold, and what errors of both rates there do to a number, up to a factor."""
    # Where the point varies too the threshold gives way along the ROC: what is left of an error of
    # both is FRR + s FAR, s = -dFRR/dFAR, and of the threshold the error of the rate given.
    where = _balanced_point(spec)
    best = spec.fixed or spec.optimum
    at = best.point(model, spec.where) if best else point_at(model, where)
    t = float(at.thresholds.theta)
    if best:
        return t, *rate_slopes(best.at(spec.where), at)
    if spec.name == "threshold":
        line = line_of(where, model.prior) if where.point in _GIVEN else RateLine(1.0, 1.0)
        return t, line.accepted, -line.rejected
    sign = -1.0 if spec.row.better == "higher" else 1.0
    # -dFRR/dFAR of the scores, over two standard errors of FAR to either side.
    n, far = scores.impostor_total, float(at.far)
    away = 2.0 * math.sqrt(max(far * (1.0 - far), 1.0 / n) / n)
    ends = model.at_far([max(far - away, 0.0), min(far + away, 1.0)])
    run = float(ends.far[1] - ends.far[0])
    slope = float(ends.frr[0] - ends.frr[1]) / run if run > 0.0 else 1.0
    return t, sign * slope, sign
