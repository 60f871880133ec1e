"""Expected performance curves over the criterion's alpha: one, its band, or several.

What is drawn is sorted by alpha here; a value that is nan is a gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray, IntArray
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
        return rate(float(value)) if self.measure_is_rate else number(float(value), 4)

    def span(self, low: float, high: float) -> str:
        """Both ends of its interval; nothing where it has no width."""
        if np.isnan(low) or np.isnan(high) or low == high:
            return ""
        if self.measure_is_rate:
            return rate_span(float(low), float(high))
        return f"{number(float(low), 4)} to {number(float(high), 4)}"

    def change(self, value: float, *, unit: bool = True) -> str:
        """A difference of two values, with its sign."""
        if np.isnan(value):
            return "undefined"
        size = abs(float(value)) * (100.0 if self.measure_is_rate else 1.0)
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


# ---------------------------------------------------------------------------- one curve
def draw_epc(
    ax: Axes | None,
    alpha: FloatArray,
    value: FloatArray,
    trivial: BoolArray,
    axes: AlphaAxes,
    style: Mapping[str, Any],
    *,
    band: DrawnBand | None = None,
    expected: FloatArray | None = None,
    a_posteriori: FloatArray | None = None,
    log: bool = False,
) -> Axes:
    """A measure observed on test against alpha, with what else is given of it."""
    style = line_style(style)
    below, ax, order, alpha = _started(ax, alpha, log=log)
    name = style.get("label") or number_of(ax)
    beside_others = any(other is not None for other in (band, expected, a_posteriori))
    main = {"label": "observed on test" if not name and beside_others else name}
    line = draw_curve(ax, alpha, value[order], {**_marker_of(alpha), **style, **main})
    beside = {"color": line.get_color(), "linewidth": 0.9, "markerfacecolor": "none"}
    prefix = f"{name}, " if name else ""
    if band is not None:
        low, high = band.low[order], band.high[order]
        _draw_interval(ax, alpha, low, high, line.get_color(), label=prefix + band.words)
    for values, dashes, shape, label in (
        (expected, "--", "s", "expected on dev"),
        (a_posteriori, ":", "^", "test's own threshold" + "s" * (not axes.single)),
    ):
        if values is not None:
            look = {"linestyle": dashes, **beside, **_marker_of(alpha, shape)}
            ax.plot(alpha, values[order], label=prefix + label, **look)
    label = f"{prefix}trivial: dev accepts or rejects all"
    for start, stop in [] if axes.single else _zones(alpha, trivial[order]):
        ax.axvspan(start, stop, color=GREY, alpha=0.22, linewidth=0, zorder=0.5, label=label,
                   gid="trivial")  # fmt: skip
        label = "_nolegend_"
    return _finished(ax, axes, f"{axes.measure} on test", below=below)


def draw_expected_observed(
    ax: Axes | None,
    alpha: FloatArray,
    expected: FloatArray,
    observed: FloatArray,
    axes: AlphaAxes,
    style: Mapping[str, Any],
) -> Axes:
    """A measure observed on test against what dev had said of it, and the line where both agree."""
    below, (ax, empty) = ax is None, begun(ax, square=True)
    order = np.argsort(alpha, kind="stable")
    style = {"linewidth": 1.4, "marker": ".", "markersize": 4, **line_style(style)}
    draw_curve(ax, expected[order], observed[order], style)
    if empty:
        # Beyond every measure's range, so that it crosses any frame.
        ax.plot((-2.0, 2.0), (-2.0, 2.0), color=GREY, linewidth=0.8, linestyle=":",
                gid="identity", zorder=1.0, scalex=False, scaley=False)  # fmt: skip
    # Both axes the same, wide enough for every curve, so that y = x is the diagonal.
    curves = [line.get_xydata() for line in ax.lines if line.get_gid() != "identity"]
    values = np.concatenate([np.asarray(points, dtype=np.float64).ravel() for points in curves])
    values = values[np.isfinite(values)]
    if values.size:
        low, high = float(values.min()), float(values.max())
        margin = 0.05 * (high - low) or 0.05
        ax.set(xlim=(low - margin, high + margin), ylim=(low - margin, high + margin))
    x, y = (f"{axes.measure} {where}" for where in ("expected on dev", "observed on test"))
    rates = "xy" if axes.measure_is_rate else ""
    return finished(ax, x, y, rates, below=below, loc="best")


# -------------------------------------------------------------------------- two systems
def draw_comparison(
    ax: Axes | None,
    alpha: FloatArray,
    values: tuple[FloatArray, FloatArray],
    better: Better,
    axes: AlphaAxes,
    *,
    log: bool = False,
) -> Axes:
    """Both curves, the alphas in which they differ on a ground of the better one."""
    below, ax, order, alpha = _started(ax, alpha, log=log)
    for k, value in enumerate(values):
        ax.plot(
            alpha, value[order], color=_COLOURS[k], linewidth=1.7, label=better.names[k],
            **{"linestyle": _LINES[k], **_marker_of(alpha, _MARKERS[k])},
        )  # fmt: skip
    _shade(ax, alpha, better.system[order], better)
    return _finished(ax, axes, f"{axes.measure} on test", below=below)


def draw_difference(
    ax: Axes | None,
    alpha: FloatArray,
    difference: FloatArray,
    interval: tuple[FloatArray, FloatArray],
    band: tuple[FloatArray, FloatArray],
    better: Better,
    axes: AlphaAxes,
) -> Axes:
    """The difference with its intervals, between dotted lines its band, and no difference."""
    below, ax, order, alpha = _started(ax, alpha)
    level = level_words(better.level)
    ax.plot(alpha, difference[order], color=INK, linewidth=1.6,
            label=_difference_of(better), **_marker_of(alpha))  # fmt: skip
    low, high = (end[order] for end in interval)
    _draw_interval(ax, alpha, low, high, INK, label=f"{level} pointwise")
    if alpha.size > 1:
        for end, label in zip(band, (f"{level} simultaneous", "_nolegend_"), strict=True):
            ax.plot(alpha, end[order], color=INK, linewidth=0.9, linestyle=(0, (1, 1)),
                    label=label, gid="band")  # fmt: skip
    ax.axhline(0.0, color="black", linewidth=0.9, linestyle=":", gid="zero")
    _shade(ax, alpha, better.system[order], better)
    return _finished(ax, axes, f"difference in {axes.measure}", below=below)


def draw_replicates(
    ax: Axes | None,
    counts: AnyArray,
    edges: FloatArray,
    interval: tuple[float, float, float],
    better: Better,
    axes: AlphaAxes,
    alpha: float,
) -> Axes:
    """Replicates of the difference at one alpha; of ``interval`` estimate and ends are marked."""
    below, (ax, _) = ax is None, begun(ax)
    ax.bar(edges[:-1], counts, np.diff(edges), align="edge", color=_COLOURS[0], alpha=0.32,
           edgecolor="white", linewidth=0.3, label="_nolegend_")  # fmt: skip
    ax.axvline(0.0, color="black", linewidth=1.2, linestyle=":", label="no difference", gid="zero")
    estimate, *ends = interval
    ax.axvline(estimate, color=INK, linewidth=1.6,
               label=f"{_difference_of(better)} on test", gid="difference")  # fmt: skip
    labels = f"{level_words(better.level)} interval", "_nolegend_"
    for end, label in zip(ends, labels, strict=True):
        ax.axvline(end, color=_COLOURS[1], linewidth=1.4, linestyle="--", label=label,
                   gid="interval")  # fmt: skip
    x = f"difference in {axes.measure}" + ("" if axes.single else f" at alpha {number(alpha)}")
    rates = "x" if axes.measure_is_rate else ""
    return finished(ax, x, "bootstrap replicates", rates, below=below, loc="best")


def _difference_of(better: Better) -> str:
    return " - ".join(better.names)


def _shade(ax: Axes, alpha: FloatArray, system: AnyArray, better: Better) -> None:
    """The ground in colour and hatch of whichever system is better there."""
    for k, name in enumerate(better.names):
        label = f"{name} better ({level_words(better.level)})"
        for start, stop in _zones(alpha, system == k + 1):
            ax.axvspan(
                start, stop, facecolor=(_COLOURS[k], 0.10), edgecolor=(_COLOURS[k], 0.35),
                hatch=_HATCHES[k], linewidth=0.0, zorder=0.5, label=label,
                gid=f"better-{k + 1}",
            )  # fmt: skip
            label = "_nolegend_"


# ------------------------------------------------------------------- any number of systems
def draw_systems(
    ax: Axes | None, alpha: FloatArray, lines: Sequence[tuple[str, FloatArray]], axes: AlphaAxes,
    *, log: bool = False,
) -> Axes:  # fmt: skip
    """The first curve in ink, the others in grey; of few on a new figure each in a panel."""
    if ax is None and len(lines) <= PANELS:
        return _system_panels(alpha, lines, axes, log=log)
    below, ax, order, alpha = _started(ax, alpha, log=log)
    others = "the other system" if len(lines) == 2 else f"the {len(lines) - 1} others"
    values = [value[order] for _, value in lines]
    _draw_lines(ax, alpha, values, 0, (lines[0][0], others))
    return _finished(ax, axes, f"{axes.measure} on test", below=below)


def _system_panels(
    alpha: FloatArray, lines: Sequence[tuple[str, FloatArray]], axes: AlphaAxes, *,
    log: bool = False,
) -> Axes:  # fmt: skip
    """A panel a system, in which its curve is in ink and the others are grey; the first panel."""
    panels = panel_axes(len(lines))
    for k, (panel, (name, _)) in enumerate(zip(panels, lines, strict=True)):
        _, ax, order, places = _started(panel, alpha, log=log)
        _draw_lines(ax, places, [value[order] for _, value in lines], k)
        _finished(ax, axes, f"{axes.measure} on test" if k % 2 == 0 else " ", below=False)
        ax.set_title(wrapped(name, 0.6 * SIZE[0]), fontsize=8, parse_math=False)
        if k < len(panels) - 2:
            ax.set_xlabel("")
    return panels[0]


def _draw_lines(
    ax: Axes, alpha: FloatArray, values: Sequence[FloatArray], first: int,
    labels: tuple[str, str] = ("_nolegend_", "_nolegend_"),
) -> None:  # fmt: skip
    ax.plot(alpha, values[first], color=INK, linewidth=1.8, label=labels[0], zorder=3.0,
            **_marker_of(alpha))  # fmt: skip
    label = labels[1]
    for k, value in enumerate(values):
        if k != first:
            ax.plot(alpha, value, color=GREY, linewidth=0.8, label=label,
                    **_marker_of(alpha))  # fmt: skip
            label = "_nolegend_"


# ------------------------------------------------------------------------ what they share
def _started(
    ax: Axes | None, alpha: FloatArray, *, log: bool = False
) -> tuple[bool, Axes, IntArray, FloatArray]:
    """Whether the axes are new, the axes, and the alphas in their order."""
    below, (ax, empty) = ax is None, begun(ax)
    if log:
        on_log(ax, "y", empty=empty)
    order = np.argsort(alpha, kind="stable")
    return below, ax, order, alpha[order]


def _finished(ax: Axes, axes: AlphaAxes, y: str, *, below: bool) -> Axes:
    if axes.single:
        ax.set_xticks([])
    rates = "x" * axes.alpha_is_rate + "y" * axes.measure_is_rate
    return finished(ax, axes.alpha, y, rates, below=below, loc="best")


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


def _marker_of(alpha: FloatArray, shape: str = "o") -> dict[str, Any]:
    """Markers where the alphas are few, and no line where there is one alone."""
    if alpha.size >= _FEW:
        return {}
    if alpha.size == 1:
        return {"marker": shape, "markersize": 7.0, "linestyle": "none"}
    return {"marker": shape, "markersize": 4.5}


def _draw_interval(
    ax: Axes, alpha: FloatArray, low: FloatArray, high: FloatArray, colour: Any, *, label: str
) -> None:
    """Filled between neighbours, upright where an alpha has none; what is undefined is a gap."""
    there = np.isfinite(low) & np.isfinite(high)
    beside = np.concatenate([[False], there, [False]])
    alone = there & ~beside[:-2] & ~beside[2:]
    if alone.any():
        ax.vlines(alpha[alone], low[alone], high[alone], color=colour, alpha=0.6, linewidth=1.4,
                  label=label, gid="band")  # fmt: skip
    together = there & ~alone
    if together.any():
        ax.fill_between(alpha, low, high, where=together.tolist(), color=colour, alpha=0.2,
                        linewidth=0.0, label="_nolegend_" if alone.any() else label,
                        gid="band")  # fmt: skip
