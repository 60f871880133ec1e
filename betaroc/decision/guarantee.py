"""A threshold whose true error rate is bounded with a confidence, whatever the distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.notices import passed_on, public
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Result
from betaroc.data.scores import Scores, require_scores
from betaroc.fits.fit import Fit
from betaroc.inference.scores_beyond import Evidence, tell
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import Asked
from betaroc.rendering.nouns import Noun

#: Of a rate of 0 or 1 that was asked for.
NO_RATE_OF_ZERO = "No sample shows a rate of 0; 1 % is 0.01."
#: Chances of failure that agree to this are equal but for rounding.
_TIED = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class GuaranteedThreshold(Result, Noun):
    """A threshold, what it guarantees, and what it did on the scores that gave it.

    Made by :func:`guaranteed_threshold`.

    Parameters
    ----------
    threshold : float
        Accept iff score > threshold.
    kind : str
        "far" or "frr": the rate that is bounded.
    rate : float
        Its bound.
    confidence : float
        The probability asked for.
    achieved : float
        P(true rate <= rate) for a continuous distribution; any other distribution has at least
        this.
    far, frr : float
        Both rates observed on the scores themselves.
    n : int
        Scores of the class of the bounded rate.
    k : int
        The threshold comes from the k-th largest impostor or k-th smallest client score.
    n_needed : int
        The fewest scores of that class with which any threshold keeps the bound.
    model_threshold : float, optional
        Where the fitted model has the rate; it carries no guarantee.
    n_beyond : float
        Scores that speak for the rate, n min(rate, 1 - rate); of groups one trial each. Follows
        from the others.
    extrapolated : bool
        Whether the model's threshold lies where fewer than one score is expected. The guaranteed
        threshold itself is an order statistic: it rests on no distribution. Follows from the
        others.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([2, 3, 4], [k / 10 for k in range(30)])
    >>> found = br.guaranteed_threshold(scores, far=0.1)
    >>> found.threshold, found.k, found.n, found.n_needed, found.model_threshold
    (2.9, 1, 30, 29, None)
    """

    threshold: float
    kind: str
    rate: float
    confidence: float
    achieved: float
    far: float
    frr: float
    n: int
    k: int
    n_needed: int
    model_threshold: float | None = None
    n_beyond: float = math.nan
    extrapolated: bool = False

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        """The rate under the word of `Decision`: the kind of a document is its class."""
        types = super()._document_types()
        return {{"kind": "target"}.get(name, name): kind for name, kind in types.items()}

    def _document_part(self, name: str) -> Any:
        return super()._document_part("kind" if name == "target" else name)

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> GuaranteedThreshold:
        return super()._restored(content | {"kind": content.pop("target")})

    def __post_init__(self) -> None:
        beyond = self.n * min(self.rate, 1.0 - self.rate)
        object.__setattr__(self, "n_beyond", beyond)
        alone = self.model_threshold is not None and beyond < 1.0
        object.__setattr__(self, "extrapolated", alone)


@public
def guaranteed_threshold(
    scores: Scores | Fit,
    *,
    far: float | None = None,
    frr: float | None = None,
    confidence: float = 0.95,
    model: ScoreModel | Fit | None = None,
) -> GuaranteedThreshold:
    """The best threshold whose true FAR, or FRR, is bounded with a given confidence.

        far=x: the k-th largest impostor score,   frr=x: just below the k-th smallest client score,
        k = max{j : P(Binomial(n, x) >= j) >= confidence}

    Parameters
    ----------
    scores : Scores or Fit
        Independent trials; a fit brings its scores and its model.
    far, frr : float
        Exactly one of them: the bound on the true rate, strictly between 0 and 1.
    confidence : float
        Probability, over samples of this size, that the true rate keeps the bound.
    model : ScoreModel or Fit, optional
        Its threshold of the same rate is put beside; that of the fit where left out.

    Returns
    -------
    GuaranteedThreshold
        The lowest threshold for `far`, the highest for `frr`, that an order
        statistic can bound.

    Raises
    ------
    InputError
        If not exactly one rate is given, a rate or the confidence is not strictly
        between 0 and 1, weights are not whole numbers, or there are too few scores, or groups
        of them where these depend on each other: fewer than
        log(1 - confidence) / log(1 - rate), rounded up.
    InputTypeError
        If `scores` are neither scores nor a fit, or `model` neither a model nor a fit.

    Warns
    -----
    ExtrapolationWarning, MisfitWarning
        Of the threshold of a fit that stands beside: if less than one score is expected beyond the
        rate, or the scores counted there contradict the fit.

    Notes
    -----
    Distribution-free, ties included: let q be the lowest threshold with
    P(I > q) <= x. Then P(I >= q) >= x, and the k-th largest impostor score is at
    least q iff k scores are, which has probability P(Binomial(n, P(I >= q)) >= k)
    >= P(Binomial(n, x) >= k); equal for a continuous distribution. The clients mirror this
    with P(C < t). The threshold for `frr` is the largest double below the order
    statistic, since a score equal to the threshold is rejected.

    The guarantee is for scores like these: same distribution, independent. With groups it is
    approximate: counts are worth as many independent ones as their variance between groups says
    (Korn and Graubard), at the threshold or where the target is counted if that is fewer, and `n`
    is their number; without errors a group is one trial. Simulated, 95 % confidence: of 100 to 1000
    groups of 5 to 20 trials in five distributions .952 (least .91) of the thresholds keep
    the bound, the mean true rate .74 of it; of 60 groups .939 (least .85). The model's
    threshold is the plug-in one and guarantees nothing; it extrapolates where
    rate < 1/n. Chances of failure within 1e-12 relative count as equal. The bound is
    docs/theory.md, (12).

    References
    ----------
    Wilks, S. S. (1941), Determination of sample sizes for setting tolerance
    limits, Annals of Mathematical Statistics 12.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([k / 50 for k in range(50)], [0.0, 0.1])
    >>> found = br.guaranteed_threshold(scores, frr=0.2)
    >>> found.k, round(found.threshold, 9), found.frr, round(found.achieved, 4)
    (6, 0.1, 0.1, 0.952)
    """
    kind, rate = _asked(far, frr)
    confidence = checks.level(confidence, "confidence")
    if isinstance(scores, Fit):
        model = scores if model is None else model
    scores = require_scores(
        scores.scores if isinstance(scores, Fit) else scores,
        "a guaranteed threshold",
        kinds="Scores or a fit",
        hint="A model alone has no sample to guarantee anything: see its threshold_at_far and"
        " threshold_at_frr.",
        rejected=True,
    )
    beside = _model_threshold(model, kind, rate)
    extremes = OrderedScores.of(scores, kind, rate, confidence)
    needed = needed_for_guarantee(rate, confidence)
    if extremes.units < needed:
        raise InputError(_too_few(extremes, rate, confidence, needed, beside is not None))
    k, hits, size = extremes.most(lambda x, n: keeps_bound(n, x + 1, rate, confidence))
    if extremes.absent > k:
        raise InputError.about("frr")(
            f"frr={rate!r} must be possible to guarantee: {k} of {extremes.n} clients may be"
            f" rejected, and {extremes.absent} have no score, whom no threshold accepts. Ask for a"
            " larger rate."
        )
    threshold, (client, impostor) = extremes.threshold(k), scores._distributions
    if isinstance(model, Fit):
        at = np.array(rate), np.array(1.0 - rate)
        with passed_on("of the fit's threshold, not of the guaranteed one: "):
            tell(model._evidence, [Asked(kind.upper(), *at, solved=True)])
    return GuaranteedThreshold(
        threshold=threshold,
        kind=kind,
        rate=rate,
        confidence=confidence,
        achieved=_chance(size, hits + 1, rate),
        far=float(impostor.sf(threshold)),
        frr=float(client.cdf(threshold)),
        n=math.floor(size),
        k=k + 1,
        n_needed=needed,
        model_threshold=beside,
    )


@dataclass(frozen=True, eq=False)
class OrderedScores:
    """Scores of a class from the end inwards, and how many independent ones they are worth.

    Parameters
    ----------
    kind : str
        "far" of impostors from the highest, "frr" of clients from the lowest score.
    places, upto : ndarray, shape (k,)
        Distinct scores, those of clients negated, descending; how many lie as far out or farther.
    evidence : Evidence
        The scores with what trials depend on.
    rate, confidence : float
        The target.
    """

    kind: str
    places: FloatArray
    upto: FloatArray
    evidence: Evidence
    rate: float
    confidence: float

    @classmethod
    def of(cls, scores: Scores, kind: str, rate: float, confidence: float) -> OrderedScores:
        """Of all trials, whose weights must be whole."""
        who = 1 if kind == "far" else 0
        name = ("client", "impostor")[who]
        refuse_fractional_weights(getattr(scores, f"{name}_weights"), name, "for a guarantee")
        evidence = Evidence(scores._trials)
        places, masses = evidence.counts[who]._steps
        if who:
            places, masses = places[::-1], masses[::-1]
        else:
            places = -places
        return cls(kind, places, np.cumsum(masses), evidence, rate, confidence)

    @property
    def n(self) -> int:
        """Trials."""
        return int(self.upto[-1])

    @property
    def units(self) -> int:
        """Trials, or groups of them, that are independent of each other."""
        return int(self.evidence.sizes[self.kind == "far"])

    @property
    def absent(self) -> int:
        """Trials without a score, of a target of FRR."""
        return int(self.upto[0]) if self.places[0] == math.inf else 0

    def threshold(self, k: int) -> float:
        """Where at most k lie beyond: the next one, that of clients just accepted."""
        place = float(self.places[np.searchsorted(self.upto, k + 1)])
        return place if self.kind == "far" else math.nextafter(-place, -math.inf)

    def beyond(self, k: int) -> int:
        """How many do lie beyond: fewer than k where scores tie."""
        at = int(np.searchsorted(self.upto, k + 1))
        return int(self.upto[at - 1]) if at else 0

    def most(self, keeps: Callable[[float, float], bool]) -> tuple[int, float, float]:
        """The most trials k that may lie beyond by a rule for x of n independent ones; x and n.

        k is -1 where not even none may.
        """
        counts: Sequence[int] = range(self.n)
        if self.evidence.groups is not None:
            counts = [0, *self.upto[:-1].astype(int).tolist()]
        low, high = -1, len(counts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if keeps(*self.worth(counts[middle])) else (low, middle)
        k = counts[low] if low >= 0 else -1
        return k, *self.worth(max(k, 0))

    def worth(self, k: int) -> tuple[float, float]:
        """x of n independent trials that say as much as k of all, those of groups together.

        Few groups show little of how they vary: n is no larger than where the target is counted.
        """
        if self.evidence.groups is None or not k:
            return float(k), float(self.units)
        size = min(self._size(k), self._size(max(math.floor(self.rate * self.n), 1)))
        return k / self.n * size, size

    def _size(self, k: int) -> float:
        if k not in self._sizes:
            above, t = self.kind == "far", Thresholds.from_theta(np.array([self.threshold(k)]))
            sizes = self.evidence.effective(int(above), t, 1.0 - self.confidence, above=above)
            self._sizes[k] = float(sizes[0])
        return self._sizes[k]

    @cached_property
    def _sizes(self) -> dict[int, float]:
        return {}


def _asked(far: float | None, frr: float | None) -> tuple[str, float]:
    if (far is None) == (frr is None):
        given = "neither" if far is None else "both"
        raise InputError(
            f"exactly one of far and frr must be given; got {given}. Each bound needs a threshold"
            " of its own: call once for far= and once for frr=."
        )
    kind, value = ("far", far) if frr is None else ("frr", frr)
    must = "must be a fraction strictly between 0 and 1"
    rate = checks.fraction(value, kind, must)
    if not 0.0 < rate < 1.0:
        raise InputError.about(kind)(f"{kind} {must}; got {rate!r}. {NO_RATE_OF_ZERO}")
    return kind, rate


def _model_threshold(model: ScoreModel | Fit | None, kind: str, rate: float) -> float | None:
    if model is None:
        return None
    law = model.model if isinstance(model, Fit) else model
    if not isinstance(law, ScoreModel):
        raise InputTypeError.about("model")(
            f"model must be a ScoreModel or a fit; got {type(model).__name__}. Make one with"
            " betaroc.fit(scores)."
        )
    reach = law.threshold_at_far if kind == "far" else law.threshold_at_frr
    return float(reach(rate))


# ------------------------------------------------------------------- binomial counts
def _chance(n: float, k: float, rate: float) -> float:
    """P(Binomial(n, rate) >= k), the distribution function of Beta(k, n - k + 1)."""
    from scipy.special import betainc

    return float(betainc(k, n - k + 1, rate))


def fewest_of_order(k: int, rate: float, confidence: float) -> int:
    """The smallest n of which the k-th from the end keeps the bound."""
    low, high = k - 1, max(k, needed_for_guarantee(rate, confidence))
    if k == 1:
        return high
    while not keeps_bound(high, k, rate, confidence):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps_bound(middle, k, rate, confidence) else (middle, high)
    return high


def keeps_bound(n: float, k: float, rate: float, confidence: float) -> bool:
    """Whether P(Binomial(n, rate) >= k) is no less than the confidence."""
    from scipy.special import betaincc

    return bool(betaincc(k, n - k + 1, rate) <= (1.0 - confidence) * (1.0 + _TIED))


def needed_for_guarantee(rate: float, confidence: float) -> int:
    """The smallest n with (1 - rate)^n <= 1 - confidence."""
    # Fractions: the ratio of the logarithms may exceed every float.
    fewest = Fraction(math.log1p(-confidence)) / Fraction(math.log1p(-rate))
    return max(1, math.ceil(fewest * (1 - Fraction(_TIED))))


def _too_few(
    extremes: OrderedScores, rate: float, confidence: float, needed: int, beside: bool
) -> str:
    # Rounded up, so that asking for the figure shown succeeds.
    kind, n = extremes.kind, extremes.units
    smallest = -math.expm1(math.log1p(-confidence) / n)
    reachable = Context(prec=6, rounding=ROUND_CEILING).create_decimal(smallest)
    many = str(needed) if needed < 10**15 else f"{Decimal(needed):.3g}"
    of = "scores" if n == extremes.n else "groups of scores"
    text = (
        f"{kind}={rate!r} with confidence {confidence!r} needs at least {many}"
        f" {'impostor' if kind == 'far' else 'client'} {of}; got {n}, which can guarantee"
        f" {kind}={reachable} at best. Give more {of}, or ask for a larger rate or a lower"
        " confidence."
    )
    if beside:
        text += f" The model's threshold_at_{kind} extrapolates and guarantees nothing."
    return text
