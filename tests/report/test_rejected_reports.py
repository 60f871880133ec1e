"""Reports of sets with trials without a score: rates of trials and of comparisons made."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.report.analysis import Judge, fitted_set
from betaroc.report.page import render_report

RNG = np.random.default_rng(12)
SIDES = [(RNG.beta(6, 2, n), RNG.beta(2, 5, m)) for n, m in ((200, 240), (150, 160))]
ABSENT = ((10, 12), (6, 0))


@pytest.fixture(scope="module")
def analysis() -> br.Analysis:
    dev, test = (
        br.Scores(*side, n_client_rejected=a, n_impostor_rejected=b)
        for side, (a, b) in zip(SIDES, ABSENT, strict=True)
    )
    with pytest.warns(br.errors.BetarocWarning, match=r"no threshold has FRR 1 %: 10 clients"):
        return br.analyze(dev, test, family="beta")


@pytest.mark.simulation
def test_both_kinds_of_rates_stand_beside_each_other(analysis: br.Analysis) -> None:
    """Counted by hand at each threshold; those of comparisons have an interval of their own."""
    points = analysis.to_dict()["operating_points"]
    assert {p["criterion"] for p in points} == {
        "eer", "min-hter", "min-weighted-error=0.9", "min-weighted-error=0.1", "far=0.01",
        "far=0.001", "max-f1",
    }  # fmt: skip
    for point in points:
        for role, (client, impostor), absent in zip(("dev", "test"), SIDES, ABSENT, strict=True):
            own, t = point["observed"][role], point["threshold"]
            accepted, missed = int(np.sum(impostor > t)), int(np.sum(client <= t))
            assert own["far"] == pytest.approx(accepted / (impostor.size + absent[1]), rel=1e-12)
            assert own["fmr"] == pytest.approx(accepted / impostor.size, rel=1e-12)
            frr = (missed + absent[0]) / (client.size + absent[0])
            assert own["frr"] == pytest.approx(frr, rel=1e-12)
            assert own["fnmr"] == pytest.approx(missed / client.size, rel=1e-12, abs=1e-15)
        found = point["intervals"]["test"]["fnmr"]
        exact = stats.binomtest(missed, 150).proportion_ci(0.95, "exact")
        assert (found["low"], found["high"]) == pytest.approx((exact.low, exact.high), rel=1e-9)
        table = analysis.to_frame()
        line = table[(table["set"] == "test") & (table["criterion"] == point["criterion"])]
        kept = line[line["chosen_by"] == point["chosen_by"]][["far", "frr", "fmr", "fnmr"]]
        assert kept.values.tolist() == [[own[key] for key in kept.columns]]
        if point["chosen_by"] == "model":
            expected = point["expected"]
            client, impostor = (
                stats.beta(law.params["a"], law.params["b"])
                for law in (analysis.dev.fit.client, analysis.dev.fit.impostor)  # type: ignore[union-attr]
            )
            assert expected["fmr"] == pytest.approx(impostor.sf(t), rel=1e-9)
            assert expected["fnmr"] == pytest.approx(client.cdf(t), rel=1e-9)
            low, high = (point["intervals"]["expected"]["fmr"][end] for end in ("low", "high"))
            assert low < expected["fmr"] < high


@pytest.mark.simulation
def test_checks_are_those_of_the_scores_alone(analysis: br.Analysis) -> None:
    """The simulated tests, the distances, the audit and the ends; verdicts as of these scores."""
    alone = br.analyze(br.Scores(*SIDES[0]), family="beta").to_dict()["dev"]
    own = analysis.to_dict()["dev"]
    for key in ("ks", "information", "roc_distance", "tolerance", "replicates", "verdict"):
        assert own["quality"]["check"][key] == alone["quality"]["check"][key]
    assert own["distances"] == alone["distances"]
    assert own["quality"]["families"]["rows"] == alone["quality"]["families"]["rows"]
    assert own["confidence"] == alone["confidence"]
    assert (own["n_client_rejected"], own["n_impostor_rejected"]) == ABSENT[0]
    assert own["empirical"]["auc"] < alone["empirical"]["auc"]


@pytest.mark.simulation
def test_the_page_says_what_is_of_which_trials(analysis: br.Analysis) -> None:
    page = re.sub(r"\s+", " ", render_report(analysis))
    for words in (
        "10 client and 12 impostor trials without a score count as rejected",
        "<td>200 and 10 without</td>", "462 rows",
        "Checks, tails and families are of the trials that have a score; rates asked are of all",
        "Ends and shape are those of the curve of the trials that have a score",
        "dev, FMR and FNMR against the threshold",
    ):  # fmt: skip
        assert words in page, words
    assert "with point masses" not in page
    text = analysis.summary()
    head = re.search(r"threshold of +threshold +(FAR.+)", text)
    assert head is not None
    assert head[1].split()[:4] == ["FAR", "FRR", "FMR", "FNMR"]
    assert "Checks, tails and families are of the trials that have a score" in text
    assert br.from_json(analysis.to_json()) == analysis


@pytest.mark.simulation
def test_a_large_share_is_no_misfit() -> None:
    """Half of the clients have no score: the fit of the others is as good as it was."""
    absent = br.Scores(*SIDES[0], n_client_rejected=200)
    options = dict.fromkeys(("boundary", "resolution", "tails", "tail_sizes", "bounds"))
    judge = Judge(0.95, 0, checks=False)
    found, alone = (
        fitted_set("dev", s, {"family": "beta", **options}, judge)
        for s in (absent, br.Scores(*SIDES[0]))
    )
    assert br.MisfitWarning not in {notice.category for notice in found.fit.notices}
    assert found.distances == alone.distances
