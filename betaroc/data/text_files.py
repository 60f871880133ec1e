"""Text files: their bytes, perhaps compressed or of another program, and their lines."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from betaroc.core.checks import choice, count, flag
from betaroc.core.errors import FileFormatError, InputError, InputTypeError, MissingDependencyError
from betaroc.core.process import free_memory, shows_progress
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import client_word, worded

#: White space is one separator: any run of blanks and tabs.
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
DECIMALS = {"point": ".", "comma": ","}
#: Separators of tables by their format.
TABLES = {"csv": ",;|", "tsv": "\t", "text": " "}
#: The columns of formats without header, and which of them say who is a client.
NAMED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "2col": (("label", "score"), ("label",)),
    "4col": (("claimed", "real", "probe", "score"), ("claimed", "real")),
    "5col": (("claimed", "model", "real", "probe", "score"), ("claimed", "real")),
    "asvspoof": (("trial", "attack", "key", "score"), ("key",)),
    "voxceleb": (("label", "enrol", "test", "score"), ("label",)),
}
FORMATS = (*TABLES, "json", "jsonl", "parquet", "arrow", *NAMED, "kaldi", "nist", "pyeer")

#: The first bytes of what is compressed by gzip, and of what is no text.
_GZIP = b"\x1f\x8b"
_FOREIGN = {
    "npy": ("an array of numpy", "Load it, and pass columns of it to Scores."),
    "npz": ("an archive of arrays of numpy", "Load it, and pass two of them to Scores."),
    "xlsx": ("a sheet of Excel", "Save it there as CSV UTF-8."),
}
_MAGIC = (
    (b"FEA1", "Feather of version 1", "Write it again with a newer pyarrow."),
    (b"\xff\xfe\0\0", "UTF-32 text (byte offset 0)", "Save it as UTF-8."),
    (b"\xff\xfe", "UTF-16 text (byte offset 0)", "Save it as UTF-8."),
    (b"\xfe\xff", "UTF-16 text (byte offset 0)", "Save it as UTF-8."),
    (b"$FL2", "a file of SPSS", "Export it as csv there."),
    (b"MATLAB", "a file of MATLAB", "Export it there: writematrix([scores labels], 'x.csv')."),
    (b"<stata", "a file of Stata", "Export it there: export delimited x.csv."),
    (b"RDX", "a file of R", "Export it there: write.csv(frame, 'x.csv')."),
    (b"PK", "a zip archive", "Archives are not unpacked: extract the one file, or use .gz."),
    (b"BZh", "bzip2 data", "Only .gz is decompressed: recompress it with gzip."),
    (b"\xfd7zXZ", "xz data", "Only .gz is decompressed: recompress it with gzip."),
    (b"7z\xbc\xaf", "a 7z archive", "Archives are not unpacked: extract the one file."),
    (b"\x28\xb5\x2f\xfd", "zstd data", "Only .gz is decompressed: recompress it with gzip."),
    (b"\x89HDF", "HDF5 data", "Export the scores as csv."),
    (b"\xd0\xcf\x11\xe0", "an old Excel sheet", "Export the scores as csv."),
    (b"\x80\x04", "a pickle", "Pickles are never loaded: export the scores as csv."),
    (b"\x80\x05", "a pickle", "Pickles are never loaded: export the scores as csv."),
    (b"\x89PNG", "a picture", "Name the file of the scores."),
    (b"\xff\xd8\xff", "a picture", "Name the file of the scores."),
    (b"%PDF", "a PDF", "Export the scores as csv."),
    (b"\x7fELF", "a program", "Name the file of the scores."),
    (b"SQLite", "a database", "Export the scores as csv."),
)
#: Bytes that gzip expands to at most, and that any other file has, unless the call says otherwise.
_EXPANDED, _LARGEST = 2**30, 2**36
#: Rows that are held at most, unless the call says otherwise.
_MOST_ROWS = 250_000_000
#: Bytes of memory that a row takes at least where all are held: measured, reading included.
_ROW_BYTES = 60
#: Bytes of a text, packed or not, whose rows fit into any memory.
_SMALL_TEXT = 2**16
_LINE = 2**20
_PROGRESS_FROM = 2**20
#: Bytes that the number of lines is estimated from.
_SAMPLE = 2**20
#: How a document of JSON begins: an array of objects, or an object of several lines.
_DOCUMENT = re.compile(r"\s*\[\s*(?:\{.*)?|\s*\{\s*").fullmatch

#: What is raised for gzip that is no gzip, or not all of it.
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)


# ------------------------------------------------------------------------------- options
class TextOptions(NamedTuple):
    """What a call says of its files; None where the content decides."""

    format: str | None = None
    separator: str | None = None
    decimal: str | None = None
    header: bool | None = None
    columns: tuple[str, ...] | None = None
    max_size: int | None = None
    max_rows: int | None = None

    @property
    def of_rows(self) -> TextOptions:
        """The same for what holds all rows in memory."""
        return self if self.max_rows else self._replace(max_rows=_MOST_ROWS)

    def that_fit(self, size: float = math.inf) -> TextOptions:
        """The same with no more rows than the memory holds, unless the call says how many."""
        if self.max_rows != _MOST_ROWS or size < _SMALL_TEXT:
            return self
        return self._replace(max_rows=int(min(_MOST_ROWS, free_memory() / _ROW_BYTES)))

    @property
    def separators(self) -> str:
        """Those that are possible."""
        if self.separator is not None:
            return self.separator
        return TABLES.get(self.format or "", "".join(SEPARATORS.values()))


def text_options(
    format_: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    columns: str | Sequence[str] | None = None,
    max_size: int | None = None,
    max_rows: int | None = None,
) -> TextOptions:
    """What a call says of its files, checked; signs for the words of separators."""
    if format_ is not None:
        choice(format_, FORMATS, "format")
    signs: list[str | None] = []
    for value, known, name in (
        (separator, SEPARATORS, "separator"), (decimal, DECIMALS, "decimal"),
    ):  # fmt: skip
        word = value if value is None else choice(value, [*known, *known.values()], name)
        signs.append(known.get(word or "", word))
    if header is not None:
        flag(header, "header")
    for most, name in ((max_size, "max_size"), (max_rows, "max_rows")):
        if most is not None:
            count(most, name)
    return TextOptions(format_, signs[0], signs[1], header, _names_of(columns), max_size, max_rows)


def _names_of(columns: Any) -> tuple[str, ...] | None:
    if columns is None:
        return None
    names: Any = columns.split(",") if isinstance(columns, str) else columns
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InputTypeError.about("columns")(
            f"columns must be the names of all columns in their order; got {format_value(columns)}."
        )
    result = tuple(name.strip() for name in names)
    if not result or len(set(result)) != len(result) or not all(result):
        raise InputError.about("columns")(
            f"columns must name each column once; got {format_value(columns)}."
        )
    return result


# ---------------------------------------------------------------------------------- bytes
class _Bounded(io.RawIOBase):
    def __init__(self, stream: gzip.GzipFile, limit: int, name: str) -> None:
        super().__init__()
        self._stream, self._name, self._size, self._limit = stream, name, 0, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer)
        data = self._stream.read1(len(view))
        self._size += len(data)
        if self._size > self._limit:
            raise _too_large(self._name, self._limit, self._size, "expand to")
        view[: len(data)] = data
        return len(data)


def _too_large(name: str, limit: int, size: int, verb: str = "have") -> FileFormatError:
    return FileFormatError(
        f"{name} must {verb} at most {limit} bytes; got {size}."
        + worded(" Pass a larger `max_size=` if it is to be trusted.")
    )


@dataclass(frozen=True)
class TextFile:
    """A text file, perhaps gzip-compressed; ``name`` is how messages call it."""

    path: Path
    name: str
    zipped: bool
    #: Bytes and rows that are read at most.
    largest: int = _EXPANDED
    most_rows: int | None = None
    #: The format of a table of another program or of JSON, and the text that it was made.
    kind: str | None = None
    content: bytes = b""
    #: The columns of JSON, whose text has a line per trial and no header.
    columns: tuple[str, ...] | None = None

    @property
    def size(self) -> int:
        """Bytes, packed or not."""
        return len(self.content) if self.kind else self.path.stat().st_size

    @property
    def unit(self) -> str:
        """What a row is called in messages."""
        return "trial" if self.kind == "json" else "line"

    def lines(self) -> Generator[str, None, None]:
        """The lines with their ends (LF, CRLF or CR)."""
        number = 0
        with self.path.open("rb") as raw, progress(self.path.stat().st_size) as advance:
            stream = io.TextIOWrapper(self._bytes(raw), encoding="utf-8-sig", newline="")
            try:
                for line in iter(partial(stream.readline, _LINE), ""):
                    number += 1
                    if "\0" in line or len(line) >= _LINE:
                        self._refuse_line(line, number)
                    if not number & 0x3FFF:
                        advance(raw.tell())
                    yield line
            except UnicodeDecodeError as error:
                raise self._encoding_error() from error
            except DAMAGED as error:
                raise self._damaged(f"line {number}", error) from error

    def first_rows(self, most: int, score: str | None = None) -> list[tuple[int, str]]:
        """Rows with their lines: no blank ones, no comments but one that names the score."""
        rows = []
        with closing(self.lines()) as lines:
            for number, line in enumerate(lines, 1):
                text = line.rstrip("\r\n")
                named = score is not None and score in text
                if text.strip() and (named or not text.startswith("#")):
                    rows.append((number, text))
                if len(rows) >= most:
                    break
        return rows

    def blocks(self, size: int) -> Generator[bytes, None, None]:
        """The bytes in blocks of about `size` that end with LF, but for the file's last one."""
        with self.path.open("rb") as raw, progress(self.path.stat().st_size) as advance:
            stream, rest = self._bytes(raw), b""
            while read := stream.read(size):
                advance(raw.tell())
                end = read.rfind(b"\n") + 1
                if end:
                    yield rest + read[:end]
                    rest = read[end:]
                else:
                    rest += read
            if rest:
                yield rest

    def about_rows(self) -> int:
        """How many lines there are about, by those of the beginning; 0 if these are damaged."""
        size = self.path.stat().st_size
        with self.path.open("rb") as raw, suppress(*DAMAGED):
            lines = self._bytes(raw).read(_SAMPLE).count(b"\n")
            return lines * size // max(raw.tell(), 1)
        return 0

    def _bytes(self, raw: io.BufferedReader) -> io.BufferedReader:
        if self.kind:
            return io.BufferedReader(io.BytesIO(self.content))
        if not self.zipped:
            return raw
        return io.BufferedReader(
            _Bounded(gzip.GzipFile(fileobj=raw), self.largest, self.name), 2**16
        )

    def _refuse_line(self, line: str, number: int) -> NoReturn:
        if "\0" in line:
            raise FileFormatError(
                f"{self.name} must be text; line {number} has a NUL byte at column"
                f" {line.index(chr(0)) + 1}. Is it UTF-16 or binary? Save it as UTF-8."
            )
        raise FileFormatError(
            f"{self.name} must have lines of less than {_LINE} characters; line {number} is"
            " longer. Is it a text file with one trial per line?"
        )

    def _damaged(self, where: str, error: Exception) -> FileFormatError:
        return FileFormatError(
            f"{self.name} must be intact gzip; after {where}: {format_value(str(error))}."
            " It is truncated or damaged: copy or export it again."
        )

    def _encoding_error(self) -> FileFormatError:
        offset, byte = 0, b""
        with self.path.open("rb") as raw:
            try:
                for line in iter(partial(self._bytes(raw).readline), b""):
                    line.decode()
                    offset += len(line)
            except UnicodeDecodeError as error:
                offset, byte = offset + error.start, error.object[error.start :][:1]
            except DAMAGED as error:
                return self._damaged(f"{offset} bytes", error)
        return FileFormatError(
            f"{self.name} must be UTF-8 text; byte {byte!r} at byte offset {offset} is not."
            " Is it Latin-1 or UTF-16? Save it as UTF-8, such as with iconv -f latin1 -t utf-8."
        )


