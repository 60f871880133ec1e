"""Summaries: one pass on every engine, what they keep, and curves that come from them."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.data.sums import extremes_of
from betaroc.distributions.empirical import bin_edges, bin_of
from betaroc.model.samples import empirical_model
from helpers.cases import some
from helpers.engines import ENGINES, check, frame_of

#: In the inner loop one in memory and one that is lazy.
SOME_ENGINES = some([*ENGINES[2:], *ENGINES[:2]], 5)


def rows(seed=1, n=3000):
    """U-shaped scores in any order, some of exactly 0 and 1, down to 1e-200."""
    rng = np.random.default_rng(seed)
    score = np.concatenate([rng.beta(0.4, 0.3, n), rng.beta(0.3, 1.9, 2 * n)])
    score[:7] = [0.0, 1.0, 1.0, 1e-200, 1e-20, 1 - 2**-53, 0.5]
    label = np.repeat([1, 0], [n, 2 * n])
    order = rng.permutation(score.size)
    return table(score[order], label[order])


def table(score, label):
    return pd.DataFrame({"score": score, "label": label})


def halves(frame):
    """The scores of both classes."""
    return [frame["score"].to_numpy()[frame["label"] == k] for k in (1, 0)]


def exact_moments(values):
    exact = [Fraction(float(v)) for v in values]
    mean = sum(exact) / len(exact)
    return float(mean), float(sum((v - mean) ** 2 for v in exact))


@pytest.mark.parametrize("engine", SOME_ENGINES)
def test_every_engine_finds_the_same(engine, tmp_path, monkeypatch):
    monkeypatch.setattr("betaroc.data.parquet._BATCH", 200)
    check(br.summarize(frame_of(engine, rows(n=300), tmp_path)), rows(n=300))
    frame = frame_of(engine, table([1e-20, 3e-17, 0.5, 0.25], [1, 1, 0, 0]), tmp_path)
    assert br.summarize(frame).client.log1m == pytest.approx(-(1e-20 + 3e-17), rel=1e-13, abs=0)


@pytest.mark.filterwarnings("ignore:bins are wide")
def test_summaries_add_up():
    frame = rows(n=300)
    whole = br.summarize(frame)
    merged = br.summarize(frame[:400]) + br.summarize(frame[400:])
    check(merged, frame)
    assert empirical_model(whole) == empirical_model(merged)
    whole = table(np.random.default_rng(3).normal(1e12, 10.0, 1000), np.tile([0, 1], 500))
    found = sum(br.summarize(whole[k : k + 200]) for k in range(0, 1000, 200))
    for one, values in zip((found.client, found.impostor), halves(whole), strict=True):
        centre, square = exact_moments(values)
        assert one.mean == centre  # the double nearest to the mean
        assert one.square == pytest.approx(square, rel=1e-12)


@pytest.mark.parametrize("layout", [None, (0.0, 1.0), (-8e307, 8e307), (0.0, 1e-300)])
def test_a_border_is_the_last_score_of_its_bin(layout):
    edges = bin_edges(4096, layout)
    inner = edges[np.isfinite(edges)]
    here, above = bin_of(inner, 4096, layout), bin_of(np.nextafter(inner, np.inf), 4096, layout)
    rises = np.diff(inner) > 0
    first, last = np.append(True, rises), np.append(rises, True)
    assert np.all(here[first] <= np.flatnonzero(first))
    assert np.all(above[last] > np.flatnonzero(last))


def normal_frame(seed, n=4000):
    rng = np.random.default_rng(seed)
    scores = br.Scores(rng.normal(8, 6, n), rng.normal(-7, 8, n))
    return scores, scores.to_frame()


def test_rates_at_borders_are_those_of_the_rows_and_bounded_between():
    scores, frame = normal_frame(1)
    summary = br.summarize(frame)
    edges = np.unique(np.clip(bin_edges(65_536, None), -30, 30))[::50]
    far = np.mean(scores.impostor[:, None] > edges, axis=0)
    inside = (edges > scores.impostor.min()) & (edges < scores.impostor.max())
    model = empirical_model(summary)
    assert np.allclose(model.far(edges[inside]), far[inside], rtol=0, atol=1e-15)
    places = np.random.default_rng(2).uniform(-30, 30, 500)
    off = np.abs(model.far(places) - np.mean(scores.impostor[:, None] > places, axis=0))
    assert off.max() <= summary.rate_error[0] + 1e-15


@pytest.mark.filterwarnings("ignore:bins are wide")
@pytest.mark.parametrize("engine", SOME_ENGINES)
def test_squares_of_scores_far_from_0(engine, tmp_path):
    rng = np.random.default_rng(3)
    whole = table(rng.normal(1e8, 1, 600), np.tile([0, 1], 300))
    whole.loc[5, "score"] = 0.0  # one broken score is no centre
    found = br.summarize(frame_of(engine, whole, tmp_path))
    for one, values in zip((found.client, found.impostor), halves(whole), strict=True):
        assert [one.mean, one.square] == pytest.approx(exact_moments(values), rel=1e-12)


@pytest.mark.simulation
@pytest.mark.parametrize("engine", ENGINES)
def test_squares_beyond_doubles_are_infinite_without_a_warning(engine, tmp_path):
    label = np.tile([0, 1], 50)
    score = np.where(label == 1, 1e200, np.random.default_rng(3).normal(0, 1e200, 100))
    found = br.summarize(frame_of(engine, table(score, label), tmp_path))
    assert (found.client.mean, found.client.square) == (1e200, 0.0)
    assert found.impostor.square == (found + found).impostor.square == math.inf


GOOD = table([0.1, 0.2], [0, 1])
INPUT, TYPE = br.InputError, br.InputTypeError


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: br.summarize(table([0.1], [0]), score="scores"), INPUT, "Did you mean"),
        (lambda: br.summarize([1, 2]), TYPE, "frame that Narwhals reads"),
        (lambda: br.summarize(GOOD, bins=3), INPUT, "int >= 8"),
        (lambda: br.summarize(GOOD, layout=(1.0, 0.0)), INPUT, "low < high"),
        (lambda: br.summarize(GOOD, layout=(0, 5e-324)), INPUT, "of a width that doubles can hold"),
        (lambda: br.summarize(GOOD) + br.summarize(GOOD, bins=64), INPUT, "one number of bins"),
        (lambda: br.summarize(GOOD) + br.summarize(GOOD, layout=(0.0, 1.0)), INPUT, "one layout"),
        (lambda: br.Binned([0.0, 0.5, 0.5], [1, 1]), INPUT, "ascending"),
    ],
)  # fmt: skip
def test_what_a_summary_refuses(call, error, text):
    with pytest.raises(error, match=text):
        call()


def arrow_of(engine, **columns):
    """Columns of arrow as an engine's own, nulls kept."""
    pa = pytest.importorskip("pyarrow")
    arrow = pa.table({k: pa.array(v, from_pandas=False) for k, v in columns.items()})
    if engine == "pyarrow":
        return arrow
    if engine == "duckdb":
        return pytest.importorskip("duckdb").from_arrow(arrow)
    return pytest.importorskip("polars").from_arrow(arrow).lazy()


