"""What all pictures share: their figure, colours for every eye, names that are only text."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.text import format_value
from betaroc.rendering.numbers import with_minus
from betaroc.rendering.picture_files import is_private

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

Axes: TypeAlias = "matplotlib.axes.Axes"
Sheet: TypeAlias = "matplotlib.figure.Figure"

#: Okabe and Ito's palette, which colour-blind readers tell apart, then darker ones of Tol's.
COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
    "#000000", "#882255", "#999933", "#332288", "#6E4B1F", "#E0115F",
)  # fmt: skip
CLIENT, IMPOSTOR = "#0072B2", "#D55E00"
GREY, INK = "#8a8a8a", "#333333"
CLASS_COLOURS = {"client": CLIENT, "impostor": IMPOSTOR}
#: An interval is grey on every picture: a hue is a class.
BAND: dict[str, Any] = {
    "color": GREY, "alpha": 0.2, "linewidth": 0.0, "label": "_nolegend_", "gid": "band",
}  # fmt: skip
#: What matplotlib calls a line that nobody named, and labels of all that stand in no legend.
_NAMELESS = "_child"
_AUTOMATIC = re.compile(rf"{_NAMELESS}\d+|_container\d+|_nolegend_")
#: Characters of a legend's words two of which stand side by side.
_SHORT = 24
#: Share of the width of a figure that the words of a legend may have: other fonts are wider.
_LEGEND = 0.7
#: What a legend below keeps of its height.
_HEIGHT = "_betaroc_height"
#: Marks axes that were made logarithmic here; above so many decades these are ticked, within one
#: plain numbers.
_LOG, _MANY, _NARROW = "log", {"x": 2.0, "y": 3.477}, 1.0
#: Inches: near the width of a telephone, so that labels stay readable when the page is narrow.
SIZE = (4.4, 3.5)


# ------------------------------------------------------------------------------- axes
def new_figure(width: float, height: float) -> Sheet:
    """A figure that pyplot knows and a notebook shows; one for a file alone is nobody's."""
    if is_private():
        from matplotlib.figure import Figure

        return Figure(figsize=(width, height), layout="constrained")
    from matplotlib import pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained")


def new_axes(ax: Axes | None = None, *, square: bool = False) -> Axes:
    """The axes that the caller has, or new ones on a figure of their own."""
    if ax is not None:
        return checked_axes(ax)
    ax = bare(new_figure(*((3.9, 3.7) if square else SIZE)).add_subplot())
    if square:
        ax.set_box_aspect(1.0)
    return ax


def checked_axes(ax: object) -> Axes:
    """The axes, if they are matplotlib's."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise InputTypeError.about("ax")(
            f"ax must be matplotlib Axes; got {format_value(ax)} of type {type(ax).__name__}. Leave"
            " it out for new ones, or pass what plt.subplots() gives."
        )
    return ax


def stacked_axes() -> tuple[Axes, Axes]:
    """Two axes, one above the other, with one horizontal scale."""
    upper, lower = new_figure(SIZE[0], 1.6 * SIZE[1]).subplots(2, 1, sharex=True)
    return bare(upper), bare(lower)


def panel_axes(number: int) -> list[Axes]:
    """So many axes, two beside each other, with the same scales."""
    rows = -(-number // 2)
    figure = new_figure(1.5 * SIZE[0], 0.8 * SIZE[1] * rows)
    grid = figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False).ravel()
    for ax in grid[number:]:
        ax.set_visible(False)
    for ax in grid[max(number - 2, 0) : number]:  # below which there is none
        ax.tick_params(axis="x", labelbottom=True)
    return [bare(ax) for ax in grid[:number]]


def bare(ax: Axes) -> Axes:
    """The axes with our colours, a grid, and no frame above and to the right."""
    ax.set_prop_cycle(color=list(COLOURS))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#e4e4e4", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def begun(ax: Axes | None, *, square: bool = False) -> tuple[Axes, bool]:
    """:func:`new_axes`, and whether they are empty: then they are framed too."""
    ax = new_axes(ax, square=square)
    return ax, not ax.has_data()


def finished(
    ax: Axes, x: str, y: str, rates: str = "", *, frame: Any = None, below: bool = False, **at: Any
) -> Axes:
    """The axes, named, with limits of x and y where the caller has set none, and a legend.

    Of ``rates`` ticks are in per cent. The legend stands below where it does already, else
    inside: a caller's figure keeps its size.
    """
    from matplotlib.ticker import AutoLocator, FuncFormatter, LogLocator, NullLocator

    percent = FuncFormatter(
        lambda rate, _: with_minus(f"{100.0 * rate:.9g} %")
    )  # the data are fractions
    for letter, name, limits in zip("xy", (x, y), frame or (None, None), strict=True):
        axis: Any = getattr(ax, f"{letter}axis")
        if limits is not None and getattr(ax, f"get_autoscale{letter}_on")():
            ax.set(**{f"{letter}lim": limits})
        if not axis.label.get_text():
            axis.set_label_text(name, parse_math=False)
            if letter in rates:
                axis.set_major_formatter(percent)
        if axis.get_gid() != _LOG:
            continue
        if math.isinf(axis.get_minpos()):  # nothing that a log scale shows
            ax.set(**{f"autoscale{letter}_on": False, f"{letter}lim": (0.1, 1.0)})
        # Decades, of few of them 2 and 5 too, within one what is round.
        low, high = axis.get_view_interval()
        decades = math.log10(high) - math.log10(low)
        wide = decades > _MANY[letter]
        major = LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0))
        axis.set_major_locator(AutoLocator() if decades < _NARROW else major)
        axis.set_minor_locator(LogLocator(subs="auto") if wide else NullLocator())
        axis.set_minor_formatter("")
        if letter not in rates:  # as numbers are written by hand, not powers of ten
            axis.set_major_formatter("{x:g}")
    figure: Any = ax.figure
    if below or any(hasattr(old, _HEIGHT) for old in figure.legends):
        legend_below(ax)
    else:
        legend(ax, **at)
    return ax


def on_log(ax: Axes, letter: str, *, empty: bool) -> None:
    """A log scale for one of empty axes, which others must have already."""
    if empty:
        getattr(ax, f"set_{letter}scale")("log")
        getattr(ax, f"{letter}axis").set_gid(_LOG)
        return
    scale = getattr(ax, f"get_{letter}scale")()
    if scale != "log":
        raise InputError.about("ax")(
            f'ax must have a logarithmic {letter} axis for scale="log"; got axes with data on a'
            f" {scale} one. Draw the first curve on new axes with it too."
        )


# ----------------------------------------------------------------------------- curves
def line_style(style: Mapping[str, Any]) -> dict[str, Any]:
    """Properties of a line by their whole names: ``lw`` is linewidth, ``c`` is color."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return dict(normalize_kwargs(dict(style), Line2D))


