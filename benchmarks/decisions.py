"""How often a guaranteed threshold keeps its bound, and what the average one has on average.

    python benchmarks/decisions.py [--quick] [--write]

Five distributions, each as it is and rounded to a grid on which scores tie; thresholds for a FAR
and for an FRR, confidence .95. A set keeps its bound where the true rate of its threshold, by the
distribution that made it, is at most the target. The exact confidence is that of the order
statistic for scores without ties: P(Beta(k + 1, n - k) <= target). The standard error of a share
p of 1000 sets is sqrt(p (1 - p) / 1000), .0069 at .95.

Thresholds come from the functions that `decide` calls; of the first sets of each cell they are
compared with those of `decide(how="guaranteed")` and `decide(how="average")` themselves.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from _common import report, table
from scipy import stats

import betaroc as br
from betaroc.core.notices import suppress_warnings
from betaroc.decision.threshold_methods import OrderedScores, Target

CONFIDENCE = 0.95
CASES = ((300, 0.01), (1000, 0.01), (1000, 0.05), (5000, 0.002))
#: Of each cell so many sets are decided by the public function too.
COMPARED = 10


class Law(NamedTuple):
    """A distribution, and the step of the grid on which its scores tie."""

    name: str
    draw: Callable[[Any, int], Any]
    cdf: Callable[[float], float]
    sf: Callable[[float], float]
    step: float


def _mixed(rng: Any, n: int) -> Any:
    return np.where(rng.random(n) < 0.01, rng.beta(6, 3, n), rng.beta(2, 8, n))


def _of(name: str, law: Any, step: float) -> Law:
    return Law(name, lambda rng, n: law.rvs(size=n, random_state=rng), law.cdf, law.sf, step)


LAWS = (
    _of("Beta(2, 8)", stats.beta(2, 8), 0.02),
    _of("normal", stats.norm(), 0.1),
    _of("Student t, 3 degrees", stats.t(3), 0.25),
    _of("log-normal", stats.lognorm(1.0), 0.25),
    Law(
        ".99 Beta(2, 8) + .01 Beta(6, 3)", _mixed,
        lambda t: 0.99 * stats.beta.cdf(t, 2, 8) + 0.01 * stats.beta.cdf(t, 6, 3),
        lambda t: 0.99 * stats.beta.sf(t, 2, 8) + 0.01 * stats.beta.sf(t, 6, 3), 0.02,
    ),
)  # fmt: skip


def true_rate(law: Law, kind: str, threshold: float, *, ties: bool) -> float:
    """P(score > threshold) or P(score <= threshold); scores on a grid are rounded ones."""
    if ties:
        k = math.floor(threshold / law.step)
        k += ((k + 1) * law.step <= threshold) - (k * law.step > threshold)
        threshold = (k + 0.5) * law.step
    return float((law.sf if kind == "far" else law.cdf)(threshold))


def cell(law: Law, kind: str, n: int, rate: float, sets: int, *, ties: bool) -> list[Any]:
    """A row of the table."""
    rng = np.random.default_rng([n, round(1e6 * rate), len(law.name), kind == "far", ties])
    kept, averages = 0, np.empty(sets)
    for k in range(sets):
        x = law.draw(rng, n)
        x = np.rint(x / law.step) * law.step if ties else x
        other = np.array([x.min() - 1.0, x.max() + 1.0])
        data = br.Scores(other, x) if kind == "far" else br.Scores(x, other)
        with suppress_warnings():
            ordered = OrderedScores(data, Target(kind, rate, CONFIDENCE))
            found = [ordered.method(how) for how in ("guaranteed", "average")]
            if k < COMPARED:
                for how, way in zip(("guaranteed", "average"), found, strict=True):
                    own = br.decide(data, **{kind: rate}, how=how, family="normal").threshold
                    if own != way.threshold:
                        raise RuntimeError(f"{law.name}: {own} is not {way.threshold}")
        one, two = (true_rate(law, kind, way.threshold, ties=ties) for way in found)
        kept += one <= rate * (1.0 + 1e-12)
        averages[k] = two
    beyond = round(found[0].expected * (n + 1)) - 1
    exact = float(stats.beta.cdf(rate, beyond + 1, n - beyond))
    error = float(np.std(averages) / math.sqrt(sets))
    return [
        law.name, "yes" if ties else "no", kind.upper(), n, f"{rate:g}", kept / sets, exact,
        float(np.mean(averages)) / rate, found[1].expected / rate, error / rate,
    ]  # fmt: skip


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    sets, start = 100 if arguments.quick else 1000, time.perf_counter()
    rows = [
        cell(law, kind, n, rate, sets, ties=ties)
        for law in LAWS for ties in (False, True) for kind in ("far", "frr") for n, rate in CASES
        if n >= math.log(1.0 - CONFIDENCE) / math.log1p(-rate)
    ]  # fmt: skip
    heads = [
        "distribution", "ties", "rate", "n", "target", "kept", "exact without ties",
        "mean rate / target", "expected / target", "standard error",
    ]  # fmt: skip
    shares = np.array([row[5] for row in rows])
    without = [row for row in rows if row[1] == "no"]
    off = max(row[5] - row[6] for row in without)
    far = max(abs(row[7] - row[8]) / row[9] for row in without)
    # Where ties are many every set may have the same threshold, and no error.
    above = max((row[7] - row[8]) / max(row[9], 1e-9) for row in rows)
    text = [
        f"{len(rows)} cells of {sets} sets, confidence {CONFIDENCE:g}. Kept: least"
        f" {shares.min():.3f}, over all cells {shares.mean():.4f}; without ties at most {off:.4f}"
        " above the exact confidence. Means of the average way: without ties at most"
        f" {far:.1f} standard errors from what is expected, of all cells at most"
        f" {above:.1f} above it. {(time.perf_counter() - start) / 60.0:.0f} minutes.",
        table(
            heads, [[f"{x:.4f}" if isinstance(x, float) else str(x) for x in row] for row in rows]
        ),
    ]
    report("Decided thresholds", "\n\n".join(text), "decisions.md" if arguments.write else None)


if __name__ == "__main__":
    main()
