"""How often a check of the fit at a rate finds wrong fits poor, and right ones good.

    python benchmarks/target_checks.py [--quick] [--write]

Impostors alone are judged, at FAR 1e-3 and at the default targets, by the count of the scores
that were fitted. Contaminated: .99 Beta(2, 8) + .01 Beta(6, 3), and with .997 + .003, fitted by
one beta; the clients are Beta(6, 3). Right fits: of the distribution that made the scores. The
standard error of a share p of k sets is sqrt(p (1 - p) / k).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from _common import report, table

import betaroc as br
from betaroc.core.notices import suppress_warnings
from betaroc.fits.check import check_targets, good_down_to

SIZES = (500, 1000, 2000, 5000, 20_000)
FAR = 1e-3
VERDICTS = ("poor", "good", "cannot tell")
#: Clients, which take no part in a FAR; of a mixture where one is fitted.
CLIENTS = {
    "beta-mixture": np.r_[
        br.Beta(2, 8).ppf(np.arange(1, 100) / 100), br.Beta(8, 2).ppf(np.arange(1, 100) / 100)
    ],
}
FEW_CLIENTS = br.Beta(6, 3).ppf(np.arange(1, 50) / 50)


def contaminated(share: float) -> Callable[[Any, int], Any]:
    """Beta(2, 8), of which a share comes from the clients' Beta(6, 3)."""

    def draw(rng: Any, n: int) -> Any:
        return np.where(rng.random(n) < share, rng.beta(6, 3, n), rng.beta(2, 8, n))

    return draw


def in_groups(rng: Any, n: int) -> Any:
    """N(0, 1) in groups of 5 with correlation .5."""
    return np.sqrt(0.5) * (np.repeat(rng.normal(size=n // 5), 5) + rng.normal(size=n))


class Case(NamedTuple):
    """How impostors are drawn, and the family that is fitted to both classes."""

    draw: Callable[[Any, int], Any]
    family: str
    grouped: bool = False
    #: Sets of this case over those of the others.
    share: float = 1.0


WRONG = {
    ".99 Beta(2, 8) + .01 Beta(6, 3)": Case(contaminated(0.01), "beta"),
    ".997 Beta(2, 8) + .003 Beta(6, 3)": Case(contaminated(0.003), "beta"),
}
RIGHT = {
    "Beta(2, 8)": Case(lambda rng, n: rng.beta(2, 8, n), "beta"),
    "Beta(0.5, 0.8)": Case(lambda rng, n: rng.beta(0.5, 0.8, n), "beta"),
    "normal": Case(lambda rng, n: rng.normal(size=n), "normal"),
    "logit-normal, sd 3": Case(
        lambda rng, n: 1 / (1 + np.exp(-rng.normal(-2, 3, n))), "logit-normal"
    ),
    ".9 Beta(2, 8) + .1 Beta(6, 3)": Case(contaminated(0.1), "beta-mixture", share=0.5),
    "normal, in groups of 5": Case(in_groups, "normal", grouped=True),
    "the same, groups not given": Case(in_groups, "normal"),
}


class Found(NamedTuple):
    """What was found in the sets of one cell."""

    verdicts: Counter[str]
    any_poor: int
    good_down: list[float]


def cell(case: Case, n: int, sets: int, seed: int) -> Found:
    """Verdicts at FAR 1e-3 and at the default targets."""
    verdicts: Counter[str] = Counter()
    any_poor, good = 0, []
    for stream in np.random.SeedSequence([seed, n]).spawn(sets):
        rng = np.random.default_rng(stream)
        groups = np.repeat(np.arange(n // 5), 5) if case.grouped else None
        clients = CLIENTS.get(case.family, FEW_CLIENTS)
        scores = br.Scores(clients, case.draw(rng, n), impostor_groups=groups)
        with suppress_warnings():
            fit = br.fit(scores, case.family)
        (one,) = check_targets(fit, far=FAR)
        verdicts[one.verdict] += 1
        default = tuple(t for t in check_targets(fit) if t.rate == "far")
        any_poor += any(t.verdict == "poor" for t in default)
        good.append(good_down_to(default).far or np.nan)
    return Found(verdicts, any_poor, good)


def rows(cases: dict[str, Case], sets: int) -> list[list[str]]:
    """A row a case and size."""
    found = []
    for seed, (name, case) in enumerate(cases.items()):
        k = round(sets * case.share)
        for n in SIZES:
            one = cell(case, n, k, seed)
            shares = [f"{one.verdicts[v] / k:.3f}" for v in VERDICTS]
            typical = np.median(np.nan_to_num(one.good_down, nan=1.0))
            down = f"{typical:g}" if typical < 1.0 else "none"
            found.append([name, str(n), *shares, f"{one.any_poor / k:.3f}", down])
            print(" ".join(found[-1]), flush=True)
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="50 sets a cell")
    parser.add_argument("--write", action="store_true", help="write results/target_checks.md")
    given = parser.parse_args()
    sets = 50 if given.quick else 1000
    start = time.perf_counter()
    head = ["impostors", "n", *VERDICTS, "any default poor", "median good down to"]
    parts = [table(head, rows(cases, sets)) for cases in (WRONG, RIGHT)]
    minutes = (time.perf_counter() - start) / 60
    body = (
        f"Verdicts at FAR {FAR:g}: shares of {sets} sets a line ({sets // 2} of the mixture), 95 %"
        f" intervals; standard error {np.sqrt(0.05 * 0.95 / sets):.4f} at .05,"
        f" {np.sqrt(0.02 * 0.98 / sets):.4f} at .02. Any default poor: the share of sets in which"
        " one default FAR target or more is poor. The last column: the median over sets of the"
        f" smallest default target down to which all are good. {minutes:.0f} minutes.\n\n"
        f"## One beta fitted to contaminated impostors\n\n{parts[0]}\n\n"
        f"## The distribution that made the scores\n\n{parts[1]}"
    )
    report("Checks of the fit at a rate", body, "target_checks.md" if given.write else None)


if __name__ == "__main__":
    main()
