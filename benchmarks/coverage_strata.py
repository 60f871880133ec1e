"""How often bands over strata hold the truth, and how often equal systems are told apart."""

from __future__ import annotations

import argparse
import math
import warnings
from concurrent.futures import ProcessPoolExecutor

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


def scores(rng: np.random.Generator, laws: tuple, n: int, shifts: np.ndarray) -> br.Scores:
    """So many trials of clients and of each stratum of impostors."""
    client, impostor = laws
    parts = [impostor(k).rvs(n, random_state=rng) for k in shifts]
    labels = np.repeat([f"s{k}" for k in range(len(parts))], n)
    drawn = client.rvs(n, random_state=rng)
    return br.Scores(drawn, np.concatenate(parts), impostor_strata=labels)


def truth(laws: tuple, shifts: np.ndarray, weights: np.ndarray | None, t: np.ndarray) -> np.ndarray:
    """HTER over strata at thresholds."""
    far = np.array([laws[1](k).sf(t) for k in shifts])
    worst = far.max(axis=0) if weights is None else np.tensordot(weights, far, 1)
    return 0.5 * (worst + laws[0].cdf(t))


def covered(cell: tuple) -> list[float]:
    """Shares of sets whose band holds the truth: fixed thresholds, all alphas at once, and both."""
    name, n, count, over, sets, both = cell
    laws, rng = LAWS[name], np.random.default_rng([n, count, len(name), over == "worst"])
    # Two of the strata are equal and the worst; the weights are not whole numbers of trials.
    shifts = np.append(np.linspace(0.0, 2.0, count - 1), 2.0) * (0.5 if count > 3 else 1.0)
    weights = None if over == "worst" else np.arange(1.0, count + 1.0) ** 2
    if weights is not None:
        weights /= weights.sum()
        over = {f"s{k}": w for k, w in enumerate(weights)}
    many = [scores(rng, laws, n, shifts) for _ in range(100)] if both else []
    fixed, joint, again = [], [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = [br.epc(s, s, alpha=ALPHAS, over=over).threshold for s in many]
        mean = np.mean([truth(laws, shifts, weights, t) for t in chosen], axis=0) if both else None
        for k in range(sets):
            dev, test = (scores(rng, laws, n, shifts) for _ in range(2))
            curve = br.epc(dev, test, alpha=ALPHAS, over=over)
            true = truth(laws, shifts, weights, curve.threshold)
            band = curve.band(resample="test", level=LEVEL)
            fixed.append((band.low <= true) & (true <= band.high))
            band = curve.band(resample="test", simultaneous=True, level=LEVEL)
            joint.append(np.all((band.low <= true) & (true <= band.high)))
            if k < both:
                band = curve.band(replicates=200, rng=k, level=LEVEL)
                again.append((band.low <= mean) & (mean <= band.high))
    result = [float(np.min(np.mean(fixed, axis=0))), float(np.mean(fixed)), float(np.mean(joint))]
    if both:
        result += [float(np.min(np.mean(again, axis=0))), float(np.mean(again))]
    return result


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000, help="score sets a cell")
    parser.add_argument("--both", type=int, default=100, help="of them with dev drawn again")
    parser.add_argument("--write", action="store_true", help="write results/coverage_strata.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    cells = [
        (name, n, count, over, given.sets, given.both)
        for over in ("worst", "weights") for name in LAWS for count in STRATA for n in SIZES
    ]  # fmt: skip
    with ProcessPoolExecutor(given.workers) as pool:
        result = list(pool.map(covered, cells))
    head = ["over", "distributions", "strata", "n", "least", "mean", "all alphas at once"]
    head += ["dev again, least", "dev again, mean"] * bool(given.both)
    rows = [
        [over, name, str(count), str(n), *(f"{share:.3f}" for share in shares)]
        for (name, n, count, over, *_), shares in zip(cells, result, strict=True)
    ]
    errors = [math.sqrt(LEVEL * (1.0 - LEVEL) / many) for many in (given.sets, given.both or 1)]
    body = (
        f"95 % bands of HTER over strata of impostors at five alphas, n trials of clients and of"
        f" each stratum, two strata equal and the worst; {given.sets} sets a cell (standard error"
        f" {errors[0]:.4f} at .95)"
        + f", {given.both} with dev drawn again ({errors[1]:.3f})" * bool(given.both) + "."
        + f"\n\n{table(head, rows)}"
    )  # fmt: skip
    report("Bands over strata", body, "coverage_strata.md" if given.write else None)


if __name__ == "__main__":
    main()
