"""Decisions over strata: each keeps the target, and no pooled rate hides one that does not."""

import json
import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import integrate, stats

import betaroc as br
from betaroc.decision import bands
from betaroc.distributions.strata import WorstStratum
from betaroc.inference.drawn_scores import BootstrapRows
from betaroc.report.page import render_report
from helpers.commands import said
from helpers.files import write

approx = pytest.approx
KINDS = ["mask", "print", "replay"]
WEIGHTS = {"mask": 0.1, "print": 0.4, "replay": 0.5}


def attacked(rng, means=(2.0, 0.0, 0.5), n=300, clients=400, **more):
    impostor = np.concatenate([rng.normal(mean, 1, n) for mean in means])
    kinds = np.repeat([*KINDS, *map(str, range(len(means)))][: len(means)], n)
    return br.Scores(rng.normal(4, 1, clients), impostor, impostor_strata=kinds, **more)


@pytest.fixture(scope="module")
def dev():
    return attacked(np.random.default_rng(0))


def own(scores, kind):
    return br.Scores(scores.client, scores.impostor[scores.impostor_strata == kind])


@pytest.mark.parametrize("how", ["guaranteed", "average"])
def test_the_threshold_is_the_largest_of_the_strata(dev, how):
    d = br.decide(dev, far=0.05, how=how)
    alone = {kind: br.decide(own(dev, kind), far=0.05, how=how) for kind in KINDS}
    assert d.threshold == max(a.threshold for a in alone.values())
    assert (d.over, d.worst, d.how, d.n) == ("worst", "mask", how, 300)
    assert d.expected.far == alone["mask"].expected.far
    assert d.strata == br.by_stratum(dev, "far", threshold=d.threshold)
    assert (d.interval.low, d.interval.high) == (d.strata.worst.low, d.strata.worst.high)
    assert d.expected.frr == dev.confusion(d.threshold).frr


@pytest.mark.simulation
def test_clients_mirror_impostors_and_each_stratum_is_left_out(dev):
    d = br.decide(dev, far=0.05)
    mirrored = br.Scores(-dev.impostor, -dev.client, client_strata=dev.impostor_strata)
    other = br.decide(mirrored, frr=0.05)
    assert other.threshold == math.nextafter(-d.threshold, -math.inf)
    assert (other.worst, other.expected.frr) == (d.worst, d.expected.far)
    for k, kind in enumerate(KINDS):
        rest = dev.impostor_strata != kind
        without = br.Scores(dev.client, dev.impostor[rest],
            impostor_strata=dev.impostor_strata[rest])  # fmt: skip
        at = br.decide(without, far=0.05).threshold
        assert d.unseen.threshold[k] == at
        assert d.unseen.estimate[k] == own(dev, kind).confusion(at).far
    assert f"{100 * d.unseen.estimate[0]:.0f} % of one (mask) would be accepted" in d.reason
    d = br.decide(br.Scores(dev.client, dev.impostor, impostor_strata=["a"] * 900), far=0.05)
    assert (d.over, d.strata, d.worst) == ("pooled", None, None)
    of_clients = br.decide(dev, frr=0.05)  # which have none
    assert of_clients.over == "pooled"
    assert "FAR is of the mixture of 3 strata." in of_clients.reason


@pytest.mark.simulation
def test_what_is_pooled_says_so(dev):
    pooled = br.decide(dev, far=0.05, over="pooled")
    plain = br.decide(br.Scores(dev.client, dev.impostor), far=0.05)
    assert (pooled.threshold, plain.status) == (plain.threshold, "can be relied on")
    assert pooled.status == "do not rely on it"
    assert "of the mixture of 3 strata. mask is above 5 %" in pooled.reason
    alike = attacked(np.random.default_rng(3), (0.0, 0.0, 0.0))
    assert br.decide(alike, far=0.05, over="pooled").status == "can be relied on"
    for asked in ({"eer": True}, {"how": "model", "far": 0.05}):
        d = br.decide(dev, **asked)
        assert d.over == "pooled"
        assert "That is of the mixture of 3 strata." in d.reason
    many = attacked(np.random.default_rng(1), [0.0] * 13, n=100)
    assert "5 more strata" in br.decide(many, far=0.05)._repr_html_()
    s = scores(1, digits=9)
    for value in (br.epc(s, scores(2), alpha=[0.5]), br.fit(s, "normal")):
        assert "of the mixture of 3 strata" in str(value._view()[0])
    assert "of the worst stratum" in str(br.epc(s, scores(2), over="worst", alpha=[0.5]))


