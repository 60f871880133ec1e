"""What pictures over the criterion's alpha share: axes, zones, intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc._thresholds import FloatArray
from betaroc.analysis.epc import is_rate, measure_title
from betaroc.criteria import CRITERIA
from betaroc.measures import MEASURES
from betaroc.plot.style import named, rate_axis

if TYPE_CHECKING:
    from betaroc.expected_performance import Epc

__all__ = ["axes_of_a_curve", "draw_interval", "zones"]

#: Half the width that a zone has where the curve has one alpha alone.
_ALONE = 0.01


def axes_of_a_curve(ax: Any, epc: Epc) -> None:
    """Labels of alpha and of the measure, per cent where they are rates."""
    named(ax, CRITERIA[epc.criterion].axis, f"{measure_title(epc)} on test")
    if is_rate(epc.measure):
        rate_axis(ax.yaxis)
    if CRITERIA[epc.criterion].single:
        ax.set_xticks([])
    elif epc.criterion in MEASURES:  # a target; the others' alpha is a weight
        rate_axis(ax.xaxis)


def zones(alpha: FloatArray, there: Any) -> list[tuple[float, float]]:
    """Runs of alphas, each reaching half way to its neighbours."""
    middle = 0.5 * (alpha[1:] + alpha[:-1])
    ends = alpha[[0, -1]] if alpha.size > 1 else alpha[[0, 0]] + (-_ALONE, _ALONE)
    edges = np.concatenate([ends[:1], middle, ends[1:]])
    steps = np.diff(np.concatenate([[0], np.asarray(there, dtype=np.int8), [0]]))
    starts, stops = np.nonzero(steps == 1)[0], np.nonzero(steps == -1)[0]
    return [(float(edges[k]), float(edges[m])) for k, m in zip(starts, stops, strict=True)]


def draw_interval(
    ax: Any, alpha: FloatArray, low: FloatArray, high: FloatArray, colour: Any, *, label: str
) -> None:
    """Filled between neighbours, upright where an alpha has none; what is undefined is a gap."""
    there = np.isfinite(low) & np.isfinite(high)
    beside = np.concatenate([[False], there, [False]])
    alone = there & ~beside[:-2] & ~beside[2:]
    if alone.any():
        ax.vlines(alpha[alone], low[alone], high[alone], color=colour, alpha=0.6, linewidth=1.4,
                  label=label, gid="band")  # fmt: skip
    together = there & ~alone
    if together.any():
        ax.fill_between(alpha, low, high, where=together, color=colour, alpha=0.2, linewidth=0.0,
                        label="_nolegend_" if alone.any() else label, gid="band")  # fmt: skip
