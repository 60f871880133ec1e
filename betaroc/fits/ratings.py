"""What is shown of a binormal ROC of ratings: a and b, cut points, operating points, chi-square."""

from __future__ import annotations

import math
from functools import partial
from typing import cast

import numpy as np

from betaroc.core import arrays, notices, options, special, thresholds
from betaroc.core.vocabulary import FAR, TPR
from betaroc.distributions.inflated import base_of
from betaroc.distributions.rank_normal import RATINGS, RankNormal, cell_masses, is_of_ranks
from betaroc.estimation.estimate import PairEstimate
from betaroc.inference import delta, intervals, scores_beyond
from betaroc.model.statistics import parse_statistic
from betaroc.rendering.numbers import number
from betaroc.rendering.tree import Cell, Grid, Node, Paragraph, Row, quantity, rate_cell

#: Scores that a cell of Pearson's test expects of either class, its bins of scores that are no
#: ratings, and places shown at most.
_EXPECTED, _BINS, _SHOWN = 5.0, 12, 12
#: FARs at which the TPR is shown.
_FARS = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5])


def pearson(f: PairEstimate) -> tuple[arrays.FloatArray, float, str]:
    """Shares of both classes above each place, counted and expected; Pearson's p-value, words."""
    from scipy.special import chdtrc

    laws = [cast(RankNormal, base_of(law)) for law in (f.model.client, f.model.impostor)]
    samples, edges = f._scored.scores._distributions, laws[0].scores
    pairs = list(zip(samples, laws, strict=True))
    above = np.array([[law.sf(edges) for law in pair] for pair in pairs])
    places = np.unique(np.concatenate([sample.atoms.places for sample in samples]))
    if places.size > RATINGS:  # ends of runs are chosen by the labels
        shares = np.mean([sample.cdf(places[:-2]) for sample in samples], axis=0)
        edges = np.unique(places[np.searchsorted(shares, np.arange(1, _BINS) / _BINS)])
    latent = laws[0].coordinate.of(thresholds.Thresholds.from_theta(edges))
    masses = np.stack([cell_masses((latent - law.mu) / law.sigma) for law in laws])
    totals, ends = np.array([[sample.total] for sample in samples]), [0]
    upto = totals * np.pad(np.cumsum(masses, axis=1), ((0, 0), (1, 0)))
    for k in range(1, upto.shape[1]):
        if np.all(upto[:, k] - upto[:, ends[-1]] >= _EXPECTED):
            ends.append(k)
    ends[-1], freedom = upto.shape[1] - 1, len(ends) - 4  # what is left joins the last
    if freedom < 1:
        return above, math.nan, "no chi-square, which needs four cells that expect 5 of each class"
    below = np.array([[0.0, *sample.cdf(edges), 1.0] for sample in samples])
    expected = np.diff(upto[:, ends])
    chi_square = float(np.sum((np.diff(totals * below[:, ends]) - expected) ** 2 / expected))
    p = float(chdtrc(freedom, chi_square))
    words = f"chi-square {number(chi_square, 4)}, {freedom} degrees of freedom, p = {number(p, 3)}"
    return above, p, words


def rating_nodes(f: scores_beyond.SupportedPair) -> list[Node]:
    """Of ranks: a, b and A_z with errors, operating points at each place, TPR at some FARs."""
    if not is_of_ranks(f.model.client):
        return []
    law, (above, _, words) = cast(RankNormal, base_of(f.model.client)), pearson(f)
    a, b, say = law.mu / law.sigma, 1.0 / law.sigma, partial(number, digits=4)
    root = math.hypot(1.0, law.sigma)
    rise = math.exp(-0.5 * (law.mu / root) ** 2 - special.HALF_LOG_TWO_PI) / root
    rates = np.array([[b, -a * b], [0.0, -b * b], [rise, -rise * law.mu * law.sigma / root**2]])
    cov = rates @ delta.joint_cov(f)[:2, :2] @ rates.T
    errors = np.sqrt(np.diag(cov))
    with notices.suppress_warnings():
        auc = intervals.interval_of_fit(f, parse_statistic("auc", ()), options.IntervalOptions())
        band = intervals.roc_band(f, far=_FARS)
    values = Cell(say(a)), Cell(say(b)), quantity(auc.estimate, say, auc.low, auc.high)
    named = zip(("a", "b", "A_z"), values, map(say, errors), strict=True)
    shown = np.unique(np.linspace(0, law.scores.size - 1, _SHOWN).astype(np.intp))
    points = [
        Row((say(law.scores[k]), say(law.latent[k]), *map(rate_cell, above[::-1, ::-1, k].flat)))
        for k in shown.tolist()
    ]
    tprs = np.stack([_FARS, band.estimate, band.low, band.high], axis=1).tolist()
    head = "score above", "cut point", FAR, "counted", TPR, "counted"
    return [
        Grid(("binormal ROC", "estimate", "standard error"), tuple(Row(row) for row in named)),
        Paragraph(f"Correlation of a and b {cov[0, 1] / (errors[0] * errors[1]):.4f}; {words}."),
        Grid(head, tuple(points)),
        Grid((FAR, TPR), tuple(Row((rate_cell(x), rate_cell(*row))) for x, *row in tprs)),
    ]
