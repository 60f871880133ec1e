"""Expected performance curves: a measure met on test, its band, and what dev had promised."""

from __future__ import annotations

from typing import Any

import numpy as np

from betaroc.core.errors import InputError
from betaroc.core.notices import public
from betaroc.decision.epc import Epc
from betaroc.inference.interval import Band
from betaroc.model.criteria import CRITERIA
from betaroc.rendering.alphas import axes_of_a_curve, draw_interval, marker_of, zones
from betaroc.rendering.nouns import required
from betaroc.rendering.numbers import level_words
from betaroc.rendering.style import (
    GREY,
    has_legend_below,
    legend,
    legend_below,
    named,
    new_axes,
    rate_axis,
)
from betaroc.report.epc import is_rate, measure_title

__all__ = ["plot_epc", "plot_expected_obtained"]


@public
def plot_epc(
    epc: Epc,
    ax: Any = None,
    *,
    band: Band | None = None,
    expected: bool = False,
    a_posteriori: bool = False,
    **style: Any,
) -> Any:
    """Draw the measure met on test against the criterion's alpha.

    Parameters
    ----------
    epc : Epc
        The curve; its criterion and measure name the axes.
    ax : matplotlib Axes, optional
        Where to draw; new axes on a figure of their own if left out. Pass the
        axes returned to lay several systems over each other.
    band : Band, optional
        Of this curve, from ``epc.band()``: filled in the colour of the line, and its
        level, its kind and whether dev chose again are in the legend.
    expected : bool
        Also what dev promised, thin and dashed.
    a_posteriori : bool
        Also what the thresholds chosen on test itself would give, thin and dotted.
    **style
        Properties of the line, such as ``color`` or ``label`` (default: the
        name of the test set, or of dev).

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If the band is that of another curve.

    Notes
    -----
    Zones of alpha where dev's threshold accepts or rejects everybody on dev have a
    grey ground. Values between two alphas are joined by a straight line, though a
    curve of scores moves in steps; fewer than twelve alphas have markers. A value
    that is 0/0 is a gap, of the band too. A criterion without alpha is a dot, what
    dev promised a hollow square, test's own threshold a hollow triangle. The legend
    stands below new axes, inside those of a caller.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5), name="demo")
    >>> test = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> ax = plot_epc(br.epc(dev, test), expected=True)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('alpha: weight of FAR against FRR', 'half total error rate on test')
    """
    required(epc, Epc, "epc")
    if band is not None:
        _refuse_another_curves_band(epc, band)
    fresh = ax is None
    ax = new_axes(ax)
    order = np.argsort(epc.alpha, kind="stable")
    alpha, single = epc.alpha[order], CRITERIA[epc.criterion].single
    name = style.pop("label", epc.dev.name if epc.test.name is None else epc.test.name)
    beside_others = expected or a_posteriori or band is not None
    main = "met on test" if not name and beside_others else name
    style = {"linewidth": 1.6, **marker_of(alpha), **({"label": main} if main else {}), **style}
    (line,) = ax.plot(alpha, epc.value[order], **style)
    beside = {"color": line.get_color(), "linewidth": 0.9, "markerfacecolor": "none"}
    prefix = f"{name}, " if name else ""
    if band is not None:
        low, high = band.low[order], band.high[order]
        draw_interval(ax, alpha, low, high, line.get_color(), label=prefix + _band_words(band))
    for wanted, values, dashes, shape, label in (
        (expected, epc.expected, "--", "s", "promised on dev"),
        (a_posteriori, epc.a_posteriori, ":", "^", "test's own threshold" + "s" * (not single)),
    ):
        if wanted:
            look = {"linestyle": dashes, **beside, **marker_of(alpha, shape)}
            ax.plot(alpha, values[order], label=prefix + label, **look)
    label = f"{prefix}trivial: dev accepts or rejects all"
    for start, stop in [] if single else zones(alpha, epc.trivial[order]):
        ax.axvspan(start, stop, color=GREY, alpha=0.22, linewidth=0, zorder=0.5, label=label,
                   gid="trivial")  # fmt: skip
        label = "_nolegend_"
    _legend(ax, fresh=fresh)
    if fresh:
        axes_of_a_curve(ax, epc)
    return ax


def _legend(ax: Any, *, fresh: bool) -> None:
    """Under axes of our own, where no data are; inside a caller's, whose figure keeps its size."""
    below = fresh or has_legend_below(ax)
    legend(ax, loc="best")
    if below:
        legend_below(ax, None)


@public
def plot_expected_obtained(epc: Epc, ax: Any = None, **style: Any) -> Any:
    """Draw the measure met on test against the one promised on dev.

    On the line y = x a promise is kept. Take the criterion's own rate as the
    measure to draw what was asked for against what was met.

    Parameters
    ----------
    epc : Epc
        The curve.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    **style
        Properties of the line.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Bengio, S., Keller, M. and Mariethoz, J. (2004), The expected performance
    curve, IDIAP-RR 03-85, Fig. 6.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
    >>> test = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> ax = plot_expected_obtained(br.epc(dev, test, criterion="far", measure="far"))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false acceptance rate promised on dev', 'false acceptance rate met on test')
    """
    required(epc, Epc, "epc")
    fresh = ax is None
    ax = new_axes(ax, square=True)
    order = np.argsort(epc.alpha, kind="stable")
    name = epc.dev.name if epc.test.name is None else epc.test.name
    style = {
        "linewidth": 1.4, "marker": ".", "markersize": 4,
        **({} if name is None else {"label": name}), **style,
    }  # fmt: skip
    ax.plot(epc.expected[order], epc.value[order], **style)
    if fresh:
        # Beyond every measure's range, so that it crosses any frame.
        ax.plot((-2.0, 2.0), (-2.0, 2.0), color=GREY, linewidth=0.8, linestyle=":",
                gid="identity", zorder=1.0, scalex=False, scaley=False)  # fmt: skip
        title = measure_title(epc)
        named(ax, f"{title} promised on dev", f"{title} met on test")
        if is_rate(epc.measure):
            rate_axis(ax.xaxis)
            rate_axis(ax.yaxis)
    _same_limits(ax)
    _legend(ax, fresh=fresh)
    return ax


def _band_words(band: Band) -> str:
    kind = "simultaneous" if band.simultaneous else "pointwise"
    dev = "fixed thresholds" if band.resample == "test" else "dev chosen again"
    return f"{level_words(band.level)} {kind}, {dev}"


def _refuse_another_curves_band(epc: Epc, band: Band) -> None:
    required(band, Band, "band")
    value = epc.value
    if not (
        np.array_equal(band.alpha, epc.alpha)
        and np.array_equal(band.estimate, value, equal_nan=True)
    ):
        raise InputError(
            f"band must be that of the curve drawn; got one of {band.alpha.size} alphas with other"
            f" alphas or values than the curve's {epc.alpha.size}. Take epc.band() of this curve."
        )


def _same_limits(ax: Any) -> None:
    """Both axes the same, wide enough for every curve, so that y = x is the diagonal."""
    curves = [line.get_xydata() for line in ax.lines if line.get_gid() != "identity"]
    values = np.concatenate([np.asarray(points, dtype=np.float64).ravel() for points in curves])
    values = values[np.isfinite(values)]
    if values.size:
        low, high = float(values.min()), float(values.max())
        margin = 0.05 * (high - low) or 0.05
        ax.set(xlim=(low - margin, high + margin), ylim=(low - margin, high + margin))
