"""Mixtures of betas and the families of pairs: maxima, covariances, constraints, refusals."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import optimize, special, stats
from statsmodels.stats.diagnostic import lilliefors

import betaroc as br
from betaroc.core.thresholds import Thresholds

MIXTURE = br.BetaMixture([0.4, 0.6], [br.Beta(0.6, 3.0), br.Beta(5.0, 1.2)])


def drawn(law: br.Distribution, n: int, seed: int) -> np.ndarray:
    x = law.sample(n, rng=seed)
    return x[(x > 0.0) & (x < 1.0)]


def mixture_log_likelihood(x: np.ndarray, t: np.ndarray) -> float:
    """Of (logit weight, log a_1, log b_1, log a_2, log b_2), by scipy's densities."""
    w, (a, b, c, d) = special.expit(t[0]), np.exp(t[1:])
    one = np.log(w) + stats.beta.logpdf(x, a, b)
    return float(np.sum(np.logaddexp(one, np.log1p(-w) + stats.beta.logpdf(x, c, d))))


def coordinates(params: dict[str, float]) -> np.ndarray:
    shapes = [params[name] for name in ("a_1", "b_1", "a_2", "b_2")]
    return np.array([special.logit(params["weight_1"]), *np.log(shapes)])


def second_differences(function, t: np.ndarray, h: float = 1e-3) -> np.ndarray:
    steps = h * np.eye(t.size)
    rows = [
        [
            (function(t + u + v) - function(t + u - v) - function(t - u + v) + function(t - u - v))
            / (4.0 * h * h)
            for v in steps
        ]
        for u in steps
    ]
    return np.array(rows)


# -------------------------------------------------------------------------------- mixtures
def test_a_mixture_is_where_the_likelihood_is_flat_and_its_curvature_the_covariance() -> None:
    x = drawn(MIXTURE, 800, 1)
    fit = br.fit_distribution(x, "beta-mixture")
    assert fit.converged
    assert fit.names == ("weight_1", "a_1", "b_1", "a_2", "b_2")

    def value(t: np.ndarray) -> float:
        return mixture_log_likelihood(x, t)

    t = coordinates(dict(fit.params))
    assert fit.log_likelihood == pytest.approx(value(t), rel=1e-12)
    assert fit.log_likelihood == pytest.approx(fit.distribution.logpdf(x).sum(), rel=1e-12)
    slopes = [(value(t + h) - value(t - h)) / 2e-4 for h in 1e-4 * np.eye(5)]
    np.testing.assert_allclose(slopes, 0.0, atol=1e-4)  # of 800 scores; cubic term 1e-8 * l'''
    # Covariance of the coordinates, carried to the parameters: w (1 - w), a, b.
    w = fit.params["weight_1"]
    rates = np.array([w * (1.0 - w), *np.exp(t[1:])])
    expected = np.linalg.inv(-second_differences(value, t)) * np.outer(rates, rates)
    np.testing.assert_allclose(fit.cov, expected, rtol=2e-3, atol=1e-6)


@pytest.mark.simulation
def test_no_search_from_the_truth_finds_a_likelier_mixture() -> None:
    for seed in range(4):
        x = drawn(MIXTURE, 300, seed)
        fit = br.fit_distribution(x, "beta-mixture")
        start = coordinates({"weight_1": 0.4, "a_1": 0.6, "b_1": 3.0, "a_2": 5.0, "b_2": 1.2})
        found = optimize.minimize(
            lambda t, x=x: -mixture_log_likelihood(x, t), start, method="Nelder-Mead",
            options={"maxiter": 4000, "xatol": 1e-6, "fatol": 1e-9},
        )  # fmt: skip
        assert fit.log_likelihood >= -found.fun - 1e-6


