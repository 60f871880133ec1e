"""Columns of frames that Narwhals reads: collected, or checked where they are not in memory."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial, reduce
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.checks import LARGEST_EXACT
from betaroc.core.errors import InputError, InputTypeError, PrecisionWarning
from betaroc.core.names import names_array, stacked
from betaroc.core.notices import warn
from betaroc.core.sentences import Term
from betaroc.core.tables import Library, library_of
from betaroc.core.text import listed, nearest, shown
from betaroc.data.engines import Source, arrays_of, dask_frame, dask_schema, is_lazy
from betaroc.data.sums import is_missing


class OpenedFrame(NamedTuple):
    """A frame whose columns are not read yet: their types, its library, and how to read some."""

    schema: Any
    library: Library
    read: Callable[[list[str]], Any]

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.schema.names())

    def selected(self, columns: list[str]) -> Any:
        """These columns alone, in memory, as Narwhals holds them."""
        return self.read(list(dict.fromkeys(columns)))


def opened(frame: Any) -> OpenedFrame:
    """Any frame that Narwhals reads, or that Dask holds."""
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    try:
        partitioned = dask_frame(frame)
        if partitioned is not None:
            return OpenedFrame(dask_schema(partitioned), "pandas", partial(_computed, partitioned))
        table: Any = nw.from_native(frame)
        schema = table.collect_schema()
    except NarwhalsError as error:
        raise InputError.about("frame")(
            f"frame must have readable, distinct columns; {type(error).__name__}:"
            f" {shown(str(error), 160)}. Rename the columns first."
        ) from error
    except TypeError as error:
        raise InputTypeError.about("frame")(
            "frame must be a frame that Narwhals reads (pandas, Polars, pyarrow, DuckDB, Dask);"
            f" got {shown(frame)} of type {type(frame).__name__}. Use Scores.from_labels(y, s)."
        ) from error
    return OpenedFrame(schema, library_of(table) or "pandas", partial(_collected, table))


def _computed(frame: Any, columns: list[str]) -> Any:
    import narwhals as nw

    return nw.from_native(frame[columns].compute(), eager_only=True)


def _collected(table: Any, columns: list[str]) -> Any:
    import narwhals as nw

    table = table.select(columns)
    return table.collect() if isinstance(table, nw.LazyFrame) else table


def frame_columns(
    frame: OpenedFrame, wanted: Mapping[str, str | tuple[str, str] | None], gaps: str | None = None
) -> dict[str, Any]:
    """The wanted columns, eager; two names give an array of two columns.

    No value is missing, but in the column of the role that may have gaps, where they are nan. What
    is None is left out, but for score and label, which nothing can do without.
    """
    present = frame.names
    columns = {
        role: named_columns(given, role)
        for role, given in wanted.items()
        if given is not None or role in ("score", "label")
    }
    for role, column in ((r, c) for r, names in columns.items() for c in names):
        if column not in present:
            raise InputError.about(role)(
                Term(f"{role}={shown(column)}")
                + f" must name a column of the frame; there are {listed(present)}."
                f" {nearest(column, [str(p) for p in present])}Pass " + Term(f"{role}=...")
            )
    table = frame.selected([c for names in columns.values() for c in names])
    read = {}
    for role, names in columns.items():
        parts = [table[name].to_numpy() for name in names]
        for name in names if role != gaps else ():
            refuse_nulls(table[name], name)
        if len(parts) > 1:
            named = zip(parts, names, strict=True)
            parts = [names_array(part, len(part), f"column {shown(c)}") for part, c in named]
        read[role] = parts[0] if len(parts) == 1 else stacked(parts, f"group or id {shown(names)}")
    return read


def named_columns(given: Any, role: str, *, single: bool | None = None) -> tuple[str, ...]:
    """The names of one column, or of two different ones given as a tuple where there may be."""
    single = role in _SINGLE if single is None else single
    names = given if isinstance(given, tuple) else (given,)
    if not all(isinstance(name, str) for name in names):
        raise InputTypeError.about(role)(
            f"{role} must be the name of a column, or a tuple of two; got {shown(given)} of type"
            f" {type(given).__name__}. Pass text, such as ('claimed', 'real'); of columns that are"
            " named by numbers rename them first: frame.rename(columns=str)."
        )
    if len(names) != len(set(names)) or not 1 <= len(names) <= 2 - single:
        raise InputError.about(role)(
            f"{role} must name one column"
            + ("" if single else " or two different ones")
            + f"; got {shown(given)}. Name each column once."
        )
    return names


#: Roles of a single column.
_SINGLE = frozenset({"score", "label", "weight"})


def refuse_nulls(series: Any, name: str, rows: AnyArray | None = None) -> None:
    """Raise where a column has no value, in the rows in use."""
    gone = np.asarray(series.is_null().to_numpy(), dtype=bool)
    used = np.ones(gone.size, dtype=bool) if rows is None else rows
    places = np.flatnonzero(gone & used)
    if places.size:
        raise InputError(
            f"column {shown(name)} must have no missing value; got {places.size} of"
            f" {int(used.sum())} missing, first in rows {listed(places.tolist())} (counted from"
            " 0). Drop these rows first."
        )


# ------------------------------------------------------------- columns that are not in memory
#: What reads as a number, in the regular expressions of every engine.
_NUMBER = r"^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$"
#: Integers that may be beyond 2**53.
_LONG = {"Int64", "UInt64", "Int128", "UInt128"}


def checked_schema(source: Source, score: str, label: str, **more: str) -> None:
    """Refuse missing columns and scores that are not numbers; warn of float16."""
    present = list(source.schema.names())
    for role, column in {"score": score, "label": label, **more}.items():
        if column not in present:
            raise InputError.about(role)(
                source.name + Term(f"{role}={shown(column)}") + f" must name a column; there are"
                f" {listed(present)}. {nearest(column, present)}Pass " + Term(f"{role}=...")
            )
    kind = source.schema[score]
    if not kind.is_numeric():
        refuse_text(source, score)
        raise InputTypeError(
            f"{source.name}column {shown(score)} must be numeric; its type is {kind}. Convert it to"
            " float64 first."
        )
    if str(kind) == "Float16":
        warn(
            f"column {shown(score)}: float16 scores have 11 significant bits; ties are of the"
            " format's making. Store scores as float32 or float64.",
            PrecisionWarning,
        )


def refuse_text(source: Source, score: str) -> None:
    """Raise where scores are text or other objects, counted on the engine."""
    kind = str(source.schema[score])
    parts = source.each([score], partial(_unreadable, score=score), _both)
    n, bad, first = reduce(_both, parts, _NO_ROWS)
    if not bad and kind not in {*_TEXTS, "Object"}:
        return
    said = (
        f"{bad} of {n} values are no numbers, such as {listed(first, 3)}"
        if bad
        else (f"all {n} values read as numbers")
    )
    raise InputTypeError(
        f"{source.name}column {shown(score)} must be numeric; its type is {kind}, and {said}."
        f" {'Correct these rows and convert' if bad else 'Convert'} the column to float64 first."
    )


#: Rows, the wrong ones among them, and the first few of these.
_Wrong = tuple[int, int, list[Any]]
_NO_ROWS: _Wrong = 0, 0, []
_FEW = 3
#: Types of text.
_TEXTS = {"String", "Categorical", "Enum"}


def _both(one: _Wrong, other: _Wrong) -> _Wrong:
    return one[0] + other[0], one[1] + other[1], [*one[2], *other[2]][:_FEW]


def _unreadable(piece: Any, score: str) -> _Wrong:
    """By the type of the piece: a part may be of another than the whole says it is."""
    text = str(piece.collect_schema()[score]) in _TEXTS
    return _texts(piece, score) if text else _objects(piece, score)


def _texts(piece: Any, score: str) -> _Wrong:
    """Rows, values that do not read as numbers, and the first of them."""
    import narwhals as nw

    rows = piece.select(nw.col(score).cast(nw.String).alias("s"))
    reads = nw.col("s").str.contains(_NUMBER)
    wrong = rows.filter(~reads & ~nw.col("s").is_null())
    bad = _height(wrong)
    return _height(rows), bad, arrays_of(wrong.head(_FEW))["s"].tolist() if bad else []


def _height(rows: Any) -> int:
    import narwhals as nw

    return int(arrays_of(rows.select(nw.len().alias("n")))["n"][0])


def _objects(piece: Any, score: str) -> _Wrong:
    """Rows, values that neither are nor read as numbers nor are missing, and the first of them."""
    if is_lazy(piece):
        return 0, 0, []
    values = piece[score].to_list()
    numbers = re.compile(_NUMBER)
    strange = [
        v for v in values
        if not (numbers.match(v) if isinstance(v, str) else is_missing(v) or isinstance(v, Number))
    ]  # fmt: skip
    return len(values), len(strange), strange[:_FEW]


def refuse_lost_integers(
    source: Source, score: str, low: float = -math.inf, high: float = math.inf
) -> None:
    """Raise where integers are beyond 2**53, counted if the extremes as doubles reach there."""
    import narwhals as nw

    kind = source.schema[score]
    if str(kind) not in _LONG or (-LARGEST_EXACT < low and high < LARGEST_EXACT):
        return
    lost = nw.col(score) > nw.lit(LARGEST_EXACT, kind)
    if kind.is_signed_integer():
        lost = lost | (nw.col(score) < nw.lit(-LARGEST_EXACT, kind))
    work = partial(_filtered, score=score, lost=lost)
    n, bad, first = reduce(_both, source.each([score], work, _both), _NO_ROWS)
    if bad:
        raise InputError(
            f"{source.name}column {shown(score)} must keep its identity as float64; {bad} of {n}"
            f" integers are beyond 2**53, such as {shown(first[0])}, and would be rounded. Subtract"
            " a constant or rank them first."
        )


def _filtered(piece: Any, score: str, lost: Any) -> _Wrong:
    wrong = piece.filter(lost)
    bad = _height(wrong)
    return _height(piece), bad, arrays_of(wrong.head(1))[score].tolist() if bad else []


def refuse_many_labels(source: Source, label: str) -> None:
    """Raise with the labels of most rows, counted on the engine."""
    nothing: _Tally = {}, False
    counted = source.each([label], partial(_counted_labels, label=label), _both_tallies)
    tally, more = reduce(_both_tallies, counted, nothing)
    parts = ", ".join(f"{shown(value, 24)} (count {n})" for value, n in list(tally.items())[:4])
    raise InputError(
        f"{source.name}column {shown(label)} must hold two labels; got"
        f" {'more than ' if more else ''}{len(tally)}: {parts} and others. Did you swap score and"
        " label?"
    )


#: Rows of the labels that most have, and whether there are more labels.
_Tally = tuple[dict[Any, int], bool]
_MOST = 1000


def _counted_labels(piece: Any, label: str) -> _Tally:
    import narwhals as nw

    rows = piece.select(nw.col(label).alias("label"))
    counts = rows.group_by("label").agg(nw.len().alias("n"))
    part = arrays_of(counts.sort("n", "label", descending=[True, False]).head(_MOST))
    tally = dict(zip(part["label"].tolist(), part["n"].tolist(), strict=True))
    return tally, len(tally) == _MOST


def _both_tallies(one: _Tally, other: _Tally) -> _Tally:
    labels = dict.fromkeys([*one[0], *other[0]])
    both = {k: one[0].get(k, 0) + other[0].get(k, 0) for k in labels}
    most = sorted(both.items(), key=lambda item: -item[1])[:_MOST]
    return dict(most), one[1] or other[1] or len(both) > _MOST
