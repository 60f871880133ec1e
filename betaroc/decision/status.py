"""Whether a decided threshold can be relied on, why, what would change it, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from betaroc.core.class_words import ClassWords
from betaroc.core.errors import InputError
from betaroc.data.scores import ScoreData, Scores
from betaroc.decision.ways import HOW, POOR, TARGET_RATES, Target, Way, rate_interval
from betaroc.inference.interval import Interval
from betaroc.model.measures import OperatingPoint
from betaroc.model.samples import empirical_model
from betaroc.rendering.curves import draw_intervals
from betaroc.rendering.notebook import CLIENT, IMPOSTOR, IntervalMark, RateMark, draw_strip
from betaroc.rendering.numbers import number, rate, rate_span, rounded, spaced
from betaroc.rendering.style import Axes
from betaroc.rendering.tree import Cell, Figure, Grid, Node, Row, Section, Status, Words, rate_cell

if TYPE_CHECKING:
    from betaroc.decision.decide import Decision, DecisionCheck

#: The statuses, the best first.
GREEN, AMBER, RED = "can be relied on", "not enough evidence", "do not rely on it"
_WORDS = {
    GREEN: "Can be relied on", AMBER: "Not enough evidence", RED: "Do not rely on it",
}  # fmt: skip
#: How each is called by the signs and colours of pages.
STATUS_COLOURS = {GREEN: "good", AMBER: "warn", RED: "bad"}
_DECIDED = {"far": "accepted", "frr": "rejected"}
#: A rate with both ends of its interval.
Rate = tuple[float, float, float]
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
    test: ScoreData,
    found: Rate,
) -> Observed:
    """Of a target rate: its rate on test with its interval."""
    observed, low, high = found
    if low > target.rate:
        return Observed(*found, "broken", *_broken(target, shift, n, needed, test, found))
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
    target: Target, shift: Shift, n: int, needed: int | None, test: ScoreData, found: Rate
) -> Said:
    """That test contradicts, and whether its scores lie elsewhere than dev's."""
    observed = found[0]
    total = test.impostor_total if target.kind == "far" else test.client_total
    beyond, times = round(observed * total), observed / target.rate
    much = f"about {_times(times)} times the target" if times >= _TIMES else "above the target"
    reason = (
        f"On test {spaced(beyond)} of {target.words.counted(target.who, total, spaced(total))}"
        f" {'was' if beyond == 1 else 'were'} {_DECIDED[target.kind]}:"
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


def _times(ratio: float) -> str:
    return spaced(ratio) if ratio >= 10.0 else number(ratio, 2)


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
    if observed - expected[0] > math.hypot(observed - low, expected[2] - expected[0]):
        reason = f"{words}. The difference is larger than both intervals explain."
        after = Said(RED, reason, "dev trials like those of the test.")
    return Observed(observed, low, high, "cannot tell", *after)


# ------------------------------------------------------------------------ as it is shown
def status_words(status: str, *, tested: bool) -> str:
    """The word that stands beside the icon."""
    words = _WORDS[status]
    return words if tested or status != GREEN else f"{words}, not tested"


def remedy_words(remedy: str, *, tested: bool) -> str:
    """What would change the status; a test set first where there was none."""
    return remedy if tested else f"a test set from where it will run; {remedy}"


def mean_shown(
    costs: tuple[float, float] | None, found: Interval | DecisionCheck
) -> tuple[str, str]:
    """A mean cost, or the mean of both rates in per cent, and its interval."""
    mean = found.estimate if isinstance(found, Interval) else found.observed
    if costs is None:
        return rate(mean), rate_span(found.low, found.high)
    return number(mean, 3), f"{number(found.low, 3)} to {number(found.high, 3)}"


def high_rate_words(target: str, words: ClassWords | None, role: str, point: OperatingPoint) -> str:
    """That a rate which is no target is above one half, which the status does not judge."""
    rates = {kind: float(getattr(point, kind)) for kind in TARGET_RATES if kind != target}
    kind = max(rates, key=rates.__getitem__)
    if rates[kind] <= _MOST:
        return ""
    many = (words or ClassWords()).many("impostor" if kind == "far" else "client")
    return f" {kind.upper()} is {rate(rates[kind])} on {role}: most {many} are {_DECIDED[kind]}."


def shown_threshold(threshold: float, target: str, dev: Scores) -> str:
    """A threshold in four digits or, where they would decide otherwise on dev, in more."""

    def rates(at: float) -> tuple[float, float]:
        client, impostor = dev._distributions
        return float(impostor.sf(at)), float(client.cdf(at))

    def is_near(text: str) -> bool:
        pairs = zip(rates(float(text)), wanted, strict=True)
        return all(abs(one - two) <= _OTHERWISE for one, two in pairs)

    if not math.isfinite(threshold):
        return rounded(threshold, up=True)
    wanted = rates(threshold)
    found = (rounded(threshold, up=target != "frr", digits=digits) for digits in range(4, 17))
    return next(filter(is_near, found), repr(threshold))


def beyond_words(way: Way) -> str:
    """Scores beyond: of a fit those expected, which need not be a whole number."""
    if way.how in ("tail", "model") and way.n_beyond < 10.0:
        return f"{round(way.n_beyond, 9):.2g}"  # as the decimal that was meant
    return spaced(way.n_beyond)


def way_title(way: Way, target: float, confidence: float) -> str:
    """A way in a few words."""
    return {
        "guaranteed": f"Guaranteed, {100.0 * confidence:g} %",
        "average": f"At most {100.0 * target:g} % on average",
        "counted": "Counted on dev",
        "tail": "By a tail",
    }.get(way.how, f"Fitted, {way.family}" if way.family else "By a fit")


# ------------------------------------------------------------------------------- as nodes
_TONES = {"far": IMPOSTOR, "frr": CLIENT}


def decision_block(
    d: Decision, check: DecisionCheck | None = None, role: str = "test"
) -> list[Node]:
    """The threshold, its status, both rates, the target on a scale, and every way to choose."""
    said, tested = d if check is None else check, check is not None
    up = d.target != "frr"
    accepts = "accept if score is above. " if math.isfinite(d.threshold) else ""
    rates = [Row((kind.upper(), *_rates(d, kind, check))) for kind in TARGET_RATES]
    ways = ways_grid(d, lambda threshold: rounded(threshold, up=up))
    return [
        Words(f"{accepts}{_asked(d)}", "answer", rounded(d.threshold, up=up)),
        Status("", status_words(said.status, tested=tested), STATUS_COLOURS[said.status]),
        *said_nodes(said, tested=tested),
        Grid(("", "expected, dev", *[f"observed, {role}"] * tested), tuple(rates)),
        *([_strips(d, check)] if d.target in TARGET_RATES else []),
        Section("Every way to choose", (ways,), folded=True),
    ]


def said_nodes(said: Said | Decision | DecisionCheck, *, tested: bool) -> list[Words]:
    """Why the status is so, and what would change it."""
    change = Words(remedy_words(said.remedy, tested=tested), lead="What would change it:")
    return [Words(said.reason), change]


def ways_grid(
    d: Decision, place: Callable[[float], str], test: ScoreData | None = None, role: str = "test",
    used: str = "",
) -> Grid:  # fmt: skip
    """Every way to choose, those of a fit last, with what each does on dev and on a test set.

    `place` says a threshold; `used` is what is said of the way that was taken.
    """
    kinds = TARGET_RATES[::-1] if d.target == "frr" else TARGET_RATES
    interval = f"{100.0 * d.confidence:g} % interval"
    head: list[Cell | str] = ["way", "threshold", Cell(f"{kinds[0].upper()} expected", interval)]
    head += ["beyond", "FAR, dev", "FRR, dev"]
    head += [] if test is None else [Cell(f"{k.upper()}, {role}", interval) for k in kinds]
    rows = []
    for way in sorted(d.ways, key=lambda way: way.how == "model"):
        title, is_used = way_title(way, d.rate, d.confidence), way is d.way
        if not way.possible:
            rows.append(Row((title, f"not possible: {way.why}")))
            continue
        notes = used * is_used, way.why or way.family * (way.how == "tail")
        fitted = way.how in ("tail", "model") and d.target in TARGET_RATES
        observed = (
            [] if test is None else [_observed(d, test, kind, way.threshold) for kind in kinds]
        )
        rows.append(Row((
            Cell(title, note="; ".join(filter(None, notes))), place(way.threshold),
            rate_cell(way.expected, way.low, way.high),
            Cell(beyond_words(way), note="expected" * fitted),
            rate(way.far), rate(way.frr), *observed,
        ), is_used))  # fmt: skip
    return Grid(tuple(head), tuple(rows))


def _observed(d: Decision, test: ScoreData, kind: str, threshold: float) -> Cell:
    """A rate of a test set; without an interval where weights are no numbers of trials."""
    try:
        return rate_cell(*rate_interval(test, kind, threshold, d.confidence))
    except InputError:
        return rate_cell(float(getattr(empirical_model(test), kind)(threshold)))


def _asked(d: Decision) -> str:
    """The target, and how the threshold came."""
    if d.target not in TARGET_RATES:
        costs = "Least mean cost" if d.costs is not None else "Equal error rates"
        return f"{costs}, {'counted on dev' if d.how == 'counted' else 'by a fit'}"
    how = f"guaranteed, {100.0 * d.confidence:g} % confidence"
    target = f"Target {d.target.upper()} {100.0 * d.rate:g} %"
    return f"{target}: {how if d.how == HOW[0] else 'not guaranteed'}"


def _rates(d: Decision, kind: str, check: DecisionCheck | None) -> list[Cell]:
    """A rate expected from dev, and observed."""
    k, share = TARGET_RATES.index(kind), getattr(d.expected, kind)
    own = None if d.counted is None else d.counted[k]
    expected = rate_cell(share)
    if kind == d.target:
        expected = rate_cell(share, d.interval.low, d.interval.high)
        if own is not None and d.how in ("tail", "model"):
            counts = f"{expected.span}; dev counts {rate(own.estimate)}"
            expected = replace(expected, span=counts)
    elif own is not None and own.estimate == share:
        expected = rate_cell(share, own.low, own.high)
    if check is None:
        return [expected]
    seen = None if check.counted is None else check.counted[k]
    at = rate_cell(getattr(check.point, kind))
    return [expected, at if seen is None else rate_cell(seen.estimate, seen.low, seen.high)]


def plot_decision(d: Decision, check: DecisionCheck | None, ax: Axes | None) -> Axes:
    """Both rates as dev expects them and as a test observed them, beside the target."""
    roles = "expected, dev", "observed, test"
    cells = {kind: _rates(d, kind, check) for kind in TARGET_RATES}
    marks = [
        IntervalMark(f"{kind.upper()} {role}", c.low, c.value, c.high, role == roles[1])
        for kind, found in cells.items()
        for role, c in zip(roles, found, strict=False)
    ]
    colours = [_TONES[kind] for kind, found in cells.items() for _ in found]
    at = (d.rate, _asked(d)) if d.target in TARGET_RATES else None
    return draw_intervals(ax, marks, "rate", colours=colours, at=at, rates="x", log=True)


def _strips(d: Decision, check: DecisionCheck | None) -> Figure:
    rows = [RateMark("dev", d.interval.low, d.interval.estimate, d.interval.high, hollow=True)]
    if check is not None:
        rows.append(RateMark("test", check.low, check.observed, check.high, hollow=False))
    name, words = d.target.upper(), [f"{row.label} {rate(row.value)}" for row in rows]
    said = f"{name} beside its target of {100.0 * d.rate:g} %: {', '.join(words)}"
    return draw_strip(rows, d.rate, _TONES[d.target], said)
