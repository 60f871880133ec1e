"""Bands of the ROC of scores and of fits: TPR at each FAR, pointwise or all at once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.notices import public, quietly
from betaroc.core.options import IntervalOptions
from betaroc.core.tables import in_library
from betaroc.core.text import shown
from betaroc.data.scores import ScoreData, Scores
from betaroc.data.summary import ScoreSummary
from betaroc.inference.counted_scores import CountedScores
from betaroc.inference.delta import METHODS, near_of, slopes_of
from betaroc.inference.drawn_scores import DrawnScores, drawn_tpr, refuse_still
from betaroc.inference.interval import Band
from betaroc.inference.intervals import BOTH, hull_ends, scores_of_fit
from betaroc.inference.of_scores import ends_at_ties, line_of
from betaroc.inference.scores_beyond import SupportedPair, fewest, tell
from betaroc.inference.simultaneous import band_of_replicates
from betaroc.inference.tail_intervals import (
    FAMILY,
    refuse_far_out,
    tail_interval,
)
from betaroc.model.asking import asking
from betaroc.model.dataset_checks import warn_of_reversed
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import Where, of_point

#: FARs of a band.
_GRID = 201


@public
def roc_band(
    x: ScoreData | SupportedPair,
    *,
    far: npt.ArrayLike | None = None,
    level: float = 0.95,
    simultaneous: bool = False,
    method: str | None = None,
    replicates: int = 2000,
    groups: bool = True,
    rng: Any = None,
    extrapolate: bool = False,
) -> Band:
    """Band around the ROC of scores or of a fit: TPR at each FAR.

    Of scores it is the interval of :func:`interval` for "tpr" at each FAR, by the likelihood of
    both counts; simultaneously that of the level at which

        max over FARs of abs(normal score of a replicate's TPR)

    stays below the deviate of that level in a share `level` of the replicates.

    Parameters
    ----------
    x : Scores, ScoreSummary or Fit
        What the ROC is of.
    far : array_like, optional
        Fractions; 201 equally spaced ones where left out.
    level : float
        Confidence level.
    simultaneous : bool
        One statement about all FARs.
    method : str, optional
        Of scores "likelihood"; of a fit "delta" (if left out, at FARs of a tail what `Fit.interval`
        has for tails) or "bootstrap", see `Fit.roc_band`.
    replicates : int
        Draws behind a simultaneous band, or of the bootstrap of a fit.
    groups : bool
        Where trials carry groups, these vary as wholes.
    rng : None, int, SeedSequence or Generator
        Source of randomness.
    extrapolate : bool
        Of a fit with tails: allow FARs that expect less than a tenth of a score.

    Returns
    -------
    Band
        Its `alpha` is the FAR.

    Raises
    ------
    InputError
        If an option is out of range, a summary is asked for a simultaneous band, which needs
        the scores, or a tail expects less than a tenth of a score and `extrapolate` is not set.
    InputTypeError
        If `x` is neither scores nor a fit.

    Warns
    -----
    ExtrapolationWarning
        If less than one score is expected beyond a FAR that was given.

    Notes
    -----
    The normal score of a replicate is the normal deviate of its rank among all at that FAR, ties
    in the middle, so that a rate that seldom moves cannot decide. Simulated coverage:
    docs/validation.md.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)])
    >>> band = br.roc_band(scores, far=[0.1, 0.5])
    >>> bool((band.low < band.estimate).all() and (band.estimate < band.high).all())
    True
    """
    options = IntervalOptions(level, method, replicates, groups, rng, extrapolate=extrapolate)
    simultaneous = checks.flag(simultaneous, "simultaneous")
    grid = np.linspace(0.0, 1.0, _GRID) if far is None else far
    at = checks.rates_1d(grid, "far")
    if isinstance(x, SupportedPair):
        options = options if options.method is None else options.by((*METHODS, FAMILY))
        if far is not None:
            _refuse_far_out(x, at, options)
        evidence, points = x._evidence, x.model.at_far(at)
        estimate, failed = _tpr(x.model, at), 0
        made, low, high = _hull_of_fit(x, at, estimate, options, simultaneous=simultaneous)
    elif isinstance(x, ScoreData):
        options, counted = options.by(("likelihood",)), CountedScores(x._trials, options.groups)
        evidence, points = counted.evidence, counted.model.at_far(at)
        estimate, made = np.asarray(points.tpr), "scores"
        low, high, failed = _ends_of_scores(counted, at, points, options, simultaneous=simultaneous)
    else:
        raise InputTypeError.about("x")(
            f"x must be Scores, a ScoreSummary or a Fit; got {shown(x)} of type"
            f" {type(x).__name__}. A ScoreModel has no error: fit scores first."
        )
    asked = of_point(points, {"FAR": at})
    if far is not None:
        tell(evidence, asked)
    drawn = options.replicates if options.method == "bootstrap" or simultaneous else 0
    found = Band(
        at, estimate, low, high, options.level, simultaneous,
        made, drawn, np.full(at.size, failed),
        n_beyond=fewest(evidence, asked),
    )  # fmt: skip
    return in_library(found, x)


# ------------------------------------------------------------------------------ of scores
def _ends_of_scores(
    counted: CountedScores, x: FloatArray, points: OperatingPoint, options: IntervalOptions, *,
    simultaneous: bool,
) -> tuple[FloatArray, FloatArray, int]:  # fmt: skip
    data = counted.data
    warn_of_reversed(data._distributions, "scores")
    level, failed = _joint_level(counted, x, options) if simultaneous else (options.level, 0)
    own, ends = replace(options, level=level), []
    for v, point in zip(x, points, strict=True):
        line = line_of(Where("far", float(v)), data.prior)
        found = ends_at_ties(counted, "frr", line, point, own)
        ends.append(counted.likelihood_ends(line, point, level) if found is None else found)
    off = data.rate_error[1] if isinstance(data, ScoreSummary) else 0.0
    low, high = (np.array([1.0 - end[k] for end in ends]) for k in (1, 0))
    return np.maximum(low - off, 0.0), np.minimum(high + off, 1.0), failed


def _joint_level(
    counted: CountedScores, x: FloatArray, options: IntervalOptions
) -> tuple[float, int]:
    """The pointwise level at which replicates lie inside everywhere as often as asked for.

    And the replicates that have no ROC, because a class was left without a trial.
    """
    from scipy.special import ndtr, ndtri
    from scipy.stats import rankdata

    data = counted.data
    if not isinstance(data, Scores):
        raise InputError.about("simultaneous")(
            "a simultaneous band needs the scores themselves; a summary keeps counts. Give the"
            " scores, or take simultaneous=False."
        )
    refuse_still(data, "x", groups=options.groups)
    if counted.evidence.groups is None:
        drawn = drawn_tpr(counted.model, x, options)
    else:
        found = [model for (model,) in DrawnScores((data,), options).models()]
        drawn = np.array([np.asarray(m.at_far(x).tpr) for m in found if m is not None])
    failed = options.replicates - len(drawn)
    if not len(drawn):
        raise InputError.about("replicates")(
            f"a simultaneous band needs replicates with both classes; {failed} of {failed} lack"
            " one. Give more groups, or take simultaneous=False."
        )
    ranks = rankdata(drawn, axis=0)
    largest = np.max(np.abs(ndtri((ranks - 0.5) / len(drawn))), axis=1)
    reach = max(float(np.quantile(largest, options.level)), options.deviate)
    return float(1.0 - 2.0 * ndtr(-reach)), failed


# -------------------------------------------------------------------------------- of fits
def _hull_of_fit(
    f: SupportedPair, x: FloatArray, estimate: FloatArray, options: IntervalOptions, *,
    simultaneous: bool,
) -> tuple[str, FloatArray, FloatArray]:  # fmt: skip
    """Of what the band is, and its ends: of the family, and of the scores unless left out."""
    own = None
    if options.method is None:
        with quietly(), suppress(InputError):
            counted = CountedScores(scores_of_fit(f)._trials, options.groups)
            points = counted.model.at_far(x)
            own = _ends_of_scores(counted, x, points, options, simultaneous=simultaneous)[:2]
    alone = replace(options, method=None) if options.method == FAMILY else options
    try:
        ends = _ends_of_fit(f, x, estimate, alone, simultaneous=simultaneous)
    except InputError:
        if own is None:
            raise
        return "scores", *own
    low, high = ends if own is None else hull_ends(ends, own)
    # A TPR never falls: where FARs ascend, neither do its ends.
    if np.all(np.diff(x) >= 0.0):
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return "fit" if own is None else BOTH, low, high


def _tpr(model: ScoreModel, x: FloatArray) -> FloatArray:
    return np.asarray(model.roc().tpr(x), dtype=np.float64)


def _ends_of_fit(
    f: SupportedPair, x: FloatArray, estimate: FloatArray, options: IntervalOptions, *,
    simultaneous: bool,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    from scipy.special import ndtr

    near = near_of(f, groups=options.groups)
    if options.method == "bootstrap":
        drawn = near.drawn(lambda model: _tpr(model, x), options, x.size)
        return band_of_replicates(drawn, estimate, options, (0.0, 1.0), simultaneous=simultaneous)
    place, small = _probits(f.model, x), near.small
    inside = np.isfinite(place)
    changes = slopes_of(near.steps, lambda model: _probits(model, x))
    slopes = np.where(inside[:, None] & np.isfinite(changes), changes, 0.0)
    reach = small.largest(slopes, options) if simultaneous else small.reach(slopes, options.level)
    away = reach * np.sqrt(np.sum(slopes**2, axis=1))
    low, high = (np.where(inside, ndtr(place + s * away), estimate) for s in (-1.0, 1.0))
    if options.method is None and f.impostor.tails:
        level = float(1.0 - 2.0 * ndtr(-float(np.max(reach)))) if simultaneous else options.level
        for k, rate in enumerate(x.tolist()):
            asked = asking("tpr", (), far=rate)
            found = tail_interval(f, asked, level, groups=options.groups) if inside[k] else None
            if found is not None:
                low[k], high[k] = found.low, found.high
    return low, high


def _refuse_far_out(f: SupportedPair, x: FloatArray, options: IntervalOptions) -> None:
    for rate in x[(x > 0.0) & (x < 1.0)].tolist():
        refuse_far_out(f, asking("threshold", (), far=rate), extrapolate=options.extrapolate)


def _probits(model: ScoreModel, far: FloatArray) -> FloatArray:
    """Probit of TPR at each FAR, near 1 from the tail of FRR; infinite where TPR is 0 or 1."""
    from scipy.special import ndtri

    tpr = _tpr(model, far)
    if any(law.atoms.places.size for law in (model.client, model.impostor)):
        return np.asarray(ndtri(tpr))
    frr = np.asarray(model.at_far(far).frr, dtype=np.float64)
    return np.asarray(np.where(tpr < 0.5, ndtri(tpr), -ndtri(frr)))
