"""Averages over categories, beside scikit-learn, a jackknife over documents and a count by hand."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.metrics import precision_recall_fscore_support

import betaroc as br

N, DOCUMENTS = 6, 400


def drawn(seed, shift=2.0):
    rng = np.random.default_rng(seed)
    members = rng.random((DOCUMENTS, N)) < np.geomspace(0.04, 0.4, N)
    hard = rng.normal(size=(DOCUMENTS, 1))
    return members, shift * members + 0.6 * hard + 0.8 * rng.normal(size=members.shape)


def sides(*data, ids=True):
    return [
        {f"c{k}": br.Scores.from_labels(y[:, k], s[:, k], ids=np.arange(len(y)) if ids else None)
         for k in range(y.shape[1])} for y, s in data
    ]  # fmt: skip


DEV, TEST = drawn(1), drawn(2)
OPTIONS = {"criterion": "f-measure", "alpha": [0.5]}


@pytest.mark.parametrize("filled", [np.nan, 0.0, 1.0])
def test_scikit_learns_averages(filled):
    members, scores = TEST[0], TEST[1].copy()
    scores[:, 2] = np.minimum(scores[:, 2], 1.5)  # nothing is accepted
    options = {**OPTIONS, "zero_division": filled}
    dev, test = sides(DEV, (members, scores))
    if np.isnan(filled):
        with pytest.warns(br.BetarocWarning, match="nothing is accepted on test in 'c2'"):
            result = br.categories(dev, test, **options)
    else:
        result = br.categories(dev, test, **options)
    predicted = scores > result.threshold[:N, 0]
    for row, average in ((-2, "macro"), (-1, "micro"), (slice(0, N), None)):
        theirs = precision_recall_fscore_support(
            members, predicted, average=average, zero_division=filled
        )
        ours = result.estimate[:, row, 0]
        if average is None:
            assert np.isnan(ours[0, 2])
            ours = np.where(np.isnan(ours), filled, ours)
        np.testing.assert_allclose(ours, theirs[:3], rtol=0, atol=1e-12)
    frame = result.to_frame()
    assert frame["tp"].iloc[-1] == (predicted & members).sum()
    assert frame["tn"].iloc[:N].tolist() == (~predicted & ~members).sum(axis=0).tolist()
    assert list(frame["f1"].iloc[-2:]) == [result.band(x).estimate[0] for x in ("macro", "micro")]


def _measures(members, predicted):
    tp, fp, fn = (x.sum(axis=0) for x in (
        members & predicted, ~members & predicted, members & ~predicted))  # fmt: skip
    both = [np.append(x, x.sum()) for x in (tp, fp, fn)]
    tp, fp, fn = both
    values = np.stack([tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)])
    return np.stack([values[:, :-1].mean(axis=1), values[:, -1]], axis=1)


def test_intervals_beside_a_jackknife_over_documents():
    """Half the width is 1.96 jackknife errors, nearly: Student's t and the beta quantiles add."""
    result = br.categories(*sides(DEV, TEST), **OPTIONS)
    members, predicted = TEST[0], TEST[1] > result.threshold[:N, 0]
    without = np.array([
        _measures(*(np.delete(x, d, axis=0) for x in (members, predicted)))
        for d in range(DOCUMENTS)
    ])  # fmt: skip
    error = np.sqrt((DOCUMENTS - 1) * np.var(without, axis=0))
    ratio = (result.high - result.low)[:, -2:, 0] / (2 * 1.96 * error)
    assert np.all((ratio > 0.98) & (ratio < 1.1))
    apart = br.categories(*sides(DEV, TEST, ids=False), **OPTIONS)
    assert (result.documents, apart.documents) == (DOCUMENTS, None)
    assert "rows, taken as independent" in str(apart)
    narrower = (apart.high - apart.low) / (result.high - result.low)
    assert np.all(narrower[0, -1] < 0.95)  # micro precision, of hard documents


