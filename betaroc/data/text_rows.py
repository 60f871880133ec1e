"""The rows of a text: exactly, line by line, or in blocks where a table is plain.

The exact reader guesses nothing, and its errors name the line. A block goes to the parser of pandas
only if it is ASCII without blank lines, control characters and quotes within fields, and each line
has as many fields as the header; a score that is not finite, that may have been rounded, or that is
missing where it must not be, is a doubt, which the exact reader decides from the first line on.
"""

from __future__ import annotations

import csv
import io
import json
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
from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.text import listed, nearest, shown
from betaroc.core.vocabulary import worded
from betaroc.data.labels import FAIL, Rows, Wanted, is_missing_word, missing_column
from betaroc.data.text_files import DAMAGED, TextFile
from betaroc.data.text_layouts import (
    NAMED,
    SEPARATORS,
    TextLayout,
    is_number,
    split_fields,
    with_point,
)  # fmt: skip

_T = TypeVar("_T")
#: Rows of a part that is read line by line, and bytes of a block: what is in memory at once.
_PART, _BLOCK = 2**20, 2**21
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
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?:\.\d{3})+,\d+|(?:,\d{3})+\.\d+)")
#: A row, and the line where it starts.
_Record = tuple[list[str], int]


class _DoubtError(Exception):
    """The exact reader must decide."""


def collect_parts(
    file: TextFile, layout: TextLayout, wanted: Wanted, collect: Callable[[Iterator[Rows]], _T]
) -> _T:
    """What `collect` makes of the parts of a text file, of which there is one at least.

    It is called again, with all parts from the first, where a block leaves a doubt.
    """
    if layout.start == 1 and layout.kind not in ("json", "jsonl") and file.size > _SMALL:
        with suppress(_DoubtError):
            return collect(_bounded(file, read_blocks(file, wanted, layout)))
    return collect(_bounded(file, read_lines(file, wanted, layout)))


def _bounded(file: TextFile, parts: Iterator[Rows]) -> Iterator[Rows]:
    """The parts, as long as they do not have too many rows."""
    rows = 0
    for part in parts:
        rows += part.codes.size
        file.refuse_too_many(rows, "at least ")
        yield part


# ----------------------------------------------------------------------------- in blocks
def read_blocks(file: TextFile, wanted: Wanted, layout: TextLayout) -> Iterator[Rows]:
    """The wanted columns of a plain table, in parts; raises a doubt at the first one."""
    names, tokens, first, line = layout.names, dict[str, int](), list[int](), 1
    with closing(file.blocks(_BLOCK)) as blocks:
        for number, body in enumerate(_undamaged(blocks)):
            if not number:
                body = body.removeprefix(b"\xef\xbb\xbf")
            if names is None:
                header, _, body = body.partition(b"\n")
                names, line = _header_names(header, layout.separator), 2
            if any(names.count(column) != 1 for column in wanted.columns):
                raise _DoubtError
            places = [names.index(column) for column in wanted.columns]
            scores, texts, rows = _parsed(body, len(names), places, wanted, layout)
            codes, kinds = _label_codes(texts[: len(wanted.label)], scores.size)
            if len({*tokens, *kinds}) > _MANY:
                raise _DoubtError
            for code, kind in enumerate(kinds):
                if tokens.setdefault(kind, len(tokens)) == len(first):
                    first.append(line + int(np.argmax(codes == code)))
            codes = np.array([tokens[kind] for kind in kinds], dtype=np.int8)[codes]
            line += rows
            named = zip(wanted.named, texts[len(wanted.label) :], strict=True)
            columns = {name: own.astype(np.str_)[which] for name, (which, own) in named}
            part = [*tokens], first[:], scores, codes, columns, wanted.missing
            yield Rows(file.name, "line", *part)
    if not tokens:
        raise _DoubtError


