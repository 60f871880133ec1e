"""Decisions and analyses of the systems of a call."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from betaroc.cli.messages import in_options, messages, named_files
from betaroc.cli.options import fit_options_of
from betaroc.cli.systems import SystemFiles, chosen_words, read_systems, reading_lines
from betaroc.core.errors import BetarocWarning, FitError
from betaroc.core.notices import Notice, collected, forward_warnings, keep, warn
from betaroc.core.value import fields_of
from betaroc.data.scores import ScoreData
from betaroc.decision.decide import decide
from betaroc.decision.threshold_methods import Fitting
from betaroc.estimation.families import AUTO, BEST, Names
from betaroc.model.samples import empirical_model
from betaroc.rendering import document, nouns, tree
from betaroc.rendering.numbers import visible
from betaroc.report import page, systems_page
from betaroc.report.analysis import Analysis, analyze_stepwise


def read_decided(
    systems: Sequence[SystemFiles], arguments: Namespace, asked: Mapping[str, Any],
    notices: list[Notice], step: Callable[[], object],
) -> list[systems_page.System]:  # fmt: skip
    """The threshold of each system, and what its test says of it."""
    rules = fields_of(arguments, "family", "boundary", "resolution", "bounds")
    rows = []
    for name, dev, tests in read_systems(systems, arguments, step):
        with forward_warnings(f"{visible(name)}: " * bool(name)):
            decision = decide(dev, **asked, **rules)
            checks = tuple((test, decision.check(test)) for test in tests)
        warned = tuple(messages(notices, arguments))
        rows.append(systems_page.System(name, dev, decision, checks, warned))
        step()
    return rows


def decision_document(row: systems_page.System) -> dict[str, Any]:
    """The decision, as `br.from_json` reads it too."""
    d, check, dev = row.decision, row.check, row.dev
    numbers = document.readable(d) | fields_of(check or d, "status", "reason", "remedy")
    numbers |= d._derived() | {
        "test": check and nouns.told_document(check, document.readable(check) | {"decision": None}),
        "warnings": list(row.warnings),
    }  # fmt: skip
    if dev.has_rejected:
        model = empirical_model(dev)
        rates = {"fmr": model.fmr(d.threshold), "fnmr": model.fnmr(d.threshold)}
        numbers |= {"rejected": [dev.n_client_rejected, dev.n_impostor_rejected], "dev": rates}
    return nouns.told_document(d, numbers)


def lines_of_reading(rows: Sequence[systems_page.System]) -> tree.Paragraph:
    """What was read for the thresholds."""
    sides = (
        (f"{visible(row.name)} {role}".strip(), side)
        for row in rows
        for role, side in [("dev", row.dev), *(("test", test) for test, _ in row.tests)]
    )
    return reading_lines(*sides)


def analysed(
    system: SystemFiles, arguments: Namespace, step: Callable[[], object], level: float, seed: int,
    *, whole: bool,
) -> systems_page.System:  # fmt: skip
    """Read and analyse, or decide where the report is not `whole`."""
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
            decision, why = page.decision_of(dev, page.request_of(arguments.target, level), rules)
            checks = page.checks_of(decision, tests)
            step()
    notices = [n._replace(message=in_options(n.message, arguments)) for n in notices]
    if analysis is not None:
        keep(analysis, notices)
    warned, pairs = tuple(n.message for n in notices), zip(tests, checks, strict=True)
    checked = tuple((test, check) for test, check in pairs if check is not None)
    return systems_page.System(system.name, dev, decision, checked, warned, why, analysis)


def _whole_analysis(
    dev: ScoreData, tests: Mapping[str, ScoreData], arguments: Namespace,
    step: Callable[[], object], level: float, seed: int,
) -> Analysis:  # fmt: skip

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
