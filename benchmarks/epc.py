"""Speed of expected performance curves, their bands and their comparison, as ratios.

    python benchmarks/epc.py [--write]

All cases of a table are timed in turn, round after round; medians. Peers that are not installed
are a line that says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from _common import Goal, command, file_of, medians, table, version

import betaroc as br
from betaroc.core.arrays import FloatArray
from betaroc.model.criteria import CRITERIA

Case = Callable[[], object]

ALPHAS = 101
CURVE_SIZE = 50_000
CLIENTS, IMPOSTORS = 7_000, 56_573
REPLICATES = 10_000
ROWS_TIMED = 40
#: Replicates in which thresholds are chosen again.
CHOSEN_AGAIN = 1_000
WEIGHTED = "weighted-error"
WHY_SORT = "beside a fast np.sort fresh memory and calls from Python count"
WHY_JOINT = "all alphas are drawn together, which their average and the band need"
WHY_PEER = "fresh memory and calls from Python take half of our time"


# --------------------------------------------------------------------------------- curves
def plain_curve(
    dev_client: FloatArray, dev_impostor: FloatArray, client: FloatArray, impostor: FloatArray
) -> FloatArray:
    """Algorithm 1 of IDIAP-RR 03-85 in numpy: rates once, one argmin an alpha; HTER on test."""
    places = np.sort(np.concatenate([dev_client, dev_impostor]))
    frr = np.searchsorted(np.sort(dev_client), places, side="right") / dev_client.size
    far = 1.0 - np.searchsorted(np.sort(dev_impostor), places, side="right") / dev_impostor.size
    values = []
    for alpha in np.linspace(0.0, 1.0, ALPHAS):
        t = places[np.argmin(alpha * far + (1.0 - alpha) * frr)]
        values.append(0.5 * (np.mean(impostor > t) + np.mean(client <= t)))
    return np.array(values)


def curve_cases() -> dict[str, Case]:
    """Every criterion from raw arrays to test values, and what it is compared with."""
    rng = np.random.default_rng(1)
    dev_client, client = rng.normal(1.0, 1.0, (2, CURVE_SIZE))
    dev_impostor, impostor = rng.normal(-1.0, 1.2, (2, CURVE_SIZE))

    def ours(criterion: str) -> Case:
        def case() -> object:
            dev, test = br.Scores(dev_client, dev_impostor), br.Scores(client, impostor)
            return br.epc(dev, test, criterion=criterion).value

        return case

    cases: dict[str, Case] = {
        "np.sort": lambda: (np.sort(dev_client), np.sort(dev_impostor)),
        "plain numpy loop": lambda: plain_curve(dev_client, dev_impostor, client, impostor),
    }
    if version("bob.measure"):
        import bob.measure

        cases["bob.measure.epc"] = lambda: bob.measure.epc(
            dev_impostor, dev_client, impostor, client, ALPHAS
        )
    return cases | {name: ours(name) for name, c in CRITERIA.items() if not c.single}


def curves() -> tuple[str, list[Goal]]:
    """The table of curves, and its goals."""
    seconds = medians(curve_cases(), rounds=15)
    sort, bob = seconds["np.sort"], seconds.get("bob.measure.epc")
    goals = {
        name: Goal(
            f"EPC, {name}", "np.sort(dev)", value / sort, 5.0 if name == WEIGHTED else 10.0,
            why=WHY_SORT,
        )
        for name, value in seconds.items() if name in CRITERIA
    }  # fmt: skip
    rows = []
    for name, value in seconds.items():
        rows.append(
            [
                name,
                f"{1e3 * value:.2f}",
                f"{value / sort:.1f}",
                f"{goals[name].wanted}: {goals[name].verdict}" if name in goals else "",
                "" if bob is None else f"{bob / value:.1f}",
            ]
        )
    if bob is None:
        rows.append(["bob.measure.epc", "not installed", "", "", ""])
    text = table(["case", "ms", "over np.sort(dev)", "goal", "bob.measure's time over this"], rows)
    peers = {"plain numpy loop": 10.0, "bob.measure.epc": 20.0}
    faster = [
        Goal(
            "EPC, weighted-error", name, seconds.get(name, math.nan) / seconds[WEIGHTED],
            at_least=least, why=WHY_PEER,
        )
        for name, least in peers.items()
    ]  # fmt: skip
    said = [
        f"{g.measured or '?'} times faster than {g.peer} (goal {g.at_least:g}: {g.verdict})"
        for g in faster
    ]
    return f"{text}\n\nWeighted error: {'; '.join(said)}.", [*goals.values(), *faster]


# --------------------------------------------------------------------- bands, comparisons
def cells_of(scores: FloatArray, thresholds: FloatArray) -> tuple[Any, Any, int]:
    """The cell of every row, the place of each threshold, the number of cells."""
    distinct, place = np.unique(thresholds, return_inverse=True)
    return np.searchsorted(distinct, scores, side="left"), place, distinct.size + 1


def row_bootstrap(curves: list[br.Epc], rng: np.random.Generator) -> Case:
    """ROWS_TIMED replicates of HTER (of the difference of two curves) by drawing rows."""
    sides = [
        [cells_of(x, e.threshold) for x in (e.test_scores.client, e.test_scores.impostor)]
        for e in curves
    ]
    sizes = (CLIENTS, IMPOSTORS)

    def case() -> object:
        values = np.empty((ROWS_TIMED, ALPHAS))
        for r in range(ROWS_TIMED):
            rows = [rng.integers(n, size=n) for n in sizes]
            hter = []
            for of_curve in sides:
                frr, tnr = (
                    np.cumsum(np.bincount(cells[drawn], minlength=count))[place] / n
                    for (cells, place, count), drawn, n in zip(of_curve, rows, sizes, strict=True)
                )
                hter.append(0.5 * (1.0 - tnr + frr))
            values[r] = hter[0] if len(hter) == 1 else hter[0] - hter[1]
        return values

    return case


def large_curves() -> tuple[br.Epc, br.Epc]:
    """Two systems on 63 573 test trials."""
    rng = np.random.default_rng(2)
    dev_client, dev_impostor = rng.normal(1.0, 1.0, 5_000), rng.normal(-1.0, 1.2, 20_000)
    client, impostor = rng.normal(1.0, 1.1, CLIENTS), rng.normal(-1.0, 1.2, IMPOSTORS)
    made = []
    for noise in (0.0, 0.5):
        sides = (
            x + noise * rng.normal(size=x.size)
            for x in (dev_client, dev_impostor, client, impostor)
        )
        a, b, c, d = sides
        made.append(br.epc(br.Scores(a, b), br.Scores(c, d)))
    return made[0], made[1]


def bootstraps() -> tuple[str, list[Goal]]:
    """The table of bands and comparisons, and its goals."""
    one, other = large_curves()
    rng = np.random.default_rng(3)
    cases: dict[str, Case] = {
        "rows": row_bootstrap([one], rng),
        "pointwise band of test": lambda: one.band(resample="test", replicates=REPLICATES, rng=1),
        "simultaneous band of test": lambda: one.band(
            resample="test", replicates=REPLICATES, simultaneous=True, rng=1
        ),
        "paired rows": row_bootstrap([one, other], rng),
        "paired comparison": lambda: br.compare(
            one, other, resample="test", replicates=REPLICATES, rng=1
        ),
    }
    seconds = medians(cases, rounds=5)
    for name in ("rows", "paired rows"):
        seconds[name] *= REPLICATES / ROWS_TIMED
    rows, goals = [], []
    for name, value in seconds.items():
        reference = "paired rows" if name.startswith("paired") else "rows"
        if name.endswith("rows"):
            rows.append([f"{name}, {ROWS_TIMED} timed, extrapolated", f"{value:.2f}", "1", ""])
            continue
        why = WHY_JOINT if name.startswith("paired") else ""
        goal = Goal(f"EPC, {name}", reference, seconds[reference] / value, at_least=20.0, why=why)
        goals.append(goal)
        rows.append([name, f"{value:.2f}", f"{goal.ratio:.1f}", f">= 20: {goal.verdict}"])
    head = ["case", f"s for {REPLICATES} replicates", "times faster than its rows", "goal"]
    return table(head, rows), goals


def comparisons() -> tuple[str, list[Goal]]:
    """Seconds of comparisons that draw dev and choose again, by dev and test scores."""
    rng = np.random.default_rng(4)
    cases: dict[str, Case] = {}
    for a_class in (750, 1500):
        truth = [rng.normal(mu, 1.0, a_class) for _ in range(2) for mu in (1.0, -1.0)]
        made = []
        for _ in range(2):
            c, i, tc, ti = (x + rng.normal(0.0, 0.6, x.size) for x in truth)
            made.append(br.epc(br.Scores(c, i), br.Scores(tc, ti), measure=WEIGHTED))
        cases[f"{2 * a_class} ({a_class} a class)"] = lambda two=tuple(made): br.compare(
            *two, replicates=CHOSEN_AGAIN, rng=1
        )
    seconds = medians(cases, rounds=9)
    goals = [
        Goal(f"compare, dev and test {name}", "", value, at_most=0.5, unit="s")
        for name, value in seconds.items()
    ]
    rows = [
        [name, f"{g.ratio:.3f}", f"<= 0.5: {g.verdict}"]
        for name, g in zip(cases, goals, strict=True)
    ]
    return table(["scores on dev, and on test", "s", "goal"], rows), goals


def run() -> tuple[str, list[Goal]]:
    """The tables, and the goals."""
    (of_curves, curve_goals), (of_bands, band_goals) = curves(), bootstraps()
    of_two, two_goals = comparisons()
    body = (
        f"## Curves: {2 * CURVE_SIZE} dev and {2 * CURVE_SIZE} test scores, {ALPHAS} alphas\n\n"
        "From arrays to HTER on test, sorting included. np.sort(dev): both dev classes of random"
        f" doubles.\n\n{of_curves}\n\n"
        f"## Bands and comparisons: {CLIENTS} + {IMPOSTORS} test scores, {ALPHAS} alphas\n\n"
        "Rows: drawn with replacement and counted by np.bincount in cells found beforehand;"
        f" quantiles not included.\n\n{of_bands}\n\n"
        f"## Comparison of two systems: {CHOSEN_AGAIN} replicates of dev and test, {ALPHAS} alphas"
        f"\n\n{of_two}"
    )
    return body, curve_goals + band_goals + two_goals


def main(write: bool | None = None) -> list[Goal]:
    """Print the tables."""
    return command(__doc__, "Expected performance curves: speed", file_of("epc"), run, write)


if __name__ == "__main__":
    main()
