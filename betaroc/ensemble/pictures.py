"""Pictures of an ensemble from what is found of it, or an error that says how that is made."""

from __future__ import annotations

import numpy as np

from betaroc.core.checks import instance
from betaroc.core.notices import public
from betaroc.core.terms import BIOMETRIC, Terms, terms_of
from betaroc.distributions.empirical import Empirical
from betaroc.ensemble.fusion import PARTS
from betaroc.ensemble.learned import CANNOT_TELL, MATTERS, LearnedGain
from betaroc.ensemble.record import InclusionRecord
from betaroc.model.roc import Roc
from betaroc.rendering import curves as drawing
from betaroc.rendering.style import Axes, Sheet


def _inclusion(result: InclusionRecord) -> InclusionRecord:
    return instance(result, InclusionRecord, "result", "br.inclusion(frame)")


@public
def plot_ensemble(
    result: InclusionRecord, *, rule: str = "mean-logit", terms: str = BIOMETRIC
) -> Sheet:
    """Draw the ROCs, and beside them the gains in a learned fusion and by a fixed rule.

    Parameters
    ----------
    result : Inclusion
        From :func:`betaroc.inclusion`.
    rule : str
        The fusing rule whose gains are drawn.
    terms : str
        Words of the rates, as in :meth:`betaroc.Roc.plot`.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> one = br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60))
    >>> two = br.Scores(rng.beta(3, 2, 60), rng.beta(2, 3, 60))
    >>> figure = plot_ensemble(br.inclusion({"one": one, "two": two}))
    >>> [ax.get_xlabel().splitlines() for ax in figure.axes]
    [['FAR'], ['gain in AUC of a learned fusion', '(shaded: less than 0.005; filled: it tells)'], \
['gain in weighted-error by mean-logit', '(at the ends: in HTER)']]
    """
    i = _inclusion(result)
    words = terms_of(terms)
    return drawing.draw_ensemble(_rocs(i), _learned(i), MATTERS, _gains(i, rule, words), words)


@public
def plot_hull(result: InclusionRecord, ax: Axes | None = None, *, terms: str = BIOMETRIC) -> Axes:
    """Draw the fitted ROCs, the hull above them, the diagonal and the region.

    Parameters
    ----------
    result : Inclusion
        From :func:`betaroc.inclusion`.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    terms : str
        Words of the rates, as in :meth:`betaroc.Roc.plot`.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The legend gives each classifier's verdict. Thin steps are the ROCs of the scores, which those
    of distributions that fit run along. What lies outside the region is shaded; points joined by
    a chord of the hull are marked.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> one = br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60))
    >>> two = br.Scores(rng.beta(3, 2, 60), rng.beta(2, 3, 60))
    >>> ax = plot_hull(br.inclusion({"one": one, "two": two}))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['one: include', 'two: cannot tell', "scores' ROCs", 'ROC hull']
    """
    return drawing.draw_hull(ax, _rocs(_inclusion(result)), terms_of(terms))


@public
def plot_learned(result: InclusionRecord, ax: Axes | None = None) -> Axes:
    """Draw what each classifier adds to a learned fusion of the others, with its interval.

    Parameters
    ----------
    result : Inclusion
        From :func:`betaroc.inclusion`.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The first that holds: an interval right of zero says include, one left of the shaded band leave
    out, one that ends within the band adds nothing; the band reaches from -0.005 to 0.005. Filled
    where the gain tells; nothing is drawn where nothing was measured.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> one = br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60))
    >>> two = br.Scores(rng.beta(3, 2, 60), rng.beta(2, 3, 60))
    >>> ax = plot_learned(br.inclusion({"one": one, "two": two}))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['one', 'two']
    """
    return drawing.draw_learned(ax, _learned(_inclusion(result)), MATTERS)


@public
def plot_gains(
    result: InclusionRecord,
    ax: Axes | None = None,
    *,
    rule: str = "mean-logit",
    terms: str = BIOMETRIC,
) -> Axes:
    """Draw what each classifier adds to the others, with its intervals.

    Parameters
    ----------
    result : Inclusion
        From :func:`betaroc.inclusion`.
    ax : matplotlib Axes, optional
        Where to draw; new axes if left out.
    rule : str
        The fusing rule.
    terms : str
        Words of the rates, as in :meth:`betaroc.Roc.plot`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If the rule is unknown.

    Notes
    -----
    Right of zero the classifier helps. Markers tell the parts of the curve apart; one that is
    filled has an interval without zero.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> one = br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60))
    >>> two = br.Scores(rng.beta(3, 2, 60), rng.beta(2, 3, 60))
    >>> ax = plot_gains(br.inclusion({"one": one, "two": two}))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['one', 'two']
    """
    words = terms_of(terms)
    return drawing.draw_gains(ax, _gains(_inclusion(result), rule, words), words)


def _rocs(result: InclusionRecord) -> drawing.Rocs:
    fitted = [roc.points() for roc in result._rocs.values()]
    samples = map(result.systems.scores, range(len(result.names)))
    counted = [Roc(Empirical(s.client), Empirical(s.impostor)).points() for s in samples]
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


def _learned(result: InclusionRecord) -> dict[str, drawing.DrawnGain]:
    def drawn(g: LearnedGain) -> drawing.DrawnGain:
        return drawing.DrawnGain(g.low, g.estimate, g.high, g.word != CANNOT_TELL)

    return {name: drawn(result.verdict[name].gain) for name in result.names}


def _gains(result: InclusionRecord, rule: str, terms: Terms) -> drawing.Gains:
    def drawn(name: str, part: str) -> drawing.DrawnGain:
        g = result.fusion.gain(name, rule, part)
        return drawing.DrawnGain(g.low, g.estimate, g.high, g.low > 0.0 or g.high < 0.0)

    rows = {name: [drawn(name, part) for part in PARTS] for name in result.names}
    measures = (result.fusion.parts[part]["measure"] for part in ("all", "strict"))
    measure, at_ends = (m if m == "weighted-error" else terms.said(m.upper()) for m in measures)
    also = "" if at_ends == measure else f"\n(at the ends: in {at_ends})"
    return drawing.Gains(rows, f"gain in {measure} by {rule}{also}", result.level)
