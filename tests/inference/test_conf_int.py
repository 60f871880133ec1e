"""Intervals of fitted parameters against likelihoods maximised by scipy, and closed forms."""

import math

import numpy as np
import pytest
from scipy import optimize, special, stats

import betaroc as br
from betaroc.inference.delta import shape_bias, shape_corrections
from betaroc.report.score_set import parameters_of
from helpers.extras import needs

approx = pytest.approx
mpmath = needs("mpmath", "test")

CHI = stats.chi2.ppf(0.95, 1)


def student(n, level=0.95):
    return float(stats.t.ppf(0.5 + 0.5 * level, n - 1))


def fall_of(fit, sample, which, value):
    """2 [max l - max over the other shape of l], by scipy's likelihood and minimiser."""

    def minus(log):
        shapes = (value, math.exp(log)) if which == 0 else (math.exp(log), value)
        return -float(np.sum(stats.beta.logpdf(sample, *shapes)))

    start = math.log(fit.values[1 - which])
    found = optimize.minimize_scalar(minus, (start - 1, start + 1), options={"xtol": 1e-12})
    return 2.0 * (float(np.sum(stats.beta.logpdf(sample, *fit.values))) + float(found.fun))


@pytest.mark.simulation
@pytest.mark.parametrize(("a", "b", "n"), [(0.5, 2.0, 10), (40, 60, 12)])
def test_the_likelihood_falls_by_the_quantile_at_profile_ends(a, b, n):
    sample = np.random.default_rng(n).beta(a, b, n)
    fit = br.fit_distribution(sample)
    found, corrections = fit.conf_int(), shape_corrections(*fit.values)
    for which, name in enumerate(("a", "b")):
        fall = CHI * (1 + corrections[which] / n)
        for end in (found[name].low, found[name].high):
            assert fall_of(fit, sample, which, end) == approx(fall, abs=1e-7)
        assert found[name].low < found[name].estimate < found[name].high


@pytest.mark.simulation
def test_corrections_are_those_of_the_mean_deviance():
    # Mean of the deviance of a true shape over 40 000 sets of n = 20 scores; its sd is about 1.5,
    # so the mean's 0.0075, and terms of n^-2 are about 0.005.
    a, b, n, sets = 0.1, 20.0, 20, 40_000
    x = np.random.default_rng(1).beta(a, b, (sets, n))
    sums = np.log(x).mean(axis=1), np.log1p(-x).mean(axis=1)
    own, other, _ = br.beta_mle(*sums)
    for which, true in enumerate((a, b)):
        g, h = sums if which == 0 else sums[::-1]
        # The other shape's best value: psi(v) - psi(true + v) = h, by bisection of log v.
        low, high = np.full(sets, -8.0), np.full(sets, 8.0)
        for _ in range(50):
            v = np.exp(0.5 * (low + high))
            up = special.psi(v) - special.psi(true + v) > h
            low, high = np.where(up, low, np.log(v)), np.where(up, np.log(v), high)
        p, q = (own, other) if which == 0 else (other, own)
        best = (p - 1) * g + (q - 1) * h - special.betaln(p, q)
        there = (true - 1) * g + (v - 1) * h - special.betaln(true, v)
        excess = 2 * n * (best - there).mean() - 1
        assert excess == approx(shape_corrections(a, b)[which] / n, abs=0.03)
        assert excess > 0.03


def test_corrections_in_two_limits():
    # A concentrated law is normal, and both shapes are its precision: with r = chi2(n - 1)/n the
    # mean of n (r - 1 - log r) is -1 - n (psi((n - 1)/2) - log(n/2)), 1 + 11/(6 n) + O(n^-2).
    n = 1e4
    mean = -1 - n * (special.psi((n - 1) / 2) - math.log(n / 2))
    for a, b in ((5e4, 3e4), (2e3, 2e6)):
        assert shape_corrections(a, b) == approx((n * (mean - 1),) * 2, abs=2e-3)
    # b -> infinity: s is Gamma(a)/b, and log s alone says what a is once the scale is free.
    assert shape_corrections(2.0, 1e6)[0] == approx(shape_corrections(2.0, 1e4)[0], rel=1e-3)


