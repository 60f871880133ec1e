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
    # The joint, the mean of two sizes, lies between scores: counts beside it are rescaled.
    assert found.model.far(at) == pytest.approx(0.199, rel=0.005)
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


def test_the_log_likelihood_is_that_of_the_spliced_distribution() -> None:
    data = scores()
    for families in (("beta", "beta"), ("logit-normal", "beta")):
        plain, _ = estimate_pair(data, families)
        found, _ = with_tails(plain, TailRequest.of("both"))
        own = np.sum(found.model.client.logpdf(data.client))
        assert found.client.log_likelihood == pytest.approx(own, rel=1e-10)
        own = np.sum(found.model.impostor.logpdf(data.impostor))
        assert found.impostor.log_likelihood == pytest.approx(own, rel=1e-10)


@pytest.mark.simulation
def test_a_summary_has_the_tails_of_its_scores() -> None:
    data = scores(5000)
    frame = pd.DataFrame({
        "score": np.concatenate([data.client, data.impostor]),
        "label": np.repeat([1, 0], [data.client.size, data.impostor.size]),
    })  # fmt: skip
    halves = [br.summarize(frame.iloc[k::2]) for k in (0, 1)]
    of_rows = br.fit(data, tails="both")
    for summary in (br.summarize(frame), halves[0] + halves[1]):
        found = br.fit(summary, tails="both")
        for who in ("client", "impostor"):
            one, own = (getattr(f.model, who) for f in (found, of_rows))
            assert one.upper == own.upper
            assert one.lower == own.lower
            assert getattr(found, who).log_likelihood == pytest.approx(
                getattr(of_rows, who).log_likelihood, rel=1e-9
            )
        a, b = (f.interval("threshold", far=1e-3, method="family") for f in (found, of_rows))
        assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-9)
        rate = br.difference(found, found, "frr", threshold=0.3, paired=False)
        assert rate.estimate == 0.0
    with pytest.raises(InputError, match="at most 400 of a summary"):
        br.fit(halves[0], tails="both", tail_sizes=401)


def test_a_summary_of_piled_scores_says_so() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({
        "score": np.concatenate([np.full(3000, 0.9), rng.random(2000) * 0.8, rng.random(4000)]),
        "label": np.repeat([0, 1], [5000, 4000]),
    })  # fmt: skip
    with pytest.warns(br.errors.PrecisionWarning):
        summary = br.summarize(frame)
    with pytest.raises(InputError, match="upper tail of impostor must have at least 20 scores"):
        br.fit(summary, tails={"impostor": "upper"})
