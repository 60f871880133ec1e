"""An analysis as readable text: plain characters, columns that line up."""

from __future__ import annotations

from collections.abc import Sequence

from betaroc._words import shown
from betaroc.analysis.crossings import crossing_words, whole_curve_words
from betaroc.analysis.format import number, percent, threshold
from betaroc.analysis.headline import promised
from betaroc.analysis.parts import MetPoint, Part, is_modelled
from betaroc.analysis.words import (
    boundary_words,
    category_words,
    end_words,
    fit_families,
    parameters,
)  # fmt: skip
from betaroc.fitting import Fit

__all__ = ["columns", "fit_text", "part_text", "points_text"]


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> str:
    """Rows with the first column to the left and the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def part_text(part: Part, reason: str) -> str:
    """What was read, the fit and its curve."""
    scores, source = part.scores, part.scores.source
    kind = "" if source is None else f" ({source.format})"
    read = (
        f"{part.role}: {shown(part.name)}{kind}, {scores.n_client} client and"
        f" {scores.n_impostor} impostor scores; accepted if score > threshold"
    )
    if part.fit is None:
        return f"{read}\n\nnot fitted (see the warnings)\n\n{_measures(part)}"
    family = f"family: {fit_families(part.fit)}" + (f"; {reason}" if reason else "")
    return "\n\n".join([read, family, fit_text(part.fit), _measures(part), _shape(part)])


def fit_text(fit: Fit) -> str:
    """Parameters of both laws."""
    rows = [["class", "parameter", "estimate", "std. error"]]
    for who, law in (("client", fit.client), ("impostor", fit.impostor)):
        for name, value, error in parameters(law):
            rows.append([who, name, number(value), number(error, 3)])
    lines = [columns(rows)] if len(rows) > 1 else []
    for who, law in (("client", fit.client), ("impostor", fit.impostor)):
        if boundary_words(law):
            lines.append(f"  {who}: {boundary_words(law)}")
    if len(rows) > 1:
        lines.append(
            f"  log-likelihood {number(fit.log_likelihood)}, AIC {number(fit.aic)},"
            f" BIC {number(fit.bic)}"
        )
    return "\n".join(lines) or "  the scores themselves, no parameters"


def _measures(part: Part) -> str:
    if not is_modelled(part):
        return columns([["", "scores"], *(row[:2] for row in _measure_rows(part))])
    rows = [["", "scores", "fitted"], *_measure_rows(part)]
    text = columns(rows)
    far = part.distances
    if far is None:
        return text
    return (
        f"{text}\n  distance of the fit from the scores: client {number(far.client, 3)},"
        f" impostor {number(far.impostor, 3)}, ROC {number(far.roc, 3)}"
    )


def _measure_rows(part: Part) -> list[list[str]]:
    models = [part.empirical] + ([] if part.fit is None else [part.fit.model])
    eer = [m.eer() for m in models]
    return [
        ["AUC", *(number(m.auc()) for m in models)],
        ["EER", percent(eer[0].hter), *(promised(part, p, why=False)[2] for p in eer[1:])],
        ["EER threshold", *(threshold(p.threshold, p.logit_threshold) for p in eer)],
        ["KS", *(number(m.ks(), 4) for m in models)],
    ]


def _shape(part: Part) -> str:
    if part.fit is None or not is_modelled(part):
        return "The ROC is that of the scores; its ends and shape are not modelled."
    model, scores = part.fit.model, part.scores
    lines = [" ".join([whole_curve_words(model, scores), *crossing_words(model, scores)])]
    lines += [" ".join(end_words(model, which, scores)) for which in ("at_zero", "at_one")]
    shapes = category_words(model)
    if shapes:
        lines.append("shape category: " + "; ".join(shapes))
    return "\n".join(lines)


def points_text(points: Sequence[MetPoint], parts: Sequence[Part]) -> str:
    """Dev's thresholds and the rates they lead to on every set."""
    blocks = []
    for chosen_by, title in (
        ("model", "thresholds chosen by dev's fitted model"),
        ("scores", "thresholds chosen on dev's scores"),
    ):
        rows = [["criterion", "threshold", "rates of", "FAR", "FRR", "HTER"]]
        for met in (p for p in points if p.chosen_by == chosen_by):
            point = met.expected
            name, place = met.key, threshold(point.threshold, point.logit_threshold)
            seen = [("model", point)] if chosen_by == "model" else []
            seen += [(part.role, at) for part, at in zip(parts, met.observed, strict=True)]
            for k, (who, at) in enumerate(seen):
                rates = [percent(rate) for rate in (at.far, at.frr, at.hter)]
                if who == "model":
                    rates = list(promised(parts[0], at, why=False))
                rows.append([name if k == 0 else "", place if k == 0 else "", who, *rates])
        if len(rows) > 1:
            blocks.append(f"{title}\n{columns(rows)}")
    return "\n\n".join(blocks)
