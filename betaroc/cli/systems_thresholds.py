"""The thresholds of several systems as one table: a row a system; a decision as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.cli.messages import ProgressBar, messages, say
from betaroc.cli.systems import SystemFiles, read_systems, reading_words
from betaroc.core.class_words import ClassWords, shared_words
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, passed_on
from betaroc.data.scores import ScoreData, Scores, require_scores
from betaroc.decision.decide import Decision, DecisionCheck, DecisionRequest, decided
from betaroc.decision.decision_view import said_nodes, shown_threshold, ways_grid
from betaroc.decision.status import AMBER, GREEN, RED
from betaroc.decision.ways import TARGET_RATES, Fitting
from betaroc.model.samples import empirical_model
from betaroc.rendering.nouns import told_document
from betaroc.rendering.numbers import number, rate, visible, with_minus
from betaroc.rendering.tree import (
    Cell,
    Column,
    Node,
    Section,
    Words,
    apart,
    as_named,
    recorded,
)
from betaroc.rendering.tree_html import html_of
from betaroc.report.record import check_numbers, told_decision

#: The best first.
STATUSES = (GREEN, AMBER, RED)


class CheckedTest(NamedTuple):
    """A test set, and what the threshold did there."""

    name: str
    scores: Scores
    check: DecisionCheck


class DecidedSystem(NamedTuple):
    """A system's threshold, and what it did on its tests."""

    name: str
    dev: Scores
    decision: Decision
    tests: tuple[CheckedTest, ...]
    warnings: tuple[str, ...] = ()

    @property
    def test(self) -> Scores | None:
        """The first test."""
        return self.tests[0].scores if self.tests else None

    @property
    def check(self) -> DecisionCheck | None:
        """Of the first test."""
        return self.tests[0].check if self.tests else None

    @property
    def status(self) -> str:
        """The worst of its tests; without any that of dev."""
        found = [one.check.status for one in self.tests] or [self.decision.status]
        return max(found, key=STATUSES.index)


class SystemAnalysis(NamedTuple):
    """What the page knows of a system.

    `body` is its whole report, empty where none was made; `terms` are those that it needs
    explained.
    """

    files: SystemFiles
    dev: ScoreData
    tests: Sequence[ScoreData]
    decision: Decision | None
    checks: Sequence[DecisionCheck | None]
    why: str
    warnings: tuple[str, ...]
    body: str = ""
    terms: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """What the system is called."""
        return self.files.name

    @property
    def words(self) -> ClassWords | None:
        """What its classes are called."""
        return self.dev.words

    @property
    def finding(self) -> str:
        """What its folded part says at once."""
        one, d = self.decided, self.decision
        if one is None and d is not None:
            return (
                f"{d.status}; threshold {d.threshold:.6g}, of a summary, which the table leaves out"
            )
        if one is None:
            return self.why
        return f"{one.status}; threshold {with_minus(shown_threshold(one.decision))}"

    @property
    def decided(self) -> DecidedSystem | None:
        """Its threshold with what its tests say; None where there is none."""
        if self.decision is None or not isinstance(self.dev, Scores):
            return None
        paths = [
            Path(path).name if test.source is None else test.source.path
            for path, test in zip(self.files.tests, self.tests, strict=True)
        ]
        tests = tuple(
            CheckedTest(path, test, check)
            for path, test, check in zip(paths, self.tests, self.checks, strict=True)
            if check is not None and isinstance(test, Scores)
        )
        return DecidedSystem(self.name, self.dev, self.decision, tests)


def decided_told(rows: Sequence[DecidedSystem]) -> list[Section]:
    """The table, then why each threshold can be relied on or not."""
    d = rows[0].decision
    of_rate = d.target in TARGET_RATES
    what = d.target.upper() if of_rate else "cost" if d.target == "cost" else "HTER"
    lines = [
        f"{visible(row.name)}: {row.status}. "
        + (row.decision.reason if row.check is None else row.check.reason)
        for row in rows
    ]
    read = reading_words((row.name, side) for row in rows for side in (row.dev, row.test))
    told = apart(
        recorded(_columns(d, what, tested=any(row.tests for row in rows)), map(_cells, rows)),
        Words("\n".join(lines), "given"), Words(read, "given"),
    )  # fmt: skip
    target = Words(f"target: {what} at most {100.0 * d.rate:g} %")
    return [*(apart(target) if of_rate else []), *told]


