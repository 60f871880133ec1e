"""Both classes of pairs.json against 60 digits, and what selftest compares."""

import json
import math
import sys
from importlib import import_module

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main, selftest
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


sys.path.insert(0, str(REFERENCES))
checks = import_module("checks")
BLOCKS = import_module("_blocks").blocks()
#: Numbers of a block at most, fewer of what takes long.
ROWS, SLOW = 20, {"average-precision": 3, "max-f": 6, "epc": 6, "mixture-mle": 2, "partial-auc": 9}


@pytest.mark.simulation
@pytest.mark.parametrize("check", checks.CHECKS)
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_every_number_has_the_digits_required(check, whole):
    blocks = [block for block in BLOCKS if block["check"] == check]
    assert blocks
    for block in blocks:
        assert block["digits"] >= 9
        every = 1 if whole else -(-len(block["rows"]) // SLOW.get(check, ROWS))
        rows = block["rows"][::every]
        errors = [one for row in rows for one in checks.errors_of_row(checks.CHECKS[check], row)]
        worst = max(errors, key=lambda error: error.value)
        assert checks.digits_of(worst.value) >= block["digits"], (block["region"], worst)


def test_what_it_says_is_of_the_references_of_the_generators(capsys):
    assert main(["selftest"]) == 0
    out = capsys.readouterr().out
    assert "Every number has at least 10 correct decimal digits." in out
    assert f"python {sys.version.split()[0]}" in out
    assert main(["selftest", "--csv"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "number,numbers,digits"
    assert len(rows) == sum(len(names) for names, *_ in selftest.REFERENCES)
    # Every value stands in a file of 60 digits, next to its last argument that is a number.
    written = {repr(float(v)) for block in BLOCKS for row in block["rows"] for v in row
               if isinstance(v, str) and v[:1] in "-0123456789"}  # fmt: skip
    for names, _, calls in selftest.REFERENCES:
        assert {repr(value) for call in calls for value in call[-len(names) :]} <= written


def test_a_function_that_is_off_is_noticed(monkeypatch, capsys):
    """A beta function that is wrong by 1e-9 of itself, and a fit that raises."""

    def fail(*_):
        raise ZeroDivisionError

    (beta, compute, calls), *_, (fit, _, samples) = selftest.REFERENCES
    wrong = (beta, lambda *shapes: [(1.0 + 1e-9) * compute(*shapes)[0]], calls)
    monkeypatch.setattr(selftest, "REFERENCES", [wrong, (fit, fail, samples)])
    assert main(["selftest", "--json"]) == 1
    groups = json.loads(capsys.readouterr().out)["groups"]
    digits = {group["number"]: float(group["digits"]) for group in groups}
    missed = {name: value for name, value in digits.items() if not value >= 10.0}
    assert missed == {beta[0]: pytest.approx(9.0, abs=1e-4), **dict.fromkeys(fit, float("-inf"))}
    assert main(["selftest"]) == 1
    assert f"Fewer than 10 correct decimal digits of {beta[0]}," in capsys.readouterr().out
