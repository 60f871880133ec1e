"""Where the folders of the project are."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "examples" / "data"
REFERENCES = ROOT / "tests" / "reference"
BENCHMARKS = ROOT / "benchmarks"


def benchmark(name):
    """A script of the benchmarks, which finds its neighbours."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


def script(path):
    """A script of the project as a module."""
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
