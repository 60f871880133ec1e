"""What a plan takes as true, and how many scores the guarantee of a rate needs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from betaroc.cli.messages import say
from betaroc.cli.options import refuse
from betaroc.cli.systems import chosen_words, files_of, read_file
from betaroc.core.errors import refusal
from betaroc.core.notices import forward_warnings
from betaroc.core.text import format_value
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import RATE_NAMES, short_name
from betaroc.data.summary import file_words
from betaroc.decision import threshold_methods
from betaroc.estimation.families import distribution_of_text, family_text
from betaroc.fits.fit import Fit, fit
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import parse_statistic
from betaroc.rendering.numbers import rate, spaced
from betaroc.rendering.tree import Column, Paragraph, apart, recorded
from betaroc.rendering.tree_text import records

GUARANTEE = "guarantee"
#: Scores above the threshold, for which the table of a guarantee has a row.
_ACCEPTED = (0, 1, 4, 9, 49, 99)
#: No set has more scores of a class.
_MOST = 10**15
_CLASSES = {"far": "impostor", "frr": "client"}


def say_guarantee(point: str, level: float, arguments: Namespace) -> None:
    """The scores that a guarantee needs, and what more of them allow."""
    if point.partition("=")[0] not in RATE_NAMES:
        rule = f"be of a rate, such as {GUARANTEE}@far=0.01"
        raise refusal("a guarantee", rule, format_value(point))
    where = parse_statistic(f"threshold@{point}").where
    asked = threshold_methods.checked_request(**where.keywords, confidence=level)
    kind, target = asked.kind, asked.rate
    needed = threshold_methods.needed_for_guarantee(target, level)
    name, who = short_name(kind), _CLASSES[kind]
    if needed > _MOST:
        actual = f"{target!r}, which takes more than {_MOST:.0e} {who} scores"
        remedy = "Plan for a larger rate."
        raise refusal("the rate", "be one that a set of scores can guarantee", actual, remedy)
    sizes = [(threshold_methods.fewest_of_order(k + 1, target, level), k) for k in _ACCEPTED]
    columns = (Column("n", f"{who} scores", spaced), Column("beyond", "beyond"),
               Column("expected", f"{name} expected", rate), Column("guaranteed"))  # fmt: skip
    table = recorded(columns, [(n, k, (k + 1) / (n + 1), target) for n, k in sizes])
    document = {
        "stat": f"{GUARANTEE}@{kind}={target!r}", "class": who, "needed": needed, "rate": target,
        "level": level, "table": records(table.kept), "warnings": [],
    }  # fmt: skip
    need = Paragraph(f"Collect {spaced(needed)} {who} scores or more")
    why = Paragraph(
        f"With {100 * level:g} % confidence the true {name} of the threshold that betaroc threshold"
        f" --{kind} {target:g} finds is then at most {100 * target:g} %, whatever the distributions"
        f" are. Fewer guarantee nothing; with more the {name} expected comes nearer to the target."
    )
    say(arguments, lambda: document, lambda: apart(need, why, table))


def models_of(
    arguments: Namespace, step: Callable[[], None], lines: list[str]
) -> list[ScoreModel | Fit]:
    """The models that are taken as true; a line of each file is added to the lines."""
    if arguments.client is not None:
        refuse(arguments, [*arguments.reading], "stand beside --from, whose scores it is"
               " about; distributions were given")  # fmt: skip
        return [ScoreModel(*map(distribution_of_text, (arguments.client, arguments.impostor)))]
    rules = fields_of(arguments, "family", "boundary", "resolution", "bounds")
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
