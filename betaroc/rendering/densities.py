"""Scores and their distributions: bars, densities, ordered scores, and the rates of tails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.rendering.style import (
    CLIENT,
    GREY,
    IMPOSTOR,
    Axes,
    begun,
    draw_curve,
    finished,
    line_style,
)

#: Room beside the scale, as a share of it, so that what happens at an end is seen.
_ROOM = 0.03


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


class ClassPicture(NamedTuple):
    """One class as it is drawn: bars of its scores, the density over them, or one of the two."""

    limits: tuple[float, float]
    #: Of the bars, which divide the limits; none without scores.
    heights: FloatArray
    density: Density | None
    #: Properties of the line; bars and stems have its colour and label.
    style: Mapping[str, Any]


def draw_classes(ax: Axes | None, classes: Sequence[ClassPicture], bins: int) -> Axes:
    """Bars and densities on what the axes show: a stem of mass p is as high as a bar holding p."""
    ax, empty = begun(ax)
    frames = [] if empty else [(*ax.get_xlim(), ax.get_ylim()[1])]
    for limits, heights, density, style in classes:
        look = line_style(style)
        colour, width = look.get("color", CLIENT), (limits[1] - limits[0]) / bins
        if heights.size:
            edges = np.linspace(*limits, bins + 1)[:-1]
            ax.bar(edges, heights, width, align="edge", color=colour, alpha=0.32,
                   edgecolor="white", linewidth=0.5, label=look.get("label"))  # fmt: skip
            look["label"] = "_nolegend_"
        if density is not None:
            if density.x.size:
                draw_curve(ax, density.x, density.y, look)
            _stems(ax, density, width, colour)
        top = max(1.1 * float(heights.max(initial=0.0)), density.height if density else 0.0)
        room = _ROOM * (limits[1] - limits[0])
        frames.append((limits[0] - room, limits[1] + room, 1.15 * (top or 1.0)))
    low, high, top = np.transpose(frames)
    if not empty:
        ax.autoscale()
    return finished(ax, "score", "density", frame=((low.min(), high.max()), (0.0, top.max())))


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


CLASS_COLOURS = {"client": CLIENT, "impostor": IMPOSTOR}
#: An interval is grey on every picture: a hue is a class.
BAND: dict[str, Any] = {
    "color": GREY, "alpha": 0.2, "linewidth": 0.0, "label": "_nolegend_", "gid": "band",
}  # fmt: skip
