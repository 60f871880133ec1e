"""Reports of sets with trials without a score: rates of trials and of comparisons made."""

import re

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.report.page import render_report

RNG = np.random.default_rng(12)
SIDES = [(RNG.beta(6, 2, n), RNG.beta(2, 5, m)) for n, m in ((200, 240), (150, 160))]
ABSENT = ((10, 12), (6, 0))


pytestmark = [pytest.mark.simulation, pytest.mark.usefixtures("few")]


@pytest.fixture(scope="module")
def analysis():
    dev, test = (
        br.Scores(*side, n_client_rejected=a, n_impostor_rejected=b)
        for side, (a, b) in zip(SIDES, ABSENT, strict=True)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("betaroc.report.score_set.CHECK_REPLICATES", 19)
        with pytest.warns(br.errors.BetarocWarning, match=r"no threshold has FRR 1 %: 10 clients"):
            return br.analyze(dev, test, family="beta")


def test_both_kinds_of_rates_stand_beside_each_other(analysis):
    """Counted by hand at each threshold; those of comparisons have an interval of their own."""
    assert len({met.key for met in analysis.points}) == 7
    table = analysis.to_frame().set_index(["criterion", "chosen_by", "set", "of"]).sort_index()
    for met in analysis.points:
        t = met.expected.threshold
        for role, (client, impostor), absent in zip(("dev", "test"), SIDES, ABSENT, strict=True):
            row = table.loc[(met.key, met.chosen_by, role, "observed")]
            accepted, missed = int(np.sum(impostor > t)), int(np.sum(client <= t))
            far = accepted / (impostor.size + absent[1])
            frr = (missed + absent[0]) / (client.size + absent[0])
            counted = [far, frr, accepted / impostor.size, missed / client.size]
            found = row[["far", "frr", "fmr", "fnmr"]].tolist()
            assert found == pytest.approx(counted, rel=1e-12, abs=1e-15)
        (found,) = (m for m in met.observed_intervals[0] if m.key == "fnmr")
        exact = stats.binomtest(missed, 150).proportion_ci(0.95, "exact")
        assert (found.low, found.high) == pytest.approx((exact.low, exact.high), rel=1e-9)
        if met.chosen_by == "model":
            expected = table.loc[(met.key, "model", "dev", "expected")]
            client, impostor = (
                stats.beta(law.params["a"], law.params["b"])
                for law in (analysis.dev.fit.client, analysis.dev.fit.impostor)
            )
            assert expected["fmr"] == pytest.approx(impostor.sf(t), rel=1e-9)
            assert expected["fnmr"] == pytest.approx(client.cdf(t), rel=1e-9)
            (m,) = (m for m in met.expected_intervals if m.key == "fmr")
            assert m.low < expected["fmr"] < m.high


@pytest.mark.nightly
def test_checks_are_those_of_the_scores_alone_and_the_page_says_of_which_trials(analysis):
    """The simulated tests, the distances, the audit and the ends; verdicts as of these scores."""
    alone, own = br.analyze(br.Scores(*SIDES[0]), family="beta").dev, analysis.dev
    for key in ("ks", "information", "roc_distance", "tolerance", "replicates", "verdict"):
        assert getattr(own.quality.check, key) == getattr(alone.quality.check, key)
    assert own.distances == alone.distances
    assert own.quality.families.rows == alone.quality.families.rows
    assert own.curve_tests.ends == alone.curve_tests.ends
    assert own.curve_tests.curve == alone.curve_tests.curve
    assert own.empirical.auc() < alone.empirical.auc()
    page = re.sub(r"\s+", " ", render_report(analysis))
    for words in (
        "10 client and 12 impostor trials without a score count as rejected", "462 rows",
        "<td>200 and 10 without</td>", "dev, FMR and FNMR against the threshold",
    ):  # fmt: skip
        assert words in page, words
    assert br.from_json(analysis.to_json()) == analysis


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_the_numbers_are_of_the_best_pair_and_beta_has_its_section(panel_alone):
    """Impostors of two kinds, clients of one."""
    rng = np.random.default_rng(1)
    hard = rng.random(250) < 0.3
    impostor = np.where(hard, rng.beta(12, 6, 250), rng.beta(2, 12, 250))
    dev = br.Scores(rng.beta(6, 3, 250), impostor)
    found = br.analyze(dev)
    best = br.fit(dev, "best")
    assert found.dev.fit == best
    assert (found.family, found.reason) == (best.family, best.reason)
    beta = found.beta
    assert beta.fit == br.fit(dev, "beta")
    assert (beta.same, beta.suffices) == (False, "no")
    z = next(r for r in found.dev.quality.families.of("impostor") if r.family == "beta").held_out_z
    assert f"for impostors beta-mixture is better by {-z:.2g} standard errors" in beta.reason
    text = found.summary()
    section = text[text.index("One beta distribution per class\n") :].split("\n\n")[0]
    assert "One beta distribution per class does not suffice: " in section
    assert f"{beta.fit.impostor.params['a']:.6g}" in section


def test_where_the_best_pair_is_beta_the_section_says_so(panel_alone):
    rng = np.random.default_rng(2)
    made = br.analyze(br.Scores(rng.beta(6, 2, 200), rng.beta(2, 6, 200)))
    assert made.family == "beta"
    assert (made.beta.same, made.beta.suffices) == (True, "yes")
    assert made.beta.fit == made.dev.fit
    assert "The numbers above are of this pair." in made.summary()
    real = br.analyze(br.Scores(rng.normal(1, 1, 30), rng.normal(-1, 1, 30)))
    assert real.beta is None


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_a_few_scores_have_an_analysis(panel_alone):
    made = br.analyze(br.Scores([0.6, 0.7], [0.2, 0.3]))
    assert made.family == "beta"
    assert "families were not compared" in made.reason
    assert made.beta.suffices == "cannot tell"
    assert made.summary()
    render_report(made)
