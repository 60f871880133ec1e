"""Parquet and Arrow: whole, or Parquet in pieces."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.errors import FileFormatError, MissingDependencyError
from betaroc.core.text import listed, shown
from betaroc.core.vocabulary import worded
from betaroc.data.frames import Source, as_ours, file_error, frame_source
from betaroc.data.labels import FAIL, Rows, Wanted, missing_column
from betaroc.data.text_files import progress, too_many_rows

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows at a time: what is in memory at once.
_BATCH = 1 << 20


class _Opened(NamedTuple):
    """A file of columns: its schema, its rows where they are known, and what reads some columns."""

    schema: Any
    rows: int | None
    read: Callable[[list[str]], Any]


@contextmanager
def _opened(path: Path, name: str, kind: str) -> Iterator[_Opened]:
    """A Parquet file, whose page checksums are verified, or one of Arrow (Feather, a stream)."""
    try:
        import pyarrow as pa
        from pyarrow import ipc, parquet as pq
    except ImportError as error:
        raise MissingDependencyError(
            f"reading {kind.capitalize()} needs pyarrow, which is not installed."
            ' pip install "betaroc[parquet]"'
        ) from error
    try:
        if kind == "parquet":
            with pq.ParquetFile(path, page_checksum_verification=True) as file:
                yield _Opened(file.schema_arrow, file.metadata.num_rows, file.read)
            return
        with pa.memory_map(str(path)) as source:
            stream = source.read(6) != b"ARROW1"
            source.seek(0)
            reader: Any = ipc.open_stream(source) if stream else ipc.open_file(source)
            yield _Opened(reader.schema, None, lambda names: reader.read_all().select(names))
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(
            f"{name} must be intact {kind.capitalize()} ({path.stat().st_size} bytes):"
            f" {shown(str(error), 140)}. It is truncated or damaged: copy or export it again."
        ) from error


def read_columns_of(
    path: Path, name: str, kind: str, wanted: Wanted, most_rows: int | None = None
) -> Rows:
    """The wanted columns of a Parquet or Arrow file."""
    with _opened(path, name, kind) as file:
        present = list(file.schema.names)
        for column, role in wanted.roles:
            if column not in present:
                raise missing_column(name, role, column, present)
            if present.count(column) > 1:
                raise FileFormatError(
                    f"{name} must have distinct columns; {shown(column)} occurs"
                    f" {present.count(column)} times. Rename one of them."
                )
        table, rows = None, file.rows
        if rows is None:
            table = file.read(list(dict.fromkeys(wanted.columns)))
            rows = table.num_rows
        if most_rows is not None and rows > most_rows:
            raise too_many_rows(name, rows, most_rows)
        table = table or file.read(list(dict.fromkeys(wanted.columns)))
        table.validate(full=True)
        return _table_rows(table, wanted, name)


def binary_columns(path: Path, name: str, kind: str) -> dict[str, bool]:
    """All columns of a Parquet or Arrow file, and whether they hold numbers."""
    with _opened(path, name, kind) as file:
        return {item.name: _is_numeric(item.type) for item in file.schema}


def _is_numeric(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _table_rows(table: pa.Table, wanted: Wanted, name: str) -> Rows:
    import pyarrow as pa

    for column, role in wanted.roles:
        gone = np.flatnonzero(table.column(column).is_null().to_numpy())
        if gone.size and (role != "score" or wanted.missing == FAIL):
            do = " Drop these rows" + (
                worded(", or pass `missing='drop'` or `missing='reject'`.")
                if role == "score"
                else "."
            )
            raise FileFormatError(
                f"{name}: column {shown(column)} must have no missing value; got {gone.size} of"
                f" {table.num_rows} null, first in rows {listed(gone.tolist())} (counted from 0)."
                + do
            )
    values = table.column(wanted.score)
    if not _is_numeric(values.type):
        raise FileFormatError(
            f"{name}: column {shown(wanted.score)} must be numeric; its type is {values.type}."
            " Convert it to float64 when writing."
        )
    scores = np.asarray(values.to_numpy())  # null is nan
    columns = [table.column(column) for column in wanted.label]
    tokens, first, codes = ["1"], [0], np.zeros(table.num_rows, dtype=np.int64)
    if len(columns) == 1:
        tokens, first, codes = _labels(columns[0])
    elif columns:
        one, other = (_names(c, n, name) for c, n in zip(columns, wanted.label, strict=True))
        if one.dtype.kind != other.dtype.kind:
            one, other = one.astype(np.str_), other.astype(np.str_)
        tokens, first, codes = _labels(pa.chunked_array([np.where(one == other, "1", "0")]))
    names = {column: _names(table.column(column), column, name) for column in wanted.named}
    return Rows(name, "row", tokens, first, scores, codes, names, wanted.missing)


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


def _labels(labels: pa.ChunkedArray) -> tuple[list[str], list[int], AnyArray]:
    """The text of each label, the row where it first occurs, and the codes of all rows."""
    import pyarrow as pa

    flat = labels.combine_chunks() if hasattr(labels, "combine_chunks") else labels
    if not pa.types.is_dictionary(flat.type):
        flat = flat.dictionary_encode()
    if isinstance(flat, pa.ChunkedArray):
        flat = flat.unify_dictionaries().combine_chunks()
    used, first, codes = np.unique(
        flat.indices.to_numpy(zero_copy_only=False), return_index=True, return_inverse=True
    )
    texts = flat.dictionary.to_pylist()
    return [str(texts[i]) for i in used], first.tolist(), codes


# -------------------------------------------------------------------------------- in pieces
def file_source(path: Path) -> Source:
    """The rows in batches of pyarrow; where it is not installed, as Polars or DuckDB read them."""
    import narwhals as nw

    name = shown(str(path))
    error = partial(file_error, name)
    with as_ours(error):
        if importlib.util.find_spec("pyarrow") is None:
            source = frame_source(_lazy_frame(path), "", "", instead="a path")
            return replace(source, error=error, name=f"{name}: ", library=None)
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            empty, rows = file.schema_arrow.empty_table(), file.metadata.num_rows
    schema = nw.from_native(empty, eager_only=True).schema
    return Source(schema, partial(_batches, path), error, f"{name}: ", rows)


def _lazy_frame(path: Path) -> Any:
    if importlib.util.find_spec("polars") is not None:
        import polars as pl

        frame = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        frame.collect_schema()  # of a damaged file an error
        return frame
    if importlib.util.find_spec("duckdb") is not None:
        import duckdb

        # A connection of its own, since the default one is the user's; [ and * would be patterns.
        place = "".join(f"[{c}]" if c in "*?[" else c for c in str(path))
        return duckdb.connect().read_parquet(place, hive_partitioning=False)
    raise MissingDependencyError(
        "reading Parquet needs pyarrow, polars or duckdb, none of which is installed."
        ' pip install "betaroc[parquet]"'
    )


def _batches(path: Path, columns: list[str]) -> Iterator[Any]:
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.parquet as pq

    # A buffer, since a whole column of a group of rows would be read at once.
    with (
        pq.ParquetFile(
            path, pre_buffer=False, buffer_size=1 << 20, page_checksum_verification=True
        ) as file,
        progress(file.metadata.num_rows, " rows") as advance,
    ):
        batches = file.iter_batches(batch_size=_BATCH, columns=columns)
        for number, batch in enumerate(batches):
            advance(number * _BATCH)
            yield nw.from_native(pa.Table.from_batches([batch]), eager_only=True)
