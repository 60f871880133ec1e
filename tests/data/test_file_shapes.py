"""Files of everyday shapes: each read right, or refused with both readings and what decides."""

import gzip
import io
import os
import sys
import zipfile
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

import betaroc as br
from betaroc.core import local_files
from betaroc.data import text_rows
from betaroc.data.summary import summarize_file
from helpers import hostile
from helpers.extras import needs

pa = needs("pyarrow", "parquet")
pq = needs("pyarrow.parquet", "parquet")
feather = needs("pyarrow.feather", "parquet")

#: A client of 0.25 and an impostor of 0.5, whatever the shape.
EXPECTED = br.Scores([0.25], [0.5])
TABLE = "score,label\n0.25,1\n0.5,0\n"
FOUR = "a a p 0.5\na b p 0.2\n"
FILE, INPUT, TYPE = br.FileFormatError, br.InputError, br.InputTypeError

#: Bytes, options, the format that is stated, and what else was guessed.
SHAPES = {
    "semicolons, decimal commas": ("score;label\n0,25;1\n0,5;0\n", {}, "csv",
        ("separator=semicolon", "decimal=comma")),
    "what Excel writes": (b"\xef\xbb\xbfsep=;\r\nscore;label\r\n0,25;1\r\n0,5;0\r\n", {}, "csv",
        ("decimal=comma",)),
    "white space, decimal commas": ("score label\n0,25 1\n0,5 0\n", {}, "text",
        ("separator=space", "decimal=comma")),
    "R's row names": ('"score" "label"\n"1" 0.25 1\n"2" 0.5 0\n', {}, "text",
        ("columns=row,score,label", "header=True", "separator=space")),
    "numpy's savetxt": ("# score label\n2.5e-01 1.0e+00\n5.0e-01 0.0e+00\n", {}, "text",
        ("separator=space",)),
    "large letters": ("Score;LABEL\n0.25;1\n0.5;0\n", {}, "csv",
        ("score=Score", "label=LABEL", "separator=semicolon")),
    "empty columns of a sheet": ("score,label,,\n0.25,1,,\n0.5,0,,\n", {}, "csv", ()),
    "named columns over a header": ("y;p\n1;0.25\n0;0.5\n", {"columns": "label,score"}, "csv",
        ("header=True", "separator=semicolon")),
    "a header of numbers": ("0,1\n0.25,1\n0.5,0\n", {"score": "0", "label": "1", "header": True},
        "csv", ()),
    "identities": ("claimed,real,score\na,a,0.25\na,b,0.5\n", {"label": ("claimed", "real")}, "csv",
        ()),
    "bob.bio": ("probe_subject_id,probe_key,bio_ref_subject_id,score\na,p1,a,0.25\na,p2,b,0.5\n",
        {}, "csv", ("label=bio_ref_subject_id,probe_subject_id",)),
    "bob, decimal commas": ("1 0,25\n0 0,5\n", {}, "2col", ("decimal=comma",)),
    "ASVspoof": ("LA_E_1 - bonafide 0.25\nLA_E_1000 A07 spoof 0.5\n", {}, "asvspoof",
        ("format=asvspoof",)),
    "VoxCeleb": ("1 id1/a.wav id1/b.wav 0.25\n0 id1/a.wav id2/c.wav 0.5\n", {}, "voxceleb",
        ("format=voxceleb",)),
    "JSON lines": ('{"score": 0.25, "label": 1}\n\n{"label": 0, "more": [1], "score": 5e-1}\n', {},
        "jsonl", ()),
    "extra columns": ('kind,score,label\n"a, b",0.25,1\nc,0.5,0\n', {}, "csv", ()),
    "JSON columns": ('{"scores": [0.25, 0.5], "labels": [1, 0]}', {}, "json",
        ("score=scores", "label=labels")),
    "tsv": (TABLE.replace(",", "\t"), {}, "tsv", ()),
    "gzip": (gzip.compress(TABLE.encode()), {}, "csv, gzip", ()),
    "2col": ("# bob.measure\n1 0.25\n-1 0.5\n", {}, "2col", ()),
    "4col": ("a a probe 0.25\n\n# comment\na b probe 0.5\n", {}, "4col", ()),
}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def put(content, name="scores.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def both(scores):
    return scores.client.tolist(), scores.impostor.tolist()


def message(error, call, *words):
    hostile.refused(call, error, *words)


def refused(path, *words, **options):
    hostile.refused(partial(br.read_scores, path, **options), FILE, *words)


def said(guess):
    """A guess as an option of the call."""
    name, _, value = guess.partition("=")
    plain = {"True": True, "False": False}
    return name, tuple(value.split(",")) if name == "label" else plain.get(value, value)


@pytest.mark.parametrize("case", SHAPES)
def test_everyday_shapes(write, case):
    """What was guessed may as well be said, and is then no guess; the summary agrees."""
    content, options, kind, guesses = SHAPES[case]
    path = write(content)
    scores = br.read_scores(path, **options)
    assert scores == EXPECTED
    assert (scores.source.format, scores.source.guesses) == (kind, guesses)
    told = {"format": kind.split(",")[0]} | options | dict(map(said, guesses))
    again = br.read_scores(path, **told)
    assert again == EXPECTED
    assert again.source.guesses == ()


LATIN = "score,label,name\n" + "0.25,1,x\n" * 20_000
DROP = {"missing": "drop"}
#: What has two readings or none, or is broken: the words of the error.
DOUBTS = {
    "no header, word labels": ("genuine 0.25\nimpostor 0.5\n", {},
        ("columns='label,score'", "key=")),
    "thousands": ("score;label\n1,125;1\n2,500;0\n", {}, ("thousands", "decimal='comma'")),
    "a comma either way": ("a b 0,25\nc d 0,5\n", {},
        ("decimal='comma'", "separator='comma'", "'a b 0'", "'0,25'")),
    "points among decimal commas": ("score;label\n0,25;1\n0.5;0\n", {"decimal": "comma"},
        ("line 3", "decimal='point'")),
    "mixed separators": ("score;label\n0.25;1\n0.5,0\n", {}, ("line 3", "separators are mixed")),
    "bob or ASVspoof": ("a a genuine 0.25\na b genuine 0.5\n", {},
        ("format='4col'", "format='asvspoof'", "columns=")),
    "identities that are never equal": ("a b p 0.25\na c q 0.5\n", {}, ("no row", "'claimed'")),
    "G07 Latin-1": (
        LATIN.encode() + b"0.5,0,Andr\xe9\n", {},
        ("UTF-8", "b'\\xe9'", f"byte offset {len(LATIN) + 10}"),
    ),
    "G12 no header": ("0.25,1\n0.5,0\n", {}, ("header", "'0.25', '1'", "columns='score,label',")),
    "no header, label first": ("1,0.25\n0,0.5\n", {}, ("header", "columns='label,score',")),
    "G14 unclosed and long": (
        'score,label\n"' + "0.5,0\n" * 40_000, {}, ("line 2", "never closed"),
    ),
    "many labels": (
        "score,label\n" + "".join(f"{i % 2},{i}.5\n" for i in range(1100)), {},
        ("1000", "line 1002", "swapped"),
    ),
    "4col of numbers": (
        "0.5 0.5 1 0.9\n0.5 0.1 0 0.2\n", {}, ("may be 4col text", "'0.5'", "header"),
    ),
    "2col swapped": ("0.5 1\n0.2 -1\n0.3 1\n", {}, ("'0.5', '1'", "columns='score,label'")),
    "JSON, no number": ('[{"score": 1, "label": 1}, {"score": "x", "label": 0}]', {},
        ("trial 2", "'x'")),
    "every client missing": ("score,label\nNA,1\n0.5,0\n", DROP, ("every client one is missing",)),
    "one column": (b"3.5\n1.25\n", {}, ("client_file=", "key=")),
    "a wide blank between": ("label score\n1 0.5\n0\u3000.2\n", {}, ("line 3", "2 fields")),
}  # fmt: skip


@pytest.mark.parametrize("case", DOUBTS)
def test_two_readings_or_none(write, case):
    content, options, words = DOUBTS[case]
    message(FILE, lambda: br.read_scores(write(content), **options), "'scores.csv'", *words)


@pytest.mark.parametrize(("content", "options", "error", "words"), [
    (TABLE, {"separator": "dash"}, INPUT, ("separator", "'dash'", "'semicolon'")),
    (TABLE, {"missing": "keep"}, INPUT, ("missing", "'reject'")),
    (TABLE, {"format": "kaldi"}, INPUT, ("key", "kaldi")),
    (TABLE, {"label": ("a", "b", "c")}, INPUT, ("label", "two")),
    (TABLE.replace(",", "\t"), {"format": "csv"}, FILE, ("by tabs", "format='tsv'")),
    (FOUR, {"score": "p"}, INPUT, ("4col", "'p'")),
    (FOUR, {"format": "5col"}, FILE, ("line 1", "5 fields")),
    ("score,label\n.2,client\n.3,impostor\n", {"client_label": "cleint"}, FILE,
        ("'cleint'", "Did you mean 'client'?")),
    ("claimed,real,score\na,a,.25\n", {"label": ("claimed", "real"), "client_label": 1}, INPUT,
        ("client_label", "claimed")),
])  # fmt: skip
def test_options_of_reading_are_checked(write, content, options, error, words):
    message(error, partial(br.read_scores, write(content), **options), *words)


def test_a_file_that_is_not_there_is_like_another(write, tmp_path):
    """FIFOs, devices and addresses: hostile/test_hostile_files.py."""
    write(TABLE, "dev.csv")
    error = br.ScoreFileNotFoundError
    message(error, lambda: br.read_scores(tmp_path / "dve.csv"), "dve.csv", "'dev.csv'")
    assert issubclass(error, FileNotFoundError)


@pytest.mark.parametrize(("client", "impostor", "options", "kind"), [
    ("0.25\n", "0.5\n", {}, "pyeer"),
    ("0,25\n", "0,5\n", {"decimal": "comma"}, None),
    ("id;p\n1;0.25\n", "id;p\n1;0.5\n", {"score": "p"}, None),
    ("0.25\n", '{"score": 0.5}\n', {}, "pyeer and jsonl"),
])  # fmt: skip
def test_a_file_for_each_class(write, client, impostor, options, kind):
    one, other = write(client, "g.txt"), write(impostor, "i.txt")
    scores = br.read_scores(client_file=one, impostor_file=other, **options)
    assert scores == EXPECTED
    assert kind in (None, scores.source.format)


@pytest.mark.parametrize(("error", "options", "words"), [
    (INPUT, {"client_file": "g", "impostor_file": "link"}, ("impostor_file", "twice")),
    (INPUT, {"client_file": "g"}, ("client_file= and impostor_file=",)),
    (FILE, {"client_file": "g", "impostor_file": "c"}, ("'c'", "decimal='comma'")),
    (FILE, {"client_file": "n", "impostor_file": "i"}, ("'n'", "one score per line")),
    (br.ScoreFileNotFoundError, {"client_file": "g", "impostor_file": "no"}, ("impostor_file",)),
])  # fmt: skip
def test_files_of_two_classes_refused(write, tmp_path, monkeypatch, error, options, words):
    monkeypatch.chdir(tmp_path)
    for name, text in {"g": "0.25\n", "i": "0.5\n", "c": "0,5\n0,25\n", "n": "0.5 9\n"}.items():
        write(text, name)
    os.symlink("g", "link")
    message(error, lambda: br.read_scores(**options), *words)


TRIALS = "w/1.wav 0.5\nw/2.wav 0.25\n"
PROTOCOL = "w/1.wav eval spoof\nw/2.wav eval bonafide\n"
#: Scores, key, options, and the ids of the client.
KEYED = {
    "Kaldi": ("u1 0.25\nu2 0.5\n", "u2 nontarget\nu1 target\n", {}, ["u1"]),
    "NIST": ("e t1 0.25\ne t2 0.5\n", "e t2 nontarget\ne t1 target\n", {"format": "nist"},
        [["e", "t1"]]),
    "ASVspoof 2021": ("LA_1 0.25\nLA_2 0.5\n",
        "LA_9 LA_1 alaw ita_tx bonafide bonafide notrim eval\n"
        "LA_9 LA_2 alaw ita_tx A07 spoof notrim eval\n", {}, ["LA_1"]),
    "numbers of columns": (TRIALS, PROTOCOL, {"key_id": "1", "key_label": "3"}, ["w/2.wav"]),
    "columns called otherwise": ("id,score,label\na,.25,x\nb,.5,y\n",
        "utt,label,id\nb,0,8\na,1,7\n", {"id": "id", "key_id": "utt", "key_label": "label"}, ["a"]),
}  # fmt: skip


@pytest.mark.parametrize("case", KEYED)
def test_a_key_says_who_is_a_client(write, case):
    text, key, options, ids = KEYED[case]
    path, of_key = write(text), write(key, "key.txt")
    scores = br.read_scores(path, key=of_key, **options)
    assert both(scores) == ([0.25], [0.5])
    assert np.asarray(scores.client_ids).tolist() == ids
    assert scores.source.further == (str(of_key),)


def test_labels_beside_scores_are_joined_line_by_line(write):
    for key in ("1\n0\n1\n", "label\n1\n0\n1\n"):
        scores = br.read_scores(write("0.9\n0.2\n0.7\n"), key=write(key, "labels.csv"))
        assert both(scores) == ([0.9, 0.7], [0.2])


TWO = "u1 target\nu2 nontarget\n"
#: Scores, key, options, the words of the error.
KEYS_REFUSED = {
    "unknown": ("u1 1\nu3 2\nu4 3\n", TWO, {}, ("2 of 3", "'u3'", "'key.txt'")),
    "twice in the key": ("u1 1\n", TWO + "u1 target\n", {}, ("'key.txt'", "1 of 3 rows", "'u1'")),
    "without a score": ("u1 1\nu2 2\n", TWO + "u3 target\n", {},
        ("1 of 3", "'u3'", "missing='drop'")),
    "bob": ("u1 1\n", "u1 target\n", {"format": "4col"}, ("key", "4col")),
    "columns that are not named": (TRIALS, PROTOCOL, {},
        ("key_id=", "key_label=", "numbers from 1")),
    "more lines": ("0.9\n0.2\n", "1\n0\n1\n", {}, ("as many scores as the key", "2 and 3")),
}  # fmt: skip


@pytest.mark.parametrize("case", KEYS_REFUSED)
def test_keys_refused(write, case):
    text, key, options, words = KEYS_REFUSED[case]
    path, of_key = write(text), write(key, "key.txt")
    call = partial(br.read_scores, path, key=of_key, **options)
    message(INPUT if case == "bob" else FILE, call, *words)


def test_trials_of_a_key_without_a_score_are_counted(write):
    """Of the key's five trials u4 and u5 have no line, u3 has no number."""
    path = write("u1 0.25\nu2 0.5\nu3 NA\n")
    key = write(TWO + "u3 target\nu4 target\nu5 nontarget\n", "key.txt")
    with pytest.warns(br.MissingScoreWarning, match=r"score: 3 \(2 of clients, 1 of impostors"):
        scores = br.read_scores(path, key=key, missing="drop")
    assert scores == br.Scores([0.25], [0.5], client_ids=["u1"], impostor_ids=["u2"])
    assert scores.source.n_dropped == 3
    rejected = br.read_scores(path, key=key, missing="reject")
    assert (rejected.n_client_rejected, rejected.n_impostor_rejected) == (2, 1)


def test_arrow_and_large_letters_where_columns_have_types(tmp_path):
    table = pa.table({"score": [0.25, 0.5], "label": ["genuine", "impostor"], "id": [3, 4]})
    feather.write_feather(table, tmp_path / "a")
    with pa.ipc.new_stream(tmp_path / "b", table.schema) as stream:
        stream.write_table(table)
    for name in "ab":
        scores = br.read_scores(tmp_path / name, id="id")
        assert scores == br.Scores([0.25], [0.5], client_ids=[3], impostor_ids=[4])
        assert (scores.source.format, scores.source.guessed) == ("arrow", "genuine")
        assert br.summarize(tmp_path / name).impostor.maximum == 0.5
    refused(tmp_path / "a", "Arrow", format="csv")
    table = pa.table({"SCORE": [0.25, 0.5], "Label": [1, 0]})
    pq.write_table(table, tmp_path / "p")
    assert br.read_scores(tmp_path / "p").source.guesses == ("score=SCORE", "label=Label")
    pq.write_table(table.append_column("Score", [[0.0, 1.0]]), tmp_path / "p")
    refused(tmp_path / "p", "'SCORE'", "'Score'")


class _Stdin(io.BytesIO):
    """A standard input of these bytes, which may be a terminal."""

    terminal = False
    buffer = property(lambda self: self)

    def isatty(self):
        return self.terminal


def test_the_standard_input(monkeypatch):
    text = b"score;label\n0,25;1\n0,5;0\n"
    for content in (text, gzip.compress(text)):
        monkeypatch.setattr(sys, "stdin", _Stdin(content))
        assert br.read_scores("-") == EXPECTED
    message(FILE, lambda: br.read_scores("-"), "standard input", "once a call")  # it was read
    monkeypatch.setattr(sys, "stdin", _Stdin(b"score,label\n1,0\n"))
    message(FILE, lambda: br.read_scores("-"), "standard input must hold both classes")
    monkeypatch.setattr(_Stdin, "terminal", True)
    message(FILE, lambda: br.read_scores("-"), "standard input", "terminal")
    monkeypatch.setattr(_Stdin, "terminal", False)
    monkeypatch.setattr(local_files, "_SPOOLED", 10)
    monkeypatch.setattr(sys, "stdin", _Stdin(text))
    message(FILE, lambda: br.read_scores("-"), "standard input", "longer")


MISSING = "score,label\n0.25,1\nNA,1\n0.5,0\n,0\nnan,0\nNULL,1\nn/a,0\n ,1\n"


@pytest.mark.parametrize("size", [0, 2**20])
def test_scores_that_are_missing(write, monkeypatch, size):
    """By hand: NA, NULL and a blank of clients; an empty one, nan and n/a of impostors."""
    monkeypatch.setattr(text_rows, "_SMALL", size)
    path = write(MISSING)
    refused(path, "line 3", "'NA'", "missing='drop'")
    with pytest.warns(br.MissingScoreWarning, match=r"score: 6 \(3 of clients, 3 of impostors"):
        scores = br.read_scores(path, missing="drop")
    assert scores == EXPECTED
    assert scores.source.n_dropped == 6


@pytest.mark.parametrize(("text", "line"), [
    ("a a p nan\na b p 0.5\nb b p 0.25\n", 1),  # which changes no reading
    ('{"score": 0.25, "label": 1}\n{"score": null, "label": 1}\n{"score": 0.5, "label": 0}\n', 2),
])  # fmt: skip
def test_missing_scores_of_other_kinds(write, text, line):
    path = write(text)
    refused(path, f"line {line}")
    with pytest.warns(br.MissingScoreWarning):
        assert br.read_scores(path, missing="drop") == EXPECTED


def test_missing_scores_of_arrays_and_frames(tmp_path):
    """By hand: of labels 1, 0, 1, 0, 1 the third and the fourth have no score."""
    label, score, ids = [1, 0, 1, 0, 1], [0.25, 0.5, None, None, 0.75], [1, 2, 3, 4, 5]
    expected = br.Scores([0.25, 0.75], [0.5], client_ids=[1, 5], impostor_ids=[2])
    columns = pa.table({"label": label, "score": score, "id": ids})
    pq.write_table(columns, path := tmp_path / "p")
    from_labels = br.Scores.from_labels
    for call in (
        lambda **o: from_labels(label, score, ids=ids, **o),
        lambda **o: from_labels(label, pl.Series(score), ids=ids, **o),
        lambda **o: br.Scores.from_frame(columns, id="id", **o),
        lambda **o: br.Scores.from_frame(pl.from_arrow(columns).lazy(), id="id", **o),
        lambda **o: br.read_scores(path, id="id", **o),
    ):
        with pytest.warns(br.MissingScoreWarning, match=r"2 \(1 of clients, 1 of impostors"):
            assert call(missing="drop") == expected
        with pytest.raises((INPUT, FILE)):
            call()
    with pytest.warns(br.MissingScoreWarning):
        kept = from_labels(label, score, weights=ids, missing="drop")
    assert kept == br.Scores([0.25, 0.75], [0.5], client_weights=[1, 5], impostor_weights=[2])
    message(INPUT, lambda: from_labels([1, 0], [None, 0.5], missing="drop"), "every client one")


def saved(**arrays):
    """An archive of arrays of numpy, or the array `alone`."""
    out = io.BytesIO()
    np.save(out, arrays["alone"]) if "alone" in arrays else np.savez(out, **arrays)
    return out.getvalue()


PAIR = {"genuine": [0.9, 0.7], "impostor": [0.25]}
TABULAR = np.array([[1, 0.9], [1, 0.7], [0, 0.25]])


def test_arrays_of_numpy_are_tables_or_a_class(write):
    archive = write(saved(y_true=[1, 1, 0], y_score=[0.9, 0.7, 0.25]))
    assert both(br.read_scores(archive)) == ([0.9, 0.7], [0.25])
    table = br.read_scores(write(saved(alone=TABULAR)), columns="label,score")
    assert both(table) == ([0.9, 0.7], [0.25])
    path, other = write(saved(alone=[0.9, 0.7]), "g.npy"), write(saved(alone=[0.25]), "i.npy")
    assert both(br.read_scores(client_file=path, impostor_file=other)) == ([0.9, 0.7], [0.25])
    assert br.read_scores(path, key=write("1\n0\n", "key")).n_impostor == 1
    assert br.summarize(write(saved(**PAIR))).client.maximum == 0.9
    np.save(objects := io.BytesIO(), np.array([{}]), allow_pickle=True)
    refused(write(saved(alone=TABULAR)), "columns=")
    refused(write(saved(**PAIR | {"genuine": [0.9, np.nan]})), "line 3", "missing")
    refused(write(objects.getvalue()), "array of numpy", "intact")
    refused(write(saved(**PAIR)[:-9]))


def test_a_sheet_of_excel_is_a_table(write, monkeypatch):
    with zipfile.ZipFile(archive := io.BytesIO(), "w") as sheet:
        sheet.writestr("xl/workbook.xml", "<a/>")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "openpyxl", None)
        with pytest.raises(br.MissingDependencyError, match=r"needs openpyxl.*CSV UTF-8"):
            br.read_scores(write(archive.getvalue()))
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"Score": [0.9, 0.25], "label": ["genuine", "impostor"], "n": 1})
    frame.to_excel(out := io.BytesIO(), index=False)
    scores = br.read_scores(write(out.getvalue()))
    assert both(scores) == ([0.9], [0.25])
    assert scores.source.guesses == ("score=Score",)


