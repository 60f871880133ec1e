"""``betaroc threshold``: one threshold for a target, and what it may be relied on for."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from shlex import quote
from typing import Any

from betaroc.cli.inputs import files_of, option_of_guess, read_file
from betaroc.cli.messages import (
    ProgressBar,
    examples,
    in_terms,
    messages,
    named_files,
    say,
    say_warnings,
)
from betaroc.cli.options import (
    LEVEL,
    bounds_option,
    form_options,
    level_option,
    rate_options,
    score_options,
    terms_option,
)
from betaroc.cli.systems import named_systems, system_options
from betaroc.cli.systems_thresholds import (
    decision_document,
    run_systems,
    typed,
)
from betaroc.core.class_words import ClassWords
from betaroc.core.errors import InputError
from betaroc.core.local_files import STDIN
from betaroc.core.notices import collected, passed_on
from betaroc.core.text import RATE_NAMES, listed, number
from betaroc.core.value import fields_of
from betaroc.data.scores import Scores
from betaroc.decision.decide import checked_request, decide
from betaroc.decision.decision_view import decision_view
from betaroc.decision.status import GREEN
from betaroc.decision.ways import HOW
from betaroc.estimation.families import BEST
from betaroc.rendering.numbers import read_as, spaced, visible
from betaroc.rendering.tree import Words
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
    option = parser.add_argument
    option("file", nargs="*", metavar="SCORES",
        help="score file of dev, which the threshold is chosen on; - is the standard"
        " input")  # fmt: skip
    system_options(parser)
    rate_options(parser)
    option("--cost-fa", type=number, metavar="C", help="cost of a false acceptance")
    option("--cost-fr", type=number, metavar="C", help="cost of a false rejection")
    option("--prior", type=number, metavar="P",
        help="share of clients where the system will run (default: dev's)")  # fmt: skip
    option("--eer", action="store_true", help="the threshold of the equal error rate")
    option("--youden", action="store_true", help="the threshold of the largest TPR - FAR")
    option("--how", choices=HOW, metavar="WAY",
        help="guaranteed, average, tail or model; of costs and the EER counted or model (default:"
        " the first that is possible)")  # fmt: skip
    level_option(parser, "of the guarantee and of all intervals", "confidence")
    option("--test", metavar="TEST", help="score file on which the threshold is tried")
    option("--dtype", choices=("float64", "float32", "float16"), default="float64",
        help="numbers of the software that gives the scores: a file's decimals are read as the"
        " nearest of them, and Deploy is the next above (default: %(default)s)")  # fmt: skip
    option("--group", nargs="+", metavar="COLUMN",
        help="one or two columns of groups of trials that depend on each other")  # fmt: skip
    form = form_options(parser, "a way to choose")
    form.add_argument("--print", choices=("threshold",), dest="only",
        help="the threshold alone, with all its digits")  # fmt: skip
    option("--strict", action="store_true",
        help="exit code 1 unless the threshold can be relied on")  # fmt: skip
    terms_option(parser)
    bounds_option(parser)
    score_options(parser, BEST, stream=False, dev="SCORES", test="TEST")
    parser.set_defaults(stream="never", confidence=LEVEL)


def run(arguments: argparse.Namespace) -> int | None:
    """Decide, check, and say it."""
    names = ("cost_fa", "cost_fr", "prior", "eer", "youden", "how", "confidence")
    asked = fields_of(arguments, *RATE_NAMES, *names)
    request = checked_request(**asked)
    _refuse_several_files(arguments)
    systems = named_systems(arguments, tests=(0, 1))
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
    told = named_files(arguments)
    called = {role: [visible(told[path]) for path in paths] for role, paths in files.items()}
    status = decision.status if check is None else check.status
    code = 1 if arguments.strict and status != GREEN else None
    said = messages(notices, arguments)
    warned = [in_terms(one, arguments, words=dev.words) for one in said]
    if arguments.only is not None and not arguments.json:
        sys.stdout.write(f"{decision.threshold!r}\n")
        say_warnings(warned)
        return code
    say(
        arguments,
        lambda: decision_document(decision, check, dev, said),
        lambda: [
            *decision_view(decision, check),
            Words("\n".join(_read(dev, test, arguments, called)), "given"),
            _command(arguments, target_text(request)),
        ],
        warned,
        [*named_files(arguments).values(), *(dev.words or ())],
    )
    return code


def _refuse_several_files(arguments: argparse.Namespace) -> None:
    """One file without an option, which is dev's."""
    files = arguments.file
    if len(files) > 1:
        first, second = (visible(quote(path)) for path in files[:2])
        if len(files) == 2 and all(map(_is_one_column, files)):
            raise InputError(
                "SCORES must be one file, of both classes; got two of one column without labels."
                f" Name the file of each class: --client-file {first} --impostor-file {second}, or"
                " the other way round."
            )
        raise InputError(
            f"SCORES must be one file, dev's; got {len(files)}: {listed(files)}. Name a test by"
            f" --test {second}, or several systems by --system NAME {first} --system NAME {second}."
        )
    arguments.file = files[0] if files else None


