"""An ensemble: the fitted ROCs with their hull, and the measured gains beside.

Above those in a learned fusion, in area; below those by a fixed rule, in its measure.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from betaroc.core.notices import public
from betaroc.ensemble.inclusion import Inclusion
from betaroc.ensemble.learned import CANNOT_TELL, MATTERS
from betaroc.model.roc import Roc
from betaroc.rendering.nouns import required
from betaroc.rendering.numbers import level_words
from betaroc.rendering.style import COLOURS, GREY, legend, named, new_axes, rate_axis

__all__ = ["plot_ensemble", "plot_gains", "plot_hull", "plot_learned"]

_LINES = ("-", "--", "-.", ":")
#: Of the parts: what they are called, and their markers.
_PARTS = {"all": ("all alphas", "o"), "strict": ("low-FAR end", "<"),
          "lax": ("high-FAR end", ">")}  # fmt: skip
_DARK = "#333333"
#: A legend on top of the axes.
_ABOVE: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.45, 1.0), "ncols": 2}
#: One under the axes, and the classifiers beyond which it is there.
_UNDER: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.45, -0.15), "fontsize": 7}
_MOST_INSIDE = 8
#: Inches: two square pictures side by side.
_WIDTH, _HEIGHT, _ROW = 8.4, 5.0, 0.34


@public
def plot_ensemble(result: Inclusion, *, rule: str = "mean-logit") -> Any:
    """Draw the ROCs, and beside them the gains in a learned fusion and by a fixed rule.

    Parameters
    ----------
    result : Inclusion
        From :func:`betaroc.inclusion`.
    rule : str
        The fusing rule whose gains are drawn.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> one = br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60))
    >>> two = br.Scores(rng.beta(3, 2, 60), rng.beta(2, 3, 60))
    >>> figure = plot_ensemble(br.inclusion({"one": one, "two": two}))
    >>> [ax.get_xlabel().splitlines() for ax in figure.axes]
    [['FAR'], ['gain in AUC of a learned fusion', '(shaded: less than 0.005; filled: it tells)'], \
['gain in weighted-error by mean-logit', '(at the ends: in HTER)']]
    """
    required(result, Inclusion, "result")
    from matplotlib.figure import Figure

    height = max(_HEIGHT, 3.4 + _ROW * len(result.names) * 2.4)
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    drawn = figure.subplot_mosaic(
        [["roc", "learned"], ["roc", "gains"]], height_ratios=(1.0, 1.7), width_ratios=(1.15, 1.0)
    )
    left, above, right = drawn["roc"], drawn["learned"], drawn["gains"]
    for ax in (left, above, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, color="#e4e4e4", linewidth=0.6)
        ax.set_axisbelow(True)
    left.set_box_aspect(1.0)
    plot_hull(result, left)
    plot_learned(result, above)
    plot_gains(result, right, rule=rule)
    _roc_axes(left)
    _learned_axes(above, result)
    _gain_axes(right, result, rule)
    return figure


@public
def plot_hull(result: Inclusion, ax: Any = None) -> Any:
    """Draw the fitted ROCs, the hull above them, the diagonal and the region.

    Parameters
    ----------
    result : Inclusion
        From :func:`betaroc.inclusion`.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The legend gives each classifier's verdict. Thin steps are the ROCs of the scores, which those
    of distributions that fit run along. What lies outside the region is shaded; points joined by
    a chord of the hull are marked.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> one = br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60))
    >>> two = br.Scores(rng.beta(3, 2, 60), rng.beta(2, 3, 60))
    >>> ax = plot_hull(br.inclusion({"one": one, "two": two}))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['one: include', 'two: cannot tell', "scores' ROCs", 'ROC hull']
    """
    required(result, Inclusion, "result")
    fresh = ax is None
    ax = new_axes(ax, square=True)
    _draw_scores(result, ax)
    for k, name in enumerate(result.names):
        points = result.fits[name].model.roc().points()
        ax.plot(
            points.far, points.tpr, color=COLOURS[k % len(COLOURS)], linewidth=1.6,
            linestyle=_LINES[(k // len(COLOURS) + k) % len(_LINES)],
            label=f"{name}: {result.verdict[name].word}",
        )  # fmt: skip
    ax.plot([], [], color=_DARK, linewidth=0.6, alpha=0.7, label="scores' ROCs")
    _draw_hull(result, ax)
    ax.plot((0.0, 1.0), (0.0, 1.0), color=GREY, linewidth=0.8, linestyle=":", gid="chance",
            zorder=1.0)  # fmt: skip
    low, high = result.region
    for start, stop in ((0.0, low), (high, 1.0)):
        if stop > start:
            ax.axvspan(start, stop, facecolor="#f0f0f0", edgecolor="none", zorder=0.4,
                       label="_nolegend_", gid="outside")  # fmt: skip
    if fresh:
        _roc_axes(ax)
    legend(ax, **_legend_place(result))
    return ax


def _legend_place(result: Inclusion) -> dict[str, Any]:
    """Inside the axes where there is room."""
    if len(result.names) > _MOST_INSIDE:
        return _UNDER
    # A curve below the diagonal runs where the legend else stands.
    below = any(result.fits[name].model.auc() < 0.5 for name in result.names)
    return _ABOVE if below else {"loc": "lower right"}


def _draw_scores(result: Inclusion, ax: Any) -> None:
    """The ROCs of the scores, thin, behind the fitted ones."""
    for k in range(len(result.names)):
        scores = result.systems.scores(k)
        points = Roc(*scores._distributions).points()
        ax.plot(points.far, points.tpr, color=COLOURS[k % len(COLOURS)], linewidth=0.6, alpha=0.7,
                zorder=1.8, label="_nolegend_", gid="scores")  # fmt: skip


def _draw_hull(result: Inclusion, ax: Any) -> None:
    hull = result.hull
    far = np.unique(np.concatenate([
        np.geomspace(1e-6, 1.0, 300), np.linspace(0.0, 1.0, 300),
        [s.far_low for s in hull.segments], [s.far_high for s in hull.segments],
    ]))  # fmt: skip
    ax.plot(far, np.asarray(hull.tpr(far)), color=_DARK, linewidth=3.2, alpha=0.28, zorder=1.6,
            solid_capstyle="round", label="ROC hull", gid="hull")  # fmt: skip
    chords = [s for s in hull.segments if s.kind == "chord"]
    x = [x for s in chords for x in (s.far_low, s.far_high)]
    y = [y for s in chords for y in (s.tpr_low, s.tpr_high)]
    if chords:
        ax.plot(x, y, color=_DARK, linestyle="none", marker="o", markersize=3.2,
                label="ends of chords", gid="chord-ends")  # fmt: skip


@public
def plot_learned(result: Inclusion, ax: Any = None) -> Any:
    """Draw what each classifier adds to a learned fusion of the others, with its interval.

    Parameters
    ----------
    result : Inclusion
        From :func:`betaroc.inclusion`.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The first that holds: an interval right of zero says include, one left of the shaded band leave
    out, one that ends within the band adds nothing; the band reaches from -0.005 to 0.005. Filled
    where the gain tells; nothing is drawn where nothing was measured.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> one = br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60))
    >>> two = br.Scores(rng.beta(3, 2, 60), rng.beta(2, 3, 60))
    >>> ax = plot_learned(br.inclusion({"one": one, "two": two}))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['one', 'two']
    """
    required(result, Inclusion, "result")
    fresh = ax is None
    ax = new_axes(ax)
    ax.axvspan(-MATTERS, MATTERS, facecolor="#e8e8e8", edgecolor="none", zorder=0.4, gid="none")
    for place, name in enumerate(result.names):
        gain, colour = result.verdict[name].gain, COLOURS[place % len(COLOURS)]
        face = "white" if gain.word == CANNOT_TELL else colour
        ax.plot((gain.low, gain.high), (place, place), color=colour, linewidth=1.5, gid="interval")
        ax.plot(gain.estimate, place, color=colour, marker="D", markersize=5.0,
                markerfacecolor=face, linestyle="none", gid="learned")  # fmt: skip
    ax.axvline(0.0, color="black", linewidth=0.9, linestyle=":", gid="zero")
    if fresh:
        _learned_axes(ax, result)
    return ax


@public
def plot_gains(result: Inclusion, ax: Any = None, *, rule: str = "mean-logit") -> Any:
    """Draw what each classifier adds to the others, with its intervals.

    Parameters
    ----------
    result : Inclusion
        From :func:`betaroc.inclusion`.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    rule : str
        The fusing rule.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If the rule is unknown.

    Notes
    -----
    Right of zero the classifier helps. Markers tell the parts of the curve apart; one that is
    filled has an interval without zero.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> one = br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60))
    >>> two = br.Scores(rng.beta(3, 2, 60), rng.beta(2, 3, 60))
    >>> ax = plot_gains(br.inclusion({"one": one, "two": two}))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['one', 'two']
    """
    required(result, Inclusion, "result")
    fresh = ax is None
    ax = new_axes(ax)
    for k, (part, (label, marker)) in enumerate(_PARTS.items()):
        shift = 0.22 * (k - 1)
        for place, name in enumerate(result.names):
            found = result.fusion.gain(name, rule, part)
            sure = found.low > 0.0 or found.high < 0.0
            colour = COLOURS[place % len(COLOURS)]
            ax.plot((found.low, found.high), (place + shift,) * 2, color=colour, linewidth=1.5,
                    label="_nolegend_", gid="interval")  # fmt: skip
            ax.plot(found.estimate, place + shift, color=colour, marker=marker, markersize=5.5,
                    markerfacecolor=colour if sure else "white", linestyle="none",
                    label="_nolegend_", gid=part)  # fmt: skip
        ax.plot([], [], color=_DARK, marker=marker, markersize=5.5, linestyle="none", label=label)
    for face, label in ((_DARK, "interval without 0"), ("white", "interval with 0")):
        ax.plot([], [], color=_DARK, marker="s", markersize=4.5, markerfacecolor=face,
                linestyle="none", label=label)  # fmt: skip
    ax.axvline(0.0, color="black", linewidth=0.9, linestyle=":", gid="zero")
    if fresh:
        _gain_axes(ax, result, rule)
    legend(ax, title=f"{level_words(result.level)} intervals", title_fontsize=8, **_ABOVE)
    return ax


def _roc_axes(ax: Any) -> None:
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    rate_axis(ax.xaxis)
    rate_axis(ax.yaxis)
    named(ax, "FAR", "TPR")


def _learned_axes(ax: Any, result: Inclusion) -> None:
    _rows(ax, result)
    named(
        ax,
        f"gain in AUC of a learned fusion\n(shaded: less than {MATTERS:g}; filled: it tells)",
        "",
    )
    ax.locator_params(axis="x", nbins=4)


def _rows(ax: Any, result: Inclusion) -> None:
    """A row a classifier, the first above."""
    ax.set_yticks(range(len(result.names)), result.names, parse_math=False)
    ax.set_ylim(len(result.names) - 0.5, -0.5)


def _gain_axes(ax: Any, result: Inclusion, rule: str) -> None:
    _rows(ax, result)
    measure, at_ends = (_shown(result.fusion.parts[part]["measure"]) for part in ("all", "strict"))
    also = "" if at_ends == measure else f"\n(at the ends: in {at_ends})"
    named(ax, f"gain in {measure} by {rule}{also}", "")
    rate_axis(ax.xaxis)
    ax.locator_params(axis="x", nbins=5)


def _shown(measure: str) -> str:
    return measure if measure == "weighted-error" else measure.upper()
