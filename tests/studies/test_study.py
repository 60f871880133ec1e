"""Studies: designs, statistics of trials, the same bytes from every engine, folders that resume."""

import dataclasses
import functools
import itertools
import math
import operator
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import norm, qmc

import betaroc as br
from betaroc import Study
from betaroc.core.notices import suppress_warnings
from betaroc.studies.result import read_study
from betaroc.studies.storage import Folder
from betaroc.studies.trials import as_statistics, fingerprint

SHAPES = dict.fromkeys(("a_c", "b_c", "a_i", "b_i"), (0.5, 5.0, "log"))
PAIR = {"a_c": 3.0, "b_c": 2.0, "a_i": 2.0, "b_i": 3.0}
NORMAL = {"law": "normal", "mu_c": 1.0, "sigma_c": 1.0, "mu_i": 0.0, "sigma_i": 1.0}


def content(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def study(design, asked=("true.auc",), **options):
    return Study(design, asked, **{"folder": "study"} | options)


def rows_of(design, asked=("true.auc",), **options):
    return Study(design, asked, **{"rng": 1} | options).run().to_frame()


def small(folder, **options):
    return Study(PAIR | {"a_c": [1.0, 2.0]}, ["true.auc"], folder=folder, **options)


@pytest.mark.parametrize(
    ("call", "given", "error", "words"),
    [
        (br.Design.grid, [{}], br.InputError, "at least one parameter"),
        (br.Design.grid, [{"a": [1, 1.0]}], br.InputError, "must be distinct"),
        (br.Design.grid, [{"a": [1.0, math.nan]}], br.InputError, "finite.* index 1"),
        (br.Design.grid, [{"\ud800": 1}], br.InputError, "UTF-8 can hold"),
        (br.Design, [("a", "b"), ((1,), (1, 2))], br.InputError, "lengths"),
        (br.Design.sobol, [{"a": (0, 1)}, 12], br.InputError, "power of two.*Take 8 or 16"),
        (br.Design.sobol, [{"a": [1.0]}, 8], br.InputTypeError, "Design.grid"),
        (operator.mul, [br.Design.grid({"a": 1})] * 2, br.InputError, "'a' twice"),
        (as_statistics, [["fit.acu"]], br.InputError, "'fit.acu'.*Did you mean 'auc'"),
        (as_statistics, [["true.log-likelihood"]], br.InputError, "log-likelihood"),
        (as_statistics, [[lambda trial: 1]], br.InputTypeError, "Pass a mapping"),
        (as_statistics, [{"cell": "fit.auc"}], br.InputError, "column of every study"),
        (as_statistics, [["fit.auc", "fit.auc"]], br.InputError, "occurs twice"),
        (study, [PAIR | {"famly": "beta"}], br.InputError, "Did you mean 'family'"),
        (study, [{"a_c": 1.0, "b_c": 1.0, "a_i": 1.0}], br.InputError, "got no 'b_i'"),
        (study, [PAIR | {"auc": 0.8}], br.InputError, "by its parameters or by what it is to have"),
        (study, [PAIR | {"n_client": 3}], br.InputError, "given together"),
        (study, [PAIR | {"n": 3, "resolution": 0.1, "rounding": 0.1}], br.InputError, "got both"),
        (study, [PAIR, ["fit.auc"]], br.InputError, "give sizes for"),
        (study, [PAIR, {"own": lambda trial: {"m": 1.0}, "own.m": "true.auc"}], br.InputError,
         r"'own\.m', which may be a column of the function 'own'"),
    ],
)  # fmt: skip
def test_what_is_refused(call, given, error, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=words):
        call(*given)
    assert content(tmp_path) == {}


def test_designs_by_hand_and_by_scipy():
    design = br.Design.grid({"a": [1, 2], "b": ["x", "y", "z"], "c": True})
    wanted = [{"a": a, "b": b, "c": True} for a, b in itertools.product([1, 2], "xyz")]
    assert list(design) == [design.cell(k) for k in range(6)] == wanted
    assert eval(repr(br.Design.grid({"a": [1, 2]})), {"Design": br.Design}).columns == ((1, 2),)
    latin = br.Design.latin_hypercube({"a": (0.0, 7.0), "n": (1, 7, "int")}, 7, rng=1)
    assert sorted(map(math.floor, latin.columns[0])) == list(range(7))
    assert sorted(latin.columns[1]) == list(range(1, 8))
    sobol, again = (
        br.Design.sobol({"a": (1.0, 3.0), "b": (0.1, 10.0, "log")}, 16, rng=5) for _ in range(2)
    )
    assert sobol == again
    unit = qmc.Sobol(2, scramble=True, rng=np.random.default_rng(5)).random_base2(4)
    a, b = (np.array(column) for column in sobol.columns)
    np.testing.assert_allclose(a, 1.0 + 2.0 * unit[:, 0], rtol=1e-14)
    np.testing.assert_allclose(b, 10.0 ** (2.0 * unit[:, 1] - 1.0), rtol=1e-14)
    # Balanced in every margin: each sixteenth has one point.
    assert sorted(int(v) for v in 8.0 * (a - 1.0)) == list(range(16))


NAMES = ("fit.auc", "fit.client-a", "fit.impostor-b", "fit.exponent-at-zero",
         "fit.exponent-at-one", "fit.side-at-zero", "fit.side-at-one", "fit.global-shape",
         "fit.client-shape", "fit.tpr@far=0.01", "empirical.auc")  # fmt: skip


def one_by_one(trial):
    """What a loop of one's own would compute, with the functions of the package."""
    scores = br.Scores(trial.scores.client, trial.scores.impostor)
    m = br.fit(scores).model
    zero, one = m.ends().at_zero, m.ends().at_one
    steps = br.ScoreModel(br.Empirical(scores.client), br.Empirical(scores.impostor))
    numbers = (m.auc(), m.client.a, m.impostor.b, zero.exponent, one.exponent, zero.side, one.side,
               m.global_shape(), m.client.shape.value, float(m.roc().tpr(0.01)),
               steps.auc())  # fmt: skip
    return dict(zip(NAMES, numbers, strict=True))


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.ExtrapolationWarning")  # of 25 scores
def test_names_are_the_numbers_of_the_package():
    """Batches against one fit after another, to the accuracy of the fits."""
    design = br.Design.sobol(SHAPES, 16, rng=2) * br.Design.grid({"n": [25, 300]})
    frame = rows_of(design, {name: name for name in NAMES} | {"own": one_by_one}, block=7)
    assert (frame["status"] == "ok").all()
    for name in NAMES:
        ours, theirs = frame[name], frame[f"own.{name}"]
        if ours.dtype.kind == "f":
            np.testing.assert_allclose(ours, theirs, rtol=1e-11, err_msg=name)
        else:
            assert ours.tolist() == theirs.tolist(), name


def test_true_pairs_need_no_sample():
    """AUC of normal laws is Phi(d / sqrt 2), EER is Phi(-d / 2); E2 of a beta pair is 19/20."""
    d = [0.5, 1.0, 3.0]
    asked = ["true.auc", "true.eer", "true.client-mu", "true.client-a", "true.global-shape"]
    frame = rows_of(NORMAL | {"mu_c": d}, asked)
    np.testing.assert_allclose(frame["true.auc"], norm.cdf(np.divide(d, 2**0.5)), rtol=1e-12)
    np.testing.assert_allclose(frame["true.eer"], norm.cdf(np.divide(d, -2.0)), rtol=1e-12)
    assert frame["true.client-mu"].tolist() == d
    assert frame["true.client-a"].isna().all()  # a normal law has none
    assert frame["true.global-shape"].tolist() == ["proper"] * 3
    # Beta(2, 2) v uniform: F_i - F_c = t - 3 t^2 + 2 t^3, extreme sqrt(3)/18; no hook, no depth.
    names, columns = ("a_c", "b_c", "a_i", "b_i"), ((2.0, 3.0), (2.0, 1.0), (1.0, 1.0), (1.0, 1.0))
    frame = rows_of(br.Design(names, columns), ["true.hook-depth", "true.crossings"])
    assert frame["true.hook-depth"].tolist() == pytest.approx([math.sqrt(3.0) / 18.0, 0.0])
    assert frame["true.crossings"].tolist() == [1.0, 0.0]


@pytest.mark.simulation
def test_thresholds_are_chosen_on_the_sample_and_met_on_the_true_pair():
    cell = PAIR | {"n_client": 80, "n_impostor": 120, "alpha": 0.3, "measure": "weighted-error"}
    names = ("epc-fit.value", "epc-empirical.value", "epc-empirical.threshold", "epc-true.value",
             "epc-fit.expected", "epc-fit.value@alpha=0.5")  # fmt: skip

    def own(trial):
        with suppress_warnings():
            fitted = br.epc(trial.fit, trial.model, measure="weighted-error", alpha=[0.3, 0.5])
            steps = br.epc(trial.scores, trial.model, measure="weighted-error", alpha=[0.3])
        best = trial.model.min_weighted_error(0.3).weighted_error(0.3)
        numbers = (fitted.value[0], steps.value[0], steps.threshold[0], best, fitted.expected[0],
                   fitted.value[1])  # fmt: skip
        return dict(zip(names, numbers, strict=True))

    frame = rows_of(cell, {name: name for name in names} | {"own": own}, replicates=5)
    for name in names:
        np.testing.assert_allclose(frame[name], frame[f"own.{name}"], rtol=1e-10, err_msg=name)
    for name in names[:2]:  # no threshold is better than the best one
        assert (frame[name] >= frame["epc-true.value"]).all()


def test_a_shifted_test_side_and_a_test_sample():
    """Impostors of N(0, 1) moved up by a half: the threshold 1/2 has HTER (Phi(-1/2) + 1/2)/2."""
    cell = NORMAL | {"shift_impostor": 0.5, "n": 50, "n_test": 40_000}
    asked = {name: name for name in ("test.auc", "true.auc", "epc-true.value")}
    frame = rows_of(cell, asked | {"met": lambda trial: trial.test.at(0.5).hter})
    (row,) = frame.to_dict("records")
    assert row["true.auc"] == pytest.approx(norm.cdf(1.0 / math.sqrt(2.0)), rel=1e-12)
    error = 0.5 / math.sqrt(2.0 * 40_000)  # of HTER and, about, of the AUC
    assert row["met"] == pytest.approx(0.5 * (norm.cdf(-0.5) + 0.5), abs=4.0 * error)
    assert row["test.auc"] == pytest.approx(norm.cdf(0.5 / math.sqrt(2.0)), abs=4.0 * error)
    assert row["epc-true.value"] == pytest.approx(norm.cdf(-0.25), rel=1e-9)


@pytest.mark.parametrize("name", ["resolution", "rounding"])
def test_rounded_scores_are_multiples(name):
    asked = {"rest": lambda trial: np.ptp((trial.scores.client * 20.0 + 0.5) % 1.0)}
    exact, rounded = rows_of(PAIR | {"n": 60, name: [0.0, 0.05]}, asked)["rest"]
    assert rounded < 1e-9 < 0.1 < exact


@pytest.mark.simulation
def test_an_impossible_pair_fails_alone():
    """Exponents (1/2, 3/2) allow an AUC above 1/(1 + 1/2) or 3/2 / (5/2) = 3/5 only."""
    cell = {"auc": [0.3, 0.9], "exponent_at_zero": 0.5, "exponent_at_one": 1.5}
    frame = rows_of(cell, ["true.auc"])
    assert frame["status"].tolist() == ["failed", "ok"]
    assert frame["true.auc"][1] == pytest.approx(0.9, abs=1e-10)


def test_a_model_of_ones_own_has_names_of_its_own(tmp_path):
    def model(cell):
        return br.ScoreModel(br.Beta(1.0 + cell["gap"], 1.0), br.Beta(1.0, 1.0))

    cells, asked = {"gap": [1.0, 3.0], "n": 100}, ["true.auc", "fit.client-b"]
    frame = rows_of(cells, asked, folder=tmp_path, model=model)
    np.testing.assert_allclose(frame["true.auc"], [2.0 / 3.0, 0.8], rtol=1e-12)  # a / (a + 1)
    with pytest.raises(br.StudyError, match="model"):
        rows_of(cells, asked, folder=tmp_path, model=lambda cell: None)


def scaled(trial, by=1.0):
    return by


class Scaled:
    def __init__(self, by):
        self.by = by

    def __call__(self, trial):
        return float(self.by)

    @functools.cached_property
    def whole(self):
        return int(self.by)


def closing_over(value):
    return lambda trial: float(np.sum(value))


@pytest.mark.parametrize(
    "of",
    [
        lambda v: lambda trial, by=v: by,
        lambda v: lambda trial, *, by=v: by,
        Scaled,
        dataclasses.make_dataclass(
            "Slotted", ["by"], slots=True, namespace={"__call__": lambda self, trial: self.by}
        ),
        lambda v: Scaled(v).__call__,
        lambda v: functools.partial(scaled, by=v),
        lambda v: closing_over({"a": [v, {v + 1.0, 9.0}]}),
        lambda v: closing_over(closing_over(v)),
    ],
)
def test_functions_are_told_apart_by_what_they_carry(of):
    assert fingerprint(of(1.0)) == fingerprint(of(1.0))
    assert fingerprint(of(1.0)) != fingerprint(of(2.0))


def test_what_an_object_has_cached_does_not_count():
    used = Scaled(3.5)
    before = fingerprint(used)
    assert used.whole == 3
    assert fingerprint(used) == before


@pytest.mark.simulation
def test_digests_hang_on_no_hash_seed():
    """A set of text has another order in every process."""
    expression = "fingerprint(lambda t, s=set('abcdefgh'): t in {'x', 'y', 'z'} or s)"
    code = f"from betaroc.studies.trials import fingerprint\nprint({expression})"
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        cwd=Path(br.__file__).parents[1], env=os.environ | {"PYTHONHASHSEED": "1"},
    )  # fmt: skip
    assert other.stdout.strip() == eval(expression)


