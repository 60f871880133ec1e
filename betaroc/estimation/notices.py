"""What a fit has to say beside its numbers; each kind is said once a call."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import (
    BetarocWarning,
    BoundaryWarning,
    DiscretenessWarning,
    FitError,
    InfluenceWarning,
    MisfitWarning,
    ReversedScoresWarning,
    SmallSampleWarning,
)
from betaroc.core.notices import Notice, warn
from betaroc.core.sentences import worded
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import Scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import base_of
from betaroc.distributions.pairs import pair_of
from betaroc.estimation.boundary import BoundaryRule
from betaroc.estimation.contract import Data, Maximum, Sample
from betaroc.estimation.record import Estimate

SMALL_SAMPLE = 10
#: So many scores of which most are tied were rounded, fewer may be so by chance.
_TIES_TELL = 30

#: A Newton step of this size calls for a fit without the score.
_STEP = 0.2
#: A value is far outside beyond this many times the distance of any other from the median, ...
_FAR = 5.0
#: ... where an end like that of the next scores has such a gap with this probability, ...
_LEVEL, _NEXT = 0.0025, 20
#: ... or beyond this many times, whatever they are like.
_VERY_FAR = 50.0

_ODD = worded(": check it; if it was rounded, pass `resolution=`")
_ADVICE: dict[type[BetarocWarning], str] = {
    BoundaryWarning: worded('Other choices: `boundary="error"`, "censor", "squeeze", "drop".'),
    SmallSampleWarning: "Estimates from so few are biased and their standard errors too small.",
    DiscretenessWarning: "A continuous distribution is fitted; if scores were rounded, pass "
    + worded('`resolution=`, with a family of one density such as "beta" or "normal".'),
    MisfitWarning: "Look at br.check_fit and br.compare_families, or"
    + worded(' count: `family="empirical"`.'),
}


def give(notices: Iterable[Notice]) -> None:
    """One warning for each category, its parts of the classes joined."""
    grouped: dict[type[BetarocWarning], str] = {}
    for category, text in notices:
        grouped[category] = grouped[category] + "; " + text if category in grouped else text
    for category, text in grouped.items():
        advice = _ADVICE.get(category)
        warn(text + "." if advice is None else text + ". " + advice, category)


def few_scores(name: str, total: float) -> list[Notice]:
    """Fewer than ten scores (their total weight, for weighted ones)."""
    if total >= SMALL_SAMPLE:
        return []
    said = f"{name}: only {total:g} score{'s' * (total != 1)}, fewer than {SMALL_SAMPLE}"
    return [Notice(SmallSampleWarning, said)]


def inflated(
    sample: Data,
    rule: BoundaryRule,
    params: Mapping[str, float],
    family: str,
    range_: tuple[float, float],
) -> list[Notice]:
    """Point masses that were fitted because nobody said otherwise."""
    low, high = range_
    ends = ((low, rule.n_zero, params["at_zero"]), (high, rule.n_one, params["at_one"]))
    met = [end for end in ends if end[1]]
    counts = " and ".join(f"{count} exactly {end!r}" for end, count, _ in met)
    masses = " and ".join(f"{mass:.4g}" for _, _, mass in met)
    where = sample.first_end_words()
    text = (
        f"{sample.name}: of {sample.n} scores {counts}{f' ({where})' if where else ''}; fitted as"
        f" point mass {masses} beside a {family} distribution"
    )
    return [Notice(BoundaryWarning, text)]


def influence(
    sample: Data,
    result: Estimate,
    estimate: Callable[[Data], Maximum],
    back: Callable[[float], float],
) -> list[Notice]:
    """The lowest or highest score, where it alone moves a parameter far.

    A move is relative for a scale or shape, and of a location in units of the scatter of the
    scores. It is looked for in two steps.

    1. One Newton step without the score, `cov @ gradient`, foretells the move. Up to a fifth
       nothing is said.
    2. Beyond, the class is fitted again without the score, and the true move is said from 1 on (the
       parameter doubles or halves, or the location moves by the scatter), of fewer than 60 scores
       from 60/n on. Where no second fit is to be had (of a summary, of weights, or where it fails),
       the foretold move counts, from 1/2 on, of fewer than 20 scores from 10/n on.

    Distributions of more than two parameters are left out: these give way to each other, so that
    one may move far while the distribution stays.
    """
    law, total = base_of(result.distribution), sample.total
    parameters, size = law._parameters(), len(law._parameters())
    if total < SMALL_SAMPLE or not result.names or size > 2:
        return []
    ends, cov = np.array([sample.low, sample.high]), result.cov[:size, :size]
    with np.errstate(all="ignore"):  # of errors that no double holds nothing is said
        errors = np.sqrt(np.diag(cov) * total).tolist()
        rooms = [
            p.value if p.scale == "log" else e for p, e in zip(parameters, errors, strict=True)
        ]
        steps = cov @ law._score(Thresholds.from_theta(ends)) / np.c_[rooms]
    k, end = np.unravel_index(np.argmax(np.abs(steps)), steps.shape)
    if not _STEP < abs(steps[k, end]) < math.inf:
        return []
    one, score, step = parameters[k], float(ends[end]), float(steps[k, end])
    before = one.value * math.exp(-step) if one.scale == "log" else one.value - rooms[k] * step
    moved, least, most = abs(step), 0.5, 10.0
    if isinstance(sample, Sample) and sample.weights is None:
        left = np.arange(sample.n) != (np.argmax if end else np.argmin)(sample.values)
        with contextlib.suppress(FitError):
            before = estimate(sample.keep(left)).distribution._parameters()[k].value
            moved, least, most = abs(one.value - before) / rooms[k], 1.0, 60.0
            if one.scale == "log":
                moved = math.expm1(abs(math.log(one.value / before)))
    if not moved > max(least, most / total):
        return []
    text = f"{sample.name}: the score {back(score)!r} alone moves {one.name} from {before:.4g}"
    return [Notice(InfluenceWarning, f"{text} to {one.value:.4g}{_ODD}")]


def outliers(scores: Scores) -> list[Notice]:
    """Values far outside the others of their class, such as a code for a missing score.

    The gap between a value and the next towards the median, in logarithms of their distances from
    it, over the mean excess of the next 20 scores (Hill's estimate): of an end that is a power law
    (1 + gap/20)^-20 is its p-value, and it is smaller for lighter ends.
    """
    said = []
    for who, law in zip(CLASSES, scores._distributions, strict=True):
        places, copies = law._steps
        middle = places[np.searchsorted(np.cumsum(copies), 0.5 * law.total)]
        for value, side in ((places[0], slice(None)), (places[-1], slice(None, None, -1))):
            far = np.abs(0.5 * places - 0.5 * middle)
            if places.size < 3 or (value in (0.0, 1.0) and places[0] >= 0.0 and places[-1] <= 1.0):
                continue
            if not _is_outside(far[side], copies[side]):
                continue
            values = getattr(scores, who)
            first, n = int(np.argmax(values == value)), int(np.sum(values == value))
            times = far[side][0] / np.max(far[places != value])
            said.append(
                f"{who}: {f'{n} scores are' if n > 1 else 'a score is'} {float(value)!r} (index"
                f" {first}{' first' * (n > 1)}), {times:.3g} times as far from the median as"
                " any other. If that is a code for a missing score, leave it out, or leave it empty"
                + worded(' and read with `missing="drop"`')
            )
    return [Notice(InfluenceWarning, text) for text in said]


def _is_outside(far: FloatArray, copies: FloatArray) -> bool:
    """Whether the first distance from the median is too large beside the next ones."""
    largest = float(np.max(far[1:]))
    if not far[0] > _FAR * largest:
        return False
    inward = slice(1, 1 + int(np.argmin(far[1:])))  # the same side of the median
    beyond = np.cumsum(copies[inward])
    k = min(_NEXT, int(beyond[-1] // 2)) if beyond.size else 0
    if far[0] > _VERY_FAR * largest or not k:
        return bool(far[0] > _VERY_FAR * largest)
    counted = np.clip(k - (beyond - copies[inward]), 0.0, copies[inward])
    least = far[inward][np.searchsorted(beyond, k, side="right")]
    excess = float(counted @ np.log(far[inward] / least)) / k
    return math.log(far[0] / far[1]) > excess * k * math.expm1(-math.log(_LEVEL) / k)


def tied(name: str, values: FloatArray, *, on_unit: bool) -> list[Notice]:
    """Fewer distinct scores than half of them; exact 0 and 1 have a rule where they are ends."""
    inner = values[(values != 0.0) & (values != 1.0)] if on_unit else values
    distinct = np.unique(inner).size
    if inner.size < _TIES_TELL or 2 * distinct >= inner.size:
        return []
    text = f"{name}: only {distinct} distinct values among {inner.size} scores"
    text += " inside the scale" * on_unit
    return [Notice(DiscretenessWarning, text)]


def reversed_scores(client: Distribution, impostor: Distribution) -> None:
    """Warn if the AUC of counted distributions is below one half."""
    auc = pair_of(client, impostor).auc()
    if auc < 0.5:
        warn(
            f"impostors score higher than clients: the empirical AUC is {auc:.4g} < 0.5. Scores are"
            " taken as they are (higher = more client-like); if lower means client, pass 1 - score"
            " or -score, and check which label is the client's.",
            ReversedScoresWarning,
        )
