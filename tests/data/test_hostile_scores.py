"""What Scores and the argument checks refuse: class, key words and length of each message."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from helpers.extras import needs

pl = needs("polars", "polars")
pa = needs("pyarrow", "parquet")

RNG = np.random.default_rng(20)
X = RNG.random(20)
Y = np.tile([1, 0], 10)


def with_bad(value, at=3):
    bad = X.copy()
    bad[at] = value
    return bad


def message(error, call, *words):
    """The text of the error, checked for what every message must hold."""
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    text = str(caught.value)
    assert len(text) <= 400, text
    for word in words:
        assert word in text, (word, text)
    return caught.value


class RaisingArray:
    def __len__(self):
        return 3

    def __array__(self, dtype=None, copy=None):
        raise OSError("the disk is gone")


class Sparse(RaisingArray):
    def tocsr(self):
        return self

    def toarray(self):
        return np.zeros(3)


OnDevice = type("Tensor", (RaisingArray,), {"__module__": "torch", "device": "cuda:0"})

INPUT, TYPE = br.InputError, br.InputTypeError

VALUES = {
    "B01 lost beside floats": ([0.5, 2**53 + 1], INPUT, "9007199254740993", "index 1"),
    "B02 polars bool": (pl.Series([True, False]), TYPE, "boolean decisions"),
    "B05 polars text": (pl.Series(["0.1"]), TYPE, "'0.1'"),
    "B09 longdouble to 0": (np.array([np.finfo("g").tiny, 0.5]), INPUT, "0, 1 and inf", "index 0"),
    "B09 longdouble to inf": (np.array([np.finfo("g").max]), INPUT, "0, 1 and inf", "index 0"),
    "B16 polars null": (pl.Series([0.1, None]), INPUT, "1 of 2 missing", "positions 1"),
    "B16 polars NaN": (pl.Series([0.1, float("nan")]), INPUT, "index 1: nan"),
    "B26 sparse": (Sparse(), TYPE, "sparse", "toarray()"),
    "B26 on another device": (OnDevice(), TYPE, "cuda:0", ".cpu()"),
    "lazy frame": (pl.LazyFrame({"a": X}), TYPE, "lazy", "from_frame"),
}  # fmt: skip

if np.finfo("g").eps == np.finfo("d").eps:  # no wider than float64 here: nothing to lose
    VALUES = {case: value for case, value in VALUES.items() if not case.startswith("B09")}


@pytest.mark.parametrize("case", VALUES)
def test_scores_refused(case):
    values, error, *words = VALUES[case]
    message(error, lambda: br.Scores(values, [0.25, 0.5]), "client", *words)


@pytest.mark.parametrize("y", [Y, np.where(Y, 1, -1), Y.astype(float)], ids=repr)
def test_labels_as_a_class(y):
    for call in (lambda: br.Scores(y, X), lambda: br.Scores(X, y)):
        message(INPUT, call, "from_labels", "20 entries", "1.0]")


def test_client_label_must_occur():
    call = br.Scores.from_labels
    message(INPUT, lambda: call(["a", "b"], [1, 2], client_label="c"), "'c'", "'a'", "'b'")
    message(INPUT, lambda: call([1, 2], [1, 2], client_label="2"), "'2'", "same type")
    message(INPUT, lambda: call(["a", "a"], [1, 2], client_label="a"), "no impostor scores")


def test_b14_index():
    y, s = pd.Series(Y), pd.Series(X)
    text = ("pandas index", "position 0", ".to_numpy()", "Align")
    message(INPUT, lambda: br.Scores.from_labels(y[::-1], s), *text)
    message(INPUT, lambda: br.Scores.from_labels(y, s, weights=s[::-1]), "weights", *text)


def test_groups_ids_and_name_refused():
    message(TYPE, lambda: br.Scores([1, 2], [2], client_ids=[1.5, 2]), "client_ids", "1.5")
    message(INPUT, lambda: br.Scores([1], [2], impostor_groups=[1, 2]), "impostor_groups", "got 2")
    message(INPUT, lambda: br.Scores([1], [2], impostor_weights=[1, 2]), "2 weights", "1 scores")
    message(TYPE, lambda: br.Scores([1], [2], name=3), "name", "3")


FRAMES = {
    "missing column": (
        pd.DataFrame({"scroe": [1], "label": [1]}), INPUT, "score='score'", "'label'",
        "Did you mean 'scroe'?",
    ),
    "padded": (pl.DataFrame({"score": [1], " label": [1]}), INPUT, "' label'", "blanks"),
    "null": (pl.DataFrame({"score": [0.1, None], "label": [1, 0]}), INPUT, "'score'", "rows 1"),
    "lazy null": (pl.LazyFrame({"score": [0.1, None], "label": [1, 0]}), INPUT, "rows 1"),
    "pandas NaN": (pd.DataFrame({"score": [0.1, np.nan], "label": [1, 0]}), INPUT, "1 of 2"),
    "label null": (pa.table({"score": [0.1, 0.2], "label": [1, None]}), INPUT, "'label'", "rows 1"),
    "polars NaN": (pl.DataFrame({"score": [0.1, np.nan], "label": [1, 0]}), INPUT, "index 1: nan"),
    "text": (pl.DataFrame({"score": ["0.1", "0.2"], "label": [1, 0]}), TYPE, "column 'score'"),
    "duplicate": (pd.DataFrame([[1, 2, 3]], columns=["score", "score", "label"]), INPUT, "score"),
    "no rows": (pd.DataFrame({"score": [], "label": []}), INPUT, "at least one"),
    "three labels": (pd.DataFrame({"score": [1, 2, 3], "label": [1, 2, 3]}), INPUT, "got 3"),
    "integer names": (pd.DataFrame([[0.1, 1]]), INPUT, "0, 1"),
    "no frame": ([1, 2], TYPE, "list", "from_labels"),
    "a path": ("a.csv", TYPE, "'a.csv'"),
}  # fmt: skip


@pytest.mark.parametrize("case", FRAMES)
def test_frames_refused(case):
    frame, error, *words = FRAMES[case]
    message(error, lambda: br.Scores.from_frame(frame), *words)


def test_long_values_are_cut():
    message(INPUT, lambda: br.fit(br.Scores([1], [2]), "x" * 10_000), "...")
    labels = ["a" * 5000, "b" * 5000]
    message(INPUT, lambda: br.Scores.from_labels(labels, [1, 2]), "...")
    message(INPUT, lambda: br.Scores.from_labels(labels, [1, 2], client_label="c" * 5000), "...")
    frame = pd.DataFrame({f"{i}" * 900: [1] for i in range(9)})
    message(INPUT, lambda: br.Scores.from_frame(frame, score="1" * 800), "...")
