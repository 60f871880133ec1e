"""Verdicts of ensembles: the rule, its evidence, crossings, hull, and what is refused."""

import copy
import itertools
import math
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import integrate, spatial, special, stats

import betaroc as br
from betaroc import Beta, Inflated, Normal, ScoreModel
from betaroc.ensemble.rule import _above, _peaks
from betaroc.ensemble.set_hull import hull_of
from betaroc.ensemble.trials import systems_of

#: Pairs by theorem 3.3 of two beta laws (client, impostor) and what becomes of them.
PAIRS = {
    "include": (Beta(4, 2), Beta(2, 4)),
    "exclude": (Beta(2, 4), Beta(4, 2)),
    "only at strict thresholds": (Beta(0.47, 0.36), Beta(0.77, 1.91)),
    "only at lax thresholds": (Beta(5, 3), Beta(1, 1.2)),
}


def quantiles(law, n=300):
    """A sample without chance: n evenly spread quantiles."""
    return np.asarray(law.ppf((np.arange(n) + 0.5) / n))


def scores_of(pair, n=300):
    return br.Scores(*(quantiles(law, n) for law in pair))


def judged(given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.ReversedScoresWarning)
        return br.inclusion(given, **options)


@pytest.fixture(scope="module")
def all_kinds():
    return judged({word: scores_of(pair) for word, pair in PAIRS.items()})


@pytest.mark.simulation
@pytest.mark.parametrize("word", PAIRS)
def test_the_ends_decide_the_verdict(all_kinds, word):
    verdict = all_kinds.verdict[word]
    assert verdict.marginal == word
    tests = all_kinds.fits[word].end_tests()
    assert verdict.confidence.strict == tests.at_one.p_value
    assert verdict.confidence.lax == tests.at_zero.p_value
    assert verdict.confidence.p_value == max(tests.at_one.p_value, tests.at_zero.p_value)


@pytest.mark.simulation
def test_the_p_value_at_a_border_is_that_of_the_interval_that_ends_on_the_diagonal():
    """Inversion: the interval of TPR at level 1 - p has FAR as one end."""
    rng = np.random.default_rng(5)
    fair = br.Scores(rng.beta(2.6, 2, 80), rng.beta(2, 2.2, 80))
    result = judged({"a": fair, "b": scores_of(PAIRS["include"], 80)}, region=(0.02, 0.6))
    for side, far in ((result.evidence["a"].strict, 0.02), (result.evidence["a"].lax, 0.6)):
        assert side.by == "border"
        assert side.far == pytest.approx(far, rel=1e-12)
        interval = result.fits["a"].interval(
            "tpr", far=far, level=1.0 - side.p_value, method="family"
        )
        nearest = interval.low if side.excess > 0.0 else interval.high
        assert nearest == pytest.approx(far, rel=1e-6)
        assert side.excess == pytest.approx(interval.estimate - far, rel=1e-9)


@pytest.mark.simulation
def test_a_hook_without_scores_is_no_finding():
    """Any two normal laws of different sigma cross: here at FAR 1e-9, z = A/(1 - b) = -6.3."""
    pair = (Normal(4, 1), Normal(0, 1.75))  # b = 1.75: below near FAR 0
    given = {"a": scores_of(pair, 400), "b": scores_of((Normal(1, 1), Normal(0, 1)), 400)}
    result = judged(given)
    verdict, evidence = result.verdict["a"], result.evidence["a"]
    assert result.fits["a"].family == "normal"
    assert result.fits["a"].end_tests().at_one.side == "below"  # the end itself is
    assert verdict.marginal == "include"
    assert evidence.strict.by == "first score"
    assert evidence.strict.far == pytest.approx(1.0 / 800.0)
    assert 0.0 < verdict.size.depth < 1e-6
    assert 0.0 < verdict.size.hook_scores < 1.0
    assert verdict.reason.endswith("; below the diagonal for less than one score: no finding.")
    turned = {k: br.Scores(-s.client, -s.impostor) for k, s in given.items()}
    reason = judged(turned).verdict["a"].reason
    assert "; above the diagonal for less than one score, and below the diagonal by " in reason


