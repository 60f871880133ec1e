"""Every number that has a name: where it is taken, what it is of a model, which rates it rests on.

A row of :data:`STATISTICS` is known to intervals, differences, plans, studies, reports, tables of
many fits and pairs made to order. A statistic is written ``"auc"``, ``"tpr@far=0.01"`` or
``"threshold@eer"``: a name and, behind "@", the point at which it is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.checks import complement
from betaroc.core.notices import public
from betaroc.core.vocabulary import DEFAULT, FAR, FRR, RATE_SLOT, TITLE_SLOT
from betaroc.distributions.inflated import base_of
from betaroc.model.measures import MEASURES, OperatingPoint
from betaroc.model.model import ScoreModel

if TYPE_CHECKING:
    from pandas import DataFrame

_RATES = ("far", "frr", "tpr")
#: Behind this a text names its point.
_AT = "@"


class Where(NamedTuple):
    """The point at which a statistic is taken: a keyword and its value."""

    point: str = ""
    value: Any = None

    def __str__(self) -> str:
        """As it stands behind the name of a statistic; empty without a point."""
        if not self.point:
            return ""
        if self.point == "at":
            return f"{_AT}{self.value}"
        values = self.value if self.point == "between" else (self.value,)
        return f"{_AT}{self.point}={','.join(f'{v:.15g}' for v in values)}"

    @property
    def keywords(self) -> dict[str, Any]:
        """As it is passed on."""
        return {self.point: self.value} if self.point else {}

    @property
    def words(self) -> str:
        """As it stands in a sentence."""
        if not self.point:
            return ""
        if self.point == "at":
            return f" at {NAMED_POINTS[self.value].title}"
        if self.point == "between":
            return f" between {FAR} {self.value[0]:g} and {self.value[1]:g}"
        return f" at {RATE_SLOT.get(self.point, self.point)} {self.value:g}"


class Asked(NamedTuple):
    """A rate that a number rests on, with its complement in its own precision."""

    #: The slot of FAR for the impostors, of FRR for the clients.
    name: str
    rate: FloatArray
    rest: FloatArray
    #: Whether it was asked for as a rate; else it was read off at a threshold.
    solved: bool = False

    @property
    def who(self) -> int:
        """0 for clients, 1 for impostors."""
        return int(self.name == FAR)

    @property
    def tail(self) -> FloatArray:
        """The smaller of the rate and its complement; nan where it is exactly 0 or 1."""
        return np.where((self.rate == 0.0) | (self.rest == 0.0), np.nan,
                        np.minimum(self.rate, self.rest))  # fmt: skip


def of_point(point: OperatingPoint, solved: Mapping[str, Any] | None = None) -> list[Asked]:
    """Both rates of a point; those that were asked for as they were asked."""
    result = []
    for name, rate, rest in ((FRR, point.frr, point.tpr), (FAR, point.far, point.tnr)):
        wanted = None if solved is None else solved.get(name)
        if wanted is not None:
            rate = np.broadcast_to(np.asarray(wanted, dtype=np.float64), np.shape(rate))
            rest = 1.0 - rate
        here = np.asarray(rate, dtype=np.float64), np.asarray(rest, dtype=np.float64)
        result.append(Asked(name, *here, wanted is not None))
    return result


# -------------------------------------------------------------------------------- points
class NamedPoint(NamedTuple):
    """A point that a criterion chooses, without a number of one's own."""

    find: Callable[[ScoreModel], OperatingPoint]
    title: str


def _crossing(model: ScoreModel) -> OperatingPoint:
    """Where the ROC crosses the diagonal, nan unless it does so once."""
    points = model.diagonal_crossings()
    return points[0] if len(points) == 1 else OperatingPoint(math.nan, math.nan, math.nan)


#: What may follow ``at=``.
NAMED_POINTS: dict[str, NamedPoint] = {
    "eer": NamedPoint(lambda m: m.eer(), f"the {TITLE_SLOT['eer']}"),
    "min-hter": NamedPoint(lambda m: m.min_weighted_error(0.5), f"the least {RATE_SLOT['hter']}"),
    "min-dcf": NamedPoint(lambda m: m.min_dcf(), "the least detection cost"),
    "actual-dcf": NamedPoint(lambda m: m.actual_dcf(), "the threshold of log-likelihood ratios"),
    "max-f1": NamedPoint(lambda m: m.max_f(), "the largest F1"),
    "max-youden": NamedPoint(lambda m: m.youden(), "the largest Youden's J"),
    "break-even": NamedPoint(lambda m: m.break_even(), "the break-even point"),
    "crossing": NamedPoint(_crossing, "the only crossing of the diagonal"),
}


