"""Simulated size of the tests of the ends and of the whole curve, at level 0.05.

    python benchmarks/size_tests.py [--sets 4000] [--write] [--workers 2] [--guard]

--guard makes the last table alone: what counts say of true and false sides.

Score sets are drawn from distributions that obey the hypothesis, fitted, and tested; a size is the
share of sets whose p-value is at most 0.05. The standard error of a share p of k sets is
sqrt(p (1 - p) / k), .0034 at .05 and k = 4000. Sizes of the masses' test are exact: all pairs of
counts, weighted with their binomial probabilities.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from _common import report, table
from scipy.special import ndtr
from scipy.stats import binom, fisher_exact, norm

import betaroc as br
from betaroc.core.arrays import FloatArray, IntArray
from betaroc.fits.shape_tests import FittedEnds, ZTest, fisher_midp

Laws = tuple[tuple[float, float], tuple[float, float]]

LEVEL = 0.05
BLOCK = 250
SIZES = ((10, 10), (30, 30), (100, 100), (1000, 1000), (30, 3000), (3000, 30))
#: a is shared at zero, b at one; the other shape differs, so that the hypothesis is no corner.
ENDS: dict[str, dict[str, Laws]] = {
    "at_zero": {
        "U v U": ((0.5, 0.4), (0.5, 0.8)),
        "steep U v U": ((0.15, 0.3), (0.15, 0.9)),
        "J v reverse-J (a = 1)": ((1.0, 0.5), (1.0, 3.0)),
        "bell v bell": ((4.0, 2.0), (4.0, 8.0)),
    },
    "at_one": {
        "U v U": ((0.7, 0.4), (0.3, 0.4)),
        "steep U v U": ((0.6, 0.2), (0.2, 0.2)),
        "J v reverse-J (b = 1)": ((3.0, 1.0), (0.4, 1.0)),
        "bell v bell": ((9.0, 3.0), (2.0, 3.0)),
    },
}
#: Proper curves: the diagonal, one end on it, and none.
CURVES: dict[str, Laws] = {
    "U, equal distributions": ((0.5, 0.4), (0.5, 0.4)),
    "J, equal distributions": ((2.0, 0.5), (2.0, 0.5)),
    "bell, equal distributions": ((4.0, 2.0), (4.0, 2.0)),
    "U v U, on the diagonal at zero": ((0.5, 0.4), (0.5, 0.8)),
    "bell v bell, on the diagonal at zero": ((4.0, 2.0), (4.0, 8.0)),
    "bell v bell, on the diagonal at one": ((9.0, 3.0), (2.0, 3.0)),
    "bell v bell, above at both": ((4.0, 2.0), (2.0, 4.0)),
}
NORMAL: dict[str, Laws] = {
    "normal, equal distributions": ((0.0, 1.0), (0.0, 1.0)),
    "normal, equal spreads, AUC .76": ((1.0, 1.0), (0.0, 1.0)),
}
#: Family, clients, impostors, end and the true side; parts of a class are (share, parameters).
#: The true side of N(.8, .4) is that of FARs above 1e-29, past which the other part is wider.
GUARD: dict[str, tuple[str, Any, Any, str, str]] = {
    "beta(3, 3) v beta(1.6, 1.6)": ("beta", [(1, 3, 3)], [(1, 1.6, 1.6)], "at_one", "below"),
    "beta(4, 3) v beta(1, 1.5)": ("beta", [(1, 4, 3)], [(1, 1, 1.5)], "at_one", "below"),
    "N(.8, .8) v N(0, 1.3)": ("normal", [(1, 0.8, 0.8)], [(1, 0, 1.3)], "at_one", "below"),
    "N(1.2, .9) v N(0, 1.3)": ("normal", [(1, 1.2, 0.9)], [(1, 0, 1.3)], "at_one", "below"),
    "beta(4, 2) v beta(2, 4)": ("beta", [(1, 4, 2)], [(1, 2, 4)], "at_one", "above"),
    "N(1, 1) v N(0, 1.1)": ("normal", [(1, 1, 1)], [(1, 0, 1.1)], "at_zero", "above"),
    "impostors .06 beta(9, 9)": (
        "beta", [(1, 6, 2)], [(0.06, 9, 9), (0.94, 1.2, 10)], "at_one", "above"),
    "impostors .15 beta(6, 6)": (
        "beta", [(1, 14, 6)], [(0.15, 6, 6), (0.85, 0.8, 9)], "at_one", "above"),
    "impostors .12 N(.8, .4)": (
        "normal", [(1, 2.2, 0.6)], [(0.12, 0.8, 0.4), (0.88, -1.2, 0.9)], "at_one", "above"),
    "clients .1 beta(1.2, 6)": (
        "beta", [(0.1, 1.2, 6), (0.9, 8, 2)], [(1, 2, 6)], "at_zero", "below"),
}  # fmt: skip
#: What becomes of a side; the first two are stated.
OUTCOMES = ("the true side", "the other", "counts cannot tell", "contradicted", "family poor")
CURVE_SIZES = ((10, 10), (30, 30), (100, 100), (30, 300))
PEOPLE = (10, 20, 40, 100)
#: Trials of a person in a class, and the correlation of two of them.
TRIALS, DEPENDENCE = 5, 0.4


class Design(NamedTuple):
    """One cell: what is drawn, and what is asked of it."""

    kind: str
    laws: Laws
    n: tuple[int, int]
    end: str = "at_zero"


def drawn(law: tuple[float, float], n: int, rng: np.random.Generator) -> FloatArray:
    """Scores strictly inside (0, 1)."""
    return np.clip(rng.beta(*law, n), 5e-324, 1.0 - 2.0**-53)


def grouped(design: Design, rng: np.random.Generator) -> br.Scores:
    """Each person has TRIALS trials in each class, all of them correlated."""
    people = design.n[0]
    who = np.repeat(np.arange(people), TRIALS)
    person = rng.normal(size=people)[who]
    values = []
    for law in design.laws:
        own = rng.normal(size=who.size)
        z = math.sqrt(DEPENDENCE) * person + math.sqrt(1.0 - DEPENDENCE) * own
        if design.kind == "grouped shares":
            x = drawn((2.0, 3.0), who.size, rng)
            x[z > norm.isf(0.2)] = 0.0
        else:
            x = np.clip(br.Beta(*law).ppf(ndtr(z)), 5e-324, 1.0 - 2.0**-53)
        values.append(x)
    return br.Scores(*values, client_groups=who, impostor_groups=who)


def mixed(family: str, parts: Any, n: int, rng: np.random.Generator) -> FloatArray:
    """Scores of a class of several kinds."""
    which = rng.choice(len(parts), n, p=[part[0] for part in parts])
    draw = rng.normal if family == "normal" else rng.beta
    return np.choose(which, [draw(*part[1:], n) for part in parts])


def outcome(design: Design, rng: np.random.Generator) -> list[float]:
    """0 at what becomes of the side of an end, else 1; nowhere 0 where the test cannot tell."""
    family, client, impostor, end, true = GUARD[design.kind]
    parts = zip((client, impostor), design.n, strict=True)
    sides = [mixed(family, part, n, rng) for part, n in parts]
    test = getattr(br.fit(br.Scores(*sides), family).end_tests(), end)
    if "does not describe" in test.note:
        word = "family poor"
    elif "counts cannot tell" in test.note:
        word = "counts cannot tell"
    elif test.side in ("above", "below"):
        word = OUTCOMES[test.side != true]
    else:
        word = test.side
    return [float(name != word) for name in OUTCOMES]


def end_test(fit: br.Fit, end: str) -> ZTest:
    """The test of one end alone: what `Fit.end_tests` says of it, in half the time."""
    return FittedEnds.of(fit, groups=True).test(end)


def one_set(design: Design, rng: np.random.Generator) -> list[float]:
    """p-values of one score set."""
    if design.kind in GUARD:
        return outcome(design, rng)
    if design.kind.startswith("grouped"):
        test = end_test(br.fit(grouped(design, rng)), "at_zero")
        return [test.p_value, 1.0 - ndtr(test.z), ndtr(test.z)]
    if design.kind.startswith("normal"):
        sides = [rng.normal(*law, n) for law, n in zip(design.laws, design.n, strict=True)]
        fit = br.fit(br.Scores(*sides), "normal")
    else:
        sides = [drawn(law, n, rng) for law, n in zip(design.laws, design.n, strict=True)]
        fit = br.fit(br.Scores(*sides))
    if design.kind.endswith("curve"):
        curve = fit.curve_test()
        return [curve.p_proper, curve.p_no_crossing]
    test = end_test(fit, design.end)
    found = [test.p_value, 1.0 - ndtr(test.z), ndtr(test.z)]
    name = {"at_zero": "a", "at_one": "b"}[design.end]
    if design.kind == "ends":
        ratio = math.log(fit.client.params[name] / fit.impostor.params[name])
        errors = (r.std_errors[name] / r.params[name] for r in (fit.client, fit.impostor))
        found.append(2.0 * ndtr(-abs(ratio / math.hypot(*errors))))
    return found


def rejected(design: Design, seeds: list[np.random.SeedSequence]) -> IntArray:
    """In how many sets each p-value is at most the level."""
    # What lies below the diagonal is not asked for, and costs more than the tests.
    with (
        warnings.catch_warnings(),
        mock.patch("betaroc.fits.shape_tests.counted_hooks", return_value=()),
    ):
        warnings.simplefilter("ignore", br.BetarocWarning)
        values = [one_set(design, np.random.default_rng(seed)) for seed in seeds]
    return np.sum(np.array(values) <= LEVEL, axis=0)


def shares(pool: ProcessPoolExecutor, design: Design, number: int, sets: int) -> FloatArray:
    """Sizes of a cell; the same for any number of workers."""
    seeds = np.random.SeedSequence([2026, number]).spawn(sets)
    blocks = [seeds[k : k + BLOCK] for k in range(0, sets, BLOCK)]
    found = sum(pool.map(rejected, [design] * len(blocks), blocks)) / sets
    print(design, np.round(found, 4), file=sys.stderr, flush=True)
    return np.asarray(found)


def exact_size(test: Callable[..., float], n: tuple[int, int], p: float) -> float:
    """Probability of a p-value of at most the level, both classes having the share p."""
    chances = [binom.pmf(np.arange(m + 1), m, p) for m in n]
    kept = [np.flatnonzero(c > 1e-8) for c in chances]
    total = 0.0
    for c in kept[0].tolist():
        for i in kept[1].tolist():
            if c + i and test(c, n[0], i, n[1]) <= LEVEL:
                total += chances[0][c] * chances[1][i]
    return float(total)


def mid_p(c: int, n_c: int, i: int, n_i: int) -> float:
    """The test of the package."""
    return fisher_midp((c, n_c), (i, n_i)).p_value


def fisher(c: int, n_c: int, i: int, n_i: int) -> float:
    """Fisher's own."""
    return float(fisher_exact([[c, n_c - c], [i, n_i - i]]).pvalue)


