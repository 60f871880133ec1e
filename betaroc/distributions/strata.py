"""One class of several strata: the mixture of their distributions, and the worst of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
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
        return self.components[0].on_unit


@dataclass(frozen=True, eq=False, repr=False)
class WorstStratum(Distribution):
    """At each threshold the stratum with the largest error rate.

        of impostors P(S > x) = max_k P(S_k > x),  of clients P(S <= x) = max_k P(S_k <= x)

    Parameters
    ----------
    components : sequence of Distribution
        Distributions of the strata with a density, all on [0, 1] or none; where some have point
        masses, this is the continuous part of the worst, between its own masses.
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

    on_unit = StrataMixture.on_unit

    @property
    def support(self) -> tuple[float, float]:
        """From where the worst rate falls to where it is 0."""
        ends = np.array([law.support for law, *_ in self._parts])
        low, high = (np.max if self.upper else np.min)(ends, axis=0).tolist()
        return low, high

    @cached_property
    def _parts(self) -> list[tuple[Distribution, float, dict[bool, float]]]:
        """Each stratum's continuous part, its share of the worst's, and the mass beside."""
        shares, bases = zip(*(law.continuous or (1.0, law) for law in self.components), strict=True)
        (_, below, at_one), (_, first, last) = _masses_of(self.components, self.upper)
        rest = 1.0 - first - last
        beside = np.array([below - first, at_one - last]) / rest
        ends = [{True: low, False: high} for low, high in beside.T.tolist()]
        return [*zip(bases, (share / rest for share in shares), ends, strict=True)]

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return self._integrated_moments()

    def _rows(self, t: Thresholds, *, lower: bool) -> FloatArray:
        """The tails of the strata and their logs."""
        rows = []
        for law, share, beside in self._parts:
            value, log = law._side(t, lower=lower)
            value, log = share * value, log + math.log(share)
            if beside[lower]:
                value = np.clip(value + beside[lower], 0.0, 1.0)
                with np.errstate(divide="ignore"):
                    log = np.log(value)
            rows.append((value, log))
        return np.array(rows)

    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        value, log = self._most(lower)(self._rows(t, lower=lower), axis=0)
        if any(share != 1.0 for _, share, _ in self._parts):
            # Next to 1 the log is minus the other tail.
            rest = self._most(not lower)(self._rows(t, lower=not lower)[:, 0], axis=0)
            value = np.minimum(value, 1.0)
            with np.errstate(divide="ignore"):
                log = np.where(value > 0.5, np.log1p(-np.minimum(rest, 1.0)), log)
        return value, log

    def _most(self, lower: bool) -> Any:
        return np.max if lower != self.upper else np.min

    def _worst(self, t: Thresholds) -> IntArray:
        """The worst stratum, by the log of the smaller tail."""
        below, above = (self._rows(t, lower=lower)[:, 1] for lower in (True, False))
        if not self.upper:
            below, above = above, below
        by_tail = np.max(above, axis=0) < np.max(below, axis=0)
        return np.asarray(np.where(by_tail, np.argmax(above, axis=0), np.argmin(below, axis=0)))

    def _of_worst(self, values: Sequence[FloatArray], t: Thresholds) -> FloatArray:
        return np.asarray(np.take_along_axis(np.stack(values), self._worst(t)[None], axis=0)[0])

    def _log_density(self, t: Thresholds) -> FloatArray:
        logs = [law._log_density(t) + math.log(share) for law, share, _ in self._parts]
        return self._of_worst(logs, t)

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        return self._of_worst([law._log_density_slope(t) for law, *_ in self._parts], t)

    def _inverse(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        """The outermost of the strata's."""
        places = []
        for law, share, beside in self._parts:
            own = np.clip((p - beside[lower]) / share, 0.0, 1.0)
            with np.errstate(divide="ignore"):
                log = np.log(own) if beside[lower] else np.minimum(log_p - math.log(share), 0.0)
            places.append(law._inverse(own, log, lower=lower))
        stacked = np.stack([np.stack(t._scales) for t in places])
        native = np.stack([self._native(t) for t in places])
        which = (np.argmax if self.upper else np.argmin)(native, axis=0)
        theta, complement, logit = np.take_along_axis(stacked, which[None, None], axis=0)[0]
        return Thresholds(theta, complement, logit)

    def _landmarks(self, depths: FloatArray) -> Thresholds:
        return Thresholds.concatenate([law._landmarks(depths) for law, *_ in self._parts])

    def _tails(self) -> tuple[Tail, Tail]:
        tails = []
        for end, lower in enumerate((True, False)):
            t = self._inverse(np.exp(-_OUTERMOST), -_OUTERMOST, lower=lower)
            law, share, _ = self._parts[int(self._worst(t)[0])]
            tail = law._tails()[end]
            log_c = tail.log_coefficient + math.log(share)
            tails.append(replace(tail, log_coefficient=log_c, share=share * tail.share))
        return tails[0], tails[1]


def _masses_of(laws: Sequence[Distribution], upper: bool) -> tuple[FloatArray, tuple[float, ...]]:
    """Masses of the strata at -inf, 0 and 1, then those of the worst."""
    known = [dict(zip(law.atoms.places, law.atoms.masses, strict=True)) for law in laws]
    absent, zero, one = (
        np.array([masses.get(place, 0.0) for masses in known]) for place in (-math.inf, 0.0, 1.0)
    )
    least, most = (np.min, np.max) if upper else (np.max, np.min)
    each = np.array([absent, absent + zero, one])
    return each, (float(least(absent)), float(least(absent + zero)), float(most(one)))


def over_strata(
    laws: Sequence[Distribution], weights: FloatArray | None, *, upper: bool
) -> Distribution:
    """The mixture of strata by weights, or without weights the worst of them.

    `upper`: the error of the class is a score above the threshold.
    """
    if weights is not None and np.any(weights == 1.0):
        return laws[int(np.argmax(weights))]
    if all(map(is_counted, laws)):
        return _counted(laws, weights, upper=upper)  # type: ignore[arg-type]
    each, worst = _masses_of(laws, upper)
    if weights is None:
        base: Distribution = WorstStratum(tuple(laws), upper)
        absent, at_zero, at_one = worst[0], worst[1] - worst[0], worst[2]
    else:
        parts = [(law.continuous or (1.0, law), w) for law, w in zip(laws, weights, strict=True)]
        shares = np.array([share * w for (share, _), w in parts if w > 0.0])
        bases = tuple(law for (_, law), w in parts if w > 0.0)
        base = StrataMixture(tuple(shares / shares.sum()), bases)
        absent, at_zero, at_one = np.array([each[0], each[1] - each[0], each[2]]) @ weights
    if at_zero or at_one:
        base = Inflated(base, float(at_zero / (1.0 - absent)), float(at_one / (1.0 - absent)))
    return Rejecting(base, float(absent)) if absent else base


def _counted(laws: Sequence[Empirical], weights: FloatArray | None, *, upper: bool) -> Empirical:
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
