"""The table of statistics: the point, the value for a model, and the rates that it rests on.

A statistic is written ``"auc"``, ``"tpr@far=0.01"`` or ``"threshold@eer"``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.options import IntervalArguments
from betaroc.core.text import format_value, parse_number, typed
from betaroc.core.thresholds import Thresholds, mirror
from betaroc.core.vocabulary import (
    COMPLEMENTS,
    DEFAULT,
    FALSE_ACCEPTANCE,
    FALSE_REJECTION,
    FAR,
    FRR,
    RATE_SLOT,
    TITLE_SLOT,
    RateArguments,
    canonical,
)
from betaroc.distributions.inflated import base_of
from betaroc.model.calibration import class_probabilities
from betaroc.model.measures import MEASURES, OperatingPoint, checked_cost, checked_odds
from betaroc.model.model import ScoreModel

if TYPE_CHECKING:
    from pandas import DataFrame

_RATES = ("far", "frr", "tpr")
#: The keywords by which a point is given.
POINTS = ("threshold", *_RATES, "alpha", "between", "at", "probability", "log_odds")
_KEYWORDS = (*POINTS, "tnr")
#: What may be given beside a point: P(client) and the costs of both errors.
SETTINGS = ("prior", "cost_fa", "cost_fr")


class PointArguments(RateArguments, total=False):
    """Keywords of the point of a statistic."""

    confidence: float  # which `public` takes for the level

    threshold: float
    far: float
    frr: float
    tpr: float
    alpha: float
    between: tuple[float, float]
    at: str
    probability: float
    log_odds: float


class StatisticArguments(PointArguments, total=False):
    """The same with the prior and the costs."""

    prior: float
    cost_fa: float | Mapping[str, float]
    cost_fr: float


class EvaluationPoint(NamedTuple):
    """The point at which a statistic is taken, a prior and costs."""

    point: str = ""
    value: Any = None
    #: That of the scores where it is None.
    prior: float | None = None
    cost_fa: float = 1.0
    cost_fr: float = 1.0

    def __str__(self) -> str:
        values = self.value if self.point == "between" else (self.value,)
        parts = [f"{self.point}={','.join(map(_digits, values))}"] if self.point else []
        if self.point == "at":
            parts = [self.value]
        parts += [f"{name}={_digits(value)}" for name, value in self.settings.items()]
        return f"@{','.join(parts)}" if parts else ""

    @property
    def settings(self) -> dict[str, float]:
        """The prior and the costs that differ from the default."""
        costs = {"cost_fa": self.cost_fa, "cost_fr": self.cost_fr}
        prior = {} if self.prior is None else {"prior": self.prior}
        return prior | {name: cost for name, cost in costs.items() if cost != 1.0}

    @property
    def keywords(self) -> dict[str, Any]:
        return ({self.point: self.value} if self.point else {}) | self.settings

    @property
    def costs(self) -> tuple[float, float]:
        return self.cost_fa, self.cost_fr

    def of(self, model: ScoreModel) -> ScoreModel:
        return model if self.prior is None else replace(model, prior=self.prior)

    @property
    def words(self) -> str:
        costs = {FALSE_ACCEPTANCE: self.cost_fa, FALSE_REJECTION: self.cost_fr}
        more = "" if self.prior is None else f" at prevalence {self.prior:g}"
        more += "".join(f", {c:g} per {name}" for name, c in costs.items() if c != 1.0)
        return self._place + more

    @property
    def _place(self) -> str:
        if not self.point:
            return ""
        if self.point == "at":
            return f" at {NAMED_POINTS[self.value][1]}"
        if self.point == "between":
            return f" between {FAR} {self.value[0]:g} and {self.value[1]:g}"
        return f" at {RATE_SLOT.get(self.point, self.point.replace('_', ' '))} {self.value:g}"

    @property
    def frr(self) -> float:
        """The FRR at which an FRR or a TPR is given."""
        return self.value if self.point == "frr" else checks.complement(self.value, self.point)


def _digits(value: float) -> str:
    return repr(value).removesuffix(".0")


class UsedRate(NamedTuple):
    """A rate that a number rests on, with its complement."""

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
NAMED_POINTS: dict[str, tuple[Callable[[ScoreModel, EvaluationPoint], OperatingPoint], str]] = {
    "eer": (lambda m, _: m.eer(), f"the {TITLE_SLOT['eer']}"),
    "min-hter": (lambda m, _: m.min_weighted_error(0.5), f"the least {RATE_SLOT['hter']}"),
    "min-dcf": (lambda m, w: m.min_dcf(*w.costs), "the least detection cost"),
    "actual-dcf": (lambda m, w: m.actual_dcf(*w.costs), "the threshold of log-likelihood ratios"),
    "max-f1": (lambda m, _: m.max_f(), "the largest F1"),
    "max-youden": (lambda m, _: m.youden(), "the largest Youden's J"),
    "break-even": (lambda m, _: m.break_even(), "the break-even point"),
    "crossing": (lambda m, _: _crossing(m), "the only crossing of the diagonal"),
}


def point_at(model: ScoreModel, where: EvaluationPoint) -> OperatingPoint:
    """The operating point of a model at a point."""
    point, value, *_ = where
    if point == "at":
        return NAMED_POINTS[value][0](model, where)
    if point == "alpha":
        return model.min_weighted_error(value)
    if point == "threshold":
        return model._point(Thresholds.from_theta(value))
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

    def at(self, where: EvaluationPoint) -> Callable[[OperatingPoint], Any]:
        return lambda point: self.value(point, where)


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
    #: The point that the scores choose, or one that they do not.
    optimum: Optimum | None = None
    fixed: Optimum | None = None
    #: Whether it depends on the prior, and on costs.
    settings: tuple[str, ...] = ()
    absence: Callable[[ScoreModel], str] | None = None

    @property
    def is_parameter(self) -> bool:
        """Whether it is of one distribution."""
        return self.absence is not None


def _options_of(name: str) -> dict[str, Any]:
    row, units = MEASURES[name], {"mutual-information": "nats", "dcf": "cost"}
    units |= dict.fromkeys(("dcf-normalized", "lr+", "lr-"), "")
    return {
        "unit": units.get(name, "fraction"), "low": row.low, "high": row.high,
        "better": "higher" if row.larger_is_better else "lower",
        "scale": "probit" if math.isfinite(row.high) else "log",
        "settings": SETTINGS if "dcf" in name else SETTINGS[: name in _OF_PRIOR],
    }  # fmt: skip


#: Measures of rates that weigh the classes.
_OF_PRIOR = (
    "precision", "npv", "mean-precision-recall", "f1", "accuracy", "mcc", "mutual-information",
)  # fmt: skip


def _measured(name: str) -> Callable[[OperatingPoint, EvaluationPoint], Any]:
    if "dcf" in name:
        normalized = name == "dcf-normalized"
        return lambda point, where: point.dcf(*where.costs, normalized=normalized)
    return lambda point, where: MEASURES[name].value(point)


def of_measure(name: str) -> Statistic:
    """A measure of a point as a statistic."""
    measure = MEASURES[name]
    reads = {"far": FAR, "tnr": FAR, "specificity": FAR, "frr": FRR}.get(name, FAR + FRR)

    def rates(model: ScoreModel, where: EvaluationPoint) -> list[UsedRate]:
        # At a threshold a rate is one class's; where the point is solved for, both decide it.
        both = _rates_at(model, where)
        return [r for r in both if where.point != "threshold" or r.name in reads]

    value = _measured(name)
    return Statistic(
        lambda model, where: value(point_at(model, where), where), measure.title,
        ("threshold", *_RATES, "alpha", "at"), rates=rates, fixed=Optimum(point_at, value),
        **_options_of(name),
    )  # fmt: skip


def _of_point(optimum: Optimum, title: str, *, kind: str = "optimum", **options: Any) -> Statistic:
    """A measure at a point of its own: the best ("optimum"), "fixed" or neither."""

    def value(model: ScoreModel, where: EvaluationPoint) -> Any:
        return optimum.value(optimum.point(model, where), where)

    def rates(model: ScoreModel, where: EvaluationPoint) -> list[UsedRate]:
        return rates_of_point(optimum.point(model, where))

    kinds: dict[str, Any] = {kind: optimum} if kind else {}
    return Statistic(value, title, rates=rates, **kinds, **options)


def _at_named(
    name: str, measure: str, title: str, kind: str = "optimum", **options: Any
) -> Statistic:
    optimum, basis = Optimum(NAMED_POINTS[name][0], _measured(measure)), _options_of(measure)
    return _of_point(optimum, title, kind=kind, **basis | {"low": 0.0} | options)


def _least_cost(model: ScoreModel, where: EvaluationPoint) -> OperatingPoint:
    return point_at(model, where) if where.point else model.min_dcf(*where.costs)


def _error_at_odds(point: OperatingPoint, where: EvaluationPoint) -> Any:
    client, impostor = class_probabilities(np.array(where.value)).tolist()
    return client * point.frr + impostor * point.far


def _at_probability(model: ScoreModel, where: EvaluationPoint) -> OperatingPoint:
    """Of scores that are probabilities."""
    (low, high), (first, last) = model.client._scored.support, model.impostor._scored.support
    if min(low, first) < 0.0 or max(high, last) > 1.0:
        rule = "read scores as probabilities of a client, in [0, 1]"
        actual = f"scores from {min(low, first):.6g} to {max(high, last):.6g}"
        remedy = (
            "Calibrate them on other scores: m = br.fit(dev).model, then"
            " br.Scores(m.posterior(test.client), m.posterior(test.impostor))."
        )
        raise refusal("'net-benefit'", rule, actual, remedy)
    return model._point(Thresholds.from_theta(where.value))


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
_ADCF = Optimum(_least_cost, _measured("dcf-normalized"))
_BITS: dict[str, Any] = {"unit": "bits", "better": "lower"}
#: Every statistic by name.
STATISTICS: dict[str, Statistic] = {
    "auc": Statistic(lambda m, _: m.auc(), "area under the ROC", better="higher"),
    "partial-auc": Statistic(
        lambda m, w: m.partial_auc(w.value[0], w.value[1], standardized=True),
        "standardized partial area", ("between",), better="higher", scale="partial", rates=_widest,
    ),
    "eer": _at_named("eer", "hter", TITLE_SLOT["eer"], ""),
    "min-hter": _at_named("min-hter", "hter", f"least {TITLE_SLOT['hter']}"),
    "min-dcf": _at_named("min-dcf", "dcf", "least detection cost"),
    "min-dcf-normalized": _at_named(
        "min-dcf", "dcf-normalized", "least normalized detection cost", high=1.0, scale="probit"
    ),
    "actual-dcf": _at_named("actual-dcf", "dcf", f"detection cost {_AT_LLR}", "fixed"),
    "actual-dcf-normalized": _at_named(
        "actual-dcf", "dcf-normalized", f"normalized detection cost {_AT_LLR}", "fixed"
    ),
    "a-dcf": replace(
        _of_point(_ADCF, "normalized detection cost over strata", **_options_of("dcf-normalized")),
        points=("", "threshold"), fixed=_ADCF,
    ),
    "bayes-error": _of_point(
        Optimum(lambda m, w: m._point(Thresholds.from_theta(-w.value)), _error_at_odds),
        f"error probability {_AT_LLR}",
        kind="fixed", points=("log_odds",), better="lower",
    ),
    "min-bayes-error": _of_point(
        Optimum(lambda m, w: m._least_error(np.array([w.value]))[0], _error_at_odds),
        "least error probability", points=("log_odds",), better="lower",
    ),
    "cllr": Statistic(
        lambda m, _: m.cllr(), "cost of log likelihood ratios", high=math.inf, scale="log", **_BITS
    ),
    "min-cllr": Statistic(
        lambda m, _: m.min_cllr(), "least cost of log likelihood ratios", **_BITS
    ),
    "calibration-loss": Statistic(
        lambda m, _: m.cllr() - m.min_cllr(), "cost of calibration", high=math.inf, scale="plain",
        **_BITS,
    ),
    "net-benefit": _of_point(
        Optimum(_at_probability, lambda point, where: point.net_benefit(where.value)),
        "net benefit", kind="fixed", points=("probability",), low=-math.inf, better="higher",
        scale="plain", settings=SETTINGS[:1],
    ),
    "max-f1": _at_named("max-f1", "f1", "largest F1"),
    "max-youden": _at_named("max-youden", "youden", "largest Youden's J"),
    "break-even": _at_named("break-even", "mean-precision-recall", "break-even point", ""),
    "weighted-error": _of_point(
        Optimum(point_at, lambda point, where: point.weighted_error(where.value)),
        "least weighted error", points=("alpha",), better="lower",
    ),
    "ks": _of_point(
        Optimum(_widest_gap, lambda point, _: np.abs(point.tpr - point.far)),
        "Kolmogorov-Smirnov distance of the classes", better="higher",
    ),
    "h-measure": Statistic(
        lambda m, _: m.h_measure(), "H measure", better="higher", settings=SETTINGS[:1]
    ),
    "average-precision": Statistic(
        lambda m, _: m.average_precision(), "average precision", better="higher",
        settings=SETTINGS[:1],
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
#: An interval, or a table of them.
_Result = TypeVar("_Result")
#: Statistics that are scores.
_IN_SCALE = ("threshold", "client-mean", "impostor-mean")


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

    def __reduce__(self) -> Any:
        """By its text: functions of the table do not pickle."""
        return (parse_statistic, (str(self),)) if self.is_named else (StatisticSpec, tuple(self))

    @property
    def words(self) -> str:
        return f"{self.name}{self.where.words}"

    def inside(self, lower: bool) -> StatisticSpec:
        """The same of -s, where clients have the lower scores."""
        place = mirror(self.where.value, lower and self.where.point == "threshold")
        return self._replace(where=self.where._replace(value=place))

    def outside(self, result: _Result, lower: bool) -> _Result:
        """Of an interval of -s that of the scores."""
        if not lower or self.name not in _IN_SCALE:
            return result
        ends = {"low": "high", "estimate": "estimate", "high": "low"}.items()
        parts: Any = {name: mirror(getattr(result, other), True) for name, other in ends}
        return replace(result, **parts)  # type: ignore[type-var]

    @property
    def is_named(self) -> bool:
        return self.name in STATISTICS

    def value(self, model: ScoreModel) -> Any:
        """The number, or of a threshold the point."""
        return self.row.value(self.where.of(model), self.where)

    def number(self, model: ScoreModel) -> float:
        return self.as_number(self.value(model))

    def as_number(self, value: Any) -> float:
        if self.row.scale == "threshold" and isinstance(value, OperatingPoint):
            value = value.thresholds.theta
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise refusal("stat", "return one number", typed(value), "", InputTypeError) from error

    def absence(self, model: ScoreModel) -> str:
        """Why a model has no such number; else empty."""
        if self.where.value != "crossing":
            return self.row.absence(model) if self.row.absence else ""
        many = len(model.diagonal_crossings())
        times = {0: "at no threshold", 1: "once"}.get(many, f"{many} times")
        return f"the ROC crosses the diagonal {times}, and the point 'crossing' needs exactly one"

    def rates(self, model: ScoreModel) -> list[UsedRate]:
        return self.row.rates(self.where.of(model), self.where) if self.row.rates else []

    @property
    def fixed(self) -> Optimum | None:
        """The measure at a threshold that no scores choose; else None."""
        free = "threshold" in self.row.points and "threshold" != self.where.point
        return None if free and self.where.value != "actual-dcf" else self.row.fixed

    @property
    def optimum(self) -> Optimum | None:
        """The measure at its best point; else None."""
        return None if self.fixed else self.row.optimum


def parse_statistic(stat: Any, given: tuple[Any, ...] = (), /, **points: Any) -> StatisticSpec:
    """What is asked for, checked."""
    points = {name: value for name, value in points.items() if value is not None}
    named = (f"{name}={checks.format_value(value)}" for name, value in points.items())
    got = ", ".join([*map(checks.format_value, given), *named])
    if callable(stat) and not isinstance(stat, type):
        if got:
            raise refusal("stat", "be a name to have a point", f"a function, and {got}")
        name = str(getattr(stat, "__name__", type(stat).__name__))
        row = Statistic(lambda model, _: stat(model), name, unit="", scale="plain", **_ANYWHERE)
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
    where, row = _evaluation_point(name, given, points, behind or got), STATISTICS[name]
    row = replace(row, high=max(where.costs)) if row.unit == "cost" else row
    return StatisticSpec(name, row, where)


_ALL_NAMES = "See br.statistics() for the names."


def _points_of_text(behind: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for part in re.split(r",(?=[a-z_]+=)", behind):
        point, sign, content = part.rpartition("=")
        if not sign or canonical(point) == "at":
            result["at"] = content
            continue
        if canonical(point) not in (*_KEYWORDS, *SETTINGS):
            raise InputError(_no_point(point))
        try:
            numbers = tuple(map(parse_number, content.split(",")))
        except ValueError as error:
            raise refusal(point, "be a number", format_value(content)) from error
        result[point] = numbers if point == "between" else numbers[0]
    return result


def _no_point(keyword: str) -> str:
    every = (*POINTS, *SETTINGS, *RateArguments.__annotations__, *IntervalArguments.__annotations__)
    return (
        f"{keyword!r} must be an option, or a point: one of {checks.format_list(POINTS, 9)};"
        f" it is neither. {checks.did_you_mean(keyword, every)}"
    ).rstrip()


def parse_statistics(
    value: str | Sequence[str], argument: str = "statistics"
) -> tuple[StatisticSpec, ...]:
    """What several texts ask for, each once."""
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
        if canonical(keyword) not in (*_KEYWORDS, *SETTINGS):
            raise InputTypeError(_no_point(keyword))
    legal, kind = STATISTICS[name].points, InputTypeError if given else InputError
    settings = {k: v for k, v in points.items() if k in SETTINGS}
    points = {k: v for k, v in points.items() if k not in SETTINGS}
    if not legal and (given or points):
        raise kind(f"{name!r} is taken at no point; got {got}. Leave it out.")
    keyword, value = next(iter(points.items()), ("", None))
    point = str(canonical(keyword))
    if COMPLEMENTS.get(point) == "far":
        point, value = "far", checks.complement(value, keyword)
    if legal and (given or len(points) > 1 or point not in legal):
        keywords = "= ".join((*filter(None, legal), "")).strip()
        raise kind(f"{name!r} needs a point, one of {keywords}; got {got or 'none'}. Give one.")
    place = _checked_point(name, point, keyword, value) if point else EvaluationPoint()
    return place._replace(**_checked_settings(name, place, settings))


def _checked_settings(
    name: str, place: EvaluationPoint, settings: Mapping[str, Any]
) -> dict[str, Any]:
    rows = STATISTICS[name], STATISTICS.get(str(place.value))
    known = [keyword for row in rows if row for keyword in row.settings]
    for keyword in settings:
        if keyword not in known:
            raise InputError.about(keyword)(
                f"{name!r} does not depend on {keyword}; got {keyword}={settings[keyword]!r}."
                " Leave it out."
            )
    checked = {k: checked_cost(v, k) for k, v in settings.items() if k != "prior"}
    if checked and not any({"cost_fa": 1.0, "cost_fr": 1.0, **checked}.values()):
        raise refusal("cost_fa", "not be 0 where cost_fr is", "0 and 0")
    return checked | {k: checks.fraction(v, k) for k, v in settings.items() if k == "prior"}


def _checked_point(name: str, point: str, keyword: str, value: Any) -> EvaluationPoint:
    if point == "between":
        return EvaluationPoint(point, ascending_pair(value))
    if point == "probability":
        checked_odds(value)
    if point in ("threshold", "log_odds"):
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
        or "crossing", the only one of the diagonal), beside which ``prior=``, ``cost_fa=`` and
        ``cost_fr=`` stand of what depends on them; ``unit``; ``low`` and ``high``, its range;
        ``better``, "higher", "lower" or empty; ``scale``, on which its error is nearly normal;
        ``of_scores``, whether scores answer by themselves.

    Examples
    --------
    >>> import betaroc as br
    >>> br.statistics().set_index("name").loc["threshold", "points"]
    'far, frr, tpr, alpha, at'
    """
    import pandas as pd

    table = pd.DataFrame(map(vars, STATISTICS.values()))
    table["name"], table["title"] = list(STATISTICS), table["title"].map(DEFAULT.fill)
    table["points"] = [", ".join(filter(None, row.points)) for row in STATISTICS.values()]
    return table[["name", "title", "points", "unit", "low", "high", "better", "scale", "of_scores"]]