def test_attacks_without_a_score_stand_beside_their_species(dev):
    silent = br.Scores(dev.client, dev.impostor, impostor_strata=dev.impostor_strata,
        n_impostor_rejected={"mask": 100, "print": 20})  # fmt: skip
    d = br.decide(silent, far=0.05, family="normal")
    assert dict(zip(d.strata.stratum, d.strata.non_response, strict=True)) == {
        "mask": 0.25, "print": 0.0625, "replay": 0.0}  # fmt: skip
    assert "no score" in str(d._view())


def test_a_check_judges_every_stratum(dev):
    d, rng = br.decide(dev, far=0.05), np.random.default_rng(7)
    kept = d.check(attacked(rng, n=3000))
    assert (kept.verdict, kept.status) == ("kept", "can be relied on")
    worse = d.check(attacked(rng, (2.0, 0.0, 3.0), n=3000))
    assert (worse.verdict, worse.status) == ("broken", "do not rely on it")
    assert "On test replay is above 5 %" in worse.reason
    assert worse.observed == worse.strata.worst.estimate
    assert d.check(attacked(rng, n=20)).verdict == "cannot tell"
    plain = attacked(rng, n=3000)
    without = d.check(br.Scores(plain.client, plain.impostor))
    assert (without.verdict, without.strata) == ("cannot tell", None)
    assert "fewer than two strata" in without.reason
    rest = plain.impostor_strata != "print"
    names = np.where(plain.impostor_strata == "mask", "statue", plain.impostor_strata)
    other = d.check(br.Scores(plain.client, plain.impostor[rest], impostor_strata=names[rest]))
    assert other.verdict == "cannot tell"
    assert "Not tested: mask, print. Not in dev: statue." in other.reason
    pooled = br.decide(br.Scores(dev.client, dev.impostor), far=0.05).check(plain)
    assert (pooled.verdict, pooled.status) == ("kept", "do not rely on it")
    assert "mask is above 5 %" in pooled.reason


@pytest.mark.simulation
def test_strata_that_are_too_small_are_named(dev):
    def with_tiny(n):
        impostor = np.append(dev.impostor, np.linspace(0, 1, n))
        return br.Scores(dev.client, impostor,
            impostor_strata=np.append(dev.impostor_strata, ["tiny"] * n))  # fmt: skip

    whole = br.decide(dev, far=0.05, how="average")
    with pytest.raises(br.InputError, match=r"not for tiny: 19 impostors needed") as error:
        br.decide(with_tiny(3), far=0.05)
    assert f"the threshold without it is {whole.threshold!r}" in str(error.value)
    assert error.value.needed == 59
    some = br.decide(with_tiny(30), far=0.05)
    assert (some.how, some.status, some.needed) == ("average", "not enough evidence", 59)
    assert "needs 59 impostors of each, stratum tiny has 30" in some.reason
    assert br.decide(with_tiny(59), far=0.05).how == "guaranteed"


@pytest.mark.parametrize(("asked", "words"), [
    ({"far": 0.05, "over": "each"}, "over must be"),
    ({"frr": 0.05, "over": "worst"}, "over must be pooled"),
    ({"eer": True, "over": "worst"}, "over must be pooled"),
    ({"far": 0.05, "over": "worst", "how": "tail"}, "how must be"),
    ({"far": 0.05, "over": {"mask": 1.0}, "how": "average"}, 'how must be "guaranteed"'),
    ({"far": 0.05, "over": {"mask": 0.5}}, "over must have weights that sum to 1"),
    ({"far": 0.05, "over": {"lens": 1.0}}, "over must name strata"),
    ({"far": 0.001, "over": {"mask": 0.5, "print": 0.5}}, "not for the mean.*too few"),
])  # fmt: skip
def test_what_cannot_be_over_strata_is_refused(dev, asked, words):
    with pytest.raises(br.InputError, match=words):
        br.decide(dev, **asked)
    ids = br.Scores([1001.0, 1002.0], np.arange(1001.0), impostor_strata=np.arange(1001))
    with pytest.raises(br.InputError, match="ids"):
        br.decide(ids, far=0.05)


