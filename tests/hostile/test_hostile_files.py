"""Hostile files and places at every reader and every command."""

import gzip
import io
import os
import shlex
import sys
from functools import partial
from pathlib import Path

import pytest

import betaroc as br
from betaroc.cli import COMMANDS, main
from helpers.cases import case
from helpers.files import STUDY
from helpers.hostile import refused, spoken
from helpers.hostile_files import EXPECTED, GOOD, READ, REFUSED

Shown = pytest.CaptureFixture[str]


def raw(content):
    return content if isinstance(content, bytes) else content.encode()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("good.csv", "a.csv", "b.csv"):
        Path(name).write_text(GOOD)
    return tmp_path


class Stdin:
    """A standard input of these bytes."""

    def __init__(self, content):
        self.buffer = io.BytesIO(content)

    def isatty(self):
        return False


#: Readers of a file: how it comes to them.
READERS = {
    "read_scores": lambda path, _: br.read_scores(path),
    "summarize": lambda path, _: br.summarize(path),
    "standard input": lambda path, patch: (
        patch.setattr(sys, "stdin", Stdin(path.read_bytes())), br.read_scores("-"),
    )[1],
    "a file of its clients": lambda path, _: br.read_scores(
        client_file=path, impostor_file="good.csv"
    ),
}  # fmt: skip
#: A file of one class needs no label, and a file of two is a doubt of another kind there.
_OF_ONE_CLASS = ("G07", "G08", "G24", "G22 cut", "an old", "HDF5", "numpy", "a p", "a d", "gzip")


@pytest.mark.simulation
@pytest.mark.parametrize("reader", READERS)
def test_hostile_files_at_readers(place, monkeypatch, reader):
    path = place / "bad"
    exact = reader in {"read_scores", "standard input"}
    for name, (content, words) in REFUSED.items():
        if reader == "a file of its clients" and not name.startswith(_OF_ONE_CLASS):
            continue
        if name in {"G07 two marks", "a page"} and not exact:
            continue
        path.write_bytes(raw(content))
        with case(name):
            error = br.FileFormatError if exact else br.BetarocError
            called = partial(READERS[reader], path, monkeypatch)
            refused(called, error, *(words if exact or "Parquet" not in name else ()))


def test_hostile_texts_in_gzip(place):
    """What is refused as it is, is refused when it is compressed."""
    path = place / "bad.gz"
    for name, (content, words) in REFUSED.items():
        if isinstance(content, str) and content:
            path.write_bytes(gzip.compress(content.encode(), 1))
            with case(name):
                refused(partial(br.read_scores, path), br.FileFormatError, *words)


def test_files_that_are_read(place, monkeypatch):
    for name, content in READ.items():
        path = place / "file"
        path.write_bytes(raw(content))
        with case(name):
            assert br.read_scores(path) == EXPECTED
            monkeypatch.setattr(sys, "stdin", Stdin(raw(content)))
            assert br.read_scores("-") == EXPECTED
            found = br.summarize(path)
            assert (found.n_client, found.n_impostor) == (30, 30)
            assert found.client.minimum == EXPECTED.client.min()
            assert found.impostor.maximum == EXPECTED.impostor.max()


def test_a_score_that_is_twice_in_a_long_file(place):
    """Rows of JSON go to another parser where there are many of them."""
    row = '{"score":0.5,"label":1}\n{"score":0.2,"label":0}\n'
    twice = '{"score":0.1,"score":0.9,"label":1}\n'
    Path("long").write_text(row * 3000 + twice + row)
    refused(partial(br.read_scores, "long"), br.FileFormatError, "line 6001", "occurs twice")


#: Commands with a file in each place where one can stand.
AT = {
    "fit": "fit {} --family normal",
    "fit, streamed": "fit {} --stream always --family normal",
    "threshold": "threshold {} --far 0.2 --how average --family normal",
    "threshold, test": "threshold good.csv --test {} --far 0.2 --how average --family normal",
    "epc, dev": "epc --dev {} --test good.csv --alpha 0.5",
    "epc, test": "epc --dev good.csv --test {} --alpha 0.5",
    "report": "report --dev {} -o report.html",
    "compare": "compare --system a {} a.csv --system b good.csv b.csv --alpha 0.5",
    "ensemble": "ensemble {} good.csv",
    "plan": "plan auc --width 0.1 --from {} --family normal",
}


def ends_well(shown, call, *words):
    """A call that is refused: exit code 2, one message, nothing on the standard output."""
    assert main(shlex.split(call)) == 2, call
    out, err = shown.readouterr()
    assert out == ""
    assert "Traceback" not in err
    lines = err.splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("betaroc: ")
    spoken(br.BetarocError(lines[0].removeprefix("betaroc: ")), *words)
    return err


def _some(cases, entry, *, every):
    """All cases, or each fifth, others for another entry: each case is tried at two entries."""
    start = list(AT).index(entry)
    return [name for k, name in enumerate(cases) if every or (k + start) % 5 == 0]


def _try_commands(shown, entry, *, every):
    for name in _some(REFUSED, entry, every=every):
        content, words = REFUSED[name]
        Path("bad.csv").write_bytes(raw(content))
        of_sums = "streamed" in entry and ("Parquet" in name or name.startswith("G2"))
        said = [word for word in words if word not in {"columns", "decimal"}]
        with case(name):
            ends_well(shown, AT[entry].format("bad.csv"), *(() if of_sums else said))


@pytest.mark.simulation
@pytest.mark.parametrize("entry", AT)
def test_hostile_files_at_commands(place, capsys, entry):
    _try_commands(capsys, entry, every=False)


