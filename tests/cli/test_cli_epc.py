"""``betaroc epc``: table, JSON, CSV, picture, errors."""

from __future__ import annotations

import csv
import io
import json
from argparse import Namespace
from pathlib import Path

import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.cli.messages import in_options
from betaroc.core.text import alphas_words
from betaroc.core.vocabulary import worded
from helpers.places import DATA

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
        assert found[role]["source"] == {"path": Path(path).name, "format": "csv"}
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


# ------------------------------------------------------------------ table
def test_alphas_are_a_range_only_of_a_fine_grid() -> None:
    assert alphas_words([0.3]) == "at alpha 0.3"
    assert alphas_words([0.5, 0.2]) == "at alpha 0.2 and 0.5"
    assert alphas_words([0.1, 0.12, 0.9]) == "at alpha 0.1, 0.12 and 0.9"
    assert alphas_words([0.1, 0.12, 0.14]) == "for alpha from 0.1 to 0.14"
    many = [0.05 * k for k in range(13)]
    assert alphas_words(many) == "at each of the 13 alphas given between 0 and 0.6"


def test_reversed_and_few_test_scores_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Test's AUC is 2/12: of 12 pairs only (0.3, 0.1) and (0.2, 0.1) are in order."""
    dev = write(tmp_path / "d.csv", [0.4, 0.6, 0.8, 0.9] * 5, [0.1, 0.2, 0.3, 0.5] * 5)
    test = write(tmp_path / "t.csv", [0.3, 0.2, 0.05], [0.1, 0.6, 0.7, 0.8])
    for family in ("empirical", "beta"):
        call = ["--dev", dev, "--test", test, "--family", family, "--alpha", "0.5"]
        warned = document(capsys, *call)["warnings"]
        assert [text for text in warned if "impostors score higher" in text] == [
            text for text in warned if text.startswith("test: impostors score higher than clients")
        ]
        assert sum("empirical AUC is 0.1667" in text for text in warned) == 1
        few = "test: only 3 client scores, fewer than 10: a rate counted on them moves in steps of"
        assert sum(text.startswith(f"{few} 1/3; only 4 impostor") for text in warned) == 1
        assert main(["epc", *call]) == 0
        err = capsys.readouterr().err.splitlines()
        assert [f"warning: {text}" for text in warned] == err
    # The same scores as dev: said once, of dev.
    warned = document(capsys, "--dev", test, "--test", dev, "--alpha", "0.5")["warnings"]
    (text,) = (text for text in warned if "impostors score higher" in text)
    assert text.startswith("dev: ")


def test_other_scales_are_said_also_of_a_fit(capsys: pytest.CaptureFixture[str]) -> None:
    for family in ("empirical", "normal"):
        found = document(capsys, "--dev", UNIT_DEV, "--test", TEST, "--family", family)
        assert sum("different scales" in text for text in found["warnings"]) == 1


