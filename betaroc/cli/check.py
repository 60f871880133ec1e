"""``betaroc check``: new scores against a decision, as a gate."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from betaroc.cli import options
from betaroc.cli.messages import examples, messages, say
from betaroc.cli.systems import files_of, read_file, reading_lines
from betaroc.core import checks, errors, local_files
from betaroc.core.notices import collected
from betaroc.core.thresholds import mirror
from betaroc.core.vocabulary import RATE_NAMES, template_of
from betaroc.data.labels import of_one_class
from betaroc.decision.decide import Decision
from betaroc.decision.monitor import Monitor, monitor_view
from betaroc.decision.threshold_methods import counted_rates
from betaroc.rendering import files, nouns, tree
from betaroc.report.documents import from_json


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc check decision.json eval.csv --strict --state monitor.json",
        "betaroc check decision.json eval.csv --far 0.02 --markdown summary.md",
    )
    option, _ = options.adders(parser)
    option("decision DECISION", "what betaroc threshold --json or to_json wrote")
    option("file SCORES", "score file of new trials, or -", nargs="?")
    option("--state FILE", "file of the evidence so far, which goes on and is written anew")
    option(
        "--strict", "exit code 1 on an alarm; without --state also if this file breaks the limit"
    )
    option("--markdown FILE", "file to which a summary is added, such as $GITHUB_STEP_SUMMARY")
    options.rate_options(parser)
    options.form_options(parser)
    options.shared(parser, "--group")
    options.score_options(parser, None, test=False)


def run(arguments: Namespace) -> int | None:
    """Read, count, keep the state, and say it."""
    place = arguments.state
    for target in filter(None, (place, arguments.markdown)):
        files.checked_target(target)
    decision = _value_of(arguments.decision, Decision, "DECISION")
    state = _value_of(place, Monitor, "--state") if place and os.path.exists(place) else None
    with collected() as notices:
        before = decision.monitor(state, **{k: getattr(arguments, k) for k in RATE_NAMES})
        test = of_one_class(lambda: read_file(files_of(arguments, "dev")[0], arguments, bool))
        monitor = before.update(test)
        complete = test.n_client and test.n_impostor and monitor.limit == decision.rate
        check = decision.check(test) if complete else None
    at = mirror(monitor.threshold, monitor.lower_is_client)
    parts = counted_rates(test, monitor.target, [at], monitor.confidence)
    share, low, high = (float(part[0]) for part in parts)
    broken = low > monitor.limit or (check is not None and check.verdict == "broken")
    look = "The state counts every trial once, in whatever number of files and looks."
    if place is None:
        look = "One look, at this file alone: no state is named that knows of files before."
    elif monitor is before:
        look = "All trials of this file are counted already: the state stays as it is."
    else:
        monitor.to_json(place)
    warned = messages(notices, arguments)

    def view() -> list[tree.Node]:
        row = tree.Row(("this file", tree.rate_cell(share, low, high, "no interval")))
        colour = ("bad" if place is None else "warn") * broken
        nodes = [*monitor_view(monitor, row, broken=colour), tree.Paragraph(look)]
        if check is not None:
            why = template_of(check.reason) if check.verdict == "broken" else ""
            nodes.append(tree.Paragraph(f"{check.verdict}. {why}", lead="The target on this file:"))
        return [*nodes, reading_lines(("new", test))]

    answer = monitor.metrics() | {"file": {"rate": share, "low": low, "high": high}, "look": look}
    answer |= monitor._derived() | {"verdict": check and check.verdict, "warnings": warned}
    say(arguments, lambda: nouns.told_document(monitor, answer), view, warned, decision.words)
    return 1 if arguments.strict and (monitor.alarm or (place is None and broken)) else None


def _value_of(path: str, kind: type, option: str) -> Any:
    """What a JSON file holds, or an error that names it."""
    local_files.regular_file(path, option, "Name a file that betaroc wrote.")
    try:
        return checks.instance(from_json(path), kind, "it", "betaroc")
    except errors.BetarocError as error:
        raise error.reworded(f"{option}: {error.template}") from error
