"""ROC, DET and precision-recall curves, drawn from the points they hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from betaroc.core.notices import public
from betaroc.core.thresholds import FloatArray
from betaroc.model.curves import Det, PrecisionRecall
from betaroc.model.roc import Roc
from betaroc.rendering.nouns import required
from betaroc.rendering.style import GREY, legend, named, new_axes, rate_axis

__all__ = ["plot_det", "plot_precision_recall", "plot_roc"]

#: Rates that are named on the axes of normal deviates.
_DEVIATE_TICKS = (
    1e-6, 1e-5, 1e-4, 1e-3, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999,
)  # fmt: skip
#: What a DET shows unless the sample is too small to speak of such rates.
_DET_LOW, _DET_HIGH = 1e-3, 0.95
#: Rates of 0 and 1 lie at infinity; they are drawn far outside the frame.
_BEYOND = 1e-15


@public
def plot_roc(roc: Roc, ax: Any = None, **style: Any) -> Any:
    """Draw a ROC, the chance line beside it.

    Parameters
    ----------
    roc : Roc
        The curve; its orientation names the axes.
    ax : matplotlib Axes, optional
        Where to draw; new axes on a figure of their own if left out. Pass the
        axes returned to lay several curves over each other.
    **style
        Properties of the line, such as ``color`` or ``label`` (default: the
        curve's name).

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Line data are fractions; the ticks say per cent. FAR and TPR for
    ``positive="client"``; F_c and F_i for ``positive="impostor"``.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5), name="demo")
    >>> ax = plot_roc(model.roc())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('FAR', 'TPR')
    >>> ax = plot_roc(model.generic().roc(), ax=ax, linestyle="--")
    """
    required(roc, Roc, "roc")
    points = roc.points()
    client = roc.positive == "client"
    x, y = (points.far, points.tpr) if client else (points.frr, points.tnr)
    fresh = ax is None
    ax = new_axes(ax, square=True)
    _line(ax, x, y, roc.name, style)
    ax.set_gid("roc" if client else "impostor-roc")  # for what is marked on the curve
    _chance_once(ax, (0.0, 1.0), (0.0, 1.0))
    if fresh:
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        rate_axis(ax.xaxis)
        rate_axis(ax.yaxis)
        named(ax, *(("FAR", "TPR") if client else ("F_c", "F_i")))
    legend(ax, loc="lower right")
    return ax


@public
def plot_det(det: Det, ax: Any = None, **style: Any) -> Any:
    """Draw FRR against FAR, on normal deviates or (``det.scale == "linear"``) as plain rates.

    Parameters
    ----------
    det : Det
        The curve.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    **style
        Properties of the line.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Line data are normal deviates of the rates (rates 0 and 1, at infinity, are
    drawn outside the frame). The frame reaches from 0.1 %, or from half of the
    smallest rate that a sample can show, to 95 %; a further curve widens it.

    Examples
    --------
    >>> import betaroc as br
    >>> ax = plot_det(br.ScoreModel(br.Normal(2, 1), br.Normal(0, 1)).det())
    >>> ax.get_xlabel()
    'FAR'
    """
    required(det, Det, "det")
    points = det.points()
    fresh = ax is None
    ax = new_axes(ax, square=True)
    ax.set_gid("linear-det" if det.scale == "linear" else "det")
    if det.scale == "linear":
        _line(ax, points.far, points.frr, det.name, style)
        _chance_once(ax, (0.0, 1.0), (1.0, 0.0))
        if fresh:
            ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
            rate_axis(ax.xaxis)
            rate_axis(ax.yaxis)
    else:
        _line(ax, deviate(points.far), deviate(points.frr), det.name, style)
        _chance_once(ax, (-9.0, 9.0), (9.0, -9.0))
        _frame(ax, _lowest(points.far), _lowest(points.frr), fresh=fresh)
    if fresh:
        named(ax, "FAR", "FRR")
    legend(ax, loc="upper right")
    return ax


@public
def plot_precision_recall(curve: PrecisionRecall, ax: Any = None, **style: Any) -> Any:
    """Draw precision against recall.

    Parameters
    ----------
    curve : PrecisionRecall
        The curve, at its prior.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    **style
        Properties of the line.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import betaroc as br
    >>> ax = plot_precision_recall(br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5)).precision_recall())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('recall', 'precision')
    """
    required(curve, PrecisionRecall, "curve")
    points = curve.points()
    known = ~np.isnan(points.precision)
    fresh = ax is None
    ax = new_axes(ax, square=True)
    _line(ax, points.recall[known], points.precision[known], curve.name, style)
    if fresh:
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        rate_axis(ax.xaxis)
        rate_axis(ax.yaxis)
        named(ax, "recall", "precision")
    legend(ax, loc="lower left")
    return ax


def _line(ax: Any, x: FloatArray, y: FloatArray, name: str | None, style: dict[str, Any]) -> None:
    style = {"linewidth": 1.6, **({} if name is None else {"label": name}), **style}
    ax.plot(x, y, **style)


def _chance_once(ax: Any, x: tuple[float, float], y: tuple[float, float]) -> None:
    if not any(line.get_gid() == "chance" for line in ax.lines):
        ax.plot(x, y, color=GREY, linewidth=0.8, linestyle=":", gid="chance", zorder=1.0)


def in_det_frame(det: Det) -> bool:
    """Whether any of the curve lies where a DET on normal deviates looks."""
    points = det.points()
    far, frr = (
        np.concatenate([rate, 0.5 * (rate[1:] + rate[:-1])]) for rate in (points.far, points.frr)
    )
    low, high = np.minimum(far, frr), np.maximum(far, frr)
    return bool(np.any((low > _DET_LOW) & (high < _DET_HIGH)))


def deviate(rate: Any) -> FloatArray:
    """Normal deviates of rates, the coordinates of a DET."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(rate, _BEYOND, 1.0 - _BEYOND)))


def _lowest(rate: FloatArray) -> float:
    """Half of the smallest rate of a sample; the usual limit where rates are smaller still."""
    return max(0.5 * float(np.min(rate[rate > 0.0])), _DET_LOW)


def _frame(ax: Any, low_x: float, low_y: float, *, fresh: bool) -> None:
    from matplotlib.ticker import FixedFormatter, FixedLocator

    for axis, low, limits, limit in (
        (ax.xaxis, low_x, ax.get_xlim(), ax.set_xlim),
        (ax.yaxis, low_y, ax.get_ylim(), ax.set_ylim),
    ):
        start, stop = (float(v) for v in deviate(np.array([low, _DET_HIGH])))
        if not fresh and limits != (0.0, 1.0) and limits[0] > -9.0:
            start, stop = min(start, limits[0]), max(stop, limits[1])
        places = deviate(np.array(_DEVIATE_TICKS))
        inside = (places >= start) & (places <= stop)
        # Not set_ticks, which changes the filters of warnings for a moment.
        named = zip(_DEVIATE_TICKS, inside, strict=True)
        axis.set_major_locator(FixedLocator(places[inside].tolist()))
        axis.set_major_formatter(FixedFormatter([f"{100.0 * r:g} %" for r, keep in named if keep]))
        limit(start, stop)
    ax.tick_params(axis="x", labelrotation=45)
