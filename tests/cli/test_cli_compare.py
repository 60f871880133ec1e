"""``betaroc compare``: table, ranges in words, JSON, CSV, picture, errors."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.cli import main
from helpers.places import DATA

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
def test_json_of_42_trials(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Dev's threshold is 1.5 for alpha <= 1/2 (tied with 2.5 at 1/2: the lower), else 2.5.

    At 1.5 the good system errs on 7 of 21 impostors, the poor on 14 clients and 21 impostors:
    HTER 1/6 and 5/6. A replicate's difference is -(X + Y)/42, X the clients that b alone rejects
    and Y the impostors that b alone accepts, of 21 drawn each: X + Y is binomial (42, 2/3), of
    which the 97.5 % and 2.5 % points are the ends. At 2.5 the good errs nowhere, the poor at 2/3.
    """
    found = document(
        capsys, *pair(files), *FIXED, "--alpha", "0.6", "0.5", "0.4", "--name", "x", "y"
    )
    most, fewest = (stats.binom.ppf(q, 42, 2 / 3) for q in (0.975, 0.025))
    assert found["alpha"] == [0.6, 0.5, 0.4]
    assert found["threshold_a"] == found["threshold_b"] == [2.5, 1.5, 1.5]
    assert found["value_a"] == pytest.approx([0.0, 1 / 6, 1 / 6], abs=1e-15)
    assert found["value_b"] == pytest.approx([2 / 3, 5 / 6, 5 / 6])
    assert found["difference"] == pytest.approx([-2 / 3] * 3)
    assert found["low"] == pytest.approx([-most / 42] * 3)
    assert found["high"] == pytest.approx([-fewest / 42] * 3)
    assert found["resample"] == "test"
    assert found["dev_paired"] is None
    assert found["smallest"] == {"n": 21, "what": "client trials of test", "needed": 20}
    mean = found["mean_difference"]
    assert mean["estimate"] == pytest.approx(-2 / 3)
    assert (mean["alpha"], mean["better"]) == ([0.4, 0.6], "x")
    assert mean["method"] == "percentile, test drawn again"
    assert found["verdict"].startswith("At these two thresholds, x is better: HTER averaged")
    assert found["significant"] == [True] * 3
    assert found["better"] == ["x"] * 3
    (piece,) = found["ranges"]
    assert piece == {"low": 0.4, "high": 0.6, "alphas": [0.4, 0.5, 0.6], "better": "x"}
    assert found["names"] == ["x", "y"]
    assert (found["level"], found["paired"], found["replicates"], found["seed"]) == (
        0.95, True, 2000, 0,
    )  # fmt: skip
    assert (found["criterion"], found["measure"]) == ("weighted-error", "hter")
    assert found["larger_is_better"] is False
    assert [test["alpha"] for test in found["proportion_test"]] == [0.4, 0.5, 0.6]
    test = found["proportion_test"][1]
    # z = (1/6 - 5/6) / sqrt(1/2 1/2 (1/42 + 1/42)) = -2/3 sqrt(84); p = erfc(abs(z)/sqrt(2))
    assert (test["alpha"], test["errors"], test["trials"]) == (0.5, [7, 35], [42, 42])
    assert test["statistic"] == pytest.approx(-2 / 3 * math.sqrt(84.0))
    assert test["p_value"] == pytest.approx(math.erfc(2 / 3 * math.sqrt(42.0)))
    for k, (dev, tested) in enumerate((("dev_a", "good"), ("dev_b", "poor"))):
        assert found["sources"][k]["dev"]["source"] == {"path": f"{dev}.csv", "format": "csv"}
        assert found["sources"][k]["test"]["source"]["path"] == f"{tested}.csv"
        assert found["sources"][k]["test"]["n_client"] == 21


@pytest.mark.simulation
def test_dev_is_drawn_again_unless_told_otherwise(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, *pair(files), "--alpha", "0.4", "0.5", "0.6")
    assert (found["resample"], found["dev_paired"], found["replicates"]) == ("both", True, 2000)
    assert found["measure"] == "hter"
    assert found["verdict"].startswith("a is better: HTER averaged over alpha from 0.4")
    out = table(capsys, *pair(files), "--alpha", "0.4", "0.5", "0.6")
    assert "draws the same dev trials of all systems, chooses thresholds again" in out
    assert found["verdict"] in out
    assert "these very thresholds" not in out


