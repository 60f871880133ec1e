"""Classifiers in files: one table with a column each, or one score file each."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.cli.inputs import columns, read_file, reading
from betaroc.cli.messages import named_files
from betaroc.cli.options import refuse
from betaroc.core.class_words import ClassWords
from betaroc.core.errors import InputError
from betaroc.core.local_files import file_names
from betaroc.core.text import listed
from betaroc.data.labels import DROP, REJECT
from betaroc.data.read import read_columns, wanted_of
from betaroc.data.scores import ScoreSource
from betaroc.data.text_files import asked_of

#: The column of a table's frame that says which trials are clients.
LABEL = "label"


class Classifiers(NamedTuple):
    """What an ensemble is made of, the names of its classifiers, and what was read of it."""

    scores: Any
    names: list[str]
    words: list[ClassWords | None]
    sources: list[ScoreSource]


def read_classifiers(arguments: Namespace) -> list[Classifiers]:
    """Those of the scores, and of dev where there is one."""
    files, dev = arguments.files, arguments.dev
    table = len(files) == 1
    if table:
        refuse(arguments, ("name", "score"), "stand beside several score files, one per"
               " classifier; got one table")  # fmt: skip
    else:
        refuse(arguments, ("systems", "omit_missing"), f"stand beside one table; got {len(files)}"
               " files")  # fmt: skip
    if table and arguments.missing == REJECT:
        raise InputError(
            "--missing must be fail or drop for an ensemble, which fuses the scores of all; got"
            " reject. With drop the rows that lack one are left out."
        )
    refuse(arguments, ("test_key",), "stand beside --test, of which an ensemble has none")
    if dev and len(dev) != len(files):
        raise InputError(
            f"--dev must name as many files as there are of scores, {len(files)}; got {len(dev)}."
            " Give one table for a table, one file per classifier for files."
        )
    read = _columns if table else _score_sets
    sides = [read(files, arguments, arguments.systems)]
    if dev:
        sides.append(read(dev, arguments, sides[0].names))
    return sides


def _score_sets(paths: Sequence[str], arguments: Namespace, _: Any) -> Classifiers:
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
    sources = [scores.source for scores in read if scores.source is not None]
    by_name = dict(zip(names, read, strict=True))
    return Classifiers(by_name, names, [scores.words for scores in read], sources)


def _columns(
    paths: Sequence[str], arguments: Namespace, systems: Sequence[str] | None
) -> Classifiers:
    """One column per classifier of one table, as a frame."""
    import pandas as pd

    given = reading(arguments)
    label, client_label = given.pop("label"), given.pop("client_label")
    roles = {role: columns(getattr(arguments, role)) for role in ("group", "id")}
    given["format_"] = given.pop("format")
    del given["score"]
    read = read_columns(
        paths[0], systems, wanted_of("", label, roles, DROP), asked_of(**given), key=arguments.key,
        of_key=(columns(arguments.key_id), arguments.key_label), client_label=client_label,
    )  # fmt: skip
    groups = {column: read.names[column] for column in arguments.group or ()}
    frame = pd.DataFrame({**read.scores, **groups, LABEL: read.is_client})
    source = read.source.named(named_files(arguments, read.source.files))
    return Classifiers(frame, list(read.scores), [read.words], [source])
