"""Decisions that hold for each stratum: attack species, demographic groups, sites."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import vocabulary
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError, refusal
from betaroc.core.tables import Table, Tabular, in_library
from betaroc.core.thresholds import mirror
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import FAR, FRR, Sentence, short_name, template_of, worded
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary
from betaroc.decision import threshold_methods as thresholds
from betaroc.decision.threshold_methods import AMBER, GREEN, HOW, RED, Assessment, Rate, Target
from betaroc.inference import strata as strata_rates
from betaroc.inference.strata import POOLED, WORST, Over, StrataTable
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import rate as shown_rate, rate_span, rounded
from betaroc.rendering.tree import Grid, Node, Paragraph, Row, Section, foreign

#: What stands beside a rate that is the worst stratum's.
OF_WORST = "of the worst stratum"


def checked_over(over: object, target: Target, scores: ScoreData) -> Over:
    """What a decision is over: by default the worst stratum where there are strata."""
    if over is None:
        fitted = target.how in ("tail", "model")  # a fit is of the mixture
        over = WORST if has_strata(scores, target) and not fitted else POOLED
    if over == POOLED:
        return POOLED
    if not has_strata(scores, target):
        rule = "be pooled where the target is no rate of a class with two strata or more"
        remedy = "Give strata, or leave it out."
        if target.kind == "precision":
            remedy = worded("Decide `far=` over them; with `prior=` its precision stands beside.")
        raise refusal("over", rule, repr(over), remedy)
    names = getattr(scores.strata, target.who)
    if over != WORST:
        weights = strata_rates.checked_weights(over, tuple(names)).tolist()
        return {name: weight for name, weight in zip(names, weights, strict=True) if weight}
    if len(names) > strata_rates.MOST_STRATA:
        rule = f"be pooled with more than {strata_rates.MOST_STRATA} strata"
        remedy = "Are these the ids of trials or of persons?"
        raise refusal("over", rule, f"{len(names)} {target.who} strata", remedy)
    return WORST


def has_strata(scores: ScoreData, target: Target) -> bool:
    """Whether the class of a target rate has two strata or more."""
    return target.kind in thresholds.TARGET_RATES and len(getattr(scores.strata, target.who)) > 1


@dataclass(frozen=True, eq=False, repr=False)
class UnseenStrata(Tabular, Exportable):
    """Each stratum left out in turn, its own rate there: what an unseen stratum may do.

    Made by :func:`decide`.

    Parameters
    ----------
    stratum : tuple of str
        The one left out.
    threshold : ndarray
        What the others decide; nan where they cannot.
    estimate, low, high : ndarray
        The rate of the one left out, with its interval.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([70, 90], range(80), impostor_strata=["a"] * 40 + ["b"] * 40)
    >>> br.decide(scores, far=0.1).unseen.estimate.tolist()
    [0.0, 1.0]
    """

    stratum: tuple[str, ...]
    threshold: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray

    def to_frame(self) -> Table:
        """A row per stratum that is left out.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.Scores([70, 90], range(80), impostor_strata=["a"] * 40 + ["b"] * 40)
        >>> br.decide(scores, far=0.1).unseen.to_frame()["threshold"].tolist()
        [79.0, 39.0]
        """
        return self._table(fields_of(self, "stratum", "threshold", "estimate", "low", "high"))


class StrataMethods:
    """The thresholds of every stratum by each method, and the one that holds for all."""

    ways = HOW[:2]

    def __init__(self, scores: ScoreData, target: Target) -> None:
        self.scores = scores
        pieces = scores._pieces(target.who).items()
        self.ordered = {name: thresholds.OrderedScores(piece, target) for name, piece in pieces}
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

    def _own(self, how: str) -> dict[str, thresholds.ThresholdMethod]:
        return {name: ordered.method(how) for name, ordered in self.ordered.items()}

    def method(self, how: str) -> thresholds.ThresholdMethod:
        """The furthest of the strata's thresholds, with what to expect of the worst."""
        own = self._own(how)
        lacking = [name for name, method in own.items() if not method.possible]
        possible = [method for method in own.values() if method.possible]
        possible.sort(key=lambda method: -self._outward(method.threshold))
        if lacking:
            why = f"{named_strata(lacking)}: {template_of(own[lacking[0]].why)}"
            if possible:
                them = "it" if len(lacking) == 1 else "them"
                at = mirror(possible[0].threshold, self.target.lower)
                why += f"; the threshold without {them} is {at!r}"
            return thresholds.ThresholdMethod(how, math.nan, why=Sentence(why))
        chosen = possible[0]
        worst = self.table(chosen.threshold).worst
        far, frr = thresholds.counted_at(self.scores, chosen.threshold)
        return replace(chosen, low=worst.low, high=worst.high, far=far, frr=frr)

    def unseen(self, how: str) -> UnseenStrata | None:
        """Each stratum left out in turn."""
        own, rows, (kind, _, level, *_) = self._own(how), [], self.target
        for name, ordered in self.ordered.items():
            others = [method.threshold for other, method in own.items() if other != name]
            at = max(others, key=self._outward)
            rate = thresholds.rate_interval(ordered.scores, kind, at, level)
            rows.append((mirror(at, self.target.lower), *rate))
        return in_library(UnseenStrata(tuple(own), *np.array(rows).T), self.scores)


