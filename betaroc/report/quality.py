"""Can a set's fit be believed? The check, the other families, the audit of the ends; in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from betaroc.core.errors import BetarocError
from betaroc.core.notices import quietly
from betaroc.core.value import Value
from betaroc.data.scores import Scores
from betaroc.data.summary import Given, ScoreSummary
from betaroc.estimation.families import Names, family_text, named
from betaroc.fits.audit import Sensitivity, sensitivity
from betaroc.fits.check import TOLERANCE, FitCheck, check_fit
from betaroc.fits.family_choice import FamilyComparison, FamilyRow, compare_families
from betaroc.fits.fit import Fit
from betaroc.fits.target_checks import GoodDownTo, TargetCheck, check_targets, good_down_to
from betaroc.inference.counted import whole_weights
from betaroc.inference.groups import groups_of
from betaroc.rendering.numbers import counted
from betaroc.report.rates import rates_verdict, rates_words, tail_words, target_numbers

__all__ = [
    "CHECK_REPLICATES", "Lamp", "Quality", "lamps", "quality_numbers", "quality_of", "sentence",
]  # fmt: skip

#: Score sets simulated for a check: p-values in steps of 1/200.
CHECK_REPLICATES = 199
#: A share of the sums that fit the laws, carried by the extreme 1 % of a class: of a pure power
#: tail it is 0.01 (1 + log 100) = 5.6 %.
_CARRIED = 0.1
#: Relative change of a shape by another rule that is worth a table.
_MOVED = 0.1
#: How near to 0 or 1 a score is within reach of the usual rules.
_REACH = 1e-3
_NOT_ON_TEST = "a family is chosen on dev, and serves all sets"
_NONE_GOOD = GoodDownTo(None, None)
#: A curve within the tolerance beside a rate that is poor.
_CURVE_ONLY = "good as a curve only"
_POLICIES = {
    "squeeze": "scores were moved off 0 and 1",
    "censor": "scores beyond the edges were counted, not measured",
    "matlab": "scores beyond the edges were counted, not measured",
    "interval": "scores were counted in cells",
}


@dataclass(frozen=True, eq=False, repr=False)
class Quality(Value):
    """What speaks for and against the fit of one score set.

    Parameters
    ----------
    check : FitCheck or None
        Of the fit; None where there can be none, for the reason in `unchecked`.
    unchecked : str
        Why there is no check; else empty.
    families : FamilyComparison or None
        Of the scores; None for the reason in `uncompared`.
    uncompared : str
        Why families were not compared; else empty.
    recommended : str or pair of str
        The recommended family, or those of clients and of impostors: "empirical", the scores
        themselves, where none can be compared; empty for a test set, on which none is chosen.
    audit : Sensitivity or None
        Of a beta fit; None for the reason in `unaudited`.
    unaudited : str
        Why there is no audit; else empty.
    called_for : tuple of str
        Why the audit should be looked at; empty where no score is within reach of 0 or 1.
    level : float or None
        Confidence of the verdicts on the fit of a summary.
    bin_error : tuple of float or None
        Of a summary, what FAR and FRR can be off between borders of bins.
    targets : tuple of TargetCheck
        Default rates counted at the fit's own thresholds; empty where none can be.
    good_down_to : GoodDownTo
        The smallest of them down to which all are good.
    """

    check: FitCheck | None = None
    unchecked: str = ""
    families: FamilyComparison | None = None
    uncompared: str = ""
    recommended: Names = ""
    audit: Sensitivity | None = None
    unaudited: str = ""
    called_for: tuple[str, ...] = ()
    level: float | None = None
    bin_error: tuple[float, float] | None = None
    targets: tuple[TargetCheck, ...] = ()
    good_down_to: GoodDownTo = _NONE_GOOD

    @property
    def tails(self) -> list[str]:
        """What the extreme scores say of the ends where Hill's estimate is far from the fit."""
        return tail_words(self.audit)


