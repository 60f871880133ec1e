"""Text files: their bytes, perhaps compressed, and their lines; JSON as the lines of a table."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from betaroc.core.errors import FileFormatError, MissingDependencyError
from betaroc.core.process import free_memory, shows_progress
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import client_word, worded

#: The first bytes of what is compressed by gzip, and of what is no text.
_GZIP = b"\x1f\x8b"
_EXPORT, _RECOMPRESS = "Export the scores as csv.", "Only .gz is read: compress it with gzip."
_MAGIC = {
    b"\xff\xfe\0\0": ("UTF-32 text (byte offset 0)", "Save it as UTF-8."),
    b"\xff\xfe": ("UTF-16 text (byte offset 0)", "Save it as UTF-8."),
    b"\xfe\xff": ("UTF-16 text (byte offset 0)", "Save it as UTF-8."),
    b"PK": ("a zip archive", "Archives are not unpacked: extract the one file, or use .gz."),
    b"BZh": ("bzip2 data", _RECOMPRESS),
    b"\xfd7zXZ": ("xz data", _RECOMPRESS),
    b"\x28\xb5\x2f\xfd": ("zstd data", _RECOMPRESS),
    b"\x89HDF": ("HDF5 data", _EXPORT),
    b"\xd0\xcf\x11\xe0": ("an old Excel sheet", _EXPORT),
    b"\x80": ("a pickle", f"Pickles are never loaded. {_EXPORT}"),
    b"$FL2": ("a file of SPSS", _EXPORT),
    b"MATLAB": ("a file of MATLAB", "Export it there: writematrix([scores labels], 'x.csv')."),
    b"<stata": ("a file of Stata", "Export it there: export delimited x.csv."),
    b"RDX": ("a file of R", "Export it there: write.csv(frame, 'x.csv')."),
}
#: What is a table of another program.
TABLE_KINDS = {
    "npy": ("an array of numpy", "Load it, and pass columns of it to Scores."),
    "npz": ("an archive of arrays of numpy", "Load it, and pass two of them to Scores."),
    "xlsx": ("a sheet of Excel", "Save it there as CSV UTF-8."),
}
#: Bytes that gzip expands to at most, and that any other file has, unless the call says otherwise.
_EXPANDED, _LARGEST = 2**30, 2**36
#: Rows that are held at most, and the bytes of memory that a row takes at least: measured.
_MOST_ROWS, _ROW_BYTES = 250_000_000, 60
_LINE = 2**20
#: Bytes from which a bar is drawn, and bytes that the number of lines is estimated from.
_PROGRESS_FROM, _SAMPLE = 2**20, 2**20
#: Bytes after which these are told again.
_STEP = 2**14
#: What is raised for gzip that is no gzip, or not all of it.
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)


def check_size(name: str, size: int, most: int | None, verb: str = "have") -> None:
    """Raise if a file has more bytes, or expands to more, than are read."""
    most = most or _LARGEST
    if size > most:
        raise FileFormatError(
            f"{name} must {verb} at most {most} bytes; got {size}."
            + worded(" Pass a larger `max_size=` if it is to be trusted.")
        )


def rows_in_memory() -> int:
    """How many rows the memory holds at most."""
    return int(min(_MOST_ROWS, free_memory() / _ROW_BYTES))


def check_rows(name: str, rows: int, most: int | None, about: str = "") -> None:
    """Raise if so many rows are more than are read."""
    if most is not None and rows > most:
        raise FileFormatError(
            f"{name} must have at most {most} rows; it has {about}{rows}, which take"
            f" {_ROW_BYTES * rows / 1e9:.2g} GB of memory where all are held."
            + worded(" Pass a larger `max_rows=`, or summarise it in pieces.")
        )


@contextmanager
def progress(size: int, unit: str = "B") -> Iterator[Callable[[int], object]]:
    """A bar on a terminal once reading has taken a second."""
    if size < _PROGRESS_FROM or not shows_progress():
        yield lambda at: None
        return
    from tqdm import tqdm

    with tqdm(
        total=size, desc="reading", unit=unit, unit_scale=True, delay=1.0, leave=False
    ) as bar:
        yield lambda at: bar.update(at - bar.n)


@dataclass(frozen=True)
class TextFile:
    """A text file, perhaps gzip-compressed; ``name`` is how messages call it."""

    path: Path
    name: str
    zipped: bool
    #: Bytes that gzip expands to at most.
    largest: int = _EXPANDED
    #: What is no text ("json", "npy"...), its columns, and a table of csv that stands for the file.
    kind: str | None = None
    columns: tuple[str, ...] = ()
    content: bytes = b""

    @property
    def unit(self) -> str:
        """What a row is called in messages."""
        return "trial" if self.kind == "json" else "line"

    @property
    def size(self) -> int:
        return len(self.content) if self.kind else self.path.stat().st_size

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, Callable[[int], None]]]:
        """The bytes, and what to tell how many were read: it bounds them and moves the bar."""
        with self.path.open("rb") as raw, progress(self.path.stat().st_size) as advance:

            def tell(size: int) -> None:
                if self.zipped:
                    check_size(self.name, size, self.largest, "expand to")
                advance(raw.tell())

            unpacked: Any = gzip.GzipFile(fileobj=raw) if self.zipped else raw
            yield io.BytesIO(self.content) if self.kind else unpacked, tell

    def lines(self) -> Generator[str, None, None]:
        """The lines with their ends (LF, CRLF or CR)."""
        number, size, reported = 0, 0, 0
        with self._opened() as (raw, tell):
            stream = io.TextIOWrapper(raw, "utf-8", errors="surrogateescape", newline="")
            try:
                for line in iter(partial(stream.readline, _LINE), ""):
                    number += 1
                    ascii_only = line.isascii()
                    if "\0" in line or len(line) >= _LINE or not ascii_only:
                        self._check_line(line, number, size)
                    size += len(line if ascii_only else line.encode())
                    if size > reported:
                        tell(size)
                        reported = size + _STEP
                    yield line if number > 1 else line.removeprefix("\ufeff")
                tell(size)
            except DAMAGED as error:
                raise FileFormatError(
                    f"{self.name} must be intact gzip; after line {number}:"
                    f" {format_value(str(error))}. It is truncated or damaged: copy it again."
                ) from error

    def _check_line(self, line: str, number: int, offset: int) -> None:
        if "\0" in line:
            raise FileFormatError(
                f"{self.name} must be text; line {number} has a NUL byte at column"
                f" {line.index(chr(0)) + 1}. Is it UTF-16 or binary? Save it as UTF-8."
            )
        if len(line) >= _LINE:
            raise FileFormatError(
                f"{self.name} must have lines of less than {_LINE} characters; line {number} is"
                " longer. Is it a text file with one trial per line?"
            )
        try:
            line.encode()
        except UnicodeEncodeError as error:
            byte = line[error.start].encode(errors="surrogateescape")
            offset += len(line[: error.start].encode())
            raise FileFormatError(
                f"{self.name} must be UTF-8 text; byte {byte!r} at byte offset {offset} is not. Is"
                " it Latin-1 or UTF-16? Save it as UTF-8, such as with iconv -f latin1 -t utf-8."
            ) from error

    def first_rows(self, most: int, score: str | None = None) -> list[tuple[int, str]]:
        """Rows with their lines: no blank ones, no comments but one that names the score."""
        rows: list[tuple[int, str]] = []
        with closing(self.lines()) as lines:
            for number, line in enumerate(lines, 1):
                text = line.rstrip("\r\n")
                is_comment = text.startswith("#") and (score is None or score not in text)
                if text.strip() and not is_comment:
                    rows.append((number, text))
                if len(rows) >= most:
                    break
        if not rows:
            raise FileFormatError(f"{self.name} must hold scores; it is blank. Export again.")
        return rows

    def blocks(self, size: int) -> Generator[bytes, None, None]:
        """The bytes in blocks of about `size` that end with LF, but for the file's last one."""
        rest, total = b"", 0
        with self._opened() as (stream, tell):
            while read := stream.read(size):
                total += len(read)
                tell(total)
                body, end, tail = (rest + read).rpartition(b"\n")
                if end:
                    yield body + end
                rest = tail
            if rest:
                yield rest

    def about_rows(self) -> int:
        """About how many lines there are, by the first ones; 0 if these are damaged."""
        with self.path.open("rb") as raw, suppress(*DAMAGED):
            stream: Any = gzip.GzipFile(fileobj=raw) if self.zipped else raw
            lines: int = stream.read(_SAMPLE).count(b"\n")
            return lines * self.size // max(raw.tell(), 1)
        return 0


