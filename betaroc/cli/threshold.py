"""``betaroc threshold``: one threshold for a target, and what it may be relied on for."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

from betaroc.cli import options
from betaroc.cli.messages import examples, in_terms, messages, progress_bar, say, say_warnings
from betaroc.cli.systems import called_systems, read_systems, reading_lines
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, forward_warnings
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC, RATE_NAMES, shared_words
from betaroc.data.scores import ScoreData, Scores, require_scores
from betaroc.decision.decide import GREEN, decide, decision_view
from betaroc.decision.threshold_methods import HOW, Target, checked_request, target_text
from betaroc.estimation.families import BEST
from betaroc.model.samples import empirical_model
from betaroc.rendering.document import readable
from betaroc.rendering.nouns import told_document
from betaroc.rendering.numbers import visible
from betaroc.rendering.tree import Paragraph
from betaroc.report.systems_page import System, thresholds_view


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc threshold dev.csv --far 0.01 --test eval.csv",
        "betaroc threshold dev.csv --cost-fa 10 --cost-fr 1 --prior 0.9",
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
    rare("--precision/--ppv P", "the lowest threshold with at least this precision on dev")
    option("--eer", "the threshold of the equal error rate")
    option("--youden", "the threshold of the largest TPR - FAR")
    option("--how WAY", "one of %(choices)s (default: the first possible)", choices=HOW)
    options.add(options.form_options(parser), "--print WHAT", "threshold: alone, with all digits",
                choices=("threshold",), dest="only")  # fmt: skip
    option("--strict", "exit code 1 unless the threshold can be relied on")
    rare("--dtype TYPE", "numbers of the software that gives the scores: %(choices)s",
         choices=("float64", "float32", "float16"), default="float64")  # fmt: skip
    options.shared(parser, "--system", "--systems", "--level", "--group")
    options.score_options(parser, BEST, summed=False)


def run(arguments: Namespace) -> int | None:
    """Decide, check, and say it."""
    names = ("precision", "cost_fa", "cost_fr", "prior", "eer", "youden", "how")
    level = options.interval_arguments(arguments)[0]
    asked = fields_of(arguments, *RATE_NAMES, *names) | {"confidence": level}
    request = checked_request(**asked)
    systems = called_systems(arguments, tests=(0, 1))
    several = bool(systems[0].name)
    if several and (arguments.only or request.kind == "precision"):
        option = "--print" if arguments.only else "--precision"
        raise InputError(f"{option} must be of one system; --system and --systems name several.")
    rules = fields_of(arguments, "family", "boundary", "resolution", "bounds")
    rows: list[System] = []
    with collected() as notices, progress_bar(3 * len(systems)) as step:
        for name, first, others in read_systems(systems, arguments, step):
            dev = _typed(first, "a decision", arguments.dtype)
            tests = [_typed(test, "a check", arguments.dtype) for test in others]
            with forward_warnings(f"{visible(name)}: " * several):
                decision = decide(dev, **asked, **rules)
                checks = tuple((test, decision.check(test)) for test in tests)
            rows.append(System(name, dev, decision, checks, tuple(messages(notices, arguments))))
            step()
    warned = [text for row in rows for text in row.warnings]
    words = shared_words(row.dev.words for row in rows)
    if arguments.only is not None:
        sys.stdout.write(f"{rows[0].decision.threshold!r}\n")
        say_warnings([in_terms(text, arguments, words) for text in warned])
    elif several:
        say(arguments, lambda: [{"system": row.name} | _decision_document(row) for row in rows],
            lambda: [*thresholds_view(rows), _lines_of_reading(rows)], warned, words)  # fmt: skip
    else:
        say(arguments, lambda: _decision_document(rows[0]),
            lambda: [*decision_view(rows[0].decision, rows[0].check), _lines_of_reading(rows),
                     _report_line(arguments, request)], warned, words)  # fmt: skip
    green = all(row.worst.status == GREEN for row in rows)
    return 1 if arguments.strict and not green else None


def _decision_document(row: System) -> dict[str, Any]:
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


def _lines_of_reading(rows: Sequence[System]) -> Paragraph:
    """What was read for the thresholds."""
    return reading_lines(*(
        (f"{visible(row.name)} {role}".strip(), side)
        for row in rows
        for role, side in [("dev", row.dev), *(("test", test) for test, _ in row.tests)]
    ))  # fmt: skip


def _report_line(arguments: Namespace, request: Target) -> Paragraph:
    """The command of a report on the same files for the same target, to be pasted."""
    argument = {"dev": (arguments.file or [None])[0], "test": arguments.test,
             "target": target_text(request), **fields_of(arguments, "group", "level", "terms"),
             **fields_of(arguments, *arguments.reading)}  # fmt: skip
    usual = {"target": "far=0.01", "level": options.LEVEL, "terms": BIOMETRIC, **arguments.reading}
    parts = ["betaroc report"]
    for name, value in argument.items():
        if value is None or value == usual.get(name):
            continue
        for entry in value if name in ("id", "key_id") else [value]:
            parts.append(f"--no-{name}" if entry is False else options.option_of(name))
            words = entry if isinstance(entry, list) else [entry] * (name != "header")
            parts += [quote(str(word)) for word in words]
    return Paragraph(f"{'':8}{visible(' '.join(parts))} -o report.html", "given")


def _typed(read: ScoreData, noun: str, dtype: str) -> Scores:
    """Scores as the numbers of the software that gave them."""
    scores = require_scores(read, noun, rejected=True)
    if dtype == "float64":
        return scores
    samples = {who: getattr(scores, who).astype(dtype) for who in ("client", "impostor")}
    return replace(scores, **samples, dtype=dtype)
