"""An analysis as readable text: plain characters, columns that line up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from betaroc.core.text import shown
from betaroc.estimation.families import is_of_counts
from betaroc.fits.fit import Fit
from betaroc.model.asking import Asking
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import level_words, number, percent, read_as, threshold
from betaroc.report.certainty import certainty_of, confidence_words
from betaroc.report.crossings import crossing_words, whole_curve_words
from betaroc.report.intervals import FAR, TPR, Measured, SetIntervals, summary_words
from betaroc.report.score_set import (
    RATES,
    ObservedPoint,
    ScoreSet,
    is_modelled,
    rate_at,
    rates_shown,
)
from betaroc.report.sentences import (
    boundary_words,
    category_words,
    end_words,
    fit_families,
    parameters,
)
from betaroc.report.summary import (
    CHECKED_SCORED,
    OF_SCORED,
    expected,
    family_tails,
    family_words,
    in_matching,
    mismatch_words,
    verdict_lines,
)
from betaroc.report.verdicts import TARGET_HEAD, sentence, target_cells

__all__ = [
    "MeasureRow", "columns", "expected_rates", "fit_text", "interval_notes", "measure_rows",
    "observed_rates", "set_text", "points_text", "rate_ends", "shape_sentences",
]  # fmt: skip

_AREA_METHODS = {
    "logit-delong+newcombe": "the mean of DeLong's and Newcombe's intervals on the logit scale",
    "logit-delong": "DeLong's variance between groups on the logit scale",
    "newcombe": "Newcombe's interval, as DeLong's variance is 0",
    "newcombe-groups": "Newcombe's interval of as many trials as groups, as DeLong's variance is 0",
}


_DOUBT = "What follows rests on distributions that do not describe these scores."


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> str:
    """Rows with the first column to the left and the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def set_text(part: ScoreSet, reason: str) -> str:
    """What was read, the fit and its curve."""
    source = part.scores.source
    kind = "" if source is None else f" ({read_as(source.format, source.guessed, source.guesses)})"
    coarse = summary_words(part.given)
    read = (
        f"{part.role}: {shown(part.name)}{kind}, {part.sizes[0]} client and"
        f" {part.sizes[1]} impostor scores; accepted if score > threshold{coarse and f'; {coarse}'}"
    )
    if part.fit is None:
        blocks = [read, "not fitted (see the warnings)", _measures(part)]
        return "\n\n".join(blocks + [_quality(part)] * (part.quality is not None))
    how = "as on dev" if part.role.startswith("test") else reason
    family = f"family: {fit_families(part.fit)}" + (f"; {how}" if how else "")
    blocks = [read, family, fit_text(part.fit, part.intervals), _measures(part), _shape(part)]
    blocks += [_quality(part)] * (part.quality is not None)
    return "\n\n".join(blocks)


def fit_text(fit: Fit, found: SetIntervals | None = None) -> str:
    """Parameters of both distributions, with their intervals."""
    rows = [["class", "parameter", "estimate", "std. error", *_head(found)]]
    for who, law in (("client", fit.client), ("impostor", fit.impostor)):
        own = {} if found is None else {m.key: m for m in getattr(found, who)}
        for name, value, error in parameters(law):
            ends = [] if found is None else _ends(own.get(name), number)
            rows.append([who, name, number(value), number(error, 3), *ends])
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


def _head(found: SetIntervals | None) -> list[str]:
    return [] if found is None else [f"{level_words(found.level)} low", "high"]


def _ends(m: Measured | None, say: Callable[[float], str]) -> list[str]:
    """Both ends of an interval, or marks that there is none."""
    if m is None or m.why:
        return ["none", "none"]
    return [say(m.low), say(m.high)]


def _measures(part: ScoreSet) -> str:
    head = _head(part.intervals)
    who = ["scores", *head] + (["fitted", *head] if is_modelled(part) else [])
    text = columns([["", *who], *(row.cells(head != []) for row in measure_rows(part))])
    lines = [text]
    far = part.distances
    if far is not None and is_modelled(part):
        lines.append(
            f"  distance of the fit from the scores: client {number(far.client, 3)},"
            f" impostor {number(far.impostor, 3)}, ROC {number(far.roc, 3)}"
        )
    lines += [f"  {words}" for words in interval_notes(part)]
    return "\n".join(lines)


class MeasureRow(NamedTuple):
    """One measure of the scores and, where distributions were fitted, of these."""

    what: str
    say: Callable[[float], str]
    values: tuple[str, ...]
    found: tuple[Measured | None, ...]

    def cells(self, with_ends: bool) -> list[str]:
        """The row of a table."""
        row = [self.what]
        for value, m in zip(self.values, self.found, strict=True):
            row += [value, *(_ends(m, self.say) if with_ends else [])]
        return row


