"""``betaroc compare``: two systems on test, by thresholds of dev."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from betaroc.cli.curves import curve_of, curve_options
from betaroc.cli.inputs import family_of, read_file
from betaroc.cli.messages import ProgressBar, messages, say_warnings
from betaroc.cli.options import (
    checked_picture,
    interval_arguments,
    interval_options,
    score_options,
    tail_options,
)
from betaroc.core.errors import DuplicateWarning, InputError
from betaroc.core.notices import collected, warn
from betaroc.core.text import shown
from betaroc.data.scores import ScoreData
from betaroc.decision.comparison import compare
from betaroc.decision.pictures import draw_both
from betaroc.rendering.numbers import path_words, visible
from betaroc.rendering.picture_files import save_picture
from betaroc.report.compare import System, comparison_csv, comparison_numbers, comparison_text
from betaroc.report.intervals import coarse_words
from betaroc.report.numbers import as_json

__all__ = ["add_options", "run"]

#: Names of systems stand in columns and legends.
_LONGEST = 40


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    option = parser.add_argument
    for role, verb in (("dev", "choose on"), ("test", "meet, the same trials in one order")):
        parser.add_argument(
            f"--{role}", required=True, nargs="+", action="extend", metavar=role.upper(),
            help=f"two files: scores of the first and of the second system to {verb}"
            + ("; with --unpaired the same file may serve both" if role == "dev" else ""),
        )  # fmt: skip
    option("--name", nargs="+", action="extend", metavar="NAME",
        help="two names of the systems (default: A B)")  # fmt: skip
    option("--id", metavar="COLUMN",
        help="column that names the trial: whether both files hold the same trials is"
        " checked")  # fmt: skip
    option("--resample", choices=("both", "test"), default="both",
        help="both: dev too is drawn, and its thresholds chosen, again; test: at these two"
        " thresholds as they are (default: %(default)s)")  # fmt: skip
    option("--unpaired", action="store_true",
        help="the systems judge different test trials, which are drawn independently")  # fmt: skip
    interval_options(parser, "of the intervals and the band of the difference")
    option("--replicates", type=int, metavar="N",
        help="bootstrap replicates (default: 2000; 400 where a fit is made in each)")  # fmt: skip
    curve_options(parser, "weighted-error, with another criterion hter")
    score_options(parser, "empirical")
    tail_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Compare, and say or draw it."""
    names = _system_names(arguments)
    checked_picture(arguments, [*arguments.dev, *arguments.test])
    level, seed = interval_arguments(arguments)
    if arguments.unpaired and arguments.id is not None:
        raise InputError(
            "--id says which trials of two systems belong together; with --unpaired none do. Leave"
            " one of them out."
        )
    if arguments.measure is None:
        weighted = arguments.criterion == "weighted-error"
        arguments.measure = "weighted-error" if weighted else "hter"
    with collected() as notices, ProgressBar(6) as step:
        files = zip(arguments.dev, arguments.test, strict=True)
        read = [
            [
                read_file(dev, arguments, step, named=arguments.resample == "both"),
                read_file(test, arguments, step),
            ]
            for dev, test in files
        ]
        if not arguments.unpaired:
            _refuse_other_trials(arguments.test, [test for _, test in read])
        if read[0] == read[1]:
            warn(
                "both systems have the same scores on dev and on test: this is one system given"
                " twice. Name the files of the other.",
                DuplicateWarning,
            )
        chosen = [family_of(arguments.family, pair) for pair in read]  # each on its own scale
        found = [
            curve_of(arguments, one, dev, test, f"{name}: ")
            for name, one, (dev, test) in zip(names, chosen, read, strict=True)
        ]
        comparison = compare(
            found[0].curve, found[1].curve, resample=arguments.resample,
            paired=not arguments.unpaired, level=level, replicates=arguments.replicates, rng=seed,
        )  # fmt: skip
        step()
        if arguments.output is not None:
            shapes = [visible(name) for name in names]
            save_picture(partial(draw_both, comparison, names=shapes), arguments.output)
        step()
    said = messages(notices, arguments)
    systems = [System(name, *pair) for name, pair in zip(names, read, strict=True)]
    if arguments.json:
        further = {
            "seed": seed,
            "families": [one.family for one in found],
            "reasons": [one.chosen_by for one in found],
            "warnings": said,
        }
        sys.stdout.write(as_json(comparison_numbers(comparison, systems) | further))
        return
    if arguments.csv:
        sides = [(f"{s.name}, {r}", getattr(s, r)) for s in systems for r in ("dev", "test")]
        said += coarse_words(sides)
        sys.stdout.write(comparison_csv(comparison, systems, seed))
    else:
        by = [one.chosen_words for one in found]
        sys.stdout.write(comparison_text(comparison, systems, by, seed) + "\n")
    say_warnings(said)


def _refuse_other_trials(paths: Sequence[str], tests: Sequence[ScoreData]) -> None:
    """Paired decisions need one list of trials; here the files are named."""
    for who in ("client", "impostor"):
        first, second = (getattr(scores, f"n_{who}") for scores in tests)
        if first != second:
            raise InputError(
                "both --test files must hold the same trials in one order;"
                f" {path_words(paths[0])} has {first} {who} scores, {path_words(paths[1])}"
                f" {second}. Keep the common trials, or pass --unpaired if the systems judged"
                " different ones."
            )


def _system_names(arguments: argparse.Namespace) -> tuple[str, str]:
    """Two names, after the files of both systems were found to be two and two."""
    for role in ("dev", "test"):
        paths = getattr(arguments, role)
        if len(paths) != 2:
            raise InputError(
                f"--{role} must name two score files, one a system; got {len(paths)}:"
                f" {shown(paths)}. Scores are those of one system: give each its own file."
            )
        with suppress(OSError):  # a file that cannot be looked at is refused when it is read
            if os.path.samefile(*paths) and not (role == "dev" and arguments.unpaired):
                raise InputError(
                    f"--{role} must name two different files, one a system; got {shown(paths[0])}"
                    " for both. A system does not differ from itself: name the other's scores"
                    + (", or pass --unpaired for one system on two test sets." if role == "dev"
                       else ".")
                )  # fmt: skip
    names = ["A", "B"] if arguments.name is None else arguments.name
    shapes = {visible(name).strip() for name in names}
    lengths = {len(shape) for shape in shapes}
    if len(names) != 2 or len(shapes) != 2 or min(lengths) == 0 or max(lengths) > _LONGEST:
        raise InputError(
            f"--name must give two different names of at most {_LONGEST} characters, one a system;"
            f" got {shown(names)}. Give two, such as --name mlp svm."
        )
    return names[0], names[1]
