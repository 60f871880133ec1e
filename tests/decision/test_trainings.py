"""Variance of trainings, dev and test by hand, methods compared, what is refused."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.notices import suppress_warnings

RNG = np.random.default_rng(5)
Z = RNG.normal(size=(2, 60))


def training(shift=0.0, rng=RNG, z=Z):
    client, impostor = z + 0.6 * rng.normal(size=z.shape)
    return br.Scores(client + 1.5 + shift, impostor)


FIVE = [training(0.2 * k) for k in range(5)]


def test_parts_of_a_rate_are_those_of_indicators():
    """HTER at a threshold: a quarter of both covariances of wrong trials, over their number."""
    result = br.variance_components(FIVE, "hter@threshold=0.7")
    wrong = [[s.client <= 0.7 for s in FIVE], [s.impostor > 0.7 for s in FIVE]]
    covariance = sum(np.cov(w, bias=True) / 60.0 for w in map(np.array, wrong)) / 4.0
    common = (covariance.sum() - np.trace(covariance)) / 20.0
    alone = np.trace(covariance) / 5.0 - common
    values = [0.5 * (np.mean(c) + np.mean(i)) for c, i in zip(*wrong, strict=True)]
    assert result.values.tolist() == pytest.approx(values, abs=1e-15)
    assert result.test.estimate == pytest.approx(common, rel=1e-5)
    assert result.interaction.estimate == pytest.approx(alone, rel=1e-5)
    left = max(np.var(values, ddof=1) - alone, 0.0)
    assert result.training.estimate == pytest.approx(left, rel=1e-5)


def test_the_intervals_are_bonetts_less_the_interaction_and_students():
    result = br.variance_components(FIVE, "auc")
    y, n, z = result.values, 5, stats.norm.ppf(0.975)
    kurtosis = n * np.sum((y - np.median(y)) ** 4) / np.sum((y - y.mean()) ** 2) ** 2
    c, error = n / (n - z), np.sqrt((kurtosis - (n - 3) / n) / (n - 1))
    ends = c * np.var(y, ddof=1) * np.exp([-z * c * error, z * c * error])
    expected = np.maximum(ends - result.interaction.estimate, 0.0)
    assert [result.training.low, result.training.high] == pytest.approx(expected, rel=1e-12)
    # Each on its own test set: nothing is shared, and S^2/k of k - 1 degrees says all.
    result = br.variance_components(FIVE, "eer", paired=False)
    low, high = stats.t.interval(0.95, 4, result.values.mean(), stats.sem(result.values))
    assert (result.mean.low, result.mean.high) == pytest.approx((low, high), rel=1e-12)
    assert result.test.estimate > 0.0
    assert result.interaction.estimate == 0.0


@pytest.mark.simulation
def test_dev_moves_what_its_thresholds_meet_on_test():
    """The spread of HTER over bootstrap samples of dev, each chosen and met by hand."""
    dev = [training(0.2 * k, z=RNG.normal(size=(2, 50))) for k in range(2)]
    curves = [br.epc(*pair, alpha=[0.5]) for pair in zip(dev, FIVE, strict=False)]
    result = br.variance_components(curves, replicates=2000, rng=1)
    assert result.values.tolist() == [float(e.value[0]) for e in curves]
    rng, met = np.random.default_rng(2), []
    for _ in range(200):
        rows = rng.integers(50, size=(2, 50))
        again = [br.Scores(d.client[rows[0]], d.impostor[rows[1]]) for d in dev]
        met.append([float(br.epc(d, t, alpha=[0.5]).value[0]) for d, t in zip(again, FIVE)])  # noqa: B905
    covariance = np.cov(np.array(met), rowvar=False)
    # Monte Carlo error of a covariance of 200: 10 % of the variances.
    assert result.dev.estimate == pytest.approx(covariance[0, 1], abs=0.3 * covariance[0, 0])


def test_a_frame_has_the_trainings_of_its_column():
    rows = [
        pd.DataFrame({"seed": k, "label": y, "score": x})
        for k, s in enumerate(FIVE) for y, x in ((1, s.client), (0, s.impostor))
    ]  # fmt: skip
    one = br.variance_components(pd.concat(rows), "auc", seed="seed")
    other = br.variance_components(dict(enumerate(FIVE)), "auc")
    assert sorted(one.values) == sorted(other.values)
    assert one.training.estimate == pytest.approx(other.training.estimate, rel=1e-12)


def test_two_methods_on_one_test_set():
    """The same method twice has no difference; Satterthwaite's of independent sets is Welch's."""
    sets = [[training(0.1 * k, z=RNG.normal(size=(2, 40))) for k in range(6)] for _ in range(2)]
    a, b = (br.variance_components(s, "auc", paired=False) for s in sets)
    result = br.difference(a, b, "mean", paired=False)
    welch = stats.ttest_ind(a.values, b.values, equal_var=False)
    assert result.p_value == pytest.approx(welch.pvalue, rel=1e-9)
    paired = br.variance_components(FIVE, "auc")
    apart = br.difference(paired, a, "mean", paired=False)  # A's trainings share their test set
    assert apart.high - apart.low > paired.mean.high - paired.mean.low
    same = br.difference(paired, paired, "mean")
    assert (same.estimate, same.p_value) == (0.0, 1.0)
    assert br.interval(paired, "mean") == paired.mean


def test_distances_are_as_negated_scores():
    with suppress_warnings():  # of distances below 0
        distances = [br.Scores(-s.client, -s.impostor, lower_is_client=True) for s in FIVE]
        lower = br.variance_components(distances, "hter", threshold=-0.7)
    higher = br.variance_components(FIVE, "hter", threshold=0.7)
    assert lower.values.tolist() == higher.values.tolist()
    assert lower.test == higher.test
    with pytest.raises(br.InputError, match="lower_is_client"):
        br.variance_components([FIVE[0], distances[1]], "auc")


def test_trials_of_one_person_vary_together():
    """Copies of a trial, as a group, are the trial: the same variances as of single ones."""

    def copies(s):
        names = [np.repeat([f"{who}{k}" for k in range(60)], 3) for who in "ci"]
        return br.Scores(np.repeat(s.client, 3), np.repeat(s.impostor, 3),
                         client_groups=names[0], impostor_groups=names[1])  # fmt: skip

    grouped = br.variance_components([copies(s) for s in FIVE], "hter@threshold=0.7")
    single = br.variance_components(FIVE, "hter@threshold=0.7")
    for name in ("training", "test", "interaction", "mean"):
        one, other = getattr(grouped, name), getattr(single, name)
        assert one.estimate == pytest.approx(other.estimate, rel=0.05)
        if name != "interaction":
            assert one.high == pytest.approx(other.high, rel=0.05)


def test_what_nothing_moves_and_other_statistics_are_said():
    apart = [br.Scores(s.client + 20.0, s.impostor) for s in FIVE]
    with pytest.warns(br.SmallSampleWarning, match="no training and no trial moves 'auc'"):
        assert br.variance_components(apart, "auc").mean.estimate == 1.0
    with pytest.warns(br.ExtrapolationWarning):
        br.variance_components(FIVE, "frr@far=0.001")
    a, b = br.variance_components(FIVE, "auc"), br.variance_components(FIVE, "eer")
    with pytest.raises(br.InputError, match="have one statistic"):
        br.difference(a, b, "mean")
    with pytest.raises(br.InputError, match="hold their trainings"):
        br.difference(br.from_json(a.to_json()), a, "mean")


@pytest.mark.simulation
def test_methods_with_devs_of_their_own_keep_their_variance():
    """Each method's trainings share a dev of their own: its variance is not averaged away."""
    z = [RNG.normal(size=(2, n)) for n in (20, 21)]
    curves = [
        [br.epc(training(0.05 * k, z=dev), FIVE[k], alpha=[0.5]) for k in range(4)] for dev in z
    ]
    a, b = (br.variance_components(c, rng=1) for c in curves)
    result = br.difference(a, b, "mean", rng=1)
    reach = 0.5 * (result.high - result.low)
    assert reach > 1.9 * np.sqrt(a.dev.estimate + b.dev.estimate)
    own = [br.epc(training(z=RNG.normal(size=(2, 20 + k))), FIVE[k], alpha=[0.5]) for k in range(4)]
    c = br.variance_components(own, rng=1)  # each on a dev of its own
    assert br.difference(a, c, "mean", rng=1).low < br.difference(a, c, "mean", rng=1).high


