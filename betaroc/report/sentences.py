"""What a curve does, in words: only what was computed, and what it means."""

from __future__ import annotations

import math

from betaroc.data.scores import Scores
from betaroc.distributions.base import Tail
from betaroc.estimation.families import family_text
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.model.ends import End
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import number, percent, threshold
from betaroc.report.certainty import (
    NOT_COMPUTED,
    Certainty,
    cannot_tell,
    chance_words,
    least_sign,
    likely,
    p_words,
)
from betaroc.report.crossings import Unseen, unseen

__all__ = [
    "boundary_words", "category_words", "coefficient", "end_words", "fit_families", "parameters",
]  # fmt: skip

#: Where the words about an end give numbers.
_DEEP, _ROUNDING = 1e-3, 1.0 + 1e-9
_SHAPES = {
    "U": "most scores near both ends",
    "bell": "one interior peak",
    "J": "scores pile up at 1",
    "reverse-J": "scores pile up at 0",
}
#: Shapes with a > 1, and with b > 1.
_RISING = ({"J", "bell"}, {"reverse-J", "bell"})


def fit_families(fit: Fit) -> str:
    """Name of the family, point masses said."""
    both = (fit._scored.client, fit._scored.impostor)
    inflated = any(f.distribution.atoms.places.size and f.names for f in both)
    name = family_text(fit.family)
    name = f"{name}, with point masses" if inflated else name
    ends = [
        f"{who}s at the {' and the '.join(one.side for one in f.tails)} end"
        for who, f in zip(("client", "impostor"), both, strict=True)
        if f.tails
    ]
    return f"{name}, with a tail of {' and '.join(ends)}" if ends else name


# ------------------------------------------------------------------------------- ends
def end_words(
    model: ScoreModel, which: str, scores: Scores | None = None, sure: Certainty | None = None
) -> list[str]:
    """What the ROC does near one end of the threshold range, with its meaning.

    Of a fit, whose errors are ``sure``, the side with its p-value, or that it cannot be told.
    """
    end: End = getattr(model.ends(), which)
    lower = which == "at_zero"
    words = [_opening(model, lower) + _side_words(model, which, scores, sure)]
    law = _law_words(model, end, lower=lower)
    if law:
        words.append(law if sure is None else f"Of the fitted curve: {law}")
    number_words = _deep_words(model, sure, lower=lower)
    if number_words:
        words.append(number_words)
    return words


def _side_words(
    model: ScoreModel, which: str, scores: Scores | None, sure: Certainty | None
) -> str:
    """The side of the diagonal near an end, as sure as it is."""
    lower, fitted = which == "at_zero", getattr(model.ends(), which).side
    hidden = unseen(model, scores)
    beyond = hidden is not None and hidden.end == which
    if sure is None:
        known, side = "", fitted
    elif sure.ends is None:
        known, side = NOT_COMPUTED, fitted
    else:
        test = getattr(sure.ends, which)
        known, side = p_words(test.p_value), test.side
        if side == "cannot tell":
            return (
                f"{cannot_tell(sure.level)} on which side of the diagonal the ROC lies ({known};"
                f" the fitted one is {fitted} it): {sure.wanted(test.z, two_sided=True)}."
            )
    if hidden is not None and beyond:
        return _unseen_side(hidden, fitted, known)
    words = _SIDE[lower, side]
    if not known:
        return words
    words = words.replace("the diagonal:", f"the diagonal ({known}):", 1)
    return words.replace("the ROC", "the fitted ROC", 1) if known == NOT_COMPUTED else words


def _unseen_side(hidden: Unseen, side: str, known: str) -> str:
    """The other side of a crossing of which the scores show nothing."""
    place = threshold(hidden.crossing.threshold, hidden.crossing.logit_threshold)
    return (
        f"the ROC of the fitted distributions lies {side} the diagonal"
        f"{known and f' ({known})'}, but only past the crossing at {place}, {hidden.where}: nothing"
        " the data show."
    )


def _opening(model: ScoreModel, lower: bool) -> str:
    unit = model.client.on_unit and model.impostor.on_unit
    place = ("0" if lower else "1") if unit else ("the low end" if lower else "the high end")
    who = "almost everybody is accepted" if lower else "hardly anybody is accepted"
    return f"Towards {'threshold ' if unit else ''}{place}, where {who}, "


_TOUCHES = "the ROC touches the diagonal: no better and no worse than chance there."
_SIDE = {
    (True, "above"): (
        "the ROC lies above the diagonal: it rejects a larger share of the impostors than of the"
        " clients."
    ),
    (True, "below"): (
        "the ROC lies below the diagonal: it rejects a larger share of the clients than of the"
        " impostors, so accepting almost everybody this way is worse than chance."
    ),
    (False, "above"): (
        "the ROC lies above the diagonal: it accepts a larger share of the clients than of the"
        " impostors."
    ),
    (False, "below"): (
        "the ROC lies below the diagonal: it accepts a larger share of the impostors than of the"
        " clients, so rejecting almost everybody this way is worse than chance."
    ),
    (True, "on"): _TOUCHES,
    (False, "on"): _TOUCHES,
}


