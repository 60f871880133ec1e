"""At the rim of the doubles: sizes whose squares are none, and products of shapes that are 0."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy import stats

import betaroc as br

RNG = np.random.default_rng(2)
CLIENT, IMPOSTOR = RNG.normal(2.0, 1.0, 50), RNG.normal(0.0, 1.0, 60)
MODEL = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))


@pytest.mark.parametrize("power", [-1000, -600, 530, 664, 1010])
@pytest.mark.parametrize("family", ["normal", "sinh-arcsinh"])
def test_the_distance_of_the_means_has_no_unit(family: str, power: int) -> None:
    scores, unit = br.Scores(CLIENT, IMPOSTOR), 2.0**power
    moved = br.Scores(CLIENT * unit, IMPOSTOR * unit)
    numbers = [br.fit(s, family).model for s in (scores, moved)]
    found = [br.interval(br.Scores(CLIENT * u, IMPOSTOR * u), "d-prime", replicates=99, rng=1)
             for u in (1.0, unit)]  # fmt: skip
    assert found[1].estimate == pytest.approx(found[0].estimate, rel=1e-12)
    assert found[1].low == pytest.approx(found[0].low, rel=1e-9)
    spreads = [math.hypot(m.client._sd, m.impostor._sd) for m in numbers]
    assert spreads[1] / unit == pytest.approx(spreads[0], rel=1e-6)


@pytest.mark.parametrize("power", [0, 530, 1010])
def test_variances_beyond_doubles_are_infinite(power: int) -> None:
    unit = 2.0**power
    law = br.Empirical([1.0 * unit, 2.0 * unit, 4.0 * unit], [2.0, 1.0, 1.0])
    assert law.mean == 2.0 * unit
    assert law.var == (1.5 if power == 0 else math.inf)
    assert law._sd == pytest.approx(math.sqrt(1.5) * unit, rel=1e-15)


@pytest.mark.parametrize(
    ("law", "other"),
    [
        (br.LogNormal(0.3, 0.5), stats.lognorm(0.5, scale=math.exp(0.3))),
        (br.Gamma(2.5, 3.0), stats.gamma(2.5, scale=3.0)),
        (br.LogitNormal(0.3, 1.2), None),
    ],
)
def test_standard_deviations_are_scipys(law: br.Distribution, other: stats.rv_continuous) -> None:
    if other is None:
        p = (np.arange(200_000) + 0.5) / 200_000
        assert law._sd == pytest.approx(float(np.std(law.ppf(p))), rel=1e-6)
    else:
        assert law._sd == pytest.approx(other.std(), rel=1e-12)
    assert law.var == pytest.approx(law._sd**2, rel=1e-12)


def test_of_a_mixture_they_are_those_of_its_parts_and_means() -> None:
    law = br.NormalMixture((0.25, 0.75), (br.Normal(0.0, 1e200), br.Normal(4e200, 2e200)))
    assert law._sd == pytest.approx(math.sqrt(0.25 * 1 + 0.75 * 4 + 3.0) * 1e200, rel=1e-12)


def test_of_a_lognormal_distribution_beyond_doubles_too() -> None:
    assert br.LogNormal(400.0, 0.1).var == math.inf
    assert br.LogNormal(400.0, 0.1)._sd / math.exp(400.0) == pytest.approx(0.1008, rel=1e-3)


@pytest.mark.parametrize("stat", ["auc", "eer", "client-a", "d-prime"])
def test_shapes_whose_products_are_0_are_refused_in_a_plan(stat: str) -> None:
    tiny = br.Beta(1e-200, 1e-200)
    with pytest.raises(br.errors.InputError, match="Give shapes nearer to 1"):
        br.plan_sample_size(stat, model=br.ScoreModel(br.Beta(2, 3), tiny), width=0.1)


@pytest.mark.parametrize("criterion", ["far", "frr"])
def test_a_forecast_of_many_scores_takes_no_longer(criterion: str) -> None:
    """And says the target itself, its spread that of a binomial share to first order."""
    start = time.process_time()
    found = br.epc_forecast(
        MODEL, n_client=10**8, n_impostor=10**8, criterion=criterion, alpha=[0.01, 0.1, 0.5]
    )
    assert time.process_time() - start < 0.5
    np.testing.assert_allclose(getattr(found, criterion), found.alpha, rtol=1e-6)
    spread = np.sqrt(found.alpha * (1.0 - found.alpha) / 1e8)
    np.testing.assert_allclose(getattr(found, f"{criterion}_sd"), spread, rtol=1e-3)
