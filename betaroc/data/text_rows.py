"""The rows of a text: exactly, line by line, or in blocks where a table is plain.

A block goes to pandas only if it is ASCII without blank lines, control characters and quotes within
fields, and its lines have as many fields as the header. At the first doubt the exact reader
continues from the block's first line.
"""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from betaroc.core import arrays, checks, vocabulary
from betaroc.core.errors import FileFormatError
from betaroc.core.text import format_value
from betaroc.data.labels import FAIL, ColumnSpec, LabelTexts, Rows, column_places, is_missing_word
from betaroc.data.text_files import DAMAGED, TextFile
from betaroc.data.text_layouts import TextLayout, is_number, split_fields, with_point

#: Rows of a part that is read line by line, and bytes of a block: what is in memory at once.
_PART, _BLOCK = 2**20, 2**23
#: Files up to this size are not worth the import of pandas.
_SMALL = 2**22
#: Longer lines, and more kinds of labels, are for the exact reader to judge.
_LONGEST, _MANY = 2**16, 16
#: Kinds of labels beyond which there is no end of them.
_MOST_LABELS = 1000
_LF, _BLANK, _TAB = 10, 32, 9
#: What is read as 0 may have another digit, far behind.
_TINY = re.compile(rb"[eE]-[0-9]{3}|0{200}").search
#: Rows that tell which columns hold numbers.
_FIRST_ROWS = 100


class DoubtError(Exception):
    """The exact reader must decide."""


def read_parts(file: TextFile, wanted: ColumnSpec, layout: TextLayout) -> Iterator[Rows]:
    """The wanted columns of a text file, in one part or more."""
    labels = LabelTexts()
    if layout.start == 1 and wanted.score is not None and file.size > _SMALL:
        with suppress(DoubtError, *DAMAGED):
            for part, rest in read_blocks(file, wanted, layout, labels):
                layout = rest
                yield part
            if labels.known:
                return
    yield from read_lines(file, wanted, layout, labels)


# ----------------------------------------------------------------------------- in blocks
def read_blocks(
    file: TextFile, wanted: ColumnSpec, layout: TextLayout, labels: LabelTexts
) -> Iterator[tuple[Rows, TextLayout]]:
    """The rows of plain blocks, each with the layout of the rest; ends with a doubt."""
    names, line, n = layout.names, 1, len(wanted.label)
    with closing(file.blocks(_BLOCK)) as blocks:
        for number, block in enumerate(blocks):
            body = block if number else block.removeprefix(b"\xef\xbb\xbf")
            if names is None:
                header, _, body = body.partition(b"\n")
                names, line = _header_names(header, layout.separator), 2
            if any(names.count(column) != 1 for column in wanted.columns):
                raise DoubtError
            lines = body.count(b"\n")
            places = [names.index(column) for column in wanted.columns]
            scores, texts = _parsed(_plain(body, layout.separator, len(names)), places, layout)
            if n == 1 and len(labels.known) + len(texts[0][1]) > _MANY:
                raise DoubtError
            columns = [*wanted.label, *wanted.named]
            if any("" in kinds for column, (_, kinds) in zip(columns, texts, strict=True)
                   if column not in wanted.optional):  # fmt: skip
                raise DoubtError
            codes = labels.coded(texts[:n], scores.size, line)
            named = zip(wanted.named, texts[n:], strict=True)
            content = {name: kinds.astype(np.str_)[which] for name, (which, kinds) in named}
            line += lines
            part = Rows(file.name, file.unit, labels, scores, codes, wanted, content)
            yield part, replace(layout, names=names, start=line)


def _header_names(header: bytes, separator: str) -> tuple[str, ...]:
    try:
        text = header.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        raise DoubtError from error
    if len(text) > _LONGEST or not text.replace("\t", "").isprintable() or text.count('"') % 2:
        raise DoubtError
    return tuple(split_fields(text, separator))


