"""ROC, DET and precision-recall curves, points marked on them, and those of an ensemble."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.rendering.numbers import number
from betaroc.rendering.style import (
    COLOURS,
    GREY,
    INK,
    SIZE,
    Axes,
    begun,
    draw_curve,
    finished,
    legend,
    on_log,
)
from betaroc.rendering.tree import IntervalMark

#: Rates that are named on the axes of normal deviates.
_DEVIATE_TICKS = (
    1e-6, 1e-5, 1e-4, 1e-3, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999,
)  # fmt: skip
#: What a DET shows unless the sample is too small to speak of such rates.
_DET_LOW, _DET_HIGH = 1e-3, 0.95
#: Rates of 0 and 1 lie at infinity; they are drawn far outside the frame.
_BEYOND = 1e-15
#: Where a power law is drawn from, unless it is far smaller there.
_LEAST = 1e-4
#: Points: an alpha stands to the right of its dot for one system, to the left for the next.
_BESIDE = ((6, 4), (-20, -11))


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
    """One rate against another in a square, its legend in a corner.

    ``kind`` is kept by the axes, for what is marked on the curve; ``chance`` has both heights
    of the chance line. With ``least`` the rate at x is on a log scale that begins there.
    """
    ax, empty = begun(ax, square=True)
    if least is not None:
        x, y = _on_log(ax, x, y, least, empty=empty)
    draw_curve(ax, x, y, style)
    if kind is not None:
        ax.set_gid(kind)
    if chance is not None:
        at = np.array([0.0, 1.0]) if ax.get_xscale() == "linear" else np.geomspace(1e-9, 1.0, 400)
        draw_chance_line(ax, at, chance[0] + (chance[1] - chance[0]) * at)
    frame = UNIT_FRAME if least is None else ((least, 1.05), UNIT_FRAME[1])
    corner = corner if least is None else "best"
    return finished(ax, *axes, rates="xy", frame=frame if empty else None, loc=corner)


def _on_log(
    ax: Axes, x: FloatArray, y: FloatArray, least: float, *, empty: bool
) -> tuple[FloatArray, FloatArray]:
    """A curve over rates above 0, its slanted lines bent as a log scale bends them."""
    on_log(ax, "x", empty=empty)
    if not empty and ax.get_xlim()[0] > least:
        ax.set_xlim(left=least)
    height = np.interp(least, x, y)
    x, y = x[x > 0.0], y[x > 0.0]
    if x[0] > least:  # no rate between 0 and 1: the line between its ends
        x, y = np.append(least, x), np.append(height, y)
    slanted = np.flatnonzero((x[1:] > x[:-1]) & (y[1:] != y[:-1]))
    between = np.geomspace(x[slanted], x[slanted + 1], _BENT + 2)[1:-1].T.ravel()
    places = np.repeat(slanted + 1, _BENT)
    return np.insert(x, places, between), np.insert(y, places, np.interp(between, x, y))


def draw_det(
    ax: Axes | None, far: FloatArray, frr: FloatArray, axes: tuple[str, str],
    style: Mapping[str, Any], *, chance: bool = True,
) -> Axes:  # fmt: skip
    """FRR against FAR on normal deviates."""
    ax, empty = begun(ax, square=True)
    ax.set_gid("det")
    draw_curve(ax, deviate(far), deviate(frr), style)
    if chance:
        draw_chance_line(ax, np.array([-9.0, 9.0]), np.array([9.0, -9.0]))
    _frame(ax, far, frr, empty=empty)
    return finished(ax, *axes, loc="upper right")


def draw_rate_band(
    ax: Axes, far: FloatArray, ends: tuple[FloatArray, FloatArray], style: Mapping[str, Any]
) -> None:
    """Intervals of FRR at FARs, filled, on axes that know what was drawn on them."""
    place = _PLACES[str(ax.get_gid())]
    (x, low), (_, high) = (place(far, end) for end in ends)
    ax.fill_between(x, low, high, **{"alpha": 0.2, "linewidth": 0.0, "gid": "band", **style})
    legend(ax, loc="best")


def draw_chance_line(ax: Axes, x: FloatArray, y: FloatArray) -> None:
    """The line of guesses, once on an axes."""
    if not any(line.get_gid() == "chance" for line in ax.lines):
        ax.plot(x, y, color=GREY, linewidth=0.8, linestyle=":", gid="chance", zorder=1.0)


def in_det_frame(far: FloatArray, frr: FloatArray) -> bool:
    """Whether any of the curve lies where a DET on normal deviates looks."""
    far, frr = (np.concatenate([rate, 0.5 * (rate[1:] + rate[:-1])]) for rate in (far, frr))
    low, high = np.minimum(far, frr), np.maximum(far, frr)
    return bool(np.any((low > _DET_LOW) & (high < _DET_HIGH)))


def deviate(rate: npt.ArrayLike) -> FloatArray:
    """Normal deviates of rates, the coordinates of a DET."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(rate, _BEYOND, 1.0 - _BEYOND)))


