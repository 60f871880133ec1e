"""Hostile values, labels and weights, by the letters of their catalogue, and what an error says."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import betaroc as br
from helpers.extras import needs

pa = needs("pyarrow", "parquet")

__all__ = ["LABELS", "OK", "SCORES", "VALUES", "WEIGHTS", "Case", "Y", "refused", "spoken"]

INPUT, TYPE = br.InputError, br.InputTypeError
N = 40
_RNG = np.random.default_rng(3)
#: Scores of one class, and of two with their labels.
OK = _RNG.beta(5, 2, N)
Y = np.repeat([1, 0], N // 2)
SCORES = np.concatenate([OK[: N // 2], _RNG.beta(2, 5, N // 2)])
#: What a message shows of a value at most, and how long it is.
_SHOWN, _LONGEST = 60, 400
#: Where another sentence begins: what to do.
_NEXT = re.compile(r"(?<=[.?!]) +(?=[A-Z]|br\.)")


class Case(NamedTuple):
    """What is given, the error, and words of its text."""

    given: Callable[[], Any]
    error: type[Exception]
    words: tuple[str, ...]


def _case(given, error, *words):
    make = given if callable(given) and not isinstance(given, type) else lambda: given
    return Case(make, error, words)


def spoken(error, *words):
    """The text of an error, which keeps to the rule of messages."""
    text = str(error)
    assert isinstance(error, br.BetarocError), error
    assert len(text) <= _LONGEST, text
    assert text.isprintable(), repr(text)
    assert _NEXT.search(text), text
    assert max(map(len, re.findall(r"'[^' ]*'", text)), default=0) <= 2 * _SHOWN, text
    for word in words:
        assert word in text, (word, text)
    return text


def refused(call, error, *words):
    """The text of the error of a call, which is of that class and keeps to the rule."""
    with pytest.raises(error) as caught:
        call()
    return spoken(caught.value, *words)


def _at(value, place=3):
    bad = OK.copy()
    bad[place] = value
    return bad


def _item(value, place=3):
    """Objects, one of which is this one."""
    bad = OK.astype(object)
    bad[place] = value
    return bad


class _Array:
    """A container whose array is another's business."""

    def __init__(self, answer):
        self._answer = answer

    def __len__(self):
        return N

    def __array__(self, dtype=None, copy=None):
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class NoRepr:
    def __repr__(self):
        raise ValueError("no repr")


class _OnDevice(_Array):
    device = "cuda:0"


def _itself():
    found = [0.5]
    found.append(found)
    return found


def _iterator():
    yield from OK.tolist()


_ONE = f"1 of {N}"

#: Scores that nothing takes for numbers. "client" stands for the name of the argument.
VALUES = {
    "A01 NaN": _case(_at(np.nan), INPUT, "index 3: nan", _ONE),
    "A02 inf": _case(_at(np.inf), INPUT, "index 3: inf", _ONE),
    "B01 a lost int": _case([*range(N - 1), 2**53 + 1], INPUT, "9007199254740993", "index 39"),
    "B01 beyond float64": _case([*range(N - 1), 10**400], INPUT, "too large", "index 39", _ONE),
    "B01 beyond text": _case([*range(N - 1), 10**5000], INPUT, "<int>", "index 39", _ONE),
    "B02 booleans": _case(OK > 0.5, TYPE, "boolean decisions", "swap labels", f"{N} values"),
    "B03 a word": _case(_item("a"), TYPE, "'a' of type str", "index 3", _ONE),
    "B03 None": _case(_item(None), INPUT, "missing", "None", "index 3", _ONE),
    "B03 a signalling NaN": _case(_item(Decimal("sNaN")), TYPE, "Decimal('sNaN')", "index 3"),
    "B03 a large fraction": _case(_item(Fraction(10**400, 3)), INPUT, "too large", "index 3"),
    "B03 no repr": _case(lambda: _item(NoRepr()), TYPE, "<NoRepr>", "index 3", _ONE),
    "B03 nested lists": _case(_item([0.5]), TYPE, "[0.5] of type list", "index 3", "Flatten"),
    "B05 texts": _case(OK.astype(str), TYPE, "text", repr(str(OK[0])), "index 0", "float64"),
    "B10 complex": _case(OK + 0j, TYPE, "complex", "x.real"),
    "B11 masked": _case(np.ma.masked_array(OK, OK > 0.9), TYPE, "masked array", "compressed()"),
    "B13 nullable NA": _case(pd.array([None, *OK[1:]], "Float64"), INPUT, _ONE, "positions 0"),
    "B17 null": _case(pa.array([None, *OK[1:].tolist()]), INPUT, _ONE, "positions 0"),
    "B19 a generator": _case(_iterator, TYPE, "without length (generator)", "list(...)"),
    "B25 dates": _case(np.arange(N).astype("M8[ns]"), TYPE, "dates", "another column"),
    "B26 sparse": _case(scipy.sparse.csr_array(OK[None, :]), TYPE, "sparse", "toarray()"),
    "B26 a device": _case(lambda: _OnDevice(OK), TYPE, "cuda:0", ".cpu()"),
    "B27 raises": _case(lambda: _Array(OSError("gone")), TYPE, "OSError: 'gone'", "_Array"),
    "B27 recursion": _case(lambda: _Array(RecursionError("deep")), TYPE, "contains itself"),
    "B27 no array": _case(lambda: _Array([0.5]), TYPE, "_Array", "raised"),
    "a set": _case({0.1, 0.2}, TYPE, "unordered collection (set)", "list"),
    "None": _case(lambda: None, TYPE, "nothing (NoneType)"),
    "a path": _case(Path("a.csv"), TYPE, "read_scores(path)"),
    "a text": _case("a.csv", TYPE, "text (str)", "read_scores(path)"),
    "a memoryview": _case(memoryview(b"ab"), TYPE, "np.asarray(x)"),
    "a function": _case(lambda: len, TYPE, "without length"),
    "records": _case(np.zeros(N, [("a", "f8")]), TYPE, "records", "fields"),
    "C01 empty": _case([], INPUT, "at least one", "got 0"),
    "C04 a column": _case(OK[:, None], INPUT, "(40, 1)", "ravel()"),
    "C04 a matrix": _case(OK.reshape(20, 2), INPUT, "(20, 2)", "one column"),
    "C07 no dimension": _case(np.array(0.4), INPUT, "shape ()", "[x]"),
    "C08 ragged": _case([[0.1], [0.2, 0.3]], TYPE, "different lengths", "index 1"),
    "contains itself": _case(_itself, TYPE, "index 1"),
    "two columns": _case(pd.DataFrame({"a": OK, "b": OK}), TYPE, "2 columns", "from_frame"),
    "no column": _case(pd.DataFrame(), TYPE, "0 columns"),
}
if hasattr(np.dtypes, "StringDType"):  # from numpy 2 on
    VALUES["B05 StringDType"] = _case(OK.astype(str).astype("T"), TYPE, "text", "index 0")
