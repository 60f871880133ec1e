"""Pictures of fits: the ROC beside that of the scores, ordered scores, and tails."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import FitError, InputError, InputTypeError, refusal
from betaroc.core.special import beta_quantile
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.core.vocabulary import FAR, FRR, TERMS, Terms, Vocabulary, shared_words, worded
from betaroc.data.groups import weights_of
from betaroc.data.scores import Scores, require_scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import is_counted
from betaroc.distributions.shifted import between_ends
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.families import family_text
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.estimation.tails import FEWEST_BEYOND, Tails, fit_tails, grid_of
from betaroc.fits.check import ordered
from betaroc.fits.tail_fits import ENDS, tail_scores
from betaroc.inference.interval import Band
from betaroc.inference.intervals import BOTH, tail_rate_ends
from betaroc.model.samples import empirical_model
from betaroc.rendering.curves import (
    BAND,
    CLASS_COLOURS,
    COLOURS,
    GREY,
    Axes,
    begun,
    checked_axes,
    finished,
    on_log,
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
        tpr = np.asarray(fitted.tpr(band.alpha))
        if not (drawn and np.array_equal(tpr, band.estimate, equal_nan=True)):
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
        finite = np.isfinite(x) & np.isfinite(y)
        return x[finite], y[finite], low[finite], high[finite]

    def _scale(self, t: Thresholds) -> FloatArray:
        """Scores in the distribution's own coordinate."""
        return t.logit if self.law.on_unit else t.theta


# --------------------------------------------------------------------------------- tails
#: Kinds of pictures: rates against thresholds, and what a tail is by how many scores.
TAIL_KINDS = ("tails", "tail-shape", "tail-rate")
_RATES = {"client": FRR, "impostor": FAR}
#: Rates are drawn down to so many expected scores; points of a line.
_DOWN_TO, _POINTS = 0.1, 200
#: Points of the interval, and numbers of scores of which a tail is made again.
_BAND, _SIZES = 24, 20


def plot_tails(
    fit: PairEstimate, kind: str, ax: Axes | None = None, *, level: float, terms: Terms
) -> Axes:
    """Draw the tails that FAR and FRR rest on; `Fit.plot` documents the kinds."""
    level = checks.level(level)
    terms = TERMS["matching"] if fit.scores.has_rejected else terms
    fit = fit._told_scored("a picture of tails")
    scores = require_scores(fit.scores, "a picture of tails")
    if kind == "tails":
        return _draw_rates(fit, scores, ax, level, terms)
    if not any(getattr(fit, who).tails for who in ENDS):
        raise InputError.about("kind")(
            f'kind="{kind}" must be of a fit with tails; this one has none. Fit with'
            + worded(' `tails="both"`, or take `kind="tails"`.')
        )
    return _draw_sizes(ax, fit, scores, level, shape=kind == "tail-shape")


# ------------------------------------------------------------------ rates against thresholds
def _draw_rates(
    fit: PairEstimate, scores: Scores, ax: Axes | None, level: float, terms: Terms
) -> Axes:
    """Rates against thresholds: counted, fitted, and the interval of a tail beyond its joint."""
    ax, empty = begun(ax)
    on_log(ax, "y", empty=empty)
    laws = fit.client.distribution, fit.impostor.distribution
    coordinates = [law.coordinate for law in laws if isinstance(law, Spliced)]
    coordinate = next(iter(coordinates), Coordinate(None, all(law.on_unit for law in laws)))
    least = _DOWN_TO / max(float(scores.client_total), float(scores.impostor_total))
    ends: list[float] = []
    for who, side in ENDS.items():
        estimate: Estimate = getattr(fit, who)
        law = estimate.distribution
        if law.continuous is None:
            raise InputTypeError.about("fit")(
                "fit must be of distributions with a density, or with tails; this one is of the"
                " scores themselves."
            )
        sign, colour = (1.0 if side == "upper" else -1.0), CLASS_COLOURS[who]
        name = Vocabulary(terms).fill(_RATES[who])
        tails = next((tail for tail in estimate.tails if tail.side == side), None)
        joint = math.inf if tails is None else max(part.joint for part in tails.fits)
        places, shares = _counted(coordinate, scores, who, sign)
        reach = _place(coordinate, law, sign, _DOWN_TO / float(getattr(scores, f"{who}_total")))
        # Half of the scores and more may be a point mass at the end.
        median = sign * places[-1] if places.size else _place(coordinate, law, sign, 0.5)
        ends += [sign * median, sign * reach]
        if tails is not None and reach > joint:
            beyond = np.linspace(joint, reach, _BAND + 1)[1:]
            band = np.array([tail_rate_ends(tails, sign * place, level) for place in beyond])
            ax.fill_between(sign * beyond, band[:, 0].clip(0.1 * least), band[:, 1], **BAND)
        ax.plot(places, shares, linestyle="none", marker="o", markersize=2.4, color=colour,
                markeredgewidth=0.0, label=f"{name}, counted")  # fmt: skip
        lines: list[tuple[Distribution, float, str, str]] = [(law, 1.6, "-", "fitted")]
        if isinstance(law, Spliced) and tails is not None and not is_counted(law.body):
            lines.insert(0, (law.body, 1.0, "--", "without the tail"))
        y = sign * np.linspace(median, reach, _POINTS)
        at = coordinate.place(y)
        for part, width, dashes, words in lines:
            rates = part._upper(at) if side == "upper" else part._lower(at)
            ax.plot(y, rates[0], color=colour, linewidth=width, linestyle=dashes,
                    label=f"{name}, {words}")  # fmt: skip
        if tails is not None:
            ax.axvline(sign * joint, color=colour, linewidth=0.8, linestyle=":",
                       label="_nolegend_")  # fmt: skip
    x = "threshold" if coordinate.bounds is None and not coordinate.on_unit else "logit threshold"
    frame = (min(ends), max(ends)), (least, 1.0)
    return finished(ax, x, "rate", frame=frame, below=True)


