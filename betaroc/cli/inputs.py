"""The score files of a call: read as rows, or streamed into sums and counts; their family."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import Any

from betaroc.cli.messages import ProgressBar, named_files
from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.local_files import STDIN
from betaroc.core.notices import quietly
from betaroc.core.text import shown
from betaroc.data.read import read_scores
from betaroc.data.rows import FAIL
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary, parquet_rows, summarize_file, warn_of_bins
from betaroc.data.text_files import TextFile
from betaroc.estimation.contract import SUMMED_POLICIES
from betaroc.estimation.estimate import give
from betaroc.estimation.families import AUTO, BEST, FAMILIES, Names, automatic, names_of_text
from betaroc.rendering.numbers import path_words, visible

#: Files with more rows than this are streamed unasked.
STREAMED = 5_000_000
#: Values of options that sums of a class are enough for.
_OF_SUMS: dict[str, set[Any]] = {
    "family": {AUTO, BEST, *(name for name, row in FAMILIES.items() if row.summed)},
    "boundary": {None, *SUMMED_POLICIES},
    "resolution": {None},
    "group": {None},
    "id": {None},
    "key": {None},
    "identities": {None},
    "missing": {FAIL},
    "unpaired": {None, True},
}


def read_file(
    path: str | None, arguments: argparse.Namespace, step: Callable[[], None], *,
    named: bool = True, is_test: bool = False,
) -> ScoreData:  # fmt: skip
    """Scores of a file, with the columns of groups and ids where they are used; or their sums.

    Without a path those of the two files of dev, or of test, one a class.
    """
    if arguments.stream == "always" and path in {None, STDIN}:
        raise InputError(
            "--stream always must stand beside files of both classes, which are read in pieces; got"
            f" {'a file of each' if path is None else 'the standard input'}. Name such a file, or"
            " leave it out."
        )
    with _naming_the_path(path):
        summary = None if path is None else _streamed(path, arguments)
    if summary is not None:
        step()
        return _named(summary, arguments)
    columns = getattr(arguments, "group", None) if named else None
    group = None if columns is None else _one_or_two(columns, "group")
    key = _key_of(arguments, is_test=is_test)
    id_ = _one_or_two(arguments.id, "id") if arguments.id and (named or key) else None
    both: dict[str, Any] = {}
    if path is None:
        pair = files_of(arguments, "test" if is_test else "dev")
        both = dict(zip(("client_file", "impostor_file"), pair, strict=True))
    with _naming_the_path(path, key):
        scores = read_scores(
            path,
            **both,
            **reading(arguments),
            key=key,
            key_label=arguments.key_label,
            key_id=_one_or_two(arguments.key_id, "key-id") if arguments.key_id else None,
            group=group,
            id=id_,
            missing=arguments.missing,
        )
    if getattr(arguments, "terms", None) == "matching" and scores.has_rejected:
        raise InputError(
            "--terms matching must not stand beside trials without a score that count as rejected:"
            " FMR and FNMR are rates of comparisons made, and are shown beside FAR and FRR. Leave"
            " --terms out, or take --missing drop."
        )
    step()
    return _named(scores, arguments)


def _named(scores: ScoreData, arguments: argparse.Namespace) -> ScoreData:
    """The same, whose file is called as in all results of the call."""
    source = scores.source
    if source is None:
        return scores
    return scores._read_from(source.named(named_files(arguments, source.files)))


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """How any file of the call is read."""
    names = (
        "score", "client_label", "columns", "separator", "decimal", "header", "format",
        "max_size", "max_rows",
    )  # fmt: skip
    if arguments.identities is not None and arguments.label != "label":
        raise InputError(
            "--identities must stand instead of --label: both say who is a client. Leave one out."
        )
    label = arguments.label if arguments.identities is None else tuple(arguments.identities)
    return {"label": label, **{name: getattr(arguments, name) for name in names}}


def files_of(arguments: argparse.Namespace, role: str) -> list[str]:
    """The files of dev or of test: those that are named, or one a class."""
    start = "test_" if role == "test" else ""
    argument = "file" if role == "dev" and hasattr(arguments, "file") else role
    option = "SCORES" if argument == "file" else f"--{role}"
    own = getattr(arguments, argument)
    named = list(own) if isinstance(own, list) else [own] * (own is not None)
    names = [f"{start}{who}_file" for who in ("client", "impostor")]
    both = " and ".join(f"--{name}".replace("_", "-") for name in names)
    two = [path for name in names if (path := getattr(arguments, name, None)) is not None]
    if named and two:
        raise InputError(f"{option} must stand alone, or {both} without it. Leave one out.")
    if len(two) == 1 or (role == "dev" and not named and not two):
        if option == "SCORES":
            subject, way = "the call", "SCORES, or - for the standard input"
        else:
            subject, way = option, f"{option} {role.upper()}"
        raise InputError(f"{subject} must name a score file, or {both} both. Give {way}.")
    return named or two


def _key_of(arguments: argparse.Namespace, *, is_test: bool) -> str | None:
    """Test files may have a key of their own."""
    named = ("test", "test_client_file", "system", "systems")
    if arguments.test_key is not None and not any(getattr(arguments, n, None) for n in named):
        raise InputError("--test-key must stand beside --test, whose key it is. Leave it out.")
    key: str | None = arguments.key
    return arguments.test_key or key if is_test else key


def option_of_guess(said: str) -> str:
    """A guess as the option that would say it."""
    option, _, value = said.partition("=")
    if option == "header":
        return "--header" if value == "True" else "--no-header"
    if option == "label":
        return (
            f"--identities {value.replace(',', ' ')}" if "," in value else f"--label {quote(value)}"
        )
    return f"--{option} {quote(value)}"


def _streamed(path: str, arguments: argparse.Namespace) -> ScoreSummary | None:
    """The summary of a large file, or of any that is to be streamed."""
    mode = arguments.stream
    if mode == "never" or not _is_file(path):
        return None
    wants = {name for name, kept in _OF_SUMS.items() if _asked(arguments, name) not in kept}
    if mode == "auto" and (wants or not _worth_it(path)):
        return None
    for name in sorted(wants & {"group", "id", "key", "missing"}):
        raise InputError(
            f"--{name} must not stand beside --stream always: sums and counts know no single trial."
            " Leave one of them out."
        )
    name = visible(Path(path).name)
    with ProgressBar(None, " scores", unit_scale=True, desc=name) as progress:
        given = reading(arguments)
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


@contextmanager
def _naming_the_path(path: str | None, key: str | None = None) -> Iterator[None]:
    """Two files of a call may have one name: errors give the path, unless the key has it too."""
    try:
        yield
    except (FileFormatError, InputError) as error:
        if path is None or (key is not None and Path(key).name == Path(path).name):
            raise
        name = shown(Path(path).name)
        raise error.reworded(error.sentence.renamed(name, path_words(path))) from error


def _one_or_two(columns: Sequence[str], option: str) -> str | tuple[str, str]:
    if len(columns) > 2:
        raise InputError(
            f"--{option} must name one or two columns; got {len(columns)}: {shown(list(columns))}."
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
