"""An ensemble: the fitted ROCs with their hull, and the measured gains beside.

Above those in a learned fusion, in area; below those by a fixed rule, in its measure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from betaroc.core.arrays import FloatArray
from betaroc.core.terms import Terms
from betaroc.rendering.numbers import level_words
from betaroc.rendering.style import COLOURS, GREY, Axes, Sheet, bare, begun, finished, name_axes

__all__ = [
    "DrawnGain", "Gains", "Rocs", "draw_ensemble", "draw_gains", "draw_hull", "draw_learned",
]  # fmt: skip

_LINES = ("-", "--", "-.", ":")
#: Of the parts: what they are called, and their markers.
_PARTS = {"all": ("all alphas", "o"), "strict": ("low-FAR end", "<"),
          "lax": ("high-FAR end", ">")}  # fmt: skip
_DARK = "#333333"
#: A legend on top of the axes.
_ABOVE: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.45, 1.0), "ncols": 2}
#: One under the axes, and the classifiers beyond which it is there.
_UNDER: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.45, -0.15), "fontsize": 7}
_MOST_INSIDE = 8
#: Inches: two square pictures side by side.
_WIDTH, _HEIGHT, _ROW = 8.4, 5.0, 0.34

Line = tuple[FloatArray, FloatArray]


class Rocs(NamedTuple):
    """ROCs of several classifiers by FAR and TPR, and the hull above them."""

    #: What the legend says of each classifier.
    labels: Sequence[str]
    fitted: Sequence[Line]
    of_scores: Sequence[Line]
    hull: Line
    chord_ends: tuple[Sequence[float], Sequence[float]]
    region: tuple[float, float]
    #: Whether a curve runs below the diagonal, where the legend else stands.
    below: bool


class DrawnGain(NamedTuple):
    """What one classifier adds, and whether its interval tells."""

    low: float
    estimate: float
    high: float
    sure: bool


class Gains(NamedTuple):
    """Gains by name of the classifier, on each part of the curve, and what they are gains in."""

    rows: Mapping[str, Sequence[DrawnGain]]
    title: str
    level: float


def draw_ensemble(
    rocs: Rocs, learned: Mapping[str, DrawnGain], matters: float, gains: Gains, terms: Terms
) -> Sheet:
    """The ROCs, and beside them the gains in a learned fusion and by a fixed rule."""
    from matplotlib.figure import Figure

    height = max(_HEIGHT, 3.4 + _ROW * len(learned) * 2.4)
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    drawn = figure.subplot_mosaic(
        [["roc", "learned"], ["roc", "gains"]], height_ratios=(1.0, 1.7), width_ratios=(1.15, 1.0)
    )
    drawn["roc"].set_box_aspect(1.0)
    draw_hull(bare(drawn["roc"]), rocs, terms)
    draw_learned(bare(drawn["learned"]), learned, matters)
    draw_gains(bare(drawn["gains"]), gains, terms)
    return figure


def draw_hull(ax: Axes | None, rocs: Rocs, terms: Terms) -> Axes:
    """The fitted ROCs, those of the scores, the hull, the diagonal and the region."""
    ax, empty = begun(ax, square=True)
    for k, (far, tpr) in enumerate(rocs.of_scores):
        ax.plot(far, tpr, color=COLOURS[k % len(COLOURS)], linewidth=0.6, alpha=0.7,
                zorder=1.8, label="_nolegend_", gid="scores")  # fmt: skip
    for k, (label, (far, tpr)) in enumerate(zip(rocs.labels, rocs.fitted, strict=True)):
        ax.plot(
            far, tpr, color=COLOURS[k % len(COLOURS)], linewidth=1.6,
            linestyle=_LINES[(k // len(COLOURS) + k) % len(_LINES)], label=label,
        )  # fmt: skip
    ax.plot([], [], color=_DARK, linewidth=0.6, alpha=0.7, label="scores' ROCs")
    ax.plot(*rocs.hull, color=_DARK, linewidth=3.2, alpha=0.28, zorder=1.6,
            solid_capstyle="round", label="ROC hull", gid="hull")  # fmt: skip
    if rocs.chord_ends[0]:
        ax.plot(*rocs.chord_ends, color=_DARK, linestyle="none", marker="o", markersize=3.2,
                label="ends of chords", gid="chord-ends")  # fmt: skip
    ax.plot((0.0, 1.0), (0.0, 1.0), color=GREY, linewidth=0.8, linestyle=":", gid="chance",
            zorder=1.0)  # fmt: skip
    low, high = rocs.region
    for start, stop in ((0.0, low), (high, 1.0)):
        if stop > start:
            ax.axvspan(start, stop, facecolor="#f0f0f0", edgecolor="none", zorder=0.4,
                       label="_nolegend_", gid="outside")  # fmt: skip
    # Inside the axes where there is room.
    place = _ABOVE if rocs.below else {"loc": "lower right"}
    place = _UNDER if len(rocs.labels) > _MOST_INSIDE else place
    frame = ((-0.01, 1.01), (-0.01, 1.01)) if empty else None
    axes = terms.far.short, terms.tpr.short
    return finished(ax, *axes, rates="xy", frame=frame, **place)


def draw_learned(ax: Axes | None, learned: Mapping[str, DrawnGain], least: float) -> Axes:
    """Gains in area, a row a classifier, on a band of those that do not matter."""
    ax, _ = begun(ax)
    ax.axvspan(-least, least, facecolor="#e8e8e8", edgecolor="none", zorder=0.4, gid="none")
    for place, gain in enumerate(learned.values()):
        _draw_gain(ax, gain, place, COLOURS[place % len(COLOURS)], "D", 5.0, gid="learned")
    ax.axvline(0.0, color="black", linewidth=0.9, linestyle=":", gid="zero")
    _rows(ax, learned)
    words = f"(shaded: less than {least:g}; filled: it tells)"
    name_axes(ax, f"gain in AUC of a learned fusion\n{words}", "")
    ax.locator_params(axis="x", nbins=4)
    return ax


def draw_gains(ax: Axes | None, gains: Gains, terms: Terms) -> Axes:
    """Gains by a rule, a row a classifier, a marker a part of the curve."""
    ax, _ = begun(ax)
    for k, (part, (label, marker)) in enumerate(_PARTS.items()):
        for place, row in enumerate(gains.rows.values()):
            colour, shift = COLOURS[place % len(COLOURS)], 0.22 * (k - 1)
            _draw_gain(ax, row[k], place + shift, colour, marker, 5.5, gid=part)
        ax.plot([], [], color=_DARK, marker=marker, markersize=5.5, linestyle="none",
                label=terms.said(label))  # fmt: skip
    for face, label in ((_DARK, "interval without 0"), ("white", "interval with 0")):
        ax.plot([], [], color=_DARK, marker="s", markersize=4.5, markerfacecolor=face,
                linestyle="none", label=label)  # fmt: skip
    ax.axvline(0.0, color="black", linewidth=0.9, linestyle=":", gid="zero")
    _rows(ax, gains.rows)
    ax.locator_params(axis="x", nbins=5)
    title = f"{level_words(gains.level)} intervals"
    return finished(ax, gains.title, "", "x", title=title, title_fontsize=8, **_ABOVE)


def _draw_gain(
    ax: Axes, gain: DrawnGain, place: float, colour: str, marker: str, size: float, *, gid: str
) -> None:
    """An interval and its estimate, filled where it tells."""
    ax.plot((gain.low, gain.high), (place, place), color=colour, linewidth=1.5,
            label="_nolegend_", gid="interval")  # fmt: skip
    ax.plot(gain.estimate, place, color=colour, marker=marker, markersize=size,
            markerfacecolor=colour if gain.sure else "white", linestyle="none",
            label="_nolegend_", gid=gid)  # fmt: skip


def _rows(ax: Axes, names: Collection[str]) -> None:
    """A row a classifier, the first above."""
    ax.set_yticks(range(len(names)), list(names), parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