if np.finfo("g").eps < np.finfo("d").eps:
    _WIDE = np.r_[np.full(N - 1, 0.5, "g"), np.longdouble(1) - np.finfo("g").epsneg]
    VALUES["B09 longdouble to 1"] = _case(_WIDE, INPUT, _ONE, "0, 1 and inf", "index 39")


def _label(value, place=3):
    bad = Y.astype(object)
    bad[place] = value
    return bad


_WORDS = np.where(Y, "genuine", "impostor")

#: Labels that are not those of two classes. "y_true" stands for the name of the argument.
LABELS = {
    "D02 {1, 2}": _case(Y + 1, INPUT, "1 (count 20)", "2 (count 20)", "client_label"),
    "D02 words": _case(_WORDS, INPUT, "'genuine' (count 20)", "client_label"),
    "D02 nearly 0": _case(np.where(Y, 1.0, 1e-300), INPUT, "1e-300", "client_label"),
    "D04 bytes": _case(Y.astype("S1"), TYPE, "bytes", "ecode"),
    "D04 one of bytes": _case(_label(b"1"), TYPE, "b'1'", "3", "ecode"),
    "D05 three": _case(np.r_[2, Y[1:]], INPUT, "got 3", "2 (count 1)", "0 (count 20)"),
    "D06 clients alone": _case(np.ones(N, int), INPUT, "no impostor scores", "40 labels are 1"),
    "D08 soft": _case(_label(0.7).astype(float), INPUT, "0.7", "swap"),
    "D09 text among ints": _case(_label("1"), TYPE, "mixed types", "'1' (text)"),
    "D09 bytes among texts": _case([b"a", *_WORDS[1:].tolist()], TYPE, "b'a'", "ecode"),
    "B13 NA": _case(pd.array([None, *Y[1:]], "Int64"), INPUT, "missing", _ONE),
    "B15 categories": _case(pd.Categorical(_WORDS), INPUT, "'genuine'", "client_label"),
    "a NaN": _case(_label(np.nan).astype(float), INPUT, "missing", "NaN"),
    "a None": _case(_label(None), INPUT, "missing", _ONE),
    "complex": _case(Y + 0j, TYPE, "complex"), "dates": _case(Y.astype("M8[s]"), TYPE, "1970"),
    "objects": _case([object()] * N, TYPE, "object"),
    "blanks about one": _case(np.where(Y, "a", np.where(SCORES > 0.3, "b", "b ")),
        INPUT, "blanks", "'b '"),
    "masked": _case(np.ma.masked_array(Y, SCORES > 0.9), TYPE, "masked array"),
}  # fmt: skip


def _weight(value, place=3):
    bad = np.ones(N)
    bad[place] = value
    return bad


#: Weights of all trials.
WEIGHTS = {
    "E01 all 0": _case(np.zeros(N), INPUT, f"0 for all {N}", "client", "impostor"),
    "E02 one negative": _case(_weight(-1), INPUT, "index 3: -1.0", _ONE),
    "E05 another length": _case(np.ones(5), INPUT, "5 weights", f"{N} scores"),
    "E06 no client": _case(1.0 - Y, INPUT, "client class", "no client scores"),
    "an inf": _case(_weight(np.inf), INPUT, "index 3: inf", _ONE),
    "texts": _case(np.ones(N).astype(str), TYPE, "text"),
    "booleans": _case(Y == 1, TYPE, "booleans"),
    "masked": _case(np.ma.masked_array(np.ones(N), Y == 1), TYPE, "masked array"),
    "a None": _case([None, *np.ones(N - 1)], INPUT, "missing"),
    "a single one": _case(2.0, INPUT, "2.0"),
}
