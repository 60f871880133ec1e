"""What a classifier's ROC shows, its verdict, and its reason."""

from __future__ import annotations

import itertools
import math
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
from betaroc.fits.check import TOLERANCE
from betaroc.fits.fit import Fit
from betaroc.fits.shape_tests import EndTest, counted_hooks, counts_at_end, untested_ends
from betaroc.inference.delta import near_of
from betaroc.inference.interval import Interval
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


class Peak(NamedTuple):
    """A largest distance from the diagonal, and where."""

    gap: float
    far: float


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
    #: Of TPR - FAR; nan ends where the fit has no errors.
    mean: Interval
    largest: Peak
    deepest: Peak
    #: Ranges of FAR in which it is above the diagonal, and where it crosses it.
    above: tuple[tuple[float, float], ...]
    crossings: tuple[float, ...]
    #: Stretches below the diagonal, and the scores of both classes expected in them.
    hooks: tuple[Hook, ...]
    hook_scores: float
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
        inner = _inner(fit, places)
    return RocEvidence(
        strict, lax, None if ends is None else (ends.at_one, ends.at_zero), inner,
        _mean(fit, region, level), *_peaks(model, region), above, crossings, hooks,
        math.fsum(_expected(fit, hook, region) for hook in hooks), model.client == model.impostor,
    )  # fmt: skip


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
    """t of probit TPR less probit FAR at FAR = expit(u), by the delta method; two-sided p-value."""
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
    """The judgement near one border: by the end that the region reaches, else at a FAR."""
    reached = far == (0.0 if end == "at_one" else 1.0)
    excess = float(excess_of(fit.model, np.array([u]))[0])
    nothing = math.nan
    # An end whose stretch of that side holds less than one score shows nothing.
    if reached and test and test.p_value <= 1.0 - level and np.sign(test.z) == np.sign(excess):
        word = "above" if test.z > 0.0 else "below"
        side = BorderSide(word, test.p_value, "end test", far, nothing)
    elif reached and test and math.isnan(test.p_value):
        side = BorderSide(test.side, nothing, "end test", far, nothing, test.note)
    else:
        by, p = "first score" if reached else "border", nothing
        try:
            p = float(from_diagonal(fit, np.array([u]))[1][0])
        except InputError:
            by = "none"
        word = ("above" if excess > 0.0 else "below") if p <= 1.0 - level else CANNOT_TELL
        side = BorderSide(word, p, by, 1.0 / (1.0 + math.exp(-u)), excess)
        if reached and test and math.isnan(p) and by != "none":
            # On the jump of a mass that one class has alone nothing varies but the mass.
            side = BorderSide(CANNOT_TELL, test.p_value, "end test", far, nothing)
    if not reached or side.side not in ("above", "below"):
        return side
    counts = counts_at_end(fit, end, side.side)
    if counts.startswith("contradicted"):
        return side._replace(side="contradicted", p_value=nothing, counts=counts)
    return side._replace(counts=counts)


def _inner(fit: Fit, places: tuple[float, float]) -> tuple[float, float, float, float]:
    """Extremes of t between two places, and the p-values of both."""
    t, p = from_diagonal(fit, np.linspace(*places, _INNER))
    if not np.any(np.isfinite(t)):
        return math.nan, math.nan, math.nan, math.nan
    low, high = int(np.nanargmin(t)), int(np.nanargmax(t))
    return float(t[low]), float(t[high]), float(p[low]), float(p[high])


# ------------------------------------------------------------------------------- the sizes
def _mean(fit: Fit, region: tuple[float, float], level: float) -> Interval:
    """Mean of TPR - FAR over a range of FAR, and its interval."""
    low, high = region
    statistic: dict[str, Any] = {"stat": "partial-auc", "between": region}
    if region == (0.0, 1.0):
        statistic = {"stat": "auc"}
    try:
        with suppress_warnings():  # a fit that the scores contradict is said by `misfit`
            result = fit.interval(**statistic, level=level)
    except InputError:
        area = fit.model.partial_auc(low, high, standardized=True)
        result = Interval(area, math.nan, math.nan, level, "none")
    # A standardized area is 1/2 on the diagonal and 1 where TPR is 1.
    mean, least, most = (
        (x - 0.5) * (2.0 - low - high) for x in (result.estimate, result.low, result.high)
    )
    return Interval(mean, least, most, level, result.method)


