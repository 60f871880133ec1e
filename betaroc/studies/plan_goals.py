"""What a planned number of scores is to reach, a width or a chance, and the fewest that do."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.notices import quietly
from betaroc.core.options import IntervalOptions
from betaroc.core.quadrature import integrate_panels
from betaroc.core.special import share_ends
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.data.scores import Scores
from betaroc.decision.forecast import epc_forecast
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import has_shape
from betaroc.distributions.inflated import MASSES, base_of
from betaroc.distributions.normal import has_spread
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.families import named, planned_family
from betaroc.estimation.tails import FEWEST, SIZES, Tails, TailScores, fit_tails
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.fits.shape_tests import FittedEnds, quadrant_shares
from betaroc.inference.delta import (
    METHODS,
    bare_interval,
    delta,
    free_coordinates,
    laws_at,
    models_near,
    small_sample,
    student,
)
from betaroc.inference.interval import Interval, Limits, difference_ends
from betaroc.inference.intervals import BOTH, surely_beyond, tail_rate_ends, tail_threshold_ends
from betaroc.inference.of_scores import bare_interval_of_scores
from betaroc.model.asking import Asking, asking
from betaroc.model.criteria import CRITERIA
from betaroc.model.model import ScoreModel

#: Client and impostor scores.
Sizes = tuple[int, int]


def expected_fit(model: ScoreModel, sizes: Sizes) -> Fit:
    """A fit whose estimates are the distributions themselves, with the errors of so many scores.

    The covariance is the inverse Fisher information of each class over its scores, the prior that
    of the model.
    """
    laws = {"client": model.client, "impostor": model.impostor}
    for who, law in laws.items():
        if planned_family(law) is None:
            raise InputError(
                "the distributions must have a Fisher information (beta, normal, logit-normal,"
                " with point"
                f" masses or without) to plan a fit; the {who} distribution is a"
                f" {type(law).__name__}."
                ' Give the model of such a fit; for "auc" take method="delong", for "epc-gap"'
                ' thresholds="empirical", which need none.'
            )
    parts = [_expected(law, n) for law, n in zip(laws.values(), sizes, strict=True)]
    nothing: Any = None
    return Fit(model, nothing, parts[0], parts[1], named((parts[0].family, parts[1].family)))


def _expected(law: Distribution, n: int) -> DistributionFit:
    parameters = {p.name: p.value for p in law._parameters()}
    names, values = tuple(parameters), tuple(parameters.values())
    family, cov = str(planned_family(law)), law._unit_covariance() / n
    return DistributionFit(family, law, names, values, cov, math.nan, n, float(n))


def scattered(fit: Fit) -> list[Fit]:
    """Fits of other score sets of that size: their mean is that over all, to second order.

    With d parameters the 2 d fits that are sqrt(d) errors away along the roots of the
    covariance, about the estimates with their first-order bias: the cubature of degree 3 of a
    normal distribution.

    References
    ----------
    Stroud, A. H. (1971), Approximate calculation of multiple integrals.
    """
    errors = free_coordinates(fit, groups=False)
    centre = errors.place + small_sample(fit, errors, groups=False).bias
    laws = fit.client.distribution, fit.impostor.distribution
    sizes = fit.client.n, fit.impostor.n
    away = math.sqrt(len(errors.roots))
    result = []
    for root in errors.roots:
        for side in (away, -away):
            moved = laws_at(laws, errors.names, centre + side * root)
            result.append(expected_fit(ScoreModel(*moved, prior=fit.model.prior), sizes))
    return result


def mean_over_fits(of: Callable[[Fit], float], fit: Fit) -> tuple[float, float]:
    """Mean and standard deviation over fits of that size, to second order.

    Where a fit nearby has no such number, the number of the expected one, and nan.
    """
    try:
        values = np.array([of(item) for item in scattered(fit)])
    except (InputError, OverflowError):
        return of(fit), math.nan
    if not np.all(np.isfinite(values)):
        return of(fit), math.nan
    return float(np.mean(values)), float(np.std(values))


#: Ends by the name of their statistic.
SIDES = dict(zip(("side-at-zero", "side-at-one"), MASSES, strict=True))
#: Fractions nearer than this to 0 or 1 have no error to speak of.
_LOST = 1e-12
#: Scores of the smaller class, a variance needs two; where the search begins; and at most.
_LEAST, _START, MOST_SCORES = 2, 200, 10**9
#: Scores of a class of which an interval is counted.
_COUNTED = 5000
#: Longest step of the search, as a logarithm, and how far beyond a guess it goes.
_FAR, _BEYOND = math.log(64.0), 1.02
#: The class, and the end of it, that a rate speaks of.
_TAIL_OF = {"far": (1, "upper"), "tnr": (1, "upper"), "frr": (0, "lower"), "tpr": (0, "lower")}
#: What a rate leaves, which is small where it is near 1.
_COMPLEMENT = {"tnr": "far", "tpr": "frr"}
#: Scores at the end that a tail is fitted to, and those that its joint needs.
_KEPT = 2 * max(SIZES) + 2


@dataclass(frozen=True)
class Goal:
    """What to plan for: a width, or a chance.

    Widths shrink like 1/sqrt(n); the probit of a chance is about a constant and a multiple of
    sqrt(n).
    """

    #: The statistic of the distributions; nan of shapes.
    estimate: float
    #: The width, or the chance, that so many scores give.
    reached: Callable[[Sizes], float]
    #: The chance without scores; None of a width.
    least: float | None = None
    #: Whether what is reached holds for any number of scores.
    exact: bool = False

    def lacking(self, reached: float, wanted: float) -> float:
        """About the logarithm of how many times as many scores it takes."""
        from scipy.special import ndtri

        if self.least is None:
            return 2.0 * math.log(reached / wanted) if reached > 0.0 else -math.inf
        none = float(ndtri(self.least))
        have, want = float(ndtri(reached)) - none, float(ndtri(wanted)) - none
        if min(have, want) <= 0.0:
            return math.inf if want > 0.0 else -math.inf
        return 2.0 * (math.log(want) - math.log(have))


# ------------------------------------------------------------------------------- intervals
def _ends_of_scores(
    asked: Asking, model: ScoreModel, options: IntervalOptions, sizes: Sizes
) -> Limits:
    """Ends of the interval of scores that are the quantiles of both distributions.

    Of more than are counted at once the ends of fewer, nearer by the root of their share.
    """
    share = min(1.0, _COUNTED / max(sizes))
    counts = (max(round(share * n), _LEAST) for n in sizes)
    laws = zip((model.client, model.impostor), counts, strict=True)
    with quietly():
        scores = Scores(*(law.ppf((np.arange(n) + 0.5) / n) for law, n in laws))
        own = bare_interval_of_scores(scores, asked, replace(options, method=None))
    low, high = (own.estimate + math.sqrt(share) * (e - own.estimate) for e in (own.low, own.high))
    return low, high


def stat_width(asked: Asking, model: ScoreModel, options: IntervalOptions) -> Goal:
    """Mean width of `Fit.interval` by the delta method, to second order.

    Of a plan from a fit at least the width of the scores' own interval.
    """
    by_delta = replace(options, method=METHODS[0])

    def width(fit: Fit) -> float:
        try:
            interval = bare_interval(fit, asked, by_delta)
        except OverflowError:
            return math.inf
        return float(interval.high - interval.low)

    def reached(sizes: Sizes) -> float:
        mean = mean_over_fits(width, expected_fit(model, sizes))[0]
        if options.method != BOTH:
            return mean
        low, high = _ends_of_scores(asked, model, options, sizes)
        return max(mean, high - low)

    return Goal(bare_interval(expected_fit(model, (1000, 1000)), asked, by_delta).estimate, reached)


def difference_goal(
    asked: Asking, models: tuple[ScoreModel, ...], options: IntervalOptions, correlation: float, *,
    by_chance: bool,
) -> Goal:  # fmt: skip
    """Width of the interval of `difference` at the expected fits of two systems.

    Or the chance that it leaves 0 out on the side where the truth is: the difference over its
    error is taken as normal.
    """
    from scipy.special import ndtr

    first, second = (asked.number(model) for model in models)
    gap = first - second
    if not math.isfinite(gap):
        raise InputError(
            f"{str(asked)!r} must be a finite number of both models; it is {first!r} and"
            f" {second!r}."
        )
    if by_chance and gap == 0.0:
        raise InputError(
            "impossible because the systems do not differ: no size tells them apart in"
            f" {str(asked)!r}. Plan the width of the interval."
        )

    def interval(model: ScoreModel, sizes: Sizes) -> Interval:
        by_delta = replace(options, method=METHODS[0])
        result = bare_interval(expected_fit(model, sizes), asked, by_delta)
        if options.method != BOTH:
            return result
        low, high = _ends_of_scores(asked, model, options, sizes)
        return replace(result, low=min(result.low, low), high=max(result.high, high))

    def reached(sizes: Sizes) -> float:
        one, two = (interval(model, sizes) for model in models)
        down, up = difference_ends(one, two, correlation)
        if not by_chance:
            return down + up
        here, z = one.estimate - two.estimate, options.deviate
        away = down if here > 0.0 else up
        return 1.0 if away == 0.0 else float(ndtr(z * abs(here) / away - z))

    return Goal(gap, reached, options.tail if by_chance else None)


# ---------------------------------------------------------------------------- DeLong's variance
def area_width(_: Asking, model: ScoreModel, options: IntervalOptions) -> Goal:
    """Mean width of `auc_interval` by DeLong's variance.

    The ends are cut to [0, 1]; the area is taken as normal for that.
    """
    from scipy.special import expit, logit

    area = float(model.auc())
    if not _LOST < area < 1.0 - _LOST:
        raise InputError(
            f"the area must lie inside (0, 1) to have an error; it is {area!r}, as of classes"
            " that do not overlap. Take a model whose classes do."
        )
    parts = area_variances(model)

    def reached(sizes: Sizes) -> float:
        sd = math.sqrt(mean_area_variance(parts, sizes))
        reach = student(math.inf, options.level) * sd
        if options.method == "logit-delong":
            away = reach / (area * (1.0 - area))
            low, high = expit(logit(area) + np.array([-away, away]))
            return float(high - low)
        return 2.0 * reach - sum(_beyond(end + reach - 1.0, sd) for end in (area, 1.0 - area))

    return Goal(area, reached)


def mean_area_variance(parts: tuple[float, float, float], sizes: Sizes) -> float:
    """Mean of DeLong's variance, from `area_variances`.

        E Var A = x/m + y/n + 2 (v - x - y)/(m n),
        x = Var F_i(C), y = Var F_c(I), v = A (1 - A) - P(C = I)/4

    with ties counting one half.
    """
    (x, y, v), (m, n) = parts, sizes
    return x / m + y / n + 2.0 * max(v - x - y, 0.0) / (m * n)


def area_variances(model: ScoreModel) -> tuple[float, float, float]:
    """Var F_i(C), Var F_c(I), and the variance of a comparison."""
    pair, area = model._pair, float(model.auc())

    def middle(rate: Callable[[Thresholds], FloatArray], t: Thresholds) -> FloatArray:
        """Such as P(I > t) + P(I = t)/2, of a client that scores t."""
        return 0.5 * (rate(t) + rate(pair.just_below_any(t)))

    sides = (pair.client, pair.far), (pair.impostor, pair.frr)
    x, y = (_variance(pair, law, partial(middle, rate)) for law, rate in sides)
    client, impostor = model.client.atoms, model.impostor.atoms
    _, own, other = np.intersect1d(client.places, impostor.places, return_indices=True)
    ties = math.fsum(client.masses[own] * impostor.masses[other])
    return x, y, area * (1.0 - area) - 0.25 * ties


def _beyond(distance: float, sd: float) -> float:
    """E max(X, 0) of a normal number with this mean."""
    from scipy.special import ndtr

    z = distance / sd
    return sd * math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) + distance * float(ndtr(z))


def _variance(pair: Any, law: Distribution, of: Callable[[Thresholds], FloatArray]) -> float:
    """Var of(S) of a score S of a law: sums over its atoms, quadrature for the rest."""

    def mean(power: int) -> float:
        atoms, terms = law.atoms, [0.0]
        if atoms.places.size:
            at = Thresholds.from_theta(atoms.places)
            terms.append(math.fsum(atoms.masses * of(at) ** power))
        if law.continuous is not None:
            share, base = law.continuous

            def integrand(u: FloatArray) -> FloatArray:
                t = pair.place(u)
                with np.errstate(under="ignore"):
                    density = np.exp(base._log_density_in(t, unit=pair.unit))
                return np.asarray(density * of(t) ** power)

            terms.append(share * integrate_panels(integrand, _panels(pair, base)))
        return math.fsum(terms)

    return max(mean(2) - mean(1) ** 2, 0.0)


def _panels(pair: Any, base: Distribution) -> FloatArray:
    """Quantiles of both distributions, and their atoms, where the integrand may jump."""
    places = pair.panels(base, -math.inf, math.inf)
    jumps = pair.coordinates(Thresholds.from_theta(pair.atom_places))
    inside = jumps[(jumps > places[0]) & (jumps < places[-1])]
    return np.unique(np.concatenate([places, inside]))


# --------------------------------------------------------------------------------- the gap
def gap_width(
    models: tuple[ScoreModel, ...], alpha: float, options: IntervalOptions, measure: str
) -> Goal:
    """Width of the interval of what an expected performance curve loses from dev to test.

    One model: value observed on test less that expected on dev. Two: the difference of their values
    on test.
    """
    by_far, by_frr = (0.5, 0.5) if measure == "hter" else (alpha, 1.0 - alpha)
    places = [_best(model, alpha) for model in models]
    smooth = options.method == "smooth"

    def value(model: ScoreModel, t: Thresholds) -> float:
        return by_far * float(model._pair.far(t)[0]) + by_frr * float(model._pair.frr(t)[0])

    def binomial(model: ScoreModel, t: Thresholds, sizes: Sizes) -> float:
        """Variance of the value of scores at a fixed threshold."""
        pair = model._pair
        rejected = float((pair.frr(t) * pair.tpr(t))[0]) / sizes[0]
        accepted = float((pair.far(t) * pair.tnr(t))[0]) / sizes[1]
        return by_frr * by_frr * rejected + by_far * by_far * accepted

    def expected(model: ScoreModel, t: Thresholds, sizes: Sizes) -> float:
        """Variance of dev's own value there: the threshold's error is in both values."""
        if not smooth:
            return binomial(model, t, sizes)
        errors = free_coordinates(expected_fit(model, sizes), groups=False)
        laws = model.client, model.impostor

        def moved(away: FloatArray) -> ScoreModel:
            return ScoreModel(*laws_at(laws, errors.names, errors.place + away), prior=model.prior)

        near = models_near(moved, errors.roots)
        return delta(asking(lambda m: value(m, t)), model, near).error ** 2

    def chosen(model: ScoreModel, _: Thresholds, sizes: Sizes) -> float:
        """Variance of the value of the true distributions at dev's threshold."""
        if measure != "hter":
            return 0.0
        result = epc_forecast(model, n_client=sizes[0], n_impostor=sizes[1], alpha=[alpha])
        return float(getattr(result, f"{options.method}_hter_sd")[0]) ** 2

    beside = expected if len(models) == 1 else chosen

    def reached(sizes: Sizes) -> float:
        variances = [
            binomial(model, t, sizes) + beside(model, t, sizes)
            for model, t in zip(models, places, strict=True)
        ]
        return 2.0 * student(math.inf, options.level) * math.sqrt(math.fsum(variances))

    for model in models if smooth else ():
        expected_fit(model, (1000, 1000))  # refuses distributions without information
    values = [value(model, t) for model, t in zip(models, places, strict=True)]
    return Goal(0.0 if len(values) == 1 else values[0] - values[1], reached)


