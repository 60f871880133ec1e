"""Arguments at the end of their ranges: right by scipy, mpmath or by hand, or refused."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import MPContext
from scipy import stats

import betaroc as br
from helpers.cases import case

MP = MPContext()  # of its own: others count in fewer digits
MP.dps = 40
NORMAL = br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(0.0, 1.0))
BETA = br.ScoreModel(br.Beta(3.0, 1.0), br.Beta(1.0, 2.0))  # F_c = t^3, 1 - F_i = (1 - t)^2
SCORES = br.Scores([0.2, 0.5, 0.7, 0.9], [0.1, 0.3, 0.4, 0.6, 0.8])
GAP = br.Scores([0.8, 0.9], [0.1, 0.2])
LARGE = 1e12
HEAVY = br.Scores(
    SCORES.client, SCORES.impostor, client_weights=[LARGE] * 4, impostor_weights=[LARGE] * 5
)


def clopper(k: int, n: int, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval by scipy's own function."""
    found = stats.binomtest(k, n).proportion_ci(level, "exact")
    return float(found.low), float(found.high)


def ends(interval: br.Interval) -> tuple[float, float]:
    return interval.low, interval.high


def upper_quantile(p: float) -> float:
    """The standard normal deviate exceeded with probability p, by MP."""
    guess = math.sqrt(-2.0 * math.log(p))
    return float(MP.findroot(lambda z: MP.log(MP.erfc(z / MP.sqrt(2)) / 2) - MP.log(p), guess))


