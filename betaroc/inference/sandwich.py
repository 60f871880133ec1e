"""Covariances that hold where trials depend on each other: the sandwich of a fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray
from betaroc.core.checks import flag, score_array, weights_array
from betaroc.core.errors import InputError
from betaroc.core.names import name_columns
from betaroc.core.sentences import worded
from betaroc.core.text import shown
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import Groups, Trials, groups_of, settled, units_of
from betaroc.data.scores import require_scores
from betaroc.distributions.base import Distribution, Parameter
from betaroc.distributions.inflated import MASSES
from betaroc.distributions.shifted import between_ends, score_range
from betaroc.estimation.boundary import MATLAB_EDGES, ScoreCells, log_masses
from betaroc.estimation.record import Estimate, PairEstimate

_Column = npt.ArrayLike | None
#: Step of the differences, in standard deviations of one observation's information.
_STEP = 1e-3
#: Sums of the same weights agree to this.
_SAME_WEIGHT = 1e-9


def robust_cov(
    result: Estimate, sample: npt.ArrayLike, *, weights: _Column = None, groups: _Column = None
) -> FloatArray:
    """Sandwich covariance of fitted parameters.

        cov (sum_g s_g s_g') cov,   s_g = sum over group g of d log f(x_i) / d parameters

    times G / (G - 1); with two columns of groups the middle is V1 + V2 - V12.

    Parameters
    ----------
    result : DistributionFit
        The fit of these very scores.
    sample : array_like, shape (n,)
        The scores.
    weights : array_like, shape (n,), optional
        Frequencies.
    groups : array_like of int or str, shape (n,) or (n, 2), optional
        Trials that share a label depend on each other; without, each is by itself, which
        gives the covariance that holds although the distribution is the wrong one.

    Returns
    -------
    ndarray, shape (p, p)
        In the order of ``result.params``.

    Raises
    ------
    InputError
        For the empirical distribution, one group, lengths that differ, or scores that are not those
        of the fit: of another total weight, or where its distribution has no density.

    Notes
    -----
    Of weights k the k copies belong to the group; without groups they are k trials. Where
    the difference V1 + V2 - V12 is no covariance matrix V12 is left out.

    References
    ----------
    White, H. (1982), Maximum likelihood estimation of misspecified models. Liang, K.-Y. and
    Zeger, S. L. (1986), Longitudinal data analysis using generalized linear models. Cameron,
    A. C., Gelbach, J. B. and Miller, D. L. (2011), Robust inference with multiway clustering.

    Examples
    --------
    >>> from betaroc import fit_distribution
    >>> from betaroc.inference.sandwich import robust_cov
    >>> sample = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    >>> fit = fit_distribution(sample, "normal")
    >>> groups = [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    >>> robust_cov(fit, sample, groups=groups)[0, 0].round(9).item()  # sums -+ 13.5, -+ 4.5
    3.75
    """
    values = score_array(sample, "sample")
    copies = None if weights is None else weights_array(weights, values.size, "weights")
    labels = None if groups is None else name_columns(groups, values.size, "groups")
    _refuse_one_group(labels)
    if result.names:
        _refuse_other_scores(result, values, copies)
    contributions = observation_scores(result, values, copies)
    found = _one_class(values, copies, labels)
    contributions = found.factors()[0] * contributions[found.rows[0]]
    return _sandwich(result.cov, lambda: settled(*found.meat(contributions)))


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
    return _sandwich(own, lambda: found.covariance(parts[0], parts[1]))


def _sandwich(cov: FloatArray, middle: Callable[[], FloatArray]) -> FloatArray:
    """Not a number where no double holds the products, as of scores of 1e-300."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.asarray(cov @ middle() @ cov)


def _refuse_other_scores(result: Estimate, values: FloatArray, weights: FloatArray | None) -> None:
    """A covariance of scores that the fit never saw is of nothing."""
    low, high = score_range(result.distribution)
    rule = result.boundary
    if rule is not None:
        strange = (values < low) | (values > high)
        if rule.policy != "squeeze" and policy_in_force(result) in {None, "inflate", "error"}:
            for place, mass in zip((low, high), MASSES, strict=True):
                strange |= (values == place) & (result.params.get(mass, 0.0) == 0.0)
        bad = np.flatnonzero(strange)
        if bad.size:
            raise InputError.about("sample")(
                "sample must be the scores of the fit, where its distribution has a density; got"
                f" {bad.size} of {values.size} elsewhere, first {float(values[bad[0]])!r} at index"
                f" {bad[0]}. Pass the very scores, or fit these."
            )
    copies = np.ones(values.size) if weights is None else weights
    total = math.fsum(copies[undropped(result, values)].tolist())
    if not math.isclose(total, result.total_weight, rel_tol=_SAME_WEIGHT):
        raise InputError.about("sample")(
            f"sample must be the scores of the fit, total weight {result.total_weight!r}; got"
            f" {values.size} scores of total weight {total!r}. Pass the very scores and their"
            " weights, or fit these."
        )


def _refuse_one_group(groups: AnyArray | None) -> None:
    columns = [] if groups is None else list(groups.reshape(groups.shape[0], -1).T)
    if groups is not None and any(np.unique(column).size == 1 for column in columns):
        raise InputError.about("groups")(
            f"groups must have at least 2 labels for a variance between them; all {len(groups)}"
            f" scores share {shown(columns[0][0])}. Leave groups out if the scores do not depend on"
            " each other."
        )


def _one_class(values: FloatArray, weights: FloatArray | None, groups: AnyArray | None) -> Groups:
    """A sample as the clients of a side without impostors."""
    return units_of(Trials(values, values[:0], weights, None, groups))


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
        return _cell_log_likelihood(values, step, result.distribution.support)
    if policy in {"censor", "matlab"}:
        return _censored_log_likelihood(values, policy, result.boundary.resolution, ends)  # type: ignore[union-attr]
    kept = undropped(result, values)
    t = Thresholds.from_theta(values[kept])

    def at(law: Distribution) -> FloatArray:
        found = np.zeros(values.size)
        found[kept] = law._log_likelihood(t)
        return found

    return at


def _cell_log_likelihood(
    values: FloatArray, step: float, support: tuple[float, float]
) -> Callable[[Distribution], FloatArray]:
    _, low, high, place = ScoreCells.of(values, step, support)
    logs = log_masses(low, high, support)
    return lambda law: logs(law)[place]


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
