"""Families of both classes: constrained maxima, shared parameters, their errors and tests."""

import math

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats
from scipy.special import polygamma

import betaroc as br
from betaroc.distributions.beta import ClassSums, best_partner, tied_mle
from helpers.sets import summary_of

approx = pytest.approx

P = (np.arange(60) + 0.5) / 60
misfits = pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")


def beta_scores(seed, client, impostor, n=200, m=350):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(*client, n), rng.beta(*impostor, m))


def free(pair, shared):
    """The shared shape and the two others."""
    k = "ab".index(shared)
    assert pair.client[k] == pair.impostor[k]
    return np.array([pair.client[k], pair.client[1 - k], pair.impostor[1 - k]])


def of_mpmath(classes, shared, start):
    """The zero of the three derivatives, to 40 digits, from a place 1e-5 away."""
    with mp.workdps(60):
        logs = [list(map(mp.mpf, s[1:]))[:: 1 if shared == "a" else -1] for s in classes]
        weights = [mp.mpf(s.weight) for s in classes]

        def equations(*at):
            a, others = mp.e ** at[0], [mp.e**x for x in at[1:]]
            parts = list(zip(weights, logs, others, strict=True))
            first = sum(w * (g[0] - mp.psi(0, a) + mp.psi(0, a + b)) for w, g, b in parts)
            rest = [b * (g[1] - mp.psi(0, b) + mp.psi(0, a + b)) for _, g, b in parts]
            return [a * first / sum(weights), *rest]

        away = zip((1, -1, 1), start.tolist(), strict=True)
        place = [mp.log(mp.mpf(x)) + mp.mpf(k) / 100_000 for k, x in away]
        return [float(mp.e**x) for x in mp.findroot(equations, place, tol=1e-70, maxsteps=60)]


@pytest.mark.simulation
@pytest.mark.parametrize("shared", ["a", "b"])
@pytest.mark.parametrize(("client", "impostor", "weights"), [
    ((2.0, 1.0), (1.5, 3.0), (100.0, 50.0)),
    ((0.13, 0.36), (0.24, 0.9), (30.0, 3000.0)),
    ((1e-3, 40.0), (700.0, 0.02), (1e4, 1.0)),
    ((1e6, 2e6), (8e5, 1e6), (500.0, 100.0)),
])  # fmt: skip
def test_the_maximum_of_mpmath(client, impostor, weights, shared):
    classes = ClassSums.at(*client, weights[0]), ClassSums.at(*impostor, weights[1])
    pair = tied_mle(*classes, shared)
    at, size = free(pair, shared), max(sum(pair.client), sum(pair.impostor))
    # What a rounding of the means can do grows with the concentration.
    assert_allclose(at, of_mpmath(classes, shared, at), rtol=1e-13 + 1e-15 * size)


def test_tied_shapes_in_closed_form_mirrored_and_swapped():
    # Shared b fitted where both laws have b = 1: the estimates are the laws themselves.
    pair = tied_mle(ClassSums.at(3, 1, 10), ClassSums.at(0.5, 1, 20), "b")
    assert_allclose(pair.client + pair.impostor, (3, 1, 0.5, 1), rtol=1e-13)
    # One class outweighs the other: its own shape is shared, up to the ratio of the weights.
    pair = tied_mle(ClassSums.at(3, 1, 1e-4), ClassSums.at(0.5, 2, 1e4), "a")
    assert pair.client[0] == approx(0.5, rel=1e-6)
    c, i = ClassSums.at(2, 0.3, 13), ClassSums.at(0.7, 0.9, 40)
    pair, swapped = tied_mle(c, i, "a"), tied_mle(i, c, "a")
    mirrored = tied_mle(*(ClassSums(s.weight, s.mean_log1m, s.mean_log) for s in (c, i)), "b")
    assert (pair.client, pair.impostor) == (mirrored.client[::-1], mirrored.impostor[::-1])
    assert_allclose(swapped.client, pair.impostor, rtol=1e-13)
    assert swapped.log_likelihood == approx(pair.log_likelihood, rel=1e-13)
    # mean log(1 - s) of Beta(1, b) is -1/b.
    assert best_partner(1.0, -1.0 / 7.0) == approx(7.0, rel=1e-12)
    s = beta_scores(2, (2, 1), (1.2, 2), 40, 25)
    sums = [ClassSums(v.size, np.log(v).mean(), np.log1p(-v).mean())
        for v in (s.client, s.impostor)]  # fmt: skip
    common = br.fit_distribution(np.r_[s.client, s.impostor]).log_likelihood
    for shared in ("a", "b"):
        assert common < tied_mle(*sums, shared).log_likelihood < br.fit(s).log_likelihood


