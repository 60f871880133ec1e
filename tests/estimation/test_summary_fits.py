"""Summaries where scores are taken: fits from sums, curves and reports from counts in bins."""

import gzip
import json
import math
from dataclasses import replace

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import beta

import betaroc as br
from betaroc.cli import main
from betaroc.data.summary import summarize_file
from betaroc.model.samples import empirical_model
from betaroc.rendering.document import plain
from betaroc.report.analysis import fit_document

approx = pytest.approx
FIELDS = ["n", "n_zero", "n_one", "n_outside", "minimum",
    "maximum", "inner_minimum", "inner_maximum"]  # fmt: skip
SUMS = ["mean", "square", "log", "log1m", "logit_square"]
quiet = pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
wide_bins = pytest.mark.filterwarnings("ignore:bins are wide")


def frame_of(client, impostor):
    label = [1] * len(client) + [0] * len(impostor)
    return pd.DataFrame({"score": np.concatenate([client, impostor]), "label": label})


def summary_of(client, impostor, **options):
    return br.summarize(frame_of(client, impostor), **options)


def both(n=400, m=900, seed=1, *, ends=False):
    rng = np.random.default_rng(seed)
    client, impostor = rng.beta(3.0, 1.5, n), rng.beta(0.6, 2.5, m)
    if ends:
        client[:5], impostor[:9] = 1.0, 0.0
    return br.Scores(client, impostor), summary_of(client, impostor)


@quiet
@pytest.mark.parametrize("family", ["beta", "normal", "logit-normal", "proper-beta", "dual-beta"])
@pytest.mark.parametrize("boundary", [None, "inflate", "drop"])
@pytest.mark.parametrize("ends", [False, True])
def test_a_fit_of_sums_is_that_of_the_scores(family, boundary, ends):
    # The sums are sufficient: the likelihood knows the scores by them alone.
    boundary = None if family == "normal" else boundary
    scores, summary = both(ends=ends)
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
def test_a_concentrated_class_loses_digits_as_stated_and_is_fitted_between_zeros_and_ones():
    rng = np.random.default_rng(2)
    for concentration in (1e2, 1e4, 3e5):
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


@wide_bins
def test_the_auc_error_holds_for_coarse_bins():
    scores, _ = both(ends=True)
    for bins in (8, 16, 64, 1024):
        summary = summary_of(scores.client, scores.impostor, bins=bins)
        off = abs(empirical_model(summary).auc() - br.fit(scores, "empirical").model.auc())
        assert off <= summary.auc_error + 1e-15
        assert summary.auc_error > 0.0


@pytest.mark.simulation
def test_what_comes_from_a_fit_comes_from_that_of_a_summary():
    # Parameters agree to 1e-11 and covariances to 1e-10 (above). What is smooth in them agrees to
    # a few times that; a z of up to 10, and the p-value of z, d log p = -z dz, 100 times.
    rows, sums = map(br.fit, both())
    assert abs(rows.end_tests().at_one.z) < 10.0
    for number, rel in ((lambda f: f.interval("auc", method="family").low, 1e-9),
        (lambda f: f.conf_int()["client"]["a"].high, 1e-9), (lambda f: f.end_tests().at_one.p_value,
        1e-8), (lambda f: f.curve_test().p_proper, 1e-8)):  # fmt: skip
        assert number(sums) == approx(number(rows), rel=rel)
    bands = [f.roc_band(method="family").low for f in (sums, rows)]
    assert bands[0] == approx(bands[1], abs=1e-9)
    assert str(sums.summary()) == str(rows.summary())
    again = br.fit(sums.scores + sums.scores)  # every score twice: half the covariance
    assert again.client.values == approx(sums.client.values, rel=1e-11)
    assert again.client.cov == approx(0.5 * sums.client.cov, rel=1e-10)


