"""Both classes of pairs.json against 60 digits; numbers of the pairs: cli/test_selftest.py."""

import json
import math

import numpy as np
import pytest

import betaroc as br
from betaroc.core.thresholds import Thresholds
from helpers.cases import some
from helpers.places import REFERENCES

REFERENCE = json.loads((REFERENCES / "pairs.json").read_text())
TARGETS = [1e-1, 1e-3, 1e-10, 1e-30, 1e-100, 1e-300]
#: Two log-scale numbers L cannot agree better than this in exp(L): L's own last digit.
DIGIT = float(np.finfo(float).eps)


def off(value, reference):
    """Relative error of the probability, of its log where it underflows or is next to 1."""
    true = float(reference)
    if abs(true) < 1e-300:
        return abs(value - true)
    if not 1.0 <= abs(true) <= 700.0:
        return abs(value / true - 1.0)
    return max(0.0, abs(value - true) - DIGIT * abs(true))


def errors_of(law, table):
    t = Thresholds.from_logit(np.array([row[0] for row in table["rows"]]))
    found = law._lower(t)[1], law._upper(t)[1], law._log_pdf(t)
    for row, *values in zip(table["rows"], *found, strict=True):
        yield from zip(("log cdf", "log sf", "log pdf"), map(off, values, row[1:]), strict=True)
    p = np.array(TARGETS)
    for name, invert in (("ppf", law._lower_quantile), ("isf", law._upper_quantile)):
        for y, true in zip(invert(p, np.log(p)).logit, table[name], strict=True):
            yield name, abs(y - float(true)) / max(1.0, abs(float(true)))


@pytest.mark.parametrize("section", some(["table1", "pairs", "hard", "wide"], 4))
def test_tails_and_inverses_of_a_section(section):
    """To 1e-12 for shapes in [0.01, 1e3], 1e-9 beyond."""
    for row in REFERENCE[section]:
        shapes = [*row["client"], *row["impostor"]]
        bound = 1e-12 if min(shapes) >= 0.01 and max(shapes) <= 1e3 else 1e-9
        for who in ("client", "impostor"):
            for name, error in errors_of(br.Beta(*row[who]), row[f"{who}_law"]):
                assert error <= bound, (name, row[who])


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
    """Optima where 1 - theta < 1e-16 or theta < 1e-300 solve f_c / f_i = alpha / (1 - alpha)."""
    model = br.ScoreModel(br.Beta(*client), br.Beta(*impostor))

    def log_beta(a, b):
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    logits = []
    for alpha, odds in ((1e-6, 1 / 999999), (1e-3, 1 / 999), (0.999, 999.0), (0.999999, 999999.0)):
        y = model.min_weighted_error(alpha).logit_threshold
        logits.append(y)
        log_x = -math.log1p(math.exp(-y)) if y > -700 else y
        log_q = -math.log1p(math.exp(y)) if y < 700 else -y
        ratio = (client[0] - impostor[0]) * log_x + (client[1] - impostor[1]) * log_q
        ratio += log_beta(*impostor) - log_beta(*client)
        assert ratio == pytest.approx(math.log(odds), rel=1e-12)
    assert min(logits) < math.log(1e-300)
    assert max(logits) > -math.log(1e-16)
