"""The whole public surface under hard conditions: the right number by scipy, mpmath or by hand,
or a refusal that names the argument."""

import math
import re
import warnings
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.special import beta_lower
from betaroc.core.thresholds import Thresholds
from betaroc.fits import shape_tests
from helpers.cases import case, over
from helpers.extras import needs

RNG = np.random.default_rng(7)
SCORES = br.Scores(RNG.beta(4, 2, 40), RNG.beta(2, 4, 50))
OTHER = br.Scores(SCORES.client[::-1] ** 2, SCORES.impostor[::-1])
THIRD = br.Scores(SCORES.client**3, SCORES.impostor)
MODEL = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
CURVE = br.epc(SCORES, OTHER, alpha=[0.3, 0.5])
FRAME = pd.DataFrame({"score": [0.1, 0.3, 0.4, 0.7], "label": [0, 1, 0, 1]})
SUMMARY = br.summarize(FRAME, bins=8, layout=(0.0, 1.0))
HUGE, LARGE, THING = 10**400, 1e12, object()
OBJECT = "(.*)<object object>"  # without its address
MP = mpmath.MPContext()  # of its own: others count in fewer digits
MP.dps = 40
NORMAL = br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(0.0, 1.0))
BETA = br.ScoreModel(br.Beta(3.0, 1.0), br.Beta(1.0, 2.0))  # F_c = t^3, 1 - F_i = (1 - t)^2
FEW = br.Scores([0.2, 0.5, 0.7, 0.9], [0.1, 0.3, 0.4, 0.6, 0.8])
GAP = br.Scores([0.8, 0.9], [0.1, 0.2])
FIVE = br.Scores([7.0], np.arange(1.0, 6.0))
HEAVY = br.Scores(
    FEW.client, FEW.impostor, client_weights=[LARGE] * 4, impostor_weights=[LARGE] * 5
)

#: What cannot be right, and how its argument and message begin.
REFUSED = {
    "a threshold no double holds": (lambda: SUMMARY.rate_error_at(HUGE), "threshold: "),
    "a class for a threshold": (lambda: SUMMARY.border_below(float), "threshold: "),
    "more scores than exist": (
        lambda: br.epc_forecast(MODEL, n_client=HUGE, n_impostor=1, alpha=0.5), "n_client: "
    ),
    "a function for a number": (lambda: br.fit(SCORES).sensitivity(resolution=abs), "resolution: "),
    "no families": (lambda: br.fit(SCORES, np.array([])), "family: "),
    "sums that no double holds": (lambda: br.beta_mle([-1.0], [-HUGE]), "mean_log1m: "),
    "weights without a sum": (
        lambda: br.fit_distribution([0.2, 0.4], "normal", weights=[1e308, 1e308]), "weights: "
    ),
    "shares without a sum": (
        lambda: br.BetaMixture([1e308] * 2, [br.Beta(1.0, 2.0)] * 2), "weights: weights must add"
    ),
    "a table without rows": (
        lambda: br.inclusion(FRAME[:0].assign(other=[])), ".*at least one value"
    ),
    "NA for a kind of picture": (lambda: br.fit(SCORES).plot(pd.NA), "kind: "),
    "a shape that is no pair": (lambda: br.solve_pair(shapes=np.array("a")), "shapes: "),
    "schemes for a scheme": (lambda: MODEL.shape_category(np.array([9, 16])), "scheme: "),
    "True for words": (lambda: br.Scores([0.1], [0.2], words=True), "words: "),
    "a text of nested lists": (lambda: br.from_json("[" * 3000), "text_or_path: "),
    "level 1": (lambda: br.interval(FEW, "auc", level=1.0), ".*level"),
    "a FAR above 1": (lambda: NORMAL.at_far(1 + 2.0**-52), r".*\[0, 1\]"),
    "weights of 1e308": (
        lambda: br.Scores([0.1, 0.2], [0.3], client_weights=[1e308, 1e308]), r".*<= 1e\+100"
    ),
    "shapes beyond those of quadrature": (
        lambda: br.beta_auc(0.4, 1.2e8, 158.6, 1e-300), r".*shapes from 1e-100 to 1e\+12"
    ),
    **{
        f"a forecast of beta({a}, {b})": (
            lambda a=a, b=b: br.epc_forecast(
                br.ScoreModel(br.Beta(a, b), br.Beta(1.0, 2.0)), n_client=9, n_impostor=9, alpha=0.5
            ),
            ".*doubles hold the errors of a fit",
        )
        for a, b in ((1e160, 1e160), (1e-160, 2.0), (1e200, 1e-200), (1e-10, 1e277))
    },
    "replicates that are half": (lambda: CURVE.band(replicates=2.5), "replicates: .*int.*2.5"),
    "a prior in per cent": (lambda: br.epc(SCORES, OTHER, prior=30), "prior: .*mean 0.3"),
    "an alpha beyond 1": (
        lambda: br.epc(SCORES, OTHER, alpha=[0.1, 1.5]), "alpha: .*1 of 2.*index 1.*1.5"
    ),
    "point": (lambda: br.plan_sample_size("shapes", model=MODEL, far=THING), OBJECT),
    "curve": (
        lambda: br.interval(br.epc(SCORES, OTHER, alpha=[0.5]), "value", far=THING),
        OBJECT,
    ),
    "bounds": (
        lambda: br.Spliced(MODEL.client, upper=br.ParetoTail(0.05, 0.1, 0.5), bounds=THING),
        OBJECT,
    ),
    "range": (lambda: br.Design.sobol({THING: (1.0,)}, n=2), OBJECT),
}  # fmt: skip


