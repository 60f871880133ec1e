"""`br.fit(..., tails=...)` and what is asked of such fits: options, intervals, what they refuse."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.special import expit, logit

import betaroc as br
from betaroc.core.errors import ExtrapolationWarning, InputError, MisfitWarning, ScaleWarning
from betaroc.estimation.tails import TailScores, fit_tails
from betaroc.inference.intervals import tail_rate_ends, tail_threshold_ends
from helpers.sets import frame_of

approx = pytest.approx


def scores(n=1000, seed=2):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(6.0, 2.0, n), rng.beta(2.0, 8.0, n))


@pytest.fixture(scope="module")
def fitted():
    return br.fit(scores(), tails="both")


def upper(f):
    return next(one for one in f.impostor.tails if one.side == "upper")


@pytest.mark.simulation
def test_ends_bodies_checks_and_what_tails_refuse(fitted):
    for law in (fitted.model.client, fitted.model.impostor):
        assert isinstance(law, br.Spliced)
        assert law.lower is not None
        assert law.upper is not None
    some = br.fit(scores(), tails={"impostor": "upper", "client": "lower"})
    assert [one.side for one in some.impostor.tails] == ["upper"]
    assert [one.side for one in some.client.tails] == ["lower"]
    plain = br.fit(scores())
    assert fitted.model.impostor.body == plain.model.impostor
    between = np.linspace(0.15, 0.35, 9)
    ratio = np.array(fitted.model.impostor.pdf(between)) / plain.model.impostor.pdf(between)
    assert ratio == approx(np.full(9, ratio[0]), rel=1e-12)
    check = br.check_fit(fitted, far=[0.2, 0.01], replicates=19, rng=1)
    assert check.targets[0].verdict == "good"
    assert (check.targets[1].verdict, check.targets[1].needed) == ("cannot tell", None)
    assert "placed by these very scores" in check.targets[1].reason
    for call in (fitted.shape_probabilities, fitted.end_tests, fitted.curve_test,
        fitted.sensitivity, fitted.conf_int):  # fmt: skip
        with pytest.raises(InputError, match="be without tails"):
            call()
    with pytest.raises(InputError, match="rests on none"):
        fitted.interval("auc", method="integrated")
    with pytest.raises(InputError, match="rests on none"):
        br.fit(scores()).interval("threshold", far=1e-3, method="integrated")


def test_the_tail_is_that_of_the_logits_and_far_out_it_is_asked_for(fitted):
    data, law = scores(), fitted.impostor.distribution
    assert law.body == br.fit(data).impostor.distribution
    expected = fit_tails(TailScores("impostor", logit(data.impostor)), "upper").tail()
    for name in ("mass", "shape", "scale", "joint"):
        assert getattr(law.upper, name) == approx(getattr(expected, name), rel=1e-9)
    assert fitted.impostor.names[:2] == ("a", "b")
    assert fitted.impostor.names[-3:] == ("upper_mass", "upper_shape", "upper_scale")
    assert fitted.impostor.n_free == 8
    shares = [fit.mass * (1 - fit.mass) / fit.n for fit in upper(fitted).fits]
    assert fitted.impostor.std_errors["upper_mass"] ** 2 == approx(np.mean(shares), rel=1e-9)
    total = np.sum(law.logpdf(data.impostor))
    assert fitted.impostor.log_likelihood == approx(total, rel=1e-10)
    with pytest.warns(ExtrapolationWarning):
        found = fitted.interval("threshold", far=2e-4)
    assert found.extrapolated
    assert found.n_beyond == approx(0.2)
    with pytest.warns(ExtrapolationWarning):
        allowed = fitted.interval("threshold", far=5e-5, extrapolate=True)
    assert allowed.extrapolated
    with pytest.raises(InputError, match="extrapolate=True"):
        br.difference(fitted, fitted, "threshold", far=5e-5)
    with pytest.raises(InputError, match="extrapolate=True"):
        fitted.roc_band(far=[5e-5, 0.1])


@pytest.mark.simulation
def test_tails_of_scales_cosines_counts_and_summaries():
    x = np.random.default_rng(1).normal(size=(2, 500))
    plain, large = (br.fit(br.Scores(*(x * s)), "normal", tails="both") for s in (1.0, 1e200))
    shapes = [[fit.shape for fit in upper(f).fits] for f in (plain, large)]
    assert shapes[1] == approx(shapes[0], rel=1e-6)
    data, options = scores(400), {"tails": {"impostor": "upper"}, "tail_sizes": [25, 40]}
    plain = br.fit(data, **options)
    assert [fit.k for fit in upper(plain).fits] == [25, 40]
    total = np.sum(plain.impostor.distribution.logpdf(data.impostor))
    assert plain.impostor.log_likelihood == approx(total, rel=1e-10)
    cosines = br.Scores(2.0 * data.client - 1.0, 2.0 * data.impostor - 1.0)
    there = br.fit(cosines, bounds=(-1, 1), **options).model.at_far(0.001).threshold
    assert 0.5 * (there + 1.0) == approx(plain.model.at_far(0.001).threshold, rel=1e-6)
    ends = br.Scores(np.append(data.client, 1.0), np.append(data.impostor, [1.0, 1.0]))
    with pytest.raises(InputError, match="exactly there"):
        br.fit(ends, boundary="inflate", **options)
    dropped = br.fit(ends, boundary="drop", **options)
    assert dropped.model.impostor.upper == plain.model.impostor.upper
    # The joint, the mean of two sizes, lies between scores: counts beside it are rescaled.
    model = br.fit(scores(), "empirical", tails="both").model
    assert model.far(np.sort(scores().impostor)[-200]) == approx(0.199, rel=0.005)
    assert 0.0 < model.far(float(np.max(scores().impostor)) + 0.05) < 1e-3
    data = scores(5000)
    frame = frame_of(data)
    halves, of_rows = [br.summarize(frame.iloc[k::2]) for k in (0, 1)], br.fit(data, tails="both")
    for summary in (br.summarize(frame), halves[0] + halves[1]):
        found = br.fit(summary, tails="both")
        for who in ("client", "impostor"):
            one, own = (getattr(f.model, who) for f in (found, of_rows))
            assert (one.upper, one.lower) == (own.upper, own.lower)
            assert getattr(found, who).log_likelihood == approx(getattr(of_rows,
                who).log_likelihood, rel=1e-9)  # fmt: skip
        a, b = (f.interval("threshold", far=1e-3, method="family") for f in (found, of_rows))
        assert (a.low, a.high) == approx((b.low, b.high), rel=1e-9)
    with pytest.raises(InputError, match="at most 400 of a summary"):
        br.fit(halves[0], tails="both", tail_sizes=401)


@pytest.mark.simulation
def test_counts_with_tails_have_intervals_where_counts_or_tails_answer():
    """The FRR at a FAR of the tail: by the tail's interval and the exact one of the counts."""
    data = scores()
    f = br.fit(data, "empirical", tails={"impostor": "upper"})
    assert not f.impostor.params
    own = f.interval("threshold", far=2e-3, method="family")
    assert own.method == "tail, integrated, if the family is right"
    assert (own.low, own.high) == approx(expit(tail_threshold_ends(upper(f), 2e-3)))
    band, of_scores = (br.roc_band(x, far=[0.0, 2e-3, 0.1]) for x in (f, data))
    assert_array_equal([band.low, band.high], [of_scores.low, of_scores.high])
    found = f.interval("frr", far=2e-3, method="family")
    counted = br.interval(data, "frr", threshold=own.estimate)
    low, high = (float(f.model.frr(t)) for t in (own.low, own.high))
    assert found.low == approx(found.estimate - np.hypot(found.estimate - low,
        found.estimate - counted.low))  # fmt: skip
    assert found.high == approx(found.estimate + np.hypot(high - found.estimate,
        counted.high - found.estimate))  # fmt: skip


