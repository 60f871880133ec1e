"""The score files of a call: read as rows, or streamed into sums and counts; their family."""

from __future__ import annotations

import math
import os
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from betaroc.cli.messages import named_files
from betaroc.cli.options import STREAMED, given_options, option_of, refuse
from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.local_files import STDIN
from betaroc.core.notices import suppress_warnings
from betaroc.core.text import format_value
from betaroc.data.parquet import parquet_rows
from betaroc.data.read import read_scores
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary, summarize_file, warn_of_bins
from betaroc.data.text_files import TextFile
from betaroc.estimation.contract import SUMMED_POLICIES
from betaroc.estimation.families import AUTO, BEST, FAMILIES, Names
from betaroc.rendering.numbers import path_words
from betaroc.rendering.tree import Paragraph
from betaroc.report.score_set import file_words

#: Families that sums of a class are enough for.
_SUMMED = {AUTO, BEST, *(name for name, row in FAMILIES.items() if row.summed)}
#: Options that speak of single trials, which sums and counts do not know.
_OF_TRIALS = ("group", "id", "key", "missing")

#: A file of both classes, or one of each: the client's and the impostor's.
ScoreFiles = str | tuple[str, str]


def paths_of(*sources: ScoreFiles) -> list[str]:
    """The paths of all files."""
    pairs = ((source,) if isinstance(source, str) else source for source in sources)
    return [path for pair in pairs for path in pair]


def read_file(
    source: ScoreFiles, arguments: Namespace, step: Callable[[], None], *,
    named: bool = True, is_test: bool = False,
) -> ScoreData:  # fmt: skip
    """Scores, with the columns of groups and ids where they are used; or their sums."""
    path = source if isinstance(source, str) else None
    if getattr(arguments, "stream", "") == "always" and path in {None, STDIN}:
        raise InputError(
            "--stream always must stand beside files of both classes, which are read in pieces; got"
            f" {'a file of each' if path is None else 'the standard input'}. Leave it out."
        )
    if not given_options(arguments, ("test", "test_client_file", "system", "systems")):
        refuse(arguments, ("test_key",), "stand beside --test, whose key it is")
    has_key = is_test and arguments.test_key is not None
    key = arguments.test_key if has_key else arguments.key
    with _naming_the_path(path, key):
        read: ScoreData | None = None if path is None else _streamed(path, arguments)
        if read is None:
            read = _rows(source, arguments, key, named=named)
    step()
    if read.source is None:
        return read
    return read._read_from(read.source.named(named_files(arguments, read.source.files)))


def _rows(source: ScoreFiles, arguments: Namespace, key: str | None, *, named: bool) -> ScoreData:
    path, client, impostor = (source, None, None) if isinstance(source, str) else (None, *source)
    scores = read_scores(
        path, client_file=client, impostor_file=impostor, **reading(arguments), key=key,
        key_label=arguments.key_label, key_id=columns(arguments.key_id),
        group=columns(getattr(arguments, "group", None)) if named else None,
        id=columns(arguments.id) if named or key else None, missing=arguments.missing,
    )  # fmt: skip
    if getattr(arguments, "terms", None) == "matching" and scores.has_rejected:
        raise InputError(
            "--terms matching must not stand beside trials without a score that count as rejected:"
            " FMR and FNMR are rates of comparisons made. Leave it out, or take --missing drop."
        )
    return scores


def columns(names: Iterable[str] | None) -> Any:
    """One column or two as `read_scores` takes them, None for none."""
    return None if names is None else tuple(names)


def reading(arguments: Namespace) -> dict[str, Any]:
    """How any file of the call is read."""
    names = ("score", "client_label", "columns", "separator", "decimal", "header", "format",
             "max_size", "max_rows")  # fmt: skip
    label = arguments.label
    if arguments.identities is not None:
        refuse(arguments, ("label",), "not stand beside --identities: both say who is a client")
        label = tuple(arguments.identities)
    return {"label": label, **{name: getattr(arguments, name) for name in names}}


def files_of(arguments: Namespace, role: str) -> list[ScoreFiles]:
    """The files of dev or of test: those that are named, or one per class."""
    places = ("test",) if role == "test" else ("file", "pilot", "dev")
    place = next((name for name in places if hasattr(arguments, name)), "test")
    value = getattr(arguments, place, None)
    named: list[ScoreFiles] = [value] if isinstance(value, str) else list(value or [])
    start = "test_" if role == "test" else ""
    names = [f"{start}{who}_file" for who in ("client", "impostor")]
    two = [path for name in names if (path := getattr(arguments, name, None)) is not None]
    missing = role == "dev" and not named
    if (named and two) or len(two) == 1 or (missing and not two):
        raise InputError(
            f"{option_of(place)} must name a score file, or {' and '.join(map(option_of, names))}"
            f" one per class; got {len(named)} and {len(two)} files."
        )
    return [(two[0], two[1])] if two else named


def _streamed(path: str, arguments: Namespace) -> ScoreSummary | None:
    """The summary of a large file, or of any that is to be streamed."""
    mode = getattr(arguments, "stream", "never")
    # What is no regular file is refused where it is read; a FIFO would wait.
    if mode == "never" or not os.path.isfile(path) or not os.access(path, os.R_OK):
        return None
    if mode == "auto" and (
        given_options(arguments, (*_OF_TRIALS, "resolution", "identities"))
        or arguments.family not in _SUMMED
        or arguments.boundary not in (None, *SUMMED_POLICIES)
        or getattr(arguments, "unpaired", None) is False
        or not _is_large(path)
    ):
        return None
    refuse(arguments, _OF_TRIALS,
           "not stand beside --stream always: sums and counts know no single trial")  # fmt: skip
    value = reading(arguments)
    best = summarize_file(path, **value)
    sides = (best.client, best.impostor)
    low, high = min(s.minimum for s in sides), max(s.maximum for s in sides)
    # Equal bins between the extremes, which are known now.
    if best.is_coarse and low < high and math.isfinite(high - low):
        with suppress_warnings():
            even = summarize_file(path, **value, layout=(low, high))
        best = min(best, even, key=lambda summary: max(summary.rate_error))
    if best.is_coarse:
        warn_of_bins(best)
    return best


def _is_large(path: str) -> bool:
    """Whether a file is large."""
    with Path(path).open("rb") as raw:
        head = raw.read(4)
    if head == b"PAR1":
        return find_spec("pyarrow") is None or parquet_rows(Path(path)) > STREAMED
    text = TextFile(Path(path), format_value(Path(path).name), zipped=head.startswith(b"\x1f\x8b"))
    return text.about_rows() > STREAMED


@contextmanager
def _naming_the_path(path: str | None, key: str | None) -> Iterator[None]:
    """Two files of a call may have one name: errors give the path, unless the key has it too."""
    try:
        yield
    except (FileFormatError, InputError) as error:
        if path is None or (key is not None and Path(key).name == Path(path).name):
            raise
        name = format_value(Path(path).name)
        raise error.reworded(error.template.replace(name, path_words(path), 1)) from error


def chosen_words(asked: Names) -> str:
    """That the family was named in the call."""
    return f"chosen with --family {asked if isinstance(asked, str) else ','.join(asked)}"


def reading_lines(*read: tuple[str, ScoreData]) -> Paragraph:
    """What was read, a line per set of scores under its name."""
    return Paragraph("\n".join(file_words(name, scores) for name, scores in read), "given")