@contextmanager
def progress(size: int, unit: str = "B") -> Iterator[Callable[[int], object]]:
    """A bar on a terminal once reading so many bytes or rows has taken a second."""
    if size < _PROGRESS_FROM or not shows_progress():
        yield lambda at: None
        return
    from tqdm import tqdm

    with tqdm(
        total=size, desc="reading", unit=unit, unit_scale=True, delay=1.0, leave=False
    ) as bar:
        yield lambda at: bar.update(at - bar.n)


def check_rows(name: str, rows: int, most: int | None, about: str = "") -> None:
    """Raise if so many rows are more than are read."""
    if most is not None and rows > most:
        raise FileFormatError(
            f"{name} must have at most {most} rows; it has {about}{rows}, which take"
            f" {_ROW_BYTES * rows / 1e9:.2g} GB of memory or more where all are held."
            + worded(" Pass a larger `max_rows=`, or")
            + " summarise the file in pieces, which holds no rows."
        )


def check_size(path: Path, name: str, largest: int | None) -> None:
    """Raise if a file has more bytes than are read."""
    size, limit = path.stat().st_size, largest or _LARGEST
    if size > limit:
        raise _too_large(name, limit, size)


def text_file(
    path: Path, name: str, options: TextOptions, wanted: Collection[str] = ()
) -> TextFile:
    """A file that is no format of bytes, by its first ones, and not too large.

    Of JSON, the wanted columns may not stand twice in an object.
    """
    check_size(path, name, options.max_size)
    limit, most_rows = options.max_size or _EXPANDED, options.max_rows
    with path.open("rb") as raw:
        head = raw.read(8)
    zipped = head.startswith(_GZIP)
    if zipped:
        with suppress(*DAMAGED), gzip.open(path) as unpacked:
            head = unpacked.read(8)
            head = head if head.startswith(b"RDX") else _GZIP
    kind = foreign_kind(path, head)
    if kind is not None:
        content = _foreign_table(path, name, kind, limit)
        return TextFile(path, name, False, _EXPANDED, most_rows, kind, content)
    for magic, what, do in _MAGIC:
        if head.startswith(magic):
            raise FileFormatError(f"{name} must be text or Parquet; it is {what}. {do}")
    file = TextFile(path, name, zipped, limit, most_rows)
    return _read_json(file, options.format, {column.casefold() for column in wanted})


