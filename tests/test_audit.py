"""The audit of the ends: rules side by side, Hill's estimate by hand and on power laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

import betaroc as br


def beta_fit(seed: int = 1, n: int = 400) -> br.Fit:
    rng = np.random.default_rng(seed)
    return br.fit(br.Scores(rng.beta(2, 1.5, n), rng.beta(1.2, 3, n)))


def test_rows_are_the_fits_under_these_rules() -> None:
    fit = beta_fit()
    rows = {row.policy: row for row in fit.sensitivity().policies}
    assert rows["as fitted"].auc == fit.model.auc()
    other = br.fit(fit.scores, boundary="censor", resolution=1e-3)
    row = rows["censor 0.001"]
    assert (row.client_a, row.impostor_b) == (other.client.params["a"], other.impostor.params["b"])
    assert row.exponent_at_zero == other.model.ends().at_zero.exponent
    assert set(rows) == {
        "as fitted", "squeeze", "censor 0.001", "censor 1e-06", "censor 1e-09", "drop", "matlab"
    }  # fmt: skip
    frame = fit.sensitivity().to_frame()
    assert frame["policy"].tolist() == list(rows)


def test_exact_zeros_move_the_shapes_with_the_rule() -> None:
    rng = np.random.default_rng(2)
    scores = br.Scores(rng.beta(2, 1.5, 200), np.r_[np.zeros(10), rng.beta(1.2, 3, 190)])
    rows = br.fit(scores, boundary="inflate").sensitivity().policies
    shapes = {row.policy: row.impostor_a for row in rows}
    # The nearer the edge, the more mass a beta law must put beside it.
    assert shapes["as fitted"] > shapes["censor 0.001"] > shapes["censor 1e-06"]
    assert shapes["censor 1e-06"] > shapes["censor 1e-09"]
    assert shapes["drop"] == pytest.approx(shapes["as fitted"], rel=1e-12)


def test_hills_estimate_by_hand() -> None:
    # n = 9, k = 3: the mean of log(x_4 / x_i) over the three smallest.
    client = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97]
    impostor = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    with pytest.warns(br.SmallSampleWarning):
        fit = br.fit(br.Scores(client, impostor))
    tails = {(t.who, t.end): t for t in fit.sensitivity().tails}
    low = tails["impostor", "at_zero"]
    hill = 3 / sum(math.log(0.1 / x) for x in (0.01, 0.02, 0.05))
    assert low.hill == pytest.approx(hill, rel=1e-13)
    a = fit.impostor.params["a"]
    assert (low.scores, low.z) == (3, pytest.approx((hill - a) / (a / math.sqrt(3)), rel=1e-12))
    assert low.carried == pytest.approx(math.log(0.01) / sum(map(math.log, impostor)), rel=1e-12)
    high = tails["client", "at_one"]
    assert high.hill == pytest.approx(
        3 / sum(math.log(0.15 / (1 - x)) for x in (0.97, 0.95, 0.9)), rel=1e-12
    )


def test_a_tail_of_another_kind_is_seen() -> None:
    right = beta_fit(3, 4000).sensitivity().tails
    assert max(abs(t.z) for t in right) < 4
    rng = np.random.default_rng(4)
    # A thin second tail: one score in fifty is s^5 instead.
    client = rng.beta(4, 2, 4000)
    client[::50] **= 5
    wrong = br.fit(br.Scores(client, rng.beta(2, 4, 4000))).sensitivity().tails[0]
    assert (wrong.who, wrong.end) == ("client", "at_zero")
    assert wrong.z < -3


def test_other_families_are_refused() -> None:
    rng = np.random.default_rng(5)
    fit = br.fit(br.Scores(rng.normal(1, 1, 30), rng.normal(0, 1, 30)), "normal")
    with pytest.raises(br.InputError, match="of beta fits"):
        fit.sensitivity()


def test_rules_without_a_fit_are_named() -> None:
    # Beyond the censoring edge of 0.001 lies everything: no interior score is left.
    rng = np.random.default_rng(6)
    tiny = 1e-5 * rng.beta(2, 3, 30)
    found = br.fit(br.Scores(rng.beta(4, 2, 30), tiny)).sensitivity()
    assert [text.partition(":")[0] for text in found.refused] == ["censor 0.001"]
