"""Score files: which format a file has, and its scores."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.checks import choice
from betaroc.core.containers import as_narwhals
from betaroc.core.errors import BetarocError, FileFormatError, InputError, InputTypeError
from betaroc.core.local_files import local_file, of_the_system, shown_path
from betaroc.core.notices import public
from betaroc.core.text import listed, nearest, shown
from betaroc.core.vocabulary import ClassWords, is_class_word, worded
from betaroc.data.frames import named_columns
from betaroc.data.labels import (
    DROP,
    FAIL,
    WAYS_OF_MISSING,
    Rows,
    Wanted,
    as_written,
    refuse_confidence,
    refuse_hard_labels,
    whole,
    written,
)
from betaroc.data.parquet import binary_columns, read_columns_of
from betaroc.data.scores import ScoreData, Scores, ScoreSource
from betaroc.data.text_files import TextFile, foreign_kind, refuse_too_large, text_file
from betaroc.data.text_layouts import (
    NAMED,
    SEPARATORS,
    TextLayout,
    TextOptions,
    asked_of,
    layout_of,
    split_fields,
)  # fmt: skip
from betaroc.data.text_rows import collect_parts, number_columns

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

#: Rows by which the columns of a key without a header are told.
_ROWS = 100
#: From this width on a key is a protocol of ASVspoof, whose second column is the trial.
_PROTOCOL = 5
#: A name, or two.
_Trial = str | tuple[str, ...]


#: The labels of a key, and the place of each of its trials.
_Key = tuple[Rows, dict[_Trial, int]]


# ------------------------------------------------------------------------------- read
def read_key(file: TextFile, ids: tuple[str, ...], label: str) -> _Key:
    """The key of trials that are named by so many columns; by none, of one label per line."""
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
    return rows, places


def _with_header(first: tuple[int, str], ids: tuple[str, ...], label: str) -> TextLayout | None:
    for sign in SEPARATORS.values():
        names, wanted = split_fields(first[1], sign), (*ids, label)
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
    sign = max(SEPARATORS.values(), key=lambda s: (len(split_fields(first, s)), s == " "))
    width = len(split_fields(first, sign))
    numbers = tuple(str(k + 1) for k in range(width))
    if ids and {*ids, label} <= {*numbers}:
        return TextLayout("key", sign, names=numbers, start=start)
    rows = [row for _, text in lines if len(row := split_fields(text, sign)) == width]
    protocol = len(ids) == 1 and width >= _PROTOCOL
    possible = range(2, width) if protocol else {0, width - 1} if width == len(ids) + 1 else ()
    result = [k for k in possible if all(is_class_word(row[k]) for row in rows)]
    if protocol:
        result = [k for k in result if not all(row[k].isdigit() for row in rows)]
    if len(result) != 1:
        raise FileFormatError(
            f"{name} must be a key: a header with {listed([*ids, label])}, or {len(ids)} column(s)"
            " of the trial and one of target or nontarget, bonafide or spoof, 1 or 0, at either"
            f" end; its first line is {shown(first)}. {nearest(label, rows[0])}Add a header with"
            + worded(" these names, or name its columns by `key_id=` and `key_label=`, by their")
            + " numbers from 1 where there is no header."
        )
    names = [f"column {k + 1}" for k in range(width)]
    places = [1] if protocol else [k for k in range(width) if k != result[0]]
    for place, column in zip([*places, result[0]], [*ids, label], strict=True):
        names[place] = column
    return TextLayout("key", sign, names=tuple(names), start=start)


# ----------------------------------------------------------------------------- joined
def keyed_rows(rows: Rows, key: _Key, ids: tuple[str, ...]) -> tuple[Rows, IntArray]:
    """The rows with the key's labels, and the codes of its trials that have no score."""
    known, places = key
    if not ids and rows.codes.size != known.codes.size:
        raise FileFormatError(
            f"{rows.name} must have as many scores as the key {known.name}, of one label per line,"
            f" has lines; got {rows.codes.size} and {known.codes.size}. Write both from the same"
            " trials."
        )
    trials = _trials(rows, ids) if ids else [*places]
    at = np.array([places.get(trial, -1) for trial in trials], dtype=np.int64)
    unknown = np.flatnonzero(at < 0)
    if unknown.size:
        raise FileFormatError(
            f"{rows.name}: each trial must stand in the key {known.name}; {unknown.size} of"
            f" {len(trials)} do not, the first {shown(trials[unknown[0]], 80)}. Is it the key of"
            " other trials, or are they spelled otherwise?"
        )
    times = np.bincount(at, minlength=len(places))
    if np.any(times > 1):
        _refuse_again(rows.name, trials, "Keep one score per trial.")
    lost = np.flatnonzero(times == 0)
    if lost.size and rows.missing == FAIL:
        first = next(islice(places, int(lost[0]), None))
        raise FileFormatError(
            f"{rows.name}: each trial of the key {known.name} must have a score; {lost.size} of"
            f" {len(places)} have none, the first {shown(first, 80)}. Give theirs, or pass"
            + worded(" `missing='drop'` or `missing='reject'`.")
        )
    named = replace(known, scores=rows.scores, codes=known.codes[at], names=rows.names)
    return replace(named, missing=rows.missing), known.codes[lost]


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


