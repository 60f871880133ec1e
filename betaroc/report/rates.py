"""What the scores beyond a fit's own thresholds, and its extreme scores, say; in words and rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from betaroc.fits.audit import Sensitivity, TailCheck
from betaroc.fits.target_checks import GoodDownTo, TargetCheck
from betaroc.rendering.numbers import number, percent, threshold

__all__ = [
    "TARGET_HEAD", "rates_verdict", "rates_words", "tail_words", "target_cells", "target_numbers",
]  # fmt: skip

TARGET_HEAD = ("rate", "threshold", "expected", "counted", "interval of the rate", "verdict", "")
_ENDS = {"at_zero": "0", "at_one": "1"}


def rates_verdict(targets: Sequence[TargetCheck], good: GoodDownTo) -> str:
    """Poor if any rate is; good if down from 0.5 some rate of each class is."""
    if any(t.verdict == "poor" for t in targets):
        return "poor"
    return "cannot tell" if None in good else "good"


def rates_words(targets: Sequence[TargetCheck], good: GoodDownTo) -> str:
    """Down to which rates the counts agree with the fit, and where they do so least."""
    if not targets:
        return "scores are too few to count at any rate: 5 expected beyond its threshold are needed"
    down = [
        f"{name.upper()} {percent(least)}"
        for name, least in zip(good._fields, good, strict=True) if least is not None
    ]  # fmt: skip
    said = "counted at the fit's own thresholds, "
    said += f"good (within a factor of 3) down to {' and '.join(down)}" if down else "no rate good"
    placed = [name.upper() for name in good._fields if _placed(targets, name)]
    if placed:
        said += f"; {' and '.join(placed)}: cannot tell, placed by these scores"
    poor = [t for t in targets if t.verdict == "poor"]
    if not poor:
        return said
    worst = max(poor, key=_apart)
    said += f"; poor at {_named(worst)}: {number(worst.expected, 4)} expected,"
    said += f" {number(worst.observed)} counted; {worst.reason}"
    return said if len(poor) == 1 else f"{said} (the worst of {len(poor)} rates that are poor)"


def _placed(targets: Sequence[TargetCheck], name: str) -> bool:
    mine = [t for t in targets if t.rate == name]
    return bool(mine) and all(t.reason == "placed by these scores" for t in mine)


def _named(target: TargetCheck) -> str:
    return f"{target.rate.upper()} {percent(target.target)}"


def _apart(target: TargetCheck) -> float:
    """How far the nearer end of the interval is from the expected rate."""
    rate = target.expected / target.n
    return max(target.low / rate, rate / target.high if target.high > 0.0 else math.inf)


def target_cells(target: TargetCheck) -> list[str]:
    """The row of a table, the reason where the verdict is not good at its end."""
    return [
        _named(target),
        threshold(target.threshold, target.logit_threshold, 4),
        number(target.expected, 4),
        number(target.observed),
        f"{percent(target.low)} to {percent(target.high)}",
        target.verdict,
        "" if target.verdict == "good" else target.reason,
    ]


def target_numbers(targets: Sequence[TargetCheck], good: GoodDownTo) -> dict[str, Any]:
    """For JSON."""
    return {"targets": [t._asdict() for t in targets], "good_down_to": good._asdict()}


# ------------------------------------------------------------------------------ tails
def tail_words(audit: Sensitivity | None) -> list[str]:
    """What Hill's estimate says of each end where it is more than 3 errors from the fit."""
    return [] if audit is None else [_tail_words(tail) for tail in audit.tails if tail.far]


def _tail_words(tail: TailCheck) -> str:
    end = _ENDS[tail.end]
    said = (
        f"{tail.who} scores near {end}: Hill's exponent {number(tail.hill, 3)} from the"
        f" {tail.scores} most extreme, fitted exponent {number(tail.fitted, 3)}, z ="
        f" {number(tail.z, 3)}: "
    )
    if not tail.departs:
        return said + (
            "over this share of scores the fitted distribution has"
            f" {number(tail.expected, 3)} itself, so they say nothing against it; they are too far"
            f" from {end} to show the exponent there"
        )
    more = tail.hill < tail.expected
    return said + (
        f"the extreme scores reach {'nearer to' if more else 'less far towards'} {end} than the"
        f" fitted distribution has them (its own Hill exponent over this share is"
        f" {number(tail.expected, 3)}), and rates that it gives beyond them are too"
        f" {'small' if more else 'large'}"
    )
