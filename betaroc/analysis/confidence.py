"""How sure shapes and ends of the fitted laws are, in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from betaroc.analysis.format import level_words, number, percent
from betaroc.analysis.parts import rows_or_bins
from betaroc.errors import BetarocError
from betaroc.fitting import Fit
from betaroc.grouping import weights_of
from betaroc.hooks import Hook, hooks_of
from betaroc.shape_tests import TESTED

__all__ = ["confidence_numbers", "confidence_words", "undecided_words"]

_CLASSES = ("client", "impostor")
_DOUBT = "What follows rests on laws that do not describe these scores."
#: Standard errors of a difference of shares that counts as seen: 5 %, two-sided.
_Z = 1.959963984540054
#: Probabilities below this are not worth a word.
_UNLIKELY = 0.0005
_CURVES = {
    "proper": "above the diagonal throughout",
    "hook-at-one": "below it at the high thresholds",
    "hook-at-zero": "below it at the low thresholds",
    "below": "below it throughout",
}

_PLACES = {
    "at_zero": "at the low thresholds",
    "at_one": "at the high thresholds",
    "between": "between two crossings",
    "everywhere": "throughout",
}


def confidence_words(fit: Fit, level: float, *, doubted: bool = False) -> list[str]:
    """Sentences on ends, whole curve and shapes, given the errors of the parameters.

    ``doubted`` tells that the laws do not describe the scores, on which all of it rests.
    """
    words = [_DOUBT] if doubted else []
    if fit.family not in TESTED:
        hooks = hooks_of(fit.model, fit.client.total_weight, fit.impostor.total_weight)
        return [*words, _untested(fit), *_hook_words(fit, hooks)]
    words += [_end_words(fit, level), *_curve_words(fit)]
    if fit.family != "beta":
        return words
    try:
        shapes = fit.shape_probabilities()
        listed = "; ".join(f"{who} {_likely(found)}" for who, found in shapes.items())
        words.append(f"Probability of the shapes: {listed}.")
    except BetarocError as error:
        words.append(f"The shapes have no probabilities: {error}")
    return words


def undecided_words(fit: Fit, level: float) -> str:
    """Which sides of the diagonal the errors of the fit leave open; else nothing."""
    if fit.family not in TESTED:
        return ""
    try:
        ends = fit.end_tests(level)
    except BetarocError:
        return ""
    left = [
        f"towards {place} (p = {number(end.p_value, 2)})"
        for place, end in zip(_places(fit), (ends.at_zero, ends.at_one), strict=True)
        if end.side == "cannot tell"
    ]
    if not left:
        return ""
    return (
        f"The side of the diagonal is undecided {' and '.join(left)} at level"
        f" {level_words(level)}: the shape is that of the estimates."
    )


def _untested(fit: Fit) -> str:
    """Why there is no test of the ends."""
    if fit.family != "proper-beta":
        return f"The ends are not tested for fits of family {fit.family}."
    shared = f"; both classes share {' and '.join(fit.tied)}" if fit.tied else ""
    return f"The ROC is concave by construction of the family, whatever the scores{shared}."


def _places(fit: Fit) -> tuple[str, str]:
    unit = fit.model._pair.unit
    return ("threshold 0", "threshold 1") if unit else ("low scores", "high scores")


def _end_words(fit: Fit, level: float) -> str:
    try:
        ends = fit.end_tests(level)
    except BetarocError as error:
        return f"The ends are not tested: {error}"
    sides = [
        f"towards {place} {end.side} the diagonal (p = {number(end.p_value, 2)})"
        if end.side != "cannot tell"
        else f"towards {place} undecided at level {level_words(level)}"
        f" (p = {number(end.p_value, 2)})"
        for place, end in zip(_places(fit), (ends.at_zero, ends.at_one), strict=True)
    ]
    return f"If the laws are the right ones: {sides[0]}, {sides[1]}."


def _curve_words(fit: Fit) -> list[str]:
    try:
        curve = fit.curve_test()
    except BetarocError as error:
        return [f"The whole curve is not tested: {error}"]
    named = {_CURVES[key]: value for key, value in curve.probabilities.items()}
    words = [f"Probability of the whole curve: {_likely(named)}."] if named else []
    return words + _hook_words(fit, curve.hooks)


def _hook_words(fit: Fit, hooks: tuple[Hook, ...]) -> list[str]:
    return [
        f"Below the diagonal {_PLACES[hook.end]}: FAR from {percent(hook.far_low)} to"
        f" {percent(hook.far_high)}, by {percent(hook.depth)} at most;"
        f" {number(hook.expected_scores, 2)} scores of so many are expected there"
        + (f". {_counted(fit, hook)}" if hook.seen else ", which is no finding.")
        for hook in hooks
    ]


def _counted(fit: Fit, hook: Hook) -> str:
    """What the scores themselves say of a hook: how many of each class lie in it."""
    low, high = (float(fit.model.threshold_at_far(x)) for x in (hook.far_high, hook.far_low))
    low = low if hook.far_high < 1.0 else -math.inf
    scores, counts, totals = rows_or_bins(fit.scores), [], []
    for who in _CLASSES:
        x, w = getattr(scores, who), weights_of(scores, who)
        counts.append(math.fsum(w[(x > low) & (x <= high)]))
        totals.append(math.fsum(w))
    client, impostor = (c / n for c, n in zip(counts, totals, strict=True))
    words = (
        f"Counted there: {number(counts[0])} of {number(totals[0])} clients, {number(counts[1])} of"
        f" {number(totals[1])} impostors"
    )
    if hook.end not in ("at_zero", "at_one"):
        return f"{words}."
    more = client - impostor if hook.end == "at_zero" else impostor - client
    error = math.sqrt(
        sum(p * (1.0 - p) / n for p, n in zip((client, impostor), totals, strict=True))
    )
    shown = more > _Z * error
    return f"{words}: the scores alone {'show it too' if shown else 'do not show it'}."


def _likely(probabilities: Mapping[str, float]) -> str:
    kept = sorted(probabilities.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {value:.3f}" for name, value in kept if value >= _UNLIKELY)


def confidence_numbers(fit: Fit | None, level: float) -> dict[str, Any]:
    """The same for JSON; what is refused is null, with the reason."""
    found: dict[str, Any] = {"ends": None, "curve": None, "shapes": None, "why_none": {}}
    if fit is None or fit.family not in TESTED:
        found["why_none"] = {"all": f"of fits of {', '.join(TESTED)} laws"}
        if fit is not None:
            totals = fit.client.total_weight, fit.impostor.total_weight
            found["hooks"] = [hook._asdict() for hook in hooks_of(fit.model, *totals)]
        return found
    for key, make in (
        ("ends", lambda: {k: t._asdict() for k, t in _ends(fit, level).items()}),
        ("curve", lambda: _curve(fit)),
        ("shapes", fit.shape_probabilities),
    ):
        try:
            found[key] = make()
        except BetarocError as error:
            found["why_none"][key] = str(error)
    return found


def _ends(fit: Fit, level: float) -> dict[str, Any]:
    tests = fit.end_tests(level)
    return {"at_zero": tests.at_zero, "at_one": tests.at_one}


def _curve(fit: Fit) -> dict[str, Any]:
    curve = fit.curve_test()
    return {
        "probabilities": dict(curve.probabilities),
        "p_proper": curve.p_proper,
        "p_no_crossing": curve.p_no_crossing,
        "finding": curve.finding,
        "hooks": [hook._asdict() for hook in curve.hooks],
    }