# ------------------------------------------------------------------- tables of other programs
def foreign_kind(path: Path, head: bytes) -> str | None:
    """The format of arrays of numpy and of sheets of Excel, by first bytes and members."""
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PK"):
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
            members = archive.namelist()
            if any(member.startswith("xl/") for member in members):
                return "xlsx"
            return "npz" if members and all(member.endswith(".npy") for member in members) else None
    return None


def _foreign_table(path: Path, name: str, kind: str, limit: int) -> bytes:
    what, do = _FOREIGN[kind]
    try:
        if kind != "npy":
            with zipfile.ZipFile(path) as archive:
                size = sum(member.file_size for member in archive.infolist())
            if size > limit:
                raise _too_large(name, limit, size, "expand to")
        if kind == "xlsx":
            import pandas as pd

            frame, header = pd.read_excel(path, header=None, dtype=object), False
        else:
            frame, header = _array_frame(path, name)
    except (FileFormatError, MemoryError):
        raise
    except ImportError as error:
        raise MissingDependencyError(
            f"reading {name}, {what}, needs openpyxl, which is not installed. pip install openpyxl,"
            f" or: {do}"
        ) from error
    except Exception as error:  # what reads these files raises whatever it likes; it is chained
        raise FileFormatError(
            f"{name} is {what} and must be intact; {type(error).__name__}:"
            f" {format_value(str(error), 140)}. Write it again. {do}"
        ) from error
    return bytes(frame.to_csv(index=False, header=header).encode())


