"""The picture of an ensemble from what is found of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from betaroc.core.terms import Terms, terms_of
from betaroc.ensemble.fusion import PARTS
from betaroc.ensemble.learned import CANNOT_TELL, MATTERS
from betaroc.ensemble.record import InclusionRecord
from betaroc.model.roc import Roc
from betaroc.rendering import curves as drawing
from betaroc.rendering.notebook import IntervalMark
from betaroc.rendering.style import Sheet


def plot_ensemble(result: InclusionRecord, rule: str, terms: str) -> Sheet:
    """Draw the ROCs, and beside them the gains; `Inclusion.plot` documents it."""
    words = terms_of(terms)
    gains = _gains(result, rule, words)
    learned = learned_marks(result, str)
    return drawing.draw_ensemble(_rocs(result), learned, MATTERS, gains, words)


def learned_marks(result: InclusionRecord, say: Callable[[str], str]) -> list[IntervalMark]:
    """The learned gain of each classifier, whose name is as `say` says it."""
    gains = {name: verdict.gain for name, verdict in result.verdict.items()}
    return [
        IntervalMark(say(name), g.low, g.estimate, g.high, g.word != CANNOT_TELL)
        for name, g in gains.items()
    ]


def _rocs(result: InclusionRecord) -> drawing.Rocs:
    fitted = [roc.points() for roc in result._rocs.values()]
    samples = map(result.systems.scores, range(len(result.names)))
    counted = [Roc(*s._distributions).points() for s in samples]
    segments = result.hull.segments
    far = np.unique(np.concatenate([
        np.geomspace(1e-6, 1.0, 300), np.linspace(0.0, 1.0, 300),
        [s.far_low for s in segments], [s.far_high for s in segments],
    ]))  # fmt: skip
    chords = [s for s in segments if s.kind == "chord"]
    return drawing.Rocs(
        [f"{name}: {result.verdict[name].word}" for name in result.names],
        [(p.far, p.tpr) for p in fitted],
        [(p.far, p.tpr) for p in counted],
        (far, np.asarray(result.hull.tpr(far))),
        (
            [x for s in chords for x in (s.far_low, s.far_high)],
            [y for s in chords for y in (s.tpr_low, s.tpr_high)],
        ),
        result.region,
        below=any(f.model.auc() < 0.5 for f in result.fits.values()),
    )


def _gains(result: InclusionRecord, rule: str, terms: Terms) -> drawing.Gains:
    def drawn(name: str, part: str) -> IntervalMark:
        g = result.fusion.gain(name, rule, part)
        return IntervalMark(name, g.low, g.estimate, g.high, g.low > 0.0 or g.high < 0.0)

    rows = {name: [drawn(name, part) for part in PARTS] for name in result.names}
    measures = (result.fusion.parts[part]["measure"] for part in ("all", "strict"))
    measure, at_ends = (m if m == "weighted-error" else terms.said(m.upper()) for m in measures)
    also = "" if at_ends == measure else f"\n(at the ends: in {at_ends})"
    return drawing.Gains(rows, f"gain in {measure} by {rule}{also}", result.level)
