"""The default interval of a fit: the hull of that of its family and that of its scores."""

import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import betaroc as br
from helpers.cases import some
from helpers.sets import summary_of

pytestmark = pytest.mark.filterwarnings("ignore:.* is extrapolated")

NUMBERS = (("auc", {}), ("eer", {}), ("min-hter", {}), ("ks", {}),
    ("tpr", {"far": 0.1}), ("threshold", {"far": 0.1}), ("threshold", {"at": "eer"}),
    ("far", {"threshold": 0.6}))  # fmt: skip


def scores(seed=1, n=200):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(5, 2, n), rng.beta(2, 5, n))


def two_kinds(n=1000):
    """Impostors of which a fifth are like clients, where one normal distribution has no such."""
    rng = np.random.default_rng(2)
    impostor = np.concatenate([rng.normal(0.0, 0.5, n - n // 5), rng.normal(3.0, 0.3, n // 5)])
    return br.Scores(rng.normal(3.0, 1.0, n), impostor)


def notices(found):
    return [category.__name__ for category, _ in found.notices]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def fit():
    return br.fit(scores(), "beta")


@pytest.mark.parametrize(("stat", "point"), some(NUMBERS, 2))
def test_the_hull_holds_both(stat, point, fit):
    both, own = fit.interval(stat, **point), br.interval(fit.scores, stat, **point)
    family = fit.interval(stat, method="family", **point)
    assert (both.low, both.high) == (min(own.low, family.low), max(own.high, family.high))
    assert (both.method, both.estimate) == ("family and scores", family.estimate)
    assert family.method == "delta, if the family is right"
    assert fit.interval(stat, method="delta", **point).low == family.low
    assert br.interval(fit, stat, **point) == both == br.from_json(both.to_json())


@pytest.mark.simulation
def test_what_scores_cannot_answer_stays_the_familys(fit):
    for stat in ("exponent-at-one", "client-a", lambda model: model.auc()):
        assert fit.interval(stat).method == "delta"
    weights = {"client_weights": np.full(200, 0.5), "impostor_weights": np.full(200, 1.5)}
    light = br.fit(br.Scores(fit.scores.client, fit.scores.impostor, **weights), "beta")
    assert light.interval("eer").method == "delta, if the family is right"
    one = scores(3, 400)
    summary = summary_of(one, bins=4096)
    fit, off = br.fit(summary, "beta"), 2.0 * max(summary.rate_error)
    for stat, point in (("auc", {}), ("eer", {}), ("tpr", {"far": 0.1})):
        found, rows = fit.interval(stat, **point), br.fit(one, "beta").interval(stat, **point)
        assert found.method == "family and scores"
        assert (found.low, found.high) == pytest.approx((rows.low, rows.high), abs=off)


def test_open_ends_are_of_the_scale_or_a_tail_and_separated_classes_of_the_scores():
    """Of 30 impostors none lies beyond the threshold of FAR .01 with probability .99^30 = .74."""
    few = scores(4, 30)
    assert br.interval(few, "threshold", far=0.01).high == math.inf
    assert br.fit(few, "beta").interval("threshold", far=0.01).high == 1.0
    assert br.fit(few, "normal").interval("threshold", far=0.01).high == math.inf
    rng = np.random.default_rng(5)
    many = br.Scores(rng.normal(2, 1, 1000), rng.normal(0, 1, 1000))
    fit = br.fit(many, "normal", tails={"impostor": "upper"})
    found, tail = (fit.interval("threshold", far=0.002, method=m) for m in (None, "family"))
    assert br.interval(many, "threshold", far=0.002).high == math.inf  # 0.998^1000 is .135
    assert found.high == tail.high
    # None of 100 clients is rejected at the threshold: TPR rounds to 1, FRR does not.
    rng = np.random.default_rng(3)
    fit = br.fit(br.Scores(rng.normal(30, 1, 100), rng.normal(0, 1, 100)), "normal")
    found, own = fit.interval("tpr", far=0.1), br.interval(fit.scores, "tpr", far=0.1)
    assert (found.estimate, found.low, found.high) == (1.0, own.low, 1.0)
    area, own = fit.interval("auc"), br.interval(fit.scores, "auc")  # the family has none
    assert (area.low, area.high, area.method) == (own.low, own.high, own.method)
    frr, tpr = (fit.interval(name, far=0.1, method="delta") for name in ("frr", "tpr"))
    assert 0.0 < frr.low < frr.estimate < frr.high < 1e-100
    assert tpr.high == 1.0 - frr.low


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_a_number_that_the_scores_contradict_says_so_at_the_call():
    fit = br.fit(two_kinds(), "normal")
    for stat in ("auc", "threshold@far=0.1"):
        own = br.interval(fit.scores, stat)
        with pytest.warns(br.MisfitWarning, match="the scores contradict the fit") as told:
            found = fit.interval(stat)
        assert not own.low <= found.estimate <= own.high
        assert (len(told), notices(found)) == (1, ["MisfitWarning"])
    for call in (fit.eer, fit.youden, lambda: fit.min_weighted_error(0.5)):
        with pytest.warns(br.MisfitWarning, match="the scores contradict the fit"):
            assert "MisfitWarning" in notices(call())


@pytest.mark.parametrize("stat", ["auc", "eer"])
def test_a_family_that_says_less_than_the_scores_is_cut(stat):
    """Each end at most one length of the scores' own interval beyond that."""
    rng = np.random.default_rng(6)
    data = br.Scores(rng.normal(1, 1, 300), np.r_[rng.normal(0, 0.2, 299), -60.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.errors.BetarocWarning)
        both, own = br.fit(data, "normal").interval(stat), br.interval(data, stat)
    length = own.high - own.low
    assert own.low - length <= both.low <= own.low
    assert own.high <= both.high <= own.high + length
    inside = both.low <= both.estimate <= both.high
    assert inside != any("does not hold it" in message for _, message in both.notices)


@pytest.mark.simulation
def test_differences_and_bands_of_fits_hold_those_of_scores():
    one, two = br.fit(scores(7), "beta"), br.fit(scores(8), "beta")
    both = br.difference(one, two, "eer", paired=False)
    own = br.difference(one.scores, two.scores, "eer", paired=False)
    family = br.difference(one, two, "eer", paired=False, method="family")
    assert (both.low, both.high) == (min(own.low, family.low), max(own.high, family.high))
    assert both.method == "family and scores"
    same = family.estimate * own.estimate > 0.0
    assert both.p_value == (max(own.p_value, family.p_value) if same else 1.0)
    options = {"far": [0.05, 0.2, 0.6], "simultaneous": True, "replicates": 200, "rng": 1}
    band, alone = one.roc_band(**options), one.roc_band(method="family", **options)
    counted = br.roc_band(one.scores, **options)
    assert_array_equal(band.low, np.minimum(counted.low, alone.low))
    assert_array_equal(band.high, np.maximum(counted.high, alone.high))


@pytest.mark.simulation
def test_thresholds_of_heavy_weights_points_and_far_apart():
    """Of 6e10 impostors a share is known to 1e-5: the gap above the seventh largest of 60."""
    heavy = {f"{who}_weights": np.full(60, 1e9) for who in ("client", "impostor")}
    one = scores(12, 60)
    found = br.interval(br.Scores(one.client, one.impostor, **heavy), "threshold", far=0.11)
    seventh, both = np.sort(one.impostor)[-7], np.r_[one.client, one.impostor]
    assert (found.low, found.high) == (seventh, np.min(both[both > seventh]))
    # The level at which the likeliest EER is the last point of its interval, to the last digit.
    rng = np.random.default_rng(9)
    for _ in range(5):
        data = br.Scores(rng.beta(5, 2, 120), rng.beta(2, 5, 150))
    for level in (0.03272519180824618, 0.032725191808246186, 0.03272519180824619):
        found = br.interval(data, "eer", level=level)
        assert 0.0 <= found.low <= found.high <= 1.0
    # By more than 2, which no rate does: p is that of the intervals' distance.
    rng = np.random.default_rng(3)
    a = br.Scores(rng.normal(300, 50, 200), rng.normal(0, 50, 200))
    b = br.Scores(rng.normal(200, 50, 200), rng.normal(-90, 50, 200))
    found = br.difference(a, b, "threshold", paired=False, far=0.1)
    assert found.low > 0.0
    assert found.p_value < 1e-3
