"""Summaries where scores are taken: fits from sums, curves and reports from counts in bins."""

import gzip

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import betaroc as br
from betaroc.model.samples import empirical_model
from betaroc.report.analysis import fit_document
from helpers.commands import said

approx = pytest.approx
quiet = pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
wide_bins = pytest.mark.filterwarnings("ignore:bins are wide")


def summary_of(client, impostor, **options):
    label = [1] * len(client) + [0] * len(impostor)
    frame = pd.DataFrame({"score": np.concatenate([client, impostor]), "label": label})
    return br.summarize(frame, **options)


def both(n=400, m=900, *, ends=False):
    rng = np.random.default_rng(1)
    client, impostor = rng.beta(3.0, 1.5, n), rng.beta(0.6, 2.5, m)
    if ends:
        client[:5], impostor[:9] = 1.0, 0.0
    return br.Scores(client, impostor), summary_of(client, impostor)


@quiet
@pytest.mark.parametrize("family", ["beta", "normal", "logit-normal", "proper-beta", "dual-beta"])
@pytest.mark.parametrize("boundary", ["inflate", "drop"])
def test_a_fit_of_sums_is_that_of_the_scores(family, boundary):
    # The sums are sufficient: the likelihood knows the scores by them alone.
    boundary = None if family == "normal" else boundary
    scores, summary = both(ends=True)
    rows, sums = (br.fit(s, family, boundary=boundary) for s in (scores, summary))
    assert sums.scores is summary
    for first, second in ((rows.client, sums.client), (rows.impostor, sums.impostor)):
        assert (second.names, second.values) == (first.names, approx(first.values, rel=1e-11))
        assert second.cov == approx(first.cov, rel=1e-10, abs=1e-18)
        for name in ("n", "total_weight", "boundary"):
            assert getattr(second, name) == getattr(first, name)
        assert second.log_likelihood == approx(first.log_likelihood, rel=1e-11)
    assert (sums.tied, sums.model.prior) == (rows.tied, rows.model.prior)


@quiet
def test_a_concentrated_class_loses_digits_as_stated_and_a_summary_warns():
    rng = np.random.default_rng(2)
    for concentration in (1e2, 3e5):
        client, impostor = (rng.beta(a * concentration, (1 - a) * concentration, 500)
            for a in (0.7, 0.4))  # fmt: skip
        rows, sums = br.fit(br.Scores(client, impostor)), br.fit(summary_of(client, impostor))
        assert sums.client.values == approx(rows.client.values, rel=1e-14 * concentration)
    client = np.concatenate([rng.beta(1.4e4, 0.6e4, 400), np.ones(30), np.zeros(10)])
    impostor = np.concatenate([rng.beta(0.8e4, 1.2e4, 400), np.zeros(20)])
    for boundary in ("inflate", "drop"):
        sources = br.Scores(client, impostor), summary_of(client, impostor)
        rows, sums = (br.fit(source, "beta", boundary=boundary) for source in sources)
        assert sums.client.values == approx(rows.client.values, rel=1e-8)
        assert sums.impostor.values == approx(rows.impostor.values, rel=1e-8)
    scores, _ = both()
    with pytest.warns(br.BoundaryWarning, match="of 400 scores 5 exactly 1.0; fitted"):
        br.fit(both(ends=True)[1])
    with pytest.warns(br.InfluenceWarning, match="1e-200 alone moves a"):
        br.fit(summary_of([1e-200, *np.random.default_rng(4).beta(4, 2, 30)], scores.impostor))


@pytest.mark.simulation
def test_what_comes_from_a_fit_and_an_analysis_comes_from_those_of_a_summary():
    # Parameters agree to 1e-11 and covariances to 1e-10 (above). What is smooth in them agrees to
    # a few times that; a z of up to 10, and the p-value of z, d log p = -z dz, 100 times.
    rows, sums = map(br.fit, both())
    assert abs(rows.end_tests().at_one.z) < 10.0
    for number, rel in (
        (lambda f: f.interval("auc", method="family").low, 1e-9),
        (lambda f: f.conf_int()["client"]["a"].high, 1e-9),
        (lambda f: f.end_tests().at_one.p_value, 1e-8),
    ):
        assert number(sums) == approx(number(rows), rel=rel)
    assert str(sums.summary()) == str(rows.summary())
    again = br.fit(sums.scores + sums.scores)  # every score twice: half the covariance
    assert again.client.values == approx(sums.client.values, rel=1e-11)
    assert again.client.cov == approx(0.5 * sums.client.cov, rel=1e-10)
    first, second = (fit_document(br.analyze(source).dev, "") for source in both(150, 250))
    assert second["summary"]["bins"] == 65_536
    assert [first[n] for n in ("n_client", "n_impostor")] == [150, 250]
    # The sums are sufficient, so the fits differ by rounding.
    assert second["auc"] == approx(first["auc"], rel=1e-11)
    # Rates are exact at the borders of bins and monotone in between.
    error = second["summary"]["error"]
    assert second["empirical"]["auc"] == approx(first["empirical"]["auc"], abs=error["auc"])
    off = max(error["far"], error["frr"]) + 1e-9
    assert second["empirical"]["eer"] == approx(first["empirical"]["eer"], abs=off)
    for key in ("client", "impostor", "roc"):
        assert second["distances"][key] == approx(first["distances"][key], abs=off)