MODULE = """
K = 1

def helper(trial):
    return trial.unused and recursive(0) + float(K)

def recursive(n):
    return n or recursive(n + 1)

def asked(trial):
    return [helper(trial) for one in "ab"]

def unused():
    return 1
"""


@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        ("K = 1", "K = 2", True),  # which a helper reads
        ("n + 1)", "n + 2)", True),
        ("return 1", "return 2", False),  # no one reads it, an attribute is called so
    ],
)
def test_constants_and_helpers_of_the_module_count(old, new, seen):
    def of_module(text):
        exec(text, namespace := {"__name__": "own"})
        return [fingerprint(bound(namespace["asked"])) for bound in (Scaled, functools.partial)]

    first = of_module(MODULE)
    assert of_module(MODULE) == first
    changed = of_module(MODULE.replace(old, new))
    assert [a != b for a, b in zip(first, changed, strict=True)] == [seen] * 2


def test_a_trial_draws_from_its_own_seed_sequence():
    """The rule, written out with numpy."""
    asked = {"x": lambda trial: float(trial.scores.impostor[-1]), "fit": "fit.auc"}
    frame = rows_of(PAIR | {"n": [4, 9]}, asked, replicates=2, rng=11, block=4)
    assert frame["fit"].nunique() == 4  # shared is what the true pair has
    for row in frame.itertuples():
        child = np.random.SeedSequence(11, spawn_key=(int(row.cell), int(row.replicate)))
        rng = np.random.default_rng(child)
        rng.beta(3.0, 2.0, row.n)
        assert row.x == rng.beta(2.0, 3.0, row.n)[-1]


