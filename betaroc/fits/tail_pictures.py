"""Pictures of tails: rates on a log scale with what was counted, and tails by their sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import FitError, InputError, InputTypeError
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.core.vocabulary import TERMS, ClassWords, Terms, shared_words, worded
from betaroc.data.groups import weights_of
from betaroc.data.scores import Scores, require_scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import is_counted
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.estimation.tails import FEWEST_BEYOND, Tails, TailScores, fit_tails, grid_of
from betaroc.fits.tail_fits import ENDS, tail_scores
from betaroc.inference.intervals import tail_rate_ends
from betaroc.rendering.style import (
    BAND,
    CLASS_COLOURS,
    GREY,
    Axes,
    begun,
    finished,
    on_log,
    plain_numbers,
)

#: Kinds of pictures: rates against thresholds, and what a tail is by how many scores.
TAIL_KINDS = ("tails", "tail-shape", "tail-rate")
_RATES = {"client": "FRR", "impostor": "FAR"}
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
    fitted = [one for who in ENDS for one in _Fitted.all_of(fit, scores, who)]
    if not fitted:
        raise InputError.about("kind")(
            f'kind="{kind}" must be of a fit with tails; this one has none. Fit with'
            + worded(' `tails="both"`, or take `kind="tails"`.')
        )
    return _draw_sizes(ax, fitted, level, shape=kind == "tail-shape")


# ------------------------------------------------------------------ rates against thresholds
def _draw_rates(
    fit: PairEstimate, scores: Scores, ax: Axes | None, level: float, terms: Terms
) -> Axes:
    """Rates against thresholds: counted, fitted, and the interval of a tail beyond its joint."""
    ax, empty = begun(ax)
    on_log(ax, "y", empty=empty)
    coordinate = _common(fit)
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
        name = terms.said(_RATES[who])
        tails = next((one for one in estimate.tails if one.side == side), None)
        places, shares = _counted(coordinate, scores, who, sign)
        reach = _turned(coordinate, law, side, _DOWN_TO / float(getattr(scores, f"{who}_total")))
        # Half of the scores and more may be a point mass at the end.
        median = sign * places[-1] if places.size else _turned(coordinate, law, side, 0.5)
        y = sign * np.linspace(median, reach, _POINTS)
        ends += [sign * median, sign * reach]
        at = coordinate.place(y)
        beyond = np.empty(0) if tails is None else _beyond(tails, reach)
        if tails is not None and beyond.size:
            band = np.array([tail_rate_ends(tails, sign * b, level) for b in beyond])
            ax.fill_between(sign * beyond, band[:, 0].clip(0.1 * least), band[:, 1], **BAND)
        ax.plot(places, shares, linestyle="none", marker="o", markersize=2.4, color=colour,
                markeredgewidth=0.0, label=f"{name}, counted")  # fmt: skip
        if isinstance(law, Spliced) and tails is not None and not is_counted(law.body):
            ax.plot(y, _tail(law.body, side, at), color=colour, linewidth=1.0, linestyle="--",
                    label=f"{name}, without the tail")  # fmt: skip
        ax.plot(y, _tail(law, side, at), color=colour, linewidth=1.6, label=f"{name}, fitted")
        if tails is not None:
            ax.axvline(sign * max(f.joint for f in tails.fits), color=colour, linewidth=0.8,
                       linestyle=":", label="_nolegend_")  # fmt: skip
    x = "threshold" if coordinate.bounds is None and not coordinate.on_unit else "logit threshold"
    frame = (min(ends), max(ends)), (least, 1.0)
    return finished(ax, x, "rate", frame=frame, below=True)


def _common(fit: PairEstimate) -> Coordinate:
    """The coordinate of both classes."""
    laws = fit.client.distribution, fit.impostor.distribution
    own = [law.coordinate for law in laws if isinstance(law, Spliced)]
    return own[0] if own else Coordinate(None, all(law.on_unit for law in laws))


def _turned(coordinate: Coordinate, law: Distribution, side: str, rate: float) -> float:
    """The place of a rate, turned to be an upper one, as far as thresholds tell places apart."""
    sign = 1.0 if side == "upper" else -1.0
    found = _quantile(coordinate, law, sign, rate)
    if not math.isfinite(found) and law.continuous is not None:  # in a point mass at the end
        found = _quantile(coordinate, law.continuous[1], sign, rate)
    if coordinate.bounds is None:
        return found
    low, high = coordinate.bounds
    last = np.nextafter(high, low) if sign > 0.0 else np.nextafter(low, high)
    return min(found, sign * float(coordinate.of(Thresholds.from_theta(np.array([last])))[0]))


def _quantile(coordinate: Coordinate, law: Distribution, sign: float, rate: float) -> float:
    return sign * float(coordinate.of(law._quantile(np.array([rate]), lower=sign < 0.0))[0])


def _tail(law: Distribution, side: str, t: Thresholds) -> FloatArray:
    return np.asarray((law._upper(t) if side == "upper" else law._lower(t))[0])


def _counted(
    coordinate: Coordinate, scores: Scores, who: str, sign: float
) -> tuple[FloatArray, FloatArray]:
    """Distinct scores of the tail, and the share of the class as far out or farther."""
    values, weights = getattr(scores, who), weights_of(scores, who)
    y = sign * coordinate.of(Thresholds.from_theta(values))
    found, which = np.unique(y, return_inverse=True)
    above = np.cumsum(np.bincount(which.ravel(), weights)[::-1])
    share = above / (above[-1] + 1.0)
    tail = np.flatnonzero((share <= 0.5) & np.isfinite(found[::-1]))
    few = np.unique(np.rint(np.geomspace(1, max(tail.size, 1), _DRAWN)).astype(np.int64)) - 1
    kept = tail[few[few < tail.size]]
    return sign * found[::-1][kept], share[kept]


def _beyond(tails: Tails, reach: float) -> FloatArray:
    """Turned places from the farthest joint on."""
    joint = max(fit.joint for fit in tails.fits)
    return np.linspace(joint, reach, _BAND + 1)[1:] if reach > joint else np.empty(0)


# ------------------------------------------------------------------------ tails by their sizes
def _draw_sizes(ax: Axes | None, fitted: Sequence[_Fitted], level: float, *, shape: bool) -> Axes:
    """A number against how many scores the tail has, its intervals, and what is expected of it."""
    ax, empty = begun(ax)
    letters = "x" if shape else "xy"
    for letter in letters:
        on_log(ax, letter, empty=empty)
    if empty:
        ax.axhline(0.0 if shape else 1.0, color=GREY, linewidth=0.8, linestyle=":", gid="same",
                   zorder=1.0)  # fmt: skip
    for one in fitted:
        sizes, estimate, low, high = one.sized(shape=shape, level=level)
        ax.fill_between(sizes, low, high, **BAND)
        ax.plot(sizes, estimate, color=CLASS_COLOURS[one.who], linewidth=1.6,
                label=f"the {one.tails.side} end of {one.words.many(one.who)}")  # fmt: skip
        for size in one.tails.sizes:
            ax.axvline(size, color=GREY, linewidth=0.8, linestyle="--", label="_nolegend_")
    finished(ax, "scores beyond the joint", "shape" if shape else "rate over that of the fit",
             below=True)  # fmt: skip
    return plain_numbers(ax, letters) if empty else ax


class _Fitted(NamedTuple):
    """One tail of a fit, and the scores that it was fitted to."""

    who: str
    tails: Tails
    sample: TailScores
    words: ClassWords

    @classmethod
    def all_of(cls, fit: PairEstimate, scores: Scores, who: str) -> list[_Fitted]:
        estimate: Estimate = getattr(fit, who)
        law = estimate.distribution
        if not isinstance(law, Spliced):
            return []
        words = shared_words([scores.words])
        return [
            cls(who, one, tail_scores(scores, who, estimate, law.coordinate, one.side), words)
            for one in estimate.tails
        ]

    def sized(self, *, shape: bool, level: float) -> FloatArray:
        """Sizes (first row), and of each the shape, or the rate, with its interval.

        The rate is that at the threshold beyond which the class expects one score.
        """
        place = self.tails.turned_place(-math.log(self.tails.n))
        rows = []
        for size in self._sizes():
            try:
                again = fit_tails(self.sample, self.tails.side, (size,))
            except (FitError, InputError):  # ties leave too few beyond so near a joint
                continue
            found = _shape(again, level) if shape else self._rate(again, place, level)
            rows.append((size, *found))
        return np.array(rows).T if rows else np.empty((4, 0))

    def _sizes(self) -> Sequence[int]:
        most = max(int(0.25 * self.tails.n), FEWEST_BEYOND)
        spread = np.geomspace(FEWEST_BEYOND, most, _SIZES)
        return sorted({*np.rint(spread).astype(int).tolist(), *self.tails.sizes})

    def _rate(self, tails: Tails, place: float, level: float) -> tuple[float, float, float]:
        low, high = tail_rate_ends(tails, tails.sign * place, level)
        one = tails.tail()
        beyond = np.array([place - tails.sign * (one.joint or 0.0)])
        rate = math.exp(float(one._log_rate(beyond)[0]))
        return rate * self.tails.n, low * self.tails.n, high * self.tails.n


def _shape(tails: Tails, level: float) -> tuple[float, float, float]:
    """The likeliest shape, and quantiles of shapes by the penalised likelihood."""
    grid = grid_of(tails.fits[0])
    order = np.argsort(grid.shape)
    upto = np.cumsum(grid.weight[order]) / np.sum(grid.weight)
    tail = 0.5 - 0.5 * level
    low, high = (float(grid.shape[order][np.searchsorted(upto, p)]) for p in (tail, 1.0 - tail))
    return tails.fits[0].shape, low, high
