"""Pictures of curves, each of its own noun or an error that says how one is made."""

from __future__ import annotations

from typing import Any

from betaroc.core.checks import instance
from betaroc.model.curves import Det, PrecisionRecall
from betaroc.model.roc import Roc
from betaroc.rendering.style import Axes


def plot_roc(roc: Roc, ax: Axes | None = None, **style: Any) -> Axes:
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
        curve's name; of several nameless ones their numbers).

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
    return instance(roc, Roc, "roc", "model.roc(), or fit.model.roc()").plot(ax, **style)


def plot_det(det: Det, ax: Axes | None = None, **style: Any) -> Axes:
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
    return instance(det, Det, "det", "model.det(), or fit.model.det()").plot(ax, **style)


def plot_precision_recall(curve: PrecisionRecall, ax: Axes | None = None, **style: Any) -> Axes:
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
    made = "model.precision_recall(), or fit.model.precision_recall()"
    return instance(curve, PrecisionRecall, "curve", made).plot(ax, **style)
