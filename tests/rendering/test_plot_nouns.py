"""Every picture draws its own noun, a fit where a model or a distribution will do, and says of
anything else how its noun is made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import betaroc as br
from betaroc.rendering import pictures as plot

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
    assert set(TAKES) == set(plot.__all__)


@pytest.mark.simulation
@pytest.mark.parametrize("name", plot.__all__)
def test_pictures_and_nouns(name: str, nouns: dict[str, Any]) -> None:
    draw, taken = getattr(plot, name), TAKES[name]
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


def test_a_fit_is_drawn_as_its_model(nouns: dict[str, Any]) -> None:
    fit = nouns["Fit"]
    of_fit, of_model = (plot.plot_densities(one) for one in (fit, fit.model))
    for one, two in zip(of_fit.lines, of_model.lines, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), two.get_xydata())


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
