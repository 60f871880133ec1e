"""``betaroc compare``: table, ranges in words, JSON, CSV, picture, errors."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.analysis.compare import leader, leads, system_names
from betaroc.cli import main

DATA = Path(__file__).resolve().parents[1] / "examples" / "data"
REAL = [
    "--dev", *(str(DATA / f"liveness_within_{k}" / "dev.csv") for k in ("mlp", "svmdecision")),
    "--test",
    *(str(DATA / f"liveness_within_{k}" / "test_sharpen0.20.csv") for k in ("mlp", "svmdecision")),
]  # fmt: skip
SCORES = {
    "dev_a": ([2, 3, 4], [0, 1, 2]),
    "dev_b": ([2, 3, 4], [0, 1, 2]),
    "good": ([3, 4, 5], [0, 1, 2]),
    "poor": ([1, 4, 0], [2, 3, 4]),
}


def write(path: Path, client: list[float], impostor: list[float]) -> str:
    lines = ["score,label", *(f"{s!r},1" for s in client), *(f"{s!r},0" for s in impostor)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {name: write(tmp_path / f"{name}.csv", *both) for name, both in SCORES.items()}


def pair(files: dict[str, str], first: str = "good", second: str = "poor") -> list[str]:
    return ["--dev", files["dev_a"], files["dev_b"], "--test", files[first], files[second]]


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["compare", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def table(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["compare", *arguments]) == 0
    out, err = capsys.readouterr()
    assert out.isascii()
    assert all(line.startswith("warning: ") for line in err.splitlines())
    return out


# ------------------------------------------------------------------ numbers by hand
def test_json_of_six_trials(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Dev's threshold is 1.5 for alpha <= 1/2 (tied with 2.5 at 1/2: the lower), else 2.5.

    At 1.5 the good system errs on one impostor, the poor on two clients and three impostors:
    HTER 1/6 and 5/6. A replicate's difference is -(X + Y)/6, X the clients that b alone rejects
    and Y the impostors that b alone accepts, of three drawn each: X + Y is binomial (6, 2/3).
    P(X + Y = 6) = 64/729 > 0.025, so the lower end is -1; P(<= 1) = 13/729 < 0.025 <
    P(<= 2) = 73/729, so the upper is -2/6. At 2.5 the good errs nowhere, the poor at 2/3.
    """
    found = document(capsys, *pair(files), "--alpha", "0.6", "0.5", "0.4", "--name", "x", "y")
    assert found["alpha"] == [0.6, 0.5, 0.4]
    assert found["threshold_a"] == found["threshold_b"] == [2.5, 1.5, 1.5]
    assert found["value_a"] == pytest.approx([0.0, 1 / 6, 1 / 6], abs=1e-15)
    assert found["value_b"] == pytest.approx([2 / 3, 5 / 6, 5 / 6])
    assert found["difference"] == pytest.approx([-2 / 3] * 3)
    assert found["low"] == pytest.approx([-1.0] * 3)
    assert found["high"] == pytest.approx([-1 / 3] * 3)
    assert found["significant"] == [True] * 3
    assert found["better"] == ["x"] * 3
    (piece,) = found["ranges"]
    assert piece == {"low": 0.4, "high": 0.6, "alphas": [0.4, 0.5, 0.6], "better": "x"}
    assert found["names"] == ["x", "y"]
    assert (found["level"], found["paired"], found["replicates"], found["seed"]) == (
        0.95, True, 10_000, 0,
    )  # fmt: skip
    assert (found["criterion"], found["measure"]) == ("weighted-error", "hter")
    assert found["larger_is_better"] is False
    assert [test["alpha"] for test in found["proportion_test"]] == [0.4, 0.5, 0.6]
    test = found["proportion_test"][1]
    # z = (1/6 - 5/6) / sqrt(1/2 1/2 (1/6 + 1/6)) = -4/sqrt(3); p = erfc(abs(z)/sqrt(2))
    assert (test["alpha"], test["errors"], test["trials"]) == (0.5, [1, 5], [6, 6])
    assert test["statistic"] == pytest.approx(-4.0 / math.sqrt(3.0))
    assert test["p_value"] == pytest.approx(math.erfc(4.0 / math.sqrt(6.0)))
    for k, (dev, tested) in enumerate((("dev_a", "good"), ("dev_b", "poor"))):
        assert found["sources"][k]["dev"]["source"] == {"path": files[dev], "format": "csv"}
        assert found["sources"][k]["test"]["source"]["path"] == files[tested]
        assert found["sources"][k]["test"]["n_client"] == 3


