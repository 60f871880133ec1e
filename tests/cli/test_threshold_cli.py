"""`betaroc threshold`: the screen that is wanted, JSON, exit codes, files that do not do."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shlex
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betaroc as br
from betaroc.cli import main
from betaroc.rendering.numbers import rate, rounded
from betaroc.rendering.tree import Figure, IntervalMark, Strip
from betaroc.rendering.tree_text import Terminal, text_of
from helpers.places import ROOT

ASV = ROOT / "examples" / "data" / "asvspoof19_asv"
DEV, EVAL = str(ASV / "dev.csv.gz"), str(ASV / "eval.csv.gz")
LIVENESS = ROOT / "examples" / "data" / "liveness_cross_logreg"

#: By hand: 45 of 5768 impostors above, Beta(46, 5723); Clopper and Pearson's of the rest.
GUARANTEED = (
    "Threshold 1.456   accept if score is above. Target FAR 1 %: guaranteed, 95 % confidence",
    "✓ Can be relied on",
    "FAR stays at or below 1 % on trials like dev's (5768 impostors; 299 needed)."
    " Test agrees: 0.62 %, interval up to 0.71 %.",
    "FAR (impostors accepted) 0.80 % (0.58 to 1.0 %, 45 of 5768)"
    " 0.62 % (0.53 to 0.71 %, 205 of 33 327)",
    "FRR (genuine rejected) 4.9 % (3.9 to 6.1 %, 73 of 1484) 6.6 % (5.9 to 7.3 %, 352 of 5370)",
    "> Guaranteed, 95 % 1.456 0.80 % (0.58 to 1.0 %) 45 ",
    "At most 1 % on average 0.6210 0.99 % (",
    """dev: 'dev.csv' (csv; label "genuine" taken for the client's), 1484 genuine and 5768""",
    """test: 'eval.csv' (csv; label "genuine" taken for the client's), 5370 genuine and 33327""",
    "score >= threshold: 1.4552720000000001",
    "(dev counts 0.43 % there: the fit does not hold)",
    "betaroc report --dev dev.csv --test eval.csv -o report.html",
)
#: 1 - .05 ** (1/181) is 1.64 %; 1/182 is .55 %; 88 of 448 with Clopper and Pearson's interval.
CONTRADICTED = (
    "Threshold 0.9344   accept if score is above. Target FAR 1 %: not guaranteed",
    "✗ Do not rely on it",
    "On test 88 of 448 attacks were accepted: FAR 20 %, about 20 times the target. Test attacks"
    " score above the threshold more often than dev's. FRR is 62 % on test: most bona fide are"
    " rejected.",
    "dev attacks like those of the test, at least 299 of them (you have 181).",
    "FAR (attacks accepted) 0.55 % (0.014 to 2.0 %, 0 of 181) 20 % (16 to 24 %, 88 of 448)",
    "FRR (bona fide rejected) 61 % (53 to 68 %, 109 of 180) 62 % (57 to 67 %, 278 of 448)",
    "Guaranteed, 95 % not possible: 299 attacks needed, dev has 181, which guarantee FAR 1.7 % at"
    " best (threshold 0.9344)",
    "By a tail not possible: 200 attacks needed, dev has 181",
    "Counted on dev 0.8640 1.1 % (",
)


def assert_told(text: str, pieces: tuple[str, ...]) -> None:
    """All of them, however wide their columns are."""
    plain = " ".join(text.split())
    assert [piece for piece in pieces if " ".join(piece.split()) not in plain] == []


def with_words(source: Path, target: Path, client: str, impostor: str) -> str:
    """A file whose labels are words."""
    table = pd.read_csv(source)
    table["label"] = np.where(table["label"] == 1, client, impostor)
    table[["score", "label"]].to_csv(target, index=False)
    return str(target)


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["threshold", *arguments]) == code
    return capsys.readouterr().out


@pytest.mark.simulation
def test_a_guarantee_that_is_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    dev, test = (
        with_words(ASV / f"{name}.csv.gz", Path(f"{name}.csv"), "genuine", "impostor")
        for name in ("dev", "eval")
    )
    text = run(capsys, dev, "--far", "0.01", "--test", test)
    assert_told(text, GUARANTEED)


