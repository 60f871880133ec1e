"""Trials that depend on each other: what each depends on, and sums over these."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, AnyArray, FloatArray, IntArray
from betaroc.core.errors import refusal
from betaroc.data.scores import ScoreData, Scores

#: Negative eigenvalues down to this share of the largest are rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class BareTrials:
    """Trials of both classes where there are no Scores: what `Groups` ask of these."""

    client: FloatArray
    impostor: FloatArray
    client_weights: FloatArray | None = None
    impostor_weights: FloatArray | None = None
    client_groups: AnyArray | None = None
    impostor_groups: AnyArray | None = None


#: What holds single trials.
ScoredTrials = Scores | BareTrials


@dataclass(frozen=True, eq=False)
class Groups:
    """The rows of one side, clients first, and the units that they depend on.

    A unit is a label of the groups, or a trial of a class without groups.

    Parameters
    ----------
    rows : tuple of ndarray of int
        Places of the clients and impostors of positive weight.
    first, second : ndarray of int, shape (n,)
        The units of each row; `second` is -1 where there is only one.
    copies, multiplicity : ndarray
        Trials of each row that belong to its units; independent units that one number stands for.
    role : ndarray of int, shape (units,)
        Bit 2 class + column for each place where the unit occurs.
    sizes : tuple
        Labels in each class, of two columns the fewer; None without groups.
    """

    rows: tuple[IntArray, IntArray]
    first: IntArray
    second: IntArray
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

    def stratum(self) -> IntArray:
        """The number of the stratum of each unit: its columns and classes."""
        return np.asarray(np.unique(self.role, return_inverse=True)[1])

    def meat(
        self, contributions: Any, stratum: IntArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Two sums, whose difference sums products of contributions of trials that share a unit.

            sum_u S_u S_u',   sum_{u < v} S_uv S_uv'

        with S_u the sum over the trials of unit u, S_uv over those of both; within strata the S_u
        less their mean.
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

    def covariance(self, client: FloatArray, impostor: FloatArray) -> FloatArray:
        """Of sums over all trials, the clients' first; each class has columns of its own."""
        (one, other), (of_client, of_impostor) = self.factors(), self.rows
        cut, k = of_client.size, client.shape[1]
        both = np.zeros((self.first.size, k + impostor.shape[1]))
        both[:cut, :k], both[cut:, k:] = one * client[of_client], other * impostor[of_impostor]
        return ensure_psd(*self.meat(both))

    def factors(self) -> tuple[float, float]:
        """sqrt(G / (G - 1)) of each class with groups, 1 of one without."""
        result = []
        for size, who in zip(self.sizes, CLASSES, strict=True):
            if size == 1:
                rule, actual = "have at least 2 groups for a variance between groups", "one label"
                remedy = "Take groups=False if these trials do not depend on each other."
                raise refusal(f"the {who} class", rule, actual, remedy)
            result.append(1.0 if size is None else (size / (size - 1.0)) ** 0.5)
        return result[0], result[1]


def _matrix(row: IntArray, column: IntArray, value: FloatArray, shape: Any) -> Any:
    from scipy.sparse import csr_array

    return csr_array((value, (row, column)), shape=shape)


def _dense(matrix: Any) -> FloatArray:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


def ensure_psd(whole: FloatArray, twice: FloatArray) -> FloatArray:
    """whole - twice where that is a covariance matrix; else `whole`, which always is."""
    difference = whole - twice
    known = np.isfinite(difference).all(axis=(-2, -1), keepdims=True)
    difference = np.where(known, difference, np.nan)
    values = np.linalg.eigvalsh(np.where(known, difference, 0.0))
    return np.where(values[..., :1, None] < -_ROUNDING * values[..., -1:, None], whole, difference)


# ------------------------------------------------------------------------------ from scores
def groups_of(scores: ScoredTrials | ScoreData | None) -> Groups | None:
    """What the trials of both classes depend on; None where neither class has groups."""
    if not isinstance(scores, Scores | BareTrials):
        return None
    value = [scores.client_groups, scores.impostor_groups]
    return None if value[0] is None and value[1] is None else _of(scores, value)


def units_of(scores: ScoredTrials, *, groups: bool = True) -> Groups:
    """What varies by itself: groups if there are some and `groups`, else trials."""
    result = groups_of(scores) if groups else None
    return _of(scores, [None, None]) if result is None else result


def _of(scores: ScoredTrials, value: list[AnyArray | None]) -> Groups:
    weights = [weights_of(scores, who) for who in CLASSES]
    rows = [np.flatnonzero(w > 0.0) for w in weights]
    columns = [
        [] if g is None else list(g[r].T if g.ndim == 2 else g[None, r])
        for g, r in zip(value, rows, strict=True)
    ]
    codes, total = _numbered([c for part in columns for c in part])
    sizes: list[int | None] = []
    first, second, copies = [], [], []
    role, multiplicity = [np.zeros(total, dtype=np.int64)], [np.ones(total)]
    for which, part in enumerate(columns):
        weight = weights[which][rows[which]]
        if part:
            mine, codes = codes[: len(part)], codes[len(part) :]
            for column, code in enumerate(mine):
                role[0][code] |= 1 << (2 * which + column)
            copies.append(weight)
            sizes.append(min(np.unique(code).size for code in mine))
        else:
            mine = [total + np.arange(weight.size)]
            copies.append(np.ones(weight.size))
            role.append(np.full(weight.size, 1 << (2 * which)))
            multiplicity.append(weight)
            total += weight.size
            sizes.append(None)
        first.append(mine[0])
        second.append(np.where(mine[-1] == mine[0], -1, mine[-1]))
    return Groups(
        (rows[0], rows[1]), np.concatenate(first), np.concatenate(second), np.concatenate(copies),
        np.concatenate(multiplicity), np.concatenate(role), (sizes[0], sizes[1]),
    )  # fmt: skip


def weights_of(trials: Any, who: str) -> FloatArray:
    """Weights of the rows of one class, of one or several systems; ones where there are none."""
    weights = getattr(trials, f"{who}_weights")
    return np.ones(len(getattr(trials, who))) if weights is None else np.asarray(weights)


def _numbered(arrays: list[AnyArray]) -> tuple[list[IntArray], int]:
    import pandas as pd

    if not arrays:
        return [], 0
    labels = np.concatenate([array.astype(object) for array in arrays])  # 1 is not "1"
    numbers, names = pd.factorize(labels, sort=True)
    return np.split(numbers, np.cumsum([array.size for array in arrays])[:-1]), len(names)


def correlation_of(covariance: FloatArray) -> float:
    """Of two numbers; 0 where one of them does not vary."""
    scale = math.sqrt(max(float(covariance[0, 0] * covariance[1, 1]), 0.0))
    return max(-1.0, min(1.0, float(covariance[0, 1]) / scale)) if scale > 0.0 else 0.0


def check_few(scores: Scores, name: str, purpose: str) -> None:
    """A class of one trial does not vary."""
    for who in CLASSES:
        total = float(getattr(scores, f"{who}_total"))
        if total < 2.0:
            rule = f"hold two or more trials of each class {purpose}"
            raise refusal(name, rule, f"{total:g} {who} trials", "Give more.")


def check_one_group(scores: Scores, name: str) -> None:
    """Refuse a class whose trials are all in one group."""
    for who in CLASSES:
        groups = getattr(scores, f"{who}_groups")
        if groups is not None and any(np.unique(c).size < 2 for c in np.atleast_2d(groups.T)):
            rule, remedy = "hold two or more groups of each class to vary", "Take groups=False."
            raise refusal(name, rule, f"one of all {who} trials", remedy)
