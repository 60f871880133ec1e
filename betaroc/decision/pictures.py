"""Pictures of curves over alpha, of two systems, and of points that dev's thresholds lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.checks import choice, instance, probability_array
from betaroc.core.containers import width_of
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.notices import public
from betaroc.core.terms import BIOMETRIC
from betaroc.core.text import shown
from betaroc.decision.comparison import Comparison
from betaroc.decision.curve import index_of_alpha
from betaroc.decision.curve_difference import both_names
from betaroc.decision.epc import Epc, epc as expected_performance
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import rate_terms
from betaroc.rendering.alphas import (
    AlphaAxes,
    Better,
    draw_difference,
    draw_expected_observed,
    draw_replicates,
)
from betaroc.rendering.curves import draw_choices
from betaroc.rendering.style import COLOURS, Axes, legend_below, new_axes, stacked_axes

_CURVES = ("det", "roc")
_LINES = ("-", "--", "-.", ":")
#: Alphas that agree to this are one alpha.
_SAME = 1e-9


def _epc(value: Epc, name: str = "epc") -> Epc:
    return instance(value, Epc, name, "br.epc(dev, test)")


def _axes(epc: Epc, terms: str) -> AlphaAxes:
    words = rate_terms(terms, epc.dev._pair, epc.test._pair)
    return CRITERIA[epc.criterion].axes(epc.measure, words.name)


# ---------------------------------------------------------------------------- one curve
def plot_epc(epc: Epc, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the measure observed on test against the criterion's alpha.

    Parameters
    ----------
    epc : Epc
        The curve; its criterion and measure name the axes.
    ax : matplotlib Axes, optional
        Where to draw; new axes on a figure of their own if left out. Pass the
        axes returned to lay several systems over each other.
    **options
        As in :meth:`betaroc.Epc.plot`: what else is drawn of the curve, and properties of
        the line, such as ``color`` or ``label`` (default: the name of the test set, or of dev).

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
    dev expected a hollow square, test's own threshold a hollow triangle. The legend
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
    return _epc(epc).plot(ax, **options)


@public
def plot_expected_obtained(
    epc: Epc, ax: Axes | None = None, *, terms: str = BIOMETRIC, **style: Any
) -> Axes:
    """Draw the measure observed on test against the one expected on dev.

    On the line y = x what was expected is observed. Take the criterion's own rate as the
    measure to draw what was asked for against what was observed.

    Parameters
    ----------
    epc : Epc
        The curve.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    terms : str
        Words of the rates, as in :meth:`betaroc.Roc.plot`.
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
    ('false acceptance rate expected on dev', 'false acceptance rate observed on test')
    """
    e = _epc(epc)
    style = {"label": e.dev.name if e.test.name is None else e.test.name, **style}
    return draw_expected_observed(ax, e.alpha, e.expected, e.value, _axes(e, terms), style)


# -------------------------------------------------------------------------- two systems
def _comparison(value: Comparison) -> Comparison:
    return instance(value, Comparison, "comparison", "br.compare(epc_a, epc_b)")


def _better(comparison: Comparison, names: Sequence[str] | None) -> Better:
    return Better(comparison.better, both_names(comparison.names, names), comparison.level)


def plot_comparison(comparison: Comparison, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw both expected performance curves, the alphas in which they differ shaded.

    Parameters
    ----------
    comparison : Comparison
        From :func:`betaroc.compare`.
    ax : matplotlib Axes, optional
        Where to draw; new axes on a figure of their own if left out.
    **options
        As in :meth:`betaroc.Comparison.plot`: ``names`` of the two systems (those of the test sets
        where they differ, else A and B), ``scale`` and ``terms``.

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
    return _comparison(comparison).plot(ax, **options)


@public
def plot_difference(
    comparison: Comparison,
    ax: Axes | None = None,
    *,
    names: Sequence[str] | None = None,
    terms: str = BIOMETRIC,
) -> Axes:
    """Draw the difference of two curves with its interval and the line of no difference.

    Parameters
    ----------
    comparison : Comparison
        From :func:`betaroc.compare`.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    names : sequence of two str, optional
        What the systems are called, as in :func:`plot_comparison`.
    terms : str
        Words of the rates, as in :meth:`betaroc.Roc.plot`.

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
    c = _comparison(comparison)
    return draw_difference(
        ax, c.alpha, c.difference, (c.low, c.high), (c.band_low, c.band_high), _better(c, names),
        _axes(c.first, terms),
    )  # fmt: skip


