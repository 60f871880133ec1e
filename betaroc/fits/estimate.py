"""From scores to fits: what users call, with the choice of the family where none is named."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.checks import score_array, span, weights_array
from betaroc.core.errors import FitError, InfluenceWarning, InputError
from betaroc.core.notices import Notice, public
from betaroc.core.tables import library_of
from betaroc.core.terms import BIOMETRIC, TERMS
from betaroc.core.text import shown
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import ScoreData, Scores
from betaroc.estimation.estimate import (
    Options,
    Task,
    estimate_pair,
    give,
    outliers,
    reversed_scores,
    tied,
)
from betaroc.estimation.families import (
    AUTO,
    BEST,
    FAMILIES,
    Names,
    automatic,
    automatic_of_sample,
    checked_pair,
    is_of_counts,
    refuse_rule,
)
from betaroc.estimation.record import PairEstimate
from betaroc.fits.family_choice import FamilyComparison, best_comparison
from betaroc.fits.fit import DistributionFit, Fit, held, held_pair, hold_partial
from betaroc.fits.tail_fits import ENDS, TailRequest, with_tails
from betaroc.fits.target_checks import check_targets, misfit
from betaroc.rendering.numbers import percent

#: Tails where the family is poor at the smallest rate that can be checked.
_AS_NEEDED = "as needed"


@public
def fit_distribution(
    sample: npt.ArrayLike,
    family: str = AUTO,
    *,
    weights: npt.ArrayLike | None = None,
    boundary: str | None = None,
    resolution: float | None = None,
    components: int | None = None,
    bounds: tuple[float, float] | None = None,
) -> DistributionFit:
    """Maximum-likelihood fit of one distribution to one sample.

    The beta distribution solves digamma(a) - digamma(a+b) = mean log x and
    digamma(b) - digamma(a+b) = mean log(1-x); the normal distribution has divisor n.

    Parameters
    ----------
    sample : array_like, shape (n,)
        Finite scores; in [0, 1] for ``"beta"`` and ``"logit-normal"``.
    family : str
        ``"beta"``, ``"normal"``, ``"logit-normal"``, ``"beta-mixture"``,
        ``"normal-mixture"`` or ``"empirical"``;
        ``"auto"``: beta where every score lies in [0, 1], else normal, as ``.family`` then says.
    weights : array_like, shape (n,), optional
        Frequencies: weight k counts as k copies.
    boundary : str, optional
        What becomes of scores of exactly 0 and 1. Left out: point masses with their
        observed shares, with a `BoundaryWarning`. ``"inflate"``: the same, without.
        ``"error"``: refuse. ``"drop"``: leave them out. ``"squeeze"``: fit
        (s (n-1) + 1/2) / n. ``"censor"``: scores <= resolution count as F(resolution),
        scores >= 1 - resolution as 1 - F(1 - resolution). ``"matlab"``: as `betafit` does,
        censored at 2**-511 and 1 - 2**-53.
    resolution : float, optional
        Alone: the scores are rounded to multiples of it, and the likelihood is that of the cells
        k * resolution +- resolution / 2, cut to the support. Of families of one density on any
        scale: not of mixtures and families of both classes.
    components : int, optional
        Components of a mixture, two where left out.
    bounds : tuple of float, optional
        Ends of the range that scores can have, as of :func:`fit`.

    Returns
    -------
    DistributionFit

    Raises
    ------
    InputError
        Scores outside [0, 1], not finite, or options that contradict one another.
    InputTypeError
        A sample that is not numeric.
    DegenerateDataError
        No maximum exists: fewer than two distinct scores inside (0, 1), or a distribution more
        concentrated than a + b = 1e12.
    FitError
        The solver stopped early, or no mixture was found that is likelier than one beta
        distribution; the partial result is the error's ``result``.

    Warns
    -----
    BoundaryWarning
        If scores are exactly 0 or 1.
    SmallSampleWarning
        If the total weight is below 10.
    InfluenceWarning
        If the fit without the least or the largest score has less than half or more than twice a
        shape or sigma, or a location farther off than its scatter, and by 60/n where that is more
        (not of more than two parameters, nor of fits in cells).
    ScaleWarning
        If ``"auto"`` took a normal distribution though at least 95 % of the scores lie in [0, 1].

    Notes
    -----
    The support is fixed to [0, 1]; location and scale are never fitted. Scores outside
    [0, 1] are meaningless for such a distribution, and end points estimated from a sample are not
    regular: they sit at its extremes, the likelihood is unbounded for shapes below 1, and
    two classes would get two different scales, hence no ROC curve.

    The maximum exists and is unique with two or more distinct scores strictly inside
    (0, 1). Parameters carry 10 or more correct digits, for scores from 5e-324 to 1 - 2**-53
    and a + b up to 1e12. Squeezing is inconsistent for a < 1/2, and a censoring edge is a
    modelling choice: both are there for comparison.

    The likelihood of a mixture is unbounded where a component shrinks to a point. The estimate is
    its largest local maximum found from several starts (EM, then Newton's method) in which
    every component has five scores and at most 1e4 times the concentration of one beta distribution
    of all scores; it is never less likely than that distribution. Components are in the order of
    their means, and the weight of the last is what the others leave.

    References
    ----------
    Omar, L. and Ivrissimtzis, I., Using theoretical ROC curves for analysing
    machine learning binary classifiers, section 3. Dempster, A. P., Laird, N. M. and Rubin, D. B.
    (1977), Maximum likelihood from incomplete data via the EM algorithm.

    Examples
    --------
    >>> from betaroc.fits.estimate import fit_distribution
    >>> result = fit_distribution([0.1, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.85])
    >>> round(result.params["a"], 6), round(result.std_errors["a"], 4)
    (1.860003, 0.7823)
    """
    if isinstance(family, tuple | list):
        raise InputError.about("family")(
            f"family must be one name for one sample; got {shown(family)}. A pair of names is for"
            " br.fit, which has two."
        )
    name, _ = checked_pair(family, (AUTO,))
    if FAMILIES.get(name) is not None and FAMILIES[name].of_pairs:
        raise InputError.about("family")(
            f'family="{name}" must be fitted to both classes; it says nothing of one sample.'
            " Use br.fit(Scores(client, impostor), family)."
        )
    bounds = None if bounds is None else span(bounds, "bounds")
    options, extremes = Options(boundary, resolution, components, bounds), _finite_extremes(sample)
    kept = is_of_counts(name)  # the distribution holds the scores: a copy of them
    values = score_array(sample, "sample") if extremes is None or kept else np.asarray(sample)
    notices: list[Notice] = []
    if name == AUTO:
        name, notices = _automatic_name(values, extremes, options)
    task = Task.of(name, options)
    if weights is not None:
        weights = weights_array(weights, values.size, "weights")
    try:
        result, said = task.run("sample", values, weights, extremes)
    except FitError as error:
        hold_partial(error, library_of(sample))
        raise
    notices = notices + said
    if notices:
        give(notices)
    return held(result, library_of(sample))


def _finite_extremes(sample: npt.ArrayLike) -> tuple[float, float] | None:
    """Lowest and highest of a float64 vector of finite numbers; None for anything else.

    Such a vector needs no further check and, as nothing here keeps or changes it, no copy.
    """
    if type(sample) is not np.ndarray or sample.dtype != np.float64 or sample.ndim != 1:
        return None
    if sample.size == 0:
        return None
    low, high = float(np.minimum.reduce(sample)), float(np.maximum.reduce(sample))
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def _automatic_name(
    values: FloatArray, extremes: tuple[float, float] | None, options: Options
) -> tuple[str, list[Notice]]:
    if options.bounds or (extremes and extremes[0] >= 0.0 and extremes[1] <= 1.0):
        return "beta", []
    chosen = automatic_of_sample(values)
    refuse_rule(chosen, options.boundary)
    return chosen.family, chosen.notices


@public
def fit(
    scores: ScoresLike,
    family: Names = AUTO,
    *,
    boundary: str | None = None,
    resolution: float | None = None,
    components: int | None = None,
    tails: str | Mapping[str, str] | None = None,
    tail_sizes: int | Sequence[int] | None = None,
    bounds: tuple[float, float] | None = None,
) -> Fit:
    """Maximum-likelihood fit of both classes: from scores to a model.

    Parameters
    ----------
    scores : Scores, ScoreSummary, frame, (y_true, y_score) or path
        Client and impostor scores, or their sums: a summary is fitted from what `summarize` kept,
        whatever number of rows that was.
    family : str or pair of str
        ``"auto"``: beta where every score lies in [0, 1], else normal. Or ``"beta"``,
        ``"normal"``, ``"logit-normal"``, ``"beta-mixture"``, ``"normal-mixture"``,
        ``"empirical"``, for both classes;
        or a pair of these, (client, impostor). ``"proper-beta"``: two beta distributions whose ROC
        is concave, a_c >= a_i and b_c <= b_i, ``"dual-beta"``: clients Beta(p, 1), impostors
        Beta(1, q), and ``"equal-variance-normal"``: two normal ones of one sigma, are families of
        both classes and stand alone. ``"best"``: the pair that
        `compare_families` recommends, a class at a time; where families cannot be compared (fewer
        than 10 distinct scores of a class inside (0, 1), a summary) that of ``"auto"``. What was
        chosen, and why, is said in ``.family`` and ``.reason``. Where the family it takes is poor
        at the smallest rate that `check_fit` can check, impostors get an upper tail, clients a
        lower one, which is said too.
    boundary, resolution : optional
        The rule for scores of exactly 0 and 1 and for rounded scores; see
        :func:`fit_distribution`. In a pair it is for the class whose family has it; beside
        ``"best"`` only families that have such a rule are compared, of rounded scores by cells.
    components : int, optional
        Components of each distribution of a mixture, two where left out.
    tails : str or dict, optional
        Ends where a generalised Pareto tail of the most extreme scores takes the place of the
        family: ``"both"``, ``"upper"``, ``"lower"``, or one of these a class, such as
        ``{"impostor": "upper", "client": "lower"}``, the ends that FAR and FRR rest on.
    tail_sizes : int or sequence of int, optional
        Scores beyond the joint of a tail, each at least 20; 30 and 50 where left out. Of several
        sizes the tail has the mean thresholds, and intervals span those of all.
    bounds : tuple of float, optional
        Ends of the range that scores can have, such as (-1, 1) of cosines. Families on [0, 1] are
        then fitted to where a score lies between them, and their distributions are those on
        [0, 1], moved by `Shifted`; tails are on the logit between them. Scores in [0, 1] have
        theirs on the logit anyhow, others without `bounds` on the score itself.

    Returns
    -------
    Fit
        ``.model`` is the pair of distributions, with the observed weighted client share as prior.

    Raises
    ------
    InputTypeError
        If `scores` is neither a `Scores` nor a `ScoreSummary`.
    InputError, DegenerateDataError, FitError
        As in :func:`fit_distribution`; the message names the class. Of a summary also for what
        needs the scores themselves: mixtures, `resolution`, the rules ``"squeeze"``,
        ``"censor"`` and ``"matlab"``, tails, and distributions with a + b > 1e6. For tails: fewer
        than 200 scores in a class, sizes above a quarter of them, fewer than 20 scores (5 different
        ones) beyond a joint, scores that pile up at the end itself, scores outside `bounds`.

    Warns
    -----
    ReversedScoresWarning
        If impostors score higher than clients (empirical AUC < 1/2). Nothing is flipped.
    BoundaryWarning, SmallSampleWarning, InfluenceWarning
        As in :func:`fit_distribution`, once for both classes; the second also of a value that
        lies far outside the others of its class, such as -999 for a missing score.
    MisfitWarning
        If the distributions do not describe the scores: a distribution function is more than
        0.05 + 1.36/sqrt(n) from the share of the scores, or a rate between 1 and 10 % is
        "poor" in :func:`check_fit`.
    ScaleWarning
        If ``"auto"`` or ``"best"`` took normal distributions though at least 95 % of the scores
        lie in [0, 1]; or if the shape of a tail is beyond 0.5.
    DiscretenessWarning
        If fewer than half of a class's inner scores are distinct and no `resolution` is given
        (not of a summary, which does not count distinct scores).

    Notes
    -----
    Of a summary the sums are all there is: beta distributions have a relative error of about
    1e-14 (a + b), and sigma of a logit-normal distribution one of about 1e-16 (mean logit /
    sigma)^2.

    The support of the beta and logit-normal distributions is fixed to [0, 1], for both classes
    alike: no location or scale is fitted, because a common score scale is what makes a ROC curve.
    Where the free fit of ``"proper-beta"`` is not proper already, a, b or both are shared by
    the classes (``Fit.tied``): the likeliest of the concave pairs. Their errors, and intervals of
    the model, are those with these ties given, and cover less where the ties are chance.

    Of a distribution with tails the part between its joints is that of the family, fitted to all
    scores of the class and rescaled; see `Spliced`. The shape of a tail has a penalty that draws it
    to 0, an exponential tail on the coordinate, which is what beta distributions have on the logit.
    Whole-sample families are often wrong where few scores are: see docs/tails.md.

    Trials without a score have a share of their own beside the distribution of the others, the
    parameter "rejected"; distributions and tails are fitted to the scores.

    References
    ----------
    Mossman, D. and Peng, H. (2016), Using dual beta distributions to create "proper" ROC curves
    based on rating category data.

    Examples
    --------
    >>> from betaroc import Scores
    >>> client = [0.35, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97]
    >>> impostor = [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.65]
    >>> result = fit(Scores(client, impostor))
    >>> round(result.client.params["a"], 4), result.model.prior
    (3.3701, 0.5)
    """
    data: ScoreData = as_scores(scores, "scores")
    bounds = None if bounds is None else span(bounds, "bounds")
    asked = TailRequest.of(tails, tail_sizes, bounds)
    names, reason = checked_pair(family, (AUTO, BEST)), ""
    if names[0] == BEST:
        if components is not None:
            raise InputError.about("components")(
                'components must be left out for family="best"; it chooses.'
            )
        return best_fit(data, boundary, resolution, tails=asked, bounds=bounds)
    said: list[Notice] = []
    if names[0] == AUTO:
        chosen = automatic([data], bounds=bounds)
        refuse_rule(chosen, boundary)
        names, reason, said = (chosen.family,) * 2, chosen.reason, chosen.notices
    options = Options(boundary, resolution, components, bounds)
    return _fit_pair(data, names, reason, said, options, asked)


def best_fit(
    scores: ScoreData,
    boundary: str | None,
    resolution: float | None,
    found: FamilyComparison | str | None = None,
    *,
    tails: TailRequest | None = None,
    bounds: tuple[float, float] | None = None,
) -> Fit:
    """The recommended pair fitted, with the reason; `fit` documents it as "best"."""
    auto = automatic([scores], BEST, bounds)
    if found is None:
        found = best_comparison(scores, boundary, resolution, bounds)
    if isinstance(found, FamilyComparison):
        names, reason = found.recommended, f"chosen as the best: {found.reason}"
    else:
        refuse_rule(auto, boundary, BEST)
        names = auto.family, auto.family
        reason = f"{auto.reason}; families were not compared: {found.rstrip('.')}"
    options = Options(boundary, resolution, bounds=bounds)
    return _fit_pair(scores, names, reason, auto.notices, options, tails or _AS_NEEDED)


def _fit_pair(
    scores: ScoreData, names: tuple[str, str], reason: str, said: list[Notice], options: Options,
    tails: TailRequest | str | None = None,
) -> Fit:  # fmt: skip
    """Both classes by named families, with all that there is to say of them."""
    try:
        found, more = estimate_pair(scores._scored, names, options, reason)
    except FitError as error:
        hold_partial(error, scores.library)
        raise
    said = said + more
    if isinstance(tails, TailRequest):
        found, more = with_tails(found, tails)
        said = said + more
    elif tails == _AS_NEEDED:
        found, more = _with_needed_tails(found, options.bounds, made=scores.has_rejected)
        said = said + more
    if isinstance(found.scores, Scores) and not is_of_counts(names):
        odd = outliers(found.scores)  # says more than that one of them moves a parameter
        said = [one for one in said if not odd or one.category is not InfluenceWarning] + odd
    for one in misfit(found):
        text = TERMS["matching"].said(one.message) if scores.has_rejected else one.message
        said = [*said, one._replace(message=text)]
    if isinstance(scores, Scores) and scores.has_rejected:
        found = found._rejecting(scores)
    model = found._scored.model
    both = (model.client, model.impostor) if is_of_counts(names) else scores._scored._distributions
    reversed_scores(*both)
    if isinstance(scores, Scores) and options.resolution is None:
        for who, name in zip(CLASSES, names, strict=True):
            if not is_of_counts(name):
                said = said + tied(who, getattr(scores, who), on_unit=FAMILIES[name].on_unit)
    give(said)
    return held_pair(found)


def _with_needed_tails(
    found: PairEstimate, bounds: tuple[float, float] | None, *, made: bool
) -> tuple[PairEstimate, list[Notice]]:
    """Tails of the classes whose family is poor at the smallest rate that can be checked.

    Rates are of comparisons `made` where some trials have no score, which are not among these.
    """
    said: list[Notice] = []
    if not isinstance(found.scores, Scores):
        return found, said
    try:
        checked = check_targets(found)
    except InputError:  # fractional weights, which count nothing
        return found, said
    words = TERMS["matching" if made else BIOMETRIC]
    for rate, who in (("far", "impostor"), ("frr", "client")):
        known = [check for check in checked if check.rate == rate]
        least = min(known, key=lambda check: check.target, default=None)
        if least is None or least.verdict != "poor":
            continue
        why = (
            f"{who}s are poorly fitted at {words.said(rate.upper())} {percent(least.target)}"
            f" ({least.observed:g} scores beyond, {least.expected:.3g} expected)"
        )
        try:
            found, more = with_tails(found, TailRequest.at(who, ENDS[who], bounds))
        except (FitError, InputError) as error:
            why += f" and can have no tail: {str(error).rstrip('.')}"
        else:
            why += f" and have a tail at the {ENDS[who]} end"
            said += more
        found = replace(found, reason=f"{found.reason}; {why}")
    return found, said
