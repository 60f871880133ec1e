"""Fusing rules with and without a classifier: gains, their intervals, scales, diversity."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import betaroc as br
from betaroc.ensemble.fusion import fused, rank_sums
from betaroc.ensemble.trials import Systems

N = 60


@pytest.fixture(scope="module")
def frame():
    """Three classifiers in [0, 1], the second correlated with the first."""
    rng = np.random.default_rng(21)
    shift = np.repeat([1.0, -1.0], N)
    first = shift + rng.normal(0, 1.2, 2 * N)
    second = 0.6 * first + 0.3 * shift + rng.normal(0, 0.8, 2 * N)
    third = 0.5 * shift + rng.normal(0, 1, 2 * N)
    columns = {k: special.expit(x) for k, x in zip("abc", (first, second, third), strict=True)}
    return pd.DataFrame(columns | {"label": np.repeat([1, 0], N)})


@pytest.fixture(scope="module")
def result(frame):
    return br.inclusion(frame, rng=3, family="normal")


@pytest.fixture(scope="module")
def dev(frame):
    rng = np.random.default_rng(22)
    shift = np.repeat([1.0, -1.0], 40)
    columns = {k: special.expit(shift + rng.normal(0, 1.3, 80)) for k in "abc"}
    return pd.DataFrame(columns | {"label": np.repeat([1, 0], 40)})


def pooled(result, scores, **options):
    """Mean over alpha, and over folds of one size, of the EPC of one column of fused scores."""
    sides = (scores[:N], result.client_folds), (scores[N:], result.impostor_folds)
    values = []
    for k in range(5):
        dev, test = (
            br.Scores(*(x[(fold == k) == inside] for x, fold in sides)) for inside in (False, True)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", br.BetarocWarning)
            values.append(br.epc(dev, test, **options).value)
    return float(np.mean(values))


def row(result, rule, system, part="all"):
    table = result.fusion.table
    chosen = (table["rule"] == rule) & (table["system"] == system) & (table["part"] == part)
    return table[chosen].iloc[0]


FUSE = {"mean-logit": lambda x: special.logit(x).mean(axis=1), "max": lambda x: x.max(axis=1)}


@pytest.mark.simulation
@pytest.mark.parametrize("rule", ["mean-logit", "max"])
def test_values_are_those_of_the_cross_validated_epc(frame, result, rule):
    ends = np.arange(1, 21) / 200.0
    options = {
        "all": {"measure": "weighted-error"},
        "strict": {"criterion": "far", "alpha": ends},
        "lax": {"criterion": "frr", "alpha": ends},
    }
    for part, how in options.items():
        every = pooled(result, FUSE[rule](frame[["a", "b", "c"]].to_numpy()), **how)
        found = row(result, rule, "b", part)
        assert found["with"] == pytest.approx(every, rel=1e-12)
        rest = pooled(result, FUSE[rule](frame[["a", "c"]].to_numpy()), **how)
        assert found["without"] == pytest.approx(rest, rel=1e-12)
        assert found["gain"] == pytest.approx(rest - every, abs=1e-12)


@pytest.mark.simulation
def test_ranks_on_dev_by_counting(frame, dev):
    """Of scores outside [0, 1] all rules but votes are of ranks."""
    alpha = [0.02, 0.3, 0.6, 0.95, 0.98]
    given = br.inclusion(frame.assign(a=2.0 * frame["a"]), family="normal", alpha=alpha,
        dev=dev.assign(a=2.0 * dev["a"]))  # fmt: skip
    known = dev[["a", "b", "c"]].to_numpy()

    def ranks(x):
        below = (known[None] < x[:, None]).sum(axis=1)
        equal = (known[None] == x[:, None]).sum(axis=1)
        return np.asarray((below + 0.5 * equal + 0.5) / (len(known) + 1.0))

    for rule, to in (("rank-mean", np.asarray), ("mean-logit", special.logit)):
        sides = []
        for data in (dev, frame):
            mean = to(ranks(data[["a", "b", "c"]].to_numpy())).mean(axis=1)
            client = (data["label"] == 1).to_numpy()
            sides.append(br.Scores(mean[client], mean[~client]))
        value = np.mean(br.epc(*sides, measure="weighted-error", alpha=alpha).value)
        assert row(given, rule, "a")["with"] == pytest.approx(value, rel=1e-12)
    assert (given.fusion.folds, given.fusion.scale) == (0, "ranks")


@pytest.mark.simulation
def test_votes_by_loops(frame, dev):
    """Each classifier's threshold of an alpha by br.epc; the number of votes by trying all."""
    alphas = [0.2, 0.5, 0.85]
    given = br.inclusion(frame, family="normal", dev=dev, alpha=alphas)
    total = 0.0
    for alpha in alphas:
        votes = {id(data): np.zeros(len(data)) for data in (dev, frame)}
        for name in "abc":
            one, two = (br.Scores.from_frame(data, score=name) for data in (dev, frame))
            t = br.epc(one, two, alpha=[alpha]).threshold[0]
            for data in (dev, frame):
                votes[id(data)] += data[name] > t
        errors = []
        for needed in (-1, 0, 1, 2, 3):
            far = np.mean(votes[id(dev)][dev["label"] == 0] > needed)
            frr = np.mean(votes[id(dev)][dev["label"] == 1] <= needed)
            errors.append((round(alpha * far + (1 - alpha) * frr, 12), far + frr, needed))
        needed = min(errors)[2]
        far = np.mean(votes[id(frame)][frame["label"] == 0] > needed)
        frr = np.mean(votes[id(frame)][frame["label"] == 1] <= needed)
        total += (alpha * far + (1 - alpha) * frr) / len(alphas)
    assert row(given, "vote", "c")["with"] == pytest.approx(total, rel=1e-12)


