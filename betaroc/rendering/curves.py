"""Pictures: figures, axes, legends, curves, intervals; nan is a gap."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.text import FINE, typed
from betaroc.rendering import files, tree
from betaroc.rendering.numbers import level_words, number, rate, rate_span, with_minus

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
    """A figure that pyplot knows, unless it is for a file."""
    if files.is_private():
        from matplotlib.figure import Figure

        return Figure(figsize=(width, height), layout="constrained")
    from matplotlib import pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained")


def new_axes(ax: Axes | None = None, *, square: bool = False) -> Axes:
    """The axes of the caller, or new ones."""
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
        remedy = "Leave it out for new ones, or pass what plt.subplots() gives."
        raise refusal("ax", "be matplotlib Axes", typed(ax), remedy, InputTypeError)
    return ax


def stacked_axes() -> tuple[Axes, Axes]:
    """Two axes, one above the other."""
    upper, lower = new_figure(SIZE[0], 1.6 * SIZE[1]).subplots(2, 1, sharex=True)
    return bare(upper), bare(lower)


def panel_axes(number: int) -> list[Axes]:
    """So many axes, in two columns."""
    rows = -(-number // 2)
    figure = new_figure(1.5 * SIZE[0], 0.8 * SIZE[1] * rows)
    grid = figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False).ravel()
    for ax in grid[number:]:
        ax.set_visible(False)
    for ax in grid[max(number - 2, 0) : number]:  # below which there is none
        ax.tick_params(axis="x", labelbottom=True)
    return [bare(ax) for ax in grid[:number]]


def bare(ax: Axes) -> Axes:
    """The axes with our colours and a grid."""
    ax.set_prop_cycle(color=list(COLOURS))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#e4e4e4", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def begun(ax: Axes | None, *, square: bool = False) -> tuple[Axes, bool]:
    """As :func:`new_axes`, and whether they are empty."""
    ax = new_axes(ax, square=square)
    return ax, not ax.has_data()


def finished(
    ax: Axes, x: str, y: str, rates: str = "", *, frame: Any = None, below: bool = False, **at: Any
) -> Axes:
    """The axes with names, a legend, limits if the caller set none, ``rates`` in per cent."""
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
    """A log scale for empty axes; others must have it."""
    if empty:
        getattr(ax, f"set_{letter}scale")("log")
        getattr(ax, f"{letter}axis").set_gid(_LOG)
        return
    if getattr(ax, f"get_{letter}scale")() != "log":
        rule = f'have a logarithmic {letter} axis for scale="log"'
        remedy = "Draw the first curve on new axes with it too."
        raise refusal("ax", rule, "axes with data on another one", remedy)


# ----------------------------------------------------------------------------- curves
def line_style(style: Mapping[str, Any]) -> dict[str, Any]:
    """Properties of a line by their whole names."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return dict(normalize_kwargs(dict(style), Line2D))


def draw_curve(ax: Axes, x: FloatArray, y: FloatArray, style: Mapping[str, Any]) -> Any:
    """A line with its label or its number."""
    label = style.get("label") or number_of(ax)
    look = {"linewidth": 1.6, "gid": "curve", **line_style(style), "label": label}
    (line,) = ax.plot(x, y, **look)
    return line


def draw_points(ax: Axes, x: Any, y: Any) -> None:
    """Circles in the colour of the last curve."""
    (*_, curve) = (line for line in ax.lines if line.get_gid() == "curve")
    ax.plot(x, y, "o", color=curve.get_color(), fillstyle="none", gid="points")


def number_of(ax: Axes) -> str | None:
    """The number of a curve without a name."""
    before = [line for line in ax.lines if line.get_gid() == "curve"]
    for k, line in enumerate(before, start=1):
        if str(line.get_label()).startswith(_NAMELESS):
            line.set_label(f"curve {k}")
    return f"curve {len(before) + 1}" if before else None


# ---------------------------------------------------------------------------- legends
def legend(ax: Axes, **place: Any) -> None:
    """A legend of all labelled artists."""
    place = {"frameon": True, "framealpha": 0.85, "edgecolor": "none", **place}
    _draw_legend(ax, _labelled(ax), **place)


