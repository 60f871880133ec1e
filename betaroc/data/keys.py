"""A key: a file that says of each trial which class it is of, for scores that do not say it."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import NamedTuple, NoReturn

import numpy as np

from betaroc.core.arrays import IntArray
from betaroc.core.class_words import is_class_word
from betaroc.core.errors import FileFormatError
from betaroc.core.sentences import worded
from betaroc.core.text import listed, nearest, shown
from betaroc.data.rows import FAIL, Rows, Wanted, whole, written
from betaroc.data.text_files import SEPARATORS, TextFile, TextLayout, fields_of
from betaroc.data.text_rows import collect_parts

#: Rows by which the columns of a key without a header are told.
_ROWS = 100
#: From this width on a key is a protocol of ASVspoof, whose second column is the trial.
_PROTOCOL = 5
#: A name, or two.
_Trial = str | tuple[str, ...]


class Key(NamedTuple):
    """The labels' texts of a key, the line where each first occurs, and each trial's label."""

    name: str
    tokens: list[str]
    first: list[int]
    places: dict[_Trial, int]
    codes: IntArray


# ------------------------------------------------------------------------------- read
def read_key(file: TextFile, ids: tuple[str, ...], label: str) -> Key:
    """The key of trials that are named by so many columns; by none, of one label a line."""
    lines = file.first_rows(_ROWS)
    if not lines:
        raise FileFormatError(
            f"{file.name} must name trials; all its lines are blank. Export again."
        )
    layout = _with_header(lines[0], ids, label) or _without_header(file.name, lines, ids, label)
    wanted = Wanted("", (label,), {"id": ids}, scored=False)
    rows = collect_parts(file, layout, wanted, whole)
    trials: list[_Trial] = _trials(rows, ids) if ids else [*map(str, range(rows.codes.size))]
    places = dict(zip(trials, range(len(trials)), strict=True))
    if len(places) < len(trials):
        _refuse_again(file.name, trials, "Remove them.")
    return Key(file.name, rows.tokens, rows.first, places, rows.codes)


def _with_header(first: tuple[int, str], ids: tuple[str, ...], label: str) -> TextLayout | None:
    for sign in SEPARATORS.values():
        names, wanted = fields_of(first[1], sign), (*ids, label)
        if set(wanted) <= set(names):
            return TextLayout("key", sign, start=first[0])
        own = {written(asked, names): asked for asked in wanted}
        if set(own) <= set(names):
            called = tuple(own.get(name, name) for name in names)
            return TextLayout("key", sign, names=called, start=first[0] + 1)
    return None


def _without_header(
    name: str, lines: list[tuple[int, str]], ids: tuple[str, ...], label: str
) -> TextLayout:
    """By the class words that one of the columns holds."""
    start, first = lines[0]
    sign = max(SEPARATORS.values(), key=lambda s: (len(fields_of(first, s)), s == " "))
    width = len(fields_of(first, sign))
    numbers = tuple(str(k + 1) for k in range(width))
    if ids and {*ids, label} <= {*numbers}:
        return TextLayout("key", sign, names=numbers, start=start)
    rows = [row for _, text in lines if len(row := fields_of(text, sign)) == width]
    protocol = len(ids) == 1 and width >= _PROTOCOL
    possible = range(2, width) if protocol else {0, width - 1} if width == len(ids) + 1 else ()
    found = [k for k in possible if all(is_class_word(row[k]) for row in rows)]
    if protocol:
        found = [k for k in found if not all(row[k].isdigit() for row in rows)]
    if len(found) != 1:
        raise FileFormatError(
            f"{name} must be a key: a header with {listed([*ids, label])}, or {len(ids)} column(s)"
            " of the trial and one of target or nontarget, bonafide or spoof, 1 or 0, at either"
            f" end; its first line is {shown(first)}. {nearest(label, rows[0])}Add a header with"
            + worded(" these names, or name its columns by `key_id=` and `key_label=`, by their")
            + " numbers from 1 where there is no header."
        )
    names = [f"column {k + 1}" for k in range(width)]
    places = [1] if protocol else [k for k in range(width) if k != found[0]]
    for place, column in zip([*places, found[0]], [*ids, label], strict=True):
        names[place] = column
    return TextLayout("key", sign, names=tuple(names), start=start)


# ----------------------------------------------------------------------------- joined
def keyed_rows(rows: Rows, key: Key, ids: tuple[str, ...]) -> tuple[Rows, IntArray]:
    """The rows with the key's labels, and the codes of its trials that have no score."""
    if not ids and rows.codes.size != key.codes.size:
        raise FileFormatError(
            f"{rows.name} must have as many scores as the key {key.name}, of one label a line, has"
            f" lines; got {rows.codes.size} and {key.codes.size}. Write both from the same trials."
        )
    trials = _trials(rows, ids) if ids else [*key.places]
    at = np.array([key.places.get(trial, -1) for trial in trials], dtype=np.int64)
    unknown = np.flatnonzero(at < 0)
    if unknown.size:
        raise FileFormatError(
            f"{rows.name}: each trial must stand in the key {key.name}; {unknown.size} of"
            f" {len(trials)} do not, the first {shown(trials[unknown[0]], 80)}. Is it the key of"
            " other trials, or are they spelled otherwise?"
        )
    times = np.bincount(at, minlength=len(key.places))
    if np.any(times > 1):
        _refuse_again(rows.name, trials, "Keep one score per trial.")
    lost = np.flatnonzero(times == 0)
    if lost.size and rows.missing == FAIL:
        first = next(islice(key.places, int(lost[0]), None))
        raise FileFormatError(
            f"{rows.name}: each trial of the key {key.name} must have a score; {lost.size} of"
            f" {len(key.places)} have none, the first {shown(first, 80)}. Give theirs, or pass"
            + worded(" `missing='drop'` or `missing='reject'`.")
        )
    codes = key.codes[at]
    named = replace(rows, name=key.name, tokens=key.tokens, first=key.first, codes=codes)
    return named, key.codes[lost]


def _trials(rows: Rows, ids: tuple[str, ...]) -> list[_Trial]:
    columns = [rows.names[column].astype(np.str_).tolist() for column in ids]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def _refuse_again(name: str, trials: list[_Trial], do: str) -> NoReturn:
    """Trials that stand earlier too."""
    places: dict[_Trial, int] = {}
    again = [trial for k, trial in enumerate(trials) if places.setdefault(trial, k) != k]
    raise FileFormatError(
        f"{name} must name each trial once; {len(again)} of {len(trials)} rows name one again, the"
        f" first {shown(again[0], 80)}. {do}"
    )
