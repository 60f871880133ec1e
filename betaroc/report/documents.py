"""Every kind of document there is, and the reader of them all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from typing import Any

from betaroc.core import local_files, notices
from betaroc.core.errors import FileFormatError, InputTypeError, refusal
from betaroc.core.options import IntervalOptions
from betaroc.core.text import did_you_mean, format_value, typed
from betaroc.core.value import Value
from betaroc.decision import (  # noqa: F401
    categories,
    comparison,
    epsc,
    forecast,
    tandem,
    threshold_methods,
    trainings,
)
from betaroc.ensemble import fusion, inclusion  # noqa: F401
from betaroc.fits import covariates  # noqa: F401
from betaroc.rendering.document import FORMAT, construct, kinds_of, parsed, value_of
from betaroc.rendering.nouns import Exportable
from betaroc.report import analysis  # noqa: F401
from betaroc.studies import design, plan  # noqa: F401

#: Bytes of a document at most.
_LARGEST = 2**32


#: What only subclasses are made of.
_BASES = ("Mixture", "NormalCoordinate", "_Forecast")


@cache
def kinds() -> dict[str, type]:
    """By name every class that a document may hold."""
    return kinds_of(_nouns_of(Exportable))


def _nouns_of(kind: type[Exportable]) -> Iterator[type[Exportable]]:
    for noun in kind.__subclasses__():
        if noun.__module__.startswith("betaroc."):
            if "__dataclass_fields__" in vars(noun) and noun.__name__ not in _BASES:
                yield noun
            yield from _nouns_of(noun)


@notices.collect_warnings
def from_json(text_or_path: str | os.PathLike[str]) -> Any:
    """The value of a document that ``to_json`` wrote.

    Parameters
    ----------
    text_or_path : str or path-like
        The text, which starts with "{", or the path of a file.

    Returns
    -------
    object
        Equal to the value that was written, to the last bit; of the class that ``"kind"`` names.

    Raises
    ------
    FileFormatError
        If it is no such document, a newer one, of more than 4 GiB, or a field is missing or
        wrong, such as a verdict against the numbers; the message names its place, such as
        ``client.params.a``.
    ScoreFileNotFoundError
        If there is no file at the path.
    InputTypeError
        If it is neither text nor a path.

    Notes
    -----
    Only values of this package are made, by a table of kinds, so a document from elsewhere is
    harmless. ``"derived"`` and the like are not read. The JSON schema (draft 2020-12) of all
    documents is the file ``schema.json`` of `betaroc.report`.

    Examples
    --------
    >>> import betaroc as br
    >>> text = br.Beta(2.0, 3.0).to_json()
    >>> br.from_json(text)
    Beta(a=2.0, b=3.0)
    """
    if not isinstance(text_or_path, str | os.PathLike):
        remedy = "Pass what to_json returned, or the path of a file."
        value = typed(text_or_path)
        raise refusal("text_or_path", "be text or a path", value, remedy, InputTypeError)
    text, white = str(text_or_path), "\ufeff \t\r\n"
    if not text.lstrip(white).startswith("{"):
        remedy = 'Name one that to_json wrote, or pass its text, which starts with "{".'
        text = local_files.small_text(text_or_path, "text_or_path", remedy, _LARGEST)
    document = parsed(text.lstrip(white))
    # The class that a document names, once its envelope is in order.
    if not isinstance(document, dict) or "kind" not in document:
        is_object = isinstance(document, dict)
        value = f"one with {format_value(sorted(document)[:3])}" if is_object else "a list"
        remedy = "Read what to_json wrote; br.read_scores reads scores."
        raise refusal("a document", 'be an object with "kind"', value, remedy, FileFormatError)
    if document["kind"] == "GuaranteedThreshold":
        document = construct(_decision_of_guarantee, document, "")
    if document["kind"] == "EpcAverage" and "average" in document:  # of version 0.2
        ends = {"low": None, "high": None, "level": 0.95, "method": "none drawn"}
        ends["estimate"] = document["average"]
        old = document.keys() - {"average", "dev", "test", "asked"}
        document = {name: document[name] for name in old} | ends
    name, version = document["kind"], document.get("format")
    if type(version) is not int or version < 1:
        rule = "be a whole number from 1, which to_json writes"
        raise refusal("format", rule, format_value(version), kind=FileFormatError)
    if version > FORMAT:
        rule = f"be at most {FORMAT} for this betaroc"
        writer = format_value(document.get("betaroc"))
        value = f"{version}, written by betaroc {writer}, which is newer"
        raise refusal("format", rule, value, "Install that one.", FileFormatError)
    if version == 1:
        document = json.loads(json.dumps(document), object_hook=_of_format_1)
        name = document["kind"]
    options = [item for item, kind in kinds().items() if issubclass(kind, Value)]
    if not isinstance(name, str) or name not in options:
        hint = did_you_mean(name, options)
        raise refusal("kind", "be one of betaroc's", format_value(name), hint, FileFormatError)
    kind = kinds()[name]
    with notices.suppress_warnings():  # what was to be said was said when it was made
        return value_of(document.get("content", document), kinds(), kind)


_RENAMED = {"Way": "ThresholdMethod", "Evidence": "SampleSupport"}


def _of_format_1(part: dict[str, Any]) -> dict[str, Any]:
    kind = str(part.get("kind"))
    if kind == "Decision" and "ways" in part:
        part["methods"] = part.pop("ways")
    return part | {"kind": _RENAMED[kind]} if kind in _RENAMED else part


def _decision_of_guarantee(old: dict[str, Any]) -> dict[str, Any]:
    """The decision of a guaranteed threshold of version 0.2."""
    from scipy.special import betaincinv

    fields = ("threshold", "far", "frr", "k", "achieved", "rate", "confidence", "target", "n")
    threshold, far, frr, k, achieved, rate, confidence, target, n = (old[name] for name in fields)
    tail, expected = IntervalOptions(confidence).tail, k / (n + 1.0)
    rates = {"far": far, "frr": frr}
    low, high = (float(betaincinv(k, n - k + 1.0, p)) for p in (tail, 1.0 - tail))
    ends = {"low": low, "high": high, "n_beyond": k - 1.0}
    method = {"kind": "ThresholdMethod", "how": "guaranteed", "threshold": threshold,
              "k": k, "expected": expected, "achieved": achieved}  # fmt: skip
    point = rates | {target: expected, "threshold": threshold, "prior": 0.5}
    return {
        "kind": "Decision", "format": old.get("format"), "threshold": threshold, "target": target,
        "rate": rate, "how": "guaranteed", "confidence": confidence, "n": n, "needed": None,
        "expected": {"kind": "OperatingPoint"} | point,
        "interval": {"kind": "Interval", "estimate": expected, "level": confidence,
                     "method": "guaranteed"} | ends,
        "status": threshold_methods.AMBER, "methods": [method | rates | ends],
        "reason": f"With {100.0 * confidence:g} % confidence {target.upper()} stays at or below"
                  f" {100.0 * rate:g} % on trials like those that gave the threshold.",
        "remedy": "a decision on the scores themselves, which shows whether they tell the classes"
                  " apart.",
    }  # fmt: skip