def _place(coordinate: Coordinate, law: Distribution, sign: float, rate: float) -> float:
    """The place of a rate, turned to be an upper one, as far as thresholds tell places apart."""
    places = [
        sign * float(coordinate.of(part._quantile(np.array([rate]), lower=sign < 0.0))[0])
        for part in (law, *(law.continuous or ())[1:])
    ]
    # A point mass at the end has none.
    place = next(filter(math.isfinite, places), places[0])
    if coordinate.bounds is None:
        return place
    low, high = coordinate.bounds
    last = np.nextafter(high, low) if sign > 0.0 else np.nextafter(low, high)
    return min(place, sign * float(coordinate.of(Thresholds.from_theta(np.array([last])))[0]))


def _counted(
    coordinate: Coordinate, scores: Scores, who: str, sign: float
) -> tuple[FloatArray, FloatArray]:
    """Distinct scores of the tail, and the share of the class as far out or farther."""
    values, weights = getattr(scores, who), weights_of(scores, who)
    y = sign * coordinate.of(Thresholds.from_theta(values))
    result, which = np.unique(y, return_inverse=True)
    above = np.cumsum(np.bincount(which.ravel(), weights)[::-1])
    share = above / (above[-1] + 1.0)
    tail = np.flatnonzero((share <= 0.5) & np.isfinite(result[::-1]))
    few = np.unique(np.rint(np.geomspace(1, max(tail.size, 1), _DRAWN)).astype(np.int64)) - 1
    keep = tail[few[few < tail.size]]
    return sign * result[::-1][keep], share[keep]


# ------------------------------------------------------------------------ tails by their sizes
def _draw_sizes(
    ax: Axes | None, fit: PairEstimate, scores: Scores, level: float, *, shape: bool
) -> Axes:
    """A number against how many scores the tail has, its intervals, and what is expected of it."""
    ax, empty = begun(ax)
    letters, words = "x" if shape else "xy", shared_words([scores.words])
    for letter in letters:
        on_log(ax, letter, empty=empty)
    if empty:
        ax.axhline(0.0 if shape else 1.0, color=GREY, linewidth=0.8, linestyle=":", gid="same",
                   zorder=1.0)  # fmt: skip
    for who in ENDS:
        estimate: Estimate = getattr(fit, who)
        for tails in estimate.tails:
            sizes, number, low, high = _by_size(estimate, tails, scores, who, level, shape=shape)
            ax.fill_between(sizes, low, high, **BAND)
            ax.plot(sizes, number, color=CLASS_COLOURS[who], linewidth=1.6,
                    label=f"the {tails.side} end of {words.many(who)}")  # fmt: skip
            for size in tails.sizes:
                ax.axvline(size, color=GREY, linewidth=0.8, linestyle="--", label="_nolegend_")
    y = "shape" if shape else "rate over that of the fit"
    return finished(ax, "scores beyond the joint", y, below=True)


def _by_size(
    estimate: Estimate, tails: Tails, scores: Scores, who: str, level: float, *, shape: bool
) -> FloatArray:
    """Sizes (first row), and of each the shape, or the rate, with its interval.

    The rate is that at the threshold beyond which the class expects one score; the shape is the
    likeliest, its interval between quantiles of shapes by the penalised likelihood.
    """
    law: Any = estimate.distribution
    sample = tail_scores(scores, who, estimate, law.coordinate, tails.side)
    most = max(int(0.25 * tails.n), FEWEST_BEYOND)
    spread = np.rint(np.geomspace(FEWEST_BEYOND, most, _SIZES)).astype(int)
    place, rows = tails.turned_place(-math.log(tails.n)), []
    for size in sorted({*spread.tolist(), *tails.sizes}):
        try:
            again = fit_tails(sample, tails.side, (size,))
        except (FitError, InputError):  # ties leave too few beyond so near a joint
            continue
        if shape:
            grid = grid_of(again.fits[0])
            order = np.argsort(grid.shape)
            upto = np.cumsum(grid.weight[order]) / np.sum(grid.weight)
            at = np.searchsorted(upto, [0.5 - 0.5 * level, 0.5 + 0.5 * level])
            rows.append((size, again.fits[0].shape, *grid.shape[order][at]))
        else:
            tail = again.tail()
            beyond = np.array([place - again.sign * (tail.joint or 0.0)])
            rate = math.exp(float(tail._log_rate(beyond)[0]))
            ends = tail_rate_ends(again, again.sign * place, level)
            rows.append((size, *(tails.n * part for part in (rate, *ends))))
    return np.array(rows).T if rows else np.empty((4, 0))
