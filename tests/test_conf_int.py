"""Intervals of fitted parameters against likelihoods maximised by scipy, and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

import betaroc as br

CHI = stats.chi2.ppf(0.95, 1)


def fall_of(sample: np.ndarray, which: int, value: float) -> float:
    """2 [max l - max over the other shape of l], by scipy's likelihood and minimiser."""

    def minus(logs: np.ndarray) -> float:
        return -float(np.sum(stats.beta.logpdf(sample, *np.exp(logs))))

    start = np.log(br.fit_distribution(sample).values)
    best = -optimize.minimize(minus, start, method="Nelder-Mead", options={"xatol": 1e-10}).fun

    def along(other: float) -> float:
        logs = np.array([math.log(value), other] if which == 0 else [other, math.log(value)])
        return minus(logs)

    found = optimize.minimize_scalar(along, bracket=(start[1 - which] - 1, start[1 - which] + 1),
                                     options={"xtol": 1e-12})  # fmt: skip
    return 2.0 * (best + float(found.fun))


@pytest.mark.parametrize(
    ("a", "b", "n"), [(0.5, 2.0, 10), (5, 2, 30), (40, 60, 12), (0.1, 0.2, 50)]
)
def test_the_likelihood_falls_by_the_quantile_at_profile_ends(a: float, b: float, n: int) -> None:
    sample = np.random.default_rng(n).beta(a, b, n)
    found = br.fit_distribution(sample).conf_int()
    for which, name in enumerate(("a", "b")):
        for end in (found[name].low, found[name].high):
            # Nelder-Mead's maximum is good to about 1e-9.
            assert fall_of(sample, which, end) == pytest.approx(CHI, abs=1e-7)
        assert found[name].low < found[name].estimate < found[name].high


def test_normal_parameters_by_hand() -> None:
    sample = np.random.default_rng(3).normal(2, 3, 15)
    mu, sigma = sample.mean(), sample.std()
    found = br.fit_distribution(sample, "normal").conf_int()
    reach = sigma * math.sqrt(math.exp(CHI / 15) - 1)
    assert [found["mu"].low, found["mu"].high] == pytest.approx([mu - reach, mu + reach], rel=1e-13)
    for end in (found["sigma"].low, found["sigma"].high):
        ratio = (sigma / end) ** 2
        assert 15 * (ratio - 1 - math.log(ratio)) == pytest.approx(CHI, rel=1e-12)


def test_masses_are_binomial_shares() -> None:
    sample = np.r_[0, 0, np.random.default_rng(4).beta(2, 3, 17), 1]
    found = br.fit_distribution(sample, boundary="inflate").conf_int()
    for name, hits in (("at_zero", 2), ("at_one", 1)):
        for end in (found[name].low, found[name].high):
            fall = 2 * (stats.binom.logpmf(hits, 20, hits / 20) - stats.binom.logpmf(hits, 20, end))
            assert fall == pytest.approx(CHI, rel=1e-10)
    inner = br.fit_distribution(sample[(sample > 0) & (sample < 1)]).conf_int()
    assert found["a"].low == pytest.approx(inner["a"].low, rel=1e-12)
    absent = br.fit_distribution(np.r_[0, sample[2:-1]], boundary="inflate").conf_int()["at_one"]
    # (1 - p)^18 = exp(-q / 2)
    assert (absent.low, absent.high) == (0.0, pytest.approx(1 - math.exp(-CHI / 36), rel=1e-13))


def test_wald_on_its_scales() -> None:
    fit = br.fit_distribution(np.random.default_rng(5).beta(2, 3, 40))
    z = stats.norm.ppf(0.95)
    a, error = fit.params["a"], fit.std_errors["a"]
    found = fit.conf_int(0.9, "wald")["a"]
    assert [found.low, found.high] == pytest.approx(
        [a * math.exp(-z * error / a), a * math.exp(z * error / a)], rel=1e-13
    )


