"""``betaroc selftest``: numbers of this machine beside references."""

from __future__ import annotations

import math
import platform
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy

from betaroc.cli.messages import examples, say
from betaroc.cli.options import form_options
from betaroc.core.special import log_beta, share_ends
from betaroc.distributions.beta import Beta
from betaroc.fits.fit import fit_distribution
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import version
from betaroc.rendering.tree import Column, Paragraph, apart, recorded
from betaroc.rendering.tree_text import records

_REQUIRED = 10


def _tails(a: float, b: float, x: float) -> list[Any]:
    law = Beta(a, b)
    return [law.cdf(x), law.sf(x), law.logsf(x)]


def _measures(a: float, b: float, c: float, d: float) -> list[Any]:
    pair = ScoreModel(Beta(a, b), Beta(c, d))
    return [pair.auc(), pair.ks(), pair.eer().hter]


#: Names of numbers, what computes them, and of each call arguments and values at 60 digits.
REFERENCES: list[tuple[tuple[str, ...], Callable[..., Sequence[Any]], tuple[Any, ...]]] = [
    (("log of the beta function",), lambda a, b: [log_beta(a, b)], (
        (6.8452, 2.23767, -4.3733467620779898), (225.496, 13.6941, -52.817496552366364),
        (0.0387527, 3462.4, 2.9135804453166423), (11742.1, 1.72158, -16.223992349056417))),
    (("lower tail of a beta distribution", "upper tail", "log of the upper tail"), _tails, (
        (0.05, 0.05, 0.999999686377, 0.7626138581255191, 0.23738614187448087, -1.4380671730913883),
        (103.918, 5.17547, 0.98504, 0.9812645162926368, 0.018735483707363176, -3.9773360286890345),
        (0.001, 0.001, 0.00389221, 0.4972360459026264, 0.5027639540973736, -0.6876344951752723),
        (0.0499348, 131.794, 0.99775598, 1.0, 0.0, -811.4814825763816553))),
    (("AUC", "KS", "EER"), _measures, (
        (0.47, 0.36, 0.22, 0.39, 0.667919383505471, 0.2541605059790784, 0.3826253595734196),
        (3.27, 0.67, 0.71, 5.04, 0.9951872835450932, 0.9309552782558085, 0.03464033181259596),
        (5.0, 0.001, 4.0, 0.002, 0.6668334064015775, 0.2501253554927992, 0.38188038063308344))),
    (("exact binomial interval, lower end", "upper end"), share_ends, (
        (0, 33548, 0.05, 0.0, 8.929290934596006e-05),
        (185, 230, 0.025, 0.747103428758273004, 0.8535639806173202998),
        (6, 3418, 0.0005, 0.0002831361666335576487, 0.005564173310668570899))),
    (("fit of a beta distribution, a", "b"),
        lambda *scores: [*fit_distribution(scores, "beta").params.values()], (
        (0.98271381437067, 0.8804848305697129, 0.5468882183106908, 0.027552685732674245,
         0.6920549588623784, 0.9532225349602301, 0.3311090904612558, 0.04581436103157885,
         0.9433652865082469, 0.8766490353243497, 0.71882732203893096, 0.50898729794175021),)),
]  # fmt: skip


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    codes = "Exit code 0: every number has the digits required; 1: some have fewer."
    examples(parser, "betaroc selftest", "betaroc selftest --json", rest=codes)
    form_options(parser)


def run(arguments: Namespace) -> int:
    """Compute, and say the digits reached; the exit code."""
    rows: list[tuple[str, int, float]] = []
    for names, compute, calls in REFERENCES:
        digits = zip(names, _digits(compute, calls, len(names)), strict=True)
        rows += [(name, len(calls), reached) for name, reached in digits]
    table = recorded((Column("number", "number"), Column("numbers", "n"),
                      Column("digits", "correct digits", "{:.1f}".format)), rows)  # fmt: skip
    missed = [name for name, _, reached in rows if reached < _REQUIRED]
    versions = {"python": platform.python_version(), "betaroc": version(),
                "numpy": np.__version__, "scipy": scipy.__version__,
                "platform": platform.platform()}  # fmt: skip
    verdict = f"Every number has at least {_REQUIRED} correct decimal digits."
    if missed:
        verdict = f"Fewer than {_REQUIRED} correct decimal digits of {', '.join(missed)}: report it"
    document = {"passed": not missed, "required": _REQUIRED, "versions": versions}
    words = (
        Paragraph(text, "given") for text in (verdict, ", ".join(map(" ".join, versions.items())))
    )
    say(arguments, lambda: document | {"groups": records(table.kept)}, lambda: apart(table, *words))
    return int(bool(missed))


def _digits(compute: Callable[..., Any], calls: Sequence[Any], n: int) -> list[float]:
    """Correct digits of each number in the worst call."""
    try:
        values = np.array([compute(*call[:-n]) for call in calls], dtype=np.float64)
    except Exception:  # noqa: BLE001  what is broken may raise anything
        return [-math.inf] * n
    references = np.array([call[-n:] for call in calls])
    errors = np.abs(values - references) / np.maximum(np.abs(references), 1e-300)
    worst = np.where(np.isnan(errors), np.inf, np.maximum(errors, 1e-16)).max(axis=0)
    return [float(digits) for digits in -np.log10(worst)]
