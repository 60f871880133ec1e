"""Simulated coverage of the bands of expected performance curves.

    python benchmarks/coverage_epc.py [--quick] [--both-pairs 400] [--write] [--workers 2]

HTER against the weighted error, n scores a class on dev and on test, alpha .1 ... .9, 95 %.
Test alone: does the interval hold the HTER that endless test scores would give at dev's own
thresholds. Dev and test: the HTER that endless scores on both sides would give. The whole curve
counts as covered if all nine values are. The standard error of a share p of k simulated pairs
is sqrt(p (1 - p) / k), .0069 at .95 and k = 1000.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from _common import report, table

import betaroc as br
from betaroc.core.arrays import IntArray

ALPHAS = np.linspace(0.1, 0.9, 9)
SIZES = (100, 300, 1000)
MODELS = {
    "normal": br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(-1.0, 1.3)),
    "beta": br.ScoreModel(br.Beta(2.0, 0.8), br.Beta(0.8, 2.0)),
}
KINDS = ("test, pointwise", "test, whole curve", "both, pointwise", "both, whole curve")
BLOCK = 25


@dataclass(frozen=True)
class Design:
    """One cell of the study."""

    law: str
    n: int
    pairs: int
    both_pairs: int
    test_replicates: int
    both_replicates: int


def covered(design: Design, seeds: list[np.random.SeedSequence], first: int) -> IntArray:
    """Hits of each kind of band at each alpha, summed over the seeds; `first` counts from 0."""
    model = MODELS[design.law]
    truth = br.ScoreModel(model.client, model.impostor, prior=0.5)
    ideal = br.epc(truth, br.ScoreModel(model.client, model.impostor), alpha=ALPHAS).value
    hits = np.zeros((len(KINDS), ALPHAS.size), dtype=np.int64)
    for number, seed in enumerate(seeds, first):
        rng = np.random.default_rng(seed)
        dev, test = (
            br.Scores(model.client.sample(design.n, rng), model.impostor.sample(design.n, rng))
            for _ in range(2)
        )
        curve = br.epc(dev, test, alpha=ALPHAS)
        fixed = br.epc(dev, truth, alpha=ALPHAS).value
        for k, kind in enumerate(KINDS):
            resample, whole = kind.split(", ")
            if resample == "both" and number >= design.both_pairs:
                continue
            replicates = design.test_replicates if k < 2 else design.both_replicates
            band = curve.band(
                resample=resample,
                simultaneous=whole == "whole curve",
                replicates=replicates,
                rng=int(rng.integers(2**31)),
            )
            value = fixed if resample == "test" else ideal
            inside = (band.low <= value) & (value <= band.high)
            hits[k] += np.all(inside) if whole == "whole curve" else inside
    return hits


def blocks(design: Design, entropy: int) -> Iterator[tuple[list[np.random.SeedSequence], int]]:
    """The seeds of the simulated pairs; the same for any number of workers."""
    seeds = np.random.SeedSequence([entropy, design.n]).spawn(design.pairs)
    yield from ((seeds[k : k + BLOCK], k) for k in range(0, design.pairs, BLOCK))


def error(pairs: int) -> str:
    """Standard error of a share of .95."""
    return f"{np.sqrt(0.95 * 0.05 / pairs):.4f}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="60 pairs a cell: 1 minute")
    parser.add_argument("--both-pairs", type=int, default=400, help="pairs of bands of both sides")
    parser.add_argument("--write", action="store_true", help="write results/coverage_epc.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    pairs, both = (60, 60) if given.quick else (max(1000, given.both_pairs), given.both_pairs)
    start = time.perf_counter()
    rows: dict[str, list[list[str]]] = {kind: [] for kind in KINDS}
    simulated = np.array([pairs, pairs, both, both])[:, None]
    with ProcessPoolExecutor(given.workers) as pool:
        for number, law in enumerate(MODELS):
            for n in SIZES:
                design = Design(law, n, pairs, both, 1000, 200)
                jobs = [pool.submit(covered, design, *block) for block in blocks(design, number)]
                share = sum(job.result() for job in jobs) / simulated
                for kind, values in zip(KINDS, share, strict=True):
                    shown = values[:1] if kind.endswith("whole curve") else values
                    rows[kind].append([law, str(n), *(f"{v:.3f}" for v in shown)])
    minutes = (time.perf_counter() - start) / 60
    parts = [
        "95 % bands of HTER against the weighted error. Test alone: 1000 replicates,"
        f" {pairs} simulated pairs of dev and test a line (standard error {error(pairs)} at .95)."
        f" Dev and test: 200 replicates, {both} pairs ({error(both)}). Normal: N(1, 1) and"
        f" N(-1, 1.3). Beta: (2, .8) and (.8, 2). {minutes:.0f} minutes, {given.workers} workers."
    ]
    for kind in KINDS:
        head = ["distribution", "n a class"]
        head += ["all nine"] if kind.endswith("whole curve") else [f"{a:.1f}" for a in ALPHAS]
        title = kind.replace("both", "dev and test").capitalize()
        parts.append(f"## {title}\n\n{table(head, rows[kind])}")
    report("Coverage of EPC bands", "\n\n".join(parts), "coverage_epc.md" if given.write else None)


if __name__ == "__main__":
    main()