#: Scores, or what they are made of: a frame, labels and scores, or the path of a file.
ScoresLike: TypeAlias = (
    "ScoreData | IntoFrame | tuple[npt.ArrayLike, npt.ArrayLike] | str | os.PathLike[str]"
)
_BINARY = ("parquet", "arrow")
#: The first bytes of tables that are no text.
_FIRST = {"parquet": b"PAR1", "arrow": b"ARROW1"}


def as_scores(
    value: Any, name: str, kinds: str = "Scores, a ScoreSummary", types: Any = ScoreData
) -> Any:
    """What a call takes already, unchanged; scores of a path, a pair of arrays or a frame."""
    if isinstance(value, types):
        return value
    result: Any = None
    if isinstance(value, str | os.PathLike):
        result, how = read_scores, "read_scores(path)"
    elif isinstance(value, tuple) and len(value) == 2:
        result, how = (
            (lambda pair: Scores.from_labels(*pair)),
            "Scores.from_labels(y_true, y_score)",
        )
    elif hasattr(as_narwhals(value), "collect_schema"):
        result, how = Scores.from_frame, "Scores.from_frame(frame)"
    if result is None:
        raise InputTypeError.about(name)(
            f"{name} must be {kinds}, a frame, a pair (y_true, y_score) or a path; got"
            f" {shown(value)} of type {type(value).__name__}. Make Scores(client, impostor)."
        )
    try:
        return result(value)
    except BetarocError as error:
        hint = f" {name} is read by {how}: call it for its options, or Scores(client, impostor)."
        raise error.reworded(error.template + hint) from error


