"""A distribution whose scores an increasing map has moved: a shift between two data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray
from betaroc.core.checks import finite, flag, positive
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.text import typed
from betaroc.core.thresholds import BELOW_ONE, Coordinate, Thresholds, choose
from betaroc.distributions.base import BENDS, Atoms, Distribution, Parameter, Tail, TwoArrays
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.inflated import Inflated, base_of
from betaroc.distributions.normal import LogitNormal, Normal
from betaroc.distributions.pairs import Pair, closed_forms, pair_of
from betaroc.distributions.spliced import Spliced


@dataclass(frozen=True, eq=False, repr=False)
class Shifted(Distribution):
    """The distribution of a score that is moved by a strictly increasing map.

        logit s' = scale logit s + shift    distributions on [0, 1]
        s' = scale s + shift                other distributions

    Parameters
    ----------
    base : Distribution
        Distribution of the score s before the move.
    shift : float
        In units of the logit on [0, 1], else of the score; positive moves scores up.
    scale : float
        Positive; above 1 spreads the scores.
    logit : bool, optional
        Which map; left out: the first where `base` lies in [0, 1]. With False
        Shifted(Beta(a, b), -1, 2, logit=False) lies in [-1, 1].

    Raises
    ------
    InputError, InputTypeError
        If `shift` is not finite, `scale` not finite and positive, the map not one of the base's
        scale, or two point masses fall on one double.

    Notes
    -----
    On [0, 1] scores of 0 and 1 stay, and an end's exponent is divided by `scale`. One map of both
    distributions of a pair leaves the ROC. Mean and variance on [0, 1] are quadratures (relative
    error 1e-12). Samples are moved by `ScoreModel.shifted`.

    Examples
    --------
    >>> from betaroc import Beta, Shifted
    >>> round(Shifted(Beta(2, 1), shift=1.0).ppf(0.25), 6)  # the logit of 1/2 is 0
    0.731059
    """

    base: Distribution
    shift: float = 0.0
    scale: float = 1.0
    logit: bool | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.base, Distribution) or self.base.continuous is None:
            rule = "be a distribution with a density, such as Beta(a, b)"
            remedy = "Scores themselves are moved by ScoreModel.shifted."
            raise refusal("base", rule, typed(self.base), remedy, InputTypeError)
        shift, scale = finite(self.shift, "shift"), positive(self.scale, "scale")
        on_unit = lies_on_unit(self.base)
        logit = on_unit if self.logit is None else flag(self.logit, "logit")
        if logit and not on_unit:
            low, high = self.base.support
            rule = f"be False for a base on [{low:g}, {high:g}]"
            raise refusal("logit", rule, "True", "Leave it out.")
        base = self.base
        if isinstance(base, Shifted) and base.in_logit == logit:
            shift = finite(shift + scale * base.shift, "shift of both moves together")
            scale = positive(scale * base.scale, "scale of both moves together")
            base = base.base
        option = None if logit == lies_on_unit(base) else logit
        for name, value in (("base", base), ("shift", shift), ("scale", scale), ("logit", option)):
            object.__setattr__(self, name, value)
        if np.any(np.diff(self.atoms.places) <= 0.0):
            actual = f"{scale!r} with shift {shift!r}, which make them one double"
            rule = "keep the point masses of base apart"
            raise refusal("scale", rule, actual, "Give a larger scale.")

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Any:
        """Of a sample, in older documents, the moved sample."""
        law, shift, scale = content["base"], content["shift"], content["scale"]
        if law.continuous is not None:
            return super()._restored(content)
        logit = content.get("logit") in (None, True) and lies_on_unit(law)
        content.clear()  # nothing of the move is left to compare
        return moved_law(law, shift, scale, logit=logit)

    @property
    def in_logit(self) -> bool:
        """Whether the logit is moved, not the score."""
        return lies_on_unit(self.base) if self.logit is None else self.logit

    @property
    def on_unit(self) -> bool:  # type: ignore[override]
        return self.base.on_unit and self.in_logit

    @property
    def _stretch(self) -> Coordinate | None:
        """The range that a base on [0, 1] is moved to."""
        if self.in_logit or not self.base.on_unit:
            return None
        return Coordinate((self.shift, self.shift + self.scale))

    # ------------------------------------------------------------------ the map
    def _there(self, t: Thresholds) -> Thresholds:
        """Where the map takes thresholds of the base."""
        if self._stretch is not None:
            outside = Thresholds.from_theta(self.scale * t.theta + self.shift)
            return choose(np.isfinite(t.logit), self._stretch.place(t.logit), outside)
        if not self.in_logit:
            with np.errstate(over="ignore"):
                return Thresholds.from_theta(self.scale * t.theta + self.shift)
        return _along(t, self.scale, self.shift)

    def _back(self, t: Thresholds) -> Thresholds:
        if self.in_logit:
            return _along(t, 1.0 / self.scale, -self.shift / self.scale)
        with np.errstate(over="ignore"):
            theta = (t.theta - self.shift) / self.scale
        # Rounding must not carry a threshold past a point mass.
        for place in self.base.atoms.places:
            present = self.scale * place + self.shift
            below = np.minimum(theta, np.nextafter(place, -np.inf))
            theta = np.where(t.theta < present, below, np.maximum(theta, place))
        direct = Thresholds.from_theta(theta)
        if self._stretch is None:
            return direct
        logit = self._stretch.of(t)
        return choose(np.isfinite(logit), Thresholds.from_logit(logit), direct)

    # ------------------------------------------------------------------ the contract
    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        return self.base._side(self._back(t), lower=lower)

    def _inverse(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        return self._there(self.base._inverse(p, log_p, lower=lower))

    def _log_density(self, t: Thresholds) -> FloatArray:
        u = self._back(t)
        inner = self.base._log_density(u)
        if self._stretch is not None:
            with np.errstate(invalid="ignore"):
                inner = np.where(np.isinf(u.logit), -np.inf, inner - u.log_jacobian)
        return inner - math.log(self.scale)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        u = self._back(t)
        slope = self.base._log_density_slope(u)
        if self._stretch is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                slope = slope * np.exp(-u.log_jacobian)
        if not self.on_unit:
            return np.asarray(slope / self.scale)
        # The slope in the logit is that in the score and 1 - 2 theta.
        rise = slope + _odds_slope(u)
        return np.asarray(rise / self.scale - _odds_slope(t))

    def _log_pdf(self, t: Thresholds) -> FloatArray:
        value = super()._log_pdf(t)
        if not self.base.on_unit:
            return value
        for tail in self._tails():
            here = (t.theta == tail.place) & (np.isinf(t.logit) | (self._stretch is not None))
            limit = tail.log_coefficient if tail.rate == 1.0 else math.inf
            limit = limit if tail.order == 1 and tail.rate <= 1.0 else -math.inf
            value = np.where(here, limit, value)
        return value

    def _landmarks(self, depths: FloatArray) -> Thresholds:
        places = [self.base._landmarks(depths)]
        if self.on_unit:  # where the base's density bends
            places.append(Thresholds.from_logit(BENDS))
        return self._there(Thresholds.concatenate(places))

    def _tails(self) -> tuple[Tail, Tail]:
        lower, upper = self.base._tails()
        return self._moved_tail(lower, 1.0), self._moved_tail(upper, -1.0)

    def _moved_tail(self, tail: Tail, up: float) -> Tail:
        place = float(self._there(Thresholds.from_theta(tail.place)).theta)
        if not self.in_logit and (tail.order < 0 or math.isfinite(tail.place)):
            # A distance to the end, or a score far out, is multiplied by the scale.
            rise = math.log(self.scale) * (1.0 if tail.order < 0 else up)
            loss = math.log(self.scale) if tail.order > 0 else -rise
            log_c = tail.log_coefficient - tail.rate * loss
            return replace(tail, place=place, centre=tail.centre + rise, log_coefficient=log_c)
        if not math.isnan(tail.width):
            centre = self.scale * tail.centre + self.shift
            return replace(tail, place=place, centre=centre, width=self.scale * tail.width)
        rate = tail.rate / self.scale
        # The distance to the end is d' = (e^(+-shift) d^scale) in the limit.
        log_c = tail.log_coefficient - up * rate * self.shift
        return replace(tail, place=place, rate=rate, log_coefficient=log_c)

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        if self.in_logit:  # doubles near 1 are coarse
            return super()._sample(size, rng)
        return self._there(Thresholds.from_theta(self.base._sample(size, rng))).theta

    # ------------------------------------------------------------------ what it is
    @property
    def support(self) -> tuple[float, float]:
        low, high = self._there(Thresholds.from_theta(self.base.support)).theta.tolist()
        return low, high

    @property
    def atoms(self) -> Atoms:
        atoms = self.base.atoms
        return Atoms(self._there(Thresholds.from_theta(atoms.places)).theta, atoms.masses)

    @property
    def continuous(self) -> tuple[float, Distribution]:
        share, law = self.base.continuous or (1.0, self.base)
        return share, self if law is self.base else replace(self, base=law)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        if not self.in_logit:
            return self.scale * self.base.mean + self.shift, self.scale * self.base._sd
        return self._integrated_moments()

    def _parameters(self) -> tuple[Parameter, ...]:
        if self._stretch is not None:  # a range is known
            return self.base._parameters()
        of_map = Parameter("shift", self.shift, "plain"), Parameter("stretch", self.scale, "log")
        return (*self.base._parameters(), *of_map)

    def _replaced(self, values: Mapping[str, float]) -> Shifted:
        rest = {name: v for name, v in values.items() if name not in ("shift", "stretch")}
        shift, scale = values.get("shift", self.shift), values.get("stretch", self.scale)
        return Shifted(self.base._replaced(rest), shift, scale, logit=self.logit)


def lies_on_unit(law: Distribution) -> bool:
    """Whether all scores of a distribution lie in [0, 1]."""
    low, high = law.support
    return 0.0 <= low and high <= 1.0


def bounds_of(law: Distribution) -> tuple[float, float] | None:
    """The range that a distribution on [0, 1] was moved to."""
    law = base_of(law)
    law = law.body if isinstance(law, Spliced) else law
    stretched = isinstance(law, Shifted) and law._stretch is not None
    return law.support if stretched else None


def score_range(law: Distribution | None) -> tuple[float, float]:
    """What a family on [0, 1] takes for 0 and 1."""
    return (None if law is None else bounds_of(law)) or (0.0, 1.0)


def between_ends(law: Distribution | None, values: FloatArray) -> BoolArray:
    """Which scores are neither."""
    low, high = score_range(law)
    share = (values - low) / (high - low)
    return (share > 0.0) & (share < 1.0)


def moved_law(law: Distribution, shift: float, scale: float, *, logit: bool) -> Distribution:
    """The distribution of the moved score, in its family if possible."""
    if shift == 0.0 and scale == 1.0:
        return law
    if isinstance(law, LogitNormal if logit else Normal):
        return replace(law, mu=scale * law.mu + shift, sigma=scale * law.sigma)
    if isinstance(law, Inflated) and logit:
        return replace(law, base=moved_law(law.base, shift, scale, logit=logit))
    if not isinstance(law, Empirical):
        return Shifted(law, shift, scale, logit=logit)
    places, index = np.unique(law.values, return_inverse=True)
    there = _along(Thresholds.from_theta(places), scale, shift).theta
    with np.errstate(over="ignore"):
        there = there if logit else scale * places + shift
    return Empirical(np.maximum.accumulate(there)[index], law.weights)


def _along(t: Thresholds, rate: float, start: float) -> Thresholds:
    """The line in the logit; 0, 1 and what lies outside stay."""
    inside = np.isfinite(t.logit)
    with np.errstate(over="ignore"):
        y = rate * np.where(inside, t.logit, 0.0) + start
    return choose(inside, Thresholds.from_logit(np.clip(y, -BELOW_ONE, BELOW_ONE)), t)


def _odds_slope(t: Thresholds) -> FloatArray:
    """Derivative of log(theta (1 - theta)) in the logit, on [0, 1]."""
    return np.clip(t.complement, 0.0, 1.0) - np.clip(t.theta, 0.0, 1.0)


class ShiftedPair(Pair):
    """Both distributions moved by one map."""

    def __init__(self, client: Distribution, impostor: Distribution) -> None:
        super().__init__(client, impostor)
        self._move = cast(Shifted, self._base("client"))
        self._inner = pair_of(_before(client), _before(impostor))
        for name in ("end_log_ratio", "decisive_sides", "auc", "auc_continuous"):
            setattr(self, name, getattr(self._inner, name))

    def log_ratio(self, t: Thresholds) -> FloatArray:
        return self._inner.log_ratio(self._move._back(t))

    def log_excess(self, t: Thresholds, *, lower: bool) -> FloatArray:
        if self.atom_places.size:
            return super().log_excess(t, lower=lower)
        return self._inner.log_excess(self._move._back(t), lower=lower)

    def ratio_roots(self, level: float) -> Thresholds:
        return self._move._there(self._inner.ratio_roots(level))

    def turning_points(self) -> Thresholds:
        return self._move._there(self._inner.turning_points())


def _before(law: Distribution) -> Distribution:
    if isinstance(law, Inflated):
        return replace(law, base=cast(Shifted, law.base).base)
    return cast(Shifted, law).base


def _forms(client: Distribution, impostor: Distribution) -> Pair:
    one, two = (cast(Any, law.continuous)[1] for law in (client, impostor))
    together = (one.shift, one.scale, one.in_logit) == (two.shift, two.scale, two.in_logit)
    inside = one.in_logit or all(isinstance(law, Shifted) for law in (client, impostor))
    return (ShiftedPair if together and inside else Pair)(client, impostor)


closed_forms(Shifted, Shifted, _forms)
