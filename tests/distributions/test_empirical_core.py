"""Samples at speed: counts in bins, the staircase of two sorts, and the paths they replace.

The oracles are brute force over all decisions in integers and fractions, written here, and the
generic path, which scores with weights of one take.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pytest

import betaroc as br
from betaroc.core.arrays import FloatArray
from betaroc.distributions.pairs import pair_of
from betaroc.model import operating_points
from betaroc.model.criteria import CRITERIA, hull_vertices


def least_errors(client: FloatArray, impostor: FloatArray, alpha: FloatArray) -> list[float]:
    """Tie rule of the criterion, in fractions over every decision."""
    places = np.unique(np.concatenate([client, impostor])).tolist()
    thresholds = [-np.inf]
    for low, high in itertools.pairwise(places):
        middle = 0.5 * low + 0.5 * high
        thresholds.append(middle if low < middle < high else low)
    thresholds.append(places[-1])
    far = [Fraction(int(np.sum(impostor > t)), impostor.size) for t in thresholds]
    frr = [Fraction(int(np.sum(client <= t)), client.size) for t in thresholds]
    chosen = []
    for value in alpha.tolist():
        a = Fraction(value).limit_denominator(10**9)
        errors = zip(far, frr, thresholds, strict=True)
        keys = [(a * x + (1 - a) * y, x + y, t) for x, y, t in errors]
        chosen.append(min(keys)[2])
    return chosen


Draw = Callable[[np.random.Generator, int, float], FloatArray]

KINDS: dict[str, Draw] = {
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
TARGETS = ("far", "frr", "recall", "sensitivity", "specificity")


def samples(kind: str, seed: int, largest: int) -> list[FloatArray]:
    """Clients above the impostors, below them, among them or far off."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest, 2)
    return [
        KINDS[kind](rng, int(sizes[0]), rng.choice([-1, 0, 1, 9])),
        KINDS[kind](rng, int(sizes[1]), 0),
    ]


def unsorted_pair(client: FloatArray, impostor: FloatArray) -> Any:
    return pair_of(br.Empirical(client), br.Empirical(impostor))


def weighted_pair(client: FloatArray, impostor: FloatArray) -> Any:
    """The same samples on the generic path."""
    return pair_of(*(br.Empirical(x, np.ones(x.size)) for x in (client, impostor)))


# ---------------------------------------------------------------------------------- bins


@pytest.mark.parametrize("kind", KINDS)
def test_quantiles_are_those_of_all_places(kind: str) -> None:
    p = np.concatenate([np.linspace(0.0, 1.0, 41), np.random.default_rng(3).random(20)])
    for seed in range(20):
        values = samples(kind, seed, 60)[0]
        law, generic = br.Empirical(values), br.Empirical(values, np.ones(values.size))
        assert law.ppf(p).tolist() == generic.ppf(p).tolist()
        assert law.support == generic.support


# -------------------------------------------------------------------------- many threads


# ------------------------------------------------------------------------ pickles and copies
def used(value: Any) -> Any:
    """Every property of a value was asked, and what a model is asked most."""
    for name, member in inspect.getmembers_static(type(value)):
        if isinstance(member, cached_property | property) and not name.startswith("__"):
            getattr(value, name)
    if isinstance(value, br.ScoreModel):
        value.auc(), value.eer(), value.roc().points(), value.det().points()
    return value


def public_values() -> dict[str, Callable[[], Any]]:
    rng = np.random.default_rng(6)
    client, impostor = rng.beta(4, 2, 300), rng.beta(2, 4, 400)
    laws = br.Beta(4, 2), br.Beta(2, 4)
    return {
        "empirical": lambda: br.Empirical(client),
        "weighted": lambda: br.Empirical(client, np.arange(1.0, 301.0)),
        "binned": lambda: br.Binned(np.linspace(0, 1, 65), np.arange(64.0)),
        "inflated": lambda: br.Inflated(br.Beta(4, 2), 0.1, 0.2),
        "mixture": lambda: br.BetaMixture([0.25, 0.75], laws),
        "shifted": lambda: br.Shifted(br.Beta(4, 2), 0.5),
        "spliced": lambda: br.Spliced(br.Beta(4, 2), upper=br.ParetoTail(0.1, 0.0, 0.5)),
        "model": lambda: br.ScoreModel(*laws),
        "model of samples": lambda: br.ScoreModel(br.Empirical(client), br.Empirical(impostor)),
        "fit": lambda: br.fit(br.Scores(client, impostor)),
        "fit of samples": lambda: br.fit(br.Scores(client, impostor), "empirical"),
    }