@quiet
def test_warnings_of_a_summary():
    scores, _ = both()
    with pytest.warns(br.BoundaryWarning, match="of 400 scores 5 exactly 1.0; fitted"):
        br.fit(both(ends=True)[1])
    with pytest.warns(br.ReversedScoresWarning):
        br.fit(summary_of(scores.impostor, scores.client))
    with pytest.warns(br.SmallSampleWarning, match="client: only 3 scores"):
        br.fit(summary_of([0.2, 0.5, 0.9], scores.impostor))
    with pytest.warns(br.InfluenceWarning, match="1e-200 alone moves a"):
        br.fit(summary_of([1e-200, *np.random.default_rng(4).beta(4, 2, 30)], scores.impostor))


def test_best_of_a_summary_is_auto_and_says_why():
    summary = both()[1]
    fit = br.fit(summary, "best")
    assert (fit.family, fit) == ("beta", br.fit(summary))
    assert fit.reason.endswith(
        "families were not compared: a summary keeps no single score, which a comparison needs"
    )
    scores, summary = both()
    binned = br.fit(summary, "empirical").model
    assert binned == empirical_model(summary)
    assert abs(binned.auc() - br.fit(scores, "empirical").model.auc()) <= summary.auc_error < 1e-4
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


def curve(scores, seed):
    return br.epc(both(seed=seed)[1], scores, alpha=[0.5])


@pytest.mark.parametrize("call", [lambda s: br.fit(s, "beta-mixture"), lambda s: br.fit(s,
    resolution=0.01), lambda s: br.fit(s, boundary="squeeze"), lambda s: br.fit(s,
    boundary="matlab"), br.auc_interval, lambda s: br.auc_test(s, s), br.compare_families,
    lambda s: br.check_fit(br.fit(s)), lambda s: br.fit(s).sensitivity(), lambda s: br.fit(s).plot(
    "qq"), br.epc_cv, lambda s: br.likelihood_ratio_test(br.fit(s, "proper-beta"), br.fit(s),
    replicates=29), lambda s: br.compare(curve(s, 3), curve(s, 4))])  # fmt: skip
def test_what_needs_every_score_says_so(call):
    with pytest.raises(br.InputError, match="summary"):
        call(both()[1])


