"""What thresholds chosen on dev cost on single trials of test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.value import Value
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.pairs import pair_of
from betaroc.ensemble.fusing import TrialSet
from betaroc.model.criteria import CRITERIA

#: Measures that are a FAR + b FRR, so that they are a sum over trials.
TRIAL_MEASURES = ("weighted-error", "hter", "dcf", "far", "frr")
#: Criteria this near to one another are tied.
_TIED = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class CurvePart(Value):
    """What thresholds are chosen for, and what their errors cost."""

    criterion: str
    measure: str
    alpha: FloatArray
    prior: float

    def costs(self) -> tuple[FloatArray, FloatArray]:
        """Of a false acceptance and of a false rejection at each alpha, per rate."""
        one, zero = np.ones(self.alpha.size), np.zeros(self.alpha.size)
        return {
            "weighted-error": (self.alpha, 1.0 - self.alpha),
            "hter": (0.5 * one, 0.5 * one),
            "dcf": ((1.0 - self.prior) * one, self.prior * one),
            "far": (one, zero),
            "frr": (zero, one),
        }[self.measure]


class Splits(NamedTuple):
    """Trials on which thresholds are chosen, and those on which they are met, fold by fold."""

    systems: TrialSet
    dev: TrialSet | None
    client_folds: IntArray
    impostor_folds: IntArray

    def each(self) -> list[tuple[TrialSet, TrialSet, IntArray, IntArray]]:
        """Dev, test, and the rows of test in either class."""
        own = self.systems
        if self.dev is not None:
            rows = np.arange(len(own.client)), np.arange(len(own.impostor))
            return [(self.dev, own, *rows)]
        found = []
        for fold in range(1 + int(self.client_folds.max())):
            client, impostor = self.client_folds == fold, self.impostor_folds == fold
            rows = np.flatnonzero(client), np.flatnonzero(impostor)
            found.append((own.rows(~client, ~impostor), own.rows(client, impostor), *rows))
        return found


def thresholds_of(dev: TrialSet, part: CurvePart) -> FloatArray:
    """The criterion's choice on the scores of one classifier at each alpha."""
    columns = (dev.client, dev.client_weights), (dev.impostor, dev.impostor_weights)
    laws = [Empirical._of_checked(*column) for column in columns]
    pair = pair_of(laws[0], laws[1])
    prior = laws[0].total / (laws[0].total + laws[1].total)
    return CRITERIA[part.criterion].choose(pair, prior, part.alpha).theta


def score_losses(
    threshold: FloatArray, test: TrialSet, part: CurvePart
) -> tuple[FloatArray, FloatArray]:
    """Mean cost over alpha of each client's and each impostor's decision: accepted iff above."""
    far, frr = part.costs()
    order = np.argsort(threshold, kind="stable")
    places, size = threshold[order], threshold.size
    accepted = np.concatenate([[0.0], np.cumsum(far[order])]) / size
    rejected = np.concatenate([[0.0], np.cumsum(frr[order])]) / size
    below_client = np.searchsorted(places, test.client, "left")
    below_impostor = np.searchsorted(places, test.impostor, "left")
    return rejected[-1] - rejected[below_client], accepted[below_impostor]


# --------------------------------------------------------------------------------- votes
def vote_losses(
    votes: TrialSet, own: TrialSet, members: int, part: CurvePart
) -> tuple[FloatArray, FloatArray]:
    """The same where dev chooses how many votes accept; votes have a column an alpha."""
    needed = _needed_votes(votes, members, part)
    far, frr = part.costs()
    wrong_client = (own.client <= needed) * frr
    wrong_impostor = (own.impostor > needed) * far
    return wrong_client.mean(axis=1), wrong_impostor.mean(axis=1)


def _needed_votes(votes: TrialSet, members: int, part: CurvePart) -> FloatArray:
    """For each alpha the number of votes that is not enough: -1 accepts all, members none.

    Smallest criterion, then smallest HTER, then fewest votes.
    """
    cuts = np.arange(-1, members + 1)
    heavy = votes.impostor_weights, votes.client_weights
    far = np.stack([np.average(votes.impostor > cut, 0, heavy[0]) for cut in cuts])
    frr = np.stack([np.average(votes.client <= cut, 0, heavy[1]) for cut in cuts])
    alpha = part.alpha
    size = {
        "weighted-error": alpha * far + (1.0 - alpha) * frr,
        "far": np.abs(far - alpha),
        "frr": np.abs(frr - alpha),
    }[part.criterion]
    least = np.min(size, axis=0)
    total = np.where(size <= least + _TIED, far + frr, np.inf)
    best = np.argmax(total <= np.min(total, axis=0) + _TIED, axis=0)
    return np.asarray(cuts[best], dtype=np.float64)
