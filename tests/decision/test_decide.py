"""Decisions: order statistics by hand, never above the target on dev, guarantees simulated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.errors import InputError

CLIENT = stats.beta(6, 2)


def scores(n: int = 1000, seed: int = 1, m: int = 300) -> br.Scores:
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(6, 2, m), rng.beta(2, 8, n))


def way(d: br.Decision, how: str) -> Any:
    return next(one for one in d.ways if one.how == how)


# ------------------------------------------------------------------------------- by hand
def test_order_statistics_by_hand() -> None:
    """Impostors 1 to 500; FAR 1 %: on average 4 above (5/501), counted 5, guaranteed 1."""
    data = br.Scores([600.0, 700.0, 20.0], np.arange(1.0, 501.0))
    d = br.decide(data, far=0.01, family="normal")
    k = max(j for j in range(1, 20) if stats.binom.sf(j - 1, 500, 0.01) >= 0.95)
    guaranteed, average, counted = (way(d, h) for h in ("guaranteed", "average", "counted"))
    assert (guaranteed.threshold, guaranteed.n_beyond) == (500.0 - (k - 1), k - 1)
    assert (average.threshold, average.n_beyond, average.expected) == (496.0, 4, 5 / 501)
    assert (counted.threshold, counted.n_beyond, counted.far) == (495.0, 5, 0.01)
    assert average.low == pytest.approx(stats.beta.ppf(0.025, 5, 496))
    assert average.high == pytest.approx(stats.beta.ppf(0.975, 5, 496))
    assert d.how == "guaranteed"
    assert (d.threshold, d.status) == (guaranteed.threshold, "can be relied on")
    assert d.needed is None
    assert d.expected.frr == pytest.approx(1 / 3)
    assert br.guaranteed_threshold(data, far=0.01).threshold == d.threshold


def test_clients_are_mirrored() -> None:
    data = br.Scores(np.arange(1.0, 501.0), [0.0, 2.5])
    d = br.decide(data, frr=0.01, family="normal", how="average")
    assert d.threshold == math.nextafter(5.0, -math.inf)
    assert way(d, "average").n_beyond == 4
    assert np.sum(data.client <= d.threshold) == 4
    assert d.expected.frr == 5 / 501


def test_ties_leave_fewer_beyond() -> None:
    """Ten largest tie: 9 and fewer may be above none of them but the next threshold."""
    impostor = np.concatenate([np.arange(490.0), np.full(10, 1000.0)])
    d = br.decide(br.Scores([1.0, 2000.0], impostor), far=0.01, family="normal", how="average")
    assert d.threshold == 1000.0
    assert (d.ways[1].n_beyond, d.ways[1].far) == (0, 0.0)
    assert d.accept([1000.0, 1000.1]).tolist() == [False, True]


def test_weights_are_copies() -> None:
    data = scores(400)
    heavy = br.Scores(data.client, data.impostor, impostor_weights=np.full(400, 3.0))
    thrice = br.Scores(data.client, np.repeat(data.impostor, 3))
    for how in ("guaranteed", "average"):
        one, two = (br.decide(x, far=0.02, how=how, family="beta") for x in (heavy, thrice))
        assert one.threshold == two.threshold


# ------------------------------------------------------------------------------- the order
def test_the_first_way_that_is_possible() -> None:
    assert br.decide(scores(299), far=0.01).how == "guaranteed"
    few = br.decide(scores(298), far=0.01)
    assert (few.how, few.needed, few.status) == ("average", 299, "not enough evidence")
    assert "a guarantee needs 299, dev has 298 impostor scores" in few.reason
    rare = br.decide(scores(300), far=0.002)
    assert rare.how == "tail"
    assert br.decide(scores(150), far=0.002).how == "model"
    assert [one.how for one in few.ways] == ["guaranteed", "average", "tail", "model", "counted"]
    assert list(few.alternatives["how"]) == [one.how for one in few.ways]


def test_what_is_impossible_says_what_is_needed() -> None:
    with pytest.raises(InputError, match="299 impostor scores needed, dev has 200") as caught:
        br.decide(scores(200), far=0.01, how="guaranteed")
    assert caught.value.needed == 299  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="499 impostor scores needed"):
        br.decide(scores(200), far=0.002, how="average")
    with pytest.raises(InputError, match="at least 200 scores"):
        br.decide(scores(150), far=0.002, how="tail")
    with pytest.raises(InputError, match=r"expects 0\.02"):
        br.decide(scores(200), far=0.0001, how="tail")


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("digits", [17, 2])
def test_dev_never_counts_more_than_the_target(seed: int, digits: int) -> None:
    rng = np.random.default_rng(seed)
    impostor = np.concatenate([rng.beta(2, 8, 480), rng.beta(12, 3, 20)]).round(digits)
    data = br.Scores(rng.beta(6, 2, 400).round(digits), impostor)
    for kind, who in (("far", data.impostor), ("frr", data.client)):
        d = br.decide(data, **{kind: 0.03}, family="beta")
        for one in d.ways:
            if one.possible:
                rate = np.mean(who > one.threshold if kind == "far" else who <= one.threshold)
                assert rate <= 0.03
                assert (one.far if kind == "far" else one.frr) == pytest.approx(rate)


def test_a_fit_that_does_not_hold_is_not_relied_on() -> None:
    rng = np.random.default_rng(3)
    impostor = np.concatenate([rng.beta(2, 8, 970), rng.beta(12, 4, 30)])
    d = br.decide(br.Scores(rng.beta(6, 2, 500), impostor), far=0.01, how="model", family="beta")
    assert d.status == "do not rely on it"
    assert "27 scores beyond its own threshold, 10 expected" in d.reason
    counted = way(d, "counted")
    assert d.threshold == counted.threshold  # raised


# ------------------------------------------------------------------------------- checks
def test_checks_of_a_test_set() -> None:
    d = br.decide(scores(1000), far=0.01)
    fine = d.check(scores(20_000, seed=5))
    assert (fine.verdict, fine.status) == ("kept", "can be relied on")
    attacks = br.Scores(scores().client, np.random.default_rng(2).beta(4, 6, 400))
    bad = d.check(attacks)
    assert (bad.verdict, bad.status) == ("broken", "do not rely on it")
    assert bad.observed == np.mean(attacks.impostor > d.threshold)
    low, high = stats.binomtest(int(bad.observed * 400), 400).proportion_ci(method="exact")
    assert (bad.low, bad.high) == pytest.approx((low, high))
    few = d.check(br.Scores([0.9], np.append(np.zeros(20), 0.99)))
    assert (few.verdict, few.status) == ("cannot tell", "not enough evidence")
    none = d.check(br.Scores([0.9], np.zeros(20)))
    assert (none.verdict, none.status) == ("cannot tell", "can be relied on")


# ------------------------------------------------------------------------------- costs
def test_costs_have_the_least_counted_cost() -> None:
    data = scores(500)
    d = br.decide(data, cost_fa=10, cost_fr=1, prior=0.2)
    t = np.unique(np.concatenate([data.client, data.impostor]))
    cost = [
        0.8 * 10 * np.mean(data.impostor > x) + 0.2 * np.mean(data.client <= x) for x in t
    ]  # fmt: skip
    own = 0.8 * 10 * d.expected.far + 0.2 * d.expected.frr
    assert own == pytest.approx(min(cost))
    assert (d.how, d.status, d.target) == ("counted", "not enough evidence", "cost")
    assert d.expected.prior == 0.2
    found = d.check(scores(2000, seed=3))
    assert found.verdict == "cannot tell"
    assert found.low <= found.observed <= found.high
    assert br.decide(data, cost_fa=10, cost_fr=1, how="model", family="beta").how == "model"


def test_the_equal_error_rate() -> None:
    data = scores(500)
    d = br.decide(data, eer=True)
    point = br.fit(data, "empirical").model.eer()
    assert d.threshold == float(point.threshold)
    assert d.check(scores(500, seed=3)).verdict == "cannot tell"


# ------------------------------------------------------------------------------- other systems
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_greater_or_equal_in_the_dtype_of_the_scores(dtype: str) -> None:
    """Scores that tie with the threshold are rejected by score >= the next number above."""
    rng = np.random.default_rng(1)
    impostor = rng.beta(2, 8, 500).astype(dtype)
    d = br.decide(br.Scores(rng.beta(6, 2, 500).astype(dtype), impostor), far=0.01, family="beta")
    assert d.dtype == dtype
    t = d.threshold_for_greater_equal
    assert t == float(np.dtype(dtype).type(t))
    for x in (impostor, rng.beta(3, 4, 10_000).astype(dtype)):
        assert np.array_equal(x >= np.dtype(dtype).type(t), x.astype(np.float64) > d.threshold)
    frame_scores = br.Scores.from_labels([1, 0, 1, 0], np.array([0.9, 0.1, 0.8, 0.3], dtype))
    assert frame_scores._dtype == dtype


def test_a_threshold_between_two_float32_numbers() -> None:
    data = scores(500)
    d = br.decide(br.Scores(data.client.astype("f4"), data.impostor.astype("f4")), far=0.01)
    above = d.threshold_for_greater_equal
    assert above > d.threshold
    assert float(np.nextafter(np.float32(above), np.float32(0))) <= d.threshold


# ------------------------------------------------------------------------------- bad requests
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "exactly one target must be given"),
        ({"far": 0.1, "frr": 0.1}, "got far and frr"),
        ({"cost_fa": 1}, "cost_fr must stand beside"),
        ({"cost_fa": 0, "cost_fr": 1}, "cost_fa must"),
        ({"far": 0.0}, "strictly between 0 and 1"),
        ({"far": 0.1, "how": "counted"}, "how must be one of"),
        ({"eer": True, "how": "average"}, "how must be one of"),
        ({"far": 0.1, "confidence": 95}, "Did you mean 0.95"),
    ],
)
def test_requests_that_make_no_sense(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        br.decide(scores(), **options)


def test_groups_are_drawn_by_one_seed() -> None:
    data = scores(1000)
    grouped = br.Scores(data.client, data.impostor, impostor_groups=np.arange(1000) // 2)
    d = br.decide(grouped, far=0.01, family="beta")
    assert d == br.decide(grouped, far=0.01, family="beta")
    assert d.threshold == br.guaranteed_threshold(grouped, far=0.01, rng=0).threshold


def test_the_repr_is_one_line() -> None:
    d = br.decide(scores(), far=0.01)
    assert len(repr(d)) < 200
    assert "can be relied on" in str(d)


# ------------------------------------------------------------------------------- simulated
LAWS = {
    "beta": lambda rng, n: rng.beta(2, 8, n),
    "normal": lambda rng, n: rng.normal(0, 1, n),
    "t": lambda rng, n: rng.standard_t(3, n),
    "two decimals": lambda rng, n: rng.beta(2, 8, n).round(2),
    "grades": lambda rng, n: rng.binomial(20, 0.2, n).astype(float),
}
TRUE = {
    "beta": lambda t: stats.beta.sf(t, 2, 8),
    "normal": lambda t: stats.norm.sf(t),
    "t": lambda t: stats.t.sf(t, 3),
    "two decimals": lambda t: stats.beta.sf(
        round(t * 100 + 0.5) / 100 if t * 100 % 1 else t + 0.005, 2, 8
    ),
    "grades": lambda t: stats.binom.sf(t, 20, 0.2),
}


@pytest.mark.simulation
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("n", "far"), [(300, 0.01), (500, 0.02), (1000, 0.05)])
def test_guarantees_are_kept_and_averages_hold(law: str, n: int, far: float) -> None:
    """1000 sets: bound kept in .936 (95 % less two errors); mean FAR within three errors."""
    rng = np.random.default_rng(n)
    kept, rates = 0, []
    client = np.array([0.5, 0.9])
    from betaroc.decision.ways import Target, _average, _Extremes, _guaranteed

    expected = 0.0
    for _ in range(1000):
        data = br.Scores(client, LAWS[law](rng, n))
        ordered = _Extremes.of(data, Target("far", far, 0.95))
        one, two = _guaranteed(data, ordered), _average(data, ordered)
        kept += TRUE[law](one.threshold) <= far * (1 + 1e-12)
        rates.append(TRUE[law](two.threshold))
        expected = two.expected
    assert kept >= 936
    error = float(np.std(rates)) / math.sqrt(1000)
    if law in ("two decimals", "grades"):
        assert np.mean(rates) <= expected + 3 * error
    else:
        assert np.mean(rates) == pytest.approx(expected, abs=3 * error)
        k = _guaranteed(data, ordered)
        exact = stats.beta.cdf(far, k.n_beyond + 1, n - k.n_beyond)
        assert kept / 1000 <= exact + 0.015 + 2 * math.sqrt(exact * (1 - exact) / 1000)
