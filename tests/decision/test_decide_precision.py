"""A threshold for a precision: counted by hand, its interval, its test, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import betaroc as br
from betaroc.core.special import share_ends

#: By descending score: client, impostor, client, client, impostor, impostor.
DEV = br.Scores([9.0, 7.0, 6.0], [8.0, 5.0, 4.0])


def many(n: int, seed: int, shape: float = 8.0) -> br.Scores:
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(6, 2, n), rng.beta(2, shape, n))


@pytest.mark.parametrize(("target", "threshold", "precision", "accepted"), [
    (0.5, -np.inf, 3 / 6, 6), (0.6, 4.5, 3 / 5, 5), (0.61, 5.5, 3 / 4, 4), (0.75, 5.5, 3 / 4, 4),
    (0.76, 8.5, 1.0, 1), (1.0, 8.5, 1.0, 1),
])  # fmt: skip
def test_by_hand(target: float, threshold: float, precision: float, accepted: int) -> None:
    d = br.decide(DEV, precision=target)
    assert (d.threshold, d.how, d.n, d.target, d.rate) == (
        threshold, "counted", accepted, "precision", target,
    )  # fmt: skip
    assert d.interval.estimate == precision == pytest.approx(d.expected.precision)
    k = round(precision * accepted)
    low, high = beta.ppf(0.025, k, accepted - k + 1), beta.ppf(0.975, k + 1, accepted - k)
    assert d.interval.low == pytest.approx(low)
    assert d.interval.high == pytest.approx(1.0 if k == accepted else high)
    assert d.status != "can be relied on"
    assert br.decide(DEV, ppv=target) == d == br.from_json(d.to_json())


def test_precision_is_not_monotone() -> None:
    """Above 8.5 it is 1, above 7.5 it is 1/2, above 5.5 it is 3/4."""
    assert br.decide(DEV, precision=0.7).threshold == 5.5
    assert "need not rise with the threshold" in br.decide(DEV, precision=0.7).reason


def test_at_another_prior() -> None:
    """At 5.5 TPR is 1 and FAR 1/3: precision at 1/4 is (1/4) / (1/4 + 3/4 . 1/3) = 1/2."""
    d = br.decide(DEV, precision=0.5, prior=0.25)
    assert (d.threshold, d.n) == (5.5, None)
    assert d.interval.estimate == pytest.approx(0.5)
    far = br.interval(DEV, "far", threshold=5.5)
    frr = br.interval(DEV, "frr", threshold=5.5)

    def at(tpr: float, far: float) -> float:
        return tpr / (tpr + 3.0 * far)

    low = 0.5 - np.hypot(0.5 - at(1.0 - frr.high, 1 / 3), 0.5 - at(1.0, far.high))
    high = 0.5 + np.hypot(at(1.0 - frr.low, 1 / 3) - 0.5, at(1.0, far.low) - 0.5)
    assert (d.interval.low, d.interval.high) == pytest.approx((max(low, 0.0), min(high, 1.0)))
    assert br.from_json(d.to_json()) == d


def test_of_a_test() -> None:
    d = br.decide(many(500, 1), precision=0.9)
    worse, few = d.check(many(2000, 3, 3.0)), d.check(many(30, 4))
    for check in (worse, few):
        accepted = [np.sum(d.accept(x)) for x in (check.scores.client, check.scores.impostor)]
        assert check.observed == accepted[0] / sum(accepted) == pytest.approx(check.point.precision)
        assert br.from_json(check.to_json()) == check
    assert (worse.verdict, worse.status) == ("broken", "do not rely on it")
    assert worse.high < 0.9
    assert (few.verdict, few.status) == ("cannot tell", d.status)
    assert few.low < 0.9 < few.high
    careful = br.decide(many(500, 1), precision=0.95).check(many(5000, 2, 12.0))
    assert (careful.verdict, careful.status) == ("kept", "can be relied on")
    assert careful.low >= 0.95
    fixed = br.decide(many(500, 1), precision=0.6, prior=0.1).check(many(5000, 2))
    assert fixed.observed == pytest.approx(
        0.1 * fixed.point.tpr / (0.1 * fixed.point.tpr + 0.9 * fixed.point.far)
    )


def test_counts_summaries_and_groups() -> None:
    heavy = br.Scores([9, 7, 6], [8, 5, 4], client_weights=[1e15] * 3, impostor_weights=[1e15] * 3)
    assert br.decide(heavy, precision=0.75).threshold == 5.5
    data = many(200, 1)
    label = np.repeat([1, 0], 200)
    frame = pd.DataFrame({"score": np.concatenate([data.client, data.impostor]), "label": label})
    binned = br.decide(br.summarize(frame, bins=256), precision=0.9)
    accepted = [np.sum(binned.accept(x)) for x in (data.client, data.impostor)]
    assert binned.interval.estimate == accepted[0] / sum(accepted) >= 0.9
    groups = np.repeat(np.arange(40), 5)
    grouped = br.Scores(data.client, data.impostor, client_groups=groups, impostor_groups=groups)
    one, other = (br.decide(x, precision=0.9) for x in (data, grouped))
    assert one.threshold == other.threshold
    assert one.interval != other.interval


def test_what_is_shown() -> None:
    d = br.decide(many(500, 1), precision=0.9)
    text = d._repr_html_()
    assert "Target precision 90\N{NO-BREAK SPACE}%: counted on dev, not guaranteed" in text
    assert "right among those accepted" in text
    assert list(d.alternatives["how"]) == ["counted"]
    assert "precision" in d.check(many(500, 2))._repr_html_()


@pytest.mark.parametrize("share", [1e-6, 0.05])
def test_heavy_counts_have_digits(share: float) -> None:
    """Of 1e9 or 1e18 trials a share is within some standard deviations of what was counted."""
    for n in (1e9, 1e18):
        low, high = (float(end) for end in share_ends(share * n, n, 0.025))
        sd = np.sqrt(share * (1.0 - share) / n)
        assert low == pytest.approx(share - 1.96 * sd, abs=0.1 * sd)
        assert high == pytest.approx(share + 1.96 * sd, abs=0.1 * sd)
    weights = {f"{who}_weights": np.full(1000, 1e15) for who in ("client", "impostor")}
    data = br.Scores(np.linspace(0.4, 1.0, 1000), np.linspace(0.0, 0.6, 1000), **weights)
    ways = br.decide(data, far=0.05).methods
    assert ways[0].achieved == pytest.approx(0.95, abs=1e-3)
    assert all(0.4 < way.achieved < 1.0 for way in ways if way.k is not None)
