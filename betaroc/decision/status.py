"""Whether a decided threshold can be relied on, why, and what would change it."""

from __future__ import annotations

import math
from typing import NamedTuple

from betaroc.core.vocabulary import ClassWords
from betaroc.decision.ways import POOR, TARGET_RATES, Rate, Target, Way
from betaroc.model.measures import OperatingPoint
from betaroc.rendering.numbers import number, rate, rate_span, spaced

#: The statuses, the best first.
GREEN, AMBER, RED = "can be relied on", "not enough evidence", "do not rely on it"
#: What errors of a rate are called.
DECIDED = {"far": "accepted", "frr": "rejected"}
#: From this ratio on a rate is said to be so many times the target.
_TIMES = 1.5
#: From this share of a class on errors that are no target are said beside the status.
_MOST = 0.5
#: The share of a class that a threshold as it is shown may decide otherwise.
_OTHERWISE = 0.005


class Said(NamedTuple):
    """A status with its reason and what would change it."""

    status: str
    reason: str
    remedy: str

    def more(self, words: str) -> Said:
        """The same with words behind the reason."""
        return self._replace(reason=self.reason + words)


class Observed(NamedTuple):
    """What a test set says of a decided threshold."""

    observed: float
    low: float
    high: float
    verdict: str
    status: str
    reason: str
    remedy: str


class Shift(NamedTuple):
    """Whether test lies elsewhere than dev."""

    #: All its trials, and those of them that have a score.
    trials: bool
    scored: bool
    #: Shares of dev's and of test's trials that have none.
    absent: tuple[float, float] = (0.0, 0.0)


def cut_words(text: str, width: int = 120) -> str:
    """The sentences of a text that fit, without the last stop; else what fits up to a word."""
    if len(text) <= width:
        return text
    whole, _, rest = text[:width].rpartition(". ")
    return whole or f"{rest.rpartition(' ')[0]} ..."


# ---------------------------------------------------------------------------- of a rate
def said_of_rate(way: Way, target: Target, n: int, needed: int, far: Rate, frr: Rate) -> Said:
    """Of a target rate: dev has n trials, or groups, that speak for it, a guarantee needs so many.

    `far` and `frr` are dev's with their intervals.
    """
    name, asked = target.kind.upper(), f"{100.0 * target.rate:g} %"
    if way.far + way.frr >= 1.0:
        return _of_no_use(way, target.words)
    many, have = target.units, target.words.counted(target.who, n, spaced(n))
    have = f"{spaced(n)} {many}" if target.grouped else have
    if way.how == "guaranteed":
        confidence = f"{'about ' * target.grouped}{100.0 * target.confidence:g} %"
        kept = (
            f"With {confidence} confidence {name} stays at or below {asked} on trials like dev's"
            f" ({have}; {spaced(needed)} needed)."
        )
        if mean_rate((1.0, 1.0), far, frr)[2] >= 1.0:
            return _of_unknown_use(kept, target, far, frr)
        return Said(
            GREEN, kept, f"other {target.many}, sensor or model; trials that share a person."
        )
    lacking = f"A guarantee needs {spaced(needed)} {many}, dev has {spaced(n)}."
    remedy = f"{spaced(needed)} {many} for a guarantee (you have {spaced(n)})."
    if n >= needed:
        lacking, remedy = f"Dev has {have}, enough for a guarantee.", "the guaranteed threshold."
    if way.how == "average":
        tied = not target.grouped and round(way.expected * (n + 1)) - 1 > way.n_beyond
        reason = f"{name} is expected at {rate(way.expected)}{' or less' * tied}, at most {asked}"
        return Said(AMBER, f"{reason} on average. {lacking}", remedy)
    by = "a tail of dev's scores" if way.how == "tail" else f"the fitted {way.family} distribution"
    if way.why.endswith(POOR):
        reason = f"The threshold is that of {by}, which does not hold there: {way.why}."
        return Said(RED, reason, f"another family or a tail; {remedy}")
    moved = f" The threshold was {way.why}." if way.why else ""
    reason = f"{name} is expected at {rate(way.expected)} by {by}.{moved} {lacking}"
    return Said(AMBER, reason, remedy)


