"""``betaroc plan``: how many scores a number needs, or the guarantee of a rate."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path

from betaroc.cli import options
from betaroc.cli.inputs import chosen_words, files_of, read_file
from betaroc.cli.messages import ProgressBar, examples, messages, say
from betaroc.core import checks
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, passed_on
from betaroc.core.terms import canonical
from betaroc.core.text import RATE_NAMES, number, shown
from betaroc.core.value import fields_of
from betaroc.decision.decide import checked_request
from betaroc.decision.ways import TARGET_RATES, fewest_of_order, needed_for_guarantee
from betaroc.distributions.base import Distribution
from betaroc.estimation.families import AUTO, FAMILIES, family_text
from betaroc.fits.fit import Fit, fit
from betaroc.model.asking import asking_of_text
from betaroc.model.model import ScoreModel
from betaroc.rendering.nouns import told_document
from betaroc.rendering.numbers import rate, spaced
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import Column, Words, apart, recorded
from betaroc.report.intervals import read_words
from betaroc.studies.plan import checked_plan, plan_sample_size

_GUARANTEE = "guarantee"
#: Scores above the threshold, for which the table of a guarantee has a row.
_ACCEPTED = (0, 1, 4, 9, 49, 99)
#: No set has more scores of a class.
_MOST = 10**15
_PLANNED = ("width", "power", "ratio", "method", "measure", "thresholds", "correlation")
_CLASSES = {"far": "impostor", "frr": "client"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc plan guarantee@far=0.01",
        "betaroc plan tpr@far=0.01 --width 0.1 --from dev.csv",
        "betaroc plan auc --width 0.05 --client beta:4,2 --impostor beta:2,4 --ratio 5",
        "betaroc plan eer --power 0.8 --from dev.csv dev_b.csv --correlation 0.6",
    )
    option = partial(options.add, parser)
    option("planned STAT",
           "guarantee@far=0.01 (or frr), a number of br.statistics() such as auc or tpr@far=0.01,"
           " or side-at-zero, shapes, epc-gap@alpha=0.5 of br.plan_sample_size")  # fmt: skip
    option("--width W", "full width of the interval of the number")
    option("--power P", "chance to be right about a side, a shape or the better of two systems")
    options.level_option(parser, "of the interval, the test or the guarantee")
    option("--ratio R", "impostor scores for each client (default: 1)")
    option("--from SCORES ...", "first scores, whose fit is taken as true (of two systems two)",
           dest="pilot")  # fmt: skip
    option("--client DISTRIBUTION", "instead of first scores, such as beta:8,2 or normal:0,1")
    option("--impostor DISTRIBUTION", "that of impostors")
    option("--correlation R", "of two systems on the same trials, by br.difference (default: 0)")
    option("--method M", "delta (the default), of the AUC delong, logit-delong, of rare rates tail")
    option("--measure M", "of epc-gap: hter (the default) or weighted-error")
    option("--thresholds T", "of epc-gap: smooth (the default) or empirical")
    option("--json", "one JSON document on standard output")
    options.score_options(parser, AUTO, summed=False, dev="--from")


def run(arguments: argparse.Namespace) -> None:
    """Plan, and say it."""
    level = options.LEVEL if arguments.level is None else checks.level(arguments.level)
    name, _, point = arguments.planned.partition("@")
    if name == _GUARANTEE:
        names = (*_PLANNED, "pilot", "client", "impostor", "bounds", *arguments.reading)
        options.refuse(arguments, names, "not stand beside a guarantee, which holds whatever the"
                       " distributions are and needs none")  # fmt: skip
        _say_guarantee(*_guarantee(point, level), level, arguments)
        return
    kind, at, _ = name.partition("=")
    if at and canonical(kind) in TARGET_RATES:
        raise InputError(
            f"what is planned must be a guarantee of a rate, or a number at it; got {shown(name)}."
            f" Ask for {_GUARANTEE}@{name}, or for one such as threshold@{name}."
        )
    asked = {k: getattr(arguments, k) for k in _PLANNED if getattr(arguments, k) is not None}
    _refuse_models(arguments)
    systems = len(arguments.pilot or [None])
    checked_plan(arguments.planned, systems, level=level, **asked)
    with collected() as notices, ProgressBar(systems + 1) as step:
        models, sources = _models(arguments, step)
        model = models[0] if len(models) == 1 else models
        plan = plan_sample_size(arguments.planned, model=model, level=level, **asked)
        step()
    warned = messages(notices, arguments)
    further = {"extrapolated": plan.extrapolated, "from": sources, "warnings": warned}
    beside = Words("\n".join([*sources, *_beside(arguments.planned, level)]), "given")
    say(arguments, lambda: told_document(plan, plan.to_dict() | further),
        lambda: [*plan._view(), *apart(beside)],
        warned)  # fmt: skip


# ---------------------------------------------------------------------------- what is planned from
def _distribution(text: str) -> Distribution:
    """The distribution that a text such as beta:8,2 means."""
    laws = {name: row.law for name, row in FAMILIES.items() if row.of_density and row.law}
    names = {name: [one.name for one in fields(law)] for name, law in laws.items()}  # type: ignore[arg-type]
    family, _, numbers = text.partition(":")
    try:
        values = [number(one) for one in numbers.split(",")]
    except ValueError:
        values = []
    if family not in names or len(values) != len(names[family]):
        forms = [f"{name}:{','.join(parameters)}" for name, parameters in names.items()]
        raise InputError(
            f"a distribution must be one of {', '.join(forms)} in numbers, such as beta:8,2; got"
            f" {shown(text)}."
        )
    return laws[family](*values)


def _refuse_models(arguments: argparse.Namespace) -> None:
    """First scores, or two distributions: one of both, whole."""
    typed = options.given_options(arguments, ("client", "impostor"))
    files = options.given_options(arguments, ("pilot", "client_file", "impostor_file"))
    if len(typed) == 2 and not files:
        options.refuse(arguments, [*arguments.reading], "stand beside --from, whose scores it is"
                       " about; distributions were given")  # fmt: skip
    elif typed or not files:
        raise InputError(
            "a plan needs what it takes as true: --from SCORES (or --client-file and"
            " --impostor-file), or both --client and --impostor; got"
            f" {' and '.join(typed + files) or 'none'}. For example --client beta:8,2 --impostor"
            " beta:2,8."
        )
    elif len(files_of(arguments, "dev")) > 2:
        raise InputError(
            "--from must name the scores of one system, or of two whose difference is planned; got"
            f" {len(arguments.pilot)} files. Leave the others out."
        )


def _models(
    arguments: argparse.Namespace, step: Callable[[], None]
) -> tuple[Sequence[ScoreModel | Fit], list[str]]:
    """The models, and of each pilot a line."""
    if arguments.client is not None:
        laws = _distribution(arguments.client), _distribution(arguments.impostor)
        return [ScoreModel(*laws)], []
    paths = arguments.pilot or [None]
    rules = fields_of(arguments, "family", "boundary", "resolution", "bounds")
    read = [read_file(path, arguments, step, named=False) for path in paths]
    models: list[Fit] = []
    lines: list[str] = []
    for path, scores in zip(paths, read, strict=True):
        with passed_on(f"{Path(path).name}: " if len(read) > 1 else ""):
            models.append(fit(scores, **rules))
        lines.append(
            f"{family_text(models[-1].family)} fitted to{read_words('', scores).removeprefix(':')};"
            f" {models[-1].reason or chosen_words(arguments.family)}"
        )
    return models, lines


# ---------------------------------------------------------------------------------- a guarantee
def _beside(planned: str, level: float) -> list[str]:
    """Of a number at a rate: what a guarantee of that rate would take."""
    kind, _, value = planned.partition("@")[2].partition("=")
    if canonical(kind) not in TARGET_RATES or not 0.0 < number(value) < 1.0:
        return []
    kind, target, needed = _guarantee(f"{canonical(kind)}={value}", level)
    return [
        f"a guarantee that {kind.upper()} is at most {100 * target:g} % takes"
        f" {spaced(needed)} {_CLASSES[kind]} scores or more: betaroc plan"
        f" {_GUARANTEE}@{kind}={value}"
    ]


def _guarantee(point: str, level: float) -> tuple[str, float, int]:
    """The rate that is guaranteed, its target, and the scores that it needs."""
    kind = point.partition("=")[0]
    if kind not in RATE_NAMES:
        raise InputError(
            f"a guarantee must be of a rate, such as {_GUARANTEE}@far=0.01 or"
            f" {_GUARANTEE}@frr=0.01; got {shown(f'{_GUARANTEE}@{point}')}."
        )
    where = asking_of_text(f"threshold@{point}").where
    asked = checked_request(**where.keywords, confidence=level)
    needed = needed_for_guarantee(asked.rate, level)
    if needed > _MOST:
        raise InputError.about(kind)(
            f"{kind} must be a rate that a set of scores can guarantee; got {asked.rate!r}, which"
            f" takes more than {_MOST:.0e} {_CLASSES[asked.kind]} scores. Plan for a larger rate."
        )
    return asked.kind, asked.rate, needed


def _say_guarantee(
    kind: str, target: float, needed: int, level: float, arguments: argparse.Namespace
) -> None:
    name, who = kind.upper(), _CLASSES[kind]
    sizes = [(fewest_of_order(k + 1, target, level), k) for k in _ACCEPTED]
    columns = (Column("n", f"{who} scores", spaced), Column("beyond", "beyond"),
               Column("expected", f"{name} expected", rate), Column("guaranteed"))  # fmt: skip
    table = recorded(columns, [(n, k, (k + 1) / (n + 1), target) for n, k in sizes])
    document = {
        "stat": f"{_GUARANTEE}@{kind}={target!r}", "class": who, "needed": needed, "rate": target,
        "level": level, "table": records(table.kept), "warnings": [],
    }  # fmt: skip
    why = (
        f"With {100 * level:g} % confidence the true {name} of the threshold that betaroc threshold"
        f" --{kind} {target:g} finds is then at most {100 * target:g} %, whatever the distributions"
        f" are. Fewer guarantee nothing; with more the {name} expected comes nearer to the target,"
        f" so that fewer {'impostors are accepted' if kind == 'frr' else 'clients are rejected'}."
    )
    need = Words(f"Collect {spaced(needed)} {who} scores or more")
    say(arguments, lambda: document, lambda: apart(need, Words(why), table))