@pytest.mark.nightly
@pytest.mark.parametrize("entry", AT)
def test_every_hostile_file_at_every_command(place, capsys, entry):
    _try_commands(capsys, entry, every=True)


def test_every_command_that_reads_scores_is_tried():
    tried = {entry.partition(",")[0] for entry in AT}
    assert set(COMMANDS) - tried == {"demo", "study", "completion", "selftest"}


#: Places that are no file to read: how they are made, and a word of the message.
PLACES = {
    "folder": (lambda: Path("folder").mkdir(), ""),
    "fifo": (lambda: os.mkfifo("fifo"), "FIFO"),
    "/dev/zero": (lambda: None, "device"),
    "/dev/null": (lambda: None, ""),
    "missing.csv": (lambda: None, "missing.csv"),
    "no/such/folder.csv": (lambda: None, ""),
    "http://example.org/a.csv": (lambda: None, ""),
    "s3://bucket/a.parquet": (lambda: None, ""),
    "file:///etc/hostname": (lambda: None, ""),
    "x" * 300: (lambda: None, "..."),
}
#: Where a command reads a file, and a folder is one too.
OPTIONS = {
    "fit {}": False,
    "fit {} --stream always": False,
    "fit good.csv --id label --key {}": False,
    "fit --client-file {} --impostor-file good.csv": False,
    "fit --client-file good.csv --impostor-file {}": False,
    "fit --systems {}": True,
    "threshold good.csv --test {} --far 0.2": False,
    "epc --dev {} --test good.csv": False,
    "epc --dev good.csv --test {}": False,
    "report --dev good.csv --test {} -o r.html": False,
    "compare --dev good.csv {} --test a.csv b.csv": False,
    "ensemble good.csv {}": False,
    "ensemble {} --systems a b": False,
    "plan auc --width 0.1 --from {}": False,
    "study {}": False,
}


@pytest.mark.simulation
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFO here")
def test_places_that_are_no_files(place, capsys):
    for name, (make, word) in PLACES.items():
        make()
        for option in OPTIONS:
            with case((name[:20], option)):
                ends_well(capsys, option.format(name), word)
        for reader in (br.read_scores, br.summarize):
            with case((name[:20], reader.__name__)):
                refused(partial(reader, name), br.FileFormatError, word)
        if not name.startswith(("f", "/dev")) or name.startswith("file:"):
            refused(partial(br.from_json, name), br.FileFormatError)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFO here")
def test_g27_a_document_is_no_device(place):
    Path("folder").mkdir()
    os.mkfifo("pipe")
    for name in ("folder", "/dev/zero", "pipe"):
        refused(partial(br.from_json, name), br.FileFormatError, name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFO here")
@pytest.mark.parametrize(
    "call", ["report --dev good.csv -o {} --force", "study c.toml --folder {}"]
)
def test_places_that_are_no_outputs(place, capsys, call):
    """A FIFO that nobody reads would be waited for without end; a folder is not emptied."""
    Path("c.toml").write_text(STUDY)
    os.mkfifo("fifo.html")
    Path("folder.html").mkdir()
    Path("folder.html", "notes.txt").write_text("mine")
    for name in ("fifo.html", "folder.html", "/dev/zero", "/dev/null"):
        assert main(call.format(name).split()) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.startswith("betaroc: ")


VALUES_OF = ("95", "-1", "nan", "inf", "x", "1e999", "0x1", "1,5")
#: Options of numbers, and what of the values above they take.
NUMBERS = {
    "fit good.csv --family normal --statistic auc --level": set(),
    "fit good.csv --family normal --resolution": {"95"},  # in which all scores are one cell
    "fit good.csv --max-rows": {"95"},
    "threshold good.csv --how average --far": set(),
    "threshold good.csv --how average --frr": set(),
    "threshold good.csv --far 0.2 --how average --confidence": set(),
    "epc --dev good.csv --test good.csv --alpha": set(),
    "epc --dev good.csv --test good.csv --alpha 0.5 --band test --replicates": {"95"},
    "epc --dev good.csv --test good.csv --alpha 0.5 --band test --level": set(),
    "epc --dev good.csv --test good.csv --alpha 0.5 --band test --seed": {"95"},
    "ensemble good.csv good.csv --name a b --level": set(),
    "plan auc --client beta:4,2 --impostor beta:2,4 --width": set(),
    "plan auc --client beta:4,2 --impostor beta:2,4 --width 0.1 --ratio": {"95"},
    "plan auc --impostor beta:2,4 --width 0.1 --client": set(),
    "study none.toml --workers": {"95", "-1"},
    "study none.toml --seed": {"95"},
}


@pytest.mark.simulation
def test_values_of_options(place, capsys):
    for call, taken in NUMBERS.items():
        for value in VALUES_OF:
            if value in taken:
                continue
            with case((call, value)):
                try:
                    code = main([*shlex.split(call), value])
                except SystemExit as stop:  # argparse prints the usage first
                    code = stop.code
                out, err = capsys.readouterr()
                assert code == 2
                assert out == ""
                last = err.splitlines()[-1]
                assert last.startswith("betaroc")
                assert len(last) <= 420
                assert "Traceback" not in err


def test_a_long_choice_is_cut(place, capsys):
    for option in ("--boundary", "--format", "--missing", "--terms"):
        with pytest.raises(SystemExit):
            main(["fit", "good.csv", option, "9" * 5000])
        assert len(capsys.readouterr().err.splitlines()[-1]) <= 420
