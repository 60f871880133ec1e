"""Pictures of a fit: its ROC, its tails, P-P and Q-Q, against numbers made by other means."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit
from sklearn.metrics import roc_auc_score, roc_curve

import betaroc as br
from betaroc.inference.intervals import tail_rate_ends

RNG = np.random.default_rng(1)
FIT = br.fit(br.Scores(RNG.normal(1.2, 1, 60), RNG.normal(0, 1, 67)), "normal")


def lines(ax):
    found = [line for line in ax.lines if line.get_gid() == "curve"]
    return [tuple(np.asarray(part) for part in line.get_data()) for line in found]


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_curves_are_those_of_the_distributions_and_of_the_counts():
    ax = FIT.plot()
    (far, tpr), (x, y) = lines(ax)
    client, impostor = (dict(part.params) for part in (FIT.client, FIT.impostor))
    inside = (far > 0) & (far < 1)
    at = stats.norm.isf(far[inside], impostor["mu"], impostor["sigma"])
    expected = stats.norm.sf(at, client["mu"], client["sigma"])
    assert tpr[inside] == pytest.approx(expected, abs=1e-12)
    labels = np.repeat([1, 0], [FIT.scores.n_client, FIT.scores.n_impostor])
    both = np.concatenate([FIT.scores.client, FIT.scores.impostor])
    counted = np.stack(roc_curve(labels, both, drop_intermediate=False)[:2], axis=1)
    drawn = np.stack([x, y], axis=1)
    assert np.unique(drawn, axis=0) == pytest.approx(np.unique(counted, axis=0))
    spread = np.hypot(client["sigma"], impostor["sigma"])
    binormal = stats.norm.cdf((client["mu"] - impostor["mu"]) / spread)
    area = roc_auc_score(labels, both)
    assert words(ax) == [f"normal fit, AUC {binormal:.3f}", f"scores, AUC {area:.3f}"]


def test_a_band_is_drawn_where_it_is_asked_for():
    band = FIT.roc_band(0.9, far=[0.1, 0.2, 0.5])
    ax = FIT.plot(band=band, scale="log", terms="ml")
    (drawn,) = ax.collections
    vertices = drawn.get_paths()[0].vertices
    for far, low, high in zip(band.alpha, band.low, band.high, strict=True):
        ends = vertices[np.isclose(vertices[:, 0], far), 1]
        assert (ends.min(), ends.max()) == pytest.approx((low, high))
    assert words(ax)[2] == "90 % interval at each FPR"
    assert (ax.get_xlabel(), ax.get_xscale()) == ("FPR", "log")
    with pytest.raises(br.InputError, match="another curve"):
        FIT.plot(band=br.roc_band(FIT.scores, far=[0.1]))
    with pytest.raises(br.InputTypeError, match="band must be a Band"):
        FIT.plot(band=True)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(2)
    data = br.Scores(rng.beta(6.0, 2.0, 400), rng.beta(2.0, 8.0, 2000))
    return br.fit(data, tails={"impostor": "upper", "client": "lower"})


def line(ax, label):
    found = next(one for one in ax.lines if one.get_label() == label)
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


@pytest.mark.simulation
def test_rates_are_those_of_the_model_and_of_the_counts(fitted):
    ax = fitted.plot("tails")
    x, y = line(ax, "FAR, fitted")
    assert y == pytest.approx(fitted.model.far(expit(x)), rel=1e-9)
    assert y.min() == pytest.approx(0.1 / 2000)
    x, y = line(ax, "FRR, fitted")
    assert y == pytest.approx(fitted.model.frr(expit(x)), rel=1e-9)
    x, y = line(ax, "FAR, counted")
    impostor = fitted.scores.impostor
    share = [np.sum(impostor >= s * (1 - 1e-12)) / 2001 for s in expit(x)]
    assert y == pytest.approx(share)


@pytest.mark.simulation
def test_the_band_is_the_interval_of_the_tail(fitted):
    ax = fitted.plot("tails", level=0.9)
    bands = [one.get_paths()[0].vertices for one in ax.collections]
    impostor = max(bands, key=lambda v: v[:, 0].max())
    tails = fitted.impostor.tails[0]
    place = np.unique(impostor[:, 0])[3]
    drawn = impostor[impostor[:, 0] == place, 1]
    low, high = tail_rate_ends(tails, float(place), 0.9)
    assert drawn.max() == pytest.approx(high)
    assert drawn.min() == pytest.approx(max(low, 0.01 / 2000), rel=1e-6)


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


def test_pp_and_qq_draw_ordered_scores_against_the_law():
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
