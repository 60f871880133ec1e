"""The fast paths of the beta fit: products of scores, many samples at once, rough first steps."""

from __future__ import annotations

import importlib
import json
import math
import tracemalloc

import mpmath as mp
import numpy as np
import pytest

import betaroc as br
from betaroc import InputError, InputTypeError
from betaroc.core import polygamma as _polygamma
from betaroc.estimation import contract as sums
from helpers.places import REFERENCES

newton = importlib.import_module("betaroc.distributions.beta")
TABLE = json.loads((REFERENCES / "polygamma.json").read_text())
DIGITS = 1e-15


def exact_means(distinct, counts):
    """Both mean logarithms of scores that repeat, at 40 digits."""
    with mp.workdps(40):
        total = mp.fsum(int(k) for k in counts)
        pairs = [(int(k), mp.mpf(float(v))) for k, v in zip(counts, distinct, strict=True)]
        log = mp.fsum(k * mp.log(v) for k, v in pairs) / total
        return log, mp.fsum(k * mp.log1p(-v) for k, v in pairs) / total


def distance(found, exact):
    return float(abs((mp.mpf(float(found)) - exact) / exact))


def kinds():
    """Fifty distinct scores of every kind that could lose digits, and single ones."""
    rng = np.random.default_rng(1)
    yield "U", np.clip(rng.beta(0.47, 0.36, 50), 1e-300, 1 - 2.0**-53)
    yield "near 0", np.exp(rng.uniform(-40.0, -3.0, 50))
    yield "tiny", np.exp(rng.uniform(-744.0, -30.0, 50))
    yield "near 1", 1.0 - np.exp(rng.uniform(-36.0, -3.0, 50))
    yield (
        "both ends",
        np.concatenate(
            [np.exp(rng.uniform(-740.0, -30.0, 40)), 1.0 - np.exp(rng.uniform(-36.0, -20.0, 10))]
        ),
    )
    yield "impostors", rng.beta(2.0, 30.0, 50)
    yield "underflow of a few", np.exp(-rng.uniform(1.0, 2.0, 50) * np.array([400] + [1] * 49))
    yield "two decimals", np.arange(1, 100) / 100.0
    # One score, over and over: every rounding repeats. exp(-0.3) is where products begin.
    for one in (0.1, 1 / 3, 0.2591, 0.2592, 0.7407, 0.7409, 0.9, 1e-3, 0.999, 2.0**-53, 5e-324):
        yield repr(one), np.array([one])


@pytest.mark.parametrize(("name", "distinct"), [*kinds()])
def test_fifteen_digits_of_large_samples_whatever_the_scores(name, distinct):
    rng = np.random.default_rng(2)
    drawn = rng.integers(0, distinct.size, 150_001)
    x = distinct[drawn]
    exact = exact_means(distinct, np.bincount(drawn, minlength=distinct.size))
    for found in (sums.Sample.of("", x, None).mean_logs(), br.mean_logs(x)):
        assert distance(found[0], exact[0]) <= DIGITS
        assert distance(found[1], exact[1]) <= DIGITS


def test_a_sample_that_changes_its_kind_keeps_all_digits():
    """Scores of 1/2, of 1e-200 (no two can be multiplied), of 1 - 1e-12 (none need be), of 1/2."""
    parts = [0.5, 1e-200, 1.0 - 1e-12, 0.5]
    block = sums._BLOCK
    x = np.repeat(parts, 5 * block)
    exact = exact_means(parts, [5 * block] * 4)
    for found, true in zip(br.mean_logs(x), exact, strict=True):
        assert distance(found, true) <= DIGITS


def test_rows_are_summed_alone_and_leftover_columns_are_not_lost():
    rng = np.random.default_rng(3)
    for shape in ((3, 1), (40, 63), (7, 1009), (500, 333), (2, 70_001)):
        x = rng.random(shape) * 0.98 + 0.01
        for found, logs in zip(br.mean_logs(x), (np.log(x), np.log1p(-x)), strict=True):
            assert found == pytest.approx([math.fsum(row) / shape[1] for row in logs], rel=1e-15)


def test_any_axis_and_any_layout():
    x = np.random.default_rng(4).random((5, 6, 7)) * 0.98 + 0.01
    for axis in (0, 1, 2, -1, -3):
        for found, logs in zip(br.mean_logs(x, axis), (np.log(x), np.log1p(-x)), strict=True):
            np.testing.assert_allclose(found, logs.mean(axis=axis), rtol=1e-14)
    whole = br.mean_logs(x, axis=None)
    assert whole == pytest.approx((np.log(x).mean(), np.log1p(-x).mean()), rel=1e-14)
    assert tuple(map(type, whole)) == tuple(map(type, br.mean_logs([0.2, 0.3]))) == (float, float)
    same = br.mean_logs(np.asfortranarray(x[:, ::-1]), axis=1)
    np.testing.assert_allclose(same, br.mean_logs(x, axis=1), rtol=1e-14)
    assert br.mean_logs(np.empty((0, 3)))[0].shape == (0,)
    assert br.mean_logs(np.array([0.5, 0.25], dtype=np.float32))[0] == pytest.approx(
        math.log(0.125) / 2, rel=1e-15
    )