def _best(model: ScoreModel, alpha: float) -> Thresholds:
    """The threshold of least weighted error, inside the scale."""
    found = epc_forecast(model, n_client=1, n_impostor=1, alpha=[alpha])
    if found.where[0] != "interior":
        raise InputError(
            "the threshold of least weighted error must lie inside the scale for its value to have"
            f" an error; at alpha = {alpha!r} it is at {str(found.where[0])!r}. Give another alpha."
        )
    return CRITERIA["weighted-error"].choose(model._pair, model.prior, np.array([alpha]))


# --------------------------------------------------------------------------------- chances
def side_chance(end: str, model: ScoreModel, options: IntervalOptions) -> Goal:
    """Chance that `Fit.end_tests` finds the side of an end; the exponent is not 1.

    Of normal distributions by the F distribution.
    """
    from scipy.special import fdtr, fdtri

    laws = model.client, model.impostor
    families = {planned_family(law) for law in laws}
    if len(families) > 1 or None in families or any(getattr(x, SIDES[end], 0.0) for x in laws):
        raise InputError(
            f"{end!r} is planned for two beta, two normal or two logit-normal distributions without"
            f" point masses at that end; got {model.client!r:.60} and {model.impostor!r:.60}. Give"
            " the model of such a fit."
        )
    exponent = float(getattr(model.ends(), SIDES[end]).exponent)
    if exponent == 1.0:
        raise InputError(
            f"impossible because the exponent is 1: no size decides {end!r} of {model.client!r} and"
            f" {model.impostor!r}. Plan the width of another statistic."
        )
    least = options.tail
    if not has_spread(base_of(model.client)):
        return Goal(exponent, partial(side_found, end, model, options), least)
    spreads = [float(base_of(law).sigma) for law in laws]  # type: ignore[attr-defined]
    shares = [1.0 - math.fsum(law.atoms.masses) for law in laws]
    small = 0 if spreads[0] < spreads[1] else 1
    ratio = spreads[1 - small] / spreads[small]

    def reached(sizes: Sizes) -> float:
        inner = [n * share - 1.0 for n, share in zip(sizes, shares, strict=True)]
        if min(inner) <= 0.0:
            return 0.0
        freedom = inner[small], inner[1 - small]
        return float(fdtr(*freedom, fdtri(*freedom, least) * ratio**2))

    return Goal(exponent, reached, least, exact=True)