@public
def read_scores(
    path: str | os.PathLike[str] | None = None,
    *,
    client_file: str | os.PathLike[str] | None = None,
    impostor_file: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    key_label: str | None = None,
    key_id: str | tuple[str, str] | None = None,
    score: str = "score",
    label: str | tuple[str, str] = "label",
    client_label: object = None,
    group: str | tuple[str, str] | None = None,
    id: str | tuple[str, str] | None = None,  # noqa: A002 - the name of the public surface
    columns: str | Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    missing: str = "fail",
    format: str | None = None,  # noqa: A002 - the name of the public surface
    max_size: int | None = None,
    max_rows: int | None = None,
) -> Scores:
    r"""Scores from a file of any everyday shape, or from two.

    Parameters
    ----------
    path : str or path-like, optional
        A regular local file; text may be gzip-compressed. ``"-"`` is the standard input.
    client_file, impostor_file : str or path-like, optional
        Instead of `path` a file for each class: a score per line, in the last column, or a table
        with a column `score`.
    key : str or path-like, optional
        A text that says of each trial which class it is of, for scores that do not: a table with
        the columns `id` and `label`; without a header one or two columns of the trial and, before
        or behind them, target or nontarget, bonafide or spoof, 1 or 0; or a protocol of ASVspoof.
        The trials become the ids of the scores. Beside scores alone, one a line, a label per line.
    key_label, key_id : str, optional
        Columns of the key where they are called otherwise than `label` and `id`, or have a number,
        from 1, instead of a name; of the trial a tuple of two where two columns name it.
    score : str
        Column name in the header; a number from 1 where there is none.
    label : str or (str, str)
        Likewise, with `key` a column of the key; of two columns clients are the rows where both
        are equal.
    client_label : object, optional
        The client's label, compared as text and as a number. None only for {0, 1}, {-1, 1}
        and true/false, where the client's is 1 or true, and for words of the field that leave no
        doubt, such as "genuine" beside "impostor" or "bona fide" beside "attack": then
        ``.source.guessed`` names the label that was taken.
    group, id : str or (str, str), optional
        Columns that become the scores' groups and ids: one name, or a tuple of two.
        The columns of 4col are called ``"claimed"``, ``"real"`` and ``"probe"``, of 5col
        ``"model"`` too; those of Kaldi ``"trial"``, or ``"enrol"`` and ``"test"``.
    columns : str or sequence of str, optional
        The names of all columns in their order, ``"label,score"`` or ``("label", "score")``.
    separator : {"comma", "semicolon", "tab", "pipe", "space"}, optional
        Or the sign itself; ``"space"`` is any white space.
    decimal : {"point", "comma"}, optional
        Or the sign itself.
    header : bool, optional
        Whether the first line names the columns.
    missing : {"fail", "drop", "reject"}
        Trials without a score (an empty field, NA, nan, null, None, ``?``; trials of `key` that
        are not in the file): an error, left out with a warning, or counted as rejected.
    format : str, optional
        "csv" (commas, semicolons or pipes), "tsv", "text" (white space), "json", "jsonl",
        "parquet", "arrow", "2col", "4col", "5col", "asvspoof", "voxceleb", "kaldi" or "nist"
        (with `key`), "pyeer" (two files). None decides by the content, never by the file name.
    max_size, max_rows : int, optional
        Bytes and rows of a file at most, told before it is read wherever that can be. None: 1 GiB
        that gzip expands to, 64 GiB of any other file, 250 million rows.

    Returns
    -------
    Scores
        In the order of the file; ``.source`` states path, format, and what was guessed:
        ``.source.guesses`` are the options that would say the same.

    Raises
    ------
    ScoreFileNotFoundError
        If there is no such file.
    FileFormatError
        For whatever is wrong in the file, with its line; for what has two readings, with both and
        the option that decides; for trials that a key does not know, or that stand twice; for
        directories, devices, URLs, archives; for text that is not UTF-8; for a missing column,
        class or group.
    InputError
        For options that do not go together, one file given twice, and for names of columns that a
        file without header cannot have.
    MissingDependencyError
        For Parquet and Arrow without pyarrow, for sheets of Excel without openpyxl.

    Warns
    -----
    MissingScoreWarning
        If trials were dropped.

    Notes
    -----
    Separator, decimals and columns are guessed from the first 100 rows, and only where one reading
    fits; a header of numbers, ``0,5`` that may be one column or two, 1,234 that may be thousands
    are questions. A column that is called as `score` or `label` but for large and small letters
    is taken where there is one. Percentages are not read. An infinite score and a row of
    another width, but for an empty field at the end of all rows, are errors. Blank lines are
    skipped, lines that begin with ``#`` before the header, and anywhere where white space
    separates. Formats without a header:

    * 2col: ``label score`` with label 1 for clients, 0 or -1 for impostors;
    * 4col: ``claimed_id real_id probe_label score``, client iff claimed and real are equal;
    * 5col: ``claimed_id model_label real_id probe_label score``, likewise;
    * asvspoof: ``trial attack key score``, key bonafide or spoof;
    * voxceleb: ``label enrol test score``, label 1 for clients;
    * kaldi: ``trial score`` or ``enrol test score``, and a key.

    Tables of bob.bio are known by ``bio_ref_subject_id`` and ``probe_subject_id`` in their header.
    Text of four or five columns whose identities are decimal numbers may as well be a table that
    lost its header: it is refused unless `format` says which it is.

    In verification a trial depends on two people: ``group=("claimed", "real")``. Groups and ids
    of text files are text, also where they look like numbers.

    Arrays of numpy are tables too: ``.npz`` with arrays of one length, or with the scores of two
    classes that are called such as genuine and impostor; ``.npy`` with a structured array, one
    column or several without names. So is the first sheet of a file of Excel (``.xlsx``). Columns
    called scores or y_score, labels or y_true are taken where there is no score or label.

    Plain tables and keys beyond 4 MiB are parsed in blocks by pandas; all else, and what that
    leaves in doubt, is read line by line from the first line on: slower by an order of magnitude,
    with the same values.

    Decimals are read exactly as Python's ``float`` does; 1e400 and 1e-400 are errors, since
    they would become inf and 0. A gzip file that expands beyond `max_size`, by 1 GiB, is
    refused, so is a line beyond 1 MiB, and a standard input beyond 8 GiB. Parquet page
    checksums are verified where the writer stored them; without them a flipped bit cannot be seen.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import betaroc as br
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "dev.csv")
    >>> _ = path.write_text("label;score\ngenuine;0,9\nimpostor;0,25\ngenuine;0,5\n")
    >>> scores = br.read_scores(path)
    >>> scores, scores.source.format
    (Scores(client=[0.9, 0.5], impostor=[0.25]), 'csv')
    >>> scores.source.guessed, scores.source.guesses
    ('genuine', ('separator=semicolon', 'decimal=comma'))
    >>> folder.cleanup()
    """
    asked = asked_of(format, separator, decimal, header, columns, max_size, max_rows).of_rows
    choice(missing, WAYS_OF_MISSING, "missing")
    wanted = wanted_of(score, label, {"group": group, "id": id}, missing)
    of_key = key_id, key_label
    _check_key(path, key, of_key, wanted, asked)
    if path is not None:
        if client_file is not None or impostor_file is not None:
            raise InputError.about("path")(
                worded("path must stand alone, or `client_file=` and `impostor_file=` without it;")
                + f" got {shown(path)} beside them. Leave one out."
            )
        rows, source, lost = _one_file(path, key, wanted, client_label, asked, of_key)
        return _scores_of(rows, source, client_label, wanted, lost)
    rows, source = _two_files(client_file, impostor_file, key, wanted, client_label, asked)
    return _scores_of(rows, source, None, wanted, None)


