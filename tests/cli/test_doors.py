"""Hostile files and places at the doors, and how a process ends."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.core.process import leave_if_stopped, listen, set_working
from betaroc.rendering.files import checked_target
from helpers import files

DEEP = "[" * 100_000
STUDY = 'folder = "{folder}"\n' + files.STUDY
SCORES = "score,label\n" + "0.9,1\n0.7,1\n0.4,1\n0.5,0\n0.3,0\n0.1,0\n" * 3


@pytest.fixture
def place(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    (home / "dev.csv").write_text(SCORES)
    return home


@pytest.mark.parametrize("command", ["study deep.toml", "fit --systems deep.toml"])
def test_a_deep_table_is_no_file_of_ours(place, capsys, command):
    (place / "deep.toml").write_text("x = " + DEEP)
    assert main(command.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "must be TOML" in err


def test_a_deep_study_document_and_key(place):
    (place / "old").mkdir()
    (place / "old" / "study.json").write_text(DEEP)
    with pytest.raises(br.StudyError, match=r"recursion|nested"):
        br.Study.open("old")
    (place / "deep.json").write_text(DEEP)
    for read in (
        lambda: br.from_json(place / "deep.json"),
        lambda: br.read_scores("deep.json"),
        lambda: br.read_scores("deep.json", format="jsonl"),
        lambda: br.read_scores("dev.csv", key="deep.json", id="score"),
    ):
        with pytest.raises(br.FileFormatError):
            read()


@pytest.mark.parametrize("folder", ["../x", "/tmp/x", ".", "link/x"])
def test_a_study_does_not_leave_its_folder(place, capsys, folder):
    (place / "link").symlink_to(place.parent)
    (place / "study.toml").write_text(STUDY.format(folder=folder))
    assert main(["study", "study.toml"]) == 2
    assert "folder must lie beside 'study.toml' or below" in capsys.readouterr().err
    assert sorted(one.name for one in place.parent.iterdir()) == ["home"]


def test_a_folder_without_permission_is_told_before_the_work(place, monkeypatch, capsys):
    (place / "closed").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "closed")
    with pytest.raises(br.OutputError, match="write-protected"):
        checked_target("closed/a.html")
    monkeypatch.setattr(br.Scores, "_checked", None)  # no score is read
    assert main(["report", "--dev", "dev.csv", "-o", "closed/a.html"]) == 2
    assert "write-protected" in capsys.readouterr().err


@pytest.fixture
def handlers():
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    set_working(False)
    for number, handler in kept.items():
        signal.signal(number, handler)


def test_a_signal_at_work_is_an_exception_once(handlers, capsys):
    listen()
    set_working(True)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    set_working(True)
    with pytest.raises(SystemExit) as stop:
        signal.raise_signal(signal.SIGTERM)
    assert stop.value.code == 143
    leave_if_stopped(0)
    signal.raise_signal(signal.SIGINT)  # done: nothing is taken back


def test_what_a_caller_ignores_stays_ignored(handlers):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listen()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.simulation
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are told by /proc")
def test_no_worker_outlives_its_study(place):
    def workers():
        """Processes of its session that still run."""
        found = []
        for process in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                state, _, _, session = process.read_text().rpartition(")")[2].split()[:4]
                found += [process] if int(session) == begun.pid and state != "Z" else []
        return found

    pytest.importorskip("joblib")
    text = STUDY.format(folder="x").replace("true.auc", "fit.auc")
    text = "workers = 2\nreplicates = 100000\nblock = 100\n" + text + "n = 2000\n"
    (place / "study.toml").write_text(text)
    begun = subprocess.Popen(
        [sys.executable, "-m", "betaroc", "study", "study.toml"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while time.monotonic() < until and not list(place.glob("x/part-*")):
        time.sleep(0.1)
    assert len(workers()) >= 3
    begun.kill()
    begun.wait(30)
    while time.monotonic() < until and workers():
        time.sleep(0.1)
    assert workers() == []