@pytest.mark.parametrize("rng", [None, np.random.default_rng(7)])
def test_every_source_of_randomness_is_kept(rng, tmp_path):
    options = {"folder": tmp_path, "block": 1, "replicates": 3}
    first = Study(PAIR | {"n": 5}, ["empirical.client-mean"], rng=rng, **options)
    first.run()
    before = content(tmp_path)
    (tmp_path / "part-000001.parquet").unlink()
    again = first.run()
    assert (again.computed, again.skipped) == (1, 2)
    assert content(tmp_path) == before
    with pytest.raises(br.StudyError, match="seed"):
        Study(PAIR | {"n": 5}, ["empirical.client-mean"], rng=1, **options).run()


def mixed(trial):
    return {"m": trial.scores.client.mean(), "r": trial.rng.random(), "t": f"{trial.number}"}


def cells(*n, rng=1):
    shapes = br.Design.sobol(SHAPES, 8, rng=rng)
    return shapes * br.Design.grid({"n": list(n or (50, 100, 30, 1, 20))})


ASKED = {
    "auc": "fit.auc", "e": "epc-empirical.value", "own": mixed, "g": "fit.global-shape"
}  # fmt: skip


def forty(folder, **options):
    """Forty cells, eight of them failing, ten parts."""
    return Study(cells(), ASKED, folder=folder, rng=1, **{"block": 4} | options).run()


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain") / "study"
    result = forty(folder)
    assert (result.rows, result.computed, result.skipped) == (40, 40, 0)
    assert (result.failed, result.missing) == (8, 0)  # samples of one score
    return folder


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("engine", "workers"), [pytest.param("loky", 2, marks=pytest.mark.nightly), ("threading", None)]
)
def test_every_engine_gives_the_same_bytes(plain, tmp_path, engine, workers):
    with joblib.parallel_config(backend=engine, n_jobs=3):
        forty(tmp_path, workers=workers)
    assert content(tmp_path) == content(plain)


