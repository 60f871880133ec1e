"""read_scores: every format it reads, and what it refuses with the line named."""

from __future__ import annotations

import gzip
import os
import sys

import numpy as np
import pytest

import betaroc as br
from betaroc.data.summary import summarize_file
from helpers.extras import needs

pa = needs("pyarrow", "parquet")
pq = needs("pyarrow.parquet", "parquet")

FILE, INPUT, TYPE = br.FileFormatError, br.InputError, br.InputTypeError


@pytest.fixture
def write(tmp_path):
    def put(content, name="scores.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def message(error, call, *words):
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    text = str(caught.value)
    assert len(text) <= 400, text
    for word in words:
        assert word in text, (word, text)
    return caught.value


TABLE = "score,label\n0.25,1\n0.5,0\n"
EXPECTED = br.Scores([0.25], [0.5])

READ = {
    "columns swapped": ("label,score\n1,0.25\n0,0.5\n", "csv"),
    "extra columns": ('kind,score,label\n"a, b",0.25,1\nc,0.5,0\n', "csv"),
    "blanks around": ("score,label\n 0.25 , 1\n0.5, 0 \n", "csv"),
    "notations": ("score,label\n+2.5E-1,1\n.5,0\n", "csv"),
    "tsv": (TABLE.replace(",", "\t"), "tsv"),
    "gzip": (gzip.compress(TABLE.encode()), "csv, gzip"),
    "2col": ("# bob.measure\n1 0.25\n-1 0.5\n", "2col"),
    "2col 0": ("1\t0.25\n0\t0.5\n", "2col"),
    "4col": ("a a probe 0.25\n\n# comment\na b probe 0.5\n", "4col"),
    "5col": ("a m1 a probe 0.25\na m1 b probe 0.5\n", "5col"),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
@pytest.mark.parametrize("name", ["scores.csv", "scores-dev"])
def test_formats_are_told_by_content(write, case, name):
    content, kind = READ[case]
    path = write(content, name)
    scores = br.read_scores(path)
    assert scores == EXPECTED
    assert (scores.source.path, scores.source.format) == (str(path), kind)
    assert br.read_scores(str(path), format=kind.split(",")[0]) == EXPECTED
    assert br.read_scores(os.fsencode(path)) == EXPECTED


@pytest.mark.parametrize(
    ("labels", "client_label"),
    [(("2", "1"), 2), (("2", "1"), "2"), (("2.0", "1"), 2), (("a", "b"), "a"), (("0", "1"), 0)],
)
def test_client_label_as_text_and_as_number(write, labels, client_label):
    text = "score,label\n0.25,{}\n0.5,{}\n".format(*labels)
    assert br.read_scores(write(text), client_label=client_label) == EXPECTED


def test_column_names(write):
    path = write("y;p,p,q\n1,0.25,7\n0,0.5,8\n")
    assert br.read_scores(path, score="p", label="y;p") == EXPECTED


def test_g20_doubles_come_back_bit_by_bit(write):
    """repr of a float is its shortest decimal that reads back to it (Python's promise)."""
    rng = np.random.default_rng(11)
    bits = rng.integers(0, 2**63, 20_000, dtype=np.uint64) & np.uint64(0xBFFFFFFFFFFFFFFF)
    client = bits.view(np.float64)
    impostor = rng.beta(0.05, 3, 20_000)
    rows = [f"{v!r},1" for v in client.tolist()] + [f"{v!r},0" for v in impostor.tolist()]
    scores = br.read_scores(write("score,label\n" + "\n".join(rows)))
    assert scores.client.tobytes() == client.tobytes()
    assert scores.impostor.tobytes() == impostor.tobytes()


LATIN = "score,label,name\n" + "0.25,1,x\n" * 20_000

BAD = {
    "G07 Latin-1": (LATIN.encode() + b"0.5,0,Andr\xe9\n", "UTF-8", "b'\\xe9'",
        f"byte offset {len(LATIN) + 10}"),
    "G10 after blank lines": ("score,label\n\n\n0.25\n", "line 4"),
    "G12 no header": ("0.25,1\n0.5,0\n", "header", "'0.25', '1'", "columns='score,label',"),
    "no header, label first": ("1,0.25\n0,0.5\n", "header", "columns='label,score',"),
    "no header, either": ("1,0\n0,1\n", "columns='score,label' or columns='label,score',"),
    "no header, three": ("7,1,0.25\n", "columns='NAME,NAME,...'"),
    "G14 closed late": ('score,label\n"0.25,1\n"0.5,0\n', "line 2", "quotes"),
    "G14 unclosed and long": ('score,label\n"' + "0.5,0\n" * 40_000, "line 2", "never closed"),
    "padded on both sides": (" score , label \n0.2,1\n", "'score'", "Did you mean ' score '",
        "blanks"),
    "G19 nothing near": ("a,b,c,d,e,f,g\n", "'score'", "'a', 'b'", "2 more"),
    "three columns": ("a b 0.2\nc d 0.1\n", "'a', 'b', '0.2'", "columns=", "key="),
    "no clients": ("score,label\n0.2,-1\n", "no client scores", "'-1'"),
    "many labels": ("score,label\n" + "".join(f"{i % 2},{i}.5\n" for i in range(1100)), "1000",
        "line 1002", "swapped"),
    "labels 1 2": ("score,label\n.2,1\n.3,2\n", "client_label", "'2' (count 1, first in line 3)"),
    "label words": ("score,label\n.2,ham\n.3,spam\n", "client_label", "'ham'"),
    "two words of clients": ("score,label\n.2,client\n.3,genuine\n", "client_label", "'client'"),
    "mixed labels": ("score,label\n.2,1\n.3,true\n", "client_label", "'true'"),
    "gzip cut": (gzip.compress(LATIN.encode())[:-9], "gzip", "truncated"),
    "4col text": ("a a p 0.5\na b p high\n", "line 2", "'high'"),
    "4col one class": ("a a p 0.5\nb b p 0.4\n", "no impostor scores"),
    "4col of numbers": ("0.5 0.5 1 0.9\n0.5 0.1 0 0.2\n", "may be 4col text", "'0.5'", "header"),
    "5col of numbers": ("1 2 1e-3 1 0.9\n1 2 3 0 0.2\n", "may be 5col text", "'1e-3'"),
    "2col swapped": ("0.5 1\n0.2 -1\n0.3 1\n", "'0.5', '1'", "columns='score,label'"),
    "2col of labels": ("0 1\n1 0\n", "columns='score,label' or columns='label,score'"),
    "2col nan": ("1 0.5\n-1 nan\n", "line 2", "'nan'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_files_refused(write, case):
    content, *words = BAD[case]
    path = write(content)
    before = path.read_bytes()
    message(FILE, lambda: br.read_scores(path), "'scores.csv'", *words)
    assert path.read_bytes() == before


def test_client_label_of_a_file_must_occur(write):
    path = write("score,label\n.2,client\n.3,impostor\n")
    words = ("'cleint'", "'client'", "Did you mean 'client'?")
    message(FILE, lambda: br.read_scores(path, client_label="cleint"), *words)


def test_arguments_refused(write):
    path = write("a a p 0.5\na b p 0.2\n")
    message(INPUT, lambda: br.read_scores(path, format="exel"), "format", "'exel'", "'4col'")
    message(INPUT, lambda: br.read_scores(path, score="a", label="a"), "score", "label", "'a'")
    message(TYPE, lambda: br.read_scores(path, score=3), "score", "int")
    message(INPUT, lambda: br.read_scores(path, score="p"), "4col", "'p'")
    message(INPUT, lambda: br.read_scores(path, client_label=1), "client_label", "4col")
    message(FILE, lambda: br.read_scores(path, format="parquet"), "no Parquet", "b'a a ")
    message(FILE, lambda: br.read_scores(path, format="csv"), "separated by spaces")
    message(FILE, lambda: br.read_scores(path, format="5col"), "line 1", "5 fields")
    message(TYPE, lambda: br.read_scores(3), "path", "int")
    message(TYPE, lambda: br.read_scores({"score": [1]}), "dict", "from_frame")


def test_g27_only_regular_files(tmp_path, write):
    message(FILE, lambda: br.read_scores(tmp_path), "directory", "regular file")
    message(FILE, lambda: br.read_scores("a\0b"), "embedded null ")
    message(FILE, lambda: br.read_scores("a" * 5000), "...")
    write(TABLE, "dev.csv")
    missing = message(
        br.ScoreFileNotFoundError,
        lambda: br.read_scores(tmp_path / "dve.csv"),
        "dve.csv",
        "'dev.csv'",
    )
    assert isinstance(missing, FileNotFoundError)
    message(br.ScoreFileNotFoundError, lambda: br.read_scores(tmp_path / "no" / "x"), "folder")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_g27_fifo_and_device(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    message(FILE, lambda: br.read_scores(tmp_path / "pipe"), "FIFO")
    message(FILE, lambda: br.read_scores("/dev/zero"), "device")


@pytest.mark.parametrize("url", ["https://x.org/a.csv", "s3://bucket/a.csv", "file:///etc/a"])
def test_g28_urls(url):
    message(FILE, lambda: br.read_scores(url), "local file", url)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems forbid such names")
def test_g31_strange_names(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"a\xff\nb.csv")
    with open(path, "wb") as file:
        file.write(b"score,label\n0.2,1\n")
    error = message(FILE, lambda: br.read_scores(path), r"\udcff\nb.csv", "no impostor")
    str(error).encode()  # escaped: can be printed anywhere


@pytest.mark.parametrize("read", [br.read_scores, summarize_file], ids=["rows", "sums"])
def test_decompression_is_bounded(write, read):
    text = b"score,label\n" + b"0.5,1\n0.2,0\n" * 2**12  # 48 KiB of some hundred bytes
    path = write(gzip.compress(text))
    message(FILE, lambda: read(path, max_size=2**15), "expand", str(2**15), "max_size=")
    assert read(path, max_size=len(text)).n_client == 2**12


@pytest.mark.parametrize("name", ["text", "parquet", "arrow"])
def test_rows_and_bytes_are_bounded(tmp_path, name):
    path = tmp_path / "scores"
    table = pa.table({"score": [0.9, 0.8, 0.1, 0.2], "label": [1, 1, 0, 0]})
    if name == "text":
        path.write_text("score,label\n0.9,1\n0.8,1\n0.1,0\n0.2,0\n")
    elif name == "arrow":
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    else:
        pq.write_table(table, path)
    size = path.stat().st_size
    message(FILE, lambda: br.read_scores(path, max_rows=3), "3 rows", "4", "max_rows=")
    message(FILE, lambda: summarize_file(path, max_rows=3), "3 rows", "4", "max_rows=")
    for read in (br.read_scores, summarize_file):
        message(FILE, lambda r=read: r(path, max_size=size - 1), str(size), "max_size=")
        assert read(path, max_size=size).n_client == 2
    assert br.read_scores(path, max_rows=4).n_client == 2
    message(br.InputError, lambda: br.read_scores(path, max_rows=0), "max_rows", ">= 1")


# --- Parquet

PARQUET = {
    "integers": {"score": [0.25, 0.5], "label": [1, 0]},
    "booleans": {"score": [0.25, 0.5], "label": [True, False]},
    "floats": {"score": pa.array([0.25, 0.5], pa.float32()), "label": [1.0, -1.0]},
    "text": {"score": [0.25, 0.5], "label": ["1", "0"]},
    "dictionary": {"score": [0.25, 0.5], "label": pa.array(["1", "0"]).dictionary_encode()},
    "dictionary with unused": {
        "score": [0.25, 0.5],
        "label": pa.DictionaryArray.from_arrays(pa.array([2, 1]), pa.array(["x", "0", "1"])),
    },
}  # fmt: skip


@pytest.mark.parametrize("case", PARQUET)
@pytest.mark.parametrize("name", ["scores.parquet", "scores"])
def test_parquet(tmp_path, case, name):
    path = tmp_path / name
    pq.write_table(pa.table(PARQUET[case]), path, row_group_size=1)
    scores = br.read_scores(path)
    assert scores == EXPECTED
    assert scores.source.format == "parquet"


def test_parquet_client_label(tmp_path):
    path = tmp_path / "s.parquet"
    pq.write_table(pa.table({"p": [0.5, 0.25], "y": [1, 2]}), path)
    assert br.read_scores(path, score="p", label="y", client_label="2") == EXPECTED
    assert br.read_scores(path, score="p", label="y", client_label=2) == EXPECTED


BAD_PARQUET = {
    "missing column": ({"scroe": [0.1], "label": [1]}, "'score'", "Did you mean 'scroe'"),
    "one class": ({"score": [0.1], "label": [1]}, "no impostor scores"),
    "labels": ({"score": [0.1, 0.2], "label": ["a", "b"]}, "client_label", "first in row 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_PARQUET)
def test_parquet_refused(tmp_path, case):
    columns, *words = BAD_PARQUET[case]
    pq.write_table(pa.table(columns), tmp_path / "s.parquet")
    message(FILE, lambda: br.read_scores(tmp_path / "s.parquet"), "'s.parquet'", *words)


def test_parquet_duplicate_column(tmp_path):
    table = pa.Table.from_arrays([pa.array([0.1])] * 2 + [pa.array([1])], ["score"] * 2 + ["label"])
    pq.write_table(table, tmp_path / "s.parquet")
    message(FILE, lambda: br.read_scores(tmp_path / "s.parquet"), "'score' occurs 2 times")


def test_g22_g23_damaged_parquet(tmp_path, write):
    table = pa.table({"score": np.linspace(0, 1, 1000), "label": np.arange(1000) % 2})
    path = tmp_path / "whole.parquet"
    pq.write_table(table, path, write_page_checksum=True, compression="none", use_dictionary=False)
    content = path.read_bytes()
    assert br.read_scores(path).n_client == 500
    cut = write(content[:-50], "cut.parquet")
    message(FILE, lambda: br.read_scores(cut), "'cut.parquet'", f"{len(content) - 50} bytes")
    flipped = write(content[:300] + bytes([content[300] ^ 1]) + content[301:], "flipped.parquet")
    message(FILE, lambda: br.read_scores(flipped), "'flipped.parquet'", "damaged", "CRC")
    message(FILE, lambda: br.read_scores(write("", "zero.parquet")), "0 bytes")
    message(FILE, lambda: br.read_scores(write(TABLE, "text.parquet")), "'text.parquet'", "magic")
    message(FILE, lambda: br.read_scores(path, format="csv"), "no csv file", "Parquet")


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    path = tmp_path / "s.parquet"
    pq.write_table(pa.table({"score": [0.1], "label": [1]}), path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message(
        br.MissingDependencyError, lambda: br.read_scores(path), 'pip install "betaroc[parquet]"'
    )


def test_a_format_that_the_separator_contradicts_names_it(write):
    path = write("label,score\n1,0.5\n0,0.25\n", "dev.csv")
    message(FILE, lambda: br.read_scores(path, format="tsv"), "by commas", "format='csv'")
    path = write("label\tscore\n1\t0.5\n0\t0.25\n", "dev.tsv")
    message(FILE, lambda: br.read_scores(path, format="csv"), "by tabs", "format='tsv'")