@pytest.mark.parametrize("engine", some(["polars-lazy", "duckdb", "pyarrow"], 3))
def test_nulls_and_nans_are_counted_on_every_engine(engine):
    lost = {3: None, 7: None, 50: None} | dict.fromkeys((1, 8, 9, 99), math.nan)
    score, label = [lost.get(k, k / 100) for k in range(100)], np.tile([0, 1], 50)
    with pytest.raises(br.InputError, match="7 missing, NaN or infinite of 100"):
        br.summarize(arrow_of(engine, score=score, label=label))
    places = np.arange(22) / 22
    for labels in (["a", "b"] * 10 + [None, None], [0.0, 1.0] * 10 + [None, math.nan]):
        with pytest.raises(br.InputError, match="no missing label; got 2 of 22"):
            br.summarize(arrow_of(engine, score=places, label=labels), client_label=labels[1])


@pytest.mark.simulation
@pytest.mark.parametrize("engine", ENGINES)
def test_integers_that_doubles_cannot_hold_are_refused(engine, tmp_path):
    label = np.tile([0, 1], 3)
    largest = np.array([2**53 - 1, 1 - 2**53, 1, 2, 3, 4])
    found = br.summarize(frame_of(engine, table(largest, label), tmp_path))
    assert (found.client.minimum, found.impostor.maximum) == (1.0 - 2**53, 2.0**53 - 1)
    for first, dtype in ((2**53 + 1, "i8"), (-(2**53) - 1, "i8"), (2**63 + 1, "u8")):
        score = np.array([1, first, 5, 2, 3, 4], dtype=dtype)
        refused = r"must (keep its identity|be exact) as float64; "
        with pytest.raises((br.InputError, br.FileFormatError), match=refused):
            br.summarize(frame_of(engine, table(score, label), tmp_path))


