"""The house rules that a machine can check: imports, layers, sizes, commands, data, versions."""

from __future__ import annotations

import ast
import graphlib
import importlib
import inspect
import itertools
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import betaroc

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "betaroc"
DATA = ROOT / "examples" / "data"

INSTALL_AND_RUN = (
    "python -m pip install . && betaroc report"
    " --dev examples/data/liveness_cross_logreg/dev.csv"
    " --test examples/data/liveness_cross_logreg/test_sharpen0.40.csv -o report.html"
)
INSTALL_AND_TEST = 'python -m pip install ".[test]" && python -m pytest -n auto'

# Bottom to top; a name stands for the module and all below it. A module imports from lower layers,
# and from its own layer as long as no circle arises.
LAYERS = (
    ("betaroc.alpha_words", "betaroc.errors", "betaroc._words"),
    ("betaroc.notices",),
    ("betaroc._checks", "betaroc._containers", "betaroc._thresholds", "betaroc._value"),
    ("betaroc.intervals",),
    ("betaroc._frames", "betaroc._labels", "betaroc._layout", "betaroc._names"),
    ("betaroc._engines", "betaroc._polygamma", "betaroc._special", "betaroc._sums"),
    ("betaroc._columns", "betaroc._streams"),
    ("betaroc._one_pass",),
    ("betaroc.distributions",),
    ("betaroc.measures",),
    ("betaroc.decisions", "betaroc.ends", "betaroc.hull"),
    ("betaroc.h_measure", "betaroc.posterior", "betaroc.ranking", "betaroc.roc"),
    ("betaroc.curves", "betaroc.roc_crossings"),
    ("betaroc.model",),
    ("betaroc.scores", "betaroc.summary"),
    ("betaroc.resampling", "betaroc.grouping"),
    ("betaroc.scores_beyond",),
    ("betaroc.epc_support",),
    ("betaroc.pair_solving", "betaroc.samples"),
    ("betaroc.empirical_choice", "betaroc.smooth_choice"),
    ("betaroc.criteria",),
    ("betaroc.side_checks",),
    ("betaroc.expected_performance",),
    ("betaroc.averages",),
    (
        "betaroc.parameter_errors",
        "betaroc.small_samples",
        "betaroc.threshold_error",
        "betaroc.delta_bands",
    ),
    ("betaroc.paired_trials", "betaroc.rate_errors", "betaroc.sides"),
    ("betaroc.bands",),
    (
        "betaroc.auc_intervals",
        "betaroc.calibration",
        "betaroc.fit_intervals",
        "betaroc.hooks",
    ),
    ("betaroc._parquet", "betaroc._rows", "betaroc._textfiles", "betaroc.io"),
    ("betaroc.fitting",),
    ("betaroc.drawn_trials", "betaroc.simultaneous"),
    ("betaroc.resample_fit", "betaroc.resample_threshold"),
    ("betaroc.comparison_draws", "betaroc.comparison_words"),
    ("betaroc.comparison",),
    ("betaroc.shape_tests", "betaroc.tie_tests"),
    ("betaroc.beta_regression", "betaroc.designs", "betaroc.term_tests"),
    ("betaroc.covariates",),
    ("betaroc.batch_statistics", "betaroc._system_sums", "betaroc.many_fits"),
    ("betaroc.refits", "betaroc.nested", "betaroc.target_checks"),
    ("betaroc.adequacy", "betaroc.cross_validation", "betaroc.forecast", "betaroc.guarantee"),
    ("betaroc.audit", "betaroc.family_choice", "betaroc.family_folds"),
    ("betaroc.expected_fits", "betaroc.plan_goals", "betaroc.planning"),
    ("betaroc.analysis",),
    ("betaroc.study",),
    ("betaroc.ensemble",),
    ("betaroc.plot",),
    ("betaroc.report",),
    ("betaroc._arguments", "betaroc._inputs"),
    ("betaroc.cli",),
    ("betaroc.__main__",),
)

