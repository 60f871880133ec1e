"""Columns of any frame that Narwhals reads."""

from __future__ import annotations

from typing import Any

import numpy as np

from betaroc._words import listed, nearest, shown
from betaroc.errors import InputError, InputTypeError


def frame_columns(frame: Any, wanted: dict[str, str]) -> dict[str, Any]:
    """The wanted columns, eager, with no missing value."""
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    try:
        table: Any = nw.from_native(frame)
        present = list(table.collect_schema().names())
    except NarwhalsError as error:
        raise InputError(
            f"frame must have readable, distinct columns; {type(error).__name__}:"
            f" {shown(str(error), 160)}. Rename the columns first."
        ) from error
    except TypeError as error:
        raise InputTypeError(
            "frame must be a frame that Narwhals reads (pandas, Polars, pyarrow, DuckDB, Dask);"
            f" got {shown(frame)} of type {type(frame).__name__}. Use Scores.from_labels(y, s)."
        ) from error
    for role, column in wanted.items():
        if column not in present:
            raise InputError(
                f"{role}={shown(column)} must name a column of the frame; there are"
                f" {listed(present)}. {nearest(column, [str(p) for p in present])}Pass"
                f" {role}=..."
            )
    table = table.select(list(dict.fromkeys(wanted.values())))
    if isinstance(table, nw.LazyFrame):
        table = table.collect()
    return {role: _column(table[column], column) for role, column in wanted.items()}


def _column(series: Any, column: str) -> Any:
    gone = np.flatnonzero(np.asarray(series.is_null().to_numpy(), dtype=bool))
    if gone.size:
        raise InputError(
            f"column {shown(column)} must have no missing value; got {gone.size} of {len(series)}"
            f" missing, first in rows {listed(gone.tolist())} (counted from 0)."
            " Drop these rows first."
        )
    return series.to_numpy()
