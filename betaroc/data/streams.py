"""Parquet files in pieces of bounded size, through the first engine that is installed."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from betaroc.core.errors import (
    FileFormatError,
    InputError,
    MissingDependencyError,
)
from betaroc.core.text import listed, shown
from betaroc.data.engines import Source, as_ours, file_error

__all__ = ["file_source"]

#: Rows of a piece: what is in memory at once.
_PIECE = 1 << 22
#: Rows at a time of pyarrow, which groups nothing itself.
_BATCH = 1 << 20
_MAGIC = b"PAR1"


def file_source(path: Path, engine: str | None = None) -> Source:
    """The file read by `engine`: "polars", "duckdb" or "pyarrow"; left out, the first there is."""
    name = shown(str(path))
    error = partial(file_error, name)
    with as_ours(error):
        _refuse_other_files(path, name)
        schema, rows, pieces = _ENGINES[_engine(engine)](path)
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


def _pyarrow(path: Path) -> Opened:
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows

    def pieces(columns: list[str]) -> Iterator[Any]:
        # A buffer, since a whole column of a group of rows would be read at once.
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=columns):
                yield nw.from_native(pa.Table.from_batches([batch]), eager_only=True)

    return nw.from_native(schema.empty_table(), eager_only=True).schema, rows, pieces


_ENGINES: dict[str, Callable[[Path], Opened]] = {
    "polars": _polars,
    "duckdb": _duckdb,
    "pyarrow": _pyarrow,
}
