"""The inverse problem: a pair of distributions with a prescribed ROC."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.containers import width_of
from betaroc.core.errors import BetarocError, FitError, InputError, InputTypeError, refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.special import log_beta_ratio
from betaroc.core.text import format_value, typed
from betaroc.distributions.beta import Beta, Shape, auc_of_pairs
from betaroc.estimation.families import FAMILIES, has_shapes
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import StatisticSpec, parse_statistics

#: Families of prescribed pairs, with their distributions.
LAWS: dict[str, Any] = {name: FAMILIES[name].law for name in ("beta", "normal", "logit-normal")}
_ENDS = ("at_zero", "at_one")
#: Signs of log a and log b inside each open shape, whose centre is at 2 and 1/2.
_SIGNS = {Shape.U: (-1, -1), Shape.J: (1, -1), Shape.REVERSE_J: (-1, 1), Shape.BELL: (1, 1)}
#: A goal is met that is so near, on the logit or the log of its range; all else so near.
_GOAL_MET, _TOLERANCE = 1e-9, 1e-10
#: How far what has no number, or one at an end of its range, is from any.
_NONE = 1e3
_COMPARED = {-1: "below 1", 0: "of 1", 1: "above 1"}
_CURVES = {
    "chance": "the two distributions are equal and the ROC is the diagonal",
    "proper": "the ROC lies above the diagonal everywhere and is concave",
    "below": "the ROC lies below the diagonal everywhere and is convex",
}


# ------------------------------------------------------------------ what is prescribed
class StatisticGoal(NamedTuple):
    """A number of the table of statistics, with its wanted value."""

    statistic: StatisticSpec
    value: float

    def __str__(self) -> str:
        return f"{self.statistic}={self.value!r}"

    def number(self, model: ScoreModel) -> float:
        """The number of a model; nan where it has none."""
        try:
            with np.errstate(all="ignore"):
                return self.statistic.number(model)
        except (BetarocError, ArithmeticError):
            return math.nan

    def distance(self, model: ScoreModel) -> float:
        """The distance of a model, on the logit or the log of the statistic's range."""
        low, high = self.statistic.row.low, self.statistic.row.high
        ends = np.array([self.number(model), self.value])
        if math.isinf(low):
            return float(ends[0] - ends[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            places = np.log(ends - low)
            if not math.isinf(high):
                places -= np.log(high - ends)
            return float(np.clip(places[0] - places[1], -_NONE, _NONE))


def _checked_goals(argument: Any) -> tuple[StatisticGoal, ...]:
    """Numbers by the text of their statistic, inside its range."""
    if argument is None:
        return ()
    if not isinstance(argument, Mapping):
        rule = "be a mapping of statistics to numbers, such as {'tpr@far=0.01': 0.9}"
        raise refusal("goals", rule, typed(argument), kind=InputTypeError)
    goals = []
    for statistic, value in zip(
        parse_statistics(list(argument), "goals"), argument.values(), strict=True
    ):
        name, row = f"goals[{str(statistic)!r}]", statistic.row
        number = checks.finite(value, name)
        if not row.low < number < row.high:
            ends = f"{row.low:g} and {row.high:g}"
            rule = f"lie strictly between {ends}, the range of {statistic.name!r}"
            raise refusal(name, rule, repr(number))
        goals.append(StatisticGoal(statistic, number))
    return tuple(goals)


@dataclass
class Prescription:
    """Numbers that a pair is to have; None, or no entry, where it is left free."""

    # `ties` holds the finite semi-derivatives, `forced` for each end the sign of log exponent, -1
    # (semi-derivative inf), 0 (a tie) or 1 (semi-derivative 0), and what forces it.

    rates: dict[str, float]
    exponents: tuple[float | None, float | None]
    ties: tuple[float | None, float | None]
    shapes: tuple[Shape | None, Shape | None]
    goals: tuple[StatisticGoal, ...] = ()
    forced: list[tuple[int, str] | None] = field(default_factory=lambda: [None, None])

    @property
    def sides(self) -> list[int | None]:
        """The sign of log exponent at each end, where known."""
        return [None if forced is None else forced[0] for forced in self.forced]

    @property
    def why(self) -> str:
        """What forces the signs."""
        return " and ".join(dict.fromkeys(forced[1] for forced in self.forced if forced))

    def force(self, end: int, sign: int, why: str) -> None:
        """The sign of log exponent at an end follows."""
        before = self.forced[end]
        if before is None:
            self.forced[end] = (sign, why)
        elif before[0] != sign:
            raise InputError(
                f"no pair of beta distributions: {before[1]} needs an exponent {_ENDS[end]}"
                f" {_COMPARED[before[0]]}, and {why} one {_COMPARED[sign]}: the semi-derivative is"
                " inf below exponent 1, 0 above, finite at 1. Leave one out."
            )

    def fixed_exponent(self, end: int) -> float | None:
        """An exponent that is given, or 1 of a tie."""
        return 1.0 if self.sides[end] == 0 else self.exponents[end]

    def numbers(self) -> tuple[StatisticGoal, ...]:
        numbers = {"far@crossing" if n == "crossing" else n: v for n, v in self.rates.items()}
        for end, rho in zip(("at-zero", "at-one"), self.exponents, strict=True):
            if rho is not None:
                numbers[f"exponent-{end}"] = rho
        return _checked_goals(numbers)

    def __str__(self) -> str:
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
    """The prescription, or an InputError that says why no pair meets it."""
    others, rates = [], {name: _rate(x, name) for name, x in rates.items() if x is not None}
    for goal in _checked_goals(goals):  # those that have an argument, and a theorem, go there
        name = str(goal.statistic)
        if name not in ("auc", "eer"):
            others.append(goal)
        elif name not in rates:
            rates[name] = _rate(goal.value, name)
        else:
            actual = f"{name}={rates[name]!r} and {goal} in goals"
            raise refusal(name, "be given once", actual, "Leave one out.")
    rho, slope = _both(exponents, "exponents", checks.positive), _both(slopes, "slopes", _slope)
    kinds = _both(shapes, "shapes", _shape, ("client", "impostor"))
    if not (rates or others or any(v is not None for v in (*rho, *slope, *kinds))):
        raise InputError("solve_pair must be given at least one goal; got nothing. Give an auc.")
    shaped = has_shapes(family)
    if not shaped and any(kinds):
        actual = repr(tuple(k and k.value for k in kinds))
        raise refusal("shapes", f"be left out for the {family} family", actual, "Leave them out.")
    if not shaped and others and any(value is not None for value in slope):
        rule = f"be left out beside goals for the {family} family"
        raise refusal("slopes", rule, repr(slope), "Leave them out.")
    at_zero, at_one = (s if s is not None and 0.0 < s < math.inf else None for s in slope)
    wanted = Prescription(rates, rho, (at_zero, at_one), kinds, tuple(others))
    _check_too_many(wanted, family)
    for end, name in enumerate(_ENDS):
        # Normal distributions of one width have exponent 1 and still slopes of 0 and inf.
        if rho[end] is not None and shaped:
            wanted.force(end, _sign(rho[end]), f"exponent {name} {rho[end]!r}")
        if slope[end] is not None:
            sign = {0.0: 1, math.inf: -1}.get(slope[end], 0)
            wanted.force(end, sign, f"slope {name} {slope[end]!r}")
    if shaped:
        _force(wanted)
        _check_impossible(wanted)
    return wanted


def _sign(ratio: float) -> int:
    return int(np.sign(math.log(ratio)))


def _rate(value: Any, name: str) -> float:
    number = checks.positive(value, name)
    if not number < 1.0:
        raise InputError.about(name)(f"{name} must lie strictly between 0 and 1; got {number!r}.")
    return number


def _slope(value: Any, name: str) -> float:
    plain = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return float(value) if plain and value in (0.0, math.inf) else checks.positive(value, name)


def _shape(value: Any, name: str) -> Shape:
    return Shape(checks.choice(value, [shape.value for shape in _SIGNS], name))


def _both(argument: Any, name: str, check: Any, parts: Sequence[str] = _ENDS) -> tuple[Any, Any]:
    if argument is None:
        return None, None
    if width_of(argument) != 2:
        rule = f"be two entries, ({parts[0]}, {parts[1]}), each one or None"
        raise refusal(name, rule, format_value(argument), kind=InputTypeError)
    first, second = (
        None if value is None else check(value, f"{name}, {part}")
        for value, part in zip(argument, parts, strict=True)
    )
    return first, second


def _check_too_many(wanted: Prescription, family: str) -> None:
    shaped = has_shapes(family)
    ends = zip(wanted.exponents, wanted.ties, strict=True)
    fixed = sum(rho is not None or tie is not None for rho, tie in ends)
    numbers = len(wanted.rates) + len(wanted.goals) + sum(v is not None for v in wanted.ties)
    numbers += fixed if shaped else bool(fixed)  # both exponents of a normal pair are one number
    free, noun = (4, "a pair") if shaped or wanted.goals else (2, "the ROC")
    if numbers > free:
        rule = f"have no more than {free} numbers, those of {noun} of {family} distributions"
        raise refusal("a prescription", rule, f"{numbers} in {wanted}", "Leave one out.")


# ------------------------------------------------------------------ beta pairs: what forces what
def _force(wanted: Prescription) -> None:
    """Signs of log exponents that follow from shapes and finite slopes."""
    client, impostor = wanted.shapes
    if client is not None and impostor is not None:
        why = f"shapes ({client.value}, {impostor.value})"
        signs = zip(_SIGNS[impostor], _SIGNS[client], strict=True)
        for end, (high, low) in enumerate(signs):
            if high != low:
                wanted.force(end, int(np.sign(high - low)), why)
    # B falls in each shape: with a tie the semi-derivative is above 1 iff the other end's is.
    for end, value in enumerate(wanted.ties):
        if value is not None:
            wanted.force(1 - end, _sign(value), f"slope {_ENDS[end]} {value!r}")


def _check_impossible(wanted: Prescription) -> None:
    """The theorems on beta pairs."""
    curve = _curve(wanted.sides)
    if "crossing" in wanted.rates:
        if curve or 0 in wanted.sides:
            why = _CURVES.get(curve, "a tie at an end makes it concave or convex")
            raise InputError(
                f"no crossing of the diagonal: with {wanted.why} {why}. A crossing needs both"
                " exponents below 1 or both above 1. Leave crossing out."
            )
        for end in (0, 1):
            opposite = wanted.forced[1 - end]
            if opposite is not None:
                wanted.force(end, opposite[0], f"a crossing with {opposite[1]}")
    for name, value in wanted.rates.items() if curve else ():
        above = (curve == "proper") == (name == "auc")
        right = value == 0.5 if curve == "chance" else value > 0.5 if above else value < 0.5
        if not right:
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
    """The whole curve from both ends (theorem on beta pairs); empty where open."""
    at_zero, at_one = sides
    if at_zero is None or at_one is None or at_zero * at_one > 0:
        return ""
    if at_zero == at_one == 0:
        return "chance"
    return "proper" if at_zero <= 0 <= at_one else "below"


def _ranges(wanted: Prescription, curve: str) -> Iterator[tuple[str, float, float, str]]:
    """Rates, the ends that other numbers leave them, and why."""
    e, f = wanted.rates.get("eer"), wanted.rates.get("crossing")
    side = wanted.sides[0]
    if e is not None and curve != "chance":
        low, high, why = {
            "": ((1.0 - e) ** 2, 1.0 - e * e, "any ROC rises, through (EER, 1 - EER)"),
            "proper": (1.0 - e, 1.0 - 2.0 * e * e, "a concave ROC lies above the chords to its EER"
                       " point and below a line through it"),
            "below": (2.0 * (1.0 - e) ** 2, 1.0 - e, "a convex ROC lies below the chords to its EER"
                      " point and above a line through it"),
        }[curve]  # fmt: skip
        yield "auc", low, high, f"at an EER of {e!r} {why}"
    if e is not None and f is not None:
        _check_crossing(e, f, side)
    if f is not None:
        # Above the diagonal before f and below after it (exponents above 1), or the reverse.
        above, below = f - 0.5 * f * f, 0.5 * (1.0 - f * f)
        areas = {1: (above, 1.0 - below), -1: (below, 1.0 - above)}
        lows, highs = zip(*(areas[s] for s in areas if side in (None, s)), strict=True)
        why = f"a ROC that rises and meets the diagonal at {f!r} alone has no other area"
        yield "auc", min(lows), max(highs), why
    for end, value in enumerate(wanted.ties):
        # The ROC is concave or convex and lies on one side of its tangent at that end.
        if value is None or value == 1.0:
            continue
        slope = value if end else 1.0 / value
        concave = (value > 1.0) != bool(end)
        why = (
            f"with slope {_ENDS[end]} {value!r} the ROC is {'concave' if concave else 'convex'}"
            " and lies on one side of its tangent there"
        )
        area, even = 1.0 - 0.5 * slope if concave else 0.5 / slope, slope / (1.0 + slope)
        yield "auc", min(area, 0.5), max(area, 0.5), why
        yield "eer", min(even, 0.5), max(even, 0.5), why
    zero, one = wanted.exponents
    if zero is None or one is None or zero == one == 1.0:
        return
    # F_i = F_c^zero as a -> 0, FAR = TPR^one as b -> 0; large shapes separate the classes.
    why = f"beta pairs of exponents ({zero!r}, {one!r}) reach these in the limits of their shapes"
    areas_at_ends = 1.0 / (1.0 + zero), one / (1.0 + one)
    evens = _power_eer(zero), 1.0 - _power_eer(one)
    low, high = (
        (0.0 if zero > one else min(areas_at_ends)),
        (1.0 if zero < one else max(areas_at_ends)),
    )
    yield "auc", low, high, why
    yield "eer", 0.0 if zero < one else min(evens), 1.0 if zero > one else max(evens), why


def _check_crossing(e: float, f: float, side: int | None) -> None:
    """The ROC rises through (EER, 1 - EER): it meets the diagonal before both or behind them."""
    low, high = min(e, 1.0 - e), max(e, 1.0 - e)
    place, where = f"outside [{low:.6g}, {high:.6g}]", ""
    wrong = low <= f <= high and not e == f == 0.5
    if side is not None and e != 0.5:
        # Above the diagonal at the EER point iff e < 1/2; then the side says which of both.
        later = (side > 0) == (e < 0.5)
        wrong = wrong or (f > 0.5) != later
        place = f"above {high:.6g}" if later else f"below {low:.6g}"
        where = f" with both exponents {_COMPARED[side]}"
    if wrong:
        raise InputError.about("crossing")(
            f"crossing must lie {place} at an EER of {e!r}{where}, since the ROC rises through"
            f" (EER, 1 - EER) and meets the diagonal once; got {f!r}."
        )


def _power_eer(rho: float) -> float:
    """e with 1 - e = e^rho."""
    from scipy.optimize import brentq

    return float(brentq(lambda e: 1.0 - e - e**rho, 0.0, 1.0, xtol=1e-15))


# ------------------------------------------------------------------ normal pairs: closed forms
#: Where the widths are free: equal, or an exponent of 2 or 1/2.
_RATIOS = (1.0, math.sqrt(2.0), math.sqrt(0.5))


def _solve_normal(wanted: Prescription) -> tuple[float, float]:
    """The clients' mean and sigma beside standard normal impostors."""
    from scipy.special import ndtri

    ratios, rates = _ratios(wanted), wanted.rates
    if len(rates) == 2:  # then there is no exponent
        candidates = _from_two(rates, ratios)
    elif rates:
        ((name, value),) = rates.items()
        candidates = [(float(ndtri(value)) * _difference(name, r), r) for r in ratios]
    else:
        candidates = [(d, r) for r in ratios for d in ((0.0, 1.0, -1.0) if r == 1.0 else (0.0,))]
    for d, r in candidates:
        if all(sign in (None, side) for sign, side in zip(wanted.sides, _sides(d, r), strict=True)):
            return d, r
    raise InputError(
        "no pair of normal distributions has these slopes: unequal sigmas give (inf, inf) or (0,"
        " 0), equal ones (inf, 0) above the diagonal and (0, inf) below."
    )


def _sides(d: float, r: float) -> tuple[int, int]:
    """Semi-derivatives inf (-1), 1 (0) or 0 (1) of both ends."""
    if r != 1.0:
        return (1, 1) if r > 1.0 else (-1, -1)
    sign = (d > 0.0) - (d < 0.0)
    return -sign, sign


def _ratios(wanted: Prescription) -> tuple[float, ...]:
    """What the exponents, both (sigma_c / sigma_i)^2, say, else values to try."""
    zero, one = wanted.exponents
    if zero is not None and one is not None and zero != one:
        rule = "be one number of normal distributions, (sigma_c / sigma_i)^2"
        raise refusal("exponents", rule, f"{zero!r} and {one!r}", "Give one of them.")
    for name, value in zip(_ENDS, wanted.ties, strict=True):
        if value is not None and value != 1.0:
            rule = "be 0, inf or, for equal distributions, 1, of normal distributions"
            raise refusal("slopes", rule, f"{value!r} {name}")
    rho, crossing = zero if zero is not None else one, wanted.rates.get("crossing")
    if rho is not None:
        if rho == 1.0 and crossing is not None:
            rule = "be left out with equal sigmas (exponent 1), whose ROC is concave or convex"
            raise refusal("crossing", rule, repr(crossing), "Leave it out.")
        return (math.sqrt(rho),)
    if crossing is None:
        return _RATIOS
    return _RATIOS[1:] if crossing >= 0.5 else _RATIOS[:0:-1]


def _difference(name: str, r: float) -> float:
    return {"auc": math.hypot(1.0, r), "eer": -(1.0 + r), "crossing": r - 1.0}[name]


def _from_two(rates: dict[str, float], ratios: tuple[float, ...]) -> list[tuple[float, float]]:
    """Difference and width from two rates: of AUC and EER the wider answer first."""
    from scipy.special import ndtr, ndtri

    (first, x), (second, y) = rates.items()
    u, v = ndtri([x, y]).tolist()
    if u == 0.0 or v == 0.0:
        if others := [f"{name}={value!r}" for name, value in rates.items() if value != 0.5]:
            rule = "mean equal medians of normal distributions, so that all are 1/2"
            raise refusal("an AUC, EER or crossing of 1/2", rule, ", ".join(others), "Leave one.")
        return [(0.0, r) for r in ratios]
    if second == "eer":  # (1 + r) / sqrt(1 + r^2) = -u / v, in (1, sqrt 2]
        ratio = -u / v
        if not 1.0 < ratio <= math.sqrt(2.0) * (1.0 + 1e-12):
            ends = sorted(ndtr([-v, -math.sqrt(2.0) * v]).tolist())
            rule = f"lie between {ends[0]:.6g} and {ends[1]:.6g} for an EER of {y!r}, since"
            rule += " AUC = Phi(k Phi^-1(1 - EER)), 1 < k <= sqrt(2), of normal distributions"
            raise refusal("auc", rule, repr(x))
        c = min((ratio - 1.0) * (ratio + 1.0), 1.0)
        wider = (1.0 + math.sqrt((1.0 - c) * (1.0 + c))) / c
        return [(u * _difference(first, r), r) for r in (wider, 1.0 / wider)]
    ratio = u / v if first == "auc" else -u / v
    if not abs(ratio) < 1.0:
        rule = f"have |Phi^-1| above {abs(u):.6g}, that of {first}: lie nearer to an end"
        raise refusal("crossing", rule, f"{y!r}, with {abs(v):.6g}")
    r = (1.0 + ratio) / (1.0 - ratio)
    if first == "auc":
        r = math.tan(0.25 * math.pi + math.asin(ratio / math.sqrt(2.0)))
    return [(u * _difference(first, r), r)]


# ------------------------------------------------------------------ beta pairs: least squares
#: A function of pairs of shapes (rows a_c, b_c, a_i, b_i), and what it is to be.
_Equation = tuple[Callable[[FloatArray], FloatArray], float]
#: Step of differences in a log shape, and the smallest area and probability that are told apart.
_STEP, _LEAST = 1e-5, 1e-250
#: Logs of shapes and of exponents stay this far from 0 where their sign is prescribed.
_MARGINS = (0.01, 1e-6)
#: Logs of the smallest and largest shape that are looked at.
_RANGE = (math.log(1e-5), math.log(1e7))
#: Where an equation is met, and where the search of the nearest begins.
_MET, _NEARLY = 1e-12, 1e-3
#: Starts away from the reference: along concentration, and along the spread of each end.
_OFFSETS = (
    (0.0, 0.0, 0.0, 0.0), (0.5, -0.5, -0.5, 0.5), (1.5, 1.5, 1.5, 1.5), (-1.0, -1.0, -1.0, -1.0),
    (1.0, -1.0, 1.0, -1.0), (-1.0, 1.0, -1.0, 1.0), (3.0, 3.0, 3.0, 3.0), (-2.0, -2.0, -2.0, -2.0),
    (2.5, 0.0, 2.5, 0.0), (0.0, 2.5, 0.0, 2.5), (4.5, 4.5, 4.5, 4.5), (2.0, -1.0, 2.0, -1.0),
    (-1.0, 2.0, -1.0, 2.0), (6.5, 6.5, 6.5, 6.5),
)  # fmt: skip
#: Starts that are enough where one of them ends in a pair, and evaluations after which there is no
#: new one; with goals, which are slow, fewer.
_PATIENCE, _PATIENCE_OF_GOALS = (2, 500), (1, 100)


def _solve_beta(wanted: Prescription, prior: float) -> tuple[Beta, Beta, bool]:
    """Client and impostor nearest to the reference, and whether they solve the equations."""
    met = _GOAL_MET if wanted.goals else _MET
    for margin in _MARGINS:
        solutions = [
            solution
            for sides in _branches(wanted)
            for solution in _Search(wanted, sides, margin, prior).solutions(met)
        ]
        miss, _, logs = min(solutions, key=lambda s: (max(s[0], met), round(s[1], 6)))
        if miss <= met:
            break
    a_c, b_c, a_i, b_i = np.exp(logs).tolist()
    at_zero, at_one = map(wanted.fixed_exponent, (0, 1))  # to the last digit
    a_i, b_i = a_i if at_zero is None else at_zero * a_c, b_i if at_one is None else at_one * b_c
    return Beta(a_c, b_c), Beta(a_i, b_i), miss <= met


def _branches(wanted: Prescription) -> list[Sequence[int | None]]:
    crossing, eer = wanted.rates.get("crossing"), wanted.rates.get("eer", 0.5)
    if crossing is None or wanted.sides != [None, None]:
        return [wanted.sides]
    if eer == 0.5:
        # Of two mirrored answers the one above the diagonal for longer.
        sign = 1 if crossing >= 0.5 else -1
        return [(sign, sign), (-sign, -sign)]
    # Above the diagonal at the EER point, which lies before the crossing or behind it.
    return [(1, 1) if (crossing > 0.5) == (eer < 0.5) else (-1, -1)]


def _equations_of(wanted: Prescription, prior: float) -> list[_Equation]:
    """All that is prescribed beside exponents."""
    if wanted.sides == [0, 0]:
        return []  # equal distributions: an area of 1/2 and all that
    equations: list[_Equation] = []
    for name, rate in wanted.rates.items():
        rates = (rate, 1.0 - rate) if name == "eer" else (1.0 - rate, rate)
        of = _area if name == "auc" else partial(_odds_where, *rates)
        equations.append((of, math.log(rate) - math.log1p(-rate)))
    # The semi-derivative B_c / B_i at an end where the shapes tie.
    ties = (tie for tie in wanted.ties if tie is not None)
    equations += [(partial(_each_pair, log_beta_ratio), math.log(tie)) for tie in ties]
    for goal in wanted.goals:

        def distance(*shapes: float, goal: StatisticGoal = goal) -> float:
            client, impostor = Beta(*shapes[:2]), Beta(*shapes[2:])
            return goal.distance(ScoreModel(client, impostor, prior=prior))

        equations.append((partial(_each_pair, distance), 0.0))
    return equations


def _each_pair(function: Callable[..., float], shapes: FloatArray) -> FloatArray:
    return np.array([function(*pair) for pair in shapes.T.tolist()])


def _area(shapes: FloatArray) -> FloatArray:
    # Where the rule has not settled either is too small to matter for a search, whose end
    # `solve_pair` checks.
    area, rest = (
        np.fmax(auc_of_pairs(*pair), _LEAST) for pair in (shapes, np.roll(shapes, 2, axis=0))
    )
    return np.asarray(np.log(area) - np.log(rest))


def _odds_where(frr: float, tpr: float, shapes: FloatArray) -> FloatArray:
    from scipy.special import betainc, betaincinv

    a_c, b_c, a_i, b_i = shapes
    lower = betainc(a_i, b_i, betaincinv(a_c, b_c, frr))
    upper = betainc(b_i, a_i, betaincinv(b_c, a_c, tpr))
    return np.asarray(np.log(np.fmax(upper, _LEAST)) - np.log(np.fmax(lower, _LEAST)))


class _Search:
    """Log shapes (a_c, b_c, a_i, b_i) that meet the equations, for one choice of sides."""

    def __init__(
        self, wanted: Prescription, sides: Sequence[int | None], margin: float, prior: float
    ) -> None:
        self.equations, self.margin, self.looks = _equations_of(wanted, prior), margin, 0
        self.enough, self.patience = _PATIENCE_OF_GOALS if wanted.goals else _PATIENCE
        # The reference has shapes of 1, moved to an exponent of 2 or 1/2 where its side alone is
        # known; signs are half-spaces w . logs >= margin, exponents planes w . logs = their log.
        walls, planes, places, logs = [], [], [], np.zeros(4)
        for end, side in enumerate(sides):
            exponent, across = wanted.fixed_exponent(end), np.eye(4)[2 + end] - np.eye(4)[end]
            if exponent is not None:
                planes.append(across)
                places.append(math.log(exponent))
            elif side:
                logs += 0.5 * side * math.log(2.0) * across
                walls.append(side * across)
        low, high = np.full(4, _RANGE[0]), np.full(4, _RANGE[1])
        for shape, rows in zip(wanted.shapes, (slice(2), slice(2, 4)), strict=True):
            if shape is not None:
                signs = np.array(_SIGNS[shape])
                logs[rows] = signs * math.log(2.0)
                low[rows] = np.where(signs > 0, margin, low[rows])
                high[rows] = np.where(signs < 0, -margin, high[rows])
        self.reference, self.bounds = logs, (low, high)
        self.walls, self.planes = np.reshape(walls, (-1, 4)), np.reshape(planes, (-1, 4))
        self.places = np.array(places)

    def solutions(self, met: float) -> list[tuple[float, float, FloatArray]]:
        """What is missed, the distance from the reference, and the logs, from the starts."""
        # Each with its mirror, scores seen from the other end, which may have the same numbers.
        ends: list[tuple[float, float, FloatArray]] = []
        for count, offset in enumerate(_OFFSETS if self.equations else _OFFSETS[:1]):
            done = count >= self.enough and any(miss <= met for miss, *_ in ends)
            if done or self.looks > self.patience:
                break
            logs = self._restored(self.reference + np.array(offset))
            miss = self._miss(logs)
            if miss <= _NEARLY:
                nearest = self._restored(self._nearest(logs))
                if self._miss(nearest) <= max(miss, met):
                    logs = nearest
            for x in sorted((logs, logs[::-1]), key=lambda x: float(x[0])):
                ends.append((self._miss(x), float(np.sum((x - self.reference) ** 2)), x))
        return ends

    def _restored(self, logs: FloatArray) -> FloatArray:
        """Least squares of the equations and the half-spaces."""
        from scipy.optimize import least_squares

        def residuals(logs: FloatArray) -> FloatArray:
            return np.concatenate([self._values(logs), np.maximum(self._beyond(logs), 0.0)])

        def slopes(logs: FloatArray) -> FloatArray:
            beyond = (self._beyond(logs) > 0.0)[:, None]
            return np.concatenate([self._slopes(logs), np.where(beyond, -self.walls, 0.0)])

        start = np.clip(logs, *self.bounds)
        if not residuals(start).size:
            return start
        result = least_squares(
            residuals, start, slopes, self.bounds, xtol=1e-12, gtol=1e-13, max_nfev=40
        )
        return np.asarray(result.x)

    def _nearest(self, logs: FloatArray) -> FloatArray:
        from scipy.optimize import minimize

        constraints: list[Any] = []
        if len(self.walls):
            constraints.append({"type": "ineq", "fun": lambda x: -self._beyond(x),
                                "jac": lambda _: self.walls})  # fmt: skip
        if self.equations or len(self.planes):
            constraints.append({"type": "eq", "fun": self._values, "jac": self._slopes})
        result = minimize(
            lambda x: 0.5 * float(np.sum((x - self.reference) ** 2)), logs,
            jac=lambda x: x - self.reference, bounds=np.transpose(self.bounds),
            constraints=constraints, method="SLSQP", options={"maxiter": 60, "ftol": 1e-13},
        )  # fmt: skip
        return np.asarray(result.x)

    def _beyond(self, logs: FloatArray) -> FloatArray:
        return np.asarray(self.margin - self.walls @ logs)

    def _values(self, logs: FloatArray) -> FloatArray:
        self.looks += 1
        values = [of(np.exp(logs)[:, None])[0] - goal for of, goal in self.equations]
        missed = np.nan_to_num(np.array(values, dtype=float), nan=_NONE)
        return np.concatenate([self.planes @ logs - self.places, missed])

    def _slopes(self, logs: FloatArray) -> FloatArray:
        self.looks += 1
        steps = _STEP * np.concatenate([np.eye(4), -np.eye(4)])
        values = np.reshape([of(np.exp(logs + steps).T) for of, _ in self.equations], (-1, 8))
        values = np.nan_to_num(values, nan=_NONE)
        return np.concatenate([self.planes, (values[:, :4] - values[:, 4:]) / (2.0 * _STEP)])

    def _miss(self, logs: FloatArray) -> float:
        passed = np.concatenate([self._beyond(logs), self.bounds[0] - logs, logs - self.bounds[1]])
        beyond = float(np.max(passed))
        missed = float(np.max(np.abs(self._values(logs)), initial=0.0))
        return max(missed, beyond if beyond > 0.5 * self.margin else 0.0)


# ------------------------------------------------------------------ normal pairs: goals
#: Starts (mu_c, log sigma_c, mu_i, log sigma_i) of a search, and how many of them are free.
_STARTS = (
    (1.0, 0.0, 0.0, 0.0), (3.0, 0.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (1.0, 0.7, 0.0, 0.0),
    (1.0, -0.7, 0.0, 0.0), (3.0, 0.7, 0.0, 0.0), (3.0, -0.7, 0.0, 0.0), (-1.0, 0.7, 0.0, 0.0),
    (-1.0, -0.7, 0.0, 0.0), (1.0, 0.5, -1.0, 0.5), (5.0, 1.0, 2.0, 1.0), (0.3, -1.5, -0.3, -1.5),
)  # fmt: skip
_FREE = (1, 2, 4)
#: Where it may stop, and no new start after so many looks at a model.
_SOLVED, _LOOKS = 1e-11, 1000


def _solve_by_table(wanted: Prescription, law: Any, prior: float) -> ScoreModel:
    """Two normal distributions, on the score or its logit, nearest to the goals."""
    # The clients' mean moves alone, then with their spread, then all four parameters, until the
    # goals are met; the impostors are standard normal and the spreads equal until then.
    from scipy.optimize import least_squares

    goals = (*wanted.goals, *wanted.numbers())

    def model(x: FloatArray) -> ScoreModel:
        mu_c, log_c, mu_i, log_i = np.clip(x, -30.0, 30.0).tolist()
        return ScoreModel(law(mu_c, math.exp(log_c)), law(mu_i, math.exp(log_i)), prior=prior)

    def distances(y: FloatArray, rest: FloatArray) -> FloatArray:
        present = model(np.concatenate([y, rest]))
        return np.array([goal.distance(present) for goal in goals])

    best, least, looks = model(np.array(_STARTS[0])), math.inf, 0
    searches = [(free, x[:free], x[free:]) for free in _FREE for x in np.array(_STARTS)
                if free >= len(goals) and not np.any(x[free:])]  # fmt: skip
    for free, start, rest in searches:
        if least <= _SOLVED or looks > _LOOKS:
            break
        if np.all(np.isfinite(distances(start, rest))):
            result = least_squares(
                distances, start, "3-point", ftol=1e-15, xtol=1e-15, gtol=1e-15, max_nfev=60,
                args=(rest,),
            )  # fmt: skip
            looks += result.nfev * (1 + 2 * free)
            miss = float(np.max(np.abs(result.fun)))
            if miss < least:
                best, least = model(np.concatenate([result.x, rest])), miss
    return best


# ------------------------------------------------------------------ the answer
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
        Area under the ROC and equal error rate, inside (0, 1).
    exponents : tuple of float or None, optional
        (at_zero, at_one): end exponents rho of :meth:`ScoreModel.ends`, beta a_i / a_c and b_i /
        b_c, normal both (sigma_c / sigma_i)^2. None leaves an end free.
    slopes : tuple of float or None, optional
        (at_zero, at_one): semi-derivatives; 0.0 (exponent above 1), inf (below 1), or a finite
        constant (tied shapes).
    shapes : tuple of str or None, optional
        (client, impostor): "U", "J", "reverse-J" or "bell", of beta distributions.
    crossing : float, optional
        FAR = TPR where the ROC crosses the diagonal, inside (0, 1).
    goals : mapping of str to float, optional
        Other numbers of :func:`statistics` inside their range, by name, such as
        ``{"tpr@far=0.01": 0.9, "h-measure": 0.6}``.
    family : {"beta", "normal", "logit-normal"}
        Of both distributions.
    prior : float, optional
        P(client) of the model.
    name : str, optional
        Of the model.

    Returns
    -------
    ScoreModel
        With AUC, EER and crossing to 1e-10, exponents and finite slopes to 1e-10 of their value,
        goals to 1e-9 of the nearer distance to an end of their range.

    Raises
    ------
    InputError, InputTypeError
        If nothing or more than the parameters of the pair is prescribed, a goal is unknown, lacks
        its point or lies outside its range, or a theorem or range, which is named, forbids it.
    FitError
        If no pair was found though no theorem forbids it: what came nearest. With goals there may
        still be one.

    Notes
    -----
    What is left free goes to the pair nearest to a reference, by the sum of squares of the four
    log shapes: shapes of 1, those at an end with a prescribed side moved to an exponent of 2 or
    1/2, and for a prescribed shape its centre, U (1/2, 1/2), bell (2, 2), J (2, 1/2), reverse-J
    (1/2, 2). Bounded shapes and exponents keep 1 % away from 1, or 1e-6; shapes lie between 1e-5
    and 1e7. Normal pairs are in closed form: standard normal impostors, equal sigmas unless asked
    otherwise, an exponent of 2 or 1/2 where the ROC must cross the diagonal, the wider clients of
    two answers. With goals they are solved numerically: the clients' mean, then their spread, then
    all four parameters.

    Impossible for beta distributions are, for example, an AUC on the other side of 1/2 than the
    ends force; a crossing unless both exponents lie on one side of 1; an AUC outside
    [1 - EER, 1 - 2 EER^2] of a concave ROC, [(1 - EER)^2, 1 - EER^2] of any.

    References
    ----------
    Omar and Ivrissimtzis, section 3, for the shapes and the ends.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.solve_pair(auc=0.9, exponents=(0.5, 3.0))
    >>> round(model.auc(), 10), model.ends().at_zero.exponent, model.global_shape()
    (0.9, 0.5, 'proper')
    """
    law = LAWS[checks.choice(family, list(LAWS), "family")]
    rates: dict[str, Any] = {"auc": auc, "eer": eer, "crossing": crossing}
    wanted = prescribed(rates, exponents, slopes, shapes, goals, family)
    prior, solved = checks.prior(prior), True
    if has_shapes(family):
        client, impostor, solved = _solve_beta(wanted, prior)
        model = ScoreModel(client, impostor, prior=prior, name=name)
    elif wanted.goals:
        model = replace(_solve_by_table(wanted, law, prior), name=name)
    else:
        model = ScoreModel(law(*_solve_normal(wanted)), law(0.0, 1.0), prior=prior, name=name)
    missed = _missed(model, wanted)
    if missed or not solved:
        raise FitError(
            f"no {family} pair was found with {wanted}, though no theorem known here forbids"
            f" it; the nearest, {model.client!r} v {model.impostor!r}, has"
            f" {', '.join(missed) or 'an open shape or side at its border'}. Relax one of them."
        )
    return model


def _missed(model: ScoreModel, wanted: Prescription) -> list[str]:
    rows = [(str(goal), goal.value, goal.number(model),
             goal.value if math.isinf(goal.statistic.row.high) else 1.0)
            for goal in wanted.numbers()]  # fmt: skip
    ends = zip(_ENDS, wanted.ties, model.semi_derivatives(), strict=True)
    rows += [(f"slope {end}={tie!r}", tie, slope, tie) for end, tie, slope in ends if tie]
    missed = [f"{number:.12g} for {text}" for text, value, number, scale in rows
              if not abs(number - value) <= _TOLERANCE * scale]  # fmt: skip
    return missed + [
        f"{goal.number(model):.12g} for {goal}" for goal in wanted.goals
        if not abs(goal.distance(model)) <= _GOAL_MET
    ]  # fmt: skip
