"""The interval of any number of scores, of a fit, or of whatever answers for itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, Unpack, runtime_checkable

import numpy as np

from betaroc.core.errors import (
    ExtrapolationWarning,
    InputError,
    InputTypeError,
    MisfitWarning,
    SmallSampleWarning,
)
from betaroc.core.notices import Notice, passed_on, public, quietly, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.tables import in_library
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import ScoreData, Scores, of_comparisons
from betaroc.estimation.estimate import give, outliers
from betaroc.inference.delta import supported
from betaroc.inference.interval import Interval
from betaroc.inference.of_scores import bare_interval_of_scores, interval_of_scores
from betaroc.inference.scores_beyond import SupportedPair
from betaroc.inference.tail_intervals import FAMILY, intervals_of_fit, refuse_far_out
from betaroc.model.asking import Asking, PointArguments, asking
from betaroc.model.model import ScoreModel

#: What the hull is called.
BOTH = "family and scores"
#: Confidence of the scores' own interval that contradicts a fit.
_FLAG = 0.95
_ROUNDING = 1e-12


@runtime_checkable
class Answers(Protocol):
    """What has intervals of numbers of its own, such as a curve."""

    def _interval_of(
        self, stat: Any, given: tuple[Any, ...], point: PointArguments, options: IntervalOptions
    ) -> Interval:
        """The interval of a number."""


@public
def interval(
    x: ScoresLike | SupportedPair | Answers,
    stat: str | Callable[[ScoreModel], float],
    *given: Any,
    level: float = 0.95,
    method: str | None = None,
    replicates: int = 2000,
    groups: bool = True,
    rng: Any = None,
    extrapolate: bool = False,
    **point: Unpack[PointArguments],
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
        A name of :func:`statistics`, with its point by a keyword or behind "@", such as
        ``"tpr@far=0.01"``; or a function of a `ScoreModel`. Of a curve "area" or "value".
    level : float
        Confidence level.
    method : str, optional
        Left out, the first that is named here, as the result's ``.method`` then says.

        Of a fit: "integrated" of what rests on a tail, "delta", "bootstrap"; see
        `Fit.interval`.
        Of scores: the area has the methods of :func:`auc_interval`. "exact" (Clopper and Pearson):
        a rate at a fixed threshold; the threshold of a rate, between two scores. "square-and-add"
        (Zou and Donner): a measure of both rates at a fixed threshold, or at the threshold that is
        best by it, such as the least HTER. "likelihood", above: a measure at a FAR, an FRR or a
        TPR, the EER, the break-even point, and the threshold of these two. "effective-size"
        (Korn and Graubard): a partial area, average precision, the H measure, as shares of as
        many scores as their variance is worth. "smoothed": quantiles of replicates with normal
        noise, for thresholds of an alpha and what else is taken there. "bootstrap": quantiles of
        plain replicates, for moments; it is there for every statistic.
    replicates : int
        Draws of a bootstrap, at least 1.
    groups : bool
        Where trials carry groups, these vary as wholes; counts are then worth fewer trials (Korn
        and Graubard).
    rng : None, int, SeedSequence or Generator
        Source of randomness of a bootstrap.
    extrapolate : bool
        Of a fit with tails: allow points at rates that expect less than a tenth of a score.
    threshold, far, frr, tpr, alpha, between, at : optional
        Where the statistic is taken, as in `Fit.interval`; of the value of a curve ``alpha=``. A
        rate may have its name in any field, such as ``fpr=`` or ``specificity=``, ``level`` that
        of ``confidence``.

    Returns
    -------
    Interval
        ``n_beyond`` scores speak for it; ``sparse`` where these are fewer than five, and the
        interval is rough; ``failed`` replicates had no value.

    Raises
    ------
    InputError
        If a name or option is out of range, a point is missing, superfluous or of the wrong kind,
        the input cannot answer (a summary asked for what needs scores, scores asked for a parameter
        of a distribution), a tail expects less than a tenth of a score and `extrapolate` is
        not set, a class has fewer than two trials or groups to draw, or weights are no
        whole numbers.
    InputTypeError
        If `x` or `stat` is of another kind, or a point is given without its keyword.

    Warns
    -----
    ExtrapolationWarning
        If less than one score is expected beyond a rate that was asked for.
    InfluenceWarning
        If scores lie far outside all others of their class, such as codes for missing ones.
    MisfitWarning
        If counts contradict the fit there.
    SmallSampleWarning
        If the statistic has no value in some replicates.

    Notes
    -----
    The likelihood is that of both binomial counts, maximised over the threshold, which is unknown
    (empirical likelihood, Claeskens et al. 2003): no density is estimated and nothing is drawn.
    Where ties leave few thresholds, steps of half a standard error or more, the interval spans
    those of the measure at each threshold that may be the point's, and that of a threshold all
    places between two scores, which decide alike.

    That the best threshold varies costs the value there nothing of first order, and makes it a
    little too good on its own scores: of 100 to 10 000 scores the interval at that threshold still
    covers (simulated). The variance behind "effective-size" is that of the jackknife for average
    precision, of influence functions for the others; the H measure, whose hull suits the scores
    that give it, is first lowered by three quarters of what leaving each score out of its chord
    costs. Of a range of FARs that expects few impostors the ends of the partial area move towards
    those of the TPR at the ends of the range. The noise of "smoothed" is Silverman's, on the sum of
    the normal deviates of the ranks in both classes. Simulated coverage of all methods:
    docs/validation.md. A summary is counted at the borders of its bins; what is off inside
    them is added to both ends. Where some trials have no score, "far", "frr" and "tpr" are shares
    of all trials; "fmr", "fnmr" and "tmr", with points such as "@fmr=0.01", are those of the trials
    that have one.

    References
    ----------
    Claeskens, G., Jing, B.-Y., Peng, L. and Zhou, W. (2003), Empirical likelihood confidence
    regions for comparison distributions and ROC curves. Zou, G. Y. and Donner, A. (2008),
    Construction of confidence limits about effect measures. Korn, E. L. and Graubard, B. I. (1998),
    Confidence intervals for proportions with small expected number of positive counts.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)])
    >>> eer = br.interval(scores, "eer")
    >>> round(eer.estimate, 4), round(eer.low, 4), round(eer.high, 4), eer.method
    (0.3214, 0.1723, 0.5006, 'likelihood')
    >>> br.interval(scores, "far", threshold=0.6).method
    'exact'
    """
    options = IntervalOptions(level, method, replicates, groups, rng, extrapolate=extrapolate)
    if isinstance(x, ScoreModel):
        raise InputTypeError.about("x")(
            "x must have an error; got a ScoreModel, whose numbers have none. Fit scores first."
        )
    types = ScoreData, SupportedPair, Answers
    of = as_scores(x, "x", "Scores, a ScoreSummary, a Fit, an Epc", types)
    (of,) = of_comparisons(stat, point, of)
    if isinstance(of, SupportedPair):
        return in_library(interval_of_fit(of, asking(stat, given, **point), options), of)
    if isinstance(of, ScoreData):
        if isinstance(of, Scores):
            give(outliers(of._scored))
        return in_library(interval_of_scores(of, asking(stat, given, **point), options), of)
    made: Interval = in_library(of._interval_of(stat, given, point, options), of)
    return made


