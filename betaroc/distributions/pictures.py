"""Histograms of scores and densities of distributions, of one class or of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import refusal
from betaroc.core.thresholds import mirror
from betaroc.distributions.base import Distribution
from betaroc.rendering.curves import CLIENT, IMPOSTOR, Axes, begun, draw_curve, finished, line_style

#: Beyond it the differences that axes are made of leave the doubles.
_WIDEST = 1e300
#: Room beside the scale, as a share of it, so that what happens at an end is seen.
_ROOM = 0.03
#: How near to an end a line of density starts, as a share of the range.
_NEAREST = 1e-7


def plot_classes(
    ax: Axes | None, classes: Sequence[Sequence[Distribution]], names: Sequence[str],
    style: Mapping[str, Any], *, bins: int = 20, lower: bool = False,
) -> Axes:  # fmt: skip
    """Draw of each class bars of a sample, else a density, and point masses as stems.

    Of `lower` scores the distributions are of -s.
    """
    bins, look = checks.count(bins, "bins"), line_style(style)
    pairs = [(_first_of(laws, sample=True), _first_of(laws, sample=False)) for laws in classes]
    places = [sample.atoms.places for sample, _ in pairs if sample is not None]
    together = np.concatenate(places) if places else mirror(np.array([0.0, 1.0]), lower)
    common = sorted(mirror(end, lower) for end in _sample_range(mirror(together, lower)))
    ax, empty = begun(ax)
    frames = [] if empty else [(*ax.get_xlim(), ax.get_ylim()[1])]
    for (sample, law), name, colour in zip(pairs, names, (CLIENT, IMPOSTOR), strict=False):
        low, high = common if law is None or sample is not None else _range(law)
        line = {"color": colour, "label": name, **look}
        width, top = (high - low) / bins, 0.0
        if sample is not None:
            heights, edges = sample.atoms.masses, np.linspace(low, high, bins + 1)
            if law is not None:
                heights = np.where(np.isin(sample.atoms.places, law.atoms.places), 0.0, heights)
            heights = np.histogram(sample.atoms.places, edges, weights=heights)[0] / width
            lefts = mirror(edges[int(lower) :][:bins], lower)
            ax.bar(lefts, heights, width, align="edge", color=line["color"], alpha=0.32,
                   edgecolor="white", linewidth=0.5, label=line["label"])  # fmt: skip
            line["label"], top = "_nolegend_", 1.1 * float(heights.max())
        if law is not None:
            x, y = density_of(law, low, high)
            if x.size:
                draw_curve(ax, mirror(x, lower), y, line)
            _draw_stems(ax, law, width, line["color"], lower=lower)
            top = max(top, typical(law))
        room = _ROOM * (high - low)
        ends = sorted(mirror(end, lower) for end in (low - room, high + room))
        frames.append((*ends, 1.15 * (top or 1.0)))
    lows, highs, tops = np.transpose(frames)
    if not empty:
        ax.autoscale()
    frame = (lows.min(), highs.max()), (0.0, tops.max())
    return finished(ax, "distance" if lower else "score", "density", frame=frame)


def _draw_stems(ax: Axes, law: Distribution, width: float, colour: str, *, lower: bool) -> None:
    low, high = sorted(mirror(end, lower) for end in law.support)
    for place, mass in zip(mirror(law.atoms.places, lower), law.atoms.masses.tolist(), strict=True):
        ax.plot([place, place], [0.0, mass / width], color=colour, linewidth=2.6, marker="o",
                markevery=[1], markersize=5, clip_on=True, solid_capstyle="butt")  # fmt: skip
        x, side = (0.07, "left") if place - low < high - place else (0.93, "right")
        ax.annotate(
            f"P(S = {place:g}) = {100.0 * mass:.3g} %", (x, 0.97 - 0.07 * len(ax.texts)),
            xycoords="axes fraction", ha=side, va="top", fontsize=8, color=colour,
            parse_math=False,
        )  # fmt: skip


def _first_of(laws: Sequence[Distribution], *, sample: bool) -> Distribution | None:
    return next((law._scored for law in laws if (law.continuous is None) == sample), None)


def _sample_range(scores: FloatArray) -> tuple[float, float]:
    low, high = _checked(float(scores.min()), float(scores.max()))
    if 0.0 <= low and high <= 1.0:
        return 0.0, 1.0
    room = max(abs(low), 1.0) * 0.5 * (low == high)
    return low - room, high + room


def _range(law: Distribution) -> tuple[float, float]:
    low, high = law.support
    low = low if np.isfinite(low) else float(law.ppf(1e-3))
    low, high = _checked(low, high if np.isfinite(high) else float(law.isf(1e-3)))
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _checked(low: float, high: float) -> tuple[float, float]:
    if max(abs(low), abs(high)) > _WIDEST:
        raise refusal("a picture", "be of scores between -1e300 and 1e300", f"{low:g}, {high:g}")
    return low, high


def typical(law: Distribution | None) -> float:
    """The height among the middle scores."""
    if law is None or law.continuous is None:
        return 0.0
    share, base = law.continuous
    heights = base.pdf(base.ppf(np.linspace(0.2, 0.8, 61)))
    return share * float(np.max(heights, initial=0.0, where=np.isfinite(heights)))


def density_of(law: Distribution, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Points of the density, finer near both ends."""
    if law.continuous is None:
        return np.empty(0), np.empty(0)
    base = law.continuous[1]
    near = np.geomspace(_NEAREST, 0.005, 60)[:-1]
    shares = np.concatenate([near, np.linspace(0.005, 0.995, 600), 1.0 - near[::-1]])
    x = low + shares * (high - low)
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
