"""How commands end, whatever becomes of their streams, their memory and their time."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.cli.messages import progress_bar
from betaroc.core import process
from betaroc.data import text_files
from helpers.files import write


@pytest.fixture
def place(tmp_path, monkeypatch):
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
def test_a_pipe_that_nobody_reads_and_a_full_disk(number, said, place, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", Stream(number))
    assert main(["threshold", "dev.csv", "--far", "0.1", "--family", "normal"]) == 2
    err = [one for one in capsys.readouterr().err.splitlines() if "warning: " not in one]
    assert [one[: len(said)] for one in err] == [said] * bool(said)


@pytest.mark.parametrize("stream", [None, Stream(errno.ENOSPC)])
@pytest.mark.parametrize("words", ["fit none.csv", "plan guarantee@far=.1 --json"])
def test_what_nobody_can_be_told_is_no_output(words, stream, place, monkeypatch, capsys):
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
def test_a_file_that_does_not_fit_is_told_before_the_work(kind, place, monkeypatch, capsys):
    path, rng = f"big.{kind}", np.random.default_rng(1)
    frame = pd.DataFrame({"score": rng.random(100_000), "label": np.arange(100_000) % 2})
    frame.to_parquet(path) if kind == "parquet" else frame.to_csv(path, index=False)
    monkeypatch.setattr(text_files, "free_memory", lambda: 60.0 * 90_000)
    assert main(["fit", path]) == 2
    assert "must have at most 90000 rows" in capsys.readouterr().err
    monkeypatch.setattr(text_files, "free_memory", lambda: 60.0 * 200_000)
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
