"""Point masses beside any continuous distribution: at 0 and 1, and below all scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import fraction
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.thresholds import BELOW_ONE, Thresholds, choose
from betaroc.distributions.base import Atoms, Distribution, Parameter, Tail

#: Names of the point masses, the one at the lower end first.
MASSES = ("at_zero", "at_one")
#: Name of the share, as a parameter.
REJECTED = "rejected"
#: Heights of a jump that were rounded on their way through 1 - p.
_EDGE = 4.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False, repr=False)
class Inflated(Distribution):
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
    InputError
        If a mass is not in [0, 1) or nothing is left for `base`.
    InputTypeError
        If `base` is not a continuous distribution or a mass not a number.

    Notes
    -----
    ``cdf`` and ``sf`` count the masses; ``pdf`` is that of the continuous part,
    (1 - at_zero - at_one) times the base's. A pair's ROC begins and ends with
    straight segments of slope p1c/p1i and p0c/p0i; the theorem on the ends of beta
    pairs does not hold.

    Examples
    --------
    >>> from betaroc import Beta, Inflated
    >>> distribution = Inflated(Beta(2.0, 2.0), at_zero=0.25)
    >>> distribution.cdf(0.0), distribution.cdf(0.5)  # 1/4, 1/4 + 3/4 1/2
    (0.25, 0.625)
    >>> distribution.pdf(0.5)  # 3/4 3/2
    1.125
    """

    base: Distribution
    at_zero: float = 0.0
    at_one: float = 0.0

    def __post_init__(self) -> None:
        whole = isinstance(self.base, Distribution) and self.base.continuous == (1.0, self.base)
        if not whole:
            raise InputTypeError.about("base")(
                "base must be a continuous distribution such as Beta or LogitNormal; got"
                f" {type(self.base).__name__}. Point masses elsewhere: use Empirical."
            )
        object.__setattr__(self, "at_zero", fraction(self.at_zero, "at_zero"))
        object.__setattr__(self, "at_one", fraction(self.at_one, "at_one"))
        if not self.at_zero + self.at_one < 1.0:
            raise InputError(
                "at_zero + at_one must be below 1, so that something is left for base; got"
                f" {self.at_zero!r} + {self.at_one!r}. For point masses alone use Empirical."
            )

    @property
    def on_unit(self) -> bool:  # type: ignore[override]
        """Whether the base lives on [0, 1]."""
        return self.base.on_unit

    @property
    def _share(self) -> float:
        return 1.0 - self.at_zero - self.at_one

    @property
    def support(self) -> tuple[float, float]:
        """The base's, and 0 and 1 where they carry mass."""
        low, high = self.base.support
        places = self.atoms.places
        return float(np.min(places, initial=low)), float(np.max(places, initial=high))

    @property
    def atoms(self) -> Atoms:
        """The point masses that are not zero."""
        both = [(0.0, self.at_zero), (1.0, self.at_one)]
        keep = [pair for pair in both if pair[1] > 0.0]
        return Atoms(np.array([p for p, _ in keep]), np.array([m for _, m in keep]))

    @property
    def continuous(self) -> tuple[float, Distribution]:
        """Mass and distribution of the continuous part."""
        return self._share, self.base

    @property
    def mean(self) -> float:
        """at_one + share * base mean."""
        return self.at_one + self._share * self.base.mean

    @property
    def var(self) -> float:
        """Variance of the mixture."""
        spread = self._share * (self.base.var + (self.base.mean - self.mean) ** 2)
        return spread + self.at_zero * self.mean**2 + self.at_one * (1.0 - self.mean) ** 2

    def _lower(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        zero, item = t.theta >= 0.0, _reaches_one(t)
        return self._combined(self.base._lower(t), self.at_zero * zero, self.at_one * item)

    def _upper(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        zero, item = t.theta < 0.0, ~_reaches_one(t)
        return self._combined(self.base._upper(t), self.at_zero * zero, self.at_one * item)

    def _combined(
        self, base: tuple[FloatArray, FloatArray], zero: Any, item: Any
    ) -> tuple[FloatArray, FloatArray]:
        value, log = base
        masses = zero + item
        total = masses + self._share * value
        # Next to 1 the log is minus the other tail, which the log of the base knows.
        rest = (self.at_zero - zero) + (self.at_one - item) - self._share * np.expm1(log)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(masses > 0.0, np.log(total), log + math.log(self._share))
            logs = np.where(total > 0.5, np.log1p(-rest), logs)
        # The three shares need not add up to 1 to the last digit.
        full = (zero == self.at_zero) & (item == self.at_one) & (value == 1.0)
        nan = np.isnan(value)
        total = np.where(full, 1.0, np.minimum(total, 1.0))
        return np.where(nan, np.nan, total), np.where(nan, np.nan, logs)

    def _log_density(self, t: Thresholds) -> FloatArray:
        return self.base._log_density(t) + math.log(self._share)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        return self.base._log_density_slope(t)

    def _log_pdf(self, t: Thresholds) -> FloatArray:
        return self.base._log_pdf(t) + math.log(self._share)

    def _lower_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return self._from_nearer_tail(p, lower=True)

    def _upper_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return self._from_nearer_tail(p, lower=False)

    def _from_nearer_tail(self, p: FloatArray, *, lower: bool) -> Thresholds:
        """P(S <= .) >= p is P(S > .) <= 1 - p, and 1 - p is exact beyond one half."""
        beyond = p > 0.5
        if not np.any(beyond):
            return self._invert(p, lower=lower)
        near = self._invert(np.where(beyond, 0.5, p), lower=lower)
        far = self._invert(np.where(beyond, 1.0 - p, 0.5), lower=not lower)
        return choose(beyond, far, near)

    def _invert(self, p: FloatArray, *, lower: bool) -> Thresholds:
        """The base's inverse beside the jumps, an atom's place on its jump."""
        flat = np.ravel(p)
        whole, base = (
            (self._lower, self.base._lower_quantile)
            if lower
            else (self._upper, self.base._upper_quantile)
        )
        rest = flat.copy()
        moves = []
        for place, mass in zip(self.atoms.places, self.atoms.masses, strict=True):
            here = Thresholds.from_theta(place)
            before, at = float(whole(_before(here))[0]), float(whole(here)[0])
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
            t = base(share, np.log(share))
        columns = np.array([t.theta, t.complement, t.logit])
        for jump, passed, here in moves:
            # A base tail that has underflowed must not carry the place across an atom.
            above, below = columns[0] > here.theta, columns[0] < here.theta
            wrong = np.where(passed, below, above) if lower else np.where(passed, above, below)
            held = jump | (wrong & ~np.isnan(flat))
            columns[:, held] = np.array([here.theta, here.complement, here.logit])[:, None]
        return Thresholds(*(column.reshape(p.shape) for column in columns))

    def _tails(self) -> tuple[Tail, Tail]:
        tails = []
        for tail, place, mass in zip(
            self.base._tails(), (0.0, 1.0), (self.at_zero, self.at_one), strict=True
        ):
            log_c = tail.log_coefficient + math.log(self._share)
            tail = replace(tail, log_coefficient=log_c, share=self._share)
            tails.append(replace(tail, mass=mass) if tail.place == place else tail)
        return tails[0], tails[1]

    def _parameters(self) -> tuple[Parameter, ...]:
        masses = (("at_zero", self.at_zero), ("at_one", self.at_one))
        return (*self.base._parameters(), *(Parameter(*pair, "masses") for pair in masses))

    def _replaced(self, values: Mapping[str, float]) -> Inflated:
        masses = {name: v for name, v in values.items() if name in MASSES}
        rest = {name: v for name, v in values.items() if name not in masses}
        return replace(self, base=self.base._replaced(rest), **masses)

    def _score(self, t: Thresholds) -> FloatArray:
        with np.errstate(all="ignore"):
            inner = self.base._score(t)
        at = [(t.theta == 0.0) & (t.logit == -np.inf), (t.theta == 1.0) & (t.logit == np.inf)]
        masses = np.zeros((2, *t.shape))
        for k, mass in enumerate((self.at_zero, self.at_one)):
            if mass > 0.0:  # else it was not estimated
                masses[k] = np.where(
                    at[k], 1.0 / mass, np.where(at[1 - k], 0.0, -1.0 / self._share)
                )
        return np.concatenate([np.where(at[0] | at[1], 0.0, inner), masses])

    def _unit_covariance(self) -> FloatArray:
        base, masses = self.base._unit_covariance(), np.array([self.at_zero, self.at_one])
        whole = np.zeros((base.shape[0] + 2,) * 2)
        whole[:-2, :-2] = base / self._share
        whole[-2:, -2:] = np.diag(masses) - np.outer(masses, masses)
        return whole

    def _tail_rows(
        self, values: Mapping[str, FloatArray], t: Thresholds
    ) -> tuple[FloatArray, FloatArray]:
        lower, upper = self.base._tail_rows(
            {name: v for name, v in values.items() if name not in MASSES}, t
        )
        zero, item = values.get("at_zero", self.at_zero), values.get("at_one", self.at_one)
        rest = 1.0 - zero - item
        above, reached = t.theta >= 0.0, _reaches_one(t)
        lower = rest * lower + zero * above + item * reached
        upper = rest * upper + zero * ~above + item * ~reached
        return np.minimum(lower, 1.0), np.minimum(upper, 1.0)

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        u = rng.random(size)
        scores = np.array(self.base._sample(size, rng))
        scores = np.where(u < self.at_zero, 0.0, scores)
        return np.where(u >= 1.0 - self.at_one, 1.0, scores)


def _reaches_one(t: Thresholds) -> Any:
    return (t.logit == np.inf) | (t.theta > 1.0)


def _before(t: Thresholds) -> Thresholds:
    """Just below 0 or 1."""
    if t.theta == 1.0:
        return Thresholds.from_logit(BELOW_ONE)
    return Thresholds.from_theta(np.nextafter(t.theta, -np.inf))


@dataclass(frozen=True, eq=False, repr=False)
class Rejecting(Distribution):
    """A distribution of scores, and a share of trials that have none and are always rejected.

        P(S = -inf) = rejected,  otherwise S ~ base

    Parameters
    ----------
    base : Distribution
        Of the scores that exist; with a density, such as Beta or Inflated.
    rejected : float
        Share of the trials without a score (failures to acquire), a fraction in [0, 1).

    Raises
    ------
    InputError
        If the share is not in [0, 1).
    InputTypeError
        If `base` is no distribution with a density, or the share no number.

    Notes
    -----
    A point mass at minus infinity, below every threshold: ``cdf`` is at least `rejected` and ``sf``
    at most what is left, -inf included. Of a pair with such shares r the ROC attains FAR up to
    1 - r_i and TPR up to 1 - r_c; from there it goes straight to (1, 1), as ties do, and the area
    counts pairs of two trials without a score one half. The mean is -inf, the variance nan. Of
    samples put -inf among the values of `Empirical`.

    Examples
    --------
    >>> from betaroc import Beta, Rejecting
    >>> distribution = Rejecting(Beta(2.0, 2.0), rejected=0.25)
    >>> distribution.cdf(-1.0), distribution.cdf(0.5), distribution.sf(-1.0)  # 1/4 + 3/4 1/2
    (0.25, 0.625, 0.75)
    """

    base: Distribution
    rejected: float

    def __post_init__(self) -> None:
        if not isinstance(self.base, Distribution) or self.base.continuous is None:
            raise InputTypeError.about("base")(
                "base must be a distribution with a density, such as Beta; got"
                f" {type(self.base).__name__}. Of scores: br.Empirical with values of -inf."
            )
        object.__setattr__(self, "rejected", fraction(self.rejected, "rejected"))
        if not self.rejected < 1.0:
            raise refusal("rejected", "be below 1, so that something is left for base", "1.0")

    @property
    def on_unit(self) -> bool:  # type: ignore[override]
        """Whether the base lives on [0, 1]."""
        return self.base.on_unit

    @property
    def _scored(self) -> Distribution:
        return self.base

    @property
    def _rest(self) -> float:
        return 1.0 - self.rejected

    @property
    def support(self) -> tuple[float, float]:
        """From -inf, where trials without a score are."""
        low, high = self.base.support
        return (-math.inf if self.rejected else low), high

    @property
    def atoms(self) -> Atoms:
        """That at -inf, and those of the base."""
        inner = self.base.atoms
        if not self.rejected:
            return inner
        places = np.concatenate([[-np.inf], inner.places])
        return Atoms(places, np.concatenate([[self.rejected], self._rest * inner.masses]))

    @property
    def continuous(self) -> tuple[float, Distribution]:
        """Mass and distribution of the continuous part."""
        share, base = self.base.continuous or (1.0, self.base)
        return self._rest * share, base

    @property
    def mean(self) -> float:
        """-inf, where any trial has no score."""
        return -math.inf if self.rejected else self.base.mean

    @property
    def var(self) -> float:
        """No number, where any trial has no score."""
        return math.nan if self.rejected else self.base.var

    def _lower(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        value, log = self.base._lower(t)
        total = np.where(value == 1.0, 1.0, np.minimum(self.rejected + self._rest * value, 1.0))
        if not self.rejected:
            return total, log
        return total, np.where(total > 0.5, np.log1p(self._rest * np.expm1(log)), np.log(total))

    def _upper(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        value, log = self.base._upper(t)
        return self._rest * value, log + math.log1p(-self.rejected)

    def _log_density(self, t: Thresholds) -> FloatArray:
        return self.base._log_density(t) + math.log1p(-self.rejected)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        return self.base._log_density_slope(t)

    def _log_pdf(self, t: Thresholds) -> FloatArray:
        return self.base._log_pdf(t) + math.log1p(-self.rejected)

    def _lower_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        # P(S <= .) >= p is P(S > .) <= 1 - p, and 1 - p is exact beyond one half.
        beyond = p > 0.5
        rest = np.clip((np.where(beyond, 0.5, p) - self.rejected) / self._rest, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            near = self.base._lower_quantile(np.where(np.isnan(p), p, rest), np.log(rest))
            upper = np.where(beyond, 1.0 - p, 0.5)
            far = self._upper_quantile(upper, np.log(upper))
        result = choose(beyond, far, near)
        return choose(p <= self.rejected, _nobody(p), result) if self.rejected else result

    def _upper_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        rest = np.minimum(p / self._rest, 1.0)
        result = self.base._upper_quantile(
            rest, np.minimum(log_p - math.log1p(-self.rejected), 0.0)
        )
        return choose(p >= self._rest, _nobody(p), result) if self.rejected else result

    def _tails(self) -> tuple[Tail, Tail]:
        lower, upper = (
            replace(
                tail, log_coefficient=tail.log_coefficient + math.log1p(-self.rejected),
                mass=self._rest * tail.mass, share=self._rest * tail.share,
            )
            for tail in self.base._tails()
        )  # fmt: skip
        return (Tail(-math.inf, 0, mass=self.rejected) if self.rejected else lower), upper

    def _parameters(self) -> tuple[Parameter, ...]:
        return (*self.base._parameters(), Parameter(REJECTED, self.rejected, REJECTED))

    def _replaced(self, values: Mapping[str, float]) -> Rejecting:
        rest = {name: v for name, v in values.items() if name != REJECTED}
        return Rejecting(self.base._replaced(rest), values.get(REJECTED, self.rejected))

    def _score(self, t: Thresholds) -> FloatArray:
        absent = t.theta == -np.inf
        with np.errstate(all="ignore"):
            inner = np.where(absent, 0.0, self.base._score(t))
        own = np.where(absent, 1.0 / self.rejected, -1.0 / self._rest) if self.rejected else absent
        return np.concatenate([inner, np.reshape(own * 1.0, (1, *t.shape))])

    def _unit_covariance(self) -> FloatArray:
        base = self.base._unit_covariance()
        whole = np.zeros((base.shape[0] + 1,) * 2)
        whole[:-1, :-1] = base / self._rest
        whole[-1, -1] = self.rejected * self._rest
        return whole

    def _tail_rows(
        self, values: Mapping[str, FloatArray], t: Thresholds
    ) -> tuple[FloatArray, FloatArray]:
        inner = {name: v for name, v in values.items() if name != REJECTED}
        lower, upper = self.base._tail_rows(inner, t)
        absent = values.get(REJECTED, self.rejected)
        return np.minimum(absent + (1.0 - absent) * lower, 1.0), (1.0 - absent) * upper

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        absent = rng.random(size) < self.rejected
        return np.where(absent, -np.inf, self.base._sample(size, rng))


def _nobody(p: FloatArray) -> Thresholds:
    """The threshold that accepts everyone who has a score."""
    return Thresholds.from_theta(np.full(p.shape, -np.inf))


def base_of(law: Distribution) -> Distribution:
    """The distribution of the scores between the point masses."""
    return base_of(law.base) if isinstance(law, Inflated | Rejecting) else law
