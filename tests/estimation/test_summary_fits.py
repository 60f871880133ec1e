"""Summaries where scores are taken: fits from sums, curves and reports from counts in bins."""

from __future__ import annotations

import gzip
import json
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import betaroc as br
from betaroc.cli import main
from betaroc.data.summary import summarize_file
from betaroc.model.samples import empirical_model
from betaroc.rendering.document import plain
from betaroc.report.analysis import fit_document

COUNTED = ["n", "n_zero", "n_one", "n_outside"]


EXTREMES = ["minimum", "maximum", "inner_minimum", "inner_maximum"]


SUMS = ["mean", "square", "log", "log1m", "logit_square"]


class Streamed(NamedTuple):
    """The two files read through Polars, and their analysis."""

    dev: br.ScoreSummary
    test: br.ScoreSummary
    analysis: br.Analysis


def by_engine(engine: str, path: str) -> br.ScoreSummary:
    """The summary of a Parquet file through an engine, without its source."""
    if engine == "file":
        return replace(summarize_file(path), source=None)
    if engine == "dask":
        return br.summarize(pytest.importorskip("dask.dataframe").read_parquet(path))
    if engine == "polars-frame":
        return br.summarize(pytest.importorskip("polars").scan_parquet(path))
    if engine == "duckdb-frame":
        return br.summarize(pytest.importorskip("duckdb").read_parquet(path))
    return br.summarize(pd.read_parquet(path))


def same_numbers(one: Any, two: Any) -> bool:
    """Nested numbers equal to 9 digits; a gradient that is rounding alone is 0."""
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same_numbers(one[k], two[k]) for k in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same_numbers, one, two))
    if isinstance(one, float):
        return one == pytest.approx(two, rel=1e-9, abs=1e-13, nan_ok=True)
    return bool(one == two)


def assert_same_summary(one: br.ScoreSummary, two: br.ScoreSummary) -> None:
    """All counts and extremes equal, sums to rounding."""
    assert (one.n_bins, one.layout, one.name) == (two.n_bins, two.layout, two.name)
    for a, b in ((one.client, two.client), (one.impostor, two.impostor)):
        for name in (*COUNTED, *EXTREMES):
            assert getattr(a, name) == getattr(b, name)
        assert a.bins.tolist() == b.bins.tolist()
        assert a.counts.tolist() == b.counts.tolist()
        sums = ([getattr(c, name) for name in SUMS] for c in (a, b))
        assert next(sums) == pytest.approx(next(sums), rel=1e-12)


FROM_SUMS = ["beta", "normal", "logit-normal", "proper-beta", "dual-beta"]


def both(
    n: int = 400, m: int = 900, seed: int = 1, *, ends: bool = False
) -> tuple[br.Scores, br.ScoreSummary]:
    rng = np.random.default_rng(seed)
    client, impostor = rng.beta(3.0, 1.5, n), rng.beta(0.6, 2.5, m)
    if ends:
        client[:5], impostor[:9] = 1.0, 0.0
    return br.Scores(client, impostor), summary_of(client, impostor)


def summary_of(client: Any, impostor: Any, **options: Any) -> br.ScoreSummary:
    frame = pd.DataFrame(
        {
            "score": np.concatenate([client, impostor]),
            "label": [1] * len(client) + [0] * len(impostor),
        }
    )
    return br.summarize(frame, **options)


# ------------------------------------------------------------------------------- fits
@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.parametrize("family", FROM_SUMS)
@pytest.mark.parametrize("boundary", [None, "inflate", "drop"])
@pytest.mark.parametrize("ends", [False, True])
def test_a_fit_of_sums_is_that_of_the_scores(family: str, boundary: str | None, ends: bool) -> None:
    # The sums are sufficient: the likelihood knows the scores by them alone.
    scores, summary = both(ends=ends)
    boundary = None if family == "normal" else boundary
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BoundaryWarning)
        rows, sums = (br.fit(s, family, boundary=boundary) for s in (scores, summary))
    assert sums.scores is summary
    for one, two in ((rows.client, sums.client), (rows.impostor, sums.impostor)):
        assert two.names == one.names
        assert two.values == pytest.approx(one.values, rel=1e-11)
        assert two.cov == pytest.approx(one.cov, rel=1e-10, abs=1e-18)
        assert (two.n, two.total_weight, two.boundary) == (one.n, one.total_weight, one.boundary)
        assert two.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-11)
    assert sums.tied == rows.tied
    assert sums.model.prior == rows.model.prior


