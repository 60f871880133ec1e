"""Statistics asked for by text, what is said of wrong ones, and of numbers that are not there."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.cli import main

CLIENT, IMPOSTOR = [k / 40 for k in range(12, 40)], [k / 40 for k in range(2, 30)]
SCORES = br.Scores(CLIENT, IMPOSTOR)
#: Of equal shapes, mirrored: the EER is at 1/2, and the ROC crosses the diagonal at no threshold.
PAIR = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
OTHER = br.ScoreModel(br.Beta(3.0, 2.0), br.Beta(2.0, 4.0))


@pytest.mark.simulation
def test_a_text_with_its_point_is_the_name_with_the_keyword() -> None:
    fit = br.fit(SCORES)
    points: list[tuple[str, dict[str, Any]]] = [
        ("frr@far=0.25", {"far": 0.25}), ("threshold@eer", {"at": "eer"}),
        ("threshold@at=eer", {"at": "eer"}), ("partial-auc@between=0,0.5", {"between": (0, 0.5)}),
    ]  # fmt: skip
    for text, point in points:
        name = text.partition("@")[0]
        own: dict[str, Any] = {"replicates": 50, "rng": 1}
        assert br.interval(SCORES, text, **own) == br.interval(SCORES, name, **point, **own)
        assert fit.interval(text) == fit.interval(name, **point)
        assert br.difference(fit, fit, text, paired=False) == br.difference(
            fit, fit, name, paired=False, **point
        )
        if "at" not in point and "between" not in point:  # areas take seconds to plan
            planned = br.plan_sample_size(text, model=PAIR, width=0.1)
            assert planned == br.plan_sample_size(name, model=PAIR, width=0.1, **point)
    gap = br.plan_sample_size("epc-gap@alpha=0.2", model=PAIR, width=0.1)
    assert gap == br.plan_sample_size("epc-gap", model=PAIR, width=0.1, alpha=0.2)


def test_what_is_said_of_what_is_asked_wrongly() -> None:
    curve = br.epc(PAIR, SCORES)
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: br.interval(SCORES, "tpr@far=0.1", far=0.1), br.InputError, "far=0.1. Leave"),
        (lambda: br.interval(SCORES, "tpr@0.1"), br.InputError, "A rate has its name"),
        (lambda: br.interval(SCORES, "aucc@0.1"), br.InputError, "Did you mean 'auc'"),
        (lambda: br.interval(SCORES, "partial-auc@between=0:0.1"), br.InputError,
         "between must be"),
        (lambda: br.interval(SCORES, "zzzz"), br.InputError, r"br.statistics\(\) lists all"),
        (lambda: br.plan_sample_size("zzzz", model=PAIR, width=0.1), br.InputError,
         r"br.statistics\(\) lists numbers"),
        (lambda: br.plan_sample_size("side-at-zero@far=0.1", model=PAIR), br.InputError,
         "taken at no point; got far=0.1"),
        (lambda: br.plan_sample_size("auc", model=(PAIR, OTHER), power=0.8, method="delong"),
         br.InputError, "must be 'delta' for 'auc' of two models; got 'delong'"),
        (lambda: br.interval(br.fit(SCORES, "empirical"), "eer", method="delta"), br.InputError,
         r'br.interval\(scores, "eer"\)'),
        (lambda: br.interval(pathlib.Path("a"), "eer"), br.ScoreFileNotFoundError,
         "read_scores"),
        (lambda: br.interval(np.zeros(3), "eer"), br.InputTypeError, r"a pair \(y_true"),
        (lambda: br.interval(pd.DataFrame(), "eer"), br.InputError, "Scores.from_frame"),
        (lambda: br.interval(PAIR, "eer"), br.InputTypeError, "whose numbers have none"),
        (lambda: curve.interval("area", method="both"), br.InputError, 'or take method="test"'),
        (lambda: curve.band(resample="both"), br.InputError, 'or take resample="test"'),
        (lambda: curve.interval("area", method="test", between=(10, 90)), br.InputError,
         "between must be a fraction"),
        (lambda: curve.interval("area", method="test", between=0.9), br.InputTypeError,
         "between must be"),
    ]  # fmt: skip
    for call, kind, words in cases:
        with pytest.raises(kind, match=words):
            call()


@pytest.mark.simulation
def test_a_number_that_is_not_there_is_told_with_its_reason(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = br.fit(SCORES, "beta")
    own, crossing = "client distribution is Beta, with client-a, client-b", "at no threshold"
    for stat, words in (("client-mu", own), ("frr@crossing", crossing)):
        with pytest.raises(br.InputError, match=words):
            fit.interval(stat)
        with pytest.warns(br.BetarocWarning, match=f"{stat} has no value for 2 of 2.*{words}"):
            table = br.fit_many([SCORES, SCORES], family="beta", statistics=[stat])
        assert table[stat].isna().all()
    design = {"a_c": [2.0, 3.0], "b_c": 1.0, "a_i": 1.0, "b_i": 2.0, "n": 20}
    study = br.Study(design, ["fit.client-mu", "fit.client-a"], folder=tmp_path / "s", rng=1)
    with pytest.warns(br.BetarocWarning, match="fit.client-mu is nan in every trial of 2 of 2"):
        study.run()
    file = tmp_path / "scores.csv"
    rows = [*(f"{x},1" for x in CLIENT), *(f"{x},0" for x in IMPOSTOR)]
    file.write_text("\n".join(["score,label", *rows]), encoding="utf-8")
    assert main(["fit", str(file), "--statistic", "client-mu"]) in (0, None)
    assert f"No interval of fitted client-mu: the {own}" in capsys.readouterr().out
