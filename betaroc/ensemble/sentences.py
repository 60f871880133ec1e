"""An ensemble's result as tables, text and plain numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from betaroc.core.arrays import AnyArray
from betaroc.core.tables import columns_from_rows
from betaroc.core.value import fields_of
from betaroc.ensemble.evidence import RocEvidence
from betaroc.ensemble.learned import ADDS_NOTHING, INCLUDE, MATTERS, signed
from betaroc.ensemble.record import InclusionRecord
from betaroc.ensemble.rule import END_WORDS, LAX, STRICT
from betaroc.estimation.families import family_text
from betaroc.fits.check import TOLERANCE
from betaroc.fits.shape_tests import untested_ends
from betaroc.model.crossings import RocCrossings
from betaroc.model.improper_regions import SEEN
from betaroc.rendering.numbers import counted, level_words, number, visible
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import (
    Bullets,
    Cell,
    Grid,
    Name,
    Row,
    Section,
    Words,
    apart,
    as_named,
    signed_cell,
)

#: The rule whose gains stand beside the verdicts.
_BESIDE = "mean-logit"
#: Pieces of the hull that are named.
_PIECES = 6
#: The end that the own ROC speaks for.
_SPOKEN = {STRICT: "strict", LAX: "lax"}


def inclusion_columns(result: InclusionRecord) -> dict[str, list[Any]]:
    """One row a classifier."""
    twice = {second: first for first, second in result.duplicates}
    rows = [
        {"classifier": name, **_row(result, name), "duplicate_of": twice.get(name, "")}
        for name in result.names
    ]
    return {title: [row[title] for row in rows] for title in rows[0]}


def _row(result: InclusionRecord, name: str) -> dict[str, Any]:
    fit, verdict, evidence = result.fits[name], result.verdict[name], result.evidence[name]
    ends, size = fit.model.ends(), verdict.size
    return {
        "family": family_text(fit.family),
        "auc_fitted": fit.model.auc(),
        "auc_scores": result.misfit[name].auc_scores,
        "roc_distance": result.misfit[name].distance,
        "verdict": verdict.word,
        **dict(zip(("gain", "gain_low", "gain_high"), _ends(verdict.gain), strict=True)),
        "marginal": verdict.marginal,
        "p_value": verdict.confidence.p_value,
        **_side("strict", evidence),
        **_side("lax", evidence),
        "mean_excess": size.mean_excess,
        "mean_low": size.low,
        "mean_high": size.high,
        "largest_excess": size.largest,
        **fields_of(size, "largest_at", "depth", "depth_at", "hook_scores"),
        **fields_of(evidence, "above", "crossings"),
        "exponent_at_one": ends.at_one.exponent,
        "p_at_one": math.nan if evidence.ends is None else evidence.ends[0].p_value,
        "exponent_at_zero": ends.at_zero.exponent,
        "p_at_zero": math.nan if evidence.ends is None else evidence.ends[1].p_value,
    }


def _side(which: str, evidence: RocEvidence) -> dict[str, Any]:
    side = getattr(evidence, which)
    return {which: side.side, f"{which}_p": side.p_value, f"{which}_by": side.by}


def crossings_columns(found: Mapping[tuple[str, str], RocCrossings]) -> dict[str, AnyArray]:
    """One row a crossing, or a pair without one."""
    rows = []
    for (first, second), crossings in found.items():
        who = [{0: "", 1: first, 2: second}[k] for k in crossings.leaders]
        places = zip(crossings.far, crossings.tpr, crossings.logit_far, strict=True)
        points = [tuple(map(float, point)) for point in places] or [(math.nan,) * 3]
        for k, point in enumerate(points):
            after = who[min(k + 1, len(who) - 1)]
            rows.append((first, second, *point, who[k], after))
    columns = ("first", "second", "far", "tpr", "logit_far", "before", "after")
    return columns_from_rows(rows, columns, ("first", "second", "before", "after"))


# ------------------------------------------------------------------------------- as text
def inclusion_view(result: InclusionRecord) -> list[Section]:
    """Who joins, verdicts with their reasons, the gain of one rule, and hull."""
    answer, *judged = lead(result)
    if result.systems.omitted:
        judged.append(f"Left out: {counted(result.systems.omitted, 'row')} with a missing score.")
    reasons = [f"{visible(name)}: {v.word}. {v.reason}" for name, v in result.verdict.items()]
    rules = dict.fromkeys(gain.rule for gain in result.fusion.gains)
    all_rules = (
        f"Gains by all {len(rules)} rules ({', '.join(rules)}): print(result.fusion), or fusion in"
        " the JSON."
    )
    return apart(
        Words(answer, "answer"), _listed(judged), own_grid(result, as_named),
        _listed([*reasons, *doubts(result), _hull_words(result)]),
        gain_grid(result, as_named), _listed([*gain_sentences(result), all_rules]),
    )  # fmt: skip


def lead(result: InclusionRecord) -> list[str]:
    """Who joins, and on what that is judged."""
    n_client, n_impostor = result.systems.sizes
    low, high = result.region
    joined = [visible(name) for name, verdict in result.verdict.items() if verdict == INCLUDE]
    answer = f"{len(joined)} of {len(result.names)} join: {', '.join(joined)}." if joined else (
        "No classifier is shown to add to the others."
    )  # fmt: skip
    region = "all FARs" if (low, high) == (0.0, 1.0) else f"FAR from {low:g} to {high:g}"
    trials = f"{counted(n_client, 'client')} and {counted(n_impostor, 'impostor')}"
    return [answer, f"Judged on {trials}, {region}, at {level_words(result.level)} confidence."]


def _listed(sentences: Iterable[str]) -> Bullets:
    return Bullets(tuple(sentences))


def doubts(result: InclusionRecord) -> list[str]:
    """What speaks against the verdicts."""
    return [*_spare_words(result), *_misfit_words(result)] + [
        f"{visible(b)} puts the trials in the order of {visible(a)}: to an ensemble they are one."
        for a, b in result.duplicates
    ]


def gain_sentences(result: InclusionRecord) -> list[str]:
    """What the gains are, and which rule serves whom."""
    return [_learned_words(result), _gain_words(result), *_next_words(result)]


def own_grid(result: InclusionRecord, named: Callable[[str], Name]) -> Grid:
    """The verdicts beside each classifier's own ROC, as fitted and of its scores."""
    heads = ("classifier", "family", "fitted AUC", "scores' AUC", "distance", "verdict",
             "own ROC", "p", "mean of TPR − FAR, points", "depth")  # fmt: skip
    rows = []
    for name, verdict in result.verdict.items():
        misfit, size, fit = result.misfit[name], verdict.size, result.fits[name]
        rows.append(Row((
            named(name), family_text(fit.family), f"{fit.model.auc():.4f}",
            f"{misfit.auc_scores:.4f}", Cell(f"{misfit.distance:.3f}", misfit.word), verdict.word,
            verdict.marginal, number(verdict.confidence.p_value, 2),
            _points(size.mean_excess, size.low, size.high),
            # Of less than one score below the diagonal none is shown.
            number(size.depth, 2) if size.hook_scores >= SEEN else "0",
        )))  # fmt: skip
    return Grid(heads, tuple(rows), (1, 5, 6))