def test_weights_are_copies_and_reflection_swaps_the_shapes() -> None:
    sample = np.random.default_rng(6).beta(0.7, 2, 15)
    doubled = br.fit_distribution(np.repeat(sample, 2)).conf_int()
    weighted = br.fit_distribution(sample, weights=np.full(15, 2.0)).conf_int()
    mirrored = br.fit_distribution(1 - np.repeat(sample, 2)).conf_int()
    for name, other in (("a", "b"), ("b", "a")):
        ends = [doubled[name].low, doubled[name].high]
        assert [weighted[name].low, weighted[name].high] == pytest.approx(ends, rel=1e-10)
        assert [mirrored[other].low, mirrored[other].high] == pytest.approx(ends, rel=1e-8)


def test_both_classes() -> None:
    rng = np.random.default_rng(7)
    fit = br.fit(br.Scores(rng.beta(4, 2, 30), rng.beta(2, 4, 40)))
    found = fit.conf_int(0.9)
    assert found["client"] == fit.client.conf_int(0.9)
    assert found["impostor"]["b"].level == 0.9


def test_a_rule_that_met_nobody_changes_nothing() -> None:
    """Where no score lies at an edge the likelihood is the plain one."""
    sample = np.random.default_rng(10).beta(2, 3, 40)
    plain = br.fit_distribution(sample).conf_int()
    for rule in ({"boundary": "censor", "resolution": 1e-6}, {"boundary": "matlab"}):
        found = br.fit_distribution(sample, **rule).conf_int()
        for name in ("a", "b"):
            assert found[name].low == pytest.approx(plain[name].low, rel=1e-9)
            assert found[name].high == pytest.approx(plain[name].high, rel=1e-9)
    met = br.fit_distribution(np.append(sample, 0.0), boundary="censor", resolution=0.01)
    with pytest.raises(br.InputError, match=r'beyond an edge \(censor\)\. Take method="wald"'):
        met.conf_int()


def test_what_is_refused() -> None:
    sample = np.random.default_rng(8).beta(2, 3, 30)
    fit = br.fit_distribution(sample)
    with pytest.raises(br.InputError, match="method must be one of"):
        fit.conf_int(method="bootstrap")
    with pytest.raises(br.InputError, match=r"Did you mean 0\.95"):
        fit.conf_int(95)
    rounded = br.fit_distribution(np.round(sample, 1), resolution=0.1)
    with pytest.raises(br.InputError, match='Take method="wald"'):
        rounded.conf_int()
    assert rounded.conf_int(method="wald")["a"].low > 0
    narrow = br.fit_distribution(0.3 + 1e-6 * np.random.default_rng(9).normal(0, 1, 50))
    with pytest.raises(br.InputError, match=r"a \+ b <= 1e\+08"):
        narrow.conf_int()


@pytest.mark.filterwarnings("ignore::betaroc.errors.DiscretenessWarning")
def test_groups_widen_wald_intervals_and_profile_refuses_them() -> None:
    # Every score five times, as a group: the errors are those of one of each, times G/(G - 1).
    rng = np.random.default_rng(10)
    one = [rng.normal(1, 1, 30), rng.normal(0, 1, 40)]
    names = [np.repeat(np.arange(x.size) + k * 1000, 5) for k, x in enumerate(one)]
    copies = [np.repeat(x, 5) for x in one]
    fit = br.fit(br.Scores(*copies, client_groups=names[0], impostor_groups=names[1]), "normal")
    with pytest.raises(br.InputError, match="groups=False"):
        fit.conf_int()
    found = fit.conf_int(method="wald")["client"]["mu"]
    # Sandwich of a mean: sd / sqrt(30), sd with divisor n, times sqrt(30 / 29).
    reach = stats.norm.ppf(0.975) * one[0].std() / math.sqrt(29)
    assert found.high - found.low == pytest.approx(2 * reach, rel=1e-6)
    plain = fit.conf_int(method="wald", groups=False)["client"]["mu"]
    assert plain.high - plain.low == pytest.approx(2 * reach * math.sqrt(29 / 150), rel=1e-9)