@pytest.mark.parametrize("step", [40, pytest.param(1, marks=pytest.mark.simulation)])
def test_every_cut_of_gzip_is_a_damaged_file(write, step):
    text = "".join(f"é{k},{k % 2},0.{k}{k * 7919}\n" for k in range(30))
    whole = gzip.compress(("name,label,score\n" + text).encode())
    for end in range(2, len(whole), step):
        refused(write(whole[:end]))
    for place in range(10, len(whole), step):
        refused(write(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :]))


def test_integers_that_doubles_round_are_refused_as_in_arrays(write, monkeypatch):
    """2**53 + 1 is no double, 2**53 + 2 is one."""
    for value in (2**53 + 1, -(2**53) - 1):
        refused(write(f'{{"score": {value}, "label": 1}}\n'), "beyond 2**53")
        for small in (2**22, 0):  # line by line, and by columns
            monkeypatch.setattr(text_rows, "_SMALL", small)
            refused(write(f"score,label\n{value},1\n1,0\n"), "line 2", "beyond 2**53")
    scores = br.read_scores(write(f"score,label\n{2**53 + 2},1\n{2**53 + 1}.0,0\n"))
    assert scores.client.tolist() == [2.0**53 + 2]


def test_g20_doubles_come_back_bit_by_bit(write):
    """repr of a float is its shortest decimal that reads back to it (Python's promise)."""
    rng = np.random.default_rng(11)
    bits = rng.integers(0, 2**63, 2000, dtype=np.uint64) & np.uint64(0xBFFFFFFFFFFFFFFF)
    client, impostor = bits.view(np.float64), rng.beta(0.05, 3, 2000)
    rows = [f"{v!r},1" for v in client.tolist()] + [f"{v!r},0" for v in impostor.tolist()]
    scores = br.read_scores(write("score,label\n" + "\n".join(rows)))
    assert scores.client.tobytes() == client.tobytes()
    assert scores.impostor.tobytes() == impostor.tobytes()