@pytest.mark.simulation
def test_a_mixture_is_recovered() -> None:
    """Mean of 24 fits of 500 scores within four of its Monte Carlo errors, errors as said."""
    truth = [0.4, 0.6, 3.0, 5.0, 1.2]
    fits = [br.fit_distribution(drawn(MIXTURE, 500, 100 + k), "beta-mixture") for k in range(24)]
    values = np.array([fit.values for fit in fits])
    spread = values.std(axis=0, ddof=1)
    # The bias of a maximum of likelihood is of the order 1/n: a tenth of an error here.
    assert np.all(np.abs(values.mean(axis=0) - truth) <= (4 / math.sqrt(24) + 0.2) * spread)
    said = np.median([list(fit.std_errors.values()) for fit in fits], axis=0)
    # A standard deviation of 24 is known to 15 %.
    np.testing.assert_allclose(said, spread, rtol=0.6)


def test_many_scores_have_the_maximum_of_all_not_of_their_quantiles() -> None:
    """The score equations at the estimate, by the definition of the density."""
    law = br.BetaMixture([0.5, 0.5], [br.Beta(3.0, 1.2), br.Beta(2.5, 1.6)])
    x = drawn(law, 30_000, 9)
    fit = br.fit_distribution(x, "beta-mixture")
    share, *shapes = fit.values
    logs = np.log(x), np.log1p(-x)
    parts = [
        w * np.exp((a - 1.0) * logs[0] + (b - 1.0) * logs[1] - special.betaln(a, b))
        for w, a, b in ((share, *shapes[:2]), (1.0 - share, *shapes[2:]))
    ]
    whole = parts[0] + parts[1]
    of_share = np.mean(parts[0] / share / whole - parts[1] / (1.0 - share) / whole)
    assert abs(of_share) <= 1e-9
    for part, a, b in zip(parts, shapes[::2], shapes[1::2], strict=True):
        both = special.psi(a + b)
        for log, shape in zip(logs, (a, b), strict=True):
            assert abs(np.mean(part / whole * (log - special.psi(shape) + both))) <= 1e-9


def test_three_components_and_the_order_of_their_means() -> None:
    law = br.BetaMixture(
        [0.3, 0.3, 0.4], [br.Beta(2.0, 30.0), br.Beta(30.0, 30.0), br.Beta(30.0, 2.0)]
    )
    x = drawn(law, 1500, 5)
    fit = br.fit_distribution(x, "beta-mixture", components=3)
    means = [one.mean for one in fit.distribution.components]
    assert means == sorted(means)
    assert means == pytest.approx([2 / 32, 0.5, 30 / 32], abs=0.02)
    assert fit.log_likelihood > br.fit_distribution(x, "beta-mixture").log_likelihood
    assert fit.aic == pytest.approx(2 * 8 - 2 * fit.log_likelihood)


def test_ends_of_a_mixture_are_those_of_the_smallest_shapes() -> None:
    client = MIXTURE
    impostor = br.BetaMixture([0.5, 0.5], [br.Beta(0.3, 9.0), br.Beta(2.0, 4.0)])
    ends = br.ScoreModel(client, impostor).ends()
    assert ends.at_zero.exponent == pytest.approx(0.3 / 0.6)
    assert ends.at_one.exponent == pytest.approx(4.0 / 1.2)
    # F ~ w x^a / (a B(a, b)) at 0.
    mass = [
        w / (a * special.beta(a, b)) for w, a, b in ((0.4, 0.6, 3.0), (0.5, 0.3, 9.0))
    ]  # fmt: skip
    assert ends.at_zero.coefficient == pytest.approx(mass[1] / mass[0] ** 0.5, rel=1e-12)


def test_the_slope_of_a_mixture_at_an_end_is_that_of_the_smallest_shape() -> None:
    ends = Thresholds.from_theta(np.array([0.0, 1.0]))
    laws = [br.Beta(0.5, 2.0), br.Beta(3.0, 0.2)]
    # d log(s^(a-1) (1-s)^(b-1)) / d logit s = (a - 1)(1 - s) - (b - 1) s
    slope = br.BetaMixture([0.3, 0.7], laws)._log_density_slope(ends)
    np.testing.assert_allclose(slope, [0.5 - 1.0, -(0.2 - 1.0)], rtol=1e-15)
    far = br.BetaMixture([0.5, 0.5], [br.Beta(1e-3, 5000.0), br.Beta(2000.0, 3e-4)])
    np.testing.assert_allclose(far._log_density_slope(ends), [1e-3 - 1.0, 1.0 - 3e-4], rtol=1e-15)