def _columns(d: Decision, what: str, *, tested: bool) -> list[Column]:
    """Of the test the other rate of a target is told too; what was not observed is empty."""
    of_rate = d.target in TARGET_RATES
    say = rate if d.costs is None else partial(number, digits=3)
    own = [f"{what}, test", "from", "to"] if tested else [None] * 3
    others = [kind for kind in TARGET_RATES if kind != d.target] if of_rate and tested else []
    return [
        Column("system", "system"), Column("threshold", "threshold"),
        Column("threshold_for_greater_equal"), Column("how", "how"), Column("status"),
        Column("target"), Column("expected", f"{what}, dev", say),
        Column("expected_low", "from", say), Column("expected_high", "to", say),
        Column("expected_far"), Column("expected_frr"),
        *(Column(f"observed{end}", head, say)
          for end, head in zip(("", "_low", "_high"), own, strict=True)),
        *(Column(f"observed_{kind}", f"{kind.upper()}, test" if kind in others else None, rate)
          for kind in TARGET_RATES),
    ]  # fmt: skip


def _cells(row: DecidedSystem) -> list[Any]:
    d, check = row.decision, row.check
    observed: list[Any] = [Cell("")] * 5
    if check is not None:
        point = check.point
        observed = [check.observed, check.low, check.high, point.far, point.frr]
    return [
        as_named(row.name), Cell(shown_threshold(d), value=d.threshold),
        d.threshold_for_greater_equal, d.how, row.status, d.target, d.interval.estimate,
        d.interval.low, d.interval.high, d.expected.far, d.expected.frr, *observed,
    ]  # fmt: skip


def run_systems(
    systems: Sequence[SystemFiles], arguments: argparse.Namespace, asked: DecisionRequest
) -> int | None:
    """A row a system."""
    if arguments.only is not None:
        raise InputError(
            "--print must stand with SCORES, of one system; --system and --systems give a table."
            " Take --csv, whose column threshold has all digits."
        )
    fitting = Fitting(
        arguments.family, arguments.boundary, arguments.resolution, bounds=arguments.bounds
    )  # fmt: skip
    rows: list[DecidedSystem] = []
    with collected() as notices, ProgressBar(3 * len(systems)) as step:
        for name, own, others in read_systems(systems, arguments, step):
            dev = typed(own, "a decision", arguments)
            tests = [typed(test, "a check", arguments) for test in others]
            with passed_on(f"{visible(name)}: "):
                decision = decided(dev, asked, fitting)
                checked = tuple(CheckedTest("test", one, decision.check(one)) for one in tests)
            said = messages(notices, arguments)
            rows.append(DecidedSystem(name, dev, decision, checked, tuple(said)))
            step()
    say(
        arguments,
        lambda: [
            {"system": row.name} | decision_document(row.decision, row.check, row.dev, row.warnings)
            for row in rows
        ],
        partial(decided_told, rows),
        [one for row in rows for one in row.warnings],
        [row.name for row in rows],
        shared_words(row.dev.words for row in rows),
    )
    green = all(row.status == GREEN for row in rows)
    return 1 if arguments.strict and not green else None


def typed(read: ScoreData, what: str, arguments: argparse.Namespace) -> Scores:
    """Scores as the numbers of the software that gave them."""
    found = require_scores(read, what, rejected=True)
    if arguments.dtype == "float64":
        return found
    samples = {who: getattr(found, who).astype(arguments.dtype) for who in ("client", "impostor")}
    return replace(found, **samples, dtype=arguments.dtype)


def decision_document(
    d: Decision, check: DecisionCheck | None, dev: Scores, warnings: Sequence[str]
) -> dict[str, Any]:
    """The decision as numbers and text, and as `br.from_json` reads it."""
    said = d if check is None else check
    numbers = told_decision(d, said) | {
        "test": None if check is None else told_document(check, check_numbers(check)),
        "warnings": list(warnings),
    }
    if dev.has_rejected:
        model = empirical_model(dev)
        rates = {"fmr": model.fmr(d.threshold), "fnmr": model.fnmr(d.threshold)}
        numbers |= {"rejected": [dev.n_client_rejected, dev.n_impostor_rejected], "dev": rates}
    return told_document(d, numbers)


def ways_html(system: SystemAnalysis) -> str:
    """Why the status is what it is, every way to choose, and where the rest is."""
    one = system.decided
    if one is None:
        return str(html_of([Section("", (Words(system.finding),))], depth=4))
    d, tested = one.decision, bool(one.tests)
    seen = [test.check for test in one.tests if test.check.status == one.status]
    blocks: tuple[Node, ...] = (
        *said_nodes(seen[0] if seen else d, tested=tested),
        ways_grid(d),
        Words("betaroc report --dev DEV --test TEST -o OUT writes its whole report.", "note"),
    )
    return str(html_of([Section("", blocks)], depth=4))
