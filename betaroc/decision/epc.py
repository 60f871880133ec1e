"""Expected performance curves by a dev set or by folds, averages over targets, and audits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.errors import BetarocWarning, InputError, SameDataWarning, TargetWarning, refusal
from betaroc.core.notices import collect_warnings, forward_warnings, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.quadrature import integrate_panels
from betaroc.core.tables import Framed, Table, Tabular, first_library, in_library
from betaroc.core.thresholds import Thresholds, mirror
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC, DEFAULT, worded
from betaroc.data.groups import BareTrials, units_of, weights_of
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import ScoreData, Scores, check_words_of_comparisons, require_scores
from betaroc.decision import curve
from betaroc.decision.bands import RESAMPLE, BandOptions, band, curve_replicates, plan_of
from betaroc.decision.curve import ONE_CLASS_RATES, WEIGHTED_ERROR
from betaroc.decision.strata_bands import band_over
from betaroc.decision.strata_draws import strata_curves
from betaroc.distributions.empirical import Empirical
from betaroc.fits.fit import StrataFits
from betaroc.inference import drawn_scores, scores_beyond
from betaroc.inference.differences import Difference, of_replicates
from betaroc.inference.interval import Band, Interval
from betaroc.inference.intervals import interval
from betaroc.inference.of_scores import CountedScores
from betaroc.inference.scores_beyond import SampleSupport, SideInput, SupportedPair
from betaroc.inference.strata import POOLED, Over
from betaroc.model.criteria import CRITERIA
from betaroc.model.dataset_checks import check_sense, warn_of_reversed, warn_of_scales
from betaroc.model.measures import MEASURES, OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import PointArguments, UsedRate, ascending_pair, rates_of_point
from betaroc.rendering import curves as pictures
from betaroc.rendering.curves import Axes
from betaroc.rendering.nouns import Exportable, Readable
from betaroc.rendering.numbers import level_words, number
from betaroc.rendering.tree import Grid, Node, Paragraph


class LossSplit(NamedTuple):
    """Why test observes another value than dev expected: value - expected."""

    #: V(dev threshold; test) - V(test's own threshold; test): the threshold is misplaced.
    threshold: FloatArray
    #: V(test's own threshold; test) - V(dev threshold; dev): the classes are less separable.
    separability: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Epc(Tabular, Exportable):
    """A measure observed on test against the criterion its threshold was chosen for on dev.

    Parameters
    ----------
    dev, test : ScoreModel
        Both sides; scores are empirical distributions.
    criterion, measure, alpha
        As in :func:`epc`.
    chosen : Thresholds
        Dev's thresholds, arrays of shape (k,).
    dev_scores, test_scores : Scores, optional
        The scores of a side.
    dev_fit, test_fit : Fit or StrataFits, optional
        The fit of a side, or those of its strata.
    prior_given : bool
        Whether the prior was given, and does not vary.
    dev_evidence, test_evidence : SampleSupport, optional
        What the data behind a side say of rates.
    over : str or mapping
        "pooled", "worst" or weights of strata.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> dev, test = br.Scores([3, 4, 5], [1, 2, 3]), br.Scores([2, 4, 6], [0, 1, 3])
    >>> curve = br.epc(dev, test, alpha=[0.5])
    >>> curve.threshold.tolist(), curve.value.round(3).tolist()
    ([2.5], [0.333])
    """

    dev: ScoreModel
    test: ScoreModel
    criterion: str
    measure: str
    alpha: FloatArray
    chosen: Thresholds
    _same_length = ("alpha", "chosen.theta", "chosen.complement", "chosen.logit")
    _extra_fields = (
        "dev_scores", "test_scores", "dev_fit", "test_fit", "prior_given", "dev_evidence",
        "test_evidence",
    )  # fmt: skip
    dev_scores: Scores | None = field(default=None, compare=False, repr=False)
    test_scores: Scores | None = field(default=None, compare=False, repr=False)
    dev_fit: SupportedPair | StrataFits | None = field(default=None, compare=False, repr=False)
    test_fit: SupportedPair | StrataFits | None = field(default=None, compare=False, repr=False)
    prior_given: bool = field(default=False, compare=False, repr=False)
    dev_evidence: SampleSupport | None = field(default=None, compare=False, repr=False)
    test_evidence: SampleSupport | None = field(default=None, compare=False, repr=False)
    over: Over = field(default=POOLED, repr=False)

    def _document_part(self, name: str) -> Any:
        value = super()._document_part(name)
        return _in_scale(value, self.dev) if name == "chosen" else value

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Epc:
        content["chosen"] = _in_scale(content["chosen"], content["dev"])
        return super()._restored(content)

    def __str__(self) -> str:
        answer = curve.curve_answer(self)
        return DEFAULT.fill(f"{answer.lead} {answer.text}")

    @property
    def points(self) -> OperatingPoint:
        """Dev's thresholds observed on test."""
        return self.test._point(self.chosen)

    @property
    def threshold(self) -> FloatArray:
        """Thresholds chosen on dev."""
        return np.asarray(self.points.threshold)

    @property
    def logit_threshold(self) -> FloatArray:
        """Their logits; nan unless dev's distributions are continuous on [0, 1]."""
        return np.asarray(self.dev._point(self.chosen).logit_threshold)

    @property
    def far(self) -> FloatArray:
        """FAR observed on test."""
        return np.asarray(self.points.far)

    @property
    def frr(self) -> FloatArray:
        """FRR observed on test."""
        return np.asarray(self.points.frr)

    @property
    def value(self) -> FloatArray:
        """The measure observed on test; nan where it is 0/0."""
        return self._measured(self.points)

    @property
    def expected(self) -> FloatArray:
        """The measure expected on dev at the same thresholds."""
        return self._measured(self.dev._point(self.chosen))

    @property
    def a_posteriori(self) -> FloatArray:
        """The measure at the thresholds that the criterion chooses on test."""
        own = curve.chosen_on(self.test, self.criterion, self.alpha)
        return self._measured(self.test._point(own))

    @property
    def trivial(self) -> BoolArray:
        """Where dev's threshold accepts or rejects everybody on dev."""
        far, frr = self.dev._pair.far(self.chosen), self.dev._pair.frr(self.chosen)
        return np.asarray((far + frr == 1.0) & (far * frr == 0.0))

    @property
    def n_beyond(self) -> FloatArray | None:
        """Scores that speak for each threshold: n min(rate, 1 - rate) of the rates behind it.

        Of the class and side with fewer; None for typed models.
        """
        counts = (scores_beyond.fewest(evidence, asked) for evidence, asked in self._asked())
        result = [least for least in counts if least is not None]
        return np.minimum.reduce(np.broadcast_arrays(*result)) if result else None

    def _asked(self, *, counted: bool = True) -> list[tuple[SampleSupport, list[UsedRate]]]:
        result, dev, test = [], self.dev_evidence, self.test_evidence
        if dev is not None and self.criterion in ONE_CLASS_RATES:
            name, complement = ONE_CLASS_RATES[self.criterion]
            rate, rest = (self.alpha, 1.0 - self.alpha)[:: -1 if complement else 1]
            result.append((dev, [UsedRate(name, rate, rest, True)]))
        elif dev is not None and (counted or any(dev.fitted)):
            # What is counted is not extrapolated, and counting takes time.
            result.append((dev, rates_of_point(self.dev._point(self.chosen))))
        if test is not None and any(test.fitted):
            name, _ = ONE_CLASS_RATES.get(self.measure, ("", False))
            read = rates_of_point(self.points)
            result.append((test, [asked for asked in read if name in ("", asked.name)]))
        return result

    @property
    def strata(self) -> dict[str, Epc]:
        """The curve of each stratum of test at the same thresholds, by name; none of a pooled one.

        Raises
        ------
        InputError
            If the test side is not Scores.
        """
        return {next(iter(e.over)): e for e in strata_curves(self)}

    def _side(
        self, name: str
    ) -> tuple[ScoreModel, Scores | None, SupportedPair | StrataFits | None]:
        model, scores, fit = (getattr(self, f"{name}{what}") for what in ("", "_scores", "_fit"))
        return model, scores, fit

    @property
    def _stationary(self) -> BoolArray:
        """Where the measure is the criterion itself, which has no slope at its best."""
        if (self.criterion, self.measure) == (WEIGHTED_ERROR, WEIGHTED_ERROR):
            return np.ones(self.alpha.size, dtype=np.bool_)
        # Both costs are 1 in a detection cost, whose weights are the classes' shares on test.
        of_test = 1.0 - self.test.prior
        own = {
            (WEIGHTED_ERROR, "hter"): 0.5, (WEIGHTED_ERROR, "dcf"): of_test,
            (WEIGHTED_ERROR, "accuracy"): of_test, (WEIGHTED_ERROR, "youden"): 0.5,
            ("f-measure", "f1"): 0.5, ("weighted-precision-recall", "mean-precision-recall"): 0.5,
        }.get((self.criterion, self.measure), np.nan)  # fmt: skip
        return np.asarray(np.abs(self.alpha - own) < curve.TARGET_MET)

    def _measured(self, points: OperatingPoint) -> FloatArray:
        if self.measure == WEIGHTED_ERROR:
            return np.asarray(self.alpha * points.far + (1.0 - self.alpha) * points.frr)
        return np.asarray(MEASURES[self.measure].value(points))

    def _at_rates(self, rates: tuple[FloatArray, ...], priors: FloatArray) -> FloatArray:
        values = np.empty(rates[0].shape)
        for prior in np.unique(priors):
            rows = priors == prior
            far, frr, tpr, tnr = (rate[rows] for rate in rates)
            point = OperatingPoint(np.nan, far, frr, float(prior), tpr=tpr, tnr=tnr)
            values[rows] = self._measured(point)
        return values

    @property
    def _range(self) -> tuple[float, float]:
        known = MEASURES.get(self.measure)
        return (0.0, 1.0) if known is None else (known.low, known.high)

    @property
    def reachable(self) -> tuple[float, float] | None:
        """Smallest and largest rate that a dev threshold attains; None if alpha is no target."""
        return CRITERIA[self.criterion].reach(self.dev._pair, self.dev.prior)

    def loss_split(self) -> LossSplit:
        """Split value - expected: a misplaced threshold, and a change of separability.

        Returns
        -------
        LossSplit
            ``threshold`` is V(dev threshold; test) - V(test's own; test),
            ``separability`` V(test's own; test) - V(dev threshold; dev).

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> curve = br.epc(data.dev, data.test, alpha=[0.5])
        >>> [part.round(3).tolist() for part in curve.loss_split()]
        [[0.003], [-0.002]]
        """
        best = self.a_posteriori
        return LossSplit(self.value - best, best - self.expected)

    def area(
        self, low: float | None = None, high: float | None = None, *, normalize: bool = True
    ) -> float:
        """Mean of the measure over the criterion, or the papers' integral.

        Parameters
        ----------
        low, high : float, optional
            Range of alpha; left out, that of the curve.
        normalize : bool
            Divide the sum of the trapezoids by high - low; ``False`` gives the integral of IDIAP-RR
            03-85.

        Returns
        -------
        float

        Raises
        ------
        InputError
            If the range is empty or leaves the curve's.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> round(br.epc(model, model, criterion="far", measure="far").area(0.0, 0.5), 9)
        0.25
        """
        start, stop = curve.area_range(self, low, high)
        total = float(curve.weighed(self.value, curve.area_weights(self.alpha, start, stop)))
        return total / (stop - start) if checks.flag(normalize, "normalize") else total

    def interval(
        self,
        stat: str = "area",
        *given: Any,
        level: float = 0.95,
        method: str | None = None,
        replicates: int = 2000,
        groups: bool = True,
        rng: Any = None,
        **point: Unpack[PointArguments],
    ) -> Interval:
        """Confidence interval of the area under the curve, or of its value at an alpha.

        Parameters
        ----------
        stat : str
            "area", as in `area`, or "value".
        method : str, optional
            "both": percentiles of replicates that draw dev, choose thresholds and draw test;
            "test": of test alone. Left out, "test" where dev is a typed model, else "both".
        level, replicates, groups, rng
            As in :meth:`band`.
        threshold, far, frr, tpr, alpha, between, at, probability, log_odds : optional
            ``between=(low, high)`` of an area, ``alpha=`` of a value; no others.

        Returns
        -------
        Interval

        Raises
        ------
        InputError
            If a name or option is out of range, or a side that varies is a typed model.

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> br.epc(data.dev, data.test).interval("area", rng=1).method
        'both'
        """
        options = IntervalOptions(level, method, replicates, groups, rng)
        return in_library(self._interval_of(stat, given, point, options), self)

    def _interval_of(
        self, stat: Any, argument: tuple[Any, ...], point: PointArguments, options: IntervalOptions
    ) -> Interval:
        weights, name = _weights(self, stat, argument, point)
        o = options = options.by(self._drawn_sides)
        band = BandOptions(o.level, "bootstrap", o.replicates, o.groups, o.rng, str(o.method),
                           resample_argument="method")  # fmt: skip
        estimate = float(curve.weighed(self.value, weights))
        if self.over != POOLED:
            several = bool(np.count_nonzero(weights) > 1)
            ends = band_over(self, replace(band, simultaneous=several))
            low, high = (float(curve.weighed(x, weights)) for x in (ends.low, ends.high))
            return Interval(estimate, low, high, o.level, f"{o.method}, band of the curve")
        drawn = curve.weighed(curve_replicates(self, band), weights)
        beyond, at = None, np.flatnonzero(weights)
        if self.n_beyond is not None and at.size == 1 and not np.isnan(self.n_beyond[at[0]]):
            beyond = float(self.n_beyond[at[0]])  # of a mean over many none in particular
        return drawn_scores.interval_of_replicates(estimate, drawn, options, name, beyond)

    def _difference_of(
        self, other: Epc, stat: Any, argument: tuple[Any, ...], point: PointArguments,
        options: IntervalOptions, *, paired: bool,
    ) -> Difference:  # fmt: skip
        check_different(self, other, ("a", "b"))
        weights, name = _weights(self, stat, argument, point)
        options = options.by(self._drawn_sides)
        plan = plan_of((self, other), options, paired=paired)

        def apart(rng: np.random.Generator, size: int) -> FloatArray:
            first, second, *_ = plan.values(rng, size)
            return curve.weighed(first - second, weights)

        gap = float(curve.weighed(self.value - other.value, weights))
        return of_replicates(gap, options.replicated(apart), options, name)

    @property
    def _drawn_sides(self) -> tuple[str, ...]:
        """Dev is drawn again unless it was typed and has no error."""
        return RESAMPLE if self.dev_evidence is not None else RESAMPLE[::-1]

    def band(
        self,
        level: float = 0.95,
        *,
        resample: str = "both",
        replicates: int = 10_000,
        simultaneous: bool = False,
        method: str = "bootstrap",
        groups: bool = True,
        rng: Any = None,
    ) -> Band:
        """Interval of the curve at each alpha or of the whole curve.

        Pointwise: the quantiles (1 -+ level)/2 of the replicates (percentile bootstrap).
        Simultaneous: value -+ c sd, c the quantile `level` of max over alpha of
        abs(replicate - value)/sd (sup-t), within the measure's range.

        Parameters
        ----------
        level : float
            Confidence level.
        resample : str
            "both": dev and test vary, around the value of endless dev scores. "test": test
            decisions alone (the papers' interval).
        replicates : int
            Bootstrap replicates, at least 1.
        simultaneous : bool
            One statement about all alphas.
        method : str
            "bootstrap"; "delta": normal intervals, on the logit scale for fractions, of fits or of
            test scores at fixed thresholds; "exact" (Clopper and Pearson): pointwise, with
            resample="test", for a measure that is one rate of scores.
        groups : bool
            Whether trials are drawn by their groups, and fits vary with the robust covariance.
        rng : None, int, SeedSequence or Generator
            A seed gives the same bytes everywhere.

        Returns
        -------
        Band
            With the number of replicates in which the measure is 0/0 or a class is empty.

        Raises
        ------
        InputError, InputTypeError
            If a side that varies is a typed model or has fractional weights, a method does not
            suit the sides, or an argument is out of range.

        Warns
        -----
        SmallSampleWarning
            If an interval has no width, since the test scores hold no error there.

        Notes
        -----
        Groups are drawn with replacement, both classes together; of two columns a trial gets the
        product of the weights of its labels (pigeonhole bootstrap), which is cautious.

        The choice of the least or largest criterion among N scores moves like N**(-1/3) and the
        plain bootstrap is not consistent: m = N/n**(1/4) scores are drawn, n the size of the
        smaller class, and departures are multiplied by (m/N)**(1/3). Where the measure is the
        criterion itself the departure is subtracted from the value.

        Simulated coverage of 95 % intervals (docs/validation.md) falls below 0.9 with dev's choice
        among 100 scores per class at alpha 0.1 and 0.9, and where dependent trials are taken as
        independent.

        References
        ----------
        Bengio, Mariethoz and Keller (2005), section 5. Kim and Pollard (1990). Owen (2007), The
        pigeonhole bootstrap.

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> band = br.epc(data.dev, data.test, alpha=[0.5]).band(resample="test", rng=1)
        >>> band.low.round(3).tolist(), band.high.round(3).tolist()
        ([0.131], [0.177])
        """
        options = BandOptions(level, method, replicates, groups, rng, resample, simultaneous)
        strata = any(isinstance(x, StrataFits) for x in (self.dev_fit, self.test_fit))
        made = band if self.over == POOLED and not strata else band_over
        return in_library(made(self, options), self)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        band: Band | None = None,
        expected: bool = False,
        a_posteriori: bool = False,
        scale: str = "linear",
        terms: str = BIOMETRIC,
        **style: Any,
    ) -> Axes:
        """Draw the curve.

        Parameters
        ----------
        ax, terms : optional
            As in :meth:`betaroc.Roc.plot`.
        band : Band, optional
            Of this curve, from ``epc.band()``.
        expected : bool
            Also what dev expected, thin and dashed.
        a_posteriori : bool
            Also what test's own thresholds would give, thin and dotted.
        scale : str
            Of the measure's axis, "linear" or "log", where 0 lies below the frame.
        **style
            Properties of the line, such as ``color`` or ``label`` (default: the name of test or
            dev).

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            If `scale` or `terms` is unknown, `scale` is "log" for a measure that may be negative,
            or the band is another curve's.

        Notes
        -----
        Grey ground: everybody on dev is accepted or rejected. A value of 0/0 is a gap.
        """
        axes, log = curve.axes_of(self, scale, terms)
        alpha, value = self.alpha, self.value
        style = {"label": self._called, **style}
        return pictures.draw_epc(
            ax, alpha, value, self.trivial, axes, style,
            band=None if band is None else shown_band(band, alpha, value),
            expected=self.expected if checks.flag(expected, "expected") else None,
            a_posteriori=self.a_posteriori if checks.flag(a_posteriori, "a_posteriori") else None,
            log=log,
        )  # fmt: skip

    def plot_expected(
        self, ax: Axes | None = None, *, terms: str = BIOMETRIC, **style: Any
    ) -> Axes:
        """Draw the measure observed on test against the one expected on dev.

        On y = x what was expected is observed.

        Parameters
        ----------
        ax, terms, **style : optional
            As in :meth:`plot`.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
        >>> br.epc(model, model, criterion="far", measure="far").plot_expected().get_xlabel()
        'false acceptance rate expected on dev'
        """
        axes, _ = curve.axes_of(self, "linear", terms)
        both, style = (self.expected, self.value), {"label": self._called, **style}
        return pictures.draw_expected_observed(ax, self.alpha, *both, axes, style)

    @property
    def _called(self) -> str | None:
        return self.dev.name if self.test.name is None else self.test.name

    def _view(self) -> Sequence[Node]:
        return curve.curve_view(self)

    def _grid(self) -> Grid:
        return curve.curve_grid(self)

    def _derived(self) -> dict[str, Any]:
        alone = CRITERIA[self.criterion].single or self.alpha.min() == self.alpha.max()
        return {} if alone else {"area": self.area()}

    def _metrics(self) -> dict[str, Any]:
        middle = np.flatnonzero(self.alpha == 0.5)
        names = ("threshold", "value", "expected", "far", "frr") if middle.size else ()
        result = {f"{name}_at_0.5": getattr(self, name)[middle[0]] for name in names}
        return self._derived() | result

    def to_frame(self) -> Table:
        """One row per alpha.

        Columns alpha, threshold, value, expected, a_posteriori, far, frr, trivial and n_beyond, nan
        of typed models.

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> br.epc(data.dev, data.test, alpha=[0.5]).to_frame()["threshold"].round(3).tolist()
        [0.39]
        """
        return self._table(self._columns())

    def _columns(self) -> dict[str, AnyArray]:
        names = ("alpha", "threshold", "value", "expected", "a_posteriori", "far", "frr", "trivial")
        beyond = np.full(self.alpha.size, np.nan) if self.n_beyond is None else self.n_beyond
        return fields_of(self, *names) | {"n_beyond": beyond}


