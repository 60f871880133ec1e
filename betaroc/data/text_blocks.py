"""Text tables in blocks, through a parser of columns; the line-exact reader decides all doubts.

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
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import numpy as np

from betaroc.core.arrays import AnyArray, FloatArray, IntArray
from betaroc.data.rows import Rows, Wanted
from betaroc.data.text_files import DAMAGED, TextFile, columns_of, is_rounded_to_zero, read_table

__all__ = ["DELIMITERS", "collect_parts"]

_T = TypeVar("_T")
DELIMITERS = {"csv": ",", "tsv": "\t"}
#: Bytes of a block: what is in memory at once.
_BLOCK = 2**21
#: Files up to this size are not worth the import of a parser.
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
    file: TextFile, layout: str, wanted: Wanted, collect: Callable[[Iterator[Rows]], _T]
) -> _T:
    """What `collect` makes of the parts of a text file, of which there is one at least.

    It is called again, with all parts from the first, where the parser of columns leaves a doubt.
    """
    delimiter = DELIMITERS.get(layout)
    if delimiter is None:
        return collect(columns_of(file, int(layout[0]), wanted))
    with suppress(_DoubtError):
        return collect(_quick_table(file, wanted, delimiter))
    return collect(read_table(file, wanted, delimiter))


# ------------------------------------------------------------------------------------- blocks
class _Table(NamedTuple):
    """A table's delimiter, width, and which columns are wanted: the score, then the texts."""

    delimiter: str
    width: int
    score: int
    texts: list[int]


class _Texts(NamedTuple):
    """A column of texts: each text once, and its code in each row."""

    codes: IntArray
    texts: list[str]

    def stripped(self) -> _Texts:
        """Without the blanks around; an empty one is a doubt."""
        known: dict[str, int] = {}
        codes = [known.setdefault(text.strip(), len(known)) for text in self.texts]
        if "" in known:
            raise _DoubtError
        merged = len(known) < len(codes)
        return _Texts(np.array(codes)[self.codes] if merged else self.codes, list(known))


#: What parses a block: the scores, and the columns of texts.
_Parser = Callable[[bytes, _Table], tuple[FloatArray, list[_Texts]]]


def _quick_table(file: TextFile, wanted: Wanted, delimiter: str) -> Generator[Rows, None, None]:
    """The wanted columns of a table with a header, in parts; raises a doubt at the first one."""
    parser = _parser_for(file.path.stat().st_size)
    with closing(file.blocks(_BLOCK)) as blocks:
        first = _next(blocks)
        header, _, body = first.removeprefix(_BOM).partition(b"\n")
        if b"\n" not in first:
            raise _DoubtError
        table = _table_of(header, wanted, delimiter)
        labels = _Labels()
        while body or labels.lines == 1:
            yield _part(body, table, parser, labels, file.name, list(wanted.named))
            body = _next(blocks, b"")


def _next(blocks: Iterator[bytes], default: bytes | None = None) -> bytes:
    try:
        block = next(blocks, default)
    except DAMAGED as error:
        raise _DoubtError from error
    if block is None:
        raise _DoubtError
    return block


def _table_of(header: bytes, wanted: Wanted, delimiter: str) -> _Table:
    """The columns by the header, where it is one line and has them once."""
    header = header.removesuffix(b"\r")
    if b"\r" in header or b"\0" in header or len(header) > _LONGEST:
        raise _DoubtError
    try:
        (names,) = csv.reader([header.decode("utf-8")], delimiter=delimiter, strict=True)
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        raise _DoubtError from error
    columns = [wanted.score, wanted.label, *wanted.named]
    if len(set(names)) != len(names) or not set(columns) <= set(names):
        raise _DoubtError
    score, *texts = [names.index(column) for column in columns]
    return _Table(delimiter, len(names), score, texts)


@dataclass
class _Labels:
    """The labels' texts of the blocks so far, with the lines where they first occur."""

    tokens: list[str] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    lines: int = 1  # the header

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


def _part(
    body: bytes, table: _Table, parser: _Parser, labels: _Labels, name: str, columns: list[str]
) -> Rows:
    block, body = body, _plain(body, table.delimiter)
    data = np.frombuffer(body, np.uint8)
    ends = np.flatnonzero(data == _LF)
    _doubt_bytes(body, data, ends, table.delimiter)
    scores, texts = parser(body, table)
    if not np.isfinite(scores).all():
        raise _DoubtError
    _doubt_zeros(body, data, ends, scores, table)
    label, *names = [text.stripped() for text in texts]
    if not scores.size == label.codes.size == ends.size:
        raise _DoubtError
    codes = labels.codes(label, ends.size + _blank_lines_after(block))
    named = {c: np.array(n.texts)[n.codes] for c, n in zip(columns, names, strict=True)}
    return Rows(name, "line", labels.tokens[:], labels.first[:], scores, codes, named)


def _plain(body: bytes, delimiter: str) -> bytes:
    """The block with LF at the end of every line, no blank line at its end, and no quotes."""
    if b"\r" in body:
        body = body.replace(b"\r\n", b"\n")
    if not body.endswith(b"\n") or body.endswith(b"\n\n"):
        body = body.rstrip(b"\n") + b"\n"
    return _unquoted(body, delimiter) if b'"' in body else body