def test_less_than_a_megabyte_beside_the_scores():
    x = np.random.default_rng(5).random(3_000_000) * 0.98 + 0.01
    tracemalloc.start()
    br.mean_logs(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize("size", [4, 100_000])
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([0.0], "1 are exactly 0"),
        ([-0.0], "1 are exactly 0"),
        ([1.0], "1 are exactly 1"),
        ([np.nan], "1 are nan"),
        ([-0.5, -0.5], r"2 are outside \[0, 1\]"),
        ([1.5, 1.5], r"2 are outside \[0, 1\]"),
        ([np.inf], r"1 are outside \[0, 1\]"),
        ([-1e-300, 2.0], r"2 are outside \[0, 1\]"),
    ],
)
def test_what_has_no_logarithm_is_counted_and_named(size, bad, words):
    """Negative factors in even number would not show in a product."""
    x = np.full((2, size), 0.5)
    x[1, 1 : 1 + len(bad)] = bad
    with pytest.raises(InputError, match=rf"of {2 * size} scores {words}, first at index \(1, 1\)"):
        br.mean_logs(x)


def test_other_wrong_arguments():
    with pytest.raises(InputTypeError, match="text"):
        br.mean_logs(["a"])
    with pytest.raises(InputTypeError, match="axis must be an int"):
        br.mean_logs([[0.5]], axis=True)
    with pytest.raises(InputTypeError, match="axis must be an int"):
        br.mean_logs([[0.5]], axis=(0, 1))
    with pytest.raises(InputError, match="axis must name one of the 1 axes"):
        br.mean_logs([0.5], axis=1)
    with pytest.raises(InputError, match="axis must name one of the 0 axes"):
        br.mean_logs(0.5)
    with pytest.raises(InputError, match=r"at least one score.*\(3, 0\)"):
        br.mean_logs(np.empty((3, 0)))


# ------------------------------------------------------------------------- the solver


@pytest.mark.simulation
def test_digamma_and_trigamma_on_both_sides_of_the_shift():
    x = np.concatenate([np.logspace(-3, 12, 151), np.linspace(7.9, 8.1, 21)])
    phi, tau = _polygamma.phi_tau(x)
    _, at, shifted, _ = _polygamma.shifted_phi_tau(x)
    with mp.workdps(50):
        for k, value in enumerate(map(mp.mpf, x.tolist())):
            exact = mp.psi(0, value) - mp.log(value), mp.psi(1, value) - 1 / value
            one = _polygamma.phi_tau_of(float(value))
            for found in ((phi[k], tau[k]), one):
                assert distance(found[0], exact[0]) <= 1e-14
                assert distance(found[1], exact[1]) <= 1e-14
            whole = mp.mpf(float(shifted[k])) + mp.log(mp.mpf(float(at[k])))
            assert abs(whole - mp.psi(0, value)) <= 1e-15 * (10 + abs(mp.psi(0, value)))
            rough = newton._rough(float(value), math)
            assert abs(rough[0] - mp.psi(0, value)) <= 2e-7 + 1e-15 * abs(rough[0])
            assert abs(rough[1] / mp.psi(1, value) - 1) <= 1.1e-5


def exact_statistics(a, b):
    """Mean logarithms of Beta(a, b) to double precision, also where digammas nearly cancel."""
    with mp.workdps(40):
        a, b = mp.mpf(float(a)), mp.mpf(float(b))
        whole = mp.psi(0, a + b)
        return float(mp.psi(0, a) - whole), float(mp.psi(0, b) - whole)


@pytest.mark.simulation
def test_at_most_eight_iterations_for_usual_shapes():
    """On a, b in [0.05, 100]: all steps counted, rough ones too."""
    side = np.geomspace(0.05, 100.0, 24)
    for a in side:
        for b in side:
            g1, g2 = exact_statistics(a, b)
            found = newton.solve_one(g1, g2)
            assert found.converged
            assert found.iterations + newton._ROUGH_STEPS <= 8
            assert (found.a, found.b) == pytest.approx((a, b), rel=2e-11)


def test_steps_of_arrays_end_where_the_guarded_ones_of_one_sample_do():
    """The safeguarded method of one sample is the oracle; all shapes that occur."""
    rng = np.random.default_rng(7)
    a, b = np.exp(rng.uniform(math.log(2e-3), math.log(1e5), (2, 400)))
    g = np.array([exact_statistics(*shapes) for shapes in zip(a, b, strict=True)]).T
    found = br.beta_mle(*g)
    assert found[2].all()
    guarded = np.array([newton.solve_one(*pair)[:2] for pair in g.T.tolist()]).T
    amplified = 1.0 + a + b + 1.0 / a + 1.0 / b
    for one, other, true in zip(found[:2], guarded, (a, b), strict=True):
        assert np.all(np.abs(one / true - 1.0) <= 1e-14 * amplified)
        assert np.all(np.abs(other / true - 1.0) <= 1e-14 * amplified)


def test_blocks_do_not_show_and_lost_entries_stay_where_they_are():
    n = 2 * newton._LANES + 77
    rng = np.random.default_rng(8)
    g1, g2 = np.log(rng.uniform(0.05, 0.4, (2, n)))
    lost = rng.random(n) < 0.01
    g1[lost] = rng.choice([np.nan, 0.0, 1.0, -np.inf, -1e-320], lost.sum())
    a, b, converged = br.beta_mle(g1, g2)
    assert np.array_equal(converged, ~lost)
    assert np.isnan(a[lost]).all()
    assert np.isnan(b[lost]).all()
    for k in [*range(0, n, 1009), newton._LANES - 1, newton._LANES, n - 1]:
        if not lost[k]:
            assert br.beta_mle(g1[k], g2[k])[:2] == pytest.approx((a[k], b[k]), rel=1e-12)


def test_polynomials_are_those_of_the_generator():
    assert list(_polygamma._PHI_TERMS) == TABLE["phi"]["terms"]
    assert list(_polygamma._TAU_TERMS) == TABLE["tau"]["terms"]
    assert [newton._R1, newton._R2, newton._R3, newton._R4] == TABLE["rough"]["terms"]
    assert max(TABLE[name]["error"] for name in ("phi", "tau")) <= 5e-17
