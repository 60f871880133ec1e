"""What cannot be fitted is refused in words that say what to do: a row each."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betaroc as br
from betaroc.distributions.beta import ClassSums, tied_mle

INPUT, TYPE, DEGENERATE, FIT = br.InputError, br.InputTypeError, br.DegenerateDataError, br.FitError
SPREAD = np.linspace(0.1, 0.9, 50)
ENDS = [0.0, 1.0, 1.0, 1.0] * 5
#: 13 scores: two of exactly 0, one of exactly 1.
X = np.array([0.0, 0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
#: With so large an a and so small a b doubles round to exactly 1.
ROUNDED = 1.0 - np.exp(-np.random.default_rng(0).exponential(1e3, 50) - 40.0)
REAL = np.random.default_rng(0).normal(5, 2, 100)
RNG = np.random.default_rng(18)
SCORES = br.Scores(RNG.beta(4, 2, 50), RNG.beta(2, 4, 50))
SUMMARY = br.summarize(pd.DataFrame({"score": REAL, "label": [0] * 50 + [1] * 50}))
ROUGH = "no likelihood of rounded"
CENSOR = {"boundary": "censor", "resolution": 0.01}
EVERY = "must have every score; got a summary"


@pytest.mark.parametrize(("x", "family", "options", "error", "words"), [
    ([0.1, 0.2, 0.3, 0.7, 0.8], "beta-mixture", {}, DEGENERATE, "at least 10 scores inside"),
    ([0.4] * 30, "beta-mixture", {}, DEGENERATE, "all equal to 0.4"),
    (SPREAD, "beta-mixture", {"resolution": 0.1}, INPUT, ROUGH),
    (SPREAD, "beta-mixture", {"components": 1}, INPUT, "components must be"),
    (SPREAD, "beta", {"components": 2}, INPUT, 'components must be left out for family="beta"'),
    ([1.0] * 20, "normal-mixture", {}, DEGENERATE, "2 distinct scores"),
    ([1.0, 2.0, 4.0], "normal-mixture",
        {}, DEGENERATE, "2 normal distributions needs at least 10"),
    ([0.2, 0.4, 0.9], "proper-beta", {}, INPUT, "must be of one class alone"),
    ([1.0, 0.0, 2.0, -3.0], "gamma", {}, INPUT, r"2 of 4 that are not, first at index 1: 0\.0"),
    # No maximum.
    ([0.4], "beta", {}, DEGENERATE, "sample: .*empirical"),
    ([0.5, 0.5, 0.5000001], "beta", {}, DEGENERATE, "sample: .*empirical"),
    ([1.0 - 2.0**-53, 1.0 - 2.0**-52], "beta", {}, DEGENERATE, "sample: .*empirical"),
    # Scores of exactly 0 and 1.
    (X[::-1], "beta", {"boundary": "error"}, INPUT,
        "2 scores of exactly 0 and 1 of exactly 1 among 13, first at index 0"),
    ([0.1, 0.9], "beta", {"weights": [0.3, 0.4], "boundary": "squeeze"}, INPUT, "weight above 1"),
    (ENDS, "beta", {}, DEGENERATE, "5 of 20 are exactly 0, 15 of 20 exactly 1"),
    (ENDS, "beta", {"boundary": "matlab"}, DEGENERATE, "5 of 20 scores are censored"),
    ([*ENDS, 0.5], "beta", {}, DEGENERATE, "1 of one value"),
    (ROUNDED, "beta", {}, DEGENERATE, r"50 of 50 exactly 1, .*1 - score"),
    ([0.0, 0.4, 0.4], "beta", CENSOR, DEGENERATE, "too little is left to fit"),
    (X, "normal", {"boundary": "drop"}, INPUT, 'boundary must be left out for family="normal"'),
    (X, "empirical", {"resolution": 0.1}, INPUT, "resolution must be left out"),
    (X, "beta", {"boundary": "censor"}, INPUT, "must come with resolution=eps"),
    (X, "beta", {"boundary": "drop", "resolution": 0.1}, INPUT, "alone or with"),
    (X, "beta", {"resolution": 0.0}, INPUT, "strictly between 0 and 0.5"),
    # Cells.
    ([0.41, 0.44, 0.46, 0.45] * 5, "beta",
        {"resolution": 0.1}, DEGENERATE, r"finer than the spread.*resolution=0"),
    (1e6 * REAL, "normal", {"resolution": 1e-12}, INPUT, "resolution must be at least"),
    (np.repeat([3.0, 4.0], 25), "normal", {"resolution": 1.0}, DEGENERATE, "fill 2 cell"),
    ([-1.0, 2.0, 3.0, 4.0], "log-normal", {"resolution": 1.0}, INPUT, "must be above 0"),
])  # fmt: skip
def test_what_is_no_sample_of_a_family(x, family, options, error, words):
    with pytest.raises(error, match=words) as caught:
        br.fit_distribution(x, family, **options)
    assert len(str(caught.value)) <= 400
    assert isinstance(br.fit_distribution(np.repeat(x, 10), "empirical").boundary, type(None))


GOOD = ClassSums(10, -1.0, -1.0)
BEYOND = br.Scores([0.5, 2.5, 0.7], [0.1, 0.2, 3.0, 0.4])
OUTSIDE = r"client scores must lie in the bounds \(0, 2\); got 1 outside, first index 1, value 2.5"
BETA, COUNTS = br.fit(SCORES), br.fit(SCORES, "empirical")
PER_CENT = br.Scores(100.0 * SCORES.client, SCORES.impostor)
DUAL = br.fit(br.Scores(SCORES.client[:40], SCORES.impostor), "dual-beta")


@pytest.mark.parametrize(("call", "args", "options", "error", "words"), [
    (br.fit, (SUMMARY, "normal-mixture"), {}, INPUT, EVERY),
    (br.fit, (BEYOND,), {"bounds": (0, 2)}, INPUT, OUTSIDE),
    (br.fit, (SCORES, ("equal-variance-normal", "normal")),
        {}, INPUT, "is a family of both classes and must stand alone"),
    (br.fit(SCORES, "equal-variance-normal").conf_int, (),
        {}, INPUT, r"share sigma\. Take method"),
    (br.likelihood_ratio_test, (BETA, br.fit(SCORES, "logit-normal")),
        {}, INPUT, r"not nested: use br\.compare_families"),
    (br.likelihood_ratio_test, (DUAL, BETA), {}, INPUT, "same scores"),
    (br.check_fit, (BETA.model,), {}, TYPE, "must be a Fit; got ScoreModel"),
    (br.check_fit, (BETA,), {"replicates": 5}, INPUT, "int >= 19"),
    (br.check_fit, (BETA,), {"frr": [0.1, 1.0]}, INPUT, r"first at index 1: 1\.0. Give a rate"),
    (br.check_fit, (BETA,), {"frr": []}, INPUT, "must be one fraction or a list"),
    (br.check_fit, (COUNTS,), {}, TYPE, "a parametric family; got clients of 'empirical'"),
    (br.compare_families, (SCORES, ["weib"]), {}, INPUT, "families must be one of"),
    (br.compare_families, (br.Scores([1, 2, 4], [0, 1, 2]), ["beta"]), {}, INPUT, "Leave it out"),
    (br.compare_families, (br.Scores([0.6, 0.7, 0.8], [0.1, 0.2, 0.3]),),
        {}, INPUT, "at least 10 distinct client scores for its 5 folds"),
    (br.compare_families, (SCORES, 3), {}, TYPE, "list of names"),
    (br.fit_distribution, (SPREAD, "best"), {}, INPUT, "family must be one of"),
    (br.fit, (PER_CENT, "beta"), {}, INPUT, "look like percentages: divide by 100"),
    (tied_mle, (GOOD, ClassSums(0, -1, -1)),
        {}, INPUT, "both classes must have a positive weight"),
    (tied_mle, (ClassSums(3, math.log(0.4), math.log(0.6)), GOOD),
        {}, INPUT, "mean logarithms of a beta distribution"),
    (tied_mle, (GOOD, GOOD, "mu"), {}, INPUT, "shared must be"),
    (br.beta_mle, ([-1.0, -1.0], [-1.0, -1.0, -1.0]), {}, INPUT, r"one shape.*\(2,\).*\(3,\)"),
    (br.beta_auc, ([1.0, 2.0], [1.0, 2.0, 3.0], 1.0, 1.0), {}, INPUT, "must broadcast"),
    (br.mean_logs, ([[0.5]],), {"axis": (0, 1)}, TYPE, "axis must be an int"),
    (br.mean_logs, ([0.5],), {"axis": 1}, INPUT, "axis must be an int >= -1 and <= 0"),
    (br.mean_logs, (np.empty((3, 0)),), {}, INPUT, r"at least one score.*\(3, 0\)"),
])  # fmt: skip
def test_what_is_refused(call, args, options, error, words):
    with pytest.raises(error, match=words) as caught:
        call(*args, **options)
    assert len(str(caught.value)) <= 400


@pytest.mark.parametrize("size", [4, 100_000])
@pytest.mark.parametrize("bad", [[0.0], [1.0], [np.nan], [-0.5, -0.5], [-1e-300, 2.0]])
def test_what_has_no_logarithm_is_counted_and_named(size, bad):
    """Negative factors in even number would not show in a product."""
    x = np.full((2, size), 0.5)
    x[1, 1 : 1 + len(bad)] = bad
    words = f"got {len(bad)} of {2 * size} that are not, first at index {size + 1}: {bad[0]}"
    with pytest.raises(INPUT, match=words):
        br.mean_logs(x)


@pytest.mark.simulation
def test_two_values_are_no_mixture():
    """Both components would shrink to a point each: the likelihood has no maximum."""
    values = [0.2] * 20 + [0.7] * 20
    with pytest.raises(FIT, match="no mixture of 2 beta distributions was found") as caught:
        br.fit_distribution(values, "beta-mixture")
    assert caught.value.result.distribution == br.fit_distribution(values).distribution
    scores = br.Scores([*RNG.beta(2, 2, 30), 0.0, 1.0], RNG.beta(2, 3, 30))
    dropped = br.fit(scores, "proper-beta", boundary="drop")
    inflated = br.fit(scores, boundary="inflate")
    with pytest.raises(INPUT, match="client scores of 0 and 1 alike"):
        br.likelihood_ratio_test(dropped, inflated)
    alike = br.fit(scores, boundary="drop")
    assert br.likelihood_ratio_test(dropped, alike, replicates=19, rng=1).statistic >= 0.0


def test_a_solver_that_stops_early_raises_with_the_partial_result(monkeypatch):
    monkeypatch.setattr("betaroc.distributions.beta.MAX_ITERATIONS", 1)
    x = np.random.default_rng(0).beta(2.0, 5.0, 100)
    with pytest.raises(FIT, match=r"did not converge.*gradient") as caught:
        br.fit_distribution(x)
    partial = caught.value.result
    assert (type(caught.value), type(partial)) == (FIT, br.DistributionFit)
    assert (partial.converged, partial.gradient_norm > 1e-6) == (False, True)
    assert math.isnan(partial.std_errors["a"])
    with pytest.raises(FIT, match=r"^client") as caught:
        br.fit(br.Scores(x, 0.5 * x))
    assert isinstance(caught.value.result, br.DistributionFit)
    assert br.beta_mle(math.log(0.3), math.log(0.6))[2] is False
    assert not br.beta_mle([math.log(0.3)], [math.log(0.6)])[2].any()


@pytest.mark.simulation
def test_a_maximum_that_is_not_reached_to_the_last_digits_names_another_way(monkeypatch):
    monkeypatch.setattr("betaroc.estimation.contract._TINY_GRADIENT", -1.0)
    x = np.round(stats.beta(2, 3).ppf((np.arange(60) + 0.5) / 60), 1)
    with pytest.raises(FIT, match='Try boundary="inflate"') as caught:
        br.fit_distribution(x, "beta", resolution=0.1)
    assert not caught.value.result.converged