def text_file(
    path: Path, name: str, format_: str | None = None, max_size: int | None = None
) -> TextFile:
    """A file that is no format of bytes, by its first ones, and not too large."""
    check_size(name, path.stat().st_size, max_size)
    with path.open("rb") as raw:
        head = raw.read(8)
    zipped = head.startswith(_GZIP)
    if zipped:
        with suppress(*DAMAGED), gzip.open(path) as unpacked:
            head = unpacked.read(8)
            head = head if head.startswith(b"RDX") else b""  # any other is no UTF-8
    file = TextFile(path, name, zipped, max_size or _EXPANDED)
    table = _table_kind(path, head)
    if table is not None:
        return replace(file, kind=table, content=_table_content(file, table))
    for magic, (what, remedy) in _MAGIC.items():
        if head.startswith(magic):
            raise FileFormatError(f"{name} must be text or Parquet; it is {what}. {remedy}")
    if format_ not in (None, "json", "jsonl"):
        return file
    kind = _json_kind(file.first_rows(1)[0][1])
    return file if kind is None else _table_of_json(file, format_ or kind)


# ------------------------------------------------------------------- tables of other programs
def _table_kind(path: Path, head: bytes) -> str | None:
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if not head.startswith(b"PK"):
        return None
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        members = archive.namelist()
        if any(member.startswith("xl/") for member in members):
            return "xlsx"
        if members and all(member.endswith(".npy") for member in members):
            return "npz"
    return None


