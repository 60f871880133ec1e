"""Every kind of document there is, and the reader of them all."""

from __future__ import annotations

import os
import stat
from functools import cache
from pathlib import Path
from typing import Any

from betaroc.core.errors import FileFormatError, InputTypeError, ScoreFileNotFoundError
from betaroc.core.notices import public, quietly
from betaroc.core.options import IntervalOptions
from betaroc.core.text import nearest, shown
from betaroc.core.value import Value
from betaroc.data.scores import Confusion, Scores
from betaroc.data.summary import ScoreSummary
from betaroc.data.sums import ClassSummary
from betaroc.decision.averages import EpcAverage
from betaroc.decision.comparison import Comparison, SystemsComparison
from betaroc.decision.cross_validation import EpcCv
from betaroc.decision.decide import Decision, DecisionCheck
from betaroc.decision.epc import Epc
from betaroc.decision.forecast import EpcForecast, TargetForecast
from betaroc.decision.status import AMBER
from betaroc.decision.ways import Way
from betaroc.distributions.beta import Beta
from betaroc.distributions.empirical import Binned, Empirical
from betaroc.distributions.gamma import Gamma
from betaroc.distributions.inflated import Inflated, Rejecting
from betaroc.distributions.mixture import BetaMixture, NormalMixture
from betaroc.distributions.normal import (
    LogitNormal,
    LogitSinhArcsinh,
    LogNormal,
    Normal,
    SinhArcsinh,
)
from betaroc.distributions.shifted import Shifted
from betaroc.distributions.spliced import ParetoTail, Spliced
from betaroc.ensemble.fusion import Fusion
from betaroc.ensemble.inclusion import Inclusion
from betaroc.fits.check import FitCheck
from betaroc.fits.covariates import CovariateFit
from betaroc.fits.family_choice import FamilyComparison, FamilyRow, LikelihoodRatioTest, TailRow
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.fits.shape_tests import CurveTest
from betaroc.fits.tail_fits import Sensitivity
from betaroc.inference.auc import AucTest
from betaroc.inference.differences import Difference
from betaroc.inference.interval import Band, Interval
from betaroc.model.crossings import RocCrossings
from betaroc.model.ends import Ends
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.roc import Det, PrecisionRecall, Roc, RocHull
from betaroc.rendering.document import FORMAT, construct, kinds_of, parsed, value_of
from betaroc.report.analysis import Analysis
from betaroc.studies.design import Design
from betaroc.studies.plan import SampleSize

#: Bytes of a document at most.
_LARGEST = 2**32

#: What users hold; what stands within is found from these.
_NOUNS = (
    Analysis, AucTest, Band, Beta, BetaMixture, Binned, ClassSummary, Comparison, Confusion,
    CovariateFit, CurveTest, Decision, DecisionCheck, Design, Det, Difference, DistributionFit,
    Empirical, Ends, Epc, EpcAverage, EpcCv, EpcForecast, FamilyComparison, FamilyRow, Fit,
    FitCheck, Fusion, Gamma, Inclusion, Inflated, Interval,
    LikelihoodRatioTest, LogNormal, LogitNormal, LogitSinhArcsinh, Normal, NormalMixture,
    OperatingPoint, ParetoTail, PrecisionRecall, Rejecting, Roc, RocCrossings, RocHull, SampleSize,
    ScoreModel, ScoreSummary, Scores, Sensitivity, Shifted, SinhArcsinh, Spliced,
    SystemsComparison, TailRow, TargetForecast, Way,
)  # fmt: skip


@cache
def kinds() -> dict[str, type]:
    """By name every class that a document may hold."""
    return kinds_of(_NOUNS)


