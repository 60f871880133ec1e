"""Histograms of scores and densities of distributions, of one class or of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.distributions.base import Distribution
from betaroc.rendering.style import (
    CLIENT,
    IMPOSTOR,
    Axes,
    begun,
    draw_curve,
    finished,
    line_style,
)

#: Beyond it the differences that axes are made of leave the doubles.
_WIDEST = 1e300
#: Room beside the scale, as a share of it, so that what happens at an end is seen.
_ROOM = 0.03


def plot_classes(
    ax: Axes | None,
    classes: Sequence[Sequence[Distribution]],
    styles: Sequence[Mapping[str, Any]],
    *,
    bins: int = 20,
    limits: tuple[float, float] | None = None,
) -> Axes:
    """Draw of each class what its distributions are: bars of a sample, else a density.

    The bars' area is the share of the scores they hold. Point masses beside a density are stems,
    and the scores there in no bar.
    """
    bins = checks.count(bins, "bins")
    pairs = [(_first_of(laws, sample=True), _first_of(laws, sample=False)) for laws in classes]
    places = [sample.atoms.places for sample, _ in pairs if sample is not None]
    common = limits or score_frame(*(places or [np.array([0.0, 1.0])]))
    ends = [common if law is None or sample is not None else _range(law) for sample, law in pairs]
    ax, empty = begun(ax)
    frames = [] if empty else [(*ax.get_xlim(), ax.get_ylim()[1])]
    for (sample, law), (low, high), style in zip(pairs, ends, styles, strict=True):
        look, top = line_style(style), 0.0
        colour, width = look.get("color", CLIENT), (high - low) / bins
        if sample is not None:
            edges = np.linspace(low, high, bins + 1)
            heights = bar_heights(sample, law, edges)
            ax.bar(edges[:-1], heights, width, align="edge", color=colour, alpha=0.32,
                   edgecolor="white", linewidth=0.5, label=look.get("label"))  # fmt: skip
            look["label"], top = "_nolegend_", 1.1 * float(heights.max())
        if law is not None:
            x, y = density_of(law, low, high)
            if x.size:
                draw_curve(ax, x, y, look)
            _draw_stems(ax, law, width, colour)
            top = max(top, typical(law))
        room = _ROOM * (high - low)
        frames.append((low - room, high + room, 1.15 * (top or 1.0)))
    lows, highs, tops = np.transpose(frames)
    if not empty:
        ax.autoscale()
    frame = (lows.min(), highs.max()), (0.0, tops.max())
    return finished(ax, "score", "density", frame=frame)


def _draw_stems(ax: Axes, law: Distribution, width: float, colour: str) -> None:
    """Point masses, each named; a stem of mass p is as high as a bar that holds p."""
    low, high = law.support
    for place, mass in zip(law.atoms.places.tolist(), law.atoms.masses.tolist(), strict=True):
        ax.plot([place, place], [0.0, mass / width], color=colour, linewidth=2.6, marker="o",
                markevery=[1], markersize=5, clip_on=True, solid_capstyle="butt")  # fmt: skip
        left = bool(place - low < high - place)
        ax.annotate(
            f"P(S = {place:g}) = {100.0 * mass:.3g} %",
            (0.07 if left else 0.93, 0.97 - 0.07 * len(ax.texts)), xycoords="axes fraction",
            ha="left" if left else "right", va="top", fontsize=8, color=colour, parse_math=False,
        )  # fmt: skip


def class_styles(style: Mapping[str, Any], client: str, impostor: str) -> list[dict[str, Any]]:
    """Properties of the lines of both classes, each in its colour and by its name."""
    look = line_style(style)
    return [
        {"color": CLIENT, "label": client, **look},
        {"color": IMPOSTOR, "label": impostor, **look},
    ]


def _first_of(laws: Sequence[Distribution], *, sample: bool) -> Distribution | None:
    """The first that is a sample, or is none; of the trials that have a score."""
    return next((law._scored for law in laws if (law.continuous is None) == sample), None)


def bar_heights(sample: Distribution, law: Distribution | None, edges: FloatArray) -> FloatArray:
    """Of bars whose area is the share of the scores they hold, but for those on point masses."""
    places, masses = sample.atoms.places, sample.atoms.masses
    if law is not None:
        masses = np.where(np.isin(places, law.atoms.places), 0.0, masses)
    return np.asarray(np.histogram(places, edges, weights=masses)[0] / (edges[1] - edges[0]))


def score_frame(*samples: FloatArray) -> tuple[float, float]:
    """[0, 1] where all scores lie in it, else the range that holds them."""
    low, high = min(float(s.min()) for s in samples), max(float(s.max()) for s in samples)
    _refuse_too_wide(low, high)
    if 0.0 <= low and high <= 1.0:
        return 0.0, 1.0
    if low == high:
        room = max(abs(low), 1.0) * 0.5
        return low - room, high + room
    return low, high


def _refuse_too_wide(low: float, high: float) -> None:
    """Axes are differences of their ends, and of more than these."""
    if max(abs(low), abs(high)) > _WIDEST:
        raise InputError(
            f"a picture must be of scores between -{_WIDEST:g} and {_WIDEST:g}; got {low:.6g} to"
            f" {high:.6g}. Rescale them."
        )


def _range(law: Distribution) -> tuple[float, float]:
    """The support where it is bounded, else all but a thousandth at each end."""
    low, high = law.support
    low = low if np.isfinite(low) else float(law.ppf(1e-3))
    high = high if np.isfinite(high) else float(law.isf(1e-3))
    _refuse_too_wide(low, high)
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def typical(law: Distribution | None) -> float:
    """A height that shows the density: that among the middle scores.

    Of a distribution most of whose scores round to an end of the scale, where it is infinite,
    the rest.
    """
    if law is None or law.continuous is None:
        return 0.0
    share, base = law.continuous
    heights = base.pdf(base.ppf(np.linspace(0.2, 0.8, 61)))
    return share * float(np.max(heights, initial=0.0, where=np.isfinite(heights)))


def density_of(law: Distribution, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Points of the density between two places, finer near them; none of a sample.

    Where it is infinite it leaves the frame.
    """
    if law.continuous is None:
        return np.empty(0), np.empty(0)
    base = law.continuous[1]
    first, last = (_first(base, low, high, lower=lower) for lower in (True, False))
    middle = np.linspace(0.005, 0.995, 600)
    near = first * np.geomspace(1.0, 0.005 / first, 60)[:-1]
    far = 1.0 - (last * np.geomspace(1.0, 0.005 / last, 60)[:-1])[::-1]
    x = low + np.concatenate([near, middle, far]) * (high - low)
    y = np.asarray(law.pdf(x))
    keep = np.isfinite(y)
    x, y = x[keep], y[keep]
    if x.size == 0:  # all of it is one double
        return x, y
    beyond = 1e3 * max(typical(law), float(y.max()))
    for place, at in ((low, 0), (high, x.size)):
        if np.isposinf(base.pdf(place)):
            x, y = np.insert(x, at, place), np.insert(y, at, beyond)
    return x, y


def _first(base: Distribution, low: float, high: float, *, lower: bool) -> float:
    """How near to an end the line starts, as a share of the range.

    A density that is 0 at the very end and high within a line's width of it would be
    drawn as a tick: it starts where its mass does.
    """
    if np.isposinf(base.pdf(low if lower else high)):
        return 1e-7
    place = float(base.ppf(0.01) if lower else base.isf(0.01))
    inside = (place - low if lower else high - place) / (high - low)
    return float(np.clip(inside, 1e-7, 1e-3))
