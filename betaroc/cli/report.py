"""``betaroc report``: an HTML page on dev and on the tests."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from betaroc.cli import messages, options
from betaroc.cli.systems import SystemFiles, called_systems, chosen_words, read_systems
from betaroc.core.errors import BetarocWarning, FitError, InputError
from betaroc.core.notices import collected, keep, warn
from betaroc.core.value import fields_of
from betaroc.data.scores import ScoreData
from betaroc.decision.threshold_methods import Fitting
from betaroc.estimation.families import AUTO, BEST, Names
from betaroc.model.statistics import parse_statistics
from betaroc.rendering.files import checked_target, write_whole
from betaroc.rendering.numbers import visible
from betaroc.report.analysis import Analysis, analyze_stepwise
from betaroc.report.page import checks_of, decision_of, render_report, request_of
from betaroc.report.systems_page import System, page_of_systems

#: Up to so many systems have their whole reports on a page, of more the thresholds alone.
_WHOLE = 8


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of the command."""
    messages.examples(
        parser,
        "betaroc report --dev dev.csv --test a.csv b.csv --statistic tpr@far=0.01 -o report.html",
        "betaroc report --system mlp dev.csv eval.csv --system svm dev_b.csv -o report.html",
    )
    option = partial(options.add, parser)
    option("--dev DEV", "score file to fit")
    option("--test TEST ...", "score files on which dev's thresholds are tried; may be repeated",
           action="extend", default=[])  # fmt: skip
    option("-o/--output OUT", "HTML file to write; of one system also .json", required=True)
    option("--target T", "far=0.01 (the default), frr=0.01, eer, or cost_fa=10,cost_fr=1")
    options.shared(parser, "--force", "--system", "--systems", "--statistic", "--level", "--seed",
                   "--group")  # fmt: skip
    options.score_options(parser, "best")


def run(arguments: Namespace) -> None:
    """Analyse, and write the page."""
    systems = called_systems(arguments)
    several = bool(systems[0].name)
    files = [path for system in systems for path in system.paths]
    ends = options.PAGE if several else (*options.PAGE, ".json")
    options.check_output(arguments, "output", files, ends)
    level, seed = options.interval_arguments(arguments)
    parse_statistics(arguments.statistic, "statistic")
    request = request_of(arguments.target, level)
    if several and request.kind == "precision":
        raise InputError("--target precision must be of one system; --system names several.")
    whole = len(systems) <= _WHOLE
    if not whole:
        options.refuse(arguments, ("statistic", "tails", "tail_sizes"),
                       f"stand with at most {_WHOLE} systems, whose whole reports are on the page;"
                       f" got {len(systems)}, of which it has the thresholds")  # fmt: skip
    with messages.progress_bar(sum(2 + 2 * len(system.tests) for system in systems) + 1) as step:
        parts = [analysed(system, arguments, step, level, seed, whole=whole) for system in systems]
        analysis = parts[0].analysis
        checked_target(arguments.output)
        if several or analysis is None:
            text = page_of_systems(parts, request, arguments.terms, seed)
        elif arguments.output.lower().endswith(".json"):
            text = analysis.to_json()
        else:
            text = render_report(analysis)
        write_whole(arguments.output, text)
        step()
    for part in parts:
        start = f"{part.name}: " * several
        messages.say_warnings([start + messages.in_terms(text, arguments, part.dev.words)
                      for text in part.warnings])  # fmt: skip
    messages.remark(f"wrote {visible(arguments.output)}")


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
            names = messages.named_files(arguments, paths)
            named = {names[path]: scores for path, scores in zip(paths, tests, strict=True)}
            # A copy has no notices; those of the analysis are in the words of Python.
            analysis = replace(_whole_analysis(dev, named, arguments, step, level, seed))
            decision, why, checks = analysis.decision, analysis.no_decision, analysis.checks
        else:
            rules = Fitting(**fields_of(arguments, "family", "boundary", "resolution", "bounds"))
            decision, why = decision_of(dev, request_of(arguments.target, level), rules)
            checks = checks_of(decision, tests)
            step()
    notices = [n._replace(message=messages.in_options(n.message, arguments)) for n in notices]
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
            dev, tests, options.fit_options_of(arguments, family), step, level=level, rng=seed,
            statistics=arguments.statistic, **fields_of(arguments, "terms", "target"),
        )  # fmt: skip

    if arguments.family not in (AUTO, BEST):
        return replace(analyse(arguments.family), reason=chosen_words(arguments.family))
    try:
        return analyse(arguments.family)
    except FitError as error:
        why = messages.in_options(error.template, arguments, error.argument)
        warn(f"no distribution fits dev, whose scores are taken as they are: {why}",
             BetarocWarning)  # fmt: skip
        return replace(analyse("empirical"), reason="no distribution fits dev")
