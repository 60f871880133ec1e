"""What pictures over the criterion's alpha share: axes, zones, intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.text import FINE
from betaroc.core.thresholds import FloatArray
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.rendering.style import named, rate_axis
from betaroc.report.epc import is_rate, measure_title

if TYPE_CHECKING:
    from betaroc.decision.epc import Epc

__all__ = ["axes_of_a_curve", "draw_interval", "marker_of", "zones"]

#: How far a zone reaches where the next alpha is far away.
_ALONE = 0.01
#: Fewer alphas are drawn with a marker each: what joins them was not computed.
_FEW = 12


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
    """Runs of alphas: half way to the next of a fine grid, a little way where it is far."""
    gaps = np.diff(alpha)
    near = gaps <= FINE
    reach = np.where(near, 0.5 * gaps, _ALONE)
    ends = [[0.0 if near[k : k + 1].any() else _ALONE] for k in (0, gaps.size - 1)]
    low = np.maximum(alpha - np.concatenate([ends[0], reach]), 0.0)
    high = np.minimum(alpha + np.concatenate([reach, ends[1]]), 1.0)
    found: list[tuple[float, float]] = []
    for k in np.flatnonzero(there):
        joined = k > 0 and there[k - 1] and near[k - 1]
        start = found.pop()[0] if joined else float(low[k])
        found.append((start, float(high[k])))
    return found


def marker_of(alpha: FloatArray, shape: str = "o") -> dict[str, Any]:
    """Markers where the alphas are few, and no line where there is one alone."""
    if alpha.size >= _FEW:
        return {}
    if alpha.size == 1:
        return {"marker": shape, "markersize": 7.0, "linestyle": "none"}
    return {"marker": shape, "markersize": 4.5}


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
