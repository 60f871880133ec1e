"""``betaroc compare``: systems on test, by thresholds of dev."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from betaroc.cli import options
from betaroc.cli.curves import (
    curve_options,
    draw_both,
    draw_picture,
    say_curves,
    system_curves,
    two_systems,
)
from betaroc.cli.messages import ProgressBar, examples, messages
from betaroc.cli.systems import named_systems, system_options
from betaroc.core.errors import InputError
from betaroc.core.notices import collected
from betaroc.core.text import shown
from betaroc.decision.comparison import Comparison, SystemsComparison, compare, compare_systems
from betaroc.decision.comparison_view import comparison_numbers, systems_numbers


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc compare --dev dev.csv dev_b.csv --test eval.csv eval_b.csv --name A B -o c.svg",
        "betaroc compare --dev dev.csv dev_b.csv --test eval.csv eval_b.csv --resample test --json",
        "betaroc compare --system mlp dev.csv eval.csv --system svm dev_b.csv eval_b.csv --csv",
    )
    option, rare = partial(options.add, parser), partial(options.add, options.further(parser))
    files = partial(option, action="extend")
    files("--dev DEV ...", "two files, one per system: scores to choose on; with --unpaired the"
          " same file may serve both", default=[])  # fmt: skip
    files("--test TEST ...", "two files, one per system: scores of the same trials in one order",
          default=[])  # fmt: skip
    files("--name NAME ...", "names of the two systems (default: what tells their files apart)")
    system_options(parser)
    option("--resample SETS", "both: dev is drawn again too, and its thresholds chosen again;"
        " test: thresholds as they are (default: %(default)s)",
        choices=("both", "test"), default="both")  # fmt: skip
    option("--unpaired", "the systems judge different test trials")
    options.interval_options(parser, "of the intervals and the band of the difference")
    rare("--replicates N",
        "bootstrap replicates (default: 2000; 400 where a fit is made in each)")  # fmt: skip
    curve_options(parser)
    options.score_options(parser, "empirical")


def run(arguments: argparse.Namespace) -> None:
    """Compare, and say or draw it."""
    systems = named_systems(arguments, tests=(1, 1)) or two_systems(arguments)
    if len(systems) < 2:
        raise InputError(
            f"--system must name at least two systems; got {shown(systems[0].name)} alone. Name the"
            " other, or see betaroc epc."
        )
    options.checked_picture(arguments, [path for one in systems for path in (one.dev, *one.tests)])
    level, seed = options.interval_arguments(arguments)
    paired, resample = not arguments.unpaired, arguments.resample
    if not paired:
        options.refuse(arguments, ("id",), "not stand beside --unpaired: it says which trials of"
                       " the systems belong together")  # fmt: skip
    judged: dict[str, Any] = {"resample": resample, "paired": paired, "level": level,
                               "replicates": arguments.replicates, "rng": seed}  # fmt: skip
    with collected() as notices, ProgressBar(2 * len(systems) + 2) as step:
        read = system_curves(systems, arguments, step, notices, dev_named=resample == "both",
                             paired=paired)  # fmt: skip
        curves = {one.name: one.curve for one in read}
        result: Comparison | SystemsComparison
        result = (compare(*curves.values(), **judged) if len(curves) == 2
                  else compare_systems(curves, **judged))  # fmt: skip
        step()
        draw = partial(draw_both, result) if isinstance(result, Comparison) else result.plot
        draw_picture(arguments, draw)
        step()
    warned = [text for one in read for text in one.warnings] + messages(notices, arguments)

    def document() -> dict[str, Any]:
        numbers = (comparison_numbers(result) if isinstance(result, Comparison)
                   else systems_numbers(result))  # fmt: skip
        return numbers | {
            "sources": [one.numbers for one in read], "seed": seed,
            "families": [one.family for one in read],
            "reasons": [one.chosen_by for one in read], "warnings": warned,
        }  # fmt: skip

    say_curves(arguments, document, result._view, read, warned, seed)