def trials(client, impostor):
    return Systems((), np.asarray(client, float), np.asarray(impostor, float))


def losses_apart(frame, dev, alpha):
    """Weighted errors of single decisions without "b" less those with it, by class."""
    found = []
    for names in (["a", "c"], ["a", "b", "c"]):
        fusions = [FUSE["mean-logit"](data[names].to_numpy()) for data in (dev, frame)]
        sides = [
            br.Scores(x[data["label"] == 1], x[data["label"] == 0])
            for x, data in zip(fusions, (dev, frame), strict=True)
        ]
        t = br.epc(*sides, alpha=[alpha]).threshold[0]
        found.append(((1 - alpha) * (sides[1].client <= t), alpha * (sides[1].impostor > t)))
    return found[0][0] - found[1][0], found[0][1] - found[1][1]


@pytest.mark.simulation
def test_interval_is_students_with_welchs_degrees(frame, dev):
    """mean_c d + mean_i d is mean_c d - mean_i (-d), of which scipy has Welch's interval; d is the
    mean over alpha at given thresholds."""
    alphas = [0.1, 0.4, 0.7]
    parts = [losses_apart(frame, dev, alpha) for alpha in alphas]
    client, impostor = (np.mean(losses, axis=0) for losses in zip(*parts, strict=True))
    welch = stats.ttest_ind(client, -impostor, equal_var=False).confidence_interval(0.9)
    found = br.inclusion(frame, family="normal", dev=dev, alpha=alphas, level=0.9).fusion.gain("b")
    assert found.estimate == pytest.approx(client.mean() + impostor.mean(), abs=1e-14)
    assert (found.low, found.high) == pytest.approx(tuple(welch), rel=1e-10)
    assert found.level == 0.9


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::betaroc.DiscretenessWarning")
def test_groups_widen_intervals_and_stay_in_one_fold(frame):
    """Every trial three times in a group: the sum of squares over groups of their contributions."""
    thrice = pd.concat([frame.assign(who=np.arange(2 * N))] * 3, ignore_index=True)
    given = br.inclusion(thrice, group="who", alpha=[0.2, 0.6], family="normal")
    folds = given.client_folds.reshape(3, N)
    assert (folds == folds[0]).all()
    assert given.names == ("a", "b", "c")
    found = given.fusion.gain("b")
    # The same folds of the single trials, whose losses the groups have three times.
    single = br.inclusion(thrice[: 2 * N], group="who", alpha=[0.2, 0.6], family="normal")
    assert np.array_equal(single.client_folds, folds[0])
    once = single.fusion.gain("b")
    assert found.estimate == pytest.approx(once.estimate, abs=1e-14)
    assert (found.low, found.high) == pytest.approx((once.low, once.high), abs=1e-14)
    plain = br.inclusion(frame, alpha=[0.2, 0.6], family="normal").fusion.gain("b")
    # Divisor n for n - 1 and N - 1 degrees of freedom for Welch's.
    assert once.high - once.low == pytest.approx(plain.high - plain.low, rel=0.03)


