"""Intervals of any number of a fitted model, from the errors of its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.resampling import streams
from betaroc.core.sentences import worded
from betaroc.estimation.record import PairEstimate
from betaroc.inference.interval import Band, Interval, from_log, from_logit
from betaroc.inference.nearby import STEP, Steps, nearby, slopes_of
from betaroc.inference.scores_beyond import Asked, SupportedPair, fewest, of_point, tell
from betaroc.inference.simultaneous import sup_t
from betaroc.inference.small_samples import student
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel

__all__ = [
    "STATISTICS", "Delta", "bare_interval", "delta", "interval", "rates_of", "roc_band",
]  # fmt: skip

_METHODS = ("delta", "bootstrap")
#: Fractions nearer than this to 0 or 1 have no logit to speak of.
_LOST = 1e-12
#: An error this small is the rounding of differences.
_STILL = 1e-9
#: FARs of a band.
_GRID = 201


class _Statistic(NamedTuple):
    """A number of a model, and the scale on which its error is nearly normal."""

    #: Of a threshold the operating point, whose logit keeps what a threshold near 1 loses.
    value: Callable[[ScoreModel, Any], Any]
    #: "probit" of fractions, "partial" of partial areas, "log" of what is positive,
    #: "threshold", "plain".
    scale: str = "probit"
    #: What `at` is, or None where there is none.
    at: str | None = None
    #: The rates of both classes that it rests on, each in its own tail; None if on none.
    rates: Callable[[ScoreModel, Any], list[Asked]] | None = None


class Delta(NamedTuple):
    """A statistic with its slopes, on the scale on which its error is nearly normal."""

    estimate: float
    #: The estimate on that scale.
    place: float
    #: Its change with one standard error along each root of the covariance, on that scale.
    slopes: FloatArray
    #: Back from the scale.
    back: Callable[[float], float]

    @property
    def error(self) -> float:
        """The standard error on the scale."""
        return math.sqrt(math.fsum(self.slopes**2))

    def interval(self, level: float) -> Interval:
        """Estimate -+ z errors on the scale."""
        return self.around(0.0, student(math.inf, level), level)

    def around(self, shift: float, reach: float, level: float) -> Interval:
        """Estimate less a shift -+ so many errors on the scale."""
        centre, away = self.place - shift, reach * self.error
        low, high = self.back(centre - away), self.back(centre + away)
        return Interval(self.estimate, low, high, level, "delta")


def _least(model: ScoreModel, alpha: float) -> float:
    point = model.min_weighted_error(alpha)
    return float(alpha * point.far + (1.0 - alpha) * point.frr)


def _crossing(model: ScoreModel) -> OperatingPoint:
    """Where the ROC crosses the diagonal, nan unless it does so once."""
    points = model.diagonal_crossings()
    return points[0] if len(points) == 1 else OperatingPoint(math.nan, math.nan, math.nan)


def _far(rate: float) -> list[Asked]:
    return [Asked("FAR", np.array(rate), np.array(1.0 - rate), True)]


def _frr(rate: float) -> list[Asked]:
    return [Asked("FRR", np.array(rate), np.array(1.0 - rate), True)]


def _read(m: ScoreModel, threshold: float, name: str) -> list[Asked]:
    return [asked for asked in of_point(m.at(threshold)) if asked.name == name]


def _widest(at: tuple[float, float]) -> float:
    """The FAR of a range of which most scores speak."""
    return min(max(0.5, at[0]), at[1])


def _eer(m: ScoreModel, _: Any) -> list[Asked]:
    return of_point(m.eer())


def _best(m: ScoreModel, at: Any) -> list[Asked]:
    return of_point(m.min_weighted_error(0.5 if at is None else at))


def _where_it_crosses(m: ScoreModel, _: Any) -> list[Asked]:
    return of_point(_crossing(m))


#: Every statistic by name.
STATISTICS: dict[str, _Statistic] = {
    "auc": _Statistic(lambda m, _: m.auc()),
    "partial-auc": _Statistic(
        lambda m, at: m.partial_auc(at[0], at[1], standardized=True), "partial", "(low, high)",
        lambda m, at: _far(_widest(at)),
    ),
    "tpr": _Statistic(
        lambda m, at: float(m.roc().tpr(at)), at="a FAR",
        rates=lambda m, at: of_point(m.at_far(at), {"FAR": at}),
    ),
    "far": _Statistic(
        lambda m, at: float(m.far(at)), at="a threshold",
        rates=lambda m, at: _read(m, at, "FAR"),
    ),
    "frr": _Statistic(
        lambda m, at: float(m.frr(at)), at="a threshold",
        rates=lambda m, at: _read(m, at, "FRR"),
    ),
    "eer": _Statistic(lambda m, _: m.eer().hter, rates=_eer),
    "eer-threshold": _Statistic(lambda m, _: m.eer(), "threshold", rates=_eer),
    "hter": _Statistic(lambda m, _: m.min_weighted_error(0.5).hter, rates=_best),
    "weighted-error": _Statistic(_least, at="an alpha", rates=_best),
    "optimal-threshold": _Statistic(
        lambda m, at: m.min_weighted_error(at), "threshold", "an alpha", _best
    ),
    "threshold-at-far": _Statistic(
        lambda m, at: m.at_far(at), "threshold", "a FAR", lambda m, at: _far(at)
    ),
    "threshold-at-frr": _Statistic(
        lambda m, at: m.at_frr(at), "threshold", "an FRR", lambda m, at: _frr(at)
    ),
    "ks": _Statistic(lambda m, _: m.ks(), rates=_best),
    "h-measure": _Statistic(lambda m, _: m.h_measure()),
    "average-precision": _Statistic(lambda m, _: m.average_precision()),
    "crossing": _Statistic(lambda m, _: float(_crossing(m).far), rates=_where_it_crosses),
    "crossing-threshold": _Statistic(
        lambda m, _: _crossing(m), "threshold", rates=_where_it_crosses
    ),
    "exponent-at-zero": _Statistic(lambda m, _: m.ends().at_zero.exponent, "log"),
    "exponent-at-one": _Statistic(lambda m, _: m.ends().at_one.exponent, "log"),
    "coefficient-at-zero": _Statistic(lambda m, _: m.ends().at_zero.coefficient, "log"),
    "coefficient-at-one": _Statistic(lambda m, _: m.ends().at_one.coefficient, "log"),
}  # fmt: skip


def rates_of(stat: Any, at: Any, model: ScoreModel) -> list[Asked]:
    """The rates of a model that a statistic rests on; none of areas, shapes and functions."""
    found = None if callable(stat) else STATISTICS[stat].rates
    if found is None:
        return []
    return found(model, at)


def interval(
    f: SupportedPair,
    stat: Any,
    at: Any,
    level: float,
    method: str,
    replicates: int,
    rng: Any,
    *,
    groups: bool,
) -> Interval:
    """The interval of a statistic, and what it rests on; `Fit.interval` documents it."""
    found = bare_interval(f, stat, at, level, method, replicates, rng, groups=groups)
    asked = rates_of(stat, at, f.model)
    beyond = fewest(f._evidence, asked)
    return replace(
        found, n_beyond=None if beyond is None else float(beyond),
        extrapolated=tell(f._evidence, asked),
    )  # fmt: skip


def bare_interval(
    f: PairEstimate,
    stat: Any,
    at: Any,
    level: float,
    method: str,
    replicates: int,
    rng: Any,
    *,
    groups: bool,
) -> Interval:
    """The interval of a statistic of a fit, whatever data are behind it."""
    level = checks.level(level)
    checks.choice(method, _METHODS, "method")
    replicates, groups = checks.count(replicates, "replicates"), checks.flag(groups, "groups")
    statistic = _statistic(stat, at)
    _refuse_one_law(f)
    near = nearby(f, groups=groups)
    small = near.small
    if method == "delta":
        found = delta(stat, at, f.model, near.steps)
        biased = statistic.scale in ("log", "threshold")
        shift = small.shift(found.slopes) if biased else 0.0
        return found.around(shift, float(small.reach(found.slopes, level)), level)
    estimate = _estimate(statistic, stat, at, f.model)
    # Only thresholds have more digits on their scale than the number itself.
    own = statistic.scale if statistic.scale == "threshold" else "plain"
    to, back = _scale(own, at, f.model)
    values = np.empty(replicates)
    for rows, stream in streams(replicates, rng):
        drawn = small.draw(stream, rows.stop - rows.start)
        values[rows] = [to(statistic.value(near.model(one), at)) for one in drawn]
    tail = 0.5 * (1.0 - level)
    gone = int(np.sum(~np.isfinite(values)))
    if gone:
        raise InputError(
            f"the statistic must be a number at all drawn parameters; {checks.shown(stat)} is not"
            f" at {gone} of {replicates}. Take another statistic."
        )
    low, high = np.quantile(values, [tail, 1.0 - tail])
    return Interval(estimate, back(float(low)), back(float(high)), level, method)


def delta(stat: Any, at: Any, model: ScoreModel, steps: Steps) -> Delta:
    """A statistic of a model, and of those a step along each root of a covariance away."""
    statistic = _statistic(stat, at)
    estimate = _estimate(statistic, stat, at, model)
    to, back = _scale(statistic.scale, at, model)

    def place(near: ScoreModel) -> float:
        return to(statistic.value(near, at))

    slopes = [(place(forward) - place(backward)) / (2.0 * STEP) for forward, backward in steps]
    found = Delta(estimate, place(model), np.array(slopes), back)
    # A double next to 1 has lost the digits of its distance from 1.
    fraction = statistic.scale in ("probit", "partial")
    lost = fraction and not _LOST < estimate < 1.0 - _LOST
    if lost or not found.error < math.inf:
        raise InputError(
            f"{checks.shown(stat)} must lie inside its range to have a derivative; it is"
            f" {estimate!r}, as of classes that do not overlap, or are one."
        )
    if not found.error > _STILL * max(1.0, abs(found.place)):
        raise InputError(
            f"{checks.shown(stat)} must vary with the parameters to have an error; it is"
            f" {estimate!r} whatever they are, as a number of shapes that both classes share."
        )
    return found


def _refuse_one_law(f: PairEstimate) -> None:
    """Errors of one law for both classes know no difference between them."""
    if f.tied and f.model.client == f.model.impostor:
        raise InputError(
            "the likeliest proper pair is one law for both classes here, whose errors know no"
            f" difference between them; shared are {', '.join(f.tied)}. Take the intervals of"
            + worded(' `family="beta"`.')
        )


def _estimate(statistic: _Statistic, stat: Any, at: Any, model: ScoreModel) -> float:
    value = statistic.value(model, at)
    estimate = _number(value.threshold if statistic.scale == "threshold" else value)
    if not math.isfinite(estimate):
        raise InputError(
            "the statistic must be a finite number for the fitted model; "
            f"{checks.shown(stat)} is {estimate!r}."
        )
    return estimate


def _statistic(stat: Any, at: Any) -> _Statistic:
    if callable(stat):
        if at is not None:
            raise InputError("at belongs to a statistic by name; a function takes the model alone.")
        return _Statistic(lambda m, _: stat(m), "plain")
    if not isinstance(stat, str):
        raise InputTypeError.about("stat")(
            f"stat must be a name or a function of a ScoreModel; got {type(stat).__name__}."
        )
    found = STATISTICS[checks.choice(stat, tuple(STATISTICS), "stat")]
    if (found.at is None) != (at is None):
        wanted = f"needs at, {found.at}" if found.at else "has no at"
        raise InputError(f"{stat!r} {wanted}; got at={at!r}.")
    if found.at == "(low, high)":
        if not isinstance(at, tuple) or len(at) != 2:
            raise InputTypeError.about("at")(
                f"at must be a tuple (low, high) for {stat!r}; got {at!r}."
            )
    elif found.at is not None:
        checks.finite(at, "at")
    return found


def _number(value: Any) -> float:
    """One number, which functions of our caller's may fail to give."""
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise InputTypeError.about("stat")(
            f"stat must return one number; got {checks.shown(value)} of type"
            f" {type(value).__name__}."
        ) from error


