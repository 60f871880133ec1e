"""Score files: which format a file has, and its scores."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.checks import choice
from betaroc.core.errors import FileFormatError, InputError, InputTypeError, ScoreFileNotFoundError
from betaroc.core.notices import public
from betaroc.core.sentences import worded
from betaroc.core.text import shown
from betaroc.data.frames import named_columns
from betaroc.data.parquet import read_parquet
from betaroc.data.rows import Rows, Wanted, whole
from betaroc.data.scores import Scores, ScoreSource
from betaroc.data.text_blocks import DELIMITERS, collect_parts
from betaroc.data.text_files import TextFile, layout_of

__all__ = ["OpenedText", "of_the_system", "opened_text", "read_scores", "regular_file"]

FORMATS = ("csv", "tsv", "parquet", "2col", "4col", "5col")
_MAGIC = (
    (b"\xff\xfe", "UTF-16 text (byte offset 0)", "Save it as UTF-8."),
    (b"\xfe\xff", "UTF-16 text (byte offset 0)", "Save it as UTF-8."),
    (b"PK", "a zip archive", "Archives are not unpacked: extract the one file, or use .gz."),
    (b"BZh", "bzip2 data", "Only .gz is decompressed: recompress it with gzip."),
    (b"\xfd7zXZ", "xz data", "Only .gz is decompressed: recompress it with gzip."),
    (b"7z\xbc\xaf", "a 7z archive", "Archives are not unpacked: extract the one file."),
    (b"\x28\xb5\x2f\xfd", "zstd data", "Only .gz is decompressed: recompress it with gzip."),
    (b"\x89HDF", "HDF5 data", "Export the scores as csv."),
    (b"\xd0\xcf\x11\xe0", "an old Excel sheet", "Export the scores as csv."),
)


@public
def read_scores(
    path: str | os.PathLike[str],
    *,
    score: str = "score",
    label: str = "label",
    client_label: object = None,
    format: str | None = None,  # noqa: A002 - the name of the public surface
    group: str | tuple[str, str] | None = None,
    id: str | tuple[str, str] | None = None,  # noqa: A002 - the name of the public surface
) -> Scores:
    r"""Scores from a file of CSV, TSV, Parquet or bob.measure's text.

    Parameters
    ----------
    path : str or path-like
        A regular local file; text may be gzip-compressed.
    score, label : str
        Column names in the header (CSV, TSV, Parquet).
    client_label : object, optional
        The client's label, compared as text and as a number. None only for {0, 1}, {-1, 1}
        and true/false, where the client's is 1 or true.
    format : {"csv", "tsv", "parquet", "2col", "4col", "5col"}, optional
        None decides by the content, never by the file name.
    group, id : str or (str, str), optional
        Columns that become the scores' groups and ids: one name, or a tuple of two.
        The columns of 4col are called ``"claimed"``, ``"real"`` and ``"probe"``, of 5col
        ``"model"`` too.

    Returns
    -------
    Scores
        In the order of the file; ``.source`` states path and format.

    Raises
    ------
    ScoreFileNotFoundError
        If there is no such file.
    FileFormatError
        For whatever is wrong in the file, with its line; for directories, devices, URLs,
        archives; for text that is not UTF-8; for a missing column, class or group.
    InputError
        For names of columns that a file without header cannot have.
    MissingDependencyError
        For Parquet without pyarrow.

    Notes
    -----
    Nothing is guessed or dropped: a missing, infinite or non-numeric score, a row of another
    width, comma decimals and semicolons are errors. Only blank lines are skipped, and ``#``
    lines in the files of bob.measure, whose columns are separated by blanks:

    * 2col: ``label score`` with label 1 for clients, 0 or -1 for impostors;
    * 4col: ``claimed_id real_id probe_label score``, client iff claimed and real are equal;
    * 5col: ``claimed_id model_label real_id probe_label score``, likewise.

    Text of four or five columns whose identities are decimal numbers may as well be a table that
    lost its header: it is refused unless `format` says which it is.

    In verification a trial depends on two people: ``group=("claimed", "real")``. Groups and ids
    of text files are text, also where they look like numbers.

    CSV and TSV are parsed in blocks by pyarrow, else Polars, else Python's own functions; what
    these leave in doubt is read line by line, from the first line on: slower by an order of
    magnitude, with the same values.

    Decimals are read exactly as Python's ``float`` does; 1e400 and 1e-400 are errors, since
    they would become inf and 0. A gzip file that expands beyond 1 GiB and 1000 times its size
    is refused, so is a line beyond 1 MiB. Parquet page checksums are verified where the
    writer stored them; without them a flipped bit cannot be seen.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import betaroc as br
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "dev.csv")
    >>> _ = path.write_text("label,score\n1,0.9\n0,0.25\n1,0.5\n")
    >>> scores = br.read_scores(path)
    >>> scores, scores.source.format
    (Scores(client=[0.9, 0.5], impostor=[0.25]), 'csv')
    >>> folder.cleanup()
    """
    if format is not None:
        choice(format, FORMATS, "format")
    for given, name in ((score, "score"), (label, "label")):
        if not isinstance(given, str):
            raise InputTypeError.about(name)(
                f"{name} must be the name of a column; got {shown(given)} of type"
                f" {type(given).__name__}. Pass text."
            )
    if score == label:
        raise InputError.about("score")(
            worded("`score` and `label` must name two columns; both are")
            + f" {shown(score)}. Name the column of each."
        )
    names = {"group": group, "id": id}
    columns = {role: named_columns(c, role) for role, c in names.items() if c is not None}
    wanted = Wanted(score, label, columns)
    local = regular_file(path)
    shown_as = shown(local.name)
    with of_the_system(shown_as):
        kind, rows = _read(local, shown_as, wanted, client_label, format)
    values, is_client = rows.split(client_label)
    order = hashlib.blake2b(np.packbits(is_client).tobytes(), digest_size=16).hexdigest()
    parts: dict[str, Any] = {"source": ScoreSource(str(local), kind, order)}
    for role, these in columns.items():
        joined = rows.joined(role, these)
        parts[f"client_{role}s"], parts[f"impostor_{role}s"] = joined[is_client], joined[~is_client]
    return Scores._checked(client=values[is_client], impostor=values[~is_client], **parts)


def _read(
    path: Path, name: str, columns: Wanted, client_label: object, wanted: str | None
) -> tuple[str, Rows]:
    text = opened_text(path, name, columns, client_label, wanted)
    if text is None:
        return "parquet", read_parquet(path, name, columns)
    return text.kind, collect_parts(text.file, text.layout, columns, whole)


class OpenedText(NamedTuple):
    """A text file and its layout, one of FORMATS."""

    file: TextFile
    layout: str

    @property
    def kind(self) -> str:
        """The format as results state it."""
        return self.layout + (", gzip" if self.file.zipped else "")


def opened_text(
    path: Path, name: str, columns: Wanted, client_label: object, wanted: str | None
) -> OpenedText | None:
    """A text file of scores by its content; None for a file that is or should be Parquet."""
    with path.open("rb") as raw:
        head = raw.read(8)
    if not head:
        raise FileFormatError(
            f"{name} must hold scores; the file is empty (0 bytes). Export again."
        )
    if head.startswith(b"PAR1") or path.suffix.lower() in {".parquet", ".pq"}:
        if wanted not in {None, "parquet"}:
            raise FileFormatError(f"{name} is no {wanted} file; it is Parquet. Leave format out.")
        return None
    _refuse_magic(head, name)
    if wanted == "parquet":
        raise FileFormatError(
            f"{name} is no Parquet file; it starts with {head[:4]!r} instead of b'PAR1'."
            " Leave format out."
        )
    file = TextFile(path, name, zipped=head.startswith(b"\x1f\x8b"))
    layout = wanted or layout_of(file)
    if layout not in DELIMITERS:
        _refuse_unused(layout, name, columns.score, columns.label, client_label)
    return OpenedText(file, layout)


def _refuse_unused(layout: str, name: str, score: str, label: str, client_label: object) -> None:
    if (score, label) != ("score", "label"):
        raise InputError.about("score")(
            worded("`score=` and `label=` name columns of a header;")
            + f" {name} is {layout} text, which has none (got {shown(score)}, {shown(label)})."
            + worded(" Leave them out, or pass `format='csv'`.")
        )
    if layout != "2col" and client_label is not None:
        raise InputError.about("client_label")(
            f"client_label must be None for {layout} files, whose clients are the rows with equal"
            f" claimed and real identity; got {shown(client_label)} for {name}. Leave it out."
        )


def _refuse_magic(head: bytes, name: str) -> None:
    for magic, what, do in _MAGIC:
        if head.startswith(magic):
            raise FileFormatError(f"{name} must be text or Parquet; it is {what}. {do}")


def regular_file(path: object) -> Path:
    """The path of a file that can be read, or an error that says what it is."""
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError.about("path")(
            f"path must be the path of a file; got a {type(path).__name__}. Frames are read by"
            " Scores.from_frame, arrays by Scores.from_labels."
        )
    text = os.fsdecode(os.fspath(path))
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", text):
        raise FileFormatError.about("path")(
            f"path must be a local file; got the address {shown(text)}. Download it first:"
            " betaroc opens no connection."
        )
    where = _shown_path(text)
    try:
        mode = os.stat(text).st_mode
    except FileNotFoundError as error:
        raise ScoreFileNotFoundError.about("path")(
            f"path must be an existing file; there is no {where}. {_neighbours(Path(text))}"
        ) from error
    except (OSError, ValueError) as error:
        raise FileFormatError.about("path")(
            f"path must be a readable file; {where}: {getattr(error, 'strerror', error)}."
            " Check the path."
        ) from error
    if not stat.S_ISREG(mode):
        kinds = (
            (stat.S_ISDIR, "a directory"),
            (stat.S_ISFIFO, "a FIFO"),
            (stat.S_ISSOCK, "a socket"),
        )
        kind = next((what for test, what in kinds if test(mode)), "a device")
        raise FileFormatError.about("path")(
            f"path must be a regular file; {where} is {kind}. Name one score file in it,"
            " or copy the stream to a file first."
        )
    return Path(text)


def _shown_path(text: str, width: int = 60) -> str:
    """The path with repr; of a long one the end, where the file is named."""
    whole = repr(text)
    return whole if len(whole) <= width else f"'...{whole[-(width - 4) :]}"


def _neighbours(path: Path) -> str:
    """The nearest name in the same folder, or where one looked."""
    from difflib import get_close_matches

    try:
        if not path.parent.is_dir():
            return f"Its folder does not exist either, seen from {_shown_path(os.getcwd())}."
        close = get_close_matches(path.name, os.listdir(path.parent), n=1, cutoff=0.8)
    except OSError:  # a folder that may not be listed: only the hint is lost
        close = []
    return f"Did you mean {shown(close[0])}?" if close else "Check the name and the folder."


@contextmanager
def of_the_system(name: str) -> Iterator[None]:
    """Errors of the operating system as ours."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileFormatError | ImportError):
            raise
        raise FileFormatError(
            f"{name} must be readable; the system says: {error.strerror or error}."
            " Check the permissions and the disk."
        ) from error
