"""From scores to fitted laws: the table of families and the two functions that use it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from betaroc._checks import choice, count, listed, score_array, shown, weights_array
from betaroc._thresholds import FloatArray
from betaroc.errors import FitError, InputError, InputTypeError
from betaroc.fitting.beta import BETA
from betaroc.fitting.boundary import BoundaryRule, Request, Ruled, check_request, estimate_on_unit
from betaroc.fitting.contract import ClassEstimate, Data, Estimate, Family, Matrix, Sample
from betaroc.fitting.dual_beta import DUAL_BETA
from betaroc.fitting.empirical import EMPIRICAL
from betaroc.fitting.logit_normal import LOGIT_NORMAL
from betaroc.fitting.mixture import BETA_MIXTURE
from betaroc.fitting.normal import NORMAL
from betaroc.fitting.notices import (
    Notice,
    empirical_auc,
    give,
    inflated,
    influence,
    reversed_scores,
    small_sample,
    tied,
)  # fmt: skip
from betaroc.fitting.proper_beta import PROPER_BETA
from betaroc.fitting.result import DistributionFit, Fit
from betaroc.fitting.summed import summed_class
from betaroc.model import ScoreModel
from betaroc.scores import Scores
from betaroc.summary import Given, ScoreSummary

__all__ = ["fit", "fit_distribution"]

FAMILIES: dict[str, Family] = {
    "beta": BETA,
    "normal": NORMAL,
    "logit-normal": LOGIT_NORMAL,
    "beta-mixture": BETA_MIXTURE,
    "proper-beta": PROPER_BETA,
    "dual-beta": DUAL_BETA,
    "empirical": EMPIRICAL,
}


class _Class(NamedTuple):
    """One class on its way to a fit."""

    sample: Data
    ruled: Ruled

    @property
    def total(self) -> float:
        """The weight whose trials the covariance is of."""
        rule = self.ruled.rule
        dropped = rule is not None and rule.policy == "drop"
        return self.ruled.base_total if dropped else self.sample.total

    @property
    def seen(self) -> ClassEstimate:
        return ClassEstimate(self.ruled.estimate, self.ruled.base_total, self.total)

    def replaced(self, estimate: Estimate) -> _Class:
        return _Class(self.sample, self.ruled._replace(estimate=estimate))


class _Task(NamedTuple):
    """The checked arguments that both classes of a call share."""

    family: str
    row: Family
    request: Request
    components: int | None

    @classmethod
    def of(cls, family: Any, boundary: Any, resolution: Any, components: Any) -> _Task:
        name = choice(family, tuple(FAMILIES), "family")
        row = FAMILIES[name]
        request = check_request(boundary, resolution, name, row)
        if components is not None:
            components = count(components, "components", 2)
            if row.sized is None:
                raise InputError(
                    f'components must be left out for family="{name}"; got {components}. It belongs'
                    ' to family="beta-mixture".'
                )
        return cls(name, row, request, components)

    def run(
        self,
        name: str,
        values: FloatArray,
        weights: FloatArray | None,
        extremes: tuple[float, float] | None = None,
    ) -> tuple[DistributionFit, list[Notice]]:
        """The fit of one sample and what there is to say about it."""
        return self.finished(self.estimated(Sample.of(name, values, weights, extremes)))

    def run_both(self, scores: Any) -> tuple[Any, ...]:
        """Fits of both classes, what there is to say, their shared covariance and parameters."""
        if isinstance(scores, ScoreSummary) and not self.row.summed:
            raise _needs_rows(self.family)
        of = summed_class if isinstance(scores, ScoreSummary) else _sampled_class
        classes = [self.estimated(of(scores, who)) for who in ("client", "impostor")]
        joined = None if self.row.join is None else self.row.join(*(c.seen for c in classes))
        if joined is not None:
            classes = [c.replaced(e) for c, e in zip(classes, joined[:2], strict=True)]
        fits = [self.finished(one, () if joined is None else joined.tied) for one in classes]
        notices = fits[0][1] + fits[1][1]
        if joined is None:
            return fits[0][0], fits[1][0], notices, None, ()
        return fits[0][0], fits[1][0], notices, joined.shared_cov, joined.tied

    def finished(
        self, one: _Class, ties: tuple[str, ...] = ()
    ) -> tuple[DistributionFit, list[Notice]]:
        result = self._result(one, ties)
        sample, ruled = one
        notices = small_sample(sample.name, sample.total)
        rule = ruled.rule
        if rule is not None and self._unasked(rule):
            notices += inflated(sample, rule, result.params, self.family)
        return result, notices + influence(sample.name, ruled.estimate.influence, ruled.base_total)

    def estimated(self, sample: Data) -> _Class:
        """The estimate of a sample; the error of a failed one carries a result."""
        try:
            return _Class(sample, self._estimate(sample))
        except FitError as error:
            if isinstance(error.result, Estimate):
                ruled = Ruled(error.result, None, sample.total, sample.n)
                error.result = self._result(_Class(sample, ruled))
            raise

    def _unasked(self, rule: BoundaryRule) -> bool:
        """Whether point masses were fitted without anyone having asked for them."""
        return (
            self.request.policy is None
            and rule.policy == "inflate"
            and rule.n_zero + rule.n_one > 0
        )

    def _estimate(self, sample: Data) -> Ruled:
        row = self._row(sample.name)
        if not row.on_unit:
            return Ruled(row.estimate(sample), None, sample.total, sample.n)
        if sample.low < 0.0 or sample.high > 1.0:
            raise _outside(sample, self.family)
        return estimate_on_unit(sample, row, self.request)

    def _row(self, who: str) -> Family:
        """The estimator of one class."""
        if who == "impostor" and self.row.impostor is not None:
            return replace(self.row, estimate=self.row.impostor)
        if self.row.sized is not None and self.components is not None:
            return replace(self.row, estimate=_sized(self.row.sized, self.components))
        return self.row

    def _result(self, one: _Class, ties: tuple[str, ...] = ()) -> DistributionFit:
        e, ruled = one.ruled.estimate, one.ruled
        return DistributionFit(
            self.family,
            e.distribution,
            e.names,
            e.values,
            _scaled(e.covariance, one.total),
            e.log_likelihood,
            ruled.n,
            one.total,
            e.converged,
            e.iterations,
            e.gradient_norm,
            ruled.rule,
            e.fixed,
            ties,
        )


def _sized(
    estimate: Callable[[Data, int], Estimate], components: int
) -> Callable[[Data], Estimate]:
    return lambda sample: estimate(sample, components)


def _scaled(covariance: Matrix, total: float) -> Matrix:
    return tuple([tuple([value / total for value in row]) for row in covariance])


def _needs_rows(family: str) -> InputError:
    summed = [name for name, row in FAMILIES.items() if row.summed]
    return InputError(
        f'family="{family}" must have every score; got a summary, which keeps sums and counts in'
        f" bins only. Fit Scores (all rows, or a random part of them), or one of {listed(summed)}."
    )


def _sampled_class(scores: Scores, who: str) -> Sample:
    return Sample.of(who, getattr(scores, who), getattr(scores, f"{who}_weights"))


def _outside(sample: Data, family: str) -> InputError:
    percent = sample.low >= 0.0 and 2.0 < sample.high <= 100.0
    hint = "They look like percentages: divide by 100. " if percent else ""
    return InputError(
        f'{sample.name} must lie in [0, 1] for family="{family}"; got {sample.n_outside()} of'
        f" {sample.n} outside (min {sample.low:.6g}, max {sample.high:.6g})"
        f"{sample.outside_words()}. {hint}Otherwise fit"
        ' family="normal", or map both classes into [0, 1] by one fixed function first.'
    )


def _finite_extremes(sample: Any) -> tuple[float, float] | None:
    """Lowest and highest of a float64 vector of finite numbers; None for anything else.

    Such a vector needs no further check and, as nothing here keeps or changes it, no copy.
    """
    if type(sample) is not np.ndarray or sample.dtype != np.float64 or sample.ndim != 1:
        return None
    if sample.size == 0:
        return None
    low, high = float(np.minimum.reduce(sample)), float(np.maximum.reduce(sample))
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def fit_distribution(
    sample: Any,
    family: str = "beta",
    *,
    weights: Any = None,
    boundary: str | None = None,
    resolution: float | None = None,
    components: int | None = None,
) -> DistributionFit:
    """Maximum-likelihood fit of one law to one sample.

    The beta law solves digamma(a) - digamma(a+b) = mean log x and
    digamma(b) - digamma(a+b) = mean log(1-x); the normal law has divisor n.

    Parameters
    ----------
    sample : array_like, shape (n,)
        Finite scores; in [0, 1] for ``"beta"`` and ``"logit-normal"``.
    family : str
        ``"beta"``, ``"normal"``, ``"logit-normal"``, ``"beta-mixture"`` or ``"empirical"``.
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
        Alone: the scores are rounded to multiples of it, and the likelihood is that
        of the cells k * resolution +- resolution / 2, cut to [0, 1].
    components : int, optional
        Components of a ``"beta-mixture"``, two where left out.

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
        No maximum exists: fewer than two distinct scores inside (0, 1), or a law more
        concentrated than a + b = 1e12.
    FitError
        The solver stopped early, or no mixture was found that is likelier than one beta law;
        the partial result is the error's ``result``.

    Warns
    -----
    BoundaryWarning, SmallSampleWarning (total weight below 10), InfluenceWarning (one score
    moves a or b by more than half its value, and by more than 10/n of it; one Newton step).

    Notes
    -----
    The support is fixed to [0, 1]; location and scale are never fitted. Scores outside
    [0, 1] are meaningless for such a law, and end points estimated from a sample are not
    regular: they sit at its extremes, the likelihood is unbounded for shapes below 1, and
    two classes would get two different scales, hence no ROC curve.

    The maximum exists and is unique with two or more distinct scores strictly inside
    (0, 1). Parameters carry 10 or more correct digits, for scores from 5e-324 to 1 - 2**-53
    and a + b up to 1e12. Squeezing is inconsistent for a < 1/2, and a censoring edge is a
    modelling choice: both are there for comparison.

    The likelihood of a mixture is unbounded where a component shrinks to a point. The estimate is
    its largest local maximum found from several starts (EM, then Newton's method) in which
    every component has five scores and at most 1e4 times the concentration of one beta law of
    all scores; it is never less likely than that law. Components are in the order of their
    means, and the weight of the last is what the others leave.

    References
    ----------
    Omar, L. and Ivrissimtzis, I., Using theoretical ROC curves for analysing
    machine learning binary classifiers, section 3. Dempster, A. P., Laird, N. M. and Rubin, D. B.
    (1977), Maximum likelihood from incomplete data via the EM algorithm.

    Examples
    --------
    >>> from betaroc.fitting.estimate import fit_distribution
    >>> result = fit_distribution([0.1, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.85])
    >>> round(result.params["a"], 6), round(result.std_errors["a"], 4)
    (1.860003, 0.7823)
    """
    task = _Task.of(family, boundary, resolution, components)
    if task.row.of_pairs:
        raise InputError(
            f'family="{task.family}" must be fitted to both classes; it says nothing of one sample.'
            " Use br.fit(Scores(client, impostor), family)."
        )
    extremes = _finite_extremes(sample)
    kept = task.family == "empirical"  # the law holds the scores: a copy of them
    values = score_array(sample, "sample") if extremes is None or kept else sample
    if weights is not None:
        weights = weights_array(weights, values.size, "weights")
    result, notices = task.run("sample", values, weights, extremes)
    if notices:
        give(notices)
    return result


def fit(
    scores: Any,
    family: str = "beta",
    *,
    boundary: str | None = None,
    resolution: float | None = None,
    components: int | None = None,
) -> Fit:
    """Maximum-likelihood fit of both classes: from scores to a model.

    Parameters
    ----------
    scores : Scores or ScoreSummary
        Client and impostor scores, or their sums: a summary is fitted from what `summarize` kept,
        whatever number of rows that was.
    family : str
        ``"beta"``, ``"normal"``, ``"logit-normal"``, ``"beta-mixture"`` or ``"empirical"``, for
        both classes; ``"proper-beta"``: two beta laws whose ROC is concave, a_c >= a_i and
        b_c <= b_i; ``"dual-beta"``: clients Beta(p, 1), impostors Beta(1, q); or ``"best"``: the
        one that `compare_families` recommends, with its reason in ``.reason``.
    boundary, resolution : optional
        The rule for scores of exactly 0 and 1 and for rounded scores; see
        :func:`fit_distribution`.
    components : int, optional
        Components of each law of a ``"beta-mixture"``, two where left out.

    Returns
    -------
    Fit
        ``.model`` is the pair of laws, with the observed weighted client share as prior.

    Raises
    ------
    InputTypeError
        If `scores` is neither a `Scores` nor a `ScoreSummary`.
    InputError, DegenerateDataError, FitError
        As in :func:`fit_distribution`; the message names the class. Of a summary also for what
        needs the scores themselves: mixtures, ``"best"``, `resolution`, the rules ``"squeeze"``,
        ``"censor"`` and ``"matlab"``, and laws with a + b > 1e6.

    Warns
    -----
    ReversedScoresWarning
        If impostors score higher than clients (empirical AUC < 1/2). Nothing is flipped.
    BoundaryWarning, SmallSampleWarning, InfluenceWarning
        As in :func:`fit_distribution`, once for both classes.
    DiscretenessWarning
        If fewer than half of a class's inner scores are distinct and no `resolution` is given
        (not of a summary, which does not count distinct scores).

    Notes
    -----
    Of a summary the sums are all there is: beta laws have a relative error of about
    1e-14 (a + b), and sigma of a logit-normal law one of about 1e-16 (mean logit / sigma)^2.

    The support of the beta and logit-normal laws is fixed to [0, 1], for both classes alike:
    no location or scale is fitted, because a common score scale is what makes a ROC curve.
    Where the free fit of ``"proper-beta"`` is not proper already, a, b or both are shared by
    the classes (``Fit.tied``): the likeliest of the concave pairs. Their errors, and intervals of
    the model, are those with these ties given, and cover less where the ties are chance.

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
    if not isinstance(scores, Given):
        raise InputTypeError(
            f"scores must be betaroc.Scores or a ScoreSummary; got {shown(scores)} of type"
            f" {type(scores).__name__}. Make one with Scores(client, impostor),"
            " Scores.from_labels(y_true, y_score) or read_scores(path)."
        )
    if family == "best":
        if components is not None:
            raise InputError('components must be left out for family="best"; it chooses.')
        return _best(scores, boundary, resolution)
    task = _Task.of(family, boundary, resolution, components)
    client, impostor, said, shared_cov, ties = task.run_both(scores)
    model = ScoreModel(
        client.distribution, impostor.distribution, prior=scores.prior, name=scores.name
    )
    if isinstance(scores, ScoreSummary):
        reversed_scores(scores.model.auc())
    elif task.family == "empirical":
        reversed_scores(model.auc())
    else:
        samples = scores.client, scores.impostor
        reversed_scores(empirical_auc(*samples, scores.client_weights, scores.impostor_weights))
        if resolution is None:
            said = said + tied("client", samples[0]) + tied("impostor", samples[1])
    give(said)
    return Fit(
        model, scores, client, impostor, task.family, shared_cov=shared_cov, tied=ties
    )  # fmt: skip


def _best(scores: Any, boundary: str | None, resolution: float | None) -> Fit:
    from betaroc.family_choice import best_fit

    return best_fit(scores, boundary, resolution)
