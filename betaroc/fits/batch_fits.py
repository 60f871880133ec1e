"""Distributions of many systems fitted side by side from their sums, a class at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray
from betaroc.core.polygamma import information_terms, phi_tau
from betaroc.core.special import HALF_LOG_TWO_PI, stirling_remainders
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta, beta_auc
from betaroc.distributions.inflated import MASSES, Inflated
from betaroc.distributions.logit_normal import LogitNormal
from betaroc.distributions.normal import Normal
from betaroc.estimation.batch import ClassColumns
from betaroc.estimation.newton import ILL_CONDITIONED, beta_mle
from betaroc.estimation.summed import CANCELLED, LARGEST_SUMMED, LEAST_SQUARE
from betaroc.model.model import ScoreModel

__all__ = ["BATCHES", "BatchLaws", "areas_of_batch", "pair_of_batch"]


@dataclass(frozen=True)
class BatchLaws:
    """One class of every system, fitted; `doubtful` are those that sums alone do not settle."""

    who: str
    params: dict[str, FloatArray]
    errors: dict[str, FloatArray]
    log_likelihood: FloatArray
    reason: AnyArray
    doubtful: BoolArray

    def refuse_doubtful(self) -> None:
        """What sums do not settle is not fitted where there is nothing else."""
        for k in np.flatnonzero(self.doubtful):
            self.reason[k] = self.reason[k] or (
                f"{self.who}: too concentrated, or too large or small, for sums of doubles;"
                " pass Scores"
            )


def _reasons(side: ClassColumns, who: str, boundary: str | None, *, unit: bool) -> AnyArray:
    """Why a class cannot be fitted; empty text where it can."""
    found = np.full(side.n.size, "", dtype=object)
    inside, low, high = side.n, side.low, side.high
    if unit:
        inside, low, high = side.inner, side.inner_low, side.inner_high
    distinct = (inside >= 2) & (low < high)
    for k in np.flatnonzero(~distinct):
        where = " strictly between 0 and 1" if unit else ""
        got = f"{inside[k]:g}, all equal to {low[k]:g}" if inside[k] > 1 else f"{inside[k]:g}"
        found[k] = f"{who}: at least 2 distinct scores are needed{where}; got {got}"
    if unit and boundary == "error":
        for k in np.flatnonzero(side.zero + side.one > 0.0):
            found[k] = (
                f"{who}: {side.zero[k]:g} scores of exactly 0 and {side.one[k]:g} of exactly 1"
            )
    for k in np.flatnonzero(side.outside > 0.0) if unit else ():
        percent = side.low[k] >= 0.0 and 2.0 < side.high[k] <= 100.0
        found[k] = f"{who}: {side.outside[k]:g} of {side.n[k]:g} scores outside [0, 1]"
        found[k] += ", as of percentages: divide by 100" if percent else ""
    for k in np.flatnonzero(~(side.n > 0.0)):
        found[k] = f"{who}: no scores"
    return found


def _beta(side: ClassColumns, who: str, boundary: str | None) -> BatchLaws:
    reason = _reasons(side, who, boundary, unit=True)
    n = np.where(reason == "", side.inner, np.nan)
    g1, g2 = side.log / n, side.log1m / n
    a, b, converged = beta_mle(g1, g2)
    taus = [phi_tau(v)[1] for v in (a, b, a + b)]
    of_a, of_b, coupling, det = information_terms(a, b, *taus)
    aa, ab, bb = of_b / det, coupling / det, of_a / det
    amplified = np.maximum(-(aa * g1 + ab * g2) / a, -(ab * g1 + bb * g2) / b)
    limit = amplified > ILL_CONDITIONED
    if not side.from_rows:
        limit &= a + b > LARGEST_SUMMED
    doubtful = (reason != "") | ~converged | limit
    params, errors = {"a": a, "b": b}, {"a": np.sqrt(aa / n), "b": np.sqrt(bb / n)}
    likelihood = n * _mean_log_likelihood(a, b, g1, g2)
    return _with_masses(
        BatchLaws(who, params, errors, likelihood, reason, doubtful), side, boundary
    )


def _mean_log_likelihood(
    a: FloatArray, b: FloatArray, g1: FloatArray, g2: FloatArray
) -> FloatArray:
    """At the maximum, where the score equations turn the large terms into small ones."""
    s = a + b
    squares = a * phi_tau(a)[0] + b * phi_tau(b)[0] - s * phi_tau(s)[0]
    rest = stirling_remainders(a) + stirling_remainders(b) - stirling_remainders(s)
    return np.asarray(squares - g1 - g2 - HALF_LOG_TWO_PI - 0.5 * np.log(s / a / b) - rest)


def _normal(side: ClassColumns, who: str, boundary: str | None) -> BatchLaws:
    reason = _reasons(side, who, boundary, unit=False)
    return _moments(who, reason, side.n, side.mean, side.square, side.kept)


def _logit_normal(side: ClassColumns, who: str, boundary: str | None) -> BatchLaws:
    reason, n = _reasons(side, who, boundary, unit=True), side.inner
    mu = (side.log - side.log1m) / np.where(n > 0.0, n, np.nan)
    found = _moments(who, reason, n, mu, side.logit_square, side.logit_kept)
    jacobian = -(side.log + side.log1m)
    found = replace(found, log_likelihood=found.log_likelihood + jacobian)
    return _with_masses(found, side, boundary)


def _moments(
    who: str, reason: AnyArray, n: FloatArray, mu: FloatArray, square: FloatArray, kept: FloatArray
) -> BatchLaws:
    good = (reason == "") & (kept > CANCELLED) & np.isfinite(square)
    good &= square > LEAST_SQUARE * n
    n, mu = np.where(good, n, np.nan), np.where(good, mu, np.nan)
    sigma = np.sqrt(np.where(good, square, np.nan) / n)
    errors = {"mu": sigma / np.sqrt(n), "sigma": sigma / np.sqrt(2.0 * n)}
    likelihood = -n * (HALF_LOG_TWO_PI + 0.5 + np.log(sigma))
    return BatchLaws(who, {"mu": mu, "sigma": sigma}, errors, likelihood, reason, ~good)


def _with_masses(found: BatchLaws, side: ClassColumns, boundary: str | None) -> BatchLaws:
    """Point masses with their observed shares, unless these scores are left out."""
    if boundary not in (None, "inflate"):
        return found
    from scipy.special import xlogy

    n = np.where(found.reason == "", side.n, np.nan)
    shares = {"at_zero": side.zero / n, "at_one": side.one / n}
    logs = sum(xlogy(count, count / n) for count in (side.zero, side.one, side.inner))
    errors = {name: np.sqrt(p * (1.0 - p) / n) for name, p in shares.items()}
    return replace(
        found, params=found.params | shares, errors=found.errors | errors,
        log_likelihood=found.log_likelihood + logs,
    )  # fmt: skip


class _Batch(NamedTuple):
    """How a family is fitted to many systems, and its distribution of two parameters."""

    fit: Callable[[ClassColumns, str, str | None], BatchLaws]
    law: Callable[[float, float], Distribution]
    #: Whether it needs the squares of logits.
    squares: bool = False


BATCHES = {
    "beta": _Batch(_beta, Beta),
    "normal": _Batch(_normal, Normal),
    "logit-normal": _Batch(_logit_normal, LogitNormal, squares=True),
}


def pair_of_batch(laws: Sequence[BatchLaws], k: int, family: str, prior: float) -> ScoreModel:
    """The pair of one system of a batch."""
    pair: list[Distribution] = []
    for law in laws:
        own = {name: float(values[k]) for name, values in law.params.items()}
        masses = {name: own.pop(name) for name in MASSES if name in own}
        base = BATCHES[family].law(*own.values())
        pair.append(Inflated(base, **masses) if any(masses.values()) else base)
    return ScoreModel(pair[0], pair[1], prior=prior)


def areas_of_batch(c: Mapping[str, FloatArray], i: Mapping[str, FloatArray]) -> FloatArray:
    """Of the laws' continuous parts, and of their point masses."""
    from scipy.special import ndtr

    if "a" in c:
        inner = np.full(c["a"].size, np.nan)
        known = np.isfinite(c["a"] + i["a"])
        inner[known] = beta_auc(*(side[p][known] for side in (c, i) for p in ("a", "b")))
    else:
        inner = ndtr((c["mu"] - i["mu"]) / np.hypot(c["sigma"], i["sigma"]))
    if "at_zero" not in c:
        return np.asarray(inner)
    (c0, c1), (i0, i1) = ([side[mass] for mass in MASSES] for side in (c, i))
    c_in, i_in = 1.0 - c0 - c1, 1.0 - i0 - i1
    ties = 0.5 * (c0 * i0 + c1 * i1)
    return np.asarray(c_in * i_in * inner + c_in * i0 + c1 * (i0 + i_in) + ties)