@pytest.mark.parametrize("concentration", [1e2, 1e4, 3e5])
def test_a_concentrated_class_loses_digits_as_stated(concentration: float) -> None:
    rng = np.random.default_rng(2)
    client = rng.beta(0.7 * concentration, 0.3 * concentration, 500)
    impostor = rng.beta(0.4 * concentration, 0.6 * concentration, 500)
    rows, sums = br.fit(br.Scores(client, impostor)), br.fit(summary_of(client, impostor))
    assert sums.client.values == pytest.approx(rows.client.values, rel=1e-14 * concentration)


@pytest.mark.filterwarnings("ignore:bins are wide")
def test_too_concentrated_a_class_is_refused() -> None:
    rng = np.random.default_rng(2)
    client, impostor = 0.7 + 1e-5 * rng.normal(size=300), rng.beta(2, 3, 300)
    with pytest.raises(br.InputError, match=r"client: the 300 scores.*too concentrated"):
        br.fit(summary_of(client, impostor))
    logits = np.array([5.0, 5.0 + 1e-7, 5.0 - 1e-7])
    with pytest.raises(br.InputError, match="concentrated for the sums"):
        br.fit(summary_of(1 / (1 + np.exp(-logits)), impostor), "logit-normal")


def test_the_empirical_family_of_a_summary_is_its_counts() -> None:
    scores, summary = both()
    binned = br.fit(summary, "empirical").model
    assert binned == empirical_model(summary)
    exact = br.fit(scores, "empirical").model.auc()
    assert abs(binned.auc() - exact) <= summary.auc_error < 1e-4


def test_exact_0_and_1_stay_apart_from_their_bins() -> None:
    client, impostor = [1.0, 1.0, 1.0, 1 - 2**-53, 0.5, 0.0], [0.0, 0.0, 5e-324, 1e-9, 0.25, 1.0]
    model = empirical_model(summary_of(client, impostor, bins=8))
    for theta in (0.0, 1 - 2**-53):
        assert model.client.cdf(theta) == np.mean(np.array(client) <= theta)
        assert model.impostor.cdf(theta) == np.mean(np.array(impostor) <= theta)


@pytest.mark.filterwarnings("ignore:bins are wide")
def test_the_auc_error_holds_for_coarse_bins() -> None:
    scores, _ = both(ends=True)
    for bins in (8, 16, 64, 1024):
        summary = summary_of(scores.client, scores.impostor, bins=bins)
        off = abs(empirical_model(summary).auc() - br.fit(scores, "empirical").model.auc())
        assert off <= summary.auc_error + 1e-15
        assert summary.auc_error > 0.0


@pytest.mark.simulation
def test_what_comes_from_a_fit_comes_from_that_of_a_summary() -> None:
    # Parameters agree to 1e-11 and covariances to 1e-10 (above). What is smooth in them agrees to
    # a few times that; a z of up to 10, and the p-value of z, d log p = -z dz, 100 times.
    scores, summary = both()
    rows, sums = br.fit(scores), br.fit(summary)
    lows = [f.interval("auc", method="family").low for f in (sums, rows)]
    assert lows[0] == pytest.approx(lows[1], rel=1e-9)
    high = [f.conf_int()["client"]["a"].high for f in (sums, rows)]
    assert high[0] == pytest.approx(high[1], rel=1e-9)
    assert abs(rows.end_tests().at_one.z) < 10.0
    assert rows.calibration_test().statistic < 10.0**2
    for p_value in (
        lambda f: f.end_tests().at_one.p_value,
        lambda f: f.curve_test().p_proper,
        lambda f: f.calibration_test().p_value,
    ):
        assert p_value(sums) == pytest.approx(p_value(rows), rel=1e-8)
    bands = [f.roc_band(method="family").low for f in (sums, rows)]
    assert bands[0] == pytest.approx(bands[1], abs=1e-9)
    assert str(sums.summary()) == str(rows.summary())
    again = br.fit(summary + summary)  # twice every score: the same law, half the covariance
    assert again.client.values == pytest.approx(sums.client.values, rel=1e-11)
    assert again.client.cov == pytest.approx(0.5 * sums.client.cov, rel=1e-10)


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_warnings_of_a_summary() -> None:
    with pytest.warns(br.BoundaryWarning, match="of 400 scores 5 exactly 1.0; fitted"):
        br.fit(both(ends=True)[1])
    scores, _ = both()
    with pytest.warns(br.ReversedScoresWarning):
        br.fit(summary_of(scores.impostor, scores.client))
    with pytest.warns(br.SmallSampleWarning, match="client: only 3 scores"):
        br.fit(summary_of([0.2, 0.5, 0.9], scores.impostor))
    rng = np.random.default_rng(4)
    with pytest.warns(br.InfluenceWarning, match="1e-200 alone moves a"):
        br.fit(summary_of([1e-200, *rng.beta(4, 2, 30)], scores.impostor))


