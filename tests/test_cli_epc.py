"""``betaroc epc``: table, JSON, CSV, picture, errors."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import betaroc as br
from betaroc.cli import main

DATA = Path(__file__).resolve().parents[1] / "examples" / "data"
DEV = str(DATA / "bob_verif" / "dev.csv")
TEST = str(DATA / "bob_verif" / "eval.csv")
UNIT_DEV = str(DATA / "liveness_cross_logreg" / "dev.csv")
UNIT_TEST = str(DATA / "liveness_cross_logreg" / "test_sharpen0.20.csv")


def write(path: Path, client: list[float], impostor: list[float]) -> str:
    lines = ["score,label", *(f"{s!r},1" for s in client), *(f"{s!r},0" for s in impostor)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    """Accepting all is best for alpha < 1/4 (cost alpha against 1/4), rejecting all above 3/4."""
    return write(tmp_path / "mixed.csv", [0.0, 0.4, 0.5, 0.6], [0.1, 0.2, 0.3, 0.7])


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["epc", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


# ------------------------------------------------------------------ json
def test_json_holds_the_curve(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--dev", DEV, "--test", TEST)
    dev, test = br.read_scores(DEV), br.read_scores(TEST)
    curve = br.epc(dev, test)
    for name in ("alpha", "threshold", "value", "expected", "a_posteriori", "far", "frr",
                 "trivial"):  # fmt: skip
        assert found[name] == getattr(curve, name).tolist()
    assert (found["criterion"], found["measure"]) == ("weighted-error", "hter")
    assert found["area"] == curve.area()
    assert found["family"] == "empirical"
    assert found["warnings"] == []
    for role, scores, path in (("dev", dev, DEV), ("test", test, TEST)):
        assert found[role]["n_client"] == scores.n_client == 390
        assert found[role]["n_impostor"] == scores.n_impostor == 520
        assert found[role]["source"] == {"path": path, "format": "csv"}
        assert found[role]["prior"] == pytest.approx(390 / 910)


def test_infinities_are_text_and_what_is_undefined_is_null(
    mixed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = write(tmp_path / "test.csv", [0.4, 0.5], [0.1, 0.3])
    options = ["--measure", "precision", "--alpha", "0", "0.5", "--alpha", "1"]
    found = document(capsys, "--dev", mixed, "--test", test, *options)
    assert found["alpha"] == [0.0, 0.5, 1.0]
    assert found["threshold"][0] == "-inf"
    # The lower 0.35 has FAR 0 on test; at 0.7 nobody is accepted, precision is 0/0.
    assert found["value"] == [0.5, 1.0, None]
    assert found["trivial"] == [True, False, True]
    assert found["area"] is None


def test_one_threshold_has_no_area(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--dev", DEV, "--test", TEST, "--criterion", "eer")
    assert len(found["threshold"]) == 1
    assert found["area"] is None


@pytest.mark.parametrize(
    ("asked", "dev", "test", "family"),
    [
        ("auto", DEV, TEST, "normal"),
        ("auto", UNIT_DEV, UNIT_TEST, "beta"),
        ("logit-normal", UNIT_DEV, UNIT_TEST, "logit-normal"),
    ],
)
def test_a_fit_of_dev_chooses(
    asked: str, dev: str, test: str, family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--family", asked, "--criterion", "far", "--measure", "frr", "--alpha", "0.05"]
    found = document(capsys, "--dev", dev, "--test", test, *options)
    fitted = br.fit(br.read_scores(dev), family=family)
    assert found["family"] == family
    assert fitted.model.far(found["threshold"][0]) == pytest.approx(0.05, rel=1e-9)
    met = br.fit(br.read_scores(test), family="empirical").model.at(found["threshold"][0])
    assert (found["far"], found["value"]) == ([met.far], [met.frr])


def test_column_options_reach_both_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("dev", "test"):
        rows = [f"genuine\t{k}.5" for k in range(4, 8)] + [f"fake\t{k}.0" for k in range(6)]
        (tmp_path / f"{name}.tsv").write_text("who\tp\n" + "\n".join(rows) + "\n")
    options = ["--score", "p", "--label", "who", "--client-label", "genuine", "--format", "tsv"]
    paths = ["--dev", str(tmp_path / "dev.tsv"), "--test", str(tmp_path / "test.tsv")]
    assert main(["epc", *paths, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["test"]["n_client"] == 4
    assert ["only 4 scores" in text or "same data" in text for text in found["warnings"]] == [
        True
    ] * 2


def test_boundary_rule_reaches_the_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dev = write(tmp_path / "d.csv", [0.4, 0.6, 0.8, 0.9, 1.0] * 3, [0.0, 0.1, 0.2, 0.3, 0.6] * 3)
    found = document(capsys, "--dev", dev, "--test", UNIT_TEST, "--family", "beta")
    assert len(found["warnings"]) == 1
    assert found["warnings"][0].startswith("dev: client: ")
    asked = ["--family", "beta", "--boundary", "error"]
    assert main(["epc", "--dev", dev, "--test", UNIT_TEST, *asked]) == 2
    assert main(["epc", "--dev", dev, "--test", UNIT_TEST, "--resolution", "0.1"]) == 2
    assert "empirical" in capsys.readouterr().err


# ------------------------------------------------------------------ table
def test_table_has_eleven_alphas_and_says_what_is_what(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["epc", "--dev", DEV, "--test", TEST]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.isascii()
    assert "thresholds from dev's scores themselves\n" in out
    assert "390 client and 520 impostor scores" in out
    assert "measure: hter (half total error rate)" in out
    assert "trivial: nowhere" in out
    rows = out.split("\n\n")[1].splitlines()
    assert [row.split()[0] for row in rows[1:]] == [
        "0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1",
    ]  # fmt: skip
    middle = br.epc(br.read_scores(DEV), br.read_scores(TEST), alpha=[0.5])
    assert rows[6].split()[4] == f"{100 * middle.value[0]:.3g}"


def test_trivial_zones_are_said_in_words(mixed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epc", "--dev", mixed, "--test", UNIT_TEST]) == 0
    out = capsys.readouterr().out
    # At 1/4 and 3/4 the costs tie, and (1/4, 1/4) has the smaller HTER.
    assert "everybody of dev is accepted for alpha from 0 to 0.24" in out
    assert "everybody of dev is rejected for alpha from 0.76 to 1" in out
    assert "accept all" in out
    assert main(["epc", "--dev", mixed, "--test", UNIT_TEST, "--alpha", "0", "0.5"]) == 0
    assert "everybody of dev is accepted at alpha 0\n" in capsys.readouterr().out


def test_area_is_of_the_alphas_given(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--criterion", "far", "--measure", "mcc", "--alpha", "0.1", "0.05"]
    assert main(["epc", "--dev", DEV, "--test", TEST, *options]) == 0
    out = capsys.readouterr().out
    curve = br.epc(br.read_scores(DEV), br.read_scores(TEST), criterion="far", measure="mcc",
                   alpha=[0.05, 0.1])  # fmt: skip
    mean = f"{curve.value.mean():.6g}"
    assert f"mean of mcc on test, alpha from 0.05 to 0.1: {mean}" in out
    assert "criterion: far (alpha: expected FAR)" in out


def test_tables_of_single_points_laws_and_undefined_values(
    mixed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["epc", "--dev", DEV, "--test", TEST, "--criterion", "break-even"]) == 0
    assert "\n  none " in capsys.readouterr().out
    assert main(["epc", "--dev", DEV, "--test", TEST, "--family", "auto"]) == 0
    out = capsys.readouterr().out
    assert "thresholds from a normal fit of dev, chosen because 1059 of 1820 scores lie" in out
    assert "reject all" in out
    assert main(["epc", "--dev", mixed, "--test", UNIT_TEST, "--measure", "precision",
                 "--alpha", "1", "0.5"]) == 0  # fmt: skip
    assert "0.5" in capsys.readouterr().out


# ------------------------------------------------------------------ csv
def test_csv_is_the_curve(mixed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epc", "--dev", mixed, "--test", TEST, "--csv", "--measure", "precision"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    curve = br.epc(br.read_scores(mixed), br.read_scores(TEST), measure="precision")
    assert [float(row["alpha"]) for row in rows] == curve.alpha.tolist()
    assert [float(row["threshold"]) for row in rows] == curve.threshold.tolist()
    assert [row["value"] == "" for row in rows] == (curve.value != curve.value).tolist()
    assert [row["trivial"] for row in rows] == [str(t).lower() for t in curve.trivial.tolist()]
    assert rows[0]["criterion"] == "weighted-error"
    assert rows[0]["test"] == TEST


@pytest.mark.parametrize("name", ["=1+1.csv", "@sum.csv", "+1.csv", "-1.csv", " =1.csv"])
def test_no_text_cell_is_a_formula(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name, [0.4, 0.6, 0.9], [0.1, 0.2, 0.5])
    assert main(["epc", f"--dev={name}", "--test", TEST, "--csv", "--alpha", "0.5"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert row["dev"] == f"'{name}"


# ------------------------------------------------------------------ picture
@pytest.mark.parametrize(("name", "start"), [("epc.svg", b"<?xml"), ("epc.png", b"\x89PNG")])
def test_picture(
    name: str, start: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / name
    arguments = ["epc", "--dev", DEV, "--test", TEST, "--json", "-o", str(out)]
    assert main(arguments) == 0
    assert out.read_bytes().startswith(start)
    assert json.loads(capsys.readouterr().out)["measure"] == "hter"
    assert main(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0


def test_pictures_that_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = tmp_path / "scores.svg"
    scores.write_bytes(Path(DEV).read_bytes())
    paths = ["--dev", str(scores), "--test", TEST, "--format", "csv"]
    assert main(["epc", *paths, "-o", str(scores), "--force"]) == 2
    assert scores.read_bytes() == Path(DEV).read_bytes()
    assert main(["epc", *paths, "-o", str(tmp_path / "x.pdf")]) == 2
    assert main(["epc", *paths, "-o", str(tmp_path / "no" / "x.png")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert ".svg or .png" in err


# ------------------------------------------------------------------ errors
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "1.5"], "alpha"),
        (["--alpha", "nan"], "NaN"),
        (["--alpha=-0.1"], "alpha"),
        (["--criterion", "eer", "--alpha", "0.5"], "has no alpha"),
        (["--criterion", "far", "--measure", "weighted-error"], "weighted-error"),
        (["--family", "beta"], "normal"),
        (["--test", "missing.csv"], "existing file"),
    ],
)
def test_bad_input_is_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["epc", "--dev", DEV, "--test", TEST, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("betaroc: ")
    assert message in err
    assert err.count("\n") == 1


def test_an_impossible_fit_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flat = write(tmp_path / "flat.csv", [0.5, 0.5], [0.2, 0.3])
    assert main(["epc", "--dev", flat, "--test", UNIT_TEST, "--family", "beta"]) == 1
    assert main(["epc", "--dev", flat, "--test", UNIT_TEST]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    "arguments",
    [["--dev", DEV], ["--test", TEST], ["--dev", DEV, "--test", TEST, "--json", "--csv"],
     ["--dev", DEV, "--test", TEST, "--criterion", "nothing"],
     ["--dev", DEV, "--test", TEST, "--measure", "auc"],
     ["--dev", DEV, "--test", TEST, "--alpha"],
     ["--dev", DEV, "--test", TEST, "--alpha", "much"]],
)  # fmt: skip
def test_usage_errors_are_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["epc", *arguments])
    assert caught.value.code == 2
    assert "usage: " in capsys.readouterr().err


def test_as_a_process() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "betaroc", "epc", "--dev", DEV, "--test", TEST,
         "--json"],
        cwd=Path(br.__file__).parents[1], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=120,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout)["criterion"] == "weighted-error"
