"""The same table on every engine, and what its summary must be, written out."""

from __future__ import annotations

import math

import narwhals as nw
import numpy as np
import pytest

ENGINES = ["pandas", "polars", "polars-lazy", "pyarrow", "duckdb", "dask", "parquet"]


def frame_of(engine, table, folder):
    """A table of pandas as an engine's own; of Parquet the file."""
    module, _, lazy = engine.partition("-")
    if module == "parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(folder / "scores.parquet")
        return folder / "scores.parquet"
    library = pytest.importorskip("dask.dataframe" if module == "dask" else module)
    if module == "duckdb":
        return library.from_df(table)
    if module == "dask":
        return library.from_pandas(table, npartitions=3)
    columns = {k: v.to_numpy() if v.dtype.kind in "fiu" else v.tolist() for k, v in table.items()}
    made = nw.from_dict(columns, backend=library)
    return (made.lazy() if lazy else made).to_native()


def places(scores, bins):
    """The place of scores on the bins' scale, whose whole part is the bin: written out here.

    Four maps into [0, 1], a quarter of the bins each: s itself held to [0, 1]; of that, halves of
    s**(1/16) and 1 - (1 - s)**(1/16); and (1 + x/(1 + |x|))/2 of x = s and of x = s/100.
    """
    held = np.clip(scores, 0.0, 1.0)
    ends = 0.5 * held ** (1 / 16) + 0.5 * (1.0 - (1.0 - held) ** (1 / 16))
    line = [0.5 + 0.5 * x / (1.0 + np.abs(x)) for x in (scores, scores / 100.0)]
    return bins * (held + ends + line[0] + line[1]) / 4.0


def expected_bins(scores, bins):
    """Bins that hold scores, and how many; no score's place is a whole number but for rounding."""
    place = places(scores, bins)
    # 0 and what rounding takes for it lie on a border: a quarter of the way, the first of a bin.
    zero = np.abs(scores) < 1e-100
    place[zero] = bins / 4
    assert np.all(np.abs(place - np.round(place))[~zero] > 1e-15 * bins)
    found, counts = np.unique(np.floor(place).astype(int), return_counts=True)
    return found.tolist(), counts.tolist()


def check(found, table):
    """Counts exactly and sums to 1e-12 as sorting and adding the rows gives them."""
    for one, label in ((found.client, 1), (found.impostor, 0)):
        values = table["score"].to_numpy()[table["label"].to_numpy() == label]
        inner = values[(values > 0) & (values < 1)]
        assert (one.n, one.n_zero, one.n_one, one.n_outside) == (
            values.size, int(np.sum(values == 0)), int(np.sum(values == 1)),
            int(np.sum((values < 0) | (values > 1))),
        )  # fmt: skip
        assert (one.minimum, one.maximum) == (values.min(), values.max())
        assert (one.inner_minimum, one.inner_maximum) == (inner.min(), inner.max())
        assert (one.bins.tolist(), one.counts.tolist()) == expected_bins(values, found.n_bins)
        mean = math.fsum(values) / values.size
        log, log1m = np.log(inner), np.log1p(-inner)
        expected = [
            mean, math.fsum((values - mean) ** 2), math.fsum(log), math.fsum(log1m),
            math.fsum((log - log1m) ** 2),
        ]  # fmt: skip
        sums = [one.mean, one.square, one.log, one.log1m, one.logit_square]
        assert sums == pytest.approx(expected, rel=1e-12)
