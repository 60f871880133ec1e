"""Statistics of a trial: numbers of the package by name, and functions of one's own."""

from __future__ import annotations

import contextlib
import dataclasses
import dis
import functools
import hashlib
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES
from betaroc.core.errors import (
    ExtrapolationWarning,
    InputError,
    InputTypeError,
    refusal,
)
from betaroc.core.notices import warn
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.core.vocabulary import FAR, FRR, name_among
from betaroc.decision.curve import ONE_CLASS_RATES
from betaroc.distributions.beta import has_shape
from betaroc.distributions.inflated import base_of
from betaroc.inference.scores_beyond import needed
from betaroc.model.improper_regions import hooks_of
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import STATISTICS, StatisticSpec, parse_statistic
from betaroc.studies.design import checked_text
from betaroc.studies.trials import Trial, cell_sizes

#: Columns that every table of results has, and those of their summary.
RESERVED = ("cell", "replicate", "status", "error")
SUMMARY = ("statistic", "replicates", "mean", "mc_error", "sd")
#: Which pair a statistic is of, and whose threshold is observed on test.
SOURCES = ("true", "test", "fit", "empirical")
CHOOSERS = {"epc-true": "true", "epc-fit": "fit", "epc-empirical": "empirical"}
#: Of functions, which ask for what they need, of the true pair and of the test pair.
_OF_LAWS = ("", "true", "test", "epc-true")


def _shape(who: str) -> Callable[[ScoreModel], str]:
    def value(model: ScoreModel) -> str:
        law = base_of(getattr(model, who))
        return str(law.shape.value) if has_shape(law) else ""

    return value


#: What a pair has beside the statistics of the table: text, and numbers.
_TEXTS: dict[str, Callable[[ScoreModel], str]] = {
    "side-at-zero": lambda m: m.ends().at_zero.side,
    "side-at-one": lambda m: m.ends().at_one.side,
    "global-shape": lambda m: m.global_shape(),
    "client-shape": _shape("client"),
    "impostor-shape": _shape("impostor"),
}
OF_PAIR: dict[str, Callable[[ScoreModel], Any]] = {
    **_TEXTS,
    "semi-derivative-at-zero": lambda m: m.semi_derivatives().at_zero,
    "semi-derivative-at-one": lambda m: m.semi_derivatives().at_one,
    "hook-depth": lambda m: max((h.depth for h in hooks_of(m, 0.0, 0.0)), default=0.0),
    "crossings": lambda m: len(m.diagonal_crossings()),
    "prior": lambda m: m.prior,
}
#: The number of a fit that is none of its pair, and numbers of one decision on test.
LIKELIHOOD, OF_CURVE = "log-likelihood", ("value", "expected", "threshold", "far", "frr")


@dataclass(frozen=True)
class StudyStatistic:
    """One column of the results, or several where a function of one's own returns a mapping."""

    column: str
    #: Of a name: its source, its name, and the statistic of the table. Of a function: empty.
    source: str = ""
    stat: str = ""
    table: StatisticSpec | None = None
    #: Of a number of a curve its alpha.
    alpha: float | None = None
    function: Callable[[Trial], Any] | None = None

    @property
    def kind(self) -> type[Any]:
        """Of the values of a name."""
        return str if self.source in SOURCES and self.stat in _TEXTS else float

    @property
    def needs_sample(self) -> bool:
        """Whether there is nothing to compute without scores."""
        return self.source not in _OF_LAWS

    @property
    def needs_fit(self) -> bool:
        """Whether it is of the fitted pair, which a batch provides."""
        return self.source in ("fit", "epc-fit")

    def of(self, trial: Trial) -> dict[str, float | str]:
        """The columns of a trial."""
        if self.function is not None:
            return _columns_of(self.column, self.function(trial))
        if self.source in CHOOSERS:
            value = getattr(trial.curve(CHOOSERS[self.source], self.alpha), self.stat)[0]
        elif self.stat == LIKELIHOOD:
            value = trial.fit.log_likelihood
        elif self.table is not None:
            value = self.table.number(trial.pair(self.source))
        else:
            value = OF_PAIR[self.stat](trial.pair(self.source))
        return {self.column: _plain(value, self.column)}

    def n_beyond(self, cell: Mapping[str, Any]) -> tuple[float, int, str, float] | None:
        """Of a rate that was asked for: scores expected beyond it, all, whose, and its tail.

        None of what asks for no rate, or of no sample.
        """
        criterion, name, rate = cell.get("criterion"), "", np.nan
        if self.table is not None and self.table.where.point in ("far", "frr", "tpr"):
            point, rate = self.table.where
            name = FAR if point == "far" else FRR
        elif self.source in CHOOSERS and criterion in ONE_CLASS_RATES:
            name = ONE_CLASS_RATES[criterion][0]
            rate = float(cell.get("alpha", 0.5) if self.alpha is None else self.alpha)
        sizes = cell_sizes(cell, "n_test" if self.source == "test" else "n")
        tail = min(rate, 1.0 - rate)
        if sizes is None or self.source in ("true", "epc-true") or not tail > 0.0:
            return None
        who = int(name == FAR)
        return sizes[who] * tail, sizes[who], CLASSES[who], tail

    @property
    def description(self) -> str:
        """What is computed, for telling studies apart."""
        if self.function is not None:
            return fingerprint(self.function)
        where = "" if self.alpha is None else f"@alpha={self.alpha!r}"
        return f"{self.source}.{self.table or self.stat}{where}"


