"""What replicates of two systems draw: the same trials for both, or trials of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import class_sizes, draw_multinomial
from betaroc.core.sentences import worded
from betaroc.data.groups import Groups, groups_of
from betaroc.decision.bands import grouped_values
from betaroc.decision.curve import WEIGHTED_ERROR, Curve
from betaroc.decision.resample_fit import FitAgain
from betaroc.decision.resample_threshold import ChosenAgain, LeastWeightedError, OtherCriterion
from betaroc.decision.sides import empirical_laws, grouped_side, side_trials
from betaroc.distributions.binned import is_binned
from betaroc.distributions.empirical import cells_of, decides_by_counts
from betaroc.inference.drawn_groups import GroupedCounts, GroupedSide, cell_of
from betaroc.inference.drawn_trials import Counts, DrawnRows, SortedRows
from betaroc.inference.paired_trials import joint_trials, refuse_other_trials, same_trials

__all__ = ["Plan", "Smallest", "plan_of"]

_SYSTEMS = ("epc_a", "epc_b")
_CLASSES = ("client", "impostor")
#: Numbers of drawn rows at once, replicates times rows.
_AT_ONCE = 2**23

Both = tuple[GroupedCounts, GroupedCounts]
GroupNumbers = tuple[int | None, int | None]


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


@dataclass(frozen=True, eq=False)
class Plan:
    """How the replicates of a comparison are made.

    Parameters
    ----------
    curves : tuple of Curve
        Both systems.
    draw : callable
        Errors of both systems on test in some replicates.
    groups : tuple, optional
        Number of groups of both test sides that are drawn as wholes.
    dev_paired : bool, optional
        Whether both systems choose on the same dev trials; None where dev is held fixed.
    smallest : Smallest
        What limits the bootstrap.
    resample, paired
        As `compare` has them.
    fitted : bool
        Whether a fit is made in every replicate.
    """

    curves: tuple[Curve, Curve]
    draw: Callable[[np.random.Generator, int], Both]
    groups: GroupNumbers | None
    dev_paired: bool | None
    smallest: Smallest
    resample: str
    paired: bool
    fitted: bool = False

    def differences(self, rng: np.random.Generator, size: int) -> FloatArray:
        """First curve minus second in some replicates, a row each."""
        one, other = map(grouped_values, self.curves, self.draw(rng, size))
        return np.asarray(one - other)


def plan_of(a: Curve, b: Curve, options: IntervalOptions, *, paired: bool) -> Plan:
    """The checked sides of two curves as what a replicate draws; the method is what varies."""
    groups, resample = options.groups, str(options.method)
    for e, name in zip((a, b), _SYSTEMS, strict=True):
        empirical_laws(e.test, f"the test side of {name}")
        if paired and is_binned(e.test.client):
            raise InputError.about("paired")(
                worded(f"`paired=True` needs the trials themselves; the test side of {name} is a")
                + worded(" summary, which has none. `Give Scores, or take` `paired=False`.")
            )
    if paired:
        _refuse_unpaired(a, b, groups=groups)
    test = _rows(a, b, "test", shared=paired, groups=groups)
    known = None
    if any(rows.groups is not None for rows in test):
        of = [None if rows.groups is None else rows.groups.labels for rows in test]
        known = (of[0], of[1])
    if resample == "test":
        draw = _fixed_draw(a, b, paired=paired, groups=groups)
        return Plan((a, b), draw, known, None, _smallest(test, "test"), resample, paired)
    again = [_again(e, name) for e, name in zip((a, b), _SYSTEMS, strict=True)]
    dev_paired = _same_dev(a, b, groups=groups)
    dev = _rows(a, b, "dev", shared=dev_paired, groups=groups)
    smallest = min(_smallest(dev, "dev"), _smallest(test, "test"), key=_sufficiency)
    fitted = any(isinstance(one, FitAgain) for one in again)
    draw = _rechosen_draw(a, b, again, dev, test)
    return Plan((a, b), draw, known, dev_paired, smallest, resample, paired, fitted)


def _smallest(sides: list[DrawnRows], role: str) -> Smallest:
    found = []
    for rows in sides:
        for who, n in zip(_CLASSES, rows.units, strict=True):
            size = None if rows.groups is None else rows.groups.sizes[_CLASSES.index(who)]
            what = f"{who} {'trials' if size is None else 'groups'} of {role}"
            found.append(Smallest(n, what, _NEEDED[role]))
    return min(found, key=_sufficiency)


def _sufficiency(smallest: Smallest) -> float:
    return smallest.n / smallest.needed


def _rows(a: Curve, b: Curve, role: str, *, shared: bool, groups: bool) -> list[DrawnRows]:
    """The rows of one role: one and the same for both systems where they share trials."""
    trials = [side_trials(e, role) for e in (a, b)]
    if shared:
        joint = joint_trials(*trials)
        return [DrawnRows.of(joint, groups_of(joint) if groups else None)] * 2
    return [DrawnRows.of(one, groups_of(one) if groups else None) for one in trials]


# ----------------------------------------------------------------- thresholds chosen again
def _again(e: Curve, name: str) -> ChosenAgain:
    """What chooses dev's thresholds in a replicate."""
    if not decides_by_counts(e.dev._pair):
        return FitAgain.of(e, name)
    empirical_laws(e.dev, f"the dev side of {name}")
    return (LeastWeightedError if e.criterion == WEIGHTED_ERROR else OtherCriterion).of(e)