def quality_of(
    given: Given,
    fit: Fit | None,
    level: float,
    rng: Any,
    *,
    choose: bool = True,
    compared: FamilyComparison | str | None = None,
) -> Quality:
    """Everything that can be said; ``fit`` is None where no laws were fitted.

    Unless `choose`, families are not compared; `compared` is their comparison, or why there is
    none, where the fit was chosen by it.
    """
    if isinstance(given, ScoreSummary):
        return _of_summary(given, fit, level, choose=choose)
    scores = given
    check, unchecked = None, _uncheckable(scores, fit)
    if fit is not None and not unchecked:
        check, unchecked = _tried(
            lambda: check_fit(fit, replicates=CHECK_REPLICATES, level=level, rng=rng)
        )
    targets = _counted(fit, level) if check is None else check.targets
    families: FamilyComparison | None = None
    uncompared, best = _NOT_ON_TEST, cast(Names, "")
    if choose:
        if isinstance(compared, FamilyComparison):
            families, uncompared = compared, ""
        elif compared is None:
            families, uncompared = _tried(lambda: compare_families(scores))
        else:
            uncompared = compared
        best = "empirical" if families is None else named(families.recommended)
    audit, unaudited = None, _unauditable(scores, fit)
    if fit is not None and not unaudited:
        audit, unaudited = _tried(lambda: sensitivity(fit))
    called = () if audit is None else _called_for(scores, audit)
    return Quality(
        check, unchecked, families, uncompared, best, audit, unaudited, called,
        targets=targets, good_down_to=good_down_to(targets),
    )  # fmt: skip


def _counted(fit: Fit | None, level: float) -> tuple[TargetCheck, ...]:
    """The rates of a fit that cannot be simulated; none where weights are no counts."""
    return () if fit is None else _tried(lambda: check_targets(fit, level=level))[0] or ()


def _of_summary(given: ScoreSummary, fit: Fit | None, level: float, *, choose: bool) -> Quality:
    """Of sums and counts only the distances of the laws can be judged."""
    why = "it needs every score, which a summary does not keep"
    targets = _counted(fit, level)
    return Quality(
        unchecked="no laws were fitted" if fit is None else why,
        uncompared=why if choose else _NOT_ON_TEST,
        unaudited=why,
        level=None if fit is None else level,
        bin_error=None if fit is None else given.rate_error,
        targets=targets,
        good_down_to=good_down_to(targets),
    )


def _tried(make: Callable[[], Any]) -> tuple[Any, str]:
    """What was made, or why not; its warnings were given with the fit."""
    try:
        with quietly():
            return make(), ""
    except BetarocError as error:
        return None, str(error)


def _uncheckable(scores: Scores, fit: Fit | None) -> str:
    if fit is None:
        return "no laws were fitted"
    for who in ("client", "impostor"):
        rule = getattr(fit, who).boundary
        if rule is not None and rule.policy in _POLICIES:
            return f"{_POLICIES[rule.policy]}, while the check draws scores as they come"
    return "" if whole_weights(scores) else "weights are no whole numbers of copies"


def _unauditable(scores: Scores, fit: Fit | None) -> str:
    if fit is None:
        return "no laws were fitted"
    if fit.family != "beta":
        return f"the audit is of beta fits; these are of {family_text(fit.family)}"
    return "" if whole_weights(scores) else "weights are no whole numbers of copies"


def _called_for(scores: Scores, audit: Sensitivity) -> tuple[str, ...]:
    """Whether what is done near 0 and 1 matters here, and how it shows."""
    values = np.concatenate([scores.client, scores.impostor])
    reasons = []
    ends = int(np.sum((values == 0.0) | (values == 1.0)))
    if ends:
        reasons.append(f"{counted(ends, 'score')} of exactly 0 or 1")
    near = (values < _REACH) | (values > 1.0 - _REACH)
    moved = _largest_move(audit)
    if moved is not None and (bool(near.any()) or ends):
        policy, change = moved
        reasons.append(f"the rule {policy} changes a shape by {100.0 * change:.0f} %")
    heavy = [tail for tail in audit.tails if tail.carried > _CARRIED]
    if heavy:
        worst = max(heavy, key=lambda tail: tail.carried)
        reasons.append(
            f"the extreme 1 % of the {worst.who} scores {worst.end.replace('_', ' ')} carry"
            f" {100.0 * worst.carried:.0f} % of the sum that fits the law there (of a pure power"
            " tail 5.6 %)"
        )
    return tuple(reasons)


