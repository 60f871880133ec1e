"""Options of reading files: any everyday shape to a threshold in one command, guesses said."""

from __future__ import annotations

import io
import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from betaroc.cli import main

Capture = pytest.CaptureFixture[str]

N = 60


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same trials in files of several shapes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    client, impostor = rng.beta(5, 2, N).round(4), rng.beta(2, 5, N).round(4)
    rows = [(f"t{k}", s, "genuine") for k, s in enumerate(client.tolist())]
    rows += [(f"u{k}", s, "impostor") for k, s in enumerate(impostor.tolist())]
    files = {
        "plain.csv": ("score,label", "{s!r},{y}"),
        "euro.csv": ("score;label;site", "{e};{y};Köln"),
        "bare.txt": (None, "{y} {s!r}"),
        "numbers.csv": (None, "{t},{s!r},{y}"),
        "trials.txt": (None, "{t} {s!r}"),
        "key.txt": (None, "{t} {k}"),
        "people.csv": ("claimed,real,score", "a,{a},{s!r}"),
    }
    for name, (header, row) in files.items():
        lines = [] if header is None else [header]
        for trial, score, label in rows:
            first = label == "genuine"
            lines.append(row.format(
                s=score, e=repr(score).replace(".", ","), y=label, t=trial,
                k="target" if first else "nontarget", a="a" if first else "b",
            ))  # fmt: skip
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("g.txt").write_text("".join(f"{s!r}\n" for s in client.tolist()))
    Path("i.txt").write_text("".join(f"{s!r}\n" for s in impostor.tolist()))
    return tmp_path


def run(capsys: Capture, call: str, code: int = 0) -> str:
    assert main(shlex.split(call)) == code
    out, err = capsys.readouterr()
    return out if code == 0 else err


