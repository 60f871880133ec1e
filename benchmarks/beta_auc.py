"""Speed and error of the AUC of beta pairs, as ratios to quadratures with scipy.

    python benchmarks/beta_auc.py [--write]

All cases of a table are timed in turn, round after round; medians. Errors are those of the hard
list of tests/reference/beta_auc.json, which mpmath made.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _common import Goal, command, medians, table
from scipy import special, stats
from scipy.integrate import quad

import betaroc as br

Area = Callable[[float, float, float, float], float]

PAIR = (0.14, 1.12, 0.61, 0.27)
PAIRS = 10_000
RANGE = (0.05, 50.0)
REFERENCE = Path(__file__).parents[1] / "tests" / "reference" / "beta_auc.json"
#: Repetitions of one pair in a round, so that a round is long against the clock's resolution.
REPEATS = 100
#: Pairs of the batch that slow peers do, extrapolated.
QUAD_PAIRS, STATS_PAIRS, VALUES_PAIRS = 100, 2, 1000


# --------------------------------------------------------------------------------- methods
def ours(a_c: float, b_c: float, a_i: float, b_i: float) -> float:
    """Two fresh distributions, a fresh model."""
    return br.ScoreModel(br.Beta(a_c, b_c), br.Beta(a_i, b_i)).auc()


def quad_powers(a_c: float, b_c: float, a_i: float, b_i: float) -> float:
    """The density as a product of powers, its constant computed once: the fastest way found."""
    factor = 1.0 / special.beta(a_c, b_c)

    def integrand(x: float) -> float:
        return factor * x ** (a_c - 1.0) * (1.0 - x) ** (b_c - 1.0) * special.betainc(a_i, b_i, x)

    return float(quad(integrand, 0.0, 1.0)[0])


def quad_logs(a_c: float, b_c: float, a_i: float, b_i: float) -> float:
    """The density through logs, which does not overflow for large shapes."""
    log_beta = special.betaln(a_c, b_c)

    def integrand(x: float) -> float:
        log_density = special.xlogy(a_c - 1.0, x) + special.xlog1py(b_c - 1.0, -x) - log_beta
        return np.exp(log_density) * special.betainc(a_i, b_i, x)

    return float(quad(integrand, 0.0, 1.0)[0])


def quad_stats(a_c: float, b_c: float, a_i: float, b_i: float) -> float:
    """pdf times cdf of scipy.stats.beta."""
    return float(
        quad(lambda x: stats.beta.pdf(x, a_c, b_c) * stats.beta.cdf(x, a_i, b_i), 0.0, 1.0)[0]
    )


METHODS: dict[str, Area] = {
    "ScoreModel(Beta, Beta).auc()": ours,
    "quad, powers x betainc": quad_powers,
    "quad, exp of logs x betainc": quad_logs,
    "quad, stats.beta.pdf x cdf": quad_stats,
}
OURS, SPECIAL, *_ = METHODS


# ---------------------------------------------------------------------------------- tables
def repeated(area: Area, times: int) -> Callable[[], object]:
    """One pair, over and over."""
    return lambda: [area(*PAIR) for _ in range(times)]


def worst(area: Area) -> tuple[float, int, int]:
    """Largest absolute error on the hard list, pairs without a number, pairs."""
    rows = json.loads(REFERENCE.read_text(encoding="utf-8"))["hard"]
    found = [error_at(area, row) for row in rows]
    numbers = [error for error in found if np.isfinite(error)]
    return max(numbers), len(found) - len(numbers), len(found)


def errors(area: Area) -> str:
    """The same in words."""
    largest, missing, pairs = worst(area)
    return f"{largest:.1e}{f', no number for {missing} of {pairs}' if missing else ''}"


def error_at(area: Area, row: dict[str, Any]) -> float:
    """Absolute error, inf or NaN where the method breaks down."""
    try:
        return abs(area(*row["shapes"]) - float(row["auc"]))
    except (OverflowError, ZeroDivisionError):
        return float("inf")


def one_pair() -> tuple[str, list[Goal]]:
    """The table of one pair."""
    times = {name: 1 if area is quad_stats else REPEATS for name, area in METHODS.items()}
    times |= {name: 10 for name in METHODS if name.startswith("quad, ") and times[name] > 1}
    seconds = medians({n: repeated(a, times[n]) for n, a in METHODS.items()}, rounds=25)
    each = {name: value / times[name] for name, value in seconds.items()}
    rows, goals = [], [Goal("error of the AUC, hard list", "", worst(ours)[0], at_most=1e-12)]
    for name, area in METHODS.items():
        share, said = each[OURS] / each[name], ""
        if name == OURS:
            said = f"error {goals[0].wanted}: {goals[0].verdict}"
        elif area is not quad_stats:
            goals.append(Goal("AUC of one beta pair", name, share, at_most=0.05))
            said = f"<= 0.05: {goals[-1].verdict}"
        rows.append([name, f"{1e6 * each[name]:.0f}", f"{share:.4f}", said, errors(area)])
    head = ["case", "us", "our time over this", "goal", "largest error on the hard list"]
    return table(head, rows), goals


def batch() -> tuple[str, list[Goal]]:
    """The table of many pairs."""
    draw = np.random.default_rng(1).uniform(*np.log(RANGE), (PAIRS, 4))
    shapes = np.exp(draw)
    x = np.random.default_rng(2).uniform(size=128)

    def loop(area: Area, count: int) -> Callable[[], object]:
        return lambda: [area(*row) for row in shapes[:count].tolist()]

    def values() -> object:
        return [special.betainc(a, b, x) for a, b in shapes[:VALUES_PAIRS, :2].tolist()]

    cases: dict[str, tuple[Callable[[], object], int, str]] = {
        "br.beta_auc, arrays": (lambda: br.beta_auc(*shapes.T), PAIRS, ""),
        "128 values of betainc a pair": (values, VALUES_PAIRS, "2"),
        "loop of quad, powers x betainc": (loop(quad_powers, QUAD_PAIRS), QUAD_PAIRS, "40"),
        "loop of quad, exp of logs x betainc": (loop(quad_logs, QUAD_PAIRS), QUAD_PAIRS, "40"),
        "loop of quad, stats.beta.pdf x cdf": (loop(quad_stats, STATS_PAIRS), STATS_PAIRS, "1000"),
    }
    seconds = medians({name: case for name, (case, _, _) in cases.items()}, rounds=9)
    each = {name: seconds[name] / count for name, (_, count, _) in cases.items()}
    mine = each["br.beta_auc, arrays"]
    rows, goals = [], []
    for name, (_, count, least) in cases.items():
        faster, said = each[name] / mine, ""
        if least:
            goals.append(Goal(f"AUC of {PAIRS} beta pairs", name, faster, at_least=float(least)))
            said = f">= {least}: {goals[-1].verdict}"
        rows.append(
            [
                name if count == PAIRS else f"{name}, {count} pairs timed",
                f"{1e6 * each[name]:.1f}",
                f"{faster:.1f}",
                said,
            ]
        )
    return table(["case", "us a pair", "times our time", "goal"], rows), goals


def reference_errors() -> str:
    """Largest relative error of the array function in each range of shapes of the reference."""
    sections = json.loads(REFERENCE.read_text(encoding="utf-8"))
    rows = []
    for name, entries in sections.items():
        if name in ("made_with", "hard"):
            continue
        shapes = np.array([entry["shapes"] for entry in entries])
        true = np.array([float(entry["auc"]) for entry in entries])
        area = np.asarray(br.beta_auc(*shapes.T))
        known = true > 1e-300
        error = np.max(np.abs(area[known] / true[known] - 1.0))
        rows.append([name, str(len(entries)), f"{true[known].min():.1e}", f"{error:.1e}"])
    return table(["shapes", "pairs", "smallest area", "largest relative error"], rows)


def run() -> tuple[str, list[Goal]]:
    """The tables, and the goals."""
    a_c, b_c, a_i, b_i = PAIR
    low, high = RANGE
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of quad, about what it did not reach
        (one, one_goals), (many, many_goals) = one_pair(), batch()
        body = (
            f"## One pair: Beta({a_c}, {b_c}) v Beta({a_i}, {b_i})\n\n"
            "From shapes to area, distributions and model built anew; repeated within a round."
            " Errors are"
            f" absolute.\n\n{one}\n\n"
            f"## {PAIRS} pairs, shapes log-uniform from {low} to {high:g}\n\n{many}\n\n"
            f"## Error of br.beta_auc\n\n{reference_errors()}"
        )
    return body, one_goals + many_goals


def main(write: bool | None = None) -> list[Goal]:
    """Print the tables."""
    return command(__doc__, "AUC of beta pairs: speed and error", "beta_auc.md", run, write)


if __name__ == "__main__":
    main()
