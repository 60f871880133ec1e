"""Fits with tails: both classes fitted as ever, their ends replaced by few extreme scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray
from betaroc.core.checks import counts
from betaroc.core.errors import InputError
from betaroc.core.notices import Notice
from betaroc.core.text import shown
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.core.vocabulary import worded
from betaroc.data.groups import Groups, groups_of
from betaroc.data.scores import ScoreData, require_scores
from betaroc.data.summary import ScoreSummary
from betaroc.data.sums import KEPT
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import base_of
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.families import check_within
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.estimation.tails import (
    FEWEST_BEYOND,
    PRIOR_DEVIATION,
    SIZES,
    TailFit,
    Tails,
    TailScores,
    fit_tails,
    steep_tails,
)
from betaroc.inference.sandwich import undropped

#: The ends that FRR and FAR rest on.
ENDS = {"client": "lower", "impostor": "upper"}
#: Shapes nearer to -1 have no information to speak of.
_REGULAR = -0.4
#: A tail of a summary looks at twice as many scores as it has, for ties.
_MOST_OF_SUMMARY = 400
_SIDES: dict[str, tuple[str, ...]] = {
    "lower": ("lower",), "upper": ("upper",), "both": ("lower", "upper"),
}  # fmt: skip


class TailRequest(NamedTuple):
    """Which ends of which class have tails, of how many scores, on which coordinate."""

    client: tuple[str, ...]
    impostor: tuple[str, ...]
    sizes: tuple[int, ...] = SIZES
    bounds: tuple[float, float] | None = None

    @classmethod
    def of(
        cls,
        tails: str | Mapping[str, str] | None,
        sizes: int | Sequence[int] | None = None,
        bounds: tuple[float, float] | None = None,
    ) -> TailRequest | None:
        """What was asked for, checked: one word for both classes, a word a class, or nothing.

        Raises
        ------
        InputError
            If a word is none of "both", "upper", "lower", a key none of "client", "impostor", a
            size below 20, or sizes stand without tails.
        """
        if tails is None:
            if sizes is not None:
                raise InputError.about("tail_sizes")(
                    worded("`tail_sizes=`")
                    + f" must stand beside tails; got {shown(sizes)} without. Say"
                    + worded(' `tails="both"`, or leave it out.')
                )
            return None
        given = tails if isinstance(tails, Mapping) else dict.fromkeys(CLASSES, tails)
        wrong = [key for key in given if key not in CLASSES]
        words = [word for word in given.values() if not isinstance(word, str) or word not in _SIDES]
        if wrong or words or not given:
            raise InputError.about("tails")(
                'tails must be "both", "upper", "lower" or a dict of "client" and "impostor" with'
                f" these words; got {shown(tails)}. Give one, or leave it out."
            )
        counted = SIZES if sizes is None else counts(sizes, "tail_sizes", FEWEST_BEYOND)
        sides = [_SIDES[given[who]] if who in given else () for who in CLASSES]
        return cls(sides[0], sides[1], counted, bounds)

    @classmethod
    def at(cls, who: str, side: str, bounds: tuple[float, float] | None) -> TailRequest:
        """One end of one class."""
        client, impostor = (_SIDES[side] if who == one else () for one in CLASSES)
        return cls(client, impostor, bounds=bounds)


def with_tails(pair: PairEstimate, asked: TailRequest) -> tuple[PairEstimate, list[Notice]]:
    """A pair whose distributions have tails of their most extreme scores, and what there is to say.

    The body stays that of the pair: tails are fitted to the scores themselves, the part between
    the joints is rescaled.

    Raises
    ------
    InputError
        As in :func:`fit_tails`; of a summary also if a size is above 400.
    """
    if isinstance(pair.scores, ScoreSummary) and max(asked.sizes) > _MOST_OF_SUMMARY:
        raise InputError.about("tail_sizes")(
            f"tail_sizes must be at most {_MOST_OF_SUMMARY} of a summary, which keeps the {KEPT}"
            f" most extreme scores; got {max(asked.sizes)}. Fit the scores."
        )
    found, said = [], []
    for who in CLASSES:
        one, notices = _class_with_tails(getattr(pair, who), pair.scores, who, asked)
        found.append(one)
        said += notices
    model = replace(pair.model, client=found[0].distribution, impostor=found[1].distribution)
    return replace(pair, model=model, client=found[0], impostor=found[1]), said


def _class_with_tails(
    estimate: Estimate, scores: ScoreData, who: str, asked: TailRequest
) -> tuple[Estimate, list[Notice]]:
    sides = getattr(asked, who)
    if not sides:
        return estimate, []
    body = estimate.distribution
    bounds = None if body.on_unit else asked.bounds or _evident(scores)
    coordinate = Coordinate(bounds, body.on_unit)
    samples = {side: tail_scores(scores, who, estimate, coordinate, side) for side in sides}
    fitted = [fit_tails(samples[side], side, asked.sizes) for side in sides]
    tails = {one.side: one.tail() for one in fitted}
    law = Spliced(body, bounds=coordinate.bounds, **tails)
    own = {p.name: p.value for p in law._parameters()} if estimate.names else {}
    names = (*estimate.names, *(n for n in own if n not in estimate.names))
    made = replace(
        estimate, distribution=law, names=names, values=tuple(own[n] for n in names),
        cov=_covariance(estimate.cov, fitted) if own else estimate.cov, tails=tuple(fitted),
        log_likelihood=_log_likelihood(
            estimate.log_likelihood, law, estimate.total_weight, samples
        ),
    )  # fmt: skip
    bounded = coordinate.on_unit or coordinate.bounds is not None
    return made, [n for one in fitted for n in steep_tails(who, one, bounded=bounded)]


def _evident(scores: ScoreData) -> tuple[float, float] | None:
    """[0, 1] where all scores lie in it, whatever stands in the middle."""
    ends = [scores._extremes(who) for who in CLASSES]
    unit = all(low >= 0.0 and high <= 1.0 for low, high in ends)
    return (0.0, 1.0) if unit else None


def tail_scores(
    scores: ScoreData, who: str, estimate: Estimate, coordinate: Coordinate, side: str
) -> TailScores:
    """The scores that the fit took, where its tails are straight; of a summary those of a side."""
    groups = design = None
    if isinstance(scores, ScoreSummary):
        one, weights, total = getattr(scores, who), None, estimate.total_weight
        values = one.highest if side == "upper" else one.lowest
    else:
        rows = require_scores(scores, "a tail")
        values, weights = getattr(rows, who), getattr(rows, f"{who}_weights")
        total, groups = None, groups_of(rows)
    kept = undropped(estimate, values)
    values, weights = values[kept], None if weights is None else weights[kept]
    if coordinate.bounds is not None:
        check_within(who, values, coordinate.bounds)
    which = CLASSES.index(who)
    if groups is not None and groups.sizes[which] is not None:
        design = partial(_design_effect, groups, which, kept)
    y = coordinate.of(Thresholds.from_theta(values))
    return TailScores(who, y, weights, design, total)


def _design_effect(groups: Groups, which: int, kept: BoolArray, beyond: BoolArray) -> float:
    """Variance of a share over that of as many independent scores; at least 1.

    Of the scores beyond among those `kept` of a class (0 clients, 1 impostors), between groups.
    """
    size = groups.sizes[which]
    if size is None or size < 2:
        return 1.0
    every = np.zeros(kept.size)
    every[kept] = beyond
    cut = groups.rows[0].size
    mine = (slice(cut), slice(cut, None))[which]
    copies, marked = groups.copies[mine], every[groups.rows[which]]
    n = float(np.sum(copies))
    share = float(marked @ copies) / n
    parts = np.zeros((groups.first.size, 1))
    parts[mine, 0] = (marked - share) / n
    whole, twice = (float(part[0, 0]) for part in groups.meat(parts))
    variance = (whole - twice if whole > twice else whole) * size / (size - 1.0)
    return max(1.0, variance * n / (share * (1.0 - share)))


def _log_likelihood(
    before: float, law: Spliced, total: float, samples: Mapping[str, TailScores]
) -> float:
    """That of the body, rescaled between the joints and replaced beyond."""
    if math.isnan(before):  # a body of counts has no density
        return before
    middle = law._lower_quantile(np.array([0.5]), np.log([0.5]))
    inner = float((law._log_likelihood(middle) - law.body._log_likelihood(middle))[0])
    gained, beyond = 0.0, 0.0
    for side, one in samples.items():
        sign = 1.0 if side == "upper" else -1.0
        tail = law.upper if side == "upper" else law.lower
        if tail is None or tail.joint is None:  # as no fitted tail is
            continue
        out = sign * one.places > sign * tail.joint
        t = law.coordinate.place(one.places[out])
        each = law._log_likelihood(t) - law.body._log_likelihood(t)
        weights = np.ones(each.size) if one.weights is None else one.weights[out]
        gained += math.fsum((weights * each).tolist())
        beyond += float(np.sum(weights))
    return before + gained + (total - beyond) * inner


def _covariance(body: FloatArray, fitted: Sequence[Tails]) -> FloatArray:
    """The body's, then mass, shape and scale of each tail: blocks, as if independent."""
    size = body.shape[0] + 3 * len(fitted)
    whole = np.zeros((size, size))
    whole[: body.shape[0], : body.shape[0]] = body
    for k, tails in enumerate(fitted):
        at = slice(body.shape[0] + 3 * k, body.shape[0] + 3 * k + 3)
        whole[at, at] = np.mean([_tail_covariance(fit) for fit in tails.fits], axis=0)
    return whole


