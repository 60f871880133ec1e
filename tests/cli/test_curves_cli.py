"""``betaroc compare`` and ``betaroc epc``: warnings, refusals, bands, pictures."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.core.text import alphas_words
from betaroc.core.vocabulary import DEFAULT
from betaroc.rendering import tree_text
from betaroc.rendering.numbers import rate, read_as, rounded, threshold
from helpers.commands import said
from helpers.files import write
from helpers.places import DATA

#: Seven trials of each score: 21 a class.
SCORES = {
    "dev_a": ([2, 3, 4], [0, 1, 2]), "dev_b": ([2, 3, 4], [0, 1, 2]),
    "good": ([3, 4, 5], [0, 1, 2]), "poor": ([1, 4, 0], [2, 3, 4]),
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    return {
        name: write(tmp_path / f"{name}.csv", 7 * client, 7 * impostor)
        for name, (client, impostor) in SCORES.items()
    }


def test_one_system_on_two_test_sets(files, capsys):
    arguments = ["--dev", files["dev_a"], files["dev_a"], "--test", files["good"], files["poor"]]
    asked = ["--alpha", "0.5", "--unpaired", "--replicates", "20", "--json"]
    assert main(["compare", *arguments, *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["threshold_a"] == found["threshold_b"]
    assert found["difference"] == pytest.approx([-2 / 3])
    arguments[-1] = files["good"]
    assert main(["compare", *arguments, "--unpaired"]) == 2
    assert "must be named once" in capsys.readouterr().err


@pytest.mark.simulation
def test_different_numbers_of_trials_need_unpaired(files, tmp_path, capsys):
    more = write(tmp_path / "more.csv", [1, 4, 0, 5] * 7, [2, 3, 4] * 7)
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", files["good"], more]
    assert main(["compare", *arguments]) == 2
    err = capsys.readouterr().err
    assert "28. Keep the common trials" in err
    assert "--unpaired" in err
    assert main(["compare", *arguments, "--unpaired", "--replicates", "20"]) == 0
    assert "draws test trials of each system" in capsys.readouterr().out


DEV = str(DATA / "bob_verif" / "dev.csv")
TEST = str(DATA / "bob_verif" / "eval.csv")


def test_a_band_is_that_of_the_curve(capsys):
    options = ["--alpha", "0.2", "0.5", "--band", "both", "--replicates", "20", "--simultaneous",
               "--level", "0.9", "--seed", "4", "--family", "normal", "--json"]  # fmt: skip
    assert main(["epc", "--dev", DEV, "--test", TEST, *options]) == 0
    found = json.loads(capsys.readouterr().out)["band"]
    curve = br.epc(br.fit(br.read_scores(DEV), "normal"), br.read_scores(TEST), alpha=[0.2, 0.5])
    band = curve.band(0.9, replicates=20, simultaneous=True, rng=4)
    for name in ("low", "high", "undefined"):
        assert found[name] == getattr(band, name).tolist()
    assert (found["m"], found["simultaneous"], found["resample"]) == (None, True, "both")


@pytest.mark.simulation
def test_picture(tmp_path, capsys):
    for name, start in (("epc.svg", b"<?xml"), ("epc.png", b"\x89PNG"), ("epc.pdf", b"%PDF")):
        arguments = ["epc", "--dev", DEV, "--test", TEST, "-o", str(tmp_path / name)]
        assert main(arguments) == 0
        assert (tmp_path / name).read_bytes().startswith(start)
    assert main(arguments) == 2
    assert "--force" in capsys.readouterr().err


def test_of_two_files_of_one_name_the_path_is_said(tmp_path, capsys):
    paths = [write(tmp_path / folder / "s.csv", [1], [0]) for folder in ("one", "two")]
    Path(paths[1]).write_text("score,label\n1,1\nx,0\n")
    assert main(["epc", "--dev", paths[0], "--test", paths[1]]) == 2
    assert f"{Path('two', 's.csv')}', line 3: the score must be" in capsys.readouterr().err


def run(capsys, *arguments, code=0):
    return said(capsys, "threshold", *arguments, code=code)


@pytest.fixture(scope="module")
def species(tmp_path_factory):
    """Attacks of three kinds, and the same as scores."""
    rng, names = np.random.default_rng(0), np.array(["print", "replay", "mask"])
    client, impostor, of = rng.normal(2, 1, 300), rng.normal(0, 1, 900), np.repeat(names, 300)
    path = tmp_path_factory.mktemp("species") / "dev.csv"
    path = write(path, client, impostor, species=[None] * 300 + of.tolist())
    return path, br.Scores(client, impostor, impostor_strata=of)


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


def test_scores_of_software_in_single_precision():
    """Two decimals as float32: the number to deploy rejects those that tie with the threshold."""
    rng = np.random.default_rng(2)
    impostor = rng.normal(0, 1, 800).round(2).astype("f4")
    client = rng.normal(3, 1, 300).round(2).astype("f4")
    d = br.decide(br.Scores(client, impostor), far=0.05, how="average", family="normal")
    deploy = np.float32(re.search(r"in\s+float32: (\S+)", tree_text.text_of(d._view()))[1])
    assert np.array_equal(impostor >= deploy, impostor.astype(float) > d.threshold)
    assert (impostor == np.float32(d.threshold)).any()


def test_bounds_are_rounded_up_and_copied_thresholds_never_break_the_target():
    assert threshold(0.9999, 9.21024) == "0.9999 (logit 9.2102)"
    assert read_as("4col") == "4col: clients are the rows with equal claimed and real identity"
    many = [0.05 * k for k in range(13)]
    assert alphas_words(many) == "at each of the 13 alphas given between 0 and 0.6"
    shown = [rate(x, up=True) for x in (0.016415, 0.016, 1.81e-158, 0.9912)]
    assert shown == ["1.7 %", "1.6 %", "1.9e-156 %", "99.2 %"]
    rng = np.random.default_rng(1)
    for x in [*rng.normal(size=200), *rng.random(200) * 1e-6, 0.0, 12345.678, 1.4552720000000001]:
        assert float(rounded(float(x), up=True)) >= x
        assert float(rounded(float(x), up=False)) <= x
    assert rounded(1.455272, up=True) == "1.456"
    assert DEFAULT.fill(rounded(-math.inf, up=True)) == "accept all"