def test_table_says_which_is_better_in_words(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = table(capsys, *pair(files), "--alpha", "0.4", "0.5", "0.6")
    assert "A has the lower HTER at alpha 0.4, 0.5 and 0.6\n" in out
    assert (
        "level 95 %, each alpha tested by itself: of 3 alphas about 5 % differ by chance where the"
        " systems are equal, neighbours together\ndev's choice is held fixed: "
    ) in out
    assert (
        "proportion test on all errors; it takes the two sets of decisions as independent and is"
        " too cautious for paired trials: the interval above is the one to quote\n"
    ) in out
    assert "too cautious" not in table(capsys, *pair(files), "--alpha", "0.5", "--unpaired")
    assert "measure: precision, higher is better\n" in table(
        capsys, *pair(files), "--alpha", "0.5", "--measure", "precision"
    )
    fine = table(capsys, *pair(files), "--alpha", "0.4", "0.41", "0.42")
    assert "A has the lower HTER for alpha from 0.4 to 0.42\n" in fine
    assert "measure: hter (half total error rate), lower is better" in out
    assert "interval: 95 % of the difference at fixed thresholds, each alpha by itself" in out
    rows = out.split("\n\n")[1].splitlines()
    assert rows[0].split() == ["alpha", "A", "B", "A", "-", "B", "low", "high", "better"]
    # 1/6, 5/6, -2/3, -1, -1/3 in per cent
    assert rows[2].split() == [
        "0.5", "16.7", "%", "83.3", "%", "-66.7", "%", "-100", "%", "-33.3", "%", "A",
    ]  # fmt: skip
    assert "1 of 6" in out
    assert "5 of 6" in out
    swapped = table(capsys, *pair(files, "poor", "good"), "--alpha", "0.5", "--name", "old", "new")
    assert "new has the lower HTER at alpha 0.5 (level 95 %)\n" in swapped


def test_measures_that_are_better_when_larger(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Precision at 1.5 is 3/4 against 1/4: the higher wins, whichever side it stands on."""
    for first, second, winner, sign in (("good", "poor", "A", 1), ("poor", "good", "B", -1)):
        options = [*pair(files, first, second), "--measure", "precision", "--alpha", "0.5"]
        found = document(capsys, *options)
        assert found["difference"] == pytest.approx([sign * 0.5])
        assert found["larger_is_better"] is True
        assert found["better"] == [winner]
        assert found["proportion_test"] is None
        out = table(capsys, *options)
        assert f"{winner} has the higher precision at alpha 0.5" in out
        assert "higher is better" in out
        assert "proportion test" not in out


def test_equal_systems_do_not_differ(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = write(tmp_path / "again.csv", *SCORES["good"])
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", files["good"], again]
    found = document(capsys, *arguments)
    assert found["difference"] == found["low"] == found["high"] == [0.0] * 101
    assert found["ranges"] == []
    assert found["better"] == [None] * 101
    (message,) = (m for m in found["warnings"] if "only 3 " not in m)
    assert message.startswith("both systems have the same scores on dev and on test")
    assert "no difference at level 95 % at any alpha\n" in table(capsys, *arguments)
    assert "no difference at level 90 %\n" in table(
        capsys, *arguments, "--criterion", "eer", "--level", "0.9"
    )


def test_leads_change_sides_where_the_sign_does() -> None:
    """Neighbouring alphas with opposite winners are two ranges, not one."""
    curve = br.epc(br.Scores([2.0, 3.0], [0.5, 1.5]), br.Scores([2.0, 4.0], [0.5, 1.5]),
                   alpha=[0.4, 0.1, 0.2, 0.3, 0.5])  # fmt: skip
    low = np.array([-0.1, 0.1, 0.1, -0.3, np.nan])
    high = np.array([0.1, 0.2, 0.3, -0.1, np.nan])
    for measure, expected in (("hter", [(1, (0.1, 0.2)), (0, (0.3,))]),
                              ("f1", [(0, (0.1, 0.2)), (1, (0.3,))])):  # fmt: skip
        e = br.epc(curve.dev, curve.test, alpha=curve.alpha, measure=measure)
        comparison = br.Comparison(e, e, True, 0.95, low, high, np.zeros((1, 5)))
        assert [tuple(lead) for lead in leads(comparison)] == expected
    assert leader(comparison).tolist() == [0, 1, 1, 2, 0]
    assert system_names(comparison) == ("A", "B")


# ------------------------------------------------------------------ real scores
def test_json_is_the_comparison_of_real_scores(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, *REAL, "--replicates", "500", "--seed", "3", "--level", "0.9")
    devs = [br.read_scores(path) for path in REAL[1:3]]
    tests = [br.read_scores(path) for path in REAL[4:]]
    curves = [br.epc(dev, test) for dev, test in zip(devs, tests, strict=True)]
    expected = br.compare(*curves, replicates=500, level=0.9, rng=3)
    assert expected.significant.any()
    for name in ("alpha", "difference", "low", "high", "significant"):
        assert found[name] == getattr(expected, name).tolist()
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
    assert inside.tolist() == expected.significant.tolist()


def test_a_seed_gives_the_same_bytes_and_pairing_matters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = []
    for options in (["--seed", "7"], ["--seed", "7"], ["--seed", "8"], ["--unpaired"]):
        assert main(["compare", *REAL, "--replicates", "300", "--json", *options]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]
    paired, unpaired = json.loads(texts[0]), json.loads(texts[3])
    assert (paired["paired"], unpaired["paired"]) == (True, False)
    width = [np.mean(np.subtract(d["high"], d["low"])) for d in (paired, unpaired)]
    assert width[0] < width[1]


def test_a_fit_of_each_dev_chooses_on_its_own_scale(capsys: pytest.CaptureFixture[str]) -> None:
    """The scores of the perceptron lie in [0, 1], those of the decision function do not."""
    options = ["--family", "auto", "--replicates", "50", "--alpha", "0.3", "0.5"]
    found = document(capsys, *REAL, *options)
    for k, side, family in ((1, "a", "beta"), (2, "b", "normal")):
        model = br.fit(br.read_scores(REAL[k]), family).model
        for alpha, theta in zip((0.3, 0.5), found[f"threshold_{side}"], strict=True):
            assert theta == pytest.approx(model.min_weighted_error(alpha).threshold, rel=1e-9)
    assert found["families"] == ["beta", "normal"]
    out = table(capsys, *REAL, *options)
    assert "A: thresholds from a beta fit of dev, chosen because all 1079 scores lie in" in out
    assert "B: thresholds from a normal fit of dev, chosen because " in out


def test_the_same_data_twice_names_the_system(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = write(tmp_path / "again.csv", *SCORES["dev_a"])
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", again, files["poor"]]
    found = document(capsys, *arguments, "--name", "x", "y")
    message, other = (m for m in found["warnings"] if "only 3 " not in m)
    assert message.startswith("x: dev and test are the same data")
    # Of 9 pairs of the poor system 4 > 2, 3 and half of 4 = 4: 2.5/9.
    assert other.startswith("y: test: impostors score higher than clients: the empirical AUC is")
    assert "0.2778 < 0.5" in other
    few = [m for m in found["warnings"] if "only 3 client scores, fewer than 10" in m]
    assert [m[: len("x: test")] for m in few] == ["x: test", "y: test"]


def test_one_system_on_two_test_sets(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--dev", files["dev_a"], files["dev_a"], "--test", files["good"], files["poor"]]
    found = document(capsys, *arguments, "--alpha", "0.5", "--unpaired")
    assert found["threshold_a"] == found["threshold_b"]
    assert found["difference"] == pytest.approx([-2 / 3])
    assert main(["compare", *arguments]) == 2
    assert "or pass --unpaired for one system on two test sets." in capsys.readouterr().err
    arguments[-1] = files["good"]
    assert main(["compare", *arguments, "--unpaired"]) == 2
    assert "--test must name two different files" in capsys.readouterr().err


def test_a_criterion_without_alpha_has_none_in_the_json(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, *pair(files), "--criterion", "eer", "--replicates", "50")
    assert found["alpha"] == [None]
    assert found["resample"] == "test"
    assert found["ranges"] == [{"low": None, "high": None, "alphas": [None], "better": "A"}]
    assert [test["alpha"] for test in found["proportion_test"]] == [None]
    out = table(capsys, *pair(files), "--criterion", "eer", "--replicates", "1")
    assert "; 1 bootstrap replicate, seed 0\n" in out
    assert "alphas about" not in out


def test_warnings_name_the_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edge = write(tmp_path / "edge.csv", [0.4, 0.6, 0.9, 1.0] * 4, [0.0, 0.1, 0.3, 0.5] * 4)
    arguments = ["--dev", REAL[1], edge, *REAL[3:], "--family", "beta", "--alpha", "0.5",
                 "--name", "old", "new", "--replicates", "20"]  # fmt: skip
    found = document(capsys, *arguments)
    assert found["warnings"][0].startswith("new: dev: client: ")
    assert found["warnings"][1].startswith("new: dev and test seem to be on different scales")
    assert len(found["warnings"]) == 2
    assert main(["compare", *arguments]) == 0
    assert capsys.readouterr().err.startswith("warning: new: dev: client: ")


# ------------------------------------------------------------------ csv and picture
def test_csv_is_one_row_an_alpha(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--csv", "--alpha", "0.5", "1", "--measure", "precision", "--name", "=1+1", "b"]
    assert main(["compare", *pair(files), *options]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == [
        "alpha", "threshold_a", "threshold_b", "value_a", "value_b", "difference", "low", "high",
        "significant", "better", "level", "paired", "replicates", "seed", "criterion", "measure",
        "name_a", "name_b", "dev_a", "test_a", "dev_b", "test_b",
    ]  # fmt: skip
    assert [rows[1][name] for name in ("paired", "replicates", "seed", "dev_b", "test_a")] == [
        "true", "10000", "0", files["dev_b"], files["good"],
    ]  # fmt: skip
    assert float(rows[0]["difference"]) == pytest.approx(0.5)
    assert (rows[0]["better"], rows[0]["name_a"], rows[0]["significant"]) == (
        "'=1+1", "'=1+1", "true",
    )  # fmt: skip
    assert rows[0]["measure"] == "precision"


def test_undefined_values_are_null_and_said(
    tmp_path: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """No test score above 2.5, dev's threshold at alpha 0.6: the precision of a is 0/0."""
    low = write(tmp_path / "low.csv", [1.0, 2.0, 2.0], [0.0, 1.0, 0.0])
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", low, files["poor"],
                 "--measure", "precision", "--alpha", "0.6", "0.4"]  # fmt: skip
    found = document(capsys, *arguments)
    for key in ("value_a", "difference", "low", "high"):
        assert found[key][0] is None
        assert found[key][1] is not None
    assert found["significant"][0] is False
    out = table(capsys, *arguments)
    assert "undefined (0/0) at 1 of 2 alphas" in out


@pytest.mark.parametrize(("name", "start"), [("c.svg", b"<?xml"), ("c.png", b"\x89PNG")])
def test_picture(
    name: str, start: bytes, files: dict[str, str], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
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


def test_score_files_are_never_overwritten(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.svg"
    path.write_bytes(Path(files["good"]).read_bytes())
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", files["poor"], str(path)]
    assert main(["compare", *arguments, "-o", str(path), "--force", "--format", "csv"]) == 2
    assert path.read_bytes() == Path(files["good"]).read_bytes()
    assert "must not be a score file" in capsys.readouterr().err


# ------------------------------------------------------------------ errors
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dev", "{dev_a}", "--test", "{good}", "{poor}"], "--dev must name two score files"),
        (["--dev", "{dev_a}", "{dev_b}", "--test", "{good}"], "one a system; got 1"),
        (["--dev", "{dev_a}", "{dev_b}", "--test", "{good}", "{poor}", "{dev_a}"], "got 3"),
        (["--dev", "{dev_a}", "{dev_a}", "--test", "{good}", "{poor}"], "two different files"),
        (["--dev", "{dev_a}", "{dev_b}", "--test", "{good}", "{good}"], "--test must name two"),
        (["--dev", "{dev_a}", "{dev_b}", "--test", "{good}", "none.csv"], "existing file"),
        (["PAIR", "--name", "one"], "--name must give two different names"),
        (["PAIR", "--name", "one", "one"], "--name must give two different names"),
        (["PAIR", "--name", "one", " "], "--name must give two different names"),
        (["PAIR", "--name", "one", 41 * "x"], "names of at most 40 characters"),
        (["PAIR", "--group", "a", "b", "c"], "--group must name one or two columns; got 3"),
        (["PAIR", "--level", "95"], "--level must be a confidence level"),
        (["PAIR", "--seed=-1"], "--seed must be an int >= 0"),
        (["PAIR", "--replicates", "0"], "replicates"),
        (["PAIR", "--alpha", "1.5"], "alpha"),
        (["PAIR", "--force"], "--force must stand beside -o"),
        (["PAIR", "-o", "x.pdf"], ".svg or .png"),
        (["PAIR", "--id", "trial"], "trial"),
    ],
)
def test_bad_input_is_2(
    arguments: list[str], message: str, files: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    given = [a.format(**files) for a in arguments]
    given = [*pair(files), *given[1:]] if given[0] == "PAIR" else given
    assert main(["compare", *given]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("betaroc: ")
    assert message in err
    assert err.count("\n") == 1


def test_different_numbers_of_trials_need_unpaired(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = write(tmp_path / "more.csv", [1, 4, 0, 5], [2, 3, 4])
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", files["good"], more]
    assert main(["compare", *arguments]) == 2
    err = capsys.readouterr().err
    assert "good.csv' has 3 client scores" in err
    assert "more.csv' 4. Keep the common trials" in err
    assert "--unpaired" in err
    out = table(capsys, *arguments, "--unpaired")
    assert "unpaired: two sets of trials, drawn independently" in out


def test_ids_are_checked_where_the_files_have_them(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for name, trials in (("one", "abcxyz"), ("two", "abdxyz"), ("three", "abcxyz")):
        rows = [f"{k}.5,{int(k < 3)},{trial}" for k, trial in enumerate(trials)]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("score,label,trial\n" + "\n".join(rows) + "\n")
    devs = []
    for name in ("d1", "d2"):
        devs.append(tmp_path / f"{name}.csv")
        devs[-1].write_text("score,label,trial\n3,1,p\n4,1,q\n0,0,r\n1,0,s\n")
    call = ["compare", "--dev", *map(str, devs), "--id", "trial", "--alpha", "0.5", "--test"]
    assert main([*call, str(paths[0]), str(paths[1])]) == 2
    err = capsys.readouterr().err
    assert "same test trials" in err
    assert "'c' and 'd' at index 2" in err
    assert "or take --unpaired" in err
    assert "paired=" not in err
    assert main([*call, str(paths[0]), str(paths[2])]) == 0
    capsys.readouterr()


def test_groups_are_drawn_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every trial twice in one group: the counts are those of half as many trials, doubled."""
    rng = np.random.default_rng(2)
    call: list[str] = []
    for name in ("dev", "test"):
        call.append(f"--{name}")
        for system in "ab":
            rows = [f"{k}.5,{int(k > 9)}" for k in rng.permutation(20).tolist()]
            rows.sort(key=lambda row: row[-1])
            path = tmp_path / f"{name}_{system}.csv"
            lines = [f"{row},g{k}" for k, row in enumerate(rows) for _ in range(2)]
            path.write_text("score,label,person\n" + "\n".join(lines) + "\n")
            call.append(str(path))
    options = ["--alpha", "0.3", "0.6", "--replicates", "4000"]
    alone, grouped = (
        document(capsys, *call, *options, *extra) for extra in ([], ["--group", "person"])
    )
    assert (alone["groups"], grouped["groups"]) == (None, [20, 20])
    assert alone["difference"] == grouped["difference"]
    width = [np.subtract(d["high"], d["low"]) for d in (alone, grouped)]
    assert np.all(width[1] >= width[0])
    assert "; trials drawn by 20 groups\n" in table(capsys, *call, *options, "--group", "person")


def test_an_impossible_fit_is_1(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = write(tmp_path / "flat.csv", [0.5, 0.5], [0.2, 0.3])
    arguments = ["--dev", flat, REAL[1], "--test", *REAL[4:], "--family", "beta"]
    assert main(["compare", *arguments]) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "arguments",
    [[], ["--dev", "a", "b"], ["PAIR", "--json", "--csv"], ["PAIR", "--criterion", "nothing"],
     ["PAIR", "--measure", "auc"], ["PAIR", "--level", "much"], ["PAIR", "--band", "test"]],
)  # fmt: skip
def test_usage_errors_are_2(
    arguments: list[str], files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*pair(files), *arguments[1:]] if arguments[:1] == ["PAIR"] else arguments
    with pytest.raises(SystemExit) as caught:
        main(["compare", *given])
    assert caught.value.code == 2
    assert "usage: " in capsys.readouterr().err


def test_names_are_asked_of_the_test_files_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = "label,score\n1,3\n1,4\n1,2\n0,1\n0,2\n0,0\n"
    named = "label,score,trial\n1,3,a\n1,4,b\n1,2,c\n0,1,d\n0,2,e\n0,0,f\n"
    files = {"da": plain, "db": plain.replace("1,3", "1,3.5"), "ta": named}
    files["tb"] = named.replace("1,3,a", "1,2.5,a")
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    paths = {name: str(tmp_path / f"{name}.csv") for name in files}
    call = ["compare", "--dev", paths["da"], paths["db"], "--test", paths["ta"], paths["tb"]]
    assert main([*call, "--id", "trial", "--json", "--replicates", "50"]) == 0
    capsys.readouterr()
    assert main([*call, "--id", "trial", "--unpaired"]) == 2
    assert "--id says which trials of two systems belong together" in capsys.readouterr().err
