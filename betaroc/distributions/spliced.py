"""A distribution whose ends are replaced by generalised Pareto tails."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import finite, format_value, instance, positive, span
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.text import typed
from betaroc.core.thresholds import Coordinate, Thresholds, choose
from betaroc.distributions.base import Atoms, Distribution, Parameter, Tail, TwoArrays
from betaroc.distributions.normal import LogitNormal, Normal
from betaroc.rendering.nouns import Exportable


def log1p_share(z: FloatArray) -> FloatArray:
    """log(1 + z) / z, 1 at 0, infinite from -1 down."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(z == 0.0, 1.0, np.log1p(np.maximum(z, -1.0)) / z)


@dataclass(frozen=True, eq=False, repr=False)
class ParetoTail(Exportable):
    """The mass of one class beyond a joint, and how it thins out.

        P(beyond the joint by more than x) = mass G(x),   x >= 0
        G(x) = (1 + shape x / scale)^(-1/shape),          exp(-x / scale) of shape 0

    Parameters
    ----------
    mass : float
        P(beyond the joint), in (0, 1]; 1 where there is no body.
    shape : float
        0 exponential, above 0 heavier, below 0 with an end at x = -scale/shape.
    scale : float
        Positive, in units of the coordinate.
    joint : float, optional
        Where the tail begins, on the coordinate: the logit of a score in its range, else the
        score. Left out: where the body has this mass beyond.

    Raises
    ------
    InputError
        If a number is not finite, `mass` outside (0, 1] or `scale` not positive.

    Notes
    -----
    Distances are counted away from the body. Formula: docs/theory.md, (13).

    Examples
    --------
    >>> from betaroc import ParetoTail
    >>> ParetoTail(0.1, -0.5, 2.0).end
    4.0
    """

    mass: float
    shape: float
    scale: float
    joint: float | None = None

    def __post_init__(self) -> None:
        for name, check in (("mass", finite), ("shape", finite), ("scale", positive)):
            object.__setattr__(self, name, check(getattr(self, name), name))
        if self.joint is not None:
            object.__setattr__(self, "joint", finite(self.joint, "joint"))
        if not 0.0 < self.mass <= 1.0:
            raise InputError(f"mass must lie in (0, 1], a share of the class; got {self.mass!r}.")

    @property
    def end(self) -> float:
        """Distance from the joint beyond which there is nothing."""
        return -self.scale / self.shape if self.shape < 0.0 else math.inf

    def _log_rate(self, x: npt.ArrayLike) -> FloatArray:
        return math.log(self.mass) - self._depth(np.asarray(x, dtype=np.float64))

    def _log_density(self, x: npt.ArrayLike) -> FloatArray:
        x = np.asarray(x, dtype=np.float64)
        depth = self._depth(x)
        with np.errstate(invalid="ignore"):
            inside = math.log(self.mass) - math.log(self.scale) - (1.0 + self.shape) * depth
        outside = (x < 0.0) | np.isposinf(depth)
        return np.where(outside & ~np.isnan(x), -np.inf, inside)

    def _distance(self, log_rate: npt.ArrayLike) -> FloatArray:
        """Distance at which the rate has this log."""
        from scipy.special import exprel

        depth = np.maximum(math.log(self.mass) - np.asarray(log_rate, dtype=np.float64), 0.0)
        with np.errstate(all="ignore"):
            distance = self.scale * (depth * exprel(self.shape * depth))
        return np.where(np.isposinf(depth), self.end, distance)

    def _depth(self, x: FloatArray) -> FloatArray:
        """-log G: log(1 + shape u) / shape, inf beyond the end."""
        with np.errstate(all="ignore"):
            u = np.maximum(x, 0.0) / self.scale
            z = self.shape * u
            depth = u * log1p_share(z)
        return np.where((z <= -1.0) | np.isposinf(u), np.inf, depth)


# ----------------------------------------------------------------------
# A distribution whose ends are replaced by generalised Pareto tails.
_SIDES = ("lower", "upper")
_SCALES = (("mass", "tails"), ("shape", "plain"), ("scale", "log"))
#: What is left of a whole by rounding.
_ROUNDING = 1e-14
_EDGE = 4.0 * float(np.finfo(np.float64).eps)


class _Joint(NamedTuple):
    """A tail, its place, the body's mass beyond, and -1 (lower) or 1."""

    tail: ParetoTail
    place: Thresholds
    y: float
    beyond: float
    sign: float


