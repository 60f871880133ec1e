"""The interval of any number of scores, of a fit, or of whatever answers for itself."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Protocol, Unpack, runtime_checkable

from betaroc.core.errors import InputTypeError
from betaroc.core.notices import public
from betaroc.core.options import IntervalOptions
from betaroc.core.tables import in_library
from betaroc.core.text import shown
from betaroc.data.accepted import of_comparisons
from betaroc.data.scores import ScoreData
from betaroc.inference.interval import Interval
from betaroc.inference.of_scores import interval_of_scores
from betaroc.inference.scores_beyond import SupportedPair
from betaroc.inference.tail_intervals import interval_of_fit
from betaroc.model.asking import PointArguments, asking
from betaroc.model.model import ScoreModel


@runtime_checkable
class Answers(Protocol):
    """What has intervals of numbers of its own, such as a curve."""

    def _interval_of(
        self, stat: Any, given: tuple[Any, ...], point: PointArguments, options: IntervalOptions
    ) -> Interval:
        """The interval of a number."""


@public
def interval(
    x: ScoreData | SupportedPair | Answers,
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
    x : Scores, ScoreSummary, Fit or Epc
        What the number is of.
    stat : str or callable
        A name of :func:`statistics`, with its point by a keyword or behind "@", such as
        ``"tpr@far=0.01"``; or a function of a `ScoreModel`. Of a curve "area" or "value".
    level : float
        Confidence level.
    method : str, optional
        Left out, the first that is named here, as the result's ``.method`` then says.

        Of a fit: "integrated", "profile" of what rests on a tail, "delta", "bootstrap"; see
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
        Where the statistic is taken, as in `Fit.interval`; of the value of a curve ``alpha=``.

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
    docs/intervals_results.md. A summary is counted at the borders of its bins; what is off inside
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
    (x,) = of_comparisons(stat, point, x)
    if isinstance(x, SupportedPair):
        return in_library(interval_of_fit(x, asking(stat, given, **point), options), x)
    if isinstance(x, ScoreData):
        return in_library(interval_of_scores(x, asking(stat, given, **point), options), x)
    if isinstance(x, Answers):
        return in_library(x._interval_of(stat, given, point, options), x)
    raise InputTypeError.about("x")(
        "x must be Scores, a ScoreSummary, a Fit or an Epc; got"
        f" {shown(x)} of type {type(x).__name__}. {_instead(x)}"
    )


def _instead(x: Any) -> str:
    """What to do with something else than scores."""
    if isinstance(x, ScoreModel):
        return "Numbers of a ScoreModel have no error: fit scores first."
    if isinstance(x, str | PathLike):
        return "Read the file with br.read_scores(path)."
    return (
        "Read a file with br.read_scores, make scores of arrays with br.Scores or"
        " br.Scores.from_labels, of a data frame with br.Scores.from_frame."
    )
