"""What is said of a decision: whether it can be relied on, and its tree and pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betaroc.core.errors import InputError
from betaroc.core.vocabulary import (
    DEFAULT,
    EQUAL_ERROR_RATE,
    FAR,
    FRR,
    HTER,
    ClassWords,
    Sentence,
    capital,
    short_name,
    template_of,
)
from betaroc.data.scores import ScoreData
from betaroc.decision.ways import (
    HOW,
    POOR,
    TARGET_RATES,
    Rate,
    Target,
    Way,
    counted_rates,
    rate_interval,
)
from betaroc.inference.interval import Interval
from betaroc.model.measures import OperatingPoint
from betaroc.model.samples import empirical_model
from betaroc.rendering.curves import draw_intervals
from betaroc.rendering.numbers import number, rate, rate_span, rounded, spaced
from betaroc.rendering.style import CLIENT, IMPOSTOR, SIZE, Axes
from betaroc.rendering.tree import (
    Cell,
    Figure,
    Grid,
    IntervalMark,
    Node,
    Row,
    Section,
    Status,
    Strip,
    Words,
    rate_cell,
)

if TYPE_CHECKING:
    from betaroc.decision.decide import Decision, DecisionCheck

#: The statuses, the best first.
GREEN, AMBER, RED = "can be relied on", "not enough evidence", "do not rely on it"
#: What errors of a rate are called.
DECIDED = {"far": "accepted", "frr": "rejected"}
#: From this ratio on a rate is said to be so many times the target.
_TIMES = 1.5
#: From this share of a class on errors that are no target are said beside the status.
_MOST = 0.5
#: How each status is called by the signs and colours of pages.
STATUS_COLOURS = {GREEN: "good", AMBER: "warn", RED: "bad"}
#: What a target that is no rate of one class is called, and what it is.
MEANS = {
    "cost": ("cost", "mean of a trial"), "eer": (HTER, "mean of both rates"),
    "precision": ("precision", "right among those accepted"),
}  # fmt: skip
_TONES = {"far": IMPOSTOR, "frr": CLIENT}
#: The share of a class that a threshold as it is shown may decide otherwise.
_OTHERWISE = 0.005


class Said(NamedTuple):
    """A status with its reason and what would change it."""

    status: str
    reason: str
    remedy: str

    def more(self, words: str) -> Said:
        """The same with words behind the reason, filled for who reads it from the decision."""
        reason = template_of(self.reason) + words
        return Said(self.status, Sentence(reason), Sentence(self.remedy))


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
    name, asked = short_name(target.kind), f"{100.0 * target.rate:g} %"
    if way.far + way.frr >= 1.0:
        return _of_no_use(way, target.words)
    many, have = target.units, target.words.counted(target.who, n, spaced(n))
    have = f"{spaced(n)} {many}" if target.grouped else have
    if way.how == "guaranteed":
        confidence = f"{'about ' * target.grouped}{100.0 * target.confidence:g} %"
        keep = (
            f"With {confidence} confidence {name} stays at or below {asked} on trials like dev's"
            f" ({have}; {spaced(needed)} needed)."
        )
        if mean_rate((1.0, 1.0), far, frr)[2] >= 1.0:
            return _of_unknown_use(keep, target, far, frr)
        return Said(
            GREEN, keep, f"other {target.many}, sensor or model; trials that share a person."
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
        reason = (
            f"The threshold is that of {by}, which does not hold there: {template_of(way.why)}."
        )
        return Said(RED, reason, f"another family or a tail; {remedy}")
    moved = f" The threshold was {template_of(way.why)}." if way.why else ""
    reason = f"{name} is expected at {rate(way.expected)} by {by}.{moved} {lacking}"
    return Said(AMBER, reason, remedy)


def _of_no_use(way: Way, words: ClassWords) -> Said:
    """Of a threshold at which clients are accepted no more often than impostors."""
    clients, impostors = words.many("client"), words.many("impostor")
    return Said(
        RED,
        f"At this threshold dev accepts {clients} no more often than {impostors}: {FRR}"
        f" {rate(way.frr)}, {FAR} {rate(way.far)}.",
        f"scores that tell {clients} from {impostors}; the other label for {clients}, or scores"
        " with the opposite sign, if these are the wrong way round.",
    )


def _of_unknown_use(keep: str, target: Target, far: Rate, frr: Rate) -> Said:
    """Of a guarantee at whose threshold clients may be accepted no more often than impostors."""
    clients, impostors = target.words.many("client"), target.words.many("impostor")
    return Said(
        AMBER,
        f"{keep} But dev does not show that {clients} are accepted more often than {impostors}:"
        f" {FRR} {rate(frr[0])} {rate_span(*frr[1:])}, {FAR} {rate(far[0])} {rate_span(*far[1:])}.",
        f"more {clients}, or scores that tell {clients} from {impostors} better.",
    )


def observed_rate(
    target: Target,
    said: Said,
    shift: Shift,
    n: int,
    needed: int | None,
    total: float,
    result: Rate,
) -> Observed:
    """Of a target rate: its rate with its interval on a test of so many trials."""
    observed, low, high = result
    if low > target.rate:
        return Observed(*result, "broken", *_broken(target, shift, n, needed, total, observed))
    status, remedy, seen = said.status, said.remedy, f"{rate(observed)}, interval"
    if high <= target.rate:
        agrees = "observes" if status == RED else "agrees:"
        words = f"Test {agrees} {seen} up to {rate(high)}."
        return Observed(*result, "kept", status, f"{said.reason} {words}", remedy)
    words = f"Test observes {seen} {rate_span(low, high)}"
    if observed > target.rate:
        words += f": above {100.0 * target.rate:g} %, which the interval includes"
        if status == GREEN:
            status, remedy = AMBER, f"more {target.many} in the test set; {remedy}"
    return Observed(*result, "cannot tell", status, f"{said.reason} {words}.", remedy)


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
        f" {short_name(target.kind)} {rate(observed)}, {much}."
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
    what = f"{EQUAL_ERROR_RATE}s" if costs is None else "the least mean cost"
    start = f"The threshold has {what}"
    if costs is None and way.threshold == -math.inf:
        start = (
            f"No threshold has {EQUAL_ERROR_RATE}s, since {words.many('client')} without a score"
            f" count as rejected: the lowest has {FRR} {rate(way.frr)} and {FAR} {rate(way.far)}"
        )
    reason = f"{start}, {by}; that is no target that other trials could keep."
    return Said(AMBER, reason, "a target for one of the rates.")


def said_of_precision(target: float, result: Rate, accepted: float) -> Said:
    """Of a precision, which dev alone cannot show to hold: it may fall as the threshold rises."""
    return Said(
        AMBER,
        f"This is the lowest threshold at which dev counts a precision of at least"
        f" {100.0 * target:g} %: {rate(result[0])} of {spaced(accepted)} accepted trials, interval"
        f" {rate_span(*result[1:])}. That is no guarantee: precision need not rise with the"
        " threshold, so that no order statistic bounds it.",
        f"a target for {FAR} or {FRR}, which can be guaranteed.",
    )


def observed_precision(said: Said, target: float, result: Rate) -> Observed:
    """Of a precision: only a test can show that it is at least the target."""
    observed, low, high = result
    words = f"Test observes {rate(observed)}, interval {rate_span(low, high)}"
    if high < target:
        remedy = "a larger target, or dev trials like those of the test."
        return Observed(*result, "broken", RED, f"{words}: below {100.0 * target:g} %.", remedy)
    verdict, status = ("kept", GREEN) if low >= target else ("cannot tell", said.status)
    return Observed(*result, verdict, status, f"{said.reason} {words}.", said.remedy)


def mean_rate(weights: tuple[float, float], far: Rate, frr: Rate) -> Rate:
    """A weighted mean of both rates, with the squares of both intervals added."""

    def reach(k: int) -> float:
        return math.hypot(weights[0] * (far[k] - far[0]), weights[1] * (frr[k] - frr[0]))

    mean = weights[0] * far[0] + weights[1] * frr[0]
    return mean, mean - reach(1), mean + reach(2)


def observed_cost(
    said: Said, costs: tuple[float, float] | None, expected: Rate, result: Rate
) -> Observed:
    """Of weights on both rates: whether test is worse than both intervals can explain."""
    what = "mean of both rates" if costs is None else "mean cost of a trial"
    observed, low, high = result
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
    return f" {short_name(kind)} is {rate(rates[kind])} on {role}: most {many} are {DECIDED[kind]}."


# ------------------------------------------------------------------------------- the tree
def decision_view(
    d: Decision, check: DecisionCheck | None = None, role: str = "test"
) -> list[Node]:
    """The threshold, its status, both rates, the target on a scale, and every way to choose."""
    said, tested = d if check is None else check, check is not None
    accepts = "accept if score is above. "
    if not math.isfinite(d.threshold):
        accepts = f"{'accept' if d.threshold < 0.0 else 'reject'} every score. "
    kind = "" if d.dtype == "float64" else f" in {d.dtype}"
    exact = f"Software that accepts score >= threshold{kind}: {d.threshold_for_greater_equal!r}"
    return [
        Words(f"{accepts}{_asked(d)}", "answer", f"Threshold {shown_threshold(d)}"),
        Status("", status_words(said.status, tested=tested), STATUS_COLOURS[said.status]),
        *said_nodes(said, tested=tested),
        _rates_grid(d, check, role),
        *([_strip(d, check)] if d.target in TARGET_RATES else []),
        Section("Every way to choose", (ways_grid(d, check, role), Words(exact)), folded=True),
    ]


def said_nodes(said: Said | Decision | DecisionCheck, *, tested: bool) -> list[Words]:
    """Why the status is so, and what would change it."""
    change = Words(remedy_words(said.remedy, tested=tested), lead="What would change it:")
    return [Words(said.reason), change]


def status_words(status: str, *, tested: bool) -> str:
    """The word that stands beside the icon."""
    words = status[0].upper() + status[1:]
    return words if tested or status != GREEN else f"{words}, not tested"


def remedy_words(remedy: str, *, tested: bool) -> str:
    """What would change the status; a test set first where there was none."""
    return remedy if tested else f"a test set from where it will run; {remedy}"


def shown_threshold(d: Decision, threshold: float | None = None) -> str:
    """A threshold in four digits or, where they would decide otherwise on dev, in more."""
    threshold, dev, up = (
        d.threshold if threshold is None else threshold,
        d.scores,
        d.target != "frr",
    )
    if not math.isfinite(threshold) or dev is None:
        return rounded(threshold, up=up or not math.isfinite(threshold))

    client, impostor = dev._distributions

    def rates(at: float) -> tuple[float, float]:
        return float(impostor.sf(at)), float(client.cdf(at))

    def is_near(text: str) -> bool:
        pairs = zip(rates(float(text)), wanted, strict=True)
        return all(abs(one - two) <= _OTHERWISE for one, two in pairs)

    wanted = rates(threshold)
    result = (rounded(threshold, up=up, digits=digits) for digits in range(4, 17))
    return next(filter(is_near, result), repr(threshold))


def mean_shown(
    costs: tuple[float, float] | None, result: Interval | DecisionCheck
) -> tuple[str, str]:
    """A mean cost, or the mean of both rates in per cent, and its interval."""
    mean = result.estimate if isinstance(result, Interval) else result.observed
    if costs is None:
        return rate(mean), rate_span(result.low, result.high)
    return number(mean, 3), f"{number(result.low, 3)} to {number(result.high, 3)}"


def _asked(d: Decision) -> str:
    """The target, and how the threshold came."""
    if d.target == "precision":
        return f"Target precision {100.0 * d.rate:g} %: counted on dev, not guaranteed"
    if d.target not in TARGET_RATES:
        costs = "Least mean cost" if d.costs is not None else f"{capital(EQUAL_ERROR_RATE)}s"
        return f"{costs}, {'counted on dev' if d.how == 'counted' else 'by a fit'}"
    how = f"guaranteed, {100.0 * d.confidence:g} % confidence"
    target = f"Target {short_name(d.target)} {100.0 * d.rate:g} %"
    return f"{target}: {how if d.how == HOW[0] else 'not guaranteed'}"


# ------------------------------------------------------------------------------- rates
class RateCell(NamedTuple):
    """A rate of a set with its interval, and the count that it rests on."""

    rate: float
    low: float
    high: float
    errors: float = math.nan
    total: float = math.nan


class RateRow(NamedTuple):
    """A rate at the threshold: on dev to be expected, then observed on every test set."""

    name: str
    #: Which trials of which class it is a share of.
    kind: str
    who: str
    made: bool
    cells: tuple[RateCell, ...]


_ROWS = (
    (FAR, "far", "impostor", False), (FRR, "frr", "client", False),
    ("FMR", "far", "impostor", True), ("FNMR", "frr", "client", True),
)  # fmt: skip


def decision_rates(d: Decision, sets: Sequence[ScoreData]) -> list[RateRow]:
    """Both rates of dev, which comes first, and of the tests; of comparisons made where some lack.

    The target's rate on dev is that to be expected; all others are counted.
    """
    absent, rows = any(item.has_rejected for item in sets), []
    for name, kind, who, result in _ROWS if absent else _ROWS[:2]:
        cells = [
            _cell(item._scored if result else item, kind, d.threshold, d.confidence)
            for item in sets
        ]
        if kind == d.target and not result:
            share = getattr(d.expected, kind), d.interval.low, d.interval.high
            cells[0] = RateCell(*share, *cells[0][3:])
        rows.append(RateRow(name, kind, who, result, tuple(cells)))
    return rows


def rate_rows(d: Decision, check: DecisionCheck | None) -> list[RateRow]:
    """The same of a decision and its check; without counts where a document brought them."""
    sets = [d.scores] if check is None else [d.scores, check.scores]
    if all(item is not None for item in sets):
        return decision_rates(d, [item for item in sets if item is not None])
    rows = []
    for k, (name, kind, who, result) in enumerate(_ROWS[:2]):
        share = getattr(d.expected, kind)
        cells = [RateCell(share, math.nan, math.nan)]
        if kind == d.target:
            cells = [RateCell(share, d.interval.low, d.interval.high)]
        elif d.counted is not None and d.counted[k].estimate == share:
            cells = [RateCell(share, d.counted[k].low, d.counted[k].high)]
        if check is not None:
            seen = None if check.counted is None else check.counted[k]
            ends = (math.nan, math.nan) if seen is None else (seen.low, seen.high)
            cells.append(RateCell(getattr(check.point, kind), *ends))
        rows.append(RateRow(name, kind, who, result, tuple(cells)))
    return rows


def _rates_grid(d: Decision, check: DecisionCheck | None, role: str) -> Grid:
    """Both rates expected from dev and observed, with their counts; of costs their mean too."""
    words, rows = d.words or ClassWords(), []
    for row in rate_rows(d, check):
        what = "of comparisons made"
        what = what if row.made else f"{words.many(row.who)} {DECIDED[row.kind]}"
        cells = (rate_cell(*cell[:3], "no interval", of_total(cell)) for cell in row.cells)
        rows.append(Row((Cell(row.name, note=what), *cells)))
    if d.target not in TARGET_RATES:
        label = Cell(*MEANS[d.target])
        means = (mean_shown(d.costs, item) for item in (d.interval, check) if item is not None)
        rows.append(Row((Cell(label.text, note=label.span), *(Cell(*mean) for mean in means))))
    return Grid(("", "expected, dev", *[f"observed, {role}"] * (check is not None)), tuple(rows))


def _cell(scores: ScoreData, kind: str, threshold: float, level: float) -> RateCell:
    share, low, high = (
        float(counted_rate[0]) for counted_rate in counted_rates(scores, kind, [threshold], level)
    )
    total = scores.impostor_total if kind == "far" else scores.client_total
    return RateCell(share, low, high, share * total, total)


def of_total(cell: RateCell) -> str:
    """The count of a cell, such as "45 of 5768"."""
    known = not math.isnan(cell.total)
    return f"{spaced(cell.errors)} of {spaced(cell.total)}" if known else ""


# -------------------------------------------------------------------------------- ways
def ways_grid(
    d: Decision, check: DecisionCheck | None = None, role: str = "test", used: str = ""
) -> Grid:
    """Every way to choose, those of a fit last, with what each does on dev and on a test set.

    `used` is what is said of the way that was taken.
    """
    test = None if check is None else check.scores
    kinds = TARGET_RATES[::-1] if d.target == "frr" else TARGET_RATES
    interval = f"{100.0 * d.confidence:g} % interval"
    target = d.target if d.target == "precision" else short_name(kinds[0])
    head: list[Cell | str] = ["way", "threshold", Cell(f"{target} expected", interval)]
    head += ["beyond", f"{FAR}, dev", f"{FRR}, dev"]
    head += [] if test is None else [Cell(f"{short_name(k)}, {role}", interval) for k in kinds]
    rows = []
    for way in sorted(d.ways, key=lambda way: way.how == "model"):
        title, is_used = way_title(way, d.rate, d.confidence), way is d.way
        if not way.possible:
            rows.append(Row((title, f"not possible: {template_of(way.why)}")))
            continue
        notes = used * is_used, way.why or way.family * (way.how == "tail")
        fitted = way.how in ("tail", "model") and d.target in TARGET_RATES
        observed = (
            [] if test is None else [_observed(d, test, kind, way.threshold) for kind in kinds]
        )
        rows.append(Row((
            Cell(title, note="; ".join(filter(None, notes))), shown_threshold(d, way.threshold),
            rate_cell(way.expected, way.low, way.high),
            Cell(_beyond(way), note="expected" * fitted),
            rate(way.far), rate(way.frr), *observed,
        ), is_used))  # fmt: skip
    return Grid(tuple(head), tuple(rows), kept=_kept(d, test), typeset=True)


def _observed(d: Decision, test: ScoreData, kind: str, threshold: float) -> Cell:
    """A rate of a test set; without an interval where weights are no numbers of trials."""
    try:
        return rate_cell(*rate_interval(test, kind, threshold, d.confidence))
    except InputError:
        return rate_cell(float(getattr(empirical_model(test), kind)(threshold)))


def _kept(d: Decision, test: ScoreData | None) -> Mapping[str, Sequence[Any]]:
    """The ways as a file has them, with the rates of the test."""
    columns: dict[str, Sequence[Any]] = dict(d._ways_columns())
    if test is None:
        return columns
    rates = (getattr(empirical_model(test), kind) for kind in TARGET_RATES)
    places = np.array(columns["threshold"])
    return columns | {f"{kind}_test": of(places).tolist()
                      for kind, of in zip(TARGET_RATES, rates, strict=True)}  # fmt: skip


def _beyond(way: Way) -> str:
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


# ----------------------------------------------------------------------------- pictures
def plot_decision(d: Decision, check: DecisionCheck | None, ax: Axes | None) -> Axes:
    """Both rates as dev expects them and as a test observed them, beside the target."""
    roles = "expected, dev", "observed, test"
    result = [(row, role, cell) for row in rate_rows(d, check) if not row.made
             for role, cell in zip(roles, row.cells, strict=False)]  # fmt: skip
    marks = [
        IntervalMark(
            DEFAULT.fill(f"{row.name} {role}"), cell.low, cell.rate, cell.high, role == roles[1]
        )
        for row, role, cell in result
    ]
    colours = [_TONES[row.kind] for row, _, _ in result]
    at = (d.rate, DEFAULT.fill(_asked(d))) if d.target in TARGET_RATES else None
    return draw_intervals(ax, marks, "rate", colours=colours, at=at, rates="x", log=True)


def _strip(d: Decision, check: DecisionCheck | None) -> Figure:
    """The target's rate beside the target."""
    rows = [IntervalMark("dev", d.interval.low, d.interval.estimate, d.interval.high, sure=False)]
    if check is not None:
        rows.append(IntervalMark("test", check.low, check.observed, check.high))
    name, words = short_name(d.target), [f"{row.label} {rate(row.value)}" for row in rows]
    text = f"{name} beside its target of {100.0 * d.rate:g} %: {', '.join(words)}"

    def draw() -> Axes:
        ax = draw_intervals(None, rows, "", colours=[_TONES[d.target]], at=(d.rate, "target"),
                            rates="x", log=True)  # fmt: skip
        ax.figure.set_size_inches(SIZE[0], 0.9 + 0.25 * len(rows))  # type: ignore[union-attr]
        return ax

    return Figure(draw, "", text, strip=Strip(name, tuple(rows), d.rate))
