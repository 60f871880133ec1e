"""What replicates of systems draw: the same trials for all, or trials of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.vocabulary import worded
from betaroc.data.groups import ScoredTrials, Trials, groups_of
from betaroc.decision.bands import measured, parts_of, rows_by_cells
from betaroc.decision.curve import Curve, empirical_laws, side_trials
from betaroc.decision.resample_threshold import FitAgain, resampler
from betaroc.distributions.empirical import _decisive, decides_by_counts, is_binned
from betaroc.inference.drawn_scores import Counts, DrawnRows, GroupedCounts, SortedRows
from betaroc.inference.paired_trials import (
    joint_trials,
    on_same_trials,
    refuse_other_trials,
    same_trials,
)

_SYSTEMS = ("epc_a", "epc_b")
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
    draw: Callable[[np.random.Generator, int], list[GroupedCounts]]
    groups: tuple[int | None, ...] | None
    dev_paired: bool | None
    smallest: Smallest
    resample: str
    paired: bool
    fitted: bool = False

    def values(self, rng: np.random.Generator, size: int) -> list[FloatArray]:
        """Of each curve its values in some replicates, a row each."""
        drawn = zip(self.curves, self.draw(rng, size), strict=True)
        return [measured(e, errors) for e, errors in drawn]

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
    judged = [SortedRows.of(side_trials(e, "test")) for e in curves]
    fixed = [_decisive(e.chosen) for e in curves]
    if resample == "test":
        smallest = _smallest(test, "test")
        if paired and known is None:
            cells = rows_by_cells([side_trials(e, "test") for e in curves], fixed, test[0])
        else:
            cells = [
                (rows, own, t) if rows.groups is not None
                else rows_by_cells([side_trials(e, "test")], [t], rows)[0]
                for e, rows, own, t in zip(curves, test, judged, fixed, strict=True)
            ]  # fmt: skip
        rows, sides, thetas = (list(part) for part in zip(*cells, strict=True))
        draw = _draw(rows, sides, lambda _, __: thetas)
        return Plan(curves, draw, known, None, smallest, resample, paired)
    for e, name in zip(curves, names, strict=True):
        if decides_by_counts(e.dev._pair):
            empirical_laws(e.dev, f"the dev side of {name}")
    again = [resampler(e, name) for e, name in zip(curves, names, strict=True)]
    dev_paired = _same_dev(curves, groups=groups)
    dev = _rows(curves, "dev", shared=dev_paired, groups=groups)
    smallest = min(_smallest(dev, "dev"), _smallest(test, "test"), key=_sufficiency)
    fitted = any(isinstance(one, FitAgain) for one in again)

    def choose(rng: np.random.Generator, n: int) -> list[FloatArray]:
        drawn = _drawn(dev, rng, n)
        return [one.thresholds(own) for one, own in zip(again, drawn, strict=True)]

    largest = max(rows.size for rows in (*dev, *test)) * max(len(curves) // 2, 1)
    draw = _draw(test, judged, choose, largest)
    return Plan(curves, draw, known, dev_paired, smallest, resample, paired, fitted)


def _draw(
    test: list[DrawnRows], judged: list[SortedRows],
    choose: Callable[[np.random.Generator, int], list[FloatArray]], largest: int = 0,
) -> Callable[[np.random.Generator, int], list[GroupedCounts]]:  # fmt: skip
    """Thresholds chosen, test drawn, errors counted."""
    largest = largest or max(rows.size for rows in test)

    def draw(rng: np.random.Generator, size: int) -> list[GroupedCounts]:
        parts: list[list[GroupedCounts]] = []
        for n in parts_of(size, largest):
            thetas = choose(rng, n)
            drawn = _drawn(test, rng, n)
            sides = zip(judged, drawn, thetas, strict=True)
            parts.append([rows.errors(of, theta) for rows, of, theta in sides])
        return [
            GroupedCounts(*map(np.concatenate, zip(*own, strict=True)))
            for own in zip(*parts, strict=True)
        ]

    return draw


def _drawn(sides: list[DrawnRows], rng: np.random.Generator, size: int) -> list[Counts]:
    """A side that several share is drawn once."""
    first = sides[0].draw(rng, size)
    return [first, *(first if own is sides[0] else own.draw(rng, size) for own in sides[1:])]


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
