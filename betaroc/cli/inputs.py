"""The score files of a call: read as rows, or streamed into sums and counts; their family."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.notices import quietly
from betaroc.core.text import shown
from betaroc.data.read import read_scores
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary, parquet_rows, summarize_file, warn_of_bins
from betaroc.data.text_files import TextFile
from betaroc.estimation.boundary import SUMMED_POLICIES
from betaroc.estimation.families import AUTO, BEST, FAMILIES, Names, automatic, names_of_text
from betaroc.estimation.notices import give
from betaroc.rendering.numbers import path_words, visible

__all__ = ["chosen_words", "family_of", "family_option", "read_file"]

#: Files with more rows than this are streamed unasked.
STREAMED = 5_000_000
#: Values of options that sums of a class are enough for.
_OF_SUMS: dict[str, set[Any]] = {
    "family": {AUTO, BEST, *(name for name, row in FAMILIES.items() if row.summed)},
    "boundary": {None, *SUMMED_POLICIES},
    "resolution": {None},
    "group": {None},
    "id": {None},
    "unpaired": {None, True},
}


def read_file(
    path: str, arguments: argparse.Namespace, step: Callable[[], None], *, named: bool = True
) -> ScoreData:
    """Scores of a file, with the columns of groups and ids where they are used; or their sums."""
    with _naming_the_path(path):
        summary = _streamed(path, arguments)
    if summary is not None:
        step()
        return summary
    columns = getattr(arguments, "group", None) if named else None
    group = None if columns is None else _one_or_two(columns)
    with _naming_the_path(path):
        scores = read_scores(
            path,
            score=arguments.score,
            label=arguments.label,
            client_label=arguments.client_label,
            format=arguments.format,
            group=group,
            id=getattr(arguments, "id", None) if named else None,
        )
    step()
    return scores


def _streamed(path: str, arguments: argparse.Namespace) -> ScoreSummary | None:
    """The summary of a large file, or of any that is to be streamed."""
    mode = arguments.stream
    if mode == "never" or not _is_file(path):
        return None
    wants = {name for name, kept in _OF_SUMS.items() if _asked(arguments, name) not in kept}
    if mode == "auto" and (wants or not _worth_it(path)):
        return None
    for name in sorted(wants & {"group", "id"}):
        raise InputError(
            f"--{name} must not stand beside --stream always: sums and counts know no single trial."
            " Leave one of them out."
        )
    with _RowsBar(Path(path).name) as progress:
        given = {n: getattr(arguments, n) for n in ("score", "label", "client_label", "format")}
        found = summarize_file(path, **given, progress=progress)
        if not found.is_coarse:
            return found
        # Equal bins between the extremes, which are known now.
        sides = (found.client, found.impostor)
        low, high = min(s.minimum for s in sides), max(s.maximum for s in sides)
        if not (low < high and math.isfinite(high - low)):
            warn_of_bins(found)
            return found
        with quietly():
            even = summarize_file(path, **given, layout=(low, high), progress=progress)
    best = min(found, even, key=lambda one: max(one.rate_error))
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


def _asked(arguments: argparse.Namespace, name: str) -> object:
    given = getattr(arguments, name, None)
    return tuple(given) if isinstance(given, list) else given


def _is_file(path: str) -> bool:
    # What is no regular file, or cannot be opened, is refused where it is read; a FIFO would wait.
    with suppress(OSError, ValueError):
        return Path(path).is_file() and os.access(path, os.R_OK)
    return False


class _RowsBar:
    """A bar of rows on a terminal, once a stream has taken a second."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bar: Any = None

    def __enter__(self) -> Callable[[int, int], None] | None:
        return self._show if sys.stderr is not None and sys.stderr.isatty() else None

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _show(self, done: int, total: int) -> None:
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(
                delay=1.0, leave=False, file=sys.stderr, unit=" scores", unit_scale=True,
                desc=visible(self._name),
            )  # fmt: skip
        self._bar.total = total
        self._bar.update(done - self._bar.n)


@contextmanager
def _naming_the_path(path: str) -> Iterator[None]:
    """Two files of a call may have one name: errors give the path."""
    try:
        yield
    except (FileFormatError, InputError) as error:
        name = shown(Path(path).name)
        raise error.reworded(error.sentence.replaced(name, path_words(path))) from error


def _one_or_two(columns: Sequence[str]) -> str | tuple[str, str]:
    if len(columns) > 2:
        raise InputError(
            f"--group must name one or two columns; got {len(columns)}: {shown(list(columns))}."
            " A trial depends on two people at most: leave the others out."
        )
    return columns[0] if len(columns) == 1 else (columns[0], columns[1])


def family_option(text: str) -> Names:
    """What stands behind --family."""
    try:
        return names_of_text(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def family_of(asked: Names, read: Sequence[ScoreData]) -> tuple[Names, str]:
    """The family that stands for "auto" on all score sets of a call, and why."""
    if asked == BEST:
        return asked, ""
    if asked != AUTO:
        return asked, chosen_words(asked)
    chosen = automatic(read)
    give(chosen.notices)
    return chosen.family, chosen.reason


def chosen_words(asked: Names) -> str:
    """That the family was named in the call."""
    return f"chosen with --family {asked if isinstance(asked, str) else ','.join(asked)}"
