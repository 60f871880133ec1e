"""The house rules that a machine can check: imports, layers, sizes, commands, data, versions."""

from __future__ import annotations

import ast
import dataclasses
import graphlib
import importlib
import inspect
import itertools
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType

import pytest

import betaroc
import betaroc.sklearn as doors
from betaroc.cli import main
from betaroc.data import datasets
from betaroc.model.statistics import POINTS, SETTINGS
from helpers import house
from helpers.places import DATA, ROOT, script
from helpers.public import PUBLIC

PACKAGE = ROOT / "betaroc"

INSTALL_AND_RUN = (
    "python -m pip install . && betaroc report"
    " --dev examples/data/asvspoof19_asv/dev.csv.gz"
    " --test examples/data/asvspoof19_asv/eval.csv.gz --target far=0.01 -o report.html --force"
)
INSTALL_AND_TEST = 'python -m pip install ".[test]" && python -m pytest -n auto --dist loadfile'

ROOMS, MODULES, room = house.ROOMS, house.MODULES, house.room
MOST_LINES = 800


def test_nothing_lies_loose_and_nothing_but_rendering_imports_matplotlib():
    files = {"__init__.py", "__main__.py", "datasets.py", "errors.py", "py.typed", "results.py"}
    assert {path.name for path in PACKAGE.glob("*") if path.is_file()} == files
    folders = {path.name for path in PACKAGE.iterdir() if list(path.glob("*.py"))}
    assert folders <= set(ROOMS)
    guilty = [
        module
        for module, path in MODULES.items()
        if not module.startswith("betaroc.rendering.")
        and re.search(r"^\s*(import|from) matplotlib", path.read_text(encoding="utf-8"), re.M)
    ]
    assert guilty == []


@pytest.mark.simulation
def test_imports_are_declared_go_down_the_rooms_and_no_filter_of_warnings_is_set():
    doors = {m for m, path in MODULES.items() if path.name == "__init__.py"}
    graph = {}
    for found in house.imports():
        assert ROOMS.index(room(found.target)) <= ROOMS.index(room(found.module)), found
        assert not found.lazy, found
        assert found.module not in doors, found
        graph.setdefault(found.module, set()).add(found.target)
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError with the circle
    declared = {re.split(r"[^\w-]", text)[0] for text in requirements()}
    declared |= {"betaroc", "markupsafe", "sklearn"}  # the second is a part of jinja2
    nodes = [node for module in MODULES for node, *_ in house.statements(module)]
    found = {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
    found |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    roots = {name.partition(".")[0] for name in found} - set(sys.stdlib_module_names)
    assert roots - declared == set()
    names = {"catch_warnings", "filterwarnings", "simplefilter", "resetwarnings"}
    for module, path in MODULES.items():
        if any(name in path.read_text(encoding="utf-8") for name in names):  # in docstrings, say
            tree = ast.walk(house.tree(module))
            used = {getattr(node, "attr", getattr(node, "id", None)) for node in tree}
            assert used & names == set(), module


@pytest.mark.simulation
def test_importing_betaroc_loads_nothing_heavy_and_modules_pass_on_what_the_rooms_have():
    code = (
        "import sys, betaroc, betaroc.sklearn, betaroc.errors, betaroc.datasets\n"
        "assert 'betaroc.fits.fit' not in sys.modules\n"
        "from betaroc.results import Decision\n"
        "from betaroc.core.errors import InputError\n"
        "assert betaroc.errors.InputError is betaroc.InputError is InputError\n"
        "assert betaroc.Decision is Decision and betaroc.results.Decision is Decision\n"
        "heavy = {'scipy', 'matplotlib', 'pandas', 'statsmodels', 'narwhals', 'jinja2', 'tqdm',\n"
        "         'formulaic', 'filelock', 'shtab', 'sklearn'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    call = [sys.executable, "-W", "error", "-c", code]
    result = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, f"loaded: {result.stderr}"


#: Of what the inner loop does not run.
BUILDERS = {  # of the site, which no test builds; it was with the versions of their bounds
    "myst-parser", "numpydoc", "pydata-sphinx-theme", "sphinx", "sphinx-copybutton",
    "sphinx-design", "sphinx-gallery",
}  # fmt: skip
UNTRIED = {"betaroc", "mypy", "pyspark", "ruff", *BUILDERS}


@cache
def project():
    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))


def requirements():
    own = project()["project"]
    return [*own["dependencies"], *itertools.chain(*own["optional-dependencies"].values())]


