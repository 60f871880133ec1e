"""Trials of strata drawn again: thresholds that dev chooses over them, errors of test over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import refusal
from betaroc.core.vocabulary import worded
from betaroc.data.scores import Scores
from betaroc.inference.drawn_scores import Counts, SortedRows
from betaroc.inference.strata import POOLED, Over, classes_over, model_over

if TYPE_CHECKING:
    from betaroc.decision.epc import Epc


def scores_of_strata(e: Epc, role: str) -> Scores:
    """The scores of a side of a curve over strata."""
    scores = e._side(role)[1]
    if scores is None:
        rule = "be Scores to have a band or a comparison over strata"
        remedy = 'Give the scores, or scores as test and `resample="test"`.'
        raise refusal(role, rule, "a summary or fits", worded(remedy))
    return scores


def strata_curves(e: Epc) -> list[Epc]:
    """The measure of each stratum of test alone at the thresholds of a curve over them."""
    if e.over == POOLED:
        return []
    test = scores_of_strata(e, "test")
    classes = [*classes_over(test.strata._asdict(), e.over)]
    if len(classes) > 1 and test.strata.client.keys() != test.strata.impostor.keys():
        return []  # no stratum is one of both classes
    who = classes[-1]
    weights = [{name: 1.0} for name in getattr(test.strata, who)]
    models = [replace(model_over(test, own), prior=e.test.prior) for own in weights]
    return [replace(e, test=m, over=own) for m, own in zip(models, weights, strict=True)]


def stratum_codes(scores: Scores, who: str) -> IntArray:
    """The number of the stratum of each trial of a class."""
    codes = np.zeros(getattr(scores._trials, who).size, dtype=np.intp)
    for k, rows in enumerate(scores._rows_of_strata[who].values()):
        codes[rows] = k
    return codes


@dataclass(frozen=True, eq=False)
class SharesOver:
    """Of drawn trials of a class, ascending, the share up to each, over its strata.

    `codes` are the strata of the trials, `weights` those of the strata, None for the worst.
    """

    codes: IntArray
    weights: FloatArray | None = None

    @cached_property
    def _major(self) -> tuple[IntArray, IntArray]:
        """The trials stratum by stratum, and where each stratum starts."""
        order = np.argsort(self.codes, kind="stable")
        return order, np.searchsorted(self.codes[order], np.arange(self.codes.max() + 1))

    def upto(self, counts: IntArray) -> FloatArray:
        """A row per replicate: 0, then the share up to each trial; nan if a stratum is empty."""
        order, starts = self._major
        drawn, place = counts[:, order].astype(np.float64), self.codes[order]
        sizes = np.add.reduceat(drawn, starts, axis=1)
        result = np.zeros((len(drawn), drawn.shape[1] + 1))
        shares = result[:, 1:]
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.weights is not None:
                shares[:, order] = drawn * (self.weights / sizes)[:, place]
                np.cumsum(shares, axis=1, out=shares)
            else:
                upto = np.cumsum(drawn, axis=1)
                upto -= (upto - drawn)[:, starts][:, place]
                shares[:, order] = upto / sizes[:, place]
                np.maximum.accumulate(shares, axis=1, out=shares)
        return result


@dataclass(frozen=True, eq=False)
class StrataRows:
    """The test trials of each stratum by ascending scores."""

    parts: Sequence[SortedRows]
    strata: Mapping[str, Any]

    @classmethod
    def of(cls, scores: Scores, over: Over) -> StrataRows:
        """Of a side of a curve."""
        whole, rows = SortedRows.of(scores._trials), dict[str, list[tuple[IntArray, FloatArray]]]()
        strata = classes_over(scores.strata._asdict(), over)
        for who, order, values in zip(CLASSES, whole.order, whole.scores, strict=True):
            rows[who] = [(order, values)]
            if who in strata:
                codes = stratum_codes(scores, who)[order]
                own = [codes == k for k in range(int(codes.max()) + 1)]
                rows[who] = [(order[keep], values[keep]) for keep in own]
        many = max(map(len, rows.values()))
        pairs = ([rows[who][k % len(rows[who])] for who in CLASSES] for k in range(many))
        parts = [SortedRows((c[0], i[0]), (c[1], i[1])) for c, i in pairs]
        return cls(parts, scores.strata._asdict())

    def measured(self, e: Epc, drawn: Counts, theta: FloatArray) -> FloatArray:
        """The measure of a curve over strata, a row per replicate; nan where a stratum is empty."""
        errors = [part.errors(drawn, theta) for part in self.parts]
        frr = np.array([x.rejected / x.clients[:, None] for x in errors])
        far = np.array([x.accepted / x.impostors[:, None] for x in errors])
        over, rates = classes_over(self.strata, e.over), list[FloatArray]()
        for who, shares in zip(CLASSES, (frr, far), strict=True):
            weights = over.get(who)
            worst = np.max(shares, axis=0)  # of a class with fewer strata they are repeated
            mean = worst if weights is None else np.tensordot(weights, shares[: weights.size], 1)
            rates.append(mean)
        values = e._at_rates(
            (rates[1], rates[0], 1.0 - rates[0], 1.0 - rates[1]),
            np.full(len(frr[0]), e.test.prior),
        )
        values[np.any([x.lost for x in errors], axis=0)] = np.nan
        return values
