"""Rates of strata (species of attack, demographic groups, sites), and the worst."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self, Unpack

import numpy as np

from betaroc.core import checks, notices, tables
from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import refusal
from betaroc.core.options import IntervalOptions
from betaroc.core.special import share_ends
from betaroc.core.thresholds import Thresholds, mirror
from betaroc.core.vocabulary import TRIALS, worded
from betaroc.data.groups import groups_of
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import ScoreData, Scores
from betaroc.distributions.empirical import decisive
from betaroc.distributions.strata import over_strata
from betaroc.inference import of_scores
from betaroc.inference.interval import Interval
from betaroc.inference.scores_beyond import SampleSupport, effective_size, grouped_share
from betaroc.model import measures, samples
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import (
    STATISTICS,
    StatisticArguments,
    StatisticSpec,
    parse_statistic,
    point_at,
)
from betaroc.rendering import curves, nouns, tree
from betaroc.rendering.numbers import number, rate, spaced

#: The rates that a class alone has, at one threshold for all its strata.
_SHARES = {"client": ("frr", "tpr"), "impostor": ("far", "tnr")}
#: Of all strata together, and of the worst of them.
POOLED, WORST = "pooled", "worst"
#: What a number is over: a word, or weights of strata by their names.
Over = str | Mapping[str, float]
#: Words for presentation attacks that mean the worst species: ISO/IEC 30107-3, and ACER.
_OF_SPECIES = {"max-apcer": "far", "acer": "hter", "bpcer10": "frr@far=0.1",
               "bpcer20": "frr@far=0.05", "bpcer100": "frr@far=0.01", "iapmr": "far"}  # fmt: skip
#: The cost that one threshold has for all strata, each by its own weight, and what else is of the
#: mean FAR by weights, since it is no mean over strata.
_OF_COSTS = "a-dcf"
_OF_MEAN_FAR = (
    _OF_COSTS, *of_scores.QUOTIENTS, "precision", "npv", "f1", "mean-precision-recall", "mcc",
    "mutual-information",
)  # fmt: skip
#: Labels beyond this many are no strata but ids.
MOST_STRATA = 1000
#: What the sum of weights may be off by.
_ROUNDING = 1e-9
#: Strata that are shown before the others are folded.
_SHOWN = 8
#: Draws of counts of equal rates, and of the largest standardized difference.
_DRAWS = 9999
#: From so many expected errors, and others, in each stratum on chi^2 holds.
_EXPECTED = 5.0


@dataclass(frozen=True, eq=False, repr=False)
class StrataTable(tables.Tabular, nouns.Readable):
    """A statistic of each stratum, and of all of them; see :func:`by_stratum`.

    Of what is no rate of one class `size` and `p_value` are nan, `ratio` and `spread` None.

    Parameters
    ----------
    statistic : str
        What was asked for, such as "far@threshold=0.5".
    of : str
        The class that has the strata: "client" or "impostor".
    level : float
        Of every interval.
    stratum : tuple of str
        The names, in the order in which they first occur.
    n : ndarray
        Trials of each, by their weights.
    estimate, low, high : ndarray
        The statistic of each, with the ends of its own interval, not corrected for their number.
    size : ndarray
        Independent trials that the count of each is worth.
    worst : Interval
        The largest rate (the least number of what is better when larger).
    ratio, spread : Interval or None
        Largest to least rate, largest rate to the geometric mean, of (errors + 1/2)/(trials + 1).
    p_value : float
        Of one rate for all strata.
    non_response : ndarray or None
        Share of the trials of each without a score: APNRR of attacks, BPNRR of bona fide ones;
        None in an earlier document.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([3, 4], [1, 2, 3, 1, 2], impostor_strata=list("aabbb"))
    >>> br.by_stratum(scores, "far", threshold=2).worst_stratum
    'b'
    """

    statistic: str
    of: str
    level: float
    stratum: tuple[str, ...]
    n: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    size: FloatArray
    worst: Interval
    ratio: Interval | None = None
    spread: Interval | None = None
    p_value: float = math.nan
    non_response: FloatArray | None = None

    @property
    def worst_stratum(self) -> str:
        """The name of the stratum whose number is the worst."""
        return str(self.stratum[int(self._order[0])])

    def to_frame(self) -> tables.Table:
        """A row per stratum.

        Returns
        -------
        DataFrame
            Columns stratum, n, estimate, low, high, size and, where known, non_response.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.Scores([3, 4], [1, 2, 3, 1, 2], impostor_strata=list("aabbb"))
        >>> br.by_stratum(scores, "far", threshold=2).to_frame()[["stratum", "n"]].values.tolist()
        [['a', 2.0], ['b', 3.0]]
        """
        names = ["stratum", "n", "estimate", "low", "high", "size"]
        names += ["non_response"] * (self.non_response is not None)
        return self._table({name: getattr(self, name) for name in names})

    def _mean(self, over: Mapping[str, float]) -> Interval | None:
        if not set(over) <= set(self.stratum):
            return None
        weights = checked_weights(over, self.stratum)
        tail = 0.5 * (1.0 - self.level)
        mean, low, high = map(float, mean_share(self.estimate, self.size, weights, tail))
        return Interval(mean, low, high, self.level, "mean")

    def claim(self, at_most: float, *, confidence: float = 0.95) -> tables.Table:
        """Judge the claim that an error rate is at most a number for each stratum.

        It is "supported" where the upper bound (Clopper and Pearson) is at most the number,
        "refuted" where the lower one is above it at Holm's level, else the data "cannot tell"; for
        all it is refuted if for one, supported if for each.

        Parameters
        ----------
        at_most : float
            The rate that is claimed, in [0, 1].
        confidence : float
            Of each one-sided bound, and that no true claim is refuted in any stratum.

        Returns
        -------
        DataFrame
            Columns stratum, n, estimate, upper, claim; the last row is of all strata, with the
            worst rate and bound.

        Raises
        ------
        InputError
            If the statistic is no error rate of the class of the strata, or for a wrong fraction.

        Examples
        --------
        >>> import betaroc as br
        >>> species = ["print"] * 40 + ["replay"] * 40
        >>> scores = br.Scores([0.7, 0.9], [k / 80 for k in range(80)], impostor_strata=species)
        >>> br.by_stratum(scores, "far", threshold=0.8).claim(0.1)["claim"].tolist()
        ['supported', 'refuted', 'refuted']
        """
        rate = checks.fraction(at_most, "at_most")
        tail = 1.0 - checks.level(confidence, "confidence")
        if self.statistic.partition("@")[0] != _SHARES[self.of][0]:
            rule = f"be of {_SHARES[self.of][0]}, the error rate of the class of the strata"
            raise refusal("claim", rule, repr(self.statistic), "")
        _, upper = share_ends(self.estimate * self.size, self.size, tail)
        above = np.isin(self.stratum, self._above(rate, tail))
        claims = np.select([above, upper <= rate], ["refuted", "supported"], "cannot tell")
        every = next((c for c in ("refuted", "cannot tell") if c in claims), "supported")
        return self._table({
            "stratum": (*self.stratum, "all"), "n": np.append(self.n, np.sum(self.n)),
            "estimate": np.append(self.estimate, self.worst.estimate),
            "upper": np.append(upper, np.max(upper)), "claim": (*claims, every),
        })  # fmt: skip

    def _above(self, rate: float, tail: float) -> list[str]:
        """The strata above a rate, by Holm's procedure."""
        from scipy.special import betainc

        hits, others = self.estimate * self.size, (1.0 - self.estimate) * self.size
        with np.errstate(invalid="ignore"):
            p_values = np.where(hits > 0.0, betainc(hits, others + 1.0, rate), 1.0)
        order = np.argsort(p_values)
        unclear = p_values[order] > tail / np.arange(order.size, 0, -1)
        return [self.stratum[k] for k in order[: np.argmax(np.append(unclear, True))]]

    def plot(self, ax: curves.Axes | None = None, *, target: float | None = None) -> curves.Axes:
        """Draw a row per stratum with its interval, the worst first.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            As in :meth:`betaroc.Interval.plot`.
        target : float, optional
            A line at what must not be passed.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError, InputTypeError
            If `target` is no finite number.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.Scores([3, 4], [1, 2, 3, 1, 2], impostor_strata=list("aabbb"))
        >>> ax = br.by_stratum(scores, "far", threshold=2).plot(target=0.1)
        >>> [text.get_text() for text in ax.get_yticklabels()]
        ['b', 'a']
        """
        rows = [*zip(self.stratum, self.low, self.estimate, self.high, strict=True)]
        marks = [tree.IntervalMark(*rows[k]) for k in self._order]
        place = None if target is None else checks.finite(target, "target")
        at = None if place is None else (place, f"target {number(place)}")
        return curves.draw_intervals(ax, marks, self.statistic, at=at)

    @property
    def _order(self) -> IntArray:
        narrow = self.low - self.high  # of equal numbers the one with the fewest trials comes first
        return np.lexsort((narrow, np.abs(self.estimate - self.worst.estimate)))

    def _view(self) -> list[tree.Node]:
        name, cell = tree.foreign(self.worst_stratum), rate_cells(self)[self._order[0]]
        answer = (
            f"The worst of {len(self.stratum)} strata is {name.short}: {self.statistic}"
            f" {cell.text} ({cell.span})."
        )
        return [tree.Paragraph(answer, "answer"), *self._nodes(self.statistic)]

    def _nodes(self, name: str, target: float | None = None) -> list[tree.Node]:
        broken = [] if target is None else self._above(target, 0.5 * (1.0 - self.level))
        cells, rows, silent = rate_cells(self), [], [rate(0.0)]
        if self.non_response is not None:
            silent = [*map(rate, self.non_response)]
        silent *= set(silent) != {rate(0.0)}
        for k in self._order:
            row = tree.foreign(self.stratum[k]), spaced(round(self.n[k])), cells[k]
            verdict = []
            if target is not None:
                kept = "kept" if self.high[k] <= target else "cannot tell"
                verdict = ["broken" if self.stratum[k] in broken else kept]
            rows.append(tree.Row((*row, *silent[k : k + 1], *verdict)))
        more = [*["no score"] * bool(silent), *["verdict"] * (target is not None)]
        grid = tree.Grid(("stratum", TRIALS, name, *more), tuple(rows[:_SHOWN]))
        nodes: list[tree.Node] = [grid]
        if len(rows) > _SHOWN:
            rest = (replace(grid, rows=tuple(rows[_SHOWN:])),)
            title = f"{len(rows) - _SHOWN} more strata"
            nodes.append(tree.Section(title, rest, folded=True))
        if self.ratio is not None:
            nodes.append(tree.Paragraph(self._differences()))
        return nodes

    def _differences(self) -> str:
        p = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.2g}"
        spans = [
            f"{number(i.estimate, 3)} ({number(i.low, 3)} to {number(i.high, 3)})"
            for i in (self.ratio, self.spread) if i is not None
        ]  # fmt: skip
        return (
            f"One rate for all: {p}. Largest to least {spans[0]}, largest to geometric mean"
            f" {spans[1]}; the largest and the ratio that are seen lie above the true ones."
        )


