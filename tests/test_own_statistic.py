"""A row added to the table of statistics is known everywhere; expected numbers by scipy."""

import json
import warnings

import numpy as np
import pytest
from scipy import optimize, stats

import betaroc as br
from betaroc.cli import main
from betaroc.model.measures import MEASURES, Measure
from betaroc.model.statistics import STATISTICS, Statistic, of_measure, point_at, rates_of_point
from helpers.files import write

NAME = "balanced-gap"
TEXT = "balanced-gap@threshold=0.4"
AT = {"threshold": 0.4}
#: |FAR - FRR| at 0.4 of N(1, 1) clients and N(0, 1) impostors.
TRUE = abs(stats.norm.sf(0.4) - stats.norm.cdf(0.4 - 1.0))
MODEL = br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(0.0, 1.0))


def gap(point):
    return abs(np.asarray(point.far) - point.frr)


ROW = Statistic(
    lambda model, where: gap(point_at(model, where)),
    "distance of both rates",
    ("threshold", "far", "at"),
    better="lower",
    rates=lambda model, where: rates_of_point(point_at(model, where)),
)


@pytest.fixture(params=["row", "measure"])
def own(request, monkeypatch):
    """The statistic in the table: by a row alone, or as a measure of operating points."""
    if request.param == "measure":
        monkeypatch.setitem(
            MEASURES, NAME, Measure(gap, "distance of both rates", larger_is_better=False)
        )
    monkeypatch.setitem(STATISTICS, NAME, ROW if request.param == "row" else of_measure(NAME))
    return str(request.param)


def scores(seed=1, n=200):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(1, 1, n), rng.normal(0, 1, n))


def counted(s):
    return float(abs(np.mean(s.impostor > 0.4) - np.mean(s.client <= 0.4)))


def fitted(s):
    tails = [(np.mean(x), np.std(x)) for x in (s.impostor, s.client)]
    return float(abs(stats.norm.sf(0.4, *tails[0]) - stats.norm.cdf(0.4, *tails[1])))


@pytest.mark.simulation
def test_intervals_differences_and_plans_know_it(own):
    a, b = scores(1), scores(2)
    fits = [br.fit(s, "normal") for s in (a, b)]
    assert br.interval(a, NAME, **AT, replicates=50, rng=1).estimate == pytest.approx(counted(a))
    assert br.interval(fits[0], NAME, **AT, method="family").estimate == pytest.approx(fitted(a))
    of_scores = br.difference(a, b, NAME, **AT, replicates=50, rng=1)
    assert of_scores.estimate == pytest.approx(counted(a) - counted(b))
    of_fits = br.difference(fits[0], fits[1], NAME, **AT, method="family")
    assert of_fits.estimate == pytest.approx(fitted(a) - fitted(b))
    plan = br.plan_sample_size(NAME, **AT, model=MODEL, width=0.1)
    assert (plan.stat, plan.at) == (NAME, "threshold=0.4")
    assert plan.estimate == pytest.approx(TRUE, rel=1e-9)
    # Half the planned scores beyond the rarer of both rates.
    rarer = min(stats.norm.sf(0.4), stats.norm.cdf(-0.6))
    assert plan.n_beyond == pytest.approx(plan.n_client * rarer, rel=1e-9)


def test_tables_of_fits_and_studies_know_it(own, tmp_path):
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


@pytest.mark.simulation
def test_it_is_a_goal(own):
    model = br.solve_pair(goals={f"{NAME}@far=0.05": 0.4}, family="normal")
    # FRR .45 at FAR .05 of unit spreads: the means are z(.95) - z(.45) apart.
    apart = stats.norm.isf(0.05) - stats.norm.ppf(0.45)
    assert float(model.client.mu) == pytest.approx(apart, rel=1e-8)
    beta = br.solve_pair(goals={f"{NAME}@far=0.05": 0.4}, auc=0.85)
    client, impostor = (stats.beta(law.a, law.b) for law in (beta.client, beta.impostor))
    t = optimize.brentq(lambda x: impostor.sf(x) - 0.05, 1e-9, 1 - 1e-9, xtol=1e-14)
    assert client.cdf(t) == pytest.approx(0.45, abs=1e-8)


