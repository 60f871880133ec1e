"""Rewrites the JSON schema of all documents, one definition a line, from the classes."""

from __future__ import annotations

import json
from pathlib import Path

import betaroc
from betaroc.report.documents import schema

TARGET = Path(betaroc.__file__).parent / "report" / "schema.json"


def schema_text() -> str:
    """The schema as it stands in the package."""
    found = schema()
    definitions = ",\n".join(_lines(found.pop("$defs")))
    return "{\n" + ",\n".join(_lines(found)) + ',\n"$defs": {\n' + definitions + "\n}\n}\n"


def _lines(found: dict[str, object]) -> list[str]:
    return [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]


if __name__ == "__main__":
    TARGET.write_text(schema_text(), encoding="utf-8")
