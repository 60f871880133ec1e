"""What counts say of a fitted side of the diagonal: by hand and by simulation."""

import math

import numpy as np
import pytest
from scipy.stats import beta, hypergeom

import betaroc as br
from betaroc.fits.shape_tests import counts_at_end
from helpers.sets import summary_of

pytestmark = pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")


def two_kinds(rng):
    """Impostors of two kinds: one normal distribution of both reaches far above all of them."""
    client, near = rng.normal(2, 0.5, 300), rng.random(1000) < 0.5
    return br.Scores(client, np.where(near, rng.normal(0.3, 0.4, 1000), rng.normal(-2, 1.5, 1000)))


def two_betas(rng):
    client, near = rng.beta(20, 8, 300), rng.random(1000) < 0.3
    return br.Scores(client, np.where(near, rng.beta(5, 5, 1000), rng.beta(1, 12, 1000)))


@pytest.fixture(scope="module")
def contradicted():
    """A set of which every class passes the check, and the counts exclude the fitted hook."""
    sets = (two_kinds(np.random.default_rng(seed)) for seed in range(50))
    return next(scores for scores in sets
        if br.fit(scores, "normal").end_tests().at_one.side == "contradicted")  # fmt: skip


def test_what_contradicts_a_hook_is_counted(contradicted):
    fit = br.fit(contradicted, "normal")
    assert fit.model.ends().at_one.side == "below"
    test = fit.end_tests().at_one
    assert math.isnan(test.p_value)
    found = []
    for k in (5, 20, 100):  # by hand: both classes at the k-th largest impostor and beyond
        clients = int(np.sum(contradicted.client >= np.sort(contradicted.impostor)[-k]))
        found.append((hypergeom.sf(clients - 1, 1300, clients + k, 300), k, clients))
    reach = 1000 * fit.model.diagonal_crossings().far[-1]
    _, k, clients = min(one for one in found if one[1] <= reach)
    low = beta.ppf(0.025, clients, 301 - clients)
    high, percent = beta.ppf(0.975, clients + 1, 300 - clients), "{:.3g}".format
    assert test.note == (
        f"contradicted by the scores: TPR {percent(100 * clients / 300)} % ({percent(100 * low)} to"
        f" {percent(100 * high)} %) counted at FAR {percent(100 * k / 1000)} %")  # fmt: skip


def test_what_is_contradicted_or_not_described_has_no_probabilities_and_no_side():
    # Nearly one spread, but clients of heavy and impostors of no tails: p = 0.16 at the end.
    rng = np.random.default_rng(6)
    fit = br.fit(br.Scores(rng.laplace(0.1, 0.7, 300), rng.uniform(-1.75, 1.75, 300)), "normal")
    test, curve = fit.end_tests().at_one, fit.curve_test()
    assert (test.side, test.p_value > 0.05) == ("cannot tell", True)
    assert curve.hooks[-1].contradicted
    assert (curve.finding, curve.probabilities) == (f"at the high end {curve.hooks[-1].counts}", {})
    assert math.isnan(curve.p_proper)
    # Both classes Cauchy: spreads of two normal distributions differ by one score, p = 7e-144.
    rng = np.random.default_rng(5)
    fit = br.fit(br.Scores(rng.standard_cauchy(60), rng.standard_cauchy(60)), "normal")
    assert any(notice.category is br.errors.MisfitWarning for notice in fit.notices)
    for test in fit.end_tests():
        assert (test.side, math.isnan(test.p_value)) == ("cannot tell", True)
        assert "the family does not describe these clients" in test.note
    assert "the family does not describe these clients" in fit.curve_test().finding


def test_what_few_scores_show_is_said_beside_the_p_value():
    # Of 1000 N(0, 1.3) one or two lie past the crossing with N(1.2, .9) at 3.9, 3 sigma.
    rng = np.random.default_rng(5)
    scores = br.Scores(rng.normal(1.2, 0.9, 300), rng.normal(0, 1.3, 1000))
    fit = br.fit(scores, "normal")
    (hook,) = fit.curve_test().hooks
    assert 1.0 < hook.expected_impostors < 5.0
    words = f"the counts cannot tell: {hook.expected_impostors:.2g} scores expected"
    test = fit.end_tests().at_one
    assert test.side == "below"
    assert words in test.note
    assert words in fit.curve_test().finding


@pytest.mark.simulation
def test_a_weight_counts_as_copies_and_bins_as_scores(contradicted):
    def counts(weight):
        scores = br.Scores(contradicted.client, contradicted.impostor,
            client_weights=np.full(300, weight), impostor_weights=np.full(1000, weight),
        )  # fmt: skip
        return counts_at_end(br.fit(scores, "normal"), "at_one", "below")

    copies = br.Scores(*(np.repeat(x, 3) for x in (contradicted.client, contradicted.impostor)))
    assert counts(3.0) == counts_at_end(br.fit(copies, "normal"), "at_one", "below")
    assert counts(3.0).startswith("contradicted")
    assert counts(1e9).startswith("contradicted")
    assert br.fit(summary_of(contradicted), "normal").end_tests().at_one.side == "contradicted"


@pytest.mark.simulation
@pytest.mark.parametrize(("family", "draw"), [("normal", two_kinds), ("beta", two_betas)])
def test_a_false_hook_is_never_stated_alone(family, draw):
    for k in range(20):
        test = br.fit(draw(np.random.default_rng(k)), family).end_tests().at_one
        cannot_tell = test.side == "cannot tell" or "the counts cannot tell" in test.note
        assert cannot_tell or test.side == "contradicted"
