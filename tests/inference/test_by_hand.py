"""Pieces of intervals whose numbers are counted or derived beside them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.inference.scores_beyond import robust_rates

INSIDE = [0.12, 0.3, 0.41, 0.55, 0.56, 0.71, 0.8, 0.93]
LOW = [0.05, 0.1, 0.22, 0.3, 0.37, 0.6]


def dropping() -> tuple[br.Fit, br.Fit]:
    """A fit that leaves exact zeros and ones out, and one that never saw them."""
    scores = br.Scores([*INSIDE, 1.0, 1.0], [0.0, 0.0, 0.0, *LOW])
    with pytest.warns(br.BetarocWarning):
        left_out = br.fit(scores, "beta", boundary="drop")
    with pytest.warns(br.BetarocWarning):
        return left_out, br.fit(br.Scores(INSIDE, LOW), "beta")


def test_scores_that_are_dropped_are_in_no_interval() -> None:
    left_out, never = dropping()
    for who in ("client", "impostor"):
        found = [f.conf_int(method="profile")[who] for f in (left_out, never)]
        for name in ("a", "b"):
            ends = [(one[name].low, one[name].high) for one in found]
            assert ends[0] == pytest.approx(ends[1], rel=1e-9)


def test_scores_that_are_dropped_speak_for_no_rate() -> None:
    left_out, never = dropping()
    for f in (left_out, never):
        with pytest.warns(br.ExtrapolationWarning):
            far = f.at_far(0.1)
        assert far.n_beyond[1] == pytest.approx(6 * 0.1)
        with pytest.warns(br.ExtrapolationWarning):
            frr = f.at_frr(0.1)
        assert frr.n_beyond[0] == pytest.approx(8 * 0.1)


# ------------------------------------------------------------------------ of two systems
# -------------------------------------------------------------------------- small samples
# ------------------------------------------------------------------------------- numbers
# ---------------------------------------------------------------------------------- scales
@pytest.mark.parametrize(("rate", "beyond"), [(0.03, 6.0), (0.97, 6.0), (0.5, 100.0)])
def test_the_smaller_of_a_rate_and_its_rest_is_what_scores_speak_for(
    rate: float, beyond: float
) -> None:
    p = (np.arange(200) + 0.5) / 200
    f = br.fit(br.Scores(stats.norm(1).ppf(p[::2]), stats.norm().ppf(p)), "normal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.ExtrapolationWarning)
        assert f.at_far(rate).n_beyond[1] == pytest.approx(beyond)
        assert f.at_frr(rate).n_beyond[0] == pytest.approx(beyond / 2.0)


def test_rates_of_trials_that_are_their_own_groups_vary_as_shares_do() -> None:
    """p (1 - p)/n times n/(n - 1), and nothing in common."""
    client, impostor = np.linspace(0.31, 1.0, 30), np.linspace(0.0, 0.8, 50)
    scores = br.Scores(
        client, impostor, client_groups=np.arange(30), impostor_groups=100 + np.arange(50)
    )
    far, frr = float(np.mean(impostor > 0.6)), float(np.mean(client <= 0.6))
    known = [[far * (1 - far) / 49, 0.0], [0.0, frr * (1 - frr) / 29]]
    np.testing.assert_allclose(robust_rates(scores, 0.6), known, atol=1e-15)
