"""Checks of dev and test scores: reversed classes, other scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from betaroc.core.errors import ReversedScoresWarning, ScaleWarning, refusal
from betaroc.core.notices import warn
from betaroc.core.vocabulary import CLIENTS, IMPOSTOR, IMPOSTORS, worded
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import is_counted
from betaroc.distributions.pairs import pair_of

#: Client and impostor distribution of one side.
Distributions = tuple[Distribution, Distribution]

#: Scores of a class that a statement about its spread needs, of a side about its range.
_ENOUGH = 20
#: Ratio of two spreads that no change of conditions explains.
_RATIO = 10.0
#: What either check asks of a distribution, together: many scores are looked at once for all three.
_QUANTILES = np.array([0.05, 0.5, 0.95])


def is_lower(data: object) -> bool:
    """Whether clients have the lower scores."""
    owner = getattr(data, "model", getattr(data, "scores", data))
    return bool(getattr(owner, "lower_is_client", False))


def check_sense(data: object, name: str, like: object = None) -> None:
    """Refuse scores of another sense than others have, or than a call can answer."""
    if is_lower(data) != is_lower(like):
        rule = f"be scores of which clients have the {'lower' if is_lower(like) else 'higher'} ones"
        remedy = worded("Give both the same `lower_is_client`, or pass -score.")
        raise refusal(name, rule, f"lower_is_client={is_lower(data)}", remedy)


def warn_of_scales(dev: Distributions, test: Distributions) -> None:
    """Warn of sides that seem to be on different scales."""
    if not all(is_counted(law) for law in (*dev, *test)):
        return
    sides = _scored(dev), _scored(test)
    why = _unit_against_real(sides) or _other_spread(sides)
    if why:
        warn(
            f"dev and test seem to be on different scales: {why}. A threshold chosen on dev means"
            " the same on test only if one function made both scores; convert one of them.",
            ScaleWarning,
        )


def warn_of_reversed(laws: Distributions, name: str) -> None:
    """Warn of an AUC below 1/2."""
    laws = _scored(laws)
    medians = [np.asarray(law.ppf(_QUANTILES))[1] for law in laws]
    if not medians[0] < medians[1]:
        return
    auc = pair_of(*laws).auc()
    if auc < 0.5:
        warn(
            f"{name}: {IMPOSTORS} and {CLIENTS} are the wrong way round (AUC {auc:.4f} < 0.5)."
            " Nothing is flipped: if the labels are right, turn"
            + worded(" `lower_is_client` round, which says that lower scores mean clients."),
            ReversedScoresWarning,
        )


def _scored(laws: Distributions) -> Distributions:
    return laws[0]._scored, laws[1]._scored


def _unit_against_real(sides: tuple[Any, Any]) -> str | None:
    sizes = [sum(law.total for law in side) for side in sides]
    if min(sizes) < _ENOUGH:
        return None
    for k, name, other in ((0, "dev", "test"), (1, "test", "dev")):
        if all(law.support[0] >= 0.0 and law.support[1] <= 1.0 for law in sides[k]):
            beyond = [law.cdf(np.nextafter(0.0, -1.0)) + law.sf(1.0) for law in sides[1 - k]]
            share = np.average(beyond, weights=[law.total for law in sides[1 - k]])
            if share > 0.5:
                return f"all of {name} lies in [0, 1], {100 * share:.3g} % of {other} outside"
    return None


def _other_spread(sides: tuple[Any, Any]) -> str | None:
    if min(law.total for side in sides for law in side) < _ENOUGH:
        return None
    # By side, class and end.
    ends = np.array([[np.asarray(law.ppf(_QUANTILES))[[0, 2]] for law in side] for side in sides])
    low, high = np.moveaxis(ends, 2, 0)
    widths = np.sort(high - low, axis=0)
    wide = (widths[0] > 0.0) & (widths[1] > _RATIO * widths[0])
    apart = (high[0] < low[1]) | (high[1] < low[0])
    if wide.all() or apart.all():
        impostors = ends[:, 1].tolist()
        shown = " and ".join(f"{first:.4g} to {last:.4g}" for first, last in impostors)
        return f"90 % of the {IMPOSTOR} scores of dev and of test lie in {shown}"
    return None