def _blank_lines_after(block: bytes) -> int:
    """Blank lines at the end of a block."""
    end = block[len(block.rstrip(b"\r\n")) :]
    return max(end.count(b"\n") - 1, 0)


def _unquoted(body: bytes, delimiter: str) -> bytes:
    """The block without the quotes around whole fields; any others are a doubt."""
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


def _doubt_zeros(
    body: bytes, data: AnyArray, ends: IntArray, scores: FloatArray, table: _Table
) -> None:
    """Raise a doubt if a score that is 0 was not: one of 3 digits of exponent, or of 200 zeros."""
    zeros = np.flatnonzero(scores == 0.0)
    if not zeros.size:
        return
    e = np.flatnonzero((data | 32) == ord("e"))
    e = e[e < data.size - 4]
    digits = [(data[e + k] >= ord("0")) & (data[e + k] <= ord("9")) for k in (2, 3, 4)]
    if b"0" * 200 not in body and not np.any((data[e + 1] == ord("-")) & np.all(digits, axis=0)):
        return
    starts = np.concatenate([[0], ends + 1])
    for row in zeros.tolist():
        line = body[starts[row] : ends[row]].decode("ascii")
        if is_rounded_to_zero(line.split(table.delimiter)[table.score]):
            raise _DoubtError


# ------------------------------------------------------------------------------------- parsers
def _parser_for(size: int) -> _Parser:
    """The first parser that can be imported; none is imported for a small file."""
    if size > _SMALL:
        for package, parser in _PARSERS.items():
            with suppress(ImportError):
                import_module(package)
                return parser
    return _split


def _pyarrow(body: bytes, table: _Table) -> tuple[FloatArray, list[_Texts]]:
    import pyarrow as pa
    from pyarrow import csv as arrow

    names = [f"f{k}" for k in (table.score, *table.texts)]
    types = {name: pa.dictionary(pa.int32(), pa.string()) for name in names[1:]}
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
                column_types={names[0]: pa.float64(), **types},
                include_columns=names,
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise _DoubtError from error
    scores, *texts = [found.column(name).unify_dictionaries().combine_chunks() for name in names]
    # Not to_numpy, which imports pandas.
    values = np.asarray(np.from_dlpack(scores), dtype=np.float64)
    return values, [
        _Texts(np.asarray(np.from_dlpack(t.indices), dtype=np.int32), t.dictionary.to_pylist())
        for t in texts
    ]


def _polars(body: bytes, table: _Table) -> tuple[FloatArray, list[_Texts]]:
    import polars as pl

    _require_width(body, table)
    names = [f"f{k}" for k in range(table.width)]
    types: list[Any] = [pl.String] * table.width
    types[table.score] = pl.Float64
    try:
        found = pl.read_csv(
            body,
            has_header=False,
            separator=table.delimiter,
            quote_char=None,
            schema=dict(zip(names, types, strict=True)),
            columns=[table.score, *table.texts],
        )
    except pl.exceptions.PolarsError as error:
        raise _DoubtError from error
    if any(found[name].null_count() for name in found.columns):
        raise _DoubtError
    texts = [_polars_texts(found[names[k]]) for k in table.texts]
    return found[names[table.score]].to_numpy(), texts


def _polars_texts(column: Any) -> _Texts:
    texts = column.unique(maintain_order=True)
    codes = column.replace_strict(texts, range(len(texts)))
    return _Texts(codes.to_numpy(), texts.to_list())


def _split(body: bytes, table: _Table) -> tuple[FloatArray, list[_Texts]]:
    """Without a package: fields split, numbers read by Python, as the line-exact reader does."""
    _require_width(body, table)
    fields = body.decode("ascii").replace("\n", table.delimiter).split(table.delimiter)
    del fields[-1]  # behind the last end of a line
    scores = fields[table.score :: table.width]
    if b"_" in body and any("_" in score for score in scores):  # 1_000 is a number of Python's
        raise _DoubtError
    try:
        values = np.fromiter(map(float, scores), np.float64, len(scores))
    except ValueError as error:
        raise _DoubtError from error
    return values, [_split_texts(fields[k :: table.width]) for k in table.texts]


def _split_texts(column: list[str]) -> _Texts:
    known = {text: code for code, text in enumerate(dict.fromkeys(column))}
    return _Texts(np.fromiter(map(known.__getitem__, column), np.int64, len(column)), list(known))


def _require_width(body: bytes, table: _Table) -> None:
    """Raise a doubt unless each line has as many fields as the header."""
    data = np.frombuffer(body, np.uint8)
    ends: AnyArray = data[(data == _LF) | (data == ord(table.delimiter))] == _LF
    if ends.size % table.width:
        raise _DoubtError
    rows = ends.reshape(-1, table.width)
    if rows[:, :-1].any() or not rows[:, -1].all():
        raise _DoubtError


_PARSERS: dict[str, _Parser] = {"pyarrow.csv": _pyarrow, "polars": _polars}
