"""Families fitted to many samples, rows of a matrix: what simulation is made of.

The families of the table are fitted to all rows at once; any other one row by row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import FitError
from betaroc.core.notices import quietly
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import Scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta
from betaroc.distributions.mixture import BetaMixture
from betaroc.estimation.contract import ClassMaximum, Maximum
from betaroc.estimation.estimate import estimate_class, estimate_pair
from betaroc.estimation.newton import beta_mle
from betaroc.estimation.proper_beta import join_proper

__all__ = [
    "MANY", "ManyFits", "Parameters", "drawn_inside", "many_of", "refitted", "refitted_alone",
]  # fmt: skip

_INSIDE = (float(np.finfo(np.float64).tiny), 1.0 - 2.0**-53)
#: Step of the differences of a log density, in sizes of the parameter or spreads of the law.
_STEP = 1e-4
#: EM of a row stops when a step gains less log-likelihood than this.
_GAIN = 0.005
_EM_STEPS = 3000

#: A column vector, or a matrix with a column a component, of each parameter.
Parameters = tuple[FloatArray, ...]


@dataclass(frozen=True)
class ManyFits:
    """A family for rows of samples."""

    #: Of the law that the rows are drawn from, and the rows.
    fit: Callable[[Any, FloatArray], Parameters]
    tails: Callable[[Parameters, FloatArray], tuple[FloatArray, FloatArray]]
    #: Products of the likelihood's gradient less what they should be, a column each.
    moments: Callable[[Parameters, FloatArray], FloatArray]


def many_of(family: str, law: Distribution) -> ManyFits | RowByRow:
    """How rows of this family are measured; without a row of the table by the law alone."""
    return MANY[family] if family in MANY else RowByRow(law)


def refitted(family: str, laws: list[Distribution], samples: list[FloatArray]) -> list[Parameters]:
    """Parameters of both classes of each row."""
    if family not in MANY:
        return _one_by_one(family, laws, samples)
    found = [MANY[family].fit(law, x) for law, x in zip(laws, samples, strict=True)]
    return found if family != "proper-beta" else _joined_rows(found, samples)


def refitted_alone(family: str, law: Distribution, x: FloatArray) -> Parameters:
    """Parameters of one class of each row, where the other class has another family."""
    if family in MANY:
        return MANY[family].fit(law, x)
    with quietly():
        found = [estimate_class("sample", row, None, family) for row in x]
    return _columns([_row(law, one.distribution) for one in found])


def drawn_inside(
    law: Distribution, rng: np.random.Generator, shape: int | tuple[int, int]
) -> FloatArray:
    """Scores of a continuous law, none of them on an end of [0, 1] if that is its scale."""
    drawn = law._sample(shape, rng)
    # A draw that rounds to an end stands for the doubles beside it: the law has no mass there.
    return np.asarray(np.clip(drawn, *_INSIDE) if law.on_unit else drawn)


def _beta_fit(_: Distribution, x: FloatArray) -> Parameters:
    a, b, converged = beta_mle(np.mean(np.log(x), axis=1), np.mean(np.log1p(-x), axis=1))
    lost = int(np.sum(~np.asarray(converged)))
    if lost:
        raise FitError(
            f"every simulated score set must have a beta fit; {lost} of {x.shape[0]} have none, as"
            " of too few distinct scores. Give more scores."
        )
    return np.atleast_1d(a)[:, None], np.atleast_1d(b)[:, None]


def _beta_tails(p: Parameters, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both tails; the larger one from the smaller, which costs half.

    The upper one is the mirrored law's lower: scipy's complement costs ten times as much. That
    1 - x rounds moves it by shape times 1e-16, which no rank of a simulated statistic feels.
    """
    from scipy.special import betainc

    a, b, x = np.broadcast_arrays(*p, x)
    below = np.empty(a.shape)
    left = x * (a + b) < a
    below[left] = betainc(a[left], b[left], x[left])
    above = np.empty(a.shape)
    above[~left] = betainc(b[~left], a[~left], 1.0 - x[~left])
    below[~left], above[left] = 1.0 - above[~left], 1.0 - below[left]
    return below, above


def _beta_moments(p: Parameters, x: FloatArray) -> FloatArray:
    """Sample covariance of (log s, log(1 - s)) less that of the law."""
    from scipy.special import polygamma

    logs, logs1m = np.log(x), np.log1p(-x)
    u = logs - np.mean(logs, axis=1, keepdims=True)
    v = logs1m - np.mean(logs1m, axis=1, keepdims=True)
    a, b = (q[:, 0] for q in p)
    common = polygamma(1, a + b)
    wanted = (polygamma(1, a) - common, -common, polygamma(1, b) - common)
    found = (np.mean(u * u, axis=1), np.mean(u * v, axis=1), np.mean(v * v, axis=1))
    scale = (wanted[0], np.sqrt(wanted[0] * wanted[2]), wanted[2])
    return np.stack([(f - w) / s for f, w, s in zip(found, wanted, scale, strict=True)], axis=1)


