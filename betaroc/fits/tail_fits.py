"""Fits with tails: both classes fitted as ever, their ends replaced by few extreme scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import count
from betaroc.core.errors import InputError
from betaroc.core.notices import Notice
from betaroc.core.sentences import worded
from betaroc.core.text import shown
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores, require_scores
from betaroc.distributions.spliced import Spliced
from betaroc.distributions.tail_coordinate import Coordinate
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.estimation.tail_likelihood import TailFit, grid_of
from betaroc.estimation.tails import (
    FEWEST_BEYOND,
    SIZES,
    Tails,
    TailScores,
    design_effect,
    fit_tails,
    steep_tails,
)

__all__ = ["TailRequest", "with_tails"]

_CLASSES = ("client", "impostor")
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
        tails: str | Mapping[str, str],
        sizes: Sequence[int] | None = None,
        bounds: tuple[float, float] | None = None,
    ) -> TailRequest:
        """What was asked for, checked: one word for both classes, or a word a class.

        Raises
        ------
        InputError
            If a word is none of "both", "upper", "lower", a key none of "client", "impostor", or a
            size below 20.
        """
        given = tails if isinstance(tails, Mapping) else dict.fromkeys(_CLASSES, tails)
        wrong = [key for key in given if key not in _CLASSES]
        words = [word for word in given.values() if word not in _SIDES]
        if wrong or words or not given:
            raise InputError.about("tails")(
                worded(
                    'tails must be "both", "upper", "lower" or a dict of "client" and "impostor"'
                )
                + f" with these words; got {shown(tails)}."
            )
        counted = SIZES if sizes is None else tuple(
            count(size, "tail_sizes", FEWEST_BEYOND) for size in sizes
        )  # fmt: skip
        if not counted:
            raise InputError.about("tail_sizes")("tail_sizes must hold a number; got none.")
        sides = [_SIDES[given[who]] if who in given else () for who in _CLASSES]
        return cls(sides[0], sides[1], counted, bounds)


def with_tails(pair: PairEstimate, asked: TailRequest) -> tuple[PairEstimate, list[Notice]]:
    """A pair whose distributions have tails of their most extreme scores, and what there is to say.

    The body stays that of the pair: tails are fitted to the scores themselves, the part between
    the joints is rescaled.

    Raises
    ------
    InputError
        If the pair is of a summary, or as in :func:`fit_tails`.
    """
    scores = require_scores(pair.scores, "a tail")
    found, said = [], []
    for who in _CLASSES:
        one, notices = _class_with_tails(getattr(pair, who), scores, who, asked)
        found.append(one)
        said += notices
    model = replace(pair.model, client=found[0].distribution, impostor=found[1].distribution)
    return replace(pair, model=model, client=found[0], impostor=found[1]), said


def _class_with_tails(
    estimate: Estimate, scores: Scores, who: str, asked: TailRequest
) -> tuple[Estimate, list[Notice]]:
    sides = getattr(asked, who)
    if not sides:
        return estimate, []
    body = estimate.distribution
    coordinate = Coordinate(None if body.on_unit else asked.bounds, body.on_unit)
    sample = _on_coordinate(scores, who, coordinate)
    fitted = [fit_tails(sample, side, asked.sizes) for side in sides]
    tails = {one.side: one.tail() for one in fitted}
    law = Spliced(body, bounds=coordinate.bounds, **tails)
    own = {p.name: p.value for p in law._parameters()}
    names = (*estimate.names, *(n for n in own if n not in estimate.names))
    made = replace(
        estimate, distribution=law, names=names, values=tuple(own[n] for n in names),
        covariance=_covariance(estimate.cov, fitted),
        log_likelihood=_log_likelihood(law, scores, who), tails=tuple(fitted),
    )  # fmt: skip
    return made, [notice for one in fitted for notice in steep_tails(who, one)]


def _on_coordinate(scores: Scores, who: str, coordinate: Coordinate) -> TailScores:
    values = getattr(scores, who)
    if coordinate.bounds is not None:
        low, high = coordinate.bounds
        outside = (values < low) | (values > high)
        if np.any(outside):
            first = int(np.argmax(outside))
            raise InputError.about("bounds")(
                f"all {who} scores must lie in the bounds ({low:g}, {high:g}); got"
                f" {int(np.sum(outside))} outside, first index {first}, value {values[first]!r}."
            )
    groups, which = groups_of(scores), _CLASSES.index(who)
    grouped = groups is not None and groups.sizes[which] is not None
    design = partial(design_effect, groups, which) if grouped and groups is not None else None
    y = coordinate.of(Thresholds.from_theta(values))
    return TailScores(who, y, getattr(scores, f"{who}_weights"), design)


def _log_likelihood(law: Spliced, scores: Scores, who: str) -> float:
    weights = getattr(scores, f"{who}_weights")
    each = law._log_likelihood(Thresholds.from_theta(getattr(scores, who)))
    return float(np.sum(each) if weights is None else np.sum(weights * each))


def _covariance(body: FloatArray, fitted: Sequence[Tails]) -> tuple[tuple[float, ...], ...]:
    """The body's, then mass, shape and scale of each tail: blocks, as if independent."""
    size = body.shape[0] + 3 * len(fitted)
    whole = np.zeros((size, size))
    whole[: body.shape[0], : body.shape[0]] = body
    for k, tails in enumerate(fitted):
        at = slice(body.shape[0] + 3 * k, body.shape[0] + 3 * k + 3)
        whole[at, at] = np.mean([_tail_covariance(fit) for fit in tails.fits], axis=0)
    return tuple(tuple(row) for row in whole.tolist())


def _tail_covariance(fit: TailFit) -> FloatArray:
    grid = grid_of(fit)
    moved: Any = np.cov(np.stack([grid.shape, grid.scale]), aweights=grid.weight, ddof=0)
    found = np.zeros((3, 3))
    found[0, 0] = fit.mass * (1.0 - fit.mass) / fit.n
    found[1:, 1:] = moved
    return found
