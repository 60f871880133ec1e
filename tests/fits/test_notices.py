"""What a fit says against itself: distributions that do not describe the scores, odd values."""

import math
import pickle
import re
import warnings

import numpy as np
import pytest

import betaroc as br

approx = pytest.approx
_ODD = "times as far from the median as any other"


def told(scores, family="auto", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return br.fit(scores, family, **options).notices


def bells(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(2.0, 1.0, n), rng.normal(0.0, 1.0, n)


def test_a_misfit_is_said_once_and_travels():
    """The log-normal marker: fitted by normal distributions, and normal on the log scale."""
    rng = np.random.default_rng(0)
    scores = br.Scores(rng.lognormal(1.0, 0.7, 200), rng.lognormal(0.0, 0.7, 200))
    with pytest.warns(br.MisfitWarning, match="do not describe these scores: AUC") as caught:
        fit = br.fit(scores, "normal")
    assert [str(w.message) for w in caught] == [n.message for n in fit.notices]
    assert caught[0].filename == __file__
    for again in (pickle.loads(pickle.dumps(fit)), br.from_json(fit.to_json())):
        assert (again, again.notices) == (fit, fit.notices)
    assert told(br.Scores(np.log(scores.client), np.log(scores.impostor)), "normal") == ()
    (found,) = re.findall(r"(\S+) % of \S+ scores are expected at or below (\S+), (\S+) %",
        fit.notices[0].message)  # fmt: skip
    expected, place, counted = map(float, found)
    assert expected == approx(100 * (1 - fit.model.far(place)), rel=1e-2)
    assert counted == approx(100 * np.mean(scores.impostor <= place), rel=1e-2)
    assert abs(expected - counted) > 5 + 136 / math.sqrt(200)
    with pytest.warns(br.MisfitWarning) as caught:
        plan = br.plan_sample_size("auc", model=fit, width=0.1)
    assert [str(w.message) for w in caught] == [fit.notices[0].message]
    assert plan.notices == fit.notices
    with pytest.warns(br.MisfitWarning):
        forecast = br.epc_forecast(fit, n_client=100, n_impostor=100, alpha=[0.5], criterion="far")
    assert forecast.notices == fit.notices
    assert fit.notices[0].message in str(forecast)


def test_sentinels_and_ties_are_named_with_their_places():
    client, impostor = bells(200)
    assert told(br.Scores(client, impostor), "normal") == ()
    impostor[[3, 50, 199]] = 9999.0
    (text,) = [n.message for n in told(br.Scores(client, impostor))
        if n.category is br.InfluenceWarning]  # fmt: skip
    assert "impostor: 3 scores are 9999.0 (index 3 first)" in text
    assert "leave it out, or leave it empty and read with missing=" in text
    client, impostor = bells(200)
    # So many copies are no draw of a normal distribution: they lie at 200 places.
    said = told(br.Scores(client, impostor, client_weights=np.full(200, 1e9)), "normal")
    assert {n.category for n in said} <= {br.MisfitWarning}
    client = np.append(client, -999.0)
    for weights in (None, np.full(201, 1e9)):
        said = told(br.Scores(client, impostor, client_weights=weights), "normal")
        assert any("client: a score is -999.0 (index 200)" in n.message for n in said)
    client, impostor = bells(100)
    said = told(br.Scores(np.repeat([1.0, 2.0], 50), np.round(10 * impostor)), "normal")
    assert br.DiscretenessWarning in {n.category for n in said}


@pytest.mark.parametrize("n", [30, 1000])
@pytest.mark.parametrize("law", ["lognormal", "t", "questionnaire"])
@pytest.mark.simulation
def test_heavy_ends_are_rarely_called_odd(law, n):
    """Of four ends of each set: 1 % of 60 draws are 0.6, with an error of 0.8."""
    draws = {"lognormal": lambda r: r.lognormal(0.0, 1.0, n), "t": lambda r: r.standard_t(2, n),
        "questionnaire": lambda r: r.binomial(10, 0.4, n) * 1.0}  # fmt: skip
    odd = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        said = told(br.Scores(draws[law](rng), draws[law](rng)), "normal")
        odd += any(_ODD in notice.message for notice in said)
    assert odd <= 3


@pytest.mark.parametrize(("family", "odd"),
    [("normal", 60.0), ("logit-normal", 1e-200)])  # fmt: skip
def test_an_outlier_is_told_with_the_fit_without_it(family, odd):
    br.fit_distribution([3.0] * 20 + [60.0], "normal")  # nothing without 60 to tell it by
    rng = np.random.default_rng(3)
    side = rng.normal(8, 1, 200) if family == "normal" else rng.beta(5, 2, 200)
    with pytest.warns(br.InfluenceWarning, match=f"the score {odd!r} alone moves ") as caught:
        fit = br.fit_distribution(np.append(side, odd), family)
    name, before, after = str(caught[0].message).split(": check")[0].rsplit(" ", 5)[1::2]
    assert float(before) == approx(br.fit_distribution(side, family).params[name], rel=1e-3)
    assert float(after) == approx(fit.params[name], rel=1e-3)
