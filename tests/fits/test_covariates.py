"""Laws that depend on covariates: single fits, statsmodels, theorems, simulation, bad input."""

from __future__ import annotations

import builtins
import math
import re
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.interpolate import BSpline
from scipy.special import betainc, betaln, expit, logit, psi
from scipy.stats import beta
from statsmodels.othermod.betareg import BetaModel

import betaroc as br
from betaroc.fits import covariates
from betaroc.fits.covariates import RegressionFit
from betaroc.model.statistics import parse_statistic
from helpers.cases import some

Z = statistics.NormalDist().inv_cdf(0.975)
#: Coefficients behind `simulated`: intercept and slope of mean and precision.
CLIENT, IMPOSTOR = (0.6, 0.8, 1.5, 0.4), (-0.7, 0.5, 1.2, -0.3)


def simulated(
    seed: int = 1, n: int = 150, client: Any = CLIENT, impostor: Any = IMPOSTOR
) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    parts = []
    for label, (b0, b1, g0, g1) in ((1, client), (0, impostor)):
        x = rng.uniform(-1.0, 1.0, n)
        mu, phi = expit(b0 + b1 * x), np.exp(g0 + g1 * x)
        camera = rng.choice(["left", "right", "top"], n)
        scores = rng.beta(mu * phi, (1 - mu) * phi)
        parts.append(pd.DataFrame({"score": scores, "label": label, "x": x, "camera": camera}))
    return pd.concat(parts, ignore_index=True)


FRAME = simulated()


def shapes(model: br.ScoreModel) -> list[float]:
    laws: tuple[Any, ...] = (model.client, model.impostor)
    return [v for law in laws for v in (law.a, law.b)]


# ------------------------------------------------------------------ against single fits
def test_without_covariates_it_is_the_fit_of_both_classes() -> None:
    found, plain = br.fit_covariates(FRAME, "1"), br.fit(br.Scores.from_frame(FRAME))
    assert shapes(found.model()) == pytest.approx(shapes(plain.model), rel=1e-12)
    assert found.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-12)
    assert found.aic == pytest.approx(plain.aic, rel=1e-12)
    assert found.model().prior == plain.model.prior
    for stat, point in (("auc", {}), ("eer", {}), ("tpr", {"far": 0.1})):
        interval = found.interval(stat, **point)
        assert [interval.low, interval.high] == pytest.approx(
            ends(plain, stat, 150 / 148), rel=1e-6
        )


def ends(plain: br.Fit, stat: str, grow: float) -> list[float]:
    """The delta interval on the probit scale, by differences in the shapes of a fit."""
    normal = statistics.NormalDist()

    def place(v: Any) -> float:
        model = br.ScoreModel(br.Beta(*v[:2]), br.Beta(*v[2:]))
        number = {"auc": model.auc, "eer": lambda: model.eer().hter}.get(stat)
        return normal.inv_cdf(number() if number else float(model.roc().tpr(0.1)))

    at = np.array(shapes(plain.model))
    steps = np.diag(1e-4 * at)
    slopes = np.array([place(at + h) - place(at - h) for h in steps]) / (2e-4 * at)
    reach = Z * math.sqrt(slopes @ plain.joint_cov() @ slopes * grow)
    return [normal.cdf(place(at) - reach), normal.cdf(place(at) + reach)]


def test_categories_alone_are_fits_of_the_groups() -> None:
    found = br.fit_covariates(FRAME, "camera", precision="camera")
    total = 0.0
    for camera in ("left", "right", "top"):
        plain = br.fit(br.Scores.from_frame(FRAME[FRAME["camera"] == camera]))
        assert shapes(found.model(camera=camera)) == pytest.approx(shapes(plain.model), rel=1e-9)
        interval = found.interval("auc", covariates={"camera": camera})
        assert [interval.low, interval.high] == pytest.approx(
            ends(plain, "auc", 150 / 144), rel=1e-6
        )
        total += plain.log_likelihood
    assert found.log_likelihood == pytest.approx(total, rel=1e-12)
    # Two groups have nothing in common: the interval of a difference knows no correlation.
    one, two = (found.interval("auc", covariates={"camera": c}) for c in ("left", "top"))
    change = found.contrast("auc", {"camera": "left"}, {"camera": "top"})
    assert change.estimate == pytest.approx(two.estimate - one.estimate, rel=1e-12)
    reach = Z * math.hypot(*(plain_error(i) for i in (one, two)))
    assert change.low == pytest.approx(change.estimate - reach, rel=1e-5)
    assert change.high == pytest.approx(change.estimate + reach, rel=1e-5)


def plain_error(i: br.Interval) -> float:
    """Of a fraction, from its interval on the probit scale."""
    normal = statistics.NormalDist()
    width = normal.inv_cdf(i.high) - normal.inv_cdf(i.low)
    return normal.pdf(normal.inv_cdf(i.estimate)) * width / (2 * Z)


