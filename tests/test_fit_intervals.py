"""Intervals of numbers of a fitted model: formulas by hand, simulation, invariances."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest

import betaroc as br
from betaroc.fit_intervals import STATISTICS

Z = statistics.NormalDist().inv_cdf(0.975)
PHI = statistics.NormalDist()
AT: dict[str | None, Any] = {
    None: None, "a FAR": 0.1, "a threshold": 0.4, "an alpha": 0.3, "an FRR": 0.1,
    "(low, high)": (0.0, 0.2),
}  # fmt: skip


def beta_fit(seed: int = 1, n: int = 80) -> br.Fit:
    rng = np.random.default_rng(seed)
    return br.fit(br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n)))


def logit_ends(p: float, sd: float) -> list[float]:
    y, reach = math.log(p / (1 - p)), Z * sd / (p * (1 - p))
    return [1 / (1 + math.exp(-(y - reach))), 1 / (1 + math.exp(-(y + reach)))]


def test_the_area_of_a_binormal_pair_by_hand() -> None:
    rng = np.random.default_rng(2)
    fit = br.fit(br.Scores(rng.normal(1, 1.2, 50), rng.normal(0, 0.8, 70)), "normal")
    (m1, s1), (m2, s2) = fit.client.values, fit.impostor.values
    # A = Phi(d), d = (m1 - m2)/S, S^2 = s1^2 + s2^2; Var m = s^2/n, Var s = s^2/(2 n).
    s = math.hypot(s1, s2)
    d = (m1 - m2) / s
    parts = [(s1 / s) ** 2 / 50, (s2 / s) ** 2 / 70]
    parts += [(d * s1**2 / s**2) ** 2 / 100, (d * s2**2 / s**2) ** 2 / 140]
    area = PHI.cdf(d)
    found = fit.interval("auc")
    ends = logit_ends(area, PHI.pdf(d) * math.sqrt(sum(parts)))
    assert [found.low, found.high] == pytest.approx(ends, rel=1e-6)
    # TPR at FAR 0.1: Phi((m1 - t)/s1), t = m2 + s2 z.
    z = PHI.inv_cdf(0.9)
    x = (m1 - m2 - s2 * z) / s1
    variance = 1 / 50 + x**2 / 100 + (s2 / s1) ** 2 / 70 + (z * s2 / s1) ** 2 / 140
    ends = logit_ends(PHI.cdf(x), PHI.pdf(x) * math.sqrt(variance))
    found = fit.interval("tpr", 0.1)
    assert [found.low, found.high] == pytest.approx(ends, rel=1e-6)
    band = fit.roc_band(far=[0.1])
    assert [band.low[0], band.high[0]] == pytest.approx(ends, rel=1e-6)
    # The threshold t itself.
    reach = Z * math.sqrt(s2**2 / 70 + (z * s2) ** 2 / 140)
    t = m2 + s2 * z
    found = fit.interval("threshold-at-far", 0.1)
    assert [found.low, found.high] == pytest.approx([t - reach, t + reach], rel=1e-7)


def test_an_exponent_is_a_quotient_of_shapes() -> None:
    # rho0 = a_i / a_c: Var log rho0 = Var log a_c + Var log a_i (theory of two samples).
    fit = beta_fit()
    found = fit.interval("exponent-at-zero")
    ratio = fit.model.ends().at_zero.exponent
    sd = math.hypot(
        fit.client.std_errors["a"] / fit.client.params["a"],
        fit.impostor.std_errors["a"] / fit.impostor.params["a"],
    )
    ends = [ratio * math.exp(-Z * sd), ratio * math.exp(Z * sd)]
    assert [found.low, found.high] == pytest.approx(ends, rel=1e-8)


@pytest.mark.parametrize("stat", STATISTICS)
def test_delta_and_bootstrap_agree_for_many_scores(stat: str) -> None:
    fit, at = beta_fit(3, 2000), AT[STATISTICS[stat].at]
    delta = fit.interval(stat, at)
    drawn = fit.interval(stat, at, method="bootstrap", replicates=200, rng=1)
    width = delta.high - delta.low
    assert delta.low < delta.estimate < delta.high
    # A 2.5 % quantile of 200 draws has an error of about 0.19 sd, 0.048 widths.
    assert abs(drawn.low - delta.low) < 0.19 * width
    assert abs(drawn.high - delta.high) < 0.19 * width


def test_a_function_of_the_model_is_a_statistic() -> None:
    fit = beta_fit()
    named, own = fit.interval("auc"), fit.interval(lambda m: m.auc())
    assert own.estimate == named.estimate
    # The plain scale has the same sd: widths agree to second order.
    assert own.high - own.low == pytest.approx(named.high - named.low, rel=0.1)


@pytest.mark.parametrize(("shapes", "n"), [(((4, 2), (2, 4)), 30), (((0.6, 0.4), (0.5, 0.9)), 40)])
def test_coverage(shapes: Any, n: int) -> None:
    # 60 sets: a share of 0.95 has an sd of 0.028. 400 sets gave 0.94 to 0.97.
    true = br.ScoreModel(br.Beta(*shapes[0]), br.Beta(*shapes[1]))
    wanted = {"auc": true.auc(), "eer": true.eer().hter, "tpr": float(true.roc().tpr(0.2))}
    hits = dict.fromkeys(wanted, 0)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        client, impostor = (np.clip(rng.beta(*s, n), 1e-300, 1 - 2**-53) for s in shapes)
        fit = br.fit(br.Scores(client, impostor))
        for stat, value in wanted.items():
            found = fit.interval(stat, 0.2 if stat == "tpr" else None)
            hits[stat] += found.low <= value <= found.high
    for count in hits.values():
        assert count / 60 >= 0.95 - 3 * 0.028


def test_a_simultaneous_band_is_wider_and_seeded() -> None:
    fit = beta_fit()
    one = fit.roc_band(far=np.linspace(0, 1, 21))
    for method in ("delta", "bootstrap"):
        all_at_once = fit.roc_band(
            simultaneous=True, method=method, far=one.alpha, replicates=300, rng=1
        )
        inner = slice(1, 11 if method == "bootstrap" else -1)  # it is cut at a TPR of 1
        assert np.all(
            (all_at_once.high - all_at_once.low)[inner] > (one.high - one.low)[inner] * 0.95
        )
        again = fit.roc_band(simultaneous=True, method=method, far=one.alpha, replicates=300, rng=1)
        assert again == all_at_once
    assert (one.low[0], one.high[-1]) == (0.0, 1.0)
    assert np.all((one.low <= one.estimate) & (one.estimate <= one.high))


def test_groups_widen_what_depends_on_them() -> None:
    rng = np.random.default_rng(4)
    person = rng.normal(0, 1, 20)
    names = np.repeat(np.arange(20), 10)
    client = 1.5 + person[names] + rng.normal(0, 0.5, 200)
    scores = br.Scores(client, rng.normal(0, 1, 200), client_groups=names)
    fit = br.fit(scores, "normal")
    wide, narrow = (fit.interval("auc", groups=g) for g in (True, False))
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_point_masses_vary() -> None:
    rng = np.random.default_rng(5)
    scores = br.Scores(
        np.r_[rng.beta(4, 2, 90), np.ones(10)], np.r_[np.zeros(20), rng.beta(2, 4, 80)]
    )
    fit = br.fit(scores, boundary="inflate")
    found = fit.interval(lambda m: m.client.at_one)
    # A binomial share of 10 in 100.
    assert found.high - found.low == pytest.approx(2 * Z * math.sqrt(0.1 * 0.9 / 100), rel=1e-3)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda f: f.interval("aux"), br.InputError, "Did you mean 'auc'"),
        (lambda f: f.interval("tpr"), br.InputError, "'tpr' needs at, a FAR; got at=None"),
        (lambda f: f.interval("auc", 0.1), br.InputError, "'auc' has no at"),
        (lambda f: f.interval(3), br.InputTypeError, "name or a function"),
        (lambda f: f.interval("auc", method="profile"), br.InputError, "method must be one of"),
        (lambda f: f.interval("auc", level=95), br.InputError, r"Did you mean 0\.95"),
        (lambda f: f.roc_band(far=[1.5]), br.InputError, "far must"),
        (
            lambda f: br.fit(f.scores, "empirical").interval("auc"), br.InputError,
            "laws whose parameters can vary",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(beta_fit())


def test_what_has_no_interval_says_so() -> None:
    k = np.arange(30)
    apart = br.fit(br.Scores(0.75 + 0.03 * np.sin(k), 0.25 + 0.03 * np.cos(k)))
    with pytest.raises(br.InputError, match="classes that do not overlap"):
        apart.interval("auc")
    for bad in (lambda m: "a", lambda m: [1, 2]):
        with pytest.raises(br.InputTypeError, match="must return one number"):
            beta_fit().interval(bad)
    with pytest.raises(br.InputTypeError, match=r"tuple \(low, high\)"):
        beta_fit().interval("partial-auc", 2)
    with pytest.raises((br.InputError, br.InputTypeError), match="at must"):
        beta_fit().interval("tpr", [0.1, 0.2])