def _is_one_column(path: str) -> bool:
    """Whether the first line of a text file is a number alone."""
    with suppress(OSError, ValueError):
        if Path(path).is_file():  # a FIFO would wait
            with Path(path).open(encoding="utf-8") as text:
                return math.isfinite(number(text.readline(100)))
    return False


def _refuse_the_same_file(files: Mapping[str, Sequence[str]]) -> None:
    for path, other in product(files["dev"], files["test"]):
        same = path == other == STDIN
        with suppress(OSError):  # of a file that is not there: said where it is read
            same = same or os.path.samefile(path, other)
        if same:
            raise InputError(
                "--test must be another file than dev's: a threshold looks better on the scores"
                " that chose it. Name trials that took no part in choosing it, or leave --test out."
            )


def _read(
    dev: Scores, test: Scores | None, arguments: argparse.Namespace,
    names: Mapping[str, Sequence[str]],
) -> list[str]:  # fmt: skip
    """The files, the columns, and which label is the client's."""
    words = dev.words or ClassWords()
    own = (
        f"{', '.join(names['dev'])}"
        f" {words.counted('client', dev.n_client, spaced(dev.n_client))},"
        f" {words.counted('impostor', dev.n_impostor, spaced(dev.n_impostor))}"
    )
    if test is not None:
        own += f"; {', '.join(names['test'])} {spaced(test.n_client)}, {spaced(test.n_impostor)}"
    form = "" if dev.source is None else dev.source.format
    guessed = None if dev.source is None else dev.source.guessed
    told = read_as(form)
    if form.startswith(("csv", "tsv", "text", "jsonl", "parquet", "arrow")):
        named = dict(one.split("=", 1) for one in dev.source.guesses) if dev.source else {}
        labels = arguments.identities or [named.get("label", arguments.label)]
        score = named.get("score", arguments.score)
        told = f"columns {', '.join(map(visible, [score, *labels]))}"
        if dev.words is not None:
            told += f'; label "{dev.words.client}" = client'
        told += " (guessed: --client-label)" * (guessed is not None)
    read = [own, told]
    for role, scores in (("", dev), ("test: ", test)):
        source = None if scores is None else scores.source
        if source is not None and source.guesses:
            read.append(f"{role}guessed: {visible(' '.join(map(option_of_guess, source.guesses)))}")
        if scores is not None and scores.has_rejected:
            read.append(f"{role}{scores._rejected_words()}")
    return read


def _command(arguments: argparse.Namespace, target: str) -> Words:
    """The report of the same files for the same target, to be pasted."""
    given = {"dev": arguments.file, "test": arguments.test, "target": target}
    given |= {"group": arguments.group, "level": arguments.confidence}
    usual: dict[str, Any] = {"target": "far=0.01", "level": LEVEL}
    parser = argparse.ArgumentParser(add_help=False)
    score_options(parser, BEST, stream=False, dev="DEV", test="TEST")
    bounds_option(parser)
    terms_option(parser)
    for action in parser._actions:
        given[action.dest] = getattr(arguments, action.dest)
        usual[action.dest] = action.default
    given["header"] = None
    parts = [] if arguments.header is None else ["--header" if arguments.header else "--no-header"]
    for name, value in given.items():
        if value is not None and value != usual.get(name):
            words = value if isinstance(value, list | tuple) else [value]
            option, quoted = f"--{name.replace('_', '-')}", [visible(quote(str(w))) for w in words]
            parts += [f"{option} {w}" for w in quoted] if name == "id" else [
                f"{option} {' '.join(quoted)}"
            ]  # fmt: skip
    lines = ["betaroc report"]
    for part in [*parts, "-o report.html"]:
        if len(lines[-1]) + len(part) > 69:
            lines[-1] += " \\"
            lines.append(f"  {part}")
        else:
            lines[-1] += f" {part}"
    return Words("\n".join(f"{'':8}{line}" for line in lines), "given")
