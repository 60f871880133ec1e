"""What the scores themselves say of a side of the diagonal that a fit states near an end."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES
from betaroc.core.special import share_ends
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.shifted import between_ends
from betaroc.estimation.record import PairEstimate
from betaroc.fits.target_checks import distance_words
from betaroc.inference.scores_beyond import Evidence, evidence_of_pair
from betaroc.model.improper_regions import Hook, hooks_of
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import Asked
from betaroc.rendering.numbers import number, percent

CONTRADICTED, CANNOT_TELL = "contradicted", "cannot tell"
#: Rates of clients and of impostors beyond a threshold, towards each end.
_RATES = {"at_zero": ("FRR", "TNR"), "at_one": ("TPR", "FAR")}
#: Both classes are counted beyond so many scores of the one that thins out there.
_EXTREMES = (5, 20, 100)
#: One-sided level of Fisher's test; a family is looked at from this rate on.
_LEVEL, _TAIL = 0.025, 0.01


class EndCounts(NamedTuple):
    """What counts say of a fitted ROC near one end."""

    #: "contradicted", "cannot tell", or "" where they have nothing against it.
    verdict: str
    #: Why, in words.
    words: str

    @property
    def contradicted(self) -> bool:
        """Whether they exclude the side."""
        return self.verdict == CONTRADICTED


def counts_at_end(f: PairEstimate, end: str, side: str, *, groups: bool = True) -> EndCounts:
    """Whether counts contradict that a fitted ROC lies on a side of the diagonal near an end.

        P(X >= x | x + k) <= 0.025,   X hypergeometric

    at the thresholds of the 5th, 20th and 100th most extreme score of the class that has the
    larger share there by the fit, as far as the curve stays on that side: x scores of the other
    class lie beyond, k of this one (Fisher's exact test).

    Parameters
    ----------
    f : PairEstimate
        Of any family, of Scores or of a ScoreSummary.
    end : str
        "at_zero" or "at_one", by the threshold.
    side : str
        "above" or "below", as the fit has it.
    groups : bool
        Where the scores carry groups, whether trials of one depend on each other.

    Returns
    -------
    EndCounts
        "cannot tell" where fewer than five scores lie on that stretch, or weights are no copies.

    Notes
    -----
    At the fitted rates themselves counts see nothing: a tail that is wrong has too few scores
    beyond. Of trials in groups counts are worth fewer (Korn and Graubard).
    """
    from scipy.stats import hypergeom

    evidence, upper = replace(evidence_of_pair(f), grouped=groups), end == "at_one"
    if not all(law.whole for law in evidence.counts):
        return EndCounts(CANNOT_TELL, "the counts cannot tell: weights are no numbers of copies")
    larger = int(upper == (side == "below"))
    scores = evidence.totals[larger] * _reach(f.model, end, side)
    if scores < _EXTREMES[0]:
        name = f"{CLASSES[larger]} score{'s' * (number(scores, 2) != '1')}"
        return EndCounts(
            CANNOT_TELL,
            f"the counts cannot tell: {number(scores, 2)} {name} expected where the fitted ROC is"
            f" {side} the diagonal",
        )
    t = _extreme_thresholds(evidence, larger, scores, upper=upper)
    shares, sizes = [], []
    for k in (larger, 1 - larger):
        shares.append(evidence.observed(k, t, above=upper) / evidence.totals[k])
        sizes.append(np.rint(evidence.effective(k, t, _LEVEL, above=upper)))
    own, other = (np.rint(share * size) for share, size in zip(shares, sizes, strict=True))
    p = hypergeom.sf(other - 1.0, sizes[0] + sizes[1], sizes[1], own + other)
    k = int(np.argmin(p))
    if p[k] >= _LEVEL:
        return EndCounts("", "")
    low, high = (percent(float(e[k])) for e in share_ends(other, sizes[1], _LEVEL))
    less, more = (percent(float(share[k])) for share in shares)
    rates = _RATES[end]
    return EndCounts(
        CONTRADICTED,
        f"contradicted by the scores: {rates[1 - larger]} {more} ({low.removesuffix(' %')} to"
        f" {high}) counted at {rates[larger]} {less}",
    )


def poorly_fitted(f: PairEstimate, end: str, *, groups: bool = True) -> str:
    """The class whose counts contradict the family, as in `check_fit`; or "".

    Towards the end, or anywhere by the distance of which a fit says that it does not describe them.
    """
    evidence = replace(evidence_of_pair(f), grouped=groups)
    for who, name in enumerate(CLASSES):
        near, rest = np.array([_TAIL]), np.array([1.0 - _TAIL])
        rates = (near, rest) if (end == "at_one") == (name == "impostor") else (rest, near)
        asked = Asked(("FRR", "FAR")[who], *rates, True)
        if evidence.misfit(asked) is not None or distance_words(evidence, who):
            return name
    return ""


def _reach(model: ScoreModel, end: str, side: str) -> float:
    """The rate, of both classes, up to which the curve stays on a side of the diagonal.

    Past the crossing nearest to the end where the curve takes the other side at the end itself.
    """
    crossings = model.diagonal_crossings()
    rates = crossings.far[::-1] if end == "at_one" else crossings.frr
    first = int(getattr(model.ends(), end).side not in (side, "on"))
    return float([*rates, 1.0, 1.0][first])


def _extreme_thresholds(evidence: Evidence, who: int, scores: float, *, upper: bool) -> Thresholds:
    places, copies = evidence.counts[who]._steps
    inside = between_ends(evidence.fitted[who], places) | (not evidence.dropped[who])
    order = slice(None, None, -1 if upper else 1)
    places, beyond = places[inside][order], np.cumsum(copies[inside][order])
    wanted = [k for k in _EXTREMES if k <= scores]
    extremes = places[np.minimum(np.searchsorted(beyond, wanted), places.size - 1)]
    return Thresholds.from_theta(np.nextafter(extremes, -math.inf) if upper else extremes)


def counted_hooks(f: PairEstimate, *, groups: bool = True) -> tuple[Hook, ...]:
    """The stretches of a fitted ROC below the diagonal, with what counts say of those at an end."""
    hooks = hooks_of(f.model, f.client.total_weight, f.impostor.total_weight)
    return tuple(
        hook._replace(counts=counts_at_end(f, hook.end, "below", groups=groups).words)
        if hook.seen and hook.end in _RATES else hook
        for hook in hooks
    )  # fmt: skip
