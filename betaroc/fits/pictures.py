"""Pictures of scores and the distributions fitted to them, from what was estimated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.class_words import ClassWords, shared_words
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.notices import public
from betaroc.core.terms import BIOMETRIC
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import require_scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import is_counted
from betaroc.estimation.families import family_text
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.fits.check import repeated
from betaroc.inference.interval import Band
from betaroc.inference.intervals import BOTH
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.rendering.curves import draw_rate_band
from betaroc.rendering.densities import Density, Ordered, draw_density, draw_histogram, draw_ordered
from betaroc.rendering.numbers import level_words
from betaroc.rendering.style import CLIENT, COLOURS, IMPOSTOR, Axes, checked_axes

#: Beyond it the differences that axes are made of leave the doubles.
_WIDEST = 1e300
#: Order statistics drawn on the scale of each of the two pictures, ends included.
_DRAWN = 150
#: Of either end so many are drawn each.
_ENDS = 10
#: Kinds of pictures of ordered scores.
ORDERED_KINDS = ("pp", "qq")


# ---------------------------------------------------------------- scores and densities
@public
def plot_histogram(
    scores: npt.ArrayLike,
    law: Distribution | Estimate | None = None,
    ax: Axes | None = None,
    *,
    weights: npt.ArrayLike | None = None,
    bins: int = 20,
    limits: tuple[float, float] | None = None,
    **style: Any,
) -> Axes:
    """Draw a histogram of one class's scores, and the density of a distribution over it.

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
    values = checks.score_array(scores, "scores")
    fitted = None if law is None else _distribution_of(law)
    if weights is not None:
        weights = checks.weights_array(weights, values.size, "weights")
    low, high = span(values) if limits is None else checks.span(limits, "limits")
    edges = np.linspace(low, high, checks.count(bins, "bins") + 1)
    heights = bar_heights(values, weights, fitted, edges)
    density = None if fitted is None else density_of(fitted, low, high)
    return draw_histogram(ax, heights, edges, density, style)


def bar_heights(
    values: FloatArray, weights: FloatArray | None, law: Distribution | None, edges: FloatArray
) -> FloatArray:
    """Of bars whose area is the share of the scores they hold, but for those on point masses."""
    mass = np.ones(values.size) if weights is None else weights
    beside = np.ones(values.size, dtype=bool)
    if law is not None and law.continuous is not None:
        beside = ~np.isin(values, law.atoms.places)
    counted = np.histogram(values[beside], edges, weights=mass[beside])[0]
    return np.asarray(counted / mass.sum() / float(edges[1] - edges[0]))


