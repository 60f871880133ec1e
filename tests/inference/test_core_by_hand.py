"""Small parts of the numerical core, each beside its definition."""

import numpy as np
import pytest
from scipy import optimize, stats

import betaroc as br
from betaroc.estimation.batch import _refuse
from betaroc.inference.delta import _cell_log_likelihood, _scale
from betaroc.inference.drawn_scores import _bandwidth
from betaroc.model.statistics import parse_statistic

LINE = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 1))  # TPR = 1 - t^2, FAR = 1 - t


@pytest.mark.parametrize("scores", [[0.0, 1.0, 2.0, 10.0], [0.0, 1.0, 2.0, 3.0]])
def test_the_noise_of_smoothed_scores_has_silvermans_width(scores):
    """0.9 min(sd, IQR / 1.349) n^(-1/5) of copies, without trials that have no score."""
    values, weights = np.array([-np.inf, *scores]), np.array([3.0, 2.0, 2.0, 2.0, 2.0])
    sample = np.repeat(scores, 2)
    quarters = np.diff(sample[[1, 5]]).item()
    least = min(np.std(sample), quarters / (2.0 * stats.norm.ppf(0.75)))
    assert _bandwidth(values, weights) == pytest.approx(0.9 * least * 8**-0.2, rel=1e-3)


@pytest.mark.parametrize("stat", ["partial-auc", "auc", "exponent-at-zero"])
def test_a_scale_and_its_inverse(stat):
    points = {"between": (0.1, 0.4)} if stat == "partial-auc" else {}
    spec = parse_statistic(stat, (), **points)
    to, back = _scale(spec.row.scale, spec, LINE)
    for x in (0.55, 0.75, 0.9):
        assert back(to(x)) == pytest.approx(x, rel=1e-12)


def test_scores_at_an_edge_are_censored_by_the_rule_and_resolutions_have_a_unit():
    x = np.array([0.0, 0.01, 0.011, 0.5, 0.99, 1.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.3])
    law = br.Beta(2.0, 3.0)
    fit = br.fit_distribution(x, "beta", boundary="censor", resolution=0.01)
    found = _cell_log_likelihood(fit, x)(law)
    wanted = [*[law.logcdf(0.01)] * 2, law.logpdf(0.011), law.logpdf(0.5), *[law.logsf(0.99)] * 2]
    assert found[:6] == pytest.approx(wanted)
    x[[1, 4]] = 2.0**-511, 1.0 - 2.0**-53  # the edges of MATLAB, which are scores themselves
    found = _cell_log_likelihood(br.fit_distribution(x, "beta", boundary="matlab"), x)(law)
    wanted = [law.logcdf(x[1]), law.logpdf(x[1]), law.logpdf(x[4]), law.logsf(x[4])]
    assert found[[0, 1, 4, 5]] == pytest.approx(wanted)
    x = np.round(np.linspace(-0.8, 0.6, 40) ** 3, 2)
    fit = br.fit_distribution(x, "beta", resolution=0.01, bounds=(-1.0, 1.0))
    assert fit.boundary.resolution == pytest.approx(0.01)


@pytest.mark.parametrize("alpha", [0.5, 0.9])
def test_the_best_precision_and_recall_are_where_their_slopes_agree(alpha):
    """P = (1 + t)/(2 + t) at even classes, R = 1 - t^2: alpha/(2 + t)^2 = (1 - alpha) 2 t."""
    t = optimize.brentq(lambda t: alpha / (2.0 + t) ** 2 - (1.0 - alpha) * 2.0 * t, 0.0, 1.0)
    e = br.epc(LINE, LINE, criterion="weighted-precision-recall", alpha=[alpha], prior=0.5)
    assert e.threshold == pytest.approx([t], rel=1e-9)


def test_a_first_reason_of_a_system_stands():
    reason = np.array(["", "no scores", ""], dtype=object)
    _refuse(reason, np.array([True, True, False]), "client")
    assert reason[0].startswith("client: too concentrated")
    assert reason[1:].tolist() == ["no scores", ""]


def test_a_tail_has_the_design_effect_of_its_own_scores():
    """The lowest clients come in pairs of one person, all others alone."""
    rng = np.random.default_rng(1)
    low, rest = np.repeat(rng.uniform(0.0, 0.2, 40), 2), rng.uniform(0.3, 1.0, 320)
    people = np.r_[np.repeat(np.arange(40), 2), np.arange(40, 360)]
    scores = br.Scores(np.r_[low, rest], rng.beta(2, 5, 300), client_groups=people)
    effects = [
        br.fit(scores, "beta", tails={"client": side}, tail_sizes=40).client.tails[0].fits[0]
        for side in ("lower", "upper")
    ]
    assert [fit.design_effect for fit in effects] == pytest.approx([1.9, 1.0], abs=0.11)


def test_an_interval_says_that_a_score_may_be_a_code():
    scores = br.Scores([-999.0, *np.linspace(0.2, 1.0, 40)], np.linspace(0.0, 0.8, 40))
    with pytest.warns(br.errors.InfluenceWarning, match=r"a score is -999\.0"):
        br.interval(scores, "far", threshold=0.5)


def test_a_sinh_arcsinh_tail_of_a_normal_distribution_has_its_width():
    law = br.SinhArcsinh(0.3, 2.0, 0.0, 1.0)
    assert [(t.order, t.centre, t.width) for t in law._tails()] == [(2.0, 0.3, 2.0)] * 2


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_a_decision_that_accepts_all_has_a_document():
    lax = br.decide(br.Scores([0.0, 0.0], [0.0]), cost_fa=0.02, cost_fr=1.0, family="empirical")
    assert (lax.threshold, br.from_json(lax.to_json())) == (-np.inf, lax)
