"""What a classifier's ROC shows, its verdict, and the sentences that give the reason."""

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
from betaroc.ensemble.fusion import LearnedGain, gain_sentence, logits
from betaroc.estimation.families import family_text
from betaroc.fits.check import TOLERANCE
from betaroc.fits.fit import Fit
from betaroc.fits.shape_tests import EndTest, counted_hooks, counts_at_end, untested_ends
from betaroc.inference.delta import PerturbedModels, delta, nearby
from betaroc.inference.interval import Interval
from betaroc.inference.intervals import tpr_probits
from betaroc.model.distances import roc_distance
from betaroc.model.improper_regions import SEEN, Hook, gaps
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import parse_statistic
from betaroc.rendering.numbers import level_words, number, percent


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
    near = nearby(fit, groups=True)
    slopes = near.slopes(lambda model: tpr_probits(model, u))
    return _tested(near, tpr_probits(fit.model, u) - _far_probits(u), slopes)


def exponent_test(fit: Fit, end: str) -> tuple[float, float]:
    """t and p-value of the log of an end exponent, positive where the curve is above."""
    near = nearby(fit, groups=True)
    result = delta(parse_statistic(f"exponent-{end.replace('_', '-')}"), fit.model, near.steps)
    place = result.place - near.small.shift(result.slopes)
    t, p = _tested(near, np.array([place]), result.slopes[None, :])
    return float(t[0]) * (1.0 if end == "at_one" else -1.0), float(p[0])