@public
def plot_densities(model: ScoreModel | PairEstimate, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw the densities of both distributions of a pair, point masses as stems.

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
    given = model.model if isinstance(model, PairEstimate) else model
    made = "br.ScoreModel(client, impostor), or br.fit(scores)"
    pair = checks.instance(given, ScoreModel, "model", made)
    words = _words(model) if isinstance(model, PairEstimate) else ClassWords()
    ax = plot_density(pair.client, ax, **{"color": CLIENT, "label": words.client, **style})
    return plot_density(pair.impostor, ax, **{"color": IMPOSTOR, "label": words.impostor, **style})


def _words(fit: PairEstimate) -> ClassWords:
    return shared_words([fit.scores.words])


@public
def plot_density(law: Distribution | Estimate, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw the density of one distribution, its point masses as stems.

    Parameters
    ----------
    law : Distribution or DistributionFit
        Any distribution; an empirical one has no density and leaves the axes empty.
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
    distribution = _distribution_of(law)
    limits = _range(distribution)
    return draw_density(ax, density_of(distribution, *limits), limits, style)


def _distribution_of(law: Distribution | Estimate) -> Distribution:
    """A distribution, or that of a fitted class."""
    given = law.distribution if isinstance(law, Estimate) else law
    made = "a constructor such as br.Beta(2, 1), or br.fit_distribution(scores)"
    return checks.instance(given, Distribution, "law", made)  # type: ignore[type-abstract]


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


def density_of(law: Distribution, low: float, high: float) -> Density:
    """The density between two places, finer near them, with its stems.

    Where it is infinite it leaves the frame. Of a sample nothing is drawn: its point masses are
    its bars, or too many to name.
    """
    if law.continuous is None:
        none = np.empty(0)
        return Density(none, none, none, none, law.support, 0.0)
    x, y = _line(law, law.continuous[1], low, high)
    return Density(x, y, law.atoms.places, law.atoms.masses, law.support, typical(law))


def typical(law: Distribution | None) -> float:
    """A height that shows the density: that among the middle scores.

    Of a distribution most of whose scores round to an end of the scale, where it is infinite,
    the rest.
    """
    if law is None or law.continuous is None:
        return 0.0
    share, base = law.continuous
    heights = base.pdf(base.ppf(np.linspace(0.2, 0.8, 61)))
    return share * float(np.max(heights, initial=0.0, where=np.isfinite(heights)))


def _line(
    law: Distribution, base: Distribution, low: float, high: float
) -> tuple[FloatArray, FloatArray]:
    first, last = (_first(base, low, high, lower=lower) for lower in (True, False))
    middle = np.linspace(0.005, 0.995, 600)
    near = first * np.geomspace(1.0, 0.005 / first, 60)[:-1]
    far = 1.0 - (last * np.geomspace(1.0, 0.005 / last, 60)[:-1])[::-1]
    x = low + np.concatenate([near, middle, far]) * (high - low)
    y = np.asarray(law.pdf(x))
    keep = np.isfinite(y)
    x, y = x[keep], y[keep]
    if x.size == 0:  # all of it is one double
        return x, y
    beyond = 1e3 * max(typical(law), float(y.max()))
    for place, at in ((low, 0), (high, x.size)):
        if np.isposinf(base.pdf(place)):
            x, y = np.insert(x, at, place), np.insert(y, at, beyond)
    return x, y


def _first(base: Distribution, low: float, high: float, *, lower: bool) -> float:
    """How near to an end the line starts, as a share of the range.

    A density that is 0 at the very end and high within a line's width of it would be
    drawn as a tick: it starts where its mass does.
    """
    if np.isposinf(base.pdf(low if lower else high)):
        return 1e-7
    place = float(base.ppf(0.01) if lower else base.isf(0.01))
    inside = (place - low if lower else high - place) / (high - low)
    return float(np.clip(inside, 1e-7, 1e-3))


# --------------------------------------------------------------------------------- ROC
@public
def plot_fitted_roc(
    fit: PairEstimate,
    ax: Axes | None = None,
    *,
    band: Band | None = None,
    scale: str = "linear",
    terms: str = BIOMETRIC,
    **style: Any,
) -> Axes:
    """Draw the fitted ROC, and in thin steps that of the scores.

    Parameters
    ----------
    fit : Fit
        Of any family; of the empirical distribution there is one curve.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    band : Band, optional
        Of this fit, from ``fit.roc_band()``: filled in the colour of the line.
    scale : str
        Of the horizontal axis, "linear" or "log".
    terms : str
        Words of the rates, as in :meth:`betaroc.Roc.plot`.
    **style
        ``color`` and ``label`` of both curves, and further properties of the fitted one.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If `scale` or `terms` is unknown, or `band` is that of another curve.
    InputTypeError
        If `fit` is no Fit.

    Notes
    -----
    The areas in the legend are those of the two curves.

    Examples
    --------
    >>> import betaroc as br
    >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
    >>> ax = plot_fitted_roc(br.fit(br.Scores(client, impostor), "normal"))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['normal fit, AUC 0.810', 'scores, AUC 0.793']
    """
    checks.instance(fit, PairEstimate, "fit", "br.fit(scores)", "Fit")
    fitted, counted = fit.model.roc(), empirical_model(fit.scores).roc()
    if band is not None:
        _refuse_other_band(fit, band)
    before = 0 if ax is None else sum(line.get_gid() == "curve" for line in checked_axes(ax).lines)
    name = style.pop("label", fit.scores.name)
    called = f"{name}: " if name else ""
    look = {"color": COLOURS[before // 2 % len(COLOURS)], **style}
    axes = {"scale": scale, "terms": terms}
    if not is_counted(fit.model.client):
        label = f"{called}{family_text(fit.family)} fit, AUC {fitted.auc():.3f}"
        ax = fitted.plot(ax, label=label, **axes, **{"linewidth": 2.0, **look})
    thin = {"color": look["color"], "linewidth": 0.8, "zorder": 1.9}
    ax = counted.plot(ax, label=f"{called}scores, AUC {counted.auc():.3f}", **axes, **thin)
    if band is not None:
        kind = "everywhere at once" if band.simultaneous else "at each FAR"
        label = f"{level_words(band.level)} interval {kind}"
        ends = 1.0 - band.high, 1.0 - band.low
        draw_rate_band(ax, band.alpha, ends, {"color": look["color"], "label": label})
    return ax


def _refuse_other_band(fit: PairEstimate, band: Band) -> None:
    checks.instance(band, Band, "band", "fit.roc_band()")
    own = np.asarray(fit.model.roc().tpr(band.alpha))
    if not (band.resample in ("fit", BOTH) and np.array_equal(own, band.estimate, equal_nan=True)):
        raise InputError.about("band")(
            "band must be that of the ROC drawn; got one of another curve. Take fit.roc_band() of"
            " this fit."
        )


# ---------------------------------------------------------------------- ordered scores
@public
def plot_fit(
    fit: PairEstimate, kind: str = "qq", ax: Axes | None = None, *, level: float = 0.95
) -> Axes:
    """Draw the ordered scores of both classes against what the fitted distributions expect of them.

        pp: F(x_(i)) against the median of U_(i),   qq: x_(i) against F^-1(median of U_(i)),
        U_(i) ~ Beta(i, n + 1 - i) the i-th of n ordered uniform numbers

    Parameters
    ----------
    fit : Fit
        Of a parametric family.
    kind : str
        "pp" for probabilities, "qq" for scores, on the logit scale if the distributions are on [0,
        1].
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
        If `fit` is no Fit, or its distributions are the scores themselves.

    Notes
    -----
    On the diagonal scores are as the distribution says. The band is that of a known law: parameters
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
    ('share of the scores', 'probability by the fitted distribution')
    """
    checks.instance(fit, PairEstimate, "fit", "br.fit(scores)", "Fit")
    kind = checks.choice(kind, ORDERED_KINDS, "kind")
    level = checks.level(level)
    fit = fit._told_scored("a picture of ordered scores")
    require_scores(fit.scores, "a picture of ordered scores")
    classes = [_Shares.of(fit, who) for who in CLASSES]
    drawn = [_ordered(shares, kind, level) for shares in classes]
    if kind == "pp":
        axes = "share of the scores", "probability by the fitted distribution"
    else:
        scale = "logit " if all(shares.law.on_unit for shares in classes) else ""
        axes = f"{scale}quantile of the fitted distribution", f"{scale}score"
    return draw_ordered(ax, drawn, axes, rates=kind == "pp")


class _Shares(NamedTuple):
    """One class: places on the score scale, ascending, and the share of the scores below each."""

    name: str
    law: Distribution
    places: FloatArray
    #: Parameters of the beta distribution of the share below each place.
    below: FloatArray
    above: FloatArray

    @classmethod
    def of(cls, fit: PairEstimate, who: str) -> _Shares:
        result: Estimate = getattr(fit, who)
        if result.distribution.continuous is None:
            raise InputTypeError.about("fit")(
                "fit must be of distributions with a density; this one is of the scores"
                " themselves, which"
                ' they fit by construction. Fit another family, such as "beta".'
            )
        law = result.distribution.continuous[1]
        rule = result.boundary
        values = np.sort(repeated(require_scores(fit.scores, "a picture of ordered scores"), who))
        called = str(getattr(_words(fit), who))
        total, name = values.size, called
        if rule is not None and rule.policy in ("inflate", "error", "drop"):
            values = values[(values > 0.0) & (values < 1.0)]
        n = values.size
        if n < total:
            name = f"{called}, without {total - n} of {total} at the ends"
        if rule is not None and rule.policy == "interval" and rule.resolution is not None:
            cells, counts = np.unique(np.rint(values / rule.resolution), return_counts=True)
            i = np.cumsum(counts)[:-1]
            edges = np.minimum((cells[:-1] + 0.5) * rule.resolution, law.support[1])
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


def _ordered(shares: _Shares, kind: str, level: float) -> Ordered:
    """Points of one class and their band, those at infinity left out."""
    tail = 0.5 * (1.0 - level)
    low, middle, high = (_quantile(shares, at) for at in (tail, 0.5, 1.0 - tail))
    if kind == "pp":
        x, lower, upper = middle[0], low[0], high[0]
        y = np.asarray(shares.law.cdf(shares.places))
    else:
        t = Thresholds.from_theta(shares.places)
        y = t.logit if shares.law.on_unit else t.theta
        x, lower, upper = (_scores_at(shares.law, *at) for at in (middle, low, high))
    seen = np.isfinite(x) & np.isfinite(y)
    return Ordered(shares.name, x[seen], y[seen], lower[seen], upper[seen])


def _quantile(shares: _Shares, at: float) -> tuple[FloatArray, FloatArray]:
    """A quantile of the share of the distribution below each place, and what is left above."""
    from scipy.special import betaincinv

    return (
        np.asarray(betaincinv(shares.below, shares.above, at)),
        np.asarray(betaincinv(shares.above, shares.below, 1.0 - at)),
    )


def _scores_at(law: Distribution, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Quantiles in the law's own coordinate, each from its smaller tail."""
    found = []
    for p, is_lower in ((lower, True), (upper, False)):
        t = law._quantile(p, lower=is_lower)
        found.append(t.logit if law.on_unit else t.theta)
    return np.where(lower <= 0.5, found[0], found[1])
