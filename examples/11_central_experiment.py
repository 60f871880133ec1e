"""The central experiment on expected performance curves: two systems in opposite orders.

Usage: python 11_central_experiment.py

Bengio, Keller and Mariethoz found two systems of which one was significantly better with the
thresholds that the test set would choose, the other with those chosen beforehand. Makes that again
on generated scores, counts it on the real ones beside this script, does the same for text
categorization, and cross-validates on a test set that has shifted. Prints the tables of
docs/central.md.
"""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.special import ndtr

import betaroc as br

DATA = Path(__file__).parent / "data"
CLASSIFIERS = ("logreg", "mlp", "forest", "svmdecision")
AMOUNTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
#: Distance of the classes and shift of test: A tells them better apart, but its scores move.
A, B = (2.2, 1.0), (1.8, 0.0)
#: The same of the text classifiers.
C, D = (3.2, 0.0), (3.8, 0.8)
#: Documents of the ModApte split in EARN and in other categories: of training, and of test.
DOCUMENTS = (2877, 6726), (1087, 2212)
System = tuple[br.Scores, ...]


def drawn(
    kinds: Iterable[tuple[float, float]], sizes: Sequence[tuple[int, int]], seed: int
) -> list[System]:
    """Dev and test of systems with normal scores."""
    rng, systems = np.random.default_rng(seed), []
    for distance, shift in kinds:
        dev = br.ScoreModel(br.Normal(distance, 1), br.Normal(0, 1))
        test = dev.shifted(client=shift, impostor=shift)
        systems.append(
            tuple(m.sample(*n, rng=rng) for m, n in zip((dev, test), sizes, strict=True))
        )
    return systems


@functools.cache
def liveness(protocol: str, amount: float) -> list[System]:
    """Dev and test of four real classifiers; strong sharpening reverses the classes."""
    folders = [DATA / f"liveness_{protocol}_{name}" for name in CLASSIFIERS]
    files = "dev.csv", f"test_sharpen{amount:.2f}.csv"
    return [tuple(br.read_scores(folder / file) for file in files) for folder in folders]


def curves(
    systems: Iterable[System], criterion: str = "eer", measure: str = "hter"
) -> list[list[br.Epc]]:
    """One threshold per system: chosen on test, a posteriori, and on dev, a priori."""
    alpha = [0.5] if criterion == "weighted-error" else None
    options = {"criterion": criterion, "measure": measure, "alpha": alpha}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.SameDataWarning)  # that is what a posteriori means
        warnings.simplefilter("ignore", br.ReversedScoresWarning)
        sides = [((test, test), (dev, test)) for dev, test in systems]
        return [[br.epc(*side, **options) for side in way] for way in zip(*sides, strict=True)]


def compared(ways: Iterable[Sequence[br.Epc]]) -> list[br.Comparison]:
    """The paired bootstrap of the papers, at these thresholds."""
    return [br.compare(*way, resample="test", replicates=500, rng=1) for way in ways]


def higher(ways: Iterable[br.Comparison]) -> tuple[list[int], list[int]]:
    """Each way 1 or -1 where the first system errs significantly more or less, else 0."""
    tests = [way.proportion_test() for way in ways]
    by_proportions = [int(np.sign(t.statistic)) * (t.p_value < 0.05) for t in tests]
    return by_proportions, [int(way.low[0] > 0) - int(way.high[0] < 0) for way in ways]


def print_table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    for row in (header, ["---"] * len(header), *rows):
        print(f"| {' | '.join(map(str, row))} |")


def row(name: str, values: Iterable[float], found: br.Interval, test: str = "") -> list[str]:
    difference = f"{found.estimate:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
    return [name, *(f"{value:.3f}" for value in values), difference, test]


def row_of(name: str, way: br.Comparison) -> list[str]:
    values, test = [way.first.value[0], way.second.value[0]], ""
    if way.first.measure in ("hter", "accuracy"):
        z, p, *_ = way.proportion_test()
        test = f"z = {z:+.1f}, p = {p:.1g}"
    return row(name, values, way.mean_difference, test)


def print_experiment(n: int = 1000) -> None:
    systems = drawn((A, B), [(n, n)] * 2, seed=0)
    tests = [test for _, test in systems]
    areas = [br.interval(test, "auc").estimate for test in tests]
    rows = [row("AUC of test", areas, br.auc_test(*tests).difference)]
    chosen = {"eer": "EER", "weighted-error": "least HTER"}
    ways = zip(*(compared(curves(systems, criterion)) for criterion in chosen), strict=True)
    for side, both in zip(("test", "dev"), ways, strict=True):
        names = [f"HTER at the threshold of {side}'s {name}" for name in chosen.values()]
        rows += map(row_of, names, both)
    options = {"measure": "weighted-error", "alpha": np.linspace(0.1, 0.9, 9)}
    epcs = [br.epc(dev, test, **options) for dev, test in systems]
    found = br.compare(*epcs, replicates=200, rng=1).mean_difference
    name = "mean weighted error of the EPC, dev drawn again too"
    rows.append(row(name, [epc.area(0.1, 0.9) for epc in epcs], found))
    print_table(("", "A", "B", "A − B", "proportion test of errors"), rows)


