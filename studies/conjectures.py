"""Conjectures on the ROC of two beta distributions, tried by search for a counterexample.

Usage: python studies/conjectures.py [--tables FOLDER] [--quick]

A conjecture is a slack that is nowhere negative. Random pairs, shapes from 0.05 to 20, are tried
first; from those of least slack random steps that shrink go down, shapes from 0.02 to 50. A slack
below -1e-9 counts as a violation. The witness, the pair of least slack, is computed again in 30
digits, and only then is a conjecture called refuted. docs/conjectures.md shows the table.
"""

import argparse
from functools import partial
from pathlib import Path
from types import SimpleNamespace as Numbers
from typing import Any

import mpmath as mp
import numpy as np
import pandas as pd
from scipy.interpolate import CubicSpline
from scipy.special import betainc, betaln, expit, ndtr, ndtri

SEED = 20261130
TOLERANCE = 1e-9
mp.mp.dps = 30

#: Thresholds as logits y = sinh(t), dense about 0 and far out; the trapezoid rule in t.
STEP, FARTHEST = 1 / 64, 1e4
LOGITS = np.sinh(np.arange(-560, 561) * STEP)
#: FAR at which two ROCs are compared.
FAR = ndtr(np.linspace(-4.0, 4.0, 401))


# ------------------------------------------------------------------- one pair, in doubles
def cdf(a: Any, b: Any, y: Any) -> Any:
    """The distribution function at logit y; the tail beyond is ``cdf(b, a, -y)``."""
    below = betainc(a, b, expit(np.minimum(y, 0.0)))
    return np.where(y < 0.0, below, 1.0 - betainc(b, a, expit(-np.maximum(y, 0.0))))


def summary(p: Any, auc: Any, logits: Any, cdf: Any) -> Numbers:
    """AUC, EER, largest height above the diagonal and depth below it, difference of the means."""
    (a_c, b_c, a_i, b_i), (equal, high, deep) = p, logits
    return Numbers(
        auc=auc,
        eer=cdf(a_c, b_c, equal),
        height=np.maximum(cdf(a_i, b_i, high) - cdf(a_c, b_c, high), 0),
        depth=np.maximum(cdf(a_c, b_c, deep) - cdf(a_i, b_i, deep), 0),
        mean=a_c / (a_c + b_c) - a_i / (a_i + b_i),
    )


def log_ratio(p: Any, y: Any) -> Any:
    a_c, b_c, a_i, b_i = p
    left, right = np.logaddexp(0.0, -y), np.logaddexp(0.0, y)
    return (a_i - a_c) * left + (b_i - b_c) * right + betaln(a_i, b_i) - betaln(a_c, b_c)


def root(increasing: Any, low: Any, high: Any) -> Any:
    for _ in range(60):
        middle = (low + high) / 2
        negative = increasing(middle) < 0
        low, high = np.where(negative, middle, low), np.where(negative, high, middle)
    return (low + high) / 2


def extremes(p: Any) -> Any:
    """Logits of the EER, the largest height and the largest depth; at an end without one."""
    a_c, b_c, a_i, b_i = p
    a, b = a_c - a_i, b_c - b_i
    bend = np.log(np.where(a * b > 0.0, a / np.where(b == 0.0, 1.0, b), 1.0))
    up = np.where(a > 0, -FARTHEST, bend), np.where(b < 0, FARTHEST, bend)
    down = np.where(a < 0, -FARTHEST, bend), np.where(b > 0, FARTHEST, bend)
    return (
        root(lambda y: cdf(a_c, b_c, y) - cdf(b_i, a_i, -y), -FARTHEST, FARTHEST),
        root(lambda y: log_ratio(p, y), *up),
        root(lambda y: -log_ratio(p, y), *down),
    )


def numbers(p: Any) -> Numbers:
    return summary(p, area(p), extremes(p), cdf)