@pytest.mark.simulation
def test_a_class_with_its_own_formula_is_fitted_by_itself() -> None:
    bare = FRAME.assign(x=FRAME["x"].where(FRAME["label"] == 0))  # clients have no x at all
    found = br.fit_covariates(bare, "x", precision="x", client_formula="1")
    alone = br.fit_distribution(FRAME.loc[FRAME["label"] == 1, "score"])
    whole = br.fit_covariates(FRAME, "x", precision="x")
    for x in (-0.5, 0.5):
        model = found.model(x=x)
        assert shapes(model)[:2] == pytest.approx(alone.values, rel=1e-12)
        assert shapes(model)[2:] == pytest.approx(shapes(whole.model(x=x))[2:], rel=1e-12)
    test = found.test("x")
    assert test.client is None
    assert test.both == test.impostor == whole.test("x").impostor
    # The impostors keep their own knots when a term that only they have goes.
    bent = br.fit_covariates(FRAME, "bs(x, df=4) + camera", client_formula="bs(x, df=4)")
    alone = br.fit_covariates(FRAME, "bs(x, df=4)", client_formula="1")
    gain = 2 * (bent.impostor.log_likelihood - alone.impostor.log_likelihood)
    assert bent.test("camera").both.statistic == pytest.approx(gain, rel=1e-9)


# --------------------------------------------------------------- against statsmodels
FORMULAS = [
    ("x", "1"),
    ("x + camera", "x"),
    ("C(camera, Treatment('top')) * x", "camera"),
    ("bs(x, df=4)", "center(x)"),
    ("np.exp(x) + I(x ** 2)", "I(x > 0)"),
]


@pytest.mark.parametrize(("formula", "precision"), some(FORMULAS, 2))
def test_statsmodels_finds_the_same(formula: str, precision: str) -> None:
    one = FRAME[FRAME["label"] == 1].reset_index(drop=True)
    one = one.assign(x=np.append(one["x"].to_numpy()[:-1], -0.97))
    # The same covariates in both classes, so that knots and centres are the same alone.
    twice = pd.concat([one, one.assign(label=0, score=1 - one["score"])], ignore_index=True)
    model = BetaModel.from_formula(f"score ~ {formula}", one, exog_precision_formula=precision)
    theirs = model.fit(method="newton", maxiter=200, disp=False, start_params=None)
    found = br.fit_covariates(twice, formula, precision=precision)
    table = found.to_frame()
    client = table[table["class"] == "client"]
    assert client["estimate"].to_numpy() == pytest.approx(theirs.params.to_numpy(), abs=1e-6)
    assert client["std_error"].to_numpy() == pytest.approx(theirs.bse.to_numpy(), rel=1e-5)
    assert client["p_value"].to_numpy() == pytest.approx(theirs.pvalues.to_numpy(), abs=1e-6)
    assert found.client.log_likelihood == pytest.approx(theirs.llf, rel=1e-10)
    assert list(client["term"])[: len(model.exog_names)] != []
    # 1 - s turns the sign of the mean, and nothing else.
    cut = len(found.client.mean_names)
    signs = np.where(np.arange(len(client)) < cut, -1.0, 1.0)
    impostor = table[table["class"] == "impostor"]
    assert impostor["estimate"].to_numpy() == pytest.approx(
        signs * client["estimate"].to_numpy(), abs=1e-9
    )
    # New rows have the knots, centres and levels of the fit.
    a, b = model.get_distribution_params(theirs.params.to_numpy())
    for k in (3, 77):
        at = {c.name: twice[c.name][k] for c in found.covariates}
        assert shapes(found.model(**at))[:2] == pytest.approx([a[k], b[k]], rel=1e-5)


def test_the_gradient_is_zero_and_the_likelihood_is_the_sum() -> None:
    found = br.fit_covariates(FRAME, "x", precision="x")
    one = FRAME[FRAME["label"] == 1]
    x = np.column_stack([np.ones(len(one)), one["x"]])
    y = one["score"].to_numpy()
    mu, phi = (
        expit(x @ list(found.client.mean.values())),
        np.exp(x @ list(found.client.precision.values())),
    )
    a, b = mu * phi, (1 - mu) * phi
    likelihood = np.sum((a - 1) * np.log(y) + (b - 1) * np.log1p(-y) - betaln(a, b))
    assert found.client.log_likelihood == pytest.approx(likelihood, rel=1e-12)
    # Ferrari and Cribari-Neto (2004), (6) and (7).
    away = logit(y) - psi(a) + psi(b)
    by_mean = x.T @ (phi * mu * (1 - mu) * away)
    by_precision = x.T @ (phi * (mu * away + np.log1p(-y) - psi(b) + psi(phi)))
    assert np.max(np.abs([by_mean, by_precision])) < 1e-9
    assert found.client.gradient_norm < 1e-10


def test_units_and_zero_points_of_a_covariate_do_not_matter() -> None:
    plain = br.fit_covariates(FRAME, "x", precision="x")
    other = br.fit_covariates(FRAME.assign(x=2000 + 1e-3 * FRAME["x"]), "x", precision="x")
    assert other.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-9)
    one, two = (
        fit.interval("auc", covariates={"x": x}) for fit, x in ((plain, 0.5), (other, 2000.0005))
    )
    assert [one.low, one.high] == pytest.approx([two.low, two.high], rel=1e-6)
    for unit in (1e-100, 1e100):
        far = br.fit_covariates(FRAME.assign(x=FRAME["x"] * unit), "x", precision="x")
        assert far.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-12)
        assert shapes(far.model(x=0.5 * unit)) == pytest.approx(shapes(plain.model(x=0.5)))
    slopes = other.client.mean["x"], plain.client.mean["x"]
    assert slopes[0] * 1e-3 == pytest.approx(slopes[1], rel=1e-6)