def rate_cells(table: Any) -> list[tree.Cell]:
    """The number of each stratum with its interval."""
    name = getattr(table, "statistic", "far").partition("@")[0]
    columns, row = (table.estimate, table.low, table.high), STATISTICS.get(name)
    say = rate if row is None or row.unit == "fraction" else partial(number, digits=4)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [tree.quantity(value, say, *ends) for value, *ends in rows]


@notices.collect_warnings
def by_stratum(
    x: ScoresLike,
    stat: str,
    *given: Any,
    of: str = "impostor",
    level: float = 0.95,
    **point: Unpack[StatisticArguments],
) -> StrataTable:
    """A statistic of each stratum of a class, the worst, and whether one rate is true of all.

        worst:   max_k p_k,  high = max_k U_k,  low = max(max_k L_k at 1/(2 K) of the tail, L)
        ratio:   max p / min p,  spread: max p / (p_1 ... p_K)^(1/K),  p = (x + 1/2)/(n + 1)

    with each stratum's own ends L_k and U_k and the pooled lower end L at half the tail.

    Parameters
    ----------
    x : Scores, ScoreSummary, frame, (y_true, y_score) or path
        Scores with strata of the class.
    stat : str
        A rate of the class itself (far and tnr of impostors, frr and tpr of clients) is taken at
        one threshold, that of the pooled scores at the point; every other statistic is of the
        stratum's own scores.
    of : {"impostor", "client"}
        The class whose strata are told apart. Where both classes have strata of the same names,
        a stratum has both classes' trials; else all of the other class.
    threshold, far, frr, tpr, alpha, between, at, probability, log_odds : optional
    level, prior, cost_fa, cost_fr : optional
        As in :func:`interval`.

    Returns
    -------
    StrataTable

    Raises
    ------
    InputError
        If the class has fewer than two strata, or whatever `interval` refuses.

    Notes
    -----
    The upper end of the worst needs no correction for the number of strata, since
    P(max U_k < max p_k) <= P(U_k* < p_k*) for the worst k*; nor do those of ratio and spread, whose
    lower ends are 1 where one rate for all is not rejected at half of 1 - level. That is tested by
    chi^2, by Monte Carlo given the number of errors where a stratum expects fewer than five (seed
    0), of dependent trials by Rao and Scott's F.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([3, 4], [1, 2, 3, 1, 2], impostor_strata=list("aabbb"))
    >>> round(br.by_stratum(scores, "far", threshold=2).worst.high, 3)
    0.906
    """
    scores = as_scores(x, "x")
    who, lower = checks.choice(of, CLASSES, "of"), scores.lower_is_client
    spec = parse_statistic(stat, given, **point).inside(lower)
    options = IntervalOptions(level)
    pieces, tail = pieces_of(scores, who), options.tail
    rows = _rows(scores, pieces, spec, who, options)
    estimate, low, high = rows.at(tail)
    n = np.array([getattr(piece, f"{who}_total") for piece in pieces.values()])
    absent = np.array([getattr(piece, f"n_{who}_rejected") for piece in pieces.values()])
    table = StrataTable(
        str(spec.inside(lower)), who, options.level, tuple(pieces), n, estimate, low, high,
        np.full(n.size, np.nan), rows.interval(options.level), non_response=absent / n,
    )  # fmt: skip
    if rows.counts is not None:
        ratio, spread = rows.counts.differences(options.level)
        at = mirror(rows.threshold, lower)
        p_value, name = rows.counts.p_value(), f"{spec.name}@threshold={at!r}"
        if p_value > tail:  # one rate may be true of all, whatever deviates of few errors say
            ratio, spread = replace(ratio, low=1.0), replace(spread, low=1.0)
        table = replace(table, statistic=name, ratio=ratio, spread=spread, p_value=p_value)
        table = replace(table, size=rows.counts.sizes(tail))
    return tables.in_library(spec.outside(table, lower), scores)


