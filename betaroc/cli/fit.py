"""``betaroc fit``: both classes of a score file, fitted and described."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from betaroc.cli.inputs import chosen_words, files_of, read_file
from betaroc.cli.messages import ProgressBar, examples, messages, say, say_warnings
from betaroc.cli.options import (
    fit_options_of,
    form_options,
    interval_arguments,
    interval_options,
    score_options,
    statistic_option,
    tail_options,
    terms_option,
)
from betaroc.cli.systems import (
    SystemFiles,
    checked_systems,
    default_names,
    named_systems,
    read_systems,
    reading_words,
    system_options,
)
from betaroc.core.arrays import CLASSES
from betaroc.core.class_words import shared_words
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, passed_on
from betaroc.core.tables import listed_columns
from betaroc.data.accepted import refuse_words_of_comparisons
from betaroc.data.scores import ScoreData
from betaroc.fits.estimate import fit
from betaroc.fits.fit import Fit
from betaroc.model.asking import askings
from betaroc.model.samples import empirical_model
from betaroc.rendering.numbers import counted, number, path_words, percent, visible
from betaroc.rendering.tree import (
    Cell,
    Column,
    Grid,
    Name,
    Section,
    Words,
    apart,
    as_named,
    recorded,
)
from betaroc.rendering.tree_text import text_of
from betaroc.report.analysis import Judge, fitted_set
from betaroc.report.numbers import law_numbers, set_numbers
from betaroc.report.page_quality import (
    checks_section,
    families_section,
    sensitivity_section,
    tails_section,
)
from betaroc.report.quality import class_distance
from betaroc.report.score_set import ScoreSet
from betaroc.report.sections import (
    measures_section,
    parameters_section,
    read_section,
)
from betaroc.report.sentences import ends_section
from betaroc.report.verdicts import class_verdicts

#: What tells more of a system than a row.
_OF_EACH = ("check", "statistic", "level", "seed", "group")
#: Of the distances that a verdict is by.
_LEVEL = 0.95


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
    option = parser.add_argument
    option("file", nargs="*", metavar="SCORES",
        help="score file; - is the standard input; of several files each is a system, called by"
        " what tells their paths apart")  # fmt: skip
    system_options(parser)
    form_options(parser, "a class and parameter; of several systems, a system and class")
    option("--check", action="store_true",
        help="also check the fit by simulation, set the families beside each other and audit the"
        " ends; with this, --statistic, --level, --seed or --group of several systems each is told"
        " in full")  # fmt: skip
    statistic_option(parser)
    interval_options(parser, "of every interval")
    score_options(parser, "auto", dev="SCORES")
    tail_options(parser)
    terms_option(parser)


def run(arguments: argparse.Namespace) -> None:
    """Fit, and say it."""
    several = named_systems(arguments)  # none where the call is of one file
    if not several and len(arguments.file) > 1:
        files_of(arguments, "dev")
        names = default_names(arguments.file)
        several = checked_systems(list(map(SystemFiles, names, arguments.file)))
    given = {name: getattr(arguments, name) for name in _OF_EACH}
    of_each = [f"--{name}" for name, v in given.items() if v or (v == 0 and v is not False)]
    if several and not of_each:
        _run_table(several, arguments)
        return
    if several and (arguments.csv or arguments.latex):
        raise InputError(
            f"{', '.join(of_each)} must stand without --csv and --latex beside"
            f" {len(several)} systems, whose table has no such columns. Take --json, or the text."
        )
    if not several:
        arguments.file = arguments.file[0] if arguments.file else None
        files_of(arguments, "dev")
    _run_whole(several, arguments)


def _run_whole(systems: Sequence[SystemFiles], arguments: argparse.Namespace) -> None:
    """All that is known of the file of the call, or of one system after the other."""
    level, seed = interval_arguments(arguments)
    asked = askings(arguments.statistic, "statistic")
    judge = Judge(level, seed, checks=arguments.check, asked=asked)
    options = fit_options_of(arguments, arguments.family)
    found: list[tuple[str, ScoreSet, str, list[str]]] = []
    with collected() as notices, ProgressBar(2 * (len(systems) or 1)) as step:
        for name, read in _read(systems, arguments, step):
            for stat in arguments.statistic:
                refuse_words_of_comparisons(stat, read)
            prefix = f"{visible(name)}: " if name else ""
            part = fitted_set("scores", read, options, judge, prefix=prefix)
            reason = (part.fit and part.fit.reason) or chosen_words(arguments.family)
            found.append((name, part, reason, messages(notices, arguments)))
            step()
    words = shared_words(part.given.words for _, part, _, _ in found)
    names = [system.name for system in systems]
    warned = [one for *_, said in found for one in said]
    fitted = found[0][1].fit

    def document() -> Any:
        rows = [{"system": one[0]} | _document(*one[1:]) for one in found]
        return rows if systems else _document(*found[0][1:])

    def tree() -> list[Section]:
        if fitted is not None and (arguments.csv or arguments.latex):
            return apart(Grid((), (), kept=listed_columns(fitted.to_frame())))
        told = [_sections(part, reason, level, seed) for _, part, reason, _ in found]
        if not systems:
            return told[0]
        heads = [f"{visible(name)}\n{'-' * len(visible(name))}\n" for name in names]
        whole = "\n\n\n".join(map(str.__add__, heads, map(text_of, told)))
        return apart(Words(whole, "given"))

    say_warnings(_unread(systems))
    say(arguments, document, tree, warned, names, words)


def _read(
    systems: Sequence[SystemFiles], arguments: argparse.Namespace, step: Callable[[], None]
) -> Iterator[tuple[str, ScoreData]]:
    """Names and scores; the file of a call without systems has no name."""
    if not systems:
        yield "", read_file(arguments.file, arguments, step)
    for name, dev, _ in read_systems(systems, arguments, step, tests=False):
        yield name, dev


def _sections(part: ScoreSet, reason: str, level: float, seed: int) -> list[Section]:
    """What was read, the fit and its curve; how far it can be believed where that was asked."""
    sets = [(part, part.role)]
    found = [read_section(sets, reason), parameters_section(sets), measures_section(sets)]
    found.append(ends_section(sets))
    if part.quality is not None:
        found += [tails_section(sets), checks_section(sets, level, seed)]
        found += [families_section(*sets[0]), sensitivity_section(sets)]
    return found


def _document(part: ScoreSet, reason: str, said: Sequence[str]) -> dict[str, Any]:
    numbers = set_numbers(part)
    rest = (
        "name", "source", "n_client", "n_impostor", "summary", "n_client_rejected",
        "n_impostor_rejected", "empirical", "distances",
        "intervals", "confidence", "fit_quality", "families", "sensitivity",
    )  # fmt: skip
    return {
        **numbers["fit"],
        "reason": reason,
        **{key: numbers[key] for key in rest if key in numbers},
        "warnings": said,
    }


# ------------------------------------------------------------------------ several systems
def _run_table(systems: Sequence[SystemFiles], arguments: argparse.Namespace) -> None:
    """A table with a row a system and class."""
    rows: list[_FittedSystem] = []
    own: list[list[str]] = []
    with collected() as notices, ProgressBar(2 * len(systems)) as step:
        for name, dev, _ in read_systems(systems, arguments, step, tests=False):
            with passed_on(f"{visible(name)}: "):
                fitted = fit(dev, **fit_options_of(arguments, arguments.family))
            rows.append(_FittedSystem.of(name, dev, fitted))
            own.append(messages(notices, arguments))
            step()
    reason = chosen_words(arguments.family)
    pairs = list(zip(rows, own, strict=True))
    say_warnings(_unread(systems))
    say(
        arguments,
        lambda: [row.numbers(reason) | {"warnings": said} for row, said in pairs],
        partial(_fits_told, rows),
        [one for texts in own for one in texts],
        [system.name for system in systems],
        shared_words(row.fit.scores.words for row in rows),
    )


def _unread(systems: Sequence[SystemFiles]) -> list[str]:
    """That tests take no part in a fit."""
    tests = sum(len(system.tests) for system in systems)
    return [f"fit reads dev alone; {counted(tests, 'test file')} not read"] * bool(tests)


class _FittedSystem(NamedTuple):
    """A system's fit beside its scores."""

    name: str
    source: str | None
    fit: Fit
    #: By the fitted distributions and counted on the scores.
    auc: tuple[float, float]
    eer: tuple[float, float]
    #: Of clients and of impostors.
    distances: tuple[float, float]
    verdicts: tuple[str, str]

    @classmethod
    def of(cls, name: str, dev: ScoreData, fit: Fit) -> _FittedSystem:
        """What the table says of a system."""
        counted = empirical_model(dev)
        off = tuple(class_distance(getattr(fit, c), getattr(counted, c)) for c in CLASSES)
        source = None if dev.source is None else dev.source.path
        auc = fit.model.auc(), counted.auc()
        eer = float(fit.model.eer().hter), float(counted.eer().hter)
        verdicts = class_verdicts(dev._as_scores(), (off[0], off[1]), _LEVEL)
        return cls(name, source, fit, auc, eer, (off[0], off[1]), verdicts)

    def numbers(self, reason: str) -> dict[str, Any]:
        """One entry of the JSON list."""
        rows: dict[str, Any] = {}
        for k, who in enumerate(CLASSES):
            own = law_numbers(getattr(self.fit, who))
            rows[who] = own | {"distance": self.distances[k], "verdict": self.verdicts[k]}
        found: dict[str, Any] = {
            "system": self.name,
            "source": self.source,
            "family": self.fit.family,
        }
        found |= {"reason": self.fit.reason or reason, **rows}
        for name, pair in (("auc", self.auc), ("eer", self.eer)):
            found |= {name: pair[0], f"{name}_counted": pair[1]}
        return found


