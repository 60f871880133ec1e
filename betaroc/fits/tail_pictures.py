"""Pictures of tails: rates on a log scale with what was counted, and tails by their sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import FitError, InputError, InputTypeError
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.core.vocabulary import FAR, FRR, TERMS, Terms, Vocabulary, shared_words, worded
from betaroc.data.groups import weights_of
from betaroc.data.scores import Scores, require_scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import is_counted
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.estimation.tails import FEWEST_BEYOND, Tails, fit_tails, grid_of
from betaroc.fits.tail_fits import ENDS, tail_scores
from betaroc.inference.intervals import tail_rate_ends
from betaroc.rendering.style import BAND, CLASS_COLOURS, GREY, Axes, begun, finished, on_log

#: Kinds of pictures: rates against thresholds, and what a tail is by how many scores.
TAIL_KINDS = ("tails", "tail-shape", "tail-rate")
_RATES = {"client": FRR, "impostor": FAR}
#: Rates are drawn down to so many expected scores; points of a line; scores drawn at most.
_DOWN_TO, _POINTS, _DRAWN = 0.1, 200, 150
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
    own = [law.coordinate for law in laws if isinstance(law, Spliced)]
    coordinate = own[0] if own else Coordinate(None, all(law.on_unit for law in laws))
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