def _largest_move(audit: Sensitivity) -> tuple[str, float] | None:
    """The rule that changes a shape most, and by what share, where it is worth a table."""
    own = audit.policies[0]
    moves = [
        (abs(new / old - 1.0), row.policy)
        for row in audit.policies[1:]
        for new, old in zip(row[1:5], own[1:5], strict=True)
        if old > 0.0 and math.isfinite(new)
    ]
    change, policy = max(moves, default=(0.0, ""))
    return (policy, change) if change > _MOVED else None


# ----------------------------------------------------------------------------- verdicts
class Lamp(NamedTuple):
    """A verdict, "good", "cannot tell", "poor" or "not checked"; of what, and the numbers.

    A curve that is good beside a rate that is not is "good as a curve only".
    """

    of: str
    verdict: str
    words: str


def lamps(found: Quality, scores: Scores, distances: Any) -> list[Lamp]:
    """Of the ROC, by `check_fit`; of the rates at a threshold, by counts and distances."""
    if found.bin_error is not None:
        return _beside(_lamps_of_counts(found, scores, distances))
    if found.check is None:
        unchecked = Lamp("ROC", "not checked", sentence(found.unchecked))
        if not found.targets:
            return [unchecked]
        verdict = rates_verdict(found.targets, found.good_down_to)
        return [unchecked, Lamp("rates at a threshold", verdict, _rates(found, ""))]
    check = found.check
    roc = Lamp("ROC", check.verdict, sentence(check.reason))
    noise = _chance(scores, check.level)
    off = (distances.client, distances.impostor)
    words = (
        f"FRR by the client distribution is up to {off[0]:.3f} from the one counted, FAR by the"
        f" impostor distribution {off[1]:.3f} (by chance {noise[0]:.3f} and {noise[1]:.3f};"
        f" smallest p-values of the tests {_least_p(check, 'client')} and"
        f" {_least_p(check, 'impostor')}); tolerance {check.tolerance:g}."
    )
    if groups_of(scores) is not None:
        words += " These distances take trials as independent, which these groups are not."
    verdict = _worse(found, _verdict(off, noise, check.tolerance))
    return _beside([roc, Lamp("rates at a threshold", verdict, _rates(found, words))])


def _rates(found: Quality, words: str) -> str:
    """What was counted at thresholds, then the distances."""
    counts = sentence(rates_words(found.targets, found.good_down_to))
    return f"{counts} {words}".rstrip()


def _worse(found: Quality, verdict: str) -> str:
    """The worse of the verdicts by distances and by counts at thresholds."""
    order = ("good", "cannot tell", "poor")
    return max(verdict, rates_verdict(found.targets, found.good_down_to), key=order.index)


def _beside(pair: list[Lamp]) -> list[Lamp]:
    """No verdict is good beside a rate that is poor."""
    roc, rates = pair
    if rates.verdict == "poor" and roc.verdict == "good":
        roc = roc._replace(verdict=_CURVE_ONLY)
    return [roc, rates]


def _lamps_of_counts(found: Quality, scores: Scores, distances: Any) -> list[Lamp]:
    """By what chance and bins allow for any law; a distance of ROCs is at most that of rates."""
    coarse = (found.bin_error or (0.0, 0.0))[::-1]
    noise = _chance(scores, found.level or 0.95)
    off = (distances.client, distances.impostor)
    told = (
        f"(by chance {noise[0]:.4f} and {noise[1]:.4f}, within bins {coarse[0]:.4f} and"
        f" {coarse[1]:.4f} more); tolerance {TOLERANCE:g}"
    )
    rates = (
        f"FRR by the client distribution is up to {off[0]:.4f} from the one counted at borders of"
        f" bins, FAR by the impostor distribution {off[1]:.4f} {told}."
    )
    roc = (
        f"the fitted ROC is {distances.roc:.4f} from the one counted {told}. No p-values: they need"
        " every score."
    )
    of_roc = _verdict((distances.roc,), (max(noise),), TOLERANCE, (max(coarse),))
    verdict = _worse(found, _verdict(off, noise, TOLERANCE, coarse))
    return [Lamp("ROC", of_roc, roc), Lamp("rates at a threshold", verdict, _rates(found, rates))]