@pytest.mark.simulation
def test_a_test_that_contradicts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    dev, test = (
        with_words(LIVENESS / f"{name}.csv", Path(f"{name}.csv"), "bona fide", "attack")
        for name in ("dev", "test_sharpen0.40")
    )
    text = run(capsys, dev, "--far", "0.01", "--test", test, "--strict", code=1)
    assert_told(text, CONTRADICTED)
    assert text.count("  Fitted, ") == 5


@pytest.mark.simulation
def test_the_words_of_a_field(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    dev, test = (
        with_words(LIVENESS / f"{name}.csv", Path(f"{to}.csv"), "bona fide", "attack")
        for name, to in (("dev", "FAR"), ("test_sharpen0.40", "test"))
    )
    text = run(capsys, dev, "--far", "0.01", "--test", test, "--terms", "pad")
    assert_told(text, ("APCER (attacks accepted) 0.55 %", "'FAR.csv' (csv"))
    assert not re.search(r"\bF[AR]R\b(?!\.csv)", text)


@pytest.mark.simulation
@pytest.mark.parametrize("target", [("--frr", "0.001"), ("--far", "0.0001"), ("--eer",)])
def test_lines_of_eighty_columns(
    capsys: pytest.CaptureFixture[str], target: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text, command, _ = run(capsys, DEV, *target, "--test", EVAL).partition("betaroc report")
    assert command
    assert max(map(len, text.splitlines())) <= 80


def test_a_test_that_accepts_all_impostors(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Its interval lies at the very end of the scale of rates."""
    rng = np.random.default_rng(3)
    files = []
    for name, shift in (("dev", 0.0), ("test", 10.0)):
        files.append(str(tmp_path / f"{name}.csv"))
        rows = [f"{k},{x + 2.0 * k + shift}" for k in (0, 1) for x in rng.normal(size=400)]
        Path(files[-1]).write_text("\n".join(["label,score", *rows]))
    text = run(capsys, files[0], "--far", "0.01", "--test", files[1])
    assert "On test 400 of 400 impostors were accepted" in text
    assert re.search(r"^test .*├●┤$", text, re.M)


def test_the_report_that_is_named_has_the_same_target(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    file = tmp_path / "dev.csv"
    rows = [
        f"{k},{x + 2.0 * k},{j // 5}" for k in (0, 1) for j, x in enumerate(rng.normal(size=400))
    ]
    file.write_text("\n".join(["label,score,person", *rows]))
    options = ["--group", "person", "--family", "normal", "--confidence", "0.9"]
    text = run(capsys, str(file), "--far", "0.05", *options)
    command = text.partition("betaroc report")[2].replace("\\\n", " ").split()
    assert {*options, "far=0.05", "--target"} - {"--confidence"} | {"--level"} <= set(command)
    assert "groups of impostors" in text
    assert "With about 90 % confidence" in " ".join(text.split())


@pytest.mark.simulation
def test_the_threshold_alone_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    d = br.decide(br.read_scores(DEV), far=0.01)
    assert run(capsys, DEV, "--far", "0.01", "--print", "threshold") == f"{d.threshold!r}\n"
    said = json.loads(run(capsys, DEV, "--far", "0.01", "--test", EVAL, "--json"))
    check = d.check(br.read_scores(EVAL))
    assert (said["threshold"], said["how"], said["status"]) == (d.threshold, d.how, d.status)
    assert said["test"]["observed"] == check.observed
    assert [way["how"] for way in said["ways"]] == [way.how for way in d.ways]


@pytest.mark.simulation
def test_the_document_is_the_decision_and_its_check(capsys: pytest.CaptureFixture[str]) -> None:
    d = br.decide(br.read_scores(DEV), far=0.01)
    text = run(capsys, DEV, "--far", "0.01", "--test", EVAL, "--json")
    assert br.from_json(text) == d
    assert br.from_json(json.dumps(json.loads(text)["test"])) == d.check(br.read_scores(EVAL))
    assert json.loads(run(capsys, DEV, "--far", "0.01", "--json"))["test"] is None


@pytest.mark.simulation
def test_the_ways_are_a_table_for_other_tools(capsys: pytest.CaptureFixture[str]) -> None:
    d = br.decide(br.read_scores(DEV), far=0.01)
    rows = list(csv.DictReader(run(capsys, DEV, "--far", "0.01", "--csv").splitlines()))
    assert [row["how"] for row in rows] == [way.how for way in d.ways]
    assert float(rows[0]["threshold"]) == d.ways[0].threshold
    assert [row["chosen"] for row in rows] == ["true"] + ["false"] * (len(rows) - 1)
    assert run(capsys, DEV, "--far", "0.01", "--latex") == d.to_latex()
    tested = run(capsys, DEV, "--far", "0.01", "--test", EVAL, "--csv")
    first = next(csv.DictReader(tested.splitlines()))
    # As on the screen: 205 of 33327 accepted, 352 of 5370 rejected.
    assert float(first["far_test"]) == pytest.approx(205 / 33327)
    assert float(first["frr_test"]) == pytest.approx(352 / 5370)


@pytest.mark.simulation
def test_small_targets_are_named_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert "At most 0.1 % on average" in run(capsys, DEV, "--far", "0.001")
    assert "At most 0.0005 % on average" in run(capsys, DEV, "--far", "0.000005")


@pytest.mark.simulation
def test_costs_have_no_strip(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, DEV, "--cost-fa", "10", "--cost-fr", "1", "--prior", "0.2")
    assert "0.01        0.1" not in text
    # 0.8 * 10 * 6/5768 + 0.2 * 199/1484
    assert_told(text, (f"cost (mean of a trial) {8 * 6 / 5768 + 0.2 * 199 / 1484:.3g} (",))
    assert "Not enough evidence" in text
    d = br.decide(br.read_scores(DEV), cost_fa=10, cost_fr=1, prior=0.2)
    assert repr(d.threshold_for_greater_equal) in text


@pytest.mark.simulation
def test_the_mean_of_both_rates_is_in_per_cent(capsys: pytest.CaptureFixture[str]) -> None:
    """29 of 181 and 29 of 180 on dev, 372 of 448 and 81 of 448 on test."""
    test = str(LIVENESS / "test_sharpen0.60.csv")
    text = run(capsys, str(LIVENESS / "dev.csv"), "--eer", "--test", test)
    mean, seen = (29 / 181 + 29 / 180) / 2, (372 / 448 + 81 / 448) / 2
    assert re.search(rf"HTER \(mean of both rates\) +{rate(mean)} \(.* {rate(seen)} \(", text)
    assert f"Test observes {rate(seen)} as the mean of both rates" in text
    words = f"FAR is {rate(372 / 448)} on test: most impostors are accepted."
    assert words in " ".join(text.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "exactly one target must be given: --far, --frr, --cost-fa with --cost-fr"),
        (["--far", "0"], "--far must be a fraction strictly between 0 and 1"),
        (["--cost-fa", "0", "--cost-fr", "1"], "--cost-fa must be"),
        (["--cost-fa", "1"], "--cost-fr must stand beside the other cost"),
        (["--eer", "--how", "average"], "--how must be one of"),
        (
            ["--far", "0.1", "--how", "counted"],
            "'guaranteed', 'average', 'tail', 'model' for a rate; got \"counted\", by which the"
            " rate on dev, not the true one, keeps the target.",
        ),
        (["--far", "0.1", "--confidence", "95"], "--level must be"),
        (["--far", "0.1", "--prior", "2"], "--prior must be"),
    ],
)
def test_requests_are_refused_before_a_file_is_read(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["threshold", "no such file.csv", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.simulation
def test_scores_that_are_missing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Which file lacks them is said, and the report that is named reads them alike."""
    files = [tmp_path / name for name in ("d.csv", "t.csv")]
    for path, n in zip(files, (400, 390), strict=True):
        rows = "".join(f"{k / n!r},{int(k >= n / 2)}\n" for k in range(n))
        path.write_text(f"score,label\n{rows},1\n", encoding="utf-8")
    call = ["threshold", str(files[0]), "--far", "0.1", "--test", str(files[1]), "--missing"]
    assert main([*call, "drop"]) == 0
    err = capsys.readouterr().err.splitlines()
    assert [one.split("trials")[0] for one in err] == [
        "warning: dev: dropped ", "warning: test: dropped ",
    ]  # fmt: skip
    assert main([*call, "reject"]) == 0
    out = capsys.readouterr().out
    assert "--missing reject" in out.split("betaroc report")[1]


def test_several_files_need_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["threshold", "a b.csv", "c.csv", "--far", "0.01"]) == 2
    err = capsys.readouterr().err
    assert "SCORES must be one file, dev's; got 2" in err
    assert "--test c.csv" in err
    assert "--system NAME 'a b.csv' --system NAME c.csv" in err


def test_files_that_do_not_do(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def refused(*arguments: str) -> str:
        assert main(["threshold", *arguments]) == 2
        return capsys.readouterr().err

    words = "--test must be another file than dev"
    link = tmp_path / "link.csv.gz"
    link.hardlink_to(copied := Path(shutil.copy(DEV, tmp_path / "copy.csv.gz")))
    assert words in refused(DEV, "--far", "0.01", "--test", DEV)
    assert words in refused(str(copied), "--far", "0.01", "--test", str(link))
    one = tmp_path / "one.csv"
    one.write_text("label,score\n1,0.5\n1,0.7\n")
    assert "there are no impostor scores" in refused(str(one), "--far", "0.01")
    assert "29 956 impostors needed" in refused(DEV, "--far", "0.0001", "--how", "guaranteed")
    assert "there is no" in refused(DEV, "--far", "0.01", "--test", "no such file.csv")


@pytest.mark.simulation
@pytest.mark.parametrize("form", [(), ("--print", "threshold")])
def test_a_copy_of_dev_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, form: tuple[str, ...]
) -> None:
    copy = shutil.copy(DEV, tmp_path / "copy.csv.gz")
    assert main(["threshold", DEV, "--far", "0.01", "--test", str(copy), *form]) == 0
    assert "the scores are dev's own" in capsys.readouterr().err


def test_scores_of_software_in_single_precision(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Two decimals as float32: the number to deploy rejects those that tie with the threshold."""
    rng = np.random.default_rng(2)
    impostor = rng.normal(0, 1, 800).round(2).astype("f4")
    rows = [f"1,{x}" for x in rng.normal(3, 1, 300).round(2)] + [f"0,{x}" for x in impostor]
    path = tmp_path / "narrow.csv"
    path.write_text("\n".join(["label,score", *rows]) + "\n")
    text = run(capsys, str(path), "--far", "0.05", "--dtype", "float32", "--family", "normal")
    deploy = re.search(r"score >= threshold in float32: (\S+)", text)
    assert deploy is not None
    d = br.decide(br.Scores([3.0], impostor), far=0.05, family="normal")
    accepted = impostor >= np.float32(deploy[1])
    assert np.array_equal(accepted, impostor.astype(float) > d.threshold)
    assert (impostor == np.float32(d.threshold)).any()


def test_the_report_can_be_pasted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "a long name of a folder with blanks, in which the scores are"
    folder.mkdir()
    dev = with_words(LIVENESS / "dev.csv", folder / "dev.csv", "katze", "hund")
    text = run(capsys, dev, "--far", "0.05", "--client-label", "katze", "--family", "beta")
    command = text[text.index("betaroc report") :].replace("\\\n", " ")
    options = ["--target", "far=0.05", "--client-label", "katze", "--family", "beta"]
    assert shlex.split(command) == [
        "betaroc",
        "report",
        "--dev",
        dev,
        *options,
        "-o",
        "report.html",
    ]


def test_a_fit_that_says_nothing_there_has_the_interval_of_its_scores(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Two impostors far beyond a normal distribution: its rate at theirs is 0 to all digits."""
    quantiles = (np.arange(198) + 0.5) / 198
    impostor = np.append(stats.norm.ppf(quantiles), [12.0, 12.5])
    rows = [f"1,{x}" for x in stats.norm.ppf(quantiles, 14, 1.5)] + [f"0,{x}" for x in impostor]
    path = tmp_path / "far.csv"
    path.write_text("\n".join(["label,score", *rows]) + "\n")
    text = run(capsys, str(path), "--far", "0.002", "--how", "model", "--family", "normal")
    assert "(no interval)" not in text
    assert "1.8 %" in text  # 1 - .025^(1/200), of no impostor of 200 beyond
    assert "The threshold was moved from" in " ".join(text.split())


def test_thresholds_of_no_use_are_not_relied_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    rows = [f"1,{x}" for x in rng.normal(-3, 1, 300)] + [f"0,{x}" for x in rng.normal(0, 1, 800)]
    path = tmp_path / "useless.csv"
    path.write_text("\n".join(["label,score", *rows]) + "\n")
    assert main(["threshold", str(path), "--far", "0.01", "--strict"]) == 1
    text = capsys.readouterr().out
    assert "Do not rely on it" in text
    assert "accepts clients no more often than impostors" in " ".join(text.split())


@pytest.mark.simulation
def test_rules_of_the_ends_are_obeyed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [f"1,{x:.2f}" for x in rng.beta(6, 1, 200)] + [f"0,{x:.2f}" for x in rng.beta(1, 9, 200)]
    path = tmp_path / "rounded.csv"
    path.write_text("\n".join(["label,score", *rows]) + "\n")
    told = run(capsys, str(path), "--far", "0.02", "--resolution", "0.01", "--family", "beta")
    d = br.decide(br.read_scores(path), far=0.02, resolution=0.01, family="beta")
    way = next(one for one in d.ways if one.how == "model")
    assert f"  {rounded(way.threshold, up=True)} " in told
    other = br.decide(br.read_scores(path), far=0.02, boundary="inflate", family="beta")
    assert other.ways != d.ways
    assert main(["threshold", str(path), "--far", "0.02", "--boundary", "error"]) == 0
    assert_told(capsys.readouterr().out, ("By a fit not possible: client must lie str",))


def test_letters_where_the_terminal_has_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["threshold", DEV, "--far", "0.01"]) == 0
    out.seek(0)
    text = out.read()
    assert "[ok] Can be relied on, not tested" in text
    assert text.isascii()


# ------------------------------------------------------------------------------- numbers
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 %"), (1.0, "100 %"), (0.00797, "0.80 %"), (0.0099653, "1.0 %"), (0.049, "4.9 %"),
        (0.2, "20 %"), (0.5, "50 %"), (0.991, "99.1 %"), (0.95, "95 %"), (0.00009, "0.0090 %"),
        (1.8e-158, "1.8e-156 %"), (9.96e-8, "1.0e-5 %"),
        (math.nan, "undefined"),
    ],
)  # fmt: skip
def test_rates_have_two_digits(value: float, text: str) -> None:
    assert rate(value) == text


