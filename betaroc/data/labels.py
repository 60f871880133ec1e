"""Which trials are clients: two labels, never guessed beyond {0, 1}, {-1, 1} and booleans."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray
from betaroc.core.checks import SCORES_OF_LABELS
from betaroc.core.containers import array_1d, as_narwhals
from betaroc.core.errors import BetarocError, InputError, InputTypeError
from betaroc.core.sentences import worded
from betaroc.core.text import listed, shown

#: The pairs that need no client_label: the larger is the client's.
WORDS = frozenset({"true", "false"})
#: Why two labels are neither one class nor two.
PADDED = (
    "labels must not differ by the blanks around them alone; {} do. Write them alike, such as"
    " without blanks."
)
#: Fewer scores than these may be what they look like.
_ENOUGH = 10
#: What columns are called: a probability of some class, a class that was predicted, the true one.
_PROBABILITY = {"score", "prediction", "prediction_score", "confidence", "probability", "prob"}
_PREDICTED = {
    "predicted", "prediction", "pred", "predict", "y_pred", "predicted_label", "prediction_label",
    "predicted_class", "label",
}  # fmt: skip
_TRUE = {"actual", "truth", "true_label", "y_true", "ground_truth", "gold"}
KNOWN_LABELS = ({0.0, 1.0}, {-1.0, 1.0})


def client_mask(
    labels: npt.ArrayLike,
    client_label: object,
    *,
    name: str = "y_true",
    scores: AnyArray | None = None,
    counts: Sequence[int] | AnyArray | None = None,
) -> BoolArray:
    """True where the label is the client's.

    ``scores`` are only looked at to tell whether the two were swapped. Each label stands for one
    trial, or for as many as ``counts`` says.
    """
    array = array_1d(labels, name)
    if array.dtype.kind == "O":
        array = _one_type(array, name)
    if array.dtype.kind == "S":
        raise InputTypeError.about(name)(
            f"{name} must be text, numbers or booleans; got {array.size} bytes, first"
            f" {shown(array[0])} at 0."
            ' Decode them: np.char.decode(y, "ascii").'
        )
    if array.dtype.kind not in "biufUT":
        raise InputTypeError.about(name)(
            f"{name} must be text, numbers or booleans; got {shown(array[0])} at 0 (dtype"
            f" {array.dtype}, {array.size} values). Pass two labels."
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        at = np.flatnonzero(np.isnan(array))
        raise InputError.about(name)(
            f"{name} must have no missing label; got {at.size} NaN of {array.size}, first at"
            f" positions {listed(at.tolist())}. Drop these rows first."
        )
    kinds, first, ones = np.unique(array, return_index=True, return_counts=True)
    trials = ones if counts is None else np.bincount(np.searchsorted(kinds, array), counts)
    order = np.argsort(first)
    found = [kinds[i].item() for i in order]
    tally = [int(trials[i]) for i in order]
    where = [int(first[i]) for i in order]
    _refuse_padded(found, name)
    if len(found) > 2:
        _refuse_many(found, tally, where, name, scores)
    client = _client_among(found, tally, client_label, name)
    mask = np.asarray(array == client)
    _refuse_one_class(mask, found, sum(tally), name)
    return mask


def _refuse_padded(found: Sequence[object], name: str) -> None:
    known: dict[str, str] = {}
    for label in found:
        if isinstance(label, str) and known.setdefault(label.strip(), label) != label:
            both = f"{shown(known[label.strip()], 60)} and {shown(label, 60)}"
            raise InputError.about(name)(f"{name}: {PADDED.format(both)}")


def _refuse_one_class(mask: BoolArray, found: Sequence[object], n: int, name: str) -> None:
    """Raise unless both classes occur."""
    if mask.all() or not mask.any():
        missing = "impostor" if mask.any() else "client"
        raise InputError.about(name)(
            f"{name} must name both classes; there are no {missing} scores: all {n} labels are"
            f" {listed(found)}. Add the trials of the other class."
        )


def label_key(token: str) -> object:
    """What a label in a file stands for: its number if it is one, else its text."""
    text = token.strip(" \t")
    try:
        number = float(text)
    except ValueError:
        return text.lower() if text.lower() in WORDS else text
    return number if np.isfinite(number) and text.isascii() and "_" not in text else text


def looks_like_labels(*parts: AnyArray) -> bool:
    """True if both values of {0, 1} or {-1, 1} occur and nothing else."""
    return {float(v) for values in parts for v in few_distinct(values)} in KNOWN_LABELS


def refuse_hard_labels(
    name: str, n: float, *parts: AnyArray, kind: type[BetarocError] = InputError
) -> None:
    """Raise where ten scores or more are all 0 or 1, or all -1 or 1, and both occur."""
    if n >= _ENOUGH and looks_like_labels(*parts):
        low = min(float(values.min()) for values in parts)
        raise kind(
            f"{name} must be scores; got labels, since all {n:.15g} are {low:g} or 1, and between"
            f" two labels no threshold can be chosen. {SCORES_OF_LABELS}"
        )


def refuse_confidence(
    name: str, score: str, label: tuple[str, ...], present: Collection[str], n: float,
    *parts: AnyArray, kind: type[BetarocError] = InputError,
) -> None:  # fmt: skip
    """Raise where the columns, and scores that all lie in [0.5, 1], are of the label predicted."""
    names = {column: str(column).casefold() for column in present if column != score}
    predicted = [column for column, word in names.items() if word in _PREDICTED]
    actual = {*label, *(column for column, word in names.items() if word in _TRUE)}
    if score.casefold() not in _PROBABILITY or not predicted or actual <= {*predicted}:
        return
    if n >= _ENOUGH and all(values.min() >= 0.5 and values.max() <= 1.0 for values in parts):
        column = next((one for one in predicted if one not in label), predicted[0])
        raise kind(
            f"{name} must be the score of the client; beside {shown(column)}, and with all"
            f" {n:.15g} values in [0.5, 1], it reads as the probability of the predicted label."
            f" Where {shown(column)} is not the client's, take 1 - score (of Weka's -distribution,"
            " the client's column); a score of the client needs another name."
        )


def few_distinct(values: AnyArray) -> AnyArray:
    """The distinct values if they are few; three of them tell as much as all."""
    head = np.unique(values[:100])
    return head[:3] if head.size > 2 else np.unique(values)[:3]


def _one_type(array: AnyArray, name: str) -> AnyArray:
    """Objects of one kind (text, numbers or booleans) as an array of that kind."""
    groups: dict[str, tuple[int, object]] = {}
    for index, item in enumerate(array):
        if item is None or type(item).__name__ in {"NAType", "NaTType"}:
            gone = sum(v is None or type(v).__name__ in {"NAType", "NaTType"} for v in array)
            raise InputError.about(name)(
                f"{name} must have no missing label; got {shown(item)} at position {index} ({gone}"
                f" of {array.size} missing). Drop these rows first."
            )
        groups.setdefault(_kind(item, index, name), (index, item))
    if len(groups) > 1:
        parts = ", ".join(f"{shown(v)} ({k}) at {i}" for k, (i, v) in groups.items())
        raise InputTypeError.about(name)(
            f"{name} must hold labels of one type; got mixed types: {parts}."
            " Convert them to one type first."
        )
    return np.array(array.tolist())


def _kind(item: object, index: int, name: str) -> str:
    if isinstance(item, bool | np.bool_):
        return "bool"
    if isinstance(item, int | float | np.integer | np.floating):
        return "number"
    if isinstance(item, str):
        return "text"
    if isinstance(item, bytes):
        raise InputTypeError.about(name)(
            f"{name} must be text, numbers or booleans; got bytes, first {shown(item)} at {index}."
            ' Decode them: [v.decode("ascii") for v in y].'
        )
    raise InputTypeError.about(name)(
        f"{name} must be text, numbers or booleans; got {shown(item)} of type"
        f" {type(item).__name__} at {index}. Pass two labels."
    )


def _refuse_many(
    found: list[Any], tally: list[int], where: list[int], name: str, scores: AnyArray | None
) -> NoReturn:
    n = sum(tally)
    odd = [i for i, v in enumerate(found) if isinstance(v, float) and not v.is_integer()]
    swapped = scores is not None and looks_like_labels(scores)
    if odd or swapped:
        i = odd[0] if odd else 2
        hint = (
            "The scores hold two values: y and scores are swapped."
            if swapped
            else ("Did you swap y and scores? Soft labels must be cut into two classes first.")
        )
        raise InputError.about(name)(
            f"{name} must hold two labels; label {shown(found[i])} at {where[i]} is not one of two"
            f" classes ({len(found)} distinct values in {n}). {hint}"
        )
    parts = ", ".join(f"{shown(v, 24)} (count {c})" for v, c in zip(found[:4], tally, strict=False))
    more = f" and {len(found) - 4} more" if len(found) > 4 else ""
    raise InputError.about(name)(
        f"{name} must hold two labels; got {len(found)}: {parts}{more}. For one against the rest"
        f" pass the booleans y == {shown(found[0], 24)}."
    )


def _client_among(found: list[Any], tally: list[int], client_label: object, name: str) -> object:
    parts = ", ".join(f"{shown(v, 40)} (count {c})" for v, c in zip(found, tally, strict=True))
    if client_label is not None:
        for value in found if np.isscalar(client_label) else ():
            if isinstance(value, str) == isinstance(client_label, str) and value == client_label:
                return value
        raise InputError.about("client_label")(
            f"client_label must be one of the labels; got {shown(client_label)}, but {name} holds"
            f" {parts}. Give one of them, of the same type."
        )
    numbers = set() if isinstance(found[0], str) else {float(v) for v in found}
    if numbers and any(numbers <= known for known in KNOWN_LABELS):
        return type(found[0])(1)
    raise InputError.about(name)(
        f"{name} must be {{0, 1}}, {{False, True}} or {{-1, 1}} unless"
        + worded(" `client_label=` says which label is the client's; got")
        + f" {parts}. Pass"
        + worded(" `client_label=` one of them.")
    )


def refuse_labels_as_scores(client: FloatArray, impostor: FloatArray) -> None:
    """One side that holds labels of the other."""
    if client.size != impostor.size:
        return
    labels = [looks_like_labels(client), looks_like_labels(impostor)]
    if sum(labels) != 1:
        return
    who = "client" if labels[0] else "impostor"
    values = sorted(set((client if labels[0] else impostor).tolist()))
    y, s = CLASSES if labels[0] else ("impostor", "client")
    raise InputError(
        f"client and impostor must be the scores of two classes; {who} holds only {values} and has"
        f" the {client.size} entries of the other, like labels."
        f" Use Scores.from_labels(y_true={y}, y_score={s})."
    )


def refuse_other_index(y_true: Any, **others: Any) -> None:
    """Two pandas Series whose indices differ are not row by row the same trials."""
    index = _pandas_index(y_true)
    for name, values in others.items():
        other = _pandas_index(values)
        if index is None or other is None or len(index) != len(other) or index.equals(other):
            continue
        at = next(i for i, (a, b) in enumerate(zip(index, other, strict=True)) if a != b)
        raise InputError(
            f"y_true and {name} must have the same pandas index; they differ, first at position"
            f" {at}: {shown(index[at])} and {shown(other[at])}. Align them first (s.loc[y.index])"
            " or pass .to_numpy()."
        )


def _pandas_index(values: Any) -> Any:
    column = as_narwhals(values)
    if column is None:
        return None
    import narwhals as nw

    return nw.maybe_get_index(column)
