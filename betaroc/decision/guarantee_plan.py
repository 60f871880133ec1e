"""How many scores the guarantee of a rate needs, and what more of them bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from betaroc.core.errors import refusal
from betaroc.core.text import format_value
from betaroc.core.vocabulary import RATE_NAMES, short_name
from betaroc.decision import threshold_methods
from betaroc.model.statistics import parse_statistic
from betaroc.rendering.numbers import rate, spaced
from betaroc.rendering.tree import Column, Node, Paragraph, apart, recorded
from betaroc.rendering.tree_text import records

#: Scores above the threshold, for which the table has a row.
_ACCEPTED = (0, 1, 4, 9, 49, 99)
#: No set has more scores of a class.
_MOST = 10**15


def guarantee_plan(point: str, level: float) -> tuple[dict[str, Any], Sequence[Node]]:
    """The plan of a point such as "far=0.01" as numbers and as what is shown."""
    if point.partition("=")[0] not in RATE_NAMES:
        rule = "be of a rate, such as guarantee@far=0.01"
        raise refusal("a guarantee", rule, format_value(point))
    where = parse_statistic(f"threshold@{point}").where
    asked = threshold_methods.checked_request(**where.keywords, confidence=level)
    kind, target, who, name = asked.kind, asked.rate, asked.who, short_name(asked.kind)
    needed = threshold_methods.needed_for_guarantee(target, level)
    if needed > _MOST:
        actual = f"{target!r}, which takes more than {_MOST:.0e} {who} scores"
        rule = "be one that a set of scores can guarantee"
        raise refusal("the rate", rule, actual, "Plan for a larger rate.")
    columns = (Column("n", f"{who} scores", spaced), Column("beyond", "beyond"),
               Column("expected", f"{name} expected", rate), Column("guaranteed"))  # fmt: skip
    sizes = [(threshold_methods.fewest_of_order(k + 1, target, level), k) for k in _ACCEPTED]
    table = recorded(columns, [(n, k, (k + 1) / (n + 1), target) for n, k in sizes])
    document = {
        "stat": f"guarantee@{kind}={target!r}", "class": who, "needed": needed, "rate": target,
        "level": level, "table": records(table.kept), "warnings": [],
    }  # fmt: skip
    return document, apart(
        Paragraph(f"Collect {spaced(needed)} {who} scores or more"),
        Paragraph(
            f"With {100 * level:g} % confidence the true {name} of the threshold that betaroc"
            f" threshold --{kind} {target:g} finds is then at most {100 * target:g} %, whatever the"
            f" distributions are. Fewer guarantee nothing; with more the {name} expected comes"
            " nearer to the target."
        ),
        table,
    )
