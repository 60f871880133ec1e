"""``betaroc fit``: both classes of a score file, fitted and described."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from betaroc.cli.inputs import chosen_words, read_file
from betaroc.cli.messages import ProgressBar, messages, say_warnings
from betaroc.cli.options import (
    fit_options_of,
    interval_arguments,
    interval_options,
    score_options,
    statistic_option,
    tail_options,
)
from betaroc.core.notices import collected
from betaroc.model.asking import askings
from betaroc.report.analysis import Judge, fitted_set
from betaroc.report.numbers import as_json, set_numbers
from betaroc.report.score_set import ScoreSet
from betaroc.report.summary import mismatch_words
from betaroc.report.text import set_text

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    option = parser.add_argument
    option("file", metavar="SCORES", help="score file")
    option("--json", action="store_true", help="one JSON document on standard output")
    option("--check", action="store_true",
        help="also check the fit by simulation, set the families beside each other and audit the"
        " ends")  # fmt: skip
    statistic_option(parser)
    interval_options(parser, "of every interval")
    score_options(parser, "auto")
    tail_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Fit, and say it."""
    level, seed = interval_arguments(arguments)
    asked = askings(arguments.statistic, "statistic")
    with collected() as notices, ProgressBar(2) as step:
        read = read_file(arguments.file, arguments, step)
        judge = Judge(level, seed, checks=arguments.check, asked=asked)
        part = fitted_set("scores", read, fit_options_of(arguments, arguments.family), judge)
        reason = (part.fit and part.fit.reason) or chosen_words(arguments.family)
        step()
    said = [*messages(notices, arguments), *filter(None, [mismatch_words(part)])]
    if arguments.json:
        sys.stdout.write(as_json(_document(part, reason, said)))
    else:
        sys.stdout.write(set_text(part, reason) + "\n")
        say_warnings(said)


def _document(part: ScoreSet, reason: str, said: Sequence[str]) -> dict[str, Any]:
    numbers = set_numbers(part)
    rest = (
        "name", "source", "n_client", "n_impostor", "summary", "empirical", "distances",
        "intervals", "confidence", "fit_quality", "families", "sensitivity",
    )  # fmt: skip
    return {
        **numbers["fit"],
        "reason": reason,
        **{key: numbers[key] for key in rest if key in numbers},
        "warnings": said,
    }