def test_a_mean_is_not_relied_on_where_a_stratum_is_above_the_target(dev):
    d = br.decide(dev, far=0.05, over=WEIGHTS)
    assert br.interval(own(dev, "mask"), "far", threshold=d.threshold).low > 0.05
    assert d.status == "do not rely on it"
    assert "mixture of 3 strata. mask is above 5 %" in d.reason
    assert d.check(attacked(np.random.default_rng(1), n=4000)).status == "do not rely on it"
    alike = br.decide(attacked(np.random.default_rng(2), (0.0, 0.0, 0.0)), far=0.05, over=WEIGHTS)
    assert alike.status == "can be relied on"
    lacking = d.check(attacked(np.random.default_rng(3), (-1.0, 0.0)))
    assert lacking.verdict == "cannot tell"
    assert "lacks replay" in lacking.reason


@pytest.mark.simulation
def test_the_page_has_a_row_per_stratum_of_each_set(dev, few, panel_alone):
    test = attacked(np.random.default_rng(5))
    plain = br.Scores(test.client, test.impostor)
    asked = {"family": "normal", "target": "far=0.05"}
    page = render_report(br.analyze(dev, {"test": test, "plain": plain}, **asked))
    section = page.split('id="strata"')[1].split('id="curves"')[0]
    rows = [len(re.findall(rf"<tr><th><bdi[^>]*>{kind}<", section)) for kind in KINDS]
    assert rows == [3, 3, 3]  # of dev, of the test, left out
    assert "test 1 (test): the worst of 3 is mask: FAR" in section
    assert "<b>no strata</b>" in page


@pytest.mark.simulation
def test_a_mean_by_weights_keeps_a_target(dev):
    def bound(t):  # the upper end of 90 % is the bound of 95 %
        return br.interval(dev, "far", threshold=t, level=0.9, over=WEIGHTS).high

    d = br.decide(dev, far=0.05, over=WEIGHTS)
    below = np.sort(dev.impostor)[np.searchsorted(np.sort(dev.impostor), d.threshold) - 1]
    assert bound(d.threshold) <= 0.05 < bound(below)
    assert (d.over, d.unseen) == (WEIGHTS, None)
    for noun in (d, br.decide(dev, far=0.05), d.check(attacked(np.random.default_rng(7)))):
        assert br.from_json(noun.to_json()) == noun
    assert "With about 95 %" in d.reason
    mean = br.interval(dev, "far", threshold=d.threshold, over=WEIGHTS)
    ends = d.interval.estimate, d.interval.low, d.interval.high
    assert ends == approx((mean.estimate, mean.low, mean.high), abs=1e-12)
    mirrored = br.Scores(-dev.impostor, -dev.client, client_strata=dev.impostor_strata)
    other = br.decide(mirrored, frr=0.05, over=WEIGHTS)
    assert other.threshold == math.nextafter(-d.threshold, -math.inf)
    alone = br.decide(dev, far=0.05, over={"mask": 1.0})
    assert alone.threshold == br.decide(own(dev, "mask"), far=0.05).threshold
    for means, verdict in (((2.0, 0.0, 0.5), "kept"), ((2.0, 2.0, 2.0), "broken")):
        check = d.check(attacked(np.random.default_rng(1), means, n=4000))
        rate = br.interval(check.scores, "far", threshold=d.threshold, over=WEIGHTS)
        assert (check.observed, check.verdict) == (approx(rate.estimate), verdict)
    lacking = d.check(own(dev, "mask"))  # whose strata cannot be told apart
    assert lacking.verdict == "cannot tell"
    assert "has fewer than two strata" in lacking.reason


