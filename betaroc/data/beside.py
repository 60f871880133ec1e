"""What stands beside scores: source, weights, groups, ids, name, how many trials have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray
from betaroc.core.checks import count, weights_array
from betaroc.core.class_words import ClassWords, words_of
from betaroc.core.containers import array_1d
from betaroc.core.errors import BetarocWarning, InputError, InputTypeError
from betaroc.core.names import name_columns
from betaroc.core.notices import warn
from betaroc.core.sentences import worded
from betaroc.core.text import shown
from betaroc.core.value import Value, travelling
from betaroc.data.rows import REJECT

#: The column of a frame that holds each.
COLUMN_OF = {
    "label": "label", "score": "score", "weights": "weight", "groups": "group", "ids": "id",
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSource(Value):
    """Where scores were read from.

    Parameters
    ----------
    path : str
        The path as it was given; in documents the file's name, with the folders that tell it from
        others there.
    format : str
        The format that the content showed, such as ``"csv"`` or ``"4col, gzip"``.
    order : str, optional
        A digest of the order in which clients and impostors come, and of which trials have no
        score where some have none; no part of equality.
    guessed : str, optional
        The label that was taken for the client's because its word leaves no doubt; None where
        the call named it or labels are 1 and 0; no part of equality.
    guesses : tuple of str, optional
        What else was taken from the content where it fits one reading only, each as the option
        that says the same, such as ``"separator=semicolon"``; no part of equality.
    further : tuple of str, optional
        Other files that were read with it: that of the impostors, or the key.
    n_dropped : int, optional
        Trials without a score that were left out.
    """

    path: str
    format: str
    _travels = travelling("order", "guessed", "guesses", "further", "n_dropped")
    _files = ("path", "further")
    order: str | None = field(default=None, compare=False, repr=False)
    guessed: str | None = field(default=None, compare=False, repr=False)
    guesses: tuple[str, ...] = field(default=(), compare=False, repr=False)
    further: tuple[str, ...] = field(default=(), compare=False, repr=False)
    n_dropped: int = field(default=0, compare=False, repr=False)

    @property
    def files(self) -> tuple[str, ...]:
        """Every path."""
        return self.path, *self.further

    def named(self, names: Mapping[str, str]) -> ScoreSource:
        """The same, with names instead of paths."""
        path, *further = (names[one] for one in self.files)
        return replace(self, path=path, further=tuple(further))


def checked_beside(given: Mapping[str, Any], sizes: Mapping[str, int]) -> dict[str, Any]:
    """Weights, groups and ids of each class, checked."""
    found = {}
    for key, check in (("weights", weights_array), ("groups", name_columns), ("ids", name_columns)):
        for who, n in sizes.items():
            name = f"{who}_{key}"
            values = given.get(name)
            found[name] = None if values is None else check(values, n, name)
    return found


def checked_name(name: object) -> str | None:
    """Text, or none."""
    if name is not None and not isinstance(name, str):
        raise InputTypeError.about("name")(
            f"name must be text or None; got {shown(name)} of type {type(name).__name__}."
            " Weights, groups and ids are keywords."
        )
    return name


def words_of_labels(labels: npt.ArrayLike, client: BoolArray) -> ClassWords | None:
    """Of checked labels the words of both classes."""
    array = array_1d(labels, "labels")
    return words_of(*(array[int(np.argmax(own))] for own in (client, ~client)))


def rejected_counts(given: Mapping[str, Any], beside: Mapping[str, Any]) -> dict[str, int]:
    """The trials of each class without a score, checked: they have no group."""
    found = {}
    for who in CLASSES:
        name = f"n_{who}_rejected"
        found[name] = count(given.get(name, 0), name, 0)
        grouped = any(beside.get(f"{one}_groups") is not None for one in CLASSES)
        if found[name] and grouped:
            raise InputError.about(name)(
                f"{name} must be 0 where there are groups: nobody knows those of the"
                f" {found[name]} trials without a score. Leave the groups out"
                + worded(", or the trials (`missing='drop'`).")
            )
    return found


def lengthened(column: AnyArray | None, n: int, fill: Any) -> AnyArray | None:
    """A column with an entry for each trial without a score."""
    if column is None or not n:
        return column
    return np.concatenate([column, np.full((n, *column.shape[1:]), fill)])


def refuse_weights_of_absent(weights: FloatArray, missing: str) -> None:
    """Trials without a score are counted, each once."""
    other = np.flatnonzero(weights != 1.0)
    if missing == REJECT and other.size:
        raise InputError.about("missing")(
            f"weights of trials without a score must be 1, of which {other.size} of {weights.size}"
            f" are not (first {float(weights[other[0]])!r}). Repeat these rows, or leave them out"
            + worded(" (`missing='drop'`).")
        )


def total_weight(scores: FloatArray, weights: FloatArray | None) -> float:
    """Sum of the weights, the number of scores without."""
    return float(scores.size) if weights is None else float(np.sum(weights))


def span_words(who: str, scores: FloatArray, absent: int) -> str:
    """How many scores of a class there are, and where they lie."""
    without = f" and {absent} without a score" if absent else ""
    return f"{scores.size} {who} in [{scores.min():.6g}, {scores.max():.6g}]{without}"


def _absent(data: object) -> int:
    """Trials without a score, of both classes; a summary has none."""
    return sum(getattr(data, f"n_{who}_rejected", 0) for who in CLASSES)


def tell_of_scored(data: object, what: str) -> None:
    """Of what is of scores alone where some trials have none."""
    absent = _absent(data)
    if absent:
        warn(
            f"{what} is of the trials that have a score; {absent} here have none and count as"
            " rejected in rates only.",
            BetarocWarning,
        )


def refuse_rejected(data: object, what: str, do: str = "Leave them out") -> None:
    """Trials without a score, for what cannot count them as rejected."""
    absent = _absent(data)
    if absent:
        raise InputError(
            f"{what} is of trials that have a score; {absent} here have none and count as rejected,"
            " which it cannot do." + worded(f" {do} (`missing='drop'`).")
        )
