"""Hostile score files as bytes, by the letters of their catalogue."""

import gzip
import io
import json
import tarfile
import zipfile

import numpy as np

import betaroc as br
from helpers.extras import needs

pa = needs("pyarrow", "parquet")
pq = needs("pyarrow.parquet", "parquet")

__all__ = ["EXPECTED", "GOOD", "READ", "REFUSED", "packed"]

_RNG = np.random.default_rng(1)
_ROWS = [(s, 1) for s in _RNG.beta(6, 2, 30).round(6).tolist()]
_ROWS += [(s, 0) for s in _RNG.beta(2, 6, 30).round(6).tolist()]
_SCORES, _LABELS = [s for s, _ in _ROWS], [y for _, y in _ROWS]
EXPECTED = br.Scores(_SCORES[:30], _SCORES[30:])


def _table(head="score,label", row="{s},{y}", end="\n"):
    lines = [head] * bool(head) + [row.format(s=s, y=y, c=str(s).replace(".", ","))
        for s, y in _ROWS]  # fmt: skip
    return end.join(lines) + end


GOOD = _table()


def _line(text, place=5):
    """The good table with another line in that place, from 1."""
    lines = GOOD.split("\n")
    lines[place - 1] = text
    return "\n".join(lines)


def packed(score=None, label=None, **options):
    """Such columns as Parquet."""
    table = pa.table({"score": _SCORES if score is None else score, "label": _LABELS
        if label is None else label})  # fmt: skip
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def _zip(*names):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name in names:
            archive.writestr(name, GOOD)
    return sink.getvalue()


def _tar():
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w:gz") as archive:
        member = tarfile.TarInfo("a.csv")
        member.size = len(GOOD)
        archive.addfile(member, io.BytesIO(GOOD.encode()))
    return sink.getvalue()


def _flipped():
    """A bit of a page, whose checksum is kept."""
    data = bytearray(packed(compression="none", use_dictionary=False, write_page_checksum=True))
    data[100] ^= 0x40
    return bytes(data)


_PARQUET, _GZIP = packed(), gzip.compress(GOOD.encode())
_FIVE = ("line 5",)

#: What is read as the sixty scores it stands for.
READ = {
    "plain": GOOD,
    "G02 semicolons": _table("score;label", "{s};{y}"),
    "G02 tabs": _table("score\tlabel", "{s}\t{y}"),
    "G03 decimal commas": _table("score;label", "{c};{y}"),
    "G03 quoted decimal commas": _table("score,label", '"{c}",{y}'),
    "G06 CRLF": GOOD.replace("\n", "\r\n"),
    "G07 BOM": b"\xef\xbb\xbf" + GOOD.encode(),
    "G11 another twice": _table("score,label,x,x", "{s},{y},1,1"),
    "G18 large letters": _table("Score,Label"),
    "gzip": _GZIP,
    "gzip of two members": gzip.compress(GOOD[:200].encode()) + gzip.compress(GOOD[200:].encode()),
    "labels as words": GOOD.replace(",0\n", ",FALSE\n").replace(",1\n", ",True\n"),
    "blank lines": GOOD.replace("\n", "\n\n", 5),
    "no last newline": GOOD.rstrip("\n"),
    "Parquet": _PARQUET,
    "JSON lines": "".join(json.dumps({"score": s, "label": y}) + "\n" for s, y in _ROWS),
}

