"""How many scores speak for the thresholds and the values of an expected performance curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from betaroc.core.thresholds import FloatArray, Thresholds
from betaroc.inference.scores_beyond import Asked, Evidence, fewest, of_point, tell
from betaroc.model.model import ScoreModel

__all__ = ["support", "tell_support"]

#: Criteria that ask for a rate of one class, and whether alpha is its complement.
_TARGETS = {
    "far": ("FAR", False), "frr": ("FRR", False), "specificity": ("FAR", True),
    "recall": ("FRR", True), "sensitivity": ("FRR", True),
}  # fmt: skip
#: Measures that are a rate of one class.
_OF_ONE = {
    "far": "FAR", "tnr": "FAR", "specificity": "FAR", "frr": "FRR", "tpr": "FRR", "recall": "FRR",
    "sensitivity": "FRR",
}  # fmt: skip


def support(e: Any) -> FloatArray | None:
    """The fewest scores that speak for each point; None where no data are known."""
    found = [
        least
        for evidence, asked in _sides(e, e.dev, e.test, e.chosen)
        if (least := fewest(evidence, asked)) is not None
    ]
    return np.minimum.reduce(np.broadcast_arrays(*found)) if found else None


def tell_support(e: Any) -> None:
    """Warn of rates that were asked for and that no score speaks for, or that counts contradict."""
    for evidence, asked in _sides(e, e.dev, e.test, e.chosen, counted=False):
        tell(evidence, asked)


def _sides(
    e: Any, dev: ScoreModel, test: ScoreModel, chosen: Thresholds, *, counted: bool = True
) -> list[tuple[Evidence, list[Asked]]]:
    """What dev's thresholds were solved for, and what was read off test's distributions."""
    found = []
    if e.dev_evidence is not None:
        asked = _solved(e, dev, chosen, counted=counted)
        found.append((e.dev_evidence, asked))
    if e.test_evidence is not None and any(e.test_evidence.fitted):
        own = _OF_ONE.get(e.measure)
        read = [a for a in of_point(test._point(chosen)) if own in (None, a.name)]
        found.append((e.test_evidence, read))
    return [one for one in found if one[1]]


def _solved(e: Any, dev: ScoreModel, chosen: Thresholds, *, counted: bool) -> list[Asked]:
    if e.criterion in _TARGETS:
        name, complement = _TARGETS[e.criterion]
        rate, rest = (1.0 - e.alpha, e.alpha) if complement else (e.alpha, 1.0 - e.alpha)
        return [Asked(name, rate, rest, True)]
    # What is counted is not extrapolated, and counting takes time.
    return of_point(dev._point(chosen)) if counted or any(e.dev_evidence.fitted) else []