def _in_scale(chosen: Thresholds, dev: ScoreModel) -> Thresholds:
    return replace(chosen, theta=mirror(chosen.theta, dev.lower_is_client))


# ------------------------------------------------------------------- numbers of a curve
def shown_band(band: Band, alpha: FloatArray, value: FloatArray) -> pictures.DrawnBand:
    """The band of a curve as drawn; that of another curve is refused."""
    checks.instance(band, Band, "band", "epc.band()")
    if not (
        np.array_equal(band.alpha, alpha) and np.array_equal(band.estimate, value, equal_nan=True)
    ):
        actual = f"one of {band.alpha.size} alphas, with others or values than the curve's"
        raise refusal("band", "be that of the curve drawn", actual, "Take its epc.band().")
    return band._drawn


def _weights(
    e: Epc, stat: Any, argument: tuple[Any, ...], point: PointArguments
) -> tuple[FloatArray, str]:
    name = checks.choice(stat, ("area", "value"), "stat")
    legal = "alpha" if name == "value" else "between"
    if argument or point.keys() - {legal}:
        named = (f"{key}={checks.format_value(value)}" for key, value in point.items())
        got = ", ".join([*map(checks.format_value, argument), *named])
        raise InputError(f"{name!r} of a curve takes {legal}= and nothing else; got {got}.")
    if name == "value":
        alpha, result = point.get("alpha"), np.zeros(e.alpha.size)
        result[curve.index_of_alpha(e, alpha)] = 1.0
        return result, f"value@alpha={alpha}"
    between = point.get("between")
    ends = (None, None) if between is None else ascending_pair(between)
    start, stop = curve.area_range(e, *ends)
    return curve.area_weights(e.alpha, start, stop) / (stop - start), "area"


