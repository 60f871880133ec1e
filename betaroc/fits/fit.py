"""The result of a fit: a distribution with its precision, and a pair of them as a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypedDict, Unpack, cast, overload

import numpy as np
import numpy.typing as npt

from betaroc.core import checks, errors, tables, vocabulary
from betaroc.core.arrays import CLASSES, FloatArray, ScalarOrArray
from betaroc.core.notices import Notice, collect_warnings, forward_warnings
from betaroc.core.options import IntervalOptions
from betaroc.core.text import format_value
from betaroc.core.value import REPR_LIMIT, Named, fields_of, is_same
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import ScoreData, Scores, of_comparisons
from betaroc.distributions import empirical, inflated
from betaroc.distributions.pictures import plot_classes
from betaroc.distributions.strata import over_strata
from betaroc.estimation import estimate, families
from betaroc.estimation.estimate import Estimate, Options, PairEstimate
from betaroc.fits import check, family_choice, pictures, ratings, shape_tests, tail_fits
from betaroc.fits.tail_fits import Sensitivity, TailRequest
from betaroc.inference import delta, scores_beyond, strata as strata_rates
from betaroc.inference.interval import Band, Interval
from betaroc.inference.intervals import interval_of_fit, roc_band, tell_contradicted
from betaroc.model.calibration import BayesError
from betaroc.model.dataset_checks import check_sense, is_lower
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import (
    StatisticArguments,
    StatisticSpec,
    parse_statistic,
    rates_of_point,
)
from betaroc.rendering import nouns, tree
from betaroc.rendering.curves import INK, PANELS, Axes, line_style
from betaroc.rendering.numbers import level_words, name_shown, number, percent, spaced, visible
from betaroc.rendering.tree_text import latex_table, latex_text, text_of

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

_P = ParamSpec("_P")
#: Bars of a histogram, and what `Fit.plot` draws beside what `pictures` does.
_BINS, _CLASS_KINDS = 20, ("histogram", "densities")
_PLOT_KINDS = (
    "roc", *_CLASS_KINDS, *pictures.ORDERED_KINDS, "tails", *pictures.COST_KINDS, "calibration",
)  # fmt: skip
#: Columns of tables of parameters, and those of them that hold text.
_COLUMNS = ("family", "parameter", "estimate", "std_error")
_TEXTS = ("class", "family", "parameter")
_MASSES = (*inflated.MASSES, inflated.REJECTED)
#: Confidence of intervals in a notebook; parameters up to which that of the EER takes no time.
_LEVEL, _FEW, _NO_ENDS = 0.95, 4, (math.nan, math.nan, False)
#: Scores up to which their own curve takes no time, how wide it is drawn, and notices shown.
_MANY, _WIDTHS, _NOTICES = 100_000, {"fitted": 1.6, "scores": 0.8}, 2


# ------------------------------------------------------------------------ points of a fit
def _of_model(
    method: Callable[Concatenate[ScoreModel, _P], OperatingPoint], statistic: str = "",
    number: str = "",
) -> Callable[Concatenate[Fit, _P], OperatingPoint]:  # fmt: skip
    """A method of the model whose points say what they rest on."""

    @wraps(method)
    def inner(self: Fit, /, *args: _P.args, **options: _P.kwargs) -> OperatingPoint:
        point = method(self.model, *args, **options)
        read = (parse_statistic(statistic), getattr(point, number)) if statistic else None
        return self._stated(point, read=read)

    inner.__doc__ = f"That of the model, and what it rests on; see `ScoreModel.{method.__name__}`."
    return inner


# ------------------------------------------------------------------------ in words and rows
def _rows(fit: Estimate) -> list[tuple[str, float, float]]:
    return list(zip(fit.names, fit.values, fit.std_errors.values(), strict=True))


def _line(text: str) -> str:
    return text if len(text) <= REPR_LIMIT else f"{text[: REPR_LIMIT - 4]}...>"


def _summary(
    title: str, fit: Estimate | PairEstimate, facts: dict[str, str], parts: dict[str, Estimate],
    more: Sequence[tree.Node] = (), say: Callable[[str], str] = vocabulary.DEFAULT.fill,
) -> Summary:  # fmt: skip
    from statsmodels.iolib.summary import Summary
    from statsmodels.iolib.table import SimpleTable
    from statsmodels.iolib.tableformatting import fmt_2cols, fmt_params

    values = {"Log-likelihood": fit.log_likelihood, "AIC": fit.aic, "BIC": fit.bic}
    facts |= {name: f"{value:.6g}" for name, value in values.items()}
    summary, half, cells = Summary(), len(facts) // 2, [[value] for value in facts.values()]
    stubs = [f"{name}:" for name in facts]
    first = SimpleTable(cells[:half], stubs=stubs[:half], title=title, txt_fmt=fmt_2cols)
    first.extend_right(SimpleTable(cells[half:], stubs=stubs[half:], txt_fmt=fmt_2cols))
    summary.tables.append(first)
    shown: dict[str, dict[str, Any]]
    shown = {title: tables.columns_from_rows(facts.items(), ("", "value"), ("", "value"))}
    head = ("", "estimate", "std err")
    for who, part in parts.items():
        rows, heading = _rows(part), None
        if who:  # its size and, if it has any, its scores of 0 and 1
            absent = round(part.params.get(inflated.REJECTED, 0.0) * part.total_weight)
            missing = f", {absent} {vocabulary.TRIALS} without one" if absent else ""
            rule = boundary_words(part)
            rule = rule and f", boundary {rule}"
            heading = say(f"{who}: {part.n - absent} scores{missing}{rule}")
        texts = [(f"{value:.6g}", f"{error:.6g}") for _, value, error in rows] or [("", "")]
        stubs = [name for name, _, _ in rows] or ["no parameters"]
        summary.tables.append(SimpleTable(texts, head[1:], stubs, heading, txt_fmt=fmt_params))
        shown[heading or "Parameters"] = tables.columns_from_rows(rows, head, ("",))
    if more:
        summary.add_extra_txt([text_of(more)])
    # Those of statsmodels escape no name, and set no tables of different widths.
    summary.as_html = lambda: nouns.html_block(
        [*(node for name, table in shown.items() for node in nouns.table_nodes(table, name)), *more]
    )
    summary.as_latex = lambda: "\n".join(
        f"{latex_text(name)}\n\n{latex_table(table)}" for name, table in shown.items()
    )
    return summary


def fit_families(fit: scores_beyond.SupportedPair) -> str:
    """Name of the family, with its point masses."""
    names = vocabulary.CLIENTS, vocabulary.IMPOSTORS
    classes = dict(zip(names, (fit._scored.client, fit._scored.impostor), strict=True))
    masses = any(f.distribution.atoms.places.size and f.names for f in classes.values())
    name = f"{families.in_classes(fit.family)}{', with point masses' if masses else ''}"
    ends = [
        f"{who} at the {' and the '.join(tail.side for tail in f.tails)} end"
        for who, f in classes.items() if f.tails
    ]  # fmt: skip
    return f"{name}, with a tail of {' and '.join(ends)}" if ends else name


def boundary_words(fit: Estimate) -> str:
    """What was done with scores of exactly 0 and 1."""
    rule = fit.boundary
    if rule is None:
        return ""
    censored = rule.n_censored_low or rule.n_censored_high
    parts = {
        f"{rule.n_zero} scores of exactly 0, {rule.n_one} of exactly 1": rule.n_zero or rule.n_one,
        f"{rule.n_dropped} left out": rule.n_dropped, f"{rule.n_moved} moved": rule.n_moved,
        f"{rule.n_censored_low} censored low, {rule.n_censored_high} high": censored,
        f"resolution {rule.resolution or 0.0:g}": rule.resolution is not None,
    }  # fmt: skip
    met = [words for words, present in parts.items() if present]
    return f"{'; '.join(met)} (rule: {rule.policy})" if met else ""


def law_rows(
    who: str, law: Estimate, cells: Mapping[str, tuple[tree.Cell, str]] | None = None
) -> list[tree.RowCells | tree.Group]:
    """The parameters of a class, maybe with intervals, and the rule at 0 and 1."""
    who = vocabulary.CLASS_SLOTS[who][0] if who in vocabulary.CLASS_SLOTS else who
    rows = list[tree.RowCells | tree.Group]()
    for label, value, error in _rows(law):
        if value != 0.0 or not label.startswith("at_"):
            cell, method = (cells or {}).get(label, (tree.Cell(number(value)), ""))
            name = "" if rows else f"{who} (n = {spaced(law.n)})"
            rows.append((name, label, cell, number(error, 3), method))
    words = boundary_words(law)
    return [*rows, tree.Group("", f"{who}: {words}")] if words else rows


def _interval_ends(fit: Fit, stat: str) -> tuple[float, float, bool]:
    with suppress(errors.BetarocError):
        result = interval_of_fit(fit, parse_statistic(stat, ()), IntervalOptions(_LEVEL))
        return result.low, result.high, result.extrapolated
    return _NO_ENDS


def _in_slots(column: Any) -> str:
    name: str = getattr(column, "short", column)
    return name.replace("client", vocabulary.CLIENT).replace("impostor", vocabulary.IMPOSTOR)


# ------------------------------------------------------------------------ the results
@dataclass(frozen=True, eq=False, repr=False)
class DistributionFit(Estimate, nouns.Exportable):
    """A distribution fitted to one sample, and how well the sample determines it.

    Made by :func:`fit_distribution`; `Fit.client` and `Fit.impostor` are such values.

    Parameters
    ----------
    family : str
        Name of the family.
    distribution : Distribution
        The fitted distribution; `Inflated` with point masses at 0 or 1, `Spliced` with tails.
    names, values : tuple
        Parameters, such as a, b, then at_zero, at_one.
    cov : ndarray, shape (p, p)
        Their covariance, read-only: the inverse information over the weight.
    log_likelihood : float
        Of densities, with cells of the counts; nan if empirical.
    n, total_weight : int, float
        Scores that took part, and the sum of their weights.
    converged : bool
        False only in the partial result that a `FitError` carries.
    iterations : int
        Evaluations of the Newton step; 0 for closed forms.
    gradient_norm : float
        Largest component of the gradient of the mean log-likelihood, by log a, log b and log sigma.
    boundary : BoundaryRule or None
        The rule for scores of exactly 0 and 1; None on the real line.
    fixed, tied : tuple of str
        Parameters that are not estimated, and those of one value in both classes.
    tails : tuple of Tails
        What the tails were fitted to, one per end.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> fit = br.fit_distribution(br.datasets.load_liveness().dev.client)
    >>> fit.converged, fit.n
    (True, 180)
    """

    def conf_int(self, level: float = 0.95, method: str = "profile") -> dict[str, Interval]:
        """Confidence interval of each parameter, in the order of `params`.

            profile: the values p with 2 [l(estimate) - max over the rest of l(p, .)] <= q,
            q the `level` quantile of the left side

        Parameters
        ----------
        level : float
            Confidence level.
        method : str
            "profile", good for ten scores, or "wald": estimate -+ t sqrt(n/(n - 1)) standard
            errors, of the log of a, b and sigma, of the logit of a mass (z there), of mu itself.

        Returns
        -------
        dict of Interval

        Raises
        ------
        InputError
            If `level` or `method` is out of range; for "profile" also if scores were censored or
            counted in cells, a + b > 1e8, or the family is none of beta, normal, logit-normal.

        Notes
        -----
        Trials are taken as independent. q is exact for mu, sigma and the shape of a dual beta
        distribution, chi-squared's times 1 + c/n for two shapes (Lawley 1956), else chi-squared's.

        Examples
        --------
        >>> import betaroc as br
        >>> interval = br.fit_distribution(br.datasets.load_liveness().dev.client).conf_int()["a"]
        >>> round(interval.low, 4), round(interval.high, 4)
        (1.1617, 1.8206)
        """
        return delta.conf_int(self, IntervalOptions(level, method))

    def summary(self) -> Summary:
        """A statsmodels summary: prints as text, shows as a table in a notebook.

        Examples
        --------
        >>> import betaroc as br
        >>> len(br.fit_distribution(br.datasets.load_liveness().dev.client).summary().tables)
        2
        """
        facts = {
            "Family": self.family, "Scores": str(self.n),
            "Total weight": f"{self.total_weight:.6g}", "Converged": str(self.converged),
            "Boundary": boundary_words(self) or "none",
        }  # fmt: skip
        return _summary("Maximum-likelihood fit", self, facts, {"": self})

    def __repr__(self) -> str:
        params = ", ".join(f"{k}={v:.6g}" for k, v in self.params.items())
        values = f": {params}" if params else ""
        return _line(f"<DistributionFit {self.family}{values}; {self.n} scores>")

    def to_frame(self) -> tables.Table:
        """A frame, one row per parameter: family, parameter, estimate, std_error.

        It is of the library of the sample, pandas of a list or an array, and empty for the
        empirical distribution.

        Examples
        --------
        >>> import betaroc as br
        >>> fit = br.fit_distribution(br.datasets.load_liveness().dev.client, "normal")
        >>> fit.to_frame()["parameter"].tolist()
        ['mu', 'sigma']
        """
        rows = [(self.family, *row) for row in _rows(self)]
        return tables.table_of(tables.columns_from_rows(rows, _COLUMNS, _TEXTS), self.library)


@dataclass(frozen=True, eq=False, repr=False)
class Fit(scores_beyond.SupportedPair, nouns.Exportable):
    """Both classes fitted: the model, the scores it came from, and how well they determine it.

    Made by :func:`fit`.

    Parameters
    ----------
    model : ScoreModel
        The pair of distributions; its prior is the observed, weighted share of clients.
    scores : Scores or ScoreSummary
        The data.
    client, impostor : DistributionFit
        The two distributions with their precision.
    family : str or tuple of str
        Family of both classes, or the pair (client, impostor).
    reason : str
        Why, where ``"auto"`` or ``"best"`` chose it.
    shared_cov : tuple of tuple of float or None
        Covariance of the clients' parameters (rows) with the impostors' where they share some.
    tied : tuple of str
        Parameters that the family's constraint makes the same in both classes.

    Notes
    -----
    Methods such as `at_far` are the model's. ``n_beyond`` of their points is n min(rate, 1 -
    rate) of the client and of the impostor scores (or groups); below one it is ``extrapolated``,
    with an `ExtrapolationWarning`. A `MisfitWarning` gives the counts near the rate where they
    contradict the distribution by more than a factor of 1.25 (exact binomial test of level 0.01).

    Examples
    --------
    >>> import betaroc as br
    >>> fit = br.fit(br.datasets.load_liveness().dev)
    >>> round(fit.model.auc(), 3), round(fit.log_likelihood, 3)
    (0.927, 194.919)
    """

    client: DistributionFit
    impostor: DistributionFit

    def _stated(
        self, point: OperatingPoint, *, read: tuple[StatisticSpec, Any] | None = None,
        solved: Mapping[str, Any] | None = None,
    ) -> OperatingPoint:  # fmt: skip
        """The point; rates that were asked for are judged as they were asked."""
        rates = {}
        for name, wanted in (solved or {}).items():
            # A point mass may span the rate that was asked for: no threshold has it.
            impostors = name == vocabulary.FAR
            rate = np.asarray(point.far if impostors else point.frr)
            fitted = self._evidence.fitted[impostors] is not None
            rates[name] = np.where((rate > 0.0) & (rate < 1.0) & fitted, rate, wanted)
        contradicted = read is not None and tell_contradicted(self, read[0], float(read[1]))
        with forward_warnings(but=(errors.MisfitWarning,) * contradicted):
            return scores_beyond.stated(self._evidence, point, rates_of_point(point, rates))

    at = _of_model(ScoreModel.at)
    eer = _of_model(ScoreModel.eer, "eer", "hter")
    min_dcf = _of_model(ScoreModel.min_dcf)
    actual_dcf = _of_model(ScoreModel.actual_dcf)
    max_f = _of_model(ScoreModel.max_f)
    youden = _of_model(ScoreModel.youden, "max-youden", "youden")
    break_even = _of_model(ScoreModel.break_even, "break-even", "mean_precision_recall")
    diagonal_crossings = _of_model(ScoreModel.diagonal_crossings)
    inflections = _of_model(ScoreModel.inflections)

    def at_far(self, x: npt.ArrayLike) -> OperatingPoint:
        """As `ScoreModel.at_far`, with what the point rests on."""
        x = checks.rate_array(x, "x")
        return self._stated(self.model.at_far(x), solved={vocabulary.FAR: x})

    def at_frr(self, x: npt.ArrayLike) -> OperatingPoint:
        """As `ScoreModel.at_frr`, with what the point rests on."""
        x = checks.rate_array(x, "x")
        return self._stated(self.model.at_frr(x), solved={vocabulary.FRR: x})

    def min_weighted_error(self, alpha: float) -> OperatingPoint:
        """As `ScoreModel.min_weighted_error`, with what the point rests on."""
        point = self.model.min_weighted_error(alpha)
        spec = parse_statistic("weighted-error", (), alpha=alpha)
        return self._stated(point, read=(spec, point.weighted_error(alpha)))

    def log_likelihood_ratio(self, scores: npt.ArrayLike) -> ScalarOrArray:
        """As `ScoreModel.log_likelihood_ratio`, of the fitted densities."""
        return self.model.log_likelihood_ratio(scores)

    def bayes_error(self, log_odds: npt.ArrayLike) -> BayesError:
        """As `ScoreModel.bayes_error`, of the fitted model."""
        return self.model.bayes_error(log_odds)

    def interval(
        self,
        stat: str | Callable[[ScoreModel], float],
        *given: Any,
        level: float = 0.95,
        method: str | None = None,
        replicates: int = 2000,
        groups: bool = True,
        rng: Any = None,
        extrapolate: bool = False,
        **point: Unpack[StatisticArguments],
    ) -> Interval:
        """Confidence interval of any number of the model.

            delta: T^-1(T(g) - bias -+ t sd),   sd^2 = V_c n_c/(n_c - 1) + V_i n_i/(n_i - 1)

        with T the probit of fractions, the logit of thresholds in [0, 1], the log of exponents and
        coefficients, V the share of each class in the variance of T(g), and t the quantile of
        Student's with Welch's degrees of freedom.

        Parameters
        ----------
        stat, level, replicates, groups, rng, extrapolate
            As in :func:`interval`.
        method : str, optional
            Left out, the hull of the family's interval and the scores' own where scores can answer.
            "family": the first alone, "integrated" where it rests on a tail, else "delta".
            "bootstrap": quantiles at parameters drawn about the estimates less their bias.
        threshold, far, frr, tpr, alpha, between, at, probability, log_odds : optional
        prior, cost_fa, cost_fr : optional
            Where the statistic is taken, one of them if it needs a point; `at` is a name such as
            "eer", "min-dcf" or "max-f1".

        Returns
        -------
        Interval

        Raises
        ------
        InputError
            If a name, option or point is out of range, missing or superfluous, or the statistic is
            nan or, for "delta", without a derivative.
        InputTypeError
            If `stat` is neither a name nor a function, or a point is given without its keyword.

        Notes
        -----
        No end of the hull lies more than one length of the scores' own interval beyond that; a
        `SmallSampleWarning` says where it is cut, a `MisfitWarning` where the scores' own interval
        does not hold the fitted number. The bias is that of maximum likelihood to first order (Cox
        and Snell 1968), taken from thresholds, exponents and coefficients. No interval covers at
        the border of a statistic's range ("ks" at an area of 1/2).

        Examples
        --------
        >>> import betaroc as br
        >>> interval = br.fit(br.datasets.load_liveness().dev).interval("tpr", far=0.1)
        >>> [round(v, 3) for v in (interval.low, interval.estimate, interval.high)]
        [0.638, 0.799, 0.857]
        """
        options = IntervalOptions(level, method, replicates, groups, rng, extrapolate=extrapolate)
        (f,) = of_comparisons(stat, point, self)
        lower = is_lower(self)
        spec = parse_statistic(stat, given, **point).inside(lower)
        return tables.in_library(spec.outside(interval_of_fit(f, spec, options), lower), self)

    def roc_band(
        self,
        level: float = 0.95,
        *,
        simultaneous: bool = False,
        method: str | None = None,
        far: npt.ArrayLike | None = None,
        replicates: int = 2000,
        groups: bool = True,
        rng: Any = None,
        extrapolate: bool = False,
    ) -> Band:
        """Band around the fitted ROC: TPR at each FAR.

            delta: probit TPR -+ t sd, as in `interval`;   simultaneous: t the quantile of the
            largest departure of the studentised normal process, or of the draws

        Parameters
        ----------
        level, method, groups, rng, extrapolate
            As in `interval`.
        simultaneous, far
            As in :func:`roc_band`.
        replicates : int
            Draws of the bootstrap, or of the process.

        Returns
        -------
        Band
            Its `alpha` is the FAR.

        Raises
        ------
        InputError
            As in `interval`.

        Examples
        --------
        >>> import betaroc as br
        >>> br.fit(br.datasets.load_liveness().dev).roc_band(far=[0.1, 0.5]).low.round(3).tolist()
        [0.638, 0.914]
        """
        return roc_band(
            self, far=far, level=level, simultaneous=simultaneous, method=method,
            replicates=replicates, groups=groups, rng=rng, extrapolate=extrapolate,
        )  # fmt: skip

    def shape_probabilities(self, *, groups: bool = True) -> dict[str, dict[str, float]]:
        """How likely each shape of both beta distributions is, given the errors of a and b.

            P(log a and log b have the signs of the shape), both normal with the fit's covariance

        Parameters
        ----------
        groups : bool
            As in `joint_cov`.

        Returns
        -------
        dict
            ``{"client": {"U", "reverse-J", "J", "bell"}, "impostor": {...}}``, each adding up
            to 1: sampling statements.

        Raises
        ------
        InputError
            If the fit is not of beta distributions, or has tails.

        Examples
        --------
        >>> import betaroc as br
        >>> round(br.fit(br.datasets.load_liveness().dev).shape_probabilities()["client"]["J"], 6)
        0.999597
        """
        tail_fits.check_tails(self, "probabilities of shapes")
        return shape_tests.shape_probabilities(self, groups=groups)

    def end_tests(self, level: float = 0.95, *, groups: bool = True) -> shape_tests.EndTests:
        """Whether the ROC is above or below the diagonal near each end, with its confidence.

            beta: a_c = a_i at zero, b_c = b_i at one, by the modified signed root of their
            likelihood ratio, r* = r + log(u/r)/r;   normal, logit-normal: sigma_c = sigma_i at
            both, by the F test;   masses on an end: equal shares, by Fisher's test with mid-p

        Parameters
        ----------
        level : float
            Confidence below which a side is "cannot tell".
        groups : bool
            Where the scores carry groups, score tests (Boos 1992).

        Returns
        -------
        EndTests
            ``at_zero`` and ``at_one``, each with side ("above", "below", "cannot tell" or
            "contradicted"), z, p_value, method and note.

        Raises
        ------
        InputError
            If the ends of the family are not tested, the fit has tails, `level` is out of range, or
            masses are to be counted and weights are no whole numbers.

        Notes
        -----
        A side that counts of both classes exclude is "contradicted", a class that does not follow
        the family leaves it open; neither has a p-value. The simulated size at level 0.05 is 0.042
        to 0.060 from 10 scores per class on. With scores censored or in cells, or a + b > 1e8,
        Wald's test is used (0.06 at 30 scores).

        References
        ----------
        Omar and Ivrissimtzis (2019), section 4. Barndorff-Nielsen (1991), Modified signed log
        likelihood ratio. Lancaster (1961), Significance tests in discrete distributions.

        Examples
        --------
        >>> import betaroc as br
        >>> br.fit(br.datasets.load_liveness().dev).end_tests().at_zero.side
        'above'
        """
        tail_fits.check_tails(self, "tests of the ends")
        return shape_tests.FittedEnds.of(self, groups=groups).tests(checks.level(level))

    def curve_test(self, level: float = 0.95, *, groups: bool = True) -> shape_tests.CurveTest:
        """Probability of each shape of the whole ROC, and what lies below the diagonal.

            p of a proper curve = P(min(N_1, N_2) <= min(z)),   N standard normal, correlated as the
            ends are;   z_1, z_2 those of `end_tests`

        Parameters
        ----------
        level : float
            Confidence of the words in ``.finding``.
        groups : bool
            As in `end_tests`.

        Returns
        -------
        CurveTest

        Raises
        ------
        InputError
            As in `end_tests`.

        Notes
        -----
        A probability is the share of curves with that shape when both z vary by their errors. The
        test of a proper curve is conservative where one end is far above the diagonal. Of two
        normal distributions both p-values are of equal spreads, that of a proper curve also of mu_c
        >= mu_i (Gail and Simon 1985; Wollan and Dykstra 1986).

        Examples
        --------
        >>> import betaroc as br
        >>> br.fit(br.datasets.load_liveness().dev).curve_test().hooks
        ()
        """
        tail_fits.check_tails(self, "tests of the curve")
        return shape_tests.FittedEnds.of(self, groups=groups).curve(checks.level(level))

    def sensitivity(self, resolution: float | None = None, *, groups: bool = True) -> Sensitivity:
        """Audit what a beta fit depends on at its ends.

            Hill:  1 / mean(log x_(k+1) - log x_(i), i <= k),   k = sqrt(n) scores nearest the end

        Parameters
        ----------
        resolution : float, optional
            What the scores are rounded to: the fit of the cells is then one of the rules.
        groups : bool
            Where the scores carry groups, Hill's error with the covariance between them.

        Returns
        -------
        Sensitivity
            Shapes, end exponents and AUC under the other rules, and Hill's exponent of each tail
            beside the fitted one.

        Raises
        ------
        InputError
            If the fit is not of family "beta", or has tails.

        Notes
        -----
        Hill's z is in errors of a pure power tail, exponent/sqrt(k). The extreme scores depart from
        the fit only where z is beyond 3 against `expected`, too: Hill's exponent of the fitted
        distribution over their share (Hill 1975).

        Examples
        --------
        >>> import betaroc as br
        >>> tail = br.fit(br.datasets.load_liveness().dev).sensitivity().tails[0]
        >>> tail.who, tail.end, round(tail.z, 2)
        ('client', 'at_zero', 0.54)
        """
        return tail_fits.sensitivity(self, resolution, groups=groups)

    @property
    def params(self) -> Mapping[str, float]:
        """The parameters of both classes, clients first, read-only.

        They have names such as "client-a", which :meth:`interval` takes, in the order of
        :meth:`joint_cov`. Empty for empirical distributions.

        Examples
        --------
        >>> import betaroc as br
        >>> list(br.fit(br.datasets.load_liveness().dev).params)
        ['client-a', 'client-b', 'impostor-a', 'impostor-b']
        """
        names = [f"{who}-{name.replace('_', '-')}" for who, part in self._parts
                 for name in part.names]  # fmt: skip
        return Named(zip(names, self.client.values + self.impostor.values, strict=True))

    @property
    def _parts(self) -> tuple[tuple[str, DistributionFit], ...]:
        return (("client", self.client), ("impostor", self.impostor))

    def joint_cov(self, *, groups: bool = True) -> FloatArray:
        """Covariance of the parameters of both classes together, clients first.

            cov (sum_g s_g s_g') cov,   s_g = sum over group g of d log f(x_i) / d parameters

        Parameters
        ----------
        groups : bool
            Where the scores carry groups, the covariance that allows for them (Liang and Zeger
            1986).

        Returns
        -------
        ndarray, shape (p, p)
            In the order of `params`; without groups the inverse information of each class.

        Raises
        ------
        InputError
            If all trials of a class share one group.

        Examples
        --------
        >>> import betaroc as br
        >>> br.fit(br.datasets.load_liveness().dev).joint_cov().shape
        (4, 4)
        """
        return delta.joint_cov(self, groups=groups)

    def conf_int(
        self, level: float = 0.95, method: str = "profile", *, groups: bool = True
    ) -> dict[str, dict[str, Interval]]:
        """Confidence interval of each parameter of both classes, as `DistributionFit.conf_int`.

        Parameters
        ----------
        level, method
            As there; "profile" is refused of a fit with tails.
        groups : bool
            Where the scores carry groups, the errors of `joint_cov`, by "wald" alone with G - 1
            degrees of freedom.

        Returns
        -------
        dict
            ``{"client": {parameter: Interval}, "impostor": {...}}``.

        Raises
        ------
        InputError
            As there.

        Examples
        --------
        >>> import betaroc as br
        >>> round(br.fit(br.datasets.load_liveness().dev).conf_int()["client"]["a"].low, 3)
        1.162
        """
        options = IntervalOptions(level, method, groups=groups).by(delta.PARAMETER_METHODS)
        if options.method == "profile":
            tail_fits.check_tails(self, 'intervals of parameters by method="profile"')
        return delta.grouped_conf_int(self, options)

    def plot(
        self,
        kind: str = "roc",
        ax: Axes | None = None,
        *,
        band: Band | None = None,
        scale: str = "linear",
        level: float = 0.95,
        terms: str = vocabulary.BIOMETRIC,
        bins: int = _BINS,
        **style: Any,
    ) -> Axes:
        """Draw the fitted ROC beside that of the scores, the distributions, or how well they fit.

            pp: F(x_(i)) against the median of U_(i),   qq: x_(i) against F^-1(median of U_(i)),
            U_(i) ~ Beta(i, n + 1 - i) the i-th of n ordered uniform numbers

        Parameters
        ----------
        kind : str
            "roc": the fitted curve, and in thin steps that of the scores. "histogram": the scores
            of each class with its fitted density; "densities": the densities alone. "pp", "qq":
            ordered scores as probabilities, or as scores (their logits on [0, 1]), against what is
            expected of them. "tails": FAR and FRR, fitted and counted, on a log scale.
            "bayes-error", "decision-curve": those of the fit and of the scores, as
            :func:`bayes_error_curve` and :func:`decision_curve` draw them. "calibration": the
            scores, in [0, 1] as probabilities, else as log-likelihood ratios, against what pooled
            adjacent violators and the fit make of them, over the band in which the former would
            lie at each score if the scores were calibrated (400 draws, of independent trials).
        ax : optional
            As in :meth:`betaroc.ScoreModel.plot`.
        band : Band, optional
            Of "roc", from ``fit.roc_band()``.
        scale, terms : str
            Horizontal axis and words of "roc", as in :meth:`betaroc.Roc.plot`.
        level : float
            Confidence at each score by itself of the band of "pp", "qq" and "calibration", and
            of intervals of tails and costs.
        bins : int
            Bars of each class of "histogram".
        **style
            Properties of the lines of "roc", "histogram", "densities" and costs.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            If an option is out of range or belongs to another kind, `band` is that of another
            curve, weights of "pp", "qq" and "calibration" are no whole numbers, or scores of
            "decision-curve" are no probabilities.
        InputTypeError
            If the distributions are the scores themselves, for "histogram", "densities", "pp",
            "qq" and "tails".

        References
        ----------
        Dimitriadis, T., Gneiting, T. and Jordan, A. I. (2021), Stable reliability diagrams for
        probabilistic classifiers, PNAS 118: the band of "calibration".

        Examples
        --------
        >>> import betaroc as br
        >>> fit = br.fit(br.datasets.load_liveness().dev)
        >>> fit.plot(band=fit.roc_band()).get_xlabel()
        'FAR'
        """
        words = checks.terms_of(terms)
        kind = checks.choice(kind, _PLOT_KINDS, "kind")
        owners = {"bins": ("histogram",), "band": ("roc",), "scale": ("roc",)}
        present = {"bins": not is_same(bins, _BINS), "band": band is not None,
                   "scale": not is_same(scale, "linear")} | dict.fromkeys(style, True)  # fmt: skip
        for name in present:
            owner = owners.get(name, ("roc", *_CLASS_KINDS, *pictures.COST_KINDS))
            if present[name] and kind not in owner:
                raise errors.InputError.about(name)(
                    f'{name} must be left out of kind="{kind}": it belongs to kind="{owner[0]}".'
                )
        if kind == "roc":
            look = line_style(style)
            return pictures.plot_fitted_roc(self, ax, band, look, scale=scale, terms=terms)
        if kind in _CLASS_KINDS:
            shared = vocabulary.shared_words([self.scores.words])
            names = [vocabulary.Vocabulary(words, shared).fill(name) for name in shared]
            laws = self.model.client, self.model.impostor
            samples = self.scores._distributions if kind == "histogram" else laws
            classes = list(zip(samples, laws, strict=True))
            return plot_classes(ax, classes, names, style, bins=bins, lower=is_lower(self))
        check_sense(self, f'kind="{kind}"', like=self if kind == "pp" else None)
        if kind == "tails":
            return pictures.plot_tails(self, ax, level=level, terms=words)
        if kind in pictures.COST_KINDS:
            return pictures.plot_costs(self, kind, ax, level, style)
        if kind == "calibration":
            return pictures.plot_calibration(self, ax, level)
        return pictures.plot_fit(self, kind, ax, level, words)

    def summary(self, terms: str = vocabulary.BIOMETRIC) -> Summary:
        """A statsmodels summary of both classes: prints as text, shows in a notebook.

        Parameters
        ----------
        terms : str
            Words of the classes and rates, as in :meth:`betaroc.Roc.plot`.

        Returns
        -------
        Summary

        Examples
        --------
        >>> import betaroc as br
        >>> len(br.fit(br.datasets.load_liveness().dev).summary().tables)
        3
        """
        words = vocabulary.shared_words([self.scores.words])
        say = vocabulary.Vocabulary(checks.terms_of(terms), words).fill
        client, impostor = map(say, (vocabulary.CLIENT, vocabulary.IMPOSTOR))
        facts = {
            "Family": families.family_text(self.family), "Converged": str(self.converged),
            f"{vocabulary.capital(client)} prior": f"{self.model.prior:.6g}",
        }  # fmt: skip
        title = f"Maximum-likelihood fit of {visible(self.scores.name or '')}".removesuffix(" of ")
        parts: dict[str, Estimate] = {client: self.client, impostor: self.impostor}
        more = [tree.map_text(node, say) for node in ratings.rating_nodes(self._scored)]
        return _summary(title, self, facts, parts, more, say)

    def _derived(self) -> dict[str, Any]:
        return self.model._derived() | fields_of(self, "log_likelihood", "aic", "bic")

    def _metrics(self) -> dict[str, Any]:
        params = {f"{who}_{k}": v for who, part in self._parts for k, v in part.params.items()}
        sizes = {f"n_{who}": part.n for who, part in self._parts}
        return self._derived() | params | {"prior": self.model.prior} | sizes

    def __repr__(self) -> str:
        params = "; ".join(
            f"{who} {', '.join(f'{k}={v:.4g}' for k, v in part.params.items()) or part.family}"
            for who, part in self._parts
        )
        sizes = f"{self.scores.n_client} and {self.scores.n_impostor} scores"
        return _line(f"<{self._caption()}: {params}; {sizes}>")

    def _caption(self) -> str:
        return f"Fit {families.family_text(self.family)}{' of -distance' * is_lower(self)}"

    def _view(self) -> Sequence[tree.Node]:
        scores, words = self.scores, vocabulary.shared_words([self.scores.words])
        sizes = {"client": scores.n_client, "impostor": scores.n_impostor}
        models = {} if empirical.is_counted(self.model.client) else {"fitted": self.model}
        if not models or not isinstance(scores, Scores) or sum(sizes.values()) <= _MANY:
            models["scores"] = empirical_model(scores)
        name = f" of {name_shown(scores.name)}" if scores.name else ""
        many = max(map(len, scores.strata))
        name += f" of the mixture of {many} strata" * (many > 1)
        counts = " and ".join(words.counted(who, n, spaced(n)) for who, n in sizes.items())
        heads: list[str] = []
        areas: list[tree.Cell] = []
        eers: list[tree.Cell] = []
        for label, model in models.items():
            fitted = label == "fitted" and not (self.client.tails or self.impostor.tails)
            ends = _interval_ends(self, "auc") if fitted else _NO_ENDS  # of tails they take time
            areas.append(tree.quantity(model.auc(), partial(number, digits=4), *ends[:2]))
            ends = _interval_ends(self, "eer") if fitted and self.n_free <= _FEW else _NO_ENDS
            cell = tree.rate_cell(float(model.eer().hter), *ends[:2])
            eers.append(replace(cell, span=cell.span + ", extrapolated" * ends[2]))
            known = areas[-1].span or eers[-1].span
            heads.append(f"{label}, {level_words(_LEVEL)} interval" if known else label)
        laws = [
            row if isinstance(row, tree.Group) else tree.Row(row[:4])
            for who in sizes for row in law_rows(getattr(words, who), getattr(self, who))
        ]  # fmt: skip
        params = tree.Grid(("class", "parameter", "estimate", "standard error"), tuple(laws), (1,))

        def draw() -> Axes | None:
            ax = None
            for label, model in models.items():
                ax = model.roc().plot(ax, label=label, color=INK, linewidth=_WIDTHS[label])
            return ax

        about = ", ".join(f"{label} {number(model.auc(), 3)}" for label, model in models.items())
        return [
            tree.Paragraph(f"{fit_families(self)} fit{name}: {counts}", "answer"),
            *(tree.Paragraph(notice.message) for notice in self.notices[:_NOTICES]),
            tree.Grid(("", *heads), (tree.Row(("AUC", *areas)), tree.Row((vocabulary.EER, *eers)))),
            *(ratings.rating_nodes(self._scored) or [params] * bool(laws)),
            tree.Figure(draw, "", f"ROC: {vocabulary.TPR} against {vocabulary.FAR}, area {about}"),
        ]

    def to_frame(self) -> tables.Table:
        """A frame, one row per class and parameter.

        Its columns are class, family, parameter, estimate, std_error. It is of the library of the
        scores, and empty for empirical distributions.

        Examples
        --------
        >>> import betaroc as br
        >>> br.fit(br.datasets.load_liveness().dev).to_frame()["parameter"].tolist()
        ['a', 'b', 'a', 'b']
        """
        rows = [(who, part.family, *row) for who, part in self._parts for row in _rows(part)]
        columns = tables.columns_from_rows(rows, ("class", *_COLUMNS), _TEXTS)
        return tables.table_of(columns, self.library)


@dataclass(frozen=True, eq=False, repr=False)
class StrataFits(tables.Tabular, nouns.Readable):
    """One fit per stratum of a class; made by :func:`fit` with ``by="stratum"``.

    Parameters
    ----------
    stratum : tuple of str
        The names, in the order in which they first occur.
    fits : tuple of Fit
        Each stratum beside all of the other class, or beside its namesake where both classes have
        it.
    scores : Scores
        What was fitted.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> br.fit(br.datasets.load_liveness(sharpened=[0.0, 0.4]).test, by="stratum")["0.4"].impostor.n
    448
    """

    stratum: tuple[str, ...]
    fits: tuple[Fit, ...]
    scores: Scores

    def __getitem__(self, name: str) -> Fit:
        if name not in self.stratum:
            actual, names = format_value(name), checks.format_list(self.stratum)
            raise errors.refusal("stratum", f"be one of {names}", actual)
        return self.fits[self.stratum.index(name)]

    def model_over(self, over: str | Mapping[str, float] = "worst") -> ScoreModel:
        """One model of all strata.

        Parameters
        ----------
        over : {"worst", "pooled"} or mapping
            "worst": at each threshold the stratum with the largest error rate; weights of the
            strata by their names, which sum to 1; "pooled": their shares of the trials.

        Returns
        -------
        ScoreModel

        Raises
        ------
        InputError
            If `over` is nothing of these, or the fits of strata differ in the other class too.

        Examples
        --------
        >>> import betaroc as br
        >>> fits = br.fit(br.datasets.load_liveness(sharpened=[0.0, 0.4]).test, by="stratum")
        >>> fits.model_over("worst").far(0.5) == max(fit.model.far(0.5) for fit in fits.fits)
        True
        """
        laws = dict[str, Any]()
        for who, (parts, weights) in self._sides(over).items():
            own = [getattr(part.model, who) for part in parts]
            laws[who] = over_strata(own, weights, upper=who == CLASSES[1]) if own[1:] else own[0]
        return replace(self.fits[0].model, prior=self.scores.prior, name=self.scores.name, **laws)

    def _sides(
        self, over: str | Mapping[str, float]
    ) -> dict[str, tuple[tuple[Fit, ...], FloatArray | None]]:
        """Of either class its fits, and the weights of its strata; None for the worst."""
        strata = self.scores.strata
        split = strata._beside(CLASSES[len(strata.impostor) > 1])
        sizes = {who: getattr(strata, who) for who in split}
        if over == strata_rates.POOLED:
            counts = {who: np.array([*trials.values()]) for who, trials in sizes.items()}
            chosen: Any = {who: n / np.sum(n) for who, n in counts.items()}
        else:
            chosen = strata_rates.classes_over(sizes, over)
        for who in set(CLASSES) - set(split):
            first, *others = [getattr(part.model, who) for part in self.fits]
            if any(law != first for law in others):
                rule = "be of one class alone to be taken over strata"
                remedy = 'Fit each class by itself, such as family="beta".'
                raise errors.refusal("family", rule, fit_families(self.fits[0]), remedy)
        return {
            who: (self.fits if who in split else self.fits[:1], chosen.get(who)) for who in CLASSES
        }

    def plot(
        self, kind: str = "roc", ax: Axes | None = None, *, terms: str = vocabulary.BIOMETRIC
    ) -> Axes:
        """Draw the fitted curve of each stratum, its counted one, and the worst of all.

        Parameters
        ----------
        kind : str
            "roc" or "det": all in one picture, the costliest strata by colours; "panels": the ROC
            of each of the costliest by itself.
        ax : matplotlib Axes, optional
            Where to draw; new axes if left out. Not of "panels".
        terms : str
            As in :meth:`betaroc.Roc.plot`.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.datasets.load_liveness(sharpened=[0.0, 0.4]).test
        >>> br.fit(scores, by="stratum").plot("det").get_ylabel()
        'FRR'
        """
        kind = checks.choice(kind, ("roc", "det", "panels"), "kind")
        parts = {self.stratum[k]: self.fits[k] for k in self._order}
        if kind == "panels":
            return pictures.plot_strata_panels(parts, terms)
        worst = strata_rates.model_over(self.scores, strata_rates.WORST)
        return pictures.plot_strata(parts, worst, kind, ax, terms)

    @property
    def _order(self) -> list[int]:
        areas = [part.model.auc() for part in self.fits]
        return sorted(range(len(areas)), key=areas.__getitem__)

    def _view(self, terms: str = vocabulary.BIOMETRIC) -> Sequence[tree.Node]:
        table = tables.listed_columns(self.to_frame())
        ordered = {key: [column[k] for k in self._order] for key, column in table.items()}
        text = f"AUC of {tree.foreign(ordered['stratum'][0]).short}, the costliest of"
        text += f" {len(self.fits)} strata; {fit_families(self.fits[0])} fit of each"
        auc = number(float(ordered["auc"][0]), 4)
        nodes: list[tree.Node] = [tree.Paragraph(text, "answer", auc)]
        alike = {key: x[0] for key, x in ordered.items() if key != "stratum" and len(set(x)) == 1}
        columns = {key: x for key, x in ordered.items() if key not in alike}
        grid = cast(tree.Grid, nouns.table_nodes(columns, "")[1])
        nodes.append(replace(grid, kept=ordered, head=tuple(map(_in_slots, grid.head))))
        if alike:
            pairs = [(_in_slots(key), x) for key, x in alike.items() if x != ""]  # normal: no shape
            words = (f"{key} {x if isinstance(x, str) else number(x, 4)}" for key, x in pairs)
            nodes.append(tree.Paragraph(f"Of each: {', '.join(words)}."))
        about = "ROC of each stratum, fitted and, thin, counted"
        if len(self.fits) > PANELS:
            about += f"; the {PANELS} costliest of {len(self.fits)}"
        return [*nodes, tree.Figure(partial(self.plot, "panels", terms=terms), "", about)]

    def to_frame(self) -> tables.Table:
        """One row per stratum.

        Columns stratum, n_client and n_impostor, the parameters such as impostor_a, client_shape
        and impostor_shape, semi_at_zero and semi_at_one, auc and eer.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.datasets.load_liveness(sharpened=[0.0, 0.4]).test
        >>> br.fit(scores, by="stratum").to_frame()["stratum"].tolist()
        ['0', '0.4']
        """
        rows = []
        for name, part in zip(self.stratum, self.fits, strict=True):
            ends, shapes = part.model.semi_derivatives(), part.model.shape_category() or ("", "")
            sizes = {"n_client": part.client.n, "n_impostor": part.impostor.n}
            row: dict[str, Any] = {"stratum": name} | sizes
            for who in CLASSES:
                row |= {f"{who}_{key}": value for key, value in getattr(part, who).params.items()}
            row |= {f"{who}_shape": str(x) for who, x in zip(CLASSES, shapes, strict=True)}
            row |= {"semi_at_zero": ends.at_zero, "semi_at_one": ends.at_one}
            rows.append(row | {"auc": part.model.auc(), "eer": part.model.eer().hter})
        lack = {key: 0.0 if key.endswith(_MASSES) else math.nan for row in rows for key in row}
        return self._table({key: [row.get(key, x) for row in rows] for key, x in lack.items()})


def wrap_estimate(part: Estimate, library: tables.Library | None) -> DistributionFit:
    """An estimate as users hold it, of data of this library."""
    result = object.__new__(DistributionFit)
    result.__dict__.update(part.__dict__, library=library)
    return result


def _wrap_partial(error: errors.FitError, library: tables.Library | None) -> None:
    if isinstance(error.result, Estimate):
        error.result = wrap_estimate(error.result, library)


# ------------------------------------------------------------------------ from scores to fits
@collect_warnings
def fit_distribution(
    sample: npt.ArrayLike,
    family: str = families.AUTO,
    *,
    weights: npt.ArrayLike | None = None,
    boundary: str | None = None,
    resolution: float | None = None,
    components: int | None = None,
    bounds: tuple[float, float] | None = None,
) -> DistributionFit:
    """Maximum-likelihood fit of one distribution to one sample.

        beta: digamma(a) - digamma(a+b) = mean log x, digamma(b) - digamma(a+b) = mean log(1-x)

    Parameters
    ----------
    sample : array_like, shape (n,)
        Finite scores; in [0, 1] for families on [0, 1].
    family : str
        ``"beta"``, ``"normal"``, ``"logit-normal"``, ``"beta-mixture"``, ``"normal-mixture"`` or
        ``"empirical"``; ``"auto"``: beta where every score lies in [0, 1], else normal.
    weights : array_like, shape (n,), optional
        Frequencies: weight k counts as k copies.
    boundary : str, optional
        What becomes of scores of exactly 0 and 1. Left out: point masses with their observed
        shares, with a `BoundaryWarning`. ``"inflate"``: the same, without. ``"error"``: refuse.
        ``"drop"``: leave them out. ``"squeeze"``: fit (s (n-1) + 1/2) / n. ``"censor"``: scores <=
        resolution count as F(resolution), scores >= 1 - resolution as 1 - F(1 - resolution).
        ``"matlab"``: as `betafit` does, censored at 2**-511 and 1 - 2**-53.
    resolution : float, optional
        Alone: the scores are rounded to multiples of it, and the likelihood is that of the cells
        k * resolution +- resolution / 2, cut to the support. Not of mixtures.
    components : int, optional
        Components of a mixture, two where left out.
    bounds : tuple of float, optional
        Ends of the range that scores can have, as of :func:`fit`.

    Returns
    -------
    DistributionFit

    Raises
    ------
    InputError, InputTypeError
        Scores outside [0, 1], not finite, or options that contradict one another.
    DegenerateDataError
        No maximum exists: fewer than two distinct scores inside (0, 1), or a distribution more
        concentrated than a + b = 1e12.
    FitError
        The solver stopped early, or no mixture is likelier than one distribution; the partial
        result is the error's ``result``.

    Warns
    -----
    BoundaryWarning
        If scores are exactly 0 or 1.
    SmallSampleWarning
        If the total weight is below 10.
    InfluenceWarning
        If the least or the largest score alone halves or doubles a shape or sigma, or moves a
        location farther than its scatter.
    ScaleWarning
        If ``"auto"`` took a normal distribution though at least 95 % of the scores lie in [0, 1].

    Notes
    -----
    The maximum is unique with two or more distinct scores inside (0, 1); parameters carry 10 or
    more correct digits, for scores from 5e-324 to 1 - 2**-53 and a + b up to 1e12. Squeezing is
    inconsistent for a < 1/2. A mixture is the largest local maximum from several starts (EM, then
    Newton's method) in which every component has five scores and at most 1e4 times the
    concentration of one beta distribution.

    References
    ----------
    Omar and Ivrissimtzis (2019), section 3.

    Examples
    --------
    >>> import betaroc as br
    >>> result = br.fit_distribution(br.datasets.load_liveness().dev.client)
    >>> round(result.params["a"], 6), round(result.std_errors["a"], 4)
    (1.465143, 0.167)
    """
    name, _ = families.checked_pair(family, (families.AUTO,))
    of_pairs = name != families.AUTO and families.FAMILIES[name].of_pairs
    if of_pairs or isinstance(family, tuple | list):
        remedy = "Use br.fit(Scores(client, impostor), family)."
        raise errors.refusal("family", "be of one class alone", format_value(family), remedy)
    bounds = None if bounds is None else checks.span(bounds, "bounds")
    options, extremes = Options(boundary, resolution, components, bounds), _finite_extremes(sample)
    # A distribution of counts holds the scores: a copy of them.
    plain = extremes is not None and not families.is_of_counts(name)
    values = np.asarray(sample) if plain else checks.score_array(sample, "sample")
    notices: list[Notice] = []
    if name == families.AUTO:
        name = "beta"
        if not (bounds or (extremes and extremes[0] >= 0.0 and extremes[1] <= 1.0)):
            chosen = families.chosen_of([families.score_span("score", values)])
            families.check_rule(chosen, boundary)
            name, notices = chosen.family, chosen.notices
    task = estimate.Task.of(name, options)
    library = tables.library_of(sample) if extremes is None else None
    if weights is not None:
        weights = checks.weights_array(weights, values.size, "weights")
    try:
        result, more = task.run("sample", values, weights, extremes)
    except errors.FitError as error:
        _wrap_partial(error, library)
        raise
    estimate.give(notices + more)
    return wrap_estimate(result, library)


def _finite_extremes(sample: npt.ArrayLike) -> tuple[float, float] | None:
    """Lowest and highest of a finite float64 vector, which needs no copy; else None."""
    plain = type(sample) is np.ndarray and sample.dtype == np.float64 and sample.ndim == 1
    if not (plain and np.size(sample)):
        return None
    low, high = float(np.minimum.reduce(sample)), float(np.maximum.reduce(sample))
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


class FitArguments(TypedDict, total=False):
    """The keywords of :func:`fit`."""

    boundary: str | None
    resolution: float | None
    components: int | None
    tails: str | Mapping[str, str] | None
    tail_sizes: int | Sequence[int] | None
    bounds: tuple[float, float] | None


@overload
def fit(
    scores: ScoresLike, family: families.Names = ..., *, by: None = ...,
    **options: Unpack[FitArguments],
) -> Fit: ...  # fmt: skip
@overload
def fit(
    scores: ScoresLike, family: families.Names = ..., *, by: str, **options: Unpack[FitArguments]
) -> StrataFits: ...
@collect_warnings
def fit(
    scores: ScoresLike,
    family: families.Names = families.AUTO,
    *,
    boundary: str | None = None,
    resolution: float | None = None,
    components: int | None = None,
    tails: str | Mapping[str, str] | None = None,
    tail_sizes: int | Sequence[int] | None = None,
    bounds: tuple[float, float] | None = None,
    by: str | None = None,
) -> Fit | StrataFits:
    """Maximum-likelihood fit of both classes: from scores to a model.

    Parameters
    ----------
    scores : Scores, ScoreSummary, frame, (y_true, y_score) or path
        Client and impostor scores, or the sums that `summarize` kept of them.
    family : str or pair of str
        One of those of :func:`fit_distribution`, or a pair of them, (client, impostor). Of both
        classes alone: ``"proper-beta"`` (a concave ROC: a_c >= a_i and b_c <= b_i), ``"dual-beta"``
        (clients Beta(p, 1), impostors Beta(1, q)), ``"equal-variance-normal"``, ``"rank-binormal"``
        (the binormal ROC of ratings or ranks, see `RankNormal`). ``"best"``: the
        pair that `compare_families` recommends, with tails where it is poor at the smallest rate
        that `check_fit` can check, or that of ``"auto"`` where families cannot be compared.
    boundary, resolution, components : optional
        As in :func:`fit_distribution`, for the class whose family has such a rule.
    tails : str or dict, optional
        Ends where a generalised Pareto tail of the most extreme scores takes the place of the
        family: ``"both"``, ``"upper"``, ``"lower"``, or one of these per class, such as
        ``{"impostor": "upper", "client": "lower"}``, the ends that FAR and FRR rest on.
    tail_sizes : int or sequence of int, optional
        Scores beyond the joint of a tail, each at least 20; 30 and 50 where left out.
    bounds : tuple of float, optional
        Ends of the range that scores can have, such as (-1, 1) of cosines: families and tails of
        [0, 1] are moved there.
    by : {"stratum"}, optional
        Fit each stratum of the class that has them (impostors first) by itself.

    Returns
    -------
    Fit
        ``.model`` is the pair of distributions, with the observed weighted client share as prior.
        With ``by="stratum"`` it is a `StrataFits` of one for each.

    Raises
    ------
    InputTypeError
        If `scores` is nothing of these.
    InputError, DegenerateDataError, FitError
        As in :func:`fit_distribution`; of a summary also for what needs the scores themselves; for
        tails of fewer than 200 scores in a class, sizes above a quarter of them, and scores that
        pile up at the end itself or lie outside `bounds`.

    Warns
    -----
    ReversedScoresWarning
        If impostors score higher than clients (empirical AUC < 1/2). Nothing is flipped.
    BoundaryWarning, SmallSampleWarning, InfluenceWarning
        As in :func:`fit_distribution`; the last also of a value far outside the others of its
        class, such as -999 for a missing score.
    MisfitWarning
        If a distribution function is more than 0.05 + 1.36/sqrt(n) from the share of the scores, or
        a rate between 1 and 10 % is "poor" in :func:`check_fit`.
    ScaleWarning
        As in :func:`fit_distribution`, or if the shape of a tail is beyond 0.5.
    DiscretenessWarning
        If fewer than half of a class's inner scores are distinct and no `resolution` is given (not
        of a summary).

    Notes
    -----
    Of a summary, beta distributions have a relative error of about 1e-14 (a + b), and sigma of a
    logit-normal distribution one of about 1e-16 (mean logit / sigma)^2. Errors of ``"proper-beta"``
    take shared parameters (``Fit.tied``) as given (Mossman and Peng 2016). The share of trials
    without a score is the parameter "rejected".

    Examples
    --------
    >>> import betaroc as br
    >>> round(br.fit(br.datasets.load_liveness().dev).client.params["a"], 4)
    1.4651
    """
    data: ScoreData = as_scores(scores, "scores")
    bounds = data._bounds_inside(None if bounds is None else checks.span(bounds, "bounds"))
    request = TailRequest.of(tails, tail_sizes, bounds)
    names = families.checked_pair(family, (families.AUTO, families.BEST))
    if names[0] == families.BEST:
        if components is not None:
            rule, actual = 'be left out for family="best": it chooses', format_value(components)
            raise errors.refusal("components", rule, actual, "Leave it out.")
        estimator = partial(
            best_fit, boundary=boundary, resolution=resolution, tails=request, bounds=bounds
        )
    else:
        chosen = families.Chosen("", "", [])
        if names[0] == families.AUTO:
            chosen = families.automatic([data], bounds=bounds)
            families.check_rule(chosen, boundary)
            names = chosen.family, chosen.family
        if request is not None and families.FAMILIES[names[0]].ranked:
            raise errors.refusal("tails", "be left out of a fit of ranks", format_value(tails))
        estimator = partial(
            _fit_pair, names=names, reason=chosen.reason, notices=chosen.notices, tails=request,
            options=Options(boundary, resolution, components, bounds),
        )  # fmt: skip
    if by is None:
        return estimator(data)
    checks.choice(by, ("stratum",), "by")
    if not isinstance(data, Scores):
        raise errors.refusal("scores", "be Scores to be fitted by strata", "a summary of them")
    who = CLASSES[len(data.strata.impostor) > 1 or len(data.strata.client) < 2]
    pieces = strata_rates.pieces_of(data, who)
    fits = []
    for name, piece in pieces.items():
        try:
            with forward_warnings(f"stratum {visible(name)}: "):
                fits.append(estimator(piece))
        except errors.BetarocError as error:
            raise error.reworded(f"stratum {visible(name)}: {error.template}") from error
    return tables.in_library(StrataFits(tuple(pieces), tuple(fits), data), data)


def best_fit(
    scores: ScoreData, boundary: str | None, resolution: float | None,
    result: family_choice.FamilyComparison | str | None = None, *, tails: TailRequest | None = None,
    bounds: tuple[float, float] | None = None,
) -> Fit:  # fmt: skip
    """The recommended pair fitted, with the reason."""
    auto = families.automatic([scores], families.BEST, bounds)
    if result is None:
        result = family_choice.best_comparison(scores, boundary, resolution, bounds)
    if isinstance(result, family_choice.FamilyComparison):
        names, reason = result.recommended, f"chosen as the best: {result.reason}"
    else:
        families.check_rule(auto, boundary, families.BEST)
        names = auto.family, auto.family
        reason = f"{auto.reason}; families were not compared: {result.rstrip('.')}"
    options = Options(boundary, resolution, bounds=bounds)
    return _fit_pair(scores, names, reason, auto.notices, options, tails, as_needed=True)


def _fit_pair(
    scores: ScoreData, names: tuple[str, str], reason: str, notices: list[Notice], options: Options,
    tails: TailRequest | None, *, as_needed: bool = False,
) -> Fit:  # fmt: skip
    try:
        result, more = estimate.estimate_pair(scores._scored, names, options, reason)
    except errors.FitError as error:
        _wrap_partial(error, scores.library)
        raise
    rejected, counted = scores.has_rejected, families.is_of_counts(names)
    notices, steep = [*notices, *more], list[Notice]()
    if tails is not None:
        result, steep = tail_fits.with_tails(result, tails)
    elif as_needed and isinstance(scores, Scores):
        result, steep = _with_needed_tails(result, options.bounds, comparisons=rejected)
    notices += steep
    if isinstance(result.scores, Scores) and not counted:
        odd = estimate.outliers(result.scores)
        if odd:  # says more than that one of them moves a parameter
            notices = [n for n in notices if n.category is not errors.InfluenceWarning] + odd
    fill = vocabulary.in_matching_rates if rejected else vocabulary.template_of
    for notice in check.misfit(result):
        notices.append(Notice(notice.category, vocabulary.Sentence(fill(notice.message))))
    model, single = result.model, isinstance(scores, Scores)
    laws = (model.client, model.impostor) if counted else scores._scored._distributions
    estimate.reversed_scores(*laws)
    for who, name in zip(CLASSES, names, strict=True):
        row = families.FAMILIES[name]
        if single and options.resolution is None and not (row.counted or row.ranked):
            notices += estimate.tied(who, getattr(scores, who), on_unit=row.on_unit)
    estimate.give(notices)
    if isinstance(scores, Scores) and rejected:
        result = result._rejecting(scores)
    fitted = object.__new__(Fit)  # both classes as users hold them
    classes = {who: wrap_estimate(getattr(result, who), result.library) for who in CLASSES}
    fitted.__dict__.update(result.__dict__, **classes)
    return fitted


def _with_needed_tails(
    result: PairEstimate, bounds: tuple[float, float] | None, *, comparisons: bool
) -> tuple[PairEstimate, list[Notice]]:
    notices: list[Notice] = []
    smallest: dict[str, check.TargetCheck] = {}
    with suppress(errors.InputError):  # fractional weights, which count nothing
        smallest = {target.rate: target for target in check.check_targets(result)}
    fill = vocabulary.in_matching_rates if comparisons else str
    for rate, target in smallest.items():
        if target.verdict != "poor":
            continue
        who = CLASSES[rate == "far"]
        why = (
            f"{vocabulary.members(who)} are poorly fitted at {fill(vocabulary.RATE_SLOT[rate])}"
            f" {percent(target.target)} ({target.observed:g} scores beyond,"
            f" {target.expected:.3g} expected)"
        )
        try:
            request = cast(TailRequest, TailRequest.of({who: tail_fits.ENDS[who]}, None, bounds))
            result, more = tail_fits.with_tails(result, request)
            notices += more
            why += f" and have a tail at the {tail_fits.ENDS[who]} end"
        except (errors.FitError, errors.InputError) as error:
            why += f" and can have no tail: {str(error).rstrip('.')}"
        reason = f"{vocabulary.template_of(result.reason)}; {why}"
        result = replace(result, reason=vocabulary.Sentence(reason))
    return result, notices
