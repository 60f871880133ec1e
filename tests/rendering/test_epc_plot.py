"""Pictures of expected performance curves: what the lines hold and what the axes say."""

import dataclasses

import numpy as np
import pytest

import betaroc as br
from betaroc.decision.bands import Smallest

DEV = br.Scores([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])
TEST = br.Scores([2.0, 4.0, 6.0], [0.0, 1.0, 3.0], name="faces")
POOR = br.Scores([2.4, 9.0, 2.3], [0.0, 3.0, 4.0])
# The lowest dev score is a client's and the highest an impostor's: both ends are trivial.
MIXED = br.Scores([0.0, 4.0, 5.0, 6.0], [1.0, 2.0, 3.0, 7.0])


def labels(ax):
    legend = ax.get_legend() or next(iter(ax.figure.legends), None)
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def zones(ax, gid):
    patches = [patch for patch in ax.patches if patch.get_gid() == gid]
    return [x for p in patches for x in (p.get_x(), p.get_x() + p.get_width())]


def corners(ax):
    """Of what is filled."""
    (area,) = [artist for artist in ax.collections if artist.get_gid() == "band"]
    return {(round(x, 6), round(y, 6)) for path in area.get_paths() for x, y in path.vertices}


def test_the_line_is_the_value_against_alpha_in_order():
    # Dev's best thresholds: 2.5 for alpha <= 0.5 (FRR 0, FAR 1/3; at 0.5 tied, the lower wins),
    # 3.5 for alpha > 0.5 (FRR 1/3, FAR 0). Both reject client 2.0; 2.5 accepts impostor 3.0.
    ax = br.epc(DEV, TEST, alpha=[0.9, 0.1, 0.5]).plot()
    x, y = ax.lines[0].get_data()
    assert x.tolist() == [0.1, 0.5, 0.9]
    assert y == pytest.approx([1 / 3, 1 / 3, 1 / 6])
    assert labels(ax) == ["faces"]


def test_trivial_zones_are_grounds_that_invent_nothing():
    # Accepting all of MIXED costs alpha; the best other is (FRR, FAR) = (1/4, 1/4), costing 1/4:
    # so everybody is accepted for alpha < 1/4 and, likewise, rejected for alpha > 3/4.
    ax = br.epc(MIXED, TEST).plot()
    # Half way to the next of a fine grid: trivial at 0 ... 0.24 and at 0.76 ... 1.
    assert zones(ax, "trivial") == pytest.approx([0.0, 0.245, 0.755, 1.0])
    assert labels(ax) == ["faces", "faces, trivial: all of dev on one side"]
    assert zones(br.epc(DEV, TEST).plot(), "trivial") == []


def test_a_band_is_filled_in_order_with_its_kind_in_the_legend():
    curve = br.epc(DEV, TEST, alpha=[0.9, 0.1, 0.5])
    low, high = np.array([0.3, 0.1, 0.2]), np.array([0.6, 0.4, 0.5])
    band = br.Band(curve.alpha, curve.value, low, high, level=0.95, simultaneous=False,
                   resample="test", replicates=1, undefined=np.zeros(3, np.int64))  # fmt: skip
    ax = curve.plot(band=band)
    assert corners(ax) == {(0.1, 0.1), (0.5, 0.2), (0.9, 0.3), (0.1, 0.4), (0.5, 0.5), (0.9, 0.6)}
    assert labels(ax) == ["faces", "faces, 95 % pointwise, fixed thresholds"]


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
    assert labels(ax) == ["mlp", "svm", "mlp better (90 %)", "svm better (90 %)"]
    difference = made.plot_difference(names=("mlp", "svm"))
    for picture in (ax, difference):
        assert zones(picture, "better-1") == pytest.approx([0.09, 0.11])
        assert zones(picture, "better-2") == pytest.approx([0.49, 0.51])
    assert difference.lines[0].get_ydata() == pytest.approx([-1 / 3] * 4)