def crossing_absence(model: ScoreModel) -> str:
    """Why there is no crossing of the diagonal to speak of."""
    many = len(model.diagonal_crossings())
    times = {0: "at no threshold", 1: "once"}.get(many, f"{many} times")
    return f"the ROC crosses the diagonal {times}, and the point 'crossing' needs exactly one"


def point_at(model: ScoreModel, where: Where) -> OperatingPoint:
    """The operating point of a model at a point."""
    point, value = where
    if point == "at":
        return NAMED_POINTS[value].find(model)
    if point == "alpha":
        return model.min_weighted_error(value)
    if point == "threshold":
        return model.at(value)
    if point == "far":
        return model.at_far(value)
    return model.at_frr(frr_at(where))


def frr_at(where: Where) -> float:
    """The FRR at which an FRR or a TPR is given: 0.1 at a TPR of 0.9, digit for digit."""
    return where.value if where.point == "frr" else complement(where.value, where.point)


def _rests(model: ScoreModel, where: Where) -> list[Asked]:
    """The rates at a point; the one that was given as it was."""
    point, value = where
    if point == "threshold":
        return of_point(model.at(value))
    rate = frr_at(where) if point == "tpr" else value
    solved = {FAR if point == "far" else FRR: rate} if point in _RATES else None
    return of_point(point_at(model, where), solved)


# ----------------------------------------------------------------------------------- rows
_Value = Callable[[ScoreModel, Where], Any]


class Optimum(NamedTuple):
    """A measure of both rates and the point that is best by it."""

    point: Callable[[ScoreModel, Where], OperatingPoint]
    value: Callable[[OperatingPoint, Where], Any]

    def at_best(self, model: ScoreModel, where: Where) -> Any:
        """The measure at that point."""
        return self.value(self.point(model, where), where)


def _nothing_known(_: ScoreModel) -> str:
    return ""


def _no_rates(_: ScoreModel, __: Where) -> list[Asked]:
    return []


@dataclass(frozen=True)
class Statistic:
    """A number with a name.

    Parameters
    ----------
    value : callable
        Of a `ScoreModel` and a `Where` the number; of a threshold the operating point, whose
        logit keeps what a threshold near 1 loses.
    title : str
        In words.
    points : tuple of str
        Keywords of the points at which it may be taken; empty for one that has none.
    unit : str
        "fraction", "score", "nats", "cost", or empty for a pure number.
    low, high : float
        Range.
    better : str
        "higher", "lower", or empty where neither is better.
    scale : str
        On which its error is nearly normal: "probit" (of its place in its range), "partial" (of
        the mean TPR of a range of FARs), "log", "threshold" (logit of scores in [0, 1]), "plain".
    rates : callable
        The rates of both classes that it rests on.
    of_scores : bool
        Whether scores answer by themselves; else only a fitted model does.
    optimum : Optimum, optional
        Of what is a measure at the point that is best by it.
    absence : callable
        Of a `ScoreModel` that has no such number the reason, in words.
    """

    value: _Value
    title: str
    points: tuple[str, ...] = ()
    unit: str = "fraction"
    low: float = 0.0
    high: float = 1.0
    better: str = ""
    scale: str = "probit"
    rates: Callable[[ScoreModel, Where], list[Asked]] = _no_rates
    of_scores: bool = True
    optimum: Optimum | None = None
    absence: Callable[[ScoreModel], str] = _nothing_known

    @property
    def is_parameter(self) -> bool:
        """Whether it is of one distribution, which may have none such."""
        return self.absence is not _nothing_known


#: Of measures that are no fractions.
_UNITS = {"mutual-information": "nats", "dcf": "cost", "dcf-normalized": ""}
#: Points at which every measure is taken.
_AT_POINT = ("threshold", "far", "frr", "tpr", "alpha", "at")


