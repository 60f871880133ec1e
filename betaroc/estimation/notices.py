"""What a fit has to say beside its numbers; each kind is said once a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import (
    BetarocWarning,
    BoundaryWarning,
    DiscretenessWarning,
    InfluenceWarning,
    ReversedScoresWarning,
    SmallSampleWarning,
)
from betaroc.core.notices import Notice, warn
from betaroc.core.sentences import worded
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.pairs import pair_of
from betaroc.estimation.boundary import BoundaryRule
from betaroc.estimation.contract import Data, Influence

SMALL_SAMPLE = 10
#: So many scores of which most are tied were rounded, fewer may be so by chance.
_TIES_TELL = 30
#: A score is influential if it moves a parameter by this share and this many times 1/n.
_SHARE, _TIMES = 0.5, 10.0

_PRECISION = worded("`resolution=`.")
_ADVICE: dict[type[BetarocWarning], str] = {
    BoundaryWarning: worded('Other choices: `boundary="error"`, "censor", "squeeze", "drop".'),
    SmallSampleWarning: "Estimates from so few are biased and their standard errors too small.",
    DiscretenessWarning: "A continuous distribution is fitted; if scores were rounded, pass "
    + _PRECISION,
    InfluenceWarning: "Check that score; if it was rounded, pass " + _PRECISION,
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
    sample: Data, rule: BoundaryRule, params: Mapping[str, float], family: str
) -> list[Notice]:
    """Point masses that were fitted because nobody said otherwise."""
    ends = (("0.0", rule.n_zero, params["at_zero"]), ("1.0", rule.n_one, params["at_one"]))
    met = [end for end in ends if end[1]]
    counts = " and ".join(f"{count} exactly {end}" for end, count, _ in met)
    masses = " and ".join(f"{mass:.4g}" for _, _, mass in met)
    where = sample.first_end_words()
    text = (
        f"{sample.name}: of {sample.n} scores {counts}{f' ({where})' if where else ''}; fitted as"
        f" point mass {masses} beside a {family} distribution"
    )
    return [Notice(BoundaryWarning, text)]


def influence(name: str, found: Influence | None, total: float) -> list[Notice]:
    """One score that moves a parameter by a half, and by ten times an average score's share."""
    if found is None or total < SMALL_SAMPLE:
        return []
    if found.share <= max(_SHARE, _TIMES / total):
        return []
    text = f"{name}: the score {found.score!r} alone moves {found.parameter} by {found.share:.0%}"
    return [Notice(InfluenceWarning, text)]


def tied(name: str, values: FloatArray) -> list[Notice]:
    """Fewer distinct interior scores than half of them."""
    inner = values[(values != 0.0) & (values != 1.0)]
    distinct = np.unique(inner).size
    if inner.size < _TIES_TELL or 2 * distinct >= inner.size:
        return []
    text = f"{name}: only {distinct} distinct values among {inner.size} scores inside the scale"
    return [Notice(DiscretenessWarning, text)]


def reversed_scores(auc: float) -> None:
    """Warn if the empirical AUC is below one half."""
    if auc < 0.5:
        warn(
            f"impostors score higher than clients: the empirical AUC is {auc:.4g} < 0.5. Scores are"
            " taken as they are (higher = more client-like); if lower means client, pass 1 - score"
            " or -score, and check which label is the client's.",
            ReversedScoresWarning,
        )


def empirical_auc(
    client: FloatArray,
    impostor: FloatArray,
    client_weights: FloatArray | None = None,
    impostor_weights: FloatArray | None = None,
) -> float:
    """P(client > impostor) + P(equal) / 2, weighted."""
    laws = (
        Empirical._of_checked(client, client_weights),
        Empirical._of_checked(impostor, impostor_weights),
    )
    return float(pair_of(*laws).auc())