def _plain(body: bytes, sign: str, width: int) -> bytes:
    """The lines, each of so many plain fields, without quotes around these; else a doubt."""
    body = body.replace(b"\r\n", b"\n")
    if sign == " ":
        body = body.replace(b"\t", b" ")
        while b"  " in body:
            body = body.replace(b"  ", b" ")
        body = body.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        if body.startswith(b"#") or b"\n#" in body:
            raise DoubtError
    body = body if body.endswith(b"\n") else body + b"\n"
    data = np.frombuffer(body, np.uint8)
    marks = np.flatnonzero((data == _LF) | (data == ord(sign)))
    ends = data[marks] == _LF
    lines = np.count_nonzero(ends)
    if lines * width != ends.size or not ends[width - 1 :: width].all() or not body.isascii():
        raise DoubtError
    controls = np.count_nonzero(data < _BLANK) - lines
    controls -= np.count_nonzero(data == _TAB) if sign == "\t" else 0
    lengths = np.diff(marks[ends], prepend=-1)
    if controls or lengths.min() == 1 or lengths.max() > _LONGEST:
        raise DoubtError
    quotes = np.flatnonzero(data == ord('"'))
    if not quotes.size:
        return body
    after = np.searchsorted(marks, quotes)
    starts, stops = np.append(-1, marks)[after] + 1 == quotes, marks[after] - 1 == quotes
    alike = quotes.size % 2 == 0 and np.array_equal(after[::2], after[1::2])
    if not (alike and starts[::2].all() and stops[1::2].all()):
        raise DoubtError
    return body.replace(b'"', b"")


def _parsed(
    body: bytes, places: list[int], layout: TextLayout
) -> tuple[arrays.FloatArray, list[tuple[arrays.IntArray, Any]]]:
    import pandas as pd

    score, *texts = places
    options: dict[str, Any] = {}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):  # later ones round so always
        options["float_precision"] = "round_trip"
    try:
        table = pd.read_csv(
            io.BytesIO(body), sep=layout.separator, decimal=layout.decimal, header=None,
            engine="c", usecols=places, quoting=csv.QUOTE_NONE, na_filter=False,
            dtype=dict.fromkeys(texts, object) | {score: np.float64}, **options,
        )  # fmt: skip
    except ValueError as error:
        raise DoubtError from error
    columns = [pd.factorize(table[k].to_numpy()) for k in texts]
    if any(text != text.strip() for _, kinds in columns for text in kinds):
        raise DoubtError
    scores = table[score].to_numpy(np.float64)
    if not np.all(np.abs(scores) < checks.LARGEST_EXACT) or (not scores.all() and _TINY(body)):
        raise DoubtError
    return scores, columns


# ----------------------------------------------------------------------------- line by line
def read_lines(
    file: TextFile, wanted: ColumnSpec, layout: TextLayout, labels: LabelTexts
) -> Iterator[Rows]:
    """The wanted columns of a text, in parts."""
    scores, codes, n = array("d"), array("q"), len(wanted.label)
    names: dict[str, list[str]] = {column: [] for column in wanted.named}

    def part() -> Rows:
        columns = {column: np.array(texts) for column, texts in names.items() if texts}
        content = np.frombuffer(scores, np.float64), np.frombuffer(codes, np.int64)
        return Rows(file.name, file.unit, labels, *content, wanted, columns)

    with closing(file.lines()) as lines:
        records = _records_of(file.name, lines, layout)
        present, line = (list(layout.names), 0) if layout.names else next(records, ([], 0))
        places = column_places(f"{file.name}, line {line}," if line else file.name, present, wanted)
        width = len(present)
        score = None if wanted.score is None else places.pop(0)
        for row, line in records:
            where = f"{file.name}, {file.unit} {line}"
            if len(row) != width:
                _refuse_width(row, width, where, layout)
            scores.append(0.0 if score is None else _score(row[score], layout, wanted, where))
            label = row[places[0]] if n == 1 else "1"
            if n == 2:
                first, second = (_present(row[k], where, "an identity") for k in places[:2])
                label = "1" if first == second else "0"
            if label not in labels.known:
                _present(label, where, "the label")
                if len(labels.known) >= _MOST_LABELS:
                    raise FileFormatError(
                        f"{file.name}: labels must be of two kinds; by {file.unit} {line} there are"
                        f" more than {_MOST_LABELS}. Are the score and the label column swapped?"
                    )
            codes.append(labels.code(label, line))
            for column, place in zip(names, places[n:], strict=True):
                text, noun = row[place], f"column {format_value(column)}"
                names[column].append(
                    text.strip() if column in wanted.optional else _present(text, where, noun)
                )
            if len(scores) >= _PART:
                yield part()
                scores, codes, names = array("d"), array("q"), {column: [] for column in names}
    yield part()


