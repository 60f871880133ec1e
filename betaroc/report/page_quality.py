"""Whether fits can be believed, as plain values for the template."""

from __future__ import annotations

import math
from typing import Any

from betaroc.fits.check import FitTest
from betaroc.fits.family_choice import FamilyRow
from betaroc.rendering.numbers import level_words, number
from betaroc.report.record import AnalysisRecord
from betaroc.report.score_set import ScoreSet
from betaroc.report.summary import CHECKED_SCORED, family_tails, family_words, statuses
from betaroc.report.verdicts import sentence, target_cells

__all__ = ["audits", "check_notes", "checks", "families", "of_scored", "status_rows"]

#: Colours of the verdicts, the worst last.
_CLASSES = {
    "good": "good", "good as a curve only": "none", "not checked": "none", "cannot tell": "open",
    "poor": "poor",
}  # fmt: skip
_TESTS = (
    ("ks", "Kolmogorov–Smirnov"),
    ("cvm", "Cramér–von Mises"),
    ("ad", "Anderson–Darling"),
    ("information", "information matrix"),
)


def status_rows(part: ScoreSet, role: str) -> list[dict[str, Any]]:
    """The verdicts on a set's fit: colours, the words that stand for them, the numbers."""
    found = statuses(part)
    if not found:
        return []
    worst = max(found, key=lambda one: list(_CLASSES).index(one.verdict))
    return [
        {
            "role": role,
            "colour": _CLASSES[worst.verdict],
            "statuses": [
                {"of": one.of, "colour": _CLASSES[one.verdict], "verdict": one.verdict}
                for one in found
            ],
            "words": [one.words[:1].upper() + one.words[1:] for one in found],
        }
    ]


_OF_COUNTS = (
    "No P–P and Q–Q pictures and no p-values: they need every score, which a summary does not keep."
    " The verdicts above rest on the distances and on the counts at thresholds."
)


def checks(part: ScoreSet, role: str) -> dict[str, Any]:
    """The tests of both distributions and of the ROC of one set, or why there are none."""
    found = part.quality
    check = None if found is None else found.check
    d = None if check is None else check.roc_distance
    said = {
        "role": role,
        "rows": [],
        "targets": [] if found is None else [target_cells(t) for t in found.targets],
        "tails": [] if found is None else [_capital(sentence(words)) for words in found.tails],
    }
    if found is None or check is None or d is None:
        if part.summary is not None and found is not None and found.bin_error is not None:
            return {**said, "why": _OF_COUNTS}
        why = "" if found is None else sentence(found.unchecked)
        return {**said, "why": f"not checked: {why}"}
    rows = [
        {"what": title, "cells": [_test(t) for t in getattr(check, key)]} for key, title in _TESTS
    ]
    return {
        **said,
        "rows": rows,
        "why": "",
        "roc": (
            f"ROC: largest distance from that of the scores {number(d.sup, 3)}"
            f" (p {number(d.p_value, 3)}), mean distance {number(d.mean, 3)}."
        ),
    }


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _test(test: FitTest) -> str:
    return f"{number(test.statistic, 4)} (p {number(test.p_value, 3)})"


def of_scored(analysis: AnalysisRecord) -> str:
    """What is of scores alone, where some trials have none; else nothing."""
    return _capital(CHECKED_SCORED) if any(p.has_rejected for p in analysis.parts) else ""


def check_notes(analysis: AnalysisRecord) -> str:
    """How the checks were made."""
    found = [part.quality.check for part in analysis.parts if part.quality is not None]
    drawn = max((check.replicates for check in found if check is not None), default=0)
    if drawn == 0:
        return f"Intervals of level {level_words(analysis.level)}"
    seed = "" if analysis.seed is None else f", seed {analysis.seed}"
    return (
        f"{drawn} simulated score sets{seed}, so that no p-value is below"
        f" {number(1.0 / (1 + drawn), 3)}; intervals of level {level_words(analysis.level)}"
    )


def families(part: ScoreSet, role: str) -> dict[str, Any]:
    """The families side by side, the recommended one first."""
    words = family_words(part)
    if not words and part.quality is not None and part.quality.uncompared:
        words = f"{role}: not compared: {sentence(part.quality.uncompared)}"
    _, _, rest = words.partition(": ")
    found = None if part.quality is None else part.quality.families
    fitted = ("", "")
    if part.fit is not None:
        fitted = part.fit.client.family, part.fit.impostor.family
    best = ("", "") if found is None else found.recommended
    return {
        "role": role,
        "words": rest[:1].upper() + rest[1:],
        "rows": [
            {
                "who": row.who,
                "name": row.family,
                "marks": ", ".join(
                    mark
                    for mark, there in (
                        ("recommended", _is_of(row, best)),
                        ("fitted", _is_of(row, fitted)),
                    )
                    if there
                ),
                "cells": [
                    number(row.held_out, 4), _shown(row.held_out_z, 3), _shown(row.vuong, 3),
                    _shown(row.distance, 3), _shown(row.outside, 3), number(row.parameters),
                    number(row.aic), number(row.bic),
                ],
            }
            for row in (() if found is None else found.rows)
        ],
        "left_out": [
            f"{who}: {name} is left out: {sentence(why)}"
            for who, name, why in (() if found is None else found.left_out)
        ]
        + family_tails(part),
    }  # fmt: skip


def _is_of(row: FamilyRow, pair: tuple[str, str]) -> bool:
    """Whether a row is that of its class in a pair; a family of both classes of both."""
    if row.who == "both":
        return pair == (row.family, row.family)
    return row.family == pair[row.who == "impostor"]


def _shown(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else number(value, digits)


def audits(part: ScoreSet, role: str) -> dict[str, Any]:
    """The audit of the ends where it is called for; else one sentence."""
    found = part.quality
    if found is None or found.audit is None:
        why = "" if found is None else sentence(found.unaudited)
        return {"role": role, "words": f"no audit: {why}", "policies": [], "audited": False}
    if not found.called_for:
        words = "nothing here is within reach of 0 or 1 as said below."
        return {"role": role, "words": words, "policies": [], "audited": True}
    audit = found.audit
    return {
        "role": role,
        "words": f"{'; '.join(found.called_for)}.",
        "audited": True,
        "policies": [
            {"name": row.policy, "cells": [_shown(v, 4) for v in row[1:]]}
            for row in audit.policies
        ],
        "refused": [sentence(words) for words in audit.refused],
        "tails": [
            {
                "who": tail.who,
                "end": tail.end.replace("_", " "),
                "cells": [
                    number(tail.fitted, 4), _shown(tail.hill, 4), _shown(tail.expected, 4),
                    number(tail.scores), _shown(tail.z, 3), f"{100.0 * tail.carried:.3g} %",
                ],
            }
            for tail in audit.tails
        ],
    }  # fmt: skip
