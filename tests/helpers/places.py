"""Where the folders of the project are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "examples" / "data"
REFERENCES = ROOT / "tests" / "reference"
BENCHMARKS = ROOT / "benchmarks"
