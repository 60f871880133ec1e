"""Where the ROC meets the diagonal, in words; what lies beyond the scores is said to."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betaroc.data.scores import Scores
from betaroc.distributions.beta import Beta, has_shape
from betaroc.distributions.normal import LogitNormal, Normal
from betaroc.model.improper_regions import gaps
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import percent, threshold
from betaroc.report.certainty import (
    NOT_COMPUTED,
    Certainty,
    cannot_tell,
    chance_words,
    least_sign,
    likely,
)

_REVERSED = " If lower scores mean client, pass 1 - score or -score."
_WHOLE = {
    "chance": (
        "The two distributions are the same: the ROC is the diagonal, chance at every threshold."
    ),
    "proper": "The ROC lies above the diagonal everywhere.",
    "below": (
        "The ROC lies below the diagonal everywhere: impostors score higher than clients."
        + _REVERSED
    ),
    "hook-at-zero": (
        "The ROC crosses the diagonal once: below it (worse than chance, by FAR - TPR of at most"
        " {depth}) at the low thresholds, above it at all higher ones."
    ),
    "hook-at-one": (
        "The ROC crosses the diagonal once: below it (worse than chance, by FAR - TPR of at most"
        " {depth}) at the high thresholds, above it at all lower ones."
    ),
    "several-crossings": "The ROC crosses the diagonal several times.",
}
_CROSSES_ONCE = (
    (Normal, "Any two normal distributions of different sigma cross it once, whatever the scores"),
    (
        LogitNormal,
        "Any two normal distributions on the log-odds scale of different sigma cross it once,"
        " whatever the scores",
    ),
    (Beta, "Two beta distributions cross it once wherever one has both shapes larger"),
)
#: Shapes of the whole curve in a list of probabilities, and where each end is above.
_THAT = {
    "proper": "that it is above it throughout",
    "hook-at-one": "that it is below it at the high thresholds",
    "hook-at-zero": "that it is below it at the low thresholds",
    "below": "that it is below it throughout",
}
_ABOVE = ({"proper", "hook-at-one"}, {"proper", "hook-at-zero"})
_HOOKS = {"hook-at-zero": "at_zero", "hook-at-one": "at_one"}


class Depth(NamedTuple):
    """The largest distance from the diagonal on one side of it, and where."""

    gap: float
    point: OperatingPoint


class Unseen(NamedTuple):
    """A crossing of the diagonal of which the scores show nothing.

    ``side`` is that of the ROC where the scores are, ``end`` the end of the threshold
    range where it is on the other, by ``gap`` at most. ``beyond`` tells that less than
    one score of either class is expected there; else the gap is less than half of one.
    """

    side: str
    end: str
    gap: float
    crossing: OperatingPoint
    beyond: bool
    past_all: bool

    @property
    def where(self) -> str:
        """Why nothing is seen of it."""
        if not self.beyond:
            return f"by at most {rate_shown(self.gap)}, less than half a trial of either class"
        return "beyond every score" if self.past_all else "where not one score is expected"


def depth(model: ScoreModel, *, below: bool = True) -> Depth:
    """The largest FAR - TPR or, not ``below``, TPR - FAR."""
    t, gap = gaps(model)
    gap = gap if below else -gap
    k = int(np.argmax(gap))
    return Depth(float(gap[k]), model._point(t[k]))


def unseen(model: ScoreModel, scores: Scores | None) -> Unseen | None:
    """The only crossing, if the scores show nothing of it."""
    hooked = _HOOKS.get(model.global_shape())
    points = model.diagonal_crossings()
    if scores is None or hooked is None or len(points) != 1:
        return None
    crossing, most = points[0], max(scores.client_total, scores.impostor_total)
    end = "at_one" if crossing.far <= crossing.frr else "at_zero"
    if min(crossing.far, crossing.frr) * most < 1.0:
        side = "above" if end == hooked else "below"
        gap = depth(model, below=side == "above").gap
        return Unseen(side, end, gap, crossing, True, _past_all(crossing, end, scores))
    below, above = (depth(model, below=which).gap for which in (True, False))
    if min(below, above) * most >= 0.5 or max(below, above) * most < 0.5:
        return None
    if below < above:
        return Unseen("above", hooked, below, crossing, False, False)
    other = "at_zero" if hooked == "at_one" else "at_one"
    return Unseen("below", other, above, crossing, False, False)


def unseen_end(model: ScoreModel, scores: Scores | None, end: str) -> Unseen | None:
    """The crossing nearest to an end, if less than one score is expected past it."""
    points = model.diagonal_crossings()
    if scores is None or len(points) == 0:
        return None
    only = unseen(model, scores) if len(points) == 1 else None
    if only is not None or len(points) == 1:
        return only if only is not None and only.end == end else None
    crossing = points[0] if end == "at_zero" else points[-1]
    rate = crossing.frr if end == "at_zero" else crossing.far
    if rate * max(scores.client_total, scores.impostor_total) >= 1.0:
        return None
    side = getattr(model.ends(), end).side
    other = "below" if side == "above" else "above"
    return Unseen(other, end, math.nan, crossing, True, _past_all(crossing, end, scores))


def _past_all(crossing: OperatingPoint, end: str, scores: Scores) -> bool:
    both = (scores.client, scores.impostor)
    if end == "at_one":
        return all(float(s.max()) <= crossing.threshold for s in both)
    return all(float(s.min()) > crossing.threshold for s in both)


def rate_shown(rate: float) -> str:
    """A rate that is positive, whatever became of it as a double."""
    return percent(rate) if rate > 0.0 else "less than 1e-300"


def whole_curve_words(
    model: ScoreModel, scores: Scores | None = None, sure: Certainty | None = None
) -> str:
    """The statement about the whole curve; with scores, of what they can show of it.

    Of a fit, whose errors are ``sure``, with its probability, or that it cannot be told.
    """
    if sure is None:
        return _exact_words(model, scores)
    if sure.whole:
        return _sure_words(model, sure)
    fitted = _exact_words(model, scores).replace("The ROC", "The fitted ROC", 1)
    fitted = fitted.replace(": no threshold is worse than chance.", ".")
    if sure.against:
        return f"{fitted.removesuffix(_REVERSED)[:-1]}, but {sure.against}."
    if sure.concave:
        return f"{fitted[:-1]}: by construction of the family, whatever the scores."
    if fitted.endswith(_REVERSED):
        return f"{fitted.removesuffix(_REVERSED)[:-1]}; {NOT_COMPUTED}.{_REVERSED}"
    return f"{fitted[:-1]}; {NOT_COMPUTED}."


def _sure_words(model: ScoreModel, sure: Certainty) -> str:
    """What the probabilities of the whole curve let one say of it."""
    shares = sure.whole
    best = max(shares, key=lambda name: shares[name])
    if shares[best] >= sure.level:
        return _stated(model, best, shares[best], sure.where)
    listed = likely(shares, _THAT)
    more = sure.wanted(least_sign(shares, _ABOVE))
    worse = 1.0 - shares["proper"]
    # Equal distributions are no finding, though drawn ones nearly always cross.
    if worse >= sure.level and sure.curve is not None and sure.curve.p_proper <= 1.0 - sure.level:
        return (
            f"Some thresholds are worse than chance (probability {chance_words(worse)});"
            f" {cannot_tell(sure.level)} on which side of the diagonal the ROC lies at which:"
            f" probability {listed}; {more}."
        )
    words = cannot_tell(sure.level)
    return (
        f"{words[:1].upper()}{words[1:]} whether the ROC lies above the diagonal {sure.where}:"
        f" probability {listed}; {more}."
    )


def _stated(model: ScoreModel, shape: str, chance: float, where: str) -> str:
    """A shape of the whole curve that is stated, with its probability."""
    known = f"(probability {chance_words(chance)})"
    if shape == "proper":
        if where != "everywhere":
            return f"The ROC lies above the diagonal {where} {known}."
        return (
            f'The ROC lies above the diagonal {where} and is concave ("proper"): no threshold is'
            f" worse than chance {known}."
        )
    if shape == "below":
        return (
            f"The ROC lies below the diagonal {where}: impostors score higher than clients"
            f" {known}.{_REVERSED}"
        )
    low, high = ("low", "higher") if shape == "hook-at-zero" else ("high", "lower")
    return (
        f"The ROC crosses the diagonal once: below it (worse than chance) at the {low} thresholds,"
        f" above it at all {high} ones {known}. FAR - TPR of the fitted one is at most"
        f" {rate_shown(depth(model).gap)}."
    )


def _exact_words(model: ScoreModel, scores: Scores | None) -> str:
    shape = model.global_shape()
    text = _WHOLE[shape]
    if shape == "proper":
        if model.roc().is_concave:
            return text[:-1] + ' and is concave ("proper"): no threshold is worse than chance.'
        return text[:-1] + ", but is not concave."
    hidden = unseen(model, scores)
    if hidden is not None:
        where = (
            "wherever there are scores"
            if hidden.beyond
            else "but for a stretch too shallow for the scores to show"
        )
        if hidden.side == "above":
            return f"The ROC lies above the diagonal {where}."
        return (
            f"The ROC lies below the diagonal {where}: impostors score higher than clients."
            + _REVERSED
        )
    return text.format(depth=rate_shown(depth(model).gap)) if "{depth}" in text else text


def crossing_words(
    model: ScoreModel, scores: Scores | None = None, *, fitted: bool = False
) -> list[str]:
    """Each crossing of the diagonal, and how deep the ROC falls below it."""
    points = model.diagonal_crossings()
    if len(points) == 0:
        return []
    hidden = unseen(model, scores)
    if hidden is not None:
        return [_unseen_words(model, hidden)]
    who = "The fitted ROC" if fitted else "It"
    lines = [
        f"{who} crosses the diagonal at threshold {_place(p)}, where {_rates(p)}"
        f"{_past_scores(p, scores)}."
        for p in (points[k] for k in range(min(len(points), 5)))
    ]
    gap, worst = depth(model)
    lines.append(
        f"Where it is deepest below, FAR exceeds TPR by {rate_shown(gap)}"
        f" (threshold {_place(worst)}: FAR {percent(worst.far)}, TPR {percent(worst.tpr)})."
    )
    rule = _rule(model)
    if rule and not has_shape(model.client):
        lines.append(f"{rule}.")
    return lines


def _past_scores(point: OperatingPoint, scores: Scores | None) -> str:
    """Where a crossing lies past the scores: that they show nothing of it."""
    if scores is None:
        return ""
    most = max(scores.client_total, scores.impostor_total)
    if min(point.far, point.frr) * most >= 1.0:
        return ""
    end = "at_one" if point.far <= point.frr else "at_zero"
    where = "beyond every score" if _past_all(point, end, scores) else "where not one is expected"
    return f", {where}: nothing the data show"


def _unseen_words(model: ScoreModel, hidden: Unseen) -> str:
    rule = _rule(model)
    head = f"{rule}, and these do" if rule else "The fitted distributions cross it"
    more = "FAR exceeds TPR" if hidden.side == "above" else "TPR exceeds FAR"
    place = f"at threshold {_place(hidden.crossing)}, where {_rates(hidden.crossing)}"
    if hidden.beyond:
        past = f"{hidden.where}; past it {more} by at most {rate_shown(hidden.gap)}"
    else:
        past = f"past which {more} {hidden.where}"
    return f"{head} {place}, {past}: so by construction of the family, nothing the data show."


def _rule(model: ScoreModel) -> str:
    laws = (model.client, model.impostor)
    for kind, rule in _CROSSES_ONCE:
        if all(isinstance(law, kind) for law in laws):
            return rule
    return ""


def _place(point: OperatingPoint) -> str:
    return threshold(point.threshold, point.logit_threshold)


def _rates(point: OperatingPoint) -> str:
    """FAR = TPR, or their complements where these say more."""
    if point.far <= point.frr:
        return f"FAR = TPR = {rate_shown(point.far)}"
    if point.frr > 0.01:
        return f"FAR = TPR = {percent(point.far)}"
    return f"FRR = TNR = {rate_shown(point.frr)}"