def _scores_of(
    rows: Rows, source: ScoreSource, client_label: object, wanted: Wanted, lost: IntArray | None
) -> Scores:
    """Scores of the rows of one or two files; `lost` are a key's codes of trials without one."""
    values, is_client = rows.split(client_label)
    absent = [0, 0]
    if lost is not None:
        of_key = np.isin(lost, np.flatnonzero(rows.clients(client_label)))
        absent = [int(np.sum(of_key)), int(np.sum(~of_key))]
    # A digest of all classes, and of which rows have a score where some have none.
    digest = hashlib.blake2b(np.packbits(is_client).tobytes(), digest_size=16)
    present = ~np.isnan(values)
    if not present.all():
        digest.update(np.packbits(present).tobytes())
    source = replace(source, order=digest.hexdigest(), guessed=rows.guessed)
    if wanted.missing == DROP:
        source = replace(source, n_dropped=sum(absent) + int(np.sum(~present)))
    names = {f"{role}s": rows.joined(role, columns) for role, columns in wanted.names.items()}
    return Scores._of_rows(
        values, is_client, f"{rows.name}, scores", wanted.missing, names, absent=absent,
        error=FileFormatError, source=source, words=rows.words(is_client),
    )  # fmt: skip


def wanted_of(
    score: object, label: object, names: dict[str, Any] | None = None, missing: str = FAIL
) -> Wanted:
    """The columns of a call, checked."""
    if not isinstance(score, str):
        raise InputTypeError.about("score")(
            f"score must be the name of a column; got {shown(score)} of type"
            f" {type(score).__name__}. Pass text."
        )
    labels = named_columns(label, "label", single=False)
    if score in labels:
        raise InputError.about("score")(
            worded("`score` and `label` must name two columns; both are")
            + f" {shown(score)}. Name the column of each."
        )
    named = {role: named_columns(c, role) for role, c in (names or {}).items() if c is not None}
    return Wanted(score, labels, named, missing)


# -------------------------------------------------------------------------- what is read
def _one_file(
    path: Any, key: Any, wanted: Wanted, client_label: object, asked: TextOptions, of_key: Any
) -> tuple[Rows, ScoreSource, IntArray | None]:
    keyed = key is not None
    of_scores = wanted._replace(label=()) if keyed else wanted
    with local_file(path) as (local, name), of_the_system(name):
        kind, guesses, rows, ids = read_rows(
            local, name, of_scores, client_label, asked, keyed=keyed
        )
    source = ScoreSource(str(path), kind, guesses=guesses)
    if not keyed:
        return rows, source, None
    if ids:
        wanted.names.setdefault("id", ids)
    known = _known(key, *_key_columns(of_key, ids, wanted.label[0]), local, asked)
    rows.values()
    rows, lost = keyed_rows(rows, known, ids)
    return rows, replace(source, further=(str(key),)), lost


