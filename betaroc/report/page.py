"""The report: one self-contained page that asks the network for nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from betaroc.fits.fit import DistributionFit
from betaroc.fits.shape_tests import EndTests
from betaroc.rendering.files import checked_target, write_whole
from betaroc.rendering.numbers import (
    extreme,
    level_words,
    number,
    percent,
    read_as,
    threshold,
    version,
    visible,
)
from betaroc.rendering.page_frame import page_frame
from betaroc.report.beta_pair import beta_pair_bullets, beta_pair_words
from betaroc.report.certainty import certainty_of, p_words
from betaroc.report.crossings import unseen
from betaroc.report.figures import (
    Drawing,
    curve_figures,
    epc_figures,
    histogram_figures,
    probability_figures,
)
from betaroc.report.intervals import Measured, summary_words
from betaroc.report.observed_curves import ObservedCurve, ends_words, loss_words, table_rows
from betaroc.report.page_quality import (
    audits,
    check_notes,
    checks,
    families,
    of_scored,
    status_rows,
)
from betaroc.report.record import AnalysisRecord, name, page_in_terms, path_shown
from betaroc.report.score_set import ObservedPoint, ScoreSet, is_modelled, rates_shown, target
from betaroc.report.sentences import boundary_words, coefficient, fit_families, parameters
from betaroc.report.summary import first_lines, mismatch_words, set_names, summary_lines
from betaroc.report.text import (
    expected_rates,
    interval_notes,
    measure_rows,
    observed_rates,
    rate_ends,
    shape_sentences,
)
from betaroc.report.verdicts import sentence

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["foot", "render_body", "render_report", "write_report"]

_POWER = re.compile(r"\^(-?[0-9.]+(?:e[+-]?[0-9]+)?)")
_INDEX = re.compile(r"\bdF_([ic])\b")
#: Fewer expected scores than this beyond a threshold are told.
_FEW, _NONE = 10.0, 0.01


def render_report(analysis: AnalysisRecord) -> str:
    """The page as text; the same analysis gives the same text."""
    title = f"betaroc: {name(analysis.dev.name).short}"
    return page_frame(title, render_body(analysis), page_in_terms(foot(), analysis))


def render_body(analysis: AnalysisRecord) -> str:
    """What stands within the frame of a page."""
    return page_in_terms(str(_template().render(page(analysis))), analysis)


def foot() -> str:
    """The last line of a page."""
    return (
        f"betaroc {version()}. FAR(θ) = P(impostor score &gt; θ), FRR(θ) = P(client score ≤ θ),"
        " TPR = 1 − FRR, TNR = 1 − FAR."
    )


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html.j2")


def write_report(analysis: AnalysisRecord, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all; see :meth:`betaroc.Analysis.to_html`."""
    checked_target(path)  # before the work of drawing
    write_whole(path, render_report(analysis))


def typeset(text: str) -> Markup:
    """Words of our own with powers, indices and apostrophes as they are printed."""
    from markupsafe import Markup, escape

    safe = str(escape(text.replace("'", "’").replace(" %", "\u00a0%")))
    safe = _POWER.sub(r"<sup>\1</sup>", safe)
    return Markup(_INDEX.sub(r"dF<sub>\1</sub>", safe))  # noqa: S704 - escaped above


def page(analysis: AnalysisRecord) -> dict[str, Any]:
    """Every value the template shows."""
    parts = analysis.parts
    names = ["dev", *set_names(analysis.tests)]
    named = list(zip(parts, names, strict=True))
    modelled = [(p, n) for p, n in named if is_modelled(p)]
    return {
        "title": name(analysis.dev.name),
        "family": "" if analysis.dev.fit is None else fit_families(analysis.dev.fit),
        "reason": analysis.reason,
        "contradicted": [
            typeset(line)
            for line in first_lines(analysis.dev, analysis.tests, analysis.points, analysis.level)
        ],
        "alarm": typeset(mismatch_words(analysis.dev)),
        "headline": [
            typeset(line) for line in summary_lines(analysis.dev, analysis.tests, analysis.points)
        ],
        "sets": [_set_row(*both) for both in named],
        "statuses": [row for both in named for row in status_rows(*both)],
        "warnings": [visible(notice.message) for notice in analysis.notices],
        "histograms": _histograms(analysis),
        "curves": [_shown(figure) for figure in curve_figures(analysis)],
        "level": level_words(analysis.level),
        "checks": _checks(analysis, modelled),
        "scored": of_scored(analysis),
        "checks_drawn": any(part.summary is None for part, _ in modelled),
        "families_shown": analysis.dev.summary is None,
        "check_notes": check_notes(analysis),
        "families": [families(analysis.dev, "dev")],
        "audits": [audits(*both) for both in modelled],
        "measures": [_measures(*both) for both in named],
        "interval_notes": _interval_notes(named),
        "parametric": [_parameters(*both) for both in modelled],
        "behaviour": [_behaviour(*both) for both in modelled],
        "ends": [row for both in modelled for row in _ends(*both)],
        "beta_pair": _beta_pair(analysis),
        "points": _points(analysis),
        "epcs": _epcs(analysis),
        "rates": [key.upper() for key in rates_shown(parts)],
        "has_rejected": any(part.has_rejected for part in parts),
        "has_tests": bool(analysis.tests),
    }