@pytest.mark.nightly
def test_guarantees_and_checks_over_thirteen_strata():
    """Targets of 10 %, 300 trials a stratum; 400 draws, standard error .011 at .05."""
    rng, means, broken, refuted = np.random.default_rng(5), np.linspace(-1, 1, 13), 0, 0
    for _ in range(400):
        d = br.decide(attacked(rng, means, clients=20), far=0.1)
        broken += np.max(stats.norm.sf(d.threshold - means)) > 0.1
        at = np.full(13, d.threshold - stats.norm.isf(0.1))  # every stratum lies at the target
        refuted += d.check(attacked(rng, at, clients=20)).verdict == "broken"
    assert broken / 400 <= 0.05 + 0.022
    assert refuted / 400 <= 0.05


pytestmark = pytest.mark.filterwarnings("ignore:dev and test are the same data")
ALPHAS = [0.1, 0.3, 0.5, 0.7, 0.9]
SHARES = {"s0": 0.15, "s1": 0.25, "s2": 0.6}


def scores(seed, n=60, shifts=(0.0, 0.6, 1.2), digits=1):
    """Clients about 2, and a stratum of impostors about each shift."""
    rng = np.random.default_rng(seed)
    client, impostor = rng.normal(2.0, 1.0, n), [rng.normal(s, 1.0, n) for s in shifts]
    names = np.repeat([f"s{k}" for k in range(len(shifts))], n)
    return br.Scores(np.round(client, digits), np.round(np.concatenate(impostor), digits),
                     impostor_strata=names)  # fmt: skip


@pytest.fixture(scope="module")
def fitted():
    """Normal fits of the strata of dev and of test."""
    return [br.fit(scores(k, 400, digits=9), "normal", by="stratum") for k in (1, 2)]


def rates(s, over, t):
    """FAR and FRR at thresholds, by counting."""
    names = list(s.strata.impostor)
    far = np.array([[np.mean(s.impostor[s.impostor_strata == k] > x) for x in t] for k in names])
    weights = None if over == "worst" else [over.get(k, 0.0) for k in names]
    total = far.max(axis=0) if weights is None else np.tensordot(weights, far, 1)
    return total, np.array([np.mean(s.client <= x) for x in t])


@pytest.mark.parametrize("over", ["worst", SHARES])
def test_a_curve_is_the_least_error_by_counting(over):
    dev, test = scores(1), scores(2)
    curve = br.epc(dev, test, over=over, alpha=ALPHAS)
    places = np.unique(np.concatenate([dev.client, dev.impostor]))
    far, frr = rates(dev, over, np.append(-np.inf, places))
    for alpha, t in zip(ALPHAS, curve.threshold, strict=True):
        own = rates(dev, over, [t])
        assert alpha * own[0][0] + (1 - alpha) * own[1][0] == pytest.approx(
            np.min(alpha * far + (1 - alpha) * frr), abs=1e-12
        )
    far, frr = rates(test, over, curve.threshold)
    np.testing.assert_allclose(curve.value, 0.5 * (far + frr), atol=1e-12)
    own = [e.far for e in curve.strata.values()]
    combined = np.max(own, axis=0) if over == "worst" else np.tensordot([*SHARES.values()], own, 1)
    np.testing.assert_allclose(combined, curve.far, atol=1e-12)


def test_shares_of_the_trials_are_the_pooled_curve_and_of_clients_the_worst_is_rejected_most():
    dev, test = scores(3), scores(4)
    thirds = br.epc(dev, test, over=dict.fromkeys(SHARES, 1 / 3), alpha=ALPHAS)
    np.testing.assert_allclose(thirds.value, br.epc(dev, test, alpha=ALPHAS).value, atol=1e-12)
    alone = [br.Scores(s.client, s.impostor[s.impostor_strata == "s1"]) for s in (dev, test)]
    one = br.epc(dev, test, over={"s1": 1.0}, alpha=ALPHAS)
    np.testing.assert_array_equal(one.threshold, br.epc(*alone, alpha=ALPHAS).threshold)
    s = scores(5)
    turned = br.Scores(-s.impostor, -s.client, client_strata=s.impostor_strata)
    curve = br.epc(turned, turned, over="worst", alpha=[0.5])
    far, frr = rates(s, "worst", [-curve.threshold[0] - 1e-9])
    assert curve.frr[0] == pytest.approx(far[0])
    assert curve.far[0] == pytest.approx(frr[0])


