"""Text tables in blocks, through pyarrow; the line-exact reader decides all doubts.

What is read here is what the line-exact reader reads, to the last bit. A block goes to the parser
only if it is ASCII without blank lines and control characters, and without quotes but around whole
fields, so that a row is a line and a field is what stands between two delimiters; a number that is
not finite, or that may have been rounded to 0, is a doubt.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeVar

import numpy as np

from betaroc.core.arrays import AnyArray, FloatArray, IntArray
from betaroc.core.checks import LARGEST_EXACT
from betaroc.data.rows import FAIL, Rows, Wanted
from betaroc.data.text_files import DAMAGED, TextFile, TextLayout
from betaroc.data.text_lines import is_rounded_to_zero, read_lines

_T = TypeVar("_T")
#: Bytes of a block: what is in memory at once.
_BLOCK = 2**21
#: Files up to this size are not worth the import of pyarrow.
_SMALL = 2**20
#: Longer lines are for the line-exact reader, which knows how long lines and fields may be.
_LONGEST = 2**16
#: More kinds of labels are for the line-exact reader to refuse.
_MANY = 16
_BOM = b"\xef\xbb\xbf"
_LF, _BLANK, _QUOTE = 10, 32, 34


class _DoubtError(Exception):
    """The line-exact reader must decide."""


def collect_parts(
    file: TextFile, layout: TextLayout, wanted: Wanted, collect: Callable[[Iterator[Rows]], _T]
) -> _T:
    """What `collect` makes of the parts of a text file, of which there is one at least.

    It is called again, with all parts from the first, where the parser of columns leaves a doubt.
    """
    is_table = layout.start == 1 and layout.kind not in ("json", "jsonl")
    if is_table and file.path.stat().st_size > _SMALL and find_spec("pyarrow"):
        with suppress(_DoubtError):
            return collect(_bounded(file, _quick_table(file, wanted, layout)))
    return collect(_bounded(file, read_lines(file, wanted, layout)))


def _bounded(file: TextFile, parts: Iterator[Rows]) -> Iterator[Rows]:
    """The parts, as long as they do not have too many rows."""
    rows = 0
    for part in parts:
        rows += part.codes.size
        file.refuse_too_many(rows, "at least ")
        yield part


# ------------------------------------------------------------------------------------- blocks
class _Table(NamedTuple):
    """A table's signs, width, and which columns are wanted: the score, then the texts."""

    delimiter: str
    decimal: str
    width: int
    score: int | None
    texts: list[int]
    missing: str


class _Texts(NamedTuple):
    """A column of texts: each text once, and its code in each row."""

    codes: IntArray
    texts: list[str]

    def stripped(self) -> _Texts:
        """Without the blanks around; an empty one is a doubt."""
        found = [text.strip() for text in self.texts]
        if "" in found:
            raise _DoubtError
        if found == self.texts:
            return self
        known: dict[str, int] = {}
        codes = [known.setdefault(text, len(known)) for text in found]
        merged = len(known) < len(codes)
        return _Texts(np.array(codes)[self.codes] if merged else self.codes, list(known))


#: Texts of a missing score that a parser knows; others are doubts.
_NULLS = ["", "NA", "N/A", "nan", "NaN", "null", "NULL", "None", "?", "<NA>"]


def _quick_table(file: TextFile, wanted: Wanted, layout: TextLayout) -> Generator[Rows, None, None]:
    """The wanted columns of a table, in parts; raises a doubt at the first one."""
    with closing(file.blocks(_BLOCK)) as blocks:
        body = _next(blocks).removeprefix(_BOM)
        if b"\n" not in body:
            raise _DoubtError
        names = layout.names
        if names is None:
            header, _, body = body.partition(b"\n")
            names = _header_names(header, layout)
        table = _table_of(names, wanted, layout)
        labels = _Labels(lines=int(layout.names is None))
        yield _part(body, table, labels, file.name, wanted)
        while body := _next(blocks):
            yield _part(body, table, labels, file.name, wanted)


def _next(blocks: Iterator[bytes]) -> bytes:
    try:
        return next(blocks, b"")
    except DAMAGED as error:
        raise _DoubtError from error


