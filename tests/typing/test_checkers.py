"""What type checkers find in typical use, and in lines with an error each."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from helpers.places import ROOT

CHECKERS = {"mypy": [sys.executable, "-m", "mypy", "--strict"], "pyright": ["pyright"]}


@pytest.mark.nightly
@pytest.mark.parametrize("name", CHECKERS)
def test_checkers_find_the_misspelt_lines_and_nothing_in_typical_use(name: str) -> None:
    if name == "pyright" and not shutil.which("pyright"):
        pytest.skip("pyright is not installed")
    folder = ROOT / "tests" / "typing"
    files = [str(folder / "usage.py"), str(folder / "misspelt.py")]
    done = subprocess.run([*CHECKERS[name], *files], cwd=ROOT, capture_output=True, text=True)
    found = re.findall(r"(\w+)\.py:(\d+):(?:\d+)?.*? error: ", done.stdout)
    assert found == [("misspelt", str(line)) for line in range(10, 15)], done.stdout + done.stderr
