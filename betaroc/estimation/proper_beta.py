"""Maximum likelihood of two beta distributions whose ROC is concave: a_c >= a_i and b_c <= b_i.

The log-likelihood is concave and the constraint is convex, so the maximum is that of one of
four problems: free, with a common a, with a common b, with one distribution for both; among those
that obey the constraint it is the likeliest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import FitError
from betaroc.core.polygamma import beta_inverse_information
from betaroc.core.special import log_beta_ratio
from betaroc.distributions.beta import Beta
from betaroc.estimation.beta import BETA_ROWS, beta_tails, estimate_beta
from betaroc.estimation.contract import ClassMaximum, Family, Joined, Matrix, Maximum, SampleRows
from betaroc.estimation.newton import solve_one
from betaroc.estimation.tied import ClassSums, tied_mle

__all__ = ["PROPER_BETA"]

Shapes = tuple[float, float]


class _Candidate(NamedTuple):
    client: Shapes
    impostor: Shapes
    tied: tuple[str, ...]
    iterations: int
    gradient_norm: float
    converged: bool


def join_proper(client: ClassMaximum, impostor: ClassMaximum) -> Joined | None:
    """The constrained maximum; None where the free one is proper already."""
    free = _shapes(client.estimate), _shapes(impostor.estimate)
    if _proper(*free):
        return None
    sums = ClassSums.at(*free[0], client.weight), ClassSums.at(*free[1], impostor.weight)
    candidates = _candidates(*sums)
    proper = [c for c in candidates if _proper(c.client, c.impostor)]
    best = max(proper, key=lambda c: _gain(c, free, (client.weight, impostor.weight)))
    # One that stopped early might have been the likeliest.
    best = best._replace(converged=all(c.converged for c in candidates))
    joined = _joined(best, (client, impostor), free)
    if not best.converged:
        raise FitError(
            "the proper beta fit did not converge; gradient"
            f" {best.gradient_norm:.3g} at clients {best.client!r}, impostors {best.impostor!r}."
            " The clients' partial result is the error's .result. Please report these scores.",
            joined.client,
        )
    return joined


def _shapes(estimate: Maximum) -> Shapes:
    return estimate.values[0], estimate.values[1]


def _proper(client: Shapes, impostor: Shapes) -> bool:
    return client[0] >= impostor[0] and client[1] <= impostor[1]


def _candidates(client: ClassSums, impostor: ClassSums) -> list[_Candidate]:
    found = []
    for name in ("a", "b"):
        s = tied_mle(client, impostor, name)
        found.append(
            _Candidate(s.client, s.impostor, (name,), s.iterations, s.gradient_norm, s.converged)
        )
    total = client.weight + impostor.weight
    share = client.weight / total
    pooled = solve_one(
        share * client.mean_log + (1.0 - share) * impostor.mean_log,
        share * client.mean_log1m + (1.0 - share) * impostor.mean_log1m,
    )
    if pooled is None:
        raise FitError(
            "the proper beta fit has no solution for one distribution of both classes, whose"
            " mean logarithms"
            f" belong to no beta distribution: {client!r}, {impostor!r}. Please report these"
            " scores."
        )
    both = pooled.a, pooled.b
    found.append(
        _Candidate(
            both, both, ("a", "b"), pooled.iterations, pooled.gradient_norm, pooled.converged
        )
    )
    return found


def _gain(c: _Candidate, free: tuple[Shapes, Shapes], weights: Shapes) -> float:
    """Log-likelihood less that of the free maximum."""
    changes = (
        w * _change(new, old) for new, old, w in zip(c[:2], free, weights, strict=True)
    )  # fmt: skip
    return math.fsum(changes)


def _change(new: Shapes, free: Shapes) -> float:
    """Change of a class's mean log-likelihood from its free maximum: minus a divergence."""
    sums = ClassSums.at(*free)
    gain = (new[0] - free[0]) * sums.mean_log + (new[1] - free[1]) * sums.mean_log1m
    return gain - log_beta_ratio(*new, *free)


def _joined(
    c: _Candidate, classes: tuple[ClassMaximum, ...], free: tuple[Shapes, Shapes]
) -> Joined:
    covariance = _covariance(c, (classes[0].weight, classes[1].weight))
    estimates = []
    for k, (one, old) in enumerate(zip(classes, free, strict=True)):
        e, new = one.estimate, (c.client, c.impostor)[k]
        block = covariance[2 * k : 2 * k + 2, 2 * k : 2 * k + 2]
        estimates.append(
            e._replace(
                distribution=e.distribution._replaced({"a": new[0], "b": new[1]}),
                values=(*new, *e.values[2:]),
                covariance=_with_block(e.covariance, block, one),
                log_likelihood=e.log_likelihood + one.weight * _change(new, old),
                converged=c.converged,
                iterations=c.iterations,
                gradient_norm=c.gradient_norm,
                influence=None,
            )
        )
    sizes = [len(e.names) for e in estimates]
    shared = np.zeros(sizes)
    shared[:2, :2] = covariance[:2, 2:]
    return Joined(estimates[0], estimates[1], _nested(shared), c.tied)


def _covariance(c: _Candidate, weights: Shapes) -> FloatArray:
    """Of (a_c, b_c, a_i, b_i) with the ties: C - C R' (R C R')^-1 R C, C that without them."""
    whole = np.zeros((4, 4))
    whole[:2, :2] = beta_inverse_information(*c.client) / weights[0]
    whole[2:, 2:] = beta_inverse_information(*c.impostor) / weights[1]
    rows = {"a": [1.0, 0.0, -1.0, 0.0], "b": [0.0, 1.0, 0.0, -1.0]}
    ties = np.array([rows[name] for name in c.tied])
    gone = ties @ whole
    return np.asarray(whole - gone.T @ np.linalg.solve(ties @ gone.T, gone))


def _with_block(covariance: Matrix, block: FloatArray, one: ClassMaximum) -> Matrix:
    """The covariance of one unit of weight with the shapes' part replaced."""
    matrix = np.array(covariance)
    matrix[:2, :2] = block * one.total
    return _nested(matrix)


def _nested(matrix: FloatArray) -> Matrix:
    return tuple(tuple(row) for row in matrix.tolist())


PROPER_BETA = Family(
    estimate_beta, on_unit=True, join=join_proper, summed=True, concave=True,
    rows=SampleRows(Beta, BETA_ROWS.fit, beta_tails, BETA_ROWS.moments),
)  # fmt: skip