# ------------------------------------------------------------------------------ of a fit
def interval_of_fit(f: SupportedPair, asked: Asking, options: IntervalOptions) -> Interval:
    """The interval of a statistic, and what it rests on; `Fit.interval` documents it."""
    refuse_far_out(f, asked, extrapolate=options.extrapolate)
    with passed_on() as notices:
        found: Interval = _interval(f, asked, options)
    contradicted = any(one.category is MisfitWarning for one in notices)
    with passed_on(but=(MisfitWarning,) if contradicted else ()):  # said of this very number
        found = supported(found, asked, (f._evidence, f.model))
    if found.n_beyond == 0.0 and (f.client.tails or f.impostor.tails):
        warn(
            f"{str(asked)!r} is extrapolated: the fitted tail ends before the threshold, so that"
            " its rate is 0 there. Look at the other end of the interval.",
            ExtrapolationWarning,
        )
        return replace(found, extrapolated=True)
    return found


def _interval(f: SupportedPair, asked: Asking, options: IntervalOptions) -> Any:
    def family(chosen: IntervalOptions) -> Interval:
        return intervals_of_fit(f, asked, chosen)(chosen.level)

    if options.method is not None or not is_of_scores(asked):
        return family(options)
    number, matched = partial(asked.number, f.model), partial(_closed, f)
    return interval_hull(
        str(asked), options, family, partial(_own_interval, f, asked), number, matched
    )


def _own_interval(f: SupportedPair, asked: Asking, options: IntervalOptions) -> Interval | None:
    """That of the scores; None where they are refused."""
    with quietly(), suppress(InputError):
        return bare_interval_of_scores(scores_of_fit(f)._trials, asked, options)
    return None


