"""``betaroc compare``: table, ranges in words, JSON, CSV, picture, errors."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from helpers.places import DATA

Capture = pytest.CaptureFixture[str]

REAL = [
    "--dev", *(str(DATA / f"liveness_within_{k}" / "dev.csv") for k in ("mlp", "svmdecision")),
    "--test",
    *(str(DATA / f"liveness_within_{k}" / "test_sharpen0.20.csv") for k in ("mlp", "svmdecision")),
]  # fmt: skip
#: Seven trials of each score: 21 a class.
SCORES = {
    name: (7 * client, 7 * impostor)
    for name, client, impostor in (
        ("dev_a", [2, 3, 4], [0, 1, 2]),
        ("dev_b", [2, 3, 4], [0, 1, 2]),
        ("good", [3, 4, 5], [0, 1, 2]),
        ("poor", [1, 4, 0], [2, 3, 4]),
    )
}
#: The papers' test of these two thresholds and their measure.
FIXED = ["--resample", "test", "--measure", "hter"]


def write(path: Path, client: list[float], impostor: list[float]) -> str:
    lines = ["score,label", *(f"{s!r},1" for s in client), *(f"{s!r},0" for s in impostor)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {name: write(tmp_path / f"{name}.csv", *both) for name, both in SCORES.items()}


def pair(files: dict[str, str], first: str = "good", second: str = "poor") -> list[str]:
    return ["--dev", files["dev_a"], files["dev_b"], "--test", files[first], files[second]]


def document(capsys: Capture, *arguments: str) -> dict:
    assert main(["compare", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def table(capsys: Capture, *arguments: str) -> str:
    assert main(["compare", *arguments]) == 0
    out, err = capsys.readouterr()
    assert out.isascii()
    assert all(line.startswith("warning: ") for line in err.splitlines())
    return out


# ------------------------------------------------------------------ numbers by hand


# ------------------------------------------------------------------ real scores
@pytest.mark.simulation
def test_json_is_the_comparison_of_real_scores(capsys: Capture) -> None:
    options = ["--replicates", "500", "--seed", "3", "--level", "0.9", "--name", "A", "B"]
    found = document(capsys, *REAL, *FIXED, *options)
    devs = [br.read_scores(path) for path in REAL[1:3]]
    tests = [br.read_scores(path) for path in REAL[4:]]
    curves = [br.epc(dev, test) for dev, test in zip(devs, tests, strict=True)]
    expected = br.compare(*curves, resample="test", replicates=500, level=0.9, rng=3)
    assert expected.significant.any()
    for name in ("alpha", "difference", "low", "high", "significant"):
        assert found[name] == getattr(expected, name).tolist()
    for name in ("band_low", "band_high"):
        given = [math.nan if x is None else x for x in found[name]]
        np.testing.assert_array_equal(given, getattr(expected, name))
    assert found["verdict"] == expected.verdict
    mean = expected.mean_difference
    assert [found["mean_difference"][k] for k in ("estimate", "low", "high", "alpha")] == [
        mean.estimate, mean.low, mean.high, [0.1, 0.9],
    ]  # fmt: skip
    assert found["value_a"] == curves[0].value.tolist()
    assert found["value_b"] == curves[1].value.tolist()
    assert (found["level"], found["replicates"], found["seed"]) == (0.9, 500, 3)
    tested = [test["alpha"] for test in found["proportion_test"]]
    assert tested == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
    assert found["families"] == ["empirical"] * 2
    assert found["reasons"] == ["dev's scores themselves"] * 2
    assert found["warnings"] == []
    inside = np.zeros(101, dtype=bool)
    for piece in found["ranges"]:
        assert (piece["low"], piece["high"]) == (piece["alphas"][0], piece["alphas"][-1])
        inside |= np.isin(expected.alpha, piece["alphas"])
    assert expected.ranges
    assert inside.tolist() == (expected.better > 0).tolist()
    curves = [br.epc(*both) for both in zip(devs, tests, strict=True)]
    again = br.compare(*curves, replicates=500, level=0.9, rng=3)
    found = document(capsys, *REAL, *options)
    assert found["low"] == again.low.tolist()
    assert found["verdict"] == again.verdict


@pytest.mark.simulation
def test_the_same_data_twice_names_the_system(
    files: dict[str, str], tmp_path: Path, capsys: Capture
) -> None:
    again = write(tmp_path / "again.csv", *SCORES["dev_a"])
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", again, files["poor"]]
    found = document(capsys, *arguments, "--name", "x", "y")
    message, other = found["warnings"]
    assert message.startswith("x: dev and test are the same data")
    # Of 9 pairs of the poor system 4 > 2, 3 and half of 4 = 4: 2.5/9.
    assert other.startswith("y: test: impostors score higher than clients: the empirical AUC is")
    assert "0.2778 < 0.5" in other


def test_one_system_on_two_test_sets(files: dict[str, str], capsys: Capture) -> None:
    arguments = ["--dev", files["dev_a"], files["dev_a"], "--test", files["good"], files["poor"]]
    found = document(capsys, *arguments, "--alpha", "0.5", "--unpaired")
    assert found["threshold_a"] == found["threshold_b"]
    assert found["difference"] == pytest.approx([-2 / 3])
    assert main(["compare", *arguments]) == 2
    assert "two different score files" in capsys.readouterr().err
    arguments[-1] = files["good"]
    assert main(["compare", *arguments, "--unpaired"]) == 2
    assert "two different score files" in capsys.readouterr().err


# ------------------------------------------------------------------ csv, LaTeX and picture
@pytest.mark.simulation
@pytest.mark.parametrize(("name", "start"), [("c.svg", b"<?xml"), ("c.png", b"\x89PNG")])
def test_picture(
    name: str, start: bytes, files: dict[str, str], tmp_path: Path,
    capsys: Capture
) -> None:  # fmt: skip
    out = tmp_path / name
    arguments = ["compare", *pair(files), "--json", "-o", str(out), "--name", "mlp", "svm"]
    assert main(arguments) == 0
    first = out.read_bytes()
    assert first.startswith(start)
    assert json.loads(capsys.readouterr().out)["names"] == ["mlp", "svm"]
    assert main(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0
    assert out.read_bytes() == first
    if name.endswith("svg"):
        for text in (">mlp better (95 %)<", ">mlp - svm<", ">95 % pointwise<"):
            assert text in first.decode()
        assert "http" not in first.decode().replace("http://www.w3.org", "")


# ------------------------------------------------------------------ errors
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dev", "{dev_a}", "--test", "{good}", "{poor}"], "--dev must name two different"),
        (["--dev", "{dev_a}", "{dev_b}", "--test", "{good}"], "one per system; got 1"),
        (["--dev", "{dev_a}", "{dev_b}", "--test", "{good}", "{poor}", "{dev_a}"], "got 3"),
        (
            ["--dev", "{dev_a}", "{dev_a}", "--test", "{good}", "{poor}"],
            "two different score files",
        ),
        (
            ["--dev", "{dev_a}", "{dev_b}", "--test", "{good}", "{good}"],
            "two different score files",
        ),
        (["--dev", "{dev_a}", "{dev_b}", "--test", "{good}", "none.csv"], "existing file"),
        (["PAIR", "--name", "one"], "--name must give two different names"),
        (["PAIR", "--name", "one", "one"], "--name must give two different names"),
        (["PAIR", "--name", "one", " "], "--name must give two"),
        (["PAIR", "--name", "one", 81 * "x"], "--name must give two"),
        ([], "two different score files, one per system; got 0"),
        (["--dev", "a", "b"], "two different score files, one per system; got 0"),
        (["PAIR", "--group", "a", "b", "c"], "--group must name one column or two"),
        (["PAIR", "--level", "95"], "--level must be a confidence level"),
        (["PAIR", "--seed=-1"], "--seed must be an int >= 0"),
        (["PAIR", "--replicates", "0"], "replicates"),
        (["PAIR", "--alpha", "1.5"], "alpha"),
        (["PAIR", "--force"], "--force must stand beside -o"),
        (["PAIR", "-o", "x.eps"], ".svg, .png or .pdf"),
        (["PAIR", "--id", "trial"], "trial"),
    ],
)
def test_bad_input_is_2(
    arguments: list[str], message: str, files: dict[str, str],
    capsys: Capture
) -> None:  # fmt: skip
    given = [a.format(**files) for a in arguments]
    given = [*pair(files), *given[1:]] if given[:1] == ["PAIR"] else given
    assert main(["compare", *given]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("betaroc: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.simulation
def test_different_numbers_of_trials_need_unpaired(
    files: dict[str, str], tmp_path: Path, capsys: Capture
) -> None:
    more = write(tmp_path / "more.csv", [1, 4, 0, 5] * 7, [2, 3, 4] * 7)
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", files["good"], more]
    assert main(["compare", *arguments]) == 2
    err = capsys.readouterr().err
    assert "has 21 client scores" in err
    assert "28. Keep the common trials" in err
    assert "--unpaired" in err
    assert "draws test trials of each system" in table(capsys, *arguments, "--unpaired")