@pytest.mark.simulation
@pytest.mark.parametrize("block", [7, None])
def test_any_block_gives_the_same_rows(plain, tmp_path, block):
    assert forty(tmp_path, block=block).to_frame().equals(br.Study.open(plain).to_frame())


@pytest.mark.nightly
def test_a_worker_that_dies_ends_the_run_and_finished_parts_are_kept(tmp_path):
    dies, folder = tmp_path / "dies", tmp_path / "study"

    def deadly(trial):
        if dies.exists() and trial.cell["a_c"] == 7.0:
            time.sleep(1.0)
            os._exit(3)
        return float(trial.scores.client.mean())

    design = PAIR | {"a_c": [float(k) for k in range(1, 9)], "n": 9}
    options = {"folder": folder, "rng": 3, "block": 2}
    dies.touch()
    with pytest.raises(br.StudyError, match="every worker of a study must live"):
        Study(design, {"deadly": deadly}, workers=2, **options).run()
    left = set(content(folder))
    assert left >= {"study.json", "part-000000.parquet"}
    assert "part-000003.parquet" not in left
    dies.unlink()
    result = Study(design, {"deadly": deadly}, **options).run()
    assert (result.rows, result.missing, result.failed) == (8, 0, 0)


@pytest.mark.simulation
def test_a_folder_has_one_run_at_a_time(plain, tmp_path):
    with Folder(tmp_path).alone(), pytest.raises(br.StudyError, match="another run is at work"):
        forty(tmp_path)
    forty(tmp_path)
    assert content(tmp_path) == content(plain)


