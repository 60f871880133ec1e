"""What the end test says at the high end of fits that do not hold there, and of fits that do."""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable

import numpy as np
from _common import report, table

import betaroc as br

Draw = Callable[[np.random.Generator, int], np.ndarray]


def mixed(share: float, rare: Draw, usual: Draw) -> Draw:
    """Impostors of two kinds."""
    return lambda r, n: np.where(r.random(n) < share, rare(r, n), usual(r, n))


#: What is drawn: the family that is fitted, clients, impostors; whether the curve is below there.
PAIRS: dict[str, tuple[str, Draw, Draw, str]] = {
    "two kinds, 6 %": ("beta", lambda r, n: r.beta(6, 2, n),
        mixed(0.06, lambda r, n: r.beta(9, 9, n), lambda r, n: r.beta(1.2, 10, n)), "above"),
    "two kinds, 15 %": ("beta", lambda r, n: r.beta(14, 6, n),
        mixed(0.15, lambda r, n: r.beta(6, 6, n), lambda r, n: r.beta(0.8, 9, n)), "above"),
    "two kinds, 12 %": ("normal", lambda r, n: r.normal(2.2, 0.6, n),
        mixed(0.12, lambda r, n: r.normal(0.8, 0.4, n), lambda r, n: r.normal(-1.2, 0.9, n)),
        "above"),
    "equal, Cauchy": ("normal", lambda r, n: r.standard_cauchy(n),
        lambda r, n: r.standard_cauchy(n), "neither"),
    "equal, t of 2": ("normal", lambda r, n: r.standard_t(2, n),
        lambda r, n: r.standard_t(2, n), "neither"),
    "uniform beside Beta(2, 1)": ("logit-normal", lambda r, n: r.beta(2, 1, n),
        lambda r, n: r.beta(1, 1, n), "above"),
    "Beta(3, 3), Beta(1.6, 1.6)": ("beta", lambda r, n: r.beta(3, 3, n),
        lambda r, n: r.beta(1.6, 1.6, n), "below"),
    "Beta(4, 3), Beta(1, 1.5)": ("beta", lambda r, n: r.beta(4, 3, n),
        lambda r, n: r.beta(1, 1.5, n), "below"),
    "N(.8, .8), N(0, 1.3)": ("normal", lambda r, n: r.normal(0.8, 0.8, n),
        lambda r, n: r.normal(0, 1.3, n), "below"),
    "N(1.2, .9), N(0, 1.3)": ("normal", lambda r, n: r.normal(1.2, 0.9, n),
        lambda r, n: r.normal(0, 1.3, n), "below"),
}  # fmt: skip
SIZES = ((300, 1000), (1500, 15_000))
WORDS = ("above", "below", "below, counts cannot tell", "cannot tell", "poor", "contradicted",
         "refused")  # fmt: skip


def word(f: br.Fit) -> str:
    """What is said of the high end."""
    try:
        test = f.end_tests().at_one
    except br.errors.InputError:
        return "refused"
    if test.side == "cannot tell" and "does not describe" in test.note:
        return "poor"
    few = test.side == "below" and "cannot tell" in test.note
    return "below, counts cannot tell" if few else test.side


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100, help="score sets a cell")
    parser.add_argument("--write", action="store_true", help="write results/sides.md")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name, (family, client, impostor, truth) in PAIRS.items():
        for n, m in SIZES:
            for fitted in (family, "best") if m == SIZES[0][1] else (family,):
                counts: Counter[str] = Counter()
                for k in range(given.sets):
                    rng = np.random.default_rng([k, n])
                    f = br.fit(br.Scores(client(rng, n), impostor(rng, m)), fitted)
                    counts[word(f)] += 1
                shown = [f"{counts[w] / given.sets:.2f}" if counts[w] else "" for w in WORDS]
                rows.append([name, truth, f"{n}, {m}", fitted, *shown])
    body = f"Shares of {given.sets} score sets a row, Monte Carlo error at most .05.\n\n"
    body += "## What is said\n\n" + table(["scores", "true side", "n", "family", *WORDS], rows)
    report("Sides of the diagonal at the high end", body, "sides.md" if given.write else None)


if __name__ == "__main__":
    main()
