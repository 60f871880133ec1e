"""What a report says of a curve and of a test set, and how sure it has to be."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import betabinom, binom, multivariate_normal, norm

import betaroc as br
from betaroc.core.vocabulary import DEFAULT
from betaroc.fits import curve_words
from betaroc.inference.scores_beyond import count_p_value, counted_rates_of, estimated_rates
from betaroc.model.samples import empirical_model
from betaroc.rendering.numbers import percent
from betaroc.report import score_set
from betaroc.report.sections import points_grids

plain = DEFAULT.fill

HOOK = (0.47, 0.36), (0.77, 1.91)  # Omar and Ivrissimtzis' pair, below the diagonal near 0


def drawn(laws, n, rng):
    return br.Scores(*(np.clip(rng.beta(*law, n), 5e-324, 1.0 - 2.0**-53) for law in laws))


def sure_of(fit, level=0.95):
    return curve_words.curve_tests(fit, level)


def whole(tests):
    return plain("".join(curve_words.whole_curve(tests)))


@pytest.mark.simulation
def test_below_the_level_nothing_is_stated():
    """The same set at a level that its probability reaches, and at one that it does not."""
    fit = br.fit(drawn(HOOK, 30, np.random.default_rng(5)))
    shares = fit.curve_test().probabilities
    assert 0.8 < shares["hook-at-zero"] < 0.95
    stated = whole(sure_of(fit, 0.8))
    assert stated.startswith("the ROC lies below the diagonal at the low thresholds, worse than")
    assert f"(probability {shares['hook-at-zero']:.3f})" in stated
    assert whole(sure_of(fit)).startswith(
        "cannot tell at 95 % confidence whether the ROC lies above the diagonal everywhere:"
        f" probability {shares['hook-at-zero']:.3f} that it lies below the diagonal at the low"
    )
    side = plain(curve_words.end_words(sure_of(fit), "at_zero"))
    assert f"(p = {fit.end_tests().at_zero.p_value:.2g}, by likelihood): about " in side
    shape = plain(curve_words.category_words(sure_of(fit))[1])
    assert shape.startswith("impostor: cannot tell at 95 % confidence (probability ")


def test_how_many_scores_would_tell_is_a_scaling_of_the_deviate():
    """z = 1 of one sign: ((1.645 + 0.842) / 1)^2 = 6.18 times as many, two-sided 7.85."""
    rng = np.random.default_rng(1)
    both = rng.normal(1, 1, 30), rng.normal(0, 1, 50)
    sure = sure_of(br.fit(br.Scores(*both), "normal"))
    times = (norm.ppf(0.95) + norm.ppf(0.8)) ** 2
    assert (f"{30 * times:.2g}", f"{50 * times:.2g}") == ("1.9e+02", "3.1e+02")
    words = "about 190 clients and 310 impostors would tell in 8 of 10 cases"
    assert plain(sure.wanted(1.0)) == words
    assert sure.wanted(0.05) == "more than 1000 times as many scores would be needed"
    shares = {"U": 0.6, "J": 0.3, "reverse-J": 0.08, "bell": 0.02}
    # a > 1 has probability .32, b > 1 .10: the first is the less certain.
    rising = ({"J", "bell"}, {"reverse-J", "bell"})
    assert curve_words.least_sign(shares, rising) == pytest.approx(-norm.ppf(0.32))


def test_where_scores_are_by_integration():
    """Two normal laws: signs of d - u s and d + u s, their density integrated numerically."""
    rng = np.random.default_rng(3)
    fit = br.fit(br.Scores(rng.normal(1.5, 1.5, 40), rng.normal(0.0, 1.0, 60)), "normal")
    reach = norm.isf(1.0 / 60.0)
    (mc, sc), (mi, si) = fit.client.values, fit.impostor.values
    vc, vi = fit.client.cov, fit.impostor.cov
    rows = np.array([[1.0, -reach], [1.0, reach]])
    mean, cov = rows @ [mc - mi, sc - si], rows @ (vc + vi) @ rows.T
    seen = fit.curve_test().where_seen
    for name, signs in (("proper", (1, 1)), ("hook-at-zero", (-1, 1)), ("below", (-1, -1))):
        turn = -np.diag(np.array(signs, dtype=float))
        wanted = multivariate_normal(turn @ mean, turn @ cov @ turn).cdf([0.0, 0.0])
        assert seen[name] == pytest.approx(wanted, abs=2e-5)  # of scipy's integration
    assert math.fsum(seen.values()) == pytest.approx(1.0, abs=1e-12)
    assert br.fit(drawn(HOOK, 30, rng)).curve_test().where_seen == {}


def test_the_p_value_of_a_count():
    """Against scipy: a rate without error is binomial, a rate counted on dev beta-binomial."""
    still = estimated_rates(0.1, 0.1, 0.1, 0.95)
    for k in (0, 10, 21):
        exact = 2.0 * min(binom.cdf(k, 100, 0.1), binom.sf(k - 1, 100, 0.1))
        assert count_p_value(k, 100, still) == pytest.approx(min(exact, 1.0), rel=1e-10)
    counted = counted_rates_of(12.0, 150.0)
    for k in (0, 9, 30):
        law = betabinom(100, 12.5, 138.5)
        exact = 2.0 * min(law.cdf(k), law.sf(k - 1))
        assert count_p_value(k, 100, counted) == pytest.approx(min(exact, 1.0), rel=1e-6)


def analysed(dev, test, family="beta"):
    fit = br.fit(dev, family)
    first = score_set.ScoreSet("dev", "dev", dev, fit, empirical_model(dev, "dev"), None)
    other = score_set.ScoreSet("test", "test", test, None, empirical_model(test, "test"), None)
    return first, other, score_set.observed_points(first, (other,), 0.95)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
@pytest.mark.parametrize("family", ["beta", "empirical"])
def test_a_contradicting_test_set_comes_first(family):
    rng = np.random.default_rng(7)
    dev, test = drawn(((4, 2), (2, 4)), 300, rng), drawn(((4, 2), (3, 3)), 300, rng)
    first, other, points = analysed(dev, test, family)
    found = score_set.contradictions(first, (other,), points, 0.95)
    assert [one.p_value for one in found] == sorted(one.p_value for one in found)
    assert {one.rate for one in found} == {"far"}
    worst = found[0]
    assert worst.looks == (16 if family == "beta" else 8)
    assert worst.p_value <= 0.05 / worst.looks
    assert worst.observed == np.mean(test.impostor > worst.threshold)
    (line,) = map(plain, score_set.contradiction_words(found, {"test": "test"}, 0.95))
    assert line.startswith(f"test contradicts dev: at dev's threshold {worst.threshold:.4g} (")
    assert (" expected by its fit, " if family == "beta" else " expected, ") in line
    assert f"(p = {worst.p_value:.2g}; {len(found)} such rates on test" in line


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_a_fit_that_dev_contradicts_too_is_not_dev():
    """Both sets of one law that is no beta: what test observes was counted on dev already."""
    rng = np.random.default_rng(3)

    def two_bumps():
        impostor = np.where(rng.random(3000) < 0.3, rng.beta(30, 20, 3000), rng.beta(2, 20, 3000))
        return br.Scores(rng.beta(40, 10, 1000), impostor)

    first, other, points = analysed(two_bumps(), two_bumps())
    found = score_set.contradictions(first, (other,), points, 0.95)
    assert found
    assert all(one.of_fit for one in found)
    (line,) = map(plain, score_set.contradiction_words(found, {"test": "test"}, 0.95))
    assert line.startswith("test contradicts the fit, not dev: at dev's threshold ")
    counted = np.mean(first.scores.impostor > found[0].threshold)
    assert f" observed, {percent(counted)} counted on dev (p = " in line


@pytest.mark.simulation
def test_groups_weigh_as_many_trials_as_they_are_worth():
    """Every trial of test 20 times over: with groups as weak as once, without as 20 sets."""
    rng = np.random.default_rng(8)
    dev, once = drawn(((4, 2), (2, 4)), 300, rng), drawn(((4, 2), (2.3, 4)), 60, rng)
    who = np.repeat(np.arange(60), 20)
    client, impostor = np.repeat(once.client, 20), np.repeat(once.impostor, 20)
    plain = br.Scores(client, impostor)
    grouped = br.Scores(client, impostor, client_groups=who, impostor_groups=who + 60)
    found = []
    for test in (once, plain, grouped):
        first, other, points = analysed(dev, test)
        found.append(score_set.contradictions(first, (other,), points, 0.95))
        worth = score_set._size(other, "far", points[0].expected.thresholds, 0.95)
        # Variances have the divisors 59 and 1199, intervals Student's t with as many degrees.
        few = (stats.t(1199).ppf(0.975) / stats.t(59).ppf(0.975)) ** 2
        wanted = float(test.n_impostor) if test is not grouped else 1200 * 59 / 1199 * few
        assert worth == pytest.approx(wanted, rel=1e-3)
    assert (found[0], found[2]) == ([], [])
    assert found[1] != []


def test_a_count_of_none_says_which_rate_it_leaves_open():
    """Of 400 impostors none above the threshold: FAR is at most 1 - .05**(1/400) at 95 %."""
    scores = br.Scores(np.linspace(0.3, 0.9, 300), np.linspace(0.1, 0.7, 400))
    dev = score_set.ScoreSet("dev", "dev", scores, None, empirical_model(scores, "dev"), None)
    (grid,) = points_grids(score_set.observed_points(dev, (), 0.95), [(dev, "dev")], 0.95)
    notes = {getattr(cell, "note", "") for row in grid.rows for cell in getattr(row, "cells", ())}
    assert notes == {"", f"none of 400: up to {percent(1.0 - 0.05 ** (1 / 400))}"}


def test_an_interval_beyond_all_groups_says_so():
    rng = np.random.default_rng(1)
    person, of, of_impostor = rng.normal(0, 1, 40), *rng.integers(0, 40, (2, 600))
    groups = {"client_groups": of, "impostor_groups": of_impostor}
    scores = br.Scores(2 + person[of] + rng.normal(0, 0.7, 600), person[of_impostor] - 1, **groups)
    with pytest.warns(br.ExtrapolationWarning, match="so no group speaks for the number"):
        br.interval(scores, "tpr", far=0.01)
