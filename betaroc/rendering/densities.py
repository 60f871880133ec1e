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
    on_log,
)

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


#: An interval is grey on every picture: a hue is a class.
_BAND: dict[str, Any] = {
    "color": GREY, "alpha": 0.2, "linewidth": 0.0, "label": "_nolegend_", "gid": "band",
}  # fmt: skip


# --------------------------------------------------------------------- ordered scores
def draw_ordered(
    ax: Axes | None, classes: Sequence[Ordered], axes: tuple[str, str], *, rates: bool
) -> Axes:
    """Client and impostor points over their bands, on one scale with its diagonal."""
    ax, empty = begun(ax, square=True)
    for ordered, colour in zip(classes, (CLIENT, IMPOSTOR), strict=True):
        ax.fill_between(ordered.expected, ordered.low, ordered.high, **_BAND)
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


# ------------------------------------------------------------------------------ tails
_COLOURS = {"client": CLIENT, "impostor": IMPOSTOR}


class TailCurve(NamedTuple):
    """The rate of one class against the threshold: counted, fitted, and the tail's interval."""

    who: str
    name: str
    #: Thresholds at scores, and the share of scores beyond each.
    places: FloatArray
    shares: FloatArray
    #: The fitted distribution, and the family without its tail where it has one.
    x: FloatArray
    rate: FloatArray
    without: FloatArray | None
    #: Where the tail begins; none without.
    joint: float | None
    #: The interval beyond it.
    at: FloatArray
    low: FloatArray
    high: FloatArray


class Sized(NamedTuple):
    """A number of a tail by how many scores, with its interval."""

    who: str
    name: str
    sizes: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    #: Sizes of the fitted tail.
    used: tuple[int, ...]


def draw_tails(
    ax: Axes | None, curves: Sequence[TailCurve], x: str, limits: tuple[float, float], least: float
) -> Axes:
    """Rates against thresholds, down to a least rate."""
    ax, empty = begun(ax)
    _on_log(ax, "y", empty=empty)
    for one in curves:
        colour = _COLOURS[one.who]
        if one.at.size:
            ax.fill_between(one.at, one.low.clip(0.1 * least), one.high, **_BAND)
        ax.plot(one.places, one.shares, linestyle="none", marker="o", markersize=2.4,
                color=colour, markeredgewidth=0.0, label=f"{one.name}, counted")  # fmt: skip
        if one.without is not None:
            ax.plot(one.x, one.without, color=colour, linewidth=1.0, linestyle="--",
                    label=f"{one.name}, without the tail")  # fmt: skip
        ax.plot(one.x, one.rate, color=colour, linewidth=1.6, label=f"{one.name}, fitted")
        if one.joint is not None:
            ax.axvline(one.joint, color=colour, linewidth=0.8, linestyle=":", label="_nolegend_")
    return finished(ax, x, "rate", frame=(limits, (least, 1.0)), below=True)


def draw_sized(
    ax: Axes | None, found: Sequence[Sized], y: str, *, expected: float, log: bool
) -> Axes:
    """A number against how many scores the tail has, its intervals, and what is expected of it."""
    ax, empty = begun(ax)
    for letter in "xy" if log else "x":
        _on_log(ax, letter, empty=empty)
    if empty:
        ax.axhline(expected, color=GREY, linewidth=0.8, linestyle=":", gid="same", zorder=1.0)
    for one in found:
        colour = _COLOURS[one.who]
        ax.fill_between(one.sizes, one.low, one.high, **_BAND)
        ax.plot(one.sizes, one.estimate, color=colour, linewidth=1.6, label=one.name)
        for size in one.used:
            ax.axvline(size, color=GREY, linewidth=0.8, linestyle="--", label="_nolegend_")
    for axis in [ax.xaxis, ax.yaxis][: 1 + log] if empty else ():
        _plain_ticks(axis)
    return finished(ax, "scores beyond the joint", y, below=True)


def _on_log(ax: Axes, letter: str, *, empty: bool) -> None:
    """A log scale of empty axes, with ticks of its own, which others must have."""
    if empty:
        getattr(ax, f"set_{letter}scale")("log")
    else:
        on_log(ax, letter, empty=False)


def _plain_ticks(axis: Any) -> None:
    """1, 2, 5 a decade on a log scale, as they are written by hand."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
