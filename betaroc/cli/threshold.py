"""``betaroc threshold``: one threshold for a target."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from betaroc.cli import options
from betaroc.cli.judged import decision_document, lines_of_reading, read_decided
from betaroc.cli.messages import examples, in_terms, progress_bar, say, say_warnings
from betaroc.cli.systems import called_systems
from betaroc.core import errors, value, vocabulary
from betaroc.core.notices import collected
from betaroc.decision.decide import decision_view
from betaroc.decision.threshold_methods import GREEN, HOW, checked_request
from betaroc.estimation.families import BEST
from betaroc.rendering.tree import Paragraph
from betaroc.report.systems_page import thresholds_view

_REPORT = Paragraph(f"{'':8}betaroc report --dev SCORES [--test TEST] -o report.html", "given")


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc threshold dev.csv --far 0.01 --test eval.csv",
        "betaroc threshold dev.csv --cost-fa 10 --cost-fr 1 --prior 0.9",
        "betaroc threshold dev.csv --precision 0.6 --prior 0.1",
        "betaroc threshold dev.csv --far 0.01 --print threshold",
        "betaroc threshold --far 0.01 --system mlp dev.csv --system svm dev_b.csv eval_b.csv",
    )
    option, rare = options.adders(parser)
    option("file SCORES ...", "score file of dev, or - for the standard input", nargs="*")
    option("--test TEST", "score file on which the threshold is tried")
    options.rate_options(parser)
    option("--cost-fa C", "cost of a false acceptance")
    option("--cost-fr C", "cost of a false rejection")
    option("--prior P", "share of clients where the system will run (default: dev's)")
    rare("--precision/--ppv P", "a precision that holds where the share of clients is --prior")
    option("--eer", "the threshold of the equal error rate")
    option("--youden", "the threshold of the largest TPR - FAR")
    options.over_option(parser, "the target holds for all strata pooled or the worst (default: the"
                        " worst, if there are strata)")  # fmt: skip
    option("--how WAY", "guaranteed (with --level the true rate keeps the target), average (the"
           " expected rate does), tail or model (by a fit); of costs, --eer and --precision"
           " counted (dev's own count does, no guarantee); default: the first possible",
           choices=HOW)  # fmt: skip
    options.add(options.form_options(parser), "--print WHAT", "threshold: alone, with all digits",
                choices=("threshold",), dest="only")  # fmt: skip
    option("--strict", "exit code 1 unless the threshold can be relied on")
    options.shared(parser, "--system", "--systems", "--level", "--group", "--stream")
    options.score_options(parser, BEST, summed=False)


def run(arguments: Namespace) -> int | None:
    """Decide, check, and say it."""
    names = ("precision", "cost_fa", "cost_fr", "prior", "eer", "youden", "how")
    level = options.interval_arguments(arguments)[0]
    asked = value.fields_of(arguments, *vocabulary.RATE_NAMES, *names) | {"confidence": level}
    request = checked_request(**asked)
    asked["over"] = arguments.over
    systems = called_systems(arguments, tests=(0, 1))
    several = bool(systems[0].name)
    if several and (arguments.only or request.kind == "precision"):
        option = "--print" if arguments.only else "--precision"
        raise errors.InputError(
            f"{option} must be of one system; --system and --systems name several."
        )
    with collected() as notices, progress_bar(3 * len(systems)) as step:
        rows = read_decided(systems, arguments, asked, notices, step)
    warned = [warning for row in rows for warning in row.warnings]
    words = vocabulary.shared_words(row.dev.words for row in rows)
    if arguments.only is not None:
        sys.stdout.write(f"{rows[0].decision.threshold!r}\n")
        say_warnings([in_terms(warning, arguments, words) for warning in warned])
    elif several:
        say(arguments, lambda: [{"system": row.name} | decision_document(row) for row in rows],
            lambda: [*thresholds_view(rows), lines_of_reading(rows)], warned, words)  # fmt: skip
    else:
        say(arguments, lambda: decision_document(rows[0]),
            lambda: [*decision_view(rows[0].decision, rows[0].check), lines_of_reading(rows),
                     _REPORT], warned, words)  # fmt: skip
    green = all(row.worst.status == GREEN for row in rows)
    return 1 if arguments.strict and not green else None