def test_mixtures_may_cross_the_diagonal_twice() -> None:
    client = br.BetaMixture([0.5, 0.5], [br.Beta(20, 60), br.Beta(60, 20)])
    impostor = br.BetaMixture([0.2, 0.6, 0.2], [br.Beta(8, 92), br.Beta(50, 50), br.Beta(92, 8)])
    model = br.ScoreModel(client, impostor)
    assert model.global_shape() == "several-crossings"
    x = np.linspace(1e-4, 1 - 1e-4, 20_001)
    signs = np.sign(impostor.cdf(x) - client.cdf(x))
    signs = signs[signs != 0.0]
    assert model.diagonal_crossings().far.size == np.count_nonzero(np.diff(signs))


@pytest.mark.simulation
def test_a_narrow_component_is_not_stepped_over() -> None:
    """Two hundredths of the impostors lie within a hundredth of the scale, amid the others."""
    narrow = br.BetaMixture([0.98, 0.02], [br.Beta(1.5, 1.2), br.Beta(4e3, 6e3)])
    model = br.ScoreModel(MIXTURE, narrow)
    x = np.linspace(0.35, 0.45, 20_001)
    signs = np.sign(narrow.cdf(x) - MIXTURE.cdf(x))
    inner = model.diagonal_crossings().threshold
    inner = inner[(inner > 0.35) & (inner < 0.45)]
    assert inner.size == np.count_nonzero(np.diff(signs[signs != 0.0]))
    assert model.auc() == pytest.approx(model.generic().auc(), rel=1e-12)


@pytest.mark.parametrize(
    ("x", "options", "text"),
    [
        ([0.1, 0.2, 0.3, 0.7, 0.8], {}, "at least 10 scores inside"),
        ([0.4] * 30, {}, "all equal to 0.4"),
        ([0.0] * 20 + [1.0] * 20, {}, "none is inside"),
        (np.linspace(0.1, 0.9, 50), {"resolution": 0.1}, "no likelihood of rounded"),
        (np.linspace(0.1, 0.9, 50), {"boundary": "matlab"}, "no likelihood of rounded"),
        (np.linspace(0.1, 0.9, 50), {"components": 1}, "components must be"),
        (np.linspace(-1, 0.9, 50), {}, r"must lie in \[0, 1\]"),
    ],
)
def test_what_a_mixture_refuses(x, options, text) -> None:
    with pytest.raises((br.InputError, br.FitError), match=text):
        br.fit_distribution(x, "beta-mixture", **options)


def test_components_belong_to_mixtures() -> None:
    with pytest.raises(br.InputError, match='components must be left out for family="beta"'):
        br.fit_distribution([0.1, 0.5], components=2)


def test_two_values_are_no_mixture() -> None:
    """Both components would shrink to a point each: the likelihood has no maximum."""
    with pytest.raises(br.FitError, match="no mixture of 2 beta distributions was found") as caught:
        br.fit_distribution([0.2] * 20 + [0.7] * 20, "beta-mixture")
    assert (
        caught.value.result.distribution
        == br.fit_distribution([0.2] * 20 + [0.7] * 20).distribution
    )