# ------------------------------------------------------------------------- simulation
@pytest.mark.simulation
def test_the_truth_is_recovered_and_errors_are_errors() -> None:
    truth = np.array([*CLIENT, *IMPOSTOR])
    z = []
    for seed in range(60):
        table = br.fit_covariates(simulated(seed, 100), "x", precision="x").to_frame()
        z.append((table["estimate"] - truth) / table["std_error"])
    scores = np.array(z)
    # Biases are of order 1/n, 1/sqrt(100) of a standard error times a constant of order 1.
    assert np.all(np.abs(scores.mean(axis=0)) < 4 / math.sqrt(60) + 0.3)
    pooled = float(np.mean(scores**2))  # 480 squares of mean 1 and variance 2
    assert abs(pooled - 1) < 4 * math.sqrt(2 / 480) + 0.1
    large = br.fit_covariates(simulated(9, 4000), "x", precision="x").to_frame()
    assert np.all(np.abs(large["estimate"] - truth) < 4.5 * large["std_error"])


@pytest.mark.nightly
def test_the_size_of_the_test_and_the_coverage_of_the_interval() -> None:
    client, impostor = (0.6, 0.0, 1.5, 0.0), (-0.7, 0.0, 1.2, 0.0)
    frr = float(beta.cdf(0.4, *law(0.6, 1.5)))
    rejected = covered = 0
    replicates = 100
    for seed in range(replicates):
        frame = simulated(1000 + seed, 60, client, impostor)
        found = br.fit_covariates(frame, "x")
        rejected += found.test("x").p_value < 0.05
        interval = found.interval("frr", threshold=0.4, covariates={"x": 0.4})
        covered += interval.low < frr < interval.high
    # Four standard errors of a share of 0.05 or 0.95 among the replicates.
    margin = 4 * math.sqrt(0.05 * 0.95 / replicates)
    assert rejected / replicates < 0.05 + margin
    assert covered / replicates > 0.95 - margin


def law(eta: float, zeta: float) -> tuple[float, float]:
    return float(expit(eta) * np.exp(zeta)), float(expit(-eta) * np.exp(zeta))


@pytest.mark.simulation
def test_the_delta_interval_is_that_of_drawn_coefficients() -> None:
    found = br.fit_covariates(simulated(3, 400), "x", precision="x")
    center = np.array([*found.client.coefficients, *found.impostor.coefficients])
    drawn = np.random.default_rng(1).multivariate_normal(center, found.cov, 4000)

    def areas(x: float) -> Any:
        at = np.array([1.0, x])
        eta, zeta, eta2, zeta2 = (drawn[:, k : k + 2] @ at for k in (0, 2, 4, 6))
        a, b, a2, b2 = (
            expit(s * e) * np.exp(z) for e, z in ((eta, zeta), (eta2, zeta2)) for s in (1, -1)
        )
        # P(I < C) = int F_i(t) f_c(t) dt, by Gauss and Legendre in u, t = u^2 (3 - 2 u).
        node, weight = np.polynomial.legendre.leggauss(80)
        u = 0.5 + 0.5 * node
        t, dt = u * u * (3 - 2 * u), 3 * u * (1 - u) * weight
        density = np.exp(
            (a[:, None] - 1) * np.log(t) + (b[:, None] - 1) * np.log1p(-t) - betaln(a, b)[:, None]
        )
        return (betainc(a2[:, None], b2[:, None], t) * density) @ dt

    one, two = areas(-0.5), areas(0.5)
    assert np.median(one) == pytest.approx(found.model(x=-0.5).auc(), abs=0.002)
    interval = found.interval("auc", covariates={"x": -0.5})
    width = logit(interval.high) - logit(interval.low)
    # A standard deviation of 4000 draws is known to 1.1 per cent.
    assert width / (2 * Z) == pytest.approx(np.std(logit(one)), rel=0.045)
    change = found.contrast("auc", {"x": -0.5}, {"x": 0.5})
    assert (change.high - change.low) / (2 * Z) == pytest.approx(np.std(two - one), rel=0.045)
    # What both share cancels: the interval shrinks with the difference.
    near = found.contrast("auc", {"x": 0.5}, {"x": 0.5 + 1e-6})
    assert (near.high - near.low) / 1e-6 == pytest.approx(change.high - change.low, rel=0.5)
    for stat, point in (("threshold", {"far": 0.1}), ("exponent-at-one", {})):
        away = found.contrast(stat, {"x": -0.5}, {"x": 0.5}, **point)
        ends = [found.interval(stat, **point, covariates={"x": x}) for x in (-0.5, 0.5)]
        assert away.estimate == pytest.approx(ends[1].estimate - ends[0].estimate, rel=1e-9)
        assert away.low < away.estimate < away.high
    assert change.estimate == pytest.approx(
        found.model(x=0.5).auc() - found.model(x=-0.5).auc(), rel=1e-12
    )


