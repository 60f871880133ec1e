"""Two normal distributions with a prescribed ROC, in closed form.

With the impostors standard normal and the clients N(d, r^2) the ROC has two parameters, and

    Phi^-1(AUC) = d / sqrt(1 + r^2),  -Phi^-1(EER) = d / (1 + r),  Phi^-1(crossing) = d / (r - 1)
"""

from __future__ import annotations

import math

from betaroc.core.errors import InputError
from betaroc.studies.prescription import END_NAMES, Prescription

#: Rounding of a ratio of two quantiles.
_ROUNDING = 1e-12


def solve_normal(asked: Prescription) -> tuple[float, float]:
    """The clients' mean and standard deviation where the impostors are standard normal."""
    r = _ratio(asked)
    rates = asked.rates
    if len(rates) == 2:  # then there is no exponent
        return _from_two(rates, asked)
    if r is not None:
        return _from_one(rates, r, asked), r
    r = _free_ratio(asked)
    known = next((s for s in asked.sides if s), None)
    if r == 1.0 and None in asked.sides and known is not None and not _meets(rates, r, asked):
        r = math.sqrt(2.0) ** known
    return _from_one(rates, r, asked), r


def _meets(rates: dict[str, float], r: float, asked: Prescription) -> bool:
    try:
        _from_one(rates, r, asked)
    except InputError:
        return False
    return True


def _deviate(p: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(p)) if p <= 0.5 else -float(ndtri(1.0 - p))


def _per_difference(name: str, r: float) -> float:
    """The deviate of a rate is the difference d times this."""
    if name == "auc":
        return 1.0 / math.hypot(1.0, r)
    return -1.0 / (1.0 + r) if name == "eer" else 1.0 / (r - 1.0)


# ------------------------------------------------------------------ the ratio of the widths
def _ratio(asked: Prescription) -> float | None:
    """What the exponents, both (sigma_c / sigma_i)^2, and the slopes say."""
    zero, one = asked.exponents
    if zero is not None and one is not None and zero != one:
        raise InputError(
            "the two exponents of normal distributions are one number, (sigma_c / sigma_i)^2; got"
            f" {zero!r} and {one!r}. Give one of them, or the beta family."
        )
    for name, value in zip(END_NAMES, asked.ties, strict=True):
        if value is not None and value != 1.0:
            raise InputError(
                "slopes of normal distributions must be 0, inf or, for equal distributions, 1:"
                " they have no finite"
                f" semi-derivative; got {value!r} {name}."
            )
    rho = zero if zero is not None else one
    if rho is None and 0 in asked.sides:
        rho = 1.0
    return None if rho is None else math.sqrt(rho)


def _pattern(asked: Prescription) -> int | None:
    """Sign of log r that the slopes ask for: both inf below 1, both 0 above, one each at 1."""
    zero, one = asked.sides
    if zero is not None and one is not None:
        return zero if zero == one else 0
    return None


def _free_ratio(asked: Prescription) -> float:
    """Equal widths, or an exponent of 2 or 1/2 where the ROC has to cross the diagonal."""
    pattern = _pattern(asked)
    if pattern is None and asked.crossing is not None:
        known = next((s for s in asked.sides if s), None)
        pattern = known if known is not None else (1 if asked.crossing >= 0.5 else -1)
    return math.sqrt(2.0) ** (pattern or 0)


# ------------------------------------------------------------------ the difference of the means
def _from_one(rates: dict[str, float], r: float, asked: Prescription) -> float:
    if r == 1.0 and "crossing" in rates:
        raise InputError(
            "no crossing of the diagonal: with equal sigmas (exponent 1) the ROC is concave, convex"
            " or the diagonal. Leave crossing out."
        )
    d = 0.0
    if rates:
        ((name, value),) = rates.items()
        d = _deviate(value) / _per_difference(name, r)
    elif r == 1.0 and any(asked.sides):
        d = 1.0 if asked.sides[0] == -1 or asked.sides[1] == 1 else -1.0
    _check_pattern(d, r, asked)
    return d


def _check_pattern(d: float, r: float, asked: Prescription) -> None:
    """Whether the semi-derivatives are those asked for."""
    if r != 1.0:
        met = (1, 1) if r > 1.0 else (-1, -1)
    else:
        sign = (d > 0.0) - (d < 0.0)
        met = (-sign, sign)
    for end, name in enumerate(END_NAMES):
        wanted = asked.sides[end]
        if wanted is not None and wanted != met[end]:
            words = {-1: "inf", 0: "1", 1: "0"}
            raise InputError(
                f"no pair of normal distributions: the slope {name} would be {words[met[end]]}, not"
                f" {words[wanted]}. Unequal sigmas give (inf, inf) or (0, 0), equal ones (inf, 0)"
                " above the diagonal and (0, inf) below. Leave slopes or a rate out."
            )


def _from_two(rates: dict[str, float], asked: Prescription) -> tuple[float, float]:
    (one, x), (two, y) = rates.items()
    u, v = _deviate(x), _deviate(y)
    if u == 0.0 or v == 0.0:
        return _chance(rates, asked)
    if one == "auc" and two == "eer":
        r = _width_of_area_and_eer(u, -v, x, y, asked)
    else:
        ratio = u / v if one == "auc" else -u / v
        if not abs(ratio) < 1.0:
            better = f"{one} {x!r} and crossing {y!r}"
            raise InputError(
                f"no pair of normal distributions has {better}: the deviate of {one} must be"
                " less than"
                " that of the crossing, |Phi^-1| "
                f"{abs(u):.6g} < {abs(v):.6g}. Move the crossing nearer to an end."
            )
        # The deviates' ratio gives r: their quotients by d do not hold it.
        r = (
            math.tan(0.25 * math.pi + math.asin(ratio / math.sqrt(2.0)))
            if one == "auc"
            else (1.0 + ratio) / (1.0 - ratio)
        )
    d = u / _per_difference(one, r)
    _check_pattern(d, r, asked)
    return d, r


def _chance(rates: dict[str, float], asked: Prescription) -> tuple[float, float]:
    """A rate of 1/2 means equal medians: every other rate is 1/2, too."""
    other = [f"{name}={value!r}" for name, value in rates.items() if value != 0.5]
    if other:
        raise InputError(
            "no pair of normal distributions: an AUC, EER or crossing of 1/2 means equal"
            " medians, and all"
            f" three are 1/2; got {', '.join(other)}. Leave one out."
        )
    return 0.0, _free_ratio(asked)


def _width_of_area_and_eer(
    u: float, v: float, area: float, eer: float, asked: Prescription
) -> float:
    """From (1 + r) / sqrt(1 + r^2) = u / v, in (1, sqrt 2]; of r and 1/r the asked or wider."""
    ratio = u / v
    if not 1.0 < ratio <= math.sqrt(2.0) * (1.0 + _ROUNDING):
        from scipy.special import ndtr

        ends = float(ndtr(v)), float(ndtr(math.sqrt(2.0) * v))
        raise InputError.about("auc")(
            f"auc must lie between {min(ends):.6g} and {max(ends):.6g} for normal distributions"
            " with an EER"
            f" of {eer!r}, since AUC = Phi(k Phi^-1(1 - EER)) with 1 < k <= sqrt(2); got {area!r}."
        )
    c = min((ratio - 1.0) * (ratio + 1.0), 1.0)
    r = (1.0 + math.sqrt((1.0 - c) * (1.0 + c))) / c
    pattern = _pattern(asked) if _pattern(asked) is not None else next(
        (s for s in asked.sides if s), 1
    )  # fmt: skip
    return 1.0 / r if pattern == -1 else r
