"""A fit as a tree and as numbers: what was read, the fit, its curve, whether to believe it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from betaroc.core.arrays import CLASSES
from betaroc.rendering.numbers import number, path_words, percent, visible
from betaroc.rendering.tree import Cell, Grid, Node, Row, Section, Words, as_named
from betaroc.report.curve_words import ends_section
from betaroc.report.numbers import law_numbers, set_numbers
from betaroc.report.quality import class_verdicts
from betaroc.report.score_set import ScoreSet
from betaroc.report.sections import (
    checks_section,
    families_section,
    measures_section,
    parameters_section,
    read_section,
    sensitivity_section,
)

#: What of a set stands beside the numbers of its fit.
_BESIDE = (
    "name", "source", "n_client", "n_impostor", "summary", "n_client_rejected",
    "n_impostor_rejected", "empirical", "distances",
    "intervals", "confidence", "fit_quality", "families", "sensitivity",
)  # fmt: skip


def fit_view(part: ScoreSet, reason: str, level: float, seed: int) -> list[Section]:
    """What was read, the parameters, numbers, ends; the check where it was asked for."""
    sets = [(part, part.role)]
    shown = [read_section(sets, reason), parameters_section(sets), measures_section(sets)]
    shown.append(ends_section(sets))
    if part.quality is not None:
        shown.append(checks_section(sets, level, seed))
        shown += [families_section(*sets[0]), sensitivity_section(sets)]
    return shown


def fit_document(part: ScoreSet, reason: str) -> dict[str, Any]:
    """The same as numbers."""
    numbers = set_numbers(part)
    beside = {key: numbers[key] for key in _BESIDE if key in numbers}
    return {**numbers["fit"], "reason": reason, **beside}


def system_document(name: str, part: ScoreSet, reason: str, level: float) -> dict[str, Any]:
    """Of a system among several: both distributions, how far each is off, area and EER."""
    fit, source, off = part.fit, part.scores.source, part.distances
    if fit is None or off is None:
        return {}
    distances = off.client, off.impostor
    verdicts = class_verdicts(part.scores, distances, level)
    classes = {
        who: law_numbers(getattr(fit, who)) | {"distance": distance, "verdict": verdict}
        for who, distance, verdict in zip(CLASSES, distances, verdicts, strict=True)
    }
    models = {"": fit.model, "_counted": part.empirical}
    return {
        "system": name, "source": None if source is None else source.path, "family": fit.family,
        "reason": reason, **classes,
        **{f"auc{by}": model.auc() for by, model in models.items()},
        **{f"eer{by}": float(model.eer().hter) for by, model in models.items()},
    }  # fmt: skip


def systems_view(documents: Sequence[Mapping[str, Any]], reading: str) -> list[Node]:
    """The files and families of several systems, and a row per system and class."""
    lines, rows, kept = [], [], []
    for one in documents:
        file = "" if one["source"] is None else f" {path_words(one['source'])}"
        lines.append(f"{visible(one['system'])}:{file}; {one['reason']}".rstrip("; "))
        numbers = {key: one[key] for key in ("auc", "auc_counted", "eer", "eer_counted")}
        for who in CLASSES:
            law, is_first = one[who], who == CLASSES[0]
            params, short = (
                " ".join(f"{name}={number(v, digits)}" for name, v in law["params"].items())
                for digits in (6, 4)
            )
            kept.append({
                "system": one["system"], "class": who, "family": law["family"], "n": law["n"],
                "parameters": params, **numbers, "distance": law["distance"],
                "verdict": law["verdict"],
            })  # fmt: skip
            rows.append(Row((
                as_named(one["system"] * is_first), who, Cell(law["family"], short), str(law["n"]),
                number(one["auc"], 4) * is_first, percent(one["eer"]) * is_first,
                number(law["distance"], 2), law["verdict"],
            )))  # fmt: skip
    head = ("system", "class", "family", "n", "AUC", "EER", "off by", "verdict")
    columns = {key: [row[key] for row in kept] for key in kept[0]}
    return [
        Words("\n".join([*lines, reading]), "given"),
        Grid(head, tuple(rows), (1, 2, 7), columns),
        Words(
            "AUC and EER by the fitted distributions; off by: the largest distance of a fitted"
            " distribution from the scores; verdict: whether that is within 0.05 whatever chance"
            " did"
        ),
    ]
