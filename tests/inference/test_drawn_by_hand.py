"""Replicates, counts and bins against formulas of their own."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats

import betaroc as br
from betaroc.core.options import IntervalOptions
from betaroc.estimation.boundary import MATLAB_EDGES
from betaroc.estimation.record import Estimate
from betaroc.inference.delta import SmallSample, _censored_log_likelihood
from betaroc.inference.intervals import _UncertainTail
from betaroc.inference.of_scores import CountedScores, _best_of_chance, line_of, rate_weights
from betaroc.inference.profile import _both_shapes, profile_of_scores
from betaroc.inference.scores_beyond import robust_rates
from betaroc.model.asking import asking
from betaroc.model.statistics import Where

P = (np.arange(40) + 0.5) / 40
CLIENT, IMPOSTOR = stats.beta(5, 2).ppf(P), stats.beta(2, 5).ppf(P)


def test_the_largest_of_two_departures_is_that_of_two_students() -> None:
    """P(|T_5| <= x) P(|T_8| <= x) = level."""
    small = SmallSample(np.eye(2), np.array([0, 1]), (5.0, 8.0), np.zeros(2))
    found = small.largest(np.eye(2), IntervalOptions(0.9, None, 20_000, True, 1))

    def miss(x: float) -> float:
        inside = [2.0 * stats.t.cdf(x, freedom) - 1.0 for freedom in (5, 8)]
        return inside[0] * inside[1] - 0.9

    assert found == pytest.approx(optimize.brentq(miss, 1.0, 9.0), rel=0.03)


@pytest.mark.parametrize(("prior", "cost"), [(0.3, 0.3), (0.8, 0.2)])
def test_the_least_cost_of_chance_is_that_of_the_rarer_class(prior: float, cost: float) -> None:
    """pi FRR + (1 - pi) FAR with FAR = 1 - FRR: all are rejected, or all accepted."""
    point = br.OperatingPoint(0.5, 0.2, 0.3, prior)
    assert _best_of_chance(asking("min-dcf", ()), point) == pytest.approx(cost)


def test_rates_at_many_thresholds_have_the_variances_of_each() -> None:
    """Of trials that are their own groups; below the least client nobody is rejected."""
    client, impostor = np.linspace(0.31, 1.0, 30), np.linspace(0.0, 0.8, 50)
    scores = br.Scores(
        client, impostor, client_groups=np.arange(30), impostor_groups=100 + np.arange(50)
    )
    for thresholds in ([0.1, 0.2, 0.6], [0.6, 0.85, 0.9, 0.95]):
        found = robust_rates(scores, thresholds)
        for t, cov in zip(thresholds, found, strict=True):
            far, frr = float(np.mean(impostor > t)), float(np.mean(client <= t))
            known = [[far * (1 - far) / 49, 0.0], [0.0, frr * (1 - frr) / 29]]
            np.testing.assert_allclose(cov, known, atol=1e-15)


# ----------------------------------------------------------------------------- likelihood
@pytest.mark.simulation
def test_a_profile_leaves_out_what_the_fit_dropped() -> None:
    """Twice the fall of the log-likelihood at an end, maximised over the other shape: chi^2."""
    all_of = np.r_[0.0, CLIENT, 1.0]
    fit = br.fit_distribution(all_of, "beta", boundary="drop")
    ends = profile_of_scores(fit, all_of, None, 0.95)

    def largest(a: float) -> float:
        found = optimize.minimize_scalar(
            lambda b: -stats.beta(a, b).logpdf(CLIENT).sum(), (0.5, 2.0), options={"xtol": 1e-10}
        )
        return -found.fun

    top = stats.beta(fit.params["a"], fit.params["b"]).logpdf(CLIENT).sum()
    for end in ends["a"]:
        assert 2.0 * (top - largest(end)) == pytest.approx(stats.chi2(1).ppf(0.95), rel=1e-5)


def test_a_correction_is_never_larger_than_what_it_corrects() -> None:
    """Lawley's of a beside b = 1/50 is 10/n: of four scores the deviance is taken twice."""
    a, b, wanted = 2.0, 0.02, 0.6
    fit = Estimate("beta", br.Beta(a, b), ("a", "b"), (a, b), ((1.0, 0.0), (0.0, 1.0)), 0.0, 4, 4.0)
    logs = special.digamma([a, b]) - special.digamma(a + b)

    def mean(p: float, q: float) -> float:
        return (p - 1.0) * logs[0] + (q - 1.0) * logs[1] - special.betaln(p, q)

    for end in _both_shapes(fit, 4.0, wanted, 0.95)["a"]:
        best = optimize.minimize_scalar(
            lambda y, p=end: -mean(p, np.exp(y)), (-4.5, -3.5), options={"xtol": 1e-10}
        )
        assert 4.0 * 2.0 * (mean(a, b) + best.fun) == pytest.approx(2.0 * wanted, rel=1e-6)