def _checks(analysis: AnalysisRecord, modelled: list[tuple[ScoreSet, str]]) -> list[dict[str, Any]]:
    """Pictures and tests of every set with fitted distributions."""
    drawn = probability_figures(analysis)
    return [
        checks(part, role) | {"figures": [_shown(f) for f in drawn.get(part.role, [])]}
        for part, role in modelled
    ]


def _histograms(analysis: AnalysisRecord) -> list[tuple[str, list[dict[str, Any]]]]:
    """A row of pictures for each class; both in one row where dev is alone."""
    rows = [[_shown(figure) for figure in row] for row in histogram_figures(analysis)]
    if not analysis.tests:
        return [("Client and impostor", [figure for row in rows for figure in row])]
    return list(zip(("Client", "Impostor"), rows, strict=True))


def _shown(figure: Drawing) -> dict[str, Any]:
    from markupsafe import Markup

    # The SVG is of our own making and holds no foreign text.
    return {"svg": Markup(figure.svg), "caption": figure.caption}  # noqa: S704


def _set_row(part: ScoreSet, role: str) -> dict[str, Any]:
    scores, source = part.scores, part.scores.source
    absent = scores.n_client_rejected, scores.n_impostor_rejected
    return {
        "role": role,
        "file": name(part.name) if source is None else path_shown(source.path),
        "format": "not from a file"
        if source is None
        else read_as(source.format, source.guessed, source.guesses),
        "rows": sum(part.sizes) + sum(absent),
        "coarse": summary_words(part.given),
        "classes": [
            {
                "who": who,
                "n": n,
                "weight": number(weight - own) if weight - own != n else "",
                "absent": own,
                "low": extreme(part.extremes(who)[0]),
                "high": extreme(part.extremes(who)[1]),
                "zeros": _exactly(part, who, 0.0),
                "ones": _exactly(part, who, 1.0),
            }
            for who, weight, n, own in (
                ("client", scores.client_total, part.sizes[0], absent[0]),
                ("impostor", scores.impostor_total, part.sizes[1], absent[1]),
            )
        ],
    }


def _exactly(part: ScoreSet, who: str, place: float) -> int:
    """Scores of exactly 0 or 1."""
    if part.summary is not None:
        one = getattr(part.summary, who)
        return int(one.n_zero if place == 0.0 else one.n_one)
    return int((getattr(part.scores, who) == place).sum())


def _measures(part: ScoreSet, role: str) -> dict[str, Any]:
    far = part.distances
    return {
        "role": role,
        "rows": [
            {
                "what": row.what,
                "cells": [
                    {"value": value, "ends": _ends_of(m, row.say)}
                    for value, m in zip(row.values, row.found, strict=True)
                ],
            }
            for row in measure_rows(part, digits=5)
        ],
        "distances": (
            None if far is None else [number(v, 3) for v in (far.client, far.impostor, far.roc)]
        ),
        "shift": None if part.shift is None else [number(v, 3) for v in part.shift],
    }


def _interval_notes(named: list[tuple[ScoreSet, str]]) -> list[Markup]:
    """What is to be said of the intervals; what holds for all sets once."""
    found: dict[str, list[str]] = {}
    for part, role in named:
        for words in interval_notes(part):
            found.setdefault(words, []).append(role)
    notes = []
    for words, roles in found.items():
        whose = "" if len(roles) == len(named) else f"{', '.join(roles)}: "
        text = sentence(f"{whose}{words}")
        notes.append(typeset(text[:1].upper() + text[1:]))
    return notes


