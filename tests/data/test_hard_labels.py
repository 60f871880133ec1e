"""Labels in the place of scores, and probabilities of the label that was predicted."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import betaroc as br
from betaroc.core.vocabulary import client_word, words_of

RNG = np.random.default_rng(45)
Y = np.repeat([1, 0], 30)
#: Right in 24 of 30 of each class.
RIGHT = np.tile(np.repeat([True, False], [24, 6]), 2)
DECIDED = np.where(RIGHT, Y, 1 - Y)
REMEDY = r"predict_proba\(X\)\[:, 1\] or decision_function\(X\)"
GRADED = RNG.uniform(size=Y.size)


def frame(score, **more):
    return pd.DataFrame({"score": score, "label": Y, **more})


def written(path, table, kind):
    getattr(table, "to_parquet" if kind == "parquet" else "to_csv")(path / f"t.{kind}")
    return path / f"t.{kind}"


DOORS = {
    "Scores": lambda s, _: br.Scores(s[Y == 1], s[Y == 0]),
    "from_labels": lambda s, _: br.Scores.from_labels(Y, s),
    "csv": lambda s, path: br.read_scores(written(path, frame(s), "csv")),
    "Parquet": lambda s, path: br.read_scores(written(path, frame(s), "parquet")),
    "summary": lambda s, _: br.summarize(frame(s)),
    "a system": lambda s, _: br.inclusion(frame(GRADED, other=s), family="empirical"),
}


@pytest.mark.parametrize("door", DOORS)
def test_labels_are_no_scores(door, tmp_path):
    """What a confusion matrix counts: no threshold lies between two labels but one."""
    low = 0 if door in ("Scores", "summary") else -1
    labels = np.where(DECIDED == 1, 1.0, low)
    kinds = (br.InputError, br.FileFormatError)
    with pytest.raises(kinds, match=f"all 60 are {low} or 1, and between two.*{REMEDY}"):
        DOORS[door](labels, tmp_path)


def test_few_scores_may_be_zeros_and_ones_unless_merged_summaries_are_many():
    """Nine are hand-made examples, as of few scores a warning says elsewhere; ten are labels."""
    assert br.Scores([1, 1, 1, 0], [0, 0, 0, 1, 0]).n_impostor == 5
    with pytest.raises(br.InputError, match="all 10 are 0 or 1"):
        br.Scores([1, 1, 1, 0], [0, 0, 0, 1, 0, 0])
    assert br.Scores([1] * 9, [1] * 9).n_client == 9  # one value, as of a model that gives one
    # Five labels each are too few to tell; merged they are ten.
    part = br.summarize(pd.DataFrame({"score": [1, 1, 0, 0, 1], "label": [1, 1, 1, 0, 0]}))
    with pytest.raises(br.InputError, match="all 10 are 0 or 1"):
        part + part
    other = br.summarize(pd.DataFrame({"score": [0.5, 0.1], "label": [1, 0]}))
    assert (part + other + part).n_client == 7


def test_estimators_and_displays_whose_scores_are_labels():
    """A tree of full depth has no probability in between."""
    from betaroc.sklearn import RocDisplay, ThresholdClassifier

    X = RNG.normal(size=(60, 3)) + 0.5 * Y[:, None]
    with pytest.raises(br.InputError, match=f"got labels.*{REMEDY}.*limit its depth"):
        RocDisplay.from_estimator(DecisionTreeClassifier().fit(X, Y), X[::-1], Y)
    with pytest.raises(br.InputError, match="got labels"):
        ThresholdClassifier(DecisionTreeClassifier(), far=0.2, pos_label=1).fit(X, Y)


CONFIDENCE = np.where(RIGHT, 0.9, 0.6) - np.tile(np.arange(30), 2) / 1000
WORDS = np.where(DECIDED == 1, "SPAM", "HAM")
#: Tables as Weka (without -distribution), transformers, PyCaret and others write them.
TABLES = {
    "pipeline, its own label": ({"truth": Y, "label": WORDS, "score": CONFIDENCE},
                                {"client_label": "SPAM"}),
    "pycaret": ({"target": Y, "prediction_label": DECIDED, "prediction_score": CONFIDENCE},
                {"score": "prediction_score", "label": "target"}),
}  # fmt: skip
REFUSED = r"column '\w+',? must be the score of the client; beside '\w+'.*take 1 - score"


@pytest.mark.parametrize("name", TABLES)
def test_the_probability_of_a_prediction_is_no_score(name, tmp_path):
    content, options = TABLES[name]
    table = pd.DataFrame(content)
    with pytest.raises(br.InputError, match=REFUSED):
        br.Scores.from_frame(table, **options)
    for kind in ("csv", "parquet"):
        with pytest.raises(br.FileFormatError, match=REFUSED):
            br.read_scores(written(tmp_path, table, kind), **options)


def test_the_score_of_the_client_beside_a_prediction_is_read():
    """Below one half the predicted label of two would be the other one."""
    table = frame(0.45 + GRADED / 2, predicted=Y).rename(columns={"label": "truth"})
    assert br.Scores.from_frame(table, label="truth").n_client == 30
    named = frame(GRADED / 2 + 0.5, predicted=Y).rename(columns={"score": "p_client"})
    assert br.Scores.from_frame(named, score="p_client").n_client == 30


CLIENTS = {
    "genuine": "impostor", "bona fide": "attack", "bonafide": "spoof", "Bona-Fide": "Attack",
    "target": "nontarget", "mated": "non_mated", "match": "nonmatch", "live": "spoof",
    "positive": "negative",
}  # fmt: skip


def alternating(folder, labels):
    path = folder / "dev.csv"
    rows = [f"{labels[k % 2]},0.{k + 1}" for k in range(6)]
    path.write_text("\n".join(["label,score", *rows]) + "\n")
    return path


def test_words_that_leave_no_doubt(tmp_path):
    for client, impostor in CLIENTS.items():
        assert client_word([client, impostor]) == client_word([impostor, client]) == client
    path = alternating(tmp_path, ("attack", "bona fide"))
    scores = br.read_scores(path)
    asked = br.read_scores(path, client_label="bona fide")
    assert scores == asked == br.Scores([0.2, 0.4, 0.6], [0.1, 0.3, 0.5])
    assert scores.words == asked.words == ("bona fide", "attack")
    assert (scores.source.guessed, asked.source.guessed) == ("bona fide", None)
    assert br.summarize(path).source.guessed == "bona fide"


def test_other_words_need_to_be_told_and_come_from_labels_alone(tmp_path):
    for labels in (("a", "b"), ("client", "genuine"), ("attack", "spoof"), ("genuine", "1")):
        assert client_word(list(labels)) is None
    with pytest.raises(br.errors.FileFormatError, match="client_label"):
        br.read_scores(alternating(tmp_path, labels))
    with pytest.raises(br.errors.InputError, match="client_label"):  # arrays are never guessed
        br.Scores.from_labels(["genuine", "impostor"], [0.8, 0.2])
    labels = np.array(["attack", "bona fide", "attack"])
    scores = br.Scores.from_labels(labels, [0.1, 0.9, 0.3], client_label="bona fide")
    assert scores.words == ("bona fide", "attack")
    assert scores == br.Scores([0.9], [0.1, 0.3])
    assert pickle.loads(pickle.dumps(scores)).words == scores.words
    assert br.Scores.from_labels([1, 0], [0.9, 0.1]).words is None
    assert br.read_scores(alternating(tmp_path, ("true", "false"))).words is None
    assert {words_of("genuine", label) for label in ("x" * 25, "a\x1b[31m", "12", 3.0)} == {None}
