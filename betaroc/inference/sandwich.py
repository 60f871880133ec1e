"""Covariances that hold where trials depend on each other: the sandwich of a fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray
from betaroc.core.checks import flag
from betaroc.core.errors import InputError
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import worded
from betaroc.data.groups import groups_of
from betaroc.data.scores import require_scores
from betaroc.distributions.base import Distribution, Parameter
from betaroc.distributions.shifted import between_ends, score_range
from betaroc.estimation.boundary import MATLAB_EDGES, ScoreCells, log_masses
from betaroc.estimation.record import Estimate, PairEstimate

#: Step of the differences, in standard deviations of one observation's information.
_STEP = 1e-3


def joint_cov(fit: PairEstimate, *, groups: bool = True) -> FloatArray:
    """Covariance of the clients' parameters, then the impostors'; see `Fit.joint_cov`."""
    results = fit.client, fit.impostor
    found = groups_of(fit.scores) if flag(groups, "groups") else None
    sizes = [len(result.names) for result in results]
    own = np.zeros((sum(sizes), sum(sizes)))
    own[: sizes[0], : sizes[0]], own[sizes[0] :, sizes[0] :] = (r.cov for r in results)
    if fit.shared_cov is not None:
        own[: sizes[0], sizes[0] :] = fit.shared_cov
        own[sizes[0] :, : sizes[0]] = own[: sizes[0], sizes[0] :].T
    if found is None or not all(sizes):
        return own
    scores = require_scores(fit.scores, "the errors of groups")
    samples = ((scores.client, scores.client_weights), (scores.impostor, scores.impostor_weights))
    parts = [observation_scores(r, *sample) for r, sample in zip(results, samples, strict=True)]
    # Not a number where no double holds the products, as of scores of 1e-300.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.asarray(own @ found.covariance(parts[0], parts[1]) @ own)


# ------------------------------------------------------------ scores of single observations
def observation_scores(
    result: Estimate, values: FloatArray, weights: FloatArray | None
) -> FloatArray:
    """Derivative of each observation's log-likelihood in the parameters, shape (n, p)."""
    if not result.names:
        raise InputError(
            worded(f'a covariance needs parameters; got a fit of `family="{result.family}"`, which')
            + " has none. Fit a parametric family, or resample the scores."
        )
    values = _as_fitted(result, values, weights)
    if in_cells(result):
        return difference_scores(result, values)
    law = result.distribution
    kept = undropped(result, values)
    names = [p.name for p in law._parameters()]
    found = np.zeros((values.size, len(result.names)))
    scores = law._score(Thresholds.from_theta(values[kept]))
    found[kept] = scores[[names.index(name) for name in result.names]].T
    return found


def undropped(result: Estimate, values: FloatArray) -> BoolArray:
    """The observations that the boundary rule did not drop."""
    return between_ends(result.distribution, values) | (policy_in_force(result) != "drop")


def policy_in_force(result: Estimate) -> str | None:
    """The rule for 0 and 1 where it changes the likelihood of a score."""
    rule = result.boundary
    if rule is None or (
        rule.policy in {"censor", "matlab"} and rule.n_censored_low + rule.n_censored_high == 0
    ):
        return None
    return rule.policy


def in_cells(result: Estimate) -> bool:
    """Whether some scores count by the probability of a cell or of what lies beyond an edge."""
    return policy_in_force(result) in {"censor", "matlab", "interval"}


def _as_fitted(result: Estimate, values: FloatArray, weights: FloatArray | None) -> FloatArray:
    """The scores that the distribution was fitted to."""
    if result.boundary is None or result.boundary.policy != "squeeze":
        return values
    n = float(values.size) if weights is None else math.fsum(weights.tolist())
    low, high = score_range(result.distribution)
    return low + ((values - low) * (n - 1.0) + 0.5 * (high - low)) / n


# ---------------------------------------------------------------------------- differences
def difference_scores(result: Estimate, values: FloatArray) -> FloatArray:
    """The same for any family and rule, by central differences of fourth order."""
    distinct, place = np.unique(values, return_inverse=True)
    likelihood = _each_log_likelihood(result, distinct)
    at = np.array(result.values)
    steps = _STEP * np.sqrt(np.diag(result.cov) * result.total_weight)
    found = np.zeros((distinct.size, at.size))
    parameters = {p.name: p for p in result.distribution._parameters()}
    for k, (name, step) in enumerate(zip(result.names, steps.tolist(), strict=True)):
        if step == 0.0:  # held fixed, or a mass that nobody had
            continue
        step = min(step, _room(name, parameters))

        def change(times: int, name: str = name, at: float = at[k], step: float = step) -> Any:
            laws = [
                result.distribution._replaced({name: at + side * step}) for side in (times, -times)
            ]
            return likelihood(laws[0]) - likelihood(laws[1])

        found[:, k] = (8.0 * change(1) - change(2)) / (12.0 * step)
    return found[np.ravel(place)]


def _room(name: str, parameters: Mapping[str, Parameter]) -> float:
    """A tenth of the way to where a parameter may not be."""
    _, value, scale = parameters[name]
    if scale == "plain":
        return math.inf
    if scale == "log":
        return 0.1 * value
    rest = 1.0 - math.fsum(p.value for p in parameters.values() if p.scale == scale)
    return 0.1 * min(value, rest)


def _each_log_likelihood(
    result: Estimate, values: FloatArray
) -> Callable[[Distribution], FloatArray]:
    """What one observation of each value adds to the log-likelihood, for any distribution."""
    policy, ends = policy_in_force(result), score_range(result.distribution)
    if policy == "interval":
        step: float = result.boundary.resolution  # type: ignore[union-attr,assignment]
        support = result.distribution.support
        _, low, high, place = ScoreCells.of(values, step, support)
        logs = log_masses(low, high, support)
        return lambda law: logs(law)[place]
    if policy in {"censor", "matlab"}:
        return _censored_log_likelihood(values, policy, result.boundary.resolution, ends)  # type: ignore[union-attr]
    kept = undropped(result, values)
    t = Thresholds.from_theta(values[kept])

    def at(law: Distribution) -> FloatArray:
        found = np.zeros(values.size)
        found[kept] = law._log_likelihood(t)
        return found

    return at


def _censored_log_likelihood(
    values: FloatArray,
    policy: str,
    resolution: float | None,
    ends: tuple[float, float] = (0.0, 1.0),
) -> Callable[[Distribution], FloatArray]:
    width, edge = ends[1] - ends[0], (resolution or 0.0) / (ends[1] - ends[0])
    near = (edge, 1.0 - edge) if policy == "censor" else MATLAB_EDGES
    low, high = (ends[0] + width * share for share in near)
    below = values <= low if policy == "censor" else values < low
    above = values >= high if policy == "censor" else values > high
    inside = ~(below | above)

    def at(law: Any) -> FloatArray:
        found = np.empty(values.size)
        found[inside] = law.logpdf(values[inside])
        found[below], found[above] = law.logcdf(low), law.logsf(high)
        return found

    return at
