"""The thresholds of several systems in a terminal; a decision as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from betaroc.cli.messages import ProgressBar, messages, say
from betaroc.cli.systems import SystemFiles, read_systems, reading_words
from betaroc.core.class_words import shared_words
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, passed_on
from betaroc.data.scores import ScoreData, Scores, require_scores
from betaroc.decision.decide import Decision, DecisionCheck, DecisionRequest, decided
from betaroc.decision.status import GREEN
from betaroc.decision.ways import Fitting
from betaroc.model.samples import empirical_model
from betaroc.rendering.nouns import told_document
from betaroc.rendering.numbers import visible
from betaroc.rendering.tree import Words
from betaroc.report.record import check_numbers, told_decision
from betaroc.report.system_thresholds import CheckedTest, DecidedSystem, thresholds_view


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
    sides = [(row.name, side) for row in rows
             for side in (row.dev, *(test.scores for test in row.tests))]  # fmt: skip
    say(
        arguments,
        lambda: [
            {"system": row.name} | decision_document(row.decision, row.check, row.dev, row.warnings)
            for row in rows
        ],
        lambda: [*thresholds_view(rows), Words(reading_words(sides), "given")],
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
    d: Decision, check: DecisionCheck | None, dev: ScoreData, warnings: Sequence[str]
) -> dict[str, Any]:
    """The decision as numbers and text, and as `br.from_json` reads it."""
    numbers = told_decision(d, d if check is None else check) | {
        "test": None if check is None else told_document(check, check_numbers(check)),
        "warnings": list(warnings),
    }
    if dev.has_rejected:
        model = empirical_model(dev)
        rates = {"fmr": model.fmr(d.threshold), "fnmr": model.fnmr(d.threshold)}
        numbers |= {"rejected": [dev.n_client_rejected, dev.n_impostor_rejected], "dev": rates}
    return told_document(d, numbers)
