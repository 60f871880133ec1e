"""``betaroc ensemble``: which classifiers join an ensemble, and why."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from betaroc.cli import options, systems
from betaroc.cli.messages import examples, messages, progress_bar, say
from betaroc.core import value, vocabulary
from betaroc.core.local_files import shown_path
from betaroc.core.notices import collected
from betaroc.data.labels import DROP
from betaroc.ensemble.choice import BEST_SET, SMALLEST
from betaroc.ensemble.inclusion import inclusion, inclusion_numbers, inclusion_page
from betaroc.ensemble.learned import MATTERS
from betaroc.rendering import files, tree
from betaroc.rendering.numbers import read_as

_TARGET = (*vocabulary.RATE_NAMES, "cost_fa", "cost_fr", "prior")


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc ensemble table.csv --systems cnn svm lr --region 0 0.1 -o ensemble.svg",
        "betaroc ensemble cnn.csv svm.csv --name cnn svm --html ensemble.html",
    )
    option, rare = options.adders(parser)
    option("files FILE ...", "a table with a column per classifier, or a score file per classifier")
    option("--systems COLUMN ...", "columns of the classifiers (default: all numeric ones)",
           action="extend")  # fmt: skip
    option("--name NAME ...", "names of the classifiers of several files", action="extend")
    option("--dev DEV ...", "other trials, on which the fusion is learned (default: other folds)",
           action="extend", default=[])  # fmt: skip
    option("--region LOW HIGH", "FARs that matter (default: 0 1)", default=[0.0, 1.0])
    options.rate_options(parser)
    option("--cost-fa C", "cost of a false acceptance; the set is then chosen for its threshold")
    option("--cost-fr C", "cost of a false rejection")
    option("--prior P", "share of clients where the system will run (default: that of the trials)")
    option("--margin R", "what the smallest set may lose of AUC, or of the cost (default: .005)",
           default=MATTERS)  # fmt: skip
    rare("--selection WAY", "smallest set, or the best out of folds: one of %(choices)s",
         choices=(SMALLEST, BEST_SET), default=SMALLEST)  # fmt: skip
    rare("--folds K", "folds (default: %(default)s)", default=5)
    rare("--seed N", "seed by which trials are dealt to folds (default: in turn)")
    options.shared(parser, "--level", "--group", "--json", "-o", "--force", "--html")
    options.score_options(parser, "auto", dev=False, test=False, summed=False, bounds=False)


def run(arguments: Namespace) -> None:
    """Judge the classifiers, and say or draw it."""
    inputs = [*arguments.files, *arguments.dev]
    options.check_picture(arguments, inputs)
    if arguments.html is not None:
        options.check_output(arguments, "html", inputs, options.PAGE)
    level, seed = options.interval_arguments(arguments)
    table = len(arguments.files) == 1
    with collected() as notices, progress_bar(3) as step:
        sides = systems.read_classifiers(arguments)
        step()
        result = inclusion(
            sides[0].scores, label=systems.LABEL, dev=sides[1].scores if arguments.dev else None,
            region=tuple(arguments.region), level=level,
            **value.fields_of(arguments, "systems", "family", "boundary", "resolution", "folds",
                              "selection", "margin", *_TARGET),
            rng=None if arguments.seed is None else seed,
            nan_policy="omit" if table and arguments.missing == DROP else "raise",
            group=systems.columns(arguments.group) if table else None,
        )  # fmt: skip
        step()
        if arguments.output is not None:
            files.save_picture(lambda: result.plot(terms=arguments.terms).axes[0], arguments.output)
        step()
    warned = messages(notices, arguments)
    words = vocabulary.shared_words(word for side in sides for word in side.words)
    sources = [source for side in sides for source in side.sources]
    read = [f"{shown_path(source.path)} ({read_as(source.format, source.guessed, source.guesses)})"
            for source in sources]  # fmt: skip
    if arguments.html is not None:
        page = inclusion_page(result, read=read, words=words, terms=arguments.terms)
        files.write_whole(arguments.html, page)
    readings = [value.fields_of(item, "path", "format", "guessed", "guesses") for item in sources]
    beside = {"seed": arguments.seed, "read": readings, "warnings": warned}
    say(arguments, lambda: inclusion_numbers(result) | beside,
        lambda: [*tree.apart(tree.Paragraph("\n".join(read), "given")), *result._view()],
        warned, words)  # fmt: skip