# ------------------------------------------------------------------------------ proper pairs
def constrained(scores: br.Scores) -> float:
    """Largest log-likelihood with a_c >= a_i and b_c <= b_i, by SLSQP."""

    def loss(t: np.ndarray) -> float:
        a, b, c, d = np.exp(t)
        both = stats.beta.logpdf(scores.client, a, b), stats.beta.logpdf(scores.impostor, c, d)
        return -float(both[0].sum() + both[1].sum())

    rules = [
        {"type": "ineq", "fun": lambda t: t[0] - t[2]},
        {"type": "ineq", "fun": lambda t: t[3] - t[1]},
    ]
    options = {"ftol": 1e-14, "maxiter": 1000}
    starts = np.log([[1.2, 0.9, 1.0, 1.0], [3.0, 2.0, 2.0, 3.0]])
    return max(-optimize.minimize(loss, s, constraints=rules, options=options).fun for s in starts)


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.simulation
@pytest.mark.parametrize(
    ("client", "impostor", "tied"),
    [
        ((4.0, 2.0), (2.0, 4.0), ()),
        ((0.6, 0.4), (0.9, 1.8), ("a",)),
        ((3.0, 1.5), (1.2, 1.0), ("b",)),
        ((1.0, 2.0), (2.0, 1.0), ("a", "b")),
    ],
)
def test_the_proper_pair_is_the_constrained_maximum(client, impostor, tied) -> None:
    rng = np.random.default_rng(11)
    scores = br.Scores(rng.beta(*client, 200), rng.beta(*impostor, 350))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.ReversedScoresWarning)  # where the laws are
        free, proper = br.fit(scores), br.fit(scores, "proper-beta")
    assert proper.tied == tied
    assert proper.model.global_shape() in ("proper", "chance")
    assert proper.model.roc().is_concave
    assert proper.log_likelihood == pytest.approx(constrained(scores), abs=1e-5)
    model = proper.model
    at = model.client.logpdf(scores.client).sum() + model.impostor.logpdf(scores.impostor).sum()
    assert proper.log_likelihood == pytest.approx(at, rel=1e-11)
    assert (proper.client.values == free.client.values) is (tied == ())
    assert proper.aic == pytest.approx(2 * (4 - len(tied)) - 2 * proper.log_likelihood)
    for name in tied:
        assert proper.client.params[name] == proper.impostor.params[name]


def test_errors_of_a_tied_pair_are_those_of_three_parameters() -> None:
    rng = np.random.default_rng(11)
    scores = br.Scores(rng.beta(0.6, 0.4, 200), rng.beta(0.9, 1.8, 350))
    fit = br.fit(scores, "proper-beta")

    def value(t: np.ndarray) -> float:
        a, b, d = np.exp(t)
        both = stats.beta.logpdf(scores.client, a, b), stats.beta.logpdf(scores.impostor, a, d)
        return float(both[0].sum() + both[1].sum())

    at = np.array([fit.client.params["a"], fit.client.params["b"], fit.impostor.params["b"]])
    inverse = np.linalg.inv(-second_differences(value, np.log(at))) * np.outer(at, at)
    order = [0, 1, 0, 2]  # a_c is a_i
    np.testing.assert_allclose(fit.joint_cov(), inverse[np.ix_(order, order)], rtol=1e-4)
    # The exponent at zero is 1 whatever the errors; that at one is a quotient.
    spread = np.log(at[2] / at[1])
    rate = np.array([0.0, -1.0, 1.0]) / at
    error = math.sqrt(rate @ inverse @ rate)
    found = fit.interval(lambda m: math.log(m.ends().at_one.exponent))
    assert found.estimate == pytest.approx(spread)
    assert (found.high - found.low) / (2 * error) == pytest.approx(1.96, rel=0.05)


def test_proper_pairs_with_point_masses_and_weights() -> None:
    rng = np.random.default_rng(12)
    client, impostor = rng.beta(0.6, 0.4, 150), rng.beta(0.9, 1.8, 150)
    inner = br.fit(br.Scores(client, impostor), "proper-beta")
    both = br.Scores(np.r_[client, 1.0, 1.0], np.r_[impostor, 0.0])
    with pytest.warns(br.BoundaryWarning):
        inflated = br.fit(both, "proper-beta")
    assert inflated.model.client.base == inner.model.client
    assert inflated.client.params["at_one"] == 2 / 152
    np.testing.assert_allclose(inflated.client.cov[:2, :2], inner.client.cov, rtol=1e-12)
    doubled = br.Scores(
        client, impostor, client_weights=np.full(150, 2.0), impostor_weights=np.full(150, 2.0)
    )
    twice = br.fit(doubled, "proper-beta")
    assert twice.client.values == pytest.approx(inner.client.values, rel=1e-12)
    np.testing.assert_allclose(twice.joint_cov(), 0.5 * inner.joint_cov(), rtol=1e-10)


