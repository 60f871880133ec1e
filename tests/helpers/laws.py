"""A law: what holds of any value, tried on a few in the suite and on 10 000 every night."""

import copy
import functools
import os
import pickle
import warnings
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

import betaroc as br

FAST, NIGHTLY = 25, 10_000
#: No more than so many where a run is to be shorter.
MOST = int(os.environ.get("BETAROC_EXAMPLES", NIGHTLY))
#: Nothing of a run but its count and seed decides what is tried; no time limit fails it.
SETTINGS = {
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "print_blob": True,
    # Explaining a failure makes it many times more, every line traced.
    "phases": [Phase.explicit, Phase.generate, Phase.shrink],
}
#: What collects the constants of every module of the project first, which takes longer than a few
#: examples. Older versions have none.
PROVIDERS = "hypothesis.internal.conjecture.providers"
PROFILES = [pytest.param("few", marks=pytest.mark.simulation),
    pytest.param("nightly", marks=pytest.mark.nightly)]  # fmt: skip


def law(*, fast=FAST, nightly=NIGHTLY, **values):
    """A test of so many drawn values: a few by day, new ones every night."""

    def decorate(claim):
        @functools.wraps(claim)
        def quiet(**drawn):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", br.BetarocWarning)
                claim(**drawn)

        @pytest.mark.parametrize("profile", PROFILES)
        def test(profile, monkeypatch):
            if profile == "few" and find_spec(PROVIDERS):
                known = import_module(PROVIDERS)._local_constants
                name = f"{PROVIDERS}._get_local_constants"
                monkeypatch.setattr(name, lambda: known, raising=False)
            size = {"few": fast // 3 + 1, "nightly": min(nightly, MOST)}[profile]
            many = settings(max_examples=size, derandomize=profile == "few", **SETTINGS)
            many(given(**values)(quiet))()

        test.__name__, test.__doc__ = claim.__name__, claim.__doc__
        return test

    return decorate


#: Ties, exact 0 and 1; any fraction; whole numbers; the ends of what doubles hold.
KINDS = {"grid": st.integers(0, 16).map(lambda k: k / 16), "unit": st.floats(0.0, 1.0),
    "whole": st.integers(-6, 6).map(float), "huge": st.floats(-1e300, 1e300),
    "tiny": st.floats(-1e-300, 1e-300)}  # fmt: skip


def copies_of(value):
    """A value read back from JSON, unpickled and copied."""
    return br.from_json(value.to_json()), pickle.loads(pickle.dumps(value)), copy.deepcopy(value)


def sample(numbers, least=1):
    return st.lists(numbers, min_size=least, max_size=40)


def like_labels(client, impostor):
    """Whether one sample may be taken for the labels of the other, which is refused."""
    one_length = len(client) == len(impostor)
    return one_length and any(set(x) <= {-1.0, 0.0, 1.0} for x in (client, impostor))


@st.composite
def samples(draw, kinds=tuple(KINDS), least=1):
    """Scores of both classes of one kind, of different numbers where they look like labels."""
    kind = draw(st.sampled_from(kinds))
    client, impostor = (draw(sample(KINDS[kind], least)) for _ in range(2))
    if {*client, *impostor} in ({0.0, 1.0}, {-1.0, 1.0}):  # ten such are refused as labels
        client = [*client, 2.0 if kind == "whole" else 0.5]
    if like_labels(client, impostor):
        client = [*client, client[0]]
    return np.array(client), np.array(impostor)


def sets(kinds=tuple(KINDS), least=1):
    return samples(kinds, least).map(lambda both: br.Scores(*both))


@st.composite
def weighted(draw, kinds=tuple(KINDS), least=1):
    """Scores of weights 1 to 4, and as many copies."""
    both = draw(samples(kinds, least))
    n = [draw(st.lists(st.integers(1, 4), min_size=len(x), max_size=len(x))) for x in both]
    copies = [np.repeat(x, k) for x, k in zip(both, n, strict=True)]
    if len(copies[0]) == len(copies[1]):  # they may look like labels
        n[0][0] += 1
        copies[0] = np.repeat(both[0], n[0])
    return br.Scores(*both, client_weights=n[0], impostor_weights=n[1]), br.Scores(*copies)


#: Of few characters: the table of all takes seconds.
NAMES = st.text('aé中"\\ \n\0', max_size=4)


@st.composite
def full_sets(draw):
    """Scores with weights, or groups and identities, or trials without a score."""
    both, given_ = draw(samples()), {"name": draw(st.none() | NAMES)}
    beside = draw(st.sampled_from(["weights", "groups", "rejected", "nothing"]))
    for who, x in zip(("client", "impostor"), both, strict=True):
        labels = st.lists(st.integers(0, 9), min_size=len(x), max_size=len(x))
        if beside == "weights":
            given_[f"{who}_weights"] = [1 + k for k in draw(labels)]
        elif beside == "groups":
            given_[f"{who}_groups"] = draw(labels)
            given_[f"{who}_ids"] = list(range(len(x)))
        elif beside == "rejected":
            given_[f"n_{who}_rejected"] = draw(st.integers(0, 9))
    return br.Scores(*both, **given_)


def between(scores):
    """A threshold below all scores, one in each gap between neighbours, one above all."""
    values = np.unique(np.concatenate([scores.client, scores.impostor]))
    gaps = values[:-1] / 2.0 + values[1:] / 2.0
    apart = gaps[(gaps > values[:-1]) & (gaps < values[1:])]
    return np.concatenate([[-np.inf], apart, [np.inf]])


def all_thresholds(scores):
    """Below all scores, and at each of them."""
    return np.unique(np.concatenate([[-np.inf], scores.client, scores.impostor]))


SHAPES = st.floats(-2.0, 4.0).map(lambda k: 10.0**k)
FRACTIONS = st.floats(0.01, 0.99)
CENTRES = st.floats(-5.0, 5.0)
SPREADS = st.floats(0.1, 10.0)
BETAS = st.builds(br.Beta, SHAPES, SHAPES)
NORMALS = st.builds(br.Normal, CENTRES, SPREADS)
LOGIT_NORMALS = st.builds(br.LogitNormal, CENTRES, SPREADS)
POSITIVE = st.builds(br.LogNormal, CENTRES, st.floats(0.1, 2.0)) | st.builds(
    br.Gamma, st.floats(0.5, 100.0), SPREADS
)
BENT = st.one_of(
    st.builds(kind, CENTRES, SPREADS, st.floats(-1.5, 1.5), st.floats(0.5, 2.0))
    for kind in (br.SinhArcsinh, br.LogitSinhArcsinh)
)
MIXTURES = st.one_of(
    st.builds(lambda w, a, b, kind=kind: kind((w, 1.0 - w), (a, b)), FRACTIONS, part, part)
    for kind, part in ((br.BetaMixture, BETAS), (br.NormalMixture, NORMALS))
)
INFLATED = st.builds(br.Inflated, BETAS, st.floats(0.01, 0.4), st.floats(0.01, 0.4))
TAILS = st.builds(br.ParetoTail, st.floats(0.001, 0.3), st.floats(-0.2, 0.2), st.floats(0.1, 2.0))
BODIES = st.builds(br.Beta, st.floats(0.5, 20.0), st.floats(0.5, 20.0))
SPLICED = st.builds(br.Spliced, BODIES, TAILS, TAILS)
BINNED = (
    st.lists(st.integers(0, 9), min_size=2, max_size=8)
    .filter(any)
    .map(lambda counts: br.Binned(np.linspace(0.0, 1.0, len(counts) + 1), counts))
)
DISCRETE = BINNED | sample(KINDS["unit"] | KINDS["grid"]).map(br.Empirical)
CONTINUOUS = BETAS | NORMALS | LOGIT_NORMALS | MIXTURES | SPLICED | POSITIVE | BENT
DISTRIBUTIONS = CONTINUOUS | INFLATED | DISCRETE
ON_UNIT = BETAS | LOGIT_NORMALS | INFLATED | SPLICED | DISCRETE


def models(part=ON_UNIT):
    return st.builds(br.ScoreModel, part, part)
