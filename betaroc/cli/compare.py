"""``betaroc compare``: systems on test, by thresholds of dev."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Any

from betaroc.cli import options
from betaroc.cli.curves import curve_options, draw_picture, say_curves, system_curves
from betaroc.cli.messages import examples, messages, progress_bar
from betaroc.cli.systems import named_systems, two_systems
from betaroc.core.errors import refusal
from betaroc.core.notices import collected
from betaroc.core.text import format_value
from betaroc.decision import comparison


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc compare --dev dev.csv dev_b.csv --test eval.csv eval_b.csv --name A B -o c.svg",
        "betaroc compare --system mlp dev.csv eval.csv --system svm dev_b.csv eval_b.csv --csv",
    )
    option, rare = options.adders(parser)
    files = partial(option, action="extend")
    files("--dev DEV ...", "two files to choose on, one per system; --unpaired: or one", default=[])
    files("--test TEST ...", "two files, one per system: the same trials in one order", default=[])
    files("--name NAME ...", "names of the systems (default: what differs in the names of files)")
    option("--resample SETS", "test alone, or both: dev chooses again too (default: %(default)s)",
           choices=("both", "test"), default="both")  # fmt: skip
    option("--unpaired", "the systems judge different test trials")
    options.shared(parser, "--system", "--systems", "--level", "--seed", "--group")
    rare("--replicates N", "bootstrap replicates (default: 2000; 400 where each makes a fit)")
    curve_options(parser)
    options.score_options(parser, "empirical", dev=False, test=False)


def run(arguments: Namespace) -> None:
    """Compare, and say or draw it."""
    systems = named_systems(arguments, tests=(1, 1)) or two_systems(arguments)
    if len(systems) < 2:
        raise refusal("--system", "name at least two systems", format_value(systems[0].name))
    options.check_picture(arguments, [path for system in systems for path in system.paths])
    level, seed = options.interval_arguments(arguments)
    if arguments.unpaired:
        options.refuse(arguments, ("id",), "not stand beside --unpaired: it says which trials of"
                       " the systems belong together")  # fmt: skip
    judged = {"resample": arguments.resample, "paired": not arguments.unpaired, "level": level,
              "replicates": arguments.replicates, "rng": seed}  # fmt: skip
    with collected() as notices, progress_bar(2 * len(systems) + 2) as step:
        both = arguments.resample == "both"
        read = system_curves(systems, arguments, step, notices, dev_named=both)
        curves = {system.name: system.curve for system in read}
        result: Any = (comparison.compare(*curves.values(), **judged) if len(curves) == 2
                       else comparison.compare_systems(curves, **judged))  # fmt: skip
        step()
        both_curves = partial(comparison.draw_both, result)
        draw_picture(arguments, both_curves if len(curves) == 2 else result.plot)
        step()
    read[-1].warnings.extend(messages(notices, arguments))

    def document() -> dict[str, Any]:
        return comparison.comparison_numbers(result) | {
            "sources": [system.numbers for system in read], "seed": seed,
            "families": [system.family for system in read],
            "reasons": [system.reason for system in read],
            "warnings": [text for system in read for text in system.warnings],
        }  # fmt: skip

    say_curves(arguments, document, result._view, read, seed)
