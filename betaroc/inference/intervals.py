"""Intervals of any number and bands of the ROC: of scores, of a fit, of its tails."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Unpack, runtime_checkable

import numpy as np
import numpy.typing as npt

from betaroc.core import checks, errors, special, tables, vocabulary
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.notices import Notice, collect_warnings, forward_warnings, suppress_warnings, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.text import typed
from betaroc.core.thresholds import Coordinate, Thresholds, softplus
from betaroc.data import read, summary
from betaroc.data.scores import ScoreData, Scores, of_comparisons
from betaroc.distributions import inflated, rank_normal
from betaroc.estimation.estimate import Estimate, PairEstimate, give, outliers
from betaroc.estimation.tails import TailFit, Tails, grid_of
from betaroc.inference import of_scores, strata
from betaroc.inference.delta import METHODS, bare_interval, delta_intervals, near_of, supported
from betaroc.inference.drawn_scores import DrawnScores, band_of_replicates, check_still
from betaroc.inference.interval import Band, Interval, Limits
from betaroc.inference.of_scores import CountedScores
from betaroc.inference.scores_beyond import SupportedPair, about, fewest, tell
from betaroc.model import dataset_checks, roc_functions
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import (
    EvaluationPoint,
    StatisticArguments,
    StatisticSpec,
    parse_statistic,
    rates_of_point,
)

if TYPE_CHECKING:
    from betaroc.inference.differences import Difference

TAIL_METHOD = "integrated"
#: The default of the family alone: of a tail where a number rests on one, else of parameters.
FAMILY = "family"
#: Points of the grid with less than this share of the heaviest's weight are left out.
_LIGHT = 1e-8
#: Deviates between which the share beyond the joint is tabulated.
_DEVIATES = np.linspace(-8.0, 8.0, 257)
#: Nearer to 0 a shape is one of an exponential tail to twice the digits of a probability.
_STRAIGHT = 1e-8


# ---------------------------------------------------------------------------- of one tail
class _UncertainTail:
    """A tail as a mixture over shapes, scales and shares beyond the joint."""

    def __init__(self, fit: TailFit) -> None:
        from scipy.special import betaincinv, ndtr

        grid = grid_of(fit)
        keep = grid.weight > _LIGHT * np.max(grid.weight)
        self.shape, self.scale = grid.shape[keep], grid.scale[keep]
        self.weight = grid.weight[keep] / np.sum(grid.weight[keep])
        self.log_masses = np.log(betaincinv(fit.k + 0.5, fit.n - fit.k + 0.5, ndtr(_DEVIATES)))

    def log_thinned(self, distance: float) -> FloatArray:
        """Log share of the exceedances that lie beyond a distance, by the grid."""
        u = max(distance, 0.0) / self.scale
        z = self.shape * u
        with np.errstate(divide="ignore", invalid="ignore"):
            bent = -np.log1p(np.maximum(z, -1.0)) / self.shape
        return np.where(np.abs(z) < _STRAIGHT, -u, np.where(z <= -1.0, -np.inf, bent))

    def at_most(self, log_rate: float, thinned: FloatArray) -> float:
        """Probability that the rate at a distance is at most so much."""
        from scipy.special import ndtr

        deviates = np.interp(log_rate - thinned, self.log_masses, _DEVIATES)
        return float(self.weight @ ndtr(deviates))

    def rate(self, distance: float, probability: float) -> float:
        """Quantile of the rate; 0 where tails that have ended weigh as much."""
        thinned = self.log_thinned(distance)
        if float(self.weight @ np.isneginf(thinned)) >= probability:
            return 0.0
        low = float(np.min(thinned[thinned > -np.inf])) + self.log_masses[0]
        return math.exp(_root(lambda x: self.at_most(x, thinned) - probability, low, 0.0))

    def distance(self, log_rate: float, probability: float) -> float:
        """Quantile of the distance that has a rate beyond; 0 before the joint."""

        def off(distance: float) -> float:
            return self.at_most(log_rate, self.log_thinned(distance)) - probability

        if off(0.0) >= 0.0:
            return 0.0
        reach = float(self.weight @ self.scale)
        while off(reach) < 0.0:
            reach *= 2.0
        return _root(off, 0.0, reach)


_root = partial(special.interval_end, what="end of an interval of a tail")


def _uncertain(fit: TailFit) -> _UncertainTail:
    if TAIL_METHOD not in fit.kept:
        fit.kept[TAIL_METHOD] = _UncertainTail(fit)
    result: _UncertainTail = fit.kept[TAIL_METHOD]
    return result


def surely_beyond(tails: Tails, rate: float, level: float) -> bool:
    """Whether the place of a rate lies beyond every joint."""
    if rate <= 0.0 or rate > 0.5 * tails.mass:
        return False
    tail, log_rate = 0.5 - 0.5 * level, math.log(rate)
    return all(u.at_most(log_rate, u.log_thinned(0.0)) < tail for u in map(_uncertain, tails.fits))


def tail_rate_ends(tails: Tails, place: float, level: float = 0.95) -> Limits:
    """Ends of the interval of the rate beyond a place, which is beyond all joints.

        quantiles of zeta G(x; shape, scale), zeta ~ Beta(k + 1/2, n - k + 1/2), shape and scale
        weighted by their penalised likelihood

    The hull over the sizes of the tail, which disagree where it bends.
    """
    turned, tail = tails.sign * place, 0.5 - 0.5 * level
    distances = [(_uncertain(fit), turned - fit.joint) for fit in tails.fits]
    return (min(u.rate(x, tail) for u, x in distances),
            max(u.rate(x, 1.0 - tail) for u, x in distances))  # fmt: skip


def tail_threshold_ends(tails: Tails, rate: float, level: float = 0.95) -> Limits:
    """Ends of the place that has a rate beyond: :func:`tail_rate_ends` inverted."""
    x, tail = math.log(rate), 0.5 - 0.5 * level
    low = min(fit.joint + _uncertain(fit).distance(x, tail) for fit in tails.fits)
    high = max(fit.joint + _uncertain(fit).distance(x, 1.0 - tail) for fit in tails.fits)
    return (low, high) if tails.sign > 0.0 else (-high, -low)


# ----------------------------------------------------------------------- of pairs with tails
#: Of each rate the class, and the end that it, or what it leaves, is a tail of.
_RATES = {
    "far": ("impostor", "upper"), "tnr": ("impostor", "upper"),
    "frr": ("client", "lower"), "tpr": ("client", "lower"),
}  # fmt: skip
#: A tail, its coordinate, the share of trials that have a score, and a rate among these.
_TailAt = tuple[Tails, Coordinate, float, float]


def tail_interval(
    f: PairEstimate, spec: StatisticSpec, level: float = 0.95, *, groups: bool = True
) -> Interval | None:
    """The interval of a number that rests on a tail; else None."""
    # A rate at a threshold, the threshold of a rate: as in `tail_rate_ends`. A rate of one class at
    # a rate of the other: the root of the squares of what the threshold's interval moves it, and of
    # its own interval at the estimated threshold.
    name, (point, value, *_) = spec.name, spec.where
    ends: Limits | None = None
    if point == "threshold" and name in _RATES:
        ends = _rate_at_threshold(f, spec, level)
    elif point in _RATES and name in ("threshold", *_RATES) and _RATES.get(name) != _RATES[point]:
        tail = _tail_at(f, point, float(value))
        if tail is not None and surely_beyond(tail[0], tail[3], level):
            places = np.array(tail_threshold_ends(tail[0], tail[3], level))
            low, high = tail[1].place(places).theta.tolist()
            ends = low, high
            if name != "threshold":
                ends = _across(f, spec, ends, level, groups=groups)
    if ends is None:
        return None
    return Interval(spec.number(f.model), *ends, level, f"tail, {TAIL_METHOD}")


def _across(
    f: PairEstimate, spec: StatisticSpec, thresholds: Limits, level: float, *, groups: bool
) -> Limits:
    estimate, at = spec.number(f.model), partial(parse_statistic, spec.name, ())
    place = parse_statistic("threshold", (), **spec.where.keywords).number(f.model)
    fixed = at(threshold=place)
    alone = tail_interval(f, fixed, level, groups=groups)
    if alone is None:  # of the parameters, of a body of counts, which has none, by the counts
        estimated: Estimate = getattr(f, _RATES[spec.name][0])
        if set(estimated.names) - {inflated.REJECTED}:
            alone = delta_intervals(f, fixed, groups=groups)(level)
        else:
            options = IntervalOptions(level, groups=groups)
            alone = of_scores.interval_of_scores(f.scores, fixed, options)
    least, most = sorted(at(threshold=t).number(f.model) for t in thresholds)
    low = estimate - math.hypot(estimate - least, estimate - alone.low)
    return max(low, 0.0), min(estimate + math.hypot(most - estimate, alone.high - estimate), 1.0)


def _rate_at_threshold(f: PairEstimate, spec: StatisticSpec, level: float) -> Limits | None:
    result = _tail_at(f, spec.name, spec.number(f.model))
    if result is None:
        return None
    tails, coordinate, built, beyond = result
    place = float(coordinate.of(Thresholds.from_theta(np.array(spec.where.value))))
    if tails.sign * place <= max(fit.joint for fit in tails.fits):
        return None
    low, high = tail_rate_ends(tails, place, level)
    if high > 0.5 * tails.mass and not surely_beyond(tails, beyond, level):
        return None
    low, high = built * low, built * high
    return (1.0 - high, 1.0 - low) if spec.name in ("tnr", "tpr") else (low, high)


def _tail_at(f: PairEstimate, name: str, value: float) -> _TailAt | None:
    who, side = _RATES[name]
    estimate: Estimate = getattr(f, who)
    law, built, absent = estimate.distribution, 1.0, estimate.params.get(inflated.REJECTED, 0.0)
    result = [tail for tail in estimate.tails if tail.side == side]
    if absent and side == "upper":  # the share hardly varies beside a tail
        law, built = inflated.base_of(law), 1.0 - absent
    coordinate: Coordinate | None = getattr(law, "coordinate", None)
    if not result or coordinate is None:
        return None
    return result[0], coordinate, built, (1.0 - value if name in ("tnr", "tpr") else value) / built


# ------------------------------------------------------------------------------ of a family
#: Scores that a number must expect beyond it, unless extrapolation is asked for.
_TENTH = 0.1


def intervals_of_fit(
    f: PairEstimate, spec: StatisticSpec, options: IntervalOptions
) -> Callable[[float], Interval]:
    """The interval at any level, of a tail or of parameters."""
    options = options if options.method is None else options.by((*METHODS, TAIL_METHOD, FAMILY))
    if options.method == METHODS[1]:
        return lambda level: bare_interval(f, spec, replace(options, level=level))
    of_tail = partial(tail_interval, f, spec, groups=options.groups)
    rests = options.method != METHODS[0] and of_tail(options.level) is not None
    if options.method == TAIL_METHOD and not rests:
        actual = f"{options.method!r}, and {str(spec)!r} rests on none"
        remedy = "Leave it out, or fit with" + vocabulary.worded(' `tails="both"`.')
        raise errors.refusal("method", "suit what rests on a tail of the fit", actual, remedy)
    of_parameters = None if rests else delta_intervals(f, spec, groups=options.groups)

    def at(level: float) -> Interval:
        result = of_tail(level) if rests else None
        if result is None:  # a higher level may reach into the body
            result = (of_parameters or delta_intervals(f, spec, groups=options.groups))(level)
        if options.method == FAMILY:
            result = replace(result, method=f"{result.method}, if the family is right")
        return result

    return at


def check_far_out(f: SupportedPair, spec: StatisticSpec, *, extrapolate: bool) -> None:
    """Refuse a rate that expects less than a tenth of a score."""
    # A rate at a threshold was not asked for: its interval says how far out it may be.
    for item in spec.rates(f.model):
        tails, size = (f.client, f.impostor)[item.who].tails, f._evidence.sizes[item.who]
        rate = float(f._evidence.scored(item).tail)
        if extrapolate or not tails or not item.solved or not 0.0 < rate < 1.0:
            continue
        if size * rate < _TENTH * (1.0 - 1e-12):
            raise errors.InputError.about("extrapolate")(
                f"{item.name} must expect at least {_TENTH:g} of {size:.6g} {CLASSES[item.who]}"
                f" scores to be read off a tail; {str(spec)!r} expects {size * rate:.2g}. Ask for"
                f" a rate of at least {_TENTH / size:.2g}, give about {about(_TENTH / rate)}"
                + vocabulary.worded(" scores, or say `extrapolate=True`:")
                + " the interval then rests on the tail going on as it does."
            )


# ------------------------------------------------------------------------- of any input
#: What the hull is called.
BOTH = "family and scores"
#: Confidence of the scores' own interval that contradicts a fit.
_FLAG = 0.95
_ROUNDING = 1e-12


@runtime_checkable
class Answers(Protocol):
    """What has intervals and differences of its own, such as a curve."""

    def _interval_of(self, stat: Any, argument: Any, point: Any, options: Any, /) -> Interval: ...

    def _difference_of(
        self, other: Any, stat: Any, argument: Any, point: Any, options: Any, /, *, paired: bool
    ) -> Any: ...


@collect_warnings
def interval(
    x: read.ScoresLike | SupportedPair | Answers,
    stat: str | Callable[[ScoreModel], float],
    *given: Any,
    level: float = 0.95,
    method: str | None = None,
    replicates: int = 2000,
    groups: bool = True,
    rng: Any = None,
    extrapolate: bool = False,
    over: str | Mapping[str, float] = strata.POOLED,
    **point: Unpack[StatisticArguments],
) -> Interval:
    """Confidence interval of any number of scores, of a fit or of a curve.

    Of scores, whatever their distribution, a number at a point of the ROC has the values e with

        min over t of 2 n_c K(FRR(t), frr(e)) + 2 n_i K(FAR(t), far(e)) <= chi^2_1 quantile,
        K(p, q) = p log(p/q) + (1 - p) log((1 - p)/(1 - q)),

    where (far(e), frr(e)) are the rates there: (x, e) at FAR = x, (e, e) at the EER.

    Parameters
    ----------
    x : Scores, ScoreSummary, Fit, Epc, frame, (y_true, y_score) or path
        What the number is of.
    stat : str or callable
        A name of :func:`statistics`, its point by a keyword or behind "@" (``"tpr@far=0.01"``); or
        a function of a `ScoreModel`. Of a curve "area" or "value".
    level : float
        Confidence level.
    method : str, optional
        Left out, the first that suits; the result's ``.method`` names it.

        Of a fit: "integrated" of a tail, "delta", "bootstrap"; see `Fit.interval`.
        Of scores: the area has the methods of :func:`auc_interval`. "exact" (Clopper and Pearson):
        a rate at a threshold; the threshold of a rate. "square-and-add" (Zou and Donner): a measure
        of both rates at a threshold, or at its best one. "likelihood", above: a measure at a FAR,
        FRR or TPR, the EER, the break-even point, and their thresholds. "effective-size" (Korn and
        Graubard): a partial area, average precision, the H measure. "log-t": Cllr. "half-sample":
        what is least on the same scores and too low for others. "smoothed": quantiles of replicates
        with normal noise, for points of an alpha. "bootstrap": quantiles of plain replicates, for
        moments and every statistic.
    replicates : int
        Draws of a bootstrap.
    groups : bool
        Where trials carry groups, these vary as wholes.
    rng : None, int, SeedSequence or Generator
        Source of randomness of a bootstrap.
    extrapolate : bool
        Of a fit with tails: allow rates that expect less than a tenth of a score.
    over : {"pooled", "worst"} or mapping
        Of scores with strata: all together, the worst as in :func:`by_stratum`, or their mean by
        weights such as ``{"zero-effort": 0.5, "spoof": 0.5}``. The FRR at a FAR of the worst is
        that at which each stratum has at most this FAR. "max-apcer", "bpcer10", "bpcer20",
        "bpcer100" and "acer" mean the worst species of attack; "iapmr" is of the strata named.
    threshold, far, frr, tpr, alpha, between, at, probability, log_odds : optional
        Where the statistic is taken; of a curve ``alpha=``. A rate may have its name in any field
        (``fpr=``).
    prior, cost_fa, cost_fr : float, optional
        P(client), and costs >= 0 of both errors, of what depends on them; left out, the share of
        clients and 1. `cost_fa` of "a-dcf" may be a mapping of the strata that `over` weighs.

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        If a name, an option or a point is wrong, the input cannot answer, a tail expects less than
        a tenth of a score, a class has fewer than two trials or groups, or weights are no whole
        numbers.
    InputTypeError
        If `x` or `stat` is of another kind, or a point has no keyword.

    Warns
    -----
    ExtrapolationWarning
        If less than one score is expected beyond a rate that was asked for.
    InfluenceWarning
        If scores lie far outside the others of their class.
    MisfitWarning
        If counts contradict the fit there.
    SmallSampleWarning
        If some replicates have no value.

    Notes
    -----
    The likelihood of both binomial counts is maximised over the threshold; where ties leave few
    thresholds, the interval spans those at each that may be the point's. The variance of
    "effective-size" is the jackknife's for average precision, else of influence functions; the H
    measure is first lowered by three quarters of what leaving each score out of its chord costs,
    and the ends of a partial area over few impostors move towards those of the TPR. The noise of
    "smoothed" is Silverman's. What the bins of a summary hide widens both ends. Trials without a
    score count in "far", "frr" and "tpr", not in "fmr", "fnmr" and "tmr". Simulated coverage:
    docs/validation.md.

    "log-t" is Student's t for the logarithm of the mean loss, with as few degrees of freedom as
    trials carry its variance. "half-sample" adds c = (m - m_half)/(2^(2/3) - 1) to the least mean
    loss m, m_half being its mean over halves of each class (seed 0 unless `rng` is given), with the
    variance of the losses and c^2/2; of "calibration-loss" it takes c off; to "min-bayes-error" and
    the upper end of its "square-and-add" it adds c. The estimate is the corrected number, not that
    of the `ScoreModel`. "precision", "npv" and "net-benefit" without a prior count the share of
    clients as uncertain too: squared distances are added. "lr+" and "lr-" are on the log scale,
    with an open end where no rate is seen below.

    References
    ----------
    Claeskens, G. et al. (2003), Empirical likelihood confidence regions for comparison
    distributions and ROC curves. Zou and Donner (2008), as in :func:`difference`. Korn and
    Graubard (1998).

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)])
    >>> eer = br.interval(scores, "eer")
    >>> round(eer.low, 4), round(eer.high, 4), eer.method
    (0.1723, 0.5006, 'likelihood')
    """
    options = IntervalOptions(level, method, replicates, groups, rng, extrapolate=extrapolate)
    if isinstance(x, ScoreModel):
        actual, kind = "a ScoreModel, whose numbers have none", errors.InputTypeError
        raise errors.refusal("x", "have an error", actual, "Fit scores first.", kind)
    types = ScoreData, SupportedPair, Answers
    of = read.as_scores(x, "x", "Scores, a ScoreSummary, a Fit, an Epc", types)
    (of,) = of_comparisons(stat, point, of)
    result: Interval
    lower = dataset_checks.is_lower(of)
    if isinstance(of, SupportedPair):
        spec = parse_statistic(stat, given, **point).inside(lower)
        result = spec.outside(interval_of_fit(of, spec, options), lower)
    elif isinstance(of, ScoreData):
        stat, over = strata.of_species(stat, of, over)
        point, over = strata.costs_over(stat, point, over)
        spec = parse_statistic(stat, given, **point).inside(lower)
        if isinstance(of, Scores):
            give(outliers(of._scored))
        if over == strata.POOLED:
            result = of_scores.interval_of_scores(of, spec, options)
        else:
            result = strata.intervals_over(of, spec, options, over)(options.level)
        result = spec.outside(result, lower)
    else:
        result = of._interval_of(stat, given, point, options)
    return tables.in_library(result, of)


# ------------------------------------------------------------- of a fit beside its scores
def interval_of_fit(f: SupportedPair, spec: StatisticSpec, options: IntervalOptions) -> Interval:
    """The interval of a statistic; `Fit.interval` documents it."""
    check_far_out(f, spec, extrapolate=options.extrapolate)

    def family(chosen: IntervalOptions) -> Interval:
        return intervals_of_fit(f, spec, chosen)(chosen.level)

    with forward_warnings() as notices:
        result: Interval
        if options.method is not None or not is_of_scores(spec, f):
            result = family(options)
        else:
            result = interval_hull(
                str(spec), options, family, partial(_scores_interval, f, spec),
                partial(spec.number, f.model), partial(_closed, f),
            )  # fmt: skip
    contradicted = any(notice.category is errors.MisfitWarning for notice in notices)
    with forward_warnings(but=(errors.MisfitWarning,) * contradicted):  # said of this very number
        result = supported(result, spec, (f._evidence, f.model))
    if result.n_beyond == 0.0 and (f.client.tails or f.impostor.tails):
        warn(
            f"{str(spec)!r} is extrapolated: the fitted tail ends before the threshold, so that"
            " its rate is 0 there. Look at the other end of the interval.",
            errors.ExtrapolationWarning,
        )
        return replace(result, extrapolated=True)
    return result


def _scores_interval(
    f: SupportedPair, spec: StatisticSpec, options: IntervalOptions
) -> Interval | None:
    with suppress_warnings(), suppress(errors.InputError):
        return of_scores.bare_interval_of_scores(scores_of_fit(f)._trials, spec, options)
    return None


def is_of_scores(spec: StatisticSpec, *fits: PairEstimate) -> bool:
    """Whether scores answer by themselves."""
    of_ranks = any(rank_normal.is_of_ranks(f.model.client) for f in fits)
    return spec.is_named and spec.row.of_scores and not of_ranks


def scores_of_fit(f: SupportedPair) -> ScoreData:
    """The scores of a fit that left none out."""
    if any(f._evidence.dropped):
        raise errors.InputError("scores of exactly 0 and 1 were left out of the fit.")
    return f.scores


def _closed(f: SupportedPair, family: Interval, scores: Interval) -> tuple[Interval, Interval]:
    low, high = family.low, family.high
    if not family.method.startswith("tail"):
        lows, highs = zip(f.model.client.support, f.model.impostor.support, strict=True)
        low, high = min(lows), max(highs)
    low, high = (end if math.isinf(x) else x
                 for x, end in ((scores.low, low), (scores.high, high)))  # fmt: skip
    return family, replace(scores, low=low, high=high)


def _has_width(low: Any, high: Any) -> Any:
    return high - low > _ROUNDING * np.minimum(np.abs(low), np.abs(high))


def _hull_ends(family: tuple[Any, Any], scores: tuple[Any, Any]) -> tuple[Any, Any]:
    """The hull, the family's ends at most a length of the scores' beyond theirs."""
    # Scores that leave no width, as replicates of classes apart do, say nothing of what is long.
    length = np.where(_has_width(*scores), scores[1] - scores[0], math.inf)
    low = np.minimum(scores[0], np.maximum(family[0], scores[0] - length))
    return low, np.maximum(scores[1], np.minimum(family[1], scores[1] + length))


def interval_hull(
    name: str, options: IntervalOptions, by_family: Callable[[IntervalOptions], Any],
    by_scores: Callable[[IntervalOptions], Any], estimate: Callable[[], float],
    matched: Callable[[Any, Any], tuple[Any, Any]],
) -> Any:  # fmt: skip
    """The hull of two intervals or differences; of one where the other is refused."""
    alone, scores = replace(options, method=FAMILY), by_scores(options)
    if scores is None:
        return by_family(alone)
    try:
        family = by_family(alone)
    except errors.InputError:
        if not math.isfinite(estimate()):
            raise
        family = replace(scores, estimate=estimate())
    flag = scores if options.level == _FLAG else by_scores(replace(options, level=_FLAG))
    family, scores = matched(family, scores)
    low, high = map(float, _hull_ends((family.low, family.high), (scores.low, scores.high)))
    more = "" if low <= family.estimate <= high else ", and the interval does not hold it"
    told = _tell_left_out(name, family.estimate, flag, more)
    if not told and (low > family.low or high < family.high):
        warn(
            f"{name!r}: the family's interval, {family.low:.4g} to {family.high:.4g}, is cut at one"
            f" length of what the scores say by themselves, {scores.low:.4g} to {scores.high:.4g},"
            " beyond that: it says less than they do. Give more scores, or a family of fewer"
            " parameters.",
            errors.SmallSampleWarning,
        )
    method = scores.method if family.method == scores.method else BOTH
    return replace(family, low=low, high=high, method=method, failed=scores.failed)


def _tell_left_out(
    name: str, estimate: float, scores: Interval | Difference, more: str = ""
) -> bool:
    inside = scores.low <= estimate <= scores.high
    result = bool(more) or (not inside and bool(_has_width(scores.low, scores.high)))
    if result:
        ends = f"{scores.low:.4g} to {scores.high:.4g}, {100 * scores.level:g} %"
        text = f"the scores contradict the fit: its {name} is {estimate:.4g}, theirs"
        give([Notice(errors.MisfitWarning, f"{text} {scores.estimate:.4g} ({ends}){more}")])
    return result


def tell_contradicted(f: SupportedPair, spec: StatisticSpec, estimate: float) -> bool:
    """Whether counts contradict a number of their fit; it warns."""
    scores = _scores_interval(f, spec, IntervalOptions(_FLAG)) if is_of_scores(spec, f) else None
    return scores is not None and _tell_left_out(str(spec), estimate, scores)


# ------------------------------------------------------------------------------ of a curve
#: Of log_tpr where the two tails are as likely.
_LOG_HALF = -math.log(2.0)
#: FARs of a band.
_GRID = 201


@collect_warnings
def roc_band(
    x: ScoreData | SupportedPair,
    *,
    far: npt.ArrayLike | None = None,
    level: float = 0.95,
    simultaneous: bool = False,
    method: str | None = None,
    replicates: int = 2000,
    groups: bool = True,
    rng: Any = None,
    extrapolate: bool = False,
) -> Band:
    """Band around the ROC of scores or of a fit: TPR at each FAR.

    Of scores it is :func:`interval` of "tpr"; simultaneously at the level at which

        max over FARs of abs(deviate of the rank of a replicate's TPR at that FAR)

    stays below the deviate of that level in a share `level` of the replicates.

    Parameters
    ----------
    x : Scores, ScoreSummary or Fit
        What the ROC is of.
    far : array_like, optional
        Fractions; 201 equally spaced ones where left out.
    simultaneous : bool
        One statement about all FARs.
    method : str, optional
        Of scores "likelihood"; of a fit "delta" (left out, of a tail as `Fit.interval`) or
        "bootstrap".
    replicates : int
        Draws behind a simultaneous band, or of the bootstrap of a fit.
    level, groups, rng, extrapolate
        As in :func:`interval`.

    Returns
    -------
    Band
        Its `alpha` is the FAR.

    Raises
    ------
    InputError, InputTypeError
        If an option is out of range, a simultaneous band is of a summary, or a tail expects less
        than a tenth of a score.

    Warns
    -----
    ExtrapolationWarning
        If less than one score is expected beyond a given FAR.

    Examples
    --------
    >>> import betaroc as br
    >>> br.roc_band(br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5]), far=[0.5]).low.round(3).tolist()
    [0.145]
    """
    options = IntervalOptions(level, method, replicates, groups, rng, extrapolate=extrapolate)
    simultaneous = checks.flag(simultaneous, "simultaneous")
    at = checks.rates_1d(np.linspace(0.0, 1.0, _GRID) if far is None else far, "far")
    if isinstance(x, SupportedPair):
        options = options if options.method is None else options.by((*METHODS, FAMILY))
        for rate in () if far is None else at[(at > 0.0) & (at < 1.0)].tolist():
            spec = parse_statistic("threshold", (), far=rate)
            check_far_out(x, spec, extrapolate=options.extrapolate)
        evidence, points, failed = x._evidence, x.model.at_far(at), 0
        estimate = np.asarray(x.model.roc().tpr(at))
        of, low, high = _hull_of_fit(x, at, estimate, options, simultaneous=simultaneous)
    elif isinstance(x, ScoreData):
        options, counted = options.by(("likelihood",)), CountedScores(x._trials, options.groups)
        evidence, points, of = counted.evidence, counted.model.at_far(at), "scores"
        estimate = np.asarray(points.tpr)
        low, high, failed = _ends_of_scores(counted, at, options, simultaneous=simultaneous)
    else:
        rule, remedy = "be Scores, a ScoreSummary or a Fit", "Fit scores to a model first."
        raise errors.refusal("x", rule, typed(x), remedy, errors.InputTypeError)
    asked = rates_of_point(points, {vocabulary.FAR: at})
    if far is not None:
        tell(evidence, asked)
    drawn = options.replicates if options.method == "bootstrap" or simultaneous else 0
    band = Band(
        at, estimate, low, high, options.level, simultaneous, of, drawn,
        np.full(at.size, failed), n_beyond=fewest(evidence, asked),
    )  # fmt: skip
    return tables.in_library(band, x)


def _ends_of_scores(
    counted: CountedScores, x: FloatArray, options: IntervalOptions, *, simultaneous: bool
) -> tuple[FloatArray, FloatArray, int]:
    data, failed, ends = counted.data, 0, []
    dataset_checks.warn_of_reversed(data._distributions, "scores")
    if simultaneous:
        level, failed = _joint_level(counted, x, options)
        options = replace(options, level=level)
    for rate in x.tolist():
        near = of_scores.PointLikelihood(counted, EvaluationPoint("far", rate), options.level)
        ends.append(near.ends_of("frr", options))
    off = data.rate_error[1] if isinstance(data, summary.ScoreSummary) else 0.0
    high, low = 1.0 - np.array(ends).reshape(-1, 2).T
    return np.maximum(low - off, 0.0), np.minimum(high + off, 1.0), failed


def _joint_level(
    counted: CountedScores, x: FloatArray, options: IntervalOptions
) -> tuple[float, int]:
    from scipy.special import ndtr, ndtri
    from scipy.stats import rankdata

    data = counted.data
    if not isinstance(data, Scores):
        rule, remedy = "be False of a summary", "A simultaneous band needs the scores themselves."
        raise errors.refusal("simultaneous", rule, "True", remedy)
    check_still(data, "x", groups=options.groups)
    drawn = DrawnScores((data,), options).tpr(x)
    failed = options.replicates - len(drawn)
    if not len(drawn):
        rule = "have some with both classes for a simultaneous band"
        raise errors.refusal("replicates", rule, f"none of {failed}", "Give more groups.")
    ranks = rankdata(drawn, axis=0)
    largest = np.max(np.abs(ndtri((ranks - 0.5) / len(drawn))), axis=1)
    reach = max(float(np.quantile(largest, options.level)), options.deviate)
    return float(1.0 - 2.0 * ndtr(-reach)), failed


def _hull_of_fit(
    f: SupportedPair, x: FloatArray, estimate: FloatArray, options: IntervalOptions, *,
    simultaneous: bool,
) -> tuple[str, FloatArray, FloatArray]:  # fmt: skip
    scores = None
    if options.method is None and not rank_normal.is_of_ranks(f.model.client):
        with suppress_warnings(), suppress(errors.InputError):
            counted = CountedScores(scores_of_fit(f)._trials, options.groups)
            scores = _ends_of_scores(counted, x, options, simultaneous=simultaneous)[:2]
    alone = replace(options, method=None) if options.method == FAMILY else options
    try:
        ends = _ends_of_fit(f, x, estimate, alone, simultaneous=simultaneous)
    except errors.InputError:
        if scores is None:
            raise
        return "scores", *scores
    low, high = ends if scores is None else _hull_ends(ends, scores)
    # A TPR never falls: where FARs ascend, neither do its ends.
    if np.all(np.diff(x) >= 0.0):
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return "fit" if scores is None else BOTH, low, high


def _ends_of_fit(
    f: SupportedPair, x: FloatArray, estimate: FloatArray, options: IntervalOptions, *,
    simultaneous: bool,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    from scipy.special import ndtr

    near = near_of(f, groups=options.groups, of=lambda model: model.roc().tpr(x))
    if options.method == "bootstrap":
        drawn = near.drawn(lambda model: model.roc().tpr(x), options, x.size)
        return band_of_replicates(drawn, estimate, options, (0.0, 1.0), simultaneous=simultaneous)
    logits, small = Thresholds.from_theta(x).logit, near.small
    place = tpr_probits(near.base, logits)
    inside = np.isfinite(place)
    changes = near.slopes(lambda model: tpr_probits(model, logits))
    slopes = np.where(inside[:, None] & np.isfinite(changes), changes, 0.0)
    reach = small.largest(slopes, options) if simultaneous else small.reach(slopes, options.level)
    away = reach * np.sqrt(np.sum(slopes**2, axis=1))
    low, high = (np.where(inside, ndtr(place + s * away), estimate) for s in (-1.0, 1.0))
    if options.method is None and f.impostor.tails:
        level = float(1.0 - 2.0 * ndtr(-float(np.max(reach)))) if simultaneous else options.level
        for k in np.flatnonzero(inside):
            spec = parse_statistic("tpr", (), far=float(x[k]))
            result = tail_interval(f, spec, level, groups=options.groups)
            if result is not None:
                low[k], high[k] = result.low, result.high
    return low, high


def tpr_probits(model: ScoreModel, u: FloatArray) -> FloatArray:
    """Probit of TPR where FAR = expit(u), to all digits."""
    from scipy.special import ndtri, ndtri_exp

    if any(law.atoms.places.size for law in (model.client, model.impostor)):
        return np.asarray(ndtri(model.roc().tpr(np.exp(-softplus(-u)))))
    with np.errstate(divide="ignore", under="ignore"):
        t = roc_functions.places_of_far(model._pair, u)
        log_tpr, log_frr = model.client._upper(t)[1], model.client._lower(t)[1]
        low = ndtri_exp(np.minimum(log_tpr, _LOG_HALF))
        high = -ndtri_exp(np.minimum(log_frr, _LOG_HALF))
    return np.asarray(np.where(log_tpr < _LOG_HALF, low, high))
