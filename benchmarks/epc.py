"""Speed of expected performance curves, their bands and their comparison, as ratios.

    python benchmarks/epc.py [--write]

All cases of a table are timed in turn, round after round; medians. Peers that are not installed
are a line that says so.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from _common import medians, report, table, version

import betaroc as br
from betaroc.criteria import CRITERIA

FloatArray = npt.NDArray[np.float64]
Case = Callable[[], object]

ALPHAS = 101
CURVE_SIZE = 50_000
CLIENTS, IMPOSTORS = 7_000, 56_573
REPLICATES = 10_000
ROWS_TIMED = 40


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


def curves() -> str:
    """The table of curves."""
    seconds = medians(curve_cases(), rounds=15)
    sort, bob = seconds["np.sort"], seconds.get("bob.measure.epc")
    rows = []
    for name, value in seconds.items():
        goal = {"weighted-error": 5.0}.get(name, 10.0) if name in CRITERIA else None
        rows.append(
            [
                name,
                f"{1e3 * value:.2f}",
                f"{value / sort:.1f}",
                "" if goal is None else f"<= {goal:.0f}: {met(value <= goal * sort)}",
                "" if bob is None else f"{bob / value:.1f}",
            ]
        )
    if bob is None:
        rows.append(["bob.measure.epc", "not installed", "", "", ""])
    text = table(["case", "ms", "over np.sort(dev)", "goal", "bob.measure's time over this"], rows)
    ours = seconds["weighted-error"]
    peers = {"the plain numpy loop": (seconds["plain numpy loop"], 10.0)}
    if bob is not None:
        peers["bob.measure.epc"] = (bob, 20.0)
    faster = [
        f"{value / ours:.1f} times faster than {name} (goal {goal:.0f}:"
        f" {met(value >= goal * ours)})"
        for name, (value, goal) in peers.items()
    ]
    return f"{text}\n\nWeighted error: {', '.join(faster)}."


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


def bootstraps() -> str:
    """The table of bands and comparisons."""
    one, other = large_curves()
    rng = np.random.default_rng(3)
    cases: dict[str, Case] = {
        "rows": row_bootstrap([one], rng),
        "pointwise band of test": lambda: one.band(resample="test", replicates=REPLICATES, rng=1),
        "simultaneous band of test": lambda: one.band(
            resample="test", replicates=REPLICATES, simultaneous=True, rng=1
        ),
        "paired rows": row_bootstrap([one, other], rng),
        "paired comparison": lambda: br.compare(one, other, replicates=REPLICATES, rng=1),
    }
    seconds = medians(cases, rounds=5)
    for name in ("rows", "paired rows"):
        seconds[name] *= REPLICATES / ROWS_TIMED
    rows = []
    for name, value in seconds.items():
        reference = seconds["paired rows" if name.startswith("paired") else "rows"]
        drawn = name.endswith("rows")
        rows.append(
            [
                f"{name}, {ROWS_TIMED} timed, extrapolated" if drawn else name,
                f"{value:.2f}",
                "1" if drawn else f"{reference / value:.1f}",
                "" if drawn else f">= 20: {met(reference >= 20 * value)}",
            ]
        )
    return table(
        ["case", f"s for {REPLICATES} replicates", "times faster than its rows", "goal"], rows
    )


def met(reached: bool) -> str:
    """A word for the last column."""
    return "met" if reached else "missed"


def main(write: bool | None = None) -> None:
    """Print both tables."""
    if write is None:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--write", action="store_true", help="write results/epc*.md")
        write = parser.parse_args().write
    body = (
        f"## Curves: {2 * CURVE_SIZE} dev and {2 * CURVE_SIZE} test scores, {ALPHAS} alphas\n\n"
        "From arrays to HTER on test, sorting included. np.sort(dev): both dev classes of random"
        f" doubles.\n\n{curves()}\n\n"
        f"## Bands and comparisons: {CLIENTS} + {IMPOSTORS} test scores, {ALPHAS} alphas\n\n"
        "Rows: drawn with replacement and counted by np.bincount in cells found beforehand;"
        f" quantiles not included.\n\n{bootstraps()}"
    )
    switched = os.environ.get("NPY_DISABLE_CPU_FEATURES")
    name = "epc_avx2.md" if switched else "epc.md"
    report("Expected performance curves: speed", body, name if write else None)


if __name__ == "__main__":
    main()
