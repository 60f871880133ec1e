"""The rows of a text: exactly, line by line, or in blocks where a table is plain.

A block goes to the parser of pandas only if it is ASCII without blank lines, control characters
and quotes within fields, and each line has as many fields as the header. A score that is not
finite or may have been rounded is a doubt, which the exact reader decides from the first line on.
"""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import islice
from typing import Any, NoReturn, TypeVar

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.checks import LARGEST_EXACT
from betaroc.core.errors import FileFormatError
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import worded
from betaroc.data.labels import FAIL, ColumnSpec, LabelTexts, Rows, is_missing_word, missing_column
from betaroc.data.text_files import DAMAGED, NAMED, TextFile, check_rows
from betaroc.data.text_layouts import SIGNS, TextLayout, is_number, split_fields, with_point

_T = TypeVar("_T")
#: Rows of a part that is read line by line, and bytes of a block: what is in memory at once.
_PART, _BLOCK = 2**20, 2**23
#: Files up to this size are not worth the import of pandas.
_SMALL = 2**22
#: Longer lines, and more kinds of labels, are for the exact reader to judge.
_LONGEST, _MANY = 2**16, 16
_LF, _BLANK, _TAB = 10, 32, 9
#: What is read as 0 may have another digit, far behind.
_TINY = re.compile(rb"[eE]-[0-9]{3}").search
#: Rows that tell which columns hold numbers.
_FIRST_ROWS = 100
#: 1.234,5 and 1,234.5: with both signs, since one alone may be the decimal.
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?:\.\d{3})+,\d+|(?:,\d{3})+\.\d+)").fullmatch
#: Texts of a missing score that the parser knows; others are doubts.
_NULLS = ["", "NA", "N/A", "nan", "NaN", "null", "NULL", "None", "?", "<NA>"]
#: A row, and the line where it starts.
_Record = tuple[list[str], int]


class _DoubtError(Exception):
    """The exact reader must decide."""


def collect_parts(
    file: TextFile, layout: TextLayout, wanted: ColumnSpec, collect: Callable[[Iterator[Rows]], _T]
) -> _T:
    """What `collect` makes of the parts of a text file, of which there is one at least.

    It is called again, with all parts from the first, where a block leaves a doubt.
    """
    if layout.start == 1 and file.size > _SMALL:
        with suppress(_DoubtError, *DAMAGED):
            return collect(_bounded(file, read_blocks(file, wanted, layout)))
    return collect(_bounded(file, read_lines(file, wanted, layout)))


def _bounded(file: TextFile, parts: Iterator[Rows]) -> Iterator[Rows]:
    rows = 0
    for part in parts:
        rows += part.codes.size
        check_rows(file.name, rows, file.most_rows, "at least ")
        yield part


# ----------------------------------------------------------------------------- in blocks
def read_blocks(file: TextFile, wanted: ColumnSpec, layout: TextLayout) -> Iterator[Rows]:
    """The wanted columns of a plain table, in parts; raises a doubt at the first one."""
    names, labels, line = layout.names, LabelTexts(), 1
    with closing(file.blocks(_BLOCK)) as blocks:
        for number, body in enumerate(blocks):
            if not number:
                body = body.removeprefix(b"\xef\xbb\xbf")
            if names is None:
                header, _, body = body.partition(b"\n")
                names, line = _header_names(header, layout.separator), 2
            if any(names.count(column) != 1 for column in wanted.columns):
                raise _DoubtError
            places = [names.index(column) for column in wanted.columns]
            scores, texts, rows = _parsed(body, len(names), places, wanted, layout)
            n = len(wanted.label)
            codes = labels.coded(texts[:n], scores.size, line)
            if len(labels.known) > _MANY:
                raise _DoubtError
            line += rows
            named = zip(wanted.named, texts[n:], strict=True)
            columns = {name: own.astype(np.str_)[which] for name, (which, own) in named}
            yield labels.rows(file.name, file.unit, scores, codes, columns, wanted.missing)
    if not labels.known:
        raise _DoubtError


def _header_names(header: bytes, separator: str) -> tuple[str, ...]:
    try:
        text = header.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        raise _DoubtError from error
    if len(text) > _LONGEST or not text.replace("\t", "").isprintable() or text.count('"') % 2:
        raise _DoubtError
    return tuple(split_fields(text, separator))


