"""Several categories: thresholds of dev, and macro and micro averages on test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import BetarocWarning, refusal
from betaroc.core.notices import collect_warnings, collected, warn
from betaroc.core.special import share_ends
from betaroc.core.tables import Table, Tabular
from betaroc.core.vocabulary import template_of
from betaroc.data.scores import Scores, require_scores
from betaroc.decision.curve import chosen_on
from betaroc.decision.epc import epc
from betaroc.distributions.empirical import decisive
from betaroc.inference.interval import Band
from betaroc.inference.scores_beyond import effective_size
from betaroc.model.criteria import CRITERIA
from betaroc.rendering import tree
from betaroc.rendering.curves import Axes, draw_epc
from betaroc.rendering.nouns import Readable
from betaroc.rendering.numbers import level_words, rate, rounded

#: Shares s = TP/(TP + a FP + b FN) by 1, a, b and 0 of TN; F1 is 2 s/(1 + s).
_MEASURES = ("precision", "recall", "f1")
_PARTS = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]])
_IS_F1 = np.array([False, False, True])[:, None, None]
_AVERAGES = ("macro", "micro")
_COLUMNS = ("threshold", "tp", "fp", "fn", "tn")


@dataclass(frozen=True, eq=False, repr=False)
class Categories(Tabular, Readable):
    """Precision, recall and F1 of categories on test, at thresholds that dev chose for each.

    Made by :func:`categories`. Rows are the categories, then macro and micro.

    Parameters
    ----------
    names : tuple of str
        The N categories.
    criterion, level
        As in :func:`categories`.
    alpha : ndarray, shape (k,)
        The criterion's parameter.
    threshold : ndarray, shape (N + 2, k)
        Chosen on dev; nan of the averages.
    counts : ndarray, shape (4, N + 2, k)
        True positives, false positives, false negatives and true negatives on test, nan of macro.
    estimate, low, high : ndarray, shape (3, N + 2, k)
        Precision, recall and F1 on test, and the ends of their intervals; nan where 0/0.
    a_posteriori : ndarray, shape (3, N + 2, k)
        The estimates at the thresholds that the criterion chooses on test.
    documents : int or None
        Documents of test; None where rows of several categories cannot be joined.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> dev, test = ({"wheat": br.Scores(x, [0, 1, 2])} for x in ([3, 4, 5], [1, 3, 4]))
    >>> br.categories(dev, test).threshold.round(2).ravel().tolist()
    [2.5, nan, nan]
    """

    names: tuple[str, ...]
    criterion: str
    alpha: FloatArray
    threshold: FloatArray
    counts: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    a_posteriori: FloatArray
    level: float = 0.95
    documents: int | None = None

    def band(self, row: str = "macro", measure: str = "f1") -> Band:
        """A measure of a category or an average for every alpha, with pointwise intervals.

        Parameters
        ----------
        row : str
            "macro", "micro" or a category.
        measure : {"f1", "precision", "recall"}
            Which.

        Returns
        -------
        Band

        Raises
        ------
        InputError
            If there is no such row or measure.

        Examples
        --------
        >>> import betaroc as br
        >>> dev, test = ({"wheat": br.Scores(x, [0, 1, 2])} for x in ([3, 4, 5], [1, 3, 4]))
        >>> br.categories(dev, test).band("micro").estimate.round(3).tolist()
        [0.8]
        """
        k = _MEASURES.index(checks.choice(measure, _MEASURES, "measure"))
        rows = (*self.names, *_AVERAGES)
        r = rows.index(checks.choice(row, rows, "row"))
        y, low, high = (x[k, r] for x in (self.estimate, self.low, self.high))
        return Band(self.alpha, y, low, high, self.level, False, "test", 0, np.zeros(y.size, int))

    def to_frame(self) -> Table:
        """One row per category, then macro and micro; of several alphas alpha by alpha.

        Columns category, alpha, threshold, tp, fp, fn, tn, and of each measure the value, _low,
        _high and _a_posteriori.

        Examples
        --------
        >>> import betaroc as br
        >>> dev, test = ({"wheat": br.Scores(x, [0, 1, 2])} for x in ([3, 4, 5], [1, 3, 4]))
        >>> br.categories(dev, test).to_frame()["tp"].tolist()
        [2.0, nan, 2.0]
        """
        rows, k = (*self.names, *_AVERAGES), self.alpha.size
        parts = [*zip(_COLUMNS, (self.threshold, *self.counts), strict=True)]
        for name in ("estimate", "low", "high", "a_posteriori"):
            end = f"_{name}" * (name != "estimate")
            parts += [(m + end, x) for m, x in zip(_MEASURES, getattr(self, name), strict=True)]
        columns: dict[str, Any] = {"category": rows * k, "alpha": np.repeat(self.alpha, len(rows))}
        return self._table(columns | {name: part.T.ravel() for name, part in parts})

    def plot(self, ax: Axes | None = None, *, measure: str = "f1", **style: Any) -> Axes:
        """Draw macro and micro averages against alpha: expected performance curves.

        Parameters
        ----------
        ax : optional
            As in :meth:`betaroc.ScoreModel.plot`.
        measure : {"f1", "precision", "recall"}
            What is averaged.
        **style
            Properties of the lines.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import betaroc as br
        >>> dev, test = ({"wheat": br.Scores(x, [0, 1, 2])} for x in ([3, 4, 5], [1, 3, 4]))
        >>> br.categories(dev, test, criterion="f-measure", alpha=[0.3, 0.5]).plot().get_ylabel()
        'F1 on test'
        """
        axes = CRITERIA[self.criterion].axes(measure, "ml")
        for row in _AVERAGES:
            band, look = self.band(row, measure), {"label": row, **style}
            curve = self.alpha, band.estimate, np.isnan(self.alpha), axes, look
            ax = draw_epc(ax, *curve, band=band._drawn)
        return ax  # type: ignore[return-value]

    def _view(self) -> Sequence[tree.Node]:
        n, a = len(self.names), int(np.argmax(self.estimate[2, -2]))
        names: list[Any] = [*map(tree.foreign, self.names), *_AVERAGES]
        spans, rows = np.stack([self.estimate, self.low, self.high], axis=-1), []
        for k, name in enumerate(names):
            t = rounded(self.threshold[k, a], up=True) if k < n else ""
            cells = [tree.rate_cell(*ends) for ends in spans[:, k, a].tolist()]
            rows.append(tree.Row((name, t, *cells, rate(self.a_posteriori[2, k, a]))))
        best = (f"{names[k]} F1 {rate(self.estimate[2, k, a])}" for k in (n, n + 1))
        at = f" at alpha {self.alpha[a]:.4g}, the best," * (several := self.alpha.size > 1)
        text = (
            f"on test, at dev's thresholds for {self.criterion}{at}; {level_words(self.level)}"
            f" intervals over {'documents' if self.documents else 'rows, taken as independent'}"
        )
        head = ("category", "threshold", *_MEASURES, "f1 a posteriori")
        text += (
            f". Each is of one row{' and alpha' * several}; intervals of level"
            f" {1.0 - (1.0 - self.level) / n:.6g} hold for a measure of all {n} categories together"
            f" at {level_words(self.level)} (Bonferroni)"
        ) * (n > 1)
        nodes = tree.Paragraph(text, "answer", " and ".join(best)), tree.Grid(head, tuple(rows))
        return [*nodes, *[tree.Figure(self.plot, "", "F1 on test")] * several]


@collect_warnings
def categories(
    dev: Mapping[str, Scores] | Scores, test: Mapping[str, Scores] | Scores, *,
    criterion: str = "break-even", alpha: npt.ArrayLike | None = None,
    zero_division: float = np.nan, level: float = 0.95,
) -> Categories:  # fmt: skip
    """Precision, recall and F1 of several categories, and their macro and micro averages.

        s = TP/(TP + a FP + b FN),   macro = mean of the categories' measures,
        micro = the measure of the sums of TP, FP and FN

    with a, b = 1, 0 for precision, 0, 1 for recall and 1, 1 for F1 = 2 s/(1 + s).

    Parameters
    ----------
    dev, test : mapping or Scores
        A mapping of categories to Scores, or Scores whose strata are the categories, with one trial
        per document and category. Ids name the documents.
    criterion, alpha
        As in :func:`epc`, for each category: with "f-measure" and 0.5 F1 is largest on dev.
    zero_division : float
        What a category counts in a macro average whose precision is 0/0, as where nothing is
        accepted. Of nan the average is of the other categories, with a warning.
    level : float
        Confidence of the intervals.

    Returns
    -------
    Categories

    Raises
    ------
    InputError, InputTypeError
        If a category is on one side alone, lacks a class, has a document twice, weights or groups,
        or is called macro or micro; as :func:`epc`.

    Warns
    -----
    BetarocWarning
        If a precision is 0/0; as :func:`epc`.

    Notes
    -----
    Intervals are of test at fixed thresholds. Of a category they are Clopper and Pearson's of s.
    Averages have the effective number of trials of their variance, sum_d e_d^2 over documents d,
    with e_d the mean over categories, or the sum, of (TP_d - s D_d)/D and D = TP + a FP + b FN,
    times the slope of F1. Without ids rows of categories are taken as independent; intervals are
    then too short where documents that are hard for one category are hard for others.

    References
    ----------
    Bengio, S., Mariethoz, J. and Keller, M. (2005), The expected performance curve, section 2.2.
    Korn, E. L. and Graubard, B. I. (1998), Survey Methodology 24.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = {"wheat": br.Scores([2, 3], [0, 1, 2.5]), "corn": br.Scores([1, 3], [0, 2])}
    >>> test = {"wheat": br.Scores([1, 3], [0, 2]), "corn": br.Scores([1, 2], [0, 1.5])}
    >>> br.categories(dev, test).band("macro").estimate.round(3).tolist()
    [0.667]
    """
    defined = not (isinstance(zero_division, float) and math.isnan(zero_division))
    fill = checks.fraction(zero_division, "zero_division") if defined else math.nan
    level, sides = checks.level(level), _by_category({"dev": dev, "test": test})
    documents, size = [_documents(side) for side in sides][1]
    epcs, outcomes, posterior = (list[Any]() for _ in range(3))
    warned = dict[type[BetarocWarning], dict[str, str]]()
    for name, scores in sides[1].items():
        with collected() as notices:
            epcs.append(e := epc(sides[0][name], scores, criterion=criterion, alpha=alpha))
        for notice in notices:
            warned.setdefault(notice.category, {}).setdefault(name, template_of(notice.message))
        for t, target in ((e.chosen, outcomes), (chosen_on(e.test, criterion, e.alpha), posterior)):
            target.append(_outcomes(scores, decisive(t)))
    for kind, messages in warned.items():
        (name, message), more = next(iter(messages.items())), len(messages) - 1
        warn(f"category {name!r}{f' and {more} more' * (more > 0)}: {message}", kind)
    counts, best = _counts(outcomes), _counts(posterior)
    estimate = _estimates(counts, fill)
    ends = _ends(outcomes, counts, estimate, documents, fill, 0.5 * (1.0 - level))
    empty = [n for n, x in zip(sides[1], estimate[0], strict=False) if np.isnan(x).any()]
    if empty and np.isnan(fill):
        where = f"nothing is accepted on test in {checks.format_list(empty)}"
        warn(f"{where}: precision 0/0 is not averaged. Take zero_division=0.", BetarocWarning)
    return Categories(
        tuple(sides[1]), criterion, e.alpha,
        np.array([*(x.threshold for x in epcs), *[e.alpha * np.nan] * 2]),
        np.insert(counts, -1, np.nan, axis=1), estimate,
        ends[0], ends[1], _estimates(best, fill), level, size, library=e.library,
    )  # fmt: skip


# ----------------------------------------------------------------------- what is given
def _by_category(sides: Mapping[str, Any]) -> list[dict[str, Scores]]:
    result, wrong = [], []
    for side, value in sides.items():
        if not isinstance(value, Mapping):
            strata = require_scores(value, side, name=side).strata
            apart = sorted(strata.client.keys() ^ strata.impostor.keys())
            wrong += [f"{name} of one class on {side}" for name in apart]
            value = value._pieces("client")
        result.append({str(k): require_scores(x, side, name=side) for k, x in value.items()})
    a, b = (part.keys() for part in result)
    if wrong := wrong or sorted((a ^ b) | (a & {*_AVERAGES})) or ["none"] * (not a):
        rule = "have the same categories, each of both classes, none called macro or micro"
        raise refusal("dev and test", rule, checks.format_list(wrong, 5, 60), "Leave these out.")
    return [result[0], {name: result[1][name] for name in a}]


def _documents(side: Mapping[str, Scores]) -> tuple[list[IntArray], int | None]:
    """The document of each row, positives first, and how many they are; None without ids."""
    ids: list[Any] = [part for s in side.values() for part in (s.client_ids, s.impostor_ids)]
    sizes = [s.n_client + s.n_impostor for s in side.values()]
    named = not any(part is None for part in ids)
    keys = [str(x) for part in ids for x in part] if named else range(sum(sizes))
    names, codes = np.unique(keys, return_inverse=True)
    rows = np.split(codes, np.cumsum(sizes)[:-1])
    for (name, s), part in zip(side.items(), rows, strict=True):
        beside = s.client_weights, s.impostor_weights, s.client_groups, s.impostor_groups
        n = np.unique(part).size
        if n < part.size or any(x is not None for x in beside):
            rule = "have each document once, without weights and groups"
            actual = f"{part.size} rows of {n} documents"
            raise refusal(f"category {name!r}", rule, actual, "Give ids of documents alone.")
    return rows, names.size if named else None


# --------------------------------------------------------------------------- measures
def _outcomes(scores: Scores, t: FloatArray) -> FloatArray:
    """Whether rows are true, false positives, false, true negatives: (4, rows, thresholds)."""
    accepted = np.concatenate([scores.client, scores.impostor])[:, None] > t
    positive = np.repeat([True, False], [scores.n_client, scores.n_impostor])[:, None]
    return np.stack([a & p for a in (accepted, ~accepted) for p in (positive, ~positive)]) * 1.0


def _counts(outcomes: Sequence[FloatArray]) -> FloatArray:
    counts = np.stack([x.sum(axis=1) for x in outcomes], axis=1)
    return np.concatenate([counts, counts.sum(axis=1, keepdims=True)], axis=1)


def _shares(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The share of each measure, nan where it is 0/0, and the trials that it is of."""
    n = np.einsum("mo,o...->m...", _PARTS, counts)
    return np.divide(counts[0], n, out=np.full(n.shape, np.nan), where=n > 0.0), n


