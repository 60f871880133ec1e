"""``betaroc ensemble``: which classifiers join an ensemble, and why."""

from __future__ import annotations

import argparse
from functools import partial

from betaroc.cli import options
from betaroc.cli.classifiers import inclusion_of_files
from betaroc.cli.messages import ProgressBar, examples, messages, say
from betaroc.core.notices import collected
from betaroc.core.value import fields_of
from betaroc.ensemble.inclusion_view import inclusion_numbers, inclusion_page
from betaroc.rendering.files import write_whole
from betaroc.rendering.numbers import path_words, read_as
from betaroc.rendering.picture_files import save_picture
from betaroc.rendering.tree import Words, apart


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc ensemble table.csv --systems cnn svm lr --region 0 0.1 -o ensemble.svg",
        "betaroc ensemble cnn.csv svm.csv --name cnn svm --html ensemble.html",
    )
    option, rare = partial(options.add, parser), partial(options.add, options.further(parser))
    option("files FILE ...", "one table with one column per classifier, or one score file per"
           " classifier, the same trials in one order")  # fmt: skip
    option("--systems COLUMN ...", "columns of the classifiers (default: all numeric ones beside"
           " the labels)", action="extend")  # fmt: skip
    option("--name NAME ...", "names of the classifiers of several files", action="extend")
    option("--dev DEV ...", "other trials, given alike, on which weights and thresholds of the"
           " fused scores are learned (default: other folds)",
           action="extend", default=[])  # fmt: skip
    option("--region LOW HIGH", "FARs that matter (default: 0 1)", default=[0.0, 1.0])
    rare("--folds K", "folds (default: %(default)s)", default=5)
    rare("--ends R", "largest target of the low-FAR and of the high-FAR end (default: %(default)s)",
         default=0.1)  # fmt: skip
    option("--omit-missing", "leave out rows of a table that lack a score")
    options.level_option(parser, "of verdicts and intervals")
    rare("--seed N", "seed by which trials are dealt to folds (default: in turn)")
    options.group_option(options.further(parser), "intervals and folds allow for it")
    option("--json", "one JSON document on standard output")
    options.picture_options(parser)
    option("--html FILE", "self-contained page to write, .html")
    options.score_options(parser, "auto", summed=False, bounds=False)


def run(arguments: argparse.Namespace) -> None:
    """Judge the classifiers, and say or draw it."""
    inputs = [*arguments.files, *arguments.dev]
    options.checked_picture(arguments, inputs)
    if arguments.html is not None:
        options.refuse_output(arguments.html, inputs, force=arguments.force, option="--html",
                              ends=options.PAGE)  # fmt: skip
    with collected() as notices, ProgressBar(3) as step:
        result, words, sources = inclusion_of_files(arguments, step)
        if arguments.output is not None:
            save_picture(lambda: result.plot(terms=arguments.terms).axes[0], arguments.output)
        step()
    warned = messages(notices, arguments)
    read = [
        f"{path_words(one.path)} ({read_as(one.format, one.guessed, one.guesses)})"
        for one in sources
    ]
    if arguments.html is not None:
        page = inclusion_page(result, read=read, words=words, terms=arguments.terms)
        write_whole(arguments.html, page)
    names = ("path", "format", "guessed", "guesses")
    beside = {"seed": arguments.seed, "read": [fields_of(one, *names) for one in sources],
              "warnings": warned}  # fmt: skip
    say(
        arguments,
        lambda: inclusion_numbers(result) | beside,
        lambda: [*apart(Words("\n".join(read), "given")), *result._view()],
        warned,
        result.names,
        words,
    )