def _check_key(path: Any, key: Any, of_key: Any, wanted: Wanted, asked: TextOptions) -> None:
    """Raise where a key, its columns and what else was asked for do not go together."""
    for name, value in zip(("key_id", "key_label"), of_key, strict=True):
        if key is None and value is not None:
            raise InputError.about(name)(
                f"{name} must stand beside"
                + worded(" `key=`, whose column it names; got")
                + f" {shown(value)}. Leave it out, or pass the key."
            )
    if key is None and asked.format in ("kaldi", "nist"):
        raise InputError.about("key")(
            f"key must name a file of the trials' classes for format={asked.format!r}, whose"
            " scores do not say who is a client. Pass it."
        )
    if key is not None and len(wanted.label) > 1:
        raise InputError.about("label")(
            worded("label must be one column of `key=`, which says who is a client; got")
            + f" {shown(wanted.label)}. Leave one of them out."
        )
    if key is not None and asked.format in NAMED:
        raise InputError.about("key")(
            f"key must be left out for {asked.format} files, which say who is a client."
        )
    _refuse_one_file(path, key, "key")


def _key_columns(value: Any, ids: tuple[str, ...], label: str) -> tuple[tuple[str, ...], str]:
    """Of the trials and of the label in a key."""
    id_, label_ = value
    names = ids if id_ is None else named_columns(id_, "key_id")
    if len(names) != len(ids):
        raise InputError.about("key_id")(
            f"key_id must name as many columns as name the trial, {len(ids)}; got {shown(id_)}."
            " Name the columns of the same names."
        )
    return names, label if label_ is None else named_columns(label_, "key_label")[0]


def _known(key: Any, ids: tuple[str, ...], label: str, scores: Path, asked: TextOptions) -> _Key:
    """A key, by its path where it is called as the file of the scores."""
    with local_file(key, "key") as (local, name), of_the_system(name):
        if local.name == scores.name:
            name = shown_path(str(local))
        return read_key(text_file(local, name, asked.max_size, asked.max_rows), ids, label)


class ScoreColumns(NamedTuple):
    """Scores of several systems, a column each of one file; nan where a system has none."""

    scores: dict[str, FloatArray]
    is_client: BoolArray
    #: Further columns by their names.
    names: dict[str, AnyArray]
    words: ClassWords | None
    source: ScoreSource


def read_columns(
    path: Any, systems: Sequence[str] | None, wanted: Wanted, asked: TextOptions, *,
    key: Any = None, of_key: tuple[Any, Any] = (None, None), client_label: object = None,
) -> ScoreColumns:  # fmt: skip
    """The columns of `systems`, or all of numbers beside those that are wanted for others.

    Each is read as the scores of a file are, which has one.
    """
    asked = asked.of_rows
    _check_key(path, key, of_key, wanted, asked)
    keyed = key is not None
    ids = wanted.names.get("id", ())
    rest = wanted._replace(score="", scored=False, label=() if keyed else wanted.label)
    with local_file(path) as (local, name), of_the_system(name):
        if keyed and not ids:
            raise _without_id(name)
        chosen = _system_columns(local, name, systems, rest, client_label, asked, keyed=keyed)
        read = []
        for item in chosen:
            own = rest._replace(score=item, scored=True)
            try:
                read.append(read_rows(local, name, own, client_label, asked, keyed=keyed))
            except FileFormatError as error:
                raise error.reworded(f"column {shown(item)} of " + error.template) from error
    known = None
    if keyed:
        known = _known(key, *_key_columns(of_key, ids, wanted.label[0]), local, asked)
    scores = {}
    for item, (_, _, rows, _) in zip(chosen, read, strict=True):
        if known is not None:
            rows.values()
            rows, _ = keyed_rows(rows, known, ids)
        scores[item], is_client = rows.split(client_label)
        called, present = f"column {shown(item)} of {rows.name}", ~np.isnan(scores[item])
        refuse_hard_labels(called, present.sum(), scores[item][present], kind=FileFormatError)
    told = dict.fromkeys(guess for _, guesses, _, _ in read for guess in guesses)
    source = ScoreSource(str(path), read[0][0], guesses=tuple(told), guessed=rows.guessed)
    return ScoreColumns(scores, is_client, rows.names, rows.words(is_client), source)


