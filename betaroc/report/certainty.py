"""What the errors of a fit let one say of its curve: the one rule for sides, ends and shapes.

A side, or a shape, is stated if its probability reaches the level, or its p-value 1 - level, and
with that number. Else it cannot be told, and about so many scores would tell it:

    n wanted = n ((z of the level + z of POWER) / z)^2,   z that of the least certain sign
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from betaroc.core.errors import BetarocError
from betaroc.core.options import MOST_TIMES, POWER
from betaroc.core.text import capital
from betaroc.core.value import fields_of
from betaroc.data.groups import groups_of
from betaroc.estimation.families import has_shapes, is_of_counts, rows_of_names
from betaroc.fits.counted_ends import EndCounts, counted_hooks, counts_at_end
from betaroc.fits.fit import Fit
from betaroc.fits.shape_tests import CurveTest, EndTests, ends_are_tested, untested_ends
from betaroc.model.improper_regions import Hook
from betaroc.rendering.numbers import level_words, number, percent

NOT_COMPUTED = "its uncertainty was not computed"
#: Probabilities nearer to 0 and 1 are shown as such.
_UNLIKELY = 0.0005
_PLACES = {
    "at_zero": "at the low thresholds",
    "at_one": "at the high thresholds",
    "between": "between two crossings",
    "everywhere": "throughout",
}


class Certainty(NamedTuple):
    """The tests of a fit at a level; None where there is none, and why."""

    level: float
    ends: EndTests | None
    curve: CurveTest | None
    shapes: Mapping[str, Mapping[str, float]] | None
    #: Scores of each class, and whether they depend on groups.
    sizes: tuple[float, float]
    grouped: bool
    #: Both classes share what makes the curve concave, whatever the scores.
    concave: bool
    why: str
    #: What counts say of the sides of a fit whose ends are not tested, by end.
    counts: Mapping[str, EndCounts] = MappingProxyType({})

    @property
    def against(self) -> str:
        """Why the fitted curve is not to be believed near an end; empty where nothing says so."""
        if self.curve is not None:
            return self.curve.contradiction
        words = {end: counts.words for end, counts in self.counts.items() if counts.contradicted}
        return "; ".join(f"{_PLACES[end]} {found}" for end, found in words.items())

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
        goal = float(ndtri(1.0 - tail) + ndtri(POWER))
        times = (goal / z) ** 2 if z else math.inf
        if times > MOST_TIMES:
            return f"more than {number(MOST_TIMES)} times as many scores would be needed"
        client, impostor = (float(f"{times * n:.2g}") for n in self.sizes)
        more = f" in {number(times, 2)} times as many groups" if self.grouped else ""
        return (
            f"about {client:.0f} clients and {impostor:.0f} impostors{more} would tell in"
            f" {number(10.0 * POWER)} of 10 cases"
        )


def certainty_of(fit: Fit | None, level: float) -> Certainty | None:
    """What may be said of a fit at a level; None of distributions that nobody fitted."""
    if fit is None:
        return None
    fit = fit._scored
    groups = groups_of(fit.scores)
    sizes = fit.client.total_weight, fit.impostor.total_weight
    grouped = groups is not None and groups.dependent
    concave = all(row.concave for row in rows_of_names(fit.family))
    if not ends_are_tested(fit.family):
        fitted = fit.model.ends()
        counts = {
            end: counts_at_end(fit, end, side)
            for end, side in (("at_zero", fitted.at_zero.side), ("at_one", fitted.at_one.side))
            if side != "on" and not is_of_counts(fit.family)
        }
        return Certainty(level, None, None, None, sizes, grouped, concave, "", counts)
    try:
        ends, curve = fit.end_tests(level), fit.curve_test(level)
        shapes = fit.shape_probabilities() if has_shapes(fit.family) else None
    except BetarocError as error:
        return Certainty(level, None, None, None, sizes, grouped, concave, str(error))
    return Certainty(level, ends, curve, shapes, sizes, grouped, concave, "")


def cannot_tell(level: float) -> str:
    """The opening of a sentence on what the data cannot give."""
    return f"cannot tell at {level_words(level)} confidence"


def p_words(p: float) -> str:
    """A p-value."""
    return f"p = {number(p, 2)}" if p > 0.0 else "p below 1e-300"


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


# --------------------------------------------------------- below the diagonal, and numbers
def confidence_words(fit: Fit, sure: Certainty | None) -> list[str]:
    """Why there are no tests of a fit, and what its curve has below the diagonal."""
    words = []
    if sure is not None and sure.ends is None:
        words = [_untested(fit, sure)]
    return words + _hook_words(counted_hooks(fit))


def _untested(fit: Fit, sure: Certainty) -> str:
    """Why nothing is known of the uncertainty of the shape."""
    if sure.why:
        return f"The shape of the curve is not tested: {sure.why}"
    if fit.client.tails or fit.impostor.tails:
        return "Ends and shape are not tested of distributions with tails of their own."
    shared = f" Both classes share {' and '.join(fit.tied)}." if sure.concave and fit.tied else ""
    return f"{capital(untested_ends(fit))}.{shared}"


def _hook_words(hooks: tuple[Hook, ...]) -> list[str]:
    return [
        f"The fitted ROC is below the diagonal {_PLACES[hook.end]}: FAR from"
        f" {percent(hook.far_low)} to {percent(hook.far_high)}, by {percent(hook.depth)} at most;"
        f" of as many scores as were fitted {_several(hook.expected_scores)} expected there"
        + (("; " * bool(hook.counts) + hook.counts) if hook.seen else ", which is no finding") + "."
        for hook in hooks
    ]  # fmt: skip


def _several(n: float) -> str:
    """A number of scores, two digits of it, and its verb."""
    shown = number(n, 2) if n < 100.0 else f"{float(number(n, 2)):.0f}"
    return f"{shown} {'is' if shown == '1' else 'are'}"


def confidence_numbers(fit: Fit | None, level: float) -> dict[str, Any]:
    """The same for JSON; what is refused is null, with the reason."""
    fit = None if fit is None else fit._scored
    found: dict[str, Any] = {"ends": None, "curve": None, "shapes": None, "why_none": {}}
    if fit is None or not ends_are_tested(fit.family):
        found["why_none"] = {"all": "there is no fit" if fit is None else untested_ends(fit)}
        if fit is not None:
            found["hooks"] = [hook._asdict() for hook in counted_hooks(fit)]
        return found
    for key, make in (
        ("ends", lambda: {k: t._asdict() for k, t in fit.end_tests(level)._asdict().items()}),
        ("curve", lambda: _curve(fit, level)),
        ("shapes", fit.shape_probabilities),
    ):
        try:
            found[key] = make()
        except BetarocError as error:
            found["why_none"][key] = str(error)
    return found


def _curve(fit: Fit, level: float) -> dict[str, Any]:
    curve = fit.curve_test(level)
    return {
        "probabilities": dict(curve.probabilities),
        **fields_of(curve, "p_proper", "p_no_crossing", "finding"),
        "where_scores_are": dict(curve.where_seen) or None,
        "hooks": [hook._asdict() for hook in curve.hooks],
    }