# ------------------------------------------------------------------------------ groups
def test_copies_of_trials_in_groups_add_nothing() -> None:
    rows = FRAME.assign(trial=np.arange(len(FRAME)))
    once = br.fit_covariates(rows, "x", precision="x", group="trial")
    thrice = br.fit_covariates(pd.concat([rows] * 3), "x", precision="x", group="trial")
    assert thrice.client.coefficients == pytest.approx(once.client.coefficients, rel=1e-9)
    assert thrice.cov == pytest.approx(once.cov, rel=1e-7, abs=1e-12)
    assert thrice.test("x").both.statistic == pytest.approx(once.test("x").both.statistic)
    # By hand: H^-1 sum s s' H^-1 n/(n - 1), s the scores of single trials.
    one = FRAME[FRAME["label"] == 1]
    x = np.column_stack([np.ones(len(one)), one["x"]])
    model = BetaModel(one["score"].to_numpy(), x, exog_precision=x)
    at = np.array(once.client.coefficients)
    first, second = model.score_factor(at)
    s = np.hstack([first[:, None] * x, second[:, None] * x])
    bread = np.linalg.inv(model.hessian(at))
    cov = bread @ s.T @ s @ bread * len(one) / (len(one) - 1)
    assert once.cov[:4, :4] == pytest.approx(cov, rel=1e-6, abs=1e-12)


def test_groups_that_join_the_classes_correlate_them() -> None:
    rows = FRAME.assign(person=np.arange(len(FRAME)) % 150)  # one client and one impostor trial
    found = br.fit_covariates(rows, "x", group="person")
    assert np.max(np.abs(found.cov[:3, 3:])) > 0.0
    apart = br.fit_covariates(FRAME, "x")
    assert np.max(np.abs(apart.cov[:3, 3:])) == 0.0
    assert found.test("x").method == "wald"
    # The likelihood ratio and Wald's statistic agree to the first order.
    many = simulated(5, 1500).assign(trial=np.arange(3000))
    grouped = br.fit_covariates(many, "x", precision="x", group="trial").test("x")
    plain = br.fit_covariates(many, "x", precision="x").test("x")
    assert plain.method == "likelihood-ratio"
    assert grouped.both.degrees == plain.both.degrees == 4
    assert grouped.both.statistic == pytest.approx(plain.both.statistic, rel=0.25)


# ------------------------------------------------------------------------------- tests
def test_a_term_is_left_out_everywhere_with_its_interactions() -> None:
    found = br.fit_covariates(FRAME, "camera * x", precision="camera")
    test = found.test("camera")
    assert test.terms == ("camera", "camera:x")
    assert test.both.degrees == 2 * (2 + 2 + 2)
    shorter = br.fit_covariates(FRAME, "x")
    gain = 2 * (found.log_likelihood - shorter.log_likelihood)
    assert test.both.statistic == pytest.approx(gain, rel=1e-9)
    alone = found.test("camera : x")
    assert alone.terms == ("camera:x",)
    assert alone.client is not None
    assert alone.client.degrees == 2
    both = found.test("camera", "x").both
    assert both.statistic == pytest.approx(
        2 * (found.log_likelihood - br.fit_covariates(FRAME, "1").log_likelihood), rel=1e-9
    )
    # Of one degree: 1 - erf(sqrt(w/2)).
    single = shorter.test("x").client
    assert single is not None
    assert single.p_value == pytest.approx(math.erfc(math.sqrt(single.statistic / 2)), rel=1e-9)


# -------------------------------------------------------------------------- the frames
FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars": pl.from_pandas,
    "lazy": lambda f: pl.from_pandas(f).lazy(),
    "pyarrow": pa.Table.from_pandas,
    "categorical": lambda f: f.assign(camera=f["camera"].astype("category")),
    "objects": lambda f: f.assign(camera=f["camera"].astype(object)),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_gives_the_same(kind: str) -> None:
    found = br.fit_covariates(FRAMES[kind](FRAME), "score ~ camera + x", precision="camera")
    assert found == br.fit_covariates(FRAME, "camera + x", precision="camera")


def test_categories_of_numbers_booleans_and_in_order() -> None:
    frame = FRAME.assign(
        dose=(np.arange(len(FRAME)) % 3) / 2,
        night=np.arange(len(FRAME)) % 2 == 0,
        size=pd.Categorical(FRAME["camera"], ["top", "left", "right"], ordered=True),
    )
    found = br.fit_covariates(frame, "C(dose) + night + size")
    assert found.client.mean_names == (
        "Intercept", "C(dose)[T.0.5]", "C(dose)[T.1.0]", "night[T.True]", "size[T.left]",
        "size[T.right]",
    )  # fmt: skip
    at = {"dose": np.float64(0.5), "night": np.True_, "size": "top"}
    assert found.model(**at).name == "dose=0.5, night=True, size=top"
    named = br.fit_covariates(frame.rename(columns={"x": "the x"}), "Q('the x')")
    assert shapes(named.model(**{"the x": 0.2})) == pytest.approx(
        shapes(br.fit_covariates(frame, "x").model(x=0.2)), rel=1e-12
    )
    for value in (0.25, True, "0.5"):
        with pytest.raises((br.InputError, br.InputTypeError), match="dose"):
            found.model(dose=value, night=True, size="top")
    with pytest.raises(br.InputError, match="'night' must be one of its categories, False, True"):
        found.model(dose=0.5, night=1, size="top")


@pytest.mark.simulation
def test_a_prior_of_ones_own_and_a_function() -> None:
    found = br.fit_covariates(FRAME, "x")
    at = {"x": 0.1}
    same = found.interval("average-precision", covariates=at, prior=0.01)
    assert same.estimate == found.model(x=0.1, prior=0.01).average_precision()
    one = found.interval(lambda m: m.client.mean, covariates=at, level=0.9)
    # The mean's error by hand: mu (1 - mu) times that of the linear predictor.
    cov, row = found.cov[:2, :2] * 150 / 147, np.array([1.0, 0.1])
    mu = found.model(x=0.1).client.mean
    reach = statistics.NormalDist().inv_cdf(0.95) * mu * (1 - mu) * math.sqrt(row @ cov @ row)
    assert [one.low, one.high] == pytest.approx([mu - reach, mu + reach], rel=1e-6)


