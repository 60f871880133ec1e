"""How often intervals of costs of likelihood ratios and of predictive values hold the true one."""

from __future__ import annotations

import argparse
import math
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from _common import report, table
from scipy import stats
from scipy.special import expit

import betaroc as br
from betaroc.model.statistics import parse_statistic

LEVEL, SIZES = 0.95, (100, 1000)
#: Distributions of log likelihood ratios, clients and impostors.
LAWS: dict[str, tuple[Any, Any]] = {
    "normal, calibrated": (stats.norm(1, math.sqrt(2)), stats.norm(-1, math.sqrt(2))),
    "normal, calibrated, far apart": (stats.norm(8, 4), stats.norm(-8, 4)),
    "normal, not calibrated": (stats.norm(3, 2), stats.norm(0, 1.2)),
    "beta logits": (stats.beta(3, 0.8), stats.beta(0.7, 2.5)),
    "Student t3": (stats.t(3, 1.2), stats.t(3, -1.2)),
    "skewed": (stats.skewnorm(-5, 3, 2), stats.skewnorm(5, -2, 2)),
}
REAL = {"bob_verif": "bob_verif/dev.csv", "asvspoof19_asv": "asvspoof19_asv/eval.csv.gz"}
#: Points of a fine grid that stand for a distribution.
GRID = 100_000
#: `{t}` is the middle of the medians; of those with a star the class sizes vary, as in a cohort.
STATISTICS = (
    "cllr", "min-cllr", "calibration-loss", "bayes-error@log_odds=-1",
    "min-bayes-error@log_odds=-1", "min-bayes-error@log_odds=-3", "lr+@threshold={t}",
    "lr-@threshold={t}", "ppv@threshold={t},prior=0.1", "ppv@threshold={t}*",
    "npv@threshold={t}*", "net-benefit@probability=0.3*",
)  # fmt: skip


def population(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores that stand for both classes."""
    if name in REAL:
        folder = Path(__file__).parents[1] / "examples" / "data"
        scores = br.read_scores(folder / REAL[name])
        return scores.client, scores.impostor
    shares = (np.arange(GRID) + 0.5) / GRID
    client, impostor = (law.ppf(shares) for law in LAWS[name])
    if name == "beta logits":
        client, impostor = (np.log(x) - np.log1p(-x) for x in (client, impostor))
    return client, impostor


def cell(name: str, n: int, draws: int) -> list[list[str]]:
    """A row per statistic: coverage, mean of the estimate less the truth, mean length."""
    both = population(name)
    middle = 0.5 * sum(float(np.median(x)) for x in both)
    texts = [text.format(t=f"{middle:.6g}") for text in STATISTICS]
    sizes = (n, n) if name in LAWS else tuple(min(n, x.size) for x in both)
    prior = 0.5 if name in LAWS else sizes[0] / sum(sizes)
    rng = np.random.default_rng(52)
    result: list[list[tuple[float, ...]]] = [[] for _ in texts]
    true = []
    for text in texts:
        parts = map(expit, both) if "net-benefit" in text else both
        model = br.ScoreModel(*map(br.Empirical, parts), prior=prior)
        true.append(parse_statistic(text.rstrip("*")).number(model))
    for _ in range(draws):
        clients = int(rng.binomial(sum(sizes), prior))
        cohort = clients, sum(sizes) - clients
        fixed, varied = (
            [x[rng.integers(x.size, size=k)] for x, k in zip(both, counts, strict=True)]
            for counts in (sizes, cohort)
        )
        for k, text in enumerate(texts):
            parts = varied if text.endswith("*") else fixed
            parts = map(expit, parts) if "net-benefit" in text else parts
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = br.interval(br.Scores(*parts), text.rstrip("*"), level=LEVEL)
            covers = found.low <= true[k] <= found.high
            result[k].append((covers, found.estimate - true[k], found.high - found.low))
    rows = []
    for text, truth, values in zip(STATISTICS, true, result, strict=True):
        covers, off, length = np.mean(values, axis=0)
        numbers = f"{truth:.4g}", f"{covers:.3f}", f"{off:.2g}", f"{length:.3g}"
        rows.append([name, str(n), text.replace("@threshold={t}", "").replace(",", "@"), *numbers])
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--only", default="", help="the name of one distribution or set")
    parser.add_argument("--write", action="store_true", help="write results/likelihood_ratios.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    names = [name for name in (*LAWS, *REAL) if given.only in ("", name)]
    cells = [(name, n, given.draws) for n in SIZES[::-1] for name in names]
    with ProcessPoolExecutor(given.workers) as pool:
        result = list(pool.map(cell, *zip(*cells, strict=True)))
    rows = [row for part in result for row in part]
    head = ["distribution", "n per class", "statistic", "truth", "coverage", "bias", "length"]
    error = math.sqrt(LEVEL * (1.0 - LEVEL) / given.draws)
    body = (
        f"95 % intervals of scores, {given.draws} draws a cell (standard error {error:.3f} at .95),"
        " real sets drawn from with replacement; thresholds in the middle of the medians; a star:"
        f" a cohort whose class sizes vary.\n\n{table(head, rows)}"
    )
    report("Costs of likelihood ratios", body, "likelihood_ratios.md" if given.write else None)


if __name__ == "__main__":
    main()
