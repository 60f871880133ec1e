"""The liveness sets are what their generator makes, and so are the cells of its dense study."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betaroc

ROOT = Path(betaroc.__file__).parents[1]
pytest.importorskip("sklearn")


@pytest.fixture
def liveness(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "studies")
    import liveness

    return liveness


@pytest.fixture
def study(liveness):
    import liveness_atlas

    return liveness_atlas


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


def test_an_attack_is_sharpened_and_a_capture_stays_in_its_range(liveness):
    images = liveness.digits()[0][:20]
    assert np.array_equal(liveness.unsharp(images, 0.0), images)
    shown = [liveness.unsharp(liveness.recapture(images), k) for k in (0.0, 0.5, 2.0)]
    energy = [np.abs(np.diff(x, axis=2)).mean() for x in shown]
    assert energy == sorted(energy)
    capture = liveness.camera(shown[2], np.random.default_rng(1), 3.0)
    assert capture.min() >= 0.0
    assert capture.max() <= 16.0


@pytest.mark.simulation
def test_a_cell_is_the_same_in_any_order_and_a_path_keeps_its_clients(study):
    cell = {"protocol": "cross", "noise": 0.5, "blur": 0.48, "capacity": "2 units"}
    calm, sharp, again = (
        study.scores_of(cell | change, np.random.default_rng(seed))
        for seed, change in enumerate(({"sharpening": 0.0}, {"sharpening": 2.0}, {"noise": 0.7}))
        for change in [{"sharpening": 0.0} | change]
    )
    assert calm.client.tolist() == sharp.client.tolist() != again.client.tolist()
    assert sharp.impostor.mean() > calm.impostor.mean() + 0.2
    repeated = study.scores_of(cell | {"sharpening": 0.0}, np.random.default_rng(9))
    assert repeated.impostor.tolist() == calm.impostor.tolist()


def test_the_error_of_a_share_takes_paths_as_drawn(study):
    alone = pd.Series([True, True, True, False], index=range(4))
    cells = alone.repeat(5)  # that say the same within a path
    error = pytest.approx(np.sqrt(0.75 * 0.25 / 4))
    for holds, k, n in ((alone, 3, 4), (cells, 15, 20)):
        counted = study.share_of(holds)
        assert counted == {"holds": k, "cases": n, "share": 0.75, "error": error}


def test_a_claim_holds_at_as_many_shares_as_are_counted(study):
    table = pd.read_csv(ROOT / "studies" / "results" / "liveness_atlas_claims.csv")
    assert np.allclose(table["share"], table["holds"] / table["cases"], atol=1e-6)
    curves = pd.read_csv(ROOT / "studies" / "results" / "liveness_atlas_curves.csv")
    cells = np.prod([len(levels) for levels in study.DESIGN.values()])
    assert cells == 20480
    assert curves[list(study.COUNTED)].to_numpy().sum() >= cells - 200  # of constant scores no fit
