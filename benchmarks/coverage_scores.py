"""How often intervals and differences of numbers of scores hold the true one."""

from __future__ import annotations

import argparse
import csv
import math
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _common import RESULTS, report, table
from scipy.special import ndtr
from scipy.stats import beta, norm

import betaroc as br
from betaroc.model.statistics import parse_statistic

LEVEL = 0.95
SIZES = (30, 100, 1000)
#: Distributions of two systems, clients and impostors of each.
LAWS = {
    "symmetric": ((norm(1.5, 1), norm(0, 1)), (norm(1.2, 1), norm(0, 1))),
    "skewed": ((beta(3, 0.8), beta(0.7, 2.5)), (beta(2.5, 0.8), beta(0.8, 2.5))),
}
#: Real scores that are drawn from with replacement: whether two systems judged the same trials,
#: and the files of both.
REAL = {
    "liveness": (True, *(
        tuple(f"liveness_within_{name}/test_sharpen{k}.csv" for k in ("0.20", "0.40", "0.60"))
        for name in ("mlp", "svmdecision")
    )),
    "speech": (False, ("asvspoof19_asv/eval.csv.gz",), ("asvspoof19_ecapa_ctst/eval.csv.gz",)),
}  # fmt: skip
#: Correlation of the normal deviates of both systems; between-group share of their variance.
RHO, BETWEEN = 0.5, 0.5
#: Below so many scores, or groups, beyond the threshold a cell has a star.
FEW = 5.0
#: FARs of the band of the ROC.
BAND = np.linspace(0.05, 0.95, 19)


class Asked(NamedTuple):
    """A statistic, whether its interval is drawn, and the smaller rate that it rests on."""

    stat: str
    point: dict[str, Any]
    drawn: bool = False
    rate: float = 1.0
    method: str | None = None


STATISTICS = {
    "EER": Asked("eer", {}),
    "threshold of the EER": Asked("threshold", {"at": "eer"}),
    "break-even point": Asked("break-even", {}),
    "FRR at FAR .1": Asked("frr", {"far": 0.1}, rate=0.1),
    "FRR at FAR .01": Asked("frr", {"far": 0.01}, rate=0.01),
    "precision at FRR .1": Asked("precision", {"frr": 0.1}, rate=0.1),
    "threshold at FAR .1": Asked("threshold", {"far": 0.1}, rate=0.1),
    "FAR at a threshold": Asked("far", {"threshold": 0.8}, rate=0.1),
    "HTER at a threshold": Asked("hter", {"threshold": 0.8}, rate=0.1),
    "F1 at a threshold": Asked("f1", {"threshold": 0.8}, rate=0.1),
    "AUC": Asked("auc", {}),
    "least HTER": Asked("min-hter", {}),
    "least weighted error, alpha .1": Asked("weighted-error", {"alpha": 0.1}),
    "largest F1": Asked("max-f1", {}),
    "KS": Asked("ks", {}),
    "least HTER, plain percentiles": Asked("min-hter", {}, drawn=True, method="bootstrap"),
    "threshold at alpha .5": Asked("threshold", {"alpha": 0.5}, drawn=True),
    "FAR at alpha .5": Asked("far", {"alpha": 0.5}, drawn=True),
    "H measure": Asked("h-measure", {}),
    "average precision": Asked("average-precision", {}),
    "partial area to FAR .1": Asked("partial-auc", {"between": (0.0, 0.1)}, rate=0.1),
    "d prime": Asked("d-prime", {}, drawn=True),
}
DIFFERENCES = {
    "difference of EERs": Asked("eer", {}),
    "difference of FRRs at FAR .1": Asked("frr", {"far": 0.1}, rate=0.1),
    "difference of FRRs at FAR .01": Asked("frr", {"far": 0.01}, rate=0.01),
    "difference of HTERs at a threshold": Asked("hter", {"threshold": 0.8}, rate=0.1),
    "difference of least HTERs": Asked("min-hter", {}),
    "difference of AUCs": Asked("auc", {}),
    "difference of EERs of fits": Asked("eer", {}),
}
CURVES = ("ROC band, all FARs at once", "area of the EPC")


class Cell(NamedTuple):
    """One pair of distributions, size and size of groups."""

    law: str
    n: int
    size: int
    sets: int
    drawn: int


