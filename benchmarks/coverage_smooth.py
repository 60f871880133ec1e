"""Simulated coverage of the bands of curves whose test side is a fit.

    python benchmarks/coverage_smooth.py [--pairs 60] [--write] [--workers 2]

HTER against the weighted error, beta fits of n scores a class on dev and on test, alpha
.1 ... .9, 95 %. Test alone: does the interval hold the HTER of the true laws at dev's own
thresholds. Dev and test: their HTER at the thresholds that the true distributions ask for. The
whole curve counts as covered if all nine values are. The standard error of a share p of k simulated
pairs is sqrt(p (1 - p) / k), .0073 at .95 and k = 900, .0126 at k = 300.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
from _common import report, table

import betaroc as br
from betaroc.core.arrays import IntArray

ALPHAS = np.linspace(0.1, 0.9, 9)
SIZES = (30, 100, 400)
MODELS = {
    "(4, 2) v (2, 4)": (br.Beta(4.0, 2.0), br.Beta(2.0, 4.0)),
    "(2, .8) v (.8, 2)": (br.Beta(2.0, 0.8), br.Beta(0.8, 2.0)),
}
BLOCK = 25


class Kind(NamedTuple):
    """One sort of band."""

    method: str
    resample: str
    simultaneous: bool

    def __str__(self) -> str:
        sides = {"both": "dev and test", "test": "test alone"}[self.resample]
        return f"{self.method}, {sides}, {'whole curve' if self.simultaneous else 'pointwise'}"


KINDS = {
    method: [
        Kind(method, resample, whole) for whole in (False, True) for resample in ("both", "test")
    ]
    for method in ("delta", "bootstrap")
}


class Design(NamedTuple):
    """One cell of the study."""

    law: str
    n: int
    method: str
    replicates: int


def covered(design: Design, seeds: list[np.random.SeedSequence]) -> IntArray:
    """Hits of each kind of band at each alpha, summed over the seeds."""
    client, impostor = MODELS[design.law]
    truth, same = (br.ScoreModel(client, impostor) for _ in range(2))
    ideal = br.epc(truth, same, alpha=ALPHAS).value
    kinds = KINDS[design.method]
    hits = np.zeros((len(kinds), ALPHAS.size), dtype=np.int64)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", br.InfluenceWarning)
            dev, test = (
                br.fit(br.Scores(client.sample(design.n, rng), impostor.sample(design.n, rng)))
                for _ in range(2)
            )
        curve = br.epc(dev, test, alpha=ALPHAS)
        fixed = br.epc(dev, truth, alpha=ALPHAS).value
        for k, kind in enumerate(kinds):
            band = curve.band(
                resample=kind.resample,
                method=kind.method,
                simultaneous=kind.simultaneous,
                replicates=design.replicates,
                rng=int(rng.integers(2**31)),
            )
            value = fixed if kind.resample == "test" else ideal
            inside = (band.low <= value) & (value <= band.high)
            hits[k] += np.all(inside) if kind.simultaneous else inside
    return hits


def blocks(entropy: int, n: int, pairs: int) -> Iterator[list[np.random.SeedSequence]]:
    """The seeds of the simulated pairs; the same for any number of workers."""
    seeds = np.random.SeedSequence([entropy, n]).spawn(pairs)
    yield from (seeds[k : k + BLOCK] for k in range(0, pairs, BLOCK))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=900, help="a cell; a third for the bootstrap")
    parser.add_argument("--write", action="store_true", help="write results/coverage_smooth.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    pairs = {"delta": given.pairs, "bootstrap": given.pairs // 3}
    replicates = {"delta": 10_000, "bootstrap": 400}
    start = time.perf_counter()
    rows: dict[Kind, list[list[str]]] = {kind: [] for kinds in KINDS.values() for kind in kinds}
    with ProcessPoolExecutor(given.workers) as pool:
        for method, kinds in KINDS.items():
            for number, law in enumerate(MODELS):
                for n in SIZES:
                    design = Design(law, n, method, replicates[method])
                    parts = blocks(number, n, pairs[method])
                    jobs = [pool.submit(covered, design, part) for part in parts]
                    share = sum(job.result() for job in jobs) / pairs[method]
                    print(method, law, n, share[:2].round(3), share[2:, 0], file=sys.stderr)
                    for kind, values in zip(kinds, share, strict=True):
                        shown = values[:1] if kind.simultaneous else values
                        rows[kind].append([law, str(n), *(f"{v:.3f}" for v in shown)])
    minutes = (time.perf_counter() - start) / 60
    text = [
        f"95 % bands of HTER against the weighted error; simulated pairs of dev and test a line:"
        f" {pairs['delta']} (delta), {pairs['bootstrap']} (bootstrap, {replicates['bootstrap']}"
        f" replicates each). {minutes:.0f} minutes with {given.workers} worker(s)."
    ]
    for kind, lines in rows.items():
        head = ["distributions", "n a class"]
        head += ["all nine"] if kind.simultaneous else [f"{a:.1f}" for a in ALPHAS]
        text.append(f"## {str(kind).capitalize()}\n\n{table(head, lines)}")
    file = "coverage_smooth.md" if given.write else None
    report("Coverage of EPC bands of fits", "\n\n".join(text), file)


if __name__ == "__main__":
    main()