# -------------------------------------------------------------------------------- dual pairs
def test_the_dual_pair_against_scipy_and_its_closed_area() -> None:
    rng = np.random.default_rng(13)
    scores = br.Scores(rng.beta(3.0, 1.0, 300), rng.beta(1.0, 2.0, 200))
    fit = br.fit(scores, "dual-beta")
    p = stats.powerlaw.fit(scores.client, floc=0, fscale=1)[0]
    q = stats.powerlaw.fit(1.0 - scores.impostor, floc=0, fscale=1)[0]
    assert dict(fit.client.params) == pytest.approx({"a": p, "b": 1.0}, rel=1e-6)
    assert dict(fit.impostor.params) == pytest.approx({"a": 1.0, "b": q}, rel=1e-6)
    p, q = fit.client.params["a"], fit.impostor.params["b"]
    assert p == pytest.approx(-1.0 / np.log(scores.client).mean(), rel=1e-14)
    # Mossman and Peng: 1 - Gamma(p + 1) Gamma(q + 1) / Gamma(p + q + 1).
    area = 1.0 - math.exp(math.lgamma(p + 1) + math.lgamma(q + 1) - math.lgamma(p + q + 1))
    assert fit.model.auc() == pytest.approx(area, rel=1e-12)
    assert fit.client.std_errors["a"] == pytest.approx(p / math.sqrt(300))
    assert (fit.client.std_errors["b"], fit.client.fixed) == (0.0, ("b",))
    assert fit.aic == pytest.approx(2 * 2 - 2 * fit.log_likelihood)
    at = (
        stats.beta.logpdf(scores.client, p, 1).sum(),
        stats.beta.logpdf(scores.impostor, 1, q).sum(),
    )
    assert fit.log_likelihood == pytest.approx(sum(at), rel=1e-11)
    area = fit.interval("auc", method="family")
    # Derivatives of the area in p and q, by the digammas of the closed form.
    slope_p = (1 - area.estimate) * (special.psi(p + q + 1) - special.psi(p + 1))
    slope_q = (1 - area.estimate) * (special.psi(p + q + 1) - special.psi(q + 1))
    error = math.hypot(slope_p * p / math.sqrt(300), slope_q * q / math.sqrt(200))
    width = special.logit(area.high) - special.logit(area.low)
    expected = 2 * 1.96 * error / (area.estimate * (1 - area.estimate))
    assert width == pytest.approx(expected, rel=0.02)  # Student's quantile is a little wider


@pytest.mark.parametrize("family", ["proper-beta", "dual-beta"])
def test_families_of_pairs_say_nothing_of_one_sample(family) -> None:
    with pytest.raises(br.InputError, match="must be fitted to both classes"):
        br.fit_distribution([0.2, 0.4, 0.9], family)


# ------------------------------------------------------------------------------- nested tests


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.simulation
def test_a_hook_is_tested_against_the_proper_pair() -> None:
    rng = np.random.default_rng(17)
    hooked = br.Scores(rng.beta(0.5, 0.3, 400), rng.beta(0.9, 1.8, 400))
    test = br.likelihood_ratio_test(
        br.fit(hooked, "proper-beta"), br.fit(hooked), replicates=99, rng=1
    )
    assert test.p_value == 0.01
    proper = br.Scores(rng.beta(4, 2, 100), rng.beta(2, 4, 100))
    test = br.likelihood_ratio_test(
        br.fit(proper, "proper-beta"), br.fit(proper), replicates=19, rng=1
    )
    assert (test.statistic, test.p_value) == (0.0, 1.0)


