"""Families side by side against scipy's densities, by hand and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import betaroc as br


def data(seed: int = 1, n: int = 200) -> br.Scores:
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(4, 1.5, n), rng.beta(1.2, 3, n + 50))


def scipys(family: str, x: np.ndarray) -> np.ndarray:
    """Log densities of the score under scipy's law with betaroc's estimates."""
    values = br.fit_distribution(x, family).values
    if family == "beta":
        return stats.beta.logpdf(x, *values)
    if family == "normal":
        return stats.norm.logpdf(x, *values)
    # dz/ds = 1 / (s (1 - s))
    return stats.norm.logpdf(np.log(x / (1 - x)), *values) - np.log(x) - np.log1p(-x)


def test_likelihoods_are_of_the_score_and_vuong_is_by_hand() -> None:
    scores = data()
    found = br.compare_families(scores)
    logs = {
        name: [scipys(name, x) for x in (scores.client, scores.impostor)]
        for name in ("beta", "normal", "logit-normal")
    }
    n = scores.n_client + scores.n_impostor
    for row in found.rows:
        total = sum(np.sum(v) for v in logs[row.family])
        assert row.log_likelihood == pytest.approx(total, rel=1e-12)
        assert row.aic == pytest.approx(8 - 2 * total, rel=1e-12)
        assert row.bic == pytest.approx(
            2 * math.log(scores.n_client) + 2 * math.log(scores.n_impostor) - 2 * total, rel=1e-12
        )
        assert row.parameters == 4
        if row.family != found.recommended:
            gaps = [a - b for a, b in zip(logs[row.family], logs[found.recommended], strict=True)]
            z = sum(map(np.sum, gaps)) / math.sqrt(sum(g.size * np.var(g) for g in gaps))
            assert row.vuong == pytest.approx(z, rel=1e-9)
    assert [r.held_out for r in found.rows] == sorted(
        (r.held_out for r in found.rows), reverse=True
    )
    assert math.isnan(found.rows[0].vuong)
    assert n == 450


def test_held_out_scores_are_those_of_a_literal_loop() -> None:
    scores = data(2, 60)
    folds = [
        np.random.default_rng(0).permutation(x.size) % 5 for x in (scores.client, scores.impostor)
    ]
    total = 0.0
    for k in range(5):
        for x, fold in zip((scores.client, scores.impostor), folds, strict=True):
            a, b = br.fit_distribution(x[fold != k]).values
            total += np.sum(stats.beta.logpdf(x[fold == k], a, b))
    (row,) = br.compare_families(scores, ["beta"]).rows
    assert row.held_out == pytest.approx(total / 170, rel=1e-9)


@pytest.mark.parametrize("family", ["beta", "logit-normal", "normal"])
def test_the_law_itself_is_recommended(family: str) -> None:
    law = {"beta": br.Beta, "logit-normal": br.LogitNormal, "normal": br.Normal}[family]
    shapes = {"beta": ((2, 0.6), (0.7, 2)), "logit-normal": ((1.5, 1.8), (-1, 1.2)),
              "normal": ((0.6, 0.07), (0.4, 0.09))}[family]  # fmt: skip
    client, impostor = (law(*s).sample(4000, rng=k) for k, s in enumerate(shapes))
    found = br.compare_families(br.Scores(client, impostor))
    assert found.recommended == family
    assert f"{family} has the best held-out score" in found.reason


def test_best_is_the_recommended_fit_and_says_why() -> None:
    scores = data(6)
    found = br.compare_families(scores)
    best = br.fit(scores, "best")
    assert best.family == found.recommended
    assert best.model == br.fit(scores, found.recommended).model
    assert best.reason == found.reason
    assert br.fit(scores).reason == ""
    rng = np.random.default_rng(7)
    real = br.Scores(rng.normal(1, 1, 50), rng.normal(0, 1, 50))
    assert br.fit(real, "best").family == "normal"
    with pytest.raises(br.InputError, match="the best family here is normal"):
        br.fit(real, "best", boundary="squeeze")


def test_scores_beyond_0_and_1_and_exact_ends() -> None:
    rng = np.random.default_rng(3)
    real = br.compare_families(br.Scores(rng.normal(1, 1, 50), rng.normal(0, 1, 50)))
    assert [r.family for r in real.rows] == ["normal"]
    assert math.isnan(real.rows[0].outside)
    inner = data(4)
    ends = br.Scores([*inner.client, 1.0, 1.0], [*inner.impostor, 0.0])
    for one, two in zip(
        br.compare_families(ends).rows, br.compare_families(inner).rows, strict=True
    ):
        assert one.log_likelihood == two.log_likelihood
    outside = {r.family: r.outside for r in br.compare_families(inner).rows}
    law = br.fit_distribution(inner.client, "normal").distribution
    assert outside["normal"] >= stats.norm.sf(1.0, law.mu, law.sigma)
    assert outside["beta"] == 0.0


def test_weights_are_copies_in_the_likelihood() -> None:
    inner = data(5, 40)
    twice = br.Scores(np.repeat(inner.client, 2), np.repeat(inner.impostor, 2))
    weighted = br.Scores(
        inner.client, inner.impostor,
        client_weights=np.full(40, 2.0), impostor_weights=np.full(90, 2.0),
    )  # fmt: skip
    one, two = ({r.family: r for r in br.compare_families(s).rows} for s in (twice, weighted))
    for name in one:
        assert one[name].log_likelihood == pytest.approx(two[name].log_likelihood, rel=1e-12)
        if not math.isnan(one[name].vuong) and not math.isnan(two[name].vuong):
            assert one[name].vuong == pytest.approx(two[name].vuong, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: br.compare_families([1, 2]), br.InputTypeError, "must be Scores"),
        (lambda: br.compare_families(data(), ["gamma"]), br.InputError, "families must be one of"),
        (lambda: br.compare_families(data(), ["beta", "beta"]), br.InputError, "once"),
        (
            lambda: br.compare_families(br.Scores([1, 2, 4], [0, 1, 2]), ["beta"]), br.InputError,
            "Leave it out",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(call, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_too_few_scores_for_folds() -> None:
    with pytest.raises(br.InputError, match="at least 10 distinct client scores for its 5 folds"):
        br.compare_families(br.Scores([0.6, 0.7, 0.8], [0.1, 0.2, 0.3]))
    with pytest.raises(br.InputTypeError, match="list of names"):
        br.compare_families(data(), 3)
    inner = data(8)
    ends = br.compare_families(br.Scores([*inner.client, 1.0], inner.impostor))
    assert ends.reason.endswith("(of the 450 scores between 0 and 1)")
