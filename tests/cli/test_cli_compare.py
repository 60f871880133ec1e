"""``betaroc compare``: table, ranges in words, JSON, CSV, picture, errors."""

import json

import pytest

from betaroc.cli import main
from helpers.files import write

Capture = pytest.CaptureFixture[str]

#: Seven trials of each score: 21 a class.
SCORES = {
    name: (7 * client, 7 * impostor)
    for name, client, impostor in (
        ("dev_a", [2, 3, 4], [0, 1, 2]), ("dev_b", [2, 3, 4], [0, 1, 2]),
        ("good", [3, 4, 5], [0, 1, 2]), ("poor", [1, 4, 0], [2, 3, 4]),
    )
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    return {name: write(tmp_path / f"{name}.csv", *both) for name, both in SCORES.items()}


def document(capsys, *arguments):
    assert main(["compare", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


@pytest.mark.simulation
def test_the_same_data_twice_names_the_system(files, tmp_path, capsys):
    again = write(tmp_path / "again.csv", *SCORES["dev_a"])
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", again, files["poor"]]
    found = document(capsys, *arguments, "--name", "x", "y")
    message, other = found["warnings"]
    assert message.startswith("x: dev and test are the same data")
    # Of 9 pairs of the poor system 4 > 2, 3 and half of 4 = 4: 2.5/9.
    assert other.startswith("y: test: impostors score higher than clients: the empirical AUC is")
    assert "0.2778 < 0.5" in other


def test_one_system_on_two_test_sets(files, capsys):
    arguments = ["--dev", files["dev_a"], files["dev_a"], "--test", files["good"], files["poor"]]
    found = document(capsys, *arguments, "--alpha", "0.5", "--unpaired")
    assert found["threshold_a"] == found["threshold_b"]
    assert found["difference"] == pytest.approx([-2 / 3])
    arguments[-1] = files["good"]
    assert main(["compare", *arguments, "--unpaired"]) == 2
    assert "must be named once" in capsys.readouterr().err


@pytest.mark.simulation
def test_different_numbers_of_trials_need_unpaired(files, tmp_path, capsys):
    more = write(tmp_path / "more.csv", [1, 4, 0, 5] * 7, [2, 3, 4] * 7)
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", files["good"], more]
    assert main(["compare", *arguments]) == 2
    err = capsys.readouterr().err
    assert "has 21 client scores" in err
    assert "28. Keep the common trials" in err
    assert "--unpaired" in err
    assert main(["compare", *arguments, "--unpaired"]) == 0
    out, err = capsys.readouterr()
    assert "draws test trials of each system" in out
    assert all(line.startswith("warning: ") for line in err.splitlines())
