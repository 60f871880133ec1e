"""The distribution of scores known only as counts in bins, exact at the bins' borders."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import score_array, weights_array
from betaroc.core.errors import InputError
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import Empirical, EmpiricalPair
from betaroc.distributions.pairs import closed_forms


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Binned(Empirical):
    """Scores of which only the number in each bin (edge, next edge] is known.

        P(S <= edges[k]) = (counts[0] + ... + counts[k - 1]) / sum(counts)

    Parameters
    ----------
    edges : array_like, shape (k + 1,)
        Finite, ascending.
    counts : array_like, shape (k,)
        Scores in each bin, not negative; not all 0.

    Raises
    ------
    InputError
        If the edges do not ascend, their number is not one more than that of the counts, or a
        count is negative.
    InputTypeError
        If edges or counts are not real numbers.

    Notes
    -----
    Both tails are exact at the edges. The mass of a bin lies on its upper edge, so
    that between edges a rate is off by no more than the bin's share, `mean` is too large by
    at most the widest bin that is not empty, on average about half a bin's width, and
    `support` begins at the upper edge of the first bin that is not empty. A pair decides at
    edges.

    Examples
    --------
    >>> from betaroc import Binned
    >>> distribution = Binned([0.0, 0.5, 1.0], [3, 1])
    >>> distribution.cdf(0.5), distribution.sf(0.5), distribution.cdf(0.7)
    (0.75, 0.25, 0.75)
    """

    edges: Any = None
    counts: Any = None
    values: Any = field(init=False, repr=False, compare=False)
    weights: Any = field(init=False, repr=False, compare=False)

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        return {"edges": FloatArray, "counts": FloatArray}

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Binned:
        return cls(**content)

    def _columns(self) -> dict[str, Any]:
        return {"above": self.edges[:-1], "up_to": self.edges[1:], "count": self.counts}

    def __init__(self, edges: npt.ArrayLike, counts: npt.ArrayLike) -> None:
        places = score_array(edges, "edges")
        if places.size < 2 or np.any(np.diff(places) <= 0.0):
            raise InputError.about("edges")(
                f"edges must be two or more ascending numbers; got {places.size}, of which"
                f" {int(np.sum(np.diff(places) <= 0.0))} do not exceed the one before. Sort them"
                " and drop repeats."
            )
        given = {"edges": places, "counts": weights_array(counts, places.size - 1, "counts")}
        for name, value in (*given.items(), ("values", places[1:]), ("weights", given["counts"])):
            object.__setattr__(self, name, value)

    @cached_property
    def _steps(self) -> tuple[FloatArray, FloatArray]:
        occupied = self.counts > 0.0
        return self.edges[1:][occupied], np.asarray(self.counts[occupied], dtype=np.float64)


class BinnedPair(EmpiricalPair):
    """Counts in bins on either side, or samples beside them: it decides at edges."""

    at_edges = True


def is_binned(law: Distribution) -> TypeGuard[Binned]:
    """Whether only counts of bins are known, not the scores."""
    return isinstance(law, Binned)


closed_forms(Binned, Binned, BinnedPair)
closed_forms(Binned, Empirical, BinnedPair)
closed_forms(Empirical, Binned, BinnedPair)
