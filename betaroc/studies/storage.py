"""The folder of a study: a manifest, one Parquet file a block, each there whole or not at all.

Each of them carries a checksum of all its bytes, and each part the manifest: a byte that changed
is noticed wherever it stands. Damaged parts are computed again, a damaged manifest is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.core.errors import (
    BetarocWarning,
    InputTypeError,
    MissingDependencyError,
    OutputError,
    StudyError,
)
from betaroc.core.local_files import small_text
from betaroc.core.notices import warn
from betaroc.core.text import listed, shown
from betaroc.rendering.files import write_whole

MANIFEST = "study.json"
_PART = re.compile(r"part-(\d{6,})\.parquet")
#: Held by a run, and removed at its end; it is no file of the study.
_LOCK = ".betaroc.lock"
_BESIDE = re.compile(r"\.betaroc-[0-9a-f]+\.tmp")
#: Bytes of a manifest at most.
_LARGEST = 2**26
#: What a manifest of this layout calls itself, and where its checksum stands in it.
_LAYOUT, _SEALED = 2, "sha256"
#: Where a part keeps its study, its number, and the checksum of its bytes with zeros in its place.
_STUDY, _NUMBER, _SEAL = b"betaroc.study", b"betaroc.part", b"betaroc.sha256"
_OPEN_SEAL = b"0" * 64
#: As Parquet writes text of 64 bytes behind its key.
_SEAL_HEAD = _SEAL + b"\x18\x40"
#: What tells studies apart, in words; of those that are open, None asks for what is there.
_WORDS = {
    "names": "parameters", "design": "levels", "cells": "number of cells",
    "replicates": "replicates", "statistics": "statistics", "model": "model", "entropy": "seed",
    "block": "block", "python": "version of Python", "betaroc": "version of betaroc",
    "numpy": "version of numpy", "scipy": "version of scipy",
}  # fmt: skip
_OPEN = ("entropy", "block")
_COUNTS = ("cells", "replicates", "block")


class ResultColumn(NamedTuple):
    """Values of one kind, None for those that a failed trial lacks."""

    #: None where all lack.
    kind: type[Any] | None
    values: list[Any]


ResultColumns = Mapping[str, ResultColumn]


def pyarrow() -> Any:
    """The package that writes Parquet."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise MissingDependencyError(
            "a study writes Parquet, which needs pyarrow, which is not installed."
            ' pip install "betaroc[study]"'
        ) from error
    return pa


# ------------------------------------------------------------------------------- contents
def as_parquet(columns: ResultColumns, study: str = "", number: int = 0) -> bytes:
    """A part of a study as the bytes of a file, the same for the same columns."""
    pa = pyarrow()
    kinds = {float: pa.float64(), int: pa.int64(), str: pa.string(), bool: pa.bool_()}
    table = pa.table({
        name: pa.array(values, kinds[kind] if kind else pa.null(), from_pandas=False)
        for name, (kind, values) in columns.items()
    })  # fmt: skip
    labels = {_STUDY: study.encode(), _NUMBER: b"%d" % number, _SEAL: _OPEN_SEAL}
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(
        table.replace_schema_metadata(labels), sink, compression="zstd", write_page_checksum=True
    )
    content = bytes(sink.getvalue())
    return _with_seal(content, hashlib.sha256(content).hexdigest().encode())


def _with_seal(content: bytes, seal: bytes) -> bytes:
    """A part with another checksum."""
    at = content.rindex(_SEAL_HEAD) + len(_SEAL_HEAD)
    return content[:at] + seal + content[at + len(seal) :]


def is_sealed(content: bytes) -> bool:
    """Whether the checksum of a part is that of its bytes."""
    seal = content.rpartition(_SEAL_HEAD)[2][: len(_OPEN_SEAL)]
    if _SEAL_HEAD not in content or len(seal) < len(_OPEN_SEAL):
        return False
    return hashlib.sha256(_with_seal(content, _OPEN_SEAL)).hexdigest().encode() == seal


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """A manifest as it is written, with its checksum."""
    content = {"layout": _LAYOUT, **manifest}
    seal = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps({**content, _SEALED: seal}, indent=1, sort_keys=True) + "\n"