def _records_of(
    name: str, lines: Iterator[str], layout: TextLayout
) -> Iterator[tuple[list[str], int]]:
    """Rows that are not blank, the header among them, each with the line where it starts."""
    before = layout.start - 1
    lines = islice(lines, before, None)
    if layout.separator == " ":
        for line, text in enumerate(lines, layout.start):
            fields = split_fields(text, " ")
            if fields and not fields[0].startswith("#"):
                yield fields, line
        return
    reader, start = csv.reader(lines, delimiter=layout.separator, strict=True), layout.start
    try:
        for row in reader:
            if row:
                yield [f.strip() for f in row] if layout.separator == "|" else row, start
            start = before + reader.line_num + 1
    except csv.Error as error:
        unclosed = "unexpected end" in str(error) or "field limit" in str(error)
        what = "a quote opened there is never closed" if unclosed else format_value(str(error))
        raise FileFormatError(
            f"{name}, line {start}: quotes must be balanced; {what}. Close the quote or remove it."
        ) from error


def _refuse_width(row: list[str], width: int, where: str, layout: TextLayout) -> NoReturn:
    raise FileFormatError(
        f"{where}: each row must have {width} fields; got {len(row)}:"
        f" {format_value(layout.separator.join(row))}. A field is missing, separators are mixed,"
        " or fields that hold one need quotes. Decimal commas (0,25) do."
    )


def _present(text: str, where: str, noun: str) -> str:
    if not text.strip():
        raise FileFormatError(f"{where}: {noun} must not be missing; got {text!r}. Give it.")
    return text.strip()


def _score(text: str, layout: TextLayout, wanted: ColumnSpec, where: str) -> float:
    plain = (text if layout.decimal == "." else with_point(text)).strip(" \t")
    if not is_number(plain):
        if wanted.missing == FAIL or not is_missing_word(text):
            _refuse_score(text.strip(" \t"), layout.decimal, where)
        return math.nan
    value = float(plain)
    vanished = value == 0.0 and re.split("[eE]", plain)[0].strip("+-0.")
    if math.isinf(value) or vanished:
        raise FileFormatError(
            f"{where}: the score must fit float64; {format_value(plain)} would be read as"
            f" {value!r}. Rescale the scores, or give their logarithms."
        )
    if abs(value) >= checks.LARGEST_EXACT and plain.lstrip("+-").isdigit() and int(plain) != value:
        raise FileFormatError(
            f"{where}: an integer must not be rounded; {format_value(plain)} is beyond 2**53."
            " Subtract a constant before writing."
        )
    return value


def _refuse_score(score: str, decimal: str, where: str) -> NoReturn:
    must, remedy = "be a number", "Correct it, without blanks and signs of thousands."
    if score.lstrip("+-").casefold() in {"inf", "infinity"}:
        must = "be finite"
    elif is_missing_word(score):
        must = "be finite" if "nan" in score.casefold() else "be a number, not missing"
        remedy = "Give it, or read with `missing='drop'` or `missing='reject'`."
    elif is_number(score if decimal == "," else with_point(score)):
        other = "comma" if decimal == "." else "point"
        remedy = f"Pass `decimal={other!r}` if all decimals have a {other}."
    elif score.endswith("%"):
        remedy = "Percentages are not read, since 97.5 % may be 97.5 or 0.975: remove the signs."
    raise FileFormatError(
        f"{where}: the score must {must}; got {format_value(score)}. " + vocabulary.worded(remedy)
    )


# ------------------------------------------------------------------- what the columns hold
def number_columns(file: TextFile, layout: TextLayout) -> dict[str, bool]:
    """All columns of a table, and whether most of their first values are numbers."""
    with closing(file.lines()) as lines:
        records = _records_of(file.name, lines, layout)
        names = layout.names or next(records, ([], 0))[0]
        rows = [dict(zip(names, row, strict=False)) for row, _ in islice(records, _FIRST_ROWS)]
    numeric = {}
    for name in names:
        there = [row[name].strip() for row in rows if not is_missing_word(row.get(name, ""))]
        numbers = [value for value in there if is_number(value) or is_number(with_point(value))]
        numeric[name] = 2 * len(numbers) > len(there)
    return numeric
