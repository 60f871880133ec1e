"""``betaroc epc``: table, JSON, CSV, picture, errors."""

import json
from pathlib import Path

import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.core.text import alphas_words
from helpers.files import write
from helpers.places import DATA

DEV = str(DATA / "bob_verif" / "dev.csv")
TEST = str(DATA / "bob_verif" / "eval.csv")


def test_alphas_are_a_range_only_of_a_fine_grid():
    assert alphas_words([0.3]) == "at alpha 0.3"
    assert alphas_words([0.5, 0.2]) == "at alpha 0.2 and 0.5"
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