def legend_below(ax: Axes, columns: int | None = None, also: Axes | None = None) -> None:
    """The legend under the axes, those of ``also`` last; the figure grows for it."""
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
    artists: tuple[Any, ...] = (*ax.lines, *ax.containers, *ax.collections, *ax.patches)
    room = _LEGEND * ax.figure.get_figwidth()  # type: ignore[union-attr]
    pairs = ((str(artist.get_label()), artist) for artist in artists)
    return [(wrapped(text, room), artist) for text, artist in pairs
            if text and not _AUTOMATIC.fullmatch(text)]  # fmt: skip


def _draw_legend(owner: Any, pairs: Sequence[tuple[str, Any]], **place: Any) -> Any:
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
    """A text on as many lines as it needs."""
    wide = any(unicodedata.east_asian_width(character) in "WF" for character in text)
    letters = 72.0 * inches / size / (1.0 if wide else 0.6)
    return "\n".join(wrap(text, max(int(letters), 1), replace_whitespace=False))


#: Rates that are named on the axes of normal deviates.
_DEVIATE_TICKS = (
    1e-6, 1e-5, 1e-4, 1e-3, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999,
)  # fmt: skip
#: What a DET shows unless the sample is too small to speak of such rates.
_DET_LOW, _DET_HIGH = 1e-3, 0.95
#: Rates of 0 and 1 lie at infinity; they are drawn far outside the frame.
_BEYOND = 1e-15

#: On a log scale a slanted line has so many points between its ends.
_BENT = 8
#: Limits of both axes of rates.
UNIT_FRAME = ((-0.01, 1.01), (-0.01, 1.01))
#: Where FAR and FRR lie on axes, by what was drawn on them.
_PLACES: dict[str, Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]] = {
    "det": lambda far, frr: (deviate(far), deviate(frr)),
    "linear-det": lambda far, frr: (far, frr),
    "roc": lambda far, frr: (far, 1.0 - frr),
    "impostor-roc": lambda far, frr: (frr, 1.0 - far),
}


def draw_rates(
    ax: Axes | None, x: FloatArray, y: FloatArray, axes: tuple[str, str], style: Mapping[str, Any],
    *, corner: str, kind: str | None = None, chance: tuple[float, float] | None = None,
    least: float | None = None,
) -> Axes:  # fmt: skip
    """One rate against another in a square.

    The axes keep ``kind``; ``chance`` has both heights of the chance line; ``least`` begins a log
    scale of x.
    """
    ax, empty = begun(ax, square=True)
    if least is not None:
        on_log(ax, "x", empty=empty)
        if not empty and ax.get_xlim()[0] > least:
            ax.set_xlim(left=least)
        height = np.interp(least, x, y)
        x, y = x[x > 0.0], y[x > 0.0]
        if x[0] > least:  # no rate between 0 and 1: the line between its ends
            x, y = np.append(least, x), np.append(height, y)
        # Slanted lines are bent as a log scale bends them.
        slanted = np.flatnonzero((x[1:] > x[:-1]) & (y[1:] != y[:-1]))
        between = np.geomspace(x[slanted], x[slanted + 1], _BENT + 2)[1:-1].T.ravel()
        places, heights = np.repeat(slanted + 1, _BENT), np.interp(between, x, y)
        x, y = np.insert(x, places, between), np.insert(y, places, heights)
    draw_curve(ax, x, y, style)
    if kind is not None:
        ax.set_gid(kind)
    if chance is not None:
        at = np.array([0.0, 1.0]) if ax.get_xscale() == "linear" else np.geomspace(1e-9, 1.0, 400)
        draw_chance_line(ax, at, chance[0] + (chance[1] - chance[0]) * at)
    frame = UNIT_FRAME if least is None else ((least, 1.05), UNIT_FRAME[1])
    corner = corner if least is None else "best"
    return finished(ax, *axes, rates="xy", frame=frame if empty else None, loc=corner)


