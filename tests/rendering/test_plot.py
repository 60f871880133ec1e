"""Pictures: what the lines hold and what the axes say, never pixels."""

import dataclasses

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from scipy import stats
from scipy.special import ndtri

import betaroc as br
from betaroc.decision.bands import Smallest
from betaroc.distributions.pictures import plot_classes
from betaroc.rendering.files import draw_svg, save_picture
from helpers.cases import case

BETA = br.ScoreModel(br.Beta(5.0, 2.0), br.Beta(2.0, 5.0), name="bells")
SAMPLE = br.ScoreModel(br.Empirical([0.4, 0.6, 0.8]), br.Empirical([0.1, 0.3, 0.5, 0.6]))
SCORES = br.Scores([k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)])
NORMAL = br.ScoreModel(br.Normal(2.0, 1.0), br.Normal(0.0, 2.0))


def labels(ax):
    legend = ax.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def test_roc_of_a_sample_is_its_polyline_and_curves_share_axes():
    # Thresholds from above: 0.8 rejects all; then accept 0.8 | 0.6 both | 0.5 | 0.4 | 0.3 | 0.1.
    ax = SAMPLE.roc().plot()
    x, y = ax.lines[0].get_data()
    assert x * 4 == pytest.approx([0, 0, 1, 2, 2, 3, 4])
    assert y * 3 == pytest.approx([0, 1, 2, 2, 3, 3, 3])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("FAR", "TPR")
    ax = BETA.roc().plot()
    assert BETA.generic().roc().plot(ax=ax, label="again") is ax
    assert labels(ax) == ["bells", "again"]
    assert [line.get_gid() for line in ax.lines].count("chance") == 1


def test_det_of_normal_laws_is_a_straight_line_between_ticks_of_rates():
    ax = NORMAL.det().plot()
    x, y = ax.lines[0].get_data()
    inside = (np.abs(x) < 3.0) & (np.abs(y) < 3.0)
    # theory: z(FRR) = -(mu_c - mu_i)/sigma_c - (sigma_i/sigma_c) z(FAR) = -2 - 2 z(FAR)
    assert y[inside] == pytest.approx(-2.0 - 2.0 * x[inside], abs=1e-9)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("FAR", "FRR")
    ax = SAMPLE.det().plot()
    texts = [tick.get_text() for tick in ax.xaxis.get_ticklabels()]
    assert ax.get_xticks()[texts.index("20 %")] == pytest.approx(ndtri(0.2))
    # Half of the smallest rate that 4 impostors can show is 1/8.
    assert ax.get_xlim()[0] == pytest.approx(ndtri(0.125))


@pytest.mark.simulation
def test_names_are_only_text_and_svg_is_reproducible():
    for name in ("$\\frac{1}{", "_hidden", "a\nb"):
        ax = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5), name=name).roc().plot()
        assert labels(ax) == [name]
        draw_svg(lambda ax=ax: ax, "salt")  # mathematics that do not parse would raise here
    first = draw_svg(lambda: BETA.roc().plot(), "one")
    assert first == draw_svg(lambda: BETA.roc().plot(), "one")
    for word in ("<?xml", "<!DOCTYPE", "<metadata", "<script", "dc:date", "<g id"):
        assert word not in first


LOW = [0.1, 0.2]


def bars(ax):
    """Heights of the bars of clients."""
    return [bar.get_height() for bar in ax.containers[0]]


def test_histograms_have_the_area_of_scores_weights_and_bins():
    ax = br.Scores([0.02, 0.03, 0.51, 0.99], LOW).plot()
    assert labels(ax) == ["client", "impostor"]
    assert len(bars(ax)) == 20
    assert sum(bars(ax)) * 0.05 == pytest.approx(1.0)
    assert bars(ax)[0] == pytest.approx(0.5 / 0.05)
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


def test_log_axes_are_of_measures_and_of_one_scale():
    rng = np.random.default_rng(1)
    dev, test = (br.Scores(rng.normal(2, 1, 60), rng.normal(0, 1, 60)) for _ in range(2))
    curve = br.epc(dev, test, measure="fnmr")
    ax = curve.plot(scale="log", terms="matching", expected=True)
    assert ax.get_yscale() == "log"
    assert ax.get_ylabel() == "false non-match rate on test"
    np.testing.assert_array_equal(np.asarray(ax.lines[0].get_xydata())[:, 1], curve.value)
    with pytest.raises(br.InputError, match="for 'youden', which may be negative"):
        br.epc(dev, test, measure="youden").plot(scale="log")
    with pytest.raises(br.InputError, match="ax must have a logarithmic x axis"):
        STEPS.roc().plot(STEPS.roc().plot(), scale="log")
    with pytest.raises(br.InputError, match="scale must be one of"):
        STEPS.roc().plot(scale="logit")


def test_operating_points_are_circles_on_the_curve():
    """On the deviates of a DET, and on the rates of a ROC."""
    dev, test = br.Scores([3, 4, 5], [1, 2, 3]), br.Scores([2, 4, 6, 7], [0, 1, 3, 5])
    curve = br.epc(dev, test, alpha=[0.4, 0.6])
    at, model = curve.points, curve.test
    for ax, x, y in (
        (model.roc().plot(points=at), at.far, at.tpr),
        (model.det().plot(points=at), ndtri(at.far), ndtri(at.frr)),
        (model.precision_recall().plot(points=at), at.recall, at.precision),
    ):
        (circles,) = (line for line in ax.lines if line.get_gid() == "points")
        np.testing.assert_allclose(circles.get_xdata(), x, rtol=1e-12)
        np.testing.assert_allclose(circles.get_ydata(), y, rtol=1e-12)
        assert circles.get_color() == ax.lines[0].get_color()
    with pytest.raises(br.InputTypeError, match="points must be an OperatingPoint"):
        model.roc().plot(points=0.1)


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


