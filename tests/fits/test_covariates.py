"""Laws that depend on covariates: single fits, statsmodels, theorems, simulation, bad input."""

import builtins
import math
import statistics

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc, expit, logit

import betaroc as br
from betaroc.fits import covariates
from helpers.cases import some

approx, fit = pytest.approx, br.fit_covariates
Z = statistics.NormalDist().inv_cdf(0.975)
#: Coefficients behind `simulated`: intercept and slope of mean and precision.
CLIENT, IMPOSTOR = (0.6, 0.8, 1.5, 0.4), (-0.7, 0.5, 1.2, -0.3)


def simulated(seed=1, n=150, client=CLIENT, impostor=IMPOSTOR):
    rng, parts = np.random.default_rng(seed), []
    for label, (b0, b1, g0, g1) in ((1, client), (0, impostor)):
        x = rng.uniform(-1.0, 1.0, n)
        mu, phi = expit(b0 + b1 * x), np.exp(g0 + g1 * x)
        camera = rng.choice(["left", "right", "top"], n)
        scores = rng.beta(mu * phi, (1 - mu) * phi)
        parts.append(pd.DataFrame({"score": scores, "label": label, "x": x, "camera": camera}))
    return pd.concat(parts, ignore_index=True)


FRAME = simulated()
ONE = FRAME[FRAME["label"] == 1].reset_index(drop=True)
ROWS = np.column_stack([np.ones(len(ONE)), ONE["x"]])


def shapes(model):
    return [v for law in (model.client, model.impostor) for v in (law.a, law.b)]


def plain_fit(frame, **options):
    return br.fit(br.Scores.from_frame(frame), **options)


def ends(interval):
    return [interval.low, interval.high]


@pytest.mark.simulation
def test_without_covariates_or_with_categories_alone_it_is_the_fit_of_the_groups():
    found, plain = fit(FRAME, "1"), plain_fit(FRAME)
    assert shapes(found.model()) == approx(shapes(plain.model), rel=1e-12)
    assert (found.log_likelihood, found.aic) == approx((plain.log_likelihood, plain.aic), rel=1e-12)
    assert found.model().prior == plain.model.prior
    found, total = fit(FRAME, "camera", precision="camera"), 0.0
    for camera in ("left", "right", "top"):
        plain, at = plain_fit(FRAME[FRAME["camera"] == camera]), {"camera": camera}
        assert shapes(found.model(**at)) == approx(shapes(plain.model), rel=1e-9)
        total += plain.log_likelihood
    assert found.log_likelihood == approx(total, rel=1e-12)
    bare = FRAME.assign(x=FRAME["x"].where(FRAME["label"] == 0))  # clients have no x at all
    found = fit(bare, "x", precision="x", client_formula="1")
    alone, whole = br.fit_distribution(ONE["score"]), fit(FRAME, "x", precision="x")
    for x in (-0.5, 0.5):
        expected = [*alone.values, *shapes(whole.model(x=x))[2:]]
        assert shapes(found.model(x=x)) == approx(expected, rel=1e-12)
    test = found.test("x")
    assert test.both == test.impostor == whole.test("x").impostor


FORMULAS = [("C(camera, Treatment('top')) * x", "camera"), ("bs(x, df=4)", "center(x)"),
    ("np.exp(x) + I(x ** 2)", "I(x > 0)")]  # fmt: skip


@pytest.mark.parametrize(("formula", "precision"), some(FORMULAS, 3))
def test_statsmodels_finds_the_same(formula, precision):
    from statsmodels.othermod.betareg import BetaModel

    one = ONE.assign(x=np.append(ONE["x"].to_numpy()[:-1], -0.97))
    # The same covariates in both classes, so that knots and centres are the same alone.
    twice = pd.concat([one, one.assign(label=0, score=1 - one["score"])], ignore_index=True)
    model = BetaModel.from_formula(f"score ~ {formula}", one, exog_precision_formula=precision)
    theirs = model.fit(method="newton", maxiter=200, disp=False, start_params=None)
    found = fit(twice, formula, precision=precision)
    table = found.to_frame()
    client, impostor = (table[table["class"] == who] for who in ("client", "impostor"))
    assert client["estimate"].to_numpy() == approx(theirs.params.to_numpy(), abs=1e-6)
    assert client["std_error"].to_numpy() == approx(theirs.bse.to_numpy(), rel=1e-5)
    assert client["p_value"].to_numpy() == approx(theirs.pvalues.to_numpy(), abs=1e-6)
    assert found.client.log_likelihood == approx(theirs.llf, rel=1e-10)
    # 1 - s turns the sign of the mean, and nothing else.
    signs = np.where(np.arange(len(client)) < len(found.client.mean_names), -1.0, 1.0)
    turned = signs * client["estimate"].to_numpy()
    assert impostor["estimate"].to_numpy() == approx(turned, abs=1e-9)
    # A new row has the knots, centres and levels of the fit.
    a, b = model.get_distribution_params(theirs.params.to_numpy())
    at = {c.name: twice[c.name][77] for c in found.covariates}
    assert shapes(found.model(**at))[:2] == approx([a[77], b[77]], rel=1e-5)