@pytest.mark.simulation
def test_laws_whose_ends_do_not_decide_the_curve_are_judged_between():
    """Mixtures: above near both borders, below between, of FAR 0.5 to 0.7."""
    client = br.BetaMixture([0.5, 0.5], [Beta(6, 20), Beta(40, 3)])
    impostor = br.BetaMixture([0.3, 0.7], [Beta(2, 40), Beta(24, 14)])
    far = np.linspace(0.51, 0.69, 7)
    assert np.all(np.asarray(ScoreModel(client, impostor).roc().tpr(far)) < far)
    given = {"m": scores_of((client, impostor), 200), "b": scores_of(PAIRS["include"], 200)}
    result = judged(given, family={"m": "beta-mixture"})
    evidence = result.evidence["m"]
    assert result.fits["b"].family == "beta"
    assert result.evidence["b"].inner is None
    assert (evidence.strict.side, evidence.lax.side) == ("above", "above")
    low, high, p_low, p_high = evidence.inner
    assert low < 0.0 < high
    assert max(p_low, p_high) <= 0.05
    assert len(evidence.crossings) == 2
    assert result.verdict["m"].marginal == "cannot tell"
    assert result.verdict["m"].confidence.p_value >= max(p_low, evidence.strict.p_value)
    assert "not on one side" in result.verdict["m"].reason


@pytest.mark.simulation
def test_a_fit_without_errors_says_that_it_cannot_tell():
    pairs = {"a": PAIRS["include"], "b": (Beta(3, 2), Beta(2, 3))}
    result = judged({k: scores_of(pair, 60) for k, pair in pairs.items()}, family="empirical")
    assert {verdict.marginal for verdict in result.verdict.values()} == {"cannot tell"}
    assert "an empirical pair has no parameters" in result.verdict["a"].reason
    assert set(result.table["roc_distance"]) == {0.0}
    assert math.isnan(result.verdict["a"].confidence.p_value)


def test_ranges_and_peaks_by_hand():
    """TPR - FAR = 3 x^2 - 2 x^3 - x: zero at 1/2, extremes -+ sqrt(3)/18 at 1/2 -+ sqrt(3)/6."""
    model = ScoreModel(Beta(2, 2), Beta(1, 1))
    crossings, above = _above(model, (0.0, 1.0))
    assert crossings == pytest.approx((0.5,), abs=1e-12)
    assert above == (pytest.approx((0.5, 1.0), abs=1e-12),)
    gap, reach = math.sqrt(3) / 18, math.sqrt(3) / 6
    expected = gap, 0.5 + reach, gap, 0.5 - reach
    assert _peaks(model, (0.0, 1.0)) == pytest.approx(expected, rel=1e-12)
    # Within (0, 0.1) the deepest is at the border: 0.1 - 0.03 + 0.002.
    best, _, *worst = _peaks(model, (0.0, 0.1))
    assert best == 0.0
    assert worst == pytest.approx([0.072, 0.1], rel=1e-12)
    assert _above(model, (0.2, 0.9))[1] == (pytest.approx((0.5, 0.9), abs=1e-12),)
    assert _above(model, (0.0, 0.4)) == ((), ())


@pytest.mark.simulation
@pytest.mark.parametrize(("region", "word"), [
    ((0.0, 0.1), "exclude"), pytest.param((0.45, 0.8), "cannot tell", marks=pytest.mark.nightly),
    pytest.param((0.7, 1.0), "include", marks=pytest.mark.nightly),
    pytest.param((0.2, 0.8), "only at lax thresholds", marks=pytest.mark.nightly),
])  # fmt: skip
def test_a_region_is_judged_at_its_borders_and_measured_within(region, word):
    """TPR = 3 x^2 - 2 x^3 of Beta(2, 2) v Beta(1, 1): below x up to 1/2, above from there. Uniform
    impostors: FAR is the share of them; below are n_i x + n_c TPR(x) up to x."""
    pairs = {"s": (Beta(2, 2), Beta(1, 1)), "t": (Normal(1, 1), Normal(0, 1))}
    given = {name: scores_of(pair, 500) for name, pair in pairs.items()}
    result, (low, high) = judged(given, region=region, alpha=[0.5]), region
    assert result.verdict["s"].marginal == word
    for name, fit in result.fits.items():
        roc, size = fit.model.roc(), result.verdict[name].size
        brute, _ = integrate.quad(lambda x, r=roc: r.tpr(x) - x, low, high, limit=200)
        assert size.mean_excess == pytest.approx(brute / (high - low), rel=1e-6)
        assert size.low < size.mean_excess < size.high
    if region == (0.0, 0.1):
        tpr = result.fits["s"].model.roc().tpr(0.1)
        hook = result.verdict["s"].size.hook_scores
        assert hook == pytest.approx(500 * (0.1 + tpr), rel=1e-12)