@pytest.mark.simulation
def test_groups_and_ids_of_dev(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The columns are read of dev files too: other ids mean other trials, groups are drawn."""
    rng = np.random.default_rng(1)
    paths = {}
    for name in ("dev_a", "dev_b", "test_a", "test_b"):
        lines = ["score,label,id,group"]
        for k in range(60):
            score = float(rng.normal(1.0 if k % 2 else -1.0))
            trial = k + (100 if name == "dev_b" else 0)
            lines.append(f"{score!r},{k % 2},t{trial},g{k // 5}")
        paths[name] = tmp_path / f"{name}.csv"
        paths[name].write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = ["--dev", str(paths["dev_a"]), str(paths["dev_b"]),
             "--test", str(paths["test_a"]), str(paths["test_b"]), "--alpha", "0.5"]  # fmt: skip
    assert document(capsys, *files)["dev_paired"] is True
    assert document(capsys, *files, "--id", "id")["dev_paired"] is False
    grouped = document(capsys, *files, "--group", "group")
    assert grouped["groups"] == [12, 12]
    assert grouped["smallest"] == {"n": 12, "what": "client groups of test", "needed": 20}
    assert document(capsys, *files, "--group", "group", "--resample", "test")["groups"] == [12, 12]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_scores_name_no_system(
    n: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {
        "da": ([4, 5, 6], [0, 1, 2]), "db": ([4, 5, 7], [0, 1, 3]),
        "ta": ([4.5, 5, 6.5], [0.5, 1, 2.5]), "tb": ([0, 1, 2], [4, 5, 6]),
    }  # fmt: skip
    paths = {k: write(tmp_path / f"{k}.csv", c[:n], i[:n]) for k, (c, i) in names.items()}
    files = ["--dev", paths["da"], paths["db"], "--test", paths["ta"], paths["tb"]]
    for more in ([], ["--resample", "test"]):
        found = document(capsys, *files, "--alpha", "0.3", "0.5", *more)
        assert "annot tell which of da and db has the lower HTER" in found["verdict"]
        assert f"{n} client trials of" in found["verdict"]
        assert found["ranges"] == []
        assert found["mean_difference"]["better"] is None
        assert found["significant"] == [False, False]


@pytest.mark.simulation
def test_equal_systems_do_not_differ(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = write(tmp_path / "again.csv", *SCORES["good"])
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", files["good"], again]
    found = document(capsys, *arguments)
    assert found["difference"] == found["low"] == found["high"] == [0.0] * 101
    assert found["ranges"] == []
    assert found["better"] == [None] * 101
    (message,) = found["warnings"]
    assert message.startswith("a and b have the same scores on dev and on test")
    start = "cannot tell which of a and b has the lower "
    alike = "both err alike in every replicate, so that nothing tells them apart"
    assert found["verdict"] == (
        f"{start}HTER averaged over alpha from 0.1 to 0.9: {alike};"
        " the simultaneous 95 % band of the difference excludes 0 at no single alpha"
    )
    assert found["verdict"] in table(capsys, *arguments)
    assert f"{start}HTER: {alike}." in table(capsys, *arguments, "--criterion", "eer")


def test_measures_that_are_better_when_larger(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Precision at 1.5 is 3/4 against 1/4: the higher wins, whichever side it stands on."""
    for first, second, winner, sign in (("good", "poor", "a", 1), ("poor", "good", "b", -1)):
        options = [*pair(files, first, second), "--measure", "precision", "--alpha", "0.5"]
        found = document(capsys, *options)
        assert found["difference"] == pytest.approx([sign * 0.5])
        assert found["larger_is_better"] is True
        assert found["better"] == [winner]
        assert found["proportion_test"] is None


def test_undefined_values_are_null(
    tmp_path: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """No test score above 2.5, dev's threshold at alpha 0.6: the precision of a is 0/0."""
    low = write(tmp_path / "low.csv", 7 * [1.0, 2.0, 2.0], 7 * [0.0, 1.0, 0.0])
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", low, files["poor"],
                 "--measure", "precision", "--alpha", "0.6", "0.4"]  # fmt: skip
    found = document(capsys, *arguments, "--resample", "test")
    for key in ("value_a", "difference", "low", "high"):
        assert found[key][0] is None
        assert found[key][1] is not None
    assert found["significant"][0] is False


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


# ------------------------------------------------------------------ real scores
@pytest.mark.simulation
def test_json_is_the_comparison_of_real_scores(capsys: pytest.CaptureFixture[str]) -> None:
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


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.simulation
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
    assert "thresholds from a beta fit of dev, chosen because all 1079 scores lie in" in out
    assert "thresholds from a normal fit of dev, chosen because " in out


@pytest.mark.simulation
def test_the_same_data_twice_names_the_system(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = write(tmp_path / "again.csv", *SCORES["dev_a"])
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", again, files["poor"]]
    found = document(capsys, *arguments, "--name", "x", "y")
    message, other = found["warnings"]
    assert message.startswith("x: dev and test are the same data")
    # Of 9 pairs of the poor system 4 > 2, 3 and half of 4 = 4: 2.5/9.
    assert other.startswith("y: test: impostors score higher than clients: the empirical AUC is")
    assert "0.2778 < 0.5" in other


def test_one_system_on_two_test_sets(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--dev", files["dev_a"], files["dev_a"], "--test", files["good"], files["poor"]]
    found = document(capsys, *arguments, "--alpha", "0.5", "--unpaired")
    assert found["threshold_a"] == found["threshold_b"]
    assert found["difference"] == pytest.approx([-2 / 3])
    assert main(["compare", *arguments]) == 2
    assert "two different score files" in capsys.readouterr().err
    arguments[-1] = files["good"]
    assert main(["compare", *arguments, "--unpaired"]) == 2
    assert "two different score files" in capsys.readouterr().err


def test_a_criterion_without_alpha_has_none_in_the_json(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, *pair(files), "--criterion", "eer", "--replicates", "50")
    assert found["alpha"] == [None]
    assert (found["resample"], found["measure"]) == ("both", "hter")
    assert found["mean_difference"]["alpha"] == [None, None]
    assert found["ranges"] == [{"low": None, "high": None, "alphas": [None], "better": "a"}]
    assert [test["alpha"] for test in found["proportion_test"]] == [None]


@pytest.mark.simulation
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


# ------------------------------------------------------------------ csv, LaTeX and picture
@pytest.mark.simulation
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
    capsys: pytest.CaptureFixture[str],
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
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = write(tmp_path / "more.csv", [1, 4, 0, 5] * 7, [2, 3, 4] * 7)
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", files["good"], more]
    assert main(["compare", *arguments]) == 2
    err = capsys.readouterr().err
    assert "has 21 client scores" in err
    assert "28. Keep the common trials" in err
    assert "--unpaired" in err
    assert "draws test trials of each system" in table(capsys, *arguments, "--unpaired")


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


def test_names_are_asked_of_the_files_that_are_drawn(
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
    fixed = ["--resample", "test", "--json", "--replicates", "50"]
    assert main([*call, "--id", "trial", *fixed]) == 0
    capsys.readouterr()
    assert main([*call, "--id", "trial"]) == 2  # dev has no such column
    assert "da.csv" in capsys.readouterr().err
    assert main([*call, "--id", "trial", "--unpaired"]) == 2
    assert "--id must not stand beside --unpaired" in capsys.readouterr().err


def test_trials_without_a_score_are_paired_by_their_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Test of b lacks two scores, of a one: as many trials, but not as many scores."""
    rng, files = np.random.default_rng(3), []
    for name, gaps in (("a", {3}), ("b", {5, 7})):
        for role in ("dev", "test"):
            rows = [
                (f"t{k}", "" if role == "test" and k in gaps else repr(float(x)), int(k < 20))
                for k, x in enumerate(rng.normal(np.repeat([2, 0], 20)))
            ]
            path = tmp_path / f"{name}-{role}.csv"
            text = "".join(f"{','.join(map(str, row))}\n" for row in rows)
            path.write_text("trial,score,label\n" + text, encoding="utf-8")
            files.append(str(path))
    call = ["compare", "--system", "a", *files[:2], "--system", "b", *files[2:]]
    call += ["--replicates", "20", "--missing", "reject"]
    assert main([*call, "--id", "trial"]) == 0
    assert "the same test trials of all systems" in capsys.readouterr().out
    assert main(call) == 2
    assert "to know each trial in both; b has 2 client trials" in capsys.readouterr().err
    Path(files[3]).write_text("trial,score,label\nt0,1,1\nt1,0,0\n", encoding="utf-8")
    assert main([*call, "--id", "trial"]) == 2
    assert "a paired comparison needs the same trials" in capsys.readouterr().err
