"""`betaroc threshold`: the screen that is wanted, JSON, exit codes, files that do not do."""

import json
import math
import re
import shutil

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.core.vocabulary import DEFAULT
from betaroc.rendering import tree_text
from betaroc.rendering.numbers import rate, rounded
from helpers.commands import said
from helpers.files import write
from helpers.places import DATA

DEV = str(DATA / "liveness_cross_logreg" / "dev.csv")
TEST = str(DATA / "liveness_cross_logreg" / "test_sharpen0.40.csv")


def run(capsys, *arguments, code=0):
    return said(capsys, "threshold", *arguments, code=code)


def test_the_threshold_alone_and_json(capsys):
    asked = [DEV, "--far", "0.01", "--family", "beta"]
    d = br.decide(br.read_scores(DEV), far=0.01, family="beta")
    assert run(capsys, *asked, "--print", "threshold") == f"{d.threshold!r}\n"
    told = json.loads(run(capsys, *asked, "--test", TEST, "--json"))
    check = d.check(br.read_scores(TEST))
    assert (told["threshold"], told["how"], told["status"]) == (d.threshold, d.how, check.status)
    assert told["test"]["observed"] == check.observed


@pytest.fixture(scope="module")
def species(tmp_path_factory):
    """Attacks of three kinds, and the same as scores."""
    rng, names = np.random.default_rng(0), np.array(["print", "replay", "mask"])
    client, impostor, of = rng.normal(2, 1, 300), rng.normal(0, 1, 900), np.repeat(names, 300)
    rows = [f"1,{score!r}," for score in client.tolist()]
    rows += [f"0,{score!r},{name}" for score, name in zip(impostor.tolist(), of, strict=True)]
    path = tmp_path_factory.mktemp("species") / "dev.csv"
    path.write_text("\n".join(["label,score,species", *rows, ""]))
    return str(path), br.Scores(client, impostor, impostor_strata=of)


@pytest.mark.simulation
def test_a_target_over_species(capsys, species):
    """The options say what the argument does."""
    path, scores = species
    call = [path, "--stratum", "species", "--far", "0.05", "--how", "guaranteed"]
    weights = {"print": 0.5, "replay": 0.3, "mask": 0.2}
    for over, text in (("pooled", "pooled"), (weights, "print=.5, replay=30%,mask=0.2")):
        decision = br.decide(scores, far=0.05, over=over, how="guaranteed")
        shown = run(capsys, *call, "--over", text, "--print", "threshold")
        assert shown == f"{decision.threshold!r}\n"
    message = run(capsys, *call, "--over", "print=half,mask=0.2", code=2)
    assert '--over must be "pooled", "worst" or weights' in message


def test_curves_over_species(capsys, species):
    path, scores = species
    call = ["--dev", path, "--test", path, "--stratum", "species", "--alpha", "0.5"]
    assert main(["epc", *call, "--over", "print=.6,mask=.4", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    with pytest.warns(br.errors.SameDataWarning):
        curve = br.epc(scores, scores, alpha=[0.5], over={"print": 0.6, "mask": 0.4})
    assert shown["threshold"] == curve.threshold.tolist()
    assert shown["value"] == curve.value.tolist()


@pytest.mark.simulation
def test_which_file_lacks_scores_is_said(capsys, tmp_path):
    files = [tmp_path / "d.csv", tmp_path / "t.csv"]
    for path, n in zip(files, (400, 390), strict=True):
        write(path, np.arange(n), -np.arange(n))
        path.write_text(f"{path.read_text()},1\n", encoding="utf-8")
    asked = ["--far", "0.1", "--family", "normal", "--missing", "drop"]
    assert main(["threshold", str(files[0]), "--test", str(files[1]), *asked]) == 0
    err = capsys.readouterr().err.splitlines()
    assert [line.split(": dropped")[0] for line in err] == ["warning: dev", "warning: test"]


@pytest.mark.simulation
def test_files_that_do_not_do(capsys, tmp_path):
    copied = str(shutil.copy(DEV, tmp_path / "copy.csv"))
    (tmp_path / "link.csv").hardlink_to(copied)
    asked = ["--far", "0.01", "--how", "average", "--family", "beta"]
    refused = run(capsys, copied, *asked, "--test", str(tmp_path / "link.csv"), code=2)
    assert "named once" in refused
    assert main(["threshold", DEV, *asked, "--test", copied, "--print", "threshold"]) == 0
    assert "the scores are dev's own" in capsys.readouterr().err


def test_scores_of_software_in_single_precision():
    """Two decimals as float32: the number to deploy rejects those that tie with the threshold."""
    rng = np.random.default_rng(2)
    impostor = rng.normal(0, 1, 800).round(2).astype("f4")
    client = rng.normal(3, 1, 300).round(2).astype("f4")
    d = br.decide(br.Scores(client, impostor), far=0.05, how="average", family="normal")
    deploy = np.float32(re.search(r"in\s+float32: (\S+)", tree_text.text_of(d._view()))[1])
    assert np.array_equal(impostor >= deploy, impostor.astype(float) > d.threshold)
    assert (impostor == np.float32(d.threshold)).any()


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
    assert DEFAULT.fill(rounded(-math.inf, up=True)) == "accept all"
