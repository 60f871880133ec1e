"""The gain in a learned fusion: the ridge, the nesting, the interval, the words, hard inputs."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import betaroc as br
from betaroc.ensemble.choice import _path_losses, choose_set, worth_of
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


def test_freedom_is_welchs_and_no_more_than_the_smaller_class_has():
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
    # 4 clients have 3 degrees of freedom, Welch's with single impostors hardly more.
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
@pytest.mark.parametrize(("n", "word"), [(60, "cannot tell"), (620, "adds nothing")])
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


RULE = ("smallest", 0.005, 0.95)


def drawn(n, shifts, seed):
    """Independent normal scores; clients are so much higher."""
    rng = np.random.default_rng(seed)
    names = tuple(f"c{k}" for k in range(len(shifts)))
    return Systems(
        names, rng.normal(shifts, 1.0, (n, len(names))), rng.normal(size=(n, len(names)))
    )


def chosen(given, rule=RULE, worth=None, dev=None):
    columns = columns_of([given])
    return choose_set(given, dev, columns, in_turn(dev or given), worth or worth_of(None), rule)


def scores_of(given):
    return {name: given.scores(k) for k, name in enumerate(given.names)}


def wald(x, y):
    """Of the ridge fusion, by numpy: b^2 over the diagonal of the inverse curvature."""
    eta = fitted(x, y)(x)
    z = np.column_stack([np.ones(len(x)), (x - x.mean(axis=0)) / x.std(axis=0)])
    b = np.linalg.lstsq(z, eta, rcond=None)[0]
    share = special.expit(eta)
    curvature = (z * (share * (1 - share))[:, None]).T @ z + np.diag([0.0] + [1.0] * x.shape[1])
    return (b**2 / np.diag(np.linalg.inv(curvature)))[1:]


@pytest.mark.simulation
def test_the_path_and_its_losses_are_those_of_loops():
    """Written out with scikit-learn and DeLong: in every fold the least Wald statistic leaves."""
    given = drawn(60, (1.0, 0.6, 0.2), 1)
    x, y = np.concatenate(given.classes), np.repeat([True, False], 60)
    fold = in_turn(given)
    expected = np.zeros((3, 2))
    for f in range(5):
        learn, rows = fold != f, fold == f
        members, fused = [0, 1, 2], {}
        while members:
            eta = fitted(x[np.ix_(learn, members)], y[learn])(x[np.ix_(rows, members)])
            fused[len(members)] = br.Scores(eta[y[rows]], eta[~y[rows]])
            members.pop(int(np.argmin(wald(x[np.ix_(learn, members)], y[learn]))))
        for size, own in fused.items():
            loss, variance = delong(fused[3], own)
            expected[size - 1] += loss / 5, variance / 25
    columns = columns_of([given])
    found = _path_losses(given, columns, in_turn(given), worth_of(None))
    losses = [(every - own, variance) for every, own, variance, _ in found]
    assert np.array(losses) == pytest.approx(expected, abs=1e-9)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("classes", "names", "expected"),
    [
        (suppressor(200, 1), ("A", "B", "S", "noise"), {"S"}),
        (suppressor(1000, 2), ("A", "B", "noise"), {"A"}),
    ],
)  # fmt: skip
def test_the_set_drops_copies_and_noise_and_keeps_what_corrects(classes, names, expected):
    """S is useless alone; of A and its near copy B one stays, with S both may."""
    found = set(chosen(systems(classes, names)).names)
    assert expected <= found
    assert "noise" not in found
    assert len(found) <= 2 + ("S" in names)


@pytest.mark.simulation
def test_equal_ones_all_stay_and_the_best_selection_has_the_largest_worth():
    found = chosen(drawn(200, (1.0,) * 4, 3))
    assert found.names == ("c0", "c1", "c2", "c3")
    assert (found.loss.estimate, found.loss.low, found.loss.high) == (0.0, 0.0, 0.0)
    *_, last = found.sizes
    assert (last.loss, last.error) == (0.0, 0.0)
    given = drawn(100, (1.0, 0.5, 0.0), 4)
    best = chosen(given, ("best", 0.005, 0.95))
    assert best.names == max(best.sizes, key=lambda size: size.worth).members


def test_on_dev_areas_are_delongs_on_the_trials():
    test, dev = drawn(80, (1.0, 0.3), 6), drawn(120, (1.0, 0.3), 7)
    found = chosen(test, dev=dev)
    x, y = np.concatenate(dev.classes), np.repeat([True, False], 120)
    model = fitted(x, y)
    own = br.Scores(model(test.client), model(test.impostor))
    area = br.auc_interval(own, method="delong")
    assert found.all_auc.estimate == pytest.approx(area.estimate, abs=1e-12)
    # Student's t with Welch's degrees of freedom beside the normal quantile.
    reach = found.all_auc.high - found.all_auc.estimate
    assert 1.0 < reach / (area.high - area.estimate) < 1.02
    best = max(("c0", "c1"), key=lambda k: stats.mannwhitneyu(
        *(side[:, int(k[1])] for side in dev.classes)).statistic)  # fmt: skip
    assert found.best_single == best


@pytest.mark.simulation
def test_a_target_has_the_set_of_its_cost_and_its_threshold():
    """Of costs the threshold is that of log odds; the worth is minus the mean cost, by hand."""
    given = drawn(150, (1.0, 0.8), 8)
    target = br.decision.threshold_methods.checked_request(cost_fa=3.0, cost_fr=1.0, prior=0.2)
    learner = Learner(given, columns_of([given]))
    everyone = learner.fit(np.ones(2, dtype=bool))
    (own,) = learner.scores(given, [everyone])
    value, parts = worth_of(target)(learner, everyone, everyone, own)
    threshold = math.log(3.0 * 0.8 / 0.2)  # the log odds of as many clients as impostors are 0
    cost = (3.0 * 0.8 * np.mean(own.impostor > threshold)
            + 0.2 * np.mean(own.client <= threshold)) / (3.0 * 0.8 + 0.2)  # fmt: skip
    assert value == pytest.approx(-cost, abs=1e-12)
    assert [float(np.sum(part)) for part in parts] == pytest.approx([0.0, 0.0], abs=1e-9)
    result = selected(scores_of(given), family="normal", far=0.05)
    assert result.decision.threshold == br.decide(result.choice.fused, far=0.05).threshold
    assert "accept if score" in str(result).lower()
    with pytest.raises(br.InputError, match="must be a FAR, an FRR or costs; got precision"):
        selected(scores_of(given), precision=0.9)


@pytest.mark.simulation
def test_the_fusion_scores_rows_of_any_kind():
    """As scikit-learn's, from a frame, a mapping, an array and JSON; ends have columns."""
    rng = np.random.default_rng(9)
    unit = special.expit(rng.normal(size=(2, 60)))
    unit[0, :20], unit[1, :5] = 1.0, 1.0
    given = {"p": br.Scores(*unit), "s": br.Scores(rng.normal(2, 1, 60), rng.normal(0, 1, 60))}
    fusion = selected(given, family="empirical", alpha=[0.5]).choice.fusion
    assert [(c.system, c.form) for c in fusion.columns] == [
        ("p", "logit"), ("p", "one"), ("s", "score"),
    ]  # fmt: skip
    rows = np.column_stack([unit[0], given["s"].client])
    by_hand = np.full(60, fusion.intercept) + fusion.weights[2] * rows[:, 1]
    ends = rows[:, 0] == 1.0
    logit = np.where(ends, fusion.columns[0].at_one, special.logit(np.where(ends, 0.5, rows[:, 0])))
    by_hand += fusion.weights[0] * logit + fusion.weights[1] * ends
    frame = pd.DataFrame(rows, columns=list(fusion.names))
    again = br.from_json(fusion.to_json())
    for found in (fusion(rows), fusion(frame), again(dict(frame)),
                  fusion.to_sklearn().decision_function(rows)):  # fmt: skip
        assert found == pytest.approx(by_hand, abs=1e-9)
    # An exact 0, which no trial was, counts as the nearest double.
    assert fusion.columns[0].at_zero == pytest.approx(math.log(5e-324))
    with pytest.raises(br.InputError, match="have the column 's'"):
        fusion(frame[["p"]])
    with pytest.raises(br.InputError, match="scores of 'p' must lie in"):
        fusion(rows * 2.0)


