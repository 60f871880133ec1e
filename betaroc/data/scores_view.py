"""Scores as a tree: where they come from, how many of each class, their range and ties."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from betaroc.core.arrays import CLASSES
from betaroc.core.class_words import shared_words
from betaroc.rendering.numbers import extreme, number, read_as, spaced
from betaroc.rendering.tree import Grid, Name, Node, Row, RowCells, Words, foreign

if TYPE_CHECKING:
    from betaroc.data.scores import ScoreData

#: What a row says of a class.
CLASS_HEAD = ("class", "scores", "distinct", "lowest", "highest", "exactly 0", "exactly 1")


def read_words(data: ScoreData) -> str:
    """The format that was read, and how many trials; how many more were left out."""
    rows = data.n_client + data.n_impostor + data.n_client_rejected + data.n_impostor_rejected
    source, told = data.source, f"{rows} rows"
    if source is None:
        return f"not from a file; {told}"
    told += f", {source.n_dropped} more left out" * bool(source.n_dropped)
    return f"{read_as(source.format, source.guessed, source.guesses)}; {told}"


def read_rows(data: ScoreData, file: Name) -> list[RowCells]:
    """The file; of each class the numbers of scores, distinct ones, the range, those at 0 and 1."""
    rows: list[RowCells] = [(file, read_words(data))]
    for who in CLASSES:
        n, weight, absent = (
            getattr(data, name) for name in (f"n_{who}", f"{who}_total", f"n_{who}_rejected")
        )
        count = spaced(n) + f" (weight {number(weight - absent)})" * (weight - absent != n)
        count += f" and {absent} without" * bool(absent)
        distinct = data._n_distinct(who)
        low, high = map(extreme, data._extremes(who))
        exact = (str(data._exactly(who, place)) for place in (0.0, 1.0))
        rows.append((who, count, "–" if distinct is None else spaced(distinct), low, high, *exact))
    return rows


def scores_view(data: ScoreData) -> list[Node]:
    """The numbers of scores, what was read, and a row per class."""
    words, source, name = shared_words([data.words]), data.source, foreign(data.name or "")
    sizes = {"client": data.n_client, "impostor": data.n_impostor}
    told = " and ".join(words.counted(who, n, spaced(n)) for who, n in sizes.items())
    file = name if source is None else foreign(Path(source.path).name)
    rows = tuple(Row((getattr(words, str(who), who), *rest))
                 for who, *rest in read_rows(data, file))  # fmt: skip
    return [Words(f"{name.short}: " * bool(name.short) + told, "answer"), Grid(CLASS_HEAD, rows)]
