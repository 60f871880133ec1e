"""``betaroc plan``: how many scores a number needs, or the guarantee of a rate."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.cli.inputs import chosen_words, read_file
from betaroc.cli.messages import ProgressBar, examples, messages, say
from betaroc.cli.options import (
    LEVEL,
    bounds_option,
    level_option,
    score_options,
    terms_option,
)
from betaroc.core import checks
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, passed_on
from betaroc.core.terms import canonical
from betaroc.core.text import RATE_NAMES, listed, number, shown
from betaroc.core.value import fields_of
from betaroc.data.scores import ScoreData
from betaroc.decision.decide import checked_request
from betaroc.decision.guarantee import fewest_of_order, needed_for_guarantee
from betaroc.decision.ways import TARGET_RATES
from betaroc.distributions.base import Distribution
from betaroc.estimation.families import AUTO, FAMILIES, family_text
from betaroc.fits.estimate import fit
from betaroc.fits.fit import Fit
from betaroc.model.model import ScoreModel
from betaroc.rendering.nouns import told_document
from betaroc.rendering.numbers import rate, spaced
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import Grid, Row, Words, apart
from betaroc.report.intervals import read_words
from betaroc.studies.plan import SampleSize, checked_plan, plan_sample_size

_GUARANTEE = "guarantee"
#: Scores above the threshold, for which the table of a guarantee has a row.
_ACCEPTED = (0, 1, 4, 9, 49, 99)
#: No set has more scores of a class.
_MOST = 10**15
_PLANNED = ("width", "power", "ratio", "method", "measure", "thresholds", "correlation")
_TYPED = tuple(name for name, row in FAMILIES.items() if row.of_density)
_CLASSES = {"far": "impostor", "frr": "client"}


class Guarantee(NamedTuple):
    """The scores that a guaranteed rate needs."""

    kind: str
    rate: float
    level: float
    needed: int

    @property
    def who(self) -> str:
        """The class of the rate."""
        return _CLASSES[self.kind]

    def rows(self) -> list[tuple[int, int, float]]:
        """Scores, how many of them lie on the wrong side of the threshold, the rate expected."""
        sizes = [(fewest_of_order(k + 1, self.rate, self.level), k) for k in _ACCEPTED]
        return [(n, k, (k + 1) / (n + 1)) for n, k in sizes]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc plan guarantee@far=0.01",
        "betaroc plan tpr@far=0.01 --width 0.1 --from dev.csv",
        "betaroc plan auc --width 0.05 --client beta:4,2 --impostor beta:2,4 --ratio 5",
        "betaroc plan eer --power 0.8 --from dev.csv dev_b.csv --correlation 0.6",
    )
    option = parser.add_argument
    option("planned", metavar="STAT",
        help=f"what the scores are for: {_GUARANTEE}@far=0.01 (or frr), or a number of"
        " br.statistics() such as auc, tpr@far=0.01 or threshold@eer, or another that"
        " br.plan_sample_size names: side-at-zero, shapes, epc-gap@alpha=0.5")  # fmt: skip
    option("--width", type=number, metavar="W", help="full width of the interval of the number")
    option("--power", type=number, metavar="P",
        help="chance to be right about a side, a shape or which of two systems is"
        " better")  # fmt: skip
    level_option(parser, "of the interval, the test or the guarantee")
    option("--ratio", type=number, metavar="R", help="impostor scores for each client (default: 1)")
    option("--from", nargs="+", dest="pilot", metavar="SCORES",
        help="first scores, whose fit is taken as true; of two systems two files, for the number of"
        " the first less that of the second")  # fmt: skip
    for who in ("client", "impostor"):
        option(f"--{who}", metavar="DISTRIBUTION", type=_distribution,
            help=f"instead of first scores: the distribution of {who}s, such as beta:8,2 or"
            f" normal:0,1; one of {', '.join(_TYPED)}")  # fmt: skip
    option("--correlation", type=number, metavar="R",
        help="of the errors of two systems on the same trials, as br.difference gives it (default:"
        " 0, different trials)")  # fmt: skip
    option("--method", metavar="M",
        help="delta (the default), of the AUC also delong and logit-delong, of a rare rate and its"
        " threshold also tail")  # fmt: skip
    option("--measure", metavar="M", help="of epc-gap: hter (the default) or weighted-error")
    option("--thresholds", metavar="T", help="of epc-gap: smooth (the default) or empirical")
    option("--json", action="store_true", help="one JSON document on standard output")
    terms_option(parser)
    before = set(parser._actions)
    bounds_option(parser)
    score_options(parser, AUTO, stream=False, dev="--from")
    reading = {one.dest: one.default for one in parser._actions if one not in before}
    parser.set_defaults(stream="never", reading=reading, dev=None)


def run(arguments: argparse.Namespace) -> None:
    """Plan, and say it."""
    level = LEVEL if arguments.level is None else checks.level(arguments.level)
    name, _, point = arguments.planned.partition("@")
    if name == _GUARANTEE:
        _refuse_beside_guarantee(arguments)
        _say_guarantee(_guarantee(point, level), arguments)
        return
    rate, at, _ = name.partition("=")
    if at and canonical(rate) in TARGET_RATES:
        raise InputError(
            f"what is planned must be a guarantee of a rate, or a number at it; got {shown(name)}."
            f" Ask for {_GUARANTEE}@{name}, or for one such as threshold@{name}."
        )
    asked = {k: getattr(arguments, k) for k in _PLANNED if getattr(arguments, k) is not None}
    _refuse_models(arguments)
    systems = len(arguments.pilot or [None])
    checked_plan(arguments.planned, systems, level=level, **asked)
    with collected() as notices, ProgressBar(systems + 1) as step:
        models, said = _models(arguments, step)
        model = models[0] if len(models) == 1 else models
        found = plan_sample_size(arguments.planned, model=model, level=level, **asked)
        step()
    told = messages(notices, arguments)
    lines = [_answer(found), "", str(found), *said, *_beside(arguments.planned, level)]
    document = told_document(found, _numbers(found, said, told))
    say(arguments, lambda: document, lambda: apart(Words("\n".join(lines), "given")), told)


# ---------------------------------------------------------------------------- what is planned from
def _distribution(text: str) -> Distribution:
    """The distribution that a text such as beta:8,2 means."""
    family, _, numbers = text.partition(":")
    row = FAMILIES[family] if family in _TYPED else None
    if row is None or row.law is None:
        raise argparse.ArgumentTypeError(
            f"a distribution must be one of {listed(_TYPED)} with its parameters, such as beta:8,2;"
            f" got {shown(text)}"
        )
    names = [one.name for one in fields(row.law)]  # type: ignore[arg-type]
    try:
        values = [number(one) for one in numbers.split(",")]
    except ValueError:
        values = []
    if len(values) != len(names):
        raise argparse.ArgumentTypeError(
            f"{family} must have {len(names)} parameters, {family}:{','.join(names)} in numbers;"
            f" got {shown(text)}"
        )
    try:
        return row.law(*values)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _refuse_models(arguments: argparse.Namespace) -> None:
    """First scores, or two distributions: one of both, whole."""
    typed = {who: getattr(arguments, who) is not None for who in ("client", "impostor")}
    files = [arguments.client_file, arguments.impostor_file]
    if files != [None, None] and not any(typed.values()):
        if arguments.pilot is not None or None in files:
            raise InputError(
                "--from must stand alone, or --client-file and --impostor-file both without it."
                " Give the file of each class, or one file of both."
            )
        return
    if arguments.pilot is None and all(typed.values()):
        unused = [k for k, v in arguments.reading.items() if getattr(arguments, k) != v]
        if unused:
            raise InputError(
                f"--{unused[0].replace('_', '-')} must stand beside --from, whose scores it is"
                " about; distributions were given. Leave it out."
            )
        return
    if arguments.pilot is None or any(typed.values()):
        given = [f"--{who}" for who, there in typed.items() if there]
        given += ["--from"] * (arguments.pilot is not None)
        raise InputError(
            "a plan needs what it takes as true: --from SCORES (or --client-file and"
            " --impostor-file), or both --client and --impostor; got"
            f" {' and '.join(given) or 'none'}. For example --client beta:8,2 --impostor beta:2,8."
        )
    if len(arguments.pilot) > 2:
        raise InputError(
            "--from must name the scores of one system, or of two whose difference is planned; got"
            f" {len(arguments.pilot)} files. Leave the others out."
        )


def _models(
    arguments: argparse.Namespace, step: Callable[[], None]
) -> tuple[Sequence[ScoreModel | Fit], list[str]]:
    """The models, and of each pilot a line."""
    if arguments.client is not None:
        return [ScoreModel(arguments.client, arguments.impostor)], []
    paths = arguments.pilot or [None]
    rules = fields_of(arguments, "family", "boundary", "resolution", "bounds")
    read = [read_file(path, arguments, step, named=False) for path in paths]
    models: list[Fit] = []
    for path, scores in zip(paths, read, strict=True):
        with passed_on(f"{Path(path).name}: " if len(read) > 1 else ""):
            models.append(fit(scores, **rules))
    named = chosen_words(arguments.family)
    rows = zip(read, models, strict=True)
    return models, [_pilot(scores, one, named) for scores, one in rows]


def _pilot(scores: ScoreData, found: Fit, named: str) -> str:
    read = read_words("", scores).removeprefix(":")
    return f"{family_text(found.family)} fitted to{read}; {found.reason or named}"


# ---------------------------------------------------------------------------------- a number
def _answer(found: SampleSize) -> str:
    sizes = f"{spaced(found.n_client)} client and {spaced(found.n_impostor)} impostor scores"
    both = " of dev and as many of test" if found.measure else ""
    return f"Collect {sizes}{both}" + (", of each system" if isinstance(found.model, tuple) else "")


def _numbers(found: SampleSize, said: Sequence[str], told: Sequence[str]) -> dict[str, Any]:
    names = (
        "stat", "at", "n_client", "n_impostor", "estimate", "wanted", "width", "power", "level",
        "ratio", "method", "n_beyond", "n_needed", "extrapolated",
    )  # fmt: skip
    numbers = fields_of(found, *names).items()
    kept = {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in numbers}
    return kept | {"from": list(said), "warnings": list(told)}


def _beside(planned: str, level: float) -> list[str]:
    """Of a number at a rate: what a guarantee of that rate would take."""
    kind, sign, value = planned.partition("@")[2].partition("=")
    kind = str(canonical(kind))
    if not sign or kind not in TARGET_RATES or not 0.0 < number(value) < 1.0:
        return []
    one = _guarantee(f"{kind}={value}", level)
    return [
        f"a guarantee that {kind.upper()} is at most {100 * one.rate:g} % takes"
        f" {spaced(one.needed)} {one.who} scores or more: betaroc plan {_GUARANTEE}@{kind}={value}"
    ]


# ---------------------------------------------------------------------------------- a guarantee
def _guarantee(point: str, level: float) -> Guarantee:
    kind, sign, value = point.partition("=")
    if not sign or kind not in RATE_NAMES:
        raise InputError(
            f"a guarantee must be of a rate, such as {_GUARANTEE}@far=0.01 or"
            f" {_GUARANTEE}@frr=0.01; got {shown(f'{_GUARANTEE}@{point}')}."
        )
    try:
        asked = checked_request(**{kind: number(value)}, confidence=level)  # type: ignore[arg-type]
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"what stands behind the '=' of a point must be a number; got {shown(point)}."
        ) from error
    needed = needed_for_guarantee(asked.rate, level)
    if needed > _MOST:
        raise InputError.about(kind)(
            f"{kind} must be a rate that a set of scores can guarantee; got {asked.rate!r}, which"
            f" takes more than {_MOST:.0e} {_CLASSES[asked.kind]} scores. Plan for a larger rate."
        )
    return Guarantee(asked.kind, asked.rate, level, needed)


def _refuse_beside_guarantee(arguments: argparse.Namespace) -> None:
    """A guarantee holds for any distribution."""
    named = {"pilot": "from"}
    others = (*_PLANNED, "pilot", "client", "impostor")
    given = [one for one in others if getattr(arguments, one) is not None]
    given += [k for k, v in arguments.reading.items() if getattr(arguments, k) != v]
    if given:
        option = named.get(given[0], given[0]).replace("_", "-")
        raise InputError(
            f"--{option} must not stand beside a guarantee, which holds whatever the distributions"
            " are and needs none. Leave it out."
        )


def _say_guarantee(one: Guarantee, arguments: argparse.Namespace) -> None:
    name, other = one.kind.upper(), "clients are rejected"
    if one.kind == "frr":
        other = "impostors are accepted"
    rows, head = one.rows(), ("", f"{one.who} scores", "beyond", f"{name} expected")
    n, beyond, shares = zip(*rows, strict=True)
    kept = {"n": n, "beyond": beyond, "expected": shares, "guaranteed": [one.rate] * len(rows)}
    cells = (Row(("", spaced(n), str(k), rate(expected))) for n, k, expected in rows)
    table = Grid(head, tuple(cells), kept=kept)
    document = {
        "stat": f"{_GUARANTEE}@{one.kind}={one.rate!r}", "class": one.who, "needed": one.needed,
        "rate": one.rate, "level": one.level, "table": records(kept), "warnings": [],
    }  # fmt: skip
    told = (
        f"With {100 * one.level:g} % confidence the true {name} of the threshold that betaroc"
        f" threshold --{one.kind} {one.rate:g} finds is then at most {100 * one.rate:g} %, whatever"
        f" the distributions are. Fewer guarantee nothing; with more the {name} expected comes"
        f" nearer to the target, so that fewer {other}."
    )
    need = f"Collect {spaced(one.needed)} {one.who} scores or more"
    tree = apart(Words(need), Words(told), table)
    say(arguments, lambda: document, lambda: tree)
