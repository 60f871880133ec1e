"""Any number of systems in one call: by name, in a folder, in a manifest; tables and errors."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.cli.systems import default_names
from betaroc.decision import ways

NAMES = ("mlp", "svm", "lr")


def write(path: Path, scores: br.Scores) -> str:
    rows = [*((s, 1) for s in scores.client), *((s, 0) for s in scores.impostor)]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "score,label\n" + "".join(f"{float(s)!r},{label}\n" for s, label in rows)
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems of one list of trials, the noise of which grows."""
    rng, place = np.random.default_rng(20), tmp_path_factory.mktemp("systems")
    truth = {role: [rng.normal(mu, 1.0, 120) for mu in (1.0, -1.0)] for role in ("dev", "test")}
    for name, sd in zip(NAMES, (0.1, 0.2, 3.0), strict=True):
        for role, classes in truth.items():
            logits = [x + rng.normal(0.0, sd, x.size) for x in classes]
            scores = br.Scores(*(1.0 / (1.0 + np.exp(-x)) for x in logits))
            write(place / name / f"{role}.csv", scores)
    return place


def options(folder: Path, *names: str) -> list[str]:
    found = []
    for name in names or NAMES:
        found += ["--system", name, *(str(folder / name / f"{r}.csv") for r in ("dev", "test"))]
    return found


def said(capsys: pytest.CaptureFixture[str], *call: str) -> str:
    assert main(list(call)) == 0
    return capsys.readouterr().out


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def refused(capsys: pytest.CaptureFixture[str], *call: str) -> str:
    """The error of a call that prints nothing else."""
    assert main(list(call)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err) <= 400 + len("betaroc: \n")
    return err


# ------------------------------------------------------------------------------- tables
def test_the_fits_of_three_systems_are_one_table(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = rows_of(said(capsys, "fit", *options(folder), "--csv"))
    assert [row["system"] for row in rows] == [name for name in NAMES for _ in range(2)]
    assert [row["class"] for row in rows] == ["client", "impostor"] * 3
    for row in rows[::2]:
        fitted = br.fit(br.read_scores(folder / row["system"] / "dev.csv"), family="beta")
        assert float(row["auc"]) == fitted.model.auc()
        assert float(row["eer"]) == float(fitted.model.eer().hter)
        clients, impostors = fitted.scores.client, fitted.scores.impostor
        counted = np.mean(clients[:, None] > impostors[None, :])  # of decimals without ties
        assert float(row["auc_counted"]) == pytest.approx(counted, abs=1e-12)
        a, b = (fitted.client.params[name] for name in "ab")
        assert row["parameters"] == f"a={a:.6g} b={b:.6g}"
    found = json.loads(said(capsys, "fit", *options(folder), "--json"))
    assert [one["system"] for one in found] == list(NAMES)
    assert found[0]["client"]["n"] == 120
    assert said(capsys, "fit", *options(folder), "--latex").count("\\\\") == 7


def test_files_alone_are_called_by_what_tells_them_apart(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(folder / name / "dev.csv") for name in NAMES]
    rows = rows_of(said(capsys, "fit", *files, "--csv"))
    assert [row["system"] for row in rows[::2]] == list(NAMES)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("a/dev.csv", "b/dev.csv"), ["a", "b"]),
        (("mlp-dev.csv", "svm-dev.csv"), ["mlp", "svm"]),
        (("x/mlp_dev.csv", "y/svm_dev.csv"), ["mlp", "svm"]),
        (("a/x/1.csv", "a/y/1.csv", "b/x/1.csv"), ["a/x", "a/y", "b/x"]),
        (("dev.csv", "dev-2.csv"), ["dev", "dev-2"]),
        (("dev.csv", "dev.tsv"), ["dev.csv", "dev.tsv"]),
        (("", "dev.csv"), ["", "dev.csv"]),
    ],
)
def test_default_names(paths: tuple[str, ...], names: list[str]) -> None:
    assert default_names(paths) == names


