"""Pairs of many fitted systems, their areas, and their numbers of the table of statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, AnyArray, FloatArray
from betaroc.core.errors import BetarocError, BetarocWarning, ExtrapolationWarning
from betaroc.core.notices import quietly, warn
from betaroc.core.text import shown
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import MASSES, Inflated
from betaroc.estimation.batch import ClassEstimates
from betaroc.estimation.contract import Parameters, SystemSums
from betaroc.estimation.families import FAMILIES
from betaroc.inference.scores_beyond import less_absent, needed
from betaroc.model.asking import Asking
from betaroc.model.model import ScoreModel


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


def statistic_columns(
    asked: Sequence[Asking],
    models: Mapping[int, ScoreModel],
    sizes: tuple[AnyArray, AnyArray],
    names: Sequence[Any],
) -> dict[str, AnyArray]:
    """A column a statistic, and of one that rests on rates the scores that speak for it.

    `models` are those of the systems that were fitted, by their place; `sizes` what varies by
    itself in both classes of every system.
    """
    columns: dict[str, AnyArray] = {}
    for one in asked:
        values, beyond = np.full((2, len(names)), np.nan)
        rates: list[tuple[float, int, float, int]] = []
        failed: list[tuple[int, str]] = []
        for k, model in models.items():
            try:
                with quietly():
                    values[k] = one.number(model)
                    found = [
                        (float(sizes[r.who][k] * r.tail), r.who, float(r.tail), k)
                        for r in (less_absent(r, _absent(model, r.who)) for r in one.rates(model))
                        if not np.isnan(r.tail)
                    ]
            except BetarocError as error:
                failed.append((k, str(error)))
                continue
            if np.isnan(values[k]):
                failed.append((k, f"{one.absence(model) or 'it is nan'}."))
            if found:
                least = min(found)
                beyond[k] = least[0]
                rates.append(least)
        columns[str(one)] = values
        if rates:
            columns[f"{one}_n_beyond"] = beyond
        _tell(one, failed, rates, sizes, names)
    return columns


def _absent(model: ScoreModel, who: int) -> float:
    """The share of a class without a score."""
    return float((model.client, model.impostor)[who].cdf(-np.inf))


def _tell(
    one: Asking,
    failed: Sequence[tuple[int, str]],
    rates: Sequence[tuple[float, int, float, int]],
    sizes: tuple[AnyArray, AnyArray],
    names: Sequence[Any],
) -> None:
    """One warning a statistic, with the number of systems and the first of them."""
    if failed:
        place, why = failed[0]
        warn(
            f"{one} has no value for {len(failed)} of {len(names)} systems, first"
            f" {shown(names[place])}: {why}",
            BetarocWarning,
        )
    few = [rate for rate in rates if rate[0] < 1.0]
    if few:
        beyond, who, tail, place = few[0]
        warn(
            f"{one} is extrapolated for {len(few)} of {len(names)} systems, first"
            f" {shown(names[place])}: of {sizes[who][place]:.6g} {CLASSES[who]} scores"
            f" {beyond:.2g} are expected beyond a rate of {tail:.4g}, so no score speaks for the"
            f" number; about {needed(tail)} would (3/rate). See the column {one}_n_beyond.",
            ExtrapolationWarning,
        )
