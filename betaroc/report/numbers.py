"""Results as plain numbers: dictionaries that JSON can hold without loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from betaroc.core.arrays import CLASSES
from betaroc.core.value import fields_of
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.model.asking import asking, asking_of_text
from betaroc.model.measures import MEASURES, OperatingPoint, some_rejected
from betaroc.model.model import ScoreModel
from betaroc.report.curve_words import confidence_numbers, depth
from betaroc.report.intervals import EER_THRESHOLD, Measured, SetIntervals, summary_numbers
from betaroc.report.quality import class_verdicts, quality_numbers
from betaroc.report.score_set import MADE, RATES, ObservedPoint, ScoreSet, rate_at, rates_shown


def fit_numbers(fit: Fit) -> dict[str, Any]:
    """Everything that ``betaroc fit --json`` says of a fit."""
    model = fit.model
    ends, shapes = model.ends(), model.shape_category()
    return {
        "family": fit.family,
        "client": law_numbers(fit.client),
        "impostor": law_numbers(fit.impostor),
        "prior": model.prior,
        **fields_of(fit, "log_likelihood", "aic", "bic"),
        **_curve_numbers(model),
        "semi_derivatives": model.semi_derivatives()._asdict(),
        "ends": {"at_zero": asdict(ends.at_zero), "at_one": asdict(ends.at_one)},
        "global_shape": model.global_shape(),
        "shape_category": (
            [shape.value for shape in shapes] if isinstance(shapes, tuple) else None
        ),
        "diagonal_crossings": _crossings(model),
    }


def law_numbers(fit: DistributionFit) -> dict[str, Any]:
    """One class's distribution."""
    return {
        "family": fit.family,
        "params": dict(fit.params),
        "std_errors": dict(fit.std_errors),
        **fields_of(fit, "n", "total_weight", "log_likelihood", "aic", "bic"),
        **fields_of(fit, "converged", "iterations", "gradient_norm"),
        "boundary": None if fit.boundary is None else asdict(fit.boundary),
    }


def _curve_numbers(model: ScoreModel) -> dict[str, Any]:
    auc, eer, ks = (asking(name).number(model) for name in ("auc", "eer", "ks"))
    at = asking_of_text(EER_THRESHOLD).value(model)
    made = MADE if some_rejected(model._pair) else ()
    return {
        "auc": auc,
        "eer": eer,
        "eer_threshold": at.threshold,
        "eer_logit_threshold": at.logit_threshold,
        "ks": ks,
        **{f"{key}_at_eer": rate_at(key, model, at) for key in made},
    }


def _crossings(model: ScoreModel) -> list[dict[str, Any]]:
    points = model.diagonal_crossings()
    if len(points) == 0:
        return []
    arrays = zip(points.threshold, points.logit_threshold, points.far, strict=True)
    names, worst = ("threshold", "logit_threshold", "rate", "depth"), depth(model)[0]
    return [dict(zip(names, (*map(float, row), worst), strict=True)) for row in arrays]


def point_numbers(point: OperatingPoint) -> dict[str, Any]:
    """The rates of an operating point."""
    return {key: MEASURES[key].value(point) for key in ("far", "frr", "hter", "precision", "f1")}


def _rates_of(part: ScoreSet, point: OperatingPoint, *, fitted: bool = False) -> dict[str, Any]:
    """The rates of a point of a set; those of comparisons made too, where they are others."""
    model = part.fit.model if fitted and part.fit is not None else part.empirical
    made = {k: rate_at(k, model, point) for k in rates_shown([part]) if k not in RATES}
    return point_numbers(point) | made


def met_numbers(met: ObservedPoint, parts: Sequence[ScoreSet]) -> dict[str, Any]:
    """One criterion: its threshold and the rates on every set."""
    beyond = met.expected.n_beyond
    return {
        "criterion": met.key,
        "chosen_by": met.chosen_by,
        **fields_of(met.expected, "threshold", "logit_threshold"),
        "expected": _rates_of(parts[0], met.expected, fitted=met.chosen_by == "model"),
        "n_beyond": beyond and dict(zip(CLASSES, beyond, strict=True)),
        "extrapolated": met.expected.extrapolated,
        "contradicted_by": list(met.contradicted_by),
        "observed": {
            part.role: _rates_of(part, point)
            for part, point in zip(parts, met.observed, strict=True)
        },
        "intervals": {
            "expected": _measured(met.expected_intervals),
            **{
                part.role: _measured(own)
                for part, own in zip(parts[1:], met.observed_intervals, strict=True)
            },
        },
    }


def _measured(found: Sequence[Measured]) -> dict[str, Any]:
    return {
        m.key: {
            **fields_of(m, "estimate", "low", "high", "n_beyond", "extrapolated"),
            "method": m.method or None,
            "why_none": m.why or None,
        }
        for m in found
    }


def interval_numbers(found: SetIntervals | None) -> dict[str, Any] | None:
    """Every interval of a score set; where there is none, why."""
    if found is None:
        return None
    return {
        **fields_of(found, "level", "groups"),
        "fitted": _measured(found.model),
        **{name: _measured(getattr(found, name)) for name in ("scores", *CLASSES)},
    }


def set_numbers(part: ScoreSet, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """One score set; by path what its files are called where not by their paths."""
    source = part.scores.source
    far, quality = part.distances, {}
    if part.quality is not None:
        quality = quality_numbers(part, part.quality)
    return {
        **fields_of(part, "role", "name"),
        "source": None
        if source is None
        else {
            "path": source.path if names is None else names[source.path],
            **fields_of(source, "format", "guessed"),
            "guesses": list(source.guesses),
        },
        "n_client": part.sizes[0],
        "n_impostor": part.sizes[1],
        **summary_numbers(part.given),
        "fit": None if part.fit is None else fit_numbers(part.fit),
        "empirical": _curve_numbers(part.empirical),
        "distances": None if far is None else asdict(far),
        "distances_from_dev": part.shift and dict(zip(CLASSES, part.shift, strict=True)),
        "intervals": interval_numbers(part.intervals),
        "confidence": part.intervals and confidence_numbers(part.fit, part.intervals.level),
        **quality,
    }


#: What of a set stands beside the numbers of its fit.
_BESIDE = (
    "name", "source", "n_client", "n_impostor", "summary", "n_client_rejected",
    "n_impostor_rejected", "empirical", "distances",
    "intervals", "confidence", "fit_quality", "families", "sensitivity",
)  # fmt: skip


def fit_document(part: ScoreSet, reason: str) -> dict[str, Any]:
    """The same as numbers."""
    numbers = set_numbers(part)
    beside = {key: numbers[key] for key in _BESIDE if key in numbers}
    return {**numbers["fit"], "reason": reason, **beside}


def system_document(name: str, part: ScoreSet, reason: str, level: float) -> dict[str, Any]:
    """Of a system among several: both distributions, how far each is off, area and EER."""
    fit, source, off = part.fit, part.scores.source, part.distances
    if fit is None or off is None:
        return {}
    distances = off.client, off.impostor
    verdicts = class_verdicts(part.scores, distances, level)
    classes = {
        who: law_numbers(getattr(fit, who)) | {"distance": distance, "verdict": verdict}
        for who, distance, verdict in zip(CLASSES, distances, verdicts, strict=True)
    }
    models = {"": fit.model, "_counted": part.empirical}
    return {
        "system": name, "source": None if source is None else source.path, "family": fit.family,
        "reason": reason, **classes,
        **{f"auc{by}": model.auc() for by, model in models.items()},
        **{f"eer{by}": float(model.eer().hter) for by, model in models.items()},
    }  # fmt: skip