def side_found(end: str, model: ScoreModel, options: IntervalOptions, sizes: Sizes) -> float:
    """The test's z as a normal number, with its mean and spread over fits of that size."""
    from scipy.special import ndtr

    sign = 1.0 if getattr(model.ends(), SIDES[end]).side == "above" else -1.0
    mean, sd = mean_over_fits(
        lambda fit: FittedEnds.of(fit, groups=False).test(SIDES[end]).z, expected_fit(model, sizes)
    )
    sd = 1.0 if math.isnan(sd) else sd
    return float(ndtr((sign * mean - student(math.inf, options.level)) / sd))


def shape_chance(classes: tuple[str, ...], model: ScoreModel) -> Goal:
    """Chance that the fitted shapes of these classes are the true ones.

    log a and log b are two normal numbers with the bias of maximum likelihood.
    """
    for who in classes:
        law = getattr(model, who)
        base = base_of(law)
        if not has_shape(base):
            raise InputError(
                f"shapes are those of beta distributions; the {who} distribution is {law!r:.60}."
                ' Give the model of a fit of family="beta".'
            )
        if 1.0 in (base.a, base.b):
            raise InputError(
                f"impossible because the {who} distribution {law!r:.60} lies on the border of"
                " shapes (a = 1 or b = 1): no size decides. Plan an interval instead."
            )

    def reached(sizes: Sizes) -> float:
        fit = expected_fit(model, sizes)
        errors = free_coordinates(fit, groups=False)
        bias = small_sample(fit, errors, groups=False).bias
        chance = 1.0
        for who in classes:
            own, start = getattr(fit, who), 0 if who == "client" else len(errors.names[0])
            shapes = own.values[:2]
            covariance = own.cov[:2, :2] / np.outer(shapes, shapes)
            sd = np.sqrt(np.diag(covariance))
            z = (np.log(shapes) + bias[start : start + 2]) / sd
            shares = quadrant_shares(z.tolist(), float(covariance[0, 1] / sd[0] / sd[1]))
            chance *= shares[base_of(own.distribution).shape.value]  # type: ignore[attr-defined]
        return chance

    return Goal(math.nan, reached, 0.25 ** len(classes))


