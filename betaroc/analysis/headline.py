"""The analysis in a few lines: dev, what its threshold meets on every test set, the curve."""

from __future__ import annotations

from collections.abc import Sequence

from betaroc.analysis.crossings import whole_curve_words
from betaroc.analysis.format import extreme, number, percent, threshold
from betaroc.analysis.parts import MetPoint, Part, is_modelled

__all__ = ["headline", "marked"]


def headline(dev: Part, tests: Sequence[Part], points: Sequence[MetPoint]) -> list[str]:
    """What a reader who reads no further should know."""
    lines = [_seen(dev)]
    if _apart(dev):
        lines.append(_apart_words(dev))
    if dev.fit is not None and is_modelled(dev):
        lines.append(f"By dev's fitted laws: {whole_curve_words(dev.fit.model, dev.scores)}")
    met = marked(points)
    return lines + [_met(met, part, k) for k, part in enumerate(tests, start=1)]


def marked(points: Sequence[MetPoint]) -> MetPoint:
    """The threshold that stands for the others: dev's EER, of the fit where there is one."""
    return next(met for met in points if met.key == "eer")


def _seen(dev: Part) -> str:
    seen = f"AUC {number(dev.empirical.auc(), 4)} and EER {percent(dev.empirical.eer().hter)}"
    if dev.fit is None or not is_modelled(dev):
        return f"{seen} on dev's scores."
    model = dev.fit.model
    fitted = f"{number(model.auc(), 4)} and {percent(model.eer().hter)} by the fitted laws"
    return f"{seen} on dev's scores; {fitted}."


def _apart(dev: Part) -> bool:
    return float(dev.scores.impostor.max()) < float(dev.scores.client.min())


def _apart_words(dev: Part) -> str:
    highest, lowest = float(dev.scores.impostor.max()), float(dev.scores.client.min())
    words = (
        f"Dev's scores separate the classes: no impostor lies above {extreme(highest)}, no client"
        f" below {extreme(lowest)}."
    )
    if is_modelled(dev):
        words += " Errors other than 0 at thresholds in between are those of the family fitted."
    return words


def _met(met: MetPoint, part: Part, k: int) -> str:
    point, seen = met.expected, met.observed[k]
    place = threshold(point.threshold, point.logit_threshold, 4)
    said = "expected" if met.chosen_by == "model" else "on dev"
    return (
        f"{part.role}: at dev's EER threshold {place}, FAR {percent(point.far)} {said},"
        f" {percent(seen.far)} met; FRR {percent(point.frr)} {said}, {percent(seen.frr)} met."
    )