@pytest.mark.parametrize(
    ("criterion", "alphas", "said"),
    [
        ("far", ["0.001", "0.1"], "FAR 0.001 is extrapolated: of 520 impostor scores 0.52"),
        ("recall", ["0.9", "0.999"], "FRR 0.001 is extrapolated: of 390 client scores 0.39"),
        ("far", ["0", "0.1"], ""),
        ("weighted-error", ["0.001"], ""),
    ],
)  # fmt: skip
def test_targets_finer_than_one_score(
    criterion: str, alphas: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["--dev", DEV, "--test", TEST, "--criterion", criterion, "--alpha", *alphas]
    warned = document(capsys, *call)["warnings"]
    assert len(warned) == bool(said)
    assert not said or warned[0].startswith(said)


# ------------------------------------------------------------------ csv and LaTeX
def test_csv_is_the_curve(mixed: str, capsys: pytest.CaptureFixture[str]) -> None:
    paths = ["--dev", mixed, "--test", UNIT_TEST]
    assert main(["epc", *paths, "--csv", "--measure", "precision"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    curve = br.epc(br.read_scores(mixed), br.read_scores(UNIT_TEST), measure="precision")
    assert [float(row["alpha"]) for row in rows] == curve.alpha.tolist()
    assert [float(row["threshold"]) for row in rows] == curve.threshold.tolist()
    assert [row["value"] == "" for row in rows] == (curve.value != curve.value).tolist()
    assert [row["trivial"] for row in rows] == [str(t).lower() for t in curve.trivial.tolist()]


# ------------------------------------------------------------------ band
@pytest.fixture
def six(tmp_path: Path) -> list[str]:
    """Dev's threshold at 1/2 is 2.5; on test it errs on client 2 and impostor 3."""
    dev = write(tmp_path / "six_dev.csv", [3, 4, 5], [1, 2, 3])
    return ["--dev", dev, "--test", write(tmp_path / "six_test.csv", [2, 4, 6], [0, 1, 3]),
            "--alpha", "0.5"]  # fmt: skip


def test_a_band_of_six_trials(six: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """HTER of a replicate is S/6, S binomial (6, 1/3).

    P(S = 0) = 64/729 > 0.025; P(S >= 5) = 13/729 < 0.025 < P(S >= 4) = 73/729.
    At level 0.6: P(S = 0) < 0.2 < P(S <= 1) = 256/729, P(S >= 4) < 0.2 < P(S >= 3) = 233/729.
    """
    band = document(capsys, *six, "--band", "test")["band"]
    assert band["low"] == [0.0]
    assert band["high"] == pytest.approx([4 / 6])
    rest = {key: band[key] for key in band if key not in ("low", "high")}
    assert rest == {
        "level": 0.95, "simultaneous": False, "resample": "test", "replicates": 10_000,
        "undefined": [0], "m": None, "groups": None, "seed": 0,
    }  # fmt: skip
    band = document(capsys, *six, "--band", "test", "--level", "0.6", "--seed", "5")["band"]
    assert (band["low"], band["high"]) == (pytest.approx([1 / 6]), pytest.approx([3 / 6]))
    assert (band["level"], band["seed"]) == (0.6, 5)
    assert document(capsys, *six)["band"] is None


def test_a_band_is_that_of_the_curve(capsys: pytest.CaptureFixture[str]) -> None:
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


def test_groups_of_a_band(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(DATA / "bob_verif" / f"scores-{name}.4col.txt") for name in ("dev", "eval")]
    call = ["--dev", files[0], "--test", files[1], "--alpha", "0.3", "0.5", "--replicates", "200"]
    alone = document(capsys, *call, "--band", "test")["band"]
    grouped = document(capsys, *call, "--band", "test", "--group", "claimed")["band"]
    people = {line.split()[0] for line in Path(files[1]).read_text().splitlines()}
    assert alone["groups"] is None
    assert grouped["groups"] == [None, len(people)]
    # Trials of one person err together: fewer of them vary more.
    assert grouped["high"][0] - grouped["low"][0] > alone["high"][0] - alone["low"][0]
    assert main(["epc", *call, "--band", "test", "--group", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


@pytest.mark.simulation
def test_a_seed_gives_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts, pictures = [], []
    for k, seed in enumerate(("2", "2", "3")):
        out = tmp_path / f"{k}.svg"
        call = ["epc", "--dev", DEV, "--test", TEST, "--band", "test", "--replicates", "100"]
        assert main([*call, "--seed", seed, "--json", "-o", str(out)]) == 0
        texts.append(capsys.readouterr().out)
        pictures.append(out.read_text())
    assert texts[0] == texts[1] != texts[2]
    assert pictures[0] == pictures[1] != pictures[2]
    assert ">95 % pointwise, fixed thresholds<" in pictures[0].replace("observed on test, ", "")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--level", "0.9"], "--level"),
        (["--seed", "1", "--replicates", "5"], "--seed, --replicates"),
        (["--simultaneous"], "--simultaneous"),
        (["--group", "person"], "--group"),
        (["--level", "0.95", "--simultaneous"], "--level, --simultaneous"),
    ],
)
def test_options_of_a_band_that_is_not_asked_for(
    options: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["epc", "--dev", DEV, "--test", TEST, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"betaroc: {named} must stand beside --band")


# ------------------------------------------------------------------ picture
@pytest.mark.simulation
@pytest.mark.parametrize(
    ("name", "start"), [("epc.svg", b"<?xml"), ("epc.png", b"\x89PNG"), ("epc.pdf", b"%PDF")]
)
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
    assert main(["epc", *paths, "-o", str(tmp_path / "x.eps")]) == 2
    assert main(["epc", *paths, "-o", str(tmp_path / "no" / "x.png")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert ".svg, .png or .pdf" in err


# ------------------------------------------------------------------ errors
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "1.5"], "alpha"),
        (["--alpha", "nan"], "nan"),
        (["--alpha=-0.1"], "alpha"),
        (["--criterion", "eer", "--alpha", "0.5"], "has no alpha"),
        (["--criterion", "far", "--measure", "weighted-error"], "weighted-error"),
        (["--family", "beta"], "normal"),
        (["--test", "missing.csv"], "existing file"),
        (["--band", "test", "--level", "95"], "--level must be a confidence level"),
        (["--band", "test", "--seed=-3"], "--seed must be an int >= 0"),
        (["--band", "both", "--replicates", "0"], "--replicates must be an int >= 1"),
        (["--force"], "--force must stand beside -o"),
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


def test_of_two_files_of_one_name_the_path_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for folder, rows in (("one", "1,1\n0,0\n"), ("two", "1,1\nx,0\n")):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "s.csv")
        paths[-1].write_text(f"score,label\n{rows}")
    assert main(["epc", "--dev", str(paths[0]), "--test", str(paths[1])]) == 2
    err = capsys.readouterr().err
    assert f"{Path('two', 's.csv')}', line 3: the score must be" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--score", "q"], "Pass --score."),
        (["--band", "test", "--group", "who"], "Pass --group COLUMN."),
        (["--client-label", "7"], "--client-label must be one of the labels"),
        (["--score", "x", "--label", "x"], "--score and --label must name two columns"),
        (["--alpha", "2"], "--alpha must be"),
        (["--format", "tsv"], "tab"),
    ],
)
def test_errors_name_options_not_arguments(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["epc", "--dev", DEV, "--test", TEST, *options]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "=" not in err


def test_messages_in_the_words_of_the_command_line() -> None:
    names = ("boundary", "resolution", "id", "score", "label", "client_label")
    options = Namespace(**dict.fromkeys(names))
    for given, said in (
        (
            'Other choices: `boundary="error"`, "drop".',
            'Other choices: --boundary "error", "drop".',
        ),
        (
            "if scores were rounded, pass `resolution=`.",
            "if scores were rounded, pass --resolution.",
        ),
        (
            "a column of ids (`id=...`), or `paired=False`.",
            "a column of ids (--id), or --unpaired.",
        ),
        ("`score=` and `label=` name columns", "--score and --label name columns"),
        ("unless `client_label= (--client-label)` says", "unless --client-label says"),
        ("'score=1.csv', line 3: the score must be finite",) * 2,
    ):
        assert in_options(worded(given), options) == said


def test_the_exact_band_of_a_rate_without_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["1,3", "1,4", "1,5", "0,1", "0,2", "0,0"]
    paths = [tmp_path / name for name in ("dev.csv", "test.csv")]
    for path, shift in zip(paths, ("", ".5"), strict=True):
        path.write_text("label,score\n" + "".join(f"{row}{shift}\n" for row in rows))
    call = ["epc", "--dev", str(paths[0]), "--test", str(paths[1]), "--measure", "far"]
    call += ["--alpha", "0.5", "--band", "test", "--method", "exact"]
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # No error among three: (1 - p)^3 = 0.025.
    assert found["band"]["low"] == [0.0]
    assert found["band"]["high"] == [pytest.approx(1 - 0.025 ** (1 / 3), rel=1e-12)]
    assert main([*call, "--seed", "1"]) == 2
    assert "--method exact, which draws nothing" in capsys.readouterr().err
    assert main(["epc", "--dev", "a", "--test", "b", "--method", "exact"]) == 2
    assert "--method must stand beside --band" in capsys.readouterr().err
