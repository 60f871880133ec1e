"""Hostile input that is right: the result is that of theory, and what is to be said is said."""

from __future__ import annotations

import random
import warnings
from contextlib import contextmanager
from functools import partial
from itertools import pairwise

import mpmath
import numpy as np
import pandas as pd
import pytest

import betaroc as br
from helpers.cases import case
from helpers.hostile import OK, SCORES, Y, pa

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
    "A07 a denormal": (lambda: _at(1e-310), (br.errors.InfluenceWarning,)),
    "A07 the double before 1": (lambda: _at(1 - 2**-53), ()),
    "A10 a deep U": (lambda: np.r_[np.geomspace(1e-200, 0.4, 60), 1 - np.geomspace(1e-15, 0.5, 40)],
                     ()),
    "A11 a narrow bell": (lambda: 0.5 + (X - X.mean()) * 1e-4, ()),
    "A13 as narrow as can be": (lambda: 0.3 + 1e-5 * (X - 0.7), ()),
    "A14 two equal and another": (lambda: [0.5, 0.5, 0.51], (br.errors.SmallSampleWarning,)),
    "A15 two points": (
        lambda: np.repeat([0.001, 0.999], 50), ()
    ),
    "A17 small and skewed": (
        lambda: [0.7, 0.3, 0.15, 0.22, 0.05, 0.61, 0.11, 0.4, 0.02, 0.31], (),
    ),
    "C03 two scores": (lambda: [0.4, 0.6], (br.errors.SmallSampleWarning,)),
    "C03 three scores": (lambda: [0.4, 0.6, 0.9], (br.errors.SmallSampleWarning,)),
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