def _of_no_use(way: Way, words: ClassWords) -> Said:
    """Of a threshold at which clients are accepted no more often than impostors."""
    clients, impostors = words.many("client"), words.many("impostor")
    return Said(
        RED,
        f"At this threshold dev accepts {clients} no more often than {impostors}: FRR"
        f" {rate(way.frr)}, FAR {rate(way.far)}.",
        f"scores that tell {clients} from {impostors}; the other label for {clients}, or scores"
        " with the opposite sign, if these are the wrong way round.",
    )


def _of_unknown_use(kept: str, target: Target, far: Rate, frr: Rate) -> Said:
    """Of a guarantee at whose threshold clients may be accepted no more often than impostors."""
    clients, impostors = target.words.many("client"), target.words.many("impostor")
    return Said(
        AMBER,
        f"{kept} But dev does not show that {clients} are accepted more often than {impostors}:"
        f" FRR {rate(frr[0])} {rate_span(*frr[1:])}, FAR {rate(far[0])} {rate_span(*far[1:])}.",
        f"more {clients}, or scores that tell {clients} from {impostors} better.",
    )


def observed_rate(
    target: Target,
    said: Said,
    shift: Shift,
    n: int,
    needed: int | None,
    total: float,
    found: Rate,
) -> Observed:
    """Of a target rate: its rate with its interval on a test of so many trials."""
    observed, low, high = found
    if low > target.rate:
        return Observed(*found, "broken", *_broken(target, shift, n, needed, total, observed))
    status, remedy, seen = said.status, said.remedy, f"{rate(observed)}, interval"
    if high <= target.rate:
        agrees = "observes" if status == RED else "agrees:"
        words = f"Test {agrees} {seen} up to {rate(high)}."
        return Observed(*found, "kept", status, f"{said.reason} {words}", remedy)
    words = f"Test observes {seen} {rate_span(low, high)}"
    if observed > target.rate:
        words += f": above {100.0 * target.rate:g} %, which the interval includes"
        if status == GREEN:
            status, remedy = AMBER, f"more {target.many} in the test set; {remedy}"
    return Observed(*found, "cannot tell", status, f"{said.reason} {words}.", remedy)


def _broken(
    target: Target, shift: Shift, n: int, needed: int | None, total: float, observed: float
) -> Said:
    """That test contradicts, and whether its scores lie elsewhere than dev's."""
    beyond, times = round(observed * total), observed / target.rate
    shown = spaced(times) if times >= 10.0 else number(times, 2)
    much = f"about {shown} times the target" if times >= _TIMES else "above the target"
    reason = (
        f"On test {spaced(beyond)} of {target.words.counted(target.who, total, spaced(total))}"
        f" {'was' if beyond == 1 else 'were'} {DECIDED[target.kind]}:"
        f" {target.kind.upper()} {rate(observed)}, {much}."
    )
    have, lacking = f"(you have {spaced(n)})", needed is not None
    if shift.trials:
        side = "above" if target.kind == "far" else "at or below"
        dev, now = (rate(share) for share in shift.absent)
        reason += (
            f" Test {target.many} score {side} the threshold more often than dev's."
            if shift.scored
            else f" Of test's {target.many} {now} have no score, of dev's {dev}."
        )
        more = f", at least {spaced(needed or 0)} of them {have}" if lacking else ""
        return Said(RED, reason, f"dev {target.many} like those of the test{more}.")
    more = f", for which {spaced(needed or 0)} {target.many} are needed {have}" if lacking else ""
    return Said(RED, reason, f"a guaranteed threshold{more}.")


