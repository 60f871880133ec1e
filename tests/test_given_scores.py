"""Six calls take scores in whatever shape they are: one reading of each shape."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import betaroc as br

RNG = np.random.default_rng(6)
SCORES = br.Scores(RNG.beta(6, 3, 80), RNG.beta(3, 6, 90))
TABLE = SCORES.to_frame()

CALLS = {
    "fit": br.fit,
    "decide": lambda x: br.decide(x, far=0.1, family="beta"),
    "interval": lambda x: br.interval(x, "auc"),
    "epc of dev": lambda x: br.epc(x, TEST, alpha=[0.5]),
    "epc of test": lambda x: br.epc(TEST, x, alpha=[0.5]),
    "analyze": lambda x: br.analyze(x, family="beta").dev.fit,
    "analyze of tests": lambda x: br.analyze(TEST, {"b": x}, family="beta").tests[0].fit,
    "compare_families": lambda x: br.compare_families(x, ["beta", "logit-normal"]).recommended,
}
TEST = br.Scores(RNG.beta(5, 3, 80), RNG.beta(3, 5, 90), name="other")


def path_of(folder):
    path = folder / "dev.csv"
    TABLE.to_csv(path, index=False)
    return path


SHAPES = {
    "pandas": lambda _: TABLE,
    "polars": lambda _: pl.from_pandas(TABLE),
    "polars, lazy": lambda _: pl.from_pandas(TABLE).lazy(),
    "pyarrow": lambda _: pa.Table.from_pandas(TABLE),
    "pair": lambda _: (TABLE["label"], TABLE["score"]),
    "lists": lambda _: (TABLE["label"].tolist(), TABLE["score"].tolist()),
    "path": path_of,
    "text": lambda folder: str(path_of(folder)),
}


SLOW = [pytest.param(c, marks=pytest.mark.simulation if c[0] in "ac" else ()) for c in CALLS]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("call", SLOW)
def test_each_shape_gives_what_scores_give(call, tmp_path):
    expected = br.fit(SCORES, "beta") if call.startswith("analyze") else CALLS[call](SCORES)
    for shape in ["path"] if call.startswith(("analyze", "compare")) else SHAPES:
        assert CALLS[call](SHAPES[shape](tmp_path)) == expected, shape


@pytest.mark.parametrize("call", list(CALLS))
def test_what_is_no_shape_of_scores_is_named(call):
    must = r"must be Scores.*a frame, a pair \(y_true, y_score\) or a path; got"
    for bad in (None, 3, TABLE["score"], [0.1, 0.9], (1, 2, 3), SCORES.client):
        kind = type(bad).__name__
        with pytest.raises(br.InputTypeError, match=f"(?s){must}.* of type {kind}"):
            CALLS[call](bad)


@pytest.mark.parametrize("call", list(CALLS))
def test_errors_of_a_shape_say_how_it_was_read(call, tmp_path):
    """What a call cannot say (the client's label, other columns), the function it names can."""
    with pytest.raises(br.InputError, match=r"two labels.*read by Scores.from_labels\(y_true, y_s"):
        CALLS[call]((SCORES.client, SCORES.impostor))
    with pytest.raises(br.InputError, match=r"must name a column.*read by Scores.from_frame"):
        CALLS[call](TABLE.rename(columns={"score": "p"}))
    with pytest.raises(br.ScoreFileNotFoundError, match=r"read by read_scores\(path\)"):
        CALLS[call](tmp_path / "none.csv")
    words = pd.DataFrame({"score": TABLE["score"], "label": np.where(TABLE["label"], "a", "b")})
    with pytest.raises(br.InputError, match=r"client_label=.*call it for its options"):
        CALLS[call](words)


def test_a_model_is_no_scores_and_warnings_of_reading_are_kept():
    model = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2))
    with pytest.raises(br.InputTypeError, match=r"got a ScoreModel.*Fit scores first"):
        br.interval(model, "auc")
    for wrong in ({1: None}, b"test.csv"):
        with pytest.raises(br.InputTypeError, match="must be Scores"):
            br.analyze(TEST, wrong)
    assert br.epc(SCORES, model, alpha=[0.5]).value.size == 1
    pair = TABLE["label"], TABLE["score"].to_numpy().astype(np.float16)
    with pytest.warns(br.PrecisionWarning):
        found = br.fit(pair)
    assert any(one.category is br.PrecisionWarning for one in found.notices)