@pytest.mark.parametrize(("options", "words"), [
    ({"tails": "middle"}, "got 'middle'"),
    ({"tails": {"impostors": "upper"}}, "got"),
    ({"tail_sizes": 30}, "beside tails"),
    ({"family": "normal", "tails": "upper", "bounds": (0, 0.9)}, "outside, first index"),
])  # fmt: skip
def test_requests_that_make_no_sense(options, words):
    with pytest.raises(InputError, match=words):
        br.fit(**{"scores": scores(), **options})  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_a_steep_tail_is_told():
    rng = np.random.default_rng(5)
    impostor = np.concatenate([rng.normal(0, 1, 950), 5.0 + 2.0 * rng.standard_cauchy(50) ** 2])
    with pytest.warns(ScaleWarning, match="upper tail of impostor has shape"):
        br.fit(br.Scores(rng.normal(3, 1, 1000), impostor), "normal", tails={"impostor": "upper"})
    # Uniform scores on the score itself: the tail ends near 1, and says so by a rate of 0.
    rng = np.random.default_rng(8)
    data = br.Scores(rng.normal(2.0, 1.0, 2000), rng.uniform(-1.0, 1.0, 2000))
    with pytest.warns(ScaleWarning, match="it ends soon"):
        f = br.fit(data, "normal", tails={"impostor": "upper"})
    with pytest.warns(ExtrapolationWarning, match="ends before the threshold"):
        found = f.interval("far", threshold=1.002)
    assert (found.estimate, found.low) == (0.0, 0.0)
    assert found.extrapolated
    assert 0.0 < found.high < 1e-2


