"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from betaroc.core.errors import InputError, InputTypeError, OutputError
from betaroc.core.text import shown


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, beside the target, then put them in place in one step.

    Whatever goes wrong, what was there before is untouched.
    """
    target = checked_target(path)
    beside = target.parent / f".betaroc-{secrets.token_hex(8)}.tmp"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(beside, target.stat().st_mode & 0o777)
        os.replace(beside, target)
    except OSError as error:
        raise OutputError(
            f"the output must be writable; {shown(str(path))}: {error.strerror or error}. What was"
            " there before is untouched. Name a file in a folder that exists and has room."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def page_target(path: str | os.PathLike[str]) -> Path:
    """The same for a page, which is HTML and called so, or has no suffix."""
    target = checked_target(path)
    if target.suffix.lower() not in ("", ".html", ".htm"):
        raise InputError.about("path")(
            f"path must end in .html or .htm: the page is HTML; got {shown(str(path))}. Name it so."
        )
    return target


def checked_target(path: str | os.PathLike[str]) -> Path:
    """The file that a path means, if one can be written there."""
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError.about("path")(
            f"path must be the path of a file; got {shown(path)} of type {type(path).__name__}."
            " Pass text or a pathlib.Path."
        )
    try:
        target = Path(os.fsdecode(os.fspath(path))).resolve()
        exists, regular = target.exists(), target.is_file()
    except (OSError, RuntimeError, ValueError) as error:  # loops of links, NUL, endless names
        raise OutputError(
            f"the output must be a path of this system; got {shown(str(path))}:"
            f" {getattr(error, 'strerror', None) or error}. Name another file."
        ) from error
    if not target.parent.is_dir():
        raise OutputError(
            f"the output must be in a folder that exists; {shown(str(path))} is in none."
            " Make the folder or name another."
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(
            f"the output must be in a folder that can be written to; that of {shown(str(path))} is"
            " write-protected. Name a file in another, or change its permissions."
        )
    if exists and not (regular and os.access(target, os.W_OK)):
        what = "is write-protected" if regular else "is a folder, a FIFO or a device"
        raise OutputError(
            f"the output must be a regular file or a new one; {shown(str(path))} {what}."
            " Name another file."
        )
    return target
