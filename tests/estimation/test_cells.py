"""Rounded scores on every scale: counts in cells, and the advice that can be followed."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize, stats

import betaroc as br
from betaroc.estimation.families import FAMILIES

Draw = Callable[[np.random.Generator, int], np.ndarray]
DRAWS: dict[str, tuple[Draw, float]] = {
    "normal": (lambda r, n: r.normal(5, 2, n), 1.0),
    "log-normal": (lambda r, n: r.lognormal(1, 0.5, n), 0.5),
    "gamma": (lambda r, n: r.gamma(4, 1, n), 0.5),
    "sinh-arcsinh": (lambda r, n: np.sinh(r.normal(0.3, 1, n)), 0.25),
    "logit-sinh-arcsinh": (lambda r, n: 1 / (1 + np.exp(-r.normal(0, 1, n))), 0.05),
    "beta": (lambda r, n: r.beta(5, 2, n), 0.05),
    "logit-normal": (lambda r, n: 1 / (1 + np.exp(-r.normal(0, 1, n))), 0.05),
}


def rounded(x: np.ndarray, step: float) -> np.ndarray:
    return np.round(np.round(x / step) * step, 9)


@pytest.mark.parametrize("family", DRAWS)
def test_cells_give_back_what_rounding_took(family: str) -> None:
    """Nearer to the fit of the scores before rounding than a fifth of its standard errors."""
    draw, step = DRAWS[family]
    x = draw(np.random.default_rng(0), 2000)
    whole = br.fit_distribution(x, family)
    cells = br.fit_distribution(rounded(x, step), family, resolution=step)
    assert cells.boundary.policy == "interval"
    assert cells.boundary.n_moved == 0
    for name, value in whole.params.items():
        assert abs(cells.params[name] - value) < 0.5 * whole.std_errors[name]
        assert cells.std_errors[name] == pytest.approx(whole.std_errors[name], rel=0.15)
        assert cells.std_errors[name] > 0.95 * whole.std_errors[name]


def test_a_normal_in_cells_is_the_maximum_by_scipy() -> None:
    x = np.round(np.random.default_rng(1).normal(-3, 1.2, 400))
    found = br.fit_distribution(x, "normal", resolution=1.0)

    def loss(p: np.ndarray) -> float:
        law = stats.norm(p[0], np.exp(p[1]))
        return -float(np.sum(np.log(law.cdf(x + 0.5) - law.cdf(x - 0.5))))

    best = optimize.minimize(loss, [-3.0, 0.0], method="BFGS", options={"gtol": 1e-8})
    assert found.params["mu"] == pytest.approx(best.x[0], abs=1e-5)
    assert found.params["sigma"] == pytest.approx(np.exp(best.x[1]), rel=1e-5)
    assert found.log_likelihood == pytest.approx(-best.fun, rel=1e-10)
    h = 1e-3 * np.eye(2)
    curved = [[(loss(best.x + a + b) - loss(best.x + a - b) - loss(best.x - a + b)
                + loss(best.x - a - b)) / 4e-6 for a in h] for b in h]  # fmt: skip
    errors = np.sqrt(np.diag(np.linalg.inv(curved))) * [1.0, found.params["sigma"]]
    assert list(found.std_errors.values()) == pytest.approx(errors.tolist(), rel=1e-4)


def test_a_far_cell_is_counted_in_its_own_tail() -> None:
    """One score 12 standard deviations above: 1 - F is 0 there in doubles."""
    x = np.append(np.round(np.random.default_rng(2).normal(0, 1, 4000)), 12.0)
    found = br.fit_distribution(x, "normal", resolution=1.0)
    assert np.isfinite(found.log_likelihood)
    assert 1.0 < found.params["sigma"] < 1.1


# ------------------------------------------------------------------------- what is advised
SCALES: dict[str, tuple[Draw, Draw, float]] = {
    "questionnaire": (
        lambda r, n: np.clip(np.round(r.normal(7, 1.5, n)), 0, 10),
        lambda r, n: np.clip(np.round(r.normal(3, 1.5, n)), 0, 10), 1.0,
    ),
    "log likelihoods": (
        lambda r, n: np.round(r.normal(20, 40, n) / 10) * 10,
        lambda r, n: np.round(r.normal(-60, 50, n) / 10) * 10, 10.0,
    ),
    "two decimals": (
        lambda r, n: np.round(r.beta(8, 3, n), 2), lambda r, n: np.round(r.beta(3, 8, n), 2), 0.01,
    ),
    "positive": (
        lambda r, n: np.round(r.lognormal(2.5, 0.4, n)) + 1,
        lambda r, n: np.round(r.lognormal(1.5, 0.4, n)) + 1, 1.0,
    ),
}  # fmt: skip


@pytest.mark.simulation
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("family", ["auto", "best"])
def test_the_advice_for_rounded_scores_can_be_followed(scale: str, family: str) -> None:
    client, impostor, step = SCALES[scale]
    rng = np.random.default_rng(4)
    scores = br.Scores(client(rng, 385), impostor(rng, 385))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        br.fit(scores, family)
    (text,) = [str(w.message) for w in caught if w.category is br.DiscretenessWarning]
    assert "pass resolution=" in text
    inside = (scores.client != 0) & (scores.client != 1) if scale == "two decimals" else slice(None)
    values = np.unique(scores.client[inside]).size
    assert f"client: only {values} distinct values among" in text
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = br.fit(scores, family, resolution=step)
    assert br.DiscretenessWarning not in {w.category for w in caught}
    for one in (fit.client, fit.impostor):
        assert one.boundary.policy == "interval"
        assert FAMILIES[one.family].of_density
    if family == "best" and scale != "questionnaire":  # which has too few values to hold out
        assert fit.reason.startswith("chosen as the best: ")
    found = fit.interval("auc", method="family")
    assert found.low < fit.model.auc() < found.high
    assert br.from_json(fit.to_json()) == fit


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_zeros_and_ones_are_ends_of_the_unit_interval_alone() -> None:
    values = np.repeat([0.0, 1.0, 2.0, 3.0, 10.0], 77)
    with pytest.warns(br.DiscretenessWarning, match="only 5 distinct values among 385 scores"):
        br.fit(br.Scores(values + 0.0, values[::-1] - 0.0), "normal")


def test_cells_of_bad_input() -> None:
    x = np.random.default_rng(0).normal(5, 2, 100)
    with pytest.raises(br.InputError, match="boundary must be left out"):
        br.fit_distribution(x, "normal", boundary="drop")
    for step in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(br.InputError, match="resolution must be"):
            br.fit_distribution(x, "normal", resolution=step)
    with pytest.raises(br.InputError, match="resolution must be at least"):
        br.fit_distribution(1e6 * x, "normal", resolution=1e-12)
    with pytest.raises(br.DegenerateDataError, match="must be finer than the spread"):
        br.fit_distribution(np.full(50, 3.0), "normal", resolution=1.0)
    with pytest.raises(br.DegenerateDataError, match="fill 2 cell"):
        br.fit_distribution(np.repeat([3.0, 4.0], 25), "normal", resolution=1.0)
    zeros = np.round(np.random.default_rng(0).lognormal(0, 1, 200))
    assert np.any(zeros == 0.0)
    assert br.fit_distribution(zeros, "log-normal", resolution=1.0).params["mu"] == pytest.approx(
        0.0, abs=0.3
    )
    with pytest.raises(br.InputError, match="must be above 0"):
        br.fit_distribution([-1.0, 2.0, 3.0, 4.0], "log-normal", resolution=1.0)
    weights = np.full(100, 1e9)
    heavy = br.fit_distribution(np.round(x), "normal", weights=weights, resolution=1.0)
    assert heavy.params["mu"] == pytest.approx(
        br.fit_distribution(np.round(x), "normal", resolution=1.0).params["mu"], rel=1e-8
    )


@pytest.mark.simulation
@pytest.mark.parametrize("step", [1.0, 2.0, 3.0])
def test_mu_and_sigma_come_back_from_rounded_scores(step: float) -> None:
    """Of N(5.3, 2): the mean over 200 sets of 300 within three of its errors."""
    found, plain = np.empty((200, 2)), np.empty(200)
    for seed in range(200):
        x = rounded(np.random.default_rng(seed).normal(5.3, 2.0, 300), step)
        found[seed] = br.fit_distribution(x, "normal", resolution=step).values
        plain[seed] = np.std(x)
    error = found.std(axis=0) / np.sqrt(200)
    # sigma by maximum likelihood is 3 / (4 n) of itself too small.
    assert np.all(np.abs(found.mean(axis=0) - [5.3, 2.0 * (1 - 0.75 / 300)]) < 3.5 * error)
    # Without cells sigma^2 is step^2 / 12 too large (Sheppard).
    assert np.mean(plain**2) == pytest.approx(4.0 * (1 - 1 / 300) + step**2 / 12, rel=0.02)