def test_bounds_are_the_versions_that_were_tried():
    parts = re.compile(r"([\w-]+)(?:\[.*\])?(?:>=([\d.]+))?")
    bounds = {found[1]: found[2] for found in map(parts.fullmatch, requirements()) if found}
    assert len(bounds) == len({text.partition("[")[0] for text in requirements()})
    lines = (ROOT / "tests" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    tried = {name.partition("[")[0]: version for name, version in pairs}
    assert bounds.keys() - UNTRIED <= tried.keys()
    for name in bounds.keys() - UNTRIED:
        low, version = (text.split(".") for text in (bounds[name], tried[name]))
        assert version[: len(low)] == low, name
        assert set(version[len(low) :]) <= {"0"}, name


def test_public_names_exist_once_and_say_what_they_are():
    assert set(betaroc.__all__) <= set(dir(betaroc))
    assert len(betaroc.__all__) <= 68
    assert [name for name in PUBLIC if not getattr(betaroc, name).__doc__] == []
    assert len(set(PUBLIC)) == len(PUBLIC)
    assert set(PUBLIC) & set(betaroc.errors.__all__) == set()


# No example of their own: they draw, write a file, serve other modules, or stand in another's.
NO_EXAMPLE = {
    "Analysis.summary", "Analysis.to_html",
    *(f"{name}.plot" for name in ("Det", "Epc", "PrecisionRecall", "SystemsComparison")),
    *(f"sklearn.{name}Display.from_estimator" for name in ("Det", "Epc", "Roc")),
    *(f"sklearn.{name}Display.plot" for name in ("Det", "Epc", "Roc")),
    *(f"sklearn.{name}Display.from_{what}" for name in ("Det", "Roc")
      for what in ("cv_results", "predictions")),
    *(f"sklearn.ThresholdClassifier.{name}" for name in (
        "decision_function", "fit", "get_metadata_routing", "predict", "predict_log_proba",
        "predict_proba")),
}  # fmt: skip

# Classes that public functions return although nobody makes them by hand.
RETURNED = {
    "betaroc.model.roc": ("Det", "PrecisionRecall", "RocHull"),
    "betaroc.model.ends": ("End", "Ends", "SemiDerivatives"),
    "betaroc.model.calibration": ("BayesError",),
    "betaroc.decision.forecast": ("DevSize",),
    "betaroc.model.roc_functions": ("RocCrossings",),
}


def public_objects():
    """Every public class with its methods and properties, every public function."""
    named = [(name, getattr(betaroc, name)) for name in (*PUBLIC, *betaroc.errors.__all__)]
    for path, names in RETURNED.items():
        named += [(name, getattr(importlib.import_module(path), name)) for name in names]
    named += [(f"sklearn.{name}", getattr(doors, name)) for name in doors.__all__]
    named += [(f"datasets.{n}", getattr(betaroc.datasets, n)) for n in betaroc.datasets.__all__]
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


@cache
def objects():
    return dict(public_objects())


def is_callable(value):
    """Whether its arguments are ours to name: no property, no enum, no error."""
    if inspect.isclass(value):
        return not issubclass(value, Exception | Enum)
    return isinstance(value, FunctionType | classmethod)


def section(value, title):
    """The lines of one section of a numpydoc docstring.

    A method that passes on has one line; its sections are those of the method that it names.
    """
    lines = inspect.cleandoc(value.__doc__ or "").splitlines()
    named = re.search(r"(?:[Aa]s|see) `(ScoreModel)\.(\w+)`", lines[0]) if len(lines) == 1 else None
    if named:
        return section(getattr(getattr(betaroc, named[1]), named[2]), title)
    starts = [k for k in range(len(lines) - 1) if re.fullmatch("---+", lines[k + 1])]
    for start, end in itertools.pairwise([*starts, len(lines)]):
        if lines[start] == title:
            return lines[start + 2 : end]
    return []


def misnamed(value):
    """Parameters that stand once more, or less, in the docstring than in the signature."""
    function = value.__func__ if isinstance(value, classmethod) else value
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    taken = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.annotation in ("Unpack[PointArguments]", "Unpack[StatisticArguments]"):
            taken += POINTS + SETTINGS * ("Statistic" in parameter.annotation)
        elif parameter.name not in {"self", "cls", "_cls", "given"}:  # what is given is refused
            taken.append(stars.get(parameter.kind, "") + parameter.name)
    heads = [line.partition(" : ")[0] for line in section(value, "Parameters") if line[:1].strip()]
    documented = [parameter for head in heads for parameter in head.split(", ")]
    return (Counter(documented) - Counter(taken)) + (Counter(taken) - Counter(documented))


@pytest.mark.simulation
def test_public_docstrings_name_the_parameters_and_have_an_example():
    found = {n: misnamed(value) for n, value in objects().items() if is_callable(value)}
    assert {n: names for n, names in found.items() if names} == {}
    # All but those of a list, which has none that has one.
    with_example = {
        name
        for name, value in objects().items()
        if any(line.startswith(">>> ") for line in section(value, "Examples"))
    }
    called = {name for name, value in objects().items() if is_callable(value)}
    assert called - with_example <= NO_EXAMPLE
    assert NO_EXAMPLE & with_example == set()


@pytest.mark.parametrize("module", [betaroc, doors])
def test_only_public_names_are_listed(module):
    shown = {name for name in dir(module) if not name.startswith("__")}
    extra = {"datasets", "errors", "results"} if module is betaroc else set()
    assert shown == {*module.__all__, *extra}
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name  # noqa: B018


@pytest.mark.simulation
def test_the_door_to_scikit_learn_says_what_is_missing():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import betaroc.sklearn as door, betaroc\n"
        "for name in door.__all__:\n"
        "    try: getattr(door, name)\n"
        "    except betaroc.MissingDependencyError as error: print(error)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [
        f"betaroc.sklearn.{name} needs scikit-learn, which is not installed."
        ' pip install "betaroc[sklearn]"'
        for name in doors.__all__
    ]


