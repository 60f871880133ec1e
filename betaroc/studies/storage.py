"""The folder of a study: a manifest and a Parquet file per block, each whole or not there.

Checksums find changed bytes. Damaged parts are computed again, a damaged manifest is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from betaroc.core.errors import (
    BetarocWarning,
    InputTypeError,
    MissingDependencyError,
    OutputError,
    StudyError,
    refusal,
)
from betaroc.core.local_files import small_text
from betaroc.core.notices import warn
from betaroc.core.text import format_list, format_value, typed
from betaroc.rendering.files import write_whole

MANIFEST = "study.json"
_PART = re.compile(r"part-(\d{6,})\.parquet")
#: Held by a run, and removed at its end; it is no file of the study.
_LOCK = ".betaroc.lock"
_BESIDE = re.compile(r"\.betaroc-[0-9a-f]+\.tmp")
#: Bytes of a manifest at most.
_LARGEST = 2**26
_LAYOUT, _CHECKSUM = 3, "sha256"
#: Where a part keeps its study, its number, and the names of its columns.
_LABELS = b"betaroc.study", b"betaroc.part", b"betaroc.columns"
#: What tells studies apart, in words; of those that are open, None asks for what is there.
_WORDS = {
    "names": "parameters", "design": "cells or their order", "cells": "number of cells",
    "replicates": "replicates", "statistics": "statistics", "model": "model",
    "generator": "generator", "entropy": "seed", "block": "block", "python": "version of Python",
    "betaroc": "version of betaroc", "numpy": "version of numpy", "scipy": "version of scipy",
}  # fmt: skip
_OPEN = ("entropy", "block")

#: By name the kind of the values, None where all lack, and the values, None where a trial failed.
ResultColumns: TypeAlias = Mapping[str, tuple[type[Any] | None, list[Any]]]


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
def as_parquet(columns: ResultColumns, study: str, number: int) -> bytes:
    """A part of a study as a file's bytes, the same for the same columns."""
    pa = pyarrow()
    kinds = {float: pa.float64(), int: pa.int64(), str: pa.string(), bool: pa.bool_()}
    table = pa.table({
        name: pa.array(values, kinds[kind] if kind else pa.null(), from_pandas=False)
        for name, (kind, values) in columns.items()
    })  # fmt: skip
    labels = _labels(study, number, columns)
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(
        table.replace_schema_metadata(labels), sink, compression="zstd", write_page_checksum=True
    )
    return bytes(sink.getvalue())


def _labels(study: str, number: int, columns: Iterable[str]) -> dict[bytes, bytes]:
    names = json.dumps([*columns]).encode()
    return dict(zip(_LABELS, (study.encode(), b"%d" % number, names), strict=True))


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """A manifest as it is written, with its checksum."""
    content = {"layout": _LAYOUT, **manifest}
    checksum = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps({**content, _CHECKSUM: checksum}, indent=1, sort_keys=True) + "\n"


def _part(number: int) -> str:
    return f"part-{number:06d}.parquet"