def _array_frame(path: Path, name: str) -> tuple[Any, bool]:
    import pandas as pd

    read = np.load(path, allow_pickle=False)
    if isinstance(read, np.ndarray):
        named = read.dtype.names
        arrays = {item: read[item] for item in named} if named else {}
        if not named and read.ndim in (1, 2):
            parts = [read] if read.ndim == 1 else [*read.T]
            arrays = {str(k): part for k, part in enumerate(parts)}
    else:
        with read:
            arrays = dict(read)
        named = tuple(arrays)
        first = client_word([*named]) if len(named) == 2 else None
        if first is not None and all(part.ndim == 1 for part in arrays.values()):
            sizes = [part.size for part in arrays.values()]
            label = np.repeat(named, sizes)
            arrays = {"score": np.concatenate([*arrays.values()]), "label": label}
    shapes = {item: part.shape for item, part in arrays.items()}
    if len({*shapes.values()}) != 1 or len(next(iter(shapes.values()))) != 1:
        raise FileFormatError(
            f"{name} must hold columns of one length, or the scores of two classes, such as genuine"
            f" and impostor; it has the arrays {shapes or read.shape}. Save these."
        )
    for item, part in arrays.items():
        if part.dtype.kind in "fS":  # doubles, as any text is read; text
            arrays[item] = part.astype(np.float64 if part.dtype.kind == "f" else np.str_)
    return pd.DataFrame(arrays), bool(named)


