"""Classifiers in files: one table with a column each, or one score file each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from betaroc.cli.options import interval_arguments
from betaroc.core.arrays import IntArray
from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.text import listed, nearest, shown
from betaroc.data.parquet import opened_parquet
from betaroc.data.read import read_scores, regular_file
from betaroc.data.scores import Scores
from betaroc.ensemble.inclusion import Inclusion, inclusion

__all__ = ["inclusion_of_files"]


def inclusion_of_files(arguments: Any, step: Callable[[], None]) -> Inclusion:
    """What a call of the command line asks for."""
    level, seed = interval_arguments(arguments)
    _refuse_other_options(arguments)
    given, dev = (_read(paths, arguments) for paths in (arguments.files, arguments.dev))
    step()
    client_label = None
    if len(arguments.files) == 1:
        client_label = _typed_label(given, arguments.label, arguments.client_label)
    result = inclusion(
        given, label=arguments.label, client_label=client_label, systems=arguments.systems,
        region=tuple(arguments.region), level=level, family=arguments.family,
        boundary=arguments.boundary, resolution=arguments.resolution, dev=dev,
        folds=arguments.folds, ends=arguments.ends, rng=None if arguments.seed is None else seed,
        nan_policy="omit" if arguments.omit_missing else "raise",
        group=_group(arguments) if len(arguments.files) == 1 else None,
    )  # fmt: skip
    step()
    return result


def _refuse_other_options(arguments: Any) -> None:
    """Options of one table beside several files, and of several files beside a table."""
    table = len(arguments.files) == 1
    of_files = {"--name": arguments.name, "--id": arguments.id, "--format": arguments.format}
    of_table = {"--systems": arguments.systems, "--omit-missing": arguments.omit_missing or None}
    for option, value in (of_files if table else of_table).items():
        if value is not None:
            what = "several score files, one a classifier" if table else "one table"
            got = "one table" if table else f"{len(arguments.files)} files"
            raise InputError(f"{option} must stand beside {what}; got {got}. Leave it out.")
    if arguments.dev and len(arguments.dev) != len(arguments.files):
        raise InputError(
            f"--dev must name as many files as there are of scores, {len(arguments.files)}; got"
            f" {len(arguments.dev)}. Give one table for a table, one file a classifier for files."
        )


def _read(paths: Sequence[str], arguments: Any) -> Any:
    if not paths:
        return None
    if len(paths) == 1:
        return _table(paths[0], arguments)
    names = arguments.name if arguments.name is not None else _file_names(arguments.files)
    return _score_sets(
        paths, names, score=arguments.score, label=arguments.label,
        client_label=arguments.client_label, format=arguments.format, id=arguments.id,
        group=_group(arguments),
    )  # fmt: skip


def _group(arguments: Any) -> Any:
    """One column, two as a tuple, or none."""
    given = arguments.group
    return given[0] if given is not None and len(given) == 1 else given and tuple(given)


def _file_names(paths: Sequence[str]) -> list[str]:
    """Of the files, with their folders where they repeat."""
    names = [Path(path).name.split(".")[0] for path in paths]
    return names if len(set(names)) == len(names) else list(map(str, paths))


def _score_sets(paths: Sequence[str], names: Sequence[str], **options: Any) -> dict[str, Scores]:
    """Scores of one file a classifier, by name."""
    if len(names) != len(paths) or len(set(names)) < len(names):
        raise InputError(
            f"--name must give one name a file, all different; got {len(names)} for"
            f" {len(paths)} files: {listed(names)}. Name each classifier."
        )
    return {name: read_scores(path, **options) for name, path in zip(names, paths, strict=True)}


def _table(path: str, arguments: Any) -> Any:
    """A pandas frame of a CSV, TSV or Parquet file with a header."""
    name = Path(path).name
    with regular_file(path).open("rb") as raw:
        parquet = raw.read(4) == b"PAR1"
    frame = _parquet(path, name) if parquet else _text(path, name, arguments.group or [])
    label = arguments.label
    if label not in frame.columns:
        present = [str(column) for column in frame.columns]
        raise FileFormatError(
            f"{shown(name)} must have a column {shown(label)}; there are {listed(present)}."
            f" {nearest(label, present)}Pass --label."
        )
    if arguments.systems is None:
        _refuse_torn_columns(frame, [label, *(arguments.group or [])], name)
    return frame


def _text(path: str, name: str, groups: Sequence[str]) -> Any:
    import pandas as pd

    try:
        commas = pd.read_csv(path, nrows=0)
        tabs = len(commas.columns) == 1 and "\t" in str(commas.columns[0])
        separator = "\t" if tabs else ","
        _refuse_longer_rows(path, separator)
        text = pd.read_csv(path, sep=separator, dtype=str, index_col=False)
        return text.apply(lambda x: x if x.name in groups else _numbers(x))
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeError,
            OSError, EOFError) as error:  # fmt: skip
        raise FileFormatError(
            f"{shown(name)} must be a CSV or TSV file with a header line and one column a"
            f" classifier; {type(error).__name__}: {shown(str(error), 140)}. Export it again."
        ) from error


def _refuse_longer_rows(path: str, separator: str) -> None:
    """A first row longer than the header would be cut; one empty field at its end is no loss."""
    import pandas as pd

    width = len(pd.read_csv(path, sep=separator, nrows=0).columns)

    def cut(fields: list[str]) -> list[str]:
        if len(fields) > width + 1 or fields[width].strip():
            raise pd.errors.ParserError(
                f"the header has {width} fields, a row below it {len(fields)}"
            )
        return fields[:width]

    pd.read_csv(
        path, sep=separator, dtype=str, header=None, nrows=2, engine="python", on_bad_lines=cut
    )


def _parquet(path: str, name: str) -> Any:
    with opened_parquet(Path(path), shown(name)) as file:
        return file.read().to_pandas()


def _numbers(column: Any) -> Any:
    """A column of text as the doubles it stands for, if all of it does."""
    return (
        column if _strangers(column).size else column.map(float, na_action="ignore").astype(float)
    )


def _strangers(column: Any) -> IntArray:
    """Rows whose text is no number."""
    return np.array(
        [k for k, (text, gone) in enumerate(zip(column, column.isna(), strict=True))
         if not gone and not _reads(text)], dtype=np.intp,
    )  # fmt: skip


def _reads(value: Any) -> bool:
    if isinstance(value, str) and "_" in value:
        return False
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _refuse_torn_columns(frame: Any, others: Sequence[str], name: str) -> None:
    """A column of numbers with some text among them must not go unnoticed."""
    import pandas as pd

    for column in frame.columns:
        values = frame[column]
        if column in others or pd.api.types.is_numeric_dtype(values):
            continue
        bad = _strangers(values)
        if 0 < bad.size < 0.5 * len(values):
            raise FileFormatError(
                f"{shown(name)}, column {shown(column)}: {bad.size} of {len(values)} values are no"
                f" numbers, first {shown(values.iloc[bad[0]])} in row {bad[0]} (counted from 0)."
                " Correct them, or name the classifiers: --systems COLUMN."
            )


def _typed_label(frame: Any, label: str, client_label: str | None) -> object:
    """The label that a word of the command line means; two are what a frame must hold."""
    if client_label is None:
        return None
    present = frame[label].dropna().unique().tolist()
    found = _meant(frame[label], client_label)
    if len(present) == 2 and found not in present:
        present = [int(x) if isinstance(x, float) and x.is_integer() else x for x in present]
        raise InputError(
            f"--client-label must be one of the labels; got {shown(client_label)}, but column"
            f" {shown(label)} holds {listed(present)}. Give one of them."
        )
    return found


def _meant(values: Any, client_label: str) -> object:
    """A number where labels are numbers."""
    import pandas as pd

    if pd.api.types.is_bool_dtype(values):
        return {"true": True, "false": False}.get(client_label.strip().lower(), client_label)
    if pd.api.types.is_numeric_dtype(values):
        try:
            return float(client_label)
        except ValueError:
            return client_label
    return client_label
