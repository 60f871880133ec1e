"""Curves of test sets with the points that thresholds chosen on dev lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from betaroc.core.checks import choice, probability_array
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.notices import public
from betaroc.core.text import shown
from betaroc.decision.epc import Epc
from betaroc.model.criteria import CRITERIA
from betaroc.rendering.curves import deviate, plot_det, plot_roc
from betaroc.rendering.nouns import required
from betaroc.rendering.numbers import number
from betaroc.rendering.style import COLOURS, checked_axes, legend, legend_below

if TYPE_CHECKING:
    from betaroc.model.measures import OperatingPoint

__all__ = ["plot_a_priori", "plot_a_priori_points"]

_CURVES = ("det", "roc")
_LINES = ("-", "--", "-.", ":")
#: Points: an alpha stands to the right of its dot for one system, to the left for the next.
_BESIDE = ((6, 4), (-20, -11))
#: Alphas that agree to this are one alpha.
_SAME = 1e-9


@public
def plot_a_priori(
    curves: Sequence[Epc],
    ax: Any = None,
    *,
    alpha: npt.ArrayLike | None = None,
    curve: str = "det",
    names: Sequence[str] | None = None,
) -> Any:
    """Lay the DETs or ROCs of several test sets over each other, with the points reached.

    A curve shows every threshold, chosen with the test scores in sight; the points show
    what the thresholds that dev chose have led to.

    Parameters
    ----------
    curves : sequence of Epc
        One for each system: its test set is drawn.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    alpha : array_like, optional
        Which points, as in :func:`plot_a_priori_points`.
    curve : {"det", "roc"}
        FRR against FAR on normal deviates, or TPR against FAR.
    names : sequence of str, optional
        What the systems are called; the names of their test sets where left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If `curve` is neither, an alpha is none of a curve's or `names` are fewer or more.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
    >>> systems = [
    ...     br.epc(dev, br.ScoreModel(br.Beta(b, 2), br.Beta(2, b)), alpha=[0.3, 0.5])
    ...     for b in (4, 3)
    ... ]
    >>> ax = plot_a_priori(systems, names=["A", "B"])
    >>> [text.get_text() for text in ax.figure.legends[0].get_texts()][:2]
    ['A', 'A, chosen on dev']
    """
    choice(curve, _CURVES, "curve")
    if isinstance(curves, Epc) or not isinstance(curves, Sequence) or not curves:
        raise InputTypeError(
            f"curves must be a list of one or more Epc; got {shown(curves)}. Pass"
            " [br.epc(dev, test), ...], one a system."
        )
    for k, one in enumerate(curves):
        required(one, Epc, f"curves[{k}]")
    fresh = ax is None
    called = [e.test.name or e.dev.name or f"system {k}" for k, e in enumerate(curves, start=1)]
    if names is not None:
        if isinstance(names, str) or len(names) != len(called):
            raise InputError(
                f"names must be one for each of the {len(called)} curves; got {shown(names)}."
                " Give a name for each system."
            )
        called = list(names)
    for k, (epc, name) in enumerate(zip(curves, called, strict=True)):
        style = {"color": COLOURS[k % len(COLOURS)], "linestyle": _LINES[k % len(_LINES)]}
        if curve == "det":
            ax = plot_det(epc.test.det(), ax, label=name, linewidth=1.2, **style)
        else:
            ax = plot_roc(epc.test.roc(), ax, label=name, linewidth=1.2, **style)
        plot_a_priori_points(epc, ax, alpha=alpha, color=style["color"], label=name)
    if fresh and ax is not None:
        legend_below(ax, None)
    return ax


@public
def plot_a_priori_points(
    epc: Epc, ax: Any, *, alpha: npt.ArrayLike | None = None, **style: Any
) -> Any:
    """Mark on a ROC or DET of the test set where dev's thresholds lie, and test's own.

    Parameters
    ----------
    epc : Epc
        The curve whose thresholds were chosen on dev.
    ax : matplotlib Axes
        What :func:`plot_det` or :func:`plot_roc` has drawn on.
    alpha : array_like, optional
        Some of the curve's alphas; three of them, evenly spread, where left out.
    **style
        ``color`` and ``label`` of the markers.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If an alpha is none of the curve's, or the axes hold neither a DET nor a ROC.

    Notes
    -----
    Filled dots are a priori, thresholds chosen on dev; open diamonds a posteriori, the
    thresholds that the criterion would choose on test itself. A thin line joins both of
    one alpha, which is written beside the dot. On normal deviates a rate of 0 or 1 lies
    at infinity, outside the frame.

    References
    ----------
    Bengio, S., Keller, M. and Mariethoz, J. (2004), The expected performance
    curve, IDIAP-RR 03-85.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
    >>> test = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> curve = br.epc(dev, test, alpha=[0.5])
    >>> ax = plot_a_priori_points(curve, test.roc().plot())
    >>> [line.get_gid() for line in ax.lines if line.get_gid() != "chance"][-2:]
    ['a-priori', 'a-posteriori']
    """
    required(epc, Epc, "epc")
    checked_axes(ax)
    from betaroc.decision.epc import epc as expected_performance

    places = _places(epc, alpha)
    own = expected_performance(
        epc.test, epc.test, criterion=epc.criterion, measure=epc.measure,
        alpha=None if CRITERIA[epc.criterion].single else epc.alpha[places],
    )  # fmt: skip
    x, y = _coordinates(ax, epc.points[places])
    own_x, own_y = _coordinates(ax, own.points)
    colour = style.get("color", COLOURS[0])
    name = style.get("label")
    prefix = f"{name}, " if name else ""
    for k in range(len(places)):
        ax.plot([x[k], own_x[k]], [y[k], own_y[k]], color=colour, linewidth=0.7, gid="joined")
    before = sum(line.get_gid() == "a-priori" for line in ax.lines)
    mark = {"color": colour, "linestyle": "none"}
    ax.plot(x, y, marker="o", markersize=5, markeredgecolor="white", markeredgewidth=0.6,
            gid="a-priori", label=f"{prefix}chosen on dev", zorder=6.0, **mark)  # fmt: skip
    ax.plot(own_x, own_y, marker="D", markersize=6, markerfacecolor="white", gid="a-posteriori",
            label=f"{prefix}own optimum", zorder=5.0, **mark)  # fmt: skip
    if not CRITERIA[epc.criterion].single:
        beside = _BESIDE[before % len(_BESIDE)]
        for k, place in enumerate(places):
            ax.annotate(
                number(float(epc.alpha[place]), 3), (x[k], y[k]), beside, fontsize=7, color=colour,
                textcoords="offset points", annotation_clip=True, zorder=7.0, gid="alpha",
                bbox={"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.5},
            )  # fmt: skip
    legend(ax, loc="best")
    return ax


def _places(epc: Epc, alpha: npt.ArrayLike | None) -> list[int]:
    """Where the wanted alphas stand in the curve."""
    if alpha is None:
        order = np.argsort(epc.alpha, kind="stable")
        inner = np.linspace(0, order.size - 1, 5)[1:4].round().astype(np.intp)
        return [int(k) for k in (order[inner] if order.size > 3 else order)]
    wanted = np.atleast_1d(probability_array(alpha, "alpha")).ravel()
    places = []
    for a in wanted:
        place = int(np.argmin(np.abs(epc.alpha - a)))
        if not abs(epc.alpha[place] - a) <= _SAME:
            raise InputError(
                f"alpha must be some of the {epc.alpha.size} at which the curve was computed; got"
                f" {float(a)!r}, the nearest is {float(epc.alpha[place])!r}. Take that, or give"
                " epc this alpha."
            )
        places.append(place)
    return places


def _coordinates(ax: Any, points: OperatingPoint) -> tuple[Any, Any]:
    """Where the points lie on the axes, which remember what was drawn on them."""
    far, frr = np.atleast_1d(points.far), np.atleast_1d(points.frr)
    kind = ax.get_gid()
    if kind == "det":
        return deviate(far), deviate(frr)
    if kind == "linear-det":
        return far, frr
    if kind == "roc":
        return far, np.atleast_1d(points.tpr)
    if kind == "impostor-roc":
        return frr, np.atleast_1d(points.tnr)
    raise InputError(
        "ax must be axes on which plot_det or plot_roc has drawn; got axes without a curve of"
        " theirs. Draw the curve of the test set first, such as ax = epc.test.det().plot()."
    )
