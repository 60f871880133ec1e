"""The difference of two systems in any number."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Unpack

import numpy as np

from betaroc.core import checks, notices, tables, value
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.options import IntervalOptions
from betaroc.core.special import bracketed_root
from betaroc.core.text import typed
from betaroc.data.groups import correlation_of, units_of, weights_of
from betaroc.data.scores import ScoreData, Scores, of_comparisons, require_scores
from betaroc.inference import drawn_scores, intervals, of_scores, strata
from betaroc.inference.auc import ROUNDING, DelongArea, covariance_of_means, settled, spread_of
from betaroc.inference.delta import METHODS, block_diag, delta, near_of, supported, trial_moves
from betaroc.inference.interval import Interval, Limits, difference_ends, is_sparse
from betaroc.inference.of_scores import CountedScores
from betaroc.inference.paired_trials import check_other_trials, joint_trials, on_same_trials
from betaroc.inference.scores_beyond import SampleSupport, SupportedPair
from betaroc.model import dataset_checks, model, samples
from betaroc.model.statistics import (
    EvaluationPoint,
    StatisticArguments,
    StatisticSpec,
    parse_statistic,
)
from betaroc.rendering.nouns import Exportable

#: The level of farther deviates rounds to 1; between 0 and there intervals are looked at in steps.
_FARTHEST, _STEP = 8.0, 0.25
_EER, _LEVEL = EvaluationPoint("at", "eer"), IntervalOptions().level


@dataclass(frozen=True, eq=False, repr=False)
class Difference(tables.Framed, Exportable):
    """The difference of two systems in one number, first minus second; see :func:`difference`.

    Parameters
    ----------
    estimate, low, high, level, method : optional
        As of an :class:`Interval`.
    p_value : float
        Two-sided: 1 less the level at which an end is 0.
    paired : bool
        Whether both systems judged the same trials.
    correlation : float
        Of both errors; 0 of independent trials, nan where it was not needed.
    n_beyond, extrapolated, failed, sparse, library : optional
        As of an :class:`Interval`, of the system with fewer scores.

    Examples
    --------
    >>> import betaroc as br
    >>> one = br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])
    >>> two = br.Scores([1, 3, 2, 5], [0, 2, 2.5, 3.5])
    >>> round(br.difference(one, two, "auc").p_value, 4)
    0.1911
    """

    estimate: float
    low: float
    high: float
    p_value: float
    level: float
    method: str
    paired: bool = False
    correlation: float = math.nan
    n_beyond: float | None = None
    extrapolated: bool = False
    failed: int = 0
    sparse: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "sparse", is_sparse(self.n_beyond))

    @property
    def significant(self) -> bool:
        """Whether 0 lies outside the interval."""
        return not self.low <= 0.0 <= self.high


@dataclass(frozen=True, eq=False, repr=False)
class AucTest(value.Result, Exportable):
    """Whether two areas under the ROC differ; see :func:`auc_test`.

    Parameters
    ----------
    difference : Interval
        Area of the first minus area of the second.
    statistic : float
        The difference in standard errors.
    p_value : float
        Two-sided, standard normal, with groups Student's t; 1 where the areas are equal.
    paired : bool
        Whether both systems judged the same trials.
    reason : str
        Why the difference has no DeLong variance, where it has none; else empty.

    Examples
    --------
    >>> import betaroc as br
    >>> first = br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])
    >>> second = br.Scores([1, 3, 2, 5], [0, 2, 2.5, 3.5])
    >>> round(br.auc_test(first, second).p_value, 4)
    0.1911
    """

    difference: Interval
    statistic: float
    p_value: float
    paired: bool
    reason: str = ""


@notices.collect_warnings
def difference(
    a: ScoreData | SupportedPair | intervals.Answers,
    b: ScoreData | SupportedPair | intervals.Answers,
    stat: str | Callable[[model.ScoreModel], float],
    *given: Any,
    paired: bool = True,
    level: float = 0.95,
    method: str | None = None,
    replicates: int = 2000,
    groups: bool = True,
    rng: Any = None,
    extrapolate: bool = False,
    over: str | Mapping[str, float] = strata.POOLED,
    **point: Unpack[StatisticArguments],
) -> Difference:
    """The difference of two systems in any number, with its interval and test.

        d - sqrt(l_a^2 + u_b^2 - 2 r l_a u_b),   d + sqrt(u_a^2 + l_b^2 - 2 r u_a l_b),

    l and u the distances of each number from its own ends, r the correlation of both errors, that
    of the influence of each trial on both numbers (square-and-add).

    Parameters
    ----------
    a, b : Scores or ScoreSummary, Fit or Epc
        The two systems, both of one kind; summaries with ``paired=False``.
    paired : bool
        The same trials in the same order; else independent ones. Where some have no score, by ids:
        a trial that only the other system scored counts as rejected.
    method : str, optional
        Left out, DeLong's test for the area of scores (:func:`auc_test`), "influence" for their
        EER, square-and-add where the intervals of :func:`interval` are not drawn; else quantiles of
        the differences in replicates. Or a method of :func:`interval`.
    groups : bool
        Where trials carry groups, these vary as wholes; those of one paired system hold for both.
    over : {"pooled", "worst"} or mapping
        As in :func:`interval`; r is that of the rates (of the strata that show the worst), 0 of
        other numbers, which is cautious where both judge the same trials.
    threshold, far, frr, tpr, alpha, between, at, probability, log_odds
    stat, level, replicates, rng, extrapolate, prior, cost_fa, cost_fr
        As in :func:`interval`.

    Returns
    -------
    Difference

    Raises
    ------
    InputError
        As in :func:`interval`; if paired trials differ in number, weights, ids, groups or order.
    InputTypeError
        If `a` and `b` are not of one kind, or a point has no keyword.

    Warns
    -----
    ExtrapolationWarning, MisfitWarning, SmallSampleWarning
        As in :func:`interval`.

    Notes
    -----
    Paired predictive values and net benefits are compared at the prevalence of their trials.
    "influence" takes the standard error of the difference of EERs from the influence of each trial,
    with one disagreement of either class added (Agresti and Min). Coverage: docs/validation.md.

    References
    ----------
    Zou, G. Y. and Donner, A. (2008), Construction of confidence limits about effect measures.

    Examples
    --------
    >>> import betaroc as br
    >>> one = br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])
    >>> found = br.difference(one, br.Scores([1, 3, 2, 5], [0, 2, 2.5, 3.5]), "eer")
    >>> found.estimate, found.method
    (-0.25, 'influence')
    """
    options = IntervalOptions(level, method, replicates, groups, rng, extrapolate=extrapolate)
    paired = checks.flag(paired, "paired")
    a, b = of_comparisons(stat, point, a, b)
    if "threshold" in f"{stat}{[*point]}" or f"{stat}".endswith("-mean"):  # of one scale
        dataset_checks.check_sense(a, "a")
        dataset_checks.check_sense(b, "b")
    result: Difference
    if isinstance(a, ScoreData) and isinstance(b, ScoreData):
        point, over = strata.costs_over(stat, point, over)
        spec = parse_statistic(stat, given, **point)
        if over == strata.POOLED:
            result = _of_scores((a, b), spec, options, paired=paired)
        else:
            result = _of_strata((a, b), spec, options, over, paired=paired)
    elif over != strata.POOLED:
        remedy = "Give the scores of both."
        raise refusal("over", "be pooled of what is not scores", repr(over), remedy)
    elif isinstance(a, SupportedPair) and isinstance(b, SupportedPair):
        result = _of_fits((a, b), parse_statistic(stat, given, **point), options, paired=paired)
    elif isinstance(a, intervals.Answers) and type(a) is type(b):
        result = a._difference_of(b, stat, given, point, options, paired=paired)
    else:
        rule, actual = "both be scores, both Fits or both Epcs", f"{typed(a)} and {typed(b)}"
        raise refusal("a and b", rule, actual, "Give both systems as one kind.", InputTypeError)
    return tables.in_library(replace(result, paired=paired), a)


# ------------------------------------------------------------------------------ of areas
@notices.collect_warnings
def auc_test(
    a: Scores, b: Scores, paired: bool = True, *, level: float = 0.95, groups: bool = True
) -> AucTest:
    """Test whether two classifiers have the same area under the ROC.

        z = (A - B)/sd,   Var(A - B) = Var A + Var B - 2 Cov(A, B)

    with DeLong's variance of the differences of the placements of each trial.

    Parameters
    ----------
    a, b : Scores
        The two classifiers.
    paired : bool
        The same trials in the same order; else independent ones.
    level : float
        Confidence level of the difference.
    groups : bool
        As in :func:`difference`.

    Returns
    -------
    AucTest

    Raises
    ------
    InputError, InputTypeError
        If paired trials differ, a class has fewer than two trials or one group, or `level` is out
        of range.

    Notes
    -----
    Placements and areas within 1e-12 are equal. Where DeLong's variance is 0 (no scores overlap,
    all are equal, or groups are alike), as ``.reason`` says, interval and p are those of
    square-and-add (``"newcombe"``), the statistic is the normal deviate of p, at most 8. Systems
    that order the same trials alike have a difference of 0 and p = 1.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), equations (4) to (7). Newcombe, R. G. (1998), method
    10.

    Examples
    --------
    >>> import betaroc as br
    >>> first = br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])
    >>> br.auc_test(first, first).reason
    'both systems order all trials alike: one ROC'
    """
    from scipy.special import ndtri, stdtr, stdtrit

    options, paired = IntervalOptions(level, groups=groups), checks.flag(paired, "paired")
    level, groups = options.level, options.groups
    if paired and isinstance(a, Scores) and isinstance(b, Scores):
        a, b = on_same_trials((a, b), ("a", "b"))
    one, two = (DelongArea.of(s, name, groups=groups) for s, name in ((a, "a"), (b, "b")))
    a, b = a._trials, b._trials
    gap = float(settled(np.array(one.area - two.area)))
    if paired:
        check_other_trials(a, b, ("a", "b"), groups=groups)
        ranks = [np.unique(np.r_[s.client, s.impostor], return_inverse=True)[1] for s in (a, b)]
        if np.array_equal(ranks[0], ranks[1]):
            why = "both systems order all trials alike: one ROC"
            return AucTest(Interval(0.0, 0.0, 0.0, level, "delong"), 0.0, 1.0, paired, why)
        moved = [settled(v - w) for v, w in zip(one.parts, two.parts, strict=True)]
        sd, freedom = spread_of(moved, units_of(joint_trials(a, b), groups=groups))
    else:
        sd, freedom = math.hypot(one.sd, two.sd), min(one.freedom, two.freedom)
    still = [name for name, system in (("a", one), ("b", two)) if system.is_still]
    if not still and sd > ROUNDING:
        reach, z = -float(stdtrit(freedom, options.tail)) * sd, gap / sd
        interval = Interval(gap, max(gap - reach, -1.0), min(gap + reach, 1.0), level, "delong")
        return AucTest(interval, z, float(2.0 * stdtr(freedom, -abs(z))), paired)
    why = f"DeLong's variance is 0 of {' and '.join(still) or 'the difference'}"

    def both_at(level: float) -> list[Interval]:
        tail = 0.5 * (1.0 - level)
        return [Interval(s.area, *s.best(tail)[0], level, "newcombe") for s in (one, two)]

    result = _square_and_add(both_at, 0.0, options)
    z = math.copysign(abs(float(ndtri(0.5 * result.p_value))), gap)
    interval = Interval(gap, result.low, result.high, level, "newcombe")
    return AucTest(interval, z, result.p_value, paired, why)


# ------------------------------------------------------------------------------ of scores
def _of_scores(
    systems: Sequence[ScoreData], spec: StatisticSpec, options: IntervalOptions, *, paired: bool
) -> Difference:
    of_scores.check_unanswered(spec)
    if paired:
        systems = _on_the_same_trials(systems, options)
    else:
        systems = systems[0]._trials, systems[1]._trials
    for name, data in zip("ab", systems, strict=True):
        dataset_checks.warn_of_reversed(data._distributions, name)
    if spec.name == "auc" and options.method in (None, "delong"):
        a, b = (of_scores.rows_of(s, spec) for s in systems)
        test = auc_test(a, b, paired, level=options.level, groups=options.groups)
        gap = test.difference
        return Difference(gap.estimate, gap.low, gap.high, test.p_value, options.level, gap.method)
    methods = of_scores.methods_of(spec)
    if spec.name == "auc" and paired:
        methods = ("delong", "bootstrap")
    by_trial = str(spec) == "eer" and all(isinstance(s, Scores) for s in systems)
    options = options.by(("influence", *methods) if by_trial else methods)
    models = [samples.empirical_model(s) for s in systems]
    if paired and spec.name in of_scores.PREVALENT and spec.where.prior is None:
        # Both have the prevalence of the same trials.
        spec = spec._replace(where=spec.where._replace(prior=models[0].prior))
    if options.method in ("smoothed", "bootstrap"):
        a, b = (of_scores.rows_of(s, spec) for s in systems)
        result = _drawn((a, b), models, spec, options, paired=paired)
    else:
        counted = [CountedScores(s, options.groups, spec.where.prior) for s in systems]
        result = _of_counts(counted, spec, options, paired=paired, by_trial=by_trial)
    evidence = [SampleSupport(s, grouped=options.groups) for s in systems]
    return supported(result, spec, *zip(evidence, models, strict=True))


def _of_strata(
    systems: Sequence[ScoreData], spec: StatisticSpec, options: IntervalOptions,
    over: str | Mapping[str, float], *, paired: bool,
) -> Difference:  # fmt: skip
    scores = [
        require_scores(s, "a difference over strata", name=name, rejected=True)
        for name, s in zip("ab", systems, strict=True)
    ]
    for name, s in zip("ab", scores, strict=True):
        strata.classes_over(s.strata._asdict(), over, f" of {name}")
    r = 0.0
    if paired:
        scores = [*_on_the_same_trials(scores, options)]
        units = units_of(joint_trials(*scores), groups=options.groups)
        parts = [strata.influence_over(s, spec, options, over) for s in scores]
        r = correlation_of(covariance_of_means(units, parts))
    one, two = (strata.intervals_over(s, spec, options, over) for s in scores)
    return _square_and_add(lambda level: [one(level), two(level)], r, options)


def _of_counts(
    counted: list[CountedScores], spec: StatisticSpec, options: IntervalOptions, *, paired: bool,
    by_trial: bool,
) -> Difference:  # fmt: skip
    spread = np.zeros((2, 2))
    if paired or by_trial:
        parts = [score_influence(c, spec, options) for c in counted]
        rows = [of_scores.rows_of(c.data, spec) for c in counted]
        if paired:
            units = units_of(joint_trials(*rows), groups=options.groups)
            spread = covariance_of_means(units, parts)
        else:
            apart = [units_of(s, groups=options.groups) for s in rows]
            spread = np.diag([float(covariance_of_means(units, [part])[0, 0])
                              for units, part in zip(apart, parts, strict=True)])  # fmt: skip
    if options.method == "influence":
        moves = spread[0, 0] + spread[1, 1] > 2.0 * spread[0, 1]
        near = (of_scores.PointLikelihood(c, _EER, _LEVEL) for c in counted)
        if moves and not any(item.tied().size for item in near):
            return _by_influence(counted, spec, spread, options)
        options = replace(options, method="likelihood")

    def both_at(level: float) -> list[Interval]:
        at = replace(options, level=level)
        if spec.name == "auc":
            return [of_scores.bare_interval_of_scores(c.data, spec, at) for c in counted]
        return [of_scores.interval_of_counts(c, spec, at) for c in counted]

    return _square_and_add(both_at, correlation_of(spread), options)


def _on_the_same_trials(
    systems: Sequence[ScoreData], options: IntervalOptions
) -> tuple[Scores, Scores]:
    for name, data in zip("ab", systems, strict=True):
        if not isinstance(data, Scores):
            rule, remedy = "be False of a summary, which knows no trials", "Give the scores."
            raise refusal("paired", rule, f"True, and {name} is one", remedy)
    one, two = on_same_trials([s for s in systems if isinstance(s, Scores)], ("a", "b"))
    check_other_trials(one, two, ("a", "b"), groups=options.groups)
    if not options.groups:
        return one, two
    joint = joint_trials(one, two)
    groups = {name: getattr(joint, name) for name in ("client_groups", "impostor_groups")}
    return one._with(**groups), two._with(**groups)


def score_influence(
    counted: CountedScores, spec: StatisticSpec, options: IntervalOptions
) -> tuple[FloatArray, FloatArray]:
    """What each trial moves in a number."""
    share = of_scores.INFLUENCES.get(spec.name) or of_scores.losses_of
    if options.method == "effective-size" or spec.name in of_scores.LOSSES:
        return of_scores.of_trials(counted, share(counted, spec))
    scores: Any = counted.data
    t, by_far, by_frr = of_scores.rate_weights(scores, counted.model, spec)
    scale = by_far + by_frr if spec.name == "eer" else 1.0
    return by_frr / scale * (scores.client <= t), by_far / scale * (scores.impostor > t)


def _by_influence(
    counted: Sequence[CountedScores], spec: StatisticSpec, covariance: FloatArray,
    options: IntervalOptions,
) -> Difference:  # fmt: skip
    from scipy.special import stdtr, stdtrit

    one, two = (of_scores.number_of_scores(spec, c.model) for c in counted)
    gap, variance = one - two, float(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1])
    for c in counted:
        clients, impostors = c.evidence.sizes
        _, far, frr = of_scores.rate_weights(c.data, c.model, spec)  # type: ignore[arg-type]
        variance += 0.5 * ((frr / clients) ** 2 + (far / impostors) ** 2) / (far + frr) ** 2
    freedom = max(min(n for c in counted for n in c.evidence.sizes) - 1.0, 1.0)
    sd = math.sqrt(variance)
    reach = -float(stdtrit(freedom, options.tail)) * sd
    p = 2.0 * float(stdtr(freedom, -abs(gap) / sd))
    return Difference(gap, max(gap - reach, -1.0), min(gap + reach, 1.0), p, options.level,
                      "influence", correlation=correlation_of(covariance))  # fmt: skip


# -------------------------------------------------------------------------------- of fits
def _of_fits(
    fits: Sequence[SupportedPair], spec: StatisticSpec, options: IntervalOptions, *, paired: bool
) -> Difference:
    if options.method is not None:
        options = options.by((*METHODS[:1], intervals.TAIL_METHOD, intervals.FAMILY))
    for f in fits:
        intervals.check_far_out(f, spec, extrapolate=options.extrapolate)
    by_family = partial(_of_families, fits, spec, paired=paired)

    def by_scores(chosen: IntervalOptions) -> Difference | None:
        with notices.suppress_warnings(), suppress(InputError):
            one, two = map(intervals.scores_of_fit, fits)
            return _of_scores((one, two), spec, chosen, paired=paired)
        return None

    def gap() -> float:
        return spec.number(fits[0].model) - spec.number(fits[1].model)

    def with_larger_p(family: Difference, scores: Difference) -> tuple[Difference, Difference]:
        same = family.estimate * scores.estimate > 0.0
        p = max(family.p_value, scores.p_value) if same else 1.0
        return replace(family, p_value=p), scores

    result: Difference
    if options.method is None and intervals.is_of_scores(spec, *fits):
        name = f"difference in {spec}"
        result = intervals.interval_hull(name, options, by_family, by_scores, gap, with_larger_p)
    else:
        result = by_family(options)
    return supported(result, spec, *((f._evidence, f.model) for f in fits))


def _of_families(
    fits: Sequence[SupportedPair], spec: StatisticSpec, options: IntervalOptions, *, paired: bool
) -> Difference:
    at, r = [intervals.intervals_of_fit(f, spec, options) for f in fits], 0.0
    if paired:
        both = _on_the_same_trials([f.scores for f in fits], options)
        parts = [_influence(f, s, spec, options) for f, s in zip(fits, both, strict=True)]
        units = units_of(joint_trials(*both), groups=options.groups)
        r = correlation_of(covariance_of_means(units, parts))
    return _square_and_add(lambda level: [one(level) for one in at], r, options)


def _influence(
    f: SupportedPair, scores: Scores, spec: StatisticSpec, options: IntervalOptions
) -> tuple[FloatArray, FloatArray]:
    near = near_of(f, groups=options.groups, of=spec.number)
    slopes = delta(spec, near.base, near.steps).slopes
    gradient = np.linalg.lstsq(near.small.roots, slopes, rcond=None)[0]
    rates = block_diag(*(part.rates for part in near._parts))
    client, impostor = (part @ rates.T @ gradient for part in trial_moves(f, scores))
    # Sums over trials, where the correlation takes means.
    n_client, n_impostor = (float(np.sum(weights_of(scores, who))) for who in CLASSES)
    return client * n_client, impostor * n_impostor


# -------------------------------------------------------------------------------- engines
def _square_and_add(
    both_at: Callable[[float], list[Interval]], r: float, options: IntervalOptions
) -> Difference:
    from scipy.special import ndtr

    both = both_at(options.level)
    gap = both[0].estimate - both[1].estimate
    if math.isnan(gap):
        actual = f"{both[0].estimate!r} less {both[1].estimate!r}"
        raise refusal("the difference", "be a number", actual, "Take another point.")

    @cache
    def ends(z: float) -> Limits:
        one, two = both_at(float(1.0 - 2.0 * ndtr(-z)))
        return difference_ends(one, two, r)

    # What both share may leave less of a longer interval: the ends of lower levels count too.
    inner = [ends(z) for z in (*np.arange(_STEP, options.deviate, _STEP).tolist(), options.deviate)]
    down, up = (max(side) for side in zip(*inner, strict=True))
    z = _deviate(gap, lambda z: ends(z)[0 if gap > 0.0 else 1])
    p = 1.0 if gap == 0.0 else float(2.0 * ndtr(-z))
    method = " and ".join(dict.fromkeys(one.method for one in both))  # one of two may have a tail
    return Difference(gap, gap - down, gap + up, p, options.level, method, correlation=r)


def _deviate(gap: float, distance: Callable[[float], float]) -> float:
    """The first deviate whose interval ends at 0."""

    def excess(z: float) -> float:
        return min(distance(z), 2.0 * abs(gap)) - abs(gap)

    low = 1e-6
    if gap == 0.0 or excess(low) >= 0.0:
        return 0.0
    for high in np.arange(_STEP, _FARTHEST + _STEP, _STEP).tolist():
        if excess(high) >= 0.0:
            return bracketed_root(excess, low, high, what="level of an interval that ends at 0")
        low = high
    return _FARTHEST


def _drawn(
    systems: tuple[Scores, Scores], models: list[model.ScoreModel], spec: StatisticSpec,
    options: IntervalOptions, *, paired: bool,
) -> Difference:  # fmt: skip
    if paired:
        values = of_scores.replicates_of(systems, spec, options)
    else:
        halves = zip(systems, options.halves(), strict=True)
        values = np.column_stack([of_scores.replicates_of([s], spec, half) for s, half in halves])
    for name, column in zip("ab", values.T, strict=True):
        of_scores.warn_of_no_width(column, f"{spec} of {name}")
    gap = spec.number(models[0]) - spec.number(models[1])
    with np.errstate(invalid="ignore"):  # of two infinite thresholds there is no difference
        apart = values[:, 0] - values[:, 1]
    return of_replicates(gap, apart, options, str(spec))


def of_replicates(gap: float, apart: FloatArray, options: IntervalOptions, name: str) -> Difference:
    """Quantiles of the differences in replicates, and the share beyond 0."""
    (low, high), failed = drawn_scores.percentiles(apart, options, name)
    keep = apart[~np.isnan(apart)]
    beyond = min(int(np.sum(keep <= 0.0)), int(np.sum(keep >= 0.0)))
    p = min(1.0, 2.0 * (beyond + 1.0) / (keep.size + 1.0))
    return Difference(gap, low, high, p, options.level, str(options.method), failed=failed)
