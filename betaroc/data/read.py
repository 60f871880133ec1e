"""Score files: which format a file has, and its scores."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from betaroc.core import arrays, checks, containers, notices
from betaroc.core.errors import BetarocError, FileFormatError, InputError, InputTypeError, refusal
from betaroc.core.local_files import local_file, of_the_system, shown_path
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.core.vocabulary import ClassWords, worded
from betaroc.data import labels, parquet, text_files
from betaroc.data.frames import named_columns
from betaroc.data.scores import ScoreData, Scores, ScoreSource
from betaroc.data.text_layouts import NAMED, TextOptions, key_layout, layout_of
from betaroc.data.text_rows import number_columns, read_parts

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

#: Scores, or what they are made of: a frame, labels and scores, or the path of a file.
ScoresLike: TypeAlias = (
    "ScoreData | IntoFrame | tuple[npt.ArrayLike, npt.ArrayLike] | str | os.PathLike[str]"
)
#: The first bytes of tables that are no text.
_FIRST = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
#: What names a trial: one text, or two.
_Trial = str | tuple[str, ...]


def as_scores(
    value: Any, name: str, kinds: str = "Scores, a ScoreSummary", types: Any = ScoreData
) -> Any:
    """What a call takes already, unchanged; scores of a path, a pair of arrays or a frame."""
    if isinstance(value, types):
        return value
    result: Any = None
    if isinstance(value, str | os.PathLike):
        result, how = partial(read_scores, value), "read_scores(path)"
    elif isinstance(value, tuple) and len(value) == 2:
        result, how = partial(Scores.from_labels, *value), "Scores.from_labels(y_true, y_score)"
    elif hasattr(containers.as_narwhals(value), "collect_schema"):
        result, how = partial(Scores.from_frame, value), "Scores.from_frame(frame)"
    if result is None:
        rule = f"be {kinds}, a frame, a pair (y_true, y_score) or a path"
        raise refusal(name, rule, typed(value), "Make Scores(client, impostor).", InputTypeError)
    try:
        return result()
    except BetarocError as error:
        hint = f" {name} is read by {how}: call it for its options, or Scores(client, impostor)."
        raise error.reworded(error.template + hint) from error


@notices.collect_warnings
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
    stratum: str | tuple[str, str] | None = None,
    columns: str | Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    missing: str = "fail",
    format: str | None = None,  # noqa: A002 - the name of the public surface
    max_size: int | None = None,
    max_rows: int | None = None,
    lower_is_client: bool = False,
) -> Scores:
    r"""Read the scores of a file, or of one file per class.

    Parameters
    ----------
    path : str or path-like, optional
        A local file, text perhaps in gzip. ``"-"`` is the standard input.
    client_file, impostor_file : str or path-like, optional
        A file for each class instead: a score per line, in the last column, or a table with a
        column `score`.
    key : str or path-like, optional
        A text with the class of each trial: a table with the columns `id` and `label`; without a
        header one or two columns of the trial beside target or nontarget, bonafide or spoof, 1 or
        0; a protocol of ASVspoof; or, beside scores alone, one label per line. The trials become
        the ids of the scores.
    key_label, key_id : str, optional
        Columns of the key if not `label` and `id`; numbers from 1 where there is no header; for
        the trial perhaps a tuple of two.
    score : str
        Column name in the header; a number from 1 where there is none.
    label : str or (str, str)
        Likewise, with `key` a column of the key. Of two columns, rows where both are equal are
        clients'.
    client_label : object, optional
        The client's label, as text or a number, as in `Scores.from_labels`. None only for {0, 1},
        {-1, 1}, true/false, and words that leave no doubt, such as "genuine" beside "impostor":
        then ``.source.guessed`` names the label that was taken.
    stratum : str or (str, str), optional
        Column of the strata, of the key if there is one, or a tuple of that of clients and that of
        impostors.
    group, id : str or (str, str), optional
        Columns of groups and ids: one name, or a tuple of two. 4col has ``"claimed"``, ``"real"``
        and ``"probe"``, 5col ``"model"`` too, Kaldi ``"trial"``, or ``"enrol"`` and ``"test"``.
    columns : str or sequence of str, optional
        The names of all columns in order, ``"label,score"`` or ``("label", "score")``.
    separator : {"comma", "semicolon", "tab", "pipe", "space"}, optional
        Or the sign itself; ``"space"`` is any white space.
    decimal : {"point", "comma"}, optional
        Or the sign itself.
    header : bool, optional
        Whether the first line names the columns.
    missing : {"fail", "drop", "reject"}
        Trials without a score (an empty field, NA, nan, null, None, ``?``; trials of `key` alone)
        are an error, left out with a warning, or counted as rejected.
    format : str, optional
        "csv" (commas, semicolons or pipes), "tsv", "text" (white space), "json", "jsonl",
        "parquet", "arrow", "2col", "4col", "5col", "asvspoof", "voxceleb", "kaldi" or "nist"
        (with `key`), "pyeer" (two files). None decides by the content, never by the file name.
    max_size, max_rows : int, optional
        Bytes and rows of a file at most; by default 1 GiB from gzip, else 64 GiB, and 250 million
        rows.
    lower_is_client : bool
        As in `Scores`.

    Returns
    -------
    Scores
        In the order of the file; ``.source`` has path and format, and ``.source.guesses`` what was
        guessed, as options.

    Raises
    ------
    ScoreFileNotFoundError
        If there is no such file.
    FileFormatError
        For whatever is wrong in the file, with its line; for what has two readings, with the option
        that decides; for trials that a key lacks or has twice; for what is no regular text file.
    InputError
        For options that do not go together, one file given twice, and names of columns where
        there is no header.
    MissingDependencyError
        For Parquet and Arrow without pyarrow.

    Warns
    -----
    MissingScoreWarning
        If trials were dropped.

    Notes
    -----
    Separator, decimals and columns are guessed from the first 100 rows. The
    case of a column's name does not matter; scores, y_score, labels and y_true are known.
    Percentages, infinite scores and rows of another width are errors. Blank lines are skipped, and
    lines that begin with ``#`` before the header, or anywhere in text separated by white space.
    Formats without a header:

    * 2col: ``label score`` with label 1 for clients, 0 or -1 for impostors;
    * 4col: ``claimed_id real_id probe_label score``, client iff claimed and real are equal;
    * 5col: ``claimed_id model_label real_id probe_label score``, likewise;
    * asvspoof: ``trial attack key score``, key bonafide or spoof;
    * voxceleb: ``label enrol test score``, label 1 for clients;
    * kaldi: ``trial score`` or ``enrol test score``, and a key.

    Tables of bob.bio are known by ``bio_ref_subject_id`` and ``probe_subject_id`` in their header.
    Values are those of Python's ``float``; 1e400 and 1e-400, which would become inf and 0, are
    errors.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import betaroc as br
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "dev.csv")
    ...     _ = path.write_text("label;score\ngenuine;0,9\nimpostor;0,25\n")
    ...     br.read_scores(path).source.guesses
    ('separator=semicolon', 'decimal=comma')
    """
    options = TextOptions(format, separator, decimal, header, columns, max_size, max_rows).checked()
    options = options._replace(max_rows=max_rows or text_files.rows_in_memory())
    checks.choice(missing, labels.WAYS_OF_MISSING, "missing")
    wanted = column_spec(score, label, {"group": group, "id": id, "stratum": stratum}, missing)
    of_key = KeyFile(key, key_id, key_label)
    files = {"client_file": client_file, "impostor_file": impostor_file}
    _check_options(path, of_key, wanted, options, client_label, files)
    if path is None:
        rows, source = _two_files(files, wanted, options)
    else:
        of_scores = wanted
        if key is not None:  # it says what each trial is
            names = {role: c for role, c in wanted.names.items() if role != "stratum"}
            of_scores = wanted._replace(label=(), names=names)
        with local_file(path) as (local, name), of_the_system(name):
            file = open_file(local, name, of_scores, client_label, options, keyed=key is not None)
            rows = file.rows()
        source = ScoreSource(str(path), file.kind, guesses=file.guesses)
        if key is not None:
            rows = of_key.join(rows, wanted, local, options)
            source = replace(source, further=(str(key),))
    values, is_client, client_texts, guessed = rows.split(client_label)
    strata, beside = rows.strata(client_texts), rows.joined()
    by_label = strata is not None and stratum is None
    if strata is not None:
        beside["strata"] = strata
    # A digest of all classes, and of which rows have a score where some have none.
    digest = hashlib.blake2b(np.packbits(is_client).tobytes(), digest_size=16)
    present = ~np.isnan(values)
    if not present.all():
        digest.update(np.packbits(present).tobytes())
    dropped = int(np.sum(~present)) if missing == labels.DROP else 0
    source = replace(source, order=digest.hexdigest(), guessed=guessed, n_dropped=dropped)
    return Scores._of_rows(
        values, is_client, f"{rows.name}, scores", missing, beside, error=FileFormatError,
        source=source, words=None if by_label else rows.words(is_client),
        lower_is_client=lower_is_client,
    )  # fmt: skip


def column_spec(
    score: object, label: object, names: dict[str, Any] | None = None, missing: str = labels.FAIL
) -> labels.ColumnSpec:
    """The columns of a call, checked."""
    if not isinstance(score, str):
        rule = "be the name of a column"
        raise refusal("score", rule, typed(score), "Pass text.", InputTypeError)
    columns = named_columns(label, "label", single=False)
    if score in columns:
        rule = worded("`score` and `label` must name two columns")
        raise InputError.about("score")(f"{rule}; both are {format_value(score)}. Name each.")
    named = {role: named_columns(c, role) for role, c in (names or {}).items() if c is not None}
    return labels.ColumnSpec(score, columns, named, missing)


# ------------------------------------------------------------------------------- a file
class OpenedFile(NamedTuple):
    """A file of any format, its columns as it calls them, and how it is read."""

    name: str
    kind: str
    wanted: labels.ColumnSpec
    guesses: tuple[str, ...]
    most_rows: int | None
    #: The rows in parts, of which there is one at least.
    read: Callable[[], Iterator[labels.Rows]]
    #: All columns, and whether they hold numbers.
    columns: Callable[[], dict[str, bool]]

    def parts(self) -> Iterator[labels.Rows]:
        """The rows in parts, of which there is one at least, bounded in all."""
        rows = 0
        for part in self.read():
            rows += part.codes.size
            text_files.check_rows(self.name, rows, self.most_rows, "at least ")
            yield part

    def rows(self) -> labels.Rows:
        """All rows, whose scores are not those of a predicted label."""
        rows, score = labels.whole(self.parts()), self.wanted.score
        if score is not None and rows.scores.size and rows.scores.dtype.kind == "f":
            present = rows.scores[~np.isnan(rows.scores)]
            called = f"{rows.name}, column {format_value(score)},"
            labels.check_confidence(
                called, score, self.wanted.label, self.columns(), present.size, present,
                kind=FileFormatError,
            )  # fmt: skip
        return rows


def open_file(
    path: Path, name: str, wanted: labels.ColumnSpec, client_label: object, options: TextOptions,
    *, keyed: bool = False, single: bool = False,
) -> OpenedFile:  # fmt: skip
    """A file of scores, by its content; of one that a key belongs to `wanted` names the trials."""
    with path.open("rb") as raw:
        head = raw.read(8)
    if not head:
        raise FileFormatError(f"{name} must hold scores; it is empty (0 bytes). Export again.")
    binary = next((kind for first, kind in _FIRST.items() if head.startswith(first)), None)
    if path.suffix.lower() in {".parquet", ".pq"}:
        binary = "parquet"
    form = options.format
    if form not in (None, binary) and (binary or form in _FIRST.values()):
        raise FileFormatError(
            f"{name} is no {form} file; it is {binary.capitalize() if binary else 'another'} and"
            f" starts with {head[:4]!r}. Leave format out."
        )
    needs_id = keyed and not wanted.names.get("id")
    if binary:
        _check_of_text(options, name, binary.capitalize())
        text_files.check_size(name, path.stat().st_size, options.max_size)
        if needs_id:
            raise _without_id(name)
        columns = partial(parquet.binary_columns, path, name, binary)
        wanted, guesses = labels.as_written(wanted, columns())
        read = partial(parquet.binary_parts, path, name, binary, wanted, options.max_rows)
        return OpenedFile(name, binary, wanted, guesses, options.max_rows, read, columns)
    file = text_files.text_file(path, name, form, options.max_size)

    if file.kind:
        what = "a table of cells" if file.kind in text_files.TABLE_KINDS else "JSON"
        _check_of_text(options, name, what, cells=file.kind in text_files.TABLE_KINDS)
    layout, wanted = layout_of(file, options, wanted, keyed=keyed, single=single)
    kind = (file.kind or layout.kind) + ", gzip" * file.zipped
    if needs_id:
        if layout.kind not in ("kaldi", "nist") and layout.names != ("score",):
            raise _without_id(name)
        ids = tuple((layout.names or ())[:-1])
        wanted = wanted._replace(names={**wanted.names, "id": ids} if ids else wanted.names)
    if len(wanted.label) == 2 and client_label is not None:
        raise InputError.about("client_label")(
            f"client_label must be None for {kind} files, whose clients have equal"
            f" {' and '.join(wanted.label)} identity; got {format_value(client_label)}. Drop it."
        )
    text, columns = partial(read_parts, file, wanted, layout), partial(number_columns, file, layout)
    return OpenedFile(name, kind, wanted, layout.guesses, options.max_rows, text, columns)


def _check_of_text(options: TextOptions, name: str, kind: str, *, cells: bool = False) -> None:
    for option in ("separator", "decimal", "header", "columns")[: 2 if cells else None]:
        if getattr(options, option) is not None:
            raise InputError.about(option)(
                f"{option} must be left out for {name}, which is {kind}. Only text has it."
            )


def _without_id(name: str) -> InputError:
    return InputError.about("id")(
        worded("id must name the columns of the trial for `key=`: one, or a tuple of two;")
        + f" {name} has a header. Pass them."
    )


def _check_options(
    path: Any, key: KeyFile, wanted: labels.ColumnSpec, options: TextOptions,
    client_label: object = None, files: Mapping[str, Any] = {},
) -> None:  # fmt: skip
    keyed, form = key.path is not None, options.format
    paths = [file for file in files.values() if file is not None]
    both = "`client_file=` and `impostor_file=`"
    alone = "be left out beside a file for each class, which say who is a client"
    for name, wrong, rule, actual in (
        ("path", paths and path is not None, f"stand alone, or {both} without it", path),
        ("path", files and path is None and len(paths) < 2, f"be a score file, or {both}", paths),
        ("key", paths and keyed, alone, key.path),
        ("client_label", paths and client_label is not None, alone, client_label),
        ("key_id", key.id is not None and not keyed, "stand beside `key=`", key.id),
        ("key_label", key.label is not None and not keyed, "stand beside `key=`", key.label),
        ("key", not keyed and form in ("kaldi", "nist"), f"name the classes of {form} files", None),
        ("format", form == "pyeer" and not paths, f"stand beside {both}", form),
        ("label", keyed and len(wanted.label) > 1, "be one column of `key=`", wanted.label),
        ("key", keyed and form in NAMED, f"be left out for {form} files", key.path),
    ):
        if wrong:
            raise refusal(name, worded(rule), format_value(actual), "Give one or the other.")
    pairs = [("key", path, key.path)]
    if files:
        pairs.append(("impostor_file", *files.values()))
    for name, first, second in pairs:
        same = False
        if all(isinstance(file, str | bytes | os.PathLike) for file in (first, second)):
            with suppress(OSError, ValueError):  # no file: it is refused where it is read
                same = os.path.samefile(first, second)
        if same:
            raise refusal(name, "be another file", f"{shown_path(str(second))} twice")


def _two_files(
    paths: Mapping[str, Any], wanted: labels.ColumnSpec, options: TextOptions
) -> tuple[labels.Rows, ScoreSource]:
    files, parts, texts = [], [], labels.LabelTexts()
    for text, (argument, path) in zip(("1", "0"), paths.items(), strict=True):
        with local_file(path, argument) as (local, name), of_the_system(name):
            file = open_file(local, name, wanted._replace(label=()), None, options, single=True)
            rows = file.rows()
        rows.check_some()
        rows.values()
        files.append(file)
        codes = np.full(rows.codes.size, texts.code(text, 1))
        parts.append(replace(rows, labels=texts, codes=codes))
    kind = " and ".join(dict.fromkeys(file.kind for file in files))
    guesses = tuple(dict.fromkeys(guess for file in files for guess in file.guesses))
    first, second = map(str, paths.values())
    return labels.whole(parts), ScoreSource(first, kind, guesses=guesses, further=(second,))


# ------------------------------------------------------------------------------- a key
class KeyFile(NamedTuple):
    """A file that says of each trial who is a client, and its columns as a call names them."""

    path: Any
    id: Any = None
    label: Any = None

    def join(
        self, rows: labels.Rows, wanted: labels.ColumnSpec, scores: Path, options: TextOptions
    ) -> labels.Rows:
        """The rows with the key's labels and strata; behind them its trials without a score."""
        values, ids = rows.values(), rows.wanted.names.get("id", ())
        known = self._read(ids, wanted, scores, options)
        trials, key_trials = _trials(rows, ids), _trials(known, known.wanted.names["id"])
        if not ids and len(trials) != len(key_trials):
            raise FileFormatError(
                f"{rows.name} must have as many scores as the key {known.name}, of one label per"
                f" line, has lines; got {len(trials)} and {len(key_trials)}. Write both alike."
            )
        places = _places_of(key_trials, known.name, "Remove them.")
        at = np.array([places.get(trial, -1) for trial in trials], dtype=np.int64)
        unknown = np.flatnonzero(at < 0)
        if unknown.size:
            raise FileFormatError(
                f"{rows.name}: each trial must stand in the key {known.name}; {unknown.size} of"
                f" {len(trials)} do not, such as {format_value(trials[unknown[0]])}. Take its key."
            )
        _places_of(trials, rows.name, "Keep one score per trial.")
        lost = np.setdiff1d(np.arange(len(places)), at)
        if lost.size and rows.wanted.missing == labels.FAIL:
            first = [*places][lost[0]]
            raise FileFormatError(
                f"{rows.name}: each trial of the key {known.name} must have a score; {lost.size} of"
                f" {len(places)} have none, the first {format_value(first, 80)}."
                + worded(" Give theirs, or pass `missing='drop'` or `missing='reject'`.")
            )
        at = np.append(at, lost)
        names = {c: np.append(v, np.zeros(lost.size, v.dtype)) for c, v in rows.names.items()}
        strata = known.wanted.names.get("stratum", ())
        spec = {**rows.wanted.names, "stratum": strata} if strata else rows.wanted.names
        return replace(
            rows, name=known.name, unit=known.unit, labels=known.labels, codes=known.codes[at],
            scores=np.append(values, np.full(lost.size, np.nan)),
            names=names | {column: known.names[column][at] for column in strata},
            wanted=rows.wanted._replace(names=spec),
        )  # fmt: skip

    def _read(
        self, ids: tuple[str, ...], wanted: labels.ColumnSpec, scores: Path, options: TextOptions
    ) -> labels.Rows:
        names = ids if self.id is None else named_columns(self.id, "key_id")
        if len(names) != len(ids):
            rule = f"name as many columns as name the trial, {len(ids)}"
            remedy = "Name the columns of the same names."
            raise refusal("key_id", rule, format_value(self.id), remedy)
        label = wanted.label
        if self.label is not None:
            label = named_columns(self.label, "key_label", single=True)
        columns = {role: c for role, c in wanted.names.items() if role == "stratum"}
        with local_file(self.path, "key") as (local, name), of_the_system(name):
            if local.name == scores.name:  # called as the file of the scores
                name = shown_path(str(local))
            file = text_files.text_file(local, name, "csv", options.max_size)
            layout, spec = key_layout(file, labels.ColumnSpec(None, label, {"id": names} | columns))
            return labels.whole(read_parts(file, spec, layout))