def tell_beyond(statistics: Sequence[StudyStatistic], cells: Iterable[Mapping[str, Any]]) -> None:
    """Warn of rates that were asked for and that no score of a sample speaks for."""
    few = [
        (support, statistic.column, place)
        for place, cell in enumerate(cells)
        for statistic in statistics
        if (support := statistic.n_beyond(cell)) is not None and support[0] < 1.0 - 1e-12
    ]
    if few:
        (beyond, n, who, tail), column, place = min(few)
        warn(
            f"{len({place for *_, place in few})} cells ask for rates that no score speaks for;"
            f" least {column} of cell {place}: of {n} {who} scores {beyond:.2g} are expected beyond"
            f" a rate of {tail:.4g}, about {needed(tail)} would do (3/rate). Draw as many, or ask"
            " for larger rates.",
            ExtrapolationWarning,
        )


# ------------------------------------------------------------------------------- reading
def as_statistics(value: Any) -> tuple[StudyStatistic, ...]:
    """What was asked for: names and functions, as a list or by column."""
    if isinstance(value, str) or callable(value):
        value = [value]
    if not isinstance(value, Mapping | Sequence):
        rule = "be names or functions, in a list or in a mapping of columns"
        raise refusal("statistics", rule, typed(value), 'Give ["fit.auc"].', InputTypeError)
    if not value:
        raise refusal("statistics", "name at least one", "none", 'Give such as "fit.auc".')
    pairs = list(value.items()) if isinstance(value, Mapping) else [
        (_own_name(item, place), item) for place, item in enumerate(value)
    ]  # fmt: skip
    columns = [column for column, _ in pairs]
    for column in columns:
        if not isinstance(column, str) or not column.strip():
            raise InputTypeError(f"columns of statistics must be text; got {format_value(column)}.")
        checked_text(column, "the name of a column")
        if column in RESERVED or columns.count(column) > 1:
            why = "names a column of every study" if column in RESERVED else "occurs twice"
            raise InputError(
                f"columns of statistics must be distinct and new; {column!r} {why}. Pass a mapping"
                " of other columns."
            )
    statistics = tuple(_statistic(column, item) for column, item in pairs)
    check_taken(statistics, columns)
    return statistics


def check_taken(statistics: Sequence[StudyStatistic], names: Sequence[str]) -> None:
    """Names that a function, which may return a mapping, may need for its columns."""
    for column in [s.column for s in statistics if s.function is not None]:
        clash = [name for name in names if name.startswith(f"{column}.")]
        if clash:
            raise InputError(
                f"parameters and columns of results must have names of their own; {clash[0]!r} may"
                f" be a column of the function {column!r}. Name one of them otherwise."
            )


def _own_name(item: Any, place: int) -> str:
    """The column of an item of a list: the name itself, or the function's."""
    name = item if isinstance(item, str) else callable(item) and getattr(item, "__name__", None)
    if not name or name == "<lambda>":
        raise InputTypeError.about("statistics")(
            f"statistics must be names, or functions with a name; got {format_value(item)} at index"
            f" {place}. Pass a mapping such as {{'column': {format_value(item, 30)}}}."
        )
    return str(name)


def _statistic(column: str, item: Any) -> StudyStatistic:
    if callable(item):
        return StudyStatistic(column, function=item)
    if not isinstance(item, str):
        rule = "be a name or a function of a Trial"
        raise refusal(f"statistic {column!r}", rule, typed(item), "Name it.", InputTypeError)
    source, _, text = item.partition(".")
    stat, at, point = text.partition("@")
    sources, of_curve = (*SOURCES, *CHOOSERS), source in CHOOSERS
    if source not in sources:
        is_stat = source.partition("@")[0] in (*STATISTICS, *OF_PAIR)
        hint = f"Did you mean 'fit.{item}'?" if is_stat else did_you_mean(source, sources)
        rule = f"be <source>.<name> with a source of {format_list(sources, 8)}"
        raise refusal("a statistic", rule, repr(item), hint.rstrip())
    of_fit = (LIKELIHOOD,) if source == "fit" else ()
    names = OF_CURVE if of_curve else (*STATISTICS, *OF_PAIR, *of_fit)
    stat = name_among(stat, names)
    if stat not in names:
        raise InputError(
            f"statistic {item!r} must name a number of {source!r}; there is no {stat!r}."
            f" {did_you_mean(stat, names)}".rstrip()
        )
    if at and of_curve and not point.startswith("alpha="):
        rule = f"take alpha= behind '@', such as '{stat}@alpha=0.5'"
        raise refusal(f"statistic {item!r} of a curve", rule, repr(point), "Give alpha.")
    if at and not of_curve and stat not in STATISTICS:
        raise InputError(f"statistic {item!r} is taken at no point. Leave out what follows '@'.")
    try:
        if of_curve:
            alpha = parse_statistic(f"weighted-error@{point}").where.value if at else None
            return StudyStatistic(column, source, stat, alpha=alpha)
        table = parse_statistic(text) if stat in STATISTICS else None
    except (InputError, InputTypeError) as error:
        raise InputError(f"statistic {item!r}: {error}") from error
    return StudyStatistic(column, source, stat, table)


