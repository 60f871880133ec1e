"""Frames of Dask, without a layer between: each partition is a pandas frame on its worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from betaroc.data.engines import Merge, Source

__all__ = ["SLICE", "PartitionedSource", "dask_frame", "dask_schema", "partitions_of"]

_T = TypeVar("_T")
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
            parts = [delayed(_merged)(group, merge) for group in groups]
        yield from compute(*parts)  # type: ignore[no-untyped-call]


def _found(rows: Any, work: Callable[[Any], _T], merge: Merge[_T]) -> _T:
    """What is found in a pandas frame; a thread of the engine has numpy's errors as by default."""
    import narwhals as nw

    starts = range(0, max(len(rows), 1), SLICE)  # a slice even of no rows
    pieces = (nw.from_native(rows.iloc[k : k + SLICE], eager_only=True) for k in starts)
    with np.errstate(over="ignore"):
        return reduce(merge, map(work, pieces))


def _merged(parts: list[_T], merge: Merge[_T]) -> _T:
    return reduce(merge, parts)


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