@pytest.mark.parametrize("name", public_values())
def test_a_pickle_holds_nothing_that_is_made_again(name: str) -> None:
    make = public_values()[name]
    fresh, value = make(), used(make())
    assert len(pickle.dumps(value)) == len(pickle.dumps(fresh))
    for twin in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert vars(twin).keys() == {f.name for f in fields(twin)} & vars(value).keys()
        assert twin == value
        assert hash(twin) == hash(value)
        assert repr(twin) == repr(value)


# ----------------------------------------------------------------------- choices of thresholds


@pytest.mark.simulation
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["weighted-error", *TARGETS])
def test_choices_are_those_of_all_decisions(kind: str, name: str) -> None:
    for seed in range(12):
        client, impostor = samples(kind, 100 + seed, 500 if seed % 3 else 6)
        alpha = np.linspace(0.0, 1.0, 101) if seed % 2 else np.random.default_rng(seed).random(30)
        pair = unsorted_pair(client, impostor)
        chosen = CRITERIA[name].choose(pair, 0.5, alpha)
        assert chosen == CRITERIA[name].choose(weighted_pair(client, impostor), 0.5, alpha)


def test_a_hull_of_many_points_is_that_of_all() -> None:
    """Points of a parabola, every tenth of them on it: those are the vertices."""
    y = np.arange(20_001.0)
    x = (y - 20_000.0) ** 2
    x[np.arange(y.size) % 10 > 0] += 30.0
    assert hull_vertices(x, y).tolist() == list(range(0, 20_001, 10))


# ------------------------------------------------------------------ AUC, EER, corners
def nearest_balance(client: FloatArray, impostor: FloatArray) -> tuple[int, int]:
    """(impostors accepted, clients rejected) of least abs(FAR - FRR), HTER, threshold."""
    places = [-np.inf, *np.unique(np.concatenate([client, impostor])).tolist()]
    keys = []
    for t in places:
        accepted, rejected = int(np.sum(impostor > t)), int(np.sum(client <= t))
        far, frr = accepted * client.size, rejected * impostor.size
        keys.append((abs(far - frr), far + frr, t, accepted, rejected))
    return min(keys)[3:]


@pytest.mark.simulation
@pytest.mark.parametrize("kind", KINDS)
def test_auc_eer_and_corners_are_brute_forces(kind: str) -> None:
    for seed in range(25):
        client, impostor = samples(kind, 200 + seed, 40)
        model = br.ScoreModel(br.Empirical(client), br.Empirical(impostor))
        c, i = client[:, None], impostor[None, :]
        doubled = 2 * int(np.sum(c > i)) + int(np.sum(c == i))
        assert model.auc() == doubled / (2.0 * client.size * impostor.size)
        point = model.eer()
        accepted, rejected = nearest_balance(client, impostor)
        assert (point.far, point.frr) == (accepted / impostor.size, rejected / client.size)
        generic = weighted_pair(client, impostor)
        assert operating_points.equal_error(model._pair) == operating_points.equal_error(generic)
        every, corners = model.roc().points(), model.roc().corners()
        kept = np.isin(every.threshold, corners.threshold)
        for name in ("threshold", "far", "frr", "tpr", "tnr"):
            assert getattr(every[kept], name).tolist() == getattr(corners, name).tolist()
        # What was left out lies inside a horizontal or vertical stretch; its neighbours too.
        for k in np.flatnonzero(~kept):
            around = every[k - 1 : k + 2]
            assert len(set(around.far.tolist())) == 1 or len(set(around.tpr.tolist())) == 1


