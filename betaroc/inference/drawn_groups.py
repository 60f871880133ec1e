"""Groups of trials drawn again as wholes: a replicate's samples, counts between thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.resampling import draw_multinomial
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import Groups, ScoredTrials
from betaroc.distributions.empirical import Drawn, Empirical

#: Weights drawn at once: replicates times what they are drawn for.
_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class GroupedSide:
    """The scores of one side, to be drawn by their groups.

    Parameters
    ----------
    groups : Groups
        What the trials depend on.
    laws : tuple of Empirical
        Clients and impostors.
    places : tuple of ndarray of int
        For each row the place of its score among the distinct ones of its distribution.
    stratified : bool
        See `Groups.stratum`.
    """

    groups: Groups
    laws: tuple[Empirical, Empirical]
    places: tuple[IntArray, IntArray]
    stratified: bool

    @classmethod
    def of(
        cls,
        groups: Groups,
        laws: tuple[Empirical, Empirical],
        scores: ScoredTrials,
        *,
        stratified: bool,
    ) -> GroupedSide:
        """The rows of both classes placed in their distributions."""
        return cls(groups, laws, rows_in(laws, groups, scores), stratified)

    @cached_property
    def _strata(self) -> list[IntArray]:
        return _places(self.groups.stratum(stratified=self.stratified))

    def draw(self, rng: np.random.Generator, share: float = 1.0) -> tuple[Drawn, Drawn] | None:
        """Both distributions of a replicate of `share` of the units; None if a class is empty."""
        of = self.groups
        drawn = np.empty(of.role.size + 1, dtype=np.int64)
        drawn[-1] = 1  # what a missing second unit weighs
        for units in self._strata:
            drawn[units] = _draw_units(rng, of.multiplicity[units], share)
        weights = drawn[of.first] * drawn[of.second] * of.copies
        cut = of.rows[0].size
        found = []
        for law, place, w in zip(
            self.laws, self.places, (weights[:cut], weights[cut:]), strict=True
        ):
            steps = law._steps[0]
            masses = np.bincount(place, w, steps.size)
            kept = np.flatnonzero(masses)
            if not kept.size:
                return None
            found.append(Drawn(steps[kept], masses[kept].astype(np.float64)))
        return found[0], found[1]

    def cells(self, *curves: tuple[GroupedSide, Thresholds]) -> ThresholdCells:
        """Counts between the distinct thresholds of each of some curves on these rows."""
        columns, layout, start = [], [], 0
        for side, t in curves:
            parts = [cell_of(law, t, at) for law, at in zip(side.laws, side.places, strict=True)]
            cut = start + int(parts[0][1].max()) + 2
            columns.append(np.concatenate([start + parts[0][0], cut + parts[1][0]]))
            stop = cut + int(parts[1][1].max()) + 2
            layout.append(_Columns(start, cut, stop, parts[0][1], parts[1][1]))
            start = stop
        both = np.stack(columns, axis=1)
        return _unit_cells(self.groups, both, start, layout, stratified=self.stratified)


class GroupedCounts(NamedTuple):
    """Error counts and class sizes of replicates, a row each; sizes are 1 where one was empty."""

    rejected: IntArray
    accepted: IntArray
    clients: IntArray
    impostors: IntArray
    #: Replicates with an empty class.
    lost: BoolArray


class _Columns(NamedTuple):
    """Where one curve's cells stand: clients from start to cut, impostors to stop."""

    start: int
    cut: int
    stop: int
    client: IntArray
    impostor: IntArray


def cell_of(law: Empirical, t: Thresholds, place: IntArray) -> tuple[IntArray, IntArray]:
    """The cell between distinct thresholds of each row, and each threshold's last cell below."""
    distinct, last = np.unique(law._index(t), return_inverse=True)
    return np.asarray(np.searchsorted(distinct, place, side="right")), np.ravel(last)


def rows_in(
    laws: tuple[Empirical, Empirical], groups: Groups, scores: ScoredTrials
) -> tuple[IntArray, IntArray]:
    """For each row of the groups the place of its score among the distinct ones of its class."""
    client, impostor = (
        np.searchsorted(law._steps[0], values[rows])
        for law, values, rows in zip(
            laws, (scores.client, scores.impostor), groups.rows, strict=True
        )
    )
    return client, impostor


