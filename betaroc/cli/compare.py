"""``betaroc compare``: systems on test, by thresholds of dev."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from betaroc.cli.curves import SystemCurve, curve_of, curve_options
from betaroc.cli.inputs import family_of
from betaroc.cli.messages import ProgressBar, examples, messages, say
from betaroc.cli.options import (
    checked_picture,
    interval_arguments,
    interval_options,
    score_options,
    tail_options,
)
from betaroc.cli.systems import (
    LONGEST,
    SystemFiles,
    default_names,
    named_systems,
    read_systems,
    refuse_other_numbers,
    system_options,
)
from betaroc.cli.systems_ranking import ranking_numbers, ranking_told
from betaroc.core.class_words import shared_words
from betaroc.core.errors import DuplicateWarning, InputError
from betaroc.core.notices import collected, warn
from betaroc.core.text import shown
from betaroc.decision.comparison import Comparison, compare
from betaroc.decision.pictures import draw_both
from betaroc.decision.systems import SystemsComparison, compare_systems
from betaroc.rendering.numbers import path_words, visible
from betaroc.rendering.picture_files import save_picture
from betaroc.report.compare import (
    System,
    comparison_columns,
    comparison_few_columns,
    comparison_numbers,
    comparison_told,
)
from betaroc.report.intervals import coarse_words

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc compare --dev dev.csv dev_b.csv --test eval.csv eval_b.csv --name A B -o c.svg",
        "betaroc compare --dev dev.csv dev_b.csv --test eval.csv eval_b.csv --resample test --json",
        "betaroc compare --system mlp dev.csv eval.csv --system svm dev_b.csv eval_b.csv --csv",
    )
    option = parser.add_argument
    for role, verb in (("dev", "choose on"), ("test", "meet, the same trials in one order")):
        parser.add_argument(
            f"--{role}", nargs="+", action="extend", default=[], metavar=role.upper(),
            help=f"two files: scores of the first and of the second system to {verb}"
            + ("; with --unpaired the same file may serve both" if role == "dev" else ""),
        )  # fmt: skip
    option("--name", nargs="+", action="extend", metavar="NAME",
        help="two names of the systems (default: what tells the paths of their files"
        " apart)")  # fmt: skip
    system_options(parser)
    option("--resample", choices=("both", "test"), default="both",
        help="both: dev too is drawn, and its thresholds chosen, again; test: at these very"
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
    files = _files_of(arguments)
    checked_picture(arguments, [path for one in files for path in (one.dev, *one.tests)])
    level, seed = interval_arguments(arguments)
    if arguments.unpaired and arguments.id is not None:
        raise InputError(
            "--id says which trials of the systems belong together; with --unpaired none do. Leave"
            " one of them out."
        )
    if arguments.measure is None:
        weighted = arguments.criterion == "weighted-error"
        arguments.measure = "weighted-error" if weighted else "hter"
    with collected() as notices, ProgressBar(2 * len(files) + 2) as step:
        named = arguments.resample == "both"
        read = list(read_systems(files, arguments, step, dev_named=named))
        systems = [System(one.name, one.dev, one.tests[0]) for one in read]
        if not arguments.unpaired:
            names = [path_words(one.tests[0]) for one in files]
            refuse_other_numbers(names, [one.test for one in systems])
        _warn_of_same(systems)
        found = []
        for system in systems:  # each on its own scale
            chosen = family_of(arguments.family, system[1:])
            prefix = f"{visible(system.name)}: "
            found.append(curve_of(arguments, chosen, system.dev, system.test, prefix))
        options = {
            "resample": arguments.resample, "paired": not arguments.unpaired, "level": level,
            "replicates": arguments.replicates, "rng": seed,
        }  # fmt: skip
        curves = [one.curve for one in found]
        comparison: Comparison | SystemsComparison
        if len(files) == 2:
            with _naming_the_systems(systems):
                comparison = compare(curves[0], curves[1], **options)
        else:
            by_name = {one.name: curve for one, curve in zip(systems, curves, strict=True)}
            comparison = compare_systems(by_name, **options)
        step()
        if arguments.output is not None:
            save_picture(partial(_draw, comparison, arguments, systems), arguments.output)
        step()
    said = messages(notices, arguments)
    if arguments.csv:
        sides = [(f"{s.name}, {r}", getattr(s, r)) for s in systems for r in ("dev", "test")]
        said += coarse_words(sides)
    _say(comparison, systems, found, arguments, seed, said)


@contextmanager
def _naming_the_systems(systems: Sequence[System]) -> Iterator[None]:
    """Errors call both by their names."""
    try:
        yield
    except InputError as error:
        said = error.sentence
        for argument, system in zip(("epc_a", "epc_b"), systems, strict=True):
            said = said.replaced(argument, visible(system.name))
        raise error.reworded(said) from error


def _say(
    comparison: Comparison | SystemsComparison, systems: Sequence[System],
    found: Sequence[SystemCurve], arguments: argparse.Namespace, seed: int, said: Sequence[str],
) -> None:  # fmt: skip
    """The comparison in the form that was asked for."""
    by = [one.chosen_words for one in found]
    further = {
        "seed": seed,
        "families": [one.family for one in found],
        "reasons": [one.chosen_by for one in found],
        "warnings": said,
    }
    if isinstance(comparison, Comparison):
        document = partial(comparison_numbers, comparison, systems)
        columns = comparison_columns if arguments.csv else comparison_few_columns
        kept = columns(comparison, systems, seed)
        tree = partial(comparison_told, comparison, systems, by, seed, kept)
    else:
        document = partial(ranking_numbers, comparison, systems)
        tree = partial(ranking_told, comparison, systems, by, seed)
    names = [system.name for system in systems]
    words = shared_words(one.words for system in systems for one in (system.dev, system.test))
    say(arguments, lambda: document() | further, tree, said, names, words)


def _draw(
    comparison: Comparison | SystemsComparison, arguments: argparse.Namespace,
    systems: Sequence[System],
) -> Any:  # fmt: skip
    scale = "log" if arguments.log else "linear"
    if isinstance(comparison, Comparison):
        names = [visible(system.name) for system in systems]
        return draw_both(comparison, names, scale=scale, terms=arguments.terms)
    return comparison.plot(scale=scale, terms=arguments.terms)


def _warn_of_same(systems: Sequence[System]) -> None:
    for k, one in enumerate(systems):
        for other in systems[:k]:
            if one[1:] == other[1:]:
                who = (
                    "both systems have"
                    if len(systems) == 2
                    else (f"{visible(other.name)} and {visible(one.name)} have")
                )
                warn(
                    f"{who} the same scores on dev and on test: this is one system given"
                    " twice. Name the files of the other.",
                    DuplicateWarning,
                )


def _files_of(arguments: argparse.Namespace) -> list[SystemFiles]:
    """The systems of the call: any number by --system, two by --dev and --test."""
    found = named_systems(arguments, tests=(1, 1))
    if not found:
        names = _two_names(arguments)
        return [
            SystemFiles(name, dev, (test,))
            for name, dev, test in zip(names, arguments.dev, arguments.test, strict=True)
        ]
    if len(found) < 2:
        raise InputError(
            f"--system must name at least two systems; got {shown(found[0].name)} alone. Name the"
            " other, or see betaroc epc."
        )
    return found


def _two_names(arguments: argparse.Namespace) -> tuple[str, str]:
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
    names = _names_of_files(arguments) if arguments.name is None else arguments.name
    if len(names) != 2 or not _are_names(names):
        raise InputError(
            f"--name must give two different names of at most {LONGEST} characters, one a system;"
            f" got {shown(names)}. Give two, such as --name mlp svm."
        )
    return names[0], names[1]


def _names_of_files(arguments: argparse.Namespace) -> list[str]:
    """What tells their dev files apart, else their tests; of long ones a letter."""
    own = default_names(arguments.dev)
    names = own if _are_names(own) else default_names(arguments.test)
    return names if _are_names(names) else ["A", "B"]


def _are_names(names: Sequence[str]) -> bool:
    shapes = {visible(name).strip() for name in names}
    return len(shapes) == len(names) and all(0 < len(shape) <= LONGEST for shape in shapes)
