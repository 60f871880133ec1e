"""How often any difference of equal systems is shown: the familywise error of `compare_systems`.

    python benchmarks/familywise_systems.py [--runs 400] [--write]

Every system's score is a trial's own quality plus noise of the system's: all are equal in truth,
and paired. A run errs where any difference is shown. The
standard error of a share p of m runs is sqrt(p (1 - p) / m), .011 at .05 and m = 400.
"""

from __future__ import annotations

import argparse

import numpy as np
from _common import report, table

import betaroc as br

#: Systems, clients and impostors of dev and of test, what varies, whether trials are paired.
CELLS = (
    (5, 100, "both", True), (5, 100, "test", True), (5, 100, "both", False),
    (3, 100, "both", True), (15, 100, "both", True),
)  # fmt: skip
REPLICATES = 400


def equal_systems(k: int, n: int, rng: np.random.Generator, *, paired: bool) -> dict[str, br.Epc]:
    """Curves of systems that differ by chance alone."""
    alpha = np.linspace(0.1, 0.9, 9)

    def trials() -> list[np.ndarray]:
        return [rng.normal(mu, 1.0, n) for mu in (1.0, -1.0, 1.0, -1.0)]

    shared, found = trials(), {}
    for j in range(k):
        own = [x + rng.normal(0.0, 0.7, n) for x in (shared if paired else trials())]
        dev, test = br.Scores(*own[:2]), br.Scores(*own[2:])
        found[f"system {j}"] = br.epc(dev, test, measure="weighted-error", alpha=alpha)
    return found


def errors(k: int, n: int, resample: str, *, paired: bool, runs: int, seed: int) -> int:
    """Runs in which a difference is shown."""
    rng = np.random.default_rng(seed)
    number = 0
    for _ in range(runs):
        result = br.compare_systems(
            equal_systems(k, n, rng, paired=paired), resample=resample, paired=paired,
            replicates=REPLICATES, rng=int(rng.integers(2**31)),
        )  # fmt: skip
        number += bool(result.shown)
    return number


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--write", action="store_true", help="write results/familywise_systems.md")
    given = parser.parse_args()
    head = ("systems", "trials of a class", "drawn", "trials", "any difference shown", "runs")
    rows = []
    for k, n, resample, paired in CELLS:
        number = errors(k, n, resample, paired=paired, runs=given.runs, seed=20)
        who = "the same" if paired else "separate"
        share = f"{number / given.runs:.4f}"
        rows.append((str(k), str(n), resample, who, share, str(given.runs)))
        note = (
            f"Level 0.95, {REPLICATES} replicates; wanted: at most .05 where both are drawn. Of"
            " test alone the statement is of these very thresholds, which dev chose more or less"
            " well: systems that are equal differ there in truth."
        )
        body = f"{note}\n\n{table(head, rows)}"
        file = "familywise_systems.md" if given.write else None
        report("Familywise error of compare_systems", body, file)


if __name__ == "__main__":
    main()
