"""The thresholds of several systems as one table: a row a system; a decision as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from betaroc.cli.messages import ProgressBar, messages, say_warnings
from betaroc.cli.options import in_terms
from betaroc.cli.systems import SystemFiles, read_systems, reading_words
from betaroc.core.class_words import shared_words
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, passed_on
from betaroc.data.scores import ScoreData, Scores, require_scores
from betaroc.decision.decide import Decision, DecisionCheck, DecisionRequest, decided
from betaroc.decision.status import GREEN, shown_threshold
from betaroc.decision.ways import TARGET_RATES, Fitting
from betaroc.model.samples import empirical_model
from betaroc.rendering.nouns import told_document
from betaroc.rendering.numbers import number, rate, visible
from betaroc.rendering.table_text import csv_table, latex_table
from betaroc.rendering.tree_text import columns
from betaroc.report.numbers import as_json
from betaroc.report.record import check_numbers, told_decision

__all__ = [
    "DecidedSystem", "decided_table", "decided_text", "decision_document", "run_systems",
    "typed",
]  # fmt: skip


class DecidedSystem(NamedTuple):
    """A system's threshold, and what it did on its test."""

    name: str
    dev: Scores
    test: Scores | None
    decision: Decision
    check: DecisionCheck | None
    warnings: tuple[str, ...]

    @property
    def status(self) -> str:
        """After the test where there is one."""
        return self.decision.status if self.check is None else self.check.status


def decided_table(rows: Sequence[DecidedSystem]) -> dict[str, list[Any]]:
    """Columns of CSV and LaTeX; what was not observed is empty."""
    found = [_row(row) for row in rows]
    return {name: [one[name] for one in found] for name in found[0]}


def _row(row: DecidedSystem) -> dict[str, Any]:
    d, check, nan = row.decision, row.check, float("nan")
    point = None if check is None else check.point
    return {
        "system": row.name, "threshold": d.threshold,
        "threshold_for_greater_equal": d.threshold_for_greater_equal, "how": d.how,
        "status": row.status, "target": d.target, "expected": d.interval.estimate,
        "expected_low": d.interval.low, "expected_high": d.interval.high,
        "expected_far": d.expected.far, "expected_frr": d.expected.frr,
        "observed": nan if check is None else check.observed,
        "observed_low": nan if check is None else check.low,
        "observed_high": nan if check is None else check.high,
        "observed_far": nan if point is None else point.far,
        "observed_frr": nan if point is None else point.frr,
    }  # fmt: skip


def decided_text(rows: Sequence[DecidedSystem]) -> str:
    """The table, then why each threshold can be relied on or not."""
    d = rows[0].decision
    of_rate = d.target in TARGET_RATES
    what = d.target.upper() if of_rate else "cost" if d.target == "cost" else "HTER"
    other = {"far": "frr", "frr": "far"}.get(d.target)
    say = rate if of_rate else lambda value: number(value, 3)
    tested = any(row.check is not None for row in rows)
    head = ["system", "threshold", "how", f"{what}, dev", "from", "to"]
    head += [f"{what}, test", "from", "to", *([f"{other.upper()}, test"] if other else [])] * tested
    table = [head]
    for row in rows:
        found = row.decision
        cells = [
            visible(row.name),
            shown_threshold(found.threshold, found.target, row.dev),
            found.how,
        ]
        cells += [say(x) for x in (found.interval.estimate, found.interval.low,
                                   found.interval.high)]  # fmt: skip
        check = row.check
        if check is not None:
            cells += [say(x) for x in (check.observed, check.low, check.high)]
            cells += [rate(getattr(check.point, other))] if other else []
        table.append(cells + [""] * (len(head) - len(cells)))
    target = f"target: {what} at most {rate(d.rate)}\n\n" if of_rate else ""
    lines = [
        f"{visible(row.name)}: {row.status}. "
        + (row.decision.reason if row.check is None else row.check.reason)
        for row in rows
    ]
    read = reading_words((row.name, side) for row in rows for side in (row.dev, row.test))
    return "\n\n".join([f"{target}{columns(table)}", "\n".join(lines), read])


def run_systems(
    systems: Sequence[SystemFiles], arguments: argparse.Namespace, asked: DecisionRequest
) -> int | None:
    """A row a system."""
    if arguments.only is not None:
        raise InputError(
            "--print must stand with SCORES, of one system; --system and --systems give a table."
            " Take --csv, whose column threshold has all digits."
        )
    fitting = Fitting(arguments.family, arguments.boundary, arguments.resolution)
    rows: list[DecidedSystem] = []
    with collected() as notices, ProgressBar(3 * len(systems)) as step:
        start = 0
        for name, own, others in read_systems(systems, arguments, step):
            dev = typed(own, "a decision", arguments)
            tests = [typed(test, "a check", arguments) for test in others]
            with passed_on(f"{visible(name)}: "):
                # A table tells one way of each, JSON all of them.
                decision = decided(dev, asked, fitting, alternatives=arguments.json)
                test = tests[0] if tests else None
                check = None if test is None else decision.check(test)
            said = messages(notices[start:], arguments)
            start = len(notices)
            rows.append(DecidedSystem(name, dev, test, decision, check, tuple(said)))
            step()
    names = [row.name for row in rows]
    words = shared_words(row.dev.words for row in rows)
    if arguments.json:
        documents = [
            {"system": row.name} | decision_document(row.decision, row.check, row.dev, row.warnings)
            for row in rows
        ]
        sys.stdout.write(as_json(documents))
    elif arguments.csv or arguments.latex:
        table = decided_table(rows)
        sys.stdout.write(csv_table(table) if arguments.csv else latex_table(table))
    else:
        sys.stdout.write(in_terms(decided_text(rows) + "\n", arguments, names, words=words))
    if not arguments.json:
        say_warnings(
            [in_terms(one, arguments, names, words=words) for row in rows for one in row.warnings]
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
