"""Confidence of shapes, ends and hooks: formulas and other packages, size by simulation."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

import betaroc as br
from betaroc.distributions.beta import ClassSums, tied_mle
from betaroc.fits import shape_tests
from betaroc.fits.shape_tests import fisher_midp, variance_ratio_test
from betaroc.model.improper_regions import hooks_of
from helpers.cases import some

approx = pytest.approx


@pytest.mark.parametrize(("client", "impostor"),
    [((3.0, 30.0), (1.0, 40.0)), ((1e4, 100.0), (1.0, 120.0)), ((1e60, 2.0), (1e-300, 2.0))],
)  # fmt: skip
def test_the_tail_of_variances_apart_may_be_no_double(client, impostor):
    """P(F > r) = I_x(e/2, d/2) at x = e/(e + d r); z from its logarithm, on either side."""
    import mpmath

    (s, n), (other, m) = client, impostor
    large, small = variance_ratio_test(client, impostor), variance_ratio_test(impostor, client)
    assert large.z == approx(-small.z, rel=1e-12)
    with mpmath.workdps(40):
        ratio = (mpmath.mpf(s) / mpmath.mpf(other)) ** 2 * n / (n - 1) * (m - 1) / m
        d, e = mpmath.mpf(n - 1), mpmath.mpf(m - 1)
        upper = mpmath.betainc(e / 2, d / 2, 0, e / (e + d * ratio), regularized=True)
        lower = mpmath.betainc(d / 2, e / 2, 0, d * ratio / (e + d * ratio), regularized=True)
        sign, tail = (1, upper) if upper < lower else (-1, lower)
        z = mpmath.findroot(lambda y: mpmath.log(mpmath.ncdf(-y) / tail),
            mpmath.sqrt(-2 * mpmath.log(tail)))  # fmt: skip
    assert large.z == approx(sign * float(z), rel=1e-9)
    assert large.p_value == approx(float(2 * tail), rel=1e-9, abs=5e-324)


def fit_of(client, impostor, n, seed):
    rng = np.random.default_rng(seed)
    return br.fit(br.Scores(*(np.clip(rng.beta(*law, n), 1e-300, 1 - 2**-53)
        for law in (client, impostor))))  # fmt: skip


def grouped_normal(seed=12, people=25):
    rng, who = np.random.default_rng(seed), np.repeat(np.arange(people), 4)
    effect = rng.normal(0, 1, people)[who]
    scores = br.Scores(1 + effect + rng.normal(0, 1, who.size),
        effect + rng.normal(0, 1.5, who.size), client_groups=who, impostor_groups=who)  # fmt: skip
    return br.fit(scores, "normal")


@pytest.mark.simulation
def test_probabilities_are_shares_of_drawn_shapes_and_curves():
    fit, rng = fit_of((1.1, 0.9), (0.9, 1.05), 60, 1), np.random.default_rng(0)
    for who, chances in fit.shape_probabilities().items():
        result = getattr(fit, who)
        values = np.array(result.values)
        cov = result.cov / np.outer(values, values)
        a, b = rng.multivariate_normal(np.log(values), cov, 200_000).T > 0
        shares = {"U": ~a & ~b, "reverse-J": ~a & b, "J": a & ~b, "bell": a & b}
        assert math.fsum(chances.values()) == approx(1.0, abs=1e-12)
        for name, share in shares.items():
            assert chances[name] == approx(np.mean(share), abs=0.005)  # 4 sd of the share
    fit = fit_of((2, 1.3), (1.6, 1.4), 80, 3)
    ends, found = fit.end_tests(), fit.curve_test()
    c, i = (getattr(fit, who) for who in ("client", "impostor"))
    maps = [np.diag([1 / v for v in r.values]) for r in (c, i)]
    logs = [m @ r.cov @ m for m, r in zip(maps, (c, i), strict=True)]
    both = np.diag([1, -1]) @ sum(logs) @ np.diag([1, -1])  # of log a_c/a_i and log b_i/b_c
    rho, rng = both[0, 1] / math.sqrt(both[0, 0] * both[1, 1]), np.random.default_rng(0)
    z = rng.multivariate_normal([ends.at_zero.z, ends.at_one.z], [[1, rho], [rho, 1]], 200_000)
    a, b = (z > 0).T
    shares = {"proper": a & b, "hook-at-one": a & ~b, "hook-at-zero": ~a & b, "below": ~a & ~b}
    for name, share in shares.items():
        assert found.probabilities[name] == approx(np.mean(share), abs=0.005)
    least = min(ends.at_zero.z, ends.at_one.z)
    noise = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], 200_000)
    assert found.p_proper == approx(np.mean(noise.min(axis=1) <= least), abs=0.005)


def modified_root(client, impostor, shared):
    """r* by a general optimiser and by second differences of the two log-likelihoods."""
    sums = [(v.size, np.log(v).mean(), np.log1p(-v).mean()) for v in (client, impostor)]

    def value(shapes):
        parts = zip(sums, (shapes[:2], shapes[2:]), strict=True)
        return sum(n * ((a - 1) * g + (b - 1) * h - special.betaln(a, b))
            for (n, g, h), (a, b) in parts)  # fmt: skip

    def tied(x):
        first = [x[0], x[1]] if shared == 0 else [x[1], x[0]]
        return np.array([*first, x[0], x[2]] if shared == 0 else [*first, x[2], x[0]])

    def maximum(f, start):
        found = optimize.minimize(lambda y: -f(np.exp(y)), np.log(start), method="BFGS",
            options={"gtol": 1e-9})  # fmt: skip
        return np.exp(found.x)

    def information(f, x):
        steps = 1e-3 * np.diag(x)
        return -np.array([[(f(x + s + t) - f(x + s - t) - f(x - s + t) + f(x - s - t))
            / (4 * s.max() * t.max()) for s in steps] for t in steps])  # fmt: skip

    free = maximum(value, [1.5, 1.5, 1.5, 1.5])
    common, d = maximum(lambda x: value(tied(x)), [1.5, 1.5, 1.5]), free[shared] - free[2 + shared]
    r = math.copysign(math.sqrt(2 * (value(free) - value(tied(common)))), d)
    det = [np.linalg.det(information(*at))
        for at in ((value, free), (lambda x: value(tied(x)), common))]  # fmt: skip
    return r + math.log((d * math.sqrt(det[0] / det[1])) / r) / r


def test_end_tests_by_a_general_optimiser():
    fit = fit_of((2, 1.2), (1.5, 1.6), 40, 0)
    found, data = fit.end_tests(), (fit.scores.client, fit.scores.impostor)
    for test, shared, sign in ((found.at_zero, 0, 1), (found.at_one, 1, -1)):
        z = sign * modified_root(*data, shared)
        assert test.z == approx(z, rel=1e-3, abs=1e-3)  # the errors of the differences
        assert test.p_value == approx(2 * stats.norm.sf(abs(test.z)), rel=1e-9)
        wanted = "cannot tell" if test.p_value > 0.05 else "above" if z > 0 else "below"
        assert (test.side, test.method) == (wanted, "likelihood")


@pytest.mark.simulation
def test_ends_reflected_in_copies_and_in_cells():
    fit = fit_of((2, 1.2), (1.5, 1.4), 100, 6)
    other = br.fit(br.Scores(1 - fit.scores.impostor, 1 - fit.scores.client))
    one, two = fit.end_tests(), other.end_tests()
    assert one.at_zero.z == approx(two.at_one.z, rel=1e-6)
    assert one.at_one.z == approx(two.at_zero.z, rel=1e-6)
    fit = fit_of((2, 1.2), (1.5, 1.4), 60, 7)
    x, y = fit.scores.client, fit.scores.impostor
    weighted = br.fit(br.Scores(x, y, client_weights=np.full(60, 3),
        impostor_weights=np.full(60, 2)))  # fmt: skip
    with pytest.warns(br.DiscretenessWarning):
        copied = br.fit(br.Scores(np.repeat(x, 3), np.repeat(y, 2)))
    for one, two in zip(weighted.end_tests(), copied.end_tests(), strict=True):
        assert one.z == approx(two.z, rel=1e-8)
    rng = np.random.default_rng(8)
    scores = br.Scores(*(np.round(rng.beta(*law, 200), 2) for law in ((2, 1.2), (1.5, 1.4))))
    fit = br.fit(scores, resolution=0.01)
    test, c, i = fit.end_tests().at_zero, fit.client, fit.impostor
    sd = math.hypot(c.std_errors["a"] / c.params["a"], i.std_errors["a"] / i.params["a"])
    assert test.z == approx(math.log(c.params["a"] / i.params["a"]) / sd, rel=1e-10)
    assert test.method == "wald"


def test_ends_and_curves_of_normal_laws_by_the_f_test():
    rng = np.random.default_rng(9)
    x, y = rng.normal(1, 1.3, 30), rng.normal(0, 1, 50)
    tests, ratio = br.fit(br.Scores(x, y), "normal").end_tests(), x.var(ddof=1) / y.var(ddof=1)
    upper = stats.f.sf(ratio, 29, 49)
    for test, sign in ((tests.at_zero, -1), (tests.at_one, 1)):
        # Wider clients: above at one, below at zero.
        assert test.z == approx(sign * stats.norm.isf(upper), rel=1e-9)
        assert (test.p_value, test.method) == (approx(2 * upper, rel=1e-9), "variance ratio")
    logits = br.fit(br.Scores(special.expit(x), special.expit(y)), "logit-normal").end_tests()
    assert logits.at_one.z == approx(tests.at_one.z, rel=1e-6)
    means = shape_tests.pooled_t_test((x.mean(), x.std(), 30), (y.mean(), y.std(), 50))
    assert means.p_value == approx(stats.ttest_ind(x, y).pvalue, rel=1e-9)
    with pytest.raises(br.InputError, match="total weight above 1"):
        variance_ratio_test((1.0, 1.0), (1.0, 5.0))
    fit = grouped_normal()
    x, y, who = fit.scores.client, fit.scores.impostor, fit.scores.client_groups
    shared = (x.var() + y.var()) / 2
    away = [((v - v.mean()) ** 2 / shared - 1) / (2 * 100) for v in (x, y)]
    between = np.bincount(who, away[0] - away[1])
    z, ends = between.sum() / math.sqrt(np.sum(between**2)), fit.end_tests()
    assert (ends.at_one.z, ends.at_zero.z) == (approx(z, rel=1e-9), approx(-z, rel=1e-9))
    assert ends.at_one.method == "score"
    assert fit.end_tests(groups=False).at_one.method == "variance ratio"
    assert shape_tests.wald_test(1.0, 4.0, 7.0).p_value == approx(2 * stats.t.sf(0.5, 7), rel=1e-12)
    rng = np.random.default_rng(13)
    x, y = rng.normal(1, 1.3, 40), rng.normal(0, 1, 50)
    fit = br.fit(br.Scores(x, y), "normal")
    found, spread = fit.curve_test(), fit.end_tests().at_one
    assert found.p_proper == found.p_no_crossing == spread.p_value
    assert found.probabilities["hook-at-zero"] == approx(stats.norm.cdf(spread.z), rel=1e-12)
    assert found.probabilities["proper"] == found.probabilities["below"] == 0.0
    (hook,) = found.hooks
    assert hook.end == "at_zero"
    grouped = grouped_normal()
    assert grouped.curve_test().p_no_crossing == grouped.end_tests().at_one.p_value


def grouped_beta(people, seed, zeros=0):
    rng, who = np.random.default_rng(seed), np.repeat(np.arange(people), 4)
    effect = rng.normal(0, 0.7, people)[who]
    z = [effect + math.sqrt(0.51) * rng.normal(size=who.size) for _ in range(2)]
    x, y = (
        stats.beta.ppf(stats.norm.cdf(v), *law) for v, law in zip(z, ((2, 1), (2, 3)), strict=True)
    )
    y[:zeros] = 0.0
    return br.fit(br.Scores(x, y, client_groups=who, impostor_groups=who), boundary="inflate")


def test_shapes_of_groups_by_hand():
    """The score statistic from digammas at the shared b, which `tied_mle` finds."""
    fit = grouped_beta(20, 1, zeros=5)
    x, y, who = fit.scores.client, fit.scores.impostor, fit.scores.client_groups
    sums, logs = [], []
    for v in (x, y):
        k = v > 0
        logs.append((k, np.log(np.where(k, v, 0.5)), np.log1p(-np.where(k, v, 0.5))))
        sums.append(ClassSums(k.sum(), np.log(v[k]).mean(), np.log1p(-v[k]).mean()))
    found, total = tied_mle(sums[0], sums[1], "b"), np.zeros(20)
    pairs = zip(logs, (found.client, found.impostor), (-1, 1), strict=True)
    for (k, g, h), (a, b), sign in pairs:
        psi, tri = special.psi, lambda v: special.polygamma(1, v)
        of_a, of_b, of_ab = tri(a) - tri(a + b), tri(b) - tri(a + b), -tri(a + b)
        own = (h - psi(b) + psi(a + b)) - of_ab / of_a * (g - psi(a) + psi(a + b))
        own = k * own / (k.sum() * (of_b - of_ab**2 / of_a))
        total += sign * np.bincount(who, own)
    test = fit.end_tests().at_one
    assert test.z == approx(total.sum() / math.sqrt(np.sum(total**2)), rel=1e-6)
    assert test.method == "score"


def mid_p(c, n_c, i, n_i):
    """Of all tables of these margins those less likely, and half of those as likely."""
    p = stats.hypergeom(n_c + n_i, c + i, n_c).pmf(np.arange(n_c + 1))
    alike = np.isclose(p, p[c], rtol=1e-9)
    return p[(p < p[c]) & ~alike].sum() + p[alike].sum() / 2


@pytest.mark.simulation
def test_masses_by_all_tables():
    for c, i in itertools.product(range(0, 8, 2), range(1, 12, 3)):
        for n_c, n_i in ((7, 12), (12, 12), (9, 40)):
            test = fisher_midp((c, n_c), (i, n_i))
            assert test.p_value == approx(mid_p(c, n_c, i, n_i), rel=1e-9)
            law = stats.hypergeom(n_c + n_i, c + i, n_c)
            assert stats.norm.sf(test.z) == approx(law.sf(c) + 0.5 * law.pmf(c), rel=1e-9)
    assert fisher_midp((900_000, 1_000_000), (100_000, 1_000_000)).p_value == 0.0
    large = fisher_midp((500_300, 1_000_000), (499_900, 1_000_000))
    z = 400 / math.sqrt(1e6 * 0.5)  # near the normal test of two shares of a million
    assert large.z == approx(z, rel=1e-3)


def test_point_masses_decide_an_end():
    rng = np.random.default_rng(5)
    x = np.r_[np.zeros(3), rng.beta(4, 2, 97)]
    y = np.r_[np.zeros(20), rng.beta(2, 4, 80)]
    fit = br.fit(br.Scores(x, y), boundary="inflate")
    ends, found = fit.end_tests(), fit.curve_test()
    assert ends.at_zero.p_value == approx(mid_p(3, 100, 20, 100), rel=1e-9)
    assert (ends.at_zero.side, ends.at_zero.method) == ("above", "counts")
    # The other end is that of the scores inside, whose number is the weight.
    rest = br.fit(br.Scores(x[x > 0], y[y > 0])).end_tests().at_one
    assert ends.at_one.z == approx(rest.z, rel=1e-8)
    mirrored = br.fit(br.Scores(1 - y, 1 - x), boundary="inflate").end_tests().at_one
    assert mirrored.z == approx(ends.at_zero.z, rel=1e-12)
    broken = br.Scores(x, y, client_weights=np.full(100, 0.7))
    with pytest.raises(br.InputError, match="whole numbers of copies"):
        br.fit(broken, boundary="inflate").end_tests()
    assert found.probabilities == {}
    # Mass at zero and shape at one are independent of each other.
    p = 1 - (1 - stats.norm.cdf(min(ends.at_zero.z, ends.at_one.z))) ** 2
    assert found.p_proper == approx(p, rel=1e-9)
    rng, who = np.random.default_rng(11), np.repeat(np.arange(20), 5)
    x, y = rng.beta(4, 2, 100), rng.beta(2, 4, 100)
    x[who < 2], y[who < 5] = 0.0, 0.0
    fit = br.fit(br.Scores(x, y, client_groups=who, impostor_groups=who), boundary="inflate")
    away = ((x == 0) - 0.175) / 100 - ((y == 0) - 0.175) / 100
    z = (0.25 - 0.1) / math.sqrt(np.sum(np.bincount(who, away) ** 2))
    test = fit.end_tests().at_zero
    assert test.z == approx(z, rel=1e-9)
    assert (test.method, test.z > 0) == ("score", True)


@pytest.mark.parametrize("rho", some([-0.8, 0.3, -0.95], 3))
def test_worst_cases_of_the_hypotheses(rho):
    """No curve that obeys a hypothesis rejects it more often than the p-value says."""
    law = stats.multivariate_normal(cov=[[1, rho], [rho, 1]])
    for far in (1.0, 2.6):
        above = shape_tests._p_both_above([1.0, -far], rho)
        crossing, shares, crossed = shape_tests._p_same_side([far + 0.1, -far], rho), [], []
        for d, e in itertools.product((0, 0.2, 0.5, 1, 2, 20), repeat=2):
            # P(N_1 + d <= -far or N_2 + e <= -far), and the two ways to cross.
            one, two = stats.norm.cdf([-far - d, -far - e])
            shares.append(one + two - law.cdf([-far - d, -far - e]))
            up = stats.norm.cdf(-far - e) - law.cdf([far - d, -far - e])
            crossed.append(up + (stats.norm.cdf(-far - d) - law.cdf([-far - d, far - e])))
        assert above == approx(max(shares), rel=1e-9)
        assert crossing >= max(crossed) * (1 - 1e-9)
        assert crossing <= max(crossed) * 1.001
    assert shape_tests._p_same_side([1.0, 0.2], rho) == 1.0


def on_a_grid(model, t):
    """Depth and range of FAR of each run of thresholds where FAR > TPR."""
    far, tpr = model.far(t), 1 - model.frr(t)
    below = np.r_[False, far - tpr > 1e-12, False]
    starts, stops = np.flatnonzero(~below[:-1] & below[1:]), np.flatnonzero(below[:-1] & ~below[1:])
    return [((far - tpr)[i:j].max(), far[j - 1], far[i])
        for i, j in zip(starts, stops, strict=True)]  # fmt: skip


MIXTURE = br.BetaMixture([0.5, 0.5], [br.Beta(3, 30), br.Beta(30, 3)])
MODELS = [
    (br.ScoreModel(br.Beta(4, 2), br.Beta(2, 1.4)), ["at_one"]),
    (br.ScoreModel(br.Beta(2, 4), br.Beta(4, 2)), ["everywhere"]),
    (br.ScoreModel(br.LogitNormal(0.5, 2), br.LogitNormal(0, 1)), ["at_zero"]),
    # Two peaks against one between them: below near 0, above, below near 1 is three stretches.
    (br.ScoreModel(MIXTURE, br.Beta(10, 10)), ["at_zero"]),
    (br.ScoreModel(br.Inflated(br.Beta(4, 2), 0.2), br.Inflated(br.Beta(2, 4), 0.05)), None),
]  # fmt: skip


@pytest.mark.simulation
@pytest.mark.parametrize(("model", "where"), MODELS)
def test_hooks_on_a_dense_grid(model, where):
    found, wanted = hooks_of(model, 300, 700), on_a_grid(model, np.linspace(0, 1, 100_001))
    assert len(found) == len(wanted)
    if where is not None:
        assert [hook.end for hook in found] == where
    for hook, (depth, low, high) in zip(found, wanted, strict=True):
        assert hook.depth == approx(depth, abs=1e-8)
        if not any(law.atoms.places.size for law in (model.client, model.impostor)):
            assert (hook.far_low, hook.far_high) == (approx(low, abs=2e-4), approx(high, abs=2e-4))
        share = hook.far_high - hook.far_low
        assert hook.expected_scores == approx(1000 * share, rel=1e-9)
        assert hook.seen


def test_hooks_by_hand_and_by_counts():
    # Client: mass .2 at 0, rest uniform on (0, 1); impostor: uniform. The ROC is the segment from
    # (1, 1) down to (1, .8), then straight to (0, 0): below everywhere.
    model = br.ScoreModel(br.Inflated(br.Beta(1, 1), 0.2), br.Beta(1, 1))
    (hook,) = hooks_of(model, 10, 10)
    assert (hook.end, hook.far_low, hook.far_high) == ("everywhere", 0.0, 1.0)
    assert hook.depth == approx(0.2, rel=1e-12)
    # Depth and size from the tails: TPR ~ t^a, the crossing by the coefficients.
    model = br.ScoreModel(br.Beta(1, 3.0), br.Beta(1.05, 20.0))
    (hook,) = hooks_of(model, 1000, 1000)
    assert hook.end == "at_zero"
    # Near 0 F_c = 3 t (1 + O(t)), F_i = t^1.05 / (1.05 B(1.05, 20)); they cross where
    # t^0.05 = 3.15 B(1.05, 20).
    t = (3.15 * special.beta(1.05, 20)) ** 20
    assert hook.expected_clients == approx(1000 * 3 * t, rel=1e-9, abs=0.0)
    assert 0.0 < hook.depth < 3 * t < 1e-12
    assert not hook.seen
    assert "no finding" in str(hook)


def test_hills_estimate_by_hand():
    # n = 9, k = 3: the mean of log(x_4 / x_i) over the three smallest.
    client = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97]
    impostor = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    with pytest.warns(br.SmallSampleWarning):
        fit = br.fit(br.Scores(client, impostor))
    tails = {(t.who, t.end): t for t in fit.sensitivity().tails}
    low = tails["impostor", "at_zero"]
    hill = 3 / sum(math.log(0.1 / x) for x in (0.01, 0.02, 0.05))
    assert low.hill == approx(hill, rel=1e-13)
    a = fit.impostor.params["a"]
    assert (low.scores, low.z) == (3, approx((hill - a) / (a / math.sqrt(3)), rel=1e-12))
    assert low.carried == approx(math.log(0.01) / sum(map(math.log, impostor)), rel=1e-12)
    # 16 scores, k = 4: the four smallest are two pairs of one person each.
    impostor = np.r_[0.01, 0.011, 0.03, 0.031, np.linspace(0.2, 0.9, 12)]
    people, client = np.r_[0, 0, 1, 1, np.arange(2, 14)], np.linspace(0.3, 0.97, 16)
    fit = br.fit(br.Scores(client, impostor, impostor_groups=people))
    alone, together = ({(t.who, t.end): t for t in fit.sensitivity(groups=g).tails}["impostor",
        "at_zero"] for g in (False, True))  # fmt: skip
    away = np.log(0.2 / impostor[:4])
    a = fit.impostor.params["a"]
    assert alone.z == approx((alone.hill - a) / (a / 2), rel=1e-12)
    error = a / 4 * math.sqrt(np.sum((a * away - 1).reshape(2, 2).sum(axis=1) ** 2))
    assert together.z == approx((alone.hill - a) / error, rel=1e-12)


@pytest.mark.simulation
def test_a_tail_of_another_kind_is_seen_and_rows_are_the_fits_under_these_rules():
    rng = np.random.default_rng(4)
    # A thin second tail: one score in fifty is s^5 instead.
    client = rng.beta(4, 2, 4000)
    client[::50] **= 5
    wrong = br.fit(br.Scores(client, rng.beta(2, 4, 4000))).sensitivity().tails[0]
    assert (wrong.who, wrong.end, wrong.departs) == ("client", "at_zero", True)
    assert wrong.z < -3
    # The mean of log q - log X below the quantile q, integrated by scipy.
    narrow = fit_of((60.0, 50.0), (50.0, 50.0), 1000, 6)
    for tail in narrow.sensitivity().tails:
        law = getattr(narrow, tail.who).distribution
        a, b = (law.a, law.b) if tail.end == "at_zero" else (law.b, law.a)
        q = stats.beta.ppf(tail.scores / 1000, a, b)
        mean = integrate.quad(lambda x, q=q, a=a, b=b: stats.beta.cdf(x, a, b) / x, 0, q)[0]
        # The mean over 1000 steps: log(2) / 2000 of it is missing in a pure power tail.
        assert tail.expected == approx(tail.scores / 1000 / mean, rel=1e-3)
        # So far from an end the exponent is not to be seen, and nothing departs.
        assert tail.z < -3
        assert tail.far
        assert not tail.departs
    fit = fit_of((2, 1.5), (1.2, 3), 400, 1)
    rows = {row.policy: row for row in fit.sensitivity().policies}
    assert rows["as fitted"].auc == fit.model.auc()
    other, row = br.fit(fit.scores, boundary="censor", resolution=1e-3), rows["censor 0.001"]
    assert (row.auc, row.impostor_b) == (other.model.auc(), other.impostor.params["b"])
    assert row.exponent_at_zero == other.model.ends().at_zero.exponent
    assert list(rows)[4:] == ["censor 1e-09", "censor 1e-12", "drop", "matlab"]