def _trials(rows: labels.Rows, ids: tuple[str, ...]) -> list[_Trial]:
    columns = [rows.names[column].astype(np.str_).tolist() for column in ids]
    if len(columns) == 2:
        return list(zip(*columns, strict=True))
    return columns[0] if columns else [str(k) for k in range(rows.codes.size)]


def _places_of(trials: list[_Trial], name: str, remedy: str) -> dict[_Trial, int]:
    places: dict[_Trial, int] = {}
    again = [trial for k, trial in enumerate(trials) if places.setdefault(trial, k) != k]
    if again:
        raise FileFormatError(
            f"{name} must name each trial once; {len(again)} of {len(trials)} rows name one again,"
            f" the first {format_value(again[0], 80)}. {remedy}"
        )
    return places


# ------------------------------------------------------------------- a column per system
class ScoreColumns(NamedTuple):
    """Scores of several systems, in columns of one file; nan where a system has none."""

    scores: dict[str, arrays.FloatArray]
    is_client: arrays.BoolArray
    #: Further columns by their names.
    names: dict[str, Any]
    words: ClassWords | None
    source: ScoreSource


def read_columns(
    path: Any, systems: Sequence[str] | None, wanted: labels.ColumnSpec, options: TextOptions,
    key: KeyFile, client_label: object = None,
) -> ScoreColumns:  # fmt: skip
    """The columns of `systems`, or all of numbers beside those that are wanted for others."""
    options = options._replace(max_rows=options.max_rows or text_files.rows_in_memory())
    _check_options(path, key, wanted, options)
    keyed = key.path is not None
    rest = wanted._replace(score=None, label=() if keyed else wanted.label)
    read, guesses = {}, dict[str, None]()
    with local_file(path) as (local, name), of_the_system(name):
        if keyed and not wanted.names.get("id"):
            raise _without_id(name)
        table = open_file(local, name, rest, client_label, options, keyed=keyed)
        for system in _system_columns(table, systems):
            try:
                file = open_file(
                    local, name, rest._replace(score=system), client_label, options, keyed=keyed
                )
                read[system] = file.rows()
                guesses |= dict.fromkeys(file.guesses)
            except FileFormatError as error:
                called = f"column {format_value(system)} of "
                raise error.reworded(called + error.template) from error
    scores = {}
    for system, rows in read.items():
        labelled = key.join(rows, wanted, local, options) if keyed else rows
        values, is_client, _, guessed = labelled.split(client_label)
        scores[system] = values[: rows.codes.size]
        called, present = f"column {format_value(system)} of {name}", values[~np.isnan(values)]
        labels.check_hard_labels(called, present.size, present, kind=FileFormatError)
    source = ScoreSource(str(path), file.kind, guesses=tuple(guesses), guessed=guessed)
    words = labelled.words(is_client)
    names = dict(zip(wanted.named, map(rows.names.get, rows.wanted.named), strict=True))
    return ScoreColumns(scores, is_client[: rows.codes.size], names, words, source)


def _system_columns(table: OpenedFile, systems: Sequence[str] | None) -> list[str]:
    present, name, others = table.columns(), table.name, table.wanted.columns
    if systems is None:
        systems = [item for item, numbers in present.items() if numbers and item not in others]
        if not systems:
            raise FileFormatError(
                f"{name} must have columns of scores beside {format_list(others)}; there are"
                f" {format_list(present)}. Name them: " + worded("`systems=...`")
            )
    for system in systems:
        if system not in present:
            raise InputError.about("systems")(
                f"systems must name columns of {name}; {format_value(system)} is none of"
                f" {format_list(present)}. {did_you_mean(system, list(present))}"
                + worded("Pass `systems=...`")
            )
    return list(dict.fromkeys(systems))