def constrained(scores):
    """Largest log-likelihood with a_c >= a_i and b_c <= b_i, by SLSQP."""

    def loss(t):
        a, b, c, d = np.exp(t)
        both = stats.beta.logpdf(scores.client, a, b), stats.beta.logpdf(scores.impostor, c, d)
        return -float(both[0].sum() + both[1].sum())

    rules = [{"type": "ineq", "fun": lambda t: t[0] - t[2]},
        {"type": "ineq", "fun": lambda t: t[3] - t[1]}]  # fmt: skip
    options = {"ftol": 1e-14, "maxiter": 1000}
    starts = np.log([[1.2, 0.9, 1.0, 1.0], [3.0, 2.0, 2.0, 3.0]])
    return max(-optimize.minimize(loss, s, constraints=rules, options=options).fun for s in starts)


@misfits
@pytest.mark.filterwarnings("ignore::betaroc.ReversedScoresWarning")
@pytest.mark.simulation
@pytest.mark.parametrize(("client", "impostor", "tied"),
    [((4.0, 2.0), (2.0, 4.0), ()), ((0.6, 0.4), (0.9, 1.8), ("a",)),
    ((1.0, 2.0), (2.0, 1.0), ("a", "b"))])  # fmt: skip
def test_the_proper_pair_is_the_constrained_maximum(client, impostor, tied):
    scores = beta_scores(11, client, impostor)
    unbound, proper = br.fit(scores), br.fit(scores, "proper-beta")
    model = proper.model
    assert (proper.tied, model.roc().is_concave) == (tied, True)
    assert model.global_shape() in ("proper", "chance")
    assert proper.log_likelihood == approx(constrained(scores), abs=1e-5)
    at = model.client.logpdf(scores.client).sum() + model.impostor.logpdf(scores.impostor).sum()
    assert proper.log_likelihood == approx(at, rel=1e-11)
    assert (proper.client.values == unbound.client.values) is (tied == ())
    assert proper.aic == approx(2 * (4 - len(tied)) - 2 * proper.log_likelihood)
    for name in tied:
        assert proper.client.params[name] == proper.impostor.params[name]
    if client == (4.0, 2.0):  # no hook is left out: the statistic is 0
        assert br.likelihood_ratio_test(proper, unbound, replicates=19, rng=1).p_value == 1.0


def information(a, b):
    """Of (a, b) in one score."""
    common = polygamma(1, a + b)
    return np.array([[polygamma(1, a) - common, -common], [-common, polygamma(1, b) - common]])


@pytest.mark.parametrize(("client", "impostor", "tied"), [((2.0, 1.5), (1.5, 1.3), 1),
    ((1.3, 1.5), (1.5, 2.0), 0), ((0.6, 0.4), (0.9, 1.8), 0)])  # fmt: skip
def test_a_shared_shape_is_known_from_both_classes(client, impostor, tied):
    f = br.fit(br.Scores(stats.beta(*client).ppf(P),
        stats.beta(*impostor).ppf(P[::2])), "proper-beta")  # fmt: skip
    shapes = f.client.values, f.impostor.values
    assert shapes[0][tied] == shapes[1][tied]
    whole = np.zeros((3, 3))  # of the free shape of each class and the shared one
    for k, n in enumerate((60, 30)):
        part = n * information(*shapes[k])[:: 1 if tied else -1, :: 1 if tied else -1]
        whole[np.ix_([k, 2], [k, 2])] += part
    known = np.linalg.inv(whole)
    orders = ([0, 2], [1, 2]) if tied == 1 else ([2, 0], [2, 1])
    for order, part in zip(orders, (f.client, f.impostor), strict=True):
        assert_allclose(part.cov, known[np.ix_(order, order)], rtol=1e-8)
    assert_allclose(f.shared_cov, known[np.ix_(*orders)], rtol=1e-8)
    both = [*orders[0], *orders[1]]
    assert_allclose(f.joint_cov(), known[np.ix_(both, both)], rtol=1e-8)