def _peaks(model: ScoreModel, region: tuple[float, float]) -> tuple[Peak, Peak]:
    """Largest TPR - FAR and FAR - TPR: at equal densities, jumps or borders."""
    t, gap = gaps(model._pair)
    far, borders = model._pair.far(t), np.array(region)
    inside = (far >= region[0]) & (far <= region[1])
    far = np.concatenate([far[inside], borders])
    gap = np.concatenate([gap[inside], borders - model.roc().tpr(borders)])
    best, worst = np.argmin(gap), np.argmax(gap)
    first, second = (Peak(max(0.0, float(sign * gap[k])), float(far[k]))
                     for sign, k in ((-1.0, best), (1.0, worst)))  # fmt: skip
    return first, second


def _expected(fit: Fit, hook: Hook, region: tuple[float, float]) -> float:
    """Scores expected in the part of a hook that lies in the region."""
    low, high = max(hook.far_low, region[0]), min(hook.far_high, region[1])
    if (low, high) == (hook.far_low, hook.far_high):
        return hook.expected_scores
    tpr = np.asarray(fit.model.roc().tpr([low, high]))
    clients = fit.client.total_weight * float(tpr[1] - tpr[0])
    return clients + fit.impostor.total_weight * (high - low)


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
    ranges: list[tuple[float, float]] = []
    signs = (excess_of(model, middle) > 0.0).tolist()
    for (a, b), is_above in zip(itertools.pairwise(nodes.tolist()), signs, strict=True):
        if is_above and ranges and ranges[-1][1] == a:  # the curve touches the diagonal
            ranges[-1] = (ranges[-1][0], b)
        elif is_above:
            ranges.append((a, b))
    return crossings, tuple(ranges)


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
    n = min(scores.client_total, scores.impostor_total)
    noise = math.sqrt(math.log(2.0 / (1.0 - math.sqrt(level))) / (2.0 * n))
    beyond = "far" if distance - noise > TOLERANCE else "open"
    word = "close" if distance <= TOLERANCE else beyond
    return RocMisfit(float(counted.auc()), distance, noise, word)


# ---------------------------------------------------------------------------- the verdict
class Confidence(NamedTuple):
    """p-values of the word by the own ROC, two-sided, of the ROC lying on the diagonal."""

    #: Of that word as a whole: the largest of those it needs.
    p_value: float
    #: Near the border of the region with the low FAR.
    strict: float
    #: Near that with the high FAR.
    lax: float


class Size(NamedTuple):
    """How much there is of what a verdict states, in the region."""

    #: Mean of TPR - FAR, and the ends of its interval.
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
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> good = br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300))
    >>> fair = br.Scores(rng.beta(3, 2, 300), rng.beta(2, 2, 300))
    >>> verdict = br.inclusion({"good": good, "fair": fair}).verdict["good"]
    >>> verdict == "include", verdict.marginal, verdict.confidence.p_value < 0.05
    (True, 'include', True)
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


def verdict_of(
    fit: Fit, evidence: RocEvidence, gain: LearnedGain, region: tuple[float, float], level: float,
    sizes: tuple[int, int], *, reason: str = "", place: str = "",
) -> Verdict:  # fmt: skip
    """The verdict by a classifier's evidence and gain."""
    marginal, p = _decided(evidence, level)
    mean = evidence.mean
    confidence = Confidence(p, evidence.strict.p_value, evidence.lax.p_value)
    size = Size(mean.estimate, mean.low, mean.high, *evidence.largest, *evidence.deepest,
                evidence.hook_scores)  # fmt: skip
    word = joined(marginal, gain.word)
    if not reason:
        against = "; so its own ROC, which speaks against it, decides"
        stands = "" if word in (gain.word, CANNOT_TELL) else against
        by_roc = _reason(fit, evidence, marginal, region, level)
        measured = capital(gain_sentence(gain, sizes))
        gained = f"{place} Beside all others: {word}. {measured}{stands}."
        reason = Sentence(f"{gained} By its own ROC: {marginal}. {by_roc}")
    return Verdict(word, confidence, size, reason, Sentence(marginal), gain)


