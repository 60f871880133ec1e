"""The audit of the ends: rules side by side, Hill's estimate by hand and on power laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import betaroc as br

Shapes = tuple[float, float]


def beta_fit(
    seed: int = 1, n: int = 400, client: Shapes = (2, 1.5), impostor: Shapes = (1.2, 3)
) -> br.Fit:
    rng = np.random.default_rng(seed)
    return br.fit(br.Scores(rng.beta(*client, n), rng.beta(*impostor, n)))


def test_rows_are_the_fits_under_these_rules() -> None:
    fit = beta_fit()
    rows = {row.policy: row for row in fit.sensitivity().policies}
    assert rows["as fitted"].auc == fit.model.auc()
    other = br.fit(fit.scores, boundary="censor", resolution=1e-3)
    row = rows["censor 0.001"]
    assert (row.client_a, row.impostor_b) == (other.client.params["a"], other.impostor.params["b"])
    assert row.exponent_at_zero == other.model.ends().at_zero.exponent
    assert set(rows) == {
        "as fitted", "squeeze", "censor 0.001", "censor 1e-06", "censor 1e-09", "censor 1e-12",
        "drop", "matlab",
    }  # fmt: skip
    frame = fit.sensitivity().to_frame()
    assert frame["policy"].tolist() == list(rows)


def test_exact_zeros_move_the_shapes_with_the_rule_and_masses_have_no_exponent() -> None:
    rng = np.random.default_rng(2)
    scores = br.Scores(rng.beta(2, 1.5, 200), np.r_[np.zeros(10), rng.beta(1.2, 3, 190)])
    rows = {r.policy: r for r in br.fit(scores, boundary="inflate").sensitivity().policies}
    shapes = {policy: row.impostor_a for policy, row in rows.items()}
    # The nearer the edge, the more mass a beta law must put beside it.
    assert shapes["as fitted"] > shapes["censor 0.001"] > shapes["censor 1e-06"]
    assert shapes["censor 1e-06"] > shapes["censor 1e-09"]
    assert shapes["drop"] == pytest.approx(shapes["as fitted"], rel=1e-12)
    drop = rows["drop"]
    assert math.isnan(rows["as fitted"].exponent_at_zero)
    for row in (drop, rows["as fitted"]):
        assert row.exponent_at_one == pytest.approx(row.impostor_b / row.client_b, rel=1e-12)
    assert drop.exponent_at_zero == pytest.approx(drop.impostor_a / drop.client_a, rel=1e-12)


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
    assert (wrong.who, wrong.end, wrong.departs) == ("client", "at_zero", True)
    assert wrong.z < -3


def test_what_the_fit_itself_has_over_the_same_share() -> None:
    """The mean of log q - log X below the quantile q, integrated by scipy."""
    narrow = beta_fit(6, 1000, (60.0, 50.0), (50.0, 50.0))
    for tail in narrow.sensitivity().tails:
        law = getattr(narrow, tail.who).distribution
        a, b = (law.a, law.b) if tail.end == "at_zero" else (law.b, law.a)
        q = stats.beta.ppf(tail.scores / 1000, a, b)
        mean = integrate.quad(lambda x, q=q, a=a, b=b: stats.beta.cdf(x, a, b) / x, 0, q)[0]
        # The mean over 1000 steps: log(2) / 2000 of it is missing in a pure power tail.
        assert tail.expected == pytest.approx(tail.scores / 1000 / mean, rel=1e-3)
        # So far from an end the exponent is not to be seen, and nothing departs.
        assert tail.z < -3
        assert tail.far
        assert not tail.departs


@pytest.mark.simulation
@pytest.mark.filterwarnings(
    "ignore::betaroc.DiscretenessWarning", "ignore::betaroc.BoundaryWarning"
)
def test_own_rule_and_cells_of_a_resolution() -> None:
    rng = np.random.default_rng(8)
    scores = br.Scores(*(np.round(rng.beta(*s, 300), 2) for s in ((2, 1.5), (1.2, 3))))
    squeezed = br.fit(scores, boundary="squeeze").sensitivity(0.01)
    rows = {row.policy: row for row in squeezed.policies}
    assert "squeeze" not in rows
    assert "inflate" in rows
    cells = br.fit(scores, resolution=0.01)
    assert rows["cells of 0.01"].impostor_a == cells.impostor.params["a"]
    by_cells = {row.policy: row for row in cells.sensitivity().policies}
    assert by_cells["as fitted"].impostor_a == cells.impostor.params["a"]
    censored = br.fit(scores, boundary="censor", resolution=0.01).sensitivity()
    assert [row.policy for row in censored.policies][-1] == "cells of 0.01"


@pytest.mark.filterwarnings("ignore::betaroc.DiscretenessWarning")
def test_weights_are_copies_also_broken_ones() -> None:
    rng = np.random.default_rng(9)
    values = rng.beta(2, 1.5, 60), rng.beta(1.2, 3, 60)
    weights = [rng.integers(0, 4, 60).astype(float) for _ in values]
    weighted = br.Scores(*values, client_weights=weights[0], impostor_weights=weights[1])
    copied = br.Scores(*(np.repeat(v, w.astype(int)) for v, w in zip(values, weights, strict=True)))
    one, two = (br.fit(s).sensitivity().tails for s in (weighted, copied))
    for a, b in zip(one, two, strict=True):
        assert a[:2] == b[:2]
        np.testing.assert_allclose(a[2:], b[2:], rtol=1e-9)
    # Twice the weights, halved again by hand: a half copy counts as half.
    half = br.Scores(*values, client_weights=np.full(60, 0.5), impostor_weights=np.full(60, 0.5))
    low = {(t.who, t.end): t for t in br.fit(half).sensitivity().tails}["impostor", "at_zero"]
    x = np.sort(values[1])  # 30 copies, 6 of them nearest the end: 12 scores of weight 1/2
    away = 0.5 * np.sum(np.log(x[12] / x[:12]))
    assert low.scores == 6
    assert low.hill == pytest.approx(6 / away, rel=1e-12)
    assert low.carried == pytest.approx(np.log(x[:2]).sum() / np.log(x).sum(), rel=1e-12)


def test_groups_widen_hills_error_by_hand() -> None:
    # 16 scores, k = 4: the four smallest are two pairs of one person each.
    impostor = np.r_[0.01, 0.011, 0.03, 0.031, np.linspace(0.2, 0.9, 12)]
    people = np.r_[0, 0, 1, 1, np.arange(2, 14)]
    client = np.linspace(0.3, 0.97, 16)
    scores = br.Scores(client, impostor, impostor_groups=people)
    fit = br.fit(scores)
    alone, together = (
        {(t.who, t.end): t for t in fit.sensitivity(groups=g).tails}["impostor", "at_zero"]
        for g in (False, True)
    )
    away = np.log(0.2 / impostor[:4])
    assert alone.hill == together.hill == pytest.approx(4 / away.sum(), rel=1e-12)
    a = fit.impostor.params["a"]
    assert alone.z == pytest.approx((alone.hill - a) / (a / 2), rel=1e-12)
    sums = (a * away - 1).reshape(2, 2).sum(axis=1)
    error = a / 4 * math.sqrt(np.sum(sums**2))
    assert error > a / 2
    assert together.z == pytest.approx((alone.hill - a) / error, rel=1e-12)


def test_rules_without_a_fit_are_named() -> None:
    # Beyond the censoring edge of 0.001 lies everything: no interior score is left.
    rng = np.random.default_rng(6)
    tiny = 1e-5 * rng.beta(2, 3, 30)
    found = br.fit(br.Scores(rng.beta(4, 2, 30), tiny)).sensitivity()
    assert [text.partition(":")[0] for text in found.refused] == ["censor 0.001"]
    assert "No fit under censor 0.001: impostor: too little is left" in str(found)
