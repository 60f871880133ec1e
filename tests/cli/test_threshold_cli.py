"""`betaroc threshold`: the screen that is wanted, JSON, exit codes, files that do not do."""

import io
import json
import math
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.rendering import tree_text
from betaroc.rendering.numbers import rate, rounded
from helpers.files import write
from helpers.places import ROOT

Capture = pytest.CaptureFixture[str]

ASV = ROOT / "examples" / "data" / "asvspoof19_asv"
DEV, EVAL = str(ASV / "dev.csv.gz"), str(ASV / "eval.csv.gz")
LIVENESS = ROOT / "examples" / "data" / "liveness_cross_logreg"


def run(capsys, *arguments, code=0):
    assert main(["threshold", *arguments]) == code
    return capsys.readouterr().out


@pytest.mark.simulation
def test_the_threshold_alone_and_json(capsys):
    dev, test = (str(LIVENESS / f"{name}.csv") for name in ("dev", "test_sharpen0.40"))
    d = br.decide(br.read_scores(dev), far=0.01)
    assert run(capsys, dev, "--far", "0.01", "--print", "threshold") == f"{d.threshold!r}\n"
    said = json.loads(run(capsys, dev, "--far", "0.01", "--test", test, "--json"))
    check = d.check(br.read_scores(test))
    assert (said["threshold"], said["how"], said["status"]) == (d.threshold, d.how, check.status)
    assert said["test"]["observed"] == check.observed
    assert [way["how"] for way in said["methods"]] == [way.how for way in d.methods]


def test_a_target_over_species(capsys, tmp_path):
    """The options say what the argument does, and what no weights are is refused."""
    scores = br.datasets.load_liveness(sharpened=[0.0, 0.2, 0.4]).test
    path = tmp_path / "species.csv"
    rows = [f"bona fide,,{score!r}" for score in scores.client.tolist()]
    attacks = zip(scores.impostor_strata, scores.impostor.tolist(), strict=True)
    rows += [f"attack,{species},{score!r}" for species, score in attacks]
    path.write_text("\n".join(["label,species,score", *rows]), encoding="utf-8")
    call = [str(path), "--stratum", "species", "--far", "0.05"]
    weights = {"0": 0.5, "0.2": 0.3, "0.4": 0.2}
    for over, text in (
        (None, ""), ("worst", "worst"), ("pooled", "pooled"), (weights, "0=.5, 0.2=30%,0.4=0.2"),
    ):  # fmt: skip
        decision = br.decide(scores, far=0.05, over=over)
        options = ["--over", text] * (over is not None)
        threshold = run(capsys, *call, *options, "--print", "threshold")
        assert float(threshold) == decision.threshold
    assert '(--over "worst")' in run(capsys, *call, "--over", "pooled").replace("\n", " ")
    for text, message in (
        ("worst --how tail", 'Take --over "pooled".'),
        ("mean", '--over must be "pooled", "worst" or weights'),
        ("0=half,0.2=half", '--over must be "pooled", "worst" or weights'),
        ("0=.5", "--over must have weights that sum to 1; got 0.5"),
        ("0=.5,mask=.5", "--over must name strata"),
    ):
        assert main(["threshold", *call, "--over", *text.split(" ")]) == 2
        assert message in capsys.readouterr().err


