"""How often the sentences of a report on a curve are right, cannot tell, or are wrong.

    nice python benchmarks/sentences.py [--sets 1000] [--write]

Score sets are drawn from pairs whose shape is known, fitted by their own family, and the sentences
on the whole curve, on the side of each end and on the shape of each class are read (level 95 %). Of
normal distributions, which always cross the diagonal, the truth is the side wherever a share of
1/n of the scores or more lies. "Wrong as fitted" is how often the same sentence is wrong if the
fitted curve is taken for the true one. The last table counts how often a test set is said to
contradict dev. The standard error of a share p of k sets is sqrt(p (1 - p) / k).
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections import Counter

import numpy as np
from _common import report, table
from scipy.special import ndtr

import betaroc as br
from betaroc.fits.curve_words import (
    CurveTests,
    category_words,
    curve_tests,
    seen_shape,
    whole_curve,
)
from betaroc.model.samples import empirical_model
from betaroc.report.score_set import (
    ScoreSet,
    contradictions,
    observed_points,
)

Law = tuple[float, float]
LEVEL, SEED = 0.95, 13
SIZES = (30, 300)
BETA: dict[str, tuple[Law, Law]] = {
    "hook at 0": ((0.47, 0.36), (0.77, 1.91)),
    "hook at 0, near the border": ((0.47, 0.36), (0.49, 1.91)),
    "hook at 1": ((1.91, 0.77), (0.36, 0.47)),
    "proper": ((4.0, 2.0), (2.0, 4.0)),
    "proper, near the border": ((0.49, 0.36), (0.47, 1.91)),
    "below": ((2.0, 3.0), (3.0, 2.0)),
}
NORMAL: dict[str, tuple[Law, Law]] = {
    "crossing among the scores": ((0.5, 1.0), (0.0, 2.0)),
    "crossing near the last score": ((1.5, 1.5), (0.0, 1.0)),
    "crossing beyond every score": ((2.0, 1.0), (0.0, 0.8)),
}
OPENINGS = {
    "the ROC lies above": "proper",
    "the ROC lies below the diagonal everywhere": "below",
    "the ROC lies below the diagonal wherever": "below",
    "the ROC lies below the diagonal at the low": "hook-at-zero",
    "the ROC lies below the diagonal at the high": "hook-at-one",
    "some thresholds are worse than chance": "not proper",
    "cannot tell": "cannot tell",
}
HEAD = ["pair", "n a class", "right", "cannot tell", "wrong", "wrong as fitted",
        "ends right", "ends wrong", "shapes right", "shapes wrong"]  # fmt: skip


def model_of(family: str, laws: tuple[Law, Law]) -> br.ScoreModel:
    """The true pair."""
    make = br.Normal if family == "normal" else br.Beta
    return br.ScoreModel(make(*laws[0]), make(*laws[1]))


def truth_of(model: br.ScoreModel, family: str, n: int) -> str:
    """The shape, of normal distributions that where scores are."""
    shape = model.global_shape()
    if family == "beta":
        return shape
    client, impostor = model.client, model.impostor
    apart = (client.mu - impostor.mu) / (client.sigma - impostor.sigma)
    if ndtr(-abs(apart)) >= 1.0 / n:
        return shape
    return "proper" if client.mu > impostor.mu else "below"


def claim(words: str) -> str:
    """What a sentence on the whole curve says."""
    (found,) = [shape for opening, shape in OPENINGS.items() if words.startswith(opening)]
    return found


def fitted_claim(tests: CurveTests) -> str:
    """What is said where the fitted curve is taken for the true one, as far as scores show it."""
    return seen_shape(tests.fit.model, tests.sizes)[0]


def grade(said: str, truth: str) -> str:
    """Right, wrong, or neither."""
    if said == "cannot tell":
        return said
    return "right" if said in (truth, "not proper" if truth != "proper" else truth) else "wrong"


def shape_claim(words: str) -> str:
    """The shape of a class, as it is said."""
    said = words.partition(": ")[2]
    return "cannot tell" if said.startswith("cannot tell") else said.partition(" (")[0]


def judged(fit: br.Fit, truth: str, model: br.ScoreModel) -> list[tuple[str, str]]:
    """Grades of every sentence on one fit: ("whole" or "ends" or "shapes", grade)."""
    sure = curve_tests(fit, LEVEL)
    said = claim(whole_curve(sure)[0])
    found = [("whole", grade(said, truth)), ("fitted", grade(fitted_claim(sure), truth))]
    ends = model.ends()
    for which in ("at_zero", "at_one"):
        side = "cannot tell" if sure.ends is None else getattr(sure.ends, which).side
        found.append(("ends", grade(side, getattr(ends, which).side)))
    true = model.shape_category()
    if isinstance(true, tuple):
        for words, shape in zip(category_words(sure), true, strict=True):
            found.append(("shapes", grade(shape_claim(words), shape.value)))
    return found


def drawn(model: br.ScoreModel, n: int, rng: np.random.Generator) -> br.Scores:
    """A score set without point masses at the ends."""
    values = [law.sample(n, rng) for law in (model.client, model.impostor)]
    if model.client.on_unit:
        values = [np.clip(x, 5e-324, 1.0 - 2.0**-53) for x in values]
    return br.Scores(*values)


def row(name: str, family: str, laws: tuple[Law, Law], n: int, sets: int, seed: int) -> list[str]:
    """One cell of the table."""
    model, rng = model_of(family, laws), np.random.default_rng([SEED, seed, n])
    truth = truth_of(model, family, n)
    counts: Counter[tuple[str, str]] = Counter()
    for _ in range(sets):
        fit = br.fit(drawn(model, n, rng), family)
        counts.update(judged(fit, truth, model))

    def share(what: str, how: str) -> str:
        total = sum(k for (kind, _), k in counts.items() if kind == what)
        return f"{counts[what, how] / total:.3f}" if total else ""

    cells = [
        ("whole", "right"), ("whole", "cannot tell"), ("whole", "wrong"), ("fitted", "wrong"),
        ("ends", "right"), ("ends", "wrong"), ("shapes", "right"), ("shapes", "wrong"),
    ]  # fmt: skip
    return [f"{family}, {name}", str(n), *(share(*cell) for cell in cells)]


def contradicted(
    family: str, laws: tuple[Law, Law], n: tuple[int, int], sets: int, *, by: str = ""
) -> float:
    """Share of test sets of the same distributions, or of `laws` with shifted impostors, named."""
    model, rng = model_of(family, laws), np.random.default_rng([SEED, *n, len(by)])
    there = model if not by else br.ScoreModel(model.client, br.Beta(*map(float, by.split(","))))
    hits = 0
    for _ in range(sets):
        scores = drawn(model, n[0], rng)
        own = br.fit(scores, family)
        dev = ScoreSet("dev", "dev", scores, own, empirical_model(scores, "dev"), None)
        given = drawn(there, n[1], rng)
        test = ScoreSet("test", "test", given, None, empirical_model(given, "test"), None)
        points = observed_points(dev, (test,), LEVEL)
        hits += bool(contradictions(dev, (test,), points, LEVEL))
    return hits / sets


def main() -> None:
    """The tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore", br.errors.BetarocWarning)
    rows, seed = [], 0
    for family, pairs in (("beta", BETA), ("normal", NORMAL)):
        for name, laws in pairs.items():
            seed += 1
            rows += [row(name, family, laws, n, given.sets, seed) for n in SIZES]
    text = [
        f"{given.sets} score sets a cell; standard error of a share of .05"
        f" {math.sqrt(0.0475 / given.sets):.4f}.",
        f"## Sentences on the curve, level 95 %\n\n{table(HEAD, rows)}",
    ]
    sets, rows = given.sets // 2, []
    for name, laws, by in (
        ("the same", BETA["hook at 0"], ""),
        ("the same", BETA["proper"], ""),
        ("impostors Beta(2, 2) instead of Beta(2, 4)", BETA["proper"], "2,2"),
    ):
        for n in ((30, 300), (300, 3000)):
            shares = [contradicted("beta", laws, n, sets, by=by)]
            shares.append(contradicted("empirical", laws, n, sets, by=by))
            pair = " v ".join(f"Beta({a:g}, {b:g})" for a, b in laws)
            rows.append([pair, name, f"{n[0]}, {n[1]}", *(f"{s:.3f}" for s in shares)])
    head = ["dev", "test", "n a class, dev and test", "beta fit", "scores alone"]
    text.append(
        f"## Test sets said to contradict dev, {sets} pairs of sets a cell\n\n{table(head, rows)}"
    )
    report("Sentences on curves and on test sets", "\n\n".join(text),
           "sentences.md" if given.write else None)  # fmt: skip


if __name__ == "__main__":
    main()
