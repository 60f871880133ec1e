"""Every argument of everything public is used in a call that works, then is something else.

Options that others switch on stand beside these, so that no wrong value is passed over unread.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from helpers.cases import case
from helpers.hostile import NoRepr

SIZE, FEW = 300, 40
PAIR = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
OTHER_PAIR = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 4))

#: What arguments are not, or not all of them.
JUNK: dict[str, Callable[[], Any]] = {
    repr(value)[:40]: (lambda value=value: value)
    for value in (
        [1.0, 2.0], [], {"a": 1}, {}, b"x", dict, 1j, [[1], [2]], ("a", "b"), "", "a\0b", "a\nb",
        float("nan"), float("inf"), -float("inf"), -1, True, range(2), {1}, None, np.int64(30),
        np.array(0.5), pd.NA, "0.5", 2.5, [None], [1, "a"], np.datetime64("2020"), (1, 0),
        (1, 2, 3), (None, 0.5), ("0", "1"), 1e-320, {"client": 1j}, ..., object,
    )
} | {
    "an object": object, "a frame": lambda: pd.DataFrame({"q": [1.0]}), "no repr": NoRepr,
    "a matrix": lambda: np.ones((2, 2)), "digits": lambda: 10**5000, "long": lambda: "x" * 999,
    "masked": lambda: np.ma.masked_array([1.0, 2.0], [1, 0]), "a generator": lambda: iter((1, 2)),
    "401 digits": lambda: 10**400,
}  # fmt: skip


class Call(NamedTuple):
    """A call that works, as its function and arguments."""

    function: Callable[..., Any]
    options: dict[str, Any]

    @property
    def name(self) -> str:
        return str(getattr(self.function, "__qualname__", self.function))


def scores(n: int, seed: int, *, groups: bool = False, name: str | None = None) -> br.Scores:
    rng = np.random.default_rng(seed)
    client, impostor = rng.beta(4, 2, n), rng.beta(2, 4, n + 5)
    given: dict[str, Any] = {}
    if groups:
        given = {"client_groups": [k // 2 for k in range(n)],
                 "impostor_groups": [k // 2 for k in range(n + 5)]}  # fmt: skip
    given |= {"client_ids": [f"c{k}" for k in range(n)],
              "impostor_ids": [f"i{k}" for k in range(n + 5)]}  # fmt: skip
    return br.Scores(client, impostor, name=name, **given)


def frame_of(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    label = np.tile([0, 1], n // 2)
    return pd.DataFrame({
        "score": 1.0 / (1.0 + np.exp(-label - rng.normal(size=n))), "label": label,
        "a": rng.random(n), "b": rng.random(n), "z": rng.normal(size=n),
        "sex": np.tile(["f", "f", "m"], n // 3), "g": np.arange(n) // 3, "w": 1.0,
        "system": np.tile(["x", "y"], n // 2)[rng.permutation(n)],
    })  # fmt: skip


def calls(folder: Path) -> Iterator[Call]:
    """Every public function, with all of its arguments in one call of it or another."""
    dev, test = scores(SIZE, 1, groups=True, name="dev"), scores(SIZE, 2, groups=True, name="test")
    few, more = scores(FEW, 3), scores(FEW, 4, name="more")
    line = br.Scores(*(6.0 * x - 3.0 for x in (dev.client, dev.impostor)))
    fit, other, wide = br.fit(few, "beta"), br.fit(more, "beta"), br.fit(few, "beta-mixture")
    curve, second = br.epc(few, more), br.epc(more, few)
    frame = frame_of()
    table = folder / "all.csv"
    frame.to_csv(table, index=False)
    for name, values in (("c", few.client), ("i", few.impostor)):
        (folder / f"{name}.txt").write_text("\n".join(map(repr, values.tolist())))
    frame["label"].rename_axis("id").to_csv(folder / "key.csv")
    frame["score"].rename_axis("id").to_csv(folder / "scores.csv")
    systems = frame[["a", "b", "label", "g"]]

    def call(function: Callable[..., Any], /, **options: Any) -> Call:
        return Call(function, options)

    yield call(br.analyze, dev=few, test=more, family="beta", boundary="error", level=0.9, rng=1,
               statistics=["auc"], terms="biometric", target={"far": 0.1})  # fmt: skip
    yield call(br.analyze, dev=line, family="normal", tails="upper", tail_sizes=30, bounds=(-4, 4))
    yield call(br.analyze, dev=few, family="beta", resolution=0.01)
    yield call(br.auc_interval, scores=dev, level=0.9, method="delong", groups=True)
    yield call(br.auc_test, a=dev, b=test, paired=False, level=0.9, groups=True)
    yield call(br.beta_auc, a_c=1, b_c=2, a_i=3, b_i=4)
    yield call(br.beta_mle, mean_log=-1, mean_log1m=-0.7)
    yield call(br.check_fit, f=fit, far=0.1, replicates=19, tolerance=0.2, level=0.9, rng=1)
    yield call(br.check_fit, f=fit, frr=0.1, replicates=19, rng=1)
    both: dict[str, Any] = {"resample": "both", "paired": False, "level": 0.9, "low": 0.1,
                            "high": 0.9, "replicates": 19, "groups": False, "rng": 1}  # fmt: skip
    yield call(br.compare, epc_a=curve, epc_b=second, **both)
    yield call(br.compare_systems, curves={"a": curve, "b": second}, **both)
    yield call(br.compare_families, scores=few, families=["beta", "normal"], bounds=(0.0, 1.0))
    yield call(br.decide, scores=few, far=0.1, how="guaranteed", confidence=0.9)
    yield call(br.decide, scores=few, frr=0.1, how="model", family="beta", boundary="error")
    yield call(br.decide, scores=few, far=0.1, how="model", family="beta", resolution=0.01)
    yield call(br.decide, scores=few, cost_fa=1, cost_fr=2, prior=0.3)
    yield call(br.decide, scores=few, eer=True)
    asked: dict[str, Any] = {"stat": "tpr", "far": 0.1, "level": 0.9, "replicates": 19, "rng": 1}
    yield call(br.difference, a=dev, b=test, paired=False, groups=True, **asked)
    yield call(br.difference, a=fit, b=other, paired=False, method="delta", extrapolate=True,
               **asked)  # fmt: skip
    yield call(br.interval, x=dev, groups=True, **asked)
    yield call(br.interval, x=fit, method="bootstrap", extrapolate=True, **asked)
    yield call(br.interval, x=fit, stat="partial-auc", between=(0, 0.1))
    yield call(br.interval, x=fit, stat="far", threshold=0.5)
    yield call(br.interval, x=fit, stat="f1", at="eer")
    yield call(br.epc, dev=few, test=more, criterion="far", measure="dcf", alpha=[0.1], prior=0.3)
    yield call(br.epc_average, dev=few, test=more, pair="far-frr", low=0.1, high=0.5, prior=None)
    yield call(br.epc_cv, scores=few, folds=3, criterion="weighted-error", measure="hter",
               alpha=[0.5], prior=None, rng=1)  # fmt: skip
    yield call(br.epc_forecast, fit=fit, n_client=20, n_impostor=30, alpha=[0.5],
               criterion="weighted-error")  # fmt: skip
    yield call(br.fit, scores=few, family="beta", boundary="censor", resolution=0.01)
    yield call(br.fit, scores=line, family="normal-mixture", components=2, bounds=(-4, 4),
               tails={"client": "lower"}, tail_sizes=[30])  # fmt: skip
    yield call(br.fit_covariates, frame=frame, formula="z", precision="sex", client_formula="z",
               score="score", label="label", client_label=1, group="g",
               boundary="squeeze")  # fmt: skip
    yield call(br.fit_distribution, sample=few.client, family="beta", weights=np.ones(FEW),
               boundary="censor", resolution=0.01)  # fmt: skip
    yield call(br.fit_distribution, sample=dev.client, family="beta-mixture", components=2)
    yield call(br.fit_many, frame=frame, system="system", score="score", label="label",
               client_label=1, family="beta", boundary="drop", statistics=["auc"])  # fmt: skip
    yield call(br.from_json, text_or_path=fit.to_json())
    yield call(br.inclusion, frame=systems, label="label", client_label=1, systems=["a", "b"],
               region=[0.1, 0.3], level=0.9, family="beta", boundary="squeeze", folds=3,
               criterion="weighted-error", measure="hter", alpha=[0.5], ends=0.1, rng=1,
               nan_policy="omit", group="g", dev=systems.iloc[:30])  # fmt: skip
    yield call(br.inclusion, frame=systems.drop(columns="g"), family="beta", resolution=0.01,
               alpha=[0.5], folds=2)  # fmt: skip
    yield call(br.likelihood_ratio_test, restricted=fit, general=wide, replicates=19, rng=1)
    yield call(br.mean_logs, x=np.full((3, 4), 0.5), axis=1)
    yield call(br.plan_sample_size, stat="tpr", far=0.1, model=PAIR, width=0.1, level=0.9, ratio=2,
               method="delta")  # fmt: skip
    yield call(br.plan_sample_size, stat="auc", model=(PAIR, OTHER_PAIR), power=0.8,
               correlation=0.3)  # fmt: skip
    yield call(br.plan_sample_size, stat="epc-gap", model=PAIR, width=0.02, alpha=0.5,
               measure="hter", thresholds="smooth")  # fmt: skip
    yield call(br.read_scores, path=table, score="score", label="label", client_label="1",
               group="g", separator=",", decimal=".", header=True, missing="drop",
               max_size=10**6, max_rows=1000)  # fmt: skip
    yield call(br.read_scores, path=table, format="csv", columns=None)
    yield call(br.read_scores, client_file=folder / "c.txt", impostor_file=folder / "i.txt")
    yield call(br.read_scores, path=folder / "scores.csv", key=folder / "key.csv", id="id")
    yield call(br.roc_band, x=fit, far=[0.1, 0.2], level=0.9, simultaneous=False, groups=False,
               method="bootstrap", replicates=19, rng=1, extrapolate=True)  # fmt: skip
    yield call(br.roc_band, x=dev, far=[0.1], simultaneous=True, groups=True, replicates=19, rng=1)
    yield call(br.sample_systems, models={"a": PAIR, "b": PAIR}, n_client=5, n_impostor=6,
               correlation=0.3, rng=1)  # fmt: skip
    yield call(br.solve_pair, auc=0.9, eer=0.15, family="beta", prior=0.4, name="x")
    yield call(br.solve_pair, goals={"auc": 0.9, "eer": 0.17}, family="normal")
    yield call(br.solve_pair, exponents=(0.5, 0.5), auc=0.5)
    yield call(br.solve_pair, slopes=(0, None), auc=0.8)
    yield call(br.solve_pair, shapes=("U", "U"), auc=0.7)
    yield call(br.solve_pair, crossing=0.3, auc=0.55)
    yield call(br.statistics)
    yield call(br.summarize, frame_or_path=frame, score="score", label="label", client_label=1,
               bins=16, layout=(0, 1))  # fmt: skip
    yield call(br.summarize, frame_or_path=table, max_size=10**6)
    yield call(br.Scores, client=few.client, impostor=few.impostor, name="x",
               client_weights=np.ones(FEW), impostor_weights=np.ones(FEW + 5),
               client_groups=list(range(FEW)), impostor_groups=list(range(FEW + 5)),
               client_ids=list(range(FEW)), impostor_ids=list(range(FEW + 5)))  # fmt: skip
    yield call(br.Scores, client=few.client, impostor=few.impostor, n_client_rejected=2,
               n_impostor_rejected=3)  # fmt: skip
    yield call(br.Scores.from_frame, frame=frame, score="score", label="label", client_label=1,
               weight="w", group="g", id="system", missing="drop")  # fmt: skip
    yield call(br.Scores.from_labels, y_true=frame["label"], y_score=frame["score"],
               client_label=1, weights=frame["w"], groups=frame["g"], ids=list(range(60)), name="x",
               missing="drop")  # fmt: skip
    yield from of_values(few, more, fit, curve, second)
    yield from of_fits_with_options(dev, line, fit, frame)


def of_values(few: Any, more: Any, fit: Any, curve: Any, second: Any) -> Iterator[Call]:
    """Classes that are made by hand, and methods of what is found."""
    beta, normal, tail = br.Beta(1, 2), br.Normal(0, 1), br.ParetoTail(0.1, 0.1, 1.0)
    point, model = fit.at(0.5), fit.model
    compared = br.compare(curve, second, paired=False, replicates=19, rng=1)
    every = br.compare_systems({"a": curve, "b": second}, paired=False, replicates=19, rng=1)
    decision = br.decide(few, far=0.1)
    yield from (Call(function, options) for function, options in (
        (br.ScoreModel, {"client": beta, "impostor": br.Beta(2, 1), "prior": 0.3, "name": "x"}),
        (br.Beta, {"a": 1, "b": 2}), (br.Normal, {"mu": 0, "sigma": 1}),
        (br.LogitNormal, {"mu": 0, "sigma": 1}),
        (br.BetaMixture, {"weights": (0.5, 0.5), "components": (beta, br.Beta(2, 1))}),
        (br.NormalMixture, {"weights": (0.5, 0.5), "components": (normal, br.Normal(1, 2))}),
        (br.Inflated, {"base": beta, "at_zero": 0.1, "at_one": 0.2}),
        (br.Empirical, {"values": [0.1, 0.2], "weights": [1, 2]}),
        (br.Binned, {"edges": [0.0, 0.5, 1.0], "counts": [1, 2]}),
        (br.Rejecting, {"base": beta, "rejected": 0.1}),
        (br.Shifted, {"base": normal, "shift": 1, "scale": 2}),
        (br.ParetoTail, {"mass": 0.1, "shape": 0.1, "scale": 1.0, "joint": None}),
        (br.Spliced, {"body": normal, "lower": tail, "upper": tail, "bounds": (-9, 9)}),
        (br.Beta(2, 3).sample, {"size": 3, "rng": 1}), (br.Beta(2, 3).ppf, {"p": 0.5}),
        (br.Beta(2, 3).cdf, {"x": 0.5}),
        (br.Design.grid, {"levels": {"x": [1, 2]}}),
        (br.Design.sobol, {"ranges": {"x": (0, 1)}, "n": 4, "rng": 1}),
        (br.Design.latin_hypercube, {"ranges": {"x": (0, 1)}, "n": 4, "rng": 1}),
        (br.Design.grid({"x": [1, 2]}).cell, {"k": 1}),
        (fit.client.conf_int, {"level": 0.9, "method": "wald"}),
        (curve.area, {"low": 0.1, "high": 0.9, "normalize": True}),
        (curve.band, {"level": 0.9, "resample": "both", "replicates": 19, "simultaneous": True,
                      "stratified": True, "m": 20, "method": "bootstrap", "groups": False,
                      "rng": 1}),
        (br.epc(fit, fit).band, {"method": "delta", "level": 0.9}),
        (curve.interval, {"stat": "value", "alpha": 0.5, "level": 0.9, "replicates": 19, "rng": 1}),
        (curve.interval, {"stat": "area", "method": None, "groups": False, "replicates": 19}),
        (curve.plot, {"ax": None, "expected": True, "a_posteriori": True, "scale": "linear",
                      "terms": "ml"}),
        (fit.actual_dcf, {"cost_fa": 1, "cost_fr": 2, "prior": 0.3}), (fit.at, {"t": 0.5}),
        (fit.at_far, {"x": 0.5}), (fit.at_frr, {"x": 0.5}), (fit.eer, {"method": "hull"}),
        (fit.max_f, {"weight": 0.4}), (fit.min_weighted_error, {"alpha": 0.4}),
        (fit.min_dcf, {"cost_fa": 1, "cost_fr": 2, "prior": 0.4}),
        (fit.plot, {"kind": "roc", "ax": None, "band": fit.roc_band(), "scale": "log",
                    "terms": "ml"}),
        (fit.plot, {"kind": "pp", "level": 0.9}),
        (point.dcf, {"cost_fa": 1, "cost_fr": 2, "normalized": True}), (point.f, {"weight": 0.4}),
        (point.weighted_error, {"alpha": 0.3}),
        (model.roc().crossings, {"other": PAIR.roc()}), (model.roc().fpr, {"tpr": 0.5}),
        (model.roc().plot, {"ax": None, "scale": "log", "terms": "ml"}),
        (model.roc().points, {"n": 20}), (model.roc().slope, {"fpr": 0.4}),
        (model.roc().threshold, {"fpr": 0.4}), (model.roc().tpr, {"fpr": 0.3}),
        (model.average_precision, {"points": 20}), (model.det, {"scale": "probit"}),
        (model.h_measure, {"weights": (2.0, 2.0)}),
        (model.partial_auc, {"low": 0.1, "high": 0.5, "standardized": True}),
        (model.posterior, {"scores": 0.5}), (model.roc, {"positive": "impostor"}),
        (model.sample, {"n_client": 3, "n_impostor": 4, "rng": 1}),
        (model.shape_category, {"scheme": 9}), (model.far, {"t": 0.4}),
        (model.shifted, {"client": 0.1, "impostor": 0.2, "scale": 1.1}),
        (model.threshold_at_far, {"x": 0.4}), (few.confusion, {"threshold": 0.5}),
        (few.precision_at, {"k": 5}), (few.confusion(0.5).summary, {"terms": "ml"}),
        (compared.plot, {"ax": None, "names": ("a", "b"), "scale": "linear", "terms": "ml"}),
        (compared.histogram, {"alpha": 0.5, "bins": 5}),
        (every.plot, {"ax": None, "scale": "linear", "terms": "ml"}),
        (decision.accept, {"x": 0.5}), (decision.check, {"test": more}),
        (br.epc_average(few, more).interval, {
            "stat": "average", "level": 0.9, "method": None, "replicates": 19, "groups": False,
            "rng": 1}),
        (br.epc_forecast(fit, n_client=20, n_impostor=20, alpha=[0.5]).dev_size, {"excess": 0.01}),
        (br.compare_families(few, ["beta", "normal"]).of, {"who": "client"}),
    ))  # fmt: skip


def of_fits_with_options(dev: Any, line: Any, fit: Any, frame: pd.DataFrame) -> Iterator[Call]:
    """Fits of groups, with tails, on covariates, and of an ensemble."""
    grouped, tailed = br.fit(dev, "beta"), br.fit(line, "normal", tails="upper", tail_sizes=30)
    by = br.fit_covariates(frame, "z", client_formula="sex")
    there = {"z": 0.0, "sex": "f"}
    judged = br.inclusion(frame[["a", "b", "label"]], family="beta", folds=2, rng=1, alpha=[0.5])
    assert judged.fusion is not None
    yield from (Call(function, options) for function, options in (
        (grouped.conf_int, {"level": 0.9, "method": "wald", "groups": True}),
        (grouped.curve_test, {"level": 0.9, "groups": True}),
        (grouped.end_tests, {"level": 0.9, "groups": True}), (grouped.joint_cov, {"groups": True}),
        (grouped.sensitivity, {"resolution": 0.01, "groups": True}),
        (grouped.shape_probabilities, {"groups": True}),
        (tailed.plot, {"kind": "tail-shape", "level": 0.9}),
        (tailed.plot, {"kind": "tails", "level": 0.9}),
        (by.contrast, {"stat": "tpr", "far": 0.1, "first": there, "second": {"z": 1.0, "sex": "m"},
                       "level": 0.9, "prior": 0.4}),
        (by.interval, {"stat": "tpr", "far": 0.1, "covariates": there, "level": 0.9, "prior": 0.4}),
        (by.model, {"prior": 0.3, "z": 0.0, "sex": "f"}), (judged.plot, {"terms": "ml"}),
        (judged.fusion.gain, {"system": "a", "rule": "mean-logit", "part": "all"}),
    ))  # fmt: skip


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> list[Call]:
    return list(calls(tmp_path_factory.mktemp("files")))


@cache
def arguments_of(function: Callable[..., Any]) -> frozenset[str]:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    found = inspect.signature(function).parameters.values()
    return frozenset(one.name for one in found if one.kind in kinds)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
def test_every_argument_of_every_function_is_used(every: list[Call]) -> None:
    for name in br.__all__:
        function = getattr(br, name)
        if inspect.isfunction(function):
            used = {argument for one in every if one.name == name for argument in one.options}
            assert arguments_of(function) <= used, (name, arguments_of(function) - used)
    for one in every:
        with case(f"{one.name}({', '.join(one.options)})"):
            one.function(**one.options)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
def test_something_else_in_its_place_is_taken_or_refused_in_words(every: list[Call]) -> None:
    broken = []
    for one in every:
        for argument in one.options:
            for name, junk in JUNK.items():
                try:
                    with np.errstate(all="raise"), suppress(br.BetarocError):
                        one.function(**{**one.options, argument: junk()})
                except Exception as error:  # noqa: BLE001
                    broken.append((one.name, argument, name, type(error).__name__))
    assert broken == []


# ------------------------------------------------------------------- what was found by them
TINY = br.Scores([0.5, 1.0, 2.0, 0.3], [1e-300, 0.0, 1e-300], client_groups=[0, 0, 1, 1],
                 impostor_groups=[0, 1, 1])  # fmt: skip
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "bounds": (lambda: br.Spliced(br.Normal(0, 1), upper=br.ParetoTail(0.1, 0.1, 1.0), bounds=1j),
               r"bounds must be two numbers, \(low, high\); got 1j"),
    "three bounds": (lambda: br.Spliced(br.Normal(0, 1), upper=br.ParetoTail(0.1, 0.1, 1.0),
                                        bounds=(0, 1, 2)), "got 3: "),
    "sizes of tails": (lambda: br.fit(TINY, tails="upper", tail_sizes=2.5),
                       r"tail_sizes must be an int >= 20; got 2\.5"),
    "no sizes": (lambda: br.fit(TINY, tails="upper", tail_sizes=()), "tail_sizes must hold a"),
    "a resolution": (lambda: br.fit_distribution([0.1, 0.3, 0.5, 0.7], resolution=1e-300),
                     "resolution must be at least 4.4e-16"),
    "given": (lambda: br.interval(TINY, "tpr", given={"far": 0.1}), "'given' must be an option"),
    "no rates": (lambda: br.roc_band(scores(FEW, 3), far=[]), "far must be one fraction"),
    "statistics": (lambda: br.analyze(scores(FEW, 3), statistics=object()), "statistics must be"),
    "a class as statistic": (lambda: br.interval(br.fit(scores(FEW, 3)), dict), "stat must be"),
    "paths": (lambda: br.read_scores(client_file=pd.DataFrame(), impostor_file="i.txt"),
              "client_file must be the path of a file; got a DataFrame"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(name: str) -> None:
    call, words = REFUSED[name]
    with pytest.raises((br.InputError, br.InputTypeError), match=words):
        call()


@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
def test_it_has_an_answer() -> None:
    with np.errstate(all="raise"):
        fit = br.fit(TINY, "normal")
        assert np.isnan(fit.joint_cov()).any()  # of variances that no double holds
        assert br.decide(scores(FEW, 3), far=1e-320, how="model", family="beta").rate == 1e-320