@pytest.mark.simulation
def test_a_file_may_have_names_that_engines_use(tmp_path, monkeypatch):
    monkeypatch.setattr("betaroc.data.parquet._BATCH", 2)
    folder = tmp_path / "label=7"  # a partition's to some
    folder.mkdir()
    frame = table([0.9, 0.7, 0.4, 0.1, 0.5], [1, 1, 1, 0, 0])
    frame.assign(file_row_number=5.0).to_parquet(folder / "scores.parquet")
    found = br.summarize(folder / "scores.parquet")
    assert (found.n_client, found.n_impostor) == (3, 2)
    assert (found.client.minimum, found.impostor.maximum) == (0.4, 0.5)


def test_float16_scores_warn():
    score = np.array([0.1, 0.2, 0.7, 0.9], dtype=np.float16)
    with pytest.warns(br.PrecisionWarning, match="float16"):
        assert br.summarize(table(score, [0, 0, 1, 1])).client.maximum == float(score[3])


@pytest.mark.parametrize(("n", "digits"), [(1, 17), (999, 2), (1001, 2), (63_000, 17)])
def test_the_extremes_are_those_of_all_scores(n, digits):
    rng = np.random.default_rng(n)
    values = np.round(np.sort(rng.normal(size=n)) if n % 2 else rng.normal(size=n), digits)
    lowest, highest = extremes_of(values)
    assert np.array_equal(lowest, np.sort(values)[:1000])
    assert np.array_equal(highest, np.sort(values)[::-1][:1000])


@pytest.mark.parametrize("most", [8000, 10])
@pytest.mark.parametrize("engine", some(["polars-lazy", "duckdb", "pandas"], 3))
def test_every_engine_keeps_the_extremes(engine, most, tmp_path, monkeypatch):
    """With few bins, ties, NaN-free ends; also where the outermost bins hold too many rows."""
    monkeypatch.setattr("betaroc.data.frames._MANY_ROWS", most)
    rng = np.random.default_rng(4)
    values = np.concatenate([rng.normal(size=4000).round(2), np.full(1500, 9.0), rng.random(300)])
    whole = table(values, rng.integers(0, 2, values.size))
    with pytest.warns(br.errors.PrecisionWarning):
        found = br.summarize(frame_of(engine, whole, tmp_path), bins=64, layout=(-4.0, 9.0))
    for one, own in zip((found.client, found.impostor), map(np.sort, halves(whole)), strict=True):
        assert np.array_equal(one.lowest, own[:1000])
        assert np.array_equal(one.highest, own[::-1][:1000])


def with_species(n=900, seed=3):
    """Scores on borders of 64 bins, of clients of three sites and impostors of four species."""
    rng = np.random.default_rng(seed)
    label = (rng.random(n) < 0.4).astype(int)
    kind = np.where(label == 1, rng.integers(0, 3, n), 3 + rng.integers(0, 4, n))
    score = np.clip(rng.integers(0, 50, n) + 14 * label + kind, 1, 64) / 64
    return pd.DataFrame({"score": score, "label": label, "kind": [f"kind {k}" for k in kind]})