def test_a_warning_names_the_line_of_a_neighbour_called_alike():
    """A user's folder `betaroc_study` beside the package is not the package."""
    script = Path(betaroc.__file__).parent.with_name("betaroc_study") / "run.py"
    code = compile("betaroc.Scores([0.1] * 3, numpy.float16([0.2]))", str(script), "exec")
    with pytest.warns(betaroc.PrecisionWarning) as caught:
        exec(code, {"betaroc": betaroc, "numpy": importlib.import_module("numpy")})
    assert caught[0].filename == str(script)


def test_versions_agree():
    own = project()["project"]
    version = own["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert betaroc.__version__ == version
    assert re.search(rf"^version: {re.escape(version)}$", citation, re.M)
    (date,) = re.findall(r"^date-released: (\d{4}-\d\d-\d\d)$", citation, re.M)
    assert f"## [{version}] - {date}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'version: "{version}"' in recipe
    asked = {text.replace(">=", " >=") for text in own["dependencies"]}
    listed = set(re.findall(r"^    - ([\w-]+ >=[\d.]+)$", recipe, re.M))
    build = {"python >=3.11", "hatchling >=1.27", "matplotlib-base >=3.9"}
    assert listed - build == asked - {"matplotlib >=3.9"}


@pytest.mark.simulation
def test_the_house_does_not_grow_and_a_file_holds_one_concept():
    """A figure that has fallen is written down by ``python tests/helpers/house.py``."""
    budgets, sizes = json.loads(house.BUDGETS.read_text("utf-8")), house.sizes()
    assert {name: size for name, size in sizes.items() if size > budgets[name]} == {}
    assert {module for module in MODULES if house.code_lines(module) > MOST_LINES} == set()


TEXT = {".py", ".md", ".toml", ".cff", ".yaml", ".json", ".j2", ".txt", ".csv", ".svg", ""}


def project_files():
    for top in ("benchmarks", "betaroc", "docs", "examples", "tests", ".ci"):
        for path in (ROOT / top).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.suffix in TEXT)


