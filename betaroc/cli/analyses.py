"""The systems of a report: read and analysed, or of many their thresholds alone."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace

from betaroc.cli.inputs import chosen_words
from betaroc.cli.messages import in_options, named_files
from betaroc.cli.options import fit_options_of
from betaroc.cli.systems import SystemFiles, read_systems
from betaroc.core.errors import BetarocWarning, FitError, InputError
from betaroc.core.notices import collected, keep, warn
from betaroc.core.text import listed
from betaroc.decision.ways import Fitting
from betaroc.estimation.families import AUTO, BEST, Names
from betaroc.report.analysis import Analysis, analyze_stepwise
from betaroc.report.page import checks_of, decision_of, request_of
from betaroc.report.systems_page import SystemPart, system_of


def decided_analysis(
    system: SystemFiles, arguments: Namespace, step: Callable[[], None], level: float, _seed: int
) -> SystemPart:
    """Read and decide, without the rest of a report."""
    rules = Fitting(arguments.family, arguments.boundary, arguments.resolution,
                    bounds=arguments.bounds)  # fmt: skip
    with collected() as notices:
        ((_, dev, tests),) = read_systems([system._replace(name="")], arguments, step)
        decision, why = decision_of(dev, request_of(arguments.target, level), rules)
        checks = checks_of(decision, tests)
    step()
    warned = tuple(in_options(notice.message, arguments) for notice in notices)
    pairs = list(zip(system.paths[1:], tests, strict=True))
    return system_of(system.name, dev, pairs, warned, (decision, why, checks))


def analysed(
    system: SystemFiles, arguments: Namespace, step: Callable[[], None], level: float, seed: int
) -> SystemPart:
    """Read, choose the family, analyse; every warning in the words of the options."""
    paths = [source if isinstance(source, str) else source[0] for source in system.tests]
    if len(set(map(os.path.abspath, paths))) < len(paths):
        raise InputError(
            f"--test must name each file once; got {listed(paths)}. Leave the second out."
        )
    names = named_files(arguments, paths)
    with collected() as notices:
        ((_, dev, tests),) = read_systems([system._replace(name="")], arguments, step)
        named = {names[path]: scores for path, scores in zip(paths, tests, strict=True)}

        def analyse(family: Names) -> Analysis:
            rules = fit_options_of(arguments, family)
            return analyze_stepwise(
                dev, named, rules, step, level=level, rng=seed, terms=arguments.terms,
                statistics=arguments.statistic, target=arguments.target,
            )  # fmt: skip

        chosen = arguments.family in (AUTO, BEST)
        try:
            analysis = analyse(arguments.family)
            reason = analysis.reason if chosen else chosen_words(arguments.family)
        except FitError as error:
            if not chosen:
                raise
            why = in_options(error.template, arguments, error.argument)
            warn(f"no distribution fits dev, whose scores are taken as they are: {why}",
                 BetarocWarning)  # fmt: skip
            analysis, reason = analyse("empirical"), "no distribution fits dev"
    analysis = replace(analysis, reason=reason)
    keep(analysis, [n._replace(message=in_options(n.message, arguments)) for n in notices])
    pairs = list(zip(paths, tests, strict=True))
    decided = analysis.decision, analysis.no_decision, analysis.checks
    warned = [notice.message for notice in analysis.notices]
    return system_of(system.name, dev, pairs, warned, decided, analysis)