#: Calls whose result is right and comes with a warning: the call, the warning, its words.
BOUNDARY = br.errors.BoundaryWarning
WARNED = {
    "A03 a 0": (
        lambda: br.fit_distribution(_at(0.0), "beta"), BOUNDARY,
        ("1 exactly 0.0", "index 3", "0.005", '"squeeze"'),
    ),
    "A03 -0.0": (lambda: br.fit_distribution(_at(-0.0), "beta"), BOUNDARY, ("1 exactly 0.0",)),
    "A03 a 1": (lambda: br.fit_distribution(_at(1.0), "beta"), BOUNDARY, ("1 exactly 1.0",)),
    "A03 of a class": (lambda: br.fit(br.Scores(_at(1.0), LOW), "beta"), BOUNDARY, ("client",)),
    "B06 float16": (
        lambda: br.Scores(X.astype("f2"), X), br.errors.PrecisionWarning, ("of 200", "float16"),
    ),
    "C10 three among many": (
        lambda: br.fit(br.Scores([0.7, 0.8, 0.9], LOW), "beta"), br.errors.SmallSampleWarning,
        ("client", "3 scores"),
    ),
    "F02 reversed": (
        lambda: br.fit(br.Scores(LOW, X), "beta"), br.errors.ReversedScoresWarning,
        ("1 - score", "-score"),
    ),
    "F11 the same data": (
        lambda: br.epc(br.Scores(X, LOW), br.Scores(X, LOW)), br.errors.SameDataWarning, ("dev",),
    ),
    "F17 twice": (
        lambda: br.inclusion(
            {"a": br.Scores(X, LOW), "b": br.Scores(X, LOW)}, family="normal"
        ), br.errors.DuplicateWarning, ("'a'", "'b'"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WARNED)
def test_what_is_warned_of(name):
    call, kind, words = WARNED[name]
    with pytest.warns(kind) as found:
        call()
    text = next(str(one.message) for one in found if one.category is kind)
    assert len(text) <= 400
    for word in words:
        assert word in text, (word, text)


def test_a03_a_point_mass_beside_the_fit_of_the_rest():
    with heard(BOUNDARY):
        found = br.fit_distribution(_at(0.0), "beta").params
    rest = br.fit_distribution(np.delete(X, 3), "beta").params
    assert (found["a"], found["b"]) == pytest.approx((rest["a"], rest["b"]), rel=1e-12)
    assert (found["at_zero"], found["at_one"]) == (1 / 200, 0.0)


#: Containers and dtypes that hold the same doubles.
SAME = {
    "B03 objects": lambda: OK.astype(object),
    "B07 float32, read again": lambda: OK.astype("f4").astype("f8"),
    "B17 an array of pyarrow": lambda: pa.array(OK),
    "B17 chunks": lambda: pa.chunked_array([OK[:7], OK[7:]]),
    "B18 a list": lambda: OK.tolist(),
    "B18 a tuple": lambda: tuple(OK.tolist()),
    "B21 read-only": lambda: np.frombuffer(OK.tobytes()),
    "B22 every other": lambda: np.repeat(OK, 2)[::2],
    "B22 turned twice": lambda: OK[::-1].copy()[::-1],
    "B23 the other order of bytes": lambda: OK.astype(">f8"),
    "B13 nullable": lambda: pd.array(OK, "Float64"),
    "B15 categories of numbers": lambda: pd.Categorical(OK),
    "pandas": lambda: pd.Series(OK, index=np.arange(OK.size)[::-1]),
    "one column": lambda: pd.DataFrame({"a": OK}),
    "B07 float32": lambda: OK.astype("f4"),
    "B09 longdouble": lambda: OK.astype("g"),
    "B18 a range": lambda: range(9),
    "B01 integers": lambda: np.arange(9, dtype="i1"),
}


def test_the_same_doubles_are_the_same_scores():
    for name, make in SAME.items():
        expected = OK.astype("f4").astype("f8") if name.startswith("B07") else OK
        if name.startswith(("B18 a r", "B01")):
            expected = np.arange(9.0)
        with case(name):
            found = br.Scores(make(), LOW)
            assert found.client.tobytes() == expected.tobytes()
            assert not found.client.flags.writeable


def test_decimals_and_fractions_are_numbers():
    from decimal import Decimal
    from fractions import Fraction

    found = br.Scores([Decimal("0.1"), Fraction(1, 4), 0.5, 1], [Decimal("0.3")] * 3)
    assert found.client.tolist() == [0.1, 0.25, 0.5, 1.0]
    assert found.impostor.tolist() == [0.3] * 3


#: Labels that say which scores are the clients'.
LABELLED = {
    "D01 {-1, 1}": (np.where(Y, 1, -1), None),
    "D01 of int8": (np.where(Y, 1, -1).astype("i1"), None),
    "D09 floats": (Y.astype(float), None),
    "D09 booleans": (Y == 1, None),
    "D09 objects": (Y.astype(object), None),
    "D09 -0.0": (np.where(Y, 1.0, -0.0), None),
    "B13 Int64": (pd.array(Y, "Int64"), None),
    "B13 boolean": (pd.array(Y == 1, "boolean"), None),
    "B15 categories": (pd.Categorical(np.where(Y, "g", "i")), "g"),
    "B15 an unused category": (pd.Categorical(Y, categories=[0, 1, 2]), None),
    "B17 a dictionary": (pa.array(np.where(Y, "g", "i").tolist()).dictionary_encode(), "g"),
    "D02 {1, 2}": (Y + 1, 2),
    "D02 {1, 2} turned": (2 - Y, 1),
    "D04 decoded": (np.char.decode(Y.astype("S1"), "ascii"), "1"),
}


def test_labels_that_say_who_is_a_client():
    expected = br.Scores(SCORES[Y == 1], SCORES[Y == 0])
    for name, (labels, client_label) in LABELLED.items():
        with case(name):
            assert br.Scores.from_labels(labels, SCORES, client_label=client_label) == expected
            frame = pd.DataFrame({"score": SCORES, "label": labels})
            if not name.startswith("B17"):
                assert br.Scores.from_frame(frame, client_label=client_label) == expected
                counted = br.summarize(frame, client_label=client_label)
                assert (counted.n_client, counted.n_impostor) == (20, 20)


def test_e07_a_weight_of_three_is_three_copies():
    tripled = br.Scores(np.repeat(X, 3), np.repeat(LOW, 3))
    three = np.full(200, 3)
    weighted = br.Scores(X, LOW, client_weights=three, impostor_weights=three)
    with heard(br.errors.DiscretenessWarning):
        one, other = br.fit(tripled, "beta"), br.fit(weighted, "beta")
    for who in ("client", "impostor"):
        for key, value in getattr(one, who).params.items():
            assert getattr(other, who).params[key] == pytest.approx(value, rel=1e-12)
    curves = [br.epc(s, br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))) for s in (tripled, weighted)]
    assert np.allclose(curves[0].value, curves[1].value, rtol=1e-12)


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


def test_f01_separated_classes_are_not_known_without_error():
    found = br.auc_interval(br.Scores([0.9, 0.91, 0.92], [0.1, 0.2, 0.3, 0.4]))
    assert found.estimate == found.high == 1.0
    assert 0.3 < found.low < 1.0
    assert found.method == "newcombe"


def test_f03_ties_count_half():
    """(0, 0) and (.5, .5) a half each, (.5, 0) and both of 1 whole: 4 of 6."""
    scores = br.Scores([0.0, 0.5, 1.0], [0.0, 0.5])
    assert br.interval(scores, "auc").estimate == pytest.approx(4 / 6, rel=1e-15)


def test_f05_equal_distributions_are_chance():
    model = br.ScoreModel(br.Beta(2.5, 0.7), br.Beta(2.5, 0.7))
    x = np.linspace(0, 1, 101)
    assert np.max(np.abs(model.roc().tpr(x) - x)) <= 1e-12
    assert model.global_shape() == "chance"
    assert model.auc() == 0.5


