"""Families fitted to many samples, rows of a matrix: what simulation is made of.

Families with `SampleRows` are fitted to all rows at once; any other one row by row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from betaroc.core.arrays import INSIDE, FloatArray
from betaroc.core.notices import quietly
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import Scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.shifted import bounds_of
from betaroc.estimation.contract import ClassMaximum, Family, Maximum, Parameters, SampleRows
from betaroc.estimation.estimate import Options, estimate_class, estimate_pair
from betaroc.estimation.families import FAMILIES

#: Step of the differences of a log density, in sizes of the parameter or spreads of the
#: distribution.
_STEP = 1e-4


def many_of(family: str, law: Distribution) -> SampleRows | RowByRow:
    """How rows of this family are measured; without `SampleRows` by the distribution alone."""
    return _rows(family, law) or RowByRow(law)


def parameters_of(family: str, law: Distribution) -> Parameters:
    """Of one distribution, as a row."""
    rows = _rows(family, law)
    if rows is not None and rows.of is not None:
        return rows.of(law)
    return _columns([[p.value for p in law._parameters()]])


def refitted(family: str, laws: list[Distribution], samples: list[FloatArray]) -> list[Parameters]:
    """Parameters of both classes of each row."""
    rows = _rows(family, laws[0])
    if rows is None:
        return _one_by_one(family, laws, samples)
    found = [rows.fit(law, x) for law, x in zip(laws, samples, strict=True)]
    return _joined_rows(FAMILIES[family], rows, found, samples)


def refitted_alone(family: str, law: Distribution, x: FloatArray) -> Parameters:
    """Parameters of one class of each row, where the other class has another family."""
    rows, bounds = _rows(family, law), bounds_of(law)
    if rows is not None:
        return rows.fit(law, x)
    with quietly():
        found = [estimate_class("sample", row, None, family, bounds=bounds) for row in x]
    return _columns([_row(law, one.distribution) for one in found])


def _rows(family: str, law: Distribution) -> SampleRows | None:
    known = family in FAMILIES and bounds_of(law) is None
    return FAMILIES[family].rows if known else None


def drawn_inside(
    law: Distribution, rng: np.random.Generator, shape: int | tuple[int, int]
) -> FloatArray:
    """Scores of a continuous distribution, none on an end of [0, 1] if that is its scale."""
    drawn = law._sample(shape, rng)
    # A draw that rounds to an end stands for the doubles beside it: the distribution has no mass
    # there.
    low, high = INSIDE if law.on_unit else bounds_of(law) or (-np.inf, np.inf)
    return np.asarray(np.clip(drawn, low, high))


def _joined_rows(
    family: Family, rows: SampleRows, found: list[Parameters], samples: list[FloatArray]
) -> list[Parameters]:
    """Each row's maximum of both classes together, of families that have one."""
    if family.join is None:
        return found
    found = [tuple(q.copy() for q in p) for p in found]
    weights = [float(x.shape[1]) for x in samples]
    for row in range(samples[0].shape[0]):
        alone = [_alone(rows, p, row, w) for p, w in zip(found, weights, strict=True)]
        joined = family.join(*alone)
        if joined is not None:
            for columns, e in zip(found, joined[:2], strict=True):
                for column, value in zip(columns, e.values, strict=True):
                    column[row] = value
    return found


def _alone(rows: SampleRows, columns: Parameters, row: int, weight: float) -> ClassMaximum:
    values = tuple(float(q[row, 0]) for q in columns)
    law = rows.law(*values)
    names, size = tuple(p.name for p in law._parameters()), len(values)
    maximum = Maximum(law, names, values, ((0.0,) * size,) * size, 0.0)
    return ClassMaximum(maximum, weight, weight)


# ---------------------------------------------------------------------- any other family
@dataclass(frozen=True)
class RowByRow:
    """A family by the public face of its law: rows of parameters, one distribution at a time."""

    law: Distribution

    def tails(self, p: Parameters, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        rows = np.broadcast_to(x, (p[0].shape[0], x.shape[1]))
        found = [(law.cdf(row), law.sf(row)) for law, row in zip(self._laws(p), rows, strict=True)]
        return np.stack([lower for lower, _ in found]), np.stack([upper for _, upper in found])

    def moments(self, p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
        """Products of the gradient's components and the second derivatives, by differences."""
        pairs = zip(self._laws(p), x, strict=True)
        return np.stack([_moments(law, row, shares) for law, row in pairs])

    def _laws(self, p: Parameters) -> list[Distribution]:
        names = [parameter.name for parameter in self.law._parameters()]
        return [self.law._replaced(dict(zip(names, row, strict=True))) for row in np.hstack(p)]


def _moments(law: Distribution, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Means of d_j log f d_k log f + d_jk log f, in roots of the mean information of j and k."""
    own = law._parameters()
    steps = [_STEP * law._room(p) for p in own]
    t = Thresholds.from_theta(x)

    def at(**away: float) -> FloatArray:
        moved = {p.name: p.value + away.get(p.name, 0.0) for p in own}
        return np.asarray(law._replaced(moved)._log_pdf(t))

    def pair(j: int, k: int) -> FloatArray:
        sides = [
            one * other * at(**{own[j].name: one * steps[j], own[k].name: other * steps[k]})
            for one in (1.0, -1.0) for other in (1.0, -1.0)
        ]  # fmt: skip
        return np.asarray(sum(sides) / 4.0)

    centre = at()
    ends = [
        [at(**{p.name: side * step}) for side in (1.0, -1.0)]
        for p, step in zip(own, steps, strict=True)
    ]
    rise = [0.5 * (up - down) for up, down in ends]
    bend = [up - 2.0 * centre + down for up, down in ends]
    units = [math.sqrt(-float(second @ shares)) for second in bend]
    size = range(len(own))
    return np.array(
        [
            float((rise[j] * rise[k] + (bend[j] if j == k else pair(j, k))) @ shares)
            / (units[j] * units[k])
            for j in size for k in size if j <= k
        ]
    )  # fmt: skip


def _one_by_one(
    family: str, laws: list[Distribution], samples: list[FloatArray]
) -> list[Parameters]:
    """Each row fitted as scores of both classes, which says all that the family says of them."""
    rows: list[list[list[float]]] = [[], []]
    for client, impostor in zip(*samples, strict=True):
        with quietly():
            options = Options(bounds=bounds_of(laws[0]))
            pair = Scores._checked(client=client, impostor=impostor)
            found = estimate_pair(pair, (family, family), options)[0]
        for kept, law, one in zip(rows, laws, (found.client, found.impostor), strict=True):
            kept.append(_row(law, one.distribution))
    return [_columns(kept) for kept in rows]


def _row(law: Distribution, one: Distribution) -> list[float]:
    """The parameters of one distribution in the order of another's."""
    values = {p.name: p.value for p in one._parameters()}
    return [values[p.name] for p in law._parameters()]


def _columns(rows: list[list[float]]) -> Parameters:
    return tuple(np.array(rows).T[:, :, None])
