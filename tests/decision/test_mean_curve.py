"""Means of curves over trainings: by hand, one training's own curve, a theorem, pictures."""

import math

import numpy as np
import pytest

import betaroc as br

ONE, TWO = br.Scores([2, 3, 4, 5], [0, 1, 2, 3]), br.Scores([3, 4, 5, 6], [0, 1, 2, 3])
MODEL = br.ScoreModel(br.Empirical([3, 4, 5, 6]), br.Empirical([0, 1, 2, 3]))  # of TWO


def test_vertical_means_and_their_ends_by_hand():
    """At FAR 1/4 TPRs are 3/4 and 1; with t(.975, 1) = 12.706 the ends lie beyond [0, 1]."""
    band = br.mean_curve([ONE, TWO], far=[0.25])
    assert (band.estimate, band.low, band.high) == ([0.875], [0.0], [1.0])
    many = br.mean_curve([ONE, TWO] * 20, far=[0.25])
    reach = 2.022690911734728 * math.sqrt(40 / 39) * 0.125 / math.sqrt(40)  # t(.975, 39)
    assert many.low[0] <= 0.875 - reach < 0.875 + reach <= many.high[0]
    assert many.groups == (None, 40)


def test_equal_trainings_have_their_own_curve_and_the_interval_of_all_clients():
    """Clopper and Pearson: of 3 times 4 clients all accepted 0.025^(1/12) is the lower end."""
    at = np.linspace(0, 1, 9)
    band, roc = br.mean_curve([TWO] * 3, far=at), MODEL.roc()
    assert band.estimate == pytest.approx(roc.tpr(at))
    assert band.low[-1] == pytest.approx(0.025 ** (1 / 12))
    by_threshold = br.mean_curve([TWO] * 3, averaging="threshold")
    assert np.all(np.diff(by_threshold.alpha) >= 0)
    assert np.all(by_threshold.estimate <= roc.tpr(by_threshold.alpha) + 1e-12)  # or below a step


def test_vertical_means_know_ranks_alone():
    stretched = br.Scores(np.exp(TWO.client), np.exp(TWO.impostor))
    first, second = (br.mean_curve([ONE, other]) for other in (TWO, stretched))
    assert np.array_equal(first.estimate, second.estimate)


def test_epcs_are_averaged_at_each_alpha():
    curves = [br.epc(a, b, alpha=[0.3, 0.7]) for a, b in ((ONE, TWO), (TWO, ONE))]
    band = br.mean_curve(curves)
    assert band.estimate.tolist() == np.mean([e.value for e in curves], axis=0).tolist()
    assert band.plot().get_xlabel() == "alpha"
    with pytest.raises(br.InputError, match="equal alphas"):
        br.mean_curve([curves[0], br.epc(ONE, TWO, alpha=[0.3, 0.6])])


@pytest.mark.parametrize("curves", [[], [ONE], [ONE, br.epc(ONE, TWO)], ONE, None])
def test_what_is_no_set_of_trainings_is_refused(curves):
    with pytest.raises(br.InputError, match="two or more Scores, or two or more Epc"):
        br.mean_curve(curves)


def test_a_mean_is_drawn_as_roc_and_det():
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
