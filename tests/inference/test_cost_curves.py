"""Bayes-error plots and decision curves, against pyllr and dcurves, and by hand."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.distributions.empirical import EmpiricalPair
from betaroc.fits.pictures import calibrated_band
from betaroc.model.calibration import pav

REFERENCE = Path(__file__).parents[1] / "reference"
MARKER = json.loads((REFERENCE / "net_benefit.json").read_text())


def test_net_benefits_are_those_of_dcurves():
    marker = br.Scores(MARKER["client"], MARKER["impostor"])
    curve = br.decision_curve(marker, np.nextafter(MARKER["threshold"], 0.0))
    assert curve.prior == MARKER["prevalence"]
    assert curve.actual[0] == pytest.approx(MARKER["net_benefit"], rel=0.0, abs=1e-15)
    assert np.all(curve.best >= curve.actual - 1e-15)
    at = br.interval(marker, "net-benefit", probability=MARKER["threshold"][2])
    assert (curve.low[0, 2], curve.high[0, 2]) == (at.low, at.high)


@pytest.mark.simulation
def test_a_smooth_curve_is_that_of_very_many_scores():
    llr = br.ScoreModel(br.Normal(2, 2), br.Normal(-2, 2))  # their log-likelihood ratio
    beta = br.ScoreModel(br.Beta(3, 2), br.Beta(2, 3), prior=0.5)  # their posterior
    for model, draw in ((llr, br.bayes_error_curve), (beta, br.decision_curve)):
        at = [-3.0, 0.0, 1.5] if model is llr else [0.1, 0.5, 0.8]
        curve = draw({"model": model, "scores": model.sample(200_000, 200_000, rng=1)}, at)
        assert curve.actual[0] == pytest.approx(curve.best[0], abs=1e-12)  # calibrated
        four_errors = curve.high[1] - curve.low[1]
        assert np.all(np.abs(curve.actual[1] - curve.actual[0]) <= four_errors)
        assert np.all(np.abs(curve.best[1] - curve.best[0]) <= four_errors)


def test_ties_separated_classes_and_trials_without_a_score():
    ties, apart = br.Scores([0.3] * 3, [0.3] * 6), br.Scores([0.8, 0.9], [0.1, 0.2, 0.3, 0.4])
    curve = br.decision_curve({"ties": ties, "apart": apart}, [0.0, 0.2, 0.5, 0.9])
    all_ = 1 / 3 - 2 / 3 * np.array([0.0, 0.25, 1.0, 9.0])
    assert curve.default == pytest.approx(np.maximum(all_, 0.0))
    assert curve.actual[0] == pytest.approx([all_[0], all_[1], 0.0, 0.0])
    assert curve.best == pytest.approx(np.stack([curve.default, np.full(4, 1 / 3)]))
    assert len(curve.to_frame()) == 8
    assert "apart   2 of 4" in str(curve)
    scores = br.Scores([0.4, 0.9], [0.1, 0.5], n_client_rejected=1, n_impostor_rejected=2)
    assert br.decision_curve(scores, [0.2]).actual[0] == pytest.approx([2 / 7 - 1 / 7 / 4])


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_a_class_that_never_comes(prior):
    curve = br.decision_curve(br.Scores([0.4, 0.9], [0.1, 0.5]), [0.0, 0.4, 0.8], prior=prior)
    tpr, far = np.array([1.0, 0.5, 0.5]), np.array([1.0, 0.5, 0.0])
    assert curve.actual[0] == pytest.approx([-far * [0, 2 / 3, 4], tpr][int(prior)])
    assert curve.best[0] == pytest.approx([prior] * 3)


@pytest.mark.nightly
def test_pictures_have_every_curve_both_defaults_and_of_a_fit_that_beside_the_scores():
    scores = br.Scores([0.4, 0.9, 0.7], [0.1, 0.5, 0.3])
    ax = br.decision_curve({"a": scores, "b": scores}).plot(color="red")
    assert [line.get_gid() for line in ax.lines].count("curve") == 2
    assert ax.get_ylim()[0] == -0.05
    (line,) = br.bayes_error_curve(scores).plot(normalized=True).lines[-1:]
    assert np.all(line.get_ydata() == 1.0)
    few = br.decision_curve(scores, [0.5, 0.2, 0.6]).plot().lines[0]
    assert (few.get_xdata().tolist(), few.get_marker()) == ([0.2, 0.5, 0.6], "o")
    assert br.decision_curve(scores, 0.5).plot().lines[0].get_ydata().tolist() == [1 / 3]
    fit = br.fit(br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4)).sample(60, 90, rng=1))
    for kind in ("bayes-error", "decision-curve", "calibration"):
        names = [text.get_text() for text in fit.plot(kind).figure.legends[0].get_texts()]
        assert any("beta fit" in name for name in names), kind
        assert any("scores" in name for name in names), kind
    apart = br.Scores(np.arange(50.0, 62.0), np.arange(80.0, 92.0))  # all claim to be clients
    with pytest.warns(br.ReversedScoresWarning):
        assert br.fit(apart, "normal").plot("calibration").get_ylim() == (-2.0, 2.0)
    scores = br.Scores(range(1, 13), range(12), client_weights=[1.5] * 12)
    with pytest.raises(br.InputError, match="whole numbers of copies"):
        br.fit(scores, "normal").plot("calibration")


@pytest.mark.simulation
def test_calibrated_scores_lie_in_their_band():
    # Of normal log-likelihood ratios, at nine deciles of each of 8 draws, error .026; pointwise.
    model, inside = br.ScoreModel(br.Normal(2, 2), br.Normal(-2, 2)), []
    for seed in range(8):
        pair = EmpiricalPair(*model.sample(60, 140, rng=seed)._distributions)
        x, low, high = calibrated_band(pair, math.log(60 / 140), 0.95, unit=False, rng=seed)
        blocks, at = pav(pair.client, pair.impostor), np.arange(20, 200, 20)
        value = blocks.log_ratio[blocks.block_of(x[at])]
        inside += [*((value >= low[at]) & (value <= high[at]))]
    assert np.mean(inside) >= 0.95 - 3 * 0.026
