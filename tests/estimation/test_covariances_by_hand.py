"""Covariances of fits: inverses of information matrices that are written down beside them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import polygamma

import betaroc as br
from betaroc.estimation.contract import Sample

P = (np.arange(60) + 0.5) / 60


def information(a: float, b: float) -> np.ndarray:
    """Of (a, b) in one score."""
    common = polygamma(1, a + b)
    return np.array([[polygamma(1, a) - common, -common], [-common, polygamma(1, b) - common]])


@pytest.mark.parametrize(
    ("client", "impostor", "tied"),
    [((2.0, 1.5), (1.5, 1.3), 1), ((1.3, 1.5), (1.5, 2.0), 0)],
)
def test_a_shared_shape_is_known_from_both_classes(
    client: tuple[float, float], impostor: tuple[float, float], tied: int
) -> None:
    scores = br.Scores(stats.beta(*client).ppf(P), stats.beta(*impostor).ppf(P[::2]))
    f = br.fit(scores, "proper-beta")
    c, i = (f.client.distribution, f.impostor.distribution)
    shapes = (c.a, c.b), (i.a, i.b)
    assert shapes[0][tied] == shapes[1][tied]
    own, free = (60, 30), 1 - tied
    parts = [n * information(*ab) for n, ab in zip(own, shapes, strict=True)]
    whole = np.zeros((3, 3))  # of the free shape of each class and the shared one
    for k in range(2):
        whole[k, k] = parts[k][free, free]
        whole[k, 2] = whole[2, k] = parts[k][free, tied]
        whole[2, 2] += parts[k][tied, tied]
    known = np.linalg.inv(whole)
    for k, one in enumerate((f.client, f.impostor)):
        order = [k, 2] if tied == 1 else [2, k]
        np.testing.assert_allclose(np.array(one.cov), known[np.ix_(order, order)], rtol=1e-8)
    orders = ([0, 2], [1, 2]) if tied == 1 else ([2, 0], [2, 1])
    np.testing.assert_allclose(np.array(f.shared_cov), known[np.ix_(*orders)], rtol=1e-8)


def test_a_power_has_its_exponent_alone_uncertain() -> None:
    """-log s is exponential with rate p: var p = p^2 / n."""
    f = br.fit(br.Scores(P**0.5, 1.0 - P[::2] ** 0.25), "dual-beta")
    p, q = f.client.distribution.a, f.impostor.distribution.b
    assert p == pytest.approx(-60 / np.log(P**0.5).sum())
    np.testing.assert_allclose(np.array(f.client.cov), [[p * p / 60, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(np.array(f.impostor.cov), [[0.0, 0.0], [0.0, q * q / 30]])


def test_normal_errors() -> None:
    f = br.fit(br.Scores(3.0 + P, P[::2]), "normal")
    s = float(np.std(P))
    np.testing.assert_allclose(np.array(f.client.cov), np.diag([s * s / 60, s * s / 120]))
    assert f.client.std_errors["mu"] == pytest.approx(s / math.sqrt(60))


# ---------------------------------------------------------------------------------- sums
def test_means_and_deviations_of_weights_are_those_of_copies() -> None:
    x, w = np.array([1.0, 2.0, 4.0]), np.array([3.0, 2.0, 1.0])
    copies = np.repeat(x, w.astype(int))
    assert Sample.of("", x, w).moments() == pytest.approx((copies.mean(), copies.std()))
    assert Sample.of("", copies, None).moments() == pytest.approx((copies.mean(), copies.std()))
    assert Sample.of("", np.full(3, 0.75), None).moments() == (0.75, 0.0)
    assert Sample.of("", 1e300 * x, w).moments() == pytest.approx(
        (1e300 * copies.mean(), 1e300 * copies.std())
    )
    many = np.arange(150_000) % 7 + 0.5
    assert Sample.of("", many, None).mean(many) == pytest.approx(float(np.mean(many)), rel=1e-12)
    assert Sample.of("", many, 2.0 * np.ones(many.size)).mean(many) == pytest.approx(np.mean(many))


# ------------------------------------------------------------------------ reasons of a table
def test_each_system_without_a_fit_has_its_reason() -> None:
    fine = {"client": [0.4, 0.6, 0.9], "impostor": [0.1, 0.2, 0.7]}
    systems = {
        "fine": fine,
        "one inside": fine | {"client": [0.4, 1.0, 1.0]},
        "equal": fine | {"impostor": [0.3, 0.3]},
        "per cent": fine | {"client": [0.0, 60.0, 100.0]},
        "per cent of many": fine | {"client": [40.0, 60.0, 90.0]},
        "outside": fine | {"client": [0.4, 0.6, -1.5]},
    }
    rows = [
        {"system": name, "score": float(s), "label": int(who == "client")}
        for name, both in systems.items() for who, values in both.items() for s in values
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        table = br.fit_many(pd.DataFrame(rows), family="beta").set_index("system")
        lines = br.fit_many(pd.DataFrame(rows), family="normal").set_index("system")
    reasons = table["reason"].to_dict()
    assert reasons["fine"] == ""
    assert reasons["one inside"].endswith("needed strictly between 0 and 1; got 1")
    assert reasons["equal"].endswith("strictly between 0 and 1; got 2, all equal to 0.3")
    assert reasons["per cent"].endswith(
        "2 of 3 scores outside [0, 1], as of percentages: divide by 100"
    )
    assert reasons["per cent of many"].startswith("client: 3 of 3 scores outside")
    assert reasons["per cent of many"].endswith("divide by 100")
    assert reasons["outside"].endswith("1 of 3 scores outside [0, 1]")
    assert lines["reason"].to_dict() == {
        **dict.fromkeys(systems, ""),
        "equal": "impostor: at least 2 distinct scores are needed; got 2, all equal to 0.3",
    }


# -------------------------------------------------------------------------------- censored
def test_three_places_are_enough_for_a_censored_fit() -> None:
    """Edges and distinct scores between them count alike."""
    options = {"boundary": "censor", "resolution": 0.01}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        found = br.fit_distribution([0.0, 0.4, 1.0], "beta", **options)
        law, shapes = found.distribution, stats.beta(*found.values)
        assert law.cdf(0.01) == pytest.approx(shapes.cdf(0.01))
        known = shapes.logcdf(0.01) + shapes.logpdf(0.4) + shapes.logsf(0.99)
        assert found.log_likelihood == pytest.approx(known, rel=1e-9)
        for k, step in ((0, 0.01), (1, 0.01)):
            for sign in (1, -1):
                moved = list(found.values)
                moved[k] += sign * step
                other = stats.beta(*moved)
                assert other.logcdf(0.01) + other.logpdf(0.4) + other.logsf(0.99) < known
        for few in ([0.0, 0.0, 1.0], [0.4, 1.0, 1.0], [0.0, 0.4, 0.4]):
            with pytest.raises(br.DegenerateDataError, match="too little is left to fit"):
                br.fit_distribution(few, "beta", **options)
