"""``betaroc epsc``: expected performance and spoofability curves."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from betaroc.cli import options
from betaroc.cli.messages import examples, messages, progress_bar, say
from betaroc.cli.systems import called_systems, read_systems
from betaroc.core.notices import collected
from betaroc.core.tables import listed_columns
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import shared_words
from betaroc.data.summary import file_words
from betaroc.decision.epsc import epsc
from betaroc.estimation.families import is_of_counts
from betaroc.fits.fit import fit
from betaroc.rendering.files import save_picture


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc epsc --dev attacks.csv --test attacks_b.csv --stratum species --attack replay",
        "betaroc epsc --dev attacks.csv --test attacks_b.csv --stratum species --attack replay"
        " --beta 0.1 0.5 --html epsc.html",
    )
    option, rare = options.adders(parser)
    option("--dev DEV", "scores to choose on")
    option("--test TEST", "scores to observe the errors on")
    option("--attack WHAT", "strata that are attacks, such as print,replay, or their weights:"
           " print=0.8,replay=0.2 (default: all but zero-effort)",
           type=options.words_or_weights)  # fmt: skip
    option("--omega W ...", "shares of attacks among impostors (default: 0 to 1 by .01)")
    option("--beta W ...", "weights of FAR_omega against FNMR (default: 0.5)")
    option("--criterion C", "what thresholds are chosen for: %(choices)s", choices=("wer", "eer"),
           default="wer", type=str)  # fmt: skip
    option("--band SETS", "interval by test alone (default), or by both: dev chooses again too",
           choices=("test", "both"), default="test")  # fmt: skip
    options.form_options(parser)
    options.shared(parser, "-o", "--html", "--force", "--level", "--seed", "--group")
    rare("--replicates N", "bootstrap replicates of --band both (default: 1000)", default=1000)
    options.score_options(parser, "empirical")
    parser.set_defaults(system=None, systems=None)


def run(arguments: Namespace) -> None:
    """Compute the curve, say it, draw it."""
    (system,) = called_systems(arguments, tests=(1, 1))
    level, seed = options.interval_arguments(arguments)
    options.check_picture(arguments, system.paths)
    if arguments.html is not None:
        options.check_output(arguments, "html", system.paths, options.PAGE)
    attack = arguments.attack.split(",") if isinstance(arguments.attack, str) else arguments.attack
    with collected() as notices, progress_bar(3) as step:
        ((_, dev, (test,)),) = read_systems([system], arguments, step)
        rules = options.fit_options_of(arguments, arguments.family)
        chooser = dev if is_of_counts(arguments.family) else fit(dev, **rules, by="stratum")
        choices = fields_of(arguments, "omega", "beta", "criterion", "replicates")
        curve = epsc(chooser, test, attack=attack, level=level, resample=arguments.band, rng=seed,
                     **choices)  # fmt: skip
        step()
    warned = messages(notices, arguments)
    if arguments.output is not None:
        save_picture(curve.plot, arguments.output)
    document = listed_columns(curve.to_frame()) | {"seed": seed, "warnings": warned}
    document |= fields_of(curve, "criterion", "attack", "level", "resample")
    say(arguments, lambda: document, curve._view, warned, shared_words([dev.words, test.words]),
        about=[file_words("dev", dev), file_words("test", test)],
        page=("attacks", "Expected performance and spoofability",
              "Is the system robust to attacks?"))  # fmt: skip