@pytest.mark.parametrize("read", [br.read_scores, summarize_file], ids=["rows", "sums"])
@pytest.mark.parametrize("name", ["text", "gzip", "parquet", "arrow"])
def test_rows_and_bytes_are_bounded(tmp_path, name, read):
    path = tmp_path / "scores"
    table = pa.table({"score": [0.9, 0.8, 0.1, 0.2], "label": [1, 1, 0, 0]})
    text = b"score,label\n0.9,1\n0.8,1\n0.1,0\n0.2,0\n"
    if name == "arrow":
        feather.write_feather(table, path, compression="uncompressed")
    elif name == "parquet":
        pq.write_table(table, path)
    else:
        path.write_bytes(text if name == "text" else gzip.compress(text + b"\n" * 2**12))
    size = path.stat().st_size if name != "gzip" else len(text) + 2**12
    message(FILE, lambda: read(path, max_rows=3), "3 rows", "4", "max_rows=")
    words = ("expand", str(size - 1)) if name == "gzip" else (str(size),)
    message(FILE, lambda: read(path, max_size=size - 1), "max_size=", *words)
    assert read(path, max_size=size, max_rows=4).n_client == 2


HALF = [0.25, 0.5]
UNUSED = pa.DictionaryArray.from_arrays(pa.array([2, 1]), pa.array(["x", "0", "1"]))


