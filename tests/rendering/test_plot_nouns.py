"""Whatever has a picture draws it on axes of a caller as on its own."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import betaroc as br
from betaroc.distributions.pictures import plot_classes
from helpers.cases import case


def draws():
    """By its name what draws each noun."""
    rng = np.random.default_rng(0)
    scores = br.Scores(rng.beta(4, 2, 30), rng.beta(2, 4, 30), name="one")
    fit = br.fit(scores)
    test = br.Scores(rng.beta(4, 2, 40), rng.beta(2, 4, 40))
    curve = br.epc(scores, test, alpha=[0.5])
    comparison = br.compare(curve, curve, replicates=5, rng=1)
    decision = br.decide(scores, far=0.1)
    kinds = {f"Fit {kind}": lambda ax=None, kind=kind: fit.plot(kind, ax)
             for kind in ("roc", "histogram", "densities", "pp", "qq", "tails")}  # fmt: skip
    return kinds | {
        "Scores": scores.plot, "ScoreModel": fit.model.plot, "Roc": fit.model.roc().plot,
        "Det": fit.model.det().plot, "PrecisionRecall": fit.model.precision_recall().plot,
        "Epc": curve.plot, "Epc expected": curve.plot_expected, "Comparison": comparison.plot,
        "Comparison difference": comparison.plot_difference,
        "Decision": decision.plot, "DecisionCheck": decision.check(test).plot,
        "FitCheck": br.check_fit(fit, replicates=19, rng=1).plot,
        "Band": curve.band(replicates=5, rng=1).plot, "Band of a ROC": fit.roc_band().plot,
        "Interval": br.auc_interval(scores).plot,
    }  # fmt: skip


@pytest.mark.simulation
def test_axes_of_a_caller_are_named_as_our_own():
    for name, draw in draws().items():
        with case(name):
            own, given = draw(), Figure().subplots()
            assert draw(ax=given) is given
            assert own.get_xlabel()
            assert own.get_ylabel() or own.get_yticklabels()
            for one, two in ((own.xaxis, given.xaxis), (own.yaxis, given.yaxis)):
                assert one.get_label_text() == two.get_label_text()
                assert type(one.get_major_formatter()) is type(two.get_major_formatter())
            assert own.get_xlim() == pytest.approx(given.get_xlim(), rel=1e-12)
            assert own.get_ylim() == given.get_ylim()
            with pytest.raises(br.InputTypeError, match="ax must be matplotlib Axes; got"):
                draw(ax=Figure())
            plt.close("all")


@pytest.mark.simulation
def test_densities_of_a_fit_are_those_of_its_model():
    fit = br.fit(br.Scores(np.arange(6, 20) / 20, np.arange(1, 15) / 20))
    for one, two in zip(fit.plot("histogram").lines, fit.model.plot().lines, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), two.get_xydata())
    bars = [[bar.get_height() for bar in ax.patches]
            for ax in (fit.plot("histogram", bins=7), fit.scores.plot(bins=7))]  # fmt: skip
    assert bars[0] == bars[1]
    with pytest.raises(br.InputError, match="bins must be left out of kind"):
        fit.plot("roc", bins=5)


@pytest.mark.simulation
@pytest.mark.parametrize("law", [
    br.Beta(0.0015, 0.0164), br.Beta(1e-300, 1e-300), br.Normal(0.0, 5e-324), br.Beta(1e11, 1e11),
])  # fmt: skip
def test_densities_that_are_infinite_where_the_scores_are(law):
    """Of Beta(0.0015, 0.0164) most quantiles round to 0 or 1, where the density is infinite."""
    sample = br.Empirical([0.1, 0.2])
    for ax in (plot_classes(None, [laws], ["law"], {}) for laws in ((law,), (sample, law))):
        low, high = ax.get_ylim()
        assert 0.0 <= low < high < np.inf
        ax.figure.draw_without_rendering()


@pytest.mark.parametrize("noun", [
    br.ScoreModel(br.Normal(1e308, 1e307), br.Normal(0, 1)),
    br.Scores([-1e308, 1e308], [0.0]),
])  # fmt: skip
def test_scores_too_far_apart_for_axes(noun):
    with pytest.raises(br.InputError, match="a picture must be of scores between"):
        noun.plot()
