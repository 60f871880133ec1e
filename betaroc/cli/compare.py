"""``betaroc compare``: systems on test, by thresholds of dev."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from betaroc.cli.curves import (
    comparison_options,
    curve_options,
    draw_both,
    say_curves,
    system_curves,
    two_systems,
)
from betaroc.cli.messages import ProgressBar, examples, messages
from betaroc.cli.options import (
    checked_picture,
    interval_arguments,
    score_options,
    tail_options,
)
from betaroc.cli.systems import named_systems, system_options
from betaroc.core.errors import InputError
from betaroc.core.notices import collected
from betaroc.core.text import shown
from betaroc.decision.comparison import Comparison, compare
from betaroc.decision.comparison_view import comparison_numbers, systems_numbers
from betaroc.decision.systems import SystemsComparison, compare_systems
from betaroc.rendering.picture_files import save_picture


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc compare --dev dev.csv dev_b.csv --test eval.csv eval_b.csv --name A B -o c.svg",
        "betaroc compare --dev dev.csv dev_b.csv --test eval.csv eval_b.csv --resample test --json",
        "betaroc compare --system mlp dev.csv eval.csv --system svm dev_b.csv eval_b.csv --csv",
    )
    system_options(parser)
    comparison_options(parser)
    curve_options(parser)
    score_options(parser, "empirical")
    tail_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Compare, and say or draw it."""
    systems = named_systems(arguments, tests=(1, 1)) or two_systems(arguments)
    if len(systems) < 2:
        raise InputError(
            f"--system must name at least two systems; got {shown(systems[0].name)} alone. Name the"
            " other, or see betaroc epc."
        )
    checked_picture(arguments, [path for one in systems for path in (one.dev, *one.tests)])
    level, seed = interval_arguments(arguments)
    paired, resample = not arguments.unpaired, arguments.resample
    if arguments.id is not None and not paired:
        raise InputError(
            "--id says which trials of the systems belong together; with --unpaired none do. Leave"
            " one of them out."
        )
    options: dict[str, Any] = {"resample": resample, "paired": paired, "level": level,
                               "replicates": arguments.replicates, "rng": seed}  # fmt: skip
    with collected() as notices, ProgressBar(2 * len(systems) + 2) as step:
        found = system_curves(systems, arguments, step, notices, dev_named=resample == "both",
                              paired=paired)  # fmt: skip
        curves = {one.name: one.curve for one in found}
        result: Comparison | SystemsComparison
        result = (compare(*curves.values(), **options) if len(curves) == 2
                  else compare_systems(curves, **options))  # fmt: skip
        step()
        if arguments.output is not None:
            scale = "log" if arguments.log else "linear"
            draw = partial(draw_both, result) if isinstance(result, Comparison) else result.plot
            save_picture(partial(draw, scale=scale, terms=arguments.terms), arguments.output)
        step()
    warned = [text for one in found for text in one.warnings] + messages(notices, arguments)

    def document() -> dict[str, Any]:
        further = {"sources": [one.numbers for one in found], "seed": seed,
                   "families": [one.family for one in found],
                   "reasons": [one.chosen_by for one in found], "warnings": warned}  # fmt: skip
        if isinstance(result, Comparison):
            return comparison_numbers(result) | further
        return systems_numbers(result) | further

    say_curves(arguments, document, result._view, found, warned, seed)