@cache
def population(law: str) -> tuple[br.Scores, br.Scores]:
    """All scores of two real systems."""
    found = []
    for files in REAL[law][1:]:
        read = [br.read_scores(Path(__file__).parents[1] / "examples/data" / f) for f in files]
        found.append(br.Scores(*(
            np.concatenate([getattr(one, who) for one in read]) for who in ("client", "impostor")
        )))  # fmt: skip
    return found[0], found[1]


def models(law: str) -> list[br.ScoreModel]:
    """The truth."""
    if law in REAL:
        found = [br.fit(one, "empirical").model for one in population(law)]
        return [br.ScoreModel(one.client, one.impostor, prior=0.5) for one in found]
    kind = br.Normal if law == "symmetric" else br.Beta
    return [br.ScoreModel(*(kind(*one.args) for one in pair)) for pair in LAWS[law]]


def systems(cell: Cell, rng: np.random.Generator) -> list[br.Scores]:
    """Two systems, on the same trials where they have these, in groups of so many."""
    if cell.law in REAL:
        return _drawn(cell, rng)

    def deviates() -> np.ndarray:
        alone = rng.standard_normal(cell.n)
        if cell.size == 1:
            return alone
        between = np.repeat(rng.standard_normal(cell.n // cell.size), cell.size)
        return np.asarray(math.sqrt(BETWEEN) * between + math.sqrt(1.0 - BETWEEN) * alone)

    parts = []
    for _ in range(2):
        shared, *own = (deviates() for _ in range(3))
        parts.append([math.sqrt(RHO) * shared + math.sqrt(1.0 - RHO) * z for z in own])
    groups = np.arange(cell.n) // cell.size
    given = (
        {"client_groups": groups, "impostor_groups": groups.size + groups} if cell.size > 1 else {}
    )
    return [
        br.Scores(*(law.ppf(ndtr(z[k])) for law, z in zip(pair, parts, strict=True)), **given)
        for k, pair in enumerate(LAWS[cell.law])
    ]


def _drawn(cell: Cell, rng: np.random.Generator) -> list[br.Scores]:
    whole = population(cell.law)
    trials: list[np.ndarray] = []
    found = []
    for one in whole:
        if not (trials and REAL[cell.law][0]):
            trials = [rng.integers(0, x.size, cell.n) for x in (one.client, one.impostor)]
        found.append(br.Scores(one.client[trials[0]], one.impostor[trials[1]]))
    return found


def at(cell: Cell, point: dict[str, Any]) -> dict[str, Any]:
    """The point on the scale of the scores: the fixed threshold of real ones is that of FAR .1."""
    if "threshold" not in point or cell.law not in REAL:
        return point
    return {"threshold": fixed_threshold(cell.law)}


@cache
def fixed_threshold(law: str) -> float:
    """The threshold of a FAR of .1 of the first system."""
    return float(models(law)[0].at_far(0.1).threshold)


def shares(cell: Cell, only: tuple[str, ...] = ()) -> dict[str, float]:
    """Of the score sets, those whose interval holds the truth."""
    statistics = {name: a for name, a in STATISTICS.items() if not only or name in only}
    differences = {name: a for name, a in DIFFERENCES.items() if not only or name in only}
    warnings.simplefilter("ignore", br.BetarocWarning)
    rng = np.random.default_rng([cell.n, cell.size, [*LAWS, *REAL].index(cell.law)])
    one, two = models(cell.law)
    true = {
        name: parse_statistic(a.stat, **at(cell, a.point)).number(one)
        for name, a in statistics.items()
    }
    for name, a in differences.items():
        asked = parse_statistic(a.stat, **at(cell, a.point))
        true[name] = asked.number(one) - asked.number(two)
    curve = np.asarray(one.at_far(BAND).tpr)
    area = math.nan if only else _true_area(cell, one, rng)
    same = cell.law not in REAL or REAL[cell.law][0]
    family = "normal" if cell.law == "symmetric" else "beta"
    hits: dict[str, list[bool]] = {}
    for k in range(cell.sets):
        a, b = systems(cell, rng)
        for name, s in statistics.items():
            if not s.drawn or k < cell.drawn:
                found: Any = br.interval(
                    a, s.stat, **at(cell, s.point), method=s.method, replicates=300, rng=k
                )
                hits.setdefault(name, []).append(found.low <= true[name] <= found.high)
        for name, s in differences.items():
            if "fits" in name and (cell.size > 1 or k >= cell.drawn or cell.law in REAL):
                continue
            pair = [br.fit(x, family) for x in (a, b)] if "fits" in name else (a, b)
            found = br.difference(*pair, s.stat, **at(cell, s.point), paired=same)
            hits.setdefault(name, []).append(found.low <= true[name] <= found.high)
        if k < cell.drawn and not only:
            band = br.roc_band(a, far=BAND, simultaneous=True, replicates=400, rng=k)
            inside = (band.low <= curve) & (curve <= band.high)
            hits.setdefault(CURVES[0], []).append(bool(np.all(inside)))
            epc = br.epc(a, systems(cell, rng)[0], alpha=np.linspace(0.1, 0.9, 9))
            found = epc.interval(replicates=300, rng=k)
            hits.setdefault(CURVES[1], []).append(found.low <= area <= found.high)
    return {name: float(np.mean(held)) for name, held in hits.items()}


def _true_area(cell: Cell, model: br.ScoreModel, rng: np.random.Generator) -> float:
    """Mean over dev sets of the area on endless test scores."""
    alpha = np.linspace(0.1, 0.9, 9)
    return float(np.mean([
        br.epc(systems(cell, rng)[0], model, alpha=alpha).area() for _ in range(300)
    ]))  # fmt: skip


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="score sets a cell")
    parser.add_argument("--drawn", type=int, default=100, help="of them those that are resampled")
    parser.add_argument("--write", action="store_true", help="write results/coverage_scores.md")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=(), help="rows to renew; others stay")
    given = parser.parse_args()
    cells = [
        Cell(law, n, size, given.sets, given.drawn)
        for law in (*LAWS, *REAL) for n in SIZES for size in ((1, 5) if law in LAWS else (1,))
    ]  # fmt: skip
    with ProcessPoolExecutor(given.workers) as pool:
        found = dict(
            zip(cells, pool.map(partial(shares, only=tuple(given.only)), cells), strict=True)
        )
    head = ["95 % interval", *(
        f"{c.law}, n = {c.n}{', groups of 5' if c.size > 1 else ''}" for c in cells
    )]  # fmt: skip
    rows = [
        [name, *map(partial(_cell, name, found), cells)]
        for name in (*STATISTICS, *DIFFERENCES, *CURVES)
        if not given.only or name in given.only
    ]
    if given.only:
        new = {row[0]: row for row in rows}
        with (RESULTS / "coverage_scores.csv").open(encoding="utf-8", newline="") as file:
            rows = [new.get(row[0], row) for row in csv.reader(file)][1:]
    errors = [math.sqrt(0.05 * 0.95 / n) for n in (given.sets, given.drawn)]
    drawn = ", ".join(n for n, a in STATISTICS.items() if a.drawn)
    body = (
        f"n scores a class, {given.sets} score sets a cell: Monte Carlo standard error"
        f" {errors[0]:.3f} at .95; of what is resampled ({drawn}, fits, the curves) {given.drawn}"
        f" sets, {errors[1]:.3f}. A star: fewer than {FEW:g}"
        " scores, or groups, are expected beyond the threshold. Groups of 5 share half of the"
        " variance of the normal deviates. Two systems judge the same trials, whose deviates have"
        f" a correlation of {RHO:g}. Real scores (liveness of faces, two systems on the same"
        " trials; speech, two systems on different trials) are drawn with replacement, and their"
        " fixed threshold is that of a FAR of .1.\n\n"
        f"{table(head, rows)}"
    )
    report("Coverage on scores", body, "coverage_scores.md" if given.write else None)


def _cell(name: str, found: dict[Cell, dict[str, float]], cell: Cell) -> str:
    share = found[cell].get(name)
    if share is None:
        return ""
    rate = {**STATISTICS, **DIFFERENCES}.get(name, Asked("", {})).rate
    return f"{share:.3f}{'*' if cell.n / cell.size * rate < FEW else ''}"


if __name__ == "__main__":
    main()
