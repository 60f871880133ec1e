"""``betaroc epc``: the expected performance curve of a system, and its band."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

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
from betaroc.core import checks
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, passed_on
from betaroc.rendering.picture_files import save_picture
from betaroc.report.epc import epc_csv, epc_numbers, epc_text
from betaroc.report.intervals import coarse_words
from betaroc.report.numbers import as_json

__all__ = ["add_options", "run"]

#: Bootstrap replicates unasked. A choice of dev made again costs more than counts of test.
_REPLICATES = {"test": 10_000, "both": 1000}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    option = parser.add_argument
    option("--dev", required=True, metavar="DEV", help="scores to choose on")
    option("--test", required=True, metavar="TEST", help="scores to meet")
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
    score_options(parser, "empirical")
    tail_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Compute the curve, and say or draw it."""
    banded = _band_arguments(arguments)
    checked_picture(arguments, [arguments.dev, arguments.test])
    with collected() as notices, ProgressBar(3) as step:
        dev = read_file(arguments.dev, arguments, step, named=arguments.band == "both")
        test = read_file(arguments.test, arguments, step)
        with passed_on("dev and test: "):
            chosen = family_of(arguments.family, [dev, test])
        system = curve_of(arguments, chosen, dev, test, "")
        curve = system.curve
        band = None if banded is None else curve.band(**banded)
        drawn = band is not None and band.replicates > 0
        if arguments.output is not None:
            draw = partial(curve.plot, band=band, expected=True, a_posteriori=True)
            save_picture(draw, arguments.output)
        step()
    said = messages(notices, arguments)
    seed = banded["rng"] if banded is not None and drawn else None
    if arguments.json:
        numbers = epc_numbers(curve, dev, test, band)
        if band is not None:
            numbers["band"]["seed"] = seed
        by = {"family": system.family, "reason": system.chosen_by, "warnings": said}
        sys.stdout.write(as_json(numbers | by))
        return
    if arguments.csv:
        said += coarse_words([("dev", dev), ("test", test)])
        sys.stdout.write(epc_csv(curve, dev, test, band, seed))
    else:
        text = epc_text(curve, dev, test, system.chosen_words, band, seed)
        sys.stdout.write(text + "\n")
    say_warnings(said)


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
