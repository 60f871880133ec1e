"""Scores of estimators, and from labels and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params, check_is_fitted, column_or_1d

from betaroc.core import checks, containers, notices
from betaroc.core.arrays import AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.errors import BetarocWarning, InputError, InputTypeError, refusal
from betaroc.core.text import format_list, format_value
from betaroc.data.labels import KNOWN_LABELS
from betaroc.data.scores import Scores


class TwoLabels(NamedTuple):
    """The labels of both classes, as Python has them."""

    impostor: Any
    client: Any

    def clients(self, y: AnyArray) -> BoolArray:
        """True where the label is the client's."""
        return np.asarray(y == self.client)

    def of(self, accepted: BoolArray, classes: AnyArray) -> AnyArray:
        """Labels in the dtype of the classes."""
        places = [int(np.flatnonzero(classes == label)[0]) for label in self]
        return np.asarray(classes[np.where(accepted, places[1], places[0])])


def labels_of(y: npt.ArrayLike, name: str = "y") -> AnyArray:
    """One label per row; an error unless there are two different ones."""
    if isinstance(y, np.ma.MaskedArray):  # scikit-learn would read what is under the mask
        containers.refuse_kind(y, name, "a masked array", "Pass the rows that are not masked.")
    rule = "hold one of two labels per row, as numbers, text or booleans"
    try:
        with np.errstate(invalid="ignore"):
            kind = type_of_target(y, input_name=name)
        labels = np.asarray(column_or_1d(y)) if kind == "binary" else None
    except (TypeError, ValueError) as error:  # of scikit-learn, some with the array itself
        refused = InputTypeError if isinstance(error, TypeError) else InputError
        words = f"what scikit-learn refuses: {format_value(str(error), 120)[1:-1]}"
        raise refusal(name, rule, words, "Pass a list or an array.", refused) from error
    if labels is None:
        raise InputError.about(name)(
            f"Only binary classification is supported. Unknown label type: {kind}; {name} must"
            f" hold one of two labels per row. For one against the rest pass the booleans {name} =="
            " label."
        )
    if labels.dtype.kind in "cmMV":
        actual = f"{format_value(str(labels[0]))} at 0 (dtype {labels.dtype})"
        raise refusal(name, rule, actual, "Pass two labels.", InputTypeError)
    classes = np.unique(labels)
    if classes.size < 2:
        raise InputError.about(name)(
            f"{name} must hold two classes; all {labels.size} labels are of one class,"
            f" {format_list(classes.tolist())}. Add trials of the other class."
        )
    return labels


def two_labels(
    classes: AnyArray, pos_label: object, *, name: str = "y", guess: bool = False
) -> TwoLabels:
    """The labels, the client's last: 1, else with ``guess`` the larger."""
    first, second = classes.tolist()
    if pos_label is not None:
        for client, other in ((first, second), (second, first)):
            alike = np.isscalar(pos_label) and isinstance(client, str) == isinstance(pos_label, str)
            if alike and client == pos_label:
                return TwoLabels(other, client)
        actual = f"{format_value(pos_label)}, but {name} holds {format_list([first, second])}"
        remedy = "Give one of them, of the same type."
        raise refusal("pos_label", "be one of the labels", actual, remedy)
    if isinstance(first, str) or {float(first), float(second)} not in KNOWN_LABELS:
        holds = f"{name} holds {format_value(first)} and {format_value(second)}"
        if not guess:
            raise InputError.about("pos_label")(
                f"pos_label must say which label is the client's unless {name} is {{0, 1}},"
                f" {{-1, 1}} or boolean; {holds}. Give pos_label= one of them."
            )
        notices.warn(
            f"{holds}: {format_value(second)}, the larger label, is taken for the client, as"
            " scikit-learn does. Give pos_label= to say which it is.",
            BetarocWarning,
        )
    return TwoLabels(first, second)


#: What gives scores, the first to be asked.
_METHODS = ("decision_function", "predict_proba")


#: Rows to train on, and rows to test.
RowSplit = tuple[IntArray, IntArray]


def response_method_of(estimator: Any, wanted: str = "auto") -> str:
    """The name of the method that gives scores."""
    checks.choice(wanted, ("auto", *_METHODS), "response_method")
    for name in _METHODS if wanted == "auto" else (wanted,):
        if hasattr(estimator, name):
            return name
    asked = " or ".join(_METHODS) if wanted == "auto" else wanted
    actual = f"{format_value(estimator)}, which has no such method"
    remedy = "Take another classifier, or wrap it in CalibratedClassifierCV."
    raise refusal("estimator", f"give scores by {asked}", actual, remedy, InputTypeError)