def _normal_fit(_: Distribution, x: FloatArray) -> Parameters:
    # In units of the largest score, so that squares are doubles whatever the scale.
    _, power = np.frexp(np.max(np.abs(x), axis=1, keepdims=True))
    inside = np.ldexp(x, -power)
    mean, width = np.mean(inside, axis=1, keepdims=True), np.std(inside, axis=1, keepdims=True)
    return np.ldexp(mean, power), np.ldexp(width, power)


def _normal_tails(p: Parameters, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    from scipy.special import ndtr

    z = (x - p[0]) / p[1]
    return ndtr(z), ndtr(-z)


def _normal_moments(p: Parameters, x: FloatArray) -> FloatArray:
    """Skewness and excess kurtosis: what the gradients' covariance can be wrong in."""
    z = (x - p[0]) / p[1]
    return np.stack([np.mean(z**3, axis=1), np.mean(z**4, axis=1) - 3.0], axis=1)


def _logit(x: FloatArray) -> FloatArray:
    inside = np.clip(x, *_INSIDE)
    return np.asarray(np.log(inside) - np.log1p(-inside))


# ------------------------------------------------------------------------------- dual beta
def _dual_fit(law: Beta, x: FloatArray) -> Parameters:
    """The shape that is not 1: of a client law a, of an impostor law b."""
    one = np.ones((x.shape[0], 1))
    if law.b == 1.0:
        return -1.0 / np.mean(np.log(x), axis=1, keepdims=True), one
    return one, -1.0 / np.mean(np.log1p(-x), axis=1, keepdims=True)


def _dual_moments(p: Parameters, x: FloatArray) -> FloatArray:
    """Mean square of an exponential variable, by its 2 times squared mean."""
    free, logs = (p[0], np.log(x)) if np.all(p[1] == 1.0) else (p[1], np.log1p(-x))
    return np.asarray(np.mean((free * logs) ** 2, axis=1, keepdims=True) / 2.0 - 1.0)


# ------------------------------------------------------------------------------ proper beta
def _joined_rows(found: list[Parameters], samples: list[FloatArray]) -> list[Parameters]:
    """Each row's constrained maximum where the free one is not proper."""
    client, impostor = ([q.copy() for q in p] for p in found)
    improper = (client[0] < impostor[0]) | (client[1] > impostor[1])
    weights = [float(x.shape[1]) for x in samples]
    for row in np.flatnonzero(improper[:, 0]).tolist():
        joined = join_proper(
            _class_estimate(client, row, weights[0]), _class_estimate(impostor, row, weights[1])
        )
        if joined is not None:
            for columns, e in zip((client, impostor), joined[:2], strict=True):
                columns[0][row], columns[1][row] = e.values
    return [tuple(client), tuple(impostor)]


def _class_estimate(columns: list[FloatArray], row: int, weight: float) -> ClassMaximum:
    values = float(columns[0][row, 0]), float(columns[1][row, 0])
    estimate = Maximum(Beta(*values), ("a", "b"), values, ((0.0, 0.0), (0.0, 0.0)), 0.0)
    return ClassMaximum(estimate, weight, weight)


# ------------------------------------------------------------------------------- mixtures
def _mixture_fit(law: BetaMixture, x: FloatArray) -> Parameters:
    """EM of all rows side by side, from the law itself; a row stops when it hardly gains.

    A row whose component would shrink to a point stays where it was.
    """
    rows = x.shape[0]
    start = np.array([law._shares, *zip(*((c.a, c.b) for c in law.components), strict=True)])
    p = np.repeat(start[:, None, :], rows, axis=1)
    logs, logs1m = np.log(x), np.log1p(-x)
    last, going = np.full(rows, -np.inf), np.arange(rows)
    for _ in range(_EM_STEPS):
        share, value = _responsibilities(p[:, going], logs[going], logs1m[going])
        settled = value - last[going] < _GAIN
        last[going] = value
        after = _maximised(share, logs[going], logs1m[going])
        usable = np.all(np.isfinite(after), axis=(0, 2)) & ~settled
        p[:, going[usable]] = after[:, usable]
        going = going[usable]
        if not going.size:
            return p[0], p[1], p[2]
    raise FitError(
        f"every simulated score set must have a fit; the mixtures of {going.size} of {rows} still"
        f" gain after {_EM_STEPS} steps of EM. Use fewer components."
    )


def _responsibilities(
    p: FloatArray, logs: FloatArray, logs1m: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Shares of each component (last axis) in each score, and each row's log-likelihood."""
    from scipy.special import betaln

    shares, a, b = p[:, :, None, :]
    with np.errstate(divide="ignore"):
        parts = (a - 1.0) * logs[..., None] + (b - 1.0) * logs1m[..., None]
        parts = parts + np.log(shares) - betaln(a, b)
    top = np.max(parts, axis=2, keepdims=True)
    with np.errstate(under="ignore"):
        found = np.exp(parts - top)
    whole = np.sum(found, axis=2, keepdims=True)
    return found / whole, np.sum(top + np.log(whole), axis=(1, 2))


def _maximised(share: FloatArray, logs: FloatArray, logs1m: FloatArray) -> FloatArray:
    mass = np.sum(share, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        g1 = np.einsum("rnk,rn->rk", share, logs) / mass
        g2 = np.einsum("rnk,rn->rk", share, logs1m) / mass
    a, b, _ = beta_mle(g1, g2)  # nan where a component is a point
    return np.array([mass / logs.shape[1], a, b])


def _mixture_tails(p: Parameters, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    parts = [
        (p[0][:, [k]], *_beta_tails((p[1][:, [k]], p[2][:, [k]]), x)) for k in range(p[0].shape[1])
    ]
    lower, upper = (sum(part[0] * part[side] for part in parts) for side in (1, 2))
    return np.minimum(lower, 1.0), np.minimum(upper, 1.0)


def _mixture_moments(p: Parameters, x: FloatArray) -> FloatArray:
    """Squares and products of the shapes' scores and their slopes, component by component."""
    from scipy.special import polygamma, psi

    logs, logs1m = np.log(x), np.log1p(-x)
    share, _ = _responsibilities(np.array(p), logs, logs1m)
    columns = []
    for k in range(p[0].shape[1]):
        a, b, r = p[1][:, [k]], p[2][:, [k]], share[:, :, k]
        u, v = logs - psi(a) + psi(a + b), logs1m - psi(b) + psi(a + b)
        common = polygamma(1, a + b)
        for one, other, rate in (
            (u, u, polygamma(1, a) - common), (u, v, -common), (v, v, polygamma(1, b) - common),
        ):  # fmt: skip
            columns.append(np.mean(r * (one * other - rate), axis=1))
    return np.stack(columns, axis=1)


# ---------------------------------------------------------------------- any other family
@dataclass(frozen=True)
class RowByRow:
    """A family by the public face of its law: rows of parameters, one law at a time."""

    law: Distribution

    def tails(self, p: Parameters, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        rows = np.broadcast_to(x, (p[0].shape[0], x.shape[1]))
        found = [(law.cdf(row), law.sf(row)) for law, row in zip(self._laws(p), rows, strict=True)]
        return np.stack([lower for lower, _ in found]), np.stack([upper for _, upper in found])

    def moments(self, p: Parameters, x: FloatArray) -> FloatArray:
        """Products of the gradient's components and the second derivatives, by differences."""
        return np.stack([_moments(law, row) for law, row in zip(self._laws(p), x, strict=True)])

    def _laws(self, p: Parameters) -> list[Distribution]:
        names = [parameter.name for parameter in self.law._parameters()]
        return [self.law._replaced(dict(zip(names, row, strict=True))) for row in np.hstack(p)]


def _moments(law: Distribution, x: FloatArray) -> FloatArray:
    """Means of d_j log f d_k log f + d_jk log f, in roots of the mean information of j and k."""
    own = law._parameters()
    steps = [_STEP * (math.sqrt(law.var) if p.scale == "plain" else p.value) for p in own]
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
    units = [math.sqrt(-float(np.mean(second))) for second in bend]
    size = range(len(own))
    return np.array(
        [
            float(np.mean(rise[j] * rise[k] + (bend[j] if j == k else pair(j, k))))
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
            found = estimate_pair(Scores(client, impostor), (family, family))[0]
        for kept, law, one in zip(rows, laws, (found.client, found.impostor), strict=True):
            kept.append(_row(law, one.distribution))
    return [_columns(kept) for kept in rows]


def _row(law: Distribution, one: Distribution) -> list[float]:
    """The parameters of one law in the order of another's."""
    values = {p.name: p.value for p in one._parameters()}
    return [values[p.name] for p in law._parameters()]


def _columns(rows: list[list[float]]) -> Parameters:
    return tuple(np.array(rows).T[:, :, None])


_BETA = ManyFits(_beta_fit, _beta_tails, _beta_moments)
#: Families that are fitted to all rows at once.
MANY: dict[str, ManyFits] = {
    "beta": _BETA,
    "proper-beta": _BETA,
    "dual-beta": ManyFits(_dual_fit, _beta_tails, _dual_moments),
    "beta-mixture": ManyFits(_mixture_fit, _mixture_tails, _mixture_moments),
    "normal": ManyFits(_normal_fit, _normal_tails, _normal_moments),
    "logit-normal": ManyFits(
        lambda law, x: _normal_fit(law, _logit(x)),
        lambda p, x: _normal_tails(p, _logit(x)),
        lambda p, x: _normal_moments(p, _logit(x)),
    ),
}
