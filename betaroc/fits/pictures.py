"""Pictures of fits: the ROC beside that of the scores, ordered scores, and tails."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from betaroc.core import checks, vocabulary
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.special import beta_quantile
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.core.vocabulary import FAR, FRR, Vocabulary, shared_words
from betaroc.data.scores import Scores, require_scores
from betaroc.distributions import base, shifted, spliced
from betaroc.distributions.empirical import Empirical, EmpiricalPair, is_counted
from betaroc.estimation.estimate import Estimate, PairEstimate
from betaroc.estimation.families import family_text
from betaroc.fits import check, tail_fits
from betaroc.inference import intervals, of_scores
from betaroc.inference.cost_curves import BAYES_ERROR, DECISION, bayes_error_curve, decision_curve
from betaroc.inference.interval import Band
from betaroc.model.calibration import pav
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.rendering import curves
from betaroc.rendering.numbers import level_words, visible

#: Kinds of pictures of ordered scores; order statistics drawn of each class, and of either end.
ORDERED_KINDS = ("pp", "qq")
#: Kinds of pictures of what decisions cost.
COST_KINDS = (BAYES_ERROR, DECISION)
_DRAWN, _ENDS = 150, 10
#: The rates of a picture of tails are drawn down to so many expected scores; points of lines.
_DOWN_TO, _POINTS, _BAND_POINTS = 0.1, 200, 24
_POINT: dict[str, Any] = {
    "linestyle": "none", "marker": "o", "markersize": 2.4, "markeredgewidth": 0.0,
}  # fmt: skip


def plot_fitted_roc(
    fit: PairEstimate, ax: curves.Axes | None, band: Band | None, style: dict[str, Any], **axes: Any
) -> curves.Axes:
    """Draw "roc" of `Fit.plot`."""
    fitted, counted = fit.model.roc(), empirical_model(fit.scores).roc()
    if band is not None:
        checks.instance(band, Band, "band", "fit.roc_band()")
        drawn = band.resample in ("fit", intervals.BOTH)
        tpr = np.asarray(fitted.tpr(band.alpha))
        if not (drawn and np.array_equal(tpr, band.estimate, equal_nan=True)):
            rule, remedy = "be that of the ROC drawn", "Take fit.roc_band() of this fit."
            raise refusal("band", rule, "one of another curve", remedy)
    lines = [] if ax is None else curves.checked_axes(ax).lines
    before = sum(line.get_gid() == "curve" for line in lines)
    name = style.pop("label", fit.scores.name)
    prefix = f"{name}: " if name else ""
    look: dict[str, Any] = {"color": curves.COLOURS[before // 2 % len(curves.COLOURS)], **style}
    if not is_counted(fit.model.client):
        label = f"{prefix}{family_text(fit.family)} fit, AUC {fitted.auc():.3f}"
        ax = fitted.plot(ax, label=label, **axes, **{"linewidth": 2.0, **look})
    thin: dict[str, Any] = {"color": look["color"], "linewidth": 0.8, "zorder": 1.9}
    ax = counted.plot(ax, label=f"{prefix}scores, AUC {counted.auc():.3f}", **axes, **thin)
    field = checks.terms_of(axes.get("terms", vocabulary.BIOMETRIC))
    return ax if band is None else band._fill(ax, look["color"], field)


def plot_strata(
    fits: Mapping[str, PairEstimate], worst: ScoreModel, kind: str, ax: curves.Axes | None,
    terms: str,
) -> curves.Axes:  # fmt: skip
    """Draw "roc" and "det" of `StrataFits.plot`."""
    most = len(curves.COLOURS)
    for k, (name, fit) in enumerate(fits.items()):
        few, fitted = k < most, not is_counted(fit.model.client)
        look = {"color": curves.COLOURS[k] if few else curves.GREY, "terms": terms}
        label = f"{visible(name)}, AUC {fit.model.auc():.3f}" if few else "_nolegend_"
        label = f"{len(fits) - most} more strata" if k == most else label
        if few or not fitted:
            thin: dict[str, Any] = {"linewidth": 0.8, "zorder": 1.9}
            thin["label"] = "_nolegend_" if fitted else label
            ax = getattr(empirical_model(fit.scores), kind)().plot(ax, **thin, **look)
        if fitted:
            width = 1.6 if few else 0.6
            ax = getattr(fit.model, kind)().plot(ax, label=label, linewidth=width, **look)
    look = {"color": curves.INK, "linestyle": "--", "terms": terms}
    ax = getattr(worst, kind)().plot(ax, label="worst, counted", linewidth=1.2, **look)
    curves.legend_below(ax, 2)
    return ax


def plot_strata_panels(fits: Mapping[str, PairEstimate], terms: str) -> curves.Axes:
    """Draw "panels" of `StrataFits.plot`."""
    shown = [*fits.items()][: curves.PANELS]
    panels = curves.panel_axes(len(shown))
    for ax, (name, fit) in zip(panels, shown, strict=True):
        plot_fitted_roc(fit, ax, None, {"color": curves.INK, "label": ""}, terms=terms)
        if (legend := ax.get_legend()) is not None:
            legend.remove()
        ax.set_title(f"{visible(name)}, AUC {fit.model.auc():.3f}", fontsize=8, parse_math=False)
    if len(fits) > len(shown):
        panels[0].figure.supxlabel(f"{len(fits) - len(shown)} more strata", fontsize=8)
    return panels[0]


# ---------------------------------------------------------------------- ordered scores
def plot_fit(
    fit: PairEstimate, kind: str, ax: curves.Axes | None, level: float, terms: vocabulary.Terms
) -> curves.Axes:
    """Draw the ordered scores of both classes against what the fits expect of them."""
    # The band is that of a known distribution, about 150 scores per class are drawn; of cells the
    # shares up to the edges, with Beta(i + 1/2, n - i + 1/2) (Wilk and Gnanadesikan, 1968).
    level = checks.level(level)
    fit = fit._told_scored("a picture of ordered scores")
    scores = require_scores(fit.scores, "a picture of ordered scores")
    classes = [_ordered_points(getattr(fit, who), scores, who, kind, level) for who in CLASSES]
    fill = Vocabulary(terms, shared_words([scores.words])).fill
    ax, empty = curves.begun(ax, square=True)
    for who, (name, (expected, observed, low, high)) in zip(CLASSES, classes, strict=True):
        ax.fill_between(expected, low, high, **curves.BAND)
        ax.plot(expected, observed, color=curves.CLASS_COLOURS[who], label=fill(name), **_POINT)
    frame = None
    if empty:
        values = np.concatenate([
            *(values for _, points in classes for values in points[:2]),
            [0.0, 1.0] if kind == "pp" else [],
        ])  # fmt: skip
        first, last = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        room = 0.04 * max(last - first, 1e-12)
        frame = ((first - room, last + room),) * 2
        ax.plot(*frame, color=curves.GREY, linewidth=0.8, linestyle=":", gid="same", zorder=1.0)
    if kind == "pp":
        labels = "share of the scores", "probability by the fitted distribution"
        return curves.finished(ax, *labels, rates="xy", frame=frame, loc="upper left")
    logit = all(getattr(fit, who).distribution.on_unit for who in CLASSES)
    scale = "logit " if logit else ""
    labels = f"{scale}quantile of the fitted distribution", f"{scale}score"
    return curves.finished(ax, *labels, rates="", frame=frame, loc="upper left")


def _ordered_points(
    result: Estimate, scores: Scores, who: str, kind: str, level: float
) -> tuple[str, list[FloatArray]]:
    if result.distribution.continuous is None:
        raise _without_density("a density", "Fit another family, such as 'beta'.")
    law, rule = result.distribution.continuous[1], result.boundary
    values, copies = check.ordered(scores, who)
    name, total = vocabulary.CLASS_SLOTS[who][0], round(np.sum(copies))
    if rule is not None and rule.policy in ("inflate", "error", "drop"):
        inside = shifted.between_ends(result.distribution, values)
        values, copies = values[inside], copies[inside]
    upto = np.cumsum(copies)
    n = round(upto[-1])
    if n < total:
        name += f", without {total - n} of {total} at the ends"
    if rule is not None and rule.policy == "interval" and rule.resolution is not None:
        cells, first = np.unique(np.rint(values / rule.resolution), return_index=True)
        below = upto[first[1:] - 1] + 0.5
        above = n + 1.0 - below
        places = np.minimum((cells[:-1] + 0.5) * rule.resolution, law.support[1])
    else:  # ranks 1 ... n spread evenly over the probabilities and over their logits
        reach, ends = math.log(n), np.minimum(np.arange(1, _ENDS + 1), n)
        tails = 1.0 + (n - 1.0) / (1.0 + np.exp(-np.linspace(-reach, reach, _DRAWN)))
        ranks = np.concatenate([np.linspace(1.0, n, _DRAWN), tails, ends, n + 1 - ends])
        below = np.unique(np.clip(np.rint(ranks), 1, n))
        above = n + 1.0 - below
        places = values[np.searchsorted(upto, below)]

    def scaled(t: Thresholds) -> FloatArray:
        return t.logit if law.on_unit else t.theta

    points = [np.asarray(law.cdf(places))]
    if kind == "qq":
        points = [scaled(Thresholds.from_theta(places))]
    for share in (0.5, 0.5 - 0.5 * level, 0.5 + 0.5 * level):
        lower, upper = beta_quantile(below, above, share), beta_quantile(above, below, 1.0 - share)
        if kind == "qq":  # each from its smaller tail
            near = scaled(law._quantile(lower, lower=True))
            lower = np.where(lower <= 0.5, near, scaled(law._quantile(upper, lower=False)))
        points.append(lower)
    observed, expected, low, high = points
    finite = np.isfinite(expected) & np.isfinite(observed)
    return name, [each[finite] for each in (expected, observed, low, high)]


def _without_density(rule: str, remedy: str) -> Exception:
    actual = "the scores themselves"
    return refusal("fit", f"be of distributions with {rule}", actual, remedy, InputTypeError)


# --------------------------------------------------------------------------------- tails
def plot_tails(
    fit: PairEstimate, ax: curves.Axes | None, *, level: float, terms: vocabulary.Terms
) -> curves.Axes:
    """Draw "tails" of `Fit.plot`."""
    level = checks.level(level)
    names = Vocabulary(vocabulary.TERMS["matching"] if fit.scores.has_rejected else terms)
    fit = fit._told_scored("a picture of tails")
    scores = require_scores(fit.scores, "a picture of tails")
    laws: list[base.Distribution] = [getattr(fit, who).distribution for who in CLASSES]
    if any(law.continuous is None for law in laws):
        raise _without_density("a density, or with tails", "Fit another family, or pass tails.")
    ax, empty = curves.begun(ax)
    curves.on_log(ax, "y", empty=empty)
    coordinate = Coordinate(None, all(law.on_unit for law in laws))
    for law, item in zip(laws, (fit.client, fit.impostor), strict=True):
        coordinate = cast(spliced.Spliced, law).coordinate if item.tails else coordinate
    least = _DOWN_TO / max(float(scores.client_total), float(scores.impostor_total))
    ends: list[float] = []
    for law, (who, side) in zip(laws, tail_fits.ENDS.items(), strict=True):
        upper, colour = side == "upper", curves.CLASS_COLOURS[who]
        sign, name = (1.0 if upper else -1.0), names.fill(FAR if upper else FRR)
        places, shares = _counted(coordinate, scores._distributions[upper], upper=upper)
        ax.plot(places, shares, color=colour, label=f"{name}, counted", **_POINT)
        reach = _place(coordinate, law, sign, _DOWN_TO / float(getattr(scores, f"{who}_total")))
        # Half of the scores and more may be a point mass at the end.
        median = sign * places[-1] if places.size else _place(coordinate, law, sign, 0.5)
        ends += [sign * median, sign * reach]
        y = sign * np.linspace(median, reach, _POINTS)
        lines: list[tuple[base.Distribution, dict[str, Any]]]
        lines = [(law, {"linewidth": 1.6, "label": f"{name}, fitted"})]
        for tails in (item for item in getattr(fit, who).tails if item.side == side):
            joint = max(part.joint for part in tails.fits)
            ax.axvline(sign * joint, color=colour, linewidth=0.8, linestyle=":",
                       label="_nolegend_")  # fmt: skip
            if reach > joint:
                beyond = sign * np.linspace(joint, reach, _BAND_POINTS + 1)[1:]
                band = np.array([intervals.tail_rate_ends(tails, place, level) for place in beyond])
                ax.fill_between(beyond, band[:, 0].clip(0.1 * least), band[:, 1], **curves.BAND)
            body = cast(spliced.Spliced, law).body
            if not is_counted(body):
                label = f"{name}, without the tail"
                lines.append((body, {"linewidth": 1.0, "linestyle": "--", "label": label}))
        for part, look in lines:
            rates = (part._upper if upper else part._lower)(coordinate.place(y))
            ax.plot(y, rates[0], color=colour, **look)
    x = "threshold" if coordinate.bounds is None and not coordinate.on_unit else "logit threshold"
    return curves.finished(ax, x, "rate", frame=((min(ends), max(ends)), (least, 1.0)), below=True)


def _place(coordinate: Coordinate, law: base.Distribution, sign: float, rate: float) -> float:
    """The place of a rate, turned to be an upper one, as far as doubles go."""
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
    coordinate: Coordinate, counts: Empirical, *, upper: bool
) -> tuple[FloatArray, FloatArray]:
    places, copies = (column[:: -1 if upper else 1] for column in counts._steps)
    y, above = coordinate.of(Thresholds.from_theta(places)), np.cumsum(copies)
    share = above / (above[-1] + 1.0)
    tail = np.flatnonzero((share <= 0.5) & np.isfinite(y))
    few = np.unique(np.rint(np.geomspace(1, max(tail.size, 1), _DRAWN)).astype(np.int64)) - 1
    keep = tail[few[few < tail.size]]
    return y[keep], share[keep]


# -------------------------------------------------------------------- likelihood ratios
#: Draws of calibrated scores, and cells of neighbouring scores of which they are drawn.
_REPLICATES, _CELLS = 400, 1000
#: Log-likelihood ratios that are shown beyond those of the scores.
_NEAR = 2.0


def plot_costs(
    fit: PairEstimate, kind: str, ax: curves.Axes | None, level: float, style: dict[str, Any]
) -> curves.Axes:
    """Draw "bayes-error" and "decision-curve" of `Fit.plot`."""
    systems: dict[str, Any] = {"scores": fit.scores}
    if not is_counted(fit.model.client):
        systems = {f"{family_text(fit.family)} fit": fit.model, **systems}
    make = bayes_error_curve if kind == BAYES_ERROR else decision_curve
    return make(systems, level=level).plot(ax, **style)


def plot_calibration(fit: PairEstimate, ax: curves.Axes | None, level: float) -> curves.Axes:
    """Draw "calibration" of `Fit.plot`."""
    from scipy.special import expit, logit

    scores = fit.scores._scored
    pair = of_scores.CountedScores(scores, groups=False).pair
    counts, odds = pair.gaps, float(logit(scores.prior))
    ends = float(counts.places[0]), float(counts.places[-1])
    unit = ends[0] >= 0.0 and ends[1] <= 1.0
    x, low, high = calibrated_band(pair, odds, checks.level(level), unit=unit)
    blocks = pav(pair.client, pair.impostor)
    at = np.column_stack([blocks.low, blocks.high]).ravel()
    ratio = np.repeat(blocks.log_ratio, 2)
    near = np.append(ratio[np.isfinite(ratio)], 0.0)
    reach = (at, near) if not unit else ()
    frame = tuple((y.min() - _NEAR, y.max() + _NEAR) for y in reach) or curves.UNIT_FRAME
    name = f"{fit.scores.name}: " if fit.scores.name else ""
    lines = {f"{name}scores, pooled": (at, ratio)}
    if not is_counted(fit.model.client):
        smooth = np.linspace(*ends, _POINTS)
        by_fit = np.asarray(fit.model.log_likelihood_ratio(smooth))
        lines[f"{name}{family_text(fit.family)} fit"] = smooth, by_fit
    if unit:
        lines = {name: (places, expit(y + odds)) for name, (places, y) in lines.items()}
    kind = "probability" if unit else "log-likelihood ratio"
    names = shared_words([fit.scores.words])
    bars = zip(map(vocabulary.DEFAULT.fill, names), (counts.client, counts.impostor), strict=True)
    words = f"{level_words(level)} of calibrated scores at each place"
    axes = f"score, read as {kind}", f"{kind} by the scores"
    places = counts.places
    return curves.draw_calibration(
        ax, x, lines, (low, high), words, places, dict(bars), axes, frame
    )


def calibrated_band(
    pair: EmpiricalPair, odds: float, level: float, *, unit: bool, rng: Any = 0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Where pooled adjacent violators of such scores lie if these are calibrated."""
    # Of `_REPLICATES` draws of the classes given the scores at each place that share, by quantiles.
    from scipy.special import expit, logit

    places, total = pair.gaps.places, pair.gaps.client + pair.gaps.impostor
    ranks = np.linspace(0.0, np.sum(total), _CELLS, endpoint=False)
    cells = np.unique(np.searchsorted(np.cumsum(total), ranks, side="right"))
    claim = places if unit else expit(places + odds)
    n = np.add.reduceat(total, cells)
    x, claim = (np.add.reduceat(total * part, cells) / n for part in (places, claim))
    drawn, generator = [], np.random.default_rng(rng)
    # A mean of probabilities may round beyond 1.
    for client in generator.binomial(n.astype(int), claim.clip(0.0, 1.0), (_REPLICATES, n.size)):
        share = np.sum(client) / np.sum(n)
        if 0.0 < share < 1.0:
            blocks = pav(*(Empirical._of_steps(x, 1.0 * part) for part in (client, n - client)))
            ratio = blocks.log_ratio[blocks.block_of(x)]
            drawn.append(expit(ratio + logit(share)) if unit else ratio)
    tails = 0.5 * (1.0 - level), 0.5 * (1.0 + level)
    drawn = drawn or [np.full(n.size, np.nan)]  # all claim to be of one class
    low, high = np.quantile(drawn, tails, axis=0, method="inverted_cdf")
    return x, low, high