def test_f06_a_binormal_pair_of_two_widths_crosses_the_diagonal():
    """N(1, 2) and N(0, 1) have equal tails where (t - 1) / 2 = t: at -1."""
    model = br.ScoreModel(br.Normal(1, 2), br.Normal(0, 1))
    assert np.atleast_1d(model.diagonal_crossings().threshold) == pytest.approx([-1.0])
    assert model.global_shape().startswith("hook")


def test_f07_ends_are_0_inf_or_a_constant_and_never_nan():
    """The shapes of both classes at that end decide; equal ones leave a constant."""
    shapes = [0.3, 1.0, 2.5]
    for a_c, a_i in ((one, other) for one in shapes for other in shapes):
        found = br.ScoreModel(br.Beta(a_c, 2), br.Beta(a_i, 2)).semi_derivatives().at_zero
        with case((a_c, a_i)):
            # dF_i/dF_c goes as t^(a_i - a_c).
            assert (found == 0.0, np.isinf(found)) == (a_i > a_c, a_i < a_c)


def test_f09_quantiles_below_the_smallest_double():
    """Beta(5, 1e-3) at p: t^5 / (5 B) = p, as long as t is small."""
    law = br.Beta(5, 1e-3)
    p = np.array([1e-100, 1e-200, 1e-300])
    with mpmath.workdps(30):
        constant = float((5 * mpmath.beta(5, mpmath.mpf("0.001"))) ** mpmath.mpf("0.2"))
    assert law.ppf(p) == pytest.approx(constant * p**0.2, rel=1e-10)
    assert br.Beta(1e-3, 1e5).ppf(1e-300) == 0.0
    assert law.cdf(law.ppf(p)) == pytest.approx(p, rel=1e-10)


def test_f13_few_scores_are_resampled_in_their_classes():
    scores = br.Scores([0.4, 0.5, 0.9], [0.1, 0.45, 0.2])
    found = br.interval(scores, "eer", method="bootstrap", replicates=200, rng=1)
    assert 0.0 <= found.low <= found.estimate <= found.high <= 1.0
    assert found.failed == 0


def test_f15_a_partial_area_has_an_interval_of_its_own():
    scores = br.Scores(X, LOW)
    part = br.interval(scores, "partial-auc", between=(0.0, 0.1), replicates=200, rng=1)
    whole = br.interval(scores, "auc")
    assert part.low < part.estimate < part.high
    pairs = br.ScoreModel(br.Empirical(X), br.Empirical(LOW)).partial_auc(0.0, 0.1)
    # McClish's: 1/2 for chance, which has half of 0.1 squared, and 1 for what is perfect.
    assert part.estimate == pytest.approx((1 + (pairs - 0.005) / 0.095) / 2)
    assert part.estimate < whole.low


def test_i09_i10_no_state_is_read_or_left():
    def work():
        fit = br.fit(br.Scores(X, LOW), "beta")
        band = br.epc(br.Scores(X, LOW), br.Scores(X[1:], LOW)).band(replicates=20, rng=1)
        return (fit.model.auc(), *band.low.tolist(), *br.Beta(2, 3).sample(3, rng=4).tolist())

    expected = work()
    state, kept = np.random.get_state()[1].tobytes(), random.getstate()  # noqa: NPY002
    for change in ("raise", "ignore", "warn"):
        with np.errstate(all=change):
            assert work() == expected
    assert np.random.get_state()[1].tobytes() == state  # noqa: NPY002
    assert random.getstate() == kept


def test_i20_order_swap_and_maps():
    scores = br.Scores(X, LOW)
    shuffled = br.Scores(RNG.permutation(X), RNG.permutation(LOW))
    fits = [br.fit(s, "beta") for s in (scores, shuffled, br.Scores(1 - LOW, 1 - X))]
    for one, other in pairwise((fits[0].client.params, fits[1].client.params)):
        assert [*one.values()] == pytest.approx([*other.values()], rel=1e-12)
    mirrored = fits[2].client.params
    assert mirrored["a"] == pytest.approx(fits[0].impostor.params["b"], rel=1e-9)
    auc = partial(br.interval, stat="auc")
    assert auc(scores) == auc(shuffled)
    assert auc(br.Scores(np.exp(X), np.exp(LOW))).estimate == auc(scores).estimate
    with pytest.warns(br.errors.ReversedScoresWarning):
        swapped = auc(br.Scores(LOW, X)).estimate
    assert swapped == pytest.approx(1 - auc(scores).estimate, rel=1e-14)


def test_a18_no_fit_has_a_free_support():
    for family in ("beta", "logit-normal"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert br.fit_distribution(X, family).distribution.support == (0.0, 1.0)
