"""Text score files, line by line: nothing is guessed, every error names its line."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import math
import re
import sys
import zlib
from array import array
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.sentences import worded
from betaroc.core.text import listed, nearest, shown
from betaroc.data.rows import Rows, Wanted, missing_column

#: A gzip file may expand to this size, and beyond it to this many times its own.
_EXPANDED, _RATIO = 2**30, 1000
_LINE = 2**20
_INF = math.inf
_PROGRESS_FROM = 2**20
#: Bytes that the number of lines is estimated from.
_SAMPLE = 2**20
#: Rows of a part: what is in memory at once.
_PART = 2**20
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
#: What is raised for gzip that is no gzip, or not all of it.
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)


class _Bounded(io.RawIOBase):
    """A decompressed stream that stops at an absurd size."""

    def __init__(self, stream: gzip.GzipFile, packed: int, name: str) -> None:
        super().__init__()
        self._stream, self._name, self._size = stream, name, 0
        self._limit = max(_EXPANDED, _RATIO * packed)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer)
        data = self._stream.read1(len(view))
        self._size += len(data)
        if self._size > self._limit:
            raise FileFormatError(
                f"{self._name} must not expand beyond {_EXPANDED >> 30} GiB and {_RATIO} times its"
                f" size; {self._size} bytes so far. Decompress it yourself if it is to be trusted."
            )
        view[: len(data)] = data
        return len(data)


@dataclass(frozen=True)
class TextFile:
    """A text file, perhaps gzip-compressed; ``name`` is how messages call it."""

    path: Path
    name: str
    zipped: bool

    def lines(self) -> Generator[str, None, None]:
        """The lines with their ends (LF, CRLF or CR)."""
        size = self.path.stat().st_size
        number = 0
        with self.path.open("rb") as raw, _progress(size) as advance:
            stream = io.TextIOWrapper(self._bytes(raw, size), encoding="utf-8-sig", newline="")
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
                raise FileFormatError(
                    f"{self.name} must be intact gzip; after line {number}: {shown(str(error))}."
                    " It is truncated or damaged: copy or export it again."
                ) from error

    def blocks(self, size: int) -> Generator[bytes, None, None]:
        """The bytes in blocks of about `size` that end with LF, but for the file's last one."""
        total = self.path.stat().st_size
        with self.path.open("rb") as raw, _progress(total) as advance:
            stream, rest = self._bytes(raw, total), b""
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
            lines = self._bytes(raw, size).read(_SAMPLE).count(b"\n")
            return lines * size // max(raw.tell(), 1)
        return 0

    def _bytes(self, raw: BinaryIO, size: int) -> BinaryIO:
        if not self.zipped:
            return raw
        return io.BufferedReader(_Bounded(gzip.GzipFile(fileobj=raw), size, self.name), 2**16)

    def _refuse_line(self, line: str, number: int) -> NoReturn:
        if "\0" in line:
            raise FileFormatError(
                f"{self.name} must be text; line {number} has a NUL byte at column"
                f" {line.index(chr(0)) + 1}. Is it UTF-16 or binary? Save it as UTF-8."
            )
        raise FileFormatError(
            f"{self.name} must have lines of less than {_LINE} characters; line {number} is"
            " longer. Is it a text file with one trial a line?"
        )

    def _encoding_error(self) -> FileFormatError:
        """Where the first byte stands that is no UTF-8."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        seen, offset, byte = 0, 0, b""
        with self.path.open("rb") as raw:
            stream = self._bytes(raw, self.path.stat().st_size)
            while chunk := stream.read(2**16):
                pending = len(decoder.getstate()[0])
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError as error:
                    offset, byte = seen - pending + error.start, error.object[error.start :][:1]
                    break
                seen += len(chunk)
        return FileFormatError(
            f"{self.name} must be UTF-8 text; byte {byte!r} at byte offset {offset} is not."
            " Is it Latin-1 or UTF-16? Save it as UTF-8, such as with iconv -f latin1 -t utf-8."
        )


@contextmanager
def _progress(size: int) -> Iterator[Callable[[int], object]]:
    """A bar on a terminal once reading has taken a second."""
    if size < _PROGRESS_FROM or sys.stderr is None or not sys.stderr.isatty():
        yield lambda at: None
        return
    from tqdm import tqdm

    with tqdm(total=size, desc="reading", unit="B", unit_scale=True, delay=1.0, leave=False) as bar:
        yield lambda at: bar.update(at - bar.n)


def layout_of(file: TextFile) -> str:
    """``csv``, ``tsv``, or the bob.measure layout that the first line shows."""
    first = ""
    with closing(file.lines()) as lines:
        for line in lines:
            text = line.strip()
            first = first or text
            if text and not text.startswith("#"):
                fields = text.split()
                if len(fields) in {2, 4, 5} and "," not in text and _NUMBER(fields[-1]):
                    _refuse_two_readings(file.name, fields, text)
                    return f"{len(fields)}col"
                break
    if not first:
        raise FileFormatError(f"{file.name} must hold scores; all its lines are blank.")
    return "tsv" if "\t" in first and first.count("\t") >= first.count(",") else "csv"


def _refuse_two_readings(name: str, fields: list[str], text: str) -> None:
    """Identities that are decimal numbers may be scores, of a table that lost its header."""
    identities = fields[:-2] if len(fields) > 2 else []
    decimal = [f for f in identities if _NUMBER(f) and not f.lstrip("+-").isdigit()]
    if decimal:
        raise FileFormatError(
            f"{name} may be {len(fields)}col text, whose clients are the rows with equal claimed"
            f" and real identity, or a table without a header: {shown(decimal[0])} in its first"
            f" line is a decimal number, {shown(text)}. Pass"
            + worded(f" `format='{len(fields)}col'`, or write a")
            + " header and commas."
        )


#: What the columns of bob.measure's text are called in ``group`` and ``id``.
_BOB = {
    2: (),
    4: ("claimed", "real", "probe"),
    5: ("claimed", "model", "real", "probe"),
}


class _Names:
    """One column of names: each text once, and a code for each row."""

    def __init__(self, file: str, column: str) -> None:
        self.file, self.column = file, column
        self.codes, self.known = array("q"), dict[str, int]()

    def add(self, text: str, line: int) -> None:
        name = text.strip()
        if not name:
            raise FileFormatError(
                f"{self.file}, line {line}: column {shown(self.column)} must not be missing; got"
                f" {shown(text)}. Give it, or remove the line."
            )
        self.codes.append(self.known.setdefault(name, len(self.known)))

    def taken(self) -> AnyArray:
        """The names since they were last taken."""
        names = np.array(list(self.known), dtype=np.str_)
        found = names[np.frombuffer(self.codes, dtype=np.int64)]
        self.codes, self.known = array("q"), {}
        return found


def is_rounded_to_zero(score: str) -> bool:
    """Whether the text of a score that is read as 0 has a digit other than 0."""
    return bool(re.split("[eE]", score)[0].strip().strip("+-0."))


class _Collector:
    """Scores and label codes in little memory."""

    def __init__(self, name: str, columns: list[str]) -> None:
        self.name = name
        self.names = [_Names(name, column) for column in columns]
        self.scores, self.codes = array("d"), array("q")
        self.known: dict[str, int] = {}
        self.first: list[int] = []

    def add(self, score: str, label: str, line: int) -> None:
        if not _NUMBER(score):
            score = score.strip()
            if not _NUMBER(score):
                self._refuse_text(score, line)
        value = float(score)
        if value == 0.0 or value == _INF or value == -_INF:
            self._refuse_rounded(score, value, line)
        code = self.known.get(label)
        if code is None:
            code = self._new_label(label, line)
        self.scores.append(value)
        self.codes.append(code)

    def _new_label(self, label: str, line: int) -> int:
        if not label.strip():
            raise FileFormatError(
                f"{self.name}, line {line}: the label must not be missing; got {shown(label)}."
                " Give it, or remove the line."
            )
        if len(self.known) >= 1000:
            raise FileFormatError(
                f"{self.name}: labels must be of two kinds; by line {line} there are more than"
                f" 1000: {listed(self.known)}. Are the score and the label column swapped?"
            )
        self.first.append(line)
        return self.known.setdefault(label, len(self.known))

    def _refuse_text(self, score: str, line: int) -> NoReturn:
        word = score.lstrip("+-").casefold()
        if word == "nan" or word in {"inf", "infinity"}:
            must, do = "be finite", "Remove or replace this trial: nothing is dropped unasked."
        elif not word or word in {"na", "n/a", "null", "none", "?", "<na>"}:
            must = "be a number, not missing"
            do = "Remove the line or give the score: nothing is dropped unasked."
        elif _NUMBER(score.replace(",", ".", 1)):
            must, do = "be a number", "Comma decimals are not read: write a decimal point."
        else:
            must, do = "be a number", "Correct it, or remove the line."
        raise FileFormatError(
            f"{self.name}, line {line}: the score must {must}; got {shown(score)}. {do}"
        )

    def _refuse_rounded(self, score: str, value: float, line: int) -> None:
        if value == 0.0 and not is_rounded_to_zero(score):
            return
        raise FileFormatError(
            f"{self.name}, line {line}: the score must fit float64; {shown(score)} would be read"
            f" as {value!r}. Rescale the scores, or give their logarithms."
        )

    def taken(self) -> Rows:
        """The rows since they were last taken."""
        scores, codes = np.frombuffer(self.scores, np.float64), np.frombuffer(self.codes, np.int64)
        self.scores, self.codes = array("d"), array("q")
        names = {c.column: c.taken() for c in self.names if c.codes}
        return Rows(self.name, "line", list(self.known), self.first[:], scores, codes, names)


def columns_of(file: TextFile, n: int, wanted: Wanted) -> Generator[Rows, None, None]:
    """bob.measure's text of ``n`` columns separated by blanks, in parts."""
    real = {4: 1, 5: 2}.get(n)
    places = [_place_of(role, c, n, file.name) for c, role in wanted.named.items()]
    found = _Collector(file.name, list(wanted.named))
    with closing(file.lines()) as lines:
        for line, text in enumerate(lines, 1):
            fields = text.split()
            if not fields or fields[0].startswith("#"):
                continue
            if len(fields) != n:
                raise FileFormatError(
                    f"{file.name} must have {n} columns separated by blanks; line {line} has"
                    f" {len(fields)}: {shown(text.strip())}. Correct the line, or pass"
                    + worded(" `format=`.")
                )
            label = fields[0] if real is None else str(int(fields[0] == fields[real]))
            found.add(fields[-1], label, line)
            for column, place in zip(found.names, places, strict=True):
                column.add(fields[place], line)
            if len(found.scores) >= _PART:
                yield found.taken()
    yield found.taken()