@pytest.mark.parametrize(("policy", "edge"), [("censor", 0.01), ("matlab", None)])
def test_scores_at_an_edge_are_censored_but_at_matlabs(policy: str, edge: float | None) -> None:
    low, high = (edge, 1.0 - edge) if edge else MATLAB_EDGES
    law, at = stats.beta(2, 3), np.array([low, 0.4, high])
    found = _censored_log_likelihood(at, policy, edge)(br.Beta(2, 3))
    ends = (law.logcdf(low), law.logsf(high)) if edge else tuple(law.logpdf([low, high]))
    np.testing.assert_allclose(found, [ends[0], law.logpdf(0.4), ends[1]], rtol=1e-9)


# ----------------------------------------------------------------- what speaks for a number
@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_contradictions_are_standard_errors_apart() -> None:
    """(share - p)/sqrt(p (1 - p)/n), of all rates that the exact test refuses."""
    n = 1000
    impostor = (np.arange(n) + 0.5) / n
    evidence = br.fit(br.Scores(1.0 + P, impostor), "normal")._evidence
    law, rates = br.Normal(0.45, 0.2), np.array([0.001, 0.01, 0.05, 0.1, 0.3])
    found = evidence._contradictions(1, law, rates, above=True)
    places = stats.norm(0.45, 0.2).isf(rates)
    shares = np.array([np.mean(impostor > t) for t in places])
    refused = [
        stats.binomtest(round(s * n), n, r).pvalue < 0.01
        for s, r in zip(shares, rates, strict=True)
    ]
    apart = (shares - rates) / np.sqrt(rates * (1.0 - rates) / n)
    assert sum(refused) > 2
    assert [d for d, _ in found] == pytest.approx(np.abs(apart)[refused].tolist())


def test_the_rate_of_a_range_that_most_scores_speak_of() -> None:
    """Of FAR .6 to .9 that is .6, beyond which 40 (1 - .6) = 16 lie."""
    fit = br.fit(br.Scores(CLIENT, IMPOSTOR), "beta")
    for between, beyond in (((0.6, 0.9), 16.0), ((0.1, 0.3), 12.0), ((0.2, 0.7), 20.0)):
        assert fit.interval("partial-auc", between=between).n_beyond == pytest.approx(beyond)


# ----------------------------------------------------------------------------------- bins
def test_inside_a_bin_a_rate_may_be_off_by_what_the_bin_holds() -> None:
    frame = pd.DataFrame({"score": np.r_[CLIENT, IMPOSTOR], "label": np.repeat([1, 0], 40)})
    summary, t = br.summarize(frame, bins=16), 0.52
    (off_far,), (off_frr,) = summary.rate_error_at(np.array([t]))
    assert min(off_far, off_frr) > 0.0
    below = summary.border_below(t)
    for name, off, hits in (
        ("far", off_far, np.sum(IMPOSTOR > below)), ("frr", off_frr, np.sum(CLIENT <= below)),
    ):  # fmt: skip
        found = br.interval(summary, name, threshold=t)
        exact = stats.binomtest(int(hits), 40).proportion_ci(0.95)
        assert found.low == pytest.approx(max(exact.low - off, 0.0))
        assert found.high == pytest.approx(exact.high + off)
    with pytest.raises(br.InputError, match="at the borders of its bins"):
        br.interval(summary, "f1", threshold=t)
    assert br.interval(summary, "f1", threshold=below).estimate > 0.0


@pytest.mark.parametrize(("level", "ends"), [(0.999, (0.1, 0.9)), (0.9999, (-np.inf, np.inf))])
def test_a_threshold_may_lie_beyond_all_scores_where_few_gaps_are_unlikely(
    level: float, ends: tuple[float, float]
) -> None:
    """Four a class: all accepted, the deviance from FAR = FRR = 1/2 is 16 log 2 = 11.1."""
    scores = br.Scores([0.2, 0.6, 0.8, 0.9], [0.1, 0.3, 0.4, 0.7])
    inside = stats.chi2(1).ppf(level) > 16.0 * np.log(2.0)
    found = br.interval(scores, "threshold", at="eer", level=level)
    assert (found.low, found.high) == ends
    assert np.isinf(found.low) == inside