@over("row", REFUSED)
def test_what_cannot_be_right_is_refused_by_the_name_of_its_argument(row):
    call, words = row
    with pytest.raises(br.InputError if words.startswith(".*") else br.BetarocError) as caught:
        call()
    text = f"{caught.value.argument}: {caught.value}"
    assert re.match(words, text, re.S), text
    assert len(str(caught.value)) < 400
    assert " at 0x" not in text


def clopper(k, n, level):
    """Clopper and Pearson's interval by scipy's own function."""
    found = stats.binomtest(k, n).proportion_ci(level, "exact")
    return float(found.low), float(found.high)


def ends(interval):
    return interval.low, interval.high


def upper_quantile(p):
    """The standard normal deviate exceeded with probability p, by MP."""
    guess = math.sqrt(-2.0 * math.log(p))
    return float(MP.findroot(lambda z: MP.log(MP.erfc(z / MP.sqrt(2)) / 2) - MP.log(p), guess))


RIGHT = {
    "FAR beyond all impostors": (lambda: FEW.confusion(1e308).far, 0.0),
    "FAR 37 deviations out": (lambda: NORMAL.far(37.0), float(MP.erfc(37 / MP.sqrt(2)) / 2)),
    "threshold at FAR 1e-300": (lambda: NORMAL.threshold_at_far(1e-300), upper_quantile(1e-300)),
    "threshold at FRR e-300": (lambda: NORMAL.threshold_at_frr(1e-300), 1 - upper_quantile(1e-300)),
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
    "weights of 1e12 are copies": (lambda: HEAVY.confusion(0.45).far, 2 / 5),
    "a mean of weights of 1e12": (
        lambda: br.fit_distribution([1.0, 3.0], "normal", weights=[LARGE, 3 * LARGE]).params["mu"],
        2.5,
    ),
    "the area of weights of 1e12": (lambda: br.interval(HEAVY, "auc").estimate, 13 / 20),
    # No error of dev from 0.2 to 0.8: the middle is best whatever the weights are.
    "FRR of test at alpha 0": (lambda: br.epc(GAP, FEW, alpha=[0.0]).frr[0], 2 / 4),
    "FAR of test at alpha 1": (lambda: br.epc(GAP, FEW, alpha=[1.0]).far[0], 2 / 5),
    "no impostor above, level .999999": (
        lambda: br.interval(FEW, "far", threshold=2.0, level=0.999999).high,
        1.0 - 5e-7 ** (1 / 5),
    ),
    "a rate counted, level .999999": (
        lambda: ends(br.interval(FEW, "far", threshold=0.45, level=0.999999)),
        clopper(2, 5, 0.999999),
    ),
    "a quantile of Student's t, level .999999": (
        lambda: br.fit_distribution(np.arange(5.0), "normal").conf_int(0.999999)["mu"].high,
        2.0 + stats.t.isf(5e-7, 4) * math.sqrt(2.5 / 5),
    ),
    "the least guarantee": (
        lambda: br.decide(FIVE, far=1 - 1e-9, confidence=0.5, how="guaranteed").threshold, 1.0
    ),
    # x^a (1 + a (1 - x)) is the lower tail of b = 2.
    "sums that no scores have": (lambda: br.beta_mle(1e308, -1.0)[:2], (math.nan, math.nan)),
    "a shape without a square": (lambda: br.Beta(1e200, 2.0).logcdf(0.5), 1e200 * math.log(0.5)),
    "costs next to none": (lambda: NORMAL.at(0.0).dcf(cost_fa=5e-324, normalized=True), math.inf),
    "partial area of a vanishing range": (lambda: BETA.partial_auc(0.0, 1e-200), 2e-300),
    "a share of 1e-300": (
        lambda: br.Inflated(br.Beta(1.0, 1.0), at_one=1e-300).sf(1 - 1e-16), 2.0**-53
    ),
}  # fmt: skip