class Folder:
    """Where a study keeps its manifest and its parts; it need not exist."""

    def __init__(self, path: Any) -> None:
        if not isinstance(path, str | os.PathLike):
            raise refusal("folder", "be the path of a folder", typed(path), kind=InputTypeError)
        self.path = Path(os.fsdecode(os.fspath(path)))
        self.place: Path | None = self.path
        self._name = format_value(str(self.path))

    # --------------------------------------------------------------------- whose it is
    def claim(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Make the folder this study's; its manifest."""
        # What a fresh manifest leaves open (entropy and block None) an older one decides.
        self._make()
        ours = {MANIFEST, *map(_part, self.parts())} if self.there else set()
        others = [name for name in self._names() if name not in ours and name[0] != "."]
        if others:
            raise StudyError(
                f"the folder of a study must hold its {MANIFEST} and parts alone; {self._name} has"
                f" {format_list(others, 3)} ({len(others)} in all). Name another folder."
            )
        if not self.there:
            self._write(MANIFEST, manifest_text(manifest))
            return manifest
        old = self.manifest()
        differing = [
            _difference(name, old, manifest) for name in _WORDS
            if manifest[name] != old.get(name) and not (manifest[name] is None and name in _OPEN)
        ]  # fmt: skip
        if differing:
            raise StudyError(
                f"{self._name} holds another study, nothing is touched; what differs, there and"
                f" here: {'; '.join(differing)}. Name a new folder, or ask for the same study."
            )
        return old

    @property
    def there(self) -> bool:
        return (self.path / MANIFEST).exists()

    def manifest(self) -> dict[str, Any]:
        if not self.there:
            raise StudyError(
                f"the folder of a study must have a {MANIFEST}; {self._name} has none. Name the"
                " folder that Study(..., folder=...) was given."
            )
        try:
            text = self._content(MANIFEST)
            result = dict(json.loads(text))
            unchanged = result.pop("layout") == _LAYOUT and result.pop(_CHECKSUM)
            if not unchanged or text != manifest_text(result):
                raise ValueError("its checksum or its layout is another")
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise StudyError(
                f"{MANIFEST} in {self._name} must be as this version wrote it;"
                f" {format_value(str(error), 100)}. Put a copy of it back, or begin the study in a"
                " new folder."
            ) from error
        count = -(-result["cells"] * result["replicates"] // result["block"])
        strangers = [k for k in self.parts() if k >= count]
        if strangers:  # which would be read with the others
            raise StudyError(
                f"{self._name} must hold no parts but the {count} of its study;"
                f" {_part(strangers[0])} is none of them. Move it away."
            )
        return result

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Lock the folder, where possible, until the process ends at the latest."""
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

    def sweep(self) -> None:
        """Remove what a killed run was about to put in place."""
        for name in filter(_BESIDE.fullmatch, self._names()):
            _remove(self.path / name)

    # --------------------------------------------------------------------------- parts
    def parts(self) -> list[int]:
        matches = map(_PART.fullmatch, self._names())
        return sorted(int(match[1]) for match in matches if match)

    def write_part(self, number: int, content: Any) -> None:
        self._write(_part(number), content)

    def intact(self, number: int, study: str) -> bool:
        """Whether a part is whole and of this study; it warns if not."""
        try:
            self._read(number, study, None)
        except StudyError as error:
            warn(str(error), BetarocWarning)
            return False
        return True

    def _read(self, number: int, study: str, columns: list[str] | None) -> Any:
        pa, name = pyarrow(), _part(number)
        why = "damaged: its checksums are not those of its bytes"
        with contextlib.suppress(OSError, TypeError, ValueError, pa.ArrowException):
            content = pa.BufferReader(self._content(name))
            with pa.parquet.ParquetFile(content, page_checksum_verification=True) as file:
                present = {key: (file.metadata.metadata or {}).get(key) for key in _LABELS}
                if present == _labels(study, number, file.schema_arrow.names):
                    return file.read(columns=columns).replace_schema_metadata()
            why = "not the part of this study that its name says"
        raise StudyError(
            f"{name} in {self._name} must be intact; it is {why}. A run of the study computes"
            " this part again, to the same bytes; check the disk."
        )

    def table(self, columns: list[str] | None = None) -> Any:
        """All parts as one pandas frame, in order; None without parts."""
        pa, study = pyarrow(), manifest_text(self.manifest())
        tables = [self._read(number, study, columns) for number in self.parts()]
        if not tables:
            return None
        try:
            return pa.concat_tables(tables, promote_options="permissive").to_pandas()
        except pa.ArrowException as error:
            raise StudyError(
                "a statistic must be a number in every trial or text in every trial; the parts in"
                f" {self._name} differ: {format_value(str(error), 140)}. Return nan where there is"
                " no number."
            ) from error

    # -------------------------------------------------------------------------- the disk
    def _make(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise OutputError(
                "folder must be a folder that can be written to, or a new one that can be made;"
                f" {self._name}: {getattr(error, 'strerror', None) or error}. Name another."
            ) from error

    def _names(self) -> list[str]:
        try:
            return sorted(os.listdir(self.path))
        except OSError as error:
            raise StudyError(
                f"the folder of a study must be readable; {self._name}: {error.strerror}."
            ) from error

    def _content(self, name: str) -> Any:
        path = self.path / name
        if name == MANIFEST:
            return small_text(path, MANIFEST, "Restore it.", _LARGEST)
        if not path.is_file():
            raise OSError("a FIFO or a device is not opened")
        return path.read_bytes()

    def _write(self, name: str, content: str | bytes) -> None:
        write_whole(self.path / name, content)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


class Memory(Folder):
    """Where a study without a folder keeps its manifest and its parts."""

    def __init__(self) -> None:
        self.place, self._name, self._files = None, "memory", dict[str, Any]()

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        yield False

    @property
    def there(self) -> bool:
        return MANIFEST in self._files

    def _make(self) -> None:
        """There is nothing to make."""

    def _names(self) -> list[str]:
        return sorted(self._files)

    def _write(self, name: str, content: str | bytes) -> None:
        self._files[name] = content

    def _content(self, name: str) -> Any:
        return self._files[name]


def _difference(name: str, old: dict[str, Any], new: dict[str, Any]) -> str:
    if name == "design":
        return _WORDS[name]
    before, now = old.get(name), new[name]
    if name == "entropy":
        before, now = (item and item[0] for item in (before, now))
    if isinstance(before, list) and isinstance(now, list):
        parts = [x for x in before if x not in now], [x for x in now if x not in before]
        before, now = (", ".join(map(str, part[:2])) or None for part in parts)
    return f"{_WORDS[name]} ({format_value(before, 60)} v {format_value(now, 60)})"