def _scale(
    name: str, at: Any, model: ScoreModel
) -> tuple[Callable[[Any], float], Callable[[float], float]]:
    """Where the error is nearly normal: there from a statistic's value, and back to a number."""
    from scipy.special import ndtr, ndtri

    if name == "threshold" and model._pair.unit:
        return lambda point: float(point.logit_threshold), from_logit
    if name == "threshold":
        return lambda point: float(point.threshold), float
    if name == "probit":
        return lambda x: float(ndtri(min(max(_number(x), 0.0), 1.0))), lambda y: float(ndtr(y))
    if name == "partial":
        # Its lower end is that of a TPR of 0: the scale is that of the mean TPR of the range.
        rest = 2.0 - at[0] - at[1]
        return (
            lambda x: -float(ndtri(min(rest * (1.0 - _number(x)), 1.0))),
            lambda y: 1.0 - float(ndtr(-y)) / rest,
        )
    if name == "log":
        return lambda x: math.log(x) if _number(x) > 0.0 else -math.inf, from_log
    return _number, float


# ------------------------------------------------------------------------------ the curve
def roc_band(
    f: SupportedPair, level: float, method: str, far: npt.ArrayLike | None, *,
    simultaneous: bool, replicates: int, groups: bool, rng: Any,
) -> Band:  # fmt: skip
    """The band of the fitted ROC; `Fit.roc_band` documents it."""
    from scipy.special import ndtr

    level = checks.level(level)
    checks.choice(method, _METHODS, "method")
    replicates = checks.count(replicates, "replicates")
    simultaneous = checks.flag(simultaneous, "simultaneous")
    groups = checks.flag(groups, "groups")
    grid = np.linspace(0.0, 1.0, _GRID) if far is None else far
    x = np.atleast_1d(checks.rate_array(grid, "far"))
    _refuse_one_law(f)
    near = nearby(f, groups=groups)
    small = near.small

    def tpr(away: FloatArray) -> FloatArray:
        return np.asarray(near.model(away).roc().tpr(x), dtype=np.float64)

    estimate = np.asarray(f.model.roc().tpr(x), dtype=np.float64)
    if method == "delta":
        place = _probits(f.model, x)
        inside = np.isfinite(place)
        changes = slopes_of(near.steps, lambda model: _probits(model, x))
        slopes = np.where(inside[:, None] & np.isfinite(changes), changes, 0.0)
        reach = (
            small.largest(slopes, level, replicates, rng)
            if simultaneous
            else small.reach(slopes, level)
        )
        away = reach * np.sqrt(np.sum(slopes**2, axis=1))
        low, high = (np.where(inside, ndtr(place + s * away), estimate) for s in (-1.0, 1.0))
    else:
        drawn = np.empty((replicates, x.size))
        for rows, stream in streams(replicates, rng):
            drawn[rows] = [tpr(one) for one in small.draw(stream, rows.stop - rows.start)]
        if simultaneous:
            low, high = np.clip(sup_t(drawn, estimate, level), 0.0, 1.0)
        else:
            low, high = np.quantile(drawn, [0.5 * (1.0 - level), 0.5 * (1.0 + level)], axis=0)
    nowhere = np.zeros(x.size, dtype=np.int64)
    count = replicates if method == "bootstrap" or simultaneous else 0
    asked = of_point(f.model.at_far(x), {"FAR": x})
    if far is not None:
        tell(f._evidence, asked)
    return Band(
        x, estimate, low, high, level, simultaneous, "fit", count, nowhere,
        n_beyond=fewest(f._evidence, asked),
    )  # fmt: skip


def _probits(model: ScoreModel, far: FloatArray) -> FloatArray:
    """Probit of TPR at each FAR, near 1 from the tail of FRR; infinite where TPR is 0 or 1."""
    from scipy.special import ndtri

    tpr = np.asarray(model.roc().tpr(far), dtype=np.float64)
    if any(law.atoms.places.size for law in (model.client, model.impostor)):
        return np.asarray(ndtri(tpr))
    frr = np.asarray(model.at_far(far).frr, dtype=np.float64)
    return np.asarray(np.where(tpr < 0.5, ndtri(tpr), -ndtri(frr)))