@pytest.mark.simulation
def test_the_delta_interval_is_that_of_drawn_coefficients():
    found = fit(simulated(3, 400), "x", precision="x")
    center = np.array([*found.client.coefficients, *found.impostor.coefficients])
    drawn = np.random.default_rng(1).multivariate_normal(center, found.cov, 4000)

    def hter(x):
        logits, logs = drawn[:, 0::4] + drawn[:, 1::4] * x, drawn[:, 2::4] + drawn[:, 3::4] * x
        frr, tnr = betainc(expit(logits) * np.exp(logs), expit(-logits) * np.exp(logs), 0.5).T
        return 0.5 * (frr + 1 - tnr)

    one, two = hter(-0.5), hter(0.5)
    interval = found.interval("hter", threshold=0.5, covariates={"x": -0.5})
    assert np.median(one) == approx(interval.estimate, abs=0.002)
    width = logit(interval.high) - logit(interval.low)
    # A standard deviation of 4000 draws is known to 1.1 per cent.
    assert width / (2 * Z) == approx(np.std(logit(one)), rel=0.045)
    change = found.contrast("hter", {"x": -0.5}, {"x": 0.5}, threshold=0.5)
    assert (change.high - change.low) / (2 * Z) == approx(np.std(two - one), rel=0.045)
    assert change.estimate == approx(np.median(two - one), abs=0.002)


@pytest.mark.simulation
def test_groups_of_copies_and_of_both_classes():
    from statsmodels.othermod.betareg import BetaModel

    rows = FRAME.assign(trial=np.arange(300), person=np.arange(300) % 150)
    once = fit(rows, "x", precision="x", group="trial")
    thrice = fit(pd.concat([rows] * 3), "x", precision="x", group="trial")
    assert thrice.client.coefficients == approx(once.client.coefficients, rel=1e-9)
    assert thrice.cov == approx(once.cov, rel=1e-7, abs=1e-12)
    assert thrice.test("x").both.statistic == approx(once.test("x").both.statistic)
    # By hand: H^-1 sum s s' H^-1 n/(n - 1), s the scores of single trials.
    model = BetaModel(ONE["score"].to_numpy(), ROWS, exog_precision=ROWS)
    at = np.array(once.client.coefficients)
    s = np.hstack([part[:, None] * ROWS for part in model.score_factor(at)])
    bread = np.linalg.inv(model.hessian(at))
    assert once.cov[:4, :4] == approx(bread @ s.T @ s @ bread * 150 / 149, rel=1e-6, abs=1e-12)
    # One client and one impostor trial of each person correlate the classes.
    found, apart = fit(rows, "x", group="person"), fit(FRAME, "x")
    assert np.max(np.abs(found.cov[:3, 3:])) > 0.0 == np.max(np.abs(apart.cov[:3, 3:]))
    test, which = found.test("x"), [1, 4]
    slopes = np.array([found.client.mean["x"], found.impostor.mean["x"]])
    assert test.method == "wald"
    wald = slopes @ np.linalg.solve(found.cov[np.ix_(which, which)], slopes)
    assert test.both.statistic == approx(wald, rel=1e-9)


@pytest.mark.simulation
def test_a_term_is_left_out_with_its_interactions_and_units_do_not_matter():
    found, shorter = fit(FRAME, "camera * x", precision="camera"), fit(FRAME, "x")
    test, alone = found.test("camera"), found.test("camera : x")
    assert (test.terms, test.both.degrees) == (("camera", "camera:x"), 2 * (2 + 2 + 2))
    assert (alone.terms, alone.client.degrees) == (("camera:x",), 2)
    for left_out, rest in ((test, shorter), (found.test("camera", "x"), fit(FRAME, "1"))):
        gain = 2 * (found.log_likelihood - rest.log_likelihood)
        assert left_out.both.statistic == approx(gain, rel=1e-9)
    # Of one degree: 1 - erf(sqrt(w/2)).
    single = shorter.test("x").client
    assert single.p_value == approx(math.erfc(math.sqrt(single.statistic / 2)), rel=1e-9)
    found = fit(FRAME, "x", precision="x")
    assert found.client.gradient_norm < 1e-10
    other = fit(FRAME.assign(x=2000 + 1e-3 * FRAME["x"]), "x", precision="x")
    assert other.log_likelihood == approx(found.log_likelihood, rel=1e-9)
    assert other.client.mean["x"] * 1e-3 == approx(found.client.mean["x"], rel=1e-6)
    far = fit(FRAME.assign(x=FRAME["x"] * 1e-100), "x", precision="x")
    assert far.log_likelihood == approx(found.log_likelihood, rel=1e-12)


