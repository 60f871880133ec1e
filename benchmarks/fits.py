"""Speed of beta fits, one and many, and of their sufficient statistics, as ratios.

    python benchmarks/fits.py [--write]

All cases of a table are timed in turn, round after round; medians of processor time. statsmodels,
which takes seconds, is timed in a few of the rounds. Peers that are not installed are a line that
says so.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
from _common import Goal, command, medians, table, version

import betaroc as br
from betaroc.core.arrays import FloatArray

Case = Callable[[], object]

SHAPES = (0.47, 0.36)
SMALL, LARGE = 1_000, 1_000_000
SYSTEMS = 10_000
#: Of the loops so many fits are timed; they cost the same each.
LOOPED = 200
STATISTICS = 1_000_000
HUGE = 100_000_000
#: Scores of one distribution after another, drawn once and repeated to fill the large array.
DRAWN = 1 << 22
BLOCK = 1 << 15


def scores(n: int, seed: int = 1) -> FloatArray:
    """Draws of a U-shaped distribution, strictly inside (0, 1)."""
    drawn = np.random.default_rng(seed).beta(*SHAPES, n)
    return np.clip(drawn, 1e-300, 1.0 - 2.0**-53)


def repeated(case: Case, times: int) -> Case:
    """A case so short that it is timed many times over."""

    def many() -> None:
        for _ in range(times):
            case()

    return many


def scipy_fit(x: FloatArray) -> Case:
    """The peer whose model is the same: both ends of the support given."""
    from scipy.stats import beta

    return lambda: beta.fit(x, floc=0, fscale=1)


def with_precision(x: FloatArray) -> Case:
    """Our fit, with what scipy's does not give."""

    def case() -> object:
        fit = br.fit_distribution(x, "beta")
        return fit.log_likelihood, fit.cov

    return case


# ----------------------------------------------------------------------------- single fits
OURS, SCIPY = "fit, log-likelihood, covariance", "scipy.stats.beta.fit(x, floc=0, fscale=1)"
REGRESSION = "statsmodels BetaModel, intercept only"
#: Rounds in which it is timed.
SELDOM = 3


#: Why a figure is missed where it is.
WHY = {
    SMALL: "extremes, two logarithms, five steps of the solver in Python, checks and results",
    LARGE: "the extremes of scores that are in the cache take as long as their sum",
}