def _unit_cells(
    groups: Groups, columns: IntArray, width: int, curves: Sequence[_Columns], *, stratified: bool
) -> ThresholdCells:
    """Rows counted by unit and column.

    Parameters
    ----------
    groups : Groups
        What the rows depend on.
    columns : ndarray of int, shape (n, c)
        The columns in which each row counts.
    width : int
        Number of columns.
    curves : sequence
        Which of them are whose.
    stratified : bool
        See `Groups.stratum`.
    """
    from scipy.sparse import csr_array

    stratum = groups.stratum(stratified=stratified)
    kept, pooled = _single_rows(groups)
    key = np.column_stack([stratum[groups.first[pooled]], columns[pooled]])
    kinds, which = np.unique(key, axis=0, return_inverse=True)
    alike = np.bincount(
        np.ravel(which), groups.multiplicity[groups.first[pooled]], minlength=kinds.shape[0]
    )
    units, number = np.unique(
        np.concatenate([groups.first[kept], groups.second[kept]]), return_inverse=True
    )
    # Unit -1 stands for none: it comes first, if at all.
    absent = int(units.size > 0 and units[0] < 0)
    number = number - absent
    pair = number[: kept.size], number[kept.size :]
    tuples, place = np.unique(np.stack(pair, axis=1), axis=0, return_inverse=True)
    many = units.size - absent
    first = np.concatenate([tuples[:, 0], many + np.arange(kinds.shape[0])])
    second = np.concatenate([tuples[:, 1], np.full(kinds.shape[0], -1)])
    at = np.concatenate([np.ravel(place), tuples.shape[0] + np.arange(kinds.shape[0])])
    values = np.repeat(np.concatenate([groups.copies[kept], np.ones(len(kinds))]), columns.shape[1])
    rows = np.repeat(at, columns.shape[1])
    where = rows, np.concatenate([columns[kept], kinds[:, 1:]]).ravel()
    units = units[absent:]
    return ThresholdCells(
        tuple(curves), np.concatenate([groups.multiplicity[units], alike]),
        np.concatenate([stratum[units], kinds[:, 0]]).astype(np.intp),
        first, second, csr_array((values, where), shape=(first.size, width)),
    )  # fmt: skip


def _single_rows(groups: Groups) -> tuple[IntArray, IntArray]:
    """Rows of larger groups, and rows that are a unit by themselves and so interchangeable."""
    both = np.concatenate([groups.first, groups.second[groups.second >= 0]])
    single = np.bincount(both, minlength=groups.role.size) == 1
    alone = single[groups.first] & (groups.second < 0) & (groups.copies == 1.0)
    return np.flatnonzero(~alone), np.flatnonzero(alone)


@dataclass(frozen=True, eq=False)
class ThresholdCells:
    """Counts of every unit, or pair of units, between the thresholds of one curve or more."""

    curves: tuple[_Columns, ...]
    multiplicity: FloatArray
    stratum: IntArray
    first: IntArray
    second: IntArray
    counts: Any

    def draw(self, rng: np.random.Generator, size: int) -> list[GroupedCounts]:
        """Clients rejected, impostors accepted and class sizes of replicates, for each curve.

        Units are drawn with replacement within strata; the trials of two units get the
        product of their weights.
        """
        drawn = np.empty((size, self.counts.shape[1]), dtype=np.int64)
        step = max(1, _AT_ONCE // max(self.first.size, self.multiplicity.size))
        strata = _places(self.stratum)
        for start in range(0, size, step):
            rows = slice(start, min(start + step, size))
            weights = self._weights(rng, rows.stop - rows.start, strata)
            drawn[rows] = np.rint((self.counts.T @ weights.T).T)
        found = []
        for at in self.curves:
            client = np.cumsum(drawn[:, at.start : at.cut], axis=1)
            impostor = np.cumsum(drawn[:, at.cut : at.stop], axis=1)
            sizes = client[:, -1], impostor[:, -1]
            accepted = sizes[1][:, None] - impostor[:, at.impostor]
            lost = (sizes[0] == 0) | (sizes[1] == 0)
            clients, impostors = (np.maximum(n, 1) for n in sizes)
            found.append(GroupedCounts(client[:, at.client], accepted, clients, impostors, lost))
        return found

    def _weights(self, rng: np.random.Generator, size: int, strata: list[IntArray]) -> FloatArray:
        units = np.ones((size, self.multiplicity.size + 1))  # the last for a missing second unit
        for places in strata:
            alike = np.rint(self.multiplicity[places]).astype(np.int64)
            units[:, places] = draw_multinomial(rng, np.full(size, np.sum(alike)), alike)
        weights = units[:, self.first]
        crossed = self.second >= 0
        if np.any(crossed):
            weights[:, crossed] *= units[:, self.second[crossed]]
        return weights


def _places(stratum: IntArray) -> list[IntArray]:
    return [np.flatnonzero(stratum == k) for k in range(int(stratum.max()) + 1)]


def _draw_units(rng: np.random.Generator, multiplicity: FloatArray, share: float) -> IntArray:
    """How often each unit of a stratum is drawn."""
    alike = np.rint(multiplicity).astype(np.int64)
    total = int(np.sum(alike))
    size = max(1, round(share * total))
    if total == alike.size:
        return np.asarray(np.bincount(rng.integers(total, size=size), minlength=total))
    return np.asarray(draw_multinomial(rng, np.array([size]), alike)[0])
