"""What is asked for: a statistic by name or a function, and the point at which it is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from betaroc.core import checks
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.options import IntervalArguments
from betaroc.core.text import parse_number
from betaroc.core.vocabulary import COMPLEMENTS, RateArguments, canonical
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import (
    NAMED_POINTS,
    STATISTICS,
    Asked,
    Optimum,
    Statistic,
    Where,
    crossing_absence,
)

#: The keywords by which a point is given.
POINTS = ("threshold", "far", "frr", "tpr", "alpha", "between", "at")
#: Behind this a text names its point.
_AT = "@"
#: A range of FARs as a text has it.
_RANGE = "between=0,0.1"
#: Where to look for a name that is none.
_ALL = "br.statistics() lists all."


class PointArguments(RateArguments, total=False):
    """The keywords by which the point of a statistic is given: one of them, or none."""

    confidence: float  # which `public` takes for the level

    threshold: float
    far: float
    frr: float
    tpr: float
    alpha: float
    between: tuple[float, float]
    at: str


class Asking(NamedTuple):
    """What is asked for: a statistic, and where it is taken."""

    name: str
    row: Statistic
    where: Where = Where()

    def __str__(self) -> str:
        """The name, with its point behind "@"."""
        return f"{self.name}{self.where}"

    def _to_text(self) -> str:
        """The same with all digits, for documents."""
        point, value = self.where
        if not self.is_named:
            raise InputTypeError(
                f"a statistic that is written must be one of br.statistics(); {self.name} is a"
                " function. Name one, or pickle the result."
            )
        if not point:
            return self.name
        values = value if point == "between" else (value,)
        return f"{self.name}{_AT}{point}={','.join(map(str, values))}"

    @staticmethod
    def _of_text(text: str) -> Asking:
        return asking_of_text(text)

    @property
    def words(self) -> str:
        """In a sentence."""
        return f"{self.name}{self.where.words}"

    @property
    def is_named(self) -> bool:
        """Whether it stands in the table; else it is a function."""
        return self.name in STATISTICS

    @property
    def optimum(self) -> Optimum:
        """The measure and its best point, of what is taken there."""
        if self.row.optimum is None:
            raise InputError(f"{self.name!r} is no measure at a point that is best by it.")
        return self.row.optimum

    def value(self, model: ScoreModel) -> Any:
        """The number, or of a threshold the point."""
        return self.row.value(model, self.where)

    def number(self, model: ScoreModel) -> float:
        """The number itself."""
        return as_number(self.row, self.value(model))

    def absence(self, model: ScoreModel) -> str:
        """Why a model has no such number, where that is known; else empty."""
        if self.where == ("at", "crossing"):
            return crossing_absence(model)
        return self.row.absence(model)

    def rates(self, model: ScoreModel) -> list[Asked]:
        """The rates of a model that it rests on; none of areas, shapes and functions."""
        return self.row.rates(model, self.where)


def as_number(row: Statistic, value: Any) -> float:
    """One number, which functions of our caller's may fail to give."""
    if row.scale == "threshold" and isinstance(value, OperatingPoint):
        value = value.threshold
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise InputTypeError.about("stat")(
            f"stat must return one number; got {checks.shown(value)} of type"
            f" {type(value).__name__}."
        ) from error


def asking(stat: Any, given: tuple[Any, ...] = (), /, **points: Any) -> Asking:
    """What is asked for, checked.

    Parameters
    ----------
    stat : str or callable
        A name, which may have its point behind "@", or a function of a `ScoreModel`.
    given : tuple
        What stood behind the name without a keyword, which is refused.
    **points : object
        Keywords of points; None is none.
    """
    points = {name: value for name, value in points.items() if value is not None}
    named = (f"{name}={checks.shown(value)}" for name, value in points.items())
    got = ", ".join([*map(checks.shown, given), *named])
    unknown = [name for name in points if canonical(name) not in (*POINTS, "tnr")]
    if unknown:
        legal = (*POINTS, *RateArguments.__annotations__, *IntervalArguments.__annotations__)
        raise InputTypeError(
            f"{unknown[0]!r} must be an option, or a point: one of {checks.listed(POINTS, 9)}; it"
            f" is neither. {checks.nearest(unknown[0], legal)}".rstrip()
        )
    if callable(stat) and not isinstance(stat, type):
        if got:
            raise InputError(
                "a point belongs to a statistic by name; a function takes the model alone. Got"
                f" {got}."
            )
        name = str(getattr(stat, "__name__", type(stat).__name__))
        name = name if name not in STATISTICS else f"{name}(model)"
        row = Statistic(lambda model, _: stat(model), name, unit="", scale="plain")
        return Asking(name, row)
    if not isinstance(stat, str):
        raise InputTypeError.about("stat")(
            f"stat must be a name or a function of a ScoreModel; got {checks.shown(stat)} of type"
            f" {type(stat).__name__}. See br.statistics() for the names."
        )
    if _AT in stat:
        if got:
            raise InputError.about("stat")(
                f"a point must be given once, behind {_AT!r} or by a keyword; got {stat!r} and"
                f" {got}. Leave one of them out."
            )
        return asking_of_text(stat)
    name = checks.choice(stat, tuple(STATISTICS), "stat", _ALL)
    row = STATISTICS[name]
    if given:
        raise InputTypeError(_readings(name, row, given))
    return Asking(name, row, _where(name, row, points, got))