def _values(shares: FloatArray) -> FloatArray:
    return np.where(_IS_F1, 2.0 * shares / (1.0 + shares), shares)


def _estimates(counts: FloatArray, fill: float) -> FloatArray:
    values = _values(_shares(counts)[0])
    known = np.where(np.isnan(values), fill, values)[:, :-1]
    n = np.sum(~np.isnan(known), axis=1)
    macro = np.divide(np.nansum(known, axis=1), n, out=n * np.nan, where=n > 0)
    return np.insert(values, -1, macro, axis=1)


def _ends(
    outcomes: Sequence[FloatArray], counts: FloatArray, estimate: FloatArray,
    documents: Sequence[IntArray], fill: float, tail: float,
) -> FloatArray:  # fmt: skip
    shares, n = _shares(counts)
    averaged = np.maximum(np.sum((n[:, :-1] > 0.0) | ~np.isnan(fill), axis=1, keepdims=True), 1)
    some, shares = np.sqrt(np.maximum(n * (n - 1.0), 1.0)), np.nan_to_num(shares)
    weights = np.where(_IS_F1, 2.0 / (1.0 + shares) ** 2, 1.0)
    weights /= np.concatenate([some[:, :-1] * averaged, some[:, -1:]], axis=1)
    moved = np.zeros((len(n), 2, int(max(map(np.max, documents))) + 1, n.shape[-1]))
    for k, (x, rows) in enumerate(zip(outcomes, documents, strict=True)):
        part = x[0] - shares[:, [k, -1], None] * np.tensordot(_PARTS, x, 1)[:, None]
        moved[:, :, rows] += weights[:, [k, -1], None] * part
    variances, fourths = np.sum(moved**2, axis=2), np.sum(moved**4, axis=2)
    freedoms = np.divide(variances**2, fourths, out=variances * 0.0 + 1e9, where=fourths > 0.0)
    share, trials = estimate[:, -2:], np.maximum(n + _IS_F1 * counts[0], 2.0)[:, -1:]
    fewest = np.minimum(trials, moved.shape[2])
    worth = effective_size(share, variances, trials, fewest, freedoms, tail)
    ends = (
        np.array(share_ends(counts[0], n, tail)),
        np.array(share_ends(share * worth, worth, tail)),
    )
    result = np.concatenate([_values(ends[0])[:, :, :-1], ends[1]], axis=2)
    return np.where(np.isnan(estimate), np.nan, result)
