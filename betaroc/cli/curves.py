"""Expected performance curves of a call: of a system, and of several as one table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.cli.options import fit_options_of, form_options, picture_options, terms_option
from betaroc.cli.systems import reading_words
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import ReversedScoresWarning
from betaroc.core.notices import passed_on
from betaroc.core.terms import name_among
from betaroc.core.text import number
from betaroc.data.scores import ScoreData
from betaroc.decision.curve import axes_of
from betaroc.decision.curve_difference import larger_is_better, way_words
from betaroc.decision.epc import Epc, epc
from betaroc.estimation.families import BEST, Names, family_text, is_of_counts
from betaroc.fits.estimate import fit
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.rendering.alphas import draw_system_panels, draw_systems
from betaroc.rendering.numbers import path_words, visible
from betaroc.rendering.style import Axes
from betaroc.rendering.tree import Grid, Row, Section, Words, apart, as_named
from betaroc.report.epc import alpha_text, axis_words, epc_arrays, measure_words, spread, value_text
from betaroc.report.score_set import warn_of_test


class SystemCurve(NamedTuple):
    """The curve of a system, the family fitted to its dev scores, and why that one."""

    curve: Epc
    family: Names
    reason: str

    @property
    def chosen_by(self) -> str:
        """What thresholds are chosen on."""
        return "dev's scores themselves" if is_of_counts(self.family) else self.reason

    @property
    def chosen_words(self) -> str:
        """The same with the family."""
        if is_of_counts(self.family):
            return self.chosen_by
        single = isinstance(self.family, str)
        what = f"a {self.family} fit" if single else family_text(self.family)
        return f"{what} of dev, {self.reason}"


def curve_of(
    arguments: argparse.Namespace,
    chosen: tuple[Names, str],
    dev: ScoreData,
    test: ScoreData,
    prefix: str,
) -> SystemCurve:
    """The curve by the scores or by their fit, of the family and for the reason ``chosen``."""
    family, reason = chosen
    with passed_on(f"{prefix}dev: "):
        fitted = fit(dev, **fit_options_of(arguments, family))
    # The fit has said it of dev; of test it is said below.
    with passed_on(prefix, but=(ReversedScoresWarning,)):
        curve = epc(
            dev if is_of_counts(family) and arguments.tails is None else fitted,
            test,
            criterion=arguments.criterion,
            measure=arguments.measure,
            alpha=arguments.alpha,
        )
    with passed_on(f"{prefix}test: "):
        warn_of_test(test)
    return SystemCurve(curve, fitted.family, fitted.reason if family == BEST else reason)


def curve_options(parser: argparse.ArgumentParser, measure: str = "hter") -> None:
    """Those of both commands. Unasked, a measure in words is left to the command."""
    option = parser.add_argument
    option("--criterion", default="weighted-error", choices=tuple(CRITERIA), metavar="C",
        type=partial(name_among, options=tuple(CRITERIA)),
        help=f"what a threshold is chosen for: {', '.join(CRITERIA)} (default: weighted-error)."
        " Of a target, such as far, the rate nearest to it on dev is taken, not the nearest at"
        " most it; for a guarantee see br.decide")  # fmt: skip
    measures = (*MEASURES, "weighted-error")
    unasked = measure if measure in measures else None
    option("--measure", default=unasked, choices=measures, metavar="M",
        type=partial(name_among, options=measures),
        help=f"what is counted: {', '.join(measures)} (default: {measure})")  # fmt: skip
    option("--alpha", nargs="+", action="extend", type=number, metavar="A",
        help="the criterion's weights or targets in [0, 1] (default: 0, 0.01, ..., 1)")  # fmt: skip
    form_options(parser, "an alpha")
    picture_options(parser)
    option("--log", action="store_true", help="logarithmic axis of the measure in OUT")
    terms_option(parser)


#: So many systems have a panel each.
PANELS = 8
#: Columns of alphas.
_ALPHAS = 5


class NamedCurve(NamedTuple):
    """A system, its curve, and what was read of it."""

    name: str
    found: SystemCurve
    dev: ScoreData
    test: ScoreData

    @property
    def curve(self) -> Epc:
        """The curve."""
        return self.found.curve


def _every_alpha(curves: Sequence[NamedCurve]) -> dict[str, list[Any]]:
    """A row a system and alpha."""
    found: dict[str, list[Any]] = {"system": []}
    for one in curves:
        arrays = epc_arrays(one.curve)
        found["system"] += [one.name] * one.curve.alpha.size
        for name, values in arrays.items():
            found.setdefault(name, []).extend(values)
    return found


def curves_told(curves: Sequence[NamedCurve]) -> list[Section]:
    """A row a system: its mean over all alphas, and some of these."""
    e = curves[0].curve
    head = ["thresholds chosen on dev, errors observed on test; accepted if score > threshold"]
    for one in curves:
        files = " and ".join(
            path_words(scores.source.path) for scores in (one.dev, one.test) if scores.source
        )
        head.append(f"{visible(one.name)}: {files}; thresholds from {one.found.chosen_words}")
    head += [
        reading_words((one.name, side) for one in curves for side in (one.dev, one.test)),
        f"criterion: {e.criterion}{axis_words(e)}",
        f"measure: {measure_words(e)} on test, {way_words(e.measure)} is better",
    ]
    chosen = np.argsort(e.alpha, kind="stable")[spread(e.alpha.size, _ALPHAS)]
    whole = ["mean"] * (e.alpha.size > 1)
    at = [f"at {alpha_text(e, k)}" if e.alpha.size > 1 else "value" for k in chosen]
    rows = []
    for one in curves:
        values = [*[_mean(one.curve)] * len(whole), *one.curve.value[chosen].tolist()]
        texts = (value_text(one.curve, float(v)) for v in values)
        rows.append(Row((as_named(one.name), *texts)))
    table = Grid(("system", *whole, *at), tuple(rows), kept=_every_alpha(curves))
    notes = [f"mean: over the {e.alpha.size} alphas"] * len(whole)
    notes.append("which differences are more than chance: betaroc compare")
    return apart(Words("\n".join(head), "given"), table, Words("\n".join(notes)))


def _mean(e: Epc) -> float:
    return float(np.mean(e.value))


def draw_curves(curves: Sequence[NamedCurve], arguments: argparse.Namespace) -> Axes:
    """A panel a system; of many the best mean alone in ink."""
    e = curves[0].curve
    axes, log = axes_of(e, "log" if arguments.log else "linear", arguments.terms)
    lines: list[tuple[str, FloatArray]] = [(visible(one.name), one.curve.value) for one in curves]
    if len(lines) <= PANELS:
        return draw_system_panels(e.alpha, lines, axes, log=log)
    sign = -1.0 if larger_is_better(e.measure) else 1.0
    means = [sign * _mean(one.curve) for one in curves]
    order = np.argsort(means, kind="stable")
    return draw_systems(None, e.alpha, [lines[k] for k in order], axes, log=log)
