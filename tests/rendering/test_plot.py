"""Pictures: what the lines hold and what the axes say, never pixels."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.special import ndtri

import betaroc as br
from betaroc.rendering.picture_files import draw_svg
from betaroc.rendering.style import legend, legend_below, new_axes, stacked_axes
from helpers.pictures import plot

BETA = br.ScoreModel(br.Beta(5.0, 2.0), br.Beta(2.0, 5.0), name="bells")
SAMPLE = br.ScoreModel(br.Empirical([0.4, 0.6, 0.8]), br.Empirical([0.1, 0.3, 0.5, 0.6]))
NORMAL = br.ScoreModel(br.Normal(2.0, 1.0), br.Normal(0.0, 2.0))


def labels(ax: object) -> list[str]:
    legend = ax.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def test_roc_of_a_sample_is_its_polyline() -> None:
    # Thresholds from above: 0.8 rejects all; then accept 0.8 | 0.6 both | 0.5 | 0.4 | 0.3 | 0.1.
    ax = SAMPLE.roc().plot()
    x, y = ax.lines[0].get_data()
    assert x * 4 == pytest.approx([0, 0, 1, 2, 2, 3, 4])
    assert y * 3 == pytest.approx([0, 1, 2, 2, 3, 3, 3])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("FAR", "TPR")


def test_roc_of_the_paper_has_its_axes() -> None:
    ax = BETA.roc(positive="impostor").plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("F_c", "F_i")
    x, y = ax.lines[0].get_data()
    assert np.interp(0.1, x, y) == pytest.approx(BETA.impostor.cdf(BETA.client.ppf(0.1)), abs=1e-3)


def test_ticks_say_per_cent_and_data_are_fractions() -> None:
    ax = BETA.roc().plot()
    assert ax.xaxis.get_major_formatter()(0.25) == "25 %"
    assert ax.lines[0].get_xdata().max() == 1.0


def test_several_curves_share_axes_and_one_chance_line() -> None:
    ax = BETA.roc().plot()
    assert BETA.generic().roc().plot(ax=ax, linestyle="--", label="again") is ax
    assert labels(ax) == ["bells", "again"]
    assert [line.get_gid() for line in ax.lines].count("chance") == 1
    curves = [line for line in ax.lines if line.get_gid() != "chance"]
    assert curves[0].get_color() != curves[1].get_color()


def test_det_of_normal_laws_is_a_straight_line_of_the_known_slope() -> None:
    ax = NORMAL.det().plot()
    x, y = ax.lines[0].get_data()
    inside = (np.abs(x) < 3.0) & (np.abs(y) < 3.0)
    # theory: z(FRR) = -(mu_c - mu_i)/sigma_c - (sigma_i/sigma_c) z(FAR) = -2 - 2 z(FAR)
    assert y[inside] == pytest.approx(-2.0 - 2.0 * x[inside], abs=1e-9)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("FAR", "FRR")


def test_det_ticks_are_rates_and_limits_finite() -> None:
    ax = SAMPLE.det().plot()
    texts = [tick.get_text() for tick in ax.xaxis.get_ticklabels()]
    places = ax.get_xticks()
    assert "20 %" in texts
    assert places[texts.index("20 %")] == pytest.approx(ndtri(0.2))
    # Half of the smallest rate that 4 impostors can show is 1/8.
    assert ax.get_xlim()[0] == pytest.approx(ndtri(0.125))
    assert np.all(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]))
    NORMAL.det().plot(ax=ax)
    assert ax.get_xlim()[0] == pytest.approx(ndtri(1e-3))


def test_linear_det_keeps_rates() -> None:
    ax = BETA.det(scale="linear").plot()
    x, y = ax.lines[0].get_data()
    assert (x[0], y[0], x[-1], y[-1]) == (0.0, 1.0, 1.0, 0.0)


def test_precision_recall_leaves_out_the_undefined_point() -> None:
    ax = SAMPLE.precision_recall().plot()
    x, y = ax.lines[0].get_data()
    assert np.all(np.isfinite(y))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "precision")
    # Accepting all: recall 1, precision = prior = 1/2 of a typed pair.
    assert (x[-1], y[-1]) == (1.0, 0.5)


@pytest.mark.simulation
@pytest.mark.parametrize("name", ["$\\frac{1}{", "cost $5 and $6", "_hidden", "<b>&amp;", "a\nb"])
def test_names_are_only_text(name: str) -> None:
    ax = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5), name=name).roc().plot()
    assert labels(ax) == [name]
    assert not ax.get_legend().get_texts()[0].get_parse_math()
    draw_svg(lambda: ax, "salt")  # mathematics that do not parse would raise here


def test_axes_remember_what_was_drawn_on_them() -> None:
    drawn = {
        "roc": BETA.roc().plot(),
        "impostor-roc": BETA.roc(positive="impostor").plot(),
        "det": BETA.det().plot(),
        "linear-det": BETA.det(scale="linear").plot(),
    }
    assert {name: ax.get_gid() for name, ax in drawn.items()} == {name: name for name in drawn}
    assert BETA.precision_recall().plot().get_gid() is None


# ------------------------------------------------------------------ legends
def test_a_legend_names_grounds_and_areas_too() -> None:
    ax = new_axes()
    ax.plot([0, 1], [0, 1], label="line")
    ax.axvspan(0.2, 0.3, label="ground")
    ax.axvspan(0.4, 0.5)
    ax.fill_between([0, 1], [0, 0], [1, 1], label="area")
    ax.fill_between([0, 1], [0, 0], [1, 1], label="_nolegend_")
    legend(ax)
    assert labels(ax) == ["line", "area", "ground"]


def test_two_legends_become_one_below() -> None:
    upper, lower = stacked_axes()
    for ax, names in ((upper, "ab"), (lower, "bc")):
        for name in names:
            ax.plot([0, 1], [0, 1], label=name)
        legend(ax)
    height = upper.figure.get_figheight()
    legend_below(upper, 2, also=lower)
    assert (upper.get_legend(), lower.get_legend()) == (None, None)
    (below,) = upper.figure.legends
    assert [text.get_text() for text in below.get_texts()] == ["a", "b", "c"]
    assert upper.figure.get_figheight() > height
    assert upper.get_xlim() == lower.get_xlim()


# ------------------------------------------------------------------ densities
def test_histogram_has_twenty_bars_of_the_scores_area() -> None:
    scores = np.array([0.02, 0.03, 0.51, 0.99])
    ax = plot.plot_histogram(scores)
    heights = np.array([bar.get_height() for bar in ax.patches])
    assert len(heights) == 20
    assert heights.sum() * 0.05 == pytest.approx(1.0)
    assert heights[0] == pytest.approx(0.5 / 0.05)


def test_histogram_counts_weights() -> None:
    ax = plot.plot_histogram([0.1, 0.9], weights=[3.0, 1.0], bins=2)
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([1.5, 0.5])


def test_histogram_of_other_scores_spans_their_range() -> None:
    ax = plot.plot_histogram([-3.0, 1.0, 5.0])
    assert ax.patches[0].get_x() == -3.0
    last = ax.patches[-1]
    assert last.get_x() + last.get_width() == pytest.approx(5.0)


def test_equal_scores_are_drawn() -> None:
    assert len(plot.plot_histogram([7.0, 7.0]).patches) == 20


def test_point_masses_are_stems_and_not_in_the_bars() -> None:
    law = br.Inflated(br.Beta(2.0, 2.0), at_zero=0.5)
    ax = plot.plot_histogram([0.0, 0.0, 0.26, 0.74], law)
    heights = np.array([bar.get_height() for bar in ax.patches])
    assert heights.sum() * 0.05 == pytest.approx(0.5)
    density, stem = ax.lines
    x, y = density.get_data()
    assert np.interp(0.5, x, y) == pytest.approx(0.5 * 1.5, rel=1e-3)  # half of 6 x (1 - x)
    assert stem.get_data()[1].tolist() == pytest.approx([0.0, 0.5 / 0.05])
    assert ax.texts[0].get_text() == "P(S = 0) = 50 %"


def test_densities_of_a_pair_are_finite_where_they_are_drawn() -> None:
    ax = plot.plot_densities(br.ScoreModel(br.Beta(0.4, 0.3), br.Normal(0.0, 1.0)))
    assert labels(ax) == ["client", "impostor"]
    assert all(np.all(np.isfinite(line.get_ydata())) for line in ax.lines)
    assert np.isfinite(ax.get_ylim()[1])
    assert ax.get_xlim()[0] < -3.0


def test_an_infinite_density_leaves_the_frame_and_others_start_where_their_mass_does() -> None:
    rising = plot.plot_histogram([0.1, 0.2, 0.9], br.Beta(0.95, 1.3))
    x, y = rising.lines[0].get_data()
    assert x[0] == 0.0
    assert y[0] > 10.0 * rising.get_ylim()[1]
    # x^0.07 is half of its height at 5e-5 of the range: drawn from there it would be a tick.
    falling = plot.plot_histogram([0.1, 0.2, 0.9], br.Beta(1.07, 1.5))
    x, y = falling.lines[0].get_data()
    assert x[0] == pytest.approx(1e-3)
    assert y[0] > 0.6 * y.max()
    narrow = plot.plot_histogram([1e-4, 2e-4, 3e-4], br.Beta(2.0, 5000.0))
    assert narrow.lines[0].get_xdata()[0] < 5e-5


def test_a_legend_below_keeps_every_name() -> None:
    ax = BETA.roc().plot()
    height = ax.figure.get_figheight()
    legend_below(ax, 2)
    assert ax.get_legend() is None
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["bells"]
    assert ax.figure.get_figheight() > height


def test_a_sample_has_no_density() -> None:
    assert len(plot.plot_density(br.Empirical([0.1, 0.2])).lines) == 0


# ------------------------------------------------------------------ svg
@pytest.mark.simulation
def test_svg_is_reproducible_and_inert() -> None:
    first = draw_svg(lambda: BETA.roc().plot(), "one")
    assert first == draw_svg(lambda: BETA.roc().plot(), "one")
    for word in ("<?xml", "<!DOCTYPE", "<metadata", "<script", "javascript:", "dc:date", "<g id"):
        assert word not in first
    assert first.startswith("<svg ")
    assert first.endswith("</svg>")


@pytest.mark.simulation
def test_svg_does_not_depend_on_the_users_settings() -> None:
    import matplotlib as mpl

    before = draw_svg(lambda: BETA.roc().plot(), "one")
    with mpl.rc_context({"font.size": 30.0, "svg.fonttype": "path", "lines.linewidth": 9.0}):
        assert draw_svg(lambda: BETA.roc().plot(), "one") == before
        assert mpl.rcParams["font.size"] == 30.0


def test_pyplot_is_never_loaded() -> None:
    if "matplotlib.pyplot" not in sys.modules:
        BETA.roc().plot()
        assert "matplotlib.pyplot" not in sys.modules
    assert new_axes().figure.canvas.manager is None