@pytest.mark.simulation
def test_a_verdict_is_its_word(all_kinds):
    verdict = all_kinds.verdict["exclude"]
    assert verdict == "exclude"
    assert verdict != all_kinds.verdict["include"]  # these quantiles part the classes without it
    assert f"{verdict}" == verdict.word == "exclude"
    assert {verdict: 1}["exclude"] == 1
    for again in (pickle.loads(pickle.dumps(verdict)), copy.deepcopy(verdict)):
        assert (again.gain, again.size, repr(again)) == (verdict.gain, verdict.size, repr(verdict))
    with pytest.raises(AttributeError, match="frozen"):
        verdict.reason = "another"


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.MisfitWarning")
def test_a_law_that_does_not_fit_is_said():
    """Two bumps are no beta law; the AUC of scores is Mann and Whitney's share."""
    rng = np.random.default_rng(3)
    bumps = np.concatenate([rng.beta(2, 40, 500), rng.beta(40, 2, 500)])
    given = {
        "bumps": br.Scores(bumps, rng.beta(3, 4, 1000)),
        "beta": br.Scores(rng.beta(4, 2, 1000), rng.beta(2, 4, 1000)),
    }
    result = judged(given, alpha=[0.5])
    for name, scores in given.items():
        u, misfit = stats.mannwhitneyu(scores.client, scores.impostor), result.misfit[name]
        assert misfit.auc_scores == pytest.approx(u.statistic / 1000**2, rel=1e-12)
        # 2 exp(-2 n e^2) = 1 - sqrt(0.95)
        assert 2 * math.exp(-2000 * misfit.noise**2) == pytest.approx(1 - math.sqrt(0.95))
    assert (result.misfit["bumps"].word, result.misfit["beta"].word) == ("far", "close")
    # Along a grid, of the interpolated counts at chosen thresholds.
    sup = br.check_fit(result.fits["bumps"], replicates=19, rng=1).roc_distance.sup
    assert result.misfit["bumps"].distance == pytest.approx(sup, abs=0.005)
    assert "bumps: the fitted ROC is " in str(result)
    assert "beta: the fitted ROC" not in str(result)


@pytest.fixture
def frame():
    rng = np.random.default_rng(7)
    n = 40
    columns = {
        name: np.concatenate([rng.beta(*c, n), rng.beta(*i, n)])
        for name, c, i in (("a", (4, 2), (2, 4)), ("b", (3, 2), (2, 3)), ("c", (4, 3), (2, 3)))
    }
    return pd.DataFrame(columns | {"label": [1] * n + [0] * n, "who": ["x"] * (2 * n)})


@pytest.mark.simulation
def test_frames_mappings_and_lists_give_one_result(frame):
    named = [replace(br.Scores.from_frame(frame, score=k), name=k) for k in "ca"]
    options = {"family": "normal", "alpha": [0.5]}
    one = br.inclusion(frame, systems=["c", "a"], **options)
    assert one.names == ("c", "a")
    for other in (named, pl.from_pandas(frame[["c", "a", "label"]]).lazy()):
        assert br.inclusion(other, **options) == one


TRIALS = scores_of(PAIRS["include"], 30)


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda f: f, {"systems": ["a"]}, "two classifiers"),
        (lambda f: f, {"systems": ["a", "bb"]}, "Did you mean 'b'"),
        (lambda f: f[f.label == 1], {}, "no impostor scores"),
        (lambda f: f, {"region": (0.5, 0.5)}, "low < high"),
        (lambda f: f, {"family": {"z": "beta"}}, "got 'z'"),
        (lambda f: f, {"ends": 0.7}, "ends must be"),
        (lambda f: f.assign(a=8 * f.a, b=8 * f.b, c=8 * f.c), {"boundary": "error"}, "boundary"),
        (lambda f: f, {"resolution": {"aa": 0.1}}, r"resolution must map names.*got 'aa'"),
        (lambda f: f.assign(b=3.0 * f.b), {"family": "beta"}, r"classifier 'b': .*outside"),
        (lambda f: {"a": TRIALS, "b": scores_of(PAIRS["include"], 31)}, {},
         r"classifier 'a' has 30 .* classifier 'b' 31"),
        (lambda f: {"one": br.Scores(TRIALS.client, TRIALS.impostor, client_ids=list(range(30))),
                    "two": br.Scores(TRIALS.client**2, TRIALS.impostor,
                                     client_ids=[*range(29), 99])}, {},
         r"^(?!.*paired).*(same trials|same test trials)"),
        (lambda f: {"a": TRIALS, "heavy": br.Scores(TRIALS.client, TRIALS.impostor,
                                                    client_weights=[2.0] * 30)}, {},
         "equal weights"),
    ],
)  # fmt: skip
def test_bad_input_is_named(frame, change, options, words):
    with pytest.raises(br.InputError, match=words):
        br.inclusion(change(frame), **options)