RIGHT: dict[str, tuple[Callable[[], Any], Any]] = {
    "FAR beyond all impostors": (lambda: SCORES.confusion(1e308).far, 0.0),
    "FRR beyond all clients": (lambda: SCORES.confusion(math.inf).frr, 1.0),
    "FAR below all": (lambda: SCORES.confusion(-1e308).far, 1.0),
    "FAR of a normal 37 deviations out": (
        lambda: NORMAL.far(37.0),
        float(MP.erfc(37 / MP.sqrt(2)) / 2),
    ),
    "FRR of a normal 30 deviations out": (
        lambda: NORMAL.frr(-29.0),
        float(MP.erfc(30 / MP.sqrt(2)) / 2),
    ),
    "threshold at FAR 1e-300": (lambda: NORMAL.threshold_at_far(1e-300), upper_quantile(1e-300)),
    "threshold at FRR 1e-300": (
        lambda: NORMAL.threshold_at_frr(1e-300),
        1 - upper_quantile(1e-300),
    ),
    "threshold at FAR 0": (lambda: NORMAL.threshold_at_far(0.0), math.inf),
    "threshold at FRR 0": (lambda: NORMAL.threshold_at_frr(0.0), -math.inf),
    "threshold at FRR 1e-300 of t^3": (lambda: BETA.threshold_at_frr(1e-300), 1e-100),
    "FAR 1e-300 of (1 - t)^2": (lambda: BETA.at_far(1e-300).logit_threshold, 150 * math.log(10)),
    "FRR where FAR is 1e-300": (lambda: BETA.at_far(1e-300).frr, 1.0),
    "TPR where FAR is 1e-300": (lambda: BETA.at_far(1e-300).tpr, 3e-150),
    "lower tail at 1e-300": (
        lambda: br.Beta(0.5, 2.0).logcdf(1e-300),
        float(MP.log(MP.betainc(0.5, 2, 0, MP.mpf("1e-300"), regularized=True))),
    ),
    "upper tail below 1": (
        lambda: br.Beta(2.0, 0.5).sf(1 - 2.0**-53),
        float(MP.betainc(2, 0.5, 1 - MP.mpf(2) ** -53, 1, regularized=True)),
    ),
    "quantile of 1e-300": (lambda: br.Beta(2.0, 1.0).ppf(1e-300), 1e-150),
    "quantile of 0 and 1": (lambda: br.Beta(2.0, 1.0).ppf([0.0, 1.0]), [0.0, 1.0]),
    "weights of 1e12 are copies": (lambda: HEAVY.confusion(0.45).far, 2 / 5),
    "a mean of weights of 1e12": (
        lambda: br.fit_distribution([1.0, 3.0], "normal", weights=[LARGE, 3 * LARGE]).params["mu"],
        2.5,
    ),
    "a variance of weights of 1e12": (
        lambda: br.fit_distribution([1.0, 3.0], "normal", weights=[LARGE, LARGE]).params["sigma"],
        1.0,
    ),
    "the area of weights of 1e12": (lambda: br.interval(HEAVY, "auc").estimate, 13 / 20),
    # No error of dev from 0.2 to 0.8: the middle is best whatever the weights are.
    "FRR of test at alpha 0": (lambda: br.epc(GAP, SCORES, alpha=[0.0]).frr[0], 2 / 4),
    "FAR of test at alpha 1": (lambda: br.epc(GAP, SCORES, alpha=[1.0]).far[0], 2 / 5),
    "weighted error at alpha 0 of a normal pair": (lambda: NORMAL.min_weighted_error(0.0).frr, 0.0),
    "weighted error at alpha 1 of a normal pair": (lambda: NORMAL.min_weighted_error(1.0).far, 0.0),
    "no impostor above, level .999999": (
        lambda: br.interval(SCORES, "far", threshold=2.0, level=0.999999).high,
        1.0 - 5e-7 ** (1 / 5),
    ),
    "a rate counted, level .999999": (
        lambda: ends(br.interval(SCORES, "far", threshold=0.45, level=0.999999)),
        clopper(2, 5, 0.999999),
    ),
    "a quantile of Student's t, level .999999": (
        lambda: br.fit_distribution(np.arange(5.0), "normal").conf_int(0.999999)["mu"].high,
        2.0 + stats.t.isf(5e-7, 4) * math.sqrt(2.5 / 5),
    ),
    "the least guarantee": (
        lambda: (
            br.decide(
                br.Scores([7.0], np.arange(1.0, 6.0)),
                far=1 - 1e-9,
                confidence=0.5,
                how="guaranteed",
            ).threshold
        ),
        1.0,
    ),
    "nobody is above an equal score": (lambda: GAP.confusion(0.2).far, 0.0),
    # x^a (1 + a (1 - x)) is the lower tail of b = 2.
    "a lower tail whose shape has no square": (
        lambda: br.Beta(1e200, 2.0).logcdf(0.5),
        1e200 * math.log(0.5),
    ),
    "costs next to none, normalised": (
        lambda: NORMAL.at(0.0).dcf(cost_fa=5e-324, normalized=True),
        math.inf,
    ),
    "partial area of a vanishing range": (lambda: BETA.partial_auc(0.0, 1e-200), 2e-300),
    "F1 of a threshold that accepts nobody": (lambda: NORMAL.at(math.inf).f1, 0.0),
    "prior 0": (
        lambda: br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1), prior=0.0).at(0.5).precision,
        0.0,
    ),
    "a summand of 1e-300 of a mixture": (
        lambda: br.Inflated(br.Beta(1.0, 1.0), at_one=1e-300).sf(1 - 1e-16),
        2.0**-53,
    ),
}
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a guarantee of 1e-300": (lambda: br.decide(SCORES, far=1e-300, how="guaranteed"), "needed"),
    "a decision at a FAR of 0": (lambda: br.decide(SCORES, far=0.0, family="beta"), "far"),
    "level 1": (lambda: br.interval(SCORES, "auc", level=1.0), "level"),
    "a FAR above 1": (lambda: NORMAL.at_far(1 + 2.0**-52), r"\[0, 1\]"),
    "weights of 1e308": (
        lambda: br.Scores([0.1, 0.2], [0.3], client_weights=[1e308, 1e308]),
        "<= 1e\\+100",
    ),
    "a score of 1e309": (lambda: br.Scores([1e309], [0.3]), "finite"),
}


def test_extreme_arguments_give_the_right_number() -> None:
    for name, (call, expected) in RIGHT.items():
        with case(name), warnings.catch_warnings():
            warnings.simplefilter("ignore", br.BetarocWarning)
            np.testing.assert_allclose(call(), expected, rtol=1e-9, atol=0.0)


def test_or_are_refused() -> None:
    for name, (call, words) in REFUSED.items():
        with case(name), pytest.raises(br.InputError, match=words):
            call()


def test_a_number_that_no_score_speaks_for_says_so() -> None:
    fit = br.fit(br.Scores(np.linspace(0.3, 0.9, 40), np.linspace(0.1, 0.7, 40)), "normal")
    with pytest.warns(br.ExtrapolationWarning, match="e.300"):
        point = fit.at_far(1e-300)
    assert point.extrapolated
    client, impostor = point.n_beyond
    assert impostor == pytest.approx(40e-300, rel=1e-9, abs=0.0)
    assert client == pytest.approx(40 * point.tpr, rel=1e-9, abs=0.0)
