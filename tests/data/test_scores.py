"""Scores: what is accepted, kept and compared. Most of what is refused is in hostile/."""

import copy
import math
import pickle
from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import betaroc as br
from helpers.hostile import refused

X = np.array([0.625, 0.125, 0.875, 0.25])  # exact in float16 too
Y = np.array([1, 0, 1, 0])
CLIENT, IMPOSTOR = [0.625, 0.875], [0.125, 0.25]


def test_order_and_exact_values_are_kept_and_input_untouched():
    given = X.copy()
    given.flags.writeable = False
    scores = br.Scores(given, [3, 1, 2])
    assert scores.client.tolist() == X.tolist()
    assert scores.impostor.tolist() == [3.0, 1.0, 2.0]
    assert not np.shares_memory(scores.client, given)
    assert scores.client.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        scores.client[0] = 1.0
    assert br.Scores(range(3), [2**53, -(2**53)]).client.tolist() == [0.0, 1.0, 2.0]
    assert br.Scores([1 << 60], [0.5]).client.tolist() == [2.0**60]
    with pytest.warns(br.PrecisionWarning, match="11 significant bits") as caught:
        scores = br.Scores(np.array([0.5, 0.5, 0.25, 1.0], dtype="f2"), [0.5])
    assert scores.client.tolist() == [0.5, 0.5, 0.25, 1.0]
    assert caught[0].filename == __file__


def full():
    more = {"client_groups": [7, 8], "client_ids": ["a", "b"], "impostor_ids": ["c"]}
    return br.Scores([0.9, 0.7], [0.1], client_weights=[1, 2], name="verifier", **more)


def test_equality_copies_and_repr():
    scores = full()
    copies = pickle.loads(pickle.dumps(scores)), copy.deepcopy(scores)
    for same in (full(), *copies, eval(repr(scores), {"Scores": br.Scores})):
        assert same == scores
        assert hash(same) == hash(scores)
        assert not same.client.flags.writeable
        assert not same.client_weights.flags.writeable
    assert scores != br.Scores([0.9, 0.7], [0.1])
    assert br.Scores([0.1, 0.2], [0.5]) != br.Scores([0.2, 0.1], [0.5])
    with pytest.raises(AttributeError, match="cannot assign"):
        scores.name = "other"
    many = br.Scores(np.linspace(0, 1, 100), np.linspace(-2, 0.5, 40), name="x")
    assert repr(many) == "<Scores 'x': 100 client in [0, 1], 40 impostor in [-2, 0.5]>"


def test_from_labels_splits_weights_groups_and_ids():
    scores = br.Scores.from_labels(
        Y, X, weights=[1, 2, 3, 0], groups=[5, 6, 7, 8], ids=list("abcd"), name="n"
    )
    assert scores == br.Scores(
        CLIENT, IMPOSTOR, client_weights=[1, 3], impostor_weights=[2, 0], client_groups=[5, 7],
        impostor_groups=[6, 8], client_ids=["a", "c"], impostor_ids=["b", "d"], name="n",
    )  # fmt: skip


COLUMNS = {"p": X, "y": Y, "w": [1, 2, 3, 4], "who": list("abcd"), "g": [1, 1, 2, 2]}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS), pd.DataFrame(COLUMNS, index=[3, 3, 1, 0]), pl.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).convert_dtypes(), pl.LazyFrame(COLUMNS), pa.table(COLUMNS),
    ],
    ids=lambda f: f"{type(f).__module__}.{type(f).__name__}",
)  # fmt: skip
def test_from_frame(frame):
    plain = br.Scores.from_frame(frame, score="p", label="y")
    assert plain == br.Scores(CLIENT, IMPOSTOR)
    scores = br.Scores.from_frame(frame, score="p", label="y", weight="w", group="g", id="who")
    assert scores == br.Scores.from_labels(
        Y, X, weights=COLUMNS["w"], groups=COLUMNS["g"], ids=COLUMNS["who"]
    )


INPUT, TYPE = br.InputError, br.InputTypeError

