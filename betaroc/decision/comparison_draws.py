"""What replicates of systems draw: the same trials for all, or trials of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import class_sizes, draw_multinomial
from betaroc.core.vocabulary import worded
from betaroc.data.groups import ScoredTrials, Trials, groups_of
from betaroc.decision.bands import grouped_values
from betaroc.decision.curve import WEIGHTED_ERROR, Curve, empirical_laws, grouped_side, side_trials
from betaroc.decision.resample_fit import FitAgain
from betaroc.decision.resample_threshold import LeastWeightedError, OtherCriterion
from betaroc.distributions.empirical import cells_of, decides_by_counts, is_binned
from betaroc.inference.drawn_scores import (
    Counts,
    DrawnRows,
    GroupedCounts,
    GroupedSide,
    SortedRows,
    cell_of,
)
from betaroc.inference.paired_trials import (
    joint_trials,
    on_same_trials,
    refuse_other_trials,
    same_trials,
)

_SYSTEMS = ("epc_a", "epc_b")
#: Numbers of drawn rows at once, replicates times rows.
_AT_ONCE = 2**23

#: The errors of each system.
DrawnSystems = list[GroupedCounts]
GroupNumbers = tuple[int | None, ...]


#: Trials, or groups of trials, of each class from which on the average keeps its level: with 10
#: of test it told equal systems apart in .11 of 200 runs, with 15 in .09 and with 20 in .05 of 300.
_NEEDED = {"dev": 10, "test": 20}


class Smallest(NamedTuple):
    """The fewest independent trials, or groups of trials, of a class, by what is needed."""

    n: int
    #: Such as "impostor groups of dev".
    what: str
    #: From how many on a better system is named.
    needed: int

    @property
    def too_few(self) -> str:
        """Why these trials are too few to name a better system; empty where they are not."""
        if self.n >= self.needed:
            return ""
        return (
            f"{self.n} {self.what} are too few for a bootstrap, which needs at least {self.needed}"
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """How the replicates of a comparison are made.

    Parameters
    ----------
    curves : tuple of Curve
        The systems.
    draw : callable
        Errors of each system on test in some replicates.
    groups : tuple, optional
        Number of groups of each test side that are drawn as wholes.
    dev_paired : bool, optional
        Whether all systems choose on the same dev trials; None where dev is held fixed.
    smallest : Smallest
        What limits the bootstrap.
    resample, paired
        As `compare` has them.
    fitted : bool
        Whether a fit is made in every replicate.
    """

    curves: tuple[Curve, ...]
    draw: Callable[[np.random.Generator, int], DrawnSystems]
    groups: GroupNumbers | None
    dev_paired: bool | None
    smallest: Smallest
    resample: str
    paired: bool
    fitted: bool = False

    def values(self, rng: np.random.Generator, size: int) -> list[FloatArray]:
        """Of each curve its values in some replicates, a row each."""
        drawn = zip(self.curves, self.draw(rng, size), strict=True)
        return [grouped_values(e, errors) for e, errors in drawn]

    def differences(self, rng: np.random.Generator, size: int) -> FloatArray:
        """First curve minus second in some replicates, a row each."""
        one, other = self.values(rng, size)
        return np.asarray(one - other)


def plan_of(
    curves: Sequence[Curve], options: IntervalOptions, *, paired: bool,
    names: Sequence[str] = _SYSTEMS,
) -> Plan:  # fmt: skip
    """The checked sides of curves as what a replicate draws; the method is what varies."""
    groups, resample, curves = options.groups, str(options.method), tuple(curves)
    for e, name in zip(curves, names, strict=True):
        empirical_laws(e.test, f"the test side of {name}")
        if paired and is_binned(e.test.client):
            raise InputError.about("paired")(
                worded(f"`paired=True` needs the trials themselves; the test side of {name} is a")
                + worded(" summary, which has none. `Give Scores, or take` `paired=False`.")
            )
    curves = _on_same_trials(curves, "dev", names, paired=False)
    if paired:
        curves = _on_same_trials(curves, "test", names, paired=True)
        _refuse_unpaired(curves, names, groups=groups)
    test = _rows(curves, "test", shared=paired, groups=groups)
    known = None
    if any(rows.groups is not None for rows in test):
        known = tuple(None if rows.groups is None else rows.groups.labels for rows in test)
    if resample == "test":
        draw = _fixed_draw(curves, paired=paired, groups=groups)
        return Plan(curves, draw, known, None, _smallest(test, "test"), resample, paired)
    again = [_again(e, name) for e, name in zip(curves, names, strict=True)]
    dev_paired = _same_dev(curves, groups=groups)
    dev = _rows(curves, "dev", shared=dev_paired, groups=groups)
    smallest = min(_smallest(dev, "dev"), _smallest(test, "test"), key=_sufficiency)
    fitted = any(isinstance(one, FitAgain) for one in again)
    draw = _rechosen_draw(curves, again, dev, test)
    return Plan(curves, draw, known, dev_paired, smallest, resample, paired, fitted)


def _on_same_trials(
    curves: tuple[Curve, ...], role: str, names: Sequence[str], *, paired: bool
) -> tuple[Curve, ...]:
    """Curves of which one side is trial by trial, where scores are missing by their ids."""
    sides = [e._side(role).scores for e in curves]
    known = [own for own in sides if own is not None]
    if len(known) < len(sides) or not any(own.has_rejected for own in known):
        return curves
    try:
        found = on_same_trials(known, names)
    except InputError:
        if paired:
            raise
        return curves
    made = []
    for e, scores in zip(curves, found, strict=True):
        client, impostor = scores._distributions
        model = replace(e._side(role).model, client=client, impostor=impostor)
        changed: dict[str, Any] = {role: model, f"{role}_scores": scores}
        made.append(replace(e, **changed))
    return tuple(made)


def _smallest(sides: list[DrawnRows], role: str) -> Smallest:
    found = []
    for rows in sides:
        for who, n in zip(CLASSES, rows.units, strict=True):
            size = None if rows.groups is None else rows.groups.sizes[CLASSES.index(who)]
            what = f"{who} {'trials' if size is None else 'groups'} of {role}"
            found.append(Smallest(n, what, _NEEDED[role]))
    return min(found, key=_sufficiency)


def _sufficiency(smallest: Smallest) -> float:
    return smallest.n / smallest.needed


def _rows(
    curves: Sequence[Curve], role: str, *, shared: bool, groups: bool
) -> list[DrawnRows]:  # fmt: skip
    """The rows of one role: one and the same for all systems where they share trials."""
    trials = [side_trials(e, role) for e in curves]
    if shared:
        joint = _joint(trials)
        return [DrawnRows.of(joint, groups_of(joint) if groups else None)] * len(trials)
    return [DrawnRows.of(one, groups_of(one) if groups else None) for one in trials]


def _joint(trials: Sequence[ScoredTrials]) -> Trials:
    first, *others = trials
    return reduce(joint_trials, others, joint_trials(first, first))


def _references(trials: Sequence[ScoredTrials]) -> list[int]:
    """Places of the first, and of the first that has ids or groups, which all are held against."""
    names = [f"{who}_{what}" for who in CLASSES for what in ("ids", "groups")]
    found = {0}
    for name in names:
        having = [k for k, one in enumerate(trials) if getattr(one, name, None) is not None]
        found.update(having[:1])
    return sorted(found)


# ----------------------------------------------------------------- thresholds chosen again
_Again: TypeAlias = FitAgain | LeastWeightedError | OtherCriterion


def _again(e: Curve, name: str) -> _Again:
    """What chooses dev's thresholds in a replicate."""
    if not decides_by_counts(e.dev._pair):
        return FitAgain.of(e, name)
    empirical_laws(e.dev, f"the dev side of {name}")
    return (LeastWeightedError if e.criterion == WEIGHTED_ERROR else OtherCriterion).of(e)


