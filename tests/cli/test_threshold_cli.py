"""`betaroc threshold`: the screen that is wanted, JSON, exit codes, files that do not do."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.rendering.terminal import rate, rounded, strip
from helpers.places import ROOT

ASV = ROOT / "examples" / "data" / "asvspoof19_asv"
DEV, EVAL = str(ASV / "dev.csv.gz"), str(ASV / "eval.csv.gz")
LIVENESS = ROOT / "examples" / "data" / "liveness_within_mlp"

#: By hand: 45 of 5768 impostors above, Beta(46, 5723); Clopper and Pearson's of the rest.
SCREEN = """\
                           expected, from dev         observed, on test
FAR  impostors accepted    0.80 % (0.58 to 1.0 %)     0.62 % (0.53 to 0.71 %)
                           45 of 5768                 205 of 33 327
FRR  clients rejected      4.9 % (3.9 to 6.1 %)       6.6 % (5.9 to 7.3 %)
                           73 of 1484                 352 of 5370

FAR         0.01        0.1         1           10         100 %
dev           .           .        ├─o┤           .           .
test          .           .        ├●┤.           .           .
                                      target 1 %
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["threshold", *arguments]) == code
    return capsys.readouterr().out


def test_the_screen_that_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, DEV, "--far", "0.01", "--test", EVAL)
    first = text.splitlines()[0]
    assert first == ("Threshold 1.456     accept if score > 1.456     guaranteed, 95 % confidence")
    assert "Can be relied on" in text
    for line in SCREEN.splitlines():
        assert line in text.splitlines(), line
    assert "> guaranteed, 95 %            1.456     0.80 %        45      0.62 %      6.6 %" in text
    assert "software that accepts score >= threshold: 1.4552720000000001" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_test_that_contradicts(capsys: pytest.CaptureFixture[str]) -> None:
    dev, test = str(LIVENESS / "dev.csv"), str(LIVENESS / "test_sharpen0.40.csv")
    text = run(capsys, dev, "--far", "0.01", "--test", test)
    assert "Do not rely on it" in text
    assert "not possible: 299 impostor scores needed, dev has 270" in text
    assert main(["threshold", dev, "--far", "0.01", "--test", test, "--strict"]) == 1
    capsys.readouterr()
    assert max(map(len, text.splitlines())) <= 80


def test_the_threshold_alone_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    d = br.decide(br.read_scores(DEV), far=0.01)
    assert run(capsys, DEV, "--far", "0.01", "--print", "threshold") == f"{d.threshold!r}\n"
    said = json.loads(run(capsys, DEV, "--far", "0.01", "--test", EVAL, "--json"))
    check = d.check(br.read_scores(EVAL))
    assert (said["threshold"], said["how"], said["status"]) == (d.threshold, d.how, d.status)
    assert said["test"]["observed"] == check.observed
    assert [way["how"] for way in said["ways"]] == [way.how for way in d.ways]


def test_costs_have_no_strip(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, DEV, "--cost-fa", "10", "--cost-fr", "1", "--prior", "0.2")
    assert "0.01        0.1" not in text
    assert "Not enough evidence" in text
    d = br.decide(br.read_scores(DEV), cost_fa=10, cost_fr=1, prior=0.2)
    assert repr(d.threshold_for_greater_equal) in text


def test_what_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        ((DEV, "--far", "0.01", "--test", DEV), "--test must be another file than dev"),
        ((DEV,), "exactly one target must be given: --far, --frr, --cost-fa with --cost-fr"),
        ((DEV, "--far", "0.0001", "--how", "guaranteed"), "29956 impostor scores needed"),
    ):
        assert main(["threshold", *arguments]) == 2
        assert words in capsys.readouterr().err


def test_letters_where_the_terminal_has_no_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("betaroc.cli.threshold._shows", lambda _: False)
    text = run(capsys, DEV, "--far", "0.01")
    assert "[ok] Can be relied on, not tested" in text
    assert text.isascii()


# ------------------------------------------------------------------------------- numbers
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 %"), (1.0, "100 %"), (0.00797, "0.80 %"), (0.0099653, "1.0 %"), (0.049, "4.9 %"),
        (0.2, "20 %"), (0.5, "50 %"), (0.991, "99.1 %"), (0.95, "95 %"), (0.00009, "0.0090 %"),
        (math.nan, "undefined"),
    ],
)  # fmt: skip
def test_rates_have_two_digits(value: float, text: str) -> None:
    assert rate(value) == text


def test_copied_thresholds_never_break_the_target() -> None:
    rng = np.random.default_rng(1)
    for x in [*rng.normal(size=200), *rng.random(200) * 1e-6, 0.0, 12345.678, 1.4552720000000001]:
        assert float(rounded(float(x), up=True)) >= x
        assert float(rounded(float(x), up=False)) <= x
    assert rounded(1.455272, up=True) == "1.456"
    assert rounded(-math.inf, up=True) == "accept all"


def test_a_strip_holds_rates_beyond_its_scale() -> None:
    lines = strip("FAR", [("dev", 0.0, 0.0, 1.0)], None, plain=True)
    assert len(lines) == 2
    assert lines[1][14] == "o"
    assert lines[1][62] == "]"
