"""The table of statistics: the point, the value for a model, and the rates that it rests on.

A statistic is written ``"auc"``, ``"tpr@far=0.01"`` or ``"threshold@eer"``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.options import IntervalArguments
from betaroc.core.text import format_value, parse_number, typed
from betaroc.core.vocabulary import (
    COMPLEMENTS,
    DEFAULT,
    FAR,
    FRR,
    RATE_SLOT,
    TITLE_SLOT,
    RateArguments,
    canonical,
)
from betaroc.distributions.inflated import base_of
from betaroc.model.measures import MEASURES, OperatingPoint
from betaroc.model.model import ScoreModel

if TYPE_CHECKING:
    from pandas import DataFrame

_RATES = ("far", "frr", "tpr")
#: The keywords by which a point is given.
POINTS = ("threshold", *_RATES, "alpha", "between", "at")
_KEYWORDS = (*POINTS, "tnr")


class PointArguments(RateArguments, total=False):
    """The keywords by which the point of a statistic is given."""

    confidence: float  # which `public` takes for the level

    threshold: float
    far: float
    frr: float
    tpr: float
    alpha: float
    between: tuple[float, float]
    at: str


class EvaluationPoint(NamedTuple):
    """The point at which a statistic is taken: a keyword and its value."""

    point: str = ""
    value: Any = None

    def __str__(self) -> str:
        """As it stands behind the name of a statistic."""
        if self.point in ("", "at"):
            return f"@{self.value}" if self.point else ""
        values = self.value if self.point == "between" else (self.value,)
        return f"@{self.point}={','.join(f'{v!r}'.removesuffix('.0') for v in values)}"

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
            return f" at {NAMED_POINTS[self.value][1]}"
        if self.point == "between":
            return f" between {FAR} {self.value[0]:g} and {self.value[1]:g}"
        return f" at {RATE_SLOT.get(self.point, self.point)} {self.value:g}"

    @property
    def frr(self) -> float:
        """The FRR at which an FRR or a TPR is given."""
        return self.value if self.point == "frr" else checks.complement(self.value, self.point)


class UsedRate(NamedTuple):
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
        """The smaller of both; nan where it is 0."""
        smaller = np.minimum(self.rate, self.rest)
        return np.where(smaller == 0.0, np.nan, smaller)


def rates_of_point(
    point: OperatingPoint, solved: Mapping[str, Any] | None = None
) -> list[UsedRate]:
    """Both rates of a point, as asked where they were."""
    result = []
    for name, rate, rest in ((FRR, point.frr, point.tpr), (FAR, point.far, point.tnr)):
        asked = (solved or {}).get(name)
        if asked is not None:
            rate = np.broadcast_to(np.asarray(asked, dtype=np.float64), np.shape(rate))
            rest = 1.0 - rate
        here, left = (np.asarray(part, dtype=np.float64) for part in (rate, rest))
        result.append(UsedRate(name, here, left, asked is not None))
    return result


# -------------------------------------------------------------------------------- points
def _crossing(model: ScoreModel) -> OperatingPoint:
    points = model.diagonal_crossings()
    return points[0] if len(points) == 1 else OperatingPoint(math.nan, math.nan, math.nan)


#: What may follow ``at=``, a point that needs no number: how it is found, and its words.
NAMED_POINTS: dict[str, tuple[Callable[[ScoreModel], OperatingPoint], str]] = {
    "eer": (lambda m: m.eer(), f"the {TITLE_SLOT['eer']}"),
    "min-hter": (lambda m: m.min_weighted_error(0.5), f"the least {RATE_SLOT['hter']}"),
    "min-dcf": (lambda m: m.min_dcf(), "the least detection cost"),
    "actual-dcf": (lambda m: m.actual_dcf(), "the threshold of log-likelihood ratios"),
    "max-f1": (lambda m: m.max_f(), "the largest F1"),
    "max-youden": (lambda m: m.youden(), "the largest Youden's J"),
    "break-even": (lambda m: m.break_even(), "the break-even point"),
    "crossing": (_crossing, "the only crossing of the diagonal"),
}


def point_at(model: ScoreModel, where: EvaluationPoint) -> OperatingPoint:
    """The operating point of a model at a point."""
    point, value = where
    if point == "at":
        return NAMED_POINTS[value][0](model)
    if point == "alpha":
        return model.min_weighted_error(value)
    if point == "threshold":
        return model.at(value)
    return model.at_far(value) if point == "far" else model.at_frr(where.frr)


def _rates_at(model: ScoreModel, where: EvaluationPoint) -> list[UsedRate]:
    solved: dict[str, float] = {}
    if where.point in _RATES:
        solved = {FAR: where.value} if where.point == "far" else {FRR: where.frr}
    return rates_of_point(point_at(model, where), solved)


# ----------------------------------------------------------------------------------- rows
_Rates = Callable[[ScoreModel, EvaluationPoint], list[UsedRate]]


class Optimum(NamedTuple):
    """A measure of both rates and the point that is best by it."""

    point: Callable[[ScoreModel, EvaluationPoint], OperatingPoint]
    value: Callable[[OperatingPoint, EvaluationPoint], Any]


@dataclass(frozen=True)
class Statistic:
    """A number with a name."""

    value: Callable[[ScoreModel, EvaluationPoint], Any]
    title: str
    points: tuple[str, ...] = ()
    unit: str = "fraction"
    low: float = 0.0
    high: float = 1.0
    better: str = ""
    scale: str = "probit"
    rates: _Rates | None = None
    of_scores: bool = True
    optimum: Optimum | None = None
    absence: Callable[[ScoreModel], str] | None = None

    @property
    def is_parameter(self) -> bool:
        """Whether it is of one distribution."""
        return self.absence is not None


def _options_of(name: str) -> dict[str, Any]:
    row, units = MEASURES[name], {"mutual-information": "nats", "dcf": "cost", "dcf-normalized": ""}
    return {
        "unit": units.get(name, "fraction"), "low": row.low, "high": row.high,
        "better": "higher" if row.larger_is_better else "lower",
        "scale": "probit" if math.isfinite(row.high) else "log",
    }  # fmt: skip


def of_measure(name: str) -> Statistic:
    """A measure of the table of measures as a statistic, at a point."""
    measure = MEASURES[name]
    reads = {"far": FAR, "tnr": FAR, "specificity": FAR, "frr": FRR}.get(name, FAR + FRR)

    def rates(model: ScoreModel, where: EvaluationPoint) -> list[UsedRate]:
        # At a threshold a rate is one class's; where the point is solved for, both decide it.
        both = _rates_at(model, where)
        return [r for r in both if where.point != "threshold" or r.name in reads]

    return Statistic(
        lambda model, where: measure.value(point_at(model, where)), measure.title,
        ("threshold", *_RATES, "alpha", "at"), rates=rates, **_options_of(name),
    )  # fmt: skip


def _of_point(optimum: Optimum, title: str, *, best: bool = True, **options: Any) -> Statistic:
    def value(model: ScoreModel, where: EvaluationPoint) -> Any:
        return optimum.value(optimum.point(model, where), where)

    def rates(model: ScoreModel, where: EvaluationPoint) -> list[UsedRate]:
        return rates_of_point(optimum.point(model, where))

    return Statistic(value, title, rates=rates, optimum=optimum if best else None, **options)


def _at_named(
    name: str, measure: str, title: str, *, best: bool = True, **options: Any
) -> Statistic:
    row, find = MEASURES[measure], NAMED_POINTS[name][0]
    optimum = Optimum(lambda model, _: find(model), lambda point, _: row.value(point))
    return _of_point(optimum, title, best=best, **_options_of(measure) | {"low": 0.0} | options)


def _threshold_rates(model: ScoreModel, where: EvaluationPoint) -> list[UsedRate]:
    both = _rates_at(model, where)
    return [rate for rate in both if rate.solved] or both


def _widest(_: ScoreModel, where: EvaluationPoint) -> list[UsedRate]:
    rate = min(max(0.5, where.value[0]), where.value[1])
    return [UsedRate(FAR, np.array(rate), np.array(1.0 - rate), True)]


def _widest_gap(model: ScoreModel, _: EvaluationPoint) -> OperatingPoint:
    above = model.min_weighted_error(0.5)
    if float(above.tpr - above.far) >= model.ks() * (1.0 - 1e-9):
        return above
    turned = ScoreModel(model.impostor, model.client).min_weighted_error(0.5)
    return model._point(turned.thresholds)


def _separation(model: ScoreModel, _: EvaluationPoint) -> float:
    client, impostor = model.client, model.impostor
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.hypot(math.sqrt(0.5) * client._sd, math.sqrt(0.5) * impostor._sd)
        return float(np.float64(client.mean) / spread - np.float64(impostor.mean) / spread)


def _of_end(what: str, end: str) -> Statistic:
    return Statistic(
        lambda model, _: getattr(getattr(model.ends(), f"at_{end}"), what),
        f"end {what} at threshold {'0' if end == 'zero' else '1'}",
        unit="", high=math.inf, scale="log", of_scores=False,
    )  # fmt: skip


def _parameter(who: str, name: str) -> Statistic:
    def value(model: ScoreModel, _: EvaluationPoint) -> float:
        law = getattr(model, who)
        return float(getattr(law if hasattr(law, name) else base_of(law), name, math.nan))

    def absence(model: ScoreModel) -> str:
        law = getattr(model, who)
        own = ", ".join(f"{who}-{p.name.replace('_', '-')}" for p in law._parameters())
        return f"the {who} distribution is {type(law).__name__}, with {own or 'no parameters'}"

    mass, anywhere = name.startswith("at_"), name in ("mu", "mean")
    return Statistic(
        value, f"{name.replace('_', ' ')} of the {who} distribution",
        unit="fraction" if mass else "score" if anywhere or name == "sigma" else "",
        low=-math.inf if anywhere else 0.0, high=1.0 if mass else math.inf,
        scale="probit" if mass else "plain" if anywhere else "log",
        of_scores=name in ("mean", "var"), absence=absence,
    )  # fmt: skip


_AT_LLR = "at the threshold of log-likelihood ratios"
_ANYWHERE: dict[str, Any] = {"low": -math.inf, "high": math.inf}
#: Every statistic by name.
STATISTICS: dict[str, Statistic] = {
    "auc": Statistic(lambda m, _: m.auc(), "area under the ROC", better="higher"),
    "partial-auc": Statistic(
        lambda m, w: m.partial_auc(w.value[0], w.value[1], standardized=True),
        "standardized partial area", ("between",), better="higher", scale="partial", rates=_widest,
    ),
    "eer": _at_named("eer", "hter", TITLE_SLOT["eer"], best=False),
    "min-hter": _at_named("min-hter", "hter", f"least {TITLE_SLOT['hter']}"),
    "min-dcf": _at_named("min-dcf", "dcf", "least detection cost"),
    "min-dcf-normalized": _at_named(
        "min-dcf", "dcf-normalized", "least normalized detection cost", high=1.0, scale="probit"
    ),
    "actual-dcf": _at_named("actual-dcf", "dcf", f"detection cost {_AT_LLR}", best=False),
    "actual-dcf-normalized": _at_named(
        "actual-dcf", "dcf-normalized", f"normalized detection cost {_AT_LLR}", best=False
    ),
    "max-f1": _at_named("max-f1", "f1", "largest F1"),
    "max-youden": _at_named("max-youden", "youden", "largest Youden's J"),
    "break-even": _at_named("break-even", "mean-precision-recall", "break-even point", best=False),
    "weighted-error": _of_point(
        Optimum(point_at, lambda point, where: point.weighted_error(where.value)),
        "least weighted error", points=("alpha",), better="lower",
    ),
    "ks": _of_point(
        Optimum(_widest_gap, lambda point, _: np.abs(point.tpr - point.far)),
        "Kolmogorov-Smirnov distance of the classes", better="higher",
    ),
    "h-measure": Statistic(lambda m, _: m.h_measure(), "H measure", better="higher"),
    "average-precision": Statistic(
        lambda m, _: m.average_precision(), "average precision", better="higher"
    ),
    "d-prime": Statistic(
        _separation, "distance of the class means in standard deviations", unit="",
        better="higher", scale="plain", **_ANYWHERE,
    ),
    "threshold": Statistic(
        point_at, "threshold", (*_RATES, "alpha", "at"), unit="score", scale="threshold",
        rates=_threshold_rates, **_ANYWHERE,
    ),
    **{name: of_measure(name) for name in MEASURES},
    **{
        f"{what}-at-{end}": _of_end(what, end)
        for what in ("exponent", "coefficient")
        for end in ("zero", "one")
    },
    **{
        f"{who}-{name.replace('_', '-')}": _parameter(who, name)
        for who in CLASSES
        for name in ("a", "b", "mu", "sigma", "at_zero", "at_one", "mean", "var")
    },
}  # fmt: skip


# -------------------------------------------------------------------------- what is asked for
class StatisticSpec(NamedTuple):
    """A statistic and where it is taken."""

    name: str
    row: Statistic
    where: EvaluationPoint = EvaluationPoint()

    def __str__(self) -> str:
        return f"{self.name}{self.where}"

    def _to_text(self) -> str:
        if not self.is_named:
            actual, remedy = f"the function {self.name}", "Name one, or pickle the result."
            rule = "be one of br.statistics() to be written"
            raise refusal("a statistic", rule, actual, remedy, InputTypeError)
        return str(self)

    @staticmethod
    def _of_text(text: str) -> StatisticSpec:
        return parse_statistic(text)

    @property
    def words(self) -> str:
        """In a sentence."""
        return f"{self.name}{self.where.words}"

    @property
    def is_named(self) -> bool:
        """Whether it stands in the table; else it is a function."""
        return self.name in STATISTICS

    def value(self, model: ScoreModel) -> Any:
        """The number, or of a threshold the point."""
        return self.row.value(model, self.where)

    def number(self, model: ScoreModel) -> float:
        """The number itself."""
        return self.as_number(self.value(model))

    def as_number(self, value: Any) -> float:
        """The number of a value."""
        if self.row.scale == "threshold" and isinstance(value, OperatingPoint):
            value = value.threshold
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise refusal("stat", "return one number", typed(value), "", InputTypeError) from error

    def absence(self, model: ScoreModel) -> str:
        """Why a model has no such number, where that is known; else empty."""
        if self.where != ("at", "crossing"):
            return self.row.absence(model) if self.row.absence else ""
        many = len(model.diagonal_crossings())
        times = {0: "at no threshold", 1: "once"}.get(many, f"{many} times")
        return f"the ROC crosses the diagonal {times}, and the point 'crossing' needs exactly one"

    def rates(self, model: ScoreModel) -> list[UsedRate]:
        """The rates of a model that it rests on."""
        return self.row.rates(model, self.where) if self.row.rates else []


def parse_statistic(stat: Any, given: tuple[Any, ...] = (), /, **points: Any) -> StatisticSpec:
    """What is asked for, checked."""
    points = {name: value for name, value in points.items() if value is not None}
    named = (f"{name}={checks.format_value(value)}" for name, value in points.items())
    got = ", ".join([*map(checks.format_value, given), *named])
    if callable(stat) and not isinstance(stat, type):
        if got:
            raise refusal("stat", "be a name to have a point", f"a function, and {got}")
        name = str(getattr(stat, "__name__", type(stat).__name__))
        row = Statistic(lambda model, _: stat(model), name, unit="", scale="plain")
        return StatisticSpec(f"{name}(model)" if name in STATISTICS else name, row)
    if not isinstance(stat, str):
        rule = "be a name or a function of a ScoreModel"
        raise refusal("stat", rule, typed(stat), _ALL_NAMES, InputTypeError)
    name, _, behind = stat.partition("@")
    if behind and got:
        rule = "have its point once, behind '@' or by a keyword"
        raise refusal("stat", rule, f"{stat!r}, {got}", "Leave one of them out.")
    name = checks.choice(name, tuple(STATISTICS), "stat", "br.statistics() lists all.")
    points = _points_of_text(behind) if behind else points
    where = _evaluation_point(name, given, points, behind or got)
    return StatisticSpec(name, STATISTICS[name], where)


_ALL_NAMES = "See br.statistics() for the names."


def _points_of_text(behind: str) -> dict[str, Any]:
    point, sign, content = behind.rpartition("=")
    if not sign or canonical(point) == "at":
        return {"at": content}
    if canonical(point) not in _KEYWORDS:
        raise InputError(_no_point(point))
    try:
        numbers = tuple(map(parse_number, content.split(",")))
    except ValueError as error:
        raise refusal(point, "be a number", format_value(content)) from error
    return {point: numbers if point == "between" else numbers[0]}


def _no_point(keyword: str) -> str:
    every = (*POINTS, *RateArguments.__annotations__, *IntervalArguments.__annotations__)
    return (
        f"{keyword!r} must be an option, or a point: one of {checks.format_list(POINTS, 9)};"
        f" it is neither. {checks.did_you_mean(keyword, every)}"
    ).rstrip()


def parse_statistics(
    value: str | Sequence[str], argument: str = "statistics"
) -> tuple[StatisticSpec, ...]:
    """What several texts ask for, each once; one text is a list of one."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        rule = "be texts such as 'tpr@far=0.01'"
        raise refusal(argument, rule, typed(value), _ALL_NAMES, InputTypeError)
    result = tuple(map(parse_statistic, texts))
    names = [str(item) for item in result]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        actual = f"{twice[0]!r} {names.count(twice[0])} times"
        raise refusal(argument, "be distinct", actual, "Leave it out once.")
    return result