@pytest.mark.simulation
def test_the_worst_of_fits_is_their_envelope():
    parts = br.Beta(2.0, 6.0), br.Beta(3.0, 4.0), br.Beta(0.8, 1.2)
    for upper, name in ((True, "sf"), (False, "cdf")):
        worst = WorstStratum(parts, upper)
        x = np.linspace(0.01, 0.9, 50)
        each = np.array([getattr(part, name)(x) for part in parts])
        np.testing.assert_array_equal(getattr(worst, name)(x), each.max(axis=0))
        np.testing.assert_allclose(worst.ppf(worst.cdf(x)), x, rtol=1e-9)
        assert integrate.quad(worst.pdf, 0, 1, limit=500)[0] == pytest.approx(1.0, abs=1e-6)
    client = br.Beta(5.0, 2.0)
    model = br.ScoreModel(client, WorstStratum(parts, upper=True))
    area, _ = integrate.quad(
        lambda t: client.pdf(t) * (1.0 - max(part.sf(t) for part in parts)), 0, 1, limit=500
    )
    assert model.auc() == pytest.approx(area, abs=1e-8)
    grid = np.linspace(0.001, 0.999, 20001)
    for alpha in ALPHAS:
        best = model.min_weighted_error(alpha)
        least = np.min(alpha * model.impostor.sf(grid) + (1 - alpha) * client.cdf(grid))
        assert alpha * best.far + (1 - alpha) * best.frr <= least + 1e-12


@pytest.mark.simulation
def test_a_fit_of_each_stratum():
    client, impostor = np.random.default_rng(6).beta([[5], [2]], [[2], [4]], (2, 300))
    s = br.Scores(client, impostor, impostor_strata=["print", "replay", "mask"] * 100)
    fits = br.fit(s, by="stratum")
    for name, fit in zip(fits.stratum, fits.fits, strict=True):
        own = br.fit(br.Scores(s.client, s.impostor[s.impostor_strata == name]))
        assert fits[name].params == fit.params == own.params
    table = fits.to_frame()
    assert table["semi_at_one"].tolist() == [f.model.semi_derivatives().at_one for f in fits.fits]
    worst = br.epc(fits, fits, over="worst", alpha=ALPHAS)
    each = [f.model.far(worst.threshold) for f in fits.fits]
    np.testing.assert_allclose(worst.far, np.max(each, axis=0), rtol=1e-14)
    pooled = fits.model_over("pooled")
    assert pooled.auc() == pytest.approx(np.mean([f.model.auc() for f in fits.fits]), abs=1e-12)


def test_masses_at_the_ends_are_mixed():
    impostor = np.concatenate([np.zeros(10), np.linspace(0.1, 0.8, 40), np.linspace(0.05, 0.4, 50)])
    names = ["a"] * 50 + ["b"] * 50
    s = br.Scores(np.linspace(0.3, 0.99, 50), impostor, impostor_strata=names)
    with pytest.warns(br.BoundaryWarning):
        fits = br.fit(s, by="stratum")
    mean, x = fits.model_over({"a": 0.25, "b": 0.75}), np.linspace(0.0, 1.0, 41)
    assert mean.impostor.atoms.masses.tolist() == [0.25 * 0.2]
    each = np.array([f.model.far(x) for f in fits.fits])
    np.testing.assert_allclose(mean.far(x), [0.25, 0.75] @ each, atol=1e-14)
    np.testing.assert_allclose(fits.model_over().far(x), each.max(axis=0), atol=1e-14)


# --------------------------------------------------------------------------------- bands
@pytest.mark.parametrize("over", ["worst", SHARES])
def test_drawn_thresholds_are_those_of_the_drawn_scores(over):
    dev = scores(7)
    e = br.epc(dev, scores(8), over=over, alpha=ALPHAS)
    drawn = BootstrapRows.of(dev, None).draw(np.random.default_rng(1), 5)
    fast = bands.resampler(e).thresholds(drawn)
    codes = np.unique(dev.impostor_strata, return_inverse=True)[1]
    for row, client, impostor in zip(fast, *drawn, strict=True):
        again = br.Scores(np.repeat(dev.client, client), np.repeat(dev.impostor, impostor),
                          impostor_strata=np.repeat(codes, impostor).astype(str))  # fmt: skip
        named = over if over == "worst" else {k[1]: w for k, w in over.items()}
        slow = br.epc(again, again, over=named, alpha=ALPHAS)
        # Within one gap of the worst rates any place is as good.
        at = [rates(again, named, t) for t in (row, slow.threshold)]
        np.testing.assert_allclose(*at, atol=1e-12)


