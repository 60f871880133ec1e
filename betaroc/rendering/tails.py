"""Tails of both classes: rates on a log scale, and what a tail is by how many scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from betaroc.core.arrays import FloatArray
from betaroc.rendering.style import CLIENT, GREY, IMPOSTOR, Axes, begun, finished

__all__ = ["Sized", "TailCurve", "draw_sized", "draw_tails"]

_COLOURS = {"client": CLIENT, "impostor": IMPOSTOR}


class TailCurve(NamedTuple):
    """The rate of one class against the threshold: counted, fitted, and the tail's interval."""

    who: str
    name: str
    #: Thresholds at scores, and the share of scores beyond each.
    places: FloatArray
    shares: FloatArray
    #: The fitted distribution, and the family without its tail where it has one.
    x: FloatArray
    rate: FloatArray
    without: FloatArray | None
    #: Where the tail begins; none without.
    joint: float | None
    #: The interval beyond it.
    at: FloatArray
    low: FloatArray
    high: FloatArray


class Sized(NamedTuple):
    """A number of a tail by how many scores, with its interval."""

    who: str
    name: str
    sizes: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    #: Sizes of the fitted tail.
    used: tuple[int, ...]


def draw_tails(
    ax: Axes | None, curves: Sequence[TailCurve], x: str, limits: tuple[float, float], least: float
) -> Axes:
    """Rates against thresholds, down to a least rate."""
    ax, empty = begun(ax)
    if empty:
        ax.set_yscale("log")
    for one in curves:
        colour = _COLOURS[one.who]
        if one.at.size:
            ax.fill_between(one.at, one.low.clip(0.1 * least), one.high, color=colour, alpha=0.18,
                            linewidth=0.0, label="_nolegend_")  # fmt: skip
        ax.plot(one.places, one.shares, linestyle="none", marker="o", markersize=2.4,
                color=colour, markeredgewidth=0.0, label=f"{one.name}, counted")  # fmt: skip
        if one.without is not None:
            ax.plot(one.x, one.without, color=colour, linewidth=1.0, linestyle="--",
                    label=f"{one.name}, without the tail")  # fmt: skip
        ax.plot(one.x, one.rate, color=colour, linewidth=1.6, label=f"{one.name}, fitted")
        if one.joint is not None:
            ax.axvline(one.joint, color=colour, linewidth=0.8, linestyle=":", label="_nolegend_")
    return finished(ax, x, "rate", frame=(limits, (least, 1.0)), below=True)


def draw_sized(
    ax: Axes | None, found: Sequence[Sized], y: str, *, expected: float, log: bool
) -> Axes:
    """A number against how many scores the tail has, its intervals, and what is expected of it."""
    ax, empty = begun(ax)
    if empty:
        ax.set_xscale("log")
        if log:
            ax.set_yscale("log")
        ax.axhline(expected, color=GREY, linewidth=0.8, linestyle=":", gid="same", zorder=1.0)
    for one in found:
        colour = _COLOURS[one.who]
        ax.fill_between(one.sizes, one.low, one.high, color=colour, alpha=0.18, linewidth=0.0,
                        label="_nolegend_")  # fmt: skip
        ax.plot(one.sizes, one.estimate, color=colour, linewidth=1.6, label=one.name)
        for size in one.used:
            ax.axvline(size, color=GREY, linewidth=0.8, linestyle="--", label="_nolegend_")
    if empty:
        _plain_ticks(ax.xaxis)
        if log:
            _plain_ticks(ax.yaxis)
    return finished(ax, "scores beyond the joint", y, below=True)


def _plain_ticks(axis: Any) -> None:
    """1, 2, 5 a decade on a log scale, as they are written by hand."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