def is_of_scores(asked: Asking) -> bool:
    """Whether scores answer by themselves."""
    return asked.is_named and asked.row.of_scores


def scores_of_fit(f: SupportedPair) -> ScoreData:
    """The scores that a fit is of; refuses one that left some of them out."""
    if any(f._evidence.dropped):
        raise InputError("scores of exactly 0 and 1 were left out of the fit.")
    return f.scores


def _closed(f: SupportedPair, family: Interval, own: Interval) -> tuple[Interval, Interval]:
    """Where the scores leave an end open that of a tail, else that of the scale."""
    ends = family.low, family.high
    if not family.method.startswith("tail"):
        lows, highs = zip(f.model.client.support, f.model.impostor.support, strict=True)
        ends = min(lows), max(highs)
    low, high = (e if math.isinf(x) else x for x, e in zip((own.low, own.high), ends, strict=True))
    return family, replace(own, low=low, high=high)


def _has_width(low: Any, high: Any) -> Any:
    """Whether two ends are apart by more than the rounding of sums."""
    return high - low > _ROUNDING * np.minimum(np.abs(low), np.abs(high))


def hull_ends(family: tuple[Any, Any], own: tuple[Any, Any]) -> tuple[Any, Any]:
    """Ends of both, of the family's no more than a length of the scores' own beyond that.

    Scores that leave no width, as replicates of classes apart do, say nothing of what is too long.
    """
    length = np.where(_has_width(*own), own[1] - own[0], math.inf)
    low = np.minimum(own[0], np.maximum(family[0], own[0] - length))
    return low, np.maximum(own[1], np.minimum(family[1], own[1] + length))


def interval_hull(
    name: str, options: IntervalOptions, by_family: Callable[[IntervalOptions], Any],
    by_scores: Callable[[IntervalOptions], Any], estimate: Callable[[], float],
    matched: Callable[[Any, Any], tuple[Any, Any]],
) -> Any:  # fmt: skip
    """The hull of two intervals, or of two differences, and what is to be said of it.

    Where the scores are refused (weights that are no copies, one group, a summary where rows are
    drawn) it is the family's alone, and says so; where the family has none, that of the scores.

    Parameters
    ----------
    name : str
        Of the number.
    options : IntervalOptions
        Of both.
    by_family, by_scores : callable
        What makes them; of scores None where they are refused.
    estimate : callable
        The number of the fit, where its family has no interval.
    matched : callable
        Both, changed by what the other says.
    """
    alone, own = replace(options, method=FAMILY), by_scores(options)
    if own is None:
        return by_family(alone)
    try:
        family = by_family(alone)
    except InputError:
        if not math.isfinite(estimate()):
            raise
        family = replace(own, estimate=estimate())
    flag = own if options.level == _FLAG else by_scores(replace(options, level=_FLAG))
    family, own = matched(family, own)
    low, high = map(float, hull_ends((family.low, family.high), (own.low, own.high)))
    more = "" if low <= family.estimate <= high else ", and the interval does not hold it"
    told = _tell_left_out(name, family.estimate, flag, more)
    if not told and (low > family.low or high < family.high):
        warn(
            f"{name!r}: the family's interval, {family.low:.4g} to {family.high:.4g}, is cut at one"
            f" length of what the scores say by themselves, {own.low:.4g} to {own.high:.4g}, beyond"
            " that: it says less than they do. Give more scores, or a family of fewer parameters.",
            SmallSampleWarning,
        )
    method = own.method if family.method == own.method else BOTH
    return replace(family, low=low, high=high, method=method, failed=own.failed)


def _tell_left_out(name: str, estimate: float, own: Any, more: str = "") -> bool:
    """Warn, and return, whether an interval of the scores leaves a number of their fit out."""
    inside = own.low <= estimate <= own.high
    found = bool(more) or (not inside and bool(_has_width(own.low, own.high)))
    if found:
        text = (
            f"the scores contradict the fit: its {name} is {estimate:.4g}, theirs"
            f" {own.estimate:.4g} ({own.low:.4g} to {own.high:.4g}, {100 * own.level:g} %){more}"
        )
        give([Notice(MisfitWarning, text)])
    return found


def tell_contradicted(f: SupportedPair, asked: Asking, estimate: float) -> bool:
    """Warn, and return, whether counts contradict a number that was read off a fit of them."""
    own = _own_interval(f, asked, IntervalOptions(_FLAG))
    return own is not None and _tell_left_out(str(asked), estimate, own)
