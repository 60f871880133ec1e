"""Many systems at once: the table is that of single fits, of every source and family."""

from __future__ import annotations

import math
import warnings
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.data.frames import arrays_of

TEXTS = ["client_family", "impostor_family", "family_reason", "reason"]
IN_SUMS = ["beta", "normal", "logit-normal"]


def systems(n: int = 40) -> dict[str, br.Scores]:
    """Random shapes and sizes; every fifth has scores of exactly 0 and 1."""
    rng = np.random.default_rng(5)
    made = {}
    for k in range(n):
        a_c, b_c, a_i, b_i = np.exp(rng.uniform(-1.2, 2.0, 4))
        client = rng.beta(a_c, b_c, int(rng.integers(20, 200)))
        impostor = rng.beta(a_i, b_i, int(rng.integers(20, 200)))
        if k % 5 == 0:
            client[:2], impostor[:3] = 1.0, 0.0
        made[f"s{k:03d}"] = br.Scores(client, impostor)
    return made


def frame_of(made: dict[str, br.Scores]) -> pd.DataFrame:
    parts = [
        pd.DataFrame({"system": name, "score": getattr(s, who), "label": label})
        for name, s in made.items() for who, label in (("client", 1), ("impostor", 0))
    ]  # fmt: skip
    return pd.concat(parts).sample(frac=1.0, random_state=1)


def quiet(*given: Any, **options: Any) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        table = br.fit_many(*given, **options)
    # A frame of the library of the input; tests/test_tables.py looks at that.
    return pd.DataFrame(nw.from_native(table, eager_only=True).to_dict(as_series=False))


def numbers(table: pd.DataFrame) -> np.ndarray:
    return table.drop(columns=["system", *TEXTS, "fitted"]).to_numpy(dtype=float)


def single(scores: br.Scores, **options: Any) -> br.Fit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        return br.fit(scores, **options)


@pytest.mark.simulation
@pytest.mark.parametrize("family", [*IN_SUMS, "proper-beta", "dual-beta"])
@pytest.mark.parametrize("boundary", [None, "drop"])
def test_a_row_is_the_fit_of_its_system(family: str, boundary: str | None) -> None:
    made, boundary = systems(), None if family == "normal" else boundary
    table = quiet(made, family=family, boundary=boundary)
    assert table["system"].tolist() == list(made)
    assert table["fitted"].all()
    for (_, row), scores in zip(table.iterrows(), made.values(), strict=True):
        found = single(scores, family=family, boundary=boundary)
        assert (row["n_client"], row["n_impostor"]) == (scores.n_client, scores.n_impostor)
        for who in ("client", "impostor"):
            law = getattr(found, who)
            for name, value in law.params.items():
                assert row[f"{who}_{name}"] == pytest.approx(value, rel=1e-11)
                error = law.std_errors[name]
                assert row[f"{who}_{name}_std_error"] == pytest.approx(error, rel=1e-10)
        assert row["log_likelihood"] == pytest.approx(found.log_likelihood, rel=1e-10, abs=1e-10)
        assert row["auc"] == pytest.approx(found.model.auc(), abs=1e-11)


def test_names_come_from_keys_names_or_places() -> None:
    made = list(systems(3).values())
    named = [br.Scores(s.client, s.impostor, name=n) for s, n in zip(made, "ab", strict=False)]
    assert quiet([*named, made[2]])["system"].tolist() == ["a", "b", 2]


def test_weights_and_summaries_are_fitted_among_the_others() -> None:
    rng = np.random.default_rng(1)
    client, impostor = rng.beta(3, 2, 30), rng.beta(2, 3, 40)
    twice = br.Scores(np.repeat(client, 2), impostor)
    weighted = br.Scores(client, impostor, client_weights=np.full(30, 2.0))
    frame = frame_of({"one": twice})
    table = quiet({"copies": twice, "weights": weighted, "sums": br.summarize(frame)})
    values = table[["client_a", "client_a_std_error", "impostor_b", "auc", "log_likelihood"]]
    assert values.iloc[1].to_numpy() == pytest.approx(values.iloc[0].to_numpy(), rel=1e-12)
    assert values.iloc[2].to_numpy() == pytest.approx(values.iloc[0].to_numpy(), rel=1e-11)


@pytest.mark.simulation
def test_concentrated_systems_are_fitted_from_their_scores() -> None:
    rng = np.random.default_rng(2)
    scores = br.Scores(0.7 + 1e-6 * rng.normal(size=50), rng.beta(2, 3, 60))
    made = {"narrow": scores, "wide": systems(1)["s000"]}
    row = quiet(made).iloc[0]
    assert row["client_a"] == pytest.approx(single(scores).client.params["a"], rel=1e-12)
    table = quiet(frame_of(made))
    assert table["fitted"].tolist() == [False, True]
    assert "too concentrated, or too large or small, for sums" in table["reason"][0]