@pytest.mark.simulation
def test_intervals_bands_and_differences_are_those_of_the_tail(fitted):
    upper_tail, lower_tail = fitted.impostor.tails[1], fitted.client.tails[0]
    far, tnr, frr = (fitted.interval(stat, method="family") for stat in (
        "far@threshold=0.55", "tnr@threshold=0.55", "frr@threshold=0.35"))  # fmt: skip
    assert (far.low, far.high) == approx(tail_rate_ends(upper_tail, float(logit(0.55))))
    assert (1.0 - tnr.high, 1.0 - tnr.low) == approx((far.low, far.high))
    assert (frr.low, frr.high) == approx(tail_rate_ends(lower_tail, float(logit(0.35))))
    band, own = fitted.roc_band(far=[2e-3, 0.05]), fitted.interval("tpr", far=2e-3)
    assert (band.low[0], band.high[0]) == approx((own.low, own.high))
    joint = fitted.roc_band(far=[2e-3, 0.05], simultaneous=True, rng=1)
    assert joint.low[0] < band.low[0]
    assert joint.high[0] > band.high[0]
    # Independent systems: the square root of the sum of squares of what each end is away.
    other, options = br.fit(scores(seed=9), tails="both"), {"far": 2e-3, "method": "integrated"}
    found = br.difference(fitted, other, "threshold", paired=False, **options)
    a, b = (f.interval("threshold", **options) for f in (fitted, other))
    assert found.method == "tail, integrated"
    gap = a.estimate - b.estimate
    assert found.estimate == approx(gap)
    assert found.low == approx(gap - np.hypot(a.estimate - a.low, b.high - b.estimate))
    assert found.high == approx(gap + np.hypot(a.high - a.estimate, b.estimate - b.low))


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_dev_fits_are_made_again_with_their_tails(fitted):
    """A set whose tail the family misses: thresholds for FAR 1 % vary about that of the tail."""
    rng = np.random.default_rng(3)
    impostor = np.concatenate([rng.beta(2, 8, 970), rng.beta(12, 4, 30)])
    dev = br.Scores(rng.beta(6, 2, 1000), impostor)
    test = br.Scores(dev.client, np.concatenate([rng.beta(2, 8, 9700), rng.beta(12, 4, 300)]))
    fits = [br.fit(dev, tails=tails) for tails in (None, {"impostor": "upper"})]
    options = {"criterion": "far", "measure": "far", "alpha": [0.01]}
    with pytest.warns(MisfitWarning):
        curves = [br.epc(f, test, **options) for f in fits]
    bands = [c.band(resample="both", replicates=100, rng=1) for c in curves]
    assert bands[0].low[0] > 0.01
    assert bands[1].low[0] < 0.01 < bands[1].high[0]
