"""Hostile files and places at every reader and every command."""

import io
import os
import shlex
import sys
from functools import partial
from pathlib import Path

import pytest

import betaroc as br
from betaroc.cli import main
from helpers.cases import case
from helpers.files import STUDY
from helpers.hostile import refused, spoken
from helpers.hostile_files import EXPECTED, GOOD, READ, REFUSED


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


def of_standard_input(path, patch):
    patch.setattr(sys, "stdin", Stdin(path.read_bytes()))
    return br.read_scores("-")


#: Readers of a file: how it comes to them, and whether all words of the message are theirs.
READERS = {
    "read_scores": (lambda path, _: br.read_scores(path), True),
    "summarize": (lambda path, _: br.summarize(path), False),
    "standard input": (of_standard_input, True),
}


@pytest.mark.simulation
@pytest.mark.parametrize("reader", READERS)
def test_hostile_files_at_readers(place, monkeypatch, reader):
    path = place / "bad"
    read, exact = READERS[reader]
    for name, (content, words) in REFUSED.items():
        if name in {"G07 two marks", "a page"} and not exact:
            continue
        path.write_bytes(raw(content))
        with case(name):
            error = br.FileFormatError if exact else br.BetarocError
            said = words if exact or "Parquet" not in name else ()
            refused(partial(read, path, monkeypatch), error, *said)


def test_files_that_are_read(place):
    for name, content in READ.items():
        path = place / "file"
        path.write_bytes(raw(content))
        with case(name):
            assert br.read_scores(path) == EXPECTED
            found = br.summarize(path)
            assert (found.n_client, found.client.minimum) == (30, EXPECTED.client.min())
            assert (found.n_impostor, found.impostor.maximum) == (30, EXPECTED.impostor.max())


def test_a_score_that_is_twice_in_a_long_file(place):
    """Rows of JSON go to another parser where there are many of them."""
    row = '{"score":0.5,"label":1}\n{"score":0.2,"label":0}\n'
    twice = '{"score":0.1,"score":0.9,"label":1}\n'
    Path("long").write_text(row * 3000 + twice + row)
    refused(partial(br.read_scores, "long"), br.FileFormatError, "line 6001", "occurs twice")


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


#: Places that are no file to read, and a word of the message.
PLACES = {
    "folder": "", "fifo": "FIFO", "/dev/zero": "device", "/dev/null": "",
    "missing.csv": "missing.csv", "http://example.org/a.csv": "", "s3://bucket/a.parquet": "",
    "x" * 300: "...",
}  # fmt: skip
#: Where a command reads a file.
OPTIONS = (
    "fit {}", "fit {} --stream always", "fit good.csv --id label --key {}",
    "fit --client-file {} --impostor-file good.csv", "fit --systems {}",
    "threshold good.csv --test {} --far 0.2", "epc --dev good.csv --test {}",
    "report --dev good.csv --test {} -o r.html", "compare --dev good.csv {} --test a.csv b.csv",
    "ensemble good.csv {}", "plan auc --width 0.1 --from {}", "study {}",
)  # fmt: skip


@pytest.mark.simulation
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFO here")
def test_places_that_are_no_files(place, capsys):
    Path("folder").mkdir()
    os.mkfifo("fifo")
    for name, word in PLACES.items():
        for option in OPTIONS:
            with case((name[:20], option)):
                ends_well(capsys, option.format(name), word)
        for reader in (br.read_scores, br.summarize):
            with case((name[:20], reader.__name__)):
                refused(partial(reader, name), br.FileFormatError, word)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFO here")
def test_g27_a_document_is_no_device(place):
    Path("folder").mkdir()
    os.mkfifo("pipe")
    for name in ("folder", "/dev/zero", "pipe", "s3://bucket/a.parquet", "none.json", "a\0b"):
        refused(partial(br.from_json, name), br.BetarocError)


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


def test_a_long_choice_is_cut(place, capsys):
    with pytest.raises(SystemExit):
        main(["fit", "good.csv", "--boundary", "9" * 5000])
    assert len(capsys.readouterr().err.splitlines()[-1]) <= 420
