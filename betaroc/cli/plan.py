"""``betaroc plan``: how many scores are needed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from betaroc.cli import options
from betaroc.cli.messages import examples, messages, progress_bar, say
from betaroc.cli.systems import chosen_words, files_of, read_file
from betaroc.core import errors, text, value, vocabulary
from betaroc.core.notices import collected, forward_warnings
from betaroc.data.summary import file_words
from betaroc.decision.threshold_methods import TARGET_RATES, guarantee_plan
from betaroc.estimation.families import AUTO, distribution_of_text, family_text
from betaroc.fits.fit import Fit, fit
from betaroc.model.model import ScoreModel
from betaroc.rendering import nouns, tree
from betaroc.studies.plan import plan_when_read

_PLANNED = ("width", "power", "ratio", "method", "measure", "thresholds", "correlation",
            "at_most", "strata")  # fmt: skip
_SOURCES = ("pilot", "client_file", "impostor_file")


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc plan guarantee@far=0.01 --strata 13",
        "betaroc plan tpr@far=0.01 --width 0.1 --from dev.csv",
        "betaroc plan auc --width 0.05 --client beta:4,2 --impostor beta:2,4 --ratio 5",
        "betaroc plan eer --power 0.8 --from dev.csv dev_b.csv --correlation 0.6",
    )
    option = partial(options.add, parser)
    option("planned STAT", "guarantee@far=0.01 (or frr), a number such as auc or tpr@far=0.01, or"
           " side-at-zero, shapes, epc-gap@alpha=0.5 of br.plan_sample_size")  # fmt: skip
    option("--width W", "full width of the interval of the number")
    option("--power P", "chance to be right about a side, a shape or the better of two systems")
    option("--strata K", "how many strata a guarantee, or a rate at a threshold, is to hold for")
    option("--at-most R", "largest rate to show for each stratum, instead of a width")
    option("--ratio R", "impostor scores for each client (default: 1)")
    option("--from SCORES ...", "scores whose fit is taken as true (two files for two systems)",
           dest="pilot")  # fmt: skip
    option("--client DISTRIBUTION", "that of clients, such as beta:8,2, instead of scores")
    option("--impostor DISTRIBUTION", "that of impostors")
    option("--correlation R", "that of two systems by br.difference (default: 0)")
    option("--method M", "delta (the default), for the AUC also delong")
    option("--measure M", "measure of epc-gap: hter (the default) or weighted-error")
    option("--thresholds T", "thresholds of epc-gap: smooth (the default) or empirical")
    options.shared(parser, "--level", "--json")
    options.score_options(parser, AUTO, summed=False, test=False)


def run(arguments: Namespace) -> None:
    """Plan, and say it."""
    level = options.interval_arguments(arguments)[0]
    name = arguments.planned.partition("@")[0]
    rate, at, _ = name.partition("=")
    if name == "guarantee":
        names = (*_PLANNED[:-1], *_SOURCES, "client", "impostor", *arguments.reading)
        options.refuse(arguments, names, "not stand beside a guarantee, which needs no scores")
        plan = plan_when_read(0, tuple, arguments.planned, level=level, strata=arguments.strata)
        document, nodes = guarantee_plan(plan.at, plan.wanted, level, plan.strata)
        say(arguments, lambda: document, lambda: nodes)
        return
    if at and vocabulary.canonical(rate) in TARGET_RATES:
        remedy, given = f"Ask for guarantee@{name} or threshold@{name}.", text.format_value(name)
        raise errors.refusal("what is planned", "be a number or a guarantee", given, remedy)
    asked = {k: getattr(arguments, k) for k in _PLANNED if getattr(arguments, k) is not None}
    systems, sources = len(arguments.pilot or [None]), list[str]()
    with collected() as notices, progress_bar(systems + 1) as step:
        read = partial(_models, arguments, step, sources)
        plan = plan_when_read(systems, read, arguments.planned, level=level, **asked)
        step()
    warned = messages(notices, arguments)
    further = {"extrapolated": plan.extrapolated, "from": sources, "warnings": warned}
    beside = tree.Paragraph("\n".join(sources), "given")
    say(arguments, lambda: nouns.told_document(plan, plan.to_dict() | further),
        lambda: [*plan._view(), *tree.apart(beside)], warned)  # fmt: skip


def _models(
    arguments: Namespace, step: Callable[[], object], lines: list[str]
) -> list[ScoreModel | Fit]:
    typed = options.given_options(arguments, ("client", "impostor"))
    files = options.given_options(arguments, _SOURCES)
    if len(typed) != (0 if files else 2):
        rule = ("take as true --from SCORES (or --client-file and --impostor-file), or both"
                " --client and --impostor")  # fmt: skip
        remedy = "For example --client beta:8,2 --impostor beta:2,8."
        raise errors.refusal("a plan", rule, " and ".join(typed + files) or "none", remedy)
    if typed:
        options.refuse(arguments, [*arguments.reading], "stand beside --from, whose scores it is"
                       " about; distributions were given")  # fmt: skip
        return [ScoreModel(*map(distribution_of_text, (arguments.client, arguments.impostor)))]
    rules = value.fields_of(arguments, "family", "boundary", "resolution", "bounds")
    models: list[ScoreModel | Fit] = []
    sources = files_of(arguments, "dev")
    for source in sources:
        scores = read_file(source, arguments, step, named=False)
        with forward_warnings(f"{Path(str(source)).name}: " * (len(sources) > 1)):
            fitted = fit(scores, **rules)
        models.append(fitted)
        lines.append(
            f"{family_text(fitted.family)} fitted to{file_words('', scores).removeprefix(':')};"
            f" {fitted.reason or chosen_words(arguments.family)}"
        )
    return models
