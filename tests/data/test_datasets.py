"""Real sets that come with the package: counts by another reader, words, groups, licences."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.data import datasets
from helpers.places import DATA


@cache
def loaded(name):
    return getattr(br.datasets, name)()


def columns(path, **options):
    return pd.read_csv(DATA / path, converters={"score": float}, **options)


def same(scores, frame):
    for who, label in (("client", 1), ("impostor", 0)):
        np.testing.assert_array_equal(getattr(scores, who), frame.score[frame.label == label])


@pytest.mark.parametrize(("classifier", "amount"), [("logreg", 0.4), ("forest", 1)])
def test_liveness(classifier, amount):
    data = br.datasets.load_liveness(classifier, sharpened=amount)
    folder = f"liveness_cross_{classifier}"
    same(data.dev, columns(f"{folder}/dev.csv"))
    same(data.test, columns(f"{folder}/test_sharpen{amount:.2f}.csv"))
    assert data.dev.words == data.test.words == ("bona fide", "attack")
    assert data.dev.name == classifier


def test_amounts_of_sharpening_are_species_against_the_same_bona_fide():
    amounts = [0.2, 1.0]
    species = br.datasets.load_liveness("forest", sharpened=amounts)
    assert species.dev == br.datasets.load_liveness("forest").dev
    assert species.test.words == ("bona fide", "attack")
    for amount in amounts:
        single = br.datasets.load_liveness("forest", sharpened=amount).test
        np.testing.assert_array_equal(single.client, species.test.client)
        of_it = species.test.impostor[np.array(species.test.impostor_strata) == f"{amount:g}"]
        np.testing.assert_array_equal(single.impostor, of_it)
    with pytest.raises(br.InputError, match=r"sharpened must be one of .*; got 0\.5"):
        br.datasets.load_liveness(sharpened=[0.4, 0.5])


@pytest.mark.simulation
def test_verification_and_games_that_are_split_by_season():
    data = loaded("load_verification")
    same(data.dev, columns("asvspoof19_asv/dev.csv.gz"))
    same(data.test, columns("asvspoof19_asv/eval.csv.gz"))
    data = loaded("load_games")
    rows = columns("fivethirtyeight/nba_games.csv.gz")
    same(data.dev, rows[rows.season < 2020])
    same(data.test, rows[rows.season >= 2020])
    assert data.dev.client_groups is None


def test_faces_have_both_identities():
    data = loaded("load_faces")
    names = ["claimed", "real", "probe", "score"]
    for scores, part in ((data.dev, "dev"), (data.test, "eval")):
        rows = columns(f"bob_verif/scores-{part}.4col.txt", sep=" ", names=names)
        rows["label"] = (rows.claimed == rows.real).astype(int)
        same(scores, rows)
        for who, label in (("client", 1), ("impostor", 0)):
            own = rows.loc[rows.label == label, ["claimed", "real"]].to_numpy(dtype=str)
            np.testing.assert_array_equal(getattr(scores, f"{who}_groups"), own)


@pytest.mark.simulation
@pytest.mark.parametrize("name", [n for n in datasets.__all__ if n.startswith("load_")])
def test_each_says_where_it_is_from_and_what_may_be_done(name):
    data = loaded(name)
    assert "github" in data.source or "scikit-learn" in data.source
    assert any(word in data.licence for word in ("MIT", "BSD-3-Clause", "CC BY", "Creative"))
