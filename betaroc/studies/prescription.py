"""What a pair of distributions is asked for, checked, and why no pair can have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from betaroc.core.checks import choice, positive
from betaroc.core.containers import width_of
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.text import shown
from betaroc.distributions.beta import Shape
from betaroc.studies.solve_goals import StatisticGoal, checked_goals

END_NAMES = ("at_zero", "at_one")
SHAPES = (Shape.U, Shape.J, Shape.REVERSE_J, Shape.BELL)
#: Signs of log a and log b inside each open shape.
SIGNS = {Shape.U: (-1, -1), Shape.BELL: (1, 1), Shape.J: (1, -1), Shape.REVERSE_J: (-1, 1)}
_PARAMETERS = {"beta": 4, "normal": 2, "logit-normal": 2}


@dataclass(frozen=True)
class Prescription:
    """What is asked for; None where it is left free.

    ``sides`` holds for each end the sign of log exponent: -1 (semi-derivative inf), 0 (a tie),
    1 (semi-derivative 0), or None; ``ties`` the finite semi-derivatives.
    """

    auc: float | None
    eer: float | None
    crossing: float | None
    exponents: tuple[float | None, float | None]
    ties: tuple[float | None, float | None]
    shapes: tuple[Shape | None, Shape | None]
    sides: tuple[int | None, int | None]
    goals: tuple[StatisticGoal, ...] = ()

    @property
    def rates(self) -> dict[str, float]:
        """AUC, EER and crossing, as far as they are prescribed."""
        named = {"auc": self.auc, "eer": self.eer, "crossing": self.crossing}
        return {name: value for name, value in named.items() if value is not None}

    @property
    def by_table(self) -> tuple[StatisticGoal, ...]:
        """Everything but shapes and slopes as numbers of the table."""
        given = {"far@crossing" if n == "crossing" else n: v for n, v in self.rates.items()}
        for end, rho in zip(("at-zero", "at-one"), self.exponents, strict=True):
            given |= {} if rho is None else {f"exponent-{end}": rho}
        return (*self.goals, *checked_goals(given))

    def asked(self) -> str:
        """In words, for messages."""
        words = [f"{name}={value!r}" for name, value in self.rates.items()]
        for name, pair in (("exponents", self.exponents), ("slopes", self.ties)):
            if any(value is not None for value in pair):
                words.append(f"{name}={pair}")
        if any(self.shapes):
            words.append(f"shapes={tuple(s and s.value for s in self.shapes)}")
        words += map(str, self.goals)
        return ", ".join(words)


class _Sides:
    """The sign of log exponent at each end, and which prescription forces it."""

    def __init__(self) -> None:
        self.known: list[tuple[int, str] | None] = [None, None]

    def force(self, end: int, sign: int, why: str) -> None:
        before = self.known[end]
        if before is None:
            self.known[end] = (sign, why)
        elif before[0] != sign:
            raise InputError(
                f"no pair of beta distributions: {before[1]} needs an exponent {END_NAMES[end]}"
                f" {_compared(before[0])}, and {why} one {_compared(sign)}: the semi-derivative is"
                " inf below exponent 1, 0 above, finite at 1. Leave one out."
            )

    @property
    def signs(self) -> tuple[int | None, int | None]:
        zero, one = (known and known[0] for known in self.known)
        return zero, one

    def why(self) -> str:
        return " and ".join(dict.fromkeys(known[1] for known in self.known if known))


def prescribed(
    auc: Any, eer: Any, exponents: Any, slopes: Any, shapes: Any, crossing: Any, goals: Any,
    family: str,
) -> Prescription:  # fmt: skip
    """The prescription, or the InputError that says why no pair can meet it."""
    auc, eer, named = _own_arguments(auc, eer, checked_goals(goals))
    rates = {
        name: None if value is None else _rate(value, name)
        for name, value in (("auc", auc), ("eer", eer), ("crossing", crossing))
    }
    rho = _both(exponents, "exponents", positive)
    slope = _both(slopes, "slopes", _slope)
    kinds = _both(shapes, "shapes", _shape, ("client", "impostor"))
    if not any(v is not None for v in (*rates.values(), *rho, *slope, *kinds, *named)):
        raise InputError("solve_pair must be given something to meet; got nothing. Give an auc.")
    if family != "beta" and any(kinds):
        raise InputError.about("shapes")(
            f"shapes must be left out for the {family} family, whose distributions have none; got"
            f" {tuple(k and k.value for k in kinds)}."
        )
    ties = _finite(slope[0]), _finite(slope[1])
    asked = Prescription(
        **rates, exponents=rho, ties=ties, shapes=kinds, sides=(None, None), goals=named
    )
    _refuse_too_many(asked, family)
    sides = _Sides()
    for end, name in enumerate(END_NAMES):
        # Normal distributions of one width have exponent 1 and still slopes of 0 and inf.
        if rho[end] is not None and family == "beta":
            sides.force(end, int(np.sign(math.log(rho[end]))), f"exponent {name} {rho[end]!r}")
        if slope[end] is not None:
            sign = {0.0: 1, math.inf: -1}.get(slope[end], 0)
            sides.force(end, sign, f"slope {name} {slope[end]!r}")
    if family == "beta":
        _force_by_shapes(sides, kinds)
        _force_by_ties(sides, ties)
        _check_rates(asked, sides)
        asked = replace(asked, sides=sides.signs)
        _check_range_of_exponents(asked)
        return asked
    if named and any(value is not None for value in slope):
        raise InputError.about("slopes")(
            f"slopes beside goals are for the beta family; got {slope} for {family!r}. Leave them"
            " out, or give exponents."
        )
    return replace(asked, sides=sides.signs)


# ------------------------------------------------------------------ arguments
def _own_arguments(
    auc: Any, eer: Any, goals: tuple[StatisticGoal, ...]
) -> tuple[Any, Any, tuple[StatisticGoal, ...]]:
    """Goals that have an argument of their own, and a theorem, go there."""
    own = {"auc": auc, "eer": eer}
    for goal in goals:
        name = str(goal.asked)
        if own.get(name) is not None:
            raise InputError.about("goals")(
                f"{name} must be given once; got {name}={own[name]!r} and {goal} in goals. Leave"
                " one out."
            )
        if name in own:
            own[name] = goal.value
    return own["auc"], own["eer"], tuple(g for g in goals if str(g.asked) not in own)


def _rate(value: Any, name: str) -> float:
    number = positive(value, name)
    if not number < 1.0:
        raise InputError.about(name)(f"{name} must lie strictly between 0 and 1; got {number!r}.")
    return number


def _slope(value: Any, name: str) -> float:
    plain = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if plain and value in (0.0, math.inf):
        return float(value)
    return positive(value, name)


def _finite(slope: float | None) -> float | None:
    return slope if slope is not None and 0.0 < slope < math.inf else None


def _shape(value: Any, name: str) -> Shape:
    return Shape(choice(value, [s.value for s in SHAPES], name))


def _both(given: Any, name: str, check: Any, parts: Sequence[str] = END_NAMES) -> tuple[Any, Any]:
    if given is None:
        return None, None
    if width_of(given) != 2:
        raise InputTypeError.about(name)(
            f"{name} must be two entries, ({parts[0]}, {parts[1]}), each one or None; got"
            f" {shown(given)}. Give a tuple of two."
        )
    one, two = (
        None if v is None else check(v, f"{name}, {part}")
        for v, part in zip(given, parts, strict=True)
    )
    return one, two


def _refuse_too_many(asked: Prescription, family: str) -> None:
    free = 4 if asked.goals else _PARAMETERS[family]
    numbers = len(asked.rates) + len(asked.goals) + sum(v is not None for v in asked.ties)
    tied = [
        r is not None or t is not None for r, t in zip(asked.exponents, asked.ties, strict=True)
    ]
    # Both exponents of a normal pair are one number.
    numbers += sum(tied) if family == "beta" else any(tied)
    if numbers > free:
        what = f"a pair of {family} distributions has four parameters" if free == 4 else (
            f"the ROC of two {family} distributions has two"
        )  # fmt: skip
        raise InputError(
            f"no more than {free} numbers can be prescribed, since {what}; got {numbers} (a finite"
            f" slope counts twice: the tie and its value): {asked.asked()}. Leave one out."
        )


# ------------------------------------------------------------------ what forces what
def _force_by_shapes(sides: _Sides, kinds: tuple[Shape | None, Shape | None]) -> None:
    client, impostor = kinds
    if client is None or impostor is None:
        return
    for end in (0, 1):
        difference = SIGNS[impostor][end] - SIGNS[client][end]
        if difference:
            why = f"shapes ({client.value}, {impostor.value})"
            sides.force(end, int(np.sign(difference)), why)


def _force_by_ties(sides: _Sides, ties: tuple[float | None, float | None]) -> None:
    """B falls in each shape: with a tie the semi-derivative is above 1 iff the other end's is."""
    for end, value in enumerate(ties):
        if value is not None:
            why = f"slope {END_NAMES[end]} {value!r}"
            sides.force(1 - end, int(np.sign(math.log(value))), why)