def asking_of_text(text: str) -> Asking:
    """What a text such as ``"tpr@far=0.01"`` or ``"threshold@eer"`` asks for."""
    if not isinstance(text, str):
        raise InputTypeError.about("stat")(
            f"a statistic must be text such as 'tpr{_AT}far=0.01'; got {checks.shown(text)} of type"
            f" {type(text).__name__}. See br.statistics() for the names."
        )
    name, _, behind = text.partition(_AT)
    if not behind:
        return asking(name)
    point, sign, value = behind.partition("=")
    point, content = point if sign else "at", value if sign else behind
    if canonical(point) not in (*POINTS, "tnr"):
        raise InputError(
            f"behind {_AT!r} must stand a point such as far=0.01, or one of"
            f" {checks.listed(NAMED_POINTS, 9)}; got {text!r}."
            f" {checks.nearest(point, POINTS)}".rstrip()
        )
    numbers = tuple(map(_number, content.split(",")))
    argument = numbers if point == "between" else _number(content)
    try:
        if sign or isinstance(argument, str):
            return asking(name, (), **{point: argument})
        return asking(name, (argument,))  # a number without a keyword, which is refused
    except InputTypeError as error:  # of a text, whose type is right
        raise InputError(str(error)) from error


def _number(text: str) -> float | str:
    """The number of a text, or the text itself, which the check of its point refuses."""
    try:
        return parse_number(text)
    except ValueError:
        return text


def askings(value: str | Sequence[str], argument: str = "statistics") -> tuple[Asking, ...]:
    """What several texts ask for, each once; one text is a list of one."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, Sequence):
        raise InputTypeError.about(argument)(
            f"{argument} must be texts such as 'tpr{_AT}far=0.01'; got {checks.shown(value)} of"
            f" type {type(value).__name__}. See br.statistics() for the names."
        )
    result = tuple(map(asking_of_text, texts))
    names = [str(item) for item in result]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError.about(argument)(
            f"{argument} must be distinct; {twice[0]!r} is there {names.count(twice[0])} times."
            " Leave it out once."
        )
    return result


def _readings(name: str, row: Statistic, argument: tuple[Any, ...]) -> str:
    """Why a point without a keyword is refused: it has more than one reading."""
    shown = ", ".join(map(checks.shown, argument))
    if not row.points:
        return f"{name!r} is taken at no point; got {shown}. Leave it out."
    value: object = argument[0] if len(argument) == 1 else argument
    keywords = [point for point in row.points if point not in ("at", "between")]
    if isinstance(value, str):
        keywords = ["at"]
    elif isinstance(value, tuple | list):
        keywords = ["between"]
    readings = " or ".join(f"{point}={checks.shown(value)}" for point in keywords) or _RANGE
    return f"the point of {name!r} must be given by a keyword; got {shown}. Write {readings}."


def _where(name: str, row: Statistic, points: Mapping[str, Any], argument: str) -> Where:
    """The one point that was given, checked."""
    if not row.points:
        if points:
            raise InputError(f"{name!r} is taken at no point; got {argument}. Leave it out.")
        return Where()
    legal = " ".join(f"{point}=" for point in row.points)
    if len(points) != 1:
        item, do = ("its point,", "it") if len(row.points) == 1 else ("a point, one of", "one")
        raise InputError(f"{name!r} needs {item} {legal}; got {argument or 'none'}. Give {do}.")
    ((typed, value),) = points.items()
    point = str(canonical(typed))
    if COMPLEMENTS.get(point) == "far":
        point, value = "far", checks.complement(value, typed)
    if point not in row.points:
        raise InputError(
            f"{name!r} cannot be told there: it takes {legal}; got {argument}. Give one of these."
        )
    if point == "at":
        result = checks.choice(value, tuple(NAMED_POINTS), "at")
        if (name, result) == ("threshold", "actual-dcf"):
            raise InputError.about("at")(
                "at must be a point that scores decide; the threshold of 'actual-dcf' is given by"
                " costs and prior alone. Read it off model.actual_dcf(), which has no interval."
            )
        return Where(point, result)
    if point == "between":
        return Where(point, ascending_pair(value, "FARs", f" for {name!r}"))
    if point == "threshold":
        return Where(point, checks.finite(value, point))
    return Where(point, checks.fraction(value, typed))


def ascending_pair(value: Any, noun: str, of: str = "") -> tuple[float, float]:
    """Two fractions that ascend: the range `between` which a number is taken."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise InputTypeError.about("between")(
            f"between must be two {noun} (low, high){of}; got {checks.shown(value)}. Give such as"
            " (0.0, 0.1)."
        )
    low, high = (checks.fraction(v, "between") for v in value)
    if not low < high:
        raise InputError.about("between")(
            f"between must be two {noun} (low, high) with low < high; got {checks.shown(value)}."
            " Give the smaller one first."
        )
    return low, high
