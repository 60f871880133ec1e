"""A row added to the table of statistics is known everywhere; expected numbers by scipy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import betaroc as br
from betaroc.cli import main
from betaroc.model.measures import MEASURES, Measure
from betaroc.model.statistics import STATISTICS, Statistic, of_measure, of_point, point_at
from helpers.places import ROOT, script

NAME = "balanced-gap"
TEXT = "balanced-gap@threshold=0.4"
AT = {"threshold": 0.4}
#: |FAR - FRR| at 0.4 of N(1, 1) clients and N(0, 1) impostors.
TRUE = abs(stats.norm.sf(0.4) - stats.norm.cdf(0.4 - 1.0))
MODEL = br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(0.0, 1.0))


def gap(point: br.OperatingPoint) -> Any:
    return abs(np.asarray(point.far) - point.frr)


ROW = Statistic(
    lambda model, where: gap(point_at(model, where)),
    "distance of both rates",
    ("threshold", "far", "at"),
    better="lower",
    rates=lambda model, where: of_point(point_at(model, where)),
)


@pytest.fixture(params=["row", "measure"])
def own(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The statistic in the table: by a row alone, or as a measure of operating points."""
    if request.param == "measure":
        monkeypatch.setitem(MEASURES, NAME, Measure(gap, "distance of both rates", 0.0, 1.0, False))
    monkeypatch.setitem(STATISTICS, NAME, ROW if request.param == "row" else of_measure(NAME))
    return str(request.param)


def scores(seed: int = 1, n: int = 200) -> br.Scores:
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(1, 1, n), rng.normal(0, 1, n))


def counted(s: br.Scores) -> float:
    return float(abs(np.mean(s.impostor > 0.4) - np.mean(s.client <= 0.4)))


def fitted(s: br.Scores) -> float:
    tails = [(np.mean(x), np.std(x)) for x in (s.impostor, s.client)]
    return float(abs(stats.norm.sf(0.4, *tails[0]) - stats.norm.cdf(0.4, *tails[1])))


def test_intervals_differences_and_plans_know_it(own: str) -> None:
    a, b = scores(1), scores(2)
    fits = [br.fit(s, "normal") for s in (a, b)]
    assert br.interval(a, NAME, **AT, replicates=50, rng=1).estimate == pytest.approx(counted(a))
    assert br.interval(fits[0], NAME, **AT).estimate == pytest.approx(fitted(a))
    of_scores = br.difference(a, b, NAME, **AT, replicates=50, rng=1)
    assert of_scores.estimate == pytest.approx(counted(a) - counted(b))
    of_fits = br.difference(fits[0], fits[1], NAME, **AT)
    assert of_fits.estimate == pytest.approx(fitted(a) - fitted(b))
    plan = br.plan_sample_size(NAME, **AT, model=MODEL, width=0.1)
    assert (plan.stat, plan.at) == (NAME, "threshold=0.4")
    assert plan.estimate == pytest.approx(TRUE, rel=1e-9)
    # Half the planned scores beyond the rarer of both rates.
    rarer = min(stats.norm.sf(0.4), stats.norm.cdf(-0.6))
    assert plan.n_beyond == pytest.approx(plan.n_client * rarer, rel=1e-9)


def test_tables_of_fits_and_studies_know_it(own: str, tmp_path: Path) -> None:
    s = scores()
    table = br.fit_many({"one": s}, family="normal", statistics=[TEXT])
    assert table.loc[0, TEXT] == pytest.approx(fitted(s))
    assert table.loc[0, f"{TEXT}_n_beyond"] < 200 * 0.5
    design = {"law": "normal", "mu_c": 1.0, "sigma_c": 1.0, "mu_i": 0.0, "sigma_i": 1.0, "n": 50}
    if own == "measure":
        design |= {"measure": NAME, "criterion": "far", "alpha": 0.2}
    asked = [f"{source}.{TEXT}" for source in ("true", "fit", "empirical")]
    chosen = ["epc-true.value"] if own == "measure" else []
    frame = br.Study(design, [*asked, *chosen], folder=tmp_path, rng=1).run().to_frame()
    assert frame["error"].tolist() == [""]
    assert frame.loc[0, asked[0]] == pytest.approx(TRUE, rel=1e-9)
    assert np.isfinite(frame[asked].to_numpy()).all()
    if own == "measure":
        frr = stats.norm.cdf(stats.norm.isf(0.2) - 1.0)
        assert frame.loc[0, "epc-true.value"] == pytest.approx(abs(0.2 - frr), rel=1e-9)