def measure_rows(part: ScoreSet, digits: int = 6) -> list[MeasureRow]:
    """AUC, EER, its threshold, TPR at FAR 1 % and KS, and what was asked for, with intervals."""
    models = [part.empirical]
    kinds = ["scores"]
    if part.fit is not None and is_modelled(part):
        models.append(part.fit.model)
        kinds.append("model")
    eer = [m.eer() for m in models]
    tpr = [float(m.at_far(FAR).tpr) for m in models]

    def ends(key: str) -> tuple[Measured | None, ...]:
        if part.intervals is None:
            return (None,) * len(models)
        return tuple(
            next((m for m in getattr(part.intervals, kind) if m.key == key), None) for kind in kinds
        )

    def places(value: float) -> str:
        return threshold(value, math.nan)

    asked = () if part.intervals is None else part.intervals.asked
    return [
        MeasureRow(
            "AUC", lambda v: number(v, digits), tuple(number(m.auc(), digits) for m in models),
            ends("auc"),
        ),
        MeasureRow(
            "EER", percent,
            (percent(eer[0].hter), *(expected(part, p, why=False)[2] for p in eer[1:])),
            ends("eer"),
        ),
        MeasureRow(
            "EER threshold", places,
            tuple(threshold(p.threshold, p.logit_threshold) for p in eer), ends("threshold@eer"),
        ),
        MeasureRow(f"TPR at FAR {percent(FAR)}", percent, tuple(map(percent, tpr)), ends(TPR)),
        MeasureRow("KS", lambda v: number(v, 4), tuple(number(m.ks(), 4) for m in models),
                   ends("ks")),
        *(_made_row(key, models, eer) for key in rates_shown([part]) if key not in RATES),
        *(_asked_row(one, ends(str(one)), digits) for one in asked),
    ]  # fmt: skip


def _made_row(key: str, models: Sequence[ScoreModel], eer: Sequence[OperatingPoint]) -> MeasureRow:
    """A rate of comparisons made, at the threshold where FAR and FRR are equal."""
    values = tuple(percent(rate_at(key, *own)) for own in zip(models, eer, strict=True))
    return MeasureRow(f"{key.upper()} at EER threshold", percent, values, (None,) * len(models))


def _asked_row(asked: Asking, found: tuple[Measured | None, ...], digits: int) -> MeasureRow:
    """A statistic by its title and its point."""

    def say(value: float) -> str:
        return number(value, digits)

    values = tuple(number(math.nan if m is None else m.estimate, digits) for m in found)
    return MeasureRow(f"{asked.row.title}{asked.where.words}", say, values, found)


def interval_notes(part: ScoreSet) -> list[str]:
    """Which intervals are missing and why, and on what groups the others rest."""
    found = part.intervals
    if found is None:
        return []
    notes = [
        f"intervals of scores: {_area_words(found)}the EER, its threshold and the TPR by the"
        " likelihood of the counts"
    ]
    if part.summary is not None:
        notes[0] += ", each with what bins can be off"
    if found.model:
        notes[0] += (
            "; of fitted numbers by the errors of the parameters, if the distributions are right"
        )
    if found.groups is not None:
        notes.append(
            f"intervals take {found.groups} groups as what varies, not the single trials; standard"
            " errors and the check of the fit take trials as independent"
        )
    reasons: dict[str, list[str]] = {}
    for name, why in found.missing:
        if name != "scores ks":
            reasons.setdefault(why, []).append(name)
    notes += [f"no interval of {', '.join(names)}: {why}" for why, names in reasons.items()]
    return notes


def _area_words(found: SetIntervals) -> str:
    """How the interval of the empirical area was made, if there is one."""
    method = next(m.method for m in found.scores if m.key == "auc")
    return f"the AUC by {_AREA_METHODS[method]}, " if method else ""


def _quality(part: ScoreSet) -> str:
    """The verdicts, the tests, the families, the audit."""
    found = part.quality
    if found is None:
        return ""
    lines = verdict_lines(part)
    if lines and part.has_rejected:
        lines.append(f"{part.role}: {CHECKED_SCORED}")
    if found.targets:
        rows = [list(TARGET_HEAD), *(target_cells(t) for t in found.targets)]
        table = columns([row[:-1] for row in rows]).split("\n")
        lines += [f"{line}  {row[-1]}".rstrip() for line, row in zip(table, rows, strict=True)]
    lines += [f"{part.role}: {sentence(words)}" for words in found.tails]
    lines += filter(None, [family_words(part)])
    if found.families is not None:
        rows = [["class", "family", "held-out", "its z", "AIC", "Vuong z", "distance"]]
        rows += [
            [row.who, row.family, *("" if math.isnan(v) else number(v, d) for v, d in (
                (row.held_out, 4), (row.held_out_z, 3), (row.aic, 6), (row.vuong, 3),
                (row.distance, 3),
            ))]
            for row in found.families.rows
        ]  # fmt: skip
        lines.append(columns(rows))
        lines += [
            f"  {who}: {name} is left out: {sentence(why)}"
            for who, name, why in found.families.left_out
        ]
        lines += [f"  {words}" for words in family_tails(part)]
    if found.audit is not None and found.called_for:
        lines.append(
            f"{part.role}: sensitivity to scores near 0 and 1 ({'; '.join(found.called_for)})"
        )
        rows = [["rule", "client a", "b", "impostor a", "b", "exponent at 0", "at 1", "AUC"]]
        rows += [[row[0], *(number(v, 4) for v in row[1:])] for row in found.audit.policies]
        lines.append(columns(rows))
    return "\n".join(lines)


