"""Hostile input that is right: the result is that of theory, and what is to be said is said."""

import random
import warnings
from contextlib import contextmanager
from functools import partial

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pytest

import betaroc as br
from helpers.cases import case
from helpers.hostile import SCORES, Y, pa

RNG = np.random.default_rng(5)
X, LOW = RNG.beta(5, 2, 200), RNG.beta(2, 5, 200)


def _at(value):
    changed = X.copy()
    changed[3] = value
    return changed


@contextmanager
def heard(*kinds):
    """What is warned of is of these kinds, all of them, and nothing else."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    assert {one.category for one in found} == set(kinds), [str(one.message) for one in found]


def most_likely(x):
    """The root of the score equations of a beta distribution, from sums with forty digits."""
    with mpmath.workdps(40):
        exact = [mpmath.mpf(float(v)) for v in x]
        g1 = mpmath.fsum(map(mpmath.log, exact)) / len(exact)
        g2 = mpmath.fsum(mpmath.log(1 - v) for v in exact) / len(exact)

        def equations(u, v):
            a, b = mpmath.exp(u), mpmath.exp(v)
            both = mpmath.digamma(a + b)
            return [mpmath.digamma(a) - both - g1, mpmath.digamma(b) - both - g2]

        start = br.fit_distribution(x, "beta", boundary="error").params
        u, v = mpmath.findroot(equations, [mpmath.log(start[k]) for k in "ab"])
        return float(mpmath.exp(u)), float(mpmath.exp(v))


#: Scores that are fitted to eight digits and more, and what is said.
FITTED = {
    "A07 the least double": (lambda: _at(5e-324), (br.errors.InfluenceWarning,)),
    "A07 the double before 1": (lambda: _at(1 - 2**-53), ()),
    "A10 a deep U": (lambda: np.r_[np.geomspace(1e-200, 0.4, 60), 1 - np.geomspace(1e-15, 0.5, 40)],
                     ()),
    "A13 as narrow as can be": (lambda: 0.3 + 1e-5 * (X - 0.7), ()),
    "A15 two points": (lambda: np.repeat([0.001, 0.999], 50), ()),
    "C03 two scores": (lambda: [0.4, 0.6], (br.errors.SmallSampleWarning,)),
}  # fmt: skip


@pytest.mark.parametrize("name", FITTED)
def test_fits_have_their_digits(name):
    make, kinds = FITTED[name]
    x = make()
    with heard(*kinds):
        found = br.fit_distribution(x, "beta")
    assert found.converged
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a, b = most_likely(x)
    assert found.params["a"] == pytest.approx(a, rel=1e-8)
    assert found.params["b"] == pytest.approx(b, rel=1e-8)


def test_a03_a_point_mass_beside_the_fit_of_the_rest():
    with heard(br.errors.BoundaryWarning):
        found = br.fit_distribution(_at(-0.0), "beta").params
    rest = br.fit_distribution(np.delete(X, 3), "beta").params
    assert (found["a"], found["b"]) == pytest.approx((rest["a"], rest["b"]), rel=1e-12)
    assert (found["at_zero"], found["at_one"]) == (1 / 200, 0.0)


#: Labels that say which scores are the clients'.
LABELLED = {
    "D01 {-1, 1}": (np.where(Y, 1, -1), None),
    "D09 floats": (np.where(Y, 1.0, -1.0).tolist(), None),
    "D09 booleans": (Y == 1, None),
    "D09 -0.0": (np.where(Y, 1.0, -0.0), None),
    "B13 Int64": (pd.array(Y, "Int64"), None),
    "B15 categories": (pd.Categorical(np.where(Y, "g", "i"), categories=["x", "i", "g"]), "g"),
    "B16 polars": (pl.Series(Y), None),
    "B16 polars, categories": (pl.Series(np.where(Y, "g", "i"), dtype=pl.Categorical), "g"),
    "B17 a dictionary": (pa.array(np.where(Y, "g", "i").tolist()).dictionary_encode(), "g"),
    "D02 {1, 2}": (Y + 1, 2),
    "D02 {0, 1} turned": (1 - Y, 0),
    "D04 decoded": (np.char.decode(Y.astype("S1"), "ascii"), "1"),
}


def test_labels_that_say_who_is_a_client():
    expected = br.Scores(SCORES[Y == 1], SCORES[Y == 0])
    for name, (labels, client_label) in LABELLED.items():
        with case(name):
            assert br.Scores.from_labels(labels, SCORES, client_label=client_label) == expected
            if not name.startswith(("B16", "B17")):
                frame = pd.DataFrame({"score": SCORES, "label": labels})
                assert br.Scores.from_frame(frame, client_label=client_label) == expected
                counted = br.summarize(frame, client_label=client_label)
                assert (counted.n_client, counted.n_impostor) == (20, 20)


def test_e09_e10_alphas_at_the_ends_and_in_any_order():
    dev, test = br.Scores(X, LOW), br.Scores(X[::2], LOW[::2])
    alpha = [1.0, 0.5, 0.0, 0.5, 0.1]
    curve = br.epc(dev, test, alpha=alpha)
    assert curve.alpha.tolist() == alpha
    assert curve.value[1] == curve.value[3]
    assert np.isfinite(curve.value).all()
    # Only FAR counts at 1: the fewest errors of the other kind at FAR 0; and the other way round.
    highest, lowest = dev.impostor.max(), dev.client.min()
    above = dev.client[dev.client > highest].min()
    below = dev.impostor[dev.impostor < lowest].max()
    assert curve.far[0] == np.mean(test.impostor > (highest + above) / 2)
    assert curve.frr[2] == np.mean(test.client <= (lowest + below) / 2)


def test_f15_a_partial_area_is_mcclishs():
    """1/2 for chance, which has half of 0.1 squared, and 1 for what is perfect."""
    part = br.interval(br.Scores(X, LOW), "partial-auc", between=(0.0, 0.1), replicates=200, rng=1)
    pairs = br.ScoreModel(br.Empirical(X), br.Empirical(LOW)).partial_auc(0.0, 0.1)
    assert part.estimate == pytest.approx((1 + (pairs - 0.005) / 0.095) / 2)
    assert part.low < part.estimate < part.high


def test_i10_no_state_of_random_numbers_is_left():
    state, kept = np.random.get_state()[1].tobytes(), random.getstate()  # noqa: NPY002
    br.epc(br.Scores(X, LOW), br.Scores(X[1:], LOW)).band(replicates=20, rng=1)
    br.Beta(2, 3).sample(3, rng=4)
    assert np.random.get_state()[1].tobytes() == state  # noqa: NPY002
    assert random.getstate() == kept


def test_i20_order_swap_and_maps():
    scores = br.Scores(X, LOW)
    shuffled = br.Scores(RNG.permutation(X), RNG.permutation(LOW))
    fit, again, mirrored = (
        br.fit(s, "beta") for s in (scores, shuffled, br.Scores(1 - LOW, 1 - X))
    )
    assert again.client.params == pytest.approx(fit.client.params, rel=1e-12)
    assert mirrored.client.params["a"] == pytest.approx(fit.impostor.params["b"], rel=1e-9)
    auc = partial(br.interval, stat="auc")
    assert auc(scores) == auc(shuffled)
    assert auc(br.Scores(np.exp(X), np.exp(LOW))).estimate == auc(scores).estimate
    with pytest.warns(br.errors.ReversedScoresWarning):
        swapped = auc(br.Scores(LOW, X)).estimate
    assert swapped == pytest.approx(1 - auc(scores).estimate, rel=1e-14)
