"""Choices on pairs of which one rate jumps or stands still where the other moves."""

from __future__ import annotations

import numpy as np
import pytest

import betaroc as br
from betaroc.model.criteria import CRITERIA
from helpers.cases import some

LAWS = {
    "beta": br.Beta(3, 2), "U": br.Beta(0.4, 0.3), "normal": br.Normal(0.6, 0.3),
    "sample": br.Empirical([0.1, 0.2, 0.4, 0.8]),
    "sample beyond [0, 1]": br.Empirical([0.0, 0.3, 1.0, 1.2]),
    "beta with atoms": br.Inflated(br.Beta(2, 4), 0.3, 0.1),
    "normal with atoms": br.Inflated(br.Normal(0.6, 0.8), 0.1, 0.2),
    "another normal with atoms": br.Inflated(br.Normal(0.1, 0.5), 0.2, 0.1),
}  # fmt: skip
PAIRS = [
    ("beta", "sample"), ("sample", "beta"), ("sample", "normal"), ("normal", "sample"),
    ("U", "sample beyond [0, 1]"), ("sample beyond [0, 1]", "beta with atoms"),
    ("normal", "beta with atoms"), ("beta with atoms", "sample"),
    ("normal with atoms", "another normal with atoms"), ("normal with atoms", "U"),
]  # fmt: skip


def on_a_grid(model: br.ScoreModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """TPR, FAR and precision on a fine grid, on all atoms and just below them."""
    atoms = np.concatenate([model.client.atoms.places, model.impostor.atoms.places])
    grid = [np.linspace(-3, 4, 14001), np.linspace(0, 1, 10001), [-np.inf]]
    theta = np.unique(np.concatenate([*grid, atoms, np.nextafter(atoms, -9.0)]))
    tpr, far = model.client.sf(theta), model.impostor.sf(theta)
    with np.errstate(invalid="ignore"):
        return tpr, far, model.prior * tpr / (model.prior * tpr + (1 - model.prior) * far)


@pytest.mark.filterwarnings("ignore::betaroc.TargetWarning")
@pytest.mark.parametrize("prior", [0.3, 0.7])
@pytest.mark.parametrize(("client", "impostor"), some(PAIRS, 3))
def test_no_threshold_of_a_grid_is_nearer_to_a_precision(client, impostor, prior) -> None:
    model = br.ScoreModel(LAWS[client], LAWS[impostor], prior=prior)
    tpr, far, precision = on_a_grid(model)
    alpha = np.linspace(0.02, 0.98, 25)
    curve = br.epc(model, model, criterion="precision", measure="precision", alpha=alpha)
    gap = np.nanmin(np.abs(precision[:, None] - alpha), axis=0)
    assert np.all(np.abs(curve.value - alpha) <= gap + 1e-11)
    low, high = curve.reachable
    # The grid's steps of 1e-4 leave out little of what thresholds reach.
    assert np.nanmin(precision) - 2e-3 <= low <= np.nanmin(precision) + 1e-12
    assert np.nanmax(precision) - 1e-12 <= high <= np.nanmax(precision) + 2e-3
    # Among thresholds that meet the target the HTER is the least, up to the grid's steps.
    for k in np.flatnonzero(np.abs(curve.value - alpha) < 1e-11):
        near = np.abs(precision - alpha[k]) < 2e-5
        least = np.min((far + 1 - tpr)[near], initial=np.inf)
        assert curve.far[k] + curve.frr[k] <= least + 2e-2


@pytest.mark.parametrize(("client", "impostor"), some(PAIRS, 3))
def test_no_threshold_of_a_grid_is_better_for_a_weighted_criterion(client, impostor) -> None:
    model = br.ScoreModel(LAWS[client], LAWS[impostor], prior=0.3)
    tpr, far, precision = on_a_grid(model)
    for alpha in (0.1, 0.5, 0.9):
        values = {
            "weighted-error": lambda t, f, _, a=alpha: -(a * f + (1 - a) * (1 - t)),
            "weighted-precision-recall": lambda t, _, p, a=alpha: a * p + (1 - a) * t,
            "f-measure": lambda t, f, _, a=alpha: (
                0.3 * t / (a * (0.3 * t + 0.7 * f) + (1 - a) * 0.3)
            ),
        }
        for name, value in values.items():
            chosen = CRITERIA[name].choose(model._pair, model.prior, np.array([alpha]))
            t, f = model._pair.tpr(chosen), model._pair.far(chosen)
            with np.errstate(invalid="ignore"):
                found = value(t, f, 0.3 * t / (0.3 * t + 0.7 * f))[0]
            assert found >= np.nanmax(value(tpr, far, precision)) - 1e-9


def test_a_precision_between_two_impostor_scores_by_hand() -> None:
    # FAR is 1/4 from 0.4 to 0.8; precision 1/2 there means 0.3 TPR = 0.7/4, TPR = 7/12.
    model = br.ScoreModel(br.Beta(3, 2), br.Empirical([0.1, 0.2, 0.4, 0.8]), prior=0.3)
    curve = br.epc(model, model, criterion="precision", measure="precision", alpha=[0.5])
    assert curve.value[0] == pytest.approx(0.5, rel=1e-14)
    assert (curve.far[0], curve.frr[0]) == (0.25, pytest.approx(5 / 12, rel=1e-13))
    # F = 4 x^3 - 3 x^4 is 5/12 at the threshold.
    x = curve.threshold[0]
    assert 4 * x**3 - 3 * x**4 == pytest.approx(5 / 12, rel=1e-13)
    # Least precision: just below 0.8, where TPR is 1 - F(0.8) = 0.1808.
    low = 0.3 * 0.1808 / (0.3 * 0.1808 + 0.7 * 0.25)
    assert curve.reachable == (pytest.approx(low, rel=1e-13), 1.0)


def test_many_scores_against_a_law() -> None:
    # 3000 stretches: precision is observed on the one of the largest FAR, or of the smallest.
    rng = np.random.default_rng(1)
    sample = br.Empirical(rng.normal(0, 1, 3000))
    model = br.ScoreModel(br.Normal(1, 1), sample, prior=0.5)
    curve = br.epc(model, model, criterion="precision", measure="precision", alpha=[0.6, 0.9])
    assert curve.value == pytest.approx([0.6, 0.9], rel=1e-12)