# (module, function, module above): methods of at most two statements that only delegate.
DELEGATES = {
    ("betaroc.fitting.estimate", "_best", "betaroc.family_choice"),
    ("betaroc.fitting.result", "plot", "betaroc.plot"),
    ("betaroc.fitting.result", "curve_test", "betaroc.shape_tests"),
    ("betaroc.fitting.result", "end_tests", "betaroc.shape_tests"),
    ("betaroc.fitting.result", "sensitivity", "betaroc.audit"),
    ("betaroc.fitting.result", "shape_probabilities", "betaroc.shape_tests"),
    ("betaroc.comparison", "plot", "betaroc.plot"),
    ("betaroc.curves", "plot", "betaroc.plot"),
    ("betaroc.expected_performance", "band", "betaroc.bands"),
    ("betaroc.ensemble.result", "plot", "betaroc.plot"),
    ("betaroc.expected_performance", "plot", "betaroc.plot"),
    ("betaroc.model", "sample", "betaroc.samples"),
    ("betaroc.roc", "crossings", "betaroc.roc_crossings"),
    ("betaroc.roc", "plot", "betaroc.plot"),
    ("betaroc.analysis", "to_html", "betaroc.report"),
}


# ------------------------------------------------------------------ the import graph
Function = ast.FunctionDef


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def layer(module: str) -> int | None:
    for number, names in enumerate(LAYERS):
        if any(module == name or module.startswith(f"{name}.") for name in names):
            return number
    return None


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def imports(
    node: ast.AST, function: Function | None = None
) -> Iterator[tuple[str, Function | None]]:
    """Every module of the package imported at run time, and the function that does it."""
    if is_type_checking(node):
        return
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "betaroc":
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            yield (whole if whole in MODULES else str(node.module)), function
    elif isinstance(node, ast.Import):
        yield from ((a.name, function) for a in node.names if a.name.split(".")[0] == "betaroc")
    if isinstance(node, Function):
        function = node
    for child in ast.iter_child_nodes(node):
        yield from imports(child, function)


def delegates(module: str, target: str, function: Function | None) -> bool:
    """Whether the import stands in a listed method of at most two statements."""
    if function is None:
        return False
    statements = len(function.body) - (ast.get_docstring(function) is not None)
    above = (target, target.rpartition(".")[0])
    return statements <= 2 and any((module, function.name, name) in DELEGATES for name in above)


def edges() -> Iterator[tuple[str, str, Function | None]]:
    for module, path in MODULES.items():
        if module != "betaroc":  # the table of public names points everywhere
            for target, function in imports(ast.parse(path.read_text(encoding="utf-8"))):
                yield module, target, function


def test_every_module_has_a_layer() -> None:
    assert [m for m in MODULES if m != "betaroc" and layer(m) is None] == []


def test_imports_go_strictly_downwards() -> None:
    graph: dict[str, set[str]] = {}
    upward = []
    for module, target, function in edges():
        here, there = layer(module), layer(target)
        if here is None:
            continue  # the test above names it
        if there is not None and there <= here:
            graph.setdefault(module, set()).add(target)
        elif not delegates(module, target, function):
            upward.append(f"{module} imports {target}")
    assert upward == []
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError with the circle


def test_nothing_but_plot_imports_matplotlib() -> None:
    guilty = [
        module
        for module, path in MODULES.items()
        if not module.startswith("betaroc.plot")
        and re.search(r"^\s*(import|from) matplotlib", path.read_text(encoding="utf-8"), re.M)
    ]
    assert guilty == []


