"""How many scores an area, average precision or the H measure is worth, and its interval."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.special import share_ends
from betaroc.distributions.empirical import Empirical
from betaroc.inference.auc import welch
from betaroc.inference.counted_scores import CountedScores, number_of_scores
from betaroc.inference.interval import Limits
from betaroc.inference.rate_errors import effective_size
from betaroc.model.areas import cost_losses
from betaroc.model.asking import Asking
from betaroc.model.measures import precision_of

#: The hull of few scores is too good by this part of what leaving each of them out costs.
_OPTIMISM = 0.75
#: How likely scores have more or fewer rare impostors than are reckoned with.
_UNSEEN = 0.1


class Influence(NamedTuple):
    """A share of scores, and what each distinct score of a class adds to it, up to a constant."""

    share: float
    client: FloatArray
    impostor: FloatArray
    #: What the share is too large by.
    optimism: float = 0.0


def influence_of(counted: CountedScores, asking: Asking) -> Influence:
    """Of a partial area over its range, of average precision, or of the H measure."""
    return INFLUENCES[asking.name](counted, asking)


def of_trials(counted: CountedScores, influence: Influence) -> tuple[FloatArray, FloatArray]:
    """What each trial adds, less the mean of its class, in the order of the scores."""
    found = []
    for who, law, part in zip(CLASSES, counted.evidence.counts, influence[1:3], strict=True):
        places, masses = law._steps
        # A trial without weight has any place.
        at = np.minimum(np.searchsorted(places, getattr(counted.data, who)), part.size - 1)
        found.append((part - part @ masses / law.total)[at])
    return found[0], found[1]


def share_interval(counted: CountedScores, influence: Influence, tail: float) -> Limits:
    """Clopper and Pearson's ends of a share of as many scores as it is worth.

    The variance is that of a sum of two means with Welch's degrees of freedom, with groups that
    between them.
    """
    evidence, laws = counted.evidence, counted.evidence.counts
    groups, parts = evidence.groups, influence[1:3]
    if groups is None:
        variances = []
        for part, law in zip(parts, laws, strict=True):
            masses, n = law._steps[1], law.total
            squares = (part - part @ masses / n) ** 2 @ masses
            variances.append(float(squares / n / (n - 1.0)))
        variance, freedom = welch(variances, [law.total - 1.0 for law in laws])
    else:
        client, impostor = (part[:, None] / law.total for part, law in zip(
            of_trials(counted, influence), laws, strict=True))  # fmt: skip
        variance = float(np.sum(groups.covariance(client, impostor)))
        freedom = min(size for size in groups.sizes if size is not None) - 1.0
    share = min(max(influence.share - influence.optimism, 0.0), 1.0)
    sizes = sum(evidence.totals), min(evidence.sizes)
    n = float(effective_size(share, variance, *sizes, freedom, tail))
    low, high = (float(end) for end in share_ends(share * n, n, tail))
    # The scores' own number is possible too.
    return min(low, influence.share), max(high, influence.share)


def ends_of_rare(counted: CountedScores, asking: Asking) -> Limits:
    """The number with as many and as few impostors above all clients as one sample in ten hides.

    A rare kind of impostor that the scores do not show, or show too often, adds no variance.
    """
    client, impostor = counted.evidence.counts
    (clients, _), (places, masses), n = client._steps, impostor._steps, counted.evidence.sizes[1]
    kept = places <= clients[-1]
    rest, top = masses[kept].sum(), np.nextafter(max(clients[-1], places[-1]), np.inf)
    if not rest:
        return (counted.number(asking),) * 2
    found = []
    for share in share_ends((1.0 - rest / impostor.total) * n, n, _UNSEEN):
        weights = np.append(masses[kept], share / (1.0 - share) * rest)
        law = Empirical._of_checked(np.append(places[kept], top), weights)
        found.append(number_of_scores(asking, replace(counted.model, impostor=law)))
    return found[1], found[0]


# ------------------------------------------------------------------------ what scores add
def _shares_beyond(law: Empirical, places: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of a class, the share above each place, and that at it or above."""
    above, at = (law._above[np.searchsorted(law._steps[0], places, s)] for s in ("right", "left"))
    return above / law.total, at / law.total


def _partial_area(counted: CountedScores, asking: Asking) -> Influence:
    """The mean over FARs of a range of the share of clients above the impostor there.

    A client adds the part of the range at which it is above, an impostor the TPR just at it
    within those of the range.
    """
    (low, high), laws = asking.where.value, counted.evidence.counts
    (clients, masses), (impostors, _) = (law._steps for law in laws)
    far, tpr = _shares_beyond(laws[1], impostors), _shares_beyond(laws[0], impostors)
    x, y = (np.transpose(rate)[::-1].ravel() for rate in (far, tpr))
    ends = np.interp([low, high], x, y)
    width = high - low
    client = (high - _mean_within(*_shares_beyond(laws[1], clients), low, high)) / width
    impostor = _mean_within(*tpr, *ends) / width
    share = float(client @ masses / laws[0].total)
    return Influence(min(share, 1.0), client, impostor)


