"""How far thresholds chosen from a fit move with its parameters (delta method)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from betaroc._thresholds import FloatArray, Thresholds
from betaroc.criteria import CRITERIA
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import Inflated
from betaroc.distributions.pairs import pair_of
from betaroc.errors import InputError
from betaroc.grouping import groups_of, roots

__all__ = ["ThresholdError", "joint_roots", "threshold_error", "with_parameters"]

#: Step of the differences, in standard errors: the curvature it adds is 1 % of one error's.
_STEP = 0.1


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
    fit: Any,
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
    results = fit.client, fit.impostor
    cut = len(results[0].names)
    columns = []
    for root in joint_roots(fit, groups=groups):
        ends = []
        for sign in (1.0, -1.0):
            moves = np.split(sign * _STEP * root, [cut])
            moved = [
                with_parameters(law, result.names, np.array(result.values) + move)
                if np.any(move)
                else law
                for law, result, move in zip(laws, results, moves, strict=True)
            ]
            t = CRITERIA[criterion].choose(pair_of(*moved), prior, alpha)
            ends.append(_coordinate(t, unit))
        with np.errstate(invalid="ignore"):
            columns.append((ends[0] - ends[1]) / (2.0 * _STEP))
    slope = np.stack(columns, axis=1)
    inside = np.isfinite(_coordinate(chosen, unit)) & np.all(np.isfinite(slope), axis=1)
    return ThresholdError(chosen, np.where(inside[:, None], slope, 0.0), unit)


def joint_roots(fit: Any, *, groups: bool) -> FloatArray:
    """Roots of the covariance of the clients' and the impostors' parameters."""
    for who, result in (("client", fit.client), ("impostor", fit.impostor)):
        if not np.all(np.isfinite(result.cov)):
            raise InputError(
                "dev's fit must have a finite covariance for its thresholds to vary; got"
                f" {who} {result.distribution!r:.60}. Take"
                ' resample="test", or give the dev scores.'
            )
    if groups and groups_of(getattr(fit, "scores", None)) is not None:
        return roots(fit.joint_cov())
    sizes = [len(fit.client.names), len(fit.impostor.names)]
    parts = [roots(np.array(result.cov)) for result in (fit.client, fit.impostor)]
    return np.concatenate(
        [np.pad(parts[0], ((0, 0), (0, sizes[1]))), np.pad(parts[1], ((0, 0), (sizes[0], 0)))]
    )


def with_parameters(law: Distribution, names: tuple[str, ...], values: FloatArray) -> Distribution:
    """The law with other parameters."""
    given = dict(zip(names, values.tolist(), strict=True))
    if isinstance(law, Inflated):
        masses = {name: max(given.pop(name), 0.0) for name in names if name.startswith("at_")}
        return replace(law, base=replace(law.base, **given), **masses)  # type: ignore[type-var]
    return replace(law, **given)  # type: ignore[type-var]