@over("row", RIGHT)
def test_extreme_arguments_give_the_right_number(row):
    call, expected = row
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        np.testing.assert_allclose(call(), expected, rtol=1e-9, atol=0.0)


def test_a_number_that_no_score_speaks_for_says_so():
    fit = br.fit(br.Scores(np.linspace(0.3, 0.9, 40), np.linspace(0.1, 0.7, 40)), "normal")
    with pytest.warns(br.ExtrapolationWarning, match="e.300"):
        point = fit.at_far(1e-300)
    assert point.extrapolated
    client, impostor = point.n_beyond
    assert impostor == pytest.approx(40e-300, rel=1e-9, abs=0.0)
    assert client == pytest.approx(40 * point.tpr, rel=1e-9, abs=0.0)


def test_the_lower_tail_of_a_shape_beyond_1e15_is_that_of_its_gamma_limit():
    """a (1 - S) tends to a gamma variable of shape b."""
    a, b, z = 2.3e19, 2.4e-5, 700.0
    _, log = beta_lower(a, b, Thresholds.from_logit(np.array([math.log(a / z)])))
    expected = mpmath.log(mpmath.gammainc(b, z, regularized=True))
    assert log[0] == pytest.approx(float(expected), abs=0.01)


def test_extremes_of_other_results():
    found = br.epc_forecast(MODEL, n_client=50, n_impostor=60, alpha=[0.5]).dev_size(5e-324)
    assert np.isinf(found.empirical_client).all()
    curves = [br.epc(SCORES, s, alpha=[0.2, 0.5]) for s in (OTHER, THIRD)]
    found = br.compare(*curves, level=5e-324, replicates=50, rng=1)
    assert np.all(found.low <= found.high)
    axes = br.epc(GAP, br.Scores([0.7, 0.9], [0.1, 0.3]), alpha=[0.2, 0.5]).plot(scale="log")
    assert axes.get_ylim() == (0.1, 1.0)
    names = br.Scores([0.1, 0.2], [0.2], client_groups=[np.array("a"), np.array("b")])
    assert names.client_groups.tolist() == ["a", "b"]
    with pytest.warns(br.SmallSampleWarning):
        fit = br.fit(br.Scores([1.0, 1.0 + 2.0**-52], [0.1, 0.2, 0.4]), "normal")
    with pytest.raises(br.FitError, match="every simulated score set must have a normal fit"):
        br.check_fit(fit, replicates=19, rng=1)


