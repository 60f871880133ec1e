"""Tables of results as data frames."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, cast, get_args

import numpy as np

from betaroc.core import arrays, checks, containers, errors
from betaroc.core.value import Result

#: Libraries of frames in memory.
Library: TypeAlias = Literal["pandas", "polars", "pyarrow"]
#: A frame of one of them.
Table: TypeAlias = Any
_T = TypeVar("_T", bound="Tabular")


@dataclass(frozen=True, eq=False, repr=False)
class Tabular(Result):
    """A value that knows the library of its tables; None is pandas."""

    _extra_fields: ClassVar[tuple[str, ...]] = ("library",)
    library: Library | None = field(default=None, kw_only=True, compare=False, repr=False)

    def _table(self, columns: Mapping[str, Any]) -> Table:
        return table_of(columns, self.library)


@dataclass(frozen=True, eq=False, repr=False)
class Framed(Tabular):
    """A result whose fields are the columns of a table."""

    def to_frame(self) -> Table:
        """A row with the fields, or a row for each entry of those that are arrays.

        Returns
        -------
        DataFrame
            Of the library of the data, without what holds several values, such as a model.

        Examples
        --------
        >>> import betaroc as br
        >>> interval = br.auc_interval(br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5]))
        >>> interval.to_frame()["estimate"].tolist()
        [0.8125]
        """
        result = {f.name: getattr(self, f.name) for f in fields(self) if f.compare}
        flat = {k: v for k, v in result.items() if v is None or isinstance(v, _CELLS)}
        size = max((v.size for v in flat.values() if isinstance(v, np.ndarray)), default=1)
        return self._table({k: cells(v, size) for k, v in flat.items()})


def cells(value: Any, size: int) -> Any:
    """A value as a column of that size."""
    if isinstance(value, str):
        return [str(value)] * size
    return np.broadcast_to(np.ravel(math.nan if value is None else value), size)


def in_library(result: _T, value: object) -> _T:
    """A result whose tables are of the library of the data."""
    return replace(result, library=getattr(value, "library", None))


def first_library(value: Iterable[Tabular | None]) -> Library | None:
    """That of the first who has one."""
    return next((item.library for item in value if item is not None and item.library), None)


def library_of(values: object) -> Library | None:
    """The library of a frame or a column; else None."""
    held = containers.as_narwhals(values)
    name = "" if held is None else held.implementation.name.lower()
    return cast(Library, name) if name in get_args(Library) else None


def checked_library(library: str | None) -> Library | None:
    """What was asked for, or None."""
    if library is None:
        return None
    return cast(Library, checks.choice(library, get_args(Library), "library"))


def columns_from_rows(
    rows: Iterable[Sequence[Any]], names: Sequence[str], texts: Collection[str]
) -> dict[str, arrays.AnyArray]:
    """Rows as columns of texts or floats, also without rows."""
    cells = list(zip(*rows, strict=True)) or [()] * len(names)
    return {
        name: np.array(column, dtype=object if name in texts else np.float64)
        for name, column in zip(names, cells, strict=True)
    }


def listed_columns(table: Table) -> dict[str, list[Any]]:
    """The columns of a frame as lists."""
    import narwhals as nw

    frame = nw.from_native(table, eager_only=True)
    return {name: frame[name].to_list() for name in frame.columns}


def table_of(
    columns: Mapping[str, Any],
    library: Library | None = None,
    nested: Mapping[str, int] | None = None,
) -> Table:
    """Columns as a frame of a library."""
    # Of several types it is text but in pandas; `nested` columns of tuples are lists to that depth.
    import narwhals as nw

    library, nested = checked_library(library) or "pandas", nested or {}
    plain = {
        name: list(values) if name in nested else _column(values, library)
        for name, values in columns.items()
    }
    try:
        table = nw.from_dict(plain, backend=library)
    except ImportError as error:  # the data was read elsewhere
        raise errors.MissingDependencyError(
            f"tables of data that came in {library} need it, and it is not installed. Install it:"
            f' pip install {library}, or take dataclasses.replace(result, library="pandas")'
        ) from error
    # What is empty has no type of its own.
    if not len(table):
        texts = [name for name, values in plain.items() if isinstance(values, list)]
        table = table.with_columns(nw.col(name).cast(nw.String) for name in texts)
    elif library != "pandas":
        for name, depth in nested.items():
            kind: Any = nw.Float64
            for _ in range(depth):
                kind = nw.List(kind)
            table = table.with_columns(nw.col(name).cast(kind))
    return table.to_native()


def _column(values: Any, library: str) -> arrays.AnyArray | list[Any]:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in _KINDS:
        result = values.tolist() if isinstance(values, np.ndarray) else list(values)
        kinds = set(map(type, result)) - {type(None)}
        if not kinds or not all(issubclass(kind, _NUMBERS) for kind in kinds):
            if len(kinds) > 1 and library != "pandas":
                return [None if value is None else str(value) for value in result]
            return result
        values = np.array([math.nan if value is None else value for value in result])
    return np.asarray(values.astype(_KINDS[values.dtype.kind], copy=False))


#: Numbers of Python and numpy, and what kinds of arrays of them become.
_NUMBERS = (bool, int, float, np.bool_, np.number)
#: What a cell, or a column of them, may be.
_CELLS = (str, *_NUMBERS, np.ndarray)
_KINDS: dict[str, type] = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}