def _table_content(file: TextFile, kind: str) -> bytes:
    what, remedy = TABLE_KINDS[kind]
    try:
        if kind != "npy":
            with zipfile.ZipFile(file.path) as archive:
                size = sum(member.file_size for member in archive.infolist())
            check_size(file.name, size, file.largest, "expand to")
        if kind == "xlsx":
            import pandas as pd

            frame = pd.read_excel(file.path, header=None, dtype=object)
            return bytes(frame.to_csv(index=False, header=False).encode())
        return _array_content(file)
    except (FileFormatError, MemoryError):
        raise
    except ImportError as error:
        raise MissingDependencyError(
            f"reading {file.name}, {what}, needs openpyxl, which is not installed. pip install"
            f" openpyxl, or: {remedy}"
        ) from error
    except Exception as error:  # what reads these files raises whatever it likes; it is chained
        raise FileFormatError(
            f"{file.name} is {what} and must be intact; {type(error).__name__}:"
            f" {format_value(str(error), 140)}. Write it again. {remedy}"
        ) from error


def _array_content(file: TextFile) -> bytes:
    import numpy as np
    import pandas as pd

    read = np.load(file.path, allow_pickle=False)
    if isinstance(read, np.ndarray):
        names = read.dtype.names or ()
        columns = enumerate(np.atleast_2d(read.T))
        arrays: dict[Any, Any] = {n: read[n] for n in names} if names else dict(columns)
    else:
        with read:
            arrays = dict(read)
        names = tuple(arrays)
        if len(names) == 2 and client_word([*names]) and all(a.ndim == 1 for a in arrays.values()):
            label = np.repeat(names, [part.size for part in arrays.values()])
            arrays = {"score": np.concatenate([*arrays.values()]), "label": label}
    shapes = {item: part.shape for item, part in arrays.items()}
    if len({*shapes.values()}) != 1 or len(next(iter(shapes.values()))) != 1:
        raise FileFormatError(
            f"{file.name} must hold columns of one length, or the scores of two classes, such as"
            f" genuine and impostor; it has the arrays {shapes}. Save these."
        )
    for item, part in arrays.items():
        if part.dtype.kind in "fS":  # doubles, as any text is read; text
            arrays[item] = part.astype(np.float64 if part.dtype.kind == "f" else np.str_)
    frame = pd.DataFrame(arrays)
    return bytes(frame.to_csv(index=False, header=bool(names)).encode())


# ---------------------------------------------------------------------------------- JSON
def _json_kind(first: str) -> str | None:
    text = first.strip()
    if re.fullmatch(r"\[\s*(\{.*)?|\{", text):
        return "json"
    if not text.startswith("{"):
        return None
    with suppress(ValueError, RecursionError):  # said where it is read
        if sum(isinstance(value, list) for value in json.loads(text).values()) > 1:
            return "json"
    return "jsonl"


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{format_value(name)} occurs twice")
    return dict(pairs)


def _table_of_json(file: TextFile, kind: str) -> TextFile:
    """Objects as the table of their values, whose numbers are the same texts."""
    decoder = json.JSONDecoder(
        parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_distinct
    )
    made, trials = replace(file, kind=kind), list[Any]()
    with closing(file.lines()) as lines:
        texts = [*lines] if kind == "jsonl" else ["".join(lines)]
    for line, text in enumerate(texts, 1):
        try:
            value = decoder.decode(text) if text.strip() else ""  # a blank line
        except (ValueError, RecursionError) as error:
            must = f", line {line}: each line must be one JSON object"
            raise FileFormatError(
                f"{file.name}{must if kind == 'jsonl' else ' must be one JSON document'};"
                f" {format_value(str(error), 120)}. Correct it, or export again."
            ) from error
        if kind == "json" and isinstance(value, dict):  # arrays of one length
            arrays = {name: array for name, array in value.items() if isinstance(array, list)}
            if len({len(array) for array in arrays.values()}) != 1:
                raise FileFormatError(
                    f"{file.name} must hold an array of objects, or arrays of one length; there are"
                    f" {format_list(value)}. Write one value per trial in each."
                )
            rows = zip(*arrays.values(), strict=True)
            value = [dict(zip(arrays, row, strict=True)) for row in rows]
        trials += value if isinstance(value, list) and kind == "json" else [value]
    names = dict.fromkeys(name for trial in trials if isinstance(trial, dict) for name in trial)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    for number, trial in enumerate(trials, 1):
        if trial != "" and not isinstance(trial, dict):
            raise FileFormatError(
                f"{file.name}, {made.unit} {number}: each trial must be a JSON object; got"
                f' {format_value(trial)}. Write such as {{"score": 0.5, "label": 1}}.'
            )
        cells = [] if trial == "" else [trial.get(name) for name in names]
        writer.writerow([v if v is None or isinstance(v, str) else json.dumps(v) for v in cells])
    return replace(made, content=table.getvalue().encode(), columns=tuple(names))
