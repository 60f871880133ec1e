"""Many systems at once: the table is that of single fits, of every source and family."""

import math
import warnings

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.data.frames import arrays_of

approx = pytest.approx
TEXTS = ["client_family", "impostor_family", "family_reason", "reason"]
quiet = pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
pytestmark = quiet


def systems(n=16):
    """Random shapes and sizes; every fifth has scores of exactly 0 and 1."""
    rng, made = np.random.default_rng(5), {}
    for k in range(n):
        a_c, b_c, a_i, b_i = np.exp(rng.uniform(-1.2, 2.0, 4))
        client = rng.beta(a_c, b_c, int(rng.integers(20, 200)))
        impostor = rng.beta(a_i, b_i, int(rng.integers(20, 200)))
        if k % 5 == 0:
            client[:2], impostor[:3] = 1.0, 0.0
        made[f"s{k:03d}"] = br.Scores(client, impostor)
    return made


def frame_of(made):
    parts = [pd.DataFrame({"system": name, "score": getattr(s, who), "label": label})
        for name, s in made.items() for who, label in (("client", 1), ("impostor", 0))]  # fmt: skip
    return pd.concat(parts).sample(frac=1.0, random_state=1)


def table_of(source, **options):
    # A frame of the library of the input; tests/test_tables.py looks at that.
    table = nw.from_native(br.fit_many(source, **options), eager_only=True)
    return pd.DataFrame(table.to_dict(as_series=False))


@pytest.mark.simulation
@pytest.mark.parametrize("family", ["beta", "normal", "logit-normal", "proper-beta", "dual-beta"])
@pytest.mark.parametrize("source", ["scores", "scores dropped", "frame"])
def test_a_row_is_the_fit_of_its_system(family, source):
    if source == "frame" and family in ("proper-beta", "dual-beta"):
        return  # of a frame only sums are collected
    made, boundary = systems(), "drop" if "drop" in source and family != "normal" else None
    whole = frame_of(made) if source == "frame" else made
    table = table_of(whole, family=family, boundary=boundary)
    assert table["system"].tolist() == list(made)
    assert table["fitted"].all()
    for (_, row), scores in zip(table.iterrows(), made.values(), strict=True):
        fit = br.fit(scores, family=family, boundary=boundary)
        assert (row["n_client"], row["n_impostor"]) == (scores.n_client, scores.n_impostor)
        for who, part in (("client", fit.client), ("impostor", fit.impostor)):
            for name, value in part.params.items():
                assert row[f"{who}_{name}"] == approx(value, rel=1e-11)
                error = part.std_errors[name]
                assert row[f"{who}_{name}_std_error"] == approx(error, rel=1e-10)
        assert row["log_likelihood"] == approx(fit.log_likelihood, rel=1e-10, abs=1e-10)
        assert row["auc"] == approx(fit.model.auc(), abs=1e-11)


DISTINCT = "client: at least 2 distinct scores are needed strictly between 0 and 1; got"
OUTSIDE = "of 3 scores outside [0, 1]"
REASONS = {
    "equal": f"{DISTINCT} 3, all equal to 0.5",
    "outside": f"client: 1 {OUTSIDE}",
    "per cent": f"client: 2 {OUTSIDE}, as of percentages: divide by 100",
    "one inside": f"{DISTINCT} 1",
}


