"""Pictures of tails: what is counted, what is fitted, where a tail begins, its interval."""

import numpy as np
import pytest
from scipy.special import expit, logit

import betaroc as br
from betaroc.inference.intervals import tail_rate_ends


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(2)
    data = br.Scores(rng.beta(6.0, 2.0, 400), rng.beta(2.0, 8.0, 2000))
    return br.fit(data, tails={"impostor": "upper", "client": "lower"})


def line(ax, label):
    found = next(one for one in ax.lines if one.get_label() == label)
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


def test_rates_are_those_of_the_model_and_of_the_counts(fitted):
    ax = fitted.plot("tails")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_yscale()) == ("logit threshold", "rate", "log")
    x, y = line(ax, "FAR, fitted")
    assert y == pytest.approx(fitted.model.far(expit(x)), rel=1e-9)
    assert y.min() == pytest.approx(0.1 / 2000)
    x, y = line(ax, "FRR, fitted")
    assert y == pytest.approx(fitted.model.frr(expit(x)), rel=1e-9)
    x, y = line(ax, "FAR, without the tail")
    assert y == pytest.approx(fitted.model.impostor.body.sf(expit(x)), rel=1e-9)
    x, y = line(ax, "FAR, counted")
    impostor = fitted.scores.impostor
    share = [np.sum(impostor >= s * (1 - 1e-12)) / 2001 for s in expit(x)]
    assert y == pytest.approx(share)
    assert x[0] == pytest.approx(logit(impostor.max()))


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


def test_a_point_mass_at_the_far_end_leaves_a_picture():
    """Impostors at exactly 1, of which more than half are."""
    rng = np.random.default_rng(3)
    impostor = np.where(rng.random(400) < 0.6, 1.0, rng.beta(2.0, 4.0, 400))
    client = np.where(rng.random(300) < 0.9, 1.0, rng.beta(6.0, 2.0, 300))
    with pytest.warns(br.BoundaryWarning):
        fit = br.fit(br.Scores(client, impostor), "beta")
    ax = fit.plot("tails")
    assert np.all(np.isfinite(ax.get_xlim()))
    x, y = line(ax, "FAR, fitted")
    assert y == pytest.approx(fit.model.far(expit(x)), rel=1e-9)
    assert y.min() >= fit.impostor.params["at_one"]
