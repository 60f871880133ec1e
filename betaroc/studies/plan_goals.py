"""What a planned number of scores is to reach, a width or a chance, and the fewest that do."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.notices import quietly
from betaroc.core.options import IntervalOptions
from betaroc.core.quadrature import integrate_panels
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import Scores
from betaroc.decision.forecast import epc_forecast
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import has_shape
from betaroc.distributions.inflated import MASSES, base_of
from betaroc.distributions.normal import has_spread
from betaroc.estimation.families import planned_family
from betaroc.fits.fit import Fit
from betaroc.fits.shape_tests import FittedEnds, quadrant_shares
from betaroc.inference.delta import METHODS, bare_interval, delta, models_near
from betaroc.inference.interval import Interval, Limits
from betaroc.inference.intervals import BOTH
from betaroc.inference.of_scores import bare_interval_of_scores
from betaroc.inference.parameter_errors import free_coordinates, laws_at
from betaroc.inference.small_samples import small_sample, student
from betaroc.model.asking import Asking, asking
from betaroc.model.criteria import CRITERIA
from betaroc.model.ends import End
from betaroc.model.model import ScoreModel
from betaroc.studies.expected_fits import Sizes, expected_fit, mean_over_fits

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


class Goal(ABC):
    """What to plan for: a width, or a chance.

    Widths shrink like 1/sqrt(n); the probit of a chance is about a constant and a multiple of
    sqrt(n).
    """

    #: Whether what is reached holds for any number of scores.
    exact = False
    #: The chance without scores; None of a width.
    least: float | None = None

    @property
    @abstractmethod
    def estimate(self) -> float:
        """The statistic of the distributions; refuses what no number of scores reaches."""

    @abstractmethod
    def reached(self, sizes: Sizes) -> float:
        """The width, or the chance, that so many scores give."""

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
def ends_of_scores(
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


@dataclass(frozen=True)
class StatWidth(Goal):
    """Mean width of `Fit.interval` by the delta method, to second order.

    Of a plan from a fit at least the width of the scores' own interval.
    """

    asking: Asking
    model: ScoreModel
    options: IntervalOptions

    @cached_property
    def estimate(self) -> float:
        return float(self._interval(expected_fit(self.model, (1000, 1000))).estimate)

    def reached(self, sizes: Sizes) -> float:
        found = mean_over_fits(self._width, expected_fit(self.model, sizes))[0]
        if self.options.method != BOTH:
            return found
        low, high = ends_of_scores(self.asking, self.model, self.options, sizes)
        return max(found, high - low)

    def _interval(self, fit: Fit) -> Interval:
        return bare_interval(fit, self.asking, replace(self.options, method=METHODS[0]))

    def _width(self, fit: Fit) -> float:
        try:
            found = self._interval(fit)
        except OverflowError:
            return math.inf
        return float(found.high - found.low)


@dataclass(frozen=True)
class AreaWidth(Goal):
    """Mean width of `auc_interval` by DeLong's variance.

        E Var A = x/m + y/n + 2 (v - x - y)/(m n),
        x = Var F_i(C), y = Var F_c(I), v = A (1 - A) - P(C = I)/4

    with ties counting one half. The ends are cut to [0, 1]; A is taken as normal for that.
    """

    model: ScoreModel
    options: IntervalOptions

    @cached_property
    def estimate(self) -> float:
        area = float(self.model.auc())
        if not _LOST < area < 1.0 - _LOST:
            raise InputError(
                f"the area must lie inside (0, 1) to have an error; it is {area!r}, as of classes"
                " that do not overlap. Take a model whose classes do."
            )
        return area

    def reached(self, sizes: Sizes) -> float:
        from scipy.special import expit, logit

        area, sd = self.estimate, math.sqrt(self.variance(sizes))
        reach = student(math.inf, self.options.level) * sd
        if self.options.method == "logit-delong":
            away = reach / (area * (1.0 - area))
            low, high = expit(logit(area) + np.array([-away, away]))
            return float(high - low)
        return 2.0 * reach - sum(_beyond(end + reach - 1.0, sd) for end in (area, 1.0 - area))

    def variance(self, sizes: Sizes) -> float:
        """Mean of DeLong's variance."""
        (m, n), (x, y) = sizes, self.variances
        one = self.estimate * (1.0 - self.estimate) - 0.25 * self._ties
        return x / m + y / n + 2.0 * max(one - x - y, 0.0) / (m * n)

    @property
    def _ties(self) -> float:
        """P(C = I)."""
        client, impostor = self.model.client.atoms, self.model.impostor.atoms
        _, own, other = np.intersect1d(client.places, impostor.places, return_indices=True)
        return math.fsum(client.masses[own] * impostor.masses[other])

    @cached_property
    def variances(self) -> tuple[float, float]:
        """Var F_i(C) and Var F_c(I)."""
        pair = self.model._pair

        def middle(rate: Callable[[Thresholds], FloatArray], t: Thresholds) -> FloatArray:
            """Such as P(I > t) + P(I = t)/2, of a client that scores t."""
            return 0.5 * (rate(t) + rate(pair.just_below_any(t)))

        sides = (pair.client, pair.far), (pair.impostor, pair.frr)
        x, y = (_variance(pair, law, partial(middle, rate)) for law, rate in sides)
        return x, y


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
@dataclass(frozen=True)
class GapWidth(Goal):
    """Width of the interval of what an expected performance curve loses from dev to test.

    One model: value observed on test less that expected on dev. Two: the difference of their values
    on test.
    """

    models: tuple[ScoreModel, ...]
    alpha: float
    options: IntervalOptions
    measure: str

    @cached_property
    def estimate(self) -> float:
        values = [self._value(model, _best(model, self.alpha)) for model in self.models]
        if self.options.method == "smooth":
            for model in self.models:
                expected_fit(model, (1000, 1000))  # refuses distributions without information
        return 0.0 if len(values) == 1 else values[0] - values[1]

    def reached(self, sizes: Sizes) -> float:
        variances = [
            self._binomial(model, sizes)
            + (self._promise if len(self.models) == 1 else self._choice)(model, sizes)
            for model in self.models
        ]
        return 2.0 * student(math.inf, self.options.level) * math.sqrt(math.fsum(variances))

    @property
    def _weights(self) -> tuple[float, float]:
        """Of FAR and of FRR."""
        return (0.5, 0.5) if self.measure == "hter" else (self.alpha, 1.0 - self.alpha)

    def _value(self, model: ScoreModel, t: Thresholds) -> float:
        far, frr = self._weights
        return far * float(model._pair.far(t)[0]) + frr * float(model._pair.frr(t)[0])

    def _binomial(self, model: ScoreModel, sizes: Sizes) -> float:
        """Variance of the value of scores at a fixed threshold."""
        t, pair = _best(model, self.alpha), model._pair
        far, frr = self._weights
        rejected = float((pair.frr(t) * pair.tpr(t))[0]) / sizes[0]
        accepted = float((pair.far(t) * pair.tnr(t))[0]) / sizes[1]
        return frr * frr * rejected + far * far * accepted

    def _promise(self, model: ScoreModel, sizes: Sizes) -> float:
        """Variance of dev's own value there: the threshold's error is in both values."""
        if self.options.method != "smooth":
            return self._binomial(model, sizes)
        fit, t = expected_fit(model, sizes), _best(model, self.alpha)
        errors = free_coordinates(fit, groups=False)
        laws = model.client, model.impostor

        def moved(away: FloatArray) -> ScoreModel:
            return ScoreModel(*laws_at(laws, errors.names, errors.place + away), prior=model.prior)

        near = models_near(moved, errors.roots)
        return delta(asking(lambda m: self._value(m, t)), model, near).error ** 2

    def _choice(self, model: ScoreModel, sizes: Sizes) -> float:
        """Variance of the value of the true distributions at dev's threshold."""
        if self.measure != "hter":
            return 0.0
        found = epc_forecast(model, n_client=sizes[0], n_impostor=sizes[1], alpha=[self.alpha])
        return float(getattr(found, f"{self.options.method}_hter_sd")[0]) ** 2


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
@dataclass(frozen=True)
class SideChance(Goal):
    """Chance that `Fit.end_tests` finds the side of an end; the exponent is not 1."""

    end: str
    model: ScoreModel
    options: IntervalOptions

    @cached_property
    def estimate(self) -> float:
        self._refuse()
        exponent = float(self._there.exponent)
        if exponent == 1.0:
            raise InputError(
                f"impossible because the exponent is 1: no size decides {self.end!r} of"
                f" {self.model.client!r} and {self.model.impostor!r}. Plan the width of another"
                " statistic."
            )
        return exponent

    @property
    def least(self) -> float:  # type: ignore[override]
        return self.options.tail

    @property
    def exact(self) -> bool:  # type: ignore[override]
        return has_spread(base_of(self.model.client))

    @property
    def _there(self) -> End:
        ends = self.model.ends()
        return ends.at_zero if SIDES[self.end] == "at_zero" else ends.at_one

    def reached(self, sizes: Sizes) -> float:
        """Of normal distributions by the F distribution, else as of any other pair."""
        from scipy.special import fdtr, fdtri

        laws = self.model.client, self.model.impostor
        if not self.exact:
            return self.generic(sizes)
        spreads = [float(base_of(law).sigma) for law in laws]  # type: ignore[attr-defined]
        inner = [
            n * (1.0 - math.fsum(law.atoms.masses)) - 1.0
            for n, law in zip(sizes, laws, strict=True)
        ]
        small = 0 if spreads[0] < spreads[1] else 1
        freedom, ratio = (inner[small], inner[1 - small]), spreads[1 - small] / spreads[small]
        if min(freedom) <= 0.0:
            return 0.0
        return float(fdtr(*freedom, fdtri(*freedom, self.least) * ratio**2))

    def generic(self, sizes: Sizes) -> float:
        """The test's z as a normal number, with its mean and spread over fits of that size."""
        from scipy.special import ndtr

        sign = 1.0 if self._there.side == "above" else -1.0
        mean, sd = mean_over_fits(self._departure, expected_fit(self.model, sizes))
        sd = 1.0 if math.isnan(sd) else sd
        return float(ndtr((sign * mean - student(math.inf, self.options.level)) / sd))

    def _departure(self, fit: Fit) -> float:
        return FittedEnds.of(fit, groups=False).test(SIDES[self.end]).z

    def _refuse(self) -> None:
        families = {planned_family(self.model.client), planned_family(self.model.impostor)}
        masses = [
            getattr(law, SIDES[self.end], 0.0) for law in (self.model.client, self.model.impostor)
        ]
        if len(families) > 1 or families == {None} or any(masses):
            raise InputError(
                f"{self.end!r} is planned for two beta, two normal or two logit-normal"
                " distributions without"
                f" point masses at that end; got {self.model.client!r:.60} and"
                f" {self.model.impostor!r:.60}. Give the model of such a fit."
            )