class MeanMethods:
    """The threshold at which the weighted mean of the strata keeps a target."""

    ways = HOW[:1]

    def __init__(self, scores: ScoreData, target: Target, over: Mapping[str, float]) -> None:
        pieces = scores._pieces(target.who)
        self.scores, self.pieces = scores, [*pieces.values()]
        self.weights = np.array([over.get(name, 0.0) for name in pieces])
        self.units = sum(round(getattr(pieces[name], f"{target.who}_total")) for name in over)
        self.table = cache(partial(strata_table, scores, target))
        self.target = target._replace(strata=len(over))

    def method(self, how: str) -> thresholds.ThresholdMethod:
        """The lowest threshold (of FRR the highest) whose bound, or count, keeps the target."""
        confidence, far, who = self.target.confidence, self.target.kind == "far", self.target.who
        mean = partial(strata_rates.mean_error, self.scores, self.pieces, who, self.weights)
        places = np.unique(getattr(self.scores._as_scores(), self.target.who))
        places = places if far else np.nextafter(places[::-1], -np.inf)
        which = 2 if how == "guaranteed" else 0

        def keeps(k: int) -> bool:
            return mean(float(places[k]), 1.0 - confidence)[which] <= self.target.rate

        k = bisect_left(range(places.size), True, key=keeps)
        if k == places.size:
            why = f"the mean of these strata: dev has too few {vocabulary.TRIALS}"
            return thresholds.ThresholdMethod(how, math.nan, why=why)
        at = float(places[k])
        if isinstance(self.scores, ScoreSummary) and not far:
            at = self.scores.border_below(math.nextafter(at, math.inf))
        result, table = mean(at, 0.5 * (1.0 - confidence)), self.table(at)
        beyond, rates = np.round(table.estimate @ table.n), thresholds.counted_at(self.scores, at)
        return thresholds.ThresholdMethod(how, at, *result, float(beyond), *rates)

    def unseen(self, how: str) -> None:
        """A stratum that dev does not have has no weight."""


def method_over(
    scores: ScoreData, target: Target, over: Over
) -> tuple[StrataMethods | MeanMethods, thresholds.ThresholdMethod]:
    """The first method that is possible over strata, and all of them."""
    weights = None if isinstance(over, str) else over
    strata = MeanMethods(scores, target, weights) if weights else StrataMethods(scores, target)
    tried = [strata.method(how) for how in strata.ways if target.how in (None, how)]
    for method in tried:
        if method.possible:
            return strata, method
    if not tried:
        rule = "be " + " or ".join(f'"{how}"' for how in strata.ways) + " over strata"
        raise refusal("how", rule, repr(target.how), worded('Take `over="pooled"`.'))
    why = template_of(tried[-1].why)
    error = InputError.about(target.kind)(
        f"{target.kind}={target.rate:g} must be possible to decide on over strata; it is not"
        f" for {why}. Give more of their {vocabulary.TRIALS}, leave them out, or ask for a larger"
        + worded(' rate or for the mixture (`over="pooled"`).')
    )
    needed = thresholds.needed_for_guarantee(target.rate, target.confidence)
    vars(error).update(needed=needed, why=f"{why}.")
    raise error


