"""Text score files, line by line: nothing is guessed, every error names its line."""

from __future__ import annotations

import csv
import json
import math
import re
from array import array
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.checks import LARGEST_EXACT
from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.sentences import worded
from betaroc.core.text import listed, nearest, shown
from betaroc.data.rows import FAIL, Rows, Wanted, is_missing_word, missing_column
from betaroc.data.text_files import (
    NAMED,
    SEPARATORS,
    TextFile,
    TextLayout,
    fields_of,
    is_number,
    with_point,
)

#: Rows of a part: what is in memory at once.
_PART = 2**20
_INF = math.inf
#: Rows that tell which columns hold numbers.
_FIRST_ROWS = 100
#: 1.234,5 and 1,234.5: with both signs, since one alone may be the decimal.
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?:\.\d{3})+,\d+|(?:,\d{3})+\.\d+)")
#: A row, and the line where it starts.
_Record = tuple[list[str], int]


# ------------------------------------------------------------------------------ collected
class _Names:
    """One column of names: each text once, and a code for each row."""

    def __init__(self, file: str, column: str) -> None:
        self.file, self.column = file, column
        self.codes, self.known = array("q"), dict[str, int]()

    def add(self, text: str, line: int) -> None:
        name = _present(text, f"{self.file}, line {line}: column {shown(self.column)}")
        self.codes.append(self.known.setdefault(name, len(self.known)))

    def taken(self) -> AnyArray:
        """The names since they were last taken."""
        names = np.array(list(self.known), dtype=np.str_)
        found = names[np.frombuffer(self.codes, dtype=np.int64)]
        self.codes, self.known = array("q"), {}
        return found


def _present(text: str, what: str) -> str:
    name = text.strip()
    if not name:
        raise FileFormatError(
            f"{what} must not be missing; got {shown(text)}. Give it, or remove the line."
        )
    return name


def is_rounded_to_zero(score: str) -> bool:
    """Whether the text of a score that is read as 0 has a digit other than 0."""
    return bool(re.split("[eE]", score)[0].strip().strip("+-0.,"))


class _Collector:
    """Scores and label codes in little memory."""

    def __init__(self, name: str, wanted: Wanted, layout: TextLayout) -> None:
        self.name, self.missing, self.decimal = name, wanted.missing, layout.decimal
        self.unit = "trial" if layout.kind == "json" else "line"
        self.names = [_Names(name, column) for column in wanted.named]
        self.scores, self.codes = array("d"), array("q")
        self.known: dict[str, int] = {}
        self.first: list[int] = []

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
        if value == _INF or value == -_INF or (value == 0.0 and is_rounded_to_zero(plain)):
            raise FileFormatError(
                f"{self.name}, {self.unit} {line}: the score must fit float64; {shown(plain)} would"
                f" be read as {value!r}. Rescale the scores, or give their logarithms."
            )
        if abs(value) >= LARGEST_EXACT and plain.lstrip("+-").isdigit() and int(plain) != value:
            raise FileFormatError(
                f"{self.name}, {self.unit} {line}: an integer must not be rounded; {shown(plain)}"
                " is beyond 2**53. Subtract a constant, or divide, before writing."
            )
        code = self.known.get(label)
        if code is None:
            _present(label, f"{self.name}, {self.unit} {line}: the label")
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

    def whether_equal(self, one: str, other: str, line: int) -> str:
        """The label of two identities."""
        both = {_present(x, f"{self.name}, line {line}: an identity") for x in (one, other)}
        return "01"[len(both) == 1]

    def _refuse_text(self, score: str, line: int) -> NoReturn:
        word, must = score.lstrip("+-").casefold(), "be a number"
        other = "comma" if self.decimal == "." else "point"
        if word in {"inf", "infinity"}:
            must, end = "be finite", worded(" Remove or replace this trial.")
        elif is_missing_word(score):
            must = "be finite" if word == "nan" else "be a number, not missing"
            end = worded(
                " Nothing is dropped unasked: give it, or read with `missing='drop'` or"
                " `missing='reject'`."
            )
        elif is_number(score if self.decimal == "," else with_point(score)):
            end = worded(f" Pass `decimal={other!r}` if all decimals have a {other}.")
        elif score != score.strip():
            end = worded(" It has a blank that is neither a space nor a tab: remove it.")
        elif is_number(score.removesuffix("%").rstrip().replace(",", ".")):
            end = worded(
                " Percentages are not read, since 97.5 % may be 97.5 or 0.975: remove the signs,"
                " and divide by 100 where the scale is [0, 1]."
            )
        elif _GROUPED.fullmatch(score):
            end = worded(" Numbers are read without separators of thousands: remove these.")
        else:
            end = worded(" Correct it, or remove the line.")
        raise FileFormatError(
            f"{self.name}, {self.unit} {line}: the score must {must}; got {shown(score)}." + end
        )

    def taken(self) -> Rows:
        """The rows since they were last taken."""
        scores, codes = np.frombuffer(self.scores, np.float64), np.frombuffer(self.codes, np.int64)
        self.scores, self.codes = array("d"), array("q")
        names = {c.column: c.taken() for c in self.names if c.codes}
        return Rows(
            self.name,
            self.unit,
            list(self.known),
            self.first[:],
            scores,
            codes,
            names,
            self.missing,
        )


