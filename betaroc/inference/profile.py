"""Intervals of fitted parameters: profile likelihood from the estimates alone, and Wald's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.special import interval_end, log_beta_ratio
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores
from betaroc.distributions.base import free, moved, parameter_values
from betaroc.distributions.beta import has_shape
from betaroc.distributions.inflated import MASSES, REJECTED, base_of
from betaroc.distributions.normal import has_spread
from betaroc.estimation.beta import ClassSums, best_partner
from betaroc.estimation.families import FAMILIES
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.inference.delta import (
    freedom_of,
    in_cells,
    inner_trials,
    joint_cov,
    policy_in_force,
    refuse_light,
    scale_deviance,
    scored_trials,
    shape_corrections,
    stretch_of,
    student,
    undropped,
)
from betaroc.inference.interval import Interval, Limits, from_log, from_logit

#: Ends are looked for in so many steps of one standard error.
_STEPS = 60


def profile_of_scores(
    fit: Estimate, values: FloatArray, weights: FloatArray | None, level: float
) -> dict[str, Limits]:
    """Where twice the fall of the log-likelihood, maximised over the rest, is the quantile.

    Parameters
    ----------
    fit : Estimate
        A fit of these very scores, none of them counted in cells.
    values, weights : ndarray, shape (n,)
        The scores.
    level : float
        Confidence; the quantile is that of chi-squared with one degree of freedom.
    """
    from scipy.optimize import minimize
    from scipy.special import chdtri

    kept = undropped(fit, values)
    copies = (np.ones(values.size) if weights is None else weights)[kept]
    law, t = fit.distribution, Thresholds.from_theta(values[kept])
    at = free(law, fit.names, fit.fixed)

    def loss(place: FloatArray) -> float:
        try:
            there = moved(law, at.names, place.tolist())
            value = float(np.sum(copies * there._log_likelihood(t)))
        except (OverflowError, InputError):  # a step may leave what doubles hold
            return 1e300
        return -value if math.isfinite(value) else 1e300

    def profile(k: int, value: float, start: FloatArray) -> tuple[float, FloatArray]:
        """The least loss with coordinate k held, and where it is."""
        others, place = (
            np.arange(start.size) != k,
            np.where(np.arange(start.size) == k, value, start),
        )
        if place.size == 1:
            return loss(place), place

        def of_others(rest: FloatArray) -> float:
            place[others] = rest
            return loss(place)

        with np.errstate(over="ignore", invalid="ignore"):  # of slopes where the loss is 1e300
            found = minimize(of_others, start[others], method="BFGS", options={"gtol": 1e-6})
        place[others] = found.x
        return float(found.fun), place

    most = loss(at.place) + 0.5 * float(chdtri(1.0, 1.0 - level))

    def end(k: int, step: float) -> FloatArray:
        """Coordinates on one side where the profile has fallen as far."""
        inner, place = float(at.place[k]), at.place
        for _ in range(_STEPS):
            outer = inner + step
            value, further = profile(k, outer, place)
            if value >= most:
                break
            inner, place = outer, further
        else:
            return np.where(np.arange(place.size) == k, math.copysign(math.inf, step), place)
        last = interval_end(
            lambda y: profile(k, y, place)[0] - most, inner, outer, what="end of a profile"
        )
        return profile(k, last, place)[1]

    errors = np.sqrt(np.diag(at.rates @ fit.cov @ at.rates.T))
    ends = {name: (fit.params[name], fit.params[name]) for name in fit.names}
    for k, name in enumerate(at.names):
        low, high = (
            parameter_values(law, at.names, end(k, side * errors[k]).tolist())[name]
            for side in (-1, 1)
        )
        ends[name] = (low, high)
    return ends


PARAMETER_METHODS = ("profile", "wald")
#: Beyond this concentration the beta deviance cancels too many digits.
_CONCENTRATED = 1e8
#: Ends are looked for by doubling, this many times.
_DOUBLINGS = 1100


def grouped_conf_int(f: PairEstimate, options: IntervalOptions) -> dict[str, dict[str, Interval]]:
    """Intervals of both classes; `Fit.conf_int` documents it."""
    options = options.by(PARAMETER_METHODS)
    results = {"client": f.client, "impostor": f.impostor}
    labels = groups_of(f.scores) if options.groups else None
    if labels is None:
        methods = _methods(f, str(options.method))
        ways = {who: replace(options, method=method) for who, method in methods.items()}
        return {who: _conf_int_of(f, who, ways[who]) for who in results}
    if options.method == "profile":
        raise InputError.about("method")(
            'method="profile" takes trials as independent, and these scores carry groups. Take'
            ' method="wald", or groups=False.'
        )
    errors = iter(np.sqrt(np.diag(joint_cov(f))).tolist())
    found = {}
    for (who, result), size in zip(results.items(), labels.sizes, strict=True):
        freedom = freedom_of(inner_trials(result) if size is None else size)
        own = {name: next(errors) for name in result.names}
        # Errors between groups have G/(G - 1) already.
        found[who] = _intervals(result, _wald(result, own, options.level, freedom, 1.0), options)
    return found


def _conf_int_of(f: PairEstimate, who: str, options: IntervalOptions) -> dict[str, Interval]:
    """Of one class; from its scores where the estimates do not determine the likelihood."""
    fit, scores = getattr(f, who), f.scores
    alone = FAMILIES[fit.family].of_density and not (_has_sums(fit) or fit.tied or in_cells(fit))
    if options.method != "profile" or not alone or not isinstance(scores, Scores):
        return conf_int(fit, options)
    refuse_light(fit)
    values, weights = getattr(scores, who), getattr(scores, f"{who}_weights")
    return _intervals(fit, profile_of_scores(fit, values, weights, options.level), options)


def _intervals(
    fit: Estimate, ends: dict[str, Limits], options: IntervalOptions
) -> dict[str, Interval]:
    level, method = options.level, str(options.method)
    return {name: Interval(fit.params[name], *ends[name], level, method) for name in fit.names}


def _methods(f: PairEstimate, method: str) -> dict[str, str]:
    """Of two families the one that has no profile takes Wald's, where the other has one."""
    found = dict.fromkeys(("client", "impostor"), method)
    if method != "profile" or f.client.family == f.impostor.family:
        return found
    without = [who for who in found if not _has_sums(getattr(f, who))]
    return found | (dict.fromkeys(without, "wald") if len(without) == 1 else {})


