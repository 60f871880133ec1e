"""``betaroc report``: an HTML page on dev and on the tests."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from betaroc.cli.inputs import chosen_words, read_file
from betaroc.cli.messages import ProgressBar, in_options, say_warnings
from betaroc.cli.options import (
    fit_options_of,
    interval_arguments,
    interval_options,
    refuse_output,
    score_options,
    statistic_option,
    tail_options,
)
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, keep
from betaroc.core.text import shown
from betaroc.estimation.families import AUTO, BEST
from betaroc.model.asking import askings
from betaroc.rendering.numbers import visible
from betaroc.report.analysis import Analysis, analyze_stepwise

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    option = parser.add_argument
    option("--dev", required=True, metavar="DEV", help="score file to fit")
    option("--test", nargs="+", action="extend", default=[], metavar="TEST",
        help="score files on which dev's thresholds are tried; may be repeated")  # fmt: skip
    option("-o", "--output", required=True, metavar="OUT", help="HTML file to write")
    option("--force", action="store_true", help="replace OUT if it exists")
    statistic_option(parser)
    interval_options(parser, "of every interval in the report")
    score_options(parser, "best")
    tail_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Analyse, and write the page."""
    refuse_output(arguments.output, [arguments.dev, *arguments.test], force=arguments.force)
    _page_name(arguments.output)
    level, seed = interval_arguments(arguments)
    askings(arguments.statistic, "statistic")
    with ProgressBar(2 * (1 + len(arguments.test)) + 1) as step:
        analysis = _analysis(arguments, step, level, seed)
        analysis.to_html(arguments.output)
        step()
    say_warnings([notice.message for notice in analysis.notices])
    print(f"wrote {visible(arguments.output)}", file=sys.stderr)


def _analysis(
    arguments: argparse.Namespace, step: Callable[[], None], level: float, seed: int
) -> Analysis:
    """Read, choose the family, analyse; every warning as text, once."""
    names = _distinct(arguments.test)
    with collected() as notices:
        dev = read_file(arguments.dev, arguments, step)
        tests = [read_file(path, arguments, step) for path in arguments.test]
        named = dict(zip(names, tests, strict=True))
        options = fit_options_of(arguments, arguments.family)
        analysis = analyze_stepwise(
            dev, named, options, step, level=level, rng=seed, statistics=arguments.statistic
        )
    chosen = arguments.family in (AUTO, BEST)
    found = replace(analysis, reason=analysis.reason if chosen else chosen_words(arguments.family))
    said = [n._replace(message=in_options(n.message, arguments)) for n in notices]
    keep(found, said)
    return found


def _distinct(paths: Sequence[str]) -> list[str]:
    """File names, or paths where names repeat."""
    if len({os.path.abspath(path) for path in paths}) < len(paths):
        raise InputError(
            f"--test must name each file once; got {shown(list(paths))}. Leave the second out."
        )
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def _page_name(output: str) -> None:
    """A report is one HTML page in a file; standard output carries none."""
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"-o must be a file that ends in .html or .htm; got {shown(output)}. Name it so: the"
            " report is an HTML page."
        )
