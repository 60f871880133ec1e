"""Goodness of fit: statistics against scipy's, size and power by simulation, verdicts."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.notices import suppress_warnings
from betaroc.estimation.families import FAMILIES

approx = pytest.approx


def scores(seed, n=60):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n + 20))


@pytest.mark.parametrize("family", ["normal", "logit-normal"])
def test_statistics_are_scipys(family):
    data = scores(1)
    fit = br.fit(data, family)
    found = br.check_fit(fit, replicates=19, rng=1)
    for who, sample in (("client", data.client), ("impostor", data.impostor)):
        law, n = getattr(fit, who).distribution, sample.size
        assert getattr(found.ks, who).statistic == approx(stats.kstest(sample,
            law.cdf).statistic * math.sqrt(n), rel=1e-9)  # fmt: skip
        assert getattr(found.cvm, who).statistic == approx(stats.cramervonmises(sample,
            law.cdf).statistic, rel=1e-9)  # fmt: skip
        x, i = np.sort(sample), np.arange(1, n + 1)
        # Anderson and Darling (1954), their A^2 written out.
        ad = -n - np.sum((2 * i - 1) * (law.logcdf(x) + law.logsf(x[::-1]))) / n
        assert getattr(found.ad, who).statistic == approx(ad, rel=1e-9)


@pytest.mark.simulation
def test_the_roc_distance_on_a_dense_grid():
    data = scores(2, 400)
    fit = br.fit(data)
    d, t = br.check_fit(fit, replicates=19, rng=1).roc_distance, np.linspace(0, 1, 20001)
    empirical = br.fit(data, "empirical").model
    turned = [(m.far(t) + m.frr(t) * -1 + 1, 1 - m.frr(t) - m.far(t))
        for m in (fit.model, empirical)]  # fmt: skip
    along = np.linspace(0, 2, 4001)
    heights = [np.interp(along, c[::-1], h[::-1]) for c, h in turned]
    dense = 0.5 * np.max(np.abs(heights[0] - heights[1]))
    # 250 thresholds against 20001: the largest gap of a staircase of 1/400 is met to a step.
    assert (d.sup, d.low) == (approx(dense, abs=1 / 400), approx(max(0.0, d.sup - d.noise)))
    assert d.high == approx(d.sup + d.noise)


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.simulation
def test_a_wrong_law_is_found_and_a_right_one_is_not_for_many_scores():
    rng = np.random.default_rng(3)
    bumps = np.concatenate([rng.beta(2, 40, 400), rng.beta(40, 2, 400)])
    wrong = br.check_fit(br.fit(br.Scores(bumps, rng.beta(2, 4, 800))), replicates=99, rng=1)
    assert wrong.verdict == "poor"
    assert max(wrong.ad.client.p_value, wrong.information.client.p_value) == 0.01
    assert wrong.ad.impostor.p_value > 0.01
    right = br.check_fit(br.fit(br.Scores(rng.beta(4, 2, 4000), rng.beta(2, 4, 4000))),
        replicates=99, rng=1)  # fmt: skip
    assert right.verdict == "good"


@pytest.mark.parametrize("n", [3, 40, 70])
def test_separated_classes_say_no_more_than_their_numbers(n):
    """Fits of separated classes make separated sets: only the numbers of scores speak."""
    apart = br.Scores(np.linspace(0.8, 0.9, n), np.linspace(0.1, 0.2, n))
    with suppress_warnings():
        found = br.check_fit(br.fit(apart), replicates=19, rng=1)
    # None of n is seen with probability .05 at a rate of 1 - .05^(1/n), .0419 at 70.
    assert found.roc_distance.noise >= (1 - 0.05 ** (1 / n)) * (1 - 1e-12)
    assert found.verdict == ("good" if n == 70 else "cannot tell")
    if n == 40:
        more = float(re.search(r"about (\S+) times", found.reason)[1])
        assert 1 - 0.05 ** (1 / (more * n)) == approx(0.05, rel=0.05)


@pytest.mark.simulation
def test_families_without_a_row_for_simulation_are_refitted_set_by_set(monkeypatch):
    fit = br.fit(scores(9))
    quick = br.check_fit(fit, replicates=99, rng=1)
    monkeypatch.setitem(FAMILIES, "beta", replace(FAMILIES["beta"], fit_rows=None, moments=None))
    slow = br.check_fit(fit, replicates=99, rng=1)
    # The same samples and estimates; the differences have the moments to six digits.
    for kind in ("ks", "cvm", "ad", "information"):
        for a, b in zip(getattr(quick, kind), getattr(slow, kind), strict=True):
            assert (a.statistic, a.p_value) == (approx(b.statistic, rel=1e-5), b.p_value)
    assert quick.roc_distance.sup == approx(slow.roc_distance.sup, rel=1e-9)
