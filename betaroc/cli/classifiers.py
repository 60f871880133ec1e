"""Classifiers in files: one table with a column each, or one score file each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.cli.inputs import reading
from betaroc.cli.messages import named_files
from betaroc.cli.options import interval_arguments
from betaroc.core.class_words import ClassWords, shared_words
from betaroc.core.errors import InputError
from betaroc.core.local_files import file_names
from betaroc.core.text import listed
from betaroc.data.beside import ScoreSource
from betaroc.data.read import read_columns, read_scores, wanted_of
from betaroc.data.rows import DROP, REJECT
from betaroc.data.text_files import asked_of
from betaroc.ensemble.inclusion import Inclusion, inclusion

#: The column of a table's frame that says which trials are clients.
_LABEL = "label"


class JudgedFiles(NamedTuple):
    """The verdicts, the words of the classes, and how each file was read."""

    found: Inclusion
    words: ClassWords
    sources: list[ScoreSource]


def inclusion_of_files(arguments: Any, step: Callable[[], None]) -> JudgedFiles:
    """What a call of the command line asks for."""
    level, seed = interval_arguments(arguments)
    _refuse_other_options(arguments)
    table = len(arguments.files) == 1
    read = _columns if table else _score_sets
    own = read(arguments.files, arguments, arguments.systems)
    dev = read(arguments.dev, arguments, own.names) if arguments.dev else None
    step()
    omit = arguments.omit_missing or (table and arguments.missing == DROP)
    result = inclusion(
        own.given, label=_LABEL, client_label=None, systems=arguments.systems,
        region=tuple(arguments.region), level=level, family=arguments.family,
        boundary=arguments.boundary, resolution=arguments.resolution,
        dev=None if dev is None else dev.given,
        folds=arguments.folds, ends=arguments.ends, rng=None if arguments.seed is None else seed,
        nan_policy="omit" if omit else "raise",
        group=_group(arguments.group) if table else None,
    )  # fmt: skip
    step()
    sides = [own] if dev is None else [own, dev]
    words = shared_words(one for side in sides for one in side.words)
    return JudgedFiles(result, words, [one for side in sides for one in side.sources])


def _refuse_other_options(arguments: Any) -> None:
    """Options of one table beside several files, and of several files beside a table."""
    table = len(arguments.files) == 1
    score = None if arguments.score == "score" else arguments.score
    of_files = {"--name": arguments.name, "--score": score}
    of_table = {"--systems": arguments.systems, "--omit-missing": arguments.omit_missing or None}
    for option, value in (of_files if table else of_table).items():
        if value is not None:
            what = "several score files, one a classifier" if table else "one table"
            got = "one table" if table else f"{len(arguments.files)} files"
            raise InputError(f"{option} must stand beside {what}; got {got}. Leave it out.")
    if table and arguments.missing == REJECT:
        raise InputError(
            "--missing must be fail or drop for an ensemble, which fuses the scores of all; got"
            " reject. With drop the rows that lack one are left out."
        )
    if arguments.test_key is not None:
        raise InputError("--test-key must stand beside --test, of which an ensemble has none.")
    if arguments.dev and len(arguments.dev) != len(arguments.files):
        raise InputError(
            f"--dev must name as many files as there are of scores, {len(arguments.files)}; got"
            f" {len(arguments.dev)}. Give one table for a table, one file a classifier for files."
        )


class _Read(NamedTuple):
    """What an ensemble is made of, the names of its classifiers, and what was read of it."""

    given: Any
    names: list[str]
    words: list[ClassWords | None]
    sources: list[ScoreSource]


def _group(given: Any) -> Any:
    """One column, two as a tuple, or none."""
    return given[0] if given is not None and len(given) == 1 else given and tuple(given)


def _score_sets(paths: Sequence[str], arguments: Any, _: Any) -> _Read:
    """Scores of one file a classifier, by name."""
    names = arguments.name
    if names is None:  # those of the files, with folders where they repeat
        names = [Path(path).name.split(".")[0] for path in paths]
        if len(set(names)) < len(names):
            names = [file_names(paths)[path] for path in paths]
    if len(names) != len(paths) or len(set(names)) < len(names):
        raise InputError(
            f"--name must give one name a file, all different; got {len(names)} for"
            f" {len(paths)} files: {listed(names)}. Name each classifier."
        )
    group, id_ = _group(arguments.group), _group(arguments.id)
    options = {"group": group, "id": id_, "key": arguments.key, "missing": arguments.missing}
    options |= {"key_label": arguments.key_label, "key_id": _group(arguments.key_id)}
    found = {
        name: read_scores(path, **reading(arguments), **options)
        for name, path in zip(names, paths, strict=True)
    }
    sources = [_named(one.source, arguments) for one in found.values() if one.source is not None]
    return _Read(found, names, [one.words for one in found.values()], sources)


def _named(source: ScoreSource, arguments: Any) -> ScoreSource:
    """As results call the file."""
    return source.named(named_files(arguments, source.files))


def _columns(paths: Sequence[str], arguments: Any, systems: Sequence[str] | None) -> _Read:
    """A column a classifier of one table, as a frame."""
    import pandas as pd

    given = reading(arguments)
    label, client_label = given.pop("label"), given.pop("client_label")
    group, id_ = _group(arguments.group), _group(arguments.id)
    wanted = wanted_of("", label, {"group": group, "id": id_}, DROP)
    given["format_"] = given.pop("format")
    del given["score"]
    found = read_columns(
        paths[0],
        systems,
        wanted,
        asked_of(**given),
        key=arguments.key,
        of_key=(_group(arguments.key_id), arguments.key_label),
        client_label=client_label,
    )
    groups = {column: found.names[column] for column in arguments.group or ()}
    frame = pd.DataFrame({**found.scores, **groups, _LABEL: found.is_client})
    source = _named(found.source, arguments)
    return _Read(frame, list(found.scores), [found.words], [source])