def _parsed(
    body: bytes, width: int, places: list[int], wanted: ColumnSpec, layout: TextLayout
) -> tuple[FloatArray, list[tuple[IntArray, Any]], int]:
    import pandas as pd

    sign, lines = layout.separator, body.count(b"\n")
    body = _plain(body, sign)
    _doubt_lines(body, sign, width)
    score = None if wanted.score is None else places[0]
    texts = places if score is None else places[1:]
    types: dict[int, Any] = dict.fromkeys(texts, object)
    options: dict[str, Any] = {"na_filter": False}
    if score is not None:
        types[score] = np.float64
        if wanted.missing != FAIL:
            options = {"na_values": {score: _NULLS}, "keep_default_na": False}
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):  # later ones round so always
        options["float_precision"] = "round_trip"
    try:
        table = pd.read_csv(
            io.BytesIO(body), sep=sign, decimal=layout.decimal, header=None, engine="c",
            names=[*range(width)], usecols=places, quoting=csv.QUOTE_NONE, dtype=types, **options,
        )  # fmt: skip
    except ValueError as error:
        raise _DoubtError from error
    columns = [pd.factorize(table[k].to_numpy()) for k in texts]
    label = texts[:1] if len(wanted.label) == 1 else []  # whose blanks are judged with all rows
    for place, (_, kinds) in zip(texts, columns, strict=True):
        if any(not text.strip() or (text != text.strip() and place not in label) for text in kinds):
            raise _DoubtError
    scores = np.zeros(len(table)) if score is None else table[score].to_numpy(np.float64)
    missing = np.isnan(scores) if wanted.missing != FAIL else False
    if not np.all(missing | (np.abs(scores) < LARGEST_EXACT)):
        raise _DoubtError
    zeros = np.flatnonzero(scores == 0.0)
    if score is not None and zeros.size and (b"0" * 200 in body or _TINY(body)):
        rows = body.decode().split("\n")
        if any(_is_rounded_to_zero(rows[row].split(sign)[score]) for row in zeros.tolist()):
            raise _DoubtError
    return scores, columns, lines


def _doubt_lines(body: bytes, sign: str, width: int) -> None:
    data = np.frombuffer(body, np.uint8)
    marks = np.flatnonzero((data == _LF) | (data == ord(sign)))
    ends = data[marks] == _LF
    regular = ends.size % width == 0 and ends.reshape(-1, width)[:, -1].all()
    if not regular or np.count_nonzero(ends) * width != ends.size or not body.isascii():
        raise _DoubtError
    controls = np.count_nonzero(data < _BLANK) - np.count_nonzero(ends)
    controls -= np.count_nonzero(data == _TAB) if sign == "\t" else 0
    lengths = np.diff(marks[ends], prepend=-1)
    if controls or lengths.min() == 1 or lengths.max() > _LONGEST:
        raise _DoubtError


def _plain(body: bytes, sign: str) -> bytes:
    body = body.replace(b"\r\n", b"\n") if b"\r" in body else body
    if sign == " ":
        body = body.replace(b"\t", b" ")
        while b"  " in body:
            body = body.replace(b"  ", b" ")
        body = body.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        if body.startswith(b"#") or b"\n#" in body:  # comments
            raise _DoubtError
    if not body.endswith(b"\n") or body.endswith(b"\n\n"):
        body = body.rstrip(b"\n") + b"\n"
    if b'"' in body:
        sign = re.escape(sign)
        field = rf'(^|(?<={sign}))"([^"\n{sign}]*)"(?={sign}|$)'
        body = re.sub(field.encode(), rb"\2", body, flags=re.MULTILINE)
        if sign == r"\ " or b'"' in body:
            raise _DoubtError
    return body


def _is_rounded_to_zero(score: str) -> bool:
    return bool(re.split("[eE]", score)[0].strip().strip("+-0.,"))


# ----------------------------------------------------------------------------- line by line
def read_lines(file: TextFile, wanted: ColumnSpec, layout: TextLayout) -> Iterator[Rows]:
    """The wanted columns of a text, in parts."""
    labels, scores, codes = LabelTexts(), array("d"), array("q")
    names: dict[str, list[str]] = {column: [] for column in wanted.named}

    def part() -> Rows:
        columns = {column: np.array(texts) for column, texts in names.items() if texts}
        content = np.frombuffer(scores, np.float64), np.frombuffer(codes, np.int64)
        return labels.rows(file.name, file.unit, *content, columns, wanted.missing)

    with closing(file.lines()) as lines:
        records = _records_of(file.name, lines, layout)
        width, places = _places(file.name, wanted, layout, records)
        score = None if wanted.score is None else places.pop(0)
        n = len(wanted.label)
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
                if len(labels.known) >= 1000:
                    raise FileFormatError(
                        f"{file.name}: labels must be of two kinds; by {file.unit} {line} there are"
                        f" more than 1000: {format_list(labels.known)}. Are the score and the label"
                        " column swapped?"
                    )
            codes.append(labels.code(label, line))
            for column, place in zip(names, places[n:], strict=True):
                names[column].append(_present(row[place], where, f"column {format_value(column)}"))
            if len(scores) >= _PART:
                yield part()
                scores, codes, names = array("d"), array("q"), {column: [] for column in names}
    yield part()