@pytest.mark.simulation
def test_one_score_inside_tells_no_exponent():
    """The other of both is exactly 1, so that Hill's estimate has no distance to average."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        fit = br.fit(br.Scores([0.1, 0.12, 0.2], [1.0, 0.8]), "beta", resolution=0.05)
        found = fit.sensitivity()
    assert all(math.isnan(row.hill) for row in found.tails if row.who == "impostor")


def test_covariances_lost_in_rounding_tell_no_shapes(monkeypatch):
    fit = br.fit(SCORES, "beta")
    monkeypatch.setattr(shape_tests, "_covariance", lambda f, groups: -np.eye(4))
    with pytest.raises(br.InputError, match="lost in rounding"):
        fit.shape_probabilities()


pl = needs("polars", "polars")
pa = needs("pyarrow", "parquet")

#: Numbers that every dtype holds, and those that every dtype of floats does.
WHOLE, BROKEN = [0, 1, 1, 0, 1, 1], [0.125, 0.25, 0.75, 0.375, 0.5, 0.625]
DTYPES = [">f4", ">f8", ">i8", "g", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8))]
DTYPES += ["f2", "f4", "f8"]


def spaced(values):
    """As every second item of an array."""
    held = np.zeros(2 * len(values))
    held[::2] = values
    return held[::2]


def locked(values):
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


#: Containers of the same numbers.
HELD = {
    **{t: lambda v, t=t: np.array(v).astype(t) for t in DTYPES if t.strip("<>")[0] in "fg"},
    "list": list, "tuple": tuple, "spaced": spaced, "read-only": locked,
    "reversed": lambda v: np.array(v[::-1])[::-1],
    "decimals": lambda v: [Decimal(repr(x)) for x in v],
    "fractions": lambda v: [Fraction(x) for x in v],
    "objects": lambda v: np.array(v, dtype=object),
    "pandas, odd index": lambda v: pd.Series(v, index=[9, 9, 1, -1, 0, 5][: len(v)]),
    "pandas, nullable": lambda v: pd.Series(v, dtype="Float64"),
    "pandas, of pyarrow": lambda v: pd.Series(v, dtype="double[pyarrow]"),
    "pandas index": pd.Index, "polars": lambda v: pl.Series(v), "pyarrow": lambda v: pa.array(v),
    "pyarrow, chunked": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "pandas, categories": pd.Categorical,
    "mixed": lambda v: [np.float32(v[0]), Fraction(v[1]), *v[2:]],
}  # fmt: skip
#: What takes scores of a class.
OF_SCORES = {
    "Scores": lambda x: br.Scores(x, [0.25, 0.5]).client.tobytes(),
    "Empirical": lambda x: br.Empirical(x),
    "fit_distribution": lambda x: br.fit_distribution(x, "normal").distribution,
    "from_labels": lambda x: br.Scores.from_labels([1, 0, 1, 0, 1, 1], x).impostor.tobytes(),
}
LAW = br.Beta(2.0, 3.0)
PAIR = br.ScoreModel(br.Beta(3.0, 2.0), LAW)
#: What takes thresholds or rates of any shape.
OF_PLACES = {
    "cdf": lambda x: LAW.cdf(x), "logsf": lambda x: LAW.logsf(x), "ppf": lambda x: LAW.ppf(x),
    "far": lambda x: PAIR.far(x), "at_far": lambda x: PAIR.at_far(x).threshold,
    "threshold_at_frr": lambda x: PAIR.threshold_at_frr(x), "tpr": lambda x: PAIR.roc().tpr(x),
    "posterior": lambda x: PAIR.posterior(x),
    "confusion": lambda x: br.Scores([0.5, 0.75], [0.25]).confusion(x).far,
    "epc": lambda x: br.epc(PAIR, PAIR, alpha=x).value,
    "beta_auc": lambda x: br.beta_auc(x, 2.0, 1.0, 2.0),
}  # fmt: skip


def quiet(call, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        return call(x)


@pytest.mark.simulation
@pytest.mark.parametrize("calls", [OF_SCORES, OF_PLACES], ids=["scores", "places"])
def test_the_bits_of_the_doubles(calls, tmp_path):
    np.array(BROKEN).tofile(tmp_path / "x")
    mapped = np.memmap(tmp_path / "x", dtype=float, mode="r")
    for name, call in calls.items():
        expected = quiet(call, np.array(BROKEN))
        for kind, held in {**HELD, "memory map": lambda _: mapped}.items():
            with case((name, kind)):
                np.testing.assert_array_equal(quiet(call, held(BROKEN)), expected)


def test_the_bits_of_whole_numbers():
    for name, call in OF_SCORES.items():
        expected = quiet(call, np.array(WHOLE, dtype=float))
        for dtype in DTYPES:
            with case((name, dtype)):
                assert quiet(call, np.array(WHOLE).astype(dtype)) == expected
    assert br.Scores(range(2, 5), [0.5]).client.tolist() == [2.0, 3.0, 4.0]
