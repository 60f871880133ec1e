"""Expected performance curves: the threshold chosen on dev, the error observed on test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import AnyArray, FloatArray
from betaroc.core.checks import flag
from betaroc.core.errors import InputError, SameDataWarning
from betaroc.core.notices import public, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.tables import Table, first_library, in_library
from betaroc.core.vocabulary import BIOMETRIC, DEFAULT
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import ScoreData, Scores, refuse_words_of_comparisons
from betaroc.decision.bands import (
    RESAMPLE,
    BandOptions,
    band,
    curve_replicates,
    plan_of,
    shown_band,
)
from betaroc.decision.curve import (
    WEIGHTED_ERROR,
    Curve,
    area_weights,
    axes_of,
    checked_alphas,
    chosen_on,
    data_of,
    index_of_alpha,
    known_laws,
    side,
    tell_support,
    warn_of_reach,
)
from betaroc.decision.curve_view import curve_answer, curve_grid, curve_view
from betaroc.inference.differences import Difference, of_replicates
from betaroc.inference.drawn_scores import interval_of_replicates
from betaroc.inference.interval import Band, Interval
from betaroc.inference.scores_beyond import SideInput, SupportedPair, evidence_of
from betaroc.model.asking import PointArguments, ascending_pair
from betaroc.model.criteria import CRITERIA
from betaroc.model.dataset_checks import warn_of_reversed, warn_of_scales
from betaroc.model.measures import MEASURES
from betaroc.rendering.curves import draw_choices, draw_epc, draw_expected_observed
from betaroc.rendering.nouns import Noun
from betaroc.rendering.style import Axes, line_style, new_axes
from betaroc.rendering.tree import Grid, Node


class LossSplit(NamedTuple):
    """Why the value observed on test is not the one expected on dev: value - expected."""

    #: V(dev threshold; test) - V(test's own threshold; test): the threshold is misplaced.
    threshold: FloatArray
    #: V(test's own threshold; test) - V(dev threshold; dev): the classes are less separable.
    separability: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Epc(Curve, Noun):
    """A measure observed on test against the criterion its threshold was chosen for on dev.

    Parameters
    ----------
    dev, test : ScoreModel
        The two sides; empirical distributions for scores.
    criterion, measure : str
        Names in the tables of criteria and measures.
    alpha : ndarray, shape (k,)
        The criterion's parameter.
    chosen : Thresholds
        Dev's thresholds, arrays of shape (k,).
    dev_scores, test_scores : Scores, optional
        The scores that a side was given as: their ids pair the trials of two curves.
    dev_fit, test_fit : Fit, optional
        The fit that a side was given as: the errors of its parameters move dev's
        thresholds and test's rates.
    prior_given : bool
        Whether the prior was given to `epc`: then it is no observed share of clients and
        does not vary with the trials.
    dev_evidence, test_evidence : Evidence, optional
        What the data behind a side say of rates.
    library : str, optional
        "pandas", "polars" or "pyarrow": of which the table is a frame, as of `Scores`.

    Examples
    --------
    >>> from betaroc import Scores
    >>> curve = epc(Scores([3, 4, 5], [1, 2, 3]), Scores([2, 4, 6], [0, 1, 3]), alpha=[0.5])
    >>> curve.threshold.tolist(), curve.value.round(3).tolist()
    ([2.5], [0.333])
    """

    def __str__(self) -> str:
        answer = curve_answer(self)
        return DEFAULT.fill(f"{answer.lead} {answer.text}")

    @property
    def reachable(self) -> tuple[float, float] | None:
        """Smallest and largest rate any dev threshold attains; None if alpha is no target."""
        return CRITERIA[self.criterion].reach(self.dev._pair, self.dev.prior)

    def loss_split(self) -> LossSplit:
        """Split value - expected into a misplaced threshold and a change of separability.

        Returns
        -------
        LossSplit
            ``threshold`` is V(dev threshold; test) - V(test's own; test),
            ``separability`` V(test's own; test) - V(dev threshold; dev).

        Examples
        --------
        >>> from betaroc import Scores
        >>> curve = epc(Scores([3, 4, 5], [1, 2, 3]), Scores([2, 4, 6], [0, 1, 3]), alpha=[0.5])
        >>> [part.round(3).tolist() for part in curve.loss_split()]
        [[0.167], [0.0]]
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
            Range of alpha; the whole range of the curve where left out.
        normalize : bool
            Divide by high - low (an expectation under a uniform alpha);
            ``False`` gives the integral that IDIAP-RR 03-85 prints.

        Returns
        -------
        float
            Trapezoids between the alphas of the curve.

        Raises
        ------
        InputError
            If the range is empty or leaves the curve's.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> model = ScoreModel(Beta(4.0, 2.0), Beta(2.0, 4.0))
        >>> curve = epc(model, model, criterion="far", measure="far")
        >>> round(curve.area(0.0, 0.5), 9), round(curve.area(0.0, 0.5, normalize=False), 9)
        (0.25, 0.125)
        """
        start, stop = area_range(self, low, high)
        order = np.argsort(self.alpha, kind="stable")
        x, y = self.alpha[order], self.value[order]
        weights = area_weights(x, start, stop)
        counts = weights > 0.0
        total = float(np.sum(weights[counts] * y[counts]))
        return total / (stop - start) if flag(normalize, "normalize") else total

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

        Percentiles of the number in replicates that draw dev and test again.

        Parameters
        ----------
        stat : str
            "area", the mean of the measure over alpha as in `area`, or "value".
        level : float
            Confidence level.
        method : str, optional
            "both" (if left out): dev is drawn again, thresholds are chosen again, and test is
            drawn again; "test": test alone, at fixed thresholds (if left out where dev is a typed
            model).
        replicates : int
            Draws.
        groups : bool
            Where scores carry groups, these are drawn as wholes.
        rng : None, int, SeedSequence or Generator
            Source of randomness.
        threshold, far, frr, tpr, alpha, between, at : optional
            ``between=(low, high)``, the range of alpha of an area; ``alpha=``, of a value. No
            others.

        Returns
        -------
        Interval
            Of `method` what was drawn; ``failed`` replicates had no value.

        Raises
        ------
        InputError
            If a name or option is out of range, or a side that is to vary is a typed model.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([3, 4, 5, 6, 7], [1, 2, 3, 4, 4.5])
        >>> curve = br.epc(dev, br.Scores([2, 4, 6, 7, 8], [0, 1, 3, 4, 5]))
        >>> area = curve.interval("area", rng=1)
        >>> round(area.estimate, 4) == round(curve.area(), 4), area.low < area.high, area.method
        (True, True, 'both')
        """
        options = IntervalOptions(level, method, replicates, groups, rng)
        return in_library(self._interval_of(stat, given, point, options), self)

    def _interval_of(
        self, stat: Any, given: tuple[Any, ...], point: PointArguments, options: IntervalOptions
    ) -> Interval:
        weights, name = _weights(self, stat, given, point)
        o = options = options.by(self._drawn_sides)
        band = BandOptions(o.level, "bootstrap", o.replicates, o.groups, o.rng, str(o.method),
                           resample_argument="method")  # fmt: skip
        drawn = _weighed(curve_replicates(self, band), weights)
        estimate = float(_weighed(self.value[None, :], weights)[0])
        beyond, at = None, np.flatnonzero(weights)
        if self.n_beyond is not None and at.size == 1 and not np.isnan(self.n_beyond[at[0]]):
            beyond = float(self.n_beyond[at[0]])  # of a mean over many none in particular
        return interval_of_replicates(estimate, drawn, options, name, beyond)

    def _difference_of(
        self, other: Epc, stat: Any, given: tuple[Any, ...], point: PointArguments,
        options: IntervalOptions, *, paired: bool,
    ) -> Difference:  # fmt: skip
        refuse_different(self, other, ("a", "b"))
        weights, name = _weights(self, stat, given, point)
        options = options.by(self._drawn_sides)
        plan = plan_of((self, other), options, paired=paired)
        apart = options.replicated(lambda rng, size: _weighed(plan.differences(rng, size), weights))
        gap = float(_weighed((self.value - other.value)[None, :], weights)[0])
        return of_replicates(gap, apart, options, name, paired=paired)

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
        stratified: bool = True,
        m: int | None = None,
        method: str = "bootstrap",
        groups: bool = True,
        rng: Any = None,
    ) -> Band:
        """Interval of the curve at each alpha, or of the whole curve at once.

        Pointwise: the quantiles (1 -+ level)/2 of the replicates (percentile bootstrap).
        Simultaneous: value -+ c sd, c the quantile `level` of max over alpha of
        abs(replicate - value)/sd (sup-t), within the measure's range.

        Parameters
        ----------
        level : float
            Confidence level.
        resample : str
            "both": dev and test, every replicate has its own thresholds; the interval is
            for the value at the threshold that endless dev scores would give. Dev's scores
            choose again; the thresholds of a fit move with its parameters.
            "test": test decisions alone (the papers' interval), for the value at these
            very thresholds. Where test is a fit its parameters vary, not its rows.
        replicates : int
            Bootstrap replicates, at least 1.
        simultaneous : bool
            One statement about all alphas.
        stratified : bool
            Keep the class sizes; else both classes are drawn from one table of rows, and a
            prior that is the observed share of clients varies with them. Of groups, keep
            the numbers of those with clients only, with impostors only and with both (of two
            columns: by class and column); class sizes and an observed prior always vary.
        m : int, optional
            Dev scores, or groups of them, drawn in each replicate, both classes in their
            proportion.
            Left out: the share n**(-1/4) of each class, n scores in the smaller one, for
            criteria that are minimised or maximised (weighted-error,
            weighted-precision-recall, f-measure), all dev scores for the others.
            Their number is the plain bootstrap.
        method : str
            "bootstrap"; "delta": normal intervals, on the logit scale for measures with
            values in [0, 1], from the covariance of the parameters of fits, or of the rates
            of test scores at fixed thresholds; "exact" (Clopper and Pearson): with
            resample="test", pointwise, of given class sizes, for a measure that is one rate
            of test scores.
        groups : bool
            Trials of a side with groups are drawn by their groups, the parameters of a fit
            to such scores vary with the group-robust covariance (`Fit.joint_cov`); `False`
            takes all trials as independent.
        rng : None, int, SeedSequence or Generator
            Source of randomness; a seed gives the same bytes everywhere.

        Returns
        -------
        Band
            With the number of replicates in which the measure was 0/0, or a class of drawn
            groups empty; they are left out.

        Raises
        ------
        InputError
            If a side that is to vary is a typed model, which has no sampling error, or
            scores with fractional weights, if method="delta" should vary the choice of dev
            scores, which has no derivative, if method="exact" meets groups, or if `level`,
            `replicates`, `m` or a name is out of range or has no meaning for the method.
        InputTypeError
            If `rng` is no source of randomness or a flag no bool.

        Warns
        -----
        SmallSampleWarning
            If an interval has no width because the test scores hold no error there.

        Notes
        -----
        Rows are never drawn from test: their counts between the distinct thresholds are
        multinomial. An empirical minimiser moves like N**(-1/3), and there the plain
        bootstrap of dev is not consistent. With m < N scores a replicate's departure from
        its value at the given thresholds is multiplied by (m/N)**(1/3), by (m/N)**(1/2)
        for the other criteria, whose plain bootstrap is consistent. Where the measure is
        the criterion itself (the weighted error, HTER at alpha = 1/2, F1 at alpha = 1/2 of
        "f-measure" and the like) any other threshold is worse: the departure has one sign, and
        is taken from the value instead of added to it, so that the interval reaches to the least
        error and not away from it. The factor is too large there, which errs towards wide bands.

        The thresholds of a fit get a normal error by the delta method, from the covariance
        of its parameters: it must be the right family, and a choice that jumps from one
        place to another has no derivative.

        The bootstrap of a fitted test side draws its parameters from the normal distribution of the
        estimates, in log a, log b, log sigma, mu and log(mass / rest): a parametric bootstrap
        of first order; no scores are drawn and refitted. Right where the family is. Dev and
        test are taken as independent samples, but one and the same fit given as both moves
        with one set of errors. The delta method takes
        Var V = sum (dV/dz)**2 over independent standard errors z of both sides; its
        simultaneous band the sup-t of the Gaussian process with that covariance,
        `replicates` draws of it.

        Simulated coverage of 95 % intervals of HTER against the weighted error: at fixed
        thresholds 0.93 to 0.96 with 100 to 1000 scores a class, the whole curve 0.93 to 0.96.
        With dev's choice, alpha from 0.1 to 0.9: 0.94 to 1.00 at 300 and at 1000 a class on
        either side; at 100 a class 0.94 to 0.99 for alpha from 0.2 to 0.8 and 0.80 to 0.89 at
        0.1 and 0.9. With a beta fit of 100 scores a class: 0.94 to 0.98.
        Beta fits on both sides, delta: 0.94 to 0.97 at 100 and at 400 a class, 0.92 to 0.96
        at 30; the whole curve 0.93 to 0.96, 0.91 to 0.92 at 30, where the bootstrap's
        simultaneous band has 0.88 and the delta method is to be preferred.

        With groups, labels are drawn with replacement, both classes together, so that a label
        with client and impostor trials brings both. Two columns, such as the claimed and the
        real identity, are the crossed ("pigeonhole") bootstrap: a trial gets the product of
        the weights of the labels it depends on. A label is one thing in both columns, so a
        person gets one weight as target and as impostor and the trials that share a person in
        any place move together; columns without common labels get weights of their own, which
        is Owen's scheme, and one column is Bolle, Ratha and Pankanti's subsets bootstrap. It
        errs towards wide intervals: the variance of a trial by itself is counted three times.
        method="delta" counts it once: sum over pairs of trials that share a label, Student's
        t with as many degrees of freedom as groups less one. A stratum with one group does
        not vary. `m` counts groups, and of two columns labels; dev and test are drawn
        independently, also where they share labels.

        Simulated coverage of 95 % intervals of HTER at fixed thresholds, random effects of
        people, 1000 data sets: one column, 30 people of 15 trials, bootstrap 0.93, delta 0.95
        to 0.96, independent trials 0.79 to 0.85; two columns, 50 people with 8 claims each,
        0.95 to 0.98, 0.94 to 0.95 and 0.69 to 0.82; 20 people with 5, 0.94 to 0.98, 0.93 to
        0.94 and 0.76 to 0.86; with 10 people the one-column bootstrap has 0.87 to 0.89 and the
        two-column delta 0.85 to 0.89 (300 sets). With labels that differ between the columns,
        so that nobody is one person in both roles, delta's 0.94 becomes 0.90 (50 people, 7
        claims, 400 sets).
        With dev's choice, 100 people of 15 trials on either side, 200 sets: 0.94 to 0.99 for
        scores, 0.93 to 0.96 for a normal fit of dev; independent trials 0.85 to 0.93, 0.78 to
        0.88.

        References
        ----------
        Bengio, S., Mariethoz, J. and Keller, M. (2005), The expected performance
        curve, section 5. Kim, J. and Pollard, D. (1990), Cube root asymptotics. Owen, A. B.
        (2007), The pigeonhole bootstrap. Bolle, R. M., Ratha, N. K. and Pankanti, S. (2004),
        Error analysis of pattern recognition systems: the subsets bootstrap.

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> dev = br.Scores(rng.normal(1, 1, 300), rng.normal(-1, 1, 300))
        >>> test = br.Scores(rng.normal(1, 1, 400), rng.normal(-1, 1, 400))
        >>> curve = br.epc(dev, test, alpha=[0.2, 0.5])
        >>> fixed = curve.band(resample="test", replicates=2000, rng=1)
        >>> both = curve.band(replicates=200, rng=1)
        >>> bool(both.high[0] - both.low[0] > fixed.high[0] - fixed.low[0])
        True
        """
        options = BandOptions(
            level, method, replicates, groups, rng, resample, simultaneous, stratified, m
        )
        return in_library(band(self, options), self)

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
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        band : Band, optional
            Of this curve, from ``epc.band()``: filled in the colour of the line, and its
            level, its kind and whether dev chose again are in the legend.
        expected : bool
            Also what dev expected, thin and dashed.
        a_posteriori : bool
            Also what the thresholds chosen on test itself would give, thin and dotted.
        scale : str
            Of the measure's axis, "linear" or "log"; on that a value of 0 lies below the frame.
        terms : str
            Words of the rates, as in :meth:`betaroc.Roc.plot`.
        **style
            Properties of the line, such as ``color`` or ``label`` (default: the
            name of the test set, or of dev).

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        InputError
            If `scale` or `terms` is unknown, `scale` is "log" for a measure that may be negative,
            or the band is that of another curve.

        Notes
        -----
        Zones of alpha where dev's threshold accepts or rejects everybody on dev have a
        grey ground. Values between two alphas are joined by a straight line, though a
        curve of scores moves in steps; fewer than twelve alphas have markers. A value
        that is 0/0 is a gap, of the band too. A criterion without alpha is a dot, what
        dev expected a hollow square, test's own threshold a hollow triangle. The legend
        stands below new axes, inside those of a caller.
        """
        axes, log = axes_of(self, scale, terms)
        alpha, value = self.alpha, self.value
        style = {"label": self._called, **style}
        return draw_epc(
            ax, alpha, value, self.trivial, axes, style,
            band=None if band is None else shown_band(band, alpha, value),
            expected=self.expected if flag(expected, "expected") else None,
            a_posteriori=self.a_posteriori if flag(a_posteriori, "a_posteriori") else None,
            log=log,
        )  # fmt: skip

    def plot_expected(
        self, ax: Axes | None = None, *, terms: str = BIOMETRIC, **style: Any
    ) -> Axes:
        """Draw the measure observed on test against the one expected on dev.

        On the line y = x what was expected is observed. Take the criterion's own rate as the
        measure to draw what was asked for against what was observed.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        terms : str
            Words of the rates, as in :meth:`betaroc.Roc.plot`.
        **style
            Properties of the line.

        Returns
        -------
        matplotlib Axes

        References
        ----------
        Bengio, S., Keller, M. and Mariethoz, J. (2004), The expected performance
        curve, IDIAP-RR 03-85, Fig. 6.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
        >>> test = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> ax = br.epc(dev, test, criterion="far", measure="far").plot_expected()
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('false acceptance rate expected on dev', 'false acceptance rate observed on test')
        """
        axes, _ = axes_of(self, "linear", terms)
        style = {"label": self._called, **style}
        return draw_expected_observed(ax, self.alpha, self.expected, self.value, axes, style)

    def plot_points(
        self,
        ax: Axes | None = None,
        *,
        alpha: npt.ArrayLike | None = None,
        terms: str = BIOMETRIC,
        **style: Any,
    ) -> Axes:
        """Mark on a ROC or DET of the test set where dev's thresholds lie, and test's own.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            What the ROC or DET of the test set has been drawn on; its DET on a new figure if left
            out.
        alpha : array_like, optional
            Some of the curve's alphas; three of them, evenly spread, where left out.
        terms : str
            Words of the rates on new axes, as in :meth:`betaroc.Roc.plot`.
        **style
            ``color`` and ``label`` of the markers.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        InputError
            If an alpha is none of the curve's, or the axes hold neither a DET nor a ROC.

        Notes
        -----
        Filled dots are a priori, thresholds chosen on dev; open diamonds a posteriori, the
        thresholds that the criterion would choose on test itself. A thin line joins both of
        one alpha, which is written beside the dot. On normal deviates a rate of 0 or 1 lies
        at infinity, outside the frame.

        References
        ----------
        Bengio, S., Keller, M. and Mariethoz, J. (2004), The expected performance
        curve, IDIAP-RR 03-85.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
        >>> test = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> ax = br.epc(dev, test, alpha=[0.5]).plot_points(test.roc().plot())
        >>> [line.get_gid() for line in ax.lines if line.get_gid() != "chance"][-2:]
        ['a-priori', 'a-posteriori']
        """
        ax = self.test.det().plot(terms=terms) if ax is None else new_axes(ax)
        single, order = CRITERIA[self.criterion].single, np.argsort(self.alpha, kind="stable")
        if alpha is not None:
            order = np.array([index_of_alpha(self, one) for one in np.ravel(alpha).tolist()])
        elif order.size > 3:
            order = order[np.linspace(0, order.size - 1, 5)[1:4].round().astype(np.intp)]
        beside = None if single else self.alpha[order]
        best = epc(
            self.test, self.test, criterion=self.criterion, measure=self.measure,
            alpha=beside,
        )  # fmt: skip
        chosen = self.far[order], self.frr[order]
        return draw_choices(ax, chosen, (best.far, best.frr), beside, line_style(style))

    @property
    def _called(self) -> str | None:
        """The name of the test set, or of dev."""
        return self.dev.name if self.test.name is None else self.test.name

    def _view(self) -> Sequence[Node]:
        return curve_view(self)

    def _grid(self) -> Grid:
        return curve_grid(self)

    def _derived(self) -> dict[str, Any]:
        alone = CRITERIA[self.criterion].single or self.alpha.min() == self.alpha.max()
        return {} if alone else {"area": self.area()}

    def _metrics(self) -> dict[str, Any]:
        middle = np.flatnonzero(self.alpha == 0.5)
        names = ("threshold", "value", "expected", "far", "frr") if middle.size else ()
        found = {f"{name}_at_0.5": getattr(self, name)[middle[0]] for name in names}
        return self._derived() | found

    def to_frame(self) -> Table:
        """One row an alpha.

        Returns
        -------
        DataFrame
            Of the library of the dev scores, of test's where dev has none. Columns alpha,
            threshold, value, expected, a_posteriori, far, frr, trivial, and n_beyond, the scores
            that speak for each threshold; nan of typed models. Where some test trials have no score
            also fmr and fnmr, rates of the others.

        Examples
        --------
        >>> from betaroc import Scores
        >>> curve = epc(Scores([3, 4, 5], [1, 2, 3]), Scores([2, 4, 6], [0, 1, 3]), alpha=[0.5])
        >>> curve.to_frame().loc[0, "threshold"].item()
        2.5
        """
        return self._table(self._columns())

    def _columns(self) -> dict[str, AnyArray]:
        names = ("alpha", "threshold", "value", "expected", "a_posteriori", "far", "frr", "trivial")
        beyond = np.full(self.alpha.size, np.nan) if self.n_beyond is None else self.n_beyond
        columns: dict[str, AnyArray] = {name: getattr(self, name) for name in names}
        return columns | {"n_beyond": beyond} | self._rates_made


# ------------------------------------------------------------------- numbers of a curve
def _weighed(values: FloatArray, weights: FloatArray) -> FloatArray:
    """What has no weight may have no value."""
    counts = weights > 0.0
    return np.asarray(values[:, counts] @ weights[counts])


def _weights(
    e: Curve, stat: Any, given: tuple[Any, ...], point: PointArguments
) -> tuple[FloatArray, str]:
    """What each alpha weighs in the number, and its name."""
    name = checks.choice(stat, ("area", "value"), "stat")
    legal = "alpha" if name == "value" else "between"
    if given or point.keys() - {legal}:
        named = [f"{key}={checks.shown(value)}" for key, value in point.items() if key != legal]
        got = ", ".join([*map(checks.shown, given), *named])
        raise InputError(
            f"{name!r} of a curve takes {legal}= and nothing else; got {got}. Write it with its"
            " keyword."
        )
    if name == "value":
        alpha, found = point.get("alpha"), np.zeros(e.alpha.size)
        found[index_of_alpha(e, alpha)] = 1.0
        return found, f"value@alpha={alpha}"
    between = point.get("between")
    ends = (None, None) if between is None else ascending_pair(between, "alphas")
    start, stop = area_range(e, *ends)
    return area_weights(e.alpha, start, stop) / (stop - start), "area"


def area_range(e: Curve, low: float | None, high: float | None) -> tuple[float, float]:
    """The range of an area, inside that of the curve."""
    if CRITERIA[e.criterion].single:
        raise InputError(f"criterion {e.criterion!r} has no alpha, so its curve has no area.")
    first, last = float(e.alpha.min()), float(e.alpha.max())
    start = first if low is None else checks.fraction(low, "low")
    stop = last if high is None else checks.fraction(high, "high")
    if not first <= start < stop <= last:
        raise InputError(
            f"low and high must satisfy {first!r} <= low < high <= {last!r}, the"
            f" curve's own range of alpha; got low={start!r}, high={stop!r}."
        )
    return start, stop


def refuse_different(a: Curve, b: Curve, names: tuple[str, str]) -> None:
    """Curves that are compared have one criterion, one measure and equal alphas."""
    for name in ("criterion", "measure"):
        one, other = getattr(a, name), getattr(b, name)
        if one != other:
            raise InputError(
                f"the curves must have one {name}; {names[0]} has {one!r}, {names[1]} {other!r}."
                f" Compute both with the same {name}."
            )
    one, other = a.alpha, b.alpha
    if not np.array_equal(one, other):
        raise InputError(
            f"the curves must have equal alphas; {names[0]} has {one.size} from {float(one[0])!r}"
            f" to {float(one[-1])!r}, {names[1]} {other.size} from {float(other[0])!r} to"
            f" {float(other[-1])!r}. Compute both with the same alpha."
        )


@public
def epc(
    dev: SideInput | ScoresLike,
    test: SideInput | ScoresLike,
    *,
    criterion: str = WEIGHTED_ERROR,
    measure: str = "hter",
    alpha: npt.ArrayLike | None = None,
    prior: float | None = None,
) -> Epc:
    """Expected performance curve: thresholds from dev, a measure on test.

        theta(alpha) = argmin C(FAR(theta; dev), FRR(theta; dev); alpha),   V(theta(alpha); test)

    Parameters
    ----------
    dev, test : Scores, ScoreSummary, ScoreModel, Fit, frame, (y_true, y_score) or path
        Any mix: scores are taken as they are, models and fits give smooth curves.
    criterion : str
        "weighted-error" (alpha FAR + (1 - alpha) FRR); "far", "frr", "precision",
        "recall", "sensitivity", "specificity" (abs(rate - alpha));
        "weighted-precision-recall" and "f-measure" (maximised); "eer" and
        "break-even" (one threshold, no alpha).
    measure : str
        Any measure of an operating point without a free parameter, or
        "weighted-error" with that criterion. As of the criterion, the words of other fields are
        taken too ("fmr", "bpcer", "fnr" ...); the curve carries the package's own name.
    alpha : array_like, shape (k,), optional
        Fractions in [0, 1] in any order; 101 equally spaced ones where left out.
    prior : float, optional
        P(client) on both sides; where left out, the dev prior in the criterion
        and the test prior in the measure.

    Returns
    -------
    Epc

    Raises
    ------
    InputError
        If alpha leaves [0, 1] or is NaN or empty, or a name is unknown.
    InputTypeError
        If a side is neither scores nor a model nor a fit.

    Warns
    -----
    SameDataWarning
        If dev and test are the same scores.
    ReversedScoresWarning
        If the impostors of a side score higher than its clients.
    ScaleWarning
        If dev and test scores seem to be on different scales.
    TargetWarning
        If a target that was given is beyond every rate on dev (`Epc.reachable`).
    ExtrapolationWarning, MisfitWarning
        If alpha was given, or the criterion has none, and a threshold rests on a rate that less
        than one score is expected beyond, or that the scores counted there contradict; as of `Fit`.

    Notes
    -----
    Ties go to the smallest criterion on dev, then the smallest HTER on dev,
    then the lowest threshold. Thresholds that are 0/0 in the criterion are left
    out; a measure that is 0/0 on test is nan. A precision of 1 is a limit that no
    threshold of a smooth pair attains: it counts as met within 1e-12. The curve is
    docs/theory.md, (11).

    References
    ----------
    Bengio, S., Keller, M. and Mariethoz, J. (2004), The expected performance
    curve, IDIAP-RR 03-85, Algorithms 1 and 2.

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> dev = ScoreModel(Beta(4.0, 2.0), Beta(2.0, 4.0))
    >>> test = ScoreModel(Beta(4.0, 2.0), Beta(2.0, 3.0))
    >>> curve = epc(dev, test, alpha=[0.25, 0.5])
    >>> curve.threshold.round(6).tolist()
    [0.366025, 0.5]
    """
    kinds, types = "Scores, a ScoreSummary, a ScoreModel, a fit", SideInput.__args__
    of_dev: SideInput = as_scores(dev, "dev", kinds, types)
    of_test: SideInput = as_scores(test, "test", kinds, types)
    for name in (criterion, measure):
        sides = [getattr(one, "scores", one) for one in (of_dev, of_test)]
        refuse_words_of_comparisons(name, *sides)
    criterion = checks.choice(criterion, tuple(CRITERIA), "criterion")
    measure = checks.choice(measure, (*MEASURES, WEIGHTED_ERROR), "measure")
    if measure == WEIGHTED_ERROR and criterion != WEIGHTED_ERROR:
        raise InputError.about("measure")(
            f'measure "weighted-error" needs criterion "weighted-error", whose alpha it shares; got'
            f' criterion {criterion!r}. Take measure="hter" or "dcf".'
        )
    single = CRITERIA[criterion].single
    alphas = checked_alphas(alpha, single=single, criterion=criterion)
    dev_model, test_model = side(of_dev, "dev", prior), side(of_test, "test", prior)
    data = data_of(of_dev), data_of(of_test)
    if data[0] is not None and data[0] == data[1]:
        warn(
            "dev and test are the same data: the threshold is judged where it was chosen, which is"
            " too good. Give separate scores, or use cross-validation.",
            SameDataWarning,
        )
    laws = known_laws(of_dev, dev_model), known_laws(of_test, test_model)
    for given, its_laws, name in ((of_dev, laws[0], "dev"), (of_test, laws[1], "test")):
        # A fit has warned already, and typed distributions are what somebody wanted.
        if isinstance(given, ScoreData):
            warn_of_reversed(its_laws, name)
    warn_of_scales(*laws)
    if alpha is not None:
        warn_of_reach(dev_model, criterion, alphas)
    chosen = chosen_on(dev_model, criterion, alphas)
    kept = [given if isinstance(given, Scores) else None for given in (of_dev, of_test)]
    fits = [given if isinstance(given, SupportedPair) else None for given in (of_dev, of_test)]
    curve = Epc(
        dev_model, test_model, criterion, measure, alphas, chosen, kept[0], kept[1], fits[0],
        fits[1], prior is not None, evidence_of(of_dev), evidence_of(of_test),
        library=first_library(data),
    )  # fmt: skip
    if alpha is not None or single:
        tell_support(curve)
    return curve