# ---------------------------------------------------------------------------- boundary
def with_ends() -> pd.DataFrame:
    frame = FRAME.copy()
    frame.loc[[2, 5], "score"] = 1.0
    frame.loc[[160, 170, 180], "score"] = 0.0
    return frame


def test_scores_at_the_ends_are_dropped_or_squeezed() -> None:
    frame = with_ends()
    dropped = br.fit_covariates(frame, "x", boundary="drop")
    inner = frame[frame["score"].between(0, 1, inclusive="neither")]
    left = br.fit_covariates(inner, "x")
    assert dropped.client.coefficients == left.client.coefficients
    assert (dropped.client.n, dropped.impostor.n, dropped.prior) == (148, 147, 0.5)
    assert dropped.client.boundary.n_dropped == 2
    assert (
        dropped.impostor.boundary
        == br.fit_distribution(frame.loc[frame["label"] == 0, "score"], boundary="drop").boundary
    )
    squeezed = br.fit_covariates(frame, "1", boundary="squeeze")
    plain = br.fit(br.Scores.from_frame(frame), boundary="squeeze")
    assert shapes(squeezed.model()) == pytest.approx(shapes(plain.model), rel=1e-12)
    assert squeezed.client.boundary == plain.client.boundary


# --------------------------------------------------------------------------- bad input
def few(n: int) -> pd.DataFrame:
    return pd.concat([FRAME.iloc[:n], FRAME.iloc[150 : 150 + n]])


def put(column: str, value: Any, row: int = 7) -> pd.DataFrame:
    frame = FRAME.astype({column: object}) if isinstance(value, str) else FRAME.copy()
    frame.loc[row, column] = value
    return frame


