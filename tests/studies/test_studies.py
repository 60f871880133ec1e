"""The studies behind the documentation run, and their committed tables are what they write."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

import betaroc

ROOT = Path(betaroc.__file__).parents[1]
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


@pytest.mark.parametrize(
    "folder", sorted((ROOT / "studies" / "data").iterdir()), ids=lambda path: path.name
)
def test_data_of_a_study_say_where_they_are_from(folder):
    source = (folder / "SOURCE.md").read_text(encoding="utf-8")
    assert "Origin:" in source
    assert "Licence:" in source
    assert (folder / "UPSTREAM-LICENSE.txt").is_file()
