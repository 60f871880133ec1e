"""How sure shapes and ends of the fitted laws are, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from betaroc.analysis.format import level_words, number, percent
from betaroc.errors import BetarocError
from betaroc.fitting import Fit
from betaroc.hooks import Hook, hooks_of
from betaroc.shape_tests import TESTED

__all__ = ["confidence_numbers", "confidence_words"]

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


def confidence_words(fit: Fit, level: float) -> list[str]:
    """Sentences on ends, whole curve and shapes, given the errors of the parameters."""
    if fit.family not in TESTED:
        return _hook_words(hooks_of(fit.model, fit.client.total_weight, fit.impostor.total_weight))
    words = [_end_words(fit, level), *_curve_words(fit)]
    if fit.family != "beta":
        return words
    try:
        shapes = fit.shape_probabilities()
        listed = "; ".join(f"{who} {_likely(found)}" for who, found in shapes.items())
        words.append(f"Probability of the shapes: {listed}.")
    except BetarocError as error:
        words.append(f"The shapes have no probabilities: {error}")
    return words


def _end_words(fit: Fit, level: float) -> str:
    places = (
        ("threshold 0", "threshold 1") if fit.model._pair.unit else ("low scores", "high scores")
    )
    try:
        ends = fit.end_tests(level)
    except BetarocError as error:
        return f"The ends are not tested: {error}"
    sides = [
        f"towards {place} {end.side} the diagonal (p = {number(end.p_value, 2)})"
        if end.side != "undecided"
        else f"towards {place} undecided at level {level_words(level)}"
        f" (p = {number(end.p_value, 2)})"
        for place, end in zip(places, (ends.at_zero, ends.at_one), strict=True)
    ]
    return f"Tested, with the errors of the parameters: {sides[0]}, {sides[1]}."


def _curve_words(fit: Fit) -> list[str]:
    try:
        curve = fit.curve_test()
    except BetarocError as error:
        return [f"The whole curve is not tested: {error}"]
    named = {_CURVES[key]: value for key, value in curve.probabilities.items()}
    words = [f"Probability of the whole curve: {_likely(named)}."] if named else []
    return words + _hook_words(curve.hooks)


def _hook_words(hooks: tuple[Hook, ...]) -> list[str]:
    return [
        f"Below the diagonal {_PLACES[hook.end]}: FAR from {percent(hook.far_low)} to"
        f" {percent(hook.far_high)}, by {percent(hook.depth)} at most;"
        f" {number(hook.expected_scores, 2)} scores of so many are expected there"
        f"{'' if hook.seen else ', which is no finding'}."
        for hook in hooks
    ]


def _likely(probabilities: Mapping[str, float]) -> str:
    kept = sorted(probabilities.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {value:.3f}" for name, value in kept if value >= _UNLIKELY)


def confidence_numbers(fit: Fit | None, level: float) -> dict[str, Any]:
    """The same for JSON; what is refused is null, with the reason."""
    found: dict[str, Any] = {"ends": None, "curve": None, "shapes": None, "why_none": {}}
    if fit is None or fit.family not in TESTED:
        found["why_none"] = {"all": f"of fits of {', '.join(TESTED)} laws"}
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
