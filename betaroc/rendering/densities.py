"""Histograms of scores and the laws fitted to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from betaroc.core.checks import count, finite, score_array, weights_array
from betaroc.core.errors import InputError
from betaroc.core.notices import public
from betaroc.core.text import shown
from betaroc.core.thresholds import FloatArray
from betaroc.distributions.base import Distribution
from betaroc.model.model import ScoreModel
from betaroc.rendering.nouns import distribution_of, pair_of
from betaroc.rendering.style import CLIENT, IMPOSTOR, legend, named, new_axes

if TYPE_CHECKING:
    from betaroc.fits.fit import DistributionFit, Fit

__all__ = ["plot_densities", "plot_density", "plot_histogram"]

#: Room beside the scale, as a share of it, so that what happens at an end is seen.
_ROOM = 0.03
#: Beyond it the differences that axes are made of leave the doubles.
_WIDEST = 1e300


@public
def plot_histogram(
    scores: npt.ArrayLike,
    law: Distribution | DistributionFit | None = None,
    ax: Any = None,
    *,
    weights: npt.ArrayLike | None = None,
    bins: int = 20,
    limits: tuple[float, float] | None = None,
    **style: Any,
) -> Any:
    """Draw a histogram of one class's scores, and the density of a law over it.

    Parameters
    ----------
    scores : array_like
        The scores.
    law : Distribution or DistributionFit, optional
        Drawn over the bars; its point masses as stems, and the scores there
        are left out of the bars.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    weights : array_like, optional
        Frequencies, one a score.
    bins : int
        Number of bars.
    limits : tuple of float, optional
        First and last edge; by default [0, 1] where all scores lie in it, else
        their range.
    **style
        ``color`` and ``label`` of bars, line and stems alike.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The bars' area is the share of the scores they hold, so that bars and
    density are on one scale. A stem of mass p is as high as a bar holding p.

    Examples
    --------
    >>> from betaroc import Beta
    >>> ax = plot_histogram([0.1, 0.2, 0.25, 0.7], Beta(1.0, 2.0))
    >>> len(ax.patches), ax.get_ylabel()
    (20, 'density')
    """
    values = score_array(scores, "scores")
    law = None if law is None else distribution_of(law, "law")
    mass = np.ones(values.size)
    if weights is not None:
        mass = weights_array(weights, values.size, "weights")
    low, high = span(values) if limits is None else _checked_limits(limits)
    edges = np.linspace(low, high, count(bins, "bins") + 1)
    width = float(edges[1] - edges[0])
    in_bars = np.ones(values.size, dtype=bool)
    if law is not None and law.continuous is not None:
        in_bars = ~np.isin(values, law.atoms.places)
    heights = np.histogram(values[in_bars], edges, weights=mass[in_bars])[0] / mass.sum() / width
    fresh = ax is None
    ax = new_axes(ax)
    colour = style.get("color", CLIENT)
    ax.bar(edges[:-1], heights, width, align="edge", color=colour, alpha=0.32, edgecolor="white",
           linewidth=0.5, label=style.get("label"))  # fmt: skip
    if law is not None and law.continuous is not None:
        density_line(ax, law, low, high, color=colour)
        _stems(ax, law, width, colour)
    if fresh:
        _room(ax, low, high)
        ax.set_ylim(0.0, 1.25 * max(float(heights.max()), typical(law)))
        named(ax, "score", "density")
    legend(ax)
    return ax


def _checked_limits(limits: tuple[float, float]) -> tuple[float, float]:
    if not isinstance(limits, tuple | list) or len(limits) != 2:
        raise InputError(f"limits must be two numbers, low and high; got {shown(limits)}.")
    low, high = (finite(v, "limits") for v in limits)
    if not low < high:
        raise InputError(f"limits must be (low, high) with low < high; got ({low!r}, {high!r}).")
    return low, high


@public
def plot_densities(model: ScoreModel | Fit, ax: Any = None, **style: Any) -> Any:
    """Draw the densities of both laws of a pair, point masses as stems.

    Parameters
    ----------
    model : ScoreModel or Fit
        The pair.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    **style
        Properties of both lines.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Densities that are infinite at an end leave the frame there. A stem of mass
    p is as high as a bar of a twentieth of the frame's width holding p.

    Examples
    --------
    >>> import betaroc as br
    >>> ax = plot_densities(br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['client', 'impostor']
    """
    model = pair_of(model)
    for law, colour, name in (
        (model.client, CLIENT, "client"),
        (model.impostor, IMPOSTOR, "impostor"),
    ):
        ax = plot_density(law, ax, **{"color": colour, "label": name, **style})
    return ax


@public
def plot_density(law: Distribution | DistributionFit, ax: Any = None, **style: Any) -> Any:
    """Draw the density of one law, its point masses as stems.

    Parameters
    ----------
    law : Distribution or DistributionFit
        Any law; an empirical one has no density and leaves the axes empty.
    ax : matplotlib Axes, optional
        Where to draw, over what the axes show; new axes if left out.
    **style
        Properties of the line.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    A stem of mass p is as high as a bar of a twentieth of the scale holding p.

    Examples
    --------
    >>> from betaroc import Beta
    >>> ax = plot_density(Beta(5, 2), label="client")
    >>> ax.get_ylabel()
    'density'
    """
    law = distribution_of(law, "law")
    low, high = _range(law)
    fresh = ax is None
    ax = new_axes(ax)
    if law.continuous is not None:
        density_line(ax, law, low, high, **style)
    _stems(ax, law, 0.05 * (high - low), style.get("color", CLIENT))
    top = 1.15 * (typical(law) or 1.0)
    shown = (low, high)
    if not fresh:
        top = max(top, ax.get_ylim()[1])
        shown = min(low, ax.dataLim.x0), max(high, ax.dataLim.x1)
    _room(ax, *shown)
    ax.set_ylim(0.0, top)
    if fresh:
        named(ax, "score", "density")
    legend(ax)
    return ax


def span(*samples: FloatArray) -> tuple[float, float]:
    """[0, 1] where all scores lie in it, else the range that holds them."""
    low, high = min(float(s.min()) for s in samples), max(float(s.max()) for s in samples)
    _refuse_too_wide(low, high)
    if 0.0 <= low and high <= 1.0:
        return 0.0, 1.0
    if low == high:
        room = max(abs(low), 1.0) * 0.5
        return low - room, high + room
    return low, high


def _refuse_too_wide(low: float, high: float) -> None:
    """Axes are differences of their ends, and of more than these."""
    if max(abs(low), abs(high)) > _WIDEST:
        raise InputError(
            f"a picture must be of scores between -{_WIDEST:g} and {_WIDEST:g}; got {low:.6g} to"
            f" {high:.6g}. Rescale them."
        )


def _range(law: Distribution) -> tuple[float, float]:
    """The support where it is bounded, else all but a thousandth at each end."""
    low, high = law.support
    low = low if np.isfinite(low) else float(law.ppf(1e-3))
    high = high if np.isfinite(high) else float(law.isf(1e-3))
    _refuse_too_wide(low, high)
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def typical(law: Distribution | None) -> float:
    """A height that shows the law: its density among the middle scores.

    Of a law most of whose scores round to an end of the scale, where it is infinite, the rest.
    """
    if law is None or law.continuous is None:
        return 0.0
    share, base = law.continuous
    places = base.ppf(np.linspace(0.2, 0.8, 61))
    heights = base.pdf(places)
    return share * float(np.max(heights, initial=0.0, where=np.isfinite(heights)))


def _room(ax: Any, low: float, high: float) -> None:
    margin = _ROOM * (high - low)
    ax.set_xlim(low - margin, high + margin)


def density_line(ax: Any, law: Distribution, low: float, high: float, **style: Any) -> None:
    """The density between two places, finer near them; where it is infinite it leaves the frame."""
    if law.continuous is None:
        return
    width = high - low
    first, last = (_first(law, low, high, lower=lower) for lower in (True, False))
    middle = np.linspace(0.005, 0.995, 600)
    near = first * np.geomspace(1.0, 0.005 / first, 60)[:-1]
    far = 1.0 - (last * np.geomspace(1.0, 0.005 / last, 60)[:-1])[::-1]
    x = low + np.concatenate([near, middle, far]) * width
    y = np.asarray(law.pdf(x))
    keep = np.isfinite(y)
    x, y = x[keep], y[keep]
    if x.size == 0:  # all of it is one double
        return
    beyond = 1e3 * max(typical(law), float(y.max()))
    for place, at in ((low, 0), (high, x.size)):
        if np.isposinf(law.continuous[1].pdf(place)):
            x, y = np.insert(x, at, place), np.insert(y, at, beyond)
    ax.plot(x, y, **{"linewidth": 1.6, **style})


def _first(law: Distribution, low: float, high: float, *, lower: bool) -> float:
    """How near to an end the line starts, as a share of the range.

    A density that is 0 at the very end and high within a line's width of it would be
    drawn as a tick: it starts where its mass does.
    """
    base = law.continuous[1] if law.continuous is not None else law
    if np.isposinf(base.pdf(low if lower else high)):
        return 1e-7
    place = float(base.ppf(0.01) if lower else base.isf(0.01))
    inside = (place - low if lower else high - place) / (high - low)
    return float(np.clip(inside, 1e-7, 1e-3))


def _stems(ax: Any, law: Distribution, width: float, colour: str) -> None:
    """Point masses, each named; those of a sample are its bars, or too many to name."""
    if law.continuous is None:
        return
    low, high = law.support
    for place, mass in zip(law.atoms.places.tolist(), law.atoms.masses.tolist(), strict=True):
        ax.plot([place, place], [0.0, mass / width], color=colour, linewidth=2.6, marker="o",
                markevery=[1], markersize=5, clip_on=True, solid_capstyle="butt")  # fmt: skip
        left = bool(place - low < high - place)
        ax.annotate(
            f"P(S = {place:g}) = {100.0 * mass:.3g} %",
            (0.07 if left else 0.93, 0.97 - 0.07 * len(ax.texts)),
            xycoords="axes fraction",
            ha="left" if left else "right",
            va="top",
            fontsize=8,
            color=colour,
            parse_math=False,
        )
