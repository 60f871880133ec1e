"""Bayes-error plots and decision curves: two displays of what decisions at a threshold cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from betaroc.core import checks, notices, tables
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import refusal
from betaroc.core.options import IntervalOptions
from betaroc.data import read, scores
from betaroc.inference.of_scores import CountedScores, interval_of_counts
from betaroc.inference.scores_beyond import SideInput, SupportedPair
from betaroc.model import calibration, dataset_checks
from betaroc.model.statistics import parse_statistic
from betaroc.rendering import nouns, numbers, tree
from betaroc.rendering.curves import Axes, draw_costs

#: What is drawn: one system, or several by their names.
CostInput: TypeAlias = "SideInput | read.ScoresLike | Mapping[str, SideInput | read.ScoresLike]"
BAYES_ERROR, DECISION = "bayes-error", "decision-curve"
#: Shares and costs that agree to this are equal.
_ROUNDING = 1e-12
#: The statistic of each display, the keyword of its place, and what both are called.
_STATISTICS = {
    BAYES_ERROR: ("bayes-error", "log_odds", "prior log odds", "Bayes error"),
    DECISION: ("net-benefit", "probability", "threshold probability", "net benefit"),
}
#: Log odds of probabilities that doubles hold.
_LARGEST = 700.0
#: Of a probability of 0 the logit is that of this.
_TINY = np.finfo(float).tiny
#: Prior log odds and threshold probabilities where none are named.
_LOG_ODDS, _PROBABILITIES = np.linspace(-5.0, 5.0, 101), np.linspace(0.0, 0.99, 100)


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve(tables.Framed, nouns.Readable):
    """Bayes error over prior log odds, or net benefit over threshold probabilities.

    Made by :func:`bayes_error_curve` and :func:`decision_curve`; of each system

        actual: at the threshold that the place names,   best: at the best of all thresholds

    Parameters
    ----------
    display : str
        "bayes-error" or "decision-curve".
    system : tuple of str
        The names.
    at : ndarray, shape (k,)
        Prior log odds, or threshold probabilities.
    actual, best, low, high : ndarray, shape (systems, k)
        The errors, or net benefits, and the ends of the interval of `actual` at each place, nan of
        a model without scores.
    level : float
        Of each interval.
    prior : float
        P(client) of a decision curve; nan of a Bayes error, whose prior is on the axis.
    library
        As of an :class:`Interval`.

    Notes
    -----
    `best` is chosen on the scores that it is counted on, and so looks a little too good.

    Examples
    --------
    >>> import betaroc as br
    >>> curve = br.decision_curve(br.Scores([0.9, 0.4], [0.1, 0.3]), [0.2, 0.5])
    >>> curve.actual.tolist(), curve.best.tolist()  # (2 - 1/4)/4, 1/4
    ([[0.4375, 0.25]], [[0.5, 0.5]])
    """

    display: str
    system: tuple[str, ...]
    at: FloatArray
    actual: FloatArray
    best: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    prior: float = math.nan

    @property
    def _defaults(self) -> FloatArray:
        if self.display == BAYES_ERROR:
            return calibration.class_probabilities(self.at)[::-1]
        gain = self.prior - (1.0 - self.prior) * self.at / (1.0 - self.at)
        return np.stack([gain, np.zeros(self.at.size)])

    @property
    def default(self) -> FloatArray:
        """What the better decision without scores costs, or brings."""
        best = np.min if self.display == BAYES_ERROR else np.max
        return np.asarray(best(self._defaults, axis=0))

    def to_frame(self) -> tables.Table:
        """A row per system and place.

        Returns
        -------
        DataFrame
            Columns system, log_odds or probability, actual, low, high, best and default.

        Examples
        --------
        >>> import betaroc as br
        >>> curve = br.bayes_error_curve(br.Scores([2, 1], [-1, 0.5]), [0.0])
        >>> curve.to_frame()[["log_odds", "actual", "best", "default"]].values.tolist()
        [[0.0, 0.25, 0.0, 0.5]]
        """
        _, name, *_ = _STATISTICS[self.display]
        values = {key: getattr(self, key).ravel() for key in ("actual", "low", "high", "best")}
        many = len(self.system)
        return self._table({
            "system": [text for text in self.system for _ in self.at],
            name: np.tile(self.at, many), **values, "default": np.tile(self.default, many),
        })  # fmt: skip

    def plot(self, ax: Axes | None = None, *, normalized: bool = False, **style: Any) -> Axes:
        """Draw the curve of each system, what is best of it in dashes, and the defaults.

        Parameters
        ----------
        ax, **style : optional
            As in :meth:`betaroc.ScoreModel.plot`.
        normalized : bool
            Bayes errors over the default, above which a test does harm.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            If `normalized` is True of a decision curve.

        Examples
        --------
        >>> import betaroc as br
        >>> curve = br.decision_curve(br.Scores([0.9, 0.4], [0.1, 0.3], name="marker"))
        >>> [line.get_label() for line in curve.plot().lines]
        ['marker', 'best threshold in hindsight', 'treat all', 'treat none']
        """
        defaults = {"without scores": self.default}
        if self.display == DECISION:
            defaults = dict(zip(("treat all", "treat none"), self._defaults, strict=True))
        if checks.flag(normalized, "normalized") and self.display == DECISION:
            raise refusal("normalized", "be False of a decision curve", "True", "Leave it out.")
        over = self.default if normalized else 1.0
        lines = [part / over for part in (self.actual, self.best, self.low, self.high)]
        defaults = {name: line / over for name, line in defaults.items()}
        *_, place, title = _STATISTICS[self.display]
        axes = place, title + " over the default" * normalized
        words = f"{numbers.level_words(self.level)} interval"
        return draw_costs(ax, self.at, self.system, lines, defaults, axes, style, words=words)

    def _view(self) -> list[tree.Node]:
        bayes, rows = self.display == BAYES_ERROR, []
        ends = self.high if bayes else self.low
        for name, actual, end in zip(self.system, self.actual, ends, strict=True):
            gain, shown = ((self.default - x) * (1.0 if bayes else -1.0) for x in (actual, end))
            most, (better, sure) = int(np.argmax(gain)), np.sum([gain > _ROUNDING, shown > 0.0], 1)
            largest = numbers.number(gain[most], 3), numbers.number(self.at[most], 3)
            known = "" if np.isnan(end).all() else f"{sure}"
            cells = f"{better} of {gain.size}", known, *(largest if better else ())
            rows.append(tree.Row((tree.foreign(name), *cells)))
        *_, place, title = _STATISTICS[self.display]
        title = title if bayes else f"Net benefit at prevalence {numbers.number(self.prior, 3)}"
        head = "system", "better than without it", "by its interval", "most seen", f"at {place}"
        # A font may lack other letters.
        names = (s if s.isascii() else f"system {k}" for k, s in enumerate(self.system, 1))
        drawn = replace(self, system=tuple(names))
        figure = tree.Figure(drawn.plot, "", f"{title} against {place}")
        return [tree.Paragraph(title, "answer"), tree.Grid(head, tuple(rows), (0, 1)), figure]


def _curve(
    display: str, systems: CostInput, at: FloatArray, prior: float | None, options: IntervalOptions
) -> CostCurve:
    from scipy.special import logit

    statistic, keyword, *_ = _STATISTICS[display]
    if not at.size:
        raise refusal(keyword, "be one at least", "none")
    points = [parse_statistic(statistic, **{keyword: x, "prior": prior}) for x in at.tolist()]
    measure: Any = points[0].row.fixed
    named, rows, shares = _by_name(systems), [], dict[float, str]()
    for name, system in named.items():
        model = system.model if isinstance(system, SupportedPair) else system
        if isinstance(model, scores.ScoreData):
            dataset_checks.warn_of_reversed(model._distributions, name)
            counted = CountedScores(model._trials, options.groups, prior)
            intervals = [interval_of_counts(counted, spec, options) for spec in points]
            ends, model = [(i.estimate, i.low, i.high) for i in intervals], counted.model
        else:
            model = points[0].where.of(model)
            ends = [(spec.number(model), math.nan, math.nan) for spec in points]
        shares[model.prior] = name
        odds = at if display == BAYES_ERROR else logit(model.prior) - logit(np.maximum(at, _TINY))
        pairs = zip(points, model._least_error(odds), strict=True)
        best = [float(measure.value(point, spec.where)) for spec, point in pairs]
        rows.append((*np.transpose(ends), best))
    if display == DECISION and max(shares) - min(shares) > _ROUNDING:
        actual = " and ".join(f"{share:.6g} of {name}" for share, name in shares.items())
        raise refusal("prior", "be given where systems have different ones", actual)
    actual, low, high, best = np.array(rows).swapaxes(0, 1)
    share = math.nan if display == BAYES_ERROR else max(shares)
    return CostCurve(display, tuple(named), at, actual, best, low, high, options.level, share)


def _by_name(systems: CostInput) -> Mapping[str, SideInput]:
    kinds = "Scores, a ScoreSummary, a ScoreModel, a fit, a mapping of names to them"
    if not isinstance(systems, Mapping):
        system = read.as_scores(systems, "systems", kinds, SideInput)
        systems = {getattr(system, "name", None) or "scores": system}
    if not systems or not all(isinstance(name, str) and name.strip() for name in systems):
        rule, names = "have names of text, at least one", checks.format_list([*systems]) or "none"
        raise refusal("systems", rule, names, "Give scores, or {name: scores}.")
    result = {name: read.as_scores(x, "systems", kinds, SideInput) for name, x in systems.items()}
    for item in result.values():
        dataset_checks.check_sense(item, "systems")
    return result


@notices.collect_warnings
def bayes_error_curve(
    systems: CostInput, log_odds: npt.ArrayLike | None = None, *, level: float = 0.95,
    groups: bool = True,
) -> CostCurve:  # fmt: skip
    """Error of scores read as natural log-likelihood ratios, over the prior log odds l.

        actual: pi FRR(-l) + (1 - pi) FAR(-l),   pi = 1 / (1 + exp(-l))

    Parameters
    ----------
    systems : Scores, ScoreSummary, Fit, ScoreModel, frame or path, or mapping of names to them
        Scores are counted; of a fit the curve is that of its distributions.
    log_odds : array_like, optional
        In [-700, 700]; 101 from -5 to 5 where left out.
    level : float
        Of the interval at each place by itself.
    groups : bool
        Whether the scores of a group are dependent.

    Returns
    -------
    CostCurve

    Raises
    ------
    InputError, InputTypeError
        For log odds beyond these, no system, or a name that is no text.

    Notes
    -----
    Where `actual` lies above `best` the scores are badly calibrated there, where it lies above the
    default they do harm.

    References
    ----------
    Brummer, N. (2010), Measuring, refining and calibrating speaker and language information.

    Examples
    --------
    >>> import betaroc as br
    >>> round(br.bayes_error_curve(br.Scores([2, 1, -1], [-2, 0.5]), [0.0]).actual.item(), 6)
    0.416667
    """
    at = np.ravel(checks.real_array(_LOG_ODDS if log_odds is None else log_odds, "log_odds"))
    checks.check_entries(at, np.abs(at) > _LARGEST, "log_odds", "lie in [-700, 700]")
    return _curve(BAYES_ERROR, systems, at, None, IntervalOptions(level, groups=groups))


@notices.collect_warnings
def decision_curve(
    systems: CostInput, probability: npt.ArrayLike | None = None, *, prior: float | None = None,
    level: float = 0.95, groups: bool = True,
) -> CostCurve:  # fmt: skip
    """Net benefit of scores that are probabilities, over the threshold probability p.

        actual: pi TPR(p) - (1 - pi) FAR(p) p / (1 - p),   pi the prevalence

    which is pi less the detection cost with cost_fa = p / (1 - p) and cost_fr = 1.

    Parameters
    ----------
    systems : Scores, ScoreSummary, Fit, ScoreModel, frame or path, or mapping of names to them
        Of probabilities; scores are counted, of a fit the curve is that of its distributions.
    probability : array_like, optional
        In [0, 1); 0, 0.01, ... 0.99 where left out.
    prior : float, optional
        Prevalence; left out it is the share of clients, whose error intervals count too.
    level, groups
        As of :func:`bayes_error_curve`.

    Returns
    -------
    CostCurve

    Raises
    ------
    InputError, InputTypeError
        For probabilities outside [0, 1), scores outside [0, 1], systems of different prevalence
        without `prior`, no system, or a name that is no text.

    References
    ----------
    Vickers, A. J. and Elkin, E. B. (2006), Decision curve analysis, Medical Decision Making 26.

    Examples
    --------
    >>> import betaroc as br
    >>> curve = br.decision_curve(br.Scores([0.9, 0.4], [0.1, 0.3]), [0.2], prior=0.1)
    >>> round(curve.actual.item(), 6)  # 0.1 - 0.9/2/4
    -0.0125
    """
    at = checks.rates_1d(_PROBABILITIES if probability is None else probability, "probability")
    return _curve(DECISION, systems, at, prior, IntervalOptions(level, groups=groups))
