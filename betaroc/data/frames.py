"""Columns of any frame that Narwhals reads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.names import names_array, stacked
from betaroc.core.sentences import Term
from betaroc.core.tables import Library, library_of
from betaroc.core.text import listed, nearest, shown
from betaroc.data.partitions import dask_frame, dask_schema


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


def frame_columns(frame: OpenedFrame, wanted: dict[str, str | tuple[str, str]]) -> dict[str, Any]:
    """The wanted columns, eager, with no missing value; two names give an array of two columns."""
    present = frame.names
    columns = {role: named_columns(given, role) for role, given in wanted.items()}
    for role, column in ((r, c) for r, names in columns.items() for c in names):
        if column not in present:
            raise InputError.about(role)(
                Term(f"{role}={shown(column)}")
                + f" must name a column of the frame; there are {listed(present)}."
                f" {nearest(column, [str(p) for p in present])}Pass " + Term(f"{role}=...")
            )
    table = frame.selected([c for names in columns.values() for c in names])
    return {role: _joined(table, names) for role, names in columns.items()}


def named_columns(given: Any, role: str) -> tuple[str, ...]:
    """The names of one column, or of two different ones given as a tuple."""
    names = given if isinstance(given, tuple) else (given,)
    if not all(isinstance(name, str) for name in names):
        raise InputTypeError.about(role)(
            f"{role} must be the name of a column, or a tuple of two; got {shown(given)} of type"
            f" {type(given).__name__}. Pass text, such as ('claimed', 'real')."
        )
    if len(names) != len(set(names)) or not 1 <= len(names) <= (1 if role in _SINGLE else 2):
        raise InputError.about(role)(
            f"{role} must name one column"
            + ("" if role in _SINGLE else " or two different ones")
            + f"; got {shown(given)}. Name each column once."
        )
    return names


#: Roles of a single column.
_SINGLE = frozenset({"score", "label", "weight"})


def _joined(table: Any, names: tuple[str, ...]) -> Any:
    parts = [_column(table[name], name) for name in names]
    if len(parts) == 1:
        return parts[0]
    called = [f"column {shown(name)}" for name in names]
    checked = [names_array(p, len(p), c) for p, c in zip(parts, called, strict=True)]
    return stacked(checked, f"group or id {shown(names)}")


def _column(series: Any, column: str) -> Any:
    gone = np.flatnonzero(np.asarray(series.is_null().to_numpy(), dtype=bool))
    if gone.size:
        raise InputError(
            f"column {shown(column)} must have no missing value; got {gone.size} of {len(series)}"
            f" missing, first in rows {listed(gone.tolist())} (counted from 0)."
            " Drop these rows first."
        )
    return series.to_numpy()
