"""What a curve does, in words: only what was computed, and what it means."""

from __future__ import annotations

import math

from betaroc.analysis.format import number, percent, threshold
from betaroc.distributions import Inflated, LogitNormal, Normal
from betaroc.ends import End
from betaroc.fitting import DistributionFit, Fit
from betaroc.measures import OperatingPoint
from betaroc.model import ScoreModel

__all__ = [
    "boundary_words", "category_words", "crossing_words", "end_words", "fit_families",
    "parameters", "whole_curve_words",
]  # fmt: skip

#: Where the words about an end give numbers.
_DEEP, _ROUNDING = 1e-3, 1.0 + 1e-9
_SHAPES = {
    "U": "most scores near both ends",
    "bell": "one interior peak",
    "J": "scores pile up at 1",
    "reverse-J": "scores pile up at 0",
}
_WHOLE = {
    "chance": "The two laws are the same: the ROC is the diagonal, chance at every threshold.",
    "proper": "The ROC lies above the diagonal everywhere.",
    "below": (
        "The ROC lies below the diagonal everywhere: impostors score higher than clients. If lower"
        " scores mean client, pass 1 - score or -score."
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


def fit_families(fit: Fit) -> str:
    """Name of the family, point masses said."""
    both = (fit.client, fit.impostor)
    inflated = any(isinstance(f.distribution, Inflated) for f in both)
    return f"{fit.family}, with point masses" if inflated else fit.family


def whole_curve_words(model: ScoreModel) -> str:
    """The statement about the whole curve."""
    shape = model.global_shape()
    text = _WHOLE[shape]
    if shape == "proper":
        if model.roc().is_concave:
            return text[:-1] + ' and is concave ("proper"): no threshold is worse than chance.'
        return text[:-1] + ", but is not concave."
    if "{depth}" in text:
        worst = depth(model)
        return text.format(depth=percent(worst.far - worst.tpr))
    return text


def crossing_words(model: ScoreModel) -> list[str]:
    """Each crossing of the diagonal, and how deep the ROC falls below it."""
    points = model.diagonal_crossings()
    if len(points) == 0:
        return []
    lines = [
        f"It crosses the diagonal at threshold {threshold(p.threshold, p.logit_threshold)},"
        f" where FAR = TPR = {percent(p.far)}."
        for p in (points[k] for k in range(min(len(points), 5)))
    ]
    worst = depth(model)
    low = threshold(worst.threshold, worst.logit_threshold)
    lines.append(
        f"Where it is deepest below, FAR exceeds TPR by {percent(worst.far - worst.tpr)}"
        f" (threshold {low}: FAR {percent(worst.far)}, TPR {percent(worst.tpr)})."
    )
    if all(isinstance(law, Normal | LogitNormal) for law in (model.client, model.impostor)):
        lines.append("Any two normal laws of different sigma cross it once, whatever the scores.")
    return lines


def depth(model: ScoreModel) -> OperatingPoint:
    """The point where FAR exceeds TPR the most: the best one with the classes swapped."""
    best = ScoreModel(model.impostor, model.client, is_generic=model.is_generic).youden()
    return OperatingPoint(
        best.threshold, best.tpr, best.tnr, model.prior, best.logit_threshold, best.far, best.frr
    )


# ------------------------------------------------------------------------------- ends
def end_words(model: ScoreModel, which: str) -> list[str]:
    """What the ROC does near one end of the threshold range, with its meaning."""
    end: End = getattr(model.ends(), which)
    lower = which == "at_zero"
    words = [_opening(model, lower) + _SIDE[lower, end.side]]
    law = _law_words(end, lower=lower)
    if law:
        words.append(law)
    number_words = _deep_words(model, lower=lower)
    if number_words:
        words.append(number_words)
    return words


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


def _law_words(end: End, *, lower: bool) -> str:
    of_impostor, of_client = ("TNR", "FRR") if lower else ("FAR", "TPR")
    if end.exponent in (0.0, math.inf):
        who = "impostors" if end.exponent == 0.0 else "clients"
        mass = "" if math.isnan(end.coefficient) else f", {percent(end.coefficient)} of them,"
        return f"Only {who}{mass} have scores at that very end."
    slope = f"semi-derivative dF_i/dF_c = {number(end.semi_derivative, 4)}"
    if math.isnan(end.coefficient):
        return (
            f"{of_impostor} falls like {of_client}^{number(end.exponent, 4)} up to a slowly varying"
            f" factor ({slope})."
        )
    power = f"{of_impostor} ~ {number(end.coefficient, 4)} {of_client}^{number(end.exponent, 4)}"
    if end.exponent == 1.0:
        power = f"{of_impostor} ~ {number(end.coefficient, 4)} {of_client}, a straight end"
    return f"{power} ({slope})."


def _deep_words(model: ScoreModel, *, lower: bool) -> str:
    """A semi-derivative of 0 or inf does not tell how useful the end is; a rate does."""
    if lower:
        point = model.at_frr(_DEEP)
        if not 0.0 < point.frr <= _DEEP * _ROUNDING:
            return ""
        return f"At FRR = {percent(point.frr)} it rejects {percent(point.tnr)} of the impostors."
    point = model.at_far(_DEEP)
    if not 0.0 < point.far <= _DEEP * _ROUNDING:
        return ""
    return f"At FAR = {percent(point.far)} it accepts {percent(point.tpr)} of the clients."


# -------------------------------------------------------------------- shapes, boundary
def category_words(model: ScoreModel) -> list[str]:
    """The shape of each class's beta law; nothing for other families."""
    shapes = model.shape_category()
    if not isinstance(shapes, tuple):
        return []
    return [
        f"{who}: {shape.value}" + (f" ({_SHAPES[shape.value]})" if shape.value in _SHAPES else "")
        for who, shape in zip(("client", "impostor"), shapes, strict=True)
    ]


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
