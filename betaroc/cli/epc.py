"""``betaroc epc``: the expected performance curve of systems, and a band of one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any

from betaroc.cli.curves import (
    NamedCurve,
    curve_of,
    curve_options,
    curves_told,
    draw_curves,
)
from betaroc.cli.inputs import family_of, files_of, read_file
from betaroc.cli.messages import ProgressBar, examples, messages, say
from betaroc.cli.options import (
    checked_picture,
    interval_arguments,
    interval_options,
    score_options,
    tail_options,
)
from betaroc.cli.systems import SystemFiles, named_systems, read_systems, system_options
from betaroc.core import checks
from betaroc.core.class_words import shared_words
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, passed_on
from betaroc.rendering.numbers import visible
from betaroc.rendering.picture_files import save_picture
from betaroc.rendering.tree import Section
from betaroc.report.epc import epc_columns, epc_few_columns, epc_numbers, epc_told
from betaroc.report.intervals import coarse_words

#: Bootstrap replicates unasked. A choice of dev made again costs more than counts of test.
_REPLICATES = {"test": 10_000, "both": 1000}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc epc --dev dev.csv --test eval.csv -o epc.svg",
        "betaroc epc --dev dev.csv --test eval.csv --criterion far --measure frr --alpha 0.01 0.05",
        "betaroc epc --dev dev.csv --test eval.csv --band both --level 0.9 --json",
        "betaroc epc --system mlp dev.csv eval.csv --system svm dev_b.csv eval_b.csv -o e.svg",
    )
    option = parser.add_argument
    option("--dev", metavar="DEV", help="scores to choose on")
    option("--test", metavar="TEST", help="scores to meet")
    system_options(parser)
    curve_options(parser)
    option("--band", choices=("test", "both"),
        help="interval of the curve: test resamples the test trials at dev's thresholds as they"
        " are; both also lets dev choose again")  # fmt: skip
    interval_options(parser, "of the band")
    option("--replicates", type=int, metavar="N",
        help="bootstrap replicates (default:"
        f" {_REPLICATES['test']} for --band test, {_REPLICATES['both']} for --band"
        " both)")  # fmt: skip
    option("--method", choices=("bootstrap", "delta", "exact"),
        help="how the band is found (default: bootstrap); exact is Clopper and Pearson's for a"
        " measure that is one rate, with --band test: the one to take where no error was"
        " seen")  # fmt: skip
    option("--simultaneous", action="store_true",
        help="one band for the whole curve instead of an interval at each alpha")  # fmt: skip
    score_options(parser, "empirical", dev="DEV", test="TEST")
    tail_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Compute the curve, and say or draw it."""
    systems = named_systems(arguments, tests=(1, 1))
    if len(systems) > 1:
        _run_several(systems, arguments)
        return
    if systems:
        _, arguments.dev, (arguments.test,), key = systems[0]
        vars(arguments).update(key)
    files = [files_of(arguments, role) for role in ("dev", "test")]
    if not files[1]:
        raise InputError(
            "--test must name a score file. Give --dev DEV --test TEST, or any number of --system"
            " NAME DEV TEST."
        )
    banded = _band_arguments(arguments)
    checked_picture(arguments, [path for one in files for path in one])
    with collected() as notices, ProgressBar(3) as step:
        dev = read_file(arguments.dev, arguments, step, named=arguments.band == "both")
        test = read_file(arguments.test, arguments, step, is_test=True)
        with passed_on("dev and test: "):
            chosen = family_of(arguments.family, [dev, test])
        system = curve_of(arguments, chosen, dev, test, "")
        curve = system.curve
        band = None if banded is None else curve.band(**banded)
        drawn = band is not None and band.replicates > 0
        if arguments.output is not None:
            draw = partial(
                curve.plot, band=band, expected=True, a_posteriori=True,
                scale="log" if arguments.log else "linear", terms=arguments.terms,
            )  # fmt: skip
            save_picture(draw, arguments.output)
        step()
    said = messages(notices, arguments)
    if arguments.csv:
        said += coarse_words([("dev", dev), ("test", test)])
    seed = banded["rng"] if banded is not None and drawn else None

    def document() -> dict[str, Any]:
        numbers = epc_numbers(curve, dev, test, band)
        if band is not None:
            numbers["band"]["seed"] = seed
        by = {"family": system.family, "reason": system.chosen_by, "warnings": said}
        return numbers | by

    def tree() -> list[Section]:
        kept = epc_few_columns(curve, band)
        if arguments.csv:
            kept = epc_columns(curve, dev, test, band, seed)
        return epc_told(curve, dev, test, system.chosen_words, band, seed, kept)

    say(arguments, document, tree, said, words=shared_words([dev.words, test.words]))


def _band_arguments(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """What the band is made with; options of a band that was not asked for are refused."""
    if arguments.band is None:
        names = ("level", "seed", "group", "replicates", "method", "simultaneous")
        left_out = (None, False)
        asked = [f"--{n}" for n in names if all(getattr(arguments, n) is not x for x in left_out)]
        if asked:
            raise InputError(
                f"{' '.join(asked)} must stand beside --band, whose interval it is about; there is"
                " none. Add --band test or --band both, or leave it out."
            )
        return None
    if arguments.method == "exact" and (arguments.seed, arguments.replicates) != (None, None):
        raise InputError(
            "--method exact draws nothing, so that --seed and --replicates have no meaning beside"
            " it. Leave them out."
        )
    level, seed = interval_arguments(arguments)
    unasked = arguments.replicates is None
    replicates = _REPLICATES[arguments.band] if unasked else arguments.replicates
    return {
        "level": level,
        "resample": arguments.band,
        "replicates": checks.count(replicates, "replicates"),
        "simultaneous": arguments.simultaneous,
        "method": arguments.method or "bootstrap",
        "rng": seed,
    }


# ------------------------------------------------------------------------ several systems
def _run_several(systems: Sequence[SystemFiles], arguments: argparse.Namespace) -> None:
    """The curves of all systems beside each other, without bands."""
    if arguments.band is not None:
        raise InputError(
            f"--band must stand with one system; the call has {len(systems)}. Draw it of each, or"
            " see what differs with betaroc compare."
        )
    _band_arguments(arguments)
    checked_picture(arguments, [path for one in systems for path in (one.dev, *one.tests)])
    curves: list[NamedCurve] = []
    own: list[list[str]] = []
    with collected() as notices, ProgressBar(2 * len(systems) + 1) as step:
        for name, dev, (test,) in read_systems(systems, arguments, step, dev_named=False):
            with passed_on(f"{visible(name)}: dev and test: "):
                chosen = family_of(arguments.family, [dev, test])
            found = curve_of(arguments, chosen, dev, test, f"{visible(name)}: ")
            curves.append(NamedCurve(name, found, dev, test))
            own.append(messages(notices, arguments))
        if arguments.output is not None:
            save_picture(partial(draw_curves, curves, arguments), arguments.output)
        step()
    say(
        arguments,
        lambda: [
            {"system": one.name, **epc_numbers(one.curve, one.dev, one.test),
             "family": one.found.family, "reason": one.found.chosen_by, "warnings": said}
            for one, said in zip(curves, own, strict=True)
        ],
        partial(curves_told, curves),
        [one for said in own for one in said],
        [one.name for one in curves],
        shared_words(side.words for one in curves for side in (one.dev, one.test)),
    )  # fmt: skip
