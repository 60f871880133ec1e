"""The gain in a learned fusion: the ridge, the nesting, the interval, the words, hard inputs."""

import math
import warnings

import numpy as np
import pytest
from scipy import special, stats

import betaroc as br
from betaroc.ensemble.learned import (
    Learner,
    _drawn_gains,
    columns_of,
    dealt,
    learned_gains,
    word_of,
)
from betaroc.ensemble.rule import joined
from betaroc.ensemble.trials import Systems
from betaroc.inference.auc import paired_areas, placements


def suppressor(n, seed):
    """Logits: A = +-.7 + e, B = A + N(0, .15), S = e + N(0, .3), and noise."""
    rng = np.random.default_rng(seed)
    classes = []
    for shift in (0.7, -0.7):
        e = rng.normal(size=n)
        a = shift + e
        classes.append({
            "A": a, "B": a + rng.normal(0, 0.15, n), "S": e + rng.normal(0, 0.3, n),
            "noise": rng.normal(size=n),
        })  # fmt: skip
    return classes[0], classes[1]


def systems(classes, names, **groups):
    client, impostor = (np.column_stack([one[k] for k in names]) for one in classes)
    return Systems(names, client, impostor, **groups)


def in_turn(given, folds=5):
    return np.concatenate([np.arange(n) % folds for n in given.sizes])


def gains_of(given, folds=None):
    folds = in_turn(given) if folds is None else folds
    return list(learned_gains(given, columns_of([given]), folds, None, 0.95))


def paired(a, b):
    return paired_areas(placements(a), placements(b), a)


def gains(classes, *names):
    return {gain.system: gain for gain in gains_of(systems(classes, names))}


def thrice(classes):
    """Each trial three times."""
    client, impostor = ({k: np.repeat(v, 3) for k, v in one.items()} for one in classes)
    return client, impostor


