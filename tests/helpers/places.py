"""Where the folders of the project are."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "examples" / "data"
REFERENCES = ROOT / "tests" / "reference"
BENCHMARKS = ROOT / "benchmarks"


def benchmark(name: str) -> ModuleType:
    """A script of the benchmarks, which finds its neighbours."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


def script(path: Path) -> ModuleType:
    """A script of the project as a module."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