ONE_CLASS = FRAME.assign(
    camera=np.where(FRAME["label"] == 1, "left", FRAME["camera"]),
    only=np.where((FRAME["camera"] == "top") & (FRAME["label"] == 0), "left", FRAME["camera"]),
    fixed=np.where(FRAME["label"] == 1, 0.4, FRAME["x"]),
    twice=2 * FRAME["x"] + 1,
    dose=np.where(FRAME["label"] == 1, 1.0, np.arange(300) % 3),
)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("frame", "formula", "options", "message"),
    [
        (FRAME, "sharpness", {}, "'sharpness' is none of 'x', 'camera'"),
        (FRAME, "camra", {}, "Did you mean 'camera'?"),
        (FRAME, "x", {"precision": "y"}, "precision must name columns of the frame; 'y'"),
        (FRAME, "x", {"client_formula": "y"}, "client_formula must name columns"),
        (FRAME, "x +", {}, "formula must be a formula"),
        (FRAME, " ", {}, "Without covariates it is '1'"),
        (FRAME, "0", {}, "must have a term"),
        (FRAME, "label ~ x", {}, "the score column, 'score', left of ~; got 'label'"),
        (FRAME, "score", {}, "must not use 'score'"),
        (FRAME, "x + label", {}, "must not use 'label'"),
        (FRAME.rename(columns={"x": "prior"}), "prior", {}, "'prior' means the share of clients"),
        (FRAME.assign(x=np.arange(300.0)), "np.log(x)", {}, "is -inf for 1 of 300 trials"),
        (FRAME, "np.log(x - x.min())", {}, "got 'x.min' in 'np.log(x - x.min())'"),
        (FRAME, "te(x)", {}, "formula may call abs, clip, cos, exp, "),
        (FRAME, "C(x > 0)", {}, "the categories of one column, C(camera); got 'C(x > 0)'"),
        (FRAME, "C(camera, levels=['top'])", {}, "polars.Enum), not by levels=; got"),
        (FRAME, "Q(camera)", {}, "Q('a name'); got 'Q(camera)'"),
        (FRAME, "x | camera", {}, "formula must be a formula"),
        (FRAME, "C(camera, Treatment('tpo'))", {}, "must be computable from its columns"),
        (FRAME, "C(x, nothing)", {}, "'nothing' is none of"),
        (FRAME, "x", {"score": "p"}, "score='p' must name a column of the frame; there are"),
        (FRAME.assign(x=pd.Timestamp("2020-01-01")), "x", {}, "numbers, text or booleans"),
        (FRAME.assign(g=1), "x", {"group": "g"}, "all 150 share one"),
        (put("x", np.nan), "x", {}, "missing, first in rows 7"),
        (put("x", np.inf), "x", {}, "must be finite; got 1 of 300"),
        (put("score", 1.5), "x", {}, "client scores must lie in [0, 1]"),
        (FRAME.assign(x=1.5), "x", {}, "'x' must vary among the client trials; it is 1.5 for all"),
        (FRAME.assign(camera="left"), "camera", {}, "it is 'left' for all 150"),
        (FRAME, "x + I(0 * x)", {}, "'I(0 * x)' is 0.0 for all"),
        (ONE_CLASS, "x + twice", {}, "'Intercept', 'x', 'twice' are collinear"),
        (ONE_CLASS, "x", {"precision": "x + twice"}, "precision must have columns"),
        (ONE_CLASS, "fixed", {}, "client_formula='1'"),
        (ONE_CLASS, "camera", {}, "it is 'left' for all 150 of them. A covariate of the"),
        (ONE_CLASS, "only", {}, "'only[T.top]' is 0.0 for all"),
        (ONE_CLASS, "C(dose)", {}, "'dose' must vary among the client trials"),
        (
            with_ends(),
            "x",
            {},
            "0 client scores of exactly 0 and 2 of exactly 1 and 3 impostor scores",
        ),
        (with_ends(), "x", {"boundary": "inflate"}, "must be one of 'error', 'drop', 'squeeze'"),
        (few(4), "camera * x", {}, "as many trials as coefficients; got 4 trials for 7"),
    ],
)
def test_what_cannot_be_fitted_is_named(
    frame: Any, formula: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(br.BetarocError) as caught:
        br.fit_covariates(frame, formula, **options)
    assert message in str(caught.value)


#: Whatever runs of this would be seen: {} becomes an expression that leaves a trace.
CODE = (
    "x + {}", "I({})", "np.log({})", "{} ~ x", "{}.real ~ x", "({})(x) ~ x", "{{{}}}", "x:{}",
    "bs(x, df={})", "bs(x, knots=[{}])", "bs(x, **{})", "C(x, {})", "Q({})", "I(x, _state={})",
    "I([v for v in {}])", "I(lambda: {})()", "I((lambda: {})())", "I(f'{{{}}}')", "I(x[{}])",
    "I((y := {}))", "I({} if x else 0)", "I(x and {})", "I({} is x)", "center({}, x)",
    "`x` + I(`x` * {})", "I(x, *{})", "where({}, x, 1)", "I({{1: {}}})", "I(x <= {})",
)  # fmt: skip


@pytest.mark.simulation
def test_nothing_of_a_formula_runs_but_arithmetic_of_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    traces: list[object] = []
    monkeypatch.setattr(builtins, "trace", lambda *a: traces.append(a), raising=False)
    found = br.fit_covariates(FRAME, "x")
    for inner in ("trace(x)", "trace()", "(trace(1), 2)[1]", "__import__('os').system('false')"):
        for code in CODE:
            formula = code.format(inner)
            for call in (
                lambda f=formula: br.fit_covariates(FRAME, f),
                lambda f=formula: br.fit_covariates(FRAME, "x", client_formula=f),
                lambda f=formula: found.test(f),
            ):
                with pytest.raises(br.InputError) as caught:
                    call()
                assert len(str(caught.value)) <= 400, formula
    assert traces == []
    for formula in (
        "x.__class__", "I(x.__class__)", "np.save('x', x)", "np.load('x')", "np", "I(np)",
        "np.lib.npyio.DataSource()", "I(x.to_pickle('x'))", "getattr(x, 'values')", "I(...)",
        "I(b'x')", "I('x' * 9)", "I('x' % x)", "I(9 ** 9 ** 9)", "I(x ** 9 ** 9 ** 9)", "I(x << 9)",
        "I(x @ x)", "I(x, y=1", "I(" + "-" * 5000 + "x)", "open('x')",
        "I(__FORMULAIC_CONTEXT__)", "hashed(x, levels=2)", "lag(x)", "C(x, contr.sum)", "1j:x",
    ):  # fmt: skip
        with pytest.raises(br.InputError) as caught:
            br.fit_covariates(FRAME, formula)
        assert len(str(caught.value)) <= 400, formula


def design(formula: str) -> tuple[tuple[str, ...], Any]:
    """Names and columns of the mean of both classes in `FRAME`."""
    part = br.fit_covariates(FRAME, formula)._designs["client"][0]
    return part.names, np.vstack([part.rows["client"], part.rows["impostor"]])


@pytest.mark.simulation
def test_transforms_are_those_of_their_definitions() -> None:
    x = np.concatenate([FRAME.loc[FRAME["label"] == one, "x"] for one in (1, 0)])
    for formula, expected in (
        ("scale(x)", (x - x.mean()) / x.std(ddof=1)),
        ("standardize(x)", (x - x.mean()) / x.std()),
        ("center(x)", x - x.mean()),
        ("log1p(abs(x))", np.log1p(np.abs(x))),
        ("np.sqrt(x + 1)", np.sqrt(x + 1)),
        ("where(x > 0, x, 0)", np.where(x > 0, x, 0)),
        ("I(x > 0)", 1.0 * (x > 0)),
        ("`x`", x),
    ):
        names, columns = design(formula)
        assert names == ("Intercept", formula.strip("`"))
        assert columns[:, 1] == pytest.approx(expected, rel=1e-12), formula
    # Orthonormal to the constant and each other, spanning x and its square.
    _, columns = design("poly(x, 2)")
    assert columns[:, 1:].T @ columns[:, 1:] == pytest.approx(np.eye(2), abs=1e-12)
    assert columns[:, 1:].sum(axis=0) == pytest.approx(0.0, abs=1e-12)
    # Cubic B-splines with a knot at the median, without the first (de Boor's, by scipy).
    _, columns = design("bs(x, df=4)")
    knots = np.r_[[x.min()] * 4, np.median(x), [x.max()] * 4]
    basis = BSpline.design_matrix(x, knots, 3).toarray()
    assert columns[:, 1:] == pytest.approx(basis[:, 1:], abs=1e-12)


def test_columns_of_categories_stand_first() -> None:
    assert design("x * camera")[0] == (
        "Intercept", "camera[T.right]", "camera[T.top]", "x", "x:camera[T.right]",
        "x:camera[T.top]",
    )  # fmt: skip
    assert design("0 + camera + x")[0] == ("camera[left]", "camera[right]", "camera[top]", "x")
    found = br.fit_covariates(FRAME.rename(columns={"x": "the x"}), "`the x` + camera - 1")
    assert found.formula == "0 + `the x` + camera"
    assert found.model(**{"the x": 0.1, "camera": "top"}).client.mean > 0.0


def test_values_of_covariates_are_checked() -> None:
    found = br.fit_covariates(FRAME, "camera + x")
    same = {"x": 0, "camera": "top"}
    no_mapping: Any = 0.5
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: found.model(x=0.0), "'camera' must have a value"),
        (lambda: found.model(**same, z=1), "'z' must be a covariate of the fit"),
        (lambda: found.model(x=0.0, camara="top"), "Did you mean 'camera'?"),
        (lambda: found.model(x=0.0, camera="tpo"), "Did you mean 'top'?"),
        (lambda: found.model(x=math.nan, camera="top"), "x must be a finite number"),
        (lambda: found.interval("auc", covariates=no_mapping), "covariates must be a mapping"),
        (lambda: found.contrast("auc", same, same | {"x": 0.0}), "must be different"),
        (lambda: found.test("y"), "terms must be one of 'camera', 'x'; got 'y'"),
        (lambda: found.test("camra"), "Did you mean 'camera'?"),
        (lambda: found.test(), "test needs a term"),
        (lambda: found.test("x + camera"), "must be one term"),
        (lambda: br.fit_covariates(FRAME, "0 + camera").test("camera"), "must have an intercept"),
    ]
    for call, message in calls:
        with pytest.raises(br.BetarocError) as caught:
            call()
        assert message in str(caught.value)
    tiny = pd.DataFrame({"score": [0.4, 0.7, 0.1, 0.6], "label": [1, 1, 0, 0]})
    with pytest.warns(br.SmallSampleWarning):
        pair = br.fit_covariates(tiny, "1")
    with pytest.raises(br.InputError, match="more trials than coefficients; got 2 trials for 2"):
        pair.interval("auc")


