"""Scores from Parquet, through pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from betaroc._rows import Rows, missing_column
from betaroc._words import listed, shown
from betaroc.errors import FileFormatError, MissingDependencyError


def read_parquet(path: Path, name: str, score: str, label: str) -> Rows:
    """The two columns of a Parquet file; page checksums are verified where there are any."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependencyError(
            'reading Parquet needs pyarrow, which is not installed. pip install "betaroc[parquet]"'
        ) from error
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            present = list(file.schema_arrow.names)
            _check_columns(present, score, label, name)
            table = file.read(columns=[score, label])
            table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(
            f"{name} must be intact Parquet ({path.stat().st_size} bytes): "
            f"{shown(str(error), 140)}. It is truncated or damaged: copy or export it again."
        ) from error
    return _rows(table.column(score), table.column(label), name, score, label)


def _check_columns(present: list[str], score: str, label: str, name: str) -> None:
    for role, column in (("score", score), ("label", label)):
        if column not in present:
            raise missing_column(name, role, column, present)
        if present.count(column) > 1:
            raise FileFormatError(
                f"{name} must have distinct columns; {shown(column)} occurs"
                f" {present.count(column)} times. Rename one of them."
            )


def _rows(scores: Any, labels: Any, name: str, score: str, label: str) -> Rows:
    import pyarrow as pa

    for column, called in ((scores, score), (labels, label)):
        gone = np.flatnonzero(column.is_null().to_numpy())
        if gone.size:
            raise FileFormatError(
                f"{name}: column {shown(called)} must have no missing value; got {gone.size} of"
                f" {len(column)} null, first in rows {listed(gone.tolist())} (counted from 0)."
                " Drop these rows first."
            )
    kind = scores.type
    if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        raise FileFormatError(
            f"{name}: column {shown(score)} must be numeric; its type is {kind}."
            " Convert it to float64 when writing."
        )
    flat = labels.combine_chunks() if hasattr(labels, "combine_chunks") else labels
    if not pa.types.is_dictionary(flat.type):
        flat = flat.dictionary_encode()
    if isinstance(flat, pa.ChunkedArray):
        flat = flat.unify_dictionaries().combine_chunks()
    used, first, codes = np.unique(
        flat.indices.to_numpy(zero_copy_only=False), return_index=True, return_inverse=True
    )
    texts = flat.dictionary.to_pylist()
    tokens = [str(texts[i]) for i in used]
    return Rows(name, "row", scores.to_numpy(), codes, tokens, first.tolist())
