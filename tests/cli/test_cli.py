"""The command line: results, JSON, exit codes, and messages instead of tracebacks."""

import csv
import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import COMMANDS, main
from helpers.files import write
from helpers.places import DATA, ROOT

DEV = str(DATA / "liveness_cross_logreg" / "dev.csv")


pytestmark = pytest.mark.usefixtures("few")


def test_exit_codes_of_what_cannot_be_done(tmp_path, capsys, monkeypatch):
    path = tmp_path / "in.csv"
    path.write_text("score,label\n0.5,1\n0.5,1\n0.2,0\n0.3,0\n")
    assert main(["fit", str(path)]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert re.match("betaroc: .*at least 2 distinct", err)
    dev = write(tmp_path / "dev.csv", [0.6, 0.9], [0.1, 0.4])
    before = Path(dev).read_bytes()
    assert main(["report", "--dev", dev, "-o", dev, "--force"]) == 2
    assert Path(dev).read_bytes() == before
    assert "must not be a score file" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["fit", str(DEV)]) == 2
    assert "the standard output must be writable; it is closed" in capsys.readouterr().err


LEFT = ": unrecognized arguments: "


@pytest.mark.parametrize(("call", "said"), [
    ("report dev.csv -o x.html", f"{LEFT}.*Name score files by --dev and --test$"),
    ("fit dev.csv --famly beta", f"{LEFT}.*Did you mean '--family'[?]$"),
    ("", "a command must be given; betaroc --help names them"), ("nothing", "invalid choice"),
    ("report --dev DEV", "-o"),
])  # fmt: skip
def test_usage_errors_are_2(call, said, capsys):
    with pytest.raises(SystemExit) as caught:
        main(call.replace("DEV", DEV).split())
    assert caught.value.code == 2
    first, pointer = capsys.readouterr().err.strip().split("\n")
    start = f"betaroc {call.partition(' ')[0]}" if said.startswith(LEFT) else ""
    assert re.search(f"^{start}{said}" if start else said, first)
    assert pointer.endswith(f"{start} --help shows the options")


@pytest.mark.simulation
def test_nothing_a_terminal_would_obey_is_printed(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["fit", DEV, "--\x1b[31m"])
    assert main(["fit", "\x1b]0;title\x07.csv"]) == 2
    path = write(tmp_path / "\x1b[31m\u202ered.csv", [0.4, 0.6, 0.9] * 4, [0.1, 0.2, 0.5] * 4)
    assert main(["fit", path]) == 0
    out, err = capsys.readouterr()
    for sign in ("\x1b", "\x07", "\u202e"):
        assert sign not in out + err


@pytest.mark.parametrize(("out", "words"), [
    ("x.pdf", ".html"), ("-", ".html"), ("missing/out.html", "the output must be"),
])  # fmt: skip
def test_a_report_is_an_html_file_that_can_be_written(out, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["report", "--dev", DEV, "-o", out, "--force"]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.simulation
def test_a_call_that_is_terminated_leaves_nothing_of_its_input(tmp_path):
    run = subprocess.Popen(
        [sys.executable, "-m", "betaroc", "fit", "-"], stdin=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)},
        cwd=ROOT,
    )  # fmt: skip
    with run:
        for _ in range(600):
            if any(tmp_path.glob("betaroc-*/scores")):
                break
            time.sleep(0.1)
        run.terminate()
        assert run.wait(60) == 143
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("command", "where", "remedy"), [
    ("fit s.csv", "betaroc.cli.fit.fitted_set", "--stream always"),
    ("ensemble s.csv s.csv", "betaroc.cli.systems.read_classifiers", "Pass fewer classifiers"),
])  # fmt: skip
def test_memory_that_is_not_there_is_no_impossible_fit(
    command, where, remedy, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "s.csv", [0.7, 0.9], [0.4, 0.2])
    monkeypatch.setattr(where, Mock(side_effect=MemoryError("Unable to allocate 8.00 TiB")))
    assert main(command.split()) == 2
    err = capsys.readouterr().err
    assert "the memory must hold" in err
    assert "Unable to allocate 8.00 TiB" in err
    assert remedy in err


@pytest.mark.simulation
@pytest.mark.parametrize("call", [["fit", "--help"], ["--version"]])
def test_only_the_command_called_is_loaded(call):
    code = f"import sys, betaroc.cli as b\ntry: b.main({call})\nfinally: print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    loaded = set(run.stdout.split())
    commands = {name for name in COMMANDS if f"betaroc.cli.{name}" in loaded}
    assert commands == ({call[0]} & COMMANDS.keys())
    assert not loaded & {"scipy.stats", "scipy.special", "matplotlib", "pandas"}


@pytest.mark.simulation
def test_tails_of_the_shell_are_those_of_python(tmp_path, capsys):
    rng = np.random.default_rng(4)
    data = br.Scores(rng.beta(6, 2, 300), rng.beta(2, 8, 300))
    path = write(tmp_path / "dev.csv", data.client, data.impostor)
    tails = ["--tails", "impostor=upper", "client=lower", "--tail-sizes", "40"]
    assert main(["fit", path, "--csv", *tails]) == 0
    own = br.fit(data, tails={"impostor": "upper", "client": "lower"}, tail_sizes=40)
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [float(row["estimate"]) for row in rows] == own.to_frame()["estimate"].tolist()
    assert main(["fit", path, "--tails", "impostor=upper", "upper"]) == 2
    assert "--tails must be" in capsys.readouterr().err
