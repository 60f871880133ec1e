"""What the two classes are called, and which of two words is the client's."""

import pickle

import numpy as np
import pytest

import betaroc as br
from betaroc.core.vocabulary import client_word, words_of

CLIENTS = {
    "genuine": "impostor", "bona fide": "attack", "bonafide": "spoof", "Bona-Fide": "Attack",
    "target": "nontarget", "mated": "non_mated", "match": "nonmatch", "live": "spoof",
    "positive": "negative",
}  # fmt: skip


def written(folder, labels):
    path = folder / "dev.csv"
    rows = [f"{labels[k % 2]},0.{k + 1}" for k in range(6)]
    path.write_text("\n".join(["label,score", *rows]) + "\n")
    return path


def test_words_that_leave_no_doubt(tmp_path):
    for client, impostor in CLIENTS.items():
        assert client_word([client, impostor]) == client_word([impostor, client]) == client
    path = written(tmp_path, ("attack", "bona fide"))
    scores = br.read_scores(path)
    asked = br.read_scores(path, client_label="bona fide")
    assert scores == asked == br.Scores([0.2, 0.4, 0.6], [0.1, 0.3, 0.5])
    assert scores.words == asked.words == ("bona fide", "attack")
    assert (scores.source.guessed, asked.source.guessed) == ("bona fide", None)
    assert br.summarize(path).source.guessed == "bona fide"


def test_other_words_need_to_be_told(tmp_path):
    for labels in (("a", "b"), ("client", "genuine"), ("attack", "spoof"), ("genuine", "1")):
        assert client_word(list(labels)) is None
    with pytest.raises(br.errors.FileFormatError, match="client_label"):
        br.read_scores(written(tmp_path, labels))
    with pytest.raises(br.errors.InputError, match="client_label"):  # arrays are never guessed
        br.Scores.from_labels(["genuine", "impostor"], [0.8, 0.2])


def test_words_come_from_labels_alone(tmp_path):
    labels = np.array(["attack", "bona fide", "attack"])
    scores = br.Scores.from_labels(labels, [0.1, 0.9, 0.3], client_label="bona fide")
    assert scores.words == ("bona fide", "attack")
    assert scores == br.Scores([0.9], [0.1, 0.3])
    assert pickle.loads(pickle.dumps(scores)).words == scores.words
    assert br.Scores.from_labels([1, 0], [0.9, 0.1]).words is None
    assert br.read_scores(written(tmp_path, ("true", "false"))).words is None


def test_what_cannot_be_shown_is_no_word():
    assert {words_of("genuine", label) for label in ("x" * 25, "a\x1b[31m", "12", 3.0)} == {None}
