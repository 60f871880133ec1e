"""What the verdict of br.inclusion says of a suppressor, of a near copy and of noise.

    python benchmarks/suppressor.py [--quick] [--write]

Logits, e ~ N(0, 1): A = +-.7 + e, B = A + N(0, .15), S = e + N(0, .3), and noise N(0, 1). S tells
nothing alone: it corrects A. Verdicts of 40 draws, with .15 read as the standard deviation of B
about A and as its variance; then how often the interval of the gain covers the mean gain over
training sets, which is the mean of the estimates; then processor time by classifiers.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from typing import Any

import numpy as np
from _common import report, table
from scipy.stats import norm

import betaroc as br
from betaroc.core.notices import suppress_warnings

WORDS = ("include", "adds nothing", "leave out", "cannot tell")
#: What is added to what.
ADDED = {"S": ("A", "AB"), "B": ("A", "AS"), "N": ("A", "AS", "ABS")}
WHAT = {"S": "the suppressor S", "B": "the near copy B", "N": "noise"}
READINGS = {"standard deviation .15": 0.15, "variance .15": math.sqrt(0.15)}
SIZES = (1500, 200)
#: Classifier, beside which others: the intervals that are counted.
COVERED = (("S", "A"), ("B", "A"), ("A", "B"), ("N", "ABS"), ("A", "N"))
COVERED_SIZES = (60, 200, 1000)


def drawn(rng: Any, n: int, spread: float) -> dict[str, br.Scores]:
    """The four classifiers of n trials a class."""
    made = []
    for shift in (0.7, -0.7):
        e = rng.normal(size=n)
        a = shift + e
        made.append({"A": a, "B": a + rng.normal(0, spread, n), "S": e + rng.normal(0, 0.3, n),
                     "N": rng.normal(size=n)})  # fmt: skip
    return {name: br.Scores(made[0][name], made[1][name]) for name in made[0]}


def verdict(scores: dict[str, br.Scores], names: str, of: str) -> br.Verdict:
    """Of one classifier in an ensemble."""
    with suppress_warnings():
        return br.inclusion({name: scores[name] for name in names}, family="normal").verdict[of]


def words(sets: int, spread: float) -> list[list[str]]:
    """A row a size, a classifier and those to which it is added."""
    rows = []
    for n in SIZES:
        found: dict[tuple[str, str], list[br.Verdict]] = {}
        for stream in np.random.SeedSequence([n, 1]).spawn(sets):
            scores = drawn(np.random.default_rng(stream), n, spread)
            for of, bases in ADDED.items():
                for base in bases:
                    found.setdefault((of, base), []).append(verdict(scores, base + of, of))
        for (of, base), all_of in found.items():
            counts = Counter(v.word for v in all_of)
            gain = np.mean([[v.gain.without, v.gain.with_it] for v in all_of], axis=0)
            other = sets - sum(counts[word] for word in WORDS)
            rows.append([f"{n}", WHAT[of], " + ".join(base), *(f"{counts[w]}" for w in WORDS),
                         f"{other}", f"{gain[0]:.4f}", f"{gain[1]:.4f}"])  # fmt: skip
            print(" | ".join(rows[-1]), flush=True)
    return rows


def coverage(sets: int) -> list[list[str]]:
    """A row a classifier, those beside it, and a size."""
    rows = []
    for n in COVERED_SIZES:
        streams = np.random.SeedSequence([n, 2]).spawn(sets)
        draws = [drawn(np.random.default_rng(stream), n, 0.15) for stream in streams]
        for of, base in COVERED:
            gains = [verdict(scores, base + of, of).gain for scores in draws]
            estimate, low, high = np.array([[g.estimate, g.low, g.high] for g in gains]).T
            truth = estimate.mean()
            covered = np.mean((low <= truth) & (truth <= high))
            rows.append([f"{n}", WHAT.get(of, of), " + ".join(base).replace("N", "noise"),
                         f"{truth:.5f}", f"{covered:.3f}", f"{estimate.std():.5f}",
                         f"{np.mean(high - low) / 2:.5f}"])  # fmt: skip
            print(" | ".join(rows[-1]), flush=True)
    return rows


def times() -> list[list[str]]:
    """Processor seconds of one call on 1500 trials a class, without and with what is lazy."""
    rng = np.random.default_rng(3)
    rows = []
    for k in (2, 4, 10, 50):
        common = rng.normal(size=(2, 1500))
        scores = {
            f"m{j}": br.Scores(*(shift + c + rng.normal(size=1500)
                                 for shift, c in zip((0.5, -0.5), common, strict=True)))
            for j in range(k)
        }  # fmt: skip
        with suppress_warnings():
            start = time.process_time()
            result = br.inclusion(scores)
            middle = time.process_time()
            str(result)
        rows.append([f"{k}", f"{middle - start:.2f}", f"{time.process_time() - middle:.2f}"])
    return rows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="4 draws, 20 sets")
    parser.add_argument("--write", action="store_true", help="write results/suppressor.md")
    given = parser.parse_args()
    draws, sets = (4, 20) if given.quick else (40, 200)
    start = time.process_time()
    head = ["trials a class", "added", "to", *WORDS, "by the own ROC", "AUC without", "AUC with"]
    parts = [
        f"## B about A: {name}\n\n{table(head, words(draws, spread))}"
        for name, spread in READINGS.items()
    ]
    head = ["trials a class", "classifier", "beside", "mean gain", "covered", "sd of estimates",
            "half width"]  # fmt: skip
    cover = table(head, coverage(sets))
    clock = table(
        ["classifiers", "inclusion(...), s", "and printed with all six rules, s"], times()
    )
    minutes = (time.process_time() - start) / 60
    best = norm.cdf(0.7 * math.sqrt(2.0) * math.sqrt(1.09 / 0.09))
    body = (
        f"Verdicts of {draws} draws; the last words are those of the own ROC, which decides where"
        " the gain cannot be told and it speaks against a classifier. Areas are means over the"
        f" draws; by theory A alone has {norm.cdf(1.4 / math.sqrt(2.0)):.4f}, the best weights of"
        f" A and S have {best:.4f}. {minutes:.0f} minutes of processor time.\n\n"
        + "\n\n".join(parts)
        + f"\n\n## Coverage of the 95 % interval\n\n{sets} sets a line (standard error"
        f" {math.sqrt(0.05 * 0.95 / sets):.3f}); B about A with standard deviation .15. The gain"
        " that is covered is the mean over training sets: the interval holds the fusions fixed, and"
        " is short where what is learned without the classifier is chance, as beside noise alone;"
        " it is long where few trials change their rank.\n\n"
        f"{cover}\n\n## Time\n\n1500 trials a class.\n\n{clock}"
    )
    report("A suppressor, a near copy and noise", body, "suppressor.md" if given.write else None)


if __name__ == "__main__":
    main()
