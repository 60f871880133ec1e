"""How exact the counts of a summary are, in words and in numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from betaroc.core.thresholds import Thresholds
from betaroc.data.summary import Given, ScoreSummary
from betaroc.inference.counted import Ends
from betaroc.rendering.numbers import number, percent

__all__ = ["coarse_words", "summary_numbers", "summary_words", "widened_rates"]


def summary_words(given: Given) -> str:
    """What bins do to rates and area; nothing for scores."""
    if not isinstance(given, ScoreSummary):
        return ""
    far, frr = given.rate_error
    return (
        f"counted in {given.n_bins} bins: rates are exact at their borders; in between FAR is off"
        f" by at most {percent(far)}, FRR by {percent(frr)} of all trials, the AUC of the scores by"
        f" {number(given.auc_error, 2)}"
    )


def coarse_words(sides: Iterable[tuple[str, Given]]) -> list[str]:
    """A sentence for each side that is a summary."""
    told = [(name, summary_words(given)) for name, given in sides]
    return [f"{name}: {words}" for name, words in told if words]


def widened_rates(
    ends: list[dict[str, Ends | None]], given: ScoreSummary, t: Thresholds
) -> list[dict[str, Ends | None]]:
    """Intervals of FAR, FRR, HTER with what the bin of a threshold can be off; none of F1."""
    far, frr = given.rate_error_at(t.theta)
    found: list[dict[str, Ends | None]] = []
    for own, by_far, by_frr in zip(ends, far, frr, strict=True):
        errors = {"far": by_far, "frr": by_frr, "hter": 0.5 * (by_far + by_frr)}
        wide: dict[str, Ends | None] = dict(own)
        for key, off in errors.items():
            low_high = own[key]
            if low_high is not None:
                wide[key] = max(low_high[0] - off, 0.0), min(low_high[1] + off, 1.0)
        if errors["hter"] > 0.0:
            wide["f1"] = None
        found.append(wide)
    return found


def summary_numbers(given: Given) -> dict[str, Any]:
    """The same as the entry ``summary``; none for scores."""
    if not isinstance(given, ScoreSummary):
        return {}
    far, frr = given.rate_error
    layout = None if given.layout is None else list(given.layout)
    errors = {"far": far, "frr": frr, "auc": given.auc_error}
    return {"summary": {"bins": given.n_bins, "layout": layout, "error": errors}}
