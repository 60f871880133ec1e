"""What a text of scores looks like: separator, decimals, columns; guessed where one reading fits.

A guess is stated as the option that would say the same. Where two readings fit, the error names
both and the option that decides.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import is_class_word, worded
from betaroc.data.labels import ColumnSpec, as_written, is_missing_word, missing_column
from betaroc.data.text_files import NAMED, SEPARATORS, TABLES, TextFile, TextOptions

#: Whether a text is a decimal number.
is_number = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
#: Whether a text is a number with a decimal comma.
has_comma = re.compile(r"[+-]?(?:[0-9]+,[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
_WORDS = re.compile(r'"([^"]*)"|([^ \t\n\r\f\v]+)').findall
SIGNS = {sign: word for word, sign in SEPARATORS.items()}
_KINDS = {sign: kind for kind, signs in TABLES.items() for sign in signs}
#: Rows that a guess is made from.
_ROWS = 100
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}").fullmatch
#: What a column is called that has no name and no values.
_EMPTY = "empty"
#: The first line by which Excel is told the separator.
_SEP = re.compile(r'"?sep=([,;|\t])"?\s*').fullmatch
#: Of a file that a key says the classes of, by its width.
_KEYED = {1: ("score",), 2: ("trial", "score"), 3: ("enrol", "test", "score")}
#: Identities in the header of bob.bio: of the reference and of the probe.
_BOB_BIO = ("bio_ref_subject_id", "probe_subject_id")
#: What the third column of ASVspoof's files says.
_ASVSPOOF = {"bonafide", "spoof", "genuine", "human", "target", "nontarget"}
_PATH = re.compile(r"[^/\\]*[/\\].*|.*\.[A-Za-z]\w{1,4}").fullmatch


@dataclass(frozen=True)
class TextLayout:
    """How a text is read: ``names`` are those of its columns where no header names them.

    ``label`` and ``score`` are set where the format or the header calls them otherwise; ``start``
    is the line of the header, or of the first row.
    """

    kind: str
    separator: str = ","
    decimal: str = "."
    names: tuple[str, ...] | None = None
    label: tuple[str, ...] | None = None
    score: str | None = None
    start: int = 1
    guesses: tuple[str, ...] = ()


def with_point(text: str) -> str:
    """A decimal with a point for its comma; nothing of one that has a point already."""
    return "" if "." in text else text.replace(",", ".", 1)


def split_fields(text: str, separator: str) -> list[str]:
    """The fields of a line."""
    if separator == " ":
        return [quoted or plain for quoted, plain in _WORDS(text)]
    try:
        fields = next(csv.reader([text], delimiter=separator), [])
        return [field.strip() for field in fields] if separator == "|" else fields
    except csv.Error:  # a field beyond all bounds: the reader says so
        return [text]


def is_decimal(text: str) -> bool:
    """Whether a field is a number, with a decimal point or comma."""
    return bool(is_number(text.strip()) or has_comma(text.strip()))


def _are_labels(column: Sequence[str]) -> bool:
    plain = [text.replace(",", ".") for text in column]
    return all(is_number(text) and float(text) in {-1.0, 0.0, 1.0} for text in plain)


def _is_torn(row: list[str], separator: str) -> bool:
    """Whether another separator stands in a field between numbers, or at its end."""
    for field in row:
        ends = separator == " " and (field[:1] in ",;|" or field[-1:] in ",;|")
        for other in SEPARATORS.values():
            parts = field.split() if other == " " else field.split(other)
            between = len(parts) > 1 and all(map(is_decimal, parts))
            if other != separator and not is_decimal(field) and (ends or between):
                return True
    return False


def layout_of(
    file: TextFile,
    options: TextOptions,
    wanted: ColumnSpec,
    *,
    keyed: bool = False,
    single: bool = False,
) -> TextLayout:
    """The layout of a file by what was asked for and by its first rows.

    ``keyed``: a key says who is a client; ``single``: the file is one class's.
    """
    if file.kind and file.columns is not None:
        spec, notes = as_written(wanted, file.columns)
        return TextLayout(file.kind, ",", ".", file.columns, spec.label, spec.score, 1, notes)
    lines = file.first_rows(_ROWS, wanted.score)
    if not lines:
        raise FileFormatError(
            f"{file.name} must hold scores; all its lines are blank. Export again."
        )
    excel = _SEP(lines[0][1])
    if excel and len(lines) > 1 and options.separator is None:
        options, lines = options._replace(separator=excel[1]), lines[1:]
    guess = _Guess(file.name, lines, options, wanted, keyed, single)
    while lines[0][1].startswith("#") and len(lines) > 1:
        result = guess.with_header()
        if result is not None:
            return result
        lines.pop(0)
    if options.format in NAMED:
        return guess.named(options.format, options.separator or " ")
    return guess.with_header() or guess.without_header() or guess.unknown()


@dataclass
class _Guess:
    name: str
    lines: list[tuple[int, str]]
    options: TextOptions
    wanted: ColumnSpec
    keyed: bool
    single: bool

    def _rows(self, separator: str, skipped: int = 0) -> list[list[str]]:
        return [split_fields(text, separator) for _, text in self.lines[skipped:]]

    def _made(
        self, kind: str, separator: str, names: Sequence[str], *, header: bool = False,
        wanted: ColumnSpec | None = None, notes: Sequence[str] = (), skipped: int = 0,
    ) -> TextLayout:  # fmt: skip
        """The layout, with what was guessed of it; `wanted` where columns are called otherwise."""
        options, guesses = self.options, list(notes)
        if options.separator is None and (separator in ";|" or kind == "text"):
            guesses.append(f"separator={SIGNS[separator]}")
        decimal = options.decimal or self._decimal(names, self._rows(separator, skipped))
        if options.decimal is None and decimal == ",":
            guesses.append("decimal=comma")
        after = [*self.lines, (self.lines[-1][0] + 1, "")]
        return TextLayout(
            kind, separator, decimal, None if header else tuple(names),
            wanted.label if wanted else None, wanted.score if wanted else None,
            after[0 if header else skipped][0], tuple(guesses),
        )  # fmt: skip

    def _decimal(self, names: Sequence[str], rows: list[list[str]]) -> str:
        if self.wanted.score is None:
            return "."
        at = list(names).index(self.wanted.score)
        values = [row[at].strip() for row in rows if len(row) > at]
        commas = [value for value in values if has_comma(value)]
        if not commas or any(is_number(value) and "." in value for value in values):
            return "."
        if all(map(_THOUSANDS, commas)):
            self._refuse(
                f"may hold decimal commas or thousands, such as {format_list(commas, 2)}",
                "`decimal='comma'` if commas are decimal, or remove them",
            )
        return ","

    def _refuse(self, doubt: str, options: str) -> NoReturn:
        raise FileFormatError(f"{self.name} {doubt}. Pass " + worded(f"{options}."))

    # -------------------------------------------------------------------------- a header
    def with_header(self) -> TextLayout | None:
        """A table whose first line names the wanted columns."""
        options, first = self.options, self.lines[0][1]
        if options.header is False or options.columns is not None:
            return None
        bare = first.lstrip("# ") if first.startswith("#") else first
        # Columns as the call names them, as bob.bio does, or in other letters, large or small.
        possible: list[tuple[ColumnSpec, tuple[str, ...]]] = [(self.wanted, ())]
        if self.wanted.label == ("label",) and not self.keyed:
            bob = self.wanted._replace(label=_BOB_BIO)
            possible.append((bob, (f"label={','.join(_BOB_BIO)}",)))
        others = (as_written(self.wanted, split_fields(bare, s)) for s in options.separators)
        for wanted, notes in [*possible, *(other for other in others if other[1])]:
            separator, columns = self._header(wanted, first, bare)
            if not columns:
                continue
            if options.header is None and all(map(is_number, wanted.columns)):
                self._refuse(
                    f"may have a header of numbers or none: line {self.lines[0][0]} holds"
                    f" {format_list(columns)}",
                    "`header=True` if it names the columns, or `header=False` if it is a trial:"
                    " columns are then called by their numbers, from 1",
                )
            self.wanted = wanted
            header = split_fields(first, separator) == columns  # not one behind a #
            rows = self._rows(separator, 1)
            if rows and all(len(row) == len(columns) + 1 for row in rows):
                # R's column of row names, or nothing at the end of rows
                empty = separator != " " and not any(row[-1].strip() for row in rows)
                more = ["row", *columns] if separator == " " else [*columns, _EMPTY]
                if (separator == " " or empty) and len(set(more)) > len(set(columns)):
                    columns, header = more, False
                    notes = (f"columns={','.join(columns)}", "header=True", *notes)
            return self._made(
                _KINDS[separator], separator, columns, header=header, wanted=wanted,
                notes=notes, skipped=1,
            )  # fmt: skip
        return None

    def _header(self, wanted: ColumnSpec, first: str, bare: str) -> tuple[str, list[str]]:
        result: dict[str, list[str]] = {}
        for separator in self.options.separators:
            for text in (bare,) if separator == " " else (first, bare):
                names = split_fields(text, separator)
                if set(wanted.columns) <= set(names):
                    result.setdefault(separator, names)
        if "\t" in result or set(",;|") & set(result.get(" ", ())):
            result.pop(" ", None)
        if max(map(len, result.values()), default=0) > 1 and len(result) > 1:
            self._refuse_two(result)
        return next(iter(result.items()), ("", []))

    def unknown(self) -> NoReturn:
        line, first = self.lines[0]
        names = {s: split_fields(first, s) for s in self.options.separators}
        wanted = set(self.wanted.columns)  # there but for blanks around
        near = [n for s, n in names.items() if s != " " and wanted <= {x.strip() for x in n}]
        columns = max(near or names.values(), key=len)
        other = next((s for s in SIGNS if s in first and s not in self.options.separators), None)
        if len(columns) == 1 and other and self.options.format in TABLES:
            self._refuse(
                f"must be {self.options.format} as asked; its line {line} is separated by"
                f" {SIGNS[other]}s",
                f"`format={_KINDS[other]!r}`, or leave it out",
            )
        for column, role in self.wanted.roles:
            if column not in columns and self.options.header is not False:
                raise missing_column(self.name, role, column, columns)
        raise FileFormatError(
            f"{self.name}, line {line}: a row must hold a number, the score; got"
            f" {format_list(columns)}."
            " Pass" + worded(" `header=True` if these are names, or `separator=`.")
        )

    # ----------------------------------------------------------------------- no header
    def without_header(self) -> TextLayout | None:
        """A text whose columns have the names of its format, of the call, or numbers."""
        options = self.options
        if options.header and options.columns is None:
            return None
        result = self._readings()
        if not result and options.columns is not None:
            line, text = self.lines[0]
            widths = {SIGNS[s]: len(split_fields(text, s)) for s in options.separators}
            sizes = ", ".join(f"{n} by {sign}" for sign, n in widths.items() if n > 1) or "1"
            raise InputError.about("columns")(
                f"columns must name every column of {self.name}, in their order; got"
                f" {format_list(options.columns)}, but line {line} has {sizes}:"
                f" {format_value(text)}. Name each once."
            )
        if not result:
            return None
        if result.get("\t") == result.get(" "):
            result.pop("\t", None)
        for s in [s for s, row in result.items() if len(row) == 1][:-1]:
            del result[s]  # a single column has no separator
        if len(result) > 1:
            self._refuse_two(result)
        ((separator, row),) = result.items()
        return self._without_header(separator, row)

    def _readings(self) -> dict[str, list[str]]:
        """The first row by each separator by which it may be one."""
        result = {}
        options, possible = self.options, self.options.separators
        if options.decimal == "," and len(possible) > 1:
            possible = possible.replace(",", "")
        for separator in possible:
            rows = self._rows(separator)
            rows = rows[self._skipped(rows[0]) :]
            row = rows[0] if rows else []
            if row and is_missing_word(row[-1]) and row[-1]:  # no score in it
                alike = (item for item in rows if len(item) == len(row) and is_decimal(item[-1]))
                row = next(alike, row)
            numeric = any(map(is_decimal, row))
            if options.columns is not None:
                fits = len(row) == len(options.columns)
            elif options.separator is not None:
                fits = numeric or options.header is False
            else:
                fits = numeric and (len(row) > 1 or self.single or self.keyed)
            if row and fits and (options.separator or not _is_torn(row, separator)):
                result[separator] = row
        return result

    def _skipped(self, first: list[str]) -> int:
        """1 where the first line is a header whose names give way to those of the call."""
        columns = self.options.columns
        if columns is None or self.options.header is not None:
            return int(bool(self.options.header))
        score = self.wanted.score
        at = columns.index(score) if score in columns else len(first)
        return int(at < len(first) and not (is_decimal(first[at]) or is_missing_word(first[at])))

    def _without_header(self, separator: str, row: list[str]) -> TextLayout:
        options, width, kind = self.options, len(row), _KINDS[separator]
        numbers = tuple(str(k + 1) for k in range(width))
        if options.columns is not None:
            for column, role in self.wanted.roles:
                if column not in options.columns:
                    raise missing_column(self.name, role, column, list(options.columns))
            first = split_fields(self.lines[0][1], separator)
            skipped = self._skipped(first)
            names = [name.strip().casefold() for name in first]
            called = [column.casefold() for column in options.columns]
            if skipped:
                self._refuse_order(first, names, called)
            notes = ("header=True",) if skipped and options.header is None else ()
            return self._made(kind, separator, options.columns, notes=notes, skipped=skipped)
        if set(self.wanted.columns) <= set(numbers):
            notes = () if options.header is False else ("header=False",)
            return self._made(kind, separator, numbers, notes=notes)
        if self.single:
            self._refuse_counts(separator)
            score = self.wanted.score or ""
            return self._made("pyeer", separator, (*numbers[:-1], score))
        if self.keyed and width in _KEYED and self.wanted.score == "score":
            kind = options.format or ("kaldi" if width > 1 else kind)
            return self._made(kind, separator, _KEYED[width])
        known = None if self.keyed or separator != " " else self._format(row)
        return self._ask(row) if known is None else self.named(known, separator)

    def _refuse_order(self, first: list[str], names: list[str], called: list[str]) -> None:
        moved = [c for name, c in zip(names, called, strict=False) if c in names and c != name]
        if moved and len(names) == len(called):
            raise InputError.about("columns")(
                f"columns must not contradict the header of {self.name}, whose line"
                f" {self.lines[0][0]} holds {format_list(first)}; got {format_list(called)}. Leave"
                " them out."
            )

    def _refuse_counts(self, separator: str) -> None:
        """Scores, each with how often it occurs, look like trials and their scores."""
        rows = self._rows(separator)
        *others, last = zip(*(row for row in rows if len(row) == len(rows[0])), strict=True)
        numbers = [column for column in others if all(map(is_decimal, column))]
        whole = [all(x.lstrip("+-").isdigit() for x in column) for column in (*numbers, last)]
        if not all(whole[:-1]) or (numbers and whole[-1]):
            raise FileFormatError(
                f"{self.name} must hold one score per line; {format_value(self.lines[0][1])} may be"
                " a trial and its score, two scores, or a score and how often it occurs. Name the"
                + worded(" columns, `columns='trial,score'`; counts are not read.")
            )

    def named(self, kind: str, separator: str) -> TextLayout:
        """A format whose columns have names of their own."""
        (names, label), wanted = NAMED[kind], self.wanted
        if (wanted.score, *wanted.label) not in {("score",), ("score", "label"), ("score", *label)}:
            raise InputError.about("score")(
                worded("`score=` and `label=` name columns of a header;")
                + f" {self.name} is {kind} text, which has none (got {format_value(wanted.score)},"
                f" {format_list(wanted.label)}). Leave them out, or name all columns by"
                + worded(" `columns=`.")
            )
        guessed = kind in ("asvspoof", "voxceleb") and self.options.format is None
        notes = (f"format={kind}",) if guessed else ()
        other = wanted._replace(label=label)
        return self._made(kind, separator, names, wanted=other, notes=notes)

    def _format(self, row: list[str]) -> str | None:
        """The one format without header and separated by white space that this is."""
        width = len(row)
        if not is_decimal(row[-1]) or width not in {2, 4, 5}:
            return None
        rows = [fields for fields in self._rows(" ") if len(fields) == width]
        columns = list(zip(*rows, strict=True))
        if width == 2:
            return "2col" if _are_labels(columns[0]) and not _are_labels(columns[1]) else None
        equal = any(first == second for first, second in zip(columns[0], columns[1], strict=True))
        keys = {word.casefold() for word in columns[2]} if width == 4 else set()
        binary = width == 4 and {*columns[0]} <= {"0", "1"}
        if keys and keys <= _ASVSPOOF and not equal:
            return "asvspoof"
        if binary and not equal and all(map(_PATH, columns[1] + columns[2])):
            return "voxceleb"
        what = [
            f"{format_value(field)} in its first line is a decimal number" for field in row[:-2]
            if is_decimal(field) and not field.lstrip("+-").isdigit()
        ]  # fmt: skip
        for k, column in enumerate(columns[:-1]):
            words = [x for x in column if is_class_word(x) and not is_decimal(x)]
            several = k in {0, width - 2} and _are_labels(column) and len(set(column)) > 1
            if len(words) == len(column) or several or (words and k == 2):
                what.append(
                    f"its column {k + 1} may be of labels, such as {format_value(column[0])}"
                )
        formats = [f"{width}col", *["asvspoof"] * bool(keys & _ASVSPOOF), *["voxceleb"] * binary]
        if what:
            self._refuse(
                f"may be {width}col text, whose clients are the rows with equal claimed and real"
                f" identity, or a table without a header: {what[0]}",
                "".join(f"`format={first!r}`, " for first in formats) + "or name its `columns=`",
            )
        return f"{width}col"

    # ------------------------------------------------------------------- two readings
    def _refuse_two(self, result: dict[str, list[str]]) -> NoReturn:
        (one, first), (two, second) = list(result.items())[:2]
        same = (text for _, text in self.lines if split_fields(text, one) == first)
        signs = [f"separated by {SIGNS[s]}s" for s in (one, two)]
        other = f"`separator={SIGNS[two]!r}`"
        if two == " " and one == "," and any(map(has_comma, second)):
            signs[1], other = "hold decimal commas", "`decimal='comma'`"
        self._refuse(
            f"may be {signs[0]}, {format_list(first, 3)}, or {signs[1]}, {format_list(second, 3)}:"
            f" {format_value(next(same, self.lines[0][1]))}",
            f"{other} or `separator={SIGNS[one]!r}`",
        )

    def _ask(self, row: list[str]) -> NoReturn:
        names = [str(self.wanted.score), *self.wanted.label]
        orders = ["NAME,NAME,..."]
        if len(row) == len(names) == 2:
            binary = [f.strip() in {"0", "1", "-1"} or not is_decimal(f) for f in row]
            both = [",".join(names), ",".join(names[::-1])]
            orders = both if binary[0] == binary[1] else both[binary[0] : binary[0] + 1]
        do = f"{' or '.join(f'`columns={order!r}`' for order in orders)}, in their order"
        if not (self.keyed or all(map(is_decimal, row))):
            do += ", or, where another file says which trials are clients, `key=`"
        self._refuse(
            f"must have a header with the columns {format_list(names)}, or its columns must be"
            f" named; line {self.lines[0][0]} holds {format_list(row)}",
            do,
        )