@pytest.mark.simulation
def test_categories_of_numbers_booleans_and_in_order():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = FRAME.assign(dose=(np.arange(300) % 3) / 2, night=np.arange(300) % 2 == 0,
        size=pd.Categorical(FRAME["camera"], ["top", "left", "right"], ordered=True))  # fmt: skip
    found = fit(frame, "C(dose) + night + size")
    assert found.client.mean_names == ("Intercept", "C(dose)[T.0.5]", "C(dose)[T.1.0]",
        "night[T.True]", "size[T.left]", "size[T.right]")  # fmt: skip
    at = {"dose": np.float64(0.5), "night": np.True_, "size": "top"}
    assert found.model(**at).name == "dose=0.5, night=True, size=top"
    for copy in (pl.from_pandas(frame).lazy(), pa.Table.from_pandas(frame)):
        assert fit(copy, "C(dose) + night") == fit(frame, "C(dose) + night")
    spaced, own = frame.rename(columns={"x": "the x"}), fit(frame, "x").client.coefficients
    assert fit(spaced, "Q('the x')").client.coefficients == approx(own, rel=1e-12)
    for value in (0.25, True):
        with pytest.raises((br.InputError, br.InputTypeError), match="dose"):
            found.model(dose=value, night=True, size="top")


def with_ends():
    frame = FRAME.copy()
    frame.loc[[2, 5], "score"], frame.loc[[160, 170, 180], "score"] = 1.0, 0.0
    return frame


@pytest.mark.simulation
def test_scores_at_the_ends_are_dropped_or_squeezed():
    frame = with_ends()
    dropped = fit(frame, "x", boundary="drop")
    left = fit(frame[frame["score"].between(0, 1, inclusive="neither")], "x")
    assert dropped.client.coefficients == left.client.coefficients
    assert (dropped.client.n, dropped.impostor.n, dropped.prior) == (148, 147, 0.5)
    assert dropped.client.boundary.n_dropped == 2
    squeezed, plain = fit(frame, "1", boundary="squeeze"), plain_fit(frame, boundary="squeeze")
    assert shapes(squeezed.model()) == approx(shapes(plain.model), rel=1e-12)


def few(n):
    return pd.concat([FRAME.iloc[:n], FRAME.iloc[150 : 150 + n]])


ONE_CLASS = FRAME.assign(camera=np.where(FRAME["label"] == 1, "left", FRAME["camera"]),
    fixed=np.where(FRAME["label"] == 1, 0.4, FRAME["x"]), twice=2 * FRAME["x"] + 1)  # fmt: skip


@pytest.mark.simulation
@pytest.mark.parametrize(("frame", "formula", "options", "message"), [
    (FRAME, "x", {"precision": "y"}, "precision must name columns of the frame; 'y'"),
    (FRAME, "x +", {}, "formula must be a formula"),
    (FRAME, "label ~ x", {}, "the score column, 'score', left of ~; got 'label'"),
    (FRAME, "score", {}, "must not use 'score'"),
    (FRAME.rename(columns={"x": "prior"}), "prior", {}, "'prior' means the share of clients"),
    (FRAME.assign(x=np.arange(300.0)), "np.log(x)", {}, "is -inf for 1 of 300 trials"),
    (FRAME, "te(x)", {}, "formula may call abs, clip, cos, exp, "),
    (FRAME, "C(x > 0)", {}, "the categories of one column, C(camera); got 'C(x > 0)'"),
    (FRAME, "C(camera, levels=['top'])", {}, "polars.Enum), not by levels=; got"),
    (FRAME, "Q(camera)", {}, "Q('a name'); got 'Q(camera)'"),
    (FRAME, "C(camera, Treatment('tpo'))", {}, "must be computable from its columns"),
    (FRAME.assign(x=pd.Timestamp("2020-01-01")), "x", {}, "numbers, text or booleans"),
    (FRAME.assign(g=1), "x", {"group": "g"}, "all 150 client trials in one"),
    (FRAME.assign(x=FRAME["x"].where(FRAME.index != 7)), "x", {}, "missing, first in rows 7"),
    (FRAME.assign(x=1.5), "x", {}, "'x' must vary among the client trials; it is 1.5 for all"),
    (ONE_CLASS, "x + twice", {}, "'Intercept', 'x', 'twice' are collinear"),
    (ONE_CLASS, "fixed", {}, "client_formula='1'"),
    (ONE_CLASS, "camera", {}, "it is 'left' for all 150 of them. A covariate of the"),
    (with_ends(), "x", {}, "0 client scores of exactly 0 and 2 of exactly 1 and 3 impostor scores"),
    (few(4), "camera * x", {}, "as many trials as coefficients; got 4 of clients for 7"),
])  # fmt: skip
def test_what_cannot_be_fitted_is_named(frame, formula, options, message):
    with pytest.raises(br.BetarocError) as caught:
        fit(frame, formula, **options)
    assert message in str(caught.value)