# ---------------------------------------------------------------------------------- JSON
def _read_json(file: TextFile, format_: str | None, wanted: Collection[str]) -> TextFile:
    first = file.first_rows(1)
    begin = first[0][1] if first else ""
    if format_ not in (None, "json", "jsonl") or not begin.lstrip().startswith(("[", "{")):
        return file
    if format_ is None and not begin.lstrip().startswith("{") and not _DOCUMENT(begin):
        return file
    kind = format_ or ("json" if _DOCUMENT(begin) else "jsonl")
    with suppress(AttributeError, ValueError, RecursionError):  # said where it is read
        arrays = [value for value in json.loads(begin).values() if isinstance(value, list)]
        kind = format_ or ("json" if len(arrays) > 1 else kind)
    with closing(file.lines()) as lines:
        texts = [*lines] if kind == "jsonl" else ["".join(lines)]

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            if name.casefold() in wanted and names.count(name) > 1:
                raise ValueError(f"{format_value(name)} occurs twice")
        return dict(pairs)

    decoder = json.JSONDecoder(
        parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=distinct
    )
    trials: list[Any] = []
    for line, text in enumerate(texts, 1):
        try:
            value = decoder.decode(text) if text.strip() else ""  # a blank line
        except (ValueError, RecursionError) as error:
            must = f", line {line}: each line must be one JSON object"
            raise FileFormatError(
                f"{file.name}{must if kind == 'jsonl' else ' must be one JSON document'};"
                f" {format_value(str(error), 120)}. Correct it, or export again."
            ) from error
        trials += [value] if kind == "jsonl" else _trials_of(file.name, value)
    made = replace(file, kind=kind)
    for number, trial in enumerate(trials, 1):
        if trial != "" and not isinstance(trial, dict):
            raise FileFormatError(
                f"{file.name}, {made.unit} {number}: each trial must be a JSON object; got"
                f' {format_value(trial)}. Write such as {{"score": 0.5, "label": 1}}.'
            )
    columns = tuple(dict.fromkeys(name for trial in trials for name in trial or ()))
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    for trial in trials:
        cells = [trial.get(name) for name in columns] if trial != "" else []
        writer.writerow([v if v is None or isinstance(v, str) else json.dumps(v) for v in cells])
    return replace(made, content=table.getvalue().encode(), columns=columns)


def _trials_of(name: str, value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    arrays = {k: v for k, v in value.items() if isinstance(v, list)} if value else {}
    if len({len(array) for array in arrays.values()}) != 1:
        raise FileFormatError(
            f"{name} must hold an array of objects, or arrays of one length; there are"
            f" {format_list(value)}. Write one value per trial in each."
        )
    return [dict(zip(arrays, row, strict=True)) for row in zip(*arrays.values(), strict=True)]
