"""What a classifier's ROC shows, its verdict, and its reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.notices import suppress_warnings
from betaroc.core.thresholds import softplus
from betaroc.core.value import Value
from betaroc.core.vocabulary import FAR, TPR, Sentence, capital
from betaroc.data.scores import Scores
from betaroc.distributions.beta import Beta
from betaroc.distributions.normal import LogitNormal, Normal
from betaroc.ensemble.fusion import logits
from betaroc.ensemble.learned import CANNOT_TELL, INCLUDE, LearnedGain, gain_sentence
from betaroc.estimation.families import family_text
from betaroc.fits.check import TOLERANCE, chance_distances
from betaroc.fits.fit import Fit
from betaroc.fits.shape_tests import (
    CONTRADICTED,
    EndTest,
    counted_hooks,
    counts_at_end,
    untested_ends,
)
from betaroc.inference.delta import near_of
from betaroc.inference.intervals import tpr_probits
from betaroc.model.areas import gaps
from betaroc.model.improper_regions import SEEN, Hook
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model, roc_distance
from betaroc.rendering.numbers import level_words, number, percent

EXCLUDE = "exclude"
STRICT, LAX = "only at strict thresholds", "only at lax thresholds"
#: FARs between the borders at which a curve is judged that its ends do not decide.
_INNER = 31


class BorderSide(NamedTuple):
    """The judgement near one border of the region."""

    #: "above", "below", "cannot tell", or "contradicted" by counts.
    side: str
    #: Two-sided, of the curve lying on the diagonal there; nan without errors.
    p_value: float
    #: "end test", "first score" (the end itself shows nothing) or "border"; "none" where the
    #: fit has no errors.
    by: str
    #: Where it was judged; 0 or 1 for an end test.
    far: float
    #: TPR - FAR there; nan for an end test.
    excess: float
    #: What the scores say against it, or that they cannot tell; else empty.
    counts: str = ""


class Size(NamedTuple):
    """How much there is of what a verdict states, in the region."""

    #: Mean of TPR - FAR, and the ends of its interval; nan where the fit has no errors.
    mean_excess: float
    low: float
    high: float
    #: Largest TPR - FAR, and where.
    largest: float
    largest_at: float
    #: Largest FAR - TPR, and where; 0 where no part is below the diagonal.
    depth: float
    depth_at: float
    #: Scores of both classes expected where the ROC is below the diagonal.
    hook_scores: float


@dataclass(frozen=True, eq=False, repr=False)
class RocEvidence(Value):
    """What a verdict rests on, by the fitted ROC in the region."""

    #: Near the border with the low and with the high FAR.
    strict: BorderSide
    lax: BorderSide
    #: At threshold 1 and at threshold 0; None of a family whose ends are not tested.
    ends: tuple[EndTest, EndTest] | None
    #: Smallest and largest t of TPR - FAR between the borders, with the p-values of both; None
    #: where the borders decide the curve between them.
    inner: tuple[float, float, float, float] | None
    size: Size
    #: Ranges of FAR in which it is above the diagonal, and where it crosses it.
    above: tuple[tuple[float, float], ...]
    crossings: tuple[float, ...]
    #: Stretches below the diagonal.
    hooks: tuple[Hook, ...]
    on_diagonal: bool


def roc_evidence(fit: Fit, region: tuple[float, float], level: float) -> RocEvidence:
    """The evidence of one fit."""
    low, high = region
    model, ends = fit.model, None
    if not untested_ends(fit):
        with suppress(InputError):
            ends = fit.end_tests(level)
    # Logits of FAR near both borders: at FAR 0 and 1 where one score is expected beyond.
    outermost = min(1.0 / (fit.client.total_weight + fit.impostor.total_weight), 0.5)
    u_low, u_high, first = logits(np.array([low, high, outermost])).tolist()
    places = min(max(u_low, first), u_high), max(min(u_high, -first), u_low)
    strict = _border(fit, "at_one", ends and ends.at_one, low, places[0], level)
    lax = _border(fit, "at_zero", ends and ends.at_zero, high, places[1], level)
    hooks = tuple(h for h in counted_hooks(fit) if h.far_low < high and h.far_high > low)
    crossings, above = _above(model, region)
    # A curve with one crossing at most, whose borders tell what lies between.
    bordered = any(
        isinstance(model.client, kind) and isinstance(model.impostor, kind)
        for kind in (Beta, Normal, LogitNormal)
    )
    inner = None
    if not bordered and "none" not in (strict.by, lax.by):
        t, p = from_diagonal(fit, np.linspace(*places, _INNER))
        order = np.argsort(t)[: max(1, np.count_nonzero(np.isfinite(t)))]  # nan is last
        low_t, high_t = order[[0, -1]]
        inner = float(t[low_t]), float(t[high_t]), float(p[low_t]), float(p[high_t])
    tests, size = ends and (ends.at_one, ends.at_zero), _size(fit, region, level, hooks)
    on_diagonal = model.client == model.impostor
    return RocEvidence(strict, lax, tests, inner, size, above, crossings, hooks, on_diagonal)


# ----------------------------------------------------------------------------- the borders
def _far_probits(u: FloatArray) -> FloatArray:
    from scipy.special import ndtri_exp

    return np.asarray(-np.sign(u) * ndtri_exp(-softplus(np.abs(u))))


def excess_of(model: ScoreModel, u: FloatArray) -> FloatArray:
    """TPR - FAR at FAR = expit(u), of the smaller tails."""
    from scipy.special import ndtr

    place, diagonal = tpr_probits(model, u), _far_probits(u)
    low = place + diagonal <= 0.0
    return np.asarray(np.where(low, ndtr(place) - ndtr(diagonal), ndtr(-diagonal) - ndtr(-place)))


def from_diagonal(fit: Fit, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """t of probit TPR less probit FAR at FAR = expit(u), by the delta method; its p-value."""
    # Student's t with Welch's degrees of freedom; nan where there is no error.
    from scipy.special import stdtr

    near = near_of(fit, groups=True)
    slopes = near.slopes(lambda model: tpr_probits(model, u))
    distance = tpr_probits(fit.model, u) - _far_probits(u)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        t = distance / np.sqrt(np.sum(slopes**2, axis=-1))
        p = 2.0 * stdtr(near.small.freedom_along(slopes), -np.abs(t))
    finite = np.isfinite(t)
    return np.where(finite, t, np.nan), np.where(finite, p, np.nan)


def _border(
    fit: Fit, end: str, test: EndTest | None, far: float, u: float, level: float
) -> BorderSide:
    """The judgement near a border: by the end that the region reaches, else at a FAR."""
    reached = far == (0.0 if end == "at_one" else 1.0)
    excess, p, by = float(excess_of(fit.model, np.array([u]))[0]), math.nan, "border"
    side = BorderSide(CANNOT_TELL, math.nan, "end test", far, math.nan)
    # An end whose stretch of that side holds less than one score shows nothing.
    tells = test and test.p_value <= 1.0 - level and np.sign(test.z) == np.sign(excess)
    if reached and test and (tells or math.isnan(test.p_value)):
        note = "" if tells else test.note
        side = side._replace(side=test.side, p_value=test.p_value, counts=note)
    else:
        try:
            p, by = float(from_diagonal(fit, np.array([u]))[1][0]), "first score" if reached else by
        except InputError:
            by = "none"
        if reached and test and math.isnan(p) and by != "none":
            # On the jump of a mass that one class has alone nothing varies but the mass.
            side = side._replace(p_value=test.p_value)
        else:
            word = ("above" if excess > 0.0 else "below") if p <= 1.0 - level else CANNOT_TELL
            side = BorderSide(word, p, by, 1.0 / (1.0 + math.exp(-u)), excess)
    if reached and side.side in ("above", "below"):
        side = side._replace(counts=counts_at_end(fit, end, side.side))
        if side.counts.startswith(CONTRADICTED):
            side = side._replace(side=CONTRADICTED, p_value=math.nan)
    return side


# ------------------------------------------------------------------------------- the sizes
def _size(fit: Fit, region: tuple[float, float], level: float, hooks: Sequence[Hook]) -> Size:
    low, high = region
    area: dict[str, Any] = {"stat": "partial-auc", "between": region}
    try:
        with suppress_warnings():  # a fit that the scores contradict is said by `misfit`
            interval = fit.interval(**({"stat": "auc"} if high - low == 1.0 else area), level=level)
        areas = interval.estimate, interval.low, interval.high
    except InputError:
        areas = fit.model.partial_auc(low, high, standardized=True), math.nan, math.nan
    # A standardized area is 1/2 on the diagonal and 1 where TPR is 1.
    mean, least, most = ((x - 0.5) * (2.0 - low - high) for x in areas)
    scores = _expected(fit, [(max(h.far_low, low), min(h.far_high, high)) for h in hooks])
    return Size(mean, least, most, *_peaks(fit.model, region), scores)


def _peaks(model: ScoreModel, region: tuple[float, float]) -> tuple[float, float, float, float]:
    """Largest TPR - FAR and FAR - TPR, and where they lie."""
    t, gap = gaps(model._pair)
    far, borders = model._pair.far(t), np.array(region)
    inside = (far >= region[0]) & (far <= region[1])
    far = np.concatenate([far[inside], borders])
    gap = np.concatenate([gap[inside], borders - model.roc().tpr(borders)])
    k, m = np.argmin(gap), np.argmax(gap)
    return max(0.0, float(-gap[k])), float(far[k]), max(0.0, float(gap[m])), float(far[m])


def _expected(fit: Fit, ranges: Sequence[tuple[float, float]]) -> float:
    far = np.array(ranges).reshape(-1, 2)
    clients, impostors = np.diff(np.asarray(fit.model.roc().tpr(far))), np.diff(far)
    return float(np.sum(fit.client.total_weight * clients + fit.impostor.total_weight * impostors))


def _above(
    model: ScoreModel, region: tuple[float, float]
) -> tuple[tuple[float, ...], tuple[tuple[float, float], ...]]:
    """Crossings of the diagonal in the region, and the ranges above it."""
    if model.client == model.impostor:
        return (), ()
    low, high = region
    crossings = tuple(sorted(x for x in model.diagonal_crossings().far.tolist() if low < x < high))
    nodes = np.array([low, *crossings, high])
    middle = np.clip(logits(0.5 * (nodes[1:] + nodes[:-1])), -700.0, 36.0)
    # Where the curve only touches the diagonal no range ends.
    ends = np.flatnonzero(np.diff([0, *(excess_of(model, middle) > 0.0), 0]))
    return crossings, tuple((a, b) for a, b in nodes[ends].reshape(-1, 2).tolist())


# -------------------------------------------------- whether the fitted ROC can be believed
class RocMisfit(NamedTuple):
    """The fitted ROC beside that of the scores."""

    #: Area under the ROC of the scores.
    auc_scores: float
    #: Largest distance of both rates at once, along FAR + TPR = constant, as in `check_fit`.
    distance: float
    #: What the scores' ROC is off by chance at most, with the confidence of the verdicts: the
    #: larger Dvoretzky-Kiefer-Wolfowitz bound of both classes.
    noise: float
    #: "close", "far" (by more than the tolerance and the noise) or "open".
    word: str


def misfit_of(fit: Fit, scores: Scores, level: float) -> RocMisfit:
    """The distance of a fit from its scores, without a simulation."""
    counted = empirical_model(scores)
    distance = roc_distance(fit.model, counted)
    noise = max(chance_distances(scores, math.sqrt(level)))
    beyond = "far" if distance - noise > TOLERANCE else "open"
    word = "close" if distance <= TOLERANCE else beyond
    return RocMisfit(float(counted.auc()), distance, noise, word)


# ---------------------------------------------------------------------------- the verdict
class Confidence(NamedTuple):
    """p-values of the word by the own ROC, two-sided, against the diagonal."""

    #: Of that word as a whole: the largest of those it needs.
    p_value: float
    #: Near the border of the region with the low FAR.
    strict: float
    #: Near that with the high FAR.
    lax: float


_PARTS = ("confidence", "size", "reason", "marginal", "gain")


class Verdict(str):
    """Whether a classifier joins an ensemble: a word, and what it rests on.

    It is its word: ``verdict == "include"`` holds, it prints as that, and two verdicts of one
    word are equal whatever they rest on.

    Parameters
    ----------
    word : str
        "include", "adds nothing", "leave out", "only at strict thresholds", "only at lax
        thresholds", "exclude" or "cannot tell"; :func:`inclusion` states the rule.
    confidence : Confidence
        p-values of `marginal`: of the whole, near the low-FAR and near the high-FAR border.
    size : Size
        Mean excess with its interval, largest excess, depth and scores of improper regions.
    reason : str
        Sentences with the numbers.
    marginal : str
        What the classifier's own ROC says.
    gain : LearnedGain
        What it adds to the others in a learned fusion, with its interval and its own `word`.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> systems = {"one": model.sample(30, 30, rng=1), "two": model.sample(30, 30, rng=2)}
    >>> br.inclusion(systems).verdict["one"] == "include"
    True
    """

    __slots__ = _PARTS
    confidence: Confidence
    size: Size
    reason: str
    marginal: str
    gain: LearnedGain

    def __new__(
        cls, word: str, confidence: Confidence, size: Size, reason: str, marginal: str,
        gain: LearnedGain,
    ) -> Verdict:  # fmt: skip
        """A string with attributes."""
        result = super().__new__(cls, word)
        for name, value in zip(_PARTS, (confidence, size, reason, marginal, gain), strict=True):
            object.__setattr__(result, name, value)
        return result

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Verdict is frozen: {name} cannot be set.")

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.word, *(getattr(self, name) for name in _PARTS))

    def __getstate__(self) -> None:
        """Nothing beside what makes it."""
        return

    @property
    def word(self) -> str:
        """The word alone."""
        return str.__str__(self)

    def __repr__(self) -> str:
        gain, p = self.gain, self.confidence.p_value
        return (
            f"<Verdict {self.word!r}: gain {gain.estimate:.4g} [{gain.low:.4g}, {gain.high:.4g}],"
            f" its own ROC {self.marginal!r} (p = {p:.2g})>"
        )


def verdict_of(evidence: RocEvidence, gain: LearnedGain, reason: str) -> Verdict:
    """The verdict by a classifier's evidence and gain."""
    marginal, p = _decided(evidence, gain.level)
    confidence = Confidence(p, evidence.strict.p_value, evidence.lax.p_value)
    word = joined(marginal, gain.word)
    return Verdict(word, confidence, evidence.size, reason, Sentence(marginal), gain)