@pytest.mark.parametrize(("columns", "options"), [
    ({"score": HALF, "label": [1, 0]}, {}),
    ({"score": pa.array(HALF, pa.float32()), "label": [1.0, -1.0]}, {}),
    ({"score": HALF, "label": UNUSED}, {}),
    ({"p": HALF, "y": [2, 1]}, {"score": "p", "label": "y", "client_label": "2"}),
    ({"score": HALF, "a": [1, 1], "b": ["1", "2"], "c": [3, 4]}, {"label": ("a", "b")}),
])  # fmt: skip
def test_parquet(tmp_path, columns, options):
    path = tmp_path / "scores"
    pq.write_table(pa.table(columns), path, row_group_size=1)
    scores = br.read_scores(path, **options)
    assert scores == EXPECTED
    assert scores.source.format == "parquet"
    if "client_label" not in options:
        assert br.summarize(path, **options).client.maximum == 0.25


TWICE = pa.Table.from_arrays([pa.array([0.1])] * 2 + [pa.array([1])], ["score"] * 2 + ["label"])


@pytest.mark.parametrize(("columns", "options", "words"), [
    ({"scroe": [0.1], "label": [1]}, {}, ("'score'", "Did you mean 'scroe'")),
    ({"score": [0.1, 0.2], "label": ["a", "b"]}, {}, ("client_label", "first in row 1")),
    (TWICE, {}, ("'score' occurs 2 times",)),
])  # fmt: skip
def test_parquet_refused(tmp_path, columns, options, words):
    """What is damaged: hostile/test_hostile_files.py."""
    path = tmp_path / "s.parquet"
    pq.write_table(pa.table(columns) if isinstance(columns, dict) else columns, path)
    refused(path, "'s.parquet'", *words, **options)


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    path = tmp_path / "s.parquet"
    pq.write_table(pa.table({"score": [0.1], "label": [1]}), path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(br.MissingDependencyError, match=r'pip install "betaroc\[parquet\]"'):
        br.read_scores(path)


STRATA = "label,species,score,id\n{0},.9,g1\nattack,print,.2,i1\nattack,replay,.4,i2\n{0},.7,g2\n"


def test_strata_of_files_and_keys(write, tmp_path):
    table = write(STRATA.format("genuine,-"), "species.csv")
    assert br.read_scores(table, stratum="species").strata == (
        {"-": 2}, {"print": 1, "replay": 1}
    )  # fmt: skip
    refused(table, "kind", stratum="kind")
    blanks = pd.read_csv(write(STRATA.format("genuine,")))
    blanks.to_parquet(tmp_path / "of.parquet")
    blanks.to_json(tmp_path / "of.json", orient="records")
    for name in ("scores.csv", "of.parquet", "of.json"):  # of a class without strata blanks
        strata = br.read_scores(tmp_path / name, stratum="species").strata
        assert strata == ({}, {"print": 1, "replay": 1})
        refused(tmp_path / name, "species", stratum="species", group="species")
    kinds = write("label,score\nbonafide,.9\nprint,.2\nreplay,.4\nprint,.3\nbonafide,.8\n")
    one_against_rest = br.read_scores(kinds, client_label="bonafide")
    assert one_against_rest.strata == ({}, {"print": 2, "replay": 1})
    refused(kinds, "two labels; got 3")
    lines = write("id,score\ng1,.9\ni1,.2\ng2,.7\ni2,.4\n")
    key = "id,label,attack\ng1,bonafide,-\ng2,bonafide,-\ni1,spoof,A01\ni2,spoof,A02\n"
    path = write(key + "i3,spoof,A02\n", "key")
    keyed = br.read_scores(lines, key=path, id="id", stratum="attack", missing="reject")
    assert keyed.strata == ({"-": 2}, {"A01": 1, "A02": 2})
    assert keyed.n_impostor_rejected == 1
    assert br.by_stratum(keyed, "far", threshold=0.3).estimate.tolist() == [0.0, 0.5]
