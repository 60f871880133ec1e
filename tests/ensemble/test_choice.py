"""The set that joins: its path, its losses, its intervals, its threshold and its fusion."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import betaroc as br
from betaroc.ensemble.choice import _path_losses, choose_set, worth_of
from betaroc.ensemble.learned import Learner, columns_of
from betaroc.ensemble.trials import Systems
from ensemble.test_learned_gain import delong, fitted, in_turn, selected, suppressor, systems

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
def test_equal_independent_ones_all_stay():
    found = chosen(drawn(200, (1.0,) * 4, 3))
    assert found.names == ("c0", "c1", "c2", "c3")
    assert (found.loss.estimate, found.loss.low, found.loss.high) == (0.0, 0.0, 0.0)
    *_, last = found.sizes
    assert (last.loss, last.error) == (0.0, 0.0)


@pytest.mark.simulation
def test_of_the_best_selection_the_worth_is_the_largest():
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


@pytest.mark.simulation
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
