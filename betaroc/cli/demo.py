"""``betaroc demo``: a first threshold on real scores, in files to go on with."""

from __future__ import annotations

import argparse
import os
import sys
from shlex import join
from types import ModuleType

from betaroc.cli import report, threshold
from betaroc.cli.messages import examples
from betaroc.cli.options import refuse_page
from betaroc.core.class_words import ClassWords
from betaroc.core.errors import OutputError
from betaroc.core.text import shown
from betaroc.data.datasets import load_liveness
from betaroc.data.scores import Scores
from betaroc.rendering.files import checked_target, write_whole
from betaroc.rendering.numbers import visible

_DEV, _TEST, _SHARPENED = "demo-dev.csv", "demo-test.csv", "demo-sharpened.csv"
_TRY = ["threshold", _DEV, "--far", "0.05", "--test", _TEST]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc demo",
        "betaroc demo -o report.html",
    )
    option = parser.add_argument
    option("-o", "--output", metavar="OUT", help="HTML report to write as well")
    option("--force", action="store_true",
        help="replace files that hold something else")  # fmt: skip


def run(arguments: argparse.Namespace) -> None:
    """Write the scores, run the commands on them, and name the next ones."""
    page = ["report", "--dev", _DEV, "--test", _TEST, _SHARPENED, "-o", "report.html"]
    if arguments.output is not None:
        page[-1] = arguments.output
        refuse_page(arguments.output, (_DEV, _TEST, _SHARPENED), force=arguments.force)
    plain, sharpened = load_liveness(), load_liveness(sharpened=0.4)
    sets = {_DEV: plain.dev, _TEST: plain.test, _SHARPENED: sharpened.test}
    texts = {path: _csv(scores) for path, scores in sets.items()}
    for path, text in texts.items():
        _refuse_other_content(path, text, force=arguments.force)
    for path, text in texts.items():
        write_whole(path, text)
    print("Images of digits and recaptures of them, and how real each looked to a classifier:")
    for path, scores in sets.items():
        print(f"  {path:20} {_counts(scores)}")
    _ran(threshold, _TRY)
    if arguments.output is not None:
        _ran(report, [*page, "--force"] if arguments.force else page)
    print("\nNext: attackers who sharpen their images; a report; how many scores to collect\n")
    for words in (
        [*_TRY[:-1], _SHARPENED],
        *([page] if arguments.output is None else []),
        ["plan", "guarantee@far=0.01"],
    ):
        print(f"  {_line(words)}")
    print("\nYour own files: a line score,label, then a line a trial.")


def _csv(scores: Scores) -> str:
    """The trials with their labels in words."""
    client, impostor = scores.words or ClassWords()
    rows = [f"{value!r},{client}" for value in scores.client.tolist()]
    rows += [f"{value!r},{impostor}" for value in scores.impostor.tolist()]
    return "\n".join(["score,label", *rows, ""])


def _counts(scores: Scores) -> str:
    words = scores.words or ClassWords()
    return ", ".join(
        words.counted(who, n)
        for who, n in (("client", scores.n_client), ("impostor", scores.n_impostor))
    )


def _refuse_other_content(path: str, text: str, *, force: bool) -> None:
    """What a demo wrote before may stay; what is not its own is not replaced unasked."""
    target = checked_target(path)
    if force or not target.exists():
        return
    same = os.access(target, os.R_OK) and target.stat().st_size == len(text.encode())
    if not same or target.read_bytes() != text.encode():
        raise OutputError(
            f"{shown(path)} must be a new file; it exists, holds something else and is untouched."
            " Go to an empty folder, or pass --force to replace it."
        )


def _ran(command: ModuleType, words: list[str]) -> None:
    """A command as it would be typed, and what it prints."""
    print(f"\n$ {_line(words)}")
    sys.stdout.flush()
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    command.run(parser.parse_args(words[1:]))


def _line(words: list[str]) -> str:
    return visible(f"betaroc {join(words)}")
