"""What all pictures share: a bare figure, colours for every eye, text that is only text."""

from __future__ import annotations

import re
from typing import Any

from betaroc.core.errors import InputTypeError
from betaroc.core.text import shown

__all__ = [
    "CLIENT", "COLOURS", "IMPOSTOR", "checked_axes", "has_legend_below", "legend", "legend_below",
    "named", "new_axes", "rate_axis", "stacked_axes",
]  # fmt: skip

#: Okabe and Ito's palette, which colour-blind readers tell apart, then darker ones of Tol's.
COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
    "#000000", "#882255", "#999933", "#332288", "#6E4B1F", "#E0115F",
)  # fmt: skip
CLIENT, IMPOSTOR = "#0072B2", "#D55E00"
GREY = "#8a8a8a"
#: Labels that matplotlib gives to what has none.
_AUTOMATIC = re.compile(r"_child\d+|_container\d+|_nolegend_")
#: Characters of a legend's words two of which stand side by side.
_SHORT = 24
#: Inches: near the width of a telephone, so that labels stay readable when the page is narrow.
SIZE = (4.4, 3.5)


def new_axes(ax: Any = None, *, square: bool = False) -> Any:
    """The axes given, or new ones on a bare figure that pyplot does not know."""
    if ax is not None:
        return checked_axes(ax)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.9, 3.7) if square else SIZE, layout="constrained")
    ax = _bare(figure.add_subplot())
    if square:
        ax.set_box_aspect(1.0)
    return ax


def checked_axes(ax: Any) -> Any:
    """The axes, if they are matplotlib's."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise InputTypeError(
            f"ax must be matplotlib Axes; got {shown(ax)} of type {type(ax).__name__}. Leave it out"
            " for new ones, or pass what plt.subplots() gives."
        )
    return ax


def stacked_axes() -> tuple[Any, Any]:
    """Two axes, one above the other, with one horizontal scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(SIZE[0], 1.6 * SIZE[1]), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    return _bare(upper), _bare(lower)


def _bare(ax: Any) -> Any:
    ax.set_prop_cycle(color=list(COLOURS))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#e4e4e4", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def named(ax: Any, x: str, y: str) -> None:
    """Axis labels, never read as mathematics."""
    ax.set_xlabel(x, parse_math=False)
    ax.set_ylabel(y, parse_math=False)


def rate_axis(axis: Any) -> None:
    """Ticks in per cent for data that are fractions."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(xmax=1.0, symbol=" %"))


def legend(ax: Any, **place: Any) -> None:
    """A legend of all labelled artists, if there are any."""
    # Matplotlib's own collection leaves out names that begin with an underscore.
    artists = (*ax.lines, *ax.containers, *ax.collections, *ax.patches)
    pairs = [(h, str(h.get_label())) for h in artists]
    pairs = [(h, text) for h, text in pairs if text and not _AUTOMATIC.fullmatch(text)]
    if not pairs:
        return
    handles, labels = zip(*pairs, strict=True)
    place = {"fontsize": 8, "frameon": True, "framealpha": 0.85, "edgecolor": "none", **place}
    for text in ax.legend(handles, labels, **place).get_texts():
        text.set_parse_math(False)


def legend_below(
    ax: Any, columns: int | None, width: float | None = None, also: Any = None
) -> None:
    """The legend under the axes, which keep their size: the figure grows.

    Without ``columns`` there are two, or one where the words are long. ``width`` is
    that of the lines in it, where it tells colours alone; what the legend of the axes
    ``also`` says further comes after.
    """
    named: dict[str, Any] = {}
    for old in (ax.get_legend(), None if also is None else also.get_legend()):
        if old is not None:
            for handle, text in zip(old.legend_handles, old.get_texts(), strict=True):
                named.setdefault(text.get_text(), handle)
            old.remove()
    if not named:
        return
    handles, labels = list(named.values()), list(named)
    if columns is None:
        columns = 2 if max(map(len, labels)) <= _SHORT else 1
    grown = 0.1 + 0.17 * -(-len(labels) // columns)
    figure = ax.figure
    before = _remove_below(figure)
    figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + grown - before)
    below = figure.legend(
        handles, labels, loc="outside lower center", ncols=columns, fontsize=8, frameon=False
    )
    below._betaroc_height = grown
    for text in below.get_texts():
        text.set_parse_math(False)
    for line in below.get_lines() if width is not None else ():
        line.set(linewidth=width, alpha=1.0)


def has_legend_below(ax: Any) -> bool:
    """Whether the figure has a legend of :func:`legend_below`."""
    return any(hasattr(old, "_betaroc_height") for old in ax.figure.legends)


def _remove_below(figure: Any) -> float:
    """Take the legend below away; the height that it had."""
    height = 0.0
    for old in list(figure.legends):
        if hasattr(old, "_betaroc_height"):
            height += old._betaroc_height
            old.remove()
    return height
