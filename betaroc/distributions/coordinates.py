"""Free coordinates of a law: real numbers that move it within its family.

Positive parameters are taken as logarithms, shares of a whole as log(share / what is left),
so that no step leaves the family. A share of 0 stays 0: nobody had it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.distributions.base import Distribution, Parameter

_NUMBERS = ("plain", "log")
#: Where shares and their odds are rounding.
_LEAST, _MOST = sys.float_info.min, 600.0


class Free(NamedTuple):
    """The parameters of a distribution that vary, where they are, and their derivatives.

    ``rates`` has a row a coordinate and a column a parameter of ``among``.
    """

    names: tuple[str, ...]
    place: FloatArray
    rates: FloatArray


def free(law: Distribution, among: Sequence[str], fixed: Sequence[str] = ()) -> Free:
    """Coordinates of the parameters `among`, those `fixed` and shares of 0 left out."""
    own = {p.name: p for p in law._parameters()}
    kept, place, rates = [], [], []
    for k, name in enumerate(among):
        value, scale = own[name].value, own[name].scale
        share = scale not in _NUMBERS
        if name in fixed or (share and value == 0.0):
            continue
        rate = np.zeros(len(among))
        if share:
            rest = _rest(own.values(), scale)
            rate[[own[other].scale == scale for other in among]] = 1.0 / rest
            rate[k] += 1.0 / value
            place.append(math.log(value) - math.log(rest))
        elif scale == "log":
            rate[k] = 1.0 / value
            place.append(math.log(value))
        else:
            rate[k] = 1.0
            place.append(value)
        kept.append(name)
        rates.append(rate)
    return Free(tuple(kept), np.array(place), np.array(rates).reshape(len(kept), len(among)))


def moved(law: Distribution, names: Sequence[str], place: Sequence[float]) -> Distribution:
    """The distribution whose parameters `names` have these coordinates."""
    return law._replaced(parameter_values(law, names, place))


def parameter_values(
    law: Distribution, names: Sequence[str], place: Sequence[float]
) -> dict[str, float]:
    """Values of the parameters at coordinates."""
    scales = {p.name: p.scale for p in law._parameters()}
    values = {
        name: math.exp(y) if scales[name] == "log" else float(y)
        for name, y in zip(names, place, strict=True)
    }
    for whole in {scales[name] for name in names} - set(_NUMBERS):
        shares = {
            name: math.exp(min(values[name], _MOST)) for name in names if scales[name] == whole
        }
        total = 1.0 + math.fsum(shares.values())
        # A share is positive, however far a draw may be.
        values |= {name: max(share / total, _LEAST) for name, share in shares.items()}
    return values


def value_columns(
    law: Distribution, names: Sequence[str], place: FloatArray
) -> dict[str, FloatArray]:
    """Columns of parameter values at rows of coordinates."""
    scales = {p.name: p.scale for p in law._parameters()}
    columns = dict(zip(names, place.T[:, :, None], strict=True))
    values = {n: y if scales[n] == "plain" else np.exp(y) for n, y in columns.items()}
    for whole in {scales[name] for name in names} - set(_NUMBERS):
        odds = [name for name in names if scales[name] == whole]
        total = 1.0 + sum(values[name] for name in odds)
        values |= {name: values[name] / total for name in odds}
    return values


def _rest(parameters: Iterable[Parameter], whole: str) -> float:
    """What the shares of a whole leave."""
    return 1.0 - math.fsum(p.value for p in parameters if p.scale == whole)
