"""What the two classes are called, and which of two words is the client's."""

import pickle

import numpy as np
import pytest

import betaroc as br
from betaroc.core.vocabulary import client_word, words_of


def written(folder, labels, name="dev.csv"):
    path = folder / name
    rows = [f"{labels[k % 2]},0.{k + 1}" for k in range(6)]
    path.write_text("\n".join(["label,score", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("client", "impostor"),
    [
        ("genuine", "impostor"), ("bona fide", "attack"), ("bonafide", "spoof"),
        ("Bona-Fide", "Attack"), ("target", "nontarget"), ("target", "non-target"),
        ("mated", "non_mated"), ("match", "nonmatch"), ("live", "spoof"), ("positive", "negative"),
    ],
)  # fmt: skip
def test_words_that_leave_no_doubt(tmp_path, client, impostor):
    for labels in ((client, impostor), (impostor, client)):
        path = written(tmp_path, labels)
        scores = br.read_scores(path)
        asked = br.read_scores(path, client_label=client)
        assert scores == asked
        assert scores.words == asked.words == (client, impostor)
        assert (scores.source.guessed, asked.source.guessed) == (client, None)
        summary = br.summarize(path)
        assert (summary.n_client, summary.source.guessed) == (3, client)


@pytest.mark.parametrize(
    "labels", [("a", "b"), ("client", "genuine"), ("attack", "spoof"), ("genuine", "1")]
)
def test_other_words_need_to_be_told(tmp_path, labels):
    assert client_word(list(labels)) is None
    with pytest.raises(br.errors.FileFormatError, match="client_label"):
        br.read_scores(written(tmp_path, labels))


def test_arrays_are_never_guessed():
    with pytest.raises(br.errors.InputError, match="client_label"):
        br.Scores.from_labels(["genuine", "impostor"], [0.8, 0.2])


def test_words_come_from_labels_alone(tmp_path):
    labels = np.array(["attack", "bona fide", "attack"])
    scores = br.Scores.from_labels(labels, [0.1, 0.9, 0.3], client_label="bona fide")
    assert scores.words == ("bona fide", "attack")
    assert scores == br.Scores([0.9], [0.1, 0.3])
    assert pickle.loads(pickle.dumps(scores)).words == scores.words
    assert br.Scores([0.9], [0.1, 0.3]).words is None
    assert br.Scores.from_labels([1, 0], [0.9, 0.1]).words is None
    assert br.read_scores(written(tmp_path, ("true", "false"))).words is None
    assert br.read_scores(written(tmp_path, ("1", "0"))).words is None


@pytest.mark.parametrize("label", ["", "x" * 25, "a\x1b[31m", "12", 3.0, None])
def test_what_cannot_be_shown_is_no_word(label):
    assert words_of("genuine", label) is None