def _compared(sign: int) -> str:
    return ("below 1", "of 1", "above 1")[sign + 1]


def _kind(zero: int | None, one: int | None) -> str | None:
    """The whole curve from the two ends (the theorem on beta pairs)."""
    if zero is None or one is None:
        return None
    if zero == one == 0:
        return "chance"
    if zero * one > 0:
        return "hooked"
    return "proper" if zero <= 0 <= one else "below"


_WHAT = {
    "chance": "the two distributions are equal and the ROC is the diagonal",
    "proper": "the ROC lies above the diagonal everywhere and is concave",
    "below": "the ROC lies below the diagonal everywhere and is convex",
}


def _check_rates(asked: Prescription, sides: _Sides) -> None:
    kind = _kind(*sides.signs)
    if asked.crossing is not None:
        if kind in _WHAT or 0 in sides.signs:
            why = _WHAT.get(kind or "", "a tie at an end makes it concave or convex")
            raise InputError(
                f"no crossing of the diagonal: with {sides.why()} {why}. A crossing needs both"
                " exponents below 1 or both above 1. Leave crossing out."
            )
        for end in (0, 1):
            other = sides.known[1 - end]
            if sides.known[end] is None and other is not None:
                sides.force(end, other[0], f"a crossing with {other[1]}")
    for name, value in (("auc", asked.auc), ("eer", asked.eer)):
        if value is None or kind not in _WHAT:
            continue
        better = (value < 0.5) == (name == "eer") and value != 0.5
        fits = {"chance": value == 0.5, "proper": better, "below": not better and value != 0.5}
        if not fits[str(kind)]:
            above = (kind == "proper") == (name == "auc")
            needs = "= 1/2" if kind == "chance" else "> 1/2" if above else "< 1/2"
            raise InputError(
                f"no pair: with {sides.why()} {_WHAT[str(kind)]}, so that {name} {needs}; got"
                f" {name}={value!r}. Leave one of them out."
            )
    _check_areas(asked, kind, sides)
    _check_tangents(asked)


