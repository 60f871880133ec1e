"""Every dtype and container of numbers: the bits of their float64, or a refusal that says why."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from helpers.cases import case
from helpers.extras import needs

pl = needs("polars", "polars")
pa = needs("pyarrow", "parquet")

#: Numbers that every dtype holds, and those that every dtype of floats does.
WHOLE, BROKEN = [0, 1, 1, 0, 1, 1], [0.125, 0.25, 0.75, 0.375, 0.5, 0.625]
DTYPES = [">f4", ">f8", ">i8", "g", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8))]
DTYPES += ["f2", "f4", "f8"]


def spaced(values):
    """As every second item of an array."""
    held = np.zeros(2 * len(values))
    held[::2] = values
    return held[::2]


def locked(values):
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


#: Containers of the same numbers.
HELD = {
    **{t: lambda v, t=t: np.array(v).astype(t) for t in DTYPES if t.strip("<>")[0] in "fg"},
    "list": list, "tuple": tuple, "spaced": spaced, "read-only": locked,
    "reversed": lambda v: np.array(v[::-1])[::-1],
    "decimals": lambda v: [Decimal(repr(x)) for x in v],
    "fractions": lambda v: [Fraction(x) for x in v],
    "objects": lambda v: np.array(v, dtype=object),
    "pandas, odd index": lambda v: pd.Series(v, index=[9, 9, 1, -1, 0, 5][: len(v)]),
    "pandas, nullable": lambda v: pd.Series(v, dtype="Float64"),
    "pandas, of pyarrow": lambda v: pd.Series(v, dtype="double[pyarrow]"),
    "pandas index": pd.Index, "polars": lambda v: pl.Series(v), "pyarrow": lambda v: pa.array(v),
    "pyarrow, chunked": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "pandas, categories": pd.Categorical,
    "mixed": lambda v: [np.float32(v[0]), Fraction(v[1]), *v[2:]],
}  # fmt: skip
#: What takes scores of a class.
OF_SCORES = {
    "Scores": lambda x: br.Scores(x, [0.25, 0.5]).client.tobytes(),
    "Empirical": lambda x: br.Empirical(x),
    "fit_distribution": lambda x: br.fit_distribution(x, "normal").distribution,
    "from_labels": lambda x: br.Scores.from_labels([1, 0, 1, 0, 1, 1], x).impostor.tobytes(),
}
BETA = br.Beta(2.0, 3.0)
MODEL = br.ScoreModel(br.Beta(3.0, 2.0), BETA)
#: What takes thresholds or rates of any shape.
OF_PLACES = {
    "cdf": lambda x: BETA.cdf(x), "logsf": lambda x: BETA.logsf(x), "ppf": lambda x: BETA.ppf(x),
    "far": lambda x: MODEL.far(x), "at_far": lambda x: MODEL.at_far(x).threshold,
    "threshold_at_frr": lambda x: MODEL.threshold_at_frr(x), "tpr": lambda x: MODEL.roc().tpr(x),
    "posterior": lambda x: MODEL.posterior(x),
    "confusion": lambda x: br.Scores([0.5, 0.75], [0.25]).confusion(x).far,
    "epc": lambda x: br.epc(MODEL, MODEL, alpha=x).value,
    "beta_auc": lambda x: br.beta_auc(x, 2.0, 1.0, 2.0),
}  # fmt: skip


def quiet(call, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        return call(x)


@pytest.mark.simulation
@pytest.mark.parametrize("calls", [OF_SCORES, OF_PLACES], ids=["scores", "places"])
def test_the_bits_of_the_doubles(calls, tmp_path):
    np.array(BROKEN).tofile(tmp_path / "x")
    mapped = np.memmap(tmp_path / "x", dtype=float, mode="r")
    for name, call in calls.items():
        expected = quiet(call, np.array(BROKEN))
        for kind, held in {**HELD, "memory map": lambda _: mapped}.items():
            with case((name, kind)):
                np.testing.assert_array_equal(quiet(call, held(BROKEN)), expected)


def test_the_bits_of_whole_numbers():
    for name, call in OF_SCORES.items():
        expected = quiet(call, np.array(WHOLE, dtype=float))
        for dtype in DTYPES:
            with case((name, dtype)):
                assert quiet(call, np.array(WHOLE).astype(dtype)) == expected
    assert br.Scores(range(2, 5), [0.5]).client.tolist() == [2.0, 3.0, 4.0]