def test_the_dual_pair_by_hand_and_its_closed_area():
    """-log s is exponential with rate p: var p = p^2 / n."""
    scores = beta_scores(13, (3.0, 1.0), (1.0, 2.0), 300, 200)
    fit, c, i = br.fit(scores, "dual-beta"), scores.client, scores.impostor
    p, q = fit.client.params["a"], fit.impostor.params["b"]
    assert (p, q) == approx((-1 / np.log(c).mean(), -1 / np.log1p(-i).mean()), rel=1e-14)
    assert (fit.client.params["b"], fit.impostor.params["a"]) == (1.0, 1.0)
    # Mossman and Peng: 1 - Gamma(p + 1) Gamma(q + 1) / Gamma(p + q + 1).
    exact = 1.0 - math.exp(math.lgamma(p + 1) + math.lgamma(q + 1) - math.lgamma(p + q + 1))
    assert fit.model.auc() == approx(exact, rel=1e-12)
    assert_allclose(fit.client.cov, [[p * p / 300, 0.0], [0.0, 0.0]])
    assert_allclose(fit.impostor.cov, [[0.0, 0.0], [0.0, q * q / 200]])
    assert (fit.client.std_errors["b"], fit.client.fixed) == (0.0, ("b",))
    at = stats.beta.logpdf(c, p, 1).sum(), stats.beta.logpdf(i, 1, q).sum()
    assert fit.log_likelihood == approx(sum(at), rel=1e-11)


_RNG = np.random.default_rng(1)
NORMAL = br.Scores(_RNG.normal(1.5, 1, 80), _RNG.normal(0, 1.1, 120))
EQUAL = "equal-variance-normal"


@pytest.mark.simulation
def test_equal_variances_are_the_maximum_of_the_joint_likelihood_and_tested():
    """Against a search over both means and log sigma, and sigma's closed form by hand. Var mu =
    sigma^2/n of each class, Var sigma = sigma^2/(2 N), which both share."""
    fit, c, i = br.fit(NORMAL, EQUAL), NORMAL.client, NORMAL.impostor
    s2 = (80 * c.var() + 120 * i.var()) / 200
    for part, x in ((fit.client, c), (fit.impostor, i)):
        assert part.values == approx((x.mean(), math.sqrt(s2)), rel=1e-12)
        assert_allclose(part.cov, np.diag([s2 / x.size, s2 / 400]), rtol=1e-12)
    assert_allclose(fit.shared_cov, [[0, 0], [0, s2 / 400]], rtol=1e-12)

    def loss(at):
        laws = [stats.norm(mu, math.exp(at[2])) for mu in at[:2]]
        return -float(np.sum(laws[0].logpdf(c)) + np.sum(laws[1].logpdf(i)))

    assert fit.log_likelihood == approx(-optimize.minimize(loss, [1.0, 0.0, 0.0]).fun, rel=1e-9)
    assert (fit.n_free, fit.tied, fit.model.roc().is_concave) == (3, ("sigma",), True)
    for same in (summary_of(NORMAL), br.Scores(c, i, client_weights=[1] * 80)):
        again = br.fit(same, EQUAL)
        assert dict(again.client.params) == approx(dict(fit.client.params), rel=1e-12)
        assert again.log_likelihood == approx(fit.log_likelihood, rel=1e-12)
    # Twice the gain of log-likelihood, simulated; of equal spreads p is uniform.
    fits = (br.fit(NORMAL, family) for family in (EQUAL, "normal"))
    test = br.likelihood_ratio_test(*fits, replicates=99, rng=1)
    s = NORMAL.client.std(), NORMAL.impostor.std()
    pooled = br.fit(NORMAL, EQUAL).client.params["sigma"]
    gain = 2 * (200 * math.log(pooled) - 80 * math.log(s[0]) - 120 * math.log(s[1]))
    assert test.statistic == approx(gain, rel=1e-9)
    assert test.p_value == approx(stats.chi2(1).sf(gain), abs=0.05)


@misfits
@pytest.mark.simulation
def test_the_check_of_a_dual_pair_is_lilliefors():
    """-log s of dual clients is exponential; its tables are coarse above .2, and p is .006."""
    rng = np.random.default_rng(21)
    rng.beta(1, 3, 400)
    dual = br.Scores(rng.beta(3.0, 1.0, 300), rng.beta(1.0, 2.0, 300))
    check = br.check_fit(br.fit(dual, "dual-beta"), replicates=999, rng=1)
    diagnostic = pytest.importorskip("statsmodels.stats.diagnostic")
    statistic, p_value = diagnostic.lilliefors(-np.log(dual.client), dist="exp")
    assert check.ks.client.statistic == approx(statistic * math.sqrt(300), rel=1e-9)
    assert check.ks.client.p_value == approx(p_value, abs=0.012)
