"""The score files of a call: read as rows, or streamed into sums and counts; their family."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from betaroc.cli.messages import ProgressBar, named_files
from betaroc.cli.options import STREAMED, given_options, option_of, refuse
from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.local_files import STDIN
from betaroc.core.notices import quietly
from betaroc.core.text import shown
from betaroc.data.read import read_scores
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary, parquet_rows, summarize_file, warn_of_bins
from betaroc.data.text_files import TextFile
from betaroc.estimation.contract import SUMMED_POLICIES
from betaroc.estimation.estimate import give
from betaroc.estimation.families import AUTO, BEST, FAMILIES, Names, automatic
from betaroc.rendering.numbers import path_words, visible

#: Families that sums of a class are enough for.
_SUMMED = {AUTO, BEST, *(name for name, row in FAMILIES.items() if row.summed)}


def read_file(
    path: str | None, arguments: argparse.Namespace, step: Callable[[], None], *,
    named: bool = True, is_test: bool = False,
) -> ScoreData:  # fmt: skip
    """Scores of a file, with the columns of groups and ids where they are used; or their sums.

    Without a path those of the two files of dev, or of test, one a class.
    """
    if getattr(arguments, "stream", "") == "always" and path in {None, STDIN}:
        raise InputError(
            "--stream always must stand beside files of both classes, which are read in pieces; got"
            f" {'a file of each' if path is None else 'the standard input'}. Name such a file, or"
            " leave it out."
        )
    key = arguments.key
    if arguments.test_key is not None:
        if not given_options(arguments, ("test", "test_client_file", "system", "systems")):
            refuse(arguments, ("test_key",), "stand beside --test, whose key it is")
        key = arguments.test_key if is_test else key
    read: ScoreData | None = None
    with _naming_the_path(path, key):
        if path is not None:
            read = _streamed(path, arguments)
        if read is None:
            read = _rows(path, arguments, key, named=named, is_test=is_test)
    step()
    if read.source is None:
        return read
    return read._read_from(read.source.named(named_files(arguments, read.source.files)))


def _rows(
    path: str | None, arguments: argparse.Namespace, key: str | None, *, named: bool, is_test: bool
) -> ScoreData:
    both: dict[str, Any] = {}
    if path is None:
        pair = files_of(arguments, "test" if is_test else "dev")
        both = dict(zip(("client_file", "impostor_file"), pair, strict=True))
    group = getattr(arguments, "group", None) if named else None
    scores = read_scores(
        path,
        **both,
        **reading(arguments),
        key=key,
        key_label=arguments.key_label,
        key_id=one_or_two(arguments.key_id, "key-id"),
        group=one_or_two(group, "group"),
        id=one_or_two(arguments.id, "id") if named or key else None,
        missing=arguments.missing,
    )
    if getattr(arguments, "terms", None) == "matching" and scores.has_rejected:
        raise InputError(
            "--terms matching must not stand beside trials without a score that count as rejected:"
            " FMR and FNMR are rates of comparisons made, and are shown beside FAR and FRR. Leave"
            " --terms out, or take --missing drop."
        )
    return scores


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """How any file of the call is read."""
    names = (
        "score", "client_label", "columns", "separator", "decimal", "header", "format",
        "max_size", "max_rows",
    )  # fmt: skip
    label = arguments.label
    if arguments.identities is not None:
        refuse(arguments, ("label",), "not stand beside --identities: both say who is a"
                       " client")  # fmt: skip
        label = tuple(arguments.identities)
    return {"label": label, **{name: getattr(arguments, name) for name in names}}


def files_of(arguments: argparse.Namespace, role: str) -> list[str]:
    """The files of dev or of test: those that are named, or one a class."""
    places = ("test",) if role == "test" else ("file", "pilot", "dev")
    option = option_of(next(name for name in places if hasattr(arguments, name)))
    values = [value for name in places if (value := getattr(arguments, name, None)) is not None]
    named = values[0] if values and isinstance(values[0], list) else values
    start = "test_" if role == "test" else ""
    names = [f"{start}{who}_file" for who in ("client", "impostor")]
    both = " and ".join(map(option_of, names))
    two = [path for name in names if (path := getattr(arguments, name, None)) is not None]
    if named and two:
        raise InputError(f"{option} must stand alone, or {both} without it. Leave one out.")
    if len(two) == 1 or (role == "dev" and not named and not two):
        raise InputError(f"{option} must name a score file, or {both} both.")
    return named or two


def _streamed(path: str, arguments: argparse.Namespace) -> ScoreSummary | None:
    """The summary of a large file, or of any that is to be streamed."""
    mode = getattr(arguments, "stream", "never")
    if mode == "never" or not _is_file(path):
        return None
    of_trials = ("group", "id", "key", "missing")
    if mode == "auto" and (
        given_options(arguments, (*of_trials, "resolution", "identities"))
        or arguments.family not in _SUMMED
        or arguments.boundary not in (None, *SUMMED_POLICIES)
        or getattr(arguments, "unpaired", None) is False
        or not _worth_it(path)
    ):
        return None
    refuse(arguments, of_trials, "not stand beside --stream always: sums and counts know no"
                   " single trial")  # fmt: skip
    name = visible(Path(path).name)
    with ProgressBar(None, " scores", unit_scale=True, desc=name) as progress:
        given = reading(arguments)
        summary = summarize_file(path, **given, progress=progress)
        if not summary.is_coarse:
            return summary
        # Equal bins between the extremes, which are known now.
        sides = (summary.client, summary.impostor)
        low, high = min(s.minimum for s in sides), max(s.maximum for s in sides)
        best = summary
        if low < high and math.isfinite(high - low):
            with quietly():
                even = summarize_file(path, **given, layout=(low, high), progress=progress)
            best = min(summary, even, key=lambda one: max(one.rate_error))
    if best.is_coarse:
        warn_of_bins(best)
    return best


def _worth_it(path: str) -> bool:
    """Whether a file is large, or nothing is there to read it as rows."""
    with Path(path).open("rb") as raw:
        head = raw.read(4)
    if head == b"PAR1":
        return find_spec("pyarrow") is None or parquet_rows(path) > STREAMED
    text = TextFile(Path(path), shown(Path(path).name), zipped=head.startswith(b"\x1f\x8b"))
    return text.about_rows() > STREAMED


def _is_file(path: str) -> bool:
    # What is no regular file, or cannot be opened, is refused where it is read; a FIFO would wait.
    with suppress(OSError, ValueError):
        return Path(path).is_file() and os.access(path, os.R_OK)
    return False


@contextmanager
def _naming_the_path(path: str | None, key: str | None) -> Iterator[None]:
    """Two files of a call may have one name: errors give the path, unless the key has it too."""
    try:
        yield
    except (FileFormatError, InputError) as error:
        if path is None or (key is not None and Path(key).name == Path(path).name):
            raise
        name = shown(Path(path).name)
        raise error.reworded(error.sentence.renamed(name, path_words(path))) from error


def one_or_two(columns: Sequence[str] | None, option: str) -> str | tuple[str, str] | None:
    """A column, two, or none."""
    if not columns:
        return None
    if len(columns) > 2:
        raise InputError(
            f"--{option} must name one or two columns; got {len(columns)}: {shown(list(columns))}."
            " A trial depends on two people at most: leave the others out."
        )
    return columns[0] if len(columns) == 1 else (columns[0], columns[1])


def family_of(asked: Names, read: Sequence[ScoreData]) -> tuple[Names, str]:
    """The family that stands for "auto" on all score sets of a call, and why."""
    if asked != AUTO:
        return asked, "" if asked == BEST else chosen_words(asked)
    chosen = automatic(read)
    give(chosen.notices)
    return chosen.family, chosen.reason


def chosen_words(asked: Names) -> str:
    """That the family was named in the call."""
    return f"chosen with --family {asked if isinstance(asked, str) else ','.join(asked)}"