def _has_sums(fit: Estimate) -> bool:
    base = base_of(fit.distribution)
    return has_shape(base) or has_spread(base)


def conf_int(fit: Estimate, options: IntervalOptions) -> dict[str, Interval]:
    """The interval of each parameter; `DistributionFit.conf_int` documents it."""
    options = options.by(PARAMETER_METHODS)
    refuse_light(fit)
    if options.method == "profile":
        _refuse_without_sums(fit)
        return _intervals(fit, _profile(fit, options.level), options)
    freedom = freedom_of(inner_trials(fit), fit.fixed)
    ends = _wald(fit, fit.std_errors, options.level, freedom, stretch_of(freedom))
    return _intervals(fit, ends, options)


def _refuse_without_sums(fit: Estimate) -> None:
    """Censored and rounded scores leave more than two sums, which a fit does not keep."""
    if not _has_sums(fit):
        raise InputError.about("method")(
            'method="profile" needs a likelihood that the estimates determine, as of beta, normal'
            f" and logit-normal distributions; this fit is of family {fit.family!r}. Take"
            ' method="wald".'
        )
    if in_cells(fit):
        raise InputError.about("method")(
            'method="profile" needs a likelihood that the estimates determine; this fit counted'
            f" scores in cells or beyond an edge ({policy_in_force(fit)}). Take"
            ' method="wald".'
        )
    if fit.tied:
        raise InputError.about("method")(
            'method="profile" takes the classes one by one, and these distributions share'
            f' {", ".join(fit.tied)}. Take method="wald".'
        )
    a, b = fit.params.get("a", 1.0), fit.params.get("b", 1.0)
    if a + b > _CONCENTRATED:
        raise InputError.about("method")(
            f'method="profile" needs a + b <= {_CONCENTRATED:g}; got a={a!r}, b={b!r}. Take'
            ' method="wald", which agrees there.'
        )


# ------------------------------------------------------------------------------ profile
def _profile(fit: Estimate, level: float) -> dict[str, Limits]:
    """Where twice the fall of the log-likelihood, maximised over the rest, is the quantile.

    Its quantile is that of chi-squared for a point mass, exact for normal distributions and for a
    single shape, and with Lawley's correction of the mean for two shapes.
    """
    from scipy.special import chdtri

    fall = float(chdtri(1.0, 1.0 - level))
    params = dict(fit.params)
    n = inner_trials(fit)
    totals = dict.fromkeys(MASSES, scored_trials(fit)) | {REJECTED: fit.total_weight}
    ends = {
        name: _share_ends(params[name], fall / (2.0 * total))
        for name, total in totals.items() if name in params
    }  # fmt: skip
    if "a" in params:
        ends |= _both_shapes(fit, n, fall, level)
    if "mu" in params:
        mu, sigma = params["mu"], params["sigma"]
        freedom = freedom_of(n)
        reach = student(freedom, level) * sigma / math.sqrt(freedom)
        ends["mu"] = (mu - reach, mu + reach)
        ends["sigma"] = _scale_ends(sigma, scale_deviance(n, n - 1.0, level) / n)
    return ends