def draw_det(
    ax: Axes | None, far: FloatArray, frr: FloatArray, axes: tuple[str, str],
    style: Mapping[str, Any], *, chance: bool = True,
) -> Axes:  # fmt: skip
    """FRR against FAR on normal deviates."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

    ax, empty = begun(ax, square=True)
    ax.set_gid("det")
    draw_curve(ax, deviate(far), deviate(frr), style)
    if chance:
        draw_chance_line(ax, np.array([-9.0, 9.0]), np.array([9.0, -9.0]))
    for letter, rates in (("x", far), ("y", frr)):
        axis = getattr(ax, f"{letter}axis")
        lowest = max(0.5 * float(np.min(rates[rates > 0.0])), _DET_LOW)
        start, stop = deviate([lowest, _DET_HIGH]).tolist()
        before = getattr(ax, f"get_{letter}lim")()
        if not empty and before != (0.0, 1.0) and before[0] > -9.0:
            start, stop = min(start, before[0]), max(stop, before[1])
        named = [rate for rate in _DEVIATE_TICKS if start <= deviate(rate) <= stop]
        # Not set_ticks, which changes the filters of warnings for a moment.
        axis.set_major_locator(FixedLocator(deviate(named).tolist()))
        axis.set_major_formatter(FixedFormatter([f"{100.0 * rate:g} %" for rate in named]))
        ax.set(**{f"{letter}lim": (start, stop)})
    ax.tick_params(axis="x", labelrotation=45)
    return finished(ax, *axes, loc="upper right")


def draw_rate_band(
    ax: Axes, far: FloatArray, ends: tuple[FloatArray, FloatArray], style: Mapping[str, Any]
) -> None:
    """Intervals of FRR at FARs, filled."""
    place = _PLACES[str(ax.get_gid())]
    (x, low), (_, high) = (place(far, end) for end in ends)
    ax.fill_between(x, low, high, **{"alpha": 0.2, "linewidth": 0.0, "gid": "band", **style})
    legend(ax, loc="best")


def draw_chance_line(ax: Axes, x: FloatArray, y: FloatArray) -> None:
    """The line of guesses, once on an axes."""
    if not any(line.get_gid() == "chance" for line in ax.lines):
        ax.plot(x, y, color=GREY, linewidth=0.8, linestyle=":", gid="chance", zorder=1.0)


def in_det_frame(far: FloatArray, frr: FloatArray) -> bool:
    """Whether a DET shows any of the curve."""
    far, frr = (np.concatenate([rate, 0.5 * (rate[1:] + rate[:-1])]) for rate in (far, frr))
    low, high = np.minimum(far, frr), np.maximum(far, frr)
    return bool(np.any((low > _DET_LOW) & (high < _DET_HIGH)))


def deviate(rate: npt.ArrayLike) -> FloatArray:
    """Normal deviates of rates, the coordinates of a DET."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(rate, _BEYOND, 1.0 - _BEYOND)))


# --------------------------------------------------------------------------- intervals
def draw_intervals(
    ax: Axes | None, rows: Sequence[tree.IntervalMark], x: str, *, colours: Sequence[str] = (INK,),
    near: tuple[float, float] | None = None, at: tuple[float, str] | None = None, rates: str = "",
    log: bool = False, **style: Any,
) -> Axes:  # fmt: skip
    """Draw numbers with their intervals, one row each; `near` has a grey ground."""
    below, (ax, empty) = ax is None, begun(ax)
    if below:
        ax.figure.set_figheight(max(SIZE[1], 0.9 + 0.2 * len(rows)))  # type: ignore[union-attr]
    if log:
        on_log(ax, "x", empty=empty)
    names = [] if empty else [text.get_text() for text in ax.get_yticklabels()]
    if near is not None:
        ax.axvspan(*near, facecolor="#e8e8e8", edgecolor="none", zorder=0.4, label="_nolegend_")
    for place, row in enumerate(rows, start=len(names)):
        look = {"marker": "o", "color": colours[place % len(colours)], "markersize": 5.0,
                "linewidth": 1.5, **style, "label": "_nolegend_"}  # fmt: skip
        face = look["color"] if row.sure else "white"
        line = {**look, "marker": "", "gid": "interval"}
        ax.plot((row.low, row.high), (place, place), **line)
        ax.plot(row.value, place, **{"markerfacecolor": face, **look, "linestyle": "none"})
    if at is not None:
        ax.axvline(at[0], color=GREY, linewidth=0.9, linestyle=":", gid="zero", label=at[1])
    names += [row.label for row in rows]
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)  # the first above
    return finished(ax, x, "", rates, below=below, loc="best")