@pytest.mark.parametrize(
    ("trainings", "options", "words"),
    [
        (FIVE[:1], {"stat": "auc"}, "two or more Scores"),
        ([FIVE[0], FIVE[1], FIVE[0]], {"stat": "auc"}, "equal scores of 1 and 3"),
        ([FIVE[0], br.Scores([1.0, 2.0, 3.0], [0.0, 1.5, 2.5])], {"stat": "auc"}, "same test tri"),
        (FIVE, {"stat": "d-prime"}, "taken at a threshold"),
        (FIVE, {"stat": "far@frr=0.1"}, "taken at a threshold"),
        ([br.epc(s, s._with(client=s.client + 0.1)) for s in FIVE[:2]], {}, "have one alpha"),
    ],
)
def test_what_is_refused(trainings, options, words):
    with pytest.raises((br.InputError, br.InputTypeError), match=words):
        br.variance_components(trainings, **options)


ONE, TWO = br.Scores([2, 3, 4, 5], [0, 1, 2, 3]), br.Scores([3, 4, 5, 6], [0, 1, 2, 3])
MODEL = br.ScoreModel(br.Empirical([3, 4, 5, 6]), br.Empirical([0, 1, 2, 3]))  # of TWO


def test_vertical_means_and_their_ends_by_hand_know_ranks_alone():
    """At FAR 1/4 TPRs are 3/4 and 1; with t(.975, 1) = 12.706 the ends lie beyond [0, 1]."""
    band = br.mean_curve([ONE, TWO], far=[0.25])
    assert (band.estimate, band.low, band.high) == ([0.875], [0.0], [1.0])
    many = br.mean_curve([ONE, TWO] * 20, far=[0.25])
    reach = 2.022690911734728 * math.sqrt(40 / 39) * 0.125 / math.sqrt(40)  # t(.975, 39)
    assert many.low[0] <= 0.875 - reach < 0.875 + reach <= many.high[0]
    assert many.groups == (None, 40)
    stretched = br.Scores(np.exp(TWO.client), np.exp(TWO.impostor))
    first, second = (br.mean_curve([ONE, other]) for other in (TWO, stretched))
    assert np.array_equal(first.estimate, second.estimate)


