"""What models, points and curves refuse, and what is said of it: one table."""

import math
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import special

import betaroc as br
from betaroc import Beta, LogitNormal, Normal, ScoreModel
from betaroc.core.special import log_beta_ratio
from betaroc.model.roc import Det, PrecisionRecall
from betaroc.model.statistics import parse_statistic
from helpers.cases import some
from helpers.extras import needs

PAIR = br.ScoreModel(br.Beta(3.0, 2.0), br.Beta(2.0, 5.0))
TINY = br.ScoreModel(br.Beta(2, 3), br.Beta(1e-200, 1e-200))
CERTAIN = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2), prior=1.0)
POINT = br.OperatingPoint(0.5, 0.1, 0.2, prior=0.25)
#: Log likelihood ratios: what they cost is known at a threshold without data.
CALIBRATED = br.ScoreModel(br.Normal(2.0, 2.0), br.Normal(-2.0, 2.0))
R = np.array([[1.0, 0.8, 0.6], [0.8, 1.0, 0.3], [0.6, 0.3, 1.0]])
SYSTEMS = dict.fromkeys("ABC", PAIR)
TYPE, ANY = br.InputTypeError, (br.InputError, br.InputTypeError)


def refused(words, call, *given, error=br.InputError, **named):
    return pytest.param(partial(call, *given, **named), error, words, id=words[:40])


def drawn(words, models=SYSTEMS, n=2, m=2, **options):
    return refused(words, br.sample_systems, models, n, m, **options)


turned = pd.DataFrame(R, index=list("CBA"), columns=list("CBA"))

OF_POINTS = [
    refused("taken at no point; got 0.1. Leave it out", parse_statistic, "auc", (0.1,), error=TYPE),
    refused("taken at no point; got far=0.1. Leave it out", parse_statistic, "auc", (), far=0.1),
    refused("needs a point, one of threshold= far=", parse_statistic, "tpr", (0.1,), error=ANY),
    refused(r"needs a point, one of between=; got \(0.0, 0.1\)", parse_statistic, "partial-auc",
            ((0.0, 0.1),), error=ANY),
    refused(r"between must be two numbers, \(low, high\); got 0.1", parse_statistic, "partial-auc",
            (), between=0.1, error=TYPE),
    refused(r"with low < high; got \(0.2, 0.1\)", parse_statistic, "partial-auc", (),
            between=(0.2, 0.1)),
    *(refused(words, parse_statistic, text) for text, words in (
        ("auc@prior=0.1", "does not depend on prior"), ("cllr@threshold=1", "taken at no point"),
        ("net-benefit@probability=1", r"probability must lie in \[0, 1\)"),
        ("min-dcf@cost_fa=0,cost_fr=0", "cost_fa must not be 0 where cost_fr is"),
        ("dcf@threshold=0,prior=2", "prior must be a fraction"),
        ("bayes-error", "needs a point"))),
    refused(r"must have one shape; got threshold \(2,\)", br.OperatingPoint, [0.1, 0.2],
            [0.1, 0.2, 0.3], [0.1, 0.2], 0.5),
    *(refused("cost_f. must", POINT.dcf, *costs)
      for costs in ((-1.0, 1.0), (1.0, math.nan), (math.inf, 1.0))),
]  # fmt: skip
OF_MODELS = [
    refused("cost_fa must not be 0 where", PAIR.min_dcf, 0.0, 0.0),
    refused("must be fractions .* index 0: 1.5", PAIR.at_far, 1.5),
    refused("must be fractions .* index 1: -0.1", PAIR.threshold_at_frr, [0.1, -0.1]),
    refused("Did you mean 'client'", PAIR.roc, "Client"),
    refused("scheme must be None, 9 or 16", PAIR.shape_category, 10),
    *(refused("weights", PAIR.h_measure, weights)
      for weights in ("beta11", (0.0, 1.0), (1.0, math.nan))),
    refused("strictly between 0 and 1", CERTAIN.h_measure),
    refused("prior must lie strictly between 0 and 1", CALIBRATED.actual_dcf, prior=1.0),
    refused("at must be a point that scores decide", br.interval, br.Scores([1, 2], [0, 1.5]),
            "threshold", at="actual-dcf"),
    refused("Give a prior above 0", br.epc, br.Scores([3, 4, 5], [1, 2, 3]),
            br.Scores([2, 4, 6], [0, 1, 3]), criterion="f-measure", prior=0.0),
    refused("Give shapes nearer to 1", br.plan_sample_size, "auc", model=TINY, width=0.1),
    *(refused("impostor must be a distribution; got 2 of type int", curve, br.Beta(2.0, 1.0), 2,
              error=TYPE) for curve in (br.Roc, Det, PrecisionRecall)),
    *(refused("prior must be the probability of a client", curve, br.Beta(2.0, 1.0),
              br.Beta(1.0, 2.0), prior=1.5) for curve in (br.Roc, Det, PrecisionRecall)),
]  # fmt: skip
OF_SAMPLES = [
    drawn("at least one ScoreModel", {}),
    drawn(r"models\['A'\] must be a ScoreModel", {"A": br.Beta(1, 1)}, error=TYPE),
    drawn("none empty or \"label\"; got 'label'", {"label": PAIR}),
    drawn(r"must lie in \[-1, 1\]; got 1.1", correlation=1.1),
    drawn("at least -1/2; got a smallest", correlation=-0.6),
    drawn(r"3 x 3 matrix for 3 systems; got shape \(2, 2", correlation=np.eye(2)),
    drawn(r"diagonal of 1; got 0.9 at entry \(0, 0\)", correlation=R * 0.9),
    drawn(r"symmetric; got .* at entry \(0, 1\)", correlation=R + np.triu(R, 1) * 0.1),
    drawn("the systems in their order", correlation=turned),
    drawn("correlation of the impostor trials must", correlation=(0.1, -0.6)),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), [*OF_POINTS, *OF_MODELS, *OF_SAMPLES])
