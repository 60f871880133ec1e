"""Tests of what two distributions may share: a shape, a spread, the mass on an end.

Each says how far the clients' number lies above the impostors', as a standard
normal departure that holds in small samples too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import FitError, InputError
from betaroc.core.polygamma import information_terms, phi_tau_of
from betaroc.core.special import beta_lower, beta_upper, log_beta_ratio
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import Groups, settled
from betaroc.data.scores import ScoreData
from betaroc.estimation.proper_beta import ClassSums, TiedSolution, tied_mle

#: Departures smaller than this are corrected as neighbouring ones are.
_NEAR = 0.02
#: How far these neighbours are, in standard errors.
_NEIGHBOUR = 0.1
#: Counts this many standard deviations from their mean have no probability left.
_REACH = 40.0


class Departure(NamedTuple):
    """How far the clients' number is above the impostors'."""

    #: Standard normal where they are equal: the quantile of the one-sided p-value.
    z: float
    #: Two-sided.
    p_value: float
    #: How it was found: "likelihood", "wald", "variance ratio", "counts", "score".
    method: str

    def times(self, sign: float) -> Departure:
        """The same, or that of the impostors over the clients."""
        return self._replace(z=sign * self.z)


class Law(NamedTuple):
    """A fitted beta distribution and the trials behind it."""

    a: float
    b: float
    weight: float


# ------------------------------------------------------------------------- shapes
def by_likelihood(
    client: tuple[float, float, float], impostor: tuple[float, float, float], shared: str
) -> Departure:
    """The modified signed root of the likelihood ratio of a shared shape.

        r* = r + log(u/r)/r,   r = sign(d) sqrt(2 [l(free) - l(shared)]),
        u = d sqrt(|J(free)| / |J'(shared)|),   d = a_c - a_i

    with J the information in all four shapes, J' that in the three of the tie. Given the other
    sums, the distribution of the clients' sum of logarithms depends on d alone: r* is the normal
    form of the test by that conditional distribution.

    Parameters
    ----------
    client, impostor : tuple of float
        The estimates a and b, which determine the sums of the likelihood, and the weight.
    shared : str
        "a" or "b".

    Returns
    -------
    Departure
        Positive where the clients' shape is the larger.

    References
    ----------
    Barndorff-Nielsen, O. E. (1991), Modified signed log likelihood ratio. Brazzale, A. R.,
    Davison, A. C. and Reid, N. (2007), Applied Asymptotics.

    Examples
    --------
    >>> from betaroc.fits.tie_tests import by_likelihood
    >>> by_likelihood((2.0, 1.0, 50), (2.0, 3.0, 50), "a").p_value > 0.95
    True
    """
    laws = [_turned(law, shared) for law in (client, impostor)]
    root, wald = _roots(laws)
    if abs(root) >= _NEAR:
        z = root + math.log(wald / root) / root
    else:
        # The correction is smooth where both roots vanish: that of either side.
        step = _NEIGHBOUR * math.sqrt(sum(_variance(law) for law in laws))
        sides = (_roots([_moved(laws[0], s), _moved(laws[1], -s)]) for s in (-step, step))
        z = root + sum(math.log(w / r) / r for r, w in sides) / 2.0
    return _normal(z, "likelihood")


def _turned(law: tuple[float, float, float], shared: str) -> Law:
    """The shared shape first."""
    a, b, weight = law
    return Law(a, b, weight) if shared == "a" else Law(b, a, weight)


def _normal(z: float, method: str) -> Departure:
    from scipy.special import ndtr

    return Departure(float(z), float(2.0 * ndtr(-abs(z))), method)


def _moved(law: Law, step: float) -> Law:
    return law._replace(a=law.a * math.exp(0.5 * step))


def _variance(law: Law) -> float:
    """Of the estimate of log a."""
    _, of_b, _, det = _information(law.a, law.b)
    return of_b / (det * law.weight * law.a * law.a)


def _information(a: float, b: float) -> tuple[float, float, float, float]:
    return information_terms(a, b, *(phi_tau_of(x)[1] for x in (a, b, a + b)))


def _roots(laws: list[Law]) -> tuple[float, float]:
    """r and u."""
    sums = [ClassSums.at(*law) for law in laws]
    found = _tied(sums)
    fall, free, tied, curvature = 0.0, 0.0, 0.0, 0.0
    for law, s, (a, b) in zip(laws, sums, (found.client, found.impostor), strict=True):
        gain = (a - law.a) * s.mean_log + (b - law.b) * s.mean_log1m
        fall += 2.0 * law.weight * (log_beta_ratio(a, b, law.a, law.b) - gain)
        free += math.log(_information(law.a, law.b)[3]) + 2.0 * math.log(law.weight)
        _, of_b, _, det = _information(a, b)
        tied += math.log(of_b) + math.log(law.weight)
        curvature += law.weight * det / of_b
    difference = laws[0].a - laws[1].a
    root = math.copysign(math.sqrt(max(fall, 0.0)), difference)
    return root, difference * math.exp(0.5 * (free - tied - math.log(curvature)))


def _tied(sums: list[ClassSums]) -> TiedSolution:
    found = tied_mle(sums[0], sums[1], "a")
    if not found.converged:
        raise FitError(
            f"the likelihood of a shared shape has no maximum within reach of {sums[0]!r} and"
            f" {sums[1]!r}. Please report these scores.",
            found,
        )
    return found


def by_errors(difference: float, variance: float, freedom: float) -> Departure:
    """difference / sqrt(variance), by Student's t; its normal departure has the same p-value."""
    from scipy.special import ndtri, stdtr

    t = difference / math.sqrt(variance)
    if not math.isfinite(freedom):
        return _normal(t, "wald")
    one_sided = float(stdtr(freedom, -abs(t)))
    return Departure(math.copysign(-float(ndtri(one_sided)), t), 2.0 * one_sided, "wald")


# ------------------------------------------------------------------- spreads and means
def by_variances(client: tuple[float, float], impostor: tuple[float, float]) -> Departure:
    """The F test of equal variances of two normal distributions, each given as (sigma, weight)."""
    freedom = [n - 1.0 for _, n in (client, impostor)]
    if min(freedom) <= 0.0:
        raise InputError(
            "a test of the spreads needs a total weight above 1 in each class; got"
            f" {client[1]!r} and {impostor[1]!r}. Weights are frequencies."
        )
    (s_c, n_c), (s_i, n_i) = client, impostor
    log_ratio = 2.0 * (math.log(s_c) - math.log(s_i))
    log_ratio += math.log(n_c / (n_c - 1.0)) - math.log(n_i / (n_i - 1.0))
    # d F / (d F + e) is beta with shapes d/2 and e/2; its logit is a double where F is none.
    d, e = freedom
    at = Thresholds.from_logit(np.array([log_ratio + math.log(d) - math.log(e)]))
    lower, upper = (float(tail(0.5 * d, 0.5 * e, at)[1][0]) for tail in (beta_lower, beta_upper))
    return _from_log_tails((lower, upper), "variance ratio")


def _from_log_tails(logs: tuple[float, float], method: str) -> Departure:
    """z and twice the smaller tail, where that may be no double."""
    from scipy.special import ndtri_exp

    lower, upper = logs
    z = float(ndtri_exp(lower)) if lower <= upper else -float(ndtri_exp(upper))
    return Departure(z, min(1.0, 2.0 * math.exp(min(logs))), method)


def by_means(client: tuple[float, float, float], impostor: tuple[float, float, float]) -> Departure:
    """Student's test of equal means under one variance; distributions as (mu, sigma, weight)."""
    (mu_c, s_c, n_c), (mu_i, s_i, n_i) = client, impostor
    freedom = n_c + n_i - 2.0
    variance = (n_c * s_c * s_c + n_i * s_i * s_i) / freedom
    return by_errors(mu_c - mu_i, variance * (1.0 / n_c + 1.0 / n_i), freedom)


def _from_tails(tails: tuple[float, float], p: float, method: str) -> Departure:
    """z from the smaller of P(statistic <= seen) and P(statistic >= seen)."""
    from scipy.special import ndtri

    lower, upper = tails
    z = float(ndtri(lower)) if lower <= upper else -float(ndtri(upper))
    return Departure(z, p, method)


# ------------------------------------------------------------------------------- masses
def by_counts(client: tuple[int, int], impostor: tuple[int, int]) -> Departure:
    """Fisher's test of equal shares with half the probability of what was seen (mid-p).

    Parameters
    ----------
    client, impostor : tuple of int
        How many, and of how many.

    Returns
    -------
    Departure
        Positive where the clients' share is the larger. Two-sided: all tables of the same
        margins that are less likely, and half of those as likely as the one seen.

    Notes
    -----
    Fisher's own test has a size far below its level (0.02 to 0.04 at 30 to 300 scores a class and
    a level of 0.05); this one has 0.04 to 0.058 where both classes expect 5 or more, less where
    they expect fewer.

    References
    ----------
    Lancaster, H. O. (1961), Significance tests in discrete distributions. Hirji, K. F., Tan, S.-J.
    and Elashoff, R. M. (1991), A quasi-exact test for comparing two binomial proportions.

    Examples
    --------
    >>> from betaroc.fits.tie_tests import by_counts
    >>> round(by_counts((3, 3), (0, 3)).p_value, 12)  # tables: 1, 9, 9, 1 of 20; (1 + 1)/40
    0.05
    """
    from scipy.stats import hypergeom

    (c, n_c), (i, n_i) = client, impostor
    seen, total = c + i, n_c + n_i
    law = hypergeom(total, seen, n_c)
    mean = seen * n_c / total
    spread = math.sqrt(mean * (n_i / total) * (total - seen) / max(total - 1, 1))
    low = max(0, seen - n_i, math.floor(mean - _REACH * spread - _REACH))
    high = min(seen, n_c, math.ceil(mean + _REACH * spread + _REACH))
    k = np.arange(low, high + 1)
    p = law.pmf(k)
    if not low <= c <= high:
        return _from_tails((0.0, 1.0) if c < low else (1.0, 0.0), 0.0, "counts")
    own = p[c - low]
    alike = np.isclose(p, own, rtol=1e-7, atol=0.0)
    two = float(np.sum(p[(p < own) & ~alike]) + 0.5 * np.sum(p[alike]))
    half = 0.5 * own
    tails = float(np.sum(p[k < c]) + half), float(np.sum(p[k > c]) + half)
    return _from_tails(tails, min(1.0, two), "counts")


def by_grouped_shares(
    client: tuple[FloatArray, float], impostor: tuple[FloatArray, float], groups: Groups
) -> Departure:
    """Score test of equal shares of trials that depend on groups.

        z = (p_c - p_i) / sqrt(sum_g D_g^2),   D_g = sum over group g of (x - p)/n_c of clients,
        -(x - p)/n_i of impostors, p the share of both together

    Parameters
    ----------
    client, impostor : tuple
        For each row of the scores whether it is one of those counted (0 or 1), and the weight of
        the class.
    groups : Groups
        What the rows depend on.

    References
    ----------
    Rotnitzky, A. and Jewell, N. P. (1990), Hypothesis testing of regression parameters in
    semiparametric generalized linear models for cluster correlated data.
    """
    weight = client[1], impostor[1]
    copies = _copies(groups)
    shares = [
        float(x[rows] @ w) / n
        for (x, n), rows, w in zip((client, impostor), groups.rows, copies, strict=True)
    ]
    pooled = (shares[0] * weight[0] + shares[1] * weight[1]) / sum(weight)
    parts = [(x - pooled) / n for x, n in (client, impostor)]
    return by_scores(parts[0], parts[1], groups)


def by_grouped_shapes(
    client: tuple[float, float, float],
    impostor: tuple[float, float, float],
    shared: str,
    scores: tuple[FloatArray, FloatArray],
    groups: Groups,
) -> Departure:
    """Score test of a shared shape, of trials that depend on groups.

        D = [s_a - s_b I_ab/I_bb] / (n [I_aa - I_ab^2/I_bb]) of each score, at the shared shape

    Parameters
    ----------
    client, impostor : tuple of float
        The estimates a and b, and the weight.
    shared : str
        "a" or "b".
    scores : tuple of ndarray, shape (n, 2)
        Of each class: derivatives of the log-likelihoods of single scores in a and b at the
        estimates, nan for those on which they do not depend.
    groups : Groups
        What the rows depend on.

    References
    ----------
    Boos, D. D. (1992), On generalized score tests.
    """
    laws = [_turned(law, shared) for law in (client, impostor)]
    order = slice(None, None, 1 if shared == "a" else -1)
    sums = [ClassSums.at(*law) for law in laws]
    found = _tied(sums)
    parts = []
    for law, s, (a, b), each in zip(
        laws, sums, (found.client, found.impostor), scores, strict=True
    ):
        there = ClassSums.at(a, b, law.weight)
        away = each[:, order] + np.subtract(s[1:], there[1:])
        _, of_b, coupling, det = _information(a, b)
        own = (away[:, 0] + coupling / of_b * away[:, 1]) / (law.weight * det / of_b)
        parts.append(np.nan_to_num(own))
    return by_scores(parts[0], parts[1], groups)


def by_grouped_spreads(
    client: tuple[float, float],
    impostor: tuple[float, float],
    squares: tuple[FloatArray, FloatArray],
    groups: Groups,
) -> Departure:
    """Score test of a shared spread, of trials that depend on groups: D = (z^2 - 1)/(2 n).

    Distributions are given as (sigma, weight); `squares` are those of (score - mu)/sigma, nan where
    there is none.
    """
    (s_c, n_c), (s_i, n_i) = client, impostor
    shared = (n_c * s_c * s_c + n_i * s_i * s_i) / (n_c + n_i)
    parts = [
        np.nan_to_num((z * s * s / shared - 1.0) / (2.0 * n))
        for z, (s, n) in zip(squares, (client, impostor), strict=True)
    ]
    return by_scores(parts[0], parts[1], groups)


def by_scores(client: FloatArray, impostor: FloatArray, groups: Groups) -> Departure:
    """z = d / sqrt(sum_g D_g^2), d the clients' sum less the impostors', D_g that over a group."""
    parts = client[groups.rows[0]], impostor[groups.rows[1]]
    difference = sum(
        sign * float(part @ w)
        for sign, part, w in zip((1.0, -1.0), parts, _copies(groups), strict=True)
    )
    variance = float(settled(*groups.meat(np.concatenate([parts[0], -parts[1]])[:, None]))[0, 0])
    return _normal(difference / math.sqrt(variance) if variance > 0.0 else 0.0, "score")


def _copies(groups: Groups) -> tuple[FloatArray, FloatArray]:
    """Trials that each row of the classes stands for."""
    copies, cut = groups.copies * groups.multiplicity[groups.first], groups.rows[0].size
    return copies[:cut], copies[cut:]


def freedom_of_groups(groups: Groups) -> float:
    """One less than the groups of the class that has fewer of them."""
    return min(size for size in groups.sizes if size is not None) - 1.0


def observed(scores: ScoreData, who: str, end: str) -> FloatArray:
    """1 for each score of a class on an end, else 0."""
    values = getattr(scores, who)
    return np.asarray(values == (0.0 if end == "at_zero" else 1.0), dtype=np.float64)