def _points(value: float, low: float, high: float) -> Cell:
    """A difference of rates, in points of per cent."""
    return signed_cell(100.0 * value, 100.0 * low, 100.0 * high, digits=2)


def gain_grid(result: InclusionRecord, named: Callable[[str], Name]) -> Grid:
    """Areas of the learned fusion; gains by one rule, at the ends that the region reaches too."""
    parts = {"all": "all alphas"} | {e: f"{END_WORDS[e]} end" for e in reached_ends(result)}
    heads = ("classifier", "AUC with it", "AUC without", "learned gain (AUC)", "says",
             *(f"{_BESIDE}, {words}, points" for words in parts.values()))  # fmt: skip
    rows = []
    for name, verdict in result.verdict.items():
        gain, by_rule = verdict.gain, (result.fusion.gain(name, _BESIDE, part) for part in parts)
        rows.append(Row((
            named(name), number(gain.with_it, 4), number(gain.without, 4),
            signed_cell(gain.estimate, gain.low, gain.high), gain.word,
            *(_points(*_ends(interval)) for interval in by_rule),
        )))  # fmt: skip
    return Grid(heads, tuple(rows), (4,))


def reached_ends(result: InclusionRecord) -> list[str]:
    """The ends of the ROC that the region holds."""
    low, high = result.region
    return [end for end, reached in (("strict", low == 0.0), ("lax", high == 1.0)) if reached]


def _misfit_words(result: InclusionRecord) -> list[str]:
    """Who is further from the own scores than `check_fit` tolerates."""
    found = [
        f"{visible(name)}: the fitted ROC is {m.distance:.3f} from the scores' (tolerance"
        f" {TOLERANCE:g}): what is said of its own ROC rests on a"
        " distribution that does not fit; see br.check_fit."
        for name, m in result.misfit.items()
        if m.word == "far"
    ]
    found += [
        f"{visible(name)}: {why}."
        for name, fit in result.fits.items()
        if (why := untested_ends(fit))
    ]
    unsure = [
        f"{visible(name)} ({m.distance:.3f})"
        for name, m in result.misfit.items()
        if m.word == "open"
    ]
    if unsure:
        found.append(
            f"Fitted ROC further than {TOLERANCE:g} from the scores', which may be chance:"
            f" {', '.join(unsure)}; br.check_fit tells."
        )
    return found


