"""The engines behind summarize: Spark, files in pieces, bounded memory, refused rows."""

import importlib.util
import os
import pickle
import shutil

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.data.frames import engine_errors
from helpers.cases import some
from helpers.engines import check, frame_of

LAZY = ["polars-lazy", "duckdb", "dask"]


def rows(n, seed=1):
    """Scores of both classes in any order, with a few of exactly 0 and 1."""
    rng = np.random.default_rng(seed)
    label = (rng.random(n) < 0.3).astype(np.int64)
    score = np.where(label == 1, rng.beta(4, 2, n), rng.beta(2, 4, n))
    score[:4] = [0.0, 1.0, 1.0, 1e-200]
    return pd.DataFrame({"score": score, "label": label})


#: pyspark's own notes on pandas and its own sockets.
quiet_spark = [
    pytest.mark.filterwarnings("ignore::FutureWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
#: Few bins are quick, and wide for the scores.
few_bins = pytest.mark.filterwarnings("ignore:bins are wide:betaroc.core.errors.PrecisionWarning")
pytestmark = [*quiet_spark, few_bins]


def test_spark_finds_the_same_and_hands_over_no_rows(tmp_path, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java for Spark")
    options = {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "1", "spark.driver.memory": "512m",
    }  # fmt: skip
    spark = sql.SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
    table = rows(2000)
    table.loc[10:13, "score"] = [-0.25, 1.5, 2.0, -1e3]
    table.to_parquet(tmp_path / "scores.parquet")
    frame = spark.read.parquet(str(tmp_path / "scores.parquet"))
    used = forbid_rows(monkeypatch)
    check(br.summarize(frame, bins=BINS), table)
    assert used
    spark.stop()


N_MANY, BINS = 50_000, 64
#: Groups of two labels and 64 bins, the few texts of a message, rows that may be kept as the
#: extremes: never a row of each score.
FEW = 2 * BINS + 8 + 8000


class Guarded:
    """A DuckDB relation that refuses to hand over many rows."""

    def __init__(self, relation):
        self.relation = relation

    def fetchnumpy(self):
        columns = self.relation.fetchnumpy()
        assert all(len(column) <= FEW for column in columns.values())
        return columns


def forbid_rows(monkeypatch):
    """Make every way of collecting a column of rows raise; the names of the ways that were used."""
    import narwhals as nw

    used = []

    def guarded(owner, name, size, most=FEW):
        inner = getattr(owner, name)

        def collect(*args, **named):
            found = inner(*args, **named)
            used.append(name)
            assert size(found) <= most, f"{name} collected {size(found)}"
            return found

        monkeypatch.setattr(owner, name, collect)

    guarded(nw.LazyFrame, "collect", len)
    native = nw.LazyFrame.to_native
    monkeypatch.setattr(
        nw.LazyFrame,
        "to_native",
        lambda frame: Guarded(native(frame)) if frame.implementation.is_duckdb() else native(frame),
    )
    if importlib.util.find_spec("polars"):
        import polars as pl

        guarded(pl.LazyFrame, "collect", len)
    if importlib.util.find_spec("dask"):
        import dask.base

        # A column of the rows is 400 kB; the sums of 64 bins are not.
        guarded(dask.base, "compute", lambda found: len(pickle.dumps(found)), 40_000)
    if importlib.util.find_spec("pyarrow"):
        import pyarrow.parquet as pq

        guarded(pq, "read_table", len)
        monkeypatch.setattr("betaroc.data.parquet._BATCH", FEW)
    return used


@pytest.mark.simulation
@pytest.mark.parametrize("engine", LAZY)
def test_no_engine_hands_over_rows(engine, tmp_path, monkeypatch):
    table = rows(N_MANY)
    table.loc[10:13, "score"] = [-0.25, 1.5, 2.0, -1e3]
    frame = frame_of(engine, table, tmp_path)
    used = forbid_rows(monkeypatch)
    check(br.summarize(frame, bins=BINS), table)
    if engine != "duckdb":
        assert used


@pytest.mark.parametrize("engine", some(LAZY, 3))
def test_texts_and_labels_beyond_two_are_counted(engine, tmp_path):
    table = pd.DataFrame({"score": ["0.5"] * 49 + ["oops"], "label": [0, 1] * 25})
    words = "column 'score' must be numeric; its type is String"
    with pytest.raises(br.InputTypeError, match=words):
        br.summarize(frame_of(engine, table, tmp_path), bins=64)
    table = pd.DataFrame({"score": np.arange(60) / 60, "label": [0] * 30 + [1] * 20 + [7] * 10})
    with pytest.raises(br.InputError, match="must hold two labels; got 3: ") as caught:
        br.summarize(frame_of(engine, table, tmp_path), bins=64)
    for part in ("0 (count 30)", "1 (count 20)", "7 (count 10)"):
        assert part in str(caught.value)


@pytest.mark.parametrize("engine", some([*LAZY[:2], "pandas"], 3))
def test_score_and_label_swapped_are_refused(engine, tmp_path):
    label = np.arange(2000) % 2
    table = pd.DataFrame({"score": np.where(label == 1, 0.25, 0.5), "label": label})
    table["extra"] = np.maximum(np.arange(2000) - 20.0, 0.0)  # 21 zeros, then all different
    with pytest.raises(br.InputError, match="must hold two labels; got more than 16"):
        br.summarize(frame_of(engine, table, tmp_path), label="extra", bins=8)


def test_a_broken_step_of_a_lazy_frame_and_a_lost_worker_are_errors_of_ours():
    with (
        pytest.raises(br.EngineError, match="Nothing was written: look for"),
        engine_errors("score", "label"),
    ):
        raise ConnectionRefusedError("no scheduler")
    pl = pytest.importorskip("polars")
    table = pl.LazyFrame({"score": ["0.1", "zero"], "label": [0, 1]})
    frame = table.with_columns(score=pl.col("score").cast(pl.Float64))
    with pytest.raises(br.InputError, match="group column 'score' by column 'label'; Invalid"):
        br.summarize(frame)