def check_different(a: Epc, b: Epc, names: tuple[str, str]) -> None:
    """Curves that are compared have one criterion, one measure and equal alphas."""
    alphas = (
        f"{e.alpha.size} from {float(e.alpha[0])!r} to {float(e.alpha[-1])!r}" for e in (a, b)
    )
    for rule, same, (first, second) in (
        ("one criterion", a.criterion == b.criterion, (repr(a.criterion), repr(b.criterion))),
        ("one measure", a.measure == b.measure, (repr(a.measure), repr(b.measure))),
        ("one over", a.over == b.over, (repr(a.over), repr(b.over))),
        ("equal alphas", np.array_equal(a.alpha, b.alpha), alphas),
    ):
        if not same:
            has = f"{names[0]} has {first}, {names[1]} {second}"
            raise InputError(f"the curves must have {rule}; {has}. Compute both alike.")


def dev_and_test(
    dev: SideInput | StrataFits | ScoresLike, test: SideInput | StrataFits | ScoresLike
) -> tuple[SideInput, SideInput]:
    """Both sides of a curve as scores, summaries, models or fits."""
    kinds, types = "Scores, a ScoreSummary, a ScoreModel, a fit", (*SideInput.__args__, StrataFits)
    sides = as_scores(dev, "dev", kinds, types), as_scores(test, "test", kinds, types)
    check_sense(sides[1], "test", like=sides[0])
    return sides


