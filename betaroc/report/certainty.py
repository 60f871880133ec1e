"""What the errors of a fit let one say of its curve: the one rule for sides, ends and shapes.

A side, or a shape, is stated if its probability reaches the level, or its p-value 1 - level, and
with that number. Else it cannot be told, and about so many scores would tell it:

    n wanted = n ((z of the level + z of POWER) / z)^2,   z that of the least certain sign
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from betaroc.core.errors import BetarocError
from betaroc.fits.fit import Fit
from betaroc.fits.shape_tests import TESTED, CurveTest, EndTests
from betaroc.inference.groups import groups_of
from betaroc.rendering.numbers import level_words, number

__all__ = [
    "NOT_COMPUTED", "Certainty", "cannot_tell", "certainty_of", "chance_words", "least_sign",
    "likely", "p_words",
]  # fmt: skip

NOT_COMPUTED = "its uncertainty was not computed"
#: Chance with which as many scores as are named would tell.
_POWER = 0.8
#: Beyond so many times the scores a number of them is none.
_TOO_MANY = 1000.0
#: Probabilities nearer to 0 and 1 are shown as such.
_UNLIKELY = 0.0005


class Certainty(NamedTuple):
    """The tests of a fit at a level; None where there is none, and why."""

    level: float
    ends: EndTests | None
    curve: CurveTest | None
    shapes: Mapping[str, Mapping[str, float]] | None
    #: Scores of each class, and whether they hang on groups.
    sizes: tuple[float, float]
    grouped: bool
    #: Both classes share what makes the curve concave, whatever the scores.
    concave: bool
    why: str

    @property
    def whole(self) -> Mapping[str, float]:
        """Probabilities of the whole curve, of normal distributions where scores are."""
        return {} if self.curve is None else self.curve.where_seen or self.curve.probabilities

    @property
    def where(self) -> str:
        """Of which thresholds `whole` speaks."""
        seen = self.curve is not None and bool(self.curve.where_seen)
        return "wherever there are scores" if seen else "everywhere"

    def wanted(self, z: float, *, two_sided: bool = False) -> str:
        """How many scores would tell what is z standard errors away now."""
        from scipy.special import ndtri

        tail = (1.0 - self.level) / (2.0 if two_sided else 1.0)
        goal = float(ndtri(1.0 - tail) + ndtri(_POWER))
        times = (goal / z) ** 2 if z else math.inf
        if times > _TOO_MANY:
            return f"more than {number(_TOO_MANY)} times as many scores would be needed"
        client, impostor = (float(f"{times * n:.2g}") for n in self.sizes)
        more = f" in {number(times, 2)} times as many groups" if self.grouped else ""
        return (
            f"about {client:.0f} clients and {impostor:.0f} impostors{more} would tell in"
            f" {number(10.0 * _POWER)} of 10 cases"
        )


def certainty_of(fit: Fit | None, level: float | None) -> Certainty | None:
    """What may be said of a fit at a level; None of distributions that nobody fitted."""
    if fit is None or level is None:
        return None
    groups = groups_of(fit.scores)
    sizes = fit.client.total_weight, fit.impostor.total_weight
    grouped = groups is not None and groups.dependent
    concave = fit.family == "proper-beta"
    if fit.family not in TESTED:
        return Certainty(level, None, None, None, sizes, grouped, concave, "")
    try:
        ends, curve = fit.end_tests(level), fit.curve_test(level)
        shapes = fit.shape_probabilities() if fit.family == "beta" else None
    except BetarocError as error:
        return Certainty(level, None, None, None, sizes, grouped, concave, str(error))
    return Certainty(level, ends, curve, shapes, sizes, grouped, concave, "")


def cannot_tell(level: float) -> str:
    """The opening of a sentence on what the data cannot give."""
    return f"cannot tell at {level_words(level)} confidence"


def p_words(p: float) -> str:
    """A p-value."""
    return f"p = {number(p, 2)}"


def chance_words(p: float) -> str:
    """A probability, three digits after the point."""
    if p >= 1.0 - _UNLIKELY:
        return "above 0.999"
    return f"{p:.3f}" if p >= _UNLIKELY else "below 0.001"


def likely(probabilities: Mapping[str, float], names: Mapping[str, str]) -> str:
    """What is worth a word, the most probable first."""
    kept = sorted(probabilities.items(), key=lambda item: -item[1])
    return ", ".join(f"{chance_words(p)} {names[key]}" for key, p in kept if p >= _UNLIKELY)


def least_sign(probabilities: Mapping[str, float], positive: Sequence[set[str]]) -> float:
    """Deviate of the least certain of several signs; each names where it is positive."""
    from scipy.special import ndtri

    found = []
    for names in positive:
        inside = sum(p for key, p in probabilities.items() if key in names)
        outside = sum(p for key, p in probabilities.items() if key not in names)
        found.append(-float(ndtri(min(inside, outside, 0.5))))
    return min(found)
