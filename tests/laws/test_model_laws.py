"""Laws of pairs of distributions: rates, curves, areas, equal rates."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st

import betaroc as br
from helpers.laws import BETAS, CENTRES, CONTINUOUS, DISTRIBUTIONS, NORMALS, SPREADS, law, models

X = np.linspace(0.0, 1.0, 17)
DEEP = np.array([1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9])


@law(model=models())
def test_thresholds_are_monotone_in_the_rate_and_keep_it(model) -> None:
    point, other = model.at_far(DEEP), model.at_frr(DEEP)
    assert np.all(point.threshold[1:] <= point.threshold[:-1])
    assert np.all(other.threshold[1:] >= other.threshold[:-1])
    assert np.all(point.far <= DEEP * (1.0 + 1e-9))
    assert np.all(other.frr <= DEEP * (1.0 + 1e-9))


@law(model=models(CONTINUOUS.filter(lambda one: one.on_unit)))
def test_continuous_distributions_attain_every_rate(model) -> None:
    np.testing.assert_allclose(model.at_far(DEEP).far, DEEP, rtol=1e-9)
    np.testing.assert_allclose(model.at_frr(DEEP).frr, DEEP, rtol=1e-9)
    eer = model.eer()
    if eer.far != pytest.approx(eer.frr, rel=1e-9, abs=1e-300):
        # Short of a tail's end a rate changes by more between doubles: they lie on either side.
        beside = eer.threshold + 4.0 * np.spacing(eer.threshold) * np.array([-1.0, 1.0])
        low, high = model.far(beside) - model.frr(beside)
        assert high <= 0.0 <= low


@pytest.mark.simulation
@law(model=models(), cuts=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=3, unique=True))
def test_partial_areas_add_up(model, cuts) -> None:
    ends = sorted({0.0, 1.0, *cuts})
    parts = [model.partial_auc(a, b, standardized=False) for a, b in pairwise(ends)]
    assert sum(parts) == pytest.approx(model.auc(), abs=1e-9)


@law(model=models(), alpha=st.floats(0.01, 0.99), t=st.lists(st.floats(0.0, 1.0), max_size=20))
def test_no_threshold_is_better_by_a_criterion(model, alpha, t) -> None:
    found = model.min_weighted_error(alpha)
    t = np.array([-1.0, *t, 2.0, *model.client.ppf(X[1:-1]), *model.impostor.ppf(X[1:-1])])
    far, frr = model.far(t), model.frr(t)
    least = np.min(alpha * far + (1.0 - alpha) * frr)
    assert alpha * found.far + (1.0 - alpha) * found.frr <= least + 1e-10
    assert np.max(np.abs(far - (1.0 - frr))) - 1e-10 <= model.ks() <= 1.0 + 1e-14


@law(client=NORMALS, impostor=NORMALS, by=CENTRES, times=SPREADS)
def test_an_increasing_map_changes_no_curve(client, impostor, by, times) -> None:
    """Normal scores on another scale; and logit-normal ones, their logistic map."""
    one, both = br.ScoreModel(client, impostor), (client, impostor)
    for other in (
        br.ScoreModel(*(br.Normal(times * d.mu + by, times * d.sigma) for d in both)),
        br.ScoreModel(*(br.LogitNormal(times * d.mu + by, times * d.sigma) for d in both)),
    ):
        assert other.auc() == pytest.approx(one.auc(), rel=1e-9, abs=1e-300)
        assert other.eer().far == pytest.approx(one.eer().far, rel=1e-9, abs=1e-300)
        tpr = one.roc().tpr(DEEP)
        np.testing.assert_allclose(other.roc().tpr(DEEP), tpr, rtol=1e-9, atol=1e-300)


P = np.concatenate([np.geomspace(1e-12, 0.4, 12), [0.5], 1.0 - np.geomspace(0.4, 1e-9, 8)])


def inner(one: br.Distribution) -> np.ndarray:
    """Places in the bulk and in both tails, and just beside the point masses."""
    places = one.atoms.places
    beside = [places, np.nextafter(places, -np.inf), np.nextafter(places, np.inf)]
    return np.unique(np.concatenate([one.ppf(P), one.isf(P), *beside]))


@law(one=DISTRIBUTIONS)
def test_tails_quantiles_draws_and_moments(one) -> None:
    t = np.unique(np.concatenate([inner(one), np.linspace(*one.ppf([0.001, 0.999]), 33)]))
    np.testing.assert_allclose(one.cdf(t) + one.sf(t), 1.0, rtol=0.0, atol=1e-11)
    for tail, log, sign in ((one.cdf(t), one.logcdf(t), 1.0), (one.sf(t), one.logsf(t), -1.0)):
        assert np.all((tail >= 0.0) & (tail <= 1.0))
        assert np.all(sign * np.diff(tail) >= -1e-11 * np.maximum(tail[1:], tail[:-1]))
        np.testing.assert_allclose(np.exp(log), tail, rtol=1e-10, atol=1e-300)
    # Not less at the quantile, and not yet there below it.
    t = one.ppf(P)
    assert np.all(np.diff(t) >= 0.0)
    assert np.all(one.cdf(np.nextafter(t, np.inf)) >= P * (1.0 - 1e-9))
    assert np.all(one.cdf(np.nextafter(t, -np.inf)) <= P * (1.0 + 1e-9))
    (low, high), drawn = one.support, one.sample(20, rng=1)
    assert np.all((drawn >= low) & (drawn <= high))
    np.testing.assert_array_equal(drawn, one.sample(20, rng=1))
    assert low <= one.mean <= high
    assert one.var >= 0.0
    if np.isfinite(low) and np.isfinite(high):  # Popoviciu's inequality in its sharp form
        assert one.var <= (high - one.mean) * (one.mean - low) * (1.0 + 1e-9) + 1e-300


@law(one=CONTINUOUS)
def test_quantiles_invert_tails_where_doubles_tell_scores_apart(one) -> None:
    t = np.unique(np.concatenate([one.ppf(P), one.isf(P)]))
    t = t[(one.pdf(t) * np.spacing(np.abs(t)) < 1e-13) & (t != 0.0) & (t != 1.0)]
    for tail, inverse in ((one.cdf, one.ppf), (one.sf, one.isf)):
        share = tail(t)
        known = (share > 1e-300) & (share < 1.0 - 1e-4)
        np.testing.assert_allclose(tail(inverse(share[known])), share[known], rtol=1e-9)


@law(part=BETAS, share=st.floats(0.01, 0.99))
def test_a_mixture_of_one_distribution_is_that_distribution(part, share) -> None:
    mixed = br.BetaMixture((share, 1.0 - share), (part, part))
    t = inner(part)
    np.testing.assert_allclose(mixed.logcdf(t), part.logcdf(t), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(mixed.logsf(t), part.logsf(t), rtol=1e-12, atol=1e-15)