def _frame(ax: Axes, far: FloatArray, frr: FloatArray, *, empty: bool) -> None:
    """From half of the smallest rate of a sample on; rates that are named at the axes."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

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


# ----------------------------------------------------------------------------- points
def draw_choices(
    ax: Axes, chosen: tuple[FloatArray, FloatArray], own: tuple[FloatArray, FloatArray],
    alpha: FloatArray | None, style: Mapping[str, Any],
) -> Axes:  # fmt: skip
    """Mark FAR and FRR at thresholds chosen elsewhere, and at those of the curve's own scores.

    Both of one alpha are joined, and the alpha is written beside unless there is none.
    """
    kind = str(ax.get_gid())  # axes remember what was drawn on them
    if kind not in _PLACES:
        raise InputError.about("ax")(
            "ax must be axes on which a ROC or a DET has been drawn; got axes without such a curve."
            " Draw the curve of the test set first, such as ax = epc.test.det().plot()."
        )
    (x, y), (own_x, own_y) = _PLACES[kind](*chosen), _PLACES[kind](*own)
    beside = _BESIDE[sum(line.get_gid() == "a-priori" for line in ax.lines) % len(_BESIDE)]
    prefix = f"{style['label']}, " if style.get("label") else ""
    mark = {"color": style.get("color", COLOURS[0]), "linestyle": "none"}
    ax.plot([x, own_x], [y, own_y], color=mark["color"], linewidth=0.7, gid="joined")
    ax.plot(x, y, marker="o", markersize=5, markeredgecolor="white", markeredgewidth=0.6,
            gid="a-priori", label=f"{prefix}chosen on dev", zorder=6.0, **mark)  # fmt: skip
    ax.plot(own_x, own_y, marker="D", markersize=6, markerfacecolor="white", gid="a-posteriori",
            label=f"{prefix}own optimum", zorder=5.0, **mark)  # fmt: skip
    for place in zip([] if alpha is None else alpha, x, y, strict=alpha is not None):
        ax.annotate(
            number(place[0], 3), place[1:], beside, fontsize=7, color=mark["color"],
            textcoords="offset points", annotation_clip=True, zorder=7.0, gid="alpha",
            bbox={"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip
    legend(ax, loc="best")
    return ax


# --------------------------------------------------------------------------- intervals
def draw_intervals(
    ax: Axes | None, rows: Sequence[IntervalMark], x: str, *, colours: Sequence[str] = (INK,),
    near: tuple[float, float] | None = None, at: tuple[float, str] | None = None, rates: str = "",
    log: bool = False, **style: Any,
) -> Axes:  # fmt: skip
    """Numbers with their intervals, a row each below those that the axes have.

    Values that are `near` have a grey ground, the one `at` which the rows are read a line.
    """
    below, (ax, empty) = ax is None, begun(ax)
    if below:
        ax.figure.set_figheight(max(SIZE[1], 0.9 + 0.2 * len(rows)))  # type: ignore[union-attr]
    if log:
        on_log(ax, "x", empty=empty)
    names = [] if empty else [text.get_text() for text in ax.get_yticklabels()]
    if near is not None:
        ax.axvspan(*near, facecolor="#e8e8e8", edgecolor="none", zorder=0.4, label="_nolegend_")
    for place, row in enumerate(rows, start=len(names)):
        look = {"color": colours[place % len(colours)], "markersize": 5.0, **style}
        draw_interval(ax, row, place, **look)
    if at is not None:
        ax.axvline(at[0], color=GREY, linewidth=0.9, linestyle=":", gid="zero", label=at[1])
    name_rows(ax, [*names, *(row.label for row in rows)])
    return finished(ax, x, "", rates, below=below, loc="best")


def draw_interval(ax: Axes, mark: IntervalMark, place: float, **style: Any) -> None:
    """An interval and its estimate, filled where it tells."""
    look = {"marker": "o", "markersize": 5.5, "linewidth": 1.5, **style, "label": "_nolegend_"}
    face = look["color"] if mark.sure else "white"
    ax.plot((mark.low, mark.high), (place, place), **{**look, "marker": "", "gid": "interval"})
    ax.plot(mark.value, place, **{"markerfacecolor": face, **look, "linestyle": "none"})


def name_rows(ax: Axes, names: Collection[str]) -> None:
    """A row each, the first above."""
    ax.set_yticks(range(len(names)), list(names), parse_math=False)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
