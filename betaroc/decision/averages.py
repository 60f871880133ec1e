"""The average of two antagonist rates over the whole axis of each: one number for two curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.notices import public
from betaroc.core.options import IntervalOptions
from betaroc.core.quadrature import integrate_panels
from betaroc.core.value import Result, travelling
from betaroc.core.vocabulary import worded
from betaroc.data.scores import Scores
from betaroc.decision.bands import RESAMPLE
from betaroc.decision.curve import side
from betaroc.inference.differences import Difference, alike, of_replicates
from betaroc.inference.drawn_scores import DrawnScores, interval_of_replicates, refuse_still
from betaroc.inference.interval import Interval
from betaroc.inference.of_scores import CountedScores
from betaroc.inference.paired_trials import on_same_trials, refuse_other_trials, same_trials
from betaroc.inference.scores_beyond import SideInput
from betaroc.model.asking import PointArguments
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES, OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.rendering.nouns import Noun

#: For each pair: criterion of either axis, and the mean of the two rates.
_PAIRS: dict[str, tuple[str, str, Callable[[OperatingPoint], Any]]] = {
    "far-frr": ("far", "frr", lambda p: p.hter),
    "sensitivity-specificity": (
        "sensitivity", "specificity", lambda p: 0.5 * (p.sensitivity + p.specificity)
    ),
    "precision-recall": ("precision", "recall", lambda p: p.mean_precision_recall),
}  # fmt: skip

_MEANS = ("average", "first", "second")


@dataclass(frozen=True, eq=False, repr=False)
class EpcAverage(Result, Noun):
    """Means of (V1 + V2)/2 over the targets of V1, over those of V2, and of both.

    Made by :func:`epc_average`.

    Parameters
    ----------
    first : float
        E[(V1 + V2)/2 | V1], the first rate being the criterion.
    second : float
        E[(V1 + V2)/2 | V2].
    average : float
        G = (first + second)/2.
    undefined : float
        Share of the targets, of both axes, that is left out: precision is 0/0 there.
    dev, test : optional
        The sides, by which `interval` and :func:`difference` draw again.
    asked : tuple
        Pair, range of the targets and prior that were asked for.

    Examples
    --------
    >>> import betaroc as br
    >>> chance = br.ScoreModel(br.Beta(2.0, 3.0), br.Beta(2.0, 3.0))
    >>> round(br.epc_average(chance, chance).average, 9)
    0.5
    """

    first: float
    second: float
    average: float
    undefined: float = 0.0
    _travels = travelling("dev", "test", "asked")
    dev: SideInput | None = field(default=None, compare=False, repr=False)
    test: SideInput | None = field(default=None, compare=False, repr=False)
    asked: tuple[str, float, float, float | None] = field(
        default=("far-frr", 0.0, 1.0, None), compare=False, repr=False
    )

    def interval(
        self,
        stat: str = "average",
        *,
        level: float = 0.95,
        method: str | None = None,
        replicates: int = 2000,
        groups: bool = True,
        rng: Any = None,
    ) -> Interval:
        """Confidence interval of one of the means.

        Percentiles of the mean over score sets drawn again, of dev and of test.

        Parameters
        ----------
        stat : str
            "average", "first" or "second".
        level : float
            Confidence level.
        method : str, optional
            "both" (if left out): dev and test are drawn again; "test": test alone.
        replicates : int
            Draws.
        groups : bool
            Where scores carry groups, these are drawn as wholes.
        rng : None, int, SeedSequence or Generator
            Source of randomness.

        Returns
        -------
        Interval

        Raises
        ------
        InputError
            If an option is out of range, or a side that is to be drawn is no Scores.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([3, 4, 5, 6, 7], [1, 2, 3, 4, 4.5])
        >>> found = br.epc_average(dev, br.Scores([2, 4, 6, 7, 8], [0, 1, 3, 4, 5]))
        >>> interval = found.interval(replicates=200, rng=1)
        >>> interval.low <= found.average <= interval.high
        True
        """
        options = IntervalOptions(level, method, replicates, groups, rng)
        return self._interval_of(stat, (), {}, options)

    def _interval_of(
        self, stat: Any, given: tuple[Any, ...], point: PointArguments, options: IntervalOptions
    ) -> Interval:
        _refuse_point(given, point)
        options, name = options.by(RESAMPLE), checks.choice(stat, _MEANS, "stat")
        values = self._replicates(name, *options.halves(), options)
        return interval_of_replicates(float(getattr(self, name)), values, options, name)

    def _difference_of(
        self, other: EpcAverage, stat: Any, given: tuple[Any, ...], point: PointArguments,
        options: IntervalOptions, *, paired: bool,
    ) -> Difference:  # fmt: skip
        _refuse_point(given, point)
        options, name = options.by(RESAMPLE), checks.choice(stat, _MEANS, "stat")
        if self.asked != other.asked:
            raise InputError(
                f"both averages must be of one pair and range; got {self.asked!r} and"
                f" {other.asked!r}. Compute both alike."
            )
        devs, tests = zip(*(one._scores_of(options) for one in (self, other)), strict=True)
        if paired:
            if isinstance(self.test, Scores) and isinstance(other.test, Scores):
                tests = tuple(on_same_trials((self.test, other.test), ("a", "b")))
            refuse_other_trials(tests[0], tests[1], ("a", "b"), groups=options.groups)
            tests = alike(tests)
        shared = paired and options.method == "both"
        shared = shared and same_trials(devs[0], devs[1], groups=options.groups)
        # The same stream draws the same rows of equally many trials.
        ours, theirs = (one.halves() for one in options.halves())
        streams = (theirs[0] if not shared else ours[0], ours[1] if paired else theirs[1])
        values = [
            replace(one, test=test)._replicates(name, *own, options)
            for one, test, own in zip((self, other), tests, (ours, streams), strict=True)
        ]
        gap = float(getattr(self, name)) - float(getattr(other, name))
        return of_replicates(gap, values[0] - values[1], options, name, paired=paired)

    def _scores_of(self, options: IntervalOptions) -> tuple[Scores, Scores]:
        """Dev and test, of which one that is drawn must be scores."""
        wanted = ("dev", "test") if options.method == "both" else ("test",)
        for name in wanted:
            given = getattr(self, name)
            if not isinstance(given, Scores):
                raise InputError(
                    f"{name} must be scores to be drawn again; got {type(given).__name__}. Give"
                    " Scores to epc_average" + worded('`, or take method="test"`.')
                )
            refuse_still(given, name, groups=options.groups)
            CountedScores(given, options.groups)  # whose weights are numbers of copies
        sides = (getattr(one, "_trials", one) for one in (self.dev, self.test))
        return tuple(sides)  # type: ignore[return-value]

    def _replicates(
        self, name: str, of_dev: IntervalOptions, of_test: IntervalOptions, options: IntervalOptions
    ) -> FloatArray:
        """The mean in each replicate, nan where a class came out empty."""
        dev, test = self._scores_of(options)
        tests = DrawnScores((test,), of_test).models()
        devs: Iterator[tuple[Any, ...]] = repeat((dev,))
        if options.method == "both":
            devs = DrawnScores((dev,), of_dev).models()
        pair, low, high, prior = self.asked
        found = np.full(options.replicates, np.nan)
        for k, ((one,), (two,)) in enumerate(zip(devs, tests, strict=False)):
            if one is not None and two is not None:
                made = _average(side(one, "dev", prior), side(two, "test", prior), pair, low, high)
                found[k] = getattr(made, name)
        return found


def _refuse_point(given: tuple[Any, ...], point: PointArguments) -> None:
    if given or point:
        raise InputError(
            "a mean over all targets is taken at no point; got"
            f" {checks.shown(given[0] if given else dict(point))}. Leave it out."
        )


@public
def epc_average(
    dev: SideInput,
    test: SideInput,
    pair: str = "far-frr",
    *,
    low: float = 0.0,
    high: float = 1.0,
    prior: float | None = None,
) -> EpcAverage:
    """Mean of two antagonist rates on test over all targets of either on dev.

        E[V | V1] = 1/(high - low) int_low^high V(theta_{V1=v}) dv,   V = (V1 + V2)/2,
        G = (E[V | V1] + E[V | V2])/2,   theta_{V1=v} = argmin abs(V1(theta; dev) - v)

    Parameters
    ----------
    dev, test : Scores, ScoreSummary, ScoreModel or Fit
        Any mix: thresholds come from dev, rates from test.
    pair : str
        "far-frr" (V is the HTER, small is good), "sensitivity-specificity",
        "precision-recall".
    low, high : float
        Range of the targets, the same for both rates.
    prior : float, optional
        P(client) on both sides; where left out, each side's own.

    Returns
    -------
    EpcAverage
        Fractions in [0, 1]. Targets at which precision is 0/0 on test are left out and
        their share is stated.

    Raises
    ------
    InputError
        If the pair is unknown or the range is empty or leaves [0, 1].
    InputTypeError
        If a side is neither scores nor a model nor a fit.

    Notes
    -----
    Means, not the integrals that IDIAP-RR 03-85 prints as expectations: its Table 3 is
    ``(high - low) * first`` of "far-frr" with high = 0.1 and 0.5. Scores on either side
    make V a step function of the target, summed exactly; distributions on both are integrated
    to the last digits.

    With dev = test, continuous distributions and the whole range, A the area under the ROC:
    G = (A + 1/2)/2 for sensitivity and specificity, G = (3/2 - A)/2 for FAR and FRR. For
    precision and recall no precision below the prior pi is reachable, so that
    G = (AP + 1/2 + pi**2/4)/2 if precision rises with the threshold to 1, AP the
    average precision; the papers' formula lacks the last term.

    References
    ----------
    Bengio, S., Keller, M. and Mariethoz, J. (2004), The expected performance
    curve, IDIAP-RR 03-85, equations (19) to (25). Bengio, S., Mariethoz, J. and
    Keller, M. (2005), equations (15) to (18).

    Examples
    --------
    >>> from betaroc import Beta
    >>> model = ScoreModel(Beta(4.0, 2.0), Beta(2.0, 4.0))
    >>> average = epc_average(model, model, "sensitivity-specificity").average
    >>> round(average, 6), round(0.5 * (model.auc() + 0.5), 6)
    (0.698413, 0.698413)
    """
    checks.choice(pair, tuple(_PAIRS), "pair")
    low, high = checks.ascending(low, high)
    of_dev, of_test = side(dev, "dev", prior), side(test, "test", prior)
    found = _average(of_dev, of_test, pair, low, high)
    return replace(found, dev=dev, test=test, asked=(pair, low, high, prior))


def _average(
    of_dev: ScoreModel, of_test: ScoreModel, pair: str, low: float, high: float
) -> EpcAverage:
    first, second, mean = _PAIRS[pair]
    parts = [_mean(of_dev, of_test, name, mean, low, high) for name in (first, second)]
    (one, lost), (other, lost_too) = parts
    return EpcAverage(one, other, 0.5 * (one + other), 0.5 * (lost + lost_too))


def _mean(
    dev: ScoreModel,
    test: ScoreModel,
    criterion: str,
    mean: Callable[[OperatingPoint], Any],
    low: float,
    high: float,
) -> tuple[float, float]:
    """The mean over the targets where it is defined, and the share where it is not."""

    def value(v: FloatArray) -> FloatArray:
        chosen = CRITERIA[criterion].choose(dev._pair, dev.prior, v)
        return np.asarray(mean(test._point(chosen)))

    if dev._pair.discrete:
        places = CRITERIA[criterion].levels(dev._pair, dev.prior)
        edges = np.clip(_middles(places), low, high)
        steps = _steps(value, places, np.diff(edges, prepend=low, append=high))
    else:
        edges = _breaks(dev, test, criterion)
        edges = np.concatenate([[low], edges[(edges > low) & (edges < high)], [high]])
        if test._pair.discrete:
            steps = _steps(value, low + _middles(edges - low), np.diff(edges))
        else:
            steps = _integral(value, edges)
    total, kept = steps
    if kept == 0.0:
        return float("nan"), 1.0
    return total / kept, max(0.0, 1.0 - kept / (high - low))


def _middles(x: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (x[1:] + x[:-1]))


def _steps(
    value: Callable[[FloatArray], FloatArray], places: FloatArray, widths: FloatArray
) -> tuple[float, float]:
    """Sum of widths times values, and of the widths, where the value is defined."""
    taken = widths > 0.0
    values, widths = value(places[taken]), widths[taken]
    defined = ~np.isnan(values)
    return math.fsum(widths[defined] * values[defined]), math.fsum(widths[defined])


def _breaks(dev: ScoreModel, test: ScoreModel, criterion: str) -> FloatArray:
    """Targets at which the choice on dev may jump, or its threshold meets a joint of test.

    Between them the threshold moves without a jump through one stretch of test. Of several
    thresholds of one precision the choice changes sides where precision is the prior.
    """
    jumps = CRITERIA[criterion].levels(dev._pair, dev.prior)
    met = np.ravel(MEASURES[criterion].value(dev._point(test._pair.joints)))
    places = [jumps, _middles(jumps), met[~np.isnan(met)], np.array([dev.prior])]
    return np.unique(np.concatenate(places))


def _integral(value: Callable[[FloatArray], FloatArray], edges: FloatArray) -> tuple[float, float]:
    """Integral over the places where the value is defined, and their length."""
    total = integrate_panels(lambda v: np.nan_to_num(value(v)), edges)
    return total, integrate_panels(lambda v: 1.0 - np.isnan(value(v)), edges)