#: Whatever runs of this would be seen: {} becomes an expression that leaves a trace.
CODE = ("x + {}", "I({})", "np.log({})", "{} ~ x", "{}.real ~ x", "({})(x) ~ x", "{{{}}}", "x:{}",
    "bs(x, df={})", "bs(x, knots=[{}])", "bs(x, **{})", "C(x, {})", "Q({})", "I(x, _state={})",
    "I([v for v in {}])", "I(lambda: {})()", "I((lambda: {})())", "I(f'{{{}}}')", "I(x[{}])",
    "I((y := {}))", "I({} if x else 0)", "I(x and {})", "I({} is x)", "center({}, x)",
    "`x` + I(`x` * {})", "I(x, *{})", "where({}, x, 1)", "I({{1: {}}})", "I(x <= {})")  # fmt: skip
NO_ARITHMETIC = ("x.__class__", "I(x.__class__)", "np.save('x', x)", "np.load('x')", "np", "I(np)",
    "np.lib.npyio.DataSource()", "I(x.to_pickle('x'))", "getattr(x, 'values')", "I(...)", "I(b'x')",
    "I('x' * 9)", "I('x' % x)", "I(9 ** 9 ** 9)", "I(x ** 9 ** 9 ** 9)", "I(x << 9)", "I(x @ x)",
    "I(x, y=1", "I(" + "-" * 5000 + "x)", "open('x')", "I(__FORMULAIC_CONTEXT__)",
    "hashed(x, levels=2)", "lag(x)", "C(x, contr.sum)", "1j:x")  # fmt: skip


@pytest.mark.simulation
def test_nothing_of_a_formula_runs_but_arithmetic_of_columns(monkeypatch):
    found, traces = fit(FRAME, "x"), []
    monkeypatch.setattr(builtins, "trace", lambda *a: traces.append(a), raising=False)
    runs = ("trace(x)", "trace()", "(trace(1), 2)[1]", "__import__('os').system('false')")
    asks = [lambda f: fit(FRAME, f), lambda f: fit(FRAME, "x", client_formula=f), found.test]
    calls = [(ask, code.format(inner)) for inner in runs for code in CODE for ask in asks]
    for call, formula in [*calls, *((asks[0], text) for text in NO_ARITHMETIC)]:
        with pytest.raises(br.InputError) as caught:
            call(formula)
        assert len(str(caught.value)) <= 400, formula
    assert traces == []


@pytest.mark.simulation
def test_values_of_covariates_are_checked():
    found, same, no_mapping = fit(FRAME, "camera + x"), {"x": 0, "camera": "top"}, 0.5
    tiny = pd.DataFrame({"score": [0.4, 0.7, 0.1, 0.6], "label": [1, 1, 0, 0]})
    with pytest.warns(br.SmallSampleWarning):
        pair = fit(tiny, "1")
    for call, message in (
        (lambda: found.model(x=0.0), "'camera' must have a value"),
        (lambda: found.model(**same, z=1), "'z' must be a covariate of the fit"),
        (lambda: found.model(x=math.nan, camera="top"), "x must be a finite number"),
        (lambda: found.interval("auc", covariates=no_mapping), "covariates must be a mapping"),
        (lambda: found.contrast("auc", same, same | {"x": 0.0}), "must be different"),
        (lambda: found.test("y"), "terms must be one of 'camera', 'x'; got 'y'"),
        (lambda: fit(FRAME, "0 + camera").test("camera"), "must have an intercept"),
        (lambda: pair.interval("auc"), "more trials than coefficients; got 2 trials for 2"),
    ):  # fmt: skip
        with pytest.raises(br.BetarocError) as caught:
            call()
        assert message in str(caught.value)


