"""Fits with tails: the body stays, tails are those of the scores, errors say why."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit

import betaroc as br
from betaroc.core.errors import InputError
from betaroc.estimation.estimate import estimate_pair
from betaroc.estimation.tails import TailScores, fit_tails
from betaroc.fits.tail_fits import TailRequest, with_tails


def scores(n: int = 1000) -> br.Scores:
    rng = np.random.default_rng(2)
    return br.Scores(rng.beta(6.0, 2.0, n), rng.beta(2.0, 8.0, n))


def test_the_tail_is_that_of_the_scores_on_the_logit() -> None:
    data = scores()
    plain, _ = estimate_pair(data, ("beta", "beta"))
    found, said = with_tails(plain, TailRequest.of({"impostor": "upper"}))
    law = found.impostor.distribution
    assert isinstance(law, br.Spliced)
    assert law.body == plain.impostor.distribution
    expected = fit_tails(TailScores("impostor", logit(data.impostor)), "upper").tail()
    for name in ("mass", "shape", "scale", "joint"):
        assert getattr(law.upper, name) == pytest.approx(getattr(expected, name), rel=1e-9)
    assert found.client == plain.client
    assert not said
    assert found.impostor.names == ("a", "b", "upper_mass", "upper_shape", "upper_scale")
    assert found.impostor.n_free == 5
    threshold = float(np.ravel(found.model.at_far(0.005).threshold)[0])
    assert np.mean(data.impostor > threshold) == pytest.approx(0.005, abs=0.002)


def test_counts_have_tails_too() -> None:
    data = scores()
    plain, _ = estimate_pair(data, ("empirical", "empirical"))
    found, _ = with_tails(plain, TailRequest.of("both"))
    joint = found.impostor.tails[1]
    assert joint.side == "upper"
    at = np.sort(data.impostor)[-200]
    assert found.model.far(at) == pytest.approx(0.199)
    beyond = float(np.max(data.impostor)) + 0.05
    assert 0.0 < found.model.far(beyond) < 1e-3


def test_cosines_need_their_bounds() -> None:
    data = scores()
    cosines = br.Scores(2.0 * data.client - 1.0, 2.0 * data.impostor - 1.0)
    plain, _ = estimate_pair(cosines, ("normal", "normal"))
    found, _ = with_tails(plain, TailRequest.of({"impostor": "upper"}, None, (-1.0, 1.0)))
    unit, _ = with_tails(
        estimate_pair(data, ("beta", "beta"))[0], TailRequest.of({"impostor": "upper"})
    )
    for name in ("mass", "shape", "scale", "joint"):
        one = getattr(found.impostor.distribution.upper, name)
        assert one == pytest.approx(getattr(unit.impostor.distribution.upper, name), rel=1e-6)
    with pytest.raises(InputError, match="outside, first index"):
        with_tails(plain, TailRequest.of("upper", None, (-0.5, 0.5)))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("middle",), "got 'middle'"),
        (({"clients": "upper"},), "got"),
        (("both", (10,)), "tail_sizes"),
        (("both", ()), "got none"),
    ],
)
def test_requests_are_checked(given: tuple[object, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        TailRequest.of(*given)  # type: ignore[arg-type]


def test_a_summary_has_no_tails_yet() -> None:
    data = scores()
    frame = pd.DataFrame({
        "score": np.concatenate([data.client, data.impostor]),
        "label": np.repeat([1, 0], [data.client.size, data.impostor.size]),
    })  # fmt: skip
    plain, _ = estimate_pair(br.summarize(frame), ("beta", "beta"))
    with pytest.raises(InputError, match="a tail"):
        with_tails(plain, TailRequest.of("both"))
