"""The liveness sets are what their generator makes, and so are the cells of its dense study."""

import sys
from pathlib import Path

import numpy as np
import pytest

import betaroc

ROOT = Path(betaroc.__file__).parents[1]
pytest.importorskip("sklearn")


@pytest.fixture
def liveness(monkeypatch):
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
