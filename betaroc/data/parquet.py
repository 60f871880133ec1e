"""Scores from Parquet, through pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.errors import FileFormatError, MissingDependencyError
from betaroc.core.text import listed, shown
from betaroc.data.rows import Rows, Wanted, missing_column

if TYPE_CHECKING:
    import pyarrow as pa


@contextmanager
def opened_parquet(path: Path, name: str) -> Iterator[Any]:
    """A Parquet file; page checksums are verified where there are any."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependencyError(
            'reading Parquet needs pyarrow, which is not installed. pip install "betaroc[parquet]"'
        ) from error
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(
            f"{name} must be intact Parquet ({path.stat().st_size} bytes): "
            f"{shown(str(error), 140)}. It is truncated or damaged: copy or export it again."
        ) from error


def read_parquet(path: Path, name: str, wanted: Wanted) -> Rows:
    """The wanted columns of a Parquet file."""
    roles = {wanted.score: "score", wanted.label: "label"} | wanted.named
    with opened_parquet(path, name) as file:
        _check_columns(list(file.schema_arrow.names), roles, name)
        table = file.read(columns=list(roles))
        table.validate(full=True)
    _refuse_missing(table, roles, name)
    rows = _rows(table.column(wanted.score), table.column(wanted.label), name, wanted.score)
    rows.names = {column: _names(table.column(column), column, name) for column in wanted.named}
    return rows


def _check_columns(present: list[str], roles: dict[str, str], name: str) -> None:
    for column, role in roles.items():
        if column not in present:
            raise missing_column(name, role, column, present)
        if present.count(column) > 1:
            raise FileFormatError(
                f"{name} must have distinct columns; {shown(column)} occurs"
                f" {present.count(column)} times. Rename one of them."
            )


def _refuse_missing(table: pa.Table, roles: dict[str, str], name: str) -> None:
    for called in roles:
        gone = np.flatnonzero(table.column(called).is_null().to_numpy())
        if gone.size:
            raise FileFormatError(
                f"{name}: column {shown(called)} must have no missing value; got {gone.size} of"
                f" {table.num_rows} null, first in rows {listed(gone.tolist())} (counted from 0)."
                " Drop these rows first."
            )


def _names(values: pa.ChunkedArray, column: str, name: str) -> AnyArray:
    """Integers or text."""
    array = np.asarray(values.to_numpy())
    if array.dtype.kind == "O" and all(isinstance(v, str) for v in array):
        array = array.astype(np.str_)
    if array.dtype.kind not in "iuU":
        raise FileFormatError(
            f"{name}: column {shown(column)} must be integers or text; its type is {values.type}."
            " Convert it to text when writing."
        )
    return array


def _rows(scores: pa.ChunkedArray, labels: pa.ChunkedArray, name: str, score: str) -> Rows:
    import pyarrow as pa

    kind = scores.type
    if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        raise FileFormatError(
            f"{name}: column {shown(score)} must be numeric; its type is {kind}."
            " Convert it to float64 when writing."
        )
    flat = labels.combine_chunks() if hasattr(labels, "combine_chunks") else labels
    if not pa.types.is_dictionary(flat.type):
        flat = flat.dictionary_encode()
    if isinstance(flat, pa.ChunkedArray):
        flat = flat.unify_dictionaries().combine_chunks()
    used, first, codes = np.unique(
        flat.indices.to_numpy(zero_copy_only=False), return_index=True, return_inverse=True
    )
    texts = flat.dictionary.to_pylist()
    tokens = [str(texts[i]) for i in used]
    return Rows(name, "row", tokens, first.tolist(), scores.to_numpy(), codes)