def test_it_is_a_goal(own: str) -> None:
    model = br.solve_pair(goals={f"{NAME}@far=0.05": 0.4}, family="normal")
    # FRR .45 at FAR .05 of unit spreads: the means are z(.95) - z(.45) apart.
    apart = stats.norm.isf(0.05) - stats.norm.ppf(0.45)
    assert float(model.client.mu) == pytest.approx(apart, rel=1e-8)
    beta = br.solve_pair(goals={f"{NAME}@far=0.05": 0.4}, auc=0.85)
    client, impostor = (stats.beta(law.a, law.b) for law in (beta.client, beta.impostor))
    t = optimize.brentq(lambda x: impostor.sf(x) - 0.05, 1e-9, 1 - 1e-9, xtol=1e-14)
    assert client.cdf(t) == pytest.approx(0.45, abs=1e-8)


def test_curves_and_their_comparison_know_a_measure(own: str) -> None:
    if own == "row":
        with pytest.raises(br.InputError, match="measure must be one of"):
            br.epc(MODEL, MODEL, measure=NAME)
        return
    dev, test = scores(3), scores(4)
    curve = br.epc(dev, test, criterion="far", measure=NAME, alpha=[0.2, 0.4])
    other = br.epc(dev, test, measure=NAME, criterion="far", alpha=[0.2, 0.4])
    t = curve.threshold[1]
    expected = abs(np.mean(test.impostor > t) - np.mean(test.client <= t))
    assert curve.value[1] == pytest.approx(expected)
    found = br.compare(curve, other, replicates=20, rng=1)
    assert found.difference.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(found.n_beyond, [40, 80])  # of 200 impostors at .2 and .4


def test_reports_and_the_command_line_know_it(
    own: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    s = scores()
    found = br.analyze(s, family="normal", statistics=[TEXT]).to_dict()["dev"]["intervals"]
    assert found["fitted"][TEXT]["estimate"] == pytest.approx(fitted(s))
    assert found["scores"][TEXT]["estimate"] == pytest.approx(counted(s))
    assert found["fitted"][TEXT]["n_beyond"] is not None
    file = tmp_path / "scores.csv"
    rows = [f"{float(x)!r},{k}" for k, side in ((1, s.client), (0, s.impostor)) for x in side]
    file.write_text("\n".join(["score,label", *rows]) + "\n", encoding="utf-8")
    assert main(["fit", str(file), "--family", "normal", "--json", "--statistic", TEXT]) == 0
    shown = json.loads(capsys.readouterr().out)["intervals"]["fitted"][TEXT]
    assert shown["low"] < shown["estimate"] == pytest.approx(fitted(s))
    assert main(["fit", str(file), "--family", "normal", "--statistic", TEXT]) == 0
    assert "distance of both rates at threshold 0.4" in capsys.readouterr().out


def test_the_table_and_its_page_list_it(own: str) -> None:
    assert NAME in br.statistics()["name"].tolist()
    page = script(ROOT / "docs" / "build.py").regenerated(ROOT / "docs" / "statistics.md")
    assert f"| `{NAME}` | distance of both rates |" in page


def test_what_is_asked_wrongly_is_refused() -> None:
    s = {"one": scores()}
    cases: list[tuple[str, str]] = [
        ("tpq@far=0.1", "Did you mean 'tpr'"), ("tpr", "needs a point"),
        ("auc@far=0.1", "is taken at no point"), ("auc@eer", "is taken at no point"),
        ("weighted-error@far=0.1", "it takes alpha="), ("tpr@fra=0.1", "must stand a point"),
        ("tpr@far=x", "must be a number"), ("tpr@far=1.5", "must be a fraction"),
    ]  # fmt: skip
    for text, message in cases:
        for call in (
            lambda text=text: br.fit_many(s, family="normal", statistics=[text]),
            lambda text=text: br.solve_pair(goals={text: 0.5}),
            lambda text=text: br.analyze(s["one"], family="normal", statistics=[text]),
        ):
            with pytest.raises(br.InputError, match=message):
                call()
    for given in (["eer", "eer"], "eer eer"):
        with pytest.raises(br.InputError):
            br.fit_many(s, family="normal", statistics=given)
    for wrong in (3, [3], {"auc": 1}):
        with pytest.raises(br.InputTypeError, match=r"statistic.* must be"):
            br.fit_many(s, family="normal", statistics=wrong)