VALUES = {
    "polars null": (pl.Series([0.1, None]), INPUT, "1 of 2 missing", "positions 1"),
    "lazy frame": (pl.LazyFrame({"a": X}), TYPE, "lazy", "from_frame"),
}
if np.finfo("g").eps < np.finfo("d").eps:  # wider than float64: something to lose
    VALUES["to 0"] = (np.array([np.finfo("g").tiny, 0.5]), INPUT, "0, 1 and inf", "index 0")
    VALUES["to inf"] = (np.array([np.finfo("g").max]), INPUT, "0, 1 and inf", "index 0")


@pytest.mark.parametrize("case", VALUES)
def test_scores_refused(case):
    values, error, *words = VALUES[case]
    refused(lambda: br.Scores(values, [0.25, 0.5]), error, "client", *words)


def test_what_else_is_refused_says_what_to_pass():
    call, y = br.Scores.from_labels, pd.Series(Y)
    refused(lambda: call(["a", "b"], [1, 2], client_label="c"), INPUT, "'c'", "'a'", "'b'")
    refused(lambda: call([1, 2], [1, 2], client_label="2"), INPUT, "'2'", "same type")
    refused(lambda: call(y, X, weights=pd.Series(X)[::-1]), INPUT, "weights", "they differ")
    assert call(y, X, weights=pd.Series(X)) == call(Y, X, weights=X)
    refused(lambda: br.Scores([1, 2], [2], client_ids=[1.5, 2]), TYPE, "client_ids", "1.5")
    refused(lambda: br.Scores([1], [2], name=3), TYPE, "name", "3")
    with pytest.raises(br.InputTypeError, match=r"on 'cuda:0' \(Tensor\). Pass x.cpu\(\)"):
        br.Scores.from_labels(TRUE_FIVE, Tensor(FIVE, "cuda:0"))
    with pytest.raises(br.InputTypeError, match=r"frame.rename\(columns=str\)"):
        br.Scores.from_frame(pd.DataFrame({0: FIVE, 1: TRUE_FIVE}), score=0, label=1)


FRAMES = {
    "missing column": (pd.DataFrame({"scroe": [1], "label": [1]}), INPUT, "score='score'",
        "'label'", "Did you mean 'scroe'?"),
    "padded": (pl.DataFrame({"score": [1], " label": [1]}), INPUT, "' label'", "blanks"),
    "null": (pl.DataFrame({"score": [0.1, None], "label": [1, 0]}), INPUT, "'score'", "rows 1"),
    "label null": (pa.table({"score": [0.1, 0.2], "label": [1, None]}), INPUT, "'label'", "rows 1"),
    "duplicate": (pd.DataFrame([[1, 2, 3]], columns=["score", "score", "label"]), INPUT, "score"),
    "no frame": ([1, 2], TYPE, "list", "from_labels"),
}  # fmt: skip


@pytest.mark.parametrize("case", FRAMES)
def test_frames_refused(case):
    frame, error, *words = FRAMES[case]
    refused(lambda: br.Scores.from_frame(frame), error, *words)


TRUE_FIVE, FIVE = np.array([1, 0, 1, 0, 1]), np.array([0.7, 0.2, 0.9, 0.4, 0.3])
OF_FIVE = br.Scores([0.7, 0.9, 0.3], [0.2, 0.4])


class Tensor:
    """What is asked of a tensor of torch that requires a gradient."""

    def __init__(self, x, device="cpu"):
        self.x, self.device = x, device

    def __len__(self):
        return len(self.x)

    def detach(self):
        return self.x


@pytest.mark.parametrize(
    "made",
    [
        lambda x: pd.DataFrame({("a", 1): x}), lambda x: pd.Series(x, name=0),
        lambda x: pl.DataFrame({"x": x}), lambda x: pa.chunked_array([x[:2], x[2:]]),
        Tensor,
    ],
)  # fmt: skip
def test_it_is_read_as_its_array(made):
    assert br.Scores.from_labels(made(TRUE_FIVE), made(FIVE)) == OF_FIVE
    assert br.Empirical(made(FIVE)) == br.Empirical(FIVE)