def _system_columns(
    path: Path, name: str, systems: Sequence[str] | None, rest: Wanted, client_label: object,
    asked: TextOptions, *, keyed: bool,
) -> list[str]:  # fmt: skip
    text = opened_text(path, name, rest, client_label, asked, keyed=keyed)
    if isinstance(text, str):
        present = binary_columns(path, name, text)
        rest, _ = as_written(rest, list(present))
    else:
        present, rest = number_columns(text.file, text.layout), text.wanted
    if systems is None:
        result = [item for item, numbers in present.items() if numbers and item not in rest.columns]
        if result:
            return result
        raise FileFormatError(
            f"{name} must have columns of scores beside {listed(rest.columns)}; there are"
            f" {listed(present)}. Name them: " + worded("`systems=...`")
        )
    for system in systems:
        if system not in present:
            raise InputError.about("systems")(
                f"systems must name columns of {name}; {shown(system)} is none of"
                f" {listed(present)}. {nearest(system, list(present))}Pass "
                + worded("`systems=...`")
            )
    return list(dict.fromkeys(systems))


def _two_files(
    client_file: Any, impostor_file: Any, key: Any, wanted: Wanted, client_label: object,
    asked: TextOptions,
) -> tuple[Rows, ScoreSource]:  # fmt: skip
    """A file for each class."""
    if client_file is None or impostor_file is None:
        given = client_file if client_file is not None else impostor_file
        what = "got neither" if given is None else f"got {shown(given)} alone"
        raise InputError.about("path")(
            "path must be a score file, or"
            + worded(" `client_file=` and `impostor_file=` both;")
            + f" {what}. Name the file of each class."
        )
    for value, name in ((key, "key"), (client_label, "client_label")):
        if value is not None:
            raise InputError.about(name)(
                f"{name} must be left out beside a file for each class, which say who is a client;"
                f" got {shown(value)}."
            )
    _refuse_one_file(client_file, impostor_file, "impostor_file")
    alone, parts = wanted._replace(label=()), []
    for path, argument in ((client_file, "client_file"), (impostor_file, "impostor_file")):
        with local_file(path, argument) as (local, name), of_the_system(name):
            parts.append(read_rows(local, name, alone, None, asked, single=True))
    (kind, guesses, client, _), (other, more, impostor, _) = parts
    for rows in (client, impostor):
        if not rows.codes.size:
            raise FileFormatError(f"{rows.name} must hold scores; it has no rows. Export again.")
        rows.values()
    codes = [np.full(rows.codes.size, k) for k, rows in enumerate((client, impostor))]
    both = whole([replace(client, codes=codes[0]), replace(impostor, codes=codes[1])])
    both = replace(both, tokens=["1", "0"], first=[1, 1])
    kind = kind if kind == other else f"{kind} and {other}"
    told = tuple(dict.fromkeys((*guesses, *more)))
    source = ScoreSource(str(client_file), kind, guesses=told, further=(str(impostor_file),))
    return both, source


def _refuse_one_file(first: Any, second: Any, argument: str) -> None:
    if not all(isinstance(path, str | bytes | os.PathLike) for path in (first, second)):
        return  # refused where it is read
    same = first == second
    with suppress(OSError, ValueError):  # so is what is no file
        same = same or os.path.samefile(first, second)
    if same:
        raise InputError.about(argument)(
            f"{argument} must be another file; got {shown_path(str(second))} twice. Name the other."
        )


def read_rows(
    path: Path, name: str, wanted: Wanted, client_label: object, asked: TextOptions,
    *, keyed: bool = False, single: bool = False,
) -> tuple[str, tuple[str, ...], Rows, tuple[str, ...]]:  # fmt: skip
    """Format, guesses and rows of a file; of one that a key belongs to the columns of trials."""
    ids, asked = wanted.names.get("id", ()), asked.that_fit(path.stat().st_size)
    text = opened_text(path, name, wanted, client_label, asked, keyed=keyed, single=single)
    if isinstance(text, str):
        if keyed and not ids:
            raise _without_id(name)
        present = binary_columns(path, name, text)
        wanted, guesses = as_written(wanted, list(present))
        rows = read_columns_of(path, name, text, wanted, asked.that_fit().max_rows)
        return text, guesses, _of_columns(rows, wanted, present), ids
    if keyed and not ids:
        if text.layout.kind not in ("kaldi", "nist") and text.layout.names != ("score",):
            raise _without_id(name)
        ids = tuple((text.layout.names or ())[:-1])
    if ids and keyed:
        text = text._replace(wanted=text.wanted._replace(names={**wanted.names, "id": ids}))
    rows = collect_parts(text.file, text.layout, text.wanted, whole)
    present = {} if text.layout.names else number_columns(text.file, text.layout)
    return text.kind, text.layout.guesses, _of_columns(rows, text.wanted, present), ids