def _ends_of(m: Measured | None, say: Callable[[float], str]) -> str:
    """An interval in words, or that there is none."""
    if m is None:
        return ""
    return "no interval" if m.why else f"{say(m.low)} to {say(m.high)}"


def _parameters(part: ScoreSet, role: str) -> dict[str, Any]:
    fit = part.fit
    laws = [] if fit is None else [("client", fit.client), ("impostor", fit.impostor)]
    return {
        "role": role,
        "rows": [_law(who, law, part) for who, law in laws],
        "log_likelihood": "" if fit is None else number(fit.log_likelihood),
        "aic": "" if fit is None else number(fit.aic),
        "bic": "" if fit is None else number(fit.bic),
    }


def _law(who: str, law: DistributionFit, part: ScoreSet) -> dict[str, Any]:
    own = () if part.intervals is None else getattr(part.intervals, who)
    found = {m.key: m for m in own}
    return {
        "who": who,
        "n": law.n,
        "parameters": [
            {
                "name": label,
                "value": number(value),
                "error": number(error, 3),
                "ends": _ends_of(found.get(label), number),
                "method": found[label].method if label in found else "",
            }
            for label, value, error in parameters(law)
        ],
        "boundary": boundary_words(law),
        "log_likelihood": number(law.log_likelihood),
    }


def _behaviour(part: ScoreSet, role: str) -> dict[str, Any]:
    bullets = [typeset(" ".join(words)) for words in shape_sentences(part)]
    return {"role": role, "bullets": bullets}


def _beta_pair(analysis: AnalysisRecord) -> dict[str, Any] | None:
    """One beta distribution a class on dev: the word on it, parameters and what its curve does."""
    found = analysis.beta
    if found is None:
        return None
    bare = replace(analysis.dev, intervals=None)
    laws = () if found.fit is None or found.same else (found.fit.client, found.fit.impostor)
    return {
        "words": typeset(beta_pair_words(found)),
        "same": found.same,
        "laws": [
            _law(who, law, bare) for who, law in zip(("client", "impostor"), laws, strict=False)
        ],
        "bullets": [typeset(words) for words in beta_pair_bullets(found, analysis.dev)],
    }


def _ends(part: ScoreSet, role: str) -> list[dict[str, Any]]:
    part = part.scored
    model = part.fit.model if part.fit is not None else part.empirical
    unit = model.client.on_unit and model.impostor.on_unit
    both = model.ends()
    names = ("threshold 0", "threshold 1") if unit else ("low end", "high end")
    hidden = unseen(model, part.scores)
    sure = certainty_of(part.fit, None if part.intervals is None else part.intervals.level)
    found = {} if part.intervals is None else {m.key: m for m in part.intervals.model}

    def ends_of(name: str, key: str) -> str:
        m = found.get(f"{name}-{key.replace('_', '-')}")
        return "" if m is None or m.why else _ends_of(m, lambda v: number(v, 3))

    return [
        {
            "role": role,
            "where": where,
            "side": _side(end.side, None if sure is None else sure.ends, key)
            + (", not seen" if hidden is not None and hidden.end == key else ""),
            "semi_derivative": number(end.semi_derivative, 4),
            "roc_slope": number(end.roc_slope, 4),
            "exponent": {"value": number(end.exponent, 4), "ends": ends_of("exponent", key)},
            "coefficient": {
                "value": coefficient(end.coefficient), "ends": ends_of("coefficient", key),
            },
        }
        for where, key, end in zip(
            names, ("at_zero", "at_one"), (both.at_zero, both.at_one), strict=True
        )
    ]  # fmt: skip


def _side(fitted: str, tests: EndTests | None, key: str) -> str:
    """The side of the diagonal with its p-value; that of the fitted curve where it has none."""
    if tests is None:
        return f"{fitted}, as fitted"
    test = getattr(tests, key)
    return f"{test.side} ({p_words(test.p_value)})"


# ------------------------------------------------------------------- operating points
def _points(analysis: AnalysisRecord) -> list[dict[str, Any]]:
    tables: list[dict[str, Any]] = []
    for chosen_by, title in (
        ("model", "Thresholds chosen by dev’s fitted distributions"),
        ("scores", "Thresholds chosen on dev’s scores"),
    ):
        rows = [_met(p, analysis) for p in analysis.points if p.chosen_by == chosen_by]
        if rows:
            tables.append({"title": title, "rows": rows, "open": not tables})
    return tables