@public
def plot_difference_histogram(
    comparison: Comparison,
    alpha: float | None = None,
    ax: Axes | None = None,
    *,
    bins: int = 50,
    names: Sequence[str] | None = None,
    terms: str = BIOMETRIC,
) -> Axes:
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
    terms : str
        Words of the rates, as in :meth:`betaroc.Roc.plot`.

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
    c = _comparison(comparison)
    better = _better(c, names)
    counts, edges = c.histogram(alpha, bins)
    place = index_of_alpha(c.first, alpha)
    estimate, low, high = (float(values[place]) for values in (c.difference, c.low, c.high))
    return draw_replicates(
        ax, counts, edges, (estimate, low, high), better, _axes(c.first, terms),
        float(c.alpha[place]),
    )  # fmt: skip


def draw_both(
    comparison: Comparison,
    names: Sequence[str],
    *,
    scale: str = "linear",
    terms: str = BIOMETRIC,
) -> Axes:
    """Both curves above, their difference below, on one figure; the upper axes."""
    upper, lower = stacked_axes()
    plot_comparison(comparison, upper, names=names, scale=scale, terms=terms)
    plot_difference(comparison, lower, names=names, terms=terms)
    upper.set_xlabel("")
    legend_below(upper, None, also=lower)
    return upper


# --------------------------------------------------------------------- points on curves
@public
def plot_a_priori(
    curves: Sequence[Epc],
    ax: Axes | None = None,
    *,
    alpha: npt.ArrayLike | None = None,
    curve: str = "det",
    names: Sequence[str] | None = None,
    terms: str = BIOMETRIC,
) -> Axes:
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
    terms : str
        Words of the rates, as in :meth:`betaroc.Roc.plot`.

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
        raise InputTypeError.about("curves")(
            f"curves must be a list of one or more Epc; got {shown(curves)}. Pass"
            " [br.epc(dev, test), ...], one a system."
        )
    for k, one in enumerate(curves):
        _epc(one, f"curves[{k}]")
    called = [e.test.name or e.dev.name or f"system {k}" for k, e in enumerate(curves, start=1)]
    if names is not None:
        if width_of(names) != len(called) or not all(isinstance(one, str) for one in names):
            raise InputError.about("names")(
                f"names must be one for each of the {len(called)} curves; got {shown(names)}."
                " Give a name for each system."
            )
        called = list(names)
    drawn = new_axes(ax, square=True)
    for k, (epc, name) in enumerate(zip(curves, called, strict=True)):
        colour = COLOURS[k % len(COLOURS)]
        noun = epc.test.det() if curve == "det" else epc.test.roc()
        drawn = noun.plot(
            drawn, label=name, linewidth=1.2, color=colour, linestyle=_LINES[k % len(_LINES)],
            terms=terms,
        )  # fmt: skip
        plot_a_priori_points(epc, drawn, alpha=alpha, color=colour, label=name)
    if ax is None:
        legend_below(drawn, None)
    return drawn


@public
def plot_a_priori_points(
    epc: Epc,
    ax: Axes | None = None,
    *,
    alpha: npt.ArrayLike | None = None,
    terms: str = BIOMETRIC,
    **style: Any,
) -> Axes:
    """Mark on a ROC or DET of the test set where dev's thresholds lie, and test's own.

    Parameters
    ----------
    epc : Epc
        The curve whose thresholds were chosen on dev.
    ax : matplotlib Axes, optional
        What :func:`plot_det` or :func:`plot_roc` has drawn on; the DET of the test set on new
        axes if left out.
    alpha : array_like, optional
        Some of the curve's alphas; three of them, evenly spread, where left out.
    terms : str
        Words of the rates on new axes, as in :meth:`betaroc.Roc.plot`.
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
    e = _epc(epc)
    ax = e.test.det().plot(terms=terms) if ax is None else new_axes(ax)
    places, single = _places(e, alpha), CRITERIA[e.criterion].single
    own = expected_performance(
        e.test, e.test, criterion=e.criterion, measure=e.measure,
        alpha=None if single else e.alpha[places],
    )  # fmt: skip
    chosen, beside = (e.far[places], e.frr[places]), None if single else e.alpha[places]
    return draw_choices(ax, chosen, (own.far, own.frr), beside, style)


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
            raise InputError.about("alpha")(
                f"alpha must be some of the {epc.alpha.size} at which the curve was computed; got"
                f" {float(a)!r}, the nearest is {float(epc.alpha[place])!r}. Take that, or give"
                " epc this alpha."
            )
        places.append(place)
    return places