class _Rows(NamedTuple):
    """A statistic of each stratum of a class, at any level."""

    scores: ScoreData
    pieces: Sequence[ScoreData]
    spec: StatisticSpec
    who: str
    options: IntervalOptions
    #: Of a rate of the class itself the threshold, and the counts of the strata and of all scores.
    threshold: float = math.nan
    counts: StratumCounts | None = None
    pooled: StratumCounts | None = None

    def at(self, tail: float) -> FloatArray:
        if self.counts is not None:
            return np.array([self.counts.share, *self.counts.ends(tail)])
        options = replace(self.options, level=1.0 - 2.0 * tail)
        rows = [of_scores.interval_of_scores(piece, self.spec, options) for piece in self.pieces]
        return np.array([(row.estimate, row.low, row.high) for row in rows]).T

    def interval(self, level: float, weights: FloatArray | None = None) -> Interval:
        """Of the mean by weights, or of the worst stratum."""
        of = self._worst if weights is None else partial(self._mean, weights)
        method = "worst stratum" if weights is None else "mean of strata"
        estimate, low, high = map(float, of(0.5 * (1.0 - level)))
        return Interval(estimate, low, high, level, method)

    def _worst(self, tail: float) -> tuple[Any, ...]:
        """Only the near end is corrected, by Bonferroni or the pooled rate."""
        (estimate, low, high), many = self.at(tail), len(self.pieces)
        if self.counts is None or self.pooled is None:
            near = self.at(tail / many)[1:]
        else:
            ends = self.counts.ends(0.5 * tail / many), self.pooled.ends(0.5 * tail)
            near = np.concatenate(ends, axis=1)
        if self.spec.row.better == "higher":
            return np.min(estimate), np.min(low), np.min(near[1])
        return np.max(estimate), np.max(near[0]), np.max(high)

    def _mean(self, weights: FloatArray, tail: float) -> tuple[Any, ...]:
        """As one share of as many trials as its variance says; else by squared distances."""
        if self.counts is not None:
            grouped = self.options.groups
            mean, low, high = mean_error(
                self.scores, self.pieces, self.who, weights, self.threshold, tail, grouped=grouped
            )
            error = self.spec.name in ("far", "frr")
            return (mean, low, high) if error else (1.0 - mean, 1.0 - high, 1.0 - low)
        estimate, *ends = self.at(tail)
        value = weights @ estimate
        # Strata of one group may err together.
        grouped = self.options.groups and any(groups_of(piece) for piece in self.pieces)
        size = 1.0 if grouped else 2.0
        below, above = (np.linalg.norm(weights * (end - estimate), size) for end in ends)
        return value, value - below, value + above