def _chance(scores: Scores, level: float) -> list[float]:
    """How far each class alone is off by chance (Dvoretzky, Kiefer and Wolfowitz)."""
    totals = (scores.client_total, scores.impostor_total)
    return [math.sqrt(math.log(2.0 / (1.0 - level)) / (2.0 * total)) for total in totals]


def _verdict(
    off: Sequence[float],
    noise: Sequence[float],
    tolerance: float,
    coarse: Sequence[float] = (0.0, 0.0),
) -> str:
    """Whether the largest distance is within the tolerance, whatever chance and bins did."""
    low = max(max(0.0, d - e) for d, e in zip(off, noise, strict=True))
    high = max(d + e + c for d, e, c in zip(off, noise, coarse, strict=False))
    if high <= tolerance:
        return "good"
    return "poor" if low > tolerance else "cannot tell"


def _least_p(check: FitCheck, who: str) -> str:
    tests = (check.ks, check.cvm, check.ad, check.information)
    return f"{min(getattr(t, who).p_value for t in tests):.3f}"


def sentence(text: str) -> str:
    """With its full stop."""
    return text if text.endswith(".") else f"{text}."


# ----------------------------------------------------------------------------- numbers
def quality_numbers(found: Quality, scores: Scores, distances: Any) -> dict[str, Any]:
    """The check, the families and the audit for JSON."""
    return {
        "fit_quality": _check_numbers(found, scores, distances),
        "families": _families_numbers(found),
        "sensitivity": _audit_numbers(found),
    }


def _check_numbers(found: Quality, scores: Scores, distances: Any) -> dict[str, Any]:
    """The curve's verdict, that of the rates, the counts at thresholds."""
    check, counted_ = found.check, target_numbers(found.targets, found.good_down_to)
    if check is None and found.bin_error is None:
        verdict = rates_verdict(found.targets, found.good_down_to) if found.targets else None
        return {"verdict": None, "reason": found.unchecked, "status": verdict, **counted_}
    roc, rates = lamps(found, scores, distances)
    order = ("good", "cannot tell", _CURVE_ONLY, "poor")
    said = {
        "verdict": "good" if roc.verdict == _CURVE_ONLY else roc.verdict,
        "reason": roc.words if check is None else check.reason,
        "status": max(rates.verdict, roc.verdict, key=order.index),
        "rates_at_a_threshold": {"verdict": rates.verdict, "reason": rates.words},
        **counted_,
    }
    if check is None or check.roc_distance is None:
        return {**said, "tolerance": TOLERANCE, "level": found.level}
    tests = {"ks": check.ks, "cvm": check.cvm, "ad": check.ad, "information": check.information}
    return {
        **said,
        "roc_distance": check.roc_distance._asdict(),
        "tests": {
            name: {who: getattr(t, who)._asdict() for who in ("client", "impostor")}
            for name, t in tests.items()
        },
        "tolerance": check.tolerance,
        "level": check.level,
        "replicates": check.replicates,
    }


def _families_numbers(found: Quality) -> dict[str, Any]:
    families = found.families
    if families is None:
        reason = found.uncompared
        best = found.recommended or None
        return {"recommended": best, "reason": reason, "table": [], "left_out": []}
    return {
        "recommended": found.recommended,
        "reason": families.reason,
        "table": [{"class": row.who} | _without_who(row) for row in families.rows],
        "roc_distance": families.roc_distance,
        "left_out": [
            {"class": who, "family": name, "reason": why} for who, name, why in families.left_out
        ],
    }


def _without_who(row: FamilyRow) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if name != "who"}


def _audit_numbers(found: Quality) -> dict[str, Any]:
    audit = found.audit
    if audit is None:
        return {
            "reason": found.unaudited,
            "called_for": [],
            "policies": [],
            "tails": [],
            "extreme_scores": [],
        }
    return {
        "reason": "",
        "called_for": list(found.called_for),
        "policies": [row._asdict() for row in audit.policies],
        "refused": list(audit.refused),
        "tails": [tail._asdict() for tail in audit.tails],
        "extreme_scores": found.tails,
    }
