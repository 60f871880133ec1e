"""Trials of one side drawn again: how often each of its rows is drawn in each replicate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from betaroc.core.arrays import AnyArray, FloatArray, IntArray
from betaroc.core.resampling import draw_multinomial
from betaroc.data.groups import Groups, ScoredTrials, weights_of

#: Copies are drawn one by one up to this many a row, as counts of the rows beyond.
_COPIES_A_ROW = 4
_CLASSES = ("client", "impostor")
Counts = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """The rows of a side, drawn with replacement in each class or by groups as wholes.

    Parameters
    ----------
    copies : tuple of ndarray of int
        Copies that each row of the clients and of the impostors stands for.
    groups : Groups, optional
        What the trials are grouped by; then class sizes vary.
    """

    copies: Counts
    groups: Groups | None = None

    @classmethod
    def of(cls, trials: ScoredTrials, groups: Groups | None) -> DrawnRows:
        """The rows of scores, or of what stands for them."""
        client, impostor = (
            np.rint(weights_of(trials, who)).astype(np.int64) for who in _CLASSES
        )  # fmt: skip
        return cls((client, impostor), groups)

    @property
    def size(self) -> int:
        """Rows of both classes."""
        return self.copies[0].size + self.copies[1].size

    @property
    def units(self) -> tuple[int, int]:
        """Trials, or groups of them, of each class."""
        found = [int(np.sum(copies)) for copies in self.copies]
        if self.groups is not None:
            sizes = zip(self.groups.sizes, found, strict=True)
            found = [own if grouped is None else grouped for grouped, own in sizes]
        return found[0], found[1]

    def draw(self, rng: np.random.Generator, size: int) -> Counts:
        """How often each row is drawn, a row a replicate, of clients and of impostors."""
        if self.groups is None:
            client, impostor = (_copies(rng, size, copies) for copies in self.copies)
            return client, impostor
        drawn = self._of_groups(self.groups, rng, size)
        cut = self.groups.rows[0].size
        parts = []
        for copies, rows, own in zip(
            self.copies, self.groups.rows, (drawn[:, :cut], drawn[:, cut:]), strict=True
        ):
            part = np.zeros((size, copies.size), dtype=np.int64)
            part[:, rows] = own
            parts.append(part)
        return parts[0], parts[1]

    @staticmethod
    def _of_groups(groups: Groups, rng: np.random.Generator, size: int) -> IntArray:
        stratum, alike = groups.stratum(stratified=True), np.rint(groups.multiplicity)
        units = np.ones((size, alike.size + 1), dtype=np.int64)  # the last: no second unit
        for number in range(int(stratum.max()) + 1):
            places = np.flatnonzero(stratum == number)
            units[:, places] = _copies(rng, size, alike[places].astype(np.int64))
        drawn = units[:, groups.first] * units[:, groups.second]
        return np.asarray(drawn * np.rint(groups.copies).astype(np.int64))


def _copies(rng: np.random.Generator, size: int, copies: IntArray) -> IntArray:
    """How often each of some rows is drawn if all their copies are, a row a replicate."""
    total, n = int(np.sum(copies)), copies.size
    if total > _COPIES_A_ROW * n:
        return draw_multinomial(rng, np.full(size, total), copies)
    rows: AnyArray = rng.integers(total, size=(size, total), dtype=np.int32)
    if total != n or np.any(copies != 1):
        rows = np.repeat(np.arange(n), copies)[rows]
    flat = (rows + n * np.arange(size)[:, None]).ravel()
    return np.bincount(flat, minlength=size * n).reshape(size, n)


@dataclass(frozen=True, eq=False)
class SortedRows:
    """The rows of both classes, those of positive weight, by ascending scores.

    Parameters
    ----------
    order : tuple of ndarray of int
        Places of the rows among those of the side.
    scores : tuple of ndarray
        Their scores.
    """

    order: tuple[IntArray, IntArray]
    scores: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, trials: ScoredTrials) -> SortedRows:
        """The rows of scores, or of what stands for them."""
        orders, scores = [], []
        for who in _CLASSES:
            values = np.asarray(getattr(trials, who))
            order = np.argsort(values, kind="stable")
            order = order[weights_of(trials, who)[order] > 0.0]
            orders.append(order)
            scores.append(values[order])
        return cls((orders[0], orders[1]), (scores[0], scores[1]))

    def sorted_counts(self, drawn: Counts) -> Counts:
        """What was drawn, in the order of the scores."""
        client, impostor = (
            np.take(part, order, axis=1) for part, order in zip(drawn, self.order, strict=True)
        )
        return client, impostor

    def errors(self, drawn: Counts, theta: FloatArray) -> tuple[IntArray, IntArray, Counts]:
        """Clients rejected and impostors accepted at thresholds of each replicate, class sizes.

        Parameters
        ----------
        drawn : tuple of ndarray of int
            How often each row of the side was drawn, a row a replicate.
        theta : ndarray, shape (replicates, k)
            Accepted is what is greater.
        """
        first = np.ones(theta.shape, dtype=np.bool_)
        first[:, 1:] = theta[:, 1:] != theta[:, :-1]  # neighbours often share a threshold
        distinct, place = theta[first], np.cumsum(first).reshape(theta.shape) - 1
        row = np.nonzero(first)[0]
        found, sizes = [], []
        for scores, part in zip(self.scores, self.sorted_counts(drawn), strict=True):
            below = counts_below(part)
            at = np.searchsorted(scores, distinct, side="right")
            found.append(below[row, at][place])
            sizes.append(below[:, -1])
        return found[0], sizes[1][:, None] - found[1], (sizes[0], sizes[1])


def counts_below(drawn: IntArray) -> IntArray:
    """0, then the running sums of each row."""
    below = np.zeros((drawn.shape[0], drawn.shape[1] + 1), dtype=np.int64)
    np.cumsum(drawn, axis=1, out=below[:, 1:])
    return below