def _place_of(role: str, column: str, n: int, name: str) -> int:
    """Which of the blank-separated columns is meant."""
    known = _BOB[n]
    if column not in known:
        there = f"are {listed(known)}" if known else "are none"
        raise InputError.about(role)(
            f"{role} must name columns of {name}, which is {n}col text: there {there}; got"
            f" {shown(column)}. {nearest(column, known)}Pass"
            + worded(f" `{role}=...` or a csv file.")
        )
    return known.index(column)


def read_table(file: TextFile, wanted: Wanted, delimiter: str) -> Generator[Rows, None, None]:
    """The wanted columns of a table with a header, in parts."""
    with closing(file.lines()) as lines:
        yield from _read_records(file, _records(file, lines, delimiter), wanted, delimiter)


def _read_records(
    file: TextFile, rows: Iterator[tuple[list[str], int]], wanted: Wanted, delimiter: str
) -> Generator[Rows, None, None]:
    score, label = wanted.score, wanted.label
    found = _Collector(file.name, list(wanted.named))
    header, line = next(rows, ([], 0))
    if score not in header and any(";" in h for h in header):
        _refuse_semicolons(header, line, rows, file.name, delimiter)
    s, l = _positions(header, line, file.name, score, label, delimiter)  # noqa: E741
    for column, role in wanted.named.items():
        if column not in header:
            raise missing_column(file.name, role, column, header)
    others = [(names, header.index(names.column)) for names in found.names]
    width = len(header)
    for row, line in rows:
        if len(row) != width:
            _refuse_width(row, width, line, file.name)
        found.add(row[s], row[l].strip(), line)
        for names, place in others:
            names.add(row[place], line)
        if len(found.scores) >= _PART:
            yield found.taken()
    yield found.taken()