def of_measure(name: str) -> Statistic:
    """A measure of the table of measures as a statistic, at a point."""
    measure = MEASURES[name]
    own = {"far": (FAR,), "tnr": (FAR,), "specificity": (FAR,), "frr": (FRR,)}
    reads = own.get(name, (FAR, FRR))

    def rates(model: ScoreModel, where: Where) -> list[Asked]:
        # At a threshold a rate is one class's; where the point is solved for, both decide it.
        only = reads if where.point == "threshold" else (FAR, FRR)
        return [rest for rest in _rests(model, where) if rest.name in only]

    return Statistic(
        lambda model, where: measure.value(point_at(model, where)),
        measure.title,
        _AT_POINT,
        unit=_UNITS.get(name, "fraction"),
        low=measure.low,
        high=measure.high,
        scale="probit" if math.isfinite(measure.high) else "log",
        better="higher" if measure.larger_is_better else "lower",
        rates=rates,
    )


def _threshold_rates(model: ScoreModel, where: Where) -> list[Asked]:
    """The rate that was given alone; of other points both rates there."""
    result = _rests(model, where)
    return [asked for asked in result if asked.solved] or result


def _chosen(
    name: str, measure: str, title: str, *, best: bool = True, high: float | None = None
) -> Statistic:
    """The value of a measure at a named point, which may be best by it."""
    row = MEASURES[measure]
    result = Optimum(
        lambda model, _: point_at(model, Where("at", name)), lambda point, _: row.value(point)
    )
    return Statistic(
        result.at_best,
        title,
        unit=_UNITS.get(measure, "fraction"),
        low=0.0,  # the trivial classifier's J
        high=row.high if high is None else high,
        scale="probit" if math.isfinite(row.high if high is None else high) else "log",
        better="higher" if row.larger_is_better else "lower",
        rates=lambda model, where: of_point(result.point(model, where)),
        optimum=result if best else None,
    )


def _widest(_: ScoreModel, where: Where) -> list[Asked]:
    """The FAR of a range of which most scores speak."""
    rate = min(max(0.5, where.value[0]), where.value[1])
    return [Asked(FAR, np.array(rate), np.array(1.0 - rate), True)]


_LEAST = Optimum(point_at, lambda point, where: point.weighted_error(where.value))
_GAP = Optimum(lambda model, _: _widest_gap(model), lambda point, _: np.abs(point.tpr - point.far))


def _widest_gap(model: ScoreModel) -> OperatingPoint:
    """Where the distribution functions are furthest apart, whichever lies above."""
    above = model.min_weighted_error(0.5)
    if float(above.tpr - above.far) >= model.ks() * (1.0 - 1e-9):
        return above
    turned = ScoreModel(model.impostor, model.client).min_weighted_error(0.5)
    return model._point(turned.thresholds)


def _separation(model: ScoreModel, _: Where) -> float:
    """Distance of the means in units of the mean variance."""
    client, impostor = model.client, model.impostor
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.hypot(math.sqrt(0.5) * client._sd, math.sqrt(0.5) * impostor._sd)
        return float(np.float64(client.mean) / spread - np.float64(impostor.mean) / spread)


def _of_end(name: str, title: str) -> Statistic:
    what, _, end = name.partition("-at-")
    return Statistic(
        lambda model, _: getattr(getattr(model.ends(), f"at_{end}"), what),
        title, unit="", high=math.inf, scale="log", of_scores=False,
    )  # fmt: skip


def _parameter(who: str, name: str) -> Statistic:
    """A parameter of a distribution, or of what it inflates; nan of one that has none such."""

    def value(model: ScoreModel, _: Where) -> float:
        law = getattr(model, who)
        return float(getattr(law if hasattr(law, name) else base_of(law), name, math.nan))

    def absence(model: ScoreModel) -> str:
        law = getattr(model, who)
        own = ", ".join(f"{who}-{p.name.replace('_', '-')}" for p in law._parameters())
        return f"the {who} distribution is {type(law).__name__}, with {own or 'no parameters'}"

    mass, anywhere = name.startswith("at_"), name in ("mu", "mean")
    return Statistic(
        value,
        f"{name.replace('_', ' ')} of the {who} distribution",
        unit="fraction" if mass else "score" if anywhere or name == "sigma" else "",
        low=-math.inf if anywhere else 0.0,
        high=1.0 if mass else math.inf,
        scale="probit" if mass else "plain" if anywhere else "log",
        of_scores=name in ("mean", "var"),
        absence=absence,
    )


