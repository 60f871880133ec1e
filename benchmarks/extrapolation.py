"""Which intervals of a threshold miss on real scores, and which of those come with a warning.

    python benchmarks/extrapolation.py [--draws 200] [--sets 1000] [--data FOLDER] [--write]

From each real set with 20 000 impostors or more, impostors are drawn without replacement with 500
clients, both are fitted, and the 95 % interval of the threshold at a FAR is set against the
threshold of all impostors of the set. The package keeps no spoofed trials of ASV; with --data the
sets as they were published, in folders of the same names, are tried too. The other way round
score sets of six distributions are fitted with their own families: there a `MisfitWarning` is a
false one. The standard error of a share p of k draws is sqrt(p (1 - p) / k), at most .016 of 1000.
"""

from __future__ import annotations

import argparse
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import report, table
from scipy.special import expit

import betaroc as br
from betaroc.core.arrays import FloatArray

DATA = Path(__file__).parents[1] / "examples" / "data"
#: Scores off [0, 1] are mapped into it by one fixed function for the families that live there.
SETS = {
    "ASV dev": ("asvspoof19_asv/dev.csv.gz", lambda s: expit(s / 20.0)),
    "ASV eval": ("asvspoof19_asv/eval.csv.gz", lambda s: expit(s / 20.0)),
    "ECAPA dev": ("asvspoof19_ecapa_ctst/dev.csv.gz", lambda s: (s + 1.0) / 2.0),
    "ECAPA eval": ("asvspoof19_ecapa_ctst/eval.csv.gz", lambda s: (s + 1.0) / 2.0),
}
FAMILIES = ("beta", "normal", "logit-normal")
SIZES = (1000, 2000)
RATES = (1e-2, 1e-3)
CLIENTS, LEAST = 500, 20_000
#: Clients and impostors of each distribution, fitted by their own family.
RIGHT: dict[str, tuple[str, Any, Any]] = {
    "bell": ("beta", br.Beta(6, 3), br.Beta(2, 8)),
    "U": ("beta", br.Beta(0.9, 0.4), br.Beta(0.5, 0.9)),
    "reverse J": ("beta", br.Beta(3, 0.8), br.Beta(0.6, 4)),
    "normal": ("normal", br.Normal(2, 1), br.Normal(0, 1)),
    "logit-normal": ("logit-normal", br.LogitNormal(1, 1), br.LogitNormal(-1, 1.5)),
    "mixture": (
        "beta-mixture", br.BetaMixture((0.5, 0.5), (br.Beta(8, 2), br.Beta(5, 5))),
        br.BetaMixture((0.9, 0.1), (br.Beta(2, 12), br.Beta(6, 4))),
    ),
}  # fmt: skip
RIGHT_SIZES = (200, 1000, 5000)
RIGHT_RATES = (0.1, 1e-2, 1e-3)


def warned(call: Any) -> tuple[Any, set[type[Warning]]]:
    """What a call gives, and the kinds of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, {w.category for w in caught}


def quiet_fit(client: FloatArray, impostor: FloatArray, family: str) -> br.Fit:
    """A fit whose own warnings are no matter here."""
    return warned(lambda: br.fit(br.Scores(client, impostor), family))[0]


def told_of(fit: br.Fit, rate: float) -> tuple[br.Interval, set[type[Warning]]]:
    """The interval of the threshold at a FAR, and the kinds of its warnings."""
    return warned(lambda: fit.interval("threshold", far=rate))


def real(draws: int, seed: int, data: Path) -> list[list[str]]:
    """A row a set, family, number of impostors and FAR."""
    rows, rng = [], np.random.default_rng(seed)
    total = [0, 0]
    for name, (path, onto) in SETS.items():
        scores = br.read_scores(data / path)
        if scores.n_impostor < LEAST:
            continue
        for family in FAMILIES:
            plain = family == "normal"
            client, impostor = (s if plain else onto(s) for s in (scores.client, scores.impostor))
            ordered = np.sort(impostor)
            for n in SIZES:
                missed = {rate: [0, 0] for rate in RATES}
                for _ in range(draws):
                    own = rng.choice(client, CLIENTS, replace=False)
                    fit = quiet_fit(own, rng.choice(impostor, n, replace=False), family)
                    for rate, counts in missed.items():
                        true = ordered[math.ceil((1.0 - rate) * ordered.size) - 1]
                        interval, said = warned(
                            lambda f=fit, r=rate: f.interval("threshold", far=r)
                        )
                        if not interval.low <= true <= interval.high:
                            told = {br.MisfitWarning, br.ExtrapolationWarning} & said
                            counts[0] += 1
                            counts[1] += bool(told)
                for rate, (miss, told) in missed.items():
                    total = [total[0] + miss, total[1] + told]
                    share = f"{told / miss:.3f}" if miss else ""
                    rows.append([name, family, str(n), f"{rate:g}", f"{miss / draws:.3f}", share])
    rows.append(["all", "", "", "", str(total[0]), f"{total[1] / max(total[0], 1):.3f}"])
    return rows


def right(sets: int, seed: int) -> list[list[str]]:
    """A row a distribution and size: shares of sets with a misfit at each FAR."""
    rows, rng = [], np.random.default_rng(seed)
    for name, (family, client, impostor) in RIGHT.items():
        for n in RIGHT_SIZES:
            counts, tried = dict.fromkeys(RIGHT_RATES, 0), 0
            for _ in range(max(sets // (4 if family == "beta-mixture" else 1), 1)):
                try:
                    fit = quiet_fit(client.sample(n, rng), impostor.sample(n, rng), family)
                except br.FitError:  # few scores need not show both components
                    continue
                tried += 1
                for rate in counts:
                    said = told_of(fit, rate)[1]
                    counts[rate] += br.MisfitWarning in said
            cells = [f"{k / tried:.3f}" if n * rate >= 1.0 else "" for rate, k in counts.items()]
            rows.append([name, str(n), str(tried), *cells])
    return rows


def main() -> None:
    """Print both tables; with --write keep them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, help="folder of the sets as they were published")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    head = ["set", "family", "impostors", "FAR", "missed", "of these told"]
    more: list[str] = []
    if given.data is not None:
        told = table(head, real(given.draws, given.seed, given.data))
        more = [f"The sets as they were published, with the spoofed trials of ASV.\n\n{told}"]
    body = "\n\n".join([
        f"Real sets, {given.draws} draws a cell: share of draws whose interval misses the threshold"
        " of the whole set, and of these the share that came with a MisfitWarning or an"
        " ExtrapolationWarning.",
        table(head, real(given.draws, given.seed, DATA)),
        *more,
        "Distributions fitted by their own family: share of sets with a MisfitWarning, where one"
        " score or more is expected beyond.",
        table(["distribution", "scores a class", "sets", *(f"FAR {r:g}" for r in RIGHT_RATES)],
              right(given.sets, given.seed)),
    ])  # fmt: skip
    report("Numbers beyond the scores", body, "extrapolation.md" if given.write else None)


if __name__ == "__main__":
    main()
