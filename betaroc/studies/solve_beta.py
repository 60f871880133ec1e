"""The pair of beta distributions nearest to a reference among those that meet a prescription.

In the logs of the four shapes exponents and ties are linear and are kept exactly, by moving
in their null space alone; sides of an end and open shapes are half-spaces. What is left
is a least-squares problem under a few smooth equations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.distributions.beta import Beta, Shape
from betaroc.studies.prescription import SIGNS, Prescription
from betaroc.studies.solve_equations import Equation, area_equation, point_equation, slope_equation
from betaroc.studies.solve_goals import GOAL_MET, goal_equation

# The unknowns are log (a_c, b_c, a_i, b_i).
_NEAR = {0: (0, 2), 1: (1, 3)}
_CENTRES = {
    Shape.U: (0.5, 0.5), Shape.BELL: (2.0, 2.0), Shape.J: (2.0, 0.5), Shape.REVERSE_J: (0.5, 2.0),
}  # fmt: skip
#: Logs of shapes and of exponents stay this far from 0 where their sign is prescribed.
_MARGINS = (0.01, 1e-6)
#: Logs of the smallest and largest shape that are looked at.
_RANGE = (math.log(1e-5), math.log(1e7))
_MET = 1e-12
#: Near enough for the search of the nearest to begin; longest step; least share of a step.
_NEARLY, _LONGEST, _LEAST_SHARE, _STEPS = 1e-7, 1.0, 1e-3, 40
#: Starts away from the reference: along concentration, and along the spread of each end.
_OFFSETS = (
    (0.0, 0.0, 0.0, 0.0), (0.5, -0.5, -0.5, 0.5), (1.5, 1.5, 1.5, 1.5), (-1.0, -1.0, -1.0, -1.0),
    (1.0, -1.0, 1.0, -1.0), (-1.0, 1.0, -1.0, 1.0), (3.0, 3.0, 3.0, 3.0), (-2.0, -2.0, -2.0, -2.0),
    (2.5, 0.0, 2.5, 0.0), (0.0, 2.5, 0.0, 2.5), (4.5, 4.5, 4.5, 4.5), (2.0, -1.0, 2.0, -1.0),
    (-1.0, 2.0, -1.0, 2.0), (6.5, 6.5, 6.5, 6.5),
)  # fmt: skip
#: Curves: how many are begun, their steps and the length of one.
_TRACED, _TURNS, _STRIDE = 4, 40, 0.2
#: No new start after so many evaluations, and where numbers of the table make them slow.
_PATIENCE, _PATIENCE_OF_GOALS = 100, 50
#: Nor a new curve after so many; near enough to one.
_LAST_LOOK, _ON_CURVE = 400, 0.01
#: After so many starts the nearest solution found is taken.
_ENOUGH = 3


class Found(NamedTuple):
    """Log shapes, how far the equations are from met, the distance from the reference.

    ``held`` tells whether a prescribed sign keeps it where it is.
    """

    logs: FloatArray
    miss: float
    distance: float
    held: bool


def solve_beta(asked: Prescription, prior: float) -> tuple[Beta, Beta, bool]:
    """Client and impostor, nearest to the reference, and whether the equations are met."""
    near = _met(asked)
    for margin in _MARGINS:
        problems = [_Problem(asked, sides, margin, prior) for sides in _branches(asked)]
        found = [problem.solve(few=len(problems) > 1) for problem in problems]
        if len(problems) > 1 and all(one.miss > near for one in found):
            found = [problem.solve() for problem in problems]
        met = [one for one in found if one.miss <= near]
        if met or not min(found, key=lambda f: f.miss).held:
            break
    best = min(met, key=lambda f: round(f.distance, 6)) if met else min(found, key=lambda f: f.miss)
    return *_laws(best.logs, asked), bool(met)


def _met(asked: Prescription) -> float:
    """How near is met: numbers of the table may be computed less exactly than the equations."""
    return GOAL_MET if asked.goals else _MET


def _branches(asked: Prescription) -> list[tuple[int | None, int | None]]:
    """A crossing needs both exponents on one side: where neither is known, either."""
    if asked.crossing is None or asked.sides != (None, None):
        return [asked.sides]
    if asked.eer is None or asked.eer == 0.5:
        # Of two mirrored answers the one above the diagonal for longer.
        sign = 1 if asked.crossing >= 0.5 else -1
        return [(sign, sign), (-sign, -sign)]
    # Above the diagonal at the EER point, which lies before the crossing or behind it.
    return [(1, 1) if (asked.crossing > 0.5) == (asked.eer < 0.5) else (-1, -1)]


def _laws(logs: FloatArray, asked: Prescription) -> tuple[Beta, Beta]:
    """The distributions, with exponents and ties to the last digit."""
    a_c, b_c, a_i, b_i = np.exp(logs).tolist()
    zero, one = (_fixed_exponent(asked, end) for end in (0, 1))
    a_i = a_i if zero is None else zero * a_c
    b_i = b_i if one is None else one * b_c
    return Beta(a_c, b_c), Beta(a_i, b_i)


def _fixed_exponent(asked: Prescription, end: int) -> float | None:
    return 1.0 if asked.sides[end] == 0 else asked.exponents[end]


@dataclass
class _Problem:
    """One choice of sides, in coordinates y: log shapes = origin + basis y."""

    asked: Prescription
    sides: tuple[int | None, int | None]
    margin: float
    prior: float

    def __post_init__(self) -> None:
        self.looks = 0
        self.failed: list[Found] = []
        self.equations = list(self._equations())
        # Exponents and ties as linear equations; else shapes of 1, moved to an exponent of 2 or
        # 1/2 where its side alone is known.
        rows, values, logs = [], [], np.zeros(4)
        for end, (c, i) in _NEAR.items():
            side, exponent = self.sides[end], _fixed_exponent(self.asked, end)
            if exponent is not None:
                rows.append(np.eye(4)[i] - np.eye(4)[c])
                values.append(math.log(exponent))
            if side and self.asked.exponents[end] is None:
                logs[c], logs[i] = -0.5 * side * math.log(2.0), 0.5 * side * math.log(2.0)
        for k, shape in enumerate(self.asked.shapes):
            if shape is not None:
                logs[2 * k : 2 * k + 2] = np.log(_CENTRES[shape])
        self.reference = logs
        if rows:
            matrix = np.array(rows)
            shift = np.linalg.lstsq(matrix, np.array(values) - matrix @ self.reference, rcond=None)
            self.origin = self.reference + shift[0]
            self.basis = np.linalg.svd(matrix)[2][len(rows) :].T
        else:
            self.origin, self.basis = self.reference, np.eye(4)
        self.walls, self.least = self._half_spaces()

    # ------------------------------------------------------------------ what is asked
    def _half_spaces(self) -> tuple[FloatArray, FloatArray]:
        """Rows w and numbers m with w . log shapes >= m."""
        rows, least = [], []
        for k, shape in enumerate(self.asked.shapes):
            for end in (0, 1) if shape is not None else ():
                rows.append(SIGNS[shape][end] * np.eye(4)[2 * k + end])  # type: ignore[index]
                least.append(self.margin)
        for end, (c, i) in _NEAR.items():
            side = self.sides[end]
            if side and self.asked.exponents[end] is None:
                rows.append(side * (np.eye(4)[i] - np.eye(4)[c]))
                least.append(self.margin)
        for sign, bound in ((1.0, _RANGE[0]), (-1.0, -_RANGE[1])):
            rows.extend(sign * np.eye(4))
            least.extend([bound] * 4)
        return np.array(rows), np.array(least)

    def _equations(self) -> Iterator[Equation]:
        asked = self.asked
        if self.sides == (0, 0):
            return  # equal laws: an area of 1/2 and all that
        if asked.auc is not None:
            yield area_equation(asked.auc)
        if asked.eer is not None:
            yield point_equation(asked.eer, 1.0 - asked.eer, asked.eer)
        if asked.crossing is not None:
            yield point_equation(asked.crossing, asked.crossing, 1.0 - asked.crossing)
        for value in asked.ties:
            if value is not None:
                yield slope_equation(math.log(value))
        for goal in asked.goals:
            yield goal_equation(goal, self.prior)

    # ------------------------------------------------------------------ the search
    def solve(self, *, few: bool = False) -> Found:
        """The nearest of the solutions that the first few starts lead to, or all."""
        solutions: list[Found] = []
        failed, slow = self.failed, bool(self.asked.goals)
        patience, enough = (_PATIENCE_OF_GOALS, 1) if slow else (_PATIENCE, _ENOUGH)
        self.looks = 0
        for count in range(len(failed), len(_OFFSETS)):
            offset = _OFFSETS[count]
            if (count >= enough and (solutions or few)) or self.looks > patience:
                break
            found = self._refined(self._restored(self.basis.T @ np.array(offset)))
            (solutions if found.miss <= _met(self.asked) else failed).append(found)
            if not self.equations:
                break
        if not solutions and not few and not slow and len(self.equations) > 1:
            solutions = self._traced()
        if solutions:
            return min(solutions, key=lambda f: round(f.distance, 6))
        return min(failed, key=lambda f: f.miss)

    def _traced(self) -> list[Found]:
        """All equations but the last are met, and kept along a curve on which the last changes."""
        last, rest = self.equations[-1], self.equations[:-1]
        starts: list[FloatArray] = []
        self.equations = rest
        for offset in _OFFSETS[:_TRACED]:
            y = self._restored(self.basis.T @ np.array(offset))
            if self._found(y).miss <= _NEARLY and not any(
                np.allclose(y, z, atol=0.1) for z in starts
            ):
                starts.append(y)
        self.equations = [*rest, last]
        for y, sign in [(y, sign) for y in starts for sign in (-1.0, 1.0)]:
            if self.looks > _LAST_LOOK:
                break
            near = self._follow(y, sign)
            found = None if near is None else self._refined(self._restored(near))
            if found is not None and found.miss <= _met(self.asked):
                return [found]
        return []

    def _follow(self, y: FloatArray, sign: float) -> FloatArray | None:
        """Along the curve until the last equation changes its sign; None if it does not."""
        walls, least = self.walls @ self.basis, self.least - self.walls @ self.origin
        values, slopes = self._values(y)
        before, side = None, np.sign(values[-1])
        for _ in range(_TURNS):
            kept, steep = slopes[:-1], slopes[-1]
            along = steep - kept.T @ np.linalg.lstsq(kept.T, steep, rcond=1e-12)[0]
            if y.size == len(kept) + 1:
                along = np.linalg.svd(kept)[2][-1] * (
                    np.sign(along @ np.linalg.svd(kept)[2][-1]) or 1.0
                )
            length = float(np.linalg.norm(along))
            if not length > 0.0:
                return None
            along = along / length * (sign * -side if before is None else 1.0)
            if before is not None and along @ before < 0.0:
                along = -along
            following = y + _STRIDE * along
            values, slopes = self._values(following)
            for _ in range(2):
                following = following - np.linalg.lstsq(slopes[:-1], values[:-1], rcond=1e-12)[0]
                values, slopes = self._values(following)
                if np.max(np.abs(values[:-1])) < _ON_CURVE:
                    break
            if not np.all(np.isfinite(following)) or np.max(np.abs(values[:-1])) > 0.1:
                return None
            if np.any(walls @ following < least):
                return None
            if np.sign(values[-1]) != side:
                return np.asarray(following)
            y, before = following, along
        return None

    def _refined(self, y: FloatArray) -> Found:
        first = self._found(y)
        if first.miss > _NEARLY or not self.basis.shape[1]:
            return first
        last = self._found(self._polished(self._nearest(y)))
        return last if last.miss <= _met(self.asked) else self._found(self._polished(y))

    def _restored(self, y: FloatArray) -> FloatArray:
        """Newton's steps, the shortest that keep to the half-spaces, damped."""
        if not self.basis.shape[1]:
            return y
        walls, least = self.walls @ self.basis, self.least - self.walls @ self.origin
        y = y + _shortest(np.empty((0, y.size)), np.empty(0), walls, least - walls @ y, y * 0.0)
        values, slopes = self._values(y)
        for _ in range(_STEPS if self.equations else 0):
            size = float(np.max(np.abs(values)))
            if not size > _NEARLY:
                break
            share = 1.0
            while share > _LEAST_SHARE:
                step = _shortest(slopes, -share * values, walls, least - walls @ y, y * 0.0)
                long = float(np.max(np.abs(step)))
                if not long <= _LONGEST:
                    share *= 0.9 * _LONGEST / long if math.isfinite(long) else 0.5
                    continue
                following, rates = self._values(y + step)
                if np.max(np.abs(following)) < (1.0 - 0.1 * share) * size:
                    break
                share *= 0.4
            else:
                break
            y, values, slopes = y + step, following, rates
        return y

    def _nearest(self, y: FloatArray) -> FloatArray:
        """The local least of the distance from the reference."""
        from scipy.optimize import minimize

        gap = self.basis.T @ (self.origin - self.reference)
        walls, rest = self.walls @ self.basis, self.walls @ self.origin - self.least
        constraints: list[Any] = [
            {"type": "ineq", "fun": lambda y: walls @ y + rest, "jac": lambda _: walls}
        ]
        if self.equations:
            memory: dict[bytes, tuple[FloatArray, FloatArray]] = {}

            def at(y: FloatArray) -> tuple[FloatArray, FloatArray]:
                key = y.tobytes()
                if key not in memory:
                    memory[key] = self._values(y)
                return memory[key]

            constraints.append({"type": "eq", "fun": lambda y: at(y)[0], "jac": lambda y: at(y)[1]})
        found = minimize(
            lambda y: 0.5 * float(np.sum((gap + y) ** 2)),
            y,
            jac=lambda y: gap + y,
            constraints=constraints,
            method="SLSQP",
            options={"maxiter": 60, "ftol": 1e-13},
        )
        return np.asarray(found.x)

    def _values(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The equations and their derivatives by y."""
        self.looks += 1
        logs = np.clip(self.origin + self.basis @ y, _RANGE[0] - 1.0, _RANGE[1] + 1.0)
        pairs = [equation(logs) for equation in self.equations]
        values = np.array([value for value, _ in pairs])
        slopes = np.array([slope for _, slope in pairs]).reshape(len(pairs), 4)
        return values, slopes @ self.basis

    def _polished(self, y: FloatArray) -> FloatArray:
        """Newton's shortest steps onto the equations."""
        for _ in range(8 if self.equations else 0):
            values, slopes = self._values(y)
            if not np.all(np.isfinite(values)) or np.max(np.abs(values)) < 1e-15:
                break
            step = np.linalg.lstsq(slopes, -values, rcond=1e-12)[0]
            if not np.all(np.isfinite(step)) or np.max(np.abs(step)) > 1.0:
                break
            y = y + step
            if np.max(np.abs(step)) < 1e-15:
                break
        return y

    def _found(self, y: FloatArray) -> Found:
        logs = self.origin + self.basis @ y
        values = self._values(y)[0] if self.equations else np.zeros(1)
        miss = float(np.max(np.abs(values)))
        # A wall may be passed by rounding, not by half its margin.
        beyond = float(np.max(self.least - self.walls @ logs))
        if not math.isfinite(miss):
            miss = math.inf
        if beyond > 0.5 * self.margin:
            miss = max(miss, beyond)
        signs = len(self.least) - 8
        held = bool(np.any(self.walls[:signs] @ logs < 1.5 * self.least[:signs]))
        return Found(logs, miss, float(np.sum((logs - self.reference) ** 2)), held)


def _shortest(
    equal: FloatArray, values: FloatArray, walls: FloatArray, least: FloatArray, start: FloatArray
) -> FloatArray:
    """The step x nearest to `start` with equal x = values and walls x >= least; nan if none.

    Least distance programming (Lawson and Hanson 1974, chapter 23) in the null space.
    """
    from scipy.optimize import nnls

    if not np.all(np.isfinite(equal)):
        return np.full(start.size, math.nan)
    x, free = start, np.eye(start.size)
    if len(values):
        x = start + np.linalg.lstsq(equal, values - equal @ start, rcond=1e-12)[0]
        rank = int(np.linalg.matrix_rank(equal, tol=1e-12 * max(1.0, float(np.max(np.abs(equal))))))
        free = np.linalg.svd(equal)[2][rank:].T
    short = least - walls @ x
    if np.all(short <= 1e-12):
        return x
    if not free.shape[1]:
        return np.full(start.size, math.nan)
    matrix = np.vstack([(walls @ free).T, short])
    goal = np.zeros(matrix.shape[0])
    goal[-1] = 1.0
    weights, left = nnls(matrix, goal)
    rest = matrix @ weights - goal
    if left < 1e-9:
        return np.full(start.size, math.nan)
    return np.asarray(x - free @ (rest[:-1] / rest[-1]))
