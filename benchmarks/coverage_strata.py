"""How often bands over strata hold the truth, and how often equal systems are told apart."""

from __future__ import annotations

import argparse
import math
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import numpy as np
from _common import report, table
from scipy import stats

import betaroc as br

LEVEL = 0.95
ALPHAS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
#: The clients' distribution, and that of impostors by a shift of each stratum.
LAWS = {
    "beta": (stats.beta(5, 2), lambda k: stats.beta(2 + 0.5 * k, 5)),
    "normal": (stats.norm(2, 1), lambda k: stats.norm(0.3 * k, 1)),
    "exponential": (stats.expon(1, 1), lambda k: stats.expon(0, 0.4 + 0.1 * k)),
    "t, 3 degrees": (stats.t(3, 3), lambda k: stats.t(3, 0.4 * k)),
}
SIZES = (100, 1000)
STRATA = (3, 13)
#: Trials of a person of each kind, and how they correlate.
TRIALS, CORRELATION = 10, 0.2


def labels(count: int, n: int) -> np.ndarray:
    """The stratum of each impostor."""
    return np.repeat([f"s{k}" for k in range(count)], n)


def drawn(rng: np.random.Generator, laws: tuple, n: int, shifts: np.ndarray) -> br.Scores:
    """So many trials of clients and of each stratum of impostors."""
    client, impostor = laws
    parts = [impostor(k).rvs(n, random_state=rng) for k in shifts]
    client = client.rvs(n, random_state=rng)
    return br.Scores(client, np.concatenate(parts), impostor_strata=labels(len(parts), n))


def of_persons(rng: np.random.Generator, laws: tuple, n: int, shifts: np.ndarray) -> br.Scores:
    """The same of normal scores, by persons who are in each stratum and among the clients."""
    persons = np.repeat(np.arange(n // TRIALS).astype(str), TRIALS)
    person = np.repeat(rng.normal(size=n // TRIALS), TRIALS) * math.sqrt(CORRELATION)
    client, *parts = (
        law.mean() + person + rng.normal(size=n) * math.sqrt(1.0 - CORRELATION)
        for law in (laws[0], *map(laws[1], shifts))
    )
    return br.Scores(
        client, np.concatenate(parts), impostor_strata=labels(len(parts), n),
        client_groups=persons, impostor_groups=np.tile(persons, len(parts)),
    )  # fmt: skip


@cache
def real() -> br.Scores:
    """The shipped recaptures with three sharpenings, which are drawn from."""
    return br.datasets.load_liveness(sharpened=[0.0, 0.2, 0.4]).test


def of_real(rng: np.random.Generator, _laws: None, n: int, _shifts: np.ndarray) -> br.Scores:
    """Trials of the shipped scores, so many of the clients and of each sharpening."""
    scores = real()
    parts = [scores.impostor[scores.impostor_strata == k] for k in scores.strata.impostor]
    client, *rest = (rng.choice(x, n) for x in (scores.client, *parts))
    return br.Scores(client, np.concatenate(rest), impostor_strata=labels(len(rest), n))


def truth(
    laws: tuple | None, shifts: np.ndarray, weights: np.ndarray | None, t: np.ndarray
) -> np.ndarray:
    """HTER over strata at thresholds."""
    if laws is None:
        scores = real()
        parts = [scores.impostor[scores.impostor_strata == k] for k in scores.strata.impostor]
        far = np.array([np.mean(part[:, None] > t, axis=0) for part in parts])
        frr = np.mean(scores.client[:, None] <= t, axis=0)
    else:
        far, frr = np.array([laws[1](k).sf(t) for k in shifts]), laws[0].cdf(t)
    worst = far.max(axis=0) if weights is None else np.tensordot(weights, far, 1)
    return 0.5 * (worst + frr)


def covered(cell: tuple) -> list[float]:
    """Shares of sets whose band holds the truth: fixed thresholds, all alphas at once, and both."""
    what, name, n, count, over, sets, both = cell
    laws, rng = LAWS.get(name), np.random.default_rng([n, count, len(name), over == "worst"])
    draw = {"persons": of_persons, "real": of_real}.get(what, drawn)
    # Two of the strata are equal and the worst; the weights are not whole numbers of trials.
    shifts = np.append(np.linspace(0.0, 2.0, count - 1), 2.0) * (0.5 if count > 3 else 1.0)
    weights = None if over == "worst" else np.arange(1.0, count + 1.0) ** 2
    if weights is not None:
        weights /= weights.sum()
        over = {f"s{k}": w for k, w in enumerate(weights)}

    def side() -> object:
        scores = draw(rng, laws, n, shifts)
        return br.fit(scores, name, by="stratum") if what == "fits" else scores

    fixed, joint, again, means = [], [], [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(sets):
            dev, test = side(), side()
            curve = br.epc(dev, test, alpha=ALPHAS, over=over)
            true = truth(laws, shifts, weights, curve.threshold)
            band = curve.band(resample="test", level=LEVEL)
            fixed.append((band.low <= true) & (true <= band.high))
            band = curve.band(resample="test", simultaneous=True, replicates=2000, level=LEVEL)
            joint.append(np.all((band.low <= true) & (true <= band.high)))
            means.append(true)
            if k < both:
                band = curve.band(replicates=200, rng=k, level=LEVEL)
                again.append((band.low, band.high))
    result = [float(np.min(np.mean(fixed, axis=0))), float(np.mean(fixed)), float(np.mean(joint))]
    if both:
        mean = np.mean(means, axis=0)
        held = np.mean([(low <= mean) & (mean <= high) for low, high in again], axis=0)
        result += [float(np.min(held)), float(np.mean(held))]
    return result


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000, help="score sets a cell")
    parser.add_argument("--both", type=int, default=100, help="of them with dev drawn again")
    parser.add_argument("--only", default="", help="scores, fits, persons or real")
    parser.add_argument("--write", action="store_true", help="write results/coverage_strata.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    kinds = [("scores", name, count) for name in LAWS for count in STRATA]
    kinds += [("fits", name, 3) for name in ("beta", "normal")]
    kinds += [("persons", "normal", 3), ("real", "recaptures", 3)]
    cells = [
        (*kind[:2], n, kind[2], over, given.sets, given.both)
        for over in ("worst", "weights") for kind in kinds for n in SIZES
        if given.only in ("", kind[0])
    ]  # fmt: skip
    with ProcessPoolExecutor(given.workers) as pool:
        result = list(pool.map(covered, cells))
    head = ["over", "of", "distributions", "strata", "n", "least", "mean", "all alphas at once"]
    head += ["dev again, least", "dev again, mean"] * bool(given.both)
    rows = [
        [over, what, name, str(count), str(n), *(f"{share:.3f}" for share in shares)]
        for (what, name, n, count, over, *_), shares in zip(cells, result, strict=True)
    ]
    errors = [math.sqrt(LEVEL * (1.0 - LEVEL) / many) for many in (given.sets, given.both or 1)]
    body = (
        "95 % bands of HTER over strata of impostors at five alphas, n trials of clients and of"
        " each stratum, two strata equal and the worst; fits are of the scores' own family,"
        f" persons have {TRIALS} trials of each kind, correlated by {CORRELATION};"
        f" {given.sets} sets a cell (standard error {errors[0]:.4f} at .95)"
        + f", {given.both} with dev drawn again ({errors[1]:.3f})" * bool(given.both) + "."
        + f"\n\n{table(head, rows)}"
    )  # fmt: skip
    report("Bands over strata", body, "coverage_strata.md" if given.write else None)


if __name__ == "__main__":
    main()