N, M = 150, 250


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A dev and a test set of N client and M impostor scores each."""
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("scores")
    for name, seed in (("dev", 1), ("test", 2)):
        scores, _ = both(N, M, seed)
        frame_of(scores.client, scores.impostor).to_parquet(folder / f"{name}.parquet")
    return [str(folder / f"{name}.parquet") for name in ("dev", "test")]


@pytest.fixture
def shell(capsys):
    """The status and what was printed, read where it is a document."""

    def run(*arguments):
        status = main(["fit", *map(str, arguments)])
        out, err = capsys.readouterr()
        return status, json.loads(out) if "--json" in arguments else out + err

    return run


@pytest.mark.simulation
def test_streamed_and_read_fits_agree(files, shell):
    common = files[0], "--json", "--client-label", "1", "--stream"
    always, never, auto = (shell(*common, mode)[1] for mode in ("always", "never", "auto"))
    assert always["client"]["params"] == approx(never["client"]["params"], rel=1e-11)
    assert never == auto
    assert always["summary"]["bins"] == 65_536
    assert "summary" not in never


def test_a_stream_of_scores_off_the_usual_range_gets_bins_of_its_own(tmp_path, shell):
    pytest.importorskip("pyarrow")
    rng, path = np.random.default_rng(1), tmp_path / "far.parquet"
    client, impostor = 1e6 + rng.normal(200, 100, 2000), 1e6 + rng.normal(0, 100, 3000)
    frame_of(client, impostor).to_parquet(path)
    document = shell(path, "--stream", "always", "--json")[1]
    exact = br.fit(br.Scores(client, impostor), "empirical").model.auc()
    assert document["empirical"]["auc"] == approx(exact, abs=1e-4)
    assert document["summary"]["layout"] == [impostor.min(), client.max()]


@pytest.mark.parametrize(("options", "text"), [
    (["--family", "beta-mixture"], "must have every score"),
    (["--resolution", "0.01"], "needs every score"),
    (["--group", "label"], "--group must not stand beside"),
])  # fmt: skip
def test_options_that_a_stream_cannot_serve(files, shell, options, text):
    status, output = shell(files[0], "--stream", "always", *options)
    assert status == 2
    assert text in output


@pytest.mark.simulation
@pytest.mark.parametrize("zipped", [False, True])
def test_text_is_streamed_where_it_is_large(zipped, tmp_path, shell, monkeypatch):
    """Rows are estimated from the beginning of the file, here all of it."""
    monkeypatch.setattr("betaroc.cli.systems.STREAMED", 50)
    rows = zip(np.random.default_rng(5).beta(2, 2, 100).tolist(), [0, 1] * 50, strict=True)
    text = b"score,label\n" + "".join(f"{s!r},{k}\n" for s, k in rows).encode()
    path = tmp_path / "dev.csv"
    path.write_bytes(gzip.compress(text) if zipped else text)
    for mode, streamed in {"auto": True, "always": True, "never": False}.items():
        status, output = shell(path, "--stream", mode)
        assert (status, "counted in 65536 bins" in output) == (0, streamed)
    path.write_bytes(b"".join(text.splitlines(keepends=True)[:40]))
    assert "summary" not in shell(path, "--stream", "auto", "--json")[1]
    path.write_bytes(b"score,label\n0.5,1\nnan,0\n")
    status, output = shell(path, "--stream", "always")
    assert status == 2
    assert "dev.csv', line 3: the score must be finite; got 'nan'" in output


@pytest.mark.parametrize(("labels", "client_label"),
    [(("0", "1"), None), (("imp", "gen "), "gen"), (("imp", "gen"), "GEN"), ((False, True), None),
    ((-1, 1), None), ((1.0, 2.0), "2"), (("a", "b"), None)])  # fmt: skip
def test_labels_of_a_file_mean_the_same_streamed_or_read(labels, client_label, tmp_path):
    pytest.importorskip("pyarrow")
    label = [labels[k] for k in (0, 0, 1, 1, 1)]
    frame = pd.DataFrame({"score": [0.1, 0.2, 0.3, 0.7, 0.9], "label": label})
    frame.to_parquet(tmp_path / "x.parquet")
    sizes = []
    for call in (br.read_scores, summarize_file):
        try:
            scores = call(tmp_path / "x.parquet", client_label=client_label)
            sizes.append((scores.n_client, scores.n_impostor))
        except br.BetarocError:
            sizes.append("refused")
    assert sizes in ([(3, 2)] * 2, ["refused"] * 2)


def by_engine(engine, path):
    """The summary of a Parquet file through an engine, without its source."""
    if engine == "file":
        return replace(summarize_file(path), source=None)
    module = pytest.importorskip("dask.dataframe" if engine == "dask" else engine)
    return br.summarize(getattr(module, "scan_parquet", module.read_parquet)(path))


@pytest.fixture(scope="module")
def streamed(files):
    """The two files read, and their analysis."""
    dev, test = (by_engine("file", path) for path in files)
    return dev, test, br.analyze(dev, test)


@pytest.mark.simulation
def test_an_analysis_of_summaries_is_that_of_the_rows_within_the_bins(streamed):
    first, second = (fit_document(a.dev, "") for a in (br.analyze(both(N, M)[0]), streamed[2]))
    assert second["summary"]["bins"] == 65_536
    assert [first[n] for n in ("n_client", "n_impostor")] == [N, M]
    # The sums are sufficient, so the fits differ by rounding.
    assert second["auc"] == approx(first["auc"], rel=1e-11)
    error = second["summary"]["error"]
    assert second["empirical"]["auc"] == approx(first["empirical"]["auc"], abs=error["auc"])
    # FAR and FRR are exact at the borders of bins and monotone in between, where each moves by at
    # most its error. FAR - FRR changes its sign in one bin for both: there the EER is half
    # their sum. Distances from the fits are those of one rate at one place, on the ROC along
    # FAR + TPR = constant and between the same two corners for both; the fits add their rounding.
    off = max(error["far"], error["frr"]) + 1e-9
    assert second["empirical"]["eer"] == approx(first["empirical"]["eer"], abs=off)
    for key in ("client", "impostor", "roc"):
        assert second["distances"][key] == approx(first["distances"][key], abs=off)
    # The bounds of a TPR are Clopper and Pearson's at a place that moves within its bin: by the
    # clients of a bin, each of whom moves a bound by at most its largest step.
    tail, k = 0.5 * (1.0 - math.sqrt(0.95)), np.arange(N)
    step = np.max(np.diff(beta.ppf(1.0 - tail, k + 1, N - k)))
    bounds = [d["intervals"]["scores"]["tpr@far=0.01"] for d in (first, second)]
    for end in ("low", "high"):
        assert abs(bounds[0][end] - bounds[1][end]) <= step * round(N * error["frr"]) + 1e-12


def same_numbers(first, second):
    """Nested numbers equal to 9 digits; a gradient that is rounding alone is 0."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same_numbers(first[k], second[k])
            for k in first)  # fmt: skip
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same_numbers, first, second))
    if isinstance(first, float):
        return first == approx(second, rel=1e-9, abs=1e-13, nan_ok=True)
    return bool(first == second)


