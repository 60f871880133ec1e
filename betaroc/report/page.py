"""What the page says, as plain values for the template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from betaroc.analysis import Analysis, MetPoint, Part
from betaroc.analysis.format import number, percent, threshold, version, visible
from betaroc.analysis.words import (
    boundary_words,
    category_words,
    crossing_words,
    end_words,
    fit_families,
    parameters,
    whole_curve_words,
)  # fmt: skip
from betaroc.fitting import DistributionFit
from betaroc.report.figures import Figure, curve_figures, histogram_figures

__all__ = ["page"]

_NAME, _TITLE = 32, 2000
#: Fewer expected scores than this beyond a threshold: the rate rests on the law, not on counts.
_FEW = 10.0


class Name(NamedTuple):
    """A foreign name: cut for the eye, whole in the title attribute."""

    short: str
    whole: str


def name(text: str) -> Name:
    """Nothing that does not print, nothing that breaks the layout."""
    whole = visible(text)
    short = whole if len(whole) <= _NAME else whole[: _NAME - 1] + "…"
    return Name(short, whole if len(whole) <= _TITLE else whole[: _TITLE - 1] + "…")


def page(analysis: Analysis) -> dict[str, Any]:
    """Every value the template shows."""
    parts = analysis.parts
    modelled = [p for p in parts if p.fit is not None and p.fit.family != "empirical"]
    behaviour = [_behaviour(p) for p in modelled]
    return {
        "version": version(),
        "title": name(analysis.dev.name),
        "family": "" if analysis.dev.fit is None else fit_families(analysis.dev.fit),
        "reason": analysis.reason,
        "headline": [_headline(analysis.dev), *(b["whole"][0] for b in behaviour[:1])],
        "sets": [_set_row(part) for part in parts],
        "warnings": [visible(message) for message in analysis.warnings],
        "histograms": _histograms(parts),
        "curves": [_shown(figure) for figure in curve_figures(parts)],
        "measures": [_measures(part) for part in parts],
        "parametric": [_parameters(p) for p in modelled],
        "behaviour": behaviour,
        "ends": [row for p in modelled for row in _ends(p)],
        "points": _points(analysis),
        "has_tests": bool(analysis.tests),
    }


def _histograms(parts: Sequence[Part]) -> list[tuple[str, list[dict[str, Any]]]]:
    """A row of pictures for each class; both in one row where dev is alone."""
    rows = [[_shown(figure) for figure in row] for row in histogram_figures(parts)]
    if len(parts) == 1:
        return [("Client and impostor", [figure for row in rows for figure in row])]
    return list(zip(("Client", "Impostor"), rows, strict=True))


def _shown(figure: Figure) -> dict[str, Any]:
    # The SVG is of our own making and holds no foreign text.
    return {"svg": Markup(figure.svg), "caption": figure.caption}  # noqa: S704


def _headline(dev: Part) -> str:
    seen = f"AUC {number(dev.empirical.auc(), 4)} and EER {percent(dev.empirical.eer().hter)}"
    if dev.fit is None or dev.fit.family == "empirical":
        return f"{seen} on dev’s scores."
    model = dev.fit.model
    fitted = f"{number(model.auc(), 4)} and {percent(model.eer().hter)} by the fitted laws"
    return f"{seen} on dev’s scores; {fitted}."


def _set_row(part: Part) -> dict[str, Any]:
    scores, source = part.scores, part.scores.source
    return {
        "role": part.role,
        "name": name(part.name),
        "path": visible(part.name if source is None else source.path)[:_TITLE],
        "format": "" if source is None else source.format,
        "classes": [
            {
                "who": who,
                "n": values.size,
                "weight": number(weight) if weight != values.size else "",
                "low": number(float(values.min()), 5),
                "high": number(float(values.max()), 5),
                "zeros": int((values == 0.0).sum()),
                "ones": int((values == 1.0).sum()),
            }
            for who, values, weight in (
                ("client", scores.client, scores.client_total),
                ("impostor", scores.impostor, scores.impostor_total),
            )
        ],
    }


def _measures(part: Part) -> dict[str, Any]:
    models = [part.empirical] + ([] if part.fit is None else [part.fit.model])
    pairs = [
        [number(m.auc(), 5) for m in models],
        [percent(m.eer().hter) for m in models],
        [threshold(p.threshold, p.logit_threshold) for p in (m.eer() for m in models)],
        [number(m.ks(), 4) for m in models],
    ]
    far = part.distances
    return {
        "role": part.role,
        "rows": [
            {"what": what, "scores": row[0], "fitted": row[1] if len(row) > 1 else "not fitted"}
            for what, row in zip(("AUC", "EER", "EER threshold", "KS"), pairs, strict=True)
        ],
        "distances": (
            None if far is None else [number(v, 3) for v in (far.client, far.impostor, far.roc)]
        ),
        "shift": None if part.shift is None else [number(v, 3) for v in part.shift],
    }


def _parameters(part: Part) -> dict[str, Any]:
    fit = part.fit
    laws = [] if fit is None else [("client", fit.client), ("impostor", fit.impostor)]
    return {
        "role": part.role,
        "rows": [_law(who, law) for who, law in laws],
        "log_likelihood": "" if fit is None else number(fit.log_likelihood),
        "aic": "" if fit is None else number(fit.aic),
        "bic": "" if fit is None else number(fit.bic),
    }


def _law(who: str, law: DistributionFit) -> dict[str, Any]:
    return {
        "who": who,
        "n": law.n,
        "parameters": [
            {"name": label, "value": number(value), "error": number(error, 3)}
            for label, value, error in parameters(law)
        ],
        "boundary": boundary_words(law),
        "log_likelihood": number(law.log_likelihood),
    }


def _behaviour(part: Part) -> dict[str, Any]:
    model = part.fit.model if part.fit is not None else part.empirical
    return {
        "role": part.role,
        "whole": [whole_curve_words(model), *crossing_words(model)],
        "low": end_words(model, "at_zero"),
        "high": end_words(model, "at_one"),
        "category": category_words(model),
    }


def _ends(part: Part) -> list[dict[str, Any]]:
    model = part.fit.model if part.fit is not None else part.empirical
    unit = model.client.on_unit and model.impostor.on_unit
    both = model.ends()
    names = ("threshold 0", "threshold 1") if unit else ("low end", "high end")
    return [
        {
            "role": part.role,
            "where": where,
            "side": end.side,
            "semi_derivative": number(end.semi_derivative, 4),
            "roc_slope": number(end.roc_slope, 4),
            "exponent": number(end.exponent, 4),
            "coefficient": number(end.coefficient, 4),
        }
        for where, end in zip(names, (both.at_zero, both.at_one), strict=True)
    ]


# ------------------------------------------------------------------- operating points
def _points(analysis: Analysis) -> list[dict[str, Any]]:
    tables: list[dict[str, Any]] = []
    for chosen_by, title in (
        ("model", "Thresholds chosen by dev’s fitted laws"),
        ("scores", "Thresholds chosen on dev’s scores"),
    ):
        rows = [_met(p, analysis) for p in analysis.points if p.chosen_by == chosen_by]
        if rows:
            tables.append({"title": title, "rows": rows, "open": not tables})
    return tables


def _met(met: MetPoint, analysis: Analysis) -> dict[str, Any]:
    point = met.expected
    seen = [("expected by the laws", point)] if met.chosen_by == "model" else []
    seen += [
        (f"{part.role}, observed", at)
        for part, at in zip(analysis.parts, met.observed, strict=True)
    ]
    return {
        "title": met.title,
        "threshold": threshold(point.threshold, point.logit_threshold),
        "rates": [
            {"who": who, "values": [percent(v) for v in (at.far, at.frr, at.hter, at.f1)]}
            for who, at in seen
        ],
        "caution": _caution(met, analysis.dev) if met.chosen_by == "model" else "",
    }


def _caution(met: MetPoint, dev: Part) -> str:
    """Where dev has too few scores beyond the threshold to speak for themselves."""
    few: Sequence[tuple[str, float, str]] = (
        ("impostors", met.expected.far * dev.scores.impostor_total, "above"),
        ("clients", met.expected.frr * dev.scores.client_total, "at or below"),
    )
    found = [f"{number(n, 2)} of dev’s {who} {where} it" for who, n, where in few if n < _FEW]
    return f"By the laws only {' and '.join(found)}: rests on the family chosen." if found else ""
