"""The engines behind summarize: clusters, files in pieces, bounded memory, refused rows."""

import importlib.util
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.data.summary import summarize_file
from helpers.engines import check, frame_of
from helpers.places import ROOT

LAZY = ["polars-lazy", "duckdb", "dask"]


def rows(n, seed=1):
    """Scores of both classes in any order, with a few of exactly 0 and 1."""
    rng = np.random.default_rng(seed)
    label = (rng.random(n) < 0.3).astype(np.int64)
    score = np.where(label == 1, rng.beta(4, 2, n), rng.beta(2, 4, n))
    score[:4] = [0.0, 1.0, 1.0, 1e-200]
    return pd.DataFrame({"score": score, "label": label})


@pytest.fixture(scope="module")
def spark():
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java for Spark")
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.memory", "512m")
        # Compiling costs more than it saves here, in Spark as in Java.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .getOrCreate()
    )
    yield session
    session.stop()


#: pyspark's own notes on pandas and its own sockets.
quiet_spark = [
    pytest.mark.filterwarnings("ignore::FutureWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
#: Few bins are quick, and wide for the scores.
few_bins = pytest.mark.filterwarnings("ignore:bins are wide:betaroc.core.errors.PrecisionWarning")
pytestmark = [*quiet_spark, few_bins]


#: Wide expressions cost Spark a second each, whatever the rows: few bins, few questions.
def spark_frame(session, folder, table):
    table.to_parquet(folder / "scores.parquet")
    return session.read.parquet(str(folder / "scores.parquet"))


def test_spark_finds_the_same_and_hands_over_no_rows(spark, tmp_path, monkeypatch):
    import narwhals as nw

    table = rows(2000)
    table.loc[10:13, "score"] = [-0.25, 1.5, 2.0, -1e3]
    frame = spark_frame(spark, tmp_path, table)
    used = forbid_rows(monkeypatch)
    check(br.summarize(frame, bins=BINS), table)
    assert used
    with pytest.raises(AssertionError):  # the guard does guard
        nw.from_native(frame).collect()


def test_an_analysis_exception_of_spark_is_ours(spark):
    spark.createDataFrame([(0.1, 0), (0.2, 1)], ["score", "label"]).createOrReplaceTempView("seen")
    frame = spark.sql("SELECT raise_error('broken step') AS score, label FROM seen")
    with pytest.raises(br.BetarocError, match="column 'score'"):
        br.summarize(frame.withColumn("score", frame["score"].cast("double")), bins=BINS)


@pytest.fixture
def cluster():
    """Two workers, of one test: it asks all that is asked of a cluster, as starting one is slow."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def slow_frame(folder, seconds, parts=8):
    """A Dask frame whose every partition takes a while and leaves a file with the worker's pid."""
    import dask.dataframe as dd

    def part(k):  # in the test, so that workers get it by value
        (folder / f"{k}-{os.getpid()}-{time.time_ns()}").touch()
        time.sleep(seconds)
        rng = np.random.default_rng(k)
        return pd.DataFrame({"score": rng.random(500), "label": np.arange(500) % 2})

    meta = pd.DataFrame({"score": [0.5], "label": [1]}).iloc[:0]
    return dd.from_map(part, range(parts), meta=meta)


def started(folder):
    """Partition and process of every start, in order."""
    names = sorted((p.name for p in folder.iterdir()), key=lambda name: name.split("-")[2])
    return [(int(name.split("-")[0]), int(name.split("-")[1])) for name in names]


@pytest.mark.nightly
def test_dask_on_a_cluster_of_processes(cluster, tmp_path, monkeypatch):
    the_page_on_ones_own_client_runs(cluster, tmp_path, monkeypatch)
    if hasattr(signal, "SIGKILL"):  # not on Windows
        a_worker_killed_mid_run_loses_nothing(cluster, tmp_path)
    workers_that_die_for_good_are_an_error_of_ours(cluster, monkeypatch)


def the_page_on_ones_own_client_runs(cluster, folder, monkeypatch):
    monkeypatch.chdir(folder)
    table = rows(3000)
    Path("scores").mkdir()
    for k in range(3):
        table[1000 * k : 1000 * (k + 1)].to_parquet(f"scores/{k}.parquet")
    names = {"br": br}
    exec(shown_code("Client").replace("tcp://scheduler:8786", cluster.scheduler_address), names)
    check(names["summary"], table)


def a_worker_killed_mid_run_loses_nothing(cluster, folder):
    from distributed import Client

    (calm := folder / "calm").mkdir()
    (killed := folder / "killed").mkdir()
    victims = []

    def kill():
        end = time.monotonic() + 60.0
        while len(started(killed)) < 4:
            if time.monotonic() > end:
                return  # no victim: the test fails below
            time.sleep(0.01)
        victims.append(started(killed)[-1][1])
        os.kill(victims[0], signal.SIGKILL)

    with Client(cluster):
        undisturbed = br.summarize(slow_frame(calm, 0.0))
        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        found = br.summarize(slow_frame(killed, 0.15))
        killer.join(timeout=60.0)
    assert len(victims) == 1
    assert found == undisturbed
    table = pd.concat(
        pd.DataFrame({"score": np.random.default_rng(k).random(500), "label": np.arange(500) % 2})
        for k in range(8)
    )
    check(found, table)
    runs = started(killed)
    assert len(runs) > 8  # what the lost worker held was computed again
    assert os.getpid() not in {pid for _, pid in runs}  # on the cluster of one's own client
    assert victims[0] in {pid for _, pid in runs}
    assert victims[0] not in {pid for _, pid in runs[-4:]}


def workers_that_die_for_good_are_an_error_of_ours(cluster, monkeypatch):
    import dask.dataframe as dd
    from distributed import Client

    def part(k):
        os._exit(1)

    meta = pd.DataFrame({"score": [0.5], "label": [1]}).iloc[:0]
    with monkeypatch.context() as patch, Client(cluster):
        patch.setattr(cluster.scheduler, "allowed_failures", 0)
        with pytest.raises(br.EngineError, match="must keep its workers; KilledWorker"):
            br.summarize(dd.from_map(part, range(1), meta=meta))


@pytest.mark.simulation
def test_without_a_client_dask_computes_in_this_process(tmp_path):
    pytest.importorskip("dask.dataframe")
    br.summarize(slow_frame(tmp_path, 0.0))
    assert {pid for _, pid in started(tmp_path)} == {os.getpid()}


@pytest.mark.simulation
def test_text_in_a_partition_that_should_hold_numbers_is_refused():
    dd = pytest.importorskip("dask.dataframe")

    def part(k):
        score = [0.1, 0.2, "oops", "0.4"] if k == 1 else [0.1, 0.2, 0.3, 0.4]
        return pd.DataFrame({"score": score, "label": [0, 1, 0, 1]})

    frame = dd.from_map(part, range(3), meta=part(0).iloc[:0])
    with pytest.raises(br.InputError, match="oops"):
        br.summarize(frame)


def shown_code(name):
    """The block of docs/engines.md that needs a cluster and holds this name."""
    page = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    (block,) = [b for b in re.findall(r"^```py\n(.*?)^```$", page, re.M | re.S) if name in b]
    return str(block)


def file_of(table, folder, **named):
    pytest.importorskip("pyarrow")
    path = folder / "it's [1].parquet"
    table.to_parquet(path, **named)
    return path


@pytest.mark.simulation
@pytest.mark.parametrize("group", [700, 20_000])
def test_pieces_of_a_file_add_up(group, tmp_path, monkeypatch):
    monkeypatch.setattr("betaroc.data.parquet._BATCH", 3000)
    table = rows(10_000)
    path = file_of(table, tmp_path, row_group_size=group)
    found = summarize_file(path, bins=4096)
    check(found, table)
    assert (found.source.path, found.source.format) == (str(path), "parquet")
    assert br.summarize(path, bins=4096).client.counts.tolist() == found.client.counts.tolist()


@pytest.mark.simulation
def test_a_damaged_file_is_an_error_of_ours(tmp_path):
    path = file_of(rows(5000), tmp_path, compression="snappy")
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(br.FileFormatError, match="must be intact Parquet"):
        summarize_file(path)
    path.write_bytes(whole[:4] + b"\xff" * (len(whole) - 6000) + whole[len(whole) - 5996 :])
    with pytest.raises(br.FileFormatError, match="must be intact Parquet"):
        summarize_file(path)


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
        import dask.dataframe as dd

        # A column of the rows is 400 kB; the sums of 64 bins are not.
        guarded(dask.base, "compute", lambda found: len(pickle.dumps(found)), 40_000)
        guarded(dd.DataFrame, "compute", len)
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
    import narwhals as nw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of Narwhals about Dask
        lazy = nw.from_native(frame)
    with pytest.raises(AssertionError):  # the guard does guard
        (lazy.to_native().fetchnumpy if engine == "duckdb" else lazy.collect)()


CHILD = """
import re, resource, sys
from pathlib import Path
import numpy as np, pyarrow.parquet as pq
from betaroc.data import parquet
from betaroc.data.summary import summarize_file
folder = Path(sys.argv[1])
parquet._BATCH = 1 << 16
summarize_file(folder / "small.parquet")  # threads and pools are there now
now = 1024 * int(re.search(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
limit = now + 190_000_000
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
found = summarize_file(folder / "large.parquet", bins=4096)
assert found.n_client + found.n_impostor == 14_000_000, found
try:
    pq.ParquetFile(folder / "large.parquet").read(use_threads=False)
except MemoryError:
    print("bounded")
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """1.4e7 rows, 224 MB as two columns in memory, beside a small file of the same kind."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(1)
    score = rng.integers(1, 1000, 500_000) / 1000
    label = (score > rng.random(500_000)).astype(np.int64)
    table = pa.table({"score": score, "label": label})
    for name, parts in (("large", 28), ("small", 1)):
        with pq.ParquetWriter(folder / f"{name}.parquet", table.schema) as writer:
            for _ in range(parts):
                writer.write_table(table)
    return folder


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="address space is Linux's")
def test_a_file_is_summarized_where_loading_it_breaks(large):
    lean = {
        "MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system",
    }  # fmt: skip
    found = [str(Path(br.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    there = {**os.environ, **lean, "PYTHONPATH": os.pathsep.join(filter(None, found))}
    command = [sys.executable, "-c", CHILD, str(large)]
    done = subprocess.run(
        command, env=there, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "bounded", done.stderr[-2000:]


@pytest.mark.parametrize("engine", LAZY)
def test_texts_and_labels_beyond_two_are_counted(engine, tmp_path):
    scores = [f"{k / 50:.2f}" for k in range(48)] + ["oops", " 1e-3 "]
    table = pd.DataFrame({"score": scores, "label": [0, 1] * 25})
    words = "column 'score' must be numeric; its type is String"
    with pytest.raises(br.InputTypeError, match=words):
        br.summarize(frame_of(engine, table, tmp_path), bins=64)
    table = pd.DataFrame({"score": np.arange(60) / 60, "label": [0] * 30 + [1] * 20 + [7] * 10})
    with pytest.raises(br.InputError, match="must hold two labels; got 3: ") as caught:
        br.summarize(frame_of(engine, table, tmp_path), bins=64)
    for part in ("0 (count 30)", "1 (count 20)", "7 (count 10)"):
        assert part in str(caught.value)


@pytest.mark.parametrize("bins", [8, 65_536])
@pytest.mark.parametrize("engine", [*LAZY, "pandas"])
def test_score_and_label_swapped_are_refused(engine, bins, tmp_path):
    label = np.arange(2000) % 2
    table = pd.DataFrame({"score": np.where(label == 1, 0.25, 0.5), "label": label})
    table["extra"] = np.maximum(np.arange(2000) - 20.0, 0.0)  # 21 zeros, then all different
    frame = frame_of(engine, table, tmp_path)
    with pytest.raises(br.InputError, match="must hold two labels; got more than 16"):
        br.summarize(frame, label="extra", bins=bins)


def test_a_broken_step_of_a_lazy_frame_is_an_error_of_ours():
    pl = pytest.importorskip("polars")
    table = pl.LazyFrame({"score": ["0.1", "zero"], "label": [0, 1]})
    frame = table.with_columns(score=pl.col("score").cast(pl.Float64))
    with pytest.raises(br.InputError, match="group column 'score' by column 'label'; Invalid"):
        br.summarize(frame)
    with pytest.raises(br.InputError, match="ColumnNotFound"):
        br.summarize(table.select(pl.col("nothing").alias("score"), "label"))


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_what_is_not_about_the_frame_stays_what_it_is(error):
    dd = pytest.importorskip("dask.dataframe")

    def part(k):
        raise error

    meta = pd.DataFrame({"score": [0.5], "label": [1]}).iloc[:0]
    with pytest.raises(error):
        br.summarize(dd.from_map(part, range(1), meta=meta))


def test_no_workers_error_names_what_to_do():
    from betaroc.data.frames import engine_errors

    with (
        pytest.raises(br.EngineError, match="Nothing was written: look for"),
        engine_errors("score", "label"),
    ):
        raise ConnectionRefusedError("no scheduler")
    with pytest.raises(MemoryError), engine_errors("s", "l"):
        raise OSError(12, "Cannot allocate memory")


@pytest.mark.simulation
def test_no_file_is_loaded(tmp_path, monkeypatch):
    table = rows(5000)
    path = file_of(table, tmp_path)
    forbid_rows(monkeypatch)
    check(summarize_file(path, bins=BINS), table)
