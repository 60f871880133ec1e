"""Trials that depend on each other: what each hangs on, drawn as a whole and summed as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import AnyArray, FloatArray, IntArray
from betaroc.core.errors import InputError
from betaroc.core.resampling import draw_multinomial
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.empirical import Drawn, Empirical

__all__ = [
    "GroupCells",
    "GroupedCounts",
    "GroupedSide",
    "Groups",
    "ThresholdCells",
    "Trials",
    "cell_of",
    "groups_of",
    "roots",
    "settled",
    "single_trials",
    "weights_of",
    "worth",
]

#: Weights drawn at once: replicates times what they are drawn for.
_AT_ONCE = 2_000_000
#: Negative eigenvalues down to this share of the largest are rounding.
_ROUNDING = 1e-12
_CLASSES = ("client", "impostor")


@dataclass(frozen=True, eq=False)
class Groups:
    """The rows of one side, clients first, and the units that they hang on.

    A unit is a label of the groups, one thing in both classes and both columns; in a class
    without groups every trial is a unit of its own.

    Parameters
    ----------
    rows : tuple of ndarray of int
        Clients and impostors of positive weight, as places in the scores.
    first, second : ndarray of int, shape (n,)
        The units of each row; `second` is -1 where there is only one.
    copies : ndarray, shape (n,)
        Trials of each row that belong to its units.
    multiplicity : ndarray, shape (units,)
        Independent units that one number stands for: 1 for labels, copies of single trials.
    role : ndarray of int, shape (units,)
        Bit 2 class + column for each place where the unit occurs.
    sizes : tuple
        Labels in each class, of two columns those of the column with fewer; None without groups.
    """

    rows: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
    first: npt.NDArray[np.intp]
    second: npt.NDArray[np.intp]
    copies: FloatArray
    multiplicity: FloatArray
    role: IntArray
    sizes: tuple[int | None, int | None]

    @property
    def units(self) -> int:
        """Number of groups, single trials of a class without groups included."""
        return round(float(np.sum(self.multiplicity)))

    @property
    def labels(self) -> int:
        """Number of groups: distinct labels."""
        grouped = np.array([size is not None for size in self.sizes])[[0, 0, 1, 1]]
        bits = int(np.sum((1 << np.arange(4))[grouped]))
        return int(np.count_nonzero(self.role & bits))

    @property
    def dependent(self) -> bool:
        """Whether two trials share a unit."""
        both = np.concatenate([self.first, self.second[self.second >= 0]])
        copies = np.concatenate([self.copies, self.copies[self.second >= 0]])
        return bool(np.max(np.bincount(both, copies)) > 1.0)

    def units_of(self, which: int) -> float:
        """Units that occur among the clients (0) or the impostors (1)."""
        return float(np.sum(self.multiplicity[self.role >> (2 * which) & 3 > 0]))

    def stratum(self, *, stratified: bool) -> npt.NDArray[np.intp]:
        """For each unit the number of the units among which it is drawn.

        Stratified: those that occur in the same classes and columns; else in the same columns.
        """
        role = self.role if stratified else (self.role | self.role >> 2) & 3
        return np.asarray(np.unique(role, return_inverse=True)[1])

    @cached_property
    def _strata(self) -> dict[bool, list[npt.NDArray[np.intp]]]:
        return {s: _places(self.stratum(stratified=s)) for s in (True, False)}

    def draw_laws(
        self,
        rng: np.random.Generator,
        laws: tuple[Empirical, Empirical],
        places: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]],
        *,
        stratified: bool,
        share: float = 1.0,
    ) -> tuple[Drawn, Drawn] | None:
        """Both laws of a replicate of `share` of the units; None if a class is empty."""
        drawn = np.empty(self.role.size + 1, dtype=np.int64)
        drawn[-1] = 1  # what a missing second unit weighs
        for units in self._strata[stratified]:
            drawn[units] = _draw_units(rng, self.multiplicity[units], share)
        weights = drawn[self.first] * drawn[self.second] * self.copies
        cut = self.rows[0].size
        found = []
        for law, place, w in zip(laws, places, (weights[:cut], weights[cut:]), strict=True):
            steps = law._steps[0]
            masses = np.bincount(place, w, steps.size)
            kept = np.flatnonzero(masses)
            if not kept.size:
                return None
            found.append(Drawn(steps[kept], masses[kept].astype(np.float64)))
        return found[0], found[1]

    def places(
        self, laws: tuple[Empirical, Empirical], scores: Any
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """For each row the place of its score among the distinct ones of its law."""
        found = [
            np.searchsorted(law._steps[0], values[rows])
            for law, values, rows in zip(
                laws, (scores.client, scores.impostor), self.rows, strict=True
            )
        ]
        return found[0], found[1]

    def cells(self, columns: IntArray, width: int, *, stratified: bool) -> GroupCells:
        """Rows counted by unit and column.

        Parameters
        ----------
        columns : ndarray of int, shape (n, c)
            The columns in which each row counts.
        width : int
            Number of columns.
        stratified : bool
            See `stratum`.
        """
        stratum = self.stratum(stratified=stratified)
        kept, pooled = self._single_rows()
        key = np.column_stack([stratum[self.first[pooled]], columns[pooled]])
        kinds, which = np.unique(key, axis=0, return_inverse=True)
        alike = np.bincount(
            np.ravel(which), self.multiplicity[self.first[pooled]], minlength=kinds.shape[0]
        )
        units, number = np.unique(
            np.concatenate([self.first[kept], self.second[kept]]), return_inverse=True
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
        matrix = _matrix(
            np.repeat(at, columns.shape[1]),
            np.concatenate([columns[kept], kinds[:, 1:]]).ravel(),
            np.repeat(np.concatenate([self.copies[kept], np.ones(len(kinds))]), columns.shape[1]),
            (first.size, width),
        )
        units = units[absent:]
        return GroupCells(
            np.concatenate([self.multiplicity[units], alike]),
            np.concatenate([stratum[units], kinds[:, 0]]).astype(np.intp),
            first, second, matrix,
        )  # fmt: skip

    def _single_rows(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Rows of larger groups, and rows that are a unit by themselves and so interchangeable."""
        both = np.concatenate([self.first, self.second[self.second >= 0]])
        single = np.bincount(both, minlength=self.role.size) == 1
        alone = single[self.first] & (self.second < 0) & (self.copies == 1.0)
        return np.flatnonzero(~alone), np.flatnonzero(alone)

    def meat(
        self, contributions: Any, stratum: npt.NDArray[np.intp] | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Two sums whose difference adds the products of contributions of trials that share a unit.

            sum_u S_u S_u',   sum_{u < v} S_uv S_uv'

        with S_u the sum over the trials of unit u, S_uv over those of both, which the first
        sum counts twice; within strata the S_u less their mean.

        Parameters
        ----------
        contributions : ndarray or sparse matrix, shape (n, q)
            One row a row of the side, for one copy.
        stratum : ndarray of int, shape (units,), optional
            Where S_u is centred.
        """
        n, size = self.first.size, self.role.size
        crossed = np.flatnonzero(self.second >= 0)
        where = np.concatenate([np.arange(n), crossed])
        units = np.concatenate([self.first, self.second[crossed]])
        sums = _matrix(units, where, self.copies[where], (size, n)) @ contributions
        weighted = _matrix(np.arange(size), np.arange(size), self.multiplicity, (size, size)) @ sums
        total = _dense(sums.T @ weighted)
        if stratum is not None:
            alike = _matrix(stratum, np.arange(size), np.ones(size), (stratum.max() + 1, size))
            means = _dense(alike @ weighted)
            total = total - means.T @ (means / (alike @ self.multiplicity)[:, None])
        twice = np.zeros_like(total)
        if crossed.size:
            low = np.minimum(self.first, self.second)[crossed]
            high = np.maximum(self.first, self.second)[crossed]
            number = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)[1]
            number = np.ravel(number)
            pairs = _matrix(number, crossed, self.copies[crossed], (number.max() + 1, n))
            shared = pairs @ contributions
            twice = _dense(shared.T @ shared)
        return total, twice

    def factors(self) -> tuple[float, float]:
        """sqrt(G / (G - 1)) of each class with groups, 1 of one without."""
        found = []
        for size, who in zip(self.sizes, _CLASSES, strict=True):
            if size == 1:
                raise InputError(
                    f"the {who} class must have at least 2 groups for a variance between groups;"
                    f" all its trials share one label of {who}_groups. Take groups=False if they"
                    " do not depend on each other."
                )
            found.append(1.0 if size is None else (size / (size - 1.0)) ** 0.5)
        return found[0], found[1]


@dataclass(frozen=True, eq=False)
class GroupCells:
    """Counts in cells of every unit, or pair of units, for drawing them as a whole."""

    multiplicity: FloatArray
    stratum: npt.NDArray[np.intp]
    first: npt.NDArray[np.intp]
    second: npt.NDArray[np.intp]
    counts: Any

    def draw(self, rng: np.random.Generator, size: int) -> IntArray:
        """Counts in each cell of `size` replicates.

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
        return drawn

    def _weights(
        self, rng: np.random.Generator, size: int, strata: list[npt.NDArray[np.intp]]
    ) -> FloatArray:
        units = np.ones((size, self.multiplicity.size + 1))  # the last for a missing second unit
        for places in strata:
            alike = np.rint(self.multiplicity[places]).astype(np.int64)
            units[:, places] = draw_multinomial(rng, np.full(size, np.sum(alike)), alike)
        weights = units[:, self.first]
        crossed = self.second >= 0
        if np.any(crossed):
            weights[:, crossed] *= units[:, self.second[crossed]]
        return weights


def _places(stratum: npt.NDArray[np.intp]) -> list[npt.NDArray[np.intp]]:
    return [np.flatnonzero(stratum == k) for k in range(int(stratum.max()) + 1)]


def _draw_units(rng: np.random.Generator, multiplicity: FloatArray, share: float) -> IntArray:
    """How often each unit of a stratum is drawn."""
    alike = np.rint(multiplicity).astype(np.int64)
    total = int(np.sum(alike))
    size = max(1, round(share * total))
    if total == alike.size:
        return np.asarray(np.bincount(rng.integers(total, size=size), minlength=total))
    return np.asarray(draw_multinomial(rng, np.array([size]), alike)[0])


def _matrix(
    row: npt.NDArray[np.intp], column: npt.NDArray[np.intp], value: FloatArray, shape: Any
) -> Any:
    from scipy.sparse import csr_array

    return csr_array((value, (row, column)), shape=shape)


def _dense(matrix: Any) -> FloatArray:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


@dataclass(frozen=True)
class GroupedSide:
    """The scores of one side, to be drawn by their groups.

    Parameters
    ----------
    groups : Groups
        What the trials hang on.
    laws : tuple of Empirical
        Clients and impostors.
    places : tuple of ndarray of int
        For each row the place of its score among the distinct ones of its law.
    stratified : bool
        See `Groups.stratum`.
    """

    groups: Groups
    laws: tuple[Empirical, Empirical]
    places: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
    stratified: bool

    @classmethod
    def of(
        cls, groups: Groups, laws: tuple[Empirical, Empirical], scores: Any, *, stratified: bool
    ) -> GroupedSide:
        """The rows of both classes placed in their laws."""
        return cls(groups, laws, groups.places(laws, scores), stratified)

    def draw(self, rng: np.random.Generator, share: float = 1.0) -> tuple[Drawn, Drawn] | None:
        """Both laws of a replicate; None if a class is empty."""
        return self.groups.draw_laws(
            rng, self.laws, self.places, stratified=self.stratified, share=share
        )

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
        counts = self.groups.cells(np.stack(columns, axis=1), start, stratified=self.stratified)
        return ThresholdCells(counts, tuple(layout))


class GroupedCounts(NamedTuple):
    """Error counts and class sizes of replicates, a row each; sizes are 1 where one was empty."""

    rejected: IntArray
    accepted: IntArray
    clients: IntArray
    impostors: IntArray
    #: Replicates with an empty class.
    lost: npt.NDArray[np.bool_]


class _Columns(NamedTuple):
    """Where one curve's cells stand: clients from start to cut, impostors to stop."""

    start: int
    cut: int
    stop: int
    client: IntArray
    impostor: IntArray


@dataclass(frozen=True)
class ThresholdCells:
    """Counts of both classes between the thresholds of one curve or more."""

    counts: GroupCells
    curves: tuple[_Columns, ...]

    def draw(self, rng: np.random.Generator, size: int) -> list[GroupedCounts]:
        """Clients rejected, impostors accepted and class sizes, for each curve."""
        drawn = self.counts.draw(rng, size)
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


def cell_of(
    law: Empirical, t: Thresholds, place: npt.NDArray[np.intp]
) -> tuple[IntArray, IntArray]:
    """The cell between distinct thresholds of each row, and each threshold's last cell below."""
    distinct, last = np.unique(law._index(t), return_inverse=True)
    return np.asarray(np.searchsorted(distinct, place, side="right")), np.ravel(last)


# ------------------------------------------------------------------------------ from scores
@dataclass(frozen=True)
class Trials:
    """What is asked of scores here, where there are no Scores."""

    client: FloatArray
    impostor: FloatArray
    client_weights: FloatArray | None = None
    impostor_weights: FloatArray | None = None
    client_groups: AnyArray | None = None
    impostor_groups: AnyArray | None = None


def groups_of(scores: Any) -> Groups | None:
    """What the trials of both classes hang on; None where neither class has groups."""
    given = [getattr(scores, f"{who}_groups", None) for who in _CLASSES]
    return None if given[0] is None and given[1] is None else _of(scores, given)


def single_trials(scores: Any) -> Groups:
    """Every trial by itself, whatever the groups."""
    return _of(scores, [None, None])


def _of(scores: Any, given: list[AnyArray | None]) -> Groups:
    weights = [weights_of(scores, who) for who in _CLASSES]
    rows = [np.flatnonzero(w > 0.0) for w in weights]
    columns = [
        [] if g is None else list(g[r].T if g.ndim == 2 else g[None, r])
        for g, r in zip(given, rows, strict=True)
    ]
    codes, total = _numbered([c for part in columns for c in part])
    sizes: list[int | None] = []
    first, second, copies = [], [], []
    role, multiplicity = [np.zeros(total, dtype=np.int64)], [np.ones(total)]
    for which, part in enumerate(columns):
        weight = weights[which][rows[which]]
        if not part:
            first.append(total + np.arange(weight.size))
            second.append(np.full(weight.size, -1))
            copies.append(np.ones(weight.size))
            role.append(np.full(weight.size, 1 << (2 * which)))
            multiplicity.append(weight)
            total += weight.size
            sizes.append(None)
            continue
        mine, codes = codes[: len(part)], codes[len(part) :]
        for column, code in enumerate(mine):
            role[0][np.unique(code)] |= 1 << (2 * which + column)
        first.append(mine[0])
        second.append(np.where(mine[-1] == mine[0], -1, mine[-1]))
        copies.append(weight)
        sizes.append(min(np.unique(code).size for code in mine))
    return Groups(
        (rows[0], rows[1]), np.concatenate(first), np.concatenate(second), np.concatenate(copies),
        np.concatenate(multiplicity), np.concatenate(role), (sizes[0], sizes[1]),
    )  # fmt: skip


def weights_of(scores: Any, who: str) -> FloatArray:
    """Weights of one class, ones where there are none."""
    weights = getattr(scores, f"{who}_weights")
    return np.ones(getattr(scores, who).size) if weights is None else np.asarray(weights)


def _numbered(arrays: list[AnyArray]) -> tuple[list[npt.NDArray[np.intp]], int]:
    """Labels as numbers, equal labels alike in all arrays; text and integers are different."""
    found: list[npt.NDArray[np.intp]] = [np.empty(0, dtype=np.intp)] * len(arrays)
    total = 0
    for text in (False, True):
        these = [k for k, a in enumerate(arrays) if (a.dtype.kind == "U") == text]
        if not these:
            continue
        parts = [arrays[k] for k in these]
        if len({a.dtype.kind for a in parts}) > 1:  # int64 and uint64 share only float64
            parts = [a.astype(str) for a in parts]
        names, number = np.unique(np.concatenate(parts), return_inverse=True)
        cuts = np.cumsum([p.size for p in parts])[:-1]
        for k, piece in zip(these, np.split(np.ravel(number) + total, cuts), strict=True):
            found[k] = piece
        total += names.size
    return found, total


# --------------------------------------------------------------------------- covariances
def settled(whole: FloatArray, twice: FloatArray) -> FloatArray:
    """whole - twice where that is a covariance matrix; else `whole`, which always is."""
    difference = whole - twice
    values = np.linalg.eigvalsh(difference)
    return np.where(values[..., :1, None] < -_ROUNDING * values[..., -1:, None], whole, difference)


def roots(covariance: FloatArray) -> FloatArray:
    """Vectors whose outer products sum to the covariance, or to the nearest without negative parts.

    Of the correlations, so that coordinates in large units do not drown the others.
    """
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    safe = np.where(scale > 0.0, scale, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(safe, safe))
    kept = values > 1e-14 * np.max(values, initial=0.0)
    return np.asarray((vectors[:, kept] * np.sqrt(values[kept])).T * scale)


# ------------------------------------------------------------------------ what counts are worth
def worth(groups: Groups, which: int, beyond: FloatArray, n: float, tail: float) -> FloatArray:
    """Independent scores that those of a class with groups are worth, for each share of them.

        n / d,   d = V / (p (1 - p) / (n - 1)) >= 1,   times (t_(n-1) / t_(G-1))^2

    with V the variance of the share p between G groups and t Student's quantiles (Korn and
    Graubard 1998). Where none or all of the scores are beyond, a group counts as one score.

    Parameters
    ----------
    groups : Groups
        Of both classes; the class has groups.
    which : int
        0 for clients, 1 for impostors.
    beyond : ndarray, shape (rows of the class, k)
        1 for a score that is counted, 0 for one that is not, nan for one that is left out.
    n : float
        Trials of the class.
    tail : float
        Probability beyond each end of the interval that is to be made.
    """
    from scipy.special import stdtrit

    size = groups.sizes[which]
    if size is None or size < 2:
        return np.full(beyond.shape[1], n if size is None else 1.0)
    cut = groups.rows[0].size
    mine = (slice(cut), slice(cut, None))[which]
    share = np.nansum(beyond * groups.copies[mine, None], axis=0) / n
    parts = np.zeros((groups.first.size, beyond.shape[1]))
    parts[mine] = np.nan_to_num(beyond - share) / n
    whole, twice = (np.diag(part) for part in groups.meat(parts))
    variance = np.where(whole > twice, whole - twice, whole) * size / (size - 1.0)
    alone = share * (1.0 - share) / (n - 1.0)
    inner = (share > 0.0) & (share < 1.0)
    ratio = np.divide(alone, variance, out=np.ones(share.shape), where=variance > alone)
    found = np.where(inner, n * ratio, min(n, float(size)))
    few = float(stdtrit(n - 1.0, tail) / stdtrit(size - 1.0, tail))
    return np.asarray(found * few * few)
