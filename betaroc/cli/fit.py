"""``betaroc fit``: both classes of a score file, fitted and described."""

from __future__ import annotations

import argparse
from functools import partial

from betaroc.cli import options
from betaroc.cli.inputs import chosen_words, files_of, read_file
from betaroc.cli.messages import ProgressBar, examples, messages, say, say_warnings
from betaroc.cli.systems import (
    SystemFiles,
    checked_systems,
    default_names,
    named_systems,
    read_systems,
    reading_words,
    system_options,
)
from betaroc.core.class_words import shared_words
from betaroc.core.notices import collected
from betaroc.core.tables import listed_columns
from betaroc.data.scores import refuse_words_of_comparisons
from betaroc.model.asking import askings
from betaroc.rendering.numbers import counted, visible
from betaroc.rendering.tree import Grid, Node, Section
from betaroc.report.analysis import Judge, fitted_set
from betaroc.report.numbers import fit_document, system_document
from betaroc.report.sections import fit_view, systems_view

#: What tells more of a system than a row.
_OF_EACH = ("check", "statistic", "level", "seed", "group")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc fit dev.csv",
        "betaroc fit dev.csv dev_b.csv",
        "betaroc fit dev.csv --statistic tpr@far=0.01 --statistic eer",
        "betaroc fit dev.csv --family best --check",
        "betaroc fit dev.csv --family beta,beta-mixture",
        "betaroc fit scores.tsv --label class --client-label genuine --family normal",
    )
    option = partial(options.add, parser)
    option("file SCORES ...", "score file; - is the standard input; of several files each is a"
        " system, called by what tells their paths apart", nargs="*")  # fmt: skip
    system_options(parser)
    options.form_options(
        parser, "per class and parameter; of several systems, per system and class"
    )
    option("--check", "also check the fit by simulation, compare the families and audit the"
        " ends")  # fmt: skip
    options.statistic_option(parser)
    options.interval_options(parser, "of every interval")
    options.score_options(parser, "auto", dev="SCORES")


def run(arguments: argparse.Namespace) -> None:
    """Fit, and say it."""
    systems, in_full = _systems(arguments)
    level, seed = options.interval_arguments(arguments)
    asked = askings(arguments.statistic, "statistic")
    judge = Judge(level, seed, checks=arguments.check, asked=asked) if in_full else None
    rules = options.fit_options_of(arguments, arguments.family)
    parts, documents, warned = [], [], []
    with collected() as notices, ProgressBar(2 * (len(systems) or 1)) as step:
        for name, read, _ in (
            read_systems(systems, arguments, step, tests=False) if systems
            else [("", read_file(arguments.file, arguments, step), ())]
        ):  # fmt: skip
            for stat in arguments.statistic:
                refuse_words_of_comparisons(stat, read)
            prefix = f"{visible(name)}: " if name else ""
            part = fitted_set("scores", read, rules, judge, prefix=prefix)
            reason = (part.fit and part.fit.reason) or chosen_words(arguments.family)
            own = messages(notices, arguments)
            document = {"system": name} | fit_document(part, reason) if in_full else (
                system_document(name, part, reason, options.LEVEL))  # fmt: skip
            parts.append((name, part, reason))
            documents.append(document | {"warnings": own})
            warned += own
            step()
    if not systems:
        del documents[0]["system"]

    def tree() -> list[Node]:
        if not in_full:
            read = reading_words((name, part.given) for name, part, _ in parts)
            return systems_view(documents, read)
        fitted = parts[0][1].fit
        if fitted is not None and (arguments.csv or arguments.latex):
            return [Grid((), (), kept=listed_columns(fitted.to_frame()))]
        views = [(name, fit_view(part, why, level, seed)) for name, part, why in parts]
        return [Section(visible(name), (*view,)) for name, view in views] if systems else [
            *views[0][1]]  # fmt: skip

    tests = sum(len(system.tests) for system in systems)
    say_warnings([f"fit reads dev alone; {counted(tests, 'test file')} not read"] * bool(tests))
    names = [system.name for system in systems]
    say(arguments, lambda: documents if systems else documents[0], tree, warned, names,
        shared_words(part.given.words for _, part, _ in parts))  # fmt: skip


def _systems(arguments: argparse.Namespace) -> tuple[list[SystemFiles], bool]:
    """The systems, none where the call is of one file, and whether each is told in full."""
    systems = named_systems(arguments)
    if not systems:
        files = files_of(arguments, "dev")
        if len(arguments.file) < 2:
            arguments.file = arguments.file[0] if arguments.file else None
            return [], True
        systems = checked_systems(list(map(SystemFiles, default_names(files), files)))
    if arguments.csv or arguments.latex:
        options.refuse(arguments, _OF_EACH, f"stand without --csv and --latex beside {len(systems)}"
                       " systems, whose table has no such columns",
                       "Take --json, or the text.")  # fmt: skip
    return systems, bool(options.given_options(arguments, _OF_EACH))