def reason_of(
    fit: Fit, evidence: RocEvidence, gain: LearnedGain, region: tuple[float, float],
    sizes: tuple[int, int], place: str,
) -> str:  # fmt: skip
    """Why a classifier has its verdict, and the place of it in the set."""
    marginal, _ = _decided(evidence, gain.level)
    word = joined(marginal, gain.word)
    against = "; so its own ROC, which speaks against it, decides"
    return Sentence(
        f"{place} Beside all others: {word}. {capital(gain_sentence(gain, sizes))}"
        f"{'' if word in (gain.word, CANNOT_TELL) else against}. By its own ROC: {marginal}."
        f" {_own_words(fit, evidence, marginal, region, gain.level)}"
    )


def joined(marginal: str, gained: str) -> str:
    """The measured gain where it tells; else what the ends say against a classifier."""
    # What they say for it is no gain: the others may say it already.
    return gained if gained != CANNOT_TELL or marginal == INCLUDE else marginal


def _decided(evidence: RocEvidence, level: float) -> tuple[str, float]:
    """The word, and the largest p-value that it needs."""
    if evidence.on_diagonal:
        return EXCLUDE, math.nan
    strict, lax = evidence.strict, evidence.lax
    p = float(np.maximum(strict.p_value, lax.p_value))  # nan if either is
    words = {
        ("above", "above"): INCLUDE, ("below", "below"): EXCLUDE,
        ("above", "below"): STRICT, ("below", "above"): LAX,
    }  # fmt: skip
    word = words.get((strict.side, lax.side), CANNOT_TELL)
    if word in (INCLUDE, EXCLUDE) and evidence.inner is not None:
        low, high, p_low, p_high = evidence.inner
        agrees, inner = (low > 0.0, p_low) if word == INCLUDE else (high < 0.0, p_high)
        p = max(p, inner)
        if not (agrees and inner <= 1.0 - level):
            word = CANNOT_TELL
    return word, p