def _shape(part: ScoreSet) -> str:
    return "\n".join(" ".join(words) for words in shape_sentences(part))


def shape_sentences(part: ScoreSet) -> list[list[str]]:
    """What is said of the curve of a fit: the whole, its crossings, both ends, the shapes."""
    if part.fit is None:
        return []
    if is_of_counts(part.fit.family):
        return [["The ROC is that of the scores; its ends and shape are not modelled."]]
    if part.has_rejected:
        of_made = shape_sentences(part.scored)
        return [[OF_SCORED], *([in_matching(words) for words in bullet] for bullet in of_made)]
    model, scores = part.fit.model, part.scores
    sure = certainty_of(part.fit, None if part.intervals is None else part.intervals.level)
    whole = whole_curve_words(model, scores, sure)
    said = [[_DOUBT]] if mismatch_words(part) else []
    said.append([
        f"If the fitted family is right: {whole[:1].lower()}{whole[1:]}",
        *crossing_words(model, scores, fitted=True),
    ])  # fmt: skip
    said += [end_words(model, which, scores, sure) for which in ("at_zero", "at_one")]
    shapes = category_words(model, sure)
    if shapes:
        said.append([f"Shape category: {'; '.join(shapes)}."])
    return said + [[words] for words in confidence_words(part.fit, sure)]


def points_text(points: Sequence[ObservedPoint], parts: Sequence[ScoreSet]) -> str:
    """Dev's thresholds and the rates they lead to on every set, with their intervals."""
    blocks, keys = [], [key for key in rates_shown(parts) if key != "f1"]
    for chosen_by, title in (
        ("model", "thresholds chosen by dev's fitted model"),
        ("scores", "thresholds chosen on dev's scores"),
    ):
        rows = [["criterion", "threshold", "rates of", *(key.upper() for key in keys)]]
        for met in (p for p in points if p.chosen_by == chosen_by):
            point = met.expected
            name, place = met.key, threshold(point.threshold, point.logit_threshold)
            seen = [] if chosen_by == "scores" else [
                ("model", expected_rates(parts[0], point, keys), met.expected_intervals)
            ]  # fmt: skip
            own = ((), *met.observed_intervals)
            seen += [
                (part.role, observed_rates(part, at, keys), found)
                for part, at, found in zip(parts, met.observed, own, strict=True)
            ]
            for k, (who, rates, found) in enumerate(seen):
                cells = [
                    f"{text} {ends}".rstrip()
                    for text, ends in zip(rates, rate_ends(found, keys), strict=True)
                ]
                rows.append([name if k == 0 else "", place if k == 0 else "", who, *cells])
        if len(rows) > 1:
            blocks.append("\n".join([title, columns(rows), *_contradicted(points, chosen_by)]))
    return "\n\n".join(blocks)


def _contradicted(points: Sequence[ObservedPoint], chosen_by: str) -> list[str]:
    """Where dev's own scores speak against the fit."""
    return [
        f"  {met.key}: dev's scores contradict the fit: {'; '.join(met.contradicted_by)}"
        for met in points
        if met.chosen_by == chosen_by and met.contradicted_by
    ]


def expected_rates(dev: ScoreSet, point: OperatingPoint, keys: Sequence[str]) -> list[str]:
    """Rates of dev's fit in per cent, said where no score speaks for those of trials."""
    said = dict(zip(("far", "frr", "hter"), expected(dev, point, why=False), strict=True))
    model = dev.empirical if dev.fit is None else dev.fit.model
    return [said.get(key) or percent(rate_at(key, model, point)) for key in keys]


def observed_rates(part: ScoreSet, at: OperatingPoint, keys: Sequence[str]) -> list[str]:
    """Rates of a set's scores in per cent."""
    return [percent(rate_at(key, part.empirical, at)) for key in keys]


def rate_ends(found: Sequence[Measured], keys: Sequence[str]) -> list[str]:
    """Intervals of rates as text, empty where there is none."""
    texts = {m.key: "" if m.why else f"[{percent(m.low)}, {percent(m.high)}]" for m in found}
    return [texts.get(key, "") for key in keys]
