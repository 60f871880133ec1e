"""Several classifiers on the same trials: one column of scores each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from betaroc.core import containers, errors, notices, tables
from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.checks import choice, frozen
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import with_arguments, worded
from betaroc.data.frames import frame_columns, named_columns, opened
from betaroc.data.groups import weights_of
from betaroc.data.scores import Scores, check_rejected
from betaroc.inference.paired_trials import check_other_trials
from betaroc.model.dataset_checks import check_sense

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

NAN_POLICIES = ("raise", "omit")
_BESIDE = tuple(f"{who}_{name}" for who in CLASSES for name in ("groups", "weights"))
#: Several classifiers on the same trials: a frame with a column each, or `Scores` of each.
Classifiers: TypeAlias = "IntoFrame | Mapping[str, Scores] | Sequence[Scores]"


@dataclass(frozen=True, eq=False, repr=False)
class Systems(tables.Tabular):
    """The scores of several classifiers: a row per trial, a column per classifier."""

    names: tuple[str, ...]
    client: FloatArray
    impostor: FloatArray
    client_groups: AnyArray | None = None
    impostor_groups: AnyArray | None = None
    #: Rows that were left out because a score was missing.
    omitted: int = 0
    #: How many trials each row stands for; all above 0.
    client_weights: FloatArray | None = None
    impostor_weights: FloatArray | None = None
    client_strata: AnyArray | None = None
    impostor_strata: AnyArray | None = None

    def scores(self, k: int) -> Scores:
        """Those of one classifier."""
        columns = {who: frozen(np.ascontiguousarray(getattr(self, who)[:, k])) for who in CLASSES}
        beside = fields_of(self, *_BESIDE)
        return Scores._checked(**columns, **beside, name=self.names[k], library=self.library)

    def rows(self, inside: BoolArray) -> Systems:
        """Some of the trials, clients first."""
        masks = zip(CLASSES, np.split(inside, [len(self.client)]), strict=True)
        parts: dict[str, Any] = {
            name: None if values is None else values[mask]
            for who, mask in masks
            for name in (who, f"{who}_groups", f"{who}_weights", f"{who}_strata")
            for values in [getattr(self, name)]
        }  # fmt: skip
        return replace(self, **parts)

    def fused(self, x: FloatArray) -> Scores:
        columns = dict(zip(CLASSES, np.split(x, [len(self.client)]), strict=True))
        beside = fields_of(self, *_BESIDE, "client_strata", "impostor_strata")
        return Scores._checked(**columns, **beside, library=self.library)

    def only(self, names: Sequence[str]) -> Systems:
        """Some of the classifiers."""
        places = [self.names.index(name) for name in names]
        client, impostor = (side[:, places] for side in self.classes)
        return replace(self, names=tuple(names), client=client, impostor=impostor)

    @property
    def independent(self) -> bool:
        """Whether no trials share a group."""
        return self.client_groups is None and self.impostor_groups is None

    @cached_property
    def x(self) -> FloatArray:
        return np.concatenate(self.classes)

    @cached_property
    def is_client(self) -> BoolArray:
        return np.repeat([True, False], [len(side) for side in self.classes])

    @cached_property
    def weights(self) -> FloatArray:
        """What each of them counts."""
        return np.concatenate([weights_of(self, who) for who in CLASSES])

    def by_class(self, x: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        return [(x[mask], self.weights[mask]) for mask in (self.is_client, ~self.is_client)]

    def splits(
        self, fold: IntArray | None, dev: Systems | None = None
    ) -> list[tuple[Systems, Systems, BoolArray]]:
        """What is learned on, what is observed, and its rows: per fold, or once on dev."""
        if dev is not None:
            return [(dev, self, np.ones(len(self.x), dtype=np.bool_))]
        masks = [] if fold is None else [fold == k for k in range(1 + int(fold.max()))]
        return [(self.rows(~mask), self.rows(mask), mask) for mask in masks]

    @property
    def classes(self) -> tuple[FloatArray, FloatArray]:
        return self.client, self.impostor

    @property
    def sizes(self) -> tuple[int, int]:
        client, impostor = (round(math.fsum(np.ravel(weights_of(self, who)))) for who in CLASSES)
        return client, impostor


def systems_of(
    value: Classifiers,
    label: str,
    client_label: object,
    systems: Sequence[str] | None,
    nan_policy: str,
    group: str | tuple[str, str] | None = None,
    *,
    name: str = "frame",
) -> Systems:
    """The classifiers of a frame, a mapping or a sequence of Scores."""
    choice(nan_policy, NAN_POLICIES, "nan_policy")
    if systems is not None and containers.width_of(systems) < 0:
        actual = format_value(systems)
        raise refusal("systems", "be a list of names", actual, kind=InputTypeError)
    if isinstance(value, list | tuple):
        by_name: dict[str, Any] = {}
        for k, scores in enumerate(value, 1):
            name_k = getattr(scores, "name", None) or f"classifier {k}"
            by_name[_new_name(name_k, by_name)] = scores
        _check_few(list(by_name), f"{name} holds")
        value = by_name
    if isinstance(value, Mapping):
        return _of_mapping(value, systems, name)
    return _of_frame(value, label, client_label, systems, nan_policy, group, name)


def _check_few(names: Sequence[str], noun: str) -> None:
    if len(names) < 2:
        had = f"only {format_value(names[0])}" if names else "none"
        do = "One alone has nothing to join: look at br.fit(scores).end_tests()."
        raise InputError(f"an ensemble must have two classifiers at least; {noun} {had}. {do}")


# ------------------------------------------------------------------------ score sets
def _new_name(name: str, used: Mapping[str, Any]) -> str:
    """The name, with a number where it is used already."""
    names = itertools.chain([name], (f"{name} ({k})" for k in itertools.count(2)))
    return next(new for new in names if new not in used)


def _of_mapping(mapping: Mapping[Any, Any], systems: Sequence[str] | None, role: str) -> Systems:
    by_name = {str(key): scores for key, scores in mapping.items()}
    chosen = _chosen(list(by_name) if systems is None else systems, list(by_name), role)
    _check_few(list(chosen), f"{role} gives")
    columns: list[Scores] = []
    for name, source in chosen.items():
        scores = by_name[source]
        if not isinstance(scores, Scores):
            rule = "map names to Scores, or be a frame with a column per classifier"
            actual = f"a {type(scores).__name__} for {format_value(name)}"
            raise refusal(role, rule, actual, "Use Scores.from_labels(y, s).", InputTypeError)
        do = "Keep the trials that every system scored, and leave out the others"
        check_rejected(scores, "a fused score", do)
        check_sense(scores, f"{role}[{format_value(name)}]")
        if columns:
            _same_trials(columns[0], scores, (next(iter(chosen)), name))
        columns.append(scores)
    parts: dict[str, Any] = {}
    for who in CLASSES:
        rows = weights_of(columns[0], who) > 0.0
        parts[who] = frozen(np.column_stack([getattr(scores, who)[rows] for scores in columns]))
        for x in (f"{who}_groups", f"{who}_weights", f"{who}_strata"):
            beside = next((g for s in columns if (g := getattr(s, x)) is not None), None)
            parts[x] = None if beside is None else frozen(beside[rows])
    return Systems(tuple(chosen), **parts, library=tables.first_library(columns))


#: What is said of two systems, of an ensemble, which cannot do without the same trials.
_UNPAIRED = {
    "paired=True": "an ensemble", ", or take paired=False": "", ", or take groups=False": "",
}  # fmt: skip


def _same_trials(first: Scores, other: Scores, names: tuple[str, str]) -> None:
    a, b = (f"classifier {format_value(name)}" for name in names)
    try:
        check_other_trials(first, other, (a, b), groups=True)
    except InputError as error:
        text = with_arguments(error.template, lambda term: _UNPAIRED.get(term, term))
        if a not in text and b not in text:
            text = f"{a} and {b}: " + text
        raise InputError(text) from error


# ----------------------------------------------------------------------------- frames
def _of_frame(
    frame: Any, label: str, client_label: object, systems: Sequence[str] | None, nan_policy: str,
    group: str | tuple[str, str] | None, role: str,
) -> Systems:  # fmt: skip
    opening = opened(frame)
    present = opening.names
    beside = (label,) if group is None else (label, *named_columns(group, "group"))
    if not isinstance(label, str) or not set(beside) <= set(present):
        frame_columns(opening, {"label": label, "group": group})  # says which there are
    if systems is None:
        rest = [name for name in present if name not in beside]
        wanted = [name for name in rest if opening.schema[name].is_numeric()]
        noun = f"as numeric columns beside {format_value(label)} {_table_words(role)} has"
    else:
        wanted, noun = list(systems), "systems names"
    chosen = _chosen(wanted, [name for name in present if name != label], role)
    _check_few(list(chosen), noun)
    for column in chosen.values():
        if not isinstance(column, str):
            actual = f"a column of {role} named {typed(column)}"
            raise refusal("classifiers", "be named by text", actual, "Rename it.", InputTypeError)
    table = opening.selected([*beside, *chosen.values()])
    complete = _complete_rows({name: table[column] for name, column in chosen.items()}, nan_policy)
    full_rows = table if complete.all() else table.filter(complete.tolist())
    result = _of_mapping({
        name: Scores.from_frame(full_rows, score=column, label=label, client_label=client_label,
                                group=group)
        for name, column in chosen.items()
    }, None, role)  # fmt: skip
    if systems is None:
        _check_ids(result, role)
    return replace(result, omitted=int(np.sum(~complete)), library=opening.library)


def _check_ids(systems: Systems, role: str) -> None:
    """Refuse columns of different whole numbers, which are ids."""
    for name, values in zip(systems.names, systems.x.T, strict=True):
        if np.all(values == np.floor(values)) and np.unique(values).size == values.size:
            others = [other for other in systems.names if other != name]
            raise InputError(
                f"column {format_value(name)} of {_table_words(role)} must hold scores; its"
                f" {values.size} values are all different whole numbers, as ids are. Name the"
                f" classifiers, such as {format_list(others)}, or this one too if it is one: "
                + worded("`systems=...`")
            )


def _table_words(role: str) -> str:
    return "the table" if role == "frame" else role


def _chosen(wanted: Sequence[str], present: Sequence[str], role: str) -> dict[str, str]:
    result: dict[str, str] = {}
    for column in wanted:
        if not np.isscalar(column) or column not in present:
            raise InputError.about("systems")(
                f"systems must name classifiers of {role}; {format_value(column)} is none of"
                f" {format_list(present)}. {did_you_mean(column, list(present))}Pass "
                + worded("`systems=...`")
            )
        result[_new_name(str(column), result)] = column
    return result


def _complete_rows(columns: Mapping[str, Any], nan_policy: str) -> BoolArray:
    """Rows in which every classifier has a score; others may be refused."""
    import pandas as pd

    missing = {name: pd.isna(series.to_numpy()) for name, series in columns.items()}
    complete = np.asarray(~np.any(list(missing.values()), axis=0))
    if nan_policy == "raise" and not np.all(complete):
        lacking = [
            f"classifier {format_value(name)} lacks {int(np.sum(gone))} of {gone.size}, first in"
            f" rows {format_list(np.flatnonzero(gone).tolist())}"
            for name, gone in missing.items() if np.any(gone)
        ]  # fmt: skip
        raise InputError(
            f"every classifier must have a score in every row; {'; '.join(lacking)} (rows counted"
            " from 0). Complete them, leave the classifier out, or pass "
            + worded('`nan_policy="omit"`')
            + f" to judge the {int(np.sum(complete))} rows that all have."
        )
    return complete


# ------------------------------------------------------------- classifiers that add nothing
def check_constant(systems: Systems, role: str = "frame") -> None:
    """One score for all trials is no classifier."""
    where = "" if role == "frame" else f" of {role}"
    for name, scores in zip(systems.names, systems.x.T, strict=True):
        if np.all(scores == scores[0]):
            raise errors.DegenerateDataError(
                f"classifier {format_value(name)} must have different scores; all"
                f" {scores.size}{where} are {float(scores[0])!r}. It decides nothing: leave it out."
            )


def warn_of_same_trials(systems: Systems, dev: Systems) -> None:
    """Warn of dev and trials that are the same scores."""
    ordered = ([x[np.lexsort(x.T)] for x in side.classes] for side in (systems, dev))
    if all(map(np.array_equal, *ordered)):
        notices.warn(
            "dev and the frame are the same scores: thresholds of the fused scores are judged where"
            " they were chosen, which is too good. Give separate scores, or leave dev out for"
            " cross-validation.",
            errors.SameDataWarning,
        )


def duplicates_of(systems: Systems) -> tuple[tuple[str, str], ...]:
    """Pairs of classifiers that order all trials alike; it warns of each."""
    from scipy.stats import rankdata

    ranks, result = rankdata(systems.x, axis=0), list[tuple[str, str]]()
    for j, second in enumerate(systems.names):
        i = next((i for i in range(j) if np.array_equal(ranks[:, i], ranks[:, j])), j)
        if i < j:
            result.append((systems.names[i], second))
            equal = np.array_equal(systems.x[:, i], systems.x[:, j])
            words = "have equal scores" if equal else "put the trials in one order (correlation 1)"
            notices.warn(
                f"classifiers {' and '.join(map(format_value, result[-1]))} {words}: to an ensemble"
                " they are one, which then counts twice. Leave one of them out.",
                errors.DuplicateWarning,
            )
    return tuple(result)
