"""One class of several strata: the mixture of their distributions, and the worst of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import refusal
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Distribution, Tail, TwoArrays
from betaroc.distributions.empirical import Binned, Empirical, is_binned, is_counted
from betaroc.distributions.inflated import Inflated, Rejecting
from betaroc.distributions.mixture import Mixture

#: Where the stratum that is the worst next to an end is looked for, as a depth of its tails.
_OUTERMOST = np.array([690.0])


@dataclass(frozen=True, eq=False, repr=False)
class StrataMixture(Mixture):
    """The distribution of a class whose strata have given shares: F(x) = sum_k w_k F_k(x).

    Parameters
    ----------
    weights : sequence of float, length k
        As of :class:`BetaMixture`.
    components : sequence of Distribution, length k
        Continuous distributions, all on [0, 1] or none.

    Raises
    ------
    InputError, InputTypeError
        As :class:`BetaMixture`.

    Examples
    --------
    >>> import betaroc as br
    >>> br.results.StrataMixture([0.25, 0.75], [br.Beta(1, 1), br.Beta(2, 1)]).cdf(0.5)
    0.3125
    """

    weights: tuple[float, ...]
    components: tuple[Distribution, ...]

    _kind = Distribution

    @property
    def on_unit(self) -> bool:  # type: ignore[override]
        """Whether the components live on [0, 1]."""
        return self.components[0].on_unit


@dataclass(frozen=True, eq=False, repr=False)
class WorstStratum(Distribution):
    """At each threshold the stratum with the largest error rate.

        of impostors P(S > x) = max_k P(S_k > x),  of clients P(S <= x) = max_k P(S_k <= x)

    Parameters
    ----------
    components : sequence of Distribution
        Continuous distributions of the strata, all on [0, 1] or none.
    upper : bool
        Whether the error is a score above the threshold, as of impostors.

    Notes
    -----
    The density is that of the stratum that is the worst there, with a jump where another one
    becomes the worst. The distribution has no parameters of its own.

    Examples
    --------
    >>> import betaroc as br
    >>> br.results.WorstStratum((br.Beta(1, 1), br.Beta(2, 1)), upper=True).sf(0.5)
    0.75
    """

    components: tuple[Distribution, ...]
    upper: bool

    @property
    def on_unit(self) -> bool:  # type: ignore[override]
        """Whether the components live on [0, 1]."""
        return self.components[0].on_unit

    @property
    def support(self) -> tuple[float, float]:
        """From where the worst rate falls to where it is 0."""
        ends = np.array([law.support for law in self.components])
        low, high = (np.max if self.upper else np.min)(ends, axis=0).tolist()
        return low, high

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return self._integrated_moments()

    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        sides = np.array([law._side(t, lower=lower) for law in self.components])
        most = np.max if lower != self.upper else np.min
        value, log = most(sides, axis=0)
        return value, log

    def _worst(self, t: Thresholds) -> IntArray:
        """Which stratum is the worst, by the log of the smaller tail."""
        below, above = (
            np.array([law._side(t, lower=lower)[1] for law in self.components])
            for lower in (True, False)
        )
        if not self.upper:
            below, above = above, below
        by_tail = np.max(above, axis=0) < np.max(below, axis=0)
        return np.asarray(np.where(by_tail, np.argmax(above, axis=0), np.argmin(below, axis=0)))

    def _of_worst(self, values: Sequence[FloatArray], t: Thresholds) -> FloatArray:
        return np.asarray(np.take_along_axis(np.stack(values), self._worst(t)[None], axis=0)[0])

    def _log_density(self, t: Thresholds) -> FloatArray:
        return self._of_worst([law._log_density(t) for law in self.components], t)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        return self._of_worst([law._log_density_slope(t) for law in self.components], t)

    def _inverse(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        """The outermost of the strata's own: no rate is larger than the worst."""
        places = [law._inverse(p, log_p, lower=lower) for law in self.components]
        stacked = np.stack([np.stack(t._scales) for t in places])
        native = np.stack([self._native(t) for t in places])
        which = (np.argmax if self.upper else np.argmin)(native, axis=0)
        theta, complement, logit = np.take_along_axis(stacked, which[None, None], axis=0)[0]
        return Thresholds(theta, complement, logit)

    def _landmarks(self, depths: FloatArray) -> Thresholds:
        return Thresholds.concatenate([law._landmarks(depths) for law in self.components])

    def _tails(self) -> tuple[Tail, Tail]:
        low, high = (
            self._inverse(np.exp(-_OUTERMOST), -_OUTERMOST, lower=lower) for lower in (True, False)
        )
        first, last = (int(self._worst(t)[0]) for t in (low, high))
        return self.components[first]._tails()[0], self.components[last]._tails()[1]