def print_counts(seeds: int = 20) -> None:
    cases = [(A, B, n) for n in (1000, 500, 200)]
    cases += [((A[0], A[1] / 2), B, 1000), ((B[0], 0.0), B, 1000)]
    rows = []
    for first, second, n in cases:
        systems = [drawn((first, second), [(n, n)] * 2, seed) for seed in range(seeds)]
        found = [higher(compared(curves(pair))) for pair in systems]
        opposite = [sum(x[k][0] * x[k][1] < 0 for x in found) for k in (0, 1)]
        rows.append((n, f"{first[0]:g} v {second[0]:g}", f"{first[1]:g}", *opposite))
    tests = (f"by {name}, of {seeds}" for name in ("proportion tests", "the paired bootstrap"))
    print_table(("scores per class", "distance of the classes", "A shifted by", *tests), rows)


def print_real_pairs() -> None:
    rows = []
    for name, criterion in (("equal error rate", "eer"), ("least HTER", "weighted-error")):
        found = []
        for protocol, amount in itertools.product(("within", "cross"), AMOUNTS):
            ways = curves(liveness(protocol, amount), criterion)
            for pair in itertools.combinations(range(len(CLASSIFIERS)), 2):
                both = compared([[way[k] for k in pair] for way in ways])
                signs = np.array(higher(both))
                opposite = np.prod([way.difference[0] for way in both]) < 0
                found.append((1, opposite, *np.any(signs, axis=0), np.any(np.prod(signs, 1) < 0)))
        rows.append((name, *np.sum(found, axis=0)))
    header = ("threshold", "pairs", "in opposite orders", "significant a posteriori",
              "significant a priori", "both, and opposite")  # fmt: skip
    print_table(header, rows)


def print_text(seeds: int = 20) -> None:
    systems = [drawn((C, D), DOCUMENTS, seed) for seed in range(seeds)]
    rows: list[list[list[str]]] = [[], []]
    for measure in ("precision", "recall", "f1", "accuracy"):
        ways = compared(curves(systems[0], "break-even", measure))
        for k, side in enumerate(("test", "training")):
            rows[k].append(row_of(f"{measure} at {side}'s break-even point", ways[k]))
    print_table(("", "C", "D", "C − D", "proportion test of errors"), rows[0] + rows[1])
    found = [higher(compared(curves(pair, "break-even", "accuracy")))[0] for pair in systems]
    count = sum(signs == [1, -1] for signs in found)
    print(f"\nBoth proportion tests are significant, and opposite, in {count} of {seeds} seeds.")


def crossed_row(name: str, systems: list[System], true: str = "") -> list[object]:
    """The least HTER: observed on test at dev's threshold, and cross-validated on test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.ReversedScoresWarning)
        dev_to_test = [br.epc(dev, test, alpha=[0.5]).value[0] for dev, test in systems]
        crossed = [br.epc_cv(test, alpha=[0.5]).value[0] for _, test in systems]
    cells = [f"{np.mean(x):.3f}" for x in (dev_to_test, crossed)]
    if true:
        errors = [np.std(x, ddof=1) / np.sqrt(len(x)) for x in (dev_to_test, crossed)]
        cells = [f"{cell} ({error:.3f})" for cell, error in zip(cells, errors, strict=True)]
    lower = np.count_nonzero(np.less(crossed, dev_to_test))
    return [name, true, *cells, f"{lower} of {len(systems)}"]


def print_crossed(n: int = 200, seeds: int = 50) -> None:
    rows = []
    for shift in (0.0, A[1]):
        half, name = A[0] / 2, f"A, test shifted by {shift:g}"
        true = (ndtr(-half + shift) + ndtr(-half - shift)) / 2
        systems = [drawn([(A[0], shift)], [(n, n)] * 2, seed)[0] for seed in range(seeds)]
        rows.append(crossed_row(name, systems, f"{true:.3f}"))
    for amount in AMOUNTS:
        systems = liveness("within", amount) + liveness("cross", amount)
        rows.append(crossed_row(f"liveness, sharpened by {amount:g}", systems))
    header = ("", "truth", "dev to test", "cross-validated on test", "the latter lower in")
    print_table(header, rows)


if __name__ == "__main__":
    tables = print_experiment, print_counts, print_real_pairs, print_text, print_crossed
    for print_one in tables:
        print_one()
        print()
