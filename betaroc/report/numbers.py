"""Results as plain numbers: dictionaries that JSON can hold without loss."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from betaroc.core.arrays import CLASSES
from betaroc.core.value import fields_of
from betaroc.decision.curve_view import curve_numbers
from betaroc.decision.decide import Decision, DecisionCheck
from betaroc.decision.ways import Way
from betaroc.fits.check import CURVE_ONLY, TOLERANCE, rates_verdict
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.fits.shape_tests import counted_hooks
from betaroc.model.asking import asking, asking_of_text
from betaroc.model.measures import MEASURES, OperatingPoint, some_rejected
from betaroc.model.model import ScoreModel
from betaroc.report.curve_words import BetaPairFit, depth
from betaroc.report.observed import (
    MADE,
    RATES,
    ObservedCurve,
    ObservedPoint,
    rate_at,
    rates_shown,
)
from betaroc.report.score_set import (
    EER_THRESHOLD,
    Measured,
    ScoreSet,
    class_verdicts,
    curve_tests,
    summary_numbers,
)


# ---------------------------------------------------------------------------------- fits
def fit_numbers(fit: Fit) -> dict[str, Any]:
    """Everything that ``betaroc fit --json`` says of a fit."""
    model, points = fit.model, fit.model.diagonal_crossings()
    shapes = model.shape_category()
    crossings = [
        fields_of(points[k], "threshold", "logit_threshold")
        | {"rate": points[k].far, "depth": depth(model)}
        for k in range(len(points))
    ]
    return {
        "family": fit.family,
        **{who: law_numbers(getattr(fit, who)) for who in CLASSES},
        "prior": model.prior,
        **fields_of(fit, "log_likelihood", "aic", "bic"),
        **_curve_numbers(model),
        "semi_derivatives": model.semi_derivatives()._asdict(),
        "ends": asdict(model.ends()),
        "global_shape": model.global_shape(),
        "shape_category": [s.value for s in shapes] if isinstance(shapes, tuple) else None,
        "diagonal_crossings": crossings,
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
    at = asking_of_text(EER_THRESHOLD).value(model)
    made = MADE if some_rejected(model._pair) else ()
    auc, eer, ks = (asking(name).number(model) for name in ("auc", "eer", "ks"))
    return {
        "auc": auc,
        "eer": eer,
        "eer_threshold": at.threshold,
        "eer_logit_threshold": at.logit_threshold,
        "ks": ks,
        **{f"{key}_at_eer": rate_at(key, model, at) for key in made},
    }


def confidence_numbers(fit: Fit | None, level: float) -> dict[str, Any]:
    """The tests of ends, curve and shapes; what is refused is null, with the reason."""
    if fit is None:
        why = {"all": "there is no fit"}
        return {"ends": None, "curve": None, "shapes": None, "why_none": why}
    tests = curve_tests(fit, level)
    ends, curve = tests.ends, tests.curve
    hooks = {"hooks": [hook._asdict() for hook in counted_hooks(tests.fit)]}
    return {
        "ends": ends and {end: test._asdict() for end, test in ends._asdict().items()},
        "curve": curve and {
            "probabilities": dict(curve.probabilities),
            **fields_of(curve, "p_proper", "p_no_crossing", "finding"),
            "where_scores_are": dict(curve.where_seen) or None,
            **hooks,
        },
        "shapes": tests.shapes,
        "why_none": tests.why,
        **(hooks if "all" in tests.why else {}),
    }  # fmt: skip


def beta_pair_numbers(pair: BetaPairFit | None) -> dict[str, Any] | None:
    """The beta pair, and whether it suffices."""
    return None if pair is None else {
        **fields_of(pair, "suffices", "reason", "same"),
        "fit": pair.fit and fit_numbers(pair.fit),
        "confidence": pair.fit and confidence_numbers(pair.fit, pair.level),
    }  # fmt: skip


# ---------------------------------------------------------------------------- score sets
def set_numbers(part: ScoreSet, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """One score set; by path what its files are called where not by their paths."""
    source, of = part.scores.source, part.intervals
    intervals = None if of is None else {
        **fields_of(of, "level", "groups"),
        "fitted": _measured(of.model),
        **{name: _measured(getattr(of, name)) for name in ("scores", *CLASSES)},
    }  # fmt: skip
    return {
        **fields_of(part, "role", "name"),
        "source": source and {
            "path": source.path if names is None else names[source.path],
            **fields_of(source, "format", "guessed"),
            "guesses": list(source.guesses),
        },
        "n_client": part.sizes[0],
        "n_impostor": part.sizes[1],
        **summary_numbers(part.given),
        "fit": part.fit and fit_numbers(part.fit),
        "empirical": _curve_numbers(part.empirical),
        "distances": part.distances and asdict(part.distances),
        "distances_from_dev": part.shift and dict(zip(CLASSES, part.shift, strict=True)),
        "intervals": intervals,
        "confidence": of and confidence_numbers(part.fit, of.level),
        **_quality_numbers(part),
    }  # fmt: skip


def _measured(rows: Sequence[Measured]) -> dict[str, Any]:
    return {
        m.key: {
            **fields_of(m, "estimate", "low", "high", "n_beyond", "extrapolated"),
            "method": m.method or None,
            "why_none": m.why or None,
        }
        for m in rows
    }


def _quality_numbers(part: ScoreSet) -> dict[str, Any]:
    """The check, the families and the audit."""
    quality = part.quality
    if quality is None:
        return {}
    compared: dict[str, Any] = {
        "recommended": quality.recommended or None, "reason": quality.uncompared, "table": [],
        "tails": [], "left_out": [],
    }  # fmt: skip
    if quality.families is not None:
        families = quality.families
        compared |= {
            **fields_of(families, "reason", "roc_distance"),
            "table": [_by_class(row) for row in families.rows],
            "tails": [_by_class(row) for row in families.tails],
            "left_out": [dict(zip(("class", "family", "reason"), row, strict=True))
                         for row in families.left_out],
        }  # fmt: skip
    audited: dict[str, Any] = {
        "reason": quality.unaudited, "called_for": list(quality.called_for), "policies": [],
        "tails": [], "extreme_scores": quality.tails,
    }  # fmt: skip
    if quality.audit is not None:
        audited |= {
            "policies": [row._asdict() for row in quality.audit.policies],
            "refused": list(quality.audit.refused),
            "tails": [tail._asdict() for tail in quality.audit.tails],
        }
    checked = _check_numbers(part)
    return {"fit_quality": checked, "families": compared, "sensitivity": audited}


def _by_class(row: Any) -> dict[str, Any]:
    return {("class" if name == "who" else name): value for name, value in asdict(row).items()}


def _check_numbers(part: ScoreSet) -> dict[str, Any]:
    """The verdict on the curve, that on the rates, the counts at thresholds."""
    quality = part.quality
    if quality is None:
        return {}
    check = quality.check
    counted = {"targets": [t._asdict() for t in quality.targets],
               "good_down_to": quality.good_down_to._asdict()}  # fmt: skip
    if check is None and quality.bin_error is None:
        verdict = rates_verdict(quality.targets) if quality.targets else None
        return {"verdict": None, "reason": quality.unchecked, "status": verdict, **counted}
    roc, rates = part.statuses
    order = ("good", "cannot tell", CURVE_ONLY, "poor")
    numbers = {
        "verdict": "good" if roc.verdict == CURVE_ONLY else roc.verdict,
        "reason": roc.words if check is None else check.reason,
        "status": max(rates.verdict, roc.verdict, key=order.index),
        "rates_at_a_threshold": {"verdict": rates.verdict, "reason": rates.words},
        **counted,
    }
    if check is None or check.roc_distance is None:
        return {**numbers, "tolerance": TOLERANCE, "level": quality.level}
    tests = {
        name: {who: getattr(getattr(check, name), who)._asdict() for who in CLASSES}
        for name in ("ks", "cvm", "ad", "information")
    }
    distance = {"roc_distance": check.roc_distance._asdict(), "tests": tests}
    return {**numbers, **distance, **fields_of(check, "tolerance", "level", "replicates")}


def fit_document(part: ScoreSet, reason: str) -> dict[str, Any]:
    """A score set as ``betaroc fit --json`` writes it."""
    numbers = set_numbers(part)
    for key in ("role", "distances_from_dev"):
        del numbers[key]
    return {**numbers.pop("fit"), "reason": reason, **numbers}


def system_document(name: str, part: ScoreSet, reason: str, level: float) -> dict[str, Any]:
    """Of a system among several: both distributions, how far each is off, area and EER."""
    fit, source, off = part.fit, part.scores.source, part.distances
    if fit is None or off is None:
        return {}
    distances = off.client, off.impostor
    verdicts = class_verdicts(part.scores, distances, level)
    models = {"": fit.model, "_counted": part.empirical}
    return {
        "system": name, "source": source and source.path, "family": fit.family, "reason": reason,
        **{
            who: law_numbers(getattr(fit, who)) | {"distance": distance, "verdict": verdict}
            for who, distance, verdict in zip(CLASSES, distances, verdicts, strict=True)
        },
        **{f"auc{by}": model.auc() for by, model in models.items()},
        **{f"eer{by}": float(model.eer().hter) for by, model in models.items()},
    }  # fmt: skip


# -------------------------------------------------------------------- what dev's thresholds do
def _rates_of(part: ScoreSet, point: OperatingPoint, fit: Fit | None = None) -> dict[str, Any]:
    """The rates of a point of a set; those of comparisons made too, where they are others."""
    model = part.empirical if fit is None else fit.model
    keys = ("far", "frr", "hter", "precision", "f1")
    rates = {key: MEASURES[key].value(point) for key in keys}
    made = (key for key in rates_shown([part]) if key not in RATES)
    return rates | {key: rate_at(key, model, point) for key in made}


def met_numbers(met: ObservedPoint, parts: Sequence[ScoreSet]) -> dict[str, Any]:
    """One criterion: its threshold and the rates on every set."""
    dev, beyond = parts[0], met.expected.n_beyond
    ends = zip(parts[1:], met.observed_intervals, strict=True)
    return {
        "criterion": met.key,
        "chosen_by": met.chosen_by,
        **fields_of(met.expected, "threshold", "logit_threshold"),
        "expected": _rates_of(dev, met.expected, dev.fit if met.chosen_by == "model" else None),
        "n_beyond": beyond and dict(zip(CLASSES, beyond, strict=True)),
        "extrapolated": met.expected.extrapolated,
        "contradicted_by": list(met.contradicted_by),
        "observed": {
            part.role: _rates_of(part, point)
            for part, point in zip(parts, met.observed, strict=True)
        },
        "intervals": {
            "expected": _measured(met.expected_intervals),
            **{part.role: _measured(rates) for part, rates in ends},
        },
    }


def observed_numbers(observed: ObservedCurve) -> dict[str, Any]:
    """The curve, its band and what the loss is made of."""
    split = observed.epc.loss_split()
    return {
        "set": observed.role, "chosen_by": observed.chosen_by,
        **curve_numbers(observed.epc, observed.band),
        "loss_split": {name: part.tolist() for name, part in split._asdict().items()},
    }  # fmt: skip


def told_decision(d: Decision, said: Decision | DecisionCheck) -> dict[str, Any]:
    """Threshold, rates and ways, and what is said of them in the end."""
    return {
        **fields_of(d, "threshold", "threshold_for_greater_equal", "target"),
        "rate": None if math.isnan(d.rate) else d.rate,
        **fields_of(d, "how", "confidence", "needed"),
        "expected": fields_of(d.expected, "far", "frr", "prior"),
        "interval": [d.interval.low, d.interval.high],
        **fields_of(said, "status", "reason", "remedy"),
        "ways": [fields_of(way, *Way.__dataclass_fields__) for way in d.ways],
    }


def check_numbers(check: DecisionCheck) -> dict[str, Any]:
    """What a test set says."""
    names = ("observed", "low", "high", "verdict", "status", "reason")
    return fields_of(check, *names) | fields_of(check.point, "far", "frr")
