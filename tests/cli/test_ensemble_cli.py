"""``betaroc ensemble``: one table or several files, text, JSON, picture, errors."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from betaroc.cli import main
from helpers.commands import said


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    n = 30
    columns = {
        name: np.concatenate([rng.beta(*c, n), rng.beta(*i, n)])
        for name, c, i in (("cnn", (5, 2), (2, 5)), ("svm", (3, 2), (2, 3)))
    }
    return pd.DataFrame(
        columns | {"label": [1] * n + [0] * n, "trial": [f"t{k}" for k in range(2 * n)]}
    )


@pytest.fixture
def table(frame, tmp_path):
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return str(path)


@pytest.fixture
def files(frame, tmp_path):
    paths = [str(tmp_path / f"{name}.csv") for name in ("cnn", "svm")]
    for name, path in zip(("cnn", "svm"), paths, strict=True):
        rows = frame[[name, "label", "trial"]].rename(columns={name: "score"})
        rows.to_csv(path, index=False)
    return paths


#: Laws with closed quantiles, where the family is of no interest.
FAST = ("--family", "normal")


def document(capsys, *arguments):
    assert main(["ensemble", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(out)
    assert {read["path"] for read in found.pop("read")} <= {Path(one).name for one in arguments}
    return found


def refused(capsys, *arguments):
    return said(capsys, "ensemble", *arguments, code=2)


@pytest.mark.simulation
def test_several_files_are_one_table(capsys, table, files):
    one = document(capsys, *FAST, table, "--systems", "cnn", "svm")
    assert document(capsys, *FAST, *files, "--id", "trial") == one
    named = document(capsys, *FAST, *files, "--name", "deep", "kernel")
    assert list(named["classifiers"]) == ["deep", "kernel"]
    assert document(capsys, *FAST, *files, "--dev", *files)["fusion"]["folds"] == 0


def test_bad_calls(capsys, frame, table, files, tmp_path):
    assert "Did you mean 'svm'? Pass --systems" in refused(capsys, table, "--systems", "smv", "cnn")
    frame.assign(id=range(60)).to_csv(tmp_path / "id.csv", index=False)
    message = refused(capsys, str(tmp_path / "id.csv"))
    assert message.rstrip().endswith("this one too if it is one: --systems COLUMN.")
    assert "--name must give one name per file" in refused(capsys, *files, "--name", "one")
    assert "--dev must name as many" in refused(capsys, *files, "--dev", table)
    assert "--score must stand beside several" in refused(capsys, table, "--score", "cnn")
    assert "--missing must be fail or drop" in refused(capsys, table, "--missing", "reject")


@pytest.mark.nightly
def test_a_table_is_read_as_any_score_file_is(capsys, frame, tmp_path):
    """Semicolons, decimal commas, words, two identities."""
    path = str(tmp_path / "w.csv")
    words = frame.assign(label=np.where(frame["label"] == 1, "genuine", "impostor"))
    words.to_csv(path, index=False, sep=";", decimal=",")
    out = said(capsys, "ensemble", *FAST, path)
    assert 'guessed: separator=semicolon, decimal=comma; label "genuine" taken' in out
    assert "Judged on 30 genuine and 30 impostors" in out
    real = np.where(frame["label"] == 1, "a", "b")
    frame[["cnn", "svm"]].assign(claimed="a", real=real).to_csv(path, index=False)
    out = said(capsys, "ensemble", *FAST, path, "--identities", "claimed", "real")
    assert "on 30 clients and 30 impostors" in out