# ---------------------------------------------------------------------------------- tails
def tail_width(asked: Asking, model: ScoreModel, options: IntervalOptions) -> Goal:
    """Width of the interval that a fit with tails has, of the scores that are expected.

    The tail is fitted to the medians of the most extreme scores of so many. Nearer to the body,
    and of fewer than 200 scores, the exact interval of the count that is expected.
    """
    (point, argument), of_threshold = asked.where, asked.name == "threshold"
    name = point if of_threshold else asked.name
    if name not in _TAIL_OF or not (of_threshold or point == "threshold"):
        raise InputError.about("method")(
            'method="tail" is for "far", "frr", "tpr" and "tnr" at a threshold, and for'
            f' "threshold" at one of these rates; got {str(asked)!r}. Leave it out.'
        )
    (who, side), value = _TAIL_OF[name], float(argument)
    if of_threshold:
        rate = 1.0 - value if name in _COMPLEMENT else value
    else:
        beyond = asking(_COMPLEMENT.get(name, name), (), **asked.where.keywords)
        rate = beyond.number(model)
    if not 0.0 < rate < 1.0:
        raise InputError(
            f"{str(asked)!r} must be planned where scores of the model lie; got a rate of {rate!r}"
            " there. Give another point."
        )
    law = (model.client, model.impostor)[who]
    on = law.coordinate if isinstance(law, Spliced) else Coordinate(None, law.on_unit)
    lower, level = side == "lower", options.level

    def tails(n: int) -> Tails | None:
        """Of the medians of the extreme scores; None of too few scores."""
        if n < FEWEST:
            return None
        p = (np.arange(1.0, min(_KEPT, n) + 1.0) - 0.3175) / (n + 0.365)
        extreme = on.of(law._quantile(p, lower=lower))
        return fit_tails(TailScores(("client", "impostor")[who], extreme, total=float(n)), side)

    def ends(n: int) -> Limits:
        fitted = tails(n)
        if fitted is not None and surely_beyond(fitted, rate, level):
            if not of_threshold:
                place = float(on.of(Thresholds.from_theta(np.array(value))))
                return tail_rate_ends(fitted, place, level)
            places = np.array(tail_threshold_ends(fitted, rate, level))
            low, high = on.place(places).theta.tolist()
            return low, high
        # The exact interval of the count that is expected, or of the threshold between scores.
        counted = share_ends(np.array(n * rate), np.array(float(n)), options.tail)
        result = np.array([float(end) for end in counted])
        if of_threshold:
            result = law._quantile(result, lower=lower).theta
        return float(np.min(result)), float(np.max(result))

    def reached(sizes: Sizes) -> float:
        low, high = ends(sizes[who])
        return high - low

    return Goal(asked.number(model), reached)


