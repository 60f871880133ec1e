"""Pictures of fits: the ROC beside that of the scores, and ordered scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.special import beta_quantile
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import shared_words
from betaroc.data.scores import require_scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import is_counted
from betaroc.distributions.shifted import between_ends
from betaroc.estimation.families import family_text
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.fits.check import ordered
from betaroc.inference.interval import Band
from betaroc.inference.intervals import BOTH
from betaroc.model.samples import empirical_model
from betaroc.rendering.style import (
    BAND,
    CLASS_COLOURS,
    COLOURS,
    GREY,
    Axes,
    begun,
    checked_axes,
    finished,
)

#: Order statistics drawn on the scale of each of the two pictures, ends included.
_DRAWN = 150
#: Of either end so many are drawn each.
_ENDS = 10
#: Kinds of pictures of ordered scores.
ORDERED_KINDS = ("pp", "qq")


# --------------------------------------------------------------------------------- ROC
def plot_fitted_roc(
    fit: PairEstimate, ax: Axes | None, band: Band | None, style: dict[str, Any], **axes: str
) -> Axes:
    """Draw the fitted ROC, and in thin steps that of the scores; `Fit.plot` documents both."""
    fitted, counted = fit.model.roc(), empirical_model(fit.scores).roc()
    if band is not None:
        checks.instance(band, Band, "band", "fit.roc_band()")
        drawn = band.resample in ("fit", BOTH)
        own = np.asarray(fitted.tpr(band.alpha))
        if not (drawn and np.array_equal(own, band.estimate, equal_nan=True)):
            rule, remedy = "be that of the ROC drawn", "Take fit.roc_band() of this fit."
            raise refusal("band", rule, "one of another curve", remedy)
    before = 0 if ax is None else sum(line.get_gid() == "curve" for line in checked_axes(ax).lines)
    name = style.pop("label", fit.scores.name)
    called = f"{name}: " if name else ""
    look = {"color": COLOURS[before // 2 % len(COLOURS)], **style}
    if not is_counted(fit.model.client):
        label = f"{called}{family_text(fit.family)} fit, AUC {fitted.auc():.3f}"
        ax = fitted.plot(ax, label=label, **axes, **{"linewidth": 2.0, **look})
    thin = {"color": look["color"], "linewidth": 0.8, "zorder": 1.9}
    ax = counted.plot(ax, label=f"{called}scores, AUC {counted.auc():.3f}", **axes, **thin)
    return ax if band is None else band._fill(ax, look["color"])


# ---------------------------------------------------------------------- ordered scores
def plot_fit(fit: PairEstimate, kind: str, ax: Axes | None, level: float) -> Axes:
    """Draw the ordered scores of both classes against what the fitted distributions expect of them.

    The band is that of a known distribution: parameters estimated from the same scores keep nearer
    to it. Of many scores about 150 a class are drawn, spread over the scale, the most extreme ones
    among them. Point masses fit by construction and are left out, which the legend says; of scores
    in cells (`resolution`) the shares up to the edges of the cells are drawn, with
    Beta(i + 1/2, n - i + 1/2). Scores of exactly 0 or 1 that a rule censored or moved have no
    logit and are not in "qq" (Wilk and Gnanadesikan, 1968).
    """
    level = checks.level(level)
    fit = fit._told_scored("a picture of ordered scores")
    require_scores(fit.scores, "a picture of ordered scores")
    classes = [_Shares.of(fit, who) for who in CLASSES]
    ax, empty = begun(ax, square=True)
    values = [np.array([0.0, 1.0])] if kind == "pp" else []
    for who, shares in zip(CLASSES, classes, strict=True):
        expected, observed, low, high = shares.points(kind, level)
        ax.fill_between(expected, low, high, **BAND)
        ax.plot(expected, observed, linestyle="none", marker="o", markersize=2.4,
                color=CLASS_COLOURS[who], markeredgewidth=0.0, label=shares.name)  # fmt: skip
        values += [expected, observed]
    frame = None
    if empty:
        every = np.concatenate(values)
        first, last = (float(every.min()), float(every.max())) if every.size else (0.0, 1.0)
        room = 0.04 * max(last - first, 1e-12)
        frame = ((first - room, last + room),) * 2
        ax.plot(*frame, color=GREY, linewidth=0.8, linestyle=":", gid="same", zorder=1.0)
    scale = "logit " if all(shares.law.on_unit for shares in classes) else ""
    axes = f"{scale}quantile of the fitted distribution", f"{scale}score"
    if kind == "pp":
        axes = "share of the scores", "probability by the fitted distribution"
    rates = "xy" if kind == "pp" else ""
    return finished(ax, *axes, rates=rates, frame=frame, loc="upper left")


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
        law, rule = result.distribution.continuous[1], result.boundary
        values, copies = ordered(require_scores(fit.scores, "a picture of ordered scores"), who)
        name = str(getattr(shared_words([fit.scores.words]), who))
        total = round(np.sum(copies))
        if rule is not None and rule.policy in ("inflate", "error", "drop"):
            inside = between_ends(result.distribution, values)
            values, copies = values[inside], copies[inside]
        upto = np.cumsum(copies)
        n = round(upto[-1])
        if n < total:
            name += f", without {total - n} of {total} at the ends"
        if rule is not None and rule.policy == "interval" and rule.resolution is not None:
            cells, first = np.unique(np.rint(values / rule.resolution), return_index=True)
            i = upto[first[1:] - 1]
            edges = np.minimum((cells[:-1] + 0.5) * rule.resolution, law.support[1])
            return cls(name, law, edges, i + np.float64(0.5), n - i + np.float64(0.5))
        # Ranks 1 ... n spread evenly over the probabilities and over their logits.
        reach, ends = np.log(float(n)), np.minimum(np.arange(1, _ENDS + 1), n)
        tails = 1.0 + (n - 1.0) / (1.0 + np.exp(-np.linspace(-reach, reach, _DRAWN)))
        ranks = np.concatenate([np.linspace(1.0, n, _DRAWN), tails, ends, n + 1 - ends])
        i = np.unique(np.clip(np.rint(ranks), 1, n))
        return cls(name, law, values[np.searchsorted(upto, i)], i, n + 1.0 - i)

    def points(self, kind: str, level: float) -> tuple[FloatArray, ...]:
        """Points of one class, expected and observed, and the ends of their band; finite ones."""
        y, bounds = np.asarray(self.law.cdf(self.places)), []
        if kind == "qq":
            y = self._scale(Thresholds.from_theta(self.places))
        for at in (0.5, 0.5 - 0.5 * level, 0.5 + 0.5 * level):
            lower = beta_quantile(self.below, self.above, at)
            upper = beta_quantile(self.above, self.below, 1.0 - at)
            if kind == "qq":  # each from its smaller tail
                places = (self._scale(self.law._quantile(p, lower=is_lower))
                          for p, is_lower in ((lower, True), (upper, False)))  # fmt: skip
                lower = np.where(lower <= 0.5, *places)
            bounds.append(lower)
        x, low, high = bounds
        seen = np.isfinite(x) & np.isfinite(y)
        return x[seen], y[seen], low[seen], high[seen]

    def _scale(self, t: Thresholds) -> FloatArray:
        """Scores in the distribution's own coordinate."""
        return t.logit if self.law.on_unit else t.theta