def test_importing_betaroc_loads_nothing_heavy() -> None:
    code = (
        "import sys, betaroc\n"
        "heavy = {'scipy', 'matplotlib', 'pandas', 'statsmodels', 'narwhals', 'jinja2', 'tqdm'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=Path(betaroc.__file__).parents[1],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, f"loaded: {result.stderr}"


# ------------------------------------------------------------------ the public surface
@pytest.mark.parametrize("name", betaroc.__all__)
def test_public_name_exists_and_says_what_it_is(name: str) -> None:
    value = getattr(betaroc, name)
    assert name in dir(betaroc)
    assert name.startswith("__") or value.__doc__


def test_public_names_are_stated_once() -> None:
    assert len(set(betaroc.__all__)) == len(betaroc.__all__)


# No example of their own: they draw, write a file, serve other modules, or stand in another's.
NO_EXAMPLE = {
    "Analysis",
    "Analysis.summary",
    "Analysis.to_dict",
    "Analysis.to_html",
    "Analysis.to_json",
    "Binned.counts_above",
    "Binned.counts_at_most",
    "Comparison.plot",
    "Det.plot",
    "Empirical.counts_above",
    "Empirical.counts_at_most",
    "Epc.plot",
    "Inclusion.plot",
    "PrecisionRecall.plot",
    "Roc.plot",
}

# Classes that public functions return although nobody makes them by hand.
RETURNED = (
    "betaroc.curves.Det",
    "betaroc.curves.PrecisionRecall",
    "betaroc.ends.End",
    "betaroc.ends.Ends",
    "betaroc.ends.SemiDerivatives",
    "betaroc.forecast.DevSize",
    "betaroc.roc.RocHull",
    "betaroc.roc_crossings.RocCrossings",
)


def public_objects() -> Iterator[tuple[str, Any]]:
    """Every public class with its methods and properties, every public function."""
    named = [(name, getattr(betaroc, name)) for name in betaroc.__all__]
    for path in RETURNED:
        module, _, name = path.rpartition(".")
        named.append((name, getattr(importlib.import_module(module), name)))
    for name, value in named:
        if not name.startswith("__"):
            yield name, value
        if inspect.isclass(value) and not issubclass(value, Exception | Enum):
            for member in sorted(m for m in dir(value) if not m.startswith("_")):
                raw = inspect.getattr_static(value, member)
                ours = isinstance(raw, property | cached_property) or (
                    getattr(getattr(value, member), "__module__", None) or ""
                ).startswith("betaroc")
                if ours and not inspect.isclass(raw):
                    yield f"{name}.{member}", raw


OBJECTS = dict(public_objects())


def is_callable(value: Any) -> bool:
    """Whether its arguments are ours to name: no property, no enum, no error."""
    if inspect.isclass(value):
        return not issubclass(value, Exception | Enum)
    return isinstance(value, FunctionType | classmethod)


def section(value: Any, title: str) -> list[str]:
    """The lines of one section of a numpydoc docstring."""
    lines = inspect.cleandoc(value.__doc__ or "").splitlines()
    starts = [k for k in range(len(lines) - 1) if re.fullmatch("---+", lines[k + 1])]
    for start, end in itertools.pairwise([*starts, len(lines)]):
        if lines[start] == title:
            return lines[start + 2 : end]
    return []


@pytest.mark.parametrize("name", OBJECTS)
def test_public_docstring_exists(name: str) -> None:
    assert inspect.cleandoc(OBJECTS[name].__doc__ or "")


@pytest.mark.parametrize("name", [n for n, v in OBJECTS.items() if is_callable(v)])
def test_public_docstring_names_the_parameters(name: str) -> None:
    value = OBJECTS[name]
    function = value.__func__ if isinstance(value, classmethod) else value
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    taken = [
        stars.get(parameter.kind, "") + parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name not in {"self", "cls", "_cls"}
    ]
    heads = [line.partition(" : ")[0] for line in section(value, "Parameters") if line[:1].strip()]
    documented = [parameter for head in heads for parameter in head.split(", ")]
    assert sorted(documented) == sorted(taken)


@pytest.mark.parametrize(
    "name", [n for n, v in OBJECTS.items() if is_callable(v) and n not in NO_EXAMPLE]
)
def test_public_docstring_has_an_example(name: str) -> None:
    assert any(line.startswith(">>> ") for line in section(OBJECTS[name], "Examples"))


def test_list_of_docstrings_without_example_is_short() -> None:
    assert {name for name in NO_EXAMPLE if section(OBJECTS[name], "Examples")} == set()


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        betaroc.no_such_name  # noqa: B018


def test_only_public_names_are_listed() -> None:
    shown = {name for name in dir(betaroc) if not name.startswith("__")}
    assert shown == {*betaroc.__all__, "errors"}


def test_a_warning_names_the_line_of_a_neighbour_called_alike() -> None:
    """A user's folder `betaroc_study` beside the package is not the package."""
    script = Path(betaroc.__file__).parent.with_name("betaroc_study") / "run.py"
    code = compile("betaroc.Scores([0.1] * 3, numpy.float16([0.2]))", str(script), "exec")
    with pytest.warns(betaroc.PrecisionWarning) as caught:
        exec(code, {"betaroc": betaroc, "numpy": importlib.import_module("numpy")})
    assert caught[0].filename == str(script)


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert betaroc.__version__ == project["version"]
    assert re.search(rf"^version: {re.escape(project['version'])}$", citation, re.M)
    assert f"## [{project['version']}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


# ------------------------------------------------------------------ files
def docstring_lines(tree: ast.AST) -> int:
    total = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node):
            text = node.body[0]
            total += (text.end_lineno or text.lineno) - text.lineno + 1
    return total


