"""P-P and Q-Q pictures: what they draw against order statistics computed by other means."""

import numpy as np
import pytest
from scipy import stats

import betaroc as br


def beta_fit():
    rng = np.random.default_rng(1)
    return br.fit(br.Scores(rng.beta(4, 2, 40), rng.beta(2, 4, 45)))


def drawn(ax, k):
    """The points of one class."""
    points = [line for line in ax.lines if line.get_marker() == "o"]
    x, y = points[k].get_data()
    return np.asarray(x), np.asarray(y)


def band(ax, k):
    """Places, lower and upper edge of the band of one class."""
    vertices = ax.collections[k].get_paths()[0].vertices
    x = np.unique(vertices[:, 0])
    ends = [vertices[vertices[:, 0] == at, 1] for at in x]
    return x, np.array([e.min() for e in ends]), np.array([e.max() for e in ends])


def test_pp_draws_the_law_at_the_ordered_scores():
    fit = beta_fit()
    ax = fit.plot("pp", level=0.9)
    x, y = drawn(ax, 1)
    ordered = np.sort(fit.scores.impostor)
    i = np.arange(1, 46)
    order, law = stats.beta(i, 46 - i), fit.model.impostor
    assert x == pytest.approx(order.median(), rel=1e-9)
    assert y == pytest.approx(stats.beta(law.a, law.b).cdf(ordered), rel=1e-9)
    places, low, high = band(ax, 1)
    assert places == pytest.approx(x, rel=1e-9)
    assert low == pytest.approx(order.ppf(0.05), rel=1e-9)
    assert high == pytest.approx(order.ppf(0.95), rel=1e-9)


def test_qq_draws_logits_against_quantiles_of_the_law():
    fit = beta_fit()
    ax = fit.plot("qq")
    x, y = drawn(ax, 0)
    ordered = np.sort(fit.scores.client)
    i = np.arange(1, 41)
    order = stats.beta(i, 41 - i)
    law = stats.beta(fit.model.client.a, fit.model.client.b)
    assert y == pytest.approx(np.log(ordered / (1 - ordered)), rel=1e-9)
    q = law.ppf(order.median())
    assert x == pytest.approx(np.log(q / (1 - q)), rel=1e-7)
    _, low, high = band(ax, 0)
    for edge, at in ((low, 0.025), (high, 0.975)):
        q = law.ppf(order.ppf(at))
        assert edge == pytest.approx(np.log(q / (1 - q)), rel=1e-7)
    assert ax.get_xlim() == ax.get_ylim()


def test_normal_laws_are_drawn_on_the_scale_of_the_scores():
    fit = br.fit(br.Scores([1.0, 2.0, 4.0] * 4, [-1.0, 0.0, 1.0] * 4), "normal")
    x, y = drawn(fit.plot("qq"), 1)
    assert y == pytest.approx(np.repeat([-1.0, 0.0, 1.0], 4))
    i = np.arange(1, 13)
    middle = stats.norm(*fit.impostor.values).ppf(stats.beta(i, 13 - i).median())
    assert x == pytest.approx(middle, abs=1e-9)


def test_point_masses_are_left_out_and_named():
    rng = np.random.default_rng(4)
    scores = br.Scores(np.append(rng.beta(4, 2, 20), [1.0] * 5), rng.beta(2, 4, 30))
    with pytest.warns(br.BoundaryWarning):
        fit = br.fit(scores)
    ax = fit.plot("pp")
    x, y = drawn(ax, 0)
    assert x.size == 20
    base = fit.client.distribution.base
    inner = np.sort(scores.client[scores.client < 1.0])
    assert y == pytest.approx(stats.beta(base.a, base.b).cdf(inner), rel=1e-9)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["client, without 5 of 25 at the ends", "impostor"]


@pytest.mark.simulation
def test_cells_are_drawn_at_their_edges():
    client = [0.2, 0.4, 0.4, 0.6, 0.8, 0.8, 1.0] * 3
    fit = br.fit(br.Scores(client, [0.0, 0.2, 0.2, 0.4, 0.6] * 3), resolution=0.2)
    x, y = drawn(fit.plot("pp"), 0)
    law = stats.beta(fit.model.client.a, fit.model.client.b)
    assert y == pytest.approx(law.cdf([0.3, 0.5, 0.7, 0.9]), rel=1e-9)
    i = np.array([3, 9, 12, 18])  # of 21 scores up to each edge
    assert x == pytest.approx(stats.beta(i + 0.5, 21.5 - i).median(), rel=1e-9)


def test_scores_next_to_one_keep_their_quantiles_apart():
    rng = np.random.default_rng(5)
    scores = br.Scores(1.0 - rng.beta(0.05, 3, 60), rng.beta(1, 1, 60))
    kept = br.Scores(scores.client[scores.client < 1.0], scores.impostor)
    with pytest.warns(br.InfluenceWarning):
        fit = br.fit(kept)
    x, _ = drawn(fit.plot("qq"), 0)
    assert x[-1] > 40.0  # the law's quantile there rounds to 1
    assert np.all(np.diff(x) > 0.0)


def test_weights_are_copies():
    rng = np.random.default_rng(6)
    client, impostor = rng.beta(4, 2, 15), rng.beta(2, 4, 15)
    weighted = br.Scores(client, impostor, client_weights=[2.0] * 15, impostor_weights=[2.0] * 15)
    twice = br.Scores(np.repeat(client, 2), np.repeat(impostor, 2))
    one, two = (drawn(br.fit(s).plot("pp"), 0) for s in (weighted, twice))
    assert one[0] == pytest.approx(two[0])
    assert one[1] == pytest.approx(two[1], abs=1e-9)