#: Every statistic by name.
STATISTICS: dict[str, Statistic] = {
    "auc": Statistic(lambda m, _: m.auc(), "area under the ROC", better="higher"),
    "partial-auc": Statistic(
        lambda m, w: m.partial_auc(w.value[0], w.value[1], standardized=True),
        "standardized partial area", ("between",), better="higher", scale="partial", rates=_widest,
    ),
    "eer": _chosen("eer", "hter", TITLE_SLOT["eer"], best=False),
    "min-hter": _chosen("min-hter", "hter", f"least {TITLE_SLOT['hter']}"),
    "min-dcf": _chosen("min-dcf", "dcf", "least detection cost"),
    "min-dcf-normalized": _chosen(
        "min-dcf", "dcf-normalized", "least normalized detection cost", high=1.0
    ),
    "actual-dcf": _chosen(
        "actual-dcf", "dcf", "detection cost at the threshold of log-likelihood ratios",
        best=False,
    ),
    "actual-dcf-normalized": _chosen(
        "actual-dcf", "dcf-normalized",
        "normalized detection cost at the threshold of log-likelihood ratios", best=False,
    ),
    "max-f1": _chosen("max-f1", "f1", "largest F1"),
    "max-youden": _chosen("max-youden", "youden", "largest Youden's J"),
    "break-even": _chosen(
        "break-even", "mean-precision-recall", "break-even point", best=False
    ),
    "weighted-error": Statistic(
        _LEAST.at_best, "least weighted error", ("alpha",), better="lower", rates=_rests,
        optimum=_LEAST,
    ),
    "ks": Statistic(lambda m, _: m.ks(), "Kolmogorov-Smirnov distance of the classes",
                    better="higher", optimum=_GAP,
                    rates=lambda m, w: of_point(_GAP.point(m, w))),
    "h-measure": Statistic(lambda m, _: m.h_measure(), "H measure", better="higher"),
    "average-precision": Statistic(
        lambda m, _: m.average_precision(), "average precision", better="higher"
    ),
    "d-prime": Statistic(
        _separation, "distance of the class means in standard deviations", unit="",
        low=-math.inf, high=math.inf, better="higher", scale="plain",
    ),
    "threshold": Statistic(
        point_at, "threshold", ("far", "frr", "tpr", "alpha", "at"), unit="score",
        low=-math.inf, high=math.inf, scale="threshold", rates=_threshold_rates,
    ),
    **{name: of_measure(name) for name in MEASURES},
    "exponent-at-zero": _of_end("exponent-at-zero", "end exponent at threshold 0"),
    "exponent-at-one": _of_end("exponent-at-one", "end exponent at threshold 1"),
    "coefficient-at-zero": _of_end("coefficient-at-zero", "end coefficient at threshold 0"),
    "coefficient-at-one": _of_end("coefficient-at-one", "end coefficient at threshold 1"),
    **{
        f"{who}-{name.replace('_', '-')}": _parameter(who, name)
        for who in CLASSES
        for name in ("a", "b", "mu", "sigma", "at_zero", "at_one", "mean", "var")
    },
}  # fmt: skip


@public
def statistics() -> DataFrame:
    """Every number that has a name here, one row each.

    Returns
    -------
    pandas.DataFrame
        Columns ``name``; ``title``; ``points``, the keywords of which one says where the number is
        taken, empty for one that has none (``at`` is "eer", "min-hter", "min-dcf",
        "actual-dcf", "max-f1", "max-youden", "break-even" or "crossing", the only crossing of the
        diagonal); ``unit``;
        ``low`` and ``high``, its range; ``better``, "higher", "lower" or empty; ``scale``, on which
        its error is nearly normal; ``of_scores``, whether scores answer by themselves or only a
        fitted model does.

    Examples
    --------
    >>> import betaroc as br
    >>> table = br.statistics().set_index("name")
    >>> table.loc["threshold", "points"]
    'far, frr, tpr, alpha, at'
    >>> table.loc["auc", "title"], table.loc["eer", "better"]
    ('area under the ROC', 'lower')
    """
    import pandas as pd

    return pd.DataFrame(
        {
            "name": list(STATISTICS),
            "title": [DEFAULT.fill(row.title) for row in STATISTICS.values()],
            "points": [", ".join(row.points) for row in STATISTICS.values()],
            **{
                column: [getattr(row, column) for row in STATISTICS.values()]
                for column in ("unit", "low", "high", "better", "scale", "of_scores")
            },
        }
    )