@pytest.mark.simulation
def test_outside_the_data_a_number_has_its_interval_and_a_warning():
    found = fit(FRAME, "x")
    low, high = (f"{f(ONE['x']):g}" for f in (min, max))
    with pytest.warns(br.ExtrapolationWarning) as caught:
        made = found.interval("client-mean", covariates={"x": 2})
    assert [w.filename for w in caught] == [__file__]
    text = str(caught[0].message)
    assert f"x=2 (client trials {low} to {high}, impostor trials -0.9" in text
    # By hand as inside: mu (1 - mu) times the error of the linear predictor at x = 2.
    cov, rows = found.cov[:2, :2] * 150 / 147, np.array([[1.0, 0.0], [1.0, 2.0]])
    mu = expit(rows @ list(found.client.mean.values()))
    slopes = rows * (mu * (1 - mu))[:, None]
    reach = Z * math.sqrt(slopes[1] @ cov @ slopes[1])
    assert [made.estimate, *ends(made)] == approx([mu[1], mu[1] - reach, mu[1] + reach])
    assert made.extrapolated
    assert not found.interval("auc", covariates={"x": 0.9}).extrapolated  # and no warning
    found = fit(FRAME, "x", precision="x")
    with pytest.raises(br.InputError, match=r"inside the data for a model; got x=1\.2.*Ask inter"):
        found.model(x=1.2)
    with pytest.raises(br.InputError, match="shapes that doubles hold"):
        found.interval("auc", covariates={"x": 1e9})
    found = fit(FRAME, "x", precision="x")
    words = "'tpr@far=0.1' cannot be told there: its 95 % interval, .* covers more than 99 % of"
    with pytest.raises(br.InputError, match=words):
        found.interval("tpr", far=0.1, covariates={"x": 3})
    with pytest.raises(br.InputError, match=words):
        found.contrast("tpr", {"x": 0.0}, {"x": 3}, far=0.1)
    with pytest.raises(br.InputError, match=r"cannot be told|doubles"):
        found.interval("exponent-at-one", covariates={"x": 150})
    # Three of four cells with n trials: the fourth has 1/n + 1/n + 1/n, each of them 1/n.
    rng, cells = np.random.default_rng(8), [("left", "day"), ("left", "night"), ("right", "day")]
    frame = pd.DataFrame(cells * 80, columns=["camera", "light"]).assign(score=np.r_[rng.beta(3, 2,
        120), rng.beta(2, 3, 120)], label=np.repeat([1, 0], 120))  # fmt: skip
    found = fit(frame, "camera + light")
    for camera, light in cells:
        found.model(camera=camera, light=light)
    new = {"camera": "right", "light": "night"}
    text = "no client trial has such values together .leverage 3 times the largest of theirs"
    with pytest.raises(br.InputError, match=text):
        found.model(**new)
    with pytest.warns(br.ExtrapolationWarning, match=text):
        assert found.interval("auc", covariates=new).extrapolated


@pytest.mark.simulation
def test_few_and_reversed_scores_are_noticed_and_no_maximum_is_no_fit(monkeypatch):
    with pytest.warns(br.SmallSampleWarning, match="client: only 8 scores"):
        fit(few(8), "x")
    with pytest.warns(br.ReversedScoresWarning):
        fit(FRAME.assign(score=1 - FRAME["score"]), "x")
    frame = FRAME.copy()
    frame.loc[frame["camera"] == "top", "score"] = 0.25
    with pytest.raises(br.DegenerateDataError, match="becomes a point"):
        fit(frame, "camera", precision="camera")
    monkeypatch.setattr(covariates, "_STEPS", 1)
    with pytest.raises(br.FitError, match="instead of 0") as caught:
        fit(FRAME, "camera * x", precision="camera * x")
    assert not caught.value.result.converged


@pytest.mark.simulation
@pytest.mark.parametrize("concentration", [0.02, 1e8])
def test_from_poles_to_needles(concentration):
    """Shapes from 0.01 to 1e8 converge, and the slope is found."""
    x, label = np.tile(np.linspace(-1, 1, 300), 2), np.repeat([1, 0], 300)
    mu = expit(0.5 * x + np.where(label == 1, 0.4, -0.4))
    score = np.random.default_rng(4).beta(mu * concentration, (1 - mu) * concentration)
    frame = pd.DataFrame({"score": np.clip(score, 1e-300, 1 - 2**-53), "label": label, "x": x})
    table = fit(frame, "x", precision="x").to_frame()
    slopes = table[(table["term"] == "x") & (table["part"] == "mean")]
    assert np.all(np.abs(slopes["estimate"] - 0.5) < 5 * slopes["std_error"])