def _undamaged(blocks: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from blocks
    except DAMAGED as error:
        raise _DoubtError from error


def _header_names(header: bytes, separator: str) -> tuple[str, ...]:
    try:
        text = header.removesuffix(b"\r").decode()
    except UnicodeDecodeError as error:
        raise _DoubtError from error
    if len(text) > _LONGEST or not text.replace("\t", "").isprintable() or text.count('"') % 2:
        raise _DoubtError
    return tuple(split_fields(text, separator))


def _parsed(
    body: bytes, width: int, places: list[int], wanted: Wanted, layout: TextLayout
) -> tuple[FloatArray, list[tuple[IntArray, Any]], int]:
    """The scores, of each column of texts the codes and the kinds, and the number of lines."""
    import pandas as pd

    sign, lines = layout.separator, body.count(b"\n")
    body = _plain(body, sign)
    _doubt_lines(body, sign, width)
    score = places[0] if wanted.scored else None
    texts = places[wanted.scored :]
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
        for row in zeros.tolist():
            if is_rounded_to_zero(rows[row].split(sign)[score]):
                raise _DoubtError
    return scores, columns, lines


#: Texts of a missing score that the parser knows; others are doubts.
_NULLS = ["", "NA", "N/A", "nan", "NaN", "null", "NULL", "None", "?", "<NA>"]


def _doubt_lines(body: bytes, sign: str, width: int) -> None:
    """Raise a doubt unless each line is a row of so many fields, and plain text."""
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
    """The block with LF at the end of every line, no blank line at its end, and no quotes."""
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


def _label_codes(columns: list[tuple[IntArray, Any]], n: int) -> tuple[IntArray, Any]:
    """What says who is a client: a column, or whether two are equal; else all are alike."""
    if not columns:
        return np.zeros(n, dtype=np.int8), ["1"]
    if len(columns) == 1:
        return columns[0]
    first, second = (kinds[codes] for codes, kinds in columns)
    equal = first == second
    kinds = ["1", "0"] if equal[0] else ["0", "1"]
    return np.where(equal == equal[0], 0, 1), kinds[: len(np.unique(equal))]


def is_rounded_to_zero(score: str) -> bool:
    """Whether the text of a score that is read as 0 has a digit other than 0."""
    return bool(re.split("[eE]", score)[0].strip().strip("+-0.,"))


# ----------------------------------------------------------------------------- line by line
class _Collector:
    """The columns of rows, in little memory; each text once, and a code for each row."""

    def __init__(self, name: str, wanted: Wanted, layout: TextLayout) -> None:
        self.name, self.missing, self.decimal = name, wanted.missing, layout.decimal
        self.unit = "trial" if layout.kind == "json" else "line"
        self.scores, self.codes, self.first = array("d"), array("q"), list[int]()
        self.known: dict[str, int] = {}
        self.names: dict[str, list[str]] = {column: [] for column in wanted.named}

    def at(self, line: int) -> str:
        return f"{self.name}, {self.unit} {line}"

    def add(self, score: str, label: str, line: int) -> None:
        """One row."""
        plain = score if self.decimal == "." else with_point(score)
        if not is_number(plain):
            plain = plain.strip(" \t")
            if not is_number(plain):
                if self.missing == FAIL or not is_missing_word(score):
                    self._refuse_text(score.strip(" \t"), line)
                plain = "nan"
        value = float(plain)
        if math.isinf(value) or (value == 0.0 and is_rounded_to_zero(plain)):
            raise FileFormatError(
                f"{self.at(line)}: the score must fit float64; {shown(plain)} would be read as"
                f" {value!r}. Rescale the scores, or give their logarithms."
            )
        if abs(value) >= LARGEST_EXACT and plain.lstrip("+-").isdigit() and int(plain) != value:
            raise FileFormatError(
                f"{self.at(line)}: an integer must not be rounded; {shown(plain)} is beyond 2**53."
                " Subtract a constant, or divide, before writing."
            )
        code = self.known.get(label)
        if code is None:
            present(label, f"{self.at(line)}: the label")
            if len(self.known) >= 1000:
                raise FileFormatError(
                    f"{self.name}: labels must be of two kinds; by {self.unit} {line} there are"
                    f" more than 1000: {listed(self.known)}. Are the score and the label column"
                    " swapped?"
                )
            self.first.append(line)
            code = self.known.setdefault(label, len(self.known))
        self.scores.append(value)
        self.codes.append(code)

    def _refuse_text(self, score: str, line: int) -> NoReturn:
        word, must = score.lstrip("+-").casefold(), "be a number"
        other = "comma" if self.decimal == "." else "point"
        if word in {"inf", "infinity"}:
            must, do = "be finite", "Remove or replace this trial."
        elif is_missing_word(score):
            must = "be finite" if word == "nan" else "be a number, not missing"
            do = "Give it, or read with `missing='drop'` or `missing='reject'`."
        elif is_number(score if self.decimal == "," else with_point(score)):
            do = f"Pass `decimal={other!r}` if all decimals have a {other}."
        elif score != score.strip():
            do = "It has a blank that is neither a space nor a tab: remove it."
        elif is_number(score.removesuffix("%").rstrip().replace(",", ".")):
            do = (
                "Percentages are not read, since 97.5 % may be 97.5 or 0.975: remove the signs, and"
                " divide by 100 where the scale is [0, 1]."
            )
        elif _GROUPED.fullmatch(score):
            do = "Numbers are read without separators of thousands: remove these."
        else:
            do = "Correct it, or remove the line."
        raise FileFormatError(
            f"{self.at(line)}: the score must {must}; got {shown(score)}. " + worded(do)
        )

    def taken(self) -> Rows:
        """The rows since they were last taken."""
        scores, codes = np.frombuffer(self.scores, np.float64), np.frombuffer(self.codes, np.int64)
        names = {column: np.array(texts) for column, texts in self.names.items() if texts}
        self.scores, self.codes = array("d"), array("q")
        self.names = {column: [] for column in self.names}
        known = [*self.known], self.first[:]
        return Rows(self.name, self.unit, *known, scores, codes, names, self.missing)


def present(text: str, noun: str) -> str:
    """The text without the blanks around it, which must not be empty."""
    if not text.strip():
        raise FileFormatError(
            f"{noun} must not be missing; got {shown(text)}. Give it, or remove the line."
        )
    return text.strip()


def read_lines(file: TextFile, wanted: Wanted, layout: TextLayout) -> Iterator[Rows]:
    """The wanted columns of a text, in parts."""
    result = _Collector(file.name, wanted, layout)
    with closing(file.lines()) as lines:
        records = _records_of(file.name, lines, layout, wanted.columns)
        width, places = _places(file.name, wanted, layout, records)
        score = places.pop(0) if wanted.scored else None
        labels, n = places[: len(wanted.label)], len(wanted.label)
        others = list(zip(wanted.named, places[n:], strict=True))
        for row, line in records:
            if len(row) != width:
                _refuse_width(row, width, line, file.name, layout)
            label = row[labels[0]] if n == 1 else "1"
            if n == 2:
                first, second = (present(row[k], f"{result.at(line)}: an identity") for k in labels)
                label = "1" if first == second else "0"
            result.add("0" if score is None else row[score], label, line)
            for column, place in others:
                what = f"{result.at(line)}: column {shown(column)}"
                result.names[column].append(present(row[place], what))
            if len(result.scores) >= _PART:
                yield result.taken()
    yield result.taken()


def _records_of(
    name: str, lines: Iterator[str], layout: TextLayout, columns: list[str]
) -> Iterator[_Record]:
    """Rows that are not blank, the header among them; of JSON the wanted columns alone."""
    for _ in range(layout.start - 1):
        next(lines, "")
    if layout.kind in ("json", "jsonl"):
        for trial, line in json_trials(name, lines, layout, columns):
            where = f"{name}, {'line' if layout.kind == 'jsonl' else 'trial'} {line}"
            yield [_json_text(where, trial, column) for column in columns], line
    elif layout.separator == " ":
        for line, text in enumerate(lines, layout.start):
            fields = split_fields(text, " ")
            if fields and not fields[0].startswith("#"):
                yield fields, line
    else:
        yield from _table_records(name, lines, layout)


def _table_records(name: str, lines: Iterator[str], layout: TextLayout) -> Iterator[_Record]:
    reader = csv.reader(lines, delimiter=layout.separator, strict=True)
    before, start = layout.start - 1, layout.start
    try:
        for row in reader:
            if row:
                yield [f.strip() for f in row] if layout.separator == "|" else row, start
            start = before + reader.line_num + 1
    except csv.Error as error:
        unclosed = "unexpected end" in str(error) or "field limit" in str(error)
        what = "a quote opened there is never closed" if unclosed else shown(str(error))
        raise FileFormatError(
            f"{name}, line {start}: quotes must be balanced; {what}. Close the quote or remove it."
        ) from error


def json_trials(
    name: str, lines: Iterator[str], layout: TextLayout, columns: list[str]
) -> Iterator[tuple[dict[str, Any], int]]:
    """The objects of JSON, and their lines, or numbers in a document; numbers are their texts.

    A document is an array of objects, or an object of arrays of one length.
    """

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for column in columns:
            if names.count(column) > 1:
                raise ValueError(f"{shown(column)} occurs twice")
        return dict(pairs)

    decoder = json.JSONDecoder(
        parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=distinct
    )
    by_line = layout.kind == "jsonl"
    for line, text in enumerate(lines if by_line else ["".join(lines)], layout.start):
        if not text.strip():
            continue
        try:
            trials = decoder.decode(text)
        except (ValueError, RecursionError) as error:
            must = f", line {line}: each line must be one JSON object" if by_line else ""
            raise FileFormatError(
                f"{name}{must or ' must be one JSON document'}; {shown(str(error), 120)}. Correct"
                " it, or export again."
            ) from error
        if by_line:
            trials = [trials]
        elif isinstance(trials, dict):
            names = columns or [n for n, value in trials.items() if isinstance(value, list)]
            arrays = [trials.get(item) for item in names]
            sizes = {len(item) if isinstance(item, list) else -1 for item in arrays}
            if len(sizes) != 1 or -1 in sizes:
                raise FileFormatError(
                    f"{name} must hold arrays of one length, {listed(names)}; there are"
                    f" {listed(trials)}. Write one value per trial in each."
                )
            trials = [dict(zip(names, row, strict=True)) for row in zip(*arrays, strict=True)]
        for number, trial in enumerate(trials, line if by_line else 1):
            if not isinstance(trial, dict):
                raise FileFormatError(
                    f"{name}, {'line' if by_line else 'trial'} {number}: each trial must be a JSON"
                    f' object; got {shown(trial)}. Write such as {{"score": 0.5, "label": 1}}.'
                )
            yield trial, number


def _json_text(where: str, trial: dict[str, Any], column: str) -> str:
    """The value as a text; what is null is empty."""
    if column not in trial:
        raise FileFormatError(
            f"{where}: each trial must have {shown(column)}; there are"
            f" {listed(trial)}. {nearest(column, list(trial))}Give it, or null."
        )
    value = trial[column]
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, str):
        return value
    raise FileFormatError(
        f"{where}: {shown(column)} must be a number, text or true/false; got"
        f" {shown(value)}. Write one value."
    )