def _records(
    file: TextFile, lines: Iterator[str], delimiter: str
) -> Iterator[tuple[list[str], int]]:
    """Rows that are not blank, each with the line where it starts."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    start = 1
    try:
        for row in reader:
            if row:
                yield row, start
            start = reader.line_num + 1
    except csv.Error as error:
        unclosed = "unexpected end" in str(error) or "field limit" in str(error)
        what = "a quote opened there is never closed" if unclosed else shown(str(error))
        raise FileFormatError(
            f"{file.name}, line {start}: quotes must be balanced; {what}."
            " Close the quote or remove it."
        ) from error


def _refuse_semicolons(
    header: list[str], line: int, rows: Iterator[tuple[list[str], int]], name: str, delimiter: str
) -> NoReturn:
    row, second = next(rows, ([], 0))
    text = delimiter.join(row)
    commas, do = "", "Replace the semicolons by commas."
    if "," in text:
        commas = f" and line {second} has comma decimals: {shown(text)}"
        do = "Replace decimal commas by points, then semicolons by commas."
    raise FileFormatError(
        f"{name} must be separated by commas or tabs; line {line} is separated by semicolons:"
        f" {shown(delimiter.join(header))}{commas}. {do}"
    )


def _header_for(row: list[str], score: str, label: str, delimiter: str) -> str:
    """The first line that a file without one should get, its columns in the order found."""
    if len(row) != 2:
        return "Add a first line that names the columns, these two among them."
    binary = [field.strip() in {"0", "1", "-1"} for field in row]
    orders = [(label, score)] if binary == [True, False] else [(score, label)]
    if binary[0] == binary[1]:
        orders.append((label, score))
    lines = " or ".join(shown(delimiter.join(order)) for order in orders)
    return f"Add a first line {lines}" + (", as the columns are." if len(orders) > 1 else ".")


def _positions(
    header: list[str], line: int, name: str, score: str, label: str, delimiter: str
) -> tuple[int, int]:
    twice = [h for i, h in enumerate(header) if h in header[:i]]
    if twice:
        raise FileFormatError(
            f"{name}, line {line}: the header must have distinct names; {shown(twice[0])} occurs"
            f" {header.count(twice[0])} times (a duplicate). Rename one of them."
        )
    for role, column in (("score", score), ("label", label)):
        if column in header:
            continue
        if all(_NUMBER(h.strip()) for h in header):
            raise FileFormatError(
                f"{name} must have a header with the columns {shown(score)} and {shown(label)};"
                f" line {line} holds numbers: {listed(header)}."
                f" {_header_for(header, score, label, delimiter)}"
            )
        if len(header) == 1:
            _refuse_separator(header[0], line, name, delimiter)
        if len(header) == 1 and len(header[0].split()) > 1:
            raise FileFormatError(
                f"{name} must be separated by commas or tabs; line {line} is one column"
                f" {shown(header[0])}. Replace the blanks by commas."
            )
        raise missing_column(name, role, column, header)
    return header.index(score), header.index(label)


def _refuse_separator(text: str, line: int, name: str, delimiter: str) -> None:
    """A header of one column that holds the separator of the other format."""
    wanted, other, format_ = ("tabs", ",", "csv") if delimiter == "\t" else ("commas", "\t", "tsv")
    if other in text:
        found = "commas" if other == "," else "tabs"
        raise FileFormatError(
            f"{name} must be separated by {wanted}; line {line} is separated by {found}:"
            f" {shown(text)}. Leave format out, or pass" + worded(f" `format={format_!r}`.")
        )


def _refuse_width(row: list[str], width: int, line: int, name: str) -> NoReturn:
    if len(row) < width:
        hint = "A field is missing: give it, or remove the line."
    else:
        hint = "Comma decimals (0,25) are not read: write 0.25, or quote text that holds commas."
    raise FileFormatError(
        f"{name}, line {line}: each row must have {width} fields like the header; got {len(row)}:"
        f" {shown(','.join(row))}. {hint}"
    )
