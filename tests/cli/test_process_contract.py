"""Hostile files and places at the doors; how commands end, whatever becomes of their streams."""

import errno
import io
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.cli.messages import progress_bar
from betaroc.core import process
from betaroc.core.process import leave_if_stopped, listen, set_working
from betaroc.data import text_files
from betaroc.rendering.files import checked_target
from helpers import files
from helpers.files import write

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
    with pytest.raises(br.FileFormatError):
        br.read_scores("dev.csv", key="deep.json", id="score")


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


def test_a_signal_at_work_is_an_exception_once_and_an_ignored_one_stays_so(handlers, capsys):
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listen()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.simulation
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are told by /proc")
def test_no_worker_outlives_its_study(place):
    def workers():
        """Processes of its session that still run."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                state, _, _, session = path.read_text().rpartition(")")[2].split()[:4]
                found += [path] if int(session) == begun.pid and state != "Z" else []
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


@pytest.fixture
def folder_of_dev(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    write(tmp_path / "dev.csv", rng.beta(4, 2, 60).round(4), rng.beta(2, 4, 60).round(4))
    monkeypatch.chdir(tmp_path)


class Stream(io.StringIO):
    """An output that fails as the system says."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def write(self, text):
        raise OSError(self.number, os.strerror(self.number))

    def fileno(self):
        raise OSError(self.number, "none")


@pytest.mark.parametrize(("number", "said"), [
    (errno.EPIPE, ""),
    (errno.ENOSPC, "betaroc: the standard output must be writable; the system says: No spa"),
])  # fmt: skip
def test_a_pipe_that_nobody_reads_and_a_full_disk(number, said, folder_of_dev, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", Stream(number))
    assert main(["threshold", "dev.csv", "--far", "0.1", "--family", "normal"]) == 2
    err = [one for one in capsys.readouterr().err.splitlines() if "warning: " not in one]
    assert [one[: len(said)] for one in err] == [said] * bool(said)


@pytest.mark.parametrize("stream", [None, Stream(errno.ENOSPC)])
@pytest.mark.parametrize("words", ["fit none.csv", "plan guarantee@far=.1 --json"])
def test_what_nobody_can_be_told_is_no_output(words, stream, folder_of_dev, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", stream)
    code = main(words.split())
    assert code == (0 if words.endswith("json") else 2)
    assert (capsys.readouterr().out == "") == (code == 2)


@pytest.mark.simulation
@pytest.mark.skipif(os.name != "posix", reason="descriptors of POSIX")
def test_a_file_takes_no_place_of_a_closed_stream(tmp_path):
    def close():
        for descriptor in (0, 1, 2):
            os.close(descriptor)

    program = (
        "from betaroc.core.process import hold_streams; hold_streams()\n"
        f"import os; found = os.open({str(tmp_path / 'a')!r}, os.O_WRONLY | os.O_CREAT)\n"
        "os.write(found, str(found).encode()); import sys; print('lost', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], preexec_fn=close, timeout=60)
    assert done.returncode == 0
    assert int((tmp_path / "a").read_text()) > 2


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("stream", "name"), [
    (Terminal(), "xterm"), (Terminal(), "dumb"), (io.StringIO(), "xterm"), (None, "xterm"),
])  # fmt: skip
def test_a_bar_and_colours_are_for_a_terminal_that_can_draw_them(stream, name, monkeypatch):
    able = isinstance(stream, Terminal) and name == "xterm"
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", name)
    monkeypatch.setattr(sys, "stdout", stream)
    assert process.shows_colours() is able
    monkeypatch.setenv("NO_COLOR", "")
    assert not process.shows_colours()
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys, "stderr", stream)
    assert process.shows_progress() is able
    with progress_bar(2) as advance:
        advance()
    assert sys.stdout.getvalue() == ""


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["csv.gz", "parquet"])
def test_a_file_that_does_not_fit_is_told_before_the_work(kind, folder_of_dev, monkeypatch, capsys):
    path, rng = f"big.{kind}", np.random.default_rng(1)
    frame = pd.DataFrame({"score": rng.random(20_000), "label": np.arange(20_000) % 2})
    frame.to_parquet(path) if kind == "parquet" else frame.to_csv(path, index=False)
    monkeypatch.setattr(text_files, "free_memory", lambda: 60.0 * 18_000)
    assert main(["fit", path]) == 2
    assert "must have at most 18000 rows" in capsys.readouterr().err
    monkeypatch.setattr(text_files, "free_memory", lambda: 60.0 * 40_000)
    assert len(br.read_scores(path).client) > 0


@pytest.mark.simulation
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits are told by /proc")
def test_a_limit_of_the_process_counts():
    program = (
        "import resource as r; r.setrlimit(r.RLIMIT_AS, (4 * 10**9, r.getrlimit(r.RLIMIT_AS)[1]))\n"
        "from betaroc.core.process import free_memory; print(free_memory() <= 4e9)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert done.stdout.strip() == b"True"