# --------------------------------------------------------------------------------- alphas
#: How far a zone reaches where the next alpha is far away.
_ALONE = 0.01
#: So many systems have a panel each.
PANELS = 8
#: Fewer alphas are drawn with a marker each: what joins them was not computed.
_FEW = 12
#: Of the first and the second system: line, marker, colour, hatch of the alphas where it is better.
_LINES, _MARKERS, _COLOURS, _HATCHES = ("-", "--"), "os", COLOURS[:2], ("///", "...")


class AlphaAxes(NamedTuple):
    """The words of a criterion and a measure."""

    #: The criterion's name of alpha, and the measure's title.
    alpha: str
    measure: str
    #: Whether alpha is a rate, and the measure: rates are said in per cent.
    alpha_is_rate: bool
    measure_is_rate: bool
    #: A criterion without alpha: one place, no scale.
    single: bool

    @property
    def alpha_name(self) -> str:
        """Alpha as the head of a column."""
        return "" if self.single else self.alpha.partition(":")[0]

    def alpha_shown(self, alpha: float) -> str:
        """An alpha in a column of them."""
        if self.single:
            return ""
        return f"{100.0 * alpha:.4g} %" if self.alpha_is_rate else f"{alpha:.4g}"

    def shown(self, value: float) -> str:
        """A value of the measure."""
        return rate(value) if self.measure_is_rate else number(value, 4)

    def span(self, low: float, high: float) -> str:
        """Both ends of its interval, if it has a width."""
        if np.isnan(low) or np.isnan(high) or low == high:
            return ""
        if self.measure_is_rate:
            return rate_span(low, high)
        return f"{number(low, 4)} to {number(high, 4)}"

    def change(self, value: float, *, unit: bool = True) -> str:
        """A difference of two values, with its sign."""
        if np.isnan(value):
            return "undefined"
        size = abs(value) * (100.0 if self.measure_is_rate else 1.0)
        sign = "\u2212" if value < 0.0 else "+" if value > 0.0 else ""
        return f"{sign}{size:.2g}{' %' if unit and self.measure_is_rate else ''}"

    def changes(self, low: float, high: float) -> str:
        """Both ends of the interval of a difference."""
        if np.isnan(low) or np.isnan(high):
            return ""
        return f"{self.change(low, unit=False)} to {self.change(high)}"


class DrawnBand(NamedTuple):
    """An interval at each alpha, and its label."""

    low: FloatArray
    high: FloatArray
    words: str


class Better(NamedTuple):
    """The better system at each alpha: 1, 2 or 0."""

    system: AnyArray
    names: tuple[str, str]
    level: float

    @property
    def difference(self) -> str:
        """What is subtracted from what."""
        return " - ".join(self.names)


class _Line(NamedTuple):
    value: FloatArray
    look: Mapping[str, Any]
    marker: str = "o"


# ------------------------------------------------------------------------ what all share
def _draw_alphas(
    ax: Axes | None, alpha: FloatArray, axes: AlphaAxes, y: str, lines: Iterable[_Line], *,
    band: DrawnBand | None = None, zones: Iterable[tuple[BoolArray, dict[str, Any]]] = (),
    log: bool = False, below: bool | None = None,
) -> Axes:  # fmt: skip
    below, (ax, empty) = ax is None if below is None else below, begun(ax)
    if log:
        on_log(ax, "y", empty=empty)
    order = np.argsort(alpha, kind="stable")
    alpha, colour = alpha[order], None
    for line in lines:
        few: dict[str, Any] = {"marker": line.marker, "markersize": 4.5}
        if alpha.size == 1:
            few |= {"markersize": 7.0, "linestyle": "none"}
        look = {**(few if alpha.size < _FEW else {}), **line.look}
        if colour is None:
            colour = draw_curve(ax, alpha, line.value[order], look).get_color()
        else:
            ax.plot(alpha, line.value[order], **{"color": colour, **look})
    if band is not None:
        _draw_interval(ax, alpha, band.low[order], band.high[order], colour, band.words)
    for present, look in zones:
        for start, stop in _zones(alpha, present[order]):
            ax.axvspan(start, stop, linewidth=0.0, zorder=0.5, **look)
            look["label"] = "_nolegend_"
    if axes.single:
        ax.set_xticks([])
    rates = "x" * axes.alpha_is_rate + "y" * axes.measure_is_rate
    return finished(ax, axes.alpha, y, rates, below=below, loc="best")


