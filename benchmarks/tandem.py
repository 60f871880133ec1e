"""How often intervals of the t-DCF, its minimum and the t-EER hold the truth."""

from __future__ import annotations

import argparse
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from _common import report, table
from scipy import optimize, stats

import betaroc as br

#: Countermeasure: bona fide, spoof; verifier: target, nontarget, spoof.
LAWS = {
    "beta": (stats.beta(5, 2), stats.beta(2, 5),
             stats.beta(6, 2), stats.beta(2, 6), stats.beta(5, 3)),
    "t, 3 degrees": (stats.t(3, 3), stats.t(3, 0), stats.t(3, 4), stats.t(3, 0), stats.t(3, 2.5)),
}  # fmt: skip
SIZES = (100, 1000)
#: Score sets of the t-EER, whose replicates take longest.
EQUAL_SETS = 100
STATISTICS = ("t-dcf", "min-t-dcf", "t-eer")
PRIORS, COSTS = np.array([0.9405, 0.0095, 0.05]), np.array([1.0, 10.0, 10.0])


def rates(laws: tuple, s: np.ndarray | float, t: float) -> np.ndarray:
    """Of both systems together at their thresholds."""
    bona_fide, attack, target, nontarget, spoof = laws
    passed = bona_fide.sf(s)
    miss = bona_fide.cdf(s) + passed * target.cdf(t)
    return np.array([miss, passed * nontarget.sf(t), attack.sf(s) * spoof.sf(t)])


def truth(laws: tuple) -> tuple[float, float, float]:
    """The least t-DCF with its threshold, and the t-EER."""
    bona_fide, attack, target, nontarget, _ = laws
    low, high = (law.ppf(q) for law, q in ((nontarget, 1e-4), (target, 1 - 1e-4)))
    own = optimize.brentq(lambda t: target.cdf(t) - nontarget.sf(t), low, high)

    def cost(s: np.ndarray | float) -> np.ndarray:
        return np.tensordot(PRIORS * COSTS, np.stack(np.broadcast_arrays(*rates(laws, s, own))), 1)

    default = min(cost(-np.inf), cost(np.inf))
    grid = np.linspace(attack.ppf(1e-3), bona_fide.ppf(1 - 1e-3), 200_001)
    costs = cost(grid)
    best = float(grid[np.argmin(costs)])
    near = optimize.least_squares(
        lambda at: np.diff(rates(laws, *at)), (best, own), xtol=1e-14, ftol=1e-14, gtol=1e-14
    )
    if near.cost > 1e-12:
        raise ValueError("no pair of thresholds has equal rates")
    return float(np.min(costs) / default), best, float(np.mean(rates(laws, *near.x)))


def drawn(laws: tuple, n: int, rng: np.random.Generator, at: float) -> object:
    """A tandem of so many trials of each population."""
    strata = np.repeat(["nontarget", "spoof"], n)
    bona_fide, attack, *verifier = laws
    cm = [law.rvs(n, random_state=rng) for law in (bona_fide, bona_fide, attack)]
    asv = [law.rvs(n, random_state=rng) for law in verifier]
    cm, asv = (br.Scores(x[0], np.concatenate(x[1:]), impostor_strata=strata) for x in (cm, asv))
    return br.tandem(cm, asv, cm_threshold=at)


def covered(cell: tuple) -> list[float]:
    """Shares of sets whose interval holds the truth, and how far minima are from it."""
    name, n, sets, replicates = cell
    laws, rng = LAWS[name], np.random.default_rng([n, len(name)])
    least, at, equal = truth(laws)
    held, plain, corrected = [], [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(sets):
            system, row = drawn(laws, n, rng, at), []
            for stat, true in zip(STATISTICS, (least, least, equal), strict=True):
                if stat == "t-eer" and k >= EQUAL_SETS:
                    row.append(np.nan)
                    continue
                interval = br.interval(system, stat, replicates=replicates, rng=k)
                row.append(interval.low <= true <= interval.high)
                if stat == "min-t-dcf":
                    plain.append(system.min_t_dcf - least)
                    corrected.append(interval.estimate - least)
            held.append(row)
    return [least, equal, *np.nanmean(held, axis=0), np.mean(plain), np.mean(corrected)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200, help="score sets a cell")
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="write results/tandem.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    cells = [(name, n, given.sets, given.replicates) for n in SIZES for name in LAWS]
    with ProcessPoolExecutor(given.workers) as pool:
        result = []
        for values in pool.map(covered, cells):
            print(values, flush=True)
            result.append(values)
    head = ["distributions", "n", "true t-DCF", "true t-EER", *STATISTICS,
            "error of the minimum", "corrected"]  # fmt: skip
    rows = [
        [name, str(n), *(f"{x:.3f}" for x in values)]
        for (name, n, *_), values in zip(cells, result, strict=True)
    ]
    body = (
        "Shares of sets whose 95 % interval holds the truth, n trials of targets, of nontargets and"
        " of spoofs, costs and priors of ASVspoof, the verifier at its EER threshold; the threshold"
        f" of the countermeasure is that of the true least t-DCF; {given.sets} sets a cell "
        f"(standard error {np.sqrt(0.05 * 0.95 / given.sets):.3f} at .95), {given.replicates}"
        " replicates;"
        f" {EQUAL_SETS} sets of the t-EER."
        f"\n\n{table(head, rows)}"
    )
    report("Countermeasures in front of a verifier", body, "tandem.md" if given.write else None)


if __name__ == "__main__":
    main()
