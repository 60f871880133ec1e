"""What a classifier adds to a learned fusion, in a sentence."""

from __future__ import annotations

import math

from betaroc.ensemble.learned import (
    ADDS_NOTHING,
    INCLUDE,
    LEAST_FOLDS,
    LEAST_TRIALS,
    LEAVE_OUT,
    MATTERS,
    LearnedGain,
)
from betaroc.rendering.numbers import counted, level_words, number, visible

__all__ = ["gain_sentence", "signed"]

#: From this correlation on the classifier most like another is named.
_ALIKE = 0.9


def signed(estimate: float, low: float, high: float, digits: int = 4) -> str:
    """Estimate and interval, with their signs."""
    if math.isnan(estimate):
        return "not measured"
    ends = "" if math.isnan(low) else f" ({low:+.{digits}f} to {high:+.{digits}f})"
    return f"{estimate:+.{digits}f}{ends}"


def gain_sentence(gain: LearnedGain, sizes: tuple[int, int]) -> str:
    """What was measured, why it cannot be told, and what to do."""
    if gain.method == "none":
        return (
            "what it adds to a learned fusion was not measured: that takes"
            f" {LEAST_FOLDS} folds or more with {LEAST_TRIALS} trials (or groups) of each class in"
            f" each, {LEAST_FOLDS * LEAST_TRIALS} of each class at least"
        )
    size = (
        f"AUC is {gain.with_it:.4f} with it and {gain.without:.4f} without,"
        f" {signed(gain.estimate, gain.low, gain.high)} at {level_words(gain.level)}"
    )
    return f"{_says(gain)}: {size}{_why(gain)}{_decides(gain, sizes)}"


def _says(gain: LearnedGain) -> str:
    return {
        INCLUDE: "a learned fusion gains by it",
        LEAVE_OUT: "a learned fusion loses by it",
        ADDS_NOTHING: "a learned fusion of the others gains nothing by it",
    }.get(gain.word, "whether a learned fusion gains by it cannot be told")


def _why(gain: LearnedGain) -> str:
    """Who carries what it says, and how little the trials show."""
    if gain.copy:
        return f"; it has the scores of {visible(gain.nearest)}: drop one of the two, not both"
    if gain.word == ADDS_NOTHING and abs(gain.correlation) >= _ALIKE:
        return (
            f"; {visible(gain.nearest)} is most like it (correlation"
            f" {gain.correlation:.3f} within the classes): drop one of the two, not both"
        )
    if gain.with_it == gain.without == 1.0:
        return "; with and without it all clients rank above all impostors of their fold"
    if gain.method.endswith("+unseen"):
        clients, impostors = map(counted, gain.moved, ("client", "impostor"))
        return f"; too few trials (or groups) change their rank with it: {clients}, {impostors}"
    return ""


def _decides(gain: LearnedGain, sizes: tuple[int, int]) -> str:
    """How many trials would just do, if the estimate stayed: as it varies, in half of the cases."""
    if math.isnan(gain.needed) or gain.needed <= 1.0:
        return ""
    clients, impostors = (_round_up(gain.needed * n) for n in sizes)
    return (
        f"; about {clients} clients and {impostors} impostors would have an even chance to tell a"
        f" gain from less than {MATTERS:g}, if it is what was measured"
    )


def _round_up(n: float) -> str:
    """Two digits: more are not known."""
    step = 10 ** max(math.floor(math.log10(n)) - 1, 0)
    return number(math.ceil(n / step) * step, 12)
