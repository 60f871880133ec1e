"""`betaroc selftest` passes here and notices what is off, as do the checks of all references."""

import json
import sys
from importlib import import_module

import pytest

from betaroc.cli import main, selftest
from helpers.places import REFERENCES as FOLDER

sys.path.insert(0, str(FOLDER))
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