def test_a_table_by_hand():
    dev = {"a": br.Scores([3, 4], [1, 2]), "b": br.Scores([3, 4], [1, 2])}
    test = {
        "b": br.Scores([1, 3, 4, 5], [0, 1, 2, 2], client_ids=list("pqrs"), impostor_ids=[*"tuvw"]),
        "a": br.Scores([2, 4], [3, 1, 0], client_ids=list("pt"), impostor_ids=list("qrs")),
    }
    result = br.categories(dev, test)
    assert (result.names, result.documents) == (("a", "b"), 8)
    assert result.counts[:, :, 0].T.tolist()[:2] == [[1, 1, 1, 2], [3, 0, 1, 4]]
    expected = [
        [1 / 2, 1, 3 / 4, 4 / 5],
        [1 / 2, 3 / 4, 5 / 8, 4 / 6],
        [1 / 2, 6 / 7, 19 / 28, 8 / 11],
    ]
    np.testing.assert_allclose(result.estimate[:, :, 0], expected, rtol=0, atol=1e-15)
    low, high = beta.ppf([0.025, 0.975], [3, 4], [2, 1])  # 3 of 4: Clopper and Pearson
    for k, value in ((1, lambda s: s), (2, lambda s: 2 * s / (1 + s))):
        ends = [result.low[k, 1, 0], result.high[k, 1, 0]]
        np.testing.assert_allclose(ends, [value(low), value(high)], rtol=1e-9)


def test_break_even_after_the_fact_and_a_curve():
    result = br.categories(*sides(DEV, TEST))
    np.testing.assert_allclose(result.a_posteriori[0], result.a_posteriori[1], rtol=0, atol=1e-12)
    several = br.categories(*sides(DEV, TEST), criterion="f-measure", alpha=[0.2, 0.5, 0.8])
    alone = br.categories(*sides(DEV, TEST), **OPTIONS)
    assert [several.band("c1").estimate[1]] == alone.band("c1").estimate.tolist()
    np.testing.assert_allclose(several.high[:, :, 1], alone.high[:, :, 0], rtol=1e-12)
    assert several.to_frame()["alpha"].tolist() == np.repeat([0.2, 0.5, 0.8], N + 2).tolist()
    labels = [line.get_label() for line in several.plot().get_lines()]
    assert {"macro", "micro"} <= set(labels)


def _strata(data, lower=False):
    members, scores = data
    frame = pd.DataFrame({"label": members.ravel(), "score": scores.ravel()})
    frame["doc"] = np.repeat(np.arange(DOCUMENTS), N)
    frame["topic"] = np.tile([f"c{k}" for k in range(N)], DOCUMENTS)
    return br.Scores.from_frame(frame, id="doc", stratum="topic", lower_is_client=lower)


def test_strata_are_categories_and_distances_have_their_scale():
    known = br.categories(*sides(DEV, TEST), **OPTIONS)
    for sign, at in ((1.0, 0.0), (-1.0, 20.0)):
        parts = [_strata((y, at + sign * s), lower=sign < 0.0) for y, s in (DEV, TEST)]
        result = br.categories(*parts, **OPTIONS)
        order = [known.names.index(name) for name in result.names] + [N, N + 1]
        np.testing.assert_allclose(result.threshold, at + sign * known.threshold[order], rtol=1e-12)
        np.testing.assert_array_equal(result.counts, known.counts[:, order])
        np.testing.assert_allclose(result.low, known.low[:, order], rtol=1e-12)


def test_refusals():
    dev, test = sides(DEV, TEST)
    members = TEST[0].copy()
    members[:, 1] = False
    twice = br.Scores([1, 2], [0, 1.5], client_ids=[1, 1], impostor_ids=[2, 3])
    heavy = br.Scores([1, 2], [0, 1.5], client_weights=[1, 2])
    for first, second, words in (
        (_strata(DEV), _strata((members, TEST[1])), "'c1 of one class on test'"),
        (dev, {"c0": test["c0"]}, "have the same categories.*'c1', 'c2', 'c3'"),
        ({}, {}, "got 'none'"),
        ({"micro": twice}, {"micro": twice}, "none called macro or micro; got 'micro'"),
        (dev, dev | {"c3": twice}, "category 'c3' must have each document once.*4 rows of 3"),
        ({"a": heavy}, {"a": heavy}, "without weights and groups"),
        (br.Scores([1, 2], [0, 1.5]), test, "have the same categories"),
        ({"a": [1, 2]}, {"a": [1, 2]}, "dev must be Scores"),
    ):
        with pytest.raises((br.InputError, br.InputTypeError), match=words):
            br.categories(first, second)
    with pytest.raises(br.InputError, match="zero_division must be"):
        br.categories(dev, test, zero_division=2.0)
    with pytest.raises(ValueError, match="row must be"):
        br.categories(dev, test).band("c9")
    with pytest.warns(br.SameDataWarning, match="category 'c0' and 1 more: dev and") as told:
        br.categories(*[{name: dev[name] for name in ("c0", "c1")}] * 2)
    assert len(told) == 1
    assert f"of level {1 - 0.05 / N:.6g} hold" in str(br.categories(dev, test))
    assert json.loads(br.categories(dev, test).to_json())["kind"] == "Categories"
