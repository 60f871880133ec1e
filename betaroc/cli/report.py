"""``betaroc report``: an HTML page on dev and on the tests."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial

from betaroc.cli import messages, options
from betaroc.cli.judged import analysed
from betaroc.cli.systems import called_systems
from betaroc.core.errors import InputError
from betaroc.inference.of_scores import PREVALENT
from betaroc.model.statistics import parse_statistics
from betaroc.rendering.files import checked_target, write_whole
from betaroc.rendering.numbers import visible
from betaroc.report import page, systems_page

#: Up to so many systems have their whole reports on a page, of more the thresholds alone.
_WHOLE = 8


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
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
    option("--target T", f"{page.DEFAULT_TARGET} (the default), frr=0.01, precision=0.6, eer, or"
           " cost_fa=10,cost_fr=1")  # fmt: skip
    option("--prior P", "share of clients where the system will run (default: dev's)")
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
    asked = parse_statistics(arguments.statistic, "statistic")
    if arguments.prior is not None:
        prior = f"prior={arguments.prior!r}"
        arguments.target = f"{arguments.target or page.DEFAULT_TARGET},{prior}"
        arguments.statistic = [
            f"{spec},{prior}" if spec.name in PREVALENT and spec.where.prior is None else str(spec)
            for spec in asked
        ]
    request = page.request_of(arguments.target, level)
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
            text = systems_page.page_of_systems(parts, request, arguments.terms, seed)
        elif arguments.output.lower().endswith(".json"):
            text = analysis.to_json()
        else:
            text = page.render_report(analysis)
        write_whole(arguments.output, text)
        step()
    for part in parts:
        start = f"{part.name}: " * several
        messages.say_warnings([start + messages.in_terms(text, arguments, part.dev.words)
                      for text in part.warnings])  # fmt: skip
    messages.remark(f"wrote {visible(arguments.output)}")
