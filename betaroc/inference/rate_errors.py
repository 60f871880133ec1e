"""How far the error rates of scores move at fixed thresholds: binomial, or by groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.thresholds import FloatArray, Thresholds
from betaroc.data.groups import Groups, cell_of, groups_of, roots, settled, single_trials
from betaroc.decision.delta_bands import measure_interval, sup_t_reach
from betaroc.decision.epc import Epc
from betaroc.distributions.empirical import Empirical
from betaroc.model.measures import OperatingPoint

__all__ = ["delta_scores_interval", "rate_covariance", "robust_rates"]

#: Step of the differences in a rate, as a share of its distance from 0 and 1.
_STEP = 1e-4
#: A variance below this share of its first part is rounding.
_ROUNDING = 1e-12


def rate_covariance(
    groups: Groups, laws: tuple[Empirical, Empirical], scores: Any, t: Thresholds,
    *, stratified: bool | None = None,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Covariance of FAR at each threshold, FRR at each threshold, and the share of clients.

    As a sum over the units and what it counts twice; see `Groups.meat`. Unless `stratified`
    is None, the units are drawn within strata.
    """
    from scipy.sparse import csr_array

    places = groups.places(laws, scores)
    parts = [cell_of(law, t, place) for law, place in zip(laws, places, strict=True)]
    width = [int(p[1].max()) + 2 for p in parts]
    n = [law.total for law in laws]
    k, whole = t.size, n[0] + n[1]
    influence = np.zeros((sum(width), 2 * k + 1))
    frr, far = laws[0].counts_at_most(t) / n[0], laws[1].counts_above(t) / n[1]
    rejected = np.arange(width[0])[:, None] <= parts[0][1]
    accepted = np.arange(width[1])[:, None] > parts[1][1]
    grow = groups.factors()
    influence[width[0] :, :k] = grow[1] * (accepted - far) / n[1]
    influence[: width[0], k:-1] = grow[0] * (rejected - frr) / n[0]
    influence[: width[0], -1], influence[width[0] :, -1] = n[1] / whole**2, -n[0] / whole**2
    column = np.concatenate([parts[0][0], width[0] + parts[1][0]])
    rows = np.arange(column.size)
    cells = csr_array((np.ones(column.size), (rows, column)), shape=(column.size, sum(width)))
    strata = None if stratified is None else groups.stratum(stratified=stratified)
    meat = groups.meat(cells, strata)
    return influence.T @ meat[0] @ influence, influence.T @ meat[1] @ influence


def robust_rates(scores: Any, threshold: npt.ArrayLike, *, groups: bool = True) -> FloatArray:
    """Covariance of (FAR, FRR) at fixed thresholds, of trials that may depend on each other.

        V = sum_u S_u S_u' - sum_{u < v} S_uv S_uv'
        s = ((accepted - FAR) / n_impostor, (rejected - FRR) / n_client)

    with S_u the sum of s over the trials that hang on group u, S_uv over those that hang on
    both u and v; times G / (G - 1) of the class.

    Parameters
    ----------
    scores : Scores
        With groups of one or two columns in a class, in both or in none.
    threshold : array_like
        Accept iff score > threshold.
    groups : bool
        Use the groups; else, and for scores without, the binomial variances r (1 - r) / n.

    Returns
    -------
    ndarray, shape of `threshold` + (2, 2)
        Order FAR, FRR. The classes covary where a label occurs in both.

    Raises
    ------
    InputError
        If all trials of a class share one group.

    Notes
    -----
    One column gives the cluster-robust variance (Liang and Zeger); two columns without common
    labels Cameron, Gelbach and Miller's V1 + V2 - V12; two columns of the same people the
    dyadic one, in which all trials with a common person covary. Where the difference is no
    covariance matrix the second sum is left out, which errs towards large variances.

    References
    ----------
    Cameron, A. C., Gelbach, J. B. and Miller, D. L. (2011), Robust inference with multiway
    clustering. Aronow, P. M., Samii, C. and Assenova, V. A. (2015), Cluster-robust variance
    estimation for dyadic data.

    Examples
    --------
    >>> from betaroc import Scores
    >>> from betaroc.inference.rate_errors import robust_rates
    >>> scores = Scores([3, 4], [1, 2, 3, 4], impostor_groups=["a", "a", "b", "b"])
    >>> robust_rates(scores, 2.5).tolist()  # all of a rejected, all of b accepted: (1/2)^2 / 1
    [[0.25, 0.0], [0.0, 0.0]]
    """
    t = np.asarray(threshold, dtype=np.float64)
    laws = (
        Empirical(scores.client, scores.client_weights),
        Empirical(scores.impostor, scores.impostor_weights),
    )
    found = groups_of(scores) if groups else None
    found = single_trials(scores) if found is None else found
    flat = Thresholds.from_theta(t.ravel())
    at = np.arange(t.size)[:, None, None] + t.size * np.arange(2)
    rows, columns = at, np.swapaxes(at, 1, 2)
    whole, twice = (part[rows, columns] for part in rate_covariance(found, laws, scores, flat))
    return settled(whole, twice).reshape(*t.shape, 2, 2)