def _part(number: int) -> str:
    return f"part-{number:06d}.parquet"


class Folder:
    """Where a study keeps its manifest and its parts.

    Parameters
    ----------
    path : str or PathLike
        A folder of its own; it need not exist.
    """

    def __init__(self, path: Any) -> None:
        if not isinstance(path, str | os.PathLike):
            raise InputTypeError.about("folder")(
                f"folder must be the path of a folder; got {shown(path)} of type"
                f" {type(path).__name__}. Pass text or a pathlib.Path."
            )
        self.path = Path(os.fsdecode(os.fspath(path)))
        self._name = shown(str(self.path))

    # --------------------------------------------------------------------- whose it is
    def claim(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Make the folder this study's, or find that it is; the manifest that holds.

        What a fresh manifest leaves open (entropy and block None) an older one decides.
        """
        self._make()
        names = self._names()
        others = [n for n in names if n != MANIFEST and not _PART.fullmatch(n) and n[0] != "."]
        if others:
            raise StudyError(
                f"the folder of a study must hold nothing else; {self._name} has"
                f" {listed(sorted(others), 3)} ({len(others)} in all). Name another folder."
            )
        if self.there:
            old = self.manifest()
            self._refuse_other(old, manifest)
            return old
        if self.parts():
            raise StudyError(
                f"the folder of a study must have its {MANIFEST}; {self._name} has parts without"
                " it. Name another folder."
            )
        self._write(MANIFEST, manifest_text(manifest))
        return manifest

    @property
    def there(self) -> bool:
        """Whether a study was begun here."""
        return (self.path / MANIFEST).exists()

    def manifest(self) -> dict[str, Any]:
        """What the folder says of its study."""
        if self.path.is_dir():
            self._names()  # that the manifest is a file
        if not self.there:
            raise StudyError(
                f"the folder of a study must have a {MANIFEST}; {self._name} has none. Name the"
                " folder that Study(..., folder=...) was given."
            )
        try:
            text = small_text(self.path / MANIFEST, MANIFEST, "Restore it.", _LARGEST)
            result: Any = json.loads(text)
        except (OSError, ValueError, RecursionError) as error:
            deep = isinstance(error, RecursionError)
            raise self._unreadable("nested too deep" if deep else shown(str(error), 100)) from error
        if not isinstance(result, dict) or result.pop("layout", None) != _LAYOUT:
            raise StudyError(
                f"{MANIFEST} in {self._name} must be of layout {_LAYOUT}, which this version"
                " writes; it is not. Read it with the version that wrote it."
            )
        result.pop(_SEALED, None)
        whole = {"entropy", *_WORDS} <= set(result) and text == manifest_text(result)
        if not whole or not all(type(result[k]) is int and result[k] > 0 for k in _COUNTS):
            raise self._unreadable("its checksum is not that of its content")
        count = -(-result["cells"] * result["replicates"] // result["block"])
        strangers = [k for k in self.parts() if k >= count]
        if strangers:  # which would be read with the others
            raise StudyError(
                f"{self._name} must hold no parts but the {count} of its study;"
                f" {_part(strangers[0])} is none of them. Move it away."
            )
        return dict(result)

    def _unreadable(self, why: str) -> StudyError:
        return StudyError(
            f"{MANIFEST} in {self._name} must be readable JSON, as it was written; {why}. Put a"
            " copy of it back, or begin the study in a new folder."
        )

    def _refuse_other(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        differing = [
            name for name in _WORDS
            if new[name] != old.get(name) and not (new[name] is None and name in _OPEN)
        ]  # fmt: skip
        if differing:
            words = "; ".join(_difference(name, old, new) for name in differing)
            raise StudyError(
                f"{self._name} holds another study, nothing is touched; what differs, there and"
                f" here: {words}. Name a new folder, or ask for the same study."
            )

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """One run at a time, if it can be had; released by the system when the process ends."""
        from filelock import FileLock, Timeout

        pyarrow()
        self._make()
        with contextlib.ExitStack() as stack:
            locked = True
            try:
                stack.enter_context(FileLock(self.path / _LOCK, timeout=0.0))
                # Gone before it is released; where open files cannot go, filelock removes it.
                stack.callback(_remove, self.path / _LOCK)
            except Timeout as error:
                raise StudyError(
                    f"a study must be run once at a time; another run is at work in {self._name}."
                    " Wait for it, or stop it: its parts are kept."
                ) from error
            except (OSError, NotImplementedError):
                # No lock can be had, as on some network disks, or where nothing can be written.
                # Two runs at once are harmless: whole parts of equal bytes.
                locked = False
            yield locked

    # --------------------------------------------------------------------------- parts
    def parts(self) -> list[int]:
        """Numbers of the parts that are there."""
        matches = (_PART.fullmatch(name) for name in self._names())
        return sorted(int(match[1]) for match in matches if match)

    def write_part(self, number: int, content: Any) -> None:
        """Put a part in place."""
        self._write(_part(number), content)

    def intact(self, number: int, study: str) -> bool:
        """Whether a part is whole and of this study; one that is not is warned of."""
        try:
            self._read(number, study, ["cell"])
        except StudyError as error:
            warn(
                f"{str(error).split(' Run the study')[0]} It is computed again: its seeds give the"
                " same numbers. Check the disk.",
                BetarocWarning,
            )
            return False
        return True

    def _read(self, number: int, study: str, columns: list[str] | None) -> Any:
        """A part as a table of Arrow; refuses what is damaged or not the part that it is called."""
        pa, path = pyarrow(), self.path / _part(number)
        why = "damaged: its checksum is not that of its bytes"
        with contextlib.suppress(OSError, pa.ArrowException):
            content = path.read_bytes()
            if is_sealed(content):
                why = "no Parquet"
                with pa.parquet.ParquetFile(pa.BufferReader(content)) as file:
                    labels = file.metadata.metadata or {}
                    own = labels.get(_STUDY), labels.get(_NUMBER)
                    if own == (study.encode(), b"%d" % number):
                        return file.read(columns=columns).replace_schema_metadata()
                why = "not the part of this study that its name says"
        raise StudyError(
            f"{path.name} in {self._name} must be intact; it is {why}. Run the study again: it"
            " computes this part alone, to the same bytes."
        )

    def table(self, columns: list[str] | None = None) -> Any:
        """All parts as one frame of pandas, in order; None where there are none."""
        pa, study = pyarrow(), manifest_text(self.manifest())
        tables = [self._read(number, study, columns) for number in self.parts()]
        if not tables:
            return None
        try:
            return pa.concat_tables(tables, promote_options="permissive").to_pandas()
        except pa.ArrowException as error:
            raise _two_kinds(f"in {self._name} differ: {shown(str(error), 140)}") from error

    # -------------------------------------------------------------------------- the disk
    def _make(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not os.access(self.path, os.W_OK | os.X_OK):
                raise PermissionError("it is write-protected")
        except (OSError, ValueError) as error:
            raise OutputError(
                "folder must be a folder that can be written to, or a new one that can be made;"
                f" {self._name}: {getattr(error, 'strerror', None) or error}. Name another."
            ) from error

    def _names(self) -> list[str]:
        try:
            with os.scandir(self.path) as entries:
                result = {entry.name: entry.is_file() for entry in entries}
        except OSError as error:
            raise StudyError(
                f"the folder of a study must be readable; {self._name}: {error.strerror}."
            ) from error
        for name in sorted(result):
            if not result[name] and (name == MANIFEST or _PART.fullmatch(name)):
                raise StudyError(
                    f"the files of a study must be regular ones; {shown(name)} in {self._name} is"
                    " a folder, a FIFO or a device. Move it away."
                )
        return sorted(result)

    def _write(self, name: str, content: str | bytes) -> None:
        try:
            write_whole(self.path / name, content)
        except OutputError as error:
            raise OutputError(
                f"{error} Parts that are there are whole: run the study again to go on."
            ) from error

    def sweep(self) -> None:
        """Remove what a killed run was about to put in place."""
        for name in self._names():
            if _BESIDE.fullmatch(name):
                _remove(self.path / name)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


class Memory:
    """What a study computes where no folder keeps it: the columns of its parts, by number."""

    there, path = False, None

    def __init__(self) -> None:
        self._parts: dict[int, ResultColumns] = {}
        self._manifest: dict[str, Any] = {}

    def claim(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The manifest of the first run."""
        self._manifest, self.there = self._manifest or manifest, True
        return self._manifest

    def manifest(self) -> dict[str, Any]:
        """What tells of the study."""
        return self._manifest

    def alone(self) -> contextlib.nullcontext[bool]:
        """Nobody else writes here."""
        return contextlib.nullcontext(False)

    def parts(self) -> list[int]:
        """Numbers of the parts that are there."""
        return sorted(self._parts)

    def intact(self, number: int, _: str) -> bool:
        """Whether a part is there."""
        return number in self._parts

    def write_part(self, number: int, content: Any) -> None:
        """Put a part in place."""
        self._parts[number] = content

    def table(self, columns: list[str] | None = None) -> Any:
        """All parts as one frame of pandas, in order; None where there are none."""
        import pandas as pd

        parts = [self._parts[number] for number in self.parts()]
        names = dict.fromkeys(name for part in parts for name in part)
        kinds = {name: {part[name].kind for part in parts if name in part} for name in names}
        mixed = [name for name, kind in kinds.items() if str in kind and kind - {str, None}]
        if mixed:
            raise _two_kinds(f"have text and numbers in {shown(mixed[0])}")
        frames = [
            pd.DataFrame({
                name: pd.Series(column.values, dtype=float if float in kinds[name] else None)
                for name, column in part.items() if columns is None or name in columns
            }) for part in parts
        ]  # fmt: skip
        return pd.concat(frames, ignore_index=True) if frames else None


def _two_kinds(noun: str) -> StudyError:
    return StudyError(
        "a statistic must be a number in every trial or text in every trial; the parts"
        f" {noun}. Return nan where there is no number."
    )


def _difference(name: str, old: dict[str, Any], new: dict[str, Any]) -> str:
    """What differs: of a design the parameters, of lists the items; digests say nothing."""
    present, here = old.get(name), new[name]
    if name == "design":
        levels = old.get("levels", {})
        changed = [key for key, level in new["levels"].items() if levels.get(key) != level]
        return f"levels of {listed(changed, 4)}" if changed else "cells, of which the order counts"
    if name in ("names", "statistics"):  # names, or names and what is computed after a colon
        was, now = (dict(item.rpartition(": ")[::2] if ": " in item else (item, item)
                         for item in items) for items in (present or (), here))  # fmt: skip
        changed = [key for key in {**was, **now} if was.get(key) != now.get(key)]
        items = [f"{shown(key)} is {was.get(key, 'not there')} in it, {now.get(key, 'not asked')}"
                 " here" for key in changed[:2]]  # fmt: skip
        more = [f"{len(changed) - 2} more"] if len(changed) > 2 else []
        return f"{_WORDS[name]}: {', '.join(items + more)}" if items else f"{name} (their order)"
    if isinstance(present, list) and isinstance(here, list):
        present, here = (" ".join(map(str, item[0])) for item in (present, here))
    return f"{_WORDS[name]} ({shown(present, 24)} v {shown(here, 24)})"
