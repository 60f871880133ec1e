"""Parquet and Arrow: whole through pyarrow, or Parquet in pieces through the first engine."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.errors import FileFormatError, InputError, MissingDependencyError
from betaroc.core.text import listed, shown
from betaroc.core.vocabulary import worded
from betaroc.data.frames import Source, as_ours, file_error
from betaroc.data.labels import FAIL, Rows, Wanted, missing_column
from betaroc.data.text_files import too_many_rows

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows of a piece: what is in memory at once.
_PIECE = 1 << 22
#: Rows at a time of pyarrow, which groups nothing itself.
_BATCH = 1 << 20
_MAGIC, _ARROW = b"PAR1", b"ARROW1"


@contextmanager
def opened_parquet(path: Path, name: str) -> Iterator[Any]:
    """A Parquet file; page checksums are verified where there are any."""
    with _intact(path, name, "Parquet"):
        import pyarrow.parquet as pq

        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield file


@contextmanager
def _intact(path: Path, name: str, what: str) -> Iterator[None]:
    """What pyarrow says of a file as ours."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingDependencyError(
            f'reading {what} needs pyarrow, which is not installed. pip install "betaroc[parquet]"'
        ) from error
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(
            f"{name} must be intact {what} ({path.stat().st_size} bytes): "
            f"{shown(str(error), 140)}. It is truncated or damaged: copy or export it again."
        ) from error


def read_parquet(path: Path, name: str, wanted: Wanted, most_rows: int | None = None) -> Rows:
    """The wanted columns of a Parquet file."""
    with opened_parquet(path, name) as file:
        if most_rows is not None and file.metadata.num_rows > most_rows:
            raise too_many_rows(name, file.metadata.num_rows, most_rows)
        _check_columns(list(file.schema_arrow.names), wanted, name)
        table = file.read(columns=list(dict.fromkeys(wanted.columns)))
        table.validate(full=True)
    return _table_rows(table, wanted, name)


def read_arrow(path: Path, name: str, wanted: Wanted, most_rows: int | None = None) -> Rows:
    """The wanted columns of a file of Arrow's (Feather), or of its stream."""
    with _opened_arrow(path, name) as reader:
        _check_columns(list(reader.schema.names), wanted, name)
        table = reader.read_all().select(list(dict.fromkeys(wanted.columns)))
        if most_rows is not None and table.num_rows > most_rows:
            raise too_many_rows(name, table.num_rows, most_rows)
        table.validate(full=True)
        return _table_rows(table, wanted, name)


@contextmanager
def _opened_arrow(path: Path, name: str) -> Iterator[Any]:
    with _intact(path, name, "Arrow"):
        from pyarrow import ipc, memory_map

        with memory_map(str(path)) as source:
            stream = source.read(6) != _ARROW
            source.seek(0)
            yield ipc.open_stream(source) if stream else ipc.open_file(source)


def binary_columns(path: Path, name: str, kind: str) -> dict[str, bool]:
    """All columns of a Parquet or Arrow file, and whether they hold numbers."""
    with (opened_parquet if kind == "parquet" else _opened_arrow)(path, name) as file:
        schema = file.schema_arrow if kind == "parquet" else file.schema
        return {one.name: _is_numeric(one.type) for one in schema}


