"""``betaroc epc``: table, JSON, CSV, picture, errors."""

import json
from pathlib import Path

import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.core.text import alphas_words
from helpers.places import DATA

Capture = pytest.CaptureFixture[str]

DEV = str(DATA / "bob_verif" / "dev.csv")
TEST = str(DATA / "bob_verif" / "eval.csv")


def document(capsys, *arguments):
    assert main(["epc", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_alphas_are_a_range_only_of_a_fine_grid():
    assert alphas_words([0.3]) == "at alpha 0.3"
    assert alphas_words([0.5, 0.2]) == "at alpha 0.2 and 0.5"
    assert alphas_words([0.1, 0.12, 0.9]) == "at alpha 0.1, 0.12 and 0.9"
    assert alphas_words([0.1, 0.12, 0.14]) == "for alpha from 0.1 to 0.14"
    many = [0.05 * k for k in range(13)]
    assert alphas_words(many) == "at each of the 13 alphas given between 0 and 0.6"


def test_a_band_is_that_of_the_curve(capsys):
    options = ["--alpha", "0.2", "0.5", "--band", "both", "--replicates", "60", "--simultaneous",
               "--level", "0.9", "--seed", "4"]  # fmt: skip
    found = document(capsys, "--dev", DEV, "--test", TEST, *options)["band"]
    curve = br.epc(br.read_scores(DEV), br.read_scores(TEST), alpha=[0.2, 0.5])
    band = curve.band(0.9, replicates=60, simultaneous=True, rng=4)
    for name in ("low", "high", "undefined"):
        assert found[name] == getattr(band, name).tolist()
    assert (found["m"], found["simultaneous"], found["resample"]) == (band.m, True, "both")
    fitted = document(capsys, "--dev", DEV, "--test", TEST, *options, "--family", "normal")["band"]
    expected = br.epc(br.fit(br.read_scores(DEV), "normal"), br.read_scores(TEST), alpha=[0.2, 0.5])
    assert fitted["low"] == expected.band(0.9, replicates=60, simultaneous=True, rng=4).low.tolist()
    assert fitted["m"] is None


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("name", "start"), [("epc.svg", b"<?xml"), ("epc.png", b"\x89PNG"), ("epc.pdf", b"%PDF")]
)
def test_picture(name, start, tmp_path, capsys):
    out = tmp_path / name
    arguments = ["epc", "--dev", DEV, "--test", TEST, "--json", "-o", str(out)]
    assert main(arguments) == 0
    assert out.read_bytes().startswith(start)
    assert json.loads(capsys.readouterr().out)["measure"] == "hter"
    assert main(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0


def test_of_two_files_of_one_name_the_path_is_said(tmp_path, capsys):
    paths = []
    for folder, rows in (("one", "1,1\n0,0\n"), ("two", "1,1\nx,0\n")):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "s.csv")
        paths[-1].write_text(f"score,label\n{rows}")
    assert main(["epc", "--dev", str(paths[0]), "--test", str(paths[1])]) == 2
    err = capsys.readouterr().err
    assert f"{Path('two', 's.csv')}', line 3: the score must be" in err