def over_strata(
    laws: Sequence[Distribution], weights: FloatArray | None, *, upper: bool
) -> Distribution:
    """The mixture of strata by weights, or without weights the worst of them.

    `upper`: the error of the class is a score above the threshold.
    """
    if all(map(is_counted, laws)):
        return _counted(laws, weights, upper=upper)  # type: ignore[arg-type]
    if weights is not None:
        return _mixture(laws, weights)
    bare = [law for law in laws if law.atoms.places.size == 0]
    if len(bare) < len(laws):
        places = sorted({float(x) for law in laws for x in law.atoms.places})
        remedy = "Take the scores themselves, or fit them with another rule (boundary=)."
        rule = "be without point masses to have a smooth worst stratum"
        raise refusal("fits of strata", rule, f"masses at {places}", remedy)
    return WorstStratum(tuple(laws), upper)


def _mixture(laws: Sequence[Distribution], weights: FloatArray) -> Distribution:
    """The mixture of the continuous parts beside that of all masses."""
    pairs = [(w, law) for w, law in zip(weights.tolist(), laws, strict=True) if w > 0.0]
    shares, bases, masses = [], [], {-np.inf: 0.0, 0.0: 0.0, 1.0: 0.0}
    for weight, law in pairs:
        share, base = law.continuous or (0.0, law)
        shares.append(weight * share)
        bases.append(base)
        for place, mass in zip(*(x.tolist() for x in (law.atoms.places, law.atoms.masses)),
                               strict=True):  # fmt: skip
            masses[place] += weight * mass
    absent, at_zero, at_one = (masses[place] for place in (-np.inf, 0.0, 1.0))
    total = sum(shares)
    result: Distribution = StrataMixture(tuple(share / total for share in shares), tuple(bases))
    if at_zero or at_one:
        result = Inflated(result, at_zero / (1.0 - absent), at_one / (1.0 - absent))
    return Rejecting(result, absent) if absent else result


def _counted(laws: Sequence[Empirical], weights: FloatArray | None, *, upper: bool) -> Empirical:
    """Of scores: masses on the scores of all strata, which sum to 1."""
    places = np.concatenate([law._steps[0] for law in laws])
    order = np.argsort(places, kind="stable")
    new = np.diff(places[order], prepend=-np.inf, append=np.inf) > 0.0
    new[0] = True
    if weights is not None:
        parts = [w * law._steps[1] / law.total for w, law in zip(weights, laws, strict=True)]
        masses = np.add.reduceat(np.concatenate(parts)[order], np.flatnonzero(new[:-1]))
    elif upper:
        own = np.concatenate([law._above[:-1] / law.total for law in laws])[order]
        worst = np.maximum.accumulate(own[::-1])[::-1][new[:-1]]
        masses = -np.diff(worst, append=0.0)
    else:
        own = np.concatenate([law._below[1:] / law.total for law in laws])[order]
        worst = np.maximum.accumulate(own)[new[1:]]
        masses = np.diff(worst, prepend=0.0)
    places = places[order][new[:-1]]
    keep = masses > 0.0
    if not all(map(is_binned, laws)):
        return Empirical._of_steps(places[keep], masses[keep])
    edges = np.unique(np.concatenate([law.edges for law in laws]))  # type: ignore[attr-defined]
    counts = np.zeros(edges.size - 1)
    counts[np.searchsorted(edges, places) - 1] = masses
    return Binned(edges, counts)
