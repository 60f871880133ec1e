"""Text tables in blocks: the same values and refusals as line by line, whatever parser there is."""

import gzip
import random
from contextlib import suppress
from functools import partial

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.data import text_rows
from betaroc.data.labels import ColumnSpec, LabelTexts, whole
from betaroc.data.text_files import DAMAGED, TextFile
from betaroc.data.text_layouts import TextLayout
from betaroc.data.text_rows import read_blocks, read_lines, read_parts
from helpers.engines import check

FILES = 300

GOOD = ["0.25", "1e-5", "-3", "+.5", "7.", "1E+03", " 0.5", "0.5 ", "0", "-0.0", "0e-500"]
GOOD += ["4.9406564584124654e-324", "0.1000000000000000055511151231257827", "0." + "0" * 250]
BAD = ["nan", "-inf", "Infinity", "1e400", "1e-400", "0." + "0" * 330 + "1", "1_0", "0x1p-3"]
BAD += ["", " ", "NA", "null", "-", "1e", "e5", "--1", "+-1", "1.2.3", "1,5", "\u0663", "1 2"]
BAD += ["1e5.0", "1f", "0.5\0", "#1", "0.5;1", "1\u00a0", '"0.5"', '"0.5', '0"5', "1\t2"]
LABELS = [["1", "0"], ["-1", "1"], ["true", "False"], ["1.0", "1", "0", "00"], ["genuine", "x_y"]]
ODD = ["", " ", "2", "NA", " 1", "nan", "\u00e9", '"1"', "1e0", "a b", "'1'", "1\t"]
NAMES = ["a1", "a1", "Zo\u00eb", "b_2", " c ", "1", "0.5", "NA", "", "a b"]
BYTES = [b",", b"\n", b"\r", b'"', b"\0", b"\xff", b" ", b"e", b"\t", b".", b"\n\n", b"\x1f"]


def score(draw):
    """A number as some program writes it."""
    if draw.random() < 0.02:
        return draw.choice(GOOD)
    tiny = draw.choice([draw.random() ** 40, 10 ** draw.uniform(-330, 300)])
    value = draw.choice([draw.random(), draw.gauss(0, 1e3), tiny])
    return draw.choice([repr(value), f"{value:.17g}", f"{value:.6f}", f"{value:g}"])


def table(draw):
    """A table with up to a few faults, and its layout."""
    delimiter = draw.choice([",", ",", "\t", ";", "|", " "])
    decimal = "," if delimiter != "," and draw.random() < 0.3 else "."
    orders = [["score", "label"], ["label", "score"], ["id", "label", "x", "score"]]
    columns = draw.choice(orders)
    texts = {"label": draw.choice(LABELS)}
    named = NAMES[:2] if draw.random() < 0.9 else NAMES
    rows = [
        [score(draw) if c == "score" else draw.choice(texts.get(c, named)) for c in columns]
        for _ in range(draw.choice([0, 2, 3, 5, 20, 40]))
    ]
    if decimal == ",":
        place = columns.index("score")
        for row in rows:
            row[place] = row[place].replace(".", ",")
    headed = draw.random() < 0.8
    if headed:
        rows.insert(0, list(columns))
    if draw.random() < 0.2:
        quoted = draw.choice([range(min(1, len(rows))), range(len(rows)), range(1, len(rows))])
        k = draw.randrange(len(columns))
        for row in quoted:
            rows[row][k] = f'"{rows[row][k]}"'
    for _ in range(draw.choice([0, 0, 0, 0, 1, 1, 2]) if rows else 0):
        spoil(draw, rows, columns)
    end = draw.choice(["\n"] * 6 + ["\r\n", "\r\n", "\r"])
    between = draw.choice([" ", "  ", "\t"]) if delimiter == " " else delimiter
    text = end.join(between.join(row) for row in rows)
    data = (text + end * draw.choice([1, 1, 1, 1, 0, 0, 2, 3])).encode()
    if draw.random() < 0.1:
        data = b"\xef\xbb\xbf" + data
    if draw.random() < 0.12:
        place = draw.randrange(len(data) + 1)
        data = data[:place] + draw.choice(BYTES) + data[place + draw.choice([0, 1]) :]
    names = None if headed else tuple(columns)
    return data, TextLayout("csv", delimiter, decimal, names)