def _same_dev(curves: Sequence[Curve], *, groups: bool) -> bool:
    """Whether ids, or numbers and order, say that all systems judge the same dev trials."""
    laws = [law for e in curves for law in (e.dev.client, e.dev.impostor)]
    if any(is_binned(law) for law in laws):
        return False
    trials = [side_trials(e, "dev") for e in curves]
    return all(
        same_trials(trials[k], one, groups=groups)
        for k in _references(trials)
        for one in trials[k + 1 :]
    )


def _rechosen_draw(
    curves: Sequence[Curve], again: list[_Again], dev: list[DrawnRows], test: list[DrawnRows]
) -> Callable[[np.random.Generator, int], DrawnSystems]:
    """Dev drawn, thresholds chosen, test drawn, errors counted."""
    judged = [SortedRows.of(side_trials(e, "test")) for e in curves]
    held = max(len(curves) // 2, 1)
    step = max(1, _AT_ONCE // (held * max(rows.size for rows in (*dev, *test))))

    def draw(rng: np.random.Generator, size: int) -> DrawnSystems:
        parts: list[DrawnSystems] = []
        for start in range(0, size, step):
            n = min(step, size - start)
            on_dev, on_test = _drawn(dev, rng, n), _drawn(test, rng, n)
            parts.append([
                _errors(rows, drawn, one.thresholds(chosen_on))
                for one, chosen_on, rows, drawn in zip(again, on_dev, judged, on_test, strict=True)
            ])  # fmt: skip
        return [
            GroupedCounts(*map(np.concatenate, zip(*own, strict=True)))
            for own in zip(*parts, strict=True)
        ]

    return draw


def _drawn(sides: list[DrawnRows], rng: np.random.Generator, size: int) -> list[Counts]:
    """A side that several share is drawn once."""
    first = sides[0].draw(rng, size)
    return [first, *(first if own is sides[0] else own.draw(rng, size) for own in sides[1:])]


def _errors(rows: SortedRows, drawn: Counts, theta: FloatArray) -> GroupedCounts:
    """Lost is a replicate without a threshold, or with an empty class of test."""
    rejected, accepted, (clients, impostors) = rows.errors(drawn, theta)
    lost = (clients == 0) | (impostors == 0) | np.any(np.isnan(theta), axis=1)
    clients, impostors = np.maximum(clients, 1), np.maximum(impostors, 1)
    return GroupedCounts(rejected, accepted, clients, impostors, lost)


# ------------------------------------------------------------------- thresholds held fixed
def _fixed_draw(
    curves: Sequence[Curve], *, paired: bool, groups: bool
) -> Callable[[np.random.Generator, int], DrawnSystems]:
    """Test decisions at the curves' own thresholds, of all alphas together."""
    if not paired:
        draws = [_unpaired(e, groups=groups) for e in curves]
        return lambda rng, size: [draw(rng, size) for draw in draws]
    trials = _joint([side_trials(e, "test") for e in curves])
    known = groups_of(trials) if groups else None
    if known is not None:
        sides = [
            GroupedSide.of(known, empirical_laws(e.test, "test"), side_trials(e, "test"),
                           stratified=True)
            for e in curves
        ]  # fmt: skip
        chosen = [e.chosen for e in curves]
        cells = sides[0].cells(*zip(sides, chosen, strict=True))
        return lambda rng, size: list(cells.draw(rng, size))
    return _JointCells.of(curves).draw


def _unpaired(e: Curve, *, groups: bool) -> Callable[[np.random.Generator, int], GroupedCounts]:
    side = grouped_side(e, "test", True, groups=groups)
    if side is not None:
        counts = side.cells((side, e.chosen))
        return lambda rng, size: counts.draw(rng, size)[0]
    client, impostor = (cells_of(law, e.chosen) for law in empirical_laws(e.test, "test"))

    def draw(rng: np.random.Generator, size: int) -> GroupedCounts:
        sizes = class_sizes(rng, size, client.total, impostor.total, stratified=True)
        accepted = sizes[1][:, None] - impostor.draw(rng, sizes[1])
        lost = np.zeros(size, dtype=np.bool_)
        return GroupedCounts(client.draw(rng, sizes[0]), accepted, *sizes, lost)

    return draw


@dataclass(frozen=True, eq=False)
class _JointCells:
    """Trials of each class by where all systems score them between their thresholds."""

    #: Of each class its kinds of trial: how many, and the cell of each system.
    counts: tuple[IntArray, IntArray]
    cells: tuple[IntArray, IntArray]
    #: Of each class and system the last cell below each threshold.
    last: tuple[list[IntArray], list[IntArray]]

    @classmethod
    def of(cls, curves: Sequence[Curve]) -> _JointCells:
        """The kinds that occur; a row of positive weight stands for that many trials."""
        laws = [empirical_laws(e.test, "test") for e in curves]
        counts, cells, last = [], [], []
        for which in (0, 1):
            found = [
                cell_of(law[which], e.chosen, np.searchsorted(law[which]._steps[0],
                                                              law[which].values))
                for e, law in zip(curves, laws, strict=True)
            ]  # fmt: skip
            columns = np.stack([cell for cell, _ in found], axis=1)
            kinds, number = np.unique(columns, axis=0, return_inverse=True)
            weights = laws[0][which].weights
            counts.append(
                np.rint(np.bincount(np.ravel(number), weights, len(kinds))).astype(np.int64)
            )
            cells.append(kinds)
            last.append([below for _, below in found])
        return cls((counts[0], counts[1]), (cells[0], cells[1]), (last[0], last[1]))

    def draw(self, rng: np.random.Generator, size: int) -> DrawnSystems:
        """Every system's errors in some replicates."""
        totals = [np.full(size, int(np.sum(counts))) for counts in self.counts]
        drawn = [
            draw_multinomial(rng, total, counts)
            for total, counts in zip(totals, self.counts, strict=True)
        ]
        lost = np.zeros(size, dtype=np.bool_)
        found = []
        for system in range(len(self.last[0])):
            below = [
                _upto(drawn[which], self.cells[which][:, system], self.last[which][system])
                for which in (0, 1)
            ]
            accepted = totals[1][:, None] - below[1]
            found.append(GroupedCounts(below[0], accepted, totals[0], totals[1], lost))
        return found


def _upto(drawn: IntArray, cell: IntArray, last: IntArray) -> IntArray:
    """Of kinds of trial in cells those in a cell up to each of some last ones."""
    of_cell = np.zeros((cell.size, int(max(cell.max(), last.max())) + 1))
    of_cell[np.arange(cell.size), cell] = 1.0
    return np.cumsum(np.rint(drawn @ of_cell).astype(np.int64), axis=1)[:, last]


def _refuse_unpaired(curves: Sequence[Curve], names: Sequence[str], *, groups: bool) -> None:
    trials = [side_trials(e, "test") for e in curves]
    for k in _references(trials):
        for own, name in zip(trials[k + 1 :], names[k + 1 :], strict=True):
            refuse_other_trials(trials[k], own, (names[k], name), groups=groups)
    for e, name in zip(curves[1:], names[1:], strict=True):
        if e.test.prior != curves[0].test.prior:
            raise InputError(
                f"paired curves must have one test prior; {names[0]} has"
                f" {curves[0].test.prior!r}, {name} {e.test.prior!r}. Give epc the same prior."
            )