def mean_error(
    scores: ScoreData, pieces: Sequence[ScoreData], who: str, weights: FloatArray, threshold: float,
    tail: float, *, grouped: bool = True,
) -> tuple[float, float, float]:  # fmt: skip
    """The mean over strata of error rates at a threshold, with its ends."""
    options = IntervalOptions(1.0 - 2.0 * tail, groups=grouped)
    t = Thresholds.from_theta([threshold])
    rates = StrataRates.of(scores, pieces, who, weights, t, options)
    mean, low, high = rates.mean(tail)[:, 0].tolist()
    return mean, low, high


def stratum_codes(scores: Scores, who: str) -> IntArray:
    """The number of the stratum of each trial of a class."""
    codes = np.zeros(getattr(scores._trials, who).size, dtype=np.intp)
    for k, rows in enumerate(scores._rows_of_strata[who].values()):
        codes[rows] = k
    return codes


def strata_dependence(
    scores: ScoreData, who: str, t: Thresholds, options: IntervalOptions, rates: StrataRates
) -> FloatArray:
    """Variance of the mean of error rates over that of independent strata."""
    from scipy.sparse import csr_array
    from scipy.special import ndtri, stdtrit

    which, (share, sizes, weights, _) = CLASSES.index(who), rates
    groups = groups_of(scores) if options.groups else None
    count = None if groups is None else groups.sizes[which]
    if groups is None or count is None or len(share) < 2 or not isinstance(scores, Scores):
        return np.ones(t.size)
    rows, first = groups.rows[which], groups.rows[0].size * which
    at = first + np.arange(rows.size)
    codes, values = stratum_codes(scores, who)[rows], getattr(scores._trials, who)[rows]
    each = (weights / np.bincount(codes, groups.copies[at]))[codes]
    # A trial adds to the cell between thresholds where it is, and to its stratum.
    distinct, place = np.unique(decisive(t), return_inverse=True)
    cell, cells = np.searchsorted(distinct, values), distinct.size + 1
    column = np.concatenate([cell, cells + codes])
    parts = csr_array((np.tile(each, 2), (np.tile(at, 2), column)),
                      shape=(groups.first.size, cells + len(share)))  # fmt: skip
    beyond = (np.arange(cells)[:, None] > np.ravel(place)) == (which == 1)
    influence = np.concatenate([beyond, -share])
    whole, twice = (np.sum(influence * (x @ influence), axis=0) for x in groups.meat(parts))
    few = stdtrit(count - 1.0, options.tail) / ndtri(options.tail)
    joint = np.where(whole > twice, whole - twice, whole) * few**2 * count / (count - 1.0)
    own, scale = weights[:, None], share * (1.0 - share)
    alone = np.sum(own**2 * scale / sizes, axis=0)
    # Where no error says it, as if all strata of a group erred together.
    most = np.sum(own / np.sqrt(sizes), axis=0) ** 2 / np.sum(own**2 / sizes, axis=0)
    ratio = np.divide(joint, alone, out=np.ones(t.size), where=alone > 0.0)
    return np.asarray(np.where(alone > 0.0, np.maximum(ratio, 1.0), most))