def test_a_failing_trial_is_kept_with_its_error(tmp_path):
    def divided(trial):
        return 1.0 / (trial.cell["a_c"] - 2.0)

    asked = {"x": divided, "auc": "true.auc"}
    result = Study(PAIR | {"a_c": [1.0, 2.0, 3.0]}, asked, folder=tmp_path).run()
    frame = result.to_frame()
    assert frame["status"].tolist() == ["ok", "failed", "ok"]
    assert frame["x"].tolist()[::2] == [-1.0, 1.0]
    assert frame.loc[1, ["x", "auc"]].isna().all()
    assert frame["error"][1].splitlines() == [
        "ZeroDivisionError: float division by zero",
        "  in divided, line 2 of it, test_study.py",  # wherever the file lies
    ]
    assert result.failed == 1
    failure = "failed: cell 1, replicate 0 (a_c 2, b_c 2, a_i 2, b_i 3): Zero"
    assert f"3 computed now, 0 were there, 1 failed\n{failure}" in str(result)


@pytest.mark.parametrize(
    ("cell", "own", "options", "words"),
    [
        (PAIR, lambda trial: None, {}, "^InputTypeError: statistic 'x' must be a number"),
        (PAIR, lambda trial: "half \ud800", {}, r"half \\ud800"),
        (PAIR, lambda trial: {1: 1.0}, {}, "^InputTypeError: keys of 'x' must be te"),
        ({"gap": 1.0}, "true.auc", {"model": lambda cell: 3}, "model must return a ScoreModel"),
        # 7 times 0.15 is the multiple nearest to 1, and lies beyond it.
        (PAIR | {"n": 20, "rounding": 0.15}, lambda t: t.scores.client.max(), {},
         "got 1 at 1.05 by multiples of 0.15"),
    ],
)  # fmt: skip
def test_what_makes_a_trial_fail(cell, own, options, words):
    (row,) = rows_of(cell, {"x": own}, **options).to_dict("records")
    assert row["status"] == "failed"
    assert re.search(words, row["error"])


