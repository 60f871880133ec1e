"""How far thresholds chosen from a fit move with its parameters (delta method)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.pairs import pair_of
from betaroc.estimation.record import PairEstimate
from betaroc.inference.delta import slopes_along
from betaroc.inference.parameter_errors import free_coordinates, laws_at
from betaroc.model.criteria import CRITERIA

__all__ = ["ThresholdError", "threshold_error"]


@dataclass(frozen=True)
class ThresholdError:
    """Thresholds to first order: chosen + slope @ z with standard normal z.

    Parameters
    ----------
    chosen : Thresholds
        At the estimates.
    slope : ndarray, shape (k, parameters)
        Change with one standard error along each root of the covariance, on the
        logit scale where `unit`; 0 where the threshold is an end of the scale.
    unit : bool
        Whether scores live on [0, 1].
    """

    chosen: Thresholds
    slope: FloatArray
    unit: bool
    #: A fit's own errors are those of its own sample size.
    shrink: float = 1.0

    def draw(self, rng: np.random.Generator) -> Thresholds:
        """Thresholds of another dev set of that size."""
        return self.at(np.asarray(rng.standard_normal(self.slope.shape[1])))

    def at(self, z: FloatArray) -> Thresholds:
        """Thresholds z standard errors away from the estimates."""
        move = self.slope @ z
        moving = move != 0.0
        place = _coordinate(self.chosen, self.unit) + move
        moved = Thresholds.from_logit(place) if self.unit else Thresholds.from_theta(place)
        return Thresholds(
            np.where(moving, moved.theta, self.chosen.theta),
            np.where(moving, moved.complement, self.chosen.complement),
            np.where(moving, moved.logit, self.chosen.logit),
        )


def _coordinate(t: Thresholds, unit: bool) -> FloatArray:
    return t.logit if unit else t.theta


def threshold_error(
    fit: PairEstimate,
    criterion: str,
    prior: float,
    alpha: FloatArray,
    chosen: Thresholds,
    *,
    groups: bool = True,
) -> ThresholdError:
    """The error of dev's thresholds from the covariance of the fit's parameters.

    Of both classes together where the fit's scores carry `groups`.
    """
    laws = fit.model.client, fit.model.impostor
    unit = pair_of(*laws).unit
    names, place, roots = free_coordinates(fit, groups=groups)

    def at(away: FloatArray) -> FloatArray:
        pair = pair_of(*laws_at(laws, names, place + away))
        return _coordinate(CRITERIA[criterion].choose(pair, prior, alpha), unit)

    slope = slopes_along(roots, at)
    inside = np.isfinite(_coordinate(chosen, unit)) & np.all(np.isfinite(slope), axis=1)
    return ThresholdError(chosen, np.where(inside[:, None], slope, 0.0), unit)