def test_ends_at_fixed_thresholds_by_hand():
    # FAR alone of one stratum by weight is Clopper and Pearson's interval of its count; the
    # variance is that of (x + 1/2)/(n + 1), so the ends are near and no tighter by much.
    dev, test = scores(9), scores(10)
    e = br.epc(dev, test, over={"s2": 1.0}, measure="far", alpha=[0.5])
    band = e.band(resample="test")
    hits = int(np.sum(test.impostor[test.impostor_strata == "s2"] > e.threshold[0]))
    exact = stats.binomtest(hits, 60).proportion_ci(0.95)
    assert (band.low[0], band.high[0]) == pytest.approx((exact.low, exact.high), abs=0.01)


def test_bands_are_nested_and_an_area_lies_in_that_of_the_band():
    e = br.epc(scores(11), scores(12), over="worst", alpha=ALPHAS)
    one, every = (e.band(resample="test", simultaneous=several) for several in (False, True))
    for wide in (every, e.band(replicates=100, rng=1)):
        assert np.all(wide.low <= one.low + 1e-12)
        assert np.all(wide.high >= one.high - 1e-12)
    area = e.interval("area", method="test")
    ends = [integrate.trapezoid(x, ALPHAS) / 0.8 for x in (every.low, every.estimate, every.high)]
    assert [area.low, area.estimate, area.high] == pytest.approx(ends, abs=1e-12)
    value = e.interval("value", alpha=0.5, method="test")
    assert (value.low, value.high) == pytest.approx((one.low[2], one.high[2]))


@pytest.mark.parametrize("measure", ["far", "frr", "hter", "f1"])
def test_a_band_of_the_fit_of_one_stratum_is_its_own(fitted, measure):
    options = {"alpha": ALPHAS[1:4], "measure": measure, "prior": 0.5}
    ours = br.epc(*fitted, over={"s1": 1.0}, **options).band(resample="test")
    pair = [side["s1"] for side in fitted]
    own = br.epc(*pair, **options).band(resample="test", method="delta")
    np.testing.assert_allclose(ours.estimate, own.estimate, atol=1e-12)
    # A measure of two rates adds the distances to the ends of each as squares.
    np.testing.assert_allclose([ours.low, ours.high], [own.low, own.high], atol=0.02)


@pytest.mark.simulation
def test_bands_of_fits_over_strata(fitted):
    e = br.epc(*fitted, over="worst", alpha=ALPHAS[1:4])
    fixed, both = e.band(resample="test"), e.band(replicates=100, rng=1)
    each = [part.band(resample="test").high for part in e.strata.values()]
    np.testing.assert_allclose(fixed.high, np.max(each, axis=0), rtol=1e-3)
    mixed = br.epc(scores(1), fitted[1], over="worst", alpha=[0.5]).band(resample="test")
    for wide in (e.band(resample="test", simultaneous=True), both, mixed):
        assert np.all((wide.low < wide.estimate) & (wide.estimate < wide.high))
    assert np.all(both.high >= fixed.high)
    pooled, whole = (
        br.epc(*fitted, over=over, alpha=[0.5]).band(resample="test").high
        for over in ("pooled", dict.fromkeys(SHARES, 1 / 3))
    )
    np.testing.assert_allclose(pooled, whole)


