"""An interval: an estimate, its two ends, and how sure one may be of them."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

from betaroc.core.value import Result

__all__ = ["Interval", "from_log", "from_logit"]

#: Beyond it the exponential function leaves the doubles.
_LARGEST = math.log(sys.float_info.max)


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Result):
    """A confidence interval of one number.

    Parameters
    ----------
    estimate : float
        The number.
    low, high : float
        The ends.
    level : float
        The confidence asked for.
    method : str
        How the ends were found.
    n_beyond : float, optional
        Scores (groups, where trials depend on each other by them) that speak for the number;
        None where it speaks of no rate.
    extrapolated : bool
        Whether the number was read off a fitted distribution where less than one score is
        expected.

    Examples
    --------
    >>> import betaroc as br
    >>> br.auc_interval(br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])).estimate
    0.8125
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n_beyond: float | None = None
    extrapolated: bool = False


def from_log(y: float) -> float:
    """exp(y); where that leaves the doubles the end of the scale, 0 or inf; nan of nan."""
    return math.inf if y > _LARGEST else math.exp(y)


def from_logit(y: float) -> float:
    """1/(1 + exp(-y)); where that leaves the doubles the end of the scale; nan of nan."""
    if y < 0.0:
        odds = math.exp(y)
        return odds / (1.0 + odds)
    return 1.0 / (1.0 + math.exp(-y))