# ------------------------------------------------------------------------------- values
def _columns_of(column: str, result: Any) -> dict[str, float | str]:
    """What a function returned: one value, or a mapping of several."""
    if not isinstance(result, Mapping):
        return {column: _plain(result, column)}
    for key in result:
        if not isinstance(key, str):
            noun = f"the keys of statistic {column!r}"
            raise refusal(noun, "be text", typed(key), "Name each.", InputTypeError)
        checked_text(key, "the name of a column")
    return {f"{column}.{key}": _plain(value, f"{column}.{key}") for key, value in result.items()}


def _plain(value: Any, column: str) -> float | str:
    """Numbers and booleans as floats, so that means of booleans are shares; text as it is."""
    if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0:
        value = np.asarray(value)[()].item()
    if isinstance(value, str):
        return checked_text(str.__str__(value), f"statistic {column!r}")
    if isinstance(value, numbers.Real):
        return float(value)
    rule = "be a number, text or a mapping of them"
    raise refusal(f"statistic {column!r}", rule, typed(value), "Return one.", InputTypeError)


# ------------------------------------------------------------------- what tells functions apart
_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)


def fingerprint(function: Any) -> str:
    """The name of a function and a digest of what it carries, the same in every process.

    Of its code, defaults, the variables that it closes over, what a partial binds, attributes of an
    object that is called; of the globals that it reads and does not assign constants (numbers,
    text, booleans, None, tuples of them) and functions of the same module.
    """
    named = function.func if isinstance(function, functools.partial) else function
    name = getattr(named, "__qualname__", type(named).__qualname__)
    content = repr(_content(function, (), set()))
    return f"function {name} {_digest(content.encode('utf-8', 'backslashreplace'))[:16]}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _content(value: Any, above: tuple[int, ...], functions: set[int]) -> tuple[Any, ...]:
    """A value as nested tuples of text, without addresses and orders that change."""
    kind = type(value).__qualname__
    if isinstance(value, _PLAIN):
        return kind, repr(value)
    if isinstance(value, type | ModuleType | BuiltinFunctionType | np.ufunc):
        return kind, str(getattr(value, "__module__", "")), str(value.__name__)
    if id(value) in above or id(value) in functions:
        return kind, "again", str(getattr(value, "__qualname__", ""))
    if isinstance(value, FunctionType):
        functions.add(id(value))
    # Held while they are read: the identity of what is gone may be another's.
    parts = _parts(value)
    result = [_content(part, (*above, id(value)), functions) for part in parts]
    unordered = isinstance(value, set | frozenset)
    return kind, *(sorted(result, key=repr) if unordered else result)


def _parts(value: Any) -> list[Any]:
    """What a value is made of; of an object its attributes."""
    if isinstance(value, FunctionType):
        return _parts_of_function(value)
    if isinstance(value, CodeType):
        return [value.co_code, value.co_names, value.co_varnames, *value.co_consts]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        numbers = array.tolist() if array.dtype.hasobject else _digest(array.tobytes())
        return [array.dtype.str, array.shape, numbers]
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    names = [
        name for name in getattr(value, "__dict__", {})
        if not isinstance(getattr(type(value), name, None), functools.cached_property)
    ]  # fmt: skip
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    called = [vars(kind).get("__call__") for kind in type(value).__mro__]
    attributes = [part for name in names for part in (name, getattr(value, name, None))]
    return [*(c for c in called if isinstance(c, FunctionType)), *attributes]


def _parts_of_function(function: FunctionType) -> list[Any]:
    parts: list[Any] = [function.__code__, function.__defaults__, function.__kwdefaults__]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a name that is not bound yet
            parts.append(cell.cell_contents)
    for name in _globals_of(function.__code__):
        item = function.__globals__.get(name, ...)
        neighbour = isinstance(item, FunctionType) and item.__globals__ is function.__globals__
        if neighbour or (item is not ... and _is_constant(item)):
            parts += [name, item]
    return parts


def _globals_of(code: CodeType) -> list[str]:
    """Names that code, and what is defined in it, reads of its module and does not assign."""
    read, assigned, left = set[str](), set[str](), [code]
    while left:
        inner = left.pop()
        left += [item for item in inner.co_consts if isinstance(item, CodeType)]
        for step in dis.get_instructions(inner):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                read.add(str(step.argval))
            elif step.opname == "STORE_GLOBAL":
                assigned.add(str(step.argval))
    return sorted(read - assigned)


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, (*_PLAIN, np.generic))