def _mean_within(first: FloatArray, last: FloatArray, low: float, high: float) -> FloatArray:
    """The mean of what lies between two numbers, each cut to a range."""

    def integral(x: FloatArray) -> FloatArray:
        inner = np.clip(x - low, 0.0, high - low)
        return low * x + 0.5 * inner**2 + (high - low) * np.maximum(x - high, 0.0)

    run = last - first
    some = run > 0.0
    mean = (integral(last) - integral(first)) / np.where(some, run, 1.0)
    return np.where(some, mean, np.clip(first, low, high))


def _average_precision(counted: CountedScores, asking: Asking) -> Influence:
    """What the mean of n scores would lose without each of them, times n - 1: the jackknife.

    Without a score there is a precision at every place up to it and another one above it, which
    do not depend on the score: sums of both along the places give all means at once.
    """
    laws, prior = counted.evidence.counts, counted.model.prior
    (clients, masses), (impostors, _) = (law._steps for law in laws)
    (n, m), share = (law.total for law in laws), counted.number(asking)
    tpr, far = (_shares_beyond(law, clients)[1] for law in laws)

    def without(tprs: Any, fars: Any) -> tuple[FloatArray, FloatArray]:
        """Sums of precisions over the clients up to each place, and those that are left out."""
        upto, above = (
            np.nan_to_num(precision_of(prior, *rates)) for rates in zip(tprs, fars, strict=True)
        )
        rest = np.cumsum((masses * above)[::-1])[::-1]
        sums = np.cumsum(np.append(0.0, masses * upto)) + np.append(rest, 0.0)
        return sums, upto

    sums, left_out = without(((n * tpr - 1.0) / (n - 1.0), n * tpr / (n - 1.0)), (far, far))
    client = (n - 1.0) * share - (sums[1:] - left_out)
    sums = without((tpr, tpr), ((m * far - 1.0) / (m - 1.0), m * far / (m - 1.0)))[0]
    impostor = (m - 1.0) * (share - sums[np.searchsorted(clients, impostors, "right")] / n)
    return Influence(share, client, impostor)


def _h_measure(counted: CountedScores, asking: Asking) -> Influence:
    """Minus the least expected cost of each score at its chord of the hull.

    Along the hull costs are least, so that a score moves them by its own cost alone. Its chord
    without it, where costs are larger, tells by how much the hull suits these very scores.
    """
    from scipy.optimize import isotonic_regression

    laws, prior, losses = counted.evidence.counts, counted.model.prior, cost_losses(2.0, 2.0)
    places = np.union1d(*(law._steps[0] for law in laws))
    index = [np.searchsorted(places, law._steps[0]) for law in laws]
    units = [share / law.total for share, law in zip((prior, 1.0 - prior), laws, strict=True)]
    both = np.zeros((2, places.size))
    for row, law, at, unit in zip(both, laws, index, units, strict=True):
        row[at] = unit * law._steps[1]
    pooled = isotonic_regression(both[0] / np.sum(both, axis=0), weights=np.sum(both, axis=0))
    chords = np.add.reduceat(both, pooled.blocks[:-1], axis=1)
    # Losses are an impostor's first.
    shares = np.clip(chords[0] / np.sum(chords, axis=0), 0.0, 1.0)
    costs = losses(shares)[::-1]
    total = float(np.dot((1.0 - prior, prior), losses(np.array(prior))))
    optimism = 0.0
    for k in (0, 1):
        left = chords.copy()
        left[k] = np.maximum(left[k] - units[k], 0.0)
        without = np.sum(left, axis=0)
        moved = np.divide(left[0], without, out=np.full(without.size, float(k)), where=without > 0)
        optimism += chords[k] @ (losses(moved)[1 - k] - costs[k])
    chord = np.repeat(np.arange(shares.size), np.diff(pooled.blocks))
    client, impostor = (
        -law.total * unit / total * cost[chord[at]]
        for law, unit, cost, at in zip(laws, units, costs, index, strict=True)
    )
    off = _OPTIMISM * float(optimism / total)
    return Influence(counted.number(asking), client, impostor, off)


#: What has an interval by the number of scores that it is worth.
INFLUENCES = {
    "partial-auc": _partial_area, "average-precision": _average_precision,
    "h-measure": _h_measure,
}  # fmt: skip