@dataclass(frozen=True)
class ShapeChance(Goal):
    """Chance that the fitted shapes of these classes are the true ones."""

    classes: tuple[str, ...]
    model: ScoreModel

    @property
    def least(self) -> float:  # type: ignore[override]
        return 0.25 ** len(self.classes)

    @cached_property
    def estimate(self) -> float:
        """nan: a shape is no number, and no size decides a border."""
        for who in self.classes:
            law = getattr(self.model, who)
            if not has_shape(base_of(law)):
                raise InputError(
                    f"shapes are those of beta distributions; the {who} distribution is"
                    f" {law!r:.60}. Give the model"
                    ' of a fit of family="beta".'
                )
            base = base_of(law)
            if 1.0 in (base.a, base.b):  # type: ignore[attr-defined]
                raise InputError(
                    f"impossible because the {who} distribution {law!r:.60} lies on the border"
                    " of shapes"
                    " (a = 1 or b = 1): no size decides. Plan an interval instead."
                )
        return math.nan

    def reached(self, sizes: Sizes) -> float:
        fit = expected_fit(self.model, sizes)
        return math.prod(self._chance(fit, who) for who in self.classes)

    def _chance(self, fit: Fit, who: str) -> float:
        """log a and log b as two normal numbers with the bias of maximum likelihood."""
        own = getattr(fit, who)
        logs = np.log(own.values[:2])
        covariance = own.cov[:2, :2] / np.outer(own.values[:2], own.values[:2])
        errors = free_coordinates(fit, groups=False)
        bias = small_sample(fit, errors, groups=False).bias
        start = 0 if who == "client" else len(errors.names[0])
        sd = np.sqrt(np.diag(covariance))
        z = (logs + bias[start : start + 2]) / sd
        shape = base_of(own.distribution).shape  # type: ignore[attr-defined]
        return quadrant_shares(z.tolist(), float(covariance[0, 1] / sd[0] / sd[1]))[shape.value]


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