def _tested(
    near: PerturbedModels, distance: FloatArray, slopes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Student's t with Welch's degrees of freedom; nan where there is no error."""
    from scipy.special import stdtr

    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        t = distance / np.sqrt(np.sum(slopes**2, axis=-1))
        p = 2.0 * stdtr(near.small.freedom_along(slopes), -np.abs(t))
    finite = np.isfinite(t)
    return np.where(finite, t, np.nan), np.where(finite, p, np.nan)


#: FARs between the borders at which a curve is judged that its ends do not decide.
_INNER = 31
_SIDES = {True: "above", False: "below"}


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
    sides = []
    for name, far, reached, u in (
        ("at_one", low, low == 0.0, places[0]), ("at_zero", high, high == 1.0, places[1]),
    ):  # fmt: skip
        test: EndTest | None = None if ends is None else getattr(ends, name)
        sides.append(_border(fit, name, test, far, u, level, reached=reached))
    hooks = tuple(
        hook for hook in counted_hooks(fit) if hook.far_low < high and hook.far_high > low
    )
    crossings, above = _above(model, region)
    # A curve with one crossing at most, whose borders tell what lies between.
    bordered = any(
        isinstance(model.client, kind) and isinstance(model.impostor, kind)
        for kind in (Beta, Normal, LogitNormal)
    )
    judged = all(side.by != "none" for side in sides)
    return RocEvidence(
        sides[0], sides[1], None if ends is None else (ends.at_one, ends.at_zero),
        _inner(fit, places) if judged and not bordered else None,
        _mean(fit, region, level), *_peaks(model, region), above, crossings, hooks,
        math.fsum(_expected(fit, hook, region) for hook in hooks), model.client == model.impostor,
    )  # fmt: skip


def _border(
    fit: Fit, end: str, test: EndTest | None, far: float, u: float,
    level: float, *, reached: bool,
) -> BorderSide:  # fmt: skip
    """The judgement near one border: by its end where the region reaches that, else at a FAR."""
    excess = float(excess_of(fit.model, np.array([u]))[0])
    decided = math.nan, math.nan
    if reached and test is not None:
        decided = test.z, test.p_value
    elif reached:
        with suppress(InputError):
            decided = exponent_test(fit, end)
    departure, p = decided
    # An end whose stretch of that side holds less than one score shows nothing.
    if p <= 1.0 - level and np.sign(departure) == np.sign(excess):
        side = BorderSide(_SIDES[departure > 0.0], p, "end test", far, math.nan)
    elif reached and test is not None and math.isnan(test.p_value):
        side = BorderSide(test.side, math.nan, "end test", far, math.nan, test.note)
    else:
        side = _at_place(fit, u, excess, "first score" if reached else "border", level)
        if reached and math.isnan(side.p_value) and side.by != "none" and test is not None:
            # On the jump of a mass that one class has alone nothing varies but the mass.
            side = BorderSide("cannot tell", test.p_value, "end test", far, math.nan)
    if not reached or side.side not in _SIDES.values():
        return side
    counts = counts_at_end(fit, end, side.side)
    side = side._replace(counts=counts.words)
    if counts.contradicted:
        side = side._replace(side=counts.verdict, p_value=math.nan)
    return side


def _at_place(fit: Fit, u: float, excess: float, by: str, level: float) -> BorderSide:
    """The judgement at FAR = expit(u)."""
    far, p = 1.0 / (1.0 + math.exp(-u)), math.nan
    try:
        p = float(from_diagonal(fit, np.array([u]))[1][0])
    except InputError:
        by = "none"
    side = _SIDES[excess > 0.0] if p <= 1.0 - level else CANNOT_TELL
    return BorderSide(side, p, by, far, excess)


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
    t, gap = gaps(model)
    far, borders = model._pair.far(t), np.array(region)
    inside = (far >= region[0]) & (far <= region[1])
    far = np.concatenate([far[inside], borders])
    gap = np.concatenate([gap[inside], borders - model.roc().tpr(borders)])
    best, worst = int(np.argmin(gap)), int(np.argmax(gap))
    return (
        Peak(max(0.0, -float(gap[best])), float(far[best])),
        Peak(max(0.0, float(gap[worst])), float(far[worst])),
    )


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
    low, high = region
    if model.client == model.impostor:
        return (), ()
    points = model.diagonal_crossings()
    inside = tuple(sorted(x for x in points.far.tolist() if low < x < high))
    nodes = [low, *inside, high]
    # A crossing whose FAR is lost as a double has no range beside it.
    between = np.array([_between(a, b) for a, b in itertools.pairwise(nodes)])
    gap = excess_of(model, between)
    result: list[tuple[float, float]] = []
    for (a, b), g in zip(itertools.pairwise(nodes), gap.tolist(), strict=True):
        if g <= 0.0:
            continue
        if result and result[-1][1] == a:
            result[-1] = (result[-1][0], b)
        else:
            result.append((a, b))
    return inside, tuple(result)


def _between(low: float, high: float) -> float:
    """The logit of a FAR between two, in the middle of theirs."""
    first, last, middle = logits(np.array([low, high, 0.5 * (low + high)])).tolist()
    first, last = max(-700.0, first), min(36.0, last)
    return float(0.5 * (first + last) if first < last else middle)


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


# ----------------------------------------------------------------------
INCLUDE, EXCLUDE, CANNOT_TELL = "include", "exclude", "cannot tell"
STRICT, LAX = "only at strict thresholds", "only at lax thresholds"
#: What the two ends are called in sentences.
END_WORDS = {"strict": f"low-{FAR}", "lax": f"high-{FAR}"}
#: Sides that are known.
_KNOWN = ("above", "below")
#: What the ends of a classifier's own ROC say against it, where its gain cannot be told.
_AGAINST = (EXCLUDE, STRICT, LAX)


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

    __slots__ = ("confidence", "gain", "marginal", "reason", "size")
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
        parts = {"confidence": confidence, "size": size, "reason": reason}
        for name, value in (parts | {"marginal": marginal, "gain": gain}).items():
            object.__setattr__(result, name, value)
        return result

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Verdict is frozen: {name} cannot be set.")

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.word, self.confidence, self.size, self.reason, self.marginal, self.gain

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
    sizes: tuple[int, int],
) -> Verdict:  # fmt: skip
    """The verdict that a classifier's evidence and its gain come to."""
    marginal, p = _decided(evidence, level)
    mean = evidence.mean
    confidence = Confidence(p, evidence.strict.p_value, evidence.lax.p_value)
    size = Size(mean.estimate, mean.low, mean.high, *evidence.largest, *evidence.deepest,
                evidence.hook_scores)  # fmt: skip
    word, measured = joined(marginal, gain.word), gain_sentence(gain, sizes)
    where, stands = "" if word == EXCLUDE else " at one end", ""
    if word not in (gain.word, CANNOT_TELL):
        stands = f"; so its own ROC, which speaks against it{where}, decides"
    by_roc = _reason(fit, evidence, marginal, region, level)
    reason = f"{capital(measured)}{stands}. By its own ROC: {marginal}. {by_roc}"
    return Verdict(word, confidence, size, Sentence(reason), Sentence(marginal), gain)


def joined(marginal: str, gained: str) -> str:
    """The measured gain wherever it tells; else what the ends say against a classifier.

    What they say for it is no gain: the others may say it already.
    """
    if gained != CANNOT_TELL:
        return gained
    return marginal if marginal in _AGAINST else CANNOT_TELL


def _decided(evidence: RocEvidence, level: float) -> tuple[str, float]:
    """The word and its p-value: that of the least certain of the statements it needs."""
    if evidence.on_diagonal:
        return EXCLUDE, math.nan
    strict, lax = evidence.strict, evidence.lax
    judged = not (math.isnan(strict.p_value) or math.isnan(lax.p_value))
    p = max(strict.p_value, lax.p_value) if judged else math.nan
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


# --------------------------------------------------------------------------- the sentence
def _reason(
    fit: Fit, evidence: RocEvidence, word: str, region: tuple[float, float], level: float
) -> str:
    if evidence.on_diagonal:
        return "Both classes have one fitted distribution: the ROC is the diagonal."
    strict, lax, mean = evidence.strict, evidence.lax, evidence.mean
    parts = [f"{_side_words(strict, fit, 'low')}; {_side_words(lax, fit, 'high')}"]
    if word == CANNOT_TELL and strict.side == lax.side in _KNOWN:
        parts.append("between them it is not on one side with confidence")
    ends = f"{number(mean.low, 3)} to {number(mean.high, 3)}"
    interval = "" if math.isnan(mean.low) else f" ({level_words(level)}: {ends})"
    parts.append(f"{TPR} - {FAR} is {number(mean.estimate, 3)} on average{interval}")
    parts.append(f"{_most(fit, evidence)}{_below(evidence)}")
    where = "" if region == (0.0, 1.0) else f"for {FAR} from {region[0]:g} to {region[1]:g}: "
    return f"{capital(where + '; '.join(parts))}."


def _side_words(side: BorderSide, fit: Fit, border: str) -> str:
    judged = f"{side.side} the diagonal" if side.side in _KNOWN else f"{CANNOT_TELL} the side"
    p = f"p = {number(side.p_value, 2)}{side.counts and f'; {side.counts}'}"
    far = f"{FAR} {percent(side.far)}"
    if side.by == "none":
        why = f"the parameters of this fit, {family_text(fit.family)}, have no standard errors"
        if not (fit.client.names and fit.impostor.names):
            why = "an empirical pair has no parameters whose errors could be judged"
        return f"not judged at {far}: {why}"
    where = f"at {far}"
    if side.by == "end test":
        names = ("threshold 1", "threshold 0") if fit.model._pair.unit else (
            "high scores", "low scores")  # fmt: skip
        where = f"towards {names[border == 'high']}"
    if side.counts and math.isnan(side.p_value):
        return f"{where} {side.counts}"
    outermost = ", where one score is expected beyond" if side.by == "first score" else ""
    return f"{judged} {where}{outermost} ({p})"


def _most(fit: Fit, evidence: RocEvidence) -> str:
    gap, far = evidence.largest
    if gap == 0.0:
        return f"above the diagonal at no {FAR}"
    places = np.array(evidence.above).reshape(-1, 2)
    clients = np.diff(np.asarray(fit.model.roc().tpr(places)))
    impostors = np.diff(places)
    expected = fit.client.total_weight * clients + fit.impostor.total_weight * impostors
    if np.sum(expected) < SEEN:
        return "above the diagonal for less than one score"
    return f"at most {number(gap, 3)} at {FAR} {percent(far)}"


def _below(evidence: RocEvidence) -> str:
    gap, far = evidence.deepest
    if gap == 0.0:
        return ""
    if evidence.hook_scores < SEEN:
        return "; below the diagonal for less than one score: no finding"
    text = f", and below the diagonal by {number(gap, 2)} at most, at {FAR} {percent(far)}"
    n = evidence.hook_scores
    scores = f"{n:.0f}" if n >= 100.0 else number(n, 3)
    return f"{text}; {scores} scores are expected below it"
