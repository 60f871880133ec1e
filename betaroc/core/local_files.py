"""Files that can be read: regular ones, and the standard input."""

from __future__ import annotations

import os
import re
import stat
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from betaroc.core.errors import FileFormatError, InputTypeError, ScoreFileNotFoundError, refusal
from betaroc.core.text import did_you_mean, format_value

#: What stands for the standard input, and how much of it is kept on disk.
STDIN, _SPOOLED = "-", 2**33
#: Bytes of a TOML file at most.
_LARGEST = 1_000_000


#: What a path may be that is no regular file.
_KINDS = {stat.S_IFDIR: "directory", stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket"}
_ONE_FILE = "Name one score file; a stream is read as the standard input, by the name '-'."


def regular_file(path: object, argument: str = "path", remedy: str = _ONE_FILE) -> Path:
    """The path of a file that can be read."""
    if not isinstance(path, str | bytes | os.PathLike):
        remedy = "Frames are read by Scores.from_frame, arrays by Scores.from_labels."
        kind = f"a {type(path).__name__}"
        raise refusal(argument, "be the path of a file", kind, remedy, InputTypeError)
    text = os.fsdecode(path)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", text):
        remedy = "Download it first: betaroc opens no connection."
        raise refusal(argument, "be a local file", f"the address {format_value(text)}", remedy,
                      FileFormatError)  # fmt: skip
    where = shown_path(text)
    try:
        kind = _KINDS.get(stat.S_IFMT(mode := os.stat(text).st_mode), "device")
    except FileNotFoundError as error:
        raise ScoreFileNotFoundError.about(argument)(
            f"{argument} must be an existing file; there is no {where}. {_neighbours(Path(text))}"
        ) from error
    except (OSError, ValueError) as error:
        reason = f"{where}: {getattr(error, 'strerror', error)}"
        raise refusal(
            argument, "be a readable file", reason, "Check the path.", FileFormatError
        ) from error
    if not stat.S_ISREG(mode):
        raise FileFormatError.about(argument)(
            f"{argument} must be a regular file; {where} is a {kind}. {remedy}"
        )
    return Path(text)


@contextmanager
def local_file(path: object, argument: str = "path") -> Iterator[tuple[Path, str]]:
    """A file that can be read, and its name in messages."""
    if not isinstance(path, str) or path != STDIN:
        local = regular_file(path, argument)
        yield local, format_value(local.name)
        return
    with TemporaryDirectory(prefix="betaroc-") as folder:
        local = Path(folder, "scores")
        _spool(local)
        yield local, "standard input"


def _spool(path: Path) -> None:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed or sys.stdin.isatty():
        raise FileFormatError(
            "standard input must be a file or a pipe; it is a terminal or closed. Pipe scores in."
        )
    with of_the_system("standard input"), path.open("wb") as file:
        while chunk := stream.read(2**20):
            if file.tell() + len(chunk) > _SPOOLED:
                most = f"{_SPOOLED >> 30} GiB; it is longer"
                raise FileFormatError(f"standard input must be at most {most}. Write it to a file.")
            file.write(chunk)
    if not path.stat().st_size:
        raise FileFormatError(
            "standard input must hold scores; it is empty (0 bytes). It can be read once a call."
        )


def shown_path(text: str, width: int = 60) -> str:
    """The path with repr, of a long one the end."""
    whole = repr(text)
    return whole if len(whole) <= width else f"'...{whole[-(width - 4) :]}"


def file_names(paths: Iterable[str]) -> dict[str, str]:
    """What documents call each file: its name, with folders where names are equal."""
    value = list(dict.fromkeys(paths))
    whole = {path: Path(os.path.abspath(path)).parts for path in value if path not in ("", STDIN)}
    folders = zip(*(own[:-1] for own in whole.values()), strict=False)
    shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, folders))
    below = {path: own[shared:] for path, own in whole.items()}
    ends = Counter(own[-n:] for own in set(below.values()) for n in range(1, len(own) + 1))

    def told(own: tuple[str, ...]) -> str:
        alone = (own[-n:] for n in range(1, len(own)) if ends[own[-n:]] == 1)
        return "/".join(next(alone, own))

    return {path: told(below[path]) if path in below else path for path in value}


def default_names(paths: Sequence[str]) -> list[str]:
    """The words in which the names of files differ, else their paths."""
    texts = [Path(path).stem for path in paths]
    if len(set(texts)) < len(paths):
        texts = [str(Path(os.path.abspath(path)).with_suffix("")) for path in paths]
    backwards = [text[::-1] for text in texts]
    common = map(os.path.commonprefix, (texts, backwards))
    start, end = (len(re.sub(r"[^-_. /]*$", "", text)) for text in common)
    names = [text[start : len(text) - end] for text in texts]
    if all(names) and len(set(names)) == len(names):
        return names
    whole = file_names(paths)
    return [whole[path] for path in paths]


def _neighbours(path: Path) -> str:
    """The nearest name in the same folder."""
    names: list[str] = []
    with suppress(OSError):  # of a folder that may not be listed only the hint is lost
        if not path.parent.is_dir():
            return f"Its folder does not exist either, seen from {shown_path(os.getcwd())}."
        names = os.listdir(path.parent)
    return did_you_mean(path.name, names, alike=0.8).strip() or "Check the name and the folder."


@contextmanager
def of_the_system(name: str) -> Iterator[None]:
    """Errors of the operating system as ours."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileFormatError | ImportError):
            raise
        reason = error.strerror or error
        raise FileFormatError(
            f"{name} must be readable; the system says: {reason}. Check the permissions."
        ) from error


def read_toml(path: object, argument: str, remedy: str) -> dict[str, Any]:
    """The tables of a TOML file."""
    text = small_text(path, argument, remedy)
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = format_value(str(error), 120)[1:-1]
        where = format_value(str(path))
        raise FileFormatError(f"{where} must be TOML; {reason}. Correct it.") from error


def small_text(path: object, argument: str, remedy: str, largest: int = _LARGEST) -> str:
    """The text of a file that is held as a whole."""
    local = regular_file(path, argument, remedy)
    where = shown_path(str(local))
    with of_the_system(where):
        size = local.stat().st_size
        if size > largest:
            raise FileFormatError(
                f"{argument} must have at most {largest} bytes; {where} has {size}. {remedy}"
            )
        try:
            return local.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise FileFormatError(
                f"{where} must be UTF-8; it is not at byte {error.start}. Save it as UTF-8."
            ) from error
