"""Pictures: what the lines hold and what the axes say, never pixels."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

import betaroc as br
from betaroc.distributions.pictures import plot_classes
from betaroc.rendering.files import draw_svg, save_picture

BETA = br.ScoreModel(br.Beta(5.0, 2.0), br.Beta(2.0, 5.0), name="bells")
SAMPLE = br.ScoreModel(br.Empirical([0.4, 0.6, 0.8]), br.Empirical([0.1, 0.3, 0.5, 0.6]))
SCORES = br.Scores([k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)])
NORMAL = br.ScoreModel(br.Normal(2.0, 1.0), br.Normal(0.0, 2.0))


def labels(ax):
    legend = ax.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def test_roc_of_a_sample_is_its_polyline():
    # Thresholds from above: 0.8 rejects all; then accept 0.8 | 0.6 both | 0.5 | 0.4 | 0.3 | 0.1.
    ax = SAMPLE.roc().plot()
    x, y = ax.lines[0].get_data()
    assert x * 4 == pytest.approx([0, 0, 1, 2, 2, 3, 4])
    assert y * 3 == pytest.approx([0, 1, 2, 2, 3, 3, 3])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("FAR", "TPR")


def test_several_curves_share_axes_and_one_chance_line():
    ax = BETA.roc().plot()
    assert BETA.generic().roc().plot(ax=ax, label="again") is ax
    assert labels(ax) == ["bells", "again"]
    assert [line.get_gid() for line in ax.lines].count("chance") == 1


def test_det_of_normal_laws_is_a_straight_line_of_the_known_slope():
    ax = NORMAL.det().plot()
    x, y = ax.lines[0].get_data()
    inside = (np.abs(x) < 3.0) & (np.abs(y) < 3.0)
    # theory: z(FRR) = -(mu_c - mu_i)/sigma_c - (sigma_i/sigma_c) z(FAR) = -2 - 2 z(FAR)
    assert y[inside] == pytest.approx(-2.0 - 2.0 * x[inside], abs=1e-9)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("FAR", "FRR")


def test_det_ticks_are_rates():
    ax = SAMPLE.det().plot()
    texts = [tick.get_text() for tick in ax.xaxis.get_ticklabels()]
    assert ax.get_xticks()[texts.index("20 %")] == pytest.approx(ndtri(0.2))
    # Half of the smallest rate that 4 impostors can show is 1/8.
    assert ax.get_xlim()[0] == pytest.approx(ndtri(0.125))


@pytest.mark.simulation
def test_names_are_only_text():
    for name in ("$\\frac{1}{", "_hidden", "a\nb"):
        ax = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5), name=name).roc().plot()
        assert labels(ax) == [name]
        draw_svg(lambda ax=ax: ax, "salt")  # mathematics that do not parse would raise here


LOW = [0.1, 0.2]


def bars(ax):
    """Heights of the bars of clients."""
    return [bar.get_height() for bar in ax.containers[0]]


def test_histogram_has_twenty_bars_of_the_scores_area():
    ax = br.Scores([0.02, 0.03, 0.51, 0.99], LOW).plot()
    assert labels(ax) == ["client", "impostor"]
    assert len(bars(ax)) == 20
    assert sum(bars(ax)) * 0.05 == pytest.approx(1.0)
    assert bars(ax)[0] == pytest.approx(0.5 / 0.05)


def test_histogram_counts_weights_and_bins_of_a_summary():
    ax = br.Scores([0.1, 0.9], LOW, client_weights=[3.0, 1.0]).plot(bins=2)
    assert bars(ax) == pytest.approx([1.5, 0.5])
    summary = br.summarize(br.Scores([0.1, 0.1, 0.1, 0.9], LOW).to_frame())
    assert bars(summary.plot(bins=2)) == pytest.approx([1.5, 0.5])
    absent = br.Scores([0.1, 0.9], LOW, n_client_rejected=6)
    assert sum(bars(absent.plot(bins=2))) * 0.5 == pytest.approx(1.0)


def test_point_masses_are_stems_and_not_in_the_bars():
    law = br.Inflated(br.Beta(2.0, 2.0), at_zero=0.5)
    sample = br.Empirical([0.0, 0.0, 0.26, 0.74])
    ax = plot_classes(None, [(sample, law)], ["law"], {})
    assert sum(bars(ax)) * 0.05 == pytest.approx(0.5)
    density, stem = ax.lines
    x, y = density.get_data()
    assert np.interp(0.5, x, y) == pytest.approx(0.5 * 1.5, rel=1e-3)  # half of 6 x (1 - x)
    assert stem.get_data()[1].tolist() == pytest.approx([0.0, 0.5 / 0.05])
    assert ax.texts[0].get_text() == "P(S = 0) = 50 %"


@pytest.mark.simulation
def test_svg_is_reproducible_and_inert():
    first = draw_svg(lambda: BETA.roc().plot(), "one")
    assert first == draw_svg(lambda: BETA.roc().plot(), "one")
    for word in ("<?xml", "<!DOCTYPE", "<metadata", "<script", "dc:date", "<g id"):
        assert word not in first


@pytest.mark.simulation
def test_a_figure_is_of_pyplot_unless_it_is_drawn_for_a_file(tmp_path):
    from matplotlib import pyplot as plt

    ax = BETA.roc().plot()
    assert plt.gcf() is ax.figure
    save_picture(BETA.roc().plot, tmp_path / "roc.png")
    draw_svg(BETA.plot, "salt")
    assert plt.get_fignums() == [ax.figure.number]


@pytest.mark.simulation
def test_short_names_of_matplotlib():
    short = {"lw": 3.5, "c": "#123456", "ls": "--"}
    curve, fit = br.epc(SCORES, BETA, alpha=[0.2, 0.5]), br.fit(SCORES, "normal")
    for draw in (BETA.roc().plot, BETA.det().plot, BETA.precision_recall().plot, BETA.plot,
                 curve.plot, curve.plot_expected, fit.plot, br.roc_band(SCORES).plot,
                 br.Interval(0.5, 0.4, 0.6, 0.95, "by hand").plot):  # fmt: skip
        line = draw(**short).lines[0]
        assert (line.get_linewidth(), line.get_color(), line.get_linestyle()) == (*short.values(),)
    with pytest.raises(TypeError, match="aliases"):
        BETA.roc().plot(lw=1.0, linewidth=2.0)


def row(ax, place):
    """Low end, estimate and high end that are drawn in a row."""
    lines = [line for line in ax.lines if set(line.get_ydata()) == {place}]
    (low, high), (estimate,) = (line.get_xdata() for line in lines)
    return [low, estimate, high]


def test_intervals_stand_below_each_other():
    ax = None
    for name, low in (("a", 0.1), ("b", 0.3)):
        ax = br.Interval(low + 0.1, low, low + 0.2, 0.9, "by hand").plot(ax, label=name)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]
    assert row(ax, 1) == pytest.approx([0.3, 0.4, 0.5])
    assert ax.get_xlabel() == "90 % interval"
    assert ax.get_ylim() == (1.5, -0.5)  # the first above


@pytest.mark.simulation
def test_a_check_of_a_fit_is_drawn_over_what_is_expected():
    scores = br.Scores(np.linspace(0.3, 0.9, 40), np.linspace(0.1, 0.7, 40))
    check = br.check_fit(br.fit(scores), far=[0.1], replicates=19, rng=1)
    (target,) = check.targets
    low, ratio, high = row(check.plot(), 0)
    count = stats.binomtest(int(target.observed), 40).proportion_ci(check.level)  # of 4 expected
    assert ratio == pytest.approx(target.observed / 4)
    assert [low, high] == pytest.approx([10 * count.low, 10 * count.high])


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


@pytest.mark.parametrize(("client", "impostor"), [(0.7, 0.2), (0.5, 0.5)])
def test_a_roc_of_rates_0_and_1_is_its_line_between_them(client, impostor):
    """Of classes apart it is the top, of equal scores the diagonal."""
    ax = br.ScoreModel(br.Empirical([client]), br.Empirical([impostor])).roc().plot(scale="log")
    (curve,) = (line for line in ax.lines if line.get_gid() == "curve")
    x, y = np.asarray(curve.get_xydata()).T
    assert (x.min(), x.max(), ax.get_xlim()[0]) == (1e-4, 1.0, 1e-4)
    assert np.abs(y - (x if client == impostor else 1.0)).max() <= 1e-15


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
    np.testing.assert_array_equal(np.asarray(ax.lines[0].get_xydata())[:, 1], curve.value)
    with pytest.raises(br.InputError, match="for 'youden', which may be negative"):
        br.epc(dev, test, measure="youden").plot(scale="log")


def test_operating_points_are_circles_on_the_curve():
    """On the deviates of a DET, and on the rates of a ROC."""
    dev, test = br.Scores([3, 4, 5], [1, 2, 3]), br.Scores([2, 4, 6, 7], [0, 1, 3, 5])
    curve = br.epc(dev, test, alpha=[0.4, 0.6])
    at, model = curve.points, curve.test
    for ax, x, y in (
        (model.roc().plot(points=at), at.far, at.tpr),
        (model.det().plot(points=at), ndtri(at.far), ndtri(at.frr)),
    ):
        (circles,) = (line for line in ax.lines if line.get_gid() == "points")
        np.testing.assert_allclose(circles.get_xdata(), x, rtol=1e-12)
        np.testing.assert_allclose(circles.get_ydata(), y, rtol=1e-12)
        assert circles.get_color() == ax.lines[0].get_color()
    with pytest.raises(br.InputTypeError, match="points must be an OperatingPoint"):
        model.roc().plot(points=0.1)