def draw_curve(ax: Axes, x: FloatArray, y: FloatArray, style: Mapping[str, Any]) -> Any:
    """A line with the label of its style, without one with its number beside others."""
    label = style.get("label") or number_of(ax)
    look = {"linewidth": 1.6, "gid": "curve", **line_style(style), "label": label}
    (line,) = ax.plot(x, y, **look)
    return line


def number_of(ax: Axes) -> str | None:
    """What a nameless curve is called beside others, whose nameless get a number too."""
    before = [line for line in ax.lines if line.get_gid() == "curve"]
    for k, line in enumerate(before, start=1):
        if str(line.get_label()).startswith(_NAMELESS):
            line.set_label(f"curve {k}")
    return f"curve {len(before) + 1}" if before else None


# ---------------------------------------------------------------------------- legends
def legend(ax: Axes, **place: Any) -> None:
    """A legend of all labelled artists, if there are any."""
    place = {"frameon": True, "framealpha": 0.85, "edgecolor": "none", **place}
    _draw_legend(ax, _labelled(ax), **place)


def legend_below(ax: Axes, columns: int | None = None, also: Axes | None = None) -> None:
    """The legend under the axes, which keep their size: the figure grows.

    Without ``columns`` there are two, or one where the words are long. What axes ``also`` have
    further comes after.
    """
    figure: Any = ax.figure
    pairs: list[tuple[str, Any]] = []
    for part in (ax,) if also is None else (ax, also):
        pairs += (pair for pair in _labelled(part) if pair[0] not in dict(pairs))
        if (inside := part.get_legend()) is not None:
            inside.remove()
    if not pairs:
        return
    if columns is None:
        columns = 2 if max(len(text) for text, _ in pairs) <= _SHORT else 1
    lines = sum(1 + text.count("\n") for text, _ in pairs)
    grown = 0.1 + 0.17 * -(-lines // columns)
    before = [old for old in figure.legends if hasattr(old, _HEIGHT)]
    height = figure.get_figheight() + grown - sum(getattr(old, _HEIGHT) for old in before)
    for old in before:
        old.remove()
    figure.set_figheight(height)
    below = _draw_legend(figure, pairs, loc="outside lower center", ncols=columns, frameon=False)
    setattr(below, _HEIGHT, grown)


def _labelled(ax: Axes) -> list[tuple[str, Any]]:
    """All artists that have a label, one that begins with an underscore too."""
    artists: tuple[Any, ...] = (*ax.lines, *ax.containers, *ax.collections, *ax.patches)
    room = _LEGEND * ax.figure.get_figwidth()  # type: ignore[union-attr]
    pairs = ((str(artist.get_label()), artist) for artist in artists)
    return [(wrapped(text, room), artist) for text, artist in pairs
            if text and not _AUTOMATIC.fullmatch(text)]  # fmt: skip


def _draw_legend(owner: Any, pairs: Sequence[tuple[str, Any]], **place: Any) -> Any:
    """Labels as they are, none of them read as mathematics, nor left out for an underscore."""
    if not pairs:
        return None
    labels, artists = zip(*pairs, strict=True)
    hidden = [f"\u200b{label}" for label in labels]
    drawn = owner.legend(artists, hidden, **{"fontsize": 8, **place})
    for text, label in zip(drawn.get_texts(), labels, strict=True):
        text.set_text(label)
        text.set_parse_math(False)
    return drawn


def wrapped(text: str, inches: float, size: float = 8.0) -> str:
    """A text on as many lines as it needs, broken behind a word where there is one."""
    lines, wide = [], 72.0 * inches / size
    while (fits := int(np.searchsorted(np.cumsum([_advance(c) for c in text]), wide))) < len(text):
        fits = max(fits, 1)
        words = max(text.rfind(sign, 0, fits) + 1 for sign in " -_./")
        cut = words if 2 * words > fits else fits
        lines.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return "\n".join([*lines, text])


def _advance(character: str) -> float:
    """About how far a character moves on, in units of the size; fonts differ."""
    if not character.isprintable():
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return 0.8 if character.isupper() or character in "mw%@" else 0.54