def client_mean(model: br.ScoreModel) -> float:
    return float(model.client.mean)


def test_outside_the_data_a_number_has_its_interval_and_a_warning() -> None:
    found = br.fit_covariates(FRAME, "x")
    low, high = (f"{f(FRAME.loc[FRAME['label'] == 1, 'x']):g}" for f in (min, max))
    with pytest.warns(br.ExtrapolationWarning) as caught:
        made = found.interval(client_mean, covariates={"x": 2})
    assert [w.filename for w in caught] == [__file__]
    text = str(caught[0].message)
    assert f"x=2 (client trials {low} to {high}, impostor trials -0.9" in text
    assert "Take values inside" in text
    assert len(text) <= 400
    # By hand as inside: mu (1 - mu) times the error of the linear predictor at x = 2.
    cov, row = found.cov[:2, :2] * 150 / 147, np.array([1.0, 2.0])
    mu = expit(row @ list(found.client.mean.values()))
    reach = Z * mu * (1 - mu) * math.sqrt(row @ cov @ row)
    assert [made.estimate, made.low, made.high] == pytest.approx([mu, mu - reach, mu + reach])
    assert made.extrapolated
    # The ends of a fraction lie on the probit scale, as inside.
    with pytest.warns(br.ExtrapolationWarning):
        area = found.interval("auc", covariates={"x": 2})
    assert 0.5 < area.low < area.estimate < area.high < 1.0
    assert not found.interval("auc", covariates={"x": 0.9}).extrapolated  # and no warning


def test_outside_the_data_there_is_no_number_without_an_interval() -> None:
    found = br.fit_covariates(FRAME, "x", precision="x")
    for x in (1.2, -3.0, 40.0):
        with pytest.raises(br.InputError, match=r"no intervals. Outside: x=.*Ask interval\(stat"):
            found.model(x=x)
    with pytest.raises(br.InputError, match="extend beyond upper and/or lower bounds"):
        br.fit_covariates(FRAME, "bs(x, df=4)").model(x=0.9999999)
    with pytest.raises(br.InputError, match="shapes that doubles hold"):
        found.interval("auc", covariates={"x": 1e9})


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("stat", "point", "x"),
    [
        ("tpr", {"far": 0.1}, 3),  # 0 to 1
        ("partial-auc", {"between": (0.0, 0.1)}, 3),  # its least is that of a TPR of 0
        ("threshold", {"far": 0.01}, 5),
        ("exponent-at-one", {}, 40),  # v/(1 + v) from 0 to 0.999
        ("exponent-at-one", {}, 150),  # an end beyond the doubles, or one that they cannot hold
    ],
)
def test_an_interval_of_the_whole_range_is_refused(
    stat: str, point: dict[str, Any], x: float
) -> None:
    found = br.fit_covariates(FRAME, "x", precision="x")
    called = re.escape(repr(str(parse_statistic(stat, **point)))) if x < 100 else ""
    words = f"{called} cannot be told there: its 95 % interval, .* covers more than 99 % of"
    with pytest.raises(br.InputError, match=words if x < 100 else "cannot be told|doubles"):
        found.interval(stat, **point, covariates={"x": x})
    with pytest.raises(br.InputError, match=words if x < 100 else "cannot be told|doubles"):
        found.contrast(stat, {"x": 0.0}, {"x": x}, **point)
    # Others say something at the same place.
    if x < 10:
        with pytest.warns(br.ExtrapolationWarning):
            area = found.interval("auc", covariates={"x": x})
        assert area.high - area.low < 0.99


