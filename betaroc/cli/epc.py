"""``betaroc epc``: expected performance curves."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Any

from betaroc.cli import options
from betaroc.cli.curves import curve_options, draw_picture, say_curves, system_curves
from betaroc.cli.messages import examples, messages, progress_bar
from betaroc.cli.systems import called_systems
from betaroc.core.notices import collected
from betaroc.decision.curve import curve_numbers, curve_view, curves_view, draw_epcs

#: Bootstrap replicates of a band unasked. A choice of dev made again costs more than test's counts.
_REPLICATES = {"test": 10_000, "both": 1000}


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc epc --dev dev.csv --test eval.csv -o epc.svg",
        "betaroc epc --dev dev.csv --test eval.csv --criterion far --measure frr --alpha 0.01 0.05",
        "betaroc epc --dev dev.csv --test eval.csv --band both --level 0.9 --json",
    )
    option, rare = options.adders(parser)
    option("--dev DEV", "scores to choose on")
    option("--test TEST", "scores to observe the errors on")
    curve_options(parser)
    option("--band SETS", "interval of the curve: by test alone, or by both: dev chooses again too",
           choices=tuple(_REPLICATES))  # fmt: skip
    options.shared(parser, "--system", "--systems", "--level", "--seed", "--group")
    rare("--replicates N", "bootstrap replicates (default: 10000 with --band test, else 1000)")
    rare("--simultaneous", "one band for the whole curve instead of an interval at each alpha")
    options.score_options(parser, "empirical")


def _band(arguments: Namespace, systems: int) -> dict[str, Any] | None:
    if arguments.band is None:
        options.refuse(arguments, ("level", "seed", "replicates", "group", "simultaneous"),
                       "stand beside --band, whose interval it is about")  # fmt: skip
        return None
    if systems > 1:
        options.refuse(arguments, ("band",), f"stand with one system; the call has {systems}",
                       "Draw it of each, or see what differs with betaroc compare.")  # fmt: skip
    level, seed = options.interval_arguments(arguments)
    replicates = arguments.replicates
    return {
        "level": level, "resample": arguments.band, "simultaneous": arguments.simultaneous,
        "replicates": _REPLICATES[arguments.band] if replicates is None else replicates,
        "rng": seed,
    }  # fmt: skip


def run(arguments: Namespace) -> None:
    """Compute the curve, and say or draw it."""
    systems = called_systems(arguments, tests=(1, 1))
    several = len(systems) > 1
    banded = _band(arguments, len(systems))
    options.check_picture(arguments, [path for system in systems for path in system.paths])
    with collected() as notices, progress_bar(2 * len(systems) + 1) as step:
        named = arguments.band == "both"
        curves = system_curves(systems, arguments, step, notices, dev_named=named)
        curve = curves[0].curve
        by_name = {system.name: system.curve for system in curves}
        band = curve.band(**banded) if banded else None
        alone = partial(curve.plot, band=band, expected=True, a_posteriori=True)
        draw_picture(arguments, partial(draw_epcs, by_name) if several else alone)
        step()
    curves[0].warnings.extend(messages(notices, arguments))
    seed = banded["rng"] if banded and band is not None and band.replicates else None

    def document() -> Any:
        entries = []
        for system in curves:
            entry: dict[str, Any] = {"system": system.name} if several else {}
            entry |= curve_numbers(system.curve, band) | system.numbers
            if band is not None:
                entry["band"]["seed"] = seed
            by = {"family": system.family, "reason": system.reason, "warnings": system.warnings}
            entries.append(entry | by)
        return entries if several else entries[0]

    say_curves(arguments, document, lambda: [*curves_view(by_name)] if several
               else curve_view(curve, band), curves, seed)  # fmt: skip
