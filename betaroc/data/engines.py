"""Sources of rows in pieces, what is collected of them, errors of engines as ours."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from betaroc.core.errors import BetarocError, EngineError, FileFormatError, InputError
from betaroc.core.tables import Library
from betaroc.core.text import shown

_T = TypeVar("_T")
#: What two parts of the rows found, as one.
Merge = Callable[[_T, _T], _T]

#: Names of the errors that say that a worker or the way to it is gone, of Dask and Spark.
_LOST = {
    "KilledWorker", "CommClosedError", "CommError", "TimeoutError", "CancelledError",
    "FutureCancelledError", "Py4JNetworkError", "ConnectionRefusedError",
    "SparkConnectGrpcException",
}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """Rows that are read in pieces, as often as wanted.

    `pieces` gives Narwhals frames of some columns, lazy ones on their own engine; `error` makes
    an error of the engine one of ours; `name` is the file's, with a colon; `rows` is how many
    there are, where that is known without reading them; `library` is that of a frame.
    """

    schema: Any
    pieces: Callable[[list[str]], Iterator[Any]]
    error: Callable[[Exception], Exception]
    name: str = ""
    rows: int | None = None
    library: Library | None = None

    def each(self, columns: list[str], work: Callable[[Any], _T], merge: Merge[_T]) -> Iterator[_T]:
        """What `work` finds in each piece; of a cluster what its workers merged already."""
        del merge  # one piece after the other: the caller does
        return map(work, self.pieces(columns))


def is_lazy(frame: Any) -> bool:
    """Whether a Narwhals frame is computed elsewhere."""
    import narwhals as nw

    return isinstance(frame, nw.LazyFrame)


def arrays_of(frame: Any) -> dict[str, Any]:
    """The columns of a Narwhals frame of few rows, as arrays; Polars streams."""
    name = frame.implementation.name.lower() if is_lazy(frame) else ""
    if name == "duckdb":  # needs neither pyarrow nor pandas
        columns: dict[str, Any] = dict(frame.to_native().fetchnumpy())
        for k, values in columns.items():
            if np.ma.isMaskedArray(values):  # numpy joins these without their masks
                columns[k] = values.data
                if np.any(values.mask):
                    columns[k] = values.data.astype(object)
                    columns[k][values.mask] = None
        return columns
    if name == "polars":
        import narwhals as nw

        frame = nw.from_native(frame.to_native().collect(engine="streaming"))
    elif name:
        frame = frame.collect()
    return {column: frame[column].to_numpy() for column in frame.columns}


@contextmanager
def as_ours(named: Callable[[Exception], Exception]) -> Iterator[None]:
    """Errors of an engine as ours; squares may overflow.

    That memory was refused, and what the user stops, stays what it is.
    """
    try:
        with np.errstate(over="ignore"):
            yield
    except (BetarocError, MemoryError):
        raise
    except Exception as error:  # engines raise whatever they like; it is chained
        refused = (
            type(error).__name__ == "OutOfMemoryException"
            or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
            or "Cannot allocate memory" in str(error)
        )
        raise (MemoryError(str(error)) if refused else named(error)) from error


def frame_error(score: str, label: str, error: Exception) -> BetarocError:
    """What became of the engine of a frame."""
    kind, text = type(error).__name__, shown(str(error), 200)
    if kind in _LOST or isinstance(error, ConnectionError):
        return EngineError(
            f"the frame's engine must keep its workers; {kind}: {text}. Nothing was written and no"
            " row is lost: look for what ends the workers (memory, most often), then call again."
        )
    return InputError(
        f"the frame's engine must be able to group column {shown(score)} by column {shown(label)};"
        f" {kind}: {text}. Correct the frame's own steps or these columns."
    )


def file_error(name: str, error: Exception) -> BetarocError:
    """What is wrong with a Parquet file."""
    return FileFormatError(
        f"{name} must be intact Parquet; {type(error).__name__}: {shown(str(error), 140)}. Copy or"
        " export it again."
    )


# ------------------- frames of Dask, each partition a pandas frame on its worker
#: Rows of memory at a time.
SLICE = 1 << 20
#: Partitions whose findings a worker merges.
_TOGETHER = 8


@dataclass(frozen=True)
class PartitionedSource(Source):
    """Rows of a Dask frame; its `pieces` are partitions that are not computed yet."""

    def each(self, columns: list[str], work: Callable[[Any], _T], merge: Merge[_T]) -> Iterator[_T]:
        """What `work` finds in all partitions, merged by eights and in one order always."""
        from dask.base import compute
        from dask.delayed import delayed

        parts = [delayed(_found)(part, work, merge) for part in self.pieces(columns)]
        while len(parts) > 1:
            groups = [parts[k : k + _TOGETHER] for k in range(0, len(parts), _TOGETHER)]
            parts = [delayed(reduce)(merge, group) for group in groups]
        yield from compute(*parts)  # type: ignore[no-untyped-call]


def _found(rows: Any, work: Callable[[Any], _T], merge: Merge[_T]) -> _T:
    """What is found in a pandas frame; a thread of the engine has numpy's errors as by default."""
    import narwhals as nw

    starts = range(0, max(len(rows), 1), SLICE)  # a slice even of no rows
    pieces = (nw.from_native(rows.iloc[k : k + SLICE], eager_only=True) for k in starts)
    with np.errstate(over="ignore"):
        return reduce(merge, map(work, pieces))


def dask_frame(frame: Any) -> Any:
    """The Dask frame that this is, or that Narwhals holds as this; None of any other object."""
    import narwhals as nw
    from narwhals.dependencies import is_dask_dataframe

    native = nw.to_native(frame, pass_through=True)
    return native if is_dask_dataframe(native) else None


def dask_schema(frame: Any) -> Any:
    """The types of the columns of a Dask frame, those of Narwhals."""
    import narwhals as nw

    return nw.from_native(frame._meta, eager_only=True).schema


def partitions_of(frame: Any, columns: list[str]) -> Iterator[Any]:
    """Some columns of each partition, not computed yet."""
    yield from frame[columns].to_delayed()
