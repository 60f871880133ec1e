"""Do the components of variance and the comparison of methods hold? Simulated trainings.

Usage: python benchmarks/trainings.py [--draws N] [--out FILE]

Training s scores trial i of client mean m_s = 1.5 + tau d_s: m_s + r z_i + sqrt(1 - r^2) e_si, r^2
of 0.7, impostors alike about 0; d is normal, t with 5 degrees of freedom, exponential or of two
modes, standardised, and tau such that the variance of the true AUC over trainings is the given
multiple of the sampling variance of one AUC. Methods: two of the same law on one test set.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm

import betaroc as br

SEED, SHARED = 20261130, 0.7
LAWS = ("normal", "t5", "exponential", "two-mode")
RATIOS, SIZES = (0.25, 1.0, 4.0), (5, 10, 20)


def drawn(law: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Standardised effects of trainings."""
    if law == "t5":
        return rng.standard_t(5, n) / np.sqrt(5.0 / 3.0)
    if law == "exponential":
        return rng.exponential(size=n) - 1.0
    if law == "two-mode":
        return rng.choice([-1.0, 1.0], n) * 0.95 + rng.normal(0.0, np.sqrt(1.0 - 0.95**2), n)
    return rng.normal(size=n)


def areas(law: str, tau: float) -> np.ndarray:
    """True AUCs of many trainings."""
    return norm.cdf((1.5 + tau * drawn(law, np.random.default_rng(1), 200_000)) / np.sqrt(2.0))


def area(scores: br.Scores) -> float:
    """The counted AUC."""
    below = np.searchsorted(np.sort(scores.impostor), scores.client)
    return float(np.mean(below)) / scores.n_impostor


def trainings(means: np.ndarray, n: int, rng: np.random.Generator, z=None) -> list:
    """Scores of trainings with these means of clients on one test set."""
    z = rng.normal(size=(2, n)) if z is None else z
    places = np.stack([means, np.zeros(means.size)], axis=1)
    noise = rng.normal(size=(means.size, 2, n)) * np.sqrt(1.0 - SHARED)
    return [br.Scores(*s) for s in places[:, :, None] + np.sqrt(SHARED) * z + noise]


def covariance(law: str, tau: float, n: int) -> float:
    """Of the AUCs of two trainings on one test set, about their true areas."""
    rng, apart = np.random.default_rng(3), []
    for _ in range(4000):
        means = 1.5 + tau * drawn(law, rng, 2)
        counted = [area(s) for s in trainings(means, n, rng)]
        apart.append(counted - norm.cdf(means / np.sqrt(2.0)))
    return float(np.mean(np.prod(apart, axis=1)))


def main(draws: int, out: str | None) -> int:
    """Coverage of the training's variance and of the mean, and the size of the comparison."""
    rows = []
    for law in LAWS:
        for n in (200, 1000):
            some = np.random.default_rng(2)
            sampling = np.var([
                area(trainings(np.array([1.5]), n, some)[0]) for _ in range(4000)
            ])  # fmt: skip
            for ratio in RATIOS:
                tau = brentq(lambda t, r=ratio: np.var(areas(law, t)) - r * sampling, 1e-4, 3.0)  # noqa: B023
                of_test = covariance(law, tau, n)
                truth, mean = np.var(areas(law, tau)), np.mean(areas(law, tau))
                for k in SIZES if n == 200 else SIZES[1:2]:
                    key = [SEED, LAWS.index(law), n, round(100 * ratio), k]
                    rng = np.random.default_rng(key)
                    inside, of_mean, tests, rejected, widths = 0, 0, 0, 0, []
                    for _ in range(draws):
                        z = rng.normal(size=(2, n))
                        a, b = (
                            br.variance_components(trainings(1.5 + tau * e, n, rng, z), "auc")
                            for e in (drawn(law, rng, k), drawn(law, rng, k))
                        )
                        inside += a.training.low <= truth <= a.training.high
                        widths.append(a.training.high / truth)
                        of_mean += a.mean.low <= mean <= a.mean.high
                        tests += a.test.low <= of_test <= a.test.high
                        rejected += br.difference(a, b, "mean").p_value < 0.05
                    rows.append({
                        "law": law, "n": n, "ratio": ratio, "trainings": k, "draws": draws,
                        "training": inside / draws, "upper_end": round(float(np.median(widths)), 2),
                        "test": tests / draws, "mean": of_mean / draws, "size": rejected / draws,
                    })  # fmt: skip
                    print(rows[-1], flush=True)
    if out:
        pd.DataFrame(rows).to_csv(out, index=False)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    sys.exit(main(arguments.draws, arguments.out))
