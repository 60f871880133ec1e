"""Pairs and areas of many systems whose classes were fitted side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import MASSES, Inflated
from betaroc.estimation.batch import ClassEstimates
from betaroc.estimation.contract import Parameters, SystemSums
from betaroc.estimation.families import FAMILIES
from betaroc.model.model import ScoreModel

__all__ = ["areas_of_systems", "pair_of_system", "system_sums"]


def system_sums(family: str) -> SystemSums | None:
    """How a family is fitted to sums of many systems, if it is."""
    row = FAMILIES.get(family)
    return None if row is None or row.rows is None else row.rows.systems


def pair_of_system(
    sides: Sequence[ClassEstimates], k: int, family: SystemSums, prior: float
) -> ScoreModel:
    """The pair of one system."""
    pair: list[Distribution] = []
    for side in sides:
        own = {name: float(values[k]) for name, values in side.params.items()}
        masses = {name: own.pop(name) for name in MASSES if name in own}
        base = family.law(*own.values())
        pair.append(Inflated(base, **masses) if any(masses.values()) else base)
    return ScoreModel(pair[0], pair[1], prior=prior)


def areas_of_systems(
    family: SystemSums, client: Mapping[str, FloatArray], impostor: Mapping[str, FloatArray]
) -> FloatArray:
    """Of what lies between the point masses, and of the masses."""
    inner = family.areas(_inside(client), _inside(impostor))
    if "at_zero" not in client:
        return inner
    (c0, c1), (i0, i1) = ([side[mass] for mass in MASSES] for side in (client, impostor))
    c_in, i_in = 1.0 - c0 - c1, 1.0 - i0 - i1
    ties = 0.5 * (c0 * i0 + c1 * i1)
    return np.asarray(c_in * i_in * inner + c_in * i0 + c1 * (i0 + i_in) + ties)


def _inside(params: Mapping[str, FloatArray]) -> Parameters:
    return tuple(values[:, None] for name, values in params.items() if name not in MASSES)
