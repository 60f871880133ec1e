"""Resampled counts: what a bootstrap of the rows does to the few cells that matter.

Rows drawn with replacement leave multinomial counts between thresholds, which are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray, IntArray

#: Replicates that share one stream of random numbers: fixed, so that no byte depends on memory.
BLOCK = 250


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
def draw_multinomial(rng: np.random.Generator, totals: IntArray, counts: IntArray) -> IntArray:
    """One multinomial row per total, of probabilities counts / sum(counts)."""
    # An empty last cell would take what rounding leaves of the probabilities.
    filled = counts > 0
    drawn = np.zeros((totals.size, counts.size), dtype=np.int64)
    share = counts[filled] / np.sum(counts)
    drawn[:, filled] = rng.multinomial(totals, share)
    return drawn


def check_fractional_weights(
    weights: FloatArray | None, name: str, purpose: str = "to be resampled"
) -> None:
    """Refuse weights that are no whole numbers of copies."""
    if weights is not None:
        rule = f"be whole numbers of copies {purpose}"
        remedy = f"Leave the {name} weights out, or repeat trials."
        checks.check_entries(weights, weights != np.floor(weights), "weights", rule, remedy)
