"""The expected performance curves of several systems as one table and one picture."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.cli.curves import SystemCurve
from betaroc.cli.systems import reading_words
from betaroc.core.arrays import FloatArray
from betaroc.data.scores import ScoreData
from betaroc.decision.curve import axes_of
from betaroc.decision.curve_difference import larger_is_better, way_words
from betaroc.decision.epc import Epc
from betaroc.rendering.alphas import draw_system_panels, draw_systems
from betaroc.rendering.numbers import path_words, visible
from betaroc.rendering.style import Axes
from betaroc.rendering.tree_text import columns
from betaroc.report.epc import alpha_text, axis_words, epc_arrays, measure_words, spread, value_text

__all__ = ["PANELS", "NamedCurve", "curves_table", "named_curves_text", "draw_curves"]

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


def curves_table(curves: Sequence[NamedCurve]) -> dict[str, list[Any]]:
    """A row a system and alpha."""
    found: dict[str, list[Any]] = {"system": []}
    for one in curves:
        arrays = epc_arrays(one.curve)
        found["system"] += [one.name] * one.curve.alpha.size
        for name, values in arrays.items():
            found.setdefault(name, []).extend(values)
    return found


def named_curves_text(curves: Sequence[NamedCurve]) -> str:
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
    rows = [["system", *whole, *at]]
    for one in curves:
        values = [*[_mean(one.curve)] * len(whole), *one.curve.value[chosen].tolist()]
        rows.append([visible(one.name), *(value_text(one.curve, float(v)) for v in values)])
    notes = [f"mean: over the {e.alpha.size} alphas"] * len(whole)
    notes.append("which differences are more than chance: betaroc compare")
    return "\n\n".join(["\n".join(head), columns(rows), "\n".join(notes)])


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
