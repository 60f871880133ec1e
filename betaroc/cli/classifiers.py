"""Classifiers in files: one table with a column each, or one score file each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.cli.inputs import one_or_two, read_file, reading
from betaroc.cli.messages import named_files
from betaroc.cli.options import interval_arguments, refuse
from betaroc.core.class_words import ClassWords, shared_words
from betaroc.core.errors import InputError
from betaroc.core.local_files import file_names
from betaroc.core.text import listed
from betaroc.data.labels import DROP, REJECT
from betaroc.data.read import read_columns, wanted_of
from betaroc.data.scores import ScoreSource
from betaroc.data.text_files import asked_of
from betaroc.ensemble.inclusion import Inclusion, inclusion

#: The column of a table's frame that says which trials are clients.
_LABEL = "label"


class _Classifiers(NamedTuple):
    """What an ensemble is made of, the names of its classifiers, and what was read of it."""

    scores: Any
    names: list[str]
    words: list[ClassWords | None]
    sources: list[ScoreSource]


def inclusion_of_files(
    arguments: Any, step: Callable[[], None]
) -> tuple[Inclusion, ClassWords, list[ScoreSource]]:
    """The verdicts, the words of the classes, and how each file was read."""
    level, seed = interval_arguments(arguments)
    table = len(arguments.files) == 1
    _refuse_other_options(arguments, table=table)
    read = _columns if table else _score_sets
    sides = [read(arguments.files, arguments, arguments.systems)]
    if arguments.dev:
        sides.append(read(arguments.dev, arguments, sides[0].names))
    step()
    omit = arguments.omit_missing or (table and arguments.missing == DROP)
    result = inclusion(
        sides[0].scores, label=_LABEL, client_label=None, systems=arguments.systems,
        region=tuple(arguments.region), level=level, family=arguments.family,
        boundary=arguments.boundary, resolution=arguments.resolution,
        dev=sides[1].scores if arguments.dev else None,
        folds=arguments.folds, ends=arguments.ends, rng=None if arguments.seed is None else seed,
        nan_policy="omit" if omit else "raise",
        group=one_or_two(arguments.group, "group") if table else None,
    )  # fmt: skip
    step()
    words = shared_words(one for side in sides for one in side.words)
    return result, words, [one for side in sides for one in side.sources]


def _refuse_other_options(arguments: Any, *, table: bool) -> None:
    """Options of one table beside several files, and of several files beside a table."""
    files = len(arguments.files)
    if table:
        refuse(arguments, ("name", "score"), "stand beside several score files, one per"
                       " classifier; got one table")  # fmt: skip
    else:
        refuse(arguments, ("systems", "omit_missing"), f"stand beside one table; got"
                       f" {files} files")  # fmt: skip
    if table and arguments.missing == REJECT:
        raise InputError(
            "--missing must be fail or drop for an ensemble, which fuses the scores of all; got"
            " reject. With drop the rows that lack one are left out."
        )
    refuse(arguments, ("test_key",), "stand beside --test, of which an ensemble has none")
    if arguments.dev and len(arguments.dev) != files:
        raise InputError(
            f"--dev must name as many files as there are of scores, {files}; got"
            f" {len(arguments.dev)}. Give one table for a table, one file per classifier for files."
        )


def _score_sets(paths: Sequence[str], arguments: Any, _: Any) -> _Classifiers:
    """Scores of one file per classifier, by name."""
    names = arguments.name
    if names is None:  # those of the files, with folders where they repeat
        names = [Path(path).name.split(".")[0] for path in paths]
        if len(set(names)) < len(names):
            names = [file_names(paths)[path] for path in paths]
    if len(names) != len(paths) or len(set(names)) < len(names):
        raise InputError(
            f"--name must give one name per file, all different; got {len(names)} for"
            f" {len(paths)} files: {listed(names)}. Name each classifier."
        )
    read = [read_file(path, arguments, lambda: None) for path in paths]
    sources = [one.source for one in read if one.source is not None]
    return _Classifiers(
        dict(zip(names, read, strict=True)), names, [one.words for one in read], sources
    )


def _columns(paths: Sequence[str], arguments: Any, systems: Sequence[str] | None) -> _Classifiers:
    """One column per classifier of one table, as a frame."""
    import pandas as pd

    given = reading(arguments)
    label, client_label = given.pop("label"), given.pop("client_label")
    roles = {role: one_or_two(getattr(arguments, role), role) for role in ("group", "id")}
    given["format_"] = given.pop("format")
    del given["score"]
    read = read_columns(
        paths[0],
        systems,
        wanted_of("", label, roles, DROP),
        asked_of(**given),
        key=arguments.key,
        of_key=(one_or_two(arguments.key_id, "key-id"), arguments.key_label),
        client_label=client_label,
    )
    groups = {column: read.names[column] for column in arguments.group or ()}
    frame = pd.DataFrame({**read.scores, **groups, _LABEL: read.is_client})
    source = read.source.named(named_files(arguments, read.source.files))
    return _Classifiers(frame, list(read.scores), [read.words], [source])