def test_what_is_refused_says_why(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert 0 < len(str(caught.value)) <= 400


mp = needs("mpmath", "test")

LARGE_TIE = ScoreModel(Beta(6336.2, 0.826), Beta(6336.2, 1033.8))


@pytest.fixture(autouse=True)
def _many_digits():
    with mp.workdps(60):
        yield


def log_b(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(mp.mpf(a) + mp.mpf(b))


def relative(value, true):
    return float(abs(mp.mpf(value) / true - 1)) if true else abs(value)


def test_ends_of_large_ties_and_of_sigmas_an_ulp_apart():
    ends = LARGE_TIE.ends()
    # B_c / B_i = e^7000 or so is no double; its logarithm says the side.
    assert mp.exp(log_b(6336.2, 0.826) - log_b(6336.2, 1033.8)) > mp.mpf("1e308")
    assert (ends.at_zero.semi_derivative, ends.at_zero.roc_slope) == (math.inf, 0.0)
    assert (ends.at_zero.exponent, ends.at_zero.side) == (1.0, "above")
    sigma = 1.9
    ends = ScoreModel(Normal(0.0, sigma), Normal(0.0, math.nextafter(sigma, 2.0))).ends()
    assert (ends.at_zero.semi_derivative, ends.at_one.semi_derivative) == (math.inf, math.inf)
    ends = ScoreModel(Normal(1.0, sigma), Normal(0.0, sigma)).ends()
    assert ends.at_zero.side == ends.at_one.side == "above"
    narrow = ScoreModel(Normal(1e115, 1e-208), Normal(0.0, 1.0))  # than the doubles about it
    assert (narrow.auc(), narrow.ks(), narrow.eer().hter) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("name", ["a", "b"])
def test_the_side_of_an_end_is_told_where_the_constant_rounds_to_one(name):
    near = math.nextafter(0.0039, 1.0)
    laws = [Beta(0.058, b) if name == "a" else Beta(b, 0.058) for b in (0.0039, near)]
    ends = ScoreModel(*laws).ends()
    end = ends.at_zero if name == "a" else ends.at_one
    assert end.semi_derivative == pytest.approx(1.0, rel=1e-12)
    # B_c > B_i, as b_c < b_i: the impostors have the heavier tail.
    assert end.side == ("above" if name == "a" else "below")


@pytest.mark.parametrize(
    "shapes",
    [(71962.84991228633, 0.03260604, 65043.30003864027, 0.03260604), (7.0, 3.0, 7.5, 3.0)],
)  # fmt: skip
def test_the_ratio_of_neighbouring_beta_functions_is_relatively_accurate(shapes):
    true = log_b(*shapes[:2]) - log_b(*shapes[2:])
    assert relative(log_beta_ratio(*shapes), true) < 1e-13


@pytest.mark.parametrize(
    "shapes",
    [(33.79413663515308, 7.085705615046619, 33.79413663515308, 7.085705615046618),
     (15461.199436943993, 6.888770010550074, 15461.199436943993, 6.888770010550075)],
)  # fmt: skip
def test_pairs_an_ulp_apart_have_the_crossings_of_their_shape(shapes):
    model = ScoreModel(Beta(*shapes[:2]), Beta(*shapes[2:]))
    # One common shape: proper or below, and no crossing (theorem of section 3.3).
    assert model.global_shape() in ("proper", "below")
    assert len(model.diagonal_crossings()) == 0


@pytest.mark.simulation
@pytest.mark.parametrize(
    "shapes",
    [(0.016083304160952987, 4.246360662939635, 0.016083304160954593, 4.246360662940059),
     (3.0, 2.0, 3.0000000000000004, 2.0000000000000004)],
)  # fmt: skip
def test_the_crossing_of_neighbours_is_where_the_sign_changes(shapes):
    pair = ScoreModel(Beta(*shapes[:2]), Beta(*shapes[2:]))
    y = float(pair.diagonal_crossings().logit_threshold[0])

    def excess(logit):
        # Of the lower tails, or turned about: 1 less the least of them has no digit left.
        sign = 1 if logit < 0 else -1
        x = 1 / (1 + mp.exp(abs(logit)))
        client, impostor = (
            mp.betainc(*map(mp.mpf, s[::sign]), 0, x, regularized=True)
            for s in (shapes[:2], shapes[2:])
        )
        return sign * (impostor - client)

    step = mp.mpf("1e-9") * max(1.0, abs(y))
    assert excess(y - step) * excess(y + step) < 0


@pytest.mark.simulation
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e298])
def test_a_binormal_pair_is_the_same_at_any_scale(scale):
    """Everything but the threshold has no unit; the reference is the pair of scale 1."""
    model = ScoreModel(Normal(1.5 * scale, scale), Normal(0.0, 0.7 * scale))
    one = ScoreModel(Normal(1.5, 1.0), Normal(0.0, 0.7))
    for number in ("auc", "ks", "average_precision", "h_measure", "global_shape"):
        value, true = (getattr(m, number)() for m in (model, one))
        assert value == (true if isinstance(true, str) else pytest.approx(true, rel=1e-9))
    assert model.partial_auc(0.0, 0.1) == pytest.approx(one.partial_auc(0.0, 0.1), rel=1e-9)
    choices = [ScoreModel.eer, ScoreModel.max_f, ScoreModel.diagonal_crossings,
        ScoreModel.inflections, lambda m: m.min_weighted_error(0.3), lambda m: m.at_far(1e-200),
    ]  # fmt: skip
    for choose in choices:
        point, true = choose(model), choose(one)
        np.testing.assert_allclose(point.threshold, np.array(true.threshold) * scale, rtol=1e-12)
        np.testing.assert_allclose(point.frr, true.frr, rtol=1e-9)
    assert model.ends() == one.ends()
    np.testing.assert_allclose(model.roc().tpr([0.01, 0.5]), one.roc().tpr([0.01, 0.5]), rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-290, 1e160])