def mean_share(
    share: FloatArray, sizes: FloatArray, weights: FloatArray, tail: float,
    inflation: FloatArray | float = 1.0,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Of weighted means of shares, as of one share of as many trials as its variance says.

    V = sum_k w_k^2 q_k (1 - q_k)/n_k, q = (x + 1/2)/(n + 1), n* = p (1 - p)/V (Korn and Graubard),
    times `inflation` where strata depend on each other.
    """
    near = (share * sizes + 0.5) / (sizes + 1.0)
    weights = weights.reshape(weights.shape + (1,) * (share.ndim - weights.ndim))
    variance = inflation * np.sum(weights**2 * near * (1.0 - near) / sizes, axis=0)
    mean, middle = np.sum(weights * share, axis=0), np.sum(weights * near, axis=0)
    value = np.where((mean > 0.0) & (mean < 1.0), mean, middle)
    most = np.sum(np.where(weights > 0.0, sizes, 0.0), axis=0) / inflation
    size = np.minimum(value * (1.0 - value) / variance, most)
    return mean, *share_ends(mean * size, size, tail)


class StrataRates(NamedTuple):
    """The error rates of the strata of a class at thresholds, in rows."""

    share: FloatArray
    #: Independent trials of which each varies as much.
    size: FloatArray
    weights: FloatArray
    #: Variance of their mean over that of independent strata.
    inflation: FloatArray | float

    @classmethod
    def of(
        cls, scores: ScoreData, pieces: Sequence[ScoreData], who: str, weights: FloatArray | None,
        t: Thresholds, options: IntervalOptions,
    ) -> Self:  # fmt: skip
        above, even = who == CLASSES[1], np.full(len(pieces), 1.0 / len(pieces))
        counts = StratumCounts.at(pieces, who, t, above=above, grouped=options.groups)
        rates = cls(counts.share, counts.sizes(options.tail), even, 1.0)
        if weights is None:
            return rates
        rates = rates._replace(weights=weights)
        return rates._replace(inflation=strata_dependence(scores, who, t, options, rates))

    def each(self, tail: float) -> FloatArray:
        """Estimate, lower and upper end of each, on the first axis but one."""
        ends = share_ends(self.share * self.size, self.size, tail)
        return np.stack([self.share, *ends], axis=1)

    def mean(self, tail: float) -> FloatArray:
        return np.array(mean_share(self.share, self.size, self.weights, tail, self.inflation))

    @property
    def covariance(self) -> FloatArray:
        near = (self.share * self.size + 0.5) / (self.size + 1.0)
        scaled = self.weights[:, None] * np.sqrt(self.inflation / self.size)
        parts = zip(near, scaled, strict=True)
        sums = [np.outer(w, w) * (np.minimum.outer(p, p) - np.outer(p, p)) for p, w in parts]
        return np.asarray(np.sum(sums, axis=0))


def _rows(
    scores: ScoreData, pieces: Mapping[str, ScoreData], spec: StatisticSpec, who: str,
    options: IntervalOptions,
) -> _Rows:  # fmt: skip
    rows = _Rows(scores, [*pieces.values()], spec, who, options)
    if spec.name not in _SHARES[who]:
        return rows
    at = spec.where.value
    if spec.where.point != "threshold":
        at = float(point_at(samples.empirical_model(scores), spec.where).thresholds.theta)
    t, above = Thresholds.from_theta(at), spec.name in ("far", "tpr")
    counted = partial(StratumCounts.at, who=who, t=t, above=above, grouped=options.groups)
    return rows._replace(threshold=at, counts=counted(rows.pieces), pooled=counted([scores]))


def pieces_of(scores: ScoreData, who: str) -> Mapping[str, ScoreData]:
    """The scores of each stratum of a class that has two or more."""
    count = len(getattr(scores.strata, who))
    if not 2 <= count <= MOST_STRATA:
        remedy = f"Give {who}_strata, a label per trial, or `stratum=...`; ids are none."
        raise refusal("scores", f"have 2 to {MOST_STRATA} {who} strata", str(count), worded(remedy))
    return scores._pieces(who)


def of_species(stat: Any, data: object, over: Any) -> tuple[Any, Any]:
    """A statistic and its `over`, of a name for the worst species."""
    if not isinstance(stat, str) or stat.partition("@")[0] not in _OF_SPECIES:
        return stat, over
    name, sign, behind = stat.partition("@")
    several = isinstance(data, ScoreData) and len(data.strata.impostor) > 1
    if name == "iapmr" and several and not isinstance(over, Mapping):
        remedy = 'Name them: over={"spoof": 1}.'
        raise refusal("over", "name the strata of impostor attacks for iapmr", repr(over), remedy)
    return _OF_SPECIES[name] + sign + behind, WORST if several and over == POOLED else over


def costs_over(stat: Any, point: Any, over: Any) -> tuple[Any, Any]:
    """One cost, and weights, that are worth the costs of each stratum."""
    costs = point.get("cost_fa")
    if not isinstance(costs, Mapping) or str(stat).partition("@")[0] != _OF_COSTS:
        return point, over
    names = tuple(map(str, over)) if isinstance(over, Mapping) else ()
    if set(names) != set(costs):
        rule = "have a cost per stratum that over= weighs"
        raise refusal("cost_fa", rule, checks.format_list(tuple(costs)), f"over={over!r}.")
    each = np.array([measures.checked_cost(costs[name], "cost_fa") for name in names])
    parts = checked_weights(over, names) * each
    total = math.fsum(parts)
    weights = over if total == 0.0 else dict(zip(names, (parts / total).tolist(), strict=True))
    return {**point, "cost_fa": total}, weights


class _StrataCost(NamedTuple):
    """A measure at one threshold: FAR is the weighted mean of the impostor strata."""

    counted: of_scores.CountedScores
    pieces: Sequence[ScoreData]
    weights: FloatArray
    spec: StatisticSpec
    point: measures.OperatingPoint
    value: Callable[[measures.OperatingPoint], Any]

    @classmethod
    def of(
        cls, scores: ScoreData, spec: StatisticSpec, options: IntervalOptions,
        over: str | Mapping[str, float],
    ) -> Self | None:  # fmt: skip
        if spec.name not in _OF_MEAN_FAR or not isinstance(over, Mapping):
            return None
        measure: Any = spec.row.optimum or spec.row.fixed
        pieces = pieces_of(scores, CLASSES[1])
        weights = checked_weights(over, tuple(pieces))
        counted = of_scores.CountedScores(scores, options.groups, spec.where.prior)
        laws = [piece._distributions[1] for piece in pieces.values()]
        model = replace(counted.model, impostor=over_strata(laws, weights, upper=True))
        point, value = measure.point(model, spec.where), measure.at(spec.where)
        if math.isnan(value(point)):
            raise refusal(
                repr(str(spec)), "be a number of the scores", "nan", "Take another point."
            )
        return cls(counted, [*pieces.values()], weights, spec, point, value)

    def interval(self, level: float) -> Interval:
        counted, pieces, weights, (name, row, _), point, value = self
        tail, t = 0.5 * (1.0 - level), float(point.thresholds.theta)
        _, low, high = mean_error(
            counted.data, pieces, CLASSES[1], weights, t, tail, grouped=counted.groups
        )
        _, frr = counted.rates_at(point.thresholds, tail)
        reach = of_scores.quotient_ends if name in of_scores.QUOTIENTS else of_scores.square_and_add
        low, high = reach(counted, value, point, ((low, high), frr))
        ends = max(low, row.low), min(high, row.high)
        return Interval(float(value(point)), *ends, level, "square-and-add over strata")

    def influence(self, scores: Scores) -> list[FloatArray]:
        data, codes = scores._trials, stratum_codes(scores, CLASSES[1])
        t: Any = self.point.thresholds.theta
        by_far, by_frr = of_scores.rate_slopes(self.value, self.point)
        hits, count = data.impostor > t, np.bincount(codes)
        each = (self.weights / count)[codes] * (hits - (np.bincount(codes, hits) / count)[codes])
        return [by_frr * (data.client <= t), by_far * hits.size * each]


def intervals_over(
    scores: ScoreData, spec: StatisticSpec, options: IntervalOptions,
    over: str | Mapping[str, float],
) -> Callable[[float], Interval]:  # fmt: skip
    """At any level, of the worst stratum or of the mean by weights."""
    if cost := _StrataCost.of(scores, spec, options, over):
        return cost.interval
    _, rows, weights = _chosen(scores, spec, options, over)
    return partial(rows.interval, weights=weights)


def influence_over(
    scores: Scores, spec: StatisticSpec, options: IntervalOptions, over: str | Mapping[str, float]
) -> list[FloatArray]:
    """What each trial adds to a rate over strata; of other statistics nothing."""
    if cost := _StrataCost.of(scores, spec, options, over):
        return cost.influence(scores)
    parts = [np.zeros(getattr(scores._trials, who).size) for who in CLASSES]
    who, rows, weights = _chosen(scores, spec, options, over)
    if rows.counts is not None:
        share, n, *_ = rows.counts
        if weights is None:
            worst = (np.argmin if spec.row.better == "higher" else np.argmax)(share)
            weights = np.eye(share.size)[worst]
        codes, which = stratum_codes(scores, who), CLASSES.index(who)
        above = spec.name in ("far", "tpr")
        hits = (getattr(scores._trials, who) > rows.threshold) == above
        parts[which] = (weights / n)[codes] * (hits - share[codes])
    return parts


def _chosen(
    scores: ScoreData, spec: StatisticSpec, options: IntervalOptions,
    over: str | Mapping[str, float],
) -> tuple[str, _Rows, FloatArray | None]:  # fmt: skip
    """The class of the strata, their numbers, and weights if any."""
    several = [who for who in CLASSES[::-1] if len(getattr(scores.strata, who)) > 1]
    own = [who for who in several if spec.name in _SHARES[who]]
    who = (own or several or CLASSES[::-1])[0]
    pieces = pieces_of(scores, who)
    weights = None if over == WORST else checked_weights(over, tuple(pieces))
    return who, _rows(scores, pieces, spec, who, options), weights


def classes_over(
    strata: Mapping[str, Sequence[str]], over: object, of: str = ""
) -> dict[str, FloatArray | None]:
    """The classes that have the strata, with weights, None for the worst."""
    several = {who: tuple(names) for who, names in strata.items() if len(names) > 1}
    if not several:
        rule = f"be pooled where no class{of} has two strata or more"
        raise refusal("over", rule, checks.format_value(over), "Give strata, or leave it out.")
    if over == WORST:
        return dict.fromkeys(several)
    named = set(map(str, over)) if isinstance(over, Mapping) else set()
    own = [who for who, names in several.items() if named <= set(names)]
    return {who: checked_weights(over, several[who], of) for who in own or [*several][-1:]}


def model_over(data: ScoreData, over: object, of: str = "") -> ScoreModel:
    """Scores as they are, of each class that has strata the worst of them, or their mean."""
    model, laws = samples.empirical_model(data), dict[str, Any]()
    for who, weights in classes_over(data.strata._asdict(), over, of).items():
        pieces = pieces_of(data, who).values()
        parts = [piece._distributions[CLASSES.index(who)] for piece in pieces]
        laws[who] = over_strata(parts, weights, upper=who == CLASSES[1])
    return replace(model, **laws)


def checked_weights(
    over: object, strata: Sequence[str], of: str = "", name: str = "over"
) -> FloatArray:
    """The weights of the strata, which sum to 1."""
    if not isinstance(over, Mapping):
        rule = 'be "pooled", "worst" or weights by the names of the strata'
        raise refusal(name, rule, checks.format_value(over), "")
    named = {str(key): checks.fraction(weight, name) for key, weight in over.items()}
    unknown = [key for key in named if key not in strata]
    total = math.fsum(named.values())
    if unknown or abs(total - 1.0) > _ROUNDING:
        rule, actual = "have weights that sum to 1", f"{total:.9g}"
        if unknown:
            rule, actual = f"name strata{of}, of {checks.format_list(strata)}", repr(unknown[0])
        raise refusal(name, rule, actual, "A stratum that is left out has weight 0.")
    return np.array([named.get(key, 0.0) for key in strata])


class StratumCounts(NamedTuple):
    """Shares of each stratum beyond a threshold, and what varies them."""

    share: FloatArray
    n: FloatArray
    #: Between groups; nan where trials are independent.
    variance: FloatArray
    groups: FloatArray

    @classmethod
    def at(
        cls, pieces: Sequence[ScoreData], who: str, t: Thresholds, *, above: bool, grouped: bool
    ) -> Self:
        """Of the scores on one side of each threshold; a row per stratum."""
        rows, which = [], CLASSES.index(who)
        for piece in pieces:
            law, groups = piece._distributions[which], SampleSupport(piece, grouped=grouped).groups
            share = (law._counts_above(t) if above else law._counts_at_most(t)) / law.total
            count = None if groups is None else groups.sizes[which]
            variance = np.full(t.shape, np.nan if count is None else np.inf)
            if groups is not None and count is not None and count > 1:
                values = getattr(piece._as_scores(), who)[groups.rows[which], None]
                beyond = ((values > decisive(t)) == above).astype(np.float64)
                variance = grouped_share(groups, which, beyond, law.total)[1].reshape(t.shape)
            rows.append((share, law.total, variance, law.total if count is None else count))
        return cls(*map(np.array, zip(*rows, strict=True)))

    def sizes(self, tail: float) -> FloatArray:
        """Independent trials that each share is worth."""
        result = [
            np.full(np.shape(p), min(n, groups)) if groups < 2 or np.all(np.isnan(variance))
            else effective_size(p, variance, n, min(n, groups), groups - 1.0, tail)
            for p, n, variance, groups in zip(*self, strict=True)
        ]  # fmt: skip
        return np.array(result)

    def ends(self, tail: float) -> tuple[FloatArray, FloatArray]:
        size = self.sizes(tail)
        return share_ends(self.share * size, size, tail)

    def p_value(self) -> float:
        """Of one share for all."""
        from scipy import special, stats

        hits, whole, count = self.share * self.n, float(np.sum(self.n)), self.n.size
        mean = float(np.sum(hits)) / whole
        if not 0.0 < mean < 1.0:
            return 1.0
        if not np.all(np.isnan(self.variance)):
            unequal = self.n @ (self.share - mean) ** 2 / (mean * (1.0 - mean))
            alone = self.share * (1.0 - self.share) / self.n
            variance = np.where(np.isnan(self.variance), alone, self.variance)
            spread = float(np.sum(variance * self.n * (1.0 - self.n / whole))) / (count - 1.0)
            effect = max(1.0, spread / (mean * (1.0 - mean)))
            freedom = float(np.sum(self.groups)) - count
            return float(special.fdtrc(count - 1.0, freedom, unequal / effect / (count - 1.0)))
        table, method = np.array([hits, self.n - hits]), None
        few = np.min(self.n) * min(mean, 1.0 - mean) < _EXPECTED
        if few and np.allclose(table, np.rint(table), rtol=0.0, atol=1e-9):
            method = stats.MonteCarloMethod(n_resamples=_DRAWS, rng=np.random.default_rng(0))
            table = np.rint(table)
        return float(stats.chi2_contingency(table, correction=False, method=method).pvalue)

    def differences(self, level: float) -> tuple[Interval, Interval]:
        """Largest share to the least and to the geometric mean, in logs."""
        # The lower ends hold for all pairs at once (Tukey and Kramer), and for all deviations.
        from scipy.special import ndtri

        tail = 0.5 * (1.0 - level)
        size = self.sizes(tail)
        hits = self.share * size
        logs = np.log((hits + 0.5) / (size + 1.0))
        variance = (size - hits + 0.5) / ((hits + 0.5) * (size + 1.0))
        count = size.size
        normal = np.random.default_rng(0).standard_normal((_DRAWS, count))
        drawn = normal * np.sqrt(variance)
        apart = np.sqrt((1.0 - 2.0 / count) * variance + np.mean(variance) / count)
        away = np.max((drawn - drawn.mean(axis=1, keepdims=True)) / apart, axis=1)
        rows = (
            (logs[:, None] - logs, np.sqrt(variance[:, None] + variance),
             np.ptp(normal, axis=1) / math.sqrt(2.0)),
            (logs - logs.mean(), apart, away),
        )  # fmt: skip
        result = []
        for value, error, largest in rows:
            low = np.max(value - np.quantile(largest, 1.0 - tail) * error, initial=0.0)
            high = np.max(value - ndtri(tail) * error) if np.all(hits > 0.0) else np.inf
            ratio, low, high = np.exp([np.max(value), low, high]).tolist()
            result.append(Interval(ratio, low, high, level, "log"))
        return result[0], result[1]