@pytest.mark.simulation
def test_the_thresholds_of_three_systems(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["threshold", *options(folder), "--far", "0.1", "--family", "beta"]
    rows = rows_of(said(capsys, *call, "--csv"))
    for row in rows:
        dev, test = (br.read_scores(folder / row["system"] / f"{r}.csv") for r in ("dev", "test"))
        decision = br.decide(dev, far=0.1, family="beta")
        assert float(row["threshold"]) == decision.threshold
        accepted = int(np.sum(test.impostor > decision.threshold))
        assert float(row["observed"]) == pytest.approx(accepted / 120, abs=1e-15)
        assert row["status"] == decision.check(test).status
    found = json.loads(said(capsys, *call, "--json"))
    assert [one["system"] for one in found] == list(NAMES)
    assert [one["threshold"] for one in found] == [float(row["threshold"]) for row in rows]
    assert said(capsys, *call).count("guaranteed") >= 3


@pytest.mark.simulation
def test_a_table_of_thresholds_fits_nothing_that_it_does_not_tell(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """29 of 120 impostors are enough for FAR 0.1, and the counts for costs and the EER."""
    wanted = {name: br.decide(br.read_scores(folder / name / "dev.csv"), far=0.1) for name in NAMES}
    found = json.loads(said(capsys, "threshold", *options(folder), "--far", "0.1", "--json"))
    assert {one["system"]: len(one["ways"]) for one in found} == {
        name: len(one.ways) for name, one in wanted.items()
    }

    def no_search(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(ways, "best_comparison", no_search)
    rows = rows_of(said(capsys, "threshold", *options(folder), "--far", "0.1", "--csv"))
    for row in rows:
        assert float(row["threshold"]) == wanted[row["system"]].threshold
        assert row["how"] == "guaranteed"
    assert "HTER" in said(capsys, "threshold", *options(folder), "--eer")
    refuse = ["--boundary", "censor", "--family", "normal"]
    assert "boundary" in refused(capsys, "threshold", *options(folder), "--far", "0.1", *refuse)


@pytest.mark.simulation
def test_what_rests_on_a_fit_stops_at_the_first_possible_way(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """FAR 0.005 asks for 598 impostors, or for 199 on average: 120 leave it to a fit."""
    dev = br.read_scores(folder / "lr" / "dev.csv")
    wanted = br.decide(dev, far=0.005)
    call = ["threshold", "--system", "lr", str(folder / "lr" / "dev.csv"), "--far", "0.005"]
    (row,) = rows_of(said(capsys, *call, "--csv"))
    assert (row["how"], float(row["threshold"])) == (wanted.how, wanted.threshold)
    assert wanted.how in ("tail", "model")


@pytest.mark.simulation
def test_the_fits_of_systems_in_full(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["fit", *options(folder), "--statistic", "tpr@far=0.1"]
    found = json.loads(said(capsys, *call, "--json"))
    one = ["fit", str(folder / "svm" / "dev.csv"), "--statistic", "tpr@far=0.1"]
    alone = json.loads(said(capsys, *one, "--json"))
    named = {"source": alone["source"] | {"path": "svm/dev.csv"}}
    assert found[1] == {"system": "svm"} | alone | named
    assert said(capsys, *call).count("What was read: ") == len(NAMES)
    assert "--json" in refused(capsys, *call, "--csv")
    assert "--level must be" in refused(capsys, "fit", *options(folder), "--level", "0")


def test_the_curves_of_three_systems(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["epc", *options(folder), "--alpha", "0.5", "0.2"]
    rows = rows_of(said(capsys, *call, "--csv"))
    for k, name in enumerate(NAMES):
        dev, test = (br.read_scores(folder / name / f"{r}.csv") for r in ("dev", "test"))
        curve = br.epc(dev, test, alpha=[0.5, 0.2])
        assert [float(row["value"]) for row in rows[2 * k : 2 * k + 2]] == curve.value.tolist()
    assert [one["system"] for one in json.loads(said(capsys, *call, "--json"))] == list(NAMES)
    assert "at 0.2" in said(capsys, *call)


def test_one_system_by_name_is_the_call_of_two_files(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = said(capsys, "epc", *options(folder, "mlp"), "--csv")
    files = [str(folder / "mlp" / f"{role}.csv") for role in ("dev", "test")]
    assert named == said(capsys, "epc", "--dev", files[0], "--test", files[1], "--csv")


def test_the_comparison_of_three_systems(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["compare", *options(folder), "--replicates", "200", "--alpha", "0.3", "0.7"]
    curves = {}
    for name in NAMES:
        sides = [br.read_scores(folder / name / f"{r}.csv") for r in ("dev", "test")]
        curves[name] = br.epc(*sides, alpha=[0.3, 0.7])
    wanted = br.compare_systems(curves, replicates=200, rng=0)
    assert "mean half total error rate" in said(capsys, *call)
    found = json.loads(said(capsys, *call, "--json"))
    assert found["verdict"] == wanted.verdict
    assert [row["low"] for row in found["pairs"]] == wanted.low.tolist()
    assert [row["system"] for row in found["ranking"]] == list(wanted.ranking)
    assert found["ranking"][-1]["system"] == "lr"
    rows = rows_of(said(capsys, *call, "--csv"))
    assert [row["system"] for row in rows] == list(wanted.ranking)
    assert wanted.verdict in said(capsys, *call)


def test_two_systems_by_name_are_compared_as_two_files_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rest = ["--replicates", "50", "--alpha", "0.5", "--csv"]
    files = {r: [str(folder / n / f"{r}.csv") for n in ("mlp", "lr")] for r in ("dev", "test")}
    short = ["--dev", *files["dev"], "--test", *files["test"], "--name", "mlp", "lr"]
    named = said(capsys, "compare", *options(folder, "mlp", "lr"), *rest)
    assert named == said(capsys, "compare", *short, *rest)
    assert named == said(capsys, "compare", *short[:-3], *rest)
    same = ["--dev", files["dev"][0], files["dev"][0], "--test", *files["test"], "--unpaired"]
    found = json.loads(said(capsys, "compare", *same, *rest[:-1], "--json"))
    assert found["names"] == ["mlp", "lr"]


# ------------------------------------------------------------------- folders and manifests
def test_a_folder_and_a_manifest_name_the_same_systems(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rest = ["--alpha", "0.5", "--csv"]
    named = said(capsys, "epc", *options(folder, "lr", "mlp", "svm"), *rest)
    assert said(capsys, "epc", "--systems", str(folder), *rest) == named
    place = tmp_path / "of three.toml"
    shutil.copytree(folder, tmp_path / "scores")
    place.write_text(
        "".join(
            f'[systems.{n}]\ndev = "scores/{n}/dev.csv"\ntest = ["scores/{n}/test.csv"]\n'
            for n in ("lr", "mlp", "svm")
        ),
        encoding="utf-8",
    )
    assert said(capsys, "epc", "--systems", str(place), *rest) == named


def test_files_that_are_missing_are_named_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "m.toml"
    place.write_text(
        '[systems.a]\ndev = "a.csv"\n[systems.b]\ndev = "b.csv"\ntest = "c.csv"\n', "utf-8"
    )
    err = refused(capsys, "fit", "--systems", str(place))
    assert "3 of 3 are none" in err
    assert all(name in err for name in ("a.csv", "b.csv", "c.csv"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must have tables [systems.NAME]"),
        ("systems = 3\n", "must have tables [systems.NAME]"),
        ("[systems.a]\ntest = 'x'\n", "must have dev"),
        ("[systems.a]\ndev = 'x'\nteste = 'x'\n", "teste"),
        ("[systems.a]\ndev = 3\n", "must have text in"),
        ("[systems.a]\ndev = 'x'\ntest = [3]\n", "must have text in"),
        ("[systems.a]\ndev = 'x'\ntest = 3\n", "must have text in"),
        ("[systems.a]\ndev = 'x'\ntest = {b = 'y'}\n", "must have text in"),
        ("[systems.a]\ndev = 'x'\ntest = ''\n", "must have text in"),
        ("[systems.a\n", "must be TOML"),
        ("[systems.a]\ndev = 'x'\n[systems.a]\ndev = 'y'\n", "must be TOML"),
    ],
)
def test_manifests_that_are_none(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "m.toml"
    place.write_text(text, encoding="utf-8")
    assert words in refused(capsys, "fit", "--systems", str(place))


def test_folders_with_other_files(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "holds none" in refused(capsys, "fit", "--systems", str(tmp_path))
    shutil.copytree(folder, tmp_path / "s")
    for hidden in (".DS_Store", "mlp/.DS_Store", "mlp/.dev.csv.swp"):
        (tmp_path / "s" / hidden).write_text("x")
    assert "mlp" in said(capsys, "fit", "--systems", str(tmp_path / "s"))
    (tmp_path / "s" / "readme.txt").write_text("x")
    (tmp_path / "s" / "mlp" / "eval.csv").write_text("x")
    err = refused(capsys, "fit", "--systems", str(tmp_path / "s"))
    assert "'mlp/eval.csv'" in err
    assert "'readme.txt'" in err
    (tmp_path / "s" / "mlp" / "dev.tsv").write_text("x")
    assert "holds 2" in refused(capsys, "fit", "--systems", str(tmp_path / "s"))


# -------------------------------------------------------------------------------- errors
def test_names_that_cannot_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dev, other = (str(folder / name / "dev.csv") for name in ("mlp", "svm"))
    for bad in ("", "   ", "x" * 81, "a\nb", "\x1b[31m"):
        err = refused(capsys, "fit", "--system", bad, dev)
        assert "1 to 80 characters" in err
    twice = ["--system", "a", dev, "--system", "a ", other]
    assert "a name of its own" in refused(capsys, "fit", *twice)
    assert "a name and a dev file" in refused(capsys, "fit", "--system", dev)
    assert "of 0" not in refused(capsys, "fit", "--system", "", dev)
    assert "1 are none" in refused(capsys, "fit", "--system", "a", str(folder))
    assert "--systems must name" in refused(capsys, "fit", "--systems", "")
    assert "1 of 2 are none" in refused(capsys, "fit", "", dev)


def test_a_file_serves_one_system_in_one_role(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev, test = (str(folder / "mlp" / f"{r}.csv") for r in ("dev", "test"))
    err = refused(capsys, "fit", "--system", "a", dev, "--system", "b", dev)
    assert "dev of 'b' and dev of 'a'" in err
    assert "named once" in refused(capsys, "report", "--system", "a", dev, dev, "-o", "r.html")
    twice = ["--system", "a", dev, test, test]
    assert "named once" in refused(capsys, "report", *twice, "-o", "r.html")
    assert "named once" in refused(capsys, "fit", dev, dev)


def test_what_names_one_system_stands_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev = str(folder / "mlp" / "dev.csv")
    assert "SCORES" in refused(capsys, "threshold", dev, *options(folder), "--eer")
    assert "--dev" in refused(capsys, "epc", "--dev", dev, *options(folder))
    assert "--systems" in refused(capsys, "fit", *options(folder), "--systems", str(folder))
    assert "--band" in refused(capsys, "epc", *options(folder), "--band", "test")
    assert "--print" in refused(capsys, "threshold", *options(folder), "--eer", "--print",
                                "threshold")  # fmt: skip
    assert "--dev must name" in refused(capsys, "epc")
    assert "at least two" in refused(capsys, "compare", *options(folder, "mlp"))
    assert "one test file" in refused(capsys, "epc", "--system", "a", dev)


def test_systems_with_other_trials(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = br.read_scores(folder / "lr" / "test.csv")
    fewer = write(tmp_path / "test.csv", br.Scores(scores.client[:-1], scores.impostor))
    call = [*options(folder, "mlp", "svm"), "--system", "lr", str(folder / "lr" / "dev.csv"), fewer]
    err = refused(capsys, "compare", *call)
    assert "120 client scores" in err
    assert "119" in err
    assert "--unpaired" in err
    assert main(["compare", *call, "--unpaired", "--replicates", "20", "--alpha", "0.5"]) == 0


# ------------------------------------------------------------------------------ pictures
@pytest.mark.simulation
@pytest.mark.parametrize("number", [2, 3, 9])
def test_names_of_80_characters_stay_inside_every_picture(number: int) -> None:
    """By the boxes of all drawn text."""
    from betaroc.cli.curves import draw_both
    from betaroc.decision.curve_view import named_curves
    from betaroc.rendering.picture_files import private_style

    rng = np.random.default_rng(3)
    names = ["W" * 79 + "a", "a-name-of-words " * 5, *(f"{k}" + "m" * 79 for k in range(7))]
    dev = br.Scores(rng.normal(1, 1, 30), rng.normal(-1, 1, 30))
    curves = {
        name: br.epc(dev, br.Scores(rng.normal(1, 1, 30), rng.normal(-1, 1, 30)),
                     measure="weighted-error", alpha=[0.3, 0.5, 0.7])
        for name in names[:number]
    }  # fmt: skip
    with private_style({}):
        if number == 2:
            comparison = br.compare(*named_curves(curves).values(), replicates=20, rng=1)
            figure = draw_both(comparison, "linear", "biometric").figure
        else:
            figure = br.compare_systems(curves, replicates=20, rng=1).plot().figure
        figure.draw_without_rendering()
        if number == 3:  # the last of each column says what its ticks are
            ticks = [[t for t in ax.get_xticklabels() if t.get_visible()] for ax in figure.axes[:3]]
            assert list(map(bool, ticks)) == [False, True, True]
        inside = figure.bbox
        texts = [text for one in figure.legends for text in one.get_texts()]
        for ax in figure.axes:
            legend = ax.get_legend()
            texts += [ax.title, ax.xaxis.label, ax.yaxis.label]
            texts += [] if legend is None else legend.get_texts()
        texts = [one for one in texts if one.get_visible() and one.get_text().strip()]
        boxes = [one.get_window_extent() for one in texts]
    told = "".join("".join(one.get_text().split()) for one in texts)
    drawn = [name for name in curves if "".join(name.split()) in told]
    assert len(drawn) == (number if number < 9 else 1)  # of many the best alone is named
    for box in boxes:
        assert box.x0 >= inside.x0 - 1
        assert box.x1 <= inside.x1 + 1
        assert box.y0 >= inside.y0 - 1
        assert box.y1 <= inside.y1 + 1


@pytest.mark.simulation
def test_a_report_of_two_systems_is_one_page(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "r.html"
    dev, test = (str(folder / "mlp" / f"{r}.csv") for r in ("dev", "test"))
    other = str(folder / "svm" / "dev.csv")
    call = ["--system", "<b>mlp", dev, test, "--system", "svm", other]
    assert main(["report", *call, "--family", "beta", "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<body>") == text.count("</html>") == 1
    assert text.count("<h1>") == 1
    assert "<b>mlp" not in text
    assert "&lt;b&gt;mlp" in text
    ids = [part.split('"')[0] for part in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
    assert [text.count(f'<a href="#system{k}-in"') for k in range(4)] == [0, 1, 1, 0]
    assert text.count('<details class="sec" id="system2"') == 1


@pytest.mark.simulation
def test_tables_say_what_was_guessed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once where all files are alike, else of which systems."""
    plain = folder / "mlp" / "dev.csv"
    shutil.copy(plain, tmp_path / "b.csv")
    rows = plain.read_text().replace(",", ";").replace(".", ",")
    for name in ("c.csv", "d.csv"):
        (tmp_path / name).write_text(rows)
    calls = {"fit": [], "threshold": ["--far", "0.1"], "epc": [], "compare": ["--replicates", "20"]}
    for command, rest in calls.items():
        tests = [] if command == "fit" else [str(tmp_path / f"{x}.csv") for x in "bcd"]
        names = [["--system", x, str(folder / x / "dev.csv")] for x in NAMES]
        given = [word for k, one in enumerate(names) for word in [*one, *tests[k : k + 1]]]
        text = said(capsys, command, *given, *rest)
        if command == "fit":
            assert text.count("files read as csv\n") == 1
        elif command == "threshold":
            told = "read as csv, guessed: separator=semicolon, decimal=comma\n"
            assert f"files of {NAMES[1]}, {NAMES[2]} {told}" in text
        else:
            assert text.count("(csv, guessed: separator=semicolon, decimal=comma), ") == 2


def test_tables_say_that_trials_without_a_score_count_as_rejected(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Two clients of each of a's files, three impostors of one."""
    for role, more in (("dev", 0), ("test", 3)):
        text = (folder / "mlp" / f"{role}.csv").read_text(encoding="utf-8")
        (tmp_path / f"{role}.csv").write_text(text + ",1\n" * 2 + ",0\n" * more, "utf-8")
    systems = ["--system", "a", *(str(tmp_path / f"{role}.csv") for role in ("dev", "test"))]
    systems += options(folder, "svm", "lr")
    told = "files of a: {} client and {} impostor trials without a score count as rejected: FAR"
    reject = ["--missing", "reject", *systems]
    assert told.format(4, 3) in said(capsys, "threshold", "--far", ".1", *reject)
    assert "; 2 client and 3 impostor trials without" in said(capsys, "epc", *reject)
    assert told.format(2, 0) in said(capsys, "fit", *reject)