def client_scores(estimator: Any, X: Any, method: str, labels: TwoLabels) -> FloatArray:
    """Scores of a fitted estimator, higher for clients."""
    classes = np.asarray(getattr(estimator, "classes_", ()))
    if set(classes.tolist()) != set(labels):
        rule = f"be a classifier of the two labels {format_list(labels)}"
        actual = f"one whose classes_ are {format_list(classes.tolist()) or 'missing'}"
        raise refusal("estimator", rule, actual, "Fit it to both.")
    result = np.asarray(getattr(estimator, method)(X))
    if method == "predict_proba":
        return np.asarray(result[:, np.flatnonzero(classes == labels.client)[0]])
    return result if classes[1] == labels.client else -result


def checked_splits(splits: Any, clients: AnyArray) -> list[RowSplit]:
    """Folds that leave both classes and test a row once."""
    result, tested = list[RowSplit](), np.zeros(clients.size, dtype=np.int64)
    for k, fold in enumerate(splits):
        rows = tuple(map(np.asarray, fold)) if containers.width_of(fold) == 2 else ()
        if not rows or any(part.dtype.kind not in "iub" or part.ndim != 1 for part in rows):
            rule = "give pairs of rows, those to train on and those to test, by number"
            remedy = "Take a number of folds, a splitter, or a list of such pairs."
            raise refusal("cv", rule, format_value(fold), remedy, InputTypeError)
        train, test = rows
        trained = clients[train]
        if trained.all() or not trained.any():
            actual = f"{trained.size} rows of one class in fold {k}"
            remedy = "Take fewer folds or a stratified splitter."
            raise refusal("cv", "leave both classes to train on", actual, remedy)
        np.add.at(tested, test, 1)
        result.append((train, test))
    if not result:
        raise refusal("cv", "give at least one fold", "none")
    if tested.max() > 1:
        at = int(np.argmax(tested))
        rule = "test a row once at most, so that scores are separate trials"
        actual = f"row {at}, which is tested {tested[at]} times"
        raise refusal("cv", rule, actual, "Take a splitter without repeats.")
    return result


def out_of_fold(
    estimator: Any, X: Any, y: Any, splits: Sequence[RowSplit], method: str, labels: TwoLabels,
    fit_params: Mapping[str, Any], n_jobs: int | None,
) -> FloatArray:  # fmt: skip
    """Scores of the tested rows, fold after fold."""

    def scores_of(split: RowSplit) -> FloatArray:
        own = clone(estimator)
        train, test = split
        X_train, y_train = _safe_split(own, X, y, train)
        X_test, _ = _safe_split(own, X, None, test, train)
        own.fit(X_train, y_train, **_check_method_params(X, fit_params, indices=train))
        return client_scores(own, X_test, method, labels)

    return np.concatenate(Parallel(n_jobs=n_jobs)(delayed(scores_of)(split) for split in splits))


def labelled_scores(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, weights: Any, pos_label: Any, name: str | None
) -> Scores:
    """Scores of labels and numbers."""
    result = labels_of(y_true, "y_true")
    labels = two_labels(np.unique(result), pos_label, name="y_true")
    return Scores.from_labels(
        result, y_score, client_label=labels.client, weights=weights, name=_called(name)
    )


def scores_of_estimator(
    estimator: Any, X: Any, y: npt.ArrayLike, weights: Any = None, response_method: str = "auto",
    pos_label: Any = None, name: str | None = None,
) -> Scores:  # fmt: skip
    """Scores of a fitted estimator under a name."""
    method = response_method_of(estimator, response_method)
    check_is_fitted(estimator)
    result = labels_of(y)
    labels = two_labels(np.unique(result), pos_label, guess=True)
    values = client_scores(estimator, X, method, labels)
    called = _called(name) or type(estimator).__name__
    return Scores.from_labels(
        result, values, client_label=labels.client, weights=weights, name=called
    )


def _called(name: object) -> str | None:
    if name is None or isinstance(name, str):
        return name
    actual = f"{format_value(name)} of type {type(name).__name__}"
    remedy = "Leave it out for the name of the class."
    raise refusal("name", "be text", actual, remedy, InputTypeError)