@collect_warnings
def epc(
    dev: SideInput | ScoresLike,
    test: SideInput | ScoresLike,
    *,
    criterion: str = WEIGHTED_ERROR,
    measure: str = "hter",
    alpha: npt.ArrayLike | None = None,
    prior: float | None = None,
    over: Over = POOLED,
) -> Epc:
    """Expected performance curve: thresholds from dev, a measure on test.

        theta(alpha) = argmin C(FAR(theta; dev), FRR(theta; dev); alpha),   V(theta(alpha); test)

    Parameters
    ----------
    dev, test : Scores, ScoreSummary, ScoreModel, Fit, frame, (y_true, y_score) or path
        In any mix; models and fits give smooth curves.
    criterion : str
        "weighted-error" (alpha FAR + (1 - alpha) FRR); "far", "frr", "precision",
        "recall", "sensitivity", "specificity" (abs(rate - alpha));
        "weighted-precision-recall" and "f-measure" (maximised); "eer" and
        "break-even" (one threshold, no alpha).
    measure : str
        Any measure of an operating point without a free parameter, also by the words of other
        fields ("fmr", "bpcer", "fnr" ...), or "weighted-error" with that criterion.
    alpha : array_like, shape (k,), optional
        Fractions in [0, 1] in any order; 101 equally spaced ones where left out.
    prior : float, optional
        P(client) on both sides; left out, the dev prior in the criterion and the test prior in the
        measure.
    over : {"pooled", "worst"} or mapping
        Of scores with strata, or of fits of them (`StrataFits`): "worst" takes the largest error
        rate of any stratum of each class at each threshold, on dev and on test ("hter" is then ACER
        with the largest APCER); weights of strata by name, which sum to 1, take their mean.
        Where both classes have strata, the worst of each may be two strata.

    Returns
    -------
    Epc

    Raises
    ------
    InputError, InputTypeError
        If alpha leaves [0, 1], is NaN or empty, or a name is unknown.

    Warns
    -----
    SameDataWarning
        If dev and test are the same scores.
    ReversedScoresWarning
        If the impostors of a side score higher than its clients.
    ScaleWarning
        If dev and test scores seem to be on different scales.
    TargetWarning
        If a given target is beyond every rate on dev (`Epc.reachable`).
    ExtrapolationWarning, MisfitWarning
        If alpha was given, or the criterion has none, and a threshold rests on a rate beyond which
        less than one score is expected, or that counts contradict.

    Notes
    -----
    Of equal criteria on dev the smallest HTER is taken, then the lowest threshold. Thresholds whose
    criterion is 0/0 are left out; a measure of 0/0 is nan. The curve is docs/theory.md, (11).

    References
    ----------
    Bengio, S., Keller, M. and Mariethoz, J. (2004), The expected performance
    curve, IDIAP-RR 03-85, Algorithms 1 and 2.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> test = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 3))
    >>> br.epc(dev, test, alpha=[0.25, 0.5]).threshold.round(6).tolist()
    [0.366025, 0.5]
    """
    sides = dev_and_test(dev, test)
    for name in (criterion, measure):
        check_words_of_comparisons(name, *(getattr(item, "scores", item) for item in sides))
    criterion = checks.choice(criterion, tuple(CRITERIA), "criterion")
    measure = checks.choice(measure, (*MEASURES, WEIGHTED_ERROR), "measure")
    if measure == WEIGHTED_ERROR and criterion != WEIGHTED_ERROR:
        rule = 'be "weighted-error" only with that criterion, whose alpha it shares'
        raise refusal("measure", rule, f"criterion {criterion!r}", 'Take "hter" or "dcf".')
    single = CRITERIA[criterion].single
    alphas = curve.checked_alphas(alpha, single=single, criterion=criterion)
    names = "dev", "test"
    models = [curve.side(item, prior, over, name) for item, name in zip(sides, names, strict=True)]
    data = [item.scores if isinstance(item, SupportedPair | StrataFits) else item for item in sides]
    # Of a fit those of its scores, not its distributions.
    laws = [(x.client, x.impostor) if isinstance(x, ScoreModel) else x._distributions for x in data]
    if isinstance(data[0], ScoreData) and data[0] == data[1]:
        warn(
            "dev and test are the same data: the threshold is judged where it was chosen, which is"
            " too good. Give separate scores, or use cross-validation.",
            SameDataWarning,
        )
    library = first_library([item for item in data if isinstance(item, ScoreData)])
    kept = over if isinstance(over, str) else dict(over)
    origins: dict[str, Any] = {"prior_given": prior is not None, "library": library, "over": kept}
    for name, item, pair in zip(names, sides, laws, strict=True):
        for kind, what in ((Scores, "scores"), (SupportedPair | StrataFits, "fit")):
            origins[f"{name}_{what}"] = item if isinstance(item, kind) else None
        origins[f"{name}_evidence"] = curve.support_of(item, over)
        # A fit has warned already, and typed distributions are what somebody wanted.
        if isinstance(item, ScoreData):
            warn_of_reversed(pair, name)
    warn_of_scales(laws[0], laws[1])
    if alpha is not None:
        curve.warn_of_reach(models[0], criterion, alphas)
    chosen = curve.chosen_on(models[0], criterion, alphas)
    result = Epc(models[0], models[1], criterion, measure, alphas, chosen, **origins)
    if alpha is not None or single:
        for evidence, asked in result._asked(counted=False):
            scores_beyond.tell(evidence, asked)
    return result


