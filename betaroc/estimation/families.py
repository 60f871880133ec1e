"""The table of families, and which of them a call means: a name, a pair of names, "auto"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.checks import choice
from betaroc.core.errors import InputError, ScaleWarning
from betaroc.core.notices import Notice
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import worded
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import base_of
from betaroc.estimation import beta, mixture, normal
from betaroc.estimation.contract import Data, Family, MleResult

AUTO, BEST = "auto", "best"


def estimate_empirical(sample: Data) -> MleResult:
    """The sample itself: no parameter, and no likelihood beside densities; ties are legal."""
    return MleResult(sample.law(), (), (), np.empty((0, 0)), math.nan)


FAMILIES: dict[str, Family] = {
    "beta": beta.BETA,
    "normal": normal.NORMAL,
    "logit-normal": normal.LOGIT_NORMAL,
    "beta-mixture": mixture.BETA_MIXTURE,
    "proper-beta": beta.PROPER_BETA,
    "dual-beta": beta.DUAL_BETA,
    "equal-variance-normal": normal.EQUAL_VARIANCE_NORMAL,
    "normal-mixture": mixture.NORMAL_MIXTURE,
    "sinh-arcsinh": normal.SINH_ARCSINH,
    "logit-sinh-arcsinh": normal.LOGIT_SINH_ARCSINH,
    "log-normal": normal.LOG_NORMAL,
    "gamma": normal.GAMMA,
    "empirical": Family(estimate_empirical, summed=True, counted=True),
}

#: The family of both classes, or those of clients and of impostors.
Names = str | tuple[str, str]
#: With a larger share of scores in [0, 1] the others are likely to be mistakes.
_MOSTLY = 0.95


# ------------------------------------------------------------------------------- names
def checked_pair(family: Names | Sequence[str], extra: Sequence[str] = ()) -> tuple[str, str]:
    """Names of the families of clients and of impostors; one name stands for both.

    `extra` are names of choices, which stand alone.
    """
    if not isinstance(family, tuple | list):
        name = choice(family, (*extra, *FAMILIES), "family")
        return name, name
    if len(family) != 2:
        raise InputError.about("family")(
            "family must be one name or a pair of names (client, impostor); got"
            f" {len(family)}: {format_value(list(family))}."
            ' Give two, such as ("beta", "beta-mixture").'
        )
    for name in family:
        if isinstance(name, str) and name in extra:
            raise InputError.about("family")(
                f'"{name}" chooses the families of both classes and must stand alone; got '
                + worded(f"`family={tuple(family)!r}`")
                + worded(f'. Give `family="{name}"`, or name both families.')
            )
    pair = tuple(choice(name, tuple(FAMILIES), "family") for name in family)
    for name in pair:
        if FAMILIES[name].of_pairs and pair[0] != pair[1]:
            raise InputError.about("family")(
                f'"{name}" is a family of both classes and must stand alone; got '
                + worded(f'`family={pair!r}`. Give `family="{name}"`, or "beta" in its place.')
            )
    return pair[0], pair[1]


def named(pair: tuple[str, str]) -> Names:
    """One name where both classes have one family."""
    return pair[0] if pair[0] == pair[1] else pair


def family_text(family: Names) -> str:
    """One name, or "beta (clients), beta-mixture (impostors)"."""
    if isinstance(family, str):
        return family
    return f"{family[0]} (clients), {family[1]} (impostors)"


def smaller_of(pair: tuple[str, str]) -> tuple[str, str]:
    """What families of several components become where there is but one."""
    first, second = (FAMILIES[name].alone or name for name in pair)
    return first, second


def names_of_text(text: str) -> Names:
    """A family as it is typed in a shell or a file: "beta", or "beta,beta-mixture" for a pair."""
    parts = [part.strip() for part in text.split(",")]
    return named(checked_pair(parts if len(parts) > 1 else parts[0], (AUTO, BEST)))


# ------------------------------------------------------------------- what rows of the table say
def rows_of_names(family: Names) -> list[Family]:
    """The rows of a family, or of both; none of the names of choices."""
    names = (family,) if isinstance(family, str) else family
    return [FAMILIES[name] for name in names if name in FAMILIES]


def is_of_counts(family: Names) -> bool:
    """Whether both classes are taken as their scores."""
    rows = rows_of_names(family)
    return bool(rows) and all(row.counted for row in rows)


def planned_family(law: Distribution) -> str | None:
    """The family by which a distribution, or what it has between its point masses, is fitted."""
    kind = type(base_of(law))
    return next((name for name, row in FAMILIES.items() if row.law is kind), None)


def has_shapes(family: Names) -> bool:
    """Whether the parameters of both classes are the free shapes of beta distributions."""
    rows = rows_of_names(family)
    return bool(rows) and all(row.shapes for row in rows)


def check_within(who: str, values: FloatArray, bounds: tuple[float, float]) -> None:
    """An error for scores outside the bounds, by more than the rounding of these."""
    low, high = bounds
    outside = (values < np.nextafter(low, -np.inf)) | (values > np.nextafter(high, np.inf))
    if np.any(outside):
        first = int(np.argmax(outside))
        raise InputError.about("bounds")(
            f"all {who} scores must lie in the bounds ({low:g}, {high:g}); got"
            f" {int(np.sum(outside))} outside, first index {first}, value {float(values[first])!r}."
        )


# -------------------------------------------------------------------------- "auto"
class Chosen(NamedTuple):
    """A family, why it was chosen, and what there is to say about the scale of the scores."""

    family: str
    reason: str
    notices: list[Notice]


class Span(NamedTuple):
    """Where the scores of one class lie."""

    name: str
    total: int
    outside: int
    low: float
    high: float
    #: Index and value of the first score outside [0, 1], where single scores are known.
    first: tuple[int, float] | None


def automatic(
    value: Sequence[ScoreData], asked: str = AUTO, bounds: tuple[float, float] | None = None
) -> Chosen:
    """Beta where every score lies in [0, 1] or has bounds, else normal; `asked` is who asks."""
    if bounds is not None:
        return Chosen(
            "beta", "chosen because scores have bounds, {:g} and {:g}".format(*bounds), []
        )
    several = len(value) > 1
    return chosen_of([s for scores in value for s in spans_of(scores, named=several)], asked)


def spans_of(scores: ScoreData, *, named: bool = True) -> list[Span]:
    """Where the scores of both classes lie; of several sets each by its name."""
    of = f" of {scores.name}" if named and scores.name else ""
    spans = []
    for who in CLASSES:
        side = getattr(scores, who)
        spans.append(
            Span(f"{who}{of}", side.n, side.n_outside, side.minimum, side.maximum, None)
            if isinstance(scores, ScoreSummary)
            else _span(f"{who}{of}", side)
        )
    return spans


def automatic_of_sample(values: FloatArray) -> Chosen:
    """The same of one sample."""
    return chosen_of([_span("score", values)], AUTO)


def _span(name: str, values: FloatArray) -> Span:
    low, high = float(np.min(values)), float(np.max(values))
    if low >= 0.0 and high <= 1.0:
        return Span(name, values.size, 0, low, high, None)
    wrong = np.flatnonzero((values < 0.0) | (values > 1.0))
    first = int(wrong[0]), float(values[wrong[0]])
    return Span(name, values.size, wrong.size, low, high, first)


def chosen_of(spans: Sequence[Span], asked: str) -> Chosen:
    """By all scores of a call."""
    total, outside = sum(span.total for span in spans), sum(span.outside for span in spans)
    if not outside:
        return Chosen("beta", f"chosen because all {total} scores lie in [0, 1]", [])
    reason = f"chosen because {outside} of {total} scores lie outside [0, 1]"
    notices = []
    if total - outside >= _MOSTLY * total:
        worst = next(span for span in spans if span.outside)
        place = ""
        if worst.first is not None:
            place = f", first {worst.name} at index {worst.first[0]}: {worst.first[1]!r}"
        text = f"{outside} of {total} scores lie outside [0, 1]{place}; so " + worded(
            f'`family="{asked}"` takes normal distributions.'
        )
        text += " If they belong in [0, 1], correct those outside; else name a family"
        notices.append(Notice(ScaleWarning, text))
    return Chosen("normal", reason, notices)


def check_rule(chosen: Chosen, boundary: str | None, asked: str = AUTO) -> None:
    """A rule for scores of 0 and 1 beside a choice that takes distributions on the real line."""
    if chosen.family == "normal" and boundary is not None:
        raise InputError.about("boundary")(
            "boundary must be left out where scores lie outside [0, 1]: it is a rule for"
            + worded(f' distributions on [0, 1], and `family="{asked}"` takes normal here,')
            + f" {chosen.reason}. Correct these scores, or leave it out."
        )


def needs_rows(family: str) -> InputError:
    """The error for a summary and a family that must have single scores."""
    summed = [name for name, row in FAMILIES.items() if row.summed]
    return InputError.about("family")(
        worded(f'`family="{family}"` must have every score; got a summary, which keeps sums and')
        + worded(" counts in bins only. `Fit Scores (all rows, or a random part of them)`, or")
        + f" one of {format_list(summed)}."
    )
