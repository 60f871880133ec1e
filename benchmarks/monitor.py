"""How often a monitor raises an alarm: false ones, and how soon those of a doubled rate."""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from _common import report, table

from betaroc.decision.monitor import TIMES, log_bets

LIMIT = 0.01
#: Trials of a person, and their intraclass correlation.
SIZE, CORRELATION = 10, 0.2


def trials(rng: np.random.Generator, *parts: tuple[int, float]) -> np.ndarray:
    """Outcomes of independent trials: so many at each rate."""
    return np.concatenate([rng.random(n) < rate for n, rate in parts]).astype(float)


def persons(rng: np.random.Generator, n: int, rate: float, *, means: bool = True) -> np.ndarray:
    """The mean of each of n persons, or all of their trials."""
    total = 1 / CORRELATION - 1
    own = rng.beta(rate * total, (1 - rate) * total, n)
    errors = rng.random((n, SIZE)) < own[:, None]
    return errors.mean(axis=1) if means else errors.ravel().astype(float)


#: Name, what draws the bets, those before a change, the share to reach.
CASES = [
    ("at the limit, 100 000 trials", lambda r: trials(r, (100_000, LIMIT)), 0, "<= .05"),
    ("twice the limit from the first of 2500 trials",
     lambda r: trials(r, (2500, 2 * LIMIT)), 0, ">= .9"),
    ("10 000 trials at .7 %, then 4000 at twice the limit",
     lambda r: trials(r, (10_000, 0.007), (4000, 2 * LIMIT)), 10_000, ">= .8"),
    ("at the limit, 10 000 persons, a bet each", lambda r: persons(r, 10_000, LIMIT), 0, "<= .05"),
    ("twice the limit, 1000 persons, a bet each",
     lambda r: persons(r, 1000, 2 * LIMIT), 0, ">= .9"),
    ("at the limit, 10 000 persons, a bet per trial",
     lambda r: persons(r, 10_000, LIMIT, means=False), 0, ""),
]  # fmt: skip


def alarms(which: int, sets: int) -> np.ndarray:
    """The bet of the first alarm of each set; inf without one."""
    rng, draw = np.random.default_rng([53, which]), CASES[which][1]
    result = np.full(sets, np.inf)
    for k in range(sets):
        _, logs = log_bets(draw(rng), LIMIT, [-np.inf] * TIMES.size, 0)
        reached = logs >= np.log(20)
        if reached.any():
            result[k] = np.argmax(reached) + 1
    return result


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000, help="sequences of a case")
    parser.add_argument("--write", action="store_true", help="write results/monitor.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    rows = []
    with ProcessPoolExecutor(given.workers) as pool:
        cases = range(len(CASES))
        for (name, _, start, wanted), first in zip(
            CASES, pool.map(partial(alarms, sets=given.sets), cases), strict=True
        ):
            later = first[first > start] - start
            share = np.mean(np.isfinite(first) & (first > start))
            half = np.sort(later)[later.size // 2] if share > 0.5 else np.nan
            early = np.mean(first <= start)
            rows.append([name, wanted, f"{early:.3f}" if start else "", f"{share:.3f}",
                         "" if np.isnan(half) else f"{half:.0f}"])  # fmt: skip
            print(rows[-1], flush=True)
    head = ["sequence", "wanted", "alarm before the change", "alarm", "median bet of the alarm"]
    body = (
        "Shares of sequences in which the evidence against a limit of 1 % ever reaches 20, looked"
        f" at after every bet; {given.sets} sequences (standard error"
        f" {np.sqrt(0.05 * 0.95 / given.sets):.3f} at .05). Persons have {SIZE} trials with an"
        f" intraclass correlation of {CORRELATION} (beta-binomial)."
        f"\n\n{table(head, rows)}"
    )
    report("A monitor of a threshold", body, "monitor.md" if given.write else None)


if __name__ == "__main__":
    main()