#: The two rates of an average, each a criterion and a measure.
_PAIRS = ("far-frr", "sensitivity-specificity", "precision-recall")


@dataclass(frozen=True, eq=False, repr=False)
class EpcAverage(Interval):
    """The mean G of (V1 + V2)/2 over the targets of V1 and of V2, with its interval.

    Made by :func:`epc_average`.

    Parameters
    ----------
    estimate, low, high : float
        G = (first + second)/2 and the ends of its interval, nan where none was drawn.
    method : str
        "both", "test" or "none drawn".
    level, n_beyond, extrapolated, sparse, failed, library : optional
        As of an `Interval`.
    first : float
        E[(V1 + V2)/2 | V1], the first rate being the criterion.
    second : float
        E[(V1 + V2)/2 | V2].
    undefined : float
        Share of the targets of both axes that is left out, since precision is 0/0 there.

    Examples
    --------
    >>> import betaroc as br
    >>> chance = br.ScoreModel(br.Beta(2.0, 3.0), br.Beta(2.0, 3.0))
    >>> round(br.epc_average(chance, chance).average, 9)
    0.5
    """

    first: float = math.nan
    second: float = math.nan
    undefined: float = 0.0

    @property
    def average(self) -> float:
        """The papers' G, the estimate."""
        return self.estimate


