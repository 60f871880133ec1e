"""`betaroc selftest`: it passes here, its references are those of the generators, it notices."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from betaroc.cli import main, reference_checks, selftest
from betaroc.cli.reference_checks import CHECKS, digits_of, errors_of_row
from betaroc.distributions.beta import Beta
from helpers.places import REFERENCES

SHIPPED = selftest._references()


@pytest.mark.simulation
def test_every_number_has_the_digits_required(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["passed"] is True
    assert all(group["passed"] for group in found["groups"])
    assert sum(group["numbers"] for group in found["groups"]) > 4000
    assert len(found["groups"]) == len(SHIPPED["blocks"])
    assert {"python", "betaroc", "numpy", "scipy", "platform"} <= found["versions"].keys()
    assert found["references"]["mpmath"]


def few(monkeypatch: pytest.MonkeyPatch, *checks: str) -> None:
    """The self-test of some checks alone."""
    blocks = [one for one in SHIPPED["blocks"] if one["check"] in checks]
    monkeypatch.setattr(selftest, "_references", lambda: SHIPPED | {"blocks": blocks})


def test_what_it_says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    few(monkeypatch, "log-beta", "normal-inverse")
    assert main(["selftest"]) == 0
    out = capsys.readouterr().out
    assert "Every number has the digits required." in out
    assert "shapes 0.05 to 1000" in out
    assert f"python {sys.version.split()[0]}" in out
    assert main(["selftest", "--csv"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "number,region,numbers,worst,median,required,verdict"
    assert len(rows) == 3
    assert rows[1].startswith("log of the beta function,")  # said once to people, to files always


@pytest.mark.simulation
def test_a_function_that_is_off_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tail that is wrong by 1e-11 of itself, and one that raises."""
    few(monkeypatch, "log-beta", "beta-tails", "ks")
    right = Beta.sf
    monkeypatch.setattr(Beta, "sf", lambda self, x: right(self, x) * (1.0 + 1e-11))
    assert main(["selftest"]) == 1
    out = capsys.readouterr().out
    assert out.count("missed") == 1  # nine digits are left, which is enough of extreme shapes
    assert "Fewer digits than required in 1 row" in out
    assert "beta distribution, shapes 0.05 to 1000: sf of [" in out

    def fail(*_: Any) -> float:
        raise ZeroDivisionError

    monkeypatch.setattr(Beta, "sf", right)
    monkeypatch.setattr(reference_checks, "log_beta", fail)
    assert main(["selftest", "--json"]) == 1
    groups = json.loads(capsys.readouterr().out)["groups"]
    missed = [group for group in groups if not group["passed"]]
    assert {group["number"] for group in missed} == {"ZeroDivisionError"}
    assert {group["worst"] for group in missed} == {"-inf"}


@pytest.mark.simulation
def test_what_is_shipped_is_what_the_generators_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REFERENCES))
    maker = import_module("make_selftest")
    rows = {(b["check"], b["region"]): maker.thinned(b) for b in maker.blocks()}
    assert rows == {(b["check"], b["region"]): b["rows"] for b in SHIPPED["blocks"]}
    assert Path(maker.TARGET).stat().st_size <= 200_000


def test_every_check_has_references_of_its_form() -> None:
    assert {block["check"] for block in SHIPPED["blocks"]} == CHECKS.keys()
    for block in SHIPPED["blocks"]:
        check = CHECKS[block["check"]]
        assert {len(row) for row in block["rows"]} == {check.arguments + len(check.numbers)}
        assert block["digits"] >= 9


def test_digits() -> None:
    assert digits_of(1e-12) == pytest.approx(12.0)
    assert digits_of(0.0) == 16.0
    assert digits_of(float("inf")) == digits_of(float("nan")) == float("-inf")


def test_what_no_double_holds_is_compared_by_its_logarithm() -> None:
    """Beta(1, 1000) at 0.9: S is 0.1^1000."""
    row = [1.0, 1000.0, 0.9, None, None, "1e-1000", None, None, "-2302.585092994045684"]
    assert [one.number for one in errors_of_row(CHECKS["beta-tails"], row)] == ["log sf"]


def test_nan_is_no_digit() -> None:
    check = CHECKS["log-beta"]._replace(compute=lambda a, b: [float("nan")])
    (error,) = errors_of_row(check, [1.0, 1.0, "0.0"])
    assert digits_of(error.value) == float("-inf")