def test_a_statistic_has_one_kind_and_parts_one_schema(tmp_path):
    """So that any reader takes them together."""
    asked = ["fit.auc", "fit.side-at-zero", "epc-fit.value"]
    result = Study(PAIR | {"n": [1, 30]}, asked, folder=tmp_path, block=1).run()
    assert result.failed == 1
    table = pl.read_parquet(tmp_path / "part-*.parquet")
    kinds = dict.fromkeys(asked, pl.Float64) | {"fit.side-at-zero": pl.String}
    assert {name: table.schema[name] for name in asked} == kinds
    assert table["status"].to_list() == ["failed", "ok"]
    kinds = {"x": lambda trial: "text" if trial.number else 1.0}
    with pytest.raises(br.StudyError, match="number in every trial or text in every trial"):
        rows_of(PAIR | {"a_c": [1.0, 2.0]}, kinds, folder=tmp_path / "other", block=1)


def test_no_warning_leaves_a_study():
    """Scores of exactly 1, small samples and reversed classes, all of which `fit` warns of."""
    cell = {"a_c": 1.0, "b_c": 3.0, "a_i": 1.0, "b_i": 0.05, "n": [4, 50]}
    frame = rows_of(cell, ["fit.impostor-at-one", "fit.auc"])
    assert (frame["status"] == "ok").all()
    assert (frame["fit.impostor-at-one"] > 0.0).all()
    with pytest.warns(br.ReversedScoresWarning):  # and the filters are as they were
        br.fit(br.Scores(np.linspace(0.1, 0.5, 30), np.linspace(0.4, 0.9, 30)))


@pytest.mark.parametrize(
    ("other", "statistics", "options", "words"),
    [
        (cells(rng=2), ASKED, {}, r"here: cells or their order\."),
        (cells(), dict(reversed(ASKED.items())), {}, r"statistics \(None v None\)\."),
        (cells(), ASKED, {"rng": 2}, r"seed \('1' v '2'\)"),
        (cells(), ASKED, {"block": 5}, r"block \(4 v 5\)"),
    ],
)  # fmt: skip
def test_the_folder_of_another_study_says_what_differs(plain, other, statistics, options, words):
    before = content(plain)
    with pytest.raises(br.StudyError, match=words):
        rows_of(other, statistics, folder=plain, **options)
    assert content(plain) == before


