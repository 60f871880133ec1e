"""Pictures of expected performance curves: what the lines hold and what the axes say."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import betaroc as br
from betaroc import InputError
from betaroc.decision.bands import Smallest
from betaroc.rendering.style import new_axes

DEV = br.Scores([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])
TEST = br.Scores([2.0, 4.0, 6.0], [0.0, 1.0, 3.0], name="faces")
# The lowest dev score is a client's and the highest an impostor's: both ends are trivial.
MIXED = br.Scores([0.0, 4.0, 5.0, 6.0], [1.0, 2.0, 3.0, 7.0])


def labels(ax: object) -> list[str]:
    legend = ax.get_legend() or next(iter(ax.figure.legends), None)
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def zones(ax: object) -> list[tuple[float, float]]:
    patches = [patch for patch in ax.patches if patch.get_gid() == "trivial"]
    return [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in patches]


def test_the_line_is_the_value_against_alpha_in_order() -> None:
    # Dev's best thresholds: 2.5 for alpha <= 0.5 (FRR 0, FAR 1/3; at 0.5 tied, the lower wins),
    # 3.5 for alpha > 0.5 (FRR 1/3, FAR 0). Both reject client 2.0; 2.5 accepts impostor 3.0.
    curve = br.epc(DEV, TEST, alpha=[0.9, 0.1, 0.5])
    ax = curve.plot()
    x, y = ax.lines[0].get_data()
    assert x.tolist() == [0.1, 0.5, 0.9]
    assert y == pytest.approx([1 / 3, 1 / 3, 1 / 6])
    assert ax.get_xlabel() == "alpha: weight of FAR against FRR"
    assert ax.get_ylabel() == "half total error rate on test"
    assert labels(ax) == ["faces"]
    assert ax.yaxis.get_major_formatter()(0.25) in ("25 %", "25.0 %")


def test_trivial_zones_are_grey_grounds_that_invent_nothing() -> None:
    # Accepting all of MIXED costs alpha; the best other is (FRR, FAR) = (1/4, 1/4), costing 1/4:
    # so everybody is accepted for alpha < 1/4 and, likewise, rejected for alpha > 3/4.
    ax = br.epc(MIXED, TEST).plot(color="#123456")
    # Half way to the next of a fine grid: trivial at 0 ... 0.24 and at 0.76 ... 1.
    assert np.ravel(zones(ax)) == pytest.approx([0.0, 0.245, 0.755, 1.0])
    for patch in ax.patches:
        red, green, blue, _ = patch.get_facecolor()
        assert red == green == blue
    assert labels(ax) == ["faces", "faces, trivial: dev accepts or rejects all"]
    assert zones(br.epc(DEV, TEST).plot()) == []
    # Between far alphas nothing was computed: 0.01 to each side of 0.1, 0.11 and 0.9.
    coarse = br.epc(MIXED, TEST, alpha=[0.9, 0.1, 0.11, 0.5])
    found = zones(coarse.plot())
    assert np.ravel(found) == pytest.approx([0.1, 0.12, 0.89, 0.91])
    end = br.epc(MIXED, TEST, alpha=[0.0, 0.5, 1.0])
    assert np.ravel(zones(end.plot())) == pytest.approx([0.0, 0.01, 0.99, 1.0])


# ------------------------------------------------------------------ bands
def filled(ax: object) -> list[object]:
    return [artist for artist in ax.collections if artist.get_gid() == "band"]


def made(curve: br.Epc, low: list[float], high: list[float], **other: object) -> br.Band:
    k = curve.alpha.size
    fields = {"level": 0.95, "simultaneous": False, "resample": "test", "replicates": 1,
              "undefined": np.zeros(k, np.int64), **other}  # fmt: skip
    return br.Band(curve.alpha, curve.value, np.array(low), np.array(high), **fields)


def test_a_band_is_filled_in_order_with_its_kind_in_the_legend() -> None:
    curve = br.epc(DEV, TEST, alpha=[0.9, 0.1, 0.5])
    band = made(curve, [0.3, 0.1, 0.2], [0.6, 0.4, 0.5])
    ax = curve.plot(band=band, color="#123456")
    (area,) = filled(ax)
    (path,) = area.get_paths()
    corners = {(round(x, 6), round(y, 6)) for x, y in path.vertices}
    assert corners == {(0.1, 0.1), (0.5, 0.2), (0.9, 0.3), (0.1, 0.4), (0.5, 0.5), (0.9, 0.6)}
    assert area.get_facecolor()[0][:3] == pytest.approx((0x12 / 255, 0x34 / 255, 0x56 / 255))
    assert labels(ax) == ["faces", "faces, 95 % pointwise, fixed thresholds"]
    for other, words in (
        ({"simultaneous": True, "resample": "both"}, "faces, 95 % simultaneous, dev chosen again"),
        ({"level": 0.999, "resample": "both"}, "faces, 99.9 % pointwise, dev chosen again"),
    ):
        ax = curve.plot(band=made(curve, [0.1] * 3, [0.2] * 3, **other), expected=True)
        assert labels(ax) == ["faces", "faces, expected on dev", words]


# ------------------------------------------------------------------ two systems
POOR = br.Scores([2.4, 9.0, 2.3], [0.0, 3.0, 4.0])


def comparison(low: list[float], high: list[float], **options: object) -> br.Comparison:
    """Two curves at alphas 0.5, 0.1, 0.3, 0.9 with made-up intervals."""
    alpha = [0.5, 0.1, 0.3, 0.9][: len(low)]
    first, second = (br.epc(DEV, side, alpha=alpha, **options) for side in (TEST, POOR))
    return made_up(first, second, 0.9, np.array(low), np.array(high))


def made_up(first: br.Epc, second: br.Epc, level: float, low: Any, high: Any) -> br.Comparison:
    """Intervals that are the band too, of enough trials."""
    drawn = br.compare(first, second, resample="test", level=level, replicates=3, rng=1)
    ends = {"low": low, "high": high, "band_low": low, "band_high": high}
    return dataclasses.replace(drawn, **ends, smallest=Smallest(20, "client trials of test", 20))


def shaded(ax: object) -> list[tuple[str, float, float]]:
    return [
        (p.get_gid(), round(p.get_x(), 9), round(p.get_x() + p.get_width(), 9))
        for p in ax.patches
        if str(p.get_gid()).startswith("better")
    ]


def test_two_curves_and_the_alphas_in_which_they_differ() -> None:
    # In order of alpha: 0.1 first better, 0.3 no difference, 0.5 second better, 0.9 undefined.
    result = comparison([0.1, -0.4, -0.1, np.nan], [0.2, -0.2, 0.1, np.nan])
    ax = result.plot(names=("mlp", "svm"))
    first, second = ax.lines
    assert first.get_xdata().tolist() == [0.1, 0.3, 0.5, 0.9]
    # 2.5 rejects client 2 and accepts 3; of POOR clients 2.4, 2.3, impostors 3, 4; 3.5 at 0.9
    # accepts no impostor but 4 of POOR.
    assert first.get_ydata() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 6])
    assert second.get_ydata() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1 / 2])
    assert shaded(ax) == [("better-1", 0.09, 0.11), ("better-2", 0.49, 0.51)]
    words = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert words == ["mlp", "svm", "mlp better (90 %)", "svm better (90 %)"]
    hatches = {patch.get_hatch() for patch in ax.patches}
    assert len(hatches) == 2  # told apart without colour
    assert first.get_linestyle() != second.get_linestyle()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "alpha: weight of FAR against FRR", "half total error rate on test",
    )  # fmt: skip
    given = new_axes()
    assert result.plot(given) is given
    assert labels(given)[2:] == ["A better (90 %)", "B better (90 %)"]


@pytest.mark.simulation
def test_the_difference_its_interval_and_zero() -> None:
    result = comparison([0.1, -0.4, -0.1, np.nan], [0.2, -0.2, 0.1, np.nan])
    ax = result.plot_difference(names=("mlp", "svm"))
    assert ax.lines[0].get_ydata() == pytest.approx([-1 / 3] * 4)
    (zero,) = [line for line in ax.lines if line.get_gid() == "zero"]
    assert set(zero.get_ydata()) == {0.0}
    (area,) = filled(ax)
    corners = {(round(x, 6), round(y, 6)) for path in area.get_paths() for x, y in path.vertices}
    assert corners == {(0.1, -0.4), (0.3, -0.1), (0.5, 0.1), (0.1, -0.2), (0.3, 0.1), (0.5, 0.2)}
    assert shaded(ax) == [("better-1", 0.09, 0.11), ("better-2", 0.49, 0.51)]
    assert ax.get_ylabel() == "difference in half total error rate"
    words = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert words[:3] == ["mlp - svm", "90 % simultaneous", "90 % pointwise"]


def test_the_histogram_of_the_bootstrap() -> None:
    first, second = (br.epc(DEV, side, alpha=[0.5, 0.9]) for side in (TEST, POOR))
    result = br.compare(first, second, replicates=400, rng=1)
    ax = result.plot_histogram(0.5, bins=8)
    counts, edges = result.histogram(0.5, 8)
    assert [bar.get_height() for bar in ax.patches] == counts.tolist()
    assert [bar.get_x() for bar in ax.patches] == pytest.approx(edges[:-1].tolist())
    places = {}
    for line in ax.lines:
        places.setdefault(line.get_gid(), []).append(float(line.get_xdata()[0]))
    assert places["zero"] == [0.0]
    assert places["difference"] == pytest.approx([-1 / 3])
    assert places["interval"] == [result.low[0], result.high[0]]
    words = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert words == ["no difference", "A - B on test", "95 % interval"]
    assert ax.get_xlabel() == "difference in half total error rate at alpha 0.5"
    with pytest.raises(InputError, match="one of the 2"):
        result.plot_histogram(0.4)


# ------------------------------------------------------------------ points on ROC and DET
def marks(ax: object, gid: str) -> list[tuple[float, float]]:
    (line,) = [line for line in ax.lines if line.get_gid() == gid]
    return [tuple(point) for point in line.get_xydata().tolist()]


def test_points_chosen_on_dev_and_the_own_optimum_lie_on_the_curve() -> None:
    """Dev's 2.5 at 0.2 and 0.5 has FAR = FRR = 1/3 on test, its 3.5 at 0.9 FAR 0, FRR 1/3.

    On test itself alpha 0.2 costs least at 1.5: FAR 1/3, FRR 0; alpha 0.5 ties
    1.5 with 3.5 (each 1/6), the lower wins; at 0.9 it is 3.5: FAR 0, FRR 1/3.
    """
    curve = br.epc(DEV, TEST, alpha=[0.2, 0.5, 0.9])
    prior, own = [(1 / 3, 1 / 3)] * 2 + [(0.0, 1 / 3)], [(1 / 3, 0.0)] * 2 + [(0.0, 1 / 3)]
    frames = {
        "roc": (curve.test.roc().plot(), lambda far, frr: (far, 1 - frr)),
        "impostor": (curve.test.roc(positive="impostor").plot(), lambda far, frr: (frr, 1 - far)),
        "linear": (curve.test.det(scale="linear").plot(), lambda far, frr: (far, frr)),
    }
    for ax, place in frames.values():
        assert curve.plot_points(ax, color="#123456", label="mlp") is ax
        for gid, points in (("a-priori", prior), ("a-posteriori", own)):
            expected = [place(far, frr) for far, frr in points]
            assert np.ravel(marks(ax, gid)) == pytest.approx(np.ravel(expected))
        assert labels(ax)[-2:] == ["mlp, chosen on dev", "mlp, own optimum"]
        assert [text.get_text() for text in ax.texts] == ["0.2", "0.5", "0.9"]
        first, second = (
            line for line in ax.lines if line.get_gid() in ("a-priori", "a-posteriori")
        )
        assert first.get_marker() != second.get_marker()
    det = curve.plot_points(curve.test.det().plot(), alpha=[0.5])
    from scipy.special import ndtri

    assert np.ravel(marks(det, "a-priori")) == pytest.approx([ndtri(1 / 3)] * 2)


# ------------------------------------------------------------------ expected against met
def test_promised_against_met() -> None:
    curve = br.epc(DEV, TEST, criterion="far", measure="far", alpha=[1.0, 0.0, 1 / 3, 2 / 3])
    ax = curve.plot_expected()
    x, y = ax.lines[0].get_data()
    # Dev's FAR is met at theta = 3.5, 2.5, 1.5 and -inf; test impostors 0, 1, 3 above: 0, 1, 1, 3.
    assert x == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert y == pytest.approx([0, 1 / 3, 1 / 3, 1])
    assert ax.get_xlabel() == "false acceptance rate expected on dev"
    assert ax.get_ylabel() == "false acceptance rate observed on test"