def test_strata_of_a_file_in_pieces(capsys, tmp_path):
    """Sums and counts of each stratum decide as its scores do, but for the width of a bin."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 2000)
    species = np.where(label == 1, "", rng.choice(["print", "replay", "mask"], 2000))
    score = rng.normal(size=2000) + 2 * label + (species == "mask")
    path = tmp_path / "dev.csv"
    rows = zip(label, score, species, strict=True)
    path.write_text("label,score,species\n" + "".join(f"{k},{s},{name}\n" for k, s, name in rows))
    call = [str(path), "--far", "0.05", "--stratum", "species", "--json"]
    rows, counts = (
        json.loads(run(capsys, *call, "--stream", mode)) for mode in ("never", "always")
    )
    assert counts["threshold"] == pytest.approx(rows["threshold"], abs=2e-3)
    assert counts["interval"]["high"] == pytest.approx(rows["interval"]["high"], rel=1e-9)
    assert (counts["status"], counts["n"]) == (rows["status"], rows["n"])
    assert sorted(counts["strata"]["stratum"]) == sorted(rows["strata"]["stratum"])


@pytest.mark.simulation
def test_scores_that_are_missing(capsys, tmp_path):
    """Which file lacks them is said, and the report that is named reads them alike."""
    files = [tmp_path / name for name in ("d.csv", "t.csv")]
    for path, n in zip(files, (400, 390), strict=True):
        scores = np.arange(n) / n
        write(path, scores[n // 2 :], scores[: n // 2])
        path.write_text(f"{path.read_text()},1\n", encoding="utf-8")
    call = ["threshold", str(files[0]), "--far", "0.1", "--test", str(files[1]), "--missing"]
    assert main([*call, "drop"]) == 0
    err = capsys.readouterr().err.splitlines()
    assert [one.split("trials")[0] for one in err] == [
        "warning: dev: dropped ", "warning: test: dropped ",
    ]  # fmt: skip
    assert main([*call, "reject"]) == 0


def test_files_that_do_not_do(capsys, tmp_path):
    def refused(*arguments):
        assert main(["threshold", *arguments]) == 2
        return capsys.readouterr().err

    link = tmp_path / "link.csv.gz"
    link.hardlink_to(copied := Path(shutil.copy(DEV, tmp_path / "copy.csv.gz")))
    assert "named once" in refused(str(copied), "--far", "0.01", "--test", str(link))
    one = write(tmp_path / "one.csv", [0.5, 0.7], [])
    assert "there are no impostor scores" in refused(one, "--far", "0.01")
    assert "29 956 impostors needed" in refused(DEV, "--far", "0.0001", "--how", "guaranteed")


@pytest.mark.simulation
@pytest.mark.parametrize("form", [(), ("--print", "threshold")])
def test_a_copy_of_dev_is_told(capsys, tmp_path, form):
    copy = shutil.copy(DEV, tmp_path / "copy.csv.gz")
    assert main(["threshold", DEV, "--far", "0.01", "--test", str(copy), *form]) == 0
    assert "the scores are dev's own" in capsys.readouterr().err


def test_scores_of_software_in_single_precision():
    """Two decimals as float32: the number to deploy rejects those that tie with the threshold."""
    rng = np.random.default_rng(2)
    impostor = rng.normal(0, 1, 800).round(2).astype("f4")
    client = rng.normal(3, 1, 300).round(2).astype("f4")
    d = br.decide(br.Scores(client, impostor), far=0.05, family="normal")
    deploy = re.search(r"in\s+float32: (\S+)", tree_text.text_of(d._view()))
    assert deploy is not None
    accepted = impostor >= np.float32(deploy[1])
    assert np.array_equal(accepted, impostor.astype(float) > d.threshold)
    assert (impostor == np.float32(d.threshold)).any()


def test_letters_where_the_terminal_has_no_others(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["threshold", DEV, "--far", "0.01"]) == 0
    out.seek(0)
    text = out.read()
    assert "[ok] Can be relied on, not tested" in text
    assert text.isascii()


def test_bounds_are_rounded_up():
    assert rate(0.016415, up=True) == "1.7 %"
    assert rate(0.016, up=True) == "1.6 %"
    assert rate(1.81e-158, up=True) == "1.9e-156 %"
    assert rate(0.9912, up=True) == "99.2 %"


def test_copied_thresholds_never_break_the_target():
    rng = np.random.default_rng(1)
    for x in [*rng.normal(size=200), *rng.random(200) * 1e-6, 0.0, 12345.678, 1.4552720000000001]:
        assert float(rounded(float(x), up=True)) >= x
        assert float(rounded(float(x), up=False)) <= x
    assert rounded(1.455272, up=True) == "1.456"
    assert rounded(-math.inf, up=True) == "accept all"
