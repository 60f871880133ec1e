"""What a picture takes: its own noun, or an error that says how one is made."""

from __future__ import annotations

from typing import Any

from betaroc.core.errors import InputTypeError
from betaroc.core.text import shown
from betaroc.decision.comparison import Comparison
from betaroc.decision.epc import Epc
from betaroc.distributions.base import Distribution
from betaroc.ensemble.inclusion import Inclusion
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.inference.interval import Band
from betaroc.model.curves import Det, PrecisionRecall
from betaroc.model.model import ScoreModel
from betaroc.model.roc import Roc

__all__ = ["distribution_of", "pair_of", "required"]

#: How each noun is made.
_MADE = {
    Band: "epc.band()",
    Comparison: "br.compare(epc_a, epc_b)",
    Det: "model.det(), or fit.model.det()",
    Distribution: "a constructor such as br.Beta(2, 1), or br.fit_distribution(scores)",
    Epc: "br.epc(dev, test)",
    Fit: "br.fit(scores)",
    Inclusion: "br.inclusion(frame)",
    PrecisionRecall: "model.precision_recall(), or fit.model.precision_recall()",
    Roc: "model.roc(), or fit.model.roc()",
    ScoreModel: "br.ScoreModel(client, impostor), or br.fit(scores)",
}


def required(value: Any, kind: type[Any], name: str) -> Any:
    """The value, if it is of the kind that the picture draws."""
    if isinstance(value, kind):
        return value
    article = "an" if kind.__name__[0] in "AEIO" else "a"
    raise InputTypeError(
        f"{name} must be {article} {kind.__name__}; got {shown(value)} of type"
        f" {type(value).__name__}. Make one with {_MADE[kind]}."
    )


def pair_of(model: Any) -> ScoreModel:
    """A model, or that of a fit."""
    return required(model.model if isinstance(model, Fit) else model, ScoreModel, "model")  # type: ignore[no-any-return]


def distribution_of(law: Any, name: str) -> Distribution:
    """A distribution, or that of a fitted class."""
    return required(  # type: ignore[no-any-return]
        law.distribution if isinstance(law, DistributionFit) else law, Distribution, name
    )