def test_what_is_not_nested_is_refused() -> None:
    rng = np.random.default_rng(18)
    scores = br.Scores(rng.beta(4, 2, 50), rng.beta(2, 4, 50))
    beta, logit = br.fit(scores), br.fit(scores, "logit-normal")
    with pytest.raises(br.InputError, match=r"not nested: use br\.compare_families"):
        br.likelihood_ratio_test(beta, logit)
    with pytest.raises(br.InputError, match="Give them in the other order"):
        br.likelihood_ratio_test(beta, br.fit(scores, "dual-beta"))
    other = br.fit(br.Scores(scores.client[:40], scores.impostor), "dual-beta")
    with pytest.raises(br.InputError, match="same scores"):
        br.likelihood_ratio_test(other, beta)
    with pytest.raises(br.InputTypeError, match="general must be a Fit"):
        br.likelihood_ratio_test(beta, beta.model)


def test_fits_that_treat_the_ends_differently_are_not_compared() -> None:
    rng = np.random.default_rng(18)
    scores = br.Scores([*rng.beta(2, 2, 30), 0.0, 1.0], rng.beta(2, 3, 30))
    dropped = br.fit(scores, "proper-beta", boundary="drop")
    with pytest.warns(br.BoundaryWarning):
        inflated = br.fit(scores)
    with pytest.raises(br.InputError, match="client scores of 0 and 1 alike"):
        br.likelihood_ratio_test(dropped, inflated)
    alike = br.fit(scores, boundary="drop")
    assert br.likelihood_ratio_test(dropped, alike, replicates=19, rng=1).statistic >= 0.0


@pytest.mark.simulation
def test_families_side_by_side_with_mixtures() -> None:
    rng = np.random.default_rng(19)
    two = br.Scores(drawn(MIXTURE, 500, 20), rng.beta(1, 3, 500))
    found = br.compare_families(two, ["beta", "logit-normal", "normal", "beta-mixture"])
    assert found.recommended[0] == "beta-mixture"
    rows = {row.family: row for row in found.of("client")}
    assert set(rows) == {"beta", "logit-normal", "normal", "beta-mixture"}
    assert rows["beta-mixture"].parameters == 5
    assert math.isnan(rows["beta"].vuong)  # contained in the mixture
    assert rows["normal"].vuong < -1.96
    # One law: the mixture is likelier, but not by more than half a standard error held out.
    one = br.compare_families(br.Scores(rng.beta(4, 2, 500), rng.beta(2, 4, 500)))
    assert "beta-mixture" not in one.recommended
    ties = br.compare_families(
        br.Scores(np.round(rng.beta(4, 2, 300), 2), np.round(rng.beta(2, 4, 300), 2))
    )
    assert [(who, name) for who, name, _ in ties.left_out] == [
        ("client", "beta-mixture"), ("impostor", "beta-mixture")
    ]  # fmt: skip
    pairs = br.compare_families(two, ["beta", "proper-beta", "dual-beta"])
    assert {row.family: row.parameters for row in pairs.of("both")}["dual-beta"] == 2


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.simulation
def test_the_check_knows_which_family_was_fitted() -> None:
    rng = np.random.default_rng(21)
    two = br.Scores(drawn(MIXTURE, 400, 22), rng.beta(1, 3, 400))
    wrong = br.check_fit(br.fit(two), replicates=99, rng=1)
    right = br.check_fit(br.fit(two, "beta-mixture"), replicates=49, rng=1)
    assert wrong.ad.client.p_value == 0.01
    assert right.ad.client.p_value > 0.02
    assert right.roc_distance.sup < wrong.roc_distance.sup
    dual = br.Scores(rng.beta(3.0, 1.0, 300), rng.beta(1.0, 2.0, 300))
    # -log s of dual clients is exponential: Lilliefors' test is the same, by its own tables.
    check = br.check_fit(br.fit(dual, "dual-beta"), replicates=999, rng=1)
    statistic, p_value = lilliefors(-np.log(dual.client), dist="exp")
    assert check.ks.client.statistic == pytest.approx(statistic * math.sqrt(300), rel=1e-9)
    assert check.ks.client.p_value == pytest.approx(p_value, abs=0.012)
    curved = br.Scores(rng.beta(3.0, 2.0, 300), rng.beta(1.0, 2.0, 300))
    assert br.check_fit(br.fit(curved, "dual-beta"), replicates=49, rng=1).ks.client.p_value == 0.02