def _is_numeric(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _table_rows(table: pa.Table, wanted: Wanted, name: str) -> Rows:
    _refuse_missing(table, wanted, name)
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
        codes = np.where(one == other, 0, 1)
        tokens, first = ["1", "0"], [int(np.argmax(codes == k)) for k in (0, 1)]
    names = {column: _names(table.column(column), column, name) for column in wanted.named}
    return Rows(name, "row", tokens, first, scores, codes, names, wanted.missing)


def _check_columns(present: list[str], wanted: Wanted, name: str) -> None:
    for column, role in wanted.roles:
        if column not in present:
            raise missing_column(name, role, column, present)
        if present.count(column) > 1:
            raise FileFormatError(
                f"{name} must have distinct columns; {shown(column)} occurs"
                f" {present.count(column)} times. Rename one of them."
            )


def _refuse_missing(table: pa.Table, wanted: Wanted, name: str) -> None:
    for called, role in wanted.roles:
        if role == "score" and wanted.missing != FAIL:
            continue
        gone = np.flatnonzero(table.column(called).is_null().to_numpy())
        if gone.size:
            raise FileFormatError(
                f"{name}: column {shown(called)} must have no missing value; got {gone.size} of"
                f" {table.num_rows} null, first in rows {listed(gone.tolist())} (counted from 0)."
                + (
                    worded(" Drop these rows, or pass `missing='drop'` or `missing='reject'`.")
                    if role == "score"
                    else " Drop these rows first."
                )
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
def file_source(path: Path, engine: str | None = None) -> Source:
    """The file read by `engine`: "pyarrow", "polars" or "duckdb"; left out, the first there is."""
    name = shown(str(path))
    error = partial(file_error, name)
    with as_ours(error):
        _refuse_other_files(path, name)
        chosen = _engine(engine)
        schema, rows, pieces = _ENGINES[chosen](path)
        if chosen != "pyarrow" and importlib.util.find_spec("pyarrow") is not None:
            pieces = partial(_verified, path, pieces)
    return Source(schema, pieces, error, f"{name}: ", rows)


def _engine(wanted: str | None) -> str:
    if wanted is not None and wanted not in _ENGINES:
        raise InputError.about("engine")(
            f"engine must be one of {listed(_ENGINES)}; got {shown(wanted)}."
        )
    for engine in _ENGINES if wanted is None else (wanted,):
        if importlib.util.find_spec(engine) is not None:
            return engine
    extras = {"pyarrow": "parquet"}
    missing = list(_ENGINES) if wanted is None else [wanted]
    choices = " or ".join(f'pip install "betaroc[{extras.get(e, e)}]"' for e in missing)
    raise MissingDependencyError(
        f"reading Parquet needs {' or '.join(missing)}, which"
        f" {'is' if len(missing) == 1 else 'are'} not installed. {choices}"
    )


def _refuse_other_files(path: Path, name: str) -> None:
    with path.open("rb") as raw:
        head = raw.read(4)
    if head != _MAGIC:
        raise FileFormatError(
            f"{name} must be a Parquet file, as its name says; it starts with {head!r} instead of"
            f" {_MAGIC!r}. Give text another name, or pass a frame of it."
        )
    if not _footer(path):
        raise FileFormatError(
            f"{name} must be intact Parquet; its end is missing after {path.stat().st_size} bytes."
            " It is truncated: copy or export it again."
        )


def _footer(path: Path) -> bytes:
    """What the file says of itself, as the Parquet file of no data that it is; empty if cut off."""
    with path.open("rb") as raw:
        size = raw.seek(0, io.SEEK_END)
        raw.seek(max(size - 8, 0))
        tail = raw.read(8)
        length = int.from_bytes(tail[:4], "little") + 8
        if tail[4:] != _MAGIC or length + 4 > size:
            return b""
        raw.seek(size - length)
        return _MAGIC + raw.read(length)


# --------------------------------------------------------------------------------- the engines
#: Schema, number of rows, and the pieces.
Opened = tuple[Any, int, Callable[[list[str]], Iterator[Any]]]


def _ranges(rows: int) -> Iterator[tuple[int, int]]:
    for start in range(0, rows, _PIECE):
        yield start, min(start + _PIECE, rows)


def _polars(path: Path) -> Opened:
    import narwhals as nw
    import polars as pl

    # The schema given, Polars does not map the whole file into memory to find it.
    schema = pl.read_parquet_schema(io.BytesIO(_footer(path)))
    table = pl.scan_parquet(path, schema=schema, glob=False)
    rows = int(table.select(pl.len()).collect(engine="streaming").item())

    def pieces(columns: list[str]) -> Iterator[Any]:
        for start, stop in _ranges(rows):
            yield nw.from_native(table.select(columns).slice(start, stop - start))

    return nw.from_native(table).collect_schema(), rows, pieces


def _duckdb(path: Path) -> Opened:
    import duckdb
    import narwhals as nw

    # A connection of its own, since the default one belongs to the user.
    connection: Any = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    place = "".join(f"[{c}]" if c in "*?[" else c for c in str(path))  # these would be patterns
    counted = connection.execute("SELECT count(*) FROM read_parquet(?)", [place]).fetchall()
    rows = int(counted[0][0])

    def table(**more: Any) -> Any:  # which holds the connection: it ends with its last user
        return connection.read_parquet(place, hive_partitioning=False, **more)

    schema = nw.from_native(table()).collect_schema()
    numbered = "file_row_number" not in {name.lower() for name in schema.names()}

    def pieces(columns: list[str]) -> Iterator[Any]:
        if not numbered:  # the file's own column of this name: all rows are one piece
            yield nw.from_native(table()).select(columns)
            return
        for start, stop in _ranges(rows):
            within = f"file_row_number >= {start} AND file_row_number < {stop}"
            yield nw.from_native(table(file_row_number=True).filter(within)).select(columns)

    return schema, rows, pieces


def _verified(
    path: Path, pieces: Callable[[list[str]], Iterator[Any]], columns: list[str]
) -> Iterator[Any]:
    """The pieces of an engine that looks at no checksum of a page, once all have been looked at."""
    for _ in _batches(path, columns):
        pass
    yield from pieces(columns)


def _batches(path: Path, columns: list[str]) -> Iterator[Any]:
    import pyarrow.parquet as pq

    # A buffer, since a whole column of a group of rows would be read at once.
    with pq.ParquetFile(
        path, pre_buffer=False, buffer_size=1 << 20, page_checksum_verification=True
    ) as file:
        yield from file.iter_batches(batch_size=_BATCH, columns=columns)


def _pyarrow(path: Path) -> Opened:
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows

    def pieces(columns: list[str]) -> Iterator[Any]:
        for batch in _batches(path, columns):
            yield nw.from_native(pa.Table.from_batches([batch]), eager_only=True)

    return nw.from_native(schema.empty_table(), eager_only=True).schema, rows, pieces


_ENGINES: dict[str, Callable[[Path], Opened]] = {
    "pyarrow": _pyarrow,
    "polars": _polars,
    "duckdb": _duckdb,
}
