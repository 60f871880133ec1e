"""Tails of one class: joints by hand, copies, groups, ties, errors, the matched tail."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from betaroc.core.errors import InputError, ScaleWarning
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores
from betaroc.estimation.tails import TailScores, fit_tails, steep_tails
from betaroc.fits.tail_fits import _design_effect


def design_effect(groups: Any, which: int, beyond: Any) -> float:
    return _design_effect(groups, which, np.ones(beyond.size, dtype=bool), beyond)


def drawn(n: int = 1000, seed: int = 3) -> np.ndarray:
    return np.asarray(stats.logistic.rvs(size=n, random_state=seed))


def test_the_joint_is_the_score_next_to_the_tail() -> None:
    y = drawn()
    tails = fit_tails(TailScores("impostor", y), "upper")
    ordered = np.sort(y)[::-1]
    assert [fit.joint for fit in tails.fits] == [ordered[30], ordered[50]]
    assert [fit.k for fit in tails.fits] == [30.0, 50.0]
    np.testing.assert_allclose(np.sort(tails.fits[0].excesses)[::-1], ordered[:30] - ordered[30])
    assert tails.mass == pytest.approx(0.03)


def test_a_lower_tail_is_an_upper_one_turned() -> None:
    y = drawn()
    upper = fit_tails(TailScores("impostor", -y), "upper")
    lower = fit_tails(TailScores("impostor", y), "lower")
    assert lower.fits == upper.fits
    assert lower.tail().joint == -upper.tail().joint  # type: ignore[operator]
    assert lower.tail().shape == upper.tail().shape


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_one_tail_has_the_mean_places_of_both(seed: int) -> None:
    tails = fit_tails(TailScores("impostor", drawn(seed=seed)), "upper")
    tail = tails.tail()
    places = []
    for share in (1.0, 0.2, 0.02, 0.005):
        log_rate = math.log(0.03 * share)
        by_size = [
            fit.joint + stats.genpareto.isf(0.03 * share / fit.mass, fit.shape, scale=fit.scale)
            for fit in tails.fits
        ]
        places.append((float(tail.joint + tail._distance(log_rate)), by_size))
    for place, by_size in places[:3]:
        assert place == pytest.approx(np.mean(by_size), rel=1e-9)
    assert abs(places[3][0] - np.mean(places[3][1])) < 0.5 * abs(np.subtract(*places[3][1]))


def test_weights_are_copies() -> None:
    y = np.round(drawn(500), 1)
    values, counts = np.unique(y, return_counts=True)
    copies = fit_tails(TailScores("client", y), "upper")
    weighted = fit_tails(TailScores("client", values, counts.astype(float)), "upper")
    for one, other in zip(copies.fits, weighted.fits, strict=True):
        assert (one.joint, one.k, one.n) == (other.joint, other.k, other.n)
        assert one.shape == pytest.approx(other.shape, abs=1e-9)


def test_tied_scores_have_their_joint_half_a_step_off() -> None:
    """Of 400 scores 24 lie at 10, ..., 33; 10 each at 9, 8: 34 are nearer to 30 than 24 is not."""
    y = np.concatenate([np.arange(10.0, 34.0), np.full(10, 9.0), np.full(10, 8.0), np.zeros(356)])
    near, far = fit_tails(TailScores("impostor", y), "upper").fits
    assert (near.joint, near.k) == (8.5, 34.0)
    assert (far.joint, far.k) == (4.0, 44.0)


def test_groups_that_repeat_a_score_are_worth_one() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat(rng.normal(size=400), 5)
    scores = Scores([1.0, 2.0], y, impostor_groups=np.repeat(np.arange(400), 5))
    groups = groups_of(scores)
    assert groups is not None
    beyond = y > 1.5
    assert design_effect(groups, 1, beyond) == pytest.approx(5.0, rel=0.01)
    one = TailScores("impostor", y, None, lambda mask: design_effect(groups, 1, mask))
    fit = fit_tails(one, "upper", (100, 200)).fits[0]
    assert fit.k == pytest.approx(20.0, rel=0.01)
    assert fit.n == pytest.approx(400.0, rel=0.01)


def test_a_uniform_end_is_on_the_border_and_a_steep_shape_is_said() -> None:
    tails = fit_tails(TailScores("client", np.linspace(0.0, 1.0, 1001)), "upper")
    assert all(-0.95 <= fit.shape < -0.5 for fit in tails.fits)
    (said,) = steep_tails("client", tails, bounded=False)
    assert said.category is ScaleWarning
    assert "bounds=(-1, 1)" in said.message
    other = fit_tails(TailScores("client", drawn()), "upper")
    assert not steep_tails("client", other, bounded=False)


@pytest.mark.parametrize(
    ("y", "sizes", "words"),
    [
        (drawn(199), (30, 50), "at least 200 scores; got 199"),
        (drawn(300), (30, 100), "up to a quarter of the class, 75 for .* got 100"),
        (np.append(drawn(300), [np.inf] * 3), (30, 50), "3 of 303 scores are exactly there"),
        (np.repeat([0.0, 1.0, 2.0], 200), (30, 50), "different scores beyond its joint"),
        (np.append(np.full(300, 0.0), [1.0, 2.0]), (30, 50), "beyond its joint"),
    ],
)
def test_what_has_no_tail_says_why(y: np.ndarray, sizes: tuple[int, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        fit_tails(TailScores("impostor", y), "upper", sizes)


def test_one_group_or_none_has_no_effect() -> None:
    y = np.linspace(0.0, 1.0, 20)
    one = groups_of(Scores([1.0, 2.0], y, impostor_groups=np.zeros(20, dtype=int)))
    assert one is not None
    assert design_effect(one, 1, y > 0.5) == 1.0
    assert design_effect(one, 0, np.array([True, False])) == 1.0


def test_the_effect_is_the_variance_between_groups_by_hand() -> None:
    """Two groups of 2 scores, of which 2 and 0 are marked: 1/2 each way, twice as much as alone."""
    y = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    groups = groups_of(Scores([1.0, 2.0], y, impostor_groups=[0, 0, 1, 1, 2, 2]))
    assert groups is not None
    # sums of (marked - 1/2) by group: 1, -1, 0; variance (1 + 1)/36 * 3/2, alone 1/4 / 6.
    assert design_effect(groups, 1, y > 0.5) == pytest.approx((2.0 / 36.0 * 1.5) / (0.25 / 6.0))
