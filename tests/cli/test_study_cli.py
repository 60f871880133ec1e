"""`betaroc study`: configurations in TOML, exit codes, what is printed."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

import betaroc as br
from betaroc import Study
from betaroc.cli import main

CONFIG = """
folder = "results"
replicates = 3
seed = 5
statistics = ["true.auc", "fit.auc", "true.global-shape"]

[design.sobol]
points = 4
a_c = [1.0, 4.0, "log"]
b_c = [1.0, 2.0]

[design.grid]
a_i = 1.0
b_i = 2.0
n = [30, 90]
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "atlas.toml"
    path.write_text(CONFIG)
    return path


def run(capsys, *arguments):
    code = main(["study", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.simulation
def test_the_help_shows_a_configuration_that_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["study", "--help"])
    shown = capsys.readouterr().out.partition("for example")[2].partition(":\n")[2]
    (tmp_path / "atlas.toml").write_text(shown.rpartition("\nbetaroc --help")[0])
    code, out, err = run(capsys, "atlas.toml")
    assert (code, err) == (0, "")
    assert out.startswith("80 trials")


@pytest.mark.simulation
def test_failed_trials_are_exit_code_3(config, capsys):
    config.write_text(CONFIG.replace("n = [30, 90]", "n = [1, 30]"))
    code, out, err = run(capsys, config)
    assert (code, err) == (3, "")
    assert "12 failed" in out
    assert "and 9 more" in out


@pytest.mark.parametrize(("old", "new", "words"), [
    ("replicates", "replicats", "got replicats. Did you mean 'replicates'"),
    ("[design.grid]", "[grid]", r"got grid. Did you mean \[design.grid\]\?"),
    ("[design.grid]", "[design]\ngrid = 3\n[x]", "must have keys"),
    ("replicates = 3", "replicates = ", "must be TOML.*line 3"),
])  # fmt: skip
def test_configurations_that_are_none(config, capsys, old, new, words):
    assert old in CONFIG
    config.write_text(CONFIG.replace(old, new))
    code, out, err = run(capsys, config)
    assert (code, out) == (2, "")
    assert err.startswith("betaroc: ")
    assert re.search(words, err), err
    assert not Path("results").exists()


def test_ctrl_c_before_the_first_part_and_a_page_in_the_folder(config, capsys, monkeypatch):
    Path("results").mkdir()
    code, _, err = run(capsys, config, "--html", "results/page.html")
    assert code == 2
    assert "--html must lie outside the folder of the study" in err
    monkeypatch.setattr(Study, "_block", Mock(side_effect=KeyboardInterrupt))
    code, _, err = run(capsys, config)
    assert code == 130
    assert "interrupted; 0 trials (0 finished parts) are kept in 'results'" in err


def test_files_that_are_no_configuration(tmp_path, capsys):
    path = tmp_path / "a.toml"
    for content, words in (
        (b"\xff\xfe", "must be UTF-8"), (b"#" * 1_000_001, "at most 1000000 bytes"),
        (b'statistics = ["fit.auc"]\ndesign = 3', "design must have tables"),
    ):  # fmt: skip
        path.write_bytes(content)
        code, _, err = run(capsys, path)
        assert code == 2
        assert words in err


@pytest.mark.nightly
def test_ctrl_c_is_exit_code_130_and_the_study_goes_on(config, capsys):
    # The EER of a fit takes a few milliseconds. The terminal tells workers, too.
    text = CONFIG.replace('"fit.auc"', '"fit.auc", "fit.eer"')
    config.write_text(text.replace("replicates = 3", "replicates = 8\nblock = 2"))
    run_it = subprocess.Popen(
        [sys.executable, "-m", "betaroc", "study", str(config), "--workers", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(br.__file__).parents[1])}, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell may ignore it
    )  # fmt: skip
    end = time.monotonic() + 60.0
    while len(list(Path().glob("results/part-*"))) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    os.killpg(run_it.pid, signal.SIGINT)
    out, err = run_it.communicate(timeout=60)
    assert (run_it.returncode, out) == (130, "")
    there = {p.name: p.read_bytes() for p in Path("results").glob("part-*")}
    assert f"({len(there)} finished parts) are kept in 'results'. Give the same command" in err
    assert run(capsys, config)[0] == 0
    assert run(capsys, config, "--folder", "whole")[0] == 0
    whole = {p.name: p.read_bytes() for p in Path("whole").iterdir()}
    assert whole == {p.name: p.read_bytes() for p in Path("results").iterdir()}
    assert 3 <= len(there) < len(whole) - 1
    assert there.items() <= whole.items()
