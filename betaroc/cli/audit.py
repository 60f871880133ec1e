"""``betaroc audit``: how much of a number is optimism of a threshold chosen on test."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from betaroc.cli import options
from betaroc.cli.messages import examples, messages, say
from betaroc.cli.systems import called_systems, read_systems
from betaroc.core.notices import collected
from betaroc.data.summary import file_words
from betaroc.decision.epc import audit


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc audit dev.csv eval.csv --measure f1",
        "betaroc audit dev.csv eval.csv --measure frr --criterion far --alpha 0.01 --json",
    )
    option, _ = options.adders(parser)
    option("dev DEV", "scores that should choose the threshold")
    option("test TEST", "scores that the number is of")
    option("--measure M", "what is reported (default: hter)", default="hter")
    option(
        "--criterion CRITERION",
        "what the threshold is chosen for (default: the best for the measure)",
    )
    option("--alpha A", "parameter of the criterion")
    options.form_options(parser)
    options.shared(parser, "--level", "--group")
    options.score_options(parser, None)
    parser.set_defaults(system=None, systems=None)


def run(arguments: Namespace) -> None:
    """Compute it, and say it."""
    (system,) = called_systems(arguments, tests=(1, 1))
    level, _ = options.interval_arguments(arguments)
    with collected() as notices:
        ((_, dev, (test,)),) = read_systems([system], arguments, lambda: None)
        result = audit(dev, test, arguments.measure, criterion=arguments.criterion,
                       alpha=arguments.alpha, level=level)  # fmt: skip
    about = [file_words("dev", dev), file_words("test", test)]
    say(arguments, result.to_dict, result._view, messages(notices, arguments), about=about)
