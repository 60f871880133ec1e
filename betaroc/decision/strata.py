"""Decisions that hold for each stratum: attack species, demographic groups, sites."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, TypeGuard

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import refusal
from betaroc.core.tables import Table, Tabular
from betaroc.core.vocabulary import Sentence, short_name, template_of
from betaroc.data.scores import ScoreData, Scores
from betaroc.decision.threshold_methods import (
    HOW,
    TARGET_RATES,
    OrderedScores,
    Target,
    ThresholdMethod,
    rate_interval,
)
from betaroc.inference.strata import POOLED, WORST, StrataTable, by_stratum, rate_cells
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import rate as shown_rate, rate_span, rounded, spaced
from betaroc.rendering.tree import Grid, Node, Paragraph, Row, Section, foreign

#: Strata that a decision is made over; more are no strata but ids.
_MOST = 1000
#: Strata that are shown before the others are folded.
_SHOWN = 8


def checked_over(over: object, target: Target, scores: ScoreData) -> str:
    """What a decision is over: the worst stratum where the class of a target rate has strata."""
    if over is None:
        fitted = target.how in ("tail", "model")  # a fit is of the mixture
        over = WORST if has_strata(scores, target) and not fitted else POOLED
    if over not in (POOLED, WORST):
        raise refusal("over", 'be "pooled" or "worst"', repr(over), "")
    if has_strata(scores, target):
        count = len(getattr(scores.strata, target.who))
        if over == WORST and count > _MOST:
            rule = f"be pooled with more than {_MOST} strata"
            remedy = "Are these the ids of trials or of persons?"
            raise refusal("over", rule, f"{count} {target.who} strata", remedy)
    elif over == WORST:
        rule = "be pooled where the target is no rate of a class with two strata or more"
        raise refusal("over", rule, repr(over), "Give strata, or leave it out.")
    return str(over)


def has_strata(scores: ScoreData, target: Target) -> TypeGuard[Scores]:
    """Whether the class of a target rate has two strata or more."""
    if not isinstance(scores, Scores) or target.kind not in TARGET_RATES:
        return False
    return len(getattr(scores.strata, target.who)) > 1


@dataclass(frozen=True, eq=False, repr=False)
class UnseenStrata(Tabular, Exportable):
    """Each stratum left out of a decision in turn: the threshold without it, its own rate there.

    `Decision.unseen`; what a stratum that dev does not have may do.

    Parameters
    ----------
    stratum : tuple of str
        The one that is left out.
    threshold : ndarray
        What the others decide; nan where they cannot.
    estimate, low, high : ndarray
        The rate of the one that was left out, with the ends of its own interval.

    Examples
    --------
    >>> import betaroc as br
    >>> impostor = [k / 80 for k in range(80)]
    >>> scores = br.Scores([0.7, 0.8, 0.9], impostor, impostor_strata=["a"] * 40 + ["b"] * 40)
    >>> br.decide(scores, far=0.1).unseen.to_frame()[["stratum", "estimate"]].values.tolist()
    [['a', 0.0], ['b', 1.0]]
    """

    stratum: tuple[str, ...]
    threshold: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray

    def to_frame(self) -> Table:
        """A row per stratum that is left out.

        Returns
        -------
        DataFrame
            Of the library of the scores.

        Examples
        --------
        >>> import betaroc as br
        >>> impostor = [k / 80 for k in range(80)]
        >>> scores = br.Scores([0.7, 0.9], impostor, impostor_strata=["a"] * 40 + ["b"] * 40)
        >>> br.decide(scores, far=0.1).unseen.to_frame()["threshold"].tolist()
        [0.9875, 0.4875]
        """
        names = ("stratum", "threshold", "estimate", "low", "high")
        return self._table({name: getattr(self, name) for name in names})


class StrataMethods:
    """The thresholds of every stratum by each method, and the one that holds for all of them."""

    def __init__(self, scores: Scores, target: Target) -> None:
        self.scores = scores
        self.ordered = {
            name: OrderedScores(piece, target) for name, piece in scores._pieces(target.who).items()
        }
        units = {name: ordered.units for name, ordered in self.ordered.items()}
        smallest = min(units, key=units.__getitem__)
        #: The fewest trials, or groups of them, that a stratum has.
        self.units = units[smallest]
        grouped = any(ordered.target.grouped for ordered in self.ordered.values())
        self.table = cache(partial(strata_table, scores, target))
        self.target = target._replace(
            grouped=grouped, strata=len(units), smallest=foreign(smallest).short
        )

    def _outward(self, threshold: float) -> float:
        return threshold if self.target.kind == "far" else -threshold

    def _own(self, how: str) -> dict[str, ThresholdMethod]:
        return {name: ordered.method(how) for name, ordered in self.ordered.items()}

    def method(self, how: str) -> ThresholdMethod:
        """The furthest of the strata's thresholds, with what is to be expected of the worst."""
        own = self._own(how)
        possible = [method for method in own.values() if method.possible]
        if len(possible) < len(own):
            lacking = [name for name, method in own.items() if not method.possible]
            why = f"{named_strata(lacking)}: {template_of(own[lacking[0]].why)}"
            if possible:
                at = max((method.threshold for method in possible), key=self._outward)
                why += f"; the threshold without {'it' if len(lacking) == 1 else 'them'} is {at!r}"
            return ThresholdMethod(how, math.nan, why=Sentence(why))
        chosen = max(possible, key=lambda method: self._outward(method.threshold))
        worst = self.table(chosen.threshold).worst
        rates = (rate_interval(self.scores, kind, chosen.threshold, self.target.confidence)[0]
                 for kind in TARGET_RATES)  # fmt: skip
        far, frr = rates
        return replace(chosen, low=worst.low, high=worst.high, far=far, frr=frr)

    def methods(self) -> list[ThresholdMethod]:
        """By order statistics, and counted."""
        return [self.method(how) for how in (*HOW[:2], HOW[-1])]

    def unseen(self, how: str) -> UnseenStrata:
        """Each stratum left out in turn."""
        own, rows = self._own(how), []
        for name, ordered in self.ordered.items():
            others = [method.threshold for other, method in own.items() if other != name]
            at = max(others, key=self._outward)
            level = self.target.confidence
            rows.append((at, *rate_interval(ordered.scores, self.target.kind, at, level)))
        return UnseenStrata(tuple(own), *np.array(rows).T)