@pytest.mark.simulation
def test_strata_of_the_same_persons_are_no_more_trials():
    """Two with the same errors of the same persons tell as much as one; one of one person too."""
    rng = np.random.default_rng(1)
    persons = [f"p{k}" for k in range(40)] * 3
    client, impostor = rng.normal(2.0, 1.0, 120), rng.normal(0.0, 1.0, 120)
    alone = br.Scores(client, impostor, client_groups=persons, impostor_groups=persons)
    two = br.Scores(client, np.tile(impostor, 2), impostor_strata=["a"] * 120 + ["b"] * 120,
                    client_groups=persons, impostor_groups=persons * 2)  # fmt: skip
    half, far_at = {"a": 0.5, "b": 0.5}, partial(br.interval, stat="far", threshold=0.7)
    far, own = far_at(two, over=half), far_at(alone)
    assert (far.low, far.high) == pytest.approx((own.low, own.high), abs=0.005)
    # A guarantee for the mean of both is that for one of them.
    mean, single = (br.decide(two, far=0.3, over=w).threshold for w in (half, {"a": 1.0}))
    assert mean == pytest.approx(single, abs=0.1)
    bare = replace(two, client_groups=None, impostor_groups=None)
    assert br.decide(bare, far=0.3, over=half).threshold < mean
    apart = far_at(two, over=half, groups=False)
    assert apart.high - apart.low < 0.8 * (far.high - far.low)
    assert far_at(two, over="worst", groups=False) == far_at(bare, over="worst")
    lone = replace(two, impostor_groups=np.append(persons, ["p0"] * 120))
    assert br.by_stratum(lone, "far", threshold=0.7).size[1] == 1.0
    fits = br.fit(two, "normal", by="stratum")
    for side, tolerance in ((two, {"abs": 0.01}), (fits, {"rel": 1e-6})):
        both, single = (
            br.epc(side, side, over=w, measure="far", alpha=[0.3]).band(resample="test")
            for w in (half, {"a": 1.0})
        )
        ends = single.low[0], single.high[0]
        assert (both.low[0], both.high[0]) == pytest.approx(ends, **tolerance)


# ---------------------------------------------------------------------------- comparisons
def pair_of_systems(seed, worse=0.0, n=80):
    """Two systems on the same trials; the second accepts more of the last stratum."""
    rng = np.random.default_rng(seed)
    noise = [0.6 * rng.normal(size=4 * n) for _ in range(2)]
    truth = np.repeat([2.0, 0.0, 0.3, 0.6], n) + rng.normal(size=4 * n)
    systems = truth + noise[0], truth + noise[1] + worse * (np.arange(4 * n) >= 3 * n)
    return [br.Scores(s[:n], s[n:], impostor_strata=np.repeat(["a", "b", "c"], n)) for s in systems]


@pytest.mark.parametrize("over", ["worst", {"a": 0.1, "b": 0.1, "c": 0.8}])
@pytest.mark.parametrize("resample", ["test", "both"])
def test_the_system_that_is_worse_in_one_stratum_is(over, resample):
    dev, test = pair_of_systems(1, 1.0), pair_of_systems(2, 1.0)
    a, b = (br.epc(d, t, over=over, alpha=ALPHAS) for d, t in zip(dev, test, strict=True))
    result = br.compare(a, b, resample=resample, replicates=200, rng=1)
    assert result.better_on_average == "a"
    table = dict(zip(result.strata.stratum, result.strata.high, strict=True))
    assert table["c"] < 0.0
    assert result.strata.worst[0] in "ab"
    assert br.compare_systems({"a": a, "b": b}, resample="test", replicates=200, rng=1).shown


@pytest.mark.parametrize("over", ["worst", {"a": 0.1, "b": 0.1, "c": 0.8}])
def test_a_difference_over_strata_knows_the_pairs(over):
    a, b = pair_of_systems(3)
    options = {"threshold": 1.0, "over": over}
    paired = br.difference(a, b, "far", **options)
    apart = br.difference(a, b, "far", **options, paired=False)
    assert paired.correlation > 0.2
    assert apart.correlation == 0.0
    assert paired.high - paired.low < apart.high - apart.low
    assert br.difference(a, a, "far", **options).correlation == pytest.approx(1.0)


