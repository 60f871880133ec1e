"""Parquet and Arrow: their columns, in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.errors import FileFormatError, MissingDependencyError
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import worded
from betaroc.data.labels import FAIL, ColumnSpec, LabelTexts, Rows, column_places
from betaroc.data.text_files import check_rows, progress

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows at a time: what is in memory at once.
_BATCH = 1 << 20


@contextmanager
def _opened(
    path: Path, name: str, kind: str
) -> Iterator[tuple[Any, int, Callable[[list[str]], Iterator[Any]]]]:
    """The schema, the rows where they are known, and what gives batches of some columns."""
    try:
        import pyarrow as pa
        from pyarrow import ipc, parquet as pq
    except ImportError as error:
        raise MissingDependencyError(
            f"reading {kind.capitalize()} needs pyarrow, which is not installed."
            ' pip install "betaroc[parquet]"'
        ) from error

    def arrow_batches(names: list[str]) -> Iterator[Any]:
        table = reader.read_all().select(names)
        table.validate(full=True)
        yield from table.to_batches(_BATCH)

    try:
        if kind == "arrow":
            with pa.memory_map(str(path)) as source:
                stream = source.read(6) != b"ARROW1"
                source.seek(0)
                reader: Any = ipc.open_stream(source) if stream else ipc.open_file(source)
                yield reader.schema, 0, arrow_batches
            return
        # A buffer, since a whole column of a group of rows would be read at once.
        options: Any = {"pre_buffer": False, "buffer_size": 1 << 20}
        with pq.ParquetFile(path, page_checksum_verification=True, **options) as file:
            batches = partial(file.iter_batches, _BATCH, None)
            yield file.schema_arrow, file.metadata.num_rows, batches
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(
            f"{name} must be intact {kind.capitalize()} ({path.stat().st_size} bytes):"
            f" {format_value(str(error), 140)}. It is truncated or damaged: copy it again."
        ) from error


def binary_parts(
    path: Path, name: str, kind: str, wanted: ColumnSpec, most_rows: int | None = None
) -> Iterator[Rows]:
    """The wanted columns of a Parquet or Arrow file, in one part or more."""
    labels, start = LabelTexts(), 0
    with _opened(path, name, kind) as (schema, rows, batches), progress(rows, " rows") as advance:
        column_places(name, list(schema.names), wanted)
        check_rows(name, rows, most_rows)
        for batch in batches(list(dict.fromkeys(wanted.columns))):
            yield _rows_of(batch, wanted, name, labels, start)
            start += batch.num_rows
            advance(start)
        if not start:
            yield Rows(name, "row", labels, np.zeros(0), np.zeros(0, dtype=np.int8), wanted)


def binary_columns(path: Path, name: str, kind: str) -> dict[str, bool]:
    """All columns of a Parquet or Arrow file, and whether they hold numbers."""
    with _opened(path, name, kind) as (schema, _, _):
        return {item.name: _is_numeric(item.type) for item in schema}


def parquet_rows(path: Path) -> int:
    """Rows of a Parquet file, by its footer."""
    with _opened(path, format_value(path.name), "parquet") as (_, rows, _):
        return rows


def _is_numeric(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _rows_of(batch: Any, wanted: ColumnSpec, name: str, labels: LabelTexts, start: int) -> Rows:
    n = batch.num_rows
    for column, role in wanted.roles:
        gone = np.flatnonzero(batch.column(column).is_null().to_numpy(zero_copy_only=False))
        absent = column in wanted.optional or (role == "score" and wanted.missing != FAIL)
        if gone.size and not absent:
            raise FileFormatError(
                f"{name}: column {format_value(column)} must have no missing value; got {gone.size}"
                f" null in the first {start + n} rows, first in rows"
                f" {format_list((gone + start).tolist())} (counted from 0). Drop these rows"
                + worded(", or if they are scores pass `missing='drop'` or `missing='reject'`.")
            )
    scores: AnyArray = np.zeros(n)
    if wanted.score is not None:
        values = batch.column(wanted.score)
        if not _is_numeric(values.type):
            raise _refusal(name, wanted.score, "numeric", values, "float64")
        scores = np.asarray(values.to_numpy(zero_copy_only=False))  # null is nan
    codes = labels.coded([_coded(batch.column(c)) for c in wanted.label], n, start)
    names = {column: _names(batch.column(column), column, name) for column in wanted.named}
    return Rows(name, "row", labels, scores, codes, wanted, names, start)


def _coded(values: pa.Array) -> tuple[AnyArray, list[str]]:
    if not hasattr(values, "dictionary"):
        values = values.dictionary_encode()
    codes = values.indices.to_numpy(zero_copy_only=False)
    present, texts = np.bincount(codes) > 0, values.dictionary.to_pylist()
    return (np.cumsum(present) - 1)[codes], [str(texts[k]) for k in np.flatnonzero(present)]


def _names(values: pa.Array, column: str, name: str) -> AnyArray:
    import pyarrow as pa

    if values.null_count:
        values = values.cast("string").fill_null("")
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if kind in (pa.string(), pa.large_string()):
        codes, texts = _coded(values)
        return np.array(texts, dtype=np.str_)[codes]
    if not pa.types.is_integer(kind):
        raise _refusal(name, column, "integers or text", values, "text")
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _refusal(name: str, column: str, rule: str, values: pa.Array, kind: str) -> FileFormatError:
    return FileFormatError(
        f"{name}: column {format_value(column)} must be {rule}; its type is {values.type}. Convert"
        f" it to {kind} when writing."
    )
