"""Samples at speed, against the generic path, which scores with weights of one take."""

import copy
import inspect
import pickle
from dataclasses import fields
from functools import cached_property

import numpy as np
import pytest

import betaroc as br
from betaroc.distributions.pairs import pair_of
from betaroc.model import operating_points
from betaroc.model.criteria import CRITERIA
from helpers.cases import over

KINDS = {
    "normal": lambda rng, n, at: rng.normal(at, 1.0, n),
    "ties": lambda rng, n, at: rng.normal(at, 1.0, n).round(1),
    "few values": lambda rng, n, at: rng.integers(0, 4, n) + round(at) + 0.0,
    "heavy tails": lambda rng, n, at: rng.standard_cauchy(n) + at,
    "heaped ends": lambda rng, n, at: rng.beta(0.1 + max(at, 0.0), 0.2, n),
    "an atom": lambda rng, n, at: np.where(rng.random(n) < 0.5, 0.0, rng.normal(at, 1.0, n)),
    "tiny": lambda rng, n, at: 1e-250 * rng.normal(at, 1.0, n),
    "far from 0": lambda rng, n, at: 1e9 + rng.normal(at, 1.0, n),
    "huge": lambda rng, n, at: 1e250 * rng.normal(at, 1.0, n),
}
RATES = ("threshold", "far", "frr", "tpr", "tnr")
each_kind = over("draw", KINDS)


def samples(draw, seed, largest):
    """Clients above the impostors, below them, among them or far off."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, largest, 2).tolist()
    return draw(rng, n, rng.choice([-1, 0, 1, 9])), draw(rng, m, 0)


def weighted(x):
    """The same sample on the generic path."""
    return br.Empirical(x, np.ones(x.size))


_RNG = np.random.default_rng(6)
CLIENT, IMPOSTOR = _RNG.beta(4, 2, 300), _RNG.beta(2, 4, 400)
LAWS = br.Beta(4, 2), br.Beta(2, 4)


@over("make", {
    "empirical": lambda: br.Empirical(CLIENT),
    "binned": lambda: br.Binned(np.linspace(0, 1, 65), np.arange(64.0)),
    "mixture": lambda: br.BetaMixture([0.25, 0.75], LAWS),
    "spliced": lambda: br.Spliced(br.Beta(4, 2), upper=br.ParetoTail(0.1, 0.0, 0.5)),
    "model": lambda: br.ScoreModel(*LAWS),
    "model of samples": lambda: br.ScoreModel(br.Empirical(CLIENT), br.Empirical(IMPOSTOR)),
    "fit": lambda: br.fit(br.Scores(CLIENT, IMPOSTOR)),
})  # fmt: skip
def test_a_pickle_holds_nothing_that_is_made_again(make):
    """Whatever was asked of a value before: every property, and what a model is asked most."""
    fresh, value = make(), make()
    for name, member in inspect.getmembers_static(type(value)):
        if isinstance(member, cached_property | property) and not name.startswith("__"):
            getattr(value, name)
    if isinstance(value, br.ScoreModel):
        value.auc(), value.eer(), value.roc().points(), value.det().points()
    assert len(pickle.dumps(value)) == len(pickle.dumps(fresh))
    for twin in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert vars(twin).keys() == {f.name for f in fields(twin)} & vars(value).keys()
        assert twin == value
        assert (hash(twin), repr(twin)) == (hash(value), repr(value))


@pytest.mark.simulation
@each_kind
@pytest.mark.parametrize("name", ["weighted-error", "far", "recall", "specificity"])
def test_choices_are_those_of_all_decisions(draw, name):
    for seed in range(6):
        client, impostor = samples(draw, 100 + seed, 500 if seed % 3 else 6)
        alpha = np.linspace(0.0, 1.0, 101) if seed % 2 else np.random.default_rng(seed).random(30)
        chosen = [
            CRITERIA[name].choose(pair_of(law(client), law(impostor)), 0.5, alpha)
            for law in (br.Empirical, weighted)
        ]
        assert chosen[0] == chosen[1]


@pytest.mark.simulation
@each_kind
def test_auc_eer_and_corners_are_brute_forces(draw):
    for seed in range(10):
        client, impostor = samples(draw, 200 + seed, 40)
        model = br.ScoreModel(br.Empirical(client), br.Empirical(impostor))
        twice = np.sum(np.sign(np.subtract.outer(client, impostor)) + 1.0)
        assert model.auc() == twice / (2.0 * client.size * impostor.size)
        generic = pair_of(weighted(client), weighted(impostor))
        assert operating_points.equal_error(model._pair) == operating_points.equal_error(generic)
        every, corners = model.roc().points(), model.roc().corners()
        turns = np.isin(every.threshold, corners.threshold)
        for name in RATES:
            assert getattr(every[turns], name).tolist() == getattr(corners, name).tolist()
        # What was left out lies inside a horizontal or vertical stretch; its neighbours too.
        for k in np.flatnonzero(~turns):
            around = every[k - 1 : k + 2]
            assert len(set(around.far.tolist())) == 1 or len(set(around.tpr.tolist())) == 1


def test_corners_of_small_cases_and_scores_that_are_kept():
    """Scores c i i c c (c and i): both c alone in a row make one stretch, so do both i."""
    values = np.linspace(0.1, 1.0, 10)
    law = br.fit_distribution(values, "empirical").distribution
    values[:] = 0.0  # the fit has a copy
    assert law.cdf(0.25) == 0.2
    client, impostor = br.Empirical([1.0, 4.0, 5.0, 6.0]), br.Empirical([2.0, 3.0, 6.0])
    corners = br.Roc(client, impostor).corners()
    assert corners.threshold.tolist() == [6.0, 5.5, 3.5, 1.5, -np.inf]
    assert corners.far.tolist() == [0.0, 1 / 3, 1 / 3, 1.0, 1.0]
    assert corners.tpr.tolist() == [0.0, 0.25, 0.75, 0.75, 1.0]
    laws = br.Empirical([1.0, 4.0, 5.0], [2.0, 1.0, 0.5]), br.Empirical([2.0, 3.0])
    corners = br.Roc(*laws).corners()
    assert corners.threshold.tolist() == [5.0, 3.5, 1.5, -np.inf]
    assert corners.tpr.tolist() == [0.0, 1.5 / 3.5, 1.5 / 3.5, 1.0]