def _draw_interval(
    ax: Axes, alpha: FloatArray, low: FloatArray, high: FloatArray, colour: Any, label: str
) -> None:
    present = np.isfinite(low) & np.isfinite(high)
    beside = np.concatenate([[False], present, [False]])
    alone = present & ~beside[:-2] & ~beside[2:]
    if alone.any():
        ax.vlines(alpha[alone], low[alone], high[alone], color=colour, alpha=0.6, linewidth=1.4,
                  label=label, gid="band")  # fmt: skip
        label = "_nolegend_"
    together = present & ~alone
    if together.any():
        ax.fill_between(alpha, low, high, where=together.tolist(), color=colour, alpha=0.2,
                        linewidth=0.0, label=label, gid="band")  # fmt: skip


def _zones(alpha: FloatArray, present: BoolArray) -> list[tuple[float, float]]:
    """Runs of alphas, half way to the next of a fine grid."""
    gaps = np.diff(alpha)
    reach = np.minimum(0.5 * gaps, _ALONE)
    first, last = (0.0 if gaps.size and gaps[k] <= FINE else _ALONE for k in (0, -1))
    low = np.maximum(alpha - np.append(first, reach), 0.0)
    high = np.minimum(alpha + np.append(reach, last), 1.0)
    result: list[tuple[float, float]] = []
    for k in np.flatnonzero(present):
        joined = k > 0 and present[k - 1] and alpha[k] - alpha[k - 1] <= FINE
        start = result.pop()[0] if joined else float(low[k])
        result.append((start, float(high[k])))
    return result


# ---------------------------------------------------------------------------- one curve
def draw_epc(
    ax: Axes | None, alpha: FloatArray, value: FloatArray, trivial: BoolArray, axes: AlphaAxes,
    style: Mapping[str, Any], *, band: DrawnBand | None = None, expected: FloatArray | None = None,
    a_posteriori: FloatArray | None = None, log: bool = False,
) -> Axes:  # fmt: skip
    """A measure observed on test against alpha."""
    style, below, ax = line_style(style), ax is None, new_axes(ax)
    name = style.get("label") or number_of(ax)
    prefix = f"{name}, " if name else ""
    beside = {"linewidth": 0.9, "markerfacecolor": "none"}
    others = [
        _Line(values, {"linestyle": dashes, "label": prefix + label, **beside}, marker)
        for values, dashes, marker, label in (
            (expected, "--", "s", "expected on dev"),
            (a_posteriori, ":", "^", "test's own threshold" + "s" * (not axes.single)),
        ) if values is not None
    ]  # fmt: skip
    if not name and (others or band is not None):
        name = "observed on test"
    band = None if band is None else band._replace(words=prefix + band.words)
    ground = {"color": GREY, "alpha": 0.22, "gid": "trivial",
              "label": f"{prefix}trivial: all of dev on one side"}  # fmt: skip
    return _draw_alphas(
        ax, alpha, axes, f"{axes.measure} on test",
        [_Line(value, {**style, "label": name}), *others],
        band=band, zones=[] if axes.single else [(trivial, ground)], log=log, below=below,
    )  # fmt: skip


def draw_expected_observed(
    ax: Axes | None, alpha: FloatArray, expected: FloatArray, observed: FloatArray, axes: AlphaAxes,
    style: Mapping[str, Any],
) -> Axes:  # fmt: skip
    """A measure observed on test against dev's."""
    below, (ax, empty) = ax is None, begun(ax, square=True)
    order = np.argsort(alpha, kind="stable")
    style = {"linewidth": 1.4, "marker": ".", "markersize": 4, **line_style(style)}
    draw_curve(ax, expected[order], observed[order], style)
    if empty:
        ax.plot((0.0, 1.0), (0.0, 1.0), transform=ax.transAxes, color=GREY, linewidth=0.8,
                linestyle=":", gid="identity", zorder=1.0)  # fmt: skip
    # Both axes the same, wide enough for every curve, so that y = x is the diagonal.
    values = np.array([ax.dataLim.intervalx, ax.dataLim.intervaly])
    if np.isfinite(values).all():
        low, high = float(values.min()), float(values.max())
        margin = 0.05 * (high - low) or 0.05
        ax.set(xlim=(low - margin, high + margin), ylim=(low - margin, high + margin))
    x, y = (f"{axes.measure} {where}" for where in ("expected on dev", "observed on test"))
    rates = "xy" if axes.measure_is_rate else ""
    return finished(ax, x, y, rates, below=below, loc="best")


