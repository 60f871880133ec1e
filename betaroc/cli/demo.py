"""``betaroc demo``: a first threshold on real scores, in files to go on with."""

from __future__ import annotations

import argparse
import os
import sys
from shlex import join

from betaroc.cli.messages import examples
from betaroc.cli.options import PAGE, add, refuse_output
from betaroc.core.errors import OutputError
from betaroc.core.text import shown
from betaroc.core.vocabulary import ClassWords
from betaroc.data.datasets import load_liveness
from betaroc.data.scores import Scores
from betaroc.rendering.files import checked_target, write_whole
from betaroc.rendering.numbers import visible

_DEV, _TEST, _SHARPENED = "demo-dev.csv", "demo-test.csv", "demo-sharpened.csv"
_TRY = ["threshold", _DEV, "--far", "0.05", "--test", _TEST]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(parser, "betaroc demo", "betaroc demo -o report.html")
    add(parser, "-o/--output OUT", "HTML report to write as well")
    add(parser, "--force", "replace files that hold something else")


def run(arguments: argparse.Namespace) -> None:
    """Write the scores, run the commands on them, and name the next ones."""
    page = ["report", "--dev", _DEV, "--test", _TEST, _SHARPENED, "-o", "report.html"]
    if arguments.output is not None:
        page[-1] = arguments.output
        files = (_DEV, _TEST, _SHARPENED)
        refuse_output(arguments.output, files, force=arguments.force, ends=PAGE)
    plain, sharpened = load_liveness(), load_liveness(sharpened=0.4)
    sets = {_DEV: plain.dev, _TEST: plain.test, _SHARPENED: sharpened.test}
    texts = {path: _csv(scores) for path, scores in sets.items()}
    for path, text in texts.items():
        _refuse_other_content(path, text, force=arguments.force)
    for path, text in texts.items():
        write_whole(path, text)
    print("Images of digits and recaptures of them, and how real each looked to a classifier:")
    for path, scores in sets.items():
        called = scores.words or ClassWords()
        sizes = {"client": scores.n_client, "impostor": scores.n_impostor}
        print(f"  {path:20} {', '.join(called.counted(who, n) for who, n in sizes.items())}")
    calls = [_TRY] if arguments.output is None else [_TRY, page + ["--force"] * arguments.force]
    for words in calls:
        print(f"\n$ {_line(words)}")
        sys.stdout.flush()
        parsed = arguments.parser.parse_args(words)
        parsed.run(parsed)
    print("\nNext: attackers who sharpen their images; a report; how many scores to collect\n")
    further = [*_TRY[:-1], _SHARPENED], ["plan", "guarantee@far=0.01"]
    for words in further if arguments.output else (further[0], page, further[1]):
        print(f"  {_line(words)}")
    print("\nYour own files: a line score,label, then one line per trial.")


def _csv(scores: Scores) -> str:
    """The trials with their labels in words."""
    client, impostor = scores.words or ClassWords()
    rows = [f"{value!r},{client}" for value in scores.client.tolist()]
    rows += [f"{value!r},{impostor}" for value in scores.impostor.tolist()]
    return "\n".join(["score,label", *rows, ""])


def _refuse_other_content(path: str, text: str, *, force: bool) -> None:
    """What a demo wrote before may stay; what is not its own is not replaced unasked."""
    target = checked_target(path)
    if force or not target.exists():
        return
    if not os.access(target, os.R_OK) or target.read_bytes() != text.encode():
        raise OutputError(
            f"{shown(path)} must be a new file; it exists, holds something else and is untouched."
            " Go to an empty folder, or pass --force to replace it."
        )


def _line(words: list[str]) -> str:
    return visible(f"betaroc {join(words)}")
