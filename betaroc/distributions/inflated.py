"""Point masses beside any continuous distribution: at 0 and 1, and below all scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray
from betaroc.core.checks import fraction
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.text import typed
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Atoms, Distribution, Parameter, Tail, TwoArrays, just_below

#: Names of the point masses, the one at the lower end first.
MASSES = ("at_zero", "at_one")
#: Name of the share, as a parameter.
REJECTED = "rejected"
#: Heights of a jump that were rounded on their way through 1 - p.
_LEFT = "so that something is left for base"
_EDGE = 4.0 * float(np.finfo(np.float64).eps)


class PointMasses(Distribution):
    """A distribution beside point masses at places that its kind names."""

    base: Distribution
    #: Names of the masses and their places, ascending, and the whole of which they are shares.
    _names: ClassVar[tuple[str, ...]]
    _places: ClassVar[tuple[float, ...]]
    _whole: ClassVar[str]

    @property
    def on_unit(self) -> bool:  # type: ignore[override]
        return self.base.on_unit

    @property
    def _masses(self) -> list[float]:
        return [getattr(self, name) for name in self._names]

    @property
    def _share(self) -> float:
        left = 1.0
        for mass in self._masses:
            left -= mass
        return left

    @property
    def support(self) -> tuple[float, float]:
        (low, high), places = self.base.support, self.atoms.places
        return float(np.min(places, initial=low)), float(np.max(places, initial=high))

    @property
    def atoms(self) -> Atoms:
        pairs = [pair for pair in zip(self._places, self._masses, strict=True) if pair[1] > 0.0]
        inner = self.base.atoms
        places = np.concatenate([[place for place, _ in pairs], inner.places])
        return Atoms(places, np.concatenate([[m for _, m in pairs], self._share * inner.masses]))

    @property
    def continuous(self) -> tuple[float, Distribution]:
        share, base = self.base.continuous or (1.0, self.base)
        return self._share * share, base

    @property
    def mean(self) -> float:
        """-inf where any trial has no score."""
        pairs = zip(self._masses, self._places, strict=True)
        return math.fsum(m * place for m, place in pairs if m > 0.0) + self._share * self.base.mean

    @property
    def var(self) -> float:
        """nan where any trial has no score."""
        mean, pairs = self.mean, zip(self._masses, self._places, strict=True)
        spread = self._share * (self.base.var + (self.base.mean - mean) ** 2)
        return spread + sum(m * (place - mean) ** 2 for m, place in pairs if m > 0.0)

    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        value, log = self.base._side(t, lower=lower)
        here = [_reaches(t, place) == lower for place in self._places]
        pairs = list(zip(self._masses, here, strict=True))
        masses = np.sum([mass * inside for mass, inside in pairs], axis=0)
        beyond = np.sum([mass * ~inside for mass, inside in pairs], axis=0)
        total = masses + self._share * value
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(masses > 0.0, np.log(total), log + math.log(self._share))
            # Next to 1 the log is minus the other tail, which the log of the base knows.
            rest = beyond - self._share * np.expm1(log)
            logs = np.where(total > 0.5, np.log1p(-rest), logs)
        # The shares need not add up to 1 to the last digit.
        total = np.where((beyond == 0.0) & (value == 1.0), 1.0, np.minimum(total, 1.0))
        nan = np.isnan(value)
        return np.where(nan, np.nan, total), np.where(nan, np.nan, logs)

    def _log_density(self, t: Thresholds) -> FloatArray:
        return self.base._log_density(t) + math.log(self._share)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        return self.base._log_density_slope(t)

    def _log_pdf(self, t: Thresholds) -> FloatArray:
        return self.base._log_pdf(t) + math.log(self._share)

    def _tail_quantile(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        flat = np.ravel(p)
        rest, nothing = flat.copy(), -1.0 if lower else 2.0
        moves = []
        for place, mass in zip(self._places, self._masses, strict=True):
            if mass == 0.0:
                continue
            here = Thresholds.from_theta(place)
            at = float(self._side(here, lower=lower)[0])
            # Before trials without a score there is nothing, not even a probability of 0.
            before, below = nothing, just_below(here, unit=True)
            if place > -np.inf:
                before = float(self._side(below, lower=lower)[0])
            if lower:
                jump = (flat > before) & (flat <= at * (1.0 + _EDGE))
                passed = flat > at
            else:
                jump = (flat >= at * (1.0 - _EDGE)) & (flat < before)
                passed = flat >= before
            moves.append((jump, passed, here))
            rest = np.where(passed, rest - mass, rest)
        share = np.clip(rest / self._share, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            t = self.base._inverse(share, np.log(share), lower=lower)
        columns = np.array([t.theta, t.complement, t.logit])
        for jump, passed, here in moves:
            # A base tail that has underflowed must not carry the place across an atom.
            above, below = columns[0] > here.theta, columns[0] < here.theta
            wrong = np.where(passed, below, above) if lower else np.where(passed, above, below)
            held = jump | (wrong & ~np.isnan(flat))
            columns[:, held] = np.array([here.theta, here.complement, here.logit])[:, None]
        return Thresholds(*(column.reshape(p.shape) for column in columns))

    def _tails(self) -> tuple[Tail, Tail]:
        masses, tails = dict(zip(self._places, self._masses, strict=True)), []
        for tail in self.base._tails():
            log_c, mass = tail.log_coefficient + math.log(self._share), self._share * tail.mass
            tails.append(replace(
                tail, log_coefficient=log_c, mass=mass + masses.get(tail.place, 0.0),
                share=self._share * tail.share,
            ))  # fmt: skip
        absent = masses.get(-math.inf, 0.0)
        return (Tail(-math.inf, 0, mass=absent) if absent else tails[0]), tails[1]

    def _parameters(self) -> tuple[Parameter, ...]:
        pairs = zip(self._names, self._masses, strict=True)
        return (*self.base._parameters(), *(Parameter(*pair, self._whole) for pair in pairs))

    def _replaced(self, values: Mapping[str, float]) -> Distribution:
        masses = {name: v for name, v in values.items() if name in self._names}
        rest = {name: v for name, v in values.items() if name not in masses}
        return replace(self, base=self.base._replaced(rest), **masses)  # type: ignore[type-var]

    def _score(self, t: Thresholds) -> FloatArray:
        with np.errstate(all="ignore"):
            inner = self.base._score(t)
        at = [(t.theta == place) & ~np.isfinite(t.logit) for place in self._places]
        rows, anywhere = np.zeros((len(at), *t.shape)), np.logical_or.reduce(at)
        for k, mass in enumerate(self._masses):
            if mass > 0.0:  # else it was not estimated
                others = np.where(anywhere, 0.0, -1.0 / self._share)
                rows[k] = np.where(at[k], 1.0 / mass, others)
        return np.concatenate([np.where(anywhere, 0.0, inner), rows])

    def _unit_covariance(self) -> FloatArray:
        base, masses = self.base._unit_covariance(), np.array(self._masses)
        cut, size = len(base), len(base) + masses.size
        whole = np.zeros((size, size))
        whole[:cut, :cut] = base / self._share
        whole[cut:, cut:] = np.diag(masses) - np.outer(masses, masses)
        return whole

    def _tail_rows(self, values: Mapping[str, FloatArray], t: Thresholds) -> TwoArrays:
        inner = {name: v for name, v in values.items() if name not in self._names}
        masses = [values.get(*pair) for pair in zip(self._names, self._masses, strict=True)]
        rest = 1.0 - sum(masses)
        lower, upper = (rest * tail for tail in self.base._tail_rows(inner, t))
        for mass, place in zip(masses, self._places, strict=True):
            reached = _reaches(t, place)
            lower, upper = lower + mass * reached, upper + mass * ~reached
        return np.minimum(lower, 1.0), np.minimum(upper, 1.0)

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        u, (lowest, *others) = rng.random(size), zip(self._places, self._masses, strict=True)
        scores = np.where(u < lowest[1], lowest[0], self.base._sample(size, rng))
        for place, mass in others:
            scores = np.where(u >= 1.0 - mass, place, scores)
        return scores


def _reaches(t: Thresholds, place: float) -> BoolArray:
    """Whether a score at the place is rejected."""
    if place == 1.0:
        return np.asarray((t.logit == np.inf) | (t.theta > 1.0))
    return np.asarray(t.theta >= place)


@dataclass(frozen=True, eq=False, repr=False)
class Inflated(PointMasses):
    """A continuous distribution with point masses at 0 and 1.

        P(S = 0) = at_zero,  P(S = 1) = at_one,  otherwise S ~ base

    Parameters
    ----------
    base : Distribution
        A continuous distribution.
    at_zero, at_one : float
        The masses; fractions in [0, 1) whose sum is below 1.

    Raises
    ------
    InputError, InputTypeError
        If a mass is not in [0, 1) or nothing is left for `base`.

    Notes
    -----
    ``cdf`` and ``sf`` count the masses; ``pdf`` is that of the continuous part. A pair's ROC begins
    and ends with straight segments of slope p1c/p1i and p0c/p0i.

    Examples
    --------
    >>> from betaroc import Beta, Inflated
    >>> Inflated(Beta(2.0, 2.0), at_zero=0.25).cdf([0.0, 0.5])  # 1/4, 1/4 + 3/4 1/2
    array([0.25 , 0.625])
    """

    base: Distribution
    at_zero: float = 0.0
    at_one: float = 0.0

    _names, _places, _whole = MASSES, (0.0, 1.0), "masses"

    def __post_init__(self) -> None:
        whole = isinstance(self.base, Distribution) and self.base.continuous == (1.0, self.base)
        if not whole:
            rule = "be a continuous distribution such as Beta or LogitNormal"
            remedy = "Point masses elsewhere: use Empirical."
            raise refusal("base", rule, typed(self.base), remedy, InputTypeError)
        object.__setattr__(self, "at_zero", fraction(self.at_zero, "at_zero"))
        object.__setattr__(self, "at_one", fraction(self.at_one, "at_one"))
        if not self.at_zero + self.at_one < 1.0:
            actual = f"{self.at_zero!r} + {self.at_one!r}"
            remedy = "For point masses alone use Empirical."
            raise refusal("at_zero + at_one", f"be below 1, {_LEFT}", actual, remedy)


@dataclass(frozen=True, eq=False, repr=False)
class Rejecting(PointMasses):
    """A distribution of scores, and a share of trials without one, which are always rejected.

        P(S = -inf) = rejected,  otherwise S ~ base

    Parameters
    ----------
    base : Distribution
        Of the scores; with a density, such as Beta or Inflated.
    rejected : float
        Share of the trials without a score (failures to acquire), a fraction in [0, 1).

    Raises
    ------
    InputError, InputTypeError
        If the share is not in [0, 1).

    Notes
    -----
    A point mass at minus infinity, below every threshold. Of a pair with such shares r the ROC
    attains FAR up to 1 - r_i and TPR up to 1 - r_c, and goes straight to (1, 1) from there. The
    mean is -inf, the variance nan.

    Examples
    --------
    >>> from betaroc import Beta, Rejecting
    >>> Rejecting(Beta(2.0, 2.0), rejected=0.25).cdf([-1.0, 0.5])  # 1/4, 1/4 + 3/4 1/2
    array([0.25 , 0.625])
    """

    base: Distribution
    rejected: float

    _names, _places, _whole = (REJECTED,), (-math.inf,), REJECTED

    def __post_init__(self) -> None:
        if not isinstance(self.base, Distribution) or self.base.continuous is None:
            rule = "be a distribution with a density, such as Beta"
            remedy = "Of scores: br.Empirical with values of -inf."
            raise refusal("base", rule, typed(self.base), remedy, InputTypeError)
        object.__setattr__(self, "rejected", fraction(self.rejected, "rejected"))
        if not self.rejected < 1.0:
            raise refusal("rejected", f"be below 1, {_LEFT}", "1.0")

    @property
    def _scored(self) -> Distribution:
        return self.base


def base_of(law: Distribution) -> Distribution:
    """The distribution between the point masses."""
    return base_of(law.base) if isinstance(law, Inflated | Rejecting) else law