def _header_names(header: bytes, layout: TextLayout) -> tuple[str, ...]:
    """The names of the columns in a header of one line."""
    header = header.removesuffix(b"\r")
    if b"\r" in header or b"\0" in header or len(header) > _LONGEST:
        raise _DoubtError
    try:
        text = header.decode("utf-8")
        if layout.separator == " ":
            return tuple(text.split())  # with quotes in them, no wanted name
        (names,) = csv.reader([text], delimiter=layout.separator, strict=True)
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        raise _DoubtError from error
    return tuple(name.strip() if layout.separator == "|" else name for name in names)


def _table_of(names: tuple[str, ...], wanted: Wanted, layout: TextLayout) -> _Table:
    """The columns by their names, where each is there once."""
    if any(names.count(column) != 1 for column in wanted.columns):
        raise _DoubtError
    texts = [names.index(column) for column in wanted.columns]
    score = texts.pop(0) if wanted.scored else None
    return _Table(layout.separator, layout.decimal, len(names), score, texts, wanted.missing)


@dataclass
class _Labels:
    """The labels' texts of the blocks so far, with the lines where they first occur."""

    tokens: list[str] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    lines: int = 1  # those before the first row

    def codes(self, found: _Texts, lines: int) -> IntArray:
        """The codes of the labels of a block of so many lines, among those of the whole file."""
        if len({*self.tokens, *found.texts}) > _MANY:
            raise _DoubtError
        places = [int(np.argmax(found.codes == k)) for k in range(len(found.texts))]
        for place, text in sorted(zip(places, found.texts, strict=True)):
            if text not in self.tokens:
                self.tokens.append(text)
                self.first.append(self.lines + place + 1)
        self.lines += lines
        return np.array([self.tokens.index(t) for t in found.texts], dtype=np.int8)[found.codes]


def _part(body: bytes, table: _Table, labels: _Labels, name: str, wanted: Wanted) -> Rows:
    block, body = body, _plain(body, table.delimiter)
    data = np.frombuffer(body, np.uint8)
    ends = np.flatnonzero(data == _LF)
    _doubt_bytes(body, data, ends, table.delimiter)
    scores, texts = _parsed(body, table)
    known = np.isfinite(scores) if table.missing == FAIL else ~np.isinf(scores)
    if not known.all():
        raise _DoubtError
    _doubt_rounded(body, data, ends, scores, table)
    n = len(wanted.label)
    stripped = [text.stripped() for text in texts]
    as_they_are = n == 1 and table.delimiter != "|"  # blanks about labels are judged with all rows
    label = _label(texts[:1] if as_they_are else stripped[:n], scores.size)
    names = stripped[n:]
    if not scores.size == label.codes.size == ends.size:
        raise _DoubtError
    after = block[len(block.rstrip(b"\r\n")) :].count(b"\n") - 1  # blank lines at the end
    codes = labels.codes(label, ends.size + max(after, 0))
    named = {c: np.array(n.texts)[n.codes] for c, n in zip(wanted.named, names, strict=True)}
    tokens, first = labels.tokens[:], labels.first[:]
    return Rows(name, "line", tokens, first, scores, codes, named, wanted.missing)


def _label(columns: list[_Texts], n: int) -> _Texts:
    """What says who is a client: a column, or whether two are equal; else all are alike."""
    if len(columns) == 1:
        return columns[0]
    if not columns:
        return _Texts(np.zeros(n, dtype=np.int8), ["1"])
    one, other = columns
    known = {text: code for code, text in enumerate(dict.fromkeys([*one.texts, *other.texts]))}
    both = [np.array([known[t] for t in column.texts])[column.codes] for column in columns]
    equal = both[0] == both[1]
    kinds = [text for text, there in (("1", equal.any()), ("0", not equal.all())) if there]
    return _Texts(np.where(equal, 0, len(kinds) - 1), kinds)


def _plain(body: bytes, delimiter: str) -> bytes:
    """The block with LF at the end of every line, no blank line at its end, and no quotes."""
    if b"\r" in body:
        body = body.replace(b"\r\n", b"\n")
    if delimiter == " ":
        body = _single_blanks(body)
    if not body.endswith(b"\n") or body.endswith(b"\n\n"):
        body = body.rstrip(b"\n") + b"\n"
    return _unquoted(body, delimiter) if b'"' in body else body


def _single_blanks(body: bytes) -> bytes:
    """The block with one blank for any white space within a line, and none at its ends."""
    body = body.replace(b"\t", b" ")
    while b"  " in body:
        body = body.replace(b"  ", b" ")
    body = body.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    if body.startswith(b"#") or b"\n#" in body:  # comments
        raise _DoubtError
    return body