def _places(
    name: str, wanted: Wanted, layout: TextLayout, records: Iterator[_Record]
) -> tuple[int, list[int]]:
    """How many columns there are, and where the wanted ones stand; the header is passed."""
    if layout.kind in ("json", "jsonl"):
        there = wanted.columns
    elif layout.names is None:
        there, line = next(records, ([], 0))
        twice = [column for column in wanted.columns if there.count(column) > 1]
        if twice:
            raise FileFormatError(
                f"{name}, line {line}: the header must have distinct names; {shown(twice[0])}"
                f" occurs {there.count(twice[0])} times (a duplicate). Rename one of them."
            )
    else:
        there = list(layout.names)
    for column, role in wanted.roles:
        if column not in there and layout.kind in NAMED:
            known = [c for c in there if c != "score" and (c,) != layout.label]
            raise InputError.about(role)(
                f"{role} must name columns of {name}, which is {layout.kind} text: there are"
                f" {listed(known) or 'none'}; got {shown(column)}. {nearest(column, known)}Pass"
                + worded(f" `{role}=...` or a csv file.")
            )
        if column not in there:
            raise missing_column(name, role, column, there)
    return len(there), [there.index(column) for column in wanted.columns]


def _refuse_width(row: list[str], width: int, line: int, name: str, layout: TextLayout) -> NoReturn:
    text = shown(layout.separator.join(row))
    others = [
        word for word, sign in SEPARATORS.items()
        if sign != layout.separator and len(row) == 1 and len(split_fields(row[0], sign)) == width
    ]  # fmt: skip
    if any(re.fullmatch(r"\*[0-9.]+", field) for field in row):
        do = (
            "In Weka's distribution * marks the predicted label: remove the signs, and pass a name"
            " per field in `columns=`, with `header=True`."
        )
    elif row[0].startswith("#"):
        do = "Lines that begin with # are passed over before the header alone: remove this one."
    elif others:
        do = f"Separators are mixed: this line is separated by {others[0]}."
    elif len(row) < width:
        do = "A field is missing: give it, or remove the line."
    elif layout.separator == ",":
        do = "Decimal commas (0,25) need another separator: write 0.25, or quote fields."
    else:
        do = "Quote fields that hold the separator, or pass `separator=` or `format=`."
    like = "each row" if layout.names else "the header"
    if layout.kind in NAMED:
        like, do = f"{layout.kind} text", "Correct the line, or pass `format=`."
    raise FileFormatError(
        f"{name}, line {line}: each row must have {width} fields like {like}; got {len(row)}:"
        f" {text}. " + worded(do)
    )


# ------------------------------------------------------------------- what the columns hold
def number_columns(file: TextFile, layout: TextLayout) -> dict[str, bool]:
    """All columns of a table, and whether most of their first values are numbers."""
    with closing(file.lines()) as lines:
        if layout.kind in ("json", "jsonl"):
            rows: list[dict[str, Any]] = []
            for _ in range(layout.start - 1):
                next(lines, "")
            trials = json_trials(file.name, lines, layout, [])
            rows = [trial for trial, _ in islice(trials, _FIRST_ROWS)]
        else:
            records = _records_of(file.name, lines, layout, [])
            names = layout.names or next(records, ([], 0))[0]
            first = islice(records, _FIRST_ROWS)
            rows = [dict(zip(names, row, strict=False)) for row, _ in first]
    result: dict[str, list[str]] = {name: [] for row in rows for name in row}
    for row in rows:
        for name, value in row.items():
            result[name].append(value if isinstance(value, str) else json.dumps(value))
    numeric = {}
    for name, values in result.items():
        there = [value.strip() for value in values if not is_missing_word(value)]
        numbers = [value for value in there if is_number(value) or is_number(with_point(value))]
        numeric[name] = 2 * len(numbers) > len(there)
    return numeric
