"""Every number of a pair against 60-digit references (reference/README.md), in relative error."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import betaroc as br
from betaroc.core.thresholds import Thresholds
from helpers.places import REFERENCES

REFERENCE = json.loads((REFERENCES / "pairs.json").read_text())
#: What is expected for shapes in [0.05, 1e3], and [1e-3, 1e6].
RTOL_MODERATE = 1e-12
RTOL_WIDE = 1e-9
#: Two log-scale numbers L cannot agree better than this in exp(L): L's own last digit.
DIGIT = float(np.finfo(float).eps)

Error = tuple[str, float]


def relative(value, reference):
    true = float(reference)
    if true == 0.0 or abs(true) < 1e-307:
        return abs(value - true)
    return abs(value / true - 1.0)


def in_logs(log_value, reference):
    """Relative error of exp(log) beyond what one unit in the last place of the log means."""
    true = float(reference)
    if true == -math.inf or log_value == -math.inf:
        return 0.0 if log_value == true else math.inf
    return max(0.0, abs(log_value - true) - DIGIT * abs(true))


def threshold_errors(point, row, what):
    if "logit" not in row:
        yield f"{what} threshold", relative(point.threshold, row["threshold"])
        return
    true = float(row["logit"])
    yield f"{what} logit", abs(point.logit_threshold - true) / max(1.0, abs(true))
    if float(row["theta"]) > 1e-300:
        slack = DIGIT * abs(true)
        error = relative(point.threshold, row["theta"])
        yield f"{what} theta", max(0.0, error - slack)


def law_errors(law, table, which):
    rows = table["rows"]
    t = Thresholds.from_logit(np.array([row[0] for row in rows]))
    lower, upper = law._lower(t)[1], law._upper(t)[1]
    density = law._log_pdf(t)
    for k, (_, log_f, log_s, log_pdf) in enumerate(rows):
        yield f"{which} log cdf", _tail(lower[k], log_f)
        yield f"{which} log sf", _tail(upper[k], log_s)
        yield f"{which} log pdf", _tail(density[k], log_pdf)
    p = np.array(TARGETS)
    for name, invert in (("ppf", law._lower_quantile), ("isf", law._upper_quantile)):
        found = invert(p, np.log(p)).logit
        for y, true in zip(found, table[name], strict=True):
            yield f"{which} {name}", abs(y - float(true)) / max(1.0, abs(float(true)))


TARGETS = [1e-1, 1e-3, 1e-10, 1e-30, 1e-100, 1e-300]


def _tail(value, reference):
    """Relative error of the probability, of its log where it underflows."""
    true = float(reference)
    if true == 0.0 or abs(true) < 1e-300:
        return abs(value - true)
    if true < -700.0 or true > 700.0:
        return abs(value / true - 1.0)
    # Near 1 the log is minus the other tail: relative error of the log itself.
    return abs(value / true - 1.0) if abs(true) < 1.0 else in_logs(value, reference)


def model_of(row, **options):
    def law(spec):
        if isinstance(spec, dict):
            return br.Inflated(br.Beta(spec["a"], spec["b"]), spec["at_zero"], spec["at_one"])
        if isinstance(spec[0], str):
            kinds = {"beta": br.Beta, "normal": br.Normal, "logit-normal": br.LogitNormal}
            return kinds[spec[0]](*spec[1:])
        return br.Beta(*spec)

    return br.ScoreModel(law(row["client"]), law(row["impostor"]), **options)


def errors_of(row):
    model = model_of(row)
    for which in ("client", "impostor"):
        if f"{which}_law" in row:
            yield from law_errors(getattr(model, which), row[f"{which}_law"], which)
    yield "auc", relative(model.auc(), row["auc"])
    eer = model.eer()
    yield "eer", relative(eer.hter, row["eer"]["value"])
    yield from threshold_errors(eer, row["eer"], "eer")
    yield "ks", relative(model.ks(), row["ks"]["value"])
    yield from weighted_errors(model, row)
    roc = model.roc()
    for target in row.get("far_targets", ()):
        point = model.at_far(target["far"])
        yield from threshold_errors(point, target, "far target")
        yield "far", relative(point.far, repr(target["far"]))
        if float(target["log_tpr"]) > -700.0:
            yield "tpr at far", in_logs(math.log(roc.tpr(target["far"])), target["log_tpr"])
        if abs(float(target["log_slope"])) < 700.0:
            yield "slope at far", in_logs(math.log(roc.slope(target["far"])), target["log_slope"])
    for low, high, area in row.get("partial_auc", ()):
        yield "partial auc", relative(model.partial_auc(low, high), area)
    yield from prior_errors(row)


def weighted_errors(model, row):
    for entry in row["weighted"]:
        point = model.min_weighted_error(entry["alpha"])
        yield "weighted error", relative(point.weighted_error(entry["alpha"]), entry["value"])
        if float(entry["lead"]) < 1e-9:
            continue  # two minima of one value: either is right
        if entry["kind"] == "interior":
            yield from threshold_errors(point, entry, "weighted error")
        else:
            yield f"weighted error {entry['kind']}", trivial_error(point, entry["kind"])


def trivial_error(point, kind):
    if kind in ("at-zero", "at-one"):
        return abs(point.threshold - (kind == "at-one"))
    return float(point.frr if kind == "accept-all" else point.far)


def prior_errors(row):
    for entry in row.get("max_f", ()):
        model = model_of(row, prior=entry["prior"])
        point = model.max_f(entry["weight"])
        yield "max f", relative(point.f(entry["weight"]), entry["value"])
        if float(entry["lead"]) >= 1e-9 and entry["kind"] == "interior":
            # The maximum is flat: F's last digits fix the threshold to their square root only.
            yield from threshold_errors(point, entry, "max f")
    if "break_even" in row:
        entry = row["break_even"]
        point = model_of(row, prior=entry["prior"]).break_even()
        yield "break even", relative(point.precision, entry["value"])
        yield from threshold_errors(point, entry, "break even")
    for prior, value in row.get("average_precision", ()):
        yield "average precision", relative(model_of(row, prior=prior).average_precision(), value)


def _bound(row):
    """1e-12 for shapes in [0.01, 1e3], 1e-9 beyond."""
    shapes = [v for side in (row["client"], row["impostor"]) for v in _shapes(side)]
    moderate = not shapes or (min(shapes) >= 0.01 and max(shapes) <= 1e3)
    return RTOL_MODERATE if moderate else RTOL_WIDE


def _shapes(side):
    return [] if isinstance(side, dict) or isinstance(side[0], str) else list(side)


@pytest.mark.simulation
@pytest.mark.parametrize(
    "section",
    [
        pytest.param("pairs", marks=pytest.mark.nightly),
        "hard", "wide", "table1", "binormal", "mixed", "inflated",
    ],
)  # fmt: skip
def test_all_numbers_of_a_section(section, capsys):
    worst = ("", -1.0, "")
    for row in REFERENCE[section]:
        label = f"client {row['client']} v impostor {row['impostor']}"
        for name, error in errors_of(row):
            assert error <= _bound(row), f"{name}: {error:.2e} on {label}"
            if error > worst[1]:
                worst = (name, error, label)
    with capsys.disabled():
        count = len(REFERENCE[section])
        print(f"\n{section}: {count} pairs, worst error {worst[1]:.1e} ({worst[0]}, {worst[2]})")


@pytest.mark.parametrize(
    "cell", REFERENCE["nan_cells"], ids=lambda c: f"{c['a']}-{c['b']}-{c['p']}"
)
def test_quantiles_where_scipy_answers_nan(cell):
    law = br.Beta(cell["a"], cell["b"])
    invert = law._lower_quantile if cell["tail"] == "lower" else law._upper_quantile
    p = np.array(cell["p"])
    found, true = float(invert(p, np.log(p)).logit), float(cell["logit"])
    assert abs(found - true) <= 1e-12 * max(1.0, abs(true))


@pytest.mark.parametrize(
    ("client", "impostor"), [((0.02, 0.01), (0.01, 0.03)), ((0.03, 0.01), (0.01, 0.02))]
)
def test_roots_outside_the_doubles_of_theta(client, impostor):
    """Optima where 1 - theta < 1e-16 or theta < 1e-300 solve f_c / f_i = alpha / (1 - alpha).

    The derivative of alpha FAR + (1 - alpha) FRR vanishes there; the ratio is
    written out by hand in logit coordinates with math.lgamma.
    """
    model = br.ScoreModel(br.Beta(*client), br.Beta(*impostor))

    def log_beta(a, b):
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    logits = []
    for alpha, odds in ((1e-6, 1 / 999999), (1e-3, 1 / 999), (0.999, 999.0), (0.999999, 999999.0)):
        y = model.min_weighted_error(alpha).logit_threshold
        logits.append(y)
        log_x, log_q = -math.log1p(math.exp(-y)) if y > -700 else y, 0.0
        log_q = -math.log1p(math.exp(y)) if y < 700 else -y
        ratio = (
            (client[0] - impostor[0]) * log_x
            + (client[1] - impostor[1]) * log_q
            + log_beta(*impostor)
            - log_beta(*client)
        )
        assert ratio == pytest.approx(math.log(odds), rel=1e-12)
    assert min(logits) < math.log(1e-300)
    assert max(logits) > -math.log(1e-16)