def assert_same_summary(first, second):
    """All counts and extremes equal, sums to rounding."""
    for name in ("n_bins", "layout", "name"):
        assert getattr(first, name) == getattr(second, name)
    for a, b in ((first.client, second.client), (first.impostor, second.impostor)):
        assert [getattr(a, name) for name in FIELDS] == [getattr(b, name) for name in FIELDS]
        assert (a.bins.tolist(), a.counts.tolist()) == (b.bins.tolist(), b.counts.tolist())
        sums = [getattr(b, name) for name in SUMS]
        assert [getattr(a, name) for name in SUMS] == approx(sums, rel=1e-12)


@pytest.mark.simulation
@pytest.mark.parametrize("engine", ["pandas", "duckdb", pytest.param("dask",
    marks=pytest.mark.nightly), pytest.param("polars", marks=pytest.mark.nightly)])  # fmt: skip
def test_the_report_is_the_same_through_every_engine(engine, files, streamed, tmp_path):
    dev, test = (by_engine(engine, path) for path in files)
    assert_same_summary(dev, streamed[0])
    assert_same_summary(test, streamed[1])
    # Equal numbers, with more digits than it shows, are an equal page. Pages are drawn for two
    # engines only, as drawing takes longest.
    analyses = br.analyze(dev, test), streamed[2]
    documents = [[plain(fit_document(p, "")) for p in a.parts] for a in analyses]
    for first, second in zip(*documents, strict=True):
        # Between 1000 points of the fitted ROC, which rounding may choose otherwise: chords of
        # h = 2/1000 in FAR + TPR are off by h**2/8 = 5e-7 times the curvature.
        gaps = [part["distances"].pop("roc") for part in (first, second)]
        assert gaps[0] == approx(gaps[1], abs=1e-5)
    assert same_numbers(*documents)
    frames = [nw.from_native(a.to_frame(), eager_only=True) for a in analyses]
    assert same_numbers(*(frame.to_dict(as_series=False) for frame in frames))
    if engine == "duckdb":
        pages = [tmp_path / "engine.html", tmp_path / "file.html"]
        for page, analysis in zip(pages, analyses, strict=True):
            analysis.to_html(page)
        assert pages[0].read_text(encoding="utf-8") == pages[1].read_text(encoding="utf-8")