def _of_columns(rows: Rows, wanted: Wanted, present: Mapping[str, bool]) -> Rows:
    """The rows, whose scores are not those of a predicted label."""
    rows.identities = wanted.label if len(wanted.label) == 2 else ()
    called, values = f"{rows.name}, column {shown(wanted.score)},", rows.scores
    if values.size and values.dtype.kind == "f":
        there = values[~np.isnan(values)]
        refuse_confidence(
            called, wanted.score, wanted.label, present, there.size, there, kind=FileFormatError
        )
    return rows


def _without_id(name: str) -> InputError:
    return InputError.about("id")(
        worded("id must name the columns of the trial for `key=`: one, or a tuple of two;")
        + f" {name} has a header. Pass them."
    )


class OpenedText(NamedTuple):
    """A text file, its layout, and its wanted columns."""

    file: TextFile
    layout: TextLayout
    wanted: Wanted

    @property
    def kind(self) -> str:
        """The format as results state it."""
        return self.layout.kind + (", gzip" if self.file.zipped else "")


def opened_text(
    path: Path, name: str, wanted: Wanted, client_label: object, asked: TextOptions,
    *, keyed: bool = False, single: bool = False,
) -> OpenedText | str:  # fmt: skip
    """A text file of scores by its content; the format of a file that is or should be none."""
    with path.open("rb") as raw:
        head = raw.read(8)
    if not head:
        raise FileFormatError(
            f"{name} must hold scores; the file is empty (0 bytes). Export again."
        )
    binary = _binary(path, head)
    other = binary or foreign_kind(path, head)
    if other is not None:
        if asked.format not in {None, other}:
            raise FileFormatError(
                f"{name} is no {asked.format} file; it is {other.capitalize()}. Leave format out."
            )
        _refuse_of_text(asked, name, other.capitalize(), binary is None)
    if binary is not None:
        refuse_too_large(path, name, asked.max_size)
        return binary
    file = text_file(path, name, asked.max_size, asked.max_rows)
    if asked.format in _BINARY:
        raise FileFormatError(
            f"{name} is no {asked.format.capitalize()} file; it starts with {head[:4]!r} instead of"
            f" {_FIRST[asked.format]!r}. Leave format out."
        )
    if (asked.format == "pyeer") > single:
        raise InputError.about("format")(
            worded("format must be another for one file: 'pyeer' is a file for each class,")
            + worded(" `client_file=` and `impostor_file=`.")
        )
    layout = layout_of(file, asked, wanted, keyed=keyed, single=single)
    if layout.kind in ("json", "jsonl"):
        _refuse_of_text(asked, name, "JSON")
    layout = replace(layout, kind=file.kind or layout.kind)
    if layout.label is not None:
        wanted = wanted._replace(label=layout.label)
    if layout.score is not None:
        wanted = wanted._replace(score=layout.score)
    if len(wanted.label) == 2 and client_label is not None:
        raise InputError.about("client_label")(
            f"client_label must be None for {layout.kind} files, whose clients are the rows with"
            f" equal {' and '.join(wanted.label)} identity; got {shown(client_label)} for {name}."
            " Leave it out."
        )
    return OpenedText(file, layout, wanted)


def _binary(path: Path, head: bytes) -> str | None:
    """The format of what is no text, by its first bytes or by its name."""
    if head.startswith(b"PAR1") or path.suffix.lower() in {".parquet", ".pq"}:
        return "parquet"
    return "arrow" if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")) else None


def _refuse_of_text(asked: TextOptions, name: str, kind: str, cells: bool = False) -> None:
    """Options of tables of text for a file that has columns of its own, or at least cells."""
    for option in ("separator", "decimal", "header", "columns")[: 2 if cells else None]:
        if getattr(asked, option) is not None:
            raise InputError.about(option)(
                f"{option} must be left out for {name}, which is {kind}: its columns have names."
                " Only tables of text have it."
            )