def strata_table(scores: Scores, target: Target, threshold: float) -> StrataTable:
    """The target's rate of each stratum at a threshold."""
    options: dict[str, Any] = {"of": target.who, "level": target.confidence}
    return by_stratum(scores, target.kind, threshold=threshold, **options)


def broken_strata(table: StrataTable, rate: float) -> list[str]:
    """The strata whose rate is above a target, by Holm's procedure at half of 1 - level."""
    from scipy.special import betainc

    hits, others = table.estimate * table.size, (1.0 - table.estimate) * table.size
    with np.errstate(invalid="ignore"):
        p_values = np.where(hits > 0.0, betainc(hits, others + 1.0, rate), 1.0)
    order, tail = np.argsort(p_values), 0.5 * (1.0 - table.level)
    result = []
    for rank, k in enumerate(order):
        if p_values[k] > tail / (len(order) - rank):
            break
        result.append(table.stratum[k])
    return result


# ------------------------------------------------------------------------------ sentences
def named_strata(names: Sequence[str], most: int = 3) -> str:
    """Some strata by their names, and how many more."""
    more = f" and {len(names) - most} more" * (len(names) > most)
    return ", ".join(foreign(name).short for name in names[:most]) + more


def strata_words(table: StrataTable, unseen: UnseenStrata, target: Target) -> str:
    """The worst stratum of dev, and what one that dev does not have may do."""
    name, worst = short_name(target.kind), table.worst
    k = int(np.argmax(unseen.estimate))
    done = "accepted" if target.kind == "far" else "rejected"
    return (
        f" The worst is {foreign(table.worst_stratum).short}: {name} {shown_rate(worst.estimate)},"
        f" interval {rate_span(worst.low, worst.high)}. One that dev does not have may do worse:"
        f" each left out in turn, up to {shown_rate(unseen.estimate[k])} of one"
        f" ({foreign(unseen.stratum[k]).short}) would be {done}."
    )


def mixture_words(scores: ScoreData, target: Target, threshold: float) -> tuple[str, bool]:
    """What a pooled rate hides: that it is of a mixture, and which strata are above the target."""
    if target.kind not in TARGET_RATES and isinstance(scores, Scores):
        counts = [len(names) for names in scores.strata if len(names) > 1]
        return f" That is of the mixture of {max(counts)} strata." if counts else "", False
    if not has_strata(scores, target):
        return "", False
    table = strata_table(scores, target, threshold)
    broken = broken_strata(table, target.rate)
    words = f" That is of the mixture of {len(table.stratum)} strata."
    if broken:
        k = table.stratum.index(broken[0])
        words += (
            f" {named_strata(broken)} {'is' if len(broken) == 1 else 'are'} above"
            f" {100.0 * target.rate:g} %: {short_name(target.kind)} of"
            f" {foreign(broken[0]).short} {shown_rate(table.estimate[k])},"
            f" interval {rate_span(table.low[k], table.high[k])}."
        )
    return words, bool(broken)


def strata_nodes(table: StrataTable | None, target: float, *, tested: bool) -> list[Node]:
    """A row per stratum, the worst first; of a test what it says. Those after 8 are folded."""
    if table is None:
        return []
    broken, cells, rows = broken_strata(table, target), rate_cells(table), []
    for k in table._order:
        name, kept = table.stratum[k], table.high[k] <= target
        told = "broken" if name in broken else "kept" if kept else "cannot tell"
        row = foreign(name), spaced(round(table.n[k])), cells[k], *[told] * tested
        rows.append(Row(row))
    rate_name = short_name(table.statistic.partition("@")[0])
    head = ("stratum", "trials", rate_name, *["verdict"] * tested)
    nodes: list[Node] = [Grid(head, tuple(rows[:_SHOWN]))]
    if len(rows) > _SHOWN:
        rest = Grid(head, tuple(rows[_SHOWN:]))
        nodes.append(Section(f"{len(rows) - _SHOWN} more strata", (rest,), folded=True))
    if table.ratio is not None and table.spread is not None:
        nodes.append(Paragraph(table._differences()))
    return nodes


def unseen_nodes(unseen: UnseenStrata | None) -> list[Node]:
    """A row per stratum that is left out, folded."""
    if unseen is None:
        return []
    each = zip(unseen.stratum, unseen.threshold.tolist(), rate_cells(unseen), strict=True)
    rows = tuple(Row((foreign(name), rounded(at, up=True), cell)) for name, at, cell in each)
    grid = Grid(("left out", "threshold without it", "its own rate there"), rows)
    return [Section("What an unseen stratum may do", (grid,), folded=True)]