def _fits_told(rows: Sequence[_FittedSystem]) -> list[Section]:
    """What was read, and the table: a row a system and class."""
    lines = []
    for row in rows:
        file = "" if row.source is None else f" {path_words(row.source)}"
        lines.append(f"{visible(row.name)}:{file}; {row.fit.reason}".rstrip("; "))
    lines.append(reading_words((row.name, row.fit.scores) for row in rows))
    notes = (
        "AUC and EER by the fitted distributions; off by: the largest distance of a fitted"
        " distribution from\nthe scores; verdict: whether that is within 0.05 whatever chance did"
    )
    table = recorded(_COLUMNS, [cells for row in rows for cells in _cells(row)])
    return apart(Words("\n".join(lines), "given"), table, Words(notes))


_COLUMNS = (
    Column("system", "system"), Column("class", "class"), Column("family", "family"),
    Column("n", "n"), Column("parameters", "parameters"),
    Column("auc", "AUC"), Column("auc_counted"), Column("eer", "EER"), Column("eer_counted"),
    Column("distance", "off by", partial(number, digits=2)), Column("verdict", "verdict"),
)  # fmt: skip


def _cells(row: _FittedSystem) -> Iterator[tuple[Any, ...]]:
    """A row a class; what is of both is said once."""
    once = as_named(row.name), number(row.auc[0], 4), percent(row.eer[0])
    for k, who in enumerate(CLASSES):
        law = getattr(row.fit, who)
        name, auc, eer = once if k == 0 else (Name("", row.name), "", "")
        yield (
            name, who, law.family, law.n, Name(_parameters(law.params, 4), _parameters(law.params)),
            Cell(auc, value=row.auc[0]), row.auc[1], Cell(eer, value=row.eer[0]), row.eer[1],
            row.distances[k], row.verdicts[k],
        )  # fmt: skip


def _parameters(params: Any, digits: int = 6) -> str:
    return " ".join(f"{name}={number(value, digits)}" for name, value in params.items())
