"""Values of every kind come back from every way they travel."""

from __future__ import annotations

from hypothesis import strategies as st

import betaroc as br
from helpers.laws import DISTRIBUTIONS, copies_of, full_sets, law, models, samples
from helpers.public import back
from helpers.sets import summary_of


@law(one=DISTRIBUTIONS, model=models(), prior=st.floats(0.0, 1.0))
def test_distributions_and_pairs_come_back_and_can_be_pasted(one, model, prior) -> None:
    pair = br.ScoreModel(model.client, model.impostor, prior=prior, name="é 中")
    for value in (one, pair, pair.roc(), pair.eer(), pair.at([0.1, 0.5])):
        for again in (*copies_of(value), back(value)):
            assert again == value
    assert {hash(again) for again in copies_of(one)} == {hash(one)}


@law(scores=full_sets(), both=samples(("grid", "unit", "whole")))
def test_scores_and_summaries_come_back(scores, both) -> None:
    for again in copies_of(scores):
        assert again == scores
        assert again.client.tobytes() == scores.client.tobytes()
    summary = summary_of(br.Scores(*both), bins=64)
    assert all(again == summary for again in copies_of(summary))