@dataclass(frozen=True, eq=False, repr=False)
class Spliced(Distribution):
    """A body between two joints, a generalised Pareto tail beyond each of them.

        P(S > theta) = mass G(y - joint)                    beyond the upper joint
        P(S <= theta) = share (F(theta) - F(lower joint)) / (F(upper joint) - F(lower joint)) + ...

    on the coordinate y: the logit of scores in [0, 1] or in `bounds`, else the score; share is 1
    less both masses.

    Parameters
    ----------
    body : Distribution
        Any distribution without tails of its own.
    lower, upper : ParetoTail, optional
        The tails, of masses that sum to less than 1.
    bounds : tuple of float, optional
        Ends of the scores of a body on the real line, such as (-1, 1) of cosines.

    Raises
    ------
    InputError, InputTypeError
        If there is no tail, the joints cross or are not finite, the body has no mass left or
        between them, or a point mass at an end with a tail, or `bounds` and a range of [0, 1].

    Notes
    -----
    The density is not continuous at the joints. A tail of shape 0 on the logit is a power 1/scale
    of the distance to the end.

    Examples
    --------
    >>> import betaroc as br
    >>> tail = br.ParetoTail(mass=0.01, shape=0.0, scale=0.25)
    >>> body = br.Beta(2.0, 8.0)
    >>> round(br.Spliced(body, upper=tail).sf(body.isf(0.01)), 12)
    0.01
    """

    body: Distribution
    lower: ParetoTail | None = None
    upper: ParetoTail | None = None
    bounds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.body, Distribution) or isinstance(self.body, Spliced):
            rule = "be a distribution without tails of its own, such as Beta, Normal or Empirical"
            raise refusal("body", rule, typed(self.body), "Give one.", InputTypeError)
        tails = {side: getattr(self, side) for side in _SIDES if getattr(self, side) is not None}
        for side, tail in tails.items():
            instance(tail, ParetoTail, side, "ParetoTail(mass, shape, scale)")
        if not tails:
            raise refusal("Spliced", "have a lower or an upper tail", "neither", "Give one.")
        if self.bounds is not None:
            if self.body.on_unit:
                rule = "be left out of a body on [0, 1], whose coordinate is the logit"
                raise refusal("bounds", rule, format_value(self.bounds), "Give none.")
            object.__setattr__(self, "bounds", span(self.bounds, "bounds"))
        if not 1.0 - math.fsum(self._masses) >= -_ROUNDING:
            rule = "sum to less than 1, so that something is left for the body"
            raise refusal("the masses of both tails", rule, " + ".join(map(repr, self._masses)))
        for joint in self._joints:
            upper = joint.sign > 0.0
            end, side = self.body._tails()[upper], _SIDES[upper]
            if self.body.continuous is not None and end.mass > 0.0:
                rule, remedy = "have no point mass at the end of a tail", f"Leave {side} out."
                raise refusal("a body", rule, f"{end.mass:.6g} at {end.place:g}", remedy)
        places = [joint.y for joint in self._joints]
        if not (np.all(np.isfinite(places)) and self._inner > 0.0):
            rule = "have mass between finite joints, and the lower joint lie below the upper one"
            raise refusal("the body", rule, f"{places} on the coordinate")

    # ------------------------------------------------------------------ what it is made of
    @property
    def on_unit(self) -> bool:  # type: ignore[override]
        return self.body.on_unit

    @property
    def coordinate(self) -> Coordinate:
        """Where the tails are generalised Pareto."""
        return Coordinate(self.bounds, self.body.on_unit)

    @property
    def _masses(self) -> list[float]:
        return [tail.mass for tail in (self.lower, self.upper) if tail is not None]

    @cached_property
    def _left(self) -> float:
        left = 1.0 - math.fsum(self._masses)
        return left if left > _ROUNDING else 0.0

    @cached_property
    def _joints(self) -> list[_Joint]:
        """Where tails begin, the lower one first."""
        return [self._joint(tail, k) for k, tail in enumerate((self.lower, self.upper)) if tail]

    def _joint(self, tail: ParetoTail, upper: int) -> _Joint:
        atoms, y = self.body.atoms, tail.joint
        if y is None:
            p = np.array(tail.mass)
            place = self.body._inverse(p, np.log(p), lower=not upper)
        else:
            place = self.coordinate.place(np.array(y))
            # A place that is a point mass but for rounding.
            near = np.abs(atoms.places - place.theta) <= _EDGE * np.abs(atoms.places)
            if np.any(near):
                place, y = Thresholds.from_theta(atoms.places[near][0]), None
        beyond = float(self.body._side(place, lower=not upper)[0])
        if not upper:
            beyond = max(beyond - float(atoms.masses_at(place)), 0.0)
        y = float(self.coordinate.of(place)) if y is None else y
        return _Joint(tail, place, y, beyond, 1.0 if upper else -1.0)

    def _joint_of(self, *, lower: bool) -> _Joint | None:
        return next((joint for joint in self._joints if (joint.sign < 0.0) == lower), None)

    @cached_property
    def _inner(self) -> float:
        """The body's mass between the joints."""
        return 1.0 - sum(joint.beyond for joint in self._joints)

    @cached_property
    def _factor(self) -> float:
        return self._left / self._inner

    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        y, (value, log) = self.coordinate.of(t), self._body_side(t, lower=lower)
        for joint in self._joints:
            x = joint.sign * (y - joint.y)
            with np.errstate(under="ignore", divide="ignore"):
                logs = joint.tail._log_rate(x)
                rates = np.exp(logs)
                if lower == (joint.sign > 0.0):  # all but what lies beyond
                    rates, logs = 1.0 - rates, np.log1p(-rates)
            value, log = np.where(x > 0.0, rates, value), np.where(x > 0.0, logs, log)
        nan = np.isnan(t.theta)
        return np.where(nan, np.nan, value), np.where(nan, np.nan, log)

    def _body_side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        value, log = self.body._side(t, lower=lower)
        joint = self._joint_of(lower=lower)
        result = np.minimum(self._beyond(value, joint), 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            near = np.log(result)
            if joint is None:
                near = np.minimum(log + np.log(self._factor), 0.0)
            # Next to 1 the log is minus the other side, which the log of the body knows.
            rest = self._beyond(-np.expm1(log), self._joint_of(lower=not lower))
            return result, np.where(result > 0.5, np.log1p(-rest), near)

    def _beyond(self, mass: FloatArray, joint: _Joint | None) -> FloatArray:
        if joint is None:
            return mass * self._factor
        return joint.tail.mass + np.maximum(mass - joint.beyond, 0.0) * self._factor

    def _log_density(self, t: Thresholds) -> FloatArray:
        y = self.coordinate.of(t)
        with np.errstate(divide="ignore"):
            result = self.body._log_density(t) + np.log(self._factor)
        for joint in self._joints:
            x = joint.sign * (y - joint.y)
            with np.errstate(invalid="ignore"):
                beyond = joint.tail._log_density(x) + self.coordinate.log_rise(t)
            result = np.where(x > 0.0, np.where(np.isnan(beyond), -np.inf, beyond), result)
        return np.where(np.isnan(t.theta), np.nan, result)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        y, result = self.coordinate.of(t), self.body._log_density_slope(t)
        for joint in self._joints:
            tail, x = joint.tail, joint.sign * (y - joint.y)
            with np.errstate(divide="ignore", invalid="ignore"):
                slope = -joint.sign * (1.0 + tail.shape) / (tail.scale + tail.shape * x)
                slope = self.coordinate.native_slope(t, slope)
            result = np.where(x > 0.0, np.where(x < tail.end, slope, np.nan), result)
        return np.asarray(result)

    def _inverse(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        p = np.asarray(p, dtype=np.float64)
        result = self._body_quantile(p, log_p, lower=lower)
        for joint in self._joints:
            rate, logs = p, log_p
            if lower == (joint.sign > 0.0):
                with np.errstate(divide="ignore"):
                    rate, logs = 1.0 - p, np.log1p(-p)
            place = self.coordinate.place(joint.y + joint.sign * joint.tail._distance(logs))
            result = choose(np.asarray(rate < joint.tail.mass), place, result)
        return result

    def _body_quantile(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        if self._left == 0.0:  # nothing is there: the end of the tail that has all below
            place, nan = self._joints[0].place, np.where(np.isnan(p), np.nan, 0.0)
            return Thresholds(place.theta + nan, place.complement + nan, place.logit + nan)
        joint = self._joint_of(lower=lower)
        mass, beyond = (0.0, 0.0) if joint is None else (joint.tail.mass, joint.beyond)
        discrete = self.body.continuous is None or self.body.atoms.places.size > 0
        edge = (-_EDGE if lower else _EDGE) if discrete else 0.0
        share = np.clip((beyond + (p - mass) / self._factor) * (1.0 + edge), 0.0, 1.0)
        with np.errstate(divide="ignore"):
            exact = joint is None and not discrete
            log_share = log_p - math.log(self._factor) if exact else np.log(share)
        result = self.body._inverse(share, log_share, lower=lower)
        for joint in self._joints:
            outside = joint.sign * (self.coordinate.of(result) - joint.y) > 0.0
            result = choose(outside, joint.place, result)
        return result

    def _landmarks(self, depths: FloatArray) -> Thresholds:
        parts = [super()._landmarks(depths)]
        for joint in self._joints:
            beside = [np.nextafter(joint.y, side) for side in (-np.inf, np.inf)]
            parts.append(self.coordinate.place(np.array([*beside, joint.y])))
        return Thresholds.concatenate(parts)

    # ------------------------------------------------------------------ what it is
    @property
    def support(self) -> tuple[float, float]:
        """Up to the ends of the tails."""
        ends = list(self.body.support)
        for joint in self._joints:
            ends[joint.sign > 0.0] = self._end(joint)
        return ends[0], ends[1]

    def _end(self, joint: _Joint) -> float:
        return self._score_at(joint.y + joint.sign * joint.tail.end)

    @property
    def atoms(self) -> Atoms:
        """The body's between the joints, rescaled."""
        atoms = self.body.atoms
        if atoms.places.size == 0 or self._left == 0.0:
            return Atoms(np.empty(0), np.empty(0))
        y = self.coordinate.of(Thresholds.from_theta(atoms.places))
        keep = np.all([joint.sign * (y - joint.y) <= 0.0 for joint in self._joints], axis=0)
        return Atoms(atoms.places[keep], atoms.masses[keep] * self._factor)

    @cached_property
    def continuous(self) -> tuple[float, Distribution]:
        part = self.body.continuous
        if part is not None and part[1] is self.body:
            return 1.0, self
        share = math.fsum(self._masses) if part is None else 1.0 - math.fsum(self.atoms.masses)
        tails = {}
        for joint in self._joints:
            mass = min(joint.tail.mass / share, 1.0)
            tails[_SIDES[joint.sign > 0.0]] = replace(joint.tail, mass=mass, joint=joint.y)
        # Of a discrete body any with mass between the joints.
        centre = math.fsum(joint.y for joint in self._joints) / len(self._joints)
        if part is not None:
            inside = part[1]
        elif self.on_unit:
            inside = LogitNormal(centre, 1.0)
        else:
            inside = Normal(self._score_at(centre), 1.0)
        return share, Spliced(inside, bounds=self.bounds, **tails)

    def _score_at(self, y: float) -> float:
        return float(self.coordinate.place(np.array(y)).theta)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """Infinite, or nan, where a tail has no such moment."""
        heavy = [tail.shape for tail in (self.lower, self.upper) if tail is not None]
        line = not self.on_unit and self.bounds is None
        if line and max(heavy) >= 1.0:
            both = len(heavy) == 2 and min(heavy) >= 1.0
            upper = self.upper is not None and self.upper.shape >= 1.0
            return math.nan if both else math.inf if upper else -math.inf, math.inf
        if line and max(heavy) >= 0.5:
            return self._expected(lambda t: t.theta), math.inf
        return self._integrated_moments()

    def _tails(self) -> tuple[Tail, Tail]:
        tails = [
            replace(
                tail, log_coefficient=tail.log_coefficient + math.log(self._factor or 1.0),
                mass=tail.mass * self._factor, share=tail.share * self._factor,
            )
            for tail in self.body._tails()
        ]  # fmt: skip
        for joint in self._joints:
            tails[joint.sign > 0.0] = self._declared(joint)
        return tails[0], tails[1]

    def _declared(self, joint: _Joint) -> Tail:
        """A power of the distance to its end, or of the coordinate."""
        tail, place, share = joint.tail, self._end(joint), self.continuous[0]
        log_c = math.log(tail.mass)
        if tail.shape == 0.0:
            rate = 1.0 / tail.scale
            log_c += rate * joint.sign * joint.y
            return Tail(place, 1, rate=rate, log_coefficient=log_c, share=share)
        rate, unit = 1.0 / abs(tail.shape), math.log(abs(tail.shape) / tail.scale)
        if tail.shape > 0.0:
            return Tail(place, -2, rate=rate, log_coefficient=log_c - rate * unit, share=share)
        end = Thresholds.from_theta(np.array(place))
        rise = -end.log_jacobian if self.on_unit else self.coordinate.log_rise(end)
        log_c += rate * (unit + float(rise))
        return Tail(place, 1, rate=rate, log_coefficient=log_c, share=share)

    def _parameters(self) -> tuple[Parameter, ...]:
        result = list(self.body._parameters())
        for side in _SIDES:
            tail = getattr(self, side)
            if tail is not None:
                result += [Parameter(f"{side}_{k}", getattr(tail, k), of) for k, of in _SCALES]
        return tuple(result)

    def _replaced(self, values: Mapping[str, float]) -> Spliced:
        rest, changed = dict(values), {}
        for side in _SIDES:
            names = [name for name, _ in _SCALES if f"{side}_{name}" in rest]
            if names:
                numbers = {name: rest.pop(f"{side}_{name}") for name in names}
                changed[side] = replace(getattr(self, side), **numbers)
        return replace(self, body=self.body._replaced(rest) if rest else self.body, **changed)

    def _room(self, item: Parameter) -> float:
        return 1.0 if item.name.endswith("_shape") else super()._room(item)
