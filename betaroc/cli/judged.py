"""What is decided and analysed of the systems of a call, one after the other."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

from betaroc.cli.messages import in_options, messages, named_files
from betaroc.cli.options import LEVEL, fit_options_of, option_of
from betaroc.cli.systems import SystemFiles, chosen_words, read_systems, reading_lines
from betaroc.core.errors import BetarocWarning, FitError
from betaroc.core.notices import Notice, collected, forward_warnings, keep, warn
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC
from betaroc.data.scores import ScoreData, Scores, require_scores
from betaroc.decision.decide import decide
from betaroc.decision.threshold_methods import Fitting, Target, target_text
from betaroc.estimation.families import AUTO, BEST, Names
from betaroc.model.samples import empirical_model
from betaroc.rendering.document import readable
from betaroc.rendering.nouns import told_document
from betaroc.rendering.numbers import visible
from betaroc.rendering.tree import Paragraph
from betaroc.report.analysis import Analysis, analyze_stepwise
from betaroc.report.page import checks_of, decision_of, request_of
from betaroc.report.systems_page import System


def read_decided(
    systems: Sequence[SystemFiles], arguments: Namespace, asked: Mapping[str, Any],
    notices: list[Notice], step: Callable[[], None],
) -> list[System]:  # fmt: skip
    """The threshold of each system, and what its test says of it."""
    rules = fields_of(arguments, "family", "boundary", "resolution", "bounds")
    rows = []
    for name, first, others in read_systems(systems, arguments, step):
        dev = _typed(first, "a decision", arguments.dtype)
        tests = [_typed(test, "a check", arguments.dtype) for test in others]
        with forward_warnings(f"{visible(name)}: " * bool(name)):
            decision = decide(dev, **asked, **rules)
            checks = tuple((test, decision.check(test)) for test in tests)
        warned = tuple(messages(notices, arguments))
        rows.append(System(name, dev, decision, checks, warned))
        step()
    return rows


def _typed(read: ScoreData, noun: str, dtype: str) -> Scores:
    """Scores as the numbers of the software that gave them."""
    scores = require_scores(read, noun, rejected=True)
    if dtype == "float64":
        return scores
    samples = {who: getattr(scores, who).astype(dtype) for who in ("client", "impostor")}
    return replace(scores, **samples, dtype=dtype)


def decision_document(row: System) -> dict[str, Any]:
    """The decision as numbers and text, and as `br.from_json` reads it."""
    d, check, dev = row.decision, row.check, row.dev
    numbers = readable(d) | fields_of(check or d, "status", "reason", "remedy") | {
        "threshold_for_greater_equal": d.threshold_for_greater_equal,
        "test": check and told_document(check, readable(check) | {"decision": None}),
        "warnings": list(row.warnings),
    }  # fmt: skip
    if dev.has_rejected:
        model = empirical_model(dev)
        rates = {"fmr": model.fmr(d.threshold), "fnmr": model.fnmr(d.threshold)}
        numbers |= {"rejected": [dev.n_client_rejected, dev.n_impostor_rejected], "dev": rates}
    return told_document(d, numbers)


def lines_of_reading(rows: Sequence[System]) -> Paragraph:
    """What was read for the thresholds."""
    sides = (
        (f"{visible(row.name)} {role}".strip(), side)
        for row in rows
        for role, side in [("dev", row.dev), *(("test", test) for test, _ in row.tests)]
    )
    return reading_lines(*sides)


def report_line(arguments: Namespace, request: Target) -> Paragraph:
    """The command of a report on the same files for the same target, to be pasted."""
    argument = {"dev": (arguments.file or [None])[0], "test": arguments.test,
             "target": target_text(request), **fields_of(arguments, "group", "level", "terms"),
             **fields_of(arguments, *arguments.reading)}  # fmt: skip
    usual = {"target": "far=0.01", "level": LEVEL, "terms": BIOMETRIC, **arguments.reading}
    parts = ["betaroc report"]
    for name, value in argument.items():
        if value is None or value == usual.get(name):
            continue
        for entry in value if name in ("id", "key_id") else [value]:
            parts.append(f"--no-{name}" if entry is False else option_of(name))
            words = entry if isinstance(entry, list) else [entry] * (name != "header")
            parts += [quote(str(word)) for word in words]
    return Paragraph(f"{'':8}{visible(' '.join(parts))} -o report.html", "given")


def analysed(
    system: SystemFiles, arguments: Namespace, step: Callable[[], None], level: float, seed: int,
    *, whole: bool,
) -> System:  # fmt: skip
    """Read, choose the family, and analyse, or decide where the report is not to be whole.

    Every warning is in the words of the options.
    """
    paths = [source if isinstance(source, str) else source[0] for source in system.tests]
    analysis = None
    with collected() as notices:
        ((_, dev, tests),) = read_systems([system._replace(name="")], arguments, step)
        if whole:
            names = named_files(arguments, paths)
            named = {names[path]: scores for path, scores in zip(paths, tests, strict=True)}
            # A copy has no notices; those of the analysis are in the words of Python.
            analysis = replace(_whole_analysis(dev, named, arguments, step, level, seed))
            decision, why, checks = analysis.decision, analysis.no_decision, analysis.checks
        else:
            rules = Fitting(**fields_of(arguments, "family", "boundary", "resolution", "bounds"))
            decision, why = decision_of(dev, request_of(arguments.target, level), rules)
            checks = checks_of(decision, tests)
            step()
    notices = [n._replace(message=in_options(n.message, arguments)) for n in notices]
    if analysis is not None:
        keep(analysis, notices)
    warned, both = tuple(n.message for n in notices), zip(tests, checks, strict=True)
    checked = tuple((test, check) for test, check in both if check is not None)
    return System(system.name, dev, decision, checked, warned, why, analysis)


def _whole_analysis(
    dev: ScoreData, tests: Mapping[str, ScoreData], arguments: Namespace,
    step: Callable[[], None], level: float, seed: int,
) -> Analysis:  # fmt: skip
    """By the family of the call; by the scores themselves where no distribution fits them."""

    def analyse(family: Names) -> Analysis:
        return analyze_stepwise(
            dev, tests, fit_options_of(arguments, family), step, level=level, rng=seed,
            statistics=arguments.statistic, **fields_of(arguments, "terms", "target"),
        )  # fmt: skip

    if arguments.family not in (AUTO, BEST):
        return replace(analyse(arguments.family), reason=chosen_words(arguments.family))
    try:
        return analyse(arguments.family)
    except FitError as error:
        why = in_options(error.template, arguments, error.argument)
        warn(f"no distribution fits dev, whose scores are taken as they are: {why}",
             BetarocWarning)  # fmt: skip
        return replace(analyse("empirical"), reason="no distribution fits dev")