@pytest.mark.simulation
def test_no_path_of_a_machine_is_mentioned():
    home = re.compile(r"(?<![\w.])/(?:home|Users|root|work|workspace|mnt)/|[A-Z]:\\Users", re.A)
    guilty = [
        path.relative_to(ROOT).as_posix()
        for path in project_files()
        if path.suffix in TEXT
        and path != Path(__file__)
        and home.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert guilty == []


@pytest.mark.simulation
def test_the_wheel_holds_what_datasets_read(monkeypatch):
    """Every file that a loader opens is one that the build copies, with its licence."""
    copied = project()["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    files = {
        path: f"{target}{path.as_posix().removeprefix((ROOT / origin).as_posix())}"
        for origin, target in copied.items()
        for path in ([ROOT / origin, *(ROOT / origin).rglob("*")])
        if path.is_file()
    }
    opened, read = set(), datasets.read_scores
    monkeypatch.setattr(datasets, "read_scores", lambda p, **o: (opened.add(p), read(p, **o))[1])
    for name in datasets.__all__:
        if name.startswith("load_"):
            getattr(datasets, name)()
    for amount in datasets._SHARPENED:
        datasets.load_liveness("forest", sharpened=amount)
    assert len(opened) == 14
    for path in opened:
        name = f"{path.parent.name}/{path.name}"
        assert files[path] == f"betaroc/data/sets/{name}"
        source = path.with_name("SOURCE.md")
        assert source in files
        if "UPSTREAM-LICENSE.txt" in source.read_text(encoding="utf-8"):
            assert path.with_name("UPSTREAM-LICENSE.txt") in files


def test_every_value_of_the_core_is_frozen():
    rooms = ("distributions", "model", "estimation", "inference", "fits", "decision")
    modules = [importlib.import_module(name) for name in MODULES if room(f"{name}.") in rooms]
    held = [value for module in modules for value in vars(module).values()]
    kinds = [v for v in held if isinstance(v, type) and dataclasses.is_dataclass(v)]
    assert [v for v in kinds if not v.__dataclass_params__.frozen] == []
    assert len(kinds) > 100


def test_the_readme_is_short_and_gives_the_two_commands_of_which_one_is_run():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert INSTALL_AND_RUN in readme
    assert INSTALL_AND_TEST in readme
    assert len(readme.splitlines()) <= 120
    assert INSTALL_AND_TEST in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.simulation
@pytest.mark.usefixtures("few", "panel_alone")
def test_readme_main_job_runs(tmp_path):
    target = tmp_path / "report.html"
    target.write_text("of an earlier run", encoding="utf-8")  # a second run replaces the first
    files = {"report.html": str(target)}
    name, *words = shlex.split(INSTALL_AND_RUN.split(" && ")[1])
    words = [str(ROOT / w) if w.startswith("examples/") else files.get(w, w) for w in words]
    assert (name, main(words)) == ("betaroc", 0)
    page = target.read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")
    assert "<svg" in page
    assert 'class="status good"' in page


def test_each_score_set_has_its_source_and_licence():
    for folder in (*DATA.iterdir(), *(ROOT / "studies" / "data").iterdir()):
        if folder.is_dir():
            source = (folder / "SOURCE.md").read_text(encoding="utf-8")
            assert "Origin:" in source
            assert "\nLicence: " in source
            upstream = (folder / "UPSTREAM-LICENSE.txt").is_file()
            assert upstream or (DATA in folder.parents and "UPSTREAM-LICENSE.txt" not in source)


table = script(ROOT / "tools" / "mutation" / "table.py")


def test_most_changes_are_noticed_and_every_survivor_has_a_reason():
    reasons = table.settings()["reasons"]
    given = {(row["draw"], row["number"]): row["reason"] for row in table.read("survivors.csv")}
    alive = {
        (draw, row["number"])
        for draw in table.settings()["draws"]
        for row in table.read(f"results_{draw}.csv")
        if row["outcome"] not in table.KILLED
    }
    assert given.keys() == alive
    assert set(given.values()) <= set(reasons)
    rows = table.read("results_all.csv")
    assert sum(row["outcome"] in table.KILLED for row in rows) >= 0.85 * len(rows)
    # A name of no test would notice every change.
    for file, name in (test.split("::") for test in table.settings()["always"]):
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


CHECKERS = {"mypy": [sys.executable, "-m", "mypy", "--strict"], "pyright": ["pyright"]}


@pytest.mark.nightly
@pytest.mark.parametrize("name", CHECKERS)
def test_checkers_find_the_misspelt_lines_and_nothing_in_typical_use(name: str) -> None:
    if name == "pyright" and not shutil.which("pyright"):
        pytest.skip("pyright is not installed")
    folder = ROOT / "tests" / "typing"
    files = [str(folder / "usage.py"), str(folder / "misspelt.py")]
    done = subprocess.run([*CHECKERS[name], *files], cwd=ROOT, capture_output=True, text=True)
    found = re.findall(r"(\w+)\.py:(\d+):(?:\d+)?.*? error: ", done.stdout)
    assert found == [("misspelt", str(line)) for line in range(10, 15)], done.stdout + done.stderr