def _score(text: str, layout: TextLayout, wanted: ColumnSpec, where: str) -> float:
    plain = text if layout.decimal == "." else with_point(text)
    if not is_number(plain):
        plain = plain.strip(" \t")
        if not is_number(plain):
            if wanted.missing == FAIL or not is_missing_word(text):
                _refuse_score(text.strip(" \t"), layout.decimal, where)
            return math.nan
    value = float(plain)
    if math.isinf(value) or (value == 0.0 and _is_rounded_to_zero(plain)):
        raise FileFormatError(
            f"{where}: the score must fit float64; {format_value(plain)} would be read as"
            f" {value!r}. Rescale the scores, or give their logarithms."
        )
    if abs(value) >= LARGEST_EXACT and plain.lstrip("+-").isdigit() and int(plain) != value:
        raise FileFormatError(
            f"{where}: an integer must not be rounded; {format_value(plain)} is beyond 2**53."
            " Subtract a constant, or divide, before writing."
        )
    return value


def _refuse_score(score: str, decimal: str, where: str) -> NoReturn:
    word, must = score.lstrip("+-").casefold(), "be a number"
    other = "comma" if decimal == "." else "point"
    do = "Correct it, or remove the line."
    if word in {"inf", "infinity"}:
        must = "be finite"
    elif is_missing_word(score):
        must = "be finite" if word == "nan" else "be a number, not missing"
        do = "Give it, or read with `missing='drop'` or `missing='reject'`."
    elif is_number(score if decimal == "," else with_point(score)):
        do = f"Pass `decimal={other!r}` if all decimals have a {other}."
    elif score != score.strip():
        do = "It has a blank that is neither a space nor a tab: remove it."
    elif is_number(score.removesuffix("%").rstrip().replace(",", ".")):
        do = "Percentages are not read, since 97.5 % may be 97.5 or 0.975: remove the signs."
    elif _GROUPED(score):
        do = "Numbers are read without separators of thousands: remove these."
    raise FileFormatError(
        f"{where}: the score must {must}; got {format_value(score)}. " + worded(do)
    )


def _present(text: str, where: str, noun: str) -> str:
    """The text without the blanks around it, which must not be empty."""
    if not text.strip():
        raise FileFormatError(
            f"{where}: {noun} must not be missing; got {format_value(text)}. Give it, or remove the"
            " line."
        )
    return text.strip()


def _records_of(name: str, lines: Iterator[str], layout: TextLayout) -> Iterator[_Record]:
    """Rows that are not blank, the header among them."""
    for _ in range(layout.start - 1):
        next(lines, "")
    if layout.separator == " ":
        for line, text in enumerate(lines, layout.start):
            fields = split_fields(text, " ")
            if fields and not fields[0].startswith("#"):
                yield fields, line
        return
    reader = csv.reader(lines, delimiter=layout.separator, strict=True)
    before, start = layout.start - 1, layout.start
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


def _places(
    name: str, wanted: ColumnSpec, layout: TextLayout, records: Iterator[_Record]
) -> tuple[int, list[int]]:
    there = list(layout.names or ())
    if layout.names is None:
        there, line = next(records, ([], 0))
        twice = [column for column in wanted.columns if there.count(column) > 1]
        if twice:
            raise FileFormatError(
                f"{name}, line {line}: the header must have distinct names;"
                f" {format_value(twice[0])} occurs {there.count(twice[0])} times (a duplicate)."
                " Rename one of them."
            )
    for column, role in wanted.roles:
        if column not in there:
            raise missing_column(name, role, column, there)
    return len(there), [there.index(column) for column in wanted.columns]


def _refuse_width(row: list[str], width: int, where: str, layout: TextLayout) -> NoReturn:
    others = [
        word for sign, word in SIGNS.items()
        if sign != layout.separator and len(row) == 1 and len(split_fields(row[0], sign)) == width
    ]  # fmt: skip
    do = "Quote fields that hold the separator, or pass `separator=` or `format=`."
    if others:
        do = f"Separators are mixed: this line is separated by {others[0]}."
    elif len(row) < width:
        do = "A field is missing: give it, or remove the line."
    elif layout.separator == ",":
        do = "Decimal commas (0,25) need another separator: write 0.25, or quote fields."
    like = "each row" if layout.names else "the header"
    like = f"{layout.kind} text" if layout.kind in NAMED else like
    raise FileFormatError(
        f"{where}: each row must have {width} fields like {like}; got {len(row)}:"
        f" {format_value(layout.separator.join(row))}. " + worded(do)
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