def single(n: int, times: int, rounds: int, goals: dict[str, float]) -> tuple[str, list[Goal]]:
    """The table of one sample size; ``goals`` are our time over that of a case."""
    x = scores(n)
    cases: dict[str, Case] = {
        "np.sum": repeated(lambda: np.sum(x), times),
        OURS: repeated(with_precision(x), times),
        SCIPY: repeated(scipy_fit(x), times),
    }
    if version("statsmodels"):
        from statsmodels.othermod.betareg import BetaModel

        ones = np.ones((n, 1))
        cases[REGRESSION] = lambda: BetaModel(x, ones).fit(disp=0)
    seconds = medians(cases, rounds, every={REGRESSION: rounds // SELDOM})
    seconds = {name: s if name == REGRESSION else s / times for name, s in seconds.items()}
    found = [
        Goal(f"fit of {n} scores", peer, seconds[OURS] / seconds[peer], at_most=most, why=WHY[n])
        for peer, most in goals.items()
    ]
    rows = []
    for name, value in seconds.items():
        ratios = [f"{value / seconds[peer]:.3g}" for peer in (SCIPY, "np.sum")]
        rows.append([name, f"{1e6 * value:.1f}", *ratios, said(found) if name == OURS else ""])
    if not version("statsmodels"):
        rows.append([REGRESSION, "not installed", "", "", ""])
    return table(["case", "us", "over scipy", "over np.sum", "goals"], rows), found


def said(goals: list[Goal]) -> str:
    """Goals and whether they are met, in one cell."""
    return "; ".join(f"{goal.wanted}: {goal.verdict}" for goal in goals)


# ------------------------------------------------------------------------------- many fits
def many() -> tuple[str, list[Goal]]:
    """10 000 samples of 1 000 scores, and a million pairs of statistics."""
    from scipy.special import psi

    x = scores(SYSTEMS * SMALL).reshape(SYSTEMS, SMALL)
    rng = np.random.default_rng(2)
    a, b = np.exp(rng.uniform(np.log(0.05), np.log(100.0), (2, STATISTICS)))
    known = psi(a) - psi(a + b), psi(b) - psi(a + b)
    peers, singles = ([make(row) for row in x[:LOOPED]] for make in (scipy_fit, with_precision))
    loop, batch = "a loop of scipy.stats.beta.fit", "beta_mle(*mean_logs(x)), 10 000 x 1 000"
    cases: dict[str, tuple[Case, int]] = {
        loop: (lambda: [fit() for fit in peers], LOOPED),
        "a loop of fit_distribution": (lambda: [fit() for fit in singles], LOOPED),
        batch: (lambda: br.beta_mle(*br.mean_logs(x)), SYSTEMS),
        "mean_logs(x)": (lambda: br.mean_logs(x), SYSTEMS),
        "x.sum(axis=1)": (lambda: x.sum(axis=1), SYSTEMS),
        "beta_mle of 1 000 000 statistics": (lambda: br.beta_mle(*known), STATISTICS),
    }
    seconds = medians({name: case for name, (case, _) in cases.items()}, rounds=7)
    each = {name: value / cases[name][1] for name, value in seconds.items()}
    wanted = {batch: 15.0, "beta_mle of 1 000 000 statistics": 100.0}
    goals = {
        name: Goal(name, loop, each[loop] / each[name], at_least=least)
        for name, least in wanted.items()
    }
    rows = [
        [
            name,
            f"{1e6 * value:.2f}",
            f"{each[loop] / value:.1f}",
            said([goals[name]]) if name in goals else "",
        ]
        for name, value in each.items()
    ]
    head = ["case", "us a fit", "times faster than the loop of scipy", "goal"]
    return table(head, rows), list(goals.values())


# ------------------------------------------------------------------------------ statistics
def blocked_logs(x: FloatArray) -> tuple[float, float]:
    """Two logarithms a score, in blocks that stay in the cache."""
    log = log1m = 0.0
    for start in range(0, x.size, BLOCK):
        block = x[start : start + BLOCK]
        log += float(np.log(block).sum())
        log1m += float(np.log1p(-block).sum())
    return log / x.size, log1m / x.size


def memory(case: Case) -> int:
    """Most bytes that a case held beside its input."""
    tracemalloc.start()
    case()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def statistics() -> tuple[str, list[Goal]]:
    """The two mean logarithms of 1e8 scores."""
    x = np.tile(scores(DRAWN, 3), HUGE // DRAWN + 1)[:HUGE]
    cases: dict[str, Case] = {
        "np.sum": lambda: np.sum(x),
        "mean_logs": lambda: br.mean_logs(x),
        "np.log and np.log1p in blocks": lambda: blocked_logs(x),
    }
    seconds = medians(cases, rounds=5)
    extra = {name: memory(case) / 1e6 for name, case in cases.items()}
    goals = [
        Goal("mean_logs", "np.sum", seconds["mean_logs"] / seconds["np.sum"], at_most=4.5),
        Goal("extra memory of mean_logs", "", extra["mean_logs"], at_most=1.0, unit="MB"),
    ]
    rows = [
        [
            name,
            f"{1e9 * value / HUGE:.2f}",
            f"{value / seconds['np.sum']:.1f}",
            f"{extra[name]:.2f}",
            said(goals) if name == "mean_logs" else "",
        ]
        for name, value in seconds.items()
    ]
    text = table(["case", "ns a score", "over np.sum", "extra MB", "goals"], rows)
    slow = seconds["np.log and np.log1p in blocks"] / seconds["mean_logs"]
    return (
        f"{text}\n\n{slow:.1f} times faster than the logarithms in blocks. Its checks of the scores"
        " are part of mean_logs.",
        goals,
    )


def other_laws() -> str:
    """What distributions cost whose scores lie near an end, where products would lose digits."""
    laws = {"Beta(2, 5)": (2.0, 5.0), "Beta(2, 30)": (2.0, 30.0), "Beta(0.01, 0.02)": (0.01, 0.02)}
    rng = np.random.default_rng(4)
    rows = []
    for name, shapes in laws.items():
        x = np.clip(rng.beta(*shapes, LARGE), 1e-300, 1.0 - 2.0**-53)
        cases: dict[str, Case] = {
            "np.sum": partial(np.sum, x),
            "mean_logs": partial(br.mean_logs, x),
            "blocks": partial(blocked_logs, x),
        }
        seconds = medians(cases, rounds=11)
        ours = seconds["mean_logs"]
        rows.append([name, f"{ours / seconds['np.sum']:.1f}", f"{seconds['blocks'] / ours:.2f}"])
    return table(
        ["distribution", "mean_logs over np.sum", "times faster than logarithms in blocks"], rows
    )


def run() -> tuple[str, list[Goal]]:
    """The tables, and the goals."""
    a, b = SHAPES
    small, small_goals = single(SMALL, 20, 41, {SCIPY: 0.40})
    large, large_goals = single(LARGE, 1, 21, {SCIPY: 0.12, "np.sum": 5.0})
    batch, batch_goals = many()
    sums, sum_goals = statistics()
    body = (
        f"Scores: draws of Beta({a}, {b}).\n\n"
        f"## One fit of {SMALL} scores\n\n{small}\n\n"
        f"## One fit of {LARGE} scores\n\n{large}\n\n"
        f"## Many fits\n\nLoops: {LOOPED} samples timed.\n\n{batch}\n\n"
        f"## Sufficient statistics of {HUGE} scores\n\n{sums}\n\n"
        f"## Sufficient statistics of {LARGE} scores of other distributions\n\n{other_laws()}"
    )
    return body, small_goals + large_goals + batch_goals + sum_goals


def main(write: bool | None = None) -> list[Goal]:
    """Print the tables."""
    return command(__doc__, "Beta fits: speed", "fits.md", run, write)


if __name__ == "__main__":
    main()
