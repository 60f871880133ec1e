"""Numbers of the table of statistics that a pair is to have, as equations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import finite
from betaroc.core.errors import BetarocError, InputError, InputTypeError
from betaroc.core.text import shown
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta
from betaroc.distributions.normal import LogitNormal, Normal
from betaroc.model.asking import Asking, askings
from betaroc.model.model import ScoreModel

#: A goal is met that is so near, on the logit or the log of its range.
GOAL_MET = 1e-9
#: Where a search may stop, and step of differences in a log shape.
_SOLVED, _STEP = 1e-11, 1e-6
#: Fractions nearer than this to an end of their range are taken as this near.
_LEAST, _NEXT = 1e-300, 1e-16
#: Starts (mu_c, log sigma_c, mu_i, log sigma_i), and how many of them are free at first.
_STARTS = (
    (1.0, 0.0, 0.0, 0.0), (3.0, 0.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (1.0, 0.7, 0.0, 0.0),
    (1.0, -0.7, 0.0, 0.0), (3.0, 0.7, 0.0, 0.0), (3.0, -0.7, 0.0, 0.0), (-1.0, 0.7, 0.0, 0.0),
    (-1.0, -0.7, 0.0, 0.0), (1.0, 0.5, -1.0, 0.5), (5.0, 1.0, 2.0, 1.0), (0.3, -1.5, -0.3, -1.5),
)  # fmt: skip
_FREE = (1, 2, 4)
#: No new start after so many looks at a model.
_PATIENCE = 1000


class StatisticGoal(NamedTuple):
    """A number of the table, and what it is to be."""

    asked: Asking
    value: float

    def __str__(self) -> str:
        """As it is given."""
        return f"{self.asked}={self.value!r}"

    def number(self, model: ScoreModel) -> float:
        """What a model has; nan where it has none."""
        try:
            with np.errstate(all="ignore"):
                return self.asked.number(model)
        except (BetarocError, ArithmeticError):
            return math.nan

    def off(self, model: ScoreModel) -> float:
        """How far a model is from it, on the logit or the log of the statistic's range."""
        return self._place(self.number(model)) - self._place(self.value)

    def _place(self, number: float) -> float:
        low, high = self.asked.row.low, self.asked.row.high
        if math.isinf(low) or math.isnan(number):
            return number
        if math.isinf(high):
            return math.log(max(number - low, _LEAST))
        share = min(max((number - low) / (high - low), _LEAST), 1.0 - _NEXT)
        return math.log(share) - math.log1p(-share)


def checked_goals(given: Any) -> tuple[StatisticGoal, ...]:
    """Numbers by the text of their statistic, each inside its range."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise InputTypeError.about("goals")(
            "goals must be a mapping of statistics to numbers, such as {'tpr@far=0.01': 0.9}; got"
            f" {shown(given)} of type {type(given).__name__}."
        )
    found = []
    for asked, value in zip(askings(list(given), "goals"), given.values(), strict=True):
        name, row = f"goals[{str(asked)!r}]", asked.row
        number = finite(value, name)
        if not row.low < number < row.high:
            raise InputError.about("goals")(
                f"{name} must lie strictly between {row.low:g} and {row.high:g}, the range of"
                f" {asked.name!r}; got {number!r}."
            )
        found.append(StatisticGoal(asked, number))
    return tuple(found)


def goal_equation(
    goal: StatisticGoal, prior: float
) -> Callable[[FloatArray], tuple[float, FloatArray]]:
    """What a goal asks of two beta distributions, in the logs of their shapes."""

    def equation(logs: FloatArray) -> tuple[float, FloatArray]:
        steps = np.concatenate([np.zeros((1, 4)), _STEP * np.eye(4)])
        off = np.array([
            goal.off(ScoreModel(Beta(a_c, b_c), Beta(a_i, b_i), prior=prior))
            for a_c, b_c, a_i, b_i in np.exp(logs + steps).tolist()
        ])  # fmt: skip
        return float(off[0]), (off[1:] - off[0]) / _STEP

    return equation


def solve_by_table(
    goals: Sequence[StatisticGoal], law: type[Normal] | type[LogitNormal], prior: float
) -> tuple[Distribution, Distribution]:
    """Two normal distributions, on the score or its logit, that meet the goals, or come nearest.

    The clients' mean moves alone, then with their spread, then all four parameters, until the
    goals are met; the impostors are standard normal and the spreads equal until then.
    """
    from scipy.optimize import least_squares

    def model(x: FloatArray) -> ScoreModel:
        mu_c, log_c, mu_i, log_i = x.tolist()
        client, impostor = law(mu_c, math.exp(log_c)), law(mu_i, math.exp(log_i))
        return ScoreModel(client, impostor, prior=prior)

    best, least, looks = model(np.array(_STARTS[0])), math.inf, 0
    for free in _FREE:
        for start in np.array(_STARTS) if free >= len(goals) else ():

            def off(y: FloatArray, start: FloatArray = start, free: int = free) -> FloatArray:
                there = model(np.concatenate([np.clip(y, -30.0, 30.0), start[free:]]))
                return np.array([goal.off(there) for goal in goals])

            if (
                looks > _PATIENCE
                or np.any(start[free:])
                or not np.all(np.isfinite(off(start[:free])))
            ):
                continue
            found = least_squares(
                off, start[:free], jac="3-point", ftol=1e-15, xtol=1e-15, gtol=1e-15, max_nfev=60
            )
            looks += found.nfev * (1 + 2 * free)
            miss = float(np.max(np.abs(found.fun)))
            if miss < least:
                best, least = model(np.concatenate([found.x, start[free:]])), miss
            if least <= _SOLVED:
                return best.client, best.impostor
    return best.client, best.impostor
