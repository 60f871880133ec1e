"""The whole public surface under hard conditions: what was found there, and what must stay."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.special import beta_lower
from betaroc.core.text import format_value
from betaroc.core.thresholds import Thresholds
from betaroc.fits import shape_tests
from helpers.cases import case

RNG = np.random.default_rng(7)
SCORES = br.Scores(RNG.beta(4, 2, 40), RNG.beta(2, 4, 50))
OTHER = br.Scores(SCORES.client[::-1] ** 2, SCORES.impostor[::-1])
THIRD = br.Scores(SCORES.client**3, SCORES.impostor)
MODEL = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
HUGE = 10**400


def summary() -> br.ScoreSummary:
    frame = pd.DataFrame({"score": [0.1, 0.3, 0.4, 0.7], "label": [0, 1, 0, 1]})
    return br.summarize(frame, bins=8, layout=(0.0, 1.0))


#: What once let an error of Python or numpy through, and the argument that is refused now.
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a threshold that no double holds": (lambda: summary().rate_error_at(HUGE), "threshold"),
    "text for a threshold": (lambda: summary().rate_error_at("x"), "threshold"),  # type: ignore[arg-type]
    "a class for a threshold": (lambda: summary().border_below(float), "threshold"),  # type: ignore[arg-type]
    "more scores than exist": (
        lambda: br.epc_forecast(MODEL, n_client=HUGE, n_impostor=1, alpha=0.5), "n_client"
    ),
    "a function for a resolution": (
        lambda: br.fit(SCORES).sensitivity(resolution=abs), "resolution"  # type: ignore[arg-type]
    ),
    "an array of no families": (lambda: br.fit(SCORES, np.array([])), "family"),  # type: ignore[arg-type]
    "an array of no families to analyze": (
        lambda: br.analyze(SCORES, family=np.array([])), "family"  # type: ignore[arg-type]
    ),
    "a design without sequences": (lambda: br.Design(None, ((1,),)), "names"),  # type: ignore[arg-type]
    "a level that is no sequence": (lambda: br.Design(("a",), (3,)), "levels"),  # type: ignore[arg-type]
    "sums that no double holds": (lambda: br.beta_mle([-1.0], [-HUGE]), "mean_log1m"),
    "weights without a sum": (
        lambda: br.fit_distribution([0.2, 0.4], "normal", weights=[1e308, 1e308]), "weights"
    ),
    "NA for a kind of picture": (lambda: br.fit(SCORES).plot(pd.NA), "kind"),  # type: ignore[arg-type]
    "a shape that is no pair": (lambda: br.solve_pair(shapes=np.array("a")), "shapes"),  # type: ignore[arg-type]
    "flags for a flag": (
        lambda: MODEL.partial_auc(0.0, 0.1, np.array([True, False])), "standardized"  # type: ignore[arg-type]
    ),
    "schemes for a scheme": (lambda: MODEL.shape_category(np.array([9, 16])), "scheme"),  # type: ignore[arg-type]
    "methods for a method": (
        lambda: br.fit(SCORES).conf_int(method=np.array(["wald", "wald"])), "method"  # type: ignore[arg-type]
    ),
    "groups for a flag": (
        lambda: br.fit(SCORES).joint_cov(groups=np.array([0, 1])), "groups"  # type: ignore[arg-type]
    ),
    "no flag for a flag": (lambda: br.epc(SCORES, OTHER).area(normalize=pd.NA), "normalize"),
    "True for words": (lambda: br.Scores([0.1], [0.2], words=True), "words"),  # type: ignore[arg-type]
    "True for columns": (lambda: br.read_scores(__file__, columns=True), "columns"),  # type: ignore[arg-type]
    "a text of nested lists": (lambda: br.from_json("[" * 3000), "text_or_path"),
}  # fmt: skip


def test_what_cannot_be_right_is_refused_by_the_name_of_its_argument() -> None:
    for name, (call, argument) in REFUSED.items():
        with case(name), pytest.raises(br.BetarocError) as caught:
            call()
        with case(name):
            assert caught.value.argument == argument
            assert len(str(caught.value)) < 400


def test_arrays_of_one_thing_are_that_thing() -> None:
    names = br.Scores([0.1, 0.2], [0.2], client_groups=[np.array("a"), np.array("b")])
    assert names.client_groups.tolist() == ["a", "b"]  # type: ignore[union-attr]


def test_scores_so_near_that_what_is_drawn_rounds_to_one() -> None:
    with pytest.warns(br.SmallSampleWarning):
        fit = br.fit(br.Scores([1.0, 1.0 + 2.0**-52], [0.1, 0.2, 0.4]), "normal")
    with pytest.raises(br.FitError, match="every simulated score set must have a normal fit"):
        br.check_fit(fit, replicates=19, rng=1)


def test_messages_hold_no_addresses() -> None:
    assert format_value([object()]) == "[<object object>]"
    assert " at 0x" not in format_value(abs) + format_value(lambda x: x) + format_value(summary)
    thing: Any = object()
    tail = br.ParetoTail(0.05, 0.1, 0.5)
    calls: dict[str, Callable[[], Any]] = {
        "measure": lambda: br.plan_sample_size("eer", model=MODEL, measure=thing),
        "width": lambda: br.plan_sample_size("shapes", model=MODEL, width=thing),
        "point": lambda: br.plan_sample_size("shapes", model=MODEL, far=thing),
        "gap": lambda: br.plan_sample_size("epc-gap", model=MODEL, far=thing),
        "curve": lambda: br.interval(br.epc(SCORES, OTHER, alpha=[0.5]), "value", far=thing),
        "bounds": lambda: br.Spliced(MODEL.client, upper=tail, bounds=thing),
        "range": lambda: br.Design.sobol({thing: (1.0,)}, n=2),
    }
    for name, call in calls.items():
        with case(name), pytest.raises(br.BetarocError, match=r"<object object>") as caught:
            call()
        assert " at 0x" not in str(caught.value)


def test_shapes_whose_errors_no_double_holds_are_refused() -> None:
    for a, b in ((1e160, 1e160), (1e-160, 2.0), (1e200, 1e-200), (1e-10, 1e277)):
        model = br.ScoreModel(br.Beta(a, b), br.Beta(1.0, 2.0))
        with case((a, b)), pytest.raises(br.InputError, match="doubles hold the errors of a fit"):
            br.epc_forecast(model, n_client=9, n_impostor=9, alpha=0.5)


def test_shapes_beyond_what_doubles_resolve_have_no_area_by_quadrature() -> None:
    with pytest.raises(br.InputError, match="shapes from 1e-100 to 1e\\+12"):
        br.beta_auc(0.4, 1.2e8, 158.6, 1e-300)


def test_the_lower_tail_of_a_shape_beyond_1e15_is_that_of_its_gamma_limit() -> None:
    """a (1 - S) tends to a gamma variable of shape b."""
    a, b, z = 2.3e19, 2.4e-5, 700.0
    _, log = beta_lower(a, b, Thresholds.from_logit(np.array([math.log(a / z)])))
    expected = mpmath.log(mpmath.gammainc(b, z, regularized=True))
    assert log[0] == pytest.approx(float(expected), abs=0.01)


def test_more_scores_than_can_be_counted_are_inf() -> None:
    found = br.epc_forecast(MODEL, n_client=50, n_impostor=60, alpha=[0.5]).dev_size(5e-324)
    assert np.isinf(found.empirical_client).all()


def test_a_band_of_hardly_any_level_is_that_of_its_middle() -> None:
    curves = [br.epc(SCORES, s, alpha=[0.2, 0.5]) for s in (OTHER, THIRD)]
    found = br.compare(*curves, level=5e-324, replicates=50, rng=1)
    assert np.all(found.low <= found.high)


@pytest.mark.simulation
def test_differences_at_the_threshold_of_log_likelihood_ratios() -> None:
    """DCF there is FAR and FRR at the threshold 0, so that its error is theirs."""
    ratios = [
        br.Scores(stats.norm.ppf(s.client), stats.norm.ppf(s.impostor[:40]))
        for s in (SCORES, OTHER)
    ]
    found = br.difference(*ratios, "actual-dcf")
    rates = [0.5 * (np.mean(s.impostor > 0) + np.mean(s.client <= 0)) for s in ratios]
    assert found.estimate == pytest.approx(rates[0] - rates[1], abs=1e-15)
    assert found.low < found.estimate < found.high
    # An error of either rate moves the cost as much as it moves HTER at that threshold.
    at_zero = br.difference(*ratios, "hter", threshold=0.0)
    assert (found.low, found.high) == pytest.approx((at_zero.low, at_zero.high), rel=1e-12)
    assert br.difference(*ratios, "actual-dcf-normalized").estimate == pytest.approx(
        2.0 * found.estimate
    )


def test_a_log_axis_of_nothing_but_zeros_is_drawn_empty() -> None:
    apart = br.Scores([0.8, 0.9], [0.1, 0.2])
    axes = br.epc(apart, br.Scores([0.7, 0.9], [0.1, 0.3]), alpha=[0.2, 0.5]).plot(scale="log")
    assert axes.get_ylim() == (0.1, 1.0)


@pytest.mark.simulation
def test_one_score_inside_tells_no_exponent() -> None:
    """The other of both is exactly 1, so that Hill's estimate has no distance to average."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        fit = br.fit(br.Scores([0.1, 0.12, 0.2], [1.0, 0.8]), "beta", resolution=0.05)
        found = fit.sensitivity()
    assert all(math.isnan(row.hill) for row in found.tails if row.who == "impostor")


def test_covariances_lost_in_rounding_tell_no_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = br.fit(SCORES, "beta")
    monkeypatch.setattr(shape_tests, "_covariance", lambda f, groups: -np.eye(4))
    with pytest.raises(br.InputError, match="lost in rounding"):
        fit.shape_probabilities()
