"""A threshold whose true error rate is bounded with a confidence, whatever the distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.notices import passed_on, public
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.value import Result
from betaroc.data.scores import Scores, require_scores
from betaroc.fits.fit import Fit
from betaroc.inference.scores_beyond import tell
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
    rng: Any = None,
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
    rng : int, SeedSequence or Generator, optional
        Where trials depend on each other by their groups: draws trials of the class no two
        of which share a label, one a group, and the guarantee comes from these.

    Returns
    -------
    GuaranteedThreshold
        The lowest threshold for `far`, the highest for `frr`, that an order
        statistic can bound.

    Raises
    ------
    InputError
        If not exactly one rate is given, a rate or the confidence is not strictly
        between 0 and 1, weights are not whole numbers, groups say that trials depend
        on each other and `rng` is left out, or there are too few scores: fewer than
        log(1 - confidence) / log(1 - rate), rounded up.
    InputTypeError
        If `scores` are neither scores nor a fit, `model` neither a model nor a fit, or `rng`
        no source of randomness.

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

    The guarantee is for scores like these: same distribution, independent. With groups it is exact
    for the trials drawn by `rng`, which are independent of each other: it bounds the rate of
    a trial drawn from a group drawn at random, `n` counts the drawn trials, and another seed
    gives another threshold; `far` and `frr` are those of all scores. Choosing among seeds
    voids it. The model's
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
    generator = None if rng is None else checks.generator(rng)
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
    who = "impostor" if kind == "far" else "client"
    client, client_weights = _sample(scores, "client")
    impostor, impostor_weights = _sample(scores, "impostor")
    far_kind = kind == "far"
    values, weights = (impostor, impostor_weights) if far_kind else (client, client_weights)
    n = int(weights.sum())
    if _dependent(scores, who, weights, n, drawn=generator is not None):
        kept = _independent_rows(getattr(scores, f"{who}_groups"), weights, generator)
        values, weights = values[kept], np.ones(kept.size)
        n = kept.size
    needed = needed_for_guarantee(rate, confidence)
    if n < needed:
        raise InputError(_too_few(kind, who, rate, confidence, n, needed, beside is not None))
    k = order_of_guarantee(n, rate, confidence)
    threshold = _order_statistic(values, weights, k, largest=far_kind)
    if not far_kind and threshold == -math.inf:
        absent = int(np.sum(weights[values == -np.inf]))
        raise InputError.about("frr")(
            f"frr={rate!r} must be possible to guarantee: {k - 1} of {n} clients may be rejected,"
            f" and {absent} have no score, whom no threshold accepts. Ask for a larger rate."
        )
    if not far_kind:
        threshold = math.nextafter(threshold, -math.inf)
    if isinstance(model, Fit):
        at = np.array(rate), np.array(1.0 - rate)
        with passed_on("of the fit's threshold, not of the guaranteed one: "):
            tell(model._evidence, [Asked(kind.upper(), *at, solved=True)])
    return GuaranteedThreshold(
        threshold=threshold,
        kind=kind,
        rate=rate,
        confidence=confidence,
        achieved=_chance(n, k, rate),
        far=_share(impostor > threshold, impostor_weights),
        frr=_share(client <= threshold, client_weights),
        n=n,
        k=k,
        n_needed=needed,
        model_threshold=beside,
    )


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


def _sample(scores: Scores, who: str) -> tuple[FloatArray, FloatArray]:
    trials = scores._trials
    values: FloatArray = getattr(trials, who)
    weights: FloatArray | None = getattr(trials, f"{who}_weights")
    if weights is None:
        return values, np.ones(values.size)
    refuse_fractional_weights(weights, who, "for a guarantee")
    return values, weights


def independent_trials(scores: Scores, who: str, rng: Any) -> tuple[FloatArray, FloatArray]:
    """Scores of a class and their copies; of trials that share labels some that do not."""
    values, weights = _sample(scores, who)
    if not _dependent(scores, who, weights, int(weights.sum()), drawn=True):
        return values, weights
    kept = _independent_rows(getattr(scores, f"{who}_groups"), weights, checks.generator(rng))
    return values[kept], np.ones(kept.size)


def _dependent(scores: Scores, who: str, weights: FloatArray, n: int, *, drawn: bool) -> bool:
    """Whether trials share labels; an error unless independent ones are to be drawn."""
    groups = getattr(scores, f"{who}_groups")
    if groups is None:
        return False
    rows = _labels(groups[weights > 0.0])
    largest = np.bincount(rows[rows >= 0], np.repeat(weights[weights > 0.0], 2)[rows.ravel() >= 0])
    if largest.max() <= 1.0:
        return False
    if not drawn:
        raise InputError(
            f"{who} scores must be independent trials for a guarantee; {who}_groups puts {n} trials"
            f" into {largest.size} groups that depend within. Pass rng= to draw independent trials,"
            " one a group, or give Scores without groups if the trials do not depend on each other."
        )
    return True


def _labels(groups: AnyArray) -> IntArray:
    """Both labels of each trial as numbers, the second -1 where there is only one."""
    number = np.reshape(np.unique(groups, return_inverse=True)[1], (groups.shape[0], -1))
    first, second = number[:, 0], number[:, -1]
    return np.stack([first, np.where(second == first, -1, second)], axis=1)


def _independent_rows(groups: AnyArray, weights: FloatArray, rng: Any) -> IntArray:
    """Trials in random order, each kept unless it shares a label with one that was."""
    present = np.flatnonzero(weights > 0.0)
    labels = _labels(groups[present])
    taken, kept = set[int](), []
    for row in rng.permutation(present.size).tolist():
        mine = {k for k in labels[row].tolist() if k >= 0}
        if not mine & taken:
            taken |= mine
            kept.append(present[row])
    return np.sort(np.array(kept, dtype=np.intp))


# ------------------------------------------------------------------- binomial counts
def _chance(n: int, k: int, rate: float) -> float:
    """P(Binomial(n, rate) >= k), the distribution function of Beta(k, n - k + 1)."""
    from scipy.special import betainc

    return float(betainc(k, n - k + 1, rate))


def order_of_guarantee(n: int, rate: float, confidence: float) -> int:
    """The largest k that keeps the bound; 1 does where n are no fewer than needed."""
    low, high = 1, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _keeps(n, middle, rate, confidence) else (low, middle)
    return low


def fewest_of_order(k: int, rate: float, confidence: float) -> int:
    """The smallest n of which the k-th from the end keeps the bound."""
    low, high = k - 1, max(k, needed_for_guarantee(rate, confidence))
    if k == 1:
        return high
    while not _keeps(high, k, rate, confidence):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _keeps(middle, k, rate, confidence) else (middle, high)
    return high


def _keeps(n: int, k: int, rate: float, confidence: float) -> bool:
    """Whether P(Binomial(n, rate) >= k) is no less than the confidence."""
    from scipy.special import betaincc

    return bool(betaincc(k, n - k + 1, rate) <= (1.0 - confidence) * (1.0 + _TIED))


def needed_for_guarantee(rate: float, confidence: float) -> int:
    """The smallest n with (1 - rate)^n <= 1 - confidence."""
    # Fractions: the ratio of the logarithms may exceed every float.
    fewest = Fraction(math.log1p(-confidence)) / Fraction(math.log1p(-rate))
    return max(1, math.ceil(fewest * (1 - Fraction(_TIED))))


def _too_few(
    kind: str, who: str, rate: float, confidence: float, n: int, needed: int, beside: bool
) -> str:
    # Rounded up, so that asking for the figure shown succeeds.
    smallest = -math.expm1(math.log1p(-confidence) / n)
    reachable = Context(prec=6, rounding=ROUND_CEILING).create_decimal(smallest)
    many = str(needed) if needed < 10**15 else f"{Decimal(needed):.3g}"
    text = (
        f"{kind}={rate!r} with confidence {confidence!r} needs at least {many} {who} scores; got"
        f" {n}, which can guarantee {kind}={reachable} at best. Give more scores, or ask for a"
        " larger rate or a lower confidence."
    )
    if beside:
        text += f" The model's threshold_at_{kind} extrapolates and guarantees nothing."
    return text


# ----------------------------------------------------------------------- the sample
def _order_statistic(values: FloatArray, weights: FloatArray, k: int, *, largest: bool) -> float:
    order = np.argsort(values, kind="stable")
    order = order[::-1] if largest else order
    counted = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(counted, k)]])


def _share(chosen: BoolArray, weights: FloatArray) -> float:
    return float(weights[chosen].sum() / weights.sum())
