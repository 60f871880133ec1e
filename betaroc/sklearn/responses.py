"""One score a row from an estimator: fitted already, or out of the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from betaroc.core.arrays import AnyArray, FloatArray, IntArray
from betaroc.core.checks import choice
from betaroc.core.containers import width_of
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.text import listed, shown
from betaroc.sklearn.labels import TwoLabels

#: What gives scores, the first to be asked.
_METHODS = ("decision_function", "predict_proba")


class Split(NamedTuple):
    """Rows of one fold."""

    train: IntArray
    test: IntArray


def response_method_of(estimator: Any, wanted: str = "auto") -> str:
    """The name of the method that gives scores."""
    choice(wanted, ("auto", *_METHODS), "response_method")
    for name in _METHODS if wanted == "auto" else (wanted,):
        if hasattr(estimator, name):
            return name
    asked = " or ".join(_METHODS) if wanted == "auto" else wanted
    raise InputTypeError.about("estimator")(
        f"estimator must give scores by {asked}; {shown(estimator)} has no such method. A threshold"
        " needs scores: take another classifier, or wrap it in CalibratedClassifierCV."
    )


def client_scores(estimator: Any, X: Any, method: str, labels: TwoLabels) -> FloatArray:
    """Scores of a fitted estimator, higher for clients, in the dtype in which they come."""
    classes = np.asarray(getattr(estimator, "classes_", ()))
    if set(classes.tolist()) != set(labels):
        raise InputError.about("estimator")(
            f"estimator must be a classifier of the two labels {listed(labels)}; its classes_ are"
            f" {listed(classes.tolist()) or 'missing'}. Fit it to both."
        )
    found = np.asarray(getattr(estimator, method)(X))
    if method == "predict_proba":
        return np.asarray(found[:, np.flatnonzero(classes == labels.client)[0]])
    return found if classes[1] == labels.client else -found


def checked_splits(splits: Any, clients: AnyArray) -> list[Split]:
    """Folds that leave both classes to train on, and test a row once at most."""
    found = [_split(fold) for fold in splits]
    if not found:
        raise InputError.about("cv")("cv must give at least one fold; it gives none.")
    for k, fold in enumerate(found):
        trained = clients[fold.train]
        if trained.all() or not trained.any():
            raise InputError.about("cv")(
                f"cv must leave both classes to train on; fold {k} of {len(found)} trains on"
                f" {trained.size} rows of one class. Take fewer folds or a stratified splitter."
            )
    tested = np.concatenate([fold.test for fold in found])
    rows, times = np.unique(tested, return_counts=True)
    if times.max(initial=0) > 1:
        at = int(np.argmax(times))
        raise InputError.about("cv")(
            f"cv must test a row once at most, so that scores are separate trials; row"
            f" {int(rows[at])} is tested {int(times[at])} times. Take a splitter without repeats."
        )
    return found


def _split(fold: Any) -> Split:
    """Rows to train on and to test, by their numbers or by booleans."""
    found = tuple(map(np.asarray, fold)) if width_of(fold) == 2 else ()
    if not found or any(rows.dtype.kind not in "iub" or rows.ndim != 1 for rows in found):
        raise InputTypeError.about("cv")(
            "cv must give pairs of rows, those to train on and those to test, by number; got"
            f" {shown(fold)}. Take a number of folds, a splitter, or a list of such pairs."
        )
    return Split(*found)


def out_of_fold(
    estimator: Any,
    X: Any,
    y: Any,
    splits: Sequence[Split],
    method: str,
    labels: TwoLabels,
    fit_params: Mapping[str, Any],
    n_jobs: int | None,
) -> FloatArray:
    """Scores of the tested rows, fold after fold, each by an estimator that never saw them."""
    jobs = (delayed(_fold)(estimator, X, y, split, method, labels, fit_params) for split in splits)
    return np.concatenate(Parallel(n_jobs=n_jobs)(jobs))


def _fold(
    estimator: Any,
    X: Any,
    y: Any,
    split: Split,
    method: str,
    labels: TwoLabels,
    fit_params: Mapping[str, Any],
) -> FloatArray:
    own = clone(estimator)
    X_train, y_train = _safe_split(own, X, y, split.train)
    X_test, _ = _safe_split(own, X, None, split.test, split.train)
    own.fit(X_train, y_train, **_check_method_params(X, fit_params, indices=split.train))
    return client_scores(own, X_test, method, labels)
