"""Is a law that of its scores? Their ordered scores against what the law expects of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.errors import InputTypeError
from betaroc.core.notices import public
from betaroc.core.thresholds import FloatArray, Thresholds
from betaroc.data.scores import require_scores
from betaroc.fits.check import repeated
from betaroc.rendering.style import CLIENT, GREY, IMPOSTOR, legend, named, new_axes, rate_axis

if TYPE_CHECKING:
    from betaroc.distributions.base import Distribution
    from betaroc.fits.fit import DistributionFit, Fit

__all__ = ["plot_fit"]

#: Order statistics drawn on the scale of each of the two pictures, ends included.
_DRAWN = 150
#: Of either end so many are drawn each.
_ENDS = 10
_KINDS = ("pp", "qq")
#: Room around what is drawn, as a share of it.
_ROOM = 0.04


@public
def plot_fit(fit: Fit, kind: str = "qq", ax: Any = None, *, level: float = 0.95) -> Any:
    """Draw the ordered scores of both classes against what the fitted laws expect of them.

        pp: F(x_(i)) against the median of U_(i),   qq: x_(i) against F^-1(median of U_(i)),
        U_(i) ~ Beta(i, n + 1 - i) the i-th of n ordered uniform numbers

    Parameters
    ----------
    fit : Fit
        Of a parametric family.
    kind : str
        "pp" for probabilities, "qq" for scores, on the logit scale if the laws are on [0, 1].
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out. Empty ones are named and framed.
    level : float
        Confidence of the band: at each score by itself, between the quantiles of U_(i).

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If `kind` or `level` is out of range, or weights are no whole numbers of copies.
    InputTypeError
        If `fit` is no Fit, or its laws are the scores themselves.

    Notes
    -----
    On the diagonal scores are as the law says. The band is that of a known law: parameters
    estimated from the same scores keep nearer to it. Of many scores about 150 a class are
    drawn, spread over the scale, the most extreme ones among them. Point masses fit by
    construction and are left out, which the legend says; of scores in cells (`resolution`)
    the shares up to the edges of the cells are drawn, with Beta(i + 1/2, n - i + 1/2). Scores
    of exactly 0 or 1 that a rule censored or moved have no logit and are not in "qq".

    References
    ----------
    Wilk, M. B. and Gnanadesikan, R. (1968), Probability plotting methods for the analysis of
    data.

    Examples
    --------
    >>> import betaroc as br
    >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
    >>> ax = plot_fit(br.fit(br.Scores(client, impostor)), "pp")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('share of the scores', 'probability by the fitted law')
    """
    from betaroc.fits.fit import Fit

    if not isinstance(fit, Fit):
        raise InputTypeError(
            f"fit must be a Fit; got {type(fit).__name__}. Make one with br.fit(scores)."
        )
    kind = checks.choice(kind, _KINDS, "kind")
    level = checks.level(level)
    require_scores(fit.scores, "a picture of ordered scores")
    classes = [_Ordered.of(fit, who) for who in ("client", "impostor")]
    ax = new_axes(ax, square=True)
    fresh = not ax.has_data()
    for ordered, colour in zip(classes, (CLIENT, IMPOSTOR), strict=True):
        _draw(ax, ordered, kind, level, colour)
    if fresh:
        _frame(ax, kind, unit=classes[0].law.on_unit and classes[1].law.on_unit)
    legend(ax, loc="upper left")
    return ax


class _Ordered(NamedTuple):
    """One class: places on the score scale, ascending, and the scores up to each."""

    name: str
    law: Distribution
    places: FloatArray
    #: Parameters of the beta law of the share below each place.
    below: FloatArray
    above: FloatArray

    @classmethod
    def of(cls, fit: Fit, who: str) -> _Ordered:
        result: DistributionFit = getattr(fit, who)
        if result.distribution.continuous is None:
            raise InputTypeError(
                "fit must be of laws with a density; this one is of the scores themselves, which"
                ' they fit by construction. Fit another family, such as "beta".'
            )
        law = result.distribution.continuous[1]
        rule = result.boundary
        values = np.sort(repeated(require_scores(fit.scores, "a picture of ordered scores"), who))
        total, name = values.size, who
        if rule is not None and rule.policy in ("inflate", "error", "drop"):
            values = values[(values > 0.0) & (values < 1.0)]
        n = values.size
        if n < total:
            name = f"{who}, without {total - n} of {total} at the ends"
        if rule is not None and rule.policy == "interval" and rule.resolution is not None:
            cells, counts = np.unique(np.rint(values / rule.resolution), return_counts=True)
            i = np.cumsum(counts)[:-1]
            edges = np.minimum((cells[:-1] + 0.5) * rule.resolution, 1.0)
            return cls(name, law, edges, i + np.float64(0.5), n - i + np.float64(0.5))
        i = _thinned(n)
        return cls(name, law, values[i - 1], i.astype(np.float64), n + 1.0 - i)


def _thinned(n: int) -> Any:
    """Ranks 1 ... n spread evenly over the probabilities and over their logits."""
    even = np.linspace(1.0, n, _DRAWN)
    reach = np.log(float(n))
    tails = 1.0 + (n - 1.0) / (1.0 + np.exp(-np.linspace(-reach, reach, _DRAWN)))
    ends = np.minimum(np.arange(1, _ENDS + 1), n)
    ranks = np.concatenate([even, tails, ends, n + 1 - ends])
    return np.unique(np.clip(np.rint(ranks), 1, n).astype(np.int64))


def _draw(ax: Any, ordered: _Ordered, kind: str, level: float, colour: str) -> None:
    """Points of one class over its band."""
    tail = 0.5 * (1.0 - level)
    low, middle, high = (_shares(ordered, at) for at in (tail, 0.5, 1.0 - tail))
    if kind == "pp":
        x, y = middle[0], np.asarray(ordered.law.cdf(ordered.places))
        band = low[0], high[0]
    else:
        t = Thresholds.from_theta(ordered.places)
        y = t.logit if ordered.law.on_unit else t.theta
        x = _quantiles(ordered.law, *middle)
        band = _quantiles(ordered.law, *low), _quantiles(ordered.law, *high)
    seen = np.isfinite(x) & np.isfinite(y)
    ax.fill_between(
        x[seen], band[0][seen], band[1][seen], color=colour, alpha=0.18, linewidth=0.0,
        label="_nolegend_",
    )  # fmt: skip
    ax.plot(
        x[seen], y[seen], linestyle="none", marker="o", markersize=2.4, color=colour,
        markeredgewidth=0.0, label=ordered.name,
    )  # fmt: skip


def _shares(ordered: _Ordered, at: float) -> tuple[FloatArray, FloatArray]:
    """A quantile of the share of the law below each place, and what is left above."""
    from scipy.special import betaincinv

    return (
        np.asarray(betaincinv(ordered.below, ordered.above, at)),
        np.asarray(betaincinv(ordered.above, ordered.below, 1.0 - at)),
    )


def _quantiles(law: Distribution, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Quantiles in the law's own coordinate, each from its smaller tail."""
    found = []
    for p, is_lower in ((lower, True), (upper, False)):
        t = law._quantile(p, lower=is_lower)
        found.append(t.logit if law.on_unit else t.theta)
    return np.where(lower <= 0.5, found[0], found[1])


def _frame(ax: Any, kind: str, *, unit: bool) -> None:
    """Axes of one scale with their diagonal; names of what they show."""
    points = [line for line in ax.lines if line.get_marker() == "o"]
    x, y = (np.concatenate([line.get_data()[k] for line in points]) for k in (0, 1))
    limits = (0.0, 1.0)
    if kind == "qq" and x.size:
        limits = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
    room = _ROOM * max(limits[1] - limits[0], 1e-12)
    frame = limits[0] - room, limits[1] + room
    ax.plot(frame, frame, color=GREY, linewidth=0.8, linestyle=":", gid="same", zorder=1.0)
    ax.set(xlim=frame, ylim=frame)
    if kind == "pp":
        rate_axis(ax.xaxis)
        rate_axis(ax.yaxis)
        named(ax, "share of the scores", "probability by the fitted law")
        return
    scale = "logit " if unit else ""
    named(ax, f"{scale}quantile of the fitted law", f"{scale}score")
