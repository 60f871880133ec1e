"""What a threshold is chosen on, decided and written down, a system after the other."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from shlex import quote
from typing import Any

from betaroc.cli.inputs import paths_of
from betaroc.cli.messages import messages
from betaroc.cli.options import LEVEL, is_same_file, option_of
from betaroc.cli.systems import SystemFiles, read_systems, reading_words
from betaroc.core.errors import InputError
from betaroc.core.local_files import STDIN
from betaroc.core.notices import Notice, passed_on
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC
from betaroc.data.scores import ScoreData, Scores, require_scores
from betaroc.decision.decide import DecisionRequest, decide
from betaroc.model.samples import empirical_model
from betaroc.rendering.nouns import told_document
from betaroc.rendering.numbers import visible
from betaroc.rendering.tree import Words
from betaroc.report.analysis import check_numbers, told_decision
from betaroc.report.page import target_text
from betaroc.report.score_set import file_words
from betaroc.report.systems_page import CheckedTest, DecidedSystem


def read_decided(
    systems: Sequence[SystemFiles], arguments: Namespace, asked: Mapping[str, Any],
    notices: list[Notice], step: Callable[[], None],
) -> list[DecidedSystem]:  # fmt: skip
    """The threshold of each system, and what its test says of it."""
    pairs = product(paths_of(systems[0].dev), paths_of(*systems[0].tests))
    if any(dev == test == STDIN or is_same_file(dev, test) for dev, test in pairs):
        raise InputError(
            "--test must be another file than dev's: a threshold looks better on the scores that"
            " chose it. Name other trials, or leave --test out."
        )
    rules = fields_of(arguments, "family", "boundary", "resolution", "bounds")
    rows = []
    for name, first, others in read_systems(systems, arguments, step):
        dev = _typed(first, "a decision", arguments.dtype)
        tests = [_typed(test, "a check", arguments.dtype) for test in others]
        with passed_on(f"{visible(name)}: " * bool(name)):
            decision = decide(dev, **asked, **rules)
            checks = tuple(CheckedTest("test", test, decision.check(test)) for test in tests)
        warned = tuple(messages(notices, arguments))
        rows.append(DecidedSystem(name, dev, decision, checks, warned))
        step()
    return rows


def _typed(read: ScoreData, noun: str, dtype: str) -> Scores:
    """Scores as the numbers of the software that gave them."""
    scores = require_scores(read, noun, rejected=True)
    if dtype == "float64":
        return scores
    samples = {who: getattr(scores, who).astype(dtype) for who in ("client", "impostor")}
    return replace(scores, **samples, dtype=dtype)


def decision_document(row: DecidedSystem) -> dict[str, Any]:
    """The decision as numbers and text, and as `br.from_json` reads it."""
    d, check, dev = row.decision, row.check, row.dev
    numbers = told_decision(d, check or d) | {
        "test": None if check is None else told_document(check, check_numbers(check)),
        "warnings": list(row.warnings),
    }
    if dev.has_rejected:
        model = empirical_model(dev)
        rates = {"fmr": model.fmr(d.threshold), "fnmr": model.fnmr(d.threshold)}
        numbers |= {"rejected": [dev.n_client_rejected, dev.n_impostor_rejected], "dev": rates}
    return told_document(d, numbers)


def lines_of_reading(rows: Sequence[DecidedSystem]) -> Words:
    """What was read for the thresholds; of several systems how."""
    sides = [(row.name, role, side) for row in rows
             for role, side in [("dev", row.dev), *(test[:2] for test in row.tests)]]  # fmt: skip
    if rows[0].name:
        return Words(reading_words((name, side) for name, _, side in sides), "given")
    return Words("\n".join(file_words(role, side) for _, role, side in sides), "given")


def report_line(arguments: Namespace, request: DecisionRequest) -> Words:
    """The command of a report on the same files for the same target, to be pasted."""
    argument = {"dev": (arguments.file or [None])[0], "test": arguments.test,
             "target": target_text(request), **fields_of(arguments, "group", "level", "terms"),
             **fields_of(arguments, *arguments.reading)}  # fmt: skip
    usual = {"target": "far=0.01", "level": LEVEL, "terms": BIOMETRIC, **arguments.reading}
    parts = ["betaroc report"]
    for name, value in argument.items():
        option = option_of(name)
        if value is None or value == usual.get(name):
            continue
        if name == "header":
            parts.append(option if value else f"--no-{name}")
        elif name in ("id", "key_id"):
            parts += [f"{option} {quote(column)}" for column in value]
        else:
            values = value if isinstance(value, list) else [value]
            parts += [option, *(quote(str(item)) for item in values)]
    return Words(f"{'':8}{visible(' '.join(parts))} -o report.html", "given")