def _tail_covariance(fit: TailFit) -> FloatArray:
    """Of the share by its count, of shape and scale from their information and the penalty.

    (1 + c)/k times ((1 + c, -s), (-s, 2 s^2)) without the penalty, of shapes c above -1/2.
    """
    k, room = fit.k / fit.design_effect, 1.0 + max(fit.shape, _REGULAR)
    own = np.array([[room, -fit.scale], [-fit.scale, 2.0 * fit.scale * fit.scale]]) * room / k
    information = np.linalg.inv(own)
    information[0, 0] += PRIOR_DEVIATION**-2
    found = np.zeros((3, 3))
    found[0, 0] = fit.mass * (1.0 - fit.mass) / fit.n
    found[1:, 1:] = np.linalg.inv(information)
    return found


def tails_again(
    own: Estimate, body: Distribution, values: FloatArray, weights: FloatArray | None
) -> Distribution:
    """Another body of the same class with tails of other scores, as the estimate has them.

    Raises
    ------
    InputError, FitError
        As in :func:`fit_tails`.
    """
    law = base_of(own.distribution)
    if not isinstance(law, Spliced):
        return body
    y, fitted = law.coordinate.of(Thresholds.from_theta(values)), {}
    for one in own.tails:
        sample = TailScores(own.family, y, weights, partial(_known, one.fits[0].design_effect))
        fitted[one.side] = fit_tails(sample, one.side, one.sizes).tail()
    return Spliced(body, bounds=law.bounds, **fitted)


