"""Are planned numbers of scores enough? Simulated at the planned sizes.

    python benchmarks/planning_check.py [--sets 600] [--write] [--workers 2]

A cell plans its scores (`plan_sample_size`), draws score sets of that size, and does with each what
was planned: the mean width of the intervals of the library stands beside the wanted one, the
share of right verdicts beside the wanted chance. Of an EPC gap, which the library gives no
interval of, the range of the middle 95 % of the simulated gaps. Seeds are fixed; the number of
workers changes nothing.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from _common import report, table
from scipy.special import ndtri

import betaroc as br
from betaroc.core.arrays import FloatArray
from betaroc.fits.check import drawn_inside

Array = FloatArray

LEVEL = 0.95
#: Verdicts and gaps are counted, which takes more score sets than a mean.
_MORE = 15
LAWS: dict[str, br.ScoreModel] = {
    "bell": br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0)),
    "bell, crossing": br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(3.0, 3.5)),
    "J": br.ScoreModel(br.Beta(2.0, 0.763711), br.Beta(0.763711, 2.0)),
    "J near the border": br.ScoreModel(br.Beta(1.3, 0.8), br.Beta(0.7, 1.5)),
    "U": br.ScoreModel(br.Beta(0.95, 0.283671), br.Beta(0.283671, 0.95)),
    "U, crossing": br.ScoreModel(br.Beta(0.5, 0.3), br.Beta(0.35, 0.5)),
    "U near the border": br.ScoreModel(br.Beta(0.9, 0.5), br.Beta(0.6, 0.75)),
    "bell .99": br.ScoreModel(br.Beta(6.359831, 2.0), br.Beta(2.0, 6.359831)),
    "J .53": br.ScoreModel(br.Beta(1.05, 0.95), br.Beta(0.95, 1.05)),
    "normal": br.ScoreModel(br.Normal(1.5, 1.2), br.Normal(0.0, 0.8)),
}


class Cell(NamedTuple):
    """A plan."""

    stat: str
    laws: tuple[str, ...]
    #: Of the plan, its point among them.
    options: dict[str, Any]

    @property
    def point(self) -> dict[str, Any]:
        """Where its statistic is taken."""
        return {k: v for k, v in self.options.items() if k in ("far", "alpha", "between")}


CELLS = (
    Cell("auc", ("bell",), {"width": 0.05}),
    Cell("auc", ("J",), {"width": 0.1, "ratio": 10}),
    Cell("auc", ("U",), {"width": 0.05, "method": "delong"}),
    Cell("auc", ("normal",), {"width": 0.08, "ratio": 0.2, "method": "delong"}),
    Cell("partial-auc", ("bell",), {"width": 0.1, "ratio": 2, "between": (0.0, 0.1)}),
    Cell("eer", ("J",), {"width": 0.05}),
    Cell("eer", ("U",), {"width": 0.1, "ratio": 5}),
    Cell("tpr", ("bell",), {"width": 0.1, "far": 0.1}),
    Cell("tpr", ("J",), {"width": 0.15, "ratio": 10, "far": 0.01}),
    Cell("tpr", ("normal",), {"width": 0.1, "ratio": 0.5, "far": 0.1}),
    Cell("ks", ("U",), {"width": 0.2}),
    Cell("threshold", ("normal",), {"width": 0.4, "ratio": 2, "far": 0.05}),
    Cell("exponent-at-zero", ("bell",), {"width": 0.5}),
    Cell("exponent-at-one", ("U, crossing",), {"width": 0.5, "ratio": 4}),
    Cell("side-at-zero", ("bell, crossing",), {}),
    Cell("side-at-one", ("U, crossing",), {"power": 0.9, "ratio": 3}),
    Cell("side-at-zero", ("J",), {"power": 0.8}),
    Cell("side-at-one", ("normal",), {"ratio": 2}),
    Cell("client-shape", ("J near the border",), {}),
    Cell("impostor-shape", ("U near the border",), {"power": 0.9, "ratio": 0.5}),
    Cell("shapes", ("J",), {"ratio": 2}),
    Cell("epc-gap", ("bell",), {"width": 0.08, "alpha": 0.5}),
    Cell("epc-gap", ("J",), {"width": 0.1, "ratio": 3, "alpha": 0.2}),
    Cell("epc-gap", ("bell",), {"width": 0.08, "thresholds": "empirical", "alpha": 0.5}),
    Cell("epc-gap", ("J",), {"width": 0.1, "ratio": 3, "thresholds": "empirical", "alpha": 0.2}),
    # Hard ones: few scores, areas near 1/2 and 1, long extrapolations, few scores of a dev set.
    Cell("auc", ("bell",), {"width": 0.2}),
    Cell("auc", ("bell .99",), {"width": 0.02}),
    Cell("auc", ("bell .99",), {"width": 0.02, "method": "delong"}),
    Cell("tpr", ("bell .99",), {"width": 0.1, "far": 0.001}),
    Cell("ks", ("J .53",), {"width": 0.1}),
    Cell("h-measure", ("bell",), {"width": 0.1}),
    Cell("threshold", ("J",), {"width": 0.1, "alpha": 0.2}),
    Cell("coefficient-at-one", ("bell",), {"width": 0.5}),
    Cell("coefficient-at-one", ("bell",), {"width": 1.0}),
    Cell("side-at-one", ("bell .99",), {}),
    Cell("side-at-zero", ("J .53",), {}),
    Cell("shapes", ("J .53",), {}),
    Cell("shapes", ("U",), {"power": 0.95}),
    Cell("epc-gap", ("U",), {"width": 0.1, "thresholds": "empirical", "alpha": 0.5}),
)
#: How many of the cells are not among the hard ones.
_PLAIN = 25


class Row(NamedTuple):
    """What a cell found."""

    cell: Cell
    plan: br.SampleSize
    found: float
    error: float

    @property
    def wanted(self) -> float:
        """The width or the chance."""
        return self.plan.wanted

    @property
    def needed(self) -> tuple[float, float]:
        """Scores needed by what was found, over those planned, and its Monte Carlo error."""
        if math.isnan(self.plan.power):
            ratio = (self.found / self.wanted) ** 2
            return ratio, 2.0 * ratio * self.error / self.found
        # The probit of the chance is the chance without scores' and a multiple of sqrt(n).
        least = {"side": 0.5 * (1.0 - LEVEL), "shapes": 0.0625}.get(
            self.plan.stat.split("-")[0], 0.25
        )
        none = float(ndtri(least))

        def times(chance: float) -> float:
            return float(((ndtri(self.wanted) - none) / (ndtri(chance) - none)) ** 2)

        ends = times(self.found - self.error), times(self.found + self.error)
        return times(self.found), 0.5 * abs(ends[0] - ends[1])


# ------------------------------------------------------------------------------ simulation
def scores_of(model: br.ScoreModel, n: tuple[int, int], rng: np.random.Generator) -> br.Scores:
    """A score set, none of it on an end."""
    laws = model.client, model.impostor
    client, impostor = (drawn_inside(law, rng, k) for law, k in zip(laws, n, strict=True))
    return br.Scores(client, impostor)


def fit_of(scores: br.Scores, model: br.ScoreModel) -> br.Fit:
    """The fit of the right family."""
    return br.fit(scores, "normal" if isinstance(model.client, br.Normal) else "beta")


def one_of(cell: Cell, plan: br.SampleSize) -> Callable[[np.random.Generator], float]:
    """What a score set gives: a width, 1 or 0 for a verdict, or a gap."""
    models, n = [LAWS[name] for name in cell.laws], (plan.n_client, plan.n_impostor)
    model = models[0]

    def width(rng: np.random.Generator) -> float:
        scores = scores_of(model, n, rng)
        if plan.method != "delta":
            found = br.auc_interval(scores, LEVEL, plan.method)
        else:
            fitted = fit_of(scores, model)
            found = fitted.interval(cell.stat, **cell.point, level=LEVEL, method="family")
        return found.high - found.low

    def side(rng: np.random.Generator) -> float:
        end = cell.stat.removeprefix("side-").replace("-", "_")
        tests = fit_of(scores_of(model, n, rng), model).end_tests(LEVEL)
        return float(getattr(tests, end).side == getattr(model.ends(), end).side)

    def shape(rng: np.random.Generator) -> float:
        fit = fit_of(scores_of(model, n, rng), model)
        who = {"shapes": ("client", "impostor")}.get(cell.stat, (cell.stat.split("-")[0],))
        laws = [(getattr(fit, w).distribution, getattr(model, w)) for w in who]
        return float(all(own.shape == true.shape for own, true in laws))

    def curve(of: br.ScoreModel, rng: np.random.Generator) -> br.Epc:
        dev = scores_of(of, n, rng)
        smooth = plan.method == "smooth"
        return br.epc(
            fit_of(dev, of) if smooth else dev, scores_of(of, n, rng), alpha=[cell.options["alpha"]]
        )

    def gap(rng: np.random.Generator) -> float:
        first = curve(model, rng)
        return float(first.value[0] - first.expected[0])

    kinds = {"side": side, "client": shape, "impostor": shape, "shapes": shape, "epc": gap}
    return kinds.get(cell.stat.split("-")[0], width)


def row(job: tuple[int, int]) -> Row:
    """Simulate a cell."""
    number, sets = job
    cell = CELLS[number]
    models = tuple(LAWS[name] for name in cell.laws)
    model = models if len(models) > 1 else models[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        plan = br.plan_sample_size(cell.stat, model=model, level=LEVEL, **cell.options)
        sets *= 1 if math.isnan(plan.power) and cell.stat != "epc-gap" else _MORE
        rng = np.random.default_rng([2024, number])
        one = one_of(cell, plan)
        values = np.array([one(rng) for _ in range(sets)])
    if cell.stat == "epc-gap":
        tails = np.quantile(values, [0.5 * (1.0 - LEVEL), 0.5 * (1.0 + LEVEL)])
        return Row(cell, plan, float(np.diff(tails)[0]), _range_error(values))
    return Row(cell, plan, float(np.mean(values)), float(np.std(values) / math.sqrt(sets)))


def _range_error(values: Array) -> float:
    """Standard error of the range of the middle, of values that are nearly normal."""
    tail = 0.5 * (1.0 - LEVEL)
    z = float(ndtri(1.0 - tail))
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    variance = 2.0 * (tail * (1.0 - tail) - tail * tail) / density**2
    return float(np.std(values)) * math.sqrt(variance / values.size)


def text_of(rows: list[Row]) -> str:
    """The table."""
    head = [
        "planned", "distributions", "ratio", "client", "impostor", "wanted", "expected",
        "simulated", "error", "needed / planned", "error",
    ]  # fmt: skip
    lines = []
    for found in rows:
        plan, (needed, error) = found.plan, found.needed
        what = f"{plan.stat}@{plan.at}" if plan.at else plan.stat
        how = f", {plan.method}" if plan.method not in ("end test", "fitted shape") else ""
        stars = "" if abs(needed - 1.0) <= 0.1 else " \\*"
        stars += "" if abs(found.found / found.wanted - 1.0) <= 0.1 else " \\*\\*"
        expected = plan.width if math.isnan(plan.power) else plan.power
        lines.append(
            [
                what + how, " v ".join(found.cell.laws), f"{plan.ratio:g}", str(plan.n_client),
                str(plan.n_impostor), f"{found.wanted:g}", f"{expected:.4f}", f"{found.found:.4f}",
                f"{found.error:.4f}", f"{needed:.3f}{stars}", f"{error:.3f}",
            ]
        )  # fmt: skip
    return table(head, lines)


def _misses(rows: list[Row]) -> str:
    """How many cells are off, in words."""
    away = [abs(found.found / found.wanted - 1.0) for found in rows]
    numbers = [abs(found.needed[0] - 1.0) for found in rows]
    return (
        f"{sum(a > 0.1 for a in away)} of {len(rows)} simulated numbers are off by more than 10 %,"
        f" the worst by {100 * max(away):.1f} %, {sum(a > 0.1 for a in numbers)} numbers of scores,"
        f" the worst by {100 * max(numbers):.1f} %"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets", type=int, default=600, help=f"of a width; {_MORE} times for the rest"
    )
    parser.add_argument("--write", action="store_true", help="write results/planning.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    start = time.perf_counter()
    with ProcessPoolExecutor(given.workers) as pool:
        rows = list(pool.map(row, [(k, given.sets) for k in range(len(CELLS))]))
    minutes = (time.perf_counter() - start) / 60
    plain, hard = _misses(rows[:_PLAIN]), _misses(rows[_PLAIN:])
    laws = "; ".join(f"{k} {v.client!r} v {v.impostor!r}" for k, v in LAWS.items())
    body = (
        f"{given.sets} score sets a width, {_MORE * given.sets} a verdict or a gap. Wanted: the"
        f" full width of the {100 * LEVEL:g} % interval, or the chance of a right verdict;"
        " expected: what the"
        " planned sizes give by the plan; simulated: the mean width of the library's own intervals,"
        " of gaps the range of their middle 95 %, of verdicts the share that is right; error: one"
        " standard error of the simulation. Needed / planned: how many times as many scores the"
        " simulated number asks for. \\*: beyond 10 %; \\*\\*: the simulated number itself is more"
        f" than 10 % from the wanted one. Plain cells: {plain}. Hard cells (the lower table):"
        f" {hard}.\n\nDistributions: {laws}.\n\n{text_of(rows[:_PLAIN])}\n\n"
        f"{text_of(rows[_PLAIN:])}\n\n"
        f"{minutes:.0f} minutes with {given.workers} worker(s)."
    )
    report("Planned numbers of scores, simulated", body, "planning.md" if given.write else None)


if __name__ == "__main__":
    main()