def joined(marginal: str, gained: str) -> str:
    """The measured gain where it tells; else what the ends say against a classifier."""
    # What they say for it is no gain: the others may say it already.
    return gained if gained != CANNOT_TELL or marginal == INCLUDE else marginal


def _decided(evidence: RocEvidence, level: float) -> tuple[str, float]:
    """The word, and the largest p-value of the statements it needs."""
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


def _reason(
    fit: Fit, evidence: RocEvidence, word: str, region: tuple[float, float], level: float
) -> str:
    """What the own ROC shows at both borders, on average, and at most."""
    if evidence.on_diagonal:
        return "Both classes have one fitted distribution: the ROC is the diagonal."
    strict, lax, mean = evidence.strict, evidence.lax, evidence.mean
    parts = [_side_words(strict, fit, "low"), _side_words(lax, fit, "high")]
    if word == CANNOT_TELL and strict.side == lax.side in ("above", "below"):
        parts.append("between them it is not on one side with confidence")
    ends = f" ({level_words(level)}: {number(mean.low, 3)} to {number(mean.high, 3)})"
    interval = "" if math.isnan(mean.low) else ends
    parts.append(f"{TPR} - {FAR} is {number(mean.estimate, 3)} on average{interval}")
    places = np.array(evidence.above).reshape(-1, 2)
    clients, impostors = np.diff(np.asarray(fit.model.roc().tpr(places))), np.diff(places)
    above = np.sum(fit.client.total_weight * clients + fit.impostor.total_weight * impostors)
    most = f"at most {number(evidence.largest.gap, 3)} at {FAR} {percent(evidence.largest.far)}"
    parts.append(most if above >= SEEN else "above the diagonal for less than one score")
    if evidence.deepest.gap > 0.0 and evidence.hook_scores < SEEN:
        parts.append("below the diagonal for less than one score: no finding")
    elif evidence.deepest.gap > 0.0:
        gap, far = evidence.deepest
        parts[-1] += (
            f", and below the diagonal by {number(gap, 2)} at most, at {FAR} {percent(far)}"
        )
        parts.append(f"{number(evidence.hook_scores, 3)} scores are expected below it")
    where = "" if region == (0.0, 1.0) else f"for {FAR} from {region[0]:g} to {region[1]:g}: "
    return f"{capital(where + '; '.join(parts))}."


def _side_words(side: BorderSide, fit: Fit, border: str) -> str:
    """What is known of the curve near one border."""
    where = f"at {FAR} {percent(side.far)}"
    if side.by == "none":
        why = f"the parameters of this fit, {family_text(fit.family)}, have no standard errors"
        if not (fit.client.names and fit.impostor.names):
            why = "an empirical pair has no parameters whose errors could be judged"
        return f"not judged {where}: {why}"
    if side.by == "end test":
        high, low = ("threshold 1", "threshold 0") if fit.model._pair.unit else (
            "high scores", "low scores")  # fmt: skip
        where = f"towards {low if border == 'high' else high}"
    if side.counts and math.isnan(side.p_value):
        return f"{where} {side.counts}"
    known = side.side in ("above", "below")
    judged = f"{side.side} the diagonal" if known else f"{CANNOT_TELL} the side"
    outermost = ", where one score is expected beyond" if side.by == "first score" else ""
    counts = f"; {side.counts}" if side.counts else ""
    return f"{judged} {where}{outermost} (p = {number(side.p_value, 2)}{counts})"
