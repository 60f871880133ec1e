"""Scorers of scikit-learn: errors at the labels that an estimator itself predicts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn.metrics import make_scorer
from sklearn.utils.validation import column_or_1d

from betaroc.core import checks, errors
from betaroc.core.text import format_list
from betaroc.sklearn.trials import labels_of, two_labels


def weighted_error_scorer(alpha: float, *, pos_label: object = None) -> Callable[..., float]:
    """Scorer of alpha FAR + (1 - alpha) FRR, negative so that greater is better.

    The rates are those of the labels that the estimator predicts, at its own threshold. For
    `cross_val_score`, `GridSearchCV` and all else that takes ``scoring=``.

    Parameters
    ----------
    alpha : float
        Weight of FAR against FRR, in [0, 1].
    pos_label : optional
        The label of the client; may be left out for {0, 1}, {-1, 1} and booleans.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, sample_weight=None)``: a number in [-1, 0].

    Raises
    ------
    InputError
        If `alpha` is no fraction; when called, if `y` has not two labels or needs `pos_label`.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from betaroc.sklearn import weighted_error_scorer
    >>> all_accepted = DummyClassifier(strategy="constant", constant=1).fit([[0], [0]], [0, 1])
    >>> weighted_error_scorer(0.3)(all_accepted, [[0]] * 3, [0, 0, 1])
    -0.3
    """
    return make_scorer(
        _weighted_error, greater_is_better=False, alpha=checks.fraction(alpha, "alpha"),
        pos_label=pos_label,
    )  # fmt: skip


def _weighted_error(
    y_true: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    *,
    alpha: float,
    pos_label: object = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    true, predicted = labels_of(y_true, "y_true"), np.asarray(column_or_1d(y_pred))
    classes = np.unique(true)
    labels = two_labels(classes, pos_label, name="y_true")
    others = sorted(set(predicted.tolist()) - set(classes.tolist()))
    if others:
        raise errors.InputError.about("y_pred")(
            f"y_pred must hold the labels of y_true, {format_list(classes.tolist())}; the estimator"
            f" predicts {format_list(others)} too. Fit it to the same labels."
        )
    weights = np.ones(true.size)
    if sample_weight is not None:
        weights = checks.weights_array(sample_weight, true.size, "sample_weight")
    client, accepted = labels.clients(true), labels.clients(predicted)
    totals = weights[~client].sum(), weights[client].sum()
    if not all(totals):
        remedy = "Give one of its rows a positive weight."
        raise errors.refusal("sample_weight", "have a sum > 0 in both classes", "0 in one", remedy)
    far = weights[accepted & ~client].sum() / totals[0]
    return float(alpha * far + (1.0 - alpha) * weights[client & ~accepted].sum() / totals[1])


hter_scorer = weighted_error_scorer(0.5)
hter_scorer.__doc__ = """Scorer of the half total error rate (FAR + FRR)/2, negative.

See `weighted_error_scorer`. The rates are those of the labels that the estimator predicts. Of
labels other than {0, 1}, {-1, 1} and booleans take ``weighted_error_scorer(0.5, pos_label=...)``,
which is the same.

Examples
--------
>>> from sklearn.linear_model import LogisticRegression
>>> from betaroc.sklearn import hter_scorer
>>> model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
>>> hter_scorer(model, [[0.0], [0.1], [0.2], [0.9]], [0, 1, 1, 1])  # 0 of 1, and 2 of 3 wrong
-0.3333333333333333
"""
