"""``betaroc threshold``: one threshold for a target, and what it may be relied on for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from shlex import quote

from betaroc.cli import options
from betaroc.cli.inputs import files_of, read_file
from betaroc.cli.messages import ProgressBar, examples, in_terms, messages, say, say_warnings
from betaroc.cli.systems import named_systems, system_options
from betaroc.cli.systems_thresholds import decision_document, run_systems, typed
from betaroc.core.errors import InputError
from betaroc.core.local_files import STDIN
from betaroc.core.notices import collected, passed_on
from betaroc.core.terms import BIOMETRIC
from betaroc.core.text import RATE_NAMES, listed
from betaroc.core.value import fields_of
from betaroc.decision.decide import checked_request, decide
from betaroc.decision.decision_view import decision_view
from betaroc.decision.status import GREEN
from betaroc.decision.ways import HOW
from betaroc.estimation.families import BEST
from betaroc.rendering.numbers import visible
from betaroc.rendering.tree import Words
from betaroc.report.intervals import read_words
from betaroc.report.record import target_text


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc threshold dev.csv --far 0.01 --test eval.csv",
        "betaroc threshold dev.csv --frr 0.05 --how average",
        "betaroc threshold dev.csv --cost-fa 10 --cost-fr 1 --prior 0.9",
        "betaroc threshold dev.csv --far 0.01 --print threshold",
        "betaroc threshold --far 0.01 --system mlp dev.csv eval.csv"
        " --system svm dev_b.csv eval_b.csv",
    )
    option, rare = partial(options.add, parser), partial(options.add, options.further(parser))
    option("file SCORES ...", "score file of dev, which the threshold is chosen on; - is the"
           " standard input", nargs="*")  # fmt: skip
    option("--test TEST", "score file on which the threshold is tried")
    system_options(parser)
    options.rate_options(parser)
    option("--cost-fa C", "cost of a false acceptance")
    option("--cost-fr C", "cost of a false rejection")
    option("--prior P", "share of clients where the system will run (default: dev's)")
    rare("--precision/--ppv P", "the lowest threshold with at least this precision on dev")
    option("--eer", "the threshold of the equal error rate")
    option("--youden", "the threshold of the largest TPR - FAR")
    option("--how WAY", "guaranteed, average, tail or model; of costs and the EER counted or model"
           " (default: the first possible)", choices=HOW)  # fmt: skip
    options.level_option(parser, "of the guarantee and of all intervals", "confidence")
    form = options.form_options(parser, "per way to choose")
    options.add(form, "--print WHAT", "threshold: alone, with all digits",
                choices=("threshold",), dest="only")  # fmt: skip
    option("--strict", "exit code 1 unless the threshold can be relied on")
    rare("--dtype TYPE",
        "float64, float32 or float16: numbers of the software that gives the scores; a file's"
        " decimals are read as the nearest, and Deploy is the next above (default: %(default)s)",
        choices=("float64", "float32", "float16"), default="float64")  # fmt: skip
    options.group_option(options.further(parser), "the guarantee and intervals allow for it")
    options.score_options(parser, BEST, summed=False, dev="SCORES", test="TEST")
    parser.set_defaults(confidence=options.LEVEL)


def run(arguments: argparse.Namespace) -> int | None:
    """Decide, check, and say it."""
    names = ("precision", "cost_fa", "cost_fr", "prior", "eer", "youden", "how", "confidence")
    asked = fields_of(arguments, *RATE_NAMES, *names)
    request = checked_request(**asked)
    _refuse_several_files(arguments)
    systems = named_systems(arguments, tests=(0, 1))
    if systems and request.kind == "precision":
        raise InputError("--precision must be of one system; --system names several.")
    if systems:
        return run_systems(systems, arguments, request)
    files = {role: files_of(arguments, role) for role in ("dev", "test")}
    _refuse_the_same_file(files)
    rules = fields_of(arguments, "family", "boundary", "resolution", "bounds")
    with collected() as notices, ProgressBar(2) as step:
        with passed_on("dev: " if files["test"] else ""):
            dev = typed(read_file(arguments.file, arguments, step), "a decision", arguments)
        test = None
        if files["test"]:
            with passed_on("test: "):
                read = read_file(arguments.test, arguments, step, is_test=True)
                test = typed(read, "a check", arguments)
        decision = decide(dev, **asked, **rules)
        check = None if test is None else decision.check(test)
    warned = messages(notices, arguments)
    if arguments.only is not None:
        sys.stdout.write(f"{decision.threshold!r}\n")
        say_warnings([in_terms(text, arguments, words=dev.words) for text in warned])
    else:
        read_lines = [read_words("dev", dev)] + ([] if test is None else [read_words("test", test)])
        beside = [Words("\n".join(read_lines), "given"), _report(arguments, target_text(request))]
        say(
            arguments,
            lambda: decision_document(decision, check, dev, warned),
            lambda: [*decision_view(decision, check), *beside],
            warned,
            dev.words or (),
            dev.words,
        )
    status = decision.status if check is None else check.status
    return 1 if arguments.strict and status != GREEN else None


def _refuse_several_files(arguments: argparse.Namespace) -> None:
    """One file without an option, which is dev's."""
    files = arguments.file
    if len(files) > 1:
        first, second = (visible(quote(path)) for path in files[:2])
        raise InputError(
            f"SCORES must be one file, dev's; got {len(files)}: {listed(files)}. Name a test by"
            f" --test {second}, several systems by --system NAME {first} --system NAME {second},"
            f" the file of each class by --client-file {first} --impostor-file {second}."
        )
    arguments.file = files[0] if files else None


def _refuse_the_same_file(files: Mapping[str, Sequence[str]]) -> None:
    for path, other in product(files["dev"], files["test"]):
        if path == other == STDIN or options.is_same_file(path, other):
            raise InputError(
                "--test must be another file than dev's: a threshold looks better on the scores"
                " that chose it. Name trials that took no part in choosing it, or leave --test out."
            )


def _report(arguments: argparse.Namespace, target: str) -> Words:
    """The command of a report on the same files for the same target, to be pasted."""
    given = {"dev": arguments.file, "test": arguments.test, "target": target,
             "group": arguments.group, "level": arguments.confidence}  # fmt: skip
    usual = {"target": "far=0.01", "level": options.LEVEL, "terms": BIOMETRIC, **arguments.reading}
    given |= {name: getattr(arguments, name) for name in ("terms", *arguments.reading)}
    parts = ["betaroc report"]
    for name, value in given.items():
        values = value if isinstance(value, list | tuple) else [value]
        words = " ".join(visible(quote(str(one))) for one in values)
        if name == "header" and value is not None:
            parts.append("--header" if value else "--no-header")
        elif name in ("id", "key_id"):
            parts += [f"{options.option_of(name)} {visible(quote(one))}" for one in value or ()]
        elif value != usual.get(name):
            parts.append(f"{options.option_of(name)} {words}")
    return Words(f"{'':8}{' '.join(parts)} -o report.html", "given")