def test_what_cannot_be_fitted_says_why_and_stops_nothing() -> None:
    made = systems(2)
    good = made["s001"]
    made |= {
        "equal": br.Scores([0.5, 0.5, 0.5], good.impostor),
        "outside": br.Scores([0.5, 0.7, 1.5], good.impostor),
    }
    for source in (made, frame_of(made)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = br.fit_many(source, family="beta").set_index("system")
        assert table["fitted"].to_dict() == {
            "s000": True, "s001": True, "equal": False, "outside": False
        }  # fmt: skip
        assert "0.5" in table["reason"]["equal"]
        assert "1 of 3" in table["reason"]["outside"]
        assert math.isnan(table["auc"]["equal"])
        assert table["n_client"]["equal"] == 3
        said = {w.category: str(w.message) for w in caught}
        assert said[br.BetarocWarning].startswith("2 of 4 systems are not fitted, first 'equal'")
        assert br.SmallSampleWarning not in said  # of systems that are fitted
        assert said[br.BoundaryWarning].startswith("1 of 4 systems have scores of exactly 0 or 1")


def test_a_system_of_one_class_is_a_row_without_a_fit() -> None:
    frame = frame_of(systems(2))
    frame = frame[(frame["system"] != "s001") | (frame["label"] == 1)]
    table = quiet(frame)
    assert table["reason"].tolist() == ["", "impostor: no scores"]
    assert table["n_impostor"].tolist()[1] == 0


def test_reversed_systems_are_counted() -> None:
    good = br.Scores(np.linspace(0.3, 0.9, 20), np.linspace(0.1, 0.6, 20))
    with pytest.warns(br.ReversedScoresWarning, match="1 of 2 systems .* first 'bad'"):
        br.fit_many({"good": good, "bad": br.Scores(good.impostor, good.client)})


FRAME = {"system": ["a", "a", "b", "b"], "score": [0.1, 0.2, 0.3, 0.4], "label": [0, 1, 0, 1]}


@pytest.mark.parametrize(
    ("given", "options", "error", "text"),
    [
        ({}, {}, br.InputError, "at least one system"),
        ([1, 2], {}, br.InputTypeError, "every system must be Scores"),
        (3, {}, br.InputTypeError, "must be a frame .* or a mapping or sequence of Scores"),
        (pd.DataFrame(FRAME | {"score": [1, 2**60 + 1, 3, 4]}), {"family": "normal"}, br.InputError,
         r"integers from 2\*\*53 on"),
        ([br.Scores([0.4, 0.9], [0.1, 0.2], name="x")] * 2, {}, br.InputError,
         "names of their own; 2 are called 'x'"),
        (pd.DataFrame(FRAME | {"system": ["a", 1, "b", "b"]}), {}, br.InputError,
         "names of one type; got int, str"),
        (pd.DataFrame(FRAME)[:0], {}, br.InputError, "no rows"),
        (pd.DataFrame(FRAME), {"system": "sytem"}, br.InputError, "Did you mean 'system'"),
        (pd.DataFrame(FRAME), {"system": "score"}, br.InputError, "three columns"),
        (pd.DataFrame(FRAME), {"family": "beta-mixture"}, br.InputError, "only sums are collected"),
        (pd.DataFrame(FRAME), {"boundary": "squeeze"}, br.InputError, "only sums are collected"),
        (pd.DataFrame(FRAME), {"family": "normal", "boundary": "drop"}, br.InputError, "boundary"),
        (pd.DataFrame(FRAME | {"score": [0.1, math.nan, 0.3, 0.4]}), {}, br.InputError, "of 4"),
        (pd.DataFrame(FRAME | {"label": [0, 1, 2, 1]}), {}, br.InputError, "two labels"),
        (pd.DataFrame(FRAME | {"system": ["a", None, "b", "b"]}), {}, br.InputError,
         "'system' must have no missing system; got 1 of 4"),
    ],
)  # fmt: skip
def test_what_it_refuses(
    given: Any, options: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        br.fit_many(given, **options)


@pytest.mark.parametrize("column", ["system", "label"])
def test_nulls_among_numbers_of_duckdb_are_counted(column: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = duckdb.sql(f"SELECT * REPLACE (nullif({column}, 1) AS {column}) FROM (VALUES"
                       " (1, 0.1, 0), (2, 0.2, 1), (1, 0.3, 1), (2, 0.4, 0), (2, 0.5, 0))"
                       " t(system, score, label)")  # fmt: skip
    with pytest.raises(br.InputError, match=f"no missing {column}; got 2 of 5"):
        br.fit_many(frame)


@pytest.mark.simulation
@pytest.mark.parametrize("engine", ["pandas", "polars", "duckdb"])
def test_score_and_label_swapped_end_before_all_groups_are_there(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = systems(30)
    table = frame_of(made)
    module = pytest.importorskip(engine)
    if engine == "polars":
        frame = module.DataFrame({name: table[name].to_numpy() for name in table}).lazy()
    else:
        frame = module.from_df(table) if engine == "duckdb" else table
    whole = quiet(frame)
    sizes = []

    def counted(groups: Any) -> dict[str, Any]:
        sizes.append(len((found := arrays_of(groups))["n"]))
        return found

    monkeypatch.setattr("betaroc.data.frames.arrays_of", counted)
    monkeypatch.setattr("betaroc.data.frames._MANY_GROUPS", 50)  # of 60 and more
    assert numbers(quiet(frame)) == pytest.approx(numbers(whole), rel=1e-11, abs=1e-12)
    assert sizes[0] == 50
    assert sizes[1] >= 60
    sizes.clear()
    with pytest.raises(br.InputError, match="two labels; got more than 16"):
        br.fit_many(frame, score="label", label="score")
    assert sizes[0] == 50