def selected(given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        return br.inclusion(given, **options)


def scores(classes, *names):
    return {k: br.Scores(*(special.expit(one[k]) for one in classes)) for k in names}


@pytest.mark.parametrize("apart", [0.3, 6.0])
def test_the_ridge_is_that_of_scikit_learn(apart):
    """LogisticRegression() of standardised columns: classes apart or not, two columns alike."""
    rng = np.random.default_rng(0)
    y = np.repeat([True, False], [120, 180])
    x = rng.normal(size=(300, 4)) + apart * y[:, None]
    x[:, 3] = x[:, 0] + 0.05 * rng.normal(size=300)
    given = Systems(tuple("abcd"), x[y], x[~y])
    learner = Learner(given, columns_of([given]))
    everyone = learner.fit(np.ones(4, dtype=bool))
    for fusing in (everyone, learner.without(everyone, 0)):
        columns = fusing.members
        other = fitted(x[:, columns], y)
        assert fusing.coefficients[1:][~columns].tolist() == [0.0] * int(np.sum(~columns))
        (found,) = learner.scores(given, [fusing])
        expected = other(x[:, columns])
        assert found.client == pytest.approx(expected[y], abs=1e-7)
        assert found.impostor == pytest.approx(expected[~y], abs=1e-7)


def fitted(x, y):
    """scikit-learn's fusion, which scores rows."""
    from sklearn.linear_model import LogisticRegression

    mean, sd = x.mean(axis=0), x.std(axis=0)
    model = LogisticRegression(solver="newton-cholesky", tol=1e-14, max_iter=1000)
    model.fit((x - mean) / sd, y)
    return lambda at: model.decision_function((at - mean) / sd)


def delong(a, b):
    """The difference of two areas and its variance, equations (4) to (7) pair by pair."""
    wins = [np.sign(s.client[:, None] - s.impostor) / 2.0 for s in (a, b)]
    apart = wins[0] - wins[1]
    sides = [apart.mean(axis=1), apart.mean(axis=0)]
    return float(apart.mean()), float(sum(np.var(v, ddof=1) / v.size for v in sides))


@pytest.mark.simulation
def test_the_gain_is_that_of_loops():
    """Written out with scikit-learn and DeLong: no score of a fold has a say in its fusion."""
    names = ("A", "B", "noise")
    classes = suppressor(40, 3)
    given = systems(classes, names)
    x = np.concatenate([given.client, given.impostor])
    y = np.repeat([True, False], 40)
    fold = in_turn(given)

    def fused(f, columns):
        learn, observe = (np.ix_(rows, columns) for rows in (fold != f, fold == f))
        eta = fitted(x[learn], y[fold != f])(x[observe])
        return br.Scores(eta[y[fold == f]], eta[~y[fold == f]])

    found = gains(classes, *names)
    for k, name in enumerate(names):
        rest = [j for j in range(3) if j != k]
        pairs = [(fused(f, [0, 1, 2]), fused(f, rest)) for f in range(5)]
        areas = [paired(a, b) for a, b in pairs]
        gain = found[name]
        differences = [one.area - one.other for one in areas]
        assert gain.estimate == pytest.approx(np.mean(differences), abs=1e-9)
        assert gain.with_it == pytest.approx(np.mean([one.area for one in areas]), abs=1e-9)
        variance = sum(one.variance for one in areas)
        freedom = variance**2 / sum(one.variance**2 / one.freedom for one in areas if one.variance)
        reach = stats.t.ppf(0.975, freedom) * math.sqrt(variance) / 5
        moved = np.sum([one.moved for one in areas], axis=0)
        assert gain.moved == tuple(moved)
        few = bool(np.min(moved) < 5)  # then 3/n more: what no sample of this size shows
        reach += few * -math.log(0.05) / 40
        assert gain.high - gain.estimate == pytest.approx(reach, rel=1e-6)
        assert gain.estimate - gain.low == pytest.approx(reach, rel=1e-6)
        assert gain.method == ("delong-folds+unseen" if few else "delong-folds")
        assert (gain.level, gain.folds) == (0.95, 5)


def test_freedom_is_welchs():
    """One class moves alone: n - 1 of it; scipy's Welch test of two samples else."""
    rng = np.random.default_rng(4)
    a = br.Scores(rng.normal(1, 1, 12), rng.normal(0, 1, 20))
    b = br.Scores(rng.normal(1, 1, 12), rng.normal(0, 1, 20))
    found = paired(a, b)
    below = [[np.mean(one.impostor < c) for c in one.client] for one in (a, b)]
    above = [[np.mean(one.client > i) for i in one.impostor] for one in (a, b)]
    client, impostor = (np.subtract(*x) for x in (below, above))
    other = stats.ttest_ind(client, -impostor, equal_var=False)
    assert (found.freedom, found.variance) == pytest.approx((other.df, delong(a, b)[1]))
    assert found.moved == (np.sum(client != 0.0), np.sum(impostor != 0.0))
    assert paired(a, a)[2:] == (0.0, math.inf, (0, 0))


def test_many_groups_of_one_class_do_not_speak_for_few_trials_of_the_other():
    """4 clients have 3 degrees of freedom, Welch's with single impostors hardly more."""
    rng = np.random.default_rng(6)
    own, other = ((rng.normal(1, 1, 4), rng.normal(0, 1, 200)) for _ in range(2))
    labels = {"impostor_groups": np.arange(200) // 2}
    found = paired(br.Scores(*own, **labels), br.Scores(*other, **labels))
    assert found.freedom == 3.0
    assert found.freedom < paired(br.Scores(*own), br.Scores(*other)).freedom < 4.0


@pytest.mark.simulation
def test_on_dev_the_fusion_is_learned_and_observed_on_the_trials():
    """Trials whose suppressor has lost its meaning: what was learned does harm."""
    dev, test = suppressor(300, 5), suppressor(300, 6)
    turned = ({**test[0], "S": -test[0]["S"]}, {**test[1], "S": -test[1]["S"]})
    found = selected(scores(turned, "A", "S"), dev=scores(dev, "A", "S"))
    gain = found.verdict["S"].gain
    assert (gain.method, gain.folds) == ("delong", 1)
    assert found.verdict["S"] == "leave out"
    assert gain.with_it < 0.8 < gain.without
    assert "learned on dev" in " ".join(str(found).split())
    kept = selected(scores(test, "A", "S"), dev=scores(dev, "A", "S"))
    assert kept.verdict["S"] == "include"


@pytest.mark.simulation
def test_groups_of_copies_are_single_trials():
    """Each trial three times, as one group: the interval, the method and what moves of single
    trials; without groups the interval is far shorter."""
    names = ("A", "S", "noise")
    classes, labels = suppressor(60, 8), np.repeat(np.arange(60), 3)
    one, fold = gains_of(systems(classes, names)), np.tile(labels % 5, 2)
    for column in (labels, np.column_stack([labels, labels + 1000])):
        groups = {"client_groups": column, "impostor_groups": column + 5000}
        many = gains_of(systems(thrice(classes), names, **groups), fold)
        for a, b in zip(one, many, strict=True):
            assert b.estimate == pytest.approx(a.estimate, abs=0.005)  # the penalty is 1/n
            widths = a.high - a.low, b.high - b.low
            assert (b.moved, b.method) == (a.moved, a.method)
            assert widths[1] == pytest.approx(widths[0], rel=0.05)  # of other degrees
    plain = gains_of(systems(thrice(classes), names), fold)
    assert plain[0].high - plain[0].low < 0.65 * (one[0].high - one[0].low)
    assert one[2].method == "delong-folds+unseen"


@pytest.mark.parametrize(
    ("sizes", "folds", "count"),
    [((7, 30), 5, 3), ((5, 9), 5, 0), ((40, 40), 20, 10), ((40, 40), 2, 0)],
)  # fmt: skip
def test_a_fold_holds_two_trials_of_each_class(sizes, folds, count):
    given = Systems(("a",), np.zeros((sizes[0], 1)), np.zeros((sizes[1], 1)))
    found = dealt(given, folds, None)
    assert (0 if found is None else 1 + int(found.max())) == count


@pytest.mark.parametrize(
    ("high", "probability", "word"),
    [
        (0.5, 0.9, "include"), (0.5, 0.89, "cannot tell"), (0.01, 0.1, "adds nothing"),
        (0.01, 0.11, "cannot tell"), (-0.005, 0.0, "adds nothing"), (-0.0051, 0.0, "leave out"),
        (math.nan, math.nan, "cannot tell"),
    ],
)  # fmt: skip
def test_the_rule(high, probability, word):
    assert word_of(high, probability, 0.95) == word


def test_the_chance_of_a_gain_is_that_of_normal_classes():
    """Two independent columns, 1 and .6 apart: Phi(D/sqrt 2) by hand, within three errors."""
    rng = np.random.default_rng(2)
    n = 300
    given = Systems(
        ("a", "b"), rng.normal([1.0, 0.6], 1.0, (n, 2)), rng.normal([0.0, 0.0], 1.0, (n, 2))
    )
    drawn = _drawn_gains(given, columns_of([given]))
    areas = [stats.norm.cdf(math.hypot(*apart) / math.sqrt(2)) for apart in
             ((1.0, 0.6), (0.0, 0.6), (1.0, 0.0))]  # fmt: skip
    for gains, without in zip(drawn, areas[1:], strict=True):
        assert abs(np.mean(gains) - (areas[0] - without)) < 3.0 * np.std(gains)
    gains = gains_of(given)
    assert [gain.word for gain in gains] == ["include", "include"]
    assert [gain.probability for gain in gains] == [np.mean(d >= 0.005) for d in drawn]


def test_the_own_roc_speaks_against_only_and_only_where_the_gain_does_not_tell():
    words = ("include", "exclude", "only at strict thresholds", "only at lax thresholds",
             "cannot tell")  # fmt: skip
    for own in words:
        for gained in ("include", "adds nothing", "leave out"):
            assert joined(own, gained) == gained
    assert [joined(own, "cannot tell") for own in words] == ["cannot tell", *words[1:]]


@pytest.mark.simulation
def test_two_equal_classifiers():
    classes = suppressor(100, 2)
    a = scores(classes, "A")["A"]
    result = selected({"one": a, "two": br.Scores(a.client, a.impostor)})
    for name, other in (("one", "two"), ("two", "one")):
        gain = result.verdict[name].gain
        assert (gain.estimate, gain.low, gain.high, gain.copy) == (0.0, 0.0, 0.0, True)
        assert result.verdict[name] == "adds nothing"
        said = f"{other} has the same scores: drop one of the two, not both"
        assert said in result.verdict[name].reason
    assert result.chosen == ("one",)


@pytest.mark.simulation
@pytest.mark.parametrize(("n", "word"), [(60, "cannot tell"), (700, "adds nothing")])
def test_perfect_ones(n, word):
    """Both areas are 1 and DeLong's variance 0; 3/n of the trials may still be others."""
    rng = np.random.default_rng(3)
    pair = [br.Scores(rng.uniform(0.6, 0.9, n), rng.uniform(0.1, 0.4, n)) for _ in range(2)]
    result = selected(dict(zip("ab", pair, strict=True)), alpha=[0.5])
    gain = result.verdict["a"].gain
    assert (gain.with_it, gain.without, gain.estimate) == (1.0, 1.0, 0.0)
    assert gain.method == "delong-folds+unseen"
    assert gain.high == pytest.approx(-math.log(0.05) / n)
    assert gain.moved == (0, 0)
    assert result.verdict["a"] == word


@pytest.mark.simulation
def test_too_few_for_folds_within_folds():
    result = selected(scores(suppressor(5, 1), "A", "B"), folds=5, family="logit-normal")
    verdict = result.verdict["B"]
    assert math.isnan(verdict.gain.estimate)
    assert (verdict.gain.method, verdict.gain.folds) == ("none", 0)
    assert verdict.gain.word == "cannot tell"
    assert "was not measured: that takes 3 folds or more" in verdict.reason
    result.plot()


@pytest.mark.simulation
def test_exact_zeros_and_ones_have_columns_of_their_own():
    """A classifier that is 0 or 1 for half of the trials and a coin else: AUC 3/4 by its masses."""
    rng = np.random.default_rng(5)
    n = 400
    coin = rng.uniform(0.2, 0.8, (2, n))
    known = rng.random((2, n)) < 0.5
    sure = {"sure": br.Scores(np.where(known[0], 1.0, coin[0]), np.where(known[1], 0.0, coin[1]))}
    raised = (rng.random((2, n)) < [[0.8], [0.3]]).astype(float)
    raised[:, 0] = 0.5  # zeros and ones alone would be labels
    flags = {"flags": br.Scores(*raised)}
    noise = {"noise": br.Scores(*rng.uniform(0.1, 0.9, (2, n)))}
    result = selected(sure | flags | noise, family="empirical", alpha=[0.5])
    found = {name: verdict.gain for name, verdict in result.verdict.items()}
    assert found["sure"].word == found["flags"].word == "include"
    assert found["noise"].with_it > 0.85
    assert found["noise"].estimate < 0.005