def _own_words(
    fit: Fit, evidence: RocEvidence, word: str, region: tuple[float, float], level: float
) -> str:
    if evidence.on_diagonal:
        return "Both classes have one fitted distribution: the ROC is the diagonal."
    strict, lax, size = evidence.strict, evidence.lax, evidence.size
    parts = [_side_words(strict, fit, "high"), _side_words(lax, fit, "low")]
    if word == CANNOT_TELL and strict.side == lax.side in ("above", "below"):
        parts.append("between them it is not on one side with confidence")
    ends = f" ({level_words(level)}: {number(size.low, 3)} to {number(size.high, 3)})"
    interval = "" if math.isnan(size.low) else ends
    parts.append(f"{TPR} - {FAR} is {number(size.mean_excess, 3)} on average{interval}")
    most = f"at most {number(size.largest, 3)} at {FAR} {percent(size.largest_at)}"
    seen = _expected(fit, evidence.above) >= SEEN
    parts.append(most if seen else "above the diagonal for less than one score")
    if size.depth > 0.0 and size.hook_scores < SEEN:
        parts.append("below the diagonal for less than one score: no finding")
    elif size.depth > 0.0:
        depth = f"{number(size.depth, 2)} at most, at {FAR} {percent(size.depth_at)}"
        parts[-1] += f", and below the diagonal by {depth}"
        parts.append(f"{number(size.hook_scores, 3)} scores are expected below it")
    where = "" if region == (0.0, 1.0) else f"for {FAR} from {region[0]:g} to {region[1]:g}: "
    return f"{capital(where + '; '.join(parts))}."


def _side_words(side: BorderSide, fit: Fit, end: str) -> str:
    where = f"at {FAR} {percent(side.far)}"
    if side.by == "none":
        why = f"the parameters of this fit, {family_text(fit.family)}, have no standard errors"
        if not (fit.client.names and fit.impostor.names):
            why = "an empirical pair has no parameters whose errors could be judged"
        return f"not judged {where}: {why}"
    if side.by == "end test":
        place = f"threshold {int(end == 'high')}" if fit.model._pair.unit else f"{end} scores"
        where = f"towards {place}"
    if side.counts and math.isnan(side.p_value):
        return f"{where} {side.counts}"
    judged = f"{CANNOT_TELL} the side" if side.side == CANNOT_TELL else f"{side.side} the diagonal"
    outermost = ", where one score is expected beyond" if side.by == "first score" else ""
    counts = f"; {side.counts}" if side.counts else ""
    return f"{judged} {where}{outermost} (p = {number(side.p_value, 2)}{counts})"