def test_folders_that_are_none(tmp_path):
    small(tmp_path / "own").run()
    (tmp_path / "own" / "part-1000000.parquet").write_bytes(b"")
    for using in (small(tmp_path / "own").run, lambda: read_study(tmp_path / "own")):
        with pytest.raises(br.StudyError, match=r"but the 2 of its study; part-1000000\.parquet"):
            using()
    with pytest.raises(br.StudyError, match=r"has none"):
        read_study(tmp_path)
    (tmp_path / "part-000000.parquet").write_text("mine")
    with pytest.raises(br.StudyError, match=r"part-000000\.parquet"):
        small(tmp_path).run()
    assert (tmp_path / "part-000000.parquet").read_text() == "mine"
    (tmp_path / "file").write_text("")
    with pytest.raises(br.OutputError, match="folder must be a folder"):
        small(tmp_path / "file").run()
    (tmp_path / "study.json").write_text('{"layout": 99}')
    with pytest.raises(br.StudyError, match=r"study\.json"):
        read_study(tmp_path)


def flipped(whole, at):
    return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]


STEPS = pytest.mark.parametrize("step", [397, pytest.param(1, marks=pytest.mark.nightly)])


@STEPS
def test_no_flipped_byte_of_a_part_changes_a_result(tmp_path, step):
    study = small(tmp_path)
    wanted = study.run().to_frame()
    part = tmp_path / "part-000001.parquet"
    whole, noticed = part.read_bytes(), 0
    for at in range(0, len(whole), step):
        part.write_bytes(flipped(whole, at))
        try:
            assert read_study(tmp_path).to_frame().equals(wanted)
        except br.StudyError:
            noticed += 1
    assert noticed > 0.5 * len(whole) / step
    part.write_bytes(flipped(whole, 120))
    with pytest.warns(br.BetarocWarning, match=r"part-000001\.parquet.* damaged.*again"):
        assert study.run().computed == 1
    assert part.read_bytes() == whole