def area(p: Any) -> Any:
    areas = []
    for part in np.array_split(p, 1 + p.shape[1] // 500, axis=1):
        a_c, b_c, a_i, b_i = part[..., None]
        left, right = np.logaddexp(0.0, -LOGITS), np.logaddexp(0.0, LOGITS)
        density = np.exp(-a_i * left - b_i * right - betaln(a_i, b_i))
        areas.append((density * cdf(b_c, a_c, -LOGITS)) @ np.hypot(1.0, LOGITS) * STEP)
    return np.concatenate(areas)


def proper(p: Any) -> Any:
    """The pair with its shapes sorted into a proper one."""
    a, b = np.sort(p[[0, 2]], axis=0), np.sort(p[[1, 3]], axis=0)
    return np.array([a[1], b[0], a[0], b[1]])


def same_side(u: Any, v: Any) -> Any:
    return np.sign(u) * np.sign(v) * np.minimum(abs(u), abs(v))


def eer_bounds(m: Numbers) -> Any:
    return np.minimum(m.auc - 1 + m.eer, 1 - 2 * m.eer**2 - m.auc)


def height_bounds(m: Numbers) -> Any:
    return np.minimum(m.auc - (1 + m.height) / 2, 1 - (1 - m.height) ** 2 / 2 - m.auc)


#: The slack of conjectures on the numbers of a pair, of all pairs and of proper ones.
ON_NUMBERS: dict[Any, Any] = {
    np.array: {
        "depth": lambda m: np.minimum(1 - m.auc, m.eer) - m.depth,
        "shallow": lambda m: np.maximum(0.05 - m.depth, 0.9 - m.auc),
        "eer": lambda m: np.maximum(eer_bounds(m), m.eer - 0.5),
        "eer-low": lambda m: np.maximum(eer_bounds(m), m.eer - 0.35),
        "height-depth": lambda m: m.auc - (1 + m.height) / 2 + m.depth,
        "side-eer": lambda m: same_side(m.auc - 0.5, 0.5 - m.eer),
        "side-depth": lambda m: same_side(m.auc - 0.5, m.height - m.depth),
        "side-mean": lambda m: same_side(m.auc - 0.5, m.mean),
    },
    proper: {"eer-proper": eer_bounds, "height-proper": height_bounds},
}


# --------------------------------------------------------------------- conjectures on curves
def deepening(p: Any) -> Any:
    """Growth of the depth as a_c and b_c move away from proper pairs, AUC kept."""
    here, deep, change = numbers(p), extremes(p)[2], 1e-5
    (auc_a, deep_a), (auc_b, deep_b) = (
        (area(p * f) - area(p / f), cdf(*(p * f)[:2], deep) - cdf(*(p / f)[:2], deep))
        for f in np.exp(change * np.eye(4)[:2, :, None])
    )
    rate = (auc_a * deep_b - auc_b * deep_a) / np.maximum(np.hypot(auc_a, auc_b), 1e-300)
    hooked = ((p[0] - p[2]) * (p[1] - p[3]) > 0) & (here.depth > 1e-4) & (here.auc > 0.5)
    return np.where(hooked, rate * np.sign(p[0] - p[2]) / (2 * change), np.inf)


def tpr(p: Any) -> Any:
    """TPR of a pair at each FAR, by a spline between normal quantiles."""
    sides = []
    for a, b in ((p[2], p[3]), (p[0], p[1])):
        upper, lower = betainc(b, a, expit(-LOGITS)), betainc(a, b, expit(LOGITS))
        high = (upper < lower) & (LOGITS > -20.0) | (LOGITS > 20.0)
        tail = ndtri(np.maximum(np.where(high, upper, lower), 1e-300))
        sides.append(np.where(high, tail, -tail)[::-1])
    inside = np.abs(sides[0]) < 6.0
    return ndtr(CubicSpline(sides[0][inside], sides[1][inside])(ndtri(FAR)))


def twins(p: Any) -> Any:
    """Two pairs at either side of each, whose ROCs differ least at three FARs."""
    result = []
    for pair in p.T:
        slopes = [tpr(pair * f) - tpr(pair / f) for f in np.exp(1e-4 * np.eye(4))]
        apart = np.exp(0.01 * np.linalg.svd(np.transpose(slopes)[[80, 200, 320]])[2][-1])
        result.append([*pair * apart, *pair / apart])
    return np.transpose(result)


def crossings(p: Any) -> Any:
    """Minus the amplitude with which the ROCs of two pairs cross a third time."""
    return np.array([-swing(tpr(pair[:4]) - tpr(pair[4:]))[0] for pair in p.T])


def swing(row: Any, changes: int = 3) -> tuple[float, list[int]]:
    """The largest t such that what is beyond -t and t changes sign so often, and where it is."""
    amplitude, places = 0.0, []
    for level in np.geomspace(TOLERANCE, 1.0, 181):
        beyond = np.flatnonzero(np.abs(row) > level)
        runs = np.split(beyond, np.flatnonzero(np.diff(np.sign(row[beyond]))) + 1)
        if len(runs) <= changes:
            break
        amplitude, places = level, [int(run[np.argmax(np.abs(row[run]))]) for run in runs]
    return float(amplitude), places


# ------------------------------------------------------------------------- in 30 digits
def exact_cdf(a: Any, b: Any, y: Any) -> Any:
    if y > 0:
        return 1 - exact_cdf(b, a, -y)
    return mp.betainc(a, b, 0, 1 / (1 + mp.exp(-y)), regularized=True)


def exact_numbers(p: Any) -> Numbers:
    """The same numbers; an error of a logit is of second order in height and depth."""
    a_c, b_c, a_i, b_i = shapes = [mp.mpf(shape) for shape in p]

    total = mp.fsum(
        mp.exp(-a_i * mp.log1p(mp.exp(-y)) - b_i * mp.log1p(mp.exp(y)) - mp.log(mp.beta(a_i, b_i)))
        * exact_cdf(b_c, a_c, -y) * mp.hypot(1, y)
        for y in (mp.sinh(k * mp.mpf(STEP)) for k in range(-640, 641))
    )  # fmt: skip
    logits = [mp.mpf(y[0]) for y in extremes(p[:, None])]
    return summary(shapes, total * STEP, logits, exact_cdf)


def exact_tpr(p: Any, far: Any) -> list[Any]:
    logits = root(lambda y: far - cdf(p[3], p[2], -y), -FARTHEST, FARTHEST)
    return [exact_cdf(p[1], p[0], -mp.mpf(y)) for y in logits]


def exact_crossings(p: Any) -> Any:
    """The least of the differences in TPR that take turns, at FARs that agree to 1e-16."""
    far = FAR[swing(tpr(p[:4]) - tpr(p[4:]))[1]]
    gaps = np.subtract(exact_tpr(p[:4], far), exact_tpr(p[4:], far)) * (-1) ** np.arange(len(far))
    return -min(gaps * mp.sign(gaps[0]))


# ----------------------------------------------------------------------------- the search
def descend(slack: Any, p: Any, values: Any, rounds: int) -> Any:
    """The pair of least slack after random steps, ever smaller, from those of least slack."""
    rng = np.random.default_rng(SEED)
    for step in np.geomspace(0.5, 0.002, rounds):
        best = np.argsort(values)[:20]
        p, values = p[:, best], values[best]
        moved = p[:, rng.integers(0, len(best), 200)] * np.exp(rng.normal(0.0, step, (len(p), 200)))
        moved = np.vectorize(lambda shape: float(f"{shape:.4g}"))(np.clip(moved, 0.02, 50.0))
        p = np.concatenate([p, moved], axis=1)
        values = np.concatenate([values, slack(moved)])
    return p[:, np.argmin(values)]


def search(name: str, slack: Any, exact: Any, p: Any, values: Any, rounds: int) -> dict[str, Any]:
    witness = descend(slack, p, values, rounds)
    least = float(slack(witness[:, None])[0])
    return {
        "conjecture": name, "tried": np.isfinite(values).sum(),
        "violated": np.sum(values < -TOLERANCE), "least": least,
        "exact": float(exact(witness)) if least < -TOLERANCE else np.nan,
        **{key: value[0] for key, value in vars(numbers(witness[:4, None])).items()},
        "witness": " ".join(f"{shape:g}" for shape in witness),
    }  # fmt: skip


#: What docs/conjectures.md says of each, in its order, and what is known beside the search.
STATEMENTS = {
    "depth": ("d ≤ 1 − AUC and d ≤ E", "proved"),
    "shallow": ("where AUC ≥ 0.9, d ≤ 0.05", ""),
    "eer-proper": ("proper: 1 − E ≤ AUC ≤ 1 − 2E²", "proved"),
    "eer": ("where E ≤ 0.5: 1 − E ≤ AUC ≤ 1 − 2E²", ""),
    "eer-low": ("where E ≤ 0.35: 1 − E ≤ AUC ≤ 1 − 2E²", ""),
    "height-proper": ("proper: (1 + h)/2 ≤ AUC ≤ 1 − (1 − h)²/2", "proved"),
    "height-depth": ("AUC ≥ (1 + h)/2 − d", ""),
    "side-eer": ("AUC > 0.5 exactly where E < 0.5", ""),
    "side-depth": ("AUC > 0.5 exactly where h > d", ""),
    "side-mean": ("AUC > 0.5 exactly where the clients' mean is higher", ""),
    "deepening": ("d grows with distance from proper pairs at one AUC > 0.5", ""),
    "crossings": ("two ROCs cross at most twice", "refuted, by 13"),
    "crossings-near": ("the same of pairs near each other", ""),
}


def searches_table() -> str:
    """The table of docs/conjectures.md, from the committed searches."""
    path = Path(__file__).parent / "results" / "conjectures_searches.csv"
    searches = pd.read_csv(path).set_index("conjecture")
    heads = ["", "statement", "tried", "violated", "most", "status", "worst pair"]
    lines = [f"| {' | '.join(heads)} |", "| --- " * 7 + "|"]
    for k, (name, (statement, known)) in enumerate(STATEMENTS.items(), 1):
        row = searches.loc[name]
        cells = [
            str(k),
            statement,
            str(row["tried"]),
            str(row["violated"]),
            "",
            known or "open",
            "",
        ]
        if row["exact"] < 0:
            shapes = [
                f"({a}, {b})" for a, b in zip(*[iter(row["witness"].split())] * 2, strict=True)
            ]
            pairs = [" v ".join(shapes[j : j + 2]) for j in range(0, len(shapes), 2)]
            cells[4:] = [f"{-row['exact']:.2g}", known or "refuted", ", ".join(pairs)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Search counterexamples to the conjectures.")
    parser.add_argument("--tables", type=Path, default=Path(__file__).with_name("results"))
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    n, rounds = (200, 2) if chosen.quick else (10000, 25)
    rng = np.random.default_rng(SEED)
    p = np.exp(rng.uniform(np.log(0.05), np.log(20.0), (4, n)))
    near, rows = twins(p[:, : n // 20]), []
    for among, slacks in ON_NUMBERS.items():
        pairs = among(p)
        known = numbers(pairs)
        for name, slack in slacks.items():
            here = partial(lambda q, s, f: s(numbers(f(q))), s=slack, f=among)
            exact = partial(lambda q, s, f: s(exact_numbers(f(q))), s=slack, f=among)
            rows.append(search(name, here, exact, pairs, slack(known), rounds))
    rows.append(search("deepening", deepening, None, p, deepening(p), rounds))
    for name, two in (("crossings", np.vstack([p, p[:, ::-1]])), ("crossings-near", near)):
        rows.append(search(name, crossings, exact_crossings, two, crossings(two), rounds))
    chosen.tables.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(chosen.tables / "conjectures_searches.csv", index=False)


if __name__ == "__main__":
    main()
