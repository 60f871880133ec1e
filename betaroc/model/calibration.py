"""Scores as likelihood ratios: the increasing map of least cost, and what it leaves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.distributions.empirical import Empirical, merged
from betaroc.model.roc_functions import sample_chain


class BayesError(NamedTuple):
    """Probabilities of an error at prior log odds, of :meth:`ScoreModel.bayes_error`.

    Parameters
    ----------
    actual : float or ndarray
        Of scores taken as log likelihood ratios.
    least : float or ndarray
        At the best threshold.

    Examples
    --------
    >>> import betaroc as br
    >>> br.ScoreModel(br.Normal(2, 2), br.Normal(-2, 2)).bayes_error(1.0).least < 0.2
    True
    """

    actual: Any
    least: Any


def class_probabilities(log_odds: FloatArray) -> FloatArray:
    """P(client) and P(impostor), each in its own precision, on the first axis."""
    with np.errstate(over="ignore"):
        return np.array([1.0 / (1.0 + np.exp(sign * log_odds)) for sign in (-1.0, 1.0)])


class PavBlocks(NamedTuple):
    """Runs of scores of one likelihood ratio, ascending."""

    #: The smallest and the largest score of each block; -inf of trials without a score.
    low: FloatArray
    high: FloatArray
    #: Weights of both classes in each block.
    client: FloatArray
    impostor: FloatArray

    @property
    def shares(self) -> tuple[FloatArray, FloatArray]:
        """Of all clients and of all impostors."""
        return self.client / np.sum(self.client), self.impostor / np.sum(self.impostor)

    @property
    def log_ratio(self) -> FloatArray:
        with np.errstate(divide="ignore"):
            client, impostor = map(np.log, self.shares)
        return np.asarray(client - impostor)

    def block_of(self, scores: FloatArray) -> IntArray:
        """The block of each score; between two blocks the upper one."""
        return np.minimum(np.searchsorted(self.high, scores), self.high.size - 1)


def pav(client: Empirical, impostor: Empirical) -> PavBlocks:
    """Pool adjacent violators: the increasing map of scores to likelihood ratios of two samples.

    Ties are in one block; the shares of the classes do not matter. O(n) after the sort.
    """
    from scipy.optimize import isotonic_regression

    gaps = merged(client._steps, impostor._steps, whole=True, at_edges=False)
    places, masses = gaps.places, np.array([gaps.client, gaps.impostor])
    if any(gaps.rejected):
        places, masses = np.append(-np.inf, places), np.column_stack([gaps.rejected, masses])
    whole = np.sum(masses, axis=0)
    # Pooled in floating point; of what is left the hull is exact in counts.
    pooled = isotonic_regression(masses[0] / whole, weights=whole).blocks
    x, y = np.cumsum(
        np.append(np.zeros((2, 1)), np.add.reduceat(masses, pooled[:-1], axis=1), 1), 1
    )
    chain = sample_chain(x, y)
    ends = pooled[chain]
    return PavBlocks(places[ends[:-1]], places[ends[1:] - 1], np.diff(x[chain]), np.diff(y[chain]))
