"""Which of two labels is the client's, in the words of scikit-learn: the positive label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from betaroc.core.arrays import AnyArray, BoolArray
from betaroc.core.containers import refuse_kind
from betaroc.core.errors import BetarocWarning, InputError, InputTypeError
from betaroc.core.notices import warn
from betaroc.core.text import listed, shown
from betaroc.data.labels import KNOWN_LABELS


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
    """One label a row; an error unless there are two different ones."""
    if isinstance(y, np.ma.MaskedArray):  # scikit-learn would read what is under the mask
        refuse_kind(y, name, "a masked array", "Pass the rows that are not masked.")
    try:
        with np.errstate(invalid="ignore"):
            kind = type_of_target(y, input_name=name)
        labels = np.asarray(column_or_1d(y)) if kind == "binary" else None
    except (TypeError, ValueError) as error:  # of scikit-learn, some with the array itself
        refused = InputTypeError if isinstance(error, TypeError) else InputError
        raise refused.about(name)(
            f"{name} must hold one of two labels a row, as numbers, text or booleans; scikit-learn"
            f" says: {shown(str(error), 120)[1:-1]}. Pass a list or an array of them."
        ) from error
    if labels is None:
        raise InputError.about(name)(
            f"Only binary classification is supported. Unknown label type: {kind}; {name} must"
            f" hold one of two labels a row. For one against the rest pass the booleans {name} =="
            " label."
        )
    if labels.dtype.kind in "cmMV":
        raise InputTypeError.about(name)(
            f"{name} must be text, numbers or booleans; got {shown(str(labels[0]))} at 0 (dtype"
            f" {labels.dtype}, {labels.size} values). Pass two labels."
        )
    classes = np.unique(labels)
    if classes.size < 2:
        raise InputError.about(name)(
            f"{name} must hold two classes; all {labels.size} labels are of one class,"
            f" {listed(classes.tolist())}. Add trials of the other class."
        )
    return labels


def two_labels(
    classes: AnyArray, pos_label: object, *, name: str = "y", guess: bool = False
) -> TwoLabels:
    """The labels with the client's last.

    Left out, it is 1 of {0, 1}, {-1, 1} and booleans. Of others it is the larger one where
    scikit-learn takes it (``guess``), and a warning says so; else an error.
    """
    first, second = classes.tolist()
    if pos_label is None:
        known = not isinstance(first, str) and {float(first), float(second)} in KNOWN_LABELS
        if known or guess:
            if not known:
                _say_guess(first, second, name)
            return TwoLabels(first, second)
        raise InputError.about("pos_label")(
            f"pos_label must say which label is the client's unless {name} is {{0, 1}}, {{-1, 1}}"
            f" or boolean; {name} holds {listed([first, second])}. Give pos_label= one of them."
        )
    for client, other in ((first, second), (second, first)):
        alike = np.isscalar(pos_label) and isinstance(client, str) == isinstance(pos_label, str)
        if alike and client == pos_label:
            return TwoLabels(other, client)
    raise InputError.about("pos_label")(
        f"pos_label must be one of the labels; got {shown(pos_label)}, but {name} holds"
        f" {listed([first, second])}. Give one of them, of the same type."
    )


def _say_guess(first: object, second: object, name: str) -> None:
    warn(
        f"{name} holds {shown(first)} and {shown(second)}: {shown(second)}, the larger label, is"
        " taken for the client, as scikit-learn does. Give pos_label= to say which it is.",
        BetarocWarning,
    )
