"""An ensemble's result as one self-contained page, without a script."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.class_words import ClassWords
from betaroc.core.sentences import for_readers
from betaroc.core.terms import BIOMETRIC, Terms, terms_of
from betaroc.ensemble.learned import (
    ADDS_NOTHING,
    CANNOT_TELL,
    INCLUDE,
    MATTERS,
    trials_needed,
)
from betaroc.ensemble.pictures import learned_marks
from betaroc.ensemble.record import InclusionRecord
from betaroc.ensemble.rule import LAX, STRICT, Verdict
from betaroc.ensemble.sentences import (
    crossings_columns,
    doubts,
    gain_grid,
    gain_sentences,
    lead,
    own_grid,
)
from betaroc.model.roc import Roc
from betaroc.rendering.notebook import Trace, draw_spans, draw_square
from betaroc.rendering.numbers import level_words, rate, spaced, version, visible
from betaroc.rendering.page_frame import ResultPage, page_of, verdict_nodes
from betaroc.rendering.tree import (
    Bullets,
    Figure,
    Figures,
    Glossary,
    Grid,
    Node,
    Row,
    Section,
    Status,
    Words,
    foreign,
    retold,
    signed_cell,
)

#: The icon of each verdict; what is no good beside the others is neither bad nor unknown.
_ICONS = {INCLUDE: "good", CANNOT_TELL: "warn", STRICT: "warn", LAX: "warn", ADDS_NOTHING: "none"}
_SORTED = ("good", "warn", "none", "bad")
#: Verdicts in the words of the ends.
_WORDS = {STRICT: "only at the low-FAR end", LAX: "only at the high-FAR end"}
#: Rows of a table of pairs.
_ROWS = 60
#: ROCs that are drawn one by one, points of each, and trials up to which that of scores is drawn.
_MOST, _POINTS, _MANY = 8, 100, 100_000
_GLOSSARY = (
    ("FAR, FRR, TPR", "shares of impostors accepted, of clients rejected, of clients accepted"),
    ("ROC", "the TPR at each FAR; AUC is the area under it: 0.5 for guesses, 1 without errors"),
    ("learned fusion", "a score of all classifiers, weighted by logistic regression elsewhere"),
    ("gain", "the AUC of the learned fusion with a classifier, less that without it"),
    ("own ROC", "that of the classifier alone, judged against guesses at both ends of its FARs"),
    ("hull", "the best of the classifiers at each FAR, or of a random choice between two"),
    ("interval", "what the chance of the trials leaves open, at the confidence named above"),
)  # fmt: skip


def inclusion_page(
    result: InclusionRecord,
    *,
    read: Sequence[str] = (),
    words: ClassWords | None = None,
    terms: str = BIOMETRIC,
) -> str:
    """The verdicts with their reasons, what each classifier adds, the ROCs, and what was read."""
    field, called = terms_of(terms), words or ClassWords()
    kept = {html.escape(form) for name in (*result.names, *read) for form in (name, visible(name))}
    kept |= {html.escape(form) for name in result.names for form in foreign(name)}

    def said(body: str) -> str:
        told = called.in_markup(body, kept)
        return field.said(told, kept | {html.escape(word) for word in called})

    page = ResultPage(
        f"betaroc: {len(result.names)} classifiers",
        "Ensemble",
        [f"{len(result.names)} classifiers"],
        "Which of these classifiers join the ensemble?",
        [*(Words(line, "lead") for line in lead(result)), *_verdicts(result),
         _figures(result, field)],
        _sections(result, read),
    )  # fmt: skip
    return page_of(page, said, said(f"betaroc {version()}. FAR(θ) = P(impostor score &gt; θ)."))


def _verdicts(result: InclusionRecord) -> Sequence[Node]:
    head = ("classifier", "verdict", f"gain, {level_words(result.level)} interval",
            "its own ROC", "AUC of its scores", "what would change it")  # fmt: skip
    rows = []
    for name, verdict in sorted(result.verdict.items(), key=lambda item: _place(item[1])):
        gain, needed = verdict.gain, None
        if verdict.word == CANNOT_TELL:
            needed = trials_needed(gain, result.systems.sizes)
        change = needed and f"about {needed[0]} client and {needed[1]} impostor trials"
        row = Row((
            foreign(name), Status("", verdict.word, _ICONS.get(verdict.word, "bad")),
            signed_cell(gain.estimate, gain.low, gain.high), verdict.marginal,
            f"{result.misfit[name].auc_scores:.3f}", change or "",
        ))  # fmt: skip
        rows.append(retold(row, _by_ends))
    return verdict_nodes(head, rows)


def _place(verdict: Verdict) -> tuple[int, float]:
    """By the sign, then the largest gain first, what was not measured last."""
    gain = verdict.gain.estimate
    icon = _ICONS.get(verdict.word, "bad")
    return _SORTED.index(icon), 1.0 if math.isnan(gain) else -gain


# ------------------------------------------------------------------------------ pictures
def _figures(result: InclusionRecord, terms: Terms) -> Figures:
    drawn = [_gains(result)]
    far = np.unique(np.concatenate([np.geomspace(1e-6, 1.0, 100), np.linspace(0.0, 1.0, 100)]))
    hull = far, np.asarray(result.hull.tpr(far))
    many = len(result.names) > _MOST
    curves = {name: result.fits[name].model.roc() for name in result.names}
    if many:
        drawn.append(_rocs(tuple(curves.items()), hull, terms, None))
    else:
        drawn += [_rocs([one], hull, terms, _counted(result, one[0])) for one in curves.items()]
    return Figures(tuple(drawn))


def _brief(name: str, width: int) -> str:
    """A name beside a mark, which has no room for all of it."""
    text = visible(name)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _gains(result: InclusionRecord) -> Figure:
    rows = learned_marks(result, partial(_brief, width=20))
    measured = [f"{row.label} {row.value:+.4f}" for row in rows if row.value == row.value]
    about = f"Gain in AUC of each classifier: {', '.join(measured) or 'not measured'}"
    caption = (
        f"What each adds to all others. Grey: less than {MATTERS:g}; filled: the interval tells."
    )
    drawn = draw_spans(rows, "gain in AUC of a learned fusion", about, near=MATTERS)
    return replace(drawn, caption=caption)


def _counted(result: InclusionRecord, name: str) -> Trace | None:
    """The ROC of the scores, unless they are too many to be drawn at once."""
    if len(result.systems.client) + len(result.systems.impostor) > _MANY:
        return None
    scores = result.systems.scores(result.names.index(name))
    points = Roc(*scores._distributions).points()
    return Trace("its scores", points.far, points.tpr, "thin")


def _rocs(
    group: Sequence[tuple[str, Roc]], hull: tuple[FloatArray, FloatArray], terms: Terms,
    counted: Trace | None,
) -> Figure:  # fmt: skip
    """One fitted curve with that of its scores, or many, beside the hull."""
    lines, names = [], []
    for name, roc in group:
        points = roc.points(_POINTS)
        names.append(foreign(name).short)
        lines.append(Trace(_brief(name, 14), points.far, points.tpr, "solid"))
    if len(lines) > 1:
        lines = [line._replace(label="", look="thin") for line in lines]
        lines[0] = lines[0]._replace(label="classifiers")
    lines += [] if counted is None else [counted]
    lines.append(Trace("hull of all", *hull, "dashed"))
    axes = terms.far.short, terms.tpr.short
    called = ", ".join(names) if len(names) == 1 else f"{len(names)} classifiers"
    about = f"{axes[1]} against {axes[0]} of {called}, and the hull of all"
    return replace(draw_square(lines, axes, about), caption=f"ROC of {called}, fitted.")


# ------------------------------------------------------------------------------ sections
def _sections(result: InclusionRecord, read: Sequence[str]) -> list[Section]:
    joined = sum(verdict == INCLUDE for verdict in result.verdict.values())
    rows = (Row((foreign(name), v.word, v.reason)) for name, v in result.verdict.items())
    reasons = Grid(("classifier", "verdict", "reason"), tuple(rows), (1, 2))
    unused = ", ".join(map(visible, result.hull.unused))
    gains = [Words(f"{text[0].upper()}{text[1:]}") for text in gain_sentences(result)]
    against = doubts(result)
    best = (
        Row((rate(s.far_low), rate(s.far_high), s.kind, foreign(s.left), foreign(s.right)))
        for s in result.hull.segments
    )
    hull = Grid(("from FAR", "to FAR", "", "of", "and"), tuple(best), (2, 3, 4))
    sections = [
        Section("Why", (reasons, *[Bullets(tuple(against))] * bool(against)),
                f"{joined} of {len(result.names)} join", "why", folded=True),
        Section("What each adds", (gain_grid(result, foreign), *gains),
                "with it and without it", "gains", folded=True),
        Section("Their own ROCs", (own_grid(result, foreign),),
                "fitted distributions, and how far they are from the scores", "rocs", folded=True),
        Section("Hull", (*[Words(f"Best at no FAR: {unused}.")] * bool(unused), hull),
                f"area {result.hull.auc:.4f}", "hull", folded=True),
        Section("Crossings", _shortened(_crossing_grid(result)),
                "where one fitted ROC passes another", "crossings", folded=True),
        Section("How alike they are", _shortened(_diversity_grid(result)),
                "correlations within the classes, and errors in common", "alike", folded=True),
        Section("What was read", _read(result, read),
                f"{len(result.names)} classifiers, {spaced(sum(result.systems.sizes))} trials",
                "read", folded=True),
        Section("Glossary", (Glossary(_GLOSSARY),), "the words of this page", "glossary",
                folded=True),
    ]  # fmt: skip
    return [retold(one, _by_ends) for one in sections]


def _by_ends(text: str) -> str:
    """A sentence with verdicts in the words of the ends."""
    for verdict, words in _WORDS.items():
        text = text.replace(verdict, words)
    return text


def _shortened(grid: Grid) -> tuple[Node, ...]:
    """A table of pairs, which of many classifiers is longer than anybody reads."""
    left = len(grid.rows) - _ROWS
    if left <= 0:
        return (grid,)
    note = f"{left} more rows: `--json`, or the tables of the result in Python, have all of them."
    return replace(grid, rows=grid.rows[:_ROWS]), Words(note, "note")


def _crossing_grid(result: InclusionRecord) -> Grid:
    columns = crossings_columns(result._crossings)
    rows = []
    for first, second, far, tpr, _, before, after in zip(*columns.values(), strict=True):
        places = ("never", "") if math.isnan(far) else (rate(float(far)), rate(float(tpr)))
        higher = [foreign(str(one)) if one else "nobody" for one in (before, after)]
        rows.append(Row((foreign(str(first)), foreign(str(second)), *places, *higher)))
    heads = ("first", "second", "cross at FAR", "TPR there", "higher before", "higher after")
    return Grid(heads, tuple(rows), (1, 4, 5))


def _diversity_grid(result: InclusionRecord) -> Grid:
    columns = result._diversity
    rows = [
        Row((foreign(str(first)), foreign(str(second)), str(who),
             *("" if np.isnan(x) else f"{x:.3f}" for x in numbers)))
        for first, second, who, *numbers in zip(*columns.values(), strict=True)
    ]  # fmt: skip
    heads = tuple(title.replace("_", " ") for title in columns)
    return Grid(heads, tuple(rows), (1, 2))


def _read(result: InclusionRecord, read: Sequence[str]) -> tuple[Words | Bullets, ...]:
    n_client, n_impostor = result.systems.sizes
    lines = [*read, f"{spaced(n_client)} client and {spaced(n_impostor)} impostor trials"]
    if result.systems.omitted:
        lines.append(f"{spaced(result.systems.omitted)} rows with a missing score left out")
    said = result.messages
    blocks: list[Words | Bullets] = [Bullets(tuple(map(visible, lines)))]
    if said:
        blocks += [
            Words("What the fits had to say:"),
            Bullets(tuple(visible(for_readers(one)) for one in said)),
        ]
    return tuple(blocks)
