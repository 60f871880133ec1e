"""A study of many beta fits against the same loop over scipy's fits.

Shapes from a Sobol sequence, one sample of each class in every cell, both classes fitted. Two
figures: the fits and statistics alone, from samples that are there; and everything, with sampling
and, for `Study`, the Parquet parts on disk.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from _common import Goal, command, medians, table
from scipy import stats

import betaroc as br
from betaroc.studies.study import fit_together
from betaroc.studies.trials import Trial, cell_spec

CELLS, SCORES, BLOCK = 10_000, 1000, 313
#: Cells that slow cases do, extrapolated.
SOME = 500
SHAPES = ("a_c", "b_c", "a_i", "b_i")
ASKED = ["fit.client-a", "fit.client-b", "fit.impostor-a", "fit.impostor-b", "fit.auc"]


def design() -> br.Design:
    """The cells."""
    shapes = br.Design.sobol(dict.fromkeys(SHAPES, (0.5, 10.0, "log")), 16_384, rng=1)
    columns = tuple(column[:CELLS] for column in shapes.columns)
    return br.Design(shapes.names, columns) * br.Design.grid({"n": SCORES})


def samples(cells: list[dict[str, Any]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """What a loop of one's own would draw."""
    rng = np.random.default_rng(1)
    return [
        (rng.beta(c["a_c"], c["b_c"], c["n"]), rng.beta(c["a_i"], c["b_i"], c["n"])) for c in cells
    ]


def by_scipy(pairs: list[tuple[np.ndarray, np.ndarray]]) -> list[list[float]]:
    """The loop over scipy's fits."""
    return [[v for x in pair for v in stats.beta.fit(x, floc=0, fscale=1)[:2]] for pair in pairs]


def by_ours(pairs: list[tuple[np.ndarray, np.ndarray]]) -> list[tuple[float, ...]]:
    """The loop over `fit_distribution`, one sample after another."""
    return [tuple(br.fit_distribution(x).params.values()) for pair in pairs for x in pair]


def in_batches(blocks: list[list[Trial]], *, areas: bool) -> None:
    """The study's fits, from samples that the trials hold already, and the areas."""
    for trials in blocks:
        fit_together(trials)
        if areas:
            br.beta_auc(*np.array([trial.batch_shapes for trial in trials]).T)


def trials_of(cells: list[dict[str, Any]]) -> list[list[Trial]]:
    """Trials in blocks, with their scores drawn."""
    seed = np.random.SeedSequence(1)
    trials = [Trial(c, k, 0, seed, cell_spec(c, None)) for k, c in enumerate(cells)]
    for trial in trials:
        _ = trial.drawn
    return [trials[k : k + BLOCK] for k in range(0, len(trials), BLOCK)]


def run() -> tuple[str, list[Goal]]:
    """The table, and the goals."""
    whole = design()
    cells = list(whole)
    drawn, blocks = samples(cells[:SOME]), trials_of(cells[: 2 * BLOCK])

    def study(statistics: list[str]) -> Callable[[], object]:
        def case() -> object:
            with tempfile.TemporaryDirectory() as folder:
                return br.Study(whole, statistics, folder=folder, rng=1).run()

        return case

    cases: dict[str, tuple[Callable[[], object], int]] = {
        "scipy.stats.beta.fit, loop": (lambda: by_scipy(drawn), SOME),
        "fit_distribution, loop": (lambda: by_ours(drawn), SOME),
        "study: fits": (lambda: in_batches(blocks, areas=False), 2 * BLOCK),
        "study: fits and areas": (lambda: in_batches(blocks, areas=True), 2 * BLOCK),
        "sampling: rng.beta": (lambda: samples(cells[:SOME]), SOME),
        "sampling and scipy, loop": (lambda: by_scipy(samples(cells[:SOME])), SOME),
        f"Study.run, {CELLS} cells, serial": (study(ASKED), CELLS),
    }
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of scipy's solver
        seconds = medians({name: case for name, (case, _) in cases.items()}, rounds=9)
    each = {name: 1e6 * seconds[name] / count for name, (_, count) in cases.items()}
    loop, _, fits, _, draw, both, run_whole = each.values()
    goals = [
        Goal("fits of a study, samples given", "a loop of scipy fits", loop / fits,
             at_least=15.0),
        Goal("a whole study: sampling, fits, areas, Parquet", "a loop of scipy fits, samples given",
             loop / run_whole, at_least=15.0,
             why=f"drawing the scores alone takes {draw / loop:.2g} of the scipy fits' time"),
    ]  # fmt: skip
    rows = [[name, f"{value:.1f}", f"{loop / value:.2f}"] for name, value in each.items()]
    rows.append(["sampling and scipy, over Study.run", "", f"{both / run_whole:.2f}"])
    rows.append(["the same without sampling on both sides", "", f"{loop / (run_whole - draw):.2f}"])
    body = (
        f"{SCORES} scores of each class a cell, two fits a cell. Loops of {SOME} cells and"
        f" {2 * BLOCK} cells of batch fits are timed and scaled; the study runs whole.\n\n"
        + table(["case", "us a cell", "scipy's fits over this"], rows)
    )
    return body, goals


def main(write: bool | None = None) -> list[Goal]:
    """Print the table."""
    return command(__doc__, "Studies against loops", "study.md", run, write)


if __name__ == "__main__":
    main()
