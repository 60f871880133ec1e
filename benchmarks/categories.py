"""Simulated coverage of the intervals of macro and micro averages over categories.

    python benchmarks/categories.py [--sets 250]

Documents belong to each of N categories independently, with frequencies such that categories have
20 to 500 positives, or 20 each. A score is 1.8 or 4 for a member plus a normal error, whose
correlation between categories is .4: documents that are hard for one are so for others.
Thresholds have the largest F1 on one dev set and stay; test sets are drawn again. The truth is the
expected measure at these thresholds, the mean of 1000 further sets. Counted are sets whose 95 %
interval holds it, and the mean width of intervals over that of +- 1.96 true standard deviations.
The standard error of a share p of k sets is sqrt(p (1 - p) / k), .014 at .95 of 250.
"""

from __future__ import annotations

import argparse
import csv
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
from _common import RESULTS

import betaroc as br
from betaroc.decision.categories import _counts, _ends, _estimates

DOCUMENTS, TRUTHS, R = 2000, 1000, 0.4
MEASURES, AVERAGES = ("precision", "recall", "F1"), ("macro", "micro")


def drawn(
    rng: np.random.Generator, shares: np.ndarray, shift: float, r: float
) -> tuple[np.ndarray, np.ndarray]:
    """Members and scores, a row per document."""
    shape = DOCUMENTS, shares.size
    members, hard = rng.random(shape) < shares, rng.normal(size=(DOCUMENTS, 1))
    errors = np.sqrt(r) * hard + np.sqrt(1.0 - r) * rng.normal(size=shape)
    return members, shift * members + errors


def outcomes(members: np.ndarray, scores: np.ndarray, t: np.ndarray) -> np.ndarray:
    """True and false positives, false and true negatives: (4, documents, categories)."""
    accepted = scores > t
    return np.stack([accepted & members, accepted & ~members, ~accepted & members,
                     ~accepted & ~members]).astype(float)  # fmt: skip


def covered(cell: tuple[int, int, float, int]) -> list[list]:
    """Two rows: of macro and of micro averages."""
    number, most, shift, sets = cell
    rng = np.random.default_rng([number, most, int(10 * shift)])
    law = np.geomspace(20, most, number) / DOCUMENTS, shift, R
    members, scores = drawn(rng, *law)
    dev = {str(k): br.Scores.from_labels(y, s) for k, (y, s) in
           enumerate(zip(members.T, scores.T, strict=True))}  # fmt: skip
    other = {k: br.Scores(s.client + 1e-9, s.impostor) for k, s in dev.items()}
    t = br.categories(dev, other, criterion="f-measure", alpha=0.5).threshold[:number, 0]
    values = []
    for _ in range(TRUTHS):
        counts = outcomes(*drawn(rng, *law), t).sum(axis=1)[..., None]
        counts = np.concatenate([counts, counts.sum(axis=1, keepdims=True)], axis=1)
        values.append(_estimates(counts, np.nan)[:, -2:, 0])
    truth, deviation = np.mean(values, axis=0), np.std(values, axis=0)
    held, width, rows = (
        np.zeros(truth.shape),
        np.zeros(truth.shape),
        [np.arange(DOCUMENTS)] * number,
    )
    for _ in range(sets):
        parts = [x[..., None] for x in np.moveaxis(outcomes(*drawn(rng, *law), t), 2, 0)]
        counts = _counts(parts)
        estimate = _estimates(counts, np.nan)
        ends = _ends(parts, counts, estimate, rows, np.nan, 0.025)
        low, high = ends[:, :, -2:, 0]
        held += (low <= truth) & (truth <= high)
        width += (high - low) / (2.0 * 1.96 * deviation) / sets
    positives = "20 to 500" if most > 20 else "20"
    return [[number, positives, shift, sets, average, *np.round(held[:, k] / sets, 4).tolist(),
             *np.round(width[:, k], 3).tolist()] for k, average in enumerate(AVERAGES)]  # fmt: skip


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=250, help="test sets a cell")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    cells = [(*x, given.sets) for x in product((10, 100), (20, 500), (1.8, 4.0))]
    with ProcessPoolExecutor(given.workers) as pool:
        rows = [row for part in pool.map(covered, cells) for row in part]
    head = ["categories", "positives", "shift", "sets", "average",
            *(f"{x} {what}" for what in ("covered", "width") for x in MEASURES)]  # fmt: skip
    with (RESULTS / "categories.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


if __name__ == "__main__":
    main()
