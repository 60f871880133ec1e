"""From evidence and measured gain to a verdict, and the sentences that give its reason."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.vocabulary import capital
from betaroc.ensemble.evidence import BorderSide, RocEvidence
from betaroc.ensemble.learned import ADDS_NOTHING, LEAVE_OUT, LearnedGain, gain_sentence
from betaroc.estimation.families import family_text
from betaroc.fits.fit import Fit
from betaroc.model.improper_regions import SEEN
from betaroc.rendering.numbers import level_words, number, percent

INCLUDE, EXCLUDE, CANNOT_TELL = "include", "exclude", "cannot tell"
STRICT, LAX = "only at strict thresholds", "only at lax thresholds"
#: What the two ends are called in sentences.
END_WORDS = {"strict": "low-FAR", "lax": "high-FAR"}
#: Every word of a verdict.
VERDICTS = (INCLUDE, ADDS_NOTHING, LEAVE_OUT, STRICT, LAX, EXCLUDE, CANNOT_TELL)
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
        What the classifier's own ROC says: "include", "exclude", "only at strict thresholds",
        "only at lax thresholds" or "cannot tell".
    gain : LearnedGain
        What it adds to the others in a learned fusion: `estimate`, `low`, `high`, `level`,
        `method`, and its own `word`.

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
    >>> verdict.gain.low > 0.0, round(verdict.size.largest, 1)
    (True, 0.6)
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
        made = super().__new__(cls, word)
        parts = {"confidence": confidence, "size": size, "reason": reason}
        for name, value in (parts | {"marginal": marginal, "gain": gain}).items():
            object.__setattr__(made, name, value)
        return made

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
    own = _reason(fit, evidence, marginal, region, level)
    reason = f"{capital(measured)}{stands}. By its own ROC: {marginal}. {own}"
    return Verdict(word, confidence, size, reason, marginal, gain)


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
    known = not (math.isnan(strict.p_value) or math.isnan(lax.p_value))
    p = max(strict.p_value, lax.p_value) if known else math.nan
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
    parts = _clear(evidence, word)
    parts.append(f"{_side_words(strict, fit, 'low')}; {_side_words(lax, fit, 'high')}")
    if word == CANNOT_TELL and strict.side == lax.side in _KNOWN:
        parts.append("between them it is not on one side with confidence")
    ends = f"{number(mean.low, 3)} to {number(mean.high, 3)}"
    interval = "" if math.isnan(mean.low) else f" ({level_words(level)}: {ends})"
    parts.append(f"TPR - FAR is {number(mean.estimate, 3)} on average{interval}")
    parts.append(f"{_most(fit, evidence)}{_below(evidence)}")
    where = "" if region == (0.0, 1.0) else f"for FAR from {region[0]:g} to {region[1]:g}: "
    return f"{capital(where + '; '.join(parts))}."


def _clear(evidence: RocEvidence, word: str) -> list[str]:
    """What is known all the same where the whole cannot be told."""
    if word != CANNOT_TELL:
        return []
    mean, sides = evidence.mean, {"strict": evidence.strict.side, "lax": evidence.lax.side}
    known: dict[str, list[str]] = {}
    if mean.low > 0.0 or mean.high < 0.0:
        known["above" if mean.low > 0.0 else "below"] = ["on average"]
    for end, side in sides.items():
        if side in _KNOWN:
            known.setdefault(side, []).append(f"at the {END_WORDS[end]} end")
    if not known:
        return []
    said = ", ".join(f"{side} the diagonal {' and '.join(at)}" for side, at in known.items())
    unknown = [f"the {END_WORDS[end]} end" for end, side in sides.items() if side not in _KNOWN]
    return [f"clear is: {said}; open is: {' and '.join(unknown or ['what lies between'])}"]


def _side_words(side: BorderSide, fit: Fit, border: str) -> str:
    judged = f"{side.side} the diagonal" if side.side in _KNOWN else f"{CANNOT_TELL} the side"
    p = f"p = {number(side.p_value, 2)}{side.counts and f'; {side.counts}'}"
    far = f"FAR {percent(side.far)}"
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
        return "above the diagonal at no FAR"
    places = np.array(evidence.above).reshape(-1, 2)
    clients = np.diff(np.asarray(fit.model.roc().tpr(places)))
    impostors = np.diff(places)
    expected = fit.client.total_weight * clients + fit.impostor.total_weight * impostors
    if np.sum(expected) < SEEN:
        return "above the diagonal for less than one score"
    return f"at most {number(gap, 3)} at FAR {percent(far)}"


def _below(evidence: RocEvidence) -> str:
    gap, far = evidence.deepest
    if gap == 0.0:
        return ""
    if evidence.hook_scores < SEEN:
        return "; below the diagonal for less than one score: no finding"
    text = f", and below the diagonal by {number(gap, 2)} at most, at FAR {percent(far)}"
    n = evidence.hook_scores
    scores = f"{n:.0f}" if n >= 100.0 else number(n, 3)
    return f"{text}; {scores} scores are expected below it"