def test_corners_of_a_small_case() -> None:
    """Scores c i i c c (c and i): both c alone in a row make one stretch, so do both i."""
    client, impostor = br.Empirical([1.0, 4.0, 5.0, 6.0]), br.Empirical([2.0, 3.0, 6.0])
    corners = br.Roc(client, impostor).corners()
    assert corners.threshold.tolist() == [6.0, 5.5, 3.5, 1.5, -np.inf]
    assert corners.far.tolist() == [0.0, 1 / 3, 1 / 3, 1.0, 1.0]
    assert corners.tpr.tolist() == [0.0, 0.25, 0.75, 0.75, 1.0]
    turned = br.Roc(client, impostor, "impostor").corners()
    assert turned.threshold.tolist() == corners.threshold.tolist()[::-1]
    swapped = br.Roc(impostor, client).corners()
    assert swapped.threshold.tolist() == corners.threshold.tolist()


def test_roc_points_are_scikit_learns() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    for kind in ("normal", "ties", "few values", "an atom"):
        client, impostor = samples(kind, 7, 400)
        y = np.concatenate([np.ones(client.size), np.zeros(impostor.size)])
        s = np.concatenate([client, impostor])
        far, tpr, _ = metrics.roc_curve(y, s, drop_intermediate=False)
        points = br.Roc(br.Empirical(client), br.Empirical(impostor)).points()
        assert points.far.tolist() == far.tolist()
        assert points.tpr.tolist() == tpr.tolist()


def test_an_empirical_fit_keeps_a_copy_of_the_scores() -> None:
    values = np.linspace(0.1, 1.0, 10)
    law = br.fit_distribution(values, "empirical").distribution
    values[:] = 0.0
    assert law.cdf(0.25) == 0.2


def test_one_law_in_many_threads() -> None:
    client, impostor = samples("normal", 8, 3_000)
    pair = br.ScoreModel(br.Empirical(client), br.Empirical(impostor))
    generic = br.ScoreModel(*(br.Empirical(x, np.ones(x.size)) for x in (client, impostor)))

    def answers(model: br.ScoreModel) -> list[Any]:
        curve = br.epc(model, model, alpha=[0.2, 0.5])
        return [
            model.client.support, model.frr(0.1), model.client.ppf(0.3), curve.threshold.tolist(),
            model.auc(), model.eer().threshold,
        ]  # fmt: skip

    expected = answers(generic)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: answers(pair), range(24)))
    assert all(one == expected for one in found)


@pytest.mark.simulation
@pytest.mark.parametrize("kind", KINDS)
def test_least_weighted_errors_in_bins_are_brute_forces(kind: str) -> None:
    alpha = np.linspace(0.0, 1.0, 21)
    for seed in range(12):
        client, impostor = samples(kind, seed, 40)
        t = CRITERIA["weighted-error"].choose(unsorted_pair(client, impostor), 0.5, alpha)
        assert t.theta.tolist() == least_errors(client, impostor, alpha)


@pytest.mark.simulation
@pytest.mark.parametrize("criterion", ["weighted-error", "far", "recall"])
def test_a_curve_of_many_scores_is_that_of_weights_of_one(criterion: str) -> None:
    rng = np.random.default_rng(4)
    sides = [(rng.normal(1.0, 1.0, 40_000), rng.normal(-1.0, 1.2, 50_000)) for _ in range(2)]
    sides[1] = (sides[1][0].round(3), sides[1][1].round(3))
    plain = br.epc(*(br.Scores(c, i) for c, i in sides), criterion=criterion)
    ones = [
        br.Scores(c, i, client_weights=np.ones(c.size), impostor_weights=np.ones(i.size))
        for c, i in sides
    ]
    generic = br.epc(*ones, criterion=criterion)
    for name in ("threshold", "far", "frr", "value", "expected", "a_posteriori"):
        assert getattr(plain, name).tolist() == getattr(generic, name).tolist()
    again = br.epc(*(br.Scores(c, i) for c, i in sides), criterion=criterion)
    assert again.value.tolist() == plain.value.tolist()


def test_corners_with_weights_and_of_the_generic_pair() -> None:
    laws = br.Empirical([1.0, 4.0, 5.0], [2.0, 1.0, 0.5]), br.Empirical([2.0, 3.0])
    for is_generic in (False, True):
        corners = br.Roc(*laws, is_generic=is_generic).corners()
        assert corners.threshold.tolist() == [5.0, 3.5, 1.5, -np.inf]
        assert corners.tpr.tolist() == [0.0, 1.5 / 3.5, 1.5 / 3.5, 1.0]