# ---------------------------------------------------------------------- of both rates
def said_of_costs(way: Way, costs: tuple[float, float] | None, words: ClassWords) -> Said:
    """Of costs or of the equal error rate, which set no target that could be kept."""
    if costs is None and way.far + way.frr >= 1.0:
        return _of_no_use(way, words)
    by = "counted on dev" if way.how == "counted" else f"by the fitted {way.family} distributions"
    start = f"The threshold has {'equal error rates' if costs is None else 'the least mean cost'}"
    if costs is None and way.threshold == -math.inf:
        start = (
            f"No threshold has equal error rates, since {words.many('client')} without a score"
            f" count as rejected: the lowest has FRR {rate(way.frr)} and FAR {rate(way.far)}"
        )
    reason = f"{start}, {by}; that is no target that other trials could keep."
    return Said(AMBER, reason, "a target for one of the rates.")


def said_of_precision(target: float, found: Rate, accepted: int) -> Said:
    """Of a precision, which dev alone cannot show to hold: it may fall as the threshold rises."""
    return Said(
        AMBER,
        f"This is the lowest threshold at which dev counts a precision of at least"
        f" {100.0 * target:g} %: {rate(found[0])} of {spaced(accepted)} accepted trials, interval"
        f" {rate_span(*found[1:])}. That is no guarantee: precision need not rise with the"
        " threshold, so that no order statistic bounds it.",
        "a target for FAR or FRR, which can be guaranteed.",
    )


def observed_precision(said: Said, target: float, found: Rate) -> Observed:
    """Of a precision: only a test can show that it is at least the target."""
    observed, low, high = found
    words = f"Test observes {rate(observed)}, interval {rate_span(low, high)}"
    if high < target:
        remedy = "a larger target, or dev trials like those of the test."
        return Observed(*found, "broken", RED, f"{words}: below {100.0 * target:g} %.", remedy)
    verdict, status = ("kept", GREEN) if low >= target else ("cannot tell", said.status)
    return Observed(*found, verdict, status, f"{said.reason} {words}.", said.remedy)


def mean_rate(weights: tuple[float, float], far: Rate, frr: Rate) -> Rate:
    """A weighted mean of both rates, with the squares of both intervals added."""

    def reach(k: int) -> float:
        return math.hypot(weights[0] * (far[k] - far[0]), weights[1] * (frr[k] - frr[0]))

    mean = weights[0] * far[0] + weights[1] * frr[0]
    return mean, mean - reach(1), mean + reach(2)


def observed_cost(
    said: Said, costs: tuple[float, float] | None, expected: Rate, found: Rate
) -> Observed:
    """Of weights on both rates: whether test is worse than both intervals can explain."""
    what = "mean of both rates" if costs is None else "mean cost of a trial"
    observed, low, high = found
    seen, dev = number(observed, 4), number(expected[0], 4)
    span = f"{number(low, 4)} to {number(high, 4)}"
    if costs is None:
        seen, dev, span = rate(observed), rate(expected[0]), rate_span(low, high)
    words = f"Test observes {seen} as the {what}, interval {span}; dev expected {dev}"
    after = said.more(f" {words}.")
    reach = math.hypot(observed - low, expected[2] - expected[0])
    if observed - expected[0] > reach:
        reason = f"{words}. The difference is larger than both intervals explain."
        after = Said(RED, reason, "dev trials like those of the test.")
    return Observed(observed, low, high, "cannot tell", *after)


def high_rate_words(target: str, words: ClassWords | None, role: str, point: OperatingPoint) -> str:
    """That a rate which is no target is above one half, which the status does not judge."""
    rates = {kind: float(getattr(point, kind)) for kind in TARGET_RATES if kind != target}
    kind = max(rates, key=rates.__getitem__)
    if rates[kind] <= _MOST:
        return ""
    many = (words or ClassWords()).many("impostor" if kind == "far" else "client")
    return f" {kind.upper()} is {rate(rates[kind])} on {role}: most {many} are {DECIDED[kind]}."