def test_rank_means_tie_exactly():
    """Ranks (1, 4, 4) and (2, 3, 4) have one mean, in which order they are ever added."""
    columns = np.array([[1.0, 2.0, 3.0, 4.0]] * 3).T
    dev = trials(columns[:2], columns[2:])
    rows = [[1.0, 4.0, 4.0], [2.0, 3.0, 4.0], [4.0, 4.0, 1.0], [3.0, 2.0, 4.0], [3.0, 3.0, 3.0]]
    scores = fused("rank-mean", rank_sums(dev, dev.x), rank_sums(dev, np.array(rows)))[1]
    assert len(set(scores.tolist())) == 1


@pytest.mark.parametrize(("rule", "expected"),
    [("mean-logit", [2, 3, 1, 0]), ("product", [2, 3, 1, 0]), ("min", [2, 3, 1, 0]),
     ("max", [3, 2, 1, 0])])  # fmt: skip
def test_exact_ends_of_one_kind_stand_beyond_all_others(rule, expected):
    x = np.array([[0.9, 1.0], [0.6, 0.7], [0.0, 0.4], [0.2, 0.3]])
    scores, _ = fused(rule, x, x)
    assert np.all(np.isfinite(scores))
    assert np.argsort(scores).tolist() == expected


@pytest.mark.simulation
def test_trials_with_both_ends_are_fused_by_ranks(frame):
    torn = frame.copy()
    for b, scale, reason in (
        (1.0, "ranks", "1 trial with exactly 0 and 1"),
        (0.0, "scores", ""),
    ):
        torn.loc[4, ["a", "b"]] = [0.0, b]
        with pytest.warns(br.BoundaryWarning):
            given = br.inclusion(torn, folds=2)
        assert given.fusion.scale == scale
        assert reason in given.fusion.scale_reason
    assert np.isfinite(given.fusion.table[["with", "without", "gain"]].to_numpy()).all()


@pytest.mark.simulation
def test_diversity_against_scipy_and_by_counting(frame, dev):
    given = br.inclusion(frame, family="normal", dev=dev)
    table = given.diversity.set_index(["first", "second", "class"])
    assert len(table) == 9
    wrong = {}
    for name in "ab":
        one, two = (br.Scores.from_frame(data, score=name) for data in (dev, frame))
        t = br.epc(one, two, alpha=[0.5]).threshold[0]
        wrong[name] = (frame[name] > t) != (frame["label"] == 1)
    for who, label in (("client", 1), ("impostor", 0)):
        rows, found = frame["label"] == label, table.loc[("a", "b", who)]
        x, y = frame.loc[rows, "a"], frame.loc[rows, "b"]
        assert found["spearman"] == pytest.approx(stats.spearmanr(x, y).statistic)
        r = stats.pearsonr(special.logit(x), special.logit(y)).statistic
        assert found["pearson"] == pytest.approx(r)
        e, f = wrong["a"][rows], wrong["b"][rows]
        assert found["phi"] == pytest.approx(np.corrcoef(e, f)[0, 1])
        assert found["disagreement"] == pytest.approx(np.mean(e != f))
        assert found["double_fault"] == pytest.approx(np.mean(e & f))
    both = table.loc[("a", "b", "both")]
    assert math.isnan(both["spearman"])
    assert both["double_fault"] == pytest.approx(np.mean(wrong["a"] & wrong["b"]))
