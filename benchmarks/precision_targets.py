"""How often a guaranteed precision is broken, and how often a threshold is found at all.

    python benchmarks/precision_targets.py [--sets 400] [--write]

Six pairs of distributions, 100 and 1000 trials per class, a target of 80 % at confidence .95: at
prevalences .05, .1 and .5 that are given, and in cohorts of twice as many trials at a prevalence
of .1 and .5 that is sampled. A set is broken where the true precision of its threshold, by the
distributions that made it and the true prevalence, is below the target; sets without a threshold
are not broken. The standard error of .05 of 400 sets is .011.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from _common import report, table
from scipy import stats

import betaroc as br
from betaroc.core.notices import suppress_warnings
from betaroc.decision.threshold_methods import HOW, Target, method_of_precision
from betaroc.model.measures import precision_of

TARGET = 0.8
PAIRS = {
    "beta(6, 2), beta(2, 8)": (stats.beta(6, 2), stats.beta(2, 8)),
    "normal, 1 apart": (stats.norm(1), stats.norm(0)),
    "normal, 2 apart": (stats.norm(2), stats.norm(0)),
    "normal, 3 apart": (stats.norm(3), stats.norm(0)),
    "t(3), 3 apart": (stats.t(3, 3), stats.t(3)),
    "log-normal, e^2 times": (stats.lognorm(1.0, scale=np.exp(2.0)), stats.lognorm(1.0)),
}
CASES = ((0.05, True), (0.1, True), (0.5, True), (0.1, False), (0.5, False))
#: Of each cell so many sets are decided by the public function too.
COMPARED = 3


def cell(name: str, n: int, prior: float, sets: int, *, known: bool) -> list[Any]:
    """A row of the table."""
    client, impostor = PAIRS[name]
    rng = np.random.default_rng([*PAIRS].index(name) * 100_000 + n * 10 + round(100 * prior))
    asked = Target("precision", TARGET, 0.95, prior=prior if known else None)
    truths = []
    for k in range(sets):
        m = n if known else int(np.clip(rng.binomial(2 * n, prior), 1, 2 * n - 1))
        x, y = (
            part.rvs(size=size, random_state=rng)
            for part, size in ((client, m), (impostor, 2 * n - m))
        )
        data = br.Scores(x, y)
        with suppress_warnings():
            method = method_of_precision(data, asked, HOW[0])
            if k < COMPARED and method.possible:
                decision = br.decide(data, precision=TARGET, prior=asked.prior)
                if decision.threshold != method.threshold:
                    raise RuntimeError(f"{name}: {decision.threshold} is not {method.threshold}")
        if method.possible:
            at = method.threshold
            truths.append(float(precision_of(prior, client.sf(at), impostor.sf(at))))
    broken = np.sum(np.array(truths) < TARGET)
    mean = f"{np.mean(truths):.3f}" if truths else "-"
    how = "given" if known else "sampled"
    return [
        name,
        str(n),
        f"{prior:g} {how}",
        f"{broken / sets:.4f}",
        f"{len(truths) / sets:.3f}",
        mean,
    ]


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    start = time.perf_counter()
    rows = [
        cell(name, n, prior, arguments.sets, known=known)
        for name in PAIRS for n in (100, 1000) for prior, known in CASES
    ]  # fmt: skip
    shares = np.array([float(row[3]) for row in rows])
    text = [
        f"{len(rows)} cells of {arguments.sets} sets, target {TARGET:g}, confidence .95. Broken: at"
        f" most {shares.max():.4f}, {shares.mean():.4f} over all cells."
        f" {(time.perf_counter() - start) / 60.0:.0f} minutes.",
        table(["distributions", "n per class", "prevalence", "broken", "answered",
               "mean precision of those answered"], rows),
    ]  # fmt: skip
    name = "precision_targets.md" if arguments.write else None
    report("Guaranteed precisions", "\n\n".join(text), name)


if __name__ == "__main__":
    main()
