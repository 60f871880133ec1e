"""The studies behind the documentation run, and their committed tables are what they write."""

import csv
import os
import subprocess
import sys

import numpy as np
import pytest

import betaroc as br
from helpers.places import ROOT

SCRIPTS = [p for p in sorted((ROOT / "studies").glob("*.py")) if "--quick" in p.read_text("utf-8")]


def header(path):
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


@pytest.mark.nightly
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_small_study_writes_the_tables_that_are_kept(script, tmp_path):
    options = ["--quick", "--tables", str(tmp_path)]
    options += ["--pictures", str(tmp_path / "img")] if "atlas" in script.stem else []
    result = subprocess.run(
        [sys.executable, "-W", "error", str(script), *options],
        env={**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    written = sorted(tmp_path.glob("*.csv"))
    kept = sorted((ROOT / "studies" / "results").glob(f"{script.stem}_*.csv"))
    assert [path.name for path in written] == [path.name for path in kept]
    assert [header(path) for path in written] == [header(path) for path in kept]


with (ROOT / "studies" / "results" / "conjectures_searches.csv").open(encoding="utf-8") as file:
    ROWS = {row["conjecture"]: row for row in csv.DictReader(file)}
REFUTED = {"shallow", "eer", "height-depth", "side-eer", "side-depth", "side-mean"}
REFUTED.add("crossings-near")


def models(row):
    shapes = [float(shape) for shape in row["witness"].split()]
    return [
        br.ScoreModel(br.Beta(*shapes[k : k + 2]), br.Beta(*shapes[k + 2 : k + 4]))
        for k in range(0, len(shapes), 4)
    ]


def test_what_is_refuted_is_refuted_in_30_digits_and_what_is_proved_is_never_violated():
    assert {name for name, row in ROWS.items() if row["exact"]} == REFUTED
    assert all((float(row["exact"] or 0) < -1e-9) == (k in REFUTED) for k, row in ROWS.items())
    assert {name for name, row in ROWS.items() if row["violated"] == "0"} >= {*ROWS} - REFUTED


@pytest.mark.simulation
@pytest.mark.parametrize("name", sorted({*ROWS} - {"crossings", "crossings-near"}))
def test_the_numbers_of_a_witness_are_those_of_the_package(name):
    model, row = models(ROWS[name])[0], ROWS[name]
    expected = float(row["auc"]), float(row["eer"]), max(float(row["height"]), float(row["depth"]))
    numbers = model.auc(), model.eer().far, model.ks()
    np.testing.assert_allclose(numbers, expected, rtol=1e-5, atol=1e-9)


@pytest.fixture
def liveness(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(ROOT / "studies")
    import liveness

    return liveness


@pytest.mark.simulation
def test_a_set_is_made_again(liveness, tmp_path):
    liveness.write_set(tmp_path, "cross", "logreg")
    table = liveness.differences(tmp_path)
    assert len(table) == 7
    assert table["agrees"].all()


@pytest.mark.nightly
def test_all_sets_are_made_again_by_one_command(liveness, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["liveness.py", "sets", str(tmp_path), "--check"])
    with pytest.raises(SystemExit) as ended:
        liveness.main()
    assert ended.value.code == 0
    assert "56 files" in capsys.readouterr().out
    assert liveness.differences(tmp_path)["same_bytes"].sum() >= 14  # those of the forest


def test_other_scores_and_another_order_do_not_agree(liveness, tmp_path):
    for name, step in (("cross_logreg", 2e-6), ("cross_forest", 0.1), ("within_forest", 0.0)):
        place = tmp_path / f"liveness_{name}"
        place.mkdir()
        rows = np.loadtxt(liveness.SHIPPED / place.name / "dev.csv", delimiter=",", skiprows=1)
        rows[np.argmin(rows[:, 1]), 1] += step
        text = "label,score\n" + "".join(f"{y:.0f},{score!r}\n" for y, score in rows.tolist())
        (place / "dev.csv").write_text(text)
    table = liveness.differences(tmp_path).set_index("file")["agrees"]
    assert table.to_dict() == {
        "liveness_cross_forest/dev.csv": False,
        "liveness_cross_logreg/dev.csv": False,
        "liveness_within_forest/dev.csv": True,
    }