DEV = br.Scores([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])
TEST = br.Scores([2.0, 4.0, 6.0], [0.0, 1.0, 3.0], name="faces")
POOR = br.Scores([2.4, 9.0, 2.3], [0.0, 3.0, 4.0])
# The lowest dev score is a client's and the highest an impostor's: both ends are trivial.
MIXED = br.Scores([0.0, 4.0, 5.0, 6.0], [1.0, 2.0, 3.0, 7.0])


def texts(ax):
    legend = ax.get_legend() or next(iter(ax.figure.legends), None)
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def zones(ax, gid):
    patches = [patch for patch in ax.patches if patch.get_gid() == gid]
    return [x for p in patches for x in (p.get_x(), p.get_x() + p.get_width())]


def corners(ax):
    """Of what is filled."""
    (area,) = [artist for artist in ax.collections if artist.get_gid() == "band"]
    return {(round(x, 6), round(y, 6)) for path in area.get_paths() for x, y in path.vertices}


def test_an_epc_is_a_line_in_order_of_alpha_with_trivial_zones_and_a_band():
    # Dev's best thresholds: 2.5 for alpha <= 0.5 (FRR 0, FAR 1/3; at 0.5 tied, the lower wins),
    # 3.5 for alpha > 0.5 (FRR 1/3, FAR 0). Both reject client 2.0; 2.5 accepts impostor 3.0.
    ax = br.epc(DEV, TEST, alpha=[0.9, 0.1, 0.5]).plot()
    x, y = ax.lines[0].get_data()
    assert x.tolist() == [0.1, 0.5, 0.9]
    assert y == pytest.approx([1 / 3, 1 / 3, 1 / 6])
    assert texts(ax) == ["faces"]
    # Accepting all of MIXED costs alpha; the best other is (FRR, FAR) = (1/4, 1/4), costing 1/4:
    # so everybody is accepted for alpha < 1/4 and, likewise, rejected for alpha > 3/4.
    ax = br.epc(MIXED, TEST).plot()
    # Half way to the next of a fine grid: trivial at 0 ... 0.24 and at 0.76 ... 1.
    assert zones(ax, "trivial") == pytest.approx([0.0, 0.245, 0.755, 1.0])
    assert texts(ax) == ["faces", "faces, trivial: all of dev on one side"]
    assert zones(br.epc(DEV, TEST).plot(), "trivial") == []
    curve = br.epc(DEV, TEST, alpha=[0.9, 0.1, 0.5])
    low, high = np.array([0.3, 0.1, 0.2]), np.array([0.6, 0.4, 0.5])
    band = br.Band(curve.alpha, curve.value, low, high, level=0.95, simultaneous=False,
                   resample="test", replicates=1, undefined=np.zeros(3, np.int64))  # fmt: skip
    ax = curve.plot(band=band)
    assert corners(ax) == {(0.1, 0.1), (0.5, 0.2), (0.9, 0.3), (0.1, 0.4), (0.5, 0.5), (0.9, 0.6)}
    assert texts(ax) == ["faces", "faces, 95 % pointwise, fixed thresholds"]


@pytest.mark.simulation
def test_two_curves_and_the_alphas_in_which_they_differ():
    """Alphas 0.5, 0.1, 0.3, 0.9 with made-up intervals that are the band too, of enough trials.

    In order of alpha: 0.1 second better, 0.3 no difference, 0.5 first better, 0.9 undefined.
    """
    curves = (br.epc(DEV, side, alpha=[0.5, 0.1, 0.3, 0.9]) for side in (TEST, POOR))
    drawn = br.compare(*curves, resample="test", level=0.9, replicates=3, rng=1)
    low, high = np.array([0.1, -0.4, -0.1, np.nan]), np.array([0.2, -0.2, 0.1, np.nan])
    ends = {"low": low, "high": high, "band_low": low, "band_high": high}
    made = dataclasses.replace(drawn, **ends, smallest=Smallest(20, "client trials of test", 20))
    ax = made.plot(names=("mlp", "svm"))
    first, second = ax.lines
    assert first.get_xdata().tolist() == [0.1, 0.3, 0.5, 0.9]
    # 2.5 rejects client 2 and accepts 3; of POOR clients 2.4, 2.3, impostors 3, 4; 3.5 at 0.9
    # accepts no impostor but 4 of POOR.
    assert first.get_ydata() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 6])
    assert second.get_ydata() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1 / 2])
    assert texts(ax) == ["mlp", "svm", "mlp better (90 %)", "svm better (90 %)"]
    difference = made.plot_difference(names=("mlp", "svm"))
    for picture in (ax, difference):
        assert zones(picture, "better-1") == pytest.approx([0.09, 0.11])
        assert zones(picture, "better-2") == pytest.approx([0.49, 0.51])
    assert difference.lines[0].get_ydata() == pytest.approx([-1 / 3] * 4)