def _same_dev(a: Curve, b: Curve, *, groups: bool) -> bool:
    """Whether ids, or numbers and order, say that both systems judge the same dev trials."""
    laws = [law for e in (a, b) for law in (e.dev.client, e.dev.impostor)]
    if any(is_binned(law) for law in laws):
        return False
    return same_trials(side_trials(a, "dev"), side_trials(b, "dev"), groups=groups)


def _rechosen_draw(
    a: Curve, b: Curve, again: list[ChosenAgain], dev: list[DrawnRows], test: list[DrawnRows]
) -> Callable[[np.random.Generator, int], Both]:
    """Dev drawn, thresholds chosen, test drawn, errors counted."""
    judged = [SortedRows.of(side_trials(e, "test")) for e in (a, b)]
    step = max(1, _AT_ONCE // max(rows.size for rows in (*dev, *test)))

    def draw(rng: np.random.Generator, size: int) -> Both:
        parts = []
        for start in range(0, size, step):
            n = min(step, size - start)
            on_dev, on_test = _drawn(dev, rng, n), _drawn(test, rng, n)
            parts.append([
                _errors(rows, drawn, one.thresholds(chosen_on))
                for one, chosen_on, rows, drawn in zip(again, on_dev, judged, on_test, strict=True)
            ])  # fmt: skip
        first, second = (
            GroupedCounts(*map(np.concatenate, zip(*(part[k] for part in parts), strict=True)))
            for k in (0, 1)
        )
        return first, second

    return draw


def _drawn(sides: list[DrawnRows], rng: np.random.Generator, size: int) -> list[Counts]:
    first = sides[0].draw(rng, size)
    return [first, first if sides[1] is sides[0] else sides[1].draw(rng, size)]


def _errors(rows: SortedRows, drawn: Counts, theta: FloatArray) -> GroupedCounts:
    """Lost is a replicate without a threshold, or with an empty class of test."""
    rejected, accepted, (clients, impostors) = rows.errors(drawn, theta)
    lost = (clients == 0) | (impostors == 0) | np.any(np.isnan(theta), axis=1)
    clients, impostors = np.maximum(clients, 1), np.maximum(impostors, 1)
    return GroupedCounts(rejected, accepted, clients, impostors, lost)


# ------------------------------------------------------------------- thresholds held fixed
def _fixed_draw(
    a: Curve, b: Curve, *, paired: bool, groups: bool
) -> Callable[[np.random.Generator, int], Both]:
    """Test decisions at the curves' own thresholds, of all alphas together."""
    if not paired:
        one, other = (_unpaired(e, groups=groups) for e in (a, b))
        return lambda rng, size: (one(rng, size), other(rng, size))
    trials = joint_trials(side_trials(a, "test"), side_trials(b, "test"))
    known = groups_of(trials) if groups else None
    if known is not None:
        return _paired_groups(a, b, known)
    return _JointCells.of(a, b).draw


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


def _paired_groups(
    a: Curve, b: Curve, known: Groups
) -> Callable[[np.random.Generator, int], Both]:  # fmt: skip
    both = [
        GroupedSide.of(known, empirical_laws(e.test, "test"), side_trials(e, "test"),
                       stratified=True)
        for e in (a, b)
    ]  # fmt: skip
    cells = both[0].cells((both[0], a.chosen), (both[1], b.chosen))

    def draw(rng: np.random.Generator, size: int) -> Both:
        one, other = cells.draw(rng, size)
        return one, other

    return draw


@dataclass(frozen=True, eq=False)
class _JointCells:
    """Trials of each class by where both systems score them between their thresholds."""

    #: Of each class its kinds of trial: how many, and the cell of each system.
    counts: tuple[IntArray, IntArray]
    cells: tuple[IntArray, IntArray]
    #: Of each class and system the last cell below each threshold.
    last: tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]

    @classmethod
    def of(cls, a: Curve, b: Curve) -> _JointCells:
        """The kinds that occur; a row of positive weight stands for that many trials."""
        laws = [empirical_laws(e.test, "test") for e in (a, b)]
        counts, cells, last = [], [], []
        for which in (0, 1):
            found = [
                cell_of(law[which], e.chosen, np.searchsorted(law[which]._steps[0],
                                                              law[which].values))
                for e, law in zip((a, b), laws, strict=True)
            ]  # fmt: skip
            columns = np.stack([cell for cell, _ in found], axis=1)
            kinds, number = np.unique(columns, axis=0, return_inverse=True)
            weights = laws[0][which].weights
            counts.append(
                np.rint(np.bincount(np.ravel(number), weights, len(kinds))).astype(np.int64)
            )
            cells.append(kinds)
            last.append((found[0][1], found[1][1]))
        return cls((counts[0], counts[1]), (cells[0], cells[1]), (last[0], last[1]))

    def draw(self, rng: np.random.Generator, size: int) -> Both:
        """Both systems' errors in some replicates."""
        totals = [np.full(size, int(np.sum(counts))) for counts in self.counts]
        drawn = [
            draw_multinomial(rng, total, counts)
            for total, counts in zip(totals, self.counts, strict=True)
        ]
        lost = np.zeros(size, dtype=np.bool_)
        found = []
        for system in (0, 1):
            below = [
                _upto(drawn[which], self.cells[which][:, system], self.last[which][system])
                for which in (0, 1)
            ]
            accepted = totals[1][:, None] - below[1]
            found.append(GroupedCounts(below[0], accepted, totals[0], totals[1], lost))
        return found[0], found[1]


def _upto(drawn: IntArray, cell: IntArray, last: IntArray) -> IntArray:
    """Of kinds of trial in cells those in a cell up to each of some last ones."""
    of_cell = np.zeros((cell.size, int(max(cell.max(), last.max())) + 1))
    of_cell[np.arange(cell.size), cell] = 1.0
    return np.cumsum(np.rint(drawn @ of_cell).astype(np.int64), axis=1)[:, last]


def _refuse_unpaired(a: Curve, b: Curve, *, groups: bool) -> None:
    refuse_other_trials(side_trials(a, "test"), side_trials(b, "test"), _SYSTEMS, groups=groups)
    if a.test.prior != b.test.prior:
        raise InputError(
            f"paired curves must have one test prior; epc_a has {a.test.prior!r}, epc_b"
            f" {b.test.prior!r}. Give epc the same prior."
        )
