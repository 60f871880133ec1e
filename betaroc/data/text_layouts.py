"""The layout of a text of scores: separator, decimals, columns; guessed where one reading fits."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from betaroc.core.checks import choice, count, flag
from betaroc.core.errors import FileFormatError, InputError, InputTypeError, refusal
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import is_class_word, worded
from betaroc.data.labels import ColumnSpec, as_written, column_places, is_missing_word
from betaroc.data.text_files import TextFile

#: White space is one separator: any run of blanks and tabs.
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
SIGNS = {sign: word for word, sign in SEPARATORS.items()}
DECIMALS = {"point": ".", "comma": ","}
#: Separators of tables by their format, and the format by the separator.
_TABLES = {"csv": ",;|", "tsv": "\t", "text": " "}
_KINDS = {sign: kind for kind, signs in _TABLES.items() for sign in signs}
#: The columns of formats without header, and which of them say who is a client.
NAMED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "2col": (("label", "score"), ("label",)),
    "4col": (("claimed", "real", "probe", "score"), ("claimed", "real")),
    "5col": (("claimed", "model", "real", "probe", "score"), ("claimed", "real")),
    "asvspoof": (("trial", "attack", "key", "score"), ("key",)),
    "voxceleb": (("label", "enrol", "test", "score"), ("label",)),
}
FORMATS = (*_TABLES, "json", "jsonl", "parquet", "arrow", *NAMED, "kaldi", "nist", "pyeer")
#: Of a file that a key says the classes of, by its width.
_KEYED = {1: ("score",), 2: ("trial", "score"), 3: ("enrol", "test", "score")}
#: What the third column of ASVspoof's files says; names of files, as those of VoxCeleb are.
_ASVSPOOF = {"bonafide", "spoof", "genuine", "human", "target", "nontarget"}
_PATH = re.compile(r"[^/\\]*[/\\].*|.*\.[A-Za-z]\w{1,4}").fullmatch

#: Whether a text is a decimal number, also with a decimal comma.
is_number = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
_has_comma = re.compile(r"[+-]?(?:[0-9]+,[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}").fullmatch
_WORDS = re.compile(r'"([^"]*)"|([^ \t\n\r\f\v]+)').findall
#: The first line by which Excel is told the separator.
_EXCEL = re.compile(r'"?sep=([,;|\t])"?\s*').fullmatch
#: Rows that a guess is made from.
_ROWS = 100
#: From this width on a key is a protocol of ASVspoof, whose second column is the trial.
_PROTOCOL = 5


# ------------------------------------------------------------------------------- options
class TextOptions(NamedTuple):
    """What a call says of its files; None where the content decides."""

    format: str | None = None
    separator: str | None = None
    decimal: str | None = None
    header: bool | None = None
    columns: str | Sequence[str] | None = None
    max_size: int | None = None
    max_rows: int | None = None

    @property
    def separators(self) -> str:
        return self.separator or _TABLES.get(self.format or "", "".join(SIGNS))

    def checked(self) -> TextOptions:
        """The same with signs for the words of separators, and the columns as a tuple."""
        changes: dict[str, Any] = {}
        for name, words in (("separator", SEPARATORS), ("decimal", DECIMALS)):
            if getattr(self, name) is not None:
                word = choice(getattr(self, name), [*words, *words.values()], name)
                changes[name] = words.get(word, word)
        if self.format is not None:
            choice(self.format, FORMATS, "format")
        if self.header is not None:
            flag(self.header, "header")
        for name in ("max_size", "max_rows"):
            if getattr(self, name) is not None:
                count(getattr(self, name), name)
        names: Any = self.columns.split(",") if isinstance(self.columns, str) else self.columns
        if names is not None:
            texts = isinstance(names, list | tuple) and all(isinstance(n, str) for n in names)
            names = changes["columns"] = tuple(n.strip() for n in names) if texts else ()
            if not all(names) or not 0 < len(names) == len(set(names)):
                kind = InputError if texts else InputTypeError
                rule = "name each column once, in their order"
                raise refusal("columns", rule, format_value(self.columns), kind=kind)
        return self._replace(**changes)


# -------------------------------------------------------------------------------- fields
def split_fields(text: str, separator: str) -> list[str]:
    """The fields of a line."""
    if separator == " ":
        return [quoted or plain for quoted, plain in _WORDS(text)]
    try:
        fields = next(csv.reader([text], delimiter=separator), [])
    except csv.Error:  # a field beyond all bounds: the reader says so
        return [text]
    return [field.strip() for field in fields] if separator == "|" else fields


def with_point(text: str) -> str:
    """A decimal with a point for its comma; nothing if it has a point."""
    return "" if "." in text else text.replace(",", ".", 1)


def is_decimal(text: str) -> bool:
    """Whether a field is a number, with a decimal point or comma."""
    return bool(is_number(text.strip()) or _has_comma(text.strip()))


def _are_labels(column: Sequence[str]) -> bool:
    plain = [text.replace(",", ".") for text in column]
    return all(is_number(text) and float(text) in {-1.0, 0.0, 1.0} for text in plain)


def _is_torn(row: list[str], separator: str) -> bool:
    for field in row:
        if is_decimal(field):
            continue
        if separator == " " and (field[:1] in ",;|" or field[-1:] in ",;|"):
            return True
        parts = (field.split(None if sign == " " else sign) for sign in SIGNS if sign != separator)
        if any(len(part) > 1 and all(map(is_decimal, part)) for part in parts):
            return True
    return False


# -------------------------------------------------------------------------------- layouts
@dataclass(frozen=True)
class TextLayout:
    """How a text is read; ``names`` of its columns where no header has them."""

    kind: str
    separator: str = ","
    decimal: str = "."
    names: tuple[str, ...] | None = None
    start: int = 1
    guesses: tuple[str, ...] = ()


def layout_of(
    file: TextFile, options: TextOptions, wanted: ColumnSpec, *, keyed: bool = False,
    single: bool = False,
) -> tuple[TextLayout, ColumnSpec]:  # fmt: skip
    """The layout of a file by its first rows, and the wanted columns as called there.

    ``keyed``: a key says who is a client; ``single``: the file is one class's.
    """
    if file.columns:
        spec, notes = as_written(wanted, file.columns)
        return TextLayout(file.kind or "", names=file.columns, guesses=notes), spec
    if file.kind:  # written as csv
        options = options._replace(separator=",")
    lines = file.first_rows(_ROWS, wanted.score)
    excel = _EXCEL(lines[0][1])
    if excel and len(lines) > 1 and options.separator is None:
        options, lines = options._replace(separator=excel[1]), lines[1:]
    guess = _Guess(file.name, lines, options, wanted, keyed, single)
    while lines[0][1].startswith("#") and len(lines) > 1:
        result = guess.with_header()
        if result is not None:
            return result
        lines.pop(0)
    if options.format in NAMED:
        return guess.of_format(options.format, options.separator or " ")
    return guess.with_header() or guess.without_header()


def key_layout(file: TextFile, wanted: ColumnSpec) -> tuple[TextLayout, ColumnSpec]:
    """The layout of a key, and its columns of label and trial as they are called."""
    guess = _Guess(file.name, file.first_rows(_ROWS), TextOptions(), wanted, True, False)
    return guess.with_header() or guess.of_key(wanted.names["id"], wanted.label[0])


@dataclass
class _Guess:
    """The first lines of a file, and what a call says of it."""

    name: str
    lines: list[tuple[int, str]]
    options: TextOptions
    wanted: ColumnSpec
    keyed: bool
    single: bool

    def _rows(self, separator: str, skipped: int = 0) -> list[list[str]]:
        return [split_fields(text, separator) for _, text in self.lines[skipped:]]

    def _refuse(self, doubt: str, options: str) -> NoReturn:
        raise FileFormatError(f"{self.name} {doubt}. Pass " + worded(f"{options}."))

    # -------------------------------------------------------------------------- a header
    def with_header(self) -> tuple[TextLayout, ColumnSpec] | None:
        """A table whose first line names the wanted columns, perhaps behind a #."""
        if self.options.header is False or self.options.columns is not None:
            return None
        line, first = self.lines[0]
        behind = first.startswith("#")
        known = {}
        for separator in self.options.separators:
            names = split_fields(first.lstrip("# ") if behind else first, separator)
            wanted, notes = as_written(self.wanted, names)
            if set(wanted.columns) <= set(names):
                known[separator] = names, wanted, notes
        if "\t" in known or set(",;|") & set(known[" "][0] if " " in known else ()):
            known.pop(" ", None)
        if not known:
            return None
        fields = {separator: names for separator, (names, _, _) in known.items()}
        if len(fields) > 1 and max(map(len, fields.values())) > 1:
            self._refuse_two(fields)
        separator, (names, wanted, notes) = next(iter(known.items()))
        if self.options.header is None and all(map(is_number, wanted.columns)):
            self._refuse(
                f"may have a header of numbers or none: line {line} holds {format_list(names)}",
                "`header=True` if it names the columns, or `header=False` if it is a trial",
            )
        rows = self._rows(separator, 1)
        if rows and all(len(row) == len(names) + 1 for row in rows):
            empty = not any(row[-1].strip() for row in rows)
            more = ["row", *names] if separator == " " else [*names, "empty"]
            if separator == " " or empty:  # R's names of rows, or nothing at the end of rows
                notes = (f"columns={','.join(more)}", "header=True", *notes)
                return self._layout(separator, more, wanted, notes, skipped=1)
        skipped = int(behind)
        return self._layout(separator, names, wanted, notes, header=not behind, skipped=skipped)

    def _layout(
        self, separator: str, names: Sequence[str], wanted: ColumnSpec, notes: Sequence[str] = (),
        *, kind: str | None = None, header: bool = False, skipped: int = 0,
    ) -> tuple[TextLayout, ColumnSpec]:  # fmt: skip
        """With what was guessed of it; with a `header` that the reader reads."""
        guesses, kind = list(notes), kind or _KINDS[separator]
        if self.options.separator is None and (separator in ";|" or kind == "text"):
            guesses.append(f"separator={SIGNS[separator]}")
        decimal = self.options.decimal
        if decimal is None:
            at = len(names) if wanted.score is None else list(names).index(wanted.score)
            rows = self._rows(separator, header + skipped)
            decimal = self._decimal([row[at].strip() for row in rows if len(row) > at])
            guesses += ["decimal=comma"] * (decimal == ",")
        after = [*self.lines, (self.lines[-1][0] + 1, "")]
        own = None if header else tuple(names)
        layout = TextLayout(kind, separator, decimal, own, after[skipped][0], tuple(guesses))
        return layout, wanted

    def _decimal(self, values: list[str]) -> str:
        commas = [value for value in values if _has_comma(value)]
        if not commas or any(is_number(value) and "." in value for value in values):
            return "."
        if all(map(_THOUSANDS, commas)):
            self._refuse(
                f"may hold decimal commas or thousands, such as {format_list(commas, 2)}",
                "`decimal='comma'` if commas are decimal, or remove them",
            )
        return ","

    # ----------------------------------------------------------------------- no header
    def without_header(self) -> tuple[TextLayout, ColumnSpec]:
        """A text whose columns have the names of its format, of the call, or numbers."""
        options, wanted = self.options, self.wanted
        rows = {} if options.header and options.columns is None else self._first_rows()
        if not rows:
            self._refuse_unknown()
        if rows.get("\t") == rows.get(" "):
            rows.pop("\t", None)
        for separator in [s for s, row in rows.items() if len(row) == 1][:-1]:
            del rows[separator]  # a single column has no separator
        if len(rows) > 1:
            self._refuse_two(rows)
        ((separator, row),) = rows.items()
        numbers = tuple(str(k + 1) for k in range(len(row)))
        if options.columns is not None:
            return self._named_by_call(separator, tuple(options.columns))
        if set(wanted.columns) <= set(numbers):
            notes = () if options.header is False else ("header=False",)
            return self._layout(separator, numbers, wanted, notes)
        if self.single:
            if any(map(is_decimal, row[:-1])):
                raise FileFormatError(
                    f"{self.name} must hold one score per line; {format_value(self.lines[0][1])}"
                    " may be a trial and its score, or a score and how often it occurs."
                    + worded(" Name the columns, `columns='trial,score'`.")
                )
            names = (*numbers[:-1], wanted.score or "")
            return self._layout(separator, names, wanted, kind="pyeer")
        if self.keyed and len(row) in _KEYED and wanted.score == "score":
            kind = options.format or ("kaldi" if len(row) > 1 else None)
            return self._layout(separator, _KEYED[len(row)], wanted, kind=kind)
        known = None if self.keyed or separator != " " else self._format(row)
        return self._ask(row) if known is None else self.of_format(known, separator)

    def _first_rows(self) -> dict[str, list[str]]:
        options, possible, result = self.options, self.options.separators, {}
        if options.decimal == "," and len(possible) > 1:
            possible = possible.replace(",", "")
        for separator in possible:
            rows = self._rows(separator)
            rows = rows[self._skipped(rows[0]) :] or [[]]
            row = rows[0]
            if row and row[-1] and is_missing_word(row[-1]):  # no score in it
                alike = (other for other in rows if len(other) == len(row))
                row = next((other for other in alike if is_decimal(other[-1])), row)
            numeric = any(map(is_decimal, row))
            fits = numeric and (len(row) > 1 or self.single or self.keyed)
            if options.columns is not None:
                fits = len(row) == len(options.columns)
            elif options.separator is not None:
                fits = numeric or options.header is False
            if row and fits and (options.separator or not _is_torn(row, separator)):
                result[separator] = row
        return result

    def _skipped(self, first: list[str]) -> int:
        columns, score = self.options.columns, self.wanted.score
        if columns is None or self.options.header is not None:
            return int(bool(self.options.header))
        at = columns.index(score) if score in columns else len(first)
        return int(at < len(first) and not (is_decimal(first[at]) or is_missing_word(first[at])))

    def _named_by_call(
        self, separator: str, columns: tuple[str, ...]
    ) -> tuple[TextLayout, ColumnSpec]:
        column_places(self.name, list(columns), self.wanted)
        first = split_fields(self.lines[0][1], separator)
        skipped = self._skipped(first)
        if skipped and sorted(first) == sorted(columns) and first != [*columns]:
            rule = f"not contradict the header of {self.name}"
            actual = f"{format_list(columns)}; line {self.lines[0][0]} holds {format_list(first)}"
            raise refusal("columns", rule, actual, "Leave them out.")
        notes = ("header=True",) if skipped and self.options.header is None else ()
        return self._layout(separator, columns, self.wanted, notes, skipped=skipped)

    def of_format(self, kind: str, separator: str) -> tuple[TextLayout, ColumnSpec]:
        """A format whose columns have names of their own."""
        (names, label), wanted = NAMED[kind], self.wanted
        if (wanted.score, *wanted.label) not in {("score",), ("score", "label"), ("score", *label)}:
            rule = worded(f"stay out with `label=`, as {self.name} is {kind} text without header")
            actual = format_list([wanted.score, *wanted.label])
            raise refusal("score", rule, actual, worded("Or name all columns by `columns=`."))
        guessed = kind in ("asvspoof", "voxceleb") and self.options.format is None
        notes = (f"format={kind}",) * guessed
        return self._layout(separator, names, wanted._replace(label=label), notes, kind=kind)

    def _format(self, row: list[str]) -> str | None:
        width = len(row)
        if not is_decimal(row[-1]) or width not in {2, 4, 5}:
            return None
        columns = list(zip(*(row for row in self._rows(" ") if len(row) == width), strict=True))
        if width == 2:
            return "2col" if _are_labels(columns[0]) and not _are_labels(columns[1]) else None
        equal = any(first == second for first, second in zip(columns[0], columns[1], strict=True))
        if width == 4 and not equal:
            if {word.casefold() for word in columns[2]} <= _ASVSPOOF:
                return "asvspoof"
            if {*columns[0]} <= {"0", "1"} and all(map(_PATH, columns[1] + columns[2])):
                return "voxceleb"
        for k, column in enumerate(columns[:-1]):
            fractions = [x for x in column if is_decimal(x) and not x.lstrip("+-").isdigit()]
            words = [x for x in column if is_class_word(x) and not is_decimal(x)]
            labels = k in {0, width - 2} and _are_labels(column) and len(set(column)) > 1
            doubt = [*fractions * (k < width - 2), *words, *column[:1] * labels]
            if doubt:
                formats = [kind for kind, (names, _) in NAMED.items() if len(names) == width]
                self._refuse(
                    f"may be {width}col text, whose clients are the rows of equal identities, or a"
                    f" table without a header: its column {k + 1} has {format_value(doubt[0])}",
                    "".join(f"`format={kind!r}`, " for kind in formats) + "or name its `columns=`",
                )
        return f"{width}col"

    def of_key(self, ids: tuple[str, ...], label: str) -> tuple[TextLayout, ColumnSpec]:
        """A key without header: a protocol, or the trial beside the word of its class."""
        first = self.lines[0][1]
        separator = max(SIGNS, key=lambda sign: (len(split_fields(first, sign)), sign == " "))
        rows = self._rows(separator)
        width = len(rows[0])
        names = [str(k + 1) for k in range(width)]
        if ids and {*ids, label} <= {*names}:
            return self._layout(separator, names, self.wanted)
        protocol = len(ids) == 1 and width >= _PROTOCOL
        possible = range(2, width) if protocol else {0, width - 1} if width == len(ids) + 1 else ()
        columns = [[row[k] for row in rows if len(row) == width] for k in range(width)]
        result = [
            k for k in possible if all(map(is_class_word, columns[k]))
            and not (protocol and all(text.isdigit() for text in columns[k]))
        ]  # fmt: skip
        if len(result) != 1:
            raise FileFormatError(
                f"{self.name} must be a key: a header with {format_list([*ids, label])}, or"
                f" {len(ids)} column(s) of the trial beside target or nontarget, bonafide or spoof,"
                f" 1 or 0; its first line is {format_value(first)}. Name its columns by"
                + worded(" `key_id=` and `key_label=`, without header their numbers from 1.")
            )
        places = [1] if protocol else [k for k in range(width) if k != result[0]]
        for place, column in zip([*places, result[0]], [*ids, label], strict=True):
            names[place] = column
        return self._layout(separator, names, self.wanted)

    # ------------------------------------------------------------------- what is missing
    def _refuse_two(self, rows: dict[str, list[str]]) -> NoReturn:
        (one, first), (two, second) = list(rows.items())[:2]
        decimal = " `decimal='comma'`," * (one == ",")
        doubt = f"by {SIGNS[one]}s, {format_list(first, 3)}, or {SIGNS[two]}s"
        options = f"`separator={SIGNS[one]!r}`,{decimal} or `separator={SIGNS[two]!r}`"
        self._refuse(f"may be separated {doubt}, {format_list(second, 3)}", options)

    def _refuse_unknown(self) -> NoReturn:
        options, (line, first) = self.options, self.lines[0]
        columns = max((split_fields(first, s) for s in options.separators), key=len)
        if options.columns is not None:
            rule = f"name every column of {self.name}, in their order"
            actual = f"{format_list(options.columns)}; line {line} holds {format_list(columns)}"
            raise refusal("columns", rule, actual, "Name each once.")
        other = next((s for s in SIGNS if s in first and s not in options.separators), None)
        if len(columns) == 1 and other and options.format in _TABLES:
            doubt = f"must be {options.format}; its line {line} is separated by {SIGNS[other]}s"
            self._refuse(doubt, f"`format={_KINDS[other]!r}`, or leave it out")
        if options.header is not False:
            column_places(self.name, columns, self.wanted)
        doubt = f"must hold a number, the score; line {line} is {format_list(columns)}"
        self._refuse(doubt, "`header=True` if these are names, or `separator=`")

    def _ask(self, row: list[str]) -> NoReturn:
        names, orders = [str(self.wanted.score), *self.wanted.label], ["NAME,NAME,..."]
        if len(row) == len(names) == 2:
            binary = [f.strip() in {"0", "1", "-1"} or not is_decimal(f) for f in row]
            both = [",".join(names), ",".join(names[::-1])]
            orders = both if binary[0] == binary[1] else both[binary[0] : binary[0] + 1]
        options = f"{' or '.join(f'`columns={order!r}`' for order in orders)}, in their order"
        if not (self.keyed or all(map(is_decimal, row))):
            options += ", or, where another file says which trials are clients, `key=`"
        doubt = f"must have a header with {format_list(names)}, or names of its columns; line"
        self._refuse(f"{doubt} {self.lines[0][0]} holds {format_list(row)}", options)