def _both_shapes(fit: Estimate, n: float, fall: float, level: float) -> dict[str, Limits]:
    a, b = fit.params["a"], fit.params["b"]
    if fit.fixed:
        # 2 n p/estimate is chi-squared with 2 n degrees of freedom.
        free = "a" if "b" in fit.fixed else "b"
        low, high = _scale_ends(1.0, scale_deviance(2.0 * n, 2.0 * n, level) / (2.0 * n))
        value = fit.params[free]
        ends = {name: (fit.params[name], fit.params[name]) for name in fit.fixed}
        return ends | {free: (value / high**2, value / low**2)}
    # Where the correction is as large as what it corrects, the expansion says no more.
    of_a, of_b = (fall * (1.0 + min(c / n, 1.0)) for c in shape_corrections(a, b))
    return {"a": _shape_ends(a, b, of_a / n), "b": _shape_ends(b, a, of_b / n)}


def _shape_ends(a: float, b: float, fall: float) -> Limits:
    """Shapes a' with 2 [l(a, b) - max over b' of l(a', b')] = fall, per score.

    The sums of the likelihood are those at the estimate: mean log s = psi(a) - psi(a + b).
    """
    _, mean_log, mean_log1m = ClassSums.at(a, b)

    def deviance(log_ratio: float) -> float:
        other = a * math.exp(log_ratio)
        best = best_partner(other, mean_log1m, b)
        gain = (other - a) * mean_log + (best - b) * mean_log1m
        return 2.0 * (log_beta_ratio(other, best, a, b) - gain)

    return a * from_log(_end(deviance, fall, -1.0)), a * from_log(_end(deviance, fall, 1.0))


def _end(deviance: Callable[[float], float], fall: float, side: float) -> float:
    """The place on one side of 0 where the deviance reaches `fall`."""
    step = math.sqrt(fall)
    for _ in range(_DOUBLINGS):
        if deviance(side * step) >= fall:
            break
        step *= 1.5

    def excess(x: float) -> float:
        return deviance(x) - fall if x != 0.0 else -fall

    return interval_end(excess, 0.0, side * step, what="end of a profile interval")


def _scale_ends(sigma: float, fall: float) -> Limits:
    """r - 1 - log r = fall with r = (sigma / sigma')^2, by Lambert's function."""
    from scipy.special import lambertw

    z = -math.exp(-1.0 - fall)
    large, small = (-float(lambertw(z, k).real) for k in (-1, 0))
    return sigma / math.sqrt(large), sigma / math.sqrt(small)


def _share_ends(p: float, fall: float) -> Limits:
    """Kullback-Leibler divergence of a binomial share equal to `fall`."""
    if p == 0.0:
        return 0.0, -math.expm1(-fall)
    if p == 1.0:
        return math.exp(-fall), 1.0

    def excess(y: float) -> float:
        q, other = from_logit(y), from_logit(-y)
        return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / other) - fall

    here = math.log(p) - math.log1p(-p)
    reach = 1.0
    while min(excess(here - reach), excess(here + reach)) < 0.0:
        reach *= 2.0
    ends = (
        interval_end(excess, here, here + way, what="end of a share") for way in (-reach, reach)
    )
    low, high = map(from_logit, ends)
    return low, high


# ------------------------------------------------------------------------------ Wald
def _wald(
    fit: Estimate, errors: Mapping[str, float], level: float, freedom: float, stretch: float
) -> dict[str, Limits]:
    """estimate -+ t standard errors: of logs of positive parameters, of logits of masses.

    Of masses, whose error is binomial, the normal quantile. An end that leaves the doubles is
    that of the parameter's scale.
    """
    t, z = stretch * student(freedom, level), student(math.inf, level)
    scales = {p.name: p.scale for p in fit.distribution._parameters()}
    ends = {}
    for name, value in fit.params.items():
        if scales[name] == "plain":
            reach = t * errors[name]
            ends[name] = (value - reach, value + reach)
        elif scales[name] == "log":
            away = t * errors[name] / value
            ends[name] = (value * from_log(-away), value * from_log(away))
        elif 0.0 < value < 1.0:
            away = z * errors[name] / (value * (1.0 - value))
            here = math.log(value) - math.log1p(-value)
            ends[name] = (from_logit(here - away), from_logit(here + away))
        else:
            ends[name] = (value, value)
    return ends
