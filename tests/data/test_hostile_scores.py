"""What Scores and the argument checks refuse: class, key words and length of each message."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.core import checks
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


class WrongArray(RaisingArray):
    def __array__(self, dtype=None, copy=None):
        return np.zeros((2, 3))


class Sparse(RaisingArray):
    def tocsr(self):
        return self

    def toarray(self):
        return np.zeros(3)


OnDevice = type("Tensor", (RaisingArray,), {"__module__": "torch", "device": "cuda:0"})

BIG = 2**53 + 1
SELF = [0.5]
SELF.append(SELF)
INPUT, TYPE = br.InputError, br.InputTypeError

VALUES = {
    "A01 NaN": (with_bad(np.nan), INPUT, "client", "index 3: nan", "1 of 20"),
    "A01 NaN in a list": ([0.5, float("nan")], INPUT, "index 1: nan"),
    "A02 inf": (with_bad(np.inf), INPUT, "finite", "index 3: inf", "1 of 20"),
    "A02 -inf": (with_bad(-np.inf, 5), INPUT, "finite", "index 5: -inf"),
    "B01 lost integer": ([1, BIG], INPUT, "9007199254740993", "index 1", "2**53"),
    "B01 lost int64": (np.array([1, -BIG]), INPUT, "-9007199254740993", "index 1"),
    "B01 lost beside floats": ([0.5, BIG], INPUT, "9007199254740993", "index 1"),
    "B01 beyond int64": ([2**64 + 2, 1], INPUT, "18446744073709551618", "index 0"),
    "B01 beyond float64": ([10**400, 1], INPUT, "too large"),
    "B02 bool": (X > 0.5, TYPE, "client", "boolean decisions", "swap labels and scores"),
    "B02 bool in a list": ([0.5, True], TYPE, "True", "bool", "index 1"),
    "B02 polars bool": (pl.Series([True, False]), TYPE, "boolean decisions"),
    "B03 object with text": (np.array([0.1, "a"], dtype=object), TYPE, "'a'", "str", "index 1"),
    "B03 object with None": (np.array([0.1, None], dtype=object), INPUT, "None", "index 1"),
    "B05 numeric strings": (["0.81", "0.2"], TYPE, "'0.81'", "float64"),
    "B05 text among numbers": ([0.1, "x"], TYPE, "'x'", "str", "index 1"),
    "B05 text itself": ("0.81", TYPE, "text", "read_scores"),
    "B05 pandas text": (pd.Series(["0.1", "0.2"]), TYPE, "'0.1'", "str"),
    "B05 polars text": (pl.Series(["0.1"]), TYPE, "'0.1'"),
    "B05 bytes": ([b"0.1"], TYPE, "bytes"),
    "B09 longdouble to 1": (
        np.array([0.5, np.longdouble(1) - np.finfo("g").epsneg], dtype="g"),
        INPUT,
        "1 of 2 ",
        "0, 1 and inf",
        "index 1",
    ),
    "B09 longdouble to 0": (np.array([np.finfo("g").tiny, 0.5]), INPUT, "0, 1 and inf", "index 0"),
    "B09 longdouble to inf": (np.array([np.finfo("g").max]), INPUT, "0, 1 and inf", "index 0"),
    "B10 complex": (X + 0j, TYPE, "complex", "x.real"),
    "B10 complex object": ([0.5, 1j], TYPE, "complex"),
    "B11 masked": (np.ma.masked_array(X, X > 0.5), TYPE, "masked array", "compressed()"),
    "B16 pandas NaN": (pd.Series(with_bad(np.nan)), INPUT, "1 of 20 missing", "positions 3"),
    "B16 pandas NA": (pd.array([0.1, None], "Float64"), INPUT, "1 of 2 missing", "positions 1"),
    "B16 polars null": (pl.Series([0.1, None]), INPUT, "1 of 2 missing", "positions 1"),
    "B16 polars NaN": (pl.Series([0.1, float("nan")]), INPUT, "index 1: nan"),
    "B17 pyarrow null": (pa.array([0.1, None]), INPUT, "1 of 2 missing", "positions 1"),
    "B17 chunked null": (pa.chunked_array([[0.1], [None]]), INPUT, "positions 1"),
    "B19 generator": ((v for v in [0.5]), TYPE, "generator", "list(...)"),
    "B25 datetime": (np.array([1, 2], dtype="M8[ns]"), TYPE, "dates"),
    "B25 timedelta": (np.array([1, 2], dtype="m8[s]"), TYPE, "time spans"),
    "B25 pandas dates": (pd.Series(pd.to_datetime(["2020-01-01"])), TYPE, "dates"),
    "B26 sparse": (Sparse(), TYPE, "sparse", "toarray()"),
    "B26 on another device": (OnDevice(), TYPE, "cuda:0", ".cpu()"),
    "B27 wrong shape": (WrongArray(), INPUT, "(2, 3)"),
    "unordered": ({0.1, 0.2}, TYPE, "set", "list"),
    "mapping": ({"a": 1}, TYPE, "dict"),
    "nothing": (None, TYPE, "nothing"),
    "records": (np.zeros(2, dtype=[("a", "f8")]), TYPE, "records"),
    "decimal-like objects": ([object()], TYPE, "object", "index 0"),
    "contains itself": (SELF, TYPE, "index 1"),
    "C01 empty": ([], INPUT, "at least one", "got 0"),
    "C04 column vector": (X[:, None], INPUT, "(20, 1)", "ravel()"),
    "C04 matrix": (np.ones((3, 2)), INPUT, "(3, 2)", "one column"),
    "C07 0-d": (np.array(0.4), INPUT, "shape ()"),
    "C07 scalar": (0.4, INPUT, "0.4", "[x]"),
    "C08 ragged": ([[0.1], [0.2, 0.3]], TYPE, "different lengths", "index 1"),
    "C08 ragged with scalar": ([0.1, [0.2]], TYPE, "index 1", "[0.2]"),
    "frame of two columns": (pd.DataFrame({"a": X, "b": X}), TYPE, "2 columns", "from_frame"),
    "lazy frame": (pl.LazyFrame({"a": X}), TYPE, "lazy", "from_frame"),
}

if np.finfo("g").eps == np.finfo("d").eps:  # no wider than float64 here: nothing to lose
    VALUES = {case: value for case, value in VALUES.items() if not case.startswith("B09")}


@pytest.mark.parametrize("case", VALUES)
def test_scores_refused(case):
    values, error, *words = VALUES[case]
    message(error, lambda: br.Scores(values, [0.25, 0.5]), "client", *words)


@pytest.mark.parametrize("case", [c for c in VALUES if "generator" not in c])
def test_scores_refused_from_labels(case):
    values, error, *words = VALUES[case]
    words = [w for w in words if w != "client"]
    message(error, lambda: br.Scores.from_labels([1, 0], values), "y_score", *words)


def test_b27_original_exception_is_chained():
    error = message(TYPE, lambda: br.Scores(RaisingArray(), [0.5]), "OSError", "disk is gone")
    assert isinstance(error.__cause__, OSError)


def test_impostor_is_named():
    message(INPUT, lambda: br.Scores([0.5], [np.nan]), "impostor", "index 0: nan")


LABELS = {
    "D02 {1, 2}": (Y + 1, INPUT, "1 (count 10)", "2 (count 10)", "client_label"),
    "D02 text": (np.where(Y, "a", "b"), INPUT, "'a' (count 10)", "client_label"),
    "D02 text digits": (Y.astype(str), INPUT, "'1'", "client_label"),
    "B15 categorical": (pd.Categorical(np.where(Y, "a", "b")), INPUT, "client_label"),
    "D04 bytes": (Y.astype("S1"), TYPE, "bytes", "decode"),
    "D04 bytes objects": ([b"1", *Y[1:].tolist()], TYPE, "bytes", "decode"),
    "D05 three": (np.r_[2, Y[1:]], INPUT, "got 3", "2 (count 1)", "0 (count 10)", "rest"),
    "D06 clients only": (np.ones(20, int), INPUT, "no impostor scores", "all 20 labels are 1"),
    "D06 impostors only": (np.zeros(20), INPUT, "no client scores"),
    "D06 -1 only": (-np.ones(20), INPUT, "no client scores"),
    "D08 soft": (np.r_[0.7, Y[1:]], INPUT, "0.7 (count 1)", "swapped?"),
    "D09 mixed": ([True, 1, "1", *Y[3:].tolist()], TYPE, "mixed types", "'1' (text) at 2"),
    "D09 bool and int": ([True, *Y[1:].tolist()], TYPE, "mixed types", "True (bool) at 0"),
    "B13 NA": (pd.array([None, *Y[1:].tolist()], "Int64"), INPUT, "1 of 20", "positions 0"),
    "NaN": (np.r_[1.0, np.nan, Y[2:]], INPUT, "1 of 20", "positions 1"),
    "None": ([None, *Y[1:].tolist()], INPUT, "None", "positions 0"),
    "dates": (Y.astype("M8[s]"), TYPE, "datetime64"),
    "objects": ([object(), *Y[1:].tolist()], TYPE, "object", "at 0"),
    "C06 lengths": (Y[:-1], INPUT, "19 labels", "20 scores"),
    "C04 column": (Y[:, None], INPUT, "(20, 1)", "ravel()"),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_refused(case):
    labels, error, *words = LABELS[case]
    message(error, lambda: br.Scores.from_labels(labels, X), "y_true", *words)


@pytest.mark.parametrize("y", [Y, Y == 1, np.where(Y, 1, -1), Y.astype(float)], ids=repr)
def test_d10_swapped(y):
    message(INPUT, lambda: br.Scores.from_labels(X, y), "swapped", "y_true", "got 20")


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


def weigh(weights):
    return lambda: br.Scores.from_labels(Y, X, weights=weights)


WEIGHTS = {
    "E01 all zero": (np.zeros(20), INPUT, "0 for all 20", "client", "impostor"),
    "E02 one negative": (np.r_[-1, np.ones(19)], INPUT, "index 0: -1.0", "1 of 20"),
    "E03 all negative": (-np.ones(20), INPUT, "index 0: -1.0", "20 of 20"),
    "E05 other length": (np.ones(5), INPUT, "5 weights", "20 scores"),
    "E06 client total 0": (1.0 - Y, INPUT, "client class", "no client scores"),
    "E06 impostor total 0": (Y, INPUT, "impostor class", "no impostor scores"),
    "NaN": (with_bad(np.nan), INPUT, "index 3: nan", "1 of 20"),
    "inf": (with_bad(np.inf), INPUT, "index 3: inf"),
    "text": (["1"] * 20, TYPE, "'1'"),
    "bool": (Y == 1, TYPE, "booleans"),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_weights_refused(case):
    weights, error, *words = WEIGHTS[case]
    message(error, weigh(weights), "weights", *words)


def test_class_weights_refused():
    message(
        INPUT, lambda: br.Scores([1], [2], client_weights=[0]), "client_weights", "client scores"
    )
    message(INPUT, lambda: br.Scores([1], [2], impostor_weights=[1, 2]), "2 weights", "1 scores")


def test_groups_ids_and_name_refused():
    message(TYPE, lambda: br.Scores([1, 2], [2], client_ids=[1.5, 2]), "client_ids", "1.5")
    message(INPUT, lambda: br.Scores([1], [2], impostor_groups=[1, 2]), "impostor_groups", "got 2")
    message(TYPE, lambda: br.Scores([1], [2], name=3), "name", "3")


FRAMES = {
    "missing column": (
        pd.DataFrame({"scroe": [1], "label": [1]}),
        INPUT,
        "score='score'",
        "'label'",
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
}


@pytest.mark.parametrize("case", FRAMES)
def test_frames_refused(case):
    frame, error, *words = FRAMES[case]
    message(error, lambda: br.Scores.from_frame(frame), *words)


SCALARS = {
    "E11 level 95": (lambda: checks.level(95), INPUT, "level", "95.0", "Did you mean 0.95?"),
    "E11 level 1": (lambda: checks.level(1), INPUT, "strictly", "1.0"),
    "E13 shape": (lambda: checks.positive(-1, "a"), INPUT, "a must", "> 0", "-1.0"),
    "E13 zero": (lambda: checks.positive(0, "b"), INPUT, "b must", "0.0"),
    "E13 NaN": (lambda: checks.positive(np.nan, "a"), INPUT, "nan"),
    "E13 inf": (lambda: checks.positive(np.inf, "a"), INPUT, "inf"),
    "text": (lambda: checks.positive("2", "a"), TYPE, "'2'", "str"),
    "bool": (lambda: checks.positive(True, "a"), TYPE, "True"),
    "complex": (lambda: checks.finite(1j, "mu"), TYPE, "1j"),
    "list": (lambda: checks.finite([1], "mu"), TYPE, "list"),
    "None": (lambda: checks.finite(None, "mu"), TYPE, "None"),
    "finite NaN": (lambda: checks.finite(np.nan, "mu"), INPUT, "nan"),
    "E14 zero": (lambda: checks.count(0, "replicates"), INPUT, "replicates", ">= 1", "0"),
    "E14 negative": (lambda: checks.count(-5, "replicates"), INPUT, "-5"),
    "E14 float": (lambda: checks.count(2.5, "replicates"), INPUT, "int", "2.5"),
    "E14 bool": (lambda: checks.count(True, "replicates"), TYPE, "True"),
    "E15 prior": (lambda: checks.prior(1.2), INPUT, "prior", "1.2"),
    "E15 negative": (lambda: checks.prior(-0.1), INPUT, "-0.1"),
    "prior in per cent": (lambda: checks.prior(30), INPUT, "Did you mean 0.3?"),
    "fraction": (lambda: checks.fraction(np.nan, "far"), INPUT, "far", "nan"),
    "fractions": (lambda: checks.probability_array([0.1, 2], "far"), INPUT, "index 1", "2.0"),
    "masked": (lambda: checks.real_array(np.ma.masked_array([1.0], [True]), "t"), TYPE, "masked"),
    "threshold text": (lambda: checks.real_array(["a"], "threshold"), TYPE, "threshold", "'a'"),
    "choice": (
        lambda: checks.choice("bta", ("beta", "normal"), "family"),
        INPUT,
        "'bta'",
        "Did you mean 'beta'?",
    ),
    "choice kind": (lambda: checks.choice(3, ("beta",), "family"), TYPE, "family", "3"),
}


@pytest.mark.parametrize("case", SCALARS)
def test_scalars_refused(case):
    call, error, *words = SCALARS[case]
    message(error, call, *words)


def test_long_values_are_cut():
    message(INPUT, lambda: checks.choice("x" * 10_000, ("beta",), "family"), "...")
    labels = ["a" * 5000, "b" * 5000]
    message(INPUT, lambda: br.Scores.from_labels(labels, [1, 2]), "...")
    message(INPUT, lambda: br.Scores.from_labels(labels, [1, 2], client_label="c" * 5000), "...")
    frame = pd.DataFrame({f"{i}" * 900: [1] for i in range(9)})
    message(INPUT, lambda: br.Scores.from_frame(frame, score="1" * 800), "...")
