"""The folder of a study: a manifest, one Parquet file a block, each there whole or not at all.

Each of them carries a checksum of all its bytes, and each part the manifest: a byte that changed
is noticed wherever it stands, and what is damaged made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

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
#: What a manifest of this layout calls itself.
_LAYOUT = 2
#: Where a part keeps its study, its number, and the checksum of its bytes with zeros in its place.
_STUDY, _NUMBER, _SEAL = b"betaroc.study", b"betaroc.part", b"betaroc.sha256"
#: The checksum of a manifest, as of the text without it.
_SEALED = "sha256"
_OPEN_SEAL = b"0" * 64
#: As Parquet writes text of 64 bytes behind its key.
_SEAL_HEAD = _SEAL + b"\x18\x40"


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


def as_parquet(
    columns: Mapping[str, tuple[type[Any] | None, list[Any]]], study: str = "", number: int = 0
) -> bytes:
    """A part of a study as the bytes of a file, the same for the same columns."""
    pa = pyarrow()
    kinds = {float: pa.float64(), int: pa.int64(), str: pa.string(), bool: pa.bool_()}
    table = pa.table({
        name: pa.array(values, kinds[kind] if kind else pa.null(), from_pandas=False)
        for name, (kind, values) in columns.items()
    })  # fmt: skip
    said = {_STUDY: study.encode(), _NUMBER: b"%d" % number, _SEAL: _OPEN_SEAL}
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(
        table.replace_schema_metadata(said), sink, compression="zstd", write_page_checksum=True
    )
    content = bytes(sink.getvalue())
    return _with_seal(content, hashlib.sha256(content).hexdigest().encode())


def _with_seal(content: bytes, seal: bytes) -> bytes:
    """A part with another checksum."""
    at = content.rindex(_SEAL_HEAD) + len(_SEAL_HEAD)
    return content[:at] + seal + content[at + len(seal) :]


def is_sealed(content: bytes) -> bool:
    """Whether the checksum of a part is that of its bytes."""
    _, found, rest = content.rpartition(_SEAL_HEAD)
    seal = rest[: len(_OPEN_SEAL)]
    if not found or len(seal) < len(_OPEN_SEAL):
        return False
    opened = hashlib.sha256(_with_seal(content, _OPEN_SEAL))
    return opened.hexdigest().encode() == seal


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

    # --------------------------------------------------------------------- whose it is
    def claim(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Make the folder this study's, or find that it is; the manifest that holds.

        What a fresh manifest leaves open (entropy and block None) an older one decides.
        """
        self._make()
        others = [
            name for name in self._names()
            if name != MANIFEST and not _PART.fullmatch(name) and not name.startswith(".")
        ]  # fmt: skip
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
        if not (self.path / MANIFEST).exists():
            raise StudyError(
                f"the folder of a study must have a {MANIFEST}; {self._name} has none. Name the"
                " folder that Study(..., folder=...) was given."
            )
        try:
            text = small_text(self.path / MANIFEST, MANIFEST, "Restore it.", _LARGEST)
            found: Any = json.loads(text)
        except RecursionError as error:
            raise self._unreadable("it is nested too deep") from error
        except (OSError, ValueError) as error:
            raise self._unreadable(f"it is not: {shown(str(error), 100)}") from error
        layout = found.get("layout") if isinstance(found, dict) else None
        if layout != _LAYOUT:
            raise StudyError(
                f"{MANIFEST} in {self._name} must be of layout {_LAYOUT}, which this version"
                " writes; it is not. Read it with the version that wrote it."
            )
        seal = found.pop(_SEALED, None)
        whole = {"entropy", *_WORDS} <= set(found) and text == manifest_text(found)
        if not whole or not all(type(found[k]) is int and found[k] > 0 for k in _COUNTS):
            raise self._unreadable(f"its checksum {shown(seal, 12)} is not that of its content")
        count = -(-found["cells"] * found["replicates"] // found["block"])
        strangers = [k for k in self.parts() if k >= count]
        if strangers:  # which would be read with the others
            raise StudyError(
                f"{self._name} must hold no parts but the {count} of its study;"
                f" {_part(strangers[0])} is none of them. Move it away."
            )
        return dict(found)

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
            said = "; ".join(_said(name, old, new) for name in differing)
            raise StudyError(
                f"{self._name} holds another study, nothing is touched; what differs, there and"
                f" here: {said}. Name a new folder, or ask for the same study."
            )

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """One run at a time, if it can be had; released by the system when the process ends."""
        from filelock import FileLock, Timeout

        pyarrow()
        self._make()
        with contextlib.ExitStack() as held:
            locked = True
            try:
                held.enter_context(FileLock(self.path / _LOCK, timeout=0.0))
                held.callback(self._without_lock_file)
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

    def _without_lock_file(self) -> None:
        """Gone before it is released; where open files cannot go, filelock removes it after."""
        with contextlib.suppress(OSError):
            (self.path / _LOCK).unlink()

    # --------------------------------------------------------------------------- parts
    def parts(self) -> list[int]:
        """Numbers of the parts that are there."""
        found = (_PART.fullmatch(name) for name in self._names())
        return sorted(int(one[1]) for one in found if one)

    def write_part(self, number: int, content: Any) -> None:
        """Put a part in place."""
        self._write(_part(number), content)

    def intact(self, number: int, study: str) -> bool:
        """Whether a part is whole and of this study; one that is not is told."""
        content = self._content(number)
        if content is not None:
            pa = pyarrow()
            with (
                contextlib.suppress(pa.ArrowException, OSError),  # sealed by somebody else
                pa.parquet.ParquetFile(pa.BufferReader(content)) as file,
            ):
                labels = file.metadata.metadata or {}
                if (labels.get(_STUDY), labels.get(_NUMBER)) == (study.encode(), b"%d" % number):
                    return True
        path = self.path / _part(number)
        what = "damaged" if content is None else "not the part of this study that its name says"
        warn(
            f"{shown(path.name)} in {self._name} is {what} ({path.stat().st_size} bytes), and is"
            " computed again: its seeds give the same numbers. Check the disk.",
            BetarocWarning,
        )
        return False

    def _content(self, number: int) -> bytes | None:
        """The bytes of a part whose checksum is right."""
        try:
            content = (self.path / _part(number)).read_bytes()
        except OSError:
            return None
        return content if is_sealed(content) else None

    def table(self, columns: list[str] | None = None) -> Any:
        """All parts as one frame of pandas, in order; None where there are none."""
        pa = pyarrow()
        tables = []
        most = self.manifest()["block"]
        for number in self.parts():
            content = self._content(number)
            if content is None:
                raise StudyError(
                    f"{_part(number)} in {self._name} must be intact; it is damaged: its checksum"
                    " is not that of its bytes. Run the study again: it computes this part alone,"
                    " to the same bytes."
                )
            try:
                with pa.parquet.ParquetFile(pa.BufferReader(content)) as file:
                    if file.metadata.num_rows > most:
                        raise OSError(f"it has {file.metadata.num_rows} rows")
                    tables.append(file.read(columns=columns).replace_schema_metadata())
            except (pa.ArrowException, OSError) as error:
                raise StudyError(
                    f"{_part(number)} in {self._name} must be Parquet; {shown(str(error), 100)}."
                    " Delete it and run the study again."
                ) from error
        if not tables:
            return None
        try:
            return pa.concat_tables(tables, promote_options="permissive").to_pandas()
        except pa.ArrowException as error:
            raise _two_kinds(f"in {self._name} differ: {shown(str(error), 140)}") from error

    # -------------------------------------------------------------------------- the disk
    @property
    def _name(self) -> str:
        return shown(str(self.path))

    def _make(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise OutputError(
                f"folder must be a folder, or a new one that can be made; {self._name}:"
                f" {getattr(error, 'strerror', None) or error}. Name another."
            ) from error
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise OutputError(
                f"folder must be one that can be written to; {self._name} is write-protected. Name"
                " another, or change its permissions."
            )

    def _names(self) -> list[str]:
        try:
            with os.scandir(self.path) as entries:
                found = {entry.name: entry.is_file() for entry in entries}
        except OSError as error:
            raise StudyError(
                f"the folder of a study must be readable; {self._name}: {error.strerror}."
            ) from error
        own = [name for name in found if name == MANIFEST or _PART.fullmatch(name)]
        strange = sorted(name for name in own if not found[name])
        if strange:
            raise StudyError(
                f"the files of a study must be regular ones; {shown(strange[0])} in {self._name} is"
                " a folder, a FIFO or a device. Move it away."
            )
        return sorted(found)

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
                with contextlib.suppress(OSError):
                    (self.path / name).unlink()


class Memory:
    """What a study computes where no folder keeps it: the columns of its parts, by number."""

    there, path = False, None

    def __init__(self) -> None:
        self._parts: dict[int, Mapping[str, tuple[type[Any] | None, list[Any]]]] = {}
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
        kinds = {name: {part[name][0] for part in parts if name in part} - {None} for name in names}
        for name, kind in kinds.items():
            if str in kind and len(kind) > 1:
                raise _two_kinds(f"have text and numbers in {shown(name)}")
        frames = [
            pd.DataFrame({
                name: pd.Series(values, dtype=float if float in kinds[name] else None)
                for name, (_, values) in part.items() if columns is None or name in columns
            }) for part in parts
        ]  # fmt: skip
        return pd.concat(frames, ignore_index=True) if frames else None


def _two_kinds(what: str) -> StudyError:
    return StudyError(
        "a statistic must be a number in every trial or text in every trial; the parts"
        f" {what}. Return nan where there is no number."
    )


#: What tells studies apart, in words; of those that are open, None asks for what is there.
_WORDS = {
    "names": "parameters", "design": "levels", "cells": "number of cells",
    "replicates": "replicates", "statistics": "statistics", "model": "model", "entropy": "seed",
    "block": "block",
    "python": "version of Python", "betaroc": "version of betaroc", "numpy": "version of numpy",
    "scipy": "version of scipy",
}  # fmt: skip
_OPEN = ("entropy", "block")
_COUNTS = ("cells", "replicates", "block")


def new_manifest(**content: Any) -> dict[str, Any]:
    """A manifest of this layout."""
    return {"layout": _LAYOUT, **content}


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """A manifest as it is written, with its checksum."""
    seal = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
    return json.dumps({**manifest, _SEALED: seal}, indent=1, sort_keys=True) + "\n"


def _said(name: str, old: dict[str, Any], new: dict[str, Any]) -> str:
    """What differs, of lists each item, of a design the parameters; digests say nothing."""
    there, here = old.get(name), new[name]
    if name == "design":
        return _said_of_levels(old.get("levels"), new["levels"])
    if name in ("names", "statistics"):
        return f"{_WORDS[name]}{_said_of_lists(there, here)}"
    if isinstance(there, list) and isinstance(here, list):
        there, here = (" ".join(map(str, one[0])) for one in (there, here))
    return f"{_WORDS[name]} ({shown(there, 24)} v {shown(here, 24)})"


def _said_of_levels(there: Any, here: dict[str, str]) -> str:
    if not isinstance(there, dict):
        return "levels"
    changed = [name for name in here if name in there and there[name] != here[name]]
    return f"levels of {listed(changed, 4)}" if changed else "cells, of which the order counts"


def _said_of_lists(there: Any, here: list[str]) -> str:
    """Items are names, or names and what is computed after a colon."""
    if not isinstance(there, list):
        return ""
    old, new = (dict(one.rpartition(": ")[::2] if ": " in one else (one, one) for one in items)
                for items in (there, here))  # fmt: skip
    said = []
    missing = [name for name in new if name not in old]
    if missing:
        said.append(f"{listed(missing, 2, 60)} {_are(missing)} not in it")
    surplus = [name for name in old if name not in new]
    if surplus:
        said.append(f"{listed(surplus, 2, 60)} {_are(surplus)} in it and not asked for")
    for name in [name for name in new if old.get(name, new[name]) != new[name]][:2]:
        kinds = [one[name].rpartition(" ")[0] for one in (old, new)]
        words = f"is {old[name]} in it, {new[name]} here"
        if kinds[0] == kinds[1] != "":
            words = f"is {kinds[0]} in it too, with other code or values"
        said.append(f"{shown(name)} {words}")
    return ": " + ", ".join(said) if said else " (their order)"


def _are(items: list[str]) -> str:
    return "is" if len(items) == 1 else "are"
