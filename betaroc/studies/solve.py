"""The inverse problem: a pair of distributions with a prescribed ROC."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.containers import width_of
from betaroc.core.errors import BetarocError, FitError, InputError, InputTypeError
from betaroc.core.notices import collect_warnings
from betaroc.core.special import log_beta_ratio
from betaroc.core.text import format_value
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta, Shape, auc_of_pairs
from betaroc.distributions.normal import LogitNormal, Normal
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import StatisticSpec, parse_statistics

END_NAMES = ("at_zero", "at_one")
#: Signs of log a and log b inside each open shape.
EXPONENT_SIGNS = {Shape.U: (-1, -1), Shape.J: (1, -1), Shape.REVERSE_J: (-1, 1), Shape.BELL: (1, 1)}
#: A goal is met that is so near, on the logit or the log of its range.
GOAL_MET = 1e-9
#: How far what has no number, or one at an end of its range, is from any.
_NONE = 1e3
_COMPARED = {-1: "below 1", 0: "of 1", 1: "above 1"}
_CURVES = {
    "chance": "the two distributions are equal and the ROC is the diagonal",
    "proper": "the ROC lies above the diagonal everywhere and is concave",
    "below": "the ROC lies below the diagonal everywhere and is convex",
}


class StatisticGoal(NamedTuple):
    """A number of the table of statistics, and the value that it is to have."""

    statistic: StatisticSpec
    value: float

    def __str__(self) -> str:
        """As it is given."""
        return f"{self.statistic}={self.value!r}"

    def number(self, model: ScoreModel) -> float:
        """The number of a model; nan where it has none."""
        try:
            with np.errstate(all="ignore"):
                return self.statistic.number(model)
        except (BetarocError, ArithmeticError):
            return math.nan

    def distance(self, model: ScoreModel) -> float:
        """How far a model is from it, on the logit or the log of the statistic's range."""
        low, high = self.statistic.row.low, self.statistic.row.high
        ends = np.array([self.number(model), self.value])
        if math.isinf(low):
            return float(ends[0] - ends[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            places = np.log(ends - low)
            if not math.isinf(high):
                places -= np.log(high - ends)
            return float(np.clip(places[0] - places[1], -_NONE, _NONE))


def checked_goals(argument: Any) -> tuple[StatisticGoal, ...]:
    """Numbers by the text of their statistic, each inside its range."""
    if argument is None:
        return ()
    if not isinstance(argument, Mapping):
        raise InputTypeError.about("goals")(
            "goals must be a mapping of statistics to numbers, such as {'tpr@far=0.01': 0.9}; got"
            f" {format_value(argument)} of type {type(argument).__name__}."
        )
    goals = []
    for statistic, value in zip(
        parse_statistics(list(argument), "goals"), argument.values(), strict=True
    ):
        name, row = f"goals[{str(statistic)!r}]", statistic.row
        number = checks.finite(value, name)
        if not row.low < number < row.high:
            raise InputError.about("goals")(
                f"{name} must lie strictly between {row.low:g} and {row.high:g}, the range of"
                f" {statistic.name!r}; got {number!r}."
            )
        goals.append(StatisticGoal(statistic, number))
    return tuple(goals)


EndConditions = tuple[float | None, float | None]


@dataclass
class Prescription:
    """Numbers that a pair is to have; None, or no entry, where it is left free.

    `ties` holds the finite semi-derivatives, `forced` for each end the sign of log exponent, -1
    (semi-derivative inf), 0 (a tie) or 1 (semi-derivative 0), and what forces it.
    """

    rates: dict[str, float]
    exponents: EndConditions
    ties: EndConditions
    shapes: tuple[Shape | None, Shape | None]
    goals: tuple[StatisticGoal, ...] = ()
    forced: list[tuple[int, str] | None] = field(default_factory=lambda: [None, None])

    @property
    def sides(self) -> list[int | None]:
        """The sign of log exponent at each end, as far as it is known."""
        return [None if forced is None else forced[0] for forced in self.forced]

    @property
    def why(self) -> str:
        """What forces the signs."""
        return " and ".join(dict.fromkeys(forced[1] for forced in self.forced if forced))

    def force(self, end: int, sign: int, why: str) -> None:
        """The sign of log exponent at an end follows from this."""
        before = self.forced[end]
        if before is None:
            self.forced[end] = (sign, why)
        elif before[0] != sign:
            raise InputError(
                f"no pair of beta distributions: {before[1]} needs an exponent {END_NAMES[end]}"
                f" {_COMPARED[before[0]]}, and {why} one {_COMPARED[sign]}: the semi-derivative is"
                " inf below exponent 1, 0 above, finite at 1. Leave one out."
            )

    def fixed_exponent(self, end: int) -> float | None:
        """An exponent that is given, or 1 of a tie."""
        return 1.0 if self.sides[end] == 0 else self.exponents[end]

    def numbers(self) -> tuple[StatisticGoal, ...]:
        """What has an argument of its own, as numbers of the table."""
        numbers = {"far@crossing" if n == "crossing" else n: v for n, v in self.rates.items()}
        for end, rho in zip(("at-zero", "at-one"), self.exponents, strict=True):
            if rho is not None:
                numbers[f"exponent-{end}"] = rho
        return checked_goals(numbers)

    def __str__(self) -> str:
        """All of it, for messages."""
        words = [f"{name}={value!r}" for name, value in self.rates.items()]
        for name, pair in (("exponents", self.exponents), ("slopes", self.ties)):
            if any(value is not None for value in pair):
                words.append(f"{name}={pair}")
        if any(self.shapes):
            words.append(f"shapes={tuple(s and s.value for s in self.shapes)}")
        return ", ".join([*words, *map(str, self.goals)])


def prescribed(
    rates: dict[str, Any], exponents: Any, slopes: Any, shapes: Any, goals: Any, family: str
) -> Prescription:
    """The prescription, or the InputError that says why no pair can meet it."""
    others = []
    for goal in checked_goals(goals):  # those that have an argument, and a theorem, go there
        name = str(goal.statistic)
        if name not in ("auc", "eer"):
            others.append(goal)
        elif rates[name] is not None:
            raise InputError.about("goals")(
                f"{name} must be given once; got {name}={rates[name]!r} and {goal} in goals."
                " Leave one out."
            )
        else:
            rates[name] = goal.value
    rates = {name: _rate(value, name) for name, value in rates.items() if value is not None}
    rho, slope = _both(exponents, "exponents", checks.positive), _both(slopes, "slopes", _slope)
    kinds = _both(shapes, "shapes", _shape, ("client", "impostor"))
    if not (rates or others or any(v is not None for v in (*rho, *slope, *kinds))):
        raise InputError("solve_pair must be given at least one goal; got nothing. Give an auc.")
    if family != "beta" and any(kinds):
        raise InputError.about("shapes")(
            f"shapes must be left out for the {family} family, whose distributions have none; got"
            f" {tuple(k and k.value for k in kinds)}."
        )
    if family != "beta" and others and any(value is not None for value in slope):
        raise InputError.about("slopes")(
            f"slopes beside goals are for the beta family; got {slope} for {family!r}. Leave them"
            " out, or give exponents."
        )
    at_zero, at_one = (s if s is not None and 0.0 < s < math.inf else None for s in slope)
    wanted = Prescription(rates, rho, (at_zero, at_one), kinds, tuple(others))
    _check_too_many(wanted, family)
    for end, name in enumerate(END_NAMES):
        # Normal distributions of one width have exponent 1 and still slopes of 0 and inf.
        if rho[end] is not None and family == "beta":
            wanted.force(end, _sign(rho[end]), f"exponent {name} {rho[end]!r}")
        if slope[end] is not None:
            sign = {0.0: 1, math.inf: -1}.get(slope[end], 0)
            wanted.force(end, sign, f"slope {name} {slope[end]!r}")
    if family == "beta":
        _force(wanted)
        _check_impossible(wanted)
    return wanted


def _sign(ratio: float) -> int:
    return int(np.sign(math.log(ratio)))


# ------------------------------------------------------------------ arguments
def _rate(value: Any, name: str) -> float:
    number = checks.positive(value, name)
    if not number < 1.0:
        raise InputError.about(name)(f"{name} must lie strictly between 0 and 1; got {number!r}.")
    return number


def _slope(value: Any, name: str) -> float:
    plain = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return float(value) if plain and value in (0.0, math.inf) else checks.positive(value, name)


def _shape(value: Any, name: str) -> Shape:
    return Shape(checks.choice(value, [shape.value for shape in EXPONENT_SIGNS], name))


def _both(
    argument: Any, name: str, check: Any, parts: Sequence[str] = END_NAMES
) -> tuple[Any, Any]:
    if argument is None:
        return None, None
    if width_of(argument) != 2:
        raise InputTypeError.about(name)(
            f"{name} must be two entries, ({parts[0]}, {parts[1]}), each one or None; got"
            f" {format_value(argument)}. Give a tuple of two."
        )
    first, second = (
        None if value is None else check(value, f"{name}, {part}")
        for value, part in zip(argument, parts, strict=True)
    )
    return first, second


def _check_too_many(wanted: Prescription, family: str) -> None:
    numbers = len(wanted.rates) + len(wanted.goals) + sum(v is not None for v in wanted.ties)
    ends = zip(wanted.exponents, wanted.ties, strict=True)
    fixed = [rho is not None or tie is not None for rho, tie in ends]
    # Both exponents of a normal pair are one number.
    numbers += sum(fixed) if family == "beta" else any(fixed)
    free, reason = 4, f"a pair of {family} distributions has four parameters"
    if family != "beta" and not wanted.goals:
        free, reason = 2, f"the ROC of two {family} distributions has two"
    if numbers > free:
        raise InputError(
            f"no more than {free} numbers can be prescribed, since {reason}; got {numbers} (a"
            f" finite slope counts twice: the tie and its value): {wanted}. Leave one out."
        )


# ------------------------------------------------------------------ beta pairs: what forces what
def _force(wanted: Prescription) -> None:
    """The signs of log exponents that follow from shapes and from finite slopes."""
    client, impostor = wanted.shapes
    if client is not None and impostor is not None:
        why = f"shapes ({client.value}, {impostor.value})"
        signs = zip(EXPONENT_SIGNS[impostor], EXPONENT_SIGNS[client], strict=True)
        for end, (high, low) in enumerate(signs):
            if high != low:
                wanted.force(end, int(np.sign(high - low)), why)
    # B falls in each shape: with a tie the semi-derivative is above 1 iff the other end's is.
    for end, value in enumerate(wanted.ties):
        if value is not None:
            wanted.force(1 - end, _sign(value), f"slope {END_NAMES[end]} {value!r}")


def _check_impossible(wanted: Prescription) -> None:
    """The theorems on beta pairs."""
    curve = _curve(wanted.sides)
    if "crossing" in wanted.rates:
        if curve in _CURVES or 0 in wanted.sides:
            why = _CURVES.get(curve, "a tie at an end makes it concave or convex")
            raise InputError(
                f"no crossing of the diagonal: with {wanted.why} {why}. A crossing needs both"
                " exponents below 1 or both above 1. Leave crossing out."
            )
        for end in (0, 1):
            opposite = wanted.forced[1 - end]
            if opposite is not None:
                wanted.force(end, opposite[0], f"a crossing with {opposite[1]}")
    for name in ("auc", "eer") if curve in _CURVES else ():
        value = wanted.rates.get(name, 0.5 if curve == "chance" else math.nan)
        if math.isnan(value):
            continue
        above = (curve == "proper") == (name == "auc")
        if (value != 0.5) if curve == "chance" else (value == 0.5 or (value > 0.5) != above):
            needs = "= 1/2" if curve == "chance" else "> 1/2" if above else "< 1/2"
            raise InputError(
                f"no pair: with {wanted.why} {_CURVES[curve]}, so that {name} {needs}; got"
                f" {name}={value!r}. Leave one of them out."
            )
    for name, low, high, why in _ranges(wanted, curve):
        value = wanted.rates.get(name, math.nan)
        if value <= low or value >= high:
            raise InputError.about(name)(
                f"{name} must lie between {low:.6g} and {high:.6g}: {why}; got {value!r}."
            )


def _curve(sides: Sequence[int | None]) -> str:
    """The whole curve from the two ends (the theorem on beta pairs); empty where it is open."""
    at_zero, at_one = sides
    if at_zero is None or at_one is None or at_zero * at_one > 0:
        return ""
    if at_zero == at_one == 0:
        return "chance"
    return "proper" if at_zero <= 0 <= at_one else "below"


def _ranges(wanted: Prescription, curve: str) -> Iterator[tuple[str, float, float, str]]:
    """Rates, the ends between which the other numbers leave them, and why."""
    e, f = wanted.rates.get("eer"), wanted.rates.get("crossing")
    side = wanted.sides[0]
    if e is not None and curve != "chance":
        low, high, why = (1.0 - e) ** 2, 1.0 - e * e, "any ROC rises, through (EER, 1 - EER)"
        if curve == "proper":
            low, high = 1.0 - e, 1.0 - 2.0 * e * e
            why = "a concave ROC lies above the chords to its EER point and below a line through it"
        elif curve == "below":
            low, high = 2.0 * (1.0 - e) ** 2, 1.0 - e
            why = "a convex ROC lies below the chords to its EER point and above a line through it"
        yield "auc", low, high, f"at an EER of {e!r} {why}"
    if e is not None and f is not None:
        _check_crossing(e, f, side)
    if f is not None:
        # Above the diagonal before f and below after it (exponents above 1), or the reverse.
        above, below = f - 0.5 * f * f, 0.5 * (1.0 - f * f)
        lows = [low for sign, low in ((1, above), (-1, below)) if side in (None, sign)]
        highs = [1.0 - low for sign, low in ((1, below), (-1, above)) if side in (None, sign)]
        why = f"a ROC that rises and meets the diagonal at {f!r} alone has no other area"
        yield "auc", min(lows), max(highs), why
    for end, value in enumerate(wanted.ties):
        # The ROC is concave or convex and lies on one side of its tangent at that end.
        if value is None or value == 1.0:
            continue
        slope = value if end else 1.0 / value
        concave = (value > 1.0) != bool(end)
        why = (
            f"with slope {END_NAMES[end]} {value!r} the ROC is {'concave' if concave else 'convex'}"
            " and lies on one side of its tangent there"
        )
        area, even = 1.0 - 0.5 * slope if concave else 0.5 / slope, slope / (1.0 + slope)
        yield "auc", min(area, 0.5), max(area, 0.5), why
        yield "eer", min(even, 0.5), max(even, 0.5), why
    zero, item = wanted.exponents
    if zero is None or item is None or zero == item == 1.0:
        return
    # F_i = F_c^zero as a -> 0, FAR = TPR^one as b -> 0; large shapes separate the classes.
    why = f"beta pairs of exponents ({zero!r}, {item!r}) reach these in the limits of their shapes"
    areas = 1.0 / (1.0 + zero), item / (1.0 + item)
    yield "auc", 0.0 if zero > item else min(areas), 1.0 if zero < item else max(areas), why
    evens = _power_eer(zero), 1.0 - _power_eer(item)
    yield "eer", 0.0 if zero < item else min(evens), 1.0 if zero > item else max(evens), why


def _check_crossing(e: float, f: float, side: int | None) -> None:
    low, high = min(e, 1.0 - e), max(e, 1.0 - e)
    # Above the diagonal at the EER point iff e < 1/2; then the side says on which side of f it is.
    later = (side or 0) != 0 and e != 0.5 and ((side or 0) > 0) == (e < 0.5)
    between = low <= f <= high and not e == f == 0.5
    if between or (side is not None and e != 0.5 and (f > 0.5) != later):
        place, where = f"outside [{low:.6g}, {high:.6g}]", ""
        if side is not None:
            where = f" with both exponents {_COMPARED[side]}"
            if e != 0.5:
                place = f"above {high:.6g}" if later else f"below {low:.6g}"
        raise InputError.about("crossing")(
            f"crossing must lie {place} at an EER of {e!r}{where}, since the ROC rises through"
            f" (EER, 1 - EER) and meets the diagonal once; got {f!r}."
        )


def _power_eer(rho: float) -> float:
    """e with 1 - e = e^rho."""
    from scipy.optimize import brentq

    return float(brentq(lambda e: 1.0 - e - e**rho, 0.0, 1.0, xtol=1e-15))


#: Rounding of a ratio of two quantiles.
_ROUNDING = 1e-12
#: Where the widths are free: equal, or an exponent of 2 or 1/2.
_RATIOS = (1.0, math.sqrt(2.0), math.sqrt(0.5))


def solve_normal(wanted: Prescription) -> tuple[float, float]:
    """The clients' mean and standard deviation where the impostors are standard normal."""
    ratios, rates = _ratios(wanted), wanted.rates
    if len(rates) == 2:  # then there is no exponent
        candidates = _from_two(rates, ratios)
    elif rates:
        ((name, value),) = rates.items()
        candidates = [(_deviate(value) / _per_difference(name, r), r) for r in ratios]
    else:
        candidates = [(d, r) for r in ratios for d in ((0.0, 1.0, -1.0) if r == 1.0 else (0.0,))]
    for d, r in candidates:
        if all(sign in (None, side) for sign, side in zip(wanted.sides, _sides(d, r))):  # noqa: B905
            return d, r
    sides = _sides(*candidates[0])
    end = next(k for k in (0, 1) if wanted.sides[k] not in (None, sides[k]))
    words = {-1: "inf", 0: "1", 1: "0"}
    raise InputError(
        f"no pair of normal distributions: the slope {END_NAMES[end]} would be"
        f" {words[sides[end]]}, not {words[wanted.sides[end] or 0]}. Unequal sigmas give (inf, inf)"
        " or (0, 0), equal ones (inf, 0) above the diagonal and (0, inf) below. Leave slopes or a"
        " rate out."
    )


def _sides(d: float, r: float) -> tuple[int, int]:
    """Semi-derivatives inf (-1), 1 (0) or 0 (1) of both ends."""
    if r != 1.0:
        return (1, 1) if r > 1.0 else (-1, -1)
    sign = (d > 0.0) - (d < 0.0)
    return -sign, sign


def _ratios(wanted: Prescription) -> tuple[float, ...]:
    """What the exponents, both (sigma_c / sigma_i)^2, say; or those to be tried in turn."""
    zero, item = wanted.exponents
    if zero is not None and item is not None and zero != item:
        raise InputError(
            "the two exponents of normal distributions are one number, (sigma_c / sigma_i)^2; got"
            f" {zero!r} and {item!r}. Give one of them, or the beta family."
        )
    for name, value in zip(END_NAMES, wanted.ties, strict=True):
        if value is not None and value != 1.0:
            raise InputError(
                "slopes of normal distributions must be 0, inf or, for equal distributions, 1:"
                f" they have no finite semi-derivative; got {value!r} {name}."
            )
    rho, crossing = zero if zero is not None else item, wanted.rates.get("crossing")
    if crossing is None:
        return _RATIOS if rho is None else (math.sqrt(rho),)
    if rho is None:
        return _RATIOS[1:] if crossing >= 0.5 else _RATIOS[:0:-1]
    if rho == 1.0:
        raise InputError(
            "no crossing of the diagonal: with equal sigmas (exponent 1) the ROC is concave, convex"
            " or the diagonal. Leave crossing out."
        )
    return (math.sqrt(rho),)


def _deviate(p: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(p)) if p <= 0.5 else -float(ndtri(1.0 - p))


def _per_difference(name: str, r: float) -> float:
    """The deviate of a rate is the difference d times this."""
    if name == "auc":
        return 1.0 / math.hypot(1.0, r)
    return -1.0 / (1.0 + r) if name == "eer" else 1.0 / (r - 1.0)


def _from_two(rates: dict[str, float], ratios: tuple[float, ...]) -> list[tuple[float, float]]:
    (first, x), (second, y) = rates.items()
    u, v = _deviate(x), _deviate(y)
    if u == 0.0 or v == 0.0:
        other = [f"{name}={value!r}" for name, value in rates.items() if value != 0.5]
        if other:
            raise InputError(
                "no pair of normal distributions: an AUC, EER or crossing of 1/2 means equal"
                f" medians, and all three are 1/2; got {', '.join(other)}. Leave one out."
            )
        return [(0.0, r) for r in ratios]
    if (first, second) == ("auc", "eer"):
        wider = _width_of_area_and_eer(u, -v, x, y)
        widths = [wider, 1.0 / wider]
    else:
        ratio = u / v if first == "auc" else -u / v
        if not abs(ratio) < 1.0:
            raise InputError(
                f"no pair of normal distributions has {first} {x!r} and crossing {y!r}: the deviate"
                f" of {first} must be less than that of the crossing, |Phi^-1| {abs(u):.6g} <"
                f" {abs(v):.6g}. Move the crossing nearer to an end."
            )
        # The deviates' ratio gives r: their quotients by d do not hold it.
        area = math.tan(0.25 * math.pi + math.asin(ratio / math.sqrt(2.0)))
        widths = [area if first == "auc" else (1.0 + ratio) / (1.0 - ratio)]
    return [(u / _per_difference(first, r), r) for r in widths]


def _width_of_area_and_eer(u: float, v: float, area: float, eer: float) -> float:
    """From (1 + r) / sqrt(1 + r^2) = u / v, in (1, sqrt 2]: of r and 1/r the wider."""
    ratio = u / v
    if not 1.0 < ratio <= math.sqrt(2.0) * (1.0 + _ROUNDING):
        from scipy.special import ndtr

        ends = float(ndtr(v)), float(ndtr(math.sqrt(2.0) * v))
        raise InputError.about("auc")(
            f"auc must lie between {min(ends):.6g} and {max(ends):.6g} for normal distributions"
            f" with an EER of {eer!r}, since AUC = Phi(k Phi^-1(1 - EER)) with 1 < k <= sqrt(2);"
            f" got {area!r}."
        )
    c = min((ratio - 1.0) * (ratio + 1.0), 1.0)
    return (1.0 + math.sqrt((1.0 - c) * (1.0 + c))) / c


#: A function of pairs of shapes (rows a_c, b_c, a_i, b_i), and what it is to be.
Equation = tuple[Callable[[FloatArray], FloatArray], float]

#: Step of differences in a log shape.
_STEP = 1e-5
_NO_AREA, _UNDERFLOW = 1e-80, 1e-250


def equations_of(wanted: Prescription, prior: float) -> list[Equation]:
    """All that is prescribed beside exponents."""
    if wanted.sides == [0, 0]:
        return []  # equal distributions: an area of 1/2 and all that
    auc, eer, crossing = (wanted.rates.get(name) for name in ("auc", "eer", "crossing"))
    result: list[Equation] = []
    if auc is not None:
        result.append((_area, _logit(auc)))
    if eer is not None:
        result.append((partial(_odds_where, eer, 1.0 - eer), _logit(eer)))
    if crossing is not None:
        result.append((partial(_odds_where, 1.0 - crossing, crossing), _logit(crossing)))
    # The semi-derivative B_c / B_i at an end where the shapes tie.
    result += [(_log_beta_ratios, math.log(tie)) for tie in wanted.ties if tie is not None]
    return result + [(partial(_distances, goal, prior), 0.0) for goal in wanted.goals]


def _log_beta_ratios(shapes: FloatArray) -> FloatArray:
    return np.array([log_beta_ratio(*pair) for pair in shapes.T.tolist()])


def _distances(goal: StatisticGoal, prior: float, shapes: FloatArray) -> FloatArray:
    """From a number of the table."""
    return np.array([
        goal.distance(ScoreModel(Beta(a_c, b_c), Beta(a_i, b_i), prior=prior))
        for a_c, b_c, a_i, b_i in shapes.T.tolist()
    ])  # fmt: skip


def _logit(rate: float) -> float:
    return math.log(rate) - math.log1p(-rate)


def _area(shapes: FloatArray) -> FloatArray:
    """logit AUC, from the area and what is above it.

    Where the rule has not settled either is too small to matter for a search, whose end
    `solve_pair` checks.
    """
    both = (np.fmax(auc_of_pairs(*laws), _NO_AREA) for laws in (shapes, np.roll(shapes, 2, axis=0)))
    area, rest = both
    return np.asarray(np.log(area) - np.log(rest))


def _odds_where(frr: float, tpr: float, shapes: FloatArray) -> FloatArray:
    """logit FAR where the client distribution has this FRR and TPR."""
    from scipy.special import betainc, betaincinv

    a_c, b_c, a_i, b_i = shapes
    theta, rest = betaincinv(a_c, b_c, frr), betaincinv(b_c, a_c, tpr)
    lower, upper = betainc(a_i, b_i, theta), betainc(b_i, a_i, rest)
    if np.min([theta, rest, lower, upper]) > _UNDERFLOW:
        return np.asarray(np.log(upper) - np.log(lower))
    odds = []
    for pair in shapes.T.tolist():
        client, impostor = Beta(*pair[:2]), Beta(*pair[2:])
        if frr <= 0.5:
            t = client._lower_quantile(np.array([frr]), np.array([math.log(frr)]))
        else:
            t = client._upper_quantile(np.array([tpr]), np.array([math.log(tpr)]))
        odds.append(float((impostor._upper(t)[1] - impostor._lower(t)[1])[0]))
    return np.array(odds)


# The unknowns are log (a_c, b_c, a_i, b_i); those of both classes at each end.
_ENDS = ((0, 2), (1, 3))
_CENTRES = {
    Shape.U: (0.5, 0.5), Shape.BELL: (2.0, 2.0), Shape.J: (2.0, 0.5), Shape.REVERSE_J: (0.5, 2.0),
}  # fmt: skip
#: Logs of shapes and of exponents stay this far from 0 where their sign is prescribed.
_MARGINS = (0.01, 1e-6)
#: Logs of the smallest and largest shape that are looked at.
_RANGE = (math.log(1e-5), math.log(1e7))
#: Where an equation is met, and where the search of the nearest begins.
_MET, _NEARLY = 1e-12, 1e-6
#: Starts away from the reference: along concentration, and along the spread of each end.
_OFFSETS = (
    (0.0, 0.0, 0.0, 0.0), (0.5, -0.5, -0.5, 0.5), (1.5, 1.5, 1.5, 1.5), (-1.0, -1.0, -1.0, -1.0),
    (1.0, -1.0, 1.0, -1.0), (-1.0, 1.0, -1.0, 1.0), (3.0, 3.0, 3.0, 3.0), (-2.0, -2.0, -2.0, -2.0),
    (2.5, 0.0, 2.5, 0.0), (0.0, 2.5, 0.0, 2.5), (4.5, 4.5, 4.5, 4.5), (2.0, -1.0, 2.0, -1.0),
    (-1.0, 2.0, -1.0, 2.0), (6.5, 6.5, 6.5, 6.5),
)  # fmt: skip
#: After so many starts the nearest solution is taken.
_ENOUGH = 3
#: No new start after so many evaluations, and where numbers of the table make them slow.
_PATIENCE, _PATIENCE_OF_GOALS = 400, 50


class Solution(NamedTuple):
    """Log shapes, how far the equations are from met, and the distance from the reference.

    `bounded` tells whether a prescribed sign keeps it where it is.
    """

    logs: FloatArray
    miss: float
    distance: float
    bounded: bool


def solve_beta(wanted: Prescription, prior: float) -> tuple[Beta, Beta, bool]:
    """Client and impostor, nearest to the reference, and whether the equations are met."""
    met = GOAL_MET if wanted.goals else _MET
    for margin in _MARGINS:
        result = [
            solution
            for sides in _branches(wanted)
            for solution in _Search(wanted, sides, margin, prior).solutions(met)
        ]
        best = min(result, key=lambda s: s.miss)
        if best.miss <= met or not best.bounded:
            break
    if best.miss <= met:
        best = min((s for s in result if s.miss <= met), key=lambda s: round(s.distance, 6))
    a_c, b_c, a_i, b_i = np.exp(best.logs).tolist()
    at_zero, at_one = map(wanted.fixed_exponent, (0, 1))  # to the last digit
    impostor = Beta(
        a_i if at_zero is None else at_zero * a_c, b_i if at_one is None else at_one * b_c
    )
    return Beta(a_c, b_c), impostor, best.miss <= met


def _branches(wanted: Prescription) -> list[Sequence[int | None]]:
    """A crossing needs both exponents on one side: where neither is known, either."""
    crossing, eer = wanted.rates.get("crossing"), wanted.rates.get("eer", 0.5)
    if crossing is None or wanted.sides != [None, None]:
        return [wanted.sides]
    if eer == 0.5:
        # Of two mirrored answers the one above the diagonal for longer.
        sign = 1 if crossing >= 0.5 else -1
        return [(sign, sign), (-sign, -sign)]
    # Above the diagonal at the EER point, which lies before the crossing or behind it.
    return [(1, 1) if (crossing > 0.5) == (eer < 0.5) else (-1, -1)]


class _Search:
    """One choice of sides, in coordinates y: log shapes = origin + basis y."""

    def __init__(
        self, wanted: Prescription, sides: Sequence[int | None], margin: float, prior: float
    ) -> None:
        self.equations, self.margin = equations_of(wanted, prior), margin
        patience = (_PATIENCE_OF_GOALS, 1) if wanted.goals else (_PATIENCE, _ENOUGH)
        self.looks, (self.patience, self.enough) = 0, patience
        self._last = b"", (np.empty(0), np.empty((0, 0)))
        # The reference has shapes of 1, moved to an exponent of 2 or 1/2 where its side alone is
        # known; signs are half-spaces w . logs >= m.
        unit, logs, walls = np.eye(4), np.zeros(4), []
        for end, (c, i) in enumerate(_ENDS):
            side = sides[end]
            if side and wanted.exponents[end] is None:
                logs[c], logs[i] = -0.5 * side * math.log(2.0), 0.5 * side * math.log(2.0)
                walls.append(side * (unit[i] - unit[c]))
        for k, shape in enumerate(wanted.shapes):
            if shape is not None:
                logs[2 * k : 2 * k + 2] = np.log(_CENTRES[shape])
                walls += [EXPONENT_SIGNS[shape][end] * unit[2 * k + end] for end in (0, 1)]
        self.signs = len(walls)
        self.walls = np.array([*walls, *unit, *-unit])
        self.least = np.array([margin] * self.signs + [_RANGE[0]] * 4 + [-_RANGE[1]] * 4)
        self.reference, self.origin, basis = logs, logs.copy(), []
        for end, (c, i) in enumerate(_ENDS):  # a given exponent leaves one shape of two free
            exponent = wanted.fixed_exponent(end)
            if exponent is None:
                basis += [unit[c], unit[i]]
            else:
                middle, half = 0.5 * (logs[c] + logs[i]), 0.5 * math.log(exponent)
                self.origin[c], self.origin[i] = middle - half, middle + half
                basis.append(math.sqrt(0.5) * (unit[c] + unit[i]))
        self.basis = np.array(basis).T
        self.slopes = self.walls @ self.basis
        self.bounds = self.least - self.walls @ self.origin

    def solutions(self, met: float) -> list[Solution]:
        """Where the starts lead."""
        result: list[Solution] = []
        for count, offset in enumerate(_OFFSETS if self.equations else _OFFSETS[:1]):
            solved = any(s.miss <= met for s in result)
            if self.looks > self.patience or (solved and count >= self.enough):
                break
            y = self._restored(self.basis.T @ np.array(offset))
            result.append(self._solution(y))
            if result[-1].miss <= _NEARLY:
                nearest = self._solution(self._restored(self._nearest(y)))
                if nearest.miss <= met or nearest.miss < result[-1].miss:
                    result[-1] = nearest
        return result

    def _restored(self, y: FloatArray) -> FloatArray:
        """Least squares of the equations, and of what is beyond the half-spaces."""
        from scipy.optimize import least_squares

        if not self.equations:
            return y

        def residuals(y: FloatArray) -> FloatArray:
            beyond = np.maximum(self.bounds - self.slopes @ y, 0.0)
            return np.concatenate([self._look(y)[0], beyond])

        def slopes(y: FloatArray) -> FloatArray:
            beyond = (self.slopes @ y < self.bounds)[:, None]
            return np.concatenate([self._look(y)[1], np.where(beyond, -self.slopes, 0.0)])

        exact: Any = dict.fromkeys(("ftol", "xtol", "gtol"), 1e-15)
        return np.asarray(least_squares(residuals, y, jac=slopes, **exact, max_nfev=40).x)

    def _nearest(self, y: FloatArray) -> FloatArray:
        """The local least of the distance from the reference."""
        from scipy.optimize import minimize

        gap = self.basis.T @ (self.origin - self.reference)
        constraints: list[Any] = [{
            "type": "ineq", "fun": lambda y: self.slopes @ y - self.bounds,
            "jac": lambda _: self.slopes,
        }]  # fmt: skip
        if self.equations:
            constraints.append(
                {"type": "eq", "fun": lambda y: self._look(y)[0], "jac": lambda y: self._look(y)[1]}
            )
        result = minimize(
            lambda y: 0.5 * float(np.sum((gap + y) ** 2)), y, jac=lambda y: gap + y,
            constraints=constraints, method="SLSQP", options={"maxiter": 60, "ftol": 1e-13},
        )  # fmt: skip
        return np.asarray(result.x)

    def _look(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What the equations miss, and its derivatives by y; the last ones are kept."""
        if self._last[0] != y.tobytes():
            self.looks += 1
            logs = np.clip(self.origin + self.basis @ y, _RANGE[0] - 1.0, _RANGE[1] + 1.0)
            steps = np.concatenate([np.zeros((1, 4)), _STEP * np.eye(4), -_STEP * np.eye(4)])
            away = [of(np.exp(logs + steps).T) - goal for of, goal in self.equations]
            values = np.nan_to_num(np.reshape(away, (-1, 9)), nan=_NONE)
            slopes = (values[:, 1:5] - values[:, 5:]) / (2.0 * _STEP)
            self._last = y.tobytes(), (values[:, 0], slopes @ self.basis)
        return self._last[1]

    def _solution(self, y: FloatArray) -> Solution:
        logs = self.origin + self.basis @ y
        miss = float(np.max(np.abs(self._look(y)[0]), initial=0.0))
        # A wall may be passed by rounding, not by half its margin.
        beyond = float(np.max(self.least - self.walls @ logs))
        if beyond > 0.5 * self.margin:
            miss = max(miss, beyond)
        bounded = bool(np.any(self.walls[: self.signs] @ logs < 1.5 * self.margin))
        return Solution(logs, miss, float(np.sum((logs - self.reference) ** 2)), bounded)


_FAMILIES = ("beta", "normal", "logit-normal")
#: How far what was asked for may be from what the model's own functions say.
_TOLERANCE = 1e-10
#: Where a search by the table of statistics may stop.
_SOLVED = 1e-11
#: Its starts (mu_c, log sigma_c, mu_i, log sigma_i), and how many of them are free at first.
_STARTS = (
    (1.0, 0.0, 0.0, 0.0), (3.0, 0.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (1.0, 0.7, 0.0, 0.0),
    (1.0, -0.7, 0.0, 0.0), (3.0, 0.7, 0.0, 0.0), (3.0, -0.7, 0.0, 0.0), (-1.0, 0.7, 0.0, 0.0),
    (-1.0, -0.7, 0.0, 0.0), (1.0, 0.5, -1.0, 0.5), (5.0, 1.0, 2.0, 1.0), (0.3, -1.5, -0.3, -1.5),
)  # fmt: skip
_FREE = (1, 2, 4)
#: No new start after so many looks at a model.
_LOOKS = 1000


@collect_warnings
def solve_pair(
    *,
    auc: float | None = None,
    eer: float | None = None,
    exponents: tuple[float | None, float | None] | None = None,
    slopes: tuple[float | None, float | None] | None = None,
    shapes: tuple[str | None, str | None] | None = None,
    crossing: float | None = None,
    goals: Mapping[str, float] | None = None,
    family: str = "beta",
    prior: float = 0.5,
    name: str | None = None,
) -> ScoreModel:
    """A pair of distributions with prescribed numbers, or the reason why there is none.

    Parameters
    ----------
    auc, eer : float, optional
        Area under the ROC and equal error rate, strictly between 0 and 1.
    exponents : tuple of float or None, optional
        (at_zero, at_one): end exponents rho of :meth:`ScoreModel.ends`, of beta distributions a_i /
        a_c and b_i / b_c, of normal distributions both (sigma_c / sigma_i)^2. None leaves an end
        free.
    slopes : tuple of float or None, optional
        (at_zero, at_one): semi-derivatives; 0.0 (an exponent above 1), inf (below 1), or a finite
        constant (a tie of shapes).
    shapes : tuple of str or None, optional
        (client, impostor): "U", "J", "reverse-J" or "bell", of beta distributions.
    crossing : float, optional
        FAR = TPR where the ROC crosses the diagonal, strictly between 0 and 1.
    goals : mapping of str to float, optional
        Any other numbers by name, with the point after "@" where one is needed, such as
        ``{"tpr@far=0.01": 0.9, "h-measure": 0.6}``: all of :func:`statistics`, inside their range.
    family : {"beta", "normal", "logit-normal"}
        Of both distributions.
    prior : float, optional
        P(client) of the model.
    name : str, optional
        Of the model.

    Returns
    -------
    ScoreModel
        All that is prescribed is met: AUC, EER and crossing to 1e-10, exponents and finite slopes
        to 1e-10 of their value, goals to 1e-9 of the nearer distance to an end of their range.

    Raises
    ------
    InputError, InputTypeError
        If nothing or more than the parameters of the pair is prescribed, a goal is unknown, lacks
        its point or lies outside its range, or no pair can have what is prescribed; the message
        names the theorem or the range.
    FitError
        If no theorem forbids it and no pair was found: what came nearest. With goals that is no
        proof that there is none.

    Notes
    -----
    What is left free goes to the pair nearest to a reference, by the sum of squares of the four
    log shapes: shapes of 1, those at an end with a prescribed side moved apart to an exponent of 2
    or 1/2, and for a class with a prescribed shape its centre, U (1/2, 1/2), bell (2, 2),
    J (2, 1/2), reverse-J (1/2, 2). Shapes and exponents that are bounded, not given, keep 1 % away
    from 1, or 1e-6 where 1 % cannot be had; shapes are sought between 1e-5 and 1e7, from fixed
    starts. Normal distributions are in closed form: standard normal impostors, equal sigmas where
    nothing else is asked, an exponent of 2 or 1/2 where the ROC must cross the diagonal, and the
    wider clients where AUC and EER leave two answers. With goals they are solved numerically, by
    the clients' mean, then their spread too, then all four parameters.

    Impossible for beta distributions are: an AUC on the other side of 1/2 than the ends force
    (exponents at_zero <= 1 <= at_one: above the diagonal, concave); a crossing unless both
    exponents lie on one side of 1; an AUC outside [1 - EER, 1 - 2 EER^2] of a concave ROC, outside
    [(1 - EER)^2, 1 - EER^2] of any; one beyond the tangent of a finite slope; with both exponents
    an AUC outside the limits 1 / (1 + at_zero) and at_one / (1 + at_one); and others of the kind.

    References
    ----------
    Omar and Ivrissimtzis, section 3, for the shapes and the ends.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.solve_pair(auc=0.9, exponents=(0.5, 3.0))
    >>> round(model.auc(), 10), model.ends().at_zero.exponent, model.global_shape()
    (0.9, 0.5, 'proper')
    >>> model = br.solve_pair(auc=0.9, goals={"tpr@far=0.01": 0.4, "client-mean": 0.7})
    >>> round(model.at_far(0.01).tpr, 7), round(model.client.mean, 7), round(model.auc(), 7)
    (0.4, 0.7, 0.9)
    >>> br.solve_pair(auc=0.75, exponents=(0.5, 3.0), crossing=0.1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    betaroc.core.errors.InputError: no crossing of the diagonal: with exponent at_zero 0.5 and ...
    """
    checks.choice(family, _FAMILIES, "family")
    rates: dict[str, Any] = {"auc": auc, "eer": eer, "crossing": crossing}
    wanted = prescribed(rates, exponents, slopes, shapes, goals, family)
    prior, solved = checks.prior(prior), True
    client: Distribution
    impostor: Distribution
    law = Normal if family == "normal" else LogitNormal
    if family == "beta":
        client, impostor, solved = solve_beta(wanted, prior)
    elif wanted.goals:
        client, impostor = _solve_by_table(wanted, law, prior)
    else:
        client, impostor = law(*solve_normal(wanted)), law(0.0, 1.0)
    model = ScoreModel(client, impostor, prior=prior, name=name)
    missed = _missed(model, wanted)
    if missed or not solved:
        raise FitError(
            f"no {family} pair was found with {wanted}, though no theorem known here forbids"
            f" it; the nearest, {_words(client)} v {_words(impostor)}, has"
            f" {', '.join(missed) or 'an open shape or side at its border'}. Relax one of them."
        )
    return model


def _words(law: Distribution) -> str:
    return f"{type(law).__name__}({', '.join(f'{p.value:.6g}' for p in law._parameters())})"


def _missed(model: ScoreModel, wanted: Prescription) -> list[str]:
    """What the model's own functions say to be otherwise than prescribed, in words."""
    rows = [
        (str(goal), goal.value, goal.number(model),
         goal.value if math.isinf(goal.statistic.row.high) else 1.0)
        for goal in wanted.numbers()
    ]  # fmt: skip
    for name, tie, slope in zip(END_NAMES, wanted.ties, model.semi_derivatives(), strict=True):
        if tie is not None:
            rows.append((f"slope {name}={tie!r}", tie, slope, tie))
    missed = [
        f"{number:.12g} for {text}" for text, value, number, scale in rows
        if not abs(number - value) <= _TOLERANCE * scale
    ]  # fmt: skip
    return missed + [
        f"{goal.number(model):.12g} for {goal}" for goal in wanted.goals
        if not abs(goal.distance(model)) <= GOAL_MET
    ]  # fmt: skip


def _solve_by_table(
    wanted: Prescription, law: type[Normal] | type[LogitNormal], prior: float
) -> tuple[Distribution, Distribution]:
    """Two normal distributions, on the score or its logit, that meet the goals, or come nearest.

    The clients' mean moves alone, then with their spread, then all four parameters, until the
    goals are met; the impostors are standard normal and the spreads equal until then.
    """
    from scipy.optimize import least_squares

    goals = (*wanted.goals, *wanted.numbers())

    def model(x: FloatArray) -> ScoreModel:
        mu_c, log_c, mu_i, log_i = np.clip(x, -30.0, 30.0).tolist()
        client, impostor = law(mu_c, math.exp(log_c)), law(mu_i, math.exp(log_i))
        return ScoreModel(client, impostor, prior=prior)

    best, least, looks = model(np.array(_STARTS[0])), math.inf, 0
    for free in (free for free in _FREE if free >= len(goals)):
        for start in np.array(_STARTS):

            def distances(y: FloatArray, start: FloatArray = start, free: int = free) -> FloatArray:
                present = model(np.concatenate([y, start[free:]]))
                return np.array([goal.distance(present) for goal in goals])

            if looks > _LOOKS or np.any(start[free:]):
                continue
            if not np.all(np.isfinite(distances(start[:free]))):
                continue
            result = least_squares(
                distances, start[:free], jac="3-point", ftol=1e-15, xtol=1e-15, gtol=1e-15,
                max_nfev=60,
            )  # fmt: skip
            looks += result.nfev * (1 + 2 * free)
            miss = float(np.max(np.abs(result.fun)))
            if miss < least:
                best, least = model(np.concatenate([result.x, start[free:]])), miss
            if least <= _SOLVED:
                return best.client, best.impostor
    return best.client, best.impostor