@public
def from_json(text_or_path: str | os.PathLike[str]) -> Any:
    """The value of a document that ``to_json`` wrote.

    Parameters
    ----------
    text_or_path : str or path-like
        The text, which starts with "{", or the path of a file.

    Returns
    -------
    object
        Equal to the value that was written, to the last bit of its numbers; of the class that
        ``"kind"`` names.

    Raises
    ------
    FileFormatError
        If it is no such document, a newer one, of more than 4 GiB, or a field is missing or not
        what it must be, such as a verdict other than the numbers say: the message names its place,
        such as ``client.params.a``.
    ScoreFileNotFoundError
        If there is no file at the path.
    InputTypeError
        If it is neither text nor a path.

    Notes
    -----
    Nothing is made but values of this package, by a table of kinds, so that a document from
    elsewhere cannot do anything. What a document holds beside the fields, such as ``"derived"``,
    is for other readers and is not read. The JSON schema (draft 2020-12) of all documents is the
    file ``schema.json`` of `betaroc.report`.

    Examples
    --------
    >>> import betaroc as br
    >>> text = br.Beta(2.0, 3.0).to_json()
    >>> br.from_json(text)
    Beta(a=2.0, b=3.0)
    """
    document = parsed(_text_of(text_or_path))
    # The class that a document names, once its envelope is in order.
    if not isinstance(document, dict) or "kind" not in document:
        what = f"with {shown(sorted(document)[:3])}" if isinstance(document, dict) else "a list"
        raise FileFormatError(
            f'a document must be an object with "kind"; got one {what}. Read what to_json wrote;'
            " br.read_scores reads scores."
        )
    if document["kind"] == "GuaranteedThreshold":
        document = construct(_decision_of_guarantee, document, "")
    name, version = document["kind"], document.get("format")
    if type(version) is not int or version < 1:
        raise FileFormatError(
            f"format must be a whole number from 1, which to_json writes; got {shown(version)}."
        )
    if version > FORMAT:
        by = shown(document.get("betaroc"))
        raise FileFormatError(
            f"format must be at most {FORMAT} for this betaroc; got {version}, written by betaroc"
            f" {by}, which is newer. Install that one."
        )
    options = [one for one, kind in kinds().items() if issubclass(kind, Value)]
    if not isinstance(name, str) or name not in options:
        raise FileFormatError(
            f"kind must be one of betaroc's; got {shown(name)}. {nearest(name, options)}".rstrip()
        )
    kind = kinds()[name]
    with quietly():  # what was to be said was said when it was made
        return value_of(document.get("content", document), kinds(), kind)


def _decision_of_guarantee(old: dict[str, Any]) -> dict[str, Any]:
    """The document of the decision that a guaranteed threshold of version 0.2 was."""
    from scipy.special import betaincinv

    fields = ("threshold", "far", "frr", "k", "achieved", "rate", "confidence", "target", "n")
    threshold, far, frr, k, achieved, rate, confidence, target, n = (old[name] for name in fields)
    tail = IntervalOptions(confidence).tail
    rates = {"far": far, "frr": frr}
    expected = k / (n + 1.0)
    interval = {
        "low": float(betaincinv(k, n - k + 1.0, tail)),
        "high": float(betaincinv(k, n - k + 1.0, 1.0 - tail)), }  # fmt: skip
    way = {"kind": "Way", "how": "guaranteed", "threshold": threshold, "expected": expected,
           "n_beyond": k - 1.0,
           "k": k, "achieved": achieved, "family": "", "why": ""}  # fmt: skip
    point = rates | {target: expected, "threshold": threshold, "prior": 0.5}
    return {
        "kind": "Decision", "format": old.get("format"), "threshold": threshold, "target": target,
        "rate": rate, "how": "guaranteed", "confidence": confidence, "n": n, "needed": None,
        "expected": {"kind": "OperatingPoint"} | point,
        "interval": {"kind": "Interval", "estimate": expected, "level": confidence,
                     "method": "guaranteed", "n_beyond": k - 1.0} | interval,
        "status": AMBER, "ways": [way | rates | interval],
        "reason": f"With {100.0 * confidence:g} % confidence {target.upper()} stays at or below"
                  f" {100.0 * rate:g} % on trials like those that gave the threshold.",
        "remedy": "a decision on the scores themselves, which shows whether they tell the classes"
                  " apart.",
    }  # fmt: skip


def _text_of(given: Any) -> str:
    if not isinstance(given, str | os.PathLike):
        raise InputTypeError.about("text_or_path")(
            f"text_or_path must be text or a path; got {shown(given)} of type"
            f" {type(given).__name__}. Pass what to_json returned, or the path of a file."
        )
    text = given.lstrip("\ufeff \t\r\n") if isinstance(given, str) else ""
    if text.startswith("{"):
        return text
    try:
        found = Path(given).stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            raise FileFormatError.about("text_or_path")(
                "text_or_path must be a file that can be read: a regular one of at most"
                f" {_LARGEST >> 30} GiB; {shown(str(given))} is none. Name what to_json wrote."
            )
        return Path(given).read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise ScoreFileNotFoundError.about("text_or_path")(
            f"there is no file {shown(str(given))}. Name one that to_json wrote, or pass its text,"
            ' which starts with "{".'
        ) from error
    except UnicodeDecodeError as error:
        raise FileFormatError.about("text_or_path")(
            f"a document must be UTF-8; {shown(str(given))} is not at byte {error.start}. Name a"
            " file that to_json wrote."
        ) from error
    except FileFormatError:
        raise
    except (OSError, ValueError) as error:
        raise FileFormatError.about("text_or_path")(
            f"text_or_path must be a file that can be read; {shown(str(given))}:"
            f" {getattr(error, 'strerror', None) or error}. Name what to_json wrote."
        ) from error