def spoil(draw, rows, columns):
    """A fault, or an oddity."""
    row = draw.choice(rows)
    kind = draw.randrange(7)
    if kind < 3 and len(row) == len(columns):
        row[columns.index("score")] = draw.choice(BAD)
    elif kind == 3 and len(row) == len(columns):
        row[columns.index("label")] = draw.choice(ODD)
    elif kind == 4:
        row.append(draw.choice(["", "0.5", "1"]))
    elif kind == 5:
        row[:] = row[:-1]
    else:
        rows.insert(draw.randrange(len(rows) + 1), draw.choice([[], [" "], ["#"], ["0.5"]]))


def outcome(read):
    """What was read, bit by bit, or what was said."""
    try:
        rows = whole(read())
    except br.FileFormatError as error:
        return type(error), str(error)
    names = {name: values.tolist() for name, values in rows.names.items()}
    kinds = [v.dtype for v in rows.names.values()]
    numbers = rows.scores.tobytes(), np.asarray(rows.codes).tolist()
    return (*numbers, rows.tokens, rows.labels.first, names, kinds)


@pytest.mark.simulation
def test_blocks_are_read_as_lines_are(tmp_path, monkeypatch):
    """What a parser takes, the line-exact reader takes too, with the same bits."""
    monkeypatch.setattr(text_rows, "_SMALL", 0)
    draw = random.Random(7)
    taken = 0
    for k in range(FILES):
        monkeypatch.setattr(text_rows, "_BLOCK", draw.choice([16, 100, 10_000]))
        data, layout = table(draw)
        zipped = draw.random() < 0.1
        path = tmp_path / "scores.csv"
        path.write_bytes(gzip.compress(data) if zipped else data)
        file = TextFile(path, "scores.csv", zipped)
        here = b"id" in data[:8] or "id" in (layout.names or ())
        named = {"id": ("id",)} if draw.random() < 0.5 and here else {}
        missing = draw.choice(["fail", "fail", "drop"])
        wanted = ColumnSpec("score", ("label",), named, missing)
        exact = outcome(partial(read_lines, file, wanted, layout, LabelTexts()))
        assert outcome(partial(read_parts, file, wanted, layout)) == exact, (k, data)
        blocks = read_blocks(file, wanted, layout, LabelTexts())
        with suppress(text_rows.DoubtError, *DAMAGED):
            taken += next(blocks, None) is not None
    assert taken > FILES / 10, taken


def large(n=60_000):
    """A table, and the text of it, which is larger than a small file."""
    rng = np.random.default_rng(3)
    label = (rng.random(n) < 0.3).astype(int)
    score = np.where(label == 1, rng.beta(4, 2, n), rng.beta(2, 4, n))
    score[:2] = 0.0, 1e-200
    table = pd.DataFrame({"score": score, "label": label})
    return table, table.to_csv(index=False).encode()


@pytest.mark.simulation
def test_a_fault_in_a_later_block_is_named_by_its_line(tmp_path, monkeypatch):
    _, data = large(4000)
    monkeypatch.setattr(text_rows, "_SMALL", 0)
    monkeypatch.setattr(text_rows, "_BLOCK", 2**15)
    lines = data.split(b"\n")
    path = tmp_path / "scores.csv"
    for fault, words in {
        b"1e-400,0": "line 3001: the score must fit float64; '1e-400'",
        b"0,5,1": "line 3001: each row must have 2 fields",
        b"0.5,": "line 3001: the label must not be missing",
        b"0.5,2": r"'2' \(count 1, first in line 3001\)",
    }.items():
        lines[3000] = fault
        path.write_bytes(b"\n".join(lines))
        for read in (br.read_scores, br.summarize):
            with pytest.raises(br.FileFormatError, match=words):
                read(path)


@pytest.mark.simulation
def test_a_summary_of_text_is_that_of_its_rows(tmp_path, monkeypatch):
    table, data = large(20_000)
    monkeypatch.setattr(text_rows, "_BLOCK", 2**17)
    # The label 1 in two spellings, which are one label.
    data = data.replace(b",1\n", b",1.0\n", 100)
    four = "".join(f"a {'ba'[int(k)]} p {s!r}\n" for s, k in table.to_numpy().tolist())
    forms = {"csv": data, "csv, gzip": gzip.compress(data), "4col": four.encode()}
    forms["csv "] = data.replace(b"\n", b"\n\n", 1)  # line by line
    for kind, content in forms.items():
        path = tmp_path / "scores"
        path.write_bytes(content)
        found = br.summarize(path)
        assert found.source.format == kind.strip()
        check(found, table)
