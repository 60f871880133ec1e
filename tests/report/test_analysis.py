"""The main job in one call, against what the pieces say by themselves."""

import math
from unittest.mock import Mock

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.fits import curve_words
from betaroc.rendering.files import write_whole
from helpers.places import DATA

LIVENESS = DATA / "liveness_cross_logreg"


# Checks of the fit have tests of their own.
pytestmark = pytest.mark.usefixtures("few")


@pytest.mark.simulation
def test_dev_is_fitted_and_its_thresholds_are_met_on_test(analysis):
    dev = br.read_scores(LIVENESS / "dev.csv")
    assert analysis.dev.fit == br.fit(dev, "beta")
    test = br.read_scores(LIVENESS / "test_sharpen0.40.csv")
    for met in analysis.points:
        seen = met.observed[1]
        assert seen.far == np.mean(test.impostor > met.expected.threshold)
        assert seen.frr == np.mean(test.client <= met.expected.threshold)
    points = {(p.chosen_by, p.key): p for p in analysis.points}
    assert points["model", "eer"].expected == analysis.dev.fit.eer()
    assert len(points) == 16


@pytest.mark.simulation
def test_thresholds_next_to_one_are_met_exactly():
    """A threshold that rounds to 1 still lies below a score of 1."""
    rng = np.random.default_rng(3)
    dev = br.Scores(1.0 - rng.beta(0.01, 0.5, 400), 1.0 - rng.beta(0.02, 0.5, 400))
    with pytest.warns(br.BoundaryWarning):
        analysis = br.analyze(dev, family="beta")
    for met in (p for p in analysis.points if p.expected.threshold == 1.0):
        below = math.isfinite(met.expected.logit_threshold)
        assert met.observed[0].far == np.mean(dev.impostor >= 1.0 if below else dev.impostor > 1.0)


@pytest.mark.simulation
def test_warnings_are_given_and_kept_with_the_set_they_speak_of():
    dev = br.Scores([0.5, 0.7, 0.9], [0.1, 0.2, 0.4])
    test = br.Scores(np.linspace(0.4, 1.0, 13), np.linspace(0.1, 0.6, 12))
    with pytest.warns(br.BetarocWarning) as caught:
        analysis = br.analyze(dev, test, family="beta")
    assert [str(w.message) for w in caught] == [n.message for n in analysis.notices]
    assert [n.message[:12] for n in analysis.notices] == ["dev: client:", "test: client"]
    assert {w.filename for w in caught} == {__file__}


@pytest.mark.simulation
def test_a_test_set_that_cannot_be_fitted_is_met_all_the_same():
    rng = np.random.default_rng(5)
    dev = br.Scores(rng.beta(5, 2, 50), rng.beta(2, 5, 50))
    test = br.Scores([0.8, 0.8], [0.2, 0.2])
    with (
        pytest.warns(br.SmallSampleWarning, match="no width"),
        pytest.warns(br.BetarocWarning, match="test: not fitted"),
    ):
        analysis = br.analyze(dev, test, family="beta")
    assert analysis.tests[0].fit is None
    assert analysis.points[0].observed[1].hter == 0.0
    assert "not fitted" in analysis.summary()


def test_depth_is_found_where_it_is_far_less_than_the_spacing_of_doubles():
    """Normal(4, 1) against Normal(0, 0.8): TNR - FRR below the crossing at -16."""
    model = br.ScoreModel(br.Normal(4.0, 1.0), br.Normal(0.0, 0.8))
    grid = np.linspace(-24.0, -16.0, 80_001)
    deepest = np.max(stats.norm.cdf(grid, 4.0, 1.0) - stats.norm.cdf(grid, 0.0, 0.8))
    assert 0.0 < deepest < 1e-80
    assert curve_words.depth(model) == pytest.approx(deepest, rel=1e-3)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.filterwarnings("ignore:.*are the wrong way round:betaroc.ReversedScoresWarning")
def test_a_crossing_beyond_every_score_is_said_to_be_of_the_familys_making(swapped):
    z = stats.norm.ppf((np.arange(200) + 0.5) / 200)
    scores = br.Scores(2.0 + z, 0.8 * z)
    if swapped:
        scores = br.Scores(scores.impostor, scores.client)
    tests = curve_words.curve_tests(br.fit(scores, "normal"), 0.95)
    assert curve_words.unseen_ends(tests.fit.model, tests.sizes) == {"at_zero"}
    shape = ("below" if swapped else "proper", " wherever there are scores")
    assert curve_words.seen_shape(tests.fit.model, tests.sizes) == shape
    words = curve_words.crossing_words(tests)
    assert "by construction of the family, nothing the data show" in words
    assert " 0 %" not in words


def test_output_replaces_and_keeps_mode_and_link_or_is_an_output_error(tmp_path, monkeypatch):
    real, link = tmp_path / "out.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    for path in (real, link):
        write_whole(path, f"neu ü {path.name}")
        assert real.read_text(encoding="utf-8") == f"neu ü {path.name}"
        assert real.stat().st_mode & 0o777 == 0o640
        assert set(tmp_path.iterdir()) == {real, link}
        assert link.is_symlink()
    monkeypatch.chdir(tmp_path)
    for path in ("/dev/full", "/", "no/such/folder/out.html", "a\0b"):
        with pytest.raises(br.OutputError, match="the output must be"):
            write_whole(path, "text")
    assert set(tmp_path.iterdir()) == {real, link}


FULL = OSError(28, "No space left on device")


@pytest.mark.parametrize(("failing", "raised", "error"), [
    ("replace", FULL, br.OutputError), ("fsync", KeyboardInterrupt(), KeyboardInterrupt),
])  # fmt: skip
def test_a_failure_leaves_the_old_file(failing, raised, error, tmp_path, monkeypatch):
    path = tmp_path / "out.txt"
    path.write_text("old")
    monkeypatch.setattr(f"os.{failing}", Mock(side_effect=raised))
    with pytest.raises(error, match="No space left" if raised is FULL else None):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]