def strata_table(scores: ScoreData, target: Target, threshold: float) -> StrataTable:
    """The target's rate of each stratum at a threshold."""
    options: dict[str, Any] = {"of": target.who, "level": target.confidence}
    at = mirror(threshold, scores.lower_is_client)
    return strata_rates.by_stratum(scores, target.kind, threshold=at, **options)


def table_where_strata(scores: ScoreData, target: Target, threshold: float) -> StrataTable | None:
    """The same where the class of a target rate has strata."""
    return strata_table(scores, target, threshold) if has_strata(scores, target) else None


class RateCell(NamedTuple):
    """A rate of a set or a stratum, with its interval and its count."""

    rate: float
    low: float
    high: float
    errors: float = math.nan
    total: float = math.nan
    stratum: str = ""


def worst_cell(table: StrataTable | None) -> RateCell:
    """The worst stratum with its bounds and count; nan without a table."""
    if table is None:
        return RateCell(math.nan, math.nan, math.nan)
    k, worst = table.stratum.index(table.worst_stratum), table.worst
    n, name = float(table.n[k]), foreign(table.worst_stratum).short
    return RateCell(worst.estimate, worst.low, worst.high, worst.estimate * n, n, name)


# ------------------------------------------------------------------------------ sentences
def named_strata(names: Sequence[str], most: int = 3) -> str:
    """Some strata by their names, and how many more."""
    more = f" and {len(names) - most} more" * (len(names) > most)
    return ", ".join(foreign(name).short for name in names[:most]) + more


def above_words(names: Sequence[str], target: Target) -> str:
    """That strata are above a target."""
    verb = "is" if len(names) == 1 else "are"
    return f"{named_strata(names)} {verb} above {100.0 * target.rate:g} %"


def worst_words(table: StrataTable) -> str:
    """The worst stratum with its rate."""
    worst, name = table.worst, foreign(table.worst_stratum).short
    rate_name = short_name(table.statistic.partition("@")[0])
    ends = rate_span(worst.low, worst.high)
    return f"{name}: {rate_name} {shown_rate(worst.estimate)}, interval {ends}"


def strata_words(table: StrataTable, unseen: UnseenStrata, target: Target) -> str:
    """The worst stratum of dev, and what one that dev does not have may do."""
    k = int(np.argmax(unseen.estimate))
    done = vocabulary.ACCEPTED if target.kind == "far" else vocabulary.REJECTED
    return (
        f" The worst is {worst_words(table)}. One that dev does not have may do worse:"
        f" each left out in turn, up to {shown_rate(unseen.estimate[k])} of one"
        f" ({foreign(unseen.stratum[k]).short}) would be {done}."
    )


def of_mixture(
    assessed: Assessment, scores: ScoreData, target: Target, threshold: float
) -> tuple[Assessment, str]:
    """What a pooled rate or a mean hides: words, and no reliance where a stratum is above it."""
    table = table_where_strata(scores, target, threshold)
    if table is None:
        subject = {"far": FRR, "frr": FAR}.get(target.kind, "That")
        count = max(map(len, scores.strata))
        return assessed, f" {subject} is of the mixture of {count} strata." * (count > 1)
    broken = table._above(target.rate, 0.5 * (1.0 - table.level))
    words = f" That is of the mixture of {len(table.stratum)} strata."
    if not broken:
        return assessed, words
    k = table.stratum.index(broken[0])
    words += f" {above_words(broken, target)}: {short_name(target.kind)} of"
    words += f" {named_strata(broken[:1])} {shown_rate(table.estimate[k])},"
    words += f" interval {rate_span(table.low[k], table.high[k])}."
    remedy = worded('a threshold that holds for each stratum (`over="worst"`).')
    return Assessment(RED, assessed.reason, remedy), words