def _law_words(model: ScoreModel, end: End, *, lower: bool) -> str:
    of_impostor, of_client = ("TNR", "FRR") if lower else ("FAR", "TPR")
    if end.exponent in (0.0, math.inf):
        return _alone_words(model, end, lower=lower)
    slope = f"semi-derivative dF_i/dF_c = {number(end.semi_derivative, 4)}"
    if math.isnan(end.coefficient):
        return (
            f"{of_impostor} falls like {of_client}^{number(end.exponent, 4)} up to a slowly varying"
            f" factor ({slope})."
        )
    known = 0.0 < end.coefficient < math.inf
    factor = coefficient(end.coefficient) if known else "K"
    power = f"{of_impostor} ~ {factor} {of_client}"
    power += ", a straight end" if end.exponent == 1.0 else f"^{number(end.exponent, 4)}"
    if not known:
        power += f" with K {coefficient(end.coefficient)}"
    return f"{power} ({slope})."


def _alone_words(model: ScoreModel, end: End, *, lower: bool) -> str:
    """One class is alone at the end: with a point mass, a wider support, a heavier kind of tail."""
    which = 0 if lower else 1
    tails: dict[str, Tail] = {
        "impostors": model.impostor._tails()[which], "clients": model.client._tails()[which]
    }  # fmt: skip
    who, other = ("impostors", "clients") if end.exponent == 0.0 else ("clients", "impostors")
    without = f"exponent {number(end.exponent)}" + (
        ", no coefficient" if math.isnan(end.coefficient) else ""
    )
    if tails[who].place != tails[other].place:
        return f"Only {who} reach beyond {number(tails[other].place)} there ({without})."
    if tails[who].mass > 0.0:
        return (
            f"Only {who}, {percent(tails[who].mass)} of them, have scores at that very end: a"
            f" point mass alone there, a straight end of the ROC ({without})."
        )
    return f"The tails are of different kinds, that of the {who} is the heavier ({without})."


def coefficient(value: float) -> str:
    """A coefficient, or how far beyond the doubles it lies."""
    if math.isnan(value):
        return "none"
    if value == math.inf:
        return "beyond 1e308"
    return number(value, 4) if value > 0.0 else "below 1e-308"


def _deep_words(model: ScoreModel, sure: Certainty | None, *, lower: bool) -> str:
    """A semi-derivative of 0 or inf does not tell how useful the end is; a rate does."""
    few = ""
    if sure is not None and sure.sizes[0 if lower else 1] * _DEEP < 1.0:
        n = number(sure.sizes[0 if lower else 1] * _DEEP, 2)
        few = f" (extrapolated: {n} {'clients' if lower else 'impostors'} expected there)"
    if lower:
        point = model.at_frr(_DEEP)
        if not 0.0 < point.frr <= _DEEP * _ROUNDING:
            return ""
        who = f"it rejects {percent(point.tnr)} of the impostors"
        return f"At FRR = {percent(point.frr)}{few} {who}."
    point = model.at_far(_DEEP)
    if not 0.0 < point.far <= _DEEP * _ROUNDING:
        return ""
    return f"At FAR = {percent(point.far)}{few} it accepts {percent(point.tpr)} of the clients."


# -------------------------------------------------------------------- shapes, boundary
def category_words(model: ScoreModel, sure: Certainty | None = None) -> list[str]:
    """The shape of each class's beta distribution; nothing for other families.

    Of a fit, whose errors are ``sure``, with its probability, or that it cannot be told.
    """
    shapes = model.shape_category()
    if not isinstance(shapes, tuple):
        return []
    return [
        f"{who}: {_shape_words(shape.value, who, sure)}"
        for who, shape in zip(("client", "impostor"), shapes, strict=True)
    ]


def _shape_words(shape: str, who: str, sure: Certainty | None) -> str:
    if sure is not None and sure.shapes is not None:
        chances = sure.shapes[who]
        best = max(chances, key=lambda name: chances[name])
        if chances[best] < sure.level:
            names = {name: name for name in chances}
            more = sure.wanted(least_sign(chances, _RISING))
            return f"{cannot_tell(sure.level)} (probability {likely(chances, names)}); {more}"
        shape, known = best, f"probability {chance_words(chances[best])}"
    else:
        known = "" if sure is None else f"as fitted, {NOT_COMPUTED}"
    said = "; ".join(filter(None, [_SHAPES.get(shape, ""), known]))
    return f"{shape} ({said})" if said else shape


def parameters(fit: DistributionFit) -> list[tuple[str, float, float]]:
    """Name, estimate and standard error; masses of 0 left out."""
    return [
        (name, value, fit.std_errors[name])
        for name, value in fit.params.items()
        if value != 0.0 or not name.startswith("at_")
    ]


def boundary_words(fit: DistributionFit) -> str:
    """What was done with scores of exactly 0 and 1; empty if there were none."""
    rule = fit.boundary
    if rule is None:
        return ""
    parts = []
    if rule.n_zero or rule.n_one:
        parts.append(f"{rule.n_zero} scores of exactly 0, {rule.n_one} of exactly 1")
    if rule.n_dropped:
        parts.append(f"{rule.n_dropped} left out")
    if rule.n_moved:
        parts.append(f"{rule.n_moved} moved")
    if rule.n_censored_low or rule.n_censored_high:
        parts.append(f"{rule.n_censored_low} censored low, {rule.n_censored_high} high")
    if rule.resolution is not None:
        parts.append(f"resolution {rule.resolution:g}")
    return f"{'; '.join(parts)} (rule: {rule.policy})" if parts else ""