@pytest.mark.simulation
def test_a_column_of_ids_is_no_classifier(frame):
    frame["subject"] = np.arange(80)[::-1] + 1000
    said = r"column 'subject' of the table .* its 80 .*such as 'a', 'b', 'c',.*systems="
    for given in (frame, pl.from_pandas(frame), frame.astype({"subject": float})):
        with pytest.raises(br.InputError, match=said):
            br.inclusion(given)
    assert br.inclusion(frame, systems=["a", "subject"]).names == ("a", "subject")
    # Votes are whole numbers too, which repeat.
    votes = frame.assign(subject=np.round(30 * frame["a"]).astype(int))
    assert "subject" in systems_of(votes, "label", None, None, "raise").names


@pytest.mark.simulation
def test_missing_scores_name_the_classifier_and_its_rows(frame):
    frame.loc[[3, 50], "b"] = np.nan
    frame.loc[60, "c"] = np.nan
    given = pl.from_pandas(frame)
    options = {"nan_policy": "omit", "family": "normal", "alpha": [0.5]}
    with pytest.raises(br.InputError) as caught:
        br.inclusion(given)
    text = str(caught.value)
    assert "'b' lacks 2 of 80, first in rows 3, 50" in text
    assert "'c' lacks 1 of 80, first in rows 60" in text
    result = br.inclusion(given, **options)
    assert result.systems.omitted == 3
    whole = frame.drop(index=[3, 50, 60])
    assert result.verdict == br.inclusion(whole, **options).verdict


def test_a_constant_classifier_is_named(frame):
    constant, clients = frame.assign(b=0.25), frame["b"].where(frame["label"] == 0, 0.75)
    for given, dev, words in (
        (constant, None, r"classifier 'b' .* all 80 are 0\.25"),
        (frame, constant, r"classifier 'b' .* all 80 of dev are 0\.25"),
        (frame.assign(b=clients), None, r"classifier 'b': .*client"),
    ):
        with pytest.raises(br.DegenerateDataError, match=words):
            br.inclusion(given, dev=dev)


@pytest.mark.simulation
def test_warnings_name_their_classifier_and_the_trials_as_their_own_dev(frame):
    with pytest.warns(br.ReversedScoresWarning, match="classifier 'b': impostors"):
        result = br.inclusion(frame.assign(b=1.0 - frame["b"]), alpha=[0.5])
    assert [text[:16] for text in result.messages] == ["classifier 'b': "]
    options = {"family": "normal", "alpha": [0.5]}
    for dev in (frame, frame.sample(frac=1.0, random_state=1)):
        with pytest.warns(br.SameDataWarning, match="dev and the frame are the same scores"):
            br.inclusion(frame, dev=dev, **options)
    br.inclusion(frame, dev=frame.assign(a=frame["a"] ** 2), **options)  # no warning


@pytest.mark.simulation
def test_a_classifier_given_twice_is_one(frame):
    frame["d"] = frame["a"]
    options = {"family": "normal", "alpha": [0.5]}
    with pytest.warns(br.DuplicateWarning, match="'a' and 'd' have equal scores"):
        result = br.inclusion(frame[["a", "d", "label"]], **options)
    assert result.duplicates == (("a", "d"),)
    assert result.table["duplicate_of"].tolist() == ["", "a"]
    assert (result.fusion.table[["gain", "low"]] == 0.0).all(axis=None)  # either alone is both
    assert result.crossings["far"].isna().all()
    assert result.hull.unused == ("d",)
    frame["d"] = frame["a"] ** 3
    with pytest.warns(br.DuplicateWarning, match="correlation 1"):
        br.inclusion(frame[["a", "d", "label"]], **options)