@pytest.mark.nightly
def test_hard_sets_are_told():
    """Perfect, reversed, copied and useless classifiers; names like words of the table."""
    rng = np.random.default_rng(10)
    client, impostor = rng.normal(1.0, 1.0, 300), rng.normal(0.0, 1.0, 300)
    good = br.Scores(client, impostor)
    given = {
        "label": good, "chosen": br.Scores(client, impostor),
        "alpha": br.Scores(-client, -impostor), "noise": br.Scores(*rng.normal(size=(2, 300))),
    }  # fmt: skip
    result = selected(given, family="normal")
    (one,) = result.chosen
    text = {name: verdict.reason for name, verdict in result.verdict.items()}
    assert text[one].startswith("In the set.")
    assert "useless, its own AUC is" in text["noise"]
    assert one == "label"
    for copy in ("chosen", "alpha"):
        assert text[copy].startswith("Not in the set: a copy of label.")
    other = br.Scores(rng.normal(0.8, 1.0, 300), rng.normal(size=300))
    wide = selected({"label": good, "other": other}, family="normal", margin=0.3)
    (left,) = {"label", "other"} - set(wide.chosen)
    assert wide.verdict[left].reason.startswith("Not in the set: without it the set is shown")
    assert str(result).startswith(f"Take one alone, {one}: AUC")
    assert result.table["chosen"].tolist() == [name == one for name in given]
    far = {k: br.Scores(v.client + 99.0, v.impostor) for k, v in given.items() if k != "noise"}
    assert selected(far, family="normal").chosen_auc.estimate == 1.0
    two = {f"n{k}": br.Scores(*rng.normal(size=(2, 2))) for k in range(4)}
    few = selected(two, family="empirical", alpha=[0.5], folds=2)
    assert few.chosen == tuple(two)
    assert "All 4 stay: too few trials to leave one out." in str(few)
