"""``betaroc demo``: a first threshold on real scores."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from shlex import join

from betaroc.cli import messages, options
from betaroc.core.errors import OutputError, refusal
from betaroc.core.text import format_value
from betaroc.core.vocabulary import ClassWords
from betaroc.data.datasets import load_liveness
from betaroc.rendering import files, numbers

_FILES = _DEV, _TEST, _SHARPENED = "demo-dev.csv", "demo-test.csv", "demo-sharpened.csv"
_TRY = ["threshold", _DEV, "--far", "0.05", "--test", _TEST]


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    messages.examples(parser, "betaroc demo", "betaroc demo -o report.html")
    options.add(parser, "-o/--output OUT", "HTML report to write as well")
    options.add(parser, "--force", "replace files that hold something else")


def run(arguments: Namespace) -> None:
    """Write the scores, run commands on them, name the next ones."""
    page = ["report", "--dev", _DEV, "--test", _TEST, _SHARPENED, "-o"]
    page.append(arguments.output or "report.html")
    calls, following = [_TRY], [[*_TRY[:-1], _SHARPENED], page, ["plan", "guarantee@far=0.01"]]
    if arguments.output is not None:
        options.check_output(arguments, "output", _FILES, options.PAGE)
        calls.append(page + ["--force"] * arguments.force)
        following.remove(page)
    plain, sharpened = load_liveness(), load_liveness(sharpened=0.4)
    sets = dict(zip(_FILES, (plain.dev, plain.test, sharpened.test), strict=True))
    texts = {}
    for path, scores in sets.items():
        sides = zip(scores.words or ClassWords(), (scores.client, scores.impostor), strict=True)
        rows = [f"{value!r},{word}\n" for word, values in sides for value in values.tolist()]
        texts[path] = "".join(["score,label\n", *rows])
    for path, text in texts.items():  # what a demo wrote before may stay
        target = files.checked_target(path)
        if arguments.force or not target.exists():
            continue
        if not os.access(target, os.R_OK) or target.read_bytes() != text.encode():
            remedy = "Go to an empty folder, or pass --force to replace it."
            raise refusal(format_value(path), "be a new file", "another one", remedy, OutputError)
    print("Images of digits and recaptures of them, and how real each looked to a classifier:")
    for path, scores in sets.items():
        files.write_whole(path, texts[path])
        words = scores.words or ClassWords()
        clients = words.counted("client", scores.n_client)
        print(f"  {path:20} {clients}, {words.counted('impostor', scores.n_impostor)}")
    for call in calls:
        print(f"\n$ {numbers.visible(join(['betaroc', *call]))}")
        sys.stdout.flush()
        parsed = arguments.parser.parse_args(call)
        parsed.run(parsed)
    print("\nNext: attackers who sharpen their images; a report; how many scores to collect\n")
    for call in following:
        print(f"  {numbers.visible(join(['betaroc', *call]))}")
    print("\nYour own files: a line score,label, then one line per trial.")
