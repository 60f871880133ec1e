"""Trials of strata drawn again: thresholds that dev chooses over them, errors of test over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import refusal
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import worded
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores
from betaroc.distributions.base import Distribution, Free, moved
from betaroc.distributions.strata import over_strata
from betaroc.fits.fit import Fit, StrataFits
from betaroc.inference import delta
from betaroc.inference.drawn_scores import Counts, SortedRows
from betaroc.inference.strata import POOLED, Over, classes_over, model_over, stratum_codes

if TYPE_CHECKING:
    from betaroc.decision.epc import Epc


def scores_of_strata(e: Epc, role: str) -> Scores:
    """The scores of a side of a curve over strata."""
    scores = e._side(role)[1]
    if scores is None:
        rule = "be Scores: over strata a summary has no band, and fits have no comparison"
        remedy = 'Give the scores, or scores as test and `resample="test"`.'
        raise refusal(role, rule, "a summary or fits", worded(remedy))
    return scores


def strata_curves(e: Epc) -> list[Epc]:
    """The measure of each stratum of test alone at the thresholds of a curve over them."""
    if e.over == POOLED:
        return []
    fits = e.test_fit if isinstance(e.test_fit, StrataFits) else None
    test = scores_of_strata(e, "test") if fits is None else fits.scores
    classes = [*classes_over(test.strata._asdict(), e.over)]
    if len(classes) > 1 and test.strata.client.keys() != test.strata.impostor.keys():
        return []  # no stratum is one of both classes
    made = partial(model_over, test) if fits is None else fits.model_over
    alone = [{name: 1.0} for name in getattr(test.strata, classes[-1])]
    return [replace(e, test=replace(made(own), prior=e.test.prior), over=own) for own in alone]


@dataclass(frozen=True, eq=False)
class PerturbedStrata:
    """Fits of strata, the errors of their parameters, and the distributions a step away."""

    fits: StrataFits
    over: Over
    groups: bool

    @cached_property
    def sides(self) -> list[list[tuple[Fit, Callable[[FloatArray], Distribution], Free, slice]]]:
        """Of either class each fit, its distribution a step away, what varies, where it stands."""
        result, start = list[Any](), 0
        for which, (who, (parts, _)) in enumerate(self.fits._sides(self.over).items()):
            result.append([])
            for part in parts:
                free = delta.near_of(part, groups=False)._parts[which]
                at = slice(start, start := start + len(free.names))
                result[-1].append((part, partial(_away, getattr(part.model, who), free), free, at))
        return result

    @cached_property
    def roots(self) -> FloatArray:
        """The change with one standard error along each root of the covariance, in rows."""
        scores, cut, blocks, added = self.fits.scores, 0, list[FloatArray](), list[FloatArray]()
        groups = groups_of(scores) if self.groups else None
        for who, rows in zip(CLASSES, self.sides, strict=True):
            values, weights = getattr(scores, who), getattr(scores, f"{who}_weights")
            own: Any = scores._rows_of_strata[who].values() if rows[1:] else [slice(None)]
            added.append(np.zeros((values.size, rows[-1][3].stop - cut)))
            for (part, _, free, at), mine in zip(rows, own, strict=True):
                near, fitted = delta.near_of(part, groups=False), getattr(part, who)
                first = len(near.names[0]) * (who == CLASSES[1])
                blocks.append(near.roots[:, first : first + len(free.names)])
                if groups is not None:
                    trials = None if weights is None else weights[mine]
                    each = delta.observation_scores(fitted, values[mine], trials)
                    each = each @ fitted.cov @ free.rates.T
                    added[-1][mine, at.start - cut : at.stop - cut] = each
            cut = rows[-1][3].stop
        return (
            delta.block_diag(*blocks)
            if groups is None
            else delta.covariance_roots(groups.covariance(*added))
        )

    def laws(self, away: FloatArray) -> list[Distribution]:
        """Both classes over their strata, so far from the fits."""
        result, weights = list[Distribution](), self.fits._sides(self.over).values()
        for upper, ((_, own), rows) in enumerate(zip(weights, self.sides, strict=True)):
            laws = [near(away[at]) for _, near, _, at in rows]
            result.append(over_strata(laws, own, upper=bool(upper)) if laws[1:] else laws[0])
        return result

    def changes(self, which: int, t: Thresholds) -> FloatArray:
        """Of the error rate of each stratum of a class at thresholds, along each root."""

        def error(near: Callable[[FloatArray], Distribution], away: FloatArray) -> FloatArray:
            return near(away)._side(t, lower=which == 0)[0]

        return np.array([
            delta.slopes_along(np.eye(free.place.size), partial(error, near)) @ self.roots[:, at].T
            for _, near, free, at in self.sides[which]
        ])  # fmt: skip


def _away(law: Distribution, free: Free, away: FloatArray) -> Distribution:
    return moved(law, free.names, (free.place + away).tolist())


@dataclass(frozen=True, eq=False)
class SharesOver:
    """Of drawn trials of a class, ascending, the share up to each, over its strata."""

    # `codes` are the strata of the trials, `weights` those of the strata, None for the worst.

    codes: IntArray
    weights: FloatArray | None = None

    @cached_property
    def _major(self) -> tuple[IntArray, IntArray]:
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
        return np.minimum(result, 1.0)


@dataclass(frozen=True, eq=False)
class StrataRows:
    """The trials of both classes by ascending scores; the strata of impostors from the top."""

    rows: SortedRows
    sides: tuple[SharesOver, ...]

    @classmethod
    def of(cls, scores: Scores, over: Over) -> StrataRows:
        """Of a side of a curve; a class without strata has one."""
        rows, sides = SortedRows.of(scores._trials), list[SharesOver]()
        strata = classes_over(scores.strata._asdict(), over)
        for who, order, step in zip(CLASSES, rows.order, (1, -1), strict=True):
            codes = stratum_codes(scores, who)[order] * (who in strata)
            sides.append(SharesOver(codes[::step], strata.get(who)))
        return cls(rows, tuple(sides))

    def rates(self, counts: Counts, below: Sequence[IntArray]) -> Sequence[FloatArray]:
        """FRR and FAR of replicates where so many clients and impostors lie below."""
        frr = self.sides[0].upto(counts[0])
        far = self.sides[1].upto(counts[1][:, ::-1])[:, ::-1]
        return [np.take_along_axis(x, np.atleast_2d(at), axis=1)
                for x, at in zip((frr, far), below, strict=True)]  # fmt: skip

    def measured(self, e: Epc, drawn: Counts, theta: FloatArray) -> FloatArray:
        """The measure of a curve over strata, a row per replicate; nan where a stratum is empty."""
        below = [np.searchsorted(values, theta, side="right") for values in self.rows.scores]
        frr, far = self.rates(self.rows.sorted_counts(drawn), below)
        lost = np.any(np.isnan(frr + far) | np.isnan(theta), axis=1)
        rates = (np.nan_to_num(x) for x in (far, frr, 1.0 - frr, 1.0 - far))
        values = e._at_rates(tuple(rates), np.full(len(frr), e.test.prior))
        values[lost] = np.nan
        return values
