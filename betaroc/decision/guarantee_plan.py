"""What more scores bring to the guarantee of a rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from betaroc.core.special import beta_quantile
from betaroc.core.vocabulary import CLASS_SLOTS, short_name
from betaroc.decision.threshold_methods import fewest_of_order, needed_for_guarantee
from betaroc.rendering.numbers import rate, spaced
from betaroc.rendering.tree import Column, Node, Paragraph, apart, recorded
from betaroc.rendering.tree_text import records

#: Scores above the threshold, for which the table has a row.
_ACCEPTED = (0, 1, 4, 9, 49, 99)


def guarantee_plan(
    at: str, target: float, level: float, strata: int
) -> tuple[dict[str, Any], Sequence[Node]]:
    """The plan of a guaranteed FAR or FRR, also of each stratum, as numbers and as shown."""
    kind, _, _ = at.partition("=")
    who, name = "impostor" if kind == "far" else "client", short_name(kind)
    needed = needed_for_guarantee(target, level)
    columns = (Column("n", f"{CLASS_SLOTS[who][0]} scores", spaced), Column("beyond", "beyond"),
               Column("expected", f"{name} expected", rate), Column("guaranteed"))  # fmt: skip
    sizes = [(fewest_of_order(k + 1, target, level), k) for k in _ACCEPTED]
    table = recorded(columns, [(n, k, _expected(n, k, strata), target) for n, k in sizes])
    document = {
        "stat": f"guarantee@{at}", "class": who, "needed": needed, "rate": target,
        "level": level, "strata": strata, "table": records(table.kept), "warnings": [],
    }  # fmt: skip
    several = strata > 1
    in_all = f" of each of {strata} strata, {spaced(strata * needed)} in all," * several
    return document, apart(
        Paragraph(f"Collect {spaced(needed)} {CLASS_SLOTS[who][0]} scores{in_all} or more"),
        Paragraph(
            f"With {100 * level:g} % confidence the true {name} of the threshold that betaroc"
            f" threshold --{kind} {target:g} finds is then at most {100 * target:g} %"
            f"{' for each stratum' * several}, whatever the distributions are. Fewer guarantee"
            f" nothing; with more the {name} expected comes nearer to the target."
        ),
        table,
    )


def _expected(n: int, beyond: int, strata: int) -> float:
    """Mean rate of a threshold with so many of n scores beyond; of like strata the last."""
    if strata == 1:
        return (beyond + 1) / (n + 1)
    shares = (np.arange(1000) + 0.5) / 1000.0
    tails = -np.expm1(np.log1p(-shares) / strata)  # the least of so many beta-distributed rates
    return float(np.mean(beta_quantile(beyond + 1, n - beyond, tails)))
