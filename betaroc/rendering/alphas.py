"""Expected performance curves over the criterion's alpha: one, its band, or several.

What is drawn is sorted by alpha here; a value that is nan is a gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray
from betaroc.core.text import FINE
from betaroc.rendering.numbers import level_words, number, rate, rate_span
from betaroc.rendering.style import (
    COLOURS,
    GREY,
    INK,
    SIZE,
    Axes,
    begun,
    draw_curve,
    finished,
    line_style,
    new_axes,
    number_of,
    on_log,
    panel_axes,
    wrapped,
)

#: How far a zone reaches where the next alpha is far away.
_ALONE = 0.01
#: So many systems have a panel each.
PANELS = 8
#: Fewer alphas are drawn with a marker each: what joins them was not computed.
_FEW = 12
#: Of the first and the second system: line, marker, colour, hatch of the alphas where it is better.
_LINES, _MARKERS, _COLOURS, _HATCHES = ("-", "--"), "os", COLOURS[:2], ("///", "...")


class AlphaAxes(NamedTuple):
    """What a criterion and a measure write at the axes."""

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
        """Both ends of its interval; nothing where it has no width."""
        if np.isnan(low) or np.isnan(high) or low == high:
            return ""
        return (
            rate_span(low, high)
            if self.measure_is_rate
            else f"{number(low, 4)} to {number(high, 4)}"
        )

    def change(self, value: float, *, unit: bool = True) -> str:
        """A difference of two values, with its sign."""
        if np.isnan(value):
            return "undefined"
        size = abs(value) * (100.0 if self.measure_is_rate else 1.0)
        sign = "\u2212" if value < 0.0 else "+" if value > 0.0 else ""
        return f"{sign}{size:.2g}{' %' if unit and self.measure_is_rate else ''}"

    def changes(self, low: float, high: float) -> str:
        """Both ends of the interval of a difference; nothing where there is none."""
        if np.isnan(low) or np.isnan(high):
            return ""
        return f"{self.change(low, unit=False)} to {self.change(high)}"


class DrawnBand(NamedTuple):
    """An interval at each alpha, and what the legend calls them."""

    low: FloatArray
    high: FloatArray
    words: str


class Better(NamedTuple):
    """Which of two systems is better at each alpha: 1 or 2, 0 where none is."""

    system: AnyArray
    names: tuple[str, str]
    level: float

    @property
    def difference(self) -> str:
        """What is subtracted from what."""
        return " - ".join(self.names)


class _Line(NamedTuple):
    """A curve of its values at the alphas, a marker where these are few, and how it looks."""

    value: FloatArray
    look: Mapping[str, Any]
    marker: str = "o"


# ------------------------------------------------------------------------ what all share
def _draw(
    ax: Axes | None, alpha: FloatArray, axes: AlphaAxes, y: str, lines: Iterable[_Line], *,
    band: DrawnBand | None = None, zones: Iterable[tuple[BoolArray, dict[str, Any]]] = (),
    log: bool = False, below: bool | None = None,
) -> Axes:  # fmt: skip
    """Lines over alphas, intervals in the colour of the first, zones of alphas on a ground."""
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
    for there, look in zones:
        for start, stop in _zones(alpha, there[order]):
            ax.axvspan(start, stop, linewidth=0.0, zorder=0.5, **look)
            look["label"] = "_nolegend_"
    if axes.single:
        ax.set_xticks([])
    rates = "x" * axes.alpha_is_rate + "y" * axes.measure_is_rate
    return finished(ax, axes.alpha, y, rates, below=below, loc="best")


def _draw_interval(
    ax: Axes, alpha: FloatArray, low: FloatArray, high: FloatArray, colour: Any, label: str
) -> None:
    """Filled between neighbours, upright where an alpha has none; what is undefined is a gap."""
    there = np.isfinite(low) & np.isfinite(high)
    beside = np.concatenate([[False], there, [False]])
    alone = there & ~beside[:-2] & ~beside[2:]
    if alone.any():
        ax.vlines(alpha[alone], low[alone], high[alone], color=colour, alpha=0.6, linewidth=1.4,
                  label=label, gid="band")  # fmt: skip
        label = "_nolegend_"
    together = there & ~alone
    if together.any():
        ax.fill_between(alpha, low, high, where=together.tolist(), color=colour, alpha=0.2,
                        linewidth=0.0, label=label, gid="band")  # fmt: skip


def _zones(alpha: FloatArray, there: BoolArray) -> list[tuple[float, float]]:
    """Runs of alphas: half way to the next of a fine grid, a little way where it is far."""
    gaps = np.diff(alpha)
    near = gaps <= FINE
    reach = np.where(near, 0.5 * gaps, _ALONE)
    ends = [[0.0 if near[k : k + 1].any() else _ALONE] for k in (0, gaps.size - 1)]
    low = np.maximum(alpha - np.concatenate([ends[0], reach]), 0.0)
    high = np.minimum(alpha + np.concatenate([reach, ends[1]]), 1.0)
    found: list[tuple[float, float]] = []
    for k in np.flatnonzero(there):
        joined = k > 0 and there[k - 1] and near[k - 1]
        start = found.pop()[0] if joined else float(low[k])
        found.append((start, float(high[k])))
    return found


# ---------------------------------------------------------------------------- one curve
def draw_epc(
    ax: Axes | None, alpha: FloatArray, value: FloatArray, trivial: BoolArray, axes: AlphaAxes,
    style: Mapping[str, Any], *, band: DrawnBand | None = None, expected: FloatArray | None = None,
    a_posteriori: FloatArray | None = None, log: bool = False,
) -> Axes:  # fmt: skip
    """A measure observed on test against alpha, with what else is given of it."""
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
              "label": f"{prefix}trivial: dev accepts or rejects all"}  # fmt: skip
    return _draw(
        ax, alpha, axes, f"{axes.measure} on test",
        [_Line(value, {**style, "label": name}), *others],
        band=band, zones=[] if axes.single else [(trivial, ground)], log=log, below=below,
    )  # fmt: skip


def draw_expected_observed(
    ax: Axes | None, alpha: FloatArray, expected: FloatArray, observed: FloatArray, axes: AlphaAxes,
    style: Mapping[str, Any],
) -> Axes:  # fmt: skip
    """A measure observed on test against what dev had said of it, and the line where both agree."""
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
    """Both curves, the alphas in which they differ on a ground of the better one."""
    lines = [
        _Line(value, {"color": _COLOURS[k], "linewidth": 1.7, "label": better.names[k],
                      **({"linestyle": _LINES[k]} if alpha.size > 1 else {})}, _MARKERS[k])
        for k, value in enumerate(values)
    ]  # fmt: skip
    words = f"{axes.measure} on test"
    return _draw(ax, alpha, axes, words, lines, zones=_grounds(better), log=log)


def draw_difference(
    ax: Axes | None, alpha: FloatArray, difference: FloatArray,
    interval: tuple[FloatArray, FloatArray], band: tuple[FloatArray, FloatArray], better: Better,
    axes: AlphaAxes,
) -> Axes:  # fmt: skip
    """The difference with its intervals, between dotted lines its band, and no difference."""
    level = level_words(better.level)
    lines = [_Line(difference, {"color": INK, "label": better.difference})]
    for end, label in zip(band, (f"{level} simultaneous", "_nolegend_"), strict=True):
        look = {"linewidth": 0.9, "linestyle": (0, (1, 1)), "label": label, "gid": "band"}
        lines += [_Line(end, {**look, "marker": ""})] * (alpha.size > 1)
    ax = _draw(
        ax, alpha, axes, f"difference in {axes.measure}", lines, zones=_grounds(better),
        band=DrawnBand(*interval, f"{level} pointwise"),
    )  # fmt: skip
    ax.axhline(0.0, color="black", linewidth=0.9, linestyle=":", gid="zero")
    return ax


def draw_replicates(
    ax: Axes | None, counts: AnyArray, edges: FloatArray, interval: tuple[float, float, float],
    better: Better, axes: AlphaAxes, alpha: float,
) -> Axes:  # fmt: skip
    """Replicates of the difference at one alpha; of ``interval`` estimate and ends are marked."""
    below, (ax, _) = ax is None, begun(ax)
    ax.bar(edges[:-1], counts, np.diff(edges), align="edge", color=_COLOURS[0], alpha=0.32,
           edgecolor="white", linewidth=0.3, label="_nolegend_")  # fmt: skip
    estimate, low, high = interval
    for place, colour, width, dashes, label, gid in (
        (0.0, "black", 1.2, ":", "no difference", "zero"),
        (estimate, INK, 1.6, "-", f"{better.difference} on test", "difference"),
        (low, _COLOURS[1], 1.4, "--", f"{level_words(better.level)} interval", "interval"),
        (high, _COLOURS[1], 1.4, "--", "_nolegend_", "interval"),
    ):
        ax.axvline(place, color=colour, linewidth=width, linestyle=dashes, label=label, gid=gid)
    x = f"difference in {axes.measure}" + ("" if axes.single else f" at alpha {number(alpha)}")
    rates = "x" if axes.measure_is_rate else ""
    return finished(ax, x, "bootstrap replicates", rates, below=below, loc="best")


def _grounds(better: Better) -> list[tuple[BoolArray, dict[str, Any]]]:
    """The alphas where each system is better, and the colour and hatch of their ground."""
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
    """The first curve in ink, the others in grey; of few on a new figure each in a panel."""
    y, several = f"{axes.measure} on test", ax is None and len(lines) <= PANELS
    others = "the other system" if len(lines) == 2 else f"the {len(lines) - 1} others"
    labels = ("_nolegend_", "_nolegend_") if several else (lines[0][0], others)
    panels: Sequence[Axes | None] = panel_axes(len(lines)) if several else [ax]
    made = []
    for k, panel in enumerate(panels):
        drawn = [_Line(lines[k][1], {"color": INK, "linewidth": 1.8, "label": labels[0],
                                     "zorder": 3.0})]  # fmt: skip
        for _, value in (*lines[:k], *lines[k + 1 :]):
            label = labels[1] if len(drawn) == 1 else "_nolegend_"
            drawn.append(_Line(value, {"color": GREY, "linewidth": 0.8, "label": label}))
        at = _draw(panel, alpha, axes, " " if several and k % 2 else y, drawn, log=log)
        if several:
            at.set_title(wrapped(lines[k][0], 0.6 * SIZE[0]), fontsize=8, parse_math=False)
            at.set_xlabel("" if k < len(lines) - 2 else axes.alpha)
        made.append(at)
    return made[0]