@pytest.mark.simulation
def test_parts_of_others_and_in_the_place_of_others_are_computed_again(tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        small(tmp_path / name, rng=seed).run()
    wanted = content(tmp_path / "a")
    first, second = (tmp_path / "a" / f"part-00000{k}.parquet" for k in (0, 1))
    for other in (tmp_path / "b" / first.name, second):
        first.write_bytes(other.read_bytes())
        with pytest.warns(br.BetarocWarning, match="not the part of this study that its name says"):
            assert small(tmp_path / "a", rng=1).run().computed == 1
        assert content(tmp_path / "a") == wanted


@pytest.mark.simulation
@pytest.mark.parametrize(("workers", "room"), [(1, 0), (2, 5)])
def test_a_full_disk_loses_nothing(plain, tmp_path, monkeypatch, workers, room):
    """The disk is full after so many writes, the manifest's being the first."""
    written = itertools.count()
    real = os.fsync

    def full(descriptor):
        if next(written) >= room:
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with (
        joblib.parallel_config(backend="threading"),
        pytest.raises(br.OutputError, match="No space left"),
    ):
        forty(tmp_path, workers=workers)
    monkeypatch.undo()
    there = content(tmp_path)
    assert len(there) == room
    assert set(there) <= set(content(plain))  # and nothing half written
    forty(tmp_path)
    assert content(tmp_path) == content(plain)


def test_workers_without_joblib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(br.MissingDependencyError, match=r'pip install "betaroc\[study\]"'):
        Study(PAIR, ["true.auc"], folder=tmp_path, workers=2).run()


@pytest.mark.simulation
def test_summary_is_that_of_the_rows():
    asked = ["empirical.client-mean", "true.auc", "true.side-at-zero"]
    result = Study(PAIR | {"n": [10, 40]}, asked, replicates=30, rng=1).run()
    frame, table = result.to_frame(), result.summary(quantiles=[0.25])
    # Two numbers of each cell and the one value of the text.
    assert table.shape == (2 * 3, 1 + 5 + 1 + 4 + 1)
    for cell, n in ((0, 10), (1, 40)):
        values = frame.loc[frame["n"] == n, "empirical.client-mean"].to_numpy()
        chosen = (table["cell"] == cell) & (table["statistic"] == "empirical.client-mean")
        (row,) = table[chosen].to_dict("records")
        sd = np.std(values, ddof=1)
        assert row["replicates"] == 30
        assert row["mean"] == pytest.approx(np.mean(values), rel=1e-13)
        assert row["sd"] == pytest.approx(sd, rel=1e-12)
        assert row["mc_error"] == pytest.approx(sd / math.sqrt(30), rel=1e-12)
        assert row["q0.25"] == np.quantile(values, 0.25)
    assert (table.loc[table["statistic"] == "true.auc", "sd"] == 0.0).all()


def test_summaries_by_hand():
    # Three trials of one cell, four of the other and one that fails.
    values = ["b", "a", "a", None, "a", "a", "a", "a"]
    asked = {"x": lambda trial: values[4 * trial.number + trial.replicate]}
    table = Study(PAIR | {"a_c": [1.0, 2.0]}, asked, replicates=4).run().summary([])
    assert table["statistic"].tolist() == ["x=a", "x=b"] * 2
    assert table["replicates"].tolist() == [3, 3, 4, 4]
    np.testing.assert_allclose(table["mean"], [2 / 3, 1 / 3, 1.0, 0.0], rtol=1e-15)
    # Of a share p: p (1 - p) / (n - 1).
    error = math.sqrt(2 / 3 * 1 / 3 / 2)
    np.testing.assert_allclose(table["mc_error"], [error, error, 0.0, 0.0], rtol=1e-14)
    values = {0: [0.0, 1.0, math.nan, 2.0, 3.0], 1: [math.nan] * 5}
    asked = {"x": lambda trial: values[trial.number][trial.replicate]}
    table = Study(PAIR | {"a_c": [1.0, 2.0]}, asked, replicates=5).run().summary([0.5])
    assert table["replicates"].tolist() == [4, 0]
    found = table.loc[0, ["mean", "sd", "q0.5"]].tolist()
    assert found == pytest.approx([1.5, math.sqrt(5.0 / 3.0), 1.5], rel=1e-15)
    assert table.loc[1, ["mean", "sd", "mc_error", "q0.5"]].isna().all()


def test_results_read_without_the_code(plain, tmp_path):
    result = br.Study.open(plain)
    assert (result.computed, result.skipped, result.missing) == (0, 40, 0)
    assert result.to_frame()["cell"].tolist() == list(range(40))
    small(tmp_path).run()
    (tmp_path / "part-000000.parquet").unlink()
    result = br.Study.open(tmp_path)
    assert (result.missing, result.failed, len(result.to_frame())) == (1, 0, 1)


def test_without_a_folder_the_same_numbers_stay_in_memory(tmp_path):
    asked, options = ["true.auc", "fit.client-shape"], {"replicates": 3, "rng": 1, "block": 2}
    study = Study(PAIR | {"n": 20}, asked, **options)
    found = study.run()
    kept = Study(PAIR | {"n": 20}, asked, folder=tmp_path / "study", **options).run()
    pd.testing.assert_frame_equal(found.to_frame(), kept.to_frame())
    assert (found.computed, found.missing, found.failed, found.folder) == (3, 0, 0, None)
    again = study.run()
    assert (again.computed, again.skipped) == (0, 3)
    assert "3 trials in memory" in str(found)


def test_memory_that_is_short_is_no_result(tmp_path):
    def hungry(trial):
        if trial.cell["a_c"] == 2.0:
            raise MemoryError
        return 0.0

    study = Study(PAIR | {"a_c": [1.0, 2.0, 3.0]}, {"x": hungry}, folder=tmp_path)
    with pytest.raises(br.StudyError, match=r"memory must hold every part .* cells 1 to 1"):
        study.run()
    assert sorted(content(tmp_path)) == ["part-000000.parquet", "study.json"]