def test_a_rate_far_out_is_refused_beside_one_that_was_not_asked_for() -> None:
    """The FRR of a TPR at a FAR was not asked for; the FAR itself lies beyond all scores."""
    p = (np.arange(800) + 0.5) / 800
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        fit = br.fit(br.Scores(stats.logistic(2).ppf(p), stats.logistic.ppf(p)), "normal",
                     tails="upper")  # fmt: skip
        for point in ({"far": 1e-5}, {"frr": 1.0 - 1e-5}):
            with pytest.raises(br.InputError, match=r"must expect at least 0\.1 of 800"):
                fit.interval("hter", **point)


def test_tied_scores_leave_several_gaps_possible() -> None:
    """Gaps with FAR, FRR = 1, 0; 2/5, 1/10; 1/25, 1/2; 0, 1.

    FAR = FRR = 24/90 at the second: standard error .094 of their difference, and .3 + 1.96 .094
    reaches the third's .46. A FAR that is given lies in one step; of those beside it the deviance
    tells which are possible.
    """
    scores = br.Scores(
        np.repeat([0.0, 1.0, 2.0], [4, 16, 20]), np.repeat([0.0, 1.0, 2.0], [30, 18, 2])
    )
    counted = CountedScores(scores)
    model = counted.model
    assert counted.tied(line_of(Where("at", "eer"), 0.5), model.eer(), 0.95).tolist() == [1, 2]
    for far, near in ((0.2, [2]), (0.1, [2, 3]), (0.5, [1, 2])):
        steps = [stats.entropy([q, 1 - q], [far, 1 - far]) for q in (
            max(far, 0.4), min(max(far, 0.04), 0.4), min(far, 0.04))]  # fmt: skip
        likely = [k + 1 for k in range(3) if 100.0 * steps[k] <= stats.chi2(1).ppf(0.95)]
        assert likely == near
        found = counted.tied(line_of(Where("far", far), 0.5), model.at_far(far), 0.95)
        assert found.tolist() == near


def test_at_the_joint_of_a_tail_its_share_is_jeffreys() -> None:
    """k of n lie beyond: quantiles of Beta(k + 1/2, n - k + 1/2)."""
    p = (np.arange(800) + 0.5) / 800
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        fit = br.fit(br.Scores(stats.logistic(2).ppf(p), stats.logistic.ppf(p)), "normal",
                     tails="upper")  # fmt: skip
    (tail, *_) = fit.impostor.tails[0].fits
    exact = stats.beta(tail.k + 0.5, tail.n - tail.k + 0.5).ppf([0.025, 0.975])
    found = [_UncertainTail(tail).rate(0.0, p) for p in (0.025, 0.975)]
    assert found == pytest.approx(exact, rel=1e-4)


def test_errors_of_rates_weigh_as_the_measure_changes_with_them() -> None:
    """F = 2 p TPR/(p TPR + (1 - p) FAR + p): dF/dFAR over dF/dFRR is F (1 - p)/(p (2 - F))."""
    scores = br.Scores(CLIENT, IMPOSTOR[::2])
    model, p = br.fit(scores, "empirical").model, 2.0 / 3.0
    point = model.max_f()
    f = 2.0 * p * point.tpr / (p * point.tpr + (1.0 - p) * point.far + p)
    t, by_far, by_frr = rate_weights(scores, model, asking("max-f1", ()))
    assert t == point.threshold
    assert by_far / by_frr == pytest.approx(f * (1.0 - p) / (p * (2.0 - f)), rel=1e-6)
    assert by_far < 0.0


@pytest.mark.simulation
@pytest.mark.parametrize(("n", "m"), [(12, 300), (300, 12)])
def test_a_balanced_threshold_lies_where_equal_rates_are_likely(n: int, m: int) -> None:
    """Of all gaps those whose deviance from the likeliest FAR = FRR is below chi^2's quantile."""
    client = stats.norm(1.5).ppf((np.arange(n) + 0.5) / n)
    impostor = stats.norm().ppf((np.arange(m) + 0.3) / m)
    places = np.sort(np.r_[client, impostor])
    likely = []
    for k in range(n + m + 1):
        t = places[k - 1] if k else -np.inf
        far, frr = np.mean(impostor > t), np.mean(client <= t)
        e = (m * far + n * frr) / (m + n)
        deviance = 2.0 * (m * stats.entropy([far, 1 - far], [e, 1 - e])
                          + n * stats.entropy([frr, 1 - frr], [e, 1 - e]))  # fmt: skip
        if deviance <= stats.chi2(1).ppf(0.95):
            likely.append(k)
    found = br.interval(br.Scores(client, impostor), "threshold", at="eer")
    assert (found.low, found.high) == (places[likely[0] - 1], places[likely[-1]])