def test_intervals_of_normal_power_and_binomial_parameters_by_hand():
    sample = np.random.default_rng(3).normal(2, 3, 15)
    mu, sigma = sample.mean(), sample.std()
    found = br.fit_distribution(sample, "normal").conf_int()
    # Student's interval, and the deviance whose quantile is exact: 15 r is chi2(14).
    reach = student(15) * sigma / math.sqrt(14)
    assert [found["mu"].low, found["mu"].high] == approx([mu - reach, mu + reach], rel=1e-13)
    ratios = [(sigma / end) ** 2 for end in (found["sigma"].low, found["sigma"].high)]
    deviances = [r - 1 - math.log(r) for r in ratios]
    assert deviances[0] == approx(deviances[1], rel=1e-10)
    inside = stats.chi2.cdf(15 * ratios[0], 14) - stats.chi2.cdf(15 * ratios[1], 14)
    assert inside == approx(0.95, rel=1e-12)
    rng = np.random.default_rng(12)
    fit = br.fit(br.Scores(rng.beta(3, 1, 10), rng.beta(1, 2, 12)), "dual-beta")
    found = fit.client.conf_int()["a"]
    # a sum(-log s) is Gamma(10): probability 0.95 between ends of equal deviance.
    ratios = [end / found.estimate for end in (found.low, found.high)]
    deviances = [r - 1 - math.log(r) for r in ratios]
    assert deviances[0] == approx(deviances[1], rel=1e-10)
    inside = stats.gamma.cdf(10 * ratios[1], 10) - stats.gamma.cdf(10 * ratios[0], 10)
    assert inside == approx(0.95, rel=1e-12)
    fixed = fit.client.conf_int()["b"]
    assert (fixed.low, fixed.high) == (1.0, 1.0)
    sample = np.r_[0, 0, np.random.default_rng(4).beta(2, 3, 17), 1]
    fit = br.fit_distribution(sample, boundary="inflate")
    assert fit.conf_int(1e-12)["at_zero"].low == approx(2 / 20)
    found = fit.conf_int()
    for name, hits in (("at_zero", 2), ("at_one", 1)):
        for end in (found[name].low, found[name].high):
            fall = 2 * (stats.binom.logpmf(hits, 20, hits / 20) - stats.binom.logpmf(hits, 20, end))
            assert fall == approx(CHI, rel=1e-10)
    inner = br.fit_distribution(sample[(sample > 0) & (sample < 1)]).conf_int()
    assert found["a"].low == approx(inner["a"].low, rel=1e-12)
    absent = br.fit_distribution(np.r_[0, sample[2:-1]], boundary="inflate").conf_int()["at_one"]
    # (1 - p)^18 = exp(-q / 2)
    assert (absent.low, absent.high) == (0.0, approx(1 - math.exp(-CHI / 36), rel=1e-13))


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.DiscretenessWarning")
def test_groups_widen_wald_intervals():
    # Every score five times, as a group: the errors are those of one of each, times G/(G - 1).
    rng = np.random.default_rng(10)
    one = [rng.normal(1, 1, 30), rng.normal(0, 1, 40)]
    names = [np.repeat(np.arange(x.size) + k * 1000, 5) for k, x in enumerate(one)]
    copies = [np.repeat(x, 5) for x in one]
    fit = br.fit(br.Scores(*copies, client_groups=names[0], impostor_groups=names[1]), "normal")
    found = fit.conf_int(method="wald")["client"]["mu"]
    # Sandwich of a mean: sd / sqrt(30), sd with divisor n, times sqrt(30 / 29).
    reach = student(30) * one[0].std() / math.sqrt(29)
    assert found.high - found.low == approx(2 * reach, rel=1e-6)
    plain = fit.conf_int(method="wald", groups=False)["client"]["mu"]
    reach = student(150) * one[0].std() / math.sqrt(149)
    assert plain.high - plain.low == approx(2 * reach, rel=1e-9)