@collect_warnings
def epc_average(
    dev: SideInput | ScoresLike,
    test: SideInput | ScoresLike,
    pair: str = "far-frr",
    *,
    low: float = 0.0,
    high: float = 1.0,
    prior: float | None = None,
    level: float = 0.95,
    method: str | None = None,
    replicates: int | None = None,
    groups: bool = True,
    rng: Any = None,
) -> EpcAverage:
    """Mean of two antagonist rates on test over all targets of either on dev.

        E[V | V1] = 1/(high - low) int_low^high V(theta_{V1=v}) dv,   V = (V1 + V2)/2,
        G = (E[V | V1] + E[V | V2])/2,   theta_{V1=v} = argmin abs(V1(theta; dev) - v)

    Parameters
    ----------
    dev, test, prior
        As in :func:`epc`.
    pair : str
        "far-frr" (V is the HTER), "sensitivity-specificity" or "precision-recall".
    low, high : float
        Range of the targets of both rates.
    level, method, groups, rng
        Of the interval of G, as in :meth:`Epc.interval`.
    replicates : int, optional
        Draws behind the interval; left out, its ends are nan.

    Returns
    -------
    EpcAverage
        Fractions in [0, 1]. Targets at which precision is 0/0 on test are left out; `undefined` is
        their share.

    Raises
    ------
    InputError, InputTypeError
        If the pair is unknown, the range is empty or leaves [0, 1], an option is out of range or a
        drawn side is no Scores.

    Notes
    -----
    Means, not the integrals of IDIAP-RR 03-85, whose Table 3 is ``(high - low) * first`` of
    "far-frr". With dev = test, continuous distributions, the whole range and A the area under the
    ROC, G = (A + 1/2)/2 for sensitivity and specificity, (3/2 - A)/2 for FAR and FRR.

    References
    ----------
    Bengio, Keller and Mariethoz (2004), IDIAP-RR 03-85, equations (19) to (25).

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> round(br.epc_average(model, model, "sensitivity-specificity").average, 6)
    0.698413
    """
    rates = checks.choice(pair, _PAIRS, "pair").split("-")
    low, high = checks.ascending(low, high)
    dev, test = dev_and_test(dev, test)
    number = 1 if replicates is None else replicates
    options = IntervalOptions(level, method, number, groups, rng).by(RESAMPLE)

    def means(dev: SideInput, test: SideInput) -> FloatArray:
        """The mean over the targets of either rate, and the share left out."""
        sides = curve.side(dev, prior), curve.side(test, prior)
        return np.array([_mean(*sides, name, rates, low, high) for name in rates])

    (first, second), undefined = means(dev, test).T
    average, ends = 0.5 * float(first + second), (math.nan, math.nan)
    named, failed = "none drawn", 0
    if replicates is not None:
        values = [
            math.nan if None in sides else np.mean(means(*sides)[:, 0])
            for sides in _drawn_sides(dev, test, options)
        ]
        ends, failed = drawn_scores.percentiles(np.array(values), options, "average")
        named = str(options.method)
    return EpcAverage(
        average, *ends, options.level, named, failed=failed, first=float(first),
        second=float(second), undefined=float(np.mean(undefined)),
    )  # fmt: skip


def _drawn_sides(
    dev: SideInput, test: SideInput, options: IntervalOptions
) -> Iterator[tuple[Any, Any]]:
    """Dev and test of each replicate, None where a class came out empty."""
    drawn: list[Iterator[Any]] = []
    halves = options.halves()
    for name, value, half in zip(("dev", "test"), (dev, test), halves, strict=True):
        if name == "dev" and options.method == "test":
            drawn.append(repeat(getattr(value, "_trials", value)))
            continue
        if not isinstance(value, Scores):
            hint = worded('`Give Scores, or take method="test"`.')
            raise refusal(name, "be scores to be drawn again", type(value).__name__, hint)
        drawn_scores.check_still(value, name, groups=options.groups)
        CountedScores(value, options.groups)  # whose weights are numbers of copies
        models = drawn_scores.DrawnScores((value._trials,), half).models()
        drawn.append(model for (model,) in models)
    return zip(*drawn, strict=False)


def _mean(
    dev: ScoreModel, test: ScoreModel, criterion: str, rates: list[str], low: float, high: float
) -> tuple[float, float]:
    def value(v: FloatArray) -> FloatArray:
        point = test._point(curve.chosen_on(dev, criterion, v))
        return np.asarray(np.mean([MEASURES[name].value(point) for name in rates], axis=0))

    if dev._pair.discrete:
        places = CRITERIA[criterion].levels(dev._pair, dev.prior)
        edges = np.clip(_middles(places), low, high)
        total, keep = _steps(value, places, np.diff(edges, prepend=low, append=high))
    else:
        edges = _breaks(dev, test, criterion)
        edges = np.concatenate([[low], edges[(edges > low) & (edges < high)], [high]])
        if test._pair.discrete:
            total, keep = _steps(value, low + _middles(edges - low), np.diff(edges))
        else:
            total = integrate_panels(lambda v: np.nan_to_num(value(v)), edges)
            keep = integrate_panels(lambda v: 1.0 - np.isnan(value(v)), edges)
    if keep == 0.0:
        return math.nan, 1.0
    return total / keep, max(0.0, 1.0 - keep / (high - low))


def _middles(x: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (x[1:] + x[:-1]))


def _steps(
    value: Callable[[FloatArray], FloatArray], places: FloatArray, widths: FloatArray
) -> tuple[float, float]:
    """Sums of widths times values and of widths where values are defined."""
    taken = widths > 0.0
    values, widths = value(places[taken]), widths[taken]
    defined = ~np.isnan(values)
    return math.fsum(widths[defined] * values[defined]), math.fsum(widths[defined])


def _breaks(dev: ScoreModel, test: ScoreModel, criterion: str) -> FloatArray:
    """Targets at which the choice on dev may jump, or its threshold meets a joint of test."""
    jumps = CRITERIA[criterion].levels(dev._pair, dev.prior)
    met = np.ravel(MEASURES[criterion].value(dev._point(test._pair.joints)))
    places = [jumps, _middles(jumps), met[~np.isnan(met)], np.array([dev.prior])]
    return np.unique(np.concatenate(places))


