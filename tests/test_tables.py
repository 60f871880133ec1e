"""Tables of results are frames of the library that the data came in, whatever the result."""

import copy
import math
import pickle
import warnings
from dataclasses import replace
from functools import cache, cached_property

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.core.tables import columns_from_rows, table_of
from helpers.engines import frame_of

N = 40
#: How a frame is given, and the library of the tables that come of it.
GIVEN = {
    "polars": "polars", "polars-lazy": "polars", "pyarrow": "pyarrow", "pandas": "pandas",
    "duckdb": "pandas", "dask": "pandas",
}  # fmt: skip
quiet = pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
pytestmark = quiet  # forty scores, on dev and on test


def trials():
    rng = np.random.default_rng(5)
    return pd.DataFrame({
        "label": np.repeat([1, 0], N),
        "score": np.concatenate([rng.beta(4, 2, N), rng.beta(2, 4, N)]),
        "other": np.concatenate([rng.beta(3, 2, N), rng.beta(2, 3, N)]),
        "x": rng.random(2 * N),
        "system": np.tile(["mlp", "svm"], N).astype(object),
    })  # fmt: skip


def forecast(r):
    return br.epc_forecast(r.fit, n_client=50, n_impostor=60, alpha=[0.0, 0.5])


def three_systems(r):
    curves = {name: br.epc(r.scores, r.scores, alpha=[0.2, 0.5]) for name in "abc"}
    return br.compare_systems(curves, replicates=20, rng=1)


def by_species(r):
    kinds = np.arange(r.scores.n_impostor) % 2
    parts, library = (r.scores.client, r.scores.impostor), r.scores.library
    return br.decide(br.Scores(*parts, impostor_strata=kinds, library=library), far=0.2)


class Results:
    """What is computed of a frame, each thing once."""

    def __init__(self, frame):
        self.frame = frame
        self.scores = br.Scores.from_frame(frame)

    @cached_property
    def fit(self):
        return br.fit(self.scores)

    @cached_property
    def inclusion(self):
        return br.inclusion(self.frame, systems=["score", "other"], alpha=[0.25, 0.75], ends=0.3)


#: By class and member, or by function: the table of what was computed of a frame.
TABLES = {
    "Fit.to_frame": lambda r: r.fit.to_frame(),
    "DistributionFit.to_frame": lambda r: r.fit.impostor.to_frame(),
    "Decision.alternatives": lambda r: br.decide(r.scores, eer=True).alternatives,
    "StrataTable.to_frame": lambda r: by_species(r).strata.to_frame(),
    "StrataFits.to_frame": lambda r: br.fit(by_species(r).scores, by="stratum").to_frame(),
    "StrataDifferences.to_frame": lambda r: br.compare(
        *[br.epc(*[by_species(r).scores] * 2, over="worst", alpha=[0.5])] * 2, resample="test",
        replicates=20, rng=1).strata.to_frame(),
    "FamilyComparison.table": lambda r: br.compare_families(r.scores, ["beta", "normal"]).table,
    "CovariateFit.to_frame": lambda r: br.fit_covariates(r.frame, "x").to_frame(),
    "fit_many": lambda r: br.fit_many(r.frame),
    "Epc.to_frame": lambda r: br.epc(r.scores, r.fit, alpha=[0.2, 0.5]).to_frame(),
    "EpcForecast.to_frame": lambda r: forecast(r).to_frame(),
    "Framed.to_frame": lambda r: br.roc_band(r.scores, far=[0.1, 0.5]).to_frame(),
    "Comparison.to_frame": lambda r: br.compare(
        *(br.epc(x, r.scores, alpha=[0.2, 0.5]) for x in (r.scores, r.fit)), resample="test",
        replicates=20, rng=1).to_frame(),
    "SystemsComparison.pairs": lambda r: three_systems(r).pairs,
    "Inclusion.table": lambda r: r.inclusion.table,
    "Inclusion.diversity": lambda r: r.inclusion.diversity,
    "Fusion.table": lambda r: r.inclusion.fusion.table,
    "ScoreSummary.to_frame": lambda r: br.summarize(r.frame).to_frame(),
    "Analysis.to_frame": lambda r: br.analyze(r.scores, family="beta").to_frame(),
}  # fmt: skip
#: Of these the frame itself is read; what is made of scores does not know how they came.
OF_FRAMES = ("Fit.to_frame", "CovariateFit.to_frame", "fit_many", "Inclusion.table")