def test_bounds_are_rounded_up() -> None:
    assert rate(0.016415, up=True) == "1.7 %"
    assert rate(0.016, up=True) == "1.6 %"
    assert rate(1.81e-158, up=True) == "1.9e-156 %"
    assert rate(0.9912, up=True) == "99.2 %"


def test_copied_thresholds_never_break_the_target() -> None:
    rng = np.random.default_rng(1)
    for x in [*rng.normal(size=200), *rng.random(200) * 1e-6, 0.0, 12345.678, 1.4552720000000001]:
        assert float(rounded(float(x), up=True)) >= x
        assert float(rounded(float(x), up=False)) <= x
    assert rounded(1.455272, up=True) == "1.456"
    assert rounded(-math.inf, up=True) == "accept all"


def strip(row: tuple[float, float, float], target: float) -> list[str]:
    mark = Strip("FAR", (IntervalMark("dev", *row, sure=False),), target)
    return text_of([Figure("", "", strip=mark)], Terminal()).split("\n")


def test_the_strip_of_a_small_target_reaches_down_to_it() -> None:
    """Six decades of 8 columns: a target of 1e-6, 0.0001 %, is at its beginning."""
    head, dev, target = strip((1e-7, 1e-5, 1e-3), 1e-6)
    assert head.split() == ["FAR", "0.0001", "0.01", "1", "100", "%"]
    assert (dev.index("["), dev.index("o"), dev.index("]")) == (14, 22, 38)
    assert target.index("target 0.0001 %") == 14


@pytest.mark.parametrize(
    ("wider", "costs", "said"),
    [
        (0, ("1", "1e-6"), "Threshold reject all   reject every score"),
        (1, ("1e-6", "1"), "Threshold accept all   accept every score"),
    ],
)
def test_thresholds_beyond_every_score_say_what_they_do(
    wider: int, costs: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:  # fmt: skip
    """The tails of the wider class are its own: its error alone, or the other's alone, counts."""
    rng = np.random.default_rng(0)
    path = tmp_path / "wide.csv"
    rows = [f"{k},{x}" for k in (0, 1) for x in rng.normal(0.1 * k, 1 + 2 * (k == wider), 300)]
    path.write_text("\n".join(["label,score", *rows]) + "\n")
    call = ["threshold", str(path), "--how", "model", "--family", "normal"]
    assert main([*call, "--cost-fa", costs[0], "--cost-fr", costs[1]]) == 0
    assert capsys.readouterr().out.startswith(said)


def test_a_strip_holds_rates_beyond_its_scale() -> None:
    lines = strip((0.0, 0.0, 1.0), 0.01)
    assert lines[1][14] == "o"
    assert lines[1][62] == "]"