# ---------------------------------------------------------------------------- delta method
def delta_scores_interval(
    e: Epc,
    scores: Any,
    level: float,
    *,
    groups: bool,
    observed: bool,
    simultaneous: bool,
    stratified: bool,
    replicates: int,
    rng: Any,
) -> tuple[FloatArray, FloatArray]:
    """Normal intervals from the derivatives of the measure in both rates and an observed prior.

    Parameters
    ----------
    e : Epc
        A curve whose test side is scores.
    scores : Scores or Trials
        These scores.
    level : float
        Confidence level.
    groups : bool
        Use their groups.
    observed : bool
        Whether the prior is their share of clients.
    simultaneous, stratified, replicates, rng : optional
        As in `Epc.band`; replicates of the Gaussian process.

    Returns
    -------
    tuple of ndarray
        Ends of the intervals, nan where the measure is undefined.
    """
    from scipy.special import ndtr, ndtri, stdtrit

    found = groups_of(scores) if groups else None
    found = single_trials(scores) if found is None else found
    laws = e.test.client, e.test.impostor
    gradient = _gradient(e, observed=observed)
    parts = rate_covariance(found, laws, scores, e.chosen, stratified=stratified)  # type: ignore[arg-type]
    whole, twice = (gradient @ part @ gradient.T for part in parts)
    variance, most = np.diag(whole - twice), np.diag(whole)
    # V1 + V2 - V12 may come out negative: then V12 is left out.
    error = np.sqrt(np.where(variance > _ROUNDING * most, variance, np.maximum(most, 0.0)))
    reach = float(ndtri(0.5 * (1.0 + level)))
    if simultaneous:
        changes = roots(whole - twice).T
        reach = sup_t_reach(changes, np.sqrt(np.sum(changes**2, axis=1)), level, replicates, rng)
    sizes = [size for size in found.sizes if size is not None]
    if sizes:
        # Student's t in place of the normal law, for variances between few groups.
        reach = -float(stdtrit(min(sizes) - 1, ndtr(-reach)))
    return measure_interval(e, reach * error)


def _gradient(e: Epc, *, observed: bool) -> FloatArray:
    """Change of the measure at each threshold with FAR and FRR there, and with the prior.

    A rate of 0 or 1 does not vary; where the measure is undefined nothing does.
    """
    k, point = e.alpha.size, e.points
    rates = [np.array(point.far), np.array(point.frr), np.full(k, point.prior)]
    found = np.zeros((k, 2 * k + 1))
    for which, rate in enumerate(rates if observed else rates[:2]):
        step = _STEP * np.minimum(rate, 1.0 - rate)
        ends = []
        for sign in (1.0, -1.0):
            far, frr, prior = (r + sign * step if n == which else r for n, r in enumerate(rates))
            moved = OperatingPoint(point.threshold, far, frr, float(prior[0]))
            ends.append(e._measured(moved))
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (ends[0] - ends[1]) / (2.0 * step)
        slope = np.where((step > 0.0) & np.isfinite(slope), slope, 0.0)
        found[np.arange(k), 2 * k if which == 2 else which * k + np.arange(k)] = slope
    return found