# ------------------------------------------------------------------- pictures and refusals
@pytest.mark.simulation
def test_fits_of_strata_in_a_shell(tmp_path, capsys):
    s, species = scores(1, digits=9), [None] * 60 + np.repeat(["s0", "s1", "s2"], 60).tolist()
    path = write(tmp_path / "species.csv", s.client, s.impostor, species=species)
    call = f"fit {path} --stratum species --by stratum --family normal"
    table = br.fit(s, "normal", by="stratum").to_frame()
    document = json.loads(said(capsys, f"{call} --json"))
    assert [row["impostor_mu"] for row in document["strata"]] == table["impostor_mu"].tolist()
    assert len(said(capsys, f"{call} --csv").splitlines()) == 4
    page = tmp_path / "page.html"
    for text in (said(capsys, f"{call} --html {page}"), page.read_text()):
        assert "the costliest of 3 strata" in text
    assert "<svg" in text
    for wrong, words in ((f"{call} --html {page}", "new file"), (f"{call} --check", "--by"),
                         (f"fit {path} --html {page}", "stand beside --by")):  # fmt: skip
        assert words in said(capsys, wrong, code=2)


@pytest.mark.simulation
def test_many_strata_are_folded_in_a_picture():
    some = br.fit(scores(1, shifts=np.linspace(0.0, 1.0, 11), digits=9), "normal", by="stratum")
    assert [text.get_text() for text in some.plot("panels").figure.texts] == ["3 more strata"]
    assert "the 8 costliest of 11" in some._view()[-1].alt


def test_both_classes_with_strata_of_their_own():
    """The worst of each class, by counting; no stratum is one of both."""
    names = np.repeat(["old", "young"], 30)
    dev, test = (replace(scores(k), client_strata=names) for k in (1, 2))
    e = br.epc(dev, test, over="worst", alpha=[0.5])
    far, _ = rates(test, "worst", e.threshold)
    frr = max(np.mean(test.client[names == k] <= e.threshold[0]) for k in ("old", "young"))
    assert e.value[0] == pytest.approx(0.5 * (far[0] + frr), abs=1e-12)
    assert e.strata == {}
    result = br.compare(e, e, resample="test", replicates=20, rng=1)
    assert result.strata is None
    assert np.all(result.differences == 0.0)
    assert e._view()


def test_few_trials_of_a_stratum_name_no_system_and_other_families_no_parameter():
    names = ["a"] * 57 + ["b"] * 3
    few = br.Scores([2.0, 3.0, 4.0] * 20, [0.0, 1.0, 2.5] * 20, impostor_strata=names)
    e = br.epc(few, few, over="worst", alpha=[0.5])
    assert "3 trials of a stratum" in br.compare(e, e, replicates=20, rng=1).cannot_tell
    s = br.Scores(*np.random.default_rng(1).beta([[5], [2]], [[2], [5]], (2, 40)))
    fits = br.fit(s, "beta"), br.fit(s, "normal")
    table = br.results.StrataFits(("a", "b"), fits, s).to_frame()
    assert np.isnan(table["impostor_mu"][0])
    assert np.isnan(table["impostor_a"][1])


@pytest.mark.simulation
def test_what_is_refused(fitted):
    s, bare = scores(1), br.Scores([1.0, 2.0], [0.0, 1.5])
    model, fits = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4)), fitted[0]
    worst = br.epc(s, s, over="worst", alpha=[0.5])
    one = br.Scores(s.client, s.impostor[:61], impostor_strata=["x"] * 60 + ["y"])
    for call, words in (
        (lambda: br.epc(s, bare, over="worst"), "no class of test has two strata"),
        (lambda: br.difference(s, bare, "far", threshold=1.0, over="worst"), "no class of b"),
        (lambda: br.fit(one, "normal", resolution=0.1, by="stratum"), "stratum y: impostor"),
        (lambda: br.epc(model, model, over="worst"), "pooled of a model"),
        (lambda: br.fit(bare, by="stratum"), "strata"),
        (lambda: br.fit(s, by="group"), "stratum"),
        (lambda: fits["none"], "one of"),
        (lambda: br.compare(*[br.epc(fits, fits, over="worst")] * 2), "Scores"),
        (lambda: br.fit(scores(1, digits=9), "equal-variance-normal", by="stratum").model_over(),
         "one class alone"),
        (lambda: worst.band(method="delta"), "left out"),
        (lambda: br.epc(s, s, over="worst", measure="mutual-information", alpha=[0.5]).band(),
         "worse where"),
        (lambda: br.compare(worst, br.epc(s, s, alpha=[0.5])), "one over"),
    ):  # fmt: skip
        with pytest.raises(br.BetarocError, match=words):
            call()
