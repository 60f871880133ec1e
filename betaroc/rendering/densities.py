"""One class's scores and their distribution: bars, densities, ordered scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.rendering.style import CLIENT, GREY, IMPOSTOR, Axes, begun, draw_curve, finished

__all__ = ["Density", "Ordered", "draw_density", "draw_histogram", "draw_ordered"]

#: Room beside the scale, as a share of it, so that what happens at an end is seen.
_ROOM = 0.03
#: Room around ordered scores.
_ROOM_AROUND = 0.04


class Density(NamedTuple):
    """A distribution as it is drawn."""

    #: The density along its line, without points where there is none.
    x: FloatArray
    y: FloatArray
    #: Point masses, of which each is a stem: where, and how much.
    places: FloatArray
    masses: FloatArray
    #: Ends of the scale, which may be infinite.
    support: tuple[float, float]
    #: A height that shows the density.
    height: float


class Ordered(NamedTuple):
    """Ordered scores of a class against what is expected of them, with a band."""

    name: str
    expected: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray


def draw_histogram(
    ax: Axes | None,
    heights: FloatArray,
    edges: FloatArray,
    density: Density | None,
    style: Mapping[str, Any],
) -> Axes:
    """Bars, and a density over them: a stem of mass p is as high as a bar holding p."""
    ax, empty = begun(ax)
    colour = style.get("color", CLIENT)
    width = float(edges[1] - edges[0])
    ax.bar(edges[:-1], heights, width, align="edge", color=colour, alpha=0.32, edgecolor="white",
           linewidth=0.5, label=style.get("label"))  # fmt: skip
    if density is not None:
        if density.x.size:
            ax.plot(density.x, density.y, color=colour, linewidth=1.6)
        _stems(ax, density, width, colour)
    top = 1.25 * max(float(heights.max()), 0.0 if density is None else density.height)
    frame = (_with_room(float(edges[0]), float(edges[-1])), (0.0, top)) if empty else None
    return finished(ax, "score", "density", frame=frame)


def draw_density(
    ax: Axes | None, density: Density, limits: tuple[float, float], style: Mapping[str, Any]
) -> Axes:
    """A density over what the axes show, its stems as high as bars of a twentieth of the scale."""
    ax, empty = begun(ax)
    low, high = limits
    if density.x.size:
        draw_curve(ax, density.x, density.y, style)
    _stems(ax, density, 0.05 * (high - low), style.get("color", CLIENT))
    top = 1.15 * (density.height or 1.0)
    if not empty:
        top = max(top, ax.get_ylim()[1])
        low, high = min(low, ax.dataLim.x0), max(high, ax.dataLim.x1)
    ax.set(xlim=_with_room(low, high), ylim=(0.0, top))
    return finished(ax, "score", "density")


def _with_room(low: float, high: float) -> tuple[float, float]:
    margin = _ROOM * (high - low)
    return low - margin, high + margin


def _stems(ax: Axes, density: Density, width: float, colour: str) -> None:
    """Point masses, each named."""
    low, high = density.support
    for place, mass in zip(density.places.tolist(), density.masses.tolist(), strict=True):
        ax.plot([place, place], [0.0, mass / width], color=colour, linewidth=2.6, marker="o",
                markevery=[1], markersize=5, clip_on=True, solid_capstyle="butt")  # fmt: skip
        left = bool(place - low < high - place)
        ax.annotate(
            f"P(S = {place:g}) = {100.0 * mass:.3g} %",
            (0.07 if left else 0.93, 0.97 - 0.07 * len(ax.texts)), xycoords="axes fraction",
            ha="left" if left else "right", va="top", fontsize=8, color=colour, parse_math=False,
        )  # fmt: skip


# --------------------------------------------------------------------- ordered scores
def draw_ordered(
    ax: Axes | None, classes: Sequence[Ordered], axes: tuple[str, str], *, rates: bool
) -> Axes:
    """Client and impostor points over their bands, on one scale with its diagonal."""
    ax, empty = begun(ax, square=True)
    for ordered, colour in zip(classes, (CLIENT, IMPOSTOR), strict=True):
        ax.fill_between(
            ordered.expected, ordered.low, ordered.high, color=colour, alpha=0.18, linewidth=0.0,
            label="_nolegend_",
        )  # fmt: skip
        ax.plot(
            ordered.expected, ordered.observed, linestyle="none", marker="o", markersize=2.4,
            color=colour, markeredgewidth=0.0, label=ordered.name,
        )  # fmt: skip
    frame = None
    if empty:
        drawn = np.concatenate([v for one in classes for v in (one.expected, one.observed)])
        limits = (0.0, 1.0) if rates or not drawn.size else (float(drawn.min()), float(drawn.max()))
        room = _ROOM_AROUND * max(limits[1] - limits[0], 1e-12)
        frame = ((limits[0] - room, limits[1] + room),) * 2
        ax.plot(*frame, color=GREY, linewidth=0.8, linestyle=":", gid="same", zorder=1.0)
    return finished(ax, *axes, rates="xy" if rates else "", frame=frame, loc="upper left")