@wide_bins
def test_best_of_a_summary_is_auto_and_says_why():
    scores, summary = both()
    fit = br.fit(summary, "best")
    assert (fit.family, fit) == ("beta", br.fit(summary))
    assert fit.reason.endswith(
        "families were not compared: a summary keeps no single score, which a comparison needs"
    )
    binned = br.fit(summary, "empirical").model
    assert binned == empirical_model(summary)
    area = br.fit(scores, "empirical").model.auc()
    assert abs(binned.auc() - area) <= summary.auc_error < 1e-4
    for bins in (8, 64):
        coarse = summary_of(scores.client, scores.impostor, bins=bins)
        assert abs(empirical_model(coarse).auc() - area) <= coarse.auc_error + 1e-15
    # Exact 0 and 1 stay apart from their bins.
    client, impostor = [1.0, 1.0, 1.0, 1 - 2**-53, 0.5, 0.0], [0.0, 0.0, 5e-324, 1e-9, 0.25, 1.0]
    model = empirical_model(summary_of(client, impostor, bins=8))
    for theta in (0.0, 1 - 2**-53):
        assert model.client.cdf(theta) == np.mean(np.array(client) <= theta)
        assert model.impostor.cdf(theta) == np.mean(np.array(impostor) <= theta)


LOGITS = np.array([5.0, 5.0 + 1e-7, 5.0 - 1e-7])
NARROW = 0.7 + 1e-5 * np.random.default_rng(2).normal(size=300)
LOW = [0.1, 0.3]


@wide_bins
@pytest.mark.parametrize(("client", "options", "error", "words"), [
    (NARROW, {}, br.InputError, r"client: the 300 scores.*too concentrated"),
    (expit(LOGITS), {"family": "logit-normal"}, br.InputError, "concentrated for the sums"),
    ([0.2, 0.5, 1.25, 2.0], {"family": "beta"},
        br.InputError, r"client must lie in \[0, 1\].* got 2 of 4 outside"),
    ([0.2, 0.5, 1.0], {"boundary": "error"},
        br.InputError, 'boundary="error"; got 0 scores of exactly 0 and 1'),
    ([0.5, 1.0, 1.0], {}, br.DegenerateDataError, "at least 2 distinct scores must lie"),
])  # fmt: skip
def test_what_sums_do_not_hold_is_refused(client, options, error, words):
    with pytest.raises(error, match=words):
        br.fit(summary_of(client, LOW), **options)


@pytest.mark.parametrize("call", [
    lambda s: br.fit(s, "beta-mixture"),
    lambda s: br.fit(s, resolution=0.01),
    lambda s: br.fit(s, boundary="squeeze"),
    br.auc_interval,
    lambda s: br.auc_test(s, s),
    br.compare_families,
    lambda s: br.check_fit(br.fit(s)),
    lambda s: br.fit(s).sensitivity(),
    br.epc_cv,
])  # fmt: skip
def test_what_needs_every_score_says_so(call):
    with pytest.raises(br.InputError, match="summary"):
        call(both()[1])


@pytest.mark.simulation
@pytest.mark.parametrize("zipped", [False, True])
def test_text_is_streamed_where_it_is_large(zipped, tmp_path, capsys, monkeypatch):
    """Rows are estimated from the beginning of the file, here all of it."""
    monkeypatch.setattr("betaroc.cli.systems.STREAMED", 50)
    rows = zip(np.random.default_rng(5).beta(2, 2, 100).tolist(), [0, 1] * 50, strict=True)
    lines = [b"score,label\n", *(f"{s!r},{k}\n".encode() for s, k in rows)]
    for mode, many, streamed in (("auto", 101, True), ("never", 101, False), ("auto", 40, False)):
        text = b"".join(lines[:many])
        (tmp_path / "dev.csv").write_bytes(gzip.compress(text) if zipped else text)
        out = said(capsys, f"fit {tmp_path / 'dev.csv'} --stream {mode}")
        assert ("counted in 65536 bins" in out) == streamed
