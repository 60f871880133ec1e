"""Resampled counts: what a bootstrap of the rows does to the few cells that matter.

Rows drawn with replacement leave multinomial counts between the distinct
thresholds of a curve; only these are drawn, never the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import InputError

#: Replicates that share one stream of random numbers: fixed, so that no byte depends on memory.
BLOCK = 250
#: Rows are drawn one by one up to this many a distinct score, counts beyond.
_ROWS_A_CELL = 4


# --------------------------------------------------------------------------- randomness
def streams(replicates: int, rng: Any) -> Iterator[tuple[slice, np.random.Generator]]:
    """Each block of replicates with a generator of its own."""
    seed = seed_sequence(rng)
    for number, start in enumerate(range(0, replicates, BLOCK)):
        child = np.random.SeedSequence(
            seed.entropy, spawn_key=(*seed.spawn_key, number), pool_size=seed.pool_size
        )
        yield slice(start, min(start + BLOCK, replicates)), np.random.default_rng(child)


def seed_sequence(rng: Any) -> np.random.SeedSequence:
    """Where the streams of a source of randomness come from."""
    rng = checks.randomness(rng)
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(rng.integers(2**63, size=4).tolist())
    return np.random.SeedSequence(rng)


# --------------------------------------------------------------------------- counts
@dataclass(frozen=True)
class Cells:
    """The scores of one class between the distinct thresholds of a curve.

    Parameters
    ----------
    counts : ndarray of int
        Scores in each cell, ascending: one cell more than distinct thresholds.
    place : ndarray of int
        For each threshold the last cell at or below it.
    """

    counts: IntArray
    place: IntArray

    @property
    def total(self) -> int:
        """Number of scores."""
        return int(np.sum(self.counts))

    def draw(self, rng: np.random.Generator, totals: IntArray) -> IntArray:
        """Scores at or below each threshold, a row for each total."""
        drawn = draw_multinomial(rng, totals, self.counts)
        return np.asarray(np.cumsum(drawn, axis=1)[:, self.place])


def draw_multinomial(rng: np.random.Generator, totals: IntArray, counts: IntArray) -> IntArray:
    """One multinomial row for each total, with probabilities counts / sum(counts)."""
    # An empty last cell would take what rounding leaves of the probabilities.
    filled = counts > 0
    drawn = np.zeros((totals.size, counts.size), dtype=np.int64)
    share = counts[filled] / np.sum(counts)
    drawn[:, filled] = rng.multinomial(totals, share)
    return drawn


def class_sizes(
    rng: np.random.Generator, size: int, clients: int, impostors: int, *, stratified: bool
) -> tuple[IntArray, IntArray]:
    """Class sizes of the replicates: fixed, or as rows of both classes fall."""
    total = clients + impostors
    if stratified:
        drawn = np.full(size, clients, dtype=np.int64)
    else:
        drawn = np.asarray(rng.binomial(total, clients / total, size), dtype=np.int64)
    return drawn, total - drawn


def draw_counts(rng: np.random.Generator, below: FloatArray, size: int) -> IntArray:
    """How many of `size` scores drawn with replacement fall into each cell.

    `below` are the scores in lower cells, and of all.
    """
    total, cells = round(below[-1]), below.size - 1
    if size > _ROWS_A_CELL * cells:
        whole = np.rint(below).astype(np.int64)
        return np.asarray(draw_multinomial(rng, np.array([size]), whole[1:] - whole[:-1])[0])
    rows = rng.integers(total, size=size)
    single = cells == total  # the row is its cell
    drawn = rows if single else np.searchsorted(below, rows, side="right") - 1
    return np.bincount(drawn, minlength=cells)


def refuse_fractional_weights(
    weights: FloatArray | None, name: str, purpose: str = "to be resampled"
) -> None:
    """Only frequencies, whole numbers of copies, can be counted and drawn."""
    if weights is None:
        return
    bad = np.flatnonzero(weights != np.floor(weights))
    if bad.size:
        raise InputError.about("weights")(
            f"weights must be whole numbers of copies {purpose}; {bad.size} of"
            f" {weights.size} {name} weights are not, first"
            f" {float(weights[bad[0]])!r} at index {bad[0]}. Leave the weights out, or repeat"
            " trials."
        )
