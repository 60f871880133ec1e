"""Logarithmic axes of ROCs and expected performance curves: what is drawn, and what cannot be."""

import numpy as np
import pytest

import betaroc as br

STEPS = br.ScoreModel(br.Empirical([1, 3, 3, 5]), br.Empirical([0, 1, 2, 3, 4]))


@pytest.mark.simulation
def test_a_roc_of_scores_begins_at_its_smallest_rate_above_zero():
    ax = STEPS.roc().plot(scale="log")
    (curve,) = (line for line in ax.lines if line.get_gid() == "curve")
    x, y = np.asarray(curve.get_xydata()).T
    assert x.min() == 0.2  # one of five impostors
    assert ax.get_xlim()[0] == 0.2
    assert ax.get_xscale() == "log"
    # Between two attainable points the curve is straight in the rates, and so it is drawn.
    assert np.abs(y - STEPS.roc().tpr(x)).max() <= 1e-15
    assert np.sum((x > 0.2) & (x < 0.4)) > 4  # the tie at 3
    texts = {label.get_text() for label in ax.get_xticklabels()}
    assert {"20 %", "100 %"} <= texts


def test_a_roc_of_rates_0_and_1_is_its_line_between_them():
    """Of classes apart it is the top, of equal scores the diagonal."""
    for client, impostor in ((0.7, 0.2), (0.5, 0.5)):
        model = br.ScoreModel(br.Empirical([client]), br.Empirical([impostor]))
        ax = model.roc().plot(scale="log")
        (curve,) = (line for line in ax.lines if line.get_gid() == "curve")
        x, y = np.asarray(curve.get_xydata()).T
        assert (x.min(), x.max(), ax.get_xlim()[0]) == (1e-4, 1.0, 1e-4)
        assert np.abs(y - (x if client == impostor else 1.0)).max() <= 1e-15


def test_a_density_goes_on_and_the_axis_begins_at_one_in_ten_thousand():
    model = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
    ax = model.roc().plot(scale="log", terms="pad")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("APCER", "1 - BPCER")
    assert ax.get_xlim()[0] == 1e-4
    curve = next(line for line in ax.lines if line.get_gid() == "curve")
    x, y = np.asarray(curve.get_xydata()).T
    assert x.min() < 1e-4
    inside = (x > 1e-4) & (x < 1.0)
    assert np.abs(y - model.roc().tpr(x))[inside].max() < 1e-3  # chords


def test_axes_of_two_scales_are_refused():
    with pytest.raises(br.InputError, match="ax must have a logarithmic x axis"):
        STEPS.roc().plot(STEPS.roc().plot(), scale="log")
    with pytest.raises(br.InputError, match="scale must be one of"):
        STEPS.roc().plot(scale="logit")


def test_a_curve_has_a_log_axis_of_its_measure():
    rng = np.random.default_rng(1)
    dev, test = (br.Scores(rng.normal(2, 1, 60), rng.normal(0, 1, 60)) for _ in range(2))
    curve = br.epc(dev, test, measure="fnmr")
    ax = curve.plot(scale="log", terms="matching", expected=True)
    assert ax.get_yscale() == "log"
    assert ax.get_ylabel() == "false non-match rate on test"
    assert "10 %" in [label.get_text() for label in ax.get_yticklabels()]
    assert curve.plot(terms="pad").get_ylabel() == "BPCER on test"  # its title is too long
    np.testing.assert_array_equal(np.asarray(ax.lines[0].get_xydata())[:, 1], curve.value)
    with pytest.raises(br.InputError, match="for 'youden', which may be negative"):
        br.epc(dev, test, measure="youden").plot(scale="log")