def _unquoted(body: bytes, delimiter: str) -> bytes:
    """The block without the quotes around whole fields; any others are a doubt."""
    if delimiter == " ":
        raise _DoubtError
    data = np.frombuffer(b"\n" + body, np.uint8)
    between = (data == _LF) | (data == ord(delimiter))
    quotes = np.flatnonzero(data == _QUOTE)
    if quotes.size % 2:
        raise _DoubtError
    opened, closed = quotes[::2], quotes[1::2]
    ends = np.flatnonzero(between)
    inside = np.searchsorted(ends, closed) - np.searchsorted(ends, opened)
    if not (between[opened - 1].all() and between[closed + 1].all()) or inside.any():
        raise _DoubtError
    return body.replace(b'"', b"")


def _doubt_bytes(body: bytes, data: AnyArray, ends: IntArray, delimiter: str) -> None:
    """Raise a doubt unless each line is a row of plain text that is not blank."""
    lengths = np.diff(ends, prepend=-1)
    controls = int(np.count_nonzero(data < _BLANK)) - ends.size
    if delimiter == "\t":
        controls -= int(np.count_nonzero(data == ord("\t")))
    if controls or not body.isascii() or lengths.min() == 1 or lengths.max() > _LONGEST:
        raise _DoubtError


def _doubt_rounded(
    body: bytes, data: AnyArray, ends: IntArray, scores: FloatArray, table: _Table
) -> None:
    """Raise a doubt if a score that is 0 was not: one of 3 digits of exponent, or of 200 zeros.

    Or if one is an integer beyond those that are all doubles.
    """
    zeros, starts = np.flatnonzero(scores == 0.0), np.concatenate([[0], ends + 1])
    if table.score is None:
        return
    for row in np.flatnonzero(np.abs(scores) >= LARGEST_EXACT).tolist():
        line = body[starts[row] : ends[row]].decode("ascii")
        if line.split(table.delimiter)[table.score].strip(" +-").isdigit():
            raise _DoubtError
    if not zeros.size:
        return
    e = np.flatnonzero((data | 32) == ord("e"))
    e = e[e < data.size - 4]
    digits = [(data[e + k] >= ord("0")) & (data[e + k] <= ord("9")) for k in (2, 3, 4)]
    if b"0" * 200 not in body and not np.any((data[e + 1] == ord("-")) & np.all(digits, axis=0)):
        return
    for row in zeros.tolist():
        line = body[starts[row] : ends[row]].decode("ascii")
        if is_rounded_to_zero(line.split(table.delimiter)[table.score]):
            raise _DoubtError


def _parsed(body: bytes, table: _Table) -> tuple[FloatArray, list[_Texts]]:
    """The scores, and the columns of texts."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    names = [f"f{k}" for k in table.texts]
    types: dict[str, Any] = {name: pa.dictionary(pa.int32(), pa.string()) for name in names}
    score = [] if table.score is None else [f"f{table.score}"]
    try:
        found = arrow.read_csv(
            pa.BufferReader(body),
            read_options=arrow.ReadOptions(column_names=[f"f{k}" for k in range(table.width)]),
            parse_options=arrow.ParseOptions(
                delimiter=table.delimiter,
                quote_char=False,
                double_quote=False,
                ignore_empty_lines=False,
            ),
            convert_options=arrow.ConvertOptions(
                column_types=types | dict.fromkeys(score, pa.float64()),
                include_columns=score + names,
                null_values=[] if table.missing == FAIL else _NULLS,
                decimal_point=table.decimal,
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise _DoubtError from error
    columns = {n: found.column(n).unify_dictionaries().combine_chunks() for n in score + names}
    # Not to_numpy, which imports pandas.
    texts = [
        _Texts(np.asarray(np.from_dlpack(t.indices), dtype=np.int32), t.dictionary.to_pylist())
        for t in map(columns.__getitem__, names)
    ]
    if not score:
        return np.zeros(found.num_rows), texts
    scores = columns[score[0]]
    gaps = scores.null_count
    values = np.asarray(np.from_dlpack(scores.fill_null(np.nan) if gaps else scores), np.float64)
    if table.missing != FAIL and np.count_nonzero(np.isnan(values)) > gaps:  # such as nan(1)
        raise _DoubtError
    return values, texts