def test_curves_and_their_comparison_know_a_measure(own):
    if own == "row":
        with pytest.raises(br.InputError, match="measure must be one of"):
            br.epc(MODEL, MODEL, measure=NAME)
        return
    dev, test = scores(3), scores(4)
    curve = br.epc(dev, test, criterion="far", measure=NAME, alpha=[0.2, 0.4])
    t = curve.threshold[1]
    expected = abs(np.mean(test.impostor > t) - np.mean(test.client <= t))
    assert curve.value[1] == pytest.approx(expected)
    found = br.compare(curve, curve, replicates=20, rng=1)
    assert found.difference.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(found.n_beyond, [40, 80])  # of 200 impostors at .2 and .4


@pytest.mark.simulation
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("own", ["measure"], indirect=True)
def test_reports_and_the_command_line_know_it(own, tmp_path, capsys):
    s = scores()
    with pytest.warns(br.errors.BetarocWarning, match="scores"):  # a normal fit is poor there
        found = br.analyze(s, family="normal", statistics=[TEXT]).dev.intervals
    by_fit, by_scores = ({m.key: m for m in rows}[TEXT] for rows in (found.model, found.scores))
    assert by_fit.estimate == pytest.approx(fitted(s))
    assert by_scores.estimate == pytest.approx(counted(s))
    assert by_fit.n_beyond is not None
    file = write(tmp_path / "scores.csv", s.client, s.impostor)
    assert main(["fit", file, "--family", "normal", "--json", "--statistic", TEXT]) == 0
    shown = json.loads(capsys.readouterr().out)["intervals"]["fitted"][TEXT]
    assert shown["low"] < shown["estimate"] == pytest.approx(fitted(s))


@pytest.mark.simulation
def test_plans_say_how_many_scores_would_do():
    """20 impostors beyond FAR .1 of 200 planned, .2 beyond .001: 3/.001 = 3000 would show it."""
    wide = br.plan_sample_size("tpr", far=0.1, model=MODEL, width=0.15)
    assert wide.n_beyond == pytest.approx(0.1 * wide.n_impostor)
    assert (wide.n_needed, wide.needed_of) == (pytest.approx(30.0), "impostor")
    with pytest.warns(br.ExtrapolationWarning, match=r"About 3000 scores would") as caught:
        few = br.plan_sample_size("tpr", far=0.001, model=(MODEL, MODEL), width=0.1)
    assert len(caught) == 1  # of both systems one
    assert few.n_beyond == pytest.approx(0.001 * few.n_impostor)
    assert few.extrapolated
    assert br.plan_sample_size("auc", model=MODEL, width=0.1).n_needed is None


def test_studies_tell_of_rates_beyond_their_samples(tmp_path):
    pair = {"law": "normal", "mu_c": 1.0, "sigma_c": 1.0, "mu_i": 0.0, "sigma_i": 1.0}

    def run(statistics, name, **more):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            br.Study({**pair, **more}, statistics, folder=tmp_path / name, rng=1).run()
        kinds = {one.category for one in caught}
        assert kinds <= {br.ExtrapolationWarning}
        return [str(one.message) for one in caught]

    (said,) = run(["fit.tpr@far=0.01", "empirical.eer"], "a", n=[50, 100, 200])
    assert said.startswith("1 cells ask for rates that no score speaks for; least fit.tpr@far=0.01")
    assert "of cell 0: of 50 impostor scores 0.5 are expected" in said
    assert "about 300 would do" in said
    assert run(["true.tpr@far=0.0001", "fit.tpr@far=0.1", "fit.eer"], "b", n=50) == []
    (said,) = run(["test.frr@far=0.01"], "c", n=500, n_test=20)
    assert "of 20 impostor scores 0.2" in said


def test_many_fits_say_what_is_extrapolated():
    sets = {"small": scores(1, 50), "large": scores(2, 500)}
    with pytest.warns(br.ExtrapolationWarning, match="for 1 of 2 systems, first 'small'.* 300"):
        table = br.fit_many(sets, family="normal", statistics=["tpr@far=0.01", "auc"])
    np.testing.assert_allclose(table["tpr@far=0.01_n_beyond"], [0.5, 5.0])
    for s, value in zip(sets.values(), table["tpr@far=0.01"], strict=True):
        t = stats.norm.isf(0.01, np.mean(s.impostor), np.std(s.impostor))
        expected = stats.norm.sf(t, np.mean(s.client), np.std(s.client))
        assert value == pytest.approx(expected, rel=1e-9)
