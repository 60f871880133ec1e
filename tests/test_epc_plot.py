"""Pictures of expected performance curves: what the lines hold and what the axes say."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import betaroc as br
from betaroc import plot
from betaroc.errors import InputError, OutputError
from betaroc.plot.files import save_picture

DEV = br.Scores([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])
TEST = br.Scores([2.0, 4.0, 6.0], [0.0, 1.0, 3.0], name="faces")
# The lowest dev score is a client's and the highest an impostor's: both ends are trivial.
MIXED = br.Scores([0.0, 4.0, 5.0, 6.0], [1.0, 2.0, 3.0, 7.0])


def labels(ax: object) -> list[str]:
    legend = ax.get_legend()
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


def test_trivial_zones_reach_half_way_to_their_neighbours() -> None:
    # Accepting all of MIXED costs alpha; the best other is (FRR, FAR) = (1/4, 1/4), costing 1/4:
    # so everybody is accepted for alpha < 1/4 and, likewise, rejected for alpha > 3/4.
    curve = br.epc(MIXED, TEST, alpha=[0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    ax = plot.plot_epc(curve, color="#123456")
    assert np.ravel(zones(ax)) == pytest.approx([0.0, 0.3, 0.7, 1.0])
    assert all(patch.get_facecolor()[:3] == (0x12 / 255, 0x34 / 255, 0x56 / 255)
               for patch in ax.patches)  # fmt: skip
    assert zones(plot.plot_epc(br.epc(DEV, TEST))) == []
    whole = br.epc(MIXED, TEST, alpha=[0.1, 0.9])
    assert np.ravel(zones(plot.plot_epc(whole))) == pytest.approx([0.1, 0.9])


def test_curves_beside_it_are_thin_and_of_its_colour() -> None:
    curve = br.epc(DEV, TEST)
    ax = curve.plot(expected=True, a_posteriori=True)
    met, promised, own = ax.lines
    assert promised.get_ydata() == pytest.approx(curve.expected)
    assert own.get_ydata() == pytest.approx(curve.a_posteriori)
    assert met.get_color() == promised.get_color() == own.get_color()
    assert max(promised.get_linewidth(), own.get_linewidth()) < met.get_linewidth()
    assert labels(ax) == ["faces", "faces, promised on dev", "faces, test's own thresholds"]
    nameless = plot.plot_epc(br.epc(DEV, br.Scores([2.0, 4.0], [0.0, 3.0])), expected=True)
    assert labels(nameless) == ["met on test", "promised on dev"]


def test_systems_share_axes() -> None:
    ax = br.epc(DEV, TEST).plot(label="A")
    assert br.epc(MIXED, TEST).plot(ax=ax, label="B", linestyle="--") is ax
    assert labels(ax) == ["A", "B"]
    assert ax.lines[0].get_color() != ax.lines[1].get_color()


def test_axes_of_targets_are_rates_and_of_weights_are_not() -> None:
    ax = br.epc(DEV, TEST, criterion="far", measure="mcc").plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("expected FAR", "Matthews correlation on test")
    assert ax.xaxis.get_major_formatter()(0.05) == "5 %"
    assert "%" not in ax.yaxis.get_major_formatter()(0.05)
    ax = br.epc(DEV, TEST, measure="weighted-error").plot()
    assert ax.get_ylabel() == "weighted error on test"
    assert "%" not in ax.xaxis.get_major_formatter()(0.05)


@pytest.mark.parametrize("criterion", ["eer", "break-even"])
def test_a_criterion_without_alpha_is_a_dot(criterion: str) -> None:
    ax = br.epc(DEV, TEST, criterion=criterion).plot()
    assert ax.lines[0].get_marker() == "o"
    assert ax.get_xticks().size == 0


def test_what_is_undefined_is_a_gap() -> None:
    # Rejecting all at alpha = 1: no decision is positive, precision is 0/0.
    curve = br.epc(MIXED, br.Scores([4.0], [1.0]), measure="precision", alpha=[0.5, 1.0])
    y = plot.plot_epc(curve).lines[0].get_ydata()
    assert y[0] == 1.0
    assert np.isnan(y[1])


# ------------------------------------------------------------------ promised against met
def test_promised_against_met() -> None:
    curve = br.epc(DEV, TEST, criterion="far", measure="far", alpha=[1.0, 0.0, 1 / 3, 2 / 3])
    ax = plot.plot_expected_obtained(curve)
    x, y = ax.lines[0].get_data()
    # Dev's FAR is met at theta = 3.5, 2.5, 1.5 and -inf; test impostors 0, 1, 3 above: 0, 1, 1, 3.
    assert x == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert y == pytest.approx([0, 1 / 3, 1 / 3, 1])
    assert ax.get_xlabel() == "false acceptance rate promised on dev"
    assert ax.get_ylabel() == "false acceptance rate met on test"


def test_the_line_of_kept_promises_is_the_diagonal_of_every_frame() -> None:
    small = br.epc(DEV, TEST, criterion="far", measure="far", alpha=[0.0, 0.3])
    ax = plot.plot_expected_obtained(small, label="A")
    assert ax.get_xlim() == ax.get_ylim()
    narrow = ax.get_xlim()
    whole = br.epc(DEV, TEST, criterion="far", measure="far")
    assert plot.plot_expected_obtained(whole, ax, label="B") is ax
    assert ax.get_xlim() == ax.get_ylim()
    assert ax.get_xlim()[1] > narrow[1]
    (identity,) = [line for line in ax.lines if line.get_gid() == "identity"]
    assert np.array_equal(*identity.get_data())
    assert identity.get_xdata()[0] < ax.get_xlim()[0] < ax.get_xlim()[1] < identity.get_xdata()[1]
    assert labels(ax) == ["A", "B"]


def test_smooth_curves_of_equal_laws_keep_their_promise() -> None:
    model = br.ScoreModel(br.Beta(5.0, 2.0), br.Beta(2.0, 5.0))
    x, y = plot.plot_expected_obtained(br.epc(model, model)).lines[0].get_data()
    assert x == pytest.approx(y, rel=1e-15)


# ------------------------------------------------------------------ files
def test_an_svg_is_well_formed_and_its_bytes_repeat(tmp_path: Path) -> None:
    curve = br.epc(DEV, TEST, alpha=[0.1, 0.9])
    paths = [tmp_path / "one.svg", tmp_path / "two.SVG"]
    for path in paths:
        save_picture(curve.plot, path)
    assert ET.parse(paths[0]).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_png_is_one_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    save_picture(br.epc(DEV, TEST).plot, path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [p.name for p in tmp_path.iterdir()] == ["picture.png"]


def test_other_pictures_and_places_are_refused(tmp_path: Path) -> None:
    curve = br.epc(DEV, TEST)
    with pytest.raises(InputError, match=r"\.svg or \.png; got 'x\.gif'"):
        save_picture(curve.plot, "x.gif")
    for name in ("no.png", "no.svg"):
        with pytest.raises(OutputError, match="folder that exists"):
            save_picture(curve.plot, tmp_path / "missing" / name)


def test_a_png_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OutputError, match="No space left"):
        save_picture(br.epc(DEV, TEST).plot, path)
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1
