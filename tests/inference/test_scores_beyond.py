"""How many scores speak for a number, and which numbers the scores contradict."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import betaroc as br
from betaroc.core.vocabulary import FAR
from betaroc.model.statistics import UsedRate
from helpers.sets import summary_of

approx = pytest.approx
POINTS = {"at": (0.5,), "at_far": (0.1,), "at_frr": (0.1,), "eer": (), "min_weighted_error": (0.4,
    ), "min_dcf": (), "max_f": (), "youden": (), "break_even": (), "inflections": ()}  # fmt: skip


def bells(n_client, n_impostor, seed=1, **more):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(5, 2, n_client), rng.beta(2, 5, n_impostor), **more)


def contaminated(n, seed=1):
    """One impostor in a hundred scores like a client."""
    rng, few = np.random.default_rng(seed), n // 100
    return br.Scores(rng.beta(6, 3, n), np.r_[rng.beta(2, 8, n - few), rng.beta(6, 3, few)])


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return call(), caught


def test_points_count_scores_groups_and_copies():
    fit = br.fit(bells(200, 200))
    for point in (fit.at_far(1 / 200), fit.at_far(0.0), fit.at_far(1.0), fit.at_frr([0.0, 1.0])):
        assert not np.any(point.extrapolated)
    with pytest.warns(br.ExtrapolationWarning, match="TPR 0.0001 is extrapolated"):
        fit.at_frr(1.0 - 1e-4)
    fit = br.fit(bells(200, 200), "empirical")
    assert fit.at(0.999).extrapolated is False  # 0 of 200 counted
    assert fit.eer().extrapolated is False
    with pytest.warns(br.ExtrapolationWarning, match="FAR 0.0001"):
        point = fit.at_far(1e-4)
    assert point.threshold == fit.scores.impostor.max() or point.far == 0.0
    model = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
    point = model.at_far(1e-12)
    assert (point.n_beyond, point.extrapolated) == (None, False)
    assert br.epc(model, model, alpha=[0.001]).n_beyond is None
    fit = br.fit(bells(200, 200, impostor_groups=np.repeat(np.arange(40), 5)))
    with pytest.warns(br.ExtrapolationWarning, match="of 40 impostor groups 0.4 are expected"):
        point = fit.at_far(0.01)
    assert point.n_beyond[1] == approx(0.4)
    weighted = bells(100, 100, impostor_weights=np.full(100, 3.0))
    assert br.fit(weighted).at_far(0.01).n_beyond[1] == approx(3.0)


@pytest.fixture(scope="module")
def fit():
    return br.fit(bells(400, 500))


@pytest.mark.simulation
def test_every_point_of_the_model_is_a_point_of_the_fit(fit):
    for name, at in POINTS.items():
        found, wanted = getattr(fit, name)(*at), getattr(fit.model, name)(*at)
        for rate in ("threshold", "far", "frr", "tpr", "tnr", "logit_threshold"):
            assert_array_equal(getattr(found, rate), getattr(wanted, rate))
        assert wanted.n_beyond is None
        for n, rates, size in zip(found.n_beyond, ((found.frr, found.tpr), (found.far, found.tnr)),
            (400, 500), strict=True):  # fmt: skip
            assert_allclose(n, size * np.minimum(*rates))


def test_less_than_one_score_is_an_extrapolation():
    fit = br.fit(bells(200, 200))
    with pytest.warns(br.ExtrapolationWarning) as caught:
        point = fit.at_far(1e-4)
    assert point.extrapolated
    assert point.n_beyond[1] == approx(0.02)
    text = str(caught[0].message)
    assert "of 200 impostor scores 0.02 are expected beyond it" in text
    assert "about 30000 would (3/rate)" in text  # 3/1e-4
    assert len(text) <= 400
    assert (caught[0].filename, len(caught)) == (__file__, 1)
    with pytest.warns(br.ExtrapolationWarning, match=r"^2 rates .* FAR 1e-05 ") as caught:
        points = fit.at_far([0.1, 1e-3, 1e-5])
    assert (len(caught), points.extrapolated.tolist()) == (1, [False, True, True])
    assert points[1].n_beyond[1] == approx(0.2)
    with pytest.warns(br.ExtrapolationWarning) as caught:
        found = fit.interval("threshold", far=1e-4)
    assert (found.n_beyond, found.extrapolated) == (approx(0.02), True)
    assert [c.filename for c in caught] == [__file__]
    with pytest.warns(br.ExtrapolationWarning, match="FAR 0.0001"):
        assert fit.roc_band(far=[1e-4, 0.1]).n_beyond[0] == approx(0.02)


@pytest.mark.parametrize(("stat", "expected"), [("auc", None), ("exponent-at-one", None),
    ("threshold@far=0.02", 10.0), ("threshold@frr=0.02", 8.0),
    pytest.param("partial-auc@between=0,0.02", 10.0, marks=pytest.mark.simulation),
    ("far@threshold=0.5", lambda m: 500 * min(m.far(0.5), 1 - m.far(0.5))),
    ("threshold@eer", lambda m: 400 * m.eer().frr)])  # fmt: skip
def test_intervals_carry_the_scores_behind_their_rates(stat, expected, fit):
    found = fit.interval(stat)
    expected = expected(fit.model) if callable(expected) else expected
    assert found.n_beyond == (None if expected is None else approx(expected))
    assert not found.extrapolated


def test_curves_warn_only_where_alpha_was_given():
    scores, test = bells(200, 200), bells(300, 300, seed=2)
    fit = br.fit(scores)
    assert_allclose(br.epc(fit, test, criterion="far").n_beyond[1], 2.0)
    for dev in (fit, scores):
        with pytest.warns(br.ExtrapolationWarning, match="FAR 0.0001") as caught:
            given = br.epc(dev, test, criterion="far", alpha=[1e-4])
        assert len(caught) == 1
        assert_allclose(given.n_beyond, 0.02)
    assert_allclose(given.band(replicates=20, rng=1).n_beyond, 0.02)
    with pytest.warns(br.ExtrapolationWarning, match="TNR 0.001"):
        br.epc(fit, test, criterion="specificity", alpha=[0.001])
    assert br.epc(scores, test, alpha=[0.999]).n_beyond is not None  # counted, not solved for
    fit, big = br.fit(bells(20, 20, seed=3)), bells(3000, 3000)
    with pytest.warns(br.ExtrapolationWarning, match="of 20 impostor scores"):
        br.epc(big, fit, criterion="far", measure="far", alpha=[0.01])


@pytest.mark.simulation
def test_counts_that_contradict_the_fit_are_told_where_they_matter():
    fit = br.fit(contaminated(2000))
    for call in (lambda: fit.interval("threshold", far=0.001), lambda: fit.roc_band(far=[0.002]),
        lambda: br.epc(fit, fit.scores, criterion="far", alpha=[0.002])):  # fmt: skip
        assert br.MisfitWarning in {w.category for w in warned(call)[1]}
    for call in (lambda: fit.at(0.3), lambda: fit.interval("auc")):
        assert warned(call)[1] == []
    # The same scores ten times: 20 scores of 2000 beyond are two people of 200.
    rng = np.random.default_rng(5)
    impostor = np.repeat(np.r_[rng.beta(2, 8, 197), [0.93, 0.95, 0.97]], 10)
    plain, people = br.Scores(rng.beta(6, 3, 2000), impostor), np.repeat(np.arange(200), 10)
    grouped = br.Scores(plain.client, impostor, impostor_groups=people)
    assert br.MisfitWarning in {w.category for w in warned(lambda: br.fit(plain).at_far(0.005))[1]}
    fitted = warned(lambda: br.fit(grouped))[0]
    said = warned(lambda: fitted.at_far([0.03, 0.005]))[1]
    assert br.MisfitWarning not in {w.category for w in said}
    fit = br.fit(summary_of(contaminated(5000)))
    with pytest.warns(br.MisfitWarning, match="of 5000 impostor scores"):
        point = fit.at_far(0.001)
    assert point.n_beyond[1] == approx(5.0)


def test_what_is_contradicted_is_rejected_by_the_exact_test():
    scores = contaminated(2000)
    fit = br.fit(scores)
    with pytest.warns(br.MisfitWarning, match="the fit is contradicted") as caught:
        fit.at_far(0.001)
    found = fit._evidence.misfit(UsedRate(FAR, np.array(0.001), np.array(0.999), True))
    # 5 are expected at 5/2000 and so on.
    counted = int(np.sum(scores.impostor > found.threshold))
    assert (found.observed, found.expected) == (counted, approx(2000 * found.rate))
    assert stats.binomtest(counted, 2000, found.rate).pvalue < 0.01
    assert f"{counted} were observed" in str(caught[0].message)
    assert len(str(caught[0].message)) <= 400
    rng = np.random.default_rng(1)
    client, impostor = rng.beta(5, 2, 1000), rng.beta(2, 5, 1000)
    fit = br.fit(br.Scores(np.append(client, np.zeros(80)), impostor), "beta", boundary="drop")
    assert fit.at_frr(0.01).n_beyond[0] == approx(10.0)  # of 1000, and no misfit


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_a_tail_that_is_too_heavy_is_told_although_five_are_expected():
    # None of 5 expected has probability .0067, and two-sided .013: one count cannot reject.
    rng = np.random.default_rng(1)
    fit = br.fit(br.Scores(rng.normal(3, 1, 300), rng.uniform(-1, 1, 1000)), "normal")
    with pytest.warns(br.MisfitWarning, match="impostor scores are expected above"):
        fit.at_far(0.001)
