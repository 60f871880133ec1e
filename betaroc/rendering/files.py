"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from betaroc.core.errors import InputTypeError, OutputError, refusal
from betaroc.core.text import format_value, typed


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
        value = f"{format_value(str(path))}: {error.strerror or error}"
        remedy = "What was there before is untouched. Name a file in a folder that has room."
        raise refusal("the output", "be writable", value, remedy, OutputError) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def page_target(path: str | os.PathLike[str]) -> Path:
    """The same for a page, which is HTML and called so, or has no suffix."""
    target = checked_target(path)
    if target.suffix.lower() not in ("", ".html", ".htm"):
        rule = "end in .html or .htm: the page is HTML"
        raise refusal("path", rule, format_value(str(path)), "Name it so.")
    return target


def checked_target(path: str | os.PathLike[str]) -> Path:
    """The file that a path means, if one can be written there."""
    if not isinstance(path, str | os.PathLike):
        remedy = "Pass text or a pathlib.Path."
        raise refusal("path", "be the path of a file", typed(path), remedy, InputTypeError)
    rule, value, remedy = "", format_value(str(path)), "Name another file."
    try:
        target = Path(os.fsdecode(os.fspath(path))).resolve()
        exists, regular = target.exists(), target.is_file()
    except (OSError, RuntimeError, ValueError) as error:  # loops of links, NUL, endless names
        value += f": {getattr(error, 'strerror', None) or error}"
        rule = "be a path of this system"
        raise refusal("the output", rule, value, remedy, OutputError) from error
    if not target.parent.is_dir():
        rule, remedy = "be in a folder that exists", "Make the folder or name another."
    elif not os.access(target.parent, os.W_OK | os.X_OK):
        rule, value = "be in a folder that can be written to", f"{value} in a write-protected one"
        remedy = "Name a file in another, or change its permissions."
    elif exists and not regular:
        rule, value = "be a regular file or a new one", f"{value}, which is a folder or a device"
    elif exists and not os.access(target, os.W_OK):
        rule, value = "be a file that can be written to", f"{value}, which is write-protected"
    if rule:
        raise refusal("the output", rule, value, remedy, OutputError)
    return target