def test_strata_of_frames_and_of_labels_of_several_kinds():
    kinds = ["bona fide", "print", "replay", "print", "bona fide"]
    scores = br.Scores.from_labels(kinds, [0.9, 0.1, 0.2, 0.3, 0.8], client_label="bona fide")
    assert scores.strata == ({}, {"print": 2, "replay": 1})
    assert br.Scores.from_frame(scores.to_frame(), stratum="stratum").strata == scores.strata
    some = scores.to_frame().replace("replay", None)
    with pytest.raises(br.InputError, match="must be named for every impostor trial, or for none"):
        br.Scores.from_frame(some, stratum="stratum")
    with pytest.raises(br.InputError, match=r"must hold two labels; got 3.*client_label="):
        br.Scores.from_labels(kinds, [0.9, 0.1, 0.2, 0.3, 0.8])


def test_strata_of_trials_without_a_score():
    scores = br.Scores(
        [3, 4], [1.0, 2, 2.5], impostor_strata=["a", "b", "b"], n_impostor_rejected={"a": 2, "c": 1}
    )
    assert scores.n_impostor_rejected == 3
    assert scores.strata.impostor == {"a": 3, "b": 2, "c": 1}
    assert br.by_stratum(scores, "far", threshold=2.2).estimate.tolist() == [0.0, 0.5, 0.0]
    assert br.from_json(scores.to_json()) == scores
    frame = br.Scores.from_frame(scores.to_frame(), stratum="stratum", missing="reject")
    assert frame.strata == ({}, {"a": 3, "b": 2, "c": 1})
    for wrong in ({"n_impostor_rejected": 2}, {"impostor_strata": ["a", "", "b"]}):
        with pytest.raises(br.InputError, match="impostor_strata must"):
            br.Scores([3, 4], [1.0, 2, 2.5], **{"impostor_strata": ["a", "b", "b"]} | wrong)


def test_counts_have_the_shape_of_thresholds_and_fractions_of_weights():
    scores = br.Scores([3, 4, 5], [1, 2, 3, 4])
    t = np.array([[-math.inf, 3.0], [3.5, 5.0]])
    found = scores.confusion(t)
    assert found.true_accepts.tolist() == [[3, 2], [2, 0]]
    assert found.false_accepts.tolist() == [[4, 1], [1, 0]]
    model = br.ScoreModel(br.Empirical(scores.client), br.Empirical(scores.impostor))
    np.testing.assert_array_equal(found.far, model.far(t))
    np.testing.assert_array_equal(found.frr, model.frr(t))
    half = br.Scores([3, 4], [1, 5], client_weights=[0.5, 2]).confusion(3)
    assert (half.true_accepts, half.false_rejects, half.frr) == (2, 0.5, 0.2)


def test_precision_at_k_is_the_mean_over_all_orders_of_ties():
    client, impostor = [5, 4, 3, 3], [4, 4, 3]
    trials = [(v, 1) for v in client] + [(v, 0) for v in impostor]
    orders = [sorted(p, key=lambda trial: -trial[0]) for p in permutations(trials)]
    found = br.Scores(client, impostor).precision_at(np.arange(1, 8))
    for k in range(1, 8):
        total = sum(sum(label for _, label in order[:k]) for order in orders)
        assert found[k - 1] == pytest.approx(float(Fraction(total, k * len(orders))), rel=1e-15)
    weighted = br.Scores([4, 2], [4, 1], client_weights=[2, 1], impostor_weights=[3, 4])
    copies = br.Scores([4, 4, 2], [4, 4, 4, 1, 1, 1, 1])
    k = np.arange(1, 11)
    np.testing.assert_allclose(weighted.precision_at(k), copies.precision_at(k), rtol=1e-15)
    assert copies.precision_at(10) == 0.3  # every score: the share of clients
    assert isinstance(copies.precision_at(3), float)


@pytest.mark.parametrize("bad", [0, 2.5, [1, 9]])
def test_k_is_a_number_of_scores(bad):
    with pytest.raises(br.InputError, match="k must be a whole number from 1 to 4"):
        br.Scores([1, 2], [0, 1.5]).precision_at(bad)
