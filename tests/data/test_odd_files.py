"""Files as other programs write them: joined, read, or refused with what works."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::betaroc.errors.SmallSampleWarning")
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(content: str | bytes, name: str = "scores.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def refused(path: Path, *words: str, **options: Any) -> None:
    with pytest.raises(br.FileFormatError) as caught:
        br.read_scores(path, **options)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


SCORES = "w/1.wav 0.1\nw/2.wav 0.9\nw/3.wav 0.2\nw/4.wav 0.8\n"
PROTOCOL = "w/1.wav eval spoof\nw/2.wav eval bonafide\nw/3.wav eval spoof\nw/4.wav eval bonafide\n"


# ------------------------------------------------------------------------------- keys
def test_a_key_without_header_is_joined_by_the_numbers_of_its_columns(write: Write) -> None:
    path, key = write(SCORES), write(PROTOCOL, "key.txt")
    scores = br.read_scores(path, key=key, key_id="1", key_label="3")
    assert (scores.client.tolist(), scores.impostor.tolist()) == ([0.9, 0.8], [0.1, 0.2])
    assert np.asarray(scores.client_ids).tolist() == ["w/2.wav", "w/4.wav"]
    refused(path, "key_id=", "key_label=", "numbers from 1", key=key)
    with pytest.raises(br.InputError, match="key_id must name as many columns"):
        br.read_scores(path, key=key, key_id=("1", "2"), key_label="3")


def test_a_key_may_call_its_columns_otherwise_than_the_scores(write: Write) -> None:
    """Both tables have a column label, and of the scores it is no class."""
    path = write("id,score,label\na,.9,x\nb,.4,y\n")
    key = write("utt,label,id\nb,0,8\na,1,7\n", "key.csv")
    scores = br.read_scores(path, key=key, id="id", key_id="utt", key_label="label")
    assert (scores.client.tolist(), scores.impostor.tolist()) == ([0.9], [0.4])


def test_labels_beside_scores_are_joined_line_by_line(write: Write) -> None:
    key = write("1\n0\n1\n", "labels.txt")
    scores = br.read_scores(write("0.9\n0.2\n0.7\n"), key=key)
    assert (scores.client.tolist(), scores.impostor.tolist()) == ([0.9, 0.7], [0.2])
    assert scores.source is not None
    assert scores.source.format == "text"
    headed = write("label\n1\n0\n1\n", "labels.csv")
    assert br.read_scores(write("0.9\n0.2\n0.7\n"), key=headed) == scores
    refused(write("0.9\n0.2\n"), "as many scores as the key", "2 and 3", key=key)


def test_columns_of_a_key_stand_beside_one(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    classes = [k % 2 for k in range(40)]
    rows = [f"{k},{y + k % 7 / 5},{y + k % 5 / 4}\n" for k, y in enumerate(classes)]
    path = write("utt,a,b\n" + "".join(rows))
    for name in ("key_id", "key_label"):
        with pytest.raises(br.InputError, match=f"{name} must stand beside"):
            br.read_scores(path, **{name: "1"})
        option = "--" + name.replace("_", "-")
        assert main(["ensemble", str(path), option, "1"]) == 2
        assert option in capsys.readouterr().err
    key = write("".join(f"{k} x {y}\n" for k, y in enumerate(classes)), "key.txt")
    call = ["ensemble", str(path), "--id", "utt", "--key", str(key), "--key-id", "1"]
    assert main([*call, "--key-label", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


# ------------------------------------------------------------------------------- JSON
@pytest.mark.parametrize(
    "text",
    [
        '[{"score": 0.9, "label": 1}, {"score": 0.25, "label": 0}]',
        '[\n {"score": 0.9, "label": 1},\n {"score": 0.25, "label": 0}\n]\n',
        '{"scores": [0.9, 0.25], "labels": [1, 0]}',
        '{\n "labels": [true, false],\n "score": [0.9, 0.25],\n "name": "x"\n}\n',
    ],
)
def test_a_json_document_is_read(write: Write, text: str) -> None:
    scores = br.read_scores(write(text))
    assert (scores.client.tolist(), scores.impostor.tolist()) == ([0.9], [0.25])
    assert scores.source is not None
    assert scores.source.format == "json"
    assert br.summarize(write(text)).n_client == 1


def test_a_json_document_names_the_trial(write: Write) -> None:
    refused(write('[{"score": 1, "label": 1}, {"score": "x", "label": 0}]'), "trial 2", "'x'")
    refused(write('[{"score": 1, "label": 1}, {"score": 2}]'), "trial 2", "the label")
    refused(write('{"score": [[1], 2], "label": [1, 0]}'), "trial 1", "must be a number")
    refused(write('[{"score": 1, "score": 2, "label": 1}]'), "'score' occurs twice")


# ---------------------------------------------------------------------- other programs
def test_binary_files_are_named_for_what_they_are(write: Write) -> None:
    noise = bytes(range(128, 256))
    for content, *words in (
        (b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + noise, "MATLAB", "writematrix"),
        (b"$FL2@(#) SPSS DATA FILE" + noise, "SPSS", "csv"),
        (b"<stata_dta><header>" + noise, "Stata", "export delimited"),
        (gzip.compress(b"RDX3\nX\n" + noise), "file of R", "write.csv"),
    ):
        refused(write(content), *words)


def saved(**arrays: Any) -> bytes:
    """An archive of arrays of numpy, or the array `alone`."""
    out = io.BytesIO()
    np.save(out, arrays["alone"]) if "alone" in arrays else np.savez(out, **arrays)
    return out.getvalue()


def test_arrays_of_numpy_are_tables(write: Write) -> None:
    pair, client = {"genuine": [0.9, 0.7], "impostor": [0.25]}, np.array([0.9, 0.7], np.float32)
    rows = np.array([(0.9, b"a"), (0.7, b"a"), (0.25, b"b")], [("score", float), ("y", "S1")])
    two = np.array([[1, 0.9], [1, 0.7], [0, 0.25]])
    for content, options, kind in (
        (saved(**pair), {}, "npz"),
        (saved(y_true=[1, 1, 0], y_score=[0.9, 0.7, 0.25]), {}, "npz"),
        (saved(a=[1, 1, 0], b=[0.9, 0.7, 0.25]), {"label": "a", "score": "b"}, "npz"),
        (saved(alone=rows), {"label": "y", "client_label": "a"}, "npy"),
        (saved(alone=two), {"columns": "label,score"}, "npy"),
        (saved(alone=two), {"label": "1", "score": "2"}, "npy"),
    ):
        path = write(content)
        scores = br.read_scores(path, **options)
        assert (scores.client.tolist(), scores.impostor.tolist()) == ([0.9, 0.7], [0.25])
        assert scores.source is not None
        assert scores.source.format == kind
    refused(path, "columns=")
    path, other = write(saved(alone=client), "g.npy"), write(saved(alone=[0.25]), "i.npy")
    scores = br.read_scores(client_file=path, impostor_file=other)
    assert scores.client.tolist() == client.astype(float).tolist()
    assert br.read_scores(path, key=write("1\n0\n", "key")).n_impostor == 1
    assert br.summarize(write(saved(**pair))).client.maximum == 0.9
    refused(write(saved(**pair | {"genuine": [0.9, np.nan]})), "line 3", "missing")
    refused(write(saved(a=[1, 2], b=[1])), "one length", "'a': (2,)")
    refused(write(saved(alone=np.zeros((2, 2, 2)))), "one length")
    with pytest.raises(br.InputError, match="separator must be left out"):
        br.read_scores(write(saved(**pair)), separator="comma")
    for whole in (saved(**pair), saved(alone=two)):
        for end in (60, 100, len(whole) - 9):
            refused(write(whole[:end]))
    out = io.BytesIO()
    np.save(out, np.array([{}]), allow_pickle=True)
    refused(write(out.getvalue()), "array of numpy", "intact")


def test_a_sheet_of_excel_is_a_table(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as sheet:
        sheet.writestr("xl/workbook.xml", "<a/>")
    damaged = write(archive.getvalue())
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(br.MissingDependencyError, match=r"needs openpyxl.*CSV UTF-8"):
        br.read_scores(damaged)
    monkeypatch.undo()
    pytest.importorskip("openpyxl")
    refused(damaged, "a sheet of Excel", "intact", "CSV UTF-8")
    out = io.BytesIO()
    frame = pd.DataFrame({"Score": [0.9, 0.25], "label": ["genuine", "impostor"], "n": 1})
    frame.to_excel(out, index=False)
    scores = br.read_scores(write(out.getvalue()))
    assert (scores.client.tolist(), scores.impostor.tolist()) == ([0.9], [0.25])
    assert scores.source is not None
    assert (scores.source.format, scores.source.guesses) == ("xlsx", ("score=Score",))
    frame["Score"] = [0.5, "x"]
    frame.to_excel(out := io.BytesIO(), index=False)
    refused(write(out.getvalue()), "line 3", "'x'")


def test_what_holds_no_scores_is_named(write: Write) -> None:
    refused(write("fpr,tpr,threshold\n0,0,inf\n0.1,0.9,0.5\n1,1,0\n"), "a column 'score'")
    matrix = "id,a,a,b,c\na,.5,.7,.1,.2\na,.7,.8,.1,.1\nb,.1,.2,.9,.3\nc,.1,.2,.1,.9\n"
    refused(write(matrix), "a column 'score'")
    weka = "inst#,actual,predicted,error,distribution\n1,2:p,2:p,,0.35,*0.65\n2,1:n,1:n,,*0.8,0.2\n"
    columns = {"score": "distribution", "label": "actual"}
    refused(write(weka), "line 2", "got 6", **columns)
    scores = br.read_scores(
        write(weka.replace("*", "")), columns="inst,actual,predicted,error,n,score",
        label="actual", client_label="2:p", header=True,
    )  # fmt: skip
    assert (scores.client.tolist(), scores.impostor.tolist()) == ([0.65], [0.2])


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_every_cut_of_gzip_is_a_damaged_file(write: Write, encoding: str) -> None:
    text = "".join(f"é{k},{k % 2},0.{k}{k * 7919}\n" for k in range(30))
    whole = gzip.compress(("name,label,score\n" + text).encode(encoding))
    for end in range(2, len(whole)):
        refused(write(whole[:end]))
    for place in range(10, len(whole)):
        path = write(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        refused(path)


# -------------------------------------------------------------------------- odd values
def test_blanks_that_are_no_spaces_are_refused(write: Write) -> None:
    for blank in "\u00a0\u2003\u3000\u202f":
        refused(write(f"score,label\n0.5{blank},1\n0.2,0\n"), "line 2", "neither a space nor a tab")
        refused(write(f"score,label\n{blank}0.5,1\n0.2,0\n"), "line 2", "neither a space nor a tab")
        refused(write(f"score,label\n0.5,1{blank}\n0.2,0\n"), "labels must be")
        refused(write(f"label score\n1 0.5\n0{blank}0.2\n"), "line 3", "2 fields")


def test_integers_that_doubles_round_are_refused_as_in_arrays(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2**53 + 1 is no double, 2**53 + 2 is one."""
    for value in (2**53 + 1, -(2**53) - 1, 10**18 + 1):
        with pytest.raises(br.InputError, match=r"beyond 2\*\*53"):
            br.Scores([value], [1])
        text = f"score,label\n{value},1\n1,0\n"
        refused(write(text), "line 2", "beyond 2**53")
        refused(write(text + "0.5,0\n" * 2**18), "line 2", "beyond 2**53")  # by columns
        refused(write(f'{{"score": {value}, "label": 1}}\n'), "beyond 2**53")
    scores = br.read_scores(write(f"score,label\n{2**53 + 2},1\n{2**53 + 1}.0,0\n"))
    assert scores.client.tolist() == [2.0**53 + 2]


def test_a_missing_first_score_changes_no_reading(write: Write) -> None:
    path = write("a a p nan\na b p 0.5\nb b p 0.7\n")
    refused(path, "line 1", "finite")
    with pytest.warns(br.MissingScoreWarning):
        scores = br.read_scores(path, missing="drop")
    assert (scores.client.tolist(), scores.impostor.tolist()) == ([0.7], [0.5])


def test_one_column_of_numbers_asks_for_the_other_class_or_for_labels(write: Write) -> None:
    refused(write(b"3.5\n1.25\n"), "one column of numbers", "client_file=", "key=")
