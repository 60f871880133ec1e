"""Score files that tests write."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def write(path: Path, client: Iterable[float], impostor: Iterable[float]) -> str:
    """A file of score and label, and its name."""
    rows = [(float(s), label) for label, side in ((1, client), (0, impostor)) for s in side]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{s!r},{label}\n" for s, label in rows)
    path.write_text(f"score,label\n{text}", encoding="utf-8")
    return str(path)
