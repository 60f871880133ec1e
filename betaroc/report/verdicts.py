"""The verdicts on a fit, of its ROC and of the rates at a threshold, in words and in numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from betaroc.core.text import sentence
from betaroc.core.value import fields_of
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores
from betaroc.fits.check import CURVE_ONLY, TOLERANCE, FitCheck, FitStatus, statuses_beside
from betaroc.fits.family_choice import FamilyRow, TailRow
from betaroc.fits.target_checks import GoodDownTo, TargetCheck, rates_verdict, rates_words
from betaroc.report.quality import Distances, Quality


def statuses_of(found: Quality, scores: Scores, distances: Distances | None) -> list[FitStatus]:
    """Of the ROC, by `check_fit`; of the rates at a threshold, by counts and distances."""
    if found.bin_error is not None and distances is not None:
        return statuses_beside(*_of_counts(found, scores, distances))
    check, rates = found.check, _of_rates(found)
    if check is None or distances is None:
        unchecked = FitStatus("ROC", "not checked", sentence(found.unchecked))
        return [unchecked, *[rates] * bool(found.targets)]
    roc = FitStatus("ROC", check.verdict, sentence(check.reason))
    words = (
        f"{_distance_words(distances, 3)} (smallest p-values of the tests"
        f" {_least_p(check, 'client')} and {_least_p(check, 'impostor')})."
    )
    if groups_of(scores) is not None:
        words += " These distances take trials as independent, which these groups are not."
    return statuses_beside(roc, rates._replace(words=f"{rates.words} {words}"))


def class_verdicts(scores: Scores, off: tuple[float, float], level: float) -> tuple[str, str]:
    """Of each class, client first, by the distance of its distribution from the scores alone."""
    client, impostor = map(_verdict, off, _chance(scores, level))
    return client, impostor


def _of_rates(found: Quality) -> FitStatus:
    """What was counted at thresholds, as `check_fit` judges it."""
    words = sentence(rates_words(found.targets, found.good_down_to))
    return FitStatus("rates at a threshold", rates_verdict(found.targets), words)


def _distance_words(distances: Distances, digits: int, where: str = "") -> str:
    return (
        f"FRR by the client distribution is up to {distances.client:.{digits}f} from the one"
        f" counted{where}, FAR by the impostor distribution {distances.impostor:.{digits}f}"
    )


def _of_counts(found: Quality, scores: Scores, distances: Distances) -> tuple[FitStatus, FitStatus]:
    """By what chance and bins allow in general; a distance of ROCs is at most that of rates."""
    coarse, rates = (found.bin_error or (0.0, 0.0))[::-1], _of_rates(found)
    noise = _chance(scores, found.level or 0.95)
    told = (
        f"(by chance {noise[0]:.4f} and {noise[1]:.4f}, within bins {coarse[0]:.4f} and"
        f" {coarse[1]:.4f} more)"
    )
    words = f"{_distance_words(distances, 4, ' at borders of bins')} {told}."
    roc = (
        f"the fitted ROC is {distances.roc:.4f} from the one counted {told}; tolerance"
        f" {TOLERANCE:g}. No p-values: they need every score."
    )
    of_roc = _verdict(distances.roc, max(noise), max(coarse))
    return FitStatus("ROC", of_roc, roc), rates._replace(words=f"{rates.words} {words}")


def _chance(scores: Scores, level: float) -> list[float]:
    """How far each class alone is off by chance (Dvoretzky, Kiefer and Wolfowitz)."""
    totals = (scores.client_total, scores.impostor_total)
    return [math.sqrt(math.log(2.0 / (1.0 - level)) / (2.0 * total)) for total in totals]


def _verdict(off: float, noise: float, coarse: float = 0.0) -> str:
    """Whether a distance is within the tolerance, whatever chance and bins did."""
    if off + noise + coarse <= TOLERANCE:
        return "good"
    return "poor" if off - noise > TOLERANCE else "cannot tell"


def _least_p(check: FitCheck, who: str) -> str:
    tests = (check.ks, check.cvm, check.ad, check.information)
    return f"{min(getattr(t, who).p_value for t in tests):.3f}"


def target_numbers(targets: Sequence[TargetCheck], good: GoodDownTo) -> dict[str, Any]:
    """For JSON."""
    return {"targets": [t._asdict() for t in targets], "good_down_to": good._asdict()}


# ----------------------------------------------------------------------------- numbers
def quality_numbers(found: Quality, scores: Scores, distances: Distances | None) -> dict[str, Any]:
    """The check, the families and the audit for JSON."""
    return {
        "fit_quality": _check_numbers(found, scores, distances),
        "families": _families_numbers(found),
        "sensitivity": _audit_numbers(found),
    }


def _check_numbers(found: Quality, scores: Scores, distances: Distances | None) -> dict[str, Any]:
    """The curve's verdict, that of the rates, the counts at thresholds."""
    check, counted_ = found.check, target_numbers(found.targets, found.good_down_to)
    if check is None and found.bin_error is None:
        verdict = rates_verdict(found.targets) if found.targets else None
        return {"verdict": None, "reason": found.unchecked, "status": verdict, **counted_}
    roc, rates = statuses_of(found, scores, distances)
    order = ("good", "cannot tell", CURVE_ONLY, "poor")
    said = {
        "verdict": "good" if roc.verdict == CURVE_ONLY else roc.verdict,
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
        **fields_of(check, "tolerance", "level", "replicates"),
    }


def _families_numbers(found: Quality) -> dict[str, Any]:
    families = found.families
    if families is None:
        reason = found.uncompared
        best = found.recommended or None
        return {"recommended": best, "reason": reason, "table": [], "tails": [], "left_out": []}
    return {
        "recommended": found.recommended,
        "reason": families.reason,
        "table": [{"class": row.who} | _without_who(row) for row in families.rows],
        "tails": [{"class": row.who} | _without_who(row) for row in families.tails],
        "roc_distance": families.roc_distance,
        "left_out": [
            {"class": who, "family": name, "reason": why} for who, name, why in families.left_out
        ],
    }


def _without_who(row: FamilyRow | TailRow) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if name != "who"}


def _audit_numbers(found: Quality) -> dict[str, Any]:
    audit = found.audit
    if audit is None:
        empty: dict[str, Any] = {"called_for": [], "policies": [], "tails": []}
        return {"reason": found.unaudited, **empty, "extreme_scores": []}
    return {
        "reason": "",
        "called_for": list(found.called_for),
        "policies": [row._asdict() for row in audit.policies],
        "refused": list(audit.refused),
        "tails": [tail._asdict() for tail in audit.tails],
        "extreme_scores": found.tails,
    }
