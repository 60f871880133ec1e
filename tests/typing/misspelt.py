"""Five lines in which a type checker finds five errors; they are never run."""

from __future__ import annotations

import betaroc as br
import betaroc.sklearn as doors


def five(model: br.ScoreModel, scores: br.Scores) -> None:
    print(br.results.Decison)
    print(br.decied(scores, far=0.05))
    print(doors.ThresholdClasifier(None, far=0.05))
    print(model.at_fpr(0.01))
    rate: float = model.far([0.1, 0.2])
    print(rate)