#: What is refused, and words of the message. After "of rows" those that sums of a file do not say.
REFUSED = {
    "A01 nan": (_line("nan,1"), (*_FIVE, "'nan'", "finite")),
    "G03 some decimal commas": (_table("score;label", "{s};{y}").replace(".", ",", 3),
        ("line 2", "decimal")),
    "G04 decimal commas": (_table(row="{c},{y}"), ("line 2", "2 fields", "Decimal commas")),
    "G04 one of them": (_line("0,25,1"), (*_FIVE, "got 3", "'0,25,1'")),
    "G07 UTF-16": (GOOD.encode("utf-16"), ("UTF-16", "offset 0", "UTF-8")),
    "G07 UTF-16 without its mark": (GOOD.encode("utf-16-le"), ("NUL byte", "column 2", "UTF-16")),
    "G07 UTF-32": (GOOD.encode("utf-32"), ("UTF-32", "UTF-8")),
    "G07 Latin-1": (GOOD.encode() + b"0.5,0\xe9\n", ("b'\\xe9'", "byte offset", "UTF-8")),
    "G07 two marks": (b"\xef\xbb\xbf" * 2 + GOOD.encode(), ("'score'", "Did you mean")),
    "G08 NUL in a score": (_line("0.2\x005,1"), (*_FIVE, "NUL byte", "column 4")),
    "G10 a field more": (_line("0.25,1,1"), (*_FIVE, "got 3")),
    "G10 no score": (_line(",1"), (*_FIVE, "missing")),
    "G10 cut off": (GOOD[:-4], ("line 61", "got 1")),
    "G11 label twice": (_table("score,label,label", "{s},{y},{y}"), ("line 1", "'label' occurs 2")),
    "G12 no header": (_table(""), ("header", "columns")),
    "G14 an open quote": (_line('"0.25,1'), (*_FIVE, "quote", "never closed")),
    "G14 a newline within": (_line('"0.2\n5",1'), (*_FIVE, r"'0.2\n5'")),
    "G15 NA": (_line("NA,1"), (*_FIVE, "'NA'", "missing")),
    "G15 a label of NA": (_line("0.25,NA"), (*_FIVE, "label", "'NA'")),
    "G16 1e400": (_line("1e400,1"), (*_FIVE, "'1e400'", "inf")),
    "G16 an underscore": (_line("0.2_5,1"), (*_FIVE, "'0.2_5'")),
    "G16 1e-400": (_line("1e-400,1"), (*_FIVE, "'1e-400'", "0.0")),
    "G16 other digits": (_line("٠.٢٥,1"), (*_FIVE, "number")),
    "G16 per cent": (_line("25%,1"), (*_FIVE, "'25%'", "Percentages")),
    "G16 a zero width": (_line("0.25\u200b,1"), (*_FIVE, r"\u200b")),
    "G18 a blank before": (_table("score, label"), ("' label'", "blanks around")),
    "G19 another column": (_table("scroe,label"), ("'score'", "'scroe'", "Did you mean")),
    "G19 many columns": (",".join(f"c{k}" for k in range(900)) + "\n", ("895 more",)),
    "nothing": ("", ("empty",)), "blanks": ("  \n \n", ("blank",)),
    "a header": ("score,label\n", ("no rows",)),
    "D02 {1, 2}": (_table().replace(",1\n", ",2\n").replace(",0\n", ",1\n"), ("'2' (count 30",)),
    "D02 an underscore": (_table().replace(",0\n", ",0_0\n"), ("'0_0' (count 30",)),
    "D05 three": (_line("0.25,2"), ("got 3", "'2' (count 1, first in line 5)")),
    "D06 one class": (GOOD.replace(",0\n", ",1\n"), ("no impostor scores", "60 labels")),
    "D10 swapped": (_table(row="{y},{s}"), ("swapped",)),
    "blanks about one label": (GOOD.replace(",1\n", ",g\n").replace(",0\n", ",i\n").replace(",g\n",
        ",g \n", 3), ("blanks",)),
    "G22 cut": (_PARQUET[:-50], ("intact Parquet",)),
    "G23 a bit": (_flipped(), ("intact Parquet", "CRC")),
    "Parquet of texts": (packed([str(s) for s in _SCORES]), ("'score'", "numeric")),
    "Parquet with a null": (packed([None, *_SCORES[1:]]), ("'score'", "1 ", "60")),
    "Parquet with a NaN": (packed([float("nan"), *_SCORES[1:]]), ("1 ", "60", "nan")),
    "Parquet without a label": (packed(label=[None, *_LABELS[1:]]), ("'label'", "missing")),
    "Parquet without rows": (packed(pa.array([], pa.float64()),
        pa.array([], pa.int8())), ("no rows",)),
    "G24 zip": (_zip("a.csv", "b.csv"), ("a zip archive", "not unpacked")),
    "G24 tar": (_tar(), ("must be text", "NUL byte")),
    "an old sheet": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), ("Excel", "csv")),
    "numpy": (b"\x93NUMPY\x01\x00v\x00{}" + bytes(100), ("numpy",)),
    "a pickle": (b"\x80\x04\x95\x10\x00\x00\x00", ("a pickle", "never loaded")),
    "a page": ("<!DOCTYPE html><html><body>404</body></html>\n", ("'score'",)),
    "one array": (json.dumps([{"score": 0.5}]), ("a column 'label'",)),
    "gzip cut": (_GZIP[:-20], ("intact gzip", "truncated")),
    "gzip with another checksum": (_GZIP[:-8] + bytes(8), ("intact gzip", "CRC")),
    "gzip and more": (_GZIP + b"junk", ("intact gzip",)),
    "a long line": ("score,label\n" + "1" * 1_100_000 + ",1\n", ("line 2", "1048576")),
    "a script": (_line("<script>,1"), (*_FIVE, "'<script>'")),
    "four columns, one short": ("a a p 0.5\na b p\n", ("line 2", "4 fields")),
    "two columns, no number": ("1 0.5\n-1 x\n", ("line 2", "'x'")),
    "JSON without a label": ('{"score":0.5,"label":1}\n{"score":0.2}\n', ("line 2", "the label")),
    "JSON with a score twice": ('{"score":0.5,"label":1}\n{"score":1,"score":2,"label":0}\n',
        ("line 2", "occurs twice")),
    "JSON of NaN": ('{"score":NaN,"label":1}\n{"score":0.2,"label":0}\n', ("line 1", "'NaN'")),
    "JSON too deep": ('{"score":' + "[" * 5000 + "]" * 5000 + ',"label":1}\n', ("line 1",)),
}  # fmt: skip
