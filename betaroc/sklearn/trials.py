"""Scores of estimators, and of labels and scores, with the positive label for the client."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from betaroc.core.errors import InputTypeError
from betaroc.core.text import shown
from betaroc.data.scores import Scores
from betaroc.sklearn.labels import labels_of, two_labels
from betaroc.sklearn.responses import client_scores, response_method_of


def labelled_scores(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, weights: Any, pos_label: Any, name: str | None
) -> Scores:
    """Scores with their labels; the client's must be said unless there is one way to read them."""
    found = labels_of(y_true, "y_true")
    labels = two_labels(np.unique(found), pos_label, name="y_true")
    return Scores.from_labels(
        found, y_score, client_label=labels.client, weights=weights, name=_called(name)
    )


def scores_of_estimator(
    estimator: Any,
    X: Any,
    y: npt.ArrayLike,
    weights: Any = None,
    response_method: str = "auto",
    pos_label: Any = None,
    name: str | None = None,
) -> Scores:
    """Scores of a fitted estimator, named as its class unless a name is given."""
    method = response_method_of(estimator, response_method)
    check_is_fitted(estimator)
    found = labels_of(y)
    labels = two_labels(np.unique(found), pos_label, guess=True)
    values = client_scores(estimator, X, method, labels)
    called = _called(name) or type(estimator).__name__
    return Scores.from_labels(
        found, values, client_label=labels.client, weights=weights, name=called
    )


def _called(name: object) -> str | None:
    if name is None or isinstance(name, str):
        return name
    raise InputTypeError.about("name")(
        f"name must be text; got {shown(name)} of type {type(name).__name__}. Leave it out for the"
        " name of the class."
    )