@pytest.mark.parametrize(("a_1", "b_1", "a_2", "b_2"), [(1, 1, 2, 0.5), (1.5, 0.8, 0.5, 1.3)])
def test_crossing_of_two_normal_pairs_in_closed_form(a_1, b_1, a_2, b_2):
    """TPR = Phi(A + b z): equal at z = (A_2 - A_1)/(b_1 - b_2); below, the smaller b leads."""
    first, second = (
        ScoreModel(Normal(a / b, 1.0 / b), Normal(0.0, 1.0)) for a, b in ((a_1, b_1), (a_2, b_2))
    )
    found, z = first.roc().crossings(second.roc()), (a_2 - a_1) / (b_1 - b_2)
    assert found.far == pytest.approx([stats.norm.cdf(z)], rel=1e-10)
    assert found.tpr == pytest.approx([stats.norm.cdf(a_1 + b_1 * z)], rel=1e-10)
    assert found.leaders == ((1, 2) if b_1 < b_2 else (2, 1))


def test_equal_curves_do_not_cross_and_a_crossing_at_a_tiny_rate_keeps_its_log_odds():
    """Log-odds-normal laws are normal ones on another scale."""
    one = ScoreModel(Normal(1, 1), Normal(0, 1)).roc()
    for other in (
        (Normal(5, 2), Normal(3, 2)), (Normal(1, 1), Normal(0, 1)),
        (br.LogitNormal(1, 1), br.LogitNormal(0, 1)),
    ):  # fmt: skip
        found = one.crossings(ScoreModel(*other).roc())
        assert (len(found), found.leaders) == (0, (0,))
    # Uniform impostors: TPR = 1 - F_c(1 - FAR) has power tails FAR^b / (b B): equal at one FAR.
    plain, bent = (lambda b, a=a: ScoreModel(Beta(a, b), Beta(1, 1)).roc() for a in (1, 2))
    # (1 + 0.1 (1 - FAR)) FAR^0.1 = FAR^0.101: 1.1 FAR^-0.001 = 1 has no root below 1
    assert plain(0.101).crossings(bent(0.1)).leaders == (2,)
    found = bent(0.101).crossings(plain(0.1))  # 1.101 FAR^0.101 = FAR^0.1, at 1.101^-1000
    assert found.far[0] == pytest.approx(1.101**-1000, rel=1e-7, abs=0.0)
    assert found.logit_far[0] == pytest.approx(-1000.0 * math.log(1.101), rel=1e-9)


def test_hull_of_two_curves_by_hand():
    """sqrt(x) up to 1/4, a chord of slope 1 to (1/2, 3/4), then 1 - (1 - x)^2."""
    strict = ScoreModel(Beta(1, 1), Beta(1, 2)).roc()
    lax = ScoreModel(Beta(2, 1), Beta(1, 1)).roc()
    poor = ScoreModel(Beta(1.1, 1), Beta(1, 1)).roc()
    hull = hull_of({"strict": strict, "poor": poor, "lax": lax})
    first, chord, last = hull.segments
    assert (first.kind, chord.kind, last.kind) == ("curve", "chord", "curve")
    assert (chord.left, chord.right) == ("strict", "lax")
    assert (chord.far_low, chord.tpr_low) == pytest.approx((0.25, 0.5), abs=1e-9)
    assert (chord.far_high, chord.tpr_high) == pytest.approx((0.5, 0.75), abs=1e-9)
    # the areas of the three pieces
    assert hull.auc == pytest.approx(1 / 12 + 5 / 32 + 11 / 24, rel=1e-12)
    assert hull.unused == ("poor",)
    assert hull.tpr([0.0, 0.16, 0.3, 0.75, 1.0]) == pytest.approx([0, 0.4, 0.55, 0.9375, 1.0])


@pytest.mark.simulation
def test_hull_against_the_hull_of_many_points():
    """scipy's hull of all curves' points, whose area it cannot exceed by more than rounding.
    Quantiles of laws with masses put points of three curves at one FAR but for rounding."""
    pairs = (
        (Inflated(Beta(1.1, 1.2), 0.1, 0.225), Inflated(Beta(9.1, 27.5), 2 / 7)),
        (Inflated(Beta(1.0, 0.72), 0.1, 0.125), Inflated(Beta(2.5, 7.3), 1 / 7, 1 / 7)),
        (Inflated(Beta(2.6, 0.092), at_one=0.25), Beta(0.27, 1.5)),
    )
    for laws in (pairs, PAIRS.values()):
        rocs = {str(k): ScoreModel(*pair).roc() for k, pair in enumerate(laws)}
        hull, parts = hull_of(rocs), [roc.points(2000) for roc in rocs.values()]
        x = np.concatenate([[0.0, 1.0, 1.0], *[p.far for p in parts]])
        y = np.concatenate([[0.0, 1.0, 0.0], *[p.tpr for p in parts]])
        area = spatial.ConvexHull(np.column_stack([x, y])).volume
        assert hull.auc - 0.5 == pytest.approx(area - 0.5, abs=2e-6)
        far = np.linspace(0.0, 1.0, 1001)
        for roc in rocs.values():
            assert np.all(hull.tpr(far) >= np.asarray(roc.tpr(far)) - 1e-9)
        assert np.all(np.diff(hull.tpr(far), 2) <= 1e-9)