@pytest.mark.simulation
def test_size_of_the_test_of_a_dual_pair() -> None:
    """Its limit is chi-squared with two degrees of freedom: simulated p-values agree with it."""
    rng = np.random.default_rng(16)
    simulated, limit = [], []
    for _ in range(12):
        scores = br.Scores(rng.beta(3.0, 1.0, 400), rng.beta(1.0, 2.0, 400))
        dual, free = br.fit(scores, "dual-beta"), br.fit(scores)
        test = br.likelihood_ratio_test(dual, free, replicates=199, rng=rng)
        simulated.append(test.p_value)
        limit.append(stats.chi2.sf(test.statistic, 2))
    # The error of a share of 199 is at most .036.
    np.testing.assert_allclose(simulated, limit, atol=4 * 0.036)


@pytest.mark.simulation
def test_a_mixture_is_never_less_likely_than_one_beta_law() -> None:
    rng = np.random.default_rng(3)
    found = 0
    for k in range(12):
        a, b = np.exp(rng.normal(0.0, 0.8, 2))
        x = np.clip(rng.beta(a, b, (40, 100, 400)[k % 3]), 1e-300, 1 - 1e-16)
        try:
            mixture = br.fit_distribution(x, "beta-mixture")
        except br.FitError:
            continue
        found += 1
        assert mixture.log_likelihood >= br.fit_distribution(x).log_likelihood
    assert found >= 9  # one law leaves little for a second component, but nearly always some


@pytest.mark.simulation
def test_a_mixture_with_point_masses_and_its_intervals() -> None:
    rng = np.random.default_rng(7)
    scores = br.Scores(
        np.concatenate([drawn(MIXTURE, 300, 8), np.ones(20)]), np.r_[rng.beta(1, 4, 300), 0.0, 0.0]
    )
    with pytest.warns(br.BoundaryWarning):
        fit = br.fit(scores, "beta-mixture")
    assert fit.client.params["at_one"] == pytest.approx(20 / scores.n_client)
    area = fit.interval("auc")
    assert area.low < area.estimate < area.high
    band = fit.roc_band(far=[0.1, 0.5])
    assert np.all((band.low < band.estimate) & (band.estimate < band.high))
    dev = br.ScoreModel(br.Beta(5.0, 1.0), br.Beta(1.0, 4.0))
    curve = br.epc(dev, fit).band(resample="test", method="delta")
    assert np.all(curve.low <= curve.estimate)
    assert np.all(curve.estimate <= curve.high)
    # Sandwich of independent trials: near the inverse information, as the law is right.
    from helpers.robust import robust_cov

    inner = scores.client
    ratio = np.diag(robust_cov(fit.client, inner))[:5] / np.diag(fit.client.cov)[:5]
    assert np.all((ratio > 0.4) & (ratio < 2.5))


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_a_component_that_is_there_is_found_and_one_that_is_not_is_not() -> None:
    rng = np.random.default_rng(14)
    two = br.Scores(drawn(MIXTURE, 200, 15), rng.beta(1, 3, 200))
    found = br.likelihood_ratio_test(
        br.fit(two), br.fit(two, "beta-mixture"), replicates=19, rng=1
    )  # fmt: skip
    gain = 2 * (br.fit(two, "beta-mixture").log_likelihood - br.fit(two).log_likelihood)
    assert (found.statistic, found.p_value) == (pytest.approx(gain), 1 / 20)