def _check_areas(asked: Prescription, kind: str | None, sides: _Sides) -> None:
    a, e, f = asked.auc, asked.eer, asked.crossing
    if a is not None and e is not None and kind != "chance":
        low, high, why = _area_at_eer(e, kind)
        _refuse_outside(a, low, high, "auc", f"at an EER of {e!r} {why}")
    if e is not None and f is not None:
        _check_crossing_at_eer(e, f, sides.signs[0])
    if a is not None and f is not None:
        low, high = _area_at_crossing(f, sides.signs[0])
        why = f"a ROC that rises and meets the diagonal at {f!r} alone has no other area"
        _refuse_outside(a, low, high, "auc", why)


def _area_at_eer(e: float, kind: str | None) -> tuple[float, float, str]:
    if kind == "proper":
        return 1.0 - e, 1.0 - 2.0 * e * e, (
            "a concave ROC lies above the chords to its EER point and below a line through it"
        )  # fmt: skip
    if kind == "below":
        return 2.0 * (1.0 - e) ** 2, 1.0 - e, (
            "a convex ROC lies below the chords to its EER point and above a line through it"
        )  # fmt: skip
    return (1.0 - e) ** 2, 1.0 - e * e, "any ROC rises, through (EER, 1 - EER)"


def _area_at_crossing(f: float, side: int | None) -> tuple[float, float]:
    """Above the diagonal before f and below after it (exponents above 1), or the reverse."""
    above_first = f - 0.5 * f * f, 0.5 * (1.0 + f * f)
    below_first = 0.5 * (1.0 - f * f), 1.0 - f + 0.5 * f * f
    if side is None:
        return min(above_first[0], below_first[0]), max(above_first[1], below_first[1])
    return above_first if side > 0 else below_first


