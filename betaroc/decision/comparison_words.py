"""What a comparison of two systems says, in a sentence of two steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from betaroc.core.text import alphas_words
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES

if TYPE_CHECKING:
    from betaroc.core.thresholds import FloatArray
    from betaroc.decision.comparison import AlphaRange, Comparison

__all__ = ["area_words", "band_words", "larger_is_better", "short_measure", "verdict_words"]

_SHORT = {"far": "FAR", "frr": "FRR", "tpr": "TPR", "tnr": "TNR", "hter": "HTER", "mcc": "MCC"}

#: So many ranges of alphas are named one by one.
_RANGES = 4


def larger_is_better(measure: str) -> bool:
    """The direction of a measure; a weighted error is better small."""
    known = MEASURES.get(measure)
    return known is not None and known.larger_is_better


def short_measure(measure: str) -> str:
    """A measure as it stands in a sentence."""
    known = MEASURES.get(measure)
    return _SHORT.get(measure, "weighted error" if known is None else known.title)


def verdict_words(comparison: Comparison, names: tuple[str, str]) -> str:
    """The area, which alone may name a better system; then single alphas, by the whole band."""
    start = "at these two thresholds, " if comparison.resample == "test" else ""
    parts = [area_words(comparison, names), band_words(comparison, names)]
    text = start + "; ".join(part for part in parts if part)
    return text[0].upper() + text[1:] if start else text


def area_words(comparison: Comparison, names: tuple[str, str]) -> str:
    """The difference averaged over alpha, and what may be said of it."""
    measure, where = short_measure(comparison.first.measure), _where(comparison)
    mean = comparison.mean_difference
    why = comparison.cannot_tell
    if why:
        return f"cannot tell which of {names[0]} and {names[1]} has the {_way(comparison)}" + (
            f" {measure}{where}: {why}"
        )
    interval = f"{_level(comparison)} interval {mean.low:.3g} to {mean.high:.3g}"
    if mean.low <= 0.0 <= mean.high:
        return (
            f"no better system can be named: {measure}{where}, {names[0]} - {names[1]}, is"
            f" {mean.estimate:.3g} ({interval}, which holds 0)"
        )
    better = names[0] if comparison.better_on_average == "a" else names[1]
    return (
        f"{better} is better: {measure}{where}, {names[0]} - {names[1]}, is {mean.estimate:.3g}"
        f" ({interval})"
    )


def band_words(comparison: Comparison, names: tuple[str, str]) -> str:
    """Where the simultaneous band excludes 0; nothing where there is but one alpha."""
    if comparison.alpha.size == 1 or comparison.too_few:
        return ""
    start = f"the simultaneous {_level(comparison)} band of the difference excludes 0"
    found = comparison.ranges
    if not found:
        return f"{start} at no single alpha"
    measure, way = short_measure(comparison.first.measure), _way(comparison)
    parts = []
    for system, name in zip("ab", names, strict=True):
        own = [
            one for one, who in zip(found, comparison.ranges_better, strict=True) if who == system
        ]
        if own:
            parts.append(f"{_ranges_words(comparison.alpha, own)} ({way} {measure}: {name})")
    return f"{start} {' and '.join(parts)}"


def _ranges_words(alpha: FloatArray, found: list[AlphaRange]) -> str:
    """Ranges of one system; of many only between which alphas they lie."""
    inside = [alpha[(alpha >= one.low) & (alpha <= one.high)] for one in found]
    if len(found) <= _RANGES:
        return " and ".join(alphas_words(part) for part in inside)
    low, high = found[0].low, found[-1].high
    among = int(((alpha >= low) & (alpha <= high)).sum())
    return (
        f"at {sum(part.size for part in inside)} of the {among} alphas from {low:.6g} to {high:.6g}"
    )


def _where(comparison: Comparison) -> str:
    """Which average it is."""
    if CRITERIA[comparison.first.criterion].single:
        return ""
    low, high = comparison.alpha_range
    if low == high:
        return f" at alpha {low:.6g}"
    return f" averaged over alpha from {low:.6g} to {high:.6g}"


def _way(comparison: Comparison) -> str:
    return "higher" if larger_is_better(comparison.first.measure) else "lower"


def _level(comparison: Comparison) -> str:
    return f"{100.0 * comparison.level:.10g} %"
