"""`Fit.plot`: the fitted ROC beside that of the scores; other kinds on request."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score, roc_curve

import betaroc as br

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
    assert words(ax)[2] == "90 % interval at each FAR"
    assert (ax.get_xlabel(), ax.get_xscale()) == ("FPR", "log")
    with pytest.raises(br.InputError, match="another curve"):
        FIT.plot(band=br.roc_band(FIT.scores, far=[0.1]))
    with pytest.raises(br.InputTypeError, match="band must be a Band"):
        FIT.plot(band=True)