@pytest.mark.simulation
def test_wald_intervals_of_mixtures_by_hand():
    rng = np.random.default_rng(11)
    both = np.r_[rng.beta(20, 4, 40), rng.beta(4, 20, 40)]
    mixed = br.fit(br.Scores(both, rng.beta(2, 5, 60)), "beta-mixture")
    with pytest.raises(br.InputError, match=r'beta-mixture.\. Take method="wald"'):
        mixed.conf_int()
    found = mixed.conf_int(method="wald")["client"]
    # A share on the logit scale with the normal quantile, a shape on the log scale with Student's.
    result = mixed.client
    share, error = result.params["weight_1"], result.std_errors["weight_1"]
    odds = found["weight_1"].high / (1 - found["weight_1"].high)
    reach = stats.norm.ppf(0.975) * error / (share * (1 - share))
    assert math.log(odds * (1 - share) / share) == approx(reach, rel=1e-9)
    reach = student(80) * math.sqrt(80 / 79) * result.std_errors["a_1"] / result.params["a_1"]
    assert math.log(found["a_1"].high / found["a_1"].estimate) == approx(reach, rel=1e-9)


def exact_bias(a, b):
    """Cox and Snell's n times the bias of log a and log b, at 60 digits."""
    two = range(2)
    with mpmath.workdps(60):
        x = [mpmath.mpf(a), mpmath.mpf(b)]

        def cumulant(*index):
            order = len(index) - 1
            own = mpmath.polygamma(order, x[index[0]]) if len(set(index)) == 1 else 0
            return (own - mpmath.polygamma(order, sum(x))) * mpmath.fprod(x[i] for i in index)

        inverse = mpmath.matrix([[cumulant(i, j) for j in two] for i in two]) ** -1
        inner = [sum(cumulant(s, t, u) * inverse[t, u] for t in two for u in two) for s in two]
        return [float(-(sum(inverse[r, s] * inner[s] for s in two) + inverse[r, r]) / 2)
            for r in two]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), [(0.5, 3.0), (2.0, 1e6), (900.0, 1e24)])
def test_the_bias_of_extreme_shapes(a, b):
    """Beyond 1e7 its limit is taken: the cumulants of log s and log(1 - s) cancel."""
    assert shape_bias(a, b, ["a", "b"]) == approx(exact_bias(a, b), abs=4e-7)
    assert shape_bias(b, a, ["b", "a"]) == approx(exact_bias(a, b), abs=4e-7)
    # Beta(1, b): n/estimate is gamma(n)/b, so that log b is biased by log n - psi(n) ~ 1/(2 n).
    assert shape_bias(1.0, 1e300, ["b"]) == approx([0.5], abs=1e-6)
    # Both at once: a normal distribution, log sigma^2 biased by -2/n.
    assert shape_bias(1e300, 1e300, ["a", "b"]) == approx([2.0, 2.0], abs=1e-6)
    assert np.all(np.isfinite(shape_corrections(1.0, 1e300)))


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
@pytest.mark.parametrize("family", ["beta", "normal", "proper-beta"])
def test_ends_beyond_the_doubles_are_those_of_the_range(family):
    """Student's t with one degree of freedom is 6366 at level 0.9999: exp(6366) is no double."""
    fit = br.fit(br.Scores([0.3, 0.7], [0.2, 0.3]), family)
    for who, found in fit.conf_int(0.9999, "wald").items():
        for name, interval in found.items():
            assert interval.low <= interval.estimate <= interval.high, (who, name)
            assert name == "mu" or interval.low >= 0.0
    if family == "beta":
        found = fit.conf_int(0.9999, "wald")["client"]["a"]
        assert (found.low, found.high) == (0.0, math.inf)


def test_wald_has_no_interval_without_a_standard_error():
    """Where the covariance is no double: not from inf to inf, and it is told as none."""
    fit = br.fit_distribution(1e160 * np.arange(12.0) ** 1.5, "normal")
    found = fit.conf_int(method="wald")
    assert all(math.isnan(end) for i in found.values() for end in (i.low, i.high))
    assert {one.why for one in parameters_of(fit, found)} == {"it has no finite standard error"}


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_scores_that_are_dropped_are_in_no_interval():
    client, impostor = [0.12, 0.3, 0.41, 0.55, 0.71, 0.8, 0.93], [0.05, 0.1, 0.22, 0.37, 0.6]
    both = br.Scores([*client, 1.0, 1.0], [0.0, 0.0, *impostor]), br.Scores(client, impostor)
    left_out, never = (br.fit(s, "beta", boundary="drop").conf_int() for s in both)
    for who in ("client", "impostor"):
        for name in ("a", "b"):
            ends = [(found[who][name].low, found[who][name].high) for found in (left_out, never)]
            assert ends[0] == approx(ends[1], rel=1e-9)
