"""Regions of a ROC below the diagonal: where they are, how deep, with how many scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betaroc.core.vocabulary import CLIENT, FAR, IMPOSTOR, Sentence
from betaroc.model.areas import gaps
from betaroc.model.model import ScoreModel

#: Expected scores from which a stretch is one that the data could show.
SEEN = 1.0


class Hook(NamedTuple):
    """One stretch of a ROC below the diagonal."""

    #: Where it lies: "at_zero" or "at_one" (beside that end), "between" two crossings, or
    #: "everywhere".
    end: str
    #: Largest FAR - TPR.
    depth: float
    #: FAR between which it lies.
    far_low: float
    far_high: float
    #: The share of each class's scores in it: its width in FAR and in TPR, to all digits.
    share: float
    #: Scores of each class expected in it, and of both.
    expected_clients: float
    expected_impostors: float
    expected_scores: float
    #: Whether at least one score is expected in it.
    seen: bool
    #: Of a fit: what the scores counted there say against it; empty where they agree.
    counts: str = ""

    @property
    def contradicted(self) -> bool:
        """Whether the counts exclude it."""
        return self.counts.startswith("contradicted")

    def __str__(self) -> str:
        places = {"at_zero": "beside threshold 0", "at_one": "beside threshold 1",
                  "between": "between two crossings", "everywhere": "everywhere"}  # fmt: skip
        return Sentence(
            f"{places[self.end]}: at most {self.depth:.2g} deep, with a share of {self.share:.2g}"
            f" of each class ({FAR} {self.far_low:.3g} to {self.far_high:.3g}):"
            f" {self.expected_clients:.2g} {CLIENT} and {self.expected_impostors:.2g} {IMPOSTOR}"
            " scores"
            f" expected{'' if self.seen else ', no finding'}{self.counts and f'; {self.counts}'}"
        )


def hooks_of(model: ScoreModel, n_client: float, n_impostor: float) -> tuple[Hook, ...]:
    """Every stretch of the ROC below the diagonal, threshold ascending."""
    # depth = max(FAR - TPR),   expected = n (rate at one crossing - rate at the next)
    if model.client == model.impostor:
        return ()
    points, (t, gap) = model.diagonal_crossings(), gaps(model._pair)
    at = model._pair.coordinates(t)
    places = [-np.inf, *model._pair.coordinates(points.thresholds), np.inf]
    accepted, rejected = [1.0, *points.far.tolist(), 0.0], [0.0, *points.frr.tolist(), 1.0]
    stretches = range(len(places) - 1)
    lowest = [
        float(np.max(gap[(at >= places[k]) & (at <= places[k + 1])], initial=0.0))
        for k in stretches
    ]
    # Sides alternate, and an end knows its own.
    ends, last = model.ends(), len(stretches) - 1
    if ends.at_zero.side != "on":
        starts_below = ends.at_zero.side == "below"
    elif ends.at_one.side != "on":
        starts_below = (ends.at_one.side == "below") == (last % 2 == 0)
    else:
        starts_below = max(lowest[::2]) > max(lowest[1::2], default=0.0)
    result = []
    for k in stretches[0 if starts_below else 1 :: 2]:
        if lowest[k] == 0.0:  # the diagonal itself, to the last digit
            continue
        # The rates of the smaller tail, which keep the digits of a small share.
        share = rejected[k + 1] - rejected[k]
        if rejected[k + 1] > accepted[k]:
            share = accepted[k] - accepted[k + 1]
        counts = n_client * share, n_impostor * share
        where = "at_zero" if k == 0 else "at_one" if k == last else "between"
        rates = lowest[k], accepted[k + 1], accepted[k], share
        seen = sum(counts) >= SEEN
        result.append(Hook(where if last else "everywhere", *rates, *counts, sum(counts), seen))
    return tuple(result)