GRID = {"bins": 64, "layout": (0.0, 1.0)}


@pytest.mark.parametrize("engine", SOME_ENGINES)
def test_strata_in_one_pass(engine, tmp_path):
    table = with_species(300)
    frame = frame_of(engine, table, tmp_path)
    summary = br.summarize(frame, stratum="kind", **GRID)
    plain = br.summarize(frame, **GRID)
    for who, label in (("client", 1), ("impostor", 0)):
        parts = getattr(summary, f"{who}_strata")
        assert list(parts) == sorted(set(table["kind"][table["label"] == label]))
        pairs = [(getattr(summary, who), getattr(plain, who))]
        for name, part in parts.items():
            alone = table[(table["kind"] == name) | (table["label"] != label)]
            pairs.append((part, getattr(br.summarize(alone, **GRID), who)))
        for own, other in pairs:
            assert (own.n, own.minimum) == (other.n, other.minimum)
            assert np.array_equal(own.bins, other.bins)
            assert np.array_equal(own.counts, other.counts)
            assert own.square == pytest.approx(other.square, rel=1e-12)
    half = [br.summarize(part, stratum="kind", **GRID) for part in (table[:150], table[150:])]
    assert sum(half).strata == summary.strata
    with pytest.raises(br.InputError, match="both have client_strata, or neither"):
        half[0] + plain


@pytest.mark.parametrize(("asked", "over"), some([
    ({"frr": 0.3}, "worst"), ({"far": 0.4}, None), ({"far": 0.4}, "pooled"),
    ({"far": 0.4}, {"kind 4": 0.5, "kind 6": 0.5}),
], 4))  # fmt: skip
def test_decisions_over_strata_of_a_summary_are_those_of_scores(asked, over):
    table, test = with_species(), with_species(seed=4)
    scores = br.Scores.from_frame(table, stratum="kind")
    summary = br.summarize(table, stratum="kind", **GRID)
    expected = br.decide(scores, **asked, over=over)
    got = br.decide(summary, **asked, over=over)
    assert np.floor(got.threshold * 64) == np.floor(expected.threshold * 64)  # in one gap
    assert (got.status, got.worst) == (expected.status, expected.worst)
    assert (got.interval.low, got.interval.high) == (expected.interval.low, expected.interval.high)
    if expected.strata is not None:
        rows = [x.strata.to_frame().set_index("stratum").sort_index() for x in (got, expected)]
        pd.testing.assert_frame_equal(*rows)
    of_rows = expected.check(br.Scores.from_frame(test, stratum="kind"))
    assert got.check(br.summarize(test, stratum="kind", **GRID)).verdict == of_rows.verdict


def test_strata_of_persons_are_pairs(tmp_path):
    columns = {"label": [1, 1, 0, 0, 0], "claimed": list("FMFFM"), "real": list("FMMFF")}
    table = pd.DataFrame({**columns, "score": [0.9, 0.8, 0.3, 0.4, 0.2]})
    path = tmp_path / "pairs.csv"
    table.to_csv(path, index=False)
    strata = ({"F": 1, "M": 1}, {"F-M": 1, "F-F": 1, "M-F": 1})
    both = {"stratum": ("claimed", "real")}
    assert br.Scores.from_frame(table, **both).strata == strata
    assert br.read_scores(path, **both).strata == strata
    assert br.summarize(table, **both).strata == br.summarize(path, **both).strata == strata
    table.loc[4, "real"] = None
    for read in (br.Scores.from_frame, br.summarize):
        with pytest.raises(br.InputError, match="named for every impostor trial"):
            read(table, **both)


def test_strata_of_a_summary_that_are_none():
    table = with_species()
    many = table.assign(kind=np.arange(len(table)))
    with pytest.raises(br.InputError, match="name at most 1000 strata"):
        br.summarize(pd.concat([many, many.assign(kind=many["kind"] + 2000)]), stratum="kind")
    with pytest.raises(br.InputError, match="must name a column"):
        br.summarize(table, stratum="species")
