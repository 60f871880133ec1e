"""Where a special case has its own formula, and where a series takes over: nothing jumps."""

import math

import numpy as np
import pytest

import betaroc as br
from betaroc.core.polygamma import log1p_excess, phi_tau
from betaroc.core.special import log_beta_ratio, stirling_remainder, stirling_remainders
from betaroc.core.thresholds import Thresholds

JUMP = 1e-12
#: Steps to either side of a joint, relative to it.
STEPS = (4e-16, 1e-15, 1e-14)


def check(of, joint, condition, steps=STEPS):
    """At most `condition` relative steps and a jump of 1e-12 lie between a side and the joint."""
    here = np.asarray(of(joint), dtype=float)
    assert np.all(np.isfinite(here))
    for step in steps:
        for side in (-1.0, 1.0):
            there = np.asarray(of(joint * (1.0 + side * step)), dtype=float)
            bound = (JUMP + condition * step) * np.abs(here)
            assert np.all(np.abs(there - here) <= bound), (step, side, there / here - 1.0)


@pytest.mark.parametrize(("of", "joint"), [
    (lambda x: phi_tau(np.array([x])), 8.0),  # where the asymptotic series begins
    (stirling_remainder, 10.0),  # where its argument is raised
    (stirling_remainder, 12.0),
    (lambda x: stirling_remainders(np.array([x])), 10.0),
    (log1p_excess, 0.1),
    (log1p_excess, -0.1),
])  # fmt: skip
def test_series_and_recursions_meet(of, joint):
    check(of, joint, 3.0)


@pytest.mark.parametrize("side", [-0.2, 0.2])
def test_log_ratio_of_neighbouring_beta_functions(side):
    """Quadrature up to a fifth of a shape, a difference of logarithms from there."""
    other = 3.0 / (1.0 - 0.2) if side < 0.0 else 3.0 * 1.2
    check(lambda a: log_beta_ratio(a, 2.0, 3.0, 2.0), other, 20.0)


@pytest.mark.parametrize("depth", [-270.0, -290.0])
@pytest.mark.parametrize("law", [br.Beta(0.5, 0.5), br.Beta(3.0, 1.0)])
def test_tails_where_logarithms_take_over(law, depth):
    """scipy's ratio down to 1e-270 and scores down to 1e-290, the continued fraction below."""

    def logs(y):
        t = Thresholds.from_logit(np.array([y]))
        return np.array([law._lower(t)[1][0], law._log_density(t)[0]])

    check(logs, depth * math.log(10.0), 2.0)
    check(logs, depth * math.log(10.0) / law.a, 2.0)


@pytest.mark.parametrize("other", [0.03, 700.0])
@pytest.mark.parametrize("x", [1e-200, 0.3, 1.0 - 2.0**-50])
def test_a_shape_of_one_is_the_limit(other, x):
    names = ("pdf", "cdf", "sf")
    condition = 3.0 * (2.0 - math.log(x) - math.log1p(-x)) + 2.0 * other

    def values(a, b):
        law = br.Beta(a, b)
        found = [getattr(law, name)(x) for name in names]
        return [v if v > 1e-290 else 1.0 for v in found]

    check(lambda a: values(a, other), 1.0, condition)
    check(lambda b: values(other, b), 1.0, condition)


@pytest.mark.parametrize("p", [1e-250, 0.2, 0.9])
@pytest.mark.parametrize("other", [0.2, 5.0])
def test_inverses_at_a_shape_of_one(p, other):
    def logits(a, b):
        law, given = br.Beta(a, b), (np.array(p), np.array(math.log(p)))
        return [float(law._lower_quantile(*given).logit), float(law._upper_quantile(*given).logit)]

    check(lambda a: logits(a, other), 1.0, 30.0 - 8.0 * math.log(p))
    check(lambda b: logits(other, b), 1.0, 30.0 - 8.0 * math.log(p))


@pytest.mark.parametrize("shape", [-0.3, 1e-4])
def test_a_tail_where_its_series_ends(shape):
    tail = br.ParetoTail(1.0, shape, 2.0)
    check(lambda x: [tail._log_rate(x), tail._distance(-x)], 2e-5 / abs(shape), 3.0)


def test_a_share_that_vanishes_leaves_the_rest():
    body, other = br.Beta(2.0, 5.0), br.Beta(0.4, 0.7)
    x = np.array([1e-3, 0.1, 0.5, 0.9])
    for tiny in (1e-300, 1e-14):
        laws = (br.BetaMixture((1.0 - tiny, tiny), (body, other)), br.Inflated(body, at_zero=tiny))
        for law in laws:
            for name in ("cdf", "sf", "pdf"):
                # The other one's density and tails are at most a million times the body's here.
                own, limit = (getattr(one, name)(x) for one in (law, body))
                np.testing.assert_allclose(own, limit, rtol=JUMP + 1e6 * tiny)


def test_the_log_of_a_tail_where_the_other_one_takes_over():
    laws = (
        br.BetaMixture((0.75, 0.25), (br.Beta(3.0, 8.0), br.Beta(0.5, 6.0))),
        br.Spliced(br.Beta(3.0, 8.0), upper=br.ParetoTail(0.05, 0.1, 0.4)),
    )
    for law in laws:
        check(law.logcdf, float(law.ppf(0.5)), 10.0)
        check(law.logsf, float(law.ppf(0.5)), 10.0)


def numbers(model):
    """What is continuous in the parameters, also where classes are alike in some way."""
    error = model.min_weighted_error(0.4)
    return [
        model.auc(), model.eer().hter, model.eer().threshold, model.ks(), error.hter,
        error.threshold, model.partial_auc(0.0, 0.1), model.at_far(1e-3).frr, model.roc().tpr(0.3),
    ]  # fmt: skip


@pytest.mark.simulation
@pytest.mark.parametrize("b", [1.0, 6.0])
@pytest.mark.parametrize("tie", [1.0, 3.0])
def test_a_tied_shape_is_the_limit(b, tie):
    """At a tie one end's slope is finite, and optima have a formula of their own."""
    check(lambda a: numbers(br.ScoreModel(br.Beta(a, b), br.Beta(tie, 9.0))), tie, 200.0)
    check(lambda a: numbers(br.ScoreModel(br.Beta(9.0, a), br.Beta(2.0, tie))), tie, 200.0)


def test_equal_variances_and_classes_are_limits():
    """Of unequal ones the other level point runs off to infinity."""
    check(lambda s: numbers(br.ScoreModel(br.Normal(1.5, s), br.Normal(-0.25, 1.25))), 1.25, 200.0)
    for step in (1e-15, 1e-9):
        for side in (-step, step):
            model = br.ScoreModel(br.Beta(3.0 * (1.0 + side), 2.0), br.Beta(3.0, 2.0))
            assert abs(model.auc() - 0.5) <= step + JUMP
            assert abs(model.eer().hter - 0.5) <= step + JUMP
