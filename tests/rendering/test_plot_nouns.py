"""Every picture draws its own noun, a fit where a model or a distribution will do, and says of
anything else how its noun is made."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import betaroc as br
from helpers.cases import some
from helpers.pictures import PICTURES, plot

#: The nouns that each picture takes as its first argument.
TAKES = {
    "plot_a_priori": {"list of Epc"},
    "plot_a_priori_points": {"Epc"},
    "plot_comparison": {"Comparison"},
    "plot_densities": {"ScoreModel", "Fit"},
    "plot_density": {"Beta", "DistributionFit", "Empirical"},
    "plot_det": {"Det"},
    "plot_difference": {"Comparison"},
    "plot_difference_histogram": {"Comparison"},
    "plot_ensemble": {"Inclusion"},
    "plot_epc": {"Epc"},
    "plot_expected_obtained": {"Epc"},
    "plot_fit": {"Fit"},
    "plot_fitted_roc": {"Fit"},
    "plot_gains": {"Inclusion"},
    "plot_histogram": {"array"},
    "plot_hull": {"Inclusion"},
    "plot_learned": {"Inclusion"},
    "plot_precision_recall": {"PrecisionRecall"},
    "plot_roc": {"Roc"},
}


@pytest.fixture(scope="module")
def nouns() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    scores = br.Scores(rng.beta(4, 2, 30), rng.beta(2, 4, 30), name="one")
    fit = br.fit(scores)
    curve = br.epc(scores, scores.__class__(rng.beta(4, 2, 40), rng.beta(2, 4, 40)), alpha=[0.5])
    both = np.concatenate([scores.client, scores.impostor])
    frame = pd.DataFrame(
        {
            "a": both,
            "b": np.clip(both + rng.normal(0, 0.1, 60), 0.01, 0.99),
            "label": [1] * 30 + [0] * 30,
        }
    )
    return {
        "Scores": scores, "ScoreSummary": br.summarize(frame, score="a"), "Fit": fit,
        "ScoreModel": fit.model, "DistributionFit": fit.client, "Beta": br.Beta(2, 1),
        "Empirical": br.Empirical([0.1, 0.4]), "Roc": fit.model.roc(), "Det": fit.model.det(),
        "RocHull": fit.model.roc().hull(), "PrecisionRecall": fit.model.precision_recall(),
        "Epc": curve, "list of Epc": [curve], "Band": curve.band(replicates=5, rng=1),
        "Comparison": br.compare(curve, curve, replicates=5, rng=1),
        "Inclusion": br.inclusion(frame), "OperatingPoint": fit.eer(), "array": scores.client,
        "text": "x", "number": 3, "None": None, "mapping": {}, "empty": [],
    }  # fmt: skip


def test_the_table_names_every_picture() -> None:
    assert set(TAKES) == set(PICTURES)


@pytest.mark.simulation
@pytest.mark.parametrize("name", PICTURES)
def test_pictures_and_nouns(name: str, nouns: dict[str, Any]) -> None:
    draw, taken = PICTURES[name], TAKES[name]
    for kind, noun in nouns.items():
        more = {"plot_difference_histogram": [0.5]}.get(name, [])
        if name == "plot_a_priori_points":
            more = [plot.plot_roc(nouns["Roc"])]
        if kind in taken:
            draw(noun, *more)
            continue
        with pytest.raises((br.InputTypeError, br.InputError)) as caught:
            draw(noun, *more)
        assert len(str(caught.value)) <= 400
        if name != "plot_histogram":
            assert isinstance(caught.value, br.InputTypeError)
            assert " must be a" in str(caught.value)


#: What a picture is called beside its noun where it needs more.
MORE: dict[str, dict[str, Any]] = {"plot_difference_histogram": {"alpha": 0.5}}
#: Pictures of one thing that has no name, or has it at the ticks.
WITHOUT_LEGEND = {"plot_density", "plot_histogram", "plot_learned", "plot_precision_recall"}


@pytest.mark.simulation
@pytest.mark.parametrize("name", some(sorted(set(PICTURES) - {"plot_ensemble"}), 4))
def test_axes_of_a_caller_are_named_as_our_own(name: str, nouns: dict[str, Any]) -> None:
    draw, noun = PICTURES[name], nouns[min(TAKES[name])]
    assert inspect.signature(draw).parameters["ax"].default is None
    own = draw(noun, **MORE.get(name, {}))
    given = Figure().subplots()
    if name == "plot_a_priori_points":
        plot.plot_det(noun.test.det(), given)
    assert draw(noun, ax=given, **MORE.get(name, {})) is given
    assert own.get_xlabel()
    assert own.get_ylabel() or own.get_yticklabels()
    for one, two in ((own.xaxis, given.xaxis), (own.yaxis, given.yaxis)):
        assert one.get_label_text() == two.get_label_text()
        assert type(one.get_major_formatter()) is type(two.get_major_formatter())
    assert own.get_xlim() == given.get_xlim()
    assert own.get_ylim() == given.get_ylim()
    has_legend = given.get_legend() is not None
    assert has_legend or (name in WITHOUT_LEGEND and own.get_legend() is None)


def test_what_a_caller_has_set_stays(nouns: dict[str, Any]) -> None:
    ax = Figure().subplots()
    ax.set(xlim=(0.0, 0.1), xlabel="errors")
    plot.plot_roc(nouns["Roc"], ax)
    assert (ax.get_xlim(), ax.get_xlabel(), ax.get_ylabel()) == ((0.0, 0.1), "errors", "TPR")


@pytest.mark.simulation
def test_several_curves_without_a_name_are_told_apart() -> None:
    model = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
    again, third = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4), name="again"), model.generic()
    for noun in ("roc", "det", "precision_recall"):
        ax = getattr(model, noun)().plot()
        assert ax.get_legend() is None
        for other in (again, third):
            getattr(other, noun)().plot(ax)
        words = [text.get_text() for text in ax.get_legend().get_texts()]
        assert words == ["curve 1", "again", "curve 3"]
    curve = br.epc(model, model, alpha=[0.4, 0.6])
    ax = plot.plot_epc(curve, plot.plot_epc(curve))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["curve 1", "curve 2"]
    hidden = plot.plot_density(br.Beta(2, 3), plot.plot_density(br.Beta(3, 2)), label="_nolegend_")
    assert hidden.get_legend() is None


def test_a_fit_is_drawn_as_its_model(nouns: dict[str, Any]) -> None:
    fit = nouns["Fit"]
    of_fit, of_model = (plot.plot_densities(one) for one in (fit, fit.model))
    for one, two in zip(of_fit.lines, of_model.lines, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), two.get_xydata())


@pytest.mark.simulation
def test_what_is_no_axes(nouns: dict[str, Any]) -> None:
    for ax in ("x", Figure(), 3):
        with pytest.raises(br.InputTypeError, match="ax must be matplotlib Axes; got"):
            plot.plot_roc(nouns["Roc"], ax)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"weights": [1.0]}, "weights must have one weight a score"),
        ({"weights": [-1.0, 1.0]}, "weights must be >= 0"),
        ({"limits": 3}, "limits must be two numbers"),
        ({"limits": (1.0, 0.0)}, "low < high"),
        ({"law": "x"}, "law must be a Distribution"),
        ({"bins": 0}, "bins must be an int >= 1"),
    ],
)
def test_what_a_histogram_refuses(options: dict[str, Any], text: str) -> None:
    with pytest.raises((br.InputError, br.InputTypeError), match=text):
        plot.plot_histogram([0.2, 0.4], **options)


@pytest.mark.simulation
@pytest.mark.parametrize("law", [
    br.Beta(0.0015, 0.0164), br.Beta(1e-300, 1e-300), br.Normal(0.0, 5e-324),
    br.Normal(0.0, 1e-300), br.LogitNormal(0.0, 1e-300), br.Beta(1e11, 1e11),
])  # fmt: skip
def test_densities_that_are_infinite_where_the_scores_are(law: br.Distribution) -> None:
    """Of Beta(0.0015, 0.0164) most quantiles round to 0 or 1, where the density is infinite."""
    for ax in (plot.plot_density(law), plot.plot_histogram([0.1, 0.2], law)):
        low, high = ax.get_ylim()
        assert 0.0 <= low < high < np.inf
        ax.figure.draw_without_rendering()


@pytest.mark.parametrize("draw", [
    lambda: plot.plot_density(br.Normal(1e308, 1e307)),
    lambda: plot.plot_density(br.Empirical([-1e308, 1e308])),
    lambda: plot.plot_histogram([-1e308, 1e308]),
])  # fmt: skip
def test_scores_too_far_apart_for_axes(draw: Any) -> None:
    with pytest.raises(br.InputError, match="a picture must be of scores between"):
        draw()
