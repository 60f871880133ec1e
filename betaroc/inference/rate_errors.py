"""How far the rates of scores move at fixed thresholds, and how many scores that is worth."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import Groups, ScoredTrials, settled, units_of
from betaroc.distributions.empirical import Empirical
from betaroc.inference.drawn_groups import cell_of, rows_in

#: Nearer to the median the quantiles of Student's t are straight in the probability to 10 digits.
_MIDDLE = 1e-5


def rate_covariance(
    groups: Groups, laws: tuple[Empirical, Empirical], scores: ScoredTrials, t: Thresholds,
    *, stratified: bool | None = None,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Covariance of FAR at each threshold, FRR at each threshold, and the share of clients.

    As a sum over the units and what it counts twice; see `Groups.meat`. Unless `stratified`
    is None, the units are drawn within strata.
    """
    from scipy.sparse import csr_array

    places = rows_in(laws, groups, scores)
    parts = [cell_of(law, t, place) for law, place in zip(laws, places, strict=True)]
    width = [int(p[1].max()) + 2 for p in parts]
    n = [law.total for law in laws]
    k, whole = t.size, n[0] + n[1]
    influence = np.zeros((sum(width), 2 * k + 1))
    frr, far = laws[0]._counts_at_most(t) / n[0], laws[1]._counts_above(t) / n[1]
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


def robust_rates(
    scores: ScoredTrials, threshold: npt.ArrayLike, *, groups: bool = True
) -> FloatArray:
    """Covariance of (FAR, FRR) at fixed thresholds, of trials that may depend on each other.

        V = sum_u S_u S_u' - sum_{u < v} S_uv S_uv'
        s = ((accepted - FAR) / n_impostor, (rejected - FRR) / n_client)

    with S_u the sum of s over the trials that depend on group u, S_uv over those that depend on
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
    found = units_of(scores, groups=groups)
    flat = Thresholds.from_theta(t.ravel())
    at = np.arange(t.size)[:, None, None] + t.size * np.arange(2)
    rows, columns = at, np.swapaxes(at, 1, 2)
    whole, twice = (part[rows, columns] for part in rate_covariance(found, laws, scores, flat))
    return settled(whole, twice).reshape(*t.shape, 2, 2)


# ------------------------------------------------------------------------ what counts are worth
def worth(groups: Groups, which: int, beyond: FloatArray, n: float, tail: float) -> FloatArray:
    """Independent scores that those of a class with groups are worth, for each share of them.

    See `effective_size`: V is the variance between G groups, f = G - 1. Where none or all of the
    scores are beyond, a group counts as one score.

    Parameters
    ----------
    groups : Groups
        Of both classes; the class has groups.
    which : int
        0 for clients, 1 for impostors.
    beyond : ndarray, shape (rows of the class, k)
        1 for a score that is counted, 0 for one that is not, nan for one that is left out.
    n : float
        Trials of the class.
    tail : float
        Probability beyond each end of the interval that is to be made.
    """
    size = groups.sizes[which]
    if size is None or size < 2:
        return np.full(beyond.shape[1], n if size is None else 1.0)
    cut = groups.rows[0].size
    mine = (slice(cut), slice(cut, None))[which]
    share = np.nansum(beyond * groups.copies[mine, None], axis=0) / n
    parts = np.zeros((groups.first.size, beyond.shape[1]))
    parts[mine] = np.nan_to_num(beyond - share) / n
    whole, twice = (np.diag(part) for part in groups.meat(parts))
    variance = np.where(whole > twice, whole - twice, whole) * size / (size - 1.0)
    return effective_size(share, variance, n, min(n, float(size)), size - 1.0, tail)


def effective_size(
    share: npt.ArrayLike, variance: npt.ArrayLike, n: float, fewest: float, freedom: float,
    tail: float,
) -> FloatArray:  # fmt: skip
    """Independent scores of which a share of 0 and 1 varies as much as an estimated one.

        n / d,   d = V / (p (1 - p) / (n - 1)) >= 1,   times (t_(n-1) / t_f)^2

    with V the variance of the share p of n scores, f its degrees of freedom and t Student's
    quantiles (Korn and Graubard 1998); `fewest` where the share is 0 or 1.
    """
    share, variance = np.asarray(share, np.float64), np.asarray(variance, np.float64)
    alone = share * (1.0 - share) / (n - 1.0)
    inner = (share > 0.0) & (share < 1.0)
    ratio = np.divide(alone, variance, out=np.ones(share.shape), where=variance > alone)
    few = _quantile_ratio(n - 1.0, min(freedom, n - 1.0), tail)
    return np.asarray(np.where(inner, n * ratio, fewest) * few * few)


def _quantile_ratio(many: float, few: float, tail: float) -> float:
    """Of Student's quantiles; next to the median that of the inverse densities there.

    Scipy's quantiles of 4 degrees of freedom have few digits there, at last none.
    """
    from scipy.special import beta, stdtrit

    if tail < 0.5 - _MIDDLE:
        return float(stdtrit(many, tail) / stdtrit(few, tail))
    wide, narrow = (math.sqrt(v) * float(beta(0.5 * v, 0.5)) for v in (many, few))
    return wide / narrow
