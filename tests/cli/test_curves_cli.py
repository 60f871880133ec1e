"""``betaroc compare`` and ``betaroc epc``: warnings, refusals, bands, pictures."""

import json
from pathlib import Path

import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.core.text import alphas_words
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


def test_alphas_are_a_range_only_of_a_fine_grid():
    assert alphas_words([0.1, 0.12, 0.9]) == "at alpha 0.1, 0.12 and 0.9"
    assert alphas_words([0.1, 0.12, 0.14]) == "for alpha from 0.1 to 0.14"
    many = [0.05 * k for k in range(13)]
    assert alphas_words(many) == "at each of the 13 alphas given between 0 and 0.6"


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
