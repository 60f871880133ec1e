"""What all pictures share: their figure, colours for every eye, names that are only text."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.text import shown
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
            f"ax must be matplotlib Axes; got {shown(ax)} of type {type(ax).__name__}. Leave it out"
            " for new ones, or pass what plt.subplots() gives."
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

    It stands below where it does already, else inside: a caller's figure keeps its size.
    """
    if frame is not None and ax.get_autoscalex_on():
        ax.set_xlim(frame[0])
    if frame is not None and ax.get_autoscaley_on():
        ax.set_ylim(frame[1])
    name_axes(ax, x, y, rates)
    # On our log scales decades, of few of them 2 and 5 too, within one what is round.
    from matplotlib.ticker import AutoLocator, Locator, LogLocator, NullFormatter, NullLocator

    for letter in "xy":
        axis: Any = getattr(ax, f"{letter}axis")
        if axis.get_gid() != _LOG:
            continue
        if math.isinf(getattr(ax.dataLim, f"minpos{letter}")):  # nothing that a log scale shows
            getattr(ax, f"set_autoscale{letter}_on")(False)
            getattr(ax, f"set_{letter}lim")(0.1, 1.0)
        low, high = getattr(ax, f"get_{letter}lim")()
        decades = math.log10(high) - math.log10(low)
        wide, few = decades > _MANY[letter], decades < _NARROW
        major: Locator = LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0))
        axis.set_major_locator(AutoLocator() if few else major)
        axis.set_minor_locator(LogLocator(subs="auto") if wide else NullLocator())
        axis.set_minor_formatter(NullFormatter())
    figure: Any = ax.figure
    below = below or any(hasattr(old, _HEIGHT) for old in figure.legends)
    legend(ax, **at)
    if below:
        legend_below(ax, None)
    return ax


def name_axes(ax: Axes, x: str, y: str, rates: str = "") -> None:
    """Names, never read as mathematics, of axes that have none; of ``rates`` ticks in per cent."""
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    for letter, name in (("x", x), ("y", y)):
        if not getattr(ax, f"get_{letter}label")():
            getattr(ax, f"set_{letter}label")(name, parse_math=False)
            if letter in rates:  # the data are fractions
                axis = getattr(ax, f"{letter}axis")
                linear = axis.get_scale() == "linear"
                each = FuncFormatter(lambda rate, _: f"{100.0 * rate:g} %")
                axis.set_major_formatter(
                    PercentFormatter(xmax=1.0, symbol=" %") if linear else each
                )


def plain_numbers(ax: Axes, letters: str) -> Axes:
    """Ticks as numbers are written by hand, not as powers of ten."""
    from matplotlib.ticker import FuncFormatter

    for letter in letters:
        axis = getattr(ax, f"{letter}axis")
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
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
    # Matplotlib's own collection leaves out names that begin with an underscore.
    artists: tuple[Any, ...] = (*ax.lines, *ax.containers, *ax.collections, *ax.patches)
    pairs = [(h, str(h.get_label())) for h in artists]
    pairs = [(h, text) for h, text in pairs if text and not _AUTOMATIC.fullmatch(text)]
    if not pairs:
        return
    handles, labels = zip(*pairs, strict=True)
    room = _LEGEND * ax.figure.get_figwidth()  # type: ignore[union-attr]
    labels = tuple(wrapped(text, room) for text in labels)
    place = {"fontsize": 8, "frameon": True, "framealpha": 0.85, "edgecolor": "none", **place}
    _written(ax.legend(handles, _held(labels), **place), labels)


def _held(labels: Sequence[str]) -> list[str]:
    """Labels that matplotlib before 3.10 does not leave out where they begin with an underscore."""
    return [f"\u200b{text}" for text in labels]


def _written(found: Any, labels: Sequence[str]) -> None:
    """The labels as they are, none of them read as mathematics."""
    for text, label in zip(found.get_texts(), labels, strict=True):
        text.set_text(label)
        text.set_parse_math(False)


def wrapped(text: str, inches: float, size: float = 8.0) -> str:
    """A text on as many lines as it needs, broken behind a word where there is one."""
    lines = []
    while text and _width(text, size) > inches:
        fits = next(
            n for n in range(len(text) - 1, 0, -1) if n == 1 or _width(text[:n], size) <= inches
        )
        words = max((text.rfind(sign, 0, fits) + 1 for sign in " -_./"), default=0)
        cut = words if 2 * words > fits else fits
        lines.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return "\n".join([*lines, text])


def _width(text: str, size: float) -> float:
    """In inches."""
    return size * sum(_advance(sign) for sign in text if sign.isprintable()) / 72.0


@cache
def _advance(character: str) -> float:
    """How far a character moves on, in units of the size; wide ones may be of another font."""
    from matplotlib.font_manager import findfont, get_font

    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.0
    font = get_font(findfont("DejaVu Sans"))
    font.set_size(100.0, 72.0)
    # Not horiAdvance, which is eight times as wide before matplotlib 3.11.
    return float(font.load_char(ord(character)).linearHoriAdvance) / 6553600.0


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
    lines = [1 + text.count("\n") for text in labels]
    grown = 0.1 + 0.17 * -(-sum(lines) // columns)
    figure = ax.figure
    before = 0.0
    for old in [old for old in figure.legends if hasattr(old, _HEIGHT)]:
        before += getattr(old, _HEIGHT)
        old.remove()
    figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + grown - before)
    below = figure.legend(
        handles, _held(labels), loc="outside lower center", ncols=columns, fontsize=8,
        frameon=False,
    )  # fmt: skip
    setattr(below, _HEIGHT, grown)
    _written(below, labels)
    for line in below.get_lines() if width is not None else ():
        line.set(linewidth=width, alpha=1.0)