# ----------------------------------------------------------------------------------- rows
def read_lines(file: TextFile, wanted: Wanted, layout: TextLayout) -> Generator[Rows, None, None]:
    """The wanted columns of a text, in parts."""
    found = _Collector(file.name, wanted, layout)
    with closing(file.lines()) as lines:
        records = _records_of(file, lines, layout, wanted.columns)
        width, score, labels, names = _places(file.name, wanted, layout, records)
        others = list(zip(found.names, names, strict=True))
        for row, line in records:
            if len(row) != width:
                _refuse_width(row, width, line, file.name, layout)
            label = row[labels[0]] if len(labels) == 1 else "1"
            if len(labels) == 2:
                label = found.whether_equal(row[labels[0]], row[labels[1]], line)
            found.add("0" if score is None else row[score], label, line)
            for column, place in others:
                column.add(row[place], line)
            if len(found.scores) >= _PART:
                yield found.taken()
    yield found.taken()


def _records_of(
    file: TextFile, lines: Iterator[str], layout: TextLayout, columns: list[str]
) -> Iterator[_Record]:
    """Rows that are not blank, the header among them; of JSON lines the columns alone."""
    for _ in range(layout.start - 1):
        next(lines, "")
    if layout.kind == "json":
        return _json_document(file.name, lines, columns)
    if layout.kind == "jsonl":
        return _json_records(file.name, lines, layout.start, columns)
    if layout.separator == " ":
        return _blank_records(lines, layout.start)
    return _records(file, lines, layout)


def _blank_records(lines: Iterator[str], start: int) -> Iterator[_Record]:
    for line, text in enumerate(lines, start):
        fields = fields_of(text, " ")
        if fields and not fields[0].startswith("#"):
            yield fields, line


def _records(file: TextFile, lines: Iterator[str], layout: TextLayout) -> Iterator[_Record]:
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
            f"{file.name}, line {start}: quotes must be balanced; {what}."
            " Close the quote or remove it."
        ) from error


def _json_records(
    name: str, lines: Iterator[str], start: int, columns: list[str]
) -> Iterator[_Record]:
    """The values as texts; what is null or not there is empty."""
    read = _json_reader(columns)
    for line, text in enumerate(lines, start):
        if not text.strip():
            continue
        try:
            trial = read(text)
        except (ValueError, RecursionError) as error:
            raise FileFormatError(
                f"{name}, line {line}: each line must be one JSON object; {shown(str(error), 120)}."
                " Write one trial a line."
            ) from error
        if not isinstance(trial, dict):
            raise FileFormatError(
                f"{name}, line {line}: each line must be one JSON object; got {shown(trial)}."
                " Write one trial a line, such as"
                ' {"score": 0.5, "label": 1}.'
            )
        yield [_json_text(f"{name}, line {line}", trial, column) for column in columns], line


