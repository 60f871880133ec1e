"""``betaroc compare``: warnings name their system, pairs that are none."""

import json

import pytest

from betaroc.cli import main
from helpers.files import write

#: Seven trials of each score: 21 a class.
SCORES = {
    "dev_a": ([2, 3, 4], [0, 1, 2]), "dev_b": ([2, 3, 4], [0, 1, 2]),
    "good": ([3, 4, 5], [0, 1, 2]), "poor": ([1, 4, 0], [2, 3, 4]),
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    return {
        name: write(tmp_path / f"{name}.csv", 7 * client, 7 * impostor)
        for name, (client, impostor) in SCORES.items()
    }


@pytest.mark.simulation
def test_the_same_data_twice_names_the_system(files, tmp_path, capsys):
    again = write(tmp_path / "again.csv", *(7 * side for side in SCORES["dev_a"]))
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", again, files["poor"]]
    assert main(["compare", *arguments, "--name", "x", "y", "--json"]) == 0
    message, other = json.loads(capsys.readouterr().out)["warnings"]
    assert message.startswith("x: dev and test are the same data")
    # Of 9 pairs of the poor system 4 > 2, 3 and half of 4 = 4: 2.5/9.
    assert other.startswith("y: test: impostors score higher than clients: the empirical AUC is")
    assert "0.2778 < 0.5" in other


def test_one_system_on_two_test_sets(files, capsys):
    arguments = ["--dev", files["dev_a"], files["dev_a"], "--test", files["good"], files["poor"]]
    asked = ["--alpha", "0.5", "--unpaired", "--replicates", "20", "--json"]
    assert main(["compare", *arguments, *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["threshold_a"] == found["threshold_b"]
    assert found["difference"] == pytest.approx([-2 / 3])
    arguments[-1] = files["good"]
    assert main(["compare", *arguments, "--unpaired"]) == 2
    assert "must be named once" in capsys.readouterr().err


def test_different_numbers_of_trials_need_unpaired(files, tmp_path, capsys):
    more = write(tmp_path / "more.csv", [1, 4, 0, 5] * 7, [2, 3, 4] * 7)
    arguments = ["--dev", files["dev_a"], files["dev_b"], "--test", files["good"], more]
    assert main(["compare", *arguments]) == 2
    err = capsys.readouterr().err
    assert "28. Keep the common trials" in err
    assert "--unpaired" in err