def test_equal_trainings_have_their_own_curve_and_the_interval_of_all_clients():
    """Clopper and Pearson: of 3 times 4 clients all accepted 0.025^(1/12) is the lower end."""
    at = np.linspace(0, 1, 9)
    band, roc = br.mean_curve([TWO] * 3, far=at), MODEL.roc()
    assert band.estimate == pytest.approx(roc.tpr(at))
    assert band.low[-1] == pytest.approx(0.025 ** (1 / 12))
    by_threshold = br.mean_curve([TWO] * 3, averaging="threshold")
    assert np.all(np.diff(by_threshold.alpha) >= 0)
    assert np.all(by_threshold.estimate <= roc.tpr(by_threshold.alpha) + 1e-12)  # or below a step


def test_epcs_are_averaged_at_each_alpha_and_means_drawn_as_roc_and_det():
    curves = [br.epc(a, b, alpha=[0.3, 0.7]) for a, b in ((ONE, TWO), (TWO, ONE))]
    band = br.mean_curve(curves)
    assert band.estimate.tolist() == np.mean([e.value for e in curves], axis=0).tolist()
    assert band.plot().get_xlabel() == "alpha"
    with pytest.raises(br.InputError, match="equal alphas"):
        br.mean_curve([curves[0], br.epc(ONE, TWO, alpha=[0.3, 0.6])])
    band = br.mean_curve([ONE, TWO])
    for kind, names in (("roc", ("FAR", "TPR")), ("det", ("FAR", "FRR"))):
        ax = band.plot(kind=kind)
        assert (ax.get_xlabel(), ax.get_ylabel()) == names
        assert band.plot(kind=kind, terms="medical").get_xlabel() == "FPF"
        assert "interval of the mean of 2 trainings" in ax.get_legend().get_texts()[-1].get_text()


def test_where_no_impostor_of_a_training_lies_beyond_the_interval_begins_at_0():
    """Normal classes two apart: the TPR at FAR 0 is 0, at .005 .28; 50 impostors say neither."""
    rng = np.random.default_rng(2)
    trainings = [br.Scores(rng.normal(2, 1, 50), rng.normal(0, 1, 50)) for _ in range(10)]
    band = br.mean_curve(trainings, far=[0.0, 0.005, 0.1])
    assert band.low[:2].tolist() == [0.0, 0.0]
    assert 0.5 < band.low[2] < band.estimate[2]
