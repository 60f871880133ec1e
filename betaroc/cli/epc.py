"""``betaroc epc``: the expected performance curve of systems, and a band of one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any

from betaroc.cli.curves import curve_options, draw_curves, say_curves, system_curves
from betaroc.cli.inputs import files_of
from betaroc.cli.messages import ProgressBar, examples, messages
from betaroc.cli.options import (
    band_arguments,
    band_options,
    checked_picture,
    score_options,
    tail_options,
)
from betaroc.cli.systems import SystemFiles, named_systems, system_options
from betaroc.core.errors import InputError
from betaroc.core.notices import collected
from betaroc.decision.curve_view import curve_numbers, curve_view, curves_view
from betaroc.rendering.picture_files import save_picture
from betaroc.rendering.tree import Node


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc epc --dev dev.csv --test eval.csv -o epc.svg",
        "betaroc epc --dev dev.csv --test eval.csv --criterion far --measure frr --alpha 0.01 0.05",
        "betaroc epc --dev dev.csv --test eval.csv --band both --level 0.9 --json",
        "betaroc epc --system mlp dev.csv eval.csv --system svm dev_b.csv eval_b.csv -o e.svg",
    )
    parser.add_argument("--dev", metavar="DEV", help="scores to choose on")
    parser.add_argument("--test", metavar="TEST", help="scores to observe the errors on")
    system_options(parser)
    curve_options(parser)
    band_options(parser)
    score_options(parser, "empirical", dev="DEV", test="TEST")
    tail_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Compute the curve, and say or draw it."""
    systems = named_systems(arguments, tests=(1, 1))
    paths = [path for one in systems for path in (one.dev, *one.tests)]
    if not systems:
        dev, test = (files_of(arguments, role) for role in ("dev", "test"))
        if not test:
            raise InputError(
                "--test must name a score file. Give --dev DEV --test TEST, or any number of"
                " --system NAME DEV TEST."
            )
        systems, paths = [SystemFiles("", arguments.dev, (arguments.test,))], dev + test
    several = len(systems) > 1
    banded = band_arguments(arguments, len(systems))
    checked_picture(arguments, paths)
    with collected() as notices, ProgressBar(2 * len(systems) + 1) as step:
        named = arguments.band == "both"
        found = system_curves(systems, arguments, step, notices, dev_named=named)
        first, curve = found[0], found[0].curve
        band = curve.band(**banded) if banded else None
        if arguments.output is not None:
            scale = "log" if arguments.log else "linear"
            draw = partial(curve.plot, band=band, expected=True, a_posteriori=True, scale=scale,
                           terms=arguments.terms)  # fmt: skip
            save_picture(partial(draw_curves, found, arguments) if several else draw,
                         arguments.output)  # fmt: skip
        step()
    first.warnings.extend(messages(notices, arguments))
    seed = banded["rng"] if banded and band is not None and band.replicates else None

    def document() -> Any:
        entries = []
        for one in found:
            entry: dict[str, Any] = {"system": one.name} if several else {}
            entry |= curve_numbers(one.curve, band) | one.numbers
            if band is not None:
                entry["band"]["seed"] = seed
            by = {"family": one.family, "reason": one.chosen_by, "warnings": one.warnings}
            entries.append(entry | by)
        return entries if several else entries[0]

    def tree() -> Sequence[Node]:
        by_name = {one.name: one.curve for one in found}
        return curves_view(by_name) if several else curve_view(curve, band)

    say_curves(arguments, document, tree, found, [w for one in found for w in one.warnings], seed)
