"""Every command where the terminal knows ASCII alone, with names that are not."""

import os
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from helpers.files import STUDY

#: No UTF-8 by any of Python's own remedies.
ASCII = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii"}
ASCII |= {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
READ = "--score Wërt --label klasse --client-label é"
CALLS = {
    "threshold": [f"'dév θ.csv' --far 0.1 {READ} --test 'tést 中.csv'"],
    "fit": [f"'dév θ.csv' {READ}"],
    "report": [
        f"--dev 'dév θ.csv' --test 'tést 中.csv' {READ} --target far=0.1 -o bericht_ß.html",
        f"--system Größe 'dév θ.csv' 'tést 中.csv' --system θ θ.csv 中.csv {READ} -o zwei_ß.html",
    ],
    "epc": [f"--dev 'dév θ.csv' --test 'tést 中.csv' {READ}"],
    "compare": [
        f"--dev 'dév θ.csv' 'tést 中.csv' --test 'tést 中.csv' 'dév θ.csv' --name ä 中 {READ}"
    ],
    "study": ["studie_é.toml --folder ergebnis_é"],
    "ensemble": [
        "'dév θ.csv' --label klasse --client-label é --systems Wërt zweiter_é"
        " -o bild_é.svg --html seite_é.html"
    ],
    "plan": [f"auc --width 0.1 --from 'dév θ.csv' {READ}"],
}


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(1)
    where = tmp_path / "ordner_é"
    where.mkdir()
    for name in ("dév θ.csv", "tést 中.csv", "θ.csv", "中.csv"):
        frame = pd.DataFrame({"Wërt": np.r_[rng.beta(4, 2, 60), rng.beta(2, 4, 60)]})
        frame["klasse"] = ["é"] * 60 + ["ü"] * 60
        frame["zweiter_é"] = np.clip(frame["Wërt"] + rng.normal(0, 0.1, 120), 0.01, 0.99)
        frame.to_csv(where / name, index=False, encoding="utf-8")
    (where / "studie_é.toml").write_text(f"seed = 1\n{STUDY}", encoding="utf-8")
    return where


@pytest.mark.simulation
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == "fit" else pytest.mark.nightly) for n in CALLS]
)
def test_ascii_alone(folder, name):
    for given in CALLS[name]:
        run = subprocess.run(
            [sys.executable, "-W", "error", "-m", "betaroc", name, *shlex.split(given)],
            cwd=folder, env={**os.environ, **ASCII}, capture_output=True, timeout=300,
        )  # fmt: skip
        said = (run.stdout + run.stderr).decode("ascii")
        assert run.returncode in (0, 1), said
        assert "Traceback" not in said, said
        assert said, name