# -------------------------------------------------------------------------- two systems
def draw_comparison(
    ax: Axes | None, alpha: FloatArray, values: tuple[FloatArray, FloatArray], better: Better,
    axes: AlphaAxes, *, log: bool = False,
) -> Axes:  # fmt: skip
    """Both curves, on the ground of the better one."""
    lines = [
        _Line(value, {"color": _COLOURS[k], "linewidth": 1.7, "label": better.names[k],
                      **({"linestyle": _LINES[k]} if alpha.size > 1 else {})}, _MARKERS[k])
        for k, value in enumerate(values)
    ]  # fmt: skip
    words = f"{axes.measure} on test"
    return _draw_alphas(ax, alpha, axes, words, lines, zones=_grounds(better), log=log)


def draw_difference(
    ax: Axes | None, alpha: FloatArray, difference: FloatArray,
    interval: tuple[FloatArray, FloatArray], band: tuple[FloatArray, FloatArray], better: Better,
    axes: AlphaAxes,
) -> Axes:  # fmt: skip
    """The difference with its intervals and its band."""
    level = level_words(better.level)
    lines = [_Line(difference, {"color": INK, "label": better.difference})]
    for end, label in zip(band, (f"{level} simultaneous", "_nolegend_"), strict=True):
        look = {"linewidth": 0.9, "linestyle": (0, (1, 1)), "label": label, "gid": "band"}
        lines += [_Line(end, {**look, "marker": ""})] * (alpha.size > 1)
    ax = _draw_alphas(
        ax, alpha, axes, f"difference in {axes.measure}", lines, zones=_grounds(better),
        band=DrawnBand(*interval, f"{level} pointwise"),
    )  # fmt: skip
    ax.axhline(0.0, color="black", linewidth=0.9, linestyle=":", gid="zero")
    return ax


def _grounds(better: Better) -> list[tuple[BoolArray, dict[str, Any]]]:
    return [
        (better.system == k + 1, {
            "facecolor": (_COLOURS[k], 0.10), "edgecolor": (_COLOURS[k], 0.35),
            "hatch": _HATCHES[k], "gid": f"better-{k + 1}",
            "label": f"{name} better ({level_words(better.level)})",
        })
        for k, name in enumerate(better.names)
    ]  # fmt: skip


# ------------------------------------------------------------------- any number of systems
def draw_systems(
    ax: Axes | None, alpha: FloatArray, lines: Sequence[tuple[str, FloatArray]], axes: AlphaAxes,
    *, log: bool = False,
) -> Axes:  # fmt: skip
    """The first curve in ink, others in grey or in panels."""
    y, several = f"{axes.measure} on test", ax is None and len(lines) <= PANELS
    others = "the other system" if len(lines) == 2 else f"the {len(lines) - 1} others"
    labels = ("_nolegend_", "_nolegend_") if several else (lines[0][0], others)
    panels: Sequence[Axes | None] = panel_axes(len(lines)) if several else [ax]
    result = []
    for k, panel in enumerate(panels):
        drawn = [_Line(lines[k][1], {"color": INK, "linewidth": 1.8, "label": labels[0],
                                     "zorder": 3.0})]  # fmt: skip
        for _, value in (*lines[:k], *lines[k + 1 :]):
            label = labels[1] if len(drawn) == 1 else "_nolegend_"
            drawn.append(_Line(value, {"color": GREY, "linewidth": 0.8, "label": label}))
        at = _draw_alphas(panel, alpha, axes, " " if several and k % 2 else y, drawn, log=log)
        if several:
            at.set_title(wrapped(lines[k][0], 0.6 * SIZE[0]), fontsize=8, parse_math=False)
            at.set_xlabel("" if k < len(lines) - 2 else axes.alpha)
        result.append(at)
    return result[0]