def mass_row(case: tuple[tuple[int, int], float]) -> list[str]:
    """Exact sizes of both tests of masses."""
    n, p = case
    print(case, file=sys.stderr, flush=True)
    sizes = [exact_size(test, n, p) for test in (mid_p, fisher)]
    return [f"{n[0]} v {n[1]}", f"{p:g}", *(f"{s:.3f}" for s in sizes)]


def shown(value: float) -> str:
    """A size; bold outside .04 to .06."""
    return f"{value:.3f}" if 0.04 <= value <= 0.06 else f"**{value:.3f}**"


def pairs(kinds: list[tuple[str, dict[str, Laws]]], sizes: Any) -> list[tuple[str, Design]]:
    """Cells of several tables of distributions."""
    return [
        (name, Design(kind, laws, n))
        for kind, cells in kinds for name, laws in cells.items() for n in sizes
    ]  # fmt: skip


def guard_table(pool: ProcessPoolExecutor, sets: int) -> str:
    """Shares of sets whose side is stated, contradicted or left open."""
    rows = []
    for k, (name, case) in enumerate(GUARD.items()):
        for n in ((300, 1000), (1500, 15_000)):
            found = shares(pool, Design(name, ((0, 0), (0, 0)), n), 1000 + k, sets)
            row = [name, f"{case[4]} {case[3]}", f"{n[0]} v {n[1]}"]
            rows.append([*row, *(f"{v:.3f}" for v in found)])
    head = ["clients v impostors", "truth", "n", *OUTCOMES]
    return f"## What counts say of a side, {sets} sets a cell\n\n{table(head, rows)}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=4000, help="score sets a cell")
    parser.add_argument("--write", action="store_true", help="write results/size_tests.md")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--guard", action="store_true", help="the last table alone")
    given = parser.parse_args()
    start = time.perf_counter()
    text = []
    if given.guard:
        with ProcessPoolExecutor(given.workers) as pool:
            print(guard_table(pool, given.sets))
        return
    with ProcessPoolExecutor(given.workers) as pool:
        rows, number = [], 0
        for end, cells in ENDS.items():
            for name, laws in cells.items():
                for n in SIZES:
                    number += 1
                    found = shares(pool, Design("ends", laws, n, end), number, given.sets)
                    rows.append([end, name, f"{n[0]} v {n[1]}", *map(shown, found)])
        head = ["end", "distributions", "n", "size"]
        head += ["above, one-sided", "below, one-sided", "Wald's"]
        text.append(
            f"## Ends of beta fits: the shape that decides is shared\n\n{table(head, rows)}"
        )
        rows = []
        for n in SIZES:
            number += 1
            design = Design("normal ends", NORMAL["normal, equal spreads, AUC .76"], n)
            found = shares(pool, design, number, given.sets)
            rows.append([f"{n[0]} v {n[1]}", *map(shown, found)])
        text.append(f"## Ends of normal fits: equal spreads\n\n{table(['n', *head[3:6]], rows)}")
        rows = []
        for kind in ("grouped shapes", "grouped shares"):
            for people in PEOPLE:
                number += 1
                laws = (2.0, 1.0), (2.0, 3.0)
                found = shares(pool, Design(kind, laws, (people, people)), number, given.sets)
                rows.append([kind.partition(" ")[2], str(people), *map(shown, found)])
        text.append(
            f"## Ends with groups: {TRIALS} trials of a person in each class, correlation"
            f" {DEPENDENCE}\n\n{table(['test of', 'people', *head[3:6]], rows)}"
        )
        rows = []
        cells = pairs([("beta curve", CURVES), ("normal curve", NORMAL)], CURVE_SIZES)
        for name, design in cells:
            number += 1
            found = shares(pool, design, number, given.sets // 2)
            n = design.n
            rows.append([name, f"{n[0]} v {n[1]}", *(f"{v:.3f}" for v in found)])
        head = ["distributions", "n", "proper", "no crossing"]
        text.append(f"## The whole curve: both hypotheses hold\n\n{table(head, rows)}")
        cases = [
            (n, p)
            for n in ((30, 30), (100, 100), (30, 300), (300, 300))
            for p in (0.05, 0.1, 0.2, 0.5)
        ]
        head = ["n", "share", "mid-p", "Fisher's"]
        rows = list(pool.map(mass_row, cases))
        text.append(f"## Masses on an end, exact\n\n{table(head, rows)}")
        text.append(guard_table(pool, given.sets // 10))
    minutes = (time.perf_counter() - start) / 60
    text.insert(
        0,
        f"Sizes at level {LEVEL}; {given.sets} score sets a cell (standard error"
        f" {math.sqrt(LEVEL * (1 - LEVEL) / given.sets):.4f}), half as many for the whole curve;"
        " bold outside .04 to .06."
        f" {minutes:.0f} minutes with {given.workers} worker(s).",
    )
    file = "size_tests.md" if given.write else None
    report("Size of the tests of ends and curves", "\n\n".join(text), file)


if __name__ == "__main__":
    main()