def test_a_stream_of_scores_off_the_usual_range_gets_bins_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(1)
    client, impostor = 1e6 + rng.normal(200, 100, 2000), 1e6 + rng.normal(0, 100, 3000)
    frame = pd.DataFrame(
        {"score": np.concatenate([client, impostor]), "label": [1] * 2000 + [0] * 3000}
    )
    frame.to_parquet(tmp_path / "far.parquet")
    assert main(["fit", str(tmp_path / "far.parquet"), "--stream", "always", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    exact = br.fit(br.Scores(client, impostor), "empirical").model.auc()
    assert found["empirical"]["auc"] == pytest.approx(exact, abs=1e-4)
    assert found["summary"]["layout"] == [impostor.min(), client.max()]


# ---------------------------------------------------------------------- what needs every score
def refused() -> dict[str, Callable[[br.ScoreSummary], object]]:
    alpha = {"alpha": [0.5]}
    return {
        "mixture": lambda s: br.fit(s, "beta-mixture"),
        "resolution": lambda s: br.fit(s, resolution=0.01),
        "squeeze": lambda s: br.fit(s, boundary="squeeze"),
        "matlab": lambda s: br.fit(s, boundary="matlab"),
        "auc_interval": br.auc_interval,
        "auc_test": lambda s: br.auc_test(s, s),
        "compare_families": br.compare_families,
        "check_fit": lambda s: br.check_fit(br.fit(s)),
        "sensitivity": lambda s: br.fit(s).sensitivity(),
        "plot": lambda s: br.fit(s).plot("qq"),
        "epc_cv": br.epc_cv,
        "likelihood ratio": lambda s: br.likelihood_ratio_test(
            br.fit(s, "proper-beta"), br.fit(s), replicates=29
        ),
        "paired": lambda s: br.compare(
            br.epc(both(seed=3)[1], s, **alpha), br.epc(both(seed=4)[1], s, **alpha)
        ),
    }


@pytest.mark.parametrize("what", refused())
def test_what_needs_every_score_says_so(what: str) -> None:
    with pytest.raises(br.InputError, match="summary"):
        refused()[what](both()[1])


def test_scores_outside_the_unit_interval_are_counted() -> None:
    summary = summary_of([0.2, 0.5, 1.25, 2.0], [0.1, 0.3])
    with pytest.raises(br.InputError, match=r"client must lie in \[0, 1\].* got 2 of 4 outside"):
        br.fit(summary, "beta")
    with pytest.raises(br.InputError, match='boundary="error"; got 0 scores of exactly 0 and 1'):
        br.fit(summary_of([0.2, 0.5, 1.0], [0.1, 0.3]), boundary="error")
    with pytest.raises(br.DegenerateDataError, match="at least 2 distinct scores must lie"):
        br.fit(summary_of([0.5, 1.0, 1.0], [0.1, 0.3]))


def test_best_of_a_summary_is_auto_and_says_why() -> None:
    summary = both()[1]
    made = br.fit(summary, "best")
    assert made.family == "beta"
    assert made == br.fit(summary)
    assert made.reason.endswith(
        "families were not compared: a summary keeps no single score, which a comparison needs"
    )


# ------------------------------------------------------------------------------ analyses
N, M = 150, 250


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A dev and a test set of N client and M impostor scores each."""
    pytest.importorskip("pyarrow")
    folder, paths = tmp_path_factory.mktemp("scores"), []
    for name, seed in (("dev", 1), ("test", 2)):
        scores, _ = both(N, M, seed)
        table = {
            "score": np.concatenate([scores.client, scores.impostor]),
            "label": np.repeat([1, 0], [N, M]),
        }
        paths.append(str(folder / f"{name}.parquet"))
        pd.DataFrame(table).to_parquet(paths[-1])
    return paths[0], paths[1]


def test_scores_stand_on_a_summary_of_the_test_set() -> None:
    dev, (test, test_sums) = both()[0], both(seed=2)
    found, exact = br.epc(dev, test_sums), br.epc(dev, test)
    assert found.threshold.tolist() == exact.threshold.tolist()
    # At a threshold that is no border each rate of the HTER is off by at most its error.
    assert np.max(np.abs(found.value - exact.value)) <= 0.5 * sum(test_sums.rate_error) + 1e-15


def test_a_summary_of_the_dev_set_stands_on_scores() -> None:
    (dev, dev_sums), test = both(), both(seed=2)[0]
    alpha = np.linspace(0.0, 1.0, 21)
    found, exact = br.epc(dev_sums, test, alpha=alpha), br.epc(dev, test, alpha=alpha)

    def rates(scores: br.Scores, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        far = np.array([np.mean(scores.impostor > x) for x in t])
        return far, np.array([np.mean(scores.client <= x) for x in t])

    far, frr = rates(test, found.threshold)
    assert found.value == pytest.approx(0.5 * (far + frr), abs=1e-15)
    # The best threshold of all lies in some bin: at its border FAR and FRR cost more by at most
    # their errors, and the chosen border costs no more than that one.
    cost, least = (
        alpha * far + (1.0 - alpha) * frr
        for far, frr in (rates(dev, e.threshold) for e in (found, exact))
    )
    far_error, frr_error = dev_sums.rate_error
    assert np.all(cost >= least - 1e-15)
    assert np.all(cost <= least + alpha * far_error + (1.0 - alpha) * frr_error + 1e-15)


# ---------------------------------------------------------------------------- command line


@pytest.mark.simulation
def test_streamed_and_read_fits_agree(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for mode in ("always", "never", "auto"):
        assert main(["fit", files[0], "--json", "--stream", mode, "--client-label", "1"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["client"]["params"] == pytest.approx(found[1]["client"]["params"], rel=1e-11)
    assert found[1] == found[2]
    assert found[0]["summary"]["bins"] == 65_536
    assert "summary" not in found[1]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--stream", "always", "--family", "beta-mixture"], "must have every score"),
        (["--stream", "always", "--resolution", "0.01"], "needs every score"),
        (["--stream", "always", "--group", "label"], "--group must not stand beside"),
    ],
)
def test_options_that_a_stream_cannot_serve(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], options: list[str], text: str
) -> None:
    assert main(["fit", files[0], *options]) == 2
    assert text in capsys.readouterr().err


@pytest.mark.simulation
@pytest.mark.parametrize("zipped", [False, True])
def test_text_is_streamed_where_it_is_large(
    zipped: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows are estimated from the beginning of the file, here all of it."""
    monkeypatch.setattr("betaroc.cli.systems.STREAMED", 50)
    rng = np.random.default_rng(5)
    rows = zip(rng.beta(2, 2, 100).tolist(), [0, 1] * 50, strict=True)
    text = b"score,label\n" + "".join(f"{s!r},{k}\n" for s, k in rows).encode()
    path = tmp_path / "dev.csv"
    path.write_bytes(gzip.compress(text) if zipped else text)
    for mode, streamed in {"auto": True, "always": True, "never": False}.items():
        assert main(["fit", str(path), "--stream", mode]) == 0
        assert ("counted in 65536 bins" in capsys.readouterr().out) is streamed
    path.write_bytes(b"".join(text.splitlines(keepends=True)[:40]))
    assert main(["fit", str(path), "--stream", "auto", "--json"]) == 0
    assert '"bins"' not in capsys.readouterr().out
    path.write_bytes(b"score,label\n0.5,1\nnan,0\n")
    assert main(["fit", str(path), "--stream", "always"]) == 2
    assert "dev.csv', line 3: the score must be finite; got 'nan'" in capsys.readouterr().err


# ------------------------------------------------------------------------- engines of a report


# ------------------------------------------------------------------------- labels, sums of parts


@pytest.mark.filterwarnings("ignore:bins are wide")
@pytest.mark.parametrize("boundary", ["inflate", "drop"])
def test_a_concentrated_class_with_exact_zeros_and_ones_is_fitted_between_them(
    boundary: str,
) -> None:
    rng = np.random.default_rng(3)
    client = np.concatenate([rng.beta(1.4e4, 0.6e4, 400), np.ones(30), np.zeros(10)])
    impostor = np.concatenate([rng.beta(0.8e4, 1.2e4, 400), np.zeros(20)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        rows = br.fit(br.Scores(client, impostor), "beta", boundary=boundary)
        sums = br.fit(summary_of(client, impostor), "beta", boundary=boundary)
    for one, other in ((sums.client, rows.client), (sums.impostor, rows.impostor)):
        assert one.values == pytest.approx(other.values, rel=1e-8)


@pytest.mark.parametrize(
    ("labels", "client_label"),
    [
        (("0", "1"), None),
        (("imp", "gen "), "gen"),
        (("imp", "gen"), "GEN"),
        ((False, True), None),
        ((-1, 1), None),
        ((1.0, 2.0), "2"),
        (("a", "b"), None),
    ],
)
def test_labels_of_a_file_mean_the_same_streamed_or_read(
    labels: tuple[Any, Any], client_label: str | None, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {"score": [0.1, 0.2, 0.3, 0.7, 0.9], "label": [labels[k] for k in (0, 0, 1, 1, 1)]}
    )
    frame.to_parquet(tmp_path / "x.parquet")
    read, said = [], []
    for call in (br.read_scores, summarize_file):
        try:
            found = call(tmp_path / "x.parquet", client_label=client_label)
            read.append((found.n_client, found.n_impostor))
        except br.BetarocError as error:
            said.append(error)
    assert read == [(3, 2)] * 2 or len(said) == 2


@pytest.fixture(scope="module")
def streamed(files: tuple[str, str]) -> Streamed:
    dev, test = (by_engine("file", path) for path in files)
    return Streamed(dev, test, br.analyze(dev, test))


@pytest.mark.simulation
def test_an_analysis_of_summaries_is_that_of_the_rows_within_the_bins(streamed: Streamed) -> None:
    one, two = (fit_document(a.dev, "") for a in (br.analyze(both(N, M)[0]), streamed.analysis))
    assert two["summary"]["bins"] == 65_536
    assert (one["n_client"], one["n_impostor"]) == (two["n_client"], two["n_impostor"])
    # The sums are sufficient, so the fits differ by rounding.
    assert two["auc"] == pytest.approx(one["auc"], rel=1e-11)
    error = two["summary"]["error"]
    assert two["empirical"]["auc"] == pytest.approx(one["empirical"]["auc"], abs=error["auc"])
    # FAR and FRR are exact at the borders of bins and monotone in between, where each moves by at
    # most its error. FAR - FRR changes its sign in one bin for both: there the EER is half
    # their sum. Distances from the fits are those of one rate at one place, on the ROC along
    # FAR + TPR = constant and between the same two corners for both; the fits add their rounding.
    off = max(error["far"], error["frr"]) + 1e-9
    assert two["empirical"]["eer"] == pytest.approx(one["empirical"]["eer"], abs=off)
    for key in ("client", "impostor", "roc"):
        assert two["distances"][key] == pytest.approx(one["distances"][key], abs=off)
    # The bounds of a TPR are Clopper and Pearson's at a place that moves within its bin: by the
    # clients of a bin, each of whom moves a bound by at most its largest step.
    tail = 0.5 * (1.0 - math.sqrt(0.95))
    step = np.max(np.diff(beta.ppf(1.0 - tail, np.arange(N) + 1, N - np.arange(N))))
    bounds = [d["intervals"]["scores"]["tpr@far=0.01"] for d in (one, two)]
    for end in ("low", "high"):
        assert abs(bounds[0][end] - bounds[1][end]) <= step * round(N * error["frr"]) + 1e-12


@pytest.mark.simulation
@pytest.mark.parametrize(
    "engine",
    [
        pytest.param(
            engine, marks=[] if engine in ("duckdb-frame", "pandas") else pytest.mark.nightly
        )
        for engine in ("pandas", "dask", "polars-frame", "duckdb-frame")
    ],
)
def test_the_report_is_the_same_through_every_engine(
    engine: str, files: tuple[str, str], streamed: Streamed, tmp_path: Path
) -> None:
    dev, test = (by_engine(engine, path) for path in files)
    assert_same_summary(dev, streamed.dev)
    assert_same_summary(test, streamed.test)
    analysis = br.analyze(dev, test)
    # Equal numbers, with more digits than it shows, are an equal page. Pages are drawn for two
    # engines only, as drawing takes longest.
    both_sides = (analysis, streamed.analysis)
    found, wanted = ([plain(fit_document(p, "")) for p in each.parts] for each in both_sides)
    for one, two in zip(found, wanted, strict=True):
        # Between 1000 points of the fitted ROC, which rounding may choose otherwise: chords of
        # h = 2/1000 in FAR + TPR are off by h**2/8 = 5e-7 times the curvature.
        gaps = [part["distances"].pop("roc") for part in (one, two)]
        assert gaps[0] == pytest.approx(gaps[1], abs=1e-5)
    assert same_numbers(found, wanted)
    tables = (each.to_frame().to_dict("list") for each in both_sides)
    assert same_numbers(*tables)
    if engine == "duckdb-frame":
        pages = []
        for name, each in (("file", streamed.analysis), (engine, analysis)):
            each.to_html(tmp_path / f"{name}.html")
            pages.append((tmp_path / f"{name}.html").read_text(encoding="utf-8"))
        assert pages[0] == pages[1]