def test_a_new_combination_far_out_is_outside_the_data() -> None:
    """Three of four cells with n trials: the fourth has 1/n + 1/n + 1/n, each of them 1/n."""
    rng = np.random.default_rng(8)
    cells = [("left", "day"), ("left", "night"), ("right", "day")] * 40
    frame = pd.DataFrame(cells * 2, columns=["camera", "light"]).assign(
        score=np.r_[rng.beta(3, 2, 120), rng.beta(2, 3, 120)], label=np.repeat([1, 0], 120)
    )
    found = br.fit_covariates(frame, "camera + light")
    for camera, light in cells[:3]:
        found.model(camera=camera, light=light)
    new = {"camera": "right", "light": "night"}
    text = "no client trial has such values together .leverage 3 times the largest of theirs"
    with pytest.raises(br.InputError, match=text):
        found.model(**new)
    with pytest.warns(br.ExtrapolationWarning, match=text):
        assert found.interval("auc", covariates=new).extrapolated
    # Two numbers that go together: in the middle of both, and far off their line.
    x = rng.uniform(-1, 1, 240)
    line = frame.assign(x=x, y=x + rng.normal(0, 0.05, 240))
    both = br.fit_covariates(line, "x + y")
    both.model(x=0.5, y=0.5)
    with pytest.raises(br.InputError, match="no client trial has such values together"):
        both.model(x=0.5, y=-0.5)


def test_a_difference_outside_the_data() -> None:
    found = br.fit_covariates(FRAME, "x")
    first, second = {"x": 0.0}, {"x": 2.0}
    # Plain numbers have symmetric intervals: the delta method's, by hand.
    with pytest.warns(br.ExtrapolationWarning) as caught:
        change = found.contrast(client_mean, first, second)
    assert len(caught) == 1
    coefficients = list(found.client.mean.values())
    rows = np.array([[1.0, 0.0], [1.0, 2.0]])
    mu = expit(rows @ coefficients)
    slope = rows[1] * mu[1] * (1 - mu[1]) - rows[0] * mu[0] * (1 - mu[0])
    reach = Z * math.sqrt(slope @ found.cov[:2, :2] @ slope * 150 / 147)
    d = mu[1] - mu[0]
    assert [change.estimate, change.low, change.high] == pytest.approx([d, d - reach, d + reach])
    assert change.extrapolated
    assert change.method == "square-and-add"
    # Others: the squares of the distances from the ends, less what both share.
    one = found.interval("auc", covariates=first)
    with pytest.warns(br.ExtrapolationWarning):
        two = found.interval("auc", covariates=second)
    with pytest.warns(br.ExtrapolationWarning):
        change = found.contrast("auc", first, second)
    below, over = two.estimate - two.low, one.high - one.estimate
    reach = change.estimate - change.low
    assert abs(below - over) <= reach <= below + over
    assert not found.contrast("auc", first, {"x": 0.5}).extrapolated


def test_few_and_reversed_scores_are_noticed() -> None:
    with pytest.warns(br.SmallSampleWarning, match="client: only 8 scores"):
        br.fit_covariates(few(8), "x")
    with pytest.warns(br.ReversedScoresWarning):
        br.fit_covariates(FRAME.assign(score=1 - FRAME["score"]), "x")


def test_what_has_no_maximum_is_no_fit() -> None:
    frame = FRAME.copy()
    frame.loc[frame["camera"] == "top", "score"] = 0.25
    br.fit_covariates(frame, "camera")  # one precision for all: a maximum
    with pytest.raises(br.DegenerateDataError, match="becomes a point") as caught:
        br.fit_covariates(frame, "camera", precision="camera")
    assert isinstance(caught.value.result, RegressionFit)
    assert not caught.value.result.converged


def test_a_search_that_ends_early_is_no_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covariates, "_STEPS", 1)
    with pytest.raises(br.FitError, match="instead of 0") as caught:
        br.fit_covariates(FRAME, "camera * x", precision="camera * x")
    partial = caught.value.result
    assert isinstance(partial, RegressionFit)
    assert not partial.converged
    assert partial.gradient_norm > 0.0


@pytest.mark.simulation
@pytest.mark.parametrize("concentration", some([0.02, 1.0, 1e4, 1e8], 3))
def test_from_poles_to_needles(concentration: float) -> None:
    """Shapes from 0.01 to 1e8 converge, and the slope is found."""
    rng = np.random.default_rng(4)
    x = np.tile(np.linspace(-1, 1, 300), 2)
    label = np.repeat([1, 0], 300)
    mu = expit(0.5 * x + np.where(label == 1, 0.4, -0.4))
    score = rng.beta(mu * concentration, (1 - mu) * concentration)
    score = np.clip(score, 1e-300, 1 - 2**-53)
    table = br.fit_covariates(
        pd.DataFrame({"score": score, "label": label, "x": x}), "x", precision="x"
    ).to_frame()
    slopes = table[(table["term"] == "x") & (table["part"] == "mean")]
    assert np.all(np.abs(slopes["estimate"] - 0.5) < 5 * slopes["std_error"])
