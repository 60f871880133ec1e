"""From scores to probabilities: the calibration map that a pair of laws gives."""

from __future__ import annotations

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.pairs import Pair
from betaroc.model.operating_points import atom_masses

__all__ = ["posterior"]


def posterior(pair: Pair, prior: float, t: Thresholds) -> FloatArray:
    """P(client | score): of the densities, or of the masses where a law has an atom."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        odds = np.log(prior) - np.log1p(-prior)
        smooth = 1.0 / (1.0 + np.exp(-(odds + pair.log_ratio(t))))
        client, impostor = (atom_masses(law, t) for law in (pair.client, pair.impostor))
        own = prior * client
        masses = own / (own + (1.0 - prior) * impostor)
        logs = [law._log_pdf(t) for law in (pair.client, pair.impostor)]
    none = [np.isneginf(log) for log in logs]
    # Outside one law's support the other decides.
    smooth = np.where(none[0] & np.isfinite(logs[1]), 0.0, smooth)
    smooth = np.where(none[1] & np.isfinite(logs[0]), 1.0, smooth)
    return np.where(client + impostor > 0.0, masses, smooth)
