"""Maximum likelihood of a mixture of beta distributions."""

from __future__ import annotations

from functools import partial

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import FitError
from betaroc.core.special import log_beta
from betaroc.distributions.beta import Beta
from betaroc.distributions.mixture import BetaMixture
from betaroc.estimation.beta import beta_tails, estimate_beta
from betaroc.estimation.contract import Family, Parameters, SampleRows
from betaroc.estimation.mixture import Curvature, Kind, estimate_mixture, estimate_near
from betaroc.estimation.newton import beta_mle, solve_one

#: A component may be so much more concentrated than one distribution of all scores.
_CONCENTRATION = 1e4
#: EM of a row stops when a step gains less log-likelihood than this.
_GAIN = 0.005
_EM_STEPS = 3000


def _log_density(one: FloatArray, two: FloatArray, a: float, b: float) -> FloatArray:
    return np.asarray((a - 1.0) * one + (b - 1.0) * two - log_beta(a, b))


def _from_means(one: float, two: float) -> tuple[float, float] | None:
    found = solve_one(one, two) if max(one, two) < 0.0 else None
    return (found.a, found.b) if found is not None and found.converged else None


def _scores(one: FloatArray, two: FloatArray, a: float, b: float) -> tuple[FloatArray, FloatArray]:
    """By log a and log b."""
    from scipy.special import psi

    both = psi(a + b)
    return a * (one + (both - psi(a))), b * (two + (both - psi(b)))


def _curvature(mass: float, of_a: float, of_b: float, a: float, b: float) -> Curvature:
    """By log a and log b: what is known of both logs is the same for all scores."""
    from scipy.special import polygamma

    of_both, alone_a, alone_b = polygamma(1, np.array([a + b, a, b])).tolist()
    first = of_a - mass * a * a * (alone_a - of_both)
    second = of_b - mass * b * b * (alone_b - of_both)
    return Curvature(first, second, mass * a * b * of_both)


# ------------------------------------------------------------------- many samples at once
def _fit_rows(law: BetaMixture, x: FloatArray) -> Parameters:
    """EM of all rows side by side, from the distribution itself; a row stops when it hardly gains.

    A row whose component would shrink to a point stays where it was.
    """
    rows = x.shape[0]
    p = np.tile(np.array(_parameters_of(law)), (1, rows, 1))
    logs, logs1m = np.log(x), np.log1p(-x)
    last, going = np.full(rows, -np.inf), np.arange(rows)
    for _ in range(_EM_STEPS):
        share, value = _responsibilities(p[:, going], logs, logs1m)
        settled = value - last[going] < _GAIN
        last[going] = value
        after = _maximised(share, logs, logs1m)
        usable = np.all(np.isfinite(after), axis=(0, 2)) & ~settled
        if not usable.all():
            after, going = after[:, usable], going[usable]
            logs, logs1m = logs[usable], logs1m[usable]
        p[:, going] = after
        if not going.size:
            return p[0], p[1], p[2]
    raise FitError(
        f"every simulated score set must have a fit; the mixtures of {going.size} of {rows} still"
        f" gain after {_EM_STEPS} steps of EM. Use fewer components."
    )


def _responsibilities(
    p: FloatArray, logs: FloatArray, logs1m: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Shares of each component (first axis) in each score, and each row's log-likelihood."""
    from scipy.special import betaln

    shares, a, b = p.transpose(0, 2, 1)[..., None]
    found = (a - 1.0) * logs
    found += (b - 1.0) * logs1m
    with np.errstate(divide="ignore"):
        found += np.log(shares) - betaln(a, b)
    top = np.max(found, axis=0)
    found -= top
    with np.errstate(under="ignore"):
        np.exp(found, out=found)
    whole = np.sum(found, axis=0)
    found /= whole
    return found, np.sum(top + np.log(whole), axis=1)


def _maximised(share: FloatArray, logs: FloatArray, logs1m: FloatArray) -> FloatArray:
    mass = np.sum(share, axis=2).T
    with np.errstate(divide="ignore", invalid="ignore"):
        g1 = np.einsum("krn,rn->rk", share, logs) / mass
        g2 = np.einsum("krn,rn->rk", share, logs1m) / mass
    a, b, _ = beta_mle(g1, g2)  # nan where a component is a point
    return np.array([mass / logs.shape[1], a, b])


def _tails_of_rows(p: Parameters, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    parts = [
        (p[0][:, [k]], *beta_tails((p[1][:, [k]], p[2][:, [k]]), x)) for k in range(p[0].shape[1])
    ]
    lower, upper = (sum(part[0] * part[side] for part in parts) for side in (1, 2))
    return np.minimum(lower, 1.0), np.minimum(upper, 1.0)


def _moments_of_rows(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Squares and products of the shapes' scores and their slopes, component by component."""
    from scipy.special import polygamma, psi

    logs, logs1m = np.log(x), np.log1p(-x)
    parts, _ = _responsibilities(np.array(p), logs, logs1m)
    columns = []
    for k in range(p[0].shape[1]):
        a, b, r = p[1][:, [k]], p[2][:, [k]], parts[k]
        u, v = logs - psi(a) + psi(a + b), logs1m - psi(b) + psi(a + b)
        common = polygamma(1, a + b)
        for one, other, rate in (
            (u, u, polygamma(1, a) - common), (u, v, -common), (v, v, polygamma(1, b) - common),
        ):  # fmt: skip
            columns.append(r * (one * other - rate) @ shares)
    return np.stack(columns, axis=1)


def _parameters_of(law: BetaMixture) -> Parameters:
    columns = law._shares, *zip(*((c.a, c.b) for c in law.components), strict=True)
    return tuple(np.array([column]) for column in columns)


def _mixture(shares: FloatArray, a: FloatArray, b: FloatArray) -> BetaMixture:
    components = tuple(Beta(*own) for own in zip(a.tolist(), b.tolist(), strict=True))
    return BetaMixture(tuple(shares.tolist()), components)


_KIND = Kind(
    "beta-mixture", "beta", BetaMixture, Beta, estimate_beta,
    lambda x: (np.log(x), np.log1p(-x)), _log_density, _from_means,
    lambda a, b: a / (a + b), lambda a, b: a + b,
    lambda single: _CONCENTRATION * (1.0 + sum(single.values)), slice(0, 2), _scores, _curvature,
)  # fmt: skip
BETA_MIXTURE = Family(
    partial(estimate_mixture, count=2, kind=_KIND), on_unit=True,
    sized=partial(estimate_mixture, kind=_KIND), near=partial(estimate_near, kind=_KIND),
    contains=("beta", "dual-beta", "proper-beta"), alone="beta",
    rows=SampleRows(_mixture, _fit_rows, _tails_of_rows, _moments_of_rows, of=_parameters_of),
)  # fmt: skip