def strata_judgement(
    target: Target, over: Over, dev: StrataTable | None, before: Assessment, pooled: Assessment,
    result: Rate, table: StrataTable | None,
) -> tuple[Rate, Assessment]:  # fmt: skip
    """What the strata of a test say: a target is broken if one of them is, kept if all are."""
    # `dev` has dev's strata; `before` is what dev said, `pooled` what all test trials say.
    if table is None:
        if over == POOLED or (over == WORST and pooled.verdict == "broken"):
            return result, pooled
        words = " The test has fewer than two strata, so that it cannot tell for each of dev's."
        judged = pooled if over == WORST else before
        return result, judged._replace(verdict="cannot tell", reason=judged.reason + words)
    broken, worst = table._above(target.rate, 0.5 * (1.0 - table.level)), table.worst
    seen = f"the worst of {len(table.stratum)} strata of the test is {worst_words(table)}"
    if not isinstance(over, str):
        result, pooled = _mean_judgement(target, over, table, before)
    verdict = pooled.verdict
    if over == WORST:
        result = worst.estimate, worst.low, worst.high
        verdict = "broken" if broken else "cannot tell"
    if broken:
        reason = f"On test {above_words(broken, target)}; {seen}."
        remedy = f"dev {vocabulary.TRIALS} like those of the test."
        remedy = f"a threshold that holds for each stratum, or {remedy}"
        return result, Assessment(RED, reason, remedy, verdict)
    if over != WORST:
        return result, pooled._replace(reason=f"{pooled.reason} That is of the mixture; {seen}.")
    known = () if dev is None else dev.stratum
    missing = [name for name in known if name not in table.stratum]
    new = [name for name in table.stratum if name not in known]
    more = f" Not tested: {named_strata(missing)}." * bool(missing)
    more += f" Not in dev: {named_strata(new)}." * bool(new)
    if np.all(table.high <= target.rate) and not missing:
        reason = f"{before.reason} Test agrees: {seen}.{more}"
        return result, before._replace(reason=reason, verdict="kept")
    status, remedy = before.status, before.remedy
    if worst.estimate > target.rate and status == GREEN:
        name = foreign(table.worst_stratum).short
        status, remedy = AMBER, f"more {vocabulary.TRIALS} of {name} in the test; {remedy}"
    reason = f"{before.reason} Test cannot tell for every stratum: {seen}.{more}"
    return result, Assessment(status, reason, remedy)


def _mean_judgement(
    target: Target, over: Mapping[str, float], table: StrataTable, before: Assessment
) -> tuple[Rate, Assessment]:
    mean = table._mean(over)
    if mean is None:
        missing = named_strata([name for name in over if name not in table.stratum])
        words = f" The test lacks {missing}, so that it cannot tell of the mean."
        return (math.nan,) * 3, before._replace(reason=before.reason + words)
    result = mean.estimate, mean.low, mean.high
    seen = (
        f"the mean of the strata of the test is {shown_rate(mean.estimate)}, interval"
        f" {rate_span(mean.low, mean.high)}"
    )
    if mean.low > target.rate:
        remedy = f"dev {vocabulary.TRIALS} like those of the test."
        return result, Assessment(RED, f"On test {seen}.", remedy, "broken")
    told, verdict = ("agrees", "kept") if mean.high <= target.rate else ("cannot tell",) * 2
    return result, before._replace(reason=f"{before.reason} Test {told}: {seen}.", verdict=verdict)


def strata_nodes(table: StrataTable | None, target: float, *, tested: bool) -> list[Node]:
    """A row per stratum, the worst first, those after 8 folded; of a test what it says."""
    if table is None:
        return []
    name = short_name(table.statistic.partition("@")[0])
    return table._nodes(name, target if tested else None)


def strata_section(
    tables: Sequence[tuple[str, StrataTable | None]], target: float, unseen: UnseenStrata | None
) -> Section:
    """A table of dev's strata, then of each test's, and what an unseen one may do."""
    blocks, finding = list[Node](), ""
    for k, (name, table) in enumerate(tables):
        if table is not None:
            finding = f"{name}: the worst of {len(table.stratum)} is {worst_words(table)}"
            blocks += [Paragraph(f"{finding}."), *strata_nodes(table, target, tested=k > 0)]
    return Section("Strata", (*blocks, *unseen_nodes(unseen)), finding, "strata")


def unseen_nodes(unseen: UnseenStrata | None) -> list[Node]:
    """A row per stratum that is left out, folded."""
    if unseen is None:
        return []
    places = (rounded(at, up=True) for at in unseen.threshold.tolist())
    each = zip(map(foreign, unseen.stratum), places, strata_rates.rate_cells(unseen), strict=True)
    rows = tuple(map(Row, each))
    grid = Grid(("left out", "threshold without it", "its own rate there"), rows)
    return [Section("What an unseen stratum may do", (grid,), folded=True)]
