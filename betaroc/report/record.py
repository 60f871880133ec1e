"""What an analysis found, as data: of it its text, its JSON and its page are made."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from betaroc.core import checks
from betaroc.core.errors import BetarocError, InputError, MisfitWarning
from betaroc.core.notices import quietly
from betaroc.core.text import number, shown
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import RATE_NAMES, ClassWords, Vocabulary, worded
from betaroc.data.scores import ScoreData
from betaroc.decision.decide import (
    Decision,
    DecisionCheck,
    DecisionRequest,
    checked_request,
    decided,
)
from betaroc.decision.status import AMBER, GREEN, RED
from betaroc.decision.ways import TARGET_RATES, Fitting, Way
from betaroc.rendering.numbers import version, visible
from betaroc.rendering.tree import foreign
from betaroc.report.quality import statuses

if TYPE_CHECKING:
    from betaroc.report.analysis import Analysis

#: What a report asks where nothing else was asked for.
DEFAULT_TARGET = "far=0.01"
#: What may be given as a target.
AnalysisTarget = str | Mapping[str, float] | None
_TARGET_NAMES = ("precision", "ppv", "cost_fa", "cost_fr", "prior", "eer", "youden", *RATE_NAMES)


def page_in_terms(page: str, analysis: Analysis) -> str:
    """The page in the words of the user's field; its style and foreign names stay as they are."""
    from markupsafe import escape

    shown = (foreign(name, path=path) for name in analysis.names for path in (False, True))
    kept = {str(escape(form)) for one in shown for form in one}
    terms = checks.terms_of(analysis.terms)
    page = analysis.words.in_markup(page, kept)
    kept |= {str(escape(word)) for word in analysis.words}
    parts = re.split(r"(<style>.*?</style>)", page, flags=re.DOTALL)
    words = ClassWords(*(str(escape(word)) for word in analysis.words))
    parts = [Vocabulary(terms, words).fill(part) for part in parts]
    return "".join(p if p.startswith("<style>") else terms.said(p, kept) for p in parts)


def foot(analysis: Analysis) -> str:
    """The last line of a page."""
    return page_in_terms(foot_words(), analysis)


def foot_words() -> str:
    """The same before any field's words."""
    return (
        f"betaroc {version()}. FAR(θ) = P(impostor score &gt; θ), FRR(θ) = P(client score ≤ θ),"
        " TPR = 1 − FRR, TNR = 1 − FAR."
    )


def doubts(analysis: Analysis) -> tuple[list[str], list[str]]:
    """That the fit does not describe dev's scores, or else is poor; every other warning."""
    first, others = list[str](), list[str]()
    for notice in analysis.notices:
        of_dev = notice.category is MisfitWarning and notice.message.startswith("dev: ")
        (first if of_dev else others).append(visible(notice.message))
    poor = [one for one in statuses(analysis.dev) if one.verdict == "poor"]
    return first or [f"dev: fit of the {p.of}: {p.verdict}. {p.words}" for p in poor], others


# ------------------------------------------------------------------------- its threshold
def request_of(target: AnalysisTarget, confidence: float) -> DecisionRequest:
    """A target as `decide` takes it, from {"far": 0.01}, "far=0.01", "eer" and the like."""
    if target is None:
        target = DEFAULT_TARGET
    if not isinstance(target, str | Mapping):
        raise _refused(target)
    given = _parsed(target) if isinstance(target, str) else dict(target)
    if not given or not set(given) <= set(_TARGET_NAMES):
        raise _refused(target)
    try:
        return checked_request(**given, confidence=confidence)
    except BetarocError as error:
        raise InputError.about("target")(
            worded(f"`target` must be one that can be decided on; got {shown(target)}: {error}")
        ) from error


def _parsed(text: str) -> dict[str, Any]:
    """Of "far=0.01" or "cost_fa=10,cost_fr=1"."""
    if text.strip() in ("eer", "youden"):
        return {text.strip(): True}
    found: dict[str, Any] = {}
    for item in text.split(","):
        name, _, value = (part.strip() for part in item.partition("="))
        known = name.replace("-", "_")
        if known in found:
            raise _refused(text)
        try:
            found[known] = number(value)
        except ValueError:
            raise _refused(text) from None
    return found