# --------------------------------------------------------------------------------- the search
def fewest_scores(goal: Goal, wanted: float, ratio: Fraction) -> tuple[Sizes, float]:
    """The fewest scores of the smaller class, the other rounded up to the ratio."""

    def sizes(k: int) -> Sizes:
        return (k, math.ceil(ratio * k)) if ratio >= 1 else (math.ceil(k / ratio), k)

    seen: dict[int, tuple[float, float]] = {}

    def lacking(k: int) -> float:
        if k not in seen:
            reached = goal.reached(sizes(k))
            if math.isnan(reached):
                raise InputError(
                    f"the width must be a number; it is nan at {sizes(k)[0]} client and"
                    f" {sizes(k)[1]} impostor scores. Plan another statistic."
                )
            seen[k] = goal.lacking(reached, wanted), reached
        return seen[k][0]

    most = int(MOST_SCORES / max(ratio, 1 / ratio))
    k = _smallest(lacking, most)
    if k is None:
        raise InputError(
            f"not reachable: {sizes(most)[0]} client and {sizes(most)[1]} impostor scores give"
            f" {seen[most][1]:.4g}, where {wanted!r} is wanted; plans end at 1e9 scores of a class."
            " Ask for less."
        )
    return sizes(k), seen[k][1]


def _smallest(lacking: Callable[[int], float], most: int) -> int | None:
    """The smallest whole number of which nothing is lacking; None if there is none.

    ``lacking`` is about the logarithm of how many times as many it takes.
    """
    low, high, k = _LEAST - 1, most + 1, min(_START, most)
    while low < _LEAST or high > most:
        miss = lacking(k)
        step = math.exp(max(-_FAR, min(_FAR, miss)))
        if miss > 0.0:
            if k == most:
                return None
            low, k = k, min(max(k + 1, math.ceil(k * step * _BEYOND)), most)
        else:
            if k == _LEAST:
                return k
            high, k = k, max(min(k - 1, math.floor(k * step / _BEYOND)), _LEAST)
        k = k if low < k < high else (low + high) // 2
    turn = 0
    while high - low > 1:
        turn += 1
        k = (low + high) // 2
        first, last = lacking(low), lacking(high)
        if turn % 4 and math.isfinite(first):
            share = first / (first - last) if first > last else 0.5
            guess = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
            k = max(low + 1, min(high - 1, math.ceil(guess)))
        low, high = (k, high) if lacking(k) > 0.0 else (low, k)
    return high
