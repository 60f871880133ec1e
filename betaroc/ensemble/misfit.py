"""How far a fitted ROC is from that of the scores: whether what it says can be believed."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from betaroc.data.scores import Scores
from betaroc.distributions.empirical import Empirical
from betaroc.fits.check import TOLERANCE
from betaroc.fits.fit import Fit
from betaroc.model.model import ScoreModel

__all__ = ["Misfit", "misfit_of"]


class Misfit(NamedTuple):
    """The fitted ROC beside that of the scores."""

    #: Area under the ROC of the scores.
    auc_scores: float
    #: Largest distance of both rates at once, along FAR + TPR = constant, as in `check_fit`.
    distance: float
    #: What the scores' ROC is off by chance at most, with the confidence of the verdicts: the
    #: larger Dvoretzky-Kiefer-Wolfowitz bound of both classes.
    noise: float
    #: "close", "far" (by more than the tolerance and the noise) or "open".
    word: str


def misfit_of(fit: Fit, scores: Scores, level: float) -> Misfit:
    """The distance of a fit from its scores, without a simulation."""
    seen = ScoreModel(Empirical(scores.client), Empirical(scores.impostor))
    distance = _distance(fit.model, seen)
    n = min(scores.client.size, scores.impostor.size)
    noise = math.sqrt(math.log(2.0 / (1.0 - math.sqrt(level))) / (2.0 * n))
    beyond = "far" if distance - noise > TOLERANCE else "open"
    word = "close" if distance <= TOLERANCE else beyond
    return Misfit(float(seen.auc()), distance, noise, word)


def _distance(one: ScoreModel, other: ScoreModel) -> float:
    """Between two ROCs, at the corners of both."""
    curves: list[Any] = [model.roc().points() for model in (one, other)]
    along = np.unique(np.concatenate([p.far + p.tpr for p in curves]))
    heights = [np.interp(along, p.far + p.tpr, p.tpr - p.far) for p in curves]
    return float(0.5 * np.max(np.abs(heights[0] - heights[1])))