def _refused(target: object) -> InputError:
    return InputError.about("target")(
        worded(
            "`target` must be far=RATE, frr=RATE, precision=SHARE, cost_fa=COST with cost_fr=COST,"
            f" or eer; got {shown(target)}. Name one, such as far=0.01."
        )
    )


def target_text(asked: DecisionRequest) -> str:
    """A target in one short text, which `request_of` reads."""
    prior = "" if asked.prior is None else f",prior={asked.prior!r}"
    if asked.kind in (*TARGET_RATES, "precision"):
        return f"{asked.kind}={asked.rate!r}{prior}"
    if asked.costs is None:
        return "eer"
    return f"cost_fa={asked.costs[0]!r},cost_fr={asked.costs[1]!r}{prior}"


def question_of(asked: DecisionRequest) -> str:
    """What the page answers."""
    if asked.kind in TARGET_RATES:
        return f"Which threshold keeps {asked.kind.upper()} at or below {100.0 * asked.rate:g} %?"
    if asked.kind == "precision":
        return f"Which threshold has a precision of at least {100.0 * asked.rate:g} % on dev?"
    if asked.costs is None:
        return "At which threshold are FAR and FRR equal?"
    fa, fr = asked.costs
    return f"Which threshold costs least, {fa:g} a false acceptance and {fr:g} a false rejection?"


def decision_of(
    dev: ScoreData, asked: DecisionRequest, fitting: Fitting
) -> tuple[Decision | None, str]:
    """The threshold, or why there is none."""
    try:
        with quietly():  # what they say of dev, its fit has said
            return decided(dev, asked, fitting), ""
    except BetarocError as error:
        return None, getattr(error, "why", str(error))


def checks_of(d: Decision | None, tests: Sequence[Any]) -> tuple[DecisionCheck | None, ...]:
    """What every test set says of it; None where that cannot be had."""
    found: list[DecisionCheck | None] = []
    for test in tests:
        try:
            with quietly():
                found.append(None if d is None else d.check(test))
        except BetarocError:
            found.append(None)
    return tuple(found)


def worst_check(
    d: Decision, checks: Sequence[DecisionCheck | None]
) -> tuple[Decision | DecisionCheck, int | None]:
    """Whose status stands for all: that of a test set, by its place, or the decision's own."""
    order = (GREEN, AMBER, RED)
    there = [(check, k) for k, check in enumerate(checks) if check is not None]
    if not there:
        return d, None
    return max(there, key=lambda p: (order.index(p[0].status), p[0].observed, -p[1]))


# ------------------------------------------------------------------------------ in JSON
def decision_numbers(analysis: Analysis) -> dict[str, Any]:
    """What was decided and what each test set says of it, for readers of JSON."""
    d, target = analysis.decision, analysis.target
    asked = {"target": target or DEFAULT_TARGET, "default": not target}
    if d is None:
        return {"asked": asked, "no_decision": analysis.no_decision}
    said, _ = worst_check(d, analysis.checks)
    seen = [None if check is None else check_numbers(check) for check in analysis.checks]
    return {"asked": asked} | told_decision(d, said) | {"tests": seen}


def told_decision(d: Decision, said: Decision | DecisionCheck) -> dict[str, Any]:
    """Threshold, rates and ways, and what is said of them in the end."""
    return {
        **fields_of(d, "threshold", "threshold_for_greater_equal", "target"),
        "rate": None if math.isnan(d.rate) else d.rate,
        **fields_of(d, "how", "confidence", "needed"),
        "expected": fields_of(d.expected, "far", "frr", "prior"),
        "interval": [d.interval.low, d.interval.high],
        **fields_of(said, "status", "reason", "remedy"),
        "ways": [fields_of(way, *Way.__dataclass_fields__) for way in d.ways],
    }


def check_numbers(check: DecisionCheck) -> dict[str, Any]:
    """What a test set says."""
    names = ("observed", "low", "high", "verdict", "status", "reason")
    return fields_of(check, *names) | fields_of(check.point, "far", "frr")
