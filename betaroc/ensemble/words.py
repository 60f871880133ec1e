"""An ensemble's result as tables, text and plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from betaroc.analysis.format import counted, level_words, number, visible
from betaroc.ensemble.evidence import Evidence
from betaroc.roc_crossings import RocCrossings

if TYPE_CHECKING:
    from betaroc.ensemble.fusion import Fusion
    from betaroc.ensemble.result import Inclusion

__all__ = [
    "crossings_frame", "fusion_text", "inclusion_frame", "inclusion_numbers", "inclusion_text",
]  # fmt: skip

#: The rule whose gains stand beside the verdicts.
_BESIDE = "mean-logit"


def inclusion_frame(result: Inclusion) -> Any:
    """One row a classifier."""
    import pandas as pd

    twice = {second: first for first, second in result.duplicates}
    return pd.DataFrame([
        {"classifier": name, **_row(result, name), "duplicate_of": twice.get(name, "")}
        for name in result.names
    ])  # fmt: skip


def _row(result: Inclusion, name: str) -> dict[str, Any]:
    fit, verdict, evidence = result.fits[name], result.verdict[name], result.evidence[name]
    ends = fit.model.ends()
    return {
        "family": fit.family,
        "auc": fit.model.auc(),
        "verdict": verdict.word,
        "p_value": verdict.confidence.p_value,
        **_side("strict", evidence),
        **_side("lax", evidence),
        "mean_excess": verdict.size.mean_excess,
        "mean_low": verdict.size.low,
        "mean_high": verdict.size.high,
        "largest_excess": verdict.size.largest,
        "largest_at": verdict.size.largest_at,
        "depth": verdict.size.depth,
        "depth_at": verdict.size.depth_at,
        "hook_scores": verdict.size.hook_scores,
        "above": evidence.above,
        "crossings": evidence.crossings,
        "exponent_at_one": ends.at_one.exponent,
        "p_at_one": math.nan if evidence.ends is None else evidence.ends[0].p_value,
        "exponent_at_zero": ends.at_zero.exponent,
        "p_at_zero": math.nan if evidence.ends is None else evidence.ends[1].p_value,
    }


def _side(which: str, evidence: Evidence) -> dict[str, Any]:
    side = getattr(evidence, which)
    return {which: side.side, f"{which}_p": side.p_value, f"{which}_by": side.by}


def crossings_frame(found: Mapping[tuple[str, str], RocCrossings]) -> Any:
    """One row a crossing, or a pair without one."""
    import pandas as pd

    rows = []
    for (first, second), crossings in found.items():
        who = [{0: "", 1: first, 2: second}[k] for k in crossings.leaders]
        places = zip(crossings.far, crossings.tpr, crossings.logit_far, strict=True)
        points = [tuple(map(float, point)) for point in places] or [(math.nan,) * 3]
        for k, point in enumerate(points):
            after = who[min(k + 1, len(who) - 1)]
            rows.append((first, second, *point, who[k], after))
    columns = ["first", "second", "far", "tpr", "logit_far", "before", "after"]
    return pd.DataFrame(rows, columns=columns)


# ------------------------------------------------------------------------------- as text
def inclusion_text(result: Inclusion) -> str:
    """Verdicts with their reasons, the gain of one rule beside them, crossings and hull."""
    n_client, n_impostor = result.systems.sizes
    low, high = result.region
    fusion = result.fusion
    lines = [
        f"{counted(len(result.names), 'classifier')} on {counted(n_client, 'client')} and"
        f" {counted(n_impostor, 'impostor')}; FAR from {low:g} to {high:g}, level"
        f" {level_words(result.level)}",
    ]
    if result.systems.omitted:
        lines.append(f"left out: {counted(result.systems.omitted, 'row')} with a missing score")
    heads = ("classifier", "family", "AUC", "verdict", "p", "mean excess", "depth",
             f"gain ({_BESIDE})", "strict end", "lax end")  # fmt: skip
    rows = []
    for name in result.names:
        verdict, size = result.verdict[name], result.verdict[name].size
        gains = [
            _interval(*_ends(fusion.gain(name, _BESIDE, part))) for part in ("all", "strict", "lax")
        ]
        mean = _interval(size.mean_excess, size.low, size.high)
        fit = result.fits[name]
        rows.append((
            visible(name), fit.family, f"{fit.model.auc():.4f}", verdict.word,
            number(verdict.confidence.p_value, 2), mean, number(size.depth, 2), *gains,
        ))  # fmt: skip
    lines += ["", *_aligned([heads, *rows]), ""]
    lines += [f"{visible(name)}: {verdict.word}. {verdict.reason}"
              for name, verdict in result.verdict.items()]  # fmt: skip
    lines += [
        f"{visible(b)} puts the trials in the order of {visible(a)}: to an ensemble they are one."
        for a, b in result.duplicates
    ]
    hull = "; ".join(visible(str(s)) for s in result.hull.segments)
    unused = ", ".join(map(visible, result.hull.unused))
    lines += [
        f"ROC hull, area {result.hull.auc:.4f}: {hull}"
        + (f"; not on it: {unused}" if unused else ""),
        f"gain: {_chosen(result)} without the classifier less that with it; positive where it"
        f" helps; fused on {fusion.scale} ({visible(fusion.scale_reason)})",
    ]
    return "\n".join(lines)


def _chosen(result: Inclusion) -> str:
    part = result.parts["all"]
    folds = result.fusion.folds
    where = f"the other of {folds} folds" if folds else "dev"
    return f"mean {part.measure} at thresholds chosen for {part.criterion} on {where},"


def _ends(interval: Any) -> tuple[float, float, float]:
    return interval.estimate, interval.low, interval.high


def _interval(estimate: float, low: float, high: float) -> str:
    if math.isnan(low):
        return f"{estimate:+.4f}"
    return f"{estimate:+.4f} ({low:+.4f} to {high:+.4f})"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def fusion_text(fusion: Fusion) -> str:
    """Gains of every rule and classifier on every part."""
    rows: dict[tuple[str, str], list[str]] = {}
    for g in fusion.gains:
        cells = rows.setdefault((g.rule, g.system), [g.rule, visible(g.system)])
        cells.append(_interval(g.gain, g.low, g.high))
    what = [f"gain, {name} ({p['criterion']}, {p['measure']})" for name, p in fusion.parts.items()]
    where = f"other folds of {fusion.folds}" if fusion.folds else "dev"
    head = f"fused on {fusion.scale} ({fusion.scale_reason}); thresholds from {where}"
    return "\n".join([visible(head), *_aligned([["rule", "without", *what], *rows.values()])])


# ------------------------------------------------------------------------ as plain numbers
def inclusion_numbers(result: Inclusion) -> dict[str, Any]:
    """Everything that ``betaroc ensemble --json`` says."""
    hull = result.hull
    return {
        "n_client": result.systems.sizes[0],
        "n_impostor": result.systems.sizes[1],
        "omitted": result.systems.omitted,
        "region": list(result.region),
        "level": result.level,
        "classifiers": {name: _numbers(result, name) for name in result.names},
        "duplicates": [list(pair) for pair in result.duplicates],
        "crossings": result.crossings.to_dict("records"),
        "hull": {
            "auc": hull.auc,
            "segments": [s._asdict() for s in hull.segments],
            "unused": list(hull.unused),
        },
        "diversity": result.diversity.to_dict("records"),
        "fusion": {
            "scale": result.fusion.scale,
            "reason": result.fusion.scale_reason,
            "folds": result.fusion.folds,
            "parts": result.fusion.parts,
            "gains": [g._asdict() for g in result.fusion.gains],
        },
    }


def _numbers(result: Inclusion, name: str) -> dict[str, Any]:
    fit, verdict, evidence = result.fits[name], result.verdict[name], result.evidence[name]
    ends = fit.model.ends()
    tests = (None, None) if evidence.ends is None else evidence.ends
    return {
        "family": fit.family,
        "auc": fit.model.auc(),
        "client": dict(fit.client.params),
        "impostor": dict(fit.impostor.params),
        "verdict": verdict.word,
        "confidence": verdict.confidence._asdict(),
        "size": verdict.size._asdict(),
        "reason": verdict.reason,
        "strict": evidence.strict._asdict(),
        "lax": evidence.lax._asdict(),
        "above": [list(x) for x in evidence.above],
        "crossings": list(evidence.crossings),
        "hooks": [hook._asdict() for hook in evidence.hooks],
        "ends": {
            end: asdict(getattr(ends, end)) | {"test": None if t is None else t._asdict()}
            for end, t in zip(("at_one", "at_zero"), tests, strict=True)
        },
    }