# ---------------------------------------------------------------------------------- costs
#: How far below 0 a curve of benefits is shown.
_LOSS = 0.05


def draw_costs(
    ax: Axes | None, x: FloatArray, names: Sequence[str], lines: Sequence[FloatArray],
    defaults: Mapping[str, FloatArray], axes: tuple[str, str], style: Mapping[str, Any], *,
    words: str,
) -> Axes:  # fmt: skip
    """Draw each system's actual line with its interval, and the best one; defaults are grey."""
    below, (ax, empty) = ax is None, begun(ax)
    before, order = sum(line.get_gid() == "curve" for line in ax.lines), np.argsort(x)
    x, lines = x[order], [part[:, order] for part in lines]
    few: dict[str, Any] = {"marker": "o", "markersize": 4.5} if x.size < _FEW else {}
    for k, (name, value, best, low, high) in enumerate(zip(names, *lines, strict=True), before):
        look = {"color": COLOURS[k % len(COLOURS)], "label": name, **few, **line_style(style)}
        line = draw_curve(ax, x, value, look)
        label = "_nolegend_" if k else "best threshold in hindsight"
        ax.plot(x, best, color=line.get_color(), linewidth=0.9, linestyle="--", label=label)
        _draw_interval(ax, x, low, high, line.get_color(), words)
        words = words if np.isnan(low).all() else "_nolegend_"
    for (name, value), dashes in zip(defaults.items(), ("-", ":"), strict=False) if empty else ():
        look = {"color": GREY, "linewidth": 0.9, "linestyle": dashes, "label": name, "zorder": 1.5}
        ax.plot(x, value[order], **look)
    reach = [float(np.nanmax(part)) for part in (lines[0], *defaults.values())]
    top, benefits = 1.1 * max(reach) or 1.0, len(defaults) > 1
    top, least = (top, -min(_LOSS, 0.5 * top)) if benefits else (min(top, 1.5 * reach[1]), 0.0)
    frame = (x[0], x[-1]) if x[0] < x[-1] else None, (least, top)
    return finished(ax, *axes, frame=frame if empty else None, below=below, loc="best")


# ---------------------------------------------------------------------------- calibration
#: Bars of each class, and the share of the height that they take.
_BARS, _BAR_SHARE = 40, 0.18
#: What is infinite is drawn so far outside the frame.
_BOUNDLESS = 1e6


def draw_calibration(
    ax: Axes | None, x: FloatArray, lines: Mapping[str, tuple[FloatArray, FloatArray]],
    band: tuple[FloatArray, FloatArray], words: str, places: FloatArray,
    classes: Mapping[str, FloatArray], axes: tuple[str, str], frame: Any,
) -> Axes:  # fmt: skip
    """Maps of scores over the band of calibrated ones at `x`, bars of the classes below."""
    below, (ax, empty) = ax is None, begun(ax)
    ax.fill_between(x, *np.clip(band, -_BOUNDLESS, _BOUNDLESS), **{**BAND, "label": words})
    ax.plot(frame[0], frame[0], color=GREY, linewidth=0.8, linestyle=":", gid="identity",
            label="calibrated", zorder=1.0)  # fmt: skip
    for k, (name, (at, values)) in enumerate(lines.items()):
        look = {"linewidth": 1.6 - 0.6 * k, "linestyle": ("-", "--")[k], "label": name}
        draw_curve(ax, at, values.clip(-_BOUNDLESS, _BOUNDLESS), {"color": INK, **look})
    edges = np.linspace(frame[0][0], frame[0][1], _BARS + 1)
    for (name, masses), colour in zip(classes.items(), (CLIENT, IMPOSTOR), strict=True):
        heights = np.histogram(places, edges, weights=masses)[0]
        heights *= _BAR_SHARE / max(float(heights.max()), 1.0)
        ax.bar(edges[:-1], heights, np.diff(edges), align="edge", color=colour, alpha=0.32,
               transform=ax.get_xaxis_transform(), label=name, zorder=0.6)  # fmt: skip
    return finished(ax, *axes, frame=frame if empty else None, below=below, loc="upper left")