def _evaluation_point(
    name: str, given: tuple[Any, ...], points: Mapping[str, Any], got: str
) -> EvaluationPoint:
    for keyword in points:
        if canonical(keyword) not in _KEYWORDS:
            raise InputTypeError(_no_point(keyword))
    legal, kind = STATISTICS[name].points, InputTypeError if given else InputError
    if not legal and got:
        raise kind(f"{name!r} is taken at no point; got {got}. Leave it out.")
    if not legal:
        return EvaluationPoint()
    keyword, value = next(iter(points.items()), ("", None))
    point = str(canonical(keyword))
    if COMPLEMENTS.get(point) == "far":
        point, value = "far", checks.complement(value, keyword)
    if given or len(points) != 1 or point not in legal:
        keywords = "= ".join((*legal, "")).strip()
        raise kind(f"{name!r} needs a point, one of {keywords}; got {got or 'none'}. Give one.")
    if point == "between":
        return EvaluationPoint(point, ascending_pair(value))
    if point == "threshold":
        return EvaluationPoint(point, checks.finite(value, point))
    if point != "at":
        return EvaluationPoint(point, checks.fraction(value, keyword))
    chosen = checks.choice(value, tuple(NAMED_POINTS), "at", "A rate has its name: far=0.01.")
    if (name, chosen) == ("threshold", "actual-dcf"):
        raise InputError.about("at")(
            "at must be a point that scores decide; the threshold of 'actual-dcf' is given by"
            " costs and prior alone. Read it off model.actual_dcf(), which has no interval."
        )
    return EvaluationPoint(point, chosen)


def ascending_pair(value: Any) -> tuple[float, float]:
    """The range `between` which a number is taken."""
    low, high = (checks.fraction(x, "between") for x in checks.span(value, "between"))
    return low, high


@collect_warnings
def statistics() -> DataFrame:
    """Return a table of the statistics, one row per name.

    Returns
    -------
    pandas.DataFrame
        Columns ``name``; ``title``; ``points``, the keywords of which one says where it is taken
        (``at`` is "eer", "min-hter", "min-dcf", "actual-dcf", "max-f1", "max-youden", "break-even"
        or "crossing", the only one of the diagonal); ``unit``; ``low`` and ``high``, its range;
        ``better``, "higher", "lower" or empty; ``scale``, on which its error is nearly normal;
        ``of_scores``, whether scores answer by themselves.

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

    table = pd.DataFrame(map(vars, STATISTICS.values()))
    table["name"], table["title"] = list(STATISTICS), table["title"].map(DEFAULT.fill)
    table["points"] = table["points"].map(", ".join)
    return table[["name", "title", "points", "unit", "low", "high", "better", "scale", "of_scores"]]