@pytest.mark.parametrize("module", MODULES)
def test_a_file_holds_one_concept(module: str) -> None:
    source = MODULES[module].read_text(encoding="utf-8")
    assert len(source.splitlines()) - docstring_lines(ast.parse(source)) <= 450


TEXT = {".py", ".md", ".toml", ".cff", ".yaml", ".json", ".j2", ".txt", ".csv", ".svg", ""}


def project_files() -> Iterator[Path]:
    for top in ("benchmarks", "betaroc", "docs", "examples", "tests", ".ci"):
        for path in (ROOT / top).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.suffix in TEXT)


def test_no_path_of_a_machine_is_mentioned() -> None:
    home = re.compile(r"(?<![\w.])/(?:home|Users|root|work|workspace|mnt)/|[A-Z]:\\Users", re.A)
    guilty = [
        path.relative_to(ROOT).as_posix()
        for path in project_files()
        if path.suffix in TEXT
        and path != Path(__file__)
        and home.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert guilty == []


def test_package_data_is_there() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert list(PACKAGE.rglob("*.j2"))


# ------------------------------------------------------------------ README and .ci/run
def test_readme_gives_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert INSTALL_AND_RUN in readme
    assert INSTALL_AND_TEST in readme


def test_ci_runs_the_readme_test_command() -> None:
    assert INSTALL_AND_TEST in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_readme_main_job_runs(tmp_path: Path) -> None:
    words = shlex.split(INSTALL_AND_RUN.split(" && ")[1])
    words = [str(ROOT / word) if word.startswith("examples/") else word for word in words]
    words[-1] = str(tmp_path / words[-1])
    result = subprocess.run(
        [sys.executable, "-W", "error", "-m", *words],
        cwd=Path(betaroc.__file__).parents[1],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    page = Path(words[-1]).read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")
    assert "<svg" in page


# ------------------------------------------------------------------ the score sets
def test_score_sets_are_small() -> None:
    assert sum(p.stat().st_size for p in DATA.rglob("*") if p.is_file()) <= 1_500_000


@pytest.mark.parametrize("folder", sorted(p.name for p in DATA.iterdir() if p.is_dir()))
def test_each_score_set_has_its_source_and_licence(folder: str) -> None:
    source = (DATA / folder / "SOURCE.md").read_text(encoding="utf-8")
    assert "Origin:" in source
    licence = re.search(r"^Licence: (.*)", source, re.M)
    assert licence
    if "UPSTREAM-LICENSE.txt" in source:
        assert (DATA / folder / "UPSTREAM-LICENSE.txt").is_file()
    assert list((DATA / folder).glob("*.csv*"))