def _hull_words(result: InclusionRecord) -> str:
    hull = result.hull
    pieces = [visible(str(s)) for s in hull.segments[:_PIECES]]
    if len(hull.segments) > _PIECES:
        pieces.append(f"and {len(hull.segments) - _PIECES} more")
    unused = ", ".join(map(visible, hull.unused))
    return f"ROC hull, area {hull.auc:.4f}: {'; '.join(pieces)}" + (
        f"; not on it: {unused}" if unused else ""
    )


def _spare_words(result: InclusionRecord) -> list[str]:
    """Each is judged beside all others, so that two of them may carry the same."""
    spare = [visible(n) for n, verdict in result.verdict.items() if verdict.word == ADDS_NOTHING]
    if len(spare) < 2:
        return []
    return [
        f"{', '.join(spare)}: each adds nothing while all others stay. Leave out one, then judge"
        " the rest again; not all of them at once."
    ]


def _learned_words(result: InclusionRecord) -> str:
    gain = result.verdict[result.names[0]].gain
    where = (
        "learned on dev"
        if gain.method.startswith("delong") and gain.folds == 1
        else (f"out of {gain.folds} folds" if gain.folds else "not measured")
    )
    return (
        "learned gain: AUC of a ridge-logistic fusion of all classifiers less that of all others,"
        f" {where}, over all FARs; include where it is clear of 0, adds nothing where it is surely"
        f" below {MATTERS:g}; its interval knows the chance of the trials, not that of the learning"
    )


def _gain_words(result: InclusionRecord) -> str:
    fusion, part = result.fusion, result.parts["all"]
    where = f"the other of {fusion.folds} folds" if fusion.folds else "dev"
    region = "" if result.region == (0.0, 1.0) else "; over all alphas, not the region alone"
    return (
        f"gain: mean {part.measure} at thresholds chosen for {part.criterion} on {where}, without"
        f" the classifier less that with it; positive where it helps{region};"
        f" fused on {fusion.scale} ({visible(fusion.scale_reason)})"
    )


def _next_words(result: InclusionRecord) -> list[str]:
    """The other rules, and which of them serves a verdict of one end best."""
    fusion = result.fusion
    rules = list(dict.fromkeys(g.rule for g in fusion.gains))
    lines = []
    for name, verdict in result.verdict.items():
        if verdict.word == INCLUDE and all(fusion.gain(name, r).high < 0.0 for r in rules):
            lines.append(
                f"{visible(name)}: all {len(rules)} rules lose by it; include it in a fusion that"
                " learns its weights, as it corrects the others."
            )
        end = _SPOKEN.get(verdict.marginal)
        if end is None or end not in reached_ends(result):
            continue
        gains = {rule: fusion.gain(name, rule, end) for rule in rules}
        best = max(gains, key=lambda rule: gains[rule].estimate)
        gain = gains[best]
        does = f"{best} gains most" if gain.estimate > 0.0 else f"none gains, {best} loses least"
        lines.append(
            f"{visible(name)} at the {END_WORDS[end]} end: of the {len(rules)} rules {does},"
            f" {signed(*_ends(gain))}."
        )
    return lines


def _ends(interval: Any) -> tuple[float, float, float]:
    return interval.estimate, interval.low, interval.high


# ------------------------------------------------------------------------ as plain numbers
def inclusion_numbers(result: InclusionRecord) -> dict[str, Any]:
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
        "crossings": records(crossings_columns(result._crossings)),
        "hull": {
            "auc": hull.auc,
            "segments": [s._asdict() for s in hull.segments],
            "unused": list(hull.unused),
        },
        "diversity": records(result._diversity),
        "fusion": {
            **fields_of(result.fusion, "scale", "folds", "parts"),
            "reason": result.fusion.scale_reason,
            "gains": [g._asdict() for g in result.fusion.gains],
        },
    }


def _numbers(result: InclusionRecord, name: str) -> dict[str, Any]:
    fit, verdict, evidence = result.fits[name], result.verdict[name], result.evidence[name]
    ends = fit.model.ends()
    tests = (None, None) if evidence.ends is None else evidence.ends
    return {
        "family": fit.family,
        "auc_fitted": fit.model.auc(),
        "auc_scores": result.misfit[name].auc_scores,
        "roc_distance": {
            **fields_of(result.misfit[name], "distance", "noise", "word"),
            "tolerance": TOLERANCE,
        },
        "client": dict(fit.client.params),
        "impostor": dict(fit.impostor.params),
        "verdict": verdict.word,
        **fields_of(verdict, "marginal", "reason"),
        **{part: getattr(verdict, part)._asdict() for part in ("gain", "confidence", "size")},
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
