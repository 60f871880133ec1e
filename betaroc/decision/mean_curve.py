"""The mean curve of several trainings of one system, with its band."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import INSIDE, FloatArray
from betaroc.core.errors import refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.special import share_ends
from betaroc.data.scores import Scores
from betaroc.decision.epc import Epc, check_different
from betaroc.inference.delta import student
from betaroc.inference.interval import Band
from betaroc.model.samples import empirical_model

#: FARs, or thresholds, where the curves are averaged.
_PLACES = 201
#: Share of the thresholds, to either side, over which a slope is taken.
_NEAR = 0.05


@collect_warnings
def mean_curve(
    curves: Sequence[Scores] | Sequence[Epc],
    *,
    averaging: str = "vertical",
    far: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Band:
    """Mean ROC or EPC of several trainings of one system, with a band.

        vertical:   mean_k TPR_k(x) at each FAR x; of EPCs the mean measure at each alpha
        threshold:  (mean_k FAR_k(t), mean_k TPR_k(t)) at each threshold t

    The interval of a mean is Student's, of k - 1 degrees of freedom, between trainings; that of a
    ROC holds the exact one of the mean rate among all clients too, since equal curves of few
    scores show no spread, and that of the mean curve less one impostor of each training: where no
    impostor lies beyond, its lower end is 0.

    Parameters
    ----------
    curves : sequence of Scores, or of Epc
        One per training, at least 2: test scores of each, such as those of each fold or seed; EPCs
        of one criterion, measure and alpha.
    averaging : str
        "vertical", or "threshold" for scores that mean the same in every training, such as
        probabilities.
    far : array_like, optional
        Where ROCs are averaged vertically; 201 equally spaced FARs where left out.
    level : float
        Of the interval at each point.

    Returns
    -------
    Band
        Its `alpha` is the FAR of a ROC. Each curve has the same weight.

    Raises
    ------
    InputError, InputTypeError
        If there are fewer than 2 curves, they are of different kinds or the EPCs not alike.

    Notes
    -----
    The trainings are taken as independent. Folds of one data set share training rows, so that
    their spread is too small (Bengio and Grandvalet, 2004): the band then speaks for these folds,
    not for another data set. Trainings that share a test set vary together by its trials, which
    the spread between them does not show.

    References
    ----------
    Fawcett, T. (2006), An introduction to ROC analysis, section 7.

    Examples
    --------
    >>> import betaroc as br
    >>> folds = [br.Scores([2, 3, 4, 5], [0, 1, 2, 3]), br.Scores([3, 4, 5, 6], [0, 1, 2, 3])]
    >>> br.mean_curve(folds, far=[0.0]).estimate.tolist()
    [0.625]
    """
    averaging = checks.choice(averaging, ("vertical", "threshold"), "averaging")
    level = checks.level(level)
    items = trainings_of(curves, "curves", "Give the scores of each training, or its EPC.")
    reach = student(len(items) - 1, level) / math.sqrt(len(items))
    if isinstance(items[0], Epc):
        rows = np.array([e.value for e in items])
        mean, width = rows.mean(axis=0), reach * rows.std(axis=0, ddof=1)
        return _band(items, items[0].alpha, mean, mean - width, mean + width, level)
    from scipy.special import expit, logit

    tail = 0.5 * (1.0 - level)
    if averaging == "vertical":
        alpha = checks.rates_1d(np.linspace(0.0, 1.0, _PLACES) if far is None else far, "far")
        models = [(empirical_model(s).roc(), s.impostor_total) for s in items]
        rows = np.array([roc.tpr(alpha) for roc, _ in models])
        # At k of n impostors beyond one of them the expected FAR is (k + 1)/(n + 1), not k/n.
        lower = [alpha - (1.0 - alpha) / n for _, n in models]
        shifted = [np.where(x < 0.0, 0.0, roc.tpr(x.clip(0.0)))
                   for x, (roc, _) in zip(lower, models, strict=True)]  # fmt: skip
        pairs = [(rows, rows), (np.array(shifted), np.array(shifted))]
    else:
        alpha, rows, departures = _at_thresholds(items)
        pairs = [(rows, departures)]
    ends, total = [], float(sum(s.client_total for s in items))
    for values, spread in pairs:
        mean, width = values.mean(axis=0), reach * spread.std(axis=0, ddof=1)
        inside = np.clip(mean, *INSIDE)
        slope = inside * (1.0 - inside)  # of the rate by its logit, on which it is less skewed
        logits = (expit(logit(inside) + sign * width / slope) for sign in (-1.0, 1.0))
        ends += [(mean - width, mean + width), tuple(logits), share_ends(mean * total, total, tail)]
    low, high = np.min(ends, axis=0)[0].clip(0.0), np.max(ends, axis=0)[1].clip(max=1.0)
    return _band(items, alpha, rows.mean(axis=0), low, high, level)


def trainings_of(value: object, name: str, remedy: str) -> list[Any]:
    """Two or more Scores, or as many curves of one criterion, measure and equal alphas."""
    items: list[Any] = list(value) if isinstance(value, Iterable) else [value]
    kinds = {type(item) for item in items}
    if len(items) < 2 or kinds not in ({Scores}, {Epc}):
        actual = f"{len(items)} of {', '.join(sorted(kind.__name__ for kind in kinds)) or 'none'}"
        raise refusal(name, "be two or more Scores, or two or more Epc", actual, remedy)
    for e in items:
        if isinstance(e, Epc):
            check_different(items[0], e, ("the first training", "another"))
    return items


def _band(
    items: Sequence[Any], alpha: FloatArray, mean: FloatArray, low: FloatArray, high: FloatArray,
    level: float,
) -> Band:  # fmt: skip
    kind = "EPCs" if isinstance(items[0], Epc) else "ROCs"
    undefined = np.zeros(alpha.size, dtype=np.int64)
    return Band(
        alpha, mean, low, high, level, False, f"trainings of {kind}", 0, undefined,
        groups=(None, len(items)), library=items[0].library,
    )  # fmt: skip


def _at_thresholds(curves: Sequence[Scores]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean FARs, TPRs, and how far each training lies above the mean curve; by rising FAR."""
    models = [empirical_model(s) for s in curves]
    pooled = np.concatenate([np.concatenate([s.client, s.impostor]) for s in curves])
    places = np.quantile(pooled, np.linspace(1.0, 0.0, _PLACES), method="inverted_cdf")
    points = [model.at(places) for model in models]
    far, tpr = np.array([p.far for p in points]), np.array([p.tpr for p in points])
    x, y = far.mean(axis=0), tpr.mean(axis=0)
    k, near = np.arange(places.size), round(_NEAR * places.size)
    low, high = np.maximum(k - near, 0), np.minimum(k + near, k[-1])
    run, rise = x[high] - x[low], y[high] - y[low]
    slope = np.divide(rise, run, out=np.zeros(k.size), where=run > 0.0)
    return x, tpr, tpr - slope * far
