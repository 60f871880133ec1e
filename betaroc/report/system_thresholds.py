"""Thresholds of any number of systems: a table, which system to take, and which ones differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from betaroc.core.arrays import CLASSES
from betaroc.core.errors import BetarocError, InputError
from betaroc.core.notices import quietly
from betaroc.core.vocabulary import BIOMETRIC, capital, shared_words
from betaroc.data.scores import ScoreData
from betaroc.decision.comparison import SystemsComparison, compare_systems
from betaroc.decision.curve import axes_of
from betaroc.decision.curve_view import named_curves
from betaroc.decision.decide import Decision, DecisionCheck
from betaroc.decision.decision_view import (
    STATUS_COLOURS,
    decision_view,
    mean_shown,
    rate_rows,
    shown_threshold,
)
from betaroc.decision.epc import epc
from betaroc.decision.status import AMBER, GREEN, RED
from betaroc.decision.ways import HOW, TARGET_RATES
from betaroc.model.samples import empirical_model
from betaroc.rendering.curves import draw_intervals
from betaroc.rendering.notebook import name_shown
from betaroc.rendering.numbers import rate, spaced, visible, with_minus
from betaroc.rendering.page_frame import verdict_nodes
from betaroc.rendering.picture_files import draw_svg
from betaroc.rendering.style import CLIENT, COLOURS, GREY, IMPOSTOR, Axes, legend_below, new_axes
from betaroc.rendering.tree import (
    Cell,
    Content,
    Figure,
    Figures,
    Grid,
    IntervalMark,
    Name,
    Node,
    Row,
    Section,
    Status,
    Words,
    as_named,
    foreign,
    rate_cell,
)

#: The best first.
STATUSES = (GREEN, AMBER, RED)
#: So many systems stand in a picture.
_DRAWN = 8
_KEPT = ("system", "threshold", "threshold_for_greater_equal", "how", "status", "target",
         "expected", "expected_low", "expected_high", "expected_far", "expected_frr",
         "observed", "observed_low", "observed_high", "observed_far", "observed_frr")  # fmt: skip


class CheckedTest(NamedTuple):
    """A test set, and what the threshold did there."""

    name: str
    scores: ScoreData
    check: DecisionCheck


class DecidedSystem(NamedTuple):
    """A system's threshold, and what it did on its tests."""

    name: str
    dev: ScoreData
    decision: Decision
    tests: tuple[CheckedTest, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def check(self) -> DecisionCheck | None:
        """Of the first test."""
        return self.tests[0].check if self.tests else None

    @property
    def worst(self) -> Decision | DecisionCheck:
        """Whose status stands for all: that of the worst test, without any the decision's own."""
        found: list[Decision | DecisionCheck] = [test.check for test in self.tests]
        return max(found or [self.decision], key=lambda one: STATUSES.index(one.status))

    @property
    def status(self) -> str:
        """The status that stands for all."""
        return self.worst.status


def ranked(systems: Sequence[DecidedSystem]) -> list[DecidedSystem]:
    """By status, tested ones first, then by the rate that is no target, or the cost."""

    def place(system: DecidedSystem) -> tuple[int, bool, float]:
        d, check = system.decision, system.check
        if d.target in TARGET_RATES:
            point = d.expected if check is None else check.point
            value = point.frr if d.target == "far" else point.far
        else:
            value = d.interval.estimate if check is None else check.observed
        return STATUSES.index(system.status), check is None, float(value)

    return sorted(systems, key=place)


def compared(systems: Sequence[DecidedSystem], level: float, rng: Any) -> SystemsComparison | str:
    """What `compare_systems` shows by HTER of those that have a test, or why it shows nothing."""
    tested = [system for system in systems if system.tests]
    if len(tested) < 2:
        return "two systems with a test are needed"
    with quietly():
        try:
            curves = {system.name: epc(system.dev, system.tests[0].scores) for system in tested}
            judge = partial(compare_systems, named_curves(curves), level=level, rng=rng)
            try:
                return judge()
            except InputError:  # not the same trials
                return judge(paired=False)
        except BetarocError as error:
            return str(error)


# ------------------------------------------------------------------------------- table
def thresholds_view(systems: Sequence[DecidedSystem]) -> list[Node]:
    """The target, the table, then why each threshold can be relied on or not."""
    d = systems[0].decision
    reasons = "\n".join(f"{visible(s.name)}: {s.status}. {s.worst.reason}" for s in systems)
    target = Words(f"target: {d.target.upper()} at most {100.0 * d.rate:g} %")
    return [*[target] * (d.target in TARGET_RATES), thresholds_grid(systems),
            Words(reasons, "given")]  # fmt: skip


def thresholds_grid(
    systems: Sequence[DecidedSystem], comparison: SystemsComparison | None = None, *,
    page: bool = False,
) -> Grid:  # fmt: skip
    """One row per system and test: threshold, both rates, on a page status and differences."""
    d, tested = systems[0].decision, any(system.tests for system in systems)
    roles = ("dev", "test") if tested else ("dev",)
    kinds = TARGET_RATES[::-1] if d.target == "frr" else TARGET_RATES
    what = [] if d.target in TARGET_RATES else ["cost" if d.costs else "HTER"]
    head: list[Cell | Name | str] = ["system", *["status"] * page, "threshold"]
    head += [f"{name}, {role}" for name in [*what, *map(str.upper, kinds)] for role in roles]
    head += [Cell("against the first", "HTER, all at once")] * (comparison is not None)
    rows, kept = [], []
    for system in systems:
        tests: Sequence[CheckedTest | None] = system.tests or [None]
        for k, test in enumerate(tests):
            cells = _cells(system, test, kinds, k, tested=tested, page=page)
            if comparison is not None:
                cells.append("" if k else _against(comparison, systems[0].name, system.name))
            rows.append(Row(tuple(cells)))
            kept.append(_values(system, None if test is None else test.check))
    columns = dict(zip(_KEPT, map(list, zip(*kept, strict=True)), strict=True))
    return Grid(tuple(head), tuple(rows), (0, 1) if page else (0,), columns)


def _cells(
    system: DecidedSystem, test: CheckedTest | None, kinds: Sequence[str], k: int, *,
    tested: bool, page: bool,
) -> list[Content]:  # fmt: skip
    d, check = system.decision, None if test is None else test.check
    name: Content = foreign(system.name) if page else as_named(system.name)
    if k and test is not None:
        name = foreign(test.name, path=True)
    status = d.status if check is None else check.status
    cells: list[Content] = [name]
    cells += [Status("", status, STATUS_COLOURS[status])] * page
    cells.append(Cell(shown_threshold(d), note=d.how if d.how in HOW else ""))
    if d.target not in TARGET_RATES:
        means = [Cell(*mean_shown(d.costs, one)) for one in (d.interval, check) if one is not None]
        cells += [*means, *[Cell("")] * (tested and check is None)]
    found = {row.kind: row.cells for row in rate_rows(d, check) if not row.made}
    for kind in kinds:
        cells += [rate_cell(*cell[:3]) for cell in found[kind]]
        cells += [Cell("no test")] * (tested and check is None)
    return cells


def _against(comparison: SystemsComparison, reference: str, name: str) -> Content:
    """Whether a system is shown to differ from the first, and the interval of the difference."""
    axes, _ = axes_of(comparison.curves[0], "linear", BIOMETRIC)
    for first, second, _, low, high, better in zip(*comparison._pairs().values(), strict=True):
        if {first, second} == {name, reference}:
            ends = (low, high) if first == name else (-high, -low)
            worse = {name: "shown better", reference: "shown worse", "": "no difference shown"}
            return Cell(worse[better], axes.changes(*ends))
    return "first" if name == reference else ""


def _values(system: DecidedSystem, check: DecisionCheck | None) -> list[Any]:
    """A row as a file has it."""
    d = system.decision
    seen: list[Any] = [math.nan] * 5
    if check is not None:
        seen = [check.observed, check.low, check.high, check.point.far, check.point.frr]
    return [
        system.name, d.threshold, d.threshold_for_greater_equal, d.how, system.status, d.target,
        d.interval.estimate, d.interval.low, d.interval.high, d.expected.far, d.expected.frr, *seen,
    ]  # fmt: skip


# -------------------------------------------------------------------------------- page
def systems_view(
    systems: Sequence[DecidedSystem], comparison: SystemsComparison | str
) -> list[Node]:
    """The system to take, the table of all, their pictures, and which differences are shown."""
    first, d = systems[0], systems[0].decision
    numbers = Counter(system.status for system in systems)
    counts = ", ".join(f"{numbers[s]} {s}" for s in STATUSES if numbers[s])
    known = comparison if isinstance(comparison, SystemsComparison) else None
    differences = [Words(f"No difference can be shown: {comparison}")] if known is None else [
        *known._view()[1:]  # the verdict stands above
    ]  # fmt: skip
    where = "on test" if first.tests else "on dev"
    grid = thresholds_grid(systems, known, page=True)
    return [
        *[Words(f"{capital(counts)}.", "lead")] * (len(systems) > 1),
        Words("FAR: share of impostors accepted. FRR: share of clients rejected.", "legend"),
        Words(_answer(systems), "lead", f"{name_shown(first.name)}, threshold"
              f" {with_minus(shown_threshold(d))}:"),
        Status("", first.status, STATUS_COLOURS[first.status]),
        *map(Words, _cautions(systems, known)),
        *verdict_nodes(grid.head, grid.rows),
        Words(_note(systems), "note"),
        Figures(tuple(_pictures(systems, where))),
        *[Section("Which differences are shown", tuple(differences))] * (len(systems) > 1),
    ]  # fmt: skip


def _point(system: DecidedSystem) -> Any:
    return system.decision.expected if system.check is None else system.check.point


def _answer(systems: Sequence[DecidedSystem]) -> str:
    """What the first does, and in what it is the first."""
    first, d = systems[0], systems[0].decision
    where = "on test" if first.tests else "on dev"
    point = _point(first)
    text = f"FAR {rate(float(point.far))}, FRR {rate(float(point.frr))} {where}"
    alike = _alike(systems)
    if len(alike) > 1:
        by = "FRR" if d.target == "far" else "FAR" if d.target == "frr" else (
            "cost" if d.costs else "HTER"
        )  # fmt: skip
        text += f", the lowest {by} among {len(alike)} of this status"
    elif len(systems) > 1 and first.status == GREEN:
        text += "; no other system can be relied on"
    return f"{text}." + " No system can be relied on." * (first.status != GREEN)


def _alike(systems: Sequence[DecidedSystem]) -> list[DecidedSystem]:
    """Systems of the status of the first, with a test as it has one."""
    first = systems[0]
    return [s for s in systems if s.status == first.status and bool(s.tests) == bool(first.tests)]


def _cautions(systems: Sequence[DecidedSystem], comparison: SystemsComparison | None) -> list[str]:
    first, found = systems[0], []
    if first.status != GREEN:
        found.append(first.worst.reason)
    if comparison is not None:
        found.append(f"{capital(comparison.verdict)}.")
    alike = len(_alike(systems))
    if not first.tests:
        found.append("No test set: what follows is expected from dev alone.")
    elif alike > 1:
        found.append(f"The best of {alike} on one test set tends to look a little better than it"
                     " is.")  # fmt: skip
    return found


def _note(systems: Sequence[DecidedSystem]) -> str:
    """How thresholds and intervals came."""
    d = systems[0].decision
    confidence, guaranteed = f"{100.0 * d.confidence:g} %", {s.decision.how for s in systems}
    text = "Each system has its own threshold, chosen on its own dev scores"
    if d.target in TARGET_RATES:
        text += f": {d.target.upper()} at or below {100.0 * d.rate:g} %"
        text += f" with {confidence} confidence" * (guaranteed == {"guaranteed"})
    return f"{text}. Intervals of rates: exact, {confidence}, each by itself."


def system_section(system: DecidedSystem, key: str, body: Sequence[Node] = ()) -> Section:
    """A system by itself: its decision, unless there is more of it."""
    worst = system.worst
    check = worst if isinstance(worst, DecisionCheck) else None
    finding = f"{system.status}; threshold {with_minus(shown_threshold(system.decision))}"
    blocks = tuple(body or decision_view(system.decision, check))
    return Section(name_shown(system.name), blocks, finding, key, folded=True)


def sizes_words(systems: Sequence[DecidedSystem]) -> list[str]:
    """The scores of dev and of test where all systems have as many."""
    words, lines = shared_words(s.dev.words for s in systems), []
    for role, sets in (
        ("dev", [system.dev for system in systems]),
        ("test", [test.scores for system in systems for test in system.tests]),
    ):
        sizes = {(s.n_client, s.n_impostor) for s in sets}
        if len(sizes) == 1:
            both = zip(CLASSES, sizes.pop(), strict=True)
            lines.append(f"{role} {', '.join(words.counted(who, n, spaced(n)) for who, n in both)}")
        elif sizes:
            lines.append(f"{role} of different sizes")
    return lines


# ---------------------------------------------------------------------------- pictures
def _pictures(systems: Sequence[DecidedSystem], where: str) -> list[Figure]:
    drawn = systems[:_DRAWN]
    left = f"; the first {_DRAWN} of {len(systems)} systems" * (len(systems) > _DRAWN)
    figures = []
    for kind in TARGET_RATES:
        name = kind.upper()
        shares = (f"{name_shown(s.name)} {rate(float(getattr(_point(s), kind)))}" for s in drawn)
        caption = f"{name} at each threshold{left}. Hollow: expected from dev; filled: on test."
        svg = draw_svg(partial(_draw_rates, drawn, kind), kind)
        figures.append(Figure(svg, caption, f"{name} {where}: {', '.join(shares)}"))
    others = f"; others grey beyond {_DRAWN}" * (len(systems) > _DRAWN)
    caption = f"ROC of each system {where}, FAR on a log scale; dots: at its threshold{others}."
    svg = draw_svg(partial(_draw_rocs, systems), "rocs")
    return [*figures, Figure(svg, caption, f"TPR against FAR of {len(systems)} systems {where}")]


def _draw_rates(systems: Sequence[DecidedSystem], kind: str) -> Axes:
    """A rate of each system, expected and observed, beside the target."""
    marks = []
    for system in systems:
        name = name_shown(system.name, 20)
        checks: Sequence[DecisionCheck | None] = [test.check for test in system.tests] or [None]
        for k, check in enumerate(checks):
            cells = next(
                row.cells for row in rate_rows(system.decision, check)
                if row.kind == kind and not row.made
            )  # fmt: skip
            for role, cell in list(zip(("dev", "test"), cells, strict=False))[k > 0 :]:
                label = f"{name}, {role}"
                marks.append(IntervalMark(label, cell.low, cell.rate, cell.high, role == "test"))
    d = systems[0].decision
    at = (d.rate, f"target {100.0 * d.rate:g} %") if d.target == kind else None
    colour = IMPOSTOR if kind == "far" else CLIENT
    ax = draw_intervals(None, marks, kind.upper(), colours=(colour,), at=at, rates="x",
                        log=kind == "far")  # fmt: skip
    if kind != "far":
        ax.locator_params(axis="x", nbins=5)
    return ax


def _draw_rocs(systems: Sequence[DecidedSystem]) -> Axes:
    """The ROC of each system, of many the first in colour, with the point of its threshold."""
    ax = new_axes(square=True)
    for k, system in enumerate(systems):
        scores = system.tests[0].scores if system.tests else system.dev
        many = k >= _DRAWN
        look: dict[str, Any] = {"color": GREY if many else COLOURS[k], "label": "_nolegend_"}
        if not many:
            look["label"] = name_shown(system.name)
        with quietly():
            empirical_model(scores).roc().plot(
                ax, scale="log", linewidth=0.8 if many else 1.5, zorder=2.0 - 0.5 * many, **look
            )
        point = _point(system)
        far = max(float(point.far), ax.get_xlim()[0])
        ax.plot(far, 1.0 - point.frr, marker="o", markersize=5.0, markeredgecolor="white",
                color=look["color"], label="_nolegend_", zorder=3.0, gid="threshold")  # fmt: skip
    d = systems[0].decision
    if d.target == "far":
        ax.axvline(d.rate, color=GREY, linewidth=1.0, linestyle="--", label="target")
    legend_below(ax, None)
    return ax
