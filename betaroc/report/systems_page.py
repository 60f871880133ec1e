"""Thresholds of several systems in a table and on a page."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from betaroc.core import arrays, errors, notices, vocabulary
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import CLIENTS, FAR, FRR, HTER, IMPOSTORS, TPR
from betaroc.data.scores import ScoreData
from betaroc.decision import curve, decide as decisions
from betaroc.decision.comparison import SystemsComparison, compare_systems, systems_verdict
from betaroc.decision.decide import Decision, DecisionCheck, worst_check
from betaroc.decision.epc import epc
from betaroc.decision.threshold_methods import GREEN, HOW, TARGET_RATES, Target, question_of
from betaroc.model import measures, samples
from betaroc.rendering import files, tree, tree_html
from betaroc.rendering.curves import COLOURS, GREY, Axes, legend_below, new_axes
from betaroc.rendering.numbers import counted, name_shown, rate, spaced, visible, with_minus
from betaroc.report.analysis import Analysis
from betaroc.report.page import FOOT, glossary_of, page_in_terms, render_part

#: The best first.
_STATUSES = list(decisions.STATUS_COLOURS)
#: So many systems stand in a picture in a colour of their own.
_DRAWN = 8


class System(NamedTuple):
    """A system, its threshold, if any, and its tests."""

    name: str
    dev: ScoreData
    decided: Decision | None
    tests: tuple[tuple[ScoreData, DecisionCheck], ...] = ()
    warnings: tuple[str, ...] = ()
    why: str = ""
    analysis: Analysis | None = None

    @property
    def decision(self) -> Decision:
        """The decision of a system that has one."""
        return cast(Decision, self.decided)

    @property
    def check(self) -> DecisionCheck | None:
        """Of the first test."""
        return self.tests[0][1] if self.tests else None

    @property
    def point(self) -> measures.OperatingPoint:
        """Both rates, observed on the first test if any."""
        return self.decision.expected if self.check is None else self.check.point

    @property
    def worst(self) -> Decision | DecisionCheck:
        """The decision, or the check by its worst test."""
        return worst_check(self.decision, [check for _, check in self.tests])[0]


def ranked(systems: Sequence[System]) -> list[System]:
    """By status, tested ones first, then by the other rate or cost."""

    def place(system: System) -> tuple[int, bool, float]:
        d, check = system.decision, system.check
        value = d.interval.estimate if check is None else check.observed
        if d.target in TARGET_RATES:
            value = system.point.frr if d.target == "far" else system.point.far
        return _STATUSES.index(system.worst.status), check is None, float(value)

    return sorted(systems, key=place)


def compared(systems: Sequence[System], level: float, rng: Any) -> SystemsComparison | str:
    """The comparison by HTER of those tested, or why there is none."""
    tested = [system for system in systems if system.tests]
    if len(tested) < 2:
        return "two systems with a test are needed"
    with notices.suppress_warnings():
        try:
            curves = {system.name: epc(system.dev, system.tests[0][0]) for system in tested}
            judge = partial(compare_systems, curve.named_curves(curves), level=level, rng=rng)
            try:
                return judge()
            except errors.InputError:  # not the same trials
                return judge(paired=False)
        except errors.BetarocError as error:
            return str(error)


# ------------------------------------------------------------------------------- table
def thresholds_view(systems: Sequence[System]) -> list[tree.Node]:
    """The target, the table, and the reasons."""
    d = systems[0].decision
    reasons = "\n".join(
        f"{visible(s.name)}: {s.worst.status}. {vocabulary.template_of(s.worst.reason)}"
        for s in systems
    )
    target = tree.Paragraph(
        f"target: {vocabulary.short_name(d.target)} at most {100.0 * d.rate:g} %"
    )
    return [*[target] * (d.target in TARGET_RATES), thresholds_grid(systems),
            tree.Paragraph(reasons, "given")]  # fmt: skip


def thresholds_grid(
    systems: Sequence[System], comparison: SystemsComparison | None = None, *,
    page: bool = False,
) -> tree.Grid:  # fmt: skip
    """One row per system and test."""
    rows, keep = list[dict[tree.Cell | tree.Name | str, tree.Content]](), dict[str, list[Any]]()
    tested, ends = any(system.tests for system in systems), ("", "_low", "_high", "_far", "_frr")
    for system in systems:
        d, i = system.decision, system.decision.interval
        values = {
            "system": system.name,
            **fields_of(d, "threshold", "threshold_for_greater_equal", "how"),
            "status": system.worst.status, "target": d.target,
        }  # fmt: skip
        expected = i.estimate, i.low, i.high, d.expected.far, d.expected.frr
        for k, (test, check) in enumerate(system.tests or ((None, None),)):
            row = _cells(system, check, page=page, tested=tested)
            if k and test is not None and test.source is not None:
                row["system"] = tree.foreign(test.source.path, path=True)
            if comparison is not None:
                against = "" if k else _against(comparison, systems[0].name, system.name)
                row[tree.Cell("against the first", f"{HTER}, all at once")] = against
            rows.append(row)
            observed: tuple[float, ...] = (math.nan,) * 5
            if check is not None:
                point = check.point
                observed = check.observed, check.low, check.high, point.far, point.frr
            for role, numbers in (("expected", expected), ("observed", observed)):
                values |= {f"{role}{end}": x for end, x in zip(ends, numbers, strict=True)}
            for name, value in values.items():
                keep.setdefault(name, []).append(value)
    body = tuple(tree.Row(tuple(row.values())) for row in rows)
    return tree.Grid(tuple(rows[0]), body, (0, 1) if page else (0,), keep)


def _cells(
    system: System, check: DecisionCheck | None, *, page: bool, tested: bool
) -> dict[tree.Cell | tree.Name | str, tree.Content]:
    d, status = system.decision, (check or system.decision).status
    row: dict[tree.Cell | tree.Name | str, tree.Content] = {
        "system": tree.foreign(system.name) if page else tree.as_named(system.name)
    }
    if page:
        row["status"] = tree.Status("", status, decisions.STATUS_COLOURS[status])
    row["threshold"] = tree.Cell(decisions.shown_threshold(d), note=d.how if d.how in HOW else "")
    roles, name = ("dev", "test")[: 1 + tested], "cost" if d.costs else HTER
    if d.target not in TARGET_RATES:
        for role, mean in zip(roles, (d.interval, check), strict=False):
            row[f"{name}, {role}"] = (
                tree.Cell(*decisions.mean_shown(d.costs, mean)) if mean else tree.Cell("")
            )
    rates = {row.kind: row.cells for row in decisions.rate_rows(d, check) if not row.made}
    for kind in TARGET_RATES[::-1] if d.target == "frr" else TARGET_RATES:
        cells = [*(tree.rate_cell(*cell[:3]) for cell in rates[kind]), tree.Cell("no test")]
        row |= {
            f"{vocabulary.short_name(kind)}, {role}": cell
            for role, cell in zip(roles, cells, strict=False)
        }
    return row


def _against(comparison: SystemsComparison, reference: str, name: str) -> tree.Content:
    axes = curve.slotted_axes(comparison.curves[0])
    for first, second, _, low, high, better in zip(*comparison._pairs().values(), strict=True):
        if {first, second} == {name, reference}:
            ends = (low, high) if first == name else (-high, -low)
            worse = {name: "shown better", reference: "shown worse", "": "no difference shown"}
            return tree.Cell(worse[better], axes.changes(*ends))
    return "first" if name == reference else ""


# -------------------------------------------------------------------------------- page
_WHOLE = tree.Paragraph(
    "`betaroc report --dev DEV --test TEST -o OUT` writes its whole report.", "note"
)


def page_of_systems(systems: Sequence[System], request: Target, terms: str, rng: Any) -> str:
    """The whole page."""
    decided = ranked([system for system in systems if system.decided is not None])
    comparison = compared(decided, request.confidence, rng)
    top = systems_nodes(decided, comparison, terms) if decided else []
    order = [*decided, *(system for system in systems if system.decided is None)]
    sections = [_section(system, f"system{k}") for k, system in enumerate(order, 1)]
    sections.append(glossary_of(tree_html.html_of([tree.Section("", tuple(top)), *sections])))
    many, question = counted(len(systems), "system"), question_of(request)
    page = tree_html.page_of(
        f"betaroc: {many}", many, _sizes_words(decided),
        f"Which system, and {question[:1].lower()}{question[1:]}", top, sections, FOOT, script=True,
    )  # fmt: skip
    words = vocabulary.shared_words(system.dev.words for system in systems)
    return page_in_terms(page, terms, words)


def systems_nodes(
    systems: Sequence[System], comparison: SystemsComparison | str, terms: str
) -> list[tree.Node]:
    """The system to take, the table, curves, differences."""
    first, several, d = systems[0], len(systems) > 1, systems[0].decision
    statuses = Counter(system.worst.status for system in systems)
    counts = ", ".join(f"{statuses[s]} {s}" for s in _STATUSES if statuses[s])
    shown = comparison if isinstance(comparison, SystemsComparison) else None
    differences: list[tree.Node] = [tree.Paragraph(f"No difference can be shown: {comparison}")]
    if shown is not None:
        differences = [*shown._view(terms)[1:]]  # the verdict stands above
    confidence, note = f"{100.0 * d.confidence:g} %", "chosen on its own dev scores"
    if d.target in TARGET_RATES:
        note += f": {vocabulary.short_name(d.target)} at or below {100.0 * d.rate:g} %"
        guaranteed = all(system.decision.how == "guaranteed" for system in systems)
        note += f" with {confidence} confidence" * guaranteed
    note = f"Each system has its own threshold, {note}. Intervals of rates: exact, {confidence}"
    grid = thresholds_grid(systems, shown, page=True)
    return [
        *[tree.Paragraph(f"{vocabulary.capital(counts)}.", "lead")] * several,
        tree.Paragraph(
            f"{FAR}: share of {IMPOSTORS} {vocabulary.ACCEPTED}. {FRR}: share of {CLIENTS}"
            f" {vocabulary.REJECTED}.",
            "legend",
        ),
        *_answer(systems, shown),
        *tree_html.verdict_nodes(grid.head, grid.rows),
        tree.Paragraph(f"{note}, each by itself.", "note"),
        tree.Figures((_rocs(systems, "on test" if first.tests else "on dev", terms),)),
        *[tree.Section("Which differences are shown", tuple(differences))] * several,
    ]


def _answer(systems: Sequence[System], comparison: SystemsComparison | None) -> list[tree.Node]:
    first, d, status = systems[0], systems[0].decision, systems[0].worst.status
    good, where, tested = status == GREEN, "on test" if first.tests else "on dev", bool(first.tests)
    text = f"{FAR} {rate(float(first.point.far))}, {FRR} {rate(float(first.point.frr))} {where}"
    # Systems of the status of the first, with a test as it has one.
    alike = sum(s.worst.status == status and bool(s.tests) == tested for s in systems)
    if alike > 1:
        by = {"far": FRR, "frr": FAR}.get(d.target, "cost" if d.costs else HTER)
        text += f", the lowest {by} among {alike} of this status"
    elif len(systems) > 1 and good:
        text += "; no other system can be relied on"
    cautions = [] if good else [first.worst.reason]
    if comparison is not None:
        cautions.append(f"{vocabulary.capital(systems_verdict(comparison, comparison.names))}.")
    if not tested:
        cautions.append("No test set: what follows is expected from dev alone.")
    elif alike > 1:
        best = f"The best of {alike} on one test set"
        cautions.append(f"{best} tends to look a little better than it is.")
    title = f"{name_shown(first.name)}, threshold {with_minus(decisions.shown_threshold(d))}:"
    return [
        tree.Paragraph(f"{text}.{'' if good else ' No system can be relied on.'}", "lead", title),
        tree.Status("", status, decisions.STATUS_COLOURS[status]),
        *map(tree.Paragraph, cautions),
    ]


def _section(system: System, key: str) -> tree.Section:
    if system.decided is None:
        return tree.Section(
            tree.foreign(system.name).short, (tree.Paragraph(system.why),), "", key, folded=True
        )
    worst, d = system.worst, system.decided
    blocks = decisions.decision_view(d, worst if isinstance(worst, DecisionCheck) else None)
    if system.analysis is not None:
        # One level down, with ids of its own: what a user named is escaped and holds no tag.
        body = re.sub("(?<=<h|/h)[123]", lambda n: str(int(n[0]) + 2), render_part(system.analysis))
        blocks = [
            tree.Html(re.sub('(id="|clip-path="url\\(#)(?=left|right)', rf"\g<0>{key}-", body))
        ]
    finding = f"{worst.status}; threshold {with_minus(decisions.shown_threshold(d))}"
    return tree.Section(name_shown(system.name), (*blocks, _WHOLE), finding, key, folded=True)


def _sizes_words(systems: Sequence[System]) -> list[str]:
    words, lines = vocabulary.shared_words(s.dev.words for s in systems), []
    for role, sets in (
        ("dev", [system.dev for system in systems]),
        ("test", [test for system in systems for test, _ in system.tests]),
    ):
        sizes = {(s.n_client, s.n_impostor) for s in sets}
        if len(sizes) == 1:
            classes = zip(arrays.CLASSES, sizes.pop(), strict=True)
            lines.append(
                f"{role} {', '.join(words.counted(who, n, spaced(n)) for who, n in classes)}"
            )
        elif sizes:
            lines.append(f"{role} of different sizes")
    return lines


def _rocs(systems: Sequence[System], where: str, terms: str) -> tree.Figure:
    def draw() -> Axes:
        ax = new_axes(square=True)
        for k, system in enumerate(systems):
            scores = system.tests[0][0] if system.tests else system.dev
            many = k >= _DRAWN
            label = "_nolegend_" if many else name_shown(system.name)
            colour, width = (GREY, 0.8) if many else (COLOURS[k], 1.5)
            with notices.suppress_warnings():
                samples.empirical_model(scores).roc().plot(
                    ax, scale="log", linewidth=width, zorder=2.0 - 0.5 * many, color=colour,
                    label=label, terms=terms,
                )  # fmt: skip
            far = max(float(system.point.far), ax.get_xlim()[0])
            ax.plot(
                far, 1.0 - system.point.frr, marker="o", markersize=5.0, color=colour,
                markeredgecolor="white", label="_nolegend_", zorder=3.0, gid="threshold",
            )  # fmt: skip
        d = systems[0].decision
        if d.target == "far":
            ax.axvline(d.rate, color=GREY, linewidth=1.0, linestyle="--", label="target")
        legend_below(ax, None)
        return ax

    others = f"; others grey beyond {_DRAWN}" * (len(systems) > _DRAWN)
    caption = f"ROC of each system {where}, {FAR} on a log scale; dots: at its threshold{others}."
    alt = f"{TPR} against {FAR} of {len(systems)} systems {where}"
    return tree.Figure(files.draw_svg(draw, "rocs"), caption, alt)