def _check_crossing_at_eer(e: float, f: float, side: int | None) -> None:
    low, high = min(e, 1.0 - e), max(e, 1.0 - e)
    between = low <= f <= high and not e == f == 0.5
    # Above the diagonal at the EER point iff e < 1/2; then the side says on which side of f it is.
    wrong = side is not None and e != 0.5 and (f > 0.5) != ((side > 0) == (e < 0.5))
    if between or wrong:
        where = "" if side is None else " with both exponents " + _compared(side)
        place = f"outside [{low:.6g}, {high:.6g}]"
        if side is not None and e != 0.5:
            place = f"above {high:.6g}" if (side > 0) == (e < 0.5) else f"below {low:.6g}"
        raise InputError.about("crossing")(
            f"crossing must lie {place} at an EER of {e!r}{where}, since the ROC rises through"
            f" (EER, 1 - EER) and meets the diagonal once; got {f!r}."
        )


def _check_tangents(asked: Prescription) -> None:
    """With a tie the ROC is concave or convex and lies on one side of its tangent at that end."""
    for end, value in enumerate(asked.ties):
        if value is None or value == 1.0:
            continue
        slope = value if end else 1.0 / value
        concave = (value > 1.0) != bool(end)
        why = (
            f"with slope {END_NAMES[end]} {value!r} the ROC is {'concave' if concave else 'convex'}"
            " and lies on one side of its tangent there"
        )
        if asked.auc is not None:
            bound = 1.0 - 0.5 * slope if concave else 0.5 / slope
            low, high = (0.5, bound) if concave else (bound, 0.5)
            _refuse_outside(asked.auc, low, high, "auc", why)
        if asked.eer is not None:
            bound = slope / (1.0 + slope)
            low, high = (bound, 0.5) if concave else (0.5, bound)
            _refuse_outside(asked.eer, low, high, "eer", why)


def _refuse_outside(value: float, low: float, high: float, name: str, why: str) -> None:
    if not low < value < high:
        raise InputError.about(name)(
            f"{name} must lie between {low:.6g} and {high:.6g}: {why}; got {value!r}."
        )


# ------------------------------------------------------------------ both exponents
def _check_range_of_exponents(asked: Prescription) -> None:
    """Limits of small and of large shapes bound what two exponents allow."""
    zero, one = asked.exponents
    if zero is None or one is None or zero == one == 1.0:
        return
    given = f"beta pairs of exponents ({zero!r}, {one!r}) reach these in the limits of their shapes"
    if asked.auc is not None:
        # F_i = F_c^zero as a -> 0, FAR = TPR^one as b -> 0.
        low, high = _span(
            1.0 / (1.0 + zero), one / (1.0 + one), better=zero < one, worse=zero > one
        )
        _refuse_outside(asked.auc, low, high, "auc", given)
    if asked.eer is not None:
        ends = _power_eer(zero), 1.0 - _power_eer(one)
        low, high = _span(*ends, better=zero > one, worse=zero < one)
        _refuse_outside(asked.eer, low, high, "eer", given)


def _span(first: float, second: float, *, better: bool, worse: bool) -> tuple[float, float]:
    """Between two limits of small shapes, and to an end where large ones separate the classes."""
    low, high = min(first, second), max(first, second)
    return (0.0 if worse else low), (1.0 if better else high)


def _power_eer(rho: float) -> float:
    """e with 1 - e = e^rho."""
    from scipy.optimize import brentq

    return float(brentq(lambda e: 1.0 - e - e**rho, 0.0, 1.0, xtol=1e-15))
