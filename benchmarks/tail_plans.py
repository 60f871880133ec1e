"""How wide intervals are whose number of scores was planned by tails (`method="tail"`).

    python benchmarks/tail_plans.py [--sets 400] [--write]

Score sets of the planned size are drawn, fitted with tails, and their intervals measured.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from _common import report, table

import betaroc as br

MODEL = br.ScoreModel(br.Beta(6, 2), br.Beta(2, 8))
PLANS = (
    ("far", {"threshold": 0.64}, 0.004), ("threshold", {"far": 1e-3}, 0.15),
    ("tnr", {"threshold": 0.665}, 0.003), ("frr", {"threshold": 0.3}, 0.01),
    ("threshold", {"frr": 0.01}, 0.1),
)  # fmt: skip


def measured(stat: str, point: dict[str, float], n: tuple[int, int], sets: int) -> np.ndarray:
    """Widths of the intervals of simulated score sets."""
    rng, widths = np.random.default_rng(3), []
    for _ in range(sets):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", br.errors.BetarocWarning)
            tails = {"impostor": "upper", "client": "lower"}
            scores = MODEL.sample(*n, rng=rng)
            fit = br.fit(scores, "empirical", tails=tails)
            try:
                found = fit.interval(stat, method="integrated", **point)
            except br.errors.InputError:  # no tail answers
                found = br.interval(scores, stat, **point)
        widths.append(found.high - found.low)
    return np.array(widths)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--write", action="store_true", help="write results/tail_plans.md")
    given = parser.parse_args()
    rows = []
    for stat, point, width in PLANS:
        plan = br.plan_sample_size(stat, model=MODEL, width=width, method="tail", **point)
        n = (plan.n_client, plan.n_impostor)
        ratio = measured(stat, point, n, given.sets) / plan.width
        error = ratio.std(ddof=1) / given.sets**0.5
        where = "".join(f"@{key}={value:g}" for key, value in point.items())
        rows.append((stat + where, *map(str, n), f"{ratio.mean():.3f}", f"{error:.3f}"))
    head = ("planned", "client", "impostor", "mean width over planned", "error")
    note = f"Beta(6, 2) v Beta(2, 8), {given.sets} sets a line."
    file = "tail_plans.md" if given.write else None
    report("Widths of intervals planned by tails", f"{note}\n\n{table(head, rows)}", file)


if __name__ == "__main__":
    main()