@cache
def made(given):
    """What a frame gives, and its tables: of other engines those that are read from the frame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        results = Results(frame_of(given, trials(), None))
        some = {"pandas": TABLES, "polars": [*OF_FRAMES, *[*TABLES][::2]]}
        some["pyarrow"] = [*OF_FRAMES, *[*TABLES][1::4]]
        some["duckdb"] = OF_FRAMES  # of those that are read in parts, one for a whole ensemble
        return {name: TABLES[name](results) for name in some.get(given, OF_FRAMES[:3])}


@pytest.fixture(scope="module")
def wanted():
    """The tables of a frame of pandas."""
    return made("pandas")


def cells(table):
    columns = nw.from_native(table, eager_only=True).to_dict(as_series=False)
    return {name: [listed(value) for value in column] for name, column in columns.items()}


def listed(value):
    return [listed(v) for v in value] if isinstance(value, list | tuple) else value


def types(table):
    return {k: str(v) for k, v in nw.from_native(table, eager_only=True).schema.items()}


@pytest.mark.simulation
@pytest.mark.parametrize("given", [pytest.param(name, marks=[pytest.mark.nightly] * late)
    for name, late in zip(GIVEN, (0, 1, 0, 0, 1, 1), strict=True)])  # fmt: skip
def test_tables_are_frames_of_the_library_of_the_input(given, wanted):
    for name, table in made(given).items():
        other = wanted[name]
        assert type(table).__module__.partition(".")[0] == GIVEN[given], name
        assert list(cells(table)) == other.columns.tolist(), name
        # Their sums engines add in their own order.
        rel = 1e-9 if name in ("fit_many", "ScoreSummary.to_frame") else 0.0
        for column, values in cells(other).items():
            found = cells(table)[column]
            if other[column].dtype.kind == "f":
                np.testing.assert_allclose(found, values, rtol=rel, err_msg=f"{name} {column}")
            else:
                assert found == values, (name, column)
        plain = set(other.columns) - {"above", "crossings", "moved"}  # tuples: lists elsewhere
        assert {k: types(table)[k] for k in plain} == {k: types(other)[k] for k in plain}, name


@pytest.mark.simulation
def test_numbers_that_are_not_there_are_nan_and_never_null(wanted):
    pytest.importorskip("polars")
    for name, table in made("polars").items():
        assert sum(table.null_count().row(0)) == 0, name
    # The mean TPR of both classes together has no rank correlation.
    together = wanted["Inclusion.diversity"].query("`class` == 'both'")
    assert together["spearman"].isna().all()


@pytest.mark.simulation
def test_a_number_with_its_interval_is_a_row():
    pytest.importorskip("polars")
    scores = scores_of("polars")
    curve = br.epc(scores, scores, alpha=[0.2, 0.5])
    for one in (
        br.interval(scores, "eer"), br.fit(scores).interval("tpr", far=0.2),
        br.difference(curve, curve, "area", replicates=20, rng=1),
    ):  # fmt: skip
        (row,) = one.to_frame().to_dicts()
        assert (row["estimate"], row["low"], row["high"]) == (one.estimate, one.low, one.high)
        beyond = math.nan if one.n_beyond is None else one.n_beyond
        np.testing.assert_equal(row["n_beyond"], beyond)


def scores_of(given):
    return br.Scores.from_frame(frame_of(given, trials(), None))


def test_the_library_is_kept_and_the_first_counts_where_there_are_two():
    pytest.importorskip("polars")
    scores, other = scores_of("polars"), scores_of("pandas")
    assert (scores.library, other.library) == ("polars", "pandas")
    assert scores == other
    assert hash(scores) == hash(other)
    assert repr(scores) == repr(other)
    for again in (copy.deepcopy(scores), pickle.loads(pickle.dumps(scores))):
        assert again.library == "polars"
    assert replace(scores, name="named").library == "polars"
    fit = br.fit(scores)
    assert fit == br.fit(other)
    assert pickle.loads(pickle.dumps(fit)).client.library == "polars"
    with pytest.raises(br.InputError, match="library must be one of 'pandas', 'polars', 'pyarrow'"):
        replace(scores, library="excel")
    pytest.importorskip("polars")
    dev, test = scores_of("polars"), scores_of("pandas")
    assert br.epc(dev, test, alpha=[0.5]).library == "polars"
    assert br.epc(br.fit(test).model, dev, alpha=[0.5]).library == "polars"
    one, two = (
        br.summarize(frame_of(x, trials(), None), bins=64, layout=(0.0, 1.0))
        for x in ("polars", "pandas")
    )
    assert ((one + two).library, (two + one).library) == ("polars", "pandas")
    pl = pytest.importorskip("polars")
    client, impostor = [0.3, 0.6, 0.7, 0.9, 0.8], [0.1, 0.2, 0.4, 0.6, 0.3]
    column, label = pl.Series(client + impostor), pl.Series([1] * 5 + [0] * 5)
    for scores in (
        br.Scores(pl.Series(client), impostor), br.Scores(client, pl.Series(impostor)),
        br.Scores.from_labels(label, column), br.Scores(client, impostor, library="polars"),
    ):  # fmt: skip
        assert scores.library == "polars"
    assert br.Scores(pd.Series(client), pl.Series(impostor)).library == "pandas"
    assert isinstance(br.fit_distribution(column).to_frame(), pl.DataFrame)
    assert br.Scores(client, np.array(impostor)).library is None


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_have_one_type_in_every_library(library):
    pytest.importorskip(library)
    rows = [("a", 1.0), ("b", math.nan)]
    made = table_of(columns_from_rows(rows, ("name", "value"), ("name",)), library)
    assert types(made) == {"name": "String", "value": "Float64"}
    none = table_of(columns_from_rows([], ("name", "value"), ("name",)), library)
    assert types(none) == types(made)
    assert cells(none) == {"name": [], "value": []}
    columns = {
        "small": np.array([1, 2], dtype=np.int32), "single": np.array([0.5, 1.0], dtype="f4"),
        "gap": [1.5, None], "flag": [True, False], "text": ["x", None],
    }  # fmt: skip
    mixed = table_of(columns, library)
    assert list(types(mixed).values()) == ["Int64", "Float64", "Float64", "Boolean", "String"]
    assert math.isnan(cells(mixed)["gap"][1])
    names = cells(table_of({"system": ["a", 2]}, library))["system"]
    assert names == (["a", 2] if library == "pandas" else ["a", "2"])


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_nested_columns_are_lists_also_where_all_are_empty(library):
    pytest.importorskip(library)
    for ranges in ([(), ()], [((0.0, 1.0),), ()]):
        table = table_of({"at": [(), ()], "ranges": ranges}, library, {"at": 1, "ranges": 2})
        assert types(table) == {"at": "List(Float64)", "ranges": "List(List(Float64))"}
        assert cells(table) == {"at": [[], []], "ranges": listed(ranges)}