def _json_document(name: str, lines: Iterator[str], columns: list[str]) -> Iterator[_Record]:
    """The same of an array of trials, or of an object of arrays of one length."""
    try:
        found = _json_reader(columns)("".join(lines))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"{name} must be one JSON document; {shown(str(error), 120)}. Export again."
        ) from error
    if isinstance(found, dict):
        lists = [found.get(column) for column in columns]
        sizes = {len(one) if isinstance(one, list) else -1 for one in lists}
        if len(sizes) > 1 or -1 in sizes:
            raise FileFormatError(
                f"{name} must hold arrays of one length, {listed(columns)}; there are"
                f" {listed(found)}. Write one value per trial in each."
            )
        found = [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
    for k, trial in enumerate(found, 1):
        if not isinstance(trial, dict):
            raise FileFormatError(
                f"{name}, trial {k}: each trial must be a JSON object; got {shown(trial)}. Write"
                ' such as [{"score": 0.5, "label": 1}].'
            )
        yield [_json_text(f"{name}, trial {k}", trial, column) for column in columns], k


def _json_reader(columns: list[str]) -> Callable[[str], Any]:
    """Numbers as their texts; a name that is asked for stands once in an object."""

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            for name in columns:
                if names.count(name) > 1:
                    raise ValueError(f"{shown(name)} occurs twice")
        return dict(pairs)

    return json.JSONDecoder(
        parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=distinct
    ).decode


def _json_text(where: str, trial: dict[str, Any], column: str) -> str:
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


# -------------------------------------------------------------------------------- columns
def _places(
    name: str, wanted: Wanted, layout: TextLayout, records: Iterator[_Record]
) -> tuple[int, int | None, list[int], list[int]]:
    """How many columns there are, and where the wanted ones stand; the header is passed."""
    if layout.kind in ("json", "jsonl"):
        present = wanted.columns
    elif layout.names is None:
        present, line = next(records, ([], 0))
        twice = [column for column in wanted.columns if present.count(column) > 1]
        if twice:
            raise FileFormatError(
                f"{name}, line {line}: the header must have distinct names; {shown(twice[0])}"
                f" occurs {present.count(twice[0])} times (a duplicate). Rename one of them."
            )
    else:
        present = list(layout.names)
    for column, role in wanted.roles:
        if column not in present:
            raise _absent(name, role, column, present, layout)
    places = [present.index(column) for column in wanted.columns]
    score = places.pop(0) if wanted.scored else None
    n = len(wanted.label)
    return len(present), score, places[:n], places[n:]


def _absent(
    name: str, role: str, column: str, present: list[str], layout: TextLayout
) -> FileFormatError | InputError:
    if layout.kind not in NAMED:
        return missing_column(name, role, column, present)
    known = [c for c in present if c != "score" and (c,) != layout.label]
    there = f"are {listed(known)}" if known else "are none"
    return InputError.about(role)(
        f"{role} must name columns of {name}, which is {layout.kind} text: there {there}; got"
        f" {shown(column)}. {nearest(column, known)}Pass" + worded(f" `{role}=...` or a csv file.")
    )


def _refuse_width(row: list[str], width: int, line: int, name: str, layout: TextLayout) -> NoReturn:
    blank = layout.separator == " "
    text = shown((" " if blank else layout.separator).join(row))
    if layout.kind in NAMED:
        raise FileFormatError(
            f"{name} must have {width} columns separated by blanks; line {line} has"
            f" {len(row)}: {text}. Correct the line, or pass" + worded(" `format=`.")
        )
    if any(re.fullmatch(r"\*[0-9.]+", field) for field in row):
        raise FileFormatError(
            f"{name}, line {line}: each row must have {width} fields like the header; got"
            f" {len(row)}: {text}. In Weka's distribution * marks the predicted label: remove the"
            + worded(" signs, and pass a name per field in `columns=`, with `header=True`.")
        )
    others = [
        word for word, sign in SEPARATORS.items()
        if sign != layout.separator and len(row) == 1 and len(fields_of(row[0], sign)) == width
    ]  # fmt: skip
    like = "each row" if layout.names else "the header"
    if row[0].startswith("#"):
        end = " Lines that begin with # are passed over before the header alone: remove this one."
    elif others:
        end = worded(f" Separators are mixed: this line is separated by {others[0]}.")
    elif len(row) < width:
        end = worded(" A field is missing: give it, or remove the line.")
    elif layout.separator == ",":
        end = worded(" Decimal commas (0,25) need another separator: write 0.25, or quote fields.")
    else:
        end = worded(" Quote fields that hold the separator, or pass `separator=`.")
    raise FileFormatError(
        f"{name}, line {line}: each row must have {width} fields like {like}; got {len(row)}:"
        f" {text}." + end
    )


# --------------------------------------------------------------- what the columns hold
def number_columns(file: TextFile, layout: TextLayout) -> dict[str, bool]:
    """All columns of a table, and whether most of their first values are numbers."""
    if layout.kind == "json":
        with closing(file.lines()) as lines:
            whole = "".join(lines)
        found = json.loads(whole)
        several = [found] if isinstance(found, dict) else found[:_FIRST_ROWS]
        names = list(dict.fromkeys(name for row in several for name in row))
        columns = [
            [v for row in several if name in row for v in _json_values(row[name])] for name in names
        ]
        return _numeric(names, columns)
    with closing(file.lines()) as lines:
        texts = [
            line.rstrip("\r\n")
            for line in islice(lines, layout.start - 1, layout.start + _FIRST_ROWS)
        ]
    texts = [text for text in texts if text.strip()]
    if layout.kind == "jsonl":
        rows = [_json_texts(text) for text in texts]
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = [[row[name] for row in rows if name in row] for name in names]
    else:
        names = list(layout.names or fields_of(texts[0], layout.separator))
        read = [fields_of(text, layout.separator) for text in texts[layout.names is None :]]
        columns = [[row[k] for row in read if len(row) > k] for k in range(len(names))]
    return _numeric(names, columns)


def _json_values(value: Any) -> list[str]:
    return [json.dumps(v) for v in (value if isinstance(value, list) else [value])]


def _numeric(names: list[str], columns: list[list[str]]) -> dict[str, bool]:
    present = {}
    for name, values in zip(names, columns, strict=True):
        there = [value.strip() for value in values if not is_missing_word(value)]
        numbers = [value for value in there if is_number(value) or is_number(with_point(value))]
        present[name] = 2 * len(numbers) > len(there)
    return present


def _json_texts(line: str) -> dict[str, str]:
    try:
        trial = json.loads(line)
    except (ValueError, RecursionError):  # said where it is read
        return {}
    return {k: json.dumps(v) for k, v in trial.items()} if isinstance(trial, dict) else {}