@dataclass(frozen=True, eq=False, repr=False)
class EpcCv(Tabular, Exportable):
    """A measure observed on every score, at thresholds that others chose.

    Made by :func:`epc_cv`.

    Parameters
    ----------
    criterion, measure, alpha
        As in :func:`epc`.
    threshold : ndarray, shape (folds, k)
        Row f was chosen on all folds but f.
    far, frr : ndarray, shape (k,)
        Errors of all folds over all trials of the class.
    value : ndarray, shape (k,)
        The measure at the pooled rates; nan where it is 0/0.
    expected : ndarray, shape (k,)
        Mean over the folds of what the others expected; nan where one is.
    client_folds, impostor_folds : ndarray of int
        The fold of each score, from 0.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> br.epc_cv(br.Scores([3, 4, 5], [1, 2, 3.5]), folds=3, alpha=[0.5]).threshold[:, 0].tolist()
    [3.75, 2.0, 2.5]
    """

    criterion: str
    measure: str
    alpha: FloatArray
    threshold: FloatArray
    far: FloatArray
    frr: FloatArray
    value: FloatArray
    expected: FloatArray
    client_folds: IntArray
    impostor_folds: IntArray

    def to_frame(self) -> Table:
        """One row per alpha.

        Columns alpha, value, expected, far, frr, then threshold_0, threshold_1 and so on.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.Scores([3, 4, 5], [1, 2, 3.5])
        >>> br.epc_cv(scores, folds=3, alpha=[0.5]).to_frame().loc[0, "threshold_1"].item()
        2.0
        """
        columns = {f"threshold_{k}": row for k, row in enumerate(self.threshold)}
        return self._table(fields_of(self, "alpha", "value", "expected", "far", "frr") | columns)


@collect_warnings
def epc_cv(
    scores: Scores,
    *,
    folds: int = 5,
    criterion: str = "weighted-error",
    measure: str = "hter",
    alpha: npt.ArrayLike | None = None,
    prior: float | None = None,
    rng: Any = None,
) -> EpcCv:
    """Cross-validated expected performance curve, without a dev set.

        theta_f(alpha) = argmin C(FAR(theta), FRR(theta); alpha) on all folds but f
        FAR(alpha) = sum over f of #{impostors of fold f > theta_f(alpha)} / #{impostors}

    and FRR alike; the value is the measure at these pooled rates.

    Parameters
    ----------
    scores : Scores
        All trials; those that groups connect share a fold.
    folds : int
        How many; each threshold is chosen on (folds - 1)/folds of the scores.
    criterion, measure, alpha : optional
        As in :func:`epc`.
    prior : float, optional
        P(client); left out, the share among the other folds, in the measure among all.
    rng : None, int, SeedSequence or Generator
        Deals scores, or groups, at random; ``None`` in turn.

    Returns
    -------
    EpcCv

    Raises
    ------
    InputError, InputTypeError
        If there are fewer than 2 folds or more than a class has scores or groups; as :func:`epc`.

    Warns
    -----
    TargetWarning
        If a given target is beyond every rate of the scores.

    References
    ----------
    Bengio, Keller and Mariethoz (2004), IDIAP-RR 03-85, whose dev set the other folds replace.

    Examples
    --------
    >>> import betaroc as br
    >>> curve = br.epc_cv(br.datasets.load_liveness().dev, folds=3, alpha=[0.5])
    >>> curve.value.round(3).tolist(), curve.expected.round(3).tolist()
    ([0.161], [0.15])
    """
    hint = "Cross-validation needs the single scores: for a fit pass fit.scores."
    scores = require_scores(scores, "cross-validation", hint=hint, rejected=True)._trials
    client_folds, impostor_folds = dealt_folds(scores, checks.count(folds, "folds", 2), rng)
    total = 1 + int(max(client_folds.max(), impostor_folds.max()))
    curves, counts = [], []
    for fold in range(total):
        client, impostor = client_folds == fold, impostor_folds == fold
        laws = _laws(scores, ~client, ~impostor)
        share = laws[0].total / (laws[0].total + laws[1].total)
        dev = ScoreModel(*laws, prior=share, lower_is_client=scores.lower_is_client)
        with forward_warnings(but=(TargetWarning,)):  # said once below, of all scores
            result = epc(dev, dev, criterion=criterion, measure=measure, alpha=alpha, prior=prior)
        curves.append(result)
        counts.append([
            (law._counts_at_most(result.chosen), law._counts_above(result.chosen))
            for law in _laws(scores, client, impostor)
        ])  # fmt: skip
    if alpha is not None:
        curve.warn_of_reach(curve.side(scores, prior), criterion, curves[0].alpha)
    (rejected, right), (true, accepted) = np.sum(counts, axis=0)
    n, m = scores.client_total, scores.impostor_total
    points = OperatingPoint(
        np.full(curves[0].alpha.shape, np.nan), accepted / m, rejected / n,
        scores.prior if prior is None else prior, tpr=right / n, tnr=true / m,
    )  # fmt: skip
    expected = np.mean([e.expected for e in curves], axis=0)
    thresholds = np.array([e.threshold for e in curves])
    return EpcCv(
        criterion, measure, curves[0].alpha, thresholds, points.far, points.frr,
        curves[0]._measured(points), expected, client_folds, impostor_folds, library=scores.library,
    )  # fmt: skip


def _laws(scores: Scores, client: BoolArray, impostor: BoolArray) -> tuple[Empirical, Empirical]:
    first, second = (
        Empirical(getattr(scores, who)[rows], weights_of(scores, who)[rows])
        for who, rows in zip(CLASSES, (client, impostor), strict=True)
    )
    return first, second


# ------------------------------------------------------------------------------- folds
def dealt_folds(scores: Scores, folds: int, rng: Any) -> tuple[IntArray, IntArray]:
    """Blocks of trials in turn; what both classes share goes first."""
    sides, generator = _blocks(scores), None if rng is None else checks.generator(rng)
    shared, dealt = np.intersect1d(*sides), []
    if generator is not None:
        generator.shuffle(shared)
    for blocks, who in zip(sides, CLASSES, strict=True):
        names = np.unique(blocks)
        if folds > names.size:
            grouped = getattr(scores, f"{who}_groups") is not None
            what = f"{who} {'groups' if grouped else 'scores'}"
            hint = f"Give fewer folds{'; groups that trials connect count as one' * grouped}."
            rule = f"be at most the number of {what}, {names.size}"
            raise refusal("folds", rule, checks.format_value(folds), hint)
        rest = np.setdiff1d(names, shared)
        if generator is not None:
            rest = generator.permutation(rest)
        fold_of = np.empty(int(names[-1]) + 1, dtype=np.intp)
        fold_of[np.concatenate([shared, rest])] = np.arange(names.size) % folds
        dealt.append(fold_of[blocks])
    return dealt[0], dealt[1]