def test_normal_fits_of_any_scale(scale):
    client, impostor = np.array([1.0, 2.0, 4.0]), np.array([-1.0, 0.0, 1.5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.errors.BetarocWarning)
        fit, one = (br.fit(br.Scores(client * s, impostor * s), "normal") for s in (scale, 1.0))
        # Mean and standard deviation (divisor n) by hand.
        assert fit.client.distribution.mu == pytest.approx(7 / 3 * scale, rel=1e-14)
        assert fit.client.distribution.sigma == pytest.approx(math.sqrt(14) / 3 * scale, rel=1e-14)
        assert fit.eer().hter == pytest.approx(one.eer().hter, rel=1e-12)
        assert fit.model.auc() == pytest.approx(one.model.auc(), rel=1e-12)
        assert br.check_fit(fit, replicates=19, rng=1).verdict == "cannot tell"


def test_covariances_and_curve_tests_of_scores_whose_squares_are_no_doubles():
    scores = np.arange(12.0) ** 1.5
    for scale in (1e-160, 1e160):
        fit = br.fit_distribution(scores * scale, "normal")
        assert all(math.isnan(e) for e in fit.std_errors.values())
        # The profile interval is a multiple of sigma and needs no square of it.
        interval, one = (f.conf_int()["mu"] for f in (fit, br.fit_distribution(scores, "normal")))
        assert interval.low == pytest.approx(one.low * scale, rel=1e-9)
    rng = np.random.default_rng(1)
    client, impostor = rng.normal(1.5, 1.0, 30), rng.normal(0.0, 0.7, 30)
    one, small = (
        br.fit(br.Scores(client * s, impostor * s), "normal").curve_test() for s in (1.0, 2.0**-330)
    )
    assert str(small) == str(one)


@pytest.mark.parametrize("family", ["proper-beta", "dual-beta"])
@pytest.mark.parametrize("sd", some([1e-4, 1e-6], 2))
def test_fits_of_tight_scores_answer(family, sd):
    z = np.array([-1.2, -0.3, 0.1, 0.8, 1.1])
    scores = br.Scores(0.9 + sd * z, 0.9 + sd * (2.0 * z[:4] - 0.3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.errors.BetarocWarning)
        fit = br.fit(scores, family)
        crossings = len(fit.model.diagonal_crossings())
        assert crossings == (fit.model.global_shape() in ("hook-at-zero", "hook-at-one"))
        assert fit.client.distribution.mean == pytest.approx(0.9, abs=1e-2)


def test_a_proper_fit_of_tight_scores_has_ends():
    """Both classes share a shape near 1e8: the constant of that end is no double."""
    client = [0.9000038352605799, 0.8998343464407013, 0.9000386794820868, 0.8999243083477964,
        0.9001002330335451, 0.8999854037317799, 0.900077768756351, 0.9001416535788556]  # fmt: skip
    impostor = [0.9000445039425985, 0.8998982239940228, 0.8998240064165752]
    with pytest.warns(br.errors.SmallSampleWarning):
        fit = br.fit(br.Scores(client, impostor), "proper-beta")
    assert fit.model.global_shape() == "proper"
    assert len(fit.model.diagonal_crossings()) == 0


def test_areas_and_curves_of_classes_far_apart():
    """Nearly all clients lie below all impostors; both tails turn far beyond the doubles."""
    model = ScoreModel(LogitNormal(-34.9, 5.45), Beta(5885.7, 0.391))
    assert model.auc() < 1e-9
    assert not model.roc().is_concave
    apart = ScoreModel(Beta(667581.4691368137, 10.88328962040803), LogitNormal(-1.46, 0.56))
    assert 1.0 - 1e-15 < apart.auc() <= 1.0


def test_a_crossing_beyond_all_doubles_stands_at_the_farthest():
    """Tails of orders 2.06 and 2.05 change places where the score is near 1e300."""
    client = br.SinhArcsinh(2.733, 0.5552, -1.215, 1.0293)
    model = br.ScoreModel(client, br.SinhArcsinh(-2.189, 0.05762, 3.671, 1.0242))
    found = model.diagonal_crossings()
    assert len(found.threshold) == 3
    assert found.threshold[0] < -1e299
    assert found.frr[1:] == pytest.approx([0.0038, 0.9936], abs=1e-3)
    assert model.global_shape() == "several-crossings"


def test_quantiles_of_a_vast_second_shape_are_those_of_a_gamma_distribution():
    for b, p in ((1e16, [0.001, 0.5, 0.9, 0.999]), (1e19, [0.001, 0.5])):
        wanted = special.gammaincinv(1e5, p) / b  # to the order of a/b
        np.testing.assert_allclose(br.Beta(1e5, b).ppf(p), wanted, rtol=1e-10)


#: x with mp.log(mp.quad(exp(log f), [x, inf])) = log p, 50 digits: a, b, p, x.
VAST = [
    (1e5, 1e18, 1e-3, 1.0098006779194908e-13), (1e5, 1e19, 1e-3, 1.0098006779195821e-14),
    (1e3, 1e25, 1e-3, 1.1005780982933145e-22), (1e4, 1e21, 1e-200, 1.3331645867165932e-17),
    (0.25, 1e22, 1e-100, 2.2490541224510624e-20),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "p", "x"), VAST)
def test_upper_quantiles_of_a_vast_second_shape_agree_with_mpmath(a, b, p, x):
    assert br.Beta(a, b).isf(p) == pytest.approx(x, rel=1e-13)
    assert br.Beta(b, a).ppf(p) == pytest.approx(1.0 - x, rel=1e-15)
