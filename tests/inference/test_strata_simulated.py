"""What intervals of strata promise, simulated: 2000 draws, standard error .005 at .95."""

import numpy as np
import pytest

from betaroc.inference.strata import StratumCounts, mean_share

pytestmark = pytest.mark.nightly
DRAWS = 2000


def drawn(rates, trials, seed=1):
    """Independent counts of strata with these true rates."""
    rng, n = np.random.default_rng(seed), np.asarray(trials, dtype=float)
    for _ in range(DRAWS):
        yield StratumCounts(rng.binomial(trials, rates) / n, n, np.full(n.size, np.nan), n)


def of_persons(rates, persons, seed=1, trials=10, correlation=0.2):
    """Counts of strata of persons with ten trials each, beta-binomial."""
    rng, k, rates = np.random.default_rng(seed), np.size(rates), np.asarray(rates)[:, None]
    a, b = rates * (1 / correlation - 1), (1 - rates) * (1 / correlation - 1)
    n = np.full(k, float(persons * trials))
    for _ in range(DRAWS):
        hits = rng.binomial(trials, rng.beta(a, b, (k, persons)))
        share = hits.sum(axis=1) / n
        parts = (hits - trials * share[:, None]) / n[:, None]
        variance = persons / (persons - 1) * np.sum(parts**2, axis=1)
        yield StratumCounts(share, n, variance, np.full(k, float(persons)))


@pytest.mark.parametrize("trials", [50, 500])
@pytest.mark.parametrize("rates",
    [[0.2, 0.1], [0.002] * 20, [0.05] * 13, np.geomspace(0.02, 0.2, 8), [0.02] * 5])  # fmt: skip
def test_the_bound_of_the_worst_covers(rates, trials):
    highs = [np.max(c.ends(0.05)[1]) for c in drawn(rates, np.full(len(rates), trials))]
    assert np.mean(np.array(highs) >= np.max(rates)) >= 0.95 - 0.01


@pytest.mark.parametrize(("counts", "size"), [(drawn([1 / 300] * 13, np.full(13, 300)), 0.06),
    (of_persons([0.05] * 8, 10), 0.07), (of_persons([0.05] * 8, 50), 0.07)])  # fmt: skip
def test_one_rate_for_all_has_its_size(counts, size):
    assert np.mean([c.p_value() <= 0.05 for c in counts]) <= size


@pytest.mark.parametrize(("weights", "trials", "rates"),
    [([0.9, 0.1], [50, 5000], [0.01, 0.2]), ([0.1] * 10, [100] * 10, [0.05] * 10)])  # fmt: skip
def test_the_mean_by_weights_covers(weights, trials, rates):
    covered = []
    for c in drawn(rates, trials):
        _, low, high = mean_share(c.share, c.n, np.array(weights), 0.025)
        covered.append(low <= np.dot(weights, rates) <= high)
    assert np.mean(covered) >= 0.95 - 0.01
