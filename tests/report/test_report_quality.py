"""Intervals, verdicts, families and audits of the analysis, the report and the command line."""

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.fits.check import check_targets
from betaroc.model.samples import empirical_model
from betaroc.report import score_set
from betaroc.report.page import render_report
from helpers.pages import plain


def named(found):
    return {m.key: m for m in found}


def intervals_of(scores):
    return score_set.intervals_of(scores, br.fit(scores), empirical_model(scores), 0.95)


@pytest.mark.simulation
def test_rates_by_laws_and_on_test_have_intervals(analysis):
    test = analysis.tests[0].scores
    for met in analysis.points:
        far, frr = met.observed_intervals[0]
        for m, wrong in (
            (far, test.impostor > met.expected.threshold),
            (frr, test.client <= met.expected.threshold),
        ):
            own = stats.binomtest(int(wrong.sum()), wrong.size).proportion_ci(method="exact")
            assert (m.low, m.high) == pytest.approx((own.low, own.high), abs=1e-9)
        assert (met.chosen_by == "model") == (len(met.expected_intervals) == 2)
    # The law's FAR at the threshold of its own FAR of 1 %: far of `interval` there.
    met = next(p for p in analysis.points if p.key == "far=0.01" and p.chosen_by == "model")
    own = analysis.dev.fit.interval("far", threshold=met.expected.threshold)
    assert met.expected_intervals[0].low == pytest.approx(own.low, rel=1e-6)
    assert met.expected_intervals[0].high == pytest.approx(own.high, rel=1e-6)


@pytest.mark.simulation
def test_what_has_no_interval_says_why():
    rng = np.random.default_rng(6)
    separated = br.Scores(0.7 + 0.2 * rng.random(20), 0.1 + 0.2 * rng.random(20))
    scores = named(intervals_of(separated).scores)
    for name in ("auc", "eer"):
        own = br.interval(separated, name)
        assert (scores[name].low, scores[name].high) == (own.low, own.high)
    halves = br.Scores(rng.beta(4, 2, 20), rng.beta(2, 4, 20), client_weights=np.full(20, 0.5))
    found = intervals_of(halves)
    assert "weights must be whole numbers" in named(found.scores)["eer"].why
    assert named(found.scores)["auc"].why == ""
    point = br.Scores([0.0] * 5 + [0.5, 0.6, 0.7] * 4, [0.1, 0.2, 0.3] * 4)
    with pytest.warns(br.BoundaryWarning):
        found = intervals_of(point)
    assert "point mass" in named(found.model)["exponent-at-zero"].why


@pytest.mark.simulation
def test_quality_is_that_of_the_library(analysis):
    for part in analysis.parts:
        assert part.quality.check == br.check_fit(part.fit, replicates=199, rng=0)
        assert part.quality.audit == part.fit.sensitivity()
    dev, test = (part.quality for part in analysis.parts)
    assert dev.families == br.compare_families(analysis.dev.scores)
    assert dev.recommended == dev.families.recommended[0] in ("beta-mixture", "logit-sinh-arcsinh")
    # None is chosen on a test set.
    assert (test.families, test.recommended) == (None, "")


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.simulation
def test_fits_that_cannot_be_checked_say_so():
    scores = br.Scores([0.0, 0.4, 0.6, 0.7, 0.9] * 3, [0.1, 0.2, 0.3, 0.35, 1.0] * 3)
    fit = br.fit(scores, boundary="censor", resolution=0.01)
    found = score_set.quality_of(scores, fit, 0.95, 0)
    assert found.check is None
    model = empirical_model(scores)
    part = score_set.ScoreSet("dev", "x", scores, fit, model, None, quality=found)
    one, rates = part.statuses
    assert one.verdict == "not checked"
    assert "the scores themselves for a check" in one.words
    # 15 scores a class: two rates with 5 of them or more expected.
    assert rates.verdict in {"cannot tell", "poor"}
    assert found.targets == check_targets(fit)


@pytest.mark.simulation
def test_no_status_is_green_beside_a_rate_that_is_poor(few, panel_alone):
    """Impostors of which one in a hundred is as a client."""
    rng = np.random.default_rng(8)
    x = np.where(rng.random(5000) < 0.01, rng.beta(6, 3, 5000), rng.beta(2, 8, 5000))
    analysis = br.analyze(br.Scores(rng.beta(6, 3, 3000), x), family="beta")
    check = analysis.dev.quality.check
    assert check.verdict == "good"  # the curve, within its tolerance
    roc, rates = analysis.dev.statuses
    assert (roc.verdict, rates.verdict) == ("good as a curve only", "poor")
    worst = next(t for t in check.targets if t.target == 0.001 and t.rate == "far")
    said = f"poor at FAR 0.1 %: 5 expected, {worst.observed:g} counted"
    assert said in rates.words
    page = render_report(analysis).replace("\u00a0", " ")
    assert said in plain(page[: page.index("ROC and DET")])