@pytest.mark.simulation
def test_what_cannot_be_fitted_says_why_and_stops_nothing():
    made = systems(2)
    good = made["s001"]
    made |= {
        "equal": br.Scores([0.5, 0.5, 0.5], good.impostor),
        "outside": br.Scores([0.5, 0.7, -1.5], good.impostor),
        "per cent": br.Scores([0.0, 60.0, 100.0], good.impostor),
        "one inside": br.Scores([0.4, 1.0, 1.0], good.impostor),
    }
    for source in (made, frame_of(made)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = br.fit_many(source, family="beta").set_index("system")
        assert set(table.index[~table["fitted"]]) == REASONS.keys()
        assert math.isnan(table["auc"]["equal"])
        assert table["n_client"]["equal"] == 3
        messages = {w.category: str(w.message) for w in caught}
        assert "4 of 6 systems are not fitted, first" in messages[br.BetarocWarning]
        assert br.SmallSampleWarning not in messages  # of systems that are fitted
        boundary = messages[br.BoundaryWarning]
        assert boundary.startswith("1 of 6 systems have scores of exactly 0 or 1")
    assert table["reason"][~table["fitted"]].to_dict() == REASONS
    alone = frame_of(systems(2))
    alone = alone[(alone["system"] != "s001") | (alone["label"] == 1)]
    table = table_of(alone)  # a system of one class is a row without a fit
    assert table["reason"].tolist() == ["", "impostor: no scores"]
    assert table["n_impostor"].tolist()[1] == 0
    right = br.Scores(np.linspace(0.3, 0.9, 20), np.linspace(0.1, 0.6, 20))
    with pytest.warns(br.ReversedScoresWarning, match="1 of 2 systems .* first 'bad'"):
        br.fit_many({"good": right, "bad": br.Scores(right.impostor, right.client)})
    rng = np.random.default_rng(2)
    scores = br.Scores(0.7 + 1e-6 * rng.normal(size=50), rng.beta(2, 3, 60))
    made = {"narrow": scores, "wide": systems(1)["s000"]}
    named = [br.Scores(s.client, s.impostor, name="a") for s in made.values()][:1]
    assert table_of([*named, scores])["system"].tolist() == ["a", 1]
    expected = br.fit(scores).client.params["a"]
    assert table_of(made).iloc[0]["client_a"] == approx(expected, rel=1e-12)
    table = table_of(frame_of(made))
    assert table["fitted"].tolist() == [False, True]
    assert "too concentrated, or too large or small, for sums" in table["reason"][0]


FRAME = {"system": ["a", "a", "b", "b"], "score": [0.1, 0.2, 0.3, 0.4], "label": [0, 1, 0, 1]}
INPUT, TYPE = br.InputError, br.InputTypeError


@pytest.mark.parametrize(("source", "options", "error", "text"), [
    ({}, {}, INPUT, "at least one system"),
    ([1, 2], {}, TYPE, "frame must hold Scores"),
    (3, {}, TYPE, "must be a frame .* or a mapping or sequence of Scores"),
    (FRAME | {"score": [1, 2**60 + 1, 3, 4]},
        {"family": "normal"}, INPUT, r"integers from 2\*\*53 on"),
    ([br.Scores([0.4, 0.9], [0.1, 0.2], name="x")] * 2,
        {}, INPUT, "names of their own; got 2 called 'x'"),
    (FRAME | {"system": ["a", 1, "b", "b"]}, {}, INPUT, "names of one type; got int, str"),
    (FRAME, {"system": "score"}, INPUT, "three columns"),
    (FRAME, {"family": "beta-mixture"}, INPUT, "only sums are collected"),
    (FRAME, {"boundary": "squeeze"}, INPUT, "only sums are collected"),
    (FRAME | {"system": ["a", None, "b", "b"]},
        {}, INPUT, "'system' must have no missing system; got 1 of 4"),
])  # fmt: skip
def test_what_it_refuses(source, options, error, text):
    if isinstance(source, dict) and "score" in source:
        source = pd.DataFrame(source)
    with pytest.raises(error, match=text):
        br.fit_many(source, **options)


@pytest.mark.simulation
def test_score_and_label_swapped_end_before_all_groups_are_there(monkeypatch):
    frame, sizes = frame_of(systems(30)), []

    def numbers():
        return table_of(frame).drop(columns=["system", *TEXTS, "fitted"]).to_numpy(dtype=float)

    def counted(groups):
        columns = arrays_of(groups)
        sizes.append(len(columns["n"]))
        return columns

    whole = numbers()
    monkeypatch.setattr("betaroc.data.frames.arrays_of", counted)
    monkeypatch.setattr("betaroc.data.frames._MANY_GROUPS", 50)  # of 60 and more
    assert numbers() == approx(whole, rel=1e-11, abs=1e-12)
    assert sizes[0] == 50
    assert sizes[1] >= 60
    sizes.clear()
    with pytest.raises(INPUT, match="two labels; got more than 16"):
        br.fit_many(frame, score="label", label="score")
    assert sizes[0] == 50
