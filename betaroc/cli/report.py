"""``betaroc report``: an HTML page on dev and on the tests."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from betaroc.cli import options
from betaroc.cli.inputs import chosen_words, files_of, read_file
from betaroc.cli.messages import (
    ProgressBar,
    examples,
    in_options,
    in_terms,
    named_files,
    remark,
    say_warnings,
)
from betaroc.cli.systems import SystemFiles, named_systems, read_systems, system_options
from betaroc.core.errors import BetarocWarning, FitError, InputError
from betaroc.core.notices import collected, keep, passed_on, warn
from betaroc.core.text import shown
from betaroc.decision.ways import Fitting
from betaroc.estimation.families import AUTO, BEST
from betaroc.model.asking import askings
from betaroc.rendering.document import json_text
from betaroc.rendering.files import checked_target, write_whole
from betaroc.rendering.numbers import visible
from betaroc.report.analysis import Analysis, analyze_stepwise
from betaroc.report.page import report_document
from betaroc.report.record import checks_of, decision_of, request_of
from betaroc.report.systems_page import SystemPart, page_of_systems, part_of

#: Up to so many systems have their whole reports on a page, of more the thresholds alone.
_WHOLE = 8
#: What the page of thresholds alone does not answer.
_OF_WHOLE = ("statistic", "tails", "tail_sizes", "bounds")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc report --dev dev.csv --test eval.csv -o report.html",
        "betaroc report --dev dev.csv --test a.csv b.csv --statistic tpr@far=0.01 -o report.html",
        "betaroc report --system mlp dev.csv eval.csv --system svm dev_b.csv eval_b.csv"
        " -o report.html",
        "betaroc report --dev big.parquet --test eval.parquet --stream always -o report.html",
    )
    option = partial(options.add, parser)
    option("--dev DEV", "score file to fit")
    option("--test TEST ...", "score files on which dev's thresholds are tried; may be repeated",
           action="extend", default=[])  # fmt: skip
    system_options(parser)
    option("-o/--output OUT", "HTML file to write; of one system also .json, the same sections with"
           " all their numbers", required=True)  # fmt: skip
    option("--force", "replace OUT if it exists")
    option("--target T", "what the threshold is for: far=0.01, frr=0.01, eer, or"
           " cost_fa=10,cost_fr=1 (default: far=0.01)")  # fmt: skip
    options.statistic_option(parser)
    options.interval_options(parser, "of every interval in the report")
    options.score_options(parser, "best", dev="DEV", test="TEST")


def run(arguments: argparse.Namespace) -> None:
    """Analyse, and write the page."""
    systems = named_systems(arguments)
    files = [path for one in systems for path in (one.dev, *one.tests)]
    if not systems:
        files = [path for role in ("dev", "test") for path in files_of(arguments, role)]
    ends = options.PAGE if systems else (*options.PAGE, ".json")
    options.refuse_output(arguments.output, files, force=arguments.force, ends=ends)
    level, seed = options.interval_arguments(arguments)
    askings(arguments.statistic, "statistic")
    request_of(arguments.target, level)
    if systems:
        _run_several(systems, arguments, level, seed)
        return
    tests: list[str | None] = [*arguments.test]
    tests += [None] * (arguments.test_client_file is not None)
    with ProgressBar(2 * (1 + len(tests)) + 1) as step:
        analysis = _analysis(arguments.dev, tests, arguments, step, level, seed)
        if arguments.output.lower().endswith(".json"):
            checked_target(arguments.output)
            write_whole(arguments.output, json_text(report_document(analysis)))
        else:
            analysis.to_html(arguments.output)
        step()
    say_warnings(
        [in_terms(notice.message, arguments, words=analysis.words) for notice in analysis.notices]
    )
    remark(f"wrote {visible(arguments.output)}")


def _run_several(
    systems: Sequence[SystemFiles], arguments: argparse.Namespace, level: float, seed: int
) -> None:
    """One page: which system, then every system by itself."""
    if request_of(arguments.target, level).kind == "precision":
        raise InputError.about("target")(
            "--target precision must be of one system; --system names several."
        )
    whole = len(systems) <= _WHOLE
    if not whole:
        options.refuse(arguments, _OF_WHOLE, f"stand with at most {_WHOLE} systems, whose whole"
                       f" reports are on the page; got {len(systems)}, of which it has the"
                       " thresholds", "Leave it out, or report the systems that matter."
                       )  # fmt: skip
    found: list[SystemPart] = []
    with ProgressBar(2 * sum(1 + len(one.tests) for one in systems) + 1) as step:
        for system in systems:
            if whole:
                analysis = _analysis(system.dev, system.tests, arguments, step, level, seed)
                found.append(part_of(system.name, system.tests, analysis))
            else:
                found.append(_threshold_alone(system, arguments, step, level))
        checked_target(arguments.output)
        asked = request_of(arguments.target, level)
        write_whole(arguments.output, page_of_systems(found, asked, arguments.terms, seed))
        step()
    for one in found:
        say_warnings([
            f"{one.name}: {in_terms(said, arguments, [one.name], words=one.dev.words)}"
            for said in one.warnings
        ])  # fmt: skip
    remark(f"wrote {visible(arguments.output)}")


def _threshold_alone(
    system: SystemFiles, arguments: argparse.Namespace, step: Callable[[], None], level: float
) -> SystemPart:
    """Read and decide, without the rest of a report."""
    rules = Fitting(
        arguments.family, arguments.boundary, arguments.resolution, bounds=arguments.bounds
    )  # fmt: skip
    with collected() as notices:
        (read,) = read_systems([system], arguments, step)
        with passed_on(f"{visible(system.name)}: "):
            decision, why = decision_of(read.dev, request_of(arguments.target, level), rules)
            checks = checks_of(decision, read.tests)
    step()
    said = [in_options(notice.message, arguments) for notice in notices]
    tests = list(zip(system.tests, read.tests, strict=True))
    return SystemPart(system.name, read.dev, tests, decision, checks, why, tuple(said))


def _analysis(
    dev: str | None, tests: Sequence[str | None], arguments: argparse.Namespace,
    step: Callable[[], None], level: float, seed: int,
) -> Analysis:  # fmt: skip
    """Read, choose the family, analyse; every warning as text, once.

    Without a path the scores are those of two files.
    """
    paths = [arguments.test_client_file if path is None else path for path in tests]
    if len({os.path.abspath(path) for path in paths}) < len(paths):
        raise InputError(
            f"--test must name each file once; got {shown(paths)}. Leave the second out."
        )
    names = named_files(arguments, paths)
    with collected() as notices:
        own = read_file(dev, arguments, step)
        read = [read_file(path, arguments, step, is_test=True) for path in tests]
        named = {names[path]: scores for path, scores in zip(paths, read, strict=True)}
        analyse = partial(
            analyze_stepwise, own, named, step=step, level=level, rng=seed,
            statistics=arguments.statistic, terms=arguments.terms, target=arguments.target,
        )  # fmt: skip
        chosen = arguments.family in (AUTO, BEST)
        try:
            analysis = analyse(options.fit_options_of(arguments, arguments.family))
            reason = analysis.reason if chosen else chosen_words(arguments.family)
        except FitError as error:
            if not chosen:
                raise
            why = in_options(error.sentence, arguments, error.argument)
            warn(f"no distribution fits dev, whose scores are taken as they are: {why}",
                 BetarocWarning)  # fmt: skip
            analysis = analyse(options.fit_options_of(arguments, "empirical"))
            reason = "no distribution fits dev"
    found = replace(analysis, reason=reason)
    said = [n._replace(message=in_options(n.message, arguments)) for n in notices]
    keep(found, said)
    return found
