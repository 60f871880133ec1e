"""Two systems: where their curves differ, by how much, and the bootstrap behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from betaroc.core.errors import InputError
from betaroc.core.notices import public
from betaroc.core.text import shown
from betaroc.decision.comparison import Comparison
from betaroc.model.criteria import CRITERIA
from betaroc.rendering.alphas import axes_of_a_curve, draw_interval, marker_of, zones
from betaroc.rendering.nouns import required
from betaroc.rendering.numbers import level_words, number
from betaroc.rendering.style import (
    COLOURS,
    legend,
    legend_below,
    named,
    new_axes,
    rate_axis,
    stacked_axes,
)
from betaroc.report.epc import is_rate, measure_title

__all__ = ["plot_comparison", "plot_difference", "plot_difference_histogram"]

#: Of the first and the second system: line, colour, hatch of the alphas where it is better.
_LINES, _COLOURS, _HATCHES = ("-", "--"), COLOURS[:2], ("///", "...")
_DARK = "#333333"


@public
def plot_comparison(
    comparison: Comparison, ax: Any = None, *, names: Sequence[str] | None = None
) -> Any:
    """Draw both expected performance curves, the alphas in which they differ shaded.

    Parameters
    ----------
    comparison : Comparison
        From :func:`betaroc.compare`.
    ax : matplotlib Axes, optional
        Where to draw; new axes on a figure of their own if left out.
    names : sequence of two str, optional
        What the systems are called; the names of the test sets where they differ, else
        A and B.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If `names` are not two.

    Notes
    -----
    Where the simultaneous band of the difference excludes 0 the ground has the colour and the
    hatch of the better system, and the legend names it. The ground ends beside an alpha where
    the next is farther than 0.02 away. Fewer than twelve alphas have markers.

    References
    ----------
    Bengio, S., Mariethoz, J. and Keller, M. (2005), The expected performance
    curve, Figures 6 and 8.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.Scores([2, 3, 4] * 7, [0, 1, 2] * 7)
    >>> good = br.epc(dev, br.Scores([3, 4, 5] * 7, [0, 1, 2] * 7), alpha=[0.4, 0.6])
    >>> poor = br.epc(dev, br.Scores([1, 1.4, 9] * 7, [0, 1, 3] * 7), alpha=[0.4, 0.6])
    >>> ax = plot_comparison(br.compare(good, poor, resample="test", replicates=200, rng=1))
    >>> [text.get_text() for text in ax.figure.legends[0].get_texts()]
    ['A', 'B', 'A better (95 %)']
    """
    required(comparison, Comparison, "comparison")
    called = _called(comparison, names)
    fresh = ax is None
    ax = new_axes(ax)
    order = np.argsort(comparison.alpha, kind="stable")
    alpha = comparison.alpha[order]
    for k, epc in enumerate((comparison.first, comparison.second)):
        ax.plot(
            alpha, epc.value[order], color=_COLOURS[k], linewidth=1.7, label=called[k],
            **{"linestyle": _LINES[k], **marker_of(alpha, "os"[k])},
        )  # fmt: skip
    _shade(ax, comparison, called)
    if fresh:
        axes_of_a_curve(ax, comparison.first)
    _legend(ax, fresh=fresh)
    return ax


@public
def plot_difference(
    comparison: Comparison, ax: Any = None, *, names: Sequence[str] | None = None
) -> Any:
    """Draw the difference of two curves with its interval and the line of no difference.

    Parameters
    ----------
    comparison : Comparison
        From :func:`betaroc.compare`.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    names : sequence of two str, optional
        What the systems are called, as in :func:`plot_comparison`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If `names` are not two.

    Notes
    -----
    The value of the first system minus that of the second, with its interval at each alpha and
    between dotted lines the simultaneous band, where that excludes 0 on a ground of the colour and
    the hatch of the better one. A value that is 0/0 is a gap.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
    >>> good = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.4, 0.6])
    >>> poor = br.epc(dev, br.Scores([1, 1.4, 9], [0, 1, 3]), alpha=[0.4, 0.6])
    >>> plot_difference(br.compare(good, poor, replicates=200, rng=1)).get_ylabel()
    'difference in half total error rate'
    """
    required(comparison, Comparison, "comparison")
    called = _called(comparison, names)
    fresh = ax is None
    ax = new_axes(ax)
    order = np.argsort(comparison.alpha, kind="stable")
    alpha = comparison.alpha[order]
    ax.plot(alpha, comparison.difference[order], color=_DARK, linewidth=1.6,
            label=f"{called[0]} - {called[1]}", **marker_of(alpha))  # fmt: skip
    draw_interval(ax, alpha, comparison.low[order], comparison.high[order], _DARK,
                  label=f"{level_words(comparison.level)} pointwise")  # fmt: skip
    if alpha.size > 1:
        for end, label in ((comparison.band_low, f"{level_words(comparison.level)} simultaneous"),
                           (comparison.band_high, "_nolegend_")):  # fmt: skip
            ax.plot(alpha, end[order], color=_DARK, linewidth=0.9, linestyle=(0, (1, 1)),
                    label=label, gid="band")  # fmt: skip
    ax.axhline(0.0, color="black", linewidth=0.9, linestyle=":", gid="zero")
    _shade(ax, comparison, called)
    if fresh:
        _axes_of_a_difference(ax, comparison)
    _legend(ax, fresh=fresh)
    return ax


@public
def plot_difference_histogram(
    comparison: Comparison,
    alpha: float | None = None,
    ax: Any = None,
    *,
    bins: int = 50,
    names: Sequence[str] | None = None,
) -> Any:
    """Draw the bootstrap differences at one alpha, the interval's ends and zero marked.

    Parameters
    ----------
    comparison : Comparison
        From :func:`betaroc.compare`.
    alpha : float, optional
        One of the curves'; may be left out where they have but one.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    bins : int
        Number of bars.
    names : sequence of two str, optional
        What the systems are called, as in :func:`plot_comparison`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If `alpha` is not one of the curves', `bins` is less than 1 or `names` are not two.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
    >>> good = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
    >>> poor = br.epc(dev, br.Scores([1, 1.4, 9], [0, 1, 3]), alpha=[0.5])
    >>> result = br.compare(good, poor, replicates=200, rng=1)
    >>> ax = plot_difference_histogram(result, 0.5, bins=4)
    >>> sum(int(bar.get_height()) for bar in ax.patches)
    200
    """
    required(comparison, Comparison, "comparison")
    called = _called(comparison, names)
    counts, edges = comparison.histogram(alpha, bins)
    place = 0 if alpha is None else int(np.argmin(np.abs(comparison.alpha - alpha)))
    fresh = ax is None
    ax = new_axes(ax)
    ax.bar(edges[:-1], counts, np.diff(edges), align="edge", color=_COLOURS[0], alpha=0.32,
           edgecolor="white", linewidth=0.3, label="_nolegend_")  # fmt: skip
    ax.axvline(0.0, color="black", linewidth=1.2, linestyle=":", label="no difference", gid="zero")
    ax.axvline(float(comparison.difference[place]), color=_DARK, linewidth=1.6,
               label=f"{called[0]} - {called[1]} on test", gid="difference")  # fmt: skip
    for end, label in ((comparison.low, level_words(comparison.level)),
                       (comparison.high, "_nolegend_")):  # fmt: skip
        ax.axvline(float(end[place]), color=_COLOURS[1], linewidth=1.4, linestyle="--",
                   label=label + " interval" * (label[0] != "_"), gid="interval")  # fmt: skip
    if fresh:
        title = measure_title(comparison.first)
        at = (
            ""
            if CRITERIA[comparison.first.criterion].single
            else f" at alpha {number(comparison.alpha[place])}"
        )
        named(ax, f"difference in {title}{at}", "bootstrap replicates")
        if is_rate(comparison.first.measure):
            rate_axis(ax.xaxis)
    _legend(ax, fresh=fresh)
    return ax


def draw_both(comparison: Comparison, names: Sequence[str]) -> Any:
    """Both curves above, their difference below, on one figure; the upper axes."""
    upper, lower = stacked_axes()
    plot_comparison(comparison, upper, names=names)
    plot_difference(comparison, lower, names=names)
    axes_of_a_curve(upper, comparison.first)
    upper.set_xlabel("")
    _axes_of_a_difference(lower, comparison)
    legend_below(upper, None, also=lower)
    return upper


def _axes_of_a_difference(ax: Any, comparison: Comparison) -> None:
    axes_of_a_curve(ax, comparison.first)
    ax.set_ylabel(f"difference in {measure_title(comparison.first)}", parse_math=False)


def _called(comparison: Comparison, names: Sequence[str] | None) -> tuple[str, str]:
    if names is None:
        return comparison.names
    if isinstance(names, str) or len(names) != 2:
        raise InputError(
            f"names must be those of the two systems; got {shown(names)}. Give two, such as"
            ' names=("A", "B").'
        )
    return names[0], names[1]


def _shade(ax: Any, comparison: Comparison, called: tuple[str, str]) -> None:
    """The ground in colour and hatch of whichever system is better there."""
    order = np.argsort(comparison.alpha, kind="stable")
    alpha, who = comparison.alpha[order], comparison.better[order]
    for k in (0, 1):
        label = f"{called[k]} better ({level_words(comparison.level)})"
        for start, stop in zones(alpha, who == k + 1):
            ax.axvspan(
                start, stop, facecolor=(_COLOURS[k], 0.10), edgecolor=(_COLOURS[k], 0.35),
                hatch=_HATCHES[k], linewidth=0.0, zorder=0.5, label=label,
                gid=f"better-{k + 1}",
            )  # fmt: skip
            label = "_nolegend_"


def _legend(ax: Any, *, fresh: bool) -> None:
    """Under axes of our own, else inside: a caller's figure keeps its size."""
    legend(ax, loc="best")
    if fresh:
        legend_below(ax, None)