SHAPES = {
    "euro.csv": "guessed: separator=semicolon, decimal=comma",
    "bare.txt --columns label,score": "guessed: separator=space",
    "numbers.csv --score 2 --label 3": "guessed: header=False",
    "numbers.csv --score 2 --label 3 --no-header": "(csv",
    "trials.txt --key key.txt": "kaldi",
    "people.csv --identities claimed real": "60 client and 60 impostor scores",
    "--client-file g.txt --impostor-file i.txt": "'g.txt', 'i.txt' ",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_any_shape_to_a_threshold_in_one_command(folder: Path, capsys: Capture, shape: str) -> None:
    expected = run(
        capsys, "threshold plain.csv --far 0.1 --how average --family normal --print threshold"
    )
    call = f"threshold {shape} --far 0.1 --how average --family normal"
    assert run(capsys, f"{call} --print threshold") == expected
    assert SHAPES[shape] in run(capsys, call)


TWO = "--client-file g.txt --impostor-file i.txt"
OF_TEST = "--test-client-file tg.txt --test-impostor-file ti.txt"


@pytest.mark.simulation
def test_a_file_a_class_for_every_command(folder: Path, capsys: Capture) -> None:
    for name in "gi":
        Path(f"t{name}.txt").write_text(Path(f"{name}.txt").read_text())
    expected = run(capsys, "epc --dev plain.csv --test plain.csv --alpha 0.3 0.5 --json")
    found = run(capsys, f"epc {TWO} {OF_TEST} --alpha 0.3 0.5 --json")
    assert json.loads(found)["value"] == json.loads(expected)["value"]
    plain = run(capsys, f"threshold {TWO} --test plain.csv --far 0.1 --family normal --csv")
    both = f"threshold {TWO} {OF_TEST} --far 0.1 --family normal"
    assert run(capsys, f"{both} --csv") == plain
    text = run(capsys, both)
    assert "'g.txt', 'i.txt' " in text
    assert "--test-client-file tg.txt" in text
    assert run(capsys, f"report {TWO} {OF_TEST} --family normal -o r.html") == ""
    assert "tg.txt" in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.simulation
def test_the_standard_input(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(Path("euro.csv").read_bytes())

        @staticmethod
        def isatty() -> bool:
            return False

    expected = run(capsys, "fit plain.csv --csv")
    monkeypatch.setattr(sys, "stdin", Stdin)
    assert run(capsys, "fit - --csv") == expected
    assert "once a call" in run(capsys, "fit -", 2)
    assert "--test must be another file" in run(capsys, "threshold - --test - --far 0.1", 2)


def test_keys_of_dev_and_test(folder: Path, capsys: Capture) -> None:
    text = Path("key.txt").read_text()
    Path("other.txt").write_text(text.replace("t0 target\n", ""))
    call = "threshold trials.txt --key key.txt --far 0.1 --family normal --test"
    Path("eval.txt").write_text(Path("trials.txt").read_text().partition("\n")[2])
    run(capsys, f"{call} eval.txt --test-key other.txt")
    message = run(capsys, f"{call} eval.txt", 2)
    assert "'eval.txt': each trial of the key 'key.txt' must have a score" in message
    assert "pass --missing drop or --missing reject" in message
    assert "--test-key must stand beside --test" in run(capsys, "fit plain.csv --test-key k", 2)


REFUSED = {
    "fit": "SCORES must name a score file, or --client-file and --impostor-file one",
    "fit --client-file g.txt": "got 0 and 1 files",
    "fit plain.csv --client-file g.txt": "got 1 and 1 files",
    "threshold plain.csv --impostor-file i.txt --far 0.1": "got 1 and 1 files",
    "threshold --client-file g.txt --impostor-file i.txt --test i.txt --far 0.1": "--test must be",
    "fit --client-file g.txt --impostor-file g.txt": "--impostor-file must be another file",
    "fit bare.txt": "Pass --columns label,score",
    "fit trials.txt --key trials.txt": "--key must be another file",
    "fit trials.txt --format kaldi": "key must name",
    "fit numbers.csv --score 1 --label 2 --columns a,b": "--columns must name every column",
    "fit people.csv --identities claimed real --label score": "must not stand beside --identities",
    "fit people.csv --identities claimed real --client-label a": "--client-label must be None",
    "fit plain.csv --separator dash": "--separator must be one of 'comma'",
    "fit - --stream always": "got the standard input",
    "fit --client-file g.txt --impostor-file i.txt --stream always": "got a file of each",
    "fit plain.csv --stream always --missing drop": "--missing must not stand beside --stream",
    "fit trials.txt --key key.txt --stream always": "--key must not stand beside --stream",
    "fit plain.csv --id a --id b --id c --key key.txt": "--id must name one column or two",
    "fit .": "is a directory",
    "ensemble plain.csv --name a": "--name must stand beside several score files",
    "ensemble plain.csv --test-key key.txt": "--test-key must stand beside --test",
    "epc --dev plain.csv": "--test must name a score file",
    "epc --dev plain.csv --test plain.csv --client-file g.txt": "--dev must name a score file",
    "report --dev plain.csv --test-client-file g.txt -o r.html": "--test-impostor-file one",
    "report -o r.html": "--dev must name a score file, or --client-file",
}


@pytest.mark.parametrize("call", REFUSED)
def test_calls_refused(folder: Path, capsys: Capture, call: str) -> None:
    message = run(capsys, call, 2)
    assert REFUSED[call] in message
    assert message.count("\n") == 1
    assert len(message) <= 420


def test_questions_name_the_options(folder: Path, capsys: Capture) -> None:
    Path("q.csv").write_text("0,1\n0.5,1\n0.2,0\n")
    message = run(capsys, "fit q.csv --score 0 --label 1", 2)
    assert "Pass --header if it names the columns, or --no-header if it is a trial" in message
    Path("q.txt").write_text("0,5\n0,25\n")
    message = run(capsys, "fit --client-file q.txt --impostor-file i.txt", 2)
    assert "Pass --decimal comma or --separator comma." in message


def test_missing_scores_on_the_command_line(folder: Path, capsys: Capture) -> None:
    with Path("plain.csv").open("a", encoding="utf-8") as file:
        file.write("NA,genuine\n,impostor\nnan,impostor\n")
    assert "--missing drop" in run(capsys, "fit plain.csv", 2)
    assert main(["fit", "plain.csv", "--missing", "drop"]) == 0
    out, err = capsys.readouterr()
    assert "60 genuine and 60 impostors; 3 trials without a score left out" in out
    assert "120 rows, 3 more left out" in out
    assert err.startswith("warning: dropped trials without a score: 3 (1 of genuine, 2 of imp")
    assert "with --missing reject" in err


def test_files_called_as_columns_or_as_their_key(folder: Path, capsys: Capture) -> None:
    """The path stands for the file, not for a column of its name, nor for another file's."""
    for place in ("one", "two"):
        Path(place).mkdir()
    Path("one", "score").write_text("x,label\n0.5,1\n", encoding="utf-8")
    message = run(capsys, "fit one/score", 2)
    assert message.startswith("betaroc: 'one/score' must have a column 'score'; there are 'x'")
    Path("one", "t").write_text("u1 0.5\n", encoding="utf-8")
    Path("two", "t").write_text("u1 x\n", encoding="utf-8")
    message = run(capsys, "fit one/t --key two/t", 2)
    assert "'two/t' must be a key" in message
    assert "one/t" not in message