def _blocks(scores: Scores) -> tuple[IntArray, IntArray]:
    """The block of each trial of both classes: those that groups connect."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    groups, cut = (scores.client_groups, scores.impostor_groups), scores.client.size
    units = units_of(BareTrials(scores.client, scores.impostor, None, None, *groups))
    second = np.where(units.second < 0, units.first, units.second)
    shape = units.role.size, units.role.size
    graph = coo_array((np.ones(second.size), (units.first, second)), shape=shape)
    blocks = connected_components(graph, directed=False)[1][units.first].astype(np.intp)
    return blocks[:cut], blocks[cut:]


# ------------------------------------------------------------------------------ audits
#: The criterion, and its alpha, whose threshold is best in a measure; nan of the impostors' share.
_BEST = {
    "hter": (WEIGHTED_ERROR, 0.5), "youden": (WEIGHTED_ERROR, 0.5),
    "accuracy": (WEIGHTED_ERROR, None), "f1": ("f-measure", 0.5),
    "mean-precision-recall": ("weighted-precision-recall", 0.5), "precision": ("break-even", None),
    "recall": ("break-even", None),
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Framed, Readable):
    """A number with the threshold chosen on test, beside that with the threshold of dev.

    Made by :func:`audit`.

    Parameters
    ----------
    measure, criterion : str
        What is reported, and what thresholds are chosen for.
    alpha : float
        The criterion's parameter; nan where it has none.
    threshold : float
        Chosen on dev.
    a_posteriori : float
        The measure on test at the threshold chosen there.
    a_priori : Interval
        The measure on test at dev's threshold.
    optimism : Interval
        By how much the first is better than the second; above 0 where it is too good.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> data = br.datasets.load_liveness()
    >>> round(br.audit(data.dev, data.test).optimism.estimate, 3)
    0.003
    """

    measure: str
    criterion: str
    alpha: float
    threshold: float
    a_posteriori: float
    a_priori: Interval
    optimism: Interval

    def _view(self) -> Sequence[Node]:
        more, there = self.optimism, self.a_priori
        way = "worse" if more.estimate < 0.0 else "better"
        known = more.low > 0.0 or more.high < 0.0
        shown = ("is" if more.low > 0.0 else "is not") if known else "is not shown to be"
        name = curve.short_measure(self.measure)
        numbers = (self.a_posteriori, there.estimate, more.low, more.high, there.low, there.high)
        first, second, *ends = (number(x + 0.0, 3) for x in numbers)
        text = (
            f"The {name} of {first} with the threshold chosen on test is"
            f" {number(abs(more.estimate), 3)} {way} than the {second} of the same trials at dev's"
            f" threshold, {number(self.threshold, 4)}: it {shown} too good (by {ends[0]} to"
            f" {ends[1]}, {level_words(more.level)}). More trials like them give {ends[2]} to"
            f" {ends[3]} there."
        )
        return [Paragraph(text, "answer")]


@collect_warnings
def audit(
    dev: ScoresLike | Scores,
    test: ScoresLike | Scores,
    measure: str = "hter",
    *,
    criterion: str | None = None,
    alpha: float | None = None,
    level: float = 0.95,
    groups: bool = True,
) -> Audit:
    """How much of a number is optimism because its threshold was chosen on test.

        optimism = V(threshold of test; test) - V(threshold of dev; test)

    with the sign of a better measure: the first is the a posteriori number that is often
    published, the second the a priori one, which new trials meet.

    Parameters
    ----------
    dev, test : Scores, frame, (y_true, y_score) or path
        The scores that should choose the threshold, and those that the number is of.
    measure : str
        A measure of :func:`epc`, such as "hter", "f1", "accuracy" or "precision".
    criterion, alpha : optional
        As in :func:`epc`; left out, what is best for the measure: of HTER the equal weights, of
        accuracy the classes' shares on test, of F1 F1, of precision and recall the break-even.
    level, groups : optional
        As in :func:`interval`.

    Returns
    -------
    Audit

    Raises
    ------
    InputError, InputTypeError
        If a name is unknown, or a measure has no criterion of its own and none is given.

    Warns
    -----
    BetarocWarning, SameDataWarning
        If there are strata, which have one threshold here, or dev and test are the same scores.

    Notes
    -----
    The interval is that of the published number, which is fixed, less what trials like test's give
    at dev's threshold, which is fixed too: :func:`interval` of the measure at a threshold.

    References
    ----------
    Bengio, S., Mariethoz, J. and Keller, M. (2005), The expected performance curve, section 2.

    Examples
    --------
    >>> import betaroc as br
    >>> data = br.datasets.load_liveness()
    >>> round(br.audit(data.dev, data.test, "f1").a_posteriori, 3)
    0.853
    """
    one, two = (as_scores(x, name, "Scores", Scores) for x, name in ((dev, "dev"), (test, "test")))
    if any(any(side.strata) for side in (one, two)):
        text = "an audit has one threshold for all strata; br.categories has one for each."
        warn(text, BetarocWarning)
    measure = checks.choice(measure, tuple(MEASURES), "measure")
    chosen, best = _BEST.get(measure, (None, None))
    if criterion is None and chosen is None:
        remedy = 'Such as criterion="far" with alpha=0.01.'
        raise refusal("criterion", f"be given for {measure!r}", "none", remedy)
    if criterion is None:
        criterion, alpha = chosen, best if alpha is None else alpha
        if measure == "accuracy" and alpha is None:
            alpha = two.impostor_total / (two.client_total + two.impostor_total)
    curves = epc(one, two, criterion=str(criterion), measure=measure, alpha=alpha)
    if curves.alpha.size > 1:
        raise refusal("alpha", f"be given for {criterion!r}", "none", "Such as alpha=0.01.")
    at, best_on_test = float(curves.threshold[0]), float(curves.a_posteriori[0])
    a_priori = interval(two, measure, threshold=at, level=level, groups=groups)
    sign = 1.0 if curve.larger_is_better(measure) else -1.0
    low, high = sorted(sign * (best_on_test - x) for x in (a_priori.low, a_priori.high))
    gap = sign * (best_on_test - a_priori.estimate)
    optimism = Interval(gap, low, high, a_priori.level, a_priori.method)
    return Audit(
        measure, str(criterion), float(curves.alpha[0]), at, best_on_test, a_priori, optimism
    )