@pytest.mark.simulation
def test_hull_between_two_chords_that_touch_one_curve():
    """Between chords of slope m and m' < m the curve is followed, were it for 1e-4 of FAR."""
    one = ScoreModel(Inflated(Beta(1.494, 1.588), 0.2082, 0.0681),
        Inflated(Beta(0.3638, 0.6744), 0.1511, 0.0461))  # fmt: skip
    two = ScoreModel(Inflated(Beta(0.47, 1.304), 0.0173, 0.124),
        Inflated(Beta(7.27, 2.395), 0.1953, 0.0564))  # fmt: skip
    hull = hull_of({"one": one.roc(), "two": two.roc()})
    for left, right in itertools.pairwise(hull.segments):
        assert (left.far_high, left.tpr_high) == (right.far_low, right.tpr_low)
    first, between, following = hull.segments[:3]
    assert (first.kind, between.kind, following.kind) == ("chord", "curve", "chord")
    assert 0.0 < between.far_high - between.far_low < 2e-4
    assert np.all(np.isfinite(hull.tpr(np.linspace(between.far_low, between.far_high, 5))))


@pytest.mark.simulation
def test_rules_for_zero_and_one_go_by_name():
    """Votes of ten trees beside probabilities and decision values."""
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], 60)
    score = np.concatenate([rng.beta(4, 2, 60), rng.beta(2, 4, 60)])
    z = 3 * y + rng.normal(size=120)
    frame = pd.DataFrame({"label": y, "p": score, "votes": np.round(score, 1), "z": z})
    found = br.inclusion(frame, resolution={"votes": 0.1, "z": 0.1}, alpha=[0.5]).fits
    asked = br.fit(br.Scores.from_frame(frame, score="votes"), resolution=0.1)
    plain = br.fit(br.Scores.from_frame(frame, score="p"))
    assert found["votes"].model.client == asked.model.client
    assert found["p"].model.client == plain.model.client
    assert found["z"].client.boundary.policy == "interval"


def _weighted(copies):
    """Two sets of trials of 3 classifiers: rows with weights 0 to 3, or that many copies."""
    rng = np.random.default_rng(5)
    sets = []
    for _ in range(2):
        columns, made = {}, []
        for shift, n, who in ((0.6, 90, "client"), (-0.6, 120, "impostor")):
            x = special.expit(shift + rng.normal(size=(n, 1)) + 0.8 * rng.normal(size=(n, 3)))
            w = rng.integers(0, 4, n)
            w[:3] = 1
            label = np.arange(n) // 2 + (0 if who == "client" else 1000)
            rows = np.repeat(np.arange(n), w) if copies else np.arange(n)
            made.append(x[rows])
            if not copies:
                columns[f"{who}_weights"] = w
            columns[f"{who}_groups"] = label[rows]
        sets.append({
            name: br.Scores(made[0][:, k], made[1][:, k], **columns)
            for k, name in enumerate("abc")
        })  # fmt: skip
    return tuple(sets)


def _numbers_of(result):
    frames = result.table, result.learned, result.fusion.table, result.diversity
    return [frame.select_dtypes("number").to_numpy(dtype=float) for frame in frames]


@pytest.mark.simulation
@pytest.mark.parametrize("dev", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_a_weight_of_k_is_k_copies(dev):
    """Groups deal rows and copies alike; the verdicts, gains and errors in common are equal."""
    results = []
    for copies in (False, True):
        own, other = _weighted(copies)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", br.BetarocWarning)  # copies are ties
            results.append(br.inclusion(own, dev=other if dev else None))
    one, two = results
    assert one.systems.sizes == two.systems.sizes
    for a, b in zip(*map(_numbers_of, results), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8)
    assert [v.reason for v in one.verdict.values()] == [v.reason for v in two.verdict.values()]
    assert one.fusion.scale_reason == two.fusion.scale_reason
    assert {m.noise for m in one.misfit.values()} == {m.noise for m in two.misfit.values()}