def _known(effect: float, _beyond: BoolArray) -> float:
    """The design effect of the fit, where groups are not at hand."""
    return effect


def refuse_tails(pair: PairEstimate, what: str) -> None:
    """An error for what is said of the distributions of a family alone.

    Raises
    ------
    InputError
        If the fit has tails.
    """
    if pair.client.tails or pair.impostor.tails:
        raise InputError(
            f"{what} must be of a fit without tails; this one has tails, which the parameters of"
            f" family {pair.client.family!r} do not describe. Fit the scores without"
            + worded(" `tails=`.")
        )


def tail_of(
    body: Distribution,
    who: str,
    values: FloatArray,
    weights: FloatArray | None,
    bounds: tuple[float, float] | None,
) -> Spliced:
    """A distribution with the tail that its class's rate rests on, by scores without groups.

    `bounds` are those of the scores of both classes.

    Raises
    ------
    InputError, FitError
        As in :func:`fit_tails`.
    """
    coordinate = Coordinate(None if body.on_unit else bounds, body.on_unit)
    y = coordinate.of(Thresholds.from_theta(values))
    one = fit_tails(TailScores(who, y, weights), ENDS[who])
    tails = {one.side: one.tail()}
    return Spliced(body, tails.get("lower"), tails.get("upper"), coordinate.bounds)


def sides_of(pair: PairEstimate) -> dict[str, str] | None:
    """The ends of a fit that have tails, as they are asked for; None of a fit without."""
    words = {("lower",): "lower", ("upper",): "upper", ("lower", "upper"): "both"}
    sides = {who: tuple(one.side for one in getattr(pair, who).tails) for who in CLASSES}
    return {who: words[own] for who, own in sides.items() if own} or None
