"""Intervals of fitted parameters: profile likelihood from the estimates alone, and Wald's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from betaroc._checks import choice, flag
from betaroc._checks import level as checked_level
from betaroc._polygamma import phi_tau_of
from betaroc._special import bracketed_root, log_beta_ratio
from betaroc.errors import InputError
from betaroc.fitting.robust import policy_in_force
from betaroc.grouping import groups_of
from betaroc.intervals import Interval

__all__ = ["conf_int", "grouped_conf_int"]

_METHODS = ("profile", "wald")
_MASSES = ("at_zero", "at_one")
#: Beyond this concentration the beta deviance cancels too many digits.
_CONCENTRATED = 1e8
#: Ends are looked for by doubling, this many times.
_DOUBLINGS = 1100

Ends = tuple[float, float]


def grouped_conf_int(
    f: Any, level: float, method: str, *, groups: bool
) -> dict[str, dict[str, Interval]]:
    """Intervals of both classes; `Fit.conf_int` documents it."""
    flag(groups, "groups")
    results = {"client": f.client, "impostor": f.impostor}
    if not groups or groups_of(f.scores) is None:
        return {who: conf_int(result, level, method) for who, result in results.items()}
    choice(method, _METHODS, "method")
    if method == "profile":
        raise InputError(
            'method="profile" takes trials as independent, and these scores carry groups. Take'
            ' method="wald", or groups=False.'
        )
    level = checked_level(level)
    errors = iter(np.sqrt(np.diag(f.joint_cov())).tolist())
    found = {}
    for who, result in results.items():
        own = {name: next(errors) for name in result.names}
        ends = _wald(result.params, own, level)
        found[who] = {n: Interval(result.params[n], *ends[n], level, method) for n in own}
    return found


def conf_int(fit: Any, level: float, method: str) -> dict[str, Interval]:
    """The interval of each parameter; `DistributionFit.conf_int` documents it."""
    level = checked_level(level)
    choice(method, _METHODS, "method")
    if method == "profile":
        _refuse_without_sums(fit)
    ends = _profile(fit, level) if method == "profile" else _wald(fit.params, fit.std_errors, level)
    return {name: Interval(fit.params[name], *ends[name], level, method) for name in fit.names}


def _refuse_without_sums(fit: Any) -> None:
    """Censored and rounded scores leave more than two sums, which a fit does not keep."""
    policy = policy_in_force(fit)
    if policy in {"censor", "matlab", "interval"}:
        raise InputError(
            'method="profile" needs a likelihood that the estimates determine; this fit counted'
            f" scores in cells or beyond an edge ({policy}). Take"
            ' method="wald".'
        )
    a, b = fit.params.get("a", 1.0), fit.params.get("b", 1.0)
    if a + b > _CONCENTRATED:
        raise InputError(
            f'method="profile" needs a + b <= {_CONCENTRATED:g}; got a={a!r}, b={b!r}. Take'
            ' method="wald", which agrees there.'
        )


# ------------------------------------------------------------------------------ profile
def _profile(fit: Any, level: float) -> dict[str, Ends]:
    """Where twice the fall of the log-likelihood, maximised over the rest, is the quantile."""
    from scipy.special import chdtri

    fall = float(chdtri(1.0, 1.0 - level))
    params = dict(fit.params)
    masses = [params.get(name, 0.0) for name in _MASSES]
    n = fit.total_weight * (1.0 - sum(masses))
    ends = {
        name: _share_ends(params[name], fall / (2.0 * fit.total_weight))
        for name in _MASSES if name in params
    }  # fmt: skip
    if "a" in params:
        a, b = params["a"], params["b"]
        ends["a"], ends["b"] = _shape_ends(a, b, fall / n), _shape_ends(b, a, fall / n)
    if "mu" in params:
        mu, sigma = params["mu"], params["sigma"]
        reach = sigma * math.sqrt(math.expm1(fall / n))
        ends["mu"] = (mu - reach, mu + reach)
        ends["sigma"] = _scale_ends(sigma, fall / n)
    return ends


def _shape_ends(a: float, b: float, fall: float) -> Ends:
    """Shapes a' with 2 [l(a, b) - max over b' of l(a', b')] = fall, per score.

    The sums of the likelihood are those at the estimate: mean log s = psi(a) - psi(a + b).
    """
    phi_a, phi_b, phi_s = (phi_tau_of(x)[0] for x in (a, b, a + b))
    mean_log = phi_a - phi_s - math.log1p(b / a)
    mean_log1m = phi_b - phi_s - math.log1p(a / b)

    def deviance(log_ratio: float) -> float:
        other = a * math.exp(log_ratio)
        best = _best_partner(other, mean_log1m, b)
        gain = (other - a) * mean_log + (best - b) * mean_log1m
        return 2.0 * (log_beta_ratio(other, best, a, b) - gain)

    return (
        a * math.exp(_end(deviance, fall, -1.0)), a * math.exp(_end(deviance, fall, 1.0))
    )  # fmt: skip


def _best_partner(a: float, mean_log1m: float, start: float) -> float:
    """The b with psi(b) - psi(a + b) = mean log(1 - s); the left side rises with b."""

    def excess(log_b: float) -> float:
        b = math.exp(log_b)
        return phi_tau_of(b)[0] - phi_tau_of(a + b)[0] - math.log1p(a / b) - mean_log1m

    here = math.log(start)
    low, high, step = here, here, 0.5
    while excess(low) > 0.0:
        low, step = low - step, 2.0 * step
    step = 0.5
    while excess(high) < 0.0:
        high, step = high + step, 2.0 * step
    return math.exp(bracketed_root(excess, low, high, what="profile of a shape"))


def _end(deviance: Callable[[float], float], fall: float, side: float) -> float:
    """The place on one side of 0 where the deviance reaches `fall`."""
    step = math.sqrt(fall)
    for _ in range(_DOUBLINGS):
        if deviance(side * step) >= fall:
            break
        step *= 1.5
    inner, outer = sorted((0.0, side * step))

    def excess(x: float) -> float:
        return deviance(x) - fall if x != 0.0 else -fall

    return bracketed_root(excess, inner, outer, what="end of a profile interval")


def _scale_ends(sigma: float, fall: float) -> Ends:
    """r - 1 - log r = fall with r = (sigma / sigma')^2, by Lambert's function."""
    from scipy.special import lambertw

    z = -math.exp(-1.0 - fall)
    large, small = (-float(lambertw(z, k).real) for k in (-1, 0))
    return sigma / math.sqrt(large), sigma / math.sqrt(small)


def _share_ends(p: float, fall: float) -> Ends:
    """Kullback-Leibler divergence of a binomial share equal to `fall`."""
    if p == 0.0:
        return 0.0, -math.expm1(-fall)
    if p == 1.0:
        return math.exp(-fall), 1.0

    def excess(y: float) -> float:
        q = 1.0 / (1.0 + math.exp(-y))
        other = 1.0 / (1.0 + math.exp(y))
        return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / other) - fall

    here = math.log(p) - math.log1p(-p)
    reach = 1.0
    while min(excess(here - reach), excess(here + reach)) < 0.0:
        reach *= 2.0
    low = bracketed_root(excess, here - reach, here, what="end of a share")
    high = bracketed_root(excess, here, here + reach, what="end of a share")
    return 1.0 / (1.0 + math.exp(-low)), 1.0 / (1.0 + math.exp(-high))


# ------------------------------------------------------------------------------ Wald
def _wald(
    params: Mapping[str, float], errors: Mapping[str, float], level: float
) -> dict[str, Ends]:
    """estimate -+ z standard errors: of logs of positive parameters, of logits of masses."""
    from scipy.special import ndtri

    z = float(ndtri(0.5 + 0.5 * level))
    ends = {}
    for name, value in params.items():
        reach = z * errors[name]
        if name == "mu":
            ends[name] = (value - reach, value + reach)
        elif name not in _MASSES:
            ends[name] = (value * math.exp(-reach / value), value * math.exp(reach / value))
        elif 0.0 < value < 1.0:
            away = reach / (value * (1.0 - value))
            odds = value / (1.0 - value)
            low, high = odds * math.exp(-away), odds * math.exp(away)
            ends[name] = (low / (1.0 + low), high / (1.0 + high))
        else:
            ends[name] = (value, value)
    return ends