def _met(met: ObservedPoint, analysis: AnalysisRecord) -> dict[str, Any]:
    point = met.expected
    names, parts = ["dev", *set_names(analysis.tests)], analysis.parts
    intervals, keys = ((), *met.observed_intervals), rates_shown(parts)
    rates = [
        {"who": f"{name}, observed", "cells": _cells(observed_rates(part, at, keys), found, keys)}
        for name, part, at, found in zip(names, parts, met.observed, intervals, strict=True)
    ]
    if met.chosen_by == "model":
        cells = _cells(expected_rates(parts[0], point, keys), met.expected_intervals, keys)
        rates.insert(0, {"who": "expected by the distributions", "cells": cells})
    return {
        "title": typeset(met.title),
        "threshold": threshold(point.threshold, point.logit_threshold),
        "rates": rates,
        "caution": (
            _caution(met, analysis.dev)
            if met.chosen_by == "model"
            else _rests_on_few(met, analysis.dev, analysis.level)
        ),
    }


def _cells(
    values: Sequence[str], found: Sequence[Measured], keys: Sequence[str]
) -> list[dict[str, str]]:
    return [
        {"value": value, "ends": ends[1:-1].replace(", ", " to ")}
        for value, ends in zip(values, rate_ends(found, keys), strict=True)
    ]


def _caution(met: ObservedPoint, dev: ScoreSet) -> str:
    """Where few of dev's scores speak for the threshold, and where they contradict the fit."""
    client, impostor = met.expected.n_beyond
    groups = dev.fit is not None and dev.fit._evidence.groups is not None
    what = " groups" if groups else ""
    few: Sequence[tuple[str, float, str, float]] = (
        (f"impostor{what or 's'}", impostor, "above", met.observed[0].far),
        (f"client{what or 's'}", client, "at or below", met.observed[0].frr),
    )
    found = [
        f"{number(n, 2) if n >= _NONE else f'less than {_NONE}'} of dev’s {who} {where} it"
        for who, n, where, _ in few
        if n < _FEW
    ]
    none = [f"no {who[:-1]} of dev lies {where} it" for who, _, where, at in few if at == 0.0]
    words = f"Only {' and '.join(found)} are expected" if found else ""
    words += (": extrapolated." if met.expected.extrapolated else ".") * bool(found)
    if none:
        seen = " and ".join(none)
        words = f"{words} {seen[:1].upper()}{seen[1:]}.".strip()
    if met.contradicted_by:
        words += f" Dev’s scores contradict the fit: {'; '.join(met.contradicted_by)}."
    return words.strip()


def _rests_on_few(met: ObservedPoint, dev: ScoreSet, level: float) -> str:
    """Where a target rate is less than one score of the class."""
    aim = target(met.key)
    if aim is None:
        return ""
    name, rate = aim
    total = dev.scores.impostor_total if name == "far" else dev.scores.client_total
    if total * rate >= 1.0:
        return ""
    who = "impostors" if name == "far" else "clients"
    return (
        f"Dev has {number(total)} {who}, fewer than the {number(1.0 / rate)} of which one is"
        f" {percent(rate)}: the threshold is where dev shows no error. None among so many leaves"
        f" room for rates up to {percent(1.0 - (1.0 - level) ** (1.0 / total))}"
        f" ({level_words(level)} confidence)."
    )


# ------------------------------------------------------- expected performance curves
def _epcs(analysis: AnalysisRecord) -> list[dict[str, Any]]:
    """A panel for each test set."""
    figures = epc_figures(analysis)
    return [
        {
            "role": name,
            "figure": _shown(figures[part.role]),
            "tables": [
                _epc_table(met, analysis.dev) for met in analysis.curves if met.role == part.role
            ],
        }
        for part, name in zip(analysis.tests, set_names(analysis.tests), strict=True)
    ]


def _epc_table(met: ObservedCurve, dev: ScoreSet) -> dict[str, Any]:
    laws = met.chosen_by == "model"
    return {
        "title": f"Thresholds chosen {'by dev’s fitted laws' if laws else 'on dev’s scores'}",
        "ends": ends_words(met),
        "rows": table_rows(met, dev),
        "loss": typeset(loss_words(met)),
    }
