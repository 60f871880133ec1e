"""``betaroc fit``: both classes of a score file, fitted and described."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from betaroc.cli import options
from betaroc.cli.messages import examples, messages, progress_bar, say, say_warnings
from betaroc.cli.systems import (
    SystemFiles,
    called_systems,
    chosen_words,
    read_systems,
    reading_lines,
)
from betaroc.core import tables, vocabulary
from betaroc.core.notices import collected
from betaroc.data.scores import check_words_of_comparisons
from betaroc.data.summary import file_words
from betaroc.fits.fit import fit
from betaroc.model.statistics import parse_statistics
from betaroc.rendering.numbers import counted, visible
from betaroc.rendering.tree import Grid, Node, Section
from betaroc.report.analysis import Judge, fit_document, fitted_set, system_document
from betaroc.report.sections import fit_view, systems_section

#: What tells more of a system than a row.
_OF_EACH = ("check", "statistic", "level", "seed", "group")


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc fit dev.csv --statistic tpr@far=0.01 --statistic eer",
        "betaroc fit dev.csv --family best --check",
        "betaroc fit attacks.csv --stratum species --by stratum --html species.html",
        "betaroc fit scores.tsv --label class --client-label genuine --family beta,beta-mixture",
    )
    options.add(parser, "file SCORES ...", "score file, or - for the standard input; each of"
                " several is a system", nargs="*")  # fmt: skip
    options.form_options(parser)
    options.add(parser, "--by WHAT", "stratum: fit each stratum by itself", choices=("stratum",))
    options.add(parser, "--check", "also check the fit, compare the families and audit the ends")
    options.shared(parser, "--system", "--systems", "--statistic", "--level", "--seed", "--group",
                   "--html", "--force")  # fmt: skip
    options.score_options(parser, "auto", test=False)


def run(arguments: Namespace) -> None:
    """Fit, and say it."""
    systems = called_systems(arguments, one_per_file=True)
    several = bool(systems[0].name)
    if arguments.by is not None:
        _fit_strata(arguments, systems)
        return
    options.refuse(arguments, ("html", "force"), "stand beside --by stratum, whose page it is",
                   "Add it, or see betaroc report.")  # fmt: skip
    if several and (arguments.csv or arguments.latex):
        options.refuse(arguments, _OF_EACH, f"stand without --csv and --latex beside {len(systems)}"
                       " systems, whose table has no such columns",
                       "Take --json, or the text.")  # fmt: skip
    in_full = not several or bool(options.given_options(arguments, _OF_EACH))
    level, seed = options.interval_arguments(arguments)
    asked = parse_statistics(arguments.statistic, "statistic")
    judge = Judge(level, seed, checks=arguments.check, asked=asked) if in_full else None
    rules = options.fit_options_of(arguments, arguments.family)
    parts, documents = [], []
    with collected() as notices, progress_bar(2 * len(systems)) as step:
        for name, read, _ in read_systems(systems, arguments, step, tests=False):
            for stat in arguments.statistic:
                check_words_of_comparisons(stat, read)
            part = fitted_set("scores", read, rules, judge, prefix=f"{visible(name)}: " * several)
            reason = (part.fit and part.fit.reason) or chosen_words(arguments.family)
            document = {"system": name} if several else {}
            document |= (fit_document(part, reason) if in_full
                         else system_document(name, part, reason, options.LEVEL))  # fmt: skip
            parts.append((name, part, reason))
            documents.append(document | {"warnings": messages(notices, arguments)})
            step()

    def tree() -> list[Node]:
        if not in_full:
            read = reading_lines(*((visible(name), part.given) for name, part, _ in parts))
            return systems_section(documents, read)
        fitted = parts[0][1].fit
        if fitted is not None and (arguments.csv or arguments.latex):
            return [Grid((), (), kept=tables.listed_columns(fitted.to_frame()))]
        views = {name: fit_view(part, why, seed) for name, part, why in parts}
        if not several:
            return [*views[""]]
        return [Section(visible(name), (*view,)) for name, view in views.items()]

    tests = sum(len(system.tests) for system in systems)
    say_warnings([f"fit reads dev alone; {counted(tests, 'test file')} not read"] * bool(tests))
    say(arguments, lambda: documents if several else documents[0], tree,
        [text for document in documents for text in document["warnings"]],
        vocabulary.shared_words(part.given.words for _, part, _ in parts))  # fmt: skip


def _fit_strata(arguments: Namespace, systems: Sequence[SystemFiles]) -> None:
    if len(systems) > 1:
        options.refuse(arguments, ("by",), f"be of one system; the call has {len(systems)}",
                       "Name one file.")  # fmt: skip
    options.refuse(arguments, _OF_EACH[:-1], "stand without --by, whose table has no such columns")
    if arguments.html is not None:
        options.check_output(arguments, "html", systems[0].paths, options.PAGE)
    with collected() as notices, progress_bar(2) as step:
        ((_, read, _),) = read_systems(systems, arguments, step, tests=False)
        fits = fit(read, **options.fit_options_of(arguments, arguments.family), by="stratum")
        step()
    warned = messages(notices, arguments)
    rows = tables.listed_columns(fits.to_frame())
    say(arguments, lambda: {
        "strata": [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)],
        "reason": fits.fits[0].reason, "warnings": warned,
    }, fits._view, warned, read.words, about=[file_words("scores", read)],
        page=("strata", "Fits", "Which stratum makes the curve?"))  # fmt: skip
