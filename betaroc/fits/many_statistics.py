"""Numbers of the table of statistics of many fitted systems: columns, and what they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.errors import BetarocError, BetarocWarning, ExtrapolationWarning
from betaroc.core.notices import quietly, warn
from betaroc.core.text import shown
from betaroc.inference.scores_beyond import needed
from betaroc.model.asking import Asking
from betaroc.model.model import ScoreModel

__all__ = ["statistic_columns"]

_CLASSES = ("client", "impostor")


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
                        for r in one.rates(model)
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
            f" {shown(names[place])}: of {sizes[who][place]:.6g} {_CLASSES[who]} scores"
            f" {beyond:.2g} are expected beyond a rate of {tail:.4g}, so no score speaks for the"
            f" number; about {needed(tail)} would (3/rate). See the column {one}_n_beyond.",
            ExtrapolationWarning,
        )
