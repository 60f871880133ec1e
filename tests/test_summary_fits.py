"""Summaries where scores are taken: fits from sums, curves and reports from counts in bins."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.summary import summarize_file

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


def test_too_concentrated_a_class_is_refused() -> None:
    rng = np.random.default_rng(2)
    client, impostor = 0.7 + 1e-5 * rng.normal(size=300), rng.beta(2, 3, 300)
    with pytest.raises(br.InputError, match=r"client: the 300 scores.*too concentrated"):
        br.fit(summary_of(client, impostor))
    logits = np.array([5.0, 5.0 + 1e-7, 5.0 - 1e-7])
    with pytest.raises(br.InputError, match="variance of their logits cancels"):
        br.fit(summary_of(1 / (1 + np.exp(-logits)), impostor), "logit-normal")


def test_the_empirical_family_of_a_summary_is_its_counts() -> None:
    scores, summary = both()
    binned = br.fit(summary, "empirical").model
    assert binned == summary.model
    exact = br.fit(scores, "empirical").model.auc()
    assert abs(binned.auc() - exact) <= summary.auc_error < 1e-4


def test_exact_0_and_1_stay_apart_from_their_bins() -> None:
    client, impostor = [1.0, 1.0, 1.0, 1 - 2**-53, 0.5, 0.0], [0.0, 0.0, 5e-324, 1e-9, 0.25, 1.0]
    model = summary_of(client, impostor, bins=8).model
    for theta in (0.0, 1 - 2**-53):
        assert model.client.cdf(theta) == np.mean(np.array(client) <= theta)
        assert model.impostor.cdf(theta) == np.mean(np.array(impostor) <= theta)


def test_the_auc_error_holds_for_coarse_bins() -> None:
    scores, _ = both(ends=True)
    for bins in (8, 16, 64, 1024):
        summary = summary_of(scores.client, scores.impostor, bins=bins)
        off = abs(summary.model.auc() - br.fit(scores, "empirical").model.auc())
        assert off <= summary.auc_error + 1e-15
        assert summary.auc_error > 0.0


def test_what_comes_from_a_fit_comes_from_that_of_a_summary() -> None:
    scores, summary = both()
    rows, sums = br.fit(scores), br.fit(summary)
    assert sums.interval("auc").low == pytest.approx(rows.interval("auc").low, rel=1e-9)
    assert sums.conf_int()["client"]["a"].high == pytest.approx(rows.conf_int()["client"]["a"].high)
    assert sums.end_tests().at_one.p_value == pytest.approx(rows.end_tests().at_one.p_value)
    assert sums.curve_test().p_proper == pytest.approx(rows.curve_test().p_proper)
    assert sums.calibration_test().p_value == pytest.approx(rows.calibration_test().p_value)
    assert sums.roc_band().low == pytest.approx(rows.roc_band().low, abs=1e-9)
    assert str(sums.summary()) == str(rows.summary())
    again = br.fit(summary + summary)
    assert again.client.values == pytest.approx(sums.client.values, rel=1e-12)
    assert again.client.cov == pytest.approx(0.5 * sums.client.cov, rel=1e-9)


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


# ---------------------------------------------------------------------- what needs every score
def refused() -> dict[str, Callable[[br.ScoreSummary], object]]:
    alpha = {"alpha": [0.5]}
    return {
        "mixture": lambda s: br.fit(s, "beta-mixture"),
        "best": lambda s: br.fit(s, "best"),
        "resolution": lambda s: br.fit(s, resolution=0.01),
        "squeeze": lambda s: br.fit(s, boundary="squeeze"),
        "matlab": lambda s: br.fit(s, boundary="matlab"),
        "auc_interval": br.auc_interval,
        "auc_test": lambda s: br.auc_test(s, s),
        "compare_families": br.compare_families,
        "check_fit": lambda s: br.check_fit(br.fit(s)),
        "sensitivity": lambda s: br.fit(s).sensitivity(),
        "plot": lambda s: br.fit(s).plot(),
        "epc_cv": br.epc_cv,
        "guaranteed": lambda s: br.guaranteed_threshold(s, far=0.1),
        "guaranteed fit": lambda s: br.guaranteed_threshold(br.fit(s), far=0.1),
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
        br.fit(summary)
    with pytest.raises(br.InputError, match='boundary="error"; got 0 scores of exactly 0 and 1'):
        br.fit(summary_of([0.2, 0.5, 1.0], [0.1, 0.3]), boundary="error")
    with pytest.raises(br.DegenerateDataError, match="at least 2 distinct scores must lie"):
        br.fit(summary_of([0.5, 1.0, 1.0], [0.1, 0.3]))


# ------------------------------------------------------------------------------ analyses
def test_an_analysis_of_summaries_is_that_of_the_rows_within_the_bins() -> None:
    (dev, dev_sums), (test, test_sums) = both(), both(seed=2)
    rows, sums = br.analyze(dev, test), br.analyze(dev_sums, {"test": test_sums})
    one, two = rows.to_dict(), sums.to_dict()
    assert two["dev"]["summary"]["bins"] == 65_536
    error = two["dev"]["summary"]["error"]
    coarse = 2 * max(error["far"], error["frr"], error["auc"])
    for part in ("dev", "tests"):
        a, b = (d[part] if part == "dev" else d[part][0] for d in (one, two))
        assert (a["n_client"], a["n_impostor"]) == (b["n_client"], b["n_impostor"])
        assert b["fit"]["auc"] == pytest.approx(a["fit"]["auc"], rel=1e-11)
        for key in ("auc", "eer"):
            assert b["empirical"][key] == pytest.approx(a["empirical"][key], abs=coarse)
        for key in ("client", "impostor", "roc"):
            assert b["distances"][key] == pytest.approx(a["distances"][key], abs=coarse)
    # The exact bounds of a TPR count scores, weighted as they may be.
    low, high = (m["intervals"]["scores"]["tpr@far=0.01"] for m in (one["dev"], two["dev"]))
    assert (low["low"], low["high"]) == pytest.approx((high["low"], high["high"]), abs=coarse)
    verdicts = [line for line in sums.summary().splitlines() if line.startswith("dev: fit of")]
    assert len(verdicts) == 3
    assert "" not in sums.summary().split("\n\n")[0].splitlines()
    assert "dev: fit of the ROC" in sums.summary().split("\n\n")[0]
    assert "it needs every score" in two["dev"]["families"]["reason"]
    assert "it needs every score" in two["dev"]["sensitivity"]["reason"]


def test_a_bad_fit_of_a_summary_is_told() -> None:
    rng = np.random.default_rng(1)
    client = np.concatenate([rng.beta(30, 3, 3000), rng.beta(2, 30, 3000)])
    summary = summary_of(client, rng.beta(2, 5, 6000))
    lines = br.analyze(summary).summary()
    assert "of the rates at a threshold poor" in lines


@pytest.mark.parametrize("given", ["rows on sums", "sums on rows"])
def test_summaries_and_scores_stand_beside_each_other(given: str) -> None:
    (dev, dev_sums), (test, test_sums) = both(), both(seed=2)
    first, second = (dev, test_sums) if given == "rows on sums" else (dev_sums, test)
    numbers = br.analyze(first, second).to_dict()
    exact = br.analyze(dev, test).to_dict()
    curves = [d["curves"][0]["value"] for d in (numbers, exact)]
    assert curves[0] == pytest.approx(curves[1], abs=0.01)


# ---------------------------------------------------------------------------- command line
@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    pytest.importorskip("pyarrow")
    for name, seed in (("dev", 1), ("test", 2)):
        scores, _ = both(seed=seed)
        pd.DataFrame(
            {
                "score": np.concatenate([scores.client, scores.impostor]),
                "label": [1] * scores.n_client + [0] * scores.n_impostor,
            }
        ).to_parquet(tmp_path / f"{name}.parquet")
    return str(tmp_path / "dev.parquet"), str(tmp_path / "test.parquet")


def test_a_streamed_report(files: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    command = [
        "report",
        "--dev",
        files[0],
        "--test",
        files[1],
        "--stream",
        "always",
        "-o",
        str(out),
    ]
    assert main(command) == 0
    page = out.read_text(encoding="utf-8")
    assert "counted in 65536 bins" in page
    assert "400 client scores" in page
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "dev.parquet",
        "page.html",
        "test.parquet",
    ]


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


def test_large_files_are_streamed_unless_rows_are_needed(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("betaroc._inputs.STREAMED", 100)
    assert main(["fit", files[0]]) == 0
    assert "counted in" in capsys.readouterr().out
    assert main(["fit", files[0], "--resolution", "0.001"]) == 0
    assert "counted in" not in capsys.readouterr().out
    assert main(["epc", "--dev", *files[:1], "--test", files[1], "--alpha", "0.5"]) == 0
    capsys.readouterr()
    two = ["--dev", *files, "--test", files[1], files[0]]
    assert main(["compare", *two, "--unpaired", "--replicates", "50", "--alpha", "0.5"]) == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--stream", "always", "--family", "best"], "must have every score"),
        (["--stream", "always", "--resolution", "0.01"], "needs every score"),
        (["--stream", "always", "--group", "label"], "--group must not stand beside"),
    ],
)
def test_options_that_a_stream_cannot_serve(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], options: list[str], text: str
) -> None:
    assert main(["fit", files[0], *options]) == 2
    assert text in capsys.readouterr().err


def test_only_parquet_is_streamed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dev.csv"
    path.write_text("score,label\n0.9,1\n0.8,1\n0.1,0\n0.2,0\n", encoding="utf-8")
    assert main(["fit", str(path), "--stream", "always"]) == 2
    assert "beside Parquet files" in capsys.readouterr().err


# ------------------------------------------------------------------------- engines of a report
def by_engine(engine: str, path: str) -> br.ScoreSummary:
    """The summary of a Parquet file through an engine, without its source."""
    if engine in ("polars", "duckdb", "pyarrow"):
        pytest.importorskip(engine)
        return replace(summarize_file(path, engine=engine), source=None)
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


@pytest.mark.parametrize(
    "engine", ["duckdb", "pyarrow", "pandas", "dask", "polars-frame", "duckdb-frame"]
)
def test_the_report_is_the_same_through_every_engine(
    engine: str, files: tuple[str, str], tmp_path: Path
) -> None:
    pages, found = [], []
    for one in ("polars", engine):
        analysis = br.analyze(by_engine(one, files[0]), by_engine(one, files[1]))
        analysis.to_html(tmp_path / f"{one}.html")
        pages.append((tmp_path / f"{one}.html").read_text(encoding="utf-8"))
        found.append(analysis.to_dict())
    assert same_numbers(found[0], found[1])
    assert pages[0] == pages[1]
